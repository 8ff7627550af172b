/* Kendall's tau of values with whole weights: see weighted_tau.c. */
#ifndef REPALIGN_WEIGHTED_TAU_H
#define REPALIGN_WEIGHTED_TAU_H

#include <stddef.h>

/* Values in the order of a column: place says where each of them stands, and neighbours of the same
   group are ties. */
typedef struct {
    int *place, *group;
} value_order;

/* How many integers of scratch weighted_excess() needs. */
size_t weight_tree_size(size_t length);

/* The weight of all concordant pairs of values less that of discordant ones, where a pair weighs
   the product of its weights and counts as 0 if it is tied on a side. o: the order of one side;
   levels: for each place the number of its group of ties on the other side, from 0, smallest first,
   below `length`; weight: whole numbers, whose sum is below 2^31. */
double weighted_excess(value_order o, const int *levels, const double *weight, size_t length,
                       int *tree);

#endif
