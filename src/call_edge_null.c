/* Entry points of the permutation null of neighbour graphs. */

#include "edge_null.h"

#include <limits.h>
#include <string.h>

#include "entry.h"

/* Where the edges of each vertex start: from 0 to the number of edges. */
static const int *read_starts(SEXP start, size_t n, size_t edges)
{
    const int *at = INTEGER(start);
    int good = at[0] == 0 && (size_t) at[n] == edges;
    for (size_t u = 0; good && u < n; u++) good = at[u] <= at[u + 1];
    if (!good) argument_error("start", "rise from 0 to %.0f", (double) edges);
    return at;
}

/* Does a graph keep what an average over ties relies on: k is between what is sure and what there
   is, and the ranks are 1 for what is sure, and 2 for the rest? */
static int ties_fit(const edge_list *g)
{
    for (size_t u = 0; u < g->n; u++) {
        const int degree = g->start[u + 1] - g->start[u], sure = g->sure ? g->sure[u] : degree;
        if (sure < 0 || sure > g->k || g->k > degree) return 0;
        for (int e = g->start[u]; e < g->start[u + 1]; e++)
            if (g->rank[e] != (e - g->start[u] < sure ? 1 : 2)) return 0;
    }
    return 1;
}

/* The elements k and `sure` (one a vertex) of a graph that is averaged over ties; without ties
   there is only k. */
static void read_ties(SEXP graph, const char *name, edge_list *list)
{
    SEXP sure = find_element(graph, name, "sure"), k = find_element(graph, name, "k");
    if (!Rf_isNull(k)) list->k = (int) read_count(ARG(k), 1, list->n);
    if (!Rf_isNull(sure)) {
        if (!Rf_isInteger(sure) || (size_t) XLENGTH(sure) != list->n)
            argument_error("sure", "hold %.0f integers", (double) list->n);
        list->sure = INTEGER(sure);
    }
    if ((list->sure || list->k > 0) && !ties_fit(list))
        argument_error("sure", "fit the ranks and `k`");
}

/* list(start, target (from 1), rank, weight), and perhaps sure and k: see edge_list. */
static edge_list read_graph(SEXP graph, const char *name)
{
    SEXP start = read_element(graph, name, "start"), target = read_element(graph, name, "target");
    SEXP rank = read_element(graph, name, "rank"), weight = read_element(graph, name, "weight");
    if (!Rf_isInteger(start) || XLENGTH(start) < 2 || XLENGTH(start) > INT_MAX)
        argument_error("start", "hold two integers at least");
    const size_t n = (size_t) XLENGTH(start) - 1;
    const int *to = read_zero_based(ARG(target), n);
    const size_t edges = (size_t) XLENGTH(target);
    if (!Rf_isInteger(rank) || (size_t) XLENGTH(rank) != edges)
        argument_error("rank", "hold %.0f integers", (double) edges);
    edge_list list = {n, read_starts(start, n, edges), to, INTEGER(rank),
                      read_doubles(ARG(weight), edges), NULL, 0};
    read_ties(graph, name, &list);
    return list;
}

/* A graph like the first one of x. */
static edge_list read_graph_like(SEXP graph, const char *name, const edge_list *first)
{
    const edge_list list = read_graph(graph, name);
    if (list.n != first->n)
        argument_error(name, "have graphs with %.0f vertices", (double) first->n);
    if (list.k != first->k) argument_error(name, "have graphs with the same `k`");
    return list;
}

/* All graphs of a list, of equally many vertices. */
static edge_list *read_graphs(SEXP graphs, const char *name)
{
    const size_t count = count_elements(graphs, name);
    edge_list *lists = (edge_list *) R_alloc(count, sizeof(edge_list));
    lists[0] = read_graph(VECTOR_ELT(graphs, 0), name);
    for (size_t i = 1; i < count; i++)
        lists[i] = read_graph_like(VECTOR_ELT(graphs, (R_xlen_t) i), name, lists);
    return lists;
}

static common_mode read_mode(SEXP mode)
{
    return (common_mode) read_count(ARG(mode), 0, COMMON_MODES - 1);
}

static void check_averaged(const edge_list *first, common_mode mode)
{
    if (mode == COMMON_MEAN_JACCARD && first->k == 0) argument_error("x", "have graphs with `k`");
}

static bucketed_edges new_buckets(const edge_list *y)
{
    const size_t edges = (size_t) y->start[y->n];
    const bucketed_edges b = {int_scratch(y->n + 1), int_scratch(edges), int_scratch(edges),
                              int_scratch(y->n), int_scratch(y->n), scratch(edges)};
    return b;
}

/* The graphs of x and their labels, and scratch for the shifts of a coset. */
typedef struct {
    const edge_list *graphs;
    size_t count;
    const int *labels;
    double *value, *sums, *odds;
    int *found, *touched;
    work_counter counter;
} shift_side;

/* Rows first .. first + n - 1 of the result (`rows` long columns): the shifts of one coset of the
   graph in the buckets, `width` columns for each graph of x. */
static void coset_rows(shift_side *x, const bucketed_edges *y, common_mode mode, size_t rows,
                       double *out)
{
    const size_t n = x->graphs[0].n, width = common_columns(mode);
    for (size_t i = 0; i < x->count; i++) {
        graph_shifts(x->graphs + i, x->labels, y, mode, x->value, x->found, x->touched,
                     x->odds, &x->counter, x->sums);
        for (size_t w = 0; w < width; w++)
            memcpy(out + rows * (i * width + w), x->sums + w * n, n * sizeof(double));
    }
}

/* Lists of graphs x and y; label_x: n labels; labels_y: n a coset. Rows: shifts 0 .. n - 1 of
   each coset in turn; columns: the numbers of the mode, for each pair (x fastest). */
SEXP repalign_coset_edges(SEXP x, SEXP y, SEXP label_x, SEXP labels_y, SEXP mode)
{
    begin_entry(__func__);
    const common_mode m = read_mode(mode);
    const edge_list *graphs = read_graphs(ARG(x));
    const size_t n = graphs[0].n, lx = count_elements(ARG(x)), ly = count_elements(ARG(y));
    check_averaged(graphs, m);
    const size_t width = common_columns(m);
    read_indices(ARG(label_x), n, n);
    shift_side side = {graphs, lx, read_permutations(ARG(label_x), n), scratch(3 * n),
                       scratch(width * n), scratch(3 * (n + 1)), int_scratch(2 * n),
                       int_scratch(n),
                       {check_interrupt, 0}};
    const int *labels = read_permutations(ARG(labels_y), n);
    const size_t cosets = (size_t) XLENGTH(labels_y) / n, rows = n * cosets;
    SEXP result = PROTECT(new_matrix(rows, lx * ly * width));
    for (size_t j = 0; j < ly; j++) {
        /* one graph of y after the other takes the same memory */
        const void *before = vmaxget();
        const edge_list graph = read_graph_like(VECTOR_ELT(y, (R_xlen_t) j), "y", graphs);
        bucketed_edges buckets = new_buckets(&graph);
        for (size_t c = 0; c < cosets; c++) {
            bucket_edges(&graph, labels + c * n, &buckets);
            coset_rows(&side, &buckets, m, rows, REAL(result) + c * n + rows * lx * j * width);
        }
        vmaxset(before);
    }
    UNPROTECT(1);
    return result;
}

/* The same numbers for given permutations (one a column). */
SEXP repalign_permuted_edges(SEXP x, SEXP y, SEXP permutations, SEXP mode)
{
    begin_entry(__func__);
    const common_mode m = read_mode(mode);
    const edge_list *graphs = read_graphs(ARG(x));
    const size_t n = graphs[0].n, lx = count_elements(ARG(x)), ly = count_elements(ARG(y));
    check_averaged(graphs, m);
    const size_t width = common_columns(m);
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t rows = (size_t) XLENGTH(permutations) / n;
    SEXP result = PROTECT(new_matrix(rows, lx * ly * width));
    int *mark = zeroed_bytes(n * sizeof(int));
    double *odds = scratch(3 * (n + 1));
    work_counter counter = {check_interrupt, 0};
    for (size_t j = 0; j < ly; j++) {
        const void *before = vmaxget();
        const edge_list graph = read_graph_like(VECTOR_ELT(y, (R_xlen_t) j), "y", graphs);
        for (size_t i = 0; i < lx; i++)
            for (size_t k = 0; k < rows; k++)
                graph_permuted(graphs + i, &graph, orders + k * n, m, mark, odds, &counter,
                               REAL(result) + k + rows * (i + lx * j) * width, rows);
        vmaxset(before);
    }
    UNPROTECT(1);
    return result;
}
