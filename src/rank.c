/* Average ranks of many values by radix sort: see rank.h. */

#include "rank.h"

#include <math.h>
#include <string.h>

#include "bits.h"
#include "entry.h"

/* Keys: the bits of a magnitude sort as it does. Steps count the doubles from the lowest value
   on; what lies between the magnitudes `negative` and `positive` is one step, `zero`, so that
   the gap around 0 takes no keys. Steps are shifted into 32 bits; step 0 has the key 0 alone. */
typedef struct {
    uint64_t negative, positive, zero;
    int shift;
} key_scale;

static uint64_t magnitude_bits(double value)
{
    uint64_t bits;
    value = fabs(value); /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t beyond(uint64_t bits, uint64_t base) { return bits > base ? bits - base : 0; }

static uint64_t step_of(double value, key_scale scale)
{
    if (value < 0.0) return scale.zero - beyond(magnitude_bits(value), scale.negative);
    return scale.zero + beyond(magnitude_bits(value), scale.positive);
}

static uint64_t key_of(double value, key_scale scale)
{
    const uint64_t step = step_of(value, scale);
    return step == 0 ? 0 : 1 + (step >> scale.shift);
}

/* The value at which a key begins, from key 1 on. */
static double key_edge(uint64_t key, key_scale scale)
{
    const uint64_t step = (key - 1) << scale.shift;
    if (step > scale.zero) return double_of_bits(scale.positive + (step - scale.zero));
    return step == scale.zero ? 0.0 : -double_of_bits(scale.negative + (scale.zero - step));
}

/* Of some values: the highest, the lowest of those up to `zero`, and the magnitudes nearest to 0
   of the negative and of the positive ones beyond it. Infinite, where there are none. */
typedef struct {
    double low, high, negative, positive;
} value_span;

static const value_span no_values = {INFINITY, -INFINITY, INFINITY, INFINITY};

static inline void widen(value_span *span, double value, double zero)
{
    if (value > span->high) span->high = value;
    if (value > zero) {
        if (value < span->positive) span->positive = value;
        return;
    }
    if (value < span->low) span->low = value;
    if (value < -zero && -value < span->negative) span->negative = -value;
}

/* One below the nearest, so that step `zero` is left to zeros and what counts as one. */
static uint64_t base_of(double nearest)
{
    return nearest < INFINITY ? magnitude_bits(nearest) - 1 : 0;
}

/* most: the largest key. */
static key_scale scale_of(value_span span, uint64_t most)
{
    key_scale scale = {base_of(span.negative), base_of(span.positive), 0, 0};
    if (span.low < 0.0) scale.zero = beyond(magnitude_bits(span.low), scale.negative);
    const uint64_t top = step_of(span.high, scale);
    while ((top >> scale.shift) > most - 1) scale.shift++;
    return scale;
}

typedef struct {
    const double *values;
    size_t length;
    key_scale scale;
    tie_tolerance tolerance;
    sort_cell *cells;
    const size_t *bounds;
    double *ranks;
} rank_job;

static void key_chunk(void *job, size_t chunk)
{
    const rank_job *r = job;
    const key_scale scale = r->scale;
    const size_t end = chunk_end(r->length, chunk);
    if (scale.zero > 0) {
        for (size_t k = chunk * CHUNK_SIZE; k < end; k++)
            r->cells[k] = key_of(r->values[k], scale) << 32 | k;
        return;
    }
    /* no negative values: the same in fewer steps */
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) {
        const uint64_t step = beyond(magnitude_bits(r->values[k]), scale.positive);
        r->cells[k] = (step == 0 ? 0 : 1 + (step >> scale.shift)) << 32 | k;
    }
}

/* By how much values of this magnitude may differ and still be tied. */
static double tie_width(const rank_job *r, double magnitude)
{
    return r->tolerance.relative * magnitude + r->tolerance.absolute;
}

/* May the values of two neighbours in the order of keys be in the wrong order, or tied? Twice the
   tolerance makes up for edges in place of values: a key spans less than a factor of two, but for
   the one of 0, whose values are within the absolute tolerance or not tied. */
static inline int may_tie(const rank_job *r, sort_cell left, sort_cell right)
{
    const uint64_t a = left >> 32, b = right >> 32;
    if (a == b) return 1;
    if (r->tolerance.relative == 0.0 && r->tolerance.absolute == 0.0) return 0;
    const double low = key_edge(a + 1, r->scale), high = key_edge(b, r->scale);
    return high - low <= 2.0 * tie_width(r, high > -low ? high : -low);
}

static double value_of(const rank_job *r, sort_cell cell) { return r->values[cell & LOWER_HALF]; }

static void sift_down(sort_cell *cells, size_t root, size_t length)
{
    const sort_cell moving = cells[root];
    for (size_t child; (child = 2 * root + 1) < length; root = child) {
        if (child + 1 < length && cells[child + 1] > cells[child]) child++;
        if (cells[child] <= moving) break;
        cells[root] = cells[child];
    }
    cells[root] = moving;
}

static void sort_cells(sort_cell *cells, size_t length)
{
    if (length <= 24) {
        for (size_t i = 1; i < length; i++) {
            const sort_cell moving = cells[i];
            size_t j = i;
            for (; j > 0 && cells[j - 1] > moving; j--) cells[j] = cells[j - 1];
            cells[j] = moving;
        }
        return;
    }
    for (size_t i = length / 2; i-- > 0;) sift_down(cells, i, length);
    for (size_t last = length - 1; last > 0; last--) {
        const sort_cell top = cells[0];
        cells[0] = cells[last];
        cells[last] = top;
        sift_down(cells, 0, last);
    }
}

/* Sorts by value: the keys become those of a finer scale that spans these values only, until
   a scale has a step for every double. Values that are all tied need no order but their ends, the
   lowest first and the highest last: what a chain of ties needs to see. */
static void sort_by_value(const rank_job *r, size_t from, size_t to)
{
    value_span span = no_values;
    for (size_t k = from; k < to; k++) widen(&span, value_of(r, r->cells[k]), 0.0);
    const double low = fmin(span.low, span.positive), high = span.high;
    const double smallest = low > 0.0 ? low : high < 0.0 ? -high : 0.0;
    if (low == high || high - low <= tie_width(r, smallest)) {
        for (size_t k = from + 1; k < to; k++) {
            const sort_cell cell = r->cells[k];
            const size_t end = value_of(r, cell) < value_of(r, r->cells[from]) ? from : k;
            r->cells[k] = r->cells[end];
            r->cells[end] = cell;
        }
        for (size_t k = from + 1; k + 1 < to; k++) {
            const sort_cell cell = r->cells[k];
            const size_t end = value_of(r, cell) > value_of(r, r->cells[to - 1]) ? to - 1 : k;
            r->cells[k] = r->cells[end];
            r->cells[end] = cell;
        }
        return;
    }
    const key_scale scale = scale_of(span, LOWER_HALF);
    for (size_t k = from; k < to; k++) {
        const uint64_t index = r->cells[k] & LOWER_HALF;
        r->cells[k] = key_of(r->values[index], scale) << 32 | index;
    }
    sort_cells(r->cells + from, to - from);
    if (scale.shift == 0) return;
    for (size_t start = from, k = from + 1; k <= to; k++) {
        if (k < to && r->cells[k] >> 32 == r->cells[start] >> 32) continue;
        if (k - start > 1) sort_by_value(r, start, k);
        start = k;
    }
}

/* Positions from .. to - 1 of the sorted order, which no other value ties with. */
static void rank_cluster(const rank_job *r, size_t from, size_t to)
{
    if (to - from > 1) sort_by_value(r, from, to);
    for (size_t start = from; start < to;) {
        size_t end = start + 1;
        double last = value_of(r, r->cells[start]);
        for (; end < to; end++) {
            const double value = value_of(r, r->cells[end]);
            if (value - last > tie_width(r, fmax(fabs(last), fabs(value)))) break;
            last = value;
        }
        const double rank = 0.5 * (double) (start + 1 + end);
        for (size_t k = start; k < end; k++) r->ranks[r->cells[k] & LOWER_HALF] = rank;
        start = end;
    }
}

static void rank_chunk(void *job, size_t chunk)
{
    const rank_job *r = job;
    const size_t stop = r->bounds[chunk + 1];
    for (size_t from = r->bounds[chunk]; from < stop;) {
        size_t to = from + 1;
        while (to < stop && may_tie(r, r->cells[to - 1], r->cells[to])) to++;
        if (to - from == 1) r->ranks[r->cells[from] & LOWER_HALF] = (double) to;
        else rank_cluster(r, from, to);
        from = to;
    }
}

void average_ranks(const double *values, size_t length, tie_tolerance tolerance,
                   rank_scratch scratch, worker by, double *ranks)
{
    value_span span = no_values;
    for (size_t k = 0; k < length; k++) widen(&span, values[k], tolerance.absolute);
    /* keys of three digits at most: where they are short, more values have the same one, and are
       told apart later */
    const int bits = digit_bits(length);
    const uint64_t top = 3 * bits < 32 ? ((uint64_t) 1 << (3 * bits)) - 1 : LOWER_HALF;
    rank_job job = {values,    length,         scale_of(span, top), tolerance,
                    scratch.a, scratch.bounds, ranks};
    const size_t chunks = chunk_count(length);
    run_chunks(chunks, by, key_chunk, &job);
    radix_pass(scratch.a, scratch.b, length, 32, scratch.counts, by);
    radix_pass(scratch.b, scratch.a, length, 32 + bits, scratch.counts, by);
    radix_pass(scratch.a, scratch.b, length, 32 + 2 * bits, scratch.counts, by);
    job.cells = scratch.b;
    /* chunks end where no tie can cross: found before any keys change */
    scratch.bounds[0] = 0;
    for (size_t c = 0; c < chunks; c++) {
        size_t end = most(chunk_end(length, c), scratch.bounds[c]);
        while (end > 0 && end < length && may_tie(&job, job.cells[end - 1], job.cells[end])) end++;
        scratch.bounds[c + 1] = end;
    }
    run_chunks(chunks, by, rank_chunk, &job);
}

/* tolerance: c(relative, absolute). */
SEXP repalign_average_ranks(SEXP v, SEXP tolerance, SEXP threads)
{
    const double *limits = read_doubles(ARG(tolerance), 2);
    const tie_tolerance equal = {limits[0], limits[1]};
    const size_t length = count_doubles(ARG(v));
    if (length > UINT32_MAX) argument_error("v", "have fewer than 2^32 values");
    SEXP result = PROTECT(new_doubles(length));
    /* the cells may take the memory of the ranks, which are written last */
    const rank_scratch z = {(sort_cell *) REAL(result), (sort_cell *) scratch(length),
                            size_scratch(radix_counts(length)),
                            size_scratch(chunk_count(length) + 1)};
    average_ranks(REAL(v), length, equal, z, read_worker(ARG(threads)), REAL(result));
    UNPROTECT(1);
    return result;
}
