#include "distance.h"

#include <math.h>

/* Columns of work between two pauses. */
#define PAUSE_COLUMNS 64

static void pause_now_and_then(size_t j, pause_function pause)
{
    if (j % PAUSE_COLUMNS == 0) pause();
}

/* Below this share of the two squared norms, a squared distance from the Gram
   matrix has lost half of its digits. */
#define CANCELLATION 1e-8

size_t gram_to_squared_distances(double *gram, size_t n, double *norms, pause_function pause)
{
    size_t cancelled = 0;
    for (size_t i = 0; i < n; i++) norms[i] = gram[i + i * n];
    for (size_t j = 0; j < n; j++) {
        double *column = gram + j * n;
        for (size_t i = 0; i < j; i++) {
            const double both = norms[i] + norms[j], d2 = both - 2.0 * column[i];
            const int lost = d2 <= CANCELLATION * both;
            column[i] = lost ? -1.0 : d2;
            cancelled += (size_t) lost;
        }
        column[j] = 0.0;
        pause_now_and_then(j, pause);
    }
    return cancelled;
}

void direct_squared_distances(const centered_view *v, double *rows, double *d2,
                              pause_function pause)
{
    const size_t n = v->n, d = v->d;
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++)
            rows[a + i * d] = (v->x[i + a * n] - v->mean[a]) * v->inverse_scale;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            if (d2[i + j * n] >= 0.0) continue;
            const double *left = rows + i * d, *right = rows + j * d;
            double sum = 0.0;
            for (size_t a = 0; a < d; a++) sum += (left[a] - right[a]) * (left[a] - right[a]);
            d2[i + j * n] = sum;
        }
        pause();
    }
}

void off_diagonal_range(const double *k, size_t n, double *low, double *high)
{
    *low = *high = k[n > 1 ? 1 : 0];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            if (i == j) continue;
            if (k[i + j * n] < *low) *low = k[i + j * n];
            if (k[i + j * n] > *high) *high = k[i + j * n];
        }
    }
}

void pack_upper(const double *a, size_t n, double *out)
{
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++) *out++ = a[i + j * n];
}

static double middle_of_three(double a, double b, double c)
{
    if (a > b) {
        double swap = a;
        a = b;
        b = swap;
    }
    return c <= a ? a : (c >= b ? b : c);
}

/* The value of rank k (from zero), smaller ones left of it, larger ones right. */
static double select_rank(double *v, size_t length, size_t k, pause_function pause)
{
    size_t low = 0, high = length - 1;
    while (low < high) {
        pause();
        const double pivot = middle_of_three(v[low], v[low + (high - low) / 2], v[high]);
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i >= j) break;
            double swap = v[i];
            v[i++] = v[j];
            v[j--] = swap;
        }
        /* v[low .. j'] <= pivot <= v[j' + 1 .. high] with j' = i - 1 or i == j */
        if (i == j) {
            if (k == i) return v[i];
            if (k < i) high = i - 1;
            else low = i + 1;
        } else if (k < i) {
            high = i - 1;
        } else {
            low = i;
        }
    }
    return v[low];
}

double median_of_roots(double *values, size_t length, pause_function pause)
{
    const size_t middle = length / 2;
    const double upper = select_rank(values, length, middle, pause);
    if (length % 2 == 1) return sqrt(upper);
    double lower = values[0];
    for (size_t i = 1; i < middle; i++)
        if (values[i] > lower) lower = values[i];
    return 0.5 * (sqrt(lower) + sqrt(upper));
}

void gaussian_kernel(const double *d2, size_t length, double sigma, int shifted, int threads,
                     double *out)
{
    /* two factors: the square of a tiny or huge width is not a double */
    const double factor = -0.5 / sigma, inverse = 1.0 / sigma;
    (void) threads; /* unused without OpenMP */
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
    for (size_t i = 0; i < length; i++) {
        const double power = factor * d2[i] * inverse;
        out[i] = shifted ? expm1(power) : exp(power);
    }
}

static double column_sums(const double *k, size_t n, double *sums, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < n; j++) {
        sums[j] = sum_blocked(k + j * n, n);
        total += sums[j];
        pause_now_and_then(j, pause);
    }
    return total;
}

void double_center(double *k, size_t n, double *means, pause_function pause)
{
    const double grand = column_sums(k, n, means, pause) / ((double) n * (double) n);
    for (size_t j = 0; j < n; j++) means[j] /= (double) n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) k[i + j * n] -= means[i] + means[j] - grand;
        pause_now_and_then(j, pause);
    }
}

void u_center(double *k, size_t n, double *means, pause_function pause)
{
    const double dn = (double) n;
    for (size_t i = 0; i < n; i++) k[i + i * n] = 0.0;
    const double grand = column_sums(k, n, means, pause) / ((dn - 1.0) * (dn - 2.0));
    for (size_t j = 0; j < n; j++) means[j] /= dn - 2.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) k[i + j * n] -= means[i] + means[j] - grand;
        k[j + j * n] = 0.0;
        pause_now_and_then(j, pause);
    }
}
