/* Entry point of the spectral norm. */

#include "spectral.h"

#include "entry.h"

/* c(norm, relative error bound, steps) of the packed matrix a fa - b fb of n rows, in at most
   `most` steps. */
SEXP repalign_packed_difference_spectral(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP n, SEXP most,
                                         SEXP threads)
{
    begin_entry(__func__);
    const size_t size = read_count(ARG(n), 2, INT_MAX), length = packed_length(size);
    const double *left = read_doubles(ARG(a), length), *right = read_doubles(ARG(b), length);
    const size_t wanted = read_count(ARG(most), 1, INT_MAX), steps = wanted < size ? wanted : size;
    const worker by = read_worker(ARG(threads));
    double *difference = scratch(length);
    packed_difference(left, read_number(ARG(fa)), right, read_number(ARG(fb)), length, by,
                      difference);
    const lanczos_scratch z = {steps, scratch(size * steps), scratch(2 * size),
                               scratch(CHUNK_GROUP * size), scratch(10 * steps),
                               int_scratch(steps)};
    const lanczos_result found = spectral_norm(difference, new_row_chunks(size), by, z);
    SEXP result = PROTECT(new_doubles(3));
    REAL(result)[0] = found.norm;
    REAL(result)[1] = found.error;
    REAL(result)[2] = (double) found.steps;
    UNPROTECT(1);
    return result;
}
