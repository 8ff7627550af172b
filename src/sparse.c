/* Kernels that are zero except near neighbours, kept as lists of entries: everything here
   takes time and memory in proportion to the entries. */

#include <string.h>
#include <limits.h>

#include "entry.h"

/* Without start: entry e < width of row i stands at i + e n (an n x width matrix).
   With start: those of row i stand at start[i] .. start[i + 1] - 1.
   Columns count from 1. The diagonal is one value and stands in no list. */
typedef struct {
    size_t n, width;
    const double *start;
    const int *column;
    const double *value;
    double diagonal;
} sparse_kernel;

/* Several kernels of one size. */
typedef struct {
    const sparse_kernel *kernels;
    size_t count;
} sparse_side;

/* The entries of one row of all kernels of a side, column by column: those of column t stand at
   start[t] .. start[t + 1] - 1 (start: n + 2), with the numbers of their kernels and their values
   (room for the entries of any row of all kernels). */
typedef struct {
    size_t *start, *kernel;
    double *value;
} row_columns;

/* Rows between two pauses, whose sums are added up before they join the total. */
#define BLOCK_ROWS 256

/* Where a row's entries stand: first, first + step, ... */
typedef struct {
    size_t first, step, count;
} row_entries;

static row_entries entries_of(const sparse_kernel *a, size_t i)
{
    if (!a->start) return (row_entries){i, a->n, a->width};
    const size_t first = (size_t) a->start[i];
    return (row_entries){first, 1, (size_t) a->start[i + 1] - first};
}

static size_t column_of(const sparse_kernel *a, size_t at) { return (size_t) a->column[at] - 1; }

static void gather_columns(sparse_side side, size_t i, row_columns by)
{
    const size_t n = side.kernels->n;
    /* counted two places further on, so that they are starts when all are in their places */
    memset(by.start, 0, (n + 2) * sizeof(size_t));
    for (size_t l = 0; l < side.count; l++) {
        const row_entries p = entries_of(side.kernels + l, i);
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            by.start[column_of(side.kernels + l, at) + 2]++;
    }
    for (size_t t = 2; t < n + 2; t++) by.start[t] += by.start[t - 1];
    for (size_t l = 0; l < side.count; l++) {
        const row_entries p = entries_of(side.kernels + l, i);
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step) {
            const size_t to = by.start[column_of(side.kernels + l, at) + 1]++;
            by.kernel[to] = l;
            by.value[to] = side.kernels[l].value[at];
        }
    }
}

/* Products of all kernels that have an entry in column t, and how many these are. */
static size_t add_own_column(row_columns by, size_t t, size_t count, double *out)
{
    const size_t end = by.start[t + 1], entries = end - by.start[t];
    for (size_t a = by.start[t]; a < end; a++) {
        double *column = out + by.kernel[a] * count;
        const double value = by.value[a];
        for (size_t b = a; b < end; b++) column[by.kernel[b]] += value * by.value[b];
    }
    return entries * entries / 2;
}

static size_t add_column(row_columns of_x, row_columns of_y, size_t t, size_t count, double *out)
{
    const size_t entries = of_x.start[t + 1] - of_x.start[t];
    for (size_t b = of_y.start[t]; b < of_y.start[t + 1]; b++) {
        double *column = out + of_y.kernel[b] * count;
        const double value = of_y.value[b];
        for (size_t a = of_x.start[t]; a < of_x.start[t + 1]; a++)
            column[of_x.kernel[a]] += of_x.value[a] * value;
    }
    return entries * (of_y.start[t + 1] - of_y.start[t]);
}

/* Products between two pauses. */
#define PAUSE_PRODUCTS ((size_t) 100000000)

/* a' as lists: start (n + 1), column and value. at: n scratch. */
static void sparse_transpose(const sparse_kernel *a, double *start, int *column, double *value,
                             size_t *at)
{
    const size_t n = a->n;
    for (size_t j = 0; j < n; j++) at[j] = 0;
    for (size_t i = 0; i < n; i++) {
        const row_entries p = entries_of(a, i);
        for (size_t e = 0, from = p.first; e < p.count; e++, from += p.step)
            at[column_of(a, from)]++;
    }
    size_t next = 0;
    for (size_t j = 0; j < n; j++) {
        const size_t count = at[j];
        start[j] = (double) next;
        at[j] = next;
        next += count;
    }
    start[n] = (double) next;
    for (size_t i = 0; i < n; i++) {
        const row_entries p = entries_of(a, i);
        for (size_t e = 0, from = p.first; e < p.count; e++, from += p.step) {
            const size_t to = at[column_of(a, from)]++;
            column[to] = (int) i + 1;
            value[to] = a->value[from];
        }
    }
}

/* a + a' - a o a' (o: entry by entry) off the diagonal, t being a' as lists: where the rows start
   (n + 1) where column is NULL, and otherwise the entries. mark, at: n scratch. */
static void symmetric_entries(const sparse_kernel *a, const sparse_kernel *t, double *start,
                              int *mark, size_t *at, int *column, double *value)
{
    const size_t n = a->n;
    size_t next = 0;
    for (size_t j = 0; j < n; j++) mark[j] = 0;
    for (size_t i = 0; i < n; i++) {
        const row_entries out = entries_of(a, i), in = entries_of(t, i);
        const int row = (int) i + 1;
        start[i] = (double) next;
        for (size_t e = 0, from = out.first; e < out.count; e++, from += out.step, next++) {
            const size_t j = column_of(a, from);
            mark[j] = row;
            at[j] = next;
            if (!column) continue;
            column[next] = a->column[from];
            value[next] = a->value[from];
        }
        for (size_t e = 0, from = in.first; e < in.count; e++, from += in.step) {
            const size_t j = column_of(t, from);
            const double w = t->value[from];
            if (mark[j] != row) {
                if (column) {
                    column[next] = t->column[from];
                    value[next] = w;
                }
                next++;
            } else if (column) {
                const double v = value[at[j]];
                value[at[j]] = (v + w) - v * w; /* the same number for (i, j) and (j, i) */
            }
        }
    }
    start[n] = (double) next;
}

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

/* list(rows, columns): sums, with the diagonal. */
SEXP repalign_sparse_sums(SEXP form)
{
    const sparse_kernel a = read_form(ARG(form));
    SEXP result = PROTECT(NAMED_LIST("rows", "columns"));
    double *rows = put_doubles(result, 0, a.n), *columns = put_doubles(result, 1, a.n);
    for (size_t i = 0; i < a.n; i++) columns[i] = a.diagonal;
    for (size_t i = 0; i < a.n; i++) {
        const row_entries p = entries_of(&a, i);
        double sum = a.diagonal;
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step) {
            sum += a.value[at];
            columns[column_of(&a, at)] += a.value[at];
        }
        rows[i] = sum;
    }
    UNPROTECT(1);
    return result;
}

/* Sum over all entries of a_ij b_ij, with the diagonals. */
SEXP repalign_sparse_dot(SEXP form_a, SEXP form_b)
{
    const sparse_kernel a = read_form(ARG(form_a)), b = read_second_form(ARG(form_b), &a);
    const size_t n = a.n;
    double *row = zeroed_bytes(n * sizeof(double));
    double total = (double) n * a.diagonal * b.diagonal, block = 0.0;
    for (size_t i = 0; i < n; i++) {
        const row_entries p = entries_of(&a, i), q = entries_of(&b, i);
        double sum = 0.0;
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            row[column_of(&a, at)] = a.value[at];
        for (size_t e = 0, at = q.first; e < q.count; e++, at += q.step)
            sum += row[column_of(&b, at)] * b.value[at];
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            row[column_of(&a, at)] = 0.0;
        block += sum;
        if ((i + 1) % BLOCK_ROWS == 0 || i + 1 == n) {
            total += block;
            block = 0.0;
            check_interrupt();
        }
    }
    return Rf_ScalarReal(total);
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
    size_t largest = 0;
    for (size_t i = 0; side.count > 0 && i < n; i++) {
        size_t entries = 0;
        for (size_t l = 0; l < side.count; l++) entries += entries_of(side.kernels + l, i).count;
        largest = most(largest, entries);
    }
    return (row_columns) {size_scratch(n + 2), size_scratch(largest), scratch(largest)};
}

/* Sums over all entries of the products of each form of x with each of y, without the diagonals; or
   with y NULL of each form of x with each other. Where `neighbours` is not 0, it is the number of
   entries of every row, all of them 1, and the sums over rows are those of their Jaccard
   indices. */
SEXP repalign_sparse_grid(SEXP x, SEXP y, SEXP neighbours)
{
    const sparse_side a = read_forms(ARG(x)), b = read_forms(ARG(y));
    const size_t n = a.kernels->n, columns = b.count > 0 ? b.count : a.count;
    const size_t size = a.count * columns;
    if (b.count > 0 && b.kernels->n != n) argument_error("y", "be of the size of x");
    const double each = read_number(ARG(neighbours));
    SEXP result = PROTECT(new_matrix(a.count, columns));
    const row_columns of_a = new_columns(a, n), of_b = new_columns(b, n);
    double *out = REAL(result), *row = each > 0.0 ? scratch(size) : NULL, *sums = row ? row : out;
    size_t done = 0;
    memset(out, 0, size * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        gather_columns(a, i, of_a);
        if (b.count > 0) gather_columns(b, i, of_b);
        if (row) memset(row, 0, size * sizeof(double));
        for (size_t t = 0; t < n; t++)
            done += b.count > 0 ? add_column(of_a, of_b, t, a.count, sums)
                                : add_own_column(of_a, t, a.count, sums);
        for (size_t k = 0; row && k < size; k++) out[k] += row[k] / (2.0 * each - row[k]);
        done += row ? size + n : n;
        if (done > PAUSE_PRODUCTS) {
            check_interrupt();
            done = 0;
        }
    }
    if (b.count == 0) mirror_lower(out, a.count);
    UNPROTECT(1);
    return result;
}

/* list(dot, sums): the sum of a_ij b_ij over the entries that both lists have, without the
   diagonals; and the row and column sums of a and of b there: rows of a, rows of b, columns of a,
   columns of b. */
SEXP repalign_sparse_common(SEXP form_a, SEXP form_b)
{
    const sparse_kernel a = read_form(ARG(form_a)), b = read_second_form(ARG(form_b), &a);
    const size_t n = a.n;
    SEXP result = PROTECT(NAMED_LIST("dot", "sums"));
    double *sums = put_matrix(result, 1, n, 4), total = 0.0, block = 0.0;
    size_t *position = zeroed_bytes(n * sizeof(size_t));
    memset(sums, 0, 4 * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const row_entries p = entries_of(&a, i), q = entries_of(&b, i);
        double row = 0.0;
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            position[column_of(&a, at)] = at + 1;
        for (size_t e = 0, at = q.first; e < q.count; e++, at += q.step) {
            const size_t j = column_of(&b, at);
            if (position[j] == 0) continue;
            const double va = a.value[position[j] - 1], vb = b.value[at];
            row += va * vb;
            sums[i] += va;
            sums[i + n] += vb;
            sums[j + 2 * n] += va;
            sums[j + 3 * n] += vb;
        }
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            position[column_of(&a, at)] = 0;
        block += row;
        if ((i + 1) % BLOCK_ROWS == 0 || i + 1 == n) {
            total += block;
            block = 0.0;
            check_interrupt();
        }
    }
    *put_doubles(result, 0, 1) = total;
    UNPROTECT(1);
    return result;
}

/* a + a' - a o a' as list(start, idx, weight), without the diagonal. */
SEXP repalign_sparse_symmetric(SEXP form)
{
    const sparse_kernel a = read_form(ARG(form));
    const size_t entries = (size_t) XLENGTH(find_element(form, "form", "idx"));
    int *mark = int_scratch(a.n), *column = int_scratch(entries);
    size_t *at = size_scratch(a.n);
    double *start = scratch(a.n + 1), *value = scratch(entries);
    sparse_transpose(&a, start, column, value, at);
    const sparse_kernel t = {a.n, 0, start, column, value, 0.0};
    check_interrupt();
    SEXP result = PROTECT(NAMED_LIST("start", "idx", "weight"));
    double *starts = put_doubles(result, 0, a.n + 1);
    symmetric_entries(&a, &t, starts, mark, at, NULL, NULL);
    int *idx = put_integers(result, 1, (size_t) starts[a.n]);
    double *weight = put_doubles(result, 2, (size_t) starts[a.n]);
    check_interrupt();
    symmetric_entries(&a, &t, starts, mark, at, idx, weight);
    UNPROTECT(1);
    return result;
}
