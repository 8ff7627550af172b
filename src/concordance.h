/* Concordant less discordant pairs of one vector with many others, which share their length. What
   is tied on a side counts as 0. The kernel of RSA (kendall.h) sorts one long vector on several
   threads; this one is for many vectors. */
#ifndef REPALIGN_CONCORDANCE_H
#define REPALIGN_CONCORDANCE_H

#include <stddef.h>
#include <stdint.h>

#include "threads.h"

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
tree_size concordance_tree(size_t values);

/* columns: length x count, levels from 1 to `levels`. The scratch for `seen` has levels + 1 numbers
   more. */
void concordance(concordance_job job, const int *columns, size_t count, worker by,
                 concordance_scratch *scratch, double *out);

/* Of packed symmetric matrices of n rows, one of them relabelled: the k-th value of the first one
   is of the rows first[k] and second[k] (zero-based), and `packed` has the levels of the other one.
   permutations: n x count, zero-based. tied: for each permutation, how many pairs of the values
   that are compared are tied in the other one. */
typedef struct {
    const int *first, *second, *packed, *permutations;
    size_t n;
} relabelled_levels;
void permuted_concordance(concordance_job job, relabelled_levels other, size_t count, worker by,
                          concordance_scratch *scratch, double *excess, double *tied);

#endif
