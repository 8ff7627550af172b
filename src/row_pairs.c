/* All pairs of rows, from the inner products of centred rows: how far apart the two are, and what
   the pairs of nearest rows say beside those that are far from each other. */

#include <math.h>

#include "entry.h"

/* Pairs of so many rows can be counted by an int. */
#define MOST_ROWS 65536

/* Squared distances and cosines of all pairs i > j, column by column, and for each row the
   (one-based) pair with its nearest; gram: n x n. */
static void compare_rows(const double *gram, size_t n, double *squares, double *cosines,
                         int *nearest)
{
    const size_t diagonal = n + 1;
    double *size = scratch(n), *best = scratch(n), mean = 0.0;
    for (size_t i = 0; i < n; i++) mean += gram[i * diagonal] / (double) n;
    for (size_t i = 0; i < n; i++) {
        /* RDMs that are no distances between points have norms at or below 0 */
        size[i] = sqrt(fmax(gram[i * diagonal], 0.01 * mean));
        best[i] = -INFINITY;
    }
    size_t at = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++, at++) {
            const double inner = gram[i + j * n];
            const double cosine = fmax(fmin(inner / size[i] / size[j], 1.0), -1.0);
            squares[at] = gram[i * diagonal] + gram[j * diagonal] - 2.0 * inner;
            cosines[at] = cosine;
            if (cosine > best[i]) {
                best[i] = cosine;
                nearest[i] = (int) at + 1;
            }
            if (cosine > best[j]) {
                best[j] = cosine;
                nearest[j] = (int) at + 1;
            }
        }
    }
}

/* What, by products with cosines of another side, gives their mean over the pairs with the `far`
   lowest cosines, and their slope over these. Returns their middle; NAN where they do not
   differ. */
static double line_of_far(const double *cosines, size_t count, size_t far, double *mean,
                          double *slope)
{
    double *sorted = scratch(count), sum = 0.0, known = 0.0, spread = 0.0;
    for (size_t i = 0; i < count; i++) sorted[i] = cosines[i];
    rPsort(sorted, (int) count, (int) far - 1);
    const double limit = sorted[far - 1];
    for (size_t i = 0; i < count; i++) {
        mean[i] = cosines[i] <= limit;
        sum += mean[i] * cosines[i];
        known += mean[i];
    }
    const double middle = sum / known;
    for (size_t i = 0; i < count; i++) {
        slope[i] = mean[i] * (cosines[i] - middle);
        mean[i] /= known;
        spread += slope[i] * slope[i];
    }
    if (!(spread > 0.0)) return NAN;
    for (size_t i = 0; i < count; i++) slope[i] /= spread;
    return middle;
}

/* far: how many pairs count as far. list(squares, cosines, nearest, line, middle). */
SEXP repalign_row_pairs(SEXP gram, SEXP far)
{
    const double *values = read_matrix(ARG(gram));
    const size_t n = matrix_rows(gram), count = n * (n - 1) / 2;
    if (n < 2 || n > MOST_ROWS || matrix_columns(gram) != n)
        argument_error("gram", "be square, with 2 to %d rows", MOST_ROWS);
    const size_t lowest = read_count(ARG(far), 1, count);
    SEXP result = PROTECT(NAMED_LIST("squares", "cosines", "nearest", "line", "middle"));
    double *squares = put_doubles(result, 0, count), *cosines = put_doubles(result, 1, count);
    compare_rows(values, n, squares, cosines, put_integers(result, 2, n));
    double *line = put_matrix(result, 3, count, 2);
    *put_doubles(result, 4, 1) = line_of_far(cosines, count, lowest, line, line + count);
    UNPROTECT(1);
    return result;
}
