/* Entry points of kernels that are zero except near neighbours. */

#include "sparse.h"

#include <limits.h>

#include "entry.h"

/* Offsets must rise from 0 to the number of entries. */
static const double *read_starts(SEXP start, size_t n, size_t entries)
{
    const double *at = read_doubles(ARG(start), n + 1);
    int good = at[0] == 0.0 && at[n] == (double) entries;
    for (size_t i = 0; good && i < n; i++) good = at[i] <= at[i + 1];
    if (!good) argument_error("start", "rise from 0 to %.0f", (double) entries);
    return at;
}

/* list(n, idx, weight, diagonal, start): idx and weight are n x width matrices, or vectors
   with start. */
static sparse_kernel read_form(SEXP form, const char *name)
{
    SEXP n = read_element(form, name, "n"), idx = read_element(form, name, "idx");
    SEXP weight = read_element(form, name, "weight"), start = find_element(form, name, "start");
    SEXP diagonal = read_element(form, name, "diagonal");
    const size_t size = read_count(ARG(n), 0, INT_MAX), entries = (size_t) Rf_xlength(idx);
    const int listed = !Rf_isNull(start);
    const int *columns = listed ? read_index(ARG(idx), size)
                                : read_index_matrix(ARG(idx), size, size);
    const sparse_kernel a = {size, listed ? 0 : matrix_columns(idx),
                             listed ? read_starts(start, size, entries) : NULL, columns,
                             read_doubles(ARG(weight), entries), read_number(ARG(diagonal))};
    return a;
}

static sparse_kernel read_second_form(SEXP form, const char *name, const sparse_kernel *first)
{
    const sparse_kernel b = read_form(form, name);
    if (b.n != first->n) argument_error(name, "be of size %.0f", (double) first->n);
    return b;
}

/* list(rows, columns): sums. */
SEXP repalign_sparse_sums(SEXP form)
{
    begin_entry(__func__);
    const sparse_kernel a = read_form(ARG(form));
    const char *names[] = {"rows", "columns", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *rows = put_doubles(result, 0, a.n), *columns = put_doubles(result, 1, a.n);
    sparse_sums(&a, rows, columns);
    UNPROTECT(1);
    return result;
}

SEXP repalign_sparse_dot(SEXP form_a, SEXP form_b)
{
    begin_entry(__func__);
    const sparse_kernel a = read_form(ARG(form_a)), b = read_second_form(ARG(form_b), &a);
    return Rf_ScalarReal(sparse_dot(&a, &b, scratch(a.n), check_interrupt));
}

static sparse_side read_forms(SEXP list, const char *name)
{
    const size_t count = Rf_isNull(list) ? 0 : count_elements(list, name);
    sparse_kernel *kernels = (sparse_kernel *) R_alloc(count + 1, sizeof(sparse_kernel));
    for (size_t l = 0; l < count; l++) {
        SEXP form = VECTOR_ELT(list, (R_xlen_t) l);
        kernels[l] = l == 0 ? read_form(form, name) : read_second_form(form, name, kernels);
    }
    const sparse_side side = {kernels, count};
    return side;
}

static row_columns new_columns(sparse_side side, size_t n)
{
    const size_t size = side.count > 0 ? sparse_row_size(side) : 0;
    const row_columns columns = {size_scratch(n + 2), size_scratch(size), scratch(size)};
    return columns;
}

/* Sums over all entries of the products of each form of x with each of y, or with y NULL of x,
   without the diagonals; or of the Jaccard indices of rows with so many neighbours each. */
SEXP repalign_sparse_grid(SEXP x, SEXP y, SEXP neighbours)
{
    begin_entry(__func__);
    const sparse_side a = read_forms(ARG(x)), b = read_forms(ARG(y));
    const size_t n = a.kernels->n, columns = b.count > 0 ? b.count : a.count;
    if (b.count > 0 && b.kernels->n != n) argument_error("y", "be of the size of x");
    const double each = read_number(ARG(neighbours));
    SEXP result = PROTECT(new_matrix(a.count, columns));
    sparse_grid(a, b, each, new_columns(a, n), new_columns(b, n),
                each > 0.0 ? scratch(a.count * columns) : NULL, check_interrupt, REAL(result));
    if (b.count == 0) mirror_lower(REAL(result), a.count);
    UNPROTECT(1);
    return result;
}

/* list(dot, sums): sums has the row sums of a and b and their column sums. */
SEXP repalign_sparse_common(SEXP form_a, SEXP form_b)
{
    begin_entry(__func__);
    const sparse_kernel a = read_form(ARG(form_a)), b = read_second_form(ARG(form_b), &a);
    const char *names[] = {"dot", "sums", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *sums = put_matrix(result, 1, a.n, 4);
    *put_doubles(result, 0, 1) = sparse_common(&a, &b, size_scratch(a.n), sums, check_interrupt);
    UNPROTECT(1);
    return result;
}

/* a + a' - a o a' as list(start, idx, weight), without the diagonal. */
SEXP repalign_sparse_symmetric(SEXP form)
{
    begin_entry(__func__);
    const sparse_kernel a = read_form(ARG(form));
    const size_t entries = (size_t) XLENGTH(find_element(form, "form", "idx"));
    int *mark = int_scratch(a.n), *column = int_scratch(entries);
    size_t *at = size_scratch(a.n);
    double *start = scratch(a.n + 1), *value = scratch(entries);
    sparse_transpose(&a, start, column, value, at);
    const sparse_kernel t = {a.n, 0, start, column, value, 0.0};
    check_interrupt();
    const char *names[] = {"start", "idx", "weight", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *starts = put_doubles(result, 0, a.n + 1);
    symmetric_starts(&a, &t, starts, mark);
    int *idx = put_integers(result, 1, (size_t) starts[a.n]);
    double *weight = put_doubles(result, 2, (size_t) starts[a.n]);
    check_interrupt();
    symmetric_entries(&a, &t, starts, mark, at, idx, weight);
    UNPROTECT(1);
    return result;
}
