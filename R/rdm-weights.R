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
