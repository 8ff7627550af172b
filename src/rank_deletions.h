/* Spearman correlations over pairs of stimuli, of all and without each unit of stimuli. */
#ifndef REPALIGN_RANK_DELETIONS_H
#define REPALIGN_RANK_DELETIONS_H

#include <stddef.h>

#include "threads.h"

/* Pairs of stimuli in the order of their dissimilarities: first[k] and second[k] are the zero-based
   stimuli of the k-th pair; tied[k] says that it has the same rank as the one before. */
typedef struct {
    const int *first, *second, *tied;
} ordered_pairs;

/* The most pairs that a unit may be part of. */
#define MOST_DELETED_PAIRS 32767

/* So many units are deleted in one pass over all pairs. */
#define DELETED_AT_ONCE 32

/* x, y: `length` pairs each; place[k]: where the k-th pair of y stands in x, counted from zero.
   unit: that of each stimulus, 0 .. units - 1. result: units + 1 correlations, first that of all pairs, then those without the pairs
   of each unit; NaN where a side has one rank only. Scratch: threads * length * DELETED_AT_ONCE
   counts, and 3 * (length + 1) sums. */
void rank_deletions(ordered_pairs x, ordered_pairs y, const int *place, size_t length,
                    const int *unit, size_t units, unsigned short *counts, double *sums,
                    double *result, worker by);

#endif
