/* Passes of a radix sort: see radix.h. */

#include "radix.h"

#include <string.h>

#define FEW_CELLS 16384

int digit_bits(size_t length) { return length < FEW_CELLS ? 8 : 11; }

static size_t digits_of(size_t length) { return (size_t) 1 << digit_bits(length); }

size_t radix_counts(size_t length) { return chunk_count(length) * digits_of(length); }

typedef struct {
    const sort_cell *from;
    sort_cell *to;
    size_t length, digits;
    int shift;
    size_t *counts;
} radix_job;

static size_t digit(const radix_job *r, size_t k)
{
    return (size_t) (r->from[k] >> r->shift) & (r->digits - 1);
}

static void count_chunk(void *job, size_t chunk)
{
    const radix_job *r = job;
    const size_t end = chunk_end(r->length, chunk);
    size_t *counts = r->counts + chunk * r->digits;
    memset(counts, 0, r->digits * sizeof(size_t));
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) counts[digit(r, k)]++;
}

static void scatter_chunk(void *job, size_t chunk)
{
    const radix_job *r = job;
    const size_t end = chunk_end(r->length, chunk);
    size_t *next = r->counts + chunk * r->digits;
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) r->to[next[digit(r, k)]++] = r->from[k];
}

void radix_pass(const sort_cell *from, sort_cell *to, size_t length, int shift, size_t *counts,
                worker by)
{
    const size_t digits = digits_of(length);
    radix_job job = {from, to, length, digits, shift, counts};
    const size_t chunks = chunk_count(length);
    run_chunks(chunks, by, count_chunk, &job);
    size_t total = 0;
    for (size_t v = 0; v < digits; v++) {
        for (size_t c = 0; c < chunks; c++) {
            const size_t here = counts[c * digits + v];
            counts[c * digits + v] = total;
            total += here;
        }
    }
    run_chunks(chunks, by, scatter_chunk, &job);
}
