/* Entry point of inner products of two lists of matrices. */

#include "cross_dots.h"

#include "entry.h"

/* sum_ij x_ij y_ij for every pair: rows are matrices of x. */
SEXP repalign_cross_dots(SEXP x, SEXP y, SEXP threads)
{
    begin_entry(__func__);
    const matrix_list a = read_matrices(ARG(x)), b = read_matrices_of(ARG(y), a.n);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(a.count, b.count));
    cross_dots(a.values, a.count, b.values, b.count, a.n * a.n, by, REAL(result));
    UNPROTECT(1);
    return result;
}
