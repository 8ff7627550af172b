/* Entry point of products of RDMs with weights of stimuli. */

#include "draw_grams.h"

#include "entry.h"

/* values: an RDM a row, a pair a column; first, second: one-based stimuli of the pairs; w: a weight
   vector a column; precision: NULL or one number a stimulus; clusters: one-based. Returns a matrix
   of products, as a vector, for each column of w. */
SEXP repalign_draw_grams(SEXP values, SEXP first, SEXP second, SEXP clusters, SEXP w,
                         SEXP precision, SEXP threads)
{
    begin_entry(__func__);
    const double *rows = read_matrix(ARG(values));
    const double *weights = read_matrix(ARG(w));
    const size_t n = matrix_rows(w), draws = matrix_columns(w), count = matrix_rows(values);
    const size_t length = matrix_columns(values);
    if ((size_t) XLENGTH(first) != length) argument_error("first", "have a value for each pair");
    if ((size_t) XLENGTH(second) != length) argument_error("second", "have a value for each pair");
    if ((size_t) XLENGTH(clusters) != n)
        argument_error("clusters", "have a value for each stimulus");
    const rdm_rows rdms = {rows, count, length, n, n, read_zero_based(ARG(first), n),
                           read_zero_based(ARG(second), n), read_zero_based(ARG(clusters), n)};
    const double *inverse = Rf_isNull(precision) ? NULL : read_doubles(ARG(precision), n);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(count * count, draws));
    draw_grams(rdms, weights, draws, inverse,
               scratch((size_t) by.threads * draw_gram_scratch(rdms)), REAL(result), by);
    UNPROTECT(1);
    return result;
}
