# Neighbour graphs are made here, once for each representation and metric, with the largest number
# of neighbours k that the call needs.
#
# The neighbours of a stimulus are ordered by their values (distances). Two values are tied if they
# differ by less than 1e-12 of the largest in their row, or by less than rounding can tell of nearly
# parallel rows. Chains of ties count as one tie, and tied neighbours are ordered by the random
# priorities of the representation. That makes the first k columns of a graph the very graph that a
# search for k neighbours would find with these priorities.

#' @include form.R relabel.R
NULL

graph_metrics <- c("cosine", "euclidean", "dot", "correlation")

# list(idx, dist, priority, tied). idx: an n x k matrix with the k nearest neighbours of each
# stimulus, nearest first and without the stimulus itself. dist: their Euclidean distance,
# 1 - cosine, 1 - correlation, or minus the inner product. priority: NULL if no row has a tie among
# the first k + 1 values, for the largest k of the call. tied: in how many rows the k-th neighbour
# is tied with the next one. `ordered` says that the order of the neighbours counts, so that ties
# among the first k matter, too. codes: of the clusters, one a stimulus, or NULL; no stimulus is a
# neighbour of another one of its cluster. Permutations take clusters to clusters.
form_graph <- function(repr, metric, k, ordered = FALSE, codes = NULL) {
  check_neighbour_count(repr, k, codes)
  say_once(repr, list("all neighbours", k, codes), warn_all_neighbours(repr, k, codes))
  if (repr$kind == "graph") return(given_neighbours(repr, k, codes))
  check_graph_metric(repr, metric)
  wanted <- max(k, repr$cache$neighbours[metric], na.rm = TRUE)
  most <- min(wanted, most_neighbours(repr$n, codes))
  graph <- remember_form(repr, "graph", list(metric, most, codes),
                         make_graph(repr, metric, most, codes = codes))
  cut <- first_neighbours(graph, k)
  tied <- if (ordered) tied_within(graph, k) else cut$tied
  if (tied > 0) {
    say_once(repr, list("ties", metric, k, ordered, codes), warn_ties(repr, k, tied, ordered))
  }
  cut
}

declare_form("graph", relabel = function(form, permutation) relabel_graph(form, permutation),
             size = function(n, d, args) 3 * as.double(n) * args$k, drawn = "priority")

# How many rows have a tie anywhere among their first k + 1 neighbours.
tied_within <- function(graph, k) {
  if (is.null(graph$joined)) return(0L)
  sum(rowSums(graph$joined[, seq_len(k), drop = FALSE]) > 0)
}

# How many neighbours every stimulus can have: those of the largest cluster have the fewest.
most_neighbours <- function(n, codes) {
  n - if (is.null(codes)) 1 else max(tabulate(codes))
}

warn_all_neighbours <- function(repr, k, codes = NULL) {
  if (k < most_neighbours(repr$n, codes)) return(invisible())
  of <- paste0("`", repr$arg, "`")
  all <- if (is.null(codes)) {
    paste("every other stimulus of", of, "is a neighbour, so the neighbours")
  } else if (length(unique(tabulate(codes))) == 1) {
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
    priority = graph$priority, tied = if (is.null(graph$joined)) 0L else sum(graph$joined[, k])
  ))
}

check_neighbour_count <- function(repr, k, codes = NULL) {
  most <- if (repr$kind == "graph") ncol(repr$data$idx) else most_neighbours(repr$n, codes)
  if (k <= most) return(invisible())
  there <- if (repr$kind == "graph") {
    paste(most, "neighbours a row: lower `k`, or give a graph of more.")
  } else if (is.null(codes)) {
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
given_neighbours <- function(repr, k, codes) {
  graph <- first_neighbours(repr$data, k)
  within <- which(codes[graph$idx] == codes[row(graph$idx)])
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

warn_ties <- function(repr, k, tied, ordered) {
  one <- tied == 1
  warn("In `", repr$arg, "`, ", tied, " of ", repr$n, " rows ", if (one) "has" else "have",
       " ties ", if (ordered) "among the first neighbours, whose order counts"
       else paste("at neighbour", k),
       ": which of the tied stimuli goes first is drawn at random (once for all rows; ",
       "set.seed() repeats it).", class = "repalign_ties", data = tied)
}

# One random priority for each stimulus, chosen when the first tie is found. It is a form of its
# own, so that a permuted representation takes the priorities of its stimuli along.
tie_priorities <- function(repr) {
  remember_form(repr, "tie priorities", list(), {
    list(priority = choose_by_seed(list(repr), sample.int(repr$n)))
  })$priority
}

declare_form("tie priorities", relabel = relabel_parts(each = "priority"),
             size = function(n, d, args) n, drawn = "priority")

# sizes: the rows and columns of the blocks in which inner products are computed; with NULL, C
# chooses what is fast.
make_graph <- function(repr, metric, k, sizes = NULL, codes = NULL) {
  if (repr$kind == "dist") return(search_distances(repr, k, codes))
  space <- neighbour_space(repr, metric)
  graph <- search_rows(repr, space, k, sizes, codes)
  graph$dist <- graph$dist / space$unit
  if (metric == "dot") graph$dist <- graph$dist / space$unit
  if (!all(is.finite(graph$dist))) {
    abort("`", repr$arg, "` has values so large that ", metric, " distances between its rows are ",
          "not finite; rescale it.", class = "repalign_error_value", arg = repr$arg)
  }
  graph
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

# list(idx, dist, joined, priority), where joined[i, r] says that in row i neighbour r is tied with
# the next one. `joined` and `priority` are missing if no row has a tie. A fast search marks rows
# with ties (state 1) and rows in which more candidates lie within rounding of each other than it
# keeps (state 2). These rows are searched again as a whole.
search_rows <- function(repr, space, k, sizes = NULL, codes = NULL) {
  threads <- thread_count()
  found <- .Call(C_knn, space$rows, space$value, space$raw, space$unit, k, threads, sizes, codes)
  graph <- list(idx = found$idx, dist = found$dist)
  search_whole_rows <- function(rows, priority) {
    .Call(C_knn_rows, space$rows, space$value, space$raw, space$unit, k, rows, found$largest,
          priority, threads, codes)
  }
  unsure <- which(found$state == 2L)
  if (length(unsure)) {
    part <- search_whole_rows(unsure, NULL)
    graph$idx[unsure, ] <- part$idx
    graph$dist[unsure, ] <- part$dist
    found$state[unsure] <- as.integer(rowSums(part$joined) > 0)
  }
  tied <- which(found$state == 1L)
  if (!length(tied)) return(graph)
  graph$priority <- tie_priorities(repr)
  part <- search_whole_rows(tied, graph$priority)
  graph$idx[tied, ] <- part$idx
  graph$dist[tied, ] <- part$dist
  graph$joined <- matrix(FALSE, repr$n, k)
  graph$joined[tied, ] <- part$joined
  graph
}

search_distances <- function(repr, k, codes = NULL) {
  search <- function(priority) {
    .Call(C_knn_packed, repr$data, repr$n, k, priority, thread_count(), codes)
  }
  graph <- search(NULL)
  if (!any(graph$joined)) return(graph[c("idx", "dist")])
  priority <- tie_priorities(repr)
  c(search(priority), list(priority = priority))
}

# All measures on lists of neighbours have the arguments k and metric.
check_neighbour_args <- function(args) {
  args$k <- check_count(args$k, "k")
  args$metric <- check_choice(args$metric, graph_metrics, "metric")
  args$clusters <- cluster_codes(args$clusters)
  args
}

# What all measures of neighbours declare as `check_pair`, or call there.
check_neighbour_pair <- function(pair, args) {
  check_clusters(args$clusters, pair$x$n, pair$x$arg, 2, "a search for neighbours")
  if (!anyNA(args$clusters)) return(invisible())
  for (repr in pair[c("x", "y")]) refuse_useless(labelled_stimuli(repr, args$clusters))
}

wanted_graph <- function(args) list(metric = args$metric, k = args$k)

# What measures on lists of neighbours declare as `prepare`.
prepare_graph <- function(repr, args, side) clustered_graph(repr, args, args$metric)

# The same for measures in which the order of the neighbours counts.
prepare_ordered_graph <- function(repr, args, side) {
  clustered_graph(repr, args, args$metric, ordered = TRUE)
}

# The graph of the stimuli that have a label in `clusters`; of all without it.
clustered_graph <- function(repr, args, metric, ordered = FALSE) {
  form_graph(labelled_stimuli(repr, args$clusters), metric, args$k, ordered,
             labelled_codes(args$clusters))
}
