/* Kernels between stimuli as matrices: the Gaussian kernel of distances, and U-centring. */
#ifndef REPALIGN_KERNEL_MATRIX_H
#define REPALIGN_KERNEL_MATRIX_H

#include "chunks.h"

/* out = exp(-d^2 / (2 sigma^2)), entry by entry; less 1 when shifted, which keeps the
   digits of wide kernels (centring removes a constant). */
void gaussian_kernel(const double *d, size_t length, double sigma, int shifted, worker by,
                     double *out);

/* The U-centred matrix of Szekely and Rizzo (diagonal 0). means: scratch n. */
void u_center(double *k, size_t n, double *means, pause_function pause);

#endif
