/* Entry points of orthonormal bases. */

#include "basis.h"

#include <string.h>

#include "entry.h"
#include "lapack.h"
#include "linear.h"

/* Singular values above this share of the largest count for the rank. */
#define RANK_LIMIT 1e-10

static size_t rank_of(const double *s, size_t k)
{
    size_t rank = 0;
    while (rank < k && s[rank] > RANK_LIMIT * s[0]) rank++;
    return rank;
}

/* Singular values s, left vectors u and transposed right ones vt of a square matrix. */
static void decompose(const double *a, size_t k, double *s, double *u, double *vt)
{
    const int info = lapack_svd(1, k, k, a, s, u, vt, new_svd_scratch(1, k, k));
    if (info != 0) entry_error("the singular value decomposition failed (%d)", info);
    check_interrupt();
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
    decompose(triangle, d, s, u, scratch(d * d));
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
    decompose(lower, n, s, u, upper);
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
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    const int only_fast = read_flag(ARG(fast));
    size_t *kept = size_scratch(v.d);
    double *factor = scratch(v.d);
    const size_t d = nonzero_columns(&v, kept, factor);
    if (d == 0) argument_error("x", "not be constant");
    const char *names[] = {"q", "triangle", "rotation", "s", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    if (!only_fast) exact_basis(&v, kept, factor, d, result);
    else if (d > v.n || !fast_basis(&v, kept, factor, d, result)) result = R_NilValue;
    UNPROTECT(1);
    return result;
}

/* The triangle that repalign_basis() gives by the fast route, without the basis; NULL where the
   columns are dependent or not far from it. */
SEXP repalign_gram_triangle(SEXP x, SEXP means, SEXP scale)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    if (v.d > v.n) return R_NilValue;
    const size_t rows = chunk_rows(v.n, v.d);
    SEXP result = PROTECT(new_matrix(v.d, v.d));
    const int serves = gram_triangle(&v, rows, scratch(rows * v.d), scratch(v.d), REAL(result),
                                     scratch(v.d * v.d), scratch(v.d * v.d), check_interrupt);
    UNPROTECT(1);
    return serves ? result : R_NilValue;
}

/* The sum of the squared inner products of two bases, from the triangles of both sides. */
SEXP repalign_triangle_overlap(SEXP x, SEXP x_means, SEXP x_scale, SEXP x_triangle, SEXP y,
                               SEXP y_means, SEXP y_scale, SEXP y_triangle)
{
    begin_entry(__func__);
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
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    if (v.d < v.n) argument_error("x", "have at least as many columns as rows");
    const size_t length = lapack_qr_work(v.d, v.n);
    SEXP result = PROTECT(new_matrix(v.n, v.n));
    row_factor(&v, scratch(v.n * v.d), scratch(v.n), scratch(length), length, check_interrupt,
               REAL(result));
    UNPROTECT(1);
    return result;
}
