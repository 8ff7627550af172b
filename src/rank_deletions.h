/* Spearman correlations over pairs of stimuli, of all and without each unit of stimuli. */
#ifndef REPALIGN_RANK_DELETIONS_H
#define REPALIGN_RANK_DELETIONS_H

#include <stddef.h>
#include <stdint.h>

#include "threads.h"

/* The most pairs that a unit may be part of, and the most units. */
#define MOST_DELETED_PAIRS 32767
#define MOST_DELETED_UNITS 65536

/* So many units are deleted at the same time. */
#define DELETED_AT_ONCE 32

/* The units of the two stimuli of a pair. */
typedef struct {
    uint16_t a, b;
} unit_pair;

/* Where a pair stands among those of its first and of its second unit. */
typedef struct {
    uint32_t a, b;
} pair_slot;

/* What all sides have in common: `length` pairs in one order, of `units` units; where the pairs of
   a unit begin among those of all units, `start` (units + 1), and where a pair stands there as one
   of its first and of its second unit. Pairs are taken `chunk` at a time. */
typedef struct {
    const unit_pair *unit;
    const size_t *start;
    const pair_slot *slot;
    size_t length, units, chunk;
} common_pairs;

/* A pair and its rank. */
typedef struct {
    int pair, rank;
} pair_rank;

/* A side: order[p] is the pair with the p-th rank, tied[p] says that it has the rank of the one
   before. Filled by sort_side(): the units of the pairs in this order; where the pairs of the rank
   of the p-th end; the rank of each pair, less the mean of all, in halves; the pairs of each chunk
   in the order of their ranks; for the units of each block the places of their pairs in the order
   of ranks, twice the place and 1 for the second unit of a pair; and by how much ties lower three
   times the sum of squares of the ranks. */
typedef struct {
    const int *order, *tied;
    unit_pair *unit;
    int *end, *rank;
    pair_rank *by_chunk;
    uint32_t *by_block;
    double ties;
} ranked_side;

/* The sides of a cell, and its row of the result. */
typedef struct {
    size_t x, y, row;
} side_cell;

/* Pairs of higher ranks count `more` in a lane. */
typedef struct {
    int rank;
    int16_t lane, more;
} count_step;

/* Units that are deleted at the same time, a lane each, from unit `base` on. Scratch: for each side
   the number of steps of its counts, the steps (2 * most_deletions()) and the ranks of what is
   deleted (most_deletions()); for each cell a sum a lane; for each side the counts of a chunk, a
   lane each. */
typedef struct {
    size_t base, *steps;
    count_step *step;
    double *gone, *sums;
    int16_t *counts;
} lane_block;

/* fill: scratch, a number for each chunk and for each block of units. */
void sort_side(common_pairs all, ranked_side *side, size_t *fill);

/* The most pairs of units that are deleted at the same time. */
size_t most_deletions(common_pairs all);

/* blocks: scratch for each thread. variances: sides x (units + 1), scratch. result: for each cell
   (its row of `rows`) the correlation of all pairs, and those without the pairs of each unit; NaN
   where a side has one rank only. */
void rank_deletions(common_pairs all, const ranked_side *sides, size_t count,
                    const side_cell *cells, size_t cell_count, lane_block *blocks,
                    double *variances, double *result, size_t rows, worker by);

#endif
