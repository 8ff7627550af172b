/* The H value of a neuron pair whose trials are runs, crossed with stimuli: the formula stands in
   trial_moments.h. All trials are there, and every stimulus is a unit. */
#ifndef REPALIGN_RUN_MOMENTS_H
#define REPALIGN_RUN_MOMENTS_H

#include "trial_moments.h"

/* How many doubles run_estimates() needs as scratch. */
size_t run_scratch_length(const trial_sample *sample);

/* Columns a of x and b of y, centred within runs: the value with nothing deleted, and then
   (deletions) without each stimulus, at distances of `stride`. */
void run_estimates(const trial_sample *sample, size_t a, size_t b, int deletions, double *scratch,
                   double *values, size_t stride);

#endif
