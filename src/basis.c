/* Orthonormal bases of the space that the columns of a matrix span, and a small factor of its
   inner products of rows. */

#include <math.h>
#include <string.h>

#include "blas.h"
#include "entry.h"
#include "linear.h"

/* One pass loses about condition^2 digits' worth of orthogonality, two lose none up to
   about 1e7; the rank needs the condition of the columns at their own sizes below 1e10. LAPACK's
   estimate of the condition number is mostly above it, and seldom less than a tenth of it. */
#define ONE_PASS 64.0
#define TWO_PASSES 1e5
#define CERTAIN_RANK 1e8

/* Products of columns that were whitened without a basis lose the digits of this number squared. */
#define GRAM_CONDITION 256.0

/* Columns that are not all zero, with a power of two each that brings its norm into
   [1/2, 1): the space does not depend on the sizes of columns, its accuracy should not
   either. Gives their number; kept and factor have room for v->d. */
static size_t nonzero_columns(const centered_view *v, size_t *kept, double *factor)
{
    size_t count = 0;
    for (size_t j = 0; j < v->d; j++) {
        const double squares = squares_of_column(v, j);
        if (squares == 0.0) continue; /* or so small that it underflows: far below the rank limit */
        kept[count] = j;
        factor[count++] = power_near_one(sqrt(squares));
    }
    return count;
}

/* A mean is known to its last digit only: where it is large beside what is left of the column,
   the same rest stands in every row, and of columns that depend on each other it would be one
   more dimension. */
#define LARGE_MEAN 1e4

static void take_off_mean(double *column, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += column[i];
    const double mean = sum / (double) n;
    for (size_t i = 0; i < n; i++) column[i] -= mean;
}

/* Those columns, times their factors, into out (n x count). */
static void load_nonzero(const centered_view *v, const size_t *kept, const double *factor,
                         size_t count, double *out)
{
    for (size_t k = 0; k < count; k++) {
        const double *from = v->x + kept[k] * v->n;
        double *to = out + k * v->n;
        const double mean = v->mean[kept[k]], scale = v->inverse_scale;
        /* one after the other: the product of both factors may overflow */
        center_column(from, v->n, mean, scale, to);
        center_column(to, v->n, 0.0, factor[k], to);
        if (fabs(mean) * scale * factor[k] > LARGE_MEAN) take_off_mean(to, v->n);
    }
}

/* out (d x d, zero below) = upper triangle of a (leading dimension lda), column j over
   factor[j]. */
static void copy_upper(const double *a, size_t lda, size_t d, const double *factor, double *out)
{
    for (size_t j = 0; j < d; j++) {
        memset(out + j * d, 0, d * sizeof(double));
        for (size_t i = 0; i <= j; i++) out[i + j * d] = a[i + j * lda] / factor[j];
    }
}

static void clear_below(double *a, size_t d)
{
    for (size_t j = 0; j < d; j++) memset(a + j * d + j + 1, 0, (d - j - 1) * sizeof(double));
}

/* Steps of the power method. */
#define POWER_STEPS 12

typedef void (*vector_product)(char, size_t, const double *, double *);

/* The largest eigenvalue of r'r of an upper triangle from below, mostly to some percent; or, where
   a product is the solution, that of its inverse. v: d. */
static double largest_eigenvalue(vector_product multiply, const char order[2], const double *r,
                                 size_t d, double *v)
{
    double largest = 0.0, size = 0.0;
    for (size_t i = 0; i < d; i++) v[i] = (double) (i * 7919 % 1009) / 504.0 - 1.0;
    for (int step = 0; step <= POWER_STEPS; step++) {
        if (step > 0) {
            multiply(order[0], d, r, v);
            multiply(order[1], d, r, v);
        }
        size = sqrt(dot_blocked(v, v, d));
        if (step > 0 && size > largest) largest = size;
        for (size_t i = 0; i < d; i++) v[i] /= size;
    }
    return largest;
}

static double range_ratio(const double *factor, size_t d)
{
    double low = factor[0], high = factor[0];
    for (size_t j = 1; j < d; j++) {
        if (factor[j] < low) low = factor[j];
        if (factor[j] > high) high = factor[j];
    }
    return high / low;
}

/* The triangle of a Gram matrix of columns times factor, in its place; returns about the condition
   number of the columns, or infinity where they may depend on each other. factor belongs to the
   columns as for nonzero_columns(). */
static double factor_gram(size_t d, double *gram, const double *factor)
{
    if (lapack_cholesky(d, gram) != 0) return INFINITY;
    double *work = scratch(3 * d);
    const double estimate = lapack_upper_condition(d, gram, work, int_scratch(d));
    if (!(estimate < TWO_PASSES && estimate * range_ratio(factor, d) < CERTAIN_RANK))
        return INFINITY;
    if (estimate <= ONE_PASS) return estimate;
    /* how accurate a pass is goes by the spectral norm */
    return sqrt(largest_eigenvalue(blas_multiply_upper, "NT", gram, d, work) *
                largest_eigenvalue(blas_solve_upper, "TN", gram, d, work));
}

/* Basis by Cholesky factors of Gram matrices: fast, and used only where the estimate of the
   condition number leaves no doubt that the columns are independent and no digits are lost.
   a (n x d, n >= d; columns times factor): becomes the basis, or stays as it is when the
   result is 0; triangle (d x d): upper, basis times triangle is a without the factors.
   work1, work2: d x d each. */
static int cholesky_basis(size_t n, size_t d, double *a, const double *factor, double *triangle,
                          double *work1, double *work2, pause_function pause)
{
    blas_syrk_upper('T', d, n, a, n, 0.0, triangle, d);
    pause();
    const double condition = factor_gram(d, triangle, factor);
    if (isinf(condition)) return 0;
    pause();
    blas_solve_right_upper(n, d, triangle, a);
    pause();
    if (!(condition <= ONE_PASS)) {
        blas_syrk_upper('T', d, n, a, n, 0.0, work1, d);
        pause();
        /* a is orthonormal to about condition^2 rounding errors: this cannot fail */
        lapack_cholesky(d, work1);
        blas_solve_right_upper(n, d, work1, a);
        clear_below(triangle, d);
        blas_multiply_left_upper('N', d, d, work1, triangle);
        pause();
    }
    memcpy(work2, triangle, d * d * sizeof(double));
    copy_upper(work2, d, d, factor, triangle);
    return 1;
}

/* factor = of each column, from the diagonal of the Gram matrix, which is multiplied by them.
   Returns 0 where a column is zero or its mean too large, see take_off_mean(). */
static int scale_gram(const centered_view *v, double *gram, double *factor)
{
    const size_t d = v->d;
    for (size_t j = 0; j < d; j++) {
        const double squares = gram[j + j * d];
        if (squares == 0.0) return 0;
        factor[j] = power_near_one(sqrt(squares));
        if (fabs(v->mean[j]) * v->inverse_scale * factor[j] > LARGE_MEAN) return 0;
        for (size_t i = 0; i <= j; i++) gram[i + j * d] *= factor[i] * factor[j];
    }
    return 1;
}

/* The same triangle of all columns of v, without the basis, which takes half of the time; only
   where the columns are independent beyond doubt and far from dependent, else the result is 0.
   block: rows x d; factor: d; triangle, gram: d x d each. */
static int gram_triangle(const centered_view *v, size_t rows, double *block, double *factor,
                         double *triangle, double *gram, pause_function pause)
{
    const size_t d = v->d;
    memset(gram, 0, d * d * sizeof(double));
    for (size_t i = 0; i < v->n; i += rows) {
        const size_t now = v->n - i < rows ? v->n - i : rows;
        load_rows(v, i, now, block);
        blas_syrk_upper('T', d, now, block, now, 1.0, gram, d);
        pause();
    }
    if (!scale_gram(v, gram, factor)) return 0;
    if (!(factor_gram(d, gram, factor) <= GRAM_CONDITION)) return 0;
    copy_upper(gram, d, d, factor, triangle);
    return 1;
}

/* The inner products of two bases, from those of the columns (cross, m x n) and the triangles of
   both sides. */
static void whiten(double *cross, size_t m, size_t n, const double *left, const double *right)
{
    blas_solve_left_upper(m, n, left, cross);
    blas_solve_right_upper(m, n, right, cross);
}

/* The centred x, a row after the other: out is d x n. */
static void load_transposed(const centered_view *v, double *out, pause_function pause)
{
    const size_t tile = 32;
    for (size_t jb = 0; jb < v->d; jb += tile) {
        for (size_t i = 0; i < v->n; i++)
            for (size_t j = jb; j < v->d && j < jb + tile; j++)
                out[j + i * v->d] = (v->x[i + j * v->n] - v->mean[j]) * v->inverse_scale;
        pause();
    }
}

/* l (n x n, lower) with l l' = x x', for at least as many columns as rows: x' = QR, l = R'.
   turned: scratch d x n; tau: n; work: lapack_qr_work(d, n). */
static void row_factor(const centered_view *v, double *turned, double *tau, double *work,
                       size_t work_length, pause_function pause, double *l)
{
    const size_t n = v->n, d = v->d;
    load_transposed(v, turned, pause);
    lapack_qr(d, n, turned, tau, work, work_length);
    pause();
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) l[i + j * n] = i < j ? 0.0 : turned[j + i * d];
}

/* Singular values above this share of the largest count for the rank. */
#define RANK_LIMIT 1e-10

static size_t rank_of(const double *s, size_t k)
{
    size_t rank = 0;
    while (rank < k && s[rank] > RANK_LIMIT * s[0]) rank++;
    return rank;
}

static void factor_qr(double *a, size_t m, size_t n, double *tau)
{
    const size_t length = lapack_qr_work(m, n);
    lapack_qr(m, n, a, tau, scratch(length), length);
    check_interrupt();
}

/* Elements of the result of repalign_basis(). */
enum { BASIS, TRIANGLE, ROTATION, VALUES };

/* n >= d, any rank: Householder QR, then the decomposition of its triangle. With full rank
   the basis is Q itself, which does not depend on the sizes of columns; else Q times the
   left singular vectors. a: n x d, columns times factor; destroyed. */
static void tall_basis(double *a, size_t n, size_t d, const double *factor, SEXP result)
{
    double *tau = scratch(d), *s = scratch(d), *u = scratch(d * d), *triangle = scratch(d * d);
    factor_qr(a, n, d, tau);
    copy_upper(a, n, d, factor, triangle);
    decompose(1, d, d, triangle, s, u, scratch(d * d));
    const size_t rank = rank_of(s, d);
    double *q = put_matrix(result, BASIS, n, rank);
    if (rank == d) {
        memcpy(q, a, n * d * sizeof(double));
        const size_t length = lapack_form_q_work(n, d);
        lapack_form_q(n, d, q, tau, scratch(length), length);
        memcpy(put_matrix(result, TRIANGLE, d, d), triangle, d * d * sizeof(double));
        memcpy(put_matrix(result, ROTATION, d, d), u, d * d * sizeof(double));
    } else {
        memset(q, 0, n * rank * sizeof(double));
        for (size_t j = 0; j < rank; j++) memcpy(q + j * n, u + j * d, d * sizeof(double));
        const size_t length = lapack_apply_q_work(n, rank, d);
        lapack_apply_q(n, rank, d, a, tau, q, scratch(length), length);
    }
    memcpy(put_doubles(result, VALUES, rank), s, rank * sizeof(double));
}

/* d > n: the same through the transpose; the left singular vectors are the basis. */
static void wide_basis(const double *a, size_t n, size_t d, SEXP result)
{
    double *turned = scratch(d * n), *tau = scratch(n), *s = scratch(n), *u = scratch(n * n);
    transpose(a, n, d, turned);
    factor_qr(turned, d, n, tau);
    double *ones = scratch(n), *upper = scratch(n * n), *lower = scratch(n * n);
    for (size_t j = 0; j < n; j++) ones[j] = 1.0;
    copy_upper(turned, d, n, ones, upper);
    transpose(upper, n, n, lower);
    decompose(1, n, n, lower, s, u, upper);
    const size_t rank = rank_of(s, n);
    memcpy(put_matrix(result, BASIS, n, rank), u, n * rank * sizeof(double));
    memcpy(put_doubles(result, VALUES, rank), s, rank * sizeof(double));
}

/* Does the fast route serve? Then it fills in the basis and the triangle. */
static int fast_basis(const centered_view *v, const size_t *kept, const double *factor, size_t d,
                      SEXP result)
{
    double *q = put_matrix(result, BASIS, v->n, d), *triangle = put_matrix(result, TRIANGLE, d, d);
    load_nonzero(v, kept, factor, d, q);
    return cholesky_basis(v->n, d, q, factor, triangle, scratch(d * d), scratch(d * d),
                          check_interrupt);
}

static void exact_basis(const centered_view *v, const size_t *kept, double *factor, size_t d,
                        SEXP result)
{
    double *a = scratch(v->n * d);
    if (d > v->n) {
        for (size_t k = 0; k < d; k++) factor[k] = 1.0; /* sizes count for singular vectors */
        load_nonzero(v, kept, factor, d, a);
        wide_basis(a, v->n, d, result);
    } else {
        load_nonzero(v, kept, factor, d, a);
        tall_basis(a, v->n, d, factor, result);
    }
}

/* list(q, triangle, rotation, s): an orthonormal basis q (n x rank) of the columns of the centred
   x; singular values s and, where q is not made of left singular vectors, q triangle = the data
   without their zero columns, and q rotation = left singular vectors. The fast route leaves out s
   and rotation: the singular values of triangle are those of x. fast: by that route or not at all
   (NULL where it does not serve). */
SEXP repalign_basis(SEXP x, SEXP means, SEXP scale, SEXP fast)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const int only_fast = read_flag(ARG(fast));
    size_t *kept = size_scratch(v.d);
    double *factor = scratch(v.d);
    const size_t d = nonzero_columns(&v, kept, factor);
    if (d == 0) argument_error("x", "not be constant");
    SEXP result = PROTECT(NAMED_LIST("q", "triangle", "rotation", "s"));
    if (!only_fast) exact_basis(&v, kept, factor, d, result);
    else if (d > v.n || !fast_basis(&v, kept, factor, d, result)) result = R_NilValue;
    UNPROTECT(1);
    return result;
}

/* The triangle that repalign_basis() gives by the fast route, without the basis; NULL where the
   columns are dependent or not far from it. */
SEXP repalign_gram_triangle(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    if (v.d > v.n) return R_NilValue;
    const size_t rows = chunk_rows(v.n, v.d);
    SEXP result = PROTECT(new_matrix(v.d, v.d));
    const int serves = gram_triangle(&v, rows, scratch(rows * v.d), scratch(v.d), REAL(result),
                                     scratch(v.d * v.d), check_interrupt);
    UNPROTECT(1);
    return serves ? result : R_NilValue;
}

/* The sum of the squared inner products of two bases, from the triangles of both sides. */
SEXP repalign_triangle_overlap(SEXP x, SEXP x_means, SEXP x_scale, SEXP x_triangle, SEXP y,
                               SEXP y_means, SEXP y_scale, SEXP y_triangle)
{
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const double *left = read_matrix_size(ARG(x_triangle), vx.d, vx.d);
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    read_matrix_rows(ARG(y), vx.n);
    const double *right = read_matrix_size(ARG(y_triangle), vy.d, vy.d);
    const size_t rows = chunk_rows(vx.n, vx.d > vy.d ? vx.d : vy.d);
    double *cross = scratch(vx.d * vy.d);
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt,
                 cross);
    whiten(cross, vx.d, vy.d, left, right);
    return Rf_ScalarReal(dot_blocked(cross, cross, vx.d * vy.d));
}

/* A lower triangle l (n x n) with l l' = x x' of the centred x: see row_factor(). */
SEXP repalign_row_factor(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    if (v.d < v.n) argument_error("x", "have at least as many columns as rows");
    const size_t length = lapack_qr_work(v.d, v.n);
    SEXP result = PROTECT(new_matrix(v.n, v.n));
    row_factor(&v, scratch(v.n * v.d), scratch(v.n), scratch(length), length, check_interrupt,
               REAL(result));
    UNPROTECT(1);
    return result;
}
