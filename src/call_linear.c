#include "checks.h"
#include "linear.h"

#include <string.h>

static size_t chunk_of(SEXP chunk, size_t n, size_t d)
{
    return Rf_isNull(chunk) ? chunk_rows(n, d) : (size_t) Rf_asInteger(chunk);
}

static void fill_self(const centered_view *v, size_t rows, double *c, linear_sums sums)
{
    double *x_rows = scratch(rows * v->d);
    for (size_t i = 0; i < v->n; i += rows) {
        accumulate_self(v, i, v->n - i < rows ? v->n - i : rows, x_rows, c, sums);
        check_interrupt();
    }
}

static void fill_gram(const centered_view *v, double *gram, linear_sums sums)
{
    const size_t columns = chunk_rows(v->d, v->n);
    double *buffer = scratch(v->n * columns);
    for (size_t j = 0; j < v->d; j += columns) {
        accumulate_gram(v, j, v->d - j < columns ? v->d - j : columns, buffer, gram, sums);
        check_interrupt();
    }
}

/* One pass over x: column and row sums, the sum of all squared cross products of its
   columns, and the Gram matrix when that is the smaller side (gram = TRUE). */
SEXP repalign_linear_form(SEXP x, SEXP means, SEXP inverse_scale, SEXP gram, SEXP chunk)
{
    centered_view v = view_of(x, means, inverse_scale);
    const int by_gram = Rf_asLogical(gram);
    const size_t side = by_gram ? v.n : v.d;
    const char *names[] = {"s", "f", "k", "total", "gram", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const size_t lengths[] = {v.d, v.d, v.n};
    for (int i = 0; i < 3; i++) {
        SET_VECTOR_ELT(result, i, Rf_allocVector(REALSXP, (R_xlen_t) lengths[i]));
        memset(REAL(VECTOR_ELT(result, i)), 0, lengths[i] * sizeof(double));
    }
    linear_sums sums = {REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)),
                        REAL(VECTOR_ELT(result, 2))};
    double *product;
    if (by_gram) {
        SET_VECTOR_ELT(result, 4, Rf_allocMatrix(REALSXP, (int) side, (int) side));
        product = REAL(VECTOR_ELT(result, 4));
    } else {
        product = scratch(side * side);
    }
    memset(product, 0, side * side * sizeof(double));
    if (by_gram) fill_gram(&v, product, sums);
    else fill_self(&v, chunk_of(chunk, v.n, v.d), product, sums);
    SET_VECTOR_ELT(result, 3, Rf_ScalarReal(squares_upper(product, side)));
    if (by_gram) mirror_upper(product, side);
    UNPROTECT(1);
    return result;
}

/* Sum of squared cross products over all pairs of a column of x and one of y. */
SEXP repalign_linear_cross(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk)
{
    centered_view vx = view_of(x, x_means, x_scale), vy = view_of(y, y_means, y_scale);
    const size_t rows = chunk_of(chunk, vx.n, vx.d > vy.d ? vx.d : vy.d);
    double *x_rows = scratch(rows * vx.d), *y_rows = scratch(rows * vy.d);
    double *c = scratch(vx.d * vy.d);
    memset(c, 0, vx.d * vy.d * sizeof(double));
    for (size_t i = 0; i < vx.n; i += rows) {
        accumulate_cross(&vx, &vy, i, vx.n - i < rows ? vx.n - i : rows, x_rows, y_rows, c);
        check_interrupt();
    }
    return Rf_ScalarReal(dot_blocked(c, c, vx.d * vy.d));
}

/* The same sum from the Gram matrix of one side and the columns of the other. */
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale)
{
    centered_view v = view_of(y, y_means, y_scale);
    require_matrix(gram, "gram");
    const size_t columns = chunk_rows(v.d, v.n);
    double *buffer = scratch(v.n * columns), *product = scratch(v.n * columns);
    double total = 0.0;
    for (size_t j = 0; j < v.d; j += columns) {
        total += gram_form(REAL(gram), &v, j, v.d - j < columns ? v.d - j : columns, buffer,
                           product);
        check_interrupt();
    }
    return Rf_ScalarReal(total);
}

SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy)
{
    centered_view vx = view_of(x, x_means, x_scale), vy = view_of(y, y_means, y_scale);
    const char *names[] = {"c", "dd", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, XLENGTH(ix)));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, XLENGTH(ix)));
    paired_moments(&vx, &vy, INTEGER(ix), INTEGER(iy), (size_t) XLENGTH(ix),
                   REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}
