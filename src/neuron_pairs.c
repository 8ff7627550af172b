/* The matrix of the terms of neuron pairs, and sums of it over subsets of the neurons. */

#include <string.h>
#include <limits.h>

#include "estimator.h"
#include "blas.h"
#include "entry.h"

/* One subset pair: sum of h over rows a and columns b (one-based, lengths na, nb). */
static double gather_sum(const double *h, size_t rows, const int *a, size_t na, const int *b,
                         size_t nb)
{
    double total = 0.0;
    for (size_t j = 0; j < nb; j++) {
        const double *column = h + ((size_t) b[j] - 1) * rows;
        double s0 = 0.0, s1 = 0.0;
        size_t i = 0;
        for (; i + 2 <= na; i += 2) {
            s0 += column[a[i] - 1];
            s1 += column[a[i + 1] - 1];
        }
        if (i < na) s0 += column[a[i] - 1];
        total += s0 + s1;
    }
    return total;
}

/* Matrix of subset membership (size x subsets) from members (m x subsets): in column r
   weight[r], or 1 without weights, for members of subset r, and 0 elsewhere. */
static void fill_indicator(const int *members, size_t m, size_t subsets, size_t size,
                           const double *weight, double *indicator)
{
    memset(indicator, 0, size * subsets * sizeof(double));
    for (size_t r = 0; r < subsets; r++)
        for (size_t i = 0; i < m; i++)
            indicator[(size_t) members[i + r * m] - 1 + r * size] = weight ? weight[r] : 1.0;
}

/* Subsets taken together in one matrix product. */
#define SUBSET_BLOCK 256

/* Subsets that are summed one by one between two pauses. */
#define PAUSE_SUBSETS 64

/* The squares of all entries, and their column sums. */
static const double *squares_of(const double *x, size_t n, size_t q, double *sums)
{
    double *squares = scratch(n * q);
    square_entries(x, n * q, squares);
    for (size_t a = 0; a < q; a++) sums[a] = sum_blocked(squares + a * n, n);
    return squares;
}

/* list(naive, stimulus): the terms (estimator.h) of every pair of a column of x and one of y, both
   centred, which may be the same. They come from c = x'y and h = (x o x)'(y o y), with s and t the
   sums of squares of the columns of x and y. */
SEXP repalign_pair_terms(SEXP x, SEXP y)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y);
    const two_estimates terms = new_estimates(qx, qy);
    PROTECT(terms.list);
    double *s = scratch(qx), *t = left == right ? s : scratch(qy);
    const double *x2 = squares_of(left, n, qx, s);
    double *c = terms.naive, *h = terms.corrected;
    if (left == right) {
        blas_syrk_upper('T', qx, n, left, n, 0.0, c, qx);
        check_interrupt();
        blas_syrk_upper('T', qx, n, x2, n, 0.0, h, qx);
        mirror_upper(c, qx);
        mirror_upper(h, qx);
    } else {
        const double *y2 = squares_of(right, n, qy, t);
        blas_gemm('T', 'N', qx, qy, n, 1.0, left, n, right, n, 0.0, c, qx);
        check_interrupt();
        blas_gemm('T', 'N', qx, qy, n, 1.0, x2, n, y2, n, 0.0, h, qx);
    }
    check_interrupt();
    const estimator naive = naive_estimator((double) n);
    const estimator corrected = corrected_estimator((double) n);
    for (size_t b = 0; b < qy; b++)
        for (size_t a = 0; a < qx; a++) {
            const size_t at = a + b * qx;
            const double c2 = c[at] * c[at];
            h[at] = estimate_linear(corrected, c2, h[at], s[a] * t[b]);
            c[at] = estimate(naive, c2, 0.0, 0.0);
        }
    UNPROTECT(1);
    return terms.list;
}

/* Subsets of rows and of columns, a subset a column: one-based members. */
typedef struct {
    const int *rows, *columns;
    size_t n_rows, n_columns, count;
} subset_pairs;

static subset_pairs read_subsets(SEXP a, size_t qx, SEXP b, size_t qy)
{
    if (!Rf_isMatrix(a)) argument_error("a", "be a matrix");
    if (!Rf_isMatrix(b) || matrix_columns(b) != matrix_columns(a))
        argument_error("b", "be a matrix with as many columns as `a`");
    const subset_pairs s = {read_index(ARG(a), qx), read_index(ARG(b), qy), matrix_rows(a),
                            matrix_rows(b), matrix_columns(a)};
    return s;
}

/* Sums of h over the pairs of a row subset (a) and a column subset (b); or, by_product, of h times
   the indicators of the column subsets the row subsets. */
SEXP repalign_subset_sums(SEXP h, SEXP a, SEXP b, SEXP by_product)
{
    const double *values = read_matrix(ARG(h));
    const size_t qx = matrix_rows(h), qy = matrix_columns(h);
    const subset_pairs s = read_subsets(a, qx, b, qy);
    const int product = read_flag(ARG(by_product)), first = 1;
    SEXP result = PROTECT(new_doubles(s.count));
    double *out = REAL(result);
    double *indicator = scratch(product ? qy * SUBSET_BLOCK : 0);
    double *image = scratch(product ? qx * SUBSET_BLOCK : 0);
    for (size_t r = 0; r < s.count; r++) {
        const int *rows = s.rows + r * s.n_rows, *columns = s.columns + r * s.n_columns;
        const size_t k = r % SUBSET_BLOCK, now = least(s.count - r, SUBSET_BLOCK);
        if (product && k == 0) {
            fill_indicator(columns, s.n_columns, now, qy, NULL, indicator);
            blas_gemm('N', 'N', qx, now, qy, 1.0, values, qx, indicator, qy, 0.0, image, qx);
        }
        out[r] = product ? gather_sum(image + k * qx, qx, rows, s.n_rows, &first, 1)
                         : gather_sum(values, qx, rows, s.n_rows, columns, s.n_columns);
        if (r % PAUSE_SUBSETS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}

/* Labels 0 .. groups - 1, one a row or column. */
static const int *read_labels(SEXP labels, const char *name, size_t length, size_t groups)
{
    if (!Rf_isInteger(labels) || (size_t) XLENGTH(labels) != length)
        argument_error(name, "hold %.0f integers", (double) length);
    for (size_t i = 0; i < length; i++)
        if (INTEGER(labels)[i] < 0 || (size_t) INTEGER(labels)[i] >= groups)
            argument_error(name, "hold integers from 0 to `n_labels` - 1");
    return INTEGER(labels);
}

/* list(sum, count): of the pairs of each two subsets whose labels are equal. */
SEXP repalign_excluded_sums(SEXP h, SEXP a, SEXP b, SEXP labels_x, SEXP labels_y, SEXP n_labels)
{
    const double *values = read_matrix(ARG(h));
    const size_t qx = matrix_rows(h), qy = matrix_columns(h);
    const subset_pairs s = read_subsets(a, qx, b, qy);
    const size_t groups = read_count(ARG(n_labels), 0, INT_MAX);
    const int *of_rows = read_labels(ARG(labels_x), qx, groups);
    const int *of_columns = read_labels(ARG(labels_y), qy, groups);
    SEXP result = PROTECT(NAMED_LIST("sum", "count"));
    double *sums = put_doubles(result, 0, s.count), *counts = put_doubles(result, 1, s.count);
    int *head = int_scratch(groups), *next = int_scratch(s.n_columns);
    for (size_t r = 0; r < s.count; r++) {
        const int *rows = s.rows + r * s.n_rows, *columns = s.columns + r * s.n_columns;
        double total = 0.0, number = 0.0;
        /* the columns of each label are linked */
        for (size_t g = 0; g < groups; g++) head[g] = -1;
        for (size_t j = 0; j < s.n_columns; j++) {
            const int g = of_columns[columns[j] - 1];
            next[j] = head[g];
            head[g] = (int) j;
        }
        for (size_t i = 0; i < s.n_rows; i++) {
            const size_t row = (size_t) rows[i] - 1;
            for (int j = head[of_rows[row]]; j >= 0; j = next[j]) {
                total += values[row + ((size_t) columns[j] - 1) * qx];
                number += 1.0;
            }
        }
        sums[r] = total;
        counts[r] = number;
        if (r % PAUSE_SUBSETS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}

/* Sum over subsets of weight times the product of the two indicators: a rows x columns matrix. */
SEXP repalign_subset_weights(SEXP a, SEXP b, SEXP weight, SEXP rows, SEXP columns)
{
    const size_t qx = read_count(ARG(rows), 0, INT_MAX), qy = read_count(ARG(columns), 0, INT_MAX);
    const subset_pairs s = read_subsets(a, qx, b, qy);
    const double *weights = read_doubles(ARG(weight), s.count);
    SEXP result = PROTECT(new_matrix(qx, qy));
    double *left = scratch(qx * SUBSET_BLOCK), *right = scratch(qy * SUBSET_BLOCK);
    for (size_t r = 0; r < s.count; r += SUBSET_BLOCK) {
        const size_t now = least(s.count - r, SUBSET_BLOCK);
        fill_indicator(s.rows + r * s.n_rows, s.n_rows, now, qx, weights + r, left);
        fill_indicator(s.columns + r * s.n_columns, s.n_columns, now, qy, NULL, right);
        blas_gemm('N', 'T', qx, qy, now, 1.0, left, qx, right, qy, r == 0 ? 0.0 : 1.0,
                  REAL(result), qx);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
