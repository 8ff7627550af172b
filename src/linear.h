/* Sums over all neuron pairs for linear kernels, without an n x n matrix when
   d <= n, and without a d x d one when d > n. */
#ifndef REPALIGN_LINEAR_H
#define REPALIGN_LINEAR_H

#include "matrix.h"

/* What a pass over a representation gathers: column sums of squares (s) and fourth
   powers (f), row sums of squares (k). */
typedef struct {
    double *s, *f, *k;
} linear_sums;

/* Rows of a chunk: all of them while the buffer stays small. */
size_t chunk_rows(size_t n, size_t d);

/* Adds rows i0 .. i0 + rows - 1 to c = x'y; x_rows, y_rows are scratch (rows x d). */
void accumulate_cross(const centered_view *x, const centered_view *y, size_t i0, size_t rows,
                      double *x_rows, double *y_rows, double *c);

/* The same for the upper triangle of c = x'x, and adds to the sums. */
void accumulate_self(const centered_view *x, size_t i0, size_t rows, double *x_rows, double *c,
                     linear_sums sums);

/* Adds columns j0 .. of x to the upper triangle of the Gram matrix k = x x'. */
void accumulate_gram(const centered_view *x, size_t j0, size_t columns, double *x_columns,
                     double *gram, linear_sums sums);

/* Sum over columns j0 .. of y of y_j' k y_j, k symmetric n x n. Scratch: n x columns each. */
double gram_form(const double *k, const centered_view *y, size_t j0, size_t columns,
                 double *y_columns, double *product);

/* For listed column pairs: c = sum phi psi, dd = sum phi^2 psi^2. */
void paired_moments(const centered_view *x, const centered_view *y, const int *ix, const int *iy,
                    size_t pairs, double *c, double *dd);

#endif
