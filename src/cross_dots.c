/* Inner products of every vector of one list with every one of another. */

#include <string.h>

#include "loops.h"
#include "entry.h"

/* Vectors of each side that are multiplied at once. */
#define TILE 2

/* Numbers of each vector that are multiplied with all others while they are in cache. */
#define STRETCH 512

/* Products between two pauses. */
#define PAUSE_PRODUCTS 200000000.0

/* The four inner products of two vectors with two, from `from` on. */
static inline void tile_products(const double *const *x, const double *const *y, size_t from,
                                 size_t length, double *sums)
{
    const double *a = x[0] + from, *b = x[1] + from, *c = y[0] + from, *d = y[1] + from;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    SUM_AT_ONCE(s0, s1, s2, s3)
    for (size_t k = 0; k < length; k++) {
        s0 += a[k] * c[k];
        s1 += b[k] * c[k];
        s2 += a[k] * d[k];
        s3 += b[k] * d[k];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
}

/* One stretch of two vectors of y with all of x; n_now: how many of the two there are. */
static void add_stretch(const double *const *x, size_t n_x, const double *const *y, size_t n_now,
                        size_t from, size_t length, double *out)
{
    const double *const pair_y[TILE] = {y[0], y[n_now - 1]};
    for (size_t i = 0; i < n_x; i += TILE) {
        /* at an odd end, the same vector twice */
        const double *const pair_x[TILE] = {x[i], x[i + 1 < n_x ? i + 1 : i]};
        double sums[TILE * TILE];
        tile_products(pair_x, pair_y, from, length, sums);
        for (size_t b = 0; b < n_now; b++)
            for (size_t a = 0; a < TILE && i + a < n_x; a++)
                out[i + a + n_x * b] += sums[a + TILE * b];
    }
}

/* sum_ij x_ij y_ij for every pair: rows are matrices of x. A product does not depend, to the last
   bit, on which others are made with it, nor on the threads: the BLAS, which would be as fast, does
   not promise that. */
SEXP repalign_cross_dots(SEXP x, SEXP y, SEXP threads)
{
    const matrix_list a = read_matrices(ARG(x)), b = read_matrices_of(ARG(y), a.n);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(a.count, b.count));
    double *out = REAL(result);
    const size_t length = a.n * a.n, tiles = (b.count + TILE - 1) / TILE;
    const double work = (double) a.count * (double) b.count * STRETCH;
    const size_t at_once = items_at_once(PAUSE_PRODUCTS, work, 1) * STRETCH;
    memset(out, 0, a.count * b.count * sizeof(double));
    for (size_t first = 0; first < length; first += at_once) {
        const size_t last = group_end(first, at_once, length);
        PARALLEL_FOR(by.threads)
        for (size_t tile = 0; tile < tiles; tile++) {
            const size_t j = tile * TILE, now = least(b.count - j, TILE);
            for (size_t from = first; from < last; from += STRETCH)
                add_stretch(a.values, a.count, b.values + j, now, from,
                            least(last - from, STRETCH), out + a.count * j);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
