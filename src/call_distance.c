/* Entry points of distances between rows. */

#include "distance.h"

#include "entry.h"

/* Doubles of a block of columns when none is given. What is read once stays in cache until it is
   multiplied (512 KB); what is read by several panels is better kept (512 MB). */
#define CACHED_DOUBLES 65536.0
#define KEPT_DOUBLES 67108864.0

/* Packed distances of rows whose view, scale and mean are set. columns: of a block, or NULL. */
static SEXP packed_result(distance_rows rows, SEXP columns, worker by)
{
    const size_t n = rows.view.n, d = rows.view.d;
    const double entries = n > panel_rows(n) ? KEPT_DOUBLES : CACHED_DOUBLES;
    const double wanted = Rf_isNull(columns) ? entries / (double) n : read_number(ARG(columns));
    rows.columns = wanted < 1 ? 1 : wanted < (double) d ? (size_t) wanted : d;
    rows.block = scratch(n * rows.columns);
    rows.sizes = scratch(n);
    rows.panel = scratch(n * panel_rows(n));
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    if (packed_distances(&rows, by, REAL(result)) > 0)
        direct_distances(&rows, scratch(n), scratch(n * d), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Euclidean distances, packed. */
SEXP repalign_distances(SEXP x, SEXP means, SEXP scale, SEXP threads, SEXP columns)
{
    begin_entry(__func__);
    const distance_rows rows = {read_view(ARG(x), ARG(means), ARG(scale)), NULL, NULL, 0, NULL,
                                NULL, NULL};
    return packed_result(rows, columns, read_worker(ARG(threads)));
}

/* list(d, bad): 1 - the cosines between rows, which are centred before where `center` is TRUE, and
   the numbers of the rows that have no direction. With any of these, d is NULL. */
SEXP repalign_unit_distances(SEXP x, SEXP center, SEXP threads, SEXP columns)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const char *names[] = {"d", "bad", ""};
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const worker by = read_worker(ARG(threads));
    double *scale = scratch(n), *mean = scratch(n);
    int *unusable = int_scratch(n);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const size_t bad =
        find_row_facts(values, n, d, read_flag(ARG(center)), by, scale, mean, unusable);
    put_positions(result, 1, unusable, n, bad);
    if (bad == 0) {
        const distance_rows rows = {{values, n, d, NULL, 1.0}, scale, mean, 0, NULL, NULL, NULL};
        SET_VECTOR_ELT(result, 0, packed_result(rows, columns, by));
    }
    UNPROTECT(1);
    return result;
}
