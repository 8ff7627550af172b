/* Entry points of kernels that reach the nearest neighbours only. */

#include "call_checks.h"
#include "manifold.h"
#include "sparse.h"

/* Offsets must rise from 0 to the number of entries. */
static void require_starts(SEXP start, size_t n, size_t entries)
{
    if (!Rf_isReal(start) || (size_t) XLENGTH(start) != n + 1)
        Rf_error("internal: one start a row and the end");
    const double *at = REAL(start);
    int good = at[0] == 0.0 && at[n] == (double) entries;
    for (size_t i = 0; good && i < n; i++) good = at[i] <= at[i + 1];
    if (!good) Rf_error("internal: starts must rise to the number of entries");
}

/* list(n, idx, weight, diagonal, start): idx and weight are n x width matrices, or vectors
   with start. */
static sparse_kernel sparse_of(SEXP form)
{
    SEXP idx = list_element(form, "idx"), weight = list_element(form, "weight");
    SEXP start = list_element(form, "start");
    const size_t n = (size_t) Rf_asReal(list_element(form, "n"));
    if (!Rf_isReal(weight) || XLENGTH(weight) != XLENGTH(idx))
        Rf_error("internal: one weight an entry");
    require_index(idx, n, "idx");
    if (!Rf_isNull(start)) require_starts(start, n, (size_t) XLENGTH(idx));
    else if (!Rf_isMatrix(idx) || matrix_rows(idx) != n)
        Rf_error("internal: one row of neighbours a stimulus");
    const int listed = !Rf_isNull(start);
    sparse_kernel a = {n, listed ? 0 : matrix_columns(idx), listed ? REAL(start) : NULL,
                       INTEGER(idx), REAL(weight), Rf_asReal(list_element(form, "diagonal"))};
    return a;
}

SEXP repalign_manifold_weights(SEXP dist)
{
    require_matrix(dist, "dist");
    const size_t n = matrix_rows(dist), k = matrix_columns(dist);
    if (k < 1) Rf_error("internal: no neighbours");
    const char *names[] = {"weight", "sigma", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) n, (int) k));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
    manifold_weights(REAL(dist), n, k, scratch(k), REAL(VECTOR_ELT(result, 0)),
                     REAL(VECTOR_ELT(result, 1)), check_interrupt);
    UNPROTECT(1);
    return result;
}

/* list(rows, columns): sums. */
SEXP repalign_sparse_sums(SEXP form)
{
    const sparse_kernel a = sparse_of(form);
    const char *names[] = {"rows", "columns", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int i = 0; i < 2; i++)
        SET_VECTOR_ELT(result, i, Rf_allocVector(REALSXP, (R_xlen_t) a.n));
    sparse_sums(&a, REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}

static void require_same_size(const sparse_kernel *a, const sparse_kernel *b)
{
    if (a->n != b->n) Rf_error("internal: kernels of different sizes");
}

SEXP repalign_sparse_dot(SEXP form_a, SEXP form_b)
{
    const sparse_kernel a = sparse_of(form_a), b = sparse_of(form_b);
    require_same_size(&a, &b);
    return Rf_ScalarReal(sparse_dot(&a, &b, scratch(a.n), check_interrupt));
}

/* list(dot, sums): sums has the row sums of a and b and their column sums. */
SEXP repalign_sparse_common(SEXP form_a, SEXP form_b)
{
    const sparse_kernel a = sparse_of(form_a), b = sparse_of(form_b);
    require_same_size(&a, &b);
    const char *names[] = {"dot", "sums", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, (int) a.n, 4));
    size_t *place = (size_t *) R_alloc(a.n, sizeof(size_t));
    const double dot =
        sparse_common(&a, &b, place, REAL(VECTOR_ELT(result, 1)), check_interrupt);
    SET_VECTOR_ELT(result, 0, Rf_ScalarReal(dot));
    UNPROTECT(1);
    return result;
}

/* a + a' - a o a' as list(start, idx, weight), without the diagonal. */
SEXP repalign_sparse_symmetric(SEXP form)
{
    const sparse_kernel a = sparse_of(form);
    const size_t entries = (size_t) XLENGTH(list_element(form, "idx"));
    int *mark = (int *) R_alloc(a.n, sizeof(int));
    size_t *at = (size_t *) R_alloc(a.n, sizeof(size_t));
    int *column = (int *) R_alloc(entries + 1, sizeof(int));
    double *start = scratch(a.n + 1), *value = scratch(entries);
    sparse_transpose(&a, start, column, value, at);
    const sparse_kernel t = {a.n, 0, start, column, value, 0.0};
    check_interrupt();
    const char *names[] = {"start", "idx", "weight", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) a.n + 1));
    double *starts = REAL(VECTOR_ELT(result, 0));
    symmetric_starts(&a, &t, starts, mark);
    SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t) starts[a.n]));
    SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, (R_xlen_t) starts[a.n]));
    check_interrupt();
    symmetric_entries(&a, &t, starts, mark, at, INTEGER(VECTOR_ELT(result, 1)),
                      REAL(VECTOR_ELT(result, 2)));
    UNPROTECT(1);
    return result;
}
