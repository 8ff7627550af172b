/* Entry points of kernels between stimuli as matrices. */

#include "kernel_matrix.h"

#include "entry.h"

/* The Gaussian kernel of distances d, entry by entry: see gaussian_kernel(). */
SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(d));
    SEXP result = PROTECT(new_doubles(length));
    gaussian_kernel(REAL(d), length, read_number(ARG(sigma)), read_flag(ARG(shifted)),
                    read_worker(ARG(threads)), REAL(result));
    UNPROTECT(1);
    return result;
}

/* The U-centred matrix; the diagonal counts for nothing. */
SEXP repalign_u_center(SEXP k)
{
    begin_entry(__func__);
    read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    read_matrix_size(ARG(k), n, n);
    SEXP result = PROTECT(Rf_duplicate(k));
    u_center(REAL(result), n, scratch(n), check_interrupt);
    UNPROTECT(1);
    return result;
}
