/* Comparisons of neighbour lists: n rows of k different ids from one, column-major. */
#ifndef REPALIGN_NEIGHBOUR_LISTS_H
#define REPALIGN_NEIGHBOUR_LISTS_H

#include <stddef.h>

#include "pause.h"

/* Per row: how many neighbours both lists have. mark: scratch n. */
void shared_neighbours(const int *x, const int *y, size_t n, size_t k, int *mark, int *shared,
                       pause_function pause);

/* Per row: agreement of the ranks of the shared neighbours, 0 without any. mark: scratch n;
   harmonic: scratch k + 1. */
void rank_agreement(const int *x, const int *y, size_t n, size_t k, int *mark, double *harmonic,
                    double *agreement, pause_function pause);

/* How many i are a neighbour in x of one of their own neighbours in y. start: scratch n + 1;
   from: scratch n k; mark: scratch n. */
size_t cycle_count(const int *x, const int *y, size_t n, size_t k, size_t *start, int *from,
                   int *mark, pause_function pause);

/* Sums over rows. mark: scratch n; row: scratch 2 (k + 1). */
double common_subsequences(const int *x, const int *y, size_t n, size_t k, int *mark, int *row,
                           pause_function pause);
double edit_distances(const int *x, const int *y, size_t n, size_t k, int *row,
                      pause_function pause);

#endif
