/* Entry points of the streamed CKA. */

#include "stack.h"

#include "call_args.h"
#include "call_results.h"

/* The centred columns of x and then those of y: list(rows, x, y), where x and y hold the sums of
   squares of each row. */
SEXP repalign_stack_rows(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale)
{
    begin_entry(__func__);
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    if (vx.n != vy.n) argument_error("y", "have as many rows as x");
    const char *names[] = {"rows", "x", "y", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *rows = put_matrix(result, 0, vx.n, vx.d + vy.d);
    stack_rows(&vx, rows, put_doubles(result, 1, vx.n));
    check_interrupt();
    stack_rows(&vy, rows + vx.n * vx.d, put_doubles(result, 2, vx.n));
    UNPROTECT(1);
    return result;
}

/* A 3 x pairs matrix of sums over the rows, for columns ia and ib of z: of a^2 b^2, a^2 b, a b^2. */
SEXP repalign_column_powers(SEXP z, SEXP ia, SEXP ib)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(z));
    const size_t pairs = (size_t) Rf_xlength(ia);
    const int *a = read_indices(ARG(ia), pairs, matrix_columns(z));
    const int *b = read_indices(ARG(ib), pairs, matrix_columns(z));
    SEXP result = PROTECT(new_matrix(3, pairs));
    column_powers(values, matrix_rows(z), a, b, pairs, REAL(result));
    UNPROTECT(1);
    return result;
}
