/* Entry point of the null of basis forms: singular values under permutations. */

#include "blas.h"
#include "call_checks.h"
#include "lapack.h"

#include <string.h>

typedef struct {
    double *gathered, *product, *copy, *work;
    int *iwork;
    size_t work_length, qr_work_length;
} permuted_scratch;

static permuted_scratch new_scratch(size_t n, size_t rows, size_t columns)
{
    const size_t k = rows < columns ? rows : columns;
    const size_t divide = lapack_svd_work(0, rows, columns);
    const size_t plain = lapack_svd_qr_work(0, rows, columns);
    permuted_scratch s = {scratch(n * columns), scratch(rows * columns), scratch(rows * columns),
                          scratch(divide > plain ? divide : plain),
                          (int *) R_alloc(8 * k + 1, sizeof(int)), divide, plain};
    return s;
}

static void gather_rows(const double *a, size_t n, size_t columns, const int *permutation,
                        double *out)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < n; i++) out[i + j * n] = a[(size_t) permutation[i] - 1 + j * n];
}

static void values_of(size_t rows, size_t columns, permuted_scratch *s, double *values)
{
    double unused = 0.0;
    memcpy(s->copy, s->product, rows * columns * sizeof(double));
    if (lapack_svd(0, rows, columns, s->copy, values, &unused, &unused, s->work, s->work_length,
                   s->iwork) == 0)
        return;
    memcpy(s->copy, s->product, rows * columns * sizeof(double));
    if (lapack_svd_qr(0, rows, columns, s->copy, values, &unused, &unused, s->work,
                      s->qr_work_length) != 0)
        Rf_error("internal: the singular value decomposition failed");
}

/* Singular values of a'b[p, ] for every permutation p (a column, from 1), one a column. */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations)
{
    require_matrix(a, "a");
    const size_t n = matrix_rows(a), rows = matrix_columns(a), columns = matrix_columns(b);
    require_rows(b, n, "b");
    require_index(permutations, n, "permutations");
    const size_t count = (size_t) XLENGTH(permutations) / n, k = rows < columns ? rows : columns;
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) k, (int) count));
    permuted_scratch s = new_scratch(n, rows, columns);
    for (size_t p = 0; p < count && k > 0; p++) {
        gather_rows(REAL(b), n, columns, INTEGER(permutations) + p * n, s.gathered);
        blas_gemm('T', 'N', rows, columns, n, 1.0, REAL(a), n, s.gathered, n, 0.0, s.product, rows);
        values_of(rows, columns, &s, REAL(result) + p * k);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
