/* Spearman correlations over pairs of stimuli, with products of weights of stimuli. */

#include <stdint.h>
#include <math.h>
#include <limits.h>

#include "blas.h"
#include "entry.h"

/* A pair of stimuli in the order of its dissimilarity: its zero-based stimuli, and its place among
   all pairs, doubled, plus 1 if it has the same rank as the one before. There are fewer than 2^31
   pairs, of fewer than 2^16 stimuli. */
typedef struct {
    uint32_t place_and_tie;
    uint16_t first, second;
} ranked_pair;

/* Sides with `length` pairs each, every side in its own order. */
typedef struct {
    const ranked_pair **pairs;
    size_t count;
} ranked_sides;

/* Below this share of the square of the weights' sum, a variance of ranks is rounding. */
#define NO_VARIANCE 1e-12

static double pair_weight(ranked_pair p, const double *w)
{
    return w[p.first] * w[p.second];
}

static size_t end_of_ties(const ranked_pair *pairs, size_t start, size_t length)
{
    size_t end = start + 1;
    while (end < length && (pairs[end].place_and_tie & 1)) end++;
    return end;
}

/* Writes the ranks to their places. Returns the root of the sum of their squares, NaN without any
   variance. */
static double write_ranks(const ranked_pair *pairs, size_t length, const double *w, double mean,
                          double *ranks)
{
    double below = -mean, squares = 0.0;
    for (size_t k = 0; k < length;) {
        const size_t end = end_of_ties(pairs, k, length);
        double weight = 0.0;
        for (size_t t = k; t < end; t++) weight += pair_weight(pairs[t], w);
        const double rank = below + 0.5 * weight;
        for (; k < end; k++) {
            const double own = pair_weight(pairs[k], w);
            /* weights of 0 and 1 are their own roots */
            ranks[pairs[k].place_and_tie >> 1] = rank * (own == 1.0 ? own : sqrt(own));
        }
        below += weight;
        squares += weight * rank * rank;
    }
    return squares > 2.0 * NO_VARIANCE * mean * mean * mean ? sqrt(squares) : NAN;
}

/* ranks: those of all sides of x, then of y; sizes: likewise. */
static void correlate(size_t count_x, size_t count_y, size_t length, const double *ranks,
                      const double *sizes, double *out)
{
    const size_t other = count_y > 0 ? count_y : count_x;
    const double *sizes_y = sizes + (count_y > 0 ? count_x : 0);
    if (count_y > 0) {
        blas_gemm('T', 'N', count_x, count_y, length, 1.0, ranks, length, ranks + count_x * length,
                  length, 0.0, out, count_x);
    } else {
        for (size_t k = 0; k < count_x * count_x; k++) out[k] = 0.0;
        blas_syrk_add_lower(count_x, length, 1.0, ranks, length, out);
        for (size_t j = 1; j < count_x; j++)
            for (size_t i = 0; i < j; i++) out[i + j * count_x] = out[j + i * count_x];
    }
    for (size_t j = 0; j < other; j++)
        for (size_t i = 0; i < count_x; i++) out[i + j * count_x] /= sizes[i] * sizes_y[j];
}

/* The pairs of sides, list(order, tied): their numbers in the order of their ranks, and which of
   them have the rank of the one before. */
static ranked_sides read_ranked_sides(SEXP list, const char *name, const int *first,
                                      const int *second, size_t length)
{
    const size_t count = Rf_isNull(list) ? 0 : count_elements(list, name);
    const ranked_pair **all = (const ranked_pair **) R_alloc(count + 1, sizeof(ranked_pair *));
    for (size_t l = 0; l < count; l++) {
        const SEXP side = VECTOR_ELT(list, (R_xlen_t) l), tied = read_element(side, name, "tied");
        const int *order = read_indices(read_element(side, name, "order"), name, length, length);
        if (TYPEOF(tied) != LGLSXP || (size_t) XLENGTH(tied) != length)
            argument_error(name, "have a logical `tied` for each pair");
        ranked_pair *pairs = (ranked_pair *) R_alloc(length, sizeof(ranked_pair));
        for (size_t k = 0; k < length; k++) {
            const uint32_t place = (uint32_t) order[k] - 1;
            pairs[k] = (ranked_pair) {place << 1 | (uint32_t) (LOGICAL(tied)[k] != 0),
                                      (uint16_t) (first[place] - 1),
                                      (uint16_t) (second[place] - 1)};
        }
        all[l] = pairs;
    }
    return (ranked_sides) {all, count};
}

/* pairs: list(first, second), the stimuli of all pairs; x, y: lists of sides, y NULL where x is
   compared with itself; w: a weight vector a column; room: how many numbers may be written out at a
   time. Correlations of ranks in which a pair counts as the product of its weights, sides of x by
   sides of y by columns, NaN where a side has one rank only. */
SEXP repalign_weighted_ranks(SEXP pairs, SEXP x, SEXP y, SEXP w, SEXP room, SEXP threads)
{
    const double *given = read_matrix(ARG(w));
    const size_t n = matrix_rows(w), columns = matrix_columns(w);
    const SEXP stimuli = read_element(ARG(pairs), "first");
    const size_t length = (size_t) XLENGTH(stimuli);
    if (length < 1 || length > INT_MAX) argument_error("pairs", "be 1 to 2^31 - 1");
    if (n > UINT16_MAX) argument_error("w", "have fewer than 65536 rows");
    const int *first = read_indices(stimuli, "first", length, n);
    const int *second = read_indices(read_element(ARG(pairs), "second"), "second", length, n);
    const ranked_sides a = read_ranked_sides(ARG(x), first, second, length);
    const ranked_sides b = read_ranked_sides(ARG(y), first, second, length);
    const size_t sides = a.count + b.count, cells = a.count * (b.count > 0 ? b.count : a.count);
    if (a.count == 0) argument_error("x", "have a side");
    const size_t fit = (size_t) read_number(ARG(room)) / (sides * length);
    const size_t at_once = least(most(fit, 1), columns);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(cells, columns));
    double *buffer = scratch(sides * at_once * length), *sizes = scratch(sides * at_once);
    for (size_t start = 0; start < columns; start += at_once) {
        const size_t now = least(columns - start, at_once), items = now * sides;
        const double *weights = given + start * n;
        /* the places of the sizes hold the mean rank, half of the weight of all pairs, until these
           are known */
        PARALLEL_FOR(by.threads)
        for (size_t k = 0; k < now; k++) {
            double total = 0.0;
            for (size_t t = 0; t < length; t++)
                total += pair_weight(a.pairs[0][t], weights + k * n);
            for (size_t side = 0; side < sides; side++) sizes[k * sides + side] = 0.5 * total;
        }
        PARALLEL_FOR(by.threads)
        for (size_t item = 0; item < items; item++) {
            const size_t side = item % sides, k = item / sides;
            const ranked_pair *of = side < a.count ? a.pairs[side] : b.pairs[side - a.count];
            sizes[item] = write_ranks(of, length, weights + k * n, sizes[item],
                                      buffer + item * length);
        }
        by.pause();
        for (size_t k = 0; k < now; k++)
            correlate(a.count, b.count, length, buffer + k * sides * length, sizes + k * sides,
                      REAL(result) + (start + k) * cells);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
