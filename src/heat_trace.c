/* Chebyshev traces of the normalised adjacency of a neighbour graph, exactly: the heat
   kernel trace at every temperature is a weighted sum of them. */

#include <math.h>
#include <string.h>
#include <limits.h>

#include "entry.h"
#include "loops.h"

/* Undirected graph, unit weights: the neighbours of u are to[start[u] .. start[u + 1] - 1],
   each with 1 / sqrt(degree degree). Room: start n + 1, to and weight 2 n k. */
typedef struct {
    size_t n;
    size_t *start;
    int *to;
    double *weight;
} sparse_graph;

/* Start nodes that are worked on together, side by side in memory. */
#define HEAT_WIDTH 8

/* What one thread needs: two matrices of n x HEAT_WIDTH, all zero; ball n; mark n, zero. */
typedef struct {
    double *now, *next;
    int *ball, *mark;
} heat_scratch;

/* Multiplications between two pauses. */
#define PAUSE_WORK 2e8

static void both_directions(const int *idx, size_t n, size_t k, sparse_graph *g)
{
    memset(g->start, 0, (n + 1) * sizeof(size_t));
    for (size_t i = 0; i < n * k; i++) {
        g->start[i % n + 1]++;
        g->start[idx[i]]++; /* idx is one-based */
    }
    for (size_t u = 0; u < n; u++) g->start[u + 1] += g->start[u];
    /* filled from the back, so that start ends where it began */
    for (size_t i = 0; i < n * k; i++) {
        const size_t u = i % n, v = (size_t) idx[i] - 1;
        g->to[--g->start[u + 1]] = (int) v;
        g->to[--g->start[v + 1]] = (int) u;
    }
    for (size_t u = 0; u < n; u++) g->start[u] = g->start[u + 1];
    g->start[n] = 2 * n * k;
}

/* Mutual neighbours are named twice. */
static void drop_repeats(sparse_graph *g, int *mark)
{
    size_t kept = 0;
    memset(mark, 0xff, g->n * sizeof(int));
    for (size_t u = 0; u < g->n; u++) {
        const size_t first = g->start[u], last = g->start[u + 1];
        g->start[u] = kept;
        for (size_t e = first; e < last; e++) {
            const int v = g->to[e];
            if (mark[v] == (int) u) continue;
            mark[v] = (int) u;
            g->to[kept++] = v;
        }
    }
    g->start[g->n] = kept;
}

/* order[new] = old, label[old] = new. */
static void breadth_first(const sparse_graph *g, int *label, int *order)
{
    size_t found = 0;
    memset(label, 0xff, g->n * sizeof(int));
    for (size_t root = 0, next = 0; root < g->n; root++) {
        if (label[root] >= 0) continue;
        label[root] = (int) found;
        order[found++] = (int) root;
        for (; next < found; next++) {
            const size_t u = (size_t) order[next];
            for (size_t e = g->start[u]; e < g->start[u + 1]; e++) {
                const int v = g->to[e];
                if (label[v] >= 0) continue;
                label[v] = (int) found;
                order[found++] = v;
            }
        }
    }
}

/* The union of the directed edges (idx: n x k, one-based, none to itself) and their
   reverses, with the nodes numbered breadth first, so that near nodes have near numbers.
   other: a second graph of the same room; label, mark: scratch n. */
static void build_graph(const int *idx, size_t n, size_t k, sparse_graph *other, int *label,
                        int *mark, sparse_graph *graph)
{
    int *order = mark;
    other->n = graph->n = n;
    both_directions(idx, n, k, other);
    drop_repeats(other, mark);
    breadth_first(other, label, order);
    size_t filled = 0;
    for (size_t u = 0; u < n; u++) {
        const size_t old = (size_t) order[u];
        const double degree = (double) (other->start[old + 1] - other->start[old]);
        graph->start[u] = filled;
        for (size_t e = other->start[old]; e < other->start[old + 1]; e++) {
            const size_t v = (size_t) other->to[e];
            const double its_degree = (double) (other->start[v + 1] - other->start[v]);
            graph->to[filled] = label[v];
            graph->weight[filled++] = 1.0 / sqrt(degree * its_degree);
        }
    }
    graph->start[n] = filled;
}

/* Running sums of squares, and of products with the vector before, for each start node. */
typedef struct {
    double square[HEAT_WIDTH], product[HEAT_WIDTH];
} node_sums;

/* Row u of factor M now - next, into next: the Chebyshev recurrence. */
static void recurrence_row(const sparse_graph *g, size_t u, double factor, const double *now,
                           double *next, node_sums *sums)
{
    double image[HEAT_WIDTH] = {0.0};
    for (size_t e = g->start[u]; e < g->start[u + 1]; e++) {
        const double weight = g->weight[e];
        const double *row = now + (size_t) g->to[e] * HEAT_WIDTH;
        AT_ONCE
        for (int l = 0; l < HEAT_WIDTH; l++) image[l] += weight * row[l];
    }
    const double *here = now + u * HEAT_WIDTH;
    double *out = next + u * HEAT_WIDTH;
    AT_ONCE
    for (int l = 0; l < HEAT_WIDTH; l++) {
        const double value = factor * image[l] - out[l];
        out[l] = value;
        sums->square[l] += value * value;
        sums->product[l] += value * here[l];
    }
}

/* T_j e_i is zero outside of the ball of j steps around i: as long as the ball is small only its
   rows are visited, then all of them in their order. All rows are zero again in the end. */
static void block_sums(const sparse_graph *g, size_t block, size_t steps, heat_scratch s,
                       double *sums)
{
    const int stamp = (int) block + 1;
    double *now = s.now, *next = s.next;
    const size_t first = block * HEAT_WIDTH;
    size_t inner = 0, size = least(g->n - first, HEAT_WIDTH);
    int all = 0;
    for (size_t l = 0; l < size; l++) {
        now[(first + l) * HEAT_WIDTH + l] = 1.0;
        s.mark[first + l] = stamp;
        s.ball[l] = (int) (first + l);
    }
    for (size_t j = 0; j < steps; j++) {
        node_sums sums_now = {{0.0}, {0.0}};
        const double factor = j == 0 ? 1.0 : 2.0;
        if (!all) {
            /* the neighbours of what the last step added join the ball */
            const size_t end = size;
            for (size_t i = inner; i < end; i++) {
                const size_t u = (size_t) s.ball[i];
                for (size_t e = g->start[u]; e < g->start[u + 1]; e++) {
                    const int v = g->to[e];
                    if (s.mark[v] == stamp) continue;
                    s.mark[v] = stamp;
                    s.ball[size++] = v;
                }
            }
            inner = end;
            all = size > g->n / 2;
        }
        const size_t rows = all ? g->n : size;
        for (size_t i = 0; i < rows; i++)
            recurrence_row(g, all ? i : (size_t) s.ball[i], factor, now, next, &sums_now);
        sums[2 * j] = sums[2 * j + 1] = 0.0;
        for (int l = 0; l < HEAT_WIDTH; l++) {
            sums[2 * j] += sums_now.product[l];
            sums[2 * j + 1] += sums_now.square[l];
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    const size_t touched = all ? g->n : size;
    for (size_t i = 0; i < touched; i++) {
        const size_t u = all ? i : (size_t) s.ball[i];
        memset(now + u * HEAT_WIDTH, 0, HEAT_WIDTH * sizeof(double));
        memset(next + u * HEAT_WIDTH, 0, HEAT_WIDTH * sizeof(double));
    }
}

/* idx: neighbours, n x k, one-based. Traces of the Chebyshev polynomials of degree 0 to
   2 steps of the normalised adjacency, the same bits for any number of threads. */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads)
{
    if (!Rf_isMatrix(idx)) argument_error("idx", "be a matrix");
    const size_t n = matrix_rows(idx), k = matrix_columns(idx), edges = 2 * n * k;
    const size_t blocks = (n + HEAT_WIDTH - 1) / HEAT_WIDTH;
    const int *neighbours = read_index(ARG(idx), n);
    const size_t degree = read_count(ARG(steps), 0, INT_MAX);
    worker by = read_worker(ARG(threads));
    if ((size_t) by.threads > blocks && blocks > 0) by.threads = (int) blocks;
    SEXP result = PROTECT(new_doubles(2 * degree + 1));
    double *traces = REAL(result), *sums = scratch(blocks * 2 * degree);
    sparse_graph directed = {n, size_scratch(n + 1), int_scratch(edges), scratch(edges)};
    sparse_graph graph = {n, size_scratch(n + 1), int_scratch(edges), scratch(edges)};
    build_graph(neighbours, n, k, &directed, int_scratch(n), int_scratch(n), &graph);
    heat_scratch *each = (heat_scratch *) R_alloc((size_t) by.threads, sizeof(heat_scratch));
    for (int t = 0; t < by.threads; t++)
        each[t] = (heat_scratch) {zeroed_bytes(n * HEAT_WIDTH * sizeof(double)),
                                  zeroed_bytes(n * HEAT_WIDTH * sizeof(double)),
                                  int_scratch(n), zeroed_bytes(n * sizeof(int))};
    const double work = (double) (graph.start[n] * degree) * HEAT_WIDTH;
    const size_t at_once = items_at_once(PAUSE_WORK, work, by.threads);
    for (size_t first = 0; first < blocks; first += at_once) {
        const size_t last = group_end(first, at_once, blocks);
        PARALLEL_PIECES(by.threads, 1)
        for (size_t block = first; block < last; block++)
            block_sums(&graph, block, degree, each[thread_number()], sums + block * 2 * degree);
        by.pause();
    }
    /* From sum <T_j e_i, T_j-1 e_i> and sum |T_j e_i|^2 over all i, added up in the order of the
       blocks: T_a T_b = (T_a+b + T_a-b) / 2. No node is its own neighbour: tr T_1 = 0. */
    traces[0] = (double) n;
    for (size_t j = 1; j <= 2 * degree; j++) {
        double total = 0.0;
        for (size_t b = 0; b < blocks; b++) total += sums[b * 2 * degree + j - 1];
        traces[j] = 2.0 * total - (j % 2 == 0 ? (double) n : 0.0);
    }
    if (degree > 0) traces[1] = 0.0;
    UNPROTECT(1);
    return result;
}
