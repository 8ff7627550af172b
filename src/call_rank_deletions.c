/* Entry point of Spearman correlations without each unit of stimuli. */

#include "rank_deletions.h"

#include <limits.h>
#include <stdint.h>

#include "entry.h"

/* list(order, tied) of a side: the numbers of the pairs in the order of their ranks, and which of
   them have the rank of the one before. */
static const int *read_order(SEXP side, const char *name, size_t length)
{
    return read_zero_based(read_element(side, name, "order"), name, length);
}

static ordered_pairs read_ordered(SEXP side, const char *name, const int *order, const int *first,
                                  const int *second, size_t length)
{
    const SEXP tied = read_element(side, name, "tied");
    if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
        argument_error(name, "have a logical `tied` for each pair");
    int *from = int_scratch(length), *to = int_scratch(length);
    for (size_t k = 0; k < length; k++) {
        from[k] = first[order[k]] - 1;
        to[k] = second[order[k]] - 1;
    }
    return (ordered_pairs) {from, to, LOGICAL(tied)};
}

static void require_few_pairs(const int *first, const int *second, size_t length, const int *unit,
                              size_t units)
{
    int *pairs = int_scratch(units);
    for (size_t u = 0; u < units; u++) pairs[u] = 0;
    for (size_t k = 0; k < length; k++) {
        const int a = unit[first[k] - 1], b = unit[second[k] - 1];
        if (++pairs[a] > MOST_DELETED_PAIRS || (a != b && ++pairs[b] > MOST_DELETED_PAIRS))
            argument_error("unit", "be part of at most %d pairs", MOST_DELETED_PAIRS);
    }
}

/* Room for the counts of so many pairs. Those of one pair fill a line of the cache: none is read or
   written as two. */
static unsigned short *room_for_counts(size_t pairs)
{
    const size_t line = DELETED_AT_ONCE * sizeof(unsigned short);
    char *room = R_alloc(pairs + 1, (int) line);
    return (unsigned short *) (room + (line - (uintptr_t) room % line) % line);
}

/* pairs: list(first, second), the stimuli of all pairs; x, y: sides; unit: that of each stimulus,
   1 .. units. A correlation of all pairs, and one without each unit; NaN where a side has one rank
   only. */
SEXP repalign_rank_deletions(SEXP pairs, SEXP x, SEXP y, SEXP unit, SEXP units, SEXP threads)
{
    begin_entry(__func__);
    const SEXP stimuli = read_element(ARG(pairs), "first");
    const size_t count = read_count(ARG(units), 1, INT_MAX);
    const size_t n = (size_t) XLENGTH(unit), length = (size_t) XLENGTH(stimuli);
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    const int *of = read_zero_based(ARG(unit), count);
    const int *first = read_indices(stimuli, "first", length, n);
    const int *second = read_indices(read_element(ARG(pairs), "second"), "second", length, n);
    require_few_pairs(first, second, length, of, count);
    const int *order_x = read_order(ARG(x), length), *order_y = read_order(ARG(y), length);
    int *in_x = int_scratch(length), *place = int_scratch(length);
    for (size_t k = 0; k < length; k++) in_x[order_x[k]] = (int) k;
    for (size_t k = 0; k < length; k++) place[k] = in_x[order_y[k]];
    const ordered_pairs a = read_ordered(ARG(x), order_x, first, second, length);
    const ordered_pairs b = read_ordered(ARG(y), order_y, first, second, length);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(count + 1));
    unsigned short *counts = room_for_counts((size_t) by.threads * length);
    rank_deletions(a, b, place, length, of, count, counts, scratch(3 * (length + 1)),
                   REAL(result), by);
    UNPROTECT(1);
    return result;
}
