/* Spearman correlations over pairs of stimuli, with products of weights of stimuli. */
#ifndef REPALIGN_WEIGHTED_RANKS_H
#define REPALIGN_WEIGHTED_RANKS_H

#include <stdint.h>

#include "threads.h"

/* A pair of stimuli in the order of its dissimilarity: its zero-based stimuli, and its place among
   all pairs, doubled, plus 1 if it has the same rank as the one before. There are fewer than 2^31
   pairs, of fewer than 2^16 stimuli. */
typedef struct {
    uint32_t place_and_tie;
    uint16_t first, second;
} ranked_pair;

/* Sides with `length` pairs each, every side in its own order. */
typedef struct {
    const ranked_pair **pairs;
    size_t count;
} ranked_sides;

/* How many columns of weights are taken at once, where so many numbers may be written out. */
size_t ranked_columns_at_once(size_t sides, size_t length, size_t room);

/* For each of the `columns` weight vectors (n long, in w) the correlations of the ranks of all
   sides x with all sides y, or with each other where y.count is 0, in which a pair counts as the
   product of its weights; NaN where a side has one rank only. result: x.count x the other count x
   columns. For all sides of x and y, buffer has room for sides * at_once * length numbers (see
   ranked_columns_at_once()), and sizes for sides * at_once. */
void weighted_rank_correlations(ranked_sides x, ranked_sides y, size_t length, const double *w,
                                size_t n, size_t columns, size_t at_once, double *buffer,
                                double *sizes, double *result, worker by);

#endif
