/* Entry point that prepares rows for the neighbour measures. */

#include "neighbour_rows.h"

#include "entry.h"

/* list(rows (d x n), degenerate): the numbers of rows that cannot be scaled. how: a
   row_preparation. */
SEXP repalign_neighbour_rows(SEXP x, SEXP means, SEXP scale, SEXP how)
{
    begin_entry(__func__);
    const char *names[] = {"rows", "degenerate", ""};
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const row_preparation wanted = (row_preparation) read_count(ARG(how), 0, ROW_PREPARATIONS - 1);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    int *degenerate = int_scratch(v.n);
    const size_t count = prepare_neighbour_rows(&v, wanted, put_matrix(result, 0, v.d, v.n),
                                                degenerate, check_interrupt);
    put_positions(result, 1, degenerate, v.n, count);
    UNPROTECT(1);
    return result;
}
