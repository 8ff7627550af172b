# What each pair of stimuli contributes to the comparison of two RDMs; the contributions sum to the
# score that rsa() gives.

# a, b: the dissimilarities of the same pairs, without gaps. A vector of shares, or all NA where the
# comparison is undefined.
pair_shares <- function(a, b, outer) {
  if (outer %in% tau_outer) return(concordance_shares(a, b, outer))
  if (outer %in% ranked_outer) {
    a <- rank(a)
    b <- rank(b)
  }
  varies <- function(v) {
    if (outer == "cosine") any(v != 0) else diff(range(v)) > tie_share * max(abs(v))
  }
  if (!varies(a) || !varies(b)) return(rep(NA_real_, length(a)))
  if (outer != "cosine") {
    a <- a - mean(a)
    b <- b - mean(b)
  }
  size <- if (outer == "rho_a") untied_rank_size(length(a)) else sqrt(sum(a^2)) * sqrt(sum(b^2))
  a * b / size
}

# Half of the share of each two pairs, which are concordant or discordant, belongs to each of them.
concordance_shares <- function(a, b, outer) {
  net <- net_concordance(a, b)
  all <- as.double(length(a)) * (length(a) - 1)
  # pairs of pairs that are not tied, twice
  untied <- function(v) {
    ties <- as.double(tabulate(match(v, unique(v))))
    all - sum(ties * (ties - 1))
  }
  size <- if (outer == "kendall") all else sqrt(untied(a)) * sqrt(untied(b))
  if (untied(a) == 0 || untied(b) == 0) return(rep(NA_real_, length(a)))
  net / size
}

# For each element, with how many others it is concordant, less with how many it is discordant.
net_concordance <- function(a, b) {
  below(a, b) + below(-a, -b) - below(a, -b) - below(-a, b)
}

# For each element, how many others are smaller in both a and b. In the order of a, neighbouring
# blocks are merged to ever larger ones; each merge counts, for the elements of the right block,
# the smaller ones of the left block.
below <- function(a, b) {
  count <- length(a)
  # equal values of a stand in falling order of b, and are not counted
  sorted <- order(a, -b)
  level <- match(b, sort(unique(b)))[sorted]
  found <- numeric(count)
  place <- seq_len(count) - 1
  width <- 1
  while (width < count) {
    merged <- place %/% (2 * width)
    left <- (place %/% width) %% 2 == 0
    # of equal values the right ones come first
    by <- order(merged, level, left)
    before <- cumsum(left[by])
    start <- before[match(merged[by], merged[by])] - left[by][match(merged[by], merged[by])]
    smaller <- numeric(count)
    smaller[by] <- before - start
    found <- found + ifelse(left, 0, smaller)
    width <- 2 * width
  }
  result <- numeric(count)
  result[sorted] <- found
  result
}

# The same for whitened comparisons; there: which of all pairs a and b are for. The product
# a' V^-1 b is split half by a and V^-1 b, half by V^-1 a and b.
whitened_shares <- function(a, b, there, outer, sigma) {
  values <- cbind(a, b)
  if (is_centred(outer)) {
    # the ordinary mean is taken off first, so that its digits cancel
    values <- without_column_means(values)
    ones <- as.vector(whitened_solutions(matrix(1, nrow(values), 1), there, sigma))
    values <- sweep(values, 2, colSums(ones * values) / sum(ones))
  }
  duals <- whitened_solutions(values, there, sigma)
  sizes <- colSums(duals * values)
  varies <- colSums(values^2) > tie_share^2 * colSums(cbind(a, b)^2)
  if (!all(varies)) return(rep(NA_real_, length(a)))
  (duals[, 1] * values[, 2] + duals[, 2] * values[, 1]) / 2 / sqrt(sizes[1]) / sqrt(sizes[2])
}
