/* Entry point of concordant less discordant pairs. */

#include "concordance.h"

#include <limits.h>

#include "entry.h"

/* level: never falling; columns: levels from 1 to `levels` in its order, a row each. */
SEXP repalign_concordance(SEXP level, SEXP columns, SEXP levels, SEXP threads)
{
    begin_entry(__func__);
    const int *x = read_index(ARG(level), INT_MAX);
    const size_t length = (size_t) XLENGTH(level);
    const size_t most = read_count(ARG(levels), 1, INT_MAX - 1);
    const int *y = read_index_matrix(ARG(columns), length, most);
    const size_t count = matrix_columns(columns);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(count));
    concordance(x, y, length, count, most, by, int_scratch((most + 1) * (size_t) by.threads),
                REAL(result));
    UNPROTECT(1);
    return result;
}
