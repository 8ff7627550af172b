/* Cross-validated squared distances between conditions, from patterns of runs: the means of
   conditions in runs.

   Patterns are a matrix conditions x (channels * runs), the channels of a run side by side, as R
   keeps an array conditions x channels x runs. counts (conditions x runs) says how many
   observations each pattern is the mean of; 0: there is none, and the pattern is 0. */

#include <string.h>

#include "difference_products.h"
#include "blas.h"
#include "entry.h"

typedef struct {
    size_t conditions, channels, runs;
} run_size;

/* Rows that are added up between two pauses, over all channels. */
#define PAUSE_WORK 1e8

/* Noise of its own in each run: covariances (one a run, channels x channels; NULL: the patterns are
   used as they are). root: scratch channels x channels; left, right: scratch conditions x channels.
   The patterns of a pair of runs are whitened by the mean of both covariances. */
typedef struct {
    const double **covariances;
    double *root, *left, *right;
} run_noise;

/* Crossnobis distances from the pairs of runs one by one, where conditions may be missing or count
   by their repeats: sums of products (not divided by the channels), of weights and of pairs of
   runs, which begin at 0. Returns 0, or not where a mean covariance is not positive definite. */
static int crossnobis_by_pair(const double *patterns, run_size size, const double *counts,
                              int by_repeats, run_noise noise, difference_room room,
                              pause_function pause, difference_sums sums)
{
    const size_t n = size.conditions, length = n * size.channels;
    for (size_t m = 0; m < size.runs; m++) {
        for (size_t l = m + 1; l < size.runs; l++) {
            row_pair rows = {patterns + m * length, patterns + l * length, n, size.channels};
            const pair_weighting weighting = {counts + m * n, counts + l * n, by_repeats};
            if (noise.covariances) {
                const double *first = noise.covariances[m], *second = noise.covariances[l];
                for (size_t k = 0; k < size.channels * size.channels; k++)
                    noise.root[k] = (first[k] + second[k]) / 2.0;
                if (lapack_cholesky(size.channels, noise.root) != 0) return 1;
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

static run_size read_run_size(SEXP patterns, SEXP counts)
{
    const size_t columns = matrix_columns(patterns), runs = matrix_columns(counts);
    if (runs == 0 || columns == 0 || columns % runs != 0)
        argument_error("counts", "have a column a run");
    const run_size size = {matrix_rows(patterns), columns / runs, runs};
    return size;
}

/* A channel of a run, less its mean over the conditions that are there. */
static void center_conditions(const double *from, size_t conditions, const double *counts,
                              double *to)
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

static difference_room new_difference_room(size_t n)
{
    if (n == 0) entry_error("there are no rows");
    const difference_room room = {scratch(n), scratch(n * difference_panel(n))};
    return room;
}

/* list(means, counts): the patterns of the rows of x. */
SEXP repalign_run_means(SEXP x, SEXP condition, SEXP run, SEXP conditions, SEXP runs, SEXP threads)
{
    const double *values = read_matrix(ARG(x));
    const size_t rows = matrix_rows(x), channels = matrix_columns(x);
    const size_t n = read_count(ARG(conditions), 1, INT_MAX);
    const size_t m = read_count(ARG(runs), 1, INT_MAX / (channels > 0 ? channels : 1));
    const int *of_condition = read_from_zero(ARG(condition), rows, n);
    const int *of_run = read_from_zero(ARG(run), rows, m);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(NAMED_LIST("means", "counts"));
    double *means = put_matrix(result, 0, n, channels * m), *counts = put_matrix(result, 1, n, m);
    memset(counts, 0, n * m * sizeof(double));
    for (size_t row = 0; row < rows; row++)
        counts[(size_t) of_run[row] * n + (size_t) of_condition[row]] += 1.0;
    const size_t next = n * channels;
    const size_t at_once = items_at_once(PAUSE_WORK, (double) (rows + n * m), by.threads);
    memset(means, 0, next * m * sizeof(double));
    for (size_t from = 0; from < channels; from += at_once) {
        const size_t to = group_end(from, at_once, channels);
        PARALLEL_FOR(by.threads)
        for (size_t j = from; j < to; j++) {
            const double *column = values + j * rows;
            double *first = means + j * n;
            for (size_t row = 0; row < rows; row++)
                first[(size_t) of_run[row] * next + (size_t) of_condition[row]] += column[row];
            for (size_t l = 0; l < m; l++)
                for (size_t i = 0; i < n; i++)
                    if (counts[l * n + i] > 1.0) first[l * next + i] /= counts[l * n + i];
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* Patterns with the conditions of each run centred, then (asked for) the channels of each pattern,
   then whitened: root is the upper R of a precision R'R, or NULL. In each channel the mean over the
   conditions that are there is taken off, run by run: no difference between conditions changes, and
   large offsets cost no digits. What is missing is 0. */
SEXP repalign_run_patterns(SEXP means, SEXP counts, SEXP center_channels, SEXP root, SEXP threads)
{
    const double *given = read_matrix(ARG(means));
    const size_t n = matrix_rows(means), columns = matrix_columns(means);
    const double *number = read_matrix_rows(ARG(counts), n);
    const run_size size = read_run_size(means, counts);
    const size_t channels = size.channels;
    const worker by = read_worker(ARG(threads));
    const double *upper = read_optional(ARG(root), channels, channels);
    SEXP result = PROTECT(new_matrix(n, columns));
    double *patterns = REAL(result), *mean = scratch(n);
    const size_t at_once = items_at_once(PAUSE_WORK, (double) n, by.threads);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t last = group_end(first, at_once, columns);
        PARALLEL_FOR(by.threads)
        for (size_t k = first; k < last; k++)
            center_conditions(given + k * n, n, number + k / channels * n, patterns + k * n);
        by.pause();
    }
    const int centers = read_flag(ARG(center_channels));
    for (size_t m = 0; m < size.runs; m++) {
        double *run = patterns + m * n * channels;
        memset(mean, 0, n * sizeof(double));
        for (size_t j = 0; centers && j < channels; j++)
            for (size_t i = 0; i < n; i++) mean[i] += run[j * n + i];
        for (size_t i = 0; i < n; i++) mean[i] /= (double) channels;
        for (size_t j = 0; centers && j < channels; j++)
            for (size_t i = 0; i < n; i++)
                run[j * n + i] = number[m * n + i] > 0.0 ? run[j * n + i] - mean[i] : 0.0;
        if (upper) blas_multiply_right_transposed(n, channels, upper, run);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* All conditions are in all runs, which count the same: the mean over pairs of runs, packed. Since
   sum over m != l of d_m d_l = (sum d_m)^2 - sum d_m^2, two products do. */
SEXP repalign_crossnobis(SEXP patterns, SEXP runs)
{
    const double *values = read_matrix(ARG(patterns));
    const size_t n = matrix_rows(patterns), columns = matrix_columns(patterns);
    const size_t m = read_count(ARG(runs), 2, INT_MAX), channels = columns / m;
    if (columns == 0 || columns % m != 0) argument_error("runs", "divide the columns");
    const double scale = 1.0 / ((double) m * ((double) m - 1.0) * (double) channels);
    double *sum = scratch(n * channels);
    memcpy(sum, values, n * channels * sizeof(double));
    for (size_t l = 1; l < m; l++)
        for (size_t k = 0; k < n * channels; k++) sum[k] += values[l * n * channels + k];
    const row_pair each = {values, values, n, columns}, summed = {sum, sum, n, channels};
    const difference_room room = new_difference_room(n);
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    memset(REAL(result), 0, packed_length(n) * sizeof(double));
    add_differences(summed, scale, room, check_interrupt, REAL(result));
    add_differences(each, -scale, room, check_interrupt, REAL(result));
    UNPROTECT(1);
    return result;
}

/* list(products, weights, number), packed: sums over pairs of runs. covariances: a list of one a
   run, or NULL. */
SEXP repalign_crossnobis_by_pair(SEXP patterns, SEXP counts, SEXP by_repeats, SEXP covariances)
{
    const double *values = read_matrix(ARG(patterns));
    const size_t n = matrix_rows(patterns), pairs = packed_length(n);
    const double *number = read_matrix_rows(ARG(counts), n);
    const run_size size = read_run_size(patterns, counts);
    const int repeats = read_flag(ARG(by_repeats));
    const size_t channels = size.channels;
    run_noise noise = {NULL, NULL, NULL, NULL};
    if (!Rf_isNull(covariances)) {
        if (count_elements(ARG(covariances)) != size.runs)
            argument_error("covariances", "have an element a run");
        noise.covariances = (const double **) R_alloc(size.runs, sizeof(double *));
        for (size_t m = 0; m < size.runs; m++)
            noise.covariances[m] = read_matrix_size(VECTOR_ELT(covariances, (R_xlen_t) m),
                                                    "covariances", channels, channels);
        noise.root = scratch(channels * channels);
        noise.left = scratch(n * channels);
        noise.right = scratch(n * channels);
    }
    SEXP result = PROTECT(NAMED_LIST("products", "weights", "number"));
    difference_sums sums = {put_doubles(result, 0, pairs), put_doubles(result, 1, pairs),
                            put_integers(result, 2, pairs)};
    for (size_t k = 0; k < pairs; k++) {
        sums.products[k] = sums.weights[k] = 0.0;
        sums.number[k] = 0;
    }
    if (crossnobis_by_pair(values, size, number, repeats, noise, new_difference_room(n),
                           check_interrupt, sums) != 0)
        argument_error("covariances", "be positive definite");
    UNPROTECT(1);
    return result;
}

/* (a_i - a_j) . (c_i - c_j) for all pairs of rows, packed. */
SEXP repalign_difference_products(SEXP a, SEXP c)
{
    const double *left = read_matrix(ARG(a));
    const size_t n = matrix_rows(a), columns = matrix_columns(a);
    const row_pair rows = {left, read_matrix_size(ARG(c), n, columns), n, columns};
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    for (size_t k = 0; k < packed_length(n); k++) REAL(result)[k] = 0.0;
    add_differences(rows, 1.0, new_difference_room(n), check_interrupt, REAL(result));
    UNPROTECT(1);
    return result;
}
