# in_words(): sentences by snapshots (tests/testthat/_snaps/sentences.md), and what holds for every
# class: numbers are those of the result, rows may be cut, undefined values are told.

results <- results_by_class()
speaking <- setdiff(names(results), "repalign_measures")

# What in_words() says, without its class and in the lines in which it prints.
told_lines <- function(result) strwrap(in_words(result), 90)

test_that("every class has its sentence", {
  expect_snapshot({
    for (class in speaking) {
      for (result in results[[class]]) cat("", class, told_lines(result), sep = "\n")
    }
  })
})

test_that("what has no sentence says what has one", {
  expect_refused(in_words(measures()), "not what measures[(][)] returned: what .*score_interval[(]")
  expect_refused(in_words(1:3), "scores, intervals or p-values, .*.* more functions")
  expect_refused(in_words(results$repalign_interval[[1]][0, ]), "no rows")
  expect_refused(in_words(results$repalign_interval[[1]], digits = 3), "digits")
  expect_refused(in_words(results$repalign_interval[[1]]["score"]), "column")
})

# The numbers with decimals in a text; p-values are written without 0.
numbers_of <- function(text) {
  found <- unlist(regmatches(text, gregexpr("-?[0-9,]*[.][0-9]+", text)))
  data.frame(value = as.double(gsub(",", "", found)), decimals = nchar(sub(".*[.]", "", found)))
}

# All numbers that a sentence may take: of the columns, and of what is known of all rows.
known_numbers <- function(result) {
  facts <- attributes(result)[c("model", "settings", "facts", "group", "conf_level", "margin",
                                "whole", "scores")]
  numbers <- c(unlist(Filter(is.numeric, as.data.frame(result))), judged = 0.05,
               unlist(rapply(facts, as.double, classes = "numeric", how = "unlist")),
               unlist(attr(result, "slopes")[-1]), -as.double(attr(result, "slopes")$slope),
               # scores without a part
               attr(result, "scores")$score - result$effect)
  if (inherits(result, "repalign_consensus")) {
    gap <- result$difference[result$kind == "model"]
    errors <- errors_of_difference(attr(result, "errors")$parts)[seq_along(gap), ]
    away <- stats::qt(0.975, errors$df) * errors$se
    numbers <- c(numbers, gap - away, gap + away)
  }
  numbers[!is.na(numbers)]
}

expect_known_numbers <- function(result, info) {
  text <- gsub("< .001|> .99", "", in_words(result))
  numbers <- numbers_of(text)
  known <- known_numbers(result)
  for (k in seq_len(nrow(numbers))) {
    apart <- min(abs(known - numbers$value[k]))
    expect_lte(apart, 0.5 * 10^-numbers$decimals[k] * (1 + 1e-9), label = paste(info, text))
  }
}

test_that("every number is one of the result, rounded", {
  for (class in speaking) for (result in results[[class]]) expect_known_numbers(result, class)
})

test_that("some rows have their own sentence", {
  for (class in speaking) {
    for (result in results[[class]]) {
      one <- result[nrow(result), ]
      expect_s3_class(in_words(one), "repalign_words")
      expect_true(all(nzchar(in_words(one))), info = class)
      expect_known_numbers(one, class)
      # those of regressions name the predictors in their order
      if (grepl("regression", class)) next
      turned <- result[rev(seq_len(nrow(result))), ]
      expect_setequal(unclass(in_words(turned)), unclass(in_words(result)))
    }
  }
})

# The column of each class without which there is nothing to tell.
main_columns <- function(result) {
  columns <- result_classes[[class(result)[1]]]$columns
  intersect(c(columns$name[columns$shown %in% 1], "p_value", "p_adjusted", "p_familywise"),
            names(result))
}

test_that("undefined values are told, and never a number", {
  for (class in setdiff(speaking, c("repalign_benchmark", "repalign_regression"))) {
    for (result in results[[class]]) {
      for (column in main_columns(result)) result[[column]][] <- NA
      text <- in_words(result)
      expect_true(any(grepl("undefined|NA", text)), info = paste(class, text))
      expect_false(any(grepl("NaN|Inf|NULL|character[(]0", text)), info = paste(class, text))
    }
  }
})

test_that("some undefined values are counted", {
  x <- results$repalign_calibration[[1]]
  x[1, c("score", "p_value", "p_adjusted")] <- NA
  expect_match(in_words(x), "1 of 2 p-values is undefined", fixed = TRUE)
  scores <- results$repalign_interval[[1]]
  scores$score[1] <- NA
  expect_match(in_words(scores), "1 of 2 scores is undefined", fixed = TRUE)
})

test_that("p-values stay on their side of the level, numbers keep what tells them apart", {
  expect_identical(vapply(c(0.0004, 0.004, 0.0496, 0.0504, 0.05, 0.23, 0.9999, NA), p_words, ""),
                   c("p < .001", "p = .004", "p = .0496", "p = .0504", "p = .050", "p = .23",
                     "p > .99", "p undefined (NA)"))
  expect_identical(p_words(0.0099996, 0.01), "p = .0099996")
  expect_identical(unname(number_words(0.586, 0.405, 0.768)), c("0.59", "0.41", "0.77"))
  expect_identical(unname(number_words(0.5860, 0.5855, 0.5865)), c("0.5860", "0.5855", "0.5865"))
  expect_identical(unname(number_words(-0.001, 0.5)), c("0.00", "0.50"))
  expect_identical(vapply(c(0.0123, 12.345, 1234.5, 0, 1.5e-9), number_word, ""),
                   c("0.012", "12.3", "1,234", "0.00", "1.5e-09"))
})

test_that("measures are named in words", {
  expect_identical(measure_words("cka(naive)"), "uncorrected CKA")
  expect_identical(measure_words("angular_cka(naive)"), "uncorrected angular CKA")
  # a label that the user gave does not say which
  expect_identical(measure_words("cka"), "CKA")
  expect_identical(measure_words("cka(stimulus_neuron)"), "CKA corrected for few stimuli and neurons")
  expect_identical(measure_words("cka(stimulus_neuron, complete y)"),
                   "CKA corrected for few stimuli and few neurons of x")
  expect_identical(measure_words("cka(stimulus_neuron, complete both)"),
                   "CKA corrected for few stimuli")
  expect_identical(measure_words("cka(stimulus_neuron_trial)"),
                   "CKA corrected for few stimuli, few neurons and the noise of trials")
  expect_identical(measure_words("rsa(pearson)"), "RSA score with Pearson correlation")
  expect_identical(measure_words("mine (of 2026)"), "mine (of 2026)")
  for (id in measures()$id) expect_true(nzchar(measure_words(id)))
})

test_that("sources are told one by one, distances are close", {
  p <- results$repalign_similarity[[1]]
  both <- rbind(day1 = p, day2 = p)
  expect_identical(unclass(in_words(both)), paste0(c("day1: ", "day2: "), in_words(p)))
  set.seed(302)
  layers <- lapply(c(a = 4, b = 5, c = 6), function(q) matrix(rnorm(20 * q), 20))
  distances <- similarity(layers, measure = "procrustes")
  best <- distances[which.min(distances$score), ]
  expect_match(in_words(distances), paste(best$x, "and", best$y, "were closest"), fixed = TRUE)
  calibrated <- calibrate(layers$a, layers$a, "procrustes", permutations = 19)
  expect_match(in_words(calibrated), "below chance (p = ", fixed = TRUE)
  unrelated <- calibrate(layers$a, layers$b, "cka", permutations = 19)
  expect_match(in_words(unrelated), "not above chance (p = ", fixed = TRUE)
})

test_that("aggregates name what they are of", {
  set.seed(303)
  layers <- lapply(c(a = 4, b = 5, c = 6), function(q) matrix(rnorm(20 * q), 20))
  largest <- suppressMessages(calibrate(layers$a, layers[-1], permutations = 19, aggregate = "max"))
  expect_match(in_words(largest), "The largest uncorrected CKA over the layers of x and y (",
               fixed = TRUE)
})

test_that("summaries end with the sentences, and a part of a summary does not", {
  any_table <- function(result) utils::capture.output(print(summary(result)))
  for (class in c("repalign_similarity", "repalign_calibration", "repalign_interval",
                  "repalign_benchmark", "repalign_best", "repalign_evaluation",
                  "repalign_searchlight", "repalign_plan", "repalign_dimension")) {
    result <- results[[class]][[1]]
    shown <- suppressWarnings(any_table(result))
    words <- utils::capture.output(print(in_words(result)))
    expect_identical(utils::tail(shown, length(words)), words, info = class)
  }
  scores <- summary(results$repalign_similarity[[1]])
  expect_output(print(scores[0, ]), "measure")
  silent <- function(x) !any(grepl("most similar", utils::capture.output(print(x))))
  expect_true(silent(scores[1, ]))
  expect_true(silent(rbind(scores, scores)))
  expect_output(print(results$repalign_regression_group[[1]]), "In a regression of RDMs")
  expect_output(print(results$repalign_summary[[1]]), "the CKA corrected")
})

test_that("sentences go into text", {
  words <- in_words(results$repalign_interval[[1]])
  expect_identical(paste(words), as.character(words))
  expect_type(unclass(words), "character")
  expect_output(print(words), "95% interval")
})

test_that("a chosen row of a calibration tells of how many it was chosen", {
  set.seed(3)
  x <- matrix(rnorm(60), 20)
  layers <- lapply(c(a = 1, b = 2, c = 3), function(k) matrix(rnorm(60), 20))
  found <- calibrate(x, layers, c("cka", "rsa"), permutations = 19)
  expect_match(in_words(found[1, ]), "one of 6, p not adjusted for their number")
  expect_match(in_words(found[1:2, ])[1], "Of 2 pairs chosen from 6", fixed = TRUE)
  expect_no_match(in_words(found), "chosen|one of")
  expect_match(in_words(rbind(found[1, ], found[2, ])), "chosen from 6")
  adjusted <- calibrate(x, layers, permutations = 19, p_adjust = "holm")
  expect_match(in_words(adjusted[1, ]), "holm-adjusted p [^,]*, one of 3, [0-9]+ perm")
})

test_that("sides without names of their own are told by what they are", {
  set.seed(1)
  x <- matrix(rnorm(240), 24)
  y <- x[, 1:6] + rnorm(144)
  says <- function(result, text) expect_match(quietly(in_words(result)), text, fixed = TRUE)
  says(rdm_rows(dist(x), dist(y)), "correlation of `x` and `y` (score")
  quietly({
    says(brain_to_brain(x, neurons = 4, repeats = 2, estimator = "stimulus"), "of two halves of x")
    says(brain_to_model(x, list(a = y), neurons = 8, repeats = 2, complete = "y"),
         "few neurons of the brain")
    says(score_interval(encode(list(a = x, b = y), y)), "similar to `to` (R squared")
  })
})

test_that("others above chance: each by itself, where they were not tested together", {
  expect_equal(others_chance_words(c(0.01, 0.02, 0.5), 0.05, 1, alone = TRUE),
               " Of the others, 2 were above chance, each by itself.")
  expect_equal(others_chance_words(c(0.01, 0.02, 0.5), 0.05, 1),
               " Of the others, 2 were above chance.")
})

test_that("values above 1 are told for what they are", {
  name <- measure_words("cka(stimulus_neuron_trial)")
  odd <- function(...) odd_value_words(name, ...)
  expect_null(odd(0.9, 0.8))
  expect_null(odd(NA))
  expect_null(odd_value_words("uncorrected CKA", 1 + 1e-15))
  expect_match(odd(1.12, 0.9), "at most 1: of the interval 0.90 to 1 is left", fixed = TRUE)
  expect_match(odd(1.74, -0.6), "0 and 1 in it says little", fixed = TRUE)
  expect_match(odd(1.12), "this is chance, or units share noise", fixed = TRUE)
  expect_match(odd(1.12, 1.02), "more than chance: units share noise or are on both sides, or one",
               fixed = TRUE)
  for (value in c(2.14, -1.3, 121)) expect_match(odd(value, 0.5), "means nothing")
  set.seed(4)
  shared <- matrix(rnorm(600), 60) %*% matrix(rnorm(450), 10)
  noise <- function() shared + matrix(rnorm(2700), 60)
  common <- noise()
  set <- measure("cka", estimator = "stimulus_neuron")
  found <- quietly(score_interval(common, common + 0.1, set))
  expect_gt(found$conf_low, 1)
  expect_match(in_words(found), "more than chance")
  expect_match(in_words(quietly(similarity(common, common + 0.1, set))), "this is chance, or")
  expect_match(in_words(quietly(cka_interval(common, common + 0.1)))[3], "more than chance")
  # shares of the noise ceiling
  trials <- array(shared, c(60, 45, 4)) + rnorm(60 * 45 * 4)
  result <- quietly(evaluate_models(trials, list(a = shared), measure = set, permutations = 0))
  told <- function(score, low) {
    changed <- result
    changed[c("score", "conf_low", "share")] <- list(score, low, score / result$ceiling)
    in_words(changed)
  }
  expect_match(told(0.5, 0.4), "that is [0-9]+% of the noise ceiling")
  expect_match(told(1.04, 0.9), "that is not below the noise ceiling, [0-9.]+\\. True values are")
  expect_match(told(1.04, 1.02), "above the noise ceiling, [0-9.]+\\. No true")
  # ceilings above 1
  result$ceiling <- 1.33
  expect_match(told(0.5, 0.4), "38% of the noise ceiling, 1.33 [(]no true one is above 1[)]")
  subjects <- quietly(subject_ceiling(list(a = common, b = common + 0.1), set))
  subjects$ceiling <- 1.33
  expect_match(in_words(subjects), "of 1.33 [(]no true one is above 1[)]")
  subjects$ceiling <- 0.9
  expect_no_match(in_words(subjects), "no true one")
})

test_that("a p-value that was warned of is not told as a relation", {
  set.seed(41)
  slow <- function() apply(matrix(stats::rnorm(60 * 4), 60), 2, cumsum)
  x <- slow()
  y <- lapply(1:2, function(k) slow())
  one <- suppressWarnings(calibrate(x, y[[1]], "rv", permutations = 99))
  for (result in list(one, rbind(a = one, b = one),
                      suppressWarnings(calibrate(x, y[[1]], "rv", permutations = 99,
                                                 series = "circular")))) {
    text <- as.character(in_words(result))
    expect_match(text, "no evidence of a relation")
    expect_no_match(text, "above chance")
  }
  rows <- matrix(stats::rnorm(240), 60)
  expect_match(in_words(calibrate(rows, rows, "rv", permutations = 99)), "above chance")
})

test_that("what a warning about the rows took back is not claimed", {
  set.seed(311)
  walk <- function() apply(matrix(stats::rnorm(60 * 8), 60), 2, cumsum)
  x <- walk()
  y <- walk()
  rdms <- list(a = stats::dist(x), b = stats::dist(x + stats::rnorm(480)))
  doubted <- list(
    calibrate(x, y, permutations = 99),
    evaluate_models(x, list(m = y), permutations = 99),
    evaluate_rdms(rdms, list(m = stats::dist(y)), draws = 20, permutations = 99),
    # errors over RDMs have no doubt, but p-values do
    evaluate_rdms(rdms, list(m = stats::dist(y)), draws = 20, resample = "rdm",
                  permutations = 99),
    encode(x, y, permutations = 19),
    searchlight(x, list(a = 1:4, b = 5:8), stats::dist(y), permutations = 19)
  ) |> suppressMessages() |> suppressWarnings()
  for (result in doubted) {
    text <- in_words(result)
    expect_match(text, "if they were sampled so, this is no evidence of a relation", fixed = TRUE)
    expect_no_match(text, "(above|below|against) chance")
  }
  # nothing is doubted without permutations, or if they respect what depends on what
  believed <- list(
    calibrate(x, y, series = "linear"),
    evaluate_models(x, list(m = y), permutations = 0),
    evaluate_models(x, list(m = y), series = "linear"),
    encode(x, y)
  ) |> suppressMessages() |> suppressWarnings()
  for (result in believed) expect_no_match(in_words(result), "no evidence", fixed = TRUE)
})

test_that("models are told with what their own errors are over", {
  set.seed(11)
  shared <- matrix(rnorm(120), 40)
  side <- function(q) shared %*% matrix(rnorm(3 * q), 3) + 0.3 * rnorm(40 * q)
  found <- quietly(evaluate_models(side(25), list(A = side(30), F = factor(shared[, 1] > 0)),
                                   permutations = 19))
  expect_match(in_words(found), "neurons of the recording and units of the models, 40")
  expect_match(in_words(found[2, ]), "over stimuli and neurons of the recording, 40")
  expect_output(print(found[2, ]), "over stimuli and neurons\n")
  expect_output(print(found), "over stimuli, neurons and units of the models, or over stimuli and")
})

test_that("differences without errors are neither undefined nor found alike", {
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  same <- score_interval(x, list(a = x[, 1:2], b = x[, 1:2], c = matrix(rnorm(60), 20)))
  all <- quietly(compare_scores(same))
  expect_match(in_words(all), "2 were different from 0 .*[.] 1 is without a standard error[.]$")
  expect_output(print(all), "3 differences, 1 without a standard error.*over 2 differences")
  expect_match(in_words(all[1, ]), "was 0.00, without a standard error")
  one <- all[1, ]
  expect_match(in_words(rbind(one, one)), "none could be tested. 2 are without a standard error")
})

test_that("the best of several is told with those that are as good", {
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  y <- list(a = x, b = 2 * x, c = matrix(rnorm(60), 20))
  expect_match(in_words(similarity(x, y)), "a, like 1 other, was most similar to x")
  expect_no_match(in_words(similarity(x, y[c("a", "c")])), "like")
  lost <- similarity(x, y)
  lost$score <- NA_real_
  expect_match(in_words(lost), "all 3 scores are undefined (NA)", fixed = TRUE)
})

test_that("of chosen parts nothing is said about the whole", {
  set.seed(5)
  x <- matrix(rnorm(180), 30)
  parts <- contributions(x, x + rnorm(180), "cka", by = "groups", groups = rep(c("u", "v", "w"), 10))
  expect_match(in_words(parts), "the largest part came from")
  expect_match(in_words(parts[1:2, ]), "the largest part shown here came from")
})

test_that("figures of outputs are told as the correlations that they are", {
  set.seed(1)
  models <- lapply(c(a = 1, b = 2, c = 3, d = 4), function(i) matrix(rnorm(60), 20))
  found <- benchmark_outputs(models, NULL, accuracy = c(0.9, 0.8, 0.7, 0.95), measures = "cka",
                             model_permutations = 19)
  expect_match(in_words(found), "^The Spearman correlation of dissimilarity with the difference in accuracy by the")
})
