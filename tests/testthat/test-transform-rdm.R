# transform_rdm(): ranks, distances and paths of dissimilarities.

set.seed(1)
d <- rdm(array(rnorm(6 * 5 * 3), c(6, 5, 3), list(letters[1:6], NULL, NULL)))

refused <- function(code, class, text) {
  error <- expect_error(code, class = class)
  expect_match(conditionMessage(error), text)
}

test_that("transformations keep conditions and missing values, and leave their input alone", {
  before <- d + 0
  gaps <- d
  gaps[c(2, 9)] <- NA
  for (method in c("rank", "positive", "sqrt", "minmax", "geotopological")) {
    found <- transform_rdm(gaps, method)
    expect_identical(which(is.na(found)), c(2L, 9L))
    expect_identical(labels(found), letters[1:6])
    expect_identical(attr(found, "transformed"), method)
  }
  expect_identical(as.vector(transform_rdm(gaps, "rank")), rank(as.vector(gaps), "keep"))
  expect_identical(d, before)
  both <- transform_rdm(list(a = d, b = dist(matrix(1:8, 4))), "rank")
  expect_s3_class(both, "repalign_rdms")
  expect_null(attr(both$b, "method"))
  expect_identical(as.vector(both$b), rank(as.vector(dist(matrix(1:8, 4)))))
})

test_that("geodesics are shortest paths", {
  set.seed(3)
  long <- rdm(matrix(rnorm(40 * 3), 40), distance = "sqeuclidean")
  found <- as.matrix(transform_rdm(long, "geodesic"))
  direct <- as.matrix(transform_rdm(long, "minmax"))
  expect_true(all(found <= ifelse(direct == 1, Inf, direct)))
  # no detour over one more condition is shorter, and each path is made of edges
  through <- vapply(1:40, function(k) outer(found[, k], found[k, ], "+"), found)
  expect_true(all(apply(through, 1:2, min) >= found - 1e-12))
  edges <- ifelse(direct == 1, Inf, direct)
  last <- vapply(1:40, function(k) outer(found[, k], edges[k, ], "+"), found)
  off <- row(found) != col(found)
  expect_equal(apply(last, 1:2, min)[off], found[off])
})

test_that("transformations that are not defined are refused", {
  same <- structure(rep(2, 15), Size = 6L, class = "dist")
  refused(transform_rdm(same, "minmax"), "repalign_error_variance", "equal dissimilarities")
  few <- structure(c(rep(2, 14), 3), Size = 6L, class = "dist")
  refused(transform_rdm(few, "geotopological", up = 0.5), "repalign_error_variance", "quantiles")
  # condition 1 is farthest from all
  far <- structure(c(5, 5, 5, 1, 2, 3), Size = 4L, class = "dist")
  refused(transform_rdm(far, "geodesic"), "repalign_error_value", "conditions 1 and 2")
  gaps <- d
  gaps[4] <- NA
  refused(transform_rdm(gaps, "geodesic"), "repalign_error_nonfinite", "missing")
  refused(transform_rdm(as.matrix(d), "rank"), "repalign_error_type", "as.dist")
  refused(transform_rdm(d), "repalign_error_missing", "method")
  refused(transform_rdm(d, "log"), "repalign_error_choice", "method")
  refused(transform_rdm(d, "geotopological", low = 0.5, up = 0.5), "repalign_error_value", "low")
  refused(transform_rdm(d, "geotopological", up = 1.5), "repalign_error_value", "up")
  refused(transform_rdm(d, "rank", low = 0.1), "repalign_error_value", "quantiles for")
  refused(transform_rdm(d * Inf, "rank"), "repalign_error_nonfinite", "infinite")
})
