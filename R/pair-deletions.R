# Scores that are made of sums over pairs of stimuli, with each stimulus (or cluster) deleted in
# turn, without computing them anew.

# Such a score is a function of h(x, y) / sqrt(h(x, x) h(y, y)), where h is one of these `kinds`
# of two n x n matrices:
#
# "u"            Song's estimator of HSIC; the diagonals do not count
# "v"            the naive HSIC; the diagonals count
# "correlation"  sum of products less product of sums: the covariance of pairs of stimuli
# "cosine"       sum of products
# "whitened"     the naive HSIC less what the mean of all pairs adds to it, of RDMs
#
# A side is list(k, key, between): the matrix, what tells it from other matrices of the same
# representation, and which pairs of stimuli count (a matrix of 0 and 1, or NULL for all). Of a
# linear kernel of few neurons it has them, too, as `factor`, and the `diagonal` that k is without.

new_side <- function(k, key, kind, codes = NULL) {
  if (kind != "v") diag(k) <- 0
  between <- NULL
  if (!is.null(codes)) {
    between <- 1 * outer(codes, codes, "!=")
    k <- k * between
  }
  list(k = k, key = key, between = between)
}

# Sums that cancel in differences lose digits; row and column means cancel in "u" and "v".
without_means <- function(k) {
  means <- rowMeans(k)
  k - outer(means, means, "+") + mean(means)
}

# h of all stimuli, and with each unit deleted. codes: of the units, a number for each stimulus;
# NULL: each stimulus is one.
deleted_products <- function(kind, a, b, codes = NULL) {
  switch(kind,
    u = deleted_hsic(a$k, b$k, codes, TRUE), v = deleted_hsic(a$k, b$k, codes, FALSE),
    cosine = deleted_total(a$k * b$k, codes),
    whitened = {
      n <- stimuli_left(nrow(a$k), codes)
      means <- deleted_total(a$k, codes) * deleted_total(b$k, codes)
      deleted_hsic(a$k, b$k, codes, FALSE) - means / (n^4 * (n - 1))
    },
    correlation = {
      count <- if (is.null(a$between)) 1 - diag(nrow(a$k)) else a$between
      deleted_total(a$k * b$k, codes) -
        deleted_total(a$k, codes) * deleted_total(b$k, codes) / deleted_total(count, codes)
    })
}

# How many stimuli there are, and without each unit.
stimuli_left <- function(n, codes) {
  n <- as.double(n)
  c(n, n - if (is.null(codes)) rep(1, n) else tabulate(codes))
}

deleted_hsic <- function(k, l, codes, corrected) {
  sums <- if (is.null(codes)) single_sums(k, l) else unit_sums(k, l, codes)
  n <- sums$left
  if (!corrected) return((sums$dot - 2 * sums$rows / n + sums$totals / n^2) / n^2)
  (sums$dot - 2 * sums$rows / (n - 2) + sums$totals / ((n - 1) * (n - 2))) / (n * (n - 3))
}

# Over the stimuli that are left: their number, the sum of the products of all entries (dot), of
# row sums (rows), and the product of the totals.
single_sums <- function(k, l) {
  n <- as.double(nrow(k))
  r <- rowSums(k)
  q <- rowSums(l)
  m <- rowSums(k * l)
  dk <- diag(k)
  dl <- diag(l)
  rows <- sum(r * q) - r * q - (drop(k %*% q) - dk * q) - (drop(l %*% r) - dl * r) + m - dk * dl
  total <- function(r, d) c(sum(r), sum(r) - 2 * r + d)
  list(left = c(n, rep(n - 1, n)), dot = c(sum(m), sum(m) - 2 * m + dk * dl),
       rows = c(sum(r * q), rows), totals = total(r, dk) * total(q, dl))
}

# The same for clusters. What a cluster takes off the sums of rows is in the sums over its stimuli.
unit_sums <- function(k, l, codes) {
  size <- tabulate(codes)
  to_k <- t(rowsum(k, codes))
  to_l <- t(rowsum(l, codes))
  without <- (rowSums(to_k) - to_k) * (rowSums(to_l) - to_l)
  within <- as.vector(rowsum(without[cbind(seq_along(codes), codes)], codes))
  n <- as.double(length(codes))
  list(left = c(n, n - size), dot = deleted_total(k * l, codes),
       rows = c(sum(rowSums(to_k) * rowSums(to_l)), unname(colSums(without)) - within),
       totals = deleted_total(k, codes) * deleted_total(l, codes))
}

# The sum of all entries, and without the rows and columns of each unit.
deleted_total <- function(m, codes) {
  rows <- rowSums(m)
  if (is.null(codes)) return(c(sum(rows), sum(rows) - 2 * rows + diag(m)))
  inside <- t(rowsum(m, codes))[cbind(seq_along(codes), codes)]
  units <- function(values) as.vector(rowsum(values, codes))
  c(sum(rows), sum(rows) - 2 * units(rows) + units(inside))
}

# The ratio with nothing and with each unit deleted; NA where a denominator is not positive.
ratio_of_products <- function(xy, xx, yy) {
  positive <- function(h) ifelse(h > rounding_share * abs(h[1]), h, NA_real_)
  suppressWarnings(xy / sqrt(positive(xx)) / sqrt(positive(yy)))
}

# The self terms of a side are remembered with its representation.
deleted_self <- function(repr, kind, side, codes) {
  remember(repr$cache, list("deleted self terms", kind, side$key, codes),
           deleted_products(kind, side, side, codes))
}

# side: function(repr, args, codes) that gives a side.
pairwise_ratios <- function(pair, kind, side, args, codes) {
  a <- side(pair$x, args, codes)
  b <- side(pair$y, args, codes)
  xx <- deleted_self(pair$x, kind, a, codes)
  yy <- deleted_self(pair$y, kind, b, codes)
  values <- ratio_of_products(deleted_products(kind, a, b, codes), xx, yy)
  for (unit in which(little_left(xx, kind, a$k) | little_left(yy, kind, b$k))) {
    values[unit + 1] <- ratio_without(unit, pair, kind, side, args, codes)
  }
  values
}

# Without which units is so little left of a self term that differences have lost their digits? It
# is compared with the sum of squares that it is a difference of, which may be much larger than the
# self term of all units.
little_left <- function(h, kind, k) {
  n <- as.double(nrow(k))
  squares <- sum(k^2) / switch(kind, u = n * (n - 3), v = , whitened = n^2, 1)
  h[-1] < 1e-6 * squares
}

# The ratio computed anew, for a unit that holds nearly all of the variance of a side.
ratio_without <- function(unit, pair, kind, side, args, codes) {
  units <- if (is.null(codes)) seq_len(pair$x$n) else codes
  keep <- units != unit
  cut <- lapply(pair[c("x", "y")], cut_for_subset, keep)
  codes <- cut_clusters(codes, keep)
  if (!is.null(args$clusters)) args$clusters <- codes
  h <- function(a, b) deleted_products(kind, a, b, codes)[1]
  tryCatch({
    a <- side(cut$x, args, codes)
    b <- side(cut$y, args, codes)
    ratio_of_products(h(a, b), h(a, a), h(b, b))
  }, repalign_error_variance = function(e) NA_real_)
}
