/* Entry points of concordant less discordant pairs. */

#include "concordance.h"

#include <limits.h>

#include "entry.h"

/* starts: are there starts of levels for each thread? */
static concordance_scratch *new_concordance_scratch(concordance_job job, int starts, int threads)
{
    const tree_size tree = concordance_tree(job.values);
    concordance_scratch *all = zeroed_bytes((size_t) threads * sizeof(concordance_scratch));
    for (int k = 0; k < threads; k++) {
        all[k].column = int_scratch(job.length);
        all[k].seen = zeroed_bytes((job.levels + (starts ? job.levels + 1 : 0)) * sizeof(int));
        all[k].bits = zeroed_bytes(tree.words * sizeof(uint64_t));
        all[k].in_block = zeroed_bytes(tree.words * sizeof(uint16_t));
        all[k].in_group = zeroed_bytes(tree.blocks * sizeof(uint32_t));
        all[k].before_group = zeroed_bytes(tree.groups * sizeof(uint32_t));
    }
    return all;
}

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
    const concordance_job job = {x, NULL, length, most, length};
    SEXP result = PROTECT(new_doubles(count));
    concordance(job, y, count, by, new_concordance_scratch(job, 1, by.threads), REAL(result));
    UNPROTECT(1);
    return result;
}

/* x: list(first, second, level) of the values of one matrix, never falling; y: list(level, start)
   of the packed values of the other, with the one-based place of the first one of each level.
   permutations: of its rows, one a column. list(excess, tied), see permuted_concordance(). */
SEXP repalign_permuted_concordance(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    begin_entry(__func__);
    SEXP level = read_element(ARG(x), "level"), start = read_element(ARG(y), "start");
    const size_t n = matrix_rows(permutations), count = matrix_columns(permutations);
    const size_t values = packed_length(n);
    if (values > INT_MAX - 1) argument_error("permutations", "have fewer than 2^31 pairs of rows");
    const size_t length = (size_t) XLENGTH(level), levels = (size_t) XLENGTH(start);
    const int *order = read_index(level, "level", INT_MAX);
    const int *starts = read_zero_based(start, "start", values);
    SEXP packed = read_element(ARG(y), "level");
    if ((size_t) XLENGTH(packed) != values) argument_error("y", "have a level for each pair");
    const relabelled_levels other = {
        read_zero_based(read_element(ARG(x), "first"), "first", n),
        read_zero_based(read_element(ARG(x), "second"), "second", n),
        read_zero_based(packed, "level", levels), read_permutations(ARG(permutations), n), n};
    const worker by = read_worker(ARG(threads));
    const concordance_job job = {order, starts, length, levels, values};
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
    double *excess = put_doubles(result, 0, count), *tied = put_doubles(result, 1, count);
    permuted_concordance(job, other, count, by, new_concordance_scratch(job, 0, by.threads),
                         excess, tied);
    UNPROTECT(1);
    return result;
}
