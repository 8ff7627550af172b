# The choices of `outer`, by which two RDMs are compared, and what they ask of other arguments.

rsa_outer <- c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a", "whitened_cosine",
               "whitened_pearson")

tau_outer <- c("kendall", "tau_b")

ranked_outer <- c("spearman", "rho_a", tau_outer)

whitened_outer <- c("whitened_cosine", "whitened_pearson")

linear_outer <- c("cosine", "pearson", whitened_outer)

whitens <- function(outer) outer %in% whitened_outer

is_whitened <- function(args) isTRUE(whitens(args$outer))

# Comparisons of dissimilarities as they are, and not of their differences.
is_cosine <- function(outer) outer %in% c("cosine", "whitened_cosine")

# Linear ones that take a mean off.
is_centred <- function(outer) outer %in% c("pearson", "whitened_pearson")

check_outer_args <- function(args) {
  args$outer <- check_choice(args$outer, rsa_outer, "outer")
  args$missing <- check_choice(args$missing, c("error", "pairwise"), "missing")
  if (!is.null(args$sigma)) args$sigma <- with_names_of(check_sigma(args$sigma), args$sigma)
  # do pairs of stimuli lack in the representations of a call? See settle_rsa().
  args$gaps <- FALSE
  refuse_unused_sigma(args$sigma, args$outer)
  if (!is.null(args$clusters) && is_whitened(args)) refuse_whitened_clusters(args)
  args
}

refuse_unused_sigma <- function(sigma, outer) {
  if (is.null(sigma) || whitens(outer)) return(invisible())
  abort("`sigma` is the noise by which \"whitened_cosine\" and \"whitened_pearson\" weigh ",
        "pairs; outer = ", dQuote(outer, FALSE), " does not use it.",
        class = "repalign_error_choice", arg = "sigma")
}

refuse_whitened_clusters <- function(args) {
  abort("outer = ", dQuote(args$outer, FALSE), " weighs each pair of stimuli by its covariance ",
        "with all others, and has no value without the pairs within `clusters`: use \"cosine\" or ",
        "\"pearson\", or leave out `clusters`.", class = "repalign_error_choice", arg = "clusters")
}

# among: which of them, with a blank at the end.
warn_equal_dissimilarities <- function(repr, args, among = "",
                                       what = if (any(is_cosine(args$outer))) "0" else "equal") {
  warn("The value is undefined (NA): all dissimilarities ", among, "of `", repr$arg, "` are ", what,
       ".", class = "repalign_undefined", data = repr$arg)
}
