/* Spearman correlations with weights: see weighted_ranks.h.

   The rank of a pair is the weight of all pairs below it and half of that of its ties. With
   weights 1 this is the average rank less 1/2. The ranks of all sides, less their mean and times
   the root of the weight, are written in one common order of pairs, so that the products of all
   sides are one product of matrices. */

#include "weighted_ranks.h"

#include <math.h>

#include "blas.h"

/* Below this share of the square of the weights' sum, a variance of ranks is rounding. */
#define NO_VARIANCE 1e-12

static double pair_weight(ranked_pair p, const double *w)
{
    return w[p.first] * w[p.second];
}

static size_t end_of_ties(const ranked_pair *pairs, size_t start, size_t length)
{
    size_t end = start + 1;
    while (end < length && (pairs[end].place_and_tie & 1)) end++;
    return end;
}

/* Half of the weight of all pairs. */
static double mean_rank(const ranked_pair *pairs, size_t length, const double *w)
{
    double total = 0.0;
    for (size_t k = 0; k < length; k++) total += pair_weight(pairs[k], w);
    return 0.5 * total;
}

/* Writes the ranks to their places. Returns the root of the sum of their squares, NaN without any
   variance. */
static double write_ranks(const ranked_pair *pairs, size_t length, const double *w, double mean,
                          double *ranks)
{
    double below = -mean, squares = 0.0;
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(pairs, k, length);
        double weight = 0.0;
        for (size_t t = k; t < end; t++) weight += pair_weight(pairs[t], w);
        const double rank = below + 0.5 * weight;
        for (; k < end; k++) {
            const double own = pair_weight(pairs[k], w);
            /* weights of 0 and 1 are their own roots */
            ranks[pairs[k].place_and_tie >> 1] = rank * (own == 1.0 ? own : sqrt(own));
        }
        below += weight;
        squares += weight * rank * rank;
    }
    return squares > 2.0 * NO_VARIANCE * mean * mean * mean ? sqrt(squares) : NAN;
}

size_t ranked_columns_at_once(size_t sides, size_t length, size_t room)
{
    const size_t most = room / (sides * length);
    return most < 1 ? 1 : most;
}

/* ranks: those of all sides of x, then of y; sizes: likewise. */
static void correlate(size_t count_x, size_t count_y, size_t length, const double *ranks,
                      const double *sizes, double *out)
{
    const size_t other = count_y > 0 ? count_y : count_x;
    const double *sizes_y = sizes + (count_y > 0 ? count_x : 0);
    if (count_y > 0) {
        blas_gemm('T', 'N', count_x, count_y, length, 1.0, ranks, length, ranks + count_x * length,
                  length, 0.0, out, count_x);
    } else {
        for (size_t k = 0; k < count_x * count_x; k++) out[k] = 0.0;
        blas_syrk_add_lower(count_x, length, 1.0, ranks, length, out);
        for (size_t j = 1; j < count_x; j++)
            for (size_t i = 0; i < j; i++) out[i + j * count_x] = out[j + i * count_x];
    }
    for (size_t j = 0; j < other; j++)
        for (size_t i = 0; i < count_x; i++) out[i + j * count_x] /= sizes[i] * sizes_y[j];
}

void weighted_rank_correlations(ranked_sides x, ranked_sides y, size_t length, const double *w,
                                size_t n, size_t columns, size_t at_once, double *buffer,
                                double *sizes, double *result, worker by)
{
    const size_t sides = x.count + y.count;
    const size_t cells = x.count * (y.count > 0 ? y.count : x.count);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t now = group_end(first, at_once, columns) - first, items = now * sides;
        const double *weights = w + first * n;
        /* the places of the sizes hold the mean rank until these are known */
        PARALLEL_FOR(by.threads)
        for (size_t b = 0; b < now; b++) {
            const double mean = mean_rank(x.pairs[0], length, weights + b * n);
            for (size_t side = 0; side < sides; side++) sizes[b * sides + side] = mean;
        }
        PARALLEL_FOR(by.threads)
        for (size_t item = 0; item < items; item++) {
            const size_t side = item % sides, b = item / sides;
            const ranked_pair *pairs = side < x.count ? x.pairs[side] : y.pairs[side - x.count];
            sizes[item] = write_ranks(pairs, length, weights + b * n, sizes[item],
                                      buffer + item * length);
        }
        by.pause();
        for (size_t b = 0; b < now; b++) {
            correlate(x.count, y.count, length, buffer + b * sides * length, sizes + b * sides,
                      result + (first + b) * cells);
        }
        by.pause();
    }
}
