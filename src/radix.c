/* Passes of a radix sort: see radix.h. */

#include "radix.h"

#include <string.h>

#define DIGITS ((size_t) 1 << DIGIT_BITS)

size_t radix_counts(size_t length) { return chunk_count(length) * DIGITS; }

typedef struct {
    const sort_cell *from;
    sort_cell *to;
    size_t length;
    int shift;
    size_t *counts;
} radix_job;

static size_t digit(sort_cell cell, int shift) { return (size_t) (cell >> shift) & (DIGITS - 1); }

static void count_chunk(void *job, size_t chunk)
{
    const radix_job *r = job;
    const size_t end = chunk_end(r->length, chunk);
    size_t *counts = r->counts + chunk * DIGITS;
    memset(counts, 0, DIGITS * sizeof(size_t));
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++) counts[digit(r->from[k], r->shift)]++;
}

static void scatter_chunk(void *job, size_t chunk)
{
    const radix_job *r = job;
    const size_t end = chunk_end(r->length, chunk);
    size_t *next = r->counts + chunk * DIGITS;
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++)
        r->to[next[digit(r->from[k], r->shift)]++] = r->from[k];
}

void radix_pass(const sort_cell *from, sort_cell *to, size_t length, int shift,
                       size_t *counts, worker by)
{
    radix_job job = {from, to, length, shift, counts};
    const size_t chunks = chunk_count(length);
    run_chunks(chunks, by, count_chunk, &job);
    size_t total = 0;
    for (size_t v = 0; v < DIGITS; v++) {
        for (size_t c = 0; c < chunks; c++) {
            const size_t here = counts[c * DIGITS + v];
            counts[c * DIGITS + v] = total;
            total += here;
        }
    }
    run_chunks(chunks, by, scatter_chunk, &job);
}
