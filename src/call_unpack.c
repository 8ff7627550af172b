/* Entry points that write packed matrices out whole, or in another order of the rows. */

#include "unpack.h"

#include "entry.h"

/* The whole size x size matrix of packed entries, centred: see unpacked_source. means, diagonal:
   NULL for none. */
SEXP repalign_unpack(SEXP entries, SEXP size, SEXP square, SEXP means, SEXP grand, SEXP diagonal,
                     SEXP threads)
{
    begin_entry(__func__);
    const size_t n = read_count(ARG(size), 2, INT_MAX);
    const double on_diagonal = Rf_isNull(diagonal) ? 0.0 : read_number(ARG(diagonal));
    const unpacked_source source = {read_doubles(ARG(entries), packed_length(n)),
                                    Rf_isNull(means) ? NULL : read_doubles(ARG(means), n),
                                    Rf_isNull(diagonal) ? NULL : &on_diagonal,
                                    read_number(ARG(grand)), read_flag(ARG(square))};
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(n, n));
    unpack_matrix(&source, new_row_chunks(n), by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Packed entries with the rows in another order (one-based). */
SEXP repalign_relabel_packed(SEXP entries, SEXP permutation, SEXP threads)
{
    begin_entry(__func__);
    const size_t n = (size_t) Rf_xlength(permutation), length = packed_length(n);
    if (n < 2) argument_error("permutation", "have at least 2 entries");
    const int *order = read_permutations(ARG(permutation), n);
    const double *values = read_doubles(ARG(entries), length);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(length));
    relabel_packed(values, order, new_row_chunks(n), by, REAL(result));
    UNPROTECT(1);
    return result;
}
