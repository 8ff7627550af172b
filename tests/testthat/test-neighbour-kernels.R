# cknna and second_order_cosine: ends of their ranges, extreme scales, degenerate input.

test_that("without a shared neighbour cknna is 0", {
  # four groups; y pairs the stimuli across the groups of x
  angle <- c(0.1, 0.13, 1.1, 1.13, 3.1, 3.13, 4.1, 4.13)
  x <- cbind(cos(angle), sin(angle))
  expect_identical(cknna(x, x[c(1, 3, 5, 7, 2, 4, 6, 8), ], k = 1), 0)
})

test_that("cknna is not bounded by 1: with k near n the masks differ more than they share", {
  set.seed(1)
  values <- replicate(5, {
    x <- normal_matrix(20, 5) + 2
    cknna(x, x + 0.5 * normal_matrix(20, 5), k = 17)
  })
  expect_gt(max(values), 1)
  range <- measures()[measures()$id == "cknna", c("range_min", "range_max")]
  expect_identical(unlist(range, use.names = FALSE), c(-Inf, Inf))
})

test_that("extreme scales of single rows change nothing", {
  set.seed(2)
  p <- related_pair(40, 4, 3)
  rows <- 10^seq(-140, 140, length.out = 40)
  # the length of a row is nothing to a cosine
  for (f in list(cknna, second_order_cosine)) {
    expect_relative(f(p$x * rows, p$y), f(p$x, p$y), 1e-10)
  }
})

test_that("a row of zeros has no direction", {
  set.seed(3)
  x <- normal_matrix(20, 3)
  zero <- x
  zero[7, ] <- 0
  expect_refused(cknna(x, zero), c("`y`", "7"))
  expect_refused(second_order_cosine(zero, x), c("`x`", "7"))
  # its inner products are all 0: a tie
  value <- expect_warned(cknna(x, zero, k = 5, normalize = FALSE), "repalign_ties")
  expect_true(is.finite(value))
})

test_that("stimuli with nothing but zeros to their neighbours leave no score", {
  set.seed(4)
  y <- normal_matrix(30, 4)
  # twelve copies: all ten neighbours in the same direction, on both sides
  copied <- y
  copied[1:12, ] <- rep(y[1, ], each = 12) * 1:12
  value <- expect_warned(second_order_cosine(copied, copied, of = "distance"),
                         "repalign_undefined")
  expect_identical(value, NA_real_)
  expect_true(is.finite(suppressWarnings(second_order_cosine(copied, y, of = "distance"))))
  expect_true(is.finite(suppressWarnings(second_order_cosine(copied, copied))))
  # orthogonal stimuli: all similarities are 0
  one_hot <- diag(12)
  value <- expect_warned(second_order_cosine(one_hot, one_hot, k = 3), "repalign_undefined")
  expect_identical(value, NA_real_)
  expect_equal(suppressWarnings(second_order_cosine(one_hot, one_hot, k = 3, of = "distance")), 1)
  value <- expect_warned(cknna(one_hot, one_hot, k = 3), "repalign_undefined")
  expect_identical(value, NA_real_)
})

test_that("distances between nearly equal directions keep their digits", {
  # one minus the cosine of a small angle is half its square: 1e-14 here
  set.seed(5)
  angle <- 1e-7 * sort(runif(12))
  x <- cbind(cos(angle), sin(angle), 0)
  y <- normal_matrix(12, 3)
  a <- outer(angle, angle, function(s, t) 2 * sin((s - t) / 2)^2)
  b <- 1 - tcrossprod(def_unit_rows(y))
  # with k = n - 1 all are neighbours
  expected <- mean(vapply(1:12, function(i) {
    sum(a[i, ] * b[i, ]) / sqrt(sum(a[i, ]^2) * sum(b[i, ]^2))
  }, 0))
  expect_equal(full_k(second_order_cosine(x, y, k = 11, of = "distance")), expected,
               tolerance = 1e-7)
})

test_that("only data will do, and k is checked", {
  set.seed(6)
  x <- normal_matrix(15, 3)
  for (f in list(cknna, second_order_cosine)) {
    expect_refused(f(dist(x), x), c("`x`", "dist"))
    expect_refused(f(x, x, k = 15), c("`k`", "15", "14"))
    expect_true(is.finite(full_k(f(x, x, k = 14))))
    for (bad in list(0, 2.5, NA, "5", NULL)) expect_refused(f(x, x, k = bad), "`k`")
  }
  expect_refused(cknna(x, x, normalize = NA), "`normalize`")
  expect_refused(second_order_cosine(x, x, of = "similarities"), "\"similarity\"")
})

test_that("the two share one graph of a metric", {
  set.seed(8)
  p <- related_pair(50, 4, 3)
  set <- list("cknna", measure("cknna", k = 5), "second_order_cosine",
              measure("second_order_cosine", k = 20))
  made <- count_calls("make_graph", similarity(p$x, p$y, set))
  expect_identical(made, 2L)
})
