#include "neighbour_products.h"

#include <math.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "matrix.h"

/* Multiplications between two pauses. */
#define PAUSE_WORK ((size_t) 1 << 25)

/* One minus a cosine below this is what rounding leaves of two equal directions. */
#define SAME_DIRECTION 1e-28

static size_t block_of(size_t work, size_t n)
{
    const size_t rows = PAUSE_WORK / (work > 0 ? work : 1) + 1;
    return rows < n ? rows : n;
}

void edge_products(const neighbour_rows *v, size_t n, size_t k, int threads, double *out,
                   pause_function pause)
{
    const size_t d = v->d, block = block_of(k * d, n);
    (void) threads; /* unused without OpenMP */
    for (size_t start = 0; start < n; start += block) {
        const size_t stop = start + block < n ? start + block : n;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
        for (size_t i = start; i < stop; i++) {
            for (size_t e = 0; e < k; e++) {
                const size_t j = (size_t) v->idx[i + e * n] - 1;
                out[i + e * n] = dot_blocked(v->rows + i * d, v->rows + j * d, d);
            }
        }
        pause();
    }
}

/* Half the squared distance of two unit rows: one minus their cosine, without
   cancellation. */
static double direction_distance(const double *a, const double *b, size_t d)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        s0 += (a[j] - b[j]) * (a[j] - b[j]);
        s1 += (a[j + 1] - b[j + 1]) * (a[j + 1] - b[j + 1]);
        s2 += (a[j + 2] - b[j + 2]) * (a[j + 2] - b[j + 2]);
        s3 += (a[j + 3] - b[j + 3]) * (a[j + 3] - b[j + 3]);
    }
    for (; j < d; j++) s0 += (a[j] - b[j]) * (a[j] - b[j]);
    const double half = 0.5 * ((s0 + s1) + (s2 + s3));
    return half < SAME_DIRECTION ? 0.0 : half;
}

static double relation(const neighbour_rows *v, size_t i, size_t j, int distance)
{
    const double *a = v->rows + i * v->d, *b = v->rows + j * v->d;
    return distance ? direction_distance(a, b, v->d) : dot_blocked(a, b, v->d);
}

/* stamp holds i + 1 for the neighbours already taken; smaller numbers are of earlier rows. */
static double second_order_cosine(const neighbour_rows *x, const neighbour_rows *y, size_t n,
                                  size_t k, size_t i, int distance, int *stamp)
{
    const int now = (int) i + 1;
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (int side = 0; side < 2; side++) {
        const int *idx = side == 0 ? x->idx : y->idx;
        for (size_t e = 0; e < k; e++) {
            const size_t j = (size_t) idx[i + e * n] - 1;
            if (stamp[j] == now) continue;
            stamp[j] = now;
            const double a = relation(x, i, j, distance), b = relation(y, i, j, distance);
            xy += a * b;
            xx += a * a;
            yy += b * b;
        }
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx) / sqrt(yy) : NAN;
}

void second_order_cosines(const neighbour_rows *x, const neighbour_rows *y, size_t n, size_t k,
                          int distance, int threads, int *stamps, double *out,
                          pause_function pause)
{
    const size_t block = block_of(2 * k * (x->d + y->d), n);
    for (size_t i = 0; i < n * (size_t) threads; i++) stamps[i] = 0;
    for (size_t start = 0; start < n; start += block) {
        const size_t stop = start + block < n ? start + block : n;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
        for (size_t i = start; i < stop; i++) {
            int *stamp = stamps;
#ifdef _OPENMP
            stamp += (size_t) omp_get_thread_num() * n;
#endif
            out[i] = second_order_cosine(x, y, n, k, i, distance, stamp);
        }
        pause();
    }
}
