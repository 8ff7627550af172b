/* Distances between rows, packed as stats::dist does, and the kernels made of them. */
#ifndef REPALIGN_DISTANCE_H
#define REPALIGN_DISTANCE_H

#include "chunks.h"
#include "matrix.h"
#include "packed.h"
#include "pause.h"

/* What a distance becomes: the distance itself, or half its square, which for rows of unit
   length is 1 - cosine (and 1 - correlation when they were centred). */
typedef enum { distance_root, distance_half_square } distance_kind;

/* Rows whose distances are wanted. Either `whole` holds them (n x d), or blocks of columns
   are loaded through the view. block: scratch n x columns; norms: scratch n; panel: scratch
   n x panel_rows(n). */
typedef struct {
    centered_view view;
    const double *whole;
    size_t columns;
    double *block, *norms, *panel;
} distance_rows;

size_t panel_rows(size_t n);

/* out: n (n - 1) / 2 values. Pairs that nearly coincide, where the Gram route cancels, are -1;
   returns how many of these there are. */
size_t packed_distances(distance_rows *rows, distance_kind kind, worker by, double *out);

/* Fills in the -1 from the rows themselves. transposed: scratch d x n. */
void direct_distances(const distance_rows *rows, distance_kind kind, double *transposed,
                      worker by, double *out);

/* Rows of x at unit length, centred before when asked for; out: n x d. usable[i] is 0 where
   that is impossible (a constant or a zero row). Returns how many these are. */
size_t unit_rows(const double *x, size_t n, size_t d, int center, worker by, double *out,
                 int *usable);

/* Median of values, which are reordered. */
double median_value(double *values, size_t length, pause_function pause);

/* out = exp(-d^2 / (2 sigma^2)), entry by entry; less 1 when shifted, which keeps the
   digits of wide kernels (centring removes a constant). */
void gaussian_kernel(const double *d, size_t length, double sigma, int shifted, worker by,
                     double *out);

/* The U-centred matrix of Szekely and Rizzo (diagonal 0). means: scratch n. */
void u_center(double *k, size_t n, double *means, pause_function pause);

#endif
