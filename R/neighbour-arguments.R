# What measures of neighbours have in common: arguments, their checks, and how graphs are made.

#' @include form-graph.R
NULL

# What may be done with tied neighbours, the default first: it is the average where there is a
# formula for it.
average_first <- c("average", "random")
random_first <- rev(average_first)

# Sets `ties` where its default, NULL, depends on other arguments. exact: is there a formula?
with_ties_rule <- function(args, exact) {
  if (is.null(args$ties)) args$ties <- if (exact) "average" else "random"
  args$ties <- check_choice(args$ties, average_first, "ties")
  args
}

# What all measures on lists of neighbours check: the arguments k, metric, ties and clusters. ties:
# the choices for it.
neighbour_args <- function(ties) {
  force(ties)
  function(args) {
    args$k <- check_count(args$k, "k")
    args$metric <- check_choice(args$metric, graph_metrics, "metric")
    args$ties <- check_choice(args$ties, ties, "ties")
    args$clusters <- cluster_codes(args$clusters)
    args
  }
}

# What all measures of neighbours declare as `check_pair`, or call there.
check_neighbour_pair <- function(pair, args) {
  check_clusters(args$clusters, pair$x$n, pair$x$arg, 2, "a search for neighbours")
  if (!anyNA(args$clusters)) return(invisible())
  for (repr in pair[c("x", "y")]) refuse_useless(labelled_stimuli(repr, args$clusters))
}

wanted_graph <- function(args) list(metric = args$metric, k = args$k)

# The same for measures in which the order of the neighbours counts.
wanted_ordered_graph <- function(args) list(metric = args$metric, k = args$k, ordered = TRUE)

# What measures on lists of neighbours declare as `prepare`.
prepare_graph <- function(repr, args, side) {
  form_graph(clustered_representation(repr, args$clusters), args$metric, args$k, ties = args$ties)
}

prepare_ordered_graph <- function(repr, args, side) {
  form_graph(clustered_representation(repr, args$clusters), args$metric, args$k, ordered = TRUE)
}
