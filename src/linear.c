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

void linear_cross(const centered_view *x, const centered_view *y, size_t rows, double *x_rows,
                  double *y_rows, pause_function pause, double *c)
{
    memset(c, 0, x->d * y->d * sizeof(double));
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = least(x->n - i, rows);
        load_rows(x, i, now, x_rows);
        load_rows(y, i, now, y_rows);
        blas_gemm('T', 'N', x->d, y->d, now, 1.0, x_rows, now, y_rows, now, 1.0, c, x->d);
        pause();
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
    memset(sums.s, 0, v.d * sizeof(double));
    memset(sums.f, 0, v.d * sizeof(double));
    memset(sums.k, 0, v.n * sizeof(double));
    memset(values, 0, side * side * sizeof(double));
    if (wanted == CROSS_PRODUCTS) {
        const size_t rows = read_chunk(chunk, v.n, v.d);
        double *part = scratch(rows * v.d);
        for (size_t i = 0; i < v.n; i += rows) {
            const size_t now = least(v.n - i, rows);
            load_rows(&v, i, now, part);
            add_sums(part, now, v.d, (linear_sums) {sums.s, sums.f, sums.k + i});
            blas_syrk_upper('T', v.d, now, part, now, 1.0, values, v.d);
            check_interrupt();
        }
    } else {
        const size_t columns = wanted == GRAM_MATRIX ? chunk_rows(v.d, v.n) : 1;
        double *part = scratch(v.n * columns);
        for (size_t j = 0; j < v.d; j += columns) {
            const size_t now = least(v.d - j, columns);
            load_columns(&v, j, now, part);
            add_sums(part, v.n, now, (linear_sums) {sums.s + j, sums.f + j, sums.k});
            if (side > 0) blas_syrk_upper('N', v.n, now, part, v.n, 1.0, values, v.n);
            check_interrupt();
        }
    }
    /* only the upper triangle of the product is there */
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

/* The sum of linear_cross from the Gram matrix of one side and the columns of the other: over the
   columns y_j' gram y_j. */
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale)
{
    const centered_view v = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    const double *values = read_matrix_size(ARG(gram), v.n, v.n);
    const size_t columns = chunk_rows(v.d, v.n);
    double *part = scratch(v.n * columns), *product = scratch(v.n * columns), total = 0.0;
    for (size_t j = 0; j < v.d; j += columns) {
        const size_t now = least(v.d - j, columns);
        load_columns(&v, j, now, part);
        blas_symm_left(v.n, now, values, v.n, part, v.n, product, v.n);
        total += dot_blocked(part, product, v.n * now);
        check_interrupt();
    }
    return Rf_ScalarReal(total);
}

/* For pairs of a column of x (ix) and one of y (iy): list(c = sum phi psi, dd = sum phi^2
   psi^2). */
SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const int *of_x = read_zero_based(ARG(ix), vx.d);
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *of_y = read_from_zero(ARG(iy), pairs, vy.d);
    SEXP result = PROTECT(NAMED_LIST("c", "dd"));
    double *c = put_doubles(result, 0, pairs), *dd = put_doubles(result, 1, pairs);
    for (size_t p = 0; p < pairs; p++) {
        const size_t a = (size_t) of_x[p], b = (size_t) of_y[p];
        const double *xa = vx.x + a * vx.n, *yb = vy.x + b * vy.n;
        double first = 0.0, second = 0.0;
        for (size_t i = 0; i < vx.n; i++) {
            const double product = (xa[i] - vx.mean[a]) * vx.inverse_scale *
                                   ((yb[i] - vy.mean[b]) * vy.inverse_scale);
            first += product;
            second += product * product;
        }
        c[p] = first;
        dd[p] = second;
    }
    UNPROTECT(1);
    return result;
}
