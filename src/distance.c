#include "distance.h"

#include <math.h>

/* Below this share of the two squared norms, a squared distance from the Gram
   matrix has lost half of its digits. */
#define CANCELLATION 1e-8

static double direct_squared_distance(const centered_view *v, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t a = 0; a < v->d; a++) {
        const double *column = v->x + a * v->n;
        const double difference = (column[i] - column[j]) * v->inverse_scale;
        sum += difference * difference;
    }
    return sum;
}

void gram_to_squared_distances(const centered_view *v, double *gram, double *norms)
{
    const size_t n = v->n;
    for (size_t i = 0; i < n; i++) norms[i] = gram[i + i * n];
    for (size_t j = 0; j < n; j++) {
        double *column = gram + j * n;
        for (size_t i = 0; i < j; i++) {
            const double both = norms[i] + norms[j];
            double d2 = both - 2.0 * column[i];
            if (d2 <= CANCELLATION * both) d2 = direct_squared_distance(v, i, j);
            column[i] = d2;
        }
        column[j] = 0.0;
    }
    mirror_upper(gram, n);
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
static double select_rank(double *v, size_t length, size_t k)
{
    size_t low = 0, high = length - 1;
    while (low < high) {
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

double median_of_roots(double *values, size_t length)
{
    const size_t middle = length / 2;
    const double upper = select_rank(values, length, middle);
    if (length % 2 == 1) return sqrt(upper);
    double lower = values[0];
    for (size_t i = 1; i < middle; i++)
        if (values[i] > lower) lower = values[i];
    return 0.5 * (sqrt(lower) + sqrt(upper));
}

void gaussian_kernel(const double *d2, size_t length, double sigma, int threads, double *out)
{
    const double factor = -0.5 / (sigma * sigma);
    (void) threads; /* unused without OpenMP */
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
    for (size_t i = 0; i < length; i++) out[i] = exp(factor * d2[i]);
}

static double column_sums(const double *k, size_t n, double *sums)
{
    double total = 0.0;
    for (size_t j = 0; j < n; j++) {
        sums[j] = sum_blocked(k + j * n, n);
        total += sums[j];
    }
    return total;
}

void double_center(double *k, size_t n, double *means)
{
    const double grand = column_sums(k, n, means) / ((double) n * (double) n);
    for (size_t j = 0; j < n; j++) means[j] /= (double) n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) k[i + j * n] -= means[i] + means[j] - grand;
}

void u_center(double *k, size_t n, double *means)
{
    const double dn = (double) n;
    for (size_t i = 0; i < n; i++) k[i + i * n] = 0.0;
    const double grand = column_sums(k, n, means) / ((dn - 1.0) * (dn - 2.0));
    for (size_t j = 0; j < n; j++) means[j] /= dn - 2.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) k[i + j * n] -= means[i] + means[j] - grand;
        k[j + j * n] = 0.0;
    }
}
