/* Sums that a streamed CKA gathers of the rows of two representations, side by side. */
#ifndef REPALIGN_STACK_H
#define REPALIGN_STACK_H

#include "matrix.h"

/* The centred rows into out (n x d), and squares[i] = the sum of the squares of row i. */
void stack_rows(const centered_view *v, double *out, double *squares);

/* For listed pairs of columns a, b of z (n rows): sums of a^2 b^2, a^2 b and a b^2, three numbers a
   pair. */
void column_powers(const double *z, size_t n, const int *ia, const int *ib, size_t pairs,
                   double *sums);

#endif
