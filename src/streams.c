/* Streams of random numbers that a seed and a key determine, whatever else is drawn. */

#include <stdint.h>
#include <limits.h>
#include <string.h>

#include "entry.h"

typedef struct {
    uint64_t state;
} stream;

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void absorb(stream *s, uint64_t value) { s->state = mix((s->state ^ value) + STEP); }

/* The stream of a seed; every part of its key that is added makes it another stream. */
static stream stream_of_seed(uint64_t seed)
{
    stream s = {0};
    absorb(&s, seed);
    return s;
}

/* The length tells "a", "bc" from "ab", "c". */
static void stream_add_key(stream *s, const char *part, size_t length)
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

/* A random order of 1 .. n, every one of them equally likely. */
static void stream_order(stream *s, size_t n, int *order)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = below(s, i + 1);
        if (j < i) order[i] = order[j];
        order[j] = (int) i + 1;
    }
}

/* The order of 1 .. count that belongs to a seed and a key, a vector of strings, whose encoding
   does not matter. */
SEXP repalign_stream_order(SEXP seed, SEXP key, SEXP count)
{
    const size_t n = read_count(ARG(count), 1, INT_MAX);
    stream s = stream_of_seed((uint64_t) read_count(ARG(seed), 0, INT_MAX));
    if (!Rf_isString(key)) argument_error("key", "hold strings");
    for (R_xlen_t i = 0; i < XLENGTH(key); i++) {
        const char *part = Rf_translateCharUTF8(STRING_ELT(key, i));
        stream_add_key(&s, part, strlen(part));
    }
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) n));
    stream_order(&s, n, INTEGER(result));
    UNPROTECT(1);
    return result;
}
