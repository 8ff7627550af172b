/* Sums over all neuron pairs for linear kernels, without an n x n matrix when
   d <= n, and without a d x d one when d > n. */
#ifndef REPALIGN_LINEAR_H
#define REPALIGN_LINEAR_H

#include "matrix.h"
#include "threads.h"

/* Rows of a chunk: all of them while the buffer stays small. */
size_t chunk_rows(size_t n, size_t d);

/* c = x'y (x->d by y->d). Scratch: rows by d of each side. */
void linear_cross(const centered_view *x, const centered_view *y, size_t rows, double *x_rows,
                  double *y_rows, pause_function pause, double *c);

#endif
