# Heat traces against dense eigenvalues, bars against a plain boundary-matrix reduction.

# ---- oracles ----

# Normalised adjacency of the neighbour graph made symmetric.
dense_adjacency <- function(idx) {
  n <- nrow(idx)
  a <- matrix(0, n, n)
  a[cbind(c(row(idx)), c(idx))] <- 1
  a <- pmax(a, t(a))
  a / sqrt(outer(rowSums(a), rowSums(a)))
}

nearest_rows <- function(x, k) {
  d <- as.matrix(dist(x))
  diag(d) <- Inf
  t(apply(d, 1, order))[, seq_len(k), drop = FALSE]
}

sorted_bars <- function(bars) {
  bars <- bars[bars[, 2] > bars[, 1], , drop = FALSE]
  bars[order(bars[, 1], bars[, 2]), , drop = FALSE]
}

# Distances of any kind: not those of points.
random_distances <- function(n, values) {
  d <- matrix(0, n, n)
  d[lower.tri(d)] <- values(n * (n - 1) / 2)
  d + t(d)
}

packed <- function(d) d[lower.tri(d)]

# ---- IMD ----

test_that("traces of Chebyshev polynomials are those of the eigenvalues", {
  set.seed(1)
  for (n in c(4, 7, 8, 9, 40)) {
    for (k in unique(pmin(c(1, 2, 5), n - 1))) {
      idx <- nearest_rows(normal_matrix(n, 3), k)
      storage.mode(idx) <- "integer"
      values <- eigen(dense_adjacency(idx), symmetric = TRUE, only.values = TRUE)$values
      expected <- vapply(0:14, function(j) sum(cos(j * acos(pmax(pmin(values, 1), -1)))), 0)
      found <- .Call(repalign:::C_heat_traces, idx, 7L, 1L)
      expect_equal(found, expected, tolerance = 1e-11, label = paste(n, k))
    }
  }
})

test_that("an odd degree is not rounded up", {
  set.seed(3)
  x <- normal_matrix(30, 2)
  y <- normal_matrix(30, 5)
  expect_false(imd(x, y, degree = 5) == imd(x, y, degree = 6))
  expect_false(imd(x, y, degree = 5) == imd(x, y, degree = 4))
})

test_that("imd of neighbour graphs: the shape counts, not the pairing", {
  set.seed(4)
  x <- normal_matrix(50, 3)
  y <- normal_matrix(50, 8)
  graph <- function(x, k) {
    idx <- nearest_rows(x, k)
    list(idx = idx, dist = matrix(as.matrix(dist(x))[cbind(c(row(idx)), c(idx))], nrow(x)))
  }
  expect_equal(imd(graph(x, 5), graph(y, 5)), imd(x, y), tolerance = 1e-12)
  # the first k of more neighbours
  expect_equal(imd(graph(x, 9), y, k = 4), imd(x, y, k = 4), tolerance = 1e-12)
  expect_equal(imd(x, y[sample(50), ]), imd(x, y), tolerance = 1e-10)
  expect_lt(imd(x, x[sample(50), ]), 1e-8)
  expect_refused(imd(graph(x, 3), y), "`k`")
})

test_that("imd of dist objects", {
  set.seed(5)
  x <- normal_matrix(40, 3)
  y <- normal_matrix(40, 8)
  expect_equal(imd(dist(x), dist(y)), imd(x, y), tolerance = 1e-12)
  expect_equal(imd(x, dist(y)), imd(x, y), tolerance = 1e-12)
})

test_that("traces do not depend on threads, nor on components of the graph", {
  set.seed(6)
  x <- rbind(normal_matrix(150, 2), normal_matrix(150, 2) + 100)
  idx <- nearest_rows(x, 3)
  storage.mode(idx) <- "integer"
  one <- .Call(repalign:::C_heat_traces, idx, 6L, 1L)
  expect_identical(.Call(repalign:::C_heat_traces, idx, 6L, 2L), one)
  half <- .Call(repalign:::C_heat_traces, idx[1:150, ], 6L, 1L)
  other <- .Call(repalign:::C_heat_traces, idx[151:300, ] - 150L, 6L, 1L)
  expect_equal(half + other, one, tolerance = 1e-12)
})

test_that("small and degenerate input of imd", {
  set.seed(7)
  x <- normal_matrix(4, 2)
  y <- normal_matrix(4, 2)
  # with all others as neighbours every graph is complete
  expect_lt(abs(full_k(imd(x, y, k = 3))), 1e-8)
  expect_refused(imd(x, y), "`k`")
  expect_refused(imd(x, y, k = 0), "`k`")
  expect_refused(imd(x, y, degree = 1), "`degree`")
  expect_refused(imd(x, y, degree = 61, k = 1), c("`degree`", "60"))
  expect_true(is.finite(imd(1e150 * x, 1e-150 * y, k = 1)))
  twice <- rbind(x, x, x)
  expect_true(is.finite(suppressWarnings(imd(twice, normal_matrix(12, 1), k = 2))))
})

test_that("traces are prepared once in a call", {
  set.seed(8)
  layers <- lapply(c(a = 2, b = 3, c = 9), function(d) normal_matrix(30, d))
  calls <- count_calls("make_graph", result <- similarity(layers, measure = "imd"))
  expect_identical(calls, 3L)
  expect_equal(result$score[1], imd(layers$a, layers$b), tolerance = 1e-12)
})

# ---- RTD ----

test_that("bars are those of the doubled filtration, for distances of any kind", {
  skip_unless_extended()
  set.seed(9)
  kinds <- list(function(m) runif(m), function(m) sample(3, m, TRUE),
                function(m) sample(9, m, TRUE), function(m) sample(0:2, m, TRUE),
                function(m) rexp(m)^3, function(m) rep(1, m))
  for (n in c(2:7, 7, 7)) {
    for (kind_x in kinds) {
      for (kind_y in kinds) {
        d_x <- random_distances(n, kind_x)
        d_y <- random_distances(n, kind_y)
        found <- repalign:::cross_bars(packed(d_x), packed(d_y), n)
        expected <- def_bars(def_doubled(d_x, d_y))
        expect_equal(sorted_bars(found), sorted_bars(expected), tolerance = 1e-14, label = n)
      }
    }
  }
})

test_that("bars of points, also where most of them are cuts or chains", {
  skip_unless_extended()
  set.seed(10)
  for (seed in 1:12) {
    n <- 11
    x <- switch(seed %% 4 + 1, normal_matrix(n, 1), normal_matrix(n, 30),
                round(normal_matrix(n, 2)), cbind(cos(1:n), sin(1:n)))
    y <- switch(seed %% 3 + 1, normal_matrix(n, 1), normal_matrix(n, 2), normal_matrix(n, 30))
    d_x <- def_unit_distances(x)
    d_y <- def_unit_distances(y)
    found <- repalign:::cross_bars(packed(d_x), packed(d_y), n)
    expected <- def_bars(def_doubled(d_x, d_y))
    expect_equal(sorted_bars(found), sorted_bars(expected), tolerance = 1e-12)
  }
})

test_that("rtd: equal clouds are at 0, and both orders are the same bits", {
  set.seed(12)
  x <- normal_matrix(80, 3)
  y <- normal_matrix(80, 6)
  expect_identical(rtd(x, x), 0)
  expect_identical(rtd(y, y), 0)
  expect_identical(rtd(x, y), rtd(y, x))
  expect_gt(rtd(x, y), 1)
  # a constant column on a scale of its own
  expect_equal(rtd(cbind(1e-200 * x, 1e200), y), rtd(x, y), tolerance = 1e-12)
})

test_that("dist objects stand for matrices, also in subsets", {
  set.seed(13)
  x <- normal_matrix(30, 3)
  y <- normal_matrix(30, 4)
  expect_equal(rtd(dist(x), dist(y)), rtd(x, y), tolerance = 1e-12)
  set.seed(1)
  from_data <- rtd(x, y, batch = 12, trials = 3)
  set.seed(1)
  expect_equal(rtd(dist(x), y, batch = 12, trials = 3), from_data, tolerance = 1e-12)
})

test_that("distances of rows are those of dist()", {
  set.seed(14)
  for (d in c(1, 7, 8, 9, 33)) {
    x <- normal_matrix(20, d)
    rows <- c(3L, 4L, 9L, 20L)
    expect_equal(.Call(repalign:::C_row_distances, x, rows, 1, 1L), c(dist(x[rows, ])),
                 tolerance = 1e-14)
    expect_equal(.Call(repalign:::C_row_distances, x, 1:20, 0.25, 2L), c(dist(x)) / 4,
                 tolerance = 1e-14)
  }
  expect_equal(repalign:::dist_of_rows(dist(x), rows), c(dist(x[rows, ])), tolerance = 1e-14)
})

test_that("the quantile is that of the whole matrix", {
  set.seed(15)
  for (n in c(2, 3, 4, 7, 10, 11, 30)) {
    for (values in list(runif, function(m) sample(0:2, m, TRUE))) {
      d <- random_distances(n, values)
      for (share in c(0, 0.1, 0.5, 0.9, 0.97, 1)) {
        expect_equal(repalign:::square_quantile(packed(d), n, share),
                     quantile(d, share, names = FALSE), tolerance = 1e-14)
      }
    }
  }
})

test_that("random subsets: drawn once for both, reproducible, and only when needed", {
  set.seed(16)
  x <- normal_matrix(40, 3)
  y <- x + 0.3 * normal_matrix(40, 3)
  set.seed(5)
  score <- rtd(x, y, batch = 15, trials = 4)
  expect_false(identical(rtd(x, y, batch = 15, trials = 4), score))
  set.seed(5)
  expect_identical(rtd(x, y, batch = 15, trials = 4), score)
  # the same rows of both, none twice
  pair <- repalign:::as_pair(repalign:::representation(x, "x"), repalign:::representation(y, "y"))
  score <- repalign:::compare_pair(repalign:::declaration("rtd"), pair,
                                   list(batch = 15, trials = 4))
  rows <- repalign:::drawn_entries(pair)[[1]]$value$subsets
  expect_length(unique(rows), 4)
  for (r in rows) expect_identical(sort(unique(r)), r)
  expect_identical(lengths(rows), rep(15L, 4))
  expect_equal(score, mean(vapply(rows, function(r) rtd(x[r, ], y[r, ]), 0)), tolerance = 1e-12)
  set.seed(5)
  before <- .Random.seed
  whole <- rtd(x, y, batch = 40, trials = 3)
  expect_identical(whole, rtd(x, y))
  expect_identical(whole, rtd(x, y, batch = Inf))
  expect_identical(.Random.seed, before)
  # a representation is at 0 from itself in any subset
  expect_identical(rtd(x, x, batch = 10), 0)
})

test_that("degenerate input of rtd", {
  set.seed(18)
  y <- normal_matrix(30, 2)
  mostly_equal <- rbind(matrix(0, 29, 2), c(1, 1))
  error <- expect_refused(rtd(mostly_equal, y), c("`x`", "quantile"))
  expect_s3_class(error, "repalign_error_variance")
  expect_identical(error$arg, "x")
  expect_refused(rtd(y, mostly_equal), "`y`")
  expect_refused(rtd(y, y, batch = 3), "`batch`")
  expect_refused(rtd(y, y, batch = NA), "`batch`")
  expect_refused(rtd(y, y, trials = 0), "`trials`")
  expect_refused(rtd(list(idx = matrix(c(2, 1), 2), dist = matrix(1, 2, 1)),
                     normal_matrix(2, 2)), "`x`")
  # duplicates, one column, two points
  twice <- rbind(y, y)
  expect_identical(rtd(twice, twice), 0)
  expect_equal(rtd(twice[1:6, ], twice[c(1, 31, 2, 32, 3, 33), ]),
               def_rtd(twice[1:6, ], twice[c(1, 31, 2, 32, 3, 33), ]), tolerance = 1e-12)
  expect_true(is.finite(rtd(y[, 1, drop = FALSE], y)))
  expect_identical(rtd(y[1:2, ], y[3:4, ]), 0)
  withr::local_options(repalign.max_memory = 1000)
  expect_refused(rtd(y, y), "memory")
})
