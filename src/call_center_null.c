/* Entry point of the counts and maxima of null scores of many centres. */

#include "center_null.h"

#include <string.h>

#include "entry.h"

/* sums: shifts x centres x models x cosets; least, scale, observed: centres x models. Returns
   list(count, total, squares = centres x models, largest = permutations x models). */
SEXP repalign_center_null(SEXP sums, SEXP shifts, SEXP least, SEXP scale, SEXP observed)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(sums));
    center_sums s;
    s.shifts = read_count(ARG(shifts), 1, length);
    const double *l = read_matrix(ARG(least));
    s.centers = matrix_rows(least);
    s.models = matrix_columns(least);
    const double *f = read_matrix_size(ARG(scale), s.centers, s.models);
    const double *o = read_matrix_size(ARG(observed), s.centers, s.models);
    const size_t each = s.shifts * s.centers * s.models;
    s.cosets = length / (each > 0 ? each : 1);
    s.sums = read_doubles(ARG(sums), each * s.cosets);
    const char *names[] = {"count", "total", "squares", "largest", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *totals[3];
    for (int k = 0; k < 3; k++) {
        totals[k] = put_matrix(result, k, s.centers, s.models);
        memset(totals[k], 0, s.centers * s.models * sizeof(double));
    }
    center_null(&s, l, f, o, totals[0], totals[1], totals[2],
                put_matrix(result, 3, s.shifts * s.cosets, s.models));
    UNPROTECT(1);
    return result;
}
