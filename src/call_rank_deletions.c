/* Entry point of Spearman correlations without each unit of stimuli. */

#include "rank_deletions.h"

#include <limits.h>

#include "entry.h"

/* So many counts take the room of a number. */
#define COUNTS_OF_NUMBER (sizeof(double) / sizeof(int16_t))

/* Pairs in the order of the first side: sides that are much alike are then read nearly in a row. */
static int *find_places(const int *order, size_t length)
{
    int *place = int_scratch(length);
    for (size_t k = 0; k < length; k++) place[order[k] - 1] = (int) k;
    return place;
}

/* first, second: one-based stimuli; unit: zero-based. */
static common_pairs read_pairs(SEXP pairs, const int *place, size_t length, SEXP unit,
                               size_t units)
{
    const size_t n = (size_t) XLENGTH(unit);
    const int *of = read_zero_based(unit, "unit", units);
    const int *first = read_indices(read_element(pairs, "pairs", "first"), "first", length, n);
    const int *second = read_indices(read_element(pairs, "pairs", "second"), "second", length, n);
    unit_pair *both = (unit_pair *) R_alloc(length, sizeof(unit_pair));
    size_t *start = size_scratch(units + 2);
    pair_slot *slot = (pair_slot *) R_alloc(length, sizeof(pair_slot));
    for (size_t u = 0; u < units + 2; u++) start[u] = 0;
    for (size_t k = 0; k < length; k++) {
        const int from = of[first[k] - 1], to = of[second[k] - 1];
        both[place[k]] = (unit_pair) {(uint16_t) from, (uint16_t) to};
        start[from + 2]++;
        start[to + 2] += from != to;
    }
    for (size_t u = 0; u < units; u++) {
        if (start[u + 2] > MOST_DELETED_PAIRS)
            argument_error("unit", "be part of at most %d pairs", MOST_DELETED_PAIRS);
        start[u + 2] += start[u + 1];
    }
    for (size_t k = 0; k < length; k++) {
        slot[k].a = (uint32_t) start[both[k].a + 1]++;
        slot[k].b = both[k].b == both[k].a ? slot[k].a : (uint32_t) start[both[k].b + 1]++;
    }
    return (common_pairs) {both, start, slot, length, units, 0};
}

static const int *read_order(SEXP side, const char *name, size_t length)
{
    return read_indices(read_element(side, name, "order"), name, length, length);
}

static void read_sides(SEXP list, const char *name, const int *place, common_pairs all,
                       size_t count, ranked_side *sides)
{
    size_t *fill = size_scratch((all.length + all.chunk - 1) / all.chunk +
                                all.units / DELETED_AT_ONCE + 1);
    for (size_t s = 0; s < count; s++) {
        const SEXP side = VECTOR_ELT(list, (R_xlen_t) s), tied = read_element(side, name, "tied");
        if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != all.length)
            argument_error(name, "have a logical `tied` for each pair");
        const int *given = read_order(side, name, all.length);
        int *order = int_scratch(all.length);
        for (size_t k = 0; k < all.length; k++) order[k] = place[given[k] - 1];
        sides[s] = (ranked_side) {
            .order = order, .tied = LOGICAL(tied), .end = int_scratch(all.length),
            .rank = int_scratch(all.length),
            .by_block = (uint32_t *) int_scratch(all.start[all.units]),
            .unit = (unit_pair *) R_alloc(all.length, sizeof(unit_pair)),
            .by_chunk = (pair_rank *) R_alloc(all.length, sizeof(pair_rank))};
        sort_side(all, &sides[s], fill);
    }
}

/* x by y; without y those of x by x with the first side up to the second. */
static size_t list_cells(size_t x, size_t y, side_cell *cells)
{
    size_t count = 0;
    for (size_t j = 0; j < (y ? y : x); j++)
        for (size_t i = 0; i < x && (y || i <= j); i++)
            cells[count++] = (side_cell) {i, y ? x + j : j, i + j * x};
    return count;
}

static lane_block *new_blocks(common_pairs all, size_t sides, size_t cells, int threads)
{
    lane_block *blocks = (lane_block *) R_alloc((size_t) threads, sizeof(lane_block));
    const size_t most = most_deletions(all);
    for (int t = 0; t < threads; t++) {
        blocks[t] = (lane_block) {
            .steps = size_scratch(sides),
            .step = (count_step *) R_alloc(2 * sides * most, sizeof(count_step)),
            .gone = scratch(sides * most), .sums = scratch(cells * DELETED_AT_ONCE),
            .counts = (int16_t *) R_alloc(sides * all.chunk, DELETED_AT_ONCE * sizeof(int16_t))};
    }
    return blocks;
}

/* pairs: list(first, second), the stimuli of all pairs; x, y: lists of sides, list(order, tied) of
   the numbers of the pairs in the order of their ranks, and which of them have the rank of the one
   before; y NULL where x is compared with itself; unit: that of each stimulus, 1 .. units; room:
   how many numbers may be written out at a time. Correlations of all pairs, and without each unit,
   sides of x by sides of y by units + 1; NaN where a side has one rank only, and for sides of x
   with earlier ones. */
SEXP repalign_rank_deletions(SEXP pairs, SEXP x, SEXP y, SEXP unit, SEXP units, SEXP room,
                             SEXP threads)
{
    begin_entry(__func__);
    const size_t length = (size_t) XLENGTH(read_element(ARG(pairs), "first"));
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    const size_t deleted = read_count(ARG(units), 1, MOST_DELETED_UNITS);
    const size_t of_x = count_elements(ARG(x)), of_y = Rf_isNull(y) ? 0 : count_elements(ARG(y));
    const size_t sides = of_x + of_y, rows = of_x * (of_y ? of_y : of_x);
    const int *place = find_places(read_order(VECTOR_ELT(x, 0), "x", length), length);
    common_pairs all = read_pairs(pairs, place, length, unit, deleted);
    const double chunk = read_number(ARG(room)) * COUNTS_OF_NUMBER / DELETED_AT_ONCE /
        (double) sides;
    all.chunk = chunk < 1.0 ? 1 : chunk < (double) length ? (size_t) chunk : length;
    ranked_side *all_sides = (ranked_side *) R_alloc(sides, sizeof(ranked_side));
    read_sides(ARG(x), place, all, of_x, all_sides);
    if (of_y) read_sides(ARG(y), place, all, of_y, all_sides + of_x);
    side_cell *cells = (side_cell *) R_alloc(rows, sizeof(side_cell));
    const size_t count = list_cells(of_x, of_y, cells);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(rows, deleted + 1));
    for (size_t k = 0; k < rows * (deleted + 1); k++) REAL(result)[k] = R_NaN;
    rank_deletions(all, all_sides, sides, cells, count,
                   new_blocks(all, sides, count, by.threads), scratch(sides * (deleted + 1)),
                   REAL(result), rows, by);
    UNPROTECT(1);
    return result;
}
