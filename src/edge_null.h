/* Permutation nulls of neighbour graphs: sums over the edges that two directed graphs have in
   common, after the vertices of the second one have been relabelled. */
#ifndef REPALIGN_EDGE_NULL_H
#define REPALIGN_EDGE_NULL_H

#include <stddef.h>

#include "pause.h"

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

/* Numbers per permutation that a mode gives: 1, or 4 for COMMON_PRODUCTS. */
size_t common_columns(common_mode mode);

/* Edges sorted by difference of their labels, for all shifts at once: the edge (p, q) stands
   at p's label in the bucket (label q - label p) mod n. Arrays: bucket n + 1, the others one
   an edge; degree, and tied (how many edges are not sure): one a label. */
typedef struct {
    int *bucket, *label, *rank, *degree, *tied;
    double *weight;
} bucketed_edges;

void bucket_edges(const edge_list *y, const int *label, bucketed_edges *out);

/* Counts work, over calls too, and pauses after some: what a vertex costs depends on the
   graphs, up to all of their edges. work: 0 at first. */
typedef struct {
    pause_function pause;
    size_t work;
} work_counter;

/* Sums for all shifts t = 0 .. n - 1: the vertex of x with label u is matched with that of y with
   label u + t. out: n rows per column (common_columns), zeroed here. value: scratch 3 n;
   touched: scratch n; count: scratch 2 n; odds: scratch 3 (k + 1) where ties are averaged. */
void graph_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y,
                  common_mode mode, double *value, int *count, int *touched, double *odds,
                  work_counter *counter, double *out);

/* The same sums when the vertex i of x is matched with the vertex permutation[i] of y
   (zero-based).
   out: common_columns values at distance stride. mark: scratch n, zero before and after; odds: as
   above. */
void graph_permuted(const edge_list *x, const edge_list *y, const int *permutation,
                    common_mode mode, int *mark, double *odds, work_counter *counter, double *out,
                    size_t stride);

#endif
