/* Sums for Song's estimator with weights: see weighted_sums.h. One pass over seven matrices, where
   R would make a matrix for each of its products. */

#include "weighted_sums.h"

/* Entries between two pauses. */
#define PAUSE_ENTRIES 67108864.0

static void column_sums(weight_products p, size_t start, size_t n, double *sum)
{
    for (size_t s = 0; s < WEIGHTED_SUMS; s++) sum[s] = 0.0;
    for (size_t i = start; i < start + n; i++) {
        const double w = p.w[i], w2 = w * w, w3 = w2 * w, both = w * p.k1[i] * p.l1[i];
        sum[0] += w * p.m1[i];
        sum[1] += w2 * p.m1[i];
        sum[2] += w3 * p.m1[i];
        sum[3] += w2 * p.m2[i];
        sum[4] += both;
        sum[5] += w * both;
        sum[6] += w * p.k2[i] * p.l1[i];
        sum[7] += w * p.k1[i] * p.l2[i];
        sum[8] += w * p.k1[i];
        sum[9] += w * p.l1[i];
    }
}

void weighted_sums(weight_products p, size_t n, size_t columns, double *result, worker by)
{
    const size_t at_once = items_at_once(PAUSE_ENTRIES, (double) n, by.threads);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t last = group_end(first, at_once, columns);
        PARALLEL_FOR(by.threads)
        for (size_t b = first; b < last; b++) {
            column_sums(p, b * n, n, result + b * WEIGHTED_SUMS);
        }
        by.pause();
    }
}
