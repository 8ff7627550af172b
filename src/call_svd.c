/* Entry points of singular value decompositions. */

#include <string.h>

#include "lapack.h"

#include "basis.h"
#include "entry.h"

static size_t smaller_side(SEXP a)
{
    const size_t m = matrix_rows(a), n = matrix_columns(a);
    return m < n ? m : n;
}

static void decompose(SEXP a, int vectors, double *s, double *u, double *vt)
{
    const size_t m = matrix_rows(a), n = matrix_columns(a);
    if (smaller_side(a) == 0) return;
    const int info = lapack_svd(vectors, m, n, REAL(a), s, u, vt, new_svd_scratch(vectors, m, n));
    if (info != 0) entry_error("the singular value decomposition failed (%d)", info);
    check_interrupt();
}

/* Decreasing singular values. */
SEXP repalign_singular_values(SEXP a)
{
    begin_entry(__func__);
    read_matrix(ARG(a));
    SEXP result = PROTECT(new_doubles(smaller_side(a)));
    decompose(a, 0, REAL(result), NULL, NULL);
    UNPROTECT(1);
    return result;
}

/* Thin decomposition a = u diag(d) v'. */
SEXP repalign_svd(SEXP a)
{
    begin_entry(__func__);
    read_matrix(ARG(a));
    const size_t k = smaller_side(a), m = matrix_rows(a), n = matrix_columns(a);
    const char *names[] = {"u", "d", "v", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *u = put_matrix(result, 0, m, k), *d = put_doubles(result, 1, k);
    double *v = put_matrix(result, 2, n, k), *vt = scratch(k * n);
    decompose(a, 1, d, u, vt);
    transpose(vt, k, n, v);
    UNPROTECT(1);
    return result;
}

/* The unit eigenvector of the largest eigenvalue of a symmetric matrix. */
SEXP repalign_leading_vector(SEXP a)
{
    begin_entry(__func__);
    const double *entries = read_matrix(ARG(a));
    const size_t n = matrix_rows(a), length = lapack_leading_work(n);
    if (n == 0 || matrix_columns(a) != n) argument_error("a", "be square");
    double *copy = scratch(n * n);
    memcpy(copy, entries, n * n * sizeof(double));
    SEXP result = PROTECT(new_doubles(n));
    const int info = lapack_leading_vector(n, copy, REAL(result), scratch(n), scratch(length),
                                           length, int_scratch(10 * n));
    if (info != 0) entry_error("the decomposition of a symmetric matrix failed (%d)", info);
    check_interrupt();
    UNPROTECT(1);
    return result;
}
