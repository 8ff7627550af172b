# This table translates words of the field and of other software into words of this package, which
# error messages suggest.

# Each element has the name of a measure or a choice here: words that it is called elsewhere.
synonyms <- strsplit(c(
  # measures
  cka = paste("linear_cka cka_linear lcka debiased_cka unbiased_cka cka_debiased cka_unbiased",
              "rbf_cka kernel_cka minibatch_cka hsic nhsic centered_kernel_alignment",
              "kernel_alignment"),
  rsa = "rdm rdms rsm representational_similarity spearman pearson kendall correlation",
  rv = "rv_coefficient rv2",
  mutual_knn = paste("mknn mutual_nn mnn knn mutual_nearest_neighbors mutual_nearest_neighbours",
                     "nearest_neighbors knn_overlap"),
  cknna = "cknn cka_knn knn_cka",
  knn_jaccard = "jaccard_knn jaccard_similarity",
  cycle_knn = "cycle cycle_consistency",
  distance_correlation = "dcor dcorr distcorr dist_cor dcov",
  linear_regression = paste("linreg lin_reg regression predictivity linear_predictivity encoding",
                            "r2 ridge"),
  cca = "mean_cca canonical_correlation rcca",
  svcca = "sv_cca pca_cca",
  pwcca = "pw_cca projection_weighted_cca",
  procrustes = "orthogonal_procrustes procrustes_distance opd",
  angular_shape = "shape shape_metric angular_procrustes angular_distance",
  soft_matching = "optimal_transport wasserstein_matching soft_matching_distance",
  shape_distance = "generalized_shape_metric netrep partial_whitening linear_metric",
  bures = "fidelity normalized_bures_similarity nbs",
  bures_distance = "bures_metric bures_wasserstein wasserstein",
  riemann = "riemannian neg_riem_dist riemannian_distance",
  hard_correlation_match = "one_to_one permutation_match hard_match matching",
  soft_correlation_match = "soft_match semi_matching",
  rtd = "representation_topology_divergence topology_divergence",
  imd = "intrinsic_multiscale_distance msid",
  # estimators
  naive = "biased plain raw uncorrected plugin plug_in none",
  stimulus = "debiased unbiased song stimuli stim u_statistic corrected",
  stimulus_neuron = paste("neuron neurons both neuron_corrected stim_neuron doubly_corrected",
                          "bi_corrected"),
  unbiased = "debiased bias_corrected corrected",
  biased = "naive plain",
  # kernels and metrics
  rbf = "gaussian gauss radial",
  manifold = "knn umap",
  correlation = "pearson corr cor",
  pearson = "correlation corr cor linear",
  spearman = "rank ranks rho",
  kendall = "tau tau_a tau_b",
  cosine = "cos angle",
  rho_a = "spearman_a rhoa",
  whitened_cosine = "whitened cosine_cov",
  whitened_pearson = "whitened corr_cov pearson_cov whitened_correlation",
  euclidean = "l2 euclid",
  sqeuclidean = "squared_euclidean l2_squared crossnobis",
  dot = "inner inner_product dot_product",
  frobenius = "fro l2 euclidean",
  spectral = "operator nuclear",
  # parameters
  k = "n_neighbors n_neighbours neighbors neighbours topk top_k nn",
  sigma = "gamma width lengthscale sd",
  stimulus_noise = "sigma sigma_k noise covariance",
  na = "missing use na_rm",
  bandwidth = "bw threshold frac",
  lambda = "alpha ridge penalty regularization regularisation",
  components = "n_components ncomp rank dims",
  inner = "metric distance dissimilarity",
  outer = "compare comparison method",
  estimator = "debiased unbiased bias_correction",
  # other choices
  stop = "error fail",
  error = "fail stop pass",
  stimuli = "rows omit drop exclude remove complete stimulus",
  neurons = "columns cols units neuron features",
  sd = "zscore z_score z scale std standardize standardise",
  z = "zscore z_score",
  max = "maximum best",
  mean = "average avg",
  coset = "fft cyclic",
  random = "permutation permutations sample sampling monte_carlo",
  exact = "all enumerate complete",
  moments = "analytic pearson3 asymptotic gamma",
  BH = "benjamini_hochberg benjamini",
  distance = "dissimilarity metric",
  logit = "logits scores",
  probability = "prob probs probabilities softmax"
), " ", fixed = TRUE)

# Those of the choices that the word stands for elsewhere.
synonyms_of <- function(word, choices) {
  word <- gsub("[^a-z0-9]+", "_", tolower(word))
  intersect(names(synonyms)[vapply(synonyms, function(words) word %in% words, NA)], choices)
}

# The choice that is most like the value: one that starts with it, or else the one that takes the
# fewest changes of letters.
nearest <- function(value, choices) {
  starts <- startsWith(tolower(choices), tolower(value))
  if (nzchar(value) && any(starts)) return(choices[starts][1])
  choices[which.min(drop(utils::adist(value, choices, ignore.case = TRUE)))]
}

# The end of an error message: "; did you mean ...?" where a choice means the same as the value or
# is very like it, otherwise ".".
suggest <- function(value, choices) {
  if (!length(choices)) return(".")
  value <- readable(value)
  same <- synonyms_of(value, choices)
  best <- if (length(same)) same[1] else nearest(value, choices)
  near <- length(same) || startsWith(tolower(best), tolower(value)) ||
    startsWith(tolower(value), paste0(tolower(best), ".")) ||
    utils::adist(value, best, ignore.case = TRUE) <= min(max(2, nchar(best) / 3), nchar(best) - 1)
  if (near) paste0("; did you mean ", quoted(best), "?") else "."
}
