/* Places near each other: a tree of boxes over points of any dimension. */
#ifndef REPALIGN_PLACE_TREE_H
#define REPALIGN_PLACE_TREE_H

#include <stddef.h>

/* Points in the order of the tree: a node has the points from `first` to `last` - 1, and its two
   parts have one half of them each. Node k has the parts 2k + 1 and 2k + 2. */
typedef struct {
    size_t count, dims;
    double *points; /* dims numbers for each point, side by side */
    int *ids;       /* which point of the caller's stands there */
    double *boxes;  /* for each node the lowest and the highest value of each dimension */
} place_tree;

/* Room for the boxes of so many points. */
size_t place_tree_boxes(size_t count, size_t dims);

/* Fills a tree, whose parts have their room; points: count x dims, column by column. */
void build_place_tree(place_tree *tree, const double *points);

/* How many points lie within the root of `square` of the point, itself counted; with `found`, which
   has room for them, also which these are, in no order. The same comparisons decide in both. */
size_t places_within(const place_tree *tree, const double *at, double square, int *found);

/* A point with its squared distance, rounded to 12 digits, so that equal distances tie. */
typedef struct {
    double square;
    int id;
} near_place;

/* The k - 1 nearest other points of point `self`, ties by their number, into `found`, in no order;
   returns how many there are. */
size_t nearest_places(const place_tree *tree, const double *at, int self, size_t k,
                      near_place *found);

#endif
