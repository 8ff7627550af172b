/* Euclidean distances and the kernels made of them. */
#ifndef REPALIGN_DISTANCE_H
#define REPALIGN_DISTANCE_H

#include "matrix.h"

/* In: the Gram matrix (upper triangle). Out: squared distances, both triangles.
   Pairs that nearly coincide are computed again from the rows, where the Gram
   route cancels. norms: scratch n. */
void gram_to_squared_distances(const centered_view *v, double *gram, double *norms);

/* Upper triangle without the diagonal into out (n (n - 1) / 2 values). */
void pack_upper(const double *a, size_t n, double *out);

/* Median of square roots; values are reordered. */
double median_of_roots(double *values, size_t length);

/* out = exp(-d2 / (2 sigma^2)), entry by entry. */
void gaussian_kernel(const double *d2, size_t length, double sigma, int threads, double *out);

/* HKH, and the U-centred matrix of Szekely and Rizzo (diagonal 0). means: scratch n. */
void double_center(double *k, size_t n, double *means);
void u_center(double *k, size_t n, double *means);

#endif
