/* Entry points of sums without each stimulus in turn. */

#include "call_checks.h"
#include "jackknife.h"

SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights)
{
    require_matrix(x, "x");
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    require_rows(y, n, "y");
    const size_t qy = matrix_columns(y);
    require_size(weights, qx, qy, "weights");
    const size_t most = qx > qy ? qx : qy;
    weighted_scratch z = {scratch(n * qx), scratch(n * qy), scratch(n * qx),
                          scratch(n * qy), scratch(qx * qy), scratch(2 * most + 6 * n)};
    SEXP result = PROTECT(two_results(n + 1, 1));
    loo_weighted(REAL(x), REAL(y), n, qx, qy, REAL(weights), z, check_interrupt,
                 REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}

SEXP repalign_loo_columns(SEXP x, SEXP y)
{
    require_matrix(x, "x");
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    require_rows(y, n, "y");
    const size_t qy = matrix_columns(y);
    column_scratch z = {scratch(n * qx), scratch(n * qx), scratch(n * qx),
                        scratch(column_inner_length(n, qx, qy)), scratch(n)};
    SEXP result = PROTECT(two_results(n + 1, qx));
    loo_columns(REAL(x), REAL(y), n, qx, qy, z, check_interrupt, REAL(VECTOR_ELT(result, 0)),
                REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}

SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy)
{
    require_matrix(x, "x");
    const size_t n = matrix_rows(x), pairs = (size_t) XLENGTH(ix);
    require_rows(y, n, "y");
    require_index(ix, matrix_columns(x), "ix");
    require_index(iy, matrix_columns(y), "iy");
    if (XLENGTH(ix) != XLENGTH(iy)) Rf_error("internal: unequal numbers of indices");
    SEXP result = PROTECT(two_results(n + 1, pairs));
    for (size_t p = 0; p < pairs; p++) {
        const size_t a = (size_t) INTEGER(ix)[p] - 1, b = (size_t) INTEGER(iy)[p] - 1;
        loo_one_pair(REAL(x) + a * n, REAL(y) + b * n, n,
                     REAL(VECTOR_ELT(result, 0)) + p * (n + 1),
                     REAL(VECTOR_ELT(result, 1)) + p * (n + 1));
        if (p % 64 == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_loo_gram(SEXP k, SEXP l)
{
    require_matrix(k, "k");
    const size_t n = matrix_rows(k);
    require_size(k, n, n, "k");
    require_size(l, n, n, "l");
    SEXP result = PROTECT(two_results(n + 1, 1));
    loo_from_grams(REAL(k), REAL(l), n, scratch(4 * n), REAL(VECTOR_ELT(result, 0)),
                   REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}
