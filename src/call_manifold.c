/* Entry point of the weights of manifold-approximated kernels. */

#include "manifold.h"

#include "entry.h"

/* list(weight, sigma) from the distances of each row's nearest neighbours. */
SEXP repalign_manifold_weights(SEXP dist)
{
    begin_entry(__func__);
    const double *distances = read_matrix(ARG(dist));
    const size_t n = matrix_rows(dist), k = matrix_columns(dist);
    if (k < 1) argument_error("dist", "have columns");
    const char *names[] = {"weight", "sigma", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *weight = put_matrix(result, 0, n, k), *sigma = put_doubles(result, 1, n);
    manifold_weights(distances, n, k, scratch(k), weight, sigma, check_interrupt);
    UNPROTECT(1);
    return result;
}
