/* Sums over all neuron pairs for linear kernels: see linear.h. */

#include "linear.h"

#include <limits.h>
#include <string.h>

#include "blas.h"
#include "entry.h"
#include "loops.h"

/* What a pass over a representation gathers: column sums of squares (s) and fourth
   powers (f), row sums of squares (k). */
typedef struct {
    double *s, *f, *k;
} linear_sums;

/* A buffer is about 256 KB, or 256 rows: those of both sides stay in cache while BLAS reads
   them. */
#define CHUNK_ENTRIES 32768

/* Adds a centred block (rows x columns) to the sums. */
static inline void add_sums(const double *block, size_t rows, size_t columns, linear_sums sums)
{
    double *k = sums.k;
    for (size_t j = 0; j < columns; j++) {
        const double *phi = block + j * rows;
        double s = 0.0, f = 0.0;
        SUM_AT_ONCE(s, f)
        for (size_t i = 0; i < rows; i++) {
            const double square = phi[i] * phi[i];
            s += square;
            f += square * square;
            k[i] += square;
        }
        sums.s[j] += s;
        sums.f[j] += f;
    }
}

size_t chunk_rows(size_t n, size_t d)
{
    size_t rows = CHUNK_ENTRIES / (d > 0 ? d : 1);
    if (rows < 256) rows = 256;
    return rows < n ? rows : n;
}

static void clear(double *a, size_t length) { memset(a, 0, length * sizeof(double)); }

static void clear_sums(linear_sums sums, size_t n, size_t d)
{
    clear(sums.s, d);
    clear(sums.f, d);
    clear(sums.k, n);
}

void linear_cross(const centered_view *x, const centered_view *y, size_t rows, double *x_rows,
                  double *y_rows, pause_function pause, double *c)
{
    clear(c, x->d * y->d);
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = least(x->n - i, rows);
        load_rows(x, i, now, x_rows);
        load_rows(y, i, now, y_rows);
        blas_gemm('T', 'N', x->d, y->d, now, 1.0, x_rows, now, y_rows, now, 1.0, c, x->d);
        pause();
    }
}

/* The upper triangle of c = x'x, and the sums. Scratch: rows x d. */
static void linear_self(const centered_view *x, size_t rows, double *x_rows, pause_function pause,
                        double *c, linear_sums sums)
{
    clear(c, x->d * x->d);
    clear_sums(sums, x->n, x->d);
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = least(x->n - i, rows);
        load_rows(x, i, now, x_rows);
        add_sums(x_rows, now, x->d, (linear_sums) {sums.s, sums.f, sums.k + i});
        blas_syrk_upper('T', x->d, now, x_rows, now, 1.0, c, x->d);
        pause();
    }
}

/* The upper triangle of the Gram matrix x x' (where gram is not NULL), and the sums. Scratch: n x
   columns. */
static void linear_gram(const centered_view *x, size_t columns, double *x_columns,
                        pause_function pause, double *gram, linear_sums sums)
{
    if (gram) clear(gram, x->n * x->n);
    clear_sums(sums, x->n, x->d);
    for (size_t j = 0; j < x->d; j += columns) {
        const size_t now = least(x->d - j, columns);
        load_columns(x, j, now, x_columns);
        add_sums(x_columns, x->n, now, (linear_sums) {sums.s + j, sums.f + j, sums.k});
        if (gram) blas_syrk_upper('N', x->n, now, x_columns, x->n, 1.0, gram, x->n);
        pause();
    }
}

/* Sum over the columns of y of y_j' gram y_j, gram symmetric. Scratch: n x columns each. */
static double gram_form(const double *gram, const centered_view *y, size_t columns,
                        double *y_columns, double *product, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < y->d; j += columns) {
        const size_t now = least(y->d - j, columns);
        load_columns(y, j, now, y_columns);
        blas_symm_left(y->n, now, gram, y->n, y_columns, y->n, product, y->n);
        total += dot_blocked(y_columns, product, y->n * now);
        pause();
    }
    return total;
}

/* For listed column pairs: c = sum phi psi, dd = sum phi^2 psi^2. */
static void paired_moments(const centered_view *x, const centered_view *y, const int *ix,
                           const int *iy, size_t pairs, double *c, double *dd)
{
    for (size_t p = 0; p < pairs; p++) {
        const size_t a = (size_t) ix[p] - 1, b = (size_t) iy[p] - 1;
        const double *xa = x->x + a * x->n, *yb = y->x + b * y->n;
        double first = 0.0, second = 0.0;
        for (size_t i = 0; i < x->n; i++) {
            double product = (xa[i] - x->mean[a]) * x->inverse_scale *
                             ((yb[i] - y->mean[b]) * y->inverse_scale);
            first += product;
            second += product * product;
        }
        c[p] = first;
        dd[p] = second;
    }
}

/* Rows of a chunk: as given, or as chunk_rows() finds right. */
static size_t read_chunk(SEXP chunk, size_t n, size_t d)
{
    return Rf_isNull(chunk) ? chunk_rows(n, d) : read_count(ARG(chunk), 1, INT_MAX);
}

/* Which products of a centred matrix with itself are wanted. */
enum { NO_PRODUCT, CROSS_PRODUCTS, GRAM_MATRIX };

/* One pass over x: list(s, f, k, total, gram) of column and row sums (linear_sums); the sum of all
   squared cross products of its columns, where there is a product; and the Gram matrix where that
   is the product. */
SEXP repalign_linear_form(SEXP x, SEXP means, SEXP scale, SEXP product, SEXP chunk)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const size_t wanted = read_count(ARG(product), NO_PRODUCT, GRAM_MATRIX);
    const size_t side = wanted == GRAM_MATRIX ? v.n : wanted == CROSS_PRODUCTS ? v.d : 0;
    SEXP result = PROTECT(NAMED_LIST("s", "f", "k", "total", "gram"));
    const linear_sums sums = {put_doubles(result, 0, v.d), put_doubles(result, 1, v.d),
                              put_doubles(result, 2, v.n)};
    double *values = wanted == GRAM_MATRIX ? put_matrix(result, 4, side, side)
                                           : scratch(side * side);
    if (wanted == CROSS_PRODUCTS) {
        const size_t rows = read_chunk(chunk, v.n, v.d);
        linear_self(&v, rows, scratch(rows * v.d), check_interrupt, values, sums);
    } else {
        const size_t columns = wanted == GRAM_MATRIX ? chunk_rows(v.d, v.n) : 1;
        linear_gram(&v, columns, scratch(v.n * columns), check_interrupt,
                    wanted == GRAM_MATRIX ? values : NULL, sums);
    }
    if (wanted != NO_PRODUCT) *put_doubles(result, 3, 1) = squares_upper(values, side);
    if (wanted == GRAM_MATRIX) mirror_upper(values, side);
    UNPROTECT(1);
    return result;
}

/* Sum of squared cross products over all pairs of a column of x and one of y. */
SEXP repalign_linear_cross(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const size_t rows = read_chunk(chunk, vx.n, most(vx.d, vy.d));
    double *c = scratch(vx.d * vy.d);
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt, c);
    return Rf_ScalarReal(dot_blocked(c, c, vx.d * vy.d));
}

/* The cross products themselves: x'y of the centred matrices. */
SEXP repalign_cross_product(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const size_t rows = chunk_rows(vx.n, most(vx.d, vy.d));
    SEXP result = PROTECT(new_matrix(vx.d, vy.d));
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt,
                 REAL(result));
    UNPROTECT(1);
    return result;
}

/* The sum of linear_cross from the Gram matrix of one side and the columns of the other. */
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale)
{
    const centered_view v = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    const double *values = read_matrix_size(ARG(gram), v.n, v.n);
    const size_t columns = chunk_rows(v.d, v.n);
    return Rf_ScalarReal(gram_form(values, &v, columns, scratch(v.n * columns),
                                   scratch(v.n * columns), check_interrupt));
}

/* For pairs of a column of x (ix) and one of y (iy): list(c, dd), see paired_moments(). */
SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const int *a = read_index(ARG(ix), vx.d);
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *b = read_indices(ARG(iy), pairs, vy.d);
    SEXP result = PROTECT(NAMED_LIST("c", "dd"));
    double *c = put_doubles(result, 0, pairs), *dd = put_doubles(result, 1, pairs);
    paired_moments(&vx, &vy, a, b, pairs, c, dd);
    UNPROTECT(1);
    return result;
}
