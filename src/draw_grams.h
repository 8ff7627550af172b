/* Products of RDMs with weights of stimuli: see draw_grams.c. */
#ifndef REPALIGN_DRAW_GRAMS_H
#define REPALIGN_DRAW_GRAMS_H

#include "threads.h"

/* RDMs as rows, pairs of stimuli as columns: values is count x length, the k-th pair has the
   zero-based stimuli first[k] and second[k] of n. cluster: of each stimulus, zero-based. */
typedef struct {
    const double *values;
    size_t count, length, n, clusters;
    const int *first, *second, *cluster;
} rdm_rows;

/* Doubles of scratch for each thread. */
size_t draw_gram_scratch(rdm_rows rdms);

/* For each of the `draws` weight vectors (n long, in w) the count x count matrix of the products of
   all RDMs, in which a pair counts as the product of its weights. precision: NULL, or the inverse
   noise variances of the stimuli, for products in the whitened metric. Then all pairs of stimuli of
   different clusters must be there, and weights are whole numbers, the same for the stimuli of a
   cluster: copies of it, which are no pairs with each other. */
void draw_grams(rdm_rows rdms, const double *w, size_t draws, const double *precision,
                double *scratch, double *result, worker by);

#endif
