/* Distances among a few rows, for point clouds. */

#include <math.h>

#include "entry.h"

/* Sums of every eighth term: an addition need not wait for the one before. */
#define SUMS 8

/* Coordinate differences between two pauses. */
#define PAUSE_WORK 2e8

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

/* Euclidean distances, times scale (a power of two that keeps squares in range), between the rows
   (one-based) of x, from differences, so that equal points are at exactly 0 and nothing cancels, as
   stats::dist() orders them. */
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads)
{
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const int *chosen = read_zero_based(ARG(rows), n);
    const size_t m = (size_t) XLENGTH(rows);
    const double factor = read_number(ARG(scale));
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(packed_length(m)));
    double *points = scratch(m * d), *out = REAL(result);
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < m; i++) points[a + i * d] = values[(size_t) chosen[i] + a * n];
    const size_t at_once = items_at_once(PAUSE_WORK, (double) m * (double) d, by.threads);
    for (size_t first = 0; first < m; first += at_once) {
        const size_t last = group_end(first, at_once, m);
        PARALLEL_PIECES(by.threads, 4)
        for (size_t j = first; j < last; j++) {
            /* the distances to later points stand together */
            double *column = out + j * m - j * (j + 1) / 2;
            for (size_t i = j + 1; i < m; i++)
                column[i - j - 1] = one_distance(points + i * d, points + j * d, d, factor);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
