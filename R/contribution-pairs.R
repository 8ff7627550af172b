# Scores that are cosines of two matrices of pairs of stimuli, and what each pair adds to them.

# Such a score is the sum of A_ij B_ij over its pairs of stimuli, divided by a number of all of
# them: with A made of x alone and B of y alone, and a `kind` as of the pair deletions
# (error-declared.R). Where both sides have the same neurons, the neuron correction takes off A_ij
# B_ij of these alone.

# The kind of a measure; NULL for those that are no such sum, or whose sum leaves out pairs.
cosine_kind <- function(measure, clusters) {
  args <- measure$args
  # a partial score is no sum over pairs
  if (is_own(measure) || length(clusters) || length(measure$given)) return(NULL)
  if (measure$id %in% c("cka", "rv")) {
    summed <- args$kernel == "linear" || args$kernel == "rbf" && !args$corrects$trials
    return(if (summed) kind_of_cka(args))
  }
  if (measure$id == "distance_correlation") {
    return(if (is_square(args)) if (args$estimator == "unbiased") "u" else "v")
  }
  kinds <- c(pearson = "correlation", spearman = "correlation", cosine = "cosine",
             whitened_cosine = "v", whitened_pearson = "whitened")
  plain <- measure$id == "rsa" && !args$gaps && is.null(args$stimulus_noise)
  if (plain && args$outer %in% names(kinds)) kinds[[args$outer]]
}

# From trials of both sides that may share noise, products of different trials are added up, of
# which no two matrices are the factors.
share_trials <- function(pair, measure) {
  if (!isTRUE(measure$args$corrects$trials)) return(FALSE)
  sessions <- shared_sessions(trial_form(pair$x), trial_form(pair$y), pair$self)
  any(sessions$x %in% sessions$y)
}

# Are the self terms others than those of the two matrices?
is_corrected_ratio <- function(measure) {
  isTRUE(measure$args$corrects$neurons) || isTRUE(measure$args$corrects$trials)
}

# The pairs of a side before they are centred.
entries_of_side <- function(repr, measure, kind) {
  args <- measure$args
  if (measure$id == "distance_correlation") return(distance_side(repr, kind)$k)
  if (measure$id != "rsa") return(kernel_side(repr, args, kind)$k)
  if (is_whitened(args)) return(whitened_pairs(repr, args, kind)$k)
  if (args$outer != "spearman") return(rdm_side(repr, args, NULL)$k)
  check_side_memory(repr)
  ranks <- form_ranks(repr, args$inner)$ranks
  unpacked_pairs(ranks - mean(ranks), repr$n)
}

# The matrix A of these entries. Where a mean is to be taken off all pairs, it was.
centred_entries <- function(k, kind) {
  if (kind %in% c("v", "whitened")) return(without_means(k))
  if (kind == "u") new_side(centred_pairs(k, kind), NULL, kind)$k else k
}

# list(kind, k, l, sums, chance, divisor, shared): the entries of both sides; the contributions of
# all pairs of stimuli times the divisor, and their means over all permutations of y; and the
# columns that the numerator leaves out with each other, a list of list(x, y).
pair_contributions <- function(pair, measure, kind) {
  k <- entries_of_side(pair$x, measure, kind)
  l <- entries_of_side(pair$y, measure, kind)
  a <- centred_entries(k, kind)
  b <- centred_entries(l, kind)
  n <- as.double(nrow(k))
  # a mean that was taken off is 0, but for rounding
  mean <- if (kind %in% c("v", "cosine")) (sum(b) - sum(diag(b))) / (n * (n - 1)) else 0
  chance <- a * mean
  if (kind == "v") diag(chance) <- diag(a) * sum(diag(b)) / n
  sums <- a * b
  divisor <- sqrt(sum(a^2)) * sqrt(sum(b^2))
  shared <- list()
  if (is_corrected_ratio(measure)) {
    labels <- pair_labels(pair, measure$args)
    left_out <- if (!is.null(labels)) excluded_pairs(labels$x, labels$y) else list(count = 0)
    count <- as.double(ncol(pair$x$data)) * ncol(pair$y$data) - left_out$count
    divisor <- n * (n - 3) * count * self_root(pair$x, measure, "x") *
      self_root(pair$y, measure, "y")
    if (length(left_out$x)) sums <- sums - products_of_neurons(pair, left_out)
    for (block in left_out$blocks) {
      own <- lapply(kernels_of_columns(pair, block), centred_entries, kind)
      sums <- sums - own[[1]] * own[[2]]
    }
    shared <- c(Map(function(x, y) list(x = x, y = y), left_out$x, left_out$y), left_out$blocks)
  }
  list(kind = kind, k = k, l = l, sums = sums, chance = chance, divisor = divisor, shared = shared)
}

# The sum of A_ij B_ij over single neurons f and g: A_ij is f_i f_j + p_i + p_j.
products_of_neurons <- function(pair, at) {
  n <- as.double(pair$x$n)
  side <- function(repr, columns) {
    f <- scaled_data(repr, TRUE)[, columns, drop = FALSE]
    list(f = f, p = f^2 / (n - 2) - rep(colSums(f^2), each = n) / (2 * (n - 1) * (n - 2)))
  }
  both <- function(a, b) tcrossprod(a, b) + tcrossprod(b, a)
  x <- side(pair$x, at$x)
  y <- side(pair$y, at$y)
  rows <- rowSums(x$p * y$p)
  sums <- tcrossprod(x$f * y$f) + both(x$f * y$p, x$f) + both(y$f * x$p, y$f) + both(x$p, y$p) +
    outer(rows, rows, "+")
  diag(sums) <- 0
  sums
}

# The kernels of some columns of both sides: of a single one the column itself, see times_kernel().
kernels_of_columns <- function(pair, block) {
  Map(function(repr, columns) {
    x <- scaled_data(repr, TRUE)[, columns, drop = FALSE]
    if (length(block$x) * length(block$y) == 1) x[, 1] else new_side(tcrossprod(x), NULL, "u")$k
  }, pair[c("x", "y")], block[c("x", "y")])
}

# The root of the H value of a side with itself, in the units of scaled_data(); NA where there is
# none.
self_root <- function(repr, measure, side) {
  self <- measure$declaration$prepare(repr, measure$args, side)$self
  value <- if (is_positive(self)) self$value else NA_real_
  sqrt(value) * (form_scaling(repr, TRUE)$scale / 2^self$scale[1])^2
}
