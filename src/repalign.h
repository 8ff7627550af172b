/* The one header that brings in R. Entry points (call_*.c) and the BLAS
   wrappers include it; kernels do not, they see plain C types only. */
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

/* call_matrix.c */
SEXP repalign_all_finite(SEXP x);
SEXP repalign_column_stats(SEXP x);
SEXP repalign_center(SEXP x, SEXP means, SEXP scale);

/* call_linear.c */
SEXP repalign_linear_form(SEXP x, SEXP means, SEXP scale, SEXP gram, SEXP chunk);
SEXP repalign_linear_cross(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                           SEXP chunk);
SEXP repalign_gram_column_total(SEXP gram, SEXP y, SEXP y_means, SEXP y_scale);
SEXP repalign_paired_moments(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                             SEXP ix, SEXP iy);

/* call_sampling.c */
SEXP repalign_pair_terms(SEXP x, SEXP y);
SEXP repalign_subset_sums(SEXP h, SEXP a, SEXP b, SEXP by_product);
SEXP repalign_excluded_sums(SEXP h, SEXP a, SEXP b, SEXP labels_x, SEXP labels_y, SEXP n_labels);
SEXP repalign_subset_weights(SEXP a, SEXP b, SEXP weight, SEXP rows, SEXP columns);

/* call_jackknife.c */
SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights);
SEXP repalign_loo_columns(SEXP x, SEXP y);
SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy);
SEXP repalign_loo_gram(SEXP k, SEXP l);

/* call_distance.c */
SEXP repalign_distances(SEXP x, SEXP means, SEXP scale, SEXP threads, SEXP columns);
SEXP repalign_unit_rows(SEXP x, SEXP center, SEXP threads);
SEXP repalign_unit_distances(SEXP unit, SEXP threads);
SEXP repalign_packed_row_sums(SEXP a, SEXP n, SEXP threads);
SEXP repalign_packed_centered_dot(SEXP a, SEXP a_means, SEXP a_grand, SEXP b, SEXP b_means,
                                  SEXP b_grand, SEXP threads);
SEXP repalign_packed_product(SEXP a, SEXP a_square, SEXP a_center, SEXP b, SEXP b_square,
                             SEXP b_center, SEXP threads);
SEXP repalign_packed_sum(SEXP a, SEXP square, SEXP threads);
SEXP repalign_packed_difference_squares(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP threads);
SEXP repalign_packed_difference_spectral(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP n, SEXP most,
                                         SEXP threads);
SEXP repalign_packed_decay(SEXP v, SEXP factor, SEXP squared, SEXP shifted, SEXP threads);
SEXP repalign_value_range(SEXP v);
SEXP repalign_median_value(SEXP v);
SEXP repalign_gaussian(SEXP d, SEXP sigma, SEXP shifted, SEXP threads);
SEXP repalign_average_ranks(SEXP v, SEXP tolerance, SEXP threads);
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP threads);

/* call_kernel.c */
SEXP repalign_u_center(SEXP k);
SEXP repalign_dot(SEXP a, SEXP b);

/* call_pair_null.c */
SEXP repalign_fourier(SEXP re, SEXP im);
SEXP repalign_coset_inner(SEXP x, SEXP y, SEXP order_x, SEXP orders_y, SEXP lanes, SEXP threads);
SEXP repalign_permuted_inner(SEXP x, SEXP y, SEXP permutations, SEXP threads);
SEXP repalign_cross_dots(SEXP x, SEXP y, SEXP threads);

/* call_graph_null.c */
SEXP repalign_graph_coset(SEXP x, SEXP y, SEXP label_x, SEXP labels_y, SEXP mode);
SEXP repalign_graph_permuted(SEXP x, SEXP y, SEXP permutations, SEXP mode);
/* call_svd.c */
SEXP repalign_singular_values(SEXP a);
SEXP repalign_svd(SEXP a);
SEXP repalign_basis(SEXP x, SEXP means, SEXP scale, SEXP fast);
SEXP repalign_centered_squares(SEXP x, SEXP means, SEXP scale);

/* call_unpack.c */
SEXP repalign_unpack(SEXP entries, SEXP size, SEXP square, SEXP means, SEXP grand, SEXP diagonal,
                     SEXP threads);
SEXP repalign_relabel_packed(SEXP entries, SEXP permutation, SEXP threads);

/* call_basis_null.c */
SEXP repalign_permuted_singular_values(SEXP a, SEXP b, SEXP permutations);
/* call_alignment.c */
SEXP repalign_cross_product(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale);
SEXP repalign_frobenius(SEXP x, SEXP means, SEXP scale);
SEXP repalign_row_factor(SEXP x, SEXP means, SEXP scale);
SEXP repalign_standardize(SEXP x, SEXP means);
SEXP repalign_row_norms(SEXP a);
SEXP repalign_row_cosines(SEXP a, SEXP b, SEXP a_norm, SEXP b_norm);
SEXP repalign_assign(SEXP values, SEXP gains);
SEXP repalign_assign_greedy(SEXP order, SEXP rows, SEXP columns);
SEXP repalign_matched_distance(SEXP x, SEXP x_means, SEXP x_factor, SEXP y, SEXP y_means,
                               SEXP y_factor, SEXP partner);
SEXP repalign_side_maxima(SEXP c);
/* call_manifold.c */
SEXP repalign_manifold_weights(SEXP dist);
SEXP repalign_sparse_sums(SEXP form);
SEXP repalign_sparse_dot(SEXP form_a, SEXP form_b);
SEXP repalign_sparse_common(SEXP form_a, SEXP form_b);
SEXP repalign_sparse_symmetric(SEXP form);

/* call_neighbour_kernels.c */
SEXP repalign_edge_products(SEXP rows, SEXP idx, SEXP threads);
SEXP repalign_second_order_cosines(SEXP rows_x, SEXP idx_x, SEXP dist_x, SEXP rows_y, SEXP idx_y,
                                   SEXP dist_y, SEXP distance, SEXP threads);
/* call_knn.c */
SEXP repalign_neighbour_rows(SEXP x, SEXP means, SEXP scale, SEXP how);
SEXP repalign_knn(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP threads,
                  SEXP sizes);
SEXP repalign_knn_rows(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP which,
                       SEXP largest, SEXP priority, SEXP threads);
SEXP repalign_knn_packed(SEXP distances, SEXP size, SEXP k, SEXP priority, SEXP threads);

/* call_neighbour_lists.c */
SEXP repalign_shared_neighbours(SEXP x, SEXP y);
SEXP repalign_rank_agreement(SEXP x, SEXP y);
SEXP repalign_cycle_count(SEXP x, SEXP y);
SEXP repalign_common_subsequences(SEXP x, SEXP y);
SEXP repalign_edit_distances(SEXP x, SEXP y);
/* call_topology.c */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads);
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads);
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads);

/* call_threads.c */
SEXP repalign_thread_limits(void);
SEXP repalign_allow_wide(SEXP allow);

#endif
