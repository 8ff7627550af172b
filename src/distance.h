/* Euclidean distances and the kernels made of them. */
#ifndef REPALIGN_DISTANCE_H
#define REPALIGN_DISTANCE_H

#include "matrix.h"
#include "pause.h"

/* In: the Gram matrix (upper triangle). Out: its upper triangle holds squared
   distances, with -1 where a pair nearly coincides and the Gram route cancels; returns
   how many of these there are. norms: scratch n. */
size_t gram_to_squared_distances(double *gram, size_t n, double *norms, pause_function pause);

/* Fills in the -1 from the rows themselves. rows: scratch d x n. */
void direct_squared_distances(const centered_view *v, double *rows, double *d2,
                              pause_function pause);

/* Upper triangle without the diagonal into out (n (n - 1) / 2 values). */
void pack_upper(const double *a, size_t n, double *out);

/* Median of square roots; values are reordered. */
double median_of_roots(double *values, size_t length, pause_function pause);

/* out = exp(-d2 / (2 sigma^2)), entry by entry; less 1 when shifted, which keeps the
   digits of wide kernels (centring removes a constant). */
void gaussian_kernel(const double *d2, size_t length, double sigma, int shifted, int threads,
                     double *out);

/* Smallest and largest entry off the diagonal. */
void off_diagonal_range(const double *k, size_t n, double *low, double *high);

/* HKH, and the U-centred matrix of Szekely and Rizzo (diagonal 0). means: scratch n. */
void double_center(double *k, size_t n, double *means, pause_function pause);
void u_center(double *k, size_t n, double *means, pause_function pause);

#endif
