/* Means of conditions in runs: see run_means.h. */

#include "run_means.h"

/* Rows that are added up between two pauses, over all channels. */
#define PAUSE_WORK 1e8

void run_counts(run_rows from, run_size size, double *counts)
{
    for (size_t k = 0; k < size.conditions * size.runs; k++) counts[k] = 0.0;
    for (size_t row = 0; row < from.rows; row++)
        counts[(size_t) from.run[row] * size.conditions + (size_t) from.condition[row]] += 1.0;
}

/* Channel j of all runs. */
static void channel_means(run_rows from, run_size size, const double *counts, size_t j,
                          double *means)
{
    const double *column = from.x + j * from.rows;
    const size_t next = size.conditions * size.channels;
    double *first = means + j * size.conditions;
    for (size_t m = 0; m < size.runs; m++)
        for (size_t i = 0; i < size.conditions; i++) first[m * next + i] = 0.0;
    for (size_t row = 0; row < from.rows; row++)
        first[(size_t) from.run[row] * next + (size_t) from.condition[row]] += column[row];
    for (size_t m = 0; m < size.runs; m++) {
        const double *number = counts + m * size.conditions;
        for (size_t i = 0; i < size.conditions; i++)
            if (number[i] > 1.0) first[m * next + i] /= number[i];
    }
}

void run_means(run_rows from, run_size size, const double *counts, worker by, double *means)
{
    const double work = (double) from.rows + (double) (size.conditions * size.runs);
    const size_t at_once = items_at_once(PAUSE_WORK, work, by.threads);
    for (size_t first = 0; first < size.channels; first += at_once) {
        const size_t last = group_end(first, at_once, size.channels);
        PARALLEL_FOR(by.threads)
        for (size_t j = first; j < last; j++) channel_means(from, size, counts, j, means);
        by.pause();
    }
}

static void center_column(const double *from, size_t conditions, const double *counts, double *to)
{
    double sum = 0.0, number = 0.0, origin = 0.0;
    for (size_t i = 0; i < conditions; i++) {
        if (counts[i] == 0.0) continue;
        if (number == 0.0) origin = from[i];
        sum += from[i] - origin;
        number += 1.0;
    }
    const double mean = number > 0.0 ? origin + sum / number : 0.0;
    for (size_t i = 0; i < conditions; i++) to[i] = counts[i] > 0.0 ? from[i] - mean : 0.0;
}

void center_runs(const double *means, run_size size, const double *counts, worker by,
                 double *patterns)
{
    const size_t n = size.conditions, columns = size.channels * size.runs;
    const size_t at_once = items_at_once(PAUSE_WORK, (double) n, by.threads);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t last = group_end(first, at_once, columns);
        PARALLEL_FOR(by.threads)
        for (size_t k = first; k < last; k++)
            center_column(means + k * n, n, counts + k / size.channels * n, patterns + k * n);
        by.pause();
    }
}

void center_patterns(double *patterns, run_size size, const double *counts, double *means)
{
    const size_t n = size.conditions;
    for (size_t m = 0; m < size.runs; m++) {
        double *run = patterns + m * n * size.channels;
        for (size_t i = 0; i < n; i++) means[i] = 0.0;
        for (size_t j = 0; j < size.channels; j++)
            for (size_t i = 0; i < n; i++) means[i] += run[j * n + i];
        for (size_t i = 0; i < n; i++) means[i] /= (double) size.channels;
        for (size_t j = 0; j < size.channels; j++)
            for (size_t i = 0; i < n; i++)
                run[j * n + i] = counts[m * n + i] > 0.0 ? run[j * n + i] - means[i] : 0.0;
    }
}
