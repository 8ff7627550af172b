#include "pair_null.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static int thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

size_t diagonal_blocks(const diagonal_plan *plan)
{
    const size_t diagonals = plan->n / 2 + 1, a_block = 2 * plan->lanes;
    return (diagonals + a_block - 1) / a_block;
}

static double diagonal_weight(size_t diagonal, size_t n)
{
    if (diagonal > n / 2) return 0.0;
    return diagonal == 0 || 2 * diagonal == n ? 1.0 : 2.0;
}

/* FFT_LANES pairs of neighbouring diagonals from `first` on, entry u of the relabelled
   matrix at (u, u + diagonal). */
static void gather_diagonals(const double *matrix, const int *order, size_t n, size_t first,
                             int weighted, double *re, double *im)
{
    double weight[2 * FFT_LANES];
    for (size_t k = 0; k < 2 * FFT_LANES; k++) {
        weight[k] = diagonal_weight(first + k, n);
        if (!weighted && weight[k] > 0.0) weight[k] = 1.0;
    }
    for (size_t u = 0; u < n; u++) {
        const double *column = matrix + (size_t) order[u] * n;
        size_t v = u + first;
        for (size_t k = 0; k < FFT_LANES; k++) {
            while (v >= n) v -= n;
            re[u * FFT_LANES + k] = column[order[v]] * weight[2 * k];
            if (++v >= n) v -= n;
            im[u * FFT_LANES + k] = column[order[v]] * weight[2 * k + 1];
            v++;
        }
    }
}

static void extend(double *a, size_t n, size_t length, int periodic)
{
    const size_t repeat = length > n && periodic ? n - 1 : 0;
    memcpy(a + n * FFT_LANES, a, repeat * FFT_LANES * sizeof(double));
    memset(a + (n + repeat) * FFT_LANES, 0, (length - n - repeat) * FFT_LANES * sizeof(double));
}

static void scatter_lanes(const diagonal_plan *plan, const double *from, size_t layers,
                          size_t layer, size_t lane, double *to)
{
    for (size_t f = 0; f < plan->length; f++)
        memcpy(to + (f * layers + layer) * plan->lanes + lane, from + f * FFT_LANES,
               FFT_LANES * sizeof(double));
}

void diagonal_spectra(const diagonal_plan *plan, const double *const *matrices, size_t layers,
                      const int *order, size_t block, int periodic, double *work, double *re,
                      double *im)
{
    const size_t batches = plan->lanes / FFT_LANES, size = plan->length * FFT_LANES;
    const long items = (long) (layers * batches);
    (void) thread_number;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long item = 0; item < items; item++) {
        const size_t layer = (size_t) item / batches, batch = (size_t) item % batches;
        double *a = work + (size_t) thread_number() * 4 * size, *b = a + size;
        gather_diagonals(matrices[layer], order, plan->n,
                         2 * (block * plan->lanes + batch * FFT_LANES), !periodic, a, b);
        extend(a, plan->n, plan->length, periodic);
        extend(b, plan->n, plan->length, periodic);
        if (fft_forward(&plan->plan, a, b, a + 2 * size, a + 3 * size)) {
            a += 2 * size;
            b += 2 * size;
        }
        scatter_lanes(plan, a, layers, layer, batch * FFT_LANES, re);
        scatter_lanes(plan, b, layers, layer, batch * FFT_LANES, im);
    }
}

/* Real and imaginary part of sum conj(x) y, in lanes. */
static void lane_product(const double *restrict xr, const double *restrict xi,
                         const double *restrict yr, const double *restrict yi, size_t lanes,
                         double *sum_re, double *sum_im)
{
    double re[FFT_LANES] = {0}, im[FFT_LANES] = {0};
    for (size_t k = 0; k < lanes; k += FFT_LANES)
        for (size_t w = 0; w < FFT_LANES; w++) {
            re[w] += xr[k + w] * yr[k + w] + xi[k + w] * yi[k + w];
            im[w] += xr[k + w] * yi[k + w] - xi[k + w] * yr[k + w];
        }
    for (size_t w = 1; w < FFT_LANES; w++) {
        re[0] += re[w];
        im[0] += im[w];
    }
    *sum_re += re[0];
    *sum_im += im[0];
}

void add_cross_spectra(const diagonal_plan *plan, const double *x_re, const double *x_im,
                       size_t layers_x, const double *y_re, const double *y_im, size_t layers_y,
                       double *p_re, double *p_im)
{
    const size_t lanes = plan->lanes, pairs = layers_x * layers_y;
    const long frequencies = (long) plan->length;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long f = 0; f < frequencies; f++) {
        const size_t x0 = (size_t) f * layers_x * lanes, y0 = (size_t) f * layers_y * lanes;
        for (size_t j = 0; j < layers_y; j++)
            for (size_t i = 0; i < layers_x; i++) {
                const size_t at = (size_t) f * pairs + j * layers_x + i;
                lane_product(x_re + x0 + i * lanes, x_im + x0 + i * lanes, y_re + y0 + j * lanes,
                             y_im + y0 + j * lanes, lanes, p_re + at, p_im + at);
            }
    }
}

/* The inverse transform is the forward one of the conjugate, over the length; only its
   real part is wanted. */
void shifts_from_spectra(const diagonal_plan *plan, const double *p_re, const double *p_im,
                         size_t pairs, double *work, double *out, size_t stride)
{
    const size_t size = plan->length * FFT_LANES;
    const double share = 1.0 / (double) plan->length;
    const long batches = (long) ((pairs + FFT_LANES - 1) / FFT_LANES);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long batch = 0; batch < batches; batch++) {
        const size_t first = (size_t) batch * FFT_LANES;
        const size_t now = pairs - first < FFT_LANES ? pairs - first : FFT_LANES;
        double *re = work + (size_t) thread_number() * 4 * size, *im = re + size;
        memset(re, 0, 2 * size * sizeof(double));
        for (size_t f = 0; f < plan->length; f++)
            for (size_t w = 0; w < now; w++) {
                re[f * FFT_LANES + w] = p_re[f * pairs + first + w];
                im[f * FFT_LANES + w] = -p_im[f * pairs + first + w];
            }
        if (fft_forward(&plan->plan, re, im, re + 2 * size, re + 3 * size)) re += 2 * size;
        for (size_t w = 0; w < now; w++)
            for (size_t t = 0; t < plan->n; t++)
                out[(first + w) * stride + t] = re[t * FFT_LANES + w] * share;
    }
}

static double relabelled_inner(const double *a, const double *b, size_t n, const int *permutation)
{
    double off = 0.0, diagonal = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double *left = a + j * n, *right = b + (size_t) permutation[j] * n;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        size_t i = 0;
        for (; i + 4 <= j; i += 4) {
            s0 += left[i] * right[permutation[i]];
            s1 += left[i + 1] * right[permutation[i + 1]];
            s2 += left[i + 2] * right[permutation[i + 2]];
            s3 += left[i + 3] * right[permutation[i + 3]];
        }
        for (; i < j; i++) s0 += left[i] * right[permutation[i]];
        off += (s0 + s1) + (s2 + s3);
        diagonal += left[j] * right[permutation[j]];
    }
    return 2.0 * off + diagonal;
}

/* About this many gathered entries between two pauses. */
#define PAUSE_ENTRIES 100000000.0

void permuted_inner_products(const double *const *x, size_t layers_x, const double *const *y,
                             size_t layers_y, size_t n, const int *permutations, size_t count,
                             int threads, pause_function pause, double *out)
{
    const double chunk = PAUSE_ENTRIES / (0.5 * (double) n * (double) n);
    const long at_once = chunk < 1.0 ? 1 : (chunk > 65536.0 ? 65536 : (long) chunk);
    (void) threads;
    for (size_t pair = 0; pair < layers_x * layers_y; pair++) {
        const double *a = x[pair % layers_x], *b = y[pair / layers_x];
        for (long first = 0; first < (long) count; first += at_once) {
            const long last = first + at_once < (long) count ? first + at_once : (long) count;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
            for (long k = first; k < last; k++)
                out[(size_t) k + count * pair] =
                    relabelled_inner(a, b, n, permutations + (size_t) k * n);
            pause();
        }
    }
}
