# The quick ways through expectations (helper-expect.R) accept nothing that testthat refuses.

agrees <- function(quick, slow) {
  passes <- function(run) {
    tryCatch({
      run()
      TRUE
    }, expectation_failure = function(e) FALSE)
  }
  expect(identical(passes(quick), passes(slow)), "the quick way and testthat disagree")
}

test_that("equality is testthat's", {
  set.seed(1)
  x <- rnorm(5)
  others <- list(x, x + 1e-9, x + 1e-7, x * (1 + 1e-8), x * (1 + 2e-8), x + c(0, 0, 0, 0, 1e-7),
                 x[-1], replace(x, 2, NA), replace(x, 2, NaN), replace(x, 2, Inf), 1:5,
                 as.character(x), matrix(x, 1), stats::setNames(x, letters[1:5]), list(x), NULL,
                 numeric(),
                 structure(x, class = "kind"))
  for (b in others) {
    agrees(function() expect_equal(x, b), function() testthat::expect_equal(x, b))
    agrees(function() expect_equal(list(a = x), list(a = b), tolerance = 1e-7),
           function() testthat::expect_equal(list(a = x), list(a = b), tolerance = 1e-7))
  }
  for (b in c(0, 1e-9, 2e-8, -1e-7)) {
    agrees(function() expect_equal(0, b), function() testthat::expect_equal(0, b))
  }
  named <- stats::setNames(x, letters[1:5])
  expect_equal(named, x, ignore_attr = TRUE)
  expect_failure(expect_equal(named, x))
  expect_failure(expect_equal(x, x + 1e-12, tolerance = NULL))
})

test_that("identity and truth are testthat's", {
  for (a in list(TRUE, FALSE, NA, c(a = TRUE), c(TRUE, TRUE), 1, "TRUE", NULL, list(TRUE))) {
    agrees(function() expect_true(a), function() testthat::expect_true(a))
    agrees(function() expect_identical(TRUE, a), function() testthat::expect_identical(TRUE, a))
  }
  for (a in list(0, -0, NaN, 1L, 1e-15, NA_real_)) {
    agrees(function() expect_identical(0, a), function() testthat::expect_identical(0, a))
    agrees(function() expect_identical(NaN, a), function() testthat::expect_identical(NaN, a))
  }
})

test_that("numbers that went through the BLAS may differ by rounding, and by nothing else", {
  x <- c(a = 2, b = NA, c = 1e-9, d = 1e6, e = -Inf)
  near <- x + c(1e-12, 0, 1e-13, 1e-7, 0)
  for (wrap in list(identity, list, function(x) data.frame(v = x),
                    function(x) structure(1L, kept = x))) {
    expect_rounded(wrap(near), wrap(x))
    for (other in list(replace(near, 1, 2 + 1e-11), replace(near, 3, 1e-11), replace(near, 2, NaN),
                       replace(near, 2, 0), replace(near, 5, Inf), unname(near), near[-1],
                       as.character(near))) {
      expect_failure(expect_rounded(wrap(other), wrap(x)))
    }
  }
  expect_failure(expect_rounded(1:2, c(1, 2)))
  expect_failure(expect_rounded(1:2, 2:3))
})

test_that("a failure shows what was compared", {
  x <- 1
  expect_failure(expect_equal(x + 1, 3), "`x + 1` (`actual`) not equal to `3`", fixed = TRUE)
  expect_failure(expect_identical(x, 2L, label = "the number"), "the number")
  expect_failure(expect_true(x > 1), "`x > 1` is not TRUE")
})

test_that("expected errors are testthat's", {
  calls <- list(function() stop("a [plain] one"),
                function() stop(errorCondition("typed", class = "kind")),
                function() 1, function() warning("no error"))
  ways <- list(list(), list("plain"), list("[plain]", fixed = TRUE), list("other"), list(NA),
               list(class = "kind"), list("typed", "kind"), list("plain", "kind"))
  # an error that is not the expected one remains an error
  ends <- function(expect, call, way) {
    suppressWarnings(tryCatch({
      value <- do.call(expect, c(list(quote(call())), way))
      if (inherits(value, "error")) conditionMessage(value) else value
    }, expectation_failure = function(e) "failure", error = function(e) class(e)[1]))
  }
  for (call in calls) for (way in ways) {
    expect_identical(ends(expect_error, call, way), ends(testthat::expect_error, call, way))
  }
})
