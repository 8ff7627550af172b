# measure("encode") in evaluate_models(): scores, errors and p-values are those of encode().

normal <- function(n, q) matrix(rnorm(n * q), n)

set.seed(1)
x <- normal(60, 5)
models <- list(good = x, wide = cbind(x[, 1:2], normal(60, 70)), none = normal(60, 4))
data <- array(x %*% normal(5, 6), c(60, 6, 3)) + rnorm(60 * 6 * 3, sd = 2)
folds <- rep(1:5, 12)

test_that("evaluate_models() calls encode() for each model", {
  set.seed(2)
  moved <- t(replicate(19, sample(60)))
  for (lambda in list(10, c(1, 10, 100))) {
    settings <- list("encode", folds = folds, lambda = lambda)
    found <- suppressMessages(evaluate_models(data, models, measure = do.call(measure, settings),
                                              permutations = moved))
    result <- suppressMessages(encode(models, data, folds = folds, lambda = lambda,
                                      permutations = moved))
    expect_equal(found$score, result$score)
    expect_equal(found$p_chance, result$p_value)
    expect_equal(found$share, result$normalized)
    expect_equal(found$ceiling, result$ceiling)
    expect_equal(found$se, score_interval(result)$se)
    expect_identical(found$model, names(models))
    expect_match(in_words(found), paste0(names(models)[1], " predicted the recording best"))
    expect_identical(found$best, c(TRUE, FALSE, FALSE))
    expect_true(all(found$p_familywise >= found$p_chance - 1e-9))
    if (length(lambda) == 1) expect_true(all(is.finite(found$threshold)))
    compared <- compare_scores(found, draws = 99)
    expect_equal(compared$difference, compare_scores(score_interval(result), draws = 99)$difference)
  }
})

test_that("what encode() or evaluate_models() has no answer for is refused", {
  run <- function(...) evaluate_models(data, models, ..., permutations = 0)
  expect_refused(run(measure = measure("encode"), over = "neurons_x"), "only be \"stimuli\"")
  expect_refused(run(measure = measure("encode"), blocks = folds), "`blocks` cannot be used")
  expect_refused(evaluate_models(list(a = x, b = x), models, measure = measure("encode")),
                 "list of subjects")
  expect_refused(measure("encode", score_by = "cor"), "weighted R squared")
  expect_refused(measure("encode", clusters = folds), "argument of evaluate_models")
  expect_refused(measure("encode", method = "pls"), "`components` is missing")
  expect_refused(similarity(x, x, measure("encode")), "encode\\(from, to\\)")
  expect_output(print(measure("encode", lambda = 1)), "ridge r2 \\(similarity, -Inf to 1\\)")
  expect_message(clustered <- evaluate_models(data, models, measure = measure("encode"),
                                              clusters = rep(1:20, c(2, 4, rep(3, 18))),
                                              permutations = 9), "No p_chance")
  expect_true(all(is.na(clustered$p_chance)))
})
