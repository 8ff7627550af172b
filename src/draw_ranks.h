/* Similarities of ranked RDMs with weights of stimuli: see draw_ranks.c. */
#ifndef REPALIGN_DRAW_RANKS_H
#define REPALIGN_DRAW_RANKS_H

#include "rank.h"
#include "threads.h"
#include "weighted_tau.h"

/* How RDMs are compared, numbered as R does (ranked_outer). */
typedef enum { SPEARMAN = 1, RHO_A, TAU_A, TAU_B } rank_outer;

/* RDMs as columns: order (length x columns) has the zero-based pairs in the order of their
   dissimilarities, tied says that a pair is tied with the one before. The first `data` columns are
   the data, of `groups` groups (group: zero-based), then come the `models` of all draws. More
   models are `sums` of components (length x terms), of which each has some, one after the other, up
   to its `ends`; `weights` has a row for each component and a draw a column. The k-th pair has the
   stimuli first[k] and second[k] of n. */
typedef struct {
    const int *order, *tied, *first, *second, *group;
    const double *components, *weights;
    const int *ends;
    size_t length, data, models, sums, terms, groups, n;
    rank_outer outer;
} ranked_rdms;

/* Whole weights, a draw a column: w of the stimuli (n rows); of the RDMs (`data` rows), those that
   are pooled for the lower (low) and for the upper ceiling (high), and those that are tested. */
typedef struct {
    const double *w, *low, *high, *test;
    size_t draws;
} rank_draws;

/* An RDM of a draw: its ranks; for taus, the numbers of its groups of ties; and its size, for taus
   the weight of pairs that are not tied. A size of 0 says that all are tied. */
typedef struct {
    double *ranks;
    int *levels;
    double size;
} ranked_rdm;

/* What one thread needs: rank_doubles(); to rank sums; a place for each pair; the ranked data and,
   for taus, a level for each of their pairs; an order, and a tree of weights. */
typedef struct {
    double *doubles;
    rank_scratch sort;
    int *places, *levels, *tree;
    ranked_rdm *data;
    value_order order;
} draw_scratch;

int is_tau(ranked_rdms r);

size_t rank_doubles(ranked_rdms r);

/* table (data x (models + sums), a draw a column): similarities of data and models; of sums, NaN
   for data that are not tested. lower and upper (data rows, a draw a column): of each tested RDM
   with the pool of low without its group, and with the pool of high; NaN for what is not tested or
   not defined. */
void draw_ranks(ranked_rdms r, rank_draws draws, draw_scratch *scratch, double *table,
                double *lower, double *upper, worker by);

#endif
