# Errors of the weighted R squared of encode(): deletions against refits, influences, comparisons.

normal <- function(n, q) matrix(rnorm(n * q), n)

# The score without some stimuli, whose fold and penalties stay.
score_without <- function(x, y, folds, out, args) {
  do.call(encode, c(list(x[-out, , drop = FALSE], y[-out, , drop = FALSE], folds = folds[-out]),
                    args))$score
}

deviations_by_refits <- function(x, y, folds, units, args) {
  scores <- vapply(units, function(out) score_without(x, y, folds, out, args), 0)
  m <- length(units)
  sqrt((m - 1) / m * sum((scores - mean(scores))^2))
}

test_that("delete-one values are those of refits", {
  set.seed(1)
  y_of <- function(x) x[, 1:3] + normal(nrow(x), 3)
  folds <- rep(1:4, 7)
  for (q in c(4, 40)) {
    x <- normal(28, q)
    y <- y_of(x)
    for (args in list(list(lambda = 1), list(lambda = 3, standardize = TRUE),
                      list(method = "pcr", components = 2), list(method = "linear"))) {
      if (q == 40 && identical(args$method, "linear")) next
      result <- do.call(encode, c(list(x, y, folds = folds), args))
      expect_equal(score_interval(result)$se,
                   deviations_by_refits(x, y, folds, as.list(1:28), args), tolerance = 1e-8)
    }
  }
  # one stimulus is left out at a time
  result <- encode(x, y, folds = 1:28, lambda = 1)
  expect_equal(score_interval(result)$se,
               deviations_by_refits(x, y, 1:28, as.list(1:28), list(lambda = 1)))
})

test_that("clusters are deleted whole", {
  set.seed(2)
  groups <- rep(1:9, each = 3)
  folds <- rep(1:3, each = 9)
  x <- normal(27, 4)
  y <- x[, 1:3] + normal(27, 3)
  result <- score_interval(encode(x, y, folds = folds, clusters = groups, lambda = 1))
  expect_equal(result$se, deviations_by_refits(x, y, folds, unname(split(1:27, groups)),
                                               list(lambda = 1)))
  expect_identical(result$over, "clusters")
  expect_identical(result$df, 8)
})

test_that("chosen penalties are held, each fold and neuron its own", {
  set.seed(3)
  x <- normal(28, 5)
  y <- x[, 1:3] + normal(28, 3)
  folds <- rep(1:4, 7)
  result <- encode(x, y, folds = folds, lambda = c(0.1, 10, 100), per_neuron = TRUE)
  cell <- attr(result, "cells")$cells[[1]]
  scores <- vapply(1:28, function(out) {
    error <- about <- 0
    for (k in 1:4) for (j in 1:3) {
      test <- setdiff(which(folds == k), out)
      train <- setdiff(which(folds != k), out)
      a <- scale(x[train, ], scale = FALSE)
      m <- mean(y[train, j])
      weights <- solve(crossprod(a) + cell$penalties[k, j] * diag(5), crossprod(a, y[train, j] - m))
      predicted <- m + sweep(x[test, ], 2, colMeans(x[train, ])) %*% weights
      error <- error + sum((y[test, j] - predicted)^2)
      about <- about + sum((y[test, j] - m)^2)
    }
    1 - error / about
  }, 0)
  expect_equal(score_interval(result)$se, sqrt(27 / 28 * sum((scores - mean(scores))^2)))
})

test_that("with one penalty and 100 stimuli errors are influences, near delete-one values", {
  set.seed(4)
  x <- normal(100, 5)
  result <- encode(list(a = x, b = normal(100, 4)), x[, 1:3] + normal(100, 3), lambda = 1)
  intervals <- score_interval(result)
  expect_identical(intervals$method, rep("influence", 2))
  exact <- score_interval(result, method = "jackknife")
  expect_lt(max(abs(log(exact$se / intervals$se))), 0.5)
  compared <- compare_scores(intervals, draws = 99)
  expect_lt(compared$p_value, 0.01)
  expect_s3_class(best_score(intervals, draws = 99), "repalign_best")
  expect_identical(score_interval(encode(x, x[, 1:3], folds = rep(1:5, 20)))$method, "jackknife")
})

test_that("bound results keep the errors of their rows", {
  set.seed(6)
  x <- normal(30, 4)
  y <- x + normal(30, 4)
  one <- encode(list(a = x, b = normal(30, 2)), y, lambda = 1)
  two <- encode(list(c = normal(30, 3)), y, lambda = 1)
  both <- score_interval(rbind(one, two)[3:1, ])
  expect_equal(both$se, c(score_interval(two)$se, score_interval(one)$se[2:1]))
  expect_refused(compare_scores(both, draws = 99), "several calls")
  expect_equal(stats::vcov(both[3:2, ]), stats::vcov(score_interval(one)))
})

test_that("what has no errors is refused", {
  set.seed(5)
  x <- normal(30, 4)
  y <- x + normal(30, 4)
  expect_refused(score_interval(encode(x, y, score_by = "cor")), "weighted R squared")
  expect_refused(score_interval(encode(x, y, summary = "median")), "weighted R squared")
  expect_refused(score_interval(encode(x, y), y), "`y` has no use")
  expect_refused(score_interval(encode(x, y), method = "half-samples"), "half-samples")
  expect_refused(compare_scores(encode(list(a = x, b = y), y)), "score_interval")
})
