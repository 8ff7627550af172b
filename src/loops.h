/* What hot loops have in common: steps that run at once, and memory that is asked for in time. */
#ifndef REPALIGN_LOOPS_H
#define REPALIGN_LOOPS_H

#include <stddef.h>

#include "threads.h"

/* Every step of the loop that follows may run at once; the second kind adds up variables. */
#define AT_ONCE OPENMP(simd)
#define SUM_AT_ONCE(...) OPENMP(simd reduction(+ : __VA_ARGS__))

/* A loop over some rows of many columns asks for the same rows of the next column, in blocks,
   while it works on one: processors guess what comes next in a column, but not where the next one
   begins. */
#define FETCH_BLOCK 64

/* A function that is always compiled into the loop that calls it, which could else not run steps at
   once. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define FETCH(address) __builtin_prefetch(address)
#else
#define ALWAYS_INLINE static inline
#define FETCH(address) ((void) (address))
#endif

static inline void fetch(const double *x, size_t length)
{
    for (size_t i = 0; i < length; i += 8) FETCH(x + i);
}

static inline size_t fetch_end(size_t start, size_t length)
{
    return start + FETCH_BLOCK < length ? start + FETCH_BLOCK : length;
}

#endif
