# Time series: the effective number of points and its warning, and linear shifts.

autoregressive <- function(n, d, phi) {
  noise <- normal_matrix(n, d)
  noise[-1, ] <- noise[-1, ] * sqrt(1 - phi^2)
  matrix(apply(noise, 2, function(z) stats::filter(z, phi, "recursive")), n)
}

random_walk <- function(n, d) matrix(apply(normal_matrix(n, d), 2, cumsum), n)

# The definitions on a whole kernel.
def_autocorrelation <- function(kernel) {
  n <- nrow(kernel)
  kernel <- kernel - outer(rowMeans(kernel), colMeans(kernel), "+") + mean(kernel)
  lags <- row(kernel) - col(kernel)
  vapply(seq_len(n) - 1, function(h) sum(kernel[lags == h]), 0) / sum(diag(kernel))
}

def_dimension <- function(kernel) {
  kernel <- kernel - outer(rowMeans(kernel), colMeans(kernel), "+") + mean(kernel)
  sum(diag(kernel))^2 / sum(kernel^2)
}

def_points <- function(n, x, y) {
  products <- x * y
  total <- products[1]
  lag <- 1
  sum <- products[1] + products[2]
  while (sum > 0) {
    total <- total + 2 * products[lag + 1] + if (lag > 1) 2 * products[lag] else 0
    lag <- lag + 2
    sum <- if (lag + 1 > n) 0 else products[lag] + products[lag + 1]
  }
  n / max(1, total)
}

a_graph <- function(x, k) {
  d <- as.matrix(dist(x))
  diag(d) <- Inf
  idx <- t(apply(d, 1, order))[, seq_len(k)]
  list(idx = idx, dist = t(apply(d, 1, sort))[, seq_len(k)])
}

in_kind <- function(x, kind) {
  representation(switch(kind, data = x, dist = dist(x), graph = a_graph(x, 6)), "x")
}

warned_of <- function(...) {
  seen <- NULL
  withCallingHandlers(
    suppressMessages(calibrate(..., series = TRUE)),
    repalign_series = function(w) {
      seen <<- w
      invokeRestart("muffleWarning")
    }
  )
  seen
}

test_that("autocorrelation, dimension and effective points are as defined", {
  set.seed(1)
  for (n in c(5, 12, 45, 64)) {
    x <- 3 + autoregressive(n, 70, 0.8)
    r <- autocorrelation(in_kind(x, "data"))
    kernel <- tcrossprod(x)
    expect_equal(r, def_autocorrelation(kernel), tolerance = 1e-10)
    expect_equal(autocorrelation(in_kind(x, "dist")), r, tolerance = 1e-10)
    expect_equal(autocorrelation(in_kind(x * 1e200, "data")), r, tolerance = 1e-10)
    expect_equal(kernel_dimension(in_kind(x, "data")), def_dimension(kernel), tolerance = 1e-10)
    expect_equal(kernel_dimension(in_kind(x[, 1:2], "data")), def_dimension(tcrossprod(x[, 1:2])),
                 tolerance = 1e-10)
    expect_equal(kernel_dimension(in_kind(x, "dist")), def_dimension(kernel), tolerance = 1e-10)
    y <- autocorrelation(in_kind(autoregressive(n, 2, 0.6), "data"))
    expect_equal(effective_points(n, r, y), def_points(n, r, y), tolerance = 1e-10)
  }
})

test_that("neighbour graphs: the share of neighbours at each lag", {
  set.seed(2)
  n <- 30
  graph <- a_graph(autoregressive(n, 3, 0.9), 6)
  edges <- matrix(0, n, n)
  edges[cbind(rep(seq_len(n), 6), as.vector(graph$idx))] <- 1
  kernel <- (edges + t(edges)) / 2 + diag(n)
  centred <- kernel - 6 / (n - 1)
  lags <- row(kernel) - col(kernel)
  expected <- vapply(seq_len(n) - 1, function(h) sum(centred[lags == h]), 0)
  repr <- representation(graph, "x")
  expect_equal(autocorrelation(repr), expected / expected[1], tolerance = 1e-10)
  expect_equal(kernel_dimension(repr), sum(diag(centred))^2 / sum(centred^2), tolerance = 1e-10)
})

test_that("effective points: known cases", {
  geometric <- function(phi, n = 2000) phi^(seq_len(n) - 1)
  expect_equal(effective_points(2000, geometric(0.9), geometric(0.9)), 2000 * 0.19 / 1.81)
  expect_equal(effective_points(2000, geometric(0.99), c(1, rep(0, 1999))), 2000)
  # constant rows have no autocorrelation
  expect_equal(autocorrelation(representation(matrix(2, 6, 3), "x")), c(1, rep(0, 5)))
  expect_equal(kernel_dimension(representation(matrix(2, 6, 3), "x")), 1)
  # more rows than are looked at
  set.seed(3)
  x <- normal_matrix(1400, 4)
  expect_equal(kernel_dimension(representation(x, "x")), 4, tolerance = 0.02)
  expect_equal(points_needed(100, 5, 2), 1 / (0.01 + 1 / 50))
})

test_that("both series slow: a warning; one slow side or none: silence", {
  set.seed(4)
  slow <- random_walk(100, 5)
  other <- autoregressive(100, 5, 0.95)
  white <- normal_matrix(100, 5)
  for (kind in c("data", "dist", "graph")) {
    given <- function(x) switch(kind, data = x, dist = dist(x), graph = a_graph(x, 10))
    id <- if (kind == "graph") "mutual_knn" else "rsa"
    if (kind == "data") id <- "cka"
    warning <- warned_of(given(slow), given(other), id)
    expect_s3_class(warning, "repalign_warning")
    expect_null(warned_of(given(slow), given(white), id))
    expect_null(warned_of(given(white), given(normal_matrix(100, 5)), id))
  }
  # few or many independent points
  expect_null(warned_of(normal_matrix(8, 3), normal_matrix(8, 30), "cka"))
  expect_null(warned_of(autoregressive(400, 3, 0.5), autoregressive(400, 3, 0.5), "cka"))
  # free permutations are told of the rows, and shifts are judged by their own warning
  expect_warning(calibrate(slow, other, permutations = 19), "series = \"linear\"",
                 class = "repalign_dependence")
  expect_no_warning(suppressMessages(calibrate(slow, other, series = "linear")))
})

test_that("a grid warns once, of its worst pair", {
  set.seed(5)
  x <- list(walk = random_walk(100, 3), white = normal_matrix(100, 3))
  y <- list(ar = autoregressive(100, 3, 0.95), second = random_walk(100, 3),
            n = normal_matrix(100, 2))
  warning <- warned_of(x, y, c("cka", "mutual_knn"))
  r <- function(x) def_autocorrelation(tcrossprod(x))
  points <- vapply(y, function(side) def_points(100, r(x$walk), r(side)), 0)
  expect_match(conditionMessage(warning), "2 of 6 pairs")
  expect_match(conditionMessage(warning), paste0("\"walk\" and \"", names(which.min(points)), "\""))
  expect_equal(warning$data, min(points), tolerance = 1e-10)
  expect_match(conditionMessage(warned_of(c(x, y[2]))), "\"walk\" and \"second\"")
  expect_warning(quietly(calibrate(x, y, series = TRUE)), NA)
})

test_that("circular is TRUE, and other values are refused", {
  set.seed(6)
  x <- normal_matrix(20, 3)
  y <- normal_matrix(20, 3)
  expect_identical(quietly(calibrate(x, y, series = "circular")),
                   quietly(calibrate(x, y, series = TRUE)))
  expect_refused(calibrate(x, y, series = "straight"), c("`series`", "linear"))
  expect_refused(calibrate(x, y, series = c(TRUE, FALSE)), c("`series`", "TRUE or FALSE"))
  expect_refused(calibrate(x, y, series = 1), "`series`")
  expect_refused(calibrate(x, y, series = "linear", engine = "random"), "engine")
  expect_refused(calibrate(x, y, series = "linear", blocks = gl(2, 10)), c("blocks", "series"))
  expect_refused(calibrate(x[1:3, ], y[1:3, ], series = "linear"), c("at least 4", "has 3"))
  expect_refused(calibrate(a_graph(x, 4), a_graph(y, 4), "mutual_knn", series = "linear"), "graph")
})

test_that("linear shifts: every stretch of y against the middle of x", {
  set.seed(7)
  n <- 43
  x <- random_walk(n, 4)
  y <- random_walk(n, 3)
  rownames(x) <- rownames(y) <- paste0("t", seq_len(n))
  middle <- 11:33
  measures <- list("cka", "rv", measure("cka", estimator = "stimulus"),
                   measure("mutual_knn", k = 3), "procrustes", measure("rsa", inner = "euclidean"),
                   "cca")
  functions <- list(cka, rv, function(x, y) cka(x, y, estimator = "stimulus"),
                    function(x, y) mutual_knn(x, y, k = 3), procrustes,
                    function(x, y) rsa(x, y, inner = "euclidean"), cca)
  v <- suppressMessages(calibrate(x, y, measures, series = "linear"))
  expect_true(all(v$engine == "linear"))
  expect_true(all(v$permutations == 20))
  shifts <- c(-10:-1, 1:10)
  for (i in seq_along(functions)) {
    score <- function(shift) functions[[i]](unname(x[middle, ]), unname(y[middle + shift, ]))
    expect_equal(v$score[i], score(0), tolerance = 1e-12)
    expect_equal(null_scores(v)[, i], vapply(shifts, score, 0), tolerance = 1e-10,
                 ignore_attr = TRUE)
  }
  better <- sum(null_scores(v)[, 1] >= v$score[1])
  expect_equal(v$p_value[1], (1 + better) / 21)
  # distances are cut, too
  d <- suppressMessages(calibrate(dist(x), dist(y), measure("rsa", inner = "euclidean"),
                                  series = "linear"))
  expect_equal(null_scores(d)[, 1], null_scores(v)[, 6], tolerance = 1e-10, ignore_attr = TRUE)
})

test_that("linear shifts draw nothing, are spread evenly, and say what they are", {
  expect_equal(linear_shifts(100, 999), c(-25:-1, 1:25))
  expect_equal(linear_shifts(100, 20), c(-2 * (10:1), 2 * (1:10)))
  expect_equal(linear_shifts(100, 1), c(-25, 25))
  expect_equal(linear_shifts(4, 999), c(-1, 1))
  set.seed(8)
  x <- normal_matrix(40, 3)
  y <- normal_matrix(40, 3)
  expect_message(calibrate(x, y, series = "linear"), "middle 20 of 40 rows \\(11 to 30\\).*0.0476",
                 class = "repalign_linear_shifts")
  expect_message(suppressMessages(calibrate(x, y, series = "linear", alpha = 0.01),
                                  classes = "repalign_linear_shifts"), "no more permutations",
                 class = "repalign_few_permutations")
  set.seed(9)
  quietly(calibrate(x, y, series = "linear"))
  after <- runif(1)
  set.seed(9)
  expect_identical(after, runif(1))
})

test_that("linear shifts in grids, aggregates, with ties and missing values", {
  set.seed(10)
  x <- list(a = random_walk(40, 3), b = 1 + matrix(rpois(160, 1), 40))
  y <- list(c = 1 + matrix(rpois(160, 1), 40), d = random_walk(40, 3))
  linear <- function(...) {
    set.seed(11)
    quietly(calibrate(..., series = "linear"))
  }
  grid <- linear(x, y, c("mutual_knn", "cka"))
  for (i in 1:2) for (j in 1:2) {
    one <- linear(x[i], y[j], "cka")
    at <- grid$x == names(x)[i] & grid$y == names(y)[j] & grid$measure == "cka(naive, middle half)"
    expect_equal(one$p_value, grid$p_value[at])
    expect_equal(null_scores(one)[, 1], null_scores(grid)[, at], ignore_attr = TRUE)
  }
  most <- linear(x, y, "cka", aggregate = "max")
  of_cka <- grid$measure == "cka(naive, middle half)"
  expect_equal(null_scores(most)[, 1], apply(null_scores(grid)[, of_cka], 1, max),
               ignore_attr = TRUE)
  # a list by itself: the first of each pair stays
  own <- linear(c(x, y), measure = "cka")
  at <- own$x == "a" & own$y == "c"
  expect_equal(null_scores(own)[, at],
               null_scores(grid)[, grid$x == "a" & grid$y == "c" & of_cka],
               ignore_attr = TRUE)
  gaps <- x$a
  gaps[c(3, 20), 1] <- NA
  expect_equal(linear(gaps, y$d, "cka", na = "stimuli")$p_value,
               linear(x$a[-c(3, 20), ], y$d[-c(3, 20), ], "cka")$p_value)
})

test_that("linear shifts hold for random walks, which circular shifts reject", {
  set.seed(12)
  p <- replicate(60, {
    x <- random_walk(60, 5)
    y <- random_walk(60, 5)
    c(linear = quietly(calibrate(x, y, "rv", series = "linear"))$p_value,
      circular = quietly(calibrate(x, y, "rv", series = TRUE))$p_value)
  })
  # 60 at 5%: more than 8 are rejected once in 1000 times
  expect_lte(sum(p["linear", ] <= 0.05), 8)
  expect_gte(sum(p["circular", ] <= 0.05), 20)
  # and they see what is there
  x <- random_walk(200, 5)
  expect_lt(quietly(calibrate(x, x + normal_matrix(200, 5), "rv", series = "linear"))$p_value, 0.05)
})
