/* Column statistics, centring and sums: see matrix.h. */

#include "matrix.h"

#include <math.h>

#include "loops.h"

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

static inline double larger(double a, double b) { return a > b ? a : b; }

/* What one pass over a column tells. sum: of the differences from one value. */
typedef struct {
    double low, high, sum;
} column_pass;

static inline column_pass pass_over(const double *x, size_t n, double from)
{
    double low = from, high = from, sum = 0.0;
    OPENMP(simd reduction(+ : sum) reduction(min : low) reduction(max : high))
    for (size_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        sum += x[i] - from;
    }
    const column_pass pass = {low, high, sum};
    return pass;
}

/* Sum of squares of a centred column. Both halves at once: an addition need not wait for the one
   before. */
static inline double centered_squares(const double *x, size_t n, double mean, double scale)
{
    const size_t half = n / 2;
    const double *y = x + half, last = n % 2 ? (x[n - 1] - mean) * scale : 0.0;
    double s0 = 0.0, s1 = 0.0;
    SUM_AT_ONCE(s0, s1)
    for (size_t i = 0; i < half; i++) {
        const double a = (x[i] - mean) * scale, b = (y[i] - mean) * scale;
        s0 += a * a;
        s1 += b * b;
    }
    return s0 + s1 + last * last;
}

static int is_finite(double value) { return value - value == 0.0; }

/* The mean of a column whose sum is too large for a double: entries are scaled before they are
   added. Infinite entries and NaN remain in the result. */
static double huge_mean(const double *column, size_t n)
{
    int exponent;
    frexp((double) n, &exponent);
    const double share = ldexp(1.0, -exponent), rest = ldexp(1.0, exponent) / (double) n;
    double sum = 0.0, left = 0.0; /* what rounding left over */
    for (size_t i = 0; i < n; i++) sum += column[i] * share;
    const double mean = sum * rest;
    for (size_t i = 0; i < n; i++) left += (column[i] - mean) * share;
    return mean + left * rest;
}

/* Differences from the first entry are added: in the sum of a column far from zero, the digits in
   which its entries differ would be lost. */
column_extent column_means(const double *x, size_t n, size_t d, double *means)
{
    column_extent all = {0.0, 0.0, 1};
    for (const double *column = x, *end = x + n * d; column < end; column += n, means++) {
        const column_pass pass = pass_over(column, n, *column);
        all.size = larger(all.size, larger(pass.high, -pass.low));
        *means = *column + pass.sum / (double) n;
        if (is_finite(pass.sum) && pass.low == pass.high) *means = pass.low;
        else if (!is_finite(*means)) *means = huge_mean(column, n);
        if (!is_finite(*means)) all.finite = 0;
        all.largest = larger(all.largest, larger(pass.high - *means, *means - pass.low));
    }
    return all;
}

/* next: what is asked for while this is done (see FETCH_BLOCK). */
static void center_and_fetch(const double *from, size_t length, double mean, double scale,
                             const double *next, double *to)
{
    for (size_t start = 0; start < length; start += FETCH_BLOCK) {
        const size_t stop = fetch_end(start, length);
        fetch(next + start, stop - start);
        AT_ONCE
        for (size_t i = start; i < stop; i++) to[i] = (from[i] - mean) * scale;
    }
}

void center_column(const double *from, size_t length, double mean, double scale, double *to)
{
    center_and_fetch(from, length, mean, scale, from, to);
}

void load_rows(const centered_view *v, size_t i0, size_t rows, double *out)
{
    for (size_t j = 0; j < v->d; j++) {
        const double *from = v->x + j * v->n + i0, *next = j + 1 < v->d ? from + v->n : from;
        center_and_fetch(from, rows, v->mean[j], v->inverse_scale, next, out + j * rows);
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

void mirror_lower(double *a, size_t n)
{
    const size_t tile = 32;
    for (size_t jb = 0; jb < n; jb += tile)
        for (size_t ib = jb; ib < n; ib += tile)
            for (size_t j = jb; j < n && j < jb + tile; j++)
                for (size_t i = ib > j ? ib : j + 1; i < n && i < ib + tile; i++)
                    a[j + i * n] = a[i + j * n];
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

double squares_of_column(const centered_view *v, size_t j)
{
    return centered_squares(v->x + j * v->n, v->n, v->mean[j], v->inverse_scale);
}

double view_squares(const centered_view *v, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < v->d; j++) {
        total += squares_of_column(v, j);
        if (j % PAUSE_COLUMNS == 0) pause();
    }
    return total;
}
