/* Weights of manifold-approximated kernels: each row decays from its nearest neighbour at a
   rate of its own, so that all rows have the same sum. */

#include <float.h>
#include <math.h>

#include "entry.h"

/* Rows between two pauses. */
#define PAUSE_ROWS 256

/* Distances that differ by less than this share of the largest are tied. */
#define TIE 1e-12

/* Sum of exp(-t delta), and how fast it falls with t. */
static double decayed_sum(const double *delta, size_t k, double t, double *slope)
{
    double sum = 0.0, fall = 0.0;
    for (size_t e = 0; e < k; e++) {
        const double term = exp(-t * delta[e]);
        sum += term;
        fall += delta[e] * term;
    }
    *slope = fall;
    return sum;
}

/* The t at which the sum of exp(-t delta) reaches target, for 0 <= delta <= 1 and a target
   between the number of zeros in delta and k. The sum falls and is convex, so Newton steps
   from the left stay left of the root, but for rounding: a step that leaves the bracket
   halves it instead. */
static double decay_rate(const double *delta, size_t k, double target)
{
    double low = 0.0, high = 1.0, slope;
    while (high < DBL_MAX / 2.0 && decayed_sum(delta, k, high, &slope) > target) {
        low = high;
        high *= 2.0;
    }
    double t = low;
    for (int step = 0; step < 200; step++) {
        const double excess = decayed_sum(delta, k, t, &slope) - target;
        if (fabs(excess) <= 2.0 * DBL_EPSILON * target) break;
        if (excess > 0.0) low = t;
        else high = t;
        double next = t + excess / slope;
        if (!(next > low && next < high)) next = low + 0.5 * (high - low);
        if (next <= low || next >= high) break; /* neighbouring numbers */
        t = next;
    }
    return t;
}

/* Differences from the nearest distance, times a power of two that brings the row's largest
   distance near one (no digit is lost, and no difference overflows); ties become 0. Tied distances
   may stand in any order. Where log2 k or more neighbours tie at the nearest, sigma = 0 (the
   limit): 1 for the tied, 0 for the others. Returns sigma. delta: k scratch. */
static double row_weights(const double *dist, size_t n, size_t k, double *delta, double *weight)
{
    const double target = log2((double) k);
    double nearest = dist[0], size = 0.0, largest = 0.0;
    size_t tied = 0;
    for (size_t e = 0; e < k; e++) {
        nearest = fmin(nearest, dist[e * n]);
        size = fmax(size, fabs(dist[e * n]));
    }
    const double factor = power_near_one(size), tie = TIE * size * factor;
    for (size_t e = 0; e < k; e++) {
        delta[e] = dist[e * n] * factor - nearest * factor;
        if (delta[e] <= tie) delta[e] = 0.0;
    }
    for (size_t e = 0; e < k; e++) {
        tied += delta[e] == 0.0;
        largest = fmax(largest, delta[e]);
    }
    if ((double) tied >= target) {
        for (size_t e = 0; e < k; e++) weight[e * n] = delta[e] == 0.0 ? 1.0 : 0.0;
        return 0.0;
    }
    for (size_t e = 0; e < k; e++) delta[e] /= largest;
    const double rate = decay_rate(delta, k, target);
    for (size_t e = 0; e < k; e++) weight[e * n] = exp(-rate * delta[e]);
    return largest / rate / factor;
}

/* list(weight, sigma) from the distances of each row's nearest neighbours (n x k). weight =
   exp(-(d - rho) / sigma) with rho the nearest distance of the row and sigma such that the row sums
   to log2 k. */
SEXP repalign_manifold_weights(SEXP dist)
{
    const double *distances = read_matrix(ARG(dist));
    const size_t n = matrix_rows(dist), k = matrix_columns(dist);
    if (k < 1) argument_error("dist", "have columns");
    SEXP result = PROTECT(NAMED_LIST("weight", "sigma"));
    double *weight = put_matrix(result, 0, n, k), *sigma = put_doubles(result, 1, n);
    double *delta = scratch(k);
    for (size_t i = 0; i < n; i++) {
        sigma[i] = row_weights(distances + i, n, k, delta, weight + i);
        if (i % PAUSE_ROWS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
