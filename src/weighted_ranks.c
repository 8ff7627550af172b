/* Spearman correlations with weights: see weighted_ranks.h.

   The rank of a pair is the weight of all pairs below it and half of that of its ties. With
   weights 1 this is the average rank less 1/2. The ranks of y are written in the order of x, so
   that the pass over x reads them in a row. */

#include "weighted_ranks.h"

#include <math.h>

/* Pairs between two pauses. */
#define PAUSE_PAIRS 33554432.0

static double pair_weight(ranked_pairs p, size_t k, const double *w)
{
    return w[p.first[k]] * w[p.second[k]];
}

/* Writes the ranks to their places; the sum of their squares. */
static double spread_ranks(ranked_pairs p, const int *place, size_t length, const double *w,
                           double *ranks)
{
    double below = 0.0, squares = 0.0;
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(p, k, length);
        double weight = 0.0;
        for (size_t t = k; t < end; t++) weight += pair_weight(p, t, w);
        const double rank = below + 0.5 * weight;
        for (; k < end; k++) ranks[place[k]] = rank;
        below += weight;
        squares += weight * rank * rank;
    }
    return squares;
}

typedef struct {
    double total, squares, products;
} rank_sums;

static rank_sums sums_with(ranked_pairs p, size_t length, const double *w, const double *ranks)
{
    rank_sums s = {0.0, 0.0, 0.0};
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(p, k, length);
        double weight = 0.0, other = 0.0;
        for (; k < end; k++) {
            const double own = pair_weight(p, k, w);
            weight += own;
            other += own * ranks[k];
        }
        const double rank = s.total + 0.5 * weight;
        s.total += weight;
        s.squares += weight * rank * rank;
        s.products += rank * other;
    }
    return s;
}

static double rank_correlation(ranked_pairs x, ranked_pairs y, const int *place, size_t length,
                               const double *w, double *ranks)
{
    const double squares_y = spread_ranks(y, place, length, w, ranks);
    const rank_sums s = sums_with(x, length, w, ranks);
    /* the mean rank is half of the total weight on both sides */
    const double mean_square = 0.25 * s.total * s.total, least = NO_RANK_VARIANCE * mean_square;
    const double var_x = s.squares / s.total - mean_square;
    const double var_y = squares_y / s.total - mean_square;
    if (!(var_x > least) || !(var_y > least)) return NAN;
    return (s.products / s.total - mean_square) / sqrt(var_x) / sqrt(var_y);
}

void weighted_rank_correlations(ranked_pairs x, ranked_pairs y, const int *place, size_t length,
                                const double *w, size_t n, size_t columns, double *scratch,
                                double *result, worker by)
{
    const size_t at_once = items_at_once(PAUSE_PAIRS, 2.0 * (double) length, by.threads);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t last = group_end(first, at_once, columns);
        PARALLEL_FOR(by.threads)
        for (size_t b = first; b < last; b++) {
            double *ranks = scratch + thread_number() * length;
            result[b] = rank_correlation(x, y, place, length, w + b * n, ranks);
        }
        by.pause();
    }
}
