#include "checks.h"

#include "blas.h"

void check_interrupt(void) { R_CheckUserInterrupt(); }

void require_matrix(SEXP x, const char *name)
{
    if (!Rf_isReal(x) || !Rf_isMatrix(x)) Rf_error("internal: '%s' must be a double matrix", name);
    if (!fits_blas(matrix_rows(x)) || !fits_blas(matrix_columns(x)))
        Rf_error("internal: '%s' is larger than BLAS integers allow", name);
}

size_t matrix_rows(SEXP x) { return (size_t) INTEGER(Rf_getAttrib(x, R_DimSymbol))[0]; }

size_t matrix_columns(SEXP x) { return (size_t) INTEGER(Rf_getAttrib(x, R_DimSymbol))[1]; }

centered_view view_of(SEXP x, SEXP means, SEXP inverse_scale)
{
    require_matrix(x, "x");
    if (!Rf_isReal(means) || (size_t) XLENGTH(means) != matrix_columns(x))
        Rf_error("internal: one mean a column");
    centered_view v = {REAL(x), matrix_rows(x), matrix_columns(x), REAL(means),
                       Rf_asReal(inverse_scale)};
    return v;
}

double *scratch(size_t length)
{
    return (double *) R_alloc(length > 0 ? length : 1, sizeof(double));
}

SEXP two_results(size_t rows, size_t columns)
{
    const char *names[] = {"naive", "stimulus", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int i = 0; i < 2; i++)
        SET_VECTOR_ELT(result, i, Rf_allocMatrix(REALSXP, (int) rows, (int) columns));
    UNPROTECT(1);
    return result;
}
