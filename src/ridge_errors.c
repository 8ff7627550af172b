/* The choice of a penalty of ridge regression: errors of stimuli that are left out one at a time,
   for all penalties, from one decomposition of all rows. */

#include <string.h>

#include "blas.h"
#include "entry.h"

/* With M = I - 1/n - U diag(s^2 / (s^2 + penalty)) U', the residual of row i that is left out is
   (M y)_i / M_ii. Where the singular vectors span all that has a mean of 0, both are divided by the
   penalty: nothing is then subtracted, and it may be 0.

   u: n x rank; s: the singular values; y: n x targets, centred; least: rows with a smaller M_ii do
   not count, because the quotient has lost too many digits (in its units, divided or not).
   list(errors = penalties x targets: summed squares, own = n x penalties: M_ii). */
SEXP repalign_ridge_errors(SEXP u, SEXP s, SEXP y, SEXP penalties, SEXP least)
{
    const double *vectors = read_matrix(ARG(u));
    const size_t n = matrix_rows(u), rank = matrix_columns(u);
    const size_t levels = count_doubles(ARG(penalties));
    const double *values = read_doubles(ARG(s), rank), *responses = read_matrix_rows(ARG(y), n);
    const double *penalty = REAL(penalties), room = read_number(ARG(least));
    const size_t targets = matrix_columns(y);
    const int full = rank + 1 == n;
    double *cross = scratch(rank * targets), *weighted = scratch(rank * targets);
    double *rest = scratch(n * targets), *residual = scratch(n * targets);
    double *weight = scratch(rank), *beside = scratch(n);
    blas_gemm('T', 'N', rank, targets, n, 1.0, vectors, n, responses, n, 0.0, cross, rank);
    memset(rest, 0, n * targets * sizeof(double));
    memset(beside, 0, n * sizeof(double));
    if (!full) {
        memcpy(rest, responses, n * targets * sizeof(double));
        blas_gemm('N', 'N', n, targets, rank, -1.0, vectors, n, cross, rank, 1.0, rest, n);
        for (size_t i = 0; i < n; i++) beside[i] = 1.0 - 1.0 / (double) n;
        for (size_t k = 0; k < rank; k++)
            for (size_t i = 0; i < n; i++) beside[i] -= vectors[i + k * n] * vectors[i + k * n];
    }
    SEXP result = PROTECT(NAMED_LIST("errors", "own"));
    double *errors = put_matrix(result, 0, levels, targets);
    double *own = put_matrix(result, 1, n, levels);
    for (size_t l = 0; l < levels; l++, own += n) {
        for (size_t k = 0; k < rank; k++)
            weight[k] = (full ? 1.0 : penalty[l]) / (values[k] * values[k] + penalty[l]);
        for (size_t t = 0; t < targets; t++)
            for (size_t k = 0; k < rank; k++)
                weighted[k + t * rank] = weight[k] * cross[k + t * rank];
        memcpy(residual, rest, n * targets * sizeof(double));
        blas_gemm('N', 'N', n, targets, rank, 1.0, vectors, n, weighted, rank, 1.0, residual, n);
        memcpy(own, beside, n * sizeof(double));
        for (size_t k = 0; k < rank; k++)
            for (size_t i = 0; i < n; i++)
                own[i] += weight[k] * vectors[i + k * n] * vectors[i + k * n];
        for (size_t t = 0; t < targets; t++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) {
                const double one = own[i] < room ? 0.0 : residual[i + t * n] / own[i];
                sum += one * one;
            }
            errors[l + t * levels] = sum;
        }
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
