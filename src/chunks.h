/* Long vectors and packed matrices in chunks of fixed size, for the loops of threads.h: what a
   chunk does never depends on the number of threads, so neither do the results. */
#ifndef REPALIGN_CHUNKS_H
#define REPALIGN_CHUNKS_H

#include <stddef.h>

#include "threads.h"

/* Entries of a chunk. */
#define CHUNK_SIZE ((size_t) 1048576)

/* Chunks between two pauses, and slots of partial results that can be reused. */
#define CHUNK_GROUP 16

typedef void (*chunk_task)(void *job, size_t chunk);

/* task(job, 0 .. count - 1), in any order, with pauses between groups. */
void run_chunks(size_t count, worker by, chunk_task task, void *job);

/* The same for one group only, from `first`; returns how many were done. No pause. */
size_t run_chunk_group(size_t first, size_t count, worker by, chunk_task task, void *job);

/* Chunks of a vector of this length, and the end of one of them. */
size_t chunk_count(size_t length);
size_t chunk_end(size_t length, size_t chunk);

#endif
