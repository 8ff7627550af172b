/* Entry points of the linear kernel. */

#include "linear.h"

#include <limits.h>

#include "entry.h"

/* Rows of a chunk: as given, or as chunk_rows() finds right. */
static size_t read_chunk(SEXP chunk, size_t n, size_t d)
{
    return Rf_isNull(chunk) ? chunk_rows(n, d) : read_count(ARG(chunk), 1, INT_MAX);
}

/* Which products of a centred matrix with itself are wanted. */
enum { NO_PRODUCT, CROSS_PRODUCTS, GRAM_MATRIX };

/* One pass over x: list(s, f, k, total, gram) of column and row sums (linear_sums); the sum of all
   squared cross products of its columns, where there is a product; and the Gram matrix where that
   is the product. */
SEXP repalign_linear_form(SEXP x, SEXP means, SEXP scale, SEXP product, SEXP chunk)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const size_t wanted = read_count(ARG(product), NO_PRODUCT, GRAM_MATRIX);
    const size_t side = wanted == GRAM_MATRIX ? v.n : wanted == CROSS_PRODUCTS ? v.d : 0;
    const char *names[] = {"s", "f", "k", "total", "gram", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const linear_sums sums = {put_doubles(result, 0, v.d), put_doubles(result, 1, v.d),
                              put_doubles(result, 2, v.n)};
    double *values = wanted == GRAM_MATRIX ? put_matrix(result, 4, side, side)
                                           : scratch(side * side);
    if (wanted == CROSS_PRODUCTS) {
        const size_t rows = read_chunk(chunk, v.n, v.d);
        linear_self(&v, rows, scratch(rows * v.d), check_interrupt, values, sums);
    } else {
        const size_t columns = wanted == GRAM_MATRIX ? chunk_rows(v.d, v.n) : 1;
        linear_gram(&v, columns, scratch(v.n * columns), check_interrupt,
                    wanted == GRAM_MATRIX ? values : NULL, sums);
    }
    if (wanted != NO_PRODUCT) *put_doubles(result, 3, 1) = squares_upper(values, side);
    if (wanted == GRAM_MATRIX) mirror_upper(values, side);
    UNPROTECT(1);
    return result;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Sum of squared cross products over all pairs of a column of x and one of y. */
SEXP repalign_linear_cross(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk)
{
    begin_entry(__func__);
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const size_t rows = read_chunk(chunk, vx.n, larger(vx.d, vy.d));
    double *c = scratch(vx.d * vy.d);
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt, c);
    return Rf_ScalarReal(dot_blocked(c, c, vx.d * vy.d));
}

/* The cross products themselves: x'y of the centred matrices. */
SEXP repalign_cross_product(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale)
{
    begin_entry(__func__);
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const size_t rows = chunk_rows(vx.n, larger(vx.d, vy.d));
    SEXP result = PROTECT(new_matrix(vx.d, vy.d));
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt,
                 REAL(result));
    UNPROTECT(1);
    return result;
}

/* The sum of linear_cross from the Gram matrix of one side and the columns of the other. */
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    const double *values = read_matrix_size(ARG(gram), v.n, v.n);
    const size_t columns = chunk_rows(v.d, v.n);
    return Rf_ScalarReal(gram_form(values, &v, columns, scratch(v.n * columns),
                                   scratch(v.n * columns), check_interrupt));
}

/* For pairs of a column of x (ix) and one of y (iy): list(c, dd), see paired_moments(). */
SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy)
{
    begin_entry(__func__);
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const int *a = read_index(ARG(ix), vx.d);
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *b = read_indices(ARG(iy), pairs, vy.d);
    const char *names[] = {"c", "dd", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *c = put_doubles(result, 0, pairs), *dd = put_doubles(result, 1, pairs);
    paired_moments(&vx, &vy, a, b, pairs, c, dd);
    UNPROTECT(1);
    return result;
}
