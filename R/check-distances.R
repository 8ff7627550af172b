# Checks of "dist" objects and of neighbour graphs that a user brings.

# Distances between all pairs, as stats::dist() orders them.
check_dist <- function(x, arg) {
  n <- attr(x, "Size")
  if (!is.numeric(x) || !is.numeric(n) || length(x) != n * (n - 1) / 2) {
    abort("`", arg, "` is a damaged \"dist\" object: its length does not suit its size. Make it ",
          "again with dist() or as.dist().", class = "repalign_error_type", arg = arg)
  }
  bad <- which(!is.finite(x) | x < 0)
  if (length(bad)) {
    pair <- dist_pair(bad[1], n)
    abort("`", arg, "` has ", length(bad), " missing, non-finite or negative distance",
          if (length(bad) > 1) "s", ", first between rows ", pair[1], " and ", pair[2],
          ". Remove those rows, or mend the distances.", class = "repalign_error_nonfinite",
          arg = arg)
  }
  if (all(x == 0)) {
    abort("`", arg, "` has no variance: all distances are 0.", class = "repalign_error_variance",
          arg = arg)
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# Rows of the k-th distance of a "dist" object of n rows.
dist_pair <- function(k, n) {
  ends <- cumsum(rev(seq_len(n - 1)))
  i <- findInterval(k - 1, ends) + 1
  c(i, n - (ends[i] - k))
}

is_graph <- function(x) {
  is.list(x) && !is.data.frame(x) && all(c("idx", "dist") %in% names(x)) && is.matrix(x$idx)
}

# list(idx, dist): a row of nearest neighbours per stimulus, itself in the first column or
# nowhere. Returned without itself.
check_graph <- function(x, arg) {
  idx <- x$idx
  dist <- x$dist
  if (!is.numeric(idx) || !is.matrix(dist) || !is.numeric(dist) || any(dim(idx) != dim(dist))) {
    graph_error(arg, "needs two numeric matrices of the same size, `idx` and `dist` (stimuli x ",
                "neighbours)")
  }
  n <- nrow(idx)
  bad <- which(!is.finite(idx) | idx != round(idx) | idx < 1 | idx > n, arr.ind = TRUE)
  if (nrow(bad)) {
    graph_error(arg, "has an index that is no row number (1 to ", n, ") in row ", bad[1, 1],
                ", column ", bad[1, 2])
  }
  bad <- which(!is.finite(dist), arr.ind = TRUE)
  if (nrow(bad)) {
    graph_error(arg, "has a missing or non-finite distance in row ", bad[1, 1], ", column ",
                bad[1, 2])
  }
  if (ncol(idx) && all(idx[, 1] == seq_len(n))) {
    idx <- idx[, -1, drop = FALSE]
    dist <- dist[, -1, drop = FALSE]
  }
  check_graph_rows(idx, dist, arg)
  storage.mode(idx) <- "integer"
  storage.mode(dist) <- "double"
  list(idx = idx, dist = dist)
}

check_graph_rows <- function(idx, dist, arg) {
  if (!ncol(idx)) graph_error(arg, "has no neighbours")
  self <- which(idx == row(idx), arr.ind = TRUE)
  if (nrow(self)) {
    graph_error(arg, "has row ", self[1, 1], " as a neighbour of itself in column ", self[1, 2],
                " (a row may name itself in the first column only, and then all must)")
  }
  twice <- apply(idx, 1, anyDuplicated) > 0
  if (any(twice)) graph_error(arg, "names a neighbour twice in row ", which(twice)[1])
  falling <- rowSums(dist[, -1, drop = FALSE] < dist[, -ncol(dist), drop = FALSE]) > 0
  if (any(falling)) {
    graph_error(arg, "has distances that are not in increasing order in row ", which(falling)[1])
  }
}

graph_error <- function(arg, ...) {
  abort("The neighbour graph `", arg, "` ", ..., ".", class = "repalign_error_graph", arg = arg)
}
