/* The nearest of one row's candidates: bounded selection, order, and ties. */
#ifndef REPALIGN_NEAREST_H
#define REPALIGN_NEAREST_H

#include <stddef.h>

/* Lists are ordered by value; `rank` decides between equals. */
typedef struct {
    double value;
    int id, rank;
} candidate;

/* A bounded collection that keeps the `size` smallest values offered: a heap with the
   largest of them at the top. Those that are still free hold infinity. */
void heap_clear(candidate *heap, size_t size);
void heap_replace_top(candidate *heap, size_t size, candidate c);

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
