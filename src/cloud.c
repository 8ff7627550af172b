/* Distances among a few rows: see cloud.h. */

#include "cloud.h"

#include <math.h>

/* Partial sums that run side by side. */
#define LANES 8

/* Coordinate differences between two pauses. */
#define PAUSE_WORK 2e8

void gather_rows(const double *x, size_t n, size_t d, const int *rows, size_t m, double *out)
{
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < m; i++) out[a + i * d] = x[(size_t) rows[i] + a * n];
}

static double one_distance(const double *left, const double *right, size_t d, double scale)
{
    double sums[LANES] = {0.0}, rest = 0.0;
    const size_t whole = d - d % LANES;
    for (size_t a = 0; a < whole; a += LANES) {
        for (int l = 0; l < LANES; l++) {
            const double difference = (left[a + l] - right[a + l]) * scale;
            sums[l] += difference * difference;
        }
    }
    for (size_t a = whole; a < d; a++) {
        const double difference = (left[a] - right[a]) * scale;
        rest += difference * difference;
    }
    for (int l = 0; l < LANES; l++) rest += sums[l];
    return sqrt(rest);
}

void point_distances(const double *points, size_t m, size_t d, double scale, int threads,
                     pause_function pause, double *out)
{
    size_t group = (size_t) (PAUSE_WORK / ((double) m * (double) d + 1.0)) + 1;
    (void) threads; /* unused without OpenMP */
    for (size_t j0 = 0; j0 < m; j0 += group) {
        const size_t j1 = j0 + group < m ? j0 + group : m;
        pause();
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
#endif
        for (size_t j = j0; j < j1; j++) {
            /* the distances to later points stand together */
            double *column = out + j * m - j * (j + 1) / 2;
            for (size_t i = j + 1; i < m; i++)
                column[i - j - 1] = one_distance(points + i * d, points + j * d, d, scale);
        }
    }
}
