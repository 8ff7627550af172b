#include "call_checks.h"
#include "neighbour_products.h"

/* rows: d x n here and below, as repalign_neighbour_rows() makes them. */
static neighbour_rows neighbour_rows_of(SEXP rows, SEXP idx)
{
    require_matrix(rows, "rows");
    const size_t n = matrix_columns(rows);
    if (!Rf_isMatrix(idx) || matrix_rows(idx) != n)
        Rf_error("internal: one row of neighbours a stimulus");
    require_index(idx, n, "idx");
    neighbour_rows v = {REAL(rows), matrix_rows(rows), INTEGER(idx)};
    return v;
}

static int threads_of(SEXP threads)
{
    const int count = Rf_asInteger(threads);
    return count < 1 ? 1 : count;
}

SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads)
{
    const neighbour_rows v = neighbour_rows_of(rows, idx);
    const size_t n = matrix_columns(rows), k = matrix_columns(idx);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) k));
    edge_products(&v, n, k, threads_of(threads), REAL(result), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP rows_y, SEXP idx_y,
                                   SEXP distance, SEXP threads)
{
    const neighbour_rows x = neighbour_rows_of(rows_x, idx_x), y = neighbour_rows_of(rows_y, idx_y);
    const size_t n = matrix_columns(rows_x), k = matrix_columns(idx_x);
    if (matrix_columns(rows_y) != n || matrix_columns(idx_y) != k)
        Rf_error("internal: graphs of different sizes");
    const int count = threads_of(threads);
    int *stamps = (int *) R_alloc(n * (size_t) count, sizeof(int));
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
    second_order_cosines(&x, &y, n, k, Rf_asLogical(distance), count, stamps, REAL(result),
                         check_interrupt);
    UNPROTECT(1);
    return result;
}
