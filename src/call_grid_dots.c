/* Entry points of inner products of all representations of two lists. */

#include "grid_dots.h"

#include <limits.h>

#include "entry.h"

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
    return side;
}

/* list(table, x, y): sums over all pairs of n stimuli of the products of each vector of x with each
   of y, or with y NULL of x; and of each with itself. room: how many numbers may be written out at
   a time. */
SEXP repalign_packed_grid(SEXP x, SEXP y, SEXP n, SEXP room, SEXP threads)
{
    begin_entry(__func__);
    const size_t size = read_count(ARG(n), 2, INT_MAX);
    const char *names[] = {"table", "x", "y", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const packed_side a = read_vectors(ARG(x), size, result, 1);
    const packed_side b = read_vectors(ARG(y), size, result, 2);
    const worker by = read_worker(ARG(threads));
    const size_t stretch = packed_stretch(size, a.count + b.count, (size_t) read_number(ARG(room)));
    if (stretch > INT_MAX) argument_error("room", "be smaller");
    double *table = put_matrix(result, 0, a.count, b.count > 0 ? b.count : a.count);
    packed_grid(a, b, size, stretch, by, scratch((a.count + b.count) * stretch), table);
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
    return side;
}

/* list(products, own_x, diagonal_x, own_y, diagonal_y): inner products of the Gram matrices of x
   with those of y, or with y NULL with each other; of each with itself; and their diagonals. */
SEXP repalign_gram_grid(SEXP x, SEXP y, SEXP room)
{
    begin_entry(__func__);
    const size_t count_x = count_elements(ARG(x));
    const size_t count_y = Rf_isNull(y) ? 0 : count_elements(ARG(y));
    size_t n = 0, widest = 1;
    const gram_source *a = read_sources(ARG(x), count_x, &n, &widest);
    const gram_source *b = read_sources(ARG(y), count_y, &n, &widest);
    const double most = read_number(ARG(room)) / ((double) (count_x + count_y) * (double) n);
    const size_t rows = most < 1.0 ? 1 : most > (double) n ? n : (size_t) most;
    const size_t usual = rows > 64 ? 64 : rows;
    const char *names[] = {"products", "own_x", "diagonal_x", "own_y", "diagonal_y", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *products = put_matrix(result, 0, count_x, count_y > 0 ? count_y : count_x);
    const gram_side side_x = put_side(result, 1, a, count_x, n);
    const gram_side side_y = put_side(result, 3, b, count_y, n);
    gram_grid(side_x, side_y, n, usual, check_interrupt,
              scratch((count_x + count_y) * usual * n), scratch(n * widest), products);
    if (count_y == 0) mirror_lower(products, count_x);
    UNPROTECT(1);
    return result;
}
