/* Concordant less discordant pairs of values: see concordance.c. */
#ifndef REPALIGN_CONCORDANCE_H
#define REPALIGN_CONCORDANCE_H

#include <stddef.h>

/* Values in the order of a column: place says where each of them stands, and neighbours of the same
   group are ties. */
typedef struct {
    int *place, *group;
} value_order;

/* How many integers of scratch weighted_excess() needs for so many levels. */
size_t weight_tree_size(size_t levels);

/* The weight of all concordant pairs of values less that of discordant ones, where a pair weighs
   the product of its weights and counts as 0 if it is tied on a side. o: the order of one side;
   level: for each place the number of its group of ties on the other side, from 0, smallest first,
   below `levels`; weight: whole numbers, whose sum is below 2^31. */
double weighted_excess(value_order o, const int *level, const double *weight, size_t length,
                       size_t levels, int *tree);

#endif
