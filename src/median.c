/* The range and the median of a vector: see median.h. */

#include "median.h"

void value_range(const double *v, size_t length, double *low, double *high)
{
    double l0 = v[0], l1 = v[0], h0 = v[0], h1 = v[0];
    size_t k = 0;
    for (; k + 2 <= length; k += 2) {
        l0 = v[k] < l0 ? v[k] : l0;
        l1 = v[k + 1] < l1 ? v[k + 1] : l1;
        h0 = v[k] > h0 ? v[k] : h0;
        h1 = v[k + 1] > h1 ? v[k + 1] : h1;
    }
    if (k < length) {
        l0 = v[k] < l0 ? v[k] : l0;
        h0 = v[k] > h0 ? v[k] : h0;
    }
    *low = l0 < l1 ? l0 : l1;
    *high = h0 > h1 ? h0 : h1;
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

double median_value(double *values, size_t length, pause_function pause)
{
    const size_t middle = length / 2;
    const double upper = select_rank(values, length, middle, pause);
    if (length % 2 == 1) return upper;
    double lower = values[0];
    for (size_t i = 1; i < middle; i++)
        if (values[i] > lower) lower = values[i];
    return 0.5 * (lower + upper);
}
