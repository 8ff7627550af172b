/* Permutation nulls of inner products of two symmetric matrices over the stimuli:
   T(p) = sum_ij A_ij B_p(i)p(j).

   A coset of permutations p_t(i) = s((g(i) + t) mod n), t = 0 .. n - 1, takes one Fourier
   transform per diagonal of the relabelled matrices; see the help page of calibrate(). */

#include <string.h>
#include <limits.h>

#include "fft.h"
#include "loops.h"
#include "blas.h"
#include "entry.h"

/* Diagonals go in blocks; two of them make one complex sequence. */
typedef struct {
    size_t n;          /* samples */
    size_t length;     /* of the transforms: n, or padded beyond 2 n when n is not smooth */
    size_t sequences;  /* complex sequences a block (a multiple of FFT_WIDTH) */
    size_t batch;      /* doubles from FFT_WIDTH sequences to the next ones */
    fft_plan plan;
    worker by;
} diagonal_plan;

/* weight: 2 sequences; work: 2 batches a thread; gathered: 2 blocks of batches a thread, unused for
   a single layer. */
typedef struct {
    double *weight, *work, *gathered;
} diagonal_scratch;

/* Work between two pauses, in products of complex numbers or about as much: less than a tenth
   of a second. */
#define PAUSE_PRODUCTS 50000000.0

/* An entry of a transform takes about as long as so many products. */
#define TRANSFORM_PRODUCTS 16.0

/* Doubles of one block of diagonals, for one layer. */
static size_t block_doubles(const diagonal_plan *plan)
{
    return plan->sequences / FFT_WIDTH * plan->batch;
}

/* Blocks that cover the diagonals 0 .. n / 2. */
static size_t diagonal_blocks(const diagonal_plan *plan)
{
    const size_t diagonals = plan->n / 2 + 1, a_block = 2 * plan->sequences;
    return (diagonals + a_block - 1) / a_block;
}

/* An order (zero-based, n) repeated beyond its end, so that diagonals need no remainders;
   its length. */
static size_t extended_length(const diagonal_plan *plan)
{
    return plan->n + 2 * diagonal_blocks(plan) * plan->sequences;
}

/* How often a diagonal and its mirror image count together. */
static double diagonal_weight(size_t diagonal, size_t n)
{
    if (diagonal > n / 2) return 0.0;
    return diagonal == 0 || 2 * diagonal == n ? 1.0 : 2.0;
}

/* Rows of the relabelled matrix, from the diagonal `first` on, into the block's sequences:
   batch after batch, FFT_WIDTH diagonals as real parts and the next ones as imaginary parts.
   A column is read once for all of them, in its turn from cache. */
static void gather_block(const diagonal_plan *plan, const double *matrix, const int *order,
                         size_t first, const double *weights, int threads, double *re, double *im)
{
    PARALLEL_FOR(threads)
    for (size_t u = 0; u < plan->n; u++) {
        const double *column = matrix + (size_t) order[u] * plan->n, *weight = weights;
        const int *at = order + u + first;
        for (size_t batch = 0; batch < plan->sequences / FFT_WIDTH; batch++) {
            double *to_re = re + batch * plan->batch + u * FFT_WIDTH;
            double *to_im = im + batch * plan->batch + u * FFT_WIDTH;
            for (size_t w = 0; w < FFT_WIDTH; w++) {
                to_re[w] = column[at[w]] * weight[w];
                to_im[w] = column[at[FFT_WIDTH + w]] * weight[FFT_WIDTH + w];
            }
            at += 2 * FFT_WIDTH;
            weight += 2 * FFT_WIDTH;
        }
    }
}

/* Sequences of n numbers continued to the length of the transform: by themselves when they are
   periodic, else by zeros. */
static void pad(double *a, size_t n, size_t length, int periodic)
{
    const size_t repeat = length > n && periodic ? n - 1 : 0;
    memcpy(a + n * FFT_WIDTH, a, repeat * FFT_WIDTH * sizeof(double));
    memset(a + (n + repeat) * FFT_WIDTH, 0, (length - n - repeat) * FFT_WIDTH * sizeof(double));
}

/* One batch's spectra of one layer, to where they stand among those of the other layers. */
static void store_spectra(const diagonal_plan *plan, const double *from, size_t layers,
                          size_t layer, double *to)
{
    if (from == to) return;
    if (layers == 1) {
        memcpy(to, from, plan->length * FFT_WIDTH * sizeof(double));
        return;
    }
    for (size_t f = 0; f < plan->length; f++)
        memcpy(to + (f * layers + layer) * FFT_WIDTH, from + f * FFT_WIDTH,
               FFT_WIDTH * sizeof(double));
}

static void transform_block(const diagonal_plan *plan, double *gathered_re, double *gathered_im,
                            size_t layers, size_t layer, int periodic, int threads, double *work,
                            double *re, double *im)
{
    const size_t size = plan->batch, batches = plan->sequences / FFT_WIDTH;
    PARALLEL_FOR(threads)
    for (size_t batch = 0; batch < batches; batch++) {
        double *a = gathered_re + batch * size, *b = gathered_im + batch * size;
        double *c = work + thread_number() * 2 * size;
        pad(a, plan->n, plan->length, periodic);
        pad(b, plan->n, plan->length, periodic);
        const int moved = fft_forward(&plan->plan, a, b, c, c + size);
        store_spectra(plan, moved ? c : a, layers, layer, re + batch * layers * size);
        store_spectra(plan, moved ? c + size : b, layers, layer, im + batch * layers * size);
    }
}

/* One side of the comparison: its matrices, orders (extended) and spectra. */
typedef struct {
    matrix_list matrices;
    size_t orders;
    int *extended;
    double *re, *im;
} coset_side;

static coset_side new_side(const diagonal_plan *plan, matrix_list matrices, const int *order,
                           size_t orders)
{
    const size_t length = extended_length(plan);
    const size_t spectrum = block_doubles(plan) * matrices.count;
    const coset_side side = {matrices, orders, int_scratch(length * orders), scratch(spectrum),
                             scratch(spectrum)};
    for (size_t m = 0; m < orders; m++)
        for (size_t v = 0, from = 0; v < length; v++) {
            side.extended[m * length + v] = order[m * plan->n + from];
            if (++from == plan->n) from = 0;
        }
    return side;
}

/* Spectra of one block of diagonals of a side's matrices relabelled by one of its orders.
   Batches of FFT_WIDTH sequences: sequence w of batch b, a layer and a frequency stands in re, im
   at b * batch * layers + (frequency * layers + layer) * FFT_WIDTH + w. periodic: the side that
   is shifted. Every diagonal counts once for the pair (i, j) and once for (j, i): the other
   side carries that weight. */
static void side_spectra(const diagonal_plan *plan, const coset_side *side, size_t order_number,
                         size_t block, int periodic, diagonal_scratch *s)
{
    const size_t first = 2 * block * plan->sequences, size = block_doubles(plan);
    const size_t layers = side->matrices.count;
    const int *order = side->extended + order_number * extended_length(plan);
    const double *const *matrices = side->matrices.values;
    double *re = side->re, *im = side->im;
    for (size_t k = 0; k < 2 * plan->sequences; k++)
        s->weight[k] = periodic ? 1.0 : diagonal_weight(first + k, plan->n);
    if (layers == 1) {
        /* its sequences stand where the spectra will */
        gather_block(plan, matrices[0], order, first, s->weight, plan->by.threads, re, im);
        transform_block(plan, re, im, 1, 0, periodic, plan->by.threads, s->work, re, im);
        plan->by.pause();
        return;
    }
    const double layer_work = TRANSFORM_PRODUCTS * (double) plan->length * (double) plan->sequences;
    const size_t at_once = items_at_once(PAUSE_PRODUCTS, layer_work, plan->by.threads);
    for (size_t from = 0; from < layers; from += at_once) {
        const size_t until = group_end(from, at_once, layers);
        PARALLEL_FOR(plan->by.threads)
        for (size_t layer = from; layer < until; layer++) {
            const size_t self = thread_number();
            double *to = s->gathered + 2 * self * size;
            double *work = s->work + 2 * self * plan->batch;
            gather_block(plan, matrices[layer], order, first, s->weight, 1, to, to + size);
            transform_block(plan, to, to + size, layers, layer, periodic, 1, work, re, im);
        }
        plan->by.pause();
    }
}

/* Layers of each side that are multiplied at once. */
#define TILE 2

/* conj(x) y, summed over `sequences` numbers, for TILE x TILE layers; the second layer of a side
   starts `step` numbers after the first. */
static inline void multiply_tile(const double *xr, const double *xi, size_t x_step,
                                 const double *yr, const double *yi, size_t y_step,
                                 size_t sequences, double *re, double *im)
{
    double r0 = 0.0, r1 = 0.0, r2 = 0.0, r3 = 0.0, i0 = 0.0, i1 = 0.0, i2 = 0.0, i3 = 0.0;
    SUM_AT_ONCE(r0, r1, r2, r3, i0, i1, i2, i3)
    for (size_t k = 0; k < sequences; k++) {
        const double ar = xr[k], ai = xi[k], br = xr[k + x_step], bi = xi[k + x_step];
        const double cr = yr[k], ci = yi[k], dr = yr[k + y_step], di = yi[k + y_step];
        r0 += ar * cr + ai * ci;
        i0 += ar * ci - ai * cr;
        r1 += br * cr + bi * ci;
        i1 += br * ci - bi * cr;
        r2 += ar * dr + ai * di;
        i2 += ar * di - ai * dr;
        r3 += br * dr + bi * di;
        i3 += br * di - bi * dr;
    }
    re[0] = r0;
    re[1] = r1;
    re[2] = r2;
    re[3] = r3;
    im[0] = i0;
    im[1] = i1;
    im[2] = i2;
    im[3] = i3;
}

/* One frequency of one side, layer after layer: real parts, then imaginary ones. */
typedef struct {
    double *re, *im;
    size_t layers, sequences;
} packed_side;

static void pack_side(const diagonal_plan *plan, const double *re, const double *im, size_t f,
                      packed_side *to)
{
    const size_t batch_size = plan->batch * to->layers;
    for (size_t layer = 0; layer < to->layers; layer++) {
        const size_t from = (f * to->layers + layer) * FFT_WIDTH, at = layer * to->sequences;
        for (size_t k = 0; k < to->sequences; k += FFT_WIDTH) {
            const size_t batch = k / FFT_WIDTH * batch_size;
            memcpy(to->re + at + k, re + from + batch, FFT_WIDTH * sizeof(double));
            memcpy(to->im + at + k, im + from + batch, FFT_WIDTH * sizeof(double));
        }
    }
}

/* All pairs of one frequency; p: x's layers the fastest. */
static inline void multiply_sides(const packed_side *x, const packed_side *y, double *p_re,
                                  double *p_im)
{
    const size_t sequences = x->sequences;
    double re[TILE * TILE], im[TILE * TILE];
    for (size_t j = 0; j < y->layers; j += TILE)
        for (size_t i = 0; i < x->layers; i += TILE) {
            /* at an odd end, the same layer twice */
            const size_t nx = i + 1 < x->layers ? 2 : 1, ny = j + 1 < y->layers ? 2 : 1;
            multiply_tile(x->re + i * sequences, x->im + i * sequences, (nx - 1) * sequences,
                          y->re + j * sequences, y->im + j * sequences, (ny - 1) * sequences,
                          sequences, re, im);
            for (size_t b = 0; b < ny; b++)
                for (size_t a = 0; a < nx; a++) {
                    p_re[i + a + (j + b) * x->layers] += re[a + TILE * b];
                    p_im[i + a + (j + b) * x->layers] += im[a + TILE * b];
                }
        }
}

/* Adds the sum over sequences of conj(x) y to p (frequencies x layers of x x layers of y, the
   first layer index fastest; imaginary parts `size` after the real ones). work: 2 sequences for
   each layer a thread. */
static void add_cross_spectra(const diagonal_plan *plan, const coset_side *x, const coset_side *y,
                              double *work, double *p, size_t size)
{
    const size_t sequences = plan->sequences, lx = x->matrices.count, ly = y->matrices.count;
    const double frequency_work = (double) sequences * (double) (lx * ly + lx + ly);
    const size_t at_once = items_at_once(PAUSE_PRODUCTS, frequency_work, plan->by.threads);
    for (size_t first = 0; first < plan->length; first += at_once) {
        const size_t last = group_end(first, at_once, plan->length);
        PARALLEL_FOR(plan->by.threads)
        for (size_t f = first; f < last; f++) {
            double *mine = work + thread_number() * 2 * sequences * (lx + ly);
            double *next = mine + 2 * lx * sequences;
            packed_side left = {mine, mine + lx * sequences, lx, sequences};
            packed_side right = {next, next + ly * sequences, ly, sequences};
            pack_side(plan, x->re, x->im, f, &left);
            pack_side(plan, y->re, y->im, f, &right);
            multiply_sides(&left, &right, p + f * lx * ly, p + size + f * lx * ly);
        }
        plan->by.pause();
    }
}

/* T(t), t = 0 .. n - 1 for each pair of layers, from the summed spectra: pair l at
   out + l * stride. The inverse transform is the forward one of the conjugate, over the length;
   only its real part is wanted. work: 4 batches a thread. */
static void shifts_from_spectra(const diagonal_plan *plan, const double *p_re, const double *p_im,
                                size_t pairs, double *work, double *out, size_t stride)
{
    const size_t batches = (pairs + FFT_WIDTH - 1) / FFT_WIDTH, size = plan->batch;
    const double batch_work = TRANSFORM_PRODUCTS * (double) plan->length * FFT_WIDTH;
    const double share = 1.0 / (double) plan->length;
    const size_t at_once = items_at_once(PAUSE_PRODUCTS, batch_work, plan->by.threads);
    for (size_t from = 0; from < batches; from += at_once) {
        const size_t until = group_end(from, at_once, batches);
        PARALLEL_FOR(plan->by.threads)
        for (size_t batch = from; batch < until; batch++) {
            const size_t first = batch * FFT_WIDTH, now = least(pairs - first, FFT_WIDTH);
            double *re = work + thread_number() * 4 * size, *im = re + size;
            memset(re, 0, 2 * size * sizeof(double));
            for (size_t f = 0; f < plan->length; f++)
                for (size_t w = 0; w < now; w++) {
                    re[f * FFT_WIDTH + w] = p_re[f * pairs + first + w];
                    im[f * FFT_WIDTH + w] = -p_im[f * pairs + first + w];
                }
            if (fft_forward(&plan->plan, re, im, re + 2 * size, re + 3 * size)) re += 2 * size;
            for (size_t w = 0; w < now; w++)
                for (size_t t = 0; t < plan->n; t++)
                    out[(first + w) * stride + t] = re[t * FFT_WIDTH + w] * share;
        }
        plan->by.pause();
    }
}

/* sum_ij a_ij b_p(i)p(j) of symmetric matrices. */
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

/* Gathered entries between two pauses: about a fifth of a second, whatever the threads. */
#define PAUSE_ENTRIES 100000000.0

/* What one permutation costs beside its entries, in entries. */
#define PERMUTATION_ENTRIES 50.0

/* Waking threads costs more than so many entries. */
#define ONE_THREAD_ENTRIES 1e6

/* Waking threads costs more than transforms of fewer numbers. */
#define ONE_THREAD_NUMBERS 1e6

/* Doubles that are cleared between two pauses: the first use of much memory takes a while. */
#define CLEAR_DOUBLES ((size_t) 8388608)

/* sequences: of a block, at most (or one batch). Blocks are of equal size. A batch takes a cache
   line more than its sequences, or at lengths that are powers of two all would share a cache
   set. */
static diagonal_plan make_plan(size_t n, size_t sequences, size_t layers, worker by)
{
    const size_t batches = (n / 2 + 2 * FFT_WIDTH) / (2 * FFT_WIDTH);
    const size_t most_batches = sequences < FFT_WIDTH ? 1 : sequences / FFT_WIDTH;
    const size_t blocks = (batches + most_batches - 1) / most_batches;
    const size_t length = fft_is_smooth(n) ? n : fft_smooth_length(2 * n - 1);
    diagonal_plan plan = {.n = n, .length = length, .batch = (length + 1) * FFT_WIDTH, .by = by,
                          .sequences = (batches + blocks - 1) / blocks * FFT_WIDTH};
    if ((double) n * (double) n * (double) layers < ONE_THREAD_NUMBERS) plan.by.threads = 1;
    fft_make_plan(length, scratch(2 * length), &plan.plan);
    return plan;
}

static void clear(double *a, size_t length)
{
    const size_t at_once = CLEAR_DOUBLES;
    for (size_t from = 0; from < length; from += at_once) {
        memset(a + from, 0, (length - from < at_once ? length - from : at_once) * sizeof(double));
        check_interrupt();
    }
}

/* sum_ij x_ij y_p(i)p(j) for p_t(i) = s((g(i) + t) mod n): rows t = 0 .. n - 1 for each
   column s of orders_y in turn, a column a pair (x fastest). order_x: the inverse of g.
   sequences: of a block, at most. */
SEXP repalign_coset_inner(SEXP x, SEXP y, SEXP order_x, SEXP orders_y, SEXP sequences,
                          SEXP threads)
{
    const matrix_list mx = read_matrices(ARG(x)), my = read_matrices_of(ARG(y), mx.n);
    const size_t n = mx.n, layers = mx.count + my.count, pairs = mx.count * my.count;
    const int *to_x = read_from_zero(ARG(order_x), n, n);
    const int *to_y = read_permutations(ARG(orders_y), n);
    const size_t cosets = (size_t) XLENGTH(orders_y) / n;
    const diagonal_plan plan = make_plan(n, read_count(ARG(sequences), 1, INT_MAX), layers,
                                         read_worker(ARG(threads)));
    const coset_side sx = new_side(&plan, mx, to_x, 1), sy = new_side(&plan, my, to_y, cosets);
    SEXP result = PROTECT(new_matrix(n * cosets, pairs));
    const size_t workers = (size_t) plan.by.threads, size = plan.length * pairs;
    diagonal_scratch s = {scratch(2 * plan.sequences), scratch(workers * 4 * plan.batch),
                          scratch(layers > 2 ? workers * 2 * block_doubles(&plan) : 0)};
    double *work = scratch(workers * 2 * plan.sequences * layers);
    /* for each coset `size` real parts and as many imaginary ones */
    double *p = scratch(2 * size * cosets);
    clear(p, 2 * size * cosets);
    for (size_t block = 0; block < diagonal_blocks(&plan); block++) {
        side_spectra(&plan, &sx, 0, block, 0, &s);
        for (size_t m = 0; m < cosets; m++) {
            side_spectra(&plan, &sy, m, block, 1, &s);
            add_cross_spectra(&plan, &sx, &sy, work, p + 2 * size * m, size);
        }
    }
    for (size_t m = 0; m < cosets; m++)
        shifts_from_spectra(&plan, p + 2 * size * m, p + 2 * size * m + size, pairs, s.work,
                            REAL(result) + m * n, n * cosets);
    UNPROTECT(1);
    return result;
}

/* The same sums for given permutations (one a column): a row each, a column a pair. Items are the
   permutations of the first pair, then those of the next one: as long as a pair lasts, its two
   matrices stay in cache as far as they fit. */
SEXP repalign_permuted_inner(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    const matrix_list mx = read_matrices(ARG(x)), my = read_matrices_of(ARG(y), mx.n);
    const int *orders = read_permutations(ARG(permutations), mx.n);
    const size_t n = mx.n, count = (size_t) XLENGTH(permutations) / n;
    const size_t items = mx.count * my.count * count;
    const double entries = 0.5 * (double) n * (double) n + PERMUTATION_ENTRIES;
    worker by = read_worker(ARG(threads));
    if (entries * (double) items < ONE_THREAD_ENTRIES) by.threads = 1;
    const size_t at_once = items_at_once(PAUSE_ENTRIES, entries, by.threads);
    SEXP result = PROTECT(new_matrix(count, mx.count * my.count));
    double *out = REAL(result);
    for (size_t first = 0; first < items; first += at_once) {
        const size_t last = group_end(first, at_once, items);
        /* a thread whose processor is busy with something else keeps none waiting */
        const size_t piece = (last - first) / (8 * (size_t) by.threads) + 1;
        PARALLEL_PIECES(by.threads, piece)
        for (size_t item = first; item < last; item++) {
            const size_t pair = item / count;
            out[item] = relabelled_inner(mx.values[pair % mx.count], my.values[pair / mx.count], n,
                                         orders + item % count * n);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
