# The correction of cka_interval() for the bias of the ratio, and when it is given.

# Two samples of one population; the neurons of x have log-normal gains.
uneven_pair <- function(n, q, gain, d = 10) {
  p <- linear_population(n, q, d)
  list(x = sweep(p$x, 2, exp(gain * rnorm(q)), "*"), y = p$y)
}

test_that("the corrected ratio is the ratio without its bias to second order", {
  center <- c(0.7, 2, 1)
  set.seed(1)
  cov <- cov(normal_matrix(20, 3)) + diag(3)
  ratio <- center[1] / sqrt(center[2] * center[3])
  for (size in c(1e-3, 1e-4)) {
    error <- corrected_ratio(center, size * cov) - (ratio - ratio_bias_of(center, size * cov))
    # what is left is of the next order
    expect_lt(abs(error), 20 * size^2)
  }
  # unlike the difference, it stays small and positive under a noisy denominator
  noisy <- diag(c(0, 40, 0))
  expect_lt(ratio - ratio_bias_of(center, noisy), -1)
  expect_gt(corrected_ratio(center, noisy), 0)
  expect_lt(corrected_ratio(center, noisy), ratio)
  # a representation with itself: 1 stays 1
  expect_equal(corrected_ratio(c(2, 2, 2), matrix(0.3, 3, 3)), 1, tolerance = 1e-14)
})

test_that("the correction is given where few neurons hold most of the variance", {
  set.seed(2)
  p <- uneven_pair(120, 60, 0.8)
  expect_true(is_uneven(representation_pair(p$x, p$y)))
  row <- cka_interval(p$x, p$y)
  expect_identical(row$correction, c("other", "other", "given"))
  expect_identical(is.na(row$cka_corrected), c(TRUE, TRUE, FALSE))
  expect_lt(abs(row$cka_corrected[3] - (row$cka[3] - row$bias[3])), abs(row$bias[3]) / 2)
  # no units
  expect_equal(cka_interval(1e3 * p$x, p$y)$cka_corrected, row$cka_corrected, tolerance = 1e-10)
  even <- cka_interval(scale(p$x), scale(p$y), "stimulus_neuron")
  expect_identical(even$correction, "even")
  expect_identical(even$cka_corrected, NA_real_)
  # clusters have their own moments
  clusters <- rep(1:40, each = 3)
  clustered <- cka_interval(p$x, p$y, "stimulus_neuron", clusters = clusters)
  expect_identical(clustered$correction, "given")
  expect_false(clustered$cka_corrected == row$cka_corrected[3])
})

test_that("without it the result says why", {
  set.seed(3)
  p <- uneven_pair(20, 8, 1.5)
  row <- few_is_fine(undefined_is_fine(cka_interval(p$x, p$y, "stimulus_neuron")))
  expect_identical(row$correction, "uncertain")
  expect_identical(row$cka_corrected, NA_real_)
  set.seed(9)
  x <- cbind(normal_matrix(9, 1), 1)
  y <- normal_matrix(9, 4)
  row <- expect_warned(cka_interval(x, y, "stimulus_neuron"), "repalign_undefined")
  expect_identical(row$correction, "undefined")
  # deletions without a ratio: nothing tells how uncertain the denominators are
  set.seed(4)
  two <- outer(rnorm(9), c(1, 1.2)) + 0.1 * normal_matrix(9, 2)
  row <- expect_warned(cka_interval(two, two[, 1] + normal_matrix(9, 4), "stimulus_neuron"),
                       "repalign_undefined")
  expect_identical(row$correction, "uncertain")
})

test_that("it lowers bias and error where it is given", {
  set.seed(5)
  runs <- replicate(80, {
    p <- uneven_pair(60, 40, 0.8)
    row <- few_is_fine(cka_interval(p$x, p$y, "stimulus_neuron"))
    c(row$cka, row$cka_corrected)
  })
  given <- runs[, !is.na(runs[2, ])]
  expect_gt(ncol(given), 15)
  expect_lt(abs(mean(given[2, ]) - 1), abs(mean(given[1, ]) - 1))
  expect_lt(mean((given[2, ] - 1)^2), mean((given[1, ] - 1)^2))
})

test_that("print() and tidy() tell which to report", {
  set.seed(2)
  p <- uneven_pair(120, 60, 0.8)
  given <- cka_interval(p$x, p$y, "stimulus_neuron")
  even <- cka_interval(scale(p$x), scale(p$y))
  lines <- function(x) paste(utils::capture.output(print(x)), collapse = " ")
  expect_match(lines(given), "correction \"given\": report `cka_corrected`", fixed = TRUE)
  expect_match(lines(even), "correction \"even\": report `cka`", fixed = TRUE)
  both <- rbind(raw = given, scaled = even)
  expect_identical(source_columns(both), "source")
  expect_match(lines(both), "given.*even")
  # naive estimates alone have nothing to tell
  expect_no_match(lines(even[1:2, ]), "report")
  expect_identical(tidy(both)$correction, both$correction)
  expect_identical(tidy(both)$estimate.corrected, both$cka_corrected)
})

test_that("values far above 1 name unequal gains", {
  set.seed(6)
  p <- linear_population(80, 45, 20)
  noise <- matrix(rnorm(80 * 45, sd = 6), 80)
  again <- p$x + noise + rnorm(80 * 45, sd = 0.1)
  expect_warning(cka(p$x + noise, again, estimator = "stimulus_neuron"), "explains it\\. Such")
  gains <- exp(rnorm(45))
  expect_warning(cka(sweep(p$x + noise, 2, gains, "*"), sweep(again, 2, gains, "*"),
                     estimator = "stimulus_neuron"),
                 "few neurons hold most of the variance, as they do here")
})
