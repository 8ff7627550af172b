/* Distances among a few rows, for point clouds. */

#include <math.h>

#include "entry.h"

/* Sums of every eighth term: an addition need not wait for the one before. */
#define SUMS 8

/* Coordinate differences between two pauses. */
#define PAUSE_WORK 2e8

/* The rows given (zero-based) of x (n x d), one after the other, into out. */
static void gather_rows(const double *x, size_t n, size_t d, const int *rows, size_t m, double *out)
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

/* Euclidean distances, times scale (a power of two that keeps squares in range), between
   m points of d coordinates, from differences, so that equal points are at exactly 0 and
   nothing cancels. Order of out: stats::dist(). */
static void point_distances(const double *points, size_t m, size_t d, double scale, worker by,
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

/* Distances, times scale, between the rows (one-based) of x, as stats::dist() orders them. */
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads)
{
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const int *chosen = read_zero_based(ARG(rows), n);
    const size_t m = (size_t) XLENGTH(rows);
    const double factor = read_number(ARG(scale));
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(packed_length(m)));
    double *points = scratch(m * d);
    gather_rows(values, n, d, chosen, m, points);
    point_distances(points, m, d, factor, by, REAL(result));
    UNPROTECT(1);
    return result;
}
