# The argument `sigma` of comparisons of RDMs: the noise covariance of the stimuli.

# sigma: NULL (S is the identity), the variances of the stimuli, or a matrix. n: how many stimuli
# there are; NULL where this is not known yet. labels: of the stimuli, or NULL.
check_sigma <- function(sigma, n = NULL, labels = NULL) {
  if (is.null(sigma)) return(NULL)
  sigma <- in_order_of(sigma, labels, "sigma")
  is_square <- is.matrix(sigma) && nrow(sigma) == ncol(sigma)
  if (!is.numeric(sigma) || !(is_square || is.null(dim(sigma))) || !length(sigma)) {
    abort("`sigma` must be NULL, a vector of variances (one a stimulus), or a square matrix of ",
          "covariances, not ", describe(sigma), ".", class = "repalign_error_type", arg = "sigma")
  }
  if (!all(is.finite(sigma))) {
    abort("`sigma` has missing or infinite values.", class = "repalign_error_nonfinite",
          arg = "sigma")
  }
  size <- if (is_square) nrow(sigma) else length(sigma)
  if (!is.null(n) && size != n) {
    abort("`sigma` is for ", size, if (size == 1) " stimulus" else " stimuli", ", but there are ",
          n, ": give the noise of these, in the same order.", class = "repalign_error_size",
          arg = "sigma")
  }
  storage.mode(sigma) <- "double"
  # A common factor means nothing for a score, but extreme ones would overflow where sigma is
  # inverted. Others stay, because pooled RDMs, raw weights and what a ridge does go with them.
  size <- max(abs(sigma))
  if (size <= 1e-30 || size >= 1e30) sigma <- sigma * power_of_two_below(size)
  if (is_square) check_covariance(sigma) else check_variances(sigma)
}

# Stimuli with less noise than this share of the largest one would cost whitened comparisons most of
# their digits: the inverse of sigma holds the reciprocal.
least_noise <- 1e-10

check_variances <- function(sigma) {
  bad <- which(sigma <= 0)
  if (length(bad)) {
    abort("`sigma` has variances that are not positive, first that of stimulus ", bad[1],
          ": every stimulus has noise.", class = "repalign_error_value", arg = "sigma")
  }
  small <- which(sigma < least_noise * max(sigma))
  if (length(small)) {
    abort("`sigma` has variances that are less than ", format(least_noise), " of the largest one, ",
          "first that of stimulus ", small[1], ": too few digits would be left. Check its units, ",
          "or give this stimulus more noise.", class = "repalign_error_value", arg = "sigma")
  }
  as.vector(sigma)
}

check_covariance <- function(sigma) {
  if (!equals_transpose(sigma)) {
    abort("`sigma` is not symmetric, as a matrix of covariances is.",
          class = "repalign_error_value", arg = "sigma")
  }
  sigma <- unname((sigma + t(sigma)) / 2)
  if (is.null(positive_root(sigma, least_noise))) {
    abort("`sigma` is not positive definite, or so nearly singular that too few digits would be ",
          "left: with so few residuals, shrink the covariance, or give only its diagonal (the ",
          "variances).", class = "repalign_error_value", arg = "sigma")
  }
  sigma
}

# The size of `sigma`, which the number of stimuli of a call tells.
check_sigma_size <- function(sigma, n) {
  size <- if (is.matrix(sigma)) nrow(sigma) else length(sigma)
  if (!is.null(sigma) && size != n) check_sigma(sigma, n)
}

# Is the argument `sigma` of a measure the noise of the stimuli?
has_stimulus_noise <- function(measure) {
  !is_own(measure) && measure$id %in% c("rsa", "riemann") && !is.null(measure$args$sigma)
}

# The noise of some of the stimuli. (That of NULL is NULL.)
cut_sigma <- function(sigma, rows) {
  if (is.matrix(sigma)) sigma[rows, rows, drop = FALSE] else sigma[rows]
}

# As a matrix.
sigma_matrix <- function(sigma, n) {
  if (is.matrix(sigma)) sigma else diag(if (is.null(sigma)) 1 else sigma, n)
}

# The Cholesky root of a matrix, or NULL where it is not positive definite by more than rounding, or
# than a larger share.
positive_root <- function(a, share = nrow(a) * .Machine$double.eps) {
  root <- catch_error(chol(a), failed = function(e) NULL)
  size <- if (is.null(root)) 0 else diag(root)
  if (min(size)^2 > share * max(size)^2) root
}
