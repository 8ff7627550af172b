/* Inner products of all representations of one list with all of another, as products of matrices:
   a stretch of all vectors is written side by side, multiplied by the BLAS, and added up. */

#include <string.h>
#include <limits.h>

#include "blas.h"
#include "loops.h"
#include "entry.h"

/* One side of the grid and what is known of the other: y.count is 0 where a list is compared with
   itself, and then only the lower triangle of out is made. */

/* A value for each pair of stimuli, either squared if asked for and less a centre, or less that and
   the means of its row and its column. */
typedef struct {
    const double *values, *means;
    int square;
    double center;
} packed_vector;

typedef struct {
    const packed_vector *vectors;
    size_t count;
    double *own; /* inner products of the vectors with themselves */
} packed_side;

/* The Gram matrix of centred data, from the data, or as it is (n x n). */
typedef struct {
    centered_view view;
    const double *gram;
} gram_source;

typedef struct {
    const gram_source *sources;
    size_t count;
    double *own;      /* inner products of the Gram matrices with themselves */
    double *diagonal; /* n x count */
} gram_side;

/* out += factor * a'b for stretches of `length` numbers, one a column; or a'a, of which the lower
   triangle is made. The BLAS writes the upper triangle of the transposed product there. */
static void add_products(const double *a, size_t count_a, const double *b, size_t count_b,
                         size_t length, size_t stride, double factor, double *out)
{
    if (length == 0) return;
    if (b) {
        blas_gemm('T', 'N', count_a, count_b, length, factor, a, stride, b, stride, 1.0, out,
                  count_a);
    } else {
        blas_syrk_add_lower(count_a, length, factor, a, stride, out);
    }
}

/* ---- packed vectors */

/* More at a time would not be faster, and takes memory that R has to free. */
#define LONGEST_STRETCH 1024

static inline double write_centered(const double *from, size_t length, double center, double *out)
{
    double squares = 0.0;
    SUM_AT_ONCE(squares)
    for (size_t k = 0; k < length; k++) {
        out[k] = from[k] - center;
        squares += out[k] * out[k];
    }
    return squares;
}

/* The rows first .. last - 1, and the sum of their squares. */
static double write_rows(const packed_vector *v, size_t n, size_t first, size_t last, double *out)
{
    const double *from = v->values + packed_start(n, first);
    const size_t length = packed_start(n, last) - packed_start(n, first);
    if (!v->means && !v->square)
        return write_centered(from, length, v->center, out);
    double *to = out;
    if (v->means) {
        for (size_t i = first; i < last; i++) {
            const double base = v->center + v->means[i];
            for (size_t j = i + 1; j < n; j++) *to++ = *from++ - v->means[j] - base;
        }
    } else {
        for (size_t k = 0; k < length; k++) to[k] = from[k] * from[k] - v->center;
    }
    return dot_blocked(out, out, length);
}

/* Other threads take longer to begin than to write fewer numbers than these. */
#define LEAST_SHARED ((size_t) 1 << 18)

static void write_stretch(packed_side side, size_t n, size_t first, size_t last, size_t stride,
                          worker by, double *buffer)
{
    const int threads = side.count * stride < LEAST_SHARED ? 1 : by.threads;
    PARALLEL_FOR(threads)
    for (size_t l = 0; l < side.count; l++)
        side.own[l] += write_rows(side.vectors + l, n, first, last, buffer + l * stride);
}

/* ---- Gram matrices */

/* Rows first .. first + rows - 1 of each Gram matrix, from the column `first` on (rows x
   (n - first)), `stride` numbers from one to the next. data: scratch, n x the largest number of
   columns. */
static void write_grams(gram_side side, size_t n, size_t first, size_t rows, size_t stride,
                        double *data, double *buffer)
{
    const size_t left = n - first, square = rows * rows, length = rows * left;
    for (size_t l = 0; l < side.count; l++) {
        const gram_source *g = side.sources + l;
        double *out = buffer + l * stride;
        if (g->gram) {
            for (size_t j = 0; j < left; j++)
                memcpy(out + j * rows, g->gram + first + (first + j) * n, rows * sizeof(double));
        } else {
            load_rows(&g->view, first, left, data);
            blas_gemm('N', 'T', rows, left, g->view.d, 1.0, data, left, data, left, 0.0, out, rows);
        }
        for (size_t i = 0; i < rows; i++) side.diagonal[first + i + l * n] = out[i * (rows + 1)];
        /* the rest of the rows stands for the columns below the diagonal, too */
        side.own[l] += dot_blocked(out, out, square) +
                       2.0 * dot_blocked(out + square, out + square, length - square);
    }
}

/* A list of list(values, square, center, means), with NULL for the means where none are taken off.
   Element `at` of the result receives their inner products with themselves. */
static packed_side read_vectors(SEXP list, const char *name, size_t n, SEXP result, int at)
{
    const size_t count = Rf_isNull(list) ? 0 : count_elements(list, name);
    packed_vector *vectors = (packed_vector *) R_alloc(count + 1, sizeof(packed_vector));
    for (size_t l = 0; l < count; l++) {
        SEXP one = VECTOR_ELT(list, (R_xlen_t) l), means = find_element(one, name, "means");
        const packed_vector v = {
            read_doubles(read_element(one, name, "values"), "values", packed_length(n)),
            Rf_isNull(means) ? NULL : read_doubles(ARG(means), n),
            read_flag(read_element(one, name, "square"), "square"),
            read_number(read_element(one, name, "center"), "center")};
        vectors[l] = v;
    }
    const packed_side side = {vectors, count, count > 0 ? put_doubles(result, at, count) : NULL};
    for (size_t l = 0; l < count; l++) side.own[l] = 0.0;
    return side;
}

/* list(table, x, y): sums over all pairs of n stimuli of the products of each vector of x with each
   of y, or with y NULL of x; and of each with itself. room: how many numbers may be written out at
   a time. */
SEXP repalign_packed_grid(SEXP x, SEXP y, SEXP n, SEXP room, SEXP threads)
{
    const size_t size = read_count(ARG(n), 2, INT_MAX);
    SEXP result = PROTECT(NAMED_LIST("table", "x", "y"));
    const packed_side a = read_vectors(ARG(x), size, result, 1);
    const packed_side b = read_vectors(ARG(y), size, result, 2);
    const worker by = read_worker(ARG(threads));
    const size_t count = most(a.count + b.count, 1);
    const size_t fit = (size_t) read_number(ARG(room)) / count;
    /* rows of the packed matrices that are written at once: one at least */
    const size_t stretch = least(most(least(fit, LONGEST_STRETCH), size), packed_length(size));
    if (stretch > INT_MAX) argument_error("room", "be smaller");
    double *table = put_matrix(result, 0, a.count, b.count > 0 ? b.count : a.count);
    double *buffer = scratch(count * stretch);
    double *other = b.count > 0 ? buffer + a.count * stretch : NULL;
    memset(table, 0, a.count * (other ? b.count : a.count) * sizeof(double));
    for (size_t first = 0, last; first + 1 < size; first = last) {
        /* whole rows that have no more entries than the stretch */
        size_t length = size - 1 - first;
        for (last = first + 1; last + 1 < size && length + (size - 1 - last) <= stretch; last++)
            length += size - 1 - last;
        write_stretch(a, size, first, last, stretch, by, buffer);
        if (other) write_stretch(b, size, first, last, stretch, by, other);
        add_products(buffer, a.count, other, b.count, length, stretch, 1.0, table);
        by.pause();
    }
    if (b.count == 0) mirror_lower(table, a.count);
    UNPROTECT(1);
    return result;
}

/* A list of list(data, means, scale) or list(gram). */
static const gram_source *read_sources(SEXP list, const char *name, size_t count, size_t *n,
                                       size_t *widest)
{
    gram_source *sources = (gram_source *) R_alloc(count + 1, sizeof(gram_source));
    for (size_t l = 0; l < count; l++) {
        SEXP one = VECTOR_ELT(list, (R_xlen_t) l), gram = find_element(one, name, "gram");
        size_t rows;
        if (Rf_isNull(gram)) {
            SEXP data = read_element(one, name, "data"), means = read_element(one, name, "means");
            SEXP scale = read_element(one, name, "scale");
            sources[l].view = read_view(ARG(data), ARG(means), ARG(scale));
            sources[l].gram = NULL;
            rows = sources[l].view.n;
            if (sources[l].view.d > *widest) *widest = sources[l].view.d;
        } else {
            rows = matrix_rows(gram);
            sources[l].gram = read_matrix_size(ARG(gram), rows, rows);
        }
        if (*n == 0) *n = rows;
        if (rows != *n) argument_error(name, "have representations of one size");
    }
    return sources;
}

static gram_side put_side(SEXP result, int at, const gram_source *sources, size_t count, size_t n)
{
    double *own = count > 0 ? put_doubles(result, at, count) : NULL;
    const gram_side side = {sources, count, own,
                            count > 0 ? put_matrix(result, at + 1, n, count) : NULL};
    for (size_t l = 0; l < count; l++) own[l] = 0.0;
    return side;
}

/* list(products, own_x, diagonal_x, own_y, diagonal_y): inner products of the Gram matrices of x
   with those of y, or with y NULL with each other; of each with itself; and their diagonals. */
SEXP repalign_gram_grid(SEXP x, SEXP y, SEXP room)
{
    const size_t count_x = count_elements(ARG(x));
    const size_t count_y = Rf_isNull(y) ? 0 : count_elements(ARG(y));
    size_t n = 0, widest = 1;
    const gram_source *a = read_sources(ARG(x), count_x, &n, &widest);
    const gram_source *b = read_sources(ARG(y), count_y, &n, &widest);
    const double fit = read_number(ARG(room)) / ((double) (count_x + count_y) * (double) n);
    const size_t rows = fit < 1.0 ? 1 : fit > 64.0 ? least(n, 64) : least((size_t) fit, n);
    const size_t stride = rows * n;
    SEXP result = PROTECT(NAMED_LIST("products", "own_x", "diagonal_x", "own_y", "diagonal_y"));
    double *products = put_matrix(result, 0, count_x, count_y > 0 ? count_y : count_x);
    const gram_side side_x = put_side(result, 1, a, count_x, n);
    const gram_side side_y = put_side(result, 3, b, count_y, n);
    double *buffer = scratch((count_x + count_y) * stride), *data = scratch(n * widest);
    double *other = count_y > 0 ? buffer + count_x * stride : NULL;
    memset(products, 0, count_x * (other ? count_y : count_x) * sizeof(double));
    for (size_t first = 0; first < n; first += rows) {
        const size_t now = least(n - first, rows), square = now * now;
        write_grams(side_x, n, first, now, stride, data, buffer);
        check_interrupt();
        if (other) write_grams(side_y, n, first, now, stride, data, other);
        add_products(buffer, count_x, other, count_y, square, stride, 1.0, products);
        add_products(buffer + square, count_x, other ? other + square : NULL, count_y,
                     now * (n - first) - square, stride, 2.0, products);
        check_interrupt();
    }
    if (count_y == 0) mirror_lower(products, count_x);
    UNPROTECT(1);
    return result;
}
