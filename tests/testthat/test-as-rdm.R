# as_rdm() from vectors, matrices and "dist" objects; RDMs that other functions return.

test_that("vectors, matrices and dist objects give the same RDM", {
  set.seed(1)
  x <- matrix(rnorm(15), 5, dimnames = list(letters[1:5], NULL))
  d <- dist(x)
  expected <- as_rdm(d)
  expect_s3_class(expected, c("repalign_rdm", "dist"), exact = TRUE)
  expect_identical(as.matrix(expected), as.matrix(d))
  expect_identical(attr(expected, "method"), "euclidean")
  for (other in list(as_rdm(as.vector(d), labels = letters[1:5]), as_rdm(as.matrix(d)),
                     as_rdm(cbind(as.vector(d)), labels = letters[1:5]))) {
    expect_s3_class(other, c("repalign_rdm", "dist"), exact = TRUE)
    expect_identical(as.matrix(other), as.matrix(d))
  }
  expect_output(print(expected), "RDM of 5 conditions (euclidean)", fixed = TRUE)
  expect_null(attr(as_rdm(as.vector(d)), "Labels"))
  expect_identical(attr(as_rdm(d, LETTERS[1:5]), "Labels"), LETTERS[1:5])
  # pairs in the order (1, 2), (1, 3), (2, 3)
  expect_identical(as.matrix(as_rdm(c(12, 13, 23)))[3, 2], 23)
  expect_identical(sum(is.na(as_rdm(c(1, NA, 2)))), 1L)
})

test_that("what is no RDM is refused with its remedy", {
  expect_error(as_rdm(1:4), "4 values, but n conditions have", class = "repalign_error_size")
  expect_error(as_rdm(numeric()), class = "repalign_error_size")
  expect_error(as_rdm(matrix(c(0, 1, 2, 0), 2)), "not symmetric", class = "repalign_error_value")
  expect_error(as_rdm(diag(3)), "1 - x", class = "repalign_error_value")
  expect_error(as_rdm(matrix(0, 2, 3)), class = "repalign_error_type")
  expect_error(as_rdm(letters), class = "repalign_error_type")
  expect_error(as_rdm(list(1:3)), "lapply", class = "repalign_error_type")
  expect_error(as_rdm(data.frame(a = 0:1, b = 1:0)), "as.matrix\\(x\\)",
               class = "repalign_error_type")
  expect_error(as_rdm(c(1, Inf, 2)), class = "repalign_error_nonfinite")
  expect_error(as_rdm(c(NA, NA, NA_real_)), class = "repalign_error_nonfinite")
  for (labels in list(1:2, c("a", "b", NA), c("a", "b", "a"), list(1, 2, 3))) {
    expect_error(as_rdm(1:3, labels), class = "repalign_error_labels")
  }
})

test_that("pooled and predicted RDMs print and plot as RDMs do", {
  set.seed(1)
  rdms <- lapply(1:3, function(k) dist(matrix(rnorm(24), 8)))
  pooled <- pool_rdms(rdms, "cosine")
  predicted <- predict(fit_rdm_model(rdm_model(rdms[1:2], "weighted"), rdms, "cosine"))
  for (made in list(pooled, predicted)) {
    expect_s3_class(made, c("repalign_rdm", "dist"), exact = TRUE)
    expect_output(print(made), "RDM of 8 conditions")
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      expect_s3_class(ggplot2::autoplot(made), "ggplot")
    }
  }
  expect_true(all(vapply(rdms, rsa, 0, y = pooled, outer = "cosine") > 0))
})

test_that("labels of one side only are said once in a call", {
  set.seed(1)
  named <- lapply(c(a = 1, b = 2, c = 3), function(k) {
    dist(matrix(rnorm(24), 8, dimnames = list(letters[1:8], NULL)))
  })
  plain <- as_rdm(as.vector(named$a) + 0.1)
  messages_of <- function(call) {
    said <- character()
    withCallingHandlers(call, message = function(m) {
      if (inherits(m, "repalign_one_sided_names")) said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
    said
  }
  expect_match(messages_of(rsa(named$a, plain)), "`y` has no labels: its stimuli")
  expect_length(messages_of(similarity(named, list(p = plain, q = plain), "rsa")), 1)
  expect_length(messages_of(subject_ceiling(c(named, list(p = plain)))), 1)
  set.seed(1)
  expect_length(messages_of(calibrate(named$a, plain, "rsa", permutations = 19)), 1)
})

test_that("rows and columns of a matrix in different orders are refused", {
  m <- as.matrix(stats::dist(matrix(c(1, 3, 4, 8), 4, dimnames = list(letters[1:4], NULL))))
  colnames(m)[c(2, 4)] <- c("d", "b")
  for (use in list(as_rdm, function(x) evaluate_rdms(list(s = x), list(m = as_rdm(unname(x)))),
                   function(x) rdm_rows(x, x))) {
    error <- expect_refused(use(m), "different orders, first at place 2 \\(\"b\" and \"d\"\\)")
    expect_s3_class(error, "repalign_error_names")
  }
  # as read.csv() spells the names of columns
  rownames(m) <- c("a 1", "b", "c", "d")
  colnames(m) <- c("a.1", "b", "c", "d")
  expect_identical(labels(as_rdm(m)), rownames(m))
})
