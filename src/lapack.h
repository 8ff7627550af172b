/* LAPACK on plain C types, column-major, as blas.h. The caller brings all scratch, of the
   length that the function's *_work partner tells. Routines that can fail give LAPACK's
   info: 0 is success. */
#ifndef REPALIGN_LAPACK_H
#define REPALIGN_LAPACK_H

#include <stddef.h>

/* Singular values s (decreasing) of a (m x n, m and n at least 1); with vectors also u (m x k)
   and vt (k x n), k the smaller side, which are NULL without. By the slower and surer of LAPACK's
   two routines where the quick one fails. Scratch for one size: copy m x n doubles, work
   lapack_svd_work(), iwork 8 k + 1 ints. */
typedef struct {
    double *copy, *work;
    int *iwork;
} svd_scratch;
size_t lapack_svd_work(int vectors, size_t m, size_t n);
int lapack_svd(int vectors, size_t m, size_t n, const double *a, double *s, double *u, double *vt,
               svd_scratch z);

/* Householder QR of a (m x n): R above the diagonal, reflectors below, factors in tau. */
size_t lapack_qr_work(size_t m, size_t n);
void lapack_qr(size_t m, size_t n, double *a, double *tau, double *work, size_t work_length);

/* a (m x k, from lapack_qr) = the first k columns of Q. */
size_t lapack_form_q_work(size_t m, size_t k);
void lapack_form_q(size_t m, size_t k, double *a, const double *tau, double *work,
                   size_t work_length);

/* c (m x columns) = Q c, Q from k reflectors of lapack_qr in a (m x k). */
size_t lapack_apply_q_work(size_t m, size_t columns, size_t k);
void lapack_apply_q(size_t m, size_t columns, size_t k, const double *a, const double *tau,
                    double *c, double *work, size_t work_length);

/* Eigenvalues, rising, of the symmetric tridiagonal matrix with this diagonal (n) and off-diagonal
   (n - 1): into diagonal; off is destroyed. */
int lapack_tridiagonal_values(size_t n, double *diagonal, double *off);

/* The unit eigenvector of one of these values. work: 5 n doubles; iwork: n ints. */
int lapack_tridiagonal_vector(size_t n, const double *diagonal, const double *off, double value,
                              double *vector, double *work, int *iwork);

/* The unit eigenvector of the largest eigenvalue of a symmetric matrix a (n x n, lower triangle),
   which is destroyed. values: n doubles; iwork: 10 n ints. */
size_t lapack_leading_work(size_t n);
int lapack_leading_vector(size_t n, double *a, double *vector, double *values, double *work,
                          size_t work_length, int *iwork);

/* Upper triangle of a (n x n) = R with a = R'R; the lower one stays. Not 0: not positive. */
int lapack_cholesky(size_t n, double *a);

/* Upper triangle of a (n x n) = that of its inverse. Not 0: not positive. */
int lapack_cholesky_inverse(size_t n, double *a);

/* An estimate of the condition number (1-norm) of the upper triangle of r (n x n); infinity where it
   is singular. work: 3 n doubles; counts: n ints. */
double lapack_upper_condition(size_t n, const double *r, double *work, int *counts);

#endif
