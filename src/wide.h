/* Hot loops compiled twice: plainly, and for processors with wider vectors.

   The body of such a loop is an INLINE_BODY function, called from a plain function and from
   one marked WIDE; wide_vectors() says at run time which of the two to take. */
#ifndef REPALIGN_WIDE_H
#define REPALIGN_WIDE_H

/* Not on Windows, where the compiler does not align the stack for such vectors. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define INLINE_BODY static inline __attribute__((always_inline))
#define WIDE __attribute__((target("avx2,fma")))
#else
#define INLINE_BODY static inline
#define WIDE
#endif

/* Every step of the loop that follows may run at once; the second kind adds up variables. */
#ifdef _OPENMP
#define AS_PRAGMA(text) _Pragma(#text)
#define AT_ONCE AS_PRAGMA(omp simd)
#define SUM_AT_ONCE(...) AS_PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#else
#define AT_ONCE
#define SUM_AT_ONCE(...)
#endif

/* Are wider vectors there, and allowed? */
int wide_vectors(void);

/* Forbid or allow them (for the tests); returns what was set before. */
int allow_wide_vectors(int allow);

#endif
