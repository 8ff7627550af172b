/* Cross-validated squared distances between conditions: see crossnobis.h. */

#include "crossnobis.h"

#include <string.h>

#include "blas.h"
#include "lapack.h"
#include "packed.h"

void whiten_runs(double *patterns, run_size size, const double *root, pause_function pause)
{
    for (size_t m = 0; m < size.runs; m++) {
        blas_multiply_right_transposed(size.conditions, size.channels, root,
                                       patterns + m * size.conditions * size.channels);
        pause();
    }
}

static void sum_of_runs(const double *patterns, run_size size, double *sum)
{
    const size_t length = size.conditions * size.channels;
    memcpy(sum, patterns, length * sizeof *sum);
    for (size_t m = 1; m < size.runs; m++)
        for (size_t k = 0; k < length; k++) sum[k] += patterns[m * length + k];
}

void crossnobis_complete(const double *patterns, run_size size, double *sum, difference_room room,
                         pause_function pause, double *out)
{
    const size_t n = size.conditions, pairs = packed_length(n);
    const double runs = (double) size.runs;
    const double scale = 1.0 / (runs * (runs - 1.0) * (double) size.channels);
    const row_pair each = {patterns, patterns, n, size.channels * size.runs};
    const row_pair summed = {sum, sum, n, size.channels};
    for (size_t k = 0; k < pairs; k++) out[k] = 0.0;
    sum_of_runs(patterns, size, sum);
    add_differences(summed, scale, room, pause, out);
    add_differences(each, -scale, room, pause, out);
}

/* root = the root of the mean of two covariances. */
static int mean_root(const double *first, const double *second, size_t channels, double *root)
{
    for (size_t k = 0; k < channels * channels; k++) root[k] = (first[k] + second[k]) / 2.0;
    return lapack_cholesky(channels, root);
}

int crossnobis_by_pair(const double *patterns, run_size size, const double *counts, int by_repeats,
                       run_noise noise, difference_room room, pause_function pause,
                       difference_sums sums)
{
    const size_t n = size.conditions, length = n * size.channels;
    for (size_t m = 0; m < size.runs; m++) {
        for (size_t l = m + 1; l < size.runs; l++) {
            row_pair rows = {patterns + m * length, patterns + l * length, n, size.channels};
            const pair_weighting weighting = {counts + m * n, counts + l * n, by_repeats};
            if (noise.covariances) {
                if (mean_root(noise.covariances[m], noise.covariances[l], size.channels,
                              noise.root) != 0)
                    return 1;
                memcpy(noise.left, rows.a, length * sizeof *noise.left);
                memcpy(noise.right, rows.c, length * sizeof *noise.right);
                blas_solve_right_upper(n, size.channels, noise.root, noise.left);
                blas_solve_right_upper(n, size.channels, noise.root, noise.right);
                rows.a = noise.left;
                rows.c = noise.right;
            }
            add_weighted_differences(rows, weighting, room, pause, sums);
        }
    }
    return 0;
}
