/* Inner products of every vector of one list with every one of another. */
#ifndef REPALIGN_CROSS_DOTS_H
#define REPALIGN_CROSS_DOTS_H

#include <stddef.h>

#include "threads.h"

/* out: n_x x n_y, x the fastest. A product does not depend, to the last bit, on which others
   are made with it, nor on the threads: the BLAS, which would be as fast, does not promise that. */
void cross_dots(const double *const *x, size_t n_x, const double *const *y, size_t n_y,
                size_t length, worker by, double *out);

#endif
