/* Entry point of the permutation null of bases. */

#include "singular_null.h"

#include "entry.h"

/* Singular values of a'b[p, ] for every permutation p (a column, from 1), one a column. */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations)
{
    begin_entry(__func__);
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
