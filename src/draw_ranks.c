/* Similarities of ranked RDMs with weights of stimuli. */

#include <math.h>
#include <string.h>
#include <stdint.h>

#include "rank.h"
#include "concordance.h"
#include "entry.h"

/* How RDMs are compared, numbered as R does (ranked_outer). */
typedef enum { SPEARMAN = 1, RHO_A, TAU_A, TAU_B } rank_outer;

/* RDMs as columns: order (length x columns) has the zero-based pairs in the order of their
   dissimilarities, tied says that a pair is tied with the one before. The first `data` columns are
   the data, of `groups` groups (group: zero-based), then come the `models` of all draws. More
   models are `sums` of components (length x terms), of which each has some, one after the other, up
   to its `ends`; `weights` has a row for each component and a draw a column. The k-th pair has the
   stimuli first[k] and second[k] of n. */
typedef struct {
    const int *order, *tied, *first, *second, *group;
    const double *components, *weights;
    const int *ends;
    size_t length, data, models, sums, terms, groups, n;
    rank_outer outer;
} ranked_rdms;

/* Whole weights, a draw a column: w of the stimuli (n rows); of the RDMs (`data` rows), those that
   are pooled for the lower (low) and for the upper ceiling (high), and those that are tested. */
typedef struct {
    const double *w, *low, *high, *test;
    size_t draws;
} rank_draws;

/* An RDM of a draw: its ranks; for taus, the numbers of its groups of ties; and its size, for taus
   the weight of pairs that are not tied. A size of 0 says that all are tied. */
typedef struct {
    double *ranks;
    int *levels;
    double size;
} ranked_rdm;

/* What one thread needs: (data + 3) doubles for each pair; to rank sums; a place for each pair; the
   ranked data and, for taus, a level for each of their pairs; an order, and a tree of weights. */
typedef struct {
    double *doubles;
    rank_scratch sort;
    int *places, *levels, *tree; /* places: of a pair among those of the draw, or -1 */
    ranked_rdm *data;
    value_order order;
} draw_scratch;

/* Pairs that are ranked between two pauses. */
#define PAUSE_PAIRS 16777216.0

/* The pairs of a draw: weight of each of them, and of all. */
typedef struct {
    size_t length;
    double *weight, total;
} drawn_pairs;

/* The pairs of the draw in the order of an RDM. */
static void order_column(ranked_rdms r, size_t column, const int *places, value_order o)
{
    const int *order = r.order + column * r.length, *tied = r.tied + column * r.length;
    size_t found = 0;
    int group = 0;
    for (size_t k = 0; k < r.length; k++) {
        /* what is not in the draw is overwritten */
        group += !tied[k];
        o.place[found] = places[order[k]];
        o.group[found] = group;
        found += places[order[k]] >= 0;
    }
}

/* Pools are short: the loop over draws pauses. */
static void no_pause(void) {}

/* The pairs of the draw in the order of pooled ranks. most: none of them is larger in size. */
static void order_pool(drawn_pairs p, double most, const double *pool, draw_scratch z,
                       value_order o)
{
    sort_cell *cells = z.sort.a, *other = z.sort.b;
    for (size_t k = 0; k < p.length; k++)
        cells[k] = ((sort_cell) (2.0 * (pool[k] + most)) << 32) | (sort_cell) k;
    const worker alone = {1, no_pause};
    for (int shift = 32; shift < 64 && ldexp(1.0, shift - 32) <= 4.0 * most;
         shift += digit_bits(p.length)) {
        radix_pass(cells, other, p.length, shift, z.sort.counts, alone);
        sort_cell *swap = cells;
        cells = other;
        other = swap;
    }
    int group = 0;
    for (size_t k = 0; k < p.length; k++) {
        group += k == 0 || cells[k] >> 32 != cells[k - 1] >> 32;
        o.place[k] = (int) (cells[k] & LOWER_HALF);
        o.group[k] = group;
    }
}

/* The ranks of pairs in their order, and in levels (unless NULL) the numbers of their groups of
   ties, from 0. The weight of all pairs of them that are not tied. */
static double rank_pairs(drawn_pairs p, value_order o, double *ranks, int *levels)
{
    double below = 0.0, tied = 0.0;
    int level = 0;
    for (size_t k = 0; k < p.length; level++) {
        size_t end = k;
        double weight = 0.0;
        do {
            weight += p.weight[o.place[end]];
            if (levels) levels[o.place[end]] = level;
            end++;
        } while (end < p.length && o.group[end] == o.group[k]);
        for (; k < end; k++) ranks[o.place[k]] = below + 0.5 * (weight - p.total);
        below += weight;
        tied += weight * weight;
    }
    return 0.5 * (p.total * p.total - tied);
}

static double weighted_product(drawn_pairs p, const double *a, const double *b)
{
    double sum = 0.0;
    OPENMP(simd reduction(+ : sum))
    for (size_t k = 0; k < p.length; k++) sum += p.weight[k] * a[k] * b[k];
    return sum;
}

static int is_tau(ranked_rdms r)
{
    return r.outer == TAU_A || r.outer == TAU_B;
}

static ranked_rdm rank_rdm(ranked_rdms r, drawn_pairs p, value_order o, double *ranks, int *levels)
{
    ranked_rdm a = {ranks, levels, rank_pairs(p, o, ranks, is_tau(r) ? levels : NULL)};
    if (!is_tau(r)) a.size = weighted_product(p, ranks, ranks);
    return a;
}

/* o: the order of a, which taus need. */
static double rank_similarity(ranked_rdms r, drawn_pairs p, ranked_rdm a, value_order o,
                              ranked_rdm b, int *tree)
{
    if (!(a.size > 0.0) || !(b.size > 0.0)) return NAN;
    if (is_tau(r)) {
        const double excess = weighted_excess(o, b.levels, p.weight, p.length, p.length, tree);
        if (r.outer == TAU_A) return excess / (0.5 * p.total * (p.total - 1.0));
        return excess / sqrt(a.size) / sqrt(b.size);
    }
    const double product = weighted_product(p, a.ranks, b.ranks);
    if (r.outer == RHO_A) return 12.0 * product / (p.total * p.total * p.total - p.total);
    return product / sqrt(a.size) / sqrt(b.size);
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

/* One draw: its pairs, the ranked data, which of them are tested, and what a thread has. */
typedef struct {
    drawn_pairs pairs;
    const ranked_rdm *data;
    const double *test;
    draw_scratch z;
} ranked_draw;

/* Similarities of the tested RDMs of group `only` (or of all: r.groups) with the pool of the RDMs
   that are not of group `left` (or of all). pool: their sum on entry. */
static void against_pool(ranked_rdms r, ranked_draw d, size_t only, double weight, double *pool,
                         double *result)
{
    const value_order o = d.z.order;
    ranked_rdm pooled = {pool, NULL, 0.0};
    if (weight > 0.0) {
        order_pool(d.pairs, 0.5 * weight * d.pairs.total, pool, d.z, o);
        pooled = rank_rdm(r, d.pairs, o, pool, NULL);
    }
    for (size_t j = 0; j < r.data; j++) {
        if (only < r.groups && (size_t) r.group[j] != only) continue;
        if (d.test[j] > 0.0)
            result[j] = rank_similarity(r, d.pairs, pooled, o, d.data[j], d.z.tree);
    }
}

static void sum_of_ranks(ranked_rdms r, ranked_draw d, const double *weight, double *pool)
{
    memset(pool, 0, d.pairs.length * sizeof(double));
    for (size_t i = 0; i < r.data; i++)
        if (weight[i] > 0.0) add_ranks(pool, d.data[i].ranks, weight[i], d.pairs.length);
}

static void ceilings_of_draw(ranked_rdms r, ranked_draw d, const double *low, const double *high,
                             double *pools, double *lower, double *upper)
{
    const size_t length = d.pairs.length;
    double *all = pools, *pool = pools + length;
    sum_of_ranks(r, d, high, pool);
    against_pool(r, d, r.groups, kept_weight(r, high, r.groups), pool, upper);
    sum_of_ranks(r, d, low, all);
    for (size_t g = 0; g < r.groups; g++) {
        int tested = 0;
        memcpy(pool, all, length * sizeof(double));
        for (size_t i = 0; i < r.data; i++) {
            if ((size_t) r.group[i] != g) continue;
            tested = tested || d.test[i] > 0.0;
            if (low[i] > 0.0) add_ranks(pool, d.data[i].ranks, -low[i], length);
        }
        if (tested) against_pool(r, d, g, kept_weight(r, low, g), pool, lower);
    }
}

/* room: for two values of each pair. */
static void sums_of_draw(ranked_rdms r, ranked_draw d, const double *weights, double *room,
                         double *table)
{
    const value_order o = d.z.order;
    const size_t length = d.pairs.length;
    const tie_tolerance equal = {0.0, 0.0};
    const worker alone = {1, no_pause};
    const double middle = 0.5 * ((double) length + 1.0);
    double *sum = room, *ranks = room + length;
    for (size_t s = 0, i = 0; s < r.sums; s++) {
        memset(sum, 0, length * sizeof(double));
        for (; i < (size_t) r.ends[s]; i++) {
            const double *component = r.components + i * r.length;
            if (weights[i] == 0.0) continue;
            for (size_t k = 0; k < r.length; k++)
                if (d.z.places[k] >= 0) sum[d.z.places[k]] += weights[i] * component[k];
        }
        average_ranks(sum, length, equal, d.z.sort, alone, ranks);
        /* ranks count as pools do, from their middle */
        for (size_t k = 0; k < length; k++) ranks[k] -= middle;
        order_pool(d.pairs, middle, ranks, d.z, o);
        const ranked_rdm model = rank_rdm(r, d.pairs, o, room, NULL);
        for (size_t j = 0; j < r.data; j++)
            table[s * r.data + j] = d.test[j] > 0.0
                ? rank_similarity(r, d.pairs, model, o, d.data[j], d.z.tree) : NAN;
    }
}

static void rank_draw(ranked_rdms r, rank_draws draws, size_t t, draw_scratch z, double *table,
                      double *lower, double *upper)
{
    double *weight = z.doubles, *ranks = weight + r.length;
    const double *w = draws.w + t * r.n;
    drawn_pairs p = {0, weight, 0.0};
    for (size_t k = 0; k < r.length; k++) {
        const double product = w[r.first[k]] * w[r.second[k]];
        z.places[k] = -1;
        if (product == 0.0) continue;
        z.places[k] = (int) p.length;
        weight[p.length++] = product;
        p.total += product;
    }
    for (size_t i = 0; i < r.data; i++) {
        order_column(r, i, z.places, z.order);
        z.data[i] = rank_rdm(r, p, z.order, ranks + i * p.length, z.levels + i * p.length);
    }
    double *more = ranks + r.data * p.length;
    const size_t at = t * r.data;
    const ranked_draw d = {p, z.data, draws.test + at, z};
    double *rows = table + at * (r.models + r.sums);
    for (size_t k = 0; k < r.models; k++) {
        order_column(r, r.data + k, z.places, z.order);
        const ranked_rdm model = rank_rdm(r, p, z.order, more, NULL);
        for (size_t i = 0; i < r.data; i++)
            rows[k * r.data + i] = rank_similarity(r, p, model, z.order, z.data[i], z.tree);
    }
    if (r.sums > 0)
        sums_of_draw(r, d, r.weights + t * r.terms, more, rows + r.data * r.models);
    for (size_t i = 0; i < r.data; i++) lower[at + i] = upper[at + i] = NAN;
    if (draws.low)
        ceilings_of_draw(r, d, draws.low + at, draws.high + at, more, lower + at, upper + at);
}

/* rdms: list(order, tied, first, second, group, outer), one-based; with sums of components also
   list(components, weights, ends). */
static ranked_rdms read_rdms(SEXP rdms, size_t n, size_t draws)
{
    const SEXP order = read_element(rdms, "rdms", "order");
    const SEXP tied = read_element(rdms, "rdms", "tied");
    const SEXP first = read_element(rdms, "rdms", "first");
    const SEXP group = read_element(rdms, "rdms", "group");
    const size_t length = (size_t) XLENGTH(first), data = (size_t) XLENGTH(group);
    ranked_rdms r = {.length = length, .data = data, .n = n};
    r.order = read_zero_based(order, "order", length);
    if (matrix_rows(order) != length) argument_error("order", "have a row for each pair");
    const size_t columns = matrix_columns(order);
    if (TYPEOF(tied) != LGLSXP || XLENGTH(tied) != XLENGTH(order))
        argument_error("tied", "be logical and as long as `order`");
    if (data < 1 || data > columns) argument_error("group", "be for the first columns");
    r.models = columns - data;
    const SEXP ends = read_element(rdms, "rdms", "ends");
    r.sums = (size_t) XLENGTH(ends);
    if (r.sums > 0) {
        const SEXP components = read_element(rdms, "rdms", "components");
        r.terms = matrix_columns(components);
        r.components = read_matrix_size(components, "components", length, r.terms);
        r.weights = read_matrix_size(read_element(rdms, "rdms", "weights"), "weights", r.terms,
                                     draws);
        r.ends = read_index(ends, "ends", r.terms);
    }
    r.tied = LOGICAL(tied);
    r.first = read_from_zero(first, "first", length, n);
    r.second = read_from_zero(read_element(rdms, "rdms", "second"), "second", length, n);
    r.group = read_zero_based(group, "group", data);
    for (size_t i = 0; i < data; i++)
        if ((size_t) r.group[i] >= r.groups) r.groups = (size_t) r.group[i] + 1;
    r.outer = (rank_outer) read_count(read_element(rdms, "rdms", "outer"), "outer", 1, TAU_B);
    return r;
}

static draw_scratch *new_draw_scratch(ranked_rdms r, int threads)
{
    draw_scratch *all = zeroed_bytes((size_t) threads * sizeof(draw_scratch));
    for (int k = 0; k < threads; k++) {
        all[k].doubles = scratch(r.length * (r.data + 3));
        all[k].sort = (rank_scratch) {(sort_cell *) scratch(r.length),
                                      (sort_cell *) scratch(r.length),
                                      size_scratch(radix_counts(r.length)),
                                      size_scratch(chunk_count(r.length) + 1)};
        all[k].places = int_scratch(r.length);
        all[k].levels = int_scratch(is_tau(r) ? r.length * r.data : 0);
        all[k].tree = int_scratch(is_tau(r) ? weight_tree_size(r.length) : 0);
        all[k].data = zeroed_bytes(r.data * sizeof(ranked_rdm));
        all[k].order = (value_order) {int_scratch(r.length), int_scratch(r.length)};
    }
    return all;
}

/* w: weights of stimuli, a draw a column; low, high, test: of RDMs, low and high NULL where no
   ceiling is asked for. list(table, lower, upper). table (data x (models + sums), a draw a column):
   similarities of data and models; of sums, NaN for data that are not tested. lower and upper (data
   rows, a draw a column): of each tested RDM with the pool of low without its group, and with the
   pool of high; NaN for what is not tested or not defined. */
SEXP repalign_draw_ranks(SEXP rdms, SEXP w, SEXP low, SEXP high, SEXP test, SEXP threads)
{
    read_matrix(ARG(w));
    const size_t draws = matrix_columns(w);
    const ranked_rdms r = read_rdms(rdms, matrix_rows(w), draws);
    rank_draws given = {REAL(w), NULL, NULL, read_matrix_size(ARG(test), r.data, draws), draws};
    given.low = read_optional(ARG(low), r.data, draws);
    if (given.low) given.high = read_matrix_size(ARG(high), r.data, draws);
    /* doubled ranks of pools are sorted as numbers of 32 bits, and taus add up weights as
       integers */
    for (size_t t = 0; t < draws; t++) {
        double stimuli = 0.0, of_low = 0.0, of_high = 0.0;
        for (size_t i = 0; i < r.n; i++) stimuli += given.w[t * r.n + i];
        for (size_t i = 0; i < r.data && given.low; i++) {
            of_low += given.low[t * r.data + i];
            of_high += given.high[t * r.data + i];
        }
        if (stimuli * stimuli * fmax(1.0, fmax(of_low, of_high)) >= (double) UINT32_MAX)
            entry_error("there are too many stimuli and RDMs for ranks of pooled RDMs");
    }
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
    double *table = put_matrix(result, 0, r.data * (r.models + r.sums), draws);
    double *lower = put_matrix(result, 1, r.data, draws);
    double *upper = put_matrix(result, 2, r.data, draws);
    draw_scratch *scratch = new_draw_scratch(r, by.threads);
    const double work = (double) r.length * (double) (r.data + r.models + 10 * (r.groups + r.sums));
    const size_t at_once = items_at_once(PAUSE_PAIRS, work, by.threads);
    for (size_t first = 0; first < draws; first += at_once) {
        const size_t last = group_end(first, at_once, draws);
        PARALLEL_FOR(by.threads)
        for (size_t t = first; t < last; t++)
            rank_draw(r, given, t, scratch[thread_number()], table, lower, upper);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
