/* Kendall's tau of two vectors of average ranks. */

#include <math.h>

#include "concordance.h"
#include "radix.h"
#include "entry.h"

/* `length` each; counts: radix_counts(length); tree: weight_tree_size(length). */
typedef struct {
    sort_cell *a, *b;
    size_t *counts;
    int *group, *level, *tree;
} kendall_scratch;

/* Numbers of pairs of values: concordant ones less discordant ones, where pairs that are tied on a
   side count as 0; all; and those that are not tied on each side. */
typedef struct {
    double excess, all, untied_x, untied_y;
} kendall_pairs;

typedef struct {
    const double *x, *y;
    size_t length;
    sort_cell *cells;
} pair_job;

/* Twice an average rank is a whole number. */
static void pair_chunk(void *job, size_t chunk)
{
    const pair_job *p = job;
    const size_t end = chunk_end(p->length, chunk);
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++)
        p->cells[k] = (sort_cell) (2.0 * p->x[k]) << 32 | (sort_cell) (2.0 * p->y[k]);
}

/* Returns the cells in the order of x: a or b. */
static sort_cell *sort_pairs(sort_cell *a, sort_cell *b, size_t length, size_t *counts, worker by)
{
    const int bits = digit_bits(length);
    for (int p = 0; (uint64_t) 2 * length >> p * bits > 0; p++) {
        radix_pass(a, b, length, 32 + p * bits, counts, by);
        sort_cell *swap = a;
        a = b;
        b = swap;
    }
    return a;
}

/* length: below 2^31 */
static kendall_pairs count_kendall(const double *ranks_x, const double *ranks_y, size_t length,
                                   kendall_scratch z, worker by)
{
    pair_job pairs = {ranks_x, ranks_y, length, z.a};
    run_chunks(chunk_count(length), by, pair_chunk, &pairs);
    const sort_cell *cells = sort_pairs(z.a, z.b, length, z.counts, by);
    double all = 0.5 * (double) length * (double) (length - 1), tied_x = 0.0, run = 0.0;
    for (size_t k = 0; k < length; k++) {
        z.group[k] = (int) (cells[k] >> 32);
        z.level[k] = (int) ((cells[k] & LOWER_HALF) / 2) - 1;
        if (z.level[k] < 0 || (size_t) z.level[k] >= length)
            argument_error("ranks_y", "hold average ranks");
        run = k > 0 && z.group[k] == z.group[k - 1] ? run + 1.0 : 0.0;
        tied_x += run;
    }
    const double excess = column_excess(z.group, z.level, length, length, z.tree);
    return (kendall_pairs) {excess, all, all - tied_x, all - tied_pairs(z.tree, length)};
}

/* ranks_x, ranks_y: average ranks. Tau-a, or without tied pairs tau-b (NaN where all are tied). */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP without_ties, SEXP threads)
{
    const size_t length = count_doubles(ARG(ranks_x));
    const double *y = read_doubles(ARG(ranks_y), length);
    if (length > INT32_MAX) argument_error("ranks_x", "have fewer than 2^31 values");
    const kendall_scratch z = {(sort_cell *) scratch(length), (sort_cell *) scratch(length),
                               size_scratch(radix_counts(length)), int_scratch(length),
                               int_scratch(length), int_scratch(weight_tree_size(length))};
    const int tau_b = read_flag(ARG(without_ties));
    const kendall_pairs pairs =
        count_kendall(REAL(ranks_x), y, length, z, read_worker(ARG(threads)));
    const double size = tau_b ? sqrt(pairs.untied_x) * sqrt(pairs.untied_y) : pairs.all;
    return Rf_ScalarReal(pairs.excess / size);
}
