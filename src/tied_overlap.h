/* The overlap of two lists of k neighbours, some of which chance chooses among tied ones. */
#ifndef REPALIGN_TIED_OVERLAP_H
#define REPALIGN_TIED_OVERLAP_H

#include "threads.h"

/* A list has k neighbours: those that are sure, and `places` of its `tied` ones, every choice
   equally likely. Common neighbours are sure on both sides, tied in one of the lists only, or in
   both. */
typedef struct {
    size_t sure, tied_in_y, tied_in_x, tied_in_both;
} common_kinds;

typedef struct {
    size_t tied, places;
} open_places;

/* The mean of c / (2k - c), where c is the number of common neighbours. odds: scratch 3 (k + 1). */
double mean_jaccard(size_t k, common_kinds common, open_places x, open_places y, double *odds);

#endif
