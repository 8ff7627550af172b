/* Products of RDMs with weights of stimuli: see draw_grams.c. */
#ifndef REPALIGN_DRAW_GRAMS_H
#define REPALIGN_DRAW_GRAMS_H

#include "threads.h"

/* RDMs as rows, pairs of stimuli as columns: values is count x length, the k-th pair has the
   zero-based stimuli first[k] and second[k] of n. */
typedef struct {
    const double *values;
    size_t count, length, n;
    const int *first, *second;
} rdm_rows;

/* Doubles of scratch for each thread. */
size_t draw_gram_scratch(rdm_rows rdms);

/* For each of the `draws` weight vectors (n long, in w) the count x count matrix of the products of
   all RDMs, in which a pair counts as the product of its weights. precision: NULL, or the inverse
   noise variances of the stimuli, for products in the whitened metric (all pairs of stimuli must be
   there, and weights are whole numbers: copies of a stimulus, which are no pairs). */
void draw_grams(rdm_rows rdms, const double *w, size_t draws, const double *precision,
                double *scratch, double *result, worker by);

#endif
