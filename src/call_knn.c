/* Entry points of the neighbour search. */

#include "call_checks.h"
#include "blas.h"
#include "knn.h"

/* About 32 MB of products, a few hundred rows at a time. */
#define PRODUCT_ENTRIES 4194304

#define SMALL_SEARCH 1e6
#define ROW_TERMS 5e8

static candidate *candidates(size_t length)
{
    return (candidate *) R_alloc(length > 0 ? length : 1, sizeof(candidate));
}

static int *integers(size_t length)
{
    return (int *) R_alloc(length > 0 ? length : 1, sizeof(int));
}

/* list(rows (d x n), degenerate = row numbers) */
SEXP repalign_neighbour_rows(SEXP x, SEXP means, SEXP inverse_scale, SEXP how)
{
    const char *names[] = {"rows", "degenerate", ""};
    centered_view v = view_of(x, means, inverse_scale);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SEXP rows = PROTECT(Rf_allocMatrix(REALSXP, (int) v.d, (int) v.n));
    int *degenerate = integers(v.n);
    const size_t bad = prepare_rows(&v, (knn_preparation) Rf_asInteger(how), REAL(rows), degenerate,
                                    check_interrupt);
    SEXP which = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) bad));
    size_t at = 0;
    for (size_t i = 0; i < v.n; i++)
        if (degenerate[i]) INTEGER(which)[at++] = (int) i + 1;
    SET_VECTOR_ELT(result, 0, rows);
    SET_VECTOR_ELT(result, 1, which);
    UNPROTECT(3);
    return result;
}

/* raw: the data that the rows were made of, and raw_scale their factor; or NULL. */
static knn_space space_of(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale)
{
    require_matrix(rows, "rows");
    const size_t n = matrix_columns(rows), d = matrix_rows(rows);
    if (!Rf_isNull(raw)) require_size(raw, n, d, "raw");
    knn_space s = {REAL(rows), n, d, (knn_value) Rf_asInteger(value),
                   Rf_isNull(raw) ? NULL : REAL(raw), Rf_asReal(raw_scale),
                   scratch(n), scratch(n), scratch(n), scratch(n), 0.0};
    describe_space(&s);
    return s;
}

static size_t count_of(SEXP k, size_t n)
{
    const int count = Rf_asInteger(k);
    if (count < 1 || (size_t) count >= n) Rf_error("internal: 'k' is out of range");
    return (size_t) count;
}

/* Starting threads costs more than a small search (seen: milliseconds where processors are
   busy). */
static size_t team_of(SEXP threads, double work)
{
    const int count = Rf_asInteger(threads);
    return count < 1 || work < SMALL_SEARCH ? 1 : (size_t) count;
}

/* Pairs looked at, and terms of direct values. */
static double work_of(const knn_space *s, size_t rows, size_t k)
{
    return (double) rows * ((double) s->n + (double) k * (double) s->d);
}

/* Sets elements 0, 1 and, if there are marks, 2 of the result. */
static knn_lists lists_in(SEXP result, size_t rows, size_t k, int with_joined)
{
    knn_lists out = {k, rows, NULL, NULL, NULL};
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(INTSXP, (int) rows, (int) k));
    SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, (int) rows, (int) k));
    out.idx = INTEGER(VECTOR_ELT(result, 0));
    out.dist = REAL(VECTOR_ELT(result, 1));
    for (size_t r = 0; r < rows * k; r++) {
        out.idx[r] = NA_INTEGER;
        out.dist[r] = NA_REAL;
    }
    if (!with_joined) return out;
    SET_VECTOR_ELT(result, 2, Rf_allocMatrix(LGLSXP, (int) rows, (int) k));
    out.joined = LOGICAL(VECTOR_ELT(result, 2));
    return out;
}

/* list(idx, dist, largest, state); sizes: rows and columns of a block of products, or NULL. */
SEXP repalign_knn(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP threads,
                  SEXP sizes)
{
    const char *names[] = {"idx", "dist", "largest", "state", ""};
    const knn_space s = space_of(rows, value, raw, raw_scale);
    const size_t wanted = count_of(k, s.n), team = team_of(threads, work_of(&s, s.n, wanted));
    size_t block = 256, chunk = PRODUCT_ENTRIES / 256;
    if (Rf_isInteger(sizes) && XLENGTH(sizes) == 2) {
        block = (size_t) INTEGER(sizes)[0];
        chunk = (size_t) INTEGER(sizes)[1];
    }
    if (block > s.n) block = s.n;
    if (chunk > s.n) chunk = s.n;
    /* the diagonal of a block of rows lies in its first block of columns */
    if (block < 1 || chunk < block) Rf_error("internal: 'sizes' are out of range");
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const knn_lists out = lists_in(result, s.n, wanted, 0);
    SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, (R_xlen_t) s.n));
    SET_VECTOR_ELT(result, 3, Rf_allocVector(INTSXP, (R_xlen_t) s.n));
    const size_t capacity = knn_capacity(s.n, wanted);
    const knn_search_scratch w = {
        block, chunk, scratch(block * chunk), candidates(s.n * capacity),
        candidates(team * capacity), integers(team * (wanted + 1)), REAL(VECTOR_ELT(result, 2)),
        INTEGER(VECTOR_ELT(result, 3)), (int) team};
    knn_search(&s, w, out, check_interrupt);
    UNPROTECT(1);
    return result;
}

static const int *priorities(SEXP priority, size_t n)
{
    if (Rf_isNull(priority)) return NULL;
    if (!Rf_isInteger(priority) || (size_t) XLENGTH(priority) != n)
        Rf_error("internal: one priority a row");
    return INTEGER(priority);
}

static knn_rows_scratch rows_scratch(size_t n, size_t k, size_t team)
{
    const knn_rows_scratch w = {0, NULL, NULL, candidates(team * (k + 1)), candidates(team * n),
                                integers(team * (k + 1)), (int) team};
    return w;
}

/* So that products fit, and direct values of everything take no longer than a pause may. */
static size_t whole_rows_at_once(const knn_space *s)
{
    const double fit = (double) PRODUCT_ENTRIES / (double) s->n;
    const double soon = ROW_TERMS / ((double) s->n * (double) s->d);
    const double rows = fit < soon ? fit : soon;
    return rows > 256.0 ? 256 : rows < 1.0 ? 1 : (size_t) rows;
}

/* list(idx, dist, joined) of some rows */
SEXP repalign_knn_rows(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP which,
                       SEXP largest, SEXP priority, SEXP threads)
{
    const char *names[] = {"idx", "dist", "joined", ""};
    const knn_space s = space_of(rows, value, raw, raw_scale);
    const size_t wanted = count_of(k, s.n), count = (size_t) XLENGTH(which);
    require_index(which, s.n, "which");
    if (!Rf_isReal(largest) || (size_t) XLENGTH(largest) != s.n)
        Rf_error("internal: one largest value a row");
    int *from_zero = integers(count);
    for (size_t r = 0; r < count; r++) from_zero[r] = INTEGER(which)[r] - 1;
    knn_rows_scratch w = rows_scratch(s.n, wanted, team_of(threads, work_of(&s, count, wanted)));
    w.block = whole_rows_at_once(&s);
    w.gathered = scratch(w.block * s.d);
    w.product = scratch(w.block * s.n);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const knn_lists out = lists_in(result, count, wanted, 1);
    knn_whole_rows(&s, from_zero, count, REAL(largest), priorities(priority, s.n), w, out,
                   check_interrupt);
    UNPROTECT(1);
    return result;
}

/* The same for all rows of packed distances. */
SEXP repalign_knn_packed(SEXP distances, SEXP size, SEXP k, SEXP priority, SEXP threads)
{
    const char *names[] = {"idx", "dist", "joined", ""};
    const size_t n = (size_t) Rf_asInteger(size), wanted = count_of(k, n);
    if (!Rf_isReal(distances) || (size_t) XLENGTH(distances) != n * (n - 1) / 2)
        Rf_error("internal: 'distances' has another length");
    const size_t team = team_of(threads, (double) n * (double) n);
    knn_rows_scratch w = rows_scratch(n, wanted, team);
    w.product = scratch(team * n);
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const knn_lists out = lists_in(result, n, wanted, 1);
    /* a few million distances between two interrupts */
    const size_t rows = PRODUCT_ENTRIES / n < 1 ? 1 : PRODUCT_ENTRIES / n;
    for (size_t i = 0; i < n; i += rows) {
        knn_packed_rows(REAL(distances), n, i, n - i < rows ? n - i : rows,
                        priorities(priority, n), w, out);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
