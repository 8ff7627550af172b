/* Delete-one-stimulus values of sums over neuron pairs. With a stimulus i deleted
   and the rest centred again, every pair's term is a polynomial in the two entries
   of row i whose coefficients are sums over all rows, so nothing is recomputed.

   x (n x qx) and y (n x qy) are centred; N = n - 1 >= 4 for the stimulus terms.
   Results have n + 1 rows: row 0 with nothing deleted, row i + 1 without stimulus i. */
#ifndef REPALIGN_JACKKNIFE_H
#define REPALIGN_JACKKNIFE_H

#include <stddef.h>

#include "pause.h"

/* The sums over rows (and, summed, over the pairs at hand) that the polynomial needs. */
typedef struct {
    double c2;    /* sum of c^2, c = sum_j phi psi */
    double dd;    /* sum of sum_j phi^2 psi^2 */
    double st;    /* sum of s t */
} full_sums;

typedef struct {
    double cuv;   /* sum of c u v, with u, v the entries of row i */
    double ev;    /* sum of (sum_j phi^2 psi) v */
    double fu;    /* sum of (sum_j phi psi^2) u */
    double sv2;   /* sum of s v^2 */
    double tu2;   /* sum of t u^2 */
    double u2v2;  /* sum of u^2 v^2 */
} row_sums;

double full_naive(const full_sums *f, size_t n);
double full_stimulus(const full_sums *f, size_t n);
double deleted_naive(const full_sums *f, const row_sums *r, size_t n);
double deleted_stimulus(const full_sums *f, const row_sums *r, size_t n);

/* One column pair. naive, stimulus: n + 1 values. */
void loo_one_pair(const double *phi, const double *psi, size_t n, double *naive, double *stimulus);

/* From centred Gram matrices: totals over all pairs. scratch: 4 n. */
void loo_from_grams(const double *k, const double *l, size_t n, double *scratch, double *naive,
                    double *stimulus);

/* Totals weighted by w (qx x qy). Scratch: squares_x, first (n x qx), squares_y,
   second (n x qy), cross (qx x qy), sums (2 max(qx, qy) + 6 n). */
typedef struct {
    double *squares_x, *squares_y, *first, *second, *cross, *sums;
} weighted_scratch;
void loo_weighted(const double *x, const double *y, size_t n, size_t qx, size_t qy, const double *w,
                  weighted_scratch scratch, pause_function pause, double *naive, double *stimulus);

/* For each column of x the sum over all columns of y: results (n + 1) x qx.
   Scratch: squares_x (n x qx), g, h (n x qx), inner: two matrices of qx x qy when
   n > qy, else one of n x n; l (n). */
typedef struct {
    double *squares_x, *g, *h, *inner, *l;
} column_scratch;
size_t column_inner_length(size_t n, size_t qx, size_t qy);
void loo_columns(const double *x, const double *y, size_t n, size_t qx, size_t qy,
                 column_scratch scratch, pause_function pause, double *naive, double *stimulus);

#endif
