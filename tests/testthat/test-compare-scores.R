# compare_scores(), best_score() and compare_best(): reference values, laws, error rates, refusals.

set.seed(31)
n <- 30L
latent <- matrix(rnorm(n * 4), n)
mixed <- function(noise, d = 12) latent %*% matrix(rnorm(4 * d), 4) + noise * rnorm(n * d)
x <- mixed(0.5)
layers <- list(a = mixed(0.5), b = mixed(2), c = mixed(1), d = mixed(4))
corrected <- measure("cka", estimator = "stimulus_neuron")
result <- few_is_fine(score_interval(x, layers, corrected, over = c("stimuli", "neurons_x")))

seeded <- function(code, seed = 1) {
  set.seed(seed)
  code
}

reference_result <- function() {
  table <- read.csv(shared_file("reference", "inference", "inputs.csv"))
  inputs <- lapply(split(table, table$matrix), function(part) {
    m <- matrix(0, max(part$row), max(part$column))
    m[cbind(part$row, part$column)] <- part$value
    m
  })
  list(normals = inputs$normals,
       # the units of the reference's layers are all that there are
       result = few_is_fine(score_interval(
         inputs$x, inputs[paste0("y", 1:4)],
         measure("cka", estimator = "stimulus_neuron", complete = "y"),
         over = c("stimuli", "neurons_x"))))
}

expect_reference <- function(quantity, args, found, tolerance = 0) {
  table <- read.csv(shared_file("reference", "inference", "values.csv"))
  rows <- table[table$quantity == quantity, ]
  expected <- rows[match(args, rows$args), ]
  expect_false(anyNA(expected$value))
  for (at in seq_along(args)) {
    expect_relative(found[at], expected$value[at], max(expected$tolerance[at], tolerance),
                    paste(quantity, args[at]))
  }
}

# Draws times the root of a covariance, which loses digits: others with other kernels of the BLAS.
from_draws <- 1e-7

test_that("differences, their tests and the best layer are the reference values", {
  given <- reference_result()
  # the draws of the reference in the place of random ones
  local_internal("draws_of_scores", function(scores, count) {
    repalign:::joint_draws(scores$total, given$normals)
  })
  local_internal("check_draws", function(draws, level, scores) 199L)
  rows <- compare_scores(given$result, p_adjust = "max_t", margin = 0.1)
  named <- paste(rows$score_1, rows$score_2, sep = "-")
  expect_reference("difference", named, rows$difference)
  expect_reference("difference_se", named, rows$se)
  expect_reference("difference_df", named, rows$df)
  expect_reference("difference_p", named, rows$p_value)
  expect_reference("difference_p_adjusted", named, rows$p_adjusted)
  expect_reference("equivalence_p", paste0(named, ";margin=0.1"), rows$p_equivalence)
  best <- best_score(given$result)
  expect_reference("best_interval", c("score", "conf_low", "conf_high"),
                   unlist(best[c("score", "conf_low", "conf_high")]), from_draws)
  scores <- repalign:::compared_scores(given$result)
  joint <- repalign:::joint_draws(scores$total, given$normals)
  expect_reference("max_t_critical", "two_sided;alpha=0.05", repalign:::critical_of(
    repalign:::largest_of_contrasts(joint, diag(4), abs), 0.05, 0), from_draws)
})

test_that("the variance of a contrast is that of single scores and of vcov()", {
  scores <- repalign:::compared_scores(result)
  single <- repalign:::errors_of_contrasts(scores, diag(4))
  expect_equal(single$se, result$se)
  expect_equal(single$df, result$df)
  over_stimuli <- few_is_fine(score_interval(x, layers, corrected, over = "stimuli"))
  rows <- compare_scores(over_stimuli)
  weights <- repalign:::pair_weights(4, match(rows$score_1, names(layers)),
                                     match(rows$score_2, names(layers)))
  expect_equal(rows$se^2, diag(t(weights) %*% vcov(over_stimuli) %*% weights))
  expect_identical(unique(rows$df), Inf)
  expect_equal(rows$conf_high, rows$difference + qnorm(0.975) * rows$se)
  # a layer that is alone in a call has the same errors as among others
  expect_equal(compare_scores(result[1:2, ])$se, compare_scores(result)$se[1])
})

test_that("p-values are adjusted as p.adjust() does, and never below the unadjusted", {
  plain <- compare_scores(result, p_adjust = "none")
  expect_identical(plain$p_adjusted, plain$p_value)
  for (way in c("holm", "BH", "bonferroni")) {
    expect_identical(compare_scores(result, p_adjust = way)$p_adjusted,
                     p.adjust(plain$p_value, way))
  }
  rows <- seeded(compare_scores(result, p_adjust = "max_t"))
  expect_true(all(rows$p_adjusted >= rows$p_value))
  expect_true(all(rows$p_adjusted <= pmin(1, 6 * rows$p_value) + 0.02))
  expect_true(all(rows$simultaneous_low < rows$conf_low))
  # zero is outside of a simultaneous interval where max_t rejects
  expect_identical(rows$simultaneous_low > 0 | rows$simultaneous_high < 0, rows$p_adjusted <= 0.05)
  one <- compare_scores(result[1:2, ], p_adjust = "max_t")
  expect_identical(one$p_adjusted, one$p_value)
  expect_equal(one$simultaneous_low, one$conf_low)
  # of scores that do not vary together, the largest of two is that of two independent values
  normals <- seeded(matrix(rnorm(2e5), ncol = 2))
  joint <- repalign:::joint_draws(diag(2), normals)
  critical <- repalign:::critical_of(repalign:::largest_of_contrasts(joint, diag(2), abs), 0.05, 0)
  expect_equal(critical, qnorm(1 - (1 - sqrt(0.95)) / 2), tolerance = 0.01)
})

test_that("the order of rows does not matter, and seeds reproduce", {
  order <- c(3, 1, 4, 2)
  first <- seeded(compare_scores(result, "c", p_adjust = "max_t", margin = 0.1))
  other <- seeded(compare_scores(result[order, ], "c", p_adjust = "max_t", margin = 0.1))
  expect_equal(as.data.frame(other)[match(first$score_1, other$score_1), ], as.data.frame(first),
               ignore_attr = TRUE)
  first <- as.data.frame(seeded(best_score(result)))
  other <- as.data.frame(seeded(best_score(result[order, ])))
  expect_equal(first[1:5], other[1:5])
  expect_setequal(first$in_set[[1]], other$in_set[[1]])
  one <- seeded(compare_best(result, c("a", "c"), c("b", "d")))
  two <- seeded(compare_best(result[order, ], c("a", "c"), c("b", "d")))
  expect_equal(as.data.frame(one), as.data.frame(two))
})

test_that("contrasts are pairs, a reference, or a matrix", {
  pairs <- compare_scores(result)
  expect_identical(paste0(pairs$score_1, pairs$score_2), c("ab", "ac", "ad", "bc", "bd", "cd"))
  others <- compare_scores(result, "b")
  expect_identical(others$score_1, c("a", "c", "d"))
  expect_equal(others$difference[1], pairs$difference[1])
  expect_equal(others$difference[2], -pairs$difference[4])
  given <- compare_scores(result, rbind(first = c(1, -1, 0, 0), mean = c(0.5, 0, 0.5, -1)))
  same <- c("difference", "se", "df", "statistic", "p_value", "conf_low", "conf_high")
  expect_equal(as.data.frame(given)[1, same], as.data.frame(pairs)[1, same])
  expect_identical(given$contrast, c("first", "mean"))
  expect_identical(c(given$score_1[2], given$score_2[2]), c("0.5 a + 0.5 c", "d"))
  expect_equal(given$difference[2], sum(c(0.5, 0, 0.5, -1) * result$score))
  named <- compare_scores(result, c(b = -1, a = 1))
  expect_equal(named$se, pairs$se[1])
  expect_identical(compare_scores(result, c(b = -1L, a = 1L)), named)
  whole <- rbind(c(-1L, 1L, 0L, 0L), c(0L, 0L, 1L, -1L))
  expect_equal(compare_scores(result, whole)$se, compare_scores(result, whole + 0)$se)
  # measures are compared each by itself
  two <- score_interval(x, layers[1:3], c("cka", "rsa"))
  rows <- compare_scores(two)
  expect_identical(rows$measure, rep(c("cka(naive)", "rsa"), each = 3))
  expect_equal(rows$se[4:6], compare_scores(two[two$measure == "rsa", ])$se)
  expect_identical(nrow(compare_scores(two, "b")), 4L)
})

test_that("equivalence and non-inferiority are one-sided tests at the margin", {
  rows <- compare_scores(result, margin = 0.2)
  low <- pt((rows$difference + 0.2) / rows$se, rows$df, lower.tail = FALSE)
  high <- pt((rows$difference - 0.2) / rows$se, rows$df)
  expect_equal(rows$p_equivalence, pmax(low, high))
  expect_equal(rows$p_noninferiority, low)
  expect_true(all(is.na(compare_scores(result)$p_equivalence)))
  # of distances, larger is worse
  distances <- score_interval(x, layers, "procrustes")
  rows <- compare_scores(distances, margin = 0.2)
  expect_equal(rows$p_noninferiority, pt((rows$difference - 0.2) / rows$se, rows$df))
})

test_that("the best distance is the smallest", {
  similar <- score_interval(x, layers, measure("cka", estimator = "stimulus"))
  # the same scores, errors and draws, with the other sign
  flipped <- similar
  call <- attr(similar, "deletions")[[1]]
  call$rows$score <- flipped$score <- -similar$score
  attr(flipped, "deletions") <- list(call)
  attr(flipped, "direction")[] <- "distance"
  of_distance <- seeded(best_score(flipped))
  expect_identical(of_distance$best, similar$y[which.max(similar$score)])
  of_similarity <- seeded(best_score(similar))
  expect_equal(of_distance$conf_low, -of_similarity$conf_high)
  expect_equal(of_distance$conf_high, -of_similarity$conf_low, tolerance = 0.05)
  expect_identical(of_distance$in_set, of_similarity$in_set)
  one <- seeded(compare_best(flipped, c("a", "c"), c("b", "d")))
  two <- seeded(compare_best(similar, c("a", "c"), c("b", "d")))
  expect_equal(one$statistic, two$statistic)
  expect_equal(one$critical, two$critical, tolerance = 0.05)
  expect_equal(one$difference, -two$difference)
})

test_that("groups have a best score each", {
  models <- list(m = layers[c("a", "b")], k = layers[c("c", "d")])
  grid <- score_interval(list(v = list(v1 = x, v2 = mixed(1))), models, "cka")
  best <- best_score(grid)
  expect_identical(best$group, c("m", "k"))
  expect_identical(best$score,
                   as.vector(tapply(grid$score, factor(grid$model_y, c("m", "k")), max)))
  each <- best_score(grid, c("x", "model_y"))
  expect_identical(each$group, c("v1 | m", "v1 | k", "v2 | m", "v2 | k"))
  expect_identical(nrow(compare_best(grid, "m", "k")), 1L)
  two <- score_interval(x, layers, c("cka", "rsa"))
  expect_identical(best_score(two)$group, c("cka(naive)", "rsa"))
  one <- best_score(result[2, ])
  expect_equal(c(one$conf_low, one$conf_high), c(result$conf_low[2], result$conf_high[2]))
  expect_identical(one$in_set, list(result$y[2]))
  # a clear winner is alone
  clear <- score_interval(x, list(a = x + 0.01 * rnorm(length(x)), b = mixed(8), c = mixed(8)),
                          "cka")
  expect_identical(best_score(clear)$in_set, list("a"))
  expect_lt(compare_best(clear, "a", c("b", "c"))$p_value, 0.01)
  expect_gt(compare_best(clear, c("b", "c"), "a")$p_value, 0.5)
})

test_that("a sentence tells what was sampled for its own measure", {
  set.seed(40)
  x <- matrix(rnorm(240), 30)
  x <- x[, 1:2] %*% matrix(rnorm(40), 2) + rnorm(600)
  y <- list(a = x + rnorm(600), b = x + rnorm(600, sd = 2))
  set <- list(measure("cka", estimator = "stimulus_neuron"), "rsa")
  told <- in_words(quietly(compare_scores(score_interval(x, y, set))))
  expect_match(told[1], "interval [^,]* over stimuli and neurons of both sides, [^o]")
  expect_match(told[2], "interval [^,]* over stimuli, [^o]")
})

test_that("error rates are those of the levels", {
  set.seed(5)
  readout <- matrix(rnorm(5 * 12), 5)
  found <- vapply(1:80, function(set) {
    z <- matrix(rnorm(40 * 5), 40)
    of <- function() (0.8 * z + 0.6 * rnorm(200)) %*% readout
    brain <- z %*% matrix(rnorm(5 * 25), 5) + rnorm(1000)
    scores <- few_is_fine(score_interval(brain, list(a = of(), b = of(), c = of(), d = of()),
                                         corrected, over = c("stimuli", "neurons_x")))
    rows <- compare_scores(scores, draws = 99)
    best <- best_score(scores, draws = 99)
    c(alone = rows$p_value[1] < 0.05, holm = any(rows$p_adjusted < 0.05),
      missed = any(rows$simultaneous_low > 0 | rows$simultaneous_high < 0),
      lost = !"a" %in% best$in_set[[1]],
      two = compare_best(scores, c("a", "b", "c"), "d", draws = 99)$p_value < 0.05)
  }, logical(5))
  rates <- rowMeans(found)
  # 80 data sets: a true rate of 0.05 exceeds 0.16 in 1 of 10000 runs
  expect_true(all(rates <= 0.16))
  expect_gt(mean(found[1:4, ]), 0.01)
})

test_that("crossfit picks on one half and judges on the other", {
  over_stimuli <- score_interval(x, layers, measure("cka", estimator = "stimulus"))
  # a group of one layer leaves nothing to pick, and halves cancel
  one <- compare_best(over_stimuli, "a", "b")
  expect_equal(one$crossfit, one$difference)
  halves <- score_interval(x, layers, "cka", method = "half-samples", draws = 30)
  one <- compare_best(halves, "a", "b")
  expect_equal(one$crossfit, one$difference)
  shifts <- repalign:::half_shifts(over_stimuli, 3)
  expect_equal(shifts$one, -shifts$other)
  # to first order these are the scores of the half
  set.seed(4)
  shifts <- repalign:::half_shifts(halves, 20)
  expect_equal(unname(apply(shifts$one, 2, sd)) / halves$se, rep(1, 4), tolerance = 0.5)
})

test_that("copies, undefined scores and half-samples: what is known is used and said", {
  copies <- score_interval(x, c(layers, list(e = layers$a)), "cka")
  rows <- expect_warned(compare_scores(copies), "repalign_undefined")
  lost <- rows$score_1 == "a" & rows$score_2 == "e"
  expect_identical(is.na(rows$p_adjusted), lost)
  set <- best_score(copies)$in_set[[1]]
  expect_identical("e" %in% set, "a" %in% set)
  same <- expect_warned(score_interval(x, c(layers, list(e = x)), "cka"), "repalign_undefined")
  rows <- compare_scores(same, "e")
  expect_equal(rows$se, same$se[1:4])
  expect_identical(best_score(same)$best, "e")
  undefined <- result
  undefined$score[2] <- NA
  call <- attr(undefined, "deletions")[[1]]
  call$rows$score[2] <- NA
  attr(undefined, "deletions") <- list(call)
  rows <- expect_warned(compare_scores(undefined), "repalign_undefined")
  expect_identical(sum(is.na(rows$difference)), 3L)
  best <- expect_warned(best_score(undefined), "repalign_undefined")
  expect_false("b" %in% best$in_set[[1]])
  expect_warned(compare_best(undefined, c("a", "b"), "c"), "repalign_undefined")
  expect_refused(quietly(compare_best(undefined, "b", "c")), "group_1")
  halves <- score_interval(x, layers, "mutual_knn", method = "half-samples", draws = 20,
                           over = c("stimuli", "neurons_x"))
  expect_output(print(compare_scores(halves)), "no interactions are subtracted")
  expect_output(print(best_score(halves)), "no interactions are subtracted")
})

test_that("bad input is refused by name", {
  expect_refused(compare_scores(similarity(x, layers)), "`result`")
  expect_refused(compare_scores(result[1, ]), c("`result`", "1 score"))
  expect_refused(compare_scores(result[c(1, 1), ]), c("`result`", "twice"))
  other <- score_interval(x, layers, "rsa")
  expect_refused(compare_scores(rbind(result, other)), "several calls")
  expect_refused(best_score(rbind(result, other)), "several calls")
  changed <- result
  changed$score[1] <- 0
  expect_refused(compare_scores(changed), "no longer known")
  two <- score_interval(x, layers[1:2], c("cka", "rsa"))
  expect_refused(compare_scores(two, c(1, -1, 0, 0)), "not on one scale")
  expect_refused(compare_best(two, 1, 2), "not on one scale")
  expect_refused(compare_scores(two[1:2, ]), "no two scores of one measure")
  expect_refused(compare_scores(result, c(1, 1, 0, 0)), c("`contrasts`", "add up to 2"))
  expect_refused(compare_scores(result, c(0, 0, 0, 0)), "all 0")
  expect_refused(compare_scores(result, c(1, -1)), c("`contrasts`", "2 columns"))
  expect_refused(compare_scores(result, c(a = 1, z = -1)), c("`contrasts`", "z"))
  expect_refused(compare_scores(result, c(1, NA, -1, 0)), "`contrasts`")
  expect_refused(compare_scores(result, "z"), c("`contrasts`", "z"))
  expect_refused(compare_scores(result, list(1)), "`contrasts`")
  expect_refused(compare_scores(result, p_adjust = "tukey"), "`p_adjust`")
  expect_refused(compare_scores(result, margin = -1), "`margin`")
  expect_refused(compare_scores(result, draws = 10), "`draws`")
  expect_refused(best_score(result, "layer"), "`by`")
  grouped <- score_interval(x, list(m1 = layers[1:2], m2 = layers[3:4]), measure("cka"))
  expect_identical(seeded(best_score(grouped))$group, c("m1", "m2"))
  expect_identical(seeded(best_score(grouped, by = NULL))$group, "all")
  expect_refused(compare_best(result, "a", c("a", "b")), "`group_2`")
  expect_refused(compare_best(result, "z", "a"), "`group_1`")
  expect_refused(compare_best(result, 7, 1), "`group_1`")
  expect_refused(compare_best(result, "a"), "`group_2`")
  expect_refused(similarity(compare_scores(result), x), "`x`")
})

test_that("results print, tidy and draw themselves", {
  rows <- seeded(compare_scores(result, margin = 0.1))
  expect_output(print(rows), "Differences of scores: 6 differences")
  expect_output(print(rows[1:2, ]), "over 6 differences")
  expect_output(print(rbind(rows, rows)), "12 differences.*over 6 differences in each result")
  one <- seeded(compare_scores(result, "a", margin = 0.1))
  both <- rbind(rows, one)
  expect_output(print(both), "9 differences.*over 6 and 3 differences, in each result alone")
  expect_identical(both$p_adjusted, c(rows$p_adjusted, one$p_adjusted))
  other <- seeded(compare_scores(result))
  expect_refused(rbind(rows, other), c("`margin` \\(0.1 and none\\)", "as.data.frame"))
  expect_true(all(c("term", "estimate", "p.value") %in% names(tidy(rows))))
  best <- seeded(best_score(result))
  expect_output(print(best), "may be the best")
  expect_identical(tidy(best)$estimate, best$score)
  two <- seeded(compare_best(result, "a", "b"))
  expect_output(print(two), "best of 1 score against")
  expect_identical(names(tidy(two))[c(1, 4)], c("term", "estimate"))
  expect_identical(tidy(two)$estimate, two$difference)
  expect_identical(tidy(two)$p.value, two$p_value)
  expect_identical(class(as.data.frame(rows)), "data.frame")
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(rows)
  expect_identical(levels(picture$data$title)[6], "a - b")
  expect_s3_class(ggplot2::autoplot(rows[2:3, ]), "ggplot")
  # long names are shortened, so that a line has both
  rows$score_1 <- paste0("model.features.block.", rows$score_1, ".conv2.relu")
  expect_lte(max(nchar(levels(ggplot2::autoplot(rows)$data$title))), 40)
  # of names in parts, what two begin or end with is written once
  expect_identical(unname(difference_titles(
    c("V1 | low", "V1 | low", "V1 | low", "a", "V1 | m | low", "V1",
      "V1 | low"),
    c("V1 | high", "V4 | low", "V4 | high", "b", "V1 | n | low", "V1 | low",
      "V1 | m | low")
  )), c("V1 | low - high", "V1 - V4 | low", "V1 | low - V4 | high", "a - b", "V1 | m - n | low",
        "V1 - V1 | low", "V1 | low - m | low"))
  # the clearest pairs are drawn by all measures
  both <- seeded(compare_scores(score_interval(x, layers[1:4], c("cka", "rsa"))))
  few <- ggplot2::autoplot(both, most = 2)
  expect_identical(nlevels(droplevels(few$data$title)), 2L)
  expect_identical(as.vector(table(few$data$panel)), c(2L, 2L))
  expect_match(caption_text(few), "4 of 12 differences, the largest")
  clear <- abs(both$difference) / both$se
  expect_true(max(clear) %in% (abs(few$data$difference) / few$data$se))
  # measures that have rows of their own need no panels with the names of all
  apart <- ggplot2::autoplot(both[c(1, 2, 9, 10), ])
  expect_null(apart$data$panel)
  expect_setequal(sub(" [|] .*", "", levels(apart$data$title)),
                  levels(measure_panels(both$measure)))
  picture <- ggplot2::autoplot(best)
  expect_identical(nrow(picture$data), 4L)
  two <- score_interval(x, layers[1:3], c("cka", "rsa"))
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(compare_scores(two))), "ggplot_built")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(best_score(two))), "ggplot_built")
})

test_that("copies among the scores do not change the critical value of the best", {
  set.seed(11)
  x <- matrix(rnorm(40 * 8), 40)
  y <- x[, 1:5] + rnorm(200)
  z <- matrix(rnorm(40 * 6), 40)
  result <- score_interval(x, list(a = y, b = z, c = y), "rsa")
  # the difference of the copies does not vary: that of "b" and "c" is left
  alone <- compare_best(result, "b", "c")
  both <- compare_best(result, c("a", "b"), "c")
  expect_lt(both$critical, 1.8)
  expect_gt(both$critical, 1.5)
  expect_equal(alone$critical, both$critical, tolerance = 0.1)
})

test_that("confint() gives intervals at other levels, and those of all rows together", {
  set.seed(3)
  x <- matrix(rnorm(200), 40)
  layers <- list(a = x + rnorm(200), b = x + 2 * rnorm(200), c = matrix(rnorm(200), 40))
  result <- score_interval(x, layers, "rsa")
  differences <- compare_scores(result)
  expect_equal(unname(confint(differences)),
               unname(as.matrix(as.data.frame(differences)[c("conf_low", "conf_high")])))
  narrow <- confint(differences, "a - c", level = 0.5)
  expect_equal(as.vector(narrow), with(differences[2, ], difference + c(-1, 1) * qnorm(0.75) * se))
  expect_identical(dimnames(narrow), list("a - c", c("25 %", "75 %")))
  together <- confint(differences, simultaneous = TRUE)
  expect_equal(together[, 1], differences$simultaneous_low, ignore_attr = TRUE)
  expect_error(confint(differences, simultaneous = TRUE, level = 0.9),
               class = "repalign_error_value")
  weighted <- compare_scores(result, rbind(early = c(0.5, 0.5, -1)))
  expect_identical(rownames(confint(weighted)), "early")
  best <- best_score(result)
  expect_equal(as.vector(confint(best, level = 0.95)), c(best$conf_low, best$conf_high))
  expect_error(confint(best, level = 0.9), "conf_level", class = "repalign_error_value")
  expect_error(confint(differences, 7), class = "repalign_error_choice")
})

test_that("contrasts without rows, and names with two meanings, are errors", {
  set.seed(4)
  x <- matrix(rnorm(200), 40)
  models <- list(a = list(a = x + rnorm(200), b = x + 2 * rnorm(200)),
                 d = list(e = matrix(rnorm(200), 40)), f = list(f = x + rnorm(200)))
  result <- score_interval(x, models, "rsa")
  expect_error(compare_scores(result, matrix(0, 0, 4)), "no rows", class = "repalign_error_size")
  scores <- list(score = 1:3, title = c("a", "b", "c"),
                 rows = data.frame(model_y = c("a", "a", "c")))
  expect_error(repalign:::group_rows("a", scores, "group_1"), "a model and a score",
               class = "repalign_error_choice")
  expect_identical(repalign:::group_rows("c", scores, "group_1"), 3L)
  expect_identical(repalign:::group_rows("b", scores, "group_1"), 2L)
})

test_that("sentences and pictures pair an interval with the p-value that belongs to it", {
  set.seed(8)
  x <- matrix(rnorm(120), 30)
  scores <- score_interval(x, list(a = x + 1.2 * rnorm(120), b = x + 2 * rnorm(120),
                                   c = matrix(rnorm(120), 30)))
  holm <- compare_scores(scores, draws = 999)
  expect_match(in_words(holm), "over stimuli, for it alone p [=<] [.0-9]+, holm-adjusted p")
  expect_no_match(in_words(holm), "for all together")
  together <- compare_scores(scores, p_adjust = "max_t", draws = 999)
  expect_match(in_words(together), "for all together .* over stimuli, max_t-adjusted p")
  excludes <- together$simultaneous_low > 0 | together$simultaneous_high < 0
  expect_identical(together$p_adjusted <= 0.05, excludes)
  expect_match(comparison_caption(holm, 3), "max_t")
})

test_that("a result of cka_interval() is called so", {
  set.seed(2)
  x <- matrix(rnorm(200), 20)
  result <- suppressWarnings(cka_interval(x, x[, 1:5] + rnorm(100), estimator = "stimulus"))
  expect_refused(compare_scores(result), "not that of cka_interval")
})
