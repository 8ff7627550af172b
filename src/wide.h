/* Hot loops compiled twice: plainly, and for processors with wider vectors.

   The body of such a loop is an INLINE_BODY function, called from a plain function and from
   one marked WIDE; wide_vectors() says at run time which of the two to take. */
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
