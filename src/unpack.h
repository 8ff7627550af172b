/* From packed matrices (packed.h) to whole ones and to other orders of the rows: what the
   permutation null needs. */
#ifndef REPALIGN_UNPACK_H
#define REPALIGN_UNPACK_H

#include "packed.h"

/* The whole matrix (n x n): entries, squared when asked for, less means[i] + means[j], plus
   grand. On the diagonal: diagonal - 2 means[i] + grand, or 0 where diagonal is NULL. means
   may be NULL, too: zeros. */
typedef struct {
    const double *entries, *means, *diagonal;
    double grand;
    int square;
} unpacked_source;
void unpack_matrix(const unpacked_source *source, row_chunks rows, worker by, double *out);

/* Entry (i, j) of out is entry (p(i), p(j)) of a, for a zero-based permutation p. */
void relabel_packed(const double *a, const int *permutation, row_chunks rows, worker by,
                    double *out);

#endif
