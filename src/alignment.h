/* Passes over representations before and after they are aligned with each other. */
#ifndef REPALIGN_ALIGNMENT_H
#define REPALIGN_ALIGNMENT_H

#include "matrix.h"

/* Columns to mean zero and unit norm, each at a scale of its own. A constant column
   becomes zeros; constant[j] is 1 for these, else 0. Returns how many are constant. */
size_t standardize_columns(const double *x, size_t n, size_t d, const double *mean, double *out,
                           int *constant);

/* Norms of the rows of the view, safe from over- and underflow. */
void row_norms(const centered_view *v, double *norm);

/* Sum over the columns of `wide` of the squared distance to their partners among those of
   `narrow` (partner: zero-based, negative for none, that is for a column of zeros).
   Scratch: n each. */
double matched_squares(const centered_view *wide, const centered_view *narrow, const int *partner,
                       double *column, double *other);

/* The largest entry of each row and column of c (m x n). */
void side_maxima(const double *c, size_t m, size_t n, double *row, double *column);

#endif
