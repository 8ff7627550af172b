/* Sums over the rows of two representations that stand side by side, for a streamed CKA. */
#ifndef REPALIGN_STACK_H
#define REPALIGN_STACK_H

#include "matrix.h"
#include "pause.h"

/* What is added up over rows z of D = x->d + y->d centred columns, those of x first, with weights w
   that are |x part|^2, |y part|^2 and 1:
     cross     the upper triangle of z'z (D x D)
     by_weight z'w (D x 3)
     weights   w'w (3 x 3)
     powers    for pairs of columns a, b: a^2 b^2, a^2 b and a b^2 (3 x pairs)
   All are to be zero before. */
typedef struct {
    double *cross, *by_weight, *weights, *powers;
} stacked_sums;

/* Pairs of columns, one-based. */
typedef struct {
    const int *a, *b;
    size_t count;
} column_pairs;

/* Scratch: rows x D for z, rows x 3 for w. */
void stack_sums(const centered_view *x, const centered_view *y, column_pairs pairs, size_t rows,
                double *z, double *w, pause_function pause, stacked_sums sums);

/* Sums over the pairs of columns of z'z = cross (upper triangle, column after column): within x,
   between x and y, and within y, where a pair within a side counts in both orders. squares: of the
   entries of the centred matrix, cross - n m m'; inner: of m_i cross_ij m_j. */
typedef struct {
    double squares[3], inner[3];
} packed_totals;

packed_totals sum_packed(const double *cross, size_t x_columns, size_t columns, double n,
                         const double *means);

#endif
