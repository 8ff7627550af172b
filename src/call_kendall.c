/* Entry point of Kendall's tau. */

#include "kendall.h"

#include "entry.h"

#include <math.h>

/* ranks_x, ranks_y: average ranks. Tau-a, or without tied pairs tau-b (NaN where all are tied). */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP without_ties, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(ranks_x));
    const double *y = read_doubles(ARG(ranks_y), length);
    if (length > INT32_MAX) argument_error("ranks_x", "have fewer than 2^31 values");
    const kendall_scratch z = {(sort_cell *) scratch(length), (sort_cell *) scratch(length),
                               size_scratch(radix_counts(length)),
                               zeroed_bytes(chunk_count(length) * sizeof(uint64_t))};
    const int tau_b = read_flag(ARG(without_ties));
    const kendall_pairs pairs =
        count_kendall(REAL(ranks_x), y, length, z, read_worker(ARG(threads)));
    const double size = tau_b ? sqrt(pairs.untied_x) * sqrt(pairs.untied_y) : pairs.all;
    return Rf_ScalarReal(pairs.excess / size);
}
