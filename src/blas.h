/* BLAS on plain C types. Every size must fit a BLAS integer; entry points check
   that before they call a kernel (fits_blas). Column-major, as everywhere. */
#ifndef REPALIGN_BLAS_H
#define REPALIGN_BLAS_H

#include <stddef.h>

int fits_blas(size_t size);

/* c (m x n) = alpha * op(a) op(b) + beta * c, with k the inner size. */
void blas_gemm(char transpose_a, char transpose_b, size_t m, size_t n, size_t k, double alpha,
               const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
               size_t ldc);

/* Upper triangle of c (n x n) = op(a) op(a)' + beta * c; transpose 'T' means a' a. */
void blas_syrk_upper(char transpose, size_t n, size_t k, const double *a, size_t lda, double beta,
                     double *c, size_t ldc);

/* Lower triangle of c (n x n) = a a' + beta * c, a (n x k). */
void blas_syrk_lower(size_t n, size_t k, const double *a, size_t lda, double beta, double *c,
                     size_t ldc);

/* Lower triangle of c (n x n) += alpha * a' a, a (k x n). */
void blas_syrk_add_lower(size_t n, size_t k, double alpha, const double *a, size_t lda, double *c);

/* c (m x n) = a b, a symmetric (m x m) with its upper triangle used. */
void blas_symm_left(size_t m, size_t n, const double *a, size_t lda, const double *b, size_t ldb,
                    double *c, size_t ldc);

/* y = op(a) x for a (m x n). */
void blas_gemv(char transpose, size_t m, size_t n, const double *a, const double *x, double *y);

/* b (m x n) = b R^-1, R the upper triangle of r (n x n). */
void blas_solve_right_upper(size_t m, size_t n, const double *r, double *b);

/* x = op(R) x, and x = op(R)^-1 x, R the upper triangle of r (n x n). */
void blas_multiply_upper(char transpose, size_t n, const double *r, double *x);
void blas_solve_upper(char transpose, size_t n, const double *r, double *x);

/* b (m x n) = R'^-1 b, R the upper triangle of r (m x m). */
void blas_solve_left_upper(size_t m, size_t n, const double *r, double *b);

/* b (m x n) = b R', R the upper triangle of r (n x n). */
void blas_multiply_right_transposed(size_t m, size_t n, const double *r, double *b);

/* b (n x m) = op(R) b, R the upper triangle of r (n x n). */
void blas_multiply_left_upper(char transpose, size_t n, size_t m, const double *r, double *b);

#endif
