/* Passes over packed symmetric matrices: see packed.h. */

#include "packed.h"

#include <math.h>
#include <string.h>

#include "entry.h"
#include "loops.h"

size_t packed_start(size_t n, size_t i) { return i * (2 * n - i - 1) / 2; }

size_t packed_length(size_t n) { return n > 0 ? n * (n - 1) / 2 : 0; }

row_chunks new_row_chunks(size_t n)
{
    size_t *first = size_scratch(chunk_count(packed_length(n)) + 2), count = 0, filled = 0;
    first[0] = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        filled += n - 1 - i;
        if (filled >= CHUNK_SIZE || i + 2 == n) {
            first[++count] = i + 1;
            filled = 0;
        }
    }
    return (row_chunks) {n, count, first};
}

/* Runs a task that writes one number a chunk to `partial`, and adds them up. */
static SEXP sum_of_chunks(size_t count, SEXP threads, chunk_task task, void *job,
                          const double *partial)
{
    double total = 0.0;
    run_chunks(count, read_worker(ARG(threads)), task, job);
    for (size_t c = 0; c < count; c++) total += partial[c];
    return Rf_ScalarReal(total);
}

typedef struct {
    const double *a, *x;
    row_chunks rows;
    double *partial;
} times_job;

/* Two rows at once halve the traffic of y. Row i + 1 is one entry shorter. */
static void times_two_rows(const double *first, const double *second, const double *x, size_t from,
                           size_t n, double xi, double xk, double *y, double *dots)
{
    double s0 = 0.0, s1 = 0.0, t0 = 0.0, t1 = 0.0;
    size_t j = from;
    for (; j + 2 <= n; j += 2) {
        const double a0 = first[j], a1 = first[j + 1], b0 = second[j], b1 = second[j + 1];
        s0 += a0 * x[j];
        s1 += a1 * x[j + 1];
        t0 += b0 * x[j];
        t1 += b1 * x[j + 1];
        y[j] += a0 * xi + b0 * xk;
        y[j + 1] += a1 * xi + b1 * xk;
    }
    if (j < n) {
        s0 += first[j] * x[j];
        t0 += second[j] * x[j];
        y[j] += first[j] * xi + second[j] * xk;
    }
    dots[0] = s0 + s1;
    dots[1] = t0 + t1;
}

static void times_chunk(void *job, size_t chunk)
{
    const times_job *t = job;
    const size_t n = t->rows.n;
    double *y = t->partial + (chunk % CHUNK_GROUP) * n;
    const double *x = t->x;
    size_t i = t->rows.first[chunk];
    const size_t last = t->rows.first[chunk + 1];
    memset(y + i, 0, (n - i) * sizeof(double));
    for (; i < last; i += 2) {
        const double *row = t->a + packed_start(n, i) - (i + 1);
        if (i + 1 == last) {
            double dot = 0.0;
            for (size_t j = i + 1; j < n; j++) {
                dot += row[j] * x[j];
                y[j] += row[j] * x[i];
            }
            y[i] += dot;
            break;
        }
        const double *next = t->a + packed_start(n, i + 1) - (i + 2);
        double dots[2];
        times_two_rows(row, next, x, i + 2, n, x[i], x[i + 1], y, dots);
        y[i] += dots[0] + row[i + 1] * x[i + 1];
        y[i + 1] += dots[1] + row[i + 1] * x[i];
    }
}

void packed_times(const double *a, const double *x, row_chunks rows, worker by, double *partial,
                  double *y)
{
    times_job job = {a, x, rows, partial};
    memset(y, 0, rows.n * sizeof(double));
    for (size_t first = 0; first < rows.count;) {
        const size_t done = run_chunk_group(first, rows.count, by, times_chunk, &job);
        for (size_t c = first; c < first + done; c++) {
            const double *part = partial + (c % CHUNK_GROUP) * rows.n;
            for (size_t j = rows.first[c]; j < rows.n; j++) y[j] += part[j];
        }
        first += done;
        by.pause();
    }
}

/* Sum over i < j of (a_ij - u_i - u_j + g) (b_ij - v_i - v_j + h). partial: one a chunk, here and
   below. */
typedef struct {
    const double *entries, *means;
    double grand;
} packed_centered;

typedef struct {
    packed_centered a, b;
    row_chunks rows;
    double *partial;
} centered_job;

static void centered_chunk(void *job, size_t chunk)
{
    const centered_job *c = job;
    const size_t n = c->rows.n;
    const double *u = c->a.means, *v = c->b.means;
    double total = 0.0;
    for (size_t i = c->rows.first[chunk]; i < c->rows.first[chunk + 1]; i++) {
        const size_t start = packed_start(n, i) - (i + 1);
        const double *a = c->a.entries + start, *b = c->b.entries + start;
        const double ga = c->a.grand - u[i], gb = c->b.grand - v[i];
        double s0 = 0.0, s1 = 0.0;
        size_t j = i + 1;
        for (; j + 2 <= n; j += 2) {
            s0 += (a[j] - u[j] + ga) * (b[j] - v[j] + gb);
            s1 += (a[j + 1] - u[j + 1] + ga) * (b[j + 1] - v[j + 1] + gb);
        }
        if (j < n) s0 += (a[j] - u[j] + ga) * (b[j] - v[j] + gb);
        total += s0 + s1;
    }
    c->partial[chunk] = total;
}

/* Vectors of any length: sum of (a - m) (b - l), of squares where asked for; or of (a f - b g)^2,
   which has no squares and centres. */
typedef struct {
    const double *values;
    int square;
    double center, factor;
} packed_values;

typedef struct {
    packed_values a, b;
    size_t length;
    double *out; /* one a chunk, or one an entry */
} vector_job;

/* Sums inside a chunk run in blocks, so that rounding does not grow with its length. */
#define BLOCK 512

/* The sum of term(job, k) over a chunk. */
ALWAYS_INLINE void sum_terms(const vector_job *job, size_t chunk,
                             double (*term)(const vector_job *job, size_t k))
{
    const size_t end = chunk_end(job->length, chunk);
    double total = 0.0;
    for (size_t start = chunk * CHUNK_SIZE; start < end; start += BLOCK) {
        const size_t stop = least(end, start + BLOCK);
        double s0 = 0.0, s1 = 0.0;
        size_t k = start;
        for (; k + 2 <= stop; k += 2) {
            s0 += term(job, k);
            s1 += term(job, k + 1);
        }
        if (k < stop) s0 += term(job, k);
        total += s0 + s1;
    }
    job->out[chunk] = total;
}

static double value_at(const packed_values *v, size_t k)
{
    const double value = v->values[k];
    return (v->square ? value * value : value) - v->center;
}

static inline double term_of_sum(const vector_job *job, size_t k) { return value_at(&job->a, k); }

static inline double term_of_product(const vector_job *job, size_t k)
{
    return value_at(&job->a, k) * value_at(&job->b, k);
}

static inline double difference_at(const vector_job *job, size_t k)
{
    return job->a.values[k] * job->a.factor - job->b.values[k] * job->b.factor;
}

static inline double term_of_squares(const vector_job *job, size_t k)
{
    const double difference = difference_at(job, k);
    return difference * difference;
}

static void sum_chunk(void *job, size_t chunk) { sum_terms(job, chunk, term_of_sum); }

static void product_chunk(void *job, size_t chunk) { sum_terms(job, chunk, term_of_product); }

static void squares_chunk(void *job, size_t chunk) { sum_terms(job, chunk, term_of_squares); }

static void difference_chunk(void *job, size_t chunk)
{
    const vector_job *d = job;
    const size_t end = chunk_end(d->length, chunk);
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) d->out[k] = difference_at(d, k);
}

void packed_difference(const double *a, double fa, const double *b, double fb, size_t length,
                       worker by, double *out)
{
    vector_job job = {{.values = a, .factor = fa}, {.values = b, .factor = fb}, length, out};
    run_chunks(chunk_count(length), by, difference_chunk, &job);
}

/* Sum of exp(-(v f)^2), or of exp(-v f) when the values are squares; less 1 each when shifted,
   which keeps the digits where all are near 1. */
typedef struct {
    const double *v;
    double factor;
    int squared, shifted;
    size_t length;
    double *partial;
} decay_job;

/* exp() of less than this is 0, and in high dimensions most are: not worth a call. */
#define EXP_UNDERFLOW (-746.0)

static void decay_chunk(void *job, size_t chunk)
{
    const decay_job *d = job;
    const size_t end = chunk_end(d->length, chunk);
    double total = 0.0;
    for (size_t start = chunk * CHUNK_SIZE; start < end; start += BLOCK) {
        const size_t stop = least(end, start + BLOCK);
        double sum = 0.0;
        for (size_t k = start; k < stop; k++) {
            const double step = d->v[k] * d->factor;
            const double power = d->squared ? -step : -step * step;
            if (d->shifted) sum += expm1(power);
            else if (power > EXP_UNDERFLOW) sum += exp(power);
        }
        total += sum;
    }
    d->partial[chunk] = total;
}

/* Sums of the rows of a packed matrix of n rows (its diagonal is zero). */
SEXP repalign_packed_row_sums(SEXP a, SEXP n, SEXP threads)
{
    const size_t size = read_count(ARG(n), 2, INT_MAX);
    const double *values = read_doubles(ARG(a), packed_length(size));
    double *ones = scratch(size), *partial = scratch(CHUNK_GROUP * size);
    for (size_t i = 0; i < size; i++) ones[i] = 1.0;
    SEXP result = PROTECT(new_doubles(size));
    packed_times(values, ones, new_row_chunks(size), read_worker(ARG(threads)), partial,
                 REAL(result));
    UNPROTECT(1);
    return result;
}

/* Sum of the products of centred entries. */
SEXP repalign_packed_centered_dot(SEXP a, SEXP a_means, SEXP a_grand, SEXP b, SEXP b_means,
                                  SEXP b_grand, SEXP threads)
{
    const size_t n = count_doubles(ARG(a_means)), length = packed_length(n);
    const row_chunks rows = new_row_chunks(n);
    centered_job job = {
        {read_doubles(ARG(a), length), REAL(a_means), read_number(ARG(a_grand))},
        {read_doubles(ARG(b), length), read_doubles(ARG(b_means), n), read_number(ARG(b_grand))},
        rows, scratch(rows.count)};
    return sum_of_chunks(rows.count, threads, centered_chunk, &job, job.partial);
}

/* Sum of the products of two vectors, each squared if asked for and then less a centre. */
SEXP repalign_packed_product(SEXP a, SEXP a_square, SEXP a_center, SEXP b, SEXP b_square,
                             SEXP b_center, SEXP threads)
{
    const size_t length = count_doubles(ARG(a)), count = chunk_count(length);
    const double *right = read_doubles(ARG(b), length);
    vector_job job = {{REAL(a), read_flag(ARG(a_square)), read_number(ARG(a_center)), 0.0},
                      {right, read_flag(ARG(b_square)), read_number(ARG(b_center)), 0.0},
                      length, scratch(count)};
    return sum_of_chunks(count, threads, product_chunk, &job, job.out);
}

/* The smallest and the largest of the values that are no NaN, how many are, and the sum of all. */
static void write_extent(const double *values, size_t length, double *out)
{
    double low = INFINITY, high = -INFINITY, sum = 0.0, lacking = 0.0;
    OPENMP(simd reduction(+ : sum, lacking) reduction(min : low) reduction(max : high))
    for (size_t k = 0; k < length; k++) {
        low = values[k] < low ? values[k] : low;
        high = values[k] > high ? values[k] : high;
        sum += values[k];
        lacking += values[k] != values[k] ? 1.0 : 0.0;
    }
    out[0] = low;
    out[1] = high;
    out[2] = lacking;
    out[3] = sum;
}

/* The smallest and the largest value, how many lack, and the sum: see write_extent(). Of the
   columns of a matrix, a column each. */
SEXP repalign_value_extent(SEXP values)
{
    const size_t length = count_doubles(ARG(values));
    const size_t count = Rf_isMatrix(values) ? matrix_columns(values) : 1;
    SEXP result = PROTECT(Rf_isMatrix(values) ? new_matrix(4, count) : new_doubles(4));
    for (size_t k = 0; k < count; k++)
        write_extent(REAL(values) + k * (length / count), length / count, REAL(result) + 4 * k);
    UNPROTECT(1);
    return result;
}

/* The number of stimuli of a "dist" object of doubles that has as many values and labels as it
   should, and no other class; 0 of all else. */
static double plain_rdm_size(SEXP rdm, int *named)
{
    SEXP class = Rf_getAttrib(rdm, R_ClassSymbol), size = Rf_getAttrib(rdm, Rf_install("Size"));
    if (TYPEOF(rdm) != REALSXP || Rf_length(class) != 1 || !Rf_inherits(rdm, "dist")) return 0.0;
    if (!Rf_isNumeric(size) || XLENGTH(size) != 1) return 0.0;
    const double n = Rf_asReal(size);
    const double labels = Rf_length(Rf_getAttrib(rdm, Rf_install("Labels")));
    *named = labels > 0.0;
    const int fits = n > 1.0 && (double) XLENGTH(rdm) == n * (n - 1.0) / 2.0;
    return fits && (labels == 0.0 || labels == n) ? n : 0.0;
}

/* list(extent, n) of a list: the extents of plain "dist" objects without infinite values, a column
   each, which are NA for all other elements; and how many stimuli all of them have, or 0 where they
   differ, some lack pairs or are named, or there are others. */
SEXP repalign_plain_rdms(SEXP list)
{
    const size_t count = count_elements(ARG(list));
    SEXP result = PROTECT(NAMED_LIST("extent", "n"));
    double *out = put_matrix(result, 0, 4, count), *common = put_doubles(result, 1, 1);
    for (size_t k = 0; k < count; k++, out += 4) {
        SEXP one = VECTOR_ELT(list, (R_xlen_t) k);
        int named = 0;
        double n = plain_rdm_size(one, &named);
        if (n > 0.0) write_extent(REAL(one), (size_t) XLENGTH(one), out);
        if (n == 0.0 || !isfinite(out[0]) || !isfinite(out[1]))
            for (size_t i = 0; i < 4; i++) out[i] = NA_REAL;
        if (named || out[2] != 0.0) n = 0.0;
        *common = k == 0 || n == *common ? n : 0.0;
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_packed_sum(SEXP a, SEXP square, SEXP threads)
{
    const size_t length = count_doubles(ARG(a)), count = chunk_count(length);
    vector_job job = {{.values = REAL(a), .square = read_flag(ARG(square))}, {0}, length,
                      scratch(count)};
    return sum_of_chunks(count, threads, sum_chunk, &job, job.out);
}

/* Sum of squares of a fa - b fb. */
SEXP repalign_packed_difference_squares(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP threads)
{
    const size_t length = count_doubles(ARG(a)), count = chunk_count(length);
    const double *right = read_doubles(ARG(b), length);
    vector_job job = {{.values = REAL(a), .factor = read_number(ARG(fa))},
                      {.values = right, .factor = read_number(ARG(fb))}, length, scratch(count)};
    return sum_of_chunks(count, threads, squares_chunk, &job, job.out);
}

/* Sum of exp(-(v factor)^2) or exp(-v factor): see decay_job. */
SEXP repalign_packed_decay(SEXP v, SEXP factor, SEXP squared, SEXP shifted, SEXP threads)
{
    const size_t length = count_doubles(ARG(v)), count = chunk_count(length);
    decay_job job = {REAL(v), read_number(ARG(factor)), read_flag(ARG(squared)),
                     read_flag(ARG(shifted)), length, scratch(count)};
    return sum_of_chunks(count, threads, decay_chunk, &job, job.partial);
}
