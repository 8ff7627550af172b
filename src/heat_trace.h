/* Chebyshev traces of the normalised adjacency of a neighbour graph, exactly: the heat
   kernel trace at every temperature is a weighted sum of them. */
#ifndef REPALIGN_HEAT_TRACE_H
#define REPALIGN_HEAT_TRACE_H

#include <stddef.h>

#include "threads.h"

/* Undirected graph, unit weights: the neighbours of u are to[start[u] .. start[u + 1] - 1],
   each with 1 / sqrt(degree degree). Room: start n + 1, to and weight 2 n k. */
typedef struct {
    size_t n;
    size_t *start;
    int *to;
    double *weight;
} sparse_graph;

/* The union of the directed edges (idx: n x k, one-based, none to itself) and their
   reverses, with the nodes numbered breadth first, so that near nodes have near numbers.
   other: a second graph of the same room; label, mark: scratch n. */
void build_graph(const int *idx, size_t n, size_t k, sparse_graph *other, int *label, int *mark,
                 sparse_graph *graph);

/* Start nodes that are worked on together, side by side in memory. */
#define HEAT_WIDTH 8

/* What one thread needs: two matrices of n x HEAT_WIDTH, all zero; ball n; mark n, zero. */
typedef struct {
    double *now, *next;
    int *ball, *mark;
} heat_scratch;

size_t heat_blocks(size_t n);

/* traces[0 .. 2 steps] = tr T_0 ... tr T_{2 steps}. scratch: one a thread; sums: scratch
   heat_blocks(n) x 2 steps. The same bits for any number of threads. */
void heat_traces(const sparse_graph *graph, size_t steps, heat_scratch *scratch, worker by,
                 double *sums, double *traces);

#endif
