/* What entry points need beside their arguments: see call_results.h. */

#include "call_results.h"

#include <string.h>

#include "blas.h"
#include "call_args.h"

void check_interrupt(void) { R_CheckUserInterrupt(); }

static void *memory(size_t length, size_t size) { return R_alloc(length + 1, (int) size); }

double *scratch(size_t length) { return memory(length, sizeof(double)); }

int *int_scratch(size_t length) { return memory(length, sizeof(int)); }

size_t *size_scratch(size_t length) { return memory(length, sizeof(size_t)); }

void *zeroed_bytes(size_t bytes) { return memset(memory(bytes, 1), 0, bytes); }

svd_scratch new_svd_scratch(int vectors, size_t m, size_t n)
{
    const size_t k = m < n ? m : n;
    const svd_scratch z = {scratch(m * n), scratch(k > 0 ? svd_work(vectors, m, n) : 0),
                           int_scratch(8 * k + 1)};
    return z;
}

row_chunks new_row_chunks(size_t n)
{
    return fill_row_chunks(n, size_scratch(packed_chunks(n) + 1));
}

SEXP new_doubles(size_t length) { return Rf_allocVector(REALSXP, (R_xlen_t) length); }

SEXP new_matrix(size_t rows, size_t columns)
{
    if (!fits_blas(rows) || !fits_blas(columns)) entry_error("the result is too large");
    return Rf_allocMatrix(REALSXP, (int) rows, (int) columns);
}

double *put_doubles(SEXP list, int at, size_t length)
{
    SET_VECTOR_ELT(list, at, new_doubles(length));
    return REAL(VECTOR_ELT(list, at));
}

double *put_matrix(SEXP list, int at, size_t rows, size_t columns)
{
    SET_VECTOR_ELT(list, at, new_matrix(rows, columns));
    return REAL(VECTOR_ELT(list, at));
}

int *put_integers(SEXP list, int at, size_t length)
{
    SET_VECTOR_ELT(list, at, Rf_allocVector(INTSXP, (R_xlen_t) length));
    return INTEGER(VECTOR_ELT(list, at));
}

void put_positions(SEXP list, int at, const int *flags, size_t length, size_t count)
{
    int *positions = put_integers(list, at, count);
    for (size_t i = 0, found = 0; i < length && found < count; i++)
        if (flags[i]) positions[found++] = (int) i + 1;
}

two_estimates new_estimates(size_t rows, size_t columns)
{
    const char *names[] = {"naive", "stimulus", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    double *naive = put_matrix(list, 0, rows, columns);
    const two_estimates result = {list, naive, put_matrix(list, 1, rows, columns)};
    UNPROTECT(1);
    return result;
}
