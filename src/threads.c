/* The numbers of threads. */

#include "entry.h"

/* c(default, most): OpenMP's own default (OMP_NUM_THREADS), and the processors within
   OMP_THREAD_LIMIT; both 1 without OpenMP. */
SEXP repalign_thread_limits(void)
{
    int most = 1, usual = 1;
#ifdef _OPENMP
    most = omp_get_num_procs();
    if (omp_get_thread_limit() < most) most = omp_get_thread_limit();
    usual = omp_get_max_threads() < most ? omp_get_max_threads() : most;
#endif
    SEXP result = Rf_allocVector(INTSXP, 2);
    INTEGER(result)[0] = usual;
    INTEGER(result)[1] = most;
    return result;
}
