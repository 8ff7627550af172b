# These functions check neighbour graphs that are given in the place of responses.

# x: list(idx, dist), with the nearest neighbours of each stimulus in a row and their distances.
# Graphs of other packages often name each stimulus as its own first neighbour; what is returned
# never does.
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

# Takes every stimulus out of its own neighbours, where it stands first, or after duplicates of it.
# Every row must name its own stimulus once, or none may, because all rows must stay equally long.
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
  # the message takes the rarer case for the mistake
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
