/* Kernels between stimuli as matrices: the Gaussian kernel of distances, and U-centring. */

#include <math.h>

#include "entry.h"

/* Columns that are summed or centred between two pauses. */
#define PAUSE_COLUMNS 64

typedef struct {
    const double *d;
    size_t length;
    double sigma;
    int shifted;
    double *out;
} gaussian_job;

static void gaussian_chunk(void *job, size_t chunk)
{
    const gaussian_job *g = job;
    const size_t end = chunk_end(g->length, chunk);
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) {
        /* divided before it is squared: the square of a tiny or huge width is not a double */
        const double step = g->d[k] / g->sigma, power = -0.5 * step * step;
        g->out[k] = g->shifted ? expm1(power) : exp(power);
    }
}

/* exp(-d^2 / (2 sigma^2)), entry by entry; less 1 when shifted, which keeps the digits of wide
   kernels (centring removes a constant). */
SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads)
{
    const size_t length = count_doubles(ARG(d));
    SEXP result = PROTECT(new_doubles(length));
    gaussian_job job = {REAL(d), length, read_number(ARG(sigma)), read_flag(ARG(shifted)),
                        REAL(result)};
    run_chunks(chunk_count(length), read_worker(ARG(threads)), gaussian_chunk, &job);
    UNPROTECT(1);
    return result;
}

/* The U-centred matrix of Szekely and Rizzo (diagonal 0); the diagonal counts for nothing. */
SEXP repalign_u_center(SEXP k)
{
    read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    const double dn = (double) n;
    read_matrix_size(ARG(k), n, n);
    SEXP result = PROTECT(Rf_duplicate(k));
    double *out = REAL(result), *means = scratch(n), grand = 0.0;
    for (size_t i = 0; i < n; i++) out[i + i * n] = 0.0;
    for (size_t j = 0; j < n; j++) {
        means[j] = sum_blocked(out + j * n, n);
        grand += means[j];
        if (j % PAUSE_COLUMNS == 0) check_interrupt();
    }
    grand /= (dn - 1.0) * (dn - 2.0);
    for (size_t j = 0; j < n; j++) means[j] /= dn - 2.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) out[i + j * n] -= means[i] + means[j] - grand;
        out[j + j * n] = 0.0;
        if (j % PAUSE_COLUMNS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
