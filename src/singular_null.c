/* Permutation nulls of bases: see singular_null.h. */

#include "singular_null.h"

#include "blas.h"

static void relabel_rows(const double *b, size_t n, size_t columns, const int *permutation,
                         double *out)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < n; i++) out[i + j * n] = b[(size_t) permutation[i] + j * n];
}

int permuted_singular_values(const double *a, size_t rows, const double *b, size_t columns,
                             size_t n, const int *permutations, size_t count,
                             singular_scratch z, pause_function pause, double *values)
{
    const size_t k = rows < columns ? rows : columns;
    for (size_t p = 0; p < count && k > 0; p++) {
        relabel_rows(b, n, columns, permutations + p * n, z.relabelled);
        blas_gemm('T', 'N', rows, columns, n, 1.0, a, n, z.relabelled, n, 0.0, z.product, rows);
        const int info = lapack_svd(0, rows, columns, z.product, values + p * k, NULL, NULL, z.svd);
        if (info != 0) return info;
        pause();
    }
    return 0;
}
