/* Kendall's tau of two vectors of average ranks. */

#include <math.h>

#include "radix.h"
#include "entry.h"

/* a, b: `length` cells; counts: radix_counts(length); partial: one a chunk. */
typedef struct {
    sort_cell *a, *b;
    size_t *counts;
    uint64_t *partial;
} kendall_scratch;

/* Numbers of pairs of values: concordant ones less discordant ones, where pairs that are tied on a
   side count as 0; all; and those that are not tied on each side. */
typedef struct {
    double excess, all, untied_x, untied_y;
} kendall_pairs;

typedef struct {
    const double *x, *y;
    size_t length;
    sort_cell *cells;
} pair_job;

/* Twice an average rank is a whole number. */
static void pair_chunk(void *job, size_t chunk)
{
    const pair_job *p = job;
    const size_t end = chunk_end(p->length, chunk);
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++)
        p->cells[k] = (sort_cell) (2.0 * p->x[k]) << 32 | (sort_cell) (2.0 * p->y[k]);
}

typedef struct {
    const uint32_t *from;
    uint32_t *to;
    size_t length, width;
    uint64_t *partial;
} merge_job;

/* How many of the first `taken` merged values come from the left run; ties are taken from the
   left first. */
static size_t left_share(const uint32_t *left, size_t lefts, const uint32_t *right, size_t rights,
                         size_t taken)
{
    size_t low = taken > rights ? taken - rights : 0, high = taken < lefts ? taken : lefts;
    while (low < high) {
        const size_t i = low + (high - low) / 2;
        /* left[i] belongs to the first `taken` when it is not above right[taken - i - 1] */
        if (left[i] <= right[taken - i - 1]) low = i + 1;
        else high = i;
    }
    return low;
}

/* Merged values first .. last - 1 of two runs; the inversions that their right ones close. While
   both runs last there is no branch on which value is smaller, which no processor foresees. */
static uint64_t merge_part(const uint32_t *left, size_t lefts, const uint32_t *right,
                           size_t rights, size_t first, size_t last, uint32_t *to)
{
    size_t i = left_share(left, lefts, right, rights, first), j = first - i;
    uint64_t inversions = 0;
    size_t k = first;
    for (; k < last && i < lefts && j < rights; k++) {
        const uint32_t l = left[i], r = right[j];
        const size_t take_right = r < l;
        to[k] = take_right ? r : l;
        inversions += (lefts - i) & (0 - take_right);
        j += take_right;
        i += 1 - take_right;
    }
    for (; k < last && i < lefts; k++) to[k] = left[i++];
    for (; k < last; k++) to[k] = right[j++];
    return inversions;
}

/* Output positions of one chunk, at any width: widths and chunks are powers of two. */
static void merge_chunk(void *job, size_t chunk)
{
    const merge_job *m = job;
    const size_t end = chunk_end(m->length, chunk), both = 2 * m->width;
    uint64_t inversions = 0;
    for (size_t k = chunk * CHUNK_SIZE; k < end;) {
        const size_t start = k / both * both, rest = m->length - start;
        const size_t lefts = rest < m->width ? rest : m->width;
        const size_t rights = rest - lefts < m->width ? rest - lefts : m->width;
        const size_t stop = start + lefts + rights < end ? start + lefts + rights : end;
        inversions += merge_part(m->from + start, lefts, m->from + start + lefts, rights,
                                 k - start, stop - start, m->to + start);
        k = stop;
    }
    m->partial[chunk] += inversions;
}

/* Pairs out of runs of equal values among `length` sorted ones. */
static uint64_t tied_pairs(const sort_cell *cells, size_t length, int shift)
{
    uint64_t pairs = 0, run = 0;
    for (size_t k = 1; k < length; k++) {
        run = cells[k] >> shift == cells[k - 1] >> shift ? run + 1 : 0;
        pairs += run;
    }
    return pairs;
}

static uint64_t tied_values(const uint32_t *values, size_t length)
{
    uint64_t pairs = 0, run = 0;
    for (size_t k = 1; k < length; k++) {
        run = values[k] == values[k - 1] ? run + 1 : 0;
        pairs += run;
    }
    return pairs;
}

static void sort_pairs(sort_cell *a, sort_cell *b, size_t length, size_t *counts, worker by)
{
    const int bits = digit_bits(length);
    int digits = 1; /* that twice the largest rank has */
    while (((uint64_t) 2 * length) >> (digits * bits) > 0) digits++;
    for (int half = 0; half <= 32; half += 32) {
        for (int p = 0; p < digits; p++) {
            radix_pass(a, b, length, half + p * bits, counts, by);
            sort_cell *swap = a;
            a = b;
            b = swap;
        }
    }
}

/* Inversions of the values in `from`, which are sorted on return; `to` is of the same length. */
static uint64_t count_inversions(uint32_t **from, uint32_t *to, size_t length, uint64_t *partial,
                                 worker by)
{
    const size_t chunks = chunk_count(length);
    uint64_t inversions = 0;
    for (size_t c = 0; c < chunks; c++) partial[c] = 0;
    for (size_t width = 1; width < length; width *= 2) {
        merge_job merge = {*from, to, length, width, partial};
        run_chunks(chunks, by, merge_chunk, &merge);
        uint32_t *swap = *from;
        *from = to;
        to = swap;
    }
    for (size_t c = 0; c < chunks; c++) inversions += partial[c];
    return inversions;
}

/* length: below 2^31 */
static kendall_pairs count_kendall(const double *ranks_x, const double *ranks_y, size_t length,
                                   kendall_scratch scratch, worker by)
{
    pair_job pairs = {ranks_x, ranks_y, length, scratch.a};
    run_chunks(chunk_count(length), by, pair_chunk, &pairs);
    /* twice as many passes as digits, so the sorted cells are in a again */
    sort_pairs(scratch.a, scratch.b, length, scratch.counts, by);
    const uint64_t all = (uint64_t) length * (length - 1) / 2;
    const uint64_t tied_x = tied_pairs(scratch.a, length, 32);
    const uint64_t tied_both = tied_pairs(scratch.a, length, 0);
    uint32_t *values = (uint32_t *) scratch.b;
    for (size_t k = 0; k < length; k++) values[k] = (uint32_t) (scratch.a[k] & LOWER_HALF);
    const uint64_t discordant =
        count_inversions(&values, values + length, length, scratch.partial, by);
    const uint64_t tied_y = tied_values(values, length);
    const uint64_t untied = all - tied_x - tied_y + tied_both;
    return (kendall_pairs) {(double) untied - 2.0 * (double) discordant, (double) all,
                            (double) (all - tied_x), (double) (all - tied_y)};
}

/* ranks_x, ranks_y: average ranks. Tau-a, or without tied pairs tau-b (NaN where all are tied). */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP without_ties, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(ranks_x));
    const double *y = read_doubles(ARG(ranks_y), length);
    if (length > INT32_MAX) argument_error("ranks_x", "have fewer than 2^31 values");
    const kendall_scratch z = {(sort_cell *) scratch(length), (sort_cell *) scratch(length),
                               size_scratch(radix_counts(length)),
                               zeroed_bytes(chunk_count(length) * sizeof(uint64_t))};
    const int tau_b = read_flag(ARG(without_ties));
    const kendall_pairs pairs =
        count_kendall(REAL(ranks_x), y, length, z, read_worker(ARG(threads)));
    const double size = tau_b ? sqrt(pairs.untied_x) * sqrt(pairs.untied_y) : pairs.all;
    return Rf_ScalarReal(pairs.excess / size);
}
