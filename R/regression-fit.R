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
  least_norm(parts, equal_share, cross / size) / size
}

# The part of the sum of squares of each response that the weights explain.
explained_by <- function(weights, gram, cross) {
  colSums(weights * (2 * cross - gram %*% weights))
}

# Where ordinary least squares are not negative, they are the answer.
nonnegative_weights <- function(gram, cross) {
  weights <- solve_scaled(gram, cross)
  for (k in which(colSums(weights < 0) > 0)) weights[, k] <- lawson_hanson(gram, cross[, k])
  weights
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
    # the product of two sizes may be too large or too small for a double
    c(semipartial = if (own > equal_share * gram[k, k]) shared / sqrt(own) / sqrt(total) else NA,
      partial = if (known) shared / sqrt(own) / sqrt(left) else NA)
  })
  parts <- do.call(rbind, each)
  list(partial = clip_to_range(parts[, "partial"], -1, 1),
       semipartial = clip_to_range(parts[, "semipartial"], -1, 1))
}
