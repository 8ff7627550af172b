/* Entry points of comparisons of neighbour lists. */

#include "neighbour_lists.h"

#include "entry.h"

/* The lists of x and y: n rows of k neighbours each. */
typedef struct {
    const int *x, *y;
    size_t n, k;
} list_pair;

static list_pair read_lists(SEXP x, SEXP y)
{
    if (!Rf_isMatrix(x)) argument_error("x", "be a matrix");
    const size_t n = matrix_rows(x), k = matrix_columns(x);
    const list_pair pair = {read_index(ARG(x), n), read_index_matrix(ARG(y), n, n), n, k};
    if (matrix_columns(y) != k) argument_error("y", "have as many columns as `x`");
    return pair;
}

SEXP repalign_shared_neighbours(SEXP x, SEXP y)
{
    begin_entry(__func__);
    const list_pair p = read_lists(x, y);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) p.n));
    shared_neighbours(p.x, p.y, p.n, p.k, int_scratch(p.n), INTEGER(result), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_rank_agreement(SEXP x, SEXP y)
{
    begin_entry(__func__);
    const list_pair p = read_lists(x, y);
    SEXP result = PROTECT(new_doubles(p.n));
    rank_agreement(p.x, p.y, p.n, p.k, int_scratch(p.n), scratch(p.k + 1), REAL(result),
                   check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_cycle_count(SEXP x, SEXP y)
{
    begin_entry(__func__);
    const list_pair p = read_lists(x, y);
    const size_t count = cycle_count(p.x, p.y, p.n, p.k, size_scratch(p.n + 1),
                                     int_scratch(p.n * p.k), int_scratch(p.n), check_interrupt);
    return Rf_ScalarReal((double) count);
}

SEXP repalign_common_subsequences(SEXP x, SEXP y)
{
    begin_entry(__func__);
    const list_pair p = read_lists(x, y);
    return Rf_ScalarReal(common_subsequences(p.x, p.y, p.n, p.k, int_scratch(p.n),
                                             int_scratch(2 * (p.k + 1)), check_interrupt));
}

SEXP repalign_edit_distances(SEXP x, SEXP y)
{
    begin_entry(__func__);
    const list_pair p = read_lists(x, y);
    return Rf_ScalarReal(
        edit_distances(p.x, p.y, p.n, p.k, int_scratch(2 * (p.k + 1)), check_interrupt));
}
