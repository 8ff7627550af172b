# Neighbour graphs: made once per representation and metric, with the largest k that is
# wanted in the call.

# list(idx, dist, tied): rows 1..n by k, nearest first, without the row itself.
form_graph <- function(rep, metric, k) {
  check_neighbour_count(rep, k)
  if (rep$kind == "graph") return(first_neighbours(rep$data, k))
  most <- min(max(k, rep$cache$neighbours[metric], na.rm = TRUE), rep$n - 1)
  graph <- remember(rep$cache, list("graph", metric, most), make_graph(rep, metric, most))
  first_neighbours(graph, k)
}

first_neighbours <- function(graph, k) {
  columns <- seq_len(k)
  list(idx = graph$idx[, columns, drop = FALSE], dist = graph$dist[, columns, drop = FALSE])
}

check_neighbour_count <- function(rep, k) {
  most <- if (rep$kind == "graph") ncol(rep$data$idx) else rep$n - 1
  if (k <= most) return(invisible())
  abort("`k` is ", k, ", but `", rep$arg, "` has ", rep$n, " rows and so ", most,
        " neighbours at most: lower `k`.", class = "repalign_error_rows", arg = "k")
}

# STAND-IN until the C kernel is there.
make_graph <- function(rep, metric, k) {
  x <- rep$data
  d <- switch(metric,
    euclidean = as.matrix(stats::dist(x)),
    cosine = 1 - tcrossprod(x / sqrt(rowSums(x^2))),
    correlation = 1 - stats::cor(t(x)),
    dot = -tcrossprod(x)
  )
  diag(d) <- Inf
  idx <- t(apply(d, 1, order))[, seq_len(k), drop = FALSE]
  list(idx = idx, dist = matrix(d[cbind(c(row(idx)), c(idx))], rep$n))
}
