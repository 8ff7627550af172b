# What measures declare of their errors over stimuli, and the deletions that follow for a row of a
# result.

# ---- deletion columns

# How the score of a pair changes with the stimuli: a column of deletions for each row of a result.

# A column is list(value, change, jackknife, exact, spread_z):
#
# value    the score
# change   what deleting each unit (stimulus or cluster) adds to the score; of influences, the
#          deletion that has the same variance: V = (m - 1)/m sum (change - mean)^2
# spread   NA, or the standard error on the scale of the interval (Fisher's z) from the deletions
#
# Half-samples have `halves` in the place of `change`: deviations whose squares add up to V.

# values: of all stimuli, and without each unit; of cosines where the score is a function of them.
jackknife_column <- function(values, errors) {
  m <- length(values) - 1
  spread <- if (errors$transform == "z") {
    z <- suppressWarnings(atanh(values[-1]))
    sqrt((m - 1) / m * cross_deviation(z, z))
  } else NA_real_
  if (!is.null(errors$cosine)) values <- errors$cosine$score(values)
  list(value = values[1], change = values[-1] - values[1], spread = spread)
}

influence_column <- function(value, influence, errors, codes) {
  if (!is.null(errors$cosine)) influence <- influence * errors$cosine$slope(errors$cosine$of(value))
  n <- length(influence)
  if (!is.null(codes)) influence <- drop(rowsum(influence, codes)) * length(unique(codes)) / n
  m <- length(influence)
  # sums over clusters are those of a jackknife over clusters; of single stimuli the variance is the
  # mean square over n
  change <- if (is.null(codes)) -influence / sqrt(n * (n - 1)) else -influence / (m - 1)
  list(value = value, change = change, spread = NA_real_)
}

# Deviations whose products add up to the covariances of scores; they have the signs of influences.
deviations_of <- function(column) {
  if (!is.null(column$halves)) return(column$halves)
  m <- length(column$change)
  -sqrt((m - 1) / m) * (column$change - mean(column$change))
}

# ---- pair deletions

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
  k <- a$k
  l <- b$k
  sums <- if (is.null(codes)) {
    r <- rowSums(k)
    q <- rowSums(l)
    column_sums_left(r, diag(k), cbind(q), cbind(diag(l)), cbind(rowSums(k * l)), k %*% q, l %*% r,
                     drop)
  } else {
    # what a cluster takes off the sums of rows is in the sums over its stimuli
    to_k <- t(rowsum(k, codes))
    to_l <- t(rowsum(l, codes))
    without <- (rowSums(to_k) - to_k) * (rowSums(to_l) - to_l)
    within <- as.vector(rowsum(without[cbind(seq_along(codes), codes)], codes))
    n <- as.double(length(codes))
    list(left = c(n, n - tabulate(codes)), dot = deleted_total(k * l, codes),
         rows = c(sum(rowSums(to_k) * rowSums(to_l)), unname(colSums(without)) - within),
         totals = deleted_total(k, codes) * deleted_total(l, codes))
  }
  products_of_sums(kind, sums, a$between, codes)
}

# The same of sums() that are vectors, or matrices with a column for each of several pairs.
products_of_sums <- function(kind, sums, between, codes = NULL) {
  n <- sums$left
  naive <- function() (sums$dot - 2 * sums$rows / n + sums$totals / n^2) / n^2
  switch(kind,
    u = (sums$dot - 2 * sums$rows / (n - 2) + sums$totals / ((n - 1) * (n - 2))) / (n * (n - 3)),
    v = naive(),
    cosine = sums$dot,
    whitened = naive() - sums$totals / (n^4 * (n - 1)),
    correlation = {
      count <- if (is.null(between)) n * (n - 1) else deleted_total(between, codes)
      sums$dot - sums$totals / count
    },
    no_branch(kind))
}

# Over the stimuli that are left: their number, the sum of the products of all entries (dot), of
# row sums (rows), and the product of the totals.
# r, dk: the row sums and the diagonal of one matrix k; q, dl: those of others, a column each; m:
# the row sums of their products with k; kq: k times q; lr: the others times r.
column_sums_left <- function(r, dk, q, dl, m, kq, lr, shape = identity) {
  n <- length(r)
  # with nothing and with each stimulus left out
  left_out <- function(rows, diagonal) {
    all <- colSums(rows)
    rbind(all, rep(all, each = n) - 2 * rows + diagonal, deparse.level = 0)
  }
  product <- colSums(r * q)
  rows <- rep(product, each = n) - r * q - (kq - dk * q) - (lr - dl * r) + m - dk * dl
  totals <- as.vector(left_out(cbind(r), dk)) * left_out(q, dl)
  list(left = c(n, rep(n - 1, n)), dot = shape(left_out(m, dk * dl)),
       rows = shape(rbind(product, rows, deparse.level = 0)), totals = shape(totals))
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
  squares <- sum(k^2) / switch(kind, u = n * (n - 3), v = , whitened = n^2,
                                cosine = , correlation = 1, no_branch(kind))
  h[-1] < 1e-6 * squares
}

# The same for all pairs of two lists of representations, or of one with itself (y NULL), as an
# array x by y by values: the sums over stimuli are products of matrices.
pairwise_cells <- function(x, y, kind, side, args) {
  alone <- is.null(y)
  a <- lapply(x, side, args, NULL)
  b <- if (alone) a else lapply(y, side, args, NULL)
  if (alone) y <- x
  self <- function(reprs, sides) Map(deleted_self, reprs, kind, sides, list(NULL))
  little <- function(self, sides) Map(little_left, self, kind, lapply(sides, `[[`, "k"))
  xx <- self(x, a)
  yy <- self(y, b)
  little_x <- little(xx, a)
  little_y <- little(yy, b)
  n <- x[[1]]$n
  values <- array(NA_real_, c(length(x), length(y), n + 1))
  vectors <- function(sides, of) matrix(vapply(sides, of, numeric(n)), n)
  r <- vectors(a, function(side) rowSums(side$k))
  # few at a time, so that their sums take little memory
  each <- max(1, floor(room_for_dots() / (as.double(n) * length(x))))
  for (at in split(seq_along(y), (seq_along(y) - 1) %/% each)) {
    # for each side of a the deleted_products() with all of these, a column each
    m <- array(0, c(length(a), length(at), n))
    for (s in seq_len(n)) {
      column <- function(side) side$k[, s]
      m[, , s] <- crossprod(vectors(a, column), vectors(b[at], column))
    }
    q <- vectors(b[at], function(side) rowSums(side$k))
    dl <- vectors(b[at], function(side) diag(side$k))
    lr <- lapply(b[at], function(side) side$k %*% r)
    products <- lapply(seq_along(a), function(i) {
      k <- a[[i]]$k
      sums <- column_sums_left(r[, i], diag(k), q, dl, t(matrix(m[i, , ], length(at))), k %*% q,
                               vectors(lr, function(product) product[, i]))
      products_of_sums(kind, sums, a[[i]]$between)
    })
    for (j in at) {
      for (i in seq_along(x)) {
        if (alone && i > j) next
        h <- if (alone && i == j) xx[[i]] else products[[i]][, match(j, at)]
        found <- ratio_of_products(h, xx[[i]], yy[[j]])
        for (unit in which(little_x[[i]] | little_y[[j]])) {
          found[unit + 1] <- ratio_without(unit, pair_of(x[[i]], y[[j]]), kind, side, args, NULL)
        }
        values[i, j, ] <- found
      }
    }
  }
  values
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

# ---- score errors

# What measures declare of their errors over stimuli (`errors` in their declarations): how the score
# changes when a stimulus is deleted, and what it is with weights of the stimuli.

#' What a measure declares of its errors over stimuli
#'
#' A declaration has `errors`: NULL, or a function(args) that gives NULL or what new_errors() or
#' growing_errors() makes. Without it the errors come from half-samples.
#'
#' For a correlation over stimuli of values x and y of each, with mean 0 and mean square 1, the
#' influences are x * y - mean(x * y) * (x^2 + y^2) / 2, and the score with weights w is
#' stats::cov.wt(cbind(x, y), w, cor = TRUE)$cor[1, 2]. Influences are tested by derivatives of
#' `weighted`, which they therefore need.
#'
#' @param method "jackknife": `stimuli` gives delete-one values, in closed form; "smoothed":
#'   delete-one values in which jumps are replaced by their mean; "influence": `stimuli` gives
#'   influences, n times the derivative of the score by the share of a stimulus
#' @param auto does method = "auto" take it? If not it takes half-samples, because something is
#'   held that differs between samples of stimuli
#' @param exact_below with fewer stimuli (or clusters) "auto" computes the score anew without each
#'   of them, where influences were seen to be too small
#' @param stimuli function(pair, args, codes). Delete-one values: a vector with the value of all
#'   stimuli first, then one without each stimulus (or, with `codes`, each cluster). Influences: a
#'   value for each stimulus
#' @param exact the same as `stimuli` for method = "jackknife" of score_interval(), or NULL: the
#'   score is computed anew without each stimulus
#' @param cells function(x, y, args, codes): the delete-one values of `stimuli` for all pairs of
#'   two lists of representations at once, an array x by y by values (y NULL: of a list with
#'   itself, of which only the pairs with x up to y count), or NULL
#' @param by_cluster does it take codes of clusters?
#' @param weighted function(pair, args, w, d), where d is the declaration of the measure: a score
#'   for each column of weights, or NULL
#' @param counts may the weights be any that are not negative ("any"), or whole numbers ("counts")?
#' @param transform "z": intervals are made of Fisher's z; "none": on the scale of the score
#' @param cosine NULL, or for distances that are functions of a cosine, new_angle() or new_chord():
#'   then `stimuli` and `exact` give values of the cosine
#' @param growth NULL, or for scores that are sums over stimuli function(args, n, half) that gives
#'   how many times larger the score of n stimuli is than that of a half, by which the spread of
#'   half-samples is multiplied
#' @return a list of the arguments.
#' @noRd
new_errors <- function(method, stimuli, exact = NULL, cells = NULL, by_cluster = FALSE,
                       weighted = NULL, counts = "any", transform = "z", cosine = NULL,
                       growth = NULL, auto = TRUE, exact_below = 0) {
  list(method = method, stimuli = stimuli, exact = exact, cells = cells, by_cluster = by_cluster,
       weighted = weighted, counts = counts, transform = transform, cosine = cosine,
       growth = growth, auto = auto, exact_below = exact_below)
}

# With fewer stimuli influences of rotations and matches are too small, most of all with heavy
# tails.
enough_for_influences <- 80

# Of norms over stimuli and over pairs of stimuli.
root_growth <- function(args, n, half) sqrt(n / half)
linear_growth <- function(args, n, half) n / half

# For scores that are sums over stimuli, whose errors come from half-samples.
growing_errors <- function(growth) {
  list(method = "half-samples", growth = growth, transform = "none", auto = FALSE)
}

# Distances that are functions of a cosine, and back; slope: the derivative by the cosine. A
# corrected CKA beyond 1 is the cosine of no angle.
new_angle <- function() {
  angle <- function(c) acos(pmin(pmax(replace(c, which(abs(c) > 1 + tie_share), NA), -1), 1))
  list(score = angle, of = cos, slope = function(c) -1 / sqrt(1 - c^2), back = "angle")
}

new_chord <- function() {
  list(score = function(c) sqrt(pmax(2 - 2 * c, 0)), of = function(d) 1 - d^2 / 2,
       slope = function(c) -1 / sqrt(2 - 2 * c), back = "chord")
}

# For measures whose score is `finish` of h(x, y) / sqrt(h(x, x) h(y, y)), see the pair deletions.
# side: function(repr, args, codes) that gives a side.
pairwise_errors <- function(kind, side, finish = identity) {
  new_errors("jackknife",
    stimuli = function(pair, args, codes) {
      finish(pairwise_ratios(pair, kind, side, args, codes))
    },
    cells = function(x, y, args, codes) {
      values <- pairwise_cells(x, y, kind, side, args)
      array(finish(as.vector(values)), dim(values))
    },
    weighted = function(pair, args, w, d) {
      a <- side(pair$x, args, args$clusters)
      b <- side(pair$y, args, args$clusters)
      finish(weighted_ratios(kind, a, b, w))
    })
}

# What a measure declares of its errors with these arguments; NULL for half-samples.
errors_of <- function(measure) {
  if (is_own(measure)) return(NULL)
  declared <- measure$declaration$errors
  if (is.null(declared)) NULL else declared(measure$args)
}

# ---- the sides of kernels and distances, remembered with their representations

distance_side <- function(repr, kind) {
  remember(repr$cache, list("pairs of distances", kind), {
    check_side_memory(repr)
    new_side(centred_pairs(unpacked_pairs(form_distances(repr)$d, repr$n), kind), "distances",
             kind)
  })
}

# Centring takes off what cancels anyway.
centred_pairs <- function(k, kind) {
  if (kind == "v") return(without_means(k))
  n <- nrow(k)
  means <- (rowSums(k) - diag(k)) / (n - 2)
  k - outer(means, means, "+") + sum(means) / (n - 1)
}

# Dissimilarities less their mean, which does not count in correlations.
rdm_side <- function(repr, args, codes) {
  key <- list(args$inner, args$outer)
  kind <- if (args$outer == "cosine") "cosine" else "correlation"
  remember(repr$cache, list("pairs of dissimilarities", key, args$clusters), {
    check_side_memory(repr)
    values <- dissimilarity_values(dissimilarities_of(repr, args$inner))
    if (kind == "correlation") values <- values - mean(values)
    new_side(unpacked_pairs(values, repr$n), key, kind, args$clusters)
  })
}

# Matrices of dissimilarities for whitened comparisons. A common shift of all pairs counts for the
# cosine alone.
whitened_pairs <- function(repr, args, kind) {
  remember(repr$cache, list("whitened pairs", args$inner, kind), {
    check_side_memory(repr)
    values <- dissimilarity_values(dissimilarities_of(repr, args$inner))
    if (kind == "whitened") values <- values - mean(values)
    k <- unpacked_pairs(values, repr$n)
    new_side(if (kind == "v") without_means(k) else k, list("whitened", args$inner), kind)
  })
}

check_side_memory <- function(repr) {
  check_memory(6 * 8 * as.double(repr$n)^2, paste0("The pairs of stimuli of `", repr$arg, "`"),
               "Fewer stimuli need less, or method = \"half-samples\".")
}
