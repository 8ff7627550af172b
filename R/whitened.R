# The metric in which whitened comparisons of RDMs weigh pairs of stimuli: the inverse of the
# covariance of dissimilarities that have no signal, which is never formed.

# Without signal, the dissimilarities of the pairs (i, j) and (k, l) have the covariance
# V = (c_ij' S c_kl)^2, up to a factor, where S is the noise covariance of the stimuli and c_ij
# their contrast (Diedrichsen et al. 2021). Let A be the symmetric matrix of the dissimilarities a,
# and M = S^-1 - S^-1 1 1' S^-1 / (1' S^-1 1). Then V^-1 a are the entries of M A M / 2: its dual.
# So the product a' V^-1 b is that of the dual of a with b.

# The matrix M, n x n; without sigma it takes off means. sigma: as checked.
whitening_matrix <- function(n, sigma = NULL) {
  check_sigma_size(sigma, n)
  inverse <- if (is.null(sigma)) diag(n) else if (is.matrix(sigma)) chol2inv(chol(sigma)) else
    diag(1 / sigma, n)
  sums <- rowSums(inverse)
  inverse - tcrossprod(sums) / sum(sums)
}

# What whitened_duals() and others take as `metric`: M, or NULL without sigma, where row means do
# what M would do.
whitening_metric <- function(n, sigma = NULL) {
  if (is.null(sigma)) NULL else whitening_matrix(n, sigma)
}

# values: an RDM a column, packed. The duals, packed, a column each.
whitened_duals <- function(values, metric = NULL) {
  n <- stimuli_of_pairs(nrow(values))
  if (is.null(metric)) return(centered_duals(values, n))
  below <- which(lower.tri(metric))
  apply_columns(values, function(a) (metric %*% unpacked_pairs(a, n) %*% metric)[below] / 2)
}

centered_duals <- function(values, n) {
  places <- pair_places(seq_len(nrow(values)), n)
  means <- apply_columns(values, function(a) packed_row_sums(a, n)) / n
  (values - means[places$first, , drop = FALSE] - means[places$second, , drop = FALSE] +
     rep(colMeans(means), each = nrow(values))) / 2
}

packed_row_sums <- function(entries, n) .Call(C_packed_row_sums, entries, n, thread_count())

# A matrix of f of each column of another one.
apply_columns <- function(values, f) {
  columns <- lapply(seq_len(ncol(values)), function(k) f(as.vector(values[, k])))
  result <- matrix(unlist(columns), ncol = ncol(values))
  colnames(result) <- colnames(values)
  result
}

without_column_means <- function(values) values - rep(colMeans(values), each = nrow(values))

# How many stimuli have so many pairs.
stimuli_of_pairs <- function(pairs) as.integer(round((1 + sqrt(1 + 8 * pairs)) / 2))

# The dual of an RDM in which all dissimilarities are 1, M (11' - I) M / 2 = -M^2 / 2, packed. Its
# product with a is 1' V^-1 a, and with 1 it is tr(M^2) / 4.
dual_of_ones <- function(n, metric = NULL) {
  if (is.null(metric)) return(rep(1 / (2 * n), packed_length(n)))
  square <- metric %*% metric
  -square[lower.tri(square)] / 2
}

# Pairs that lack have no say if they are given the values that the others predict: those that make
# the dual 0 there. Then the product of the dual with another RDM is a' V_oo^-1 b, where V_oo is the
# covariance of the pairs that are there. values: P x N; lacking: which pairs (of any RDM).
filled_gaps <- function(values, lacking, metric = NULL) {
  if (!any(lacking)) return(values)
  n <- stimuli_of_pairs(nrow(values))
  m <- if (is.null(metric)) whitening_matrix(n) else metric
  values[lacking, ] <- 0
  gaps <- pair_places(which(lacking), n)
  precision <- pair_precision(m, gaps)
  duals <- whitened_duals(values, metric)[lacking, , drop = FALSE]
  values[lacking, ] <- -solve_positive(precision, duals)
  values
}

# V^-1 times columns of values of the pairs that are `there`, where V is the covariance of these
# pairs alone. It takes a matrix of the pairs that lack, or of those that are there, whichever are
# fewer.
whitened_solutions <- function(columns, there, sigma = NULL) {
  kept <- kept_stimuli(there)
  n <- sum(kept$stimuli)
  sigma <- cut_sigma(sigma, kept$stimuli)
  there <- there[kept$pairs]
  lacking <- sum(!there)
  check_memory(24 * min(lacking, nrow(columns))^2, "The covariance of pairs of stimuli",
               "Fewer stimuli need less.")
  if (lacking > nrow(columns)) {
    return(solve_positive(pair_covariance(sigma, pair_places(which(there), n)), columns))
  }
  metric <- whitening_metric(n, sigma)
  values <- matrix(0, length(there), ncol(columns))
  values[there, ] <- columns
  whitened_duals(filled_gaps(values, !there, metric), metric)[there, , drop = FALSE]
}

# The products of such columns in the inverse of the covariance: less what the generalised least
# squares means share, for comparisons that take a mean off.
whitened_gram <- function(columns, there, outer, sigma = NULL) {
  # the ordinary mean is taken off first, so that its digits cancel
  if (is_centred(outer)) columns <- cbind(without_column_means(columns), 1)
  products <- unname(crossprod(whitened_solutions(columns, there, sigma), columns))
  if (!is_centred(outer)) return(products)
  last <- ncol(products)
  with <- products[-last, last]
  products[-last, -last, drop = FALSE] - tcrossprod(with) / products[last, last]
}

# Stimuli that have a pair, and the pairs among them: those without any have no say.
kept_stimuli <- function(there) {
  n <- stimuli_of_pairs(length(there))
  if (all(there)) return(list(stimuli = rep(TRUE, n), pairs = there))
  places <- pair_places(seq_along(there), n)
  stimuli <- tabulate(c(places$first[there], places$second[there]), n) > 0
  list(stimuli = stimuli, pairs = stimuli[places$first] & stimuli[places$second])
}

solve_positive <- function(a, b) {
  root <- chol(a)
  backsolve(root, backsolve(root, b, transpose = TRUE))
}

# The rows and columns of V^-1 of some pairs.
pair_precision <- function(m, at) {
  (m[at$first, at$first] * m[at$second, at$second] +
     m[at$first, at$second] * m[at$second, at$first]) / 2
}

# The rows and columns of V of some pairs. sigma: as checked; NULL: the noise of all is the same.
pair_covariance <- function(sigma, at) {
  s <- sigma_matrix(sigma, if (is.null(sigma)) max(at$second) else NROW(sigma))
  (s[at$first, at$first] + s[at$second, at$second] - s[at$first, at$second] -
     s[at$second, at$first])^2
}

# The two stimuli of the pairs number `at` in a packed vector.
pair_places <- function(at, n) {
  ends <- cumsum(as.double((n - 1):1))
  first <- findInterval(at - 1, ends) + 1L
  list(first = first, second = as.integer(n - (ends[first] - at)))
}

# Where pairs first < second stand in a packed vector; the reverse.
pair_number <- function(first, second, n) {
  n * (first - 1) - first * (first - 1) / 2 + second - first
}

# Where the pairs of some of n stimuli stand in a packed vector of all pairs, in the order of
# stats::dist() of these; NA for pairs of copies of a stimulus.
packed_places <- function(at, n) {
  places <- pair_places(seq_len(packed_length(length(at))), length(at))
  first <- at[places$first]
  second <- at[places$second]
  replace(pair_number(pmin(first, second), pmax(first, second), n), first == second, NA)
}
