/* Entry point of distances among a few rows. */

#include "cloud.h"

#include "entry.h"

/* Distances, times scale, between the rows (one-based) of x, as stats::dist() orders them. */
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const int *chosen = read_zero_based(ARG(rows), n);
    const size_t m = (size_t) XLENGTH(rows);
    const double factor = read_number(ARG(scale));
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(packed_length(m)));
    double *points = scratch(m * d);
    gather_rows(values, n, d, chosen, m, points);
    point_distances(points, m, d, factor, by, REAL(result));
    UNPROTECT(1);
    return result;
}
