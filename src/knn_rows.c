/* Neighbours from whole rows of values: see knn_rows.h. */

#include "knn_rows.h"

#include <math.h>

#include "blas.h"

/* Packed distances between two pauses. */
#define PAUSE_DISTANCES 4e6

/* Where the values of a whole row come from: bounds from a product, or distances. */
typedef struct {
    const knn_space *s; /* or NULL */
    size_t i, n, others;
    const double *bounds; /* products, or the row's distances; NaN: no candidate */
} row_source;

static void leave_out_row(knn_clusters c, size_t i, size_t n, double *bounds)
{
    bounds[i] = NAN;
    for (size_t j = 0; c.of && j < n; j++)
        if (c.of[j] == c.of[i]) bounds[j] = NAN;
}

static double lower_bound(const row_source *from, size_t j)
{
    if (!from->s) return from->bounds[j];
    const knn_space *s = from->s;
    return from->bounds[j] + s->factor[from->i] * s->bias[j] + s->offset[from->i];
}

/* An upper bound of the value of rank `wanted`. */
static double rank_bound(const row_source *from, size_t wanted, double *values)
{
    const size_t n = from->n;
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        values[j] = lower_bound(from, j);
        if (from->s) values[j] += knn_bound_width(from->s, from->i, j);
    }
    /* most values are left out before the selection, which takes longer */
    const double limit = limit_of_nearest(values, n, wanted, values + n);
    for (size_t j = 0; j < n; j++) {
        values[count] = values[j];
        count += values[j] <= limit;
    }
    const double bound = nth_smallest(values, count, wanted - 1, NULL);
    return from->s ? knn_value_of_key(from->s, bound) : bound;
}

/* Everything whose value can be at most `cut`. */
static size_t collect(const row_source *from, double cut, candidate *all)
{
    const double key = from->s ? knn_key_of_value(from->s, cut) : cut;
    size_t count = 0;
    for (size_t j = 0; j < from->n; j++) {
        if (!(lower_bound(from, j) <= key)) continue;
        const candidate c = {from->s ? knn_direct_value(from->s, from->i, j) : from->bounds[j],
                             (int) j, (int) j};
        all[count++] = c;
    }
    sort_candidates(all, count);
    return count;
}

/* A class of ties may reach beyond what was collected: then take the whole row. */
static void whole_row(const row_source *from, double largest, const int *priority,
                      double *values, candidate *all, int *joined, knn_lists out, size_t row)
{
    const tie_rule rule = knn_tie_rule(from->s, largest);
    const size_t written = least(out.k, from->others);
    /* a row with fewer candidates than the lists are long */
    for (size_t r = written; r < out.k; r++) {
        out.idx[row + r * out.stride] = 0;
        out.dist[row + r * out.stride] = NAN;
        if (out.joined) out.joined[row + r * out.stride] = 0;
    }
    out.k = written;
    const double bound = rank_bound(from, least(from->others, out.k + 1), values);
    const double cut = bound + 4.0 * tie_gap(rule, bound);
    size_t count = collect(from, cut, all);
    const size_t end = class_end(all, count, out.k, rule);
    if (count < from->others && all[end - 1].value + tie_gap(rule, cut) > cut)
        count = collect(from, INFINITY, all);
    order_ties(all, count, out.k, rule, priority, joined);
    knn_write_row(from->s, from->i, out, row, all, joined);
}

void knn_whole_rows(const knn_space *s, const int *which, size_t count, const double *largest,
                    const int *priority, knn_rows_scratch w, knn_lists out, worker by)
{
    const size_t n = s->n, d = s->d;
    for (size_t start = 0; start < count; start += w.block) {
        const size_t m = least(w.block, count - start);
        for (size_t t = 0; t < m; t++) {
            const double *row = s->rows + (size_t) which[start + t] * d;
            for (size_t a = 0; a < d; a++) w.gathered[a + t * d] = row[a];
        }
        blas_gemm('T', 'N', n, m, d, knn_product_factor(s), s->rows, d, w.gathered, d, 0.0,
                  w.product, n);
        by.pause();
        PARALLEL_PIECES(by.threads, 1)
        for (size_t t = 0; t < m; t++) {
            const size_t self = thread_number(), i = (size_t) which[start + t];
            double *bounds = w.product + t * n;
            leave_out_row(s->clusters, i, n, bounds);
            const row_source from = {s, i, n, knn_others(s->clusters, n, i), bounds};
            whole_row(&from, largest[i], priority, w.values + self * 2 * n, w.all + self * n,
                      w.marks + self * (out.k + 1), out, start + t);
        }
        by.pause();
    }
}

void knn_packed_rows(const double *d, size_t n, knn_clusters clusters, const int *priority,
                     knn_rows_scratch w, knn_lists out, worker by)
{
    const size_t at_once = items_at_once(PAUSE_DISTANCES, (double) n, by.threads);
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++) {
            const size_t self = thread_number();
            double *row = w.product + self * n, largest = 0.0;
            for (size_t j = 0; j < n; j++) {
                const size_t low = least(i, j), high = most(i, j);
                row[j] = i == j ? 0.0 : d[low * n - low * (low + 1) / 2 + high - low - 1];
            }
            leave_out_row(clusters, i, n, row);
            for (size_t j = 0; j < n; j++)
                if (row[j] > largest) largest = row[j];
            const row_source from = {NULL, i, n, knn_others(clusters, n, i), row};
            whole_row(&from, largest, priority, w.values + self * 2 * n, w.all + self * n,
                      w.marks + self * (out.k + 1), out, i);
        }
        by.pause();
    }
}
