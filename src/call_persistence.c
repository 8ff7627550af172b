/* Entry point of the cross-barcode. */

#include "persistence.h"

#include <limits.h>
#include <string.h>

#include "entry.h"

/* first, second: distances of `size` points, as stats::dist() orders them. A matrix with a bar
   (birth, death) a row. */
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads)
{
    begin_entry(__func__);
    const size_t n = read_count(ARG(size), 1, INT_MAX), pairs = packed_length(n);
    const double *a = read_doubles(ARG(first), pairs), *b = read_doubles(ARG(second), pairs);
    const bar_list bars = cross_bars(a, b, n, read_worker(ARG(threads)), zeroed_bytes);
    SEXP result = PROTECT(new_matrix(bars.count, 2));
    if (bars.count > 0) {
        memcpy(REAL(result), bars.birth, bars.count * sizeof(double));
        memcpy(REAL(result) + bars.count, bars.death, bars.count * sizeof(double));
    }
    UNPROTECT(1);
    return result;
}
