/* Sums over all neuron pairs for linear kernels, without an n x n matrix when
   d <= n, and without a d x d one when d > n. */
#ifndef REPALIGN_LINEAR_H
#define REPALIGN_LINEAR_H

#include "matrix.h"
#include "pause.h"

/* What a pass over a representation gathers: column sums of squares (s) and fourth
   powers (f), row sums of squares (k). */
typedef struct {
    double *s, *f, *k;
} linear_sums;

/* Rows of a chunk: all of them while the buffer stays small. */
size_t chunk_rows(size_t n, size_t d);

/* c = x'y (x->d by y->d). Scratch: rows by d of each side. */
void linear_cross(const centered_view *x, const centered_view *y, size_t rows, double *x_rows,
                  double *y_rows, pause_function pause, double *c);

/* The upper triangle of c = x'x, and the sums. Scratch: rows x d. */
void linear_self(const centered_view *x, size_t rows, double *x_rows, pause_function pause,
                 double *c, linear_sums sums);

/* The upper triangle of the Gram matrix x x' (where gram is not NULL), and the sums. Scratch: n x
   columns. */
void linear_gram(const centered_view *x, size_t columns, double *x_columns, pause_function pause,
                 double *gram, linear_sums sums);

/* Sum over the columns of y of y_j' gram y_j, gram symmetric. Scratch: n x columns each. */
double gram_form(const double *gram, const centered_view *y, size_t columns, double *y_columns,
                 double *product, pause_function pause);

/* For listed column pairs: c = sum phi psi, dd = sum phi^2 psi^2. */
void paired_moments(const centered_view *x, const centered_view *y, const int *ix, const int *iy,
                    size_t pairs, double *c, double *dd);

#endif
