# Neighbour graphs are made here, once for each representation and metric, with the largest number
# of neighbours k that the call needs.
#
# The neighbours of a stimulus are ordered by their values (distances). Two values are tied if they
# differ by less than 1e-12 of the largest in their row, or by less than rounding can tell of nearly
# parallel rows. Chains of ties count as one tie. What becomes of tied neighbours is in form-ties.R.

#' @include form.R relabel.R
NULL

graph_metrics <- c("cosine", "euclidean", "dot", "correlation")

# list(idx, dist, tied, priority, order, averaged). idx: an n x k matrix with the k nearest
# neighbours of each stimulus, nearest first and without the stimulus itself. dist: their Euclidean
# distance, 1 - cosine, 1 - correlation, or minus the inner product. tied: in how many rows the k-th
# neighbour is tied with the next one. The other parts are there only with ties. ties = "random":
# the `priority` of the stimuli orders tied neighbours, and `order` tells this order from others.
# ties = "average": `averaged` holds the graph with all neighbours that are tied at the k-th place,
# see averaged_lists(), and idx only some of these. `ordered` says that the order of the neighbours
# counts, so that ties among the first k matter, too. A representation with `codes` has no
# neighbours within clusters (clustered_representation()).
form_graph <- function(repr, metric, k, ordered = FALSE, ties = "random") {
  check_neighbour_count(repr, k)
  say_once(repr, list("all neighbours", k, repr$codes), warn_all_neighbours(repr, k))
  if (repr$kind == "graph") return(given_neighbours(repr, k))
  check_graph_metric(repr, metric)
  most <- largest_k(repr, metric, k)
  if (ties == "average") return(averaged_graph(repr, metric, most, k))
  graph <- random_graph(repr, metric, most)
  cut <- first_neighbours(graph, k)
  tied <- if (ordered) tied_within(graph, k) else cut$tied
  if (tied > 0 && is.null(repr$tie_order)) {
    say_once(repr, list("ties", metric, k, ordered, repr$codes), warn_ties(repr, k, tied, ordered))
  }
  cut
}

largest_k <- function(repr, metric, k) {
  min(max(k, repr$cache$neighbours[metric], na.rm = TRUE), most_neighbours(repr))
}

# How many neighbours every stimulus can have: those of the largest cluster have the fewest.
most_neighbours <- function(repr) {
  repr$n - if (is.null(repr$codes)) 1 else max(tabulate(repr$codes))
}

# The graph as it was found. `open` are the rows with ties, in which the search did not settle which
# neighbours come first; it is missing if no row has a tie.
found_graph <- function(repr, metric, most) {
  remember_form(repr, "graph", list(metric, most, repr$codes), make_graph(repr, metric, most))
}

declare_form("graph", relabel = function(form, permutation) relabel_graph(form, permutation),
             size = function(n, d, args) 3 * as.double(n) * args$k, drawn = "priority")

warn_all_neighbours <- function(repr, k) {
  if (k < most_neighbours(repr)) return(invisible())
  of <- paste0("`", repr$arg, "`")
  all <- if (is.null(repr$codes)) {
    paste("every other stimulus of", of, "is a neighbour, so the neighbours")
  } else if (length(unique(tabulate(repr$codes))) == 1) {
    paste("every stimulus of another cluster of", of, "is a neighbour, so the neighbours")
  } else {
    paste("every stimulus outside of the largest cluster of", of, "is a neighbour of those in it,",
          "so their neighbours")
  }
  warn("`k` is ", k, ": ", all, " carry no information. Lower `k`, or use more stimuli.",
       class = "repalign_trivial", data = repr$arg)
}

first_neighbours <- function(graph, k) {
  columns <- seq_len(k)
  new_form("graph", list(
    idx = graph$idx[, columns, drop = FALSE], dist = graph$dist[, columns, drop = FALSE],
    tied = if (is.null(graph$joined)) 0L else sum(graph$joined[, k]), priority = graph$priority,
    order = graph$order
  ))
}

check_neighbour_count <- function(repr, k) {
  most <- if (repr$kind == "graph") ncol(repr$data$idx) else most_neighbours(repr)
  if (k <= most) return(invisible())
  there <- if (repr$kind == "graph") {
    paste(most, "neighbours a row: lower `k`, or give a graph of more.")
  } else if (is.null(repr$codes)) {
    paste(repr$n, "rows and so", most, "neighbours at most: lower `k`.")
  } else {
    paste0("only ", most, " rows outside of the largest cluster, and neighbours are those of ",
           "other clusters: lower `k`, or use finer labels.")
  }
  abort("`k` is ", k, ", but `", repr$arg, "` has ", there, class = "repalign_error_rows",
        arg = "k")
}

# The neighbours of a graph that was made elsewhere. Pairs within clusters cannot be taken out of
# it, because it does not tell which stimuli would come in their place.
given_neighbours <- function(repr, k) {
  graph <- first_neighbours(repr$data, k)
  within <- which(repr$codes[graph$idx] == repr$codes[row(graph$idx)])
  if (!length(within)) return(graph)
  at <- row(graph$idx)[within[1]]
  graph_error(repr$arg, "was made with pairs within clusters: row ", at, " has row ",
              graph$idx[within[1]], ", of the same cluster, among its first ",
              count_of(k, "neighbour"), ". Make it of pairs of different clusters only, or give ",
              "the responses or distances instead")
}

check_graph_metric <- function(repr, metric) {
  if (repr$kind != "dist" || metric == "euclidean") return(invisible())
  abort("`", repr$arg, "` is a \"dist\" object, from which ", metric, " neighbours cannot be ",
        "made: set metric = \"euclidean\" (the distances are used as they are), or give the ",
        "stimuli x neurons matrix.", class = "repalign_error_type", arg = repr$arg)
}

# sizes: the rows and columns of the blocks in which inner products are computed; with NULL, C
# chooses what is fast.
make_graph <- function(repr, metric, k, sizes = NULL) {
  if (repr$kind == "dist") return(search_distances(repr, k))
  space <- neighbour_space(repr, metric)
  graph <- search_rows(repr, space, k, sizes)
  graph$dist <- in_units_of_data(graph$dist, space, metric)
  if (!all(is.finite(graph$dist))) {
    abort("`", repr$arg, "` has values so large that ", metric, " distances between its rows are ",
          "not finite; rescale it.", class = "repalign_error_value", arg = repr$arg)
  }
  graph
}

in_units_of_data <- function(dist, space, metric) {
  if (metric == "dot") dist / space$unit / space$unit else dist / space$unit
}

# The rows as the search needs them (`rows`, and `raw` for exact Euclidean distances), how it
# computes a value from two rows (`value`), and the factor `unit` by which the data were multiplied.
neighbour_space <- function(repr, metric) {
  d <- ncol(repr$data)
  means <- double(d)
  scale <- 1
  if (metric == "euclidean") {
    center <- form_centering(repr)
    means <- center$means
    scale <- center$scale
  }
  if (metric == "dot") scale <- power_of_two_below(column_stats(repr)$size)
  how <- c(euclidean = 0L, cosine = 1L, correlation = 2L, dot = 3L)[[metric]]
  value <- c(euclidean = 0L, cosine = 1L, correlation = 1L, dot = 2L)[[metric]]
  prepared <- .Call(C_neighbour_rows, repr$data, means, scale, how)
  refuse_rows(repr, prepared$degenerate, centered = metric == "correlation")
  list(rows = prepared$rows, value = value, unit = scale,
       raw = if (metric == "euclidean") repr$data)
}

# list(idx, dist, open, largest). A fast search marks rows with ties (state 1) and rows in which
# more candidates lie within rounding of each other than it keeps (state 2). The latter are searched
# again as a whole. `largest`, the largest value of each row, serves to search open rows once more.
search_rows <- function(repr, space, k, sizes = NULL) {
  found <- .Call(C_knn, space$rows, space$value, space$raw, space$unit, k, thread_count(), sizes,
                 repr$codes)
  graph <- list(idx = found$idx, dist = found$dist)
  unsure <- which(found$state == 2L)
  if (length(unsure)) {
    part <- search_whole_rows(repr, space, k, unsure, found$largest, NULL)
    graph$idx[unsure, ] <- part$idx
    graph$dist[unsure, ] <- part$dist
    found$state[unsure] <- as.integer(rowSums(part$joined) > 0)
  }
  open <- which(found$state == 1L)
  if (length(open)) c(graph, list(open = open, largest = found$largest)) else graph
}

# priority: the order of tied neighbours, or NULL for that of the stimuli.
search_whole_rows <- function(repr, space, k, rows, largest, priority) {
  .Call(C_knn_rows, space$rows, space$value, space$raw, space$unit, k, rows, largest, priority,
        thread_count(), repr$codes)
}

search_distances <- function(repr, k, priority = NULL) {
  graph <- .Call(C_knn_packed, repr$data, repr$n, k, priority, thread_count(), repr$codes)
  open <- which(rowSums(graph$joined) > 0)
  if (length(open)) c(graph, list(open = open)) else graph[c("idx", "dist")]
}

# The first k neighbours of some open rows of a graph, with `priority` as the order of ties: a list
# (idx, dist, joined). joined[i, r] says that in row i neighbour r is tied with the next one.
search_open_rows <- function(repr, metric, graph, k, rows, priority) {
  if (repr$kind == "dist") {
    all <- search_distances(repr, k, priority)[c("idx", "dist", "joined")]
    return(lapply(all, function(part) part[rows, , drop = FALSE]))
  }
  space <- neighbour_space(repr, metric)
  part <- search_whole_rows(repr, space, k, rows, graph$largest, priority)
  part$dist <- in_units_of_data(part$dist, space, metric)
  part
}

# The graph with its open rows in the order of `priority`, or with NULL in that of the stimuli.
settle_ties <- function(repr, metric, graph, priority) {
  rows <- graph$open
  part <- search_open_rows(repr, metric, graph, ncol(graph$idx), rows, priority)
  graph$idx[rows, ] <- part$idx
  graph$dist[rows, ] <- part$dist
  graph$joined <- matrix(FALSE, repr$n, ncol(graph$idx))
  graph$joined[rows, ] <- part$joined
  unclass(graph)
}
