/* Delete-one-stimulus values of sums over neuron pairs. With a stimulus i deleted
   and the rest centred again, every pair's term is a polynomial in the two entries
   of row i whose coefficients are sums over all rows, so nothing is recomputed.

   x (n x qx) and y (n x qy) are centred; N = n - 1 >= 4 for the corrected ones.
   Results have n + 1 rows: row 0 with nothing deleted, row i + 1 without stimulus i. */
#ifndef REPALIGN_JACKKNIFE_H
#define REPALIGN_JACKKNIFE_H

#include <stddef.h>

#include "pause.h"

/* One column pair. naive, corrected: n + 1 values. */
void loo_one_pair(const double *phi, const double *psi, size_t n, double *naive, double *corrected);

/* From centred Gram matrices: totals over all pairs. scratch: 4 n. */
void loo_from_grams(const double *k, const double *l, size_t n, double *scratch, double *naive,
                    double *corrected);

/* Totals weighted by w (qx x qy). Scratch: squares_x, first (n x qx), squares_y,
   second (n x qy), cross (qx x qy), sums (2 max(qx, qy)), rows (6 n). */
typedef struct {
    double *squares_x, *squares_y, *first, *second, *cross, *sums, *rows;
} weighted_scratch;
void loo_weighted(const double *x, const double *y, size_t n, size_t qx, size_t qy, const double *w,
                  weighted_scratch scratch, pause_function pause, double *naive, double *corrected);

/* For each column of x the sum over all columns of y, times weights (qx x qy; NULL: of 1):
   results (n + 1) x qx.
   Scratch: squares_x (n x qx), g, h (n x qx), inner (column_inner_length), and with weights
   squares_y (n x qy) and l (n x qx), without them l (n). */
typedef struct {
    double *squares_x, *g, *h, *inner, *l, *squares_y;
} column_scratch;
size_t column_inner_length(size_t n, size_t qx, size_t qy, int weighted);
void loo_columns(const double *x, const double *y, size_t n, size_t qx, size_t qy, const double *w,
                 column_scratch scratch, pause_function pause, double *naive, double *corrected);

#endif
