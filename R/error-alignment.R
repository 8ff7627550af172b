# How scores of measures that align neurons, of neighbours and of ranks vary with the stimuli.

# ---- alignment errors

# What the influences of stimuli on measures that align neurons are made of: rotations, canonical
# correlations and matches. An influence is n times the derivative of the score by the share of the
# stimulus.

# ---- rotations

# inner: the products of rotated rows of x with those of y, which add up to the nuclear norm; x2,
# y2: the squared norms of the rows, which add up to a and b; all in common units. A cosine does not
# depend on the units, and each side has its own then (common = FALSE): in common units, squares of
# the smaller side can be too small for a double.
rotation_parts <- function(pair, center, common = TRUE) {
  remember(pair$cache, list("rotated rows", center, common), {
    units <- if (!common) list(x = 1, y = 1, scale = 1) else
      common_units(form_scaling(pair$x, center), form_scaling(pair$y, center), FALSE)
    x <- data_to_rotate(pair, "x", center) * units$x
    y <- data_to_rotate(pair, "y", center) * units$y
    parts <- singular_vectors(crossprod(x, y))
    x2 <- rowSums(x^2)
    y2 <- rowSums(y^2)
    list(inner = rowSums((x %*% parts$u) * (y %*% parts$v)), x2 = x2, y2 = y2, a = sum(x2),
         b = sum(y2), scale = units$scale)
  })
}

# Of the root of a sum over stimuli.
distance_influence <- function(each, square, scale) {
  (length(each) * each - square) / (2 * sqrt(square)) / scale
}

# ---- canonical correlation

# u, v: orthonormal variates with correlations rho, a column each. NA where variates of these ranks
# fit any other side.
correlation_influences <- function(u, v, rho, ranks) {
  n <- nrow(u)
  if (sum(ranks) >= n - 1) return(matrix(NA_real_, n, length(rho)))
  n * (u * v - sweep(u^2 + v^2, 2, rho / 2, "*"))
}

# ---- matches of neurons

# The influence on a weighted sum of the correlations of neurons x with neurons y.
match_influence <- function(pair, x, y, weight) {
  a <- form_columns(pair$x)$columns[, x, drop = FALSE]
  b <- form_columns(pair$y)$columns[, y, drop = FALSE]
  r <- pair_correlation(pair)[cbind(x, y)]
  pair$x$n * drop((a * b) %*% weight - (a^2 + b^2) %*% (weight * r / 2))
}

# ---- with weights

# Rows times the roots of their weights, after centring by weighted means, are data whose
# correlations and norms are weighted; what is matched or rotated is found anew.
weighted_rows <- function(pair, args, w, d) {
  centered <- !identical(args$center, FALSE)
  vapply(seq_len(ncol(w)), function(b) {
    x <- weighted_representation(pair$x, w[, b], centered)
    y <- weighted_representation(pair$y, w[, b], centered)
    if (is.null(x) || is.null(y)) return(NA_real_)
    within_range(prepared_score(d, pair_of(x, y), args), range_of(d, args))
  }, 0)
}

# NULL where nothing varies.
weighted_representation <- function(repr, w, center) {
  means <- if (center) colSums(w * repr$data) / sum(w) else numeric(ncol(repr$data))
  data <- sqrt(w) * sweep(unclass(repr$data), 2, means)
  if (all(data == 0)) return(NULL)
  cut <- repr
  cut$data <- mark_checked(data[w > 0, , drop = FALSE])
  cut$n <- nrow(cut$data)
  cut$cache <- cache_of_part(repr$cache, "choices")
  # weighted means have been taken off: nothing is left to centre
  scale <- power_of_two_below(max(abs(data)))
  for (is_centered in c(TRUE, FALSE)) {
    remember_form(cut, "scaling", list(center = is_centered),
                  list(means = numeric(ncol(data)), scale = scale))
  }
  cut
}

# ---- neighbour errors

# The overlap of nearest neighbours without each stimulus, from lists with one neighbour more, and
# with weights.

# When a stimulus goes, the next neighbour comes into each list that it was in. Whether that one is
# shared is a matter of chance for a single list, and makes delete-one values jump; so this is
# replaced by its mean over all lists.
mutual_knn_errors <- function(args) {
  if (!is.null(args$clusters)) return(NULL)
  # Copies of a stimulus are no neighbours of each other: the lists hold the first k stimuli that
  # are there, and each list counts as often as its stimulus.
  weighted <- function(pair, args, w, d) {
    lists <- lapply(list(x = pair$x, y = pair$y), ranked_lists, args$metric, args$k, NULL)
    vapply(seq_len(ncol(w)), function(b) {
      keep <- w[, b] > 0
      check_kept_neighbours(sum(keep), args$k, "have weight")
      cut <- Map(function(list, repr) cut_lists(repr, args$metric, list, keep, args$k), lists,
                 pair[c("x", "y")])
      shared <- .Call(C_shared_neighbours, cut$x$idx, cut$y$idx)
      sum(w[keep, b] * shared) / sum(w[keep, b]) / args$k
    }, 0)
  }
  new_errors("smoothed", transform = "none", weighted = weighted, counts = "counts",
    stimuli = function(pair, args, codes) overlap_deletions(pair, args, smooth = TRUE),
    exact = function(pair, args, codes) overlap_deletions(pair, args, smooth = FALSE))
}

overlap_deletions <- function(pair, args, smooth) {
  k <- args$k
  n <- pair$x$n
  refuse_if(k + 1 > most_neighbours(pair$x), "rows", "A jackknife of {k} neighbours needs lists ",
            "of {k + 1}, but there are {n} stimuli: lower `k`.")
  x <- longer_lists(pair$x, args, k + 1)
  y <- longer_lists(pair$y, args, k + 1)
  first <- seq_len(k)
  at_x <- list_entries(x[, first, drop = FALSE])
  at_y <- list_entries(y[, first, drop = FALSE])
  gain_x <- 1 * (list_entries(x[, k + 1]) %in% at_y)
  gain_y <- 1 * (list_entries(y[, k + 1]) %in% at_x)
  same <- 1 * (x[, k + 1] == y[, k + 1])
  if (smooth) {
    gain_x[] <- mean(gain_x)
    gain_y[] <- mean(gain_y)
    same[] <- mean(same)
  }
  both <- at_x %in% at_y
  shared <- rowSums(matrix(both, n))
  # what the lists of others lose and gain when the stimulus that they name goes
  change <- rep(gain_x, k) + both * rep(same - 1, k)
  change <- sum_over(x[, first], change, n) + sum_over(y[, first], rep(gain_y, k), n)
  c(sum(shared) / (k * n), (sum(shared) - shared + change) / (k * (n - 1)))
}

longer_lists <- function(repr, args, k) form_graph(repr, args$metric, k, ties = "random")$idx

# A number for each entry of neighbour lists, by its row and the neighbour.
list_entries <- function(idx) {
  idx <- as.matrix(idx)
  as.vector(row(idx)) + as.double(nrow(idx)) * (as.vector(idx) - 1)
}

# For each stimulus the sum of the values of the entries that name it.
sum_over <- function(idx, values, n) {
  sums <- numeric(n)
  found <- rowsum(values, as.vector(idx))
  sums[as.integer(rownames(found))] <- found
  sums
}

# ---- rank deletions

# Spearman correlations of dissimilarities without each stimulus, and with weights of the stimuli.

rank_errors <- function() {
  new_errors("jackknife", cells = rank_deletions, by_cluster = TRUE,
             stimuli = function(pair, args, codes) {
               rank_deletions(list(pair$x), list(pair$y), args, codes)[1, 1, ]
             },
             weighted = function(pair, args, w, d) {
               ranked_correlations(list(pair$x), list(pair$y), args, w)[1, 1, ]
             })
}

# Counts of deleted pairs have 16 bits; where they do not suffice, a deletion is a weight of 0.
most_deleted_pairs <- 32767

rank_deletions <- function(x, y, args, codes) {
  n <- x[[1]]$n
  units <- if (is.null(codes)) seq_len(n) else as.integer(codes)
  if (max(tabulate(units)) * as.double(n) > most_deleted_pairs) {
    w <- cbind(1, 1 - outer(units, seq_len(max(units)), "=="))
    return(ranked_correlations(x, y, args, w))
  }
  sides <- length(x) + length(y)
  check_memory(32 * sides * packed_length(n), "Deletions from ranks", "Fewer stimuli need less.")
  x <- lapply(x, ranked_pairs, args)
  if (!is.null(y)) y <- lapply(y, ranked_pairs, args)
  found <- .Call(C_rank_deletions, compared_pairs(n, args), x, y, units, max(units),
                 as.double(room_for_dots()), thread_count())
  ranked_array(found, x, y)
}

# The stimuli of all pairs, or of those in different clusters.
compared_pairs <- function(n, args) {
  pairs <- list(first = rep.int(seq_len(n - 1), (n - 1):1),
                second = sequence((n - 1):1, from = 2:n))
  if (is.null(args$clusters)) return(pairs)
  lapply(pairs, `[`, between_clusters(args$clusters))
}

# Ranks are made anew among the pairs that have weight. x, y: lists of representations, y NULL where
# x is compared with itself; w: a weight vector a column. An array x by y by columns.
ranked_correlations <- function(x, y, args, w) {
  pairs <- compared_pairs(nrow(w), args)
  x <- lapply(x, ranked_pairs, args)
  if (!is.null(y)) y <- lapply(y, ranked_pairs, args)
  found <- .Call(C_weighted_ranks, pairs, x, y, w, as.double(room_for_dots()), thread_count())
  ranked_array(found, x, y)
}

ranked_array <- function(found, x, y) {
  array(replace(found, is.nan(found), NA_real_),
        c(length(x), length(if (is.null(y)) x else y), ncol(found)))
}

# list(order, tied) of the pairs of stimuli, or of those in different clusters: their numbers in the
# order of their ranks, and which of them have the rank of the one before.
ranked_pairs <- function(repr, args) {
  remember(repr$cache, list("ranked pairs", rdm_key(repr, args$inner), args$clusters), {
    check_memory(32 * packed_length(repr$n),
                 paste0("The ranked pairs of stimuli of `", repr$arg, "`"),
                 "Fewer stimuli need less.")
    ranks <- form_ranks(repr, args$inner)$ranks
    if (!is.null(args$clusters)) ranks <- ranks[between_clusters(args$clusters)]
    by_rank <- order(ranks)
    list(order = by_rank, tied = c(FALSE, diff(ranks[by_rank]) == 0))
  })
}

# ---- ranked lists

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
  refuse_if(repr$kind == "graph", "graph", "The neighbour graph `{repr$arg}` has too few ",
            "neighbours a row to find {k} among half of the stimuli: give responses, or more.")
  random_graph(cut_for_subset(repr, keep), metric, k)[c("idx", "dist")]
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
  refuse_if(k >= kept, "rows", "`k` is {k}, but only {kept} stimuli {why}: lower `k`.")
}

# A representation of some of the stimuli. Where ranked lists of all stimuli are known, its
# neighbour graphs are read from them.
cut_for_subset <- function(repr, keep, lists = NULL) {
  cut <- repr
  # the forms of all stimuli do not serve for some of them; the data beside them do
  cut$prepared <- NULL
  cut$cache <- cache_of_part(repr$cache)
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
