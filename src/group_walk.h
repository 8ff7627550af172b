/* How well scores of pairs of models tell groups of models apart, for many ways to label them. */
#ifndef REPALIGN_GROUP_WALK_H
#define REPALIGN_GROUP_WALK_H

#include <stddef.h>

#include "threads.h"

/* Ordered pairs of models, the most alike first. level: pairs of equal level are tied, and it never
   falls. value: the similarity; away: the dissimilarity, never negative. first, second: the models
   from 1 on. copies: 2 where both orders of a pair are there and say the same, else 1. */
typedef struct {
    size_t count, models, groups, copies;
    const int *first, *second, *level;
    const double *value, *away;
} scored_pairs;

/* What is found for each group, and for all together: rows of the output. */
enum {
    GROUP_AUPRC,      /* average precision of "both in the group" among pairs from the group */
    GROUP_CONFORMITY, /* share of (pair within, pair across) where within is above: ties are not */
    GROUP_VIOLATIONS, /* triples of a model with one of its group and one of another, the other */
    GROUP_TRIPLES,    /* being more alike; how many triples there are */
    GROUP_SILHOUETTE, /* sum of the silhouettes of the group's models, and of how many */
    GROUP_SILHOUETTES,
    GROUP_ROWS
};
enum { ALL_AUPRC, ALL_AUC, ALL_DPRIME, ALL_ROWS };

/* Doubles and counts of scratch of one labelling. */
size_t group_walk_doubles(const scored_pairs *pairs);
size_t group_walk_counts(const scored_pairs *pairs);

/* labels: models x labellings, from 1 to groups. out: (GROUP_ROWS x groups + ALL_ROWS) x
   labellings, NaN where there is none; sums and counts: scratch, one a thread. */
void group_walk(const scored_pairs *pairs, const int *labels, size_t labellings, worker by,
                double *sums, size_t *counts, double *out);

#endif
