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

/* out = exp(-d^2 / (2 sigma^2)), entry by entry; less 1 when shifted, which keeps the
   digits of wide kernels (centring removes a constant). */
static void gaussian_kernel(const double *d, size_t length, double sigma, int shifted, worker by,
                            double *out)
{
    gaussian_job job = {d, length, sigma, shifted, out};
    run_chunks(chunk_count(length), by, gaussian_chunk, &job);
}

static double column_sums(const double *k, size_t n, double *sums, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < n; j++) {
        sums[j] = sum_blocked(k + j * n, n);
        total += sums[j];
        if (j % PAUSE_COLUMNS == 0) pause();
    }
    return total;
}

/* The U-centred matrix of Szekely and Rizzo (diagonal 0). means: scratch n. */
static void u_center(double *k, size_t n, double *means, pause_function pause)
{
    const double dn = (double) n;
    for (size_t i = 0; i < n; i++) k[i + i * n] = 0.0;
    const double grand = column_sums(k, n, means, pause) / ((dn - 1.0) * (dn - 2.0));
    for (size_t j = 0; j < n; j++) means[j] /= dn - 2.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) k[i + j * n] -= means[i] + means[j] - grand;
        k[j + j * n] = 0.0;
        if (j % PAUSE_COLUMNS == 0) pause();
    }
}

/* The Gaussian kernel of distances d, entry by entry: see gaussian_kernel(). */
SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads)
{
    const size_t length = count_doubles(ARG(d));
    SEXP result = PROTECT(new_doubles(length));
    gaussian_kernel(REAL(d), length, read_number(ARG(sigma)), read_flag(ARG(shifted)),
                    read_worker(ARG(threads)), REAL(result));
    UNPROTECT(1);
    return result;
}

/* The U-centred matrix; the diagonal counts for nothing. */
SEXP repalign_u_center(SEXP k)
{
    read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    read_matrix_size(ARG(k), n, n);
    SEXP result = PROTECT(Rf_duplicate(k));
    u_center(REAL(result), n, scratch(n), check_interrupt);
    UNPROTECT(1);
    return result;
}
