/* The entry points, and the one header that brings in R.

   The computing stands in kernels, which see plain C types only: a header x.h says what a kernel
   does, x.c does it, and call_x.c has the entry points that R calls (repalign_*, C_* in R). They
   read their arguments and get memory by entry.h and are registered in init.c.
   The files are listed here in the order of init.c: files, data and estimators, distances and
   ranks, decompositions and alignment, neighbours, topology, the permutation null, the machine.
   Beside entry points only blas.c and lapack.c include this header. */
#ifndef REPALIGN_H
#define REPALIGN_H

#ifndef STRICT_R_HEADERS
#define STRICT_R_HEADERS
#endif
#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif

#include <R.h>
#include <Rinternals.h>
#include <R_ext/BLAS.h>
#include <R_ext/Utils.h>

#ifndef FCONE
#define FCONE
#endif

/* call_decode.c: numbers of files. */
SEXP repalign_read_numbers(SEXP path, SEXP offset, SEXP type, SEXP rows, SEXP columns,
                           SEXP by_column, SEXP wanted);
SEXP repalign_decode_numbers(SEXP bytes, SEXP type);

/* call_matrix.c: passes over a data matrix. */
SEXP repalign_all_finite(SEXP x);
SEXP repalign_column_stats(SEXP x);
SEXP repalign_bare_pair(SEXP x, SEXP y);
SEXP repalign_odd_columns(SEXP x, SEXP rows);
SEXP repalign_center(SEXP x, SEXP means, SEXP scale);
SEXP repalign_centered_squares(SEXP x, SEXP means, SEXP scale);
SEXP repalign_dot(SEXP a, SEXP b);

/* call_linear.c: the linear kernel. */
SEXP repalign_linear_form(SEXP x, SEXP means, SEXP scale, SEXP gram, SEXP chunk);
SEXP repalign_linear_cross(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk);
SEXP repalign_cross_product(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale);
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale);
SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy);

/* call_stack.c: sums of a streamed CKA. */
SEXP repalign_stack_sums(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                         SEXP ia, SEXP ib);
SEXP repalign_sum_packed(SEXP cross, SEXP x_columns, SEXP n, SEXP means);

/* call_neuron_pairs.c: terms of neuron pairs, and subsets of neurons. */
SEXP repalign_pair_terms(SEXP x, SEXP y);
SEXP repalign_subset_sums(SEXP h, SEXP a, SEXP b, SEXP by_product);
SEXP repalign_excluded_sums(SEXP h, SEXP a, SEXP b, SEXP labels_x, SEXP labels_y, SEXP n_labels);
SEXP repalign_subset_weights(SEXP a, SEXP b, SEXP weight, SEXP rows, SEXP columns);

/* call_jackknife.c: the same without each stimulus. */
SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights);
SEXP repalign_loo_columns(SEXP x, SEXP y, SEXP weights);
SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy);
SEXP repalign_loo_gram(SEXP k, SEXP l);
SEXP repalign_deletion_terms(SEXP x, SEXP y);

/* call_unit_moments.c: H values over clusters of stimuli, with each cluster deleted in turn. */
SEXP repalign_unit_terms(SEXP x, SEXP y, SEXP clusters);
SEXP repalign_unit_columns(SEXP x, SEXP y, SEXP weights, SEXP clusters);
SEXP repalign_unit_weighted(SEXP x, SEXP y, SEXP weights, SEXP clusters);
SEXP repalign_unit_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy, SEXP clusters);

/* call_crossnobis.c: dissimilarities between conditions from runs. */
SEXP repalign_run_means(SEXP x, SEXP condition, SEXP run, SEXP conditions, SEXP runs, SEXP threads);
SEXP repalign_run_patterns(SEXP means, SEXP counts, SEXP center_channels, SEXP root, SEXP threads);
SEXP repalign_crossnobis(SEXP patterns, SEXP runs);
SEXP repalign_crossnobis_by_pair(SEXP patterns, SEXP counts, SEXP by_repeats, SEXP covariances);
SEXP repalign_difference_products(SEXP a, SEXP c);

/* call_shortest_paths.c: paths through dissimilarities. */
SEXP repalign_shortest_paths(SEXP lengths);

/* call_distance.c: distances between rows. */
SEXP repalign_distances(SEXP x, SEXP means, SEXP scale, SEXP threads, SEXP columns);
SEXP repalign_unit_distances(SEXP x, SEXP center, SEXP threads, SEXP columns);

/* call_packed.c: passes over packed matrices. */
SEXP repalign_packed_row_sums(SEXP a, SEXP n, SEXP threads);
SEXP repalign_packed_centered_dot(SEXP a, SEXP a_means, SEXP a_grand, SEXP b, SEXP b_means,
                                  SEXP b_grand, SEXP threads);
SEXP repalign_packed_product(SEXP a, SEXP a_square, SEXP a_center, SEXP b, SEXP b_square,
                             SEXP b_center, SEXP threads);
SEXP repalign_packed_sum(SEXP a, SEXP square, SEXP threads);
SEXP repalign_value_extent(SEXP values);
SEXP repalign_plain_rdms(SEXP list);
SEXP repalign_packed_difference_squares(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP threads);
SEXP repalign_packed_decay(SEXP v, SEXP factor, SEXP squared, SEXP shifted, SEXP threads);

/* call_unpack.c: packed matrices written out, or in another order. */
SEXP repalign_unpack(SEXP entries, SEXP size, SEXP square, SEXP means, SEXP grand, SEXP diagonal,
                     SEXP threads);
SEXP repalign_relabel_packed(SEXP entries, SEXP permutation, SEXP threads);

/* call_spectral.c: the spectral norm. */
SEXP repalign_packed_difference_spectral(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP n, SEXP most,
                                         SEXP threads);


/* call_rank.c: average ranks. */
SEXP repalign_average_ranks(SEXP v, SEXP tolerance, SEXP threads);

/* call_kendall.c: Kendall's tau. */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP without_ties, SEXP threads);

/* call_concordance.c: concordant less discordant pairs of one vector with many. */
SEXP repalign_concordance(SEXP level, SEXP columns, SEXP levels, SEXP threads);
SEXP repalign_permuted_concordance(SEXP x, SEXP y, SEXP permutations, SEXP threads);

/* call_group_walk.c: how well scores of pairs tell groups of models apart. */
SEXP repalign_group_walk(SEXP first, SEXP second, SEXP level, SEXP value, SEXP away,
                         SEXP symmetric, SEXP labels, SEXP groups, SEXP threads);

/* call_weighted_ranks.c: Spearman correlations with weights of stimuli. */
SEXP repalign_weighted_ranks(SEXP pairs, SEXP x, SEXP y, SEXP w, SEXP room, SEXP threads);

/* call_rank_deletions.c: Spearman correlations without each unit of stimuli. */
SEXP repalign_rank_deletions(SEXP pairs, SEXP x, SEXP y, SEXP unit, SEXP units, SEXP room,
                             SEXP threads);

/* call_draw_grams.c: products of RDMs with weights of stimuli. */
SEXP repalign_draw_grams(SEXP values, SEXP first, SEXP second, SEXP clusters, SEXP w,
                         SEXP precision, SEXP threads);

/* call_draw_ranks.c: similarities of ranked RDMs and of pooled ones with weights of stimuli. */
SEXP repalign_draw_ranks(SEXP rdms, SEXP w, SEXP low, SEXP high, SEXP test, SEXP threads);

/* call_weighted_sums.c: sums of Song's estimator with weights of stimuli. */
SEXP repalign_weighted_sums(SEXP w, SEXP k1, SEXP k2, SEXP l1, SEXP l2, SEXP m1, SEXP m2,
                            SEXP threads);

/* call_kernel_matrix.c: kernels between stimuli. */
SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads);
SEXP repalign_u_center(SEXP k);

/* call_svd.c: singular value decompositions. */
SEXP repalign_singular_values(SEXP a);
SEXP repalign_svd(SEXP a);
SEXP repalign_leading_vector(SEXP a);

/* call_basis.c: orthonormal bases. */
SEXP repalign_basis(SEXP x, SEXP means, SEXP scale, SEXP fast);
SEXP repalign_gram_triangle(SEXP x, SEXP means, SEXP scale);
SEXP repalign_triangle_overlap(SEXP x, SEXP x_means, SEXP x_scale, SEXP x_triangle, SEXP y,
                               SEXP y_means, SEXP y_scale, SEXP y_triangle);
SEXP repalign_row_factor(SEXP x, SEXP means, SEXP scale);

/* call_alignment.c: before and after alignment. */
SEXP repalign_standardize(SEXP x, SEXP means);
SEXP repalign_row_norms(SEXP x, SEXP means, SEXP scale);
SEXP repalign_matched_distance(SEXP x, SEXP x_means, SEXP x_factor, SEXP y, SEXP y_means,
                               SEXP y_factor, SEXP partner);
SEXP repalign_side_maxima(SEXP c);

/* call_assignment.c: one-to-one matching. */
SEXP repalign_assign(SEXP values, SEXP gains);
SEXP repalign_assign_greedy(SEXP order, SEXP rows, SEXP columns);

/* call_transport.c: optimal transport. */
SEXP repalign_transport(SEXP cost);

/* call_neighbour_rows.c: rows for the neighbour measures. */
SEXP repalign_neighbour_rows(SEXP x, SEXP means, SEXP scale, SEXP how);

/* call_knn.c: the neighbour search. */
SEXP repalign_knn(SEXP x, SEXP means, SEXP scale, SEXP how, SEXP k, SEXP threads, SEXP sizes,
                  SEXP clusters);
SEXP repalign_knn_rows(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP which,
                       SEXP largest, SEXP priority, SEXP threads, SEXP clusters);
SEXP repalign_knn_packed(SEXP distances, SEXP size, SEXP k, SEXP priority, SEXP threads,
                         SEXP clusters);

/* call_neighbour_lists.c: comparisons of neighbour lists. */
SEXP repalign_shared_neighbours(SEXP x, SEXP y);
SEXP repalign_rank_agreement(SEXP x, SEXP y);
SEXP repalign_cycle_count(SEXP x, SEXP y);
SEXP repalign_common_subsequences(SEXP x, SEXP y);
SEXP repalign_edit_distances(SEXP x, SEXP y);

/* call_neighbour_products.c: products along the edges of neighbour graphs. */
SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads);
SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP dist_x, SEXP rows_y, SEXP idx_y,
                                   SEXP dist_y, SEXP distance, SEXP threads);

/* call_manifold.c: weights of manifold-approximated kernels. */
SEXP repalign_manifold_weights(SEXP dist);

/* call_sparse.c: kernels that are zero except near neighbours. */
SEXP repalign_sparse_sums(SEXP form);
SEXP repalign_sparse_dot(SEXP form_a, SEXP form_b);
SEXP repalign_sparse_common(SEXP form_a, SEXP form_b);
SEXP repalign_sparse_symmetric(SEXP form);
SEXP repalign_sparse_grid(SEXP x, SEXP y, SEXP neighbours);

/* call_heat_trace.c: Chebyshev traces of neighbour graphs. */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads);

/* call_place_tree.c: places near each other. */
SEXP repalign_count_near(SEXP points, SEXP radius);
SEXP repalign_list_near(SEXP points, SEXP radius);
SEXP repalign_list_nearest(SEXP points, SEXP k);

/* call_map_null.c: TFCE and clusters of maps, and their largest values under sign flips. */
SEXP repalign_map_tfce(SEXP map, SEXP start, SEXP near, SEXP settings, SEXP power);
SEXP repalign_map_clusters(SEXP map, SEXP start, SEXP near, SEXP settings);
SEXP repalign_map_null(SEXP sums, SEXP squares, SEXP scale, SEXP start, SEXP near, SEXP settings,
                       SEXP power, SEXP least, SEXP threads);

/* call_center_null.c: counts, sums and maxima of null scores of many centers. */
SEXP repalign_center_null(SEXP sums, SEXP shifts, SEXP least, SEXP scale, SEXP observed);

/* call_cloud.c: distances among a few rows. */
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads);

/* call_persistence.c: the cross-barcode. */
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads);


/* call_inner_null.c: permutation null of matrices. */
SEXP repalign_coset_inner(SEXP x, SEXP y, SEXP order_x, SEXP orders_y, SEXP sequences,
                          SEXP threads);
SEXP repalign_permuted_inner(SEXP x, SEXP y, SEXP permutations, SEXP threads);

/* call_cross_dots.c: inner products of two lists of matrices. */
SEXP repalign_cross_dots(SEXP x, SEXP y, SEXP threads);

/* call_grid_dots.c: inner products of all representations of two lists. */
SEXP repalign_packed_grid(SEXP x, SEXP y, SEXP n, SEXP room, SEXP threads);
SEXP repalign_gram_grid(SEXP x, SEXP y, SEXP room);

/* call_moment_sums.c: sums for the moments of a null. */
SEXP repalign_moment_sums(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale, SEXP threads);
SEXP repalign_cube_trace(SEXP a, SEXP diagonal, SEXP elsewhere, SEXP scale);

/* call_edge_null.c: permutation null of neighbour graphs. */
SEXP repalign_coset_edges(SEXP x, SEXP y, SEXP label_x, SEXP labels_y, SEXP mode);
SEXP repalign_permuted_edges(SEXP x, SEXP y, SEXP permutations, SEXP mode);

/* call_streams.c */
SEXP repalign_stream_order(SEXP seed, SEXP key, SEXP count);

/* call_singular_null.c: permutation null of bases. */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations);

/* call_trial_moments.c: H values from responses to several trials. */
SEXP repalign_trial_terms(SEXP sample, SEXP threads);
SEXP repalign_trial_kernel_sums(SEXP k, SEXP l, SEXP m, SEXP threads);
SEXP repalign_trial_columns(SEXP sample, SEXP weights, SEXP deletions, SEXP threads);
SEXP repalign_trial_pairs(SEXP sample, SEXP ix, SEXP iy, SEXP deletions, SEXP threads);
SEXP repalign_event_grams(SEXP rows, SEXP events, SEXP threads);

/* call_text.c: the text in what users give. */
SEXP repalign_foreign_texts(SEXP value);

/* call_threads.c: numbers of threads. */
SEXP repalign_thread_limits(void);

/* call_wide.c: plain loops or wide ones. */
SEXP repalign_allow_wide(SEXP allow);

#endif
