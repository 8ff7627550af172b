/* Entry points of decompositions. */

#include "basis.h"
#include "call_checks.h"
#include "lapack.h"

#include <string.h>

/* Singular values above this share of the largest count for the rank. */
#define RANK_LIMIT 1e-10

/* Divide and conquer wants several k x k of scratch, counted in a BLAS integer. */
#define LARGEST_DIVIDED 20000

/* LAPACK's info of divide and conquer on a (m x n, destroyed); k is the smaller side. */
static int divide_and_conquer(int vectors, size_t m, size_t n, size_t k, double *a, double *s,
                              double *u, double *vt)
{
    if (k > LARGEST_DIVIDED) return 1;
    int *iwork = (int *) R_alloc(8 * k + 1, sizeof(int));
    const size_t length = lapack_svd_work(vectors, m, n);
    return lapack_svd(vectors, m, n, a, s, u, vt, scratch(length), length, iwork);
}

/* a: m x n; u, vt: NULL for values only. */
static void decompose(const double *a, size_t m, size_t n, double *s, double *u, double *vt)
{
    const size_t k = m < n ? m : n;
    const int vectors = u != NULL;
    double unused = 0.0;
    if (!vectors) u = vt = &unused;
    double *copy = scratch(m * n);
    memcpy(copy, a, m * n * sizeof(double));
    int info = divide_and_conquer(vectors, m, n, k, copy, s, u, vt);
    if (info != 0) { /* it fails for the rare matrix; plain QR iterations are slower and surer */
        memcpy(copy, a, m * n * sizeof(double));
        const size_t length = lapack_svd_qr_work(vectors, m, n);
        info = lapack_svd_qr(vectors, m, n, copy, s, u, vt, scratch(length), length);
    }
    if (info != 0) Rf_error("internal: the singular value decomposition failed (%d)", info);
    check_interrupt();
}

static size_t smaller_side(SEXP a)
{
    require_matrix(a, "a");
    const size_t m = matrix_rows(a), n = matrix_columns(a);
    return m < n ? m : n;
}

/* Decreasing singular values. */
SEXP repalign_singular_values(SEXP a)
{
    const size_t k = smaller_side(a);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) k));
    if (k > 0) decompose(REAL(a), matrix_rows(a), matrix_columns(a), REAL(result), NULL, NULL);
    UNPROTECT(1);
    return result;
}

/* Thin decomposition a = u diag(d) v'. */
SEXP repalign_svd(SEXP a)
{
    const size_t k = smaller_side(a), m = matrix_rows(a), n = matrix_columns(a);
    const char *names[] = {"u", "d", "v", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) m, (int) k));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) k));
    SET_VECTOR_ELT(result, 2, Rf_allocMatrix(REALSXP, (int) n, (int) k));
    if (k > 0) {
        double *vt = scratch(k * n);
        decompose(REAL(a), m, n, REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 0)), vt);
        transpose(vt, k, n, REAL(VECTOR_ELT(result, 2)));
    }
    UNPROTECT(1);
    return result;
}

static size_t rank_of(const double *s, size_t k)
{
    size_t rank = 0;
    while (rank < k && s[rank] > RANK_LIMIT * s[0]) rank++;
    return rank;
}

static SEXP copied(const double *values, size_t length)
{
    SEXP result = Rf_allocVector(REALSXP, (R_xlen_t) length);
    memcpy(REAL(result), values, length * sizeof(double));
    return result;
}

/* The first columns of u. */
static SEXP copied_columns(const double *u, size_t rows, size_t columns)
{
    SEXP result = Rf_allocMatrix(REALSXP, (int) rows, (int) columns);
    memcpy(REAL(result), u, rows * columns * sizeof(double));
    return result;
}

static void factor_qr(double *a, size_t m, size_t n, double *tau)
{
    const size_t length = lapack_qr_work(m, n);
    lapack_qr(m, n, a, tau, scratch(length), length);
    check_interrupt();
}

/* n >= d, any rank: Householder QR, then the decomposition of its triangle. With full rank
   the basis is Q itself, which does not depend on the sizes of columns; else Q times the
   left singular vectors. a: n x d, columns times factor; destroyed. */
static void tall_basis(double *a, size_t n, size_t d, const double *factor, SEXP result)
{
    double *tau = scratch(d), *s = scratch(d), *u = scratch(d * d);
    factor_qr(a, n, d, tau);
    SEXP triangle = PROTECT(Rf_allocMatrix(REALSXP, (int) d, (int) d));
    copy_upper(a, n, d, factor, REAL(triangle));
    decompose(REAL(triangle), d, d, s, u, scratch(d * d));
    const size_t rank = rank_of(s, d);
    SEXP q = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) rank));
    if (rank == d) {
        memcpy(REAL(q), a, n * d * sizeof(double));
        const size_t length = lapack_form_q_work(n, d);
        lapack_form_q(n, d, REAL(q), tau, scratch(length), length);
        SET_VECTOR_ELT(result, 1, triangle);
        SET_VECTOR_ELT(result, 2, copied_columns(u, d, d));
    } else {
        memset(REAL(q), 0, n * rank * sizeof(double));
        for (size_t j = 0; j < rank; j++)
            memcpy(REAL(q) + j * n, u + j * d, d * sizeof(double));
        const size_t length = lapack_apply_q_work(n, rank, d);
        lapack_apply_q(n, rank, d, a, tau, REAL(q), scratch(length), length);
    }
    SET_VECTOR_ELT(result, 0, q);
    SET_VECTOR_ELT(result, 3, copied(s, rank));
    UNPROTECT(2);
}

/* d > n: the same through the transpose; the left singular vectors are the basis. */
static void wide_basis(const double *a, size_t n, size_t d, SEXP result)
{
    double *at = scratch(d * n), *tau = scratch(n), *s = scratch(n), *u = scratch(n * n);
    transpose(a, n, d, at);
    factor_qr(at, d, n, tau);
    double *ones = scratch(n), *upper = scratch(n * n), *lower = scratch(n * n);
    for (size_t j = 0; j < n; j++) ones[j] = 1.0;
    copy_upper(at, d, n, ones, upper);
    transpose(upper, n, n, lower);
    decompose(lower, n, n, s, u, upper);
    const size_t rank = rank_of(s, n);
    SET_VECTOR_ELT(result, 0, copied_columns(u, n, rank));
    SET_VECTOR_ELT(result, 3, copied(s, rank));
}

/* Orthonormal basis q (n x rank) of the columns of x, seen through means and scale.
   Singular values s and, where q is not made of left singular vectors, q times triangle =
   the data without their zero columns, and q times rotation = left singular vectors. The
   fast route leaves out s and rotation: the singular values of triangle are those of x. fast:
   by that route or not at all (NULL where it does not serve). */
SEXP repalign_basis(SEXP x, SEXP means, SEXP inverse_scale, SEXP fast)
{
    centered_view v = view_of(x, means, inverse_scale);
    size_t *kept = (size_t *) R_alloc(v.d, sizeof(size_t));
    double *factor = scratch(v.d);
    const size_t d = live_columns(&v, kept, factor);
    if (d == 0) Rf_error("internal: there is no variance");
    const char *names[] = {"q", "triangle", "rotation", "s", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const int by_cholesky = Rf_asLogical(fast);
    if (d > v.n && by_cholesky) {
        UNPROTECT(1);
        return R_NilValue;
    }
    if (d > v.n) {
        for (size_t k = 0; k < d; k++) factor[k] = 1.0; /* sizes count for singular vectors */
        double *a = scratch(v.n * d);
        load_live(&v, kept, factor, d, a);
        wide_basis(a, v.n, d, result);
        UNPROTECT(1);
        return result;
    }
    SEXP q = PROTECT(Rf_allocMatrix(REALSXP, (int) v.n, (int) d));
    load_live(&v, kept, factor, d, REAL(q));
    SEXP triangle = PROTECT(Rf_allocMatrix(REALSXP, (int) d, (int) d));
    if (!by_cholesky) {
        tall_basis(REAL(q), v.n, d, factor, result);
    } else if (cholesky_basis(v.n, d, REAL(q), factor, REAL(triangle), scratch(d * d),
                              scratch(d * d), check_interrupt)) {
        SET_VECTOR_ELT(result, 0, q);
        SET_VECTOR_ELT(result, 1, triangle);
    } else {
        result = R_NilValue;
    }
    UNPROTECT(3);
    return result;
}

/* Sum of all squares of x seen through means and scale. */
SEXP repalign_centered_squares(SEXP x, SEXP means, SEXP inverse_scale)
{
    centered_view v = view_of(x, means, inverse_scale);
    double *column = scratch(v.n), total = 0.0;
    for (size_t j = 0; j < v.d; j++) {
        load_columns(&v, j, 1, column);
        total += dot_blocked(column, column, v.n);
        if (j % 64 == 0) check_interrupt();
    }
    return Rf_ScalarReal(total);
}
