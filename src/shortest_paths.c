/* Shortest paths between all pairs of nodes. */

#include <math.h>

#include "entry.h"

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

/* lengths (n x n, symmetric, zero diagonal, not negative; infinite where there is no edge) become
   those of the shortest paths, by Floyd's and Warshall's algorithm. */
static void shortest_paths(double *lengths, size_t n, pause_function pause)
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

/* lengths: a symmetric matrix, infinite where there is no edge. */
SEXP repalign_shortest_paths(SEXP lengths)
{
    const double *from = read_matrix(ARG(lengths));
    const size_t n = matrix_rows(lengths);
    read_matrix_size(ARG(lengths), n, n);
    SEXP result = PROTECT(new_matrix(n, n));
    for (size_t k = 0; k < n * n; k++) REAL(result)[k] = from[k];
    shortest_paths(REAL(result), n, check_interrupt);
    UNPROTECT(1);
    return result;
}
