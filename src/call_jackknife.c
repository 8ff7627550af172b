/* Entry points of sums without each stimulus in turn.

   Results are list(naive, stimulus), with a row for nothing deleted and one for each stimulus. */

#include "jackknife.h"

#include "entry.h"

/* Column pairs between two pauses. */
#define PAUSE_PAIRS 64

SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights)
{
    begin_entry(__func__);
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y), most = qx > qy ? qx : qy;
    const double *w = read_matrix_size(ARG(weights), qx, qy);
    const weighted_scratch z = {scratch(n * qx), scratch(n * qy), scratch(n * qx),
                                scratch(n * qy), scratch(qx * qy), scratch(2 * most),
                                scratch(6 * n)};
    const two_estimates result = new_estimates(n + 1, 1);
    PROTECT(result.list);
    loo_weighted(left, right, n, qx, qy, w, z, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. */
SEXP repalign_loo_columns(SEXP x, SEXP y, SEXP weights)
{
    begin_entry(__func__);
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y);
    const int weighted = !Rf_isNull(weights);
    const double *w = weighted ? read_matrix_size(ARG(weights), qx, qy) : NULL;
    const column_scratch z = {scratch(n * qx),
                              scratch(n * qx),
                              scratch(n * qx),
                              scratch(column_inner_length(n, qx, qy, weighted)),
                              scratch(weighted ? n * qx : n),
                              weighted ? scratch(n * qy) : NULL};
    const two_estimates result = new_estimates(n + 1, qx);
    PROTECT(result.list);
    loo_columns(left, right, n, qx, qy, w, z, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy)
{
    begin_entry(__func__);
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const int *a = read_zero_based(ARG(ix), matrix_columns(x));
    const size_t pairs = (size_t) XLENGTH(ix), rows = n + 1;
    read_indices(ARG(iy), pairs, matrix_columns(y));
    const int *b = read_zero_based(ARG(iy), matrix_columns(y));
    const two_estimates result = new_estimates(rows, pairs);
    PROTECT(result.list);
    for (size_t p = 0; p < pairs; p++) {
        loo_one_pair(left + (size_t) a[p] * n, right + (size_t) b[p] * n, n,
                     result.naive + p * rows, result.corrected + p * rows);
        if (p % PAUSE_PAIRS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result.list;
}

/* Totals from two centred Gram matrices. */
SEXP repalign_loo_gram(SEXP k, SEXP l)
{
    begin_entry(__func__);
    const double *left = read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    read_matrix_size(ARG(k), n, n);
    const double *right = read_matrix_size(ARG(l), n, n);
    const two_estimates result = new_estimates(n + 1, 1);
    PROTECT(result.list);
    loo_from_grams(left, right, n, scratch(4 * n), result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}
