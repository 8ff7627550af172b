/* Entry points of the null of graph forms. */

#include "blas.h"
#include "call_checks.h"
#include "graph_null.h"

static void check_starts(const int *start, size_t n, size_t edges)
{
    if (start[0] != 0 || (size_t) start[n] != edges) Rf_error("internal: damaged graph");
    for (size_t u = 0; u < n; u++)
        if (start[u + 1] < start[u]) Rf_error("internal: damaged graph");
}

/* list(start, target (from 1), rank, weight): see edge_list. */
static edge_list read_graph(SEXP graph)
{
    SEXP start = needed_element(graph, "start"), target = needed_element(graph, "target");
    SEXP rank = needed_element(graph, "rank"), weight = needed_element(graph, "weight");
    if (!Rf_isInteger(start) || XLENGTH(start) < 2) Rf_error("internal: damaged graph");
    const size_t n = (size_t) XLENGTH(start) - 1, edges = (size_t) XLENGTH(target);
    if (!fits_blas(n)) Rf_error("internal: graph too large");
    require_index(target, n, "target");
    if (!Rf_isInteger(rank) || (size_t) XLENGTH(rank) != edges || !Rf_isReal(weight) ||
        (size_t) XLENGTH(weight) != edges)
        Rf_error("internal: damaged graph");
    check_starts(INTEGER(start), n, edges);
    int *from_zero = (int *) R_alloc(edges > 0 ? edges : 1, sizeof(int));
    for (size_t e = 0; e < edges; e++) from_zero[e] = INTEGER(target)[e] - 1;
    edge_list list = {n, INTEGER(start), from_zero, INTEGER(rank), REAL(weight)};
    return list;
}

static edge_list read_graph_of(SEXP graph, size_t n)
{
    const edge_list list = read_graph(graph);
    if (list.n != n) Rf_error("internal: unequal graphs");
    return list;
}

static size_t count_graphs(SEXP graphs)
{
    if (TYPEOF(graphs) != VECSXP || XLENGTH(graphs) < 1) Rf_error("internal: no list of graphs");
    return (size_t) XLENGTH(graphs);
}

/* All graphs of a list, of equally many vertices. */
static edge_list *read_graphs(SEXP graphs)
{
    const size_t count = count_graphs(graphs);
    edge_list *lists = (edge_list *) R_alloc(count, sizeof(edge_list));
    lists[0] = read_graph(VECTOR_ELT(graphs, 0));
    for (size_t i = 1; i < count; i++)
        lists[i] = read_graph_of(VECTOR_ELT(graphs, (R_xlen_t) i), lists[0].n);
    return lists;
}

static SEXP new_result(size_t rows, size_t columns)
{
    if (!fits_blas(rows) || !fits_blas(columns)) Rf_error("internal: result too large");
    return Rf_allocMatrix(REALSXP, (int) rows, (int) columns);
}

static common_mode read_mode(SEXP mode)
{
    const int value = Rf_asInteger(mode);
    if (value < 0 || value >= COMMON_MODES) Rf_error("internal: unknown mode");
    return (common_mode) value;
}

static int *labels(SEXP order, size_t n)
{
    require_index(order, n, "order");
    if ((size_t) XLENGTH(order) % n != 0) Rf_error("internal: 'order' has another length");
    const size_t length = (size_t) XLENGTH(order);
    int *result = (int *) R_alloc(length > 0 ? length : 1, sizeof(int));
    for (size_t i = 0; i < length; i++) result[i] = INTEGER(order)[i] - 1;
    return result;
}

static int *int_scratch(size_t length) { return (int *) R_alloc(length + 1, sizeof(int)); }

static bucketed_edges new_buckets(const edge_list *y)
{
    const size_t edges = (size_t) y->start[y->n];
    bucketed_edges b = {int_scratch(y->n + 1), int_scratch(edges), int_scratch(edges),
                        int_scratch(y->n), scratch(edges)};
    return b;
}

/* Lists of graphs x and y; label_x: n labels; labels_y: n a coset. Rows: shifts 0 .. n - 1 of
   each coset in turn; columns: the numbers of the mode, for each pair (x fastest). */
SEXP repalign_graph_coset(SEXP x, SEXP y, SEXP label_x, SEXP labels_y, SEXP mode)
{
    const common_mode m = read_mode(mode);
    const edge_list *gx = read_graphs(x);
    const size_t lx = count_graphs(x), ly = count_graphs(y), width = common_columns(m);
    const size_t n = gx[0].n;
    const int *from = labels(label_x, n), *to = labels(labels_y, n);
    if ((size_t) XLENGTH(label_x) != n) Rf_error("internal: one label a vertex");
    const size_t cosets = (size_t) XLENGTH(labels_y) / n, rows = n * cosets;
    SEXP result = PROTECT(new_result(rows, lx * ly * width));
    double *value = scratch(3 * n), *sums = scratch(width * n);
    int *count = int_scratch(2 * n), *touched = int_scratch(n);
    work_counter counter = {check_interrupt, 0};
    for (size_t j = 0; j < ly; j++) {
        /* one graph of y after the other takes the same memory */
        const void *before = vmaxget();
        const edge_list gy = read_graph_of(VECTOR_ELT(y, (R_xlen_t) j), n);
        bucketed_edges buckets = new_buckets(&gy);
        for (size_t c = 0; c < cosets; c++) {
            bucket_edges(&gy, to + c * n, &buckets);
            for (size_t i = 0; i < lx; i++) {
                graph_shifts(gx + i, from, &buckets, m, value, count, touched, &counter, sums);
                for (size_t w = 0; w < width; w++)
                    memcpy(REAL(result) + c * n + rows * ((i + lx * j) * width + w), sums + w * n,
                           n * sizeof(double));
            }
        }
        vmaxset(before);
    }
    UNPROTECT(1);
    return result;
}

/* The same numbers for given permutations (one a column). */
SEXP repalign_graph_permuted(SEXP x, SEXP y, SEXP permutations, SEXP mode)
{
    const common_mode m = read_mode(mode);
    const edge_list *gx = read_graphs(x);
    const size_t lx = count_graphs(x), ly = count_graphs(y), width = common_columns(m);
    const size_t n = gx[0].n;
    const int *p = labels(permutations, n);
    const size_t rows = (size_t) XLENGTH(permutations) / n;
    SEXP result = PROTECT(new_result(rows, lx * ly * width));
    int *mark = int_scratch(n);
    memset(mark, 0, n * sizeof(int));
    work_counter counter = {check_interrupt, 0};
    for (size_t j = 0; j < ly; j++) {
        const void *before = vmaxget();
        const edge_list gy = read_graph_of(VECTOR_ELT(y, (R_xlen_t) j), n);
        for (size_t i = 0; i < lx; i++)
            for (size_t k = 0; k < rows; k++)
                graph_permuted(gx + i, &gy, p + k * n, m, mark, &counter,
                               REAL(result) + k + rows * (i + lx * j) * width, rows);
        vmaxset(before);
    }
    UNPROTECT(1);
    return result;
}
