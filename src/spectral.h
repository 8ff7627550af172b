/* The spectral norm of a packed symmetric matrix by Lanczos' method. */
#ifndef REPALIGN_SPECTRAL_H
#define REPALIGN_SPECTRAL_H

#include "packed.h"

/* Scratch: basis n x steps, w 2 x n, partial CHUNK_GROUP x n, small 10 x steps, iwork
   steps. */
typedef struct {
    size_t steps;
    double *basis, *w, *partial, *small;
    int *iwork;
} lanczos_scratch;

typedef struct {
    double norm;    /* largest absolute Ritz value */
    double error;   /* bound on how far it is off, relative */
    size_t steps;
} lanczos_result;

/* Largest absolute eigenvalue of the packed matrix a with a zero diagonal. */
lanczos_result spectral_norm(const double *a, row_chunks rows, worker by, lanczos_scratch scratch);

#endif
