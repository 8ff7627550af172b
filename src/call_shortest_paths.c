/* Entry point of shortest paths. */

#include "shortest_paths.h"

#include "entry.h"

/* lengths: a symmetric matrix, infinite where there is no edge. */
SEXP repalign_shortest_paths(SEXP lengths)
{
    begin_entry(__func__);
    const double *from = read_matrix(ARG(lengths));
    const size_t n = matrix_rows(lengths);
    read_matrix_size(ARG(lengths), n, n);
    SEXP result = PROTECT(new_matrix(n, n));
    for (size_t k = 0; k < n * n; k++) REAL(result)[k] = from[k];
    shortest_paths(REAL(result), n, check_interrupt);
    UNPROTECT(1);
    return result;
}
