/* Sums over the rows of two representations that stand side by side: see stack.h. */

#include "stack.h"

#include "blas.h"
#include "wide.h"

/* squares[i] = the sum of the squares of row i of a (rows x columns). */
INLINE_BODY void row_squares_body(const double *a, size_t rows, size_t columns, double *squares)
{
    for (size_t i = 0; i < rows; i++) squares[i] = 0.0;
    for (size_t j = 0; j < columns; j++) {
        const double *column = a + j * rows;
        AT_ONCE
        for (size_t i = 0; i < rows; i++) squares[i] += column[i] * column[i];
    }
}

INLINE_BODY void add_powers_body(const double *z, size_t rows, column_pairs pairs, double *powers)
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

static void plain_row_squares(const double *a, size_t rows, size_t columns, double *squares)
{
    row_squares_body(a, rows, columns, squares);
}

static WIDE void wide_row_squares(const double *a, size_t rows, size_t columns, double *squares)
{
    row_squares_body(a, rows, columns, squares);
}

static void plain_add_powers(const double *z, size_t rows, column_pairs pairs, double *powers)
{
    add_powers_body(z, rows, pairs, powers);
}

static WIDE void wide_add_powers(const double *z, size_t rows, column_pairs pairs, double *powers)
{
    add_powers_body(z, rows, pairs, powers);
}

void stack_sums(const centered_view *x, const centered_view *y, column_pairs pairs, size_t rows,
                double *z, double *w, pause_function pause, stacked_sums sums)
{
    const size_t columns = x->d + y->d;
    const int wide = wide_vectors();
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = x->n - i < rows ? x->n - i : rows;
        double *y_part = z + now * x->d;
        load_rows(x, i, now, z);
        load_rows(y, i, now, y_part);
        (wide ? wide_row_squares : plain_row_squares)(z, now, x->d, w);
        (wide ? wide_row_squares : plain_row_squares)(y_part, now, y->d, w + now);
        for (size_t r = 0; r < now; r++) w[2 * now + r] = 1.0;
        blas_syrk_upper('T', columns, now, z, now, 1.0, sums.cross, columns);
        blas_gemm('T', 'N', columns, 3, now, 1.0, z, now, w, now, 1.0, sums.by_weight, columns);
        blas_gemm('T', 'N', 3, 3, now, 1.0, w, now, w, now, 1.0, sums.weights, 3);
        (wide ? wide_add_powers : plain_add_powers)(z, now, pairs, sums.powers);
        pause();
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

packed_totals sum_packed(const double *cross, size_t x_columns, size_t columns, double n,
                         const double *means)
{
    packed_totals totals = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (size_t j = 0; j < columns; j++) {
        const int in_y = j >= x_columns;
        const size_t first = in_y ? x_columns : 0;
        const double mean = means[j], n_mean = n * mean, centred = cross[j] - n_mean * mean;
        double squares = 0.0, inner = 0.0;
        if (in_y) {
            sum_entries(cross, x_columns, n_mean, mean, means, &totals.squares[1],
                        &totals.inner[1]);
        }
        sum_entries(cross + first, j - first, n_mean, mean, means + first, &squares, &inner);
        totals.squares[in_y ? 2 : 0] += 2.0 * squares + centred * centred;
        totals.inner[in_y ? 2 : 0] += 2.0 * inner + mean * cross[j] * mean;
        cross += j + 1;
    }
    return totals;
}
