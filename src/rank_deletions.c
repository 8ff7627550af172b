/* Spearman correlations without each unit of stimuli: see rank_deletions.h.

   Let r and s be the ranks of a pair on both sides among all N pairs, and c and d how many of the
   deleted pairs stand below it (half of those that are tied with it). Without them the ranks are
   r - c and s - d, and with sums over all pairs

       sum (r - c)(s - d) = sum r s - sum c s - sum r d + sum c d

   of which the terms of the deleted pairs are subtracted. In the order of x, c changes at deleted
   pairs only: between two of them sums of s are differences of running sums, and all that is left
   to do for each pair is to add its d to a sum. This is done for several units at once; d is
   written in the order of x by a pass over y. Everything is counted in halves (ranks 1, 3, 5, ...),
   so that ties need no fractions. */

#include "rank_deletions.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "wide.h"

/* Pairs between two pauses. */
#define PAUSE_PAIRS 67108864.0

/* After so many pairs sums of 16-bit counts in 32 bits are moved on. */
#define PAIRS_OF_SUM 32768

/* So many pairs before they are written, counts are asked for. */
#define WRITES_AHEAD 16

/* Below this share of the square of their mean, a variance of ranks is rounding. */
#define NO_RANK_VARIANCE 1e-12

#define LANES DELETED_AT_ONCE

typedef unsigned short count_t;

/* What all units have in common: `running_y` are running sums of the ranks of y in the order of x,
   `running_x` of those of x in the order of y, and `products` is the sum of r s. Those of a side in
   its own order are squares: 1 + 3 + ... of k ranks is k^2, and ties do not change it. `squares_x`
   and `squares_y` are the sums of r^2 and s^2. */
typedef struct {
    ordered_pairs x, y;
    const int *place, *unit;
    const double *running_x, *running_y;
    double products, squares_x, squares_y;
    size_t length;
} all_pairs;

/* The sums of one deletion on one side: of its counts with themselves, with the ranks of this side,
   with those of the other and with the counts of the other. `first`: where the stretch of pairs
   began, in which the counts are the same. */
typedef struct {
    double squares, own_ranks, other_ranks, counts, first;
} lane_sums;

/* The lanes that delete any of some pairs, and how many each of them; 0 in all other lanes. */
typedef struct {
    int found;
    unsigned lanes[LANES];
    count_t times[LANES];
} lane_set;

/* The same sums over the deleted pairs, and their number. */
typedef struct {
    double products, squares_x, squares_y, pairs;
} deleted_sums;

static size_t end_of_ties(ordered_pairs p, size_t start, size_t length)
{
    size_t end = start + 1;
    while (end < length && p.tied[end]) end++;
    return end;
}

/* A stretch of equal counts ends before pair `end`. running: the sums of ranks of the other side;
   others: the sum of its counts over the stretch, or NULL. */
static void close_stretch(lane_sums *s, double count, size_t end, const double *running,
                          uint32_t *others)
{
    const size_t start = (size_t) s->first;
    const double from = s->first, to = (double) end;
    s->squares += count * count * (to - from);
    s->own_ranks += count * (to * to - from * from);
    s->other_ranks += count * (running[end] - running[start]);
    if (others) {
        s->counts += count * (double) *others;
        *others = 0;
    }
    s->first = to;
}

/* Which of the units from `base` on is the k-th pair of? Up to two lanes; how many. */
static int lanes_of(ordered_pairs p, const int *unit, size_t k, int base, unsigned lanes[2])
{
    const unsigned a = (unsigned) (unit[p.first[k]] - base);
    const unsigned b = (unsigned) (unit[p.second[k]] - base);
    int found = 0;
    if (a < LANES) lanes[found++] = a;
    if (b < LANES && b != a) lanes[found++] = b;
    return found;
}

/* Is the k-th pair neither tied nor deleted? Nearly all of them are. */
static inline int is_plain(ordered_pairs p, const int *unit, size_t k, size_t length, int base)
{
    const unsigned a = (unsigned) (unit[p.first[k]] - base);
    const unsigned b = (unsigned) (unit[p.second[k]] - base);
    return (a >= LANES) & (b >= LANES) & !(k + 1 < length && p.tied[k + 1]);
}

/* Adds the lanes that delete pairs from `start` to `end` to `here`, which is empty. */
static void find_deleted(ordered_pairs p, const int *unit, size_t start, size_t end, int base,
                         lane_set *here)
{
    for (size_t k = start; k < end; k++) {
        unsigned lanes[2];
        const int found = lanes_of(p, unit, k, base, lanes);
        for (int t = 0; t < found; t++)
            if (!here->times[lanes[t]]++) here->lanes[here->found++] = lanes[t];
    }
}

static void empty_lanes(lane_set *here)
{
    for (int t = 0; t < here->found; t++) here->times[here->lanes[t]] = 0;
    here->found = 0;
}

/* From pair `at` on the counts are higher by those of `here`. Ties with a deleted pair have half of
   it, which is why this is called before and after them. */
static void raise_counts(lane_sums sums[LANES], count_t now[LANES], const lane_set *here,
                         size_t at, const double *running, uint32_t *others)
{
    for (int t = 0; t < here->found; t++) {
        const unsigned l = here->lanes[t];
        close_stretch(&sums[l], now[l], at, running, others ? &others[l] : NULL);
        now[l] = (count_t) (now[l] + here->times[l]);
    }
}

/* Writes the counts of the k-th pair of y to its place in the order of x, which is anywhere: the
   place of a later pair is asked for at the same time. */
static inline void write_counts(const all_pairs *all, size_t k, const count_t now[LANES],
                                count_t *counts)
{
    if (k + WRITES_AHEAD < all->length)
        FETCH(counts + (size_t) all->place[k + WRITES_AHEAD] * LANES);
    memcpy(counts + (size_t) all->place[k] * LANES, now, LANES * sizeof *now);
}

/* The pass over y: the counts d of each pair, in the order of x, and their sums. */
static void count_below(const all_pairs *all, int base, count_t *counts, lane_sums sums[LANES])
{
    count_t now[LANES] = {0};
    lane_set here = {0};
    memset(sums, 0, LANES * sizeof *sums);
    const size_t length = all->length;
    for (size_t k = 0; k < length;) {
        for (; k < length && is_plain(all->y, all->unit, k, length, base); k++)
            write_counts(all, k, now, counts);
        if (k == length) break;
        const size_t start = k, end = end_of_ties(all->y, k, length);
        find_deleted(all->y, all->unit, start, end, base, &here);
        raise_counts(sums, now, &here, start, all->running_x, NULL);
        for (; k < end; k++) write_counts(all, k, now, counts);
        raise_counts(sums, now, &here, end, all->running_x, NULL);
        empty_lanes(&here);
    }
    for (int l = 0; l < LANES; l++)
        close_stretch(&sums[l], now[l], length, all->running_x, NULL);
}

static inline void add_counts(uint32_t *restrict others, const count_t *restrict counts)
{
    for (int l = 0; l < LANES; l++) others[l] += counts[l];
}

static void move_on(lane_sums sums[LANES], const count_t now[LANES], uint32_t others[LANES],
                    size_t *since)
{
    for (int l = 0; l < LANES; l++) {
        sums[l].counts += (double) now[l] * others[l];
        others[l] = 0;
    }
    *since = 0;
}

/* The terms of the deleted pairs from `start` to `end`, which have the same rank of x. */
static void add_deleted(const all_pairs *all, size_t start, size_t end, int base,
                        const count_t now[LANES], const count_t *counts, deleted_sums gone[LANES])
{
    for (size_t k = start; k < end; k++) {
        unsigned lanes[2];
        const int found = lanes_of(all->x, all->unit, k, base, lanes);
        for (int t = 0; t < found; t++) {
            deleted_sums *g = &gone[lanes[t]];
            const double r = (double) (start + end) - now[lanes[t]];
            const double s = all->running_y[k + 1] - all->running_y[k] -
                counts[k * LANES + lanes[t]];
            g->products += r * s;
            g->squares_x += r * r;
            g->squares_y += s * s;
            g->pairs += 1.0;
        }
    }
}

/* The pass over x. */
static void sum_products(const all_pairs *all, int base, const count_t *counts,
                         lane_sums sums[LANES], deleted_sums gone[LANES])
{
    count_t now[LANES] = {0};
    lane_set here = {0};
    uint32_t others[LANES] = {0};
    size_t since = 0;
    memset(sums, 0, LANES * sizeof *sums);
    memset(gone, 0, LANES * sizeof *gone);
    const size_t length = all->length;
    for (size_t k = 0; k < length;) {
        for (; k < length && is_plain(all->x, all->unit, k, length, base); k++) {
            add_counts(others, counts + k * LANES);
            if (++since == PAIRS_OF_SUM) move_on(sums, now, others, &since);
        }
        if (k == length) break;
        const size_t start = k, end = end_of_ties(all->x, k, length);
        find_deleted(all->x, all->unit, start, end, base, &here);
        raise_counts(sums, now, &here, start, all->running_y, others);
        for (; k < end; k++) {
            add_counts(others, counts + k * LANES);
            if (++since == PAIRS_OF_SUM) move_on(sums, now, others, &since);
        }
        if (!here.found) continue;
        add_deleted(all, start, end, base, now, counts, gone);
        raise_counts(sums, now, &here, end, all->running_y, others);
        empty_lanes(&here);
    }
    for (int l = 0; l < LANES; l++)
        close_stretch(&sums[l], now[l], length, all->running_y, &others[l]);
}

/* The mean of ranks in halves is the number of pairs. */
static double correlation_of_sums(double products, double squares_x, double squares_y,
                                  double pairs)
{
    const double mean_square = pairs * pairs, least = NO_RANK_VARIANCE * mean_square;
    const double var_x = squares_x / pairs - mean_square;
    const double var_y = squares_y / pairs - mean_square;
    if (!(var_x > least) || !(var_y > least)) return NAN;
    return (products / pairs - mean_square) / sqrt(var_x) / sqrt(var_y);
}

static void delete_units(const all_pairs *all, int base, int units, count_t *counts,
                         double *result)
{
    lane_sums x[LANES], y[LANES];
    deleted_sums gone[LANES];
    count_below(all, base, counts, y);
    sum_products(all, base, counts, x, gone);
    for (int l = 0; l < LANES && base + l < units; l++) {
        const double products = all->products - x[l].other_ranks - y[l].other_ranks + x[l].counts;
        const double squares_x = all->squares_x - 2.0 * x[l].own_ranks + x[l].squares;
        const double squares_y = all->squares_y - 2.0 * y[l].own_ranks + y[l].squares;
        result[l] = correlation_of_sums(products - gone[l].products,
                                        squares_x - gone[l].squares_x,
                                        squares_y - gone[l].squares_y,
                                        (double) all->length - gone[l].pairs);
    }
}

/* ranks: scratch, as long as there are pairs. */
static void prepare_sums(all_pairs *all, double *running_x, double *running_y, double *ranks)
{
    const size_t length = all->length;
    all->squares_x = all->squares_y = all->products = 0.0;
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(all->y, k, length);
        const double rank = (double) (k + end);
        all->squares_y += rank * rank * (double) (end - k);
        for (; k < end; k++) ranks[all->place[k]] = rank;
    }
    running_y[0] = 0.0;
    for (size_t k = 0; k < length; k++) running_y[k + 1] = running_y[k] + ranks[k];
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(all->x, k, length);
        const double rank = (double) (k + end);
        all->squares_x += rank * rank * (double) (end - k);
        for (; k < end; k++) {
            all->products += rank * ranks[k];
            ranks[k] = rank;
        }
    }
    running_x[0] = 0.0;
    for (size_t k = 0; k < length; k++)
        running_x[k + 1] = running_x[k] + ranks[all->place[k]];
    all->running_x = running_x;
    all->running_y = running_y;
}

void rank_deletions(ordered_pairs x, ordered_pairs y, const int *place, size_t length,
                    const int *unit, size_t units, unsigned short *counts, double *sums,
                    double *result, worker by)
{
    all_pairs all = {.x = x, .y = y, .place = place, .unit = unit, .length = length};
    prepare_sums(&all, sums, sums + length + 1, sums + 2 * (length + 1));
    result[0] = correlation_of_sums(all.products, all.squares_x, all.squares_y, (double) length);
    const size_t blocks = (units + LANES - 1) / LANES;
    const size_t at_once = items_at_once(PAUSE_PAIRS, 8.0 * (double) length, by.threads);
    for (size_t first = 0; first < blocks; first += at_once) {
        const size_t last = group_end(first, at_once, blocks);
        PARALLEL_FOR(by.threads)
        for (size_t b = first; b < last; b++) {
            delete_units(&all, (int) (b * LANES), (int) units,
                         counts + thread_number() * length * LANES, result + 1 + b * LANES);
        }
        by.pause();
    }
}
