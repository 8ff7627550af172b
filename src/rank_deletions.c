/* Spearman correlations without each unit of stimuli, of all pairs of lists: see rank_deletions.h.

   Let r and s be the ranks of a pair on both sides among all N pairs, in halves (so that ties need
   no fractions) and less their mean: r is the sum of sign(r - r_j) over all pairs j. Let c and d be
   the same sums over the pairs j of a unit, which is deleted. The ranks without it are r - c and
   s - d, whose mean is 0, too, and with sums over all pairs

       sum (r - c)(s - d) = sum r s - sum c s - sum r d + sum c d

   of which the terms of the deleted pairs are subtracted. (Those cancel whatever c is for them: a
   pair without ties counts as below itself, so that c changes once for it.) The sum of c s is, over
   the deleted pairs j, the sum of s over the pairs above j less that over those below: differences
   of running sums in the order of x. What is left is the sum of c d. The counts c of several units
   are written in an order of pairs that all sides have in common, a chunk of pairs at a time, and
   multiplied for all cells. */

#include "rank_deletions.h"

#include <math.h>
#include <string.h>

#include "wide.h"

#if HAS_WIDE
#include <immintrin.h>
#endif

#define LANES DELETED_AT_ONCE

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

void sort_side(common_pairs all, ranked_side *side, size_t *fill)
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
static size_t last_unit(common_pairs all, size_t base)
{
    return base + LANES < all.units ? base + LANES : all.units;
}

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

/* Writes the counts of all lanes for the pairs of a chunk. ones: 1 in a lane of its own. */
INLINE_BODY void write_counts_body(const ranked_side *side, size_t first, size_t last,
                                   const count_step *step, size_t steps, const int16_t *start,
                                   const int16_t ones[LANES][LANES], int16_t *counts)
{
    int16_t now[LANES];
    memcpy(now, start, sizeof now);
    size_t at = 0;
    for (size_t k = first; k < last; k++) {
        if (k + WRITES_AHEAD < last)
            FETCH(counts + ((size_t) side->by_chunk[k + WRITES_AHEAD].pair - first) * LANES);
        const pair_rank here = side->by_chunk[k];
        for (; at < steps && step[at].rank < here.rank; at++) {
            const int16_t more = step[at].more, *one = ones[step[at].lane];
            AT_ONCE
            for (int l = 0; l < LANES; l++) now[l] = (int16_t) (now[l] + more * one[l]);
        }
        memcpy(counts + ((size_t) here.pair - first) * LANES, now, sizeof now);
    }
}

static void write_counts_plain(const ranked_side *side, size_t first, size_t last,
                               const count_step *step, size_t steps, const int16_t *start,
                               const int16_t ones[LANES][LANES], int16_t *counts)
{
    write_counts_body(side, first, last, step, steps, start, ones, counts);
}

WIDE static void write_counts_wide(const ranked_side *side, size_t first, size_t last,
                                   const count_step *step, size_t steps, const int16_t *start,
                                   const int16_t ones[LANES][LANES], int16_t *counts)
{
    write_counts_body(side, first, last, step, steps, start, ones, counts);
}

/* ---- products of counts */

/* sums: added to, one for each lane. Few enough pairs that 32 bits hold their products. */
static void multiply_counts(const int16_t *restrict c, const int16_t *restrict d, size_t pairs,
                            double *restrict sums)
{
    int32_t total[LANES] = {0};
    for (size_t k = 0; k < pairs; k++) {
        AT_ONCE
        for (int l = 0; l < LANES; l++)
            total[l] += (int32_t) c[k * LANES + l] * (int32_t) d[k * LANES + l];
    }
    AT_ONCE
    for (int l = 0; l < LANES; l++) sums[l] += (double) total[l];
}

/* The same: processors multiply two pairs of a lane and add them up in one step, which compilers do
   not find by themselves. */
#if HAS_WIDE
WIDE static void multiply_counts_wide(const int16_t *c, const int16_t *d, size_t pairs,
                                      double *sums)
{
    for (size_t first = 0; first < LANES; first += 16) {
        __m256i low = _mm256_setzero_si256(), high = low;
        for (size_t k = 0; k + 1 < pairs; k += 2) {
            const __m256i *x = (const __m256i *) (const void *) (c + k * LANES + first);
            const __m256i *y = (const __m256i *) (const void *) (d + k * LANES + first);
            const __m256i x0 = _mm256_loadu_si256(x), x1 = _mm256_loadu_si256(x + LANES / 16);
            const __m256i y0 = _mm256_loadu_si256(y), y1 = _mm256_loadu_si256(y + LANES / 16);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(x0, x1),
                                                          _mm256_unpacklo_epi16(y0, y1)));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(x0, x1),
                                                            _mm256_unpackhi_epi16(y0, y1)));
        }
        /* each half of a vector was unpacked by itself */
        int32_t total[16];
        __m256i *to = (__m256i *) (void *) total;
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
        for (size_t l = 0; l < 16; l++) sums[first + l] += (double) total[l];
    }
    if (pairs % 2) multiply_counts(c + (pairs - 1) * LANES, d + (pairs - 1) * LANES, 1, sums);
}
#else
#define multiply_counts_wide multiply_counts
#endif

/* ---- all cells */

typedef struct {
    common_pairs all;
    const ranked_side *sides;
    const side_cell *cells;
    size_t count, cell_count, rows, most, step;
    int16_t ones[LANES][LANES];
} deletion_job;

static void begin_block(const deletion_job *job, lane_block *z, double *variances)
{
    memset(z->sums, 0, job->cell_count * LANES * sizeof(double));
    for (size_t s = 0; s < job->count; s++)
        z->steps[s] = find_steps(job->all, &job->sides[s], z->base, z->step + 2 * s * job->most,
                                 z->gone + s * job->most,
                                 variances + s * (job->all.units + 1) + 1);
}

static void add_chunk(const deletion_job *job, lane_block *z, size_t first)
{
    const common_pairs all = job->all;
    const size_t last = first + all.chunk < all.length ? first + all.chunk : all.length;
    int16_t start[LANES] = {0};
    for (size_t u = z->base; u < last_unit(all, z->base); u++)
        start[u - z->base] = (int16_t) -(int) (all.start[u + 1] - all.start[u]);
    for (size_t s = 0; s < job->count; s++) {
        (wide_vectors() ? write_counts_wide : write_counts_plain)(
            &job->sides[s], first, last, z->step + 2 * s * job->most, z->steps[s], start,
            job->ones, z->counts + s * all.chunk * LANES);
    }
    for (size_t k = 0; k < last - first; k += job->step) {
        const size_t pairs = last - first - k < job->step ? last - first - k : job->step;
        for (size_t i = 0; i < job->cell_count; i++) {
            const int16_t *c = z->counts + (job->cells[i].x * all.chunk + k) * LANES;
            const int16_t *d = z->counts + (job->cells[i].y * all.chunk + k) * LANES;
            (wide_vectors() ? multiply_counts_wide : multiply_counts)(c, d, pairs,
                                                                      z->sums + i * LANES);
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

/* Correlations of the sums of products of ranks. */
static void divide_sums(const deletion_job *job, const double *variances, double *result)
{
    const common_pairs all = job->all;
    for (size_t u = 0; u <= all.units; u++) {
        const size_t deleted = u ? all.start[u] - all.start[u - 1] : 0;
        const double left = (double) (all.length - deleted);
        const double least = NO_RANK_VARIANCE * left * left;
        for (size_t i = 0; i < job->cell_count; i++) {
            const double x = variances[job->cells[i].x * (all.units + 1) + u];
            const double y = variances[job->cells[i].y * (all.units + 1) + u];
            double *r = result + job->cells[i].row + u * job->rows;
            *r = x > least && y > least ? *r / left / sqrt(x) / sqrt(y) : NAN;
        }
    }
}

/* So few pairs that the cache holds the counts of all sides, and 32 bits their products. */
static size_t pairs_of_step(common_pairs all, size_t sides)
{
    size_t most = 1;
    for (size_t u = 0; u < all.units; u++)
        if (all.start[u + 1] - all.start[u] > most) most = all.start[u + 1] - all.start[u];
    const size_t exact = INT32_MAX / (most * most), cached = CACHED_COUNTS / LANES / sides;
    const size_t step = cached < exact ? cached : exact;
    return step < 1 ? 1 : step;
}

size_t most_deletions(common_pairs all)
{
    size_t most = 1;
    for (size_t base = 0; base < all.units; base += LANES) {
        const size_t pairs = all.start[last_unit(all, base)] - all.start[base];
        if (pairs > most) most = pairs;
    }
    return most;
}

/* A block for each thread; b: the number of the first. */
static void delete_blocks(const deletion_job *job, size_t b, lane_block *blocks, double *variances,
                          double *result, worker by)
{
    const size_t left = (job->all.units + LANES - 1) / LANES - b;
    const size_t count = left < (size_t) by.threads ? left : (size_t) by.threads;
    PARALLEL_FOR(by.threads)
    for (size_t t = 0; t < count; t++) {
        blocks[t].base = (b + t) * LANES;
        begin_block(job, &blocks[t], variances);
    }
    for (size_t at = 0; at < job->all.length; at += job->all.chunk) {
        PARALLEL_FOR(by.threads)
        for (size_t t = 0; t < count; t++) add_chunk(job, &blocks[t], at);
        by.pause();
    }
    PARALLEL_FOR(by.threads)
    for (size_t t = 0; t < count; t++) end_block(job, &blocks[t], result);
}

void rank_deletions(common_pairs all, const ranked_side *sides, size_t count,
                    const side_cell *cells, size_t cell_count, lane_block *blocks,
                    double *variances, double *result, size_t rows, worker by)
{
    deletion_job job = {.all = all, .sides = sides, .cells = cells, .count = count,
                        .cell_count = cell_count, .rows = rows, .most = most_deletions(all),
                        .step = pairs_of_step(all, count)};
    for (int l = 0; l < LANES; l++) job.ones[l][l] = 1;
    const double left = (double) all.length;
    for (size_t s = 0; s < count; s++)
        variances[s * (all.units + 1)] = (tie_term(left) - sides[s].ties) / (3.0 * left);
    const size_t at_once = items_at_once(PAUSE_PAIRS, 3.0 * left, by.threads);
    for (size_t first = 0; first < cell_count; first += at_once) {
        const size_t last = group_end(first, at_once, cell_count);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++)
            sum_over_all(all, &sides[cells[i].x], &sides[cells[i].y], result + cells[i].row, rows);
        by.pause();
    }
    for (size_t b = 0; b * LANES < all.units; b += (size_t) by.threads)
        delete_blocks(&job, b, blocks, variances, result, by);
    divide_sums(&job, variances, result);
}
