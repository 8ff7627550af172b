/* The corrected sums of all neuron pairs, split by neuron and without each stimulus: what the
   jackknife variance of a corrected CKA has for its main parts. */
#ifndef REPALIGN_DELETION_TERMS_H
#define REPALIGN_DELETION_TERMS_H

#include <stddef.h>

#include "pause.h"

/* Centred data (n x d) with the sums of their squares over rows (k) and columns (s). */
typedef struct {
    const double *x;
    size_t d;
    double *k, *s;
} deletion_side;

void sum_squares(deletion_side a, size_t n);

/* Do Gram matrices take the place of the products of neurons? */
int is_wide(deletion_side a, deletion_side b, size_t n);

/* Scratch: `square` is n x n for Gram matrices and a.d x b.d otherwise, but at least of the larger
   number of neurons; `other` n x that number; rows: 3 n. */
typedef struct {
    double *square, *other, *rows;
} deletion_scratch;

/* The terms of neuron pairs (estimator.h) added up: over the pairs of each neuron of a (of_a) and
   of b (of_b), and over all pairs without each stimulus. */
void deletion_terms(deletion_side a, deletion_side b, size_t n, deletion_scratch z,
                    pause_function pause, double *of_a, double *of_b, double *stimuli);

/* The terms of neurons with themselves: of each neuron, and added up without each stimulus.
   rows: 3 n. */
void own_terms(deletion_side a, size_t n, double *rows, double *neurons, double *stimuli);

#endif
