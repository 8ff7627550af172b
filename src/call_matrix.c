/* Entry points of passes over raw data. */

#include "call_checks.h"

SEXP repalign_all_finite(SEXP x)
{
    return Rf_ScalarLogical(all_finite(REAL(x), (size_t) XLENGTH(x)));
}

SEXP repalign_column_stats(SEXP x)
{
    require_matrix(x, "x");
    const char *names[] = {"means", "largest", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SEXP means = Rf_allocVector(REALSXP, (R_xlen_t) matrix_columns(x));
    SET_VECTOR_ELT(result, 0, means);
    double largest = column_means(REAL(x), matrix_rows(x), matrix_columns(x), REAL(means));
    SET_VECTOR_ELT(result, 1, Rf_ScalarReal(largest));
    UNPROTECT(1);
    return result;
}

SEXP repalign_center(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) v.n, (int) v.d));
    load_rows(&v, 0, v.n, REAL(result));
    UNPROTECT(1);
    return result;
}
