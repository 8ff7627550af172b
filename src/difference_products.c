/* Inner products of differences between rows: see difference_products.h. */

#include "difference_products.h"

#include "blas.h"
#include "packed.h"

/* Rows of a panel. Of two different matrices the square at its beginning is computed whole, of
   which half is wanted; so it is narrower then. */
#define PANEL_ROWS 512
#define NARROW_ROWS 128

size_t difference_panel(size_t n) { return least(n, PANEL_ROWS); }

static int is_same(row_pair rows) { return rows.a == rows.c; }

/* panel (n - i0 by count) = (k_ij + k_ji) / 2 for rows i = i0 .. i0 + count - 1 and j = i .. n - 1
   (from the diagonal on). */
static void panel_products(row_pair rows, size_t i0, size_t count, double *panel)
{
    const size_t rest = rows.n - i0, k = rows.columns;
    const double *a = rows.a + i0, *c = rows.c + i0;
    if (is_same(rows)) {
        blas_syrk_lower(count, k, a, rows.n, 0.0, panel, rest);
        blas_gemm('N', 'T', rest - count, count, k, 1.0, a + count, rows.n, a, rows.n, 0.0,
                  panel + count, rest);
        return;
    }
    blas_gemm('N', 'T', rest, count, k, 0.5, a, rows.n, c, rows.n, 0.0, panel, rest);
    blas_gemm('N', 'T', rest, count, k, 0.5, c, rows.n, a, rows.n, 1.0, panel, rest);
}

/* What becomes of row i: own[k] holds k_jj, and products[k] (k_ij + k_ji) / 2, of row
   j = i + k. */
typedef void (*row_task)(void *job, size_t i, const double *own, const double *products);

/* From the last panel to the first: the k_jj of later rows are known by then. */
static void each_row(row_pair rows, difference_room room, pause_function pause, row_task task,
                     void *job)
{
    const size_t width = least(rows.n, is_same(rows) ? PANEL_ROWS : NARROW_ROWS);
    for (size_t panel = (rows.n + width - 1) / width; panel-- > 0;) {
        const size_t i0 = panel * width, rest = rows.n - i0, count = rest < width ? rest : width;
        panel_products(rows, i0, count, room.panel);
        for (size_t k = 0; k < count; k++) room.own[i0 + k] = room.panel[k * rest + k];
        for (size_t k = 0; k < count; k++)
            task(job, i0 + k, room.own + i0 + k, room.panel + k * rest + k);
        pause();
    }
}

typedef struct {
    size_t n;
    double scale, *out;
} plain_job;

static void add_row(void *job, size_t i, const double *own, const double *products)
{
    const plain_job *t = job;
    double *out = t->out + packed_start(t->n, i);
    for (size_t k = 1; k < t->n - i; k++)
        out[k - 1] += t->scale * (own[0] + own[k] - 2.0 * products[k]);
}

void add_differences(row_pair rows, double scale, difference_room room, pause_function pause,
                     double *out)
{
    plain_job job = {rows.n, scale, out};
    each_row(rows, room, pause, add_row, &job);
}

typedef struct {
    size_t n;
    pair_weighting weighting;
    difference_sums sums;
} weighted_job;

static double weight_of(const double *counts, int by_repeats, size_t i, size_t j)
{
    if (counts[i] == 0.0 || counts[j] == 0.0) return 0.0;
    return by_repeats ? counts[i] * counts[j] / (counts[i] + counts[j]) : 1.0;
}

static void add_weighted_row(void *job, size_t i, const double *own, const double *products)
{
    const weighted_job *t = job;
    const pair_weighting *by = &t->weighting;
    const size_t first = packed_start(t->n, i);
    if (by->counts_a[i] == 0.0 || by->counts_c[i] == 0.0) return;
    for (size_t k = 1; k < t->n - i; k++) {
        const double weight = weight_of(by->counts_a, by->by_repeats, i, i + k) *
                              weight_of(by->counts_c, by->by_repeats, i, i + k);
        if (weight == 0.0) continue;
        const size_t at = first + k - 1;
        t->sums.products[at] += weight * (own[0] + own[k] - 2.0 * products[k]);
        t->sums.weights[at] += weight;
        t->sums.number[at] += 1;
    }
}

void add_weighted_differences(row_pair rows, pair_weighting weighting, difference_room room,
                              pause_function pause, difference_sums sums)
{
    weighted_job job = {rows.n, weighting, sums};
    each_row(rows, room, pause, add_weighted_row, &job);
}
