#include "blas.h"
#include "checks.h"
#include "distance.h"

SEXP repalign_squared_distances(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    SEXP form = PROTECT(repalign_linear_form(x, means, inverse_scale, PROTECT(Rf_ScalarLogical(1)),
                                             R_NilValue));
    SEXP result = VECTOR_ELT(form, 4);
    gram_to_squared_distances(&v, REAL(result), scratch(v.n));
    UNPROTECT(2);
    return result;
}

SEXP repalign_median_distance(SEXP d2)
{
    const size_t n = matrix_rows(d2), length = n * (n - 1) / 2;
    double *values = scratch(length);
    pack_upper(REAL(d2), n, values);
    return Rf_ScalarReal(median_of_roots(values, length));
}

SEXP repalign_gaussian(SEXP d2, SEXP sigma, SEXP threads)
{
    const int n = (int) matrix_rows(d2);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, n, n));
    gaussian_kernel(REAL(d2), (size_t) XLENGTH(d2), Rf_asReal(sigma), Rf_asInteger(threads),
                    REAL(result));
    UNPROTECT(1);
    return result;
}

static SEXP centered_copy(SEXP k, void (*center)(double *, size_t, double *))
{
    require_matrix(k, "k");
    SEXP result = PROTECT(Rf_duplicate(k));
    center(REAL(result), matrix_rows(k), scratch(matrix_rows(k)));
    UNPROTECT(1);
    return result;
}

SEXP repalign_double_center(SEXP k) { return centered_copy(k, double_center); }

SEXP repalign_u_center(SEXP k) { return centered_copy(k, u_center); }

SEXP repalign_dot(SEXP a, SEXP b)
{
    if (XLENGTH(a) != XLENGTH(b)) Rf_error("internal: unequal lengths");
    return Rf_ScalarReal(dot_blocked(REAL(a), REAL(b), (size_t) XLENGTH(a)));
}
