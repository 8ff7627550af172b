#include "call_checks.h"
#include "distance.h"
#include "linear.h"

SEXP repalign_squared_distances(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) v.n, (int) v.n));
    double *d2 = REAL(result);
    linear_sums unused = {scratch(v.d), scratch(v.d), scratch(v.n)};
    const size_t columns = chunk_rows(v.d, v.n);
    linear_gram(&v, columns, scratch(v.n * columns), check_interrupt, d2, unused);
    if (gram_to_squared_distances(d2, v.n, scratch(v.n), check_interrupt) > 0)
        direct_squared_distances(&v, scratch(v.n * v.d), d2, check_interrupt);
    mirror_upper(d2, v.n);
    UNPROTECT(1);
    return result;
}

SEXP repalign_median_distance(SEXP d2)
{
    require_matrix(d2, "d2");
    require_size(d2, matrix_rows(d2), matrix_rows(d2), "d2");
    const size_t n = matrix_rows(d2), length = n * (n - 1) / 2;
    double *values = scratch(length);
    pack_upper(REAL(d2), n, values);
    return Rf_ScalarReal(median_of_roots(values, length, check_interrupt));
}

SEXP repalign_gaussian(SEXP d2, SEXP sigma, SEXP shifted, SEXP threads)
{
    require_matrix(d2, "d2");
    const size_t n = matrix_rows(d2), d = matrix_columns(d2);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) d));
    /* about a million entries between two interrupts */
    const size_t columns = n < 1048576 ? 1048576 / n : 1;
    for (size_t j = 0; j < d; j += columns) {
        const size_t now = d - j < columns ? d - j : columns;
        gaussian_kernel(REAL(d2) + j * n, n * now, Rf_asReal(sigma), Rf_asLogical(shifted),
                        Rf_asInteger(threads), REAL(result) + j * n);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_off_diagonal_range(SEXP k)
{
    require_matrix(k, "k");
    require_size(k, matrix_rows(k), matrix_rows(k), "k");
    SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
    off_diagonal_range(REAL(k), matrix_rows(k), REAL(result), REAL(result) + 1);
    UNPROTECT(1);
    return result;
}

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
