/* Exact k nearest neighbours by blocked matrix products.

   A product only bounds a value; what can be among the nearest within these bounds is
   computed again from the rows themselves, so the order does not depend on how the
   product was rounded. Memory: the rows, O(n k), and one block. */
#ifndef REPALIGN_KNN_H
#define REPALIGN_KNN_H

#include "matrix.h"
#include "nearest.h"
#include "threads.h"

/* KNN_UNIT: rows of unit length, the value is 1 - cosine = half the squared distance. */
typedef enum { KNN_EUCLIDEAN, KNN_UNIT, KNN_DOT, KNN_VALUES } knn_value;

/* Neighbours are looked for among the stimuli of other clusters. of: the cluster of each
   stimulus; others: how many stimuli are not in it. Both NULL: each is a cluster of its own. */
typedef struct {
    const int *of, *others;
} knn_clusters;

typedef struct {
    const double *rows; /* d x n */
    size_t n, d;
    knn_clusters clusters;
    knn_value value;
    /* Centring rounds, which near duplicates would feel: their distance is taken from the
       data as they are. NULL: there are no such data. */
    const double *raw; /* n x d */
    double raw_scale;
    /* A lower bound of the pair's key (squared distance, or minus inner product) is
       product + factor[i] bias[j], plus offset[i] where a row's own share was left out. */
    double *norms, *bias, *factor, *offset;
    double margin;
} knn_space;

/* Fills norms, bias, factor and offset (n each) and the margin. */
void describe_space(knn_space *s);

/* SETTLED: no tie among the first k + 1; TIED: some; UNSURE: more candidates lie within
   the rounding of the product than were kept. */
enum { ROW_SETTLED = 0, ROW_TIED = 1, ROW_UNSURE = 2 };

/* Lists, one row after `stride`: entry r of row i at [i + r * stride], ids from one. */
typedef struct {
    size_t k, stride;
    int *idx;
    double *dist;
    int *joined; /* or NULL */
} knn_lists;

/* Candidates kept per row by the search: a few more than the k + 1 that are wanted. */
size_t knn_capacity(size_t n, size_t k);

/* block rows against chunk columns at a time; product: block x chunk; heaps: n x capacity;
   marks: threads x (k + 1); largest: each row's largest absolute value. */
typedef struct {
    size_t block, chunk;
    double *product;
    candidate *heaps, *work; /* work: threads x capacity */
    int *marks;
    double *largest;
    int *state;
} knn_search_scratch;

void knn_search(const knn_space *s, knn_search_scratch w, knn_lists out, worker by);

/* gathered: d x block; product: n x block; heaps: threads x (k + 1); all: threads x n;
   marks: threads x (k + 1). */
typedef struct {
    size_t block;
    double *gathered, *product;
    candidate *heaps, *all;
    int *marks;
} knn_rows_scratch;

/* Whole rows, with the full extent of tie classes; which: count row numbers from zero.
   priority: one per row, or NULL. Row i of the result is that of which[i]. */
void knn_whole_rows(const knn_space *s, const int *which, size_t count, const double *largest,
                    const int *priority, knn_rows_scratch w, knn_lists out, worker by);

/* The same for all rows of packed distances (lower triangle by columns). */
void knn_packed_rows(const double *d, size_t n, knn_clusters clusters, const int *priority,
                     knn_rows_scratch w, knn_lists out, worker by);

#endif
