/* Similarities of ranked RDMs with weights of stimuli: see draw_ranks.h.

   A pair counts as the product of its weights. Its rank, less the mean of all, is the weight of all
   pairs below it plus half of that of its ties, less half of the whole weight: half a whole number.
   Sums of ranks are exact, so that ties of pooled RDMs are found. */

#include "draw_ranks.h"

#include <math.h>
#include <string.h>

/* Pairs that are ranked between two pauses. */
#define PAUSE_PAIRS 16777216.0

/* The pairs of a draw: weight of each of them, and of all. */
typedef struct {
    size_t length;
    double *weight, total;
} drawn_pairs;

/* places: where a pair stands among those of the draw, or -1. */
static drawn_pairs find_pairs(ranked_rdms r, const double *w, double *weight, int *places)
{
    drawn_pairs p = {0, weight, 0.0};
    for (size_t k = 0; k < r.length; k++) {
        const double product = w[r.first[k]] * w[r.second[k]];
        places[k] = -1;
        if (product == 0.0) continue;
        places[k] = (int) p.length;
        weight[p.length++] = product;
        p.total += product;
    }
    return p;
}

/* The ranks of an RDM, from its order. */
static void rank_column(ranked_rdms r, size_t column, drawn_pairs p, const int *places,
                        double *ranks)
{
    const int *order = r.order + column * r.length, *tied = r.tied + column * r.length;
    double below = 0.0;
    for (size_t k = 0; k < r.length;) {
        size_t end = k;
        double weight = 0.0;
        do {
            if (places[order[end]] >= 0) weight += p.weight[places[order[end]]];
            end++;
        } while (end < r.length && tied[end]);
        for (; k < end; k++)
            if (places[order[k]] >= 0) ranks[places[order[k]]] = below + 0.5 * (weight - p.total);
        below += weight;
    }
}

/* Pools are short: the loop over draws pauses. */
static void no_pause(void) {}

/* The ranks of pooled ranks, in their place. most: no pooled rank is larger in size. */
static void rank_pool(drawn_pairs p, double most, double *pool, rank_scratch z)
{
    sort_cell *cells = z.cells, *other = z.cells + p.length;
    for (size_t k = 0; k < p.length; k++)
        cells[k] = ((sort_cell) (2.0 * (pool[k] + most)) << 32) | (sort_cell) k;
    const worker alone = {1, no_pause};
    for (int shift = 32; shift < 64 && ldexp(1.0, shift - 32) <= 4.0 * most;
         shift += digit_bits(p.length)) {
        radix_pass(cells, other, p.length, shift, z.counts, alone);
        sort_cell *swap = cells;
        cells = other;
        other = swap;
    }
    double below = 0.0;
    for (size_t k = 0; k < p.length;) {
        size_t end = k;
        double weight = 0.0;
        do {
            weight += p.weight[cells[end] & LOWER_HALF];
            end++;
        } while (end < p.length && cells[end] >> 32 == cells[k] >> 32);
        for (; k < end; k++) pool[cells[k] & LOWER_HALF] = below + 0.5 * (weight - p.total);
        below += weight;
    }
}

static double weighted_product(drawn_pairs p, const double *a, const double *b)
{
    double sum = 0.0;
    OPENMP(simd reduction(+ : sum))
    for (size_t k = 0; k < p.length; k++) sum += p.weight[k] * a[k] * b[k];
    return sum;
}

static double rank_similarity(ranked_rdms r, drawn_pairs p, const double *a, double own_a,
                              const double *b, double own_b)
{
    if (!(own_a > 0.0) || !(own_b > 0.0)) return NAN;
    const double product = weighted_product(p, a, b);
    if (r.rho) return 12.0 * product / (p.total * p.total * p.total - p.total);
    return product / sqrt(own_a) / sqrt(own_b);
}

static void add_ranks(double *pool, const double *ranks, double weight, size_t length)
{
    OPENMP(simd)
    for (size_t k = 0; k < length; k++) pool[k] += weight * ranks[k];
}

/* Weights of all RDMs whose group is not `left`. */
static double kept_weight(ranked_rdms r, const double *weight, size_t left)
{
    double sum = 0.0;
    for (size_t i = 0; i < r.data; i++)
        if ((size_t) r.group[i] != left) sum += weight[i];
    return sum;
}

/* One draw whose ranks stand in `ranks` (a column each), their sizes in own. */
typedef struct {
    drawn_pairs pairs;
    const double *ranks, *own, *test;
} ranked_draw;

/* Similarities of the tested RDMs of group `only` (or of all: r.groups) with the pool of the RDMs
   that are not of group `left` (or of all). pool: their sum on entry. */
static void against_pool(ranked_rdms r, ranked_draw d, size_t only, double weight, double *pool,
                         rank_scratch z, double *result)
{
    const size_t length = d.pairs.length;
    double own = 0.0;
    if (weight > 0.0) {
        rank_pool(d.pairs, 0.5 * weight * d.pairs.total, pool, z);
        own = weighted_product(d.pairs, pool, pool);
    }
    for (size_t j = 0; j < r.data; j++) {
        if (only < r.groups && (size_t) r.group[j] != only) continue;
        if (d.test[j] > 0.0)
            result[j] = rank_similarity(r, d.pairs, pool, own, d.ranks + j * length, d.own[j]);
    }
}

static void sum_of_ranks(ranked_rdms r, ranked_draw d, const double *weight, double *pool)
{
    memset(pool, 0, d.pairs.length * sizeof(double));
    for (size_t i = 0; i < r.data; i++)
        if (weight[i] > 0.0)
            add_ranks(pool, d.ranks + i * d.pairs.length, weight[i], d.pairs.length);
}

static void ceilings_of_draw(ranked_rdms r, ranked_draw d, const double *low, const double *high,
                             rank_scratch z, double *pools, double *lower, double *upper)
{
    const size_t length = d.pairs.length;
    double *all = pools, *pool = pools + length;
    sum_of_ranks(r, d, high, pool);
    against_pool(r, d, r.groups, kept_weight(r, high, r.groups), pool, z, upper);
    sum_of_ranks(r, d, low, all);
    for (size_t g = 0; g < r.groups; g++) {
        int tested = 0;
        memcpy(pool, all, length * sizeof(double));
        for (size_t i = 0; i < r.data; i++) {
            if ((size_t) r.group[i] != g) continue;
            tested = tested || d.test[i] > 0.0;
            if (low[i] > 0.0) add_ranks(pool, d.ranks + i * length, -low[i], length);
        }
        if (tested) against_pool(r, d, g, kept_weight(r, low, g), pool, z, lower);
    }
}

static void table_of_draw(ranked_rdms r, ranked_draw d, double *table)
{
    const size_t length = d.pairs.length;
    for (size_t k = r.data; k < r.columns; k++)
        for (size_t i = 0; i < r.data; i++)
            table[(k - r.data) * r.data + i] = rank_similarity(
                r, d.pairs, d.ranks + i * length, d.own[i], d.ranks + k * length, d.own[k]);
}

static void rank_draw(ranked_rdms r, rank_draws draws, size_t t, rank_scratch z, double *table,
                      double *lower, double *upper)
{
    double *weight = z.doubles, *own = weight + r.length, *ranks = own + r.columns;
    const drawn_pairs p = find_pairs(r, draws.w + t * r.n, weight, z.places);
    for (size_t c = 0; c < r.columns; c++) {
        rank_column(r, c, p, z.places, ranks + c * p.length);
        own[c] = weighted_product(p, ranks + c * p.length, ranks + c * p.length);
    }
    const size_t at = t * r.data;
    const ranked_draw d = {p, ranks, own, draws.test + at};
    table_of_draw(r, d, table + at * (r.columns - r.data));
    for (size_t i = 0; i < r.data; i++) lower[at + i] = upper[at + i] = NAN;
    if (draws.low)
        ceilings_of_draw(r, d, draws.low + at, draws.high + at, z, ranks + r.columns * p.length,
                         lower + at, upper + at);
}

size_t rank_doubles(ranked_rdms r)
{
    return r.length * (r.columns + 3) + r.columns;
}

void draw_ranks(ranked_rdms r, rank_draws draws, rank_scratch *scratch, double *table,
                double *lower, double *upper, worker by)
{
    const double work = (double) r.length * (double) (r.columns + 10 * r.groups);
    const size_t at_once = items_at_once(PAUSE_PAIRS, work, by.threads);
    for (size_t first = 0; first < draws.draws; first += at_once) {
        const size_t last = group_end(first, at_once, draws.draws);
        PARALLEL_FOR(by.threads)
        for (size_t t = first; t < last; t++)
            rank_draw(r, draws, t, scratch[thread_number()], table, lower, upper);
        by.pause();
    }
}
