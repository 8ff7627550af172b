# Delete-one values of the H values of CKA, over stimuli, clusters and neurons.

# ---- cluster deletions

# H values over clusters from two kernels, with nothing and with each cluster deleted in turn.

# k, l: Gram matrices of all stimuli; codes: of their clusters. list(naive, stimulus), each
# (clusters + 1) x 1, as C_unit_weighted gives them, for more neurons than stimuli.
cluster_gram_deletions <- function(k, l, codes) {
  # sums of products, of products of row sums, and products of totals, over the stimuli that are
  # left: what a cluster takes off them is in the sums of rows over its stimuli
  n <- as.double(length(codes))
  size <- tabulate(codes)
  sums_k <- t(rowsum(k, codes))
  sums_l <- t(rowsum(l, codes))
  products <- rowsum(t(rowsum(k * l, codes)), codes)
  rows_k <- rowSums(sums_k)
  rows_l <- rowSums(sums_l)
  own <- cbind(seq_along(codes), codes)
  without <- (rows_k - sums_k) * (rows_l - sums_l)
  within <- rowsum(without[own], codes)
  total <- function(rows, sums) {
    sum(rows) - 2 * drop(rowsum(rows, codes)) + drop(rowsum(sums[own], codes))
  }
  left <- c(n, n - size)
  dot <- c(sum(products), sum(products) - 2 * rowSums(products) + diag(products))
  rows <- c(sum(rows_k * rows_l), colSums(without) - drop(within))
  totals <- c(sum(rows_k) * sum(rows_l), total(rows_k, sums_k) * total(rows_l, sums_l))
  list(naive = matrix((dot - 2 * rows / left + totals / left^2) / left^2),
       stimulus = matrix(corrected_gram_deletions(k, l, codes)))
}

# S1, S2 and S3 of the estimator over clusters. Deleting cluster c takes row and column c off the
# sums between clusters, and K_ic off each stimulus.
corrected_gram_deletions <- function(k, l, codes) {
  u <- 1 / tabulate(codes)[codes]
  same <- outer(codes, codes, "==")
  k[same] <- 0
  l[same] <- 0
  to_k <- t(rowsum(k * u, codes))
  to_l <- t(rowsum(l * u, codes))
  products <- rowsum(t(rowsum(k * l * u, codes)) * u, codes)
  both <- to_k * to_l
  all_but <- (rowSums(to_k) - to_k) * (rowSums(to_l) - to_l) + both - rowSums(both)
  own <- cbind(seq_along(codes), codes)
  s1 <- c(sum(products), sum(products) - 2 * rowSums(products))
  s2 <- c(sum(u * (rowSums(to_k) * rowSums(to_l) - rowSums(both))),
          colSums(u * all_but) - drop(rowsum(u * all_but[own], codes)))
  k <- rowsum(to_k * u, codes)
  l <- rowsum(to_l * u, codes)
  rows_k <- rowSums(k)
  rows_l <- rowSums(l)
  product <- sum(rows_k * rows_l)
  # column c: the row sums without cluster c
  without <- (rows_k - k) * (rows_l - l)
  total <- function(rows) c(sum(rows), sum(rows) - 2 * rows)
  s3 <- total(rows_k) * total(rows_l) - 4 * c(product, colSums(without) - diag(without)) +
          2 * total(rowSums(k * l))
  b <- ncol(to_k) - c(0, rep(1, ncol(to_k)))
  s1 / (b * (b - 1)) - 2 * s2 / (b * (b - 1) * (b - 2)) + s3 / (b * (b - 1) * (b - 2) * (b - 3))
}

# ---- leave one out

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
  recompute_dominant(result, x, y, clusters, loo_columns, w = w)
}

loo_pairs <- function(x, y, ix, iy, clusters = NULL) {
  result <- if (is.null(clusters)) .Call(C_loo_pairs, x, y, ix, iy)
  else .Call(C_unit_pairs, x, y, ix, iy, clusters)
  recompute_dominant(result, x, y, clusters, loo_pairs, ix = ix, iy = iy)
}

loo_weighted <- function(x, y, w, clusters = NULL) {
  result <- if (is.null(clusters)) .Call(C_loo_weighted, x, y, w)
  else .Call(C_unit_weighted, x, y, w, clusters)
  recompute_dominant(result, x, y, clusters, loo_weighted, w = w)
}

# Totals from the Gram matrices, where these are smaller than the neuron pairs are many.
loo_gram <- function(x, y, clusters = NULL) {
  k <- tcrossprod(x)
  l <- if (identical(x, y)) k else tcrossprod(y)
  result <- if (is.null(clusters)) .Call(C_loo_gram, k, l)
  else cluster_gram_deletions(k, l, clusters)
  recompute_dominant(result, x, y, clusters, loo_gram)
}

# The sums over all neuron pairs of centred data.
loo_totals <- function(x, y, clusters = NULL) {
  if (min(ncol(x), ncol(y)) > nrow(y)) lapply(loo_gram(x, y, clusters), function(h) h[, 1])
  else lapply(loo_columns(x, y, clusters), rowSums)
}

# The values of all neuron pairs, with nothing deleted.
pair_terms <- function(x, y, clusters = NULL) {
  if (is.null(clusters)) .Call(C_pair_terms, x, y) else .Call(C_unit_terms, x, y, clusters)
}

# compute, ...: what gave the result, and its arguments beside the data and the clusters.
recompute_dominant <- function(result, x, y, clusters, compute, ...) {
  units <- if (is.null(clusters)) seq_len(nrow(x)) else clusters
  if (nrow(result$naive) < 6) return(result)
  for (unit in unique(c(dominant_units(x, units), dominant_units(y, units)))) {
    keep <- units != unit
    without <- compute(recenter(x[keep, , drop = FALSE]), recenter(y[keep, , drop = FALSE]),
                       clusters = cut_clusters(clusters, keep), ...)
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
