/* Null kernels of a'b with the rows of b in other orders: "singular", its singular values, and
   "factors", its sum of squares. */

#include "blas.h"
#include "entry.h"

static void relabel_rows(const double *b, size_t n, size_t columns, const int *permutation,
                         double *out)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < n; i++) out[i + j * n] = b[(size_t) permutation[i] + j * n];
}

/* Singular values of a'b[p, ] for every permutation p (a column, from 1), one a column. */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations)
{
    const double *left = read_matrix(ARG(a));
    const size_t n = matrix_rows(a), rows = matrix_columns(a);
    const double *right = read_matrix_rows(ARG(b), n);
    const size_t columns = matrix_columns(b), k = least(rows, columns);
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t count = (size_t) XLENGTH(permutations) / n;
    double *relabelled = scratch(n * columns), *product = scratch(rows * columns);
    SEXP result = PROTECT(new_matrix(k, count));
    int room = 0;
    for (size_t p = 0; p < count && k > 0; p++) {
        relabel_rows(right, n, columns, orders + p * n, relabelled);
        blas_gemm('T', 'N', rows, columns, n, 1.0, left, n, relabelled, n, 0.0, product, rows);
        decompose(0, rows, columns, product, REAL(result) + p * k, NULL, NULL, &room);
    }
    UNPROTECT(1);
    return result;
}

/* Matrices of n rows; n = 0: as many as the first has. */
typedef struct {
    const double **values;
    size_t *columns, count, n, widest;
} factor_list;

static factor_list read_factors(SEXP list, const char *name, size_t n)
{
    const size_t count = count_elements(list, name);
    factor_list found = {(const double **) R_alloc(count, sizeof(double *)),
                         (size_t *) R_alloc(count, sizeof(size_t)), count, n, 0};
    for (size_t k = 0; k < count; k++) {
        SEXP one = VECTOR_ELT(list, (R_xlen_t) k);
        found.values[k] = found.n ? read_matrix_rows(one, name, found.n) : read_matrix(one, name);
        found.n = matrix_rows(one);
        found.columns[k] = matrix_columns(one);
        if (found.columns[k] > found.widest) found.widest = found.columns[k];
    }
    return found;
}

/* The sum of squares of x'y[p, ] for every permutation p (a column, from 1) as a row, and every
   pair of matrices as a column, in which the matrix of x changes fastest. */
SEXP repalign_permuted_products(SEXP xs, SEXP ys, SEXP permutations)
{
    const factor_list x = read_factors(ARG(xs), 0), y = read_factors(ARG(ys), x.n);
    const size_t n = x.n;
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t count = (size_t) XLENGTH(permutations) / n;
    double *relabelled = scratch(n * y.widest), *product = scratch(x.widest * y.widest);
    SEXP result = PROTECT(new_matrix(count, x.count * y.count));
    for (size_t p = 0; p < count; p++) {
        for (size_t j = 0; j < y.count; j++) {
            relabel_rows(y.values[j], n, y.columns[j], orders + p * n, relabelled);
            for (size_t i = 0; i < x.count; i++) {
                const size_t rows = x.columns[i], columns = y.columns[j];
                double sum = 0.0;
                blas_gemm('T', 'N', rows, columns, n, 1.0, x.values[i], n, relabelled, n, 0.0,
                          product, rows);
                for (size_t at = 0; at < rows * columns; at++) sum += product[at] * product[at];
                REAL(result)[p + (j * x.count + i) * count] = sum;
                check_interrupt();
            }
        }
    }
    UNPROTECT(1);
    return result;
}
