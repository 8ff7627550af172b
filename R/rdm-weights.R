# The weights of the components of a model, from products in the metric of a comparison.

# What gives the largest mean similarity with the data. model: a model; gram: products of its
# components; with: their products with the pooled RDM. Returns the weights as they come out of
# least squares; collinear components have the attribute "collinear".
fitted_weights <- function(model, gram, with) {
  switch(model$type, fixed = 1,
         select = selected(with / sqrt(replace(diag(gram), diag(gram) <= 0, NA))),
         weighted = weighted_fit(model, gram, with),
         interpolate = interpolated(gram, with))
}

# All weight on the first of the best.
selected <- function(scores) {
  scores <- as.vector(scores)
  if (all(is.na(scores))) return(rep(NA_real_, length(scores)))
  as.double(seq_along(scores) == which.max(scores))
}

weighted_fit <- function(model, gram, with) {
  gram <- gram + diag(model$ridge, nrow(gram))
  if (anyNA(gram) || anyNA(with)) return(rep(NA_real_, length(with)))
  if (model$nonnegative) lawson_hanson(gram, with) else least_squares(gram, with)
}

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
  kept <- parts$values > collinear_share * max(parts$values, 0)
  vectors <- parts$vectors[, kept, drop = FALSE]
  structure(as.vector(vectors %*% (crossprod(vectors, with) / parts$values[kept])),
            collinear = TRUE)
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
    trial <- replace(active, which.max(slope), TRUE)
    moved <- toward_solution(gram, with, x, trial)
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
    step <- min(x[negative] / (x[negative] - aim[negative]))
    x <- x + step * (aim - x)
    leave <- active & (x <= 1e-15 * max(x) | (negative & x <= 0))
    if (!any(leave)) leave <- active & x == min(x[active])
    x[leave] <- 0
    active <- active & !leave
  }
  list(x = numeric(length(x)), active = active)
}

# The best point of all segments between neighbours: w of the first and 1 - w of the second.
interpolated <- function(gram, with) {
  count <- length(with)
  best <- -Inf
  weights <- rep(NA_real_, count)
  for (k in seq_len(count - 1)) {
    found <- best_on_segment(gram[k + 0:1, k + 0:1], with[k + 0:1])
    if (isTRUE(found$score > best + 1e-15)) {
      best <- found$score
      weights <- replace(numeric(count), k + 0:1, c(found$w, 1 - found$w))
    }
  }
  weights
}

# The cosine is (p + q w) / sqrt(r + s w + t w^2); its stationary point may be a minimum.
best_on_segment <- function(gram, with) {
  p <- with[2]
  q <- with[1] - with[2]
  r <- gram[2, 2]
  s <- 2 * (gram[1, 2] - gram[2, 2])
  t <- gram[1, 1] + gram[2, 2] - 2 * gram[1, 2]
  cosine <- function(w) (p + q * w) / sqrt(pmax(r + s * w + t * w^2, 0))
  slope <- q * s - 2 * p * t
  at <- c(0, 1, if (isTRUE(slope != 0)) min(max((p * s - 2 * q * r) / slope, 0), 1))
  scores <- cosine(at)
  scores[!is.finite(scores)] <- -Inf
  list(w = at[which.max(scores)], score = max(scores))
}

# Weighted models are scaled to norm 1.
scaled_weights <- function(model, weights) {
  size <- sqrt(sum(weights^2))
  if (model$type == "weighted" && isTRUE(size > 0)) weights / size else weights
}

# Components times weights; equal dissimilarities give equal sums.
combined <- function(components, weights) {
  used <- which(weights != 0)
  if (!length(used)) return(0 * components[, 1])
  Reduce(`+`, lapply(used, function(k) weights[k] * components[, k]))
}
