/* Entry points of H values from responses to several trials.

   sample: a list of x and y (sums: a row for each event of each stimulus, a column for each
   neuron), counts_x and counts_y (of the same size, or both a single column), session_x and
   session_y (codes; neurons of equal codes may share noise), units (a code for each stimulus, 1 ..
   B in increasing order) and runs. A result has a row for nothing deleted and one for each unit. */

#include "trial_moments.h"

#include "entry.h"

static trial_side read_trial_side(SEXP sample, const char *sums, const char *counts,
                                  const char *session, size_t rows)
{
    SEXP values = read_element(ARG(sample), sums), number = read_element(ARG(sample), counts);
    const trial_side side = {
        read_matrix_rows(values, sums, rows), read_matrix_rows(number, counts, rows),
        read_indices(read_element(ARG(sample), session), session, matrix_columns(values), INT_MAX),
        matrix_columns(values)};
    if (matrix_columns(number) != 1 && matrix_columns(number) != side.columns)
        argument_error(counts, "have one column, or as many as the responses");
    return side;
}

/* Where the units start. */
static const size_t *read_units(const int *codes, size_t stimuli, size_t *units)
{
    size_t *start = size_scratch(stimuli + 1);
    *units = 0;
    for (size_t i = 0; i < stimuli; i++) {
        if ((size_t) codes[i] != *units && (size_t) codes[i] != *units + 1)
            argument_error("units", "be codes in increasing order");
        if ((size_t) codes[i] == *units + 1) start[(*units)++] = i;
    }
    start[*units] = stimuli;
    return start;
}

static trial_sample read_sample(SEXP sample)
{
    SEXP codes = read_element(ARG(sample), "units");
    const size_t stimuli = (size_t) Rf_xlength(codes);
    const int *units = read_indices(codes, "units", stimuli, INT_MAX);
    const size_t rows = matrix_rows(read_element(ARG(sample), "x"));
    if (stimuli == 0 || rows % stimuli != 0) argument_error("units", "have a code a stimulus");
    trial_sample s = {read_trial_side(sample, "x", "counts_x", "session_x", rows),
                      read_trial_side(sample, "y", "counts_y", "session_y", rows),
                      stimuli, rows / stimuli, 0, NULL, 0,
                      read_flag(read_element(ARG(sample), "runs"), "runs")};
    s.start = read_units(units, stimuli, &s.units);
    const size_t masks_x = matrix_columns(read_element(ARG(sample), "counts_x"));
    const size_t masks_y = matrix_columns(read_element(ARG(sample), "counts_y"));
    s.masked = masks_x == s.x.columns && masks_y == s.y.columns;
    if (!s.masked && (masks_x != 1 || masks_y != 1))
        argument_error("counts_y", "have columns as `counts_x` has");
    return s;
}

static trial_room make_room(const trial_sample *s, worker by)
{
    const trial_room room = {scratch(trial_lanes_length(s)),
                             scratch((size_t) by.threads * trial_scratch_length(s))};
    return room;
}

/* The value of every neuron pair, nothing deleted. */
SEXP repalign_trial_terms(SEXP sample, SEXP threads)
{
    begin_entry(__func__);
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(s.x.columns, s.y.columns));
    trial_terms(&s, make_room(&s, by), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* For each column of x the sum over the columns of y, times weights (NULL: of 1). */
SEXP repalign_trial_columns(SEXP sample, SEXP weights, SEXP deletions, SEXP threads)
{
    begin_entry(__func__);
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    const int all = read_flag(ARG(deletions));
    const double *w = Rf_isNull(weights)
                          ? NULL
                          : read_matrix_size(ARG(weights), s.x.columns, s.y.columns);
    SEXP result = PROTECT(new_matrix(all ? s.units + 1 : 1, s.x.columns));
    trial_columns(&s, w, all, make_room(&s, by), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_trial_pairs(SEXP sample, SEXP ix, SEXP iy, SEXP deletions, SEXP threads)
{
    begin_entry(__func__);
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    const int *a = read_zero_based(ARG(ix), s.x.columns);
    const size_t pairs = (size_t) XLENGTH(ix);
    read_indices(ARG(iy), pairs, s.y.columns);
    const int *b = read_zero_based(ARG(iy), s.y.columns);
    const int all = read_flag(ARG(deletions));
    SEXP result = PROTECT(new_matrix(all ? s.units + 1 : 1, pairs));
    trial_pairs(&s, a, b, pairs, all, make_room(&s, by), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* The Gram matrices of the rows of each stimulus: events^2 x stimuli. */
SEXP repalign_event_grams(SEXP rows, SEXP events, SEXP threads)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(rows));
    const size_t height = matrix_rows(rows), count = read_count(ARG(events), 1, height);
    if (height % count != 0) argument_error("events", "divide the rows");
    SEXP result = PROTECT(new_matrix(count * count, height / count));
    event_grams(values, height / count, count, matrix_columns(rows), read_worker(ARG(threads)),
                REAL(result));
    UNPROTECT(1);
    return result;
}
