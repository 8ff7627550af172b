# Joint draws of scores that vary together, by which many comparisons hold at once.

# What a t statistic is as a standard normal value, and back: of the same probability.
z_of <- function(statistic, df) {
  tail <- stats::pt(abs(statistic), df, lower.tail = FALSE, log.p = TRUE)
  sign(statistic) * stats::qnorm(tail, lower.tail = FALSE, log.p = TRUE)
}

t_of <- function(z, df) {
  stats::qt(stats::pnorm(z, lower.tail = FALSE, log.p = TRUE), df, lower.tail = FALSE,
            log.p = TRUE)
}

# Draws (rows) of all scores: `normals` times the symmetric root of their correlations, times their
# standard errors. total: covariance matrix; what is not known of it (NA, between different
# measures) counts as independent, with which the largest absolute value is rather too large.
joint_draws <- function(total, normals) {
  total[is.na(total)] <- 0
  sd <- sqrt(diag(total))
  unit <- ifelse(sd > 0, 1 / sd, 0)
  parts <- eigen(total * outer(unit, unit), symmetric = TRUE)
  root <- parts$vectors %*% (sqrt(pmax(parts$values, 0)) * t(parts$vectors))
  sweep(normals %*% root, 2, sd, "*")
}

# For each draw the largest of all contrasts (columns of `weights`), each divided by the standard
# deviation of its own draws. Contrasts that do not vary do not count.
largest_of_contrasts <- function(draws, weights, size = identity) {
  largest <- rep(-Inf, nrow(draws))
  for (at in split(seq_len(ncol(weights)), (seq_len(ncol(weights)) - 1) %/% 100)) {
    values <- standard_draws(draws, weights[, at, drop = FALSE])
    largest <- pmax(largest, row_maxima(size(values)))
  }
  largest
}

standard_draws <- function(draws, weights) {
  values <- draws %*% weights
  spread <- sqrt(colSums(sweep(values, 2, colMeans(values))^2) / (nrow(values) - 1))
  sweep(values, 2, ifelse(spread > 0, spread, Inf), "/")
}

# The value that the largest of several standard normal values exceeds with probability alpha. It is
# never below that of one, in spite of the chance of draws.
critical_of <- function(largest, alpha, one) {
  # rounding must not raise a whole number to the next
  at <- ceiling((1 - alpha) * (length(largest) + 1) - 1e-9)
  max(sort(largest)[at], one)
}

# How often the draws are at least as large.
share_of_draws <- function(largest, values) {
  below <- findInterval(values, sort(largest), left.open = TRUE)
  (1 + length(largest) - below) / (length(largest) + 1)
}

check_draws <- function(draws, level) {
  least <- ceiling(2 / (1 - level) - 1e-9)
  check_count(draws, "draws", least = max(least, 19))
}
