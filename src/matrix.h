/* Column statistics, centring and sums: the passes over raw data. */
#ifndef REPALIGN_MATRIX_H
#define REPALIGN_MATRIX_H

#include <float.h>
#include <stddef.h>

#include "threads.h"

/* A data matrix seen through its centring: entry (i, j) is
   (x[i + j n] - mean[j]) * inverse_scale. Nothing is copied. */
typedef struct {
    const double *x;
    size_t n, d;
    const double *mean;
    double inverse_scale;
} centered_view;

/* Is no entry NaN or infinite? */
int all_finite(const double *x, size_t length);

/* Rows i0 .. i0 + rows - 1 of the centred matrix, into out (rows x d). */
void load_rows(const centered_view *v, size_t i0, size_t rows, double *out);

/* Columns j0 .. j0 + columns - 1 of the centred matrix, into out (n x columns). */
void load_columns(const centered_view *v, size_t j0, size_t columns, double *out);

/* Sums in blocks, so that rounding grows with the block count, not the length. */
double sum_blocked(const double *a, size_t length);
double dot_blocked(const double *a, const double *b, size_t length);

/* Sum of a[i]^2 over an n x n symmetric matrix of which the upper triangle is filled. */
double squares_upper(const double *a, size_t n);

/* Copies the upper triangle of a (n x n) to the lower one. */
void mirror_upper(double *a, size_t n);

/* And the lower triangle to the upper one. */
void mirror_lower(double *a, size_t n);

/* to (columns x rows) = transpose of from (rows x columns), in tiles. */
void transpose(const double *from, size_t rows, size_t columns, double *to);

/* out = squares of the entries. */
void square_entries(const double *a, size_t length, double *out);

/* The power of two that brings a positive value into [1/2, 1), bounded so that it is a normal
   number: scaling by it changes no digit. */
double power_near_one(double largest);

/* to = (from - mean) times scale, a power of two. */
void center_column(const double *from, size_t length, double mean, double scale, double *to);

/* Between values that are equal but for rounding is at most this share of their size. */
#define EQUAL_SHARE (16.0 * DBL_EPSILON)

static inline int are_equal(double low, double high)
{
    return high - low <= EQUAL_SHARE * (high > -low ? high : -low);
}

/* Sum of the squared entries of a column of the centred matrix, and of all of it. */
double squares_of_column(const centered_view *v, size_t j);

#endif
