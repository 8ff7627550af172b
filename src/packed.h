/* Passes over symmetric matrices without their diagonal, packed as stats::dist does:
   entry (i, j), i < j, row by row. */
#ifndef REPALIGN_PACKED_H
#define REPALIGN_PACKED_H

#include "chunks.h"

/* Where row i starts; the entries of row i are those with j = i + 1 .. n - 1. */
size_t packed_start(size_t n, size_t i);
size_t packed_length(size_t n);

/* Rows in chunks of about CHUNK_SIZE entries, in memory until the entry returns. */
typedef struct {
    size_t n, count;
    const size_t *first;
} row_chunks;
row_chunks new_row_chunks(size_t n);

/* y = A x, A with a zero diagonal. partial: scratch CHUNK_GROUP x n. */
void packed_times(const double *a, const double *x, row_chunks rows, worker by, double *partial,
                  double *y);

/* out = a * fa - b * fb. */
void packed_difference(const double *a, double fa, const double *b, double fb, size_t length,
                       worker by, double *out);

#endif
