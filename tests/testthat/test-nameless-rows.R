# Results without rows, and with rows that are NA as a whole, as result[result$score > 0.5, ] gives
# them where a score is NA.

quiet <- function(code) suppressMessages(suppressWarnings(code))

result_of <- function(name) quiet(outcome_of(name, argument_calls()[[name]]))

printed <- function(x) paste(utils::capture.output(print(x)), collapse = "\n")

test_that("rows that are NA are printed, and are no measure of their own", {
  scores <- result_of("similarity")
  lost <- scores[c(1:2, NA), ]
  expect_match(printed(lost), "3 scores of 2 measures, 1 undefined")
  expect_match(printed(scores[NA_integer_, ]), "1 score, 1 undefined")
  ranks <- result_of("rank_measures")
  for (rows in list(ranks[0, ], ranks[NA_integer_, ])) expect_match(printed(rows), "0 measures")
  expect_identical(nrow(summary(ranks[0, ])), 0L)
  light <- result_of("searchlight")
  expect_match(printed(light[NA_integer_, ]), "Best centres")
})

test_that("rows without a measure are refused where they would have to be told apart", {
  scores <- result_of("similarity")
  lost <- scores
  lost$measure[2] <- NA
  expect_refused(score_matrix(lost, "cka"), c("without a measure", "row 2", "is.na\\(result"))
  lost$measure <- NA
  expect_refused(score_matrix(lost), "without a measure")
  expect_refused(summary(scores[c(1, NA, NA), ]), "without a measure")
  benchmark <- argument_calls()$rank_measures$one
  expect_refused(rank_measures(benchmark[c(1, NA), ]), "without a measure")
  skip_if_not_installed("ggplot2")
  expect_refused(plot(scores[c(1, NA), ]), "without a measure")
  expect_refused(plot(benchmark[c(1, NA), ]), "without a measure")
})

test_that("results without rows are refused or give tables without rows", {
  benchmark <- argument_calls()$rank_measures$one
  expect_refused(rank_measures(benchmark[0, ]), "has no rows")
  expect_refused(rank_measures(benchmark, none = benchmark[0, ]), "\"none\" has no rows")
  compared <- result_of("compare_scores")
  expect_identical(nrow(tidy(compared[0, ])), 0L)
  expect_identical(dim(stats::confint(compared[0, ])), c(0L, 2L))
  layers <- argument_calls()$similarity$x
  aggregated <- quiet(calibrate(list(a = layers, b = layers), permutations = 11,
                                aggregate = "max"))
  expect_identical(nrow(summary(aggregated[0, ])), 0L)
})

test_that("groups of compare_best() are names or numbers, and nothing else", {
  result <- argument_calls()$compare_best$result
  for (group in list(mean, NULL, TRUE, quote(a), list("a"), factor("a"), 1i)) {
    expect_refused(compare_best(result, group, "b"), "`group_1`")
    expect_refused(compare_best(result, "b", group), "`group_2`")
  }
})

test_that("models may be a factor in an evaluation", {
  evaluation <- result_of("evaluate_rdms")
  set.seed(1)
  usual <- quiet(best_score(evaluation))
  evaluation$model <- factor(evaluation$model)
  set.seed(1)
  expect_identical(quiet(best_score(evaluation))$best, usual$best)
})

test_that("a ceiling of one group has no score between subjects", {
  layers <- argument_calls()$subject_ceiling$x
  for (measure in list("rsa", "cka", measure("cka", estimator = "stimulus"))) {
    expect_warning(found <- subject_ceiling(layers, measure, group = rep("g", 3)),
                   class = "repalign_undefined")
    expect_identical(found$pairwise, NA_real_)
    expect_false(is.nan(found$pairwise))
  }
})

test_that("data of any class are told from a covariance", {
  expect_refused(noise_covariance(structure(diag(3) + 1, class = "own")), "symmetric matrix")
  expect_refused(noise_covariance(as.table(diag(3) + 1)), "symmetric matrix")
})

test_that("one permutation of the models is counted as any other number is", {
  call <- argument_calls()$benchmark_outputs
  call$model_permutations <- 1
  found <- quiet(do.call(benchmark_outputs, call))
  known <- !is.na(found$p_value)
  expect_true(any(known))
  expect_true(all(found$p_value[known] %in% c(0.5, 1)))
})
