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

#' @include form.R relabel.R form-graph.R
NULL

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

warn_ties <- function(repr, k, tied, ordered) {
  one <- tied == 1
  warn("In `", repr$arg, "`, ", tied, " of ", repr$n, " rows ", if (one) "has" else "have",
       " ties ", if (ordered) "among the first neighbours, whose order counts"
       else paste("at neighbour", k),
       ": which of the tied stimuli goes first is drawn at random (once for all rows; ",
       "set.seed() repeats it).", class = "repalign_ties", data = tied)
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
    c(unclass(cut), list(averaged = averaged_lists(repr, metric, graph, k)))
  })
}

# list(start, idx, weight, sure): row i has the neighbours idx[start[i] + 1], ..., idx[start[i + 1]]
# with their weights. `sure` of them come first, whose weight is 1.
averaged_lists <- function(repr, metric, graph, k) {
  n <- repr$n
  ties <- whole_ties(repr, metric, graph, k)
  sure <- rep(k, n)
  sure[ties$rows] <- ties$sure
  lengths <- rep(k, n)
  lengths[ties$rows] <- ties$lengths
  start <- c(0, cumsum(as.double(lengths)))
  check_averaged_size(start[n + 1])
  plain <- setdiff(seq_len(n), ties$rows)
  idx <- integer(start[n + 1])
  place <- function(rows) sequence(lengths[rows], from = start[rows] + 1)
  idx[place(plain)] <- t(graph$idx[plain, seq_len(k), drop = FALSE])
  idx[place(ties$rows)] <- ties$idx
  position <- sequence(lengths)
  tied <- position > rep(sure, lengths)
  weight <- rep((k - sure) / (lengths - sure), lengths)
  weight[!tied] <- 1
  list(start = start, idx = idx, weight = weight, sure = as.integer(sure))
}

# Edges are counted by integers.
check_averaged_size <- function(edges) {
  check_memory(48 * edges, "The neighbours with all ties,", "ties = \"random\" needs less.")
  if (edges <= .Machine$integer.max) return(invisible())
  abort("There are ", format(edges), " neighbours with all ties, more than 2^31 - 1: set ties = ",
        "\"random\", or take fewer stimuli.", class = "repalign_error_size", arg = "ties")
}

# The rows in which the k-th neighbour is tied with the next one, with all neighbours up to the last
# tied one: list(rows, lengths, sure, idx), where `sure` neighbours of a row come before the ties.
# Rows are searched with twice as many neighbours until their ties end.
whole_ties <- function(repr, metric, graph, k) {
  rows <- which(graph$joined[, k])
  part <- list(idx = graph$idx[rows, , drop = FALSE], joined = graph$joined[rows, , drop = FALSE])
  found <- NULL
  repeat {
    lengths <- ends_of_ties(part$joined, k)
    ended <- which(!is.na(lengths))
    found <- c(found, list(list(
      rows = rows[ended], lengths = lengths[ended],
      sure = starts_of_ties(part$joined, k)[ended] - 1L,
      idx = part$idx[cbind(rep(ended, lengths[ended]), sequence(lengths[ended]))]
    )))
    rows <- rows[is.na(lengths)]
    if (!length(rows)) break
    width <- min(2 * ncol(part$idx), max(others_of_rows(repr, rows)))
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

# How many stimuli can be neighbours of each of some rows.
others_of_rows <- function(repr, rows) {
  if (is.null(repr$codes)) rep(repr$n - 1, length(rows))
  else repr$n - tabulate(repr$codes)[repr$codes[rows]]
}

# For each row the last neighbour that is tied with number k, or NA if the ties go on beyond.
ends_of_ties <- function(joined, k) {
  width <- ncol(joined)
  ends <- !joined[, k:width, drop = FALSE]
  last <- max.col(ends, "first") + k - 1L
  last[rowSums(ends) == 0] <- NA
  last
}

# For each row the first neighbour that is tied with number k.
starts_of_ties <- function(joined, k) {
  if (k == 1) return(rep(1L, nrow(joined)))
  breaks <- !joined[, seq_len(k - 1), drop = FALSE]
  first <- max.col(breaks, "last") + 1L
  first[rowSums(breaks) == 0] <- 1L
  first
}

# A sparse form (form-sparse.R) of a graph, averaged over the order of ties: each neighbour that is
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
