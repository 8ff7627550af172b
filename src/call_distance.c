/* Entry points of distances between rows. */

#include "distance.h"

#include "entry.h"

/* Doubles of a block of columns when none is given: 512 MB. */
#define BLOCK_DOUBLES 67108864.0

static SEXP packed_result(distance_rows *rows, distance_kind kind, worker by)
{
    const size_t n = rows->view.n;
    rows->norms = scratch(n);
    rows->panel = scratch(n * panel_rows(n));
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    if (packed_distances(rows, kind, by, REAL(result)) > 0)
        direct_distances(rows, kind, scratch(n * rows->view.d), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Euclidean distances, packed. columns: of a block, or NULL. */
SEXP repalign_distances(SEXP x, SEXP means, SEXP scale, SEXP threads, SEXP columns)
{
    begin_entry(__func__);
    distance_rows rows = {read_view(ARG(x), ARG(means), ARG(scale)), NULL, 0, NULL, NULL, NULL};
    const size_t n = rows.view.n, d = rows.view.d;
    const double wanted = Rf_isNull(columns) ? BLOCK_DOUBLES / (double) n
                                             : read_number(ARG(columns));
    rows.columns = wanted < 1 ? 1 : wanted < (double) d ? (size_t) wanted : d;
    rows.block = scratch(n * rows.columns);
    return packed_result(&rows, distance_root, read_worker(ARG(threads)));
}

/* list(rows, bad): rows at unit length, and the numbers of those that have no direction. */
SEXP repalign_unit_rows(SEXP x, SEXP center, SEXP threads)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const char *names[] = {"rows", "bad", ""};
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    int *unusable = int_scratch(n);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const size_t bad = unit_rows(values, n, d, read_flag(ARG(center)), read_worker(ARG(threads)),
                                 put_matrix(result, 0, n, d), unusable);
    put_positions(result, 1, unusable, n, bad);
    UNPROTECT(1);
    return result;
}

/* 1 - inner product of unit rows, packed. */
SEXP repalign_unit_distances(SEXP unit, SEXP threads)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(unit));
    const size_t n = matrix_rows(unit), d = matrix_columns(unit);
    distance_rows rows = {{values, n, d, NULL, 1.0}, values, d, NULL, NULL, NULL};
    return packed_result(&rows, distance_half_square, read_worker(ARG(threads)));
}
