/* The spectral norm of a packed symmetric matrix by Lanczos' method. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "blas.h"
#include "entry.h"

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

/* The Ritz values are computed after every so many steps, until the error is below WANTED. */
#define STEPS_BETWEEN 8
#define WANTED 1e-13

/* A start vector without structure, the same in every run (splitmix64). */
static void start_vector(double *v, size_t n)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < n; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        v[i] = (double) ((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
    }
    const double length = sqrt(dot_blocked(v, v, n));
    for (size_t i = 0; i < n; i++) v[i] /= length;
}

/* The Ritz values are the eigenvalues of the tridiagonal matrix of the steps so far; how far one
   is off depends on the last component of its vector. Only the two ends are asked for that: all
   vectors at once (dsteqr, dstev) took 3 times as long at 32 steps, 6 at 64 and 20 at 256. */
typedef struct {
    const double *alpha, *beta; /* diagonal and off-diagonal; beta[size - 1] leads on */
    double *values;
    size_t size;
} ritz;

/* The residual of a Ritz value: nothing, when there is no further step. */
static double residual_of(const ritz *r, size_t at, lanczos_scratch *s)
{
    const double next = r->beta[r->size - 1];
    double *vector = s->small + 4 * s->steps, *work = vector + s->steps;
    if (next == 0.0) return 0.0;
    if (lapack_tridiagonal_vector(r->size, r->alpha, r->beta, r->values[at], vector, work,
                                  s->iwork) != 0)
        return next; /* components are at most 1 */
    return next * fabs(vector[r->size - 1]);
}

/* A Ritz value is off by its residual at most, and by residual^2 / gap where no other is near. */
static double error_of(const ritz *r, size_t at, double residual)
{
    double gap = INFINITY;
    for (size_t i = 0; i < r->size; i++)
        if (i != at) gap = fmin(gap, fabs(r->values[i] - r->values[at]));
    gap -= residual;
    return gap > residual ? residual * residual / gap : residual;
}

static lanczos_result largest_ritz_value(const double *alpha, const double *beta, size_t size,
                                         lanczos_scratch *s)
{
    const ritz r = {alpha, beta, s->small + 2 * s->steps, size};
    double *off = s->small + 3 * s->steps;
    lanczos_result result = {0.0, 1.0, size};
    memcpy(r.values, alpha, size * sizeof(double));
    memcpy(off, beta, size * sizeof(double));
    if (lapack_tridiagonal_values(size, r.values, off) != 0) return result;
    const size_t best = fabs(r.values[0]) > fabs(r.values[size - 1]) ? 0 : size - 1;
    const size_t other = size - 1 - best;
    result.norm = fabs(r.values[best]);
    if (result.norm == 0.0) {
        result.error = beta[size - 1] == 0.0 ? 0.0 : 1.0;
        return result;
    }
    result.error = error_of(&r, best, residual_of(&r, best, s)) / result.norm;
    /* the other end may still grow beyond this one */
    const double residual = residual_of(&r, other, s);
    const double grown = fabs(r.values[other]) + residual;
    if (other != best && grown > result.norm) {
        const double open = (grown - result.norm) / result.norm;
        const double refined = error_of(&r, other, residual) / result.norm;
        result.error = fmax(result.error, fmin(open, refined));
    }
    return result;
}

/* Largest absolute eigenvalue of the packed matrix a with a zero diagonal. */
static lanczos_result spectral_norm(const double *a, row_chunks rows, worker by,
                                    lanczos_scratch scratch)
{
    const size_t n = rows.n, steps = scratch.steps;
    double *alpha = scratch.small, *beta = alpha + steps, *rest = beta + steps;
    double *w = scratch.w, *sum = scratch.w + n, size = 0.0;
    lanczos_result result = {0.0, 1.0, 0};
    start_vector(scratch.basis, n);
    for (size_t k = 0; k < steps; k++) {
        const double *v = scratch.basis + k * n;
        packed_times(a, v, rows, by, scratch.partial, w);
        alpha[k] = dot_blocked(v, w, n);
        /* w less its parts along the basis so far, twice: once leaves rounding */
        for (int pass = 0; pass < 2; pass++) {
            blas_gemv('T', n, k + 1, scratch.basis, w, rest);
            blas_gemv('N', n, k + 1, scratch.basis, rest, sum);
            for (size_t i = 0; i < n; i++) w[i] -= sum[i];
        }
        beta[k] = sqrt(dot_blocked(w, w, n));
        size = fmax(size, fabs(alpha[k]) + beta[k]);
        /* nothing is left outside the basis but rounding: its Ritz values are exact */
        const int exhausted = beta[k] <= 1e-14 * size || k + 1 == n;
        if (exhausted) beta[k] = 0.0;
        if (exhausted || k + 1 == steps || (k + 1) % STEPS_BETWEEN == 0) {
            result = largest_ritz_value(alpha, beta, k + 1, &scratch);
            if (exhausted || result.error <= WANTED) break;
        }
        if (k + 1 < steps)
            for (size_t i = 0; i < n; i++) scratch.basis[(k + 1) * n + i] = w[i] / beta[k];
    }
    return result;
}

/* c(norm, relative error bound, steps) of the packed matrix a fa - b fb of n rows, in at most
   `most` steps. */
SEXP repalign_packed_difference_spectral(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP n, SEXP most,
                                         SEXP threads)
{
    const size_t size = read_count(ARG(n), 2, INT_MAX), length = packed_length(size);
    const double *left = read_doubles(ARG(a), length), *right = read_doubles(ARG(b), length);
    const size_t wanted = read_count(ARG(most), 1, INT_MAX), steps = wanted < size ? wanted : size;
    const worker by = read_worker(ARG(threads));
    double *difference = scratch(length);
    packed_difference(left, read_number(ARG(fa)), right, read_number(ARG(fb)), length, by,
                      difference);
    const lanczos_scratch z = {steps, scratch(size * steps), scratch(2 * size),
                               scratch(CHUNK_GROUP * size), scratch(10 * steps),
                               int_scratch(steps)};
    const lanczos_result found = spectral_norm(difference, new_row_chunks(size), by, z);
    SEXP result = PROTECT(new_doubles(3));
    REAL(result)[0] = found.norm;
    REAL(result)[1] = found.error;
    REAL(result)[2] = (double) found.steps;
    UNPROTECT(1);
    return result;
}
