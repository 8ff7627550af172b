# Small searchlights, and what similarity() and calibrate() say of each of their centres.

light_example <- function(n = 16, channels = 24, seed = 1) {
  set.seed(seed)
  model <- matrix(rnorm(n * 3), n)
  data <- matrix(rnorm(n * channels), n)
  data[, 9:14] <- data[, 9:14] + model %*% matrix(rnorm(18), 3)
  list(data = data, models = list(first = model, second = dist(matrix(rnorm(n * 4), n))),
       matrices = list(first = model, second = matrix(rnorm(n * 4), n)),
       neighbours = lapply(seq_len(channels - 6), function(first) first + 0:(3 + first %% 3)))
}

# Centre by centre, with the permutations that the seed gives. Returns the scores, p-values and
# null scores (of all centres, permutations x models).
light_by_hand <- function(sets, models, measure, permutations, seed) {
  rows <- lapply(sets, function(x) {
    set.seed(seed)
    quietly(calibrate(x, models, measure, permutations = permutations))
  })
  list(score = unlist(lapply(rows, function(r) r$score)),
       p_value = unlist(lapply(rows, function(r) r$p_value)),
       null = lapply(rows, null_scores))
}

# The family-wise p-values by their definition. scores: centres x models.
familywise_by_hand <- function(scores, null, sign = 1) {
  largest <- Reduce(pmax, lapply(null, function(scores) sign * scores))
  p <- vapply(seq_len(ncol(scores)), function(model) {
    vapply(sign * scores[, model], function(s) {
      (1 + sum(largest[, model] >= s - 1e-10)) / (nrow(largest) + 1)
    }, 0)
  }, numeric(nrow(scores)))
  list(p = as.vector(t(p)), largest = sign * largest)
}
