/* Average ranks by radix sort, and Kendall's tau-a. */
#ifndef REPALIGN_RANK_H
#define REPALIGN_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "chunks.h"

/* A sortable key in the upper half, an index or a second key in the lower one. Buffers of
   cells may also be the memory of the result. */
typedef uint64_t rank_cell;

/* Room for the counts of digits. */
size_t rank_counts(size_t length);

/* What counts as equal: values v >= w with v - w <= relative * max(|v|, |w|) + absolute. */
typedef struct {
    double relative, absolute;
} tie_tolerance;

/* Average ranks. Neighbours in the sorted order that are
   equal within the tolerance are tied (by chains). length: below 2^32. a, b: scratch of
   `length` cells; counts: scratch; bounds: scratch, one a chunk and one more. ranks may be the
   memory of a. */
typedef struct {
    rank_cell *a, *b;
    size_t *counts, *bounds;
} rank_scratch;
void average_ranks(const double *values, size_t length, tie_tolerance tolerance,
                   rank_scratch scratch, worker by, double *ranks);

/* Concordant less discordant pairs over all pairs, from two vectors of average ranks; length
   below 2^31. Pairs that are tied on a side count as 0. partial: scratch, one a chunk. */
double kendall_tau_a(const double *ranks_x, const double *ranks_y, size_t length,
                     rank_scratch scratch, uint64_t *partial, worker by);

#endif
