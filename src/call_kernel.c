#include "call_checks.h"
#include "distance.h"

static SEXP centered_copy(SEXP k, void (*center)(double *, size_t, double *, pause_function))
{
    require_matrix(k, "k");
    require_size(k, matrix_rows(k), matrix_rows(k), "k");
    SEXP result = PROTECT(Rf_duplicate(k));
    center(REAL(result), matrix_rows(k), scratch(matrix_rows(k)), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_double_center(SEXP k) { return centered_copy(k, double_center); }

SEXP repalign_u_center(SEXP k) { return centered_copy(k, u_center); }

SEXP repalign_dot(SEXP a, SEXP b)
{
    if (!Rf_isReal(a) || !Rf_isReal(b)) Rf_error("internal: doubles wanted");
    if (XLENGTH(a) != XLENGTH(b)) Rf_error("internal: unequal lengths");
    return Rf_ScalarReal(dot_blocked(REAL(a), REAL(b), (size_t) XLENGTH(a)));
}
