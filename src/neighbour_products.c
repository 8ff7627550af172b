/* Products of rows along the edges of neighbour graphs: see neighbour_products.h. */

#include "neighbour_products.h"

#include <math.h>

#include "matrix.h"

/* Multiplications between two pauses. */
#define PAUSE_WORK 3e7

/* One minus a cosine below this is what rounding leaves of two equal directions. */
#define SAME_DIRECTION 1e-28

void edge_products(const neighbour_rows *v, size_t n, size_t k, worker by, double *out)
{
    const size_t d = v->d, at_once = items_at_once(PAUSE_WORK, (double) (k * d), by.threads);
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++) {
            for (size_t e = 0; e < k; e++) {
                const size_t j = (size_t) v->idx[i + e * n] - 1;
                out[i + e * n] = dot_blocked(v->rows + i * d, v->rows + j * d, d);
            }
        }
        by.pause();
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

/* One minus the cosine, or the cosine, of rows i and j. */
static double relation(const neighbour_rows *v, size_t i, size_t j, int distance)
{
    const double *a = v->rows + i * v->d, *b = v->rows + j * v->d;
    return distance ? direction_distance(a, b, v->d) : dot_blocked(a, b, v->d);
}

/* The same along an edge of the graph of v, which has it. */
static double known_relation(const neighbour_rows *v, size_t at, int distance)
{
    const double d = v->dist[at];
    if (!distance) return 1.0 - d;
    return d < SAME_DIRECTION ? 0.0 : d;
}

/* slot: 0 before and after; between, 1 + the position of a neighbour in x's list, and minus that
   once y's list has it too. */
static double second_order_cosine(const neighbour_rows *x, const neighbour_rows *y, size_t n,
                                  size_t k, size_t i, int distance, int *slot)
{
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (size_t e = 0; e < k; e++) slot[x->idx[i + e * n] - 1] = (int) e + 1;
    for (size_t e = 0; e < k; e++) {
        const size_t j = (size_t) y->idx[i + e * n] - 1;
        const double b = known_relation(y, i + e * n, distance);
        const double a = slot[j] > 0
                             ? known_relation(x, i + (size_t) (slot[j] - 1) * n, distance)
                             : relation(x, i, j, distance);
        slot[j] = -slot[j];
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    for (size_t e = 0; e < k; e++) {
        const size_t j = (size_t) x->idx[i + e * n] - 1;
        if (slot[j] > 0) {
            const double a = known_relation(x, i + e * n, distance);
            const double b = relation(y, i, j, distance);
            xy += a * b;
            xx += a * a;
            yy += b * b;
        }
        slot[j] = 0;
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx) / sqrt(yy) : NAN;
}

void second_order_cosines(const neighbour_rows *x, const neighbour_rows *y, size_t n, size_t k,
                          int distance, worker by, int *slots, double *out)
{
    const double work = (double) (k * (x->d + y->d));
    const size_t at_once = items_at_once(PAUSE_WORK, work, by.threads);
    for (size_t i = 0; i < n * (size_t) by.threads; i++) slots[i] = 0;
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++) {
            int *slot = slots + thread_number() * n;
            out[i] = second_order_cosine(x, y, n, k, i, distance, slot);
        }
        by.pause();
    }
}
