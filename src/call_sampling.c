/* Entry points of sums over subsets of neurons. */

#include "blas.h"
#include "call_checks.h"
#include "pairs.h"

/* Subsets taken together in one matrix product. */
#define SUBSET_BLOCK 256

SEXP repalign_pair_terms(SEXP x, SEXP y)
{
    require_matrix(x, "x");
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    require_rows(y, n, "y");
    const size_t qy = matrix_columns(y);
    const int self = x == y;
    SEXP result = PROTECT(two_results(qx, qy));
    double *c = REAL(VECTOR_ELT(result, 0)), *h = REAL(VECTOR_ELT(result, 1));
    double *x2 = scratch(n * qx), *y2 = self ? x2 : scratch(n * qy);
    double *s = scratch(qx), *t = scratch(qy);
    square_entries(REAL(x), n * qx, x2);
    if (!self) square_entries(REAL(y), n * qy, y2);
    for (size_t a = 0; a < qx; a++) s[a] = sum_blocked(x2 + a * n, n);
    for (size_t b = 0; b < qy; b++) t[b] = sum_blocked(y2 + b * n, n);
    if (self) {
        blas_syrk_upper('T', qx, n, REAL(x), n, 0.0, c, qx);
        check_interrupt();
        blas_syrk_upper('T', qx, n, x2, n, 0.0, h, qx);
        mirror_upper(c, qx);
        mirror_upper(h, qx);
    } else {
        blas_gemm('T', 'N', qx, qy, n, 1.0, REAL(x), n, REAL(y), n, 0.0, c, qx);
        check_interrupt();
        blas_gemm('T', 'N', qx, qy, n, 1.0, x2, n, y2, n, 0.0, h, qx);
    }
    check_interrupt();
    finish_pair_terms(c, h, s, t, qx, qy, n);
    UNPROTECT(1);
    return result;
}

/* Members of row and column subsets: integer matrices with a subset a column. */
static void require_subsets(SEXP a, size_t qx, SEXP b, size_t qy)
{
    if (!Rf_isMatrix(a) || !Rf_isMatrix(b) || matrix_columns(a) != matrix_columns(b))
        Rf_error("internal: subsets must come in pairs");
    require_index(a, qx, "a");
    require_index(b, qy, "b");
}

/* Zero-based labels, one a row or column. */
static void require_labels(SEXP labels, size_t length, size_t groups)
{
    if (!Rf_isInteger(labels) || (size_t) XLENGTH(labels) != length)
        Rf_error("internal: one label a column");
    for (size_t i = 0; i < length; i++)
        if (INTEGER(labels)[i] < 0 || (size_t) INTEGER(labels)[i] >= groups)
            Rf_error("internal: label out of range");
}

static size_t block_size(size_t done, size_t all)
{
    return all - done < SUBSET_BLOCK ? all - done : SUBSET_BLOCK;
}

/* h times the indicators of the column subsets, then the row subsets of that. */
static void sums_by_product(SEXP h, SEXP a, SEXP b, double *out)
{
    const size_t qx = matrix_rows(h), qy = matrix_columns(h), subsets = matrix_columns(a);
    const size_t na = matrix_rows(a), nb = matrix_rows(b);
    double *indicator = scratch(qy * SUBSET_BLOCK), *image = scratch(qx * SUBSET_BLOCK);
    const int first = 1;
    for (size_t r = 0; r < subsets; r += SUBSET_BLOCK) {
        const size_t now = block_size(r, subsets);
        fill_indicator(INTEGER(b) + r * nb, nb, now, qy, NULL, indicator);
        blas_gemm('N', 'N', qx, now, qy, 1.0, REAL(h), qx, indicator, qy, 0.0, image, qx);
        for (size_t k = 0; k < now; k++)
            out[r + k] = gather_sum(image + k * qx, qx, INTEGER(a) + (r + k) * na, na, &first, 1);
        check_interrupt();
    }
}

static void sums_by_gathering(SEXP h, SEXP a, SEXP b, double *out)
{
    const size_t subsets = matrix_columns(a), na = matrix_rows(a), nb = matrix_rows(b);
    for (size_t r = 0; r < subsets; r++) {
        out[r] = gather_sum(REAL(h), matrix_rows(h), INTEGER(a) + r * na, na, INTEGER(b) + r * nb,
                            nb);
        if (r % 64 == 0) check_interrupt();
    }
}

/* a, b: members (one-based) of row and column subsets, a subset a column. */
SEXP repalign_subset_sums(SEXP h, SEXP a, SEXP b, SEXP by_product)
{
    require_matrix(h, "h");
    require_subsets(a, matrix_rows(h), b, matrix_columns(h));
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) matrix_columns(a)));
    if (Rf_asLogical(by_product)) sums_by_product(h, a, b, REAL(result));
    else sums_by_gathering(h, a, b, REAL(result));
    UNPROTECT(1);
    return result;
}

SEXP repalign_excluded_sums(SEXP h, SEXP a, SEXP b, SEXP labels_x, SEXP labels_y, SEXP n_labels)
{
    require_matrix(h, "h");
    require_subsets(a, matrix_rows(h), b, matrix_columns(h));
    const size_t subsets = matrix_columns(a), na = matrix_rows(a), nb = matrix_rows(b);
    const size_t groups = (size_t) Rf_asInteger(n_labels);
    require_labels(labels_x, matrix_rows(h), groups);
    require_labels(labels_y, matrix_columns(h), groups);
    const char *names[] = {"sum", "count", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) subsets));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) subsets));
    double *sums = REAL(VECTOR_ELT(result, 0)), *counts = REAL(VECTOR_ELT(result, 1));
    int *head = (int *) R_alloc(groups + 1, sizeof(int));
    int *next = (int *) R_alloc(nb + 1, sizeof(int));
    for (size_t r = 0; r < subsets; r++) {
        equal_label_sum(REAL(h), matrix_rows(h), INTEGER(a) + r * na, na, INTEGER(b) + r * nb, nb,
                        INTEGER(labels_x), INTEGER(labels_y), groups, head, next, sums + r,
                        counts + r);
        if (r % 64 == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result;
}

/* Sum over subsets of weight times the product of the two indicators. */
SEXP repalign_subset_weights(SEXP a, SEXP b, SEXP weight, SEXP rows, SEXP columns)
{
    const size_t qx = (size_t) Rf_asInteger(rows), qy = (size_t) Rf_asInteger(columns);
    require_subsets(a, qx, b, qy);
    const size_t subsets = matrix_columns(a), na = matrix_rows(a), nb = matrix_rows(b);
    if (!Rf_isReal(weight) || (size_t) XLENGTH(weight) != subsets)
        Rf_error("internal: one weight a subset");
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) qx, (int) qy));
    double *left = scratch(qx * SUBSET_BLOCK), *right = scratch(qy * SUBSET_BLOCK);
    for (size_t r = 0; r < subsets; r += SUBSET_BLOCK) {
        const size_t now = block_size(r, subsets);
        fill_indicator(INTEGER(a) + r * na, na, now, qx, REAL(weight) + r, left);
        fill_indicator(INTEGER(b) + r * nb, nb, now, qy, NULL, right);
        blas_gemm('N', 'T', qx, qy, now, 1.0, left, qx, right, qy, r == 0 ? 0.0 : 1.0,
                  REAL(result), qx);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
