/* Entry point of Kendall's tau-a. */

#include "kendall.h"

#include "call_args.h"
#include "call_results.h"

/* ranks_x, ranks_y: average ranks. */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(ranks_x));
    const double *y = read_doubles(ARG(ranks_y), length);
    if (length > INT32_MAX) argument_error("ranks_x", "have fewer than 2^31 values");
    const kendall_scratch z = {(sort_cell *) scratch(length), (sort_cell *) scratch(length),
                               size_scratch(radix_counts(length)),
                               zeroed_bytes(chunk_count(length) * sizeof(uint64_t))};
    return Rf_ScalarReal(kendall_tau_a(REAL(ranks_x), y, length, z, read_worker(ARG(threads))));
}
