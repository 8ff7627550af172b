/* Inner products of all representations of one list with all of another, as products of matrices:
   a stretch of all vectors is written side by side, multiplied by the BLAS, and added up. */
#ifndef REPALIGN_GRID_DOTS_H
#define REPALIGN_GRID_DOTS_H

#include "matrix.h"
#include "packed.h"
#include "threads.h"

/* One side of the grid and what is known of the other: y.count is 0 where a list is compared with
   itself, and then only the lower triangle of out is made. */

/* A value for each pair of stimuli, either squared if asked for and less a centre, or less that and
   the means of its row and its column. */
typedef struct {
    const double *values, *means;
    int square;
    double center;
} packed_vector;

typedef struct {
    const packed_vector *vectors;
    size_t count;
    double *own; /* inner products of the vectors with themselves */
} packed_side;

/* Rows of the packed matrices that are written at once, of about so many numbers in all. */
size_t packed_stretch(size_t n, size_t count, size_t room);

/* out (x.count x the other count): sums over pairs of stimuli. buffer: (x.count + y.count) times
   what packed_stretch() gives. */
void packed_grid(packed_side x, packed_side y, size_t n, size_t stretch, worker by, double *buffer,
                 double *out);

/* The Gram matrix of centred data, from the data, or as it is (n x n). */
typedef struct {
    centered_view view;
    const double *gram;
} gram_source;

typedef struct {
    const gram_source *sources;
    size_t count;
    double *own;      /* inner products of the Gram matrices with themselves */
    double *diagonal; /* n x count */
} gram_side;

/* out: inner products of the Gram matrices, of which `rows` rows are there at a time.
   buffer: rows x n for each source; data: n x the largest number of columns. */
void gram_grid(gram_side x, gram_side y, size_t n, size_t rows, pause_function pause,
               double *buffer, double *data, double *out);

#endif
