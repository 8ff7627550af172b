/* Whether loops for wider vectors may be used: see wide.h. */

#include "wide.h"

static int allowed = 1;

int wide_vectors(void)
{
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
    return allowed && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

int allow_wide_vectors(int allow)
{
    const int before = allowed;
    allowed = allow;
    return before;
}
