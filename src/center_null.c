/* Counts and maxima of null scores: see center_null.h. */

#include "center_null.h"

#include <math.h>

static void add_center(const double *sums, size_t length, double least, double scale,
                       double *count, double *largest)
{
    size_t reached = 0;
    for (size_t t = 0; t < length; t++) {
        const double score = sums[t] * scale;
        reached += sums[t] >= least;
        largest[t] = score > largest[t] ? score : largest[t];
    }
    *count += (double) reached;
}

void center_null(const center_sums *s, const double *least, const double *scale, double *count,
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
                add_center(sums, s->shifts, least[at], scale[at], count + at, to);
            }
        }
}
