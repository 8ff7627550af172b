# The numerator of a participation ratio from runs, which are crossed with stimuli.

# What variance_sums() gives, from the distances of all stimuli. D_uv = R_uu + R_vv - R_uv - R_vu
# with R_uv the sum over neurons of the mean of x_ut x_vs over runs t != s.
run_variance_sums <- function(sample, layout) {
  n <- length(sample$units)
  check_memory(8 * 8 * as.double(n)^2, "The distances from runs", "Fewer stimuli need less.")
  all <- run_distances(sample, seq_len(ncol(sample$x)))
  each <- lapply(seq_len(layout$count), function(unit) which(layout$unit == unit))
  tables <- vapply(each, function(columns) {
    own <- run_distances(sample, columns)
    cbind(dense_tuples(all, own), dense_tuples(own, own))
  }, matrix(0, n + 1, 2))
  tables <- array(tables, c(n + 1, 2, layout$count))
  within <- matrix(tables[, 2, ], n + 1)
  list(total = dense_tuples(all, all), unit = 2 * matrix(tables[, 1, ], n + 1) - within,
       within = within)
}

run_distances <- function(sample, columns) {
  x <- sample$x[, columns, drop = FALSE]
  runs <- sample$events
  stimulus <- rep(seq_along(sample$units), each = runs)
  total <- tcrossprod(rowsum(x, stimulus, reorder = TRUE))
  same <- Reduce(`+`, lapply(seq_len(runs), function(t) {
    tcrossprod(x[seq.int(t, nrow(x), runs), , drop = FALSE])
  }))
  r <- (total - same) / (runs * (runs - 1))
  unname(outer(diag(r), diag(r), "+") - 2 * r)
}

# Sums of D_ij E_kl / 4 over four different stimuli, over how many there are: nothing deleted, then
# each stimulus. d, e: symmetric, 0 on the diagonal.
dense_tuples <- function(d, e) {
  n <- as.double(nrow(d))
  rd <- rowSums(d)
  re <- rowSums(e)
  both <- rowSums(d * e)
  rows <- sum(rd * re)
  without <- rows - rd * re - drop(d %*% re) - drop(e %*% rd) + both
  whole <- (sum(rd) * sum(re) - 4 * rows + 2 * sum(both)) / (4 * falling(n, 4))
  left <- (sum(rd) - 2 * rd) * (sum(re) - 2 * re) - 4 * without + 2 * (sum(both) - 2 * both)
  c(whole, left / (4 * falling(n - 1, 4)))
}
