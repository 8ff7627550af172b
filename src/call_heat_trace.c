/* Entry point of the Chebyshev traces of neighbour graphs. */

#include "heat_trace.h"

#include <limits.h>

#include "entry.h"

static sparse_graph empty_graph(size_t n, size_t edges)
{
    const sparse_graph g = {n, size_scratch(n + 1), int_scratch(edges), scratch(edges)};
    return g;
}

/* One for each thread. */
static heat_scratch *new_heat_scratch(size_t n, int threads)
{
    heat_scratch *each = (heat_scratch *) R_alloc((size_t) threads, sizeof(heat_scratch));
    for (int t = 0; t < threads; t++) {
        each[t].now = zeroed_bytes(n * HEAT_WIDTH * sizeof(double));
        each[t].next = zeroed_bytes(n * HEAT_WIDTH * sizeof(double));
        each[t].ball = zeroed_bytes(n * sizeof(int));
        each[t].mark = zeroed_bytes(n * sizeof(int));
    }
    return each;
}

/* idx: neighbours, n x k, one-based. Traces of the Chebyshev polynomials of degree 0 to
   2 steps of the normalised adjacency. */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads)
{
    begin_entry(__func__);
    if (!Rf_isMatrix(idx)) argument_error("idx", "be a matrix");
    const size_t n = matrix_rows(idx), k = matrix_columns(idx), edges = 2 * n * k;
    const int *neighbours = read_index(ARG(idx), n);
    const size_t degree = read_count(ARG(steps), 0, INT_MAX), blocks = heat_blocks(n);
    worker by = read_worker(ARG(threads));
    if ((size_t) by.threads > blocks && blocks > 0) by.threads = (int) blocks;
    SEXP traces = PROTECT(new_doubles(2 * degree + 1));
    sparse_graph directed = empty_graph(n, edges), graph = empty_graph(n, edges);
    build_graph(neighbours, n, k, &directed, int_scratch(n), int_scratch(n), &graph);
    heat_traces(&graph, degree, new_heat_scratch(n, by.threads), by,
                scratch(blocks * 2 * degree), REAL(traces));
    UNPROTECT(1);
    return traces;
}
