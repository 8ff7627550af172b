# What single neurons add to a linear CKA, and any score without each of them.

# ---- contributions

# list(contribution, chance): a value for each neuron of a side, of CKA with the linear kernel.
neuron_contributions <- function(pair, measure, side) {
  naive <- !measure$args$corrects$stimuli
  data <- side_first(lapply(pair[c("x", "y")], scaled_data, TRUE), side)
  terms <- allowed_terms(data, side_first(pair_labels(pair, measure$args), side), naive)
  divisor <- sum(terms$counts) * self_root(pair$x, measure, "x") * self_root(pair$y, measure, "y")
  n <- as.double(pair$x$n)
  chance <- naive * colSums(data[[1]]^2) * sum(data[[2]]^2) / ((n - 1) * n^2)
  list(contribution = terms$sums / divisor, chance = chance / divisor)
}

# What both sides have, that of `side` first.
side_first <- function(both, side) if (side == "x") both[c("x", "y")] else both[c("y", "x")]

# The h values of pairs of centred columns of two matrices, added up for each column of the first,
# without pairs of equal labels (NULL: with all): list(sums, counts).
allowed_terms <- function(data, labels, naive) {
  x <- data[[1]]
  y <- data[[2]]
  sums <- column_terms(x, y, naive)
  counts <- rep(as.double(ncol(y)), ncol(x))
  left_out <- if (length(labels[[1]])) excluded_pairs(labels[[1]], labels[[2]])
  single <- Map(function(x, y) list(x = x, y = y), left_out$x, left_out$y)
  for (block in c(single, left_out$blocks)) {
    sums[block$x] <- sums[block$x] -
      column_terms(x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], naive)
    counts[block$x] <- counts[block$x] - length(block$y)
  }
  list(sums = sums, counts = counts)
}

column_terms <- function(x, y, naive) {
  n <- as.double(nrow(x))
  dot <- if (ncol(y) <= n) colSums(crossprod(y, x)^2) else colSums(x * (tcrossprod(y) %*% x))
  if (naive) return(dot / n^2)
  song_estimate(dot, colSums(x^2 * rowSums(y^2)), colSums(x^2) * sum(y^2), n, diagonal = TRUE)
}

# ---- scores without neurons

# For each neuron of a side its place on the other side, which may have it, too; NA: it has not.
# Neurons have the names of responses(), or of a measure whose estimator goes by them.
twins_of_neurons <- function(pair, args, side) {
  named <- isTRUE(args$corrects$neurons)
  names <- side_first(sapply(c("x", "y"), function(side) {
    given <- unclass(pair[[side]]$responses)
    if (named && args$shared_neurons) seq_len(ncol(pair[[side]]$data)) else
      if (!is.null(given)) given$neuron else if (named) args[[paste0("units_", side)]]
  }, simplify = FALSE), side)
  # a label of several neurons is that of a session
  once <- lapply(names, function(labels) setdiff(labels, labels[duplicated(labels)]))
  twins <- match(names[[1]], names[[2]])
  twins[!names[[1]] %in% intersect(once[[1]], once[[2]])] <- NA
  if (length(twins)) twins else rep(NA_integer_, ncol(pair[[side]]$data))
}

# The score without each neuron of a side, which is left out of the other side, too.
scores_without_neurons <- function(pair, measure, side, threads) {
  args <- measure$args
  twins <- twins_of_neurons(pair, args, side)
  summed <- is_linear_cka(measure) && is.null(args$clusters) && !args$corrects$trials &&
    !length(args$given)
  if (!summed) return(recomputed_without(pair, measure, side, twins, threads))
  values <- cka_without_neurons(pair, args, side, twins)
  cosine <- errors_of(measure)$cosine
  if (is.null(cosine)) values else suppressWarnings(cosine$score(values))
}

# Means over neuron pairs without those that a neuron, or its twin, is part of.
cka_without_neurons <- function(pair, args, side, twins) {
  naive <- !args$corrects$stimuli
  data <- side_first(lapply(pair[c("x", "y")], scaled_data, TRUE), side)
  labels <- side_first(pair_labels(pair, args), side)
  own <- side_first(list(x = self_labels(pair$x, args, "x"), y = self_labels(pair$y, args, "y")),
                    side)
  twin <- which(!is.na(twins))
  # of columns of both sides that are counted twice: in the row and in the column that are left out
  single <- function(counted, i, j, of, to) {
    x <- data[[of]][, i, drop = FALSE]
    y <- data[[to]][, j, drop = FALSE]
    counted * vapply(seq_along(i), function(k) {
      column_terms(x[, k, drop = FALSE], y[, k, drop = FALSE], naive)
    }, 0)
  }
  of_side <- function(k) {
    terms <- allowed_terms(data[c(k, k)], own[c(k, k)], naive)
    all <- seq_along(terms$sums)
    itself <- is.null(own[[k]])
    list(all = sum(terms$sums) / sum(terms$counts),
         without = (sum(terms$sums) - 2 * terms$sums + single(itself, all, all, k, k)) /
           (sum(terms$counts) - 2 * terms$counts + itself))
  }
  rows <- allowed_terms(data, labels, naive)
  columns <- allowed_terms(data[2:1], labels[2:1], naive)
  left <- function(rows, columns, both) {
    left <- sum(rows) - rows
    left[twin] <- left[twin] - columns[twins[twin]] + both
    left
  }
  paired <- is.null(labels[[1]])
  a <- of_side(1)
  b <- of_side(2)
  ratio_of_products(left(rows$sums, columns$sums, single(paired, twin, twins[twin], 1, 2)) /
                      left(rows$counts, columns$counts, 1 * paired),
                    a$without, replace(rep(b$all, length(twins)), twin, b$without[twins[twin]]))
}

# Any score, made anew, by the workers that there are.
recomputed_without <- function(pair, measure, side, twins, threads) {
  refuse_if(!is.null(measure$args$units_x) || isTRUE(measure$args$shared_neurons), "parameter",
            "`by` cannot be \"neurons_{side}\" for {dQuote(measure$label, FALSE)} with labels that ",
            "the measure has: declare them in `neuron` or `session` of responses().")
  measure["dot"] <- list(NULL)
  cut <- function(repr, neuron) {
    if (is.na(neuron)) return(repr)
    repr$prepared <- NULL
    kept <- repr$cache
    repr$cache <- new_cache()
    for (part in c("said", "choices", "neighbours")) repr$cache[[part]] <- kept[[part]]
    cut_representation(repr, rep(TRUE, repr$n), seq_len(ncol(repr$data)) != neuron)
  }
  reprs <- side_first(pair[c("x", "y")], side)
  at <- seq_along(twins)
  check_memory(8 * length(at) * as.double(length(reprs[[1]]$data)), "The data without each neuron",
               "Fewer neurons or stimuli need less.")
  cut_sides <- Map(function(repr, neurons) lapply(neurons, cut, repr = repr), reprs, list(at, twins))
  sides <- with_refusals(sides_of(cut_sides$x, cut_sides$y), list(measure))
  pairs <- list2DF(list(i = at, j = at))
  quietly_done(score_grid(pairs, sides, list(measure), "na", threads))[, 1]
}
