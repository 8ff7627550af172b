# evaluate_models() of recordings is made of parts that are tested elsewhere: here it is these parts
# that are looked for, what they are put together to, and what is refused.

recordings <- local({
  set.seed(4)
  n <- 30
  latent <- matrix(rnorm(n * 3), n)
  neurons <- function(q, noise) latent %*% matrix(rnorm(3 * q), 3) + noise * matrix(rnorm(n * q), n)
  trials <- array(neurons(10, 0), c(n, 10, 4)) + array(rnorm(n * 10 * 4), c(n, 10, 4))
  list(n = n, x = neurons(10, 1), trials = trials,
       models = list(near = neurons(12, 0.3), far = neurons(9, 3),
                     other = matrix(rnorm(n * 3), n) %*% matrix(rnorm(24), 3) + 0.1 * rnorm(n * 8)),
       subjects = list(a = neurons(8, 1), b = neurons(9, 1), c = neurons(7, 1)))
})

mute <- function(code) suppressMessages(suppressWarnings(code))

from_seed <- function(code) {
  set.seed(11)
  mute(code)
}

evaluated_by_hand <- function(data, measure, over, ...) {
  set.seed(11)
  mute({
    interval <- score_interval(data, recordings$models, measure, over = over)
    chance <- calibrate(data, recordings$models, measure, 49, ...)
    list(interval = interval, chance = chance)
  })
}

corrected <- measure("cka", estimator = "stimulus_neuron")

test_that("of a matrix, it is the corrected CKA with the numbers of its parts", {
  found <- from_seed(evaluate_models(recordings$x, recordings$models, permutations = 49))
  parts <- evaluated_by_hand(recordings$x, corrected, NULL)
  expect_identical(found$model, names(recordings$models))
  expect_identical(unique(found$measure), "cka(stimulus_neuron)")
  for (column in c("score", "se", "df", "conf_low", "conf_high", "n")) {
    expect_identical(found[[column]], parts$interval[[column]], info = column)
  }
  expect_identical(found$p_chance, parts$chance$p_value)
  best <- from_seed({
    calibrate(recordings$x, recordings$models, corrected, 49)
    best_score(parts$interval, by = NULL)
  })
  expect_identical(found$model[found$best], best$in_set[[1]])
  expect_true(all(is.na(found$ceiling)) && all(is.na(found$share)))
})

test_that("trials and subjects have their estimators and ceilings", {
  v <- responses(recordings$trials)
  found <- from_seed(evaluate_models(recordings$trials, recordings$models, permutations = 19))
  expect_identical(unique(found$measure), "cka(stimulus_neuron_trial)")
  expect_identical(found$share, found$score)
  expect_identical(found, from_seed(evaluate_models(v, recordings$models, permutations = 19)))
  rows <- from_seed(evaluate_models(v, recordings$models, measure = corrected, permutations = 19))
  ceiling <- mute(noise_ceiling(v, recordings$models, corrected))
  expect_equal(rows$ceiling, ceiling$ceiling)
  expect_equal(rows$ceiling_se, ceiling$ceiling_se)
  expect_equal(rows$share, rows$score / ceiling$ceiling)
  # of a distance there is no ceiling
  rows <- from_seed(evaluate_models(v, recordings$models, measure = "procrustes",
                                    permutations = 19))
  expect_true(all(is.na(rows$ceiling)))
  subjects <- from_seed(evaluate_models(recordings$subjects, recordings$models, permutations = 49))
  parts <- evaluated_by_hand(recordings$subjects, corrected, "these_subjects")
  expect_output(print(subjects), "Models of 3 subjects: 3 models")
  expect_match(in_words(subjects), "similar to the 3 subjects")
  expect_identical(subjects$score, parts$interval$score)
  expect_identical(subjects$se, parts$interval$se)
  each <- mute(null_scores(parts$chance))
  of_model <- rep(seq_along(recordings$models), 3)
  for (k in seq_along(recordings$models)) {
    null <- rowMeans(each[, of_model == k])
    p <- (1 + sum(null >= subjects$score[k])) / (length(null) + 1)
    expect_equal(subjects$p_chance[k], p)
  }
  expect_equal(subjects$ceiling,
               rep(mute(subject_ceiling(recordings$subjects, corrected))$ceiling, 3))
})

# The formula of the contract, value by value.
familywise_by_hand <- function(score, null) {
  all <- rbind(score, null)
  z <- apply(all, 2, function(values) {
    if (stats::sd(values) == 0) 0 * values else (values - mean(values)) / stats::sd(values)
  })
  largest <- apply(z[-1, , drop = FALSE], 1, max)
  vapply(seq_along(score), function(l) (1 + sum(largest >= z[1, l])) / nrow(z), 0)
}

test_that("p_familywise is that of the largest of all models, and threshold its limit", {
  for (measure in list("rsa", "procrustes")) {
    found <- from_seed(evaluate_models(recordings$x, recordings$models, measure = measure,
                                       over = "stimuli", permutations = 199, alpha = 0.1))
    null <- attr(found, "null")
    sign <- if (measure == "rsa") 1 else -1
    expect_identical(ncol(null), 3L)
    expect_gte(nrow(null), 199)
    expect_equal(found$p_familywise, familywise_by_hand(sign * found$score, sign * null))
    expect_true(all(found$p_familywise >= found$p_chance))
    expect_identical(found$p_familywise <= 0.1, sign * found$score > sign * found$threshold)
  }
  # a model without spread has z = 0, an undefined null score counts against all
  null <- cbind(a = c(1, 2, NA, 0), b = 1)
  family <- over_all_models(c(3, 1), null, 1, 0.5)
  expect_equal(family$p_value[1], (1 + 1) / 5)
  expect_equal(family$p_value[2], 1)
})

test_that("errors of tests are those of the level", {
  set.seed(2)
  below <- replicate(90, {
    x <- matrix(rnorm(12 * 4), 12)
    shared <- matrix(rnorm(12 * 4), 12)
    models <- lapply(c(a = 1, b = 2, c = 3), function(k) shared + k * matrix(rnorm(12 * 4), 12))
    null <- mute(calibrate(x, models, "rv", 39))
    any(over_all_models(null$score, null_scores(null), 1, 0.1)$p_value <= 0.1)
  })
  # 0.1 with a standard error of 0.03
  expect_gt(mean(below), 0.02)
  expect_lt(mean(below), 0.19)
})

test_that("what compares scores takes it, also after rows are cut and ordered", {
  found <- from_seed(evaluate_models(recordings$x, recordings$models, permutations = 19))
  interval <- evaluated_by_hand(recordings$x, corrected, NULL)$interval
  same <- function(fun, ...) {
    expect_equal(as.data.frame(from_seed(fun(found, ...))),
                 as.data.frame(from_seed(fun(interval, ...))))
  }
  same(compare_scores, draws = 99)
  same(best_score, by = NULL, draws = 99)
  same(compare_best, group_1 = c("near", "far"), group_2 = "other", draws = 99)
  expect_equal(unname(confint(found, level = 0.8)), unname(confint(interval, level = 0.8)))
  expect_equal(unname(vcov(found)), unname(vcov(interval)))
  cut <- compare_scores(found[3:2, ], draws = 99)
  expect_identical(c(cut$score_1, cut$score_2), c("other", "far"))
  expect_equal(cut$difference, found$score[3] - found$score[2])
  changed <- found
  changed$model[1] <- "gone"
  expect_error(compare_scores(changed), "no longer", class = "repalign_error_rows")
})

test_that("factors are models of categories, for recordings and for RDMs", {
  labels <- rep(c("a", "b", "c"), 10)
  named <- factor(stats::setNames(labels, paste0("s", 1:30)))
  names(named) <- paste0("s", 1:30)
  x <- recordings$x
  rownames(x) <- names(named)
  indicator <- responses(outer(labels, unique(labels), "==") + 0, complete = TRUE)
  found <- mute(evaluate_models(x, list(labels = named), permutations = 0))
  by_hand <- mute(cka(unname(x), indicator, estimator = "stimulus_neuron"))
  expect_equal(found$score, by_hand)
  shuffled <- sample(named)
  expect_message(again <- suppressWarnings(
    evaluate_models(x, list(labels = shuffled), permutations = 0)), "order")
  expect_equal(again$score, by_hand)
  rdms <- list(a = dist(x), b = dist(x + 1:30))
  different <- stats::as.dist(outer(named, named, "!=") + 0)
  both <- mute(evaluate_rdms(rdms, list(labels = named, rdm = different), "pearson", draws = 20,
                             permutations = 0))
  expect_equal(both$score[1], both$score[2])
  expect_identical(mute(predict(rdm_model(named)))[1:3], as.double(different)[1:3])
  expect_error(evaluate_models(x, list(one = factor(rep("a", 30)))), "`models[$]one`.*one category",
               class = "repalign_error_labels")
})

test_that("clusters change places as a whole, and have no p-value where their sizes differ", {
  clusters <- rep(1:10, each = 3)
  found <- mute(evaluate_models(recordings$x, recordings$models, clusters = clusters,
                                permutations = 19))
  by_hand <- mute(score_interval(recordings$x, recordings$models, corrected, clusters = clusters,
                                 over = NULL))
  expect_identical(found$se, by_hand$se)
  expect_false(anyNA(found$p_chance))
  expect_message(uneven <- suppressWarnings(
    evaluate_models(recordings$x, recordings$models, clusters = c(rep(1:9, each = 3), 9, 10, 10),
                    permutations = 19)), class = "repalign_no_chance")
  expect_true(all(is.na(uneven$p_chance)) && all(is.na(uneven$p_familywise)))
})

test_that("what is given for the other kind of data is refused, and arguments have their own names", {
  models <- recordings$models
  rdms <- lapply(recordings$subjects, dist)
  of_rdms <- lapply(models, dist)
  expect_error(evaluate_models(recordings$x, models, outer = "pearson"), "argument `outer`",
               class = "repalign_error_parameter")
  expect_error(evaluate_rdms(rdms, of_rdms, measure = "cka"), "argument `measure`",
               class = "repalign_error_parameter")
  for (given in list(rdms, rdms[[1]], as.matrix(rdms[[1]]), c(list(recordings$x), rdms))) {
    expect_error(evaluate_models(given, of_rdms, outer = "cosine"), "is an RDM: evaluate_rdms",
                 class = "repalign_error_type")
  }
  expect_error(evaluate_models(c(list(d = recordings$x), rdms), of_rdms), "`data[$]a`")
  for (given in list(recordings$x, recordings$trials, responses(recordings$trials),
                     as.data.frame(recordings$x), recordings$subjects,
                     c(rdms, list(d = recordings$x)))) {
    expect_error(evaluate_rdms(given, of_rdms), "is no RDM: evaluate_models[(][)]",
                 class = "repalign_error_type")
  }
  expect_error(evaluate_rdms(c(rdms, list(recordings$x)), of_rdms), "`rdms[[4]]`", fixed = TRUE)
  error <- expect_error(evaluate_models(recordings$x[1:20, ], models), "`data`.*20",
                        class = "repalign_error")
  expect_no_match(conditionMessage(error), "`x`|`y`")
  expect_error(evaluate_models(recordings$x, c(models, list(bad = "L3"))), "`models[$]bad`",
               class = "repalign_error")
  expect_error(evaluate_models(recordings$x, unname(models)), "`models`", class = "repalign_error")
  expect_error(evaluate_models(recordings$x, models, measure = list("cka", "rsa")), "one measure",
               class = "repalign_error_measure")
})

test_that("the default estimator of a measure has its own ceiling", {
  named <- from_seed(evaluate_models(recordings$trials, recordings$models, permutations = 0))
  default <- from_seed(evaluate_models(recordings$trials, recordings$models, measure = "cka",
                                       permutations = 0))
  expect_identical(default$share, named$share)
  expect_identical(default$ceiling, rep(1, 3))
})

test_that("a series has p-values of its middle half, without a threshold, and clusters for errors", {
  x <- responses(recordings$x, series = TRUE)
  expect_message(found <- suppressWarnings(
    evaluate_models(x, recordings$models, permutations = 19, clusters = rep(1:10, each = 3))),
    class = "repalign_other_statistic")
  expect_true(all(is.na(found$threshold)) && !anyNA(found$p_familywise))
  by_hand <- mute(score_interval(recordings$x, recordings$models, corrected,
                                 over = NULL, clusters = rep(1:10, each = 3)))
  expect_equal(found$se, by_hand$se)
  chance <- mute(calibrate(x, recordings$models, corrected, permutations = 19))
  expect_equal(found$p_chance, chance$p_value)
})

test_that("what is no recording and what is no model is refused with a way out", {
  models <- recordings$models
  subjects <- recordings$subjects
  expect_error(evaluate_models(recordings$x, list(a = models[1:2], b = models[3])), "do.call",
               class = "repalign_error_type")
  expect_length(mute(evaluate_models(recordings$x, do.call(c, list(a = models[1:2], b = models[3])),
                                     permutations = 0))$model, 3)
  expect_error(evaluate_models(recordings$x, list(a = rdm_model(dist(models$near)))), "rdm\\(\\)",
               class = "repalign_error_type")
  lacking <- recordings$trials
  lacking[2, , ] <- NA
  expect_error(evaluate_models(lacking, models), "no response to 1 stimulus",
               class = "repalign_error_nonfinite")
  expect_error(evaluate_models(subjects[1], models), "data[[1]]", fixed = TRUE,
               class = "repalign_error_size")
  expect_error(evaluate_models(recordings$x, list(a = rep(c("u", "v"), 15))), "factor(models$a)",
               fixed = TRUE, class = "repalign_error_type")
  expect_error(evaluate_models(recordings$x, models, permutations = -1), "at least 0",
               class = "repalign_error_value")
})

test_that("a single recording is no list of models, least of all where `data` is a list", {
  x <- recordings$x
  models <- recordings$models
  for (one in list(models$near, responses(models$near), as.data.frame(models$near),
                   factor(rep(1:3, 10)), dist(models$near), NULL)) {
    expect_error(evaluate_models(x, one), "`models` must be a named list.*list[(]model = ",
                 class = "repalign_error_type")
  }
  expect_error(evaluate_models(models, x), "swap the two, evaluate_models[(]recording, models[)]",
               class = "repalign_error_type")
  error <- expect_error(evaluate_models(x, models$near), class = "repalign_error_type")
  expect_no_match(conditionMessage(error), "swap")
})

test_that("code in remedies names what was given", {
  models <- recordings$models
  rownames(models$far) <- rep(1:15, 2)
  said <- function(...) {
    conditionMessage(expect_error(evaluate_models(...), class = "repalign_error_repeats"))
  }
  for (data in list(recordings$x, recordings$subjects)) {
    expect_match(said(data, models, permutations = 0), "responses(models$far)", fixed = TRUE)
  }
  x <- recordings$x
  rownames(x) <- rep(1:15, 2)
  expect_match(said(x, recordings$models, permutations = 0), "responses(data)", fixed = TRUE)
})

test_that("a score without a standard error is not told as the best", {
  result <- mute(evaluate_models(recordings$x, recordings$models, permutations = 19))
  result[result$model == "far", c("score", "se", "conf_low", "conf_high")] <- list(4.4, NA, NA, NA)
  words <- paste(in_words(result), collapse = " ")
  expect_match(words, "Of 3 models, near was most similar")
  expect_match(words, "Without a standard error, and left out: far[.]")
  expect_match(paste(in_words(result[result$model == "far", ])), "was 4.40 .no interval")
})

test_that("misspelt arguments and parameters of measures are told", {
  x <- recordings$x
  models <- recordings$models
  expect_error(evaluate_models(x, models, permutatoins = 19), "did you mean \"permutations\"",
               class = "repalign_error_parameter")
  expect_error(evaluate_models(x, models, estimator = "naive"), "estimator = \"naive\"[)]",
               class = "repalign_error_parameter")
  expect_error(evaluate_rdms(dist(x), lapply(models, dist), drwas = 20), "\"draws\"",
               class = "repalign_error_parameter")
})

test_that("some rows or columns of a result are printed as what they are", {
  result <- mute(evaluate_models(recordings$x, recordings$models, measure = "procrustes", over = "stimuli",
                                 permutations = 19))
  shown <- function(x) paste(utils::capture.output(print(x)), collapse = "\n")
  expect_match(shown(result), "procrustes, [0-9]+ stimuli; 95% intervals over stimuli")
  expect_match(shown(result), "p_familywise over all models")
  expect_match(shown(result[, c("model", "score")]), "\n95% intervals over stimuli")
  expect_match(shown(result[1, ]),
               paste("p_familywise over the", length(recordings$models), "models of its call"))
  expect_match(shown(rbind(result, result)), "models of its call")
})

test_that("messages about subjects name data and models as they were given", {
  set.seed(4)
  subjects <- list(s1 = matrix(rnorm(90), 30), s2 = matrix(rnorm(90), 30),
                   s3 = matrix(rnorm(90), 30))
  models <- list(a = matrix(rnorm(90), 30), b = matrix(rnorm(90), 30))
  said <- character()
  withCallingHandlers(evaluate_models(subjects, models, permutations = 19),
                      warning = function(w) {
                        said <<- c(said, conditionMessage(w))
                        invokeRestart("muffleWarning")
                      })
  expect_gt(length(said), 0)
  expect_false(any(grepl("data$data", said, fixed = TRUE) | grepl("/model\"", said, fixed = TRUE)))
  expect_identical(anyDuplicated(said), 0L)
})

test_that("that models are taken as samples is said where only some are complete", {
  models <- recordings$models
  models[[1]] <- responses(models[[1]], complete = TRUE)
  result <- mute(evaluate_models(recordings$x, models, permutations = 0))
  expect_match(paste(utils::capture.output(print(result)), collapse = " "), "taken as a sample")
  models[-1] <- lapply(models[-1], responses, complete = TRUE)
  result <- mute(evaluate_models(recordings$x, models, permutations = 0))
  expect_no_match(paste(utils::capture.output(print(result)), collapse = " "), "taken as a sample")
})

test_that("the column best is explained only where it has values", {
  result <- mute(evaluate_models(recordings$x, recordings$models, permutations = 0))
  said <- function(result) paste(utils::capture.output(print(result)), collapse = " ")
  expect_match(said(result), "confidence set of the best model")
  result$best <- NA
  expect_no_match(said(result), "confidence set of the best model")
})

test_that("a picture needs no errors, and names what is undefined", {
  result <- mute(evaluate_models(recordings$x, recordings$models, permutations = 0))
  some <- result
  some[2, c("score", "se", "conf_low", "conf_high")] <- NA
  some$best[2] <- NA
  picture <- ggplot2::autoplot(some)
  expect_match(caption_text(picture), "Lines: 95% intervals over .*undefined \\(NA\\): \"far\"")
  expect_silent(ggplot2::ggplot_build(picture))
  result[c("se", "conf_low", "conf_high")] <- NA_real_
  result$best <- NA
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(result)))
})

test_that("parameters of the measure are asked for with the estimator in use", {
  x <- recordings$x
  expect_refused(evaluate_models(x, recordings$models, complete = "y"),
                 "\"cka\", estimator = \"stimulus_neuron\", complete = \"y\"[)]")
  expect_refused(evaluate_models(recordings$trials, recordings$models, shared_neurons = TRUE),
                 "estimator = \"stimulus_neuron_trial\", shared_neurons = TRUE[)]")
  expect_refused(evaluate_models(x, recordings$models, measure = measure("cka"), complete = "y"),
                 "\"cka\", complete = \"y\"[)]")
  result <- mute(evaluate_models(x, recordings$models, permutations = 0))
  expect_match(gsub("\n *", " ", paste(utils::capture.output(print(result)), collapse = "\n")),
               "measure(\"cka\", estimator = \"stimulus_neuron\", complete = \"y\")", fixed = TRUE)
})

test_that("comparisons speak of the recording, and of the best by a one-sided test", {
  result <- mute(evaluate_models(recordings$x, recordings$models, permutations = 0))
  expect_match(mute(in_words(compare_scores(result))), "stimuli, neurons of the recording and units of the models")
  expect_match(mute(in_words(best_score(result))), "stimuli, neurons of the recording and units of the models")
  declared <- mute(evaluate_models(recordings$x, recordings$models, permutations = 0,
                                   measure = measure("cka", estimator = "stimulus_neuron",
                                                     complete = "y")))
  for (one in list(compare_scores(declared), compare_scores(declared)[1, ], best_score(declared))) {
    expect_match(mute(in_words(one)), "few neurons of the recording")
  }
  set.seed(1)
  expect_match(mute(in_words(compare_best(result, "far", "near"))),
               "far, was not shown to be better than .* one-sided p")
})

test_that("the number of permutations has one lower limit", {
  for (bad in list(-1, "many")) {
    expect_refused(evaluate_models(recordings$x, recordings$models, permutations = bad),
                   "at least 0")
  }
})

test_that("what single trials lack is left out of the ceiling alone, as a message says", {
  trials <- recordings$trials
  trials[1:5, 1:2, 4] <- NA
  squared <- measure("rsa", inner = "sqeuclidean", outer = "pearson")
  run <- function(...) {
    said <- character()
    found <- suppressWarnings(withCallingHandlers(
      evaluate_models(responses(trials), recordings$models["near"], measure = squared,
                      permutations = 0, ...),
      message = function(m) {
        said <<- c(said, conditionMessage(m))
        invokeRestart("muffleMessage")
      }
    ))
    list(rows = as.data.frame(found), said = grep("not used", said, value = TRUE, invert = TRUE),
         print = paste(utils::capture.output(print(found)), collapse = " "))
  }
  score <- mute(similarity(responses(trials), recordings$models["near"], squared))$score
  without <- run()
  expect_identical(without$rows$ceiling, NA_real_)
  expect_match(without$said, paste("^No ceiling .*`data` lacks some neurons in 5 trials.*stimuli\"",
                                   "leaves out 5 of 30 .*\"neurons\" leaves out 2 of 10"))
  expect_match(without$print, "some trials lack neurons")
  for (na in c("stimuli", "neurons")) {
    cut <- run(na = na)
    expect_match(cut$said, "left out of the ceiling.* Scores are of the means over trials")
    expect_equal(c(without$rows$score, cut$rows$score), c(score, score))
    expect_equal(cut$rows$ceiling, mute(noise_ceiling(responses(trials), recordings$models["near"],
                                                      squared, na = na))$ceiling)
  }
  # what the scores lack, too, is told once
  trials[1, 1, ] <- NA
  trials[1:5, 2, 4] <- trials[2:5, 1, 4] <- 0
  expect_match(run(na = "stimuli")$said, "1 of 30 stimuli left out [(]row 1[)]")
})

test_that("of a measure without a ceiling, not the data are to blame", {
  said <- function(data) {
    result <- mute(evaluate_models(data, recordings$models, permutations = 0,
                                   measure = "procrustes"))
    paste(utils::capture.output(print(result)), collapse = " ")
  }
  expect_match(said(recordings$trials), "No ceiling (NA): there is none of this", fixed = TRUE)
  expect_match(said(recordings$x), "without trials or subjects")
  # and where there is one that is undefined, no way to it is named
  set.seed(5)
  noise <- array(rnorm(length(recordings$trials)), dim(recordings$trials))
  result <- mute(evaluate_models(noise, recordings$models, permutations = 0,
                                 measure = measure("cka", estimator = "stimulus")))
  expect_true(all(is.na(result$ceiling)))
  expect_output(print(result), "No ceiling (NA): it is undefined, see noise", fixed = TRUE)
})

test_that("what errors of few subjects are about goes wherever they are told", {
  set.seed(21)
  two <- list(A = normal_matrix(40, 9), B = normal_matrix(40, 9))
  models <- list(near = two$A + two$B, far = normal_matrix(40, 9), other = two$A)
  told <- function(...) {
    result <- mute(evaluate_models(two, models, measure = "rv", permutations = 0, ...))
    best <- mute(best_score(result))
    differences <- mute(compare_scores(result))
    every <- list(result, differences, best, mute(compare_best(result, "near", "far")))
    shown <- lapply(every, function(one) paste(capture.output(print(one)), collapse = " "))
    captions <- lapply(every[1:3], function(one) ggplot2::autoplot(one)$labels$caption)
    list(result = result, differences = differences, words = gsub("\\s+", " ", unlist(c(
      lapply(every, in_words), shown, captions
    ))))
  }
  named <- told(over = c("stimuli", "subjects"))
  expect_length(named$words, 11)
  for (words in named$words) expect_match(words, "subjects, a guess from only 2 subjects")
  expect_true(all(is.na(named$result$best)) && !anyNA(named$result$se))
  expect_true(all(named$result$df <= 1, named$differences$df <= 1))
  expect_no_match(in_words(named$result), "as good")
  expect_message(evaluate_models(two, models, measure = "rv", permutations = 0,
                                 over = "subjects"), class = "repalign_few_subjects")
  # by default these subjects are meant
  these <- told()
  for (words in these$words) expect_match(words, "neurons of these 2 subjects")
  expect_false(anyNA(these$result$best))
  expect_true(all(these$differences$df > 1))
  stimuli <- told(over = "stimuli")
  for (words in stimuli$words) expect_match(words, "stimuli, of these 2 subjects")
  expect_true(all(stimuli$result$se < these$result$se))
  many <- c(two, C = list(normal_matrix(40, 9)), D = two[1], E = two[2])
  result <- mute(evaluate_models(many, models, measure = "rv", permutations = 0))
  expect_identical(unique(attr(result, "interval")$over), "stimuli + subjects")
})

test_that("bins of time are no subjects", {
  set.seed(40)
  bins <- stats::setNames(lapply(1:3, function(k) matrix(stats::rnorm(60), 15)),
                          c("-0.1 to 0", "0 to 0.1", "0.1 to 0.2"))
  model <- list(m = bins[[1]])
  expect_refused(evaluate_models(bins, model), c("bins of time", "data\\[\\[1\\]\\]"))
  expect_refused(subject_ceiling(bins), "bins of time")
  # other names with numbers are those of subjects
  names(bins) <- c("1 to 5", "6 to 9", "10 to 12")
  expect_no_error(mute(evaluate_models(bins, model, permutations = 0)))
})

test_that("what does not fit into memory is refused before anything is computed", {
  local_internal("score_interval", function(...) stop("computed"))
  withr::local_options(repalign.max_memory = 1e3)
  for (data in list(recordings$x, recordings$subjects)) {
    error <- expect_error(evaluate_models(data, recordings$models, measure = "procrustes"),
                          class = "repalign_error_memory")
    expect_null(error$arg)
  }
  # without permutations the intervals are what is too large
  expect_error(evaluate_models(recordings$x, recordings$models, permutations = 0), "computed")
})

test_that("layers are curves over the depth of their networks", {
  skip_if_not_installed("ggplot2")
  set.seed(23)
  data <- matrix(rnorm(200), 20)
  layers <- lapply(1:5, function(k) data %*% matrix(rnorm(40), 10) + k * rnorm(80))
  names(layers) <- c("net/a", "net/b", "net/c", "other/a", "other/b")
  result <- suppressWarnings(evaluate_models(data, layers, "rsa", permutations = 19))
  plot <- built(ggplot2::autoplot(result, type = "depth"))
  points <- data_of(plot, "GeomPoint")
  expect_equal(points$x, c(0, 0.5, 1, 0, 1))
  expect_equal(points$y, result$score)
  expect_identical(length(unique(points$colour)), 2L)
  lines <- data_of(plot, "GeomLinerange")
  expect_equal(c(lines$ymin, lines$ymax), c(result$conf_low, result$conf_high))
  one <- built(ggplot2::autoplot(result, type = "depth", network = rep("a", 5)))
  expect_identical(unname(tick_labels(one, "x")), names(layers))
  expect_refused(ggplot2::autoplot(result, type = "depth", network = "a"), "5 rows")
  # no name of a layer is drawn at a depth, so that none is left out
  layers <- stats::setNames(rep(layers, 5), paste0(rep(c("net/", "other/"), c(13, 12)), 1:25))
  many <- suppressWarnings(evaluate_models(data, layers, "rsa", permutations = 0))
  expect_no_match(caption_text(ggplot2::autoplot(many, type = "depth")), "left out")
  expect_match(caption_text(ggplot2::autoplot(many)), "left out")
})

test_that("the kind of responses() changes words, and no number", {
  set.seed(1)
  x <- matrix(rnorm(40 * 8), 40) %*% matrix(rnorm(8 * 30), 8)
  models <- list(a = x + rnorm(1200), b = matrix(rnorm(160), 40) %*% matrix(rnorm(120), 4))
  found <- lapply(c("recording", "network"), function(kind) {
    set.seed(2)
    suppressMessages(few_is_fine(
      evaluate_models(responses(x, kind = kind)[, 1:20, ], models, permutations = 39)
    ))
  })
  texts <- lapply(found, function(one) c(capture.output(print(one)), in_words(one)))
  expect_identical(as.data.frame(found[[1]]), as.data.frame(found[[2]]))
  expect_match(texts[[1]], "recording", all = FALSE)
  expect_match(texts[[2]], "Models of a layer", all = FALSE)
  expect_match(texts[[2]], "stimuli, units and units of the models", all = FALSE)
  expect_match(texts[[2]], "Units of the models taken as a sample", all = FALSE)
  expect_false(any(grepl("recording|neurons\\b", texts[[2]])))
  several <- lapply(list(first = x, second = x + rnorm(1200)), responses, kind = "network")
  told <- suppressMessages(few_is_fine(evaluate_models(several, models, permutations = 39)))
  texts <- c(capture.output(print(told)), in_words(told))
  expect_match(texts, "Models of 2 networks", all = FALSE)
  expect_match(texts, "of these 2 networks", all = FALSE)
  expect_match(texts, "what networks share, see subject_ceiling()", fixed = TRUE, all = FALSE)
  shown <- capture.output(print(responses(x, kind = "network", neuron = rep(1:15, 2))))
  expect_match(shown[1], "30 columns (15 units)", fixed = TRUE)
  expect_refused(responses(x, kind = "net"), c("`kind`", "network"))
})

test_that("trials of an array are not called declared, and the ceiling that uses them is named", {
  said <- function(data) {
    paste(capture_messages(suppressWarnings(evaluate_models(data, recordings$models["near"], "rsa",
                                                            permutations = 0))), collapse = " ")
  }
  expect_match(said(recordings$trials), "`data` has trials, which \"rsa\" does not use")
  expect_match(said(recordings$trials), "Only `ceiling`, where it is known, uses them")
  expect_no_match(said(recordings$trials), "Declared by")
  expect_match(said(responses(recordings$trials)), "Declared by .* Only `ceiling`")
})
