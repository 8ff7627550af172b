/* Kernels that are zero except near neighbours, kept as lists of entries: everything here
   takes time and memory in proportion to the entries. */
#ifndef REPALIGN_SPARSE_H
#define REPALIGN_SPARSE_H

#include <stddef.h>

#include "pause.h"

/* Without start: entry e < width of row i stands at i + e n (an n x width matrix).
   With start: those of row i stand at start[i] .. start[i + 1] - 1.
   Columns count from 1. The diagonal is one value and stands in no list. */
typedef struct {
    size_t n, width;
    const double *start;
    const int *column;
    const double *value;
    double diagonal;
} sparse_kernel;

/* Row and column sums, with the diagonal. */
void sparse_sums(const sparse_kernel *a, double *rows, double *columns);

/* Sum over all entries of a_ij b_ij, with the diagonals. row: n scratch. */
double sparse_dot(const sparse_kernel *a, const sparse_kernel *b, double *row,
                  pause_function pause);

/* Several kernels of one size. */
typedef struct {
    const sparse_kernel *kernels;
    size_t count;
} sparse_side;

/* The entries of one row of all kernels of a side, column by column: those of column t stand at
   start[t] .. start[t + 1] - 1 (start: n + 2), with the numbers of their kernels and their values
   (room for the entries of any row of all kernels). */
typedef struct {
    size_t *start, *kernel;
    double *value;
} row_columns;

/* The largest number of entries that all kernels of a side have in a row. */
size_t sparse_row_size(sparse_side side);

/* out (x.count x the other count): sums over all entries of a_ij b_ij, without the diagonals, of
   each kernel of x with each of y; where y.count is 0 with each other, and then only the lower
   triangle. Where `neighbours` is not 0, it is the number of entries of every row, all of them 1,
   and out has the sums over rows of their Jaccard indices; row: as large as out, or NULL. */
void sparse_grid(sparse_side x, sparse_side y, double neighbours, row_columns of_x,
                 row_columns of_y, double *row, pause_function pause, double *out);

/* The same sum over the entries that both lists have, without the diagonals; also the row
   and column sums of a and of b there, in the four columns of sums (n x 4): rows of a, rows
   of b, columns of a, columns of b. position: n scratch. */
double sparse_common(const sparse_kernel *a, const sparse_kernel *b, size_t *position, double *sums,
                     pause_function pause);

/* a' as lists: start (n + 1), column and value. at: n scratch. */
void sparse_transpose(const sparse_kernel *a, double *start, int *column, double *value,
                      size_t *at);

/* a + a' - a o a' (o: entry by entry) off the diagonal, t being a' as lists. First where
   the rows start (n + 1), then the entries. mark, at: n scratch. */
void symmetric_starts(const sparse_kernel *a, const sparse_kernel *t, double *start, int *mark);
void symmetric_entries(const sparse_kernel *a, const sparse_kernel *t, const double *start,
                       int *mark, size_t *at, int *column, double *value);

#endif
