/* Long vectors in chunks of fixed size: see chunks.h. */

#include "chunks.h"

size_t run_chunk_group(size_t first, size_t count, worker by, chunk_task task, void *job)
{
    const size_t now = count - first < CHUNK_GROUP ? count - first : CHUNK_GROUP;
    const int threads = now > 1 ? by.threads : 1;
    PARALLEL_PIECES(threads, 1)
    for (size_t c = first; c < first + now; c++) task(job, c);
    return now;
}

void run_chunks(size_t count, worker by, chunk_task task, void *job)
{
    for (size_t first = 0; first < count;) {
        first += run_chunk_group(first, count, by, task, job);
        by.pause();
    }
}

size_t chunk_count(size_t length) { return (length + CHUNK_SIZE - 1) / CHUNK_SIZE; }

size_t chunk_end(size_t length, size_t chunk)
{
    const size_t end = (chunk + 1) * CHUNK_SIZE;
    return end < length ? end : length;
}
