/* Entry points of H values over clusters of stimuli, with each cluster deleted in turn.

   clusters: a code from 1 to the number of clusters for each row, and each of them occurs. Results
   are list(naive, stimulus), with a row for nothing deleted and one for each cluster. */

#include "unit_moments.h"

#include "entry.h"

/* Responses of both sides, the clusters of their rows, and room to work. */
typedef struct {
    cluster_layout layout;
    response_pair responses;
    moment_scratch scratch;
} clustered;

static cluster_layout read_clusters(SEXP clusters, const char *name, size_t n)
{
    const int *codes = read_indices(clusters, name, n, n);
    size_t units = 0;
    for (size_t i = 0; i < n; i++)
        if ((size_t) codes[i] > units) units = (size_t) codes[i];
    const cluster_layout layout =
        lay_out_clusters(codes, n, units, int_scratch(n), size_scratch(units + 1), scratch(units));
    for (size_t u = 0; u < units; u++)
        if (layout.size[u] == 0.0) argument_error(name, "have every code up to the largest");
    return layout;
}

static clustered read_clustered(SEXP x, SEXP y, SEXP clusters)
{
    clustered d;
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    d.responses = (response_pair){left, right, matrix_columns(x), matrix_columns(y)};
    d.layout = read_clusters(ARG(clusters), n);
    const size_t rows = n * PAIR_LANES, units = (d.layout.units + 1) * PAIR_LANES;
    d.scratch = (moment_scratch){scratch(rows),  scratch(rows),  scratch(units), scratch(units),
                                 scratch(units), scratch(units), scratch(units)};
    return d;
}

/* The term of every pair of a column of x and one of y, nothing deleted. */
SEXP repalign_unit_terms(SEXP x, SEXP y, SEXP clusters)
{
    begin_entry(__func__);
    const clustered d = read_clustered(x, y, clusters);
    const two_estimates result = new_estimates(d.responses.qx, d.responses.qy);
    PROTECT(result.list);
    unit_terms(d.layout, d.responses, d.scratch, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. */
SEXP repalign_unit_columns(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    begin_entry(__func__);
    const clustered d = read_clustered(x, y, clusters);
    const double *w = Rf_isNull(weights)
                          ? NULL
                          : read_matrix_size(ARG(weights), d.responses.qx, d.responses.qy);
    const two_estimates result = new_estimates(d.layout.units + 1, d.responses.qx);
    PROTECT(result.list);
    unit_columns(d.layout, d.responses, w, d.scratch, check_interrupt, result.naive,
                 result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* The sum over all pairs of columns, times weights; weights NULL: of 1, and nothing deleted. */
SEXP repalign_unit_weighted(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    begin_entry(__func__);
    const clustered d = read_clustered(x, y, clusters);
    const int deletions = !Rf_isNull(weights);
    const double *w =
        deletions ? read_matrix_size(ARG(weights), d.responses.qx, d.responses.qy) : NULL;
    const two_estimates result = new_estimates(deletions ? d.layout.units + 1 : 1, 1);
    PROTECT(result.list);
    unit_weighted(d.layout, d.responses, w, deletions, d.scratch, check_interrupt, result.naive,
                  result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_unit_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy, SEXP clusters)
{
    begin_entry(__func__);
    const clustered d = read_clustered(x, y, clusters);
    const int *a = read_zero_based(ARG(ix), d.responses.qx);
    const size_t pairs = (size_t) XLENGTH(ix);
    read_indices(ARG(iy), pairs, d.responses.qy);
    const int *b = read_zero_based(ARG(iy), d.responses.qy);
    const two_estimates result = new_estimates(d.layout.units + 1, pairs);
    PROTECT(result.list);
    unit_pairs(d.layout, d.responses, a, b, pairs, d.scratch, check_interrupt, result.naive,
               result.corrected);
    UNPROTECT(1);
    return result.list;
}
