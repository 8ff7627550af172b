# A limit that the user sets to the time of a call (setTimeLimit()) ends it with R's own error.

# The error that ends `code` after a quarter of a second.
ended_by <- function(code) {
  # what the byte compiler is stopped by, R itself drops
  compiled <- compiler::enableJIT(0)
  on.exit({
    setTimeLimit()
    compiler::enableJIT(compiled)
  })
  setTimeLimit(elapsed = 0.25, transient = TRUE)
  tryCatch(suppressMessages(code), error = identity)
}

expect_time_limit <- function(code) {
  error <- ended_by(code)
  expect_false(inherits(error, "repalign_error"))
  expect_identical(conditionMessage(error), "reached elapsed time limit")
}

test_that("a time limit is neither a score that fails nor another error", {
  skip_unless_extended()
  withr::local_language("en")
  set.seed(1)
  x <- matrix(rnorm(60), 12)
  y <- matrix(rnorm(48), 12)
  # fast, until it has been called so often
  slow_after <- function(calls) {
    force(calls)
    new_measure(function(x, y) {
      calls <<- calls - 1
      if (calls < 0) for (i in 1:100) Sys.sleep(0.02)
      mean(x) - mean(y)
    }, direction = "distance", best = 0)
  }
  expect_time_limit(similarity(x, y, slow_after(0)))
  expect_time_limit(similarity(x, y, slow_after(0), on_error = "na"))
  expect_time_limit(calibrate(x, y, slow_after(20), permutations = 99))
  expect_time_limit(score_interval(x, y, slow_after(20)))
  expect_time_limit(score_interval(x, y, slow_after(5), method = "jackknife"))
  expect_time_limit(searchlight(y, list(a = 1:3, b = 2:4), x, slow_after(1)))
  expect_time_limit(calibrate(list(a = x, b = x + y[, 1]), y, aggregate = function(scores) {
    for (i in 1:100) Sys.sleep(0.02)
    max(scores)
  }))
  chunks <- function() for (i in 1:100) Sys.sleep(0.02)
  expect_time_limit(stream_cka(chunks))
})

test_that("a time limit goes through the kernels in C", {
  skip_unless_extended()
  withr::local_language("en")
  set.seed(1)
  x <- matrix(rnorm(1e5), 1000)
  y <- x[nrow(x):1, ] + x^2
  expect_time_limit(score_interval(x, y, "rtd"))
  expect_time_limit(score_interval(x, y, measure("cka", kernel = "manifold")))
  expect_time_limit(calibrate(x, y, "mutual_knn", permutations = 99999, engine = "random"))
})
