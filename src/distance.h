/* Distances between rows, packed as stats::dist does. */
#ifndef REPALIGN_DISTANCE_H
#define REPALIGN_DISTANCE_H

#include "chunks.h"
#include "matrix.h"
#include "packed.h"

/* Rows whose distances are wanted: Euclidean distances of the rows of the view; or, where there are
   `scale` and `mean` for each row, 1 - the cosines of the angles between the rows
   x[i, ] * scale[i] - mean[i], of which none is zero. They are loaded in blocks of `columns`.
   block: scratch n x columns; panel: scratch n x panel_rows(n); sizes: for n numbers, the squared
   lengths of the rows, or for cosines one over their lengths. */
typedef struct {
    centered_view view;
    const double *scale, *mean;
    size_t columns;
    double *block, *sizes, *panel;
} distance_rows;

/* Rows i0 to the last, columns a to a + columns - 1, scaled as distances need them. */
void load_block(const distance_rows *rows, size_t i0, size_t a, size_t columns, double *out);

/* For each row the power of two that brings its largest entry near one, and the mean of the row
   times that (0 without `center`). unusable[i] is 1 where a row has no direction (it is zero, or
   constant where it is to be centred), else 0. Returns how many these are. */
size_t find_row_facts(const double *x, size_t n, size_t d, int center, worker by, double *scale,
                      double *mean, int *unusable);

#endif
