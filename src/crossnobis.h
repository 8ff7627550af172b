/* Cross-validated squared distances between conditions, from patterns of runs (run_means.h). */
#ifndef REPALIGN_CROSSNOBIS_H
#define REPALIGN_CROSSNOBIS_H

#include "difference_products.h"
#include "run_means.h"

/* patterns = those of each run times R', R the upper triangle of root (channels x channels). */
void whiten_runs(double *patterns, run_size size, const double *root, pause_function pause);

/* All conditions in all runs, which count the same: the mean over pairs of runs, packed. Since
   sum over m != l of d_m d_l = (sum d_m)^2 - sum d_m^2, two products do. sum: scratch, conditions
   x channels. */
void crossnobis_complete(const double *patterns, run_size size, double *sum, difference_room room,
                         pause_function pause, double *out);

/* Noise of its own in each run: covariances (one a run, channels x channels; NULL: the patterns are
   used as they are). root: scratch channels x channels; left, right: scratch conditions x channels.
   The patterns of a pair of runs are whitened by the mean of both covariances. */
typedef struct {
    const double **covariances;
    double *root, *left, *right;
} run_noise;

/* The same from the pairs of runs one by one, where conditions may be missing or count by their
   repeats: sums of products (not divided by the channels), of weights and of pairs of runs, which
   begin at 0. Returns 0, or not where a mean covariance is not positive definite. */
int crossnobis_by_pair(const double *patterns, run_size size, const double *counts, int by_repeats,
                       run_noise noise, difference_room room, pause_function pause,
                       difference_sums sums);

#endif
