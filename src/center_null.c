/* Null scores of many centres under common permutations: how many of them reach the observed score
   of their centre, and the largest of all centres. */

#include <math.h>
#include <string.h>

#include "entry.h"

/* Inner products for `shifts` permutations of each of `cosets`: shifts the fastest, then centres,
   models, cosets. */
typedef struct {
    const double *sums;
    size_t shifts, centers, models, cosets;
} center_sums;

/* The sums of a centre and a model. */
typedef struct {
    double *count, *total, *squares;
} center_totals;

static void add_center(const double *sums, size_t length, double least, double scale,
                       double observed, center_totals to, double *largest)
{
    size_t reached = 0;
    double total = 0.0, squares = 0.0;
    for (size_t t = 0; t < length; t++) {
        const double score = sums[t] * scale, beyond = (sums[t] - observed) * scale;
        reached += sums[t] >= least;
        total += beyond;
        squares += beyond * beyond;
        largest[t] = score > largest[t] ? score : largest[t];
    }
    *to.count += (double) reached;
    *to.total += total;
    *to.squares += squares;
}

/* least, scale, observed: centres x models. count (the same) is increased by how many sums are at
   least `least`, total and squares by what the sums exceed `observed` by, times scale, and its
   square; largest, a row a permutation and a column a model, is the largest sum * scale. A centre
   whose scale is not a number is left out. */
static void center_null(const center_sums *s, const double *least, const double *scale,
                        const double *observed, double *count, double *total, double *squares,
                        double *largest)
{
    const size_t permutations = s->shifts * s->cosets;
    for (size_t k = 0; k < permutations * s->models; k++) largest[k] = -INFINITY;
    const double *sums = s->sums;
    for (size_t coset = 0; coset < s->cosets; coset++)
        for (size_t model = 0; model < s->models; model++) {
            double *to = largest + model * permutations + coset * s->shifts;
            for (size_t center = 0; center < s->centers; center++, sums += s->shifts) {
                const size_t at = center + model * s->centers;
                if (isnan(scale[at])) continue;
                const center_totals totals = {count + at, total + at, squares + at};
                add_center(sums, s->shifts, least[at], scale[at], observed[at], totals, to);
            }
        }
}

/* sums: shifts x centres x models x cosets; least, scale, observed: centres x models. Returns
   list(count, total, squares = centres x models, largest = permutations x models). */
SEXP repalign_center_null(SEXP sums, SEXP shifts, SEXP least, SEXP scale, SEXP observed)
{
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
    SEXP result = PROTECT(NAMED_LIST("count", "total", "squares", "largest"));
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
