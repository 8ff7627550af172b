/* Shortest paths between all pairs of nodes. */

#include <math.h>

#include "entry.h"

/* Comparisons between two pauses. */
#define PAUSE_WORK 2e8

/* lengths (symmetric, zero diagonal, not negative; infinite where there is no edge): those of the
   shortest paths, by Floyd's and Warshall's algorithm. */
SEXP repalign_shortest_paths(SEXP lengths)
{
    const double *given = read_matrix(ARG(lengths));
    const size_t n = matrix_rows(lengths);
    const size_t often = (size_t) (PAUSE_WORK / ((double) n * (double) n)) + 1;
    read_matrix_size(ARG(lengths), n, n);
    SEXP result = PROTECT(new_matrix(n, n));
    for (size_t k = 0; k < n * n; k++) REAL(result)[k] = given[k];
    for (size_t k = 0; k < n; k++) {
        const double *middle = REAL(result) + k * n;
        for (size_t i = 0; i < n; i++) {
            double *from = REAL(result) + i * n;
            const double first = from[k];
            if (i == k || !isfinite(first)) continue;
            for (size_t j = 0; j < n; j++) {
                const double through = first + middle[j];
                from[j] = through < from[j] ? through : from[j];
            }
        }
        if (k % often == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
