/* Column statistics, centring and sums: see matrix.h. */

#include "matrix.h"

#include <math.h>

/* Sums run in blocks of so many numbers. */
#define SUM_BLOCK 512

/* Columns between two pauses. */
#define PAUSE_COLUMNS 64

/* Long sums are kept in two or four variables, s0, s1, ..., of which each adds up every second or
   fourth term: an addition need not wait for the one before, and the order is fixed. */

/* x - x is zero for finite x and NaN otherwise; adding many of them keeps the NaN,
   and the loop has no branch. */
int all_finite(const double *x, size_t length)
{
    double p0 = 0.0, p1 = 0.0, p2 = 0.0, p3 = 0.0;
    size_t i = 0;
    for (; i + 4 <= length; i += 4) {
        p0 += x[i] - x[i];
        p1 += x[i + 1] - x[i + 1];
        p2 += x[i + 2] - x[i + 2];
        p3 += x[i + 3] - x[i + 3];
    }
    for (; i < length; i++) p0 += x[i] - x[i];
    return p0 + p1 + p2 + p3 == 0.0;
}

/* Mean of x - shift, each entry scaled first so that huge ones do not overflow. */
static double shifted_mean(const double *x, size_t n, double shift)
{
    const double share = 1.0 / (double) n;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += (x[i] - shift) * share;
        s1 += (x[i + 1] - shift) * share;
        s2 += (x[i + 2] - shift) * share;
        s3 += (x[i + 3] - shift) * share;
    }
    for (; i < n; i++) s0 += (x[i] - shift) * share;
    return (s0 + s1) + (s2 + s3);
}

static double smaller(double a, double b) { return a < b ? a : b; }

static double larger(double a, double b) { return a > b ? a : b; }

static void column_range(const double *x, size_t n, double *low, double *high)
{
    double l0 = x[0], l1 = x[0], h0 = x[0], h1 = x[0];
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        l0 = smaller(x[i], l0);
        l1 = smaller(x[i + 1], l1);
        h0 = larger(x[i], h0);
        h1 = larger(x[i + 1], h1);
    }
    for (; i < n; i++) {
        l0 = smaller(x[i], l0);
        h0 = larger(x[i], h0);
    }
    *low = smaller(l0, l1);
    *high = larger(h0, h1);
}

static double column_mean(const double *column, size_t n, double *largest)
{
    double low, high;
    column_range(column, n, &low, &high);
    double mean = low;
    if (low != high) {
        mean = shifted_mean(column, n, 0.0);
        mean += shifted_mean(column, n, mean); /* what rounding left over */
    }
    *largest = larger(*largest, larger(high - mean, mean - low));
    return mean;
}

double column_means(const double *x, size_t n, size_t d, double *mean)
{
    double largest = 0.0;
    for (size_t j = 0; j < d; j++) mean[j] = column_mean(x + j * n, n, &largest);
    return largest;
}

void load_rows(const centered_view *v, size_t i0, size_t rows, double *out)
{
    for (size_t j = 0; j < v->d; j++) {
        const double *from = v->x + j * v->n + i0;
        double *to = out + j * rows;
        const double mean = v->mean[j], scale = v->inverse_scale;
        for (size_t i = 0; i < rows; i++) to[i] = (from[i] - mean) * scale;
    }
}

void load_columns(const centered_view *v, size_t j0, size_t columns, double *out)
{
    centered_view part = *v;
    part.x = v->x + j0 * v->n;
    part.mean = v->mean + j0;
    part.d = columns;
    load_rows(&part, 0, v->n, out);
}

double sum_blocked(const double *a, size_t length)
{
    double total = 0.0;
    for (size_t start = 0; start < length; start += SUM_BLOCK) {
        size_t stop = start + SUM_BLOCK < length ? start + SUM_BLOCK : length;
        double block = 0.0;
        for (size_t i = start; i < stop; i++) block += a[i];
        total += block;
    }
    return total;
}

double dot_blocked(const double *a, const double *b, size_t length)
{
    double total = 0.0;
    for (size_t start = 0; start < length; start += SUM_BLOCK) {
        size_t stop = start + SUM_BLOCK < length ? start + SUM_BLOCK : length;
        /* four running sums: the additions need not wait for each other */
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        size_t i = start;
        for (; i + 4 <= stop; i += 4) {
            s0 += a[i] * b[i];
            s1 += a[i + 1] * b[i + 1];
            s2 += a[i + 2] * b[i + 2];
            s3 += a[i + 3] * b[i + 3];
        }
        for (; i < stop; i++) s0 += a[i] * b[i];
        total += (s0 + s1) + (s2 + s3);
    }
    return total;
}

double squares_upper(const double *a, size_t n)
{
    double off = 0.0, diagonal = 0.0;
    for (size_t j = 0; j < n; j++) {
        off += dot_blocked(a + j * n, a + j * n, j);
        diagonal += a[j + j * n] * a[j + j * n];
    }
    return 2.0 * off + diagonal;
}

void mirror_upper(double *a, size_t n)
{
    /* in tiles, so that the strided side stays in cache */
    const size_t tile = 32;
    for (size_t jb = 0; jb < n; jb += tile)
        for (size_t ib = 0; ib <= jb; ib += tile)
            for (size_t j = jb; j < n && j < jb + tile; j++)
                for (size_t i = ib; i < j && i < ib + tile; i++) a[j + i * n] = a[i + j * n];
}

void square_entries(const double *a, size_t length, double *out)
{
    for (size_t i = 0; i < length; i++) out[i] = a[i] * a[i];
}

double power_near_one(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    if (exponent > 1000) exponent = 1000;
    if (exponent < -1000) exponent = -1000;
    return ldexp(1.0, -exponent);
}

double view_squares(const centered_view *v, double *column, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < v->d; j++) {
        load_columns(v, j, 1, column);
        total += dot_blocked(column, column, v->n);
        if (j % PAUSE_COLUMNS == 0) pause();
    }
    return total;
}
