/* Entry point of Spearman correlations with weights. */

#include "weighted_ranks.h"

#include <limits.h>

#include "entry.h"

/* The pairs of a side, list(order, tied): their numbers in the order of their ranks, and which of
   them have the rank of the one before. */
static const ranked_pair *read_side(SEXP side, const char *name, const int *first,
                                    const int *second, size_t length)
{
    const int *order = read_indices(read_element(side, name, "order"), name, length, length);
    const SEXP tied = read_element(side, name, "tied");
    if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
        argument_error(name, "have a logical `tied` for each pair");
    ranked_pair *pairs = (ranked_pair *) R_alloc(length, sizeof(ranked_pair));
    for (size_t k = 0; k < length; k++) {
        const uint32_t place = (uint32_t) order[k] - 1;
        pairs[k] = (ranked_pair) {place << 1 | (uint32_t) (LOGICAL(tied)[k] != 0),
                                  (uint16_t) (first[place] - 1), (uint16_t) (second[place] - 1)};
    }
    return pairs;
}

static ranked_sides read_ranked_sides(SEXP list, const char *name, const int *first,
                                      const int *second, size_t length)
{
    const size_t count = Rf_isNull(list) ? 0 : count_elements(list, name);
    const ranked_pair **all = (const ranked_pair **) R_alloc(count + 1, sizeof(ranked_pair *));
    for (size_t l = 0; l < count; l++)
        all[l] = read_side(VECTOR_ELT(list, (R_xlen_t) l), name, first, second, length);
    return (ranked_sides) {all, count};
}

/* pairs: list(first, second), the stimuli of all pairs; x, y: lists of sides, y NULL where x is
   compared with itself; w: a weight vector a column; room: how many numbers may be written out at a
   time. Correlations, sides of x by sides of y by columns, NaN where a side has one rank only. */
SEXP repalign_weighted_ranks(SEXP pairs, SEXP x, SEXP y, SEXP w, SEXP room, SEXP threads)
{
    begin_entry(__func__);
    read_matrix(ARG(w));
    const size_t n = matrix_rows(w), columns = matrix_columns(w);
    const SEXP stimuli = read_element(ARG(pairs), "first");
    const size_t length = (size_t) XLENGTH(stimuli);
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    if (n > UINT16_MAX) argument_error("w", "have fewer than 65536 rows");
    const int *first = read_indices(stimuli, "first", length, n);
    const int *second = read_indices(read_element(ARG(pairs), "second"), "second", length, n);
    const ranked_sides a = read_ranked_sides(ARG(x), first, second, length);
    const ranked_sides b = read_ranked_sides(ARG(y), first, second, length);
    const size_t sides = a.count + b.count, other = b.count > 0 ? b.count : a.count;
    size_t at_once = ranked_columns_at_once(sides, length, (size_t) read_number(ARG(room)));
    if (at_once > columns) at_once = columns;
    SEXP result = PROTECT(new_matrix(a.count * other, columns));
    weighted_rank_correlations(a, b, length, REAL(w), n, columns, at_once,
                               scratch(sides * at_once * length), scratch(sides * at_once),
                               REAL(result), read_worker(ARG(threads)));
    UNPROTECT(1);
    return result;
}
