/* The rows of a representation as the neighbour measures compare them: one after the other,
   scaled as the measure wants. */
#ifndef REPALIGN_NEIGHBOUR_ROWS_H
#define REPALIGN_NEIGHBOUR_ROWS_H

#include "matrix.h"
#include "threads.h"

/* What becomes of the data before rows are compared. */
typedef enum {
    ROWS_CENTERED,
    ROWS_UNIT,
    ROWS_CORRELATION,
    ROWS_SCALED,
    ROW_PREPARATIONS
} row_preparation;

/* Rows one after the other (d x n, out). degenerate[i] is set where a row cannot be scaled
   to unit length: it is zero, or for correlation constant. Returns how many there are. */
size_t prepare_neighbour_rows(const centered_view *v, row_preparation how, double *rows,
                              int *degenerate, pause_function pause);

#endif
