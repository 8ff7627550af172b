/* What the searches for neighbours compare: rows, the values between them, and how exactly a
   matrix product knows these. */
#ifndef REPALIGN_KNN_SPACE_H
#define REPALIGN_KNN_SPACE_H

#include "matrix.h"
#include "nearest.h"

/* KNN_UNIT: rows of unit length, the value is 1 - cosine = half the squared distance. */
typedef enum { KNN_EUCLIDEAN, KNN_UNIT, KNN_DOT, KNN_VALUES } knn_value;

/* Neighbours are looked for among the stimuli of other clusters. of: the cluster of each
   stimulus; others: how many stimuli are not in it. Both NULL: each is a cluster of its own. */
typedef struct {
    const int *of, *others;
} knn_clusters;

size_t knn_others(knn_clusters c, size_t n, size_t i);

typedef struct {
    const double *rows; /* d x n; NULL where only products are known */
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
    /* By how much all bounds may be off beyond that, upwards or downwards. */
    double slack;
} knn_space;

/* norms, bias, factor and offset of row i, whose squared norm is `square`. */
void knn_describe_row(knn_space *s, size_t i, double square);

/* The same for all rows, which are there, and the margin. */
void knn_describe_rows(knn_space *s);

/* What the product is multiplied with, so that adding the biases gives the key. */
double knn_product_factor(const knn_space *s);

/* The upper bound lies this much above the lower one. */
double knn_bound_width(const knn_space *s, size_t i, size_t j);

double knn_value_of_key(const knn_space *s, double key);
double knn_key_of_value(const knn_space *s, double value);

/* From the rows themselves. */
double knn_direct_value(const knn_space *s, size_t i, size_t j);

/* s: NULL for distances that are given. largest: value of the row. */
tie_rule knn_tie_rule(const knn_space *s, double largest);

/* Lists, one row after `stride`: entry r of row i at [i + r * stride], ids from one. */
typedef struct {
    size_t k, stride;
    int *idx;
    double *dist;
    int *joined; /* or NULL */
} knn_lists;

/* The first k candidates of row i, whose values are direct ones, at row `row` of the lists. s: NULL
   for distances that are given. */
void knn_write_row(const knn_space *s, size_t i, knn_lists out, size_t row, const candidate *c,
                   const int *joined);

#endif
