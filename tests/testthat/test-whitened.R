# What other functions use of the whitening metric and of tables of RDMs.

# Permutations have tests of their own, test-evaluation-chance.R.
evaluate_rdms <- function(...) repalign::evaluate_rdms(..., permutations = 0)

test_that("duals are the products with the inverse of the covariance", {
  set.seed(1)
  n <- 7
  values <- normal_matrix(21, 3)
  noise <- list(NULL, runif(n, 0.5, 2), crossprod(normal_matrix(n, n)) + diag(n))
  for (stimulus_noise in noise) {
    v <- def_pair_covariance(21, stimulus_noise)
    metric <- if (!is.null(stimulus_noise)) whitening_matrix(n, stimulus_noise)
    expect_equal(whitened_duals(values, metric), solve(v, values), tolerance = 1e-10)
    expect_equal(whitened_duals(values, whitening_matrix(n, stimulus_noise)), solve(v, values),
                 tolerance = 1e-10)
    expect_equal(crossprod(whitened_duals(values, metric), values), t(values) %*% solve(v, values),
                 tolerance = 1e-10)
    expect_equal(dual_of_ones(n, metric), rowSums(solve(v)), tolerance = 1e-10)
    at <- c(2, 5, 17, 21)
    expect_equal(pair_precision(whitening_matrix(n, stimulus_noise), pair_places(at, n)),
                 solve(v)[at, at],
                 tolerance = 1e-10)
    expect_equal(pair_covariance(stimulus_noise, pair_places(at, n)), v[at, at], tolerance = 1e-12)
    filled <- filled_gaps(values, 1:21 %in% at, metric)
    expect_equal(filled[-at, ], values[-at, ])
    expect_lt(max(abs(whitened_duals(filled, metric)[at, ])), 1e-12)
    expect_equal(whitened_solutions(values[-at, ], !1:21 %in% at, stimulus_noise),
                 solve(v[-at, -at], values[-at, ]), tolerance = 1e-10)
  }
})

test_that("tables of RDMs have a column for each, and say what is wrong with them", {
  a <- dist(normal_matrix(5, 2))
  b <- as.matrix(a)^2
  table <- rdm_table(list(a = a, b = b), "rdms")
  expect_equal(unname(table$values), cbind(as.vector(a), as.vector(a)^2))
  expect_identical(table[c("n", "names")], list(n = 5L, names = c("a", "b")))
  expect_identical(table$labels, as.character(1:5))
  expect_null(rdm_table(unname(b), "rdms")$labels)
  expect_identical(rdm_table(list(a, a), "rdms")$names, c("rdm1", "rdm2"))
  expect_identical(rdm_table(a, "data")$names, "data")
  expect_equal(rdm_table(0 * a, "rdms")$values[, 1], numeric(10))
  gap <- replace(a, 3, NaN)
  expect_identical(which(is.na(rdm_table(gap, "rdms", TRUE)$values)), 3L)
  labelled <- function(d, labels) structure(d, Labels = labels)
  refused <- list(
    list(list(), "empty"), list("a", "`rdms`"), list(list(a = a, a = a), "\"a\""),
    list(list(a = a, b = dist(1:4)), c("`rdms\\$b`", "4", "5")), list(gap, "missing"),
    list(list(x = a, y = "b"), "`rdms\\$y`"), list(normal_matrix(5, 5), "symmetric"),
    list(normal_matrix(5, 4), "as many rows"), list(replace(a, 2, Inf), "non-finite"),
    list(list(a = labelled(a, letters[1:5]), b = labelled(a, letters[c(1:4, 6)])), "\"f\"")
  )
  for (case in refused) expect_refused(rdm_table(case[[1]], "rdms"), case[[2]])
  expect_refused(rdm_table(replace(a, 1:10, NA), "rdms", TRUE), "all are missing")
  expect_refused(rdm_table(structure(numeric(), Size = 1, class = "dist"), "rdms"), "two stimuli")
})

test_that("noise of stimuli counts up to a factor, and must not lack digits", {
  set.seed(4)
  n <- 8
  rdms <- lapply(c(a = 1, b = 2, c = 3), function(k) dist(normal_matrix(n, 5))^2)
  models <- list(m = dist(normal_matrix(n, 5))^2, w = rdm_model(rdms[1:2], "weighted"))
  x <- normal_matrix(n, 20)
  y <- x + normal_matrix(n, 20)
  results <- function(stimulus_noise) {
    outer <- "whitened_cosine"
    quiet <- function(code) suppressMessages(suppressWarnings(code))
    pooled <- as.vector(pool_rdms(rdms, outer, stimulus_noise))
    list(rsa(rdms$a, rdms$b, outer = outer, stimulus_noise = stimulus_noise),
         riemann(x, y, stimulus_noise),
         pooled / sqrt(sum(pooled^2)),
         coef(fit_rdm_model(models$w, rdms, "whitened_pearson", stimulus_noise = stimulus_noise)),
         rdm_rows(rdms$a, rdms$b, outer = outer, stimulus_noise = stimulus_noise),
         quiet(as.data.frame(evaluate_rdms(rdms, models, outer, resample = "rdm", draws = 20,
                                           stimulus_noise = stimulus_noise))))
  }
  for (stimulus_noise in list(runif(n, 0.5, 2), crossprod(normal_matrix(n, n)) + diag(n))) {
    set.seed(5)
    plain <- results(stimulus_noise)
    expect_false(anyNA(unlist(plain[1:4])))
    for (k in c(-700, 3, 900)) {
      set.seed(5)
      expect_equal(results(2^k * stimulus_noise), plain, tolerance = 1e-10)
    }
  }
  for (k in c(11, 18, 300)) {
    v <- c(1, 10^-k, rep(1, n - 2))
    expect_refused(rsa(rdms$a, rdms$b, outer = "whitened_cosine", stimulus_noise = v), "stimulus 2")
    expect_refused(evaluate_rdms(rdms, rdms, "whitened_cosine", stimulus_noise = v), "stimulus 2")
    expect_refused(riemann(x, y, diag(v)), "nearly singular")
  }
  v <- c(1, 1e-9, rep(1, n - 2))
  expect_equal(rsa(rdms$a, rdms$b, outer = "whitened_cosine", stimulus_noise = v),
               rsa(rdms$a, rdms$b, outer = "whitened_cosine", stimulus_noise = diag(v)),
               tolerance = 1e-6)
})
