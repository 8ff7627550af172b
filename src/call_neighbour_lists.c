/* Entry points of comparisons of neighbour lists. */

#include "call_checks.h"
#include "neighbour_lists.h"

typedef struct {
    const int *x, *y;
    size_t n, k;
} list_pair;

static list_pair lists_of(SEXP x, SEXP y)
{
    if (!Rf_isMatrix(x) || !Rf_isMatrix(y) || matrix_rows(x) != matrix_rows(y) ||
        matrix_columns(x) != matrix_columns(y))
        Rf_error("internal: neighbour lists of one size are needed");
    require_index(x, matrix_rows(x), "x");
    require_index(y, matrix_rows(y), "y");
    const list_pair pair = {INTEGER(x), INTEGER(y), matrix_rows(x), matrix_columns(x)};
    return pair;
}

static int *integers(size_t length)
{
    return (int *) R_alloc(length > 0 ? length : 1, sizeof(int));
}

SEXP repalign_shared_neighbours(SEXP x, SEXP y)
{
    const list_pair p = lists_of(x, y);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) p.n));
    shared_neighbours(p.x, p.y, p.n, p.k, integers(p.n), INTEGER(result), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_rank_agreement(SEXP x, SEXP y)
{
    const list_pair p = lists_of(x, y);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) p.n));
    rank_agreement(p.x, p.y, p.n, p.k, integers(p.n), scratch(p.k + 1), REAL(result),
                   check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_cycle_count(SEXP x, SEXP y)
{
    const list_pair p = lists_of(x, y);
    size_t *start = (size_t *) R_alloc(p.n + 1, sizeof(size_t));
    return Rf_ScalarReal((double) cycle_count(p.x, p.y, p.n, p.k, start, integers(p.n * p.k),
                                              integers(p.n), check_interrupt));
}

SEXP repalign_common_subsequences(SEXP x, SEXP y)
{
    const list_pair p = lists_of(x, y);
    return Rf_ScalarReal(common_subsequences(p.x, p.y, p.n, p.k, integers(p.n),
                                             integers(2 * (p.k + 1)), check_interrupt));
}

SEXP repalign_edit_distances(SEXP x, SEXP y)
{
    const list_pair p = lists_of(x, y);
    return Rf_ScalarReal(
        edit_distances(p.x, p.y, p.n, p.k, integers(2 * (p.k + 1)), check_interrupt));
}
