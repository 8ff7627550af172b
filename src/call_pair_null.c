/* Entry points of the null of pair forms. */

#include "blas.h"
#include "call_checks.h"
#include "cross_dots.h"
#include "pair_null.h"

#include <limits.h>
#include <string.h>

/* The matrices of a list, each n x n; returns n. */
static size_t read_matrices(SEXP list, const char *name, const double **matrices)
{
    if (XLENGTH(list) < 1) Rf_error("internal: '%s' has no matrices", name);
    require_matrix(VECTOR_ELT(list, 0), name);
    const size_t n = matrix_rows(VECTOR_ELT(list, 0));
    for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
        require_size(VECTOR_ELT(list, i), n, n, name);
        matrices[i] = REAL(VECTOR_ELT(list, i));
    }
    if (n < 1) Rf_error("internal: '%s' is empty", name);
    return n;
}

static const double **pointers(SEXP list)
{
    if (TYPEOF(list) != VECSXP) Rf_error("internal: no list of matrices");
    return (const double **) R_alloc((size_t) XLENGTH(list) + 1, sizeof(double *));
}

/* Columns of one-based permutations of n, as zero-based ones. */
static int *read_permutations(SEXP permutations, size_t n, const char *name)
{
    require_index(permutations, n, name);
    const size_t length = (size_t) XLENGTH(permutations);
    if (length % n != 0) Rf_error("internal: '%s' has another number of rows", name);
    int *result = (int *) R_alloc(length > 0 ? length : 1, sizeof(int));
    for (size_t i = 0; i < length; i++) result[i] = INTEGER(permutations)[i] - 1;
    return result;
}

static int read_threads(SEXP threads)
{
    const int value = Rf_asInteger(threads);
    if (value == NA_INTEGER || value < 1) Rf_error("internal: 'threads' is out of range");
    return value;
}

/* Blocks of equal size, each of at most `lanes` sequences, or of one batch. */
static size_t lanes_of(SEXP lanes, size_t n)
{
    const double wanted = Rf_asReal(lanes);
    if (!(wanted >= 1.0 && wanted <= INT_MAX)) Rf_error("internal: 'lanes' is out of range");
    const size_t batches = (n / 2 + 2 * FFT_LANES) / (2 * FFT_LANES);
    const size_t most = wanted < FFT_LANES ? 1 : (size_t) wanted / FFT_LANES;
    const size_t blocks = (batches + most - 1) / most;
    return (batches + blocks - 1) / blocks * FFT_LANES;
}

static diagonal_plan make_plan(size_t n, SEXP lanes, size_t layers, int threads)
{
    diagonal_plan plan;
    plan.n = n;
    plan.length = fft_is_smooth(n) ? n : fft_smooth_length(2 * n - 1);
    plan.lanes = lanes_of(lanes, n);
    plan.batch = batch_stride(plan.length);
    /* waking threads costs more than a small transform */
    plan.threads = (double) n * (double) n * (double) layers < 1e6 ? 1 : threads;
    plan.pause = check_interrupt;
    fft_make_plan(plan.length, scratch(2 * plan.length), &plan.plan);
    return plan;
}

/* Forward transform of the columns of a complex matrix, for the tests. */
SEXP repalign_fourier(SEXP re, SEXP im)
{
    require_matrix(re, "re");
    const size_t n = matrix_rows(re), columns = matrix_columns(re), size = n * FFT_LANES;
    require_size(im, n, columns, "im");
    if (!fft_is_smooth(n)) Rf_error("internal: the length has a large factor");
    const char *names[] = {"re", "im", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) n, (int) columns));
    SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, (int) n, (int) columns));
    fft_plan plan;
    fft_make_plan(n, scratch(2 * n), &plan);
    double *a = scratch(4 * size);
    for (size_t j = 0; j < columns; j++) {
        const size_t lane = j % FFT_LANES;
        for (size_t i = 0; i < n; i++) {
            a[i * FFT_LANES + lane] = REAL(re)[i + j * n];
            a[size + i * FFT_LANES + lane] = REAL(im)[i + j * n];
        }
        if (lane + 1 < FFT_LANES && j + 1 < columns) continue;
        const int moved = fft_forward(&plan, a, a + size, a + 2 * size, a + 3 * size);
        const double *b = a + (moved ? 2 * size : 0);
        for (size_t l = 0; l <= lane; l++)
            for (size_t i = 0; i < n; i++) {
                REAL(VECTOR_ELT(result, 0))[i + (j - lane + l) * n] = b[i * FFT_LANES + l];
                REAL(VECTOR_ELT(result, 1))[i + (j - lane + l) * n] = b[size + i * FFT_LANES + l];
            }
    }
    UNPROTECT(1);
    return result;
}

/* One side of the comparison: its matrices, orders and spectra. */
typedef struct {
    const double **matrices;
    size_t layers, orders;
    int *extended;
    double *re, *im;
} coset_side;

static coset_side new_side(const diagonal_plan *plan, const double **matrices, size_t layers,
                           SEXP orders, const char *name)
{
    const int *order = read_permutations(orders, plan->n, name);
    const size_t count = (size_t) XLENGTH(orders) / plan->n, length = extended_length(plan);
    const size_t spectrum = block_doubles(plan) * layers;
    coset_side side = {matrices, layers, count, (int *) R_alloc(length * count, sizeof(int)),
                       scratch(spectrum), scratch(spectrum)};
    for (size_t m = 0; m < count; m++)
        extend_order(plan, order + m * plan->n, side.extended + m * length);
    return side;
}

static diagonal_scratch new_diagonal_scratch(const diagonal_plan *plan, int several)
{
    const size_t workers = (size_t) plan->threads;
    diagonal_scratch s = {scratch(2 * plan->lanes), scratch(workers * 4 * plan->batch),
                          scratch(several ? workers * 2 * block_doubles(plan) : 0)};
    return s;
}

static void side_spectra(const diagonal_plan *plan, const coset_side *side, size_t order,
                         size_t block, int periodic, diagonal_scratch *s)
{
    diagonal_spectra(plan, side->matrices, side->layers,
                     side->extended + order * extended_length(plan), block, periodic, s, side->re,
                     side->im);
}

/* Doubles that are cleared between two pauses: the first use of much memory takes a while. */
#define CLEAR_DOUBLES ((size_t) 8388608)

static void clear(double *a, size_t length)
{
    const size_t at_once = CLEAR_DOUBLES;
    for (size_t from = 0; from < length; from += at_once) {
        memset(a + from, 0, (length - from < at_once ? length - from : at_once) * sizeof(double));
        check_interrupt();
    }
}

/* Products of the spectra of x with those of every coset of y, into p (2 product each). */
static void coset_products(const diagonal_plan *plan, const coset_side *x, const coset_side *y,
                           diagonal_scratch *s, double *p)
{
    const size_t product = plan->length * x->layers * y->layers;
    double *work =
        scratch((size_t) plan->threads * 2 * plan->lanes * (x->layers + y->layers));
    clear(p, 2 * product * y->orders);
    for (size_t block = 0; block < diagonal_blocks(plan); block++) {
        side_spectra(plan, x, 0, block, 0, s);
        for (size_t m = 0; m < y->orders; m++) {
            double *pm = p + 2 * product * m;
            side_spectra(plan, y, m, block, 1, s);
            add_cross_spectra(plan, x->re, x->im, x->layers, y->re, y->im, y->layers, work, pm,
                              pm + product);
        }
    }
}

/* sum_ij x_ij y_p(i)p(j) for p_t(i) = s((g(i) + t) mod n): rows t = 0 .. n - 1 for each
   column s of orders_y in turn, a column a pair (x fastest). order_x: the inverse of g. */
SEXP repalign_coset_inner(SEXP x, SEXP y, SEXP order_x, SEXP orders_y, SEXP lanes, SEXP threads)
{
    const double **mx = pointers(x), **my = pointers(y);
    const size_t n = read_matrices(x, "x", mx), lx = (size_t) XLENGTH(x), ly = (size_t) XLENGTH(y);
    if (read_matrices(y, "y", my) != n) Rf_error("internal: unequal sizes");
    if ((size_t) XLENGTH(order_x) != n) Rf_error("internal: one 'order_x'");
    const diagonal_plan plan = make_plan(n, lanes, lx + ly, read_threads(threads));
    const coset_side sx = new_side(&plan, mx, lx, order_x, "order_x");
    const coset_side sy = new_side(&plan, my, ly, orders_y, "orders_y");
    const size_t cosets = sy.orders, pairs = lx * ly, product = plan.length * pairs;
    if (!fits_blas(n * cosets) || !fits_blas(pairs)) Rf_error("internal: result too large");
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) (n * cosets), (int) pairs));
    diagonal_scratch s = new_diagonal_scratch(&plan, lx > 1 || ly > 1);
    double *p = scratch(2 * product * cosets);
    coset_products(&plan, &sx, &sy, &s, p);
    for (size_t m = 0; m < cosets; m++)
        shifts_from_spectra(&plan, p + 2 * product * m, p + 2 * product * m + product, pairs,
                            s.work, REAL(result) + m * n, n * cosets);
    UNPROTECT(1);
    return result;
}

/* The same sums for given permutations (one a column): a row each, a column a pair. */
SEXP repalign_permuted_inner(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    const double **mx = pointers(x), **my = pointers(y);
    const size_t n = read_matrices(x, "x", mx), lx = (size_t) XLENGTH(x), ly = (size_t) XLENGTH(y);
    if (read_matrices(y, "y", my) != n) Rf_error("internal: unequal sizes");
    const int *p = read_permutations(permutations, n, "permutations");
    const size_t count = (size_t) XLENGTH(permutations) / n;
    if (!fits_blas(count) || !fits_blas(lx * ly)) Rf_error("internal: result too large");
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) count, (int) (lx * ly)));
    permuted_inner_products(mx, lx, my, ly, n, p, count, read_threads(threads), check_interrupt,
                            REAL(result));
    UNPROTECT(1);
    return result;
}

/* sum_ij x_ij y_ij for every pair: rows are matrices of x. */
SEXP repalign_cross_dots(SEXP x, SEXP y, SEXP threads)
{
    const double **mx = pointers(x), **my = pointers(y);
    const size_t n = read_matrices(x, "x", mx), lx = (size_t) XLENGTH(x), ly = (size_t) XLENGTH(y);
    if (read_matrices(y, "y", my) != n) Rf_error("internal: unequal sizes");
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) lx, (int) ly));
    cross_dots(mx, lx, my, ly, n * n, Rf_asInteger(threads), check_interrupt, REAL(result));
    UNPROTECT(1);
    return result;
}
