/* Shortest paths between all pairs of nodes: see shortest_paths.h. */

#include "shortest_paths.h"

#include <math.h>

/* Comparisons between two pauses. */
#define PAUSE_WORK 2e8

/* Paths from a node that may go through another one, which is `first` away. */
static void improve(double *from, const double *other, double first, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double through = first + other[j];
        from[j] = through < from[j] ? through : from[j];
    }
}

void shortest_paths(double *lengths, size_t n, pause_function pause)
{
    const size_t often = (size_t) (PAUSE_WORK / ((double) n * (double) n)) + 1;
    for (size_t k = 0; k < n; k++) {
        const double *middle = lengths + k * n;
        for (size_t i = 0; i < n; i++) {
            const double first = lengths[k + i * n];
            if (i != k && isfinite(first)) improve(lengths + i * n, middle, first, n);
        }
        if (k % often == 0) pause();
    }
}
