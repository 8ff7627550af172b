/* Sums over the rows of two representations that stand side by side, for a streamed CKA. */

#include <string.h>

#include "blas.h"
#include "loops.h"
#include "entry.h"

/* What is added up over rows z of D = x->d + y->d centred columns, those of x first, with weights w
   that are |x part|^2, |y part|^2 and 1:
     cross     the upper triangle of z'z (D x D)
     by_weight z'w (D x 3)
     weights   w'w (3 x 3)
     powers    for pairs of columns a, b: a^2 b^2, a^2 b and a b^2 (3 x pairs)
   All are to be zero before. */
typedef struct {
    double *cross, *by_weight, *weights, *powers;
} stacked_sums;

/* Pairs of columns, one-based. */
typedef struct {
    const int *a, *b;
    size_t count;
} column_pairs;

/* squares[i] = the sum of the squares of row i of a (rows x columns). */
static inline void row_squares(const double *a, size_t rows, size_t columns, double *squares)
{
    for (size_t i = 0; i < rows; i++) squares[i] = 0.0;
    for (size_t j = 0; j < columns; j++) {
        const double *column = a + j * rows;
        AT_ONCE
        for (size_t i = 0; i < rows; i++) squares[i] += column[i] * column[i];
    }
}

static inline void add_powers(const double *z, size_t rows, column_pairs pairs, double *powers)
{
    for (size_t p = 0; p < pairs.count; p++) {
        const double *a = z + ((size_t) pairs.a[p] - 1) * rows;
        const double *b = z + ((size_t) pairs.b[p] - 1) * rows;
        double both = 0.0, first = 0.0, second = 0.0;
        SUM_AT_ONCE(both, first, second)
        for (size_t i = 0; i < rows; i++) {
            const double product = a[i] * b[i];
            both += product * product;
            first += product * a[i];
            second += product * b[i];
        }
        powers[3 * p] += both;
        powers[3 * p + 1] += first;
        powers[3 * p + 2] += second;
    }
}

/* Both sums over the first `count` entries of a column. */
static void sum_entries(const double *entries, size_t count, double n_mean, double mean,
                        const double *means, double *squares, double *inner)
{
    double square = 0.0, product = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double centred = entries[i] - n_mean * means[i];
        square += centred * centred;
        product += entries[i] * means[i];
    }
    *squares += square;
    *inner += product * mean;
}

static double *put_zeros(SEXP list, int at, size_t rows, size_t columns)
{
    double *values = put_matrix(list, at, rows, columns);
    memset(values, 0, rows * columns * sizeof(double));
    return values;
}

/* Sums over the rows of x and y side by side, see stacked_sums; `cross` is a vector with the upper
   triangle. ia, ib: numbers of columns, those of y after those of x. */
SEXP repalign_stack_sums(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                         SEXP ia, SEXP ib)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    if (vx.n != vy.n) argument_error("y", "have as many rows as x");
    const size_t d = vx.d + vy.d, count = (size_t) Rf_xlength(ia);
    const column_pairs pairs = {read_indices(ARG(ia), count, d), read_indices(ARG(ib), count, d),
                                count};
    SEXP result = PROTECT(NAMED_LIST("cross", "by_weight", "weights", "powers"));
    const stacked_sums sums = {zeroed_bytes(d * d * sizeof(double)), put_zeros(result, 1, d, 3),
                               put_zeros(result, 2, 3, 3), put_zeros(result, 3, 3, count)};
    /* Rows that are centred and multiplied at a time: as many as there are columns, so that reading
       and writing the sums takes little time beside the products. */
    const size_t rows = least(least(most(d, 256), 1024), vx.n);
    double *z = scratch(rows * d), *w = scratch(rows * 3);
    for (size_t i = 0; i < vx.n; i += rows) {
        const size_t now = least(vx.n - i, rows);
        double *y_part = z + now * vx.d;
        load_rows(&vx, i, now, z);
        load_rows(&vy, i, now, y_part);
        row_squares(z, now, vx.d, w);
        row_squares(y_part, now, vy.d, w + now);
        for (size_t r = 0; r < now; r++) w[2 * now + r] = 1.0;
        blas_syrk_upper('T', d, now, z, now, 1.0, sums.cross, d);
        blas_gemm('T', 'N', d, 3, now, 1.0, z, now, w, now, 1.0, sums.by_weight, d);
        blas_gemm('T', 'N', 3, 3, now, 1.0, w, now, w, now, 1.0, sums.weights, 3);
        add_powers(z, now, pairs, sums.powers);
        check_interrupt();
    }
    double *cross = put_doubles(result, 0, d * (d + 1) / 2);
    for (size_t j = 0; j < d; j++)
        memcpy(cross + j * (j + 1) / 2, sums.cross + j * d, (j + 1) * sizeof(double));
    UNPROTECT(1);
    return result;
}

/* A matrix (2 x 3), for xx, xy and yy: sums over the pairs of columns of z'z = cross (a vector with
   the upper triangle) within x, between x and y, and within y, where a pair within a side counts in
   both orders. First row: of the squared entries of the centred matrix, cross - n m m'; second: of
   m_i cross_ij m_j. x_columns: how many of the columns are those of x. */
SEXP repalign_sum_packed(SEXP cross, SEXP x_columns, SEXP n, SEXP means)
{
    const size_t columns = count_doubles(ARG(means));
    const double *entries = read_doubles(ARG(cross), columns * (columns + 1) / 2);
    const size_t of_x = read_count(ARG(x_columns), 1, columns);
    const double rows = read_number(ARG(n)), *m = REAL(means);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, 2, 3));
    double *out = REAL(result);
    memset(out, 0, 6 * sizeof(double));
    for (size_t j = 0; j < columns; j++) {
        const int in_y = j >= of_x;
        const size_t first = in_y ? of_x : 0;
        const double mean = m[j], n_mean = rows * mean, centred = entries[j] - n_mean * mean;
        double squares = 0.0, inner = 0.0, *own = out + (in_y ? 4 : 0);
        if (in_y) sum_entries(entries, of_x, n_mean, mean, m, out + 2, out + 3);
        sum_entries(entries + first, j - first, n_mean, mean, m + first, &squares, &inner);
        own[0] += 2.0 * squares + centred * centred;
        own[1] += 2.0 * inner + mean * entries[j] * mean;
        entries += j + 1;
    }
    UNPROTECT(1);
    return result;
}
