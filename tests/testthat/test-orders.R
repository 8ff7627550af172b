# Which measures order all pairs of representations alike? What ?measures says of it.

# Pairs of sides from unrelated to closely related, with origins and scales of their own.
graded_pairs <- function(columns_x, columns_y, change = identity, pairs = 15, n = 30) {
  set.seed(1)
  lapply(seq_len(pairs), function(i) {
    share <- i / pairs
    x <- matrix(rnorm(n * columns_x), n) %*% diag(2^-seq_len(columns_x)) + rnorm(1)
    map <- matrix(rnorm(columns_x * columns_y), columns_x)
    y <- share * x %*% map + (1 - share) * matrix(rnorm(n * columns_y), n)
    lapply(list(x = x * runif(1, 0.5, 2), y = y * runif(1, 0.5, 2)), change)
  })
}

scores_of <- function(measure, pairs) {
  vapply(pairs, function(pair) {
    suppressWarnings(similarity(pair$x, pair$y, measure)$score)
  }, 0)
}

# Spearman's correlation of the scores by two measures, and whether the scores are equal.
expect_same_order <- function(a, b, pairs, sign = 1, equal = FALSE) {
  first <- scores_of(a, pairs)
  second <- scores_of(b, pairs)
  expect_equal(cor(first, second, method = "spearman"), sign)
  if (equal) expect_equal(first, second, tolerance = 1e-10)
}

test_that("the default measures have 35 orders", {
  # the directions of some columns of x are too weak for svcca(); riemann() needs as many
  # neurons as stimuli, and is like no other
  pairs <- graded_pairs(6, 8, pairs = 25)
  ids <- setdiff(measures()$id, "riemann")
  scores <- vapply(ids, scores_of, numeric(length(pairs)), pairs = pairs)
  same <- abs(cor(scores, method = "spearman")) > 1 - 1e-9
  orders <- apply(same, 1, function(row) paste(ids[row], collapse = " "))
  expect_setequal(orders[lengths(strsplit(orders, " ")) > 1],
                  c("angular_cka cka rv", "angular_shape bures procrustes shape_distance",
                    "bures_distance procrustes_size_shape"))
  expect_length(unique(orders), 34)
})

test_that("measures that are named as equivalent order pairs alike", {
  pairs <- graded_pairs(5, 8)
  expect_same_order("cka", "rv", pairs, equal = TRUE)
  expect_same_order("cka", "angular_cka", pairs, -1)
  whitened <- measure("rsa", inner = "sqeuclidean", outer = "whitened_cosine")
  expect_same_order("cka", whitened, pairs, equal = TRUE)
  expect_same_order(measure("cka", estimator = "stimulus"),
                    measure("angular_cka", estimator = "stimulus"), pairs, -1)
  expect_same_order("angular_shape", "shape_distance", pairs, equal = TRUE)
  expect_same_order("angular_shape", "procrustes", pairs)
  expect_same_order("angular_shape", "bures", pairs, -1)
  expect_same_order("procrustes_size_shape", "bures_distance", pairs, equal = TRUE)
  expect_same_order(measure("procrustes", scale = FALSE), "bures_distance", pairs, equal = TRUE)
  expect_same_order("distance_correlation", measure("distance_correlation", squared = TRUE), pairs)
  expect_same_order("cca", measure("svcca", variance = 1), pairs, equal = TRUE)
  expect_same_order("cca", measure("shape_distance", alpha = 0), pairs, -1)
  expect_same_order("gulp", measure("cca", summary = "mean_squared"), pairs, -1)
  for (id in c("knn_jaccard", "lcs_knn", "edit_distance_knn", "rank_similarity")) {
    expect_same_order(measure("mutual_knn", k = 1), measure(id, k = 1), pairs, equal = TRUE)
  }
})

test_that("others do so under conditions", {
  # one reference in y
  reference <- matrix(rnorm(30 * 5), 30)
  one_y <- lapply(graded_pairs(5, 5), function(pair) list(x = pair$x, y = reference))
  expect_same_order("procrustes_similarity", "procrustes_size_shape", one_y, -1)
  # equally many neurons
  equally <- graded_pairs(5, 5)
  expect_same_order("hard_correlation_match", "soft_matching_correlation", equally, equal = TRUE)
  expect_same_order("soft_matching",
                    measure("permutation_procrustes", center = TRUE, scale = TRUE), equally)
  standard <- graded_pairs(5, 5, scale)
  expect_same_order("soft_matching", "soft_matching_correlation", standard, -1)
  centred <- graded_pairs(5, 5, function(side) scale(side, scale = FALSE))
  squared <- measure("cca", summary = "mean_squared")
  expect_same_order("eigenspace_overlap", squared, centred, equal = TRUE)
  # whitened sides
  whitened <- graded_pairs(5, 5, function(side) svd(scale(side, scale = FALSE))$u)
  expect_same_order("cka", squared, whitened, equal = TRUE)
  expect_same_order("linear_regression", squared, whitened, equal = TRUE)
  expect_same_order("procrustes", "cca", whitened, -1)
})
