# The overlap of nearest neighbours without each stimulus, from lists with one neighbour more, and
# with weights.

# When a stimulus goes, the next neighbour comes into each list that it was in. Whether that one is
# shared is a matter of chance for a single list, and makes delete-one values jump; so this is
# replaced by its mean over all lists.
mutual_knn_errors <- function(args) {
  if (!is.null(args$clusters)) return(NULL)
  new_errors("smoothed", transform = "none", weighted = weighted_overlap, counts = "counts",
    stimuli = function(pair, args, codes) overlap_deletions(pair, args, smooth = TRUE),
    exact = function(pair, args, codes) overlap_deletions(pair, args, smooth = FALSE))
}

overlap_deletions <- function(pair, args, smooth) {
  k <- args$k
  n <- pair$x$n
  if (k + 1 > most_neighbours(pair$x)) {
    abort("A jackknife of ", k, " neighbours needs lists of ", k + 1, ", but there are ", n,
          " stimuli: lower `k`.", class = "repalign_error_rows", arg = "k")
  }
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

# Copies of a stimulus are no neighbours of each other: the lists hold the first k stimuli that are
# there, and each list counts as often as its stimulus.
weighted_overlap <- function(pair, args, w, d) {
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
