/* Streams of random numbers that a seed and a key determine, whatever else is drawn. */

#include <stdint.h>
#include <limits.h>
#include <string.h>

#include "entry.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Every part of the key that is taken in makes it another stream. */
static void absorb(uint64_t *state, uint64_t value) { *state = mix((*state ^ value) + STEP); }

static uint64_t next_number(uint64_t *state)
{
    *state += STEP;
    return mix(*state);
}

/* A number below `limit`. Numbers of the incomplete last run of remainders are left out, which
   would favour small ones. */
static size_t below(uint64_t *state, size_t limit)
{
    const uint64_t m = (uint64_t) limit, last = UINT64_MAX - UINT64_MAX % m;
    uint64_t number = next_number(state);
    while (number >= last) number = next_number(state);
    return (size_t) (number % m);
}

/* The random order of 1 .. count that belongs to a seed and a key, a vector of strings, whose
   encoding does not matter: every order is equally likely. */
SEXP repalign_stream_order(SEXP seed, SEXP key, SEXP count)
{
    const size_t n = read_count(ARG(count), 1, INT_MAX);
    uint64_t state = 0;
    absorb(&state, (uint64_t) read_count(ARG(seed), 0, INT_MAX));
    if (!Rf_isString(key)) argument_error("key", "hold strings");
    for (R_xlen_t i = 0; i < XLENGTH(key); i++) {
        const char *part = Rf_translateCharUTF8(STRING_ELT(key, i));
        const size_t length = strlen(part);
        for (size_t k = 0; k < length; k++) absorb(&state, (uint64_t) (unsigned char) part[k]);
        /* the length tells "a", "bc" from "ab", "c" */
        absorb(&state, (uint64_t) length + 256);
    }
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) n));
    int *order = INTEGER(result);
    for (size_t i = 0; i < n; i++) {
        const size_t j = below(&state, i + 1);
        if (j < i) order[i] = order[j];
        order[j] = (int) i + 1;
    }
    UNPROTECT(1);
    return result;
}
