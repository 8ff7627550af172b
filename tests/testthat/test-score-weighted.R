# score_weighted(): counts, invariances, and what it refuses.

set.seed(31)
n <- 12L
x <- matrix(rnorm(n * 3), n)
y <- x[, 1:2] + rnorm(n * 2)
counts <- rmultinom(3, n, rep(1, n))

test_that("the corrected CKA is a mean over tuples of different stimuli, weighted by products", {
  w <- rexp(n)
  tuples <- as.matrix(expand.grid(rep(list(seq_len(n)), 4)))
  tuples <- tuples[apply(tuples, 1, anyDuplicated) == 0, ]
  weight <- w[tuples[, 1]] * w[tuples[, 2]] * w[tuples[, 3]] * w[tuples[, 4]]
  h <- function(k, l) {
    at <- function(m, i, j) m[tuples[, c(i, j)]]
    sum(weight * at(k, 1, 2) * (at(l, 1, 2) + at(l, 3, 4) - 2 * at(l, 1, 3))) / sum(weight)
  }
  k <- tcrossprod(x)
  l <- tcrossprod(y)
  m <- measure("cka", estimator = "stimulus")
  expect_equal(score_weighted(x, y, m, w), h(k, l) / sqrt(h(k, k) * h(l, l)))
  # the origin of the data drops out, and so does the unit of the weights
  x <- x[, 1] + 0.2 * x
  y <- x[, 1:2] + 0.2 * y
  for (id in c("cka", "angular_cka")) {
    for (e in c("stimulus", "stimulus_neuron")) {
      m <- measure(id, estimator = e)
      quietly(expect_equal(score_weighted(x + 50, y - 20, m, 7 * counts),
                           score_weighted(x, y, m, counts), tolerance = 1e-8))
    }
  }
})

test_that("many vectors are scored in blocks as one by one", {
  many <- rmultinom(40, n, rep(1, n))
  for (m in list("cka", measure("cka", estimator = "stimulus"), measure("rsa", inner = "euclidean"),
                 "procrustes")) {
    each <- vapply(1:40, function(b) score_weighted(x, y, m, many[, b]), 0)
    expect_equal(score_weighted(x, y, m, many), each)
  }
  large <- matrix(1, n, 40000)
  expect_equal(score_weighted(x, y, "rv", large), rep(rv(x, y), 40000))
  set <- options(repalign.threads = 1)
  one <- score_weighted(x, y, measure("rsa", inner = "euclidean"), many)
  options(repalign.threads = 3)
  expect_identical(score_weighted(x, y, measure("rsa", inner = "euclidean"), many), one)
  options(set)
})

test_that("copies are no neighbours, and anchors weigh as their counts", {
  m <- measure("mutual_knn", k = 2, metric = "euclidean")
  order_of <- function(data, i, keep) {
    d <- colSums((t(data) - data[i, ])^2)
    setdiff(order(d), i)[setdiff(order(d), i) %in% keep][1:2]
  }
  for (b in 1:3) {
    keep <- which(counts[, b] > 0)
    shared <- vapply(keep, function(i) {
      length(intersect(order_of(x, i, keep), order_of(y, i, keep)))
    }, 0L)
    expect_equal(score_weighted(x, y, m, counts[, b]),
                 sum(counts[keep, b] * shared) / sum(counts[, b]) / 2)
  }
})

test_that("distances that are sums count copies", {
  twice <- rep(seq_len(n), 2)
  for (id in c("procrustes_size_shape", "permutation_procrustes")) {
    expect_equal(score_weighted(x, y, id, rep(2, n)), score(id, x[twice, ], y[twice, ]))
  }
})

test_that("clusters leave out pairs within them, with weights, too", {
  codes <- rep(1:4, 3)
  m <- measure("rsa", inner = "euclidean", clusters = codes)
  keep <- c(1:5, 7:11)
  expect_equal(score_weighted(x, y, m, 1 * (seq_len(n) %in% keep)),
               rsa(x[keep, ], y[keep, ], inner = "euclidean", clusters = codes[keep]))
  codes[6] <- NA
  m <- measure("rsa", inner = "euclidean", clusters = codes)
  expect_equal(score_weighted(x, y, m, 1 * (seq_len(n) %in% keep)),
               rsa(x[keep, ], y[keep, ], inner = "euclidean", clusters = codes[keep]))
})

test_that("bad weights are refused", {
  expect_refused(score_weighted(x, y, "cka", counts[-1, ]), "`weights` has 11 rows")
  expect_refused(score_weighted(x, y, "cka", -counts), "`weights`")
  expect_refused(score_weighted(x, y, "cka", replace(counts, 5, NA)), "row 5, column 1")
  expect_refused(score_weighted(x, y, "cka", letters), "`weights`")
  expect_refused(score_weighted(x, y, "cka", rep(c(1, 0), c(3, 9))), "at least 4")
  expect_refused(score_weighted(x, y, measure("mutual_knn", k = 2), rexp(n)), "counts only")
  expect_refused(score_weighted(x, y, measure("lcs_knn", k = 2), counts), "0 and 1 only")
  expect_refused(score_weighted(x, y, measure("mutual_knn", k = 6), rep(0:1, 6)), "`k` is 6")
  expect_refused(score_weighted(list(a = x), y, "cka", counts), "`x`")
  expect_refused(score_weighted(x, y, c("cka", "rv"), counts), "`measure`")
  expect_refused(score_weighted(x, y), "weights")
})

test_that("messages about the size of weights count rows, columns and stimuli", {
  x <- matrix(rnorm(60), 20)
  expect_error(score_weighted(x, x, weights = 1:3), "3 rows and 1 column, but there are 20",
               class = "repalign_error_size")
  expect_error(score_weighted(x, x, weights = c(1, numeric(19))), "1 of the stimuli with a weight",
               class = "repalign_error_value")
})

test_that("TRUE and FALSE are weights, and a data frame is refused with a remedy", {
  x <- matrix(rnorm(80), 20)
  y <- x + rnorm(80)
  keep <- matrix(rep(c(TRUE, FALSE, TRUE, TRUE), 10), 20)
  expect_identical(score_weighted(x, y, "cka", keep), score_weighted(x, y, "cka", 1 * keep))
  expect_identical(score_weighted(x, y, "cka", keep[, 1]),
                   score_weighted(x, y, "cka", 1 * keep[, 1]))
  expect_error(score_weighted(x, y, "cka", data.frame(a = rep(1, 20))), "as.matrix",
               class = "repalign_error_type")
})

test_that("the unit of weights does not matter, however large or small", {
  w <- matrix(c(3, 1, 2, 5, 1, 1, 4, 2, 1, 3, 2, 1), n, 1)
  for (m in list(measure("cka", estimator = "stimulus"), measure("cka", estimator = "naive"),
                 measure("rsa", inner = "euclidean"), "rv", "procrustes")) {
    plain <- score_weighted(x, y, m, w)
    for (unit in c(1e-300, 1e-170, 1e-100, 1e100, 1e300)) {
      expect_equal(score_weighted(x, y, m, w * unit), plain, tolerance = 1e-10)
    }
  }
})
