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
  if (named && args$shared_neurons) return(seq_len(ncol(pair$x$data)))
  names <- side_first(sapply(c("x", "y"), function(side) {
    given <- unclass(pair[[side]]$responses)
    if (!is.null(given)) given$neuron else if (named) args[[paste0("units_", side)]]
  }, simplify = FALSE), side)
  # a label of several neurons is that of a session
  once <- lapply(names, function(labels) setdiff(labels, labels[duplicated(labels)]))
  common <- intersect(once[[1]], once[[2]])
  if (!length(common)) return(rep(NA_integer_, ncol(pair[[side]]$data)))
  replace(match(names[[1]], names[[2]]), !names[[1]] %in% common, NA)
}

# The score without each neuron of a side, which is left out of the other side, too. z: the side of
# the controls, or NULL.
scores_without_neurons <- function(pair, measure, side, threads, z = NULL) {
  args <- measure$args
  twins <- twins_of_neurons(pair, args, side)
  summed <- is_linear_cka(measure) && is.null(args$clusters) && !args$corrects$trials &&
    is.null(z)
  if (!summed) return(recomputed_without(pair, measure, side, twins, threads, z))
  values <- cka_without_neurons(pair, args, side, twins)
  cosine <- errors_of(measure)$cosine
  if (is.null(cosine)) values else cosine$score(values)
}

# The means of h values without the pairs that a neuron, or its twin, is part of.
cka_without_neurons <- function(pair, args, side, twins) {
  naive <- !args$corrects$stimuli
  data <- side_first(lapply(pair[c("x", "y")], scaled_data, TRUE), side)
  labels <- side_first(pair_labels(pair, args), side)
  own <- side_first(list(x = self_labels(pair$x, args, "x"), y = self_labels(pair$y, args, "y")),
                    side)
  # what is taken off twice comes back, where it counts
  mean_left <- function(first, second, both, counts) {
    (sum(first$sums) - first$sums - second$sums + both * counts) /
      (sum(first$counts) - first$counts - second$counts + counts)
  }
  single <- function(x, y) {
    vapply(seq_len(ncol(x)), function(j) {
      column_terms(x[, j, drop = FALSE], y[, j, drop = FALSE], naive)
    }, 0)
  }
  self <- function(k) {
    terms <- allowed_terms(data[c(k, k)], own[c(k, k)], naive)
    c(sum(terms$sums) / sum(terms$counts),
      mean_left(terms, terms, single(data[[k]], data[[k]]), is.null(own[[k]])))
  }
  twin <- !is.na(twins)
  of_twins <- function(values) replace(numeric(length(twins)), twin, values)
  columns <- lapply(allowed_terms(data[2:1], labels[2:1], naive), `[`, twins[twin])
  both <- single(data[[1]][, twin, drop = FALSE], data[[2]][, twins[twin], drop = FALSE])
  ratio_of_products(mean_left(allowed_terms(data, labels, naive), lapply(columns, of_twins),
                              of_twins(both), twin & is.null(labels[[1]])),
                    self(1)[-1], self(2)[1 + ifelse(twin, twins, 0)])
}

# Any score, made anew, by the workers that there are.
recomputed_without <- function(pair, measure, side, twins, threads, z) {
  refuse_if(!is.null(measure$args$units_x) || isTRUE(measure$args$shared_neurons), "parameter",
            "`by` cannot be \"neurons_{side}\" for {dQuote(measure$label, FALSE)} with labels ",
            "that the measure has: declare them in `neuron` or `session` of responses().")
  # cell by cell: a product of all sides would compare each neuron with each
  measure["dot"] <- list(NULL)
  reprs <- side_first(pair[c("x", "y")], side)
  check_memory(8 * length(twins) * as.double(length(reprs[[1]]$data)),
               "The data without each neuron", "Fewer neurons or stimuli need less.")
  cut <- function(neuron, repr) {
    if (is.na(neuron)) return(repr)
    cut <- cut_for_subset(repr, rep(TRUE, repr$n))
    cut_representation(cut, rep(TRUE, repr$n), seq_len(ncol(repr$data)) != neuron)
  }
  at <- seq_along(twins)
  both <- Map(function(neurons, repr) lapply(neurons, cut, repr), list(at, twins), reprs)
  both <- side_first(stats::setNames(both, names(reprs)), "x")
  sides <- with_refusals(sides_of(both$x, both$y), list(measure))
  sides$z <- z
  call <- list(pairs = list2DF(list(i = at, j = at)), sides = sides, set = list(measure))
  quietly_done(scores_of_call(call, "na", threads))[, 1]
}
