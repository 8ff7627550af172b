/* Hot loops compiled twice: plainly, and for processors with wider vectors.

   The body of such a loop is an INLINE_BODY function, called from a plain function and from
   one marked WIDE; wide_vectors() says at run time which of the two to take.

   What they gain was measured with GCC 12 at R's own -O2 on one machine, least of many times, as
   how much longer the plain loop takes: the Fourier transforms (fft.c) 1.4 to 1.7 times, at lengths
   of 100 to 4000; the products of spectra (inner_null.c) 1.4 to 1.6 times; the sums over units
   (unit_moments.c) 1.2 to 1.8 times, with 20 to 400 units; the products of matrices (cross_dots.c)
   about 2 times for 100 stimuli, 1.4 to 1.6 for 300, and 1.1 to 1.2 for 1000, where memory bounds
   them. For a whole coset, with what is read and stored around them, bench/wide.R prints what is
   left of that. The loops over the data (matrix.c, linear.c, alignment.c) are those that
   bench/peers.R compares with other software, and those over given RDMs (packed.c, grid_dots.c)
   those that bench/grid.R does. */
#ifndef REPALIGN_WIDE_H
#define REPALIGN_WIDE_H

#include <stddef.h>

#include "threads.h"

/* Not on Windows, where the compiler does not align the stack for such vectors. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define HAS_WIDE 1
#define INLINE_BODY static inline __attribute__((always_inline))
#define WIDE __attribute__((target("avx2,fma")))
#else
#define HAS_WIDE 0
#define INLINE_BODY static inline
#define WIDE
#endif

/* Every step of the loop that follows may run at once; the second kind adds up variables. */
#define AT_ONCE OPENMP(simd)
#define SUM_AT_ONCE(...) OPENMP(simd reduction(+ : __VA_ARGS__))

/* A loop over some rows of many columns asks for the same rows of the next column, in blocks,
   while it works on one: processors guess what comes next in a column, but not where the next one
   begins. */
#define FETCH_BLOCK 64

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
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

/* Are wider vectors there, and allowed? */
int wide_vectors(void);

/* Forbid or allow them (for the tests); returns what was set before. */
int allow_wide_vectors(int allow);

#endif
