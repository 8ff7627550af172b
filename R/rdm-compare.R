# Comparisons of RDMs: the choices of `outer`, whitening by `stimulus_noise`, and the similarities
# of tables of RDMs.

# ---- the choices of `outer`, and what they ask of other arguments

rsa_outer <- c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a", "whitened_cosine",
               "whitened_pearson")

tau_outer <- c("kendall", "tau_b")

ranked_outer <- c("spearman", "rho_a", tau_outer)

whitened_outer <- c("whitened_cosine", "whitened_pearson")

linear_outer <- c("cosine", "pearson", whitened_outer)

whitens <- function(outer) outer %in% whitened_outer

is_whitened <- function(args) isTRUE(whitens(args$outer))

# Comparisons of dissimilarities as they are, and not of their differences.
is_cosine <- function(outer) outer %in% c("cosine", "whitened_cosine")

# Linear ones that take a mean off.
is_centred <- function(outer) outer %in% c("pearson", "whitened_pearson")

check_outer_args <- function(args) {
  args$outer <- check_choice(args$outer, rsa_outer, "outer")
  args$na <- check_choice(args$na, c("error", "pairwise"), "na")
  args <- check_noise_argument(args)
  # do pairs of stimuli lack in the representations of a call? See settle_rsa().
  args$gaps <- FALSE
  args$form <- rdm_form_kind(args)
  refuse_unused_noise(args$stimulus_noise, args$outer)
  args
}

# Which of rsa_forms the arguments ask for: args$form, once they are checked and settled.
rdm_form_kind <- function(args) {
  if (args$gaps) return("raw dissimilarities")
  if (!is.null(args$stimulus_noise)) return("weighed dissimilarities")
  switch(args$outer, whitened_cosine = , whitened_pearson = "centered dissimilarities",
         kendall = , tau_b = "ranks",
         spearman = , pearson = , cosine = , rho_a = "dissimilarities", no_branch(args$outer))
}

refuse_unused_noise <- function(stimulus_noise, outer) {
  refuse_if(!is.null(stimulus_noise) && !whitens(outer), "choice", "`stimulus_noise` is for ",
            "\"whitened_cosine\" and \"whitened_pearson\", which weigh pairs by it; outer = ",
            "{quoted(outer)} does not use it.")
}

# among: which of them, with a blank at the end.
warn_equal_dissimilarities <- function(repr, args, among = "",
                                       what = if (any(is_cosine(args$outer))) "0" else "equal") {
  warn("undefined", "The value is undefined (NA): all dissimilarities {among}of `{repr$arg}` are ",
       "{what}.", data = repr$arg)
}

# ---- tables of RDMs

# How alike the RDMs of two tables are, each column of one with each of the other, as rsa() defines
# it. Pairs of stimuli that lack on either side are left out.
# a: P x N, b: P x K, NA where a pair lacks. Returns N x K; NA where a similarity is undefined.
# stimulus_noise: of the stimuli, for whitened comparisons.
similarity_table <- function(a, b, outer, stimulus_noise = NULL) {
  result <- matrix(NA_real_, ncol(a), ncol(b), dimnames = list(colnames(a), colnames(b)))
  rows <- same_gaps(a)
  columns <- same_gaps(b)
  for (i in rows) {
    for (k in columns) {
      lacking <- is.na(a[, i[1]]) | is.na(b[, k[1]])
      if (sum(!lacking) < 3) next
      result[i, k] <- complete_similarities(a[, i, drop = FALSE], b[, k, drop = FALSE], lacking,
                                            outer, stimulus_noise)
    }
  }
  result
}

# Columns that lack the same pairs, as a list.
same_gaps <- function(values) {
  if (!anyNA(values)) return(list(seq_len(ncol(values))))
  key <- apply(is.na(values), 2, function(column) paste(which(column), collapse = " "))
  split(seq_along(key), factor(key, unique(key)))
}

complete_similarities <- function(a, b, lacking, outer, stimulus_noise) {
  if (whitens(outer)) {
    columns <- cbind(a, b)[!lacking, , drop = FALSE]
    products <- whitened_gram(columns, !lacking, outer, stimulus_noise)
    flat <- no_length(columns, outer)
    products[flat, ] <- products[, flat] <- 0
    first <- seq_len(ncol(a))
    own <- diag(products)
    return(cosines_from(products[first, -first, drop = FALSE], own[first], own[-first]))
  }
  if (any(lacking)) {
    a <- a[!lacking, , drop = FALSE]
    b <- b[!lacking, , drop = FALSE]
  }
  if (outer %in% tau_outer) {
    levels_of <- function(values) {
      lapply(seq_len(ncol(values)), function(k) as.integer(2 * exact_ranks(values[, k])))
    }
    taus <- taus_of_levels(levels_of(a), levels_of(b), outer)
    # where all values are tied there is no order
    taus[no_length(a, outer), ] <- NA
    taus[, no_length(b, outer)] <- NA
    return(taus)
  }
  if (outer %in% ranked_outer) {
    a <- centred_ranks(a)
    b <- centred_ranks(b)
  }
  # the divisor is the size of ranks without ties, so that equal ranks, which have no order, need a
  # look of their own
  if (outer == "rho_a") {
    rho <- crossprod(a, b) / untied_rank_size(nrow(a))
    rho[colSums(a != 0) == 0, ] <- NA
    rho[, colSums(b != 0) == 0] <- NA
    return(rho)
  }
  if (outer == "pearson") {
    a <- less_means(a)
    b <- less_means(b)
  }
  cosines_from(crossprod(a, b), colSums(a^2), colSums(b^2))
}

less_means <- function(values) {
  centred <- without_column_means(values)
  # equal values have deviations of rounding
  centred[, no_length(values, "pearson")] <- 0
  centred
}

centred_ranks <- function(values) {
  apply_columns(values, exact_ranks) - (nrow(values) + 1) / 2
}

# Average ranks, by a sort that takes a tenth of the time of rank().
exact_ranks <- function(values) {
  .Call(C_average_ranks, as.double(values), c(0, 0), thread_count())
}

# products: of all pairs; own_a, own_b: of each with itself. Where one has no length, the cosine is
# undefined.
cosines_from <- function(products, own_a, own_b) {
  # the product of both sizes may be too large or too small for a double
  cosines <- products / base::outer(sqrt(pmax(own_a, 0)), sqrt(pmax(own_b, 0)))
  cosines[!is.finite(cosines)] <- NA
  clip_to_range(cosines, -1, 1)
}

# Which RDMs are all 0, or, for other comparisons than cosines, have equal values.
no_length <- function(values, outer) {
  extent <- value_extent(values)
  if (is_cosine(outer)) extent[1, ] >= 0 & extent[2, ] <= 0 else extent[1, ] >= extent[2, ]
}

# Tau of all pairs of two lists, or of one where b is NULL, of levels: average ranks times two,
# which are whole numbers.
taus_of_levels <- function(a, b, outer, advance = function() NULL) {
  # those of a are sorted
  if (!is.null(b) && length(b) < length(a)) return(t(taus_of_levels(b, a, outer, advance)))
  one_list <- is.null(b)
  if (one_list) b <- a
  most <- max(vapply(b, max, 0L))
  excess <- matrix(NA_real_, length(a), length(b))
  for (i in seq_along(a)) {
    order <- order(a[[i]], method = "radix")
    others <- if (one_list) i:length(b) else seq_along(b)
    # few at a time take little memory
    for (at in split(others, (seq_along(others) - 1) %/% 16)) {
      columns <- vapply(b[at], `[`, a[[i]], order)
      excess[i, at] <- .Call(C_concordance, a[[i]][order], columns, most, thread_count())
    }
    advance()
  }
  if (one_list) excess[lower.tri(excess)] <- t(excess)[lower.tri(excess)]
  all <- choose(length(a[[1]]), 2)
  if (outer != "tau_b") return(excess / all)
  untied <- function(levels) all - sum(choose(tabulate(levels), 2))
  # unlike a product of roots, the root of a product never takes equal orders beyond 1
  excess / sqrt(tcrossprod(vapply(a, untied, 0), vapply(b, untied, 0)))
}

# ---- whitened comparisons

# They weigh pairs of stimuli by the inverse of the covariance of dissimilarities that have no
# signal, which is never formed.
#
# Without signal, the dissimilarities of the pairs (i, j) and (k, l) have the covariance
# V = (c_ij' S c_kl)^2, up to a factor, where S is the noise covariance of the stimuli and c_ij
# their contrast (Diedrichsen et al. 2021). Let A be the symmetric matrix of the dissimilarities a,
# and M = S^-1 - S^-1 1 1' S^-1 / (1' S^-1 1). Then V^-1 a are the entries of M A M / 2: its dual.
# So the product a' V^-1 b is that of the dual of a with b.

# The matrix M, n x n; without stimulus_noise it takes off means. stimulus_noise: as checked.
whitening_matrix <- function(n, stimulus_noise = NULL) {
  check_stimulus_noise_size(stimulus_noise, n)
  inverse <- if (is.null(stimulus_noise)) diag(n) else
    if (is.matrix(stimulus_noise)) chol2inv(chol(stimulus_noise)) else diag(1 / stimulus_noise, n)
  sums <- rowSums(inverse)
  inverse - tcrossprod(sums) / sum(sums)
}

# values: an RDM a column, packed. The duals, packed, a column each. metric: M, or NULL without
# stimulus_noise, where row means do what M would do.
whitened_duals <- function(values, metric = NULL) {
  n <- stimuli_of_pairs(nrow(values))
  if (is.null(metric)) {
    places <- pair_places(seq_len(nrow(values)), n)
    means <- apply_columns(values, function(a) packed_row_sums(a, n)) / n
    return((values - means[places$first, , drop = FALSE] - means[places$second, , drop = FALSE] +
              rep(colMeans(means), each = nrow(values))) / 2)
  }
  below <- which(lower.tri(metric))
  apply_columns(values, function(a) (metric %*% unpacked_pairs(a, n) %*% metric)[below] / 2)
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
whitened_solutions <- function(columns, there, stimulus_noise = NULL) {
  n <- stimuli_of_pairs(length(there))
  if (!all(there)) {
    # stimuli without any pair have no say
    places <- pair_places(seq_along(there), n)
    kept <- tabulate(c(places$first[there], places$second[there]), n) > 0
    n <- sum(kept)
    stimulus_noise <- cut_stimulus_noise(stimulus_noise, kept)
    there <- there[kept[places$first] & kept[places$second]]
  }
  lacking <- sum(!there)
  check_memory(24 * min(lacking, nrow(columns))^2, "The covariance of pairs of stimuli",
               "Fewer stimuli need less.")
  if (lacking > nrow(columns)) {
    return(solve_positive(pair_covariance(stimulus_noise, pair_places(which(there), n)), columns))
  }
  metric <- if (!is.null(stimulus_noise)) whitening_matrix(n, stimulus_noise)
  values <- matrix(0, length(there), ncol(columns))
  values[there, ] <- columns
  whitened_duals(filled_gaps(values, !there, metric), metric)[there, , drop = FALSE]
}

# Values of all pairs as whitened comparisons take them: less the generalised least squares mean, if
# `level`, and with what the pairs that count predict of those that lack.
whitened_values <- function(values, lacking, level, metric = NULL) {
  ones <- rep(1, length(values))
  # the ordinary mean is taken off first, so that its digits cancel
  if (level) values <- values - mean(values[!lacking])
  # without noise of the stimuli all pairs weigh alike
  if (is.null(metric) && !any(lacking)) return(values)
  if (any(lacking)) {
    check_memory(24 * sum(lacking)^2, "The covariance of pairs of stimuli within clusters",
                 "Fewer stimuli, or smaller clusters, need less.")
    filled <- filled_gaps(cbind(values, ones), lacking, metric)
    values <- filled[, 1]
    ones <- filled[, 2]
  }
  if (!level) return(values)
  # 1' V^-1 a / 1' V^-1 1
  weight <- if (any(lacking)) whitened_duals(cbind(ones), metric)[, 1] else
    dual_of_ones(stimuli_of_pairs(length(values)), metric)
  values - sum(weight * values) / sum(weight * ones) * ones
}

# The products of such columns in the inverse of the covariance: less what the generalised least
# squares means share, for comparisons that take a mean off.
whitened_gram <- function(columns, there, outer, stimulus_noise = NULL) {
  # the ordinary mean is taken off first, so that its digits cancel
  if (is_centred(outer)) columns <- cbind(without_column_means(columns), 1)
  products <- unname(crossprod(whitened_solutions(columns, there, stimulus_noise), columns))
  if (!is_centred(outer)) return(products)
  last <- ncol(products)
  with <- products[-last, last]
  products[-last, -last, drop = FALSE] - tcrossprod(with) / products[last, last]
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

# The rows and columns of V of some pairs. stimulus_noise: as checked; NULL: the noise of all is the
# same.
pair_covariance <- function(stimulus_noise, at) {
  n <- if (is.null(stimulus_noise)) max(at$second) else NROW(stimulus_noise)
  s <- stimulus_noise_matrix(stimulus_noise, n)
  (s[at$first, at$first] + s[at$second, at$second] - s[at$first, at$second] -
     s[at$second, at$first])^2
}

# The two stimuli of the pairs number `at` in a packed vector.
pair_places <- function(at, n) {
  ends <- cumsum(as.double((n - 1):1))
  first <- findInterval(at - 1, ends) + 1L
  list(first = first, second = as.integer(n - (ends[first] - at)))
}

# Where the pairs of some of n stimuli stand in a packed vector of all pairs, in the order of
# stats::dist() of these; NA for pairs of copies of a stimulus.
packed_places <- function(at, n) {
  places <- pair_places(seq_len(packed_length(length(at))), length(at))
  first <- pmin(at[places$first], at[places$second])
  second <- pmax(at[places$first], at[places$second])
  replace(n * (first - 1) - first * (first - 1) / 2 + second - first, first == second, NA)
}

# ---- the argument `stimulus_noise`: the noise covariance of the stimuli

# noise: NULL (S is the identity), the variances of the stimuli, or a matrix. n: how many stimuli
# there are; NULL where this is not known yet. labels: of the stimuli, or NULL.
check_stimulus_noise <- function(noise, n = NULL, labels = NULL) {
  if (is.null(noise)) return(NULL)
  noise <- in_order_of(noise, labels, "stimulus_noise")
  is_square <- is.matrix(noise) && nrow(noise) == ncol(noise)
  refuse_if(!is.numeric(noise) || !(is_square || is.null(dim(noise))) || !length(noise), "type",
            "`stimulus_noise` must be NULL, a vector of variances (one a stimulus), or a square ",
            "matrix of covariances, not {describe(noise)}.")
  refuse_if(!all(is.finite(noise)), "nonfinite", "`stimulus_noise` has missing or infinite values.")
  size <- if (is_square) nrow(noise) else length(noise)
  refuse_if(!is.null(n) && size != n, "size", "`stimulus_noise` is for ",
            "{count_of(size, 'stimulus')}, but there are {n}: give the noise of these.")
  storage.mode(noise) <- "double"
  # A common factor means nothing for a score, but extreme ones would overflow where noise is
  # inverted. Others stay, because pooled RDMs, raw weights and what a ridge does go with them.
  size <- max(abs(noise))
  if (size <= 1e-30 || size >= 1e30) noise <- noise * power_of_two_below(size)
  if (is_square) {
    refuse_if(!equals_transpose(noise), "value", "`stimulus_noise` is not symmetric, as a matrix ",
              "of covariances is.")
    noise <- unname((noise + t(noise)) / 2)
    refuse_if(is.null(positive_root(noise, least_noise)), "value", "`stimulus_noise` is not ",
              "positive definite, or so nearly singular that too few digits would be left: with ",
              "so few residuals, shrink the covariance, or give only its diagonal (the variances).")
    return(noise)
  }
  bad <- which(noise <= 0)
  refuse_if(length(bad), "value", "`stimulus_noise` has variances that are not positive, first ",
            "that of stimulus {bad[1]}: every stimulus has noise.")
  small <- which(noise < least_noise * max(noise))
  refuse_if(length(small), "value", "`stimulus_noise` has variances that are less than ",
            "{format(least_noise)} of the largest one, first that of stimulus {small[1]}: too few ",
            "digits would be left. Check its units, or give this stimulus more noise.")
  as.vector(noise)
}

# Stimuli with less noise than this share of the largest one would cost whitened comparisons most of
# their digits: the inverse of noise holds the reciprocal.
least_noise <- 1e-10

# The size of `stimulus_noise`, which the number of stimuli of a call tells.
check_stimulus_noise_size <- function(noise, n) {
  size <- if (is.matrix(noise)) nrow(noise) else length(noise)
  if (!is.null(noise) && size != n) check_stimulus_noise(noise, n)
}

# The same of the arguments of a measure, which keep the names: the order of the stimuli is not
# known yet.
check_noise_argument <- function(args) {
  given <- args$stimulus_noise
  if (is.null(given)) return(args)
  noise <- check_stimulus_noise(given)
  if (is.matrix(noise)) dimnames(noise) <- dimnames(given) else names(noise) <- names(given)
  args$stimulus_noise <- noise
  args
}

# The noise of some of the stimuli. (That of NULL is NULL.)
cut_stimulus_noise <- function(noise, rows) {
  if (is.matrix(noise)) noise[rows, rows, drop = FALSE] else noise[rows]
}

# That of the stimuli that have a label in `clusters`.
labelled_noise <- function(args) {
  noise <- args$stimulus_noise
  if (is.null(noise) || !anyNA(args$clusters)) noise else
    cut_stimulus_noise(noise, !is.na(args$clusters))
}

# As a matrix.
stimulus_noise_matrix <- function(noise, n) {
  if (is.matrix(noise)) noise else diag(if (is.null(noise)) 1 else noise, n)
}

# The Cholesky root of a matrix, or NULL where it is not positive definite by more than rounding, or
# than a larger share.
positive_root <- function(a, share = nrow(a) * .Machine$double.eps) {
  root <- catch_error(chol(a), failed = function(e) NULL)
  size <- if (is.null(root)) 0 else diag(root)
  if (min(size)^2 > share * max(size)^2) root
}
