/* Distances among a few rows: see cloud.h. */

#include "cloud.h"

#include <math.h>

/* Sums of every eighth term: an addition need not wait for the one before. */
#define SUMS 8

/* Coordinate differences between two pauses. */
#define PAUSE_WORK 2e8

void gather_rows(const double *x, size_t n, size_t d, const int *rows, size_t m, double *out)
{
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < m; i++) out[a + i * d] = x[(size_t) rows[i] + a * n];
}

static double one_distance(const double *left, const double *right, size_t d, double scale)
{
    double sums[SUMS] = {0.0}, rest = 0.0;
    const size_t whole = d - d % SUMS;
    for (size_t a = 0; a < whole; a += SUMS) {
        for (int l = 0; l < SUMS; l++) {
            const double difference = (left[a + l] - right[a + l]) * scale;
            sums[l] += difference * difference;
        }
    }
    for (size_t a = whole; a < d; a++) {
        const double difference = (left[a] - right[a]) * scale;
        rest += difference * difference;
    }
    for (int l = 0; l < SUMS; l++) rest += sums[l];
    return sqrt(rest);
}

void point_distances(const double *points, size_t m, size_t d, double scale, worker by,
                     double *out)
{
    const size_t at_once = items_at_once(PAUSE_WORK, (double) m * (double) d, by.threads);
    for (size_t first = 0; first < m; first += at_once) {
        const size_t last = group_end(first, at_once, m);
        PARALLEL_PIECES(by.threads, 4)
        for (size_t j = first; j < last; j++) {
            /* the distances to later points stand together */
            double *column = out + j * m - j * (j + 1) / 2;
            for (size_t i = j + 1; i < m; i++)
                column[i - j - 1] = one_distance(points + i * d, points + j * d, d, scale);
        }
        by.pause();
    }
}
