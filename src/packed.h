/* Passes over symmetric matrices without their diagonal, packed as stats::dist does:
   entry (i, j), i < j, row by row. */
#ifndef REPALIGN_PACKED_H
#define REPALIGN_PACKED_H

#include "chunks.h"

/* Where row i starts; the entries of row i are those with j = i + 1 .. n - 1. */
size_t packed_start(size_t n, size_t i);
size_t packed_length(size_t n);

/* Rows in chunks of about CHUNK_SIZE entries. first: room for packed_chunks(n) + 1. */
size_t packed_chunks(size_t n);
typedef struct {
    size_t n, count;
    const size_t *first;
} row_chunks;
row_chunks fill_row_chunks(size_t n, size_t *first);

/* y = A x, A with a zero diagonal. partial: scratch CHUNK_GROUP x n. */
void packed_times(const double *a, const double *x, row_chunks rows, worker by, double *partial,
                  double *y);

/* Sum over i < j of (a_ij - u_i - u_j + g) (b_ij - v_i - v_j + h). partial: scratch, one a
   chunk, here and below. */
typedef struct {
    const double *entries, *means;
    double grand;
} packed_centered;
double packed_centered_dot(packed_centered a, packed_centered b, row_chunks rows, worker by,
                           double *partial);

/* Vectors of any length: sum of (a - m) (b - l), of squares where asked for. */
typedef struct {
    const double *values;
    int square;
    double center;
} packed_values;
double packed_product(packed_values a, packed_values b, size_t length, worker by, double *partial);

/* The smallest and the largest of the values that are no NaN, how many are, and the sum of all. */
typedef struct {
    double low, high, sum, lacking;
} value_extent;
value_extent find_extent(const double *values, size_t length);

double packed_sum(packed_values a, size_t length, worker by, double *partial);

/* out = a * fa - b * fb, and the sum of its squares without out. */
void packed_difference(const double *a, double fa, const double *b, double fb, size_t length,
                       worker by, double *out);
double packed_difference_squares(const double *a, double fa, const double *b, double fb,
                                 size_t length, worker by, double *partial);

/* Sum of exp(-(v f)^2), or of exp(-v f) when the values are squares; less 1 each when shifted,
   which keeps the digits where all are near 1. */
typedef struct {
    double factor;
    int squared, shifted;
} decay;
double packed_decay(const double *v, decay how, size_t length, worker by, double *partial);

#endif
