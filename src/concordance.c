/* Concordant less discordant pairs: see concordance.h.

   The values of the first vector come in their order, and a tree of bits says how many of the
   values that came so far on the other side are below a level. Each of them sets the bit of its
   place among all values (ties stand in the order in which they come). A word has 64 places, a
   block 64 words and a group 64 blocks. The tree keeps how many bits are set before each word in
   its block, before each block in its group, and before each group: a few vector instructions for
   a value. */

#include "concordance.h"

#include <string.h>

/* Values between two pauses. */
#define PAUSE_VALUES 20000000.0
#define WIDTH 64

/* So that there are whole blocks, and a place behind the last value. */
tree_size concordance_tree(size_t values)
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

void concordance(concordance_job job, const int *columns, size_t count, worker by,
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

void permuted_concordance(concordance_job job, relabelled_levels other, size_t count, worker by,
                          concordance_scratch *scratch, double *excess, double *tied)
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
