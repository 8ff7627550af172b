/* Sums of products of ranks of pairs of stimuli over blocks of pairs, without each stimulus. */

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "entry.h"
#include "loops.h"

/* So many stimuli are left out at the same time, a lane each. */
#define LANES 16

/* Pairs of a stimulus, twice, fit into 16 bits. */
#define MOST_STIMULI 16384

/* Pairs are numbered by block: the stimuli of each, and where the pairs of a block end. */
typedef struct {
    const int *first, *second;
    const size_t *end;
    size_t length, blocks, n;
} blocked_pairs;

/* order[p]: the pair of the p-th rank; tied[p]: it has the rank of the one before; rank: of each
   pair, less the mean, in halves. */
typedef struct {
    int *order, *rank;
    const int *tied;
} blocked_ranks;

/* For each pair and lane, how many halves of ranks the pairs of the lane's stimulus are below. */
static void count_below(blocked_pairs all, blocked_ranks side, size_t base, int16_t *below)
{
    int16_t now[LANES] = {0}, here[LANES] = {0};
    for (size_t p = 0, end; p < all.length; p = end) {
        int found = 0;
        end = p;
        do {
            const size_t a = (size_t) all.first[side.order[end]] - base;
            const size_t b = (size_t) all.second[side.order[end]] - base;
            if (a < LANES) found = ++here[a];
            if (b < LANES) found = ++here[b];
        } while (++end < all.length && side.tied[end]);
        for (int l = 0; found && l < LANES; l++) now[l] = (int16_t) (now[l] + here[l]);
        for (size_t t = p; t < end; t++)
            memcpy(below + (size_t) side.order[t] * LANES, now, sizeof now);
        for (int l = 0; found && l < LANES; l++) now[l] = (int16_t) (now[l] + here[l]);
        if (found) memset(here, 0, sizeof here);
    }
}

/* result: n x blocks. c, d: scratch, length x LANES each. */
static void leave_out(blocked_pairs all, blocked_ranks x, blocked_ranks y, size_t base, int16_t *c,
                      int16_t *d, double *result)
{
    const size_t lanes = least(LANES, all.n - base);
    double xx[LANES] = {0}, yy[LANES] = {0};
    count_below(all, x, base, c);
    count_below(all, y, base, d);
    for (size_t k = 0, p = 0; k < all.blocks; k++) {
        double xy[LANES] = {0};
        for (; p < all.end[k]; p++) {
            const int rx = x.rank[p] + (int) all.n - 1, ry = y.rank[p] + (int) all.n - 1;
            const int16_t *cp = c + p * LANES, *dp = d + p * LANES;
            double a[LANES], b[LANES];
            AT_ONCE
            for (int l = 0; l < LANES; l++) {
                a[l] = (double) (rx - cp[l]);
                b[l] = (double) (ry - dp[l]);
            }
            const size_t u = (size_t) all.first[p] - base, v = (size_t) all.second[p] - base;
            if (u < LANES) a[u] = b[u] = 0.0;
            if (v < LANES) a[v] = b[v] = 0.0;
            AT_ONCE
            for (int l = 0; l < LANES; l++) {
                xy[l] += a[l] * b[l];
                xx[l] += a[l] * a[l];
                yy[l] += b[l] * b[l];
            }
        }
        for (size_t l = 0; l < lanes; l++) result[base + l + k * all.n] = xy[l];
    }
    for (size_t k = 0; k < all.blocks; k++)
        for (size_t l = 0; l < lanes; l++)
            result[base + l + k * all.n] /= xx[l] > 0.0 && yy[l] > 0.0 ? sqrt(xx[l]) * sqrt(yy[l])
                                                                      : NAN;
}

/* side: list(order, tied), as for rank_deletions(); place: the number by block of each pair. */
static blocked_ranks read_ranks(SEXP side, const char *name, const int *place, size_t length)
{
    const int *given = read_indices(read_element(side, name, "order"), name, length, length);
    const SEXP tied = read_element(side, name, "tied");
    if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
        argument_error(name, "have a logical `tied` for each pair");
    blocked_ranks ranks = {int_scratch(length), int_scratch(length), LOGICAL(tied)};
    for (size_t p = 0, end; p < length; p = end) {
        for (end = p + 1; end < length && ranks.tied[end]; end++) {}
        for (size_t t = p; t < end; t++) {
            ranks.order[t] = place[given[t] - 1];
            ranks.rank[ranks.order[t]] = (int) ((long long) (p + end) - (long long) length);
        }
    }
    return ranks;
}

/* pairs: list(first, second), the stimuli of all pairs; x, y: list(order, tied) of the numbers of
   the pairs in the order of their ranks, and which have the rank of the one before; block: that of
   each pair, 1 .. blocks; n: the number of stimuli. n x blocks: what the pairs of each block add to
   the correlation of ranks that are made anew without each stimulus. */
SEXP repalign_rank_blocks(SEXP pairs, SEXP x, SEXP y, SEXP block, SEXP blocks, SEXP n, SEXP threads)
{
    const size_t length = (size_t) XLENGTH(block);
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    const size_t stimuli = read_count(ARG(n), 2, MOST_STIMULI);
    const size_t count = read_count(ARG(blocks), 1, length + stimuli);
    const int *of = read_indices(ARG(block), length, count);
    const int *from = read_indices(read_element(ARG(pairs), "first"), "first", length, stimuli);
    const int *to = read_indices(read_element(ARG(pairs), "second"), "second", length, stimuli);
    size_t *end = zeroed_bytes((count + 1) * sizeof(size_t));
    int *place = int_scratch(length), *first = int_scratch(length), *second = int_scratch(length);
    for (size_t k = 0; k < length; k++) end[of[k]]++;
    for (size_t k = 0; k < count; k++) end[k + 1] += end[k];
    for (size_t k = 0; k < length; k++) {
        place[k] = (int) end[of[k] - 1]++;
        first[place[k]] = from[k] - 1;
        second[place[k]] = to[k] - 1;
    }
    const blocked_pairs all = {first, second, end, length, count, stimuli};
    const blocked_ranks ranks_x = read_ranks(ARG(x), place, length);
    const blocked_ranks ranks_y = read_ranks(ARG(y), place, length);
    const worker by = read_worker(ARG(threads));
    const size_t room = length * LANES, groups = (stimuli + LANES - 1) / LANES;
    int16_t *counts = (int16_t *) R_alloc((size_t) by.threads * room, 2 * sizeof(int16_t));
    SEXP result = PROTECT(new_matrix(stimuli, count));
    double *values = REAL(result);
    for (size_t at = 0; at < groups; at += (size_t) by.threads) {
        const size_t last = group_end(at, (size_t) by.threads, groups);
        PARALLEL_FOR(by.threads)
        for (size_t g = at; g < last; g++) {
            int16_t *c = counts + 2 * (g - at) * room;
            leave_out(all, ranks_x, ranks_y, g * LANES, c, c + room, values);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
