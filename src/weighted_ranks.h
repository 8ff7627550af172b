/* Spearman correlations over pairs of stimuli, with products of weights of stimuli. */
#ifndef REPALIGN_WEIGHTED_RANKS_H
#define REPALIGN_WEIGHTED_RANKS_H

#include "threads.h"

/* Pairs of stimuli in the order of their dissimilarities: first[k] and second[k] are the zero-based
   stimuli of the k-th pair; tied[k] says that it has the same rank as the one before. */
typedef struct {
    const int *first, *second, *tied;
} ranked_pairs;

/* After the pairs that have the same rank as the one at `start`. */
static inline size_t end_of_ties(ranked_pairs p, size_t start, size_t length)
{
    size_t end = start + 1;
    while (end < length && p.tied[end]) end++;
    return end;
}

/* Below this share of the square of their mean, a variance of ranks is rounding. */
#define NO_RANK_VARIANCE 1e-12

/* For each of the `columns` weight vectors (n long, in w) the correlation of the ranks of x and y,
   in which a pair counts as the product of its weights; NaN where a side has one rank only.
   place[k]: where the k-th pair of y stands in x, counted from zero. Scratch: threads * length. */
void weighted_rank_correlations(ranked_pairs x, ranked_pairs y, const int *place, size_t length,
                                const double *w, size_t n, size_t columns, double *scratch,
                                double *result, worker by);

#endif
