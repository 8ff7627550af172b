/* Entry point of streams of random numbers. */

#include "streams.h"

#include <limits.h>
#include <string.h>

#include "entry.h"

/* The order of 1 .. count that belongs to a seed and a key, a vector of strings, whose encoding
   does not matter. */
SEXP repalign_stream_order(SEXP seed, SEXP key, SEXP count)
{
    begin_entry(__func__);
    const size_t n = read_count(ARG(count), 1, INT_MAX);
    stream s = stream_of_seed((uint64_t) read_count(ARG(seed), 0, INT_MAX));
    if (!Rf_isString(key)) argument_error("key", "hold strings");
    for (R_xlen_t i = 0; i < XLENGTH(key); i++) {
        const char *part = Rf_translateCharUTF8(STRING_ELT(key, i));
        stream_add_key(&s, part, strlen(part));
    }
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) n));
    stream_order(&s, n, INTEGER(result));
    UNPROTECT(1);
    return result;
}
