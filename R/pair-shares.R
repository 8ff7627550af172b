# What each pair of stimuli contributes to the comparison of two RDMs; the contributions sum to the
# score that rsa() gives.

share_outer <- c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a", "whitened_cosine",
                 "whitened_pearson")

ranks_compared <- c("spearman", "kendall", "tau_b", "rho_a")

# a, b: the dissimilarities of the same pairs, without gaps. A vector of shares, or all NA where the
# comparison is undefined.
pair_shares <- function(a, b, outer) {
  if (outer %in% c("kendall", "tau_b")) return(concordance_shares(a, b, outer))
  if (outer %in% c("spearman", "rho_a")) {
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
  count <- as.double(length(a))
  size <- if (outer == "rho_a") (count^3 - count) / 12 else sqrt(sum(a^2)) * sqrt(sum(b^2))
  a * b / size
}

# Half of the share of each two pairs, which are concordant or discordant, belongs to each of them.
concordance_shares <- function(a, b, outer) {
  net <- net_concordance(a, b)
  all <- as.double(length(a)) * (length(a) - 1)
  # pairs of pairs that are not tied, twice
  untied <- function(v) all - sum(tabulate(match(v, unique(v))) * (tabulate(match(v, unique(v))) - 1))
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

# The same for whitened comparisons, of RDMs of all pairs, with NA where a pair lacks on a side. The
# product a' V^-1 b is split half by a and V^-1 b, half by V^-1 a and b.
whitened_shares <- function(a, b, outer, metric) {
  lacking <- is.na(a) | is.na(b)
  there <- !lacking
  values <- cbind(a, b)
  values[lacking, ] <- 0
  if (outer == "whitened_pearson") values <- without_whitened_mean(values, lacking, metric)
  duals <- whitened_duals(filled_gaps(values, lacking, metric), metric)
  sizes <- colSums((duals * values)[there, ])
  least <- tie_share^2 * colSums(cbind(a, b)[there, ]^2) / length(a)
  shares <- rep(NA_real_, length(a))
  if (any(sizes <= least)) return(shares)
  split <- (duals[, 1] * values[, 2] + duals[, 2] * values[, 1]) / 2
  shares[there] <- (split / sqrt(sizes[1]) / sqrt(sizes[2]))[there]
  shares
}

# Takes out the mean by generalised least squares over the pairs that are there.
without_whitened_mean <- function(values, lacking, metric) {
  ones <- cbind(as.numeric(!lacking))
  dual <- whitened_duals(filled_gaps(ones, lacking, metric), metric)[!lacking]
  means <- colSums(dual * values[!lacking, , drop = FALSE]) / sum(dual)
  values <- values - rep(means, each = nrow(values))
  values[lacking, ] <- 0
  values
}

# The whitened comparison of the dissimilarities of one stimulus, `row`, with the `others`, by the
# covariance of these alone.
whitened_row <- function(a, b, outer, sigma, row, others) {
  noise <- if (is.null(sigma)) diag(length(others)) + 1 else
    sigma[row, row] - outer(sigma[row, others], sigma[row, others], "+") + sigma[others, others]
  root <- chol(noise^2)
  white <- backsolve(root, cbind(a, b, 1), transpose = TRUE)
  size <- colSums(white[, 1:2]^2)
  if (outer == "whitened_pearson") {
    white <- white - white[, 3] %*% (crossprod(white[, 3], white) / sum(white[, 3]^2))
  }
  left <- colSums(white[, 1:2]^2)
  if (any(left <= tie_share^2 * size) || any(size == 0)) return(NA_real_)
  clip_to_range(sum(white[, 1] * white[, 2]) / sqrt(left[1]) / sqrt(left[2]), -1, 1)
}
