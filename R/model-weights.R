# The weights of the components of a model of RDMs, by least squares from products: one fit, or many
# at once.

# ---- least squares from products: plain ones, and with weights that are not negative

# Components are collinear when the scaled matrix is singular to this precision.
collinear_share <- 1e-12

# The smallest weights that solve gram x = with.
least_squares <- function(gram, with) {
  scale <- sqrt(pmax(diag(gram), 0))
  if (all(scale > 0)) {
    unit <- gram / base::outer(scale, scale)
    if (rcond(unit) > collinear_share) return(solve(unit, with / scale) / scale)
  }
  parts <- eigen(gram, symmetric = TRUE)
  structure(as.vector(least_norm(parts, collinear_share * max(parts$values, 0), with)),
            collinear = TRUE)
}

# The solutions of least norm, a column for each of `with`. parts: eigenvalues and vectors of a
# matrix, of which the values up to `least` count as 0.
least_norm <- function(parts, least, with) {
  kept <- parts$values > least
  axes <- parts$vectors[, kept, drop = FALSE]
  axes %*% (crossprod(axes, with) / parts$values[kept])
}

# The non-negative x that makes x' gram x / 2 - with' x smallest (Lawson and Hanson 1974). What
# counts as zero is relative to the data, and there are at most 3 exchanges for each component.
lawson_hanson <- function(gram, with) {
  scale <- sqrt(pmax(diag(gram), 0))
  scale[scale == 0] <- 1
  gram <- gram / base::outer(scale, scale)
  with <- with / scale
  count <- length(with)
  x <- numeric(count)
  active <- logical(count)
  least <- 1e-12 * max(abs(with))
  for (exchange in seq_len(3 * count)) {
    slope <- replace(as.vector(with - gram %*% x), active, -Inf)
    if (max(slope) <= least) break
    moved <- toward_solution(gram, with, x, replace(active, which.max(slope), TRUE))
    # a component that leaves at once came in by rounding
    if (!moved$active[which.max(slope)]) break
    x <- moved$x
    active <- moved$active
  }
  x / scale
}

# From the feasible x toward the solution among the active ones; those that would become negative on
# the way leave.
toward_solution <- function(gram, with, x, active) {
  while (any(active)) {
    aim <- numeric(length(x))
    aim[active] <- as.vector(least_squares(gram[active, active, drop = FALSE], with[active]))
    negative <- active & aim <= 0
    if (!any(negative)) return(list(x = aim, active = active))
    x <- x + min(x[negative] / (x[negative] - aim[negative])) * (aim - x)
    leave <- active & (x <= 1e-15 * max(x) | (negative & x <= 0))
    if (!any(leave)) leave <- active & x == min(x[active])
    x[leave] <- 0
    active <- active & !leave
  }
  list(x = numeric(length(x)), active = active)
}

# ---- weights of components, from products in the metric of a comparison

# What gives the largest mean similarity with the data. model: a model; gram: products of its
# components; with: their products with the pooled RDM. Returns the weights as they come out of
# least squares; collinear components have the attribute "collinear".
fitted_weights <- function(model, gram, with) {
  switch(model$type, fixed = 1,
         select = selected(with / sqrt(replace(diag(gram), diag(gram) <= 0, NA))),
         weighted = {
           gram <- gram + diag(ridge_of(model), nrow(gram))
           if (anyNA(gram) || anyNA(with)) rep(NA_real_, length(with)) else
             if (model$nonnegative) lawson_hanson(gram, with) else least_squares(gram, with)
         },
         interpolate = {
           # mixtures are of components in one unit
           unit <- min(model$sized$scale) / model$sized$scale
           interpolated(gram * tcrossprod(unit), with * unit) * unit
         }, no_branch(model$type))
}

# What is added to the products of the components with themselves, which are in units of their own.
ridge_of <- function(model) {
  if (model$ridge > 0) pmin(model$ridge * model$sized$scale^2, 1e290) else 0
}

# All weight on the first of the best.
selected <- function(scores) {
  scores <- as.vector(scores)
  if (all(is.na(scores))) return(rep(NA_real_, length(scores)))
  as.double(seq_along(scores) == which.max(scores))
}

# The best point of all segments between neighbours: w of the first and 1 - w of the second.
interpolated <- function(gram, with) {
  count <- length(with)
  best <- -Inf
  weights <- rep(NA_real_, count)
  for (k in seq_len(count - 1)) {
    # the cosine is (p + q w) / sqrt(r + s w + t w^2); its stationary point may be a minimum
    p <- with[k + 1]
    q <- with[k] - with[k + 1]
    r <- gram[k + 1, k + 1]
    s <- 2 * (gram[k, k + 1] - gram[k + 1, k + 1])
    t <- gram[k, k] + gram[k + 1, k + 1] - 2 * gram[k, k + 1]
    slope <- q * s - 2 * p * t
    w <- c(0, 1, if (isTRUE(slope != 0)) min(max((p * s - 2 * q * r) / slope, 0), 1))
    scores <- (p + q * w) / sqrt(pmax(r + s * w + t * w^2, 0))
    scores[!is.finite(scores)] <- -Inf
    at <- which.max(scores)
    if (scores[at] > best + 1e-15) {
      best <- scores[at]
      weights <- replace(numeric(count), k + 0:1, c(w[at], 1 - w[at]))
    }
  }
  weights
}

# Weighted models are scaled to norm 1.
scaled_weights <- function(model, weights) weights / unit_of_weights(model, weights)

# What weights are divided by. Those of a mixture, or of a chosen component, add up to 1 in the end.
unit_of_weights <- function(model, weights, raw = FALSE) {
  largest <- max(abs(weights))
  unit <- if (model$type != "weighted") sum(weights) else if (raw) 1 else
    largest * sqrt(sum((weights / largest)^2))
  if (isTRUE(unit > 0)) unit else 1
}

# Components times weights; equal dissimilarities give equal sums.
combined <- function(components, weights) {
  used <- which(weights != 0)
  if (!length(used)) return(0 * components[, 1])
  Reduce(`+`, lapply(used, function(k) weights[k] * components[, k]))
}

# ---- many fits at once

# x' G x for each of many small matrices G and vectors x, which are columns.
quadratic_each <- function(grams, x) {
  total <- numeric(ncol(x))
  for (i in seq_len(nrow(x))) for (j in seq_len(nrow(x))) {
    total <- total + grams[i, j, ] * x[i, ] * x[j, ]
  }
  total
}

# The weights of a model for many fits: grams, K x K x fits, and products with the pools, a column
# for each fit.
weights_of_each <- function(model, grams, with) {
  fits <- seq_len(ncol(with))
  weights <- matrix(NA_real_, nrow(with), ncol(with))
  if (model$type == "weighted") {
    ridged <- grams
    ridge <- rep_len(ridge_of(model), nrow(with))
    for (i in seq_len(nrow(with))) ridged[i, i, ] <- ridged[i, i, ] + ridge[i]
    weights <- solve_each(ridged, with)
    fits <- which(colSums(is.na(weights)) > 0 | (model$nonnegative & colSums(weights < 0) > 0))
  }
  weights[, fits] <- vapply(fits, function(t) {
    as.vector(fitted_weights(model, matrix(grams[, , t], nrow(with)), with[, t]))
  }, numeric(nrow(with)))
  weights
}

# Solutions of many small systems at once, by Cholesky roots whose entries are vectors. NA where a
# system is nearly singular.
solve_each <- function(grams, with) {
  count <- nrow(with)
  scale <- vapply(seq_len(count), function(i) sqrt(pmax(grams[i, i, ], 0)), numeric(ncol(with)))
  scale <- t(matrix(scale, ncol = count))
  x <- with / scale
  root <- grams
  for (j in seq_len(count)) {
    for (i in j:count) {
      entry <- grams[i, j, ] / scale[i, ] / scale[j, ]
      for (k in seq_len(j - 1)) entry <- entry - root[i, k, ] * root[j, k, ]
      if (i == j) entry <- sqrt(replace(entry, !(entry > equal_share), NA)) else
        entry <- entry / root[j, j, ]
      root[i, j, ] <- entry
    }
    for (k in seq_len(j - 1)) x[j, ] <- x[j, ] - root[j, k, ] * x[k, ]
    x[j, ] <- x[j, ] / root[j, j, ]
  }
  for (j in rev(seq_len(count))) {
    for (k in seq_len(count - j)) x[j, ] <- x[j, ] - root[j + k, j, ] * x[j + k, ]
    x[j, ] <- x[j, ] / root[j, j, ]
  }
  x / scale
}
