#include "repalign.h"

#include <R_ext/Rdynload.h>

#define ENTRY(name, arguments) {#name, (DL_FUNC) (void (*)(void)) & repalign_##name, arguments}

static const R_CallMethodDef entries[] = {
    ENTRY(all_finite, 1),
    ENTRY(column_stats, 1),
    ENTRY(center, 3),
    ENTRY(linear_form, 5),
    ENTRY(linear_cross, 7),
    ENTRY(gram_column_total, 4),
    ENTRY(paired_moments, 8),
    ENTRY(pair_terms, 2),
    ENTRY(subset_sums, 4),
    ENTRY(excluded_sums, 6),
    ENTRY(subset_weights, 5),
    ENTRY(loo_weighted, 3),
    ENTRY(loo_columns, 2),
    ENTRY(loo_pairs, 4),
    ENTRY(loo_gram, 2),
    ENTRY(squared_distances, 3),
    ENTRY(median_distance, 1),
    ENTRY(gaussian, 4),
    ENTRY(off_diagonal_range, 1),
    ENTRY(double_center, 1),
    ENTRY(u_center, 1),
    ENTRY(dot, 2),
    ENTRY(heat_traces, 3),
    ENTRY(row_distances, 4),
    ENTRY(cross_bars, 4),
    ENTRY(thread_limits, 0),
    {NULL, NULL, 0}};

void R_init_repalign(DllInfo *info);

void R_init_repalign(DllInfo *info)
{
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
