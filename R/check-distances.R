# Checks of "dist" objects and of neighbour graphs that a user brings.

# Distances between all pairs, as stats::dist() orders them.
# allow_na: missing ones may be there, and will be taken out.
check_dist <- function(x, arg, allow_na = FALSE) {
  n <- attr(x, "Size")
  sized <- is.numeric(n) && length(n) == 1 && is.finite(n) && n >= 0 && n == round(n)
  if (!is.numeric(x) || !sized || length(x) != n * (n - 1) / 2) {
    abort("`", arg, "` is a damaged \"dist\" object: its length does not match its size. Make it ",
          "again with dist() or as.dist().", class = "repalign_error_type", arg = arg)
  }
  if (!length(attr(x, "Labels")) %in% c(0, n)) {
    abort("`", arg, "` is a damaged \"dist\" object: it has ", length(attr(x, "Labels")),
          " labels for ", n, " rows.", class = "repalign_error_type", arg = arg)
  }
  bad <- if (allow_na) is.infinite(x) else !is.finite(x)
  refuse_distances(which(bad), n, if (allow_na) "infinite" else "missing or non-finite", arg)
  if (all(x == 0, na.rm = allow_na)) {
    abort("`", arg, "` has no variance: all distances are 0.", class = "repalign_error_variance",
          arg = arg)
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

refuse_distances <- function(bad, n, what, arg) {
  if (!length(bad)) return(invisible())
  pair <- dist_pair(bad[1], n)
  abort("`", arg, "` has ", length(bad), " ", what, " distance", if (length(bad) > 1) "s",
        ", first between rows ", pair[1], " and ", pair[2], ". Remove those rows, or correct the ",
        "distances.", class = "repalign_error_nonfinite", arg = arg)
}

# Estimates of squared distances (crossnobis) may be negative: only a correlation of
# dissimilarities can use those.
refuse_negative <- function(rep, accepted) {
  if (rep$kind != "dist" || "signed" %in% accepted) return(invisible())
  refuse_distances(which(rep$data < 0), rep$n, "negative", rep$arg)
}

# A square matrix of distances is read as responses, which is hardly ever meant.
note_distance_matrix <- function(x, arg) {
  n <- nrow(x)
  alike <- n == ncol(x) && n > 2 && all(diag(x) == 0) && any(x != 0) && all(x == t(x))
  if (!alike) return(invisible())
  warn("`", arg, "` is symmetric with zeros on the diagonal, like a matrix of dissimilarities, ",
       "but its rows are taken for responses. If it holds dissimilarities, give as.dist(", arg,
       ").", class = "repalign_distance_matrix", data = arg)
}

# Rows of the k-th distance of a "dist" object of n rows.
dist_pair <- function(k, n) {
  ends <- cumsum(as.double(rev(seq_len(n - 1))))
  i <- findInterval(k - 1, ends) + 1
  c(i, n - (ends[i] - k))
}

is_graph <- function(x) {
  is.list(x) && !is.data.frame(x) && all(c("idx", "dist") %in% names(x)) &&
    length(dim(x$idx)) == 2
}

# list(idx, dist): a row of nearest neighbours per stimulus, with or without itself. Returned
# without itself.
check_graph <- function(x, arg) {
  if (length(dim(x$dist)) != 2 || any(dim(x$idx) != dim(x$dist))) {
    graph_error(arg, "needs two numeric matrices of the same size, `idx` and `dist` (stimuli x ",
                "neighbours)")
  }
  idx <- unname(as.matrix(x$idx))
  dist <- unname(as.matrix(x$dist))
  if (!is.numeric(idx) || !is.numeric(dist)) {
    graph_error(arg, "needs numeric matrices in `idx` and `dist`")
  }
  n <- nrow(idx)
  bad <- which(!is.finite(idx) | idx != round(idx) | idx < 1 | idx > n, arr.ind = TRUE)
  if (nrow(bad)) {
    from_zero <- if (any(idx %in% 0)) "; if yours start at 0, add 1"
    graph_error(arg, "has an index that is not a row number (1 to ", n, ") in row ", bad[1, 1],
                ", column ", bad[1, 2], from_zero)
  }
  bad <- which(!is.finite(dist), arr.ind = TRUE)
  if (nrow(bad)) {
    graph_error(arg, "has a missing or non-finite distance in row ", bad[1, 1], ", column ",
                bad[1, 2], "; give every stimulus the same number of neighbours")
  }
  graph <- without_self(idx, dist, arg)
  check_graph_rows(graph$idx, graph$dist, arg)
  storage.mode(graph$idx) <- "integer"
  storage.mode(graph$dist) <- "double"
  rownames(graph$idx) <- rownames(x$idx)
  graph
}

# A stimulus may stand among its own neighbours, first or after duplicates of it: in every row
# or in none.
without_self <- function(idx, dist, arg) {
  self <- idx == row(idx)
  times <- rowSums(self)
  if (all(times == 0)) return(list(idx = idx, dist = dist))
  refuse_odd_selves(times, arg)
  drop <- function(m) matrix(t(m)[t(!self)], nrow(m), byrow = TRUE)
  list(idx = drop(idx), dist = drop(dist))
}

refuse_odd_selves <- function(times, arg) {
  remedy <- "; leave the row itself out everywhere, or name it once in every row"
  if (any(times > 1)) {
    graph_error(arg, "names row ", which(times > 1)[1], " twice among its own neighbours", remedy)
  }
  if (all(times == 1)) return(invisible())
  # the rarer case is the mistake
  if (mean(times) > 0.5) {
    graph_error(arg, "names rows among their own neighbours, but not row ", which(times == 0)[1],
                remedy)
  }
  graph_error(arg, "has row ", which(times == 1)[1], " among its own neighbours", remedy)
}

check_graph_rows <- function(idx, dist, arg) {
  if (!ncol(idx)) graph_error(arg, "has no neighbours")
  twice <- apply(idx, 1, anyDuplicated) > 0
  if (any(twice)) graph_error(arg, "names a neighbour twice in row ", which(twice)[1])
  falling <- rowSums(dist[, -1, drop = FALSE] < dist[, -ncol(dist), drop = FALSE]) > 0
  if (any(falling)) {
    graph_error(arg, "has distances that are not in increasing order in row ", which(falling)[1],
                "; sort the neighbours of each row, nearest first")
  }
}

graph_error <- function(arg, ...) {
  abort("The neighbour graph `", arg, "` ", ..., ".", class = "repalign_error_graph", arg = arg)
}
