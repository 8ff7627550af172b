/* The H value of a neuron pair whose trials are runs: see run_moments.h. */

#include "run_moments.h"

#include <math.h>
#include <string.h>

/* With J = (1 1' - share I) / (T^2 - share T), where share is 1 for neurons that may share noise
   and else 0, R = x J y' for the n x T responses x and y. Of d_uv = r_u + r_v - (R + R')_uv, with r
   the diagonal of R, are needed
       rows      sum_v d_uv = n r_u + G, G = sum r
       through   sum_v d_uv rows_v = r_u sum rows + sum r rows - n ((R + R') r)_u
       squares   sum_v d_uv^2 = n r_u^2 + sum r^2 + 2 r_u G - 2 ((R + R') r)_u + ((R + R')^2)_uu. */
typedef struct {
    const double *x, *y;
    size_t n, runs;
    double share, pairs;
} run_pair;

typedef struct {
    double *grams, *vectors, *r, *rows, *through, *squares;
} run_scratch;

size_t run_scratch_length(const trial_sample *s)
{
    return 3 * s->events * s->events + 6 * s->events + 4 * s->stimuli;
}

static run_scratch lay_out_scratch(const run_pair *p, double *scratch)
{
    double *after = scratch + 3 * p->runs * p->runs + 6 * p->runs;
    const run_scratch z = {scratch,      scratch + 3 * p->runs * p->runs,
                           after,        after + p->n,
                           after + 2 * p->n, after + 3 * p->n};
    return z;
}

/* J times a vector. */
static void across_runs(const run_pair *p, const double *v, double *result)
{
    double sum = 0.0;
    for (size_t t = 0; t < p->runs; t++) sum += v[t];
    for (size_t t = 0; t < p->runs; t++) result[t] = (sum - p->share * v[t]) / p->pairs;
}

static double dot(const double *a, const double *b, size_t length)
{
    double sum = 0.0;
    for (size_t t = 0; t < length; t++) sum += a[t] * b[t];
    return sum;
}

/* v' G v or u' G v for a matrix G of the runs. */
static double form_of(const double *gram, const double *u, const double *v, size_t runs)
{
    double sum = 0.0;
    for (size_t t = 0; t < runs; t++) sum += v[t] * dot(gram + t * runs, u, runs);
    return sum;
}

/* x'x, y'y and y'x, runs by runs, one column after the other. */
static void add_grams(const run_pair *p, double *grams)
{
    const size_t runs = p->runs, size = runs * runs;
    memset(grams, 0, 3 * size * sizeof(double));
    for (size_t i = 0; i < p->n; i++) {
        const double *x = p->x + i * runs, *y = p->y + i * runs;
        for (size_t t = 0; t < runs; t++) {
            for (size_t s = 0; s < runs; s++) {
                grams[t * runs + s] += x[s] * x[t];
                grams[size + t * runs + s] += y[s] * y[t];
                grams[2 * size + t * runs + s] += y[s] * x[t];
            }
        }
    }
}

/* x' r and y' r behind J: what ((R + R') r)_u is made of. */
static void times_diagonal(const run_pair *p, const double *r, double *vectors)
{
    const size_t runs = p->runs;
    double *xr = vectors, *yr = vectors + runs;
    memset(vectors, 0, 2 * runs * sizeof(double));
    for (size_t i = 0; i < p->n; i++) {
        for (size_t t = 0; t < runs; t++) {
            xr[t] += r[i] * p->x[i * runs + t];
            yr[t] += r[i] * p->y[i * runs + t];
        }
    }
    across_runs(p, xr, vectors + 2 * runs);
    across_runs(p, yr, vectors + 3 * runs);
}

/* rows, through and squares of every stimulus. */
static void fill_sums(const run_pair *p, run_scratch z)
{
    const size_t runs = p->runs, size = runs * runs;
    const double n = (double) p->n;
    double *jx = z.vectors + 4 * runs, *jy = z.vectors + 5 * runs;
    double total = 0.0, r2 = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        across_runs(p, p->x + i * runs, jx);
        z.r[i] = dot(jx, p->y + i * runs, runs);
        total += z.r[i];
        r2 += z.r[i] * z.r[i];
    }
    times_diagonal(p, z.r, z.vectors);
    add_grams(p, z.grams);
    const double all = 2.0 * n * total, weighted = n * r2 + total * total;
    for (size_t i = 0; i < p->n; i++) {
        const double *x = p->x + i * runs, *y = p->y + i * runs;
        across_runs(p, x, jx);
        across_runs(p, y, jy);
        const double turned =
            dot(x, z.vectors + 3 * runs, runs) + dot(y, z.vectors + 2 * runs, runs);
        const double square = form_of(z.grams + size, jx, jx, runs) +
                              form_of(z.grams, jy, jy, runs) +
                              2.0 * form_of(z.grams + 2 * size, jx, jy, runs);
        z.rows[i] = n * z.r[i] + total;
        z.through[i] = z.r[i] * all + weighted - n * turned;
        z.squares[i] = n * z.r[i] * z.r[i] + r2 + 2.0 * z.r[i] * total - 2.0 * turned + square;
    }
}

static double value_of(double all, double rows2, double squares, double n)
{
    if (n < 4.0) return NAN;
    return (all * all - 4.0 * rows2 + 2.0 * squares) /
           (4.0 * n * (n - 1.0) * (n - 2.0) * (n - 3.0));
}

void run_estimates(const trial_sample *s, size_t a, size_t b, int deletions, double *scratch,
                   double *values, size_t stride)
{
    const size_t n = s->stimuli, rows = n * s->events;
    const double runs = (double) s->events, share = s->x.session[a] == s->y.session[b];
    const run_pair p = {s->x.sums + a * rows, s->y.sums + b * rows, n, s->events, share,
                        runs * runs - share * runs};
    const run_scratch z = lay_out_scratch(&p, scratch);
    fill_sums(&p, z);
    double all = 0.0, rows2 = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        all += z.rows[i];
        rows2 += z.rows[i] * z.rows[i];
        squares += z.squares[i];
    }
    values[0] = value_of(all, rows2, squares, (double) n);
    for (size_t i = 0; deletions && i < n; i++)
        values[(i + 1) * stride] = value_of(
            all - 2.0 * z.rows[i],
            rows2 - z.rows[i] * z.rows[i] - 2.0 * z.through[i] + z.squares[i],
            squares - 2.0 * z.squares[i], (double) n - 1.0);
}
