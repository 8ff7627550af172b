# evaluate_rdms() against reference values, and its fast ways against plain ones.

# Permutations have tests of their own, test-evaluation-chance.R.
evaluate_rdms <- function(...) repalign::evaluate_rdms(..., permutations = 0)

evaluated <- function(case, compare, models = NULL, ...) {
  models <- if (is.null(models)) rsa_rdms(paste0(case, "_models")) else models
  evaluate_rdms(rsa_rdms(paste0(case, "_data")), models, outer_of[[compare]], ...)
}

# The values that a block has, from a matrix i x j.
placed <- function(values, block) values[cbind(as.integer(block$i), as.integer(block$j))]

part_draws <- function(result, part) attr(result, "draws")[[part]][, , 1]

given_draws_of <- function(case) {
  list(rdm = as.matrix(rsa_input(paste0(case, "_boot_rdm"))),
       condition = as.matrix(rsa_input(paste0(case, "_boot_condition"))))
}

test_that("scores, variances and p-values over RDMs alone are those of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = "none")
    at <- function(what) {
      rsa_blocks(what, case = "r1", method = "fixed", parameters = paste0("compare=", compare))[[1]]
    }
    expect_rsa_block(placed(attr(result, "table"), at("evaluation")), at("evaluation"))
    expect_rsa_block(result$se^2, at("variance_model"))
    expect_rsa_block(result$p_zero, at("p_zero"))
    pairs <- compare_scores(result)
    expect_rsa_block(pairs$se^2, at("variance_difference"))
    expect_rsa_block(pairs$p_value, at("p_pair"))
  }
  for (block in rsa_blocks("p_pair_adjusted", case = "r1")) {
    result <- evaluated("r1", "cosine", resample = "none")
    pairs <- compare_scores(result, p_adjust = rsa_parameters(block)$adjust)
    expect_rsa_block(pairs$p_adjusted, block)
  }
})

test_that("draws of RDMs and conditions give the scores and ceilings of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = given_draws_of("r1"))
    for (part in c("both", "rdm", "condition")) {
      given <- paste0("compare=", compare, ";resample=", part)
      values <- part_draws(result, part)
      block <- rsa_blocks("evaluation", case = "r1", method = "bootstrap", parameters = given)[[1]]
      expect_rsa_block(placed(values, block), block)
      block <- rsa_blocks("noise_ceiling", case = "r1", parameters = given)[[1]]
      expect_rsa_block(as.vector(values[, 5:6]), block)
    }
  }
})

test_that("the dual variance and its tests are those of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = given_draws_of("r1"))
    pairs <- compare_scores(result)
    corrected <- function(what, ...) {
      given <- paste(c(paste0("compare=", compare), "clip=corrected", ...), collapse = ";")
      rsa_blocks(what, case = "r1", method = "dual_bootstrap", parameters = given)[[1]]
    }
    expect_rsa_block(result$se^2, corrected("variance_model"))
    expect_rsa_block(pairs$se^2, corrected("variance_difference"))
    expect_rsa_block(result$p_zero, corrected("p_zero", "centre=all data"))
    expect_rsa_block(pairs$p_value, corrected("p_pair", "centre=all data"))
    expect_rsa_block(result$p_ceiling, corrected("p_ceiling", "centre=all data"))
    expect_equal(unique(pairs$df), 5)
  }
})

test_that("noise ceilings of all data are those of the reference", {
  blocks <- Filter(function(block) {
    !block$method[1] %in% c("bootstrap", "crossval") && block$case[1] != "rdm92"
  }, rsa_blocks("noise_ceiling"))
  for (block in blocks) {
    data <- rsa_data(block)
    groups <- grepl("group=", block$parameters[1])
    na <- if (groups) "error" else rsa_missing(block)
    if (groups) data <- rsa_rdms(paste0(block$case[1], "_data"))
    result <- suppressMessages(
      evaluate_rdms(data, rsa_rdms(paste0(block$case[1], "_models"))[1],
                    outer_of[[block$method[1]]], resample = "none", na = na,
                    group = if (groups) (seq_along(data) + 1) %/% 2))
    expect_rsa_block(c(result$ceiling_low, result$ceiling_high), block)
  }
})

crossval_models <- function(case) {
  rdms <- rsa_rdms(paste0(case, "_models"))
  list(m1 = rdms[[1]], weighted = rdm_model(rdms, "weighted"), select = rdm_model(rdms, "select"),
       interpolate = rdm_model(rdms, "interpolate"))
}

test_that("cross-validated scores and ceilings are those of the reference", {
  for (block in rsa_blocks("evaluation", method = "crossval")) {
    given <- strsplit(block$parameters[1], ";")[[1]]
    compare <- sub("compare=", "", given[1])
    folds <- rsa_input(paste0("r1_", given[2]))
    result <- evaluated("r1", compare, crossval_models("r1"), resample = "none", folds = folds) |>
      suppressWarnings()
    each <- vapply(unique(folds$fold), function(k) {
      # one fold alone gives its scores
      suppressWarnings(evaluated("r1", compare, crossval_models("r1"), resample = "none",
                                 folds = folds[folds$fold == k, ]))$score
    }, numeric(4))
    expect_rsa_block(placed(t(each), block), block)
    expect_equal(result$score, rowMeans(each))
    ceiling <- rsa_blocks("noise_ceiling", method = "crossval",
                          parameters = paste(given[1:2], collapse = ";"))
    for (block in ceiling) expect_rsa_block(c(result$ceiling_low[1], result$ceiling_high[1]), block)
  }
})

test_that("the variance of repeated cross-validation is that of the reference", {
  block <- rsa_blocks("cv_covariance")[[1]]
  table <- rsa_input("r1_cv_evaluations")
  values <- array(NA_real_, c(max(table$sample), max(table$model), max(table$`repeat`)))
  values[cbind(table$sample, table$model, table$`repeat`)] <- table$evaluation
  covariance <- repalign:::draw_covariance(values, seq_len(dim(values)[2]))
  expect_rsa_block(covariance[cbind(as.integer(block$i), as.integer(block$j))], block)
})

test_that("the 92 images: weights, scores and ceilings are those of the reference", {
  table <- utils::read.csv(gzfile(shared_file("data", "rdm92.csv.gz")), check.names = FALSE)
  components <- lapply(table[grep("^model_", names(table))], packed_dist)
  sessions <- function(pattern) lapply(table[grep(pattern, names(table))], packed_dist)
  first <- sessions("^hIT_.._s1$")
  both <- sessions("^hIT_.._s[12]$")
  for (block in rsa_blocks("theta", case = "rdm92")) {
    model <- rdm_model(components, "weighted", grepl("nonneg", block$method[1]))
    outer <- outer_of[[rsa_parameters(block)$compare]]
    fit <- fit_rdm_model(model, first, outer)
    expect_rsa_block(coef(fit)[block$i], block)
    scores <- rsa_blocks("evaluation", case = "rdm92", method = block$method[1],
                         parameters = block$parameters[1])[[1]]
    result <- evaluate_rdms(first, list(m = model), outer, resample = "none") |>
      suppressWarnings()
    expect_rsa_block(attr(result, "table")[scores$i, 1], scores)
  }
  for (block in rsa_blocks("noise_ceiling", case = "rdm92")) {
    groups <- grepl("group", block$parameters[1])
    result <- evaluate_rdms(if (groups) both else first, components[1],
                            outer_of[[block$method[1]]], resample = "none",
                            group = if (groups) substr(names(both), 5, 6))
    expect_rsa_block(c(result$ceiling_low, result$ceiling_high), block)
  }
})

test_that("errors are those of independent groups without resampling", {
  made <- made_rdms(subjects = 6)
  group <- c("a", "a", "b", "b", "c", "c")
  result <- evaluate_rdms(made$data, made$models, "cosine", resample = "none", group = group)
  means <- rowsum(attr(result, "table"), group) / 2
  expect_equal(result$se, unname(apply(means, 2, sd)) / sqrt(3))
  expect_equal(result$df, rep(2, 3))
})

test_that("groups are drawn together", {
  made <- made_rdms(subjects = 4)
  twice <- rep(made$data, each = 2)
  names(twice) <- paste0("s", 1:8)
  draws <- list(rdm = matrix(sample(4, 40, TRUE), 10),
                condition = matrix(sample(12, 120, TRUE), 10))
  one <- evaluate_rdms(made$data, made$models, "pearson", draws)
  two <- evaluate_rdms(twice, made$models, "pearson", draws, group = rep(1:4, each = 2))
  expect_equal(as.data.frame(two), as.data.frame(one))
})

test_that("draws with too few stimuli or an undefined score are left out and counted", {
  made <- made_rdms(n = 8)
  condition <- rbind(rep(1:2, 4), 1:8, 8:1, c(1, 1, 1, 1, 3, 5, 5, 7), c(1:4, 1:4))
  made$models$category <- dist(rep(1:2, 4))
  expect_warning(
    result <- evaluate_rdms(made$data, made$models, "pearson", list(condition = condition)),
    class = "repalign_left_out")
  # the first has two stimuli, the fourth four of one category
  expect_identical(result$left_out, rep(2L, 4))
  expect_identical(which(is.na(attr(result, "draws")$condition[, 1, 1])), c(1L, 4L))
  # a single RDM has no ceiling, in its draws neither
  single <- suppressWarnings(evaluate_rdms(made$data[[1]], made$models, "pearson", draws = 20))
  expect_true(all(is.na(attr(single, "draws")$condition[, c("ceiling_low", "ceiling_high"), ])))
})

test_that("a draw of one group counts for scores, but not for the lower ceiling", {
  made <- made_rdms(subjects = 2)
  result <- evaluate_rdms(made$data, made$models, "cosine",
                          list(rdm = rbind(c(1, 1), c(1, 2), c(2, 2), c(2, 1), c(1, 1))))
  drawn <- part_draws(result, "rdm")
  expect_identical(which(is.na(drawn[, "ceiling_low"])), c(1L, 3L, 5L))
  expect_false(anyNA(drawn[, 1:3]))
  table <- attr(result, "table")
  expect_equal(drawn[, "m1"], table[cbind(c(1, NA, 2, NA, 1), 1)] |>
                 replace(c(2, 4), mean(table[, 1])))
})

test_that("cross-validated draws have folds without common stimuli and groups", {
  made <- made_rdms(n = 14)
  task <- repalign:::evaluation_task(made$data, made$models, "cosine", c(1, 1, 2, 3, 4), NULL,
                                     "error")
  folds <- repalign:::as_folds(c(rdm = 2, condition = 2), 2, task)
  set.seed(1)
  w <- tabulate(sample(14, replace = TRUE), 14)
  m <- c(2, 2, 0, 1, 1)
  rounds <- repalign:::folds_of_draw(folds, task$group, w, m)
  expect_length(rounds, 4)
  for (round in rounds) {
    expect_true(all(round$train$w * round$test$w == 0))
    expect_false(any(task$group[round$train$m > 0] %in% task$group[round$test$m > 0]))
  }
  expect_equal(Reduce(`+`, lapply(rounds, function(round) round$test$w)), 2 * w)
  expect_equal(Reduce(`+`, lapply(rounds, function(round) round$test$m)), 2 * m)
  models <- c(made$models, list(w = rdm_model(made$models, "weighted")))
  set.seed(1)
  result <- evaluate_rdms(made$data, models, "cosine", draws = 50,
                          folds = c(rdm = 2, condition = 2))
  expect_false(anyNA(result$se))
  expect_true(all(is.na(suppressWarnings(evaluate_rdms(
    made$data, models, "cosine", "none", folds = c(condition = 2)))$se)))
})

test_that("folds of RDMs leave the scores of fixed models as they are, in all draws", {
  made <- made_rdms(n = 12)
  set.seed(2)
  draws <- list(rdm = t(replicate(20, sample(5, replace = TRUE))))
  evaluated <- function(...) {
    quietly(evaluate_rdms(made$data, made$models, "pearson", draws, ...))
  }
  plain <- evaluated()
  first <- data.frame(fold = 1, set = "train", factor = "rdm", index = 1:2)
  given <- rbind(first, transform(first, set = "test", index = 3)[1, ],
                 data.frame(fold = 2, set = "train", factor = "rdm", index = 3),
                 data.frame(fold = 2, set = "test", factor = "rdm", index = 1:2))
  random <- evaluated(folds = c(rdm = 2))
  expect_equal(random$score, plain$score)
  scores <- function(result) unname(attr(result, "draws")$rdm[, 1:3, ])
  for (k in 1:2) {
    cut <- scores(random)[, , k]
    expect_equal(cut[!is.na(cut[, 1]), ], scores(plain)[!is.na(cut[, 1]), ])
  }
  expect_lt(sum(is.na(scores(random)[, 1, 1])), 5)
  # folds of a table count alike in all data, whatever their sizes
  means <- attr(evaluated(), "table")
  expect_equal(evaluated(folds = given)$score,
               unname((means[3, ] + colMeans(means[1:2, ])) / 2))
})

test_that("flexible models without folds are warned about, and one group", {
  made <- made_rdms()
  model <- rdm_model(made$models, "weighted")
  expect_warning(evaluate_rdms(made$data, model, "cosine", draws = 20),
                 class = "repalign_not_crossvalidated")
  expect_warning(alone <- evaluate_rdms(made$data[1], made$models, "cosine", "condition", 50),
                 class = "repalign_undefined")
  expect_true(all(is.na(alone$ceiling_low)))
  expect_false(anyNA(alone$se))
  expect_identical(alone$df, rep(11, 3))
})

test_that("missing pairs are used when asked for", {
  made <- made_rdms()
  made$data$s1[c(1, 5)] <- NA
  expect_error(evaluate_rdms(made$data, made$models, "cosine"),
               class = "repalign_error_nonfinite")
  expect_message(result <- evaluate_rdms(made$data, made$models, "cosine", draws = 20,
                                         na = "pairwise"),
                 class = "repalign_pairs_left_out")
  by_hand <- cor(cbind(as.vector(made$data$s1)), sapply(made$models, as.vector), use = "complete")
  result <- suppressMessages(evaluate_rdms(made$data, made$models, "pearson", "none",
                                           na = "pairwise"))
  expect_equal(attr(result, "table")[1, ], by_hand[1, ])
})

test_that("bad input is named", {
  made <- made_rdms()
  try_with <- function(...) {
    given <- list(rdms = made$data, models = made$models, outer = "cosine", draws = 20)
    given[names(list(...))] <- list(...)
    suppressWarnings(do.call(evaluate_rdms, given))
  }
  expect_error(try_with(outer = "bures"), class = "repalign_error_choice")
  expect_error(try_with(models = list()), class = "repalign_error_type")
  expect_error(try_with(models = dist(1:5)), class = "repalign_error_size")
  expect_error(try_with(models = list(a = made$models)), class = "repalign_error_type")
  expect_error(try_with(rdms = c(made$data, list(dist(1:5)))))
  expect_error(try_with(rdms = list(a = made$data[[1]], b = made$data[[1]] * 0)),
               class = "repalign_error_variance")
  expect_error(try_with(rdms = made$data[1], resample = "both"), class = "repalign_error_size")
  expect_error(try_with(group = 1:3), class = "repalign_error_labels")
  expect_error(try_with(resample = "all"), class = "repalign_error_choice")
  expect_error(try_with(draws = 1), class = "repalign_error_value")
  expect_warning(evaluate_rdms(made$data, made$models, "cosine", draws = 3),
                 class = "repalign_few_draws")
  expect_error(try_with(conf_level = 1), class = "repalign_error_value")
  expect_error(try_with(resample = list(rdms = matrix(1:10, 2))), class = "repalign_error_type")
  expect_error(try_with(resample = list(rdm = matrix(1:8, 2))), class = "repalign_error_size")
  expect_error(try_with(resample = list(rdm = matrix(6, 2, 5))), class = "repalign_error_value")
  expect_error(try_with(resample = list(rdm = matrix(1, 2, 5), condition = matrix(1, 3, 12))),
               class = "repalign_error_size")
  expect_error(try_with(folds = c(2, 2)), class = "repalign_error_type")
  expect_error(try_with(folds = c(rdm = 2, conditions = 2)), "conditions",
               class = "repalign_error_labels")
  expect_error(try_with(folds = c(condition = 5)), class = "repalign_error_size")
  expect_error(try_with(folds = c(rdm = 6)), class = "repalign_error_size")
  expect_error(try_with(stimulus_noise = diag(12), outer = "whitened_cosine"),
               class = "repalign_error_choice")
  expect_error(try_with(stimulus_noise = rep(1, 5), outer = "whitened_cosine"),
               class = "repalign_error_size")
  expect_error(try_with(stimulus_noise = rep(1, 12)), class = "repalign_error_choice")
  labelled <- stats::setNames(lapply(made$data[1:2], `attr<-`, "Labels", letters[1:12]),
                              c("a", "b"))
  other <- `attr<-`(made$models[[1]], "Labels", LETTERS[1:12])
  expect_error(try_with(rdms = labelled, models = list(m = other)), class = "repalign_error_names")
  folds <- rsa_input("r1_folds2x2")
  expect_error(try_with(folds = folds[folds$factor == "rdm", ]), class = "repalign_error_value")
  shared <- data.frame(fold = 1, set = rep(c("train", "test"), c(11, 11)),
                       factor = rep(c("rdm", "condition"), c(5, 6)), index = c(1:5, 1:6, 1:5, 6:11))
  expect_error(try_with(folds = shared), class = "repalign_error_value")
})

test_that("bins of time are no subjects", {
  made <- made_rdms()
  bins <- stats::setNames(made$data[1:3], c("-0.1 to 0", "0 to 0.1", "0.1 to 0.2"))
  expect_error(evaluate_rdms(bins, made$models), "bins of time", class = "repalign_error_type")
  expect_error(evaluate_rdms(bins[c(1, 3)], made$models, draws = 20), NA)
})

test_that("comparisons know the models that are left", {
  made <- made_rdms()
  set.seed(1)
  result <- evaluate_rdms(made$data, made$models, "pearson", draws = 50)
  pairs <- compare_scores(result, p_adjust = "none")
  some <- compare_scores(result[3:2, ], p_adjust = "none")
  expect_equal(some$difference, -pairs$difference[3])
  expect_equal(some$se, pairs$se[3])
  total <- vcov(result)
  expect_equal(unname(diag(total)), result$se^2)
  expect_named(as.data.frame(result), names(result))
  expect_error(compare_scores(result[c(1, 1), ]), class = "repalign_error_rows")
  expect_error(compare_scores(result[1, ]), class = "repalign_error_size")
  expect_equal(compare_scores(result, "m1")$difference, result$score[2:3] - result$score[1])
  expect_equal(tidy(result)$estimate, result$score)
  expect_equal(glance(result)$models, 3)
})

test_that("evaluations are printed and drawn", {
  made <- made_rdms()
  set.seed(1)
  result <- repalign::evaluate_rdms(made$data, made$models, "pearson", draws = 50)
  expect_output(print(result), "pearson, 5 RDMs, 12 stimuli", fixed = TRUE)
  grouped <- evaluate_rdms(made$data, made$models, "pearson", draws = 50,
                           group = c(1, 1, 2, 2, 3))
  expect_output(print(grouped), "5 RDMs in 3 groups, 12 stimuli", fixed = TRUE)
  expect_output(print(rdm_model(made$models, "weighted")), "12 stimuli\n", fixed = TRUE)
  skip_if_not_installed("ggplot2")
  for (type in c("bars", "points", "map")) {
    expect_s3_class(ggplot2::autoplot(result, type = type), "ggplot")
  }
  expect_error(ggplot2::autoplot(result, type = "lines"), class = "repalign_error_choice")
  # long names leave little height to the title of the axis
  expect_identical(ggplot2::autoplot(result)$labels$y,
                   "similarity of RDMs\n(Pearson\ncorrelation)")
})

test_that("stars are for scores above chance, not above 0", {
  skip_if_not_installed("ggplot2")
  # all are positive: cosines are far above 0 whatever the models
  set.seed(1)
  rdm <- function() dist(matrix(rnorm(12 * 6), 12))
  data <- stats::setNames(replicate(5, rdm(), simplify = FALSE), letters[1:5])
  run <- function(...) {
    repalign::evaluate_rdms(data, list(one = rdm(), data = data[[1]]), "cosine", draws = 50, ...)
  }
  set.seed(2)
  result <- run(permutations = 99)
  expect_true(all(result$p_zero < 0.01))
  expect_identical(result$p_chance <= 0.05, c(FALSE, TRUE))
  marks_of <- function(result) {
    plot <- ggplot2::autoplot(result, letters = FALSE)
    list(marks = plot$data$mark, caption = plot$labels$caption)
  }
  expect_identical(marks_of(result)$marks, c("", "*"))
  expect_match(marks_of(result)$caption, "above chance")
  expect_identical(marks_of(run(permutations = 0))$marks, c("", ""))
})

test_that("scores of single subjects are kept and drawn, as means of their groups", {
  skip_if_not_installed("ggplot2")
  made <- made_rdms()
  set.seed(1)
  result <- evaluate_rdms(made$data, made$models, "pearson", draws = 50,
                          group = c(1, 1, 2, 2, 3))
  scores <- attr(result, "table")
  expect_equal(colMeans(scores), stats::setNames(result$score, result$model))
  points_of <- function(...) {
    layers <- lapply(ggplot2::autoplot(result, ...)$layers, function(layer) layer$data)
    Filter(function(data) is.data.frame(data) && "x" %in% names(data), layers)
  }
  drawn <- points_of()[[1]]
  expect_equal(drawn$score[1:3], c(mean(scores[1:2, 1]), mean(scores[3:4, 1]), scores[5, 1]))
  expect_identical(nrow(drawn), 3L * nrow(result))
  expect_equal(round(drawn$x), rep(seq_len(nrow(result)), each = 3))
  # none lies under the point of its model
  expect_true(all(abs(drawn$x - round(drawn$x)) > 0.09))
  expect_length(points_of(subjects = FALSE), 0)
  # models with names that have no room beside each other keep their own points
  long <- paste(strrep("long", 8), seq_along(made$models))
  named <- evaluate_rdms(made$data, stats::setNames(made$models, long), "pearson",
                         resample = "none")
  layers <- lapply(ggplot2::autoplot(named)$layers, function(layer) layer$data)
  aside <- Filter(function(data) is.data.frame(data) && "x" %in% names(data), layers)[[1]]
  expect_equal(round(aside$x), rep(seq_along(long), each = length(made$data)))
  # the marks are above all points
  built <- ggplot2::ggplot_build(ggplot2::autoplot(result))$data
  marks <- Filter(function(data) "label" %in% names(data), built)[[1]]
  expect_true(all(marks$y >= tapply(drawn$score, drawn$title, max)))
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(result, type = "points")))
  expect_named(attr(result, "draws"), c("both", "rdm", "condition"))
  expect_identical(dimnames(attr(result, "draws")$both)[[2]],
                   c(result$model, "ceiling_low", "ceiling_high"))
})

test_that("folds that most draws cannot be cut into are refused before anything is computed", {
  made <- made_rdms()
  group <- c(1, 2, 3, 4, 4)
  evaluated_in <- function(folds, ...) {
    evaluate_rdms(made$data, made$models, "pearson", draws = 50, group = group, folds = folds,
                  ...)
  }
  set.seed(1)
  expect_error(evaluated_in(c(rdm = 4)), "cannot be cut .*needs 4 different groups.* Take fewer",
               class = "repalign_error_size")
  expect_error(evaluated_in(c(rdm = 4), "rdm"), class = "repalign_error_size")
  # each draw that is left has both groups once: no variance over subjects
  expect_error(evaluate_rdms(made$data, made$models, "pearson", draws = 50,
                             group = c(1, 1, 2, 2, 2), folds = c(rdm = 2)),
               "at least 3 groups", class = "repalign_error_size")
  expect_error(evaluated_in(c(condition = 4)), "needs 12 different stimuli .*, and there are 12",
               class = "repalign_error_size")
  # without draws of RDMs, and with few draws lost, there is no error
  expect_silent(evaluated_in(c(rdm = 4), "condition"))
  suppressWarnings(expect_warning(evaluated_in(c(rdm = 4), "none"), "without draws"))
  expect_no_error(suppressWarnings(evaluated_in(c(rdm = 2))))
})

test_that("cosines of positive dissimilarities are taken with a message unless they are named", {
  made <- made_rdms()
  positive <- lapply(made$data, function(rdm) rdm - min(rdm) + 0.1)
  signed <- positive
  signed[[2]][3] <- -0.01
  run <- function(rdms, ...) evaluate_rdms(rdms, made$models, ..., draws = 20)
  expect_message(run(positive), "whitened_pearson", class = "repalign_cosine_of_positive")
  expect_silent(run(positive, "whitened_cosine"))
  expect_silent(run(signed))
})

test_that("missing pairs: the error says how to leave them out", {
  made <- made_rdms()
  made$data[[1]][2] <- NA
  says <- "Set na = \"pairwise\""
  expect_error(evaluate_rdms(made$data, made$models, "pearson"), says, fixed = TRUE)
  expect_error(pool_rdms(made$data, "pearson"), says, fixed = TRUE)
  expect_error(rsa(made$data[[1]], made$data[[2]]), says, fixed = TRUE)
  expect_error(rsa_regression(a ~ b, list(a = made$data[[1]], b = made$data[[2]])), says,
               fixed = TRUE)
  # no way out of infinite ones, and for measures without `na`
  made$data[[1]][2] <- Inf
  for (call in list(quote(pool_rdms(made$data, "pearson")),
                    quote(bures(made$data[[1]], made$data[[2]])))) {
    found <- tryCatch(eval(call), error = conditionMessage)
    expect_match(found, "Remove those rows", fixed = TRUE)
    expect_false(grepl("pairwise", found))
  }
})

test_that("models without a common letter differ", {
  sets <- function(differ) repalign:::alike_sets(differ | t(differ))
  differ <- matrix(FALSE, 4, 4)
  expect_length(sets(differ), 1)
  differ[1, 3] <- differ[1, 4] <- differ[2, 4] <- TRUE
  found <- sets(differ)
  for (i in 1:3) for (j in (i + 1):4) {
    together <- any(vapply(found, function(set) all(c(i, j) %in% set), NA))
    expect_identical(together, !differ[i, j])
  }
})

test_that("ranks that need too much memory are refused", {
  made <- made_rdms()
  # what one thread needs: the process may have one core only
  withr::local_options(repalign.max_memory = 5e3)
  error <- tryCatch(suppressWarnings(evaluate_rdms(made$data, made$models, "spearman", draws = 2,
                                                    threads = 2)), error = identity)
  expect_s3_class(error, "repalign_error_memory")
  expect_match(conditionMessage(error), "Fewer threads")
})

test_that("a table of folds of one factor leaves the other one whole", {
  made <- made_rdms()
  count <- length(made$data)
  half <- seq_len(count) <= count / 2
  fold <- function(test) data.frame(set = ifelse(test, "test", "train"), factor = "rdm",
                                    index = seq_len(count))
  short <- rbind(cbind(fold = 1, fold(half)), cbind(fold = 2, fold(!half)))
  whole <- expand.grid(index = 1:12, set = c("train", "test"), factor = "condition", fold = 1:2)
  evaluated <- function(folds) {
    suppressWarnings(evaluate_rdms(made$data, rdm_model(made$models, "weighted"), "cosine",
                                   resample = "none", folds = folds)$score)
  }
  expect_equal(evaluated(short), evaluated(rbind(short, whole[names(short)])))
})

test_that("confint() and best_score() take evaluations", {
  made <- made_rdms(n = 14)
  set.seed(3)
  result <- evaluate_rdms(made$data, made$models, "pearson", draws = 100)
  expect_equal(unname(confint(result)), unname(as.matrix(result[c("conf_low", "conf_high")])))
  half <- qt(0.9, result$df) * result$se
  expect_equal(confint(result, "m2", level = 0.8)[1, 2], (result$score + half)[2],
               ignore_attr = TRUE)
  expect_error(confint(result, level = 2), class = "repalign_error_value")
  best <- best_score(result)
  expect_equal(best$best, result$model[which.max(result$score)])
  result$family <- c("p", "p", "q")
  expect_equal(best_score(result, by = "family")$in_set[[2]], "m3")
})

test_that("what only varies with the choice of folds has no error", {
  made <- made_rdms(n = 14)
  # two repeats of opposite values: all of their variance is the choice of folds
  set.seed(4)
  noise <- rnorm(40)
  values <- array(rnorm(80), c(40, 2, 2))
  values[, 2, ] <- values[, 1, ] + cbind(noise, -noise * 0.5)
  dimnames(values) <- list(NULL, c("a", "b"), NULL)
  parts <- repalign:::parts_of_variance(list(rdm = values), c(rdm = 5, condition = 14), 1:2)
  errors <- repalign:::contrast_errors(parts, cbind(c(1, 0), c(-1, 1)))
  expect_identical(is.na(errors$se), c(FALSE, TRUE))
  expect_message(evaluate_rdms(made$data, made$models, "pearson", draws = 20, repeats = 1,
                               folds = c(condition = 2)), class = "repalign_fold_variance")
})

test_that("labels on one side only are said to be taken in order, and crossnobis needs no note", {
  made <- made_rdms(n = 14)
  labelled <- lapply(made$data, function(d) structure(d, Labels = letters[1:14]))
  evaluated <- function(...) evaluate_rdms(..., resample = "none")
  expect_message(evaluated(labelled, made$models, "pearson"),
                 "^`models[$]m1`.*have no labels: .*order of `rdms`",
                 class = "repalign_one_sided_names")
  expect_message(evaluated(made$data, labelled, "pearson"), "`rdms` has no labels",
                 class = "repalign_one_sided_names")
  expect_silent(evaluated(labelled, labelled, "pearson"))
  expect_silent(evaluated(made$data, made$models, "pearson"))
  expect_message(evaluated(made$data, made$models), class = "repalign_cosine_of_positive")
  crossnobis <- lapply(made$data, structure, distance = "crossnobis")
  expect_silent(evaluated(crossnobis, made$models))
})

test_that("folds whose training is their test are no cross-validation", {
  made <- made_rdms(n = 12)
  same <- data.frame(fold = 1, set = rep(c("train", "test"), each = 3), factor = "rdm", index = 1:3)
  weighted <- list(w = rdm_model(made$models, "weighted"))
  told <- function(folds) {
    seen <- testthat::capture_warnings(
      evaluate_rdms(made$data, weighted, "pearson", "none", folds = folds))
    any(grepl("not cross-validated", seen))
  }
  expect_true(told(same))
  same$index[4:6] <- c(4, 5, 5)
  expect_false(told(same))
  expect_error(evaluate_rdms(made$data, made$models, "pearson", draws = 2e9),
               class = "repalign_error_memory")
})

test_that("a print does not promise errors that there are not", {
  made <- made_rdms()
  one <- quietly(evaluate_rdms(made$data[1], made$models, "cosine", resample = "none"))
  expect_true(all(is.na(one$se)))
  expect_output(print(one), "\nno errors over RDMs, without resampling\n")
  all <- evaluate_rdms(made$data, made$models, "cosine", resample = "none")
  expect_output(print(all), "\nerrors over RDMs, without resampling\n")
})

test_that("means over folds stay within the range of scores", {
  made <- made_rdms()
  same <- stats::setNames(rep(made$data[1], 5), letters[1:5])
  for (folds in 2:5) {
    result <- quietly(evaluate_rdms(same, list(m = same$a), "cosine", "none",
                                    folds = c(rdm = folds)))
    expect_lte(result$score, 1)
    expect_lte(result$ceiling_high, 1)
  }
})

test_that("an undefined noise ceiling is told with its reason", {
  model <- stats::dist(normal_matrix(5, 3))
  # two RDMs that share two pairs, so that each can be compared with the model, but not with the
  # other
  one <- replace(stats::dist(normal_matrix(5, 3)), 7:10, NA)
  two <- replace(stats::dist(normal_matrix(5, 3)), 1:4, NA)
  evaluate <- function(one, two) {
    suppressMessages(evaluate_rdms(list(a = one, b = two), list(m = model), "pearson", "none",
                                   na = "pairwise"))
  }
  expect_warning(found <- evaluate(one, two), "lower noise ceiling is undefined",
                 class = "repalign_undefined")
  expect_identical(is.na(c(found$score, found$ceiling_low, found$ceiling_high)),
                   c(FALSE, TRUE, FALSE))
  two[3:4] <- c(1, 2)
  expect_no_warning(evaluate(one, two), message = "noise ceiling")
})

test_that("of one RDM, stimuli are drawn, and there is no ceiling", {
  made <- made_rdms()
  call <- function(...) {
    set.seed(1)
    suppressWarnings(evaluate_rdms(made$data[[1]], made$models, "cosine", draws = 50, ...))
  }
  result <- call()
  expect_identical(result, call(resample = "condition"))
  expect_true(all(is.na(c(result$ceiling_low, result$ceiling_high))))
  expect_no_match(paste(utils::capture.output(print(result)), collapse = " "), "ceiling")
  expect_no_match(caption_text(ggplot2::autoplot(result)), "ceiling")
  expect_refused(call(resample = "both"), "\"condition\"")
})

test_that("RDMs are asked for where text or responses are given", {
  made <- made_rdms()
  expect_refused(evaluate_rdms(made$data, list(a = letters[1:12])), "factor[(]models[$]a[)]")
  expect_refused(evaluate_rdms(made$data, list(a = matrix(1:144, 12))), "rdm[(][)] makes an RDM")
})

test_that("RDMs of another size are refused with a remedy that works", {
  set.seed(66)
  rdm <- function(n) stats::dist(matrix(rnorm(5 * n), n, dimnames = list(letters[1:n], NULL)))
  data <- rdm(16)
  expect_refused(evaluate_rdms(list(s = data), list(m = rdm(12))), c("`models.m`", "match_rows"))
  expect_message(both <- match_rows(data, rdm(12)), "\"m\", \"n\", \"o\" and 1 more",
                 class = "repalign_left_out")
  expect_identical(attr(both$x, "Size"), 12L)
})

test_that("RDMs of data in the place of models are told to be swapped, where the others are none", {
  set.seed(67)
  data <- rdm(list(a = matrix(rnorm(60), 12), b = matrix(rnorm(60), 12)), distance = "correlation")
  models <- list(m = dist(rnorm(12)), k = dist(rnorm(12)))
  run <- function(rdms, models) evaluate_rdms(rdms, models, "pearson", draws = 20)
  expect_message(run(models, data), "evaluate_rdms(models, rdms)", fixed = TRUE,
                 class = "repalign_swapped")
  expect_no_condition(run(data, models), class = "repalign_swapped")
  expect_no_condition(run(data, data), class = "repalign_swapped")
  expect_no_condition(run(data$a, data), class = "repalign_swapped")
})
