/* The matrix of the terms of neuron pairs, and sums of it over subsets of the neurons. */

#include <string.h>
#include <limits.h>

#include "estimator.h"
#include "blas.h"
#include "entry.h"

/* In: c = x'y and h = (x o x)'(y o y), qx x qy, with s and t the sums of squares of the
   columns of x and y. Out: c holds the naive terms, h the corrected ones (estimator.h). */
static void finish_pair_terms(double *c, double *h, const double *s, const double *t, size_t qx,
                              size_t qy, size_t n)
{
    const estimator naive = naive_estimator((double) n);
    const estimator corrected = corrected_estimator((double) n);
    for (size_t b = 0; b < qy; b++) {
        for (size_t a = 0; a < qx; a++) {
            const size_t at = a + b * qx;
            const double c2 = c[at] * c[at];
            h[at] = estimate_linear(corrected, c2, h[at], s[a] * t[b]);
            c[at] = estimate(naive, c2, 0.0, 0.0);
        }
    }
}

/* One subset pair: sum of h over rows a and columns b (one-based, lengths na, nb). */
static double gather_sum(const double *h, size_t rows, const int *a, size_t na, const int *b, size_t nb)
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

/* Sum and count of h over pairs with equal labels (0 .. n_labels - 1).
   head (n_labels) and next (nb) are scratch. */
static void equal_label_sum(const double *h, size_t rows, const int *a, size_t na, const int *b,
                            size_t nb, const int *labels_x, const int *labels_y, size_t n_labels,
                            int *head, int *next, double *sum, double *count)
{
    double total = 0.0, pairs = 0.0;
    for (size_t g = 0; g < n_labels; g++) head[g] = -1;
    for (size_t j = 0; j < nb; j++) {
        const int g = labels_y[b[j] - 1];
        next[j] = head[g];
        head[g] = (int) j;
    }
    for (size_t i = 0; i < na; i++) {
        const size_t row = (size_t) a[i] - 1;
        for (int j = head[labels_x[row]]; j >= 0; j = next[j]) {
            total += h[row + ((size_t) b[j] - 1) * rows];
            pairs += 1.0;
        }
    }
    *sum = total;
    *count = pairs;
}

/* Subsets taken together in one matrix product. */
#define SUBSET_BLOCK 256

/* Subsets that are summed one by one between two pauses. */
#define PAUSE_SUBSETS 64

/* x'y and (x o x)'(y o y) of centred x and y, which may be the same. */
static void pair_products(const double *x, size_t qx, const double *y, size_t qy, size_t n,
                          const double *x2, const double *y2, double *c, double *h)
{
    if (x == y) {
        blas_syrk_upper('T', qx, n, x, n, 0.0, c, qx);
        check_interrupt();
        blas_syrk_upper('T', qx, n, x2, n, 0.0, h, qx);
        mirror_upper(c, qx);
        mirror_upper(h, qx);
    } else {
        blas_gemm('T', 'N', qx, qy, n, 1.0, x, n, y, n, 0.0, c, qx);
        check_interrupt();
        blas_gemm('T', 'N', qx, qy, n, 1.0, x2, n, y2, n, 0.0, h, qx);
    }
    check_interrupt();
}

/* The squares of all entries, and their column sums. */
static const double *squares_of(const double *x, size_t n, size_t q, double *sums)
{
    double *squares = scratch(n * q);
    square_entries(x, n * q, squares);
    for (size_t a = 0; a < q; a++) sums[a] = sum_blocked(squares + a * n, n);
    return squares;
}

/* list(naive, stimulus): the terms of every pair of a column of x and one of y, both centred. */
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
    const double *y2 = left == right ? x2 : squares_of(right, n, qy, t);
    pair_products(left, qx, right, qy, n, x2, y2, terms.naive, terms.corrected);
    finish_pair_terms(terms.naive, terms.corrected, s, t, qx, qy, n);
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

static size_t block_size(size_t done, size_t all)
{
    return all - done < SUBSET_BLOCK ? all - done : SUBSET_BLOCK;
}

/* h (qx x qy) times the indicators of the column subsets, then the row subsets of that. */
static void sums_by_product(const double *h, size_t qx, size_t qy, subset_pairs s, double *out)
{
    double *indicator = scratch(qy * SUBSET_BLOCK), *image = scratch(qx * SUBSET_BLOCK);
    const int first = 1;
    for (size_t r = 0; r < s.count; r += SUBSET_BLOCK) {
        const size_t now = block_size(r, s.count);
        fill_indicator(s.columns + r * s.n_columns, s.n_columns, now, qy, NULL, indicator);
        blas_gemm('N', 'N', qx, now, qy, 1.0, h, qx, indicator, qy, 0.0, image, qx);
        for (size_t k = 0; k < now; k++)
            out[r + k] = gather_sum(image + k * qx, qx, s.rows + (r + k) * s.n_rows, s.n_rows,
                                    &first, 1);
        check_interrupt();
    }
}

static void sums_by_gathering(const double *h, size_t qx, subset_pairs s, double *out)
{
    for (size_t r = 0; r < s.count; r++) {
        out[r] = gather_sum(h, qx, s.rows + r * s.n_rows, s.n_rows, s.columns + r * s.n_columns,
                            s.n_columns);
        if (r % PAUSE_SUBSETS == 0) check_interrupt();
    }
}

/* Sums of h over the pairs of a row subset (a) and a column subset (b). */
SEXP repalign_subset_sums(SEXP h, SEXP a, SEXP b, SEXP by_product)
{
    const double *values = read_matrix(ARG(h));
    const size_t qx = matrix_rows(h), qy = matrix_columns(h);
    const subset_pairs s = read_subsets(a, qx, b, qy);
    SEXP result = PROTECT(new_doubles(s.count));
    if (read_flag(ARG(by_product))) sums_by_product(values, qx, qy, s, REAL(result));
    else sums_by_gathering(values, qx, s, REAL(result));
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
        equal_label_sum(values, qx, s.rows + r * s.n_rows, s.n_rows, s.columns + r * s.n_columns,
                        s.n_columns, of_rows, of_columns, groups, head, next, sums + r, counts + r);
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
        const size_t now = block_size(r, s.count);
        fill_indicator(s.rows + r * s.n_rows, s.n_rows, now, qx, weights + r, left);
        fill_indicator(s.columns + r * s.n_columns, s.n_columns, now, qy, NULL, right);
        blas_gemm('N', 'T', qx, qy, now, 1.0, left, qx, right, qy, r == 0 ? 0.0 : 1.0,
                  REAL(result), qx);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
