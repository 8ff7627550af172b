/* Which thread of a parallel region runs. */
#ifndef REPALIGN_THREADS_H
#define REPALIGN_THREADS_H

#include <stddef.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static inline size_t thread_number(void)
{
#ifdef _OPENMP
    return (size_t) omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
