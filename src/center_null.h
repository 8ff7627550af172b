/* Null scores of many centres under common permutations: how many of them reach the observed score
   of their centre, and the largest of all centres. */
#ifndef REPALIGN_CENTER_NULL_H
#define REPALIGN_CENTER_NULL_H

#include <stddef.h>

/* Inner products for `shifts` permutations of each of `cosets`: shifts the fastest, then centres,
   models, cosets. */
typedef struct {
    const double *sums;
    size_t shifts, centers, models, cosets;
} center_sums;

/* least, scale, observed: centres x models. count (the same) is increased by how many sums are at
   least `least`, total and squares by what the sums exceed `observed` by, times scale, and its
   square; largest, a row a permutation and a column a model, is the largest sum * scale. A centre
   whose scale is not a number is left out. */
void center_null(const center_sums *s, const double *least, const double *scale,
                 const double *observed, double *count, double *total, double *squares,
                 double *largest);

#endif
