/* The matrix of the terms of neuron pairs, and sums of it over subsets of the neurons. */
#ifndef REPALIGN_NEURON_PAIRS_H
#define REPALIGN_NEURON_PAIRS_H

#include <stddef.h>

/* In: c = x'y and h = (x o x)'(y o y), qx x qy, with s and t the sums of squares of the
   columns of x and y. Out: c holds the naive terms, h the corrected ones (estimator.h). */
void finish_pair_terms(double *c, double *h, const double *s, const double *t, size_t qx,
                       size_t qy, size_t n);

/* One subset pair: sum of h over rows a and columns b (one-based, lengths na, nb). */
double gather_sum(const double *h, size_t rows, const int *a, size_t na, const int *b, size_t nb);

/* Matrix of subset membership (size x subsets) from members (m x subsets): in column r
   weight[r], or 1 without weights, for members of subset r, and 0 elsewhere. */
void fill_indicator(const int *members, size_t m, size_t subsets, size_t size, const double *weight,
                    double *indicator);

/* Sum and count of h over pairs with equal labels (0 .. n_labels - 1).
   head (n_labels) and next (nb) are scratch. */
void equal_label_sum(const double *h, size_t rows, const int *a, size_t na, const int *b,
                     size_t nb, const int *labels_x, const int *labels_y, size_t n_labels,
                     int *head, int *next, double *sum, double *count);

#endif
