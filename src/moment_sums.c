/* Sums of a symmetric matrix that the moments of a permuted inner product are made of. */

#include "blas.h"
#include "loops.h"
#include "entry.h"

/* A symmetric n x n matrix seen through a change of its entries, of which no copy is made:
   (a_ij + elsewhere) * scale, and (a_ii + diagonal) * scale. */
typedef struct {
    const double *a;
    size_t n;
    double diagonal, elsewhere, scale;
} shifted_view;

/* For every column j: its diagonal entry d_j, and the sums over i of w_ij^2, w_ij^3, w_ij d_i. */
typedef struct {
    double *diagonal, *squares, *cubes, *dots;
} column_sums;

/* Entries between two pauses. */
#define PAUSE_ENTRIES 100000000.0

/* Rows and columns of a block of cube_trace(). */
#define BLOCK ((size_t) 192)

typedef struct {
    double squares, cubes, dot;
} stretch_sums;

/* The sums over a stretch of a column away from the diagonal. */
static stretch_sums sum_stretch(const double *a, const double *d, size_t length, double shift,
                                double scale)
{
    double squares = 0.0, cubes = 0.0, dot = 0.0;
    SUM_AT_ONCE(squares, cubes, dot)
    for (size_t i = 0; i < length; i++) {
        const double value = (a[i] + shift) * scale, square = value * value;
        squares += square;
        cubes += square * value;
        dot += value * d[i];
    }
    const stretch_sums sums = {squares, cubes, dot};
    return sums;
}

static void sums_of_column(const shifted_view *v, size_t j, column_sums out)
{
    const double *column = v->a + j * v->n, own = out.diagonal[j];
    const stretch_sums above = sum_stretch(column, out.diagonal, j, v->elsewhere, v->scale);
    const stretch_sums below = sum_stretch(column + j + 1, out.diagonal + j + 1, v->n - j - 1,
                                           v->elsewhere, v->scale);
    out.squares[j] = above.squares + below.squares + own * own;
    out.cubes[j] = above.cubes + below.cubes + own * own * own;
    out.dots[j] = above.dot + below.dot + own * own;
}

static void sums_of_columns(const shifted_view *v, worker by, column_sums out)
{
    const size_t n = v->n, at_once = items_at_once(PAUSE_ENTRIES, (double) n, by.threads);
    for (size_t j = 0; j < n; j++)
        out.diagonal[j] = (v->a[j * n + j] + v->diagonal) * v->scale;
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t j = first; j < last; j++) sums_of_column(v, j, out);
        by.pause();
    }
}

/* Rows and columns of the matrix, times a weight, into out (one column after the other). */
static void load_part(const shifted_view *v, size_t row, size_t rows, size_t column, size_t columns,
                      double weight, double *out)
{
    const double scale = v->scale * weight;
    for (size_t j = column; j < column + columns; j++) {
        const double *from = v->a + j * v->n + row;
        for (size_t i = 0; i < rows; i++) out[i] = (from[i] + v->elsewhere) * scale;
        if (j >= row && j < row + rows) out[j - row] = (from[j - row] + v->diagonal) * scale;
        out += rows;
    }
}

/* How often a triple of blocks with i <= j <= k occurs among all triples. */
static double triple_weight(size_t i, size_t j, size_t k)
{
    if (i == k) return 1.0;
    return i == j || j == k ? 3.0 : 6.0;
}

static size_t block_size(size_t n, size_t block)
{
    return n - block * BLOCK < BLOCK ? n - block * BLOCK : BLOCK;
}

/* Doubles of scratch that cube_trace() needs. */
static size_t cube_scratch(size_t n) { return 2 * n * BLOCK + BLOCK * BLOCK; }

/* The triples whose last block is k. last: rows 0 to the end of block k of its columns. */
static double triples_ending_in(const shifted_view *v, size_t k, const double *last, double *panel,
                                double *product)
{
    const size_t width = block_size(v->n, k), height = k * BLOCK + width;
    double total = 0.0;
    for (size_t i = 0; i <= k; i++) {
        const size_t rows = block_size(v->n, i), from = i * BLOCK;
        for (size_t j = i; j <= k; j++)
            load_part(v, from, rows, j * BLOCK, block_size(v->n, j), triple_weight(i, j, k),
                      panel + (j - i) * BLOCK * rows);
        blas_gemm('N', 'N', rows, width, height - from, 1.0, panel, rows, last + from, height, 0.0,
                  product, rows);
        for (size_t c = 0; c < width; c++)
            for (size_t r = 0; r < rows; r++)
                total += product[c * rows + r] * last[c * height + from + r];
    }
    return total;
}

/* sum_ijk w_ij w_jk w_ki, the trace of the cube, with a third of the multiplications of a product
   of the matrix with itself: the terms do not change with the order of i, j and k. */
static double cube_trace(const shifted_view *v, double *work, pause_function pause)
{
    double *last = work, *panel = work + v->n * BLOCK, *product = work + 2 * v->n * BLOCK;
    double total = 0.0;
    for (size_t k = 0; k * BLOCK < v->n; k++) {
        const size_t width = block_size(v->n, k);
        load_part(v, 0, k * BLOCK + width, k * BLOCK, width, 1.0, last);
        total += triples_ending_in(v, k, last, panel, product);
        pause();
    }
    return total;
}

/* Waking threads costs more than sums over fewer numbers. */
#define ONE_THREAD_NUMBERS 1e6

static shifted_view read_shifted(SEXP a, const char *name, SEXP diagonal, SEXP elsewhere,
                                 SEXP scale)
{
    read_matrix(a, name);
    const size_t n = matrix_rows(a);
    const shifted_view v = {read_matrix_size(a, name, n, n), n, read_number(ARG(diagonal)),
                            read_number(ARG(elsewhere)), read_number(ARG(scale))};
    return v;
}

/* list(diagonal, squares, cubes, dots) of the shifted matrix: see column_sums. */
SEXP repalign_moment_sums(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale, SEXP threads)
{
    const shifted_view v = read_shifted(ARG(a), diagonal, elsewhere, scale);
    SEXP result = PROTECT(NAMED_LIST("diagonal", "squares", "cubes", "dots"));
    const column_sums out = {put_doubles(result, 0, v.n), put_doubles(result, 1, v.n),
                             put_doubles(result, 2, v.n), put_doubles(result, 3, v.n)};
    worker by = read_worker(ARG(threads));
    if ((double) v.n * (double) v.n < ONE_THREAD_NUMBERS) by.threads = 1;
    sums_of_columns(&v, by, out);
    UNPROTECT(1);
    return result;
}

/* The trace of the cube of the shifted matrix. */
SEXP repalign_cube_trace(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale)
{
    const shifted_view v = read_shifted(ARG(a), diagonal, elsewhere, scale);
    return Rf_ScalarReal(cube_trace(&v, scratch(cube_scratch(v.n)), check_interrupt));
}
