/* Entry points of products of rows along the edges of neighbour graphs. */

#include "neighbour_products.h"

#include "entry.h"

/* rows: d x n, as repalign_neighbour_rows() makes them; dist: like idx, or NULL. */
static neighbour_rows read_neighbours(SEXP rows, const char *rows_name, SEXP idx,
                                      const char *idx_name, SEXP dist, const char *dist_name)
{
    const double *values = read_matrix(rows, rows_name);
    const size_t n = matrix_columns(rows), d = matrix_rows(rows);
    const int *neighbours = read_index_matrix(idx, idx_name, n, n);
    const neighbour_rows v = {
        values, d, neighbours,
        Rf_isNull(dist) ? NULL : read_matrix_size(dist, dist_name, n, matrix_columns(idx))};
    return v;
}

SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads)
{
    begin_entry(__func__);
    const neighbour_rows v = read_neighbours(ARG(rows), ARG(idx), ARG(R_NilValue));
    const size_t n = matrix_columns(rows), k = matrix_columns(idx);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(n, k));
    edge_products(&v, n, k, by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* A cosine a row. The graphs hold one minus the cosine in dist. */
SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP dist_x, SEXP rows_y, SEXP idx_y,
                                   SEXP dist_y, SEXP distance, SEXP threads)
{
    begin_entry(__func__);
    const neighbour_rows x = read_neighbours(ARG(rows_x), ARG(idx_x), ARG(dist_x));
    const neighbour_rows y = read_neighbours(ARG(rows_y), ARG(idx_y), ARG(dist_y));
    const size_t n = matrix_columns(rows_x), k = matrix_columns(idx_x);
    if (matrix_columns(rows_y) != n) argument_error("rows_y", "have as many columns as `rows_x`");
    read_matrix_size(ARG(dist_x), n, k);
    read_matrix_size(ARG(dist_y), n, k);
    const worker by = read_worker(ARG(threads));
    int *slots = int_scratch(n * (size_t) by.threads);
    SEXP result = PROTECT(new_doubles(n));
    second_order_cosines(&x, &y, n, k, read_flag(ARG(distance)), by, slots, REAL(result));
    UNPROTECT(1);
    return result;
}
