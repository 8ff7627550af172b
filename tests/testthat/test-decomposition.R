# What is said before a decomposition that takes long.

test_that("a long decomposition is announced, a short one is not", {
  expect_message(announce_decomposition(6000, 6000, "values"), "6000 x 6000 takes about 60 seconds",
                 class = "repalign_decomposition")
  expect_message(announce_decomposition(20000, 8000, "basis"), "about . minutes",
                 class = "repalign_duration")
  expect_message(announce_decomposition(50000, 4000, "qr"), "A QR decomposition",
                 class = "repalign_message")
  expect_silent(announce_decomposition(2000, 2000, "basis"))
  expect_silent(announce_decomposition(1e6, 100, "vectors"))
  # which side is the longer one does not matter, and vectors take longer than values
  expect_identical(decomposition_seconds(50, 900, "basis"), decomposition_seconds(900, 50, "basis"))
  expect_gt(decomposition_seconds(900, 900, "vectors"), decomposition_seconds(900, 900, "values"))
})

test_that("every measure that decomposes says so before", {
  # four columns are two: no fast route
  set.seed(1)
  x <- normal_matrix(20, 2)[, c(1, 2, 1, 2)]
  y <- normal_matrix(20, 3)[, c(1, 2, 3, 1)]
  for (id in c("cca", "svcca", "pwcca", "procrustes", "procrustes_size_shape",
               "procrustes_similarity", "angular_shape", "aligned_cosine", "linear_regression",
               "eigenspace_overlap", "gulp")) {
    calls <- count_calls("announce_decomposition", quietly(score(id, x, y)))
    expect_gt(calls, 0, label = id)
  }
  wide <- list(normal_matrix(5, 9), normal_matrix(5, 8))
  expect_gt(count_calls("announce_decomposition", procrustes(wide[[1]], wide[[2]])), 2)
})

test_that("a grid announces equal decompositions once", {
  set.seed(2)
  layers <- lapply(c(a = 1, b = 2, c = 3), function(i) normal_matrix(20, 3))
  said <- character()
  local_internal("decomposition_seconds", function(...) 30)
  withCallingHandlers(similarity(layers, measure = "procrustes"), repalign_message = function(m) {
    said <<- c(said, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  expect_length(said, 1)
  expect_match(said, "3 x 3 takes about 30 seconds")
})

test_that("memory of decompositions is judged, whether or not forms tell of it", {
  x <- normal_matrix(60, 40)
  y <- normal_matrix(60, 40)
  withr::local_options(repalign.max_memory = 1.5e5)
  expect_refused(calibrate(x, y, "procrustes", permutations = 19), "calibrate.* would take")
  withr::local_options(repalign.max_memory = 9e4)
  # the singular values alone need less
  expect_no_error(procrustes(x, y))
  expect_refused(aligned_cosine(x, y), c("Singular vectors would take about 100 Kb", "Fewer"))
})
