/* The null kernel "singular": the singular values of a'b with the rows of b in other orders. */
#ifndef REPALIGN_SINGULAR_NULL_H
#define REPALIGN_SINGULAR_NULL_H

#include "lapack.h"
#include "pause.h"

/* a: n x rows, b: n x columns; the values of permutation p (zero-based, n each, one after the
   other) into column p of `values`, min(rows, columns) long. Scratch: relabelled n x columns,
   product rows x columns. Not 0: LAPACK's info. */
typedef struct {
    double *relabelled, *product;
    svd_scratch svd;
} singular_scratch;
int permuted_singular_values(const double *a, size_t rows, const double *b, size_t columns,
                             size_t n, const int *permutations, size_t count,
                             singular_scratch z, pause_function pause, double *values);

#endif
