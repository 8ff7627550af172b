/* Entry point of the counts and maxima of null scores of many centres. */

#include "center_null.h"

#include <string.h>

#include "entry.h"

/* sums: shifts x centres x models x cosets; least, scale: centres x models. Returns list(count =
   centres x models, largest = permutations x models). */
SEXP repalign_center_null(SEXP sums, SEXP shifts, SEXP least, SEXP scale)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(sums));
    center_sums s;
    s.shifts = read_count(ARG(shifts), 1, length);
    const double *l = read_matrix(ARG(least));
    s.centers = matrix_rows(least);
    s.models = matrix_columns(least);
    const double *f = read_matrix_size(ARG(scale), s.centers, s.models);
    const size_t each = s.shifts * s.centers * s.models;
    s.cosets = length / (each > 0 ? each : 1);
    s.sums = read_doubles(ARG(sums), each * s.cosets);
    const char *names[] = {"count", "largest", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *count = put_matrix(result, 0, s.centers, s.models);
    memset(count, 0, s.centers * s.models * sizeof(double));
    center_null(&s, l, f, count, put_matrix(result, 1, s.shifts * s.cosets, s.models));
    UNPROTECT(1);
    return result;
}
