/* Entry points of Spearman correlations with weights, and without units of stimuli. */

#include "rank_deletions.h"

#include <stdint.h>

#include "entry.h"

/* list(first, second, tied) of pairs of stimuli in the order of their ranks. */
static ranked_pairs read_pairs(SEXP side, const char *name, size_t length, size_t n)
{
    const int *first = read_indices(read_element(side, name, "first"), name, length, n);
    const int *second = read_indices(read_element(side, name, "second"), name, length, n);
    const SEXP tied = read_element(side, name, "tied");
    if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
        argument_error(name, "have a logical `tied` for each pair");
    int *from = int_scratch(length), *to = int_scratch(length);
    for (size_t k = 0; k < length; k++) {
        from[k] = first[k] - 1;
        to[k] = second[k] - 1;
    }
    return (ranked_pairs) {from, to, LOGICAL(tied)};
}

/* x, y: such lists; place: of the pairs of y in x; w: a weight vector a column. A correlation for
   each column, NaN where a side has one rank only. */
SEXP repalign_weighted_ranks(SEXP x, SEXP y, SEXP place, SEXP w, SEXP threads)
{
    begin_entry(__func__);
    read_matrix(ARG(w));
    const size_t n = matrix_rows(w), columns = matrix_columns(w), length = (size_t) XLENGTH(place);
    if (length < 1 || length > INT32_MAX) argument_error("place", "have 1 to 2^31 - 1 values");
    const ranked_pairs pairs_x = read_pairs(x, "x", length, n);
    const ranked_pairs pairs_y = read_pairs(y, "y", length, n);
    const int *at = read_zero_based(ARG(place), length);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(columns));
    weighted_rank_correlations(pairs_x, pairs_y, at, length, REAL(w), n, columns,
                               scratch((size_t) by.threads * length), REAL(result), by);
    UNPROTECT(1);
    return result;
}

static void require_few_pairs(ranked_pairs p, size_t length, const int *unit, size_t units)
{
    int *pairs = int_scratch(units);
    for (size_t u = 0; u < units; u++) pairs[u] = 0;
    for (size_t k = 0; k < length; k++) {
        const int a = unit[p.first[k]], b = unit[p.second[k]];
        if (++pairs[a] > MOST_DELETED_PAIRS || (a != b && ++pairs[b] > MOST_DELETED_PAIRS))
            argument_error("unit", "be part of at most %d pairs", MOST_DELETED_PAIRS);
    }
}

/* unit: that of each stimulus, 1 .. units. A correlation of all pairs, and one without each unit;
   NaN where a side has one rank only. */
SEXP repalign_rank_deletions(SEXP x, SEXP y, SEXP place, SEXP unit, SEXP units, SEXP threads)
{
    begin_entry(__func__);
    const size_t count = read_count(ARG(units), 1, INT32_MAX);
    const size_t n = (size_t) XLENGTH(unit), length = (size_t) XLENGTH(place);
    if (length < 1 || length > INT32_MAX) argument_error("place", "have 1 to 2^31 - 1 values");
    const int *of = read_zero_based(ARG(unit), count);
    const ranked_pairs pairs_x = read_pairs(x, "x", length, n);
    const ranked_pairs pairs_y = read_pairs(y, "y", length, n);
    const int *at = read_zero_based(ARG(place), length);
    require_few_pairs(pairs_x, length, of, count);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(count + 1));
    unsigned short *counts = (unsigned short *)
        R_alloc((size_t) by.threads * length, DELETED_AT_ONCE * sizeof *counts);
    rank_deletions(pairs_x, pairs_y, at, length, of, count, counts, scratch(3 * (length + 1)),
                   REAL(result), by);
    UNPROTECT(1);
    return result;
}
