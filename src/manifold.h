/* Weights of manifold-approximated kernels: each row decays from its nearest neighbour at a
   rate of its own, so that all rows have the same sum. */
#ifndef REPALIGN_MANIFOLD_H
#define REPALIGN_MANIFOLD_H

#include <stddef.h>

#include "pause.h"

/* Distances and weights are n x k. weight = exp(-(d - rho) / sigma) with rho the
   nearest distance of the row and sigma such that the row sums to log2 k. Where log2 k or
   more neighbours tie at rho, sigma = 0 (the limit): 1 for the tied, 0 for the others.
   delta: k scratch. */
void manifold_weights(const double *dist, size_t n, size_t k, double *delta, double *weight,
                      double *sigma, pause_function pause);

#endif
