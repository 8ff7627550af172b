#include "repalign.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Processors that OpenMP may use, within OMP_THREAD_LIMIT; 1 without OpenMP. */
SEXP repalign_thread_limit(void)
{
#ifdef _OPENMP
    int threads = omp_get_num_procs(), limit = omp_get_thread_limit();
    return Rf_ScalarInteger(threads < limit ? threads : limit);
#else
    return Rf_ScalarInteger(1);
#endif
}
