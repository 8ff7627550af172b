/* Null kernels of a'b with the rows of b in other orders: "singular", its singular values, and
   "factors", its sum of squares. */

#include "blas.h"
#include "entry.h"

/* a: n x rows, b: n x columns; the values of permutation p (zero-based, n each, one after the
   other) into column p of `values`, min(rows, columns) long. Scratch: relabelled n x columns,
   product rows x columns. Not 0: LAPACK's info. */
typedef struct {
    double *relabelled, *product;
    svd_scratch svd;
} singular_scratch;

static void relabel_rows(const double *b, size_t n, size_t columns, const int *permutation,
                         double *out)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < n; i++) out[i + j * n] = b[(size_t) permutation[i] + j * n];
}

static int permuted_singular_values(const double *a, size_t rows, const double *b, size_t columns,
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

/* Singular values of a'b[p, ] for every permutation p (a column, from 1), one a column. */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations)
{
    const double *left = read_matrix(ARG(a));
    const size_t n = matrix_rows(a), rows = matrix_columns(a);
    const double *right = read_matrix_rows(ARG(b), n);
    const size_t columns = matrix_columns(b), k = rows < columns ? rows : columns;
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t count = (size_t) XLENGTH(permutations) / n;
    const singular_scratch z = {scratch(n * columns), scratch(rows * columns),
                                  new_svd_scratch(0, rows, columns)};
    SEXP result = PROTECT(new_matrix(k, count));
    const int info = permuted_singular_values(left, rows, right, columns, n, orders, count, z,
                                              check_interrupt, REAL(result));
    if (info != 0) entry_error("the singular value decomposition failed (%d)", info);
    UNPROTECT(1);
    return result;
}

static size_t most_columns(SEXP matrices)
{
    size_t most = 0;
    for (R_xlen_t k = 0; k < XLENGTH(matrices); k++) {
        const size_t columns = matrix_columns(VECTOR_ELT(matrices, k));
        if (columns > most) most = columns;
    }
    return most;
}

/* The sum of squares of x'y[p, ] for every permutation p (a column, from 1) as a row, and every pair
   of matrices as a column, in which the matrix of x changes fastest. */
SEXP repalign_permuted_products(SEXP xs, SEXP ys, SEXP permutations)
{
    const size_t layers_x = (size_t) XLENGTH(xs), layers_y = (size_t) XLENGTH(ys);
    const size_t n = matrix_rows(VECTOR_ELT(xs, 0));
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t count = (size_t) XLENGTH(permutations) / n;
    const size_t widest_y = most_columns(ys);
    double *relabelled = scratch(n * widest_y), *product = scratch(most_columns(xs) * widest_y);
    SEXP result = PROTECT(new_matrix(count, layers_x * layers_y));
    for (size_t p = 0; p < count; p++) {
        for (size_t j = 0; j < layers_y; j++) {
            const double *y = read_matrix_rows(VECTOR_ELT(ys, j), "y", n);
            const size_t columns = matrix_columns(VECTOR_ELT(ys, j));
            relabel_rows(y, n, columns, orders + p * n, relabelled);
            for (size_t i = 0; i < layers_x; i++) {
                const double *x = read_matrix_rows(VECTOR_ELT(xs, i), "x", n);
                const size_t rows = matrix_columns(VECTOR_ELT(xs, i));
                double sum = 0.0;
                blas_gemm('T', 'N', rows, columns, n, 1.0, x, n, relabelled, n, 0.0, product, rows);
                for (size_t at = 0; at < rows * columns; at++) sum += product[at] * product[at];
                REAL(result)[p + (j * layers_x + i) * count] = sum;
                check_interrupt();
            }
        }
    }
    UNPROTECT(1);
    return result;
}
