/* The spectral norm of a packed matrix by Lanczos' method. */

#include "spectral.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "blas.h"
#include "matrix.h"

/* Steps between two looks at the Ritz values. */
#define LOOK_EVERY 8
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

/* One rotation of the implicit QL step below. */
typedef struct {
    double s, c, p, g;
} rotation;

static int rotate(double *d, double *e, double *last, size_t i, rotation *r)
{
    const double f = r->s * e[i], b = r->c * e[i];
    const double length = hypot(f, r->g);
    e[i + 1] = length;
    if (length == 0.0) {
        d[i + 1] -= r->p;
        return 0;
    }
    r->s = f / length;
    r->c = r->g / length;
    const double g = d[i + 1] - r->p, t = (d[i] - g) * r->s + 2.0 * r->c * b;
    r->p = r->s * t;
    d[i + 1] = g + r->p;
    r->g = r->c * t - b;
    const double z = last[i + 1];
    last[i + 1] = r->s * last[i] + r->c * z;
    last[i] = r->c * last[i] - r->s * z;
    return 1;
}

static size_t first_split(const double *d, const double *e, size_t from, size_t size)
{
    size_t m = from;
    for (; m + 1 < size; m++) {
        const double both = fabs(d[m]) + fabs(d[m + 1]);
        if (both + fabs(e[m]) == both) break;
    }
    return m;
}

/* Implicit QL with the rotations applied to one row: as for Gauss quadrature (Golub and
   Welsch 1969), where only that row of the vectors is wanted. */
int tridiagonal_values(double *d, double *e, double *last, size_t size)
{
    memset(last, 0, size * sizeof(double));
    last[size - 1] = 1.0;
    e[size - 1] = 0.0;
    for (size_t l = 0; l < size; l++) {
        for (int sweep = 0;; sweep++) {
            const size_t m = first_split(d, e, l, size);
            if (m == l) break;
            if (sweep == 60) return 0;
            double g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            const double length = hypot(g, 1.0);
            g = d[m] - d[l] + e[l] / (g + (g >= 0.0 ? length : -length));
            rotation r = {1.0, 1.0, 0.0, g};
            size_t i = m;
            int whole = 1;
            while (i > l && (whole = rotate(d, e, last, i - 1, &r))) i--;
            if (whole) {
                d[l] -= r.p;
                e[l] = r.g;
            }
            e[m] = 0.0;
        }
    }
    return 1;
}

/* The distance of `value` from the nearest other Ritz value. */
static double gap_around(const double *values, size_t size, size_t at)
{
    double gap = INFINITY;
    for (size_t i = 0; i < size; i++)
        if (i != at && fabs(values[i] - values[at]) < gap) gap = fabs(values[i] - values[at]);
    return gap;
}

/* A Ritz value is off by its residual r at most, and by r^2 / gap where it stands apart. */
static double error_of(const double *values, const double *last, double beta, size_t size,
                       size_t at)
{
    const double residual = beta * fabs(last[at]), gap = gap_around(values, size, at) - residual;
    return gap > residual ? residual * residual / gap : residual;
}

static lanczos_result look(const double *alpha, const double *beta, size_t size, double *small)
{
    double *values = small, *off = small + size, *last = small + 2 * size;
    memcpy(values, alpha, size * sizeof(double));
    memcpy(off, beta, size * sizeof(double));
    lanczos_result result = {0.0, 1.0, size};
    const double next = beta[size - 1];
    if (!tridiagonal_values(values, off, last, size)) return result;
    size_t low = 0, high = 0;
    for (size_t i = 1; i < size; i++) {
        if (values[i] < values[low]) low = i;
        if (values[i] > values[high]) high = i;
    }
    const size_t best = fabs(values[low]) > fabs(values[high]) ? low : high;
    const size_t other = best == low ? high : low;
    result.norm = fabs(values[best]);
    if (result.norm == 0.0) {
        result.error = next == 0.0 ? 0.0 : 1.0;
        return result;
    }
    result.error = error_of(values, last, next, size, best) / result.norm;
    /* the other end may still grow beyond this one */
    const double rival = fabs(values[other]) + next * fabs(last[other]);
    if (other != best && rival > result.norm) {
        const double open = (rival - result.norm) / result.norm;
        const double refined = error_of(values, last, next, size, other) / result.norm;
        result.error = fmax(result.error, fmin(open, refined));
    }
    return result;
}

/* w less its parts along the first `size` basis vectors, twice: once leaves rounding. */
static void reorthogonalise(const double *basis, size_t n, size_t size, double *w, double *parts,
                            double *sum)
{
    for (int pass = 0; pass < 2; pass++) {
        blas_gemv('T', n, size, basis, w, parts);
        blas_gemv('N', n, size, basis, parts, sum);
        for (size_t i = 0; i < n; i++) w[i] -= sum[i];
    }
}

lanczos_result spectral_norm(const double *a, row_chunks rows, worker by, lanczos_scratch scratch)
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
        reorthogonalise(scratch.basis, n, k + 1, w, rest, sum);
        beta[k] = sqrt(dot_blocked(w, w, n));
        size = fmax(size, fabs(alpha[k]) + beta[k]);
        /* nothing is left outside the basis but rounding: its Ritz values are exact */
        const int exhausted = beta[k] <= 1e-14 * size || k + 1 == n;
        if (exhausted) beta[k] = 0.0;
        if (exhausted || k + 1 == steps || (k + 1) % LOOK_EVERY == 0) {
            result = look(alpha, beta, k + 1, rest);
            if (exhausted || result.error <= WANTED) break;
        }
        if (k + 1 < steps)
            for (size_t i = 0; i < n; i++) scratch.basis[(k + 1) * n + i] = w[i] / beta[k];
    }
    return result;
}
