/* Cross-validated squared distances between conditions, from patterns of runs (run_means.h). */

#include <string.h>

#include "difference_products.h"
#include "run_means.h"
#include "blas.h"
#include "entry.h"

/* Noise of its own in each run: covariances (one a run, channels x channels; NULL: the patterns are
   used as they are). root: scratch channels x channels; left, right: scratch conditions x channels.
   The patterns of a pair of runs are whitened by the mean of both covariances. */
typedef struct {
    const double **covariances;
    double *root, *left, *right;
} run_noise;

/* patterns = those of each run times R', R the upper triangle of root (channels x channels). */
static void whiten_runs(double *patterns, run_size size, const double *root, pause_function pause)
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

/* All conditions in all runs, which count the same: the mean over pairs of runs, packed. Since
   sum over m != l of d_m d_l = (sum d_m)^2 - sum d_m^2, two products do. sum: scratch, conditions
   x channels. */
static void crossnobis_complete(const double *patterns, run_size size, double *sum,
                                difference_room room, pause_function pause, double *out)
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

/* The same from the pairs of runs one by one, where conditions may be missing or count by their
   repeats: sums of products (not divided by the channels), of weights and of pairs of runs, which
   begin at 0. Returns 0, or not where a mean covariance is not positive definite. */
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

static run_size read_run_size(SEXP patterns, SEXP counts)
{
    const size_t columns = matrix_columns(patterns), runs = matrix_columns(counts);
    if (runs == 0 || columns == 0 || columns % runs != 0)
        argument_error("counts", "have a column a run");
    const run_size size = {matrix_rows(patterns), columns / runs, runs};
    return size;
}

static difference_room new_difference_room(size_t n)
{
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
    read_indices(ARG(condition), rows, n);
    read_indices(ARG(run), rows, m);
    const run_rows from = {values, rows, read_zero_based(ARG(condition), n),
                           read_zero_based(ARG(run), m)};
    const run_size size = {n, channels, m};
    SEXP result = PROTECT(NAMED_LIST("means", "counts"));
    double *means = put_matrix(result, 0, n, channels * m), *counts = put_matrix(result, 1, n, m);
    run_counts(from, size, counts);
    run_means(from, size, counts, read_worker(ARG(threads)), means);
    UNPROTECT(1);
    return result;
}

/* Patterns with the conditions of each run centred, then (asked for) the channels of each pattern,
   then whitened: root is the upper R of a precision R'R, or NULL. */
SEXP repalign_run_patterns(SEXP means, SEXP counts, SEXP center_channels, SEXP root, SEXP threads)
{
    const double *from = read_matrix(ARG(means));
    const size_t n = matrix_rows(means), columns = matrix_columns(means);
    const double *number = read_matrix_rows(ARG(counts), n);
    const run_size size = read_run_size(means, counts);
    const worker by = read_worker(ARG(threads));
    const double *upper = NULL;
    if (!Rf_isNull(root)) upper = read_matrix_size(ARG(root), size.channels, size.channels);
    SEXP result = PROTECT(new_matrix(n, columns));
    double *patterns = REAL(result);
    center_runs(from, size, number, by, patterns);
    if (read_flag(ARG(center_channels))) center_patterns(patterns, size, number, scratch(n));
    if (upper) whiten_runs(patterns, size, upper, by.pause);
    UNPROTECT(1);
    return result;
}

/* All conditions are in all runs. */
SEXP repalign_crossnobis(SEXP patterns, SEXP runs)
{
    const double *values = read_matrix(ARG(patterns));
    const size_t n = matrix_rows(patterns), columns = matrix_columns(patterns);
    const size_t m = read_count(ARG(runs), 2, INT_MAX);
    if (columns % m != 0) argument_error("runs", "divide the columns");
    const run_size size = {n, columns / m, m};
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    crossnobis_complete(values, size, scratch(n * size.channels), new_difference_room(n),
                        check_interrupt, REAL(result));
    UNPROTECT(1);
    return result;
}

static run_noise read_run_noise(SEXP covariances, run_size size)
{
    run_noise noise = {NULL, NULL, NULL, NULL};
    if (Rf_isNull(covariances)) return noise;
    if (count_elements(ARG(covariances)) != size.runs)
        argument_error("covariances", "have an element a run");
    const size_t channels = size.channels;
    noise.covariances = (const double **) R_alloc(size.runs, sizeof *noise.covariances);
    for (size_t m = 0; m < size.runs; m++)
        noise.covariances[m] = read_matrix_size(VECTOR_ELT(covariances, (R_xlen_t) m),
                                                "covariances", channels, channels);
    noise.root = scratch(channels * channels);
    noise.left = scratch(size.conditions * channels);
    noise.right = scratch(size.conditions * channels);
    return noise;
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
    const run_noise noise = read_run_noise(covariances, size);
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
