/* Entry points of the range and the median of a vector. */

#include "median.h"

#include <string.h>

#include "entry.h"

/* c(smallest, largest). */
SEXP repalign_value_range(SEXP v)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(v));
    SEXP result = PROTECT(new_doubles(2));
    value_range(REAL(v), length, REAL(result), REAL(result) + 1);
    UNPROTECT(1);
    return result;
}

SEXP repalign_median_value(SEXP v)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(v));
    double *values = scratch(length);
    memcpy(values, REAL(v), length * sizeof(double));
    return Rf_ScalarReal(median_value(values, length, check_interrupt));
}
