/* Distances between rows, packed: see distance.h. */

#include "distance.h"

#include <math.h>

#include "blas.h"
#include "entry.h"
#include "loops.h"

/* Columns of the data that are transposed between two pauses. */
#define PAUSE_COLUMNS 64

/* Below this share of the two squared norms, a squared distance from the Gram
   matrix has lost more than three digits: ranks could not tell ties any more. */
#define CANCELLATION 1e-3

/* Rows of a panel: about 16 MB, which stays in cache, and wide enough for BLAS. */
static size_t panel_rows(size_t n)
{
    const size_t rows = n > 0 ? 2097152 / n : 1, most = rows < 64 ? 64 : rows > 512 ? 512 : rows;
    return most < n ? most : n;
}

void load_block(const distance_rows *rows, size_t i0, size_t a, size_t columns, double *out)
{
    const centered_view *v = &rows->view;
    const size_t rest = v->n - i0;
    if (!rows->scale) {
        const centered_view part = {v->x + a * v->n, v->n, columns, v->mean + a, v->inverse_scale};
        load_rows(&part, i0, rest, out);
        return;
    }
    for (size_t c = 0; c < columns; c++) {
        const double *x = v->x + i0 + (a + c) * v->n, *scale = rows->scale + i0;
        const double *mean = rows->mean + i0;
        double *to = out + c * rest;
        AT_ONCE
        for (size_t i = 0; i < rest; i++) to[i] = x[i] * scale[i] - mean[i];
    }
}

/* Several panels read the rows again and again: they are kept if they fit. */
static int keeps_rows(const distance_rows *rows)
{
    return rows->view.n > panel_rows(rows->view.n) && rows->columns >= rows->view.d;
}

/* What is added to the panel (n - i0 by count): inner products of rows i0 .. n - 1 with rows
   i0 .. i0 + count - 1, in d columns, where `from` is row i0 and the next column begins `ld` later.
   Above the diagonal nothing is computed. */
static void add_products(const double *from, size_t ld, size_t d, size_t rest, size_t count,
                         double beta, double *panel)
{
    blas_syrk_lower(count, d, from, ld, beta, panel, rest);
    if (rest > count)
        blas_gemm('N', 'T', rest - count, count, d, 1.0, from + count, ld, from, ld, beta,
                  panel + count, rest);
}

static void panel_products(const distance_rows *rows, size_t i0, size_t count,
                           pause_function pause)
{
    const size_t n = rows->view.n, d = rows->view.d, rest = n - i0;
    if (keeps_rows(rows)) {
        add_products(rows->block + i0, n, d, rest, count, 0.0, rows->panel);
        return;
    }
    for (size_t a = 0; a < d; a += rows->columns) {
        const size_t now = least(d - a, rows->columns);
        load_block(rows, i0, a, now, rows->block);
        add_products(rows->block, rest, now, rest, count, a > 0 ? 1.0 : 0.0, rows->panel);
        pause();
    }
}

/* Distances of a row to `length` others, from its products with them, or angles; -1 for those that
   cancelled, of which it returns the number. size, sizes: see distance_rows. */
ALWAYS_INLINE size_t pack_row(const double *products, double size, const double *sizes,
                              size_t length, int angles, double *out)
{
    size_t cancelled = 0;
    for (size_t j = 0; j < length; j++) {
        const double whole = angles ? 1.0 : size + sizes[j];
        const double apart = angles ? 1.0 - products[j] * size * sizes[j]
                                    : whole - 2.0 * products[j];
        const int lost = apart <= CANCELLATION * whole;
        out[j] = lost ? -1.0 : apart;
        cancelled += (size_t) lost;
    }
    /* not sqrt(-1), which would be slow */
    for (size_t j = 0; !angles && j < length; j++) out[j] = out[j] < 0.0 ? -1.0 : sqrt(out[j]);
    return cancelled;
}

/* out: n (n - 1) / 2 values. Pairs that nearly coincide, where the Gram route cancels, are -1;
   returns how many of these there are. The last panel comes first: a panel needs the squared norms
   of its own rows, which stand on its diagonal, and those of the rows after them. */
static size_t packed_distances(const distance_rows *rows, worker by, double *out)
{
    const size_t n = rows->view.n, width = panel_rows(n);
    double *sizes = rows->sizes;
    size_t cancelled = 0;
    if (keeps_rows(rows)) load_block(rows, 0, 0, rows->view.d, rows->block);
    for (size_t panel = (n + width - 1) / width; panel-- > 0;) {
        const size_t i0 = panel * width, count = least(n - i0, width), rest = n - i0;
        panel_products(rows, i0, count, by.pause);
        for (size_t c = 0; c < count; c++) {
            const double square = rows->panel[c * rest + c];
            sizes[i0 + c] = rows->scale ? 1.0 / sqrt(square) : square;
        }
        for (size_t c = 0; c < count; c++) {
            const size_t i = i0 + c;
            const double *products = rows->panel + c * rest + c + 1;
            double *to = out + packed_start(n, i);
            cancelled += rows->scale
                ? pack_row(products, sizes[i], sizes + i + 1, n - 1 - i, 1, to)
                : pack_row(products, sizes[i], sizes + i + 1, n - 1 - i, 0, to);
        }
        by.pause();
    }
    return cancelled;
}

typedef struct {
    const double *rows;
    size_t n, d;
    int angles;
    double *out;
} direct_job;

static void direct_row(void *job, size_t i)
{
    const direct_job *t = job;
    const size_t d = t->d;
    const double *left = t->rows + i * d;
    double *out = t->out + packed_start(t->n, i) - (i + 1);
    for (size_t j = i + 1; j < t->n; j++) {
        const double *right = t->rows + j * d;
        double s0 = 0.0, s1 = 0.0;
        size_t a = 0;
        if (out[j] >= 0.0) continue;
        for (; a + 2 <= d; a += 2) {
            s0 += (left[a] - right[a]) * (left[a] - right[a]);
            s1 += (left[a + 1] - right[a + 1]) * (left[a + 1] - right[a + 1]);
        }
        if (a < d) s0 += (left[a] - right[a]) * (left[a] - right[a]);
        out[j] = t->angles ? 0.5 * (s0 + s1) : sqrt(s0 + s1);
    }
}

/* Rows whose facts are found together: a stretch of a column that is read at once. */
#define ROW_GROUP 128

typedef struct {
    const double *x;
    size_t n, d;
    int center;
    double *scale, *mean;
    int *unusable;
} row_facts;

static double larger(double a, double b) { return a > b ? a : b; }

/* The power of two that brings the largest entry of each row near one; 0 where the row has no
   direction. Then the means of the scaled rows: differences from the first entry are added, as in
   stats_of(). */
static void row_group(void *job, size_t group)
{
    const row_facts *t = job;
    const size_t i0 = group * ROW_GROUP, rows = least(t->n - i0, ROW_GROUP);
    const double *first = t->x + i0, *scale = t->scale + i0;
    double low[ROW_GROUP], high[ROW_GROUP], from[ROW_GROUP], sum[ROW_GROUP];
    for (size_t i = 0; i < rows; i++) low[i] = high[i] = first[i];
    for (size_t a = 1; a < t->d; a++) {
        const double *x = first + a * t->n;
        AT_ONCE
        for (size_t i = 0; i < rows; i++) {
            low[i] = x[i] < low[i] ? x[i] : low[i];
            high[i] = x[i] > high[i] ? x[i] : high[i];
        }
    }
    for (size_t i = 0; i < rows; i++) {
        const double size = larger(high[i], -low[i]);
        const int empty = t->center ? are_equal(low[i], high[i]) : size == 0.0;
        t->scale[i0 + i] = empty ? 0.0 : power_near_one(size);
        t->unusable[i0 + i] = empty;
        t->mean[i0 + i] = sum[i] = 0.0;
        from[i] = first[i] * t->scale[i0 + i];
    }
    if (!t->center) return;
    for (size_t a = 1; a < t->d; a++) {
        const double *x = first + a * t->n;
        AT_ONCE
        for (size_t i = 0; i < rows; i++) sum[i] += x[i] * scale[i] - from[i];
    }
    for (size_t i = 0; i < rows; i++) t->mean[i0 + i] = from[i] + sum[i] / (double) t->d;
}

size_t find_row_facts(const double *x, size_t n, size_t d, int center, worker by, double *scale,
                      double *mean, int *unusable)
{
    row_facts job = {x, n, d, center, scale, mean, unusable};
    size_t count = 0;
    run_chunks((n + ROW_GROUP - 1) / ROW_GROUP, by, row_group, &job);
    for (size_t i = 0; i < n; i++) count += (size_t) unusable[i];
    return count;
}

/* Doubles of a block of columns when none is given. What is read once stays in cache until it is
   multiplied (512 KB); what is read by several panels is better kept (512 MB). */
#define CACHED_DOUBLES 65536.0
#define KEPT_DOUBLES 67108864.0

/* Packed distances of rows whose view, scale and mean are set. columns: of a block, or NULL. */
static SEXP packed_result(distance_rows rows, SEXP columns, worker by)
{
    const size_t n = rows.view.n, d = rows.view.d;
    if (n == 0) argument_error("x", "have rows");
    const double entries = n > panel_rows(n) ? KEPT_DOUBLES : CACHED_DOUBLES;
    const double wanted = Rf_isNull(columns) ? entries / (double) n : read_number(ARG(columns));
    rows.columns = wanted < 1 ? 1 : wanted < (double) d ? (size_t) wanted : d;
    rows.block = scratch(n * rows.columns);
    rows.sizes = scratch(n);
    rows.panel = scratch(n * panel_rows(n));
    SEXP result = PROTECT(new_doubles(packed_length(n)));
    if (packed_distances(&rows, by, REAL(result)) > 0) {
        /* fills in the -1 from the rows themselves */
        double *column = scratch(n), *transposed = scratch(n * d);
        const int angles = rows.scale != NULL;
        for (size_t a = 0; a < d; a++) {
            load_block(&rows, 0, a, 1, column);
            for (size_t i = 0; i < n; i++)
                transposed[a + i * d] = angles ? column[i] * rows.sizes[i] : column[i];
            if (a % PAUSE_COLUMNS == 0) by.pause();
        }
        /* a chunk is one row here: with many duplicates it takes long enough */
        direct_job job = {transposed, n, d, angles, REAL(result)};
        run_chunks(n - 1, by, direct_row, &job);
    }
    UNPROTECT(1);
    return result;
}

/* Euclidean distances, packed. */
SEXP repalign_distances(SEXP x, SEXP means, SEXP scale, SEXP threads, SEXP columns)
{
    const distance_rows rows = {read_view(ARG(x), ARG(means), ARG(scale)), NULL, NULL, 0, NULL,
                                NULL, NULL};
    return packed_result(rows, columns, read_worker(ARG(threads)));
}

/* list(d, bad): 1 - the cosines between rows, which are centred before where `center` is TRUE, and
   the numbers of the rows that have no direction. With any of these, d is NULL. */
SEXP repalign_unit_distances(SEXP x, SEXP center, SEXP threads, SEXP columns)
{
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    const worker by = read_worker(ARG(threads));
    double *scale = scratch(n), *mean = scratch(n);
    int *unusable = int_scratch(n);
    SEXP result = PROTECT(NAMED_LIST("d", "bad"));
    const size_t bad =
        find_row_facts(values, n, d, read_flag(ARG(center)), by, scale, mean, unusable);
    put_positions(result, 1, unusable, n, bad);
    if (bad == 0) {
        const distance_rows rows = {{values, n, d, NULL, 1.0}, scale, mean, 0, NULL, NULL, NULL};
        SET_VECTOR_ELT(result, 0, packed_result(rows, columns, by));
    }
    UNPROTECT(1);
    return result;
}
