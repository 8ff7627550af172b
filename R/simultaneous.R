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
# standard errors. Returns list(values, total). total: covariance matrix; what is not known of it
# (NA, between different measures) counts as independent, with which the largest absolute value is
# rather too large.
joint_draws <- function(total, normals) {
  total[is.na(total)] <- 0
  sd <- sqrt(diag(total))
  unit <- ifelse(sd > 0, 1 / sd, 0)
  parts <- eigen(total * outer(unit, unit), symmetric = TRUE)
  root <- parts$vectors %*% (sqrt(pmax(parts$values, 0)) * t(parts$vectors))
  list(values = sweep(normals %*% root, 2, sd, "*"), total = total)
}

# For each draw the largest of all contrasts (columns of `weights`), each divided by the standard
# deviation that its draws have. Contrasts that do not vary do not count.
largest_of_contrasts <- function(joint, weights, size = identity) {
  largest <- rep(-Inf, nrow(joint$values))
  for (at in split(seq_len(ncol(weights)), (seq_len(ncol(weights)) - 1) %/% 100)) {
    w <- weights[, at, drop = FALSE]
    sd <- sqrt(pmax(colSums(w * (joint$total %*% w)), 0))
    # rounding leaves a little of the difference of two copies, in the draws and in their spread
    varies <- sd > 1e-6 * sqrt(colSums(w^2 * diag(joint$total)))
    values <- sweep(joint$values %*% w, 2, ifelse(varies, sd, Inf), "/")
    largest <- pmax(largest, row_maxima(size(values)))
  }
  largest
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

check_draws <- function(draws, level, scores) {
  least <- ceiling(2 / (1 - level) - 1e-9)
  draws <- check_count(draws, "draws", least = max(least, 19))
  check_memory(24 * as.double(draws) * scores, "The draws", "Take fewer `draws`.")
  draws
}
