/* Neighbours of some rows from all of their values, with the full extent of ties.

   A product only bounds a value; what can be among the nearest within these bounds is
   computed again from the rows themselves, so the order does not depend on how the
   product was rounded. */
#ifndef REPALIGN_KNN_ROWS_H
#define REPALIGN_KNN_ROWS_H

#include "knn_space.h"
#include "threads.h"

/* gathered: d x block; product: n x block, or for packed distances n x threads; values: threads x
   2 n; all: threads x n; marks: threads x (k + 1). */
typedef struct {
    size_t block;
    double *gathered, *product, *values;
    candidate *all;
    int *marks;
} knn_rows_scratch;

/* which: count row numbers from zero. priority: one per row, or NULL. Row i of the result is that
   of which[i]. */
void knn_whole_rows(const knn_space *s, const int *which, size_t count, const double *largest,
                    const int *priority, knn_rows_scratch w, knn_lists out, worker by);

/* The same for all rows of packed distances (lower triangle by columns). */
void knn_packed_rows(const double *d, size_t n, knn_clusters clusters, const int *priority,
                     knn_rows_scratch w, knn_lists out, worker by);

#endif
