/* Distances among a few rows, for point clouds. */
#ifndef REPALIGN_CLOUD_H
#define REPALIGN_CLOUD_H

#include <stddef.h>

#include "threads.h"

/* The rows given (zero-based) of x (n x d), one after the other, into out. */
void gather_rows(const double *x, size_t n, size_t d, const int *rows, size_t m, double *out);

/* Euclidean distances, times scale (a power of two that keeps squares in range), between
   m points of d coordinates, from differences, so that equal points are at exactly 0 and
   nothing cancels. Order of out: stats::dist(). */
void point_distances(const double *points, size_t m, size_t d, double scale, worker by,
                     double *out);

#endif
