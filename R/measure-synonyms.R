# This table translates words of the field and of other software into words of this package, which
# error messages suggest.

# Each element has the name of a measure or a choice here, and lists what it is called elsewhere.
synonyms <- list(
  # measures
  cka = c("linear_cka", "cka_linear", "lcka", "debiased_cka", "unbiased_cka", "cka_debiased",
          "cka_unbiased", "rbf_cka", "kernel_cka", "minibatch_cka", "hsic", "nhsic",
          "centered_kernel_alignment", "kernel_alignment"),
  rsa = c("rdm", "rdms", "rsm", "representational_similarity", "spearman", "pearson", "kendall",
          "correlation"),
  rv = c("rv_coefficient", "rv2"),
  mutual_knn = c("mknn", "mutual_nn", "mnn", "knn", "mutual_nearest_neighbors",
                 "mutual_nearest_neighbours", "nearest_neighbors", "knn_overlap"),
  cknna = c("cknn", "cka_knn", "knn_cka"),
  knn_jaccard = c("jaccard_knn", "jaccard_similarity"),
  cycle_knn = c("cycle", "cycle_consistency"),
  distance_correlation = c("dcor", "dcorr", "distcorr", "dist_cor", "dcov"),
  linear_regression = c("linreg", "lin_reg", "regression", "predictivity", "linear_predictivity",
                        "encoding", "r2", "ridge"),
  cca = c("mean_cca", "canonical_correlation", "rcca"),
  svcca = c("sv_cca", "pca_cca"),
  pwcca = c("pw_cca", "projection_weighted_cca"),
  procrustes = c("orthogonal_procrustes", "procrustes_distance", "opd"),
  angular_shape = c("shape", "shape_metric", "angular_procrustes", "angular_distance"),
  soft_matching = c("optimal_transport", "wasserstein_matching", "soft_matching_distance"),
  shape_distance = c("generalized_shape_metric", "netrep", "partial_whitening", "linear_metric"),
  bures = c("fidelity", "normalized_bures_similarity", "nbs"),
  bures_distance = c("bures_metric", "bures_wasserstein", "wasserstein"),
  riemann = c("riemannian", "neg_riem_dist", "riemannian_distance"),
  hard_correlation_match = c("one_to_one", "permutation_match", "hard_match", "matching"),
  soft_correlation_match = c("soft_match", "semi_matching"),
  rtd = c("representation_topology_divergence", "topology_divergence"),
  imd = c("intrinsic_multiscale_distance", "msid"),
  # estimators
  naive = c("biased", "plain", "raw", "uncorrected", "plugin", "plug_in", "none"),
  stimulus = c("debiased", "unbiased", "song", "stimuli", "stim", "u_statistic", "corrected"),
  stimulus_neuron = c("neuron", "neurons", "both", "neuron_corrected", "stim_neuron",
                      "doubly_corrected", "bi_corrected"),
  unbiased = c("debiased", "bias_corrected", "corrected"),
  biased = c("naive", "plain"),
  # kernels and metrics
  rbf = c("gaussian", "gauss", "radial"),
  manifold = c("knn", "umap"),
  correlation = c("pearson", "corr", "cor"),
  pearson = c("correlation", "corr", "cor", "linear"),
  spearman = c("rank", "ranks", "rho"),
  kendall = c("tau", "tau_a", "tau_b"),
  cosine = c("cos", "angle"),
  rho_a = c("spearman_a", "rhoa"),
  whitened_cosine = c("whitened", "cosine_cov"),
  whitened_pearson = c("whitened", "corr_cov", "pearson_cov", "whitened_correlation"),
  euclidean = c("l2", "euclid"),
  sqeuclidean = c("squared_euclidean", "l2_squared", "crossnobis"),
  dot = c("inner", "inner_product", "dot_product"),
  frobenius = c("fro", "l2", "euclidean"),
  spectral = c("operator", "nuclear"),
  # parameters
  k = c("n_neighbors", "n_neighbours", "neighbors", "neighbours", "topk", "top_k", "nn"),
  sigma = c("gamma", "width", "lengthscale", "sd"),
  stimulus_noise = c("sigma", "sigma_k", "noise", "covariance"),
  na = c("missing", "use", "na_rm"),
  bandwidth = c("bw", "threshold", "frac"),
  lambda = c("alpha", "ridge", "penalty", "regularization", "regularisation"),
  components = c("n_components", "ncomp", "rank", "dims"),
  inner = c("metric", "distance", "dissimilarity"),
  outer = c("compare", "comparison", "method"),
  estimator = c("debiased", "unbiased", "bias_correction"),
  # other choices
  stop = c("error", "fail"),
  error = c("fail", "stop", "pass"),
  stimuli = c("rows", "omit", "drop", "exclude", "remove", "complete", "stimulus"),
  neurons = c("columns", "cols", "units", "neuron", "features"),
  sd = c("zscore", "z_score", "z", "scale", "std", "standardize", "standardise"),
  z = c("zscore", "z_score"),
  max = c("maximum", "best"),
  mean = c("average", "avg"),
  coset = c("fft", "cyclic"),
  random = c("permutation", "permutations", "sample", "sampling", "monte_carlo"),
  exact = c("all", "enumerate", "complete"),
  moments = c("analytic", "pearson3", "asymptotic", "gamma"),
  BH = c("benjamini_hochberg", "benjamini"),
  distance = c("dissimilarity", "metric"),
  logit = c("logits", "scores"),
  probability = c("prob", "probs", "probabilities", "softmax")
)

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
