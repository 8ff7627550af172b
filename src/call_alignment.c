/* Entry points of passes over representations before and after they are aligned. */

#include "alignment.h"

#include <math.h>

#include "entry.h"

/* list(columns, constant): columns of unit norm, and the numbers of those that are constant. */
SEXP repalign_standardize(SEXP x, SEXP means)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const double *mean = read_doubles(ARG(means), d);
    const char *names[] = {"columns", "constant", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    int *constant = int_scratch(d);
    const size_t count = standardize_columns(values, n, d, mean, put_matrix(result, 0, n, d),
                                             constant);
    put_positions(result, 1, constant, d, count);
    UNPROTECT(1);
    return result;
}

SEXP repalign_row_norms(SEXP x, SEXP means, SEXP scale)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    SEXP result = PROTECT(new_doubles(v.n));
    row_norms(&v, REAL(result));
    UNPROTECT(1);
    return result;
}

/* For each column of the wider side that of the narrower one, 0 for none; as zero-based ones. */
static int *read_partners(SEXP partner, const char *name, size_t columns, size_t most)
{
    if (!Rf_isInteger(partner) || (size_t) XLENGTH(partner) != columns)
        argument_error(name, "hold %.0f integers", (double) columns);
    int *result = int_scratch(columns);
    for (size_t j = 0; j < columns; j++) {
        const int one_based = INTEGER(partner)[j];
        if (one_based < 0 || (size_t) one_based > most)
            argument_error(name, "hold integers from 0 to %.0f", (double) most);
        result[j] = one_based - 1;
    }
    return result;
}

/* Distance of the columns of x from their partners in y, in the units of the factors. */
SEXP repalign_matched_distance(SEXP x, SEXP x_means, SEXP x_factor, SEXP y, SEXP y_means,
                               SEXP y_factor, SEXP partner)
{
    begin_entry(__func__);
    const centered_view wide = read_view(ARG(x), ARG(x_means), ARG(x_factor));
    const centered_view narrow = read_view(ARG(y), ARG(y_means), ARG(y_factor));
    read_matrix_rows(ARG(y), wide.n);
    const int *partners = read_partners(ARG(partner), wide.d, narrow.d);
    return Rf_ScalarReal(sqrt(matched_squares(&wide, &narrow, partners, scratch(wide.n),
                                              scratch(wide.n))));
}

/* list(rows, columns): the largest entries of each. */
SEXP repalign_side_maxima(SEXP c)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(c));
    const size_t m = matrix_rows(c), n = matrix_columns(c);
    const char *names[] = {"rows", "columns", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *rows = put_doubles(result, 0, m), *columns = put_doubles(result, 1, n);
    side_maxima(values, m, n, rows, columns);
    UNPROTECT(1);
    return result;
}
