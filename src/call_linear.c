#include "checks.h"
#include "linear.h"

#include <string.h>

SEXP repalign_linear_moments(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    const char *names[] = {"s", "f", "k", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) v.d));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) v.d));
    SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, (R_xlen_t) v.n));
    linear_moments(&v, REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)),
                   REAL(VECTOR_ELT(result, 2)));
    UNPROTECT(1);
    return result;
}

SEXP repalign_linear_gram(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) v.n, (int) v.n));
    double *gram = REAL(result);
    memset(gram, 0, v.n * v.n * sizeof(double));
    const size_t columns = chunk_rows(v.d, v.n);
    double *buffer = scratch(v.n * columns);
    for (size_t j = 0; j < v.d; j += columns) {
        accumulate_gram(&v, j, v.d - j < columns ? v.d - j : columns, buffer, gram);
        check_interrupt();
    }
    mirror_upper(gram, v.n);
    UNPROTECT(1);
    return result;
}

/* Sum of squared cross products over all column pairs; y = NULL means x with itself. */
SEXP repalign_linear_total(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk)
{
    const int self = Rf_isNull(y);
    centered_view vx = view_of(x, x_means, x_scale);
    centered_view vy = self ? vx : view_of(y, y_means, y_scale);
    size_t rows = Rf_isNull(chunk) ? chunk_rows(vx.n, vx.d > vy.d ? vx.d : vy.d)
                                   : (size_t) Rf_asInteger(chunk);
    double *x_rows = scratch(rows * vx.d);
    double *y_rows = self ? NULL : scratch(rows * vy.d);
    double *c = scratch(vx.d * vy.d);
    memset(c, 0, vx.d * vy.d * sizeof(double));
    for (size_t i = 0; i < vx.n; i += rows) {
        const size_t now = vx.n - i < rows ? vx.n - i : rows;
        if (self) accumulate_self(&vx, i, now, x_rows, c);
        else accumulate_cross(&vx, &vy, i, now, x_rows, y_rows, c);
        check_interrupt();
    }
    return Rf_ScalarReal(self ? squares_upper(c, vx.d) : dot_blocked(c, c, vx.d * vy.d));
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
