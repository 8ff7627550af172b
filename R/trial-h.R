# Values of neuron pairs from a trial_sample(): all of them, sums over them, some of them, and the
# same without each stimulus (or cluster of stimuli) in turn.

# Qx x Qy.
trial_terms <- function(sample) .Call(C_trial_terms, sample, thread_count())

# For each column of x the sum over all columns of y: (units + 1) x Qx.
trial_columns <- function(sample) {
  result <- .Call(C_trial_columns, sample, NULL, TRUE, thread_count())
  delete_dominant(result, sample, trial_columns)
}

# The sum over all neuron pairs, times weights w (Qx x Qy; NULL: of 1): units + 1 values, or the
# first alone. Pairs of weight 0 need not have a value.
trial_weighted <- function(sample, w = NULL, deletions = TRUE) {
  result <- matrix(rowSums(.Call(C_trial_columns, sample, w, deletions, thread_count())))
  if (deletions) {
    result <- delete_dominant(result, sample, function(cut) trial_weighted(cut, w, FALSE))
  }
  result[, 1]
}

# For each pair of a column of x and one of y: (units + 1) x pairs.
trial_pairs <- function(sample, ix, iy) {
  result <- .Call(C_trial_pairs, sample, as.integer(ix), as.integer(iy), thread_count())
  delete_dominant(result, sample, function(cut) trial_pairs(cut, ix, iy))
}

# A unit that holds nearly all of the variance is really deleted, as in recompute_dominant().
delete_dominant <- function(result, sample, compute) {
  if (nrow(result) < 6) return(result)
  large <- lapply(c(x = "x", y = "y"), function(side) {
    means <- mean_rows(sample[[side]], sample[[paste0("counts_", side)]], sample$events)
    dominant_units(zero_for_missing(means), sample$units)
  })
  for (unit in unique(c(large$x, large$y))) {
    without <- compute(cut_trial_sample(sample, sample$units != unit))
    result[unit + 1, ] <- if (is.matrix(without)) without[1, ] else without[1]
  }
  result
}
