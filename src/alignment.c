/* Passes over representations before and after they are aligned with each other. */

#include <math.h>

#include "loops.h"
#include "entry.h"

/* Sums of squares between this and its inverse have lost no digit to under- or overflow. */
#define SAFE_SQUARES 1e-250

/* The power of two at which the squares of a column are safe, 0 for a constant one; with that sum
   of squares. */
static double column_unit(const double *x, size_t n, double mean, double *squares)
{
    centered_view column = {x, n, 1, &mean, 1.0};
    *squares = squares_of_column(&column, 0);
    if (*squares > SAFE_SQUARES && *squares < 1.0 / SAFE_SQUARES) return 1.0;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double deviation = fabs(x[i] - mean);
        if (deviation > largest) largest = deviation;
    }
    if (largest == 0.0) return 0.0;
    column.inverse_scale = power_near_one(largest);
    *squares = squares_of_column(&column, 0);
    return column.inverse_scale;
}

/* Rows that are summed up together: their sums stay in cache. */
#define ROW_TILE 1024

/* squares = of the rows i0 .. i0 + rows - 1. */
static inline void add_squares(const centered_view *v, size_t i0, size_t rows, double *squares)
{
    for (size_t i = 0; i < rows; i++) squares[i] = 0.0;
    for (size_t j = 0; j < v->d; j++) {
        const double *x = v->x + j * v->n + i0;
        const double *next = j + 1 < v->d ? x + v->n : x;
        const double mean = v->mean[j], scale = v->inverse_scale;
        for (size_t start = 0; start < rows; start += FETCH_BLOCK) {
            const size_t stop = fetch_end(start, rows);
            fetch(next + start, stop - start);
            AT_ONCE
            for (size_t i = start; i < stop; i++) {
                const double value = (x[i] - mean) * scale;
                squares[i] += value * value;
            }
        }
    }
}

/* The same for one row, scaled by its own power of two; returns that, or 0 for a row of zeros. */
static double one_row_square(const centered_view *v, size_t i, double *square)
{
    double largest = 0.0;
    *square = 0.0;
    for (size_t j = 0; j < v->d; j++) {
        const double size = fabs((v->x[i + j * v->n] - v->mean[j]) * v->inverse_scale);
        largest = size > largest ? size : largest;
    }
    if (largest == 0.0) return 0.0;
    const double unit = power_near_one(largest);
    for (size_t j = 0; j < v->d; j++) {
        const double value = (v->x[i + j * v->n] - v->mean[j]) * v->inverse_scale * unit;
        *square += value * value;
    }
    return unit;
}

/* list(columns, constant): columns of mean zero and unit norm, each at a scale of its own, and the
   numbers of those that are constant, but for rounding. */
SEXP repalign_standardize(SEXP x, SEXP means)
{
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const double *mean = read_doubles(ARG(means), d);
    SEXP result = PROTECT(NAMED_LIST("columns", "constant"));
    double *out = put_matrix(result, 0, n, d), squares;
    int *constant = int_scratch(d);
    size_t count = 0;
    for (size_t j = 0; j < d; j++) {
        const double *from = values + j * n;
        double *to = out + j * n;
        const double unit = column_unit(from, n, mean[j], &squares);
        constant[j] = sqrt(squares / (double) n) <= EQUAL_SHARE * fabs(mean[j]) * unit;
        count += (size_t) constant[j];
        const double norm = constant[j] ? 1.0 : sqrt(squares);
        /* both factors at once only where their product cannot overflow */
        center_column(from, n, mean[j], unit == 1.0 ? 1.0 / norm : unit, to);
        if (unit != 1.0) center_column(to, n, 0.0, 1.0 / norm, to);
    }
    put_positions(result, 1, constant, d, count);
    UNPROTECT(1);
    return result;
}

/* Norms of the rows of the view, safe from over- and underflow. */
SEXP repalign_row_norms(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    SEXP result = PROTECT(new_doubles(v.n));
    double *norm = REAL(result);
    for (size_t i0 = 0; i0 < v.n; i0 += ROW_TILE) {
        const size_t rows = least(v.n - i0, ROW_TILE);
        add_squares(&v, i0, rows, norm + i0);
        for (size_t i = i0; i < i0 + rows; i++) {
            double unit = 1.0;
            const int safe = norm[i] > SAFE_SQUARES && norm[i] < 1.0 / SAFE_SQUARES;
            if (!safe) unit = one_row_square(&v, i, norm + i);
            norm[i] = unit > 0.0 ? sqrt(norm[i]) / unit : 0.0;
        }
    }
    UNPROTECT(1);
    return result;
}

/* Distance of the columns of x from their partners in y, in the units of the factors. partner: for
   each column of the wider side that of the narrower one, 0 for none, that is for a column of
   zeros. */
SEXP repalign_matched_distance(SEXP x, SEXP x_means, SEXP x_factor, SEXP y, SEXP y_means,
                               SEXP y_factor, SEXP partner)
{
    const centered_view wide = read_view(ARG(x), ARG(x_means), ARG(x_factor));
    const centered_view narrow = read_view(ARG(y), ARG(y_means), ARG(y_factor));
    const size_t n = wide.n;
    read_matrix_rows(ARG(y), n);
    if (!Rf_isInteger(partner) || (size_t) XLENGTH(partner) != wide.d)
        argument_error("partner", "hold %.0f integers", (double) wide.d);
    double *column = scratch(n), *other = scratch(n), total = 0.0;
    for (size_t j = 0; j < wide.d; j++) {
        const int of = INTEGER(partner)[j];
        if (of < 0 || (size_t) of > narrow.d)
            argument_error("partner", "hold integers from 0 to %.0f", (double) narrow.d);
        load_columns(&wide, j, 1, column);
        if (of > 0) {
            load_columns(&narrow, (size_t) of - 1, 1, other);
            for (size_t i = 0; i < n; i++) column[i] -= other[i];
        }
        total += dot_blocked(column, column, n);
    }
    return Rf_ScalarReal(sqrt(total));
}

/* list(rows, columns): the largest entries of each. */
SEXP repalign_side_maxima(SEXP c)
{
    const double *values = read_matrix(ARG(c));
    const size_t m = matrix_rows(c), n = matrix_columns(c);
    SEXP result = PROTECT(NAMED_LIST("rows", "columns"));
    double *row = put_doubles(result, 0, m), *column = put_doubles(result, 1, n);
    for (size_t i = 0; i < m; i++) row[i] = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        const double *of = values + j * m;
        double largest = -INFINITY;
        OPENMP(simd reduction(max : largest))
        for (size_t i = 0; i < m; i++) {
            const double value = of[i];
            row[i] = value > row[i] ? value : row[i];
            largest = value > largest ? value : largest;
        }
        column[j] = largest;
    }
    UNPROTECT(1);
    return result;
}
