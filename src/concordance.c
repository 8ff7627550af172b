/* Concordant less discordant pairs of one vector with many others, which share their length. What
   is tied on a side counts as 0. The kernel of RSA (kendall.h) sorts one long vector on several
   threads; this one is for many vectors. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <limits.h>

#include "threads.h"
#include "entry.h"

/* level: of the first vector, never falling. The others are in its order, as zero-based levels;
   start: how many of `values` values are below each of their levels, NULL where each vector has
   numbers of its own. */
typedef struct {
    const int *level, *start;
    size_t length, levels, values;
} concordance_job;

/* What a thread needs: a level for each value, how often each level came, and a tree of bits. */
typedef struct {
    int *column, *seen;
    uint64_t *bits;
    uint16_t *in_block;
    uint32_t *in_group, *before_group;
} concordance_scratch;

/* Places of the tree for so many values. */
typedef struct {
    size_t words, blocks, groups;
} tree_size;

/* Of packed symmetric matrices of n rows, one of them relabelled: the k-th value of the first one
   is of the rows first[k] and second[k] (zero-based), and `packed` has the levels of the other one.
   permutations: n x count, zero-based. tied: for each permutation, how many pairs of the values
   that are compared are tied in the other one. */
typedef struct {
    const int *first, *second, *packed, *permutations;
    size_t n;
} relabelled_levels;

/* Values between two pauses. */
#define PAUSE_VALUES 20000000.0
#define WIDTH 64

/* So that there are whole blocks, and a place behind the last value. */
static tree_size concordance_tree(size_t values)
{
    const size_t blocks = values / WIDTH / WIDTH + 1;
    return (tree_size) {blocks * WIDTH, blocks, (blocks - 1) / WIDTH + 1};
}

static void clear_tree(concordance_scratch z, tree_size tree)
{
    memset(z.bits, 0, tree.words * sizeof(uint64_t));
    memset(z.in_block, 0, tree.words * sizeof(uint16_t));
    memset(z.in_group, 0, tree.blocks * sizeof(uint32_t));
    memset(z.before_group, 0, tree.groups * sizeof(uint32_t));
}

static unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (unsigned) (((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

static size_t count_below(concordance_scratch z, size_t place)
{
    const size_t word = place / WIDTH, block = word / WIDTH, group = block / WIDTH;
    const uint64_t lower = ((uint64_t) 1 << place % WIDTH) - 1;
    return count_bits(z.bits[word] & lower) + z.in_block[word] + z.in_group[block] +
           z.before_group[group];
}

static void add_place(concordance_scratch z, size_t place, tree_size tree)
{
    const size_t word = place / WIDTH, block = word / WIDTH, group = block / WIDTH;
    uint16_t *in_block = z.in_block + block * WIDTH;
    z.bits[word] |= (uint64_t) 1 << place % WIDTH;
    /* signed, as vector instructions compare these at once */
    const int16_t after = (int16_t) (word % WIDTH);
    for (int16_t k = 0; k < WIDTH; k++) in_block[k] += k > after;
    const size_t end = group + 1 < tree.groups ? (group + 1) * WIDTH : tree.blocks;
    for (size_t k = block + 1; k < end; k++) z.in_group[k]++;
    for (size_t k = group + 1; k < tree.groups; k++) z.before_group[k]++;
}

/* How many pairs of values of the column are tied; no level is seen after this. */
static double tied_pairs(concordance_job job, concordance_scratch z)
{
    int64_t twice = 0;
    for (size_t k = 0; k < job.length; k++) twice += z.seen[z.column[k]] - 1;
    for (size_t k = 0; k < job.length; k++) z.seen[z.column[k]] = 0;
    return (double) (twice / 2);
}

/* No level is seen before this. */
static double column_excess(concordance_job job, const int *start, concordance_scratch z)
{
    /* of fewer than 2^31 values, each of which adds less than 2^32 */
    int64_t sum = 0;
    const tree_size tree = concordance_tree(job.values);
    clear_tree(z, tree);
    for (size_t from = 0, to; from < job.length; from = to) {
        for (to = from; to < job.length && job.level[to] == job.level[from]; to++) {
            const int level = z.column[to];
            const size_t below = count_below(z, (size_t) start[level]);
            sum += 2 * (int64_t) below + z.seen[level] - (int64_t) from;
        }
        for (size_t k = from; k < to; k++) {
            const int level = z.column[k];
            add_place(z, (size_t) (start[level] + z.seen[level]++), tree);
        }
    }
    return (double) sum;
}

/* The level of each value of a column from zero, and where each level starts. */
static void level_starts(concordance_job job, const int *column, concordance_scratch z, int *start)
{
    memset(start, 0, (job.levels + 1) * sizeof(int));
    for (size_t k = 0; k < job.length; k++) {
        z.column[k] = column[k] - 1;
        start[column[k]]++;
    }
    for (size_t l = 0; l < job.levels; l++) start[l + 1] += start[l];
}

/* columns: length x count, levels from 1 to `levels`. The scratch for `seen` has levels + 1 numbers
   more. */
static void concordance(concordance_job job, const int *columns, size_t count, worker by,
                        concordance_scratch *scratch, double *out)
{
    const size_t at_once = items_at_once(PAUSE_VALUES, (double) job.length, by.threads);
    for (size_t first = 0; first < count; first += at_once) {
        const size_t last = group_end(first, at_once, count);
        PARALLEL_FOR(by.threads)
        for (size_t c = first; c < last; c++) {
            const concordance_scratch z = scratch[thread_number()];
            int *start = z.seen + job.levels;
            level_starts(job, columns + job.length * c, z, start);
            out[c] = column_excess(job, start, z);
            tied_pairs(job, z);
        }
        by.pause();
    }
}

static void relabel_levels(concordance_job job, relabelled_levels other, const int *permutation,
                           int *column)
{
    for (size_t k = 0; k < job.length; k++) {
        const size_t a = (size_t) permutation[other.first[k]];
        const size_t b = (size_t) permutation[other.second[k]];
        const size_t low = a < b ? a : b, high = a < b ? b : a;
        column[k] = other.packed[low * (2 * other.n - low - 1) / 2 + high - low - 1];
    }
}

static void permuted_concordance(concordance_job job, relabelled_levels other, size_t count,
                                 worker by, concordance_scratch *scratch, double *excess,
                                 double *tied)
{
    const size_t at_once = items_at_once(PAUSE_VALUES, (double) job.length, by.threads);
    for (size_t from = 0; from < count; from += at_once) {
        const size_t to = group_end(from, at_once, count);
        PARALLEL_FOR(by.threads)
        for (size_t c = from; c < to; c++) {
            const concordance_scratch z = scratch[thread_number()];
            relabel_levels(job, other, other.permutations + other.n * c, z.column);
            excess[c] = column_excess(job, job.start, z);
            tied[c] = tied_pairs(job, z);
        }
        by.pause();
    }
}

/* starts: are there starts of levels for each thread? */
static concordance_scratch *new_concordance_scratch(concordance_job job, int starts, int threads)
{
    const tree_size tree = concordance_tree(job.values);
    concordance_scratch *all = zeroed_bytes((size_t) threads * sizeof(concordance_scratch));
    for (int k = 0; k < threads; k++) {
        all[k].column = int_scratch(job.length);
        all[k].seen = zeroed_bytes((job.levels + (starts ? job.levels + 1 : 0)) * sizeof(int));
        all[k].bits = zeroed_bytes(tree.words * sizeof(uint64_t));
        all[k].in_block = zeroed_bytes(tree.words * sizeof(uint16_t));
        all[k].in_group = zeroed_bytes(tree.blocks * sizeof(uint32_t));
        all[k].before_group = zeroed_bytes(tree.groups * sizeof(uint32_t));
    }
    return all;
}

/* level: never falling; columns: levels from 1 to `levels` in its order, a row each. */
SEXP repalign_concordance(SEXP level, SEXP columns, SEXP levels, SEXP threads)
{
    begin_entry(__func__);
    const int *x = read_index(ARG(level), INT_MAX);
    const size_t length = (size_t) XLENGTH(level);
    const size_t most = read_count(ARG(levels), 1, INT_MAX - 1);
    const int *y = read_index_matrix(ARG(columns), length, most);
    const size_t count = matrix_columns(columns);
    const worker by = read_worker(ARG(threads));
    const concordance_job job = {x, NULL, length, most, length};
    SEXP result = PROTECT(new_doubles(count));
    concordance(job, y, count, by, new_concordance_scratch(job, 1, by.threads), REAL(result));
    UNPROTECT(1);
    return result;
}

/* x: list(first, second, level) of the values of one matrix, never falling; y: list(level, start)
   of the packed values of the other, with the one-based place of the first one of each level.
   permutations: of its rows, one a column. list(excess, tied), see permuted_concordance(). */
SEXP repalign_permuted_concordance(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    begin_entry(__func__);
    SEXP level = read_element(ARG(x), "level"), start = read_element(ARG(y), "start");
    const size_t n = matrix_rows(permutations), count = matrix_columns(permutations);
    const size_t values = packed_length(n);
    if (values > INT_MAX - 1) argument_error("permutations", "have fewer than 2^31 pairs of rows");
    const size_t length = (size_t) XLENGTH(level), levels = (size_t) XLENGTH(start);
    const int *order = read_index(level, "level", INT_MAX);
    const int *starts = read_zero_based(start, "start", values);
    SEXP packed = read_element(ARG(y), "level");
    if ((size_t) XLENGTH(packed) != values) argument_error("y", "have a level for each pair");
    const relabelled_levels other = {
        read_zero_based(read_element(ARG(x), "first"), "first", n),
        read_zero_based(read_element(ARG(x), "second"), "second", n),
        read_zero_based(packed, "level", levels), read_permutations(ARG(permutations), n), n};
    const worker by = read_worker(ARG(threads));
    const concordance_job job = {order, starts, length, levels, values};
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
    double *excess = put_doubles(result, 0, count), *tied = put_doubles(result, 1, count);
    permuted_concordance(job, other, count, by, new_concordance_scratch(job, 0, by.threads),
                         excess, tied);
    UNPROTECT(1);
    return result;
}
