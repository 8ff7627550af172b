# Scores that are cosines of two matrices of pairs of stimuli, and what each pair adds to them.

# Such a score is the sum of A_ij B_ij over its pairs of stimuli, divided by a number of all of them:
# with A made of x alone and B of y alone, and a `kind` as of the pair deletions (error-declared.R).
# Where both sides have the same neurons, the neuron correction takes off A_ij B_ij of these alone.

# The kind of a measure; NULL for those that are no such sum, or whose sum leaves out pairs.
cosine_kind <- function(measure, clusters = NULL) {
  args <- measure$args
  # a partial score is no sum over pairs
  if (is_own(measure) || length(clusters) || !is.null(args$clusters) || length(args$given)) {
    return(NULL)
  }
  if (measure$id %in% c("cka", "rv")) {
    summed <- args$kernel == "linear" || args$kernel == "rbf" && !args$corrects$trials
    return(if (summed) kind_of_cka(args))
  }
  if (measure$id == "distance_correlation") {
    return(if (is_square(args)) if (args$estimator == "unbiased") "u" else "v")
  }
  if (measure$id != "rsa" || args$gaps || !is.null(args$stimulus_noise)) return(NULL)
  kinds <- c(pearson = "correlation", spearman = "correlation", cosine = "cosine",
             whitened_cosine = "v", whitened_pearson = "whitened")
  if (args$outer %in% names(kinds)) kinds[[args$outer]]
}

# From trials of both sides that may share noise, products of different trials are added up, of
# which no two matrices are the factors.
share_trials <- function(pair, measure) {
  if (!isTRUE(measure$args$corrects$trials)) return(FALSE)
  sessions <- shared_sessions(trial_form(pair$x), trial_form(pair$y), pair$self)
  any(sessions$x %in% sessions$y) || anyNA(pair$x$data) || anyNA(pair$y$data)
}

# The pairs of a side as they are before they are centred.
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

# The matrix A of these entries. Where a mean is taken off, it was.
centred_entries <- function(k, kind) {
  if (kind %in% c("v", "whitened")) return(without_means(k))
  if (kind != "u") return(k)
  a <- centred_pairs(k, kind)
  diag(a) <- 0
  a
}

# list(kind, k, l, sums, chance, divisor, shared): the entries of both sides, the matrix of the
# contributions of all pairs of stimuli times the divisor, its mean over all permutations of y, and
# of the neurons that are left out on both sides list(x, y) of their columns.
pair_contributions <- function(pair, measure, kind) {
  k <- entries_of_side(pair$x, measure, kind)
  l <- entries_of_side(pair$y, measure, kind)
  a <- centred_entries(k, kind)
  b <- centred_entries(l, kind)
  n <- as.double(nrow(k))
  shared <- shared_columns(pair, measure$args)
  sums <- a * b
  for (block in shared$blocks) {
    own <- lapply(kernels_of_columns(pair, block), centred_entries, kind)
    sums <- sums - own[[1]] * own[[2]]
  }
  corrected <- isTRUE(measure$args$corrects$neurons) || isTRUE(measure$args$corrects$trials)
  divisor <- if (corrected) n * (n - 3) * shared$count * self_root(pair$x, measure, "x") *
    self_root(pair$y, measure, "y") else sqrt(sum(a^2)) * sqrt(sum(b^2))
  list(kind = kind, k = k, l = l, sums = sums, chance = mean_entries(a, b, kind),
       divisor = divisor, shared = shared$blocks)
}

# The mean of A * B over all permutations of the stimuli of B.
mean_entries <- function(a, b, kind) {
  n <- as.double(nrow(a))
  # a mean that was taken off is 0, but for rounding
  if (kind %in% c("u", "correlation", "whitened")) return(0 * a)
  mean <- a * ((sum(b) - sum(diag(b))) / (n * (n - 1)))
  diag(mean) <- diag(a) * sum(diag(b)) / n
  mean
}

# list(blocks, count): columns with equal labels on both sides, which the numerator leaves out, and
# how many pairs of neurons are left.
shared_columns <- function(pair, args) {
  count <- as.double(NCOL(pair$x$data)) * NCOL(pair$y$data)
  labels <- if (!is.null(args$corrects)) pair_labels(pair, args)
  if (is.null(labels)) return(list(count = count))
  left_out <- excluded_pairs(labels$x, labels$y)
  single <- Map(function(x, y) list(x = x, y = y), left_out$x, left_out$y)
  list(blocks = c(single, left_out$blocks), count = count - left_out$count)
}

kernels_of_columns <- function(pair, block) {
  Map(function(repr, columns) {
    new_side(tcrossprod(scaled_data(repr, TRUE)[, columns, drop = FALSE]), NULL, "u")$k
  }, pair[c("x", "y")], block[c("x", "y")])
}

# The root of the H value of a side with itself, in the units of scaled_data(); NA where there is
# none.
self_root <- function(repr, measure, side) {
  self <- measure$declaration$prepare(repr, measure$args, side)$self
  value <- if (is_positive(self)) self$value else NA_real_
  sqrt(value) * (form_scaling(repr, TRUE)$scale / 2^self$scale[1])^2
}
