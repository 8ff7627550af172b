# pool_rdms() makes one RDM of several: the mean of normalised RDMs, with which noise ceilings are
# made and models are fitted.

#' The mean of RDMs
#'
#' One RDM of several: their mean after each is brought to a common scale. For most comparisons it
#' is the RDM with the largest mean similarity to all of them, and so the best that a model could
#' be.
#'
#' @param rdms a list of RDMs (`dist` objects or symmetric matrices) of the same stimuli.
#' @param outer how RDMs are compared, as for [rsa()], or `"riemann"`.
#' @param sigma for whitened comparisons: the noise of the stimuli, as for [rsa()].
#' @param missing `"pairwise"`: pairs may lack (`NA`), and means are over the RDMs that have them.
#' @return An RDM, as from [rdm()]. Its scale means nothing.
#' @details
#' Before the mean, each RDM is divided by its root mean square (`"cosine"`), standardised
#' (`"pearson"`), divided by its whitened length (`"whitened_cosine"`, and for
#' `"whitened_pearson"` less its mean), or ranked (comparisons of ranks); for `"riemann"` it is
#' taken as it is. [subject_ceiling()] says when no RDM is more similar to all. An RDM without
#' variance (or, for cosines, of zeros) is an error.
#' @examples
#' rdms <- list(dist(v4_layers[[1]][1:20, ]), dist(v4_layers[[2]][1:20, ]))
#' pooled <- pool_rdms(rdms, "cosine")
#' vapply(rdms, rsa, 0, y = pooled, outer = "cosine")
#' @seealso [subject_ceiling()], [evaluate_models()]
#' @export
pool_rdms <- function(rdms, outer, sigma = NULL, missing = c("error", "pairwise")) {
  need_arguments()
  outer <- check_choice(outer, c(rsa_outer, "bures", "riemann"), "outer")
  missing <- check_choice(missing, c("error", "pairwise"), "missing")
  table <- rdm_table(rdms, "rdms", missing == "pairwise")
  sigma <- check_sigma(sigma, table$n, table$labels)
  refuse_unused_sigma(sigma, outer)
  if (outer == "bures") {
    abort("`outer` = \"bures\" has no pooled RDM: the mean of RDMs is not the RDM that is most ",
          "alike to them. Choose another comparison.", class = "repalign_error_choice",
          arg = "outer")
  }
  refuse_flat(table, outer, "rdms")
  pooled <- pooled_values(table$values, outer, sigma = sigma)
  new_rdm(pooled, table$n, table$labels, paste("mean for", outer))
}

# An RDM that cannot be scaled to length 1 has no place in a mean.
refuse_flat <- function(table, outer, arg) {
  if (outer == "riemann") return(invisible())
  flat <- apply(table$values, 2, function(column) no_length(cbind(column[!is.na(column)]), outer))
  if (any(flat)) {
    abort("`", arg, "` has an RDM without variance (", dQuote(table$names[flat][1], FALSE),
          "): all its dissimilarities are ",
          if (is_cosine(outer)) "0" else "equal",
          ", so that its similarity is undefined. Leave it out.",
          class = "repalign_error_variance", arg = arg)
  }
}

# The pooled RDM of a table (P x N) with weights of its RDMs. Pairs without any RDM are NA.
pooled_values <- function(values, outer, weights = NULL, sigma = NULL) {
  if (is.null(weights)) weights <- rep(1, ncol(values))
  as.vector(means_of_present(normalised_rdms(values, outer, sigma), as.matrix(weights)))
}

# weights: a column for each mean. Returns the means as columns.
means_of_present <- function(scaled, weights) {
  present <- !is.na(scaled)
  # scores of ranks see ties, and sums of ranks are exact
  sums <- replace(scaled, !present, 0) %*% weights
  total <- present %*% weights
  replace(sums / total, total <= 0, NA_real_)
}

normalised_rdms <- function(values, outer, sigma = NULL) {
  apply_columns(values, function(a) {
    known <- !is.na(a)
    a[known] <- switch(
      outer, cosine = a[known] / sqrt(mean(a[known]^2)), pearson = standardised(a[known]),
      whitened_cosine = , whitened_pearson = whitened_scaled(a, known, outer, sigma),
      riemann = a[known], rank(a[known]))
    a
  })
}

standardised <- function(a) (a - mean(a)) / sqrt(mean((a - mean(a))^2))

whitened_scaled <- function(a, known, outer, sigma) {
  values <- a[known] - if (is_centred(outer)) mean(a[known]) else 0
  size <- whitened_gram(cbind(a[known]), known, outer, sigma)[1, 1]
  # rounding of an RDM that has no variance among the stimuli of a draw
  if (!isTRUE(size > 1e-13 * sum(values^2))) return(NA_real_)
  values / sqrt(size)
}
