/* Sums of a symmetric matrix that the moments of a permuted inner product are made of. */
#ifndef REPALIGN_MOMENT_SUMS_H
#define REPALIGN_MOMENT_SUMS_H

#include <stddef.h>

#include "threads.h"

/* A symmetric n x n matrix seen through a change of its entries, of which no copy is made:
   (a_ij + elsewhere) * scale, and (a_ii + diagonal) * scale. */
typedef struct {
    const double *a;
    size_t n;
    double diagonal, elsewhere, scale;
} shifted_view;

/* For every column j: its diagonal entry d_j, and the sums over i of w_ij^2, w_ij^3, w_ij d_i. */
typedef struct {
    double *diagonal, *squares, *cubes, *dots;
} column_sums;

void sums_of_columns(const shifted_view *v, worker by, column_sums out);

/* Doubles of scratch that cube_trace() needs. */
size_t cube_scratch(size_t n);

/* sum_ijk w_ij w_jk w_ki, the trace of the cube, with a third of the multiplications of a product
   of the matrix with itself: the terms do not change with the order of i, j and k. */
double cube_trace(const shifted_view *v, double *work, pause_function pause);

#endif
