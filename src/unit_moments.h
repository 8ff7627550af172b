/* H values of neuron pairs from moments of units, with nothing and with each unit deleted.

   A unit is a piece of the data that is independent of the others: a cluster of stimuli, or a
   stimulus with its trials. For a pair of neurons its moments are means over its members, the
   pairs of responses that may be multiplied: p of the products, x and y of the two responses. With
   d_uv = p_u + p_v - x_u y_v - x_v y_u for two units u and v, the corrected estimate is the mean
   over choices of four different units of products of d, which comes to

       t1 / (B)_2 - 2 t2 / (B)_3 + t3 / (B)_4,    (B)_k = B (B - 1) ... (B - k + 1),

   where t1, t2 and t3 are made of 13 sums over the B units (power_sums in unit_moments.c). Deleting
   a unit takes its part off each sum. Units of one stimulus each give the corrected estimate of
   estimator.h. The naive estimate is that of all members as if they were independent. */
#ifndef REPALIGN_UNIT_MOMENTS_H
#define REPALIGN_UNIT_MOMENTS_H

#include <stddef.h>

#include "threads.h"

/* Neuron pairs that are taken together, in lanes. */
#define PAIR_LANES 16

/* The moments of unit u for the neuron pair in lane b stand at [u * PAIR_LANES + b]. */
typedef struct {
    size_t units;
    const double *p, *x, *y;
} unit_moments;

/* The corrected values alone, where some units have no member for some neuron pairs: such a unit
   has present = 0 (else 1) and moments of 0, and does not count. NaN where fewer than four units
   are left. */
void present_estimates(const unit_moments *moments, const double *present, int deletions,
                       double *corrected);

#endif
