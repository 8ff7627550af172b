/* Kernels that are zero except near neighbours: see sparse.h. */

#include "sparse.h"

#include <string.h>

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

void sparse_sums(const sparse_kernel *a, double *rows, double *columns)
{
    for (size_t i = 0; i < a->n; i++) columns[i] = a->diagonal;
    for (size_t i = 0; i < a->n; i++) {
        const row_entries p = entries_of(a, i);
        double sum = a->diagonal;
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step) {
            sum += a->value[at];
            columns[column_of(a, at)] += a->value[at];
        }
        rows[i] = sum;
    }
}

static void spread_row(const sparse_kernel *a, size_t i, double *row)
{
    const row_entries p = entries_of(a, i);
    for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
        row[column_of(a, at)] = a->value[at];
}

static void clear_row(const sparse_kernel *a, size_t i, double *row)
{
    const row_entries p = entries_of(a, i);
    for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step) row[column_of(a, at)] = 0.0;
}

double sparse_dot(const sparse_kernel *a, const sparse_kernel *b, double *row,
                  pause_function pause)
{
    const size_t n = a->n;
    double total = (double) n * a->diagonal * b->diagonal, block = 0.0;
    for (size_t i = 0; i < n; i++) row[i] = 0.0;
    for (size_t i = 0; i < n; i++) {
        spread_row(a, i, row);
        const row_entries p = entries_of(b, i);
        double sum = 0.0;
        for (size_t e = 0, at = p.first; e < p.count; e++, at += p.step)
            sum += row[column_of(b, at)] * b->value[at];
        clear_row(a, i, row);
        block += sum;
        if ((i + 1) % BLOCK_ROWS == 0 || i + 1 == n) {
            total += block;
            block = 0.0;
            pause();
        }
    }
    return total;
}

size_t sparse_row_size(sparse_side side)
{
    size_t most = 0;
    for (size_t i = 0; i < side.kernels->n; i++) {
        size_t entries = 0;
        for (size_t l = 0; l < side.count; l++) entries += entries_of(side.kernels + l, i).count;
        if (entries > most) most = entries;
    }
    return most;
}

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

void sparse_grid(sparse_side x, sparse_side y, double neighbours, row_columns of_x,
                 row_columns of_y, double *row, pause_function pause, double *out)
{
    const size_t n = x.kernels->n, size = x.count * (y.count > 0 ? y.count : x.count);
    double *sums = row ? row : out;
    size_t done = 0;
    memset(out, 0, size * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        gather_columns(x, i, of_x);
        if (y.count > 0) gather_columns(y, i, of_y);
        if (row) memset(row, 0, size * sizeof(double));
        for (size_t t = 0; t < n; t++)
            done += y.count > 0 ? add_column(of_x, of_y, t, x.count, sums)
                                : add_own_column(of_x, t, x.count, sums);
        for (size_t k = 0; row && k < size; k++) out[k] += row[k] / (2.0 * neighbours - row[k]);
        done += row ? size + n : n;
        if (done > PAUSE_PRODUCTS) {
            pause();
            done = 0;
        }
    }
}

/* One row of sparse_common(): position is 0 everywhere before and after. */
static double common_row(const sparse_kernel *a, const sparse_kernel *b, size_t i, size_t *position,
                         double *sums)
{
    const size_t n = a->n;
    const row_entries pa = entries_of(a, i), pb = entries_of(b, i);
    double total = 0.0;
    for (size_t e = 0, at = pa.first; e < pa.count; e++, at += pa.step)
        position[column_of(a, at)] = at + 1;
    for (size_t e = 0, at = pb.first; e < pb.count; e++, at += pb.step) {
        const size_t j = column_of(b, at);
        if (position[j] == 0) continue;
        const double va = a->value[position[j] - 1], vb = b->value[at];
        total += va * vb;
        sums[i] += va;
        sums[i + n] += vb;
        sums[j + 2 * n] += va;
        sums[j + 3 * n] += vb;
    }
    for (size_t e = 0, at = pa.first; e < pa.count; e++, at += pa.step)
        position[column_of(a, at)] = 0;
    return total;
}

double sparse_common(const sparse_kernel *a, const sparse_kernel *b, size_t *position, double *sums,
                     pause_function pause)
{
    const size_t n = a->n;
    double total = 0.0, block = 0.0;
    for (size_t i = 0; i < n; i++) position[i] = 0;
    for (size_t i = 0; i < 4 * n; i++) sums[i] = 0.0;
    for (size_t i = 0; i < n; i++) {
        block += common_row(a, b, i, position, sums);
        if ((i + 1) % BLOCK_ROWS == 0 || i + 1 == n) {
            total += block;
            block = 0.0;
            pause();
        }
    }
    return total;
}

void sparse_transpose(const sparse_kernel *a, double *start, int *column, double *value,
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

void symmetric_starts(const sparse_kernel *a, const sparse_kernel *t, double *start, int *mark)
{
    const size_t n = a->n;
    size_t next = 0;
    for (size_t j = 0; j < n; j++) mark[j] = 0;
    for (size_t i = 0; i < n; i++) {
        const row_entries out = entries_of(a, i), in = entries_of(t, i);
        const int row = (int) i + 1;
        start[i] = (double) next;
        next += out.count;
        for (size_t e = 0, at = out.first; e < out.count; e++, at += out.step)
            mark[column_of(a, at)] = row;
        for (size_t e = 0, at = in.first; e < in.count; e++, at += in.step)
            if (mark[column_of(t, at)] != row) next++;
    }
    start[n] = (double) next;
}

void symmetric_entries(const sparse_kernel *a, const sparse_kernel *t, const double *start,
                       int *mark, size_t *at, int *column, double *value)
{
    const size_t n = a->n;
    for (size_t j = 0; j < n; j++) mark[j] = 0;
    for (size_t i = 0; i < n; i++) {
        const row_entries out = entries_of(a, i), in = entries_of(t, i);
        const int row = (int) i + 1;
        size_t next = (size_t) start[i];
        for (size_t e = 0, from = out.first; e < out.count; e++, from += out.step, next++) {
            const size_t j = column_of(a, from);
            mark[j] = row;
            at[j] = next;
            column[next] = a->column[from];
            value[next] = a->value[from];
        }
        for (size_t e = 0, from = in.first; e < in.count; e++, from += in.step) {
            const size_t j = column_of(t, from);
            const double w = t->value[from];
            if (mark[j] == row) {
                const double v = value[at[j]];
                value[at[j]] = (v + w) - v * w; /* the same number for (i, j) and (j, i) */
            } else {
                column[next] = t->column[from];
                value[next++] = w;
            }
        }
    }
}
