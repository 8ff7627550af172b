/* Shortest paths between all pairs of nodes. */
#ifndef REPALIGN_SHORTEST_PATHS_H
#define REPALIGN_SHORTEST_PATHS_H

#include <stddef.h>

#include "pause.h"

/* lengths (n x n, symmetric, zero diagonal, not negative; infinite where there is no edge) become
   those of the shortest paths, by Floyd's and Warshall's algorithm. */
void shortest_paths(double *lengths, size_t n, pause_function pause);

#endif
