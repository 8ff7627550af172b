/* Null scores of many centres under common permutations: how many of them reach the observed score
   of their centre, and the largest of all centres. */

#include <math.h>
#include <string.h>

#include "entry.h"

/* sums: inner products, shifts x centres x models x cosets; least, scale, observed: centres x
   models. list(count, total, squares = centres x models, largest = permutations x models): how many
   sums are at least `least`; the sum of what they exceed `observed` by, times scale, and of its
   square; the largest sum * scale of all centres, a row a permutation. A centre whose scale is not
   a number is left out. */
SEXP repalign_center_null(SEXP sums, SEXP shifts, SEXP least, SEXP scale, SEXP observed)
{
    const size_t length = count_doubles(ARG(sums)), n = read_count(ARG(shifts), 1, length);
    const double *lowest = read_matrix(ARG(least));
    const size_t centers = matrix_rows(least), models = matrix_columns(least);
    const double *factor = read_matrix_size(ARG(scale), centers, models);
    const double *known = read_matrix_size(ARG(observed), centers, models);
    const size_t each = n * centers * models, cosets = length / (each > 0 ? each : 1);
    const double *from = read_doubles(ARG(sums), each * cosets);
    SEXP result = PROTECT(NAMED_LIST("count", "total", "squares", "largest"));
    double *totals[3];
    for (int k = 0; k < 3; k++) {
        totals[k] = put_matrix(result, k, centers, models);
        memset(totals[k], 0, centers * models * sizeof(double));
    }
    double *largest = put_matrix(result, 3, n * cosets, models);
    for (size_t k = 0; k < n * cosets * models; k++) largest[k] = -INFINITY;
    for (size_t block = 0; block < cosets * models; block++) {
        const size_t coset = block / models, model = block % models;
        double *to = largest + model * n * cosets + coset * n;
        for (size_t center = 0; center < centers; center++, from += n) {
            const size_t at = center + model * centers;
            const double limit = lowest[at], unit = factor[at], own = known[at];
            size_t reached = 0;
            double total = 0.0, squares = 0.0;
            if (isnan(unit)) continue;
            for (size_t t = 0; t < n; t++) {
                const double score = from[t] * unit, beyond = (from[t] - own) * unit;
                reached += from[t] >= limit;
                total += beyond;
                squares += beyond * beyond;
                to[t] = score > to[t] ? score : to[t];
            }
            totals[0][at] += (double) reached;
            totals[1][at] += total;
            totals[2][at] += squares;
        }
    }
    UNPROTECT(1);
    return result;
}
