/* Distances between rows, packed as stats::dist does. */
#ifndef REPALIGN_DISTANCE_H
#define REPALIGN_DISTANCE_H

#include "chunks.h"
#include "matrix.h"
#include "packed.h"

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

/* Rows of x at unit length, centred before when asked for; out: n x d. unusable[i] is 1
   where that is impossible (a constant or a zero row), else 0. Returns how many these are. */
size_t unit_rows(const double *x, size_t n, size_t d, int center, worker by, double *out,
                 int *unusable);

#endif
