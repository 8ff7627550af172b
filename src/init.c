/* Registration of the entry points, and nothing else. */

#include "repalign.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

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
    ENTRY(distances, 5),
    ENTRY(unit_rows, 3),
    ENTRY(unit_distances, 2),
    ENTRY(packed_row_sums, 3),
    ENTRY(packed_centered_dot, 7),
    ENTRY(packed_product, 7),
    ENTRY(packed_sum, 3),
    ENTRY(packed_difference_squares, 5),
    ENTRY(packed_difference_spectral, 7),
    ENTRY(packed_decay, 5),
    ENTRY(value_range, 1),
    ENTRY(median_value, 1),
    ENTRY(gaussian, 4),
    ENTRY(average_ranks, 3),
    ENTRY(kendall, 3),
    ENTRY(u_center, 1),
    ENTRY(dot, 2),
    ENTRY(fourier, 2),
    ENTRY(coset_inner, 6),
    ENTRY(permuted_inner, 4),
    ENTRY(cross_dots, 3),
    ENTRY(graph_coset, 5),
    ENTRY(graph_permuted, 4),
    ENTRY(singular_values, 1),
    ENTRY(svd, 1),
    ENTRY(basis, 4),
    ENTRY(centered_squares, 3),
    ENTRY(permuted_singular_values, 3),
    ENTRY(unpack, 7),
    ENTRY(relabel_packed, 3),
    ENTRY(cross_product, 6),
    ENTRY(frobenius, 3),
    ENTRY(row_factor, 3),
    ENTRY(standardize, 2),
    ENTRY(row_norms, 1),
    ENTRY(row_cosines, 4),
    ENTRY(assign, 2),
    ENTRY(assign_greedy, 3),
    ENTRY(matched_distance, 7),
    ENTRY(side_maxima, 1),
    ENTRY(manifold_weights, 1),
    ENTRY(sparse_sums, 1),
    ENTRY(sparse_dot, 2),
    ENTRY(sparse_common, 2),
    ENTRY(sparse_symmetric, 1),
    ENTRY(edge_products, 3),
    ENTRY(second_order_cosines, 8),
    ENTRY(neighbour_rows, 4),
    ENTRY(knn, 7),
    ENTRY(knn_rows, 9),
    ENTRY(knn_packed, 5),
    ENTRY(shared_neighbours, 2),
    ENTRY(rank_agreement, 2),
    ENTRY(cycle_count, 2),
    ENTRY(common_subsequences, 2),
    ENTRY(edit_distances, 2),
    ENTRY(heat_traces, 3),
    ENTRY(row_distances, 4),
    ENTRY(cross_bars, 4),
    ENTRY(thread_limits, 0),
    ENTRY(allow_wide, 1),
    {NULL, NULL, 0}};

void attribute_visible R_init_repalign(DllInfo *info);

void attribute_visible R_init_repalign(DllInfo *info)
{
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
