/* H values of neuron pairs from responses to several trials, with nothing and with each unit
   deleted.

   Responses come as sums over events: what a neuron responded to stimulus i in the trials of event
   e, and how many trials these were (0: none). Trials of one event share noise, those of
   different events do not. For two neurons that may share noise (of equal sessions), the members of
   a stimulus are the pairs of trials of different events; for other neurons all pairs of trials. A
   unit is a stimulus, or a cluster of stimuli that each weigh the same. Its moments are means over
   its members (unit_moments.h); a unit without members does not count for that neuron pair.

   Where trials are crossed with stimuli (runs), products of two stimuli leave out equal runs, too.
   With R_uv the mean of x_ut y_vs over runs t != s (over all t and s for neurons that share no
   noise) and d_uv = R_uu + R_vv - R_uv - R_vu, the value is

       {(sum d)^2 - 4 sum_u (sum_v d_uv)^2 + 2 sum d^2} / (4 (n)_4),

   which needs sums over rows of d only: columns are centred within runs, so that those of R are
   0. */
#ifndef REPALIGN_TRIAL_MOMENTS_H
#define REPALIGN_TRIAL_MOMENTS_H

#include <stddef.h>

#include "threads.h"

/* Entry [i * events + e] of a column belongs to stimulus i and event e. counts: a column for each
   column of sums, or one for all (masked = 0). */
typedef struct {
    const double *sums, *counts;
    const int *session;
    size_t columns;
} trial_side;

/* Stimuli in the order of their units; start: where each unit starts (units + 1 of them). */
typedef struct {
    trial_side x, y;
    size_t stimuli, events, units;
    const size_t *start;
    int masked, runs;
} trial_sample;

#endif
