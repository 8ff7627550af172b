/* Entry points of the permutation null of inner products of matrices. */

#include "inner_null.h"

#include <limits.h>
#include <string.h>

#include "blas.h"
#include "entry.h"

/* Waking threads costs more than transforms of fewer numbers. */
#define ONE_THREAD_NUMBERS 1e6

/* Doubles that are cleared between two pauses: the first use of much memory takes a while. */
#define CLEAR_DOUBLES ((size_t) 8388608)

/* Blocks of equal size, each of at most `most` sequences, or of one batch. */
static size_t block_sequences(size_t most, size_t n)
{
    const size_t batches = (n / 2 + 2 * FFT_WIDTH) / (2 * FFT_WIDTH);
    const size_t most_batches = most < FFT_WIDTH ? 1 : most / FFT_WIDTH;
    const size_t blocks = (batches + most_batches - 1) / most_batches;
    return (batches + blocks - 1) / blocks * FFT_WIDTH;
}

static diagonal_plan make_plan(size_t n, size_t sequences, size_t layers, worker by)
{
    diagonal_plan plan;
    plan.n = n;
    plan.length = fft_is_smooth(n) ? n : fft_smooth_length(2 * n - 1);
    plan.sequences = block_sequences(sequences, n);
    plan.batch = batch_stride(plan.length);
    plan.by = by;
    if ((double) n * (double) n * (double) layers < ONE_THREAD_NUMBERS) plan.by.threads = 1;
    fft_make_plan(plan.length, scratch(2 * plan.length), &plan.plan);
    return plan;
}

/* One side of the comparison: its matrices, orders and spectra. */
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
        extend_order(plan, order + m * plan->n, side.extended + m * length);
    return side;
}

static diagonal_scratch new_diagonal_scratch(const diagonal_plan *plan, int several)
{
    const size_t workers = (size_t) plan->by.threads;
    const diagonal_scratch s = {scratch(2 * plan->sequences), scratch(workers * 4 * plan->batch),
                                scratch(several ? workers * 2 * block_doubles(plan) : 0)};
    return s;
}

static void side_spectra(const diagonal_plan *plan, const coset_side *side, size_t order,
                         size_t block, int periodic, diagonal_scratch *s)
{
    diagonal_spectra(plan, side->matrices.values, side->matrices.count,
                     side->extended + order * extended_length(plan), block, periodic, s, side->re,
                     side->im);
}

static void clear(double *a, size_t length)
{
    const size_t at_once = CLEAR_DOUBLES;
    for (size_t from = 0; from < length; from += at_once) {
        memset(a + from, 0, (length - from < at_once ? length - from : at_once) * sizeof(double));
        check_interrupt();
    }
}

/* Products of the spectra of x with those of every coset of y, into p: for each coset `size` real
   parts and as many imaginary ones. */
static void coset_products(const diagonal_plan *plan, const coset_side *x, const coset_side *y,
                           size_t size, diagonal_scratch *s, double *p)
{
    const size_t lx = x->matrices.count, ly = y->matrices.count;
    double *work = scratch((size_t) plan->by.threads * 2 * plan->sequences * (lx + ly));
    clear(p, 2 * size * y->orders);
    for (size_t block = 0; block < diagonal_blocks(plan); block++) {
        side_spectra(plan, x, 0, block, 0, s);
        for (size_t m = 0; m < y->orders; m++) {
            double *pm = p + 2 * size * m;
            side_spectra(plan, y, m, block, 1, s);
            add_cross_spectra(plan, x->re, x->im, lx, y->re, y->im, ly, work, pm, pm + size);
        }
    }
}

/* sum_ij x_ij y_p(i)p(j) for p_t(i) = s((g(i) + t) mod n): rows t = 0 .. n - 1 for each
   column s of orders_y in turn, a column a pair (x fastest). order_x: the inverse of g.
   sequences: of a block, at most. */
SEXP repalign_coset_inner(SEXP x, SEXP y, SEXP order_x, SEXP orders_y, SEXP sequences,
                          SEXP threads)
{
    begin_entry(__func__);
    const matrix_list mx = read_matrices(ARG(x)), my = read_matrices_of(ARG(y), mx.n);
    const size_t n = mx.n, pairs = mx.count * my.count;
    read_indices(ARG(order_x), n, n);
    const int *to_x = read_permutations(ARG(order_x), n);
    const int *to_y = read_permutations(ARG(orders_y), n);
    const size_t cosets = (size_t) XLENGTH(orders_y) / n;
    const diagonal_plan plan = make_plan(n, read_count(ARG(sequences), 1, INT_MAX),
                                         mx.count + my.count, read_worker(ARG(threads)));
    const coset_side sx = new_side(&plan, mx, to_x, 1), sy = new_side(&plan, my, to_y, cosets);
    SEXP result = PROTECT(new_matrix(n * cosets, pairs));
    diagonal_scratch s = new_diagonal_scratch(&plan, mx.count > 1 || my.count > 1);
    const size_t size = plan.length * pairs;
    double *p = scratch(2 * size * cosets);
    coset_products(&plan, &sx, &sy, size, &s, p);
    for (size_t m = 0; m < cosets; m++)
        shifts_from_spectra(&plan, p + 2 * size * m, p + 2 * size * m + size, pairs, s.work,
                            REAL(result) + m * n, n * cosets);
    UNPROTECT(1);
    return result;
}

/* The same sums for given permutations (one a column): a row each, a column a pair. */
SEXP repalign_permuted_inner(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    begin_entry(__func__);
    const matrix_list mx = read_matrices(ARG(x)), my = read_matrices_of(ARG(y), mx.n);
    const int *orders = read_permutations(ARG(permutations), mx.n);
    const size_t count = (size_t) XLENGTH(permutations) / mx.n;
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(count, mx.count * my.count));
    permuted_inner_products(mx.values, mx.count, my.values, my.count, mx.n, orders, count, by,
                            REAL(result));
    UNPROTECT(1);
    return result;
}
