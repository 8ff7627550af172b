/* Entry point of the numbers of threads. */

#include "threads.h"

#include "entry.h"

/* c(default, most): OpenMP's own default (OMP_NUM_THREADS), and the processors within
   OMP_THREAD_LIMIT; both 1 without OpenMP. */
SEXP repalign_thread_limits(void)
{
    const thread_limits limits = find_thread_limits();
    SEXP result = PROTECT(Rf_allocVector(INTSXP, 2));
    INTEGER(result)[0] = limits.usual;
    INTEGER(result)[1] = limits.most;
    UNPROTECT(1);
    return result;
}
