/* Registration of the entry points, and nothing else. */

#include "repalign.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) {#name, (DL_FUNC) (void (*)(void)) & repalign_##name, arguments}

static const R_CallMethodDef entries[] = {
    /* call_decode.c */
    ENTRY(read_numbers, 7),
    ENTRY(decode_numbers, 2),
    /* call_matrix.c */
    ENTRY(all_finite, 1),
    ENTRY(column_stats, 1),
    ENTRY(bare_pair, 2),
    ENTRY(odd_columns, 2),
    ENTRY(center, 3),
    ENTRY(centered_squares, 3),
    ENTRY(dot, 2),
    /* call_linear.c */
    ENTRY(linear_form, 5),
    ENTRY(linear_cross, 7),
    ENTRY(cross_product, 6),
    ENTRY(gram_column_total, 4),
    ENTRY(paired_moments, 8),
    /* call_stack.c */
    ENTRY(stack_sums, 8), ENTRY(sum_packed, 4),
    /* call_neuron_pairs.c */
    ENTRY(pair_terms, 2),
    ENTRY(subset_sums, 4),
    ENTRY(excluded_sums, 6),
    ENTRY(subset_weights, 5),
    /* call_jackknife.c */
    ENTRY(loo_weighted, 3),
    ENTRY(loo_columns, 3),
    ENTRY(loo_pairs, 4),
    ENTRY(loo_gram, 2),
    /* call_deletion_terms.c */
    ENTRY(deletion_terms, 2),
    /* call_unit_moments.c */
    ENTRY(unit_terms, 3),
    ENTRY(unit_columns, 4),
    ENTRY(unit_weighted, 4),
    ENTRY(unit_pairs, 5),
    /* call_crossnobis.c */
    ENTRY(run_means, 6),
    ENTRY(run_patterns, 5),
    ENTRY(crossnobis, 2),
    ENTRY(crossnobis_by_pair, 4),
    ENTRY(difference_products, 2),
    /* call_shortest_paths.c */
    ENTRY(shortest_paths, 1),
    /* call_distance.c */
    ENTRY(distances, 5),
    ENTRY(unit_distances, 4),
    /* call_packed.c */
    ENTRY(packed_row_sums, 3),
    ENTRY(packed_centered_dot, 7),
    ENTRY(packed_product, 7),
    ENTRY(packed_sum, 3),
    ENTRY(value_extent, 1),
    ENTRY(plain_rdms, 1),
    ENTRY(packed_difference_squares, 5),
    ENTRY(packed_decay, 5),
    /* call_unpack.c */
    ENTRY(unpack, 7),
    ENTRY(relabel_packed, 3),
    /* call_spectral.c */
    ENTRY(packed_difference_spectral, 7),
    /* call_rank.c */
    ENTRY(average_ranks, 3),
    /* call_kendall.c */
    ENTRY(kendall, 4),
    /* call_concordance.c */
    ENTRY(concordance, 4),
    ENTRY(permuted_concordance, 4),
    /* call_group_walk.c */
    ENTRY(group_walk, 9),
    /* call_weighted_ranks.c */
    ENTRY(weighted_ranks, 6),
    /* call_rank_deletions.c */
    ENTRY(rank_deletions, 7),
    /* call_draw_grams.c */
    ENTRY(draw_grams, 7),
    /* call_draw_ranks.c */
    ENTRY(draw_ranks, 6),
    /* call_weighted_sums.c */
    ENTRY(weighted_sums, 8),
    /* call_kernel_matrix.c */
    ENTRY(gaussian, 4),
    ENTRY(u_center, 1),
    /* call_svd.c */
    ENTRY(singular_values, 1),
    ENTRY(svd, 1),
    ENTRY(leading_vector, 1),
    /* call_basis.c */
    ENTRY(basis, 4),
    ENTRY(gram_triangle, 3),
    ENTRY(triangle_overlap, 8),
    ENTRY(row_factor, 3),
    /* call_alignment.c */
    ENTRY(standardize, 2),
    ENTRY(row_norms, 3),
    ENTRY(matched_distance, 7),
    ENTRY(side_maxima, 1),
    /* call_assignment.c */
    ENTRY(assign, 2),
    ENTRY(assign_greedy, 3),
    /* call_transport.c */
    ENTRY(transport, 1),
    /* call_neighbour_rows.c */
    ENTRY(neighbour_rows, 4),
    /* call_knn.c */
    ENTRY(knn, 8),
    ENTRY(knn_rows, 10),
    ENTRY(knn_packed, 6),
    /* call_neighbour_lists.c */
    ENTRY(shared_neighbours, 2),
    ENTRY(rank_agreement, 2),
    ENTRY(cycle_count, 2),
    ENTRY(common_subsequences, 2),
    ENTRY(edit_distances, 2),
    /* call_neighbour_products.c */
    ENTRY(edge_products, 3),
    ENTRY(second_order_cosines, 8),
    /* call_manifold.c */
    ENTRY(manifold_weights, 1),
    /* call_sparse.c */
    ENTRY(sparse_sums, 1),
    ENTRY(sparse_dot, 2),
    ENTRY(sparse_common, 2),
    ENTRY(sparse_symmetric, 1),
    ENTRY(sparse_grid, 3),
    /* call_heat_trace.c */
    ENTRY(heat_traces, 3),
    /* call_center_null.c */
    ENTRY(center_null, 5),
    /* call_cloud.c */
    ENTRY(row_distances, 4),
    /* call_persistence.c */
    ENTRY(cross_bars, 4),
    /* call_inner_null.c */
    ENTRY(coset_inner, 6),
    ENTRY(permuted_inner, 4),
    /* call_cross_dots.c */
    ENTRY(cross_dots, 3),
    /* call_grid_dots.c */
    ENTRY(packed_grid, 5),
    ENTRY(gram_grid, 3),
    /* call_moment_sums.c */
    ENTRY(moment_sums, 5),
    ENTRY(cube_trace, 4),
    /* call_edge_null.c */
    ENTRY(coset_edges, 5),
    ENTRY(permuted_edges, 4),
    /* call_streams.c */
    ENTRY(stream_order, 3),
    /* call_singular_null.c */
    ENTRY(permuted_singular_values, 3),
    /* call_trial_moments.c */
    ENTRY(trial_terms, 2),
    ENTRY(trial_columns, 4),
    ENTRY(trial_kernel_sums, 4),
    ENTRY(trial_pairs, 5),
    ENTRY(event_grams, 3),
    /* call_place_tree.c */
    ENTRY(count_near, 2),
    ENTRY(list_near, 2),
    ENTRY(list_nearest, 2),
    /* call_map_null.c */
    ENTRY(map_tfce, 5),
    ENTRY(map_clusters, 4),
    ENTRY(map_null, 9),
    /* call_text.c */
    ENTRY(foreign_texts, 1),
    /* call_threads.c */
    ENTRY(thread_limits, 0),
    /* call_wide.c */
    ENTRY(allow_wide, 1),
    {NULL, NULL, 0}};

void attribute_visible R_init_repalign(DllInfo *info);

void attribute_visible R_init_repalign(DllInfo *info)
{
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
