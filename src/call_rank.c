/* Entry point of average ranks. */

#include "rank.h"

#include "entry.h"

/* tolerance: c(relative, absolute). */
SEXP repalign_average_ranks(SEXP v, SEXP tolerance, SEXP threads)
{
    begin_entry(__func__);
    const double *limits = read_doubles(ARG(tolerance), 2);
    const tie_tolerance equal = {limits[0], limits[1]};
    const size_t length = count_doubles(ARG(v));
    if (length > UINT32_MAX) argument_error("v", "have fewer than 2^32 values");
    SEXP result = PROTECT(new_doubles(length));
    /* the cells may take the memory of the ranks, which are written last */
    const rank_scratch z = {(sort_cell *) REAL(result), (sort_cell *) scratch(length),
                            size_scratch(radix_counts(length)),
                            size_scratch(chunk_count(length) + 1)};
    average_ranks(REAL(v), length, equal, z, read_worker(ARG(threads)), REAL(result));
    UNPROTECT(1);
    return result;
}
