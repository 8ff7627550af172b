/* Distances between rows, packed: see distance.h. */

#include "distance.h"

#include <math.h>

#include "blas.h"

/* Columns of the data that are transposed between two pauses. */
#define PAUSE_COLUMNS 64

/* Below this share of the two squared norms, a squared distance from the Gram
   matrix has lost more than three digits: ranks could not tell ties any more. */
#define CANCELLATION 1e-3

/* Rows of a panel: about 16 MB, which stays in cache, and wide enough for BLAS. */
size_t panel_rows(size_t n)
{
    const size_t rows = n > 0 ? 2097152 / n : 1, most = rows < 64 ? 64 : rows > 512 ? 512 : rows;
    return most < n ? most : n;
}

static size_t at_most(size_t rest, size_t chunk) { return rest < chunk ? rest : chunk; }

static void add_row_norms(const double *block, size_t rows, size_t columns, double *norms)
{
    for (size_t a = 0; a < columns; a++) {
        const double *column = block + a * rows;
        for (size_t i = 0; i < rows; i++) norms[i] += column[i] * column[i];
    }
}

static centered_view view_columns(const centered_view *v, size_t first, size_t columns)
{
    centered_view part = {v->x + first * v->n, v->n, columns, v->mean + first, v->inverse_scale};
    return part;
}

static void load_norms(distance_rows *rows, pause_function pause)
{
    const centered_view *v = &rows->view;
    for (size_t i = 0; i < v->n; i++) rows->norms[i] = 0.0;
    if (!rows->whole && rows->columns >= v->d) {
        load_columns(v, 0, v->d, rows->block);
        rows->whole = rows->block;
    }
    if (rows->whole) {
        add_row_norms(rows->whole, v->n, v->d, rows->norms);
        return;
    }
    for (size_t a = 0; a < v->d; a += rows->columns) {
        const size_t now = at_most(v->d - a, rows->columns);
        load_columns(v, a, now, rows->block);
        add_row_norms(rows->block, v->n, now, rows->norms);
        pause();
    }
}

/* panel (n - i0 by count) = inner products of rows i0 .. n - 1 with rows i0 .. i0 + count - 1. */
static void panel_products(const distance_rows *rows, size_t i0, size_t count,
                           pause_function pause)
{
    const centered_view *v = &rows->view;
    const size_t rest = v->n - i0;
    if (rows->whole) {
        const double *from = rows->whole + i0;
        blas_gemm('N', 'T', rest, count, v->d, 1.0, from, v->n, from, v->n, 0.0, rows->panel, rest);
        return;
    }
    for (size_t a = 0; a < v->d; a += rows->columns) {
        const centered_view part = view_columns(v, a, at_most(v->d - a, rows->columns));
        load_rows(&part, i0, rest, rows->block);
        blas_gemm('N', 'T', rest, count, part.d, 1.0, rows->block, rest, rows->block, rest,
                  a > 0 ? 1.0 : 0.0, rows->panel, rest);
        pause();
    }
}

static size_t pack_row(const double *products, const double *norms, double norm, size_t length,
                       distance_kind kind, double *out)
{
    size_t cancelled = 0;
    for (size_t j = 0; j < length; j++) {
        const double both = norm + norms[j], d2 = both - 2.0 * products[j];
        const int lost = d2 <= CANCELLATION * both;
        out[j] = lost ? -1.0 : d2;
        cancelled += (size_t) lost;
    }
    if (kind == distance_half_square) {
        for (size_t j = 0; j < length; j++) out[j] = out[j] < 0.0 ? -1.0 : 0.5 * out[j];
    } else {
        /* not sqrt(-1), which would be slow */
        for (size_t j = 0; j < length; j++) out[j] = out[j] < 0.0 ? -1.0 : sqrt(out[j]);
    }
    return cancelled;
}

size_t packed_distances(distance_rows *rows, distance_kind kind, worker by, double *out)
{
    const size_t n = rows->view.n, width = panel_rows(n);
    size_t cancelled = 0;
    load_norms(rows, by.pause);
    for (size_t i0 = 0; i0 + 1 < n; i0 += width) {
        const size_t count = at_most(n - i0, width);
        panel_products(rows, i0, count, by.pause);
        for (size_t c = 0; c < count; c++) {
            const size_t i = i0 + c;
            cancelled += pack_row(rows->panel + c * (n - i0) + c + 1, rows->norms + i + 1,
                                  rows->norms[i], n - 1 - i, kind, out + packed_start(n, i));
        }
        by.pause();
    }
    return cancelled;
}

typedef struct {
    const double *rows;
    size_t n, d;
    distance_kind kind;
    double *out;
} direct_job;

static double direct_square(const double *left, const double *right, size_t d)
{
    double s0 = 0.0, s1 = 0.0;
    size_t a = 0;
    for (; a + 2 <= d; a += 2) {
        s0 += (left[a] - right[a]) * (left[a] - right[a]);
        s1 += (left[a + 1] - right[a + 1]) * (left[a + 1] - right[a + 1]);
    }
    if (a < d) s0 += (left[a] - right[a]) * (left[a] - right[a]);
    return s0 + s1;
}

static void direct_row(void *job, size_t i)
{
    const direct_job *t = job;
    double *out = t->out + packed_start(t->n, i) - (i + 1);
    for (size_t j = i + 1; j < t->n; j++) {
        if (out[j] >= 0.0) continue;
        const double square = direct_square(t->rows + i * t->d, t->rows + j * t->d, t->d);
        out[j] = t->kind == distance_root ? sqrt(square) : 0.5 * square;
    }
}

void direct_distances(const distance_rows *rows, distance_kind kind, double *transposed,
                      worker by, double *out)
{
    const centered_view *v = &rows->view;
    const size_t n = v->n, d = v->d;
    for (size_t a = 0; a < d; a++) {
        const double *whole = rows->whole ? rows->whole + a * n : NULL, *x = v->x + a * n;
        for (size_t i = 0; i < n; i++)
            transposed[a + i * d] = whole ? whole[i] : (x[i] - v->mean[a]) * v->inverse_scale;
        if (a % PAUSE_COLUMNS == 0) by.pause();
    }
    /* a chunk is one row here: with many duplicates it takes long enough */
    direct_job job = {transposed, n, d, kind, out};
    run_chunks(n - 1, by, direct_row, &job);
}

/* Rows that are standardised together: their columns stay in cache between the passes. */
#define TILE 64

typedef struct {
    const double *x;
    size_t n, d;
    int center;
    double *out;
    int *unusable;
} unit_job;

static double larger(double a, double b) { return a > b ? a : b; }

/* The power of two that brings the largest entry of each row near one; 0 where the row
   has no direction. */
static void tile_scales(const unit_job *t, size_t i0, size_t rows, double *scale)
{
    double low[TILE], high[TILE];
    for (size_t i = 0; i < rows; i++) low[i] = high[i] = t->x[i0 + i];
    for (size_t a = 0; a < t->d; a++) {
        const double *x = t->x + a * t->n + i0;
        for (size_t i = 0; i < rows; i++) {
            low[i] = x[i] < low[i] ? x[i] : low[i];
            high[i] = x[i] > high[i] ? x[i] : high[i];
        }
    }
    for (size_t i = 0; i < rows; i++) {
        const double size = larger(high[i], -low[i]);
        const int empty = t->center ? low[i] == high[i] : size == 0.0;
        scale[i] = empty ? 0.0 : power_near_one(size);
        t->unusable[i0 + i] = empty;
    }
}

/* Adds the mean of what is left after subtracting the mean so far. */
static void tile_means(const unit_job *t, size_t i0, size_t rows, const double *scale,
                       double *mean)
{
    double sum[TILE] = {0.0};
    for (size_t a = 0; a < t->d; a++) {
        const double *x = t->x + a * t->n + i0;
        for (size_t i = 0; i < rows; i++) sum[i] += x[i] * scale[i] - mean[i];
    }
    for (size_t i = 0; i < rows; i++) mean[i] += sum[i] / (double) t->d;
}

static void unit_chunk(void *job, size_t chunk)
{
    const unit_job *t = job;
    const size_t i0 = chunk * TILE, rows = at_most(t->n - i0, TILE);
    double scale[TILE], mean[TILE] = {0.0}, square[TILE] = {0.0};
    tile_scales(t, i0, rows, scale);
    if (t->center) {
        tile_means(t, i0, rows, scale, mean);
        tile_means(t, i0, rows, scale, mean); /* what rounding left over */
    }
    for (size_t a = 0; a < t->d; a++) {
        const double *x = t->x + a * t->n + i0;
        double *z = t->out + a * t->n + i0;
        for (size_t i = 0; i < rows; i++) {
            z[i] = x[i] * scale[i] - mean[i];
            square[i] += z[i] * z[i];
        }
    }
    for (size_t i = 0; i < rows; i++) {
        if (square[i] == 0.0) t->unusable[i0 + i] = 1;
        square[i] = t->unusable[i0 + i] ? 0.0 : 1.0 / sqrt(square[i]);
    }
    for (size_t a = 0; a < t->d; a++) {
        double *z = t->out + a * t->n + i0;
        for (size_t i = 0; i < rows; i++) z[i] *= square[i];
    }
}

size_t unit_rows(const double *x, size_t n, size_t d, int center, worker by, double *out,
                 int *unusable)
{
    unit_job job = {x, n, d, center, out, unusable};
    size_t count = 0;
    run_chunks((n + TILE - 1) / TILE, by, unit_chunk, &job);
    for (size_t i = 0; i < n; i++) count += (size_t) unusable[i];
    return count;
}
