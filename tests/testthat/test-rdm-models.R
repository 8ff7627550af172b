# Pooled RDMs and models of RDMs against reference values and definitions.

# Permutations have tests of their own, test-evaluation-chance.R.
evaluate_rdms <- function(...) repalign::evaluate_rdms(..., permutations = 0)

test_that("pooled RDMs are those of the reference", {
  for (block in rsa_blocks("pool")) {
    outer <- outer_of[[block$method[1]]]
    pooled <- pool_rdms(rsa_data(block), outer, na = rsa_missing(block))
    if (outer %in% c("pearson", "whitened_pearson")) pooled <- pooled - min(pooled)
    expect_rsa_block(as.vector(pooled), block)
  }
})

type_of <- function(method) {
  if (startsWith(method, "weighted")) "weighted" else method
}

fit_of_block <- function(block) {
  given <- rsa_parameters(block)
  ridge <- if (is.null(given$ridge)) 0 else as.numeric(given$ridge)
  model <- rdm_model(rsa_rdms(paste0(block$case[1], "_models")), type_of(block$method[1]),
                     nonnegative = block$method[1] == "weighted_nonneg", ridge = ridge)
  fit_rdm_model(model, rsa_data(block), outer_of[[given$compare]], na = rsa_missing(block))
}

small_cases <- c("r1", "r2")

test_that("weights, predictions and choices are those of the reference", {
  for (block in rsa_blocks("theta", case = small_cases)) {
    expect_rsa_block(coef(fit_of_block(block)), block)
  }
  for (block in rsa_blocks("prediction", case = small_cases)) {
    expect_rsa_block(as.vector(predict(fit_of_block(block))), block)
  }
  for (block in rsa_blocks("select", case = small_cases)) {
    expect_rsa_block(which(coef(fit_of_block(block)) == 1), block)
  }
  for (block in rsa_blocks("evaluation", case = small_cases,
                           method = c("weighted", "weighted_nonneg"))) {
    expect_rsa_block(fit_of_block(block)$score, block)
  }
})

# The best of all supports.
weights_of_supports <- function(gram, with) {
  best <- list(value = 0, x = numeric(length(with)))
  for (s in seq_len(2^length(with) - 1)) {
    on <- which(bitwAnd(s, 2^(seq_along(with) - 1)) > 0)
    x <- replace(numeric(length(with)), on,
                 solve(gram[on, on, drop = FALSE], with[on]))
    value <- sum(x * (gram %*% x)) - 2 * sum(with * x)
    if (all(x >= 0) && value < best$value) best <- list(value = value, x = x)
  }
  best$x
}

test_that("non-negative weights are the best of all supports", {
  set.seed(1)
  for (k in 1:60) {
    size <- sample(2:6, 1)
    columns <- matrix(rnorm(10 * size), 10) %*% diag(10^runif(size, -3, 3))
    # nearly collinear ones, too
    if (k %% 3 == 0)
      columns[, 2] <- columns[, 1] * 2 + sd(columns[, 1]) * 1e-4 * columns[, 2] / sd(columns[, 2])
    gram <- crossprod(columns)
    with <- as.vector(crossprod(columns, rnorm(10)))
    scale <- sqrt(diag(gram))
    unit <- weights_of_supports(gram / outer(scale, scale), with / scale)
    expect_equal(repalign:::lawson_hanson(gram, with) * scale, unit, tolerance = 1e-5)
  }
})

test_that("fitted weights have the largest mean similarity", {
  made <- made_rdms()
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson")) {
    model <- rdm_model(made$models, "weighted")
    fit <- fit_rdm_model(model, made$data, outer)
    mean_similarity <- function(weights) {
      predicted <- packed_dist(as.vector(vapply(made$models, c, numeric(66)) %*% weights))
      fit_rdm_model(rdm_model(predicted), made$data, outer)$score
    }
    expect_equal(mean_similarity(coef(fit)), fit$score)
    for (k in 1:5) expect_gt(fit$score, mean_similarity(coef(fit) + 0.05 * rnorm(3)))
    expect_equal(sum(coef(fit)^2), 1)
    raw <- coef(fit_rdm_model(model, made$data, outer, raw = TRUE))
    expect_equal(raw / sqrt(sum(raw^2)), coef(fit))
  }
})

test_that("interpolation finds the best point of all segments", {
  made <- made_rdms(models = 4)
  fit <- fit_rdm_model(rdm_model(made$models, "interpolate"), made$data, "pearson")
  expect_equal(sum(coef(fit)), 1)
  expect_lte(sum(coef(fit) != 0), 2)
  tried <- unlist(lapply(1:3, function(k) {
    vapply(seq(0, 1, 0.02), function(w) {
      point <- packed_dist(w * as.vector(made$models[[k]]) +
                             (1 - w) * as.vector(made$models[[k + 1]]))
      fit_rdm_model(rdm_model(point), made$data, "pearson")$score
    }, 0)
  }))
  expect_gte(fit$score, max(tried))
  expect_lt(fit$score - max(tried), 1e-3)
})

test_that("collinear components get the smallest weights, with a warning", {
  made <- made_rdms()
  components <- list(a = made$models[[1]], b = 2 * made$models[[1]])
  expect_warning(fit <- fit_rdm_model(rdm_model(components, "weighted"), made$data, "cosine"),
                 class = "repalign_collinear")
  expect_equal(unname(coef(fit)), c(1, 2) / sqrt(5), tolerance = 1e-6)
})

test_that("the pooled RDM is the one that is most alike to all", {
  made <- made_rdms()
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson")) {
    score <- function(rdm) fit_rdm_model(rdm_model(rdm), made$data, outer)$score
    pooled <- pool_rdms(made$data, outer)
    for (k in 1:5) expect_gt(score(pooled), score(pooled + 0.05 * sd(pooled) * rnorm(66)))
  }
})

test_that("what cannot be a model or a pool is refused", {
  made <- made_rdms()
  expect_error(rdm_model(made$models), class = "repalign_error_choice")
  expect_error(rdm_model(made$models[1], "weighted"), class = "repalign_error_size")
  expect_error(rdm_model(made$models[[1]], ridge = 1), class = "repalign_error_choice")
  expect_error(rdm_model(made$models, "select", nonnegative = TRUE),
               class = "repalign_error_choice")
  expect_error(rdm_model(made$models, "weighted", ridge = -1), class = "repalign_error_value")
  expect_error(pool_rdms(made$data, "bures"), class = "repalign_error_choice")
  expect_error(pool_rdms(list(made$data[[1]], packed_dist(rep(1, 66))), "pearson"),
               class = "repalign_error_variance")
  expect_error(pool_rdms(made$data, "pearson", stimulus_noise = 1:12),
               class = "repalign_error_choice")
  expect_error(fit_rdm_model(rdm_model(made$models[[1]]), made$data, "cosine",
                             stimulus_noise = 1:12),
               class = "repalign_error_choice")
  expect_error(rdm_model(cor(matrix(sin(1:40), 8))), "diagonal", class = "repalign_error_value")
  square <- as.matrix(made$models[[1]])
  expect_equal(predict(fit_rdm_model(rdm_model(replace(square, row(square) == col(square), NA)),
                                     made$data, "cosine")), made$models[[1]],
               ignore_attr = TRUE)
  made$data[[1]][3] <- NA
  expect_error(pool_rdms(made$data, "cosine"), class = "repalign_error_nonfinite")
  expect_s3_class(pool_rdms(made$data, "cosine", na = "pairwise"), "dist")
  expect_error(fit_rdm_model(made$models, made$data, "cosine"), class = "repalign_error_type")
  expect_error(fit_rdm_model(rdm_model(dist(1:5)), made$data, "cosine", na = "pairwise"),
               class = "repalign_error_size")
})

test_that("a large offset of all dissimilarities leaves centred comparisons as they are", {
  made <- made_rdms()
  set.seed(8)
  mixing <- diag(12) + 0.1 * matrix(rnorm(144), 12)
  for (stimulus_noise in list(NULL, 1 + runif(12), crossprod(mixing))) {
    value <- function(offset) {
      data <- lapply(made$data, `+`, offset)
      model <- rdm_model(lapply(made$models, `+`, offset), "weighted")
      fit <- fit_rdm_model(model, data, "whitened_pearson", stimulus_noise = stimulus_noise)
      c(evaluate_rdms(data, made$models[[1]], "whitened_pearson", resample = "none",
                      stimulus_noise = stimulus_noise)$score,
        cor(pool_rdms(data, "whitened_pearson", stimulus_noise), made$data[[1]]), fit$score,
        coef(fit))
    }
    expect_equal(value(1e6), value(0), tolerance = 1e-7)
  }
})

test_that("RDMs whose dissimilarities differ by rounding have no similarity, as for rsa()", {
  made <- made_rdms()
  rotation <- qr.Q(qr(matrix(sin(1:144), 12)))
  equal <- dist(rotation) # all are sqrt(2), but for rounding
  expect_gt(diff(range(equal)), 0)
  gap <- function(rdm, at = 5) replace(rdm, at, NA)
  for (outer in setdiff(rsa_outer, c("cosine", "whitened_cosine"))) {
    score <- function(model) {
      suppressMessages(suppressWarnings(evaluate_rdms(
        lapply(made$data, gap), model, outer, resample = "none", na = "pairwise"))$score)
    }
    expect_identical(score(equal), NA_real_)
    expect_identical(score(gap(packed_dist(rep(1, 66)), 7)), NA_real_)
    expect_error(pool_rdms(c(made$data, list(equal = equal)), outer),
                 class = "repalign_error_variance")
    expect_warning(limits <- subject_ceiling(c(unname(made$data), list(equal)),
                                             measure("rsa", outer = outer)),
                   class = "repalign_undefined")
    expect_identical(limits$upper, NA_real_)
  }
})

test_that("components that lack different pairs need some in common, in draws too", {
  made <- made_rdms()
  lacks <- function(rdm, at) replace(rdm, at, NA)
  weighted <- function(first, second) {
    rdm_model(list(a = lacks(made$models[[1]], first), b = lacks(made$models[[2]], second)),
              "weighted")
  }
  for (outer in c("cosine", "whitened_cosine")) {
    fit <- function(model) fit_rdm_model(model, made$data, outer, na = "pairwise")
    error <- expect_error(fit(weighted(1:40, 38:66)), class = "repalign_error_size")
    expect_match(conditionMessage(error), "0 pairs")
    expect_true(is.finite(fit(weighted(1:40, 44:66))$score))
    set.seed(5)
    result <- suppressMessages(suppressWarnings(
      evaluate_rdms(made$data, weighted(1:40, 44:66), outer, draws = 20, na = "pairwise")))
    expect_gt(result$left_out, 0)
    expect_true(is.finite(result$score))
  }
})

test_that("the units of RDMs change no score", {
  made <- made_rdms(10, 3, 2)
  scores <- function(unit, outer) {
    set.seed(2)
    data <- lapply(made$data, `*`, unit)
    models <- lapply(made$models, `*`, unit)
    weighted <- rdm_model(models, "weighted")
    result <- suppressWarnings(evaluate_rdms(data, c(models, list(sum = weighted)), outer,
                                             resample = "rdm", draws = 20))
    c(result$score, result$se, result$ceiling_low, result$ceiling_high,
      fit_rdm_model(weighted, data, outer)$score,
      subject_ceiling(data, measure("rsa", outer = outer))$upper)
  }
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson")) {
    expected <- scores(1, outer)
    for (unit in c(1e-150, 1e-90, 1e90, 1e140)) {
      expect_equal(scores(unit, outer), expected, info = paste(outer, unit))
    }
  }
})

test_that("RDMs of TRUE and FALSE are 1 and 0", {
  kind <- rep(1:3, each = 4)
  logical <- outer(kind, kind, "!=")
  for (rdm in list(logical, as.dist(logical))) {
    expect_identical(as.vector(as_rdm(rdm)), as.vector(as.dist(logical + 0)))
  }
  made <- made_rdms(n = 12)
  expect_equal(evaluate_rdms(made$data, list(m = logical), "pearson", "none")$score,
               evaluate_rdms(made$data, list(m = logical + 0), "pearson", "none")$score)
})

test_that("models predict with given weights, in their order or by name", {
  made <- made_rdms(n = 10)
  model <- rdm_model(made$models, "weighted")
  weights <- c(m1 = 2, m2 = 0, m3 = -1)
  expected <- 2 * as.vector(made$models$m1) - as.vector(made$models$m3)
  expect_equal(as.vector(predict(model, weights)), expected)
  expect_identical(predict(model, rev(weights)), predict(model, unname(weights)))
  expect_identical(as.vector(predict(rdm_model(made$models$m1))), as.vector(made$models$m1))
  fit <- fit_rdm_model(model, made$data, "pearson")
  expect_equal(as.vector(predict(model, coef(fit))), as.vector(predict(fit)))
  expect_error(predict(model), "3 finite numbers", class = "repalign_error_value")
  expect_error(predict(model, c(m1 = 1, m2 = 2, other = 3)), "m3",
               class = "repalign_error_names")
})

test_that("a fit in which no component helps says that its score is undefined", {
  made <- made_rdms(n = 10)
  away <- lapply(made$data[1:2], function(d) max(d) - d)
  model <- rdm_model(away, "weighted", nonnegative = TRUE)
  expect_warning(fit <- fit_rdm_model(model, made$data[1:2], "pearson"),
                 class = "repalign_undefined")
  expect_identical(unname(coef(fit)), c(0, 0))
  expect_identical(fit$score, NA_real_)
})

test_that("a representation in the place of a model of RDMs is told how it becomes one", {
  set.seed(1)
  rdms <- list(a = dist(matrix(rnorm(24), 8))^2, b = dist(matrix(rnorm(24), 8))^2)
  expect_error(evaluate_rdms(rdms, list(m = matrix(rnorm(40), 8))), "dist(models$m)^2 where",
               fixed = TRUE, class = "repalign_error_type")
})
