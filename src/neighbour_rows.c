/* The rows of a representation as the neighbour measures compare them: see neighbour_rows.h. */

#include "neighbour_rows.h"

#include <math.h>

static double largest_entry(const double *row, size_t d)
{
    double largest = 0.0;
    for (size_t a = 0; a < d; a++)
        if (fabs(row[a]) > largest) largest = fabs(row[a]);
    return largest;
}

static void scale_row(double *row, size_t d, double factor)
{
    for (size_t a = 0; a < d; a++) row[a] *= factor;
}

/* An exactly constant row becomes exact zeros. */
static void center_row(double *row, size_t d)
{
    double low = row[0], high = row[0], mean = 0.0, rest = 0.0;
    for (size_t a = 0; a < d; a++) {
        mean += row[a];
        if (row[a] < low) low = row[a];
        if (row[a] > high) high = row[a];
    }
    mean /= (double) d;
    for (size_t a = 0; a < d; a++) rest += row[a] - mean;
    mean += rest / (double) d;
    if (low == high) mean = low;
    for (size_t a = 0; a < d; a++) row[a] -= mean;
}

/* 1: the row has no direction. */
static int unit_row(double *row, size_t d, int centered)
{
    const double largest = largest_entry(row, d);
    if (largest == 0.0) return 1;
    scale_row(row, d, power_near_one(largest));
    if (centered) {
        center_row(row, d);
        const double rest = largest_entry(row, d);
        if (rest == 0.0) return 1;
        scale_row(row, d, power_near_one(rest));
    }
    scale_row(row, d, 1.0 / sqrt(dot_blocked(row, row, d)));
    return 0;
}

/* In tiles, so that neither side is read or written with a stride out of cache. */
static void transpose_rows(const centered_view *v, double *rows, pause_function pause)
{
    const size_t tile = 16;
    for (size_t ib = 0; ib < v->n; ib += tile) {
        const size_t stop = ib + tile < v->n ? ib + tile : v->n;
        for (size_t a = 0; a < v->d; a++) {
            const double *column = v->x + a * v->n;
            const double mean = v->mean[a], scale = v->inverse_scale;
            for (size_t i = ib; i < stop; i++) rows[a + i * v->d] = (column[i] - mean) * scale;
        }
        if (ib % (64 * tile) == 0) pause();
    }
}

size_t prepare_neighbour_rows(const centered_view *v, row_preparation how, double *rows,
                              int *degenerate, pause_function pause)
{
    size_t bad = 0;
    transpose_rows(v, rows, pause);
    for (size_t i = 0; i < v->n; i++) {
        degenerate[i] = 0;
        if (how == ROWS_UNIT || how == ROWS_CORRELATION)
            degenerate[i] = unit_row(rows + i * v->d, v->d, how == ROWS_CORRELATION);
        bad += (size_t) degenerate[i];
        if (i % 4096 == 0) pause();
    }
    return bad;
}
