/* Entry points of singular value decompositions. */

#include <string.h>

#include "entry.h"

/* Decreasing singular values. */
SEXP repalign_singular_values(SEXP a)
{
    read_matrix(ARG(a));
    SEXP result = PROTECT(new_doubles(least(matrix_rows(a), matrix_columns(a))));
    decompose(0, matrix_rows(a), matrix_columns(a), REAL(a), REAL(result), NULL, NULL,
              &(int) {0});
    UNPROTECT(1);
    return result;
}

/* Thin decomposition a = u diag(d) v'. */
SEXP repalign_svd(SEXP a)
{
    read_matrix(ARG(a));
    const size_t m = matrix_rows(a), n = matrix_columns(a), k = least(m, n);
    SEXP result = PROTECT(NAMED_LIST("u", "d", "v"));
    double *u = put_matrix(result, 0, m, k), *d = put_doubles(result, 1, k);
    double *v = put_matrix(result, 2, n, k), *vt = scratch(k * n);
    decompose(1, m, n, REAL(a), d, u, vt, &(int) {0});
    transpose(vt, k, n, v);
    UNPROTECT(1);
    return result;
}

/* The unit eigenvector of the largest eigenvalue of a symmetric matrix. */
SEXP repalign_leading_vector(SEXP a)
{
    const double *entries = read_matrix(ARG(a));
    const size_t n = matrix_rows(a);
    if (n == 0 || matrix_columns(a) != n) argument_error("a", "be square");
    double *copy = scratch(n * n);
    memcpy(copy, entries, n * n * sizeof(double));
    SEXP result = PROTECT(new_doubles(n));
    const int info = lapack_leading_vector(n, copy, REAL(result));
    if (info != 0) entry_error("the decomposition of a symmetric matrix failed (%d)", info);
    check_interrupt();
    UNPROTECT(1);
    return result;
}
