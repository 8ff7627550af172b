/* Inner products of all representations of two lists: see grid_dots.h. */

#include "grid_dots.h"

#include <string.h>

#include "blas.h"
#include "wide.h"

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

/* Where the next stretch of whole rows ends that has no more than `most` entries, but at least one
   row. */
static size_t stretch_end(size_t n, size_t row, size_t most)
{
    size_t entries = 0;
    do {
        entries += n - 1 - row;
        row++;
    } while (row + 1 < n && entries + (n - 1 - row) <= most);
    return row;
}

/* More at a time would not be faster, and takes memory that R has to free. */
#define LONGEST_STRETCH 1024

size_t packed_stretch(size_t n, size_t count, size_t room)
{
    const size_t fit = room / (count > 0 ? count : 1), all = packed_length(n);
    const size_t most = fit < LONGEST_STRETCH ? fit : LONGEST_STRETCH;
    return most > all ? all : most < n ? n : most;
}

INLINE_BODY double centered_body(const double *from, size_t length, double center, double *out)
{
    double squares = 0.0;
    SUM_AT_ONCE(squares)
    for (size_t k = 0; k < length; k++) {
        out[k] = from[k] - center;
        squares += out[k] * out[k];
    }
    return squares;
}

static double plain_centered(const double *from, size_t length, double center, double *out)
{
    return centered_body(from, length, center, out);
}

static WIDE double wide_centered(const double *from, size_t length, double center, double *out)
{
    return centered_body(from, length, center, out);
}

/* The rows first .. last - 1, and the sum of their squares. */
static double write_rows(const packed_vector *v, size_t n, size_t first, size_t last, double *out)
{
    const double *from = v->values + packed_start(n, first);
    const size_t length = packed_start(n, last) - packed_start(n, first);
    if (!v->means && !v->square)
        return (wide_vectors() ? wide_centered : plain_centered)(from, length, v->center, out);
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

void packed_grid(packed_side x, packed_side y, size_t n, size_t stretch, worker by, double *buffer,
                 double *out)
{
    double *other = y.count > 0 ? buffer + x.count * stretch : NULL;
    memset(out, 0, x.count * (other ? y.count : x.count) * sizeof(double));
    memset(x.own, 0, x.count * sizeof(double));
    if (other) memset(y.own, 0, y.count * sizeof(double));
    for (size_t first = 0; first + 1 < n;) {
        const size_t last = stretch_end(n, first, stretch);
        const size_t length = packed_start(n, last) - packed_start(n, first);
        write_stretch(x, n, first, last, stretch, by, buffer);
        if (other) write_stretch(y, n, first, last, stretch, by, other);
        add_products(buffer, x.count, other, y.count, length, stretch, 1.0, out);
        by.pause();
        first = last;
    }
}

/* ---- Gram matrices */

/* Rows first .. first + rows - 1 of a Gram matrix, from the column `first` on, into out
   (rows x (n - first)). */
static void write_gram_rows(const gram_source *g, size_t n, size_t first, size_t rows,
                            double *data, double *out)
{
    const size_t left = n - first;
    if (g->gram) {
        for (size_t j = 0; j < left; j++)
            memcpy(out + j * rows, g->gram + first + (first + j) * n, rows * sizeof(double));
        return;
    }
    load_rows(&g->view, first, left, data);
    blas_gemm('N', 'T', rows, left, g->view.d, 1.0, data, left, data, left, 0.0, out, rows);
}

static void write_grams(gram_side side, size_t n, size_t first, size_t rows, size_t stride,
                        double *data, double *buffer)
{
    const size_t square = rows * rows, length = rows * (n - first);
    for (size_t l = 0; l < side.count; l++) {
        double *out = buffer + l * stride;
        write_gram_rows(side.sources + l, n, first, rows, data, out);
        for (size_t i = 0; i < rows; i++) side.diagonal[first + i + l * n] = out[i * (rows + 1)];
        /* the rest of the rows stands for the columns below the diagonal, too */
        side.own[l] += dot_blocked(out, out, square) +
                       2.0 * dot_blocked(out + square, out + square, length - square);
    }
}

void gram_grid(gram_side x, gram_side y, size_t n, size_t rows, pause_function pause,
               double *buffer, double *data, double *out)
{
    const size_t most = rows * n;
    double *other = y.count > 0 ? buffer + x.count * most : NULL;
    memset(out, 0, x.count * (other ? y.count : x.count) * sizeof(double));
    memset(x.own, 0, x.count * sizeof(double));
    if (other) memset(y.own, 0, y.count * sizeof(double));
    for (size_t first = 0; first < n; first += rows) {
        const size_t now = n - first < rows ? n - first : rows;
        const size_t square = now * now, length = now * (n - first), stride = most;
        write_grams(x, n, first, now, stride, data, buffer);
        pause();
        if (other) write_grams(y, n, first, now, stride, data, other);
        add_products(buffer, x.count, other, y.count, square, stride, 1.0, out);
        add_products(buffer + square, x.count, other ? other + square : NULL, y.count,
                     length - square, stride, 2.0, out);
        pause();
    }
}
