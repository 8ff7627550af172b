/* Streams of random numbers that a seed and a key determine, whatever else is drawn. */
#ifndef REPALIGN_STREAMS_H
#define REPALIGN_STREAMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} stream;

/* The stream of a seed; every part of its key that is added makes it another stream. */
stream stream_of_seed(uint64_t seed);
void stream_add_key(stream *s, const char *part, size_t length);

/* A random order of 1 .. n, every one of them equally likely. */
void stream_order(stream *s, size_t n, int *order);

#endif
