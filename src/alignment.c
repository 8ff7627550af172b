/* Passes over representations before and after they are aligned: see alignment.h. */

#include "alignment.h"

#include <math.h>

static double largest_deviation(const double *column, size_t n, double mean)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double deviation = fabs(column[i] - mean);
        if (deviation > largest) largest = deviation;
    }
    return largest;
}

size_t standardize_columns(const double *x, size_t n, size_t d, const double *mean, double *out,
                           int *constant)
{
    size_t count = 0;
    for (size_t j = 0; j < d; j++) {
        const double *from = x + j * n;
        double *to = out + j * n;
        const double largest = largest_deviation(from, n, mean[j]);
        constant[j] = largest == 0.0;
        if (constant[j]) {
            count++;
            for (size_t i = 0; i < n; i++) to[i] = 0.0;
            continue;
        }
        const double scale = power_near_one(largest);
        for (size_t i = 0; i < n; i++) to[i] = (from[i] - mean[j]) * scale;
        const double norm = sqrt(dot_blocked(to, to, n));
        for (size_t i = 0; i < n; i++) to[i] /= norm;
    }
    return count;
}

void row_norms(const double *a, size_t n, size_t d, double *largest, double *norm)
{
    for (size_t i = 0; i < n; i++) largest[i] = norm[i] = 0.0;
    for (size_t j = 0; j < d; j++) {
        const double *column = a + j * n;
        for (size_t i = 0; i < n; i++)
            largest[i] = fabs(column[i]) > largest[i] ? fabs(column[i]) : largest[i];
    }
    for (size_t i = 0; i < n; i++) largest[i] = largest[i] > 0.0 ? power_near_one(largest[i]) : 0.0;
    for (size_t j = 0; j < d; j++) {
        const double *column = a + j * n;
        for (size_t i = 0; i < n; i++) {
            const double scaled = column[i] * largest[i];
            norm[i] += scaled * scaled;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (norm[i] > 0.0) norm[i] = sqrt(norm[i]) / largest[i];
}

void row_cosines(const double *a, const double *b, size_t n, size_t d, const double *a_norm,
                 const double *b_norm, double *cosine)
{
    for (size_t i = 0; i < n; i++) cosine[i] = 0.0;
    for (size_t j = 0; j < d; j++) {
        const double *of_a = a + j * n, *of_b = b + j * n;
        for (size_t i = 0; i < n; i++)
            cosine[i] += (of_a[i] / a_norm[i]) * (of_b[i] / b_norm[i]);
    }
}

double matched_squares(const centered_view *wide, const centered_view *narrow, const int *partner,
                       double *column, double *other)
{
    const size_t n = wide->n;
    double total = 0.0;
    for (size_t j = 0; j < wide->d; j++) {
        load_columns(wide, j, 1, column);
        if (partner[j] >= 0) {
            load_columns(narrow, (size_t) partner[j], 1, other);
            for (size_t i = 0; i < n; i++) column[i] -= other[i];
        }
        total += dot_blocked(column, column, n);
    }
    return total;
}

void side_maxima(const double *c, size_t m, size_t n, double *row, double *column)
{
    for (size_t i = 0; i < m; i++) row[i] = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        double largest = -INFINITY;
        for (size_t i = 0; i < m; i++) {
            const double value = c[i + j * m];
            row[i] = value > row[i] ? value : row[i];
            largest = value > largest ? value : largest;
        }
        column[j] = largest;
    }
}
