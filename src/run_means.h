/* Means of conditions in runs: patterns for dissimilarities.

   Patterns are a matrix conditions x (channels * runs), the channels of a run side by side, as R
   keeps an array conditions x channels x runs. counts (conditions x runs) says how many
   observations each pattern is the mean of; 0: there is none, and the pattern is 0. */
#ifndef REPALIGN_RUN_MEANS_H
#define REPALIGN_RUN_MEANS_H

#include <stddef.h>

#include "threads.h"

typedef struct {
    size_t conditions, channels, runs;
} run_size;

/* Rows of x (rows x channels) with their condition and run, from 0. */
typedef struct {
    const double *x;
    size_t rows;
    const int *condition, *run;
} run_rows;

void run_counts(run_rows from, run_size size, double *counts);
void run_means(run_rows from, run_size size, const double *counts, worker by, double *means);

/* patterns = means less, in each channel, their mean over the conditions that are there, run by
   run: no difference between conditions changes, and large offsets cost no digits. What is missing
   is 0. */
void center_runs(const double *means, run_size size, const double *counts, worker by,
                 double *patterns);

/* Subtracts from each pattern its mean over the channels. means: scratch, one a condition. */
void center_patterns(double *patterns, run_size size, const double *counts, double *means);

#endif
