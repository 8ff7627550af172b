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

/* A mean is known to its last digit only: where it is large beside what is left of the column,
   the same rest stands in every row, and of columns that depend on each other it would be one
   more dimension. */
#define LARGE_MEAN 1e4

/* The chosen columns, times their factors, into out (n x count). */
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
        if (fabs(mean) * scale * factor[k] <= LARGE_MEAN) continue;
        double sum = 0.0;
        for (size_t i = 0; i < v->n; i++) sum += to[i];
        for (size_t i = 0; i < v->n; i++) to[i] -= sum / (double) v->n;
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

/* The triangle of a Gram matrix of columns times factor, in its place; returns about the condition
   number of the columns, or infinity where they may depend on each other. */
static double factor_gram(size_t d, double *gram, const double *factor)
{
    if (lapack_cholesky(d, gram) != 0) return INFINITY;
    const double estimate = lapack_upper_condition(d, gram);
    double low = factor[0], high = factor[0], *work = scratch(d);
    for (size_t j = 1; j < d; j++) {
        low = fmin(low, factor[j]);
        high = fmax(high, factor[j]);
    }
    if (!(estimate < TWO_PASSES && estimate * (high / low) < CERTAIN_RANK)) return INFINITY;
    if (estimate <= ONE_PASS) return estimate;
    /* how accurate a pass is goes by the spectral norm */
    return sqrt(largest_eigenvalue(blas_multiply_upper, "NT", gram, d, work) *
                largest_eigenvalue(blas_solve_upper, "TN", gram, d, work));
}

/* Singular values above this share of the largest count for the rank. */
#define RANK_LIMIT 1e-10

static size_t rank_of(const double *s, size_t k)
{
    size_t rank = 0;
    while (rank < k && s[rank] > RANK_LIMIT * s[0]) rank++;
    return rank;
}

/* Elements of the result of repalign_basis(). */
enum { BASIS, TRIANGLE, ROTATION, VALUES };

/* Basis by Cholesky factors of Gram matrices: fast, and used only where the estimate of the
   condition number leaves no doubt that the columns are independent and no digits are lost; else
   the result is 0. For n >= d; the basis times the triangle is the data without factors. */
static int fast_basis(const centered_view *v, const size_t *kept, const double *factor, size_t d,
                      SEXP result)
{
    const size_t n = v->n;
    double *a = put_matrix(result, BASIS, n, d), *triangle = put_matrix(result, TRIANGLE, d, d);
    double *work = scratch(d * d);
    load_nonzero(v, kept, factor, d, a);
    blas_syrk_upper('T', d, n, a, n, 0.0, triangle, d);
    check_interrupt();
    const double condition = factor_gram(d, triangle, factor);
    if (isinf(condition)) return 0;
    check_interrupt();
    blas_solve_right_upper(n, d, triangle, a);
    check_interrupt();
    if (!(condition <= ONE_PASS)) {
        blas_syrk_upper('T', d, n, a, n, 0.0, work, d);
        check_interrupt();
        /* a is orthonormal to about condition^2 rounding errors: this cannot fail */
        lapack_cholesky(d, work);
        blas_solve_right_upper(n, d, work, a);
        for (size_t j = 0; j < d; j++)
            memset(triangle + j * d + j + 1, 0, (d - j - 1) * sizeof(double));
        blas_multiply_left_upper('N', d, d, work, triangle);
        check_interrupt();
    }
    memcpy(work, triangle, d * d * sizeof(double));
    copy_upper(work, d, d, factor, triangle);
    return 1;
}

/* n >= d, any rank: Householder QR, then the decomposition of its triangle. With full rank
   the basis is Q itself, which does not depend on the sizes of columns; else Q times the
   left singular vectors. a: n x d, columns times factor; destroyed. */
static void tall_basis(double *a, size_t n, size_t d, const double *factor, SEXP result)
{
    double *tau = scratch(d), *s = scratch(d), *u = scratch(d * d), *triangle = scratch(d * d);
    lapack_qr(n, d, a, tau);
    check_interrupt();
    copy_upper(a, n, d, factor, triangle);
    decompose(1, d, d, triangle, s, u, scratch(d * d), &(int) {0});
    const size_t rank = rank_of(s, d);
    double *q = put_matrix(result, BASIS, n, rank);
    if (rank == d) {
        memcpy(q, a, n * d * sizeof(double));
        lapack_form_q(n, d, q, tau);
        memcpy(put_matrix(result, TRIANGLE, d, d), triangle, d * d * sizeof(double));
        memcpy(put_matrix(result, ROTATION, d, d), u, d * d * sizeof(double));
    } else {
        memset(q, 0, n * rank * sizeof(double));
        for (size_t j = 0; j < rank; j++) memcpy(q + j * n, u + j * d, d * sizeof(double));
        lapack_apply_q(n, rank, d, a, tau, q);
    }
    memcpy(put_doubles(result, VALUES, rank), s, rank * sizeof(double));
}

/* d > n: the same through the transpose; the left singular vectors are the basis. */
static void wide_basis(const double *a, size_t n, size_t d, SEXP result)
{
    double *turned = scratch(d * n), *tau = scratch(n), *s = scratch(n), *u = scratch(n * n);
    transpose(a, n, d, turned);
    lapack_qr(d, n, turned, tau);
    check_interrupt();
    double *ones = scratch(n), *upper = scratch(n * n), *lower = scratch(n * n);
    for (size_t j = 0; j < n; j++) ones[j] = 1.0;
    copy_upper(turned, d, n, ones, upper);
    transpose(upper, n, n, lower);
    decompose(1, n, n, lower, s, u, upper, &(int) {0});
    const size_t rank = rank_of(s, n);
    memcpy(put_matrix(result, BASIS, n, rank), u, n * rank * sizeof(double));
    memcpy(put_doubles(result, VALUES, rank), s, rank * sizeof(double));
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
    /* Columns that are not all zero, with a power of two each that brings its norm into [1/2, 1):
       the space does not depend on the sizes of columns, its accuracy should not either. */
    size_t *kept = size_scratch(v.d), d = 0;
    double *factor = scratch(v.d);
    for (size_t j = 0; j < v.d; j++) {
        const double squares = squares_of_column(&v, j);
        if (squares == 0.0) continue; /* or so small that it underflows: far below the rank limit */
        kept[d] = j;
        factor[d++] = power_near_one(sqrt(squares));
    }
    if (d == 0) argument_error("x", "not be constant");
    SEXP result = PROTECT(NAMED_LIST("q", "triangle", "rotation", "s"));
    if (only_fast) {
        if (d > v.n || !fast_basis(&v, kept, factor, d, result)) result = R_NilValue;
    } else {
        double *a = scratch(v.n * d);
        /* sizes count for singular vectors */
        for (size_t k = 0; d > v.n && k < d; k++) factor[k] = 1.0;
        load_nonzero(&v, kept, factor, d, a);
        if (d > v.n) wide_basis(a, v.n, d, result);
        else tall_basis(a, v.n, d, factor, result);
    }
    UNPROTECT(1);
    return result;
}

/* The triangle that repalign_basis() gives by the fast route, without the basis, which takes half
   of the time; NULL where the columns are dependent or not far from it. */
SEXP repalign_gram_triangle(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const size_t d = v.d, rows = chunk_rows(v.n, d);
    if (d > v.n) return R_NilValue;
    double *block = scratch(rows * d), *factor = scratch(d);
    double *gram = zeroed_bytes(d * d * sizeof(double));
    for (size_t i = 0; i < v.n; i += rows) {
        const size_t now = least(v.n - i, rows);
        load_rows(&v, i, now, block);
        blas_syrk_upper('T', d, now, block, now, 1.0, gram, d);
        check_interrupt();
    }
    for (size_t j = 0; j < d; j++) {
        const double squares = gram[j + j * d];
        if (squares == 0.0) return R_NilValue;
        factor[j] = power_near_one(sqrt(squares));
        if (fabs(v.mean[j]) * v.inverse_scale * factor[j] > LARGE_MEAN) return R_NilValue;
        for (size_t i = 0; i <= j; i++) gram[i + j * d] *= factor[i] * factor[j];
    }
    if (!(factor_gram(d, gram, factor) <= GRAM_CONDITION)) return R_NilValue;
    SEXP result = new_matrix(d, d);
    copy_upper(gram, d, d, factor, REAL(result));
    return result;
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
    blas_solve_left_upper(vx.d, vy.d, left, cross);
    blas_solve_right_upper(vx.d, vy.d, right, cross);
    return Rf_ScalarReal(dot_blocked(cross, cross, vx.d * vy.d));
}

/* A lower triangle l (n x n) with l l' = x x' of the centred x, for at least as many columns as
   rows: x' = QR, l = R'. */
SEXP repalign_row_factor(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const size_t n = v.n, d = v.d, tile = 32;
    if (d < n) argument_error("x", "have at least as many columns as rows");
    SEXP result = PROTECT(new_matrix(n, n));
    double *turned = scratch(n * d); /* the centred x, a row after the other */
    for (size_t jb = 0; jb < d; jb += tile) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = jb; j < d && j < jb + tile; j++)
                turned[j + i * d] = (v.x[i + j * n] - v.mean[j]) * v.inverse_scale;
        check_interrupt();
    }
    lapack_qr(d, n, turned, scratch(n));
    check_interrupt();
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            REAL(result)[i + j * n] = i < j ? 0.0 : turned[j + i * d];
    UNPROTECT(1);
    return result;
}
