#include "pair_null.h"

#include <string.h>

#include "wide.h"

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

size_t extended_length(const diagonal_plan *plan)
{
    return plan->n + 2 * diagonal_blocks(plan) * plan->lanes;
}

static double diagonal_weight(size_t diagonal, size_t n)
{
    if (diagonal > n / 2) return 0.0;
    return diagonal == 0 || 2 * diagonal == n ? 1.0 : 2.0;
}

void extend_order(const diagonal_plan *plan, const int *order, int *extended)
{
    const size_t length = extended_length(plan);
    for (size_t v = 0, from = 0; v < length; v++) {
        extended[v] = order[from];
        if (++from == plan->n) from = 0;
    }
}

/* Row u of the relabelled matrix, from the diagonal `first` on, into the block's sequences:
   batch after batch, FFT_LANES diagonals as real parts and the next ones as imaginary parts.
   A column is read once for all of them, in its turn from cache. */
static void gather_row(const diagonal_plan *plan, const double *matrix, const int *order, size_t u,
                       size_t first, const double *weight, double *re, double *im)
{
    const double *column = matrix + (size_t) order[u] * plan->n;
    const int *at = order + u + first;
    const size_t size = plan->length * FFT_LANES;
    for (size_t batch = 0; batch < plan->lanes / FFT_LANES; batch++) {
        double *to_re = re + batch * size + u * FFT_LANES;
        double *to_im = im + batch * size + u * FFT_LANES;
        for (size_t w = 0; w < FFT_LANES; w++) {
            to_re[w] = column[at[w]] * weight[w];
            to_im[w] = column[at[FFT_LANES + w]] * weight[FFT_LANES + w];
        }
        at += 2 * FFT_LANES;
        weight += 2 * FFT_LANES;
    }
}

static void gather_block(const diagonal_plan *plan, const double *matrix, const int *order,
                         size_t block, int periodic, double *weight, double *re, double *im)
{
    const size_t first = 2 * block * plan->lanes;
    const long n = (long) plan->n;
    for (size_t k = 0; k < 2 * plan->lanes; k++)
        weight[k] = periodic ? 1.0 : diagonal_weight(first + k, plan->n);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long u = 0; u < n; u++)
        gather_row(plan, matrix, order, (size_t) u, first, weight, re, im);
}

static void extend(double *a, size_t n, size_t length, int periodic)
{
    const size_t repeat = length > n && periodic ? n - 1 : 0;
    memcpy(a + n * FFT_LANES, a, repeat * FFT_LANES * sizeof(double));
    memset(a + (n + repeat) * FFT_LANES, 0, (length - n - repeat) * FFT_LANES * sizeof(double));
}

/* One batch's spectra to their place among the layers. */
static void place(const diagonal_plan *plan, const double *from, size_t layers, size_t layer,
                  double *to)
{
    if (from == to) return;
    if (layers == 1) {
        memcpy(to, from, plan->length * FFT_LANES * sizeof(double));
        return;
    }
    for (size_t f = 0; f < plan->length; f++)
        memcpy(to + (f * layers + layer) * FFT_LANES, from + f * FFT_LANES,
               FFT_LANES * sizeof(double));
}

static void transform_block(const diagonal_plan *plan, double *gathered_re, double *gathered_im,
                            size_t layers, size_t layer, int periodic, double *work, double *re,
                            double *im)
{
    const size_t size = plan->length * FFT_LANES;
    const long batches = (long) (plan->lanes / FFT_LANES);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long batch = 0; batch < batches; batch++) {
        double *a = gathered_re + (size_t) batch * size, *b = gathered_im + (size_t) batch * size;
        double *c = work + (size_t) thread_number() * 2 * size;
        extend(a, plan->n, plan->length, periodic);
        extend(b, plan->n, plan->length, periodic);
        const int moved = fft_forward(&plan->plan, a, b, c, c + size);
        place(plan, moved ? c : a, layers, layer, re + (size_t) batch * layers * size);
        place(plan, moved ? c + size : b, layers, layer, im + (size_t) batch * layers * size);
    }
}

void diagonal_spectra(const diagonal_plan *plan, const double *const *matrices, size_t layers,
                      const int *order, size_t block, int periodic, diagonal_scratch *s,
                      double *re, double *im)
{
    for (size_t layer = 0; layer < layers; layer++) {
        /* a single layer's sequences stand where its spectra will */
        double *to_re = layers == 1 ? re : s->re, *to_im = layers == 1 ? im : s->im;
        gather_block(plan, matrices[layer], order, block, periodic, s->weight, to_re, to_im);
        transform_block(plan, to_re, to_im, layers, layer, periodic, s->work, re, im);
    }
}

/* Frequencies of a single pair that are added up at once. */
#define FREQUENCIES 32

typedef struct {
    const double *x_re, *x_im, *y_re, *y_im;
    size_t batches, x_step, y_step; /* distances between batches */
} spectra;

/* conj(x) y, summed over the batches, for `length` numbers from x0 and y0 on. */
INLINE_BODY void sum_batches(const spectra *s, size_t x0, size_t y0, size_t length,
                             double *restrict re, double *restrict im)
{
    memset(re, 0, length * sizeof(double));
    memset(im, 0, length * sizeof(double));
    for (size_t batch = 0; batch < s->batches; batch++) {
        const double *xr = s->x_re + x0 + batch * s->x_step, *xi = s->x_im + x0 + batch * s->x_step;
        const double *yr = s->y_re + y0 + batch * s->y_step, *yi = s->y_im + y0 + batch * s->y_step;
        AT_ONCE
        for (size_t k = 0; k < length; k++) {
            re[k] += xr[k] * yr[k] + xi[k] * yi[k];
            im[k] += xr[k] * yi[k] - xi[k] * yr[k];
        }
    }
}

static void sum_plain(const spectra *s, size_t x0, size_t y0, size_t length, double *re,
                      double *im)
{
    if (length == FFT_LANES) sum_batches(s, x0, y0, FFT_LANES, re, im);
    else sum_batches(s, x0, y0, length, re, im);
}

WIDE static void sum_wide(const spectra *s, size_t x0, size_t y0, size_t length, double *re,
                          double *im)
{
    if (length == FFT_LANES) sum_batches(s, x0, y0, FFT_LANES, re, im);
    else sum_batches(s, x0, y0, length, re, im);
}

static double lane_total(const double *lanes)
{
    double total = 0.0;
    for (size_t w = 0; w < FFT_LANES; w++) total += lanes[w];
    return total;
}

/* `count` frequencies from f on, of all pairs. */
static void add_frequencies(const spectra *s, size_t f, size_t count, size_t layers_x,
                            size_t layers_y, double *p_re, double *p_im)
{
    const int wide = wide_vectors();
    double re[FREQUENCIES * FFT_LANES], im[FREQUENCIES * FFT_LANES];
    for (size_t j = 0; j < layers_y; j++)
        for (size_t i = 0; i < layers_x; i++) {
            (wide ? sum_wide : sum_plain)(s, (f * layers_x + i) * FFT_LANES,
                                          (f * layers_y + j) * FFT_LANES, count * FFT_LANES, re,
                                          im);
            for (size_t g = 0; g < count; g++) {
                const size_t at = ((f + g) * layers_y + j) * layers_x + i;
                p_re[at] += lane_total(re + g * FFT_LANES);
                p_im[at] += lane_total(im + g * FFT_LANES);
            }
        }
}

void add_cross_spectra(const diagonal_plan *plan, const double *x_re, const double *x_im,
                       size_t layers_x, const double *y_re, const double *y_im, size_t layers_y,
                       double *p_re, double *p_im)
{
    const size_t size = plan->length * FFT_LANES;
    const spectra s = {x_re, x_im, y_re, y_im, plan->lanes / FFT_LANES, size * layers_x,
                       size * layers_y};
    /* neighbouring frequencies of a single pair stand side by side */
    const size_t tile = layers_x * layers_y == 1 ? FREQUENCIES : 1;
    const long tiles = (long) ((plan->length + tile - 1) / tile);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plan->threads)
#endif
    for (long t = 0; t < tiles; t++) {
        const size_t f = (size_t) t * tile, left = plan->length - f;
        add_frequencies(&s, f, left < tile ? left : tile, layers_x, layers_y, p_re, p_im);
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
