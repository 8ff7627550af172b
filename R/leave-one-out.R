# The jackknife needs sums over neuron pairs without each stimulus in turn, which are computed here.

centered <- function(x, scale) .Call(C_center, x, .Call(C_column_stats, x)$means, scale)

recenter <- function(x) centered(x, 1)

# The three C routines, with the rows set right in which deletion cancels too many
# digits: a stimulus (or a cluster of them) that holds nearly all of a side's variance is really
# deleted. clusters: codes, one a stimulus, for deletion of whole clusters; NULL for stimuli.
# w: a weight for each neuron pair; NULL: 1.
loo_columns <- function(x, y, clusters = NULL, w = NULL) {
  result <- if (is.null(clusters)) .Call(C_loo_columns, x, y, w)
  else .Call(C_unit_columns, x, y, w, clusters)
  recompute_dominant(result, x, y, clusters, function(x, y, clusters) {
    loo_columns(x, y, clusters, w)
  })
}

loo_pairs <- function(x, y, ix, iy, clusters = NULL) {
  result <- if (is.null(clusters)) .Call(C_loo_pairs, x, y, ix, iy)
  else .Call(C_unit_pairs, x, y, ix, iy, clusters)
  recompute_dominant(result, x, y, clusters, function(x, y, clusters) {
    loo_pairs(x, y, ix, iy, clusters)
  })
}

loo_weighted <- function(x, y, w, clusters = NULL) {
  result <- if (is.null(clusters)) .Call(C_loo_weighted, x, y, w)
  else .Call(C_unit_weighted, x, y, w, clusters)
  recompute_dominant(result, x, y, clusters, function(x, y, clusters) {
    loo_weighted(x, y, w, clusters)
  })
}

# Totals from the Gram matrix, where it is smaller than the neuron pairs are many.
loo_gram <- function(y, clusters = NULL) {
  gram <- tcrossprod(y)
  result <- if (is.null(clusters)) .Call(C_loo_gram, gram, gram)
  else cluster_gram_deletions(gram, gram, clusters)
  recompute_dominant(result, y, y, clusters, function(x, y, clusters) loo_gram(y, clusters))
}

# The sums over all neuron pairs of centred data with themselves.
self_totals <- function(y, clusters = NULL) {
  if (ncol(y) > nrow(y)) lapply(loo_gram(y, clusters), function(h) h[, 1])
  else lapply(loo_columns(y, y, clusters), rowSums)
}

# The values of all neuron pairs, with nothing deleted.
pair_terms <- function(x, y, clusters = NULL) {
  if (is.null(clusters)) .Call(C_pair_terms, x, y) else .Call(C_unit_terms, x, y, clusters)
}

recompute_dominant <- function(result, x, y, clusters, compute) {
  units <- if (is.null(clusters)) seq_len(nrow(x)) else clusters
  if (nrow(result$naive) < 6) return(result)
  for (unit in unique(c(dominant_units(x, units), dominant_units(y, units)))) {
    keep <- units != unit
    without <- compute(recenter(x[keep, , drop = FALSE]), recenter(y[keep, , drop = FALSE]),
                    cut_clusters(clusters, keep))
    for (kind in names(result)) result[[kind]][unit + 1, ] <- without[[kind]][1, ]
  }
  result
}

# Stimuli or clusters of centred data without which less than a thousandth of the variance is
# left: deletion would lose six digits or more.
dominant_units <- function(x, units) {
  size <- rowSums(x^2)
  if (anyDuplicated(units)) size <- drop(rowsum(size, units))
  n <- length(size)
  which(n / (n - 1) * size > 0.999 * sum(size))
}
