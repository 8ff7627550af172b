/* Entry points of thread numbers and of the wide variants of loops. */

#include "repalign.h"
#include "wide.h"

#ifdef _OPENMP
#include <omp.h>
#endif

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
    SEXP result = PROTECT(Rf_allocVector(INTSXP, 2));
    INTEGER(result)[0] = usual;
    INTEGER(result)[1] = most;
    UNPROTECT(1);
    return result;
}

/* Allow or forbid wider vectors; c(are they in use, what was allowed before). */
SEXP repalign_allow_wide(SEXP allow)
{
    const int before = allow_wide_vectors(Rf_asLogical(allow));
    SEXP result = PROTECT(Rf_allocVector(LGLSXP, 2));
    LOGICAL(result)[0] = wide_vectors();
    LOGICAL(result)[1] = before;
    UNPROTECT(1);
    return result;
}
