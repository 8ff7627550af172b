/* Hot loops compiled twice: plainly, and for processors with wider vectors.

   The body of such a loop is an INLINE_BODY function, called from a plain function and from
   one marked WIDE; wide_vectors() says at run time which of the two to take.

   Three loops are worth it, measured with GCC 12 at R's own -O2 on an AMD EPYC, least of many
   times: the Fourier transforms (fft.c) take 1.4 to 1.7 times as long plainly, at lengths of 100
   to 4000, the products of spectra (inner_null.c) 1.4 to 1.6 times, and the sums over units
   (unit_moments.c) 1.2 to 1.8 times, with 20 to 400 units. For a whole coset, with
   what is read and stored around them, bench/wide.R prints what is left of that. The products of
   cross_dots.c are compiled plainly only: they gained 2 times for matrices of 100 stimuli, but 1.1
   to 1.2 times for 1000, where memory bounds them and where they begin to take any time; a coset
   takes 20 times as long. */
#ifndef REPALIGN_WIDE_H
#define REPALIGN_WIDE_H

#include "threads.h"

/* Not on Windows, where the compiler does not align the stack for such vectors. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define INLINE_BODY static inline __attribute__((always_inline))
#define WIDE __attribute__((target("avx2,fma")))
#else
#define INLINE_BODY static inline
#define WIDE
#endif

/* Every step of the loop that follows may run at once; the second kind adds up variables. */
#define AT_ONCE OPENMP(simd)
#define SUM_AT_ONCE(...) OPENMP(simd reduction(+ : __VA_ARGS__))

/* Are wider vectors there, and allowed? */
int wide_vectors(void);

/* Forbid or allow them (for the tests); returns what was set before. */
int allow_wide_vectors(int allow);

#endif
