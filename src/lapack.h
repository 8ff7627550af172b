/* LAPACK on plain C types, column-major, as blas.h. Functions take the scratch that LAPACK asks for
   by themselves, and give it back: they run on the main thread alone. Routines that can fail give
   LAPACK's info: 0 is success. */
#ifndef REPALIGN_LAPACK_H
#define REPALIGN_LAPACK_H

#include <stddef.h>

/* Singular values s (decreasing) of a (m x n); with vectors also u (m x k) and vt (k x n), k the
   smaller side, which are NULL without. By the slower and surer of LAPACK's two routines where the
   quick one fails; an error where that fails, too. Then a look for interrupts. room: 0 or,
   for more matrices of this size, what the first of them left there. */
void decompose(int vectors, size_t m, size_t n, const double *a, double *s, double *u, double *vt,
               int *room);

/* Householder QR of a (m x n): R above the diagonal, reflectors below, factors in tau. */
void lapack_qr(size_t m, size_t n, double *a, double *tau);

/* a (m x k, from lapack_qr) = the first k columns of Q. */
void lapack_form_q(size_t m, size_t k, double *a, const double *tau);

/* c (m x columns) = Q c, Q from k reflectors of lapack_qr in a (m x k). */
void lapack_apply_q(size_t m, size_t columns, size_t k, const double *a, const double *tau,
                    double *c);

/* Eigenvalues, rising, of the symmetric tridiagonal matrix with this diagonal (n) and off-diagonal
   (n - 1): into diagonal; off is destroyed. */
int lapack_tridiagonal_values(size_t n, double *diagonal, double *off);

/* The unit eigenvector of one of these values. work: 5 n doubles; iwork: n ints. */
int lapack_tridiagonal_vector(size_t n, const double *diagonal, const double *off, double value,
                              double *vector, double *work, int *iwork);

/* The unit eigenvector of the largest eigenvalue of a symmetric matrix a (n x n, lower triangle),
   which is destroyed. */
int lapack_leading_vector(size_t n, double *a, double *vector);

/* Upper triangle of a (n x n) = R with a = R'R; the lower one stays. Not 0: not positive. */
int lapack_cholesky(size_t n, double *a);

/* Upper triangle of a (n x n) = that of its inverse. Not 0: not positive. */
int lapack_cholesky_inverse(size_t n, double *a);

/* An estimate of the condition number (1-norm) of the upper triangle of r (n x n); infinity where
   it is singular. */
double lapack_upper_condition(size_t n, const double *r);

#endif
