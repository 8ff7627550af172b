/* The rows of a representation as the neighbour measures compare them: see neighbour_rows.h. */

#include "neighbour_rows.h"

#include <math.h>

#include "entry.h"
#include "loops.h"

ALWAYS_INLINE double largest_entry(const double *row, size_t d)
{
    double largest = 0.0;
    OPENMP(simd reduction(max : largest))
    for (size_t a = 0; a < d; a++) largest = fabs(row[a]) > largest ? fabs(row[a]) : largest;
    return largest;
}

/* 1: the row has no direction. Differences from the first entry are added, as in stats_of(). An
   exactly constant row becomes exact zeros. */
ALWAYS_INLINE int unit_row(double *row, size_t d, int centered)
{
    double factor = power_near_one(largest_entry(row, d));
    if (centered) {
        AT_ONCE
        for (size_t a = 0; a < d; a++) row[a] *= factor;
        const double from = row[0];
        double sum = 0.0;
        SUM_AT_ONCE(sum)
        for (size_t a = 0; a < d; a++) sum += row[a] - from;
        const double mean = from + sum / (double) d;
        AT_ONCE
        for (size_t a = 0; a < d; a++) row[a] -= mean;
        factor = power_near_one(largest_entry(row, d));
    }
    double s0 = 0.0, s1 = 0.0;
    const size_t half = d / 2;
    SUM_AT_ONCE(s0, s1)
    for (size_t a = 0; a < half; a++) {
        const double first = row[a] * factor, second = row[a + half] * factor;
        s0 += first * first;
        s1 += second * second;
    }
    const double last = d % 2 ? row[d - 1] * factor : 0.0;
    const double length = sqrt(s0 + s1 + last * last), inverse = 1.0 / length;
    if (length == 0.0) return 1;
    /* one after the other: their product may be too large for a double */
    AT_ONCE
    for (size_t a = 0; a < d; a++) row[a] = row[a] * factor * inverse;
    return 0;
}

/* Columns that are read at once, each from one end to the other, and rows that get as many entries
   each: a line of 64 bytes. */
#define TURN 8

/* A square of at most TURN rows and columns from row i and column a on. */
ALWAYS_INLINE void turn(const centered_view *v, size_t i, size_t rows, size_t a, size_t columns,
                        double *out)
{
    double square[TURN][TURN];
    for (size_t c = 0; c < columns; c++) {
        const double *column = v->x + (a + c) * v->n + i, mean = v->mean[a + c];
        for (size_t r = 0; r < rows; r++) square[r][c] = (column[r] - mean) * v->inverse_scale;
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) out[a + c + (i + r) * v->d] = square[r][c];
}

size_t prepare_neighbour_rows(const centered_view *v, row_preparation how, double *rows,
                              int *degenerate, pause_function pause)
{
    const size_t n = v->n, whole_rows = n - n % TURN;
    size_t bad = 0;
    for (size_t a = 0; a < v->d; a += TURN) {
        const size_t columns = least(v->d - a, TURN);
        if (columns == TURN)
            for (size_t i = 0; i < whole_rows; i += TURN) turn(v, i, TURN, a, TURN, rows);
        else
            for (size_t i = 0; i < whole_rows; i += TURN) turn(v, i, TURN, a, columns, rows);
        if (whole_rows < n) turn(v, whole_rows, n - whole_rows, a, columns, rows);
        if (a % (64 * TURN) == 0) pause();
    }
    for (size_t i = 0; i < v->n; i++) {
        degenerate[i] = 0;
        if (how == ROWS_UNIT || how == ROWS_CORRELATION)
            degenerate[i] = unit_row(rows + i * v->d, v->d, how == ROWS_CORRELATION);
        bad += (size_t) degenerate[i];
        if (i % 4096 == 0) pause();
    }
    return bad;
}

/* list(rows (d x n), degenerate): the numbers of rows that cannot be scaled. how: a
   row_preparation. */
SEXP repalign_neighbour_rows(SEXP x, SEXP means, SEXP scale, SEXP how)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const row_preparation wanted = (row_preparation) read_count(ARG(how), 0, ROW_PREPARATIONS - 1);
    SEXP result = PROTECT(NAMED_LIST("rows", "degenerate"));
    int *degenerate = int_scratch(v.n);
    const size_t count = prepare_neighbour_rows(&v, wanted, put_matrix(result, 0, v.d, v.n),
                                                degenerate, check_interrupt);
    put_positions(result, 1, degenerate, v.n, count);
    UNPROTECT(1);
    return result;
}
