# Neighbour graphs, their ties, and sparse kernels that are made of them.

#' @include form.R
NULL

# Neighbour graphs are made here, once for each representation and metric, with the largest number
# of neighbours k that the call needs.
#
# The neighbours of a stimulus are ordered by their values (distances). Two values are tied if they
# differ by less than 1e-12 of the largest in their row, or by less than rounding can tell of nearly
# parallel rows. Chains of ties count as one tie. What becomes of tied neighbours stands below.

graph_metrics <- c("cosine", "euclidean", "dot", "correlation")

# list(idx, dist, tied, priority, order, averaged). idx: an n x k matrix with the k nearest
# neighbours of each stimulus, nearest first and without the stimulus itself. dist: their Euclidean
# distance, 1 - cosine, 1 - correlation, or minus the inner product. tied: in how many rows the k-th
# neighbour is tied with the next one. The other parts are there only with ties. ties = "random":
# the `priority` of the stimuli orders tied neighbours, and `order` tells this order from others.
# ties = "average": `averaged` holds the graph with all neighbours that are tied at the k-th place,
# see averaged_graph(), and idx only some of these. `ordered` says that the order of the neighbours
# counts, so that ties among the first k matter, too. A representation with `codes` has no
# neighbours within clusters (clustered_representation()).
form_graph <- function(repr, metric, k, ordered = FALSE, ties = "random") {
  there <- most_neighbours(repr)
  check_neighbour_count(repr, k, there)
  if (k >= there) {
    equal <- is.null(repr$codes) || length(unique(tabulate(repr$codes))) == 1
    all <- if (is.null(repr$codes)) "other stimulus" else
      if (equal) "stimulus of another cluster" else "stimulus outside of the largest cluster"
    say_once(repr, list("all neighbours", k, repr$codes), {
      warn("trivial", "`k` is {k}: every {all} of `{repr$arg}` is a neighbour",
           if (equal) ", so the" else " of those in it, so their",
           " neighbours carry no information. Lower `k`, or use more stimuli.", data = repr$arg)
    })
  }
  if (repr$kind == "graph") {
    # The neighbours of a graph that was made elsewhere. Pairs within clusters cannot be taken out
    # of it, because it does not tell which stimuli would come in their place.
    graph <- first_neighbours(repr$data, k)
    within <- which(repr$codes[graph$idx] == repr$codes[row(graph$idx)])
    if (!length(within)) return(graph)
    graph_error(repr$arg, "was made with pairs within clusters: row ", row(graph$idx)[within[1]],
                " has row ", graph$idx[within[1]], ", of the same cluster, among its first ",
                count_of(k, "neighbour"), ". Make it of pairs of different clusters only, or give ",
                "the responses or distances instead")
  }
  check_graph_metric(repr, metric)
  most <- largest_k(repr, metric, k, there)
  if (ties == "average") return(averaged_graph(repr, metric, most, k))
  graph <- random_graph(repr, metric, most)
  cut <- first_neighbours(graph, k)
  tied <- if (ordered) tied_within(graph, k) else cut$tied
  if (tied > 0 && is.null(repr$tie_order)) {
    say_once(repr, list("ties", metric, k, ordered, repr$codes), {
      warn("ties", "In `{repr$arg}`, {tied} of {repr$n} rows {if (tied == 1) 'has' else 'have'} ",
           "ties ",
           if (ordered) "among the first neighbours, whose order counts"
           else paste("at neighbour", k), ": which of the tied stimuli goes first is drawn at ",
           "random (once for all rows; set.seed() repeats it).", data = tied)
    })
  }
  cut
}

# there: how many neighbours there can be.
largest_k <- function(repr, metric, k, there = most_neighbours(repr)) {
  wanted <- repr$cache$neighbours
  min(if (is.null(wanted)) k else max(k, wanted[metric], na.rm = TRUE), there)
}

# How many neighbours every stimulus can have: those of the largest cluster have the fewest.
most_neighbours <- function(repr) repr$n - if (is.null(repr$codes)) 1 else max(tabulate(repr$codes))

# The graph as it was found. `open` are the rows with ties, in which the search did not settle which
# neighbours come first; it is missing if no row has a tie.
found_graph <- function(repr, metric, most) {
  remember_form(repr, "graph", list(metric, most, repr$codes), make_graph(repr, metric, most))
}

declare_form("graph", relabel = function(form, permutation) relabel_graph(form, permutation),
             size = function(n, d, args) 3 * as.double(n) * args$k, drawn = "priority")

first_neighbours <- function(graph, k) {
  lists <- graph[c("idx", "dist")]
  if (ncol(lists$idx) != k) lists <- lapply(lists, function(part) part[, seq_len(k), drop = FALSE])
  tied <- if (is.null(graph$joined)) 0L else sum(graph$joined[, k])
  as_form("graph", c(lists, list(tied = tied, priority = graph$priority, order = graph$order)))
}

check_neighbour_count <- function(repr, k, there = most_neighbours(repr)) {
  most <- if (repr$kind == "graph") ncol(repr$data$idx) else there
  if (k <= most) return(invisible())
  there <- if (repr$kind == "graph") {
    paste(count_of(most, "neighbour"), "a row: lower `k`, or give a graph of more.")
  } else if (is.null(repr$codes)) {
    paste(repr$n, "rows and so", count_of(most, "neighbour"), "at most: lower `k`.")
  } else {
    paste0("only ", count_of(most, "row"), " outside of the largest cluster, and neighbours are ",
           "those of other clusters: lower `k`, or use finer labels.")
  }
  refuse("rows", "`k` is {k}, but `{repr$arg}` has {there}")
}

check_graph_metric <- function(repr, metric) {
  refuse_if(repr$kind == "dist" && metric != "euclidean", "type", "`{repr$arg}` is a \"dist\" ",
            "object, from which {metric} neighbours cannot be made: set metric = \"euclidean\" ",
            "(the distances are used as they are), or give the stimuli x neurons matrix.")
}

# sizes: the rows and columns of the blocks in which inner products are computed; with NULL, C
# chooses what is fast.
make_graph <- function(repr, metric, k, sizes = NULL) {
  if (repr$kind == "dist") return(search_distances(repr, k))
  unit <- row_scaling(repr, metric)
  graph <- search_rows(repr, metric, unit, k, sizes)
  graph$dist <- in_units_of_data(graph$dist, unit, metric)
  refuse_if(!all(is.finite(graph$dist)), "value", "`{repr$arg}` has values so large that {metric} ",
            "distances between its rows are not finite; rescale it.")
  graph
}

in_units_of_data <- function(dist, unit, metric) {
  if (unit$scale == 1) dist
  else if (metric == "dot") dist / unit$scale / unit$scale else dist / unit$scale
}

# How rows are prepared for a metric, and how a value is computed from two of them, as C numbers it.
row_preparations <- c(euclidean = 0L, cosine = 1L, correlation = 2L, dot = 3L)

row_values <- c(euclidean = 0L, cosine = 1L, correlation = 1L, dot = 2L)

# list(means, scale): from the columns of the data the means are subtracted, and the data are
# multiplied by a power of two.
row_scaling <- function(repr, metric) {
  if (metric == "euclidean") return(form_centering(repr))
  list(means = double(ncol(repr$data)),
       scale = if (metric == "dot") power_of_two_below(column_stats(repr)$size) else 1)
}

# The rows as columns, as values are computed from them, and how (`value`); `raw` for exact
# Euclidean distances.
neighbour_space <- function(repr, metric) {
  unit <- row_scaling(repr, metric)
  prepared <- .Call(C_neighbour_rows, repr$data, unit$means, unit$scale, row_preparations[[metric]])
  refuse_rows(repr, prepared$degenerate, centered = metric == "correlation")
  list(rows = prepared$rows, value = row_values[[metric]], scale = unit$scale,
       raw = if (metric == "euclidean") repr$data)
}

# list(idx, dist, open, largest). A fast search marks rows with ties (state 1) and rows in which
# more candidates lie within rounding of each other than it keeps (state 2). The latter are searched
# again as a whole. `largest`, the largest value of each row, serves to search open rows once more.
search_rows <- function(repr, metric, unit, k, sizes = NULL) {
  found <- .Call(C_knn, repr$data, unit$means, unit$scale, row_preparations[[metric]], k,
                 thread_count(), sizes, repr$codes)
  refuse_rows(repr, found$degenerate, centered = metric == "correlation")
  graph <- list(idx = found$idx, dist = found$dist)
  # nearly always all rows are settled
  if (!any(found$state)) return(graph)
  unsure <- which(found$state == 2L)
  if (length(unsure)) {
    part <- search_whole_rows(repr, neighbour_space(repr, metric), k, unsure, found$largest, NULL)
    graph$idx[unsure, ] <- part$idx
    graph$dist[unsure, ] <- part$dist
    found$state[unsure] <- as.integer(rowSums(part$joined) > 0)
  }
  open <- which(found$state == 1L)
  if (length(open)) c(graph, list(open = open, largest = found$largest)) else graph
}

# priority: the order of tied neighbours, or NULL for that of the stimuli.
search_whole_rows <- function(repr, space, k, rows, largest, priority) {
  .Call(C_knn_rows, space$rows, space$value, space$raw, space$scale, k, rows, largest, priority,
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
  graph
}

# ---- sparse

# Sparse forms hold kernels that are zero except between near neighbours. A sparse form is
#   list(n, idx, weight, diagonal, row_sums, column_sums)
# with n x k matrices idx and weight: the entry of the kernel at (i, idx[i, e]) is weight[i, e], and
# all entries on its diagonal are `diagonal`. In the symmetric form, and in kernels that are
# averaged over the order of ties, rows have unequal lengths: idx and weight are vectors, and row i
# is at their positions start[i] + 1 to start[i + 1].

declare_form("sparse kernel", relabel = function(form, permutation) {
  form <- relabel_sparse(form, permutation)
  relabel_parts(each = c("row_sums", "column_sums", "sigma"))(form, permutation)
}, size = function(n, d, args) 2 * as.double(n) * args$k)

declare_form("symmetric kernel", relabel = function(form, permutation) {
  relabel_parts(each = "row_sums")(relabel_sparse(form, permutation), permutation)
}, size = function(n, d, args) 4 * as.double(n) * args$k)

relabel_sparse <- function(form, permutation) {
  if (is.null(form$start)) relabel_graph(form, permutation) else relabel_lists(form, permutation)
}

sparse_form <- function(idx, weight, diagonal) {
  form <- list(n = nrow(idx), idx = idx, weight = weight, diagonal = diagonal)
  sums <- .Call(C_sparse_sums, form)
  c(form, list(row_sums = sums$rows, column_sums = sums$columns))
}

# The inner product of two centred sparse kernels, computed without n x n matrices. With centering
# "row" the mean of each row is subtracted, <K H, L H>; with "double" also that of each column,
# <H K H, H L H>. `magnitude` is the size of the terms: the rounding error is a share of it.
centered_product <- function(a, b, centering) {
  dot <- .Call(C_sparse_dot, a, b)
  list(value = centered_sum(dot, a$row_sums, b$row_sums, a$column_sums, b$column_sums, centering),
       magnitude = dot)
}

centered_sum <- function(dot, rows_a, rows_b, columns_a, columns_b, centering) {
  n <- length(rows_a)
  value <- dot - sum(rows_a * rows_b) / n
  if (centering == "row") return(value)
  value - sum(columns_a * columns_b) / n + (sum(rows_a) / n) * (sum(rows_b) / n)
}

# Adds the inner product of a form with itself, which every comparison needs. No score can be made
# of a form for which it is not positive.
with_norm <- function(form, centering) {
  norm <- centered_product(form, form, centering)
  c(form, list(norm = norm, undefined = !is_positive(norm)))
}

# The cosine between two centred kernels, from their inner product (the statistic).
kernel_cosine <- function(statistic, x, y, args) statistic / sqrt(x$norm$value) / sqrt(y$norm$value)

# Warns that the score is undefined because of `repr`: with_norm() marks its form.
warn_no_contrast <- function(repr, args) {
  warn("undefined", "The score is undefined (NA): the neighbour kernel of `{repr$arg}` is ",
       "constant once it is centred, as when all stimuli are equally far from each other. A ",
       "smaller `k` may help.", data = repr$arg)
}

# The rows of the data as columns, one for each stimulus. For the metric "cosine" they have length
# 1; for "dot" all are multiplied by one power of two.
form_rows <- function(repr, metric) {
  remember_form(repr, "rows", list(metric), list(rows = neighbour_space(repr, metric)$rows))
}

declare_form("rows", relabel = relabel_parts(columns = "rows"),
             size = function(n, d, args) as.double(n) * d)

# ---- ties

# What becomes of tied neighbours: a random order, or the average over all orders.
#
# A random order is made by priorities, one for each stimulus, drawn for a representation, its side
# and the metric, and the same in all rows. So the first k columns of a graph are the very graph
# that a search for k neighbours would find with these priorities.
#
# The average is over all orders of the stimuli, on each side independently. In row i, `sure`
# neighbours are nearer than those that are tied at the k-th place, and k - sure places are left for
# the tied ones. In a random order each of them is among the k nearest with the same probability,
# the places over the number of tied ones: its weight. Sums over common neighbours have the mean
# that these weights give.

# ---- a random order

random_graph <- function(repr, metric, most) {
  order <- list(side = repr$side, number = repr$tie_order)
  key <- list(metric, most, repr$codes, order)
  drawn <- recall_form(repr, "graph", key)
  if (!is.null(drawn)) return(drawn)
  graph <- found_graph(repr, metric, most)
  if (is.null(graph$open)) return(graph)
  remember_form(repr, "graph", key, {
    priority <- tie_priorities(repr, metric)
    c(settle_ties(repr, metric, graph, priority), list(priority = priority, order = order))
  })
}

# One random priority for each stimulus, chosen when the first tie is found. It is a form of its
# own, so that a permuted representation takes the priorities of its stimuli along.
tie_priorities <- function(repr, metric) {
  number <- repr$tie_order
  remember_form(repr, "tie priorities", list(repr$side, metric, number), {
    what <- c("ties", repr$side, metric, if (is.null(number)) "one" else number, names_of(repr))
    list(priority = random_order(repr, what, repr$n))
  })$priority
}

declare_form("tie priorities", relabel = relabel_parts(each = "priority"),
             size = function(n, d, args) n, drawn = "priority")

# Was some order of the tied neighbours of this representation drawn?
drew_ties <- function(repr) {
  any(vapply(repr$cache$entries, function(entry) identical(entry$key[[1]], "tie priorities"), NA))
}

# How many rows have a tie anywhere among their first k + 1 neighbours.
tied_within <- function(graph, k) {
  if (is.null(graph$joined)) return(0L)
  sum(rowSums(graph$joined[, seq_len(k), drop = FALSE]) > 0)
}

# In how many rows ties can change a score. wanted: what a measure declares as `neighbours`.
tied_rows <- function(repr, wanted) {
  check_neighbour_count(repr, wanted$k)
  if (repr$kind == "graph") return(0L)
  check_graph_metric(repr, wanted$metric)
  remember_summary(repr, "tied rows", list(wanted, repr$codes), {
    most <- largest_k(repr, wanted$metric, wanted$k)
    graph <- unordered_graph(repr, wanted$metric, most)
    list(count = if (isTRUE(wanted$ordered)) tied_within(graph, wanted$k)
         else first_neighbours(graph, wanted$k)$tied)
  })$count
}

# ---- the average over all orders

# The graph with tied neighbours in the order of the stimuli, which must not decide about anything.
unordered_graph <- function(repr, metric, most) {
  graph <- found_graph(repr, metric, most)
  if (is.null(graph$open) || !is.null(graph$joined)) return(graph)
  remember_form(repr, "graph", list(metric, most, repr$codes, "unordered"),
                settle_ties(repr, metric, graph, NULL))
}

averaged_graph <- function(repr, metric, most, k) {
  key <- list(metric, most, k, repr$codes, "average")
  averaged <- recall_form(repr, "graph", key)
  if (!is.null(averaged)) return(averaged)
  graph <- unordered_graph(repr, metric, most)
  cut <- first_neighbours(graph, k)
  if (cut$tied == 0) return(cut)
  remember_form(repr, "graph", key, {
    cut$order <- "average"
    # row i has the neighbours idx[start[i] + 1], ..., idx[start[i + 1]]
    # with their weights. `sure` of them come first, whose weight is 1
    n <- repr$n
    ties <- whole_ties(repr, metric, graph, k)
    sure <- rep(k, n)
    sure[ties$rows] <- ties$sure
    lengths <- rep(k, n)
    lengths[ties$rows] <- ties$lengths
    start <- c(0, cumsum(as.double(lengths)))
    # edges are counted by integers
    edges <- start[n + 1]
    check_memory(48 * edges, "The neighbours with all ties,", "ties = \"random\" needs less.")
    refuse_if(edges > .Machine$integer.max, "size", "There are {format(edges)} neighbours with ",
              "all ties, more than 2^31 - 1: set ties = \"random\", or take fewer stimuli.",
              arg = "ties")
    plain <- setdiff(seq_len(n), ties$rows)
    idx <- integer(edges)
    place <- function(rows) sequence(lengths[rows], from = start[rows] + 1)
    idx[place(plain)] <- t(graph$idx[plain, seq_len(k), drop = FALSE])
    idx[place(ties$rows)] <- ties$idx
    weight <- rep((k - sure) / (lengths - sure), lengths)
    weight[sequence(lengths) <= rep(sure, lengths)] <- 1
    c(cut,
      list(averaged = list(start = start, idx = idx, weight = weight, sure = as.integer(sure))))
  })
}

# The rows in which the k-th neighbour is tied with the next one, with all neighbours up to the last
# tied one: list(rows, lengths, sure, idx), where `sure` neighbours of a row come before the ties.
# Rows are searched with twice as many neighbours until their ties end.
whole_ties <- function(repr, metric, graph, k) {
  rows <- which(graph$joined[, k])
  part <- list(idx = graph$idx[rows, , drop = FALSE], joined = graph$joined[rows, , drop = FALSE])
  found <- NULL
  repeat {
    # for each row the last neighbour that is tied with number k, or NA if the ties go on beyond
    most <- ncol(part$joined)
    ends <- !part$joined[, k:most, drop = FALSE]
    lengths <- max.col(ends, "first") + k - 1L
    lengths[rowSums(ends) == 0] <- NA
    ended <- which(!is.na(lengths))
    # for each row the first neighbour that is tied with number k
    starts <- rep(1L, nrow(part$joined))
    if (k > 1) {
      breaks <- !part$joined[, seq_len(k - 1), drop = FALSE]
      starts <- ifelse(rowSums(breaks) == 0, 1L, max.col(breaks, "last") + 1L)
    }
    found <- c(found, list(list(
      rows = rows[ended], lengths = lengths[ended], sure = starts[ended] - 1L,
      idx = part$idx[cbind(rep(ended, lengths[ended]), sequence(lengths[ended]))]
    )))
    rows <- rows[is.na(lengths)]
    if (!length(rows)) break
    # how many stimuli can be neighbours of each of some rows
    others <- if (is.null(repr$codes)) rep(repr$n - 1, length(rows))
    else repr$n - tabulate(repr$codes)[repr$codes[rows]]
    width <- min(2 * ncol(part$idx), max(others))
    check_memory(40 * width * if (repr$kind == "dist") repr$n else length(rows),
                 "Finding all tied neighbours", "ties = \"random\" needs less.")
    part <- search_open_rows(repr, metric, graph, width, rows, NULL)
  }
  join <- function(name) unlist(lapply(found, function(one) one[[name]]))
  sorted <- order(join("rows"))
  by_row <- order(rep(join("rows"), join("lengths")))
  list(rows = join("rows")[sorted], lengths = join("lengths")[sorted],
       sure = join("sure")[sorted], idx = join("idx")[by_row])
}

# A sparse form of a graph, averaged over the order of ties: each neighbour that is
# tied at the k-th place takes its share of the values at the places left. They are equal, but for
# rounding, and so what is known of whole rows stays as it is, as does the norm.
spread_ties <- function(form, averaged) {
  if (is.null(averaged)) return(form)
  lengths <- diff(averaged$start)
  row <- rep(seq_len(form$n), lengths)
  place <- sequence(lengths)
  k <- ncol(form$idx)
  beyond <- col(form$weight) > averaged$sure
  at_ties <- rowSums(form$weight * beyond) / pmax(k - averaged$sure, 1)
  tied <- which(place > averaged$sure[row])
  weight <- numeric(length(row))
  weight[-tied] <- form$weight[cbind(row, place)[-tied, , drop = FALSE]]
  weight[tied] <- at_ties[row[tied]] * averaged$weight[tied]
  form[c("idx", "weight")] <- list(averaged$idx, weight)
  form$start <- averaged$start
  form$column_sums <- .Call(C_sparse_sums, form)$columns
  form
}

# ---- neighbour arguments

# What measures of neighbours have in common: arguments, their checks, and how graphs are made.

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

# ---- tie orders

# The mean of a score over some random orders of tied neighbours, for measures of which no formula
# for the mean over all orders is known.

# How many random orders an average is taken over where no formula gives it.
tie_orders <- 20L

# Does a measure take the mean of its scores over some random orders?
takes_orders <- function(d, args) {
  identical(args$ties, "average") && !isTRUE(declared(d$exact_ties, args))
}

# Do ties change the score of this pair?
has_ties <- function(d, pair, args) {
  wanted <- d$neighbours(args)
  pair[c("x", "y")] <- lapply(pair[c("x", "y")], clustered_representation, args$clusters)
  tied_rows(pair$x, wanted) > 0 || tied_rows(pair$y, wanted) > 0
}

# A representation whose ties are in the random order of this number.
in_tie_order <- function(repr, number) {
  repr$tie_order <- number
  repr
}

pair_in_tie_order <- function(pair, number) {
  pair[c("x", "y")] <- lapply(pair[c("x", "y")], in_tie_order, number)
  pair
}

sides_in_tie_order <- function(sides, number) {
  for (side in c("x", "y")) sides[[side]]$reprs <- lapply(sides[[side]]$reprs, in_tie_order, number)
  sides
}

# The mean of `value`(number), a number or an array, over all orders. It is updated order by order,
# so that the mean of equal values is that value to the last digit.
mean_over_orders <- function(value) {
  total <- 0
  for (number in seq_len(tie_orders)) {
    now <- value(number)
    if (all(is.na(now))) return(now)
    total <- total + (now - total) / number
  }
  total
}
