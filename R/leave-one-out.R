# Sums without each stimulus in turn, for jackknives.

centered <- function(x, scale) .Call(C_center, x, .Call(C_column_stats, x)$means, scale)

recenter <- function(x) centered(x, 1)

# The three C routines, with the rows set right in which deletion cancels too many
# digits: a stimulus that holds nearly all of a side's variance is really deleted.
loo_columns <- function(x, y) literal_rows(.Call(C_loo_columns, x, y), x, y, loo_columns)

loo_pairs <- function(x, y, ix, iy) {
  literal_rows(.Call(C_loo_pairs, x, y, ix, iy), x, y, function(x, y) loo_pairs(x, y, ix, iy))
}

loo_weighted <- function(x, y, w) {
  literal_rows(.Call(C_loo_weighted, x, y, w), x, y, function(x, y) loo_weighted(x, y, w))
}

literal_rows <- function(result, x, y, compute) {
  if (nrow(x) < 5) return(result)
  for (i in unique(c(dominant_rows(x), dominant_rows(y)))) {
    left <- compute(recenter(x[-i, , drop = FALSE]), recenter(y[-i, , drop = FALSE]))
    for (kind in names(result)) result[[kind]][i + 1, ] <- left[[kind]][1, ]
  }
  result
}

# Rows of centred data without which less than a thousandth of the variance is left:
# deletion would lose six digits or more.
dominant_rows <- function(x) {
  size <- rowSums(x^2)
  n <- nrow(x)
  which(n / (n - 1) * size > 0.999 * sum(size))
}
