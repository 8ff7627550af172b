# The fast ways of evaluate_rdms() against plain ones, which gather the stimuli of each draw.

# Permutations have tests of their own, test-evaluation-chance.R.
evaluate_rdms <- function(...) repalign::evaluate_rdms(..., permutations = 0)

task_of <- function(outer, made, group = NULL, models = made$models, stimulus_noise = NULL) {
  repalign:::evaluation_task(made$data, models, outer, group, stimulus_noise, "pairwise")
}

random_rounds <- function(task, draws = 6) {
  n <- task$n
  size <- length(task$group)
  counts <- function(size) {
    replicate(draws, as.double(tabulate(sample.int(size, replace = TRUE), size)))
  }
  w <- counts(n)
  m <- counts(max(task$group))[task$group, , drop = FALSE]
  # one draw with a stimulus that makes up most of it, one with a single group
  w[, 1] <- c(n - 4, 1, 1, 2, rep(0, n - 4))
  m[, 2] <- as.double(task$group == 1) * 3
  repalign:::plain_draw_rounds(w, m)
}

test_that("draws with copies: fast and plain ways agree", {
  made <- made_rdms()
  # ties, and models that are the same for some stimuli
  made$models$category <- dist(rep(1:2, 6))
  made$data$s1 <- round(made$data$s1)
  for (outer in names(ways_of_outers)) {
    task <- task_of(outer, made, group = c(1, 1, 2, 3, 2))
    expect_same_rounds(task, random_rounds(task), ways_of_outers[[outer]], outer)
  }
})

test_that("Kendall's tau of thousands of pairs: fast and plain ways agree", {
  made <- made_rdms(n = 95, subjects = 2, models = 1)
  made$models$category <- dist(rep(1:5, 19))
  for (outer in c("kendall", "tau_b")) {
    task <- task_of(outer, made)
    expect_same_rounds(task, random_rounds(task, 3), "ranks", outer)
  }
})

test_that("pairs that all RDMs lack: fast and plain ways agree", {
  made <- made_rdms()
  made$data <- lapply(made$data, function(rdm) replace(rdm, c(2, 11, 40), NA))
  made$models$m2[11] <- NA
  for (outer in c("cosine", "pearson", "spearman", "rho_a", "kendall", "tau_b")) {
    task <- task_of(outer, made)
    expect_same_rounds(task, random_rounds(task), ways_of_outers[[outer]], outer)
  }
  made$data$s2[1] <- NA
  expect_identical(task_of("cosine", made)$way, "plain")
})

test_that("unequal noise of stimuli: fast and plain ways agree", {
  made <- made_rdms()
  for (outer in c("whitened_cosine", "whitened_pearson")) {
    task <- task_of(outer, made, stimulus_noise = exp(rnorm(12)))
    expect_same_rounds(task, random_rounds(task), "grams", outer)
  }
})

test_that("flexible models in folds of draws: fast and plain ways agree", {
  made <- made_rdms(n = 16)
  models <- list(fixed = made$models[[1]], weighted = rdm_model(made$models, "weighted", ridge = 2),
                 positive = rdm_model(made$models, "weighted", nonnegative = TRUE),
                 select = rdm_model(made$models, "select"),
                 interpolate = rdm_model(made$models, "interpolate"))
  for (outer in names(ways_of_outers)) {
    task <- task_of(outer, made, models = models)
    rounds <- random_rounds(task)
    keep <- rep(c(TRUE, FALSE), 8)
    rounds$w_test <- rounds$w_train * keep
    rounds$w_train <- rounds$w_train * !keep
    few <- colSums(rounds$w_test > 0) < 3 | colSums(rounds$w_train > 0) < 3
    rounds <- lapply(rounds, function(part) part[, !few, drop = FALSE])
    expect_gt(sum(!few), 2)
    expect_same_rounds(task, rounds, ways_of_outers[[outer]], outer)
  }
})

test_that("results do not depend on threads, and set.seed() makes them again", {
  made <- made_rdms(n = 10)
  for (outer in c("whitened_pearson", "spearman", "kendall")) {
    for (folds in list(c(rdm = 1), c(condition = 2))) {
      run <- function(threads) {
        set.seed(5)
        evaluate_rdms(made$data, made$models, outer, draws = 20, folds = folds,
                      threads = threads) |> suppressWarnings()
      }
      expect_identical(run(1), run(2))
    }
  }
})

# Cosine in the metric of an explicit covariance of all pairs.
whitened_by_hand <- function(a, b, outer, stimulus_noise) {
  n <- attr(a, "Size")
  places <- utils::combn(n, 2)
  contrasts <- diag(n)[places[1, ], ] - diag(n)[places[2, ], ]
  v <- (contrasts %*% (if (is.matrix(stimulus_noise)) stimulus_noise else
                       diag(stimulus_noise, n)) %*% t(contrasts))^2
  there <- !is.na(a) & !is.na(b)
  w <- solve(v[there, there])
  if (outer == "whitened_pearson") {
    ones <- rowSums(w)
    w <- w - ones %o% ones / sum(ones)
  }
  a <- a[there]
  b <- b[there]
  sum(a * (w %*% b)) / sqrt(sum(a * (w %*% a)) * sum(b * (w %*% b)))
}

test_that("whitened similarities with gaps are those of the explicit covariance", {
  made <- made_rdms(n = 9, subjects = 2)
  a <- made$data[[1]]
  b <- made$models[[1]]
  a[c(3, 7, 20)] <- NA
  b[c(7, 9)] <- NA
  root <- matrix(rnorm(81), 9)
  for (stimulus_noise in list(1, exp(rnorm(9)), crossprod(root))) {
    for (outer in c("whitened_cosine", "whitened_pearson")) {
      given <- if (length(stimulus_noise) > 1) stimulus_noise
      found <- repalign:::similarity_table(matrix(a), matrix(b), outer, given)
      expect_equal(as.vector(found), whitened_by_hand(a, b, outer, stimulus_noise),
                   tolerance = 1e-9)
    }
  }
})

test_that("taus are those of stats::cor() and of all comparisons", {
  a <- c(1, 2, 2, 4, 7, 3, 9, 3)
  b <- c(2, 2, 1, 5, 6, 6, 8, 1)
  found <- repalign:::similarity_table(matrix(a), matrix(b), "tau_b")
  expect_equal(as.vector(found), cor(a, b, method = "kendall"))
  signs <- function(x) sign(outer(x, x, "-"))
  found <- repalign:::similarity_table(matrix(a), matrix(b), "kendall")
  expect_equal(as.vector(found), sum(signs(a) * signs(b)) / (8 * 7))
  expect_true(is.na(repalign:::similarity_table(matrix(rep(1, 8)), matrix(b), "kendall")))
})

test_that("an RDM that lacks all pairs of a fold has no say in what the others predict", {
  values <- cbind(1:6, c(2, 1, 4, 3, 6, 5), NA)
  for (outer in c("whitened_cosine", "whitened_pearson", "cosine")) {
    expect_identical(repalign:::pooled_values(values, outer),
                     repalign:::pooled_values(values[, 1:2], outer))
  }
})
