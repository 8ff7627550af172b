/* Entry point of corrected sums by neuron and without each stimulus. */

#include "deletion_terms.h"

#include "entry.h"

static deletion_side read_side(SEXP x, const char *name, size_t n)
{
    const deletion_side side = {read_matrix_rows(x, name, n), matrix_columns(x), scratch(n),
                                scratch(matrix_columns(x))};
    sum_squares(side, n);
    return side;
}

/* list(x, y, stimuli) of centred x and y, or with y NULL, of x with itself, list(x, own, stimuli,
   own_stimuli): see deletion_terms.h. */
SEXP repalign_deletion_terms(SEXP x, SEXP y)
{
    begin_entry(__func__);
    read_matrix(ARG(x));
    const int self = Rf_isNull(y);
    const size_t n = matrix_rows(x);
    if (n < 5) argument_error("x", "have at least 5 rows");
    const deletion_side a = read_side(ARG(x), n), b = self ? a : read_side(ARG(y), n);
    const size_t most = a.d > b.d ? a.d : b.d;
    const size_t square = is_wide(a, b, n) ? n * n : a.d * b.d;
    const deletion_scratch z = {scratch(square > most ? square : most), scratch(n * most),
                                scratch(3 * n)};
    const char *of_two[] = {"x", "y", "stimuli", ""};
    const char *of_one[] = {"x", "own", "stimuli", "own_stimuli", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, self ? of_one : of_two));
    double *of_a = put_doubles(result, 0, a.d), *of_b = put_doubles(result, 1, b.d);
    deletion_terms(a, b, n, z, check_interrupt, of_a, of_b, put_doubles(result, 2, n));
    if (self) own_terms(a, n, z.rows, of_b, put_doubles(result, 3, n));
    UNPROTECT(1);
    return result;
}
