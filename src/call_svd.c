#include "call_checks.h"
#include "lapack.h"

#include <string.h>

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

/* u, vt: NULL for values only. */
static void decompose(SEXP a, double *s, double *u, double *vt)
{
    const size_t m = matrix_rows(a), n = matrix_columns(a), k = m < n ? m : n;
    const int vectors = u != NULL;
    double unused = 0.0;
    if (!vectors) u = vt = &unused;
    double *copy = scratch(m * n);
    memcpy(copy, REAL(a), m * n * sizeof(double));
    int info = divide_and_conquer(vectors, m, n, k, copy, s, u, vt);
    if (info != 0) { /* it fails for the rare matrix; plain QR iterations are slower and surer */
        memcpy(copy, REAL(a), m * n * sizeof(double));
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
    if (k > 0) decompose(a, REAL(result), NULL, NULL);
    UNPROTECT(1);
    return result;
}

/* v (n x k) from its transpose. */
static void transpose(const double *vt, size_t k, size_t n, double *v)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++) v[j + i * n] = vt[i + j * k];
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
        decompose(a, REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 0)), vt);
        transpose(vt, k, n, REAL(VECTOR_ELT(result, 2)));
    }
    UNPROTECT(1);
    return result;
}
