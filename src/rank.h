/* Average ranks by radix sort, with a tolerance for ties. */
#ifndef REPALIGN_RANK_H
#define REPALIGN_RANK_H

#include "radix.h"

/* What counts as equal: values v >= w with v - w <= relative * max(|v|, |w|) + absolute. */
typedef struct {
    double relative, absolute;
} tie_tolerance;

/* Average ranks. Neighbours in the sorted order that are equal within the tolerance are tied, so
   that chains of them share one rank. length: below 2^32. Scratch: a and b `length` cells; counts
   radix_counts(length); bounds one a chunk and one more. ranks may be the memory of a. */
typedef struct {
    sort_cell *a, *b;
    size_t *counts, *bounds;
} rank_scratch;
void average_ranks(const double *values, size_t length, tie_tolerance tolerance,
                   rank_scratch scratch, worker by, double *ranks);

#endif
