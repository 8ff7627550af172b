# Standard errors against literal deletion: stimuli, neurons and label groups are really
# taken out and everything is computed again from the definitions.

# One dimension that every neuron reads out with a weight of about 1: ratios stay
# defined under every deletion, even from two neurons.
strong_pair <- function(n, qx, qy, noise = 0.3) {
  stimuli <- rnorm(n)
  side <- function(q) outer(stimuli, sample(c(-1, 1), q, TRUE) * runif(q, 0.7, 1.3)) +
    noise * normal_matrix(n, q)
  list(x = side(qx), y = side(qy))
}

# Labels of both sides as the numerator sees them.
side_labels <- function(p, shared = FALSE, units = NULL) {
  if (shared) units <- list(x = seq_len(ncol(p$x)), y = seq_len(ncol(p$y)))
  units
}

# Appendix B.3 for unbiased H values (all deltas are zero).
appendix_bias <- function(h, cov) {
  h[1] / sqrt(h[2] * h[3]) *
    (3 / 8 * cov[2, 2] / h[2]^2 + 3 / 8 * cov[3, 3] / h[3]^2 - cov[1, 2] / (2 * h[1] * h[2]) -
       cov[1, 3] / (2 * h[1] * h[3]) + cov[2, 3] / (4 * h[2] * h[3]))
}

literal_interval <- function(p, estimator, labels = NULL) {
  all <- literal_triples(p, estimator, labels)
  h <- lapply(1:3, function(k) all$triples[, , k])
  theta <- apply(all$triples, 1:2, plain_ratio)
  cov <- outer(1:3, 1:3, Vectorize(function(i, j) {
    if (i == j) two_way_variance_of(h[[i]], all$strata)
    else two_way_net(two_way(h[[i]], h[[j]], all$strata))
  }))
  list(theta = theta, cka = theta[1, 1], se = sqrt(two_way_variance_of(theta, all$strata)),
       bias = appendix_bias(all$triples[1, 1, ], cov), h = all$triples[1, 1, ])
}

all_samples <- c("stimuli", "neurons_x", "neurons_y")

expect_literal_interval <- function(p, ..., labels = NULL, case) {
  result <- few_is_fine(cka_interval(p$x, p$y, ..., over = all_samples))
  expect_identical(result$estimator, all_estimators)
  for (e in all_estimators) {
    row <- result[result$estimator == e, ]
    # naive and stimulus values have no labels, but their units are deleted alike
    literal <- literal_interval(p, e, labels)
    expect_false(anyNA(literal$theta), label = paste(case, e, "has undefined deletions"))
    for (what in c("cka", "se", "bias")) {
      expect_relative(row[[what]], literal[[what]], 1e-7, paste(case, e, what))
    }
    expect_equal(c(row$h_xy, row$h_xx, row$h_yy), literal$h, tolerance = 1e-9)
  }
}

test_that("cka_interval is literal deletion: different neurons, unequal widths", {
  set.seed(1)
  expect_literal_interval(strong_pair(9, 5, 6), case = "independent")
})

test_that("cka_interval is literal deletion: more neurons than stimuli", {
  set.seed(2)
  expect_literal_interval(strong_pair(7, 9, 11), case = "d > n")
  set.seed(3)
  expect_literal_interval(strong_pair(8, 10, 4), case = "d > n on one side")
})

test_that("cka_interval is literal deletion: shared neurons go on both sides at once", {
  set.seed(4)
  x <- strong_pair(9, 6, 1)$x
  p <- list(x = x, y = x + 0.3 * normal_matrix(9, 6))
  expect_literal_interval(p, shared_neurons = TRUE, labels = side_labels(p, TRUE), case = "shared")
})

test_that("cka_interval is literal deletion: groups, and units of one side only", {
  set.seed(5)
  p <- strong_pair(8, 8, 7)
  units <- list(x = c("a", "a", "b", "c", "c", "d", "e", "e"),
                y = c("b", "b", "a", "f", "g", "g", "c"))
  expect_literal_interval(p, units_x = units$x, units_y = units$y, labels = units, case = "groups")
  units <- list(x = 1:8, y = c(8, 11, 12, 1, 13, 3, 14))
  expect_literal_interval(p, units_x = units$x, units_y = units$y, labels = units,
                          case = "some neurons in common")
  units <- list(x = rep(1:4, 2), y = factor(c(5, 5, 6, 7, 7, 8, 8)))
  expect_literal_interval(p, units_x = units$x, units_y = units$y, labels = units,
                          case = "groups, nothing in common")
})

test_that("cka_interval of a representation with itself", {
  set.seed(6)
  x <- strong_pair(9, 5, 1)$x
  result <- expect_warned(few_is_fine(cka_interval(x, x, shared_neurons = TRUE)),
                          "repalign_undefined")
  expect_equal(result$cka, rep(1, 3), tolerance = 1e-12)
  # what does not vary has no error
  expect_true(all(is.na(result$se)))
  # as two samples of neurons that happen to be equal
  expect_literal_interval(list(x = x, y = x), case = "equal matrices, different neurons")
})

test_that("the bound keeps the variance above each of its parts", {
  # a case in which the interactions are larger than what they are taken from
  found <- FALSE
  for (seed in 1:40) {
    set.seed(seed)
    p <- list(x = normal_matrix(7, 4), y = normal_matrix(7, 4))
    all <- literal_triples(p, "naive", NULL)
    theta <- apply(all$triples, 1:2, plain_ratio)
    parts <- two_way(theta, theta, all$strata)
    if (two_way_net(parts) < max(parts[c("s", "x", "y")])) {
      found <- TRUE
      expect_relative(cka_interval(p$x, p$y, "naive", over = all_samples)$se,
                      sqrt(max(parts[c("s", "x", "y")])), 1e-8)
      break
    }
  }
  expect_true(found)
})

test_that("intervals are those of score_interval(), not clipped, and a column each", {
  set.seed(7)
  p <- related_pair(12, 6, 6)
  result <- few_is_fine(cka_interval(p$x, p$y, conf_level = 0.8))
  expect_identical(names(result),
                   c("estimator", "complete", "cka", "se", "df", "conf_low", "conf_high", "h_xy",
                                    "h_xx", "h_yy", "bias", "cka_corrected", "correction", "over",
                                    "n"))
  expect_s3_class(result, "data.frame")
  measures <- lapply(all_estimators, function(e) measure("cka", estimator = e))
  same <- c("se", "df", "conf_low", "conf_high")
  for (over in list("stimuli", "neurons_x", c("neurons_x", "neurons_y"))) {
    scores <- few_is_fine(score_interval(p$x, p$y, measures, over, conf_level = 0.8))
    found <- few_is_fine(cka_interval(p$x, p$y, conf_level = 0.8, over = over))
    expect_equal(found$cka, scores$score, tolerance = 1e-10)
    expect_equal(as.data.frame(found)[same], as.data.frame(scores)[same], tolerance = 1e-8)
    expect_equal(unname(confint(found, level = 0.5)), unname(confint(scores, level = 0.5)),
                 tolerance = 1e-8)
    expect_equal(unname(vcov(found)), unname(vcov(scores)), tolerance = 1e-8)
  }
  # t quantiles as soon as neurons take part
  row <- result[3, ]
  expect_equal(row$conf_high, row$cka + qt(0.9, row$df) * row$se, tolerance = 1e-12)
  expect_equal(few_is_fine(cka_interval(p$x, p$y, over = "stimuli"))$df, rep(Inf, 3))
  # population CKA 1: the interval reaches beyond
  expect_gt(max(result$conf_high), 1)
  one <- few_is_fine(cka_interval(p$x, p$y, estimator = c("stimulus_neuron", "naive"),
                                  conf_level = 0.8))
  expect_equal(one, result[c(3, 1), ], ignore_attr = TRUE)
  for (e in all_estimators) {
    row <- result[result$estimator == e, ]
    expect_equal(row$cka, few_is_fine(cka(p$x, p$y, estimator = e)), tolerance = 1e-10)
    expect_equal(row$h_xy, hsic(p$x, p$y, estimator = e), tolerance = 1e-10)
  }
})

test_that("constant columns are units like others in the jackknife", {
  set.seed(8)
  p <- strong_pair(8, 5, 5)
  p$x[, 3] <- 2
  p$y <- cbind(p$y, 0)
  expect_literal_interval(p, case = "silent neurons")
})

test_that("an undefined ratio gives NA with a warning, not an error and not a number", {
  set.seed(9)
  x <- cbind(normal_matrix(9, 1), 1)
  y <- strong_pair(9, 4, 4)$x
  result <- expect_warned(cka_interval(x, y, "stimulus_neuron"), "repalign_undefined")
  expect_true(is.na(result$cka) && is.na(result$se) && is.na(result$conf_low) && is.na(result$bias))
  expect_false(is.nan(result$cka) || is.nan(result$se) || is.nan(result$bias))
  expect_equal(result$h_xx, 0, tolerance = 1e-12)
  # two neurons: without one there is no pair left, so there is no standard error
  two <- strong_pair(9, 2, 4, noise = 0.1)
  result <- expect_warned(cka_interval(two$x, two$y, "stimulus_neuron"), "repalign_undefined")
  expect_false(is.na(result$cka))
  expect_identical(result$se, NA_real_)
})

# --- bias of a ratio

test_that("ratio_bias is appendix B.3 on a sample of H values", {
  set.seed(10)
  h <- cbind(rnorm(20, 2, 0.3), rnorm(20, 3, 0.4), rnorm(20, 1.5, 0.2))
  h[, 2] <- h[, 2] + 0.5 * h[, 1]
  result <- ratio_bias(h)
  center <- colMeans(h)
  expect_identical(names(result), c("ratio", "bias", "corrected", "mean_single", "bias_single"))
  expect_relative(result$ratio, plain_ratio(center), 1e-13)
  expect_relative(result$bias_single, appendix_bias(center, cov(h)), 1e-11)
  expect_relative(result$bias, appendix_bias(center, cov(h) / 20), 1e-11)
  expect_relative(result$corrected, result$ratio - result$bias, 1e-12)
  expect_relative(result$mean_single, mean(h[, 1] / sqrt(h[, 2] * h[, 3])), 1e-12)
  named <- h[, c(3, 1, 2)]
  colnames(named) <- c("h_yy", "h_xy", "h_xx")
  expect_equal(ratio_bias(as.data.frame(named)), result, tolerance = 1e-12)
})

test_that("ratio_bias predicts the mean of single ratios when the spread is small", {
  set.seed(11)
  steps <- normal_matrix(50, 3) * 1e-3
  # every deviation with both signs: odd orders cancel
  h <- sweep(rbind(steps, -steps), 2, c(0.7, 2, 1), "+")
  result <- ratio_bias(h)
  expect_relative(result$mean_single - result$ratio, result$bias_single * 99 / 100, 1e-4)
})

test_that("a sample around a zero numerator has a bias, too", {
  h <- cbind(c(1, -1), c(2, 3), c(2, 2))
  # x = 0: only the covariance of numerator and denominator is left
  expect_relative(ratio_bias(h)$bias_single, -cov(h)[1, 2] / (2 * 2.5) / sqrt(2.5 * 2), 1e-12)
})

# --- standard errors of pooled values in the analyses

# The same subsets are drawn for any number of stimuli; so the same seed gives them.
expect_literal_pooled_se <- function(run, n, case) {
  all <- seq_len(n)
  seeded <- function(...) {
    set.seed(5)
    suppressMessages(run(...))
  }
  result <- seeded(all, 0.95)
  deleted <- vapply(all, function(i) seeded(all[-i], NULL)$pooled, numeric(nrow(result)))
  deleted <- matrix(deleted, nrow(result))
  for (row in seq_len(nrow(result))) {
    expect_false(anyNA(deleted[row, ]), label = case)
    expect_relative(result$pooled_se[row], sqrt(delete_one(deleted[row, ])), 1e-6,
                    paste(case, row, result$estimator[row]))
  }
  expect_equal(result$conf_low, result$pooled - qnorm(0.975) * result$pooled_se, tolerance = 1e-12)
  expect_equal(result$conf_high, result$pooled + qnorm(0.975) * result$pooled_se, tolerance = 1e-12)
  invisible(result)
}

test_that("pooled_se of brain_to_brain is literal deletion of stimuli", {
  set.seed(12)
  p <- strong_pair(9, 8, 7)
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(p$x[rows, ], p$y[rows, ], neurons = c(4, 7), repeats = 4, conf_level = conf,
                   over = "stimuli")
  }, 9, "two regions")
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(p$x[rows, ], neurons = c(3, 4), repeats = 5, conf_level = conf,
                   over = "stimuli")
  }, 9, "halves")
  units <- c(1, 1, 2, 2, 3, 3, 4, 5)
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(p$x[rows, ], neurons = 3, repeats = 6, units_x = units, conf_level = conf,
                   over = "stimuli")
  }, 9, "halves with labels")
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(p$x[rows, ], p$y[rows, ], neurons = 5, repeats = 4, units_x = units,
                   units_y = c(1, 6, 6, 5, 7, 2, 3), conf_level = conf,
                   over = "stimuli")
  }, 9, "two regions with labels")
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(p$x[rows, ], split = c("a", "a", "b", "a", "b", "b", "b", "b"),
                   neurons = c(2, 4),
                   repeats = 5, conf_level = conf,
                   over = "stimuli")
  }, 9, "split")
})

test_that("pooled_se holds when draws without an allowed pair are left out", {
  # size 2 of pairs with equal labels: about one draw in seven has no allowed pair
  set.seed(13)
  x <- strong_pair(9, 8, 1)$x
  result <- expect_literal_pooled_se(function(rows, conf) {
    brain_to_brain(x[rows, ], neurons = 2, repeats = 40, units_x = rep(1:4, 2), conf_level = conf,
                   over = "stimuli")
  }, 9, "no allowed pair in some draws")
  corrected <- result[result$estimator == "stimulus_neuron", ]
  expect_gt(corrected$undefined, 0)
  expect_lt(corrected$undefined, 40)
})

test_that("pooled_se of trial_to_trial is literal deletion of stimuli", {
  set.seed(14)
  signal <- strong_pair(9, 7, 1)$x
  trials <- lapply(1:3, function(t) signal + 0.3 * normal_matrix(9, 7))
  run <- function(trials, ...) {
    function(rows, conf) {
      trial_to_trial(lapply(trials, function(x) x[rows, ]), neurons = c(4, 7), repeats = 4, ...,
                     conf_level = conf,
                   over = "stimuli")
    }
  }
  expect_literal_pooled_se(run(trials), 9, "trials")
  expect_literal_pooled_se(run(trials, units = c(1, 1, 2, 2, 3, 4, 5)), 9, "trials, sessions")
  # two large sessions: half of all pairs are left out
  wide <- strong_pair(9, 12, 12)
  expect_literal_pooled_se(function(rows, conf) {
    trial_to_trial(lapply(wide, function(x) x[rows, ]), neurons = c(6, 12), repeats = 4,
                   units = rep(1:2, 6), conf_level = conf,
                   over = "stimuli")
  }, 9, "trials, two sessions")
  trials[[2]][, 3] <- NA
  trials[[3]][, c(3, 6)] <- NA
  expect_literal_pooled_se(run(trials), 9, "trials with missing neurons")
})

test_that("pooled_se of brain_to_model is literal deletion of stimuli", {
  set.seed(15)
  p <- strong_pair(9, 7, 5)
  wide <- p$x[, 1:2] %*% normal_matrix(2, 14)
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_model(p$x[rows, ], list(narrow = p$y[rows, ], wide = wide[rows, ]), neurons = c(4, 7),
                   repeats = 4, conf_level = conf,
                   over = "stimuli")
  }, 9, "model")
  expect_literal_pooled_se(function(rows, conf) {
    brain_to_model(p$x[rows, ], list(narrow = p$y[rows, ]), neurons = c(4, 7), repeats = 6,
                   units = c(1, 1, 2, 2, 3, 4, 5), conf_level = conf,
                   over = "stimuli")
  }, 9, "model, sessions")
})

test_that("pooled_se of object_disentanglement is literal deletion of images", {
  set.seed(16)
  object <- rep(c("a", "b", "c"), c(4, 5, 4))
  base <- matrix(rnorm(8), 13, 8, byrow = TRUE)
  responses <- base + 0.5 * normal_matrix(13, 8)
  run <- function(rows, conf) {
    set.seed(3)
    object_disentanglement(responses[rows, ], object[rows], neurons = c(6, 8), repeats = 4,
                           conf_level = conf)
  }
  result <- run(1:13, 0.95)
  deleted <- lapply(1:13, function(i) run((1:13)[-i], NULL)$pooled)
  for (row in seq_len(nrow(result))) {
    variance <- vapply(c(result$x[row], result$y[row]), function(category) {
      delete_one(vapply(deleted[object == category], function(d) d[row], 0))
    }, 0)
    expect_relative(result$pooled_se[row], sqrt(sum(variance)), 1e-8, paste("objects", row))
  }
})

test_that("summary() pools over comparisons, and its error is literal deletion", {
  set.seed(17)
  x <- strong_pair(9, 9, 1)$x
  expect_literal_pooled_se(function(rows, conf) {
    summary(brain_to_brain(x[rows, ], split = rep(1:3, 3), neurons = 3, conf_level = conf))
  }, 9, "summary")
})
