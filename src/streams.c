/* Streams of random numbers by seed and key: see streams.h. The generator is splitmix64 (Steele,
   Lea and Flood 2014), a counter that is mixed. */

#include "streams.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void absorb(stream *s, uint64_t value) { s->state = mix((s->state ^ value) + STEP); }

stream stream_of_seed(uint64_t seed)
{
    stream s = {0};
    absorb(&s, seed);
    return s;
}

/* The length tells "a", "bc" from "ab", "c". */
void stream_add_key(stream *s, const char *part, size_t length)
{
    for (size_t i = 0; i < length; i++) absorb(s, (uint64_t) (unsigned char) part[i]);
    absorb(s, (uint64_t) length + 256);
}

static uint64_t next_number(stream *s)
{
    s->state += STEP;
    return mix(s->state);
}

/* A number below `limit`. Numbers of the incomplete last run of remainders are left out, which
   would favour small ones. */
static size_t below(stream *s, size_t limit)
{
    const uint64_t m = (uint64_t) limit, last = UINT64_MAX - UINT64_MAX % m;
    uint64_t number = next_number(s);
    while (number >= last) number = next_number(s);
    return (size_t) (number % m);
}

void stream_order(stream *s, size_t n, int *order)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = below(s, i + 1);
        if (j < i) order[i] = order[j];
        order[j] = (int) i + 1;
    }
}
