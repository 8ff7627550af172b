/* Spearman correlations over pairs of stimuli, of all and without each unit of stimuli. */
#ifndef REPALIGN_RANK_DELETIONS_H
#define REPALIGN_RANK_DELETIONS_H

#include "weighted_ranks.h"

/* The most pairs that a unit may be part of. */
#define MOST_DELETED_PAIRS 32767

/* So many units are deleted in one pass over all pairs. */
#define DELETED_AT_ONCE 32

/* x, y, place, length: as for weighted_rank_correlations(). unit: that of each stimulus, 0 ..
   units - 1. result: units + 1 correlations, first that of all pairs, then those without the pairs
   of each unit; NaN where a side has one rank only. Scratch: threads * length * DELETED_AT_ONCE
   counts, and 3 * (length + 1) sums. */
void rank_deletions(ranked_pairs x, ranked_pairs y, const int *place, size_t length,
                    const int *unit, size_t units, unsigned short *counts, double *sums,
                    double *result, worker by);

#endif
