/* Entry points of products of rows along the edges of neighbour graphs. */

#include "call_checks.h"
#include "neighbour_products.h"

/* rows: d x n, as repalign_neighbour_rows() makes them; dist: like idx, or NULL. */
static neighbour_rows neighbour_rows_of(SEXP rows, SEXP idx, SEXP dist)
{
    require_matrix(rows, "rows");
    const size_t n = matrix_columns(rows);
    if (!Rf_isMatrix(idx) || matrix_rows(idx) != n)
        Rf_error("internal: one row of neighbours a stimulus");
    require_index(idx, n, "idx");
    if (!Rf_isNull(dist)) require_size(dist, n, matrix_columns(idx), "dist");
    neighbour_rows v = {REAL(rows), matrix_rows(rows), INTEGER(idx),
                        Rf_isNull(dist) ? NULL : REAL(dist)};
    return v;
}

static int threads_of(SEXP threads)
{
    const int count = Rf_asInteger(threads);
    return count < 1 ? 1 : count;
}

SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads)
{
    const neighbour_rows v = neighbour_rows_of(rows, idx, R_NilValue);
    const size_t n = matrix_columns(rows), k = matrix_columns(idx);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) k));
    edge_products(&v, n, k, threads_of(threads), REAL(result), check_interrupt);
    UNPROTECT(1);
    return result;
}

/* A cosine a row. The graphs hold one minus the cosine in dist. */
SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP dist_x, SEXP rows_y, SEXP idx_y,
                                   SEXP dist_y, SEXP distance, SEXP threads)
{
    const neighbour_rows x = neighbour_rows_of(rows_x, idx_x, dist_x);
    const neighbour_rows y = neighbour_rows_of(rows_y, idx_y, dist_y);
    const size_t n = matrix_columns(rows_x), k = matrix_columns(idx_x);
    if (!x.dist || !y.dist) Rf_error("internal: the graphs' distances are missing");
    if (matrix_columns(rows_y) != n || matrix_columns(idx_y) != k)
        Rf_error("internal: graphs of different sizes");
    const int count = threads_of(threads);
    int *slots = (int *) R_alloc(n * (size_t) count, sizeof(int));
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
    second_order_cosines(&x, &y, n, k, Rf_asLogical(distance), count, slots, REAL(result),
                         check_interrupt);
    UNPROTECT(1);
    return result;
}
