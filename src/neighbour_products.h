/* Products of rows along the edges of neighbour graphs, without an n x n matrix. Rows lie
   together in memory here: d x n, a row of the data a column. */
#ifndef REPALIGN_NEIGHBOUR_PRODUCTS_H
#define REPALIGN_NEIGHBOUR_PRODUCTS_H

#include <stddef.h>

#include "threads.h"

typedef struct {
    const double *rows; /* d x n */
    size_t d;
    const int *idx;     /* n x k, from 1 */
    const double *dist; /* n x k: for unit rows, one minus the cosines; or NULL */
} neighbour_rows;

/* Inner products of rows i and idx[i + e n], into out (n x k). */
void edge_products(const neighbour_rows *v, size_t n, size_t k, worker by, double *out);

/* For each row: the cosine between its similarities (inner products of unit rows) to the
   union of its neighbours in x and y, as x and as y have them; or, with distance, between
   one minus the similarities. NaN where one side has zeros only. slots: n x threads
   scratch. */
void second_order_cosines(const neighbour_rows *x, const neighbour_rows *y, size_t n, size_t k,
                          int distance, worker by, int *slots, double *out);

#endif
