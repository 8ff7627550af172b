# The jackknife needs sums over neuron pairs without each stimulus in turn, which are computed here.

centered <- function(x, scale) .Call(C_center, x, .Call(C_column_stats, x)$means, scale)

recenter <- function(x) centered(x, 1)

# The C routines get the sums without a stimulus by subtracting its part. That loses too many digits
# if the stimulus has nearly all of the variance of a side. Then the sums are computed again from
# data from which the stimulus was deleted (recompute_dominant()).
loo_columns <- function(x, y) recompute_dominant(.Call(C_loo_columns, x, y), x, y, loo_columns)

loo_pairs <- function(x, y, ix, iy) {
  recompute_dominant(.Call(C_loo_pairs, x, y, ix, iy), x, y, function(x, y) loo_pairs(x, y, ix, iy))
}

loo_weighted <- function(x, y, w) {
  recompute_dominant(.Call(C_loo_weighted, x, y, w), x, y, function(x, y) loo_weighted(x, y, w))
}

recompute_dominant <- function(result, x, y, compute) {
  if (nrow(x) < 5) return(result)
  for (i in unique(c(dominant_rows(x), dominant_rows(y)))) {
    without <- compute(recenter(x[-i, , drop = FALSE]), recenter(y[-i, , drop = FALSE]))
    for (kind in names(result)) result[[kind]][i + 1, ] <- without[[kind]][1, ]
  }
  result
}

# The rows of centred data without which less than a thousandth of the variance is left, so that
# subtraction would lose six digits or more.
dominant_rows <- function(x) {
  size <- rowSums(x^2)
  n <- nrow(x)
  which(n / (n - 1) * size > 0.999 * sum(size))
}
