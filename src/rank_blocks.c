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

/* The stimuli and the block of each pair, one-based; pairs of a block stand together. */
typedef struct {
    const int *first, *second, *block;
    size_t length, n;
} blocked_pairs;

/* order[p]: the pair of the p-th rank, one-based; tied[p]: it has the rank of the one before; rank:
   of each pair, less the mean of all. */
typedef struct {
    const int *order, *tied;
    const double *rank;
} blocked_ranks;

/* Lanes of the two stimuli of a pair; beyond LANES: of another group. base: the first one. */
#define LANE_A(k) ((size_t) all.first[k] - base)
#define LANE_B(k) ((size_t) all.second[k] - base)

/* For each pair and lane, how many halves of ranks it loses with the pairs of the lane below it. */
static void count_below(blocked_pairs all, blocked_ranks side, size_t base, int16_t *below)
{
    int16_t now[LANES] = {0}, here[LANES] = {0};
    for (size_t p = 0, end = 0; p < all.length; p = end) {
        int found = 0;
        do {
            const size_t k = (size_t) side.order[end] - 1;
            if (LANE_A(k) < LANES) found = ++here[LANE_A(k)];
            if (LANE_B(k) < LANES) found = ++here[LANE_B(k)];
        } while (++end < all.length && side.tied[end]);
        for (int l = 0; found && l < LANES; l++) now[l] = (int16_t) (now[l] + here[l]);
        for (size_t t = p; t < end; t++)
            memcpy(below + ((size_t) side.order[t] - 1) * LANES, now, sizeof now);
        for (int l = 0; found && l < LANES; l++) now[l] = (int16_t) (now[l] + here[l]);
        if (found) memset(here, 0, sizeof here);
    }
}

/* result: n x blocks, all zero; counts: scratch, 2 x length x LANES. */
static void leave_out(blocked_pairs all, blocked_ranks x, blocked_ranks y, size_t base,
                      int16_t *counts, size_t blocks, double *result)
{
    const double shift = 0.5 * ((double) all.n - 1.0);
    const int16_t *c = counts, *d = counts + all.length * LANES;
    double xx[LANES] = {0}, yy[LANES] = {0};
    count_below(all, x, base, counts);
    count_below(all, y, base, counts + all.length * LANES);
    for (size_t p = 0; p < all.length;) {
        double xy[LANES] = {0}, *to = result + base - 1 + ((size_t) all.block[p] - 1) * all.n;
        do {
            double a[LANES], b[LANES];
            AT_ONCE
            for (size_t l = 0; l < LANES; l++) {
                a[l] = x.rank[p] + shift - 0.5 * c[p * LANES + l];
                b[l] = y.rank[p] + shift - 0.5 * d[p * LANES + l];
            }
            if (LANE_A(p) < LANES) a[LANE_A(p)] = b[LANE_A(p)] = 0.0;
            if (LANE_B(p) < LANES) a[LANE_B(p)] = b[LANE_B(p)] = 0.0;
            AT_ONCE
            for (int l = 0; l < LANES; l++) {
                xy[l] += a[l] * b[l];
                xx[l] += a[l] * a[l];
                yy[l] += b[l] * b[l];
            }
        } while (++p < all.length && all.block[p] == all.block[p - 1]);
        for (size_t l = 0; l < LANES && base - 1 + l < all.n; l++) to[l] = xy[l];
    }
    for (size_t l = 0; l < LANES && base - 1 + l < all.n; l++)
        for (size_t k = 0; k < blocks; k++)
            result[base - 1 + l + k * all.n] /=
                xx[l] > 0.0 && yy[l] > 0.0 ? sqrt(xx[l]) * sqrt(yy[l]) : NAN;
}

static blocked_ranks read_ranks(SEXP side, const char *name, size_t length)
{
    const SEXP tied = read_element(side, name, "tied");
    if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
        argument_error(name, "have a logical `tied` for each pair");
    return (blocked_ranks) {
        read_indices(read_element(side, name, "order"), name, length, length), LOGICAL(tied),
        read_doubles(read_element(side, name, "rank"), name, length)};
}

/* pairs: list(first, second, block), the stimuli and the block of all pairs, in the order of
   blocks; x, y: list(order, tied, rank), see blocked_ranks; size: the numbers of stimuli and of
   blocks. Stimuli x blocks: what the pairs of each block add to the correlation of ranks that are
   made anew without each stimulus. */
SEXP repalign_rank_blocks(SEXP pairs, SEXP x, SEXP y, SEXP size, SEXP threads)
{
    const int *sizes = read_indices(ARG(size), 2, INT_MAX);
    const size_t n = (size_t) sizes[0], blocks = (size_t) sizes[1];
    const SEXP first = read_element(ARG(pairs), "first");
    const size_t length = (size_t) XLENGTH(first);
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    if (n > MOST_STIMULI) argument_error("size", "have at most %d stimuli", MOST_STIMULI);
    const blocked_pairs all = {
        read_indices(first, "first", length, n),
        read_indices(read_element(ARG(pairs), "second"), "second", length, n),
        read_indices(read_element(ARG(pairs), "block"), "block", length, blocks), length, n};
    const blocked_ranks ranks_x = read_ranks(ARG(x), length), ranks_y = read_ranks(ARG(y), length);
    const worker by = read_worker(ARG(threads));
    const size_t room = 2 * length * LANES, groups = (n + LANES - 1) / LANES;
    int16_t *counts = zeroed_bytes((size_t) by.threads * room * sizeof(int16_t));
    SEXP result = PROTECT(new_matrix(n, blocks));
    memset(REAL(result), 0, n * blocks * sizeof(double));
    for (size_t at = 0; at < groups; at = group_end(at, (size_t) by.threads, groups)) {
        double *values = REAL(result);
        PARALLEL_FOR(by.threads)
        for (size_t g = at; g < group_end(at, (size_t) by.threads, groups); g++)
            leave_out(all, ranks_x, ranks_y, g * LANES + 1, counts + (g - at) * room, blocks,
                      values);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
