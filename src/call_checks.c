/* What all entry points check of their arguments, and how they answer interrupts. */

#include "call_checks.h"

#include <string.h>

#include "blas.h"

void check_interrupt(void) { R_CheckUserInterrupt(); }

void require_matrix(SEXP x, const char *name)
{
    if (!Rf_isReal(x) || !Rf_isMatrix(x)) Rf_error("internal: '%s' must be a double matrix", name);
    if (!fits_blas(matrix_rows(x)) || !fits_blas(matrix_columns(x)))
        Rf_error("internal: '%s' is larger than BLAS integers allow", name);
}

void require_rows(SEXP x, size_t n, const char *name)
{
    require_matrix(x, name);
    if (matrix_rows(x) != n) Rf_error("internal: '%s' has another number of rows", name);
}

void require_size(SEXP x, size_t n, size_t d, const char *name)
{
    require_rows(x, n, name);
    if (matrix_columns(x) != d) Rf_error("internal: '%s' has another number of columns", name);
}

void require_index(SEXP index, size_t most, const char *name)
{
    if (!Rf_isInteger(index)) Rf_error("internal: '%s' must hold integers", name);
    const int *values = INTEGER(index);
    for (R_xlen_t i = 0; i < XLENGTH(index); i++)
        if (values[i] < 1 || (size_t) values[i] > most)
            Rf_error("internal: '%s' is out of range", name);
}

SEXP list_element(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    if (TYPEOF(list) != VECSXP) return R_NilValue;
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
    return R_NilValue;
}

SEXP needed_element(SEXP list, const char *name)
{
    SEXP found = list_element(list, name);
    if (Rf_isNull(found)) Rf_error("internal: the list has no '%s'", name);
    return found;
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
    if (!fits_blas(rows) || !fits_blas(columns)) Rf_error("internal: result too large");
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int i = 0; i < 2; i++)
        SET_VECTOR_ELT(result, i, Rf_allocMatrix(REALSXP, (int) rows, (int) columns));
    UNPROTECT(1);
    return result;
}
