/* Spearman correlations over pairs of stimuli, of all and without each unit of stimuli. */

#include <stdint.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <limits.h>

#include "loops.h"
#include "entry.h"

/* The most pairs that a unit may be part of, and the most units. */
#define MOST_DELETED_PAIRS 32767
#define MOST_DELETED_UNITS 65536

/* So many units are deleted at the same time, a lane each. */
#define LANES 32

/* The units of the two stimuli of a pair. */
typedef struct {
    uint16_t a, b;
} unit_pair;

/* Where a pair stands among those of its first and of its second unit. */
typedef struct {
    uint32_t a, b;
} pair_slot;

/* What all sides have in common: `length` pairs in one order, of `units` units; where the pairs of
   a unit begin among those of all units, `start` (units + 1), and where a pair stands there as one
   of its first and of its second unit. Pairs are taken `chunk` at a time. */
typedef struct {
    const unit_pair *unit;
    const size_t *start;
    const pair_slot *slot;
    size_t length, units, chunk;
} common_pairs;

/* A pair and its rank. */
typedef struct {
    int pair, rank;
} pair_rank;

/* A side: order[p] is the pair with the p-th rank, tied[p] says that it has the rank of the one
   before. Filled by sort_side(): the units of the pairs in this order; where the pairs of the rank
   of the p-th end; the rank of each pair, less the mean of all, in halves; the pairs of each chunk
   in the order of their ranks; for the units of each block the places of their pairs in the order
   of ranks, twice the place and 1 for the second unit of a pair; and by how much ties lower three
   times the sum of squares of the ranks. */
typedef struct {
    const int *order, *tied;
    unit_pair *unit;
    int *end, *rank;
    pair_rank *by_chunk;
    uint32_t *by_block;
    double ties;
} ranked_side;

/* The sides of a cell, and its row of the result. */
typedef struct {
    size_t x, y, row;
} side_cell;

/* Pairs of higher ranks count `more` in a lane. */
typedef struct {
    int rank;
    int16_t lane, more;
} count_step;

/* Units that are deleted at the same time, a lane each, from unit `base` on. Scratch: for each side
   the number of steps of its counts, the steps (2 * most_deletions()) and the ranks of what is
   deleted (most_deletions()); for each cell a sum a lane; for each side the counts of a chunk, a
   lane each. */
typedef struct {
    size_t base, *steps;
    count_step *step;
    double *gone, *sums;
    int16_t *counts;
} lane_block;

/* Products of pairs between two pauses. */
#define PAUSE_PAIRS 16777216.0

/* So many pairs before they are written, counts are asked for. */
#define WRITES_AHEAD 16

/* Counts of all sides that are multiplied while the cache has them. */
#define CACHED_COUNTS 131072

/* Below this share of the square of their mean, a variance of ranks is rounding. */
#define NO_RANK_VARIANCE 1e-12

static size_t end_of_ties(const int *tied, size_t start, size_t length)
{
    size_t end = start + 1;
    while (end < length && tied[end]) end++;
    return end;
}

/* Of pairs from p to `end`. */
static int centred_rank(size_t p, size_t end, size_t length)
{
    return (int) ((long long) (p + end) - (long long) length);
}

/* By how much t tied ranks lower three times the sum of squares. */
static double tie_term(double t)
{
    return t * t * t - t;
}

/* fill: scratch, a number for each chunk and for each block of units. */
static void sort_side(common_pairs all, ranked_side *side, size_t *fill)
{
    size_t *of_block = fill + (all.length + all.chunk - 1) / all.chunk;
    for (size_t k = 0, first = 0; first < all.length; k++, first += all.chunk) fill[k] = first;
    for (size_t base = 0; base < all.units; base += LANES) of_block[base / LANES] = all.start[base];
    side->ties = 0.0;
    for (size_t p = 0; p < all.length;) {
        const size_t end = end_of_ties(side->tied, p, all.length);
        const int rank = centred_rank(p, end, all.length);
        side->ties += tie_term((double) (end - p));
        for (; p < end; p++) {
            const int pair = side->order[p];
            const unit_pair of = all.unit[pair];
            side->unit[p] = of;
            side->end[p] = (int) end;
            side->rank[pair] = rank;
            side->by_chunk[fill[(size_t) pair / all.chunk]++] = (pair_rank) {pair, rank};
            side->by_block[of_block[of.a / LANES]++] = (uint32_t) (2 * p);
            if (of.b != of.a) side->by_block[of_block[of.b / LANES]++] = (uint32_t) (2 * p + 1);
        }
    }
}

/* ---- sums over all pairs */

/* Adds -sum of c s for each unit, where s are the ranks of y. */
static void subtract_cross_sums(common_pairs all, const ranked_side *x, const ranked_side *y,
                                double *result, size_t rows)
{
    double below = 0.0;
    for (size_t p = 0; p < all.length;) {
        const size_t end = end_of_ties(x->tied, p, all.length);
        double upto = below;
        for (size_t t = p; t < end; t++) upto += (double) y->rank[x->order[t]];
        const double both = end - p > 1 ? below + upto : 2.0 * upto;
        for (; p < end; p++) {
            const unit_pair of = x->unit[p];
            result[of.a * rows] += both;
            if (of.b != of.a) result[of.b * rows] += both;
        }
        below = upto;
    }
}

/* result: a row. */
static void sum_over_all(common_pairs all, const ranked_side *x, const ranked_side *y,
                         double *result, size_t rows)
{
    double products = 0.0;
    for (size_t k = 0; k < all.length; k++)
        products += (double) x->rank[k] * (double) y->rank[k];
    for (size_t u = 0; u <= all.units; u++) result[u * rows] = products;
    subtract_cross_sums(all, x, y, result + rows, rows);
    subtract_cross_sums(all, y, x, result + rows, rows);
}

/* ---- counts of some units */

/* The end of the units that are deleted together from `base` on. */
static size_t last_unit(common_pairs all, size_t base) { return least(base + LANES, all.units); }

/* The lane of the unit of a deleted pair, and where the pair stands among those of all lanes. */
typedef struct {
    int lane;
    size_t slot;
} deleted_pair;

/* place: as in ranked_side. */
static inline deleted_pair find_pair(common_pairs all, const ranked_side *side, uint32_t place,
                                     size_t base)
{
    const int pair = side->order[place / 2];
    const unit_pair of = side->unit[place / 2];
    const size_t first = all.start[base];
    if (place % 2) return (deleted_pair) {(int) (of.b - base), all.slot[pair].b - first};
    return (deleted_pair) {(int) (of.a - base), all.slot[pair].a - first};
}

/* What deleted pairs of one rank change, with which others are tied: the steps of the counts, and
   the ranks r - c of these pairs. Adds to `ties`. Returns the number of steps. */
static size_t add_tied(common_pairs all, const ranked_side *side, const uint32_t *place,
                       size_t pairs, size_t base, int counts[LANES], double ties[LANES],
                       count_step *step, double *gone)
{
    int times[LANES] = {0};
    const int rank = side->rank[side->order[place[0] / 2]];
    const double size = 2.0 * (double) side->end[place[0] / 2] - (double) rank -
        (double) all.length;
    for (size_t t = 0; t < pairs; t++) {
        const int l = find_pair(all, side, place[t], base).lane;
        step[t] = (count_step) {rank - 1, (int16_t) l, 1};
        step[pairs + t] = (count_step) {rank, (int16_t) l, 1};
        times[l]++;
    }
    for (size_t t = 0; t < pairs; t++) {
        const deleted_pair here = find_pair(all, side, place[t], base);
        gone[here.slot] = (double) (rank - counts[here.lane] - times[here.lane]);
    }
    for (int l = 0; l < LANES; l++) {
        if (!times[l]) continue;
        ties[l] += tie_term(size - times[l]) - tie_term(size);
        counts[l] += 2 * times[l];
    }
    return 2 * pairs;
}

/* The steps of the counts of a side, and what is left without the units: the variances of ranks.
   Returns the number of steps. Counts begin with all deleted pairs above. */
static size_t find_steps(common_pairs all, const ranked_side *side, size_t base, count_step *step,
                         double *gone, double *variances)
{
    int counts[LANES];
    double ties[LANES];
    size_t steps = 0;
    const size_t lanes = last_unit(all, base) - base;
    for (size_t l = 0; l < lanes; l++) {
        counts[l] = (int) all.start[base + l] - (int) all.start[base + l + 1];
        ties[l] = side->ties;
    }
    const uint32_t *place = side->by_block;
    const size_t last = all.start[base + lanes];
    for (size_t t = all.start[base]; t < last;) {
        const size_t p = place[t] / 2, end = (size_t) side->end[p];
        size_t next = t + 1;
        if (end == p + 1 && !side->tied[p]) {
            const deleted_pair here = find_pair(all, side, place[t], base);
            const int rank = centred_rank(p, end, all.length);
            step[steps++] = (count_step) {rank, (int16_t) here.lane, 2};
            gone[here.slot] = (double) (rank - counts[here.lane]);
            counts[here.lane] += 2;
        } else {
            while (next < last && place[next] / 2 < end) next++;
            steps += add_tied(all, side, place + t, next - t, base, counts, ties, step + steps,
                              gone);
        }
        t = next;
    }
    for (size_t l = 0; l < lanes; l++) {
        const size_t u = base + l;
        const double left = (double) (all.length - (all.start[u + 1] - all.start[u]));
        variances[u] = (tie_term(left) - ties[l]) / (3.0 * left);
    }
    return steps;
}

/* ---- products of counts */

/* sums: added to, one for each lane. Few enough pairs that 32 bits hold their products. Processors
   multiply two pairs of a lane and add them up in one step, which compilers do not find by
   themselves. */
static void multiply_counts(const int16_t *restrict c, const int16_t *restrict d, size_t pairs,
                            double *restrict sums)
{
    size_t k = 0;
    int32_t total[LANES] = {0};
#ifdef __SSE2__
    for (size_t first = 0; first < LANES; first += 8) {
        __m128i low = _mm_setzero_si128(), high = low, *to = (__m128i *) (void *) (total + first);
        for (k = 0; k + 1 < pairs; k += 2) {
            const __m128i *x = (const __m128i *) (const void *) (c + k * LANES + first);
            const __m128i *y = (const __m128i *) (const void *) (d + k * LANES + first);
            const __m128i x0 = _mm_loadu_si128(x), x1 = _mm_loadu_si128(x + LANES / 8);
            const __m128i y0 = _mm_loadu_si128(y), y1 = _mm_loadu_si128(y + LANES / 8);
            low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(x0, x1),
                                                    _mm_unpacklo_epi16(y0, y1)));
            high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(x0, x1),
                                                      _mm_unpackhi_epi16(y0, y1)));
        }
        _mm_storeu_si128(to, low);
        _mm_storeu_si128(to + 1, high);
    }
#endif
    for (; k < pairs; k++) {
        AT_ONCE
        for (int l = 0; l < LANES; l++)
            total[l] += (int32_t) c[k * LANES + l] * (int32_t) d[k * LANES + l];
    }
    AT_ONCE
    for (int l = 0; l < LANES; l++) sums[l] += (double) total[l];
}

/* ---- all cells */

/* `most`: most_deletions(). `step`: so few pairs that the cache holds the counts of all sides, and
   32 bits their products. ones: 1 in a lane of its own. */
typedef struct {
    common_pairs all;
    const ranked_side *sides;
    const side_cell *cells;
    size_t count, cell_count, rows, most, step;
    int16_t ones[LANES][LANES];
} deletion_job;

/* Writes the counts of all lanes for the pairs of a chunk, and adds their products to the sums. */
static void add_chunk(const deletion_job *job, lane_block *z, size_t first)
{
    const common_pairs all = job->all;
    const size_t last = least(first + all.chunk, all.length);
    int16_t start[LANES] = {0};
    for (size_t u = z->base; u < last_unit(all, z->base); u++)
        start[u - z->base] = (int16_t) -(int) (all.start[u + 1] - all.start[u]);
    for (size_t s = 0; s < job->count; s++) {
        const pair_rank *by_chunk = job->sides[s].by_chunk;
        const count_step *step = z->step + 2 * s * job->most;
        int16_t now[LANES], *counts = z->counts + s * all.chunk * LANES;
        memcpy(now, start, sizeof now);
        size_t at = 0;
        for (size_t k = first; k < last; k++) {
            if (k + WRITES_AHEAD < last)
                FETCH(counts + ((size_t) by_chunk[k + WRITES_AHEAD].pair - first) * LANES);
            const pair_rank here = by_chunk[k];
            for (; at < z->steps[s] && step[at].rank < here.rank; at++) {
                const int16_t more = step[at].more, *one = job->ones[step[at].lane];
                AT_ONCE
                for (int l = 0; l < LANES; l++) now[l] = (int16_t) (now[l] + more * one[l]);
            }
            memcpy(counts + ((size_t) here.pair - first) * LANES, now, sizeof now);
        }
    }
    for (size_t k = 0; k < last - first; k += job->step) {
        const size_t pairs = least(last - first - k, job->step);
        for (size_t i = 0; i < job->cell_count; i++) {
            const int16_t *c = z->counts + (job->cells[i].x * all.chunk + k) * LANES;
            const int16_t *d = z->counts + (job->cells[i].y * all.chunk + k) * LANES;
            multiply_counts(c, d, pairs, z->sums + i * LANES);
        }
    }
}

/* Adds the sums of c d, without the terms of deleted pairs, to result. */
static void end_block(const deletion_job *job, const lane_block *z, double *result)
{
    const common_pairs all = job->all;
    for (size_t u = z->base; u < last_unit(all, z->base); u++) {
        const size_t first = all.start[u] - all.start[z->base];
        const size_t pairs = all.start[u + 1] - all.start[u];
        for (size_t i = 0; i < job->cell_count; i++) {
            const double *x = z->gone + job->cells[i].x * job->most + first;
            const double *y = z->gone + job->cells[i].y * job->most + first;
            double gone = 0.0;
            SUM_AT_ONCE(gone)
            for (size_t k = 0; k < pairs; k++) gone += x[k] * y[k];
            result[job->cells[i].row + (u + 1) * job->rows] +=
                z->sums[i * LANES + u - z->base] - gone;
        }
    }
}

/* The most pairs of units that are deleted at the same time, `units` together. */
static size_t most_deletions(common_pairs all, size_t units)
{
    size_t largest = 1;
    for (size_t base = 0; base < all.units; base += units)
        largest = most(largest, all.start[least(base + units, all.units)] - all.start[base]);
    return largest;
}

/* blocks: scratch for each thread. variances: sides x (units + 1), scratch. result: for each cell
   (its row of `rows`) the correlation of all pairs, and those without the pairs of each unit; NaN
   where a side has one rank only. */
static void rank_deletions(const deletion_job *job, lane_block *blocks, double *variances,
                           double *result, worker by)
{
    const common_pairs all = job->all;
    const side_cell *cells = job->cells;
    const size_t cell_count = job->cell_count, rows = job->rows, numbers = all.units + 1;
    const double length = (double) all.length;
    for (size_t s = 0; s < job->count; s++)
        variances[s * numbers] = (tie_term(length) - job->sides[s].ties) / (3.0 * length);
    const size_t at_once = items_at_once(PAUSE_PAIRS, 3.0 * length, by.threads);
    for (size_t first = 0; first < cell_count; first += at_once) {
        const size_t last = group_end(first, at_once, cell_count);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++)
            sum_over_all(all, &job->sides[cells[i].x], &job->sides[cells[i].y],
                         result + cells[i].row, rows);
        by.pause();
    }
    for (size_t first = 0; first < all.units; first += (size_t) by.threads * LANES) {
        const size_t left = (all.units - first + LANES - 1) / LANES;
        const size_t count = least(left, (size_t) by.threads);
        PARALLEL_FOR(by.threads)
        for (size_t t = 0; t < count; t++) {
            lane_block *z = &blocks[t];
            z->base = first + t * LANES;
            memset(z->sums, 0, cell_count * LANES * sizeof(double));
            for (size_t s = 0; s < job->count; s++)
                z->steps[s] = find_steps(all, &job->sides[s], z->base, z->step + 2 * s * job->most,
                                         z->gone + s * job->most, variances + s * numbers + 1);
        }
        for (size_t at = 0; at < all.length; at += all.chunk) {
            PARALLEL_FOR(by.threads)
            for (size_t t = 0; t < count; t++) add_chunk(job, &blocks[t], at);
            by.pause();
        }
        PARALLEL_FOR(by.threads)
        for (size_t t = 0; t < count; t++) end_block(job, &blocks[t], result);
    }
    for (size_t u = 0; u < numbers; u++) {
        const double left = (double) (all.length - (u ? all.start[u] - all.start[u - 1] : 0));
        const double rounding = NO_RANK_VARIANCE * left * left;
        for (size_t i = 0; i < cell_count; i++) {
            const double x = variances[cells[i].x * numbers + u];
            const double y = variances[cells[i].y * numbers + u];
            double *r = result + cells[i].row + u * rows;
            *r = x > rounding && y > rounding ? *r / left / sqrt(x) / sqrt(y) : NAN;
        }
    }
}

/* So many counts take the room of a number. */
#define COUNTS_OF_NUMBER (sizeof(double) / sizeof(int16_t))

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
                                all.units / LANES + 1);
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

static lane_block *new_blocks(const deletion_job *job, int threads)
{
    lane_block *blocks = (lane_block *) R_alloc((size_t) threads, sizeof(lane_block));
    const size_t sides = job->count;
    for (int t = 0; t < threads; t++) {
        blocks[t] = (lane_block) {
            .steps = size_scratch(sides), .gone = scratch(sides * job->most),
            .step = (count_step *) R_alloc(2 * sides * job->most, sizeof(count_step)),
            .sums = scratch(job->cell_count * LANES),
            .counts = (int16_t *) R_alloc(sides * job->all.chunk, LANES * sizeof(int16_t))};
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
    const size_t length = (size_t) XLENGTH(read_element(ARG(pairs), "first"));
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    const size_t deleted = read_count(ARG(units), 1, MOST_DELETED_UNITS);
    const size_t of_x = count_elements(ARG(x)), of_y = Rf_isNull(y) ? 0 : count_elements(ARG(y));
    const size_t sides = of_x + of_y, rows = of_x * (of_y ? of_y : of_x);
    /* Pairs in the order of the first side: sides that are much alike are then read nearly in a
       row. */
    const int *order = read_order(VECTOR_ELT(x, 0), "x", length);
    int *place = int_scratch(length);
    for (size_t k = 0; k < length; k++) place[order[k] - 1] = (int) k;
    common_pairs all = read_pairs(pairs, place, length, unit, deleted);
    const double chunk = read_number(ARG(room)) * COUNTS_OF_NUMBER / LANES / (double) sides;
    all.chunk = chunk < 1.0 ? 1 : chunk < (double) length ? (size_t) chunk : length;
    ranked_side *all_sides = (ranked_side *) R_alloc(sides, sizeof(ranked_side));
    read_sides(ARG(x), place, all, of_x, all_sides);
    if (of_y) read_sides(ARG(y), place, all, of_y, all_sides + of_x);
    /* x by y; without y those of x by x with the first side up to the second */
    side_cell *cells = (side_cell *) R_alloc(rows, sizeof(side_cell));
    size_t count = 0;
    for (size_t j = 0; j < (of_y ? of_y : of_x); j++)
        for (size_t i = 0; i < of_x && (of_y || i <= j); i++)
            cells[count++] = (side_cell) {i, of_y ? of_x + j : j, i + j * of_x};
    const size_t of_unit = most_deletions(all, 1);
    const size_t exact = INT32_MAX / (of_unit * of_unit), cached = CACHED_COUNTS / LANES / sides;
    deletion_job job = {all, all_sides, cells, sides, count, rows, most_deletions(all, LANES),
                        most(1, least(cached, exact)), {{0}}};
    for (int l = 0; l < LANES; l++) job.ones[l][l] = 1;
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(rows, deleted + 1));
    for (size_t k = 0; k < rows * (deleted + 1); k++) REAL(result)[k] = R_NaN;
    rank_deletions(&job, new_blocks(&job, by.threads), scratch(sides * (deleted + 1)),
                   REAL(result), by);
    UNPROTECT(1);
    return result;
}
