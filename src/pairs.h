/* The matrix of neuron-pair terms, from which every subset's estimate is a sum. */
#ifndef REPALIGN_PAIRS_H
#define REPALIGN_PAIRS_H

#include <stddef.h>

/* One neuron pair's term of H_S, times n (n - 3), from c = sum phi psi,
   dd = sum phi^2 psi^2 and the two sums of squares. */
double stimulus_term(double c, double dd, double s, double t, double n);

/* In: c = x'y and h = (x o x)'(y o y), qx x qy. Out: c holds c^2 / n^2 (naive
   terms), h the stimulus-corrected terms. */
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
