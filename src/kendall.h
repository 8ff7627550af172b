/* Kendall's tau-a of two vectors of average ranks. */
#ifndef REPALIGN_KENDALL_H
#define REPALIGN_KENDALL_H

#include "radix.h"

/* a, b: `length` cells; counts: radix_counts(length); partial: one a chunk. */
typedef struct {
    sort_cell *a, *b;
    size_t *counts;
    uint64_t *partial;
} kendall_scratch;

/* Concordant less discordant pairs over all pairs; length below 2^31. Pairs that are tied on a
   side count as 0. */
double kendall_tau_a(const double *ranks_x, const double *ranks_y, size_t length,
                     kendall_scratch scratch, worker by);

#endif
