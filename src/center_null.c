/* Counts and maxima of null scores: see center_null.h. */

#include "center_null.h"

#include <math.h>

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

void center_null(const center_sums *s, const double *least, const double *scale,
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
