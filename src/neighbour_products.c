/* Products of rows along the edges of neighbour graphs, without an n x n matrix. Rows lie
   together in memory here: d x n, a row of the data a column. */

#include <math.h>

#include "entry.h"

typedef struct {
    const double *rows; /* d x n */
    size_t d;
    const int *idx;     /* n x k, from 1 */
    const double *dist; /* n x k: for unit rows, one minus the cosines; or NULL */
} neighbour_rows;

/* Multiplications between two pauses. */
#define PAUSE_WORK 3e7

/* One minus a cosine below this is what rounding leaves of two equal directions. */
#define SAME_DIRECTION 1e-28

/* One minus the cosine, or the cosine, of rows i and j: half the squared distance of two unit rows
   is one minus their cosine, without cancellation. */
static double relation(const neighbour_rows *v, size_t i, size_t j, int distance)
{
    const double *a = v->rows + i * v->d, *b = v->rows + j * v->d;
    const size_t d = v->d;
    if (!distance) return dot_blocked(a, b, d);
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t k = 0;
    for (; k + 4 <= d; k += 4) {
        s0 += (a[k] - b[k]) * (a[k] - b[k]);
        s1 += (a[k + 1] - b[k + 1]) * (a[k + 1] - b[k + 1]);
        s2 += (a[k + 2] - b[k + 2]) * (a[k + 2] - b[k + 2]);
        s3 += (a[k + 3] - b[k + 3]) * (a[k + 3] - b[k + 3]);
    }
    for (; k < d; k++) s0 += (a[k] - b[k]) * (a[k] - b[k]);
    const double half = 0.5 * ((s0 + s1) + (s2 + s3));
    return half < SAME_DIRECTION ? 0.0 : half;
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

/* rows: d x n, as repalign_neighbour_rows() makes them; dist: like idx, or NULL. */
static neighbour_rows read_neighbours(SEXP rows, const char *rows_name, SEXP idx,
                                      const char *idx_name, SEXP dist, const char *dist_name)
{
    const double *values = read_matrix(rows, rows_name);
    const size_t n = matrix_columns(rows), d = matrix_rows(rows);
    const int *neighbours = read_index_matrix(idx, idx_name, n, n);
    const neighbour_rows v = {
        values, d, neighbours,
        Rf_isNull(dist) ? NULL : read_matrix_size(dist, dist_name, n, matrix_columns(idx))};
    return v;
}

/* Inner products of rows i and idx[i + e n], n x k. */
SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads)
{
    const neighbour_rows v = read_neighbours(ARG(rows), ARG(idx), ARG(R_NilValue));
    const size_t n = matrix_columns(rows), k = matrix_columns(idx), d = v.d;
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(n, k));
    double *out = REAL(result);
    const size_t at_once = items_at_once(PAUSE_WORK, (double) (k * d), by.threads);
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++)
            for (size_t e = 0; e < k; e++) {
                const size_t j = (size_t) v.idx[i + e * n] - 1;
                out[i + e * n] = dot_blocked(v.rows + i * d, v.rows + j * d, d);
            }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* For each row: the cosine between its similarities (inner products of unit rows) to the union of
   its neighbours in x and y, as x and as y have them; or, with distance, between one minus the
   similarities. NaN where one side has zeros only. The graphs hold one minus the cosine in dist. */
SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP dist_x, SEXP rows_y, SEXP idx_y,
                                   SEXP dist_y, SEXP distance, SEXP threads)
{
    const neighbour_rows x = read_neighbours(ARG(rows_x), ARG(idx_x), ARG(dist_x));
    const neighbour_rows y = read_neighbours(ARG(rows_y), ARG(idx_y), ARG(dist_y));
    const size_t n = matrix_columns(rows_x), k = matrix_columns(idx_x);
    if (matrix_columns(rows_y) != n) argument_error("rows_y", "have as many columns as `rows_x`");
    read_matrix_size(ARG(dist_x), n, k);
    read_matrix_size(ARG(dist_y), n, k);
    const int as_distance = read_flag(ARG(distance));
    const worker by = read_worker(ARG(threads));
    int *slots = zeroed_bytes(n * (size_t) by.threads * sizeof(int));
    SEXP result = PROTECT(new_doubles(n));
    double *out = REAL(result);
    const size_t at_once = items_at_once(PAUSE_WORK, (double) (k * (x.d + y.d)), by.threads);
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++)
            out[i] = second_order_cosine(&x, &y, n, k, i, as_distance, slots + thread_number() * n);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
