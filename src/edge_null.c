/* Permutation nulls of neighbour graphs: sums over the edges that two directed graphs have in
   common, after the vertices of the second one have been relabelled. */

#include <string.h>
#include <limits.h>

#include "tied_overlap.h"
#include "entry.h"

/* Edges of vertex u: positions start[u] .. start[u + 1] - 1 of target (zero-based), weight
   and rank (from 1).

   In a graph that is averaged over the order of ties, the first sure[u] edges are in it for sure,
   and have the rank 1; the others have the rank 2, and chance chooses as many of them as make k
   edges. Without such ties `sure` is NULL; k is 0 where no average is taken. */
typedef struct {
    size_t n;
    const int *start, *target, *rank;
    const double *weight;
    const int *sure;
    int k;
} edge_list;

/* What is added up for every anchor (a vertex of the first graph), from the edges that it
   has in common with its image in the second one. */
typedef enum {
    COMMON_COUNT,    /* how many */
    COMMON_JACCARD,  /* how many, over the size of the union */
    COMMON_RANKS,    /* the rank similarity of Wang et al. */
    COMMON_ANY,      /* is there one */
    COMMON_PRODUCTS, /* sums of weight_x weight_y, row sum x times row sum y, weight_x, weight_y */
    COMMON_WEIGHTS,  /* the sum of weight_x weight_y alone */
    COMMON_MEAN_JACCARD, /* the mean of COMMON_JACCARD over the order of ties */
    COMMON_MODES
} common_mode;

/* Edges sorted by difference of their labels, for all shifts at once: the edge (p, q) stands
   at p's label in the bucket (label q - label p) mod n. Arrays: bucket n + 1, the others one
   an edge; degree, and tied (how many edges are not sure): one a label. */
typedef struct {
    int *bucket, *label, *rank, *degree, *tied;
    double *weight;
} bucketed_edges;

/* Counts work, over calls too, and pauses after some: what a vertex costs depends on the
   graphs, up to all of their edges. work: 0 at first. */
typedef struct {
    pause_function pause;
    size_t work;
} work_counter;

/* For all shifts of a coset. value: 3 n; odds: 3 (n + 1); count: 2 n; touched: n. */
typedef struct {
    double *value, *odds;
    int *count, *touched;
    work_counter counter;
} shift_scratch;

/* Numbers per permutation that a mode gives: 1, or 4 for COMMON_PRODUCTS. */
static size_t common_columns(common_mode mode) { return mode == COMMON_PRODUCTS ? 4 : 1; }

/* Edges, or pairs of them, between two pauses: 0.02 s, or 0.2 s where nothing is in cache. */
#define PAUSE_WORK ((size_t) 1 << 23)

static void add_work(work_counter *counter, size_t work)
{
    counter->work += work;
    if (counter->work < PAUSE_WORK) return;
    counter->work = 0;
    counter->pause();
}

static size_t difference(int from, int to, size_t n)
{
    return (size_t) (to >= from ? to - from : to - from + (int) n);
}

/* How many edges of a vertex are not sure. */
static int tied_edges(const edge_list *g, size_t u)
{
    return g->sure ? g->start[u + 1] - g->start[u] - g->sure[u] : 0;
}

static void bucket_edges(const edge_list *y, const int *label, bucketed_edges *out)
{
    const size_t n = y->n;
    memset(out->bucket, 0, (n + 1) * sizeof(int));
    for (size_t p = 0; p < n; p++) {
        out->degree[label[p]] = y->start[p + 1] - y->start[p];
        out->tied[label[p]] = tied_edges(y, p);
        for (int e = y->start[p]; e < y->start[p + 1]; e++)
            out->bucket[difference(label[p], label[y->target[e]], n) + 1]++;
    }
    for (size_t d = 0; d < n; d++) out->bucket[d + 1] += out->bucket[d];
    for (size_t p = 0; p < n; p++)
        for (int e = y->start[p]; e < y->start[p + 1]; e++) {
            const int at = out->bucket[difference(label[p], label[y->target[e]], n)]++;
            out->label[at] = label[p];
            out->rank[at] = y->rank[e];
            out->weight[at] = y->weight[e];
        }
    /* every bucket now starts where the next one should */
    memmove(out->bucket + 1, out->bucket, n * sizeof(int));
    out->bucket[0] = 0;
}

/* What the common edges of one anchor amount to. tied_x, tied_y: of its edges, not only the common
   ones. */
typedef struct {
    double first, second, third;
    int count, degree_x, degree_y, tied_x, tied_y, k;
} anchor_sums;

static open_places places_of(int k, int degree, int tied)
{
    return (open_places){(size_t) tied, (size_t) (k - (degree - tied))};
}

static double rank_term(int r, int s)
{
    const int gap = r > s ? r - s : s - r;
    return 2.0 / ((1.0 + (double) gap) * (double) (r + s));
}

static double harmonic(int count)
{
    double total = 0.0;
    for (int q = count; q >= 1; q--) total += 1.0 / (double) q;
    return total;
}

static void add_anchor(common_mode mode, const anchor_sums *a, double *odds, double *out,
                       size_t stride)
{
    common_kinds common;
    switch (mode) {
    case COMMON_WEIGHTS: *out += a->first; break;
    case COMMON_MEAN_JACCARD:
        common = (common_kinds) {0, (size_t) a->first, (size_t) a->second, (size_t) a->third};
        common.sure = (size_t) a->count - common.tied_in_y - common.tied_in_x - common.tied_in_both;
        *out += mean_jaccard((size_t) a->k, common, places_of(a->k, a->degree_x, a->tied_x),
                             places_of(a->k, a->degree_y, a->tied_y), odds);
        break;
    case COMMON_COUNT: *out += (double) a->count; break;
    case COMMON_JACCARD:
        *out += (double) a->count / (double) (a->degree_x + a->degree_y - a->count);
        break;
    case COMMON_RANKS: *out += a->first / harmonic(a->count); break;
    case COMMON_ANY: *out += 1.0; break;
    case COMMON_PRODUCTS:
        out[0] += a->first;
        out[stride] += a->second * a->third;
        out[2 * stride] += a->second;
        out[3 * stride] += a->third;
        break;
    case COMMON_MODES: break; /* the number of modes is none; so the compiler can name what lacks */
    }
}

/* Which of the sums of an anchor counts a common edge, by its ranks: none (3) if it is sure. */
static size_t tie_kind(int rank_x, int rank_y)
{
    return rank_x == 1 ? (rank_y == 1 ? 3 : 0) : (rank_y == 1 ? 1 : 2);
}

/* How many edges are common, or their products of weights, needs no anchors: every pair of edges
   counts for its shift. count, sum (NULL where edges are counted): by shifts from -n to n - 1; t
   and t - n are the same shift. */
static void sum_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y, int *count,
                       double *sum, work_counter *counter, double *out)
{
    const size_t n = x->n;
    memset(count, 0, 2 * n * sizeof(int));
    if (sum) memset(sum, 0, 2 * n * sizeof(double));
    for (size_t u = 0; u < n; u++) {
        const size_t from = n - (size_t) label_x[u];
        size_t work = 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const size_t bucket = difference(label_x[u], label_x[x->target[e]], n);
            const int first = y->bucket[bucket], last = y->bucket[bucket + 1];
            if (sum)
                for (int f = first; f < last; f++)
                    sum[from + (size_t) y->label[f]] += x->weight[e] * y->weight[f];
            else
                for (int f = first; f < last; f++) count[from + (size_t) y->label[f]]++;
            work += 1 + (size_t) (last - first);
        }
        add_work(counter, work);
    }
    for (size_t t = 0; t < n; t++)
        out[t] = sum ? sum[t] + sum[n + t] : (double) count[t] + (double) count[n + t];
}

/* Sums for all shifts t = 0 .. n - 1: the vertex of x with label u is matched with that of y with
   label u + t. z: scratch. out: n rows per column (common_columns), zeroed here. */
static void graph_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y,
                         common_mode mode, shift_scratch *z, double *out)
{
    const size_t n = x->n;
    double *value = z->value;
    int *count = z->count;
    if (mode == COMMON_COUNT || mode == COMMON_WEIGHTS) {
        sum_shifts(x, label_x, y, count, mode == COMMON_WEIGHTS ? value : NULL, &z->counter, out);
        return;
    }
    memset(out, 0, n * common_columns(mode) * sizeof(double));
    memset(value, 0, 3 * n * sizeof(double));
    memset(count, 0, n * sizeof(int));
    for (size_t u = 0; u < n; u++) {
        const int label = label_x[u];
        size_t n_touched = 0, work = 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            /* the pairs of this edge with each edge of y in a bucket, by shift: those with which it
               falls together once y is relabelled */
            const size_t bucket = difference(label, label_x[x->target[e]], n);
            work += 1 + (size_t) (y->bucket[bucket + 1] - y->bucket[bucket]);
            for (int f = y->bucket[bucket]; f < y->bucket[bucket + 1]; f++) {
                const size_t t = difference(label, y->label[f], n);
                if (count[t]++ == 0) z->touched[n_touched++] = (int) t;
                if (mode == COMMON_RANKS) {
                    value[t] += rank_term(x->rank[e], y->rank[f]);
                } else if (mode == COMMON_PRODUCTS) {
                    value[t] += x->weight[e] * y->weight[f];
                    value[n + t] += x->weight[e];
                    value[2 * n + t] += y->weight[f];
                } else if (mode == COMMON_MEAN_JACCARD) {
                    const size_t kind = tie_kind(x->rank[e], y->rank[f]);
                    if (kind < 3) value[kind * n + t] += 1.0;
                }
            }
        }
        for (size_t i = 0; i < n_touched; i++) {
            const size_t t = (size_t) z->touched[i], image = ((size_t) label + t) % n;
            const anchor_sums a = {value[t], value[n + t], value[2 * n + t], count[t],
                                   x->start[u + 1] - x->start[u], y->degree[image],
                                   tied_edges(x, u), y->tied[image], x->k};
            add_anchor(mode, &a, z->odds, out + t, n);
            value[t] = value[n + t] = value[2 * n + t] = 0.0;
            count[t] = 0;
        }
        add_work(&z->counter, work);
    }
}

/* The same sums when the vertex i of x is matched with the vertex permutation[i] of y
   (zero-based).
   out: common_columns values at distance stride. mark: scratch n, zero before and after; odds: as
   in shift_scratch. */
static void graph_permuted(const edge_list *x, const edge_list *y, const int *permutation,
                           common_mode mode, int *mark, double *odds, work_counter *counter,
                           double *out, size_t stride)
{
    for (size_t c = 0; c < common_columns(mode); c++) out[c * stride] = 0.0;
    for (size_t u = 0; u < x->n; u++) {
        const size_t image = (size_t) permutation[u];
        anchor_sums a = {0.0, 0.0, 0.0, 0, x->start[u + 1] - x->start[u],
                         y->start[image + 1] - y->start[image], tied_edges(x, u),
                         tied_edges(y, image), x->k};
        double *sums[] = {&a.first, &a.second, &a.third};
        for (int f = y->start[image]; f < y->start[image + 1]; f++) mark[y->target[f]] = f + 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const int f = mark[permutation[x->target[e]]] - 1;
            if (f < 0) continue;
            a.count++;
            if (mode == COMMON_RANKS) {
                a.first += rank_term(x->rank[e], y->rank[f]);
            } else if (mode == COMMON_PRODUCTS || mode == COMMON_WEIGHTS) {
                a.first += x->weight[e] * y->weight[f];
                a.second += x->weight[e];
                a.third += y->weight[f];
            } else if (mode == COMMON_MEAN_JACCARD) {
                const size_t kind = tie_kind(x->rank[e], y->rank[f]);
                if (kind < 3) *sums[kind] += 1.0;
            }
        }
        for (int f = y->start[image]; f < y->start[image + 1]; f++) mark[y->target[f]] = 0;
        if (a.count > 0) add_anchor(mode, &a, odds, out, stride);
        add_work(counter, (size_t) a.degree_x + 2 * (size_t) a.degree_y + 1);
    }
}

/* Where the edges of each vertex start: from 0 to the number of edges. */
static const int *read_starts(SEXP start, size_t n, size_t edges)
{
    const int *at = INTEGER(start);
    int good = at[0] == 0 && (size_t) at[n] == edges;
    for (size_t u = 0; good && u < n; u++) good = at[u] <= at[u + 1];
    if (!good) argument_error("start", "rise from 0 to %.0f", (double) edges);
    return at;
}

/* The elements k and `sure` (one a vertex) of a graph that is averaged over ties; without ties
   there is only k, which is between what is sure and what there is; the ranks are 1 for what is
   sure, and 2 for the rest. */
static void read_ties(SEXP graph, const char *name, edge_list *list)
{
    SEXP sure = find_element(graph, name, "sure"), k = find_element(graph, name, "k");
    if (!Rf_isNull(k)) list->k = (int) read_count(ARG(k), 1, list->n);
    if (!Rf_isNull(sure)) {
        if (!Rf_isInteger(sure) || (size_t) XLENGTH(sure) != list->n)
            argument_error("sure", "hold %.0f integers", (double) list->n);
        list->sure = INTEGER(sure);
    }
    int fits = 1;
    for (size_t u = 0; u < list->n && (list->sure || list->k > 0); u++) {
        const int start = list->start[u], degree = list->start[u + 1] - start;
        const int is_sure = list->sure ? list->sure[u] : degree;
        fits &= is_sure >= 0 && is_sure <= list->k && list->k <= degree;
        for (int e = 0; e < degree; e++) fits &= list->rank[start + e] == (e < is_sure ? 1 : 2);
    }
    if (!fits) argument_error("sure", "fit the ranks and `k`");
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

/* Lists of graphs x and y; label_x: n labels; labels_y: n a coset. Rows: shifts 0 .. n - 1 of
   each coset in turn; columns: the numbers of the mode, for each pair (x fastest). */
SEXP repalign_coset_edges(SEXP x, SEXP y, SEXP label_x, SEXP labels_y, SEXP mode)
{
    const common_mode m = read_mode(mode);
    const edge_list *graphs = read_graphs(ARG(x));
    const size_t n = graphs[0].n, lx = count_elements(ARG(x)), ly = count_elements(ARG(y));
    check_averaged(graphs, m);
    const size_t width = common_columns(m);
    const int *of_x = read_from_zero(ARG(label_x), n, n);
    const int *labels = read_permutations(ARG(labels_y), n);
    shift_scratch z = {scratch(3 * n), scratch(3 * (n + 1)), int_scratch(2 * n), int_scratch(n),
                       {check_interrupt, 0}};
    double *sums = scratch(width * n);
    const size_t cosets = (size_t) XLENGTH(labels_y) / n, rows = n * cosets;
    SEXP result = PROTECT(new_matrix(rows, lx * ly * width));
    for (size_t j = 0; j < ly; j++) {
        /* one graph of y after the other takes the same memory */
        const void *before = vmaxget();
        const edge_list graph = read_graph_like(VECTOR_ELT(y, (R_xlen_t) j), "y", graphs);
        const size_t edges = (size_t) graph.start[n];
        bucketed_edges buckets = {int_scratch(n + 1), int_scratch(edges), int_scratch(edges),
                                  int_scratch(n), int_scratch(n), scratch(edges)};
        for (size_t c = 0; c < cosets; c++) {
            double *out = REAL(result) + c * n + rows * lx * j * width;
            bucket_edges(&graph, labels + c * n, &buckets);
            for (size_t i = 0; i < lx; i++) {
                graph_shifts(graphs + i, of_x, &buckets, m, &z, sums);
                for (size_t w = 0; w < width; w++)
                    memcpy(out + rows * (i * width + w), sums + w * n, n * sizeof(double));
            }
        }
        vmaxset(before);
    }
    UNPROTECT(1);
    return result;
}

/* The same numbers for given permutations (one a column). */
SEXP repalign_permuted_edges(SEXP x, SEXP y, SEXP permutations, SEXP mode)
{
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
