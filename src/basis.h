/* Orthonormal bases of the space that the columns of a matrix span, and a small factor of its
   inner products of rows. */
#ifndef REPALIGN_BASIS_H
#define REPALIGN_BASIS_H

#include <stddef.h>

#include "matrix.h"
#include "pause.h"

/* Columns that are not all zero, with a power of two each that brings its norm into
   [1/2, 1): the space does not depend on the sizes of columns, its accuracy should not
   either. Gives their number; kept and factor have room for v->d. */
size_t nonzero_columns(const centered_view *v, size_t *kept, double *factor);

/* Those columns, times their factors, into out (n x count). */
void load_nonzero(const centered_view *v, const size_t *kept, const double *factor, size_t count,
                  double *out);

/* Basis by Cholesky factors of Gram matrices: fast, and used only where a bound on the
   condition number proves that the columns are independent and that no digits are lost.
   a (n x d, n >= d; columns times factor): becomes the basis, or stays as it is when the
   result is 0; triangle (d x d): upper, basis times triangle is a without the factors.
   work1, work2: d x d each. */
int cholesky_basis(size_t n, size_t d, double *a, const double *factor, double *triangle,
                   double *work1, double *work2, pause_function pause);

/* The same triangle of all columns of v, without the basis, which takes half of the time; only
   where the columns are independent beyond doubt and far from dependent, else the result is 0.
   block: rows x d; factor: d; triangle, work1, work2: d x d each. */
int gram_triangle(const centered_view *v, size_t rows, double *block, double *factor,
                  double *triangle, double *work1, double *work2, pause_function pause);

/* The inner products of two bases, from those of the columns (cross, m x n) and the triangles of
   both sides. */
void whiten(double *cross, size_t m, size_t n, const double *left, const double *right);

/* out (d x d, zero below) = upper triangle of a (leading dimension lda), column j over
   factor[j]. */
void copy_upper(const double *a, size_t lda, size_t d, const double *factor, double *out);

/* to (columns x rows) = transpose of from (rows x columns), in tiles. */
void transpose(const double *from, size_t rows, size_t columns, double *to);

/* l (n x n, lower) with l l' = x x', for at least as many columns as rows: x' = QR, l = R'.
   turned: scratch d x n; tau: n; work: lapack_qr_work(d, n). */
void row_factor(const centered_view *v, double *turned, double *tau, double *work,
                size_t work_length, pause_function pause, double *l);

#endif
