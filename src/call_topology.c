/* Entry points of topological measures. */

#include <string.h>

#include "call_checks.h"
#include "cloud.h"
#include "heat_trace.h"
#include "persistence.h"

/* As R_alloc is: freed when the call ends, also by an error or an interrupt. */
static void *zeroed(size_t length, size_t size)
{
    void *memory = R_alloc(length > 0 ? length : 1, (int) size);
    memset(memory, 0, length * size);
    return memory;
}

static sparse_graph empty_graph(size_t n, size_t edges)
{
    sparse_graph g = {n, (size_t *) R_alloc(n + 1, sizeof(size_t)),
                      (int *) R_alloc(edges, sizeof(int)), scratch(edges)};
    return g;
}

/* idx: neighbours, n x k, one-based. Traces of the Chebyshev polynomials of degree 0 to
   2 steps of the normalised adjacency. */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads)
{
    if (!Rf_isMatrix(idx)) Rf_error("internal: 'idx' must be a matrix");
    const size_t n = matrix_rows(idx), k = matrix_columns(idx);
    require_index(idx, n, "idx");
    const size_t p = (size_t) Rf_asInteger(steps), edges = 2 * n * k;
    int team = Rf_asInteger(threads);
    if ((size_t) team > heat_blocks(n)) team = (int) heat_blocks(n);
    SEXP traces = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) (2 * p + 1)));
    sparse_graph directed = empty_graph(n, edges), graph = empty_graph(n, edges);
    int *label = (int *) R_alloc(n, sizeof(int)), *mark = (int *) R_alloc(n, sizeof(int));
    build_graph(INTEGER(idx), n, k, &directed, label, mark, &graph);
    heat_scratch *each = (heat_scratch *) R_alloc((size_t) team, sizeof(heat_scratch));
    for (int t = 0; t < team; t++) {
        each[t].now = zeroed(n * HEAT_LANES, sizeof(double));
        each[t].next = zeroed(n * HEAT_LANES, sizeof(double));
        each[t].ball = zeroed(n, sizeof(int));
        each[t].mark = zeroed(n, sizeof(int));
    }
    heat_traces(&graph, p, each, team, scratch(heat_blocks(n) * 2 * p), check_interrupt,
                REAL(traces));
    UNPROTECT(1);
    return traces;
}

/* Distances, times scale, between the rows (one-based) of x, as stats::dist() orders them. */
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads)
{
    require_matrix(x, "x");
    require_index(rows, matrix_rows(x), "rows");
    const size_t m = (size_t) XLENGTH(rows), d = matrix_columns(x);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) (m * (m - 1) / 2)));
    double *points = scratch(m * d);
    int *zero_based = (int *) R_alloc(m, sizeof(int));
    for (size_t i = 0; i < m; i++) zero_based[i] = INTEGER(rows)[i] - 1;
    gather_rows(REAL(x), matrix_rows(x), d, zero_based, m, points);
    point_distances(points, m, d, Rf_asReal(scale), Rf_asInteger(threads), check_interrupt,
                    REAL(result));
    UNPROTECT(1);
    return result;
}

/* R_alloc'ed: the old piece stays until the call ends, and pieces double. */
static void *more_room(void *old, size_t old_bytes, size_t new_bytes)
{
    void *piece = R_alloc(new_bytes, 1);
    if (old_bytes > 0) memcpy(piece, old, old_bytes);
    return piece;
}

static bar_scratch room_for_bars(size_t bars, size_t n)
{
    const size_t slots = owner_slots(bars);
    bar_scratch s;
    s.column = zeroed(bars, sizeof(face));
    s.start = zeroed(bars + 1, sizeof(size_t));
    s.potential = zeroed(bars * potential_words(n), sizeof(uint64_t));
    s.owner_key = zeroed(slots, sizeof(uint64_t));
    s.owner = zeroed(slots, sizeof(size_t));
    s.in_chain = zeroed(n * (n - 1) / 2, 1);
    s.side = zeroed(n, 1);
    s.tree = zeroed(n, sizeof(face));
    s.label = zeroed(n, sizeof(int));
    s.resize = more_room;
    return s;
}

/* first, second: distances of n points, as stats::dist() orders them. A matrix with a bar
   (birth, death) a row. */
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads)
{
    const size_t n = (size_t) Rf_asInteger(size), pairs = n * (n - 1) / 2;
    if (!Rf_isReal(first) || !Rf_isReal(second) || (size_t) XLENGTH(first) != pairs ||
        (size_t) XLENGTH(second) != pairs)
        Rf_error("internal: distances must suit the number of points");
    double *a = scratch(n * n), *b = scratch(n * n);
    fill_square(REAL(first), n, a);
    fill_smaller(REAL(first), REAL(second), n, b);
    const cone_complex c = {n, a, b, scratch(pairs), zeroed(pairs, sizeof(int)),
                            zeroed(pairs, sizeof(edge))};
    const size_t bars = fill_complex(&c, Rf_asInteger(threads), zeroed(pairs, sizeof(edge)),
                                     check_interrupt);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) bars, 2));
    cross_bars(&c, bars, room_for_bars(bars, n), check_interrupt, REAL(result),
               REAL(result) + bars);
    UNPROTECT(1);
    return result;
}
