/* The terms of pairs of neurons and their sums over subsets: see neuron_pairs.h. */

#include "neuron_pairs.h"

#include <string.h>

#include "estimator.h"

void finish_pair_terms(double *c, double *h, const double *s, const double *t, size_t qx,
                       size_t qy, size_t n)
{
    const estimator naive = naive_estimator((double) n);
    const estimator corrected = corrected_estimator((double) n);
    for (size_t b = 0; b < qy; b++) {
        for (size_t a = 0; a < qx; a++) {
            const size_t at = a + b * qx;
            const double c2 = c[at] * c[at];
            h[at] = estimate_linear(corrected, c2, h[at], s[a] * t[b]);
            c[at] = estimate(naive, c2, 0.0, 0.0);
        }
    }
}

double gather_sum(const double *h, size_t rows, const int *a, size_t na, const int *b, size_t nb)
{
    double total = 0.0;
    for (size_t j = 0; j < nb; j++) {
        const double *column = h + ((size_t) b[j] - 1) * rows;
        double s0 = 0.0, s1 = 0.0;
        size_t i = 0;
        for (; i + 2 <= na; i += 2) {
            s0 += column[a[i] - 1];
            s1 += column[a[i + 1] - 1];
        }
        if (i < na) s0 += column[a[i] - 1];
        total += s0 + s1;
    }
    return total;
}

void fill_indicator(const int *members, size_t m, size_t subsets, size_t size, const double *weight,
                    double *indicator)
{
    memset(indicator, 0, size * subsets * sizeof(double));
    for (size_t r = 0; r < subsets; r++)
        for (size_t i = 0; i < m; i++)
            indicator[(size_t) members[i + r * m] - 1 + r * size] = weight ? weight[r] : 1.0;
}

void equal_label_sum(const double *h, size_t rows, const int *a, size_t na, const int *b,
                     size_t nb, const int *labels_x, const int *labels_y, size_t n_labels,
                     int *head, int *next, double *sum, double *count)
{
    double total = 0.0, pairs = 0.0;
    for (size_t g = 0; g < n_labels; g++) head[g] = -1;
    for (size_t j = 0; j < nb; j++) {
        const int g = labels_y[b[j] - 1];
        next[j] = head[g];
        head[g] = (int) j;
    }
    for (size_t i = 0; i < na; i++) {
        const size_t row = (size_t) a[i] - 1;
        for (int j = head[labels_x[row]]; j >= 0; j = next[j]) {
            total += h[row + ((size_t) b[j] - 1) * rows];
            pairs += 1.0;
        }
    }
    *sum = total;
    *count = pairs;
}
