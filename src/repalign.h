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

/* call_kernel.c */
SEXP repalign_squared_distances(SEXP x, SEXP means, SEXP scale);
SEXP repalign_median_distance(SEXP d2);
SEXP repalign_gaussian(SEXP d2, SEXP sigma, SEXP shifted, SEXP threads);
SEXP repalign_off_diagonal_range(SEXP k);
SEXP repalign_double_center(SEXP k);
SEXP repalign_u_center(SEXP k);
SEXP repalign_dot(SEXP a, SEXP b);

/* call_topology.c */
SEXP repalign_heat_traces(SEXP idx, SEXP steps, SEXP threads);
SEXP repalign_row_distances(SEXP x, SEXP rows, SEXP scale, SEXP threads);
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads);

/* call_threads.c */
SEXP repalign_thread_limits(void);

#endif
