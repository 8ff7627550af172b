/* Entry points of the sums for moments: see moment_sums.h. */

#include "moment_sums.h"

#include "entry.h"

/* Waking threads costs more than sums over fewer numbers. */
#define ONE_THREAD_NUMBERS 1e6

static shifted_view read_shifted(SEXP a, const char *name, SEXP diagonal, SEXP elsewhere,
                                 SEXP scale)
{
    read_matrix(a, name);
    const size_t n = matrix_rows(a);
    const shifted_view v = {read_matrix_size(a, name, n, n), n, read_number(ARG(diagonal)),
                            read_number(ARG(elsewhere)), read_number(ARG(scale))};
    return v;
}

/* list(diagonal, squares, cubes, dots) of the shifted matrix: see column_sums. */
SEXP repalign_moment_sums(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale, SEXP threads)
{
    begin_entry(__func__);
    const shifted_view v = read_shifted(ARG(a), diagonal, elsewhere, scale);
    const char *names[] = {"diagonal", "squares", "cubes", "dots", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const column_sums out = {put_doubles(result, 0, v.n), put_doubles(result, 1, v.n),
                             put_doubles(result, 2, v.n), put_doubles(result, 3, v.n)};
    worker by = read_worker(ARG(threads));
    if ((double) v.n * (double) v.n < ONE_THREAD_NUMBERS) by.threads = 1;
    sums_of_columns(&v, by, out);
    UNPROTECT(1);
    return result;
}

/* The trace of the cube of the shifted matrix. */
SEXP repalign_cube_trace(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale)
{
    begin_entry(__func__);
    const shifted_view v = read_shifted(ARG(a), diagonal, elsewhere, scale);
    return Rf_ScalarReal(cube_trace(&v, scratch(cube_scratch(v.n)), check_interrupt));
}
