# The argument `stimulus_noise` of comparisons of RDMs: the noise covariance of the stimuli.

# noise: NULL (S is the identity), the variances of the stimuli, or a matrix. n: how many stimuli
# there are; NULL where this is not known yet. labels: of the stimuli, or NULL.
check_stimulus_noise <- function(noise, n = NULL, labels = NULL) {
  if (is.null(noise)) return(NULL)
  noise <- in_order_of(noise, labels, "stimulus_noise")
  is_square <- is.matrix(noise) && nrow(noise) == ncol(noise)
  refuse_if(!is.numeric(noise) || !(is_square || is.null(dim(noise))) || !length(noise), "type",
            "`stimulus_noise` must be NULL, a vector of variances (one a stimulus), or a square ",
            "matrix of covariances, not {describe(noise)}.")
  refuse_if(!all(is.finite(noise)), "nonfinite", "`stimulus_noise` has missing or infinite values.")
  size <- if (is_square) nrow(noise) else length(noise)
  refuse_if(!is.null(n) && size != n, "size", "`stimulus_noise` is for ",
            "{count_of(size, 'stimulus')}, but there are {n}: give the noise of these, in the ",
            "same order.")
  storage.mode(noise) <- "double"
  # A common factor means nothing for a score, but extreme ones would overflow where noise is
  # inverted. Others stay, because pooled RDMs, raw weights and what a ridge does go with them.
  size <- max(abs(noise))
  if (size <= 1e-30 || size >= 1e30) noise <- noise * power_of_two_below(size)
  if (is_square) {
    refuse_if(!equals_transpose(noise), "value", "`stimulus_noise` is not symmetric, as a matrix ",
              "of covariances is.")
    noise <- unname((noise + t(noise)) / 2)
    refuse_if(is.null(positive_root(noise, least_noise)), "value", "`stimulus_noise` is not ",
              "positive definite, or so nearly singular that too few digits would be left: with ",
              "so few residuals, shrink the covariance, or give only its diagonal (the variances).")
    return(noise)
  }
  bad <- which(noise <= 0)
  refuse_if(length(bad), "value", "`stimulus_noise` has variances that are not positive, first ",
            "that of stimulus {bad[1]}: every stimulus has noise.")
  small <- which(noise < least_noise * max(noise))
  refuse_if(length(small), "value", "`stimulus_noise` has variances that are less than ",
            "{format(least_noise)} of the largest one, first that of stimulus {small[1]}: too few ",
            "digits would be left. Check its units, or give this stimulus more noise.")
  as.vector(noise)
}

# Stimuli with less noise than this share of the largest one would cost whitened comparisons most of
# their digits: the inverse of noise holds the reciprocal.
least_noise <- 1e-10

# The size of `stimulus_noise`, which the number of stimuli of a call tells.
check_stimulus_noise_size <- function(noise, n) {
  size <- if (is.matrix(noise)) nrow(noise) else length(noise)
  if (!is.null(noise) && size != n) check_stimulus_noise(noise, n)
}

# The same of the arguments of a measure, which keep the names: the order of the stimuli is not
# known yet.
check_noise_argument <- function(args) {
  given <- args$stimulus_noise
  if (is.null(given)) return(args)
  noise <- check_stimulus_noise(given)
  if (is.matrix(noise)) dimnames(noise) <- dimnames(given) else names(noise) <- names(given)
  args$stimulus_noise <- noise
  args
}

# The noise of some of the stimuli. (That of NULL is NULL.)
cut_stimulus_noise <- function(noise, rows) {
  if (is.matrix(noise)) noise[rows, rows, drop = FALSE] else noise[rows]
}

# That of the stimuli that have a label in `clusters`.
labelled_noise <- function(args) {
  noise <- args$stimulus_noise
  if (is.null(noise) || !anyNA(args$clusters)) noise else
    cut_stimulus_noise(noise, !is.na(args$clusters))
}

# As a matrix.
stimulus_noise_matrix <- function(noise, n) {
  if (is.matrix(noise)) noise else diag(if (is.null(noise)) 1 else noise, n)
}

# The Cholesky root of a matrix, or NULL where it is not positive definite by more than rounding, or
# than a larger share.
positive_root <- function(a, share = nrow(a) * .Machine$double.eps) {
  root <- catch_error(chol(a), failed = function(e) NULL)
  size <- if (is.null(root)) 0 else diag(root)
  if (min(size)^2 > share * max(size)^2) root
}
