/* Entry points that unpack and relabel packed matrices. */

#include "call_checks.h"
#include "unpack.h"

static row_chunks rows_of(SEXP a, size_t n)
{
    if (n < 2 || !Rf_isReal(a) || (size_t) XLENGTH(a) != packed_length(n))
        Rf_error("internal: a packed matrix of another size");
    return fill_row_chunks(n, (size_t *) R_alloc(packed_chunks(n) + 1, sizeof(size_t)));
}

/* The whole n x n matrix of packed entries, centred: see unpacked_source. means, diagonal:
   NULL for none. */
SEXP repalign_unpack(SEXP entries, SEXP size, SEXP square, SEXP means, SEXP grand, SEXP diagonal,
                     SEXP threads)
{
    const size_t n = (size_t) Rf_asInteger(size);
    const row_chunks rows = rows_of(entries, n);
    if (!Rf_isNull(means) && (!Rf_isReal(means) || (size_t) XLENGTH(means) != n))
        Rf_error("internal: one mean a row");
    const double on_diagonal = Rf_isNull(diagonal) ? 0.0 : Rf_asReal(diagonal);
    const unpacked_source source = {REAL(entries), Rf_isNull(means) ? NULL : REAL(means),
                                    Rf_isNull(diagonal) ? NULL : &on_diagonal, Rf_asReal(grand),
                                    Rf_asLogical(square)};
    const worker by = {Rf_asInteger(threads), check_interrupt};
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) n));
    unpack_matrix(&source, rows, by, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Packed entries with the rows in another order. */
SEXP repalign_relabel_packed(SEXP entries, SEXP permutation, SEXP threads)
{
    const size_t n = (size_t) XLENGTH(permutation);
    require_index(permutation, n, "permutation");
    const row_chunks rows = rows_of(entries, n);
    int *from_zero = (int *) R_alloc(n, sizeof(int));
    for (size_t i = 0; i < n; i++) from_zero[i] = INTEGER(permutation)[i] - 1;
    const worker by = {Rf_asInteger(threads), check_interrupt};
    SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(entries)));
    relabel_packed(REAL(entries), from_zero, rows, by, REAL(result));
    UNPROTECT(1);
    return result;
}
