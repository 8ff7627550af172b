# Fits of dissimilarities on those of several predictors, from sums of products alone.

regression_fits <- c("ordinary", "nonnegative", "ridge")

# gram: sums of products of the predictors, each less its mean; cross: those with the responses, a
# column each; ridge: a share of the sum of squares of each predictor. The weights, a column each.
fit_weights <- function(gram, cross, fit, ridge) {
  if (!nrow(gram)) return(cross)
  switch(fit, ordinary = solve_scaled(gram, cross), nonnegative = nonnegative_weights(gram, cross),
         ridge = solve_scaled(gram + diag(ridge * diag(gram), nrow(gram)), cross))
}

# Predictors in units of very different sizes would look singular. What the others of them tell
# already gets the weights of least norm.
solve_scaled <- function(gram, cross) {
  size <- sqrt(pmax(diag(gram), 0))
  size[size == 0] <- 1
  parts <- eigen(gram / tcrossprod(size), symmetric = TRUE)
  kept <- parts$values > equal_share
  axes <- parts$vectors[, kept, drop = FALSE]
  axes %*% (crossprod(axes, cross / size) / parts$values[kept]) / size
}

# The part of the sum of squares of each response that the weights explain.
explained_by <- function(weights, gram, cross) {
  colSums(weights * (2 * cross - gram %*% weights))
}

# Least squares with weights that are not negative (Lawson and Hanson), for all columns of `cross`
# at once: columns with the same free weights are solved together. Where ordinary least squares are
# not negative, they are the answer.
nonnegative_weights <- function(gram, cross) {
  weights <- solve_scaled(gram, cross)
  negative <- which(colSums(weights < 0) > 0)
  if (length(negative)) {
    weights[, negative] <- constrained_weights(gram, cross[, negative, drop = FALSE])
  }
  weights
}

constrained_weights <- function(gram, cross) {
  size <- sqrt(pmax(diag(gram), 0))
  size[size == 0] <- 1
  gram <- gram / tcrossprod(size)
  cross <- cross / size
  weights <- cross * 0
  free <- weights > 0
  limit <- 1e-12 * matrix(sqrt(colSums(cross^2)), nrow(cross), ncol(cross), byrow = TRUE)
  for (round in seq_len(3 * nrow(gram))) {
    slope <- cross - gram %*% weights
    slope[free | slope <= limit] <- 0
    rising <- which(colSums(slope > 0) > 0)
    if (!length(rising)) break
    steepest <- max.col(t(slope[, rising, drop = FALSE]), ties.method = "first")
    free[cbind(steepest, rising)] <- TRUE
    inner <- exchange_weights(gram, cross[, rising, drop = FALSE],
                              weights[, rising, drop = FALSE], free[, rising, drop = FALSE])
    weights[, rising] <- inner$weights
    free[, rising] <- inner$free
  }
  weights / size
}

# Frees weights of the constraint and takes back those that would become negative, until the least
# squares of the free weights are all positive.
exchange_weights <- function(gram, cross, weights, free) {
  open <- seq_len(ncol(cross))
  for (round in seq_len(nrow(gram) + 1)) {
    target <- free_solutions(gram, cross[, open, drop = FALSE], free[, open, drop = FALSE])
    now <- weights[, open, drop = FALSE]
    falling <- free[, open, drop = FALSE] & target <= 0
    steps <- ifelse(falling, now / pmax(now - target, .Machine$double.xmin), 1)
    step <- apply(steps, 2, min)
    moved <- now + (target - now) * rep(step, each = nrow(now))
    stays <- free[, open, drop = FALSE] & !(falling & steps <= rep(step, each = nrow(now)))
    weights[, open] <- moved * stays
    free[, open] <- stays
    open <- open[colSums(falling) > 0]
    if (!length(open)) break
  }
  list(weights = weights, free = free)
}

free_solutions <- function(gram, cross, free) {
  result <- cross * 0
  key <- apply(free, 2, function(column) paste(which(column), collapse = " "))
  for (columns in split(seq_along(key), key)) {
    at <- which(free[, columns[1]])
    if (!length(at)) next
    result[at, columns] <- solve_scaled(gram[at, at, drop = FALSE],
                                        cross[at, columns, drop = FALSE])
  }
  result
}

# A table with a row for each predictor. total: the sum of squares of the response. Partial and
# semipartial correlations are those of ordinary least squares; `unique` is what R squared loses
# without the predictor, in a fit of the same kind.
term_table <- function(gram, cross, total, fit, ridge, scale) {
  weights <- fit_weights(gram, cross, fit, ridge)
  parts <- partial_correlations(gram, cross, total)
  r_squared <- explained_by(weights, gram, cross) / total
  without <- vapply(seq_along(cross), function(k) {
    rest <- fit_weights(gram[-k, -k, drop = FALSE], cross[-k, , drop = FALSE], fit, ridge)
    explained_by(rest, gram[-k, -k, drop = FALSE], cross[-k, , drop = FALSE]) / total
  }, 0)
  unique <- r_squared - without
  unique[abs(unique) < tie_share] <- 0
  data.frame(estimate = as.vector(weights) * scale, partial = parts$partial,
             semipartial = parts$semipartial, unique = unique)
}

partial_correlations <- function(gram, cross, total) {
  each <- lapply(seq_along(cross), function(k) {
    rest <- gram[-k, -k, drop = FALSE]
    on_rest <- if (nrow(rest)) solve_scaled(rest, cbind(gram[-k, k], cross[-k])) else
      matrix(0, 0, 2)
    own <- gram[k, k] - sum(gram[-k, k] * on_rest[, 1])
    left <- total - sum(cross[-k] * on_rest[, 2])
    shared <- cross[k] - sum(gram[-k, k] * on_rest[, 2])
    known <- own > equal_share * gram[k, k] && left > tie_share * total
    c(semipartial = if (own > equal_share * gram[k, k]) shared / sqrt(own * total) else NA,
      partial = if (known) shared / sqrt(own * left) else NA)
  })
  parts <- do.call(rbind, each)
  list(partial = clip_to_range(parts[, "partial"], -1, 1),
       semipartial = clip_to_range(parts[, "semipartial"], -1, 1))
}
