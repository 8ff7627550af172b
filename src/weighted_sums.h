/* Sums over stimuli that Song's estimator with weights is made of. */
#ifndef REPALIGN_WEIGHTED_SUMS_H
#define REPALIGN_WEIGHTED_SUMS_H

#include "threads.h"

/* The sums of one vector of weights: see u_sums() in R/compare-pair-weights.R for what they are. */
#define WEIGHTED_SUMS 10

/* Matrices with n rows and a column for each vector of weights: the weights, the products of the
   kernels k and l and of m (k times l, entry by entry) with the weights and with their squares. */
typedef struct {
    const double *w, *k1, *k2, *l1, *l2, *m1, *m2;
} weight_products;

/* result: WEIGHTED_SUMS for each of the columns. */
void weighted_sums(weight_products p, size_t n, size_t columns, double *result, worker by);

#endif
