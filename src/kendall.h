/* Kendall's tau of two vectors of average ranks. */
#ifndef REPALIGN_KENDALL_H
#define REPALIGN_KENDALL_H

#include "radix.h"

/* a, b: `length` cells; counts: radix_counts(length); partial: one a chunk. */
typedef struct {
    sort_cell *a, *b;
    size_t *counts;
    uint64_t *partial;
} kendall_scratch;

/* Numbers of pairs of values: concordant ones less discordant ones, where pairs that are tied on a
   side count as 0; all; and those that are not tied on each side. */
typedef struct {
    double excess, all, untied_x, untied_y;
} kendall_pairs;

/* length: below 2^31 */
kendall_pairs count_kendall(const double *ranks_x, const double *ranks_y, size_t length,
                            kendall_scratch scratch, worker by);

#endif
