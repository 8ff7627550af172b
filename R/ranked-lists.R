# Representations of some of the stimuli, whose neighbour lists are read from longer lists of all of
# them, without a new search.

# Lists of the nearest neighbours of each stimulus, long enough for k of a random half of them in
# nearly all rows: list(idx, dist); idx is NULL where ties leave their order open. Graphs that users
# give are as long as they are.
ranked_lists <- function(repr, metric, k, codes) {
  if (repr$kind == "graph") return(unclass(repr$data)[c("idx", "dist")])
  if (!is.null(codes)) repr$codes <- codes
  length <- min(4 * k + 12, most_neighbours(repr))
  remember(repr$cache, list("ranked lists", metric, length, codes), {
    found <- found_graph(repr, metric, length)
    if (is.null(found$open)) found[c("idx", "dist")] else list(idx = NULL)
  })
}

# The first k neighbours of the stimuli in `keep` among themselves: list(idx, dist), numbered among
# the kept ones. Where a list is too short, the neighbours are searched anew.
cut_lists <- function(repr, metric, lists, keep, k) {
  found <- walk_lists(lists, keep, k)
  if (!is.null(found)) return(found)
  if (repr$kind == "graph") {
    abort("The neighbour graph `", repr$arg, "` has too few neighbours a row to find ", k,
          " among half of the stimuli: give the responses, or a graph of more.",
          class = "repalign_error_graph", arg = repr$arg)
  }
  graph <- random_graph(cut_for_subset(repr, keep), metric, k)
  unclass(graph)[c("idx", "dist")]
}

walk_lists <- function(lists, keep, k) {
  if (is.null(lists$idx)) return(NULL)
  idx <- lists$idx[keep, , drop = FALSE]
  inside <- matrix(keep[idx], nrow(idx))
  taken <- matrix(FALSE, nrow(idx), ncol(idx))
  count <- integer(nrow(idx))
  for (place in seq_len(ncol(idx))) {
    now <- inside[, place] & count < k
    taken[, place] <- now
    count <- count + now
  }
  if (any(count < k)) return(NULL)
  number <- cumsum(keep)
  by_row <- function(values) t(matrix(t(values)[t(taken)], k))
  list(idx = matrix(number[by_row(idx)], nrow(idx)),
       dist = by_row(lists$dist[keep, , drop = FALSE]))
}

check_kept_neighbours <- function(kept, k, why) {
  if (k < kept) return(invisible())
  abort("`k` is ", k, ", but only ", kept, " stimuli ", why, ": lower `k`.",
        class = "repalign_error_rows", arg = "k")
}

# A representation of some of the stimuli. Where ranked lists of all stimuli are known, its
# neighbour graphs are read from them.
cut_for_subset <- function(repr, keep, lists = NULL) {
  cut <- repr
  cut$cache <- new_cache()
  for (part in c("said", "choices", "neighbours")) cut$cache[[part]] <- repr$cache[[part]]
  if (repr$kind == "graph" && length(lists)) {
    k <- max(vapply(lists, function(one) as.double(one$k), 0))
    cut$data <- new_form("graph", cut_lists(repr, "", lists[[1]]$lists, keep, k))
    cut$n <- sum(keep)
    return(cut)
  }
  cut <- cut_representation(cut, keep, TRUE)
  for (one in lists) {
    k <- largest_k(cut, one$metric, one$k)
    found <- walk_lists(one$lists, keep, k)
    if (!is.null(found)) remember_form(cut, "graph", list(one$metric, k, NULL), found)
  }
  cut
}
