/* Entry points of the linear kernel. */

#include "call_checks.h"
#include "linear.h"

static size_t chunk_of(SEXP chunk, size_t n, size_t d)
{
    return Rf_isNull(chunk) ? chunk_rows(n, d) : (size_t) Rf_asInteger(chunk);
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
    for (int i = 0; i < 3; i++)
        SET_VECTOR_ELT(result, i, Rf_allocVector(REALSXP, (R_xlen_t) lengths[i]));
    linear_sums sums = {REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)),
                        REAL(VECTOR_ELT(result, 2))};
    double *product;
    if (by_gram) {
        SET_VECTOR_ELT(result, 4, Rf_allocMatrix(REALSXP, (int) side, (int) side));
        product = REAL(VECTOR_ELT(result, 4));
        const size_t columns = chunk_rows(v.d, v.n);
        linear_gram(&v, columns, scratch(v.n * columns), check_interrupt, product, sums);
    } else {
        product = scratch(side * side);
        const size_t rows = chunk_of(chunk, v.n, v.d);
        linear_self(&v, rows, scratch(rows * v.d), check_interrupt, product, sums);
    }
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
    require_rows(y, vx.n, "y");
    const size_t rows = chunk_of(chunk, vx.n, vx.d > vy.d ? vx.d : vy.d);
    double *c = scratch(vx.d * vy.d);
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt, c);
    return Rf_ScalarReal(dot_blocked(c, c, vx.d * vy.d));
}

/* The same sum from the Gram matrix of one side and the columns of the other. */
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale)
{
    centered_view v = view_of(y, y_means, y_scale);
    require_size(gram, v.n, v.n, "gram");
    const size_t columns = chunk_rows(v.d, v.n);
    return Rf_ScalarReal(gram_form(REAL(gram), &v, columns, scratch(v.n * columns),
                                   scratch(v.n * columns), check_interrupt));
}

SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy)
{
    centered_view vx = view_of(x, x_means, x_scale), vy = view_of(y, y_means, y_scale);
    require_rows(y, vx.n, "y");
    require_index(ix, vx.d, "ix");
    require_index(iy, vy.d, "iy");
    if (XLENGTH(ix) != XLENGTH(iy)) Rf_error("internal: unequal numbers of indices");
    const char *names[] = {"c", "dd", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, XLENGTH(ix)));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, XLENGTH(ix)));
    paired_moments(&vx, &vy, INTEGER(ix), INTEGER(iy), (size_t) XLENGTH(ix),
                   REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}
