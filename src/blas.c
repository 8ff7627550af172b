/* R's BLAS behind plain C types: see blas.h. */

#include "repalign.h"
#include "blas.h"

#include <limits.h>

int fits_blas(size_t size) { return size <= (size_t) INT_MAX; }

/* BLAS wants a leading dimension of at least one even for empty matrices. */
static int leading(size_t ld) { return ld > 0 ? (int) ld : 1; }

void blas_gemm(char transpose_a, char transpose_b, size_t m, size_t n, size_t k, double alpha,
               const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
               size_t ldc)
{
    int im = (int) m, in = (int) n, ik = (int) k;
    int ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
    F77_CALL(dgemm)(&transpose_a, &transpose_b, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic
                    FCONE FCONE);
}

void blas_syrk_upper(char transpose, size_t n, size_t k, const double *a, size_t lda, double beta,
                     double *c, size_t ldc)
{
    int in = (int) n, ik = (int) k, ia = leading(lda), ic = leading(ldc);
    double one = 1.0;
    F77_CALL(dsyrk)("U", &transpose, &in, &ik, &one, a, &ia, &beta, c, &ic FCONE FCONE);
}

void blas_syrk_lower(size_t n, size_t k, const double *a, size_t lda, double beta, double *c,
                     size_t ldc)
{
    int in = (int) n, ik = (int) k, ia = leading(lda), ic = leading(ldc);
    double one = 1.0;
    F77_CALL(dsyrk)("L", "N", &in, &ik, &one, a, &ia, &beta, c, &ic FCONE FCONE);
}

void blas_syrk_add_lower(size_t n, size_t k, double alpha, const double *a, size_t lda, double *c)
{
    int in = (int) n, ik = (int) k, ia = leading(lda), ic = leading(n);
    double one = 1.0;
    F77_CALL(dsyrk)("L", "T", &in, &ik, &alpha, a, &ia, &one, c, &ic FCONE FCONE);
}

void blas_symm_left(size_t m, size_t n, const double *a, size_t lda, const double *b, size_t ldb,
                    double *c, size_t ldc)
{
    int im = (int) m, in = (int) n, ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
    double one = 1.0, zero = 0.0;
    F77_CALL(dsymm)("L", "U", &im, &in, &one, a, &ia, b, &ib, &zero, c, &ic FCONE FCONE);
}

void blas_gemv(char transpose, size_t m, size_t n, const double *a, const double *x, double *y)
{
    int im = (int) m, in = (int) n, ia = leading(m), step = 1;
    double one = 1.0, zero = 0.0;
    F77_CALL(dgemv)(&transpose, &im, &in, &one, a, &ia, x, &step, &zero, y, &step FCONE);
}

void blas_solve_right_upper(size_t m, size_t n, const double *r, double *b)
{
    int im = (int) m, in = (int) n, ld_r = leading(n), ld_b = leading(m);
    double one = 1.0;
    F77_CALL(dtrsm)("R", "U", "N", "N", &im, &in, &one, r, &ld_r, b, &ld_b
                    FCONE FCONE FCONE FCONE);
}

void blas_solve_left_upper(size_t m, size_t n, const double *r, double *b)
{
    int im = (int) m, in = (int) n, ld_r = leading(m), ld_b = leading(m);
    double one = 1.0;
    F77_CALL(dtrsm)("L", "U", "T", "N", &im, &in, &one, r, &ld_r, b, &ld_b
                    FCONE FCONE FCONE FCONE);
}

void blas_multiply_upper(char transpose, size_t n, const double *r, double *x)
{
    int in = (int) n, ld = leading(n), step = 1;
    F77_CALL(dtrmv)("U", &transpose, "N", &in, r, &ld, x, &step FCONE FCONE FCONE);
}

void blas_solve_upper(char transpose, size_t n, const double *r, double *x)
{
    int in = (int) n, ld = leading(n), step = 1;
    F77_CALL(dtrsv)("U", &transpose, "N", &in, r, &ld, x, &step FCONE FCONE FCONE);
}

void blas_multiply_right_transposed(size_t m, size_t n, const double *r, double *b)
{
    int im = (int) m, in = (int) n, ld_r = leading(n), ld_b = leading(m);
    double one = 1.0;
    F77_CALL(dtrmm)("R", "U", "T", "N", &im, &in, &one, r, &ld_r, b, &ld_b
                    FCONE FCONE FCONE FCONE);
}

void blas_multiply_left_upper(char transpose, size_t n, size_t m, const double *r, double *b)
{
    int in = (int) n, im = (int) m, ld_r = leading(n), ld_b = leading(n);
    double one = 1.0;
    F77_CALL(dtrmm)("L", "U", &transpose, "N", &in, &im, &one, r, &ld_r, b, &ld_b
                    FCONE FCONE FCONE FCONE);
}
