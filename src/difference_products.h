/* Inner products of differences between rows, for all pairs of rows i < j, packed:

       (a_i - a_j) . (c_i - c_j) = k_ii + k_jj - k_ij - k_ji  with  k = a c'

   so that a matrix product makes all of them. Rows should be centred: what they have in common
   costs digits. */
#ifndef REPALIGN_DIFFERENCE_PRODUCTS_H
#define REPALIGN_DIFFERENCE_PRODUCTS_H

#include <stddef.h>

#include "threads.h"

/* Two matrices n x columns; where they are the same one, half of the products is enough. */
typedef struct {
    const double *a, *c;
    size_t n, columns;
} row_pair;

/* Scratch: n values, and n x difference_panel(n) values. */
typedef struct {
    double *own, *panel;
} difference_room;
size_t difference_panel(size_t n);

/* out (packed) += scale times the product of each pair. */
void add_differences(row_pair rows, double scale, difference_room room, pause_function pause,
                     double *out);

/* How much a pair of rows counts: 0 where one of them is missing (its count is 0), otherwise 1, or
   by its repeats r_i r_j / (r_i + r_j). The weight is that of `a` times that of `c`. */
typedef struct {
    const double *counts_a, *counts_c;
    int by_repeats;
} pair_weighting;

/* Sums over pairs of runs: of weighted products, of weights, and how many there were. */
typedef struct {
    double *products, *weights;
    int *number;
} difference_sums;

void add_weighted_differences(row_pair rows, pair_weighting weighting, difference_room room,
                              pause_function pause, difference_sums sums);

#endif
