/* Singular value decompositions that do not fail where one of LAPACK's two routines does. */
#ifndef REPALIGN_SVD_H
#define REPALIGN_SVD_H

#include <stddef.h>

/* For one size (m x n): copy m x n doubles, work svd_work(), iwork 8 min(m, n) + 1 ints. */
typedef struct {
    double *copy, *work;
    int *iwork;
} svd_scratch;
size_t svd_work(int vectors, size_t m, size_t n);

/* Singular values s (decreasing) of a (m x n, m and n at least 1); with vectors also u (m x k)
   and vt (k x n), k the smaller side, which are NULL without. Not 0: LAPACK's info. */
int svd(int vectors, const double *a, size_t m, size_t n, double *s, double *u, double *vt,
        svd_scratch z);

#endif
