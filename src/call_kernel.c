/* Entry points of whole kernel matrices: U-centring and inner products. */

#include "call_checks.h"
#include "distance.h"

/* The U-centred matrix; the diagonal counts for nothing. */
SEXP repalign_u_center(SEXP k)
{
    require_matrix(k, "k");
    const size_t n = matrix_rows(k);
    require_size(k, n, n, "k");
    SEXP result = PROTECT(Rf_duplicate(k));
    u_center(REAL(result), n, scratch(n), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_dot(SEXP a, SEXP b)
{
    if (!Rf_isReal(a) || !Rf_isReal(b)) Rf_error("internal: doubles wanted");
    if (XLENGTH(a) != XLENGTH(b)) Rf_error("internal: unequal lengths");
    return Rf_ScalarReal(dot_blocked(REAL(a), REAL(b), (size_t) XLENGTH(a)));
}
