/* Entry points of distances and ranks. */

#include "call_checks.h"

#include <string.h>

#include "blas.h"
#include "distance.h"
#include "packed.h"
#include "rank.h"
#include "spectral.h"

static worker worker_of(SEXP threads)
{
    worker by = {Rf_asInteger(threads), check_interrupt};
    return by;
}

static size_t require_doubles(SEXP x, const char *name)
{
    if (!Rf_isReal(x) || XLENGTH(x) < 1) Rf_error("internal: '%s' must hold doubles", name);
    return (size_t) XLENGTH(x);
}

static void require_length(SEXP x, size_t length, const char *name)
{
    if (require_doubles(x, name) != length) Rf_error("internal: '%s' has another length", name);
}

static row_chunks chunks_of(size_t n)
{
    return fill_row_chunks(n, (size_t *) R_alloc(packed_chunks(n) + 1, sizeof(size_t)));
}

static row_chunks packed_rows(SEXP x, SEXP n, const char *name)
{
    const double rows = Rf_asReal(n);
    if (!(rows >= 2)) Rf_error("internal: a packed matrix has two rows at least");
    require_length(x, packed_length((size_t) rows), name);
    return chunks_of((size_t) rows);
}

static SEXP packed_result(distance_rows *rows, distance_kind kind, worker by)
{
    const size_t n = rows->view.n;
    rows->norms = scratch(n);
    rows->panel = scratch(n * panel_rows(n));
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) packed_length(n)));
    if (packed_distances(rows, kind, by, REAL(result)) > 0)
        direct_distances(rows, kind, scratch(n * rows->view.d), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* columns: of a block, or as many as make 512 MB when NULL. */
SEXP repalign_distances(SEXP x, SEXP means, SEXP inverse_scale, SEXP threads, SEXP columns)
{
    distance_rows rows = {view_of(x, means, inverse_scale), NULL, 0, NULL, NULL, NULL};
    const size_t n = rows.view.n, d = rows.view.d;
    const double wanted = Rf_isNull(columns) ? 67108864.0 / (double) n : Rf_asReal(columns);
    rows.columns = wanted < 1 ? 1 : wanted < (double) d ? (size_t) wanted : d;
    rows.block = scratch(n * rows.columns);
    return packed_result(&rows, distance_root, worker_of(threads));
}

static SEXP bad_rows(const int *usable, size_t n, size_t count)
{
    SEXP bad = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) count));
    for (size_t i = 0, k = 0; i < n; i++)
        if (!usable[i]) INTEGER(bad)[k++] = (int) i + 1;
    UNPROTECT(1);
    return bad;
}

/* list(rows, bad): rows at unit length, and which have no direction. */
SEXP repalign_unit_rows(SEXP x, SEXP center, SEXP threads)
{
    require_matrix(x, "x");
    const char *names[] = {"rows", "bad", ""};
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    int *usable = (int *) R_alloc(n > 0 ? n : 1, sizeof(int));
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SEXP rows = Rf_allocMatrix(REALSXP, (int) n, (int) d);
    SET_VECTOR_ELT(result, 0, rows);
    const size_t bad = unit_rows(REAL(x), n, d, Rf_asLogical(center), worker_of(threads),
                                 REAL(rows), usable);
    SET_VECTOR_ELT(result, 1, bad_rows(usable, n, bad));
    UNPROTECT(1);
    return result;
}

/* 1 - inner product of unit rows, packed. */
SEXP repalign_unit_distances(SEXP unit, SEXP threads)
{
    require_matrix(unit, "unit");
    const size_t n = matrix_rows(unit), d = matrix_columns(unit);
    distance_rows rows = {{REAL(unit), n, d, NULL, 1.0}, REAL(unit), d, NULL, NULL, NULL};
    return packed_result(&rows, distance_half_square, worker_of(threads));
}

SEXP repalign_packed_row_sums(SEXP a, SEXP n, SEXP threads)
{
    const row_chunks rows = packed_rows(a, n, "a");
    double *ones = scratch(rows.n), *partial = scratch(CHUNK_GROUP * rows.n);
    for (size_t i = 0; i < rows.n; i++) ones[i] = 1.0;
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) rows.n));
    packed_times(REAL(a), ones, rows, worker_of(threads), partial, REAL(result));
    UNPROTECT(1);
    return result;
}

SEXP repalign_packed_centered_dot(SEXP a, SEXP a_means, SEXP a_grand, SEXP b, SEXP b_means,
                                  SEXP b_grand, SEXP threads)
{
    const size_t n = require_doubles(a_means, "a_means");
    require_length(b_means, n, "b_means");
    require_length(a, packed_length(n), "a");
    require_length(b, packed_length(n), "b");
    const row_chunks rows = chunks_of(n);
    packed_centered left = {REAL(a), REAL(a_means), Rf_asReal(a_grand)};
    packed_centered right = {REAL(b), REAL(b_means), Rf_asReal(b_grand)};
    return Rf_ScalarReal(packed_centered_dot(left, right, rows, worker_of(threads),
                                             scratch(rows.count)));
}

static packed_values values_of(SEXP a, SEXP square, SEXP center)
{
    packed_values values = {REAL(a), Rf_asLogical(square), Rf_asReal(center)};
    return values;
}

SEXP repalign_packed_product(SEXP a, SEXP a_square, SEXP a_center, SEXP b, SEXP b_square,
                             SEXP b_center, SEXP threads)
{
    const size_t length = require_doubles(a, "a");
    require_length(b, length, "b");
    return Rf_ScalarReal(packed_product(values_of(a, a_square, a_center),
                                        values_of(b, b_square, b_center), length,
                                        worker_of(threads), scratch(chunk_count(length))));
}

SEXP repalign_packed_sum(SEXP a, SEXP square, SEXP threads)
{
    const size_t length = require_doubles(a, "a");
    packed_values values = {REAL(a), Rf_asLogical(square), 0.0};
    return Rf_ScalarReal(packed_sum(values, length, worker_of(threads),
                                    scratch(chunk_count(length))));
}

SEXP repalign_packed_difference_squares(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP threads)
{
    const size_t length = require_doubles(a, "a");
    require_length(b, length, "b");
    return Rf_ScalarReal(packed_difference_squares(REAL(a), Rf_asReal(fa), REAL(b), Rf_asReal(fb),
                                                   length, worker_of(threads),
                                                   scratch(chunk_count(length))));
}

/* c(norm, relative error bound, steps) of the matrix a fa - b fb. */
SEXP repalign_packed_difference_spectral(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP n, SEXP most,
                                         SEXP threads)
{
    const row_chunks rows = packed_rows(a, n, "a");
    const worker by = worker_of(threads);
    const size_t length = packed_length(rows.n), wanted = (size_t) Rf_asInteger(most);
    require_length(b, length, "b");
    if (!fits_blas(rows.n)) Rf_error("internal: too many rows");
    double *difference = scratch(length);
    packed_difference(REAL(a), Rf_asReal(fa), REAL(b), Rf_asReal(fb), length, by, difference);
    lanczos_scratch parts = {wanted < rows.n ? wanted : rows.n, NULL, NULL, NULL, NULL};
    parts.basis = scratch(rows.n * parts.steps);
    parts.w = scratch(2 * rows.n);
    parts.partial = scratch(CHUNK_GROUP * rows.n);
    parts.small = scratch(5 * parts.steps);
    const lanczos_result found = spectral_norm(difference, rows, by, parts);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, 3));
    REAL(result)[0] = found.norm;
    REAL(result)[1] = found.error;
    REAL(result)[2] = (double) found.steps;
    UNPROTECT(1);
    return result;
}

SEXP repalign_packed_decay(SEXP v, SEXP factor, SEXP squared, SEXP shifted, SEXP threads)
{
    const size_t length = require_doubles(v, "v");
    const decay how = {Rf_asReal(factor), Rf_asLogical(squared), Rf_asLogical(shifted)};
    return Rf_ScalarReal(packed_decay(REAL(v), how, length, worker_of(threads),
                                      scratch(chunk_count(length))));
}

SEXP repalign_value_range(SEXP v)
{
    const size_t length = require_doubles(v, "v");
    SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
    value_range(REAL(v), length, REAL(result), REAL(result) + 1);
    UNPROTECT(1);
    return result;
}

SEXP repalign_median_value(SEXP v)
{
    const size_t length = require_doubles(v, "v");
    double *values = scratch(length);
    memcpy(values, REAL(v), length * sizeof(double));
    return Rf_ScalarReal(median_value(values, length, check_interrupt));
}

SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads)
{
    const size_t length = require_doubles(d, "d");
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) length));
    gaussian_kernel(REAL(d), length, Rf_asReal(sigma), Rf_asLogical(shifted), worker_of(threads),
                    REAL(result));
    UNPROTECT(1);
    return result;
}

/* a: NULL for memory of its own. */
static rank_scratch scratch_of_ranks(size_t length, double *a)
{
    rank_scratch parts = {(rank_cell *) (a ? a : scratch(length)), (rank_cell *) scratch(length),
                          NULL, NULL};
    parts.counts = (size_t *) R_alloc(rank_counts(length), sizeof(size_t));
    parts.bounds = (size_t *) R_alloc(chunk_count(length) + 1, sizeof(size_t));
    return parts;
}

/* tolerance: c(relative, absolute). */
SEXP repalign_average_ranks(SEXP v, SEXP tolerance, SEXP threads)
{
    require_length(tolerance, 2, "tolerance");
    const tie_tolerance equal = {REAL(tolerance)[0], REAL(tolerance)[1]};
    const size_t length = require_doubles(v, "v");
    if (length > UINT32_MAX) Rf_error("internal: too many values to rank");
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) length));
    average_ranks(REAL(v), length, equal, scratch_of_ranks(length, REAL(result)),
                  worker_of(threads), REAL(result));
    UNPROTECT(1);
    return result;
}

SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP threads)
{
    const size_t length = require_doubles(ranks_x, "ranks_x");
    require_length(ranks_y, length, "ranks_y");
    if (length > INT32_MAX) Rf_error("internal: too many pairs to count");
    uint64_t *partial = (uint64_t *) R_alloc(chunk_count(length), sizeof(uint64_t));
    return Rf_ScalarReal(kendall_tau_a(REAL(ranks_x), REAL(ranks_y), length,
                                       scratch_of_ranks(length, NULL), partial,
                                       worker_of(threads)));
}
