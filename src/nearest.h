/* The nearest of one row's candidates: selection, order, and ties. */
#ifndef REPALIGN_NEAREST_H
#define REPALIGN_NEAREST_H

#include <stddef.h>

#include "threads.h"

/* Lists are ordered by value; `rank` decides between equals. */
typedef struct {
    double value;
    int id, rank;
} candidate;

/* The value of this rank (from zero) among `count` values, none of which is NaN. Their order
   changes: those after this rank are no smaller. pause: NULL in parallel regions. */
double nth_smallest(double *values, size_t count, size_t rank, pause_function pause);

/* At least `wanted` of the values that are no NaN are at most so large; infinity where there are
   fewer. lowest: scratch, as many as values. */
double limit_of_nearest(const double *values, size_t count, size_t wanted, double *lowest);

/* Keeps at least `wanted` of the nearest, in any order, and at most `most`; returns how many. No
   value that was dropped is below *limit. values: scratch. */
size_t keep_nearest(candidate *c, size_t count, size_t wanted, size_t most, double *values,
                    double *limit);

/* By value, then by rank. */
void sort_candidates(candidate *c, size_t count);

/* Neighbours in the order are tied when they differ by less than `least`, or by less than what
   rounding may change the larger value v, root sqrt(v) + floor: half a squared difference of rows
   that are each known to e is known to e sqrt(2 v) + e^2 / 2. */
typedef struct {
    double least, root, floor;
} tie_rule;

double tie_gap(tie_rule rule, double value);

/* Candidates sorted by value are grouped into classes of ties, see tie_rule. Within every class
   that begins before `wanted` the order becomes that of the priorities (one per id; NULL: stays).
   joined[r] tells whether r and r + 1 are in one class, r < wanted. Returns the end (one past the
   last) of the last of these classes. */
size_t order_ties(candidate *c, size_t count, size_t wanted, tie_rule rule, const int *priority,
                  int *joined);

/* Where the class of rank `wanted` ends, in candidates sorted by value. */
size_t class_end(const candidate *c, size_t count, size_t wanted, tie_rule rule);

#endif
