/* Entry points of dissimilarities between conditions from runs.

   Patterns are a matrix conditions x (channels * runs); counts (conditions x runs) has the number
   of observations of each. */

#include "crossnobis.h"

#include "entry.h"

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
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const size_t rows = matrix_rows(x), channels = matrix_columns(x);
    const size_t n = read_count(ARG(conditions), 1, INT_MAX);
    const size_t m = read_count(ARG(runs), 1, INT_MAX / (channels > 0 ? channels : 1));
    read_indices(ARG(condition), rows, n);
    read_indices(ARG(run), rows, m);
    const run_rows from = {values, rows, read_zero_based(ARG(condition), n),
                           read_zero_based(ARG(run), m)};
    const run_size size = {n, channels, m};
    const char *names[] = {"means", "counts", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
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
    begin_entry(__func__);
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
    begin_entry(__func__);
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
    begin_entry(__func__);
    const double *values = read_matrix(ARG(patterns));
    const size_t n = matrix_rows(patterns), pairs = packed_length(n);
    const double *number = read_matrix_rows(ARG(counts), n);
    const run_size size = read_run_size(patterns, counts);
    const int repeats = read_flag(ARG(by_repeats));
    const run_noise noise = read_run_noise(covariances, size);
    const char *names[] = {"products", "weights", "number", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
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
    begin_entry(__func__);
    const double *left = read_matrix(ARG(a));
    const size_t n = matrix_rows(a), columns = matrix_columns(a);
    const row_pair rows = {left, read_matrix_size(ARG(c), n, columns), n, columns};
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    for (size_t k = 0; k < packed_length(n); k++) REAL(result)[k] = 0.0;
    add_differences(rows, 1.0, new_difference_room(n), check_interrupt, REAL(result));
    UNPROTECT(1);
    return result;
}
