# The four analyses against loops over subsets written from the definitions, and the
# laws that hold for random subsets.

analysis_columns <- c("x", "y", "neurons", "estimator", "complete", "pooled", "pooled_se",
                      "conf_low", "conf_high", "mean", "median", "q25", "q75", "undefined",
                      "n_estimates", "df", "over")

# One row of an analysis from H triples (a draw a row). exchangeable: the two sides
# are samples of one thing, so their denominators are pooled.
expected_row <- function(triples, exchangeable = FALSE) {
  triples <- matrix(triples, ncol = 3)
  single <- apply(triples, 1, plain_ratio)
  mean_h <- colMeans(triples[stats::complete.cases(triples), , drop = FALSE])
  if (exchangeable) mean_h[2:3] <- mean(mean_h[2:3])
  defined <- single[!is.na(single)]
  q <- if (length(defined)) quantile(defined, c(0.25, 0.5, 0.75), names = FALSE) else
    rep(NA_real_, 3)
  list(pooled = plain_ratio(mean_h), mean = if (length(defined)) mean(defined) else NA_real_,
       median = q[2], q25 = q[1], q75 = q[3], undefined = sum(is.na(single)),
       n_estimates = length(single))
}

expect_row <- function(row, expected, label) {
  for (column in names(expected)) {
    expect_equal(row[[column]], expected[[column]], tolerance = 1e-9, label = paste(label, column))
  }
}

rows_of <- function(result, estimator) {
  plain <- as.data.frame(result)
  plain[plain$estimator == estimator, ]
}

stacked <- function(triples) do.call(rbind, triples)

population <- function(seed, n = 12, qx = 6, qy = 5) {
  set.seed(seed)
  related_pair(n, qx, qy, d = 2, noise = 0.3)
}

test_that("every analysis returns the documented columns, in order, one row a cell", { undefined_is_fine({
  p <- population(1, 12, 8, 8)
  results <- list(
    brain_to_brain(p$x, neurons = c(2, 4), repeats = 3),
    trial_to_trial(p, neurons = c(2, 4), repeats = 3),
    brain_to_model(p$x, list(l1 = p$y), neurons = c(2, 4), repeats = 3),
    object_disentanglement(rbind(p$x, p$y), rep(c("a", "b"), each = 12), neurons = c(4, 8),
                           repeats = 3)
  )
  for (result in results) {
    expect_identical(names(result), analysis_columns)
    expect_s3_class(result, c("repalign_analysis", "repalign_result", "data.frame"), exact = TRUE)
    expect_identical(nrow(result), 6L)
    expect_identical(row.names(result), as.character(1:6))
    expect_identical(vapply(result, typeof, ""), setNames(
      c("character", "character", "integer", "character", "character", rep("double", 8), "integer",
        "integer", "double", "character"),
      analysis_columns
    ))
    expect_identical(unique(result$estimator), all_estimators)
    one <- result[result$estimator == "stimulus", ]
    expect_s3_class(one, "repalign_analysis")
    expect_identical(nrow(one), 2L)
  }
}) })

# --- brain to brain

test_that("two regions with all neurons are one H triple", {
  p <- population(2, 12, 5, 5)
  result <- expect_warned(brain_to_brain(p$x, p$y, neurons = 5), "repalign_unstable")
  for (e in all_estimators) {
    row <- rows_of(result, e)
    expect_row(row, expected_row(plain_triple(p$x, p$y, e)), e)
    expect_identical(c(row$x, row$y), c("x", "y"))
  }
  ux <- c(1, 1, 2, 3, 4)
  uy <- c(4, 5, 5, 1, 6)
  labelled <- few_is_fine(brain_to_brain(p$x, p$y, neurons = 5, units_x = ux, units_y = uy))
  for (e in all_estimators) {
    labels <- if (e == "stimulus_neuron") list(ux, uy)
    expect_row(rows_of(labelled, e),
               expected_row(plain_triple(p$x, p$y, e, labels[[1]], labels[[2]])), e)
  }
  expect_equal(rows_of(labelled, "stimulus_neuron")$pooled,
               few_is_fine(cka(p$x, p$y, estimator = "stimulus_neuron", units_x = ux,
                               units_y = uy)),
               tolerance = 1e-10)
})

test_that("by default numbers of neurons are powers of two, and all", { undefined_is_fine({
  p <- population(3, 8, 12, 25)
  sizes <- function(result) unique(result$neurons)
  expect_identical(sizes(brain_to_brain(p$x, p$y, repeats = 2)), c(4L, 8L, 12L))
  expect_identical(sizes(brain_to_brain(p$y, repeats = 2)), c(4L, 8L, 12L))
  expect_identical(sizes(trial_to_trial(list(p$y, p$y + 1), repeats = 2)), c(4L, 8L, 16L, 25L))
  expect_identical(sizes(brain_to_model(p$x, list(a = p$y), repeats = 2)), c(4L, 8L, 12L))
  expect_identical(sizes(object_disentanglement(p$x, rep(1:2, 4), repeats = 2)), c(4L, 8L, 12L))
  # fewer than the smallest power: all of them
  expect_identical(sizes(brain_to_model(p$x[, 1:3], list(a = p$y), repeats = 2)), 3L)
  # the widest group of a split sets the grid
  expect_identical(sizes(brain_to_brain(p$y, split = rep(1:2, c(6, 19)), repeats = 2))[3], 19L)
}) })

# All ways to draw subsets, and their H triples.
all_draws <- function(x, y, size, estimator, labels_x = NULL, labels_y = NULL) {
  draws <- expand.grid(a = seq_along(utils::combn(ncol(x), size, simplify = FALSE)),
                       b = seq_along(utils::combn(ncol(y), size, simplify = FALSE)))
  a <- utils::combn(ncol(x), size, simplify = FALSE)[draws$a]
  b <- utils::combn(ncol(y), size, simplify = FALSE)[draws$b]
  stacked(Map(function(a, b) {
    plain_triple(x[, a, drop = FALSE], y[, b, drop = FALSE], estimator, labels_x[a], labels_y[b])
  }, a, b))
}

all_halves <- function(x, size, estimator, labels = NULL) {
  triples <- list()
  for (a in utils::combn(ncol(x), size, simplify = FALSE)) {
    for (b in utils::combn(setdiff(seq_len(ncol(x)), a), size, simplify = FALSE)) {
      triples <- c(triples, list(plain_triple(x[, a, drop = FALSE], x[, b, drop = FALSE], estimator,
                                              labels[a], labels[b])))
    }
  }
  stacked(triples)
}

# Single draws, one a seed: the H ratio of each estimator must belong to one and the
# same enumerated draw.
expect_enumerated <- function(run, enumerated, exchangeable, case, seeds = 1:12) {
  options <- vapply(enumerated, function(h) {
    apply(h, 1, function(t) expected_row(t, exchangeable)$pooled)
  }, numeric(nrow(enumerated[[1]])))
  seen <- c()
  for (seed in seeds) {
    set.seed(seed)
    result <- run(1)
    values <- result$pooled[match(names(enumerated), result$estimator)]
    distance <- apply(options, 1, function(o) {
      same <- is.na(o) == is.na(values)
      if (!all(same)) Inf else max(0, abs(o - values)[!is.na(o)])
    })
    expect_lt(min(distance), 1e-8, label = paste(case, "seed", seed))
    seen <- c(seen, which.min(distance))
  }
  # random, not always the same subset
  expect_gt(length(unique(seen)), 3)
}

# Many draws: the pooled value is the ratio of the means over all draws, to within four
# standard errors (the seed is fixed).
expect_pooled_mean <- function(run, enumerated, exchangeable, case, repeats = 3000) {
  set.seed(1)
  result <- run(repeats)
  for (e in names(enumerated)) {
    h <- enumerated[[e]]
    if (exchangeable) h[, 2] <- h[, 3] <- rowMeans(h[, 2:3])
    h <- h[stats::complete.cases(h), , drop = FALSE]
    center <- colMeans(h)
    gradient <- c(1, -center[1] / (2 * center[2]), -center[1] / (2 * center[3])) /
      sqrt(center[2] * center[3])
    error <- sqrt(drop(gradient %*% stats::cov(h) %*% gradient) / repeats)
    row <- rows_of(result, e)
    expect_lt(abs(row$pooled - plain_ratio(center)), 4 * error + 1e-12, label = paste(case, e))
    # the share of undefined single ratios
    share <- mean(is.na(apply(enumerated[[e]], 1, plain_ratio)))
    expect_lt(abs(row$undefined / repeats - share), 4 * sqrt(share * (1 - share) / repeats) + 1e-12,
              label = paste(case, e, "share of undefined"))
    expect_identical(row$n_estimates, as.integer(repeats))
  }
}

test_that("random subsets of two regions are among all subsets, and pool to their mean", { undefined_is_fine({
  # subsets of both are drawn independently, also where one is taken whole
  for (case in list(list(seed = 4, widths = c(4, 5), neurons = 2, title = "regions"),
                    list(seed = 5, widths = c(3, 5), neurons = 3, title = "one region whole"))) {
    p <- population(case$seed, 8, case$widths[1], case$widths[2])
    enumerated <- sapply(all_estimators, function(e) all_draws(p$x, p$y, case$neurons, e),
                         simplify = FALSE)
    run <- function(repeats) {
      brain_to_brain(p$x, p$y, neurons = case$neurons, repeats = repeats, conf_level = NULL)
    }
    expect_enumerated(run, enumerated, FALSE, case$title)
    expect_pooled_mean(run, enumerated, FALSE, case$title)
  }
}) })

test_that("several draws are several H triples: mean, median and quartiles of their ratios", {
  # three neurons, two at a time, against a region taken whole: three possible ratios
  p <- population(6, 9, 3, 2)
  for (e in all_estimators) {
    ratios <- apply(all_draws(p$x, p$y, 2, e), 1, plain_ratio)
    set.seed(2)
    row <- brain_to_brain(p$x, p$y, neurons = 2, repeats = 1500, estimator = e)
    defined <- ratios[!is.na(ratios)]
    # each subset is drawn a third of the time
    expect_lt(abs(row$mean - mean(defined)), 4 * stats::sd(defined) / sqrt(1000), label = e)
    expect_equal(row$median, sort(defined)[ceiling(length(defined) / 2)], tolerance = 1e-9)
    expect_equal(c(row$q25, row$q75), range(defined), tolerance = 1e-9)
  }
})

test_that("random halves are disjoint, and pool to the mean over all halves", { undefined_is_fine({
  p <- population(7, 8, 5)
  enumerated <- sapply(all_estimators, function(e) all_halves(p$x, 2, e), simplify = FALSE)
  run <- function(repeats) brain_to_brain(p$x, neurons = 2, repeats = repeats, conf_level = NULL)
  expect_enumerated(run, enumerated, TRUE, "halves")
  expect_pooled_mean(run, enumerated, TRUE, "halves")
}) })

test_that("labels leave out pairs between and within the halves", { undefined_is_fine({
  p <- population(8, 8, 5)
  units <- c(1, 1, 2, 3, 3)
  enumerated <- list(stimulus_neuron = all_halves(p$x, 2, "stimulus_neuron", units))
  run <- function(repeats) {
    brain_to_brain(p$x, neurons = 2, repeats = repeats, units_x = units, conf_level = NULL)
  }
  expect_true(anyNA(enumerated$stimulus_neuron))
  expect_enumerated(run, enumerated, TRUE, "labelled halves")
  expect_pooled_mean(run, enumerated, TRUE, "labelled halves")
}) })

test_that("pooled random halves of one population are 1 by construction", {
  set.seed(9)
  x <- linear_population(n = 30, q = 40, d = 20, spectrum = "power")$x
  result <- brain_to_brain(x, neurons = c(4, 10, 20), repeats = 400)
  corrected <- rows_of(result, "stimulus_neuron")
  expect_equal(corrected$pooled, rep(1, 3), tolerance = 0.05)
  # the uncorrected ones only get there with all neurons: bias falls with their number
  expect_true(all(diff(rows_of(result, "stimulus")$pooled) > 0))
  expect_lt(rows_of(result, "stimulus")$pooled[3], 0.95)
})

test_that("the naive value of unrelated regions falls with the number of neurons", { undefined_is_fine({
  set.seed(10)
  x <- normal_matrix(12, 64)
  y <- normal_matrix(12, 64)
  result <- brain_to_brain(x, y, neurons = c(2, 8, 32, 64), repeats = 100, conf_level = NULL)
  naive <- rows_of(result, "naive")$pooled
  expect_true(all(diff(naive) > 0))
  expect_gt(naive[4], 0.7)
  expect_lt(abs(rows_of(result, "stimulus")$pooled[4]), 0.2)
}) })

test_that("a split compares every pair of label groups, short groups as they are", {
  p <- population(11, 10, 9)
  split <- c("b", "a", "b", "c", "a", "b", "b", "c", "a")
  columns <- lapply(c(b = "b", a = "a", c = "c"), function(g) which(split == g))
  result <- brain_to_brain(p$x, split = split, neurons = 4, repeats = 3)
  pairs <- list(c("b", "a"), c("b", "c"), c("a", "c"))
  expect_identical(nrow(result), 9L)
  for (pair in pairs) {
    for (e in all_estimators) {
      row <- rows_of(result, e)
      row <- row[row$x == pair[1] & row$y == pair[2], ]
      expect_identical(nrow(row), 1L)
      expect_row(row,
                 expected_row(plain_triple(p$x[, columns[[pair[1]]]], p$x[, columns[[pair[2]]]],
                                           e)),
                 paste(pair, e, collapse = " "))
    }
  }
  # a factor and its strings are the same split
  expect_identical(brain_to_brain(p$x, split = factor(split), neurons = 4),
                   brain_to_brain(p$x, split = split, neurons = 4))
})

test_that("a split with labels, and random subsets of the larger groups", {
  p <- population(12, 8, 7)
  split <- c(1, 1, 1, 1, 2, 2, 2)
  units <- c(1, 2, 3, 4, 3, 5, 5)
  groups <- list(x = p$x[, 1:4], y = p$x[, 5:7])
  whole <- brain_to_brain(p$x, split = split, neurons = 4, units_x = units)
  expect_row(rows_of(whole, "stimulus_neuron"), expected_row(
    plain_triple(groups$x, groups$y, "stimulus_neuron", units[1:4], units[5:7])
  ), "split with labels")
  enumerated <- sapply(all_estimators, function(e) {
    all_draws(groups$x, groups$y, 2, e)
  }, simplify = FALSE)
  run <- function(repeats) {
    brain_to_brain(p$x, split = split, neurons = 2, repeats = repeats, conf_level = NULL)
  }
  expect_enumerated(run, enumerated, FALSE, "split")
  expect_pooled_mean(run, enumerated, FALSE, "split")
})

test_that("a list of regions gives every pair", { undefined_is_fine({
  set.seed(13)
  p <- related_pair(10, 4, 12)
  regions <- list(V1 = p$x, V4 = p$y[, 1:6], IT = p$y[, 7:12])
  result <- brain_to_brain(regions, neurons = 4, repeats = 2)
  expect_identical(unique(paste(result$x, result$y)), c("V1 V4", "V1 IT", "V4 IT"))
  set.seed(14)
  full <- brain_to_brain(list(a = p$y[, 1:6], b = p$y[, 7:12]), neurons = 6)
  expect_row(rows_of(full, "stimulus_neuron"),
             expected_row(plain_triple(regions$V4, regions$IT, "stimulus_neuron")), "list")
}) })

# --- trial to trial

noisy_trials <- function(seed, count = 4, n = 10, q = 5, noise = 0.4) {
  set.seed(seed)
  signal <- related_pair(n, q, 1, d = 2, noise = 0.1)$x
  lapply(seq_len(count), function(t) signal + noise * normal_matrix(n, q))
}

trial_triples <- function(trials, estimator, units, use = seq_along(units)) {
  pairs <- utils::combn(length(trials), 2, simplify = FALSE)
  stacked(lapply(pairs, function(p) {
    labels <- if (estimator == "stimulus_neuron") units[use]
    plain_triple(trials[[p[1]]][, use], trials[[p[2]]][, use], estimator, labels, labels)
  }))
}

test_that("all pairs of different trials, never a trial with itself", {
  trials <- noisy_trials(15)
  for (units in list(1:5, c("s1", "s1", "s2", "s2", "s3"))) {
    result <- trial_to_trial(trials, neurons = 5, units = if (is.character(units)) units)
    for (e in all_estimators) {
      row <- rows_of(result, e)
      expect_identical(row$n_estimates, 6L)
      expect_row(row, expected_row(trial_triples(trials, e, units), TRUE), paste(e, units[1]))
      expect_identical(c(row$x, row$y), c("trial", "trial"))
    }
  }
})

test_that("two trials are one pair, and their CKA with shared neurons", {
  trials <- noisy_trials(16, count = 2)
  result <- trial_to_trial(trials, neurons = 5)
  for (e in all_estimators) {
    alone <- few_is_fine(cka(trials[[1]], trials[[2]], estimator = e, shared_neurons = TRUE))
    expect_equal(rows_of(result, e)$mean, alone, tolerance = 1e-10)
    expect_identical(rows_of(result, e)$n_estimates, 1L)
  }
})

test_that("an array is the list of its slices, and the order of trials does not matter", {
  trials <- noisy_trials(17)
  stack <- array(unlist(trials), c(10, 5, 4))
  for (neurons in c(3, 5)) {
    run <- function(data) {
      set.seed(1)
      trial_to_trial(data, neurons = neurons, repeats = 4)
    }
    expect_identical(run(stack), run(trials))
    expect_equal(run(rev(trials)), run(trials), tolerance = 1e-10)
    expect_equal(run(stack[, , c(2, 4, 1, 3)]), run(trials), tolerance = 1e-10)
  }
  # one neuron: a slice of the array keeps its shape
  expect_identical(trial_to_trial(stack[, 1, , drop = FALSE], estimator = "naive")$neurons, 1L)
})

test_that("random subsets of trials are the same neurons on both sides", {
  trials <- noisy_trials(18, count = 2, n = 8)
  subsets <- utils::combn(5, 3, simplify = FALSE)
  enumerated <- sapply(all_estimators, function(e) {
    stacked(lapply(subsets, function(s) trial_triples(trials, e, 1:5, s)))
  }, simplify = FALSE)
  run <- function(repeats) {
    trial_to_trial(trials, neurons = 3, repeats = repeats, conf_level = NULL)
  }
  expect_enumerated(run, enumerated, TRUE, "trials")
  expect_pooled_mean(run, enumerated, TRUE, "trials")
})

test_that("single estimates are those of all pairs and subsets", {
  trials <- noisy_trials(19, count = 4)
  result <- trial_to_trial(trials, neurons = c(2, 5), repeats = 7)
  expect_identical(result$n_estimates, rep(c(42L, 6L), each = 3))
})

test_that("undefined ratios are counted and stay out of the mean", {
  # noise only, three neurons: many denominators are not positive
  set.seed(20)
  trials <- lapply(1:6, function(t) normal_matrix(8, 3))
  triples <- trial_triples(trials, "stimulus_neuron", 1:3)
  expected <- expected_row(triples, TRUE)
  expect_gt(expected$undefined, 0)
  expect_lt(expected$undefined, 15)
  row <- rows_of(trial_to_trial(trials, neurons = 3, conf_level = NULL), "stimulus_neuron")
  expect_row(row, expected, "noise")
  expect_false(any(vapply(row, function(v) is.numeric(v) && is.nan(v), NA)))
})

test_that("nothing defined gives NA, no NaN and no error", {
  x <- cbind(c(1, 2, 4, 3, 9, 2), 1)
  trials <- list(x, x + 1)
  result <- suppressWarnings(trial_to_trial(trials, neurons = 2, estimator = "stimulus_neuron"))
  expect_identical(result$undefined, 1L)
  for (column in c("pooled", "pooled_se", "conf_low", "conf_high", "mean", "median", "q25",
                   "q75")) {
    expect_identical(result[[column]], NA_real_, label = column)
  }
})

test_that("a denominator that is zero but for rounding is undefined here as in cka()", { undefined_is_fine({
  # exactly: C^2 (n-1)(n-2) - D n (n-1) + s t = 0 for these two neurons of five stimuli
  x <- cbind(c(0, 4, 4, 4, 4), c(4, 3, 4, 1, 6))
  set.seed(20)
  y <- related_pair(5, 2, 2, d = 1, noise = 0.1)$x
  results <- list(
    brain_to_brain(x, y, neurons = 2, conf_level = NULL),
    brain_to_model(x, list(l = y), neurons = 2, conf_level = NULL),
    trial_to_trial(list(x, x), neurons = 2, conf_level = NULL),
    object_disentanglement(t(cbind(x, y)), c(1, 1, 2, 2), neurons = 5, conf_level = NULL)
  )
  for (result in results) {
    row <- rows_of(result, "stimulus_neuron")
    expect_identical(row$undefined, 1L, label = row$y)
    expect_identical(c(row$pooled, row$mean), c(NA_real_, NA_real_), label = row$y)
  }
}) })

test_that("neurons with missing values leave the pairs of trials that lack them", {
  trials <- noisy_trials(21, count = 3, q = 6)
  units <- c(1, 1, 2, 3, 4, 4)
  # a single missing response takes its neuron out of that trial's pairs
  trials[[1]][3, 2] <- NA
  trials[[3]][, c(2, 5)] <- NA
  present <- lapply(trials, function(x) !is.na(colSums(x)))
  pairs <- utils::combn(3, 2, simplify = FALSE)
  for (labels in list(1:6, units)) {
    messages <- list()
    result <- withCallingHandlers(
      trial_to_trial(trials, neurons = 6, units = labels),
      repalign_left_out = function(m) {
        messages <<- c(messages, list(m))
        invokeRestart("muffleMessage")
      }
    )
    # pairs 1-2 lack neuron 2; 1-3 and 2-3 lack neurons 2 and 5
    expect_length(messages, 1)
    expect_match(conditionMessage(messages[[1]]), "1 to 2 of 6 neurons")
    expect_match(conditionMessage(messages[[1]]), "3 of 3 pairs")
    expect_s3_class(messages[[1]], "message")
    for (e in all_estimators) {
      triples <- stacked(lapply(pairs, function(p) {
        here <- which(present[[p[1]]] & present[[p[2]]])
        own <- if (e == "stimulus_neuron") labels[here]
        plain_triple(trials[[p[1]]][, here], trials[[p[2]]][, here], e, own, own)
      }))
      expect_row(rows_of(result, e), expected_row(triples, TRUE), paste("missing", e))
    }
    expect_output(print(result), "left out")
  }
})

test_that("missing neurons are out of random subsets, too", {
  trials <- noisy_trials(22, count = 2, n = 8)
  trials[[2]][4, 1] <- NA
  # a subset with the missing neuron has two neurons left
  subsets <- utils::combn(5, 3, simplify = FALSE)
  enumerated <- sapply(all_estimators, function(e) {
    stacked(lapply(subsets, function(s) trial_triples(trials, e, 1:5, setdiff(s, 1))))
  }, simplify = FALSE)
  run <- function(repeats) {
    suppressMessages(trial_to_trial(trials, neurons = 3, repeats = repeats, conf_level = NULL))
  }
  expect_enumerated(run, enumerated, TRUE, "missing")
})

test_that("unequal repeats of a pseudo-population run through trial_array()", { undefined_is_fine({
  set.seed(23)
  long <- expand.grid(stimulus = letters[1:8], neuron = 1:6, rep = 1:3)
  tuning <- related_pair(8, 6, 1)$x
  long$value <- tuning[cbind(as.integer(long$stimulus), long$neuron)] + 0.2 * rnorm(nrow(long))
  # neuron 2 has two repeats of one stimulus, neuron 5 one repeat of all
  long <- long[!(long$neuron == 2 & long$stimulus == "c" & long$rep == 3) &
                 !(long$neuron == 5 & long$rep > 1), ]
  trials <- trial_array(long, "stimulus", "neuron", value = "value")
  result <- suppressMessages(trial_to_trial(trials, neurons = 6))
  keep <- list(c(1:4, 6), c(1, 3, 4, 6), c(1, 3, 4, 6))
  triples <- stacked(Map(function(p, use) {
    plain_triple(trials[, use, p[1]], trials[, use, p[2]], "stimulus_neuron", use, use)
  }, list(1:2, c(1, 3), 2:3), keep))
  expect_row(rows_of(result, "stimulus_neuron"), expected_row(triples, TRUE), "pseudo-population")
}) })

# --- brain to model

test_that("a region against layers, narrow and wider than there are stimuli", {
  p <- population(24, 10, 5, 4)
  layers <- list(narrow = p$y,
                 wide = p$x[, 1:2] %*% normal_matrix(2, 25) + 0.1 * normal_matrix(10, 25))
  result <- brain_to_model(p$x, layers, neurons = 5)
  units <- c("s", "s", "t", "t", "u")
  labelled <- brain_to_model(p$x, layers, neurons = 5, units = units)
  expect_identical(unique(result$x), "brain")
  for (layer in names(layers)) {
    for (e in all_estimators) {
      row <- rows_of(result, e)
      triple <- plain_triple(p$x, layers[[layer]], e)
      expect_row(row[row$y == layer, ], expected_row(triple), paste(layer, e))
      # sessions concern the region's self term only
      if (e == "stimulus_neuron") triple[2] <- plain_h(p$x, p$x, e, units, units)
      row <- rows_of(labelled, e)
      expect_row(row[row$y == layer, ], expected_row(triple), paste(layer, e, "sessions"))
    }
  }
})

test_that("layers are used whole with random subsets of the region", { undefined_is_fine({
  p <- population(25, 8, 5, 3)
  subsets <- utils::combn(5, 2, simplify = FALSE)
  enumerated <- sapply(all_estimators, function(e) {
    stacked(lapply(subsets, function(s) plain_triple(p$x[, s], p$y, e)))
  }, simplify = FALSE)
  run <- function(repeats) {
    brain_to_model(p$x, list(l = p$y), neurons = 2, repeats = repeats, conf_level = NULL)
  }
  expect_enumerated(run, enumerated, FALSE, "model")
  expect_pooled_mean(run, enumerated, FALSE, "model")
}) })

# --- object disentanglement

test_that("all pairs of categories, transposed: rows are neurons, columns are images", {
  set.seed(26)
  object <- c("face", "car", "face", "fruit", "car", "face", "fruit", "car", "fruit", "fruit")
  # what makes categories comparable is a profile over neurons
  responses <- outer(rep(1, 10), rnorm(7)) + 0.5 * normal_matrix(10, 7)
  result <- object_disentanglement(responses, object, neurons = 7)
  expect_identical(unique(paste(result$x, result$y)), c("face car", "face fruit", "car fruit"))
  for (e in all_estimators) {
    rows <- rows_of(result, e)
    for (i in 1:3) {
      blocks <- lapply(c(rows$x[i], rows$y[i]), function(o) t(responses[object == o, ]))
      expect_row(rows[i, ], expected_row(plain_triple(blocks[[1]], blocks[[2]], e)),
                 paste(e, rows$x[i], rows$y[i]))
    }
  }
})

test_that("neuron subsets of categories are rows, centred anew", { undefined_is_fine({
  set.seed(27)
  object <- rep(c(1, 2), each = 4)
  responses <- outer(rep(1, 8), rnorm(6)) + 0.6 * normal_matrix(8, 6)
  subsets <- utils::combn(6, 4, simplify = FALSE)
  enumerated <- sapply(all_estimators, function(e) {
    stacked(lapply(subsets, function(s) {
      plain_triple(t(responses[object == 1, s]), t(responses[object == 2, s]), e)
    }))
  }, simplify = FALSE)
  run <- function(repeats) {
    object_disentanglement(responses, object, neurons = 4, repeats = repeats, conf_level = NULL)
  }
  expect_enumerated(run, enumerated, FALSE, "objects")
  expect_pooled_mean(run, enumerated, FALSE, "objects", repeats = 1000)
}) })

test_that("both routes of summing subset blocks give the sums, over several blocks of subsets", {
  set.seed(35)
  h <- normal_matrix(9, 7)
  for (sizes in list(c(1, 1), c(2, 3), c(9, 7))) {
    a <- replicate(600, sample.int(9, sizes[1]))
    b <- replicate(600, sample.int(7, sizes[2]))
    a <- matrix(a, sizes[1])
    b <- matrix(b, sizes[2])
    plain <- vapply(1:600, function(r) sum(h[a[, r], b[, r]]), 0)
    expect_equal(subset_sums(h, a, b, by_product = TRUE), plain, tolerance = 1e-12)
    expect_equal(subset_sums(h, a, b, by_product = FALSE), plain, tolerance = 1e-12)
    expect_equal(subset_sums(h, a, b), plain, tolerance = 1e-12)
  }
})

# --- options

test_that("normalize = \"sd\" divides each neuron by its standard deviation", { undefined_is_fine({
  p <- population(28, 10, 6, 6)
  p$x <- sweep(p$x, 2, c(1, 10, 100, 1, 0.1, 1), "*")
  p$x[, 4] <- 3
  by_sd <- function(x) {
    sd <- apply(x, 2, stats::sd)
    sweep(x, 2, ifelse(sd == 0, 1, sd), "/")
  }
  same <- function(run, raw, scaled) {
    set.seed(1)
    normalized <- run(raw, "sd")
    set.seed(1)
    expected <- run(scaled, "none")
    expect_equal(as.data.frame(normalized), as.data.frame(expected), tolerance = 1e-10)
  }
  scaled <- lapply(p, by_sd)
  same(function(p, normalize) brain_to_brain(p$x, p$y, neurons = c(3, 6), repeats = 4,
                                             normalize = normalize), p, scaled)
  same(function(p, normalize) brain_to_brain(p$x, neurons = 3, repeats = 4, normalize = normalize),
       p,
       scaled)
  same(function(p, normalize) brain_to_model(p$x, list(l = p$y), neurons = c(3, 6), repeats = 4,
                                             normalize = normalize), p, scaled)
  # within each trial
  same(function(p, normalize) trial_to_trial(p, neurons = c(3, 6), repeats = 4,
                                             normalize = normalize), p, scaled)
  # over all rows of responses, before they are split
  same(function(r, normalize) object_disentanglement(r, rep(1:2, 5), neurons = 6,
                                                     normalize = normalize),
       p$x, scaled$x)
}) })

test_that("conf_level = NULL leaves out the errors only, and other levels scale the interval", {
  p <- population(29, 10, 8, 8)
  runs <- list(
    function(...) brain_to_brain(p$x, neurons = 3, repeats = 5, ...),
    function(...) brain_to_brain(p$x, p$y, neurons = 3, repeats = 5, ...),
    function(...) trial_to_trial(p, neurons = 3, repeats = 5, ...),
    function(...) brain_to_model(p$x, list(l = p$y), neurons = 3, repeats = 5, ...),
    function(...) object_disentanglement(p$x, rep(1:2, 5), neurons = 6, repeats = 5, ...)
  )
  for (run in runs) {
    results <- lapply(list(0.95, NULL, 0.5), function(level) {
      set.seed(1)
      few_is_fine(run(conf_level = level))
    })
    others <- setdiff(analysis_columns, c("pooled_se", "conf_low", "conf_high", "df", "over"))
    expect_equal(as.data.frame(results[[2]])[others], as.data.frame(results[[1]])[others],
                 tolerance = 1e-12)
    for (column in c("pooled_se", "conf_low", "conf_high")) {
      expect_true(all(is.na(results[[2]][[column]]) & !is.nan(results[[2]][[column]])))
    }
    expect_equal(results[[3]]$conf_high - results[[3]]$pooled,
                 qnorm(0.75) / qnorm(0.975) * (results[[1]]$conf_high - results[[1]]$pooled),
                 tolerance = 1e-10)
  }
})

test_that("one estimator gives the same numbers as all three", {
  p <- population(30, 10, 8, 8)
  runs <- list(
    function(...) brain_to_brain(p$x, neurons = c(3, 4), repeats = 5, ...),
    function(...) brain_to_brain(p$x, p$y, neurons = c(3, 8), repeats = 5, ...),
    function(...) trial_to_trial(p, neurons = c(3, 8), repeats = 5, ...),
    function(...) brain_to_model(p$x, list(l = p$y), neurons = c(3, 8), repeats = 5, ...),
    function(...) object_disentanglement(p$x, rep(1:2, 5), neurons = c(6, 8), repeats = 5, ...)
  )
  for (run in runs) {
    set.seed(1)
    all <- run()
    for (e in list("naive", "stimulus", "stimulus_neuron", c("stimulus_neuron", "naive"))) {
      set.seed(1)
      some <- run(estimator = e)
      for (one in e) {
        expect_equal(rows_of(some, one), rows_of(all, one), tolerance = 1e-10, ignore_attr = TRUE)
      }
    }
  }
})

test_that("data frames, integers and extreme units are fine", {
  p <- population(31, 10, 6, 6)
  p <- lapply(p, function(x) round(10 * x))
  run <- function(x, y) {
    set.seed(1)
    as.data.frame(brain_to_brain(x, y, neurons = c(3, 6), repeats = 4))
  }
  expected <- run(p$x, p$y)
  whole <- function(x) {
    storage.mode(x) <- "integer"
    x
  }
  expect_identical(run(as.data.frame(p$x), whole(p$y)), expected)
  expect_equal(run(p$x * 1e-150, p$y * 1e-150), expected, tolerance = 1e-9)
  expect_equal(run(p$x * 1e120, p$y * 1e120), expected, tolerance = 1e-9)
  expect_equal(run(p$x * 1e-120, p$y * 1e120), expected, tolerance = 1e-9)
  trials <- function(unit) {
    set.seed(1)
    as.data.frame(trial_to_trial(lapply(p, `*`, unit), neurons = c(3, 6), repeats = 4))
  }
  expect_equal(trials(1e-150), trials(1), tolerance = 1e-9)
  model <- function(a, b) {
    set.seed(1)
    as.data.frame(brain_to_model(p$x * a, list(l = p$y * b), neurons = c(3, 6), repeats = 4))
  }
  expect_equal(model(1e-150, 1e150), model(1, 1), tolerance = 1e-9)
  objects <- function(unit) as.data.frame(object_disentanglement(p$x * unit, rep(1:2, 5),
                                                                 neurons = 6))
  expect_equal(objects(1e-150), objects(1), tolerance = 1e-9)
})

# --- results

test_that("summary pools H values over comparisons before the ratio", {
  p <- population(32, 10, 6)
  split <- rep(c("a", "b", "c"), 2)
  result <- brain_to_brain(p$x, split = split, neurons = 2)
  combined <- summary(result)
  expect_identical(names(combined), analysis_columns)
  pairs <- list(c("a", "b"), c("a", "c"), c("b", "c"))
  for (e in all_estimators) {
    triples <- stacked(lapply(pairs, function(g) {
      plain_triple(p$x[, split == g[1]], p$x[, split == g[2]], e)
    }))
    # which group comes first says nothing: both sides' denominators are pooled
    h <- colMeans(triples)
    expect_equal(rows_of(combined, e)$pooled, h[1] / mean(h[2:3]), tolerance = 1e-10)
    expect_identical(rows_of(combined, e)$n_estimates, 3L)
  }
  expect_identical(unique(combined$x), "(all)")
  expect_refused(summary(result[1:3, ]), "part")
  # order of the groups
  turned <- brain_to_brain(p$x[, 6:1], split = rev(split), neurons = 2)
  expect_equal(summary(turned), combined, tolerance = 1e-10)
  expect_refused(summary(rbind(result, turned)), "bound together")
  expect_refused(summary(result[c(1, 1:9), ]), "part")
  changed <- result
  changed$pooled <- 0
  expect_refused(summary(changed), "part")
  expect_equal(summary(result[order(result$pooled), ]), combined)
})

test_that("summary takes the comparisons that have H values", { undefined_is_fine({
  # session c has one neuron: its self term has no allowed pair
  set.seed(36)
  x <- related_pair(10, 7, 1, d = 1)$x
  split <- c("a", "a", "a", "b", "b", "b", "c")
  result <- brain_to_brain(x, split = split, neurons = 3, over = "stimuli")
  corrected <- rows_of(result, "stimulus_neuron")
  expect_identical(corrected$undefined, c(0L, 1L, 1L))
  combined <- rows_of(summary(result), "stimulus_neuron")
  expect_equal(combined$pooled, corrected$pooled[1], tolerance = 1e-12)
  expect_equal(combined$pooled_se, corrected$pooled_se[1], tolerance = 1e-10)
  expect_identical(c(combined$undefined, combined$n_estimates), c(2L, 3L))
  expect_false(anyNA(rows_of(result, "stimulus")$pooled))
}) })

test_that("results of analyses are data frames, also in parts", {
  p <- population(33, 10, 6)
  result <- brain_to_brain(p$x, neurons = c(2, 3), repeats = 4)
  expect_identical(result[["pooled"]], as.data.frame(result)$pooled)
  expect_identical(result[order(-result$pooled), ]$pooled, sort(result$pooled, decreasing = TRUE))
  both <- rbind(result, result)
  expect_identical(nrow(both), 12L)
  expect_identical(names(result[c("estimator", "pooled")]), c("estimator", "pooled"))
  expect_output(print(result[c("estimator", "pooled")]), "stimulus_neuron")
  expect_output(print(result), "Brain-to-brain")
  wide <- tidy(result)
  expect_identical(wide$estimate, result$pooled)
  expect_identical(wide$std.error, result$pooled_se)
  look <- glance(result)
  expect_identical(nrow(look), 1L)
  expect_equal(look$n_estimates, 24)
  expect_identical(class(as.data.frame(result)), "data.frame")
})

test_that("analyses can be drawn: lines, panels, many comparisons, parts, undefined values", {
  skip_unless_extended()
  skip_if_not_installed("ggplot2")
  p <- population(34, 10, 8, 8)
  one <- brain_to_brain(p$x, neurons = c(2, 4), repeats = 4)
  several <- brain_to_brain(p$x, split = rep(1:4, 2), neurons = c(1, 2),
                            estimator = c("naive", "stimulus"))
  points_only <- brain_to_brain(p$x, neurons = c(2, 4), repeats = 4, conf_level = NULL)
  noise <- suppressWarnings(trial_to_trial(list(cbind(p$x[, 1], 1), cbind(p$x[, 2], 1))))
  for (result in list(one, several, points_only, noise, one[1:2, ], rbind(one, several))) {
    built(ggplot2::autoplot(result))
  }
  built(ggplot2::autoplot(one, single = TRUE))
  built(ggplot2::autoplot(several, most = 2))
  layers <- built(ggplot2::autoplot(one))$data
  expect_true(any(vapply(layers, function(d) isTRUE(all.equal(sort(d$y), sort(one$pooled))), NA)))
  local_device()
  expect_identical(plot(one), one)
})

test_that("what is given to an analysis is judged as in any other call", {
  p <- population(51, 12, 6, 6)
  dimnames(p$x) <- dimnames(p$y) <- list(paste0("s", 1:12), paste0("unit_", letters[1:6]))
  few <- function(...) undefined_is_fine(brain_to_brain(..., neurons = 6, conf_level = NULL))
  # a hint at shared neurons is not for those that have labels
  expect_message(few(p$x, p$y), "share neurons .*If so, name them in `units_x` and `units_y`")
  told <- capture_messages(few(list(a = p$x, b = p$y, c = p$y[, 6:1])))
  expect_match(told, "share neurons .*If so, name them in `units_x`:")
  expect_length(told, 1)
  expect_no_message(few(p$x, p$y, units_x = 1:6, units_y = 7:12))
  expect_no_message(few(list(a = p$x, b = p$y), units_x = list(a = 1:6, b = 7:12)))
  expect_warning(few(as.matrix(dist(p$x)), unname(p$y)), class = "repalign_distance_matrix")
  expect_error(few(p$x, "cka"), "`y` is a character vector, not data.$")
  expect_error(few(similarity(p)), class = "repalign_error_type", "a result, not data")
  expect_error(few(list(a = prepare(p$x), b = p$y)), class = "repalign_error_prepared")
  # the place of a label is that among all labels
  objects <- replace(rep(c("a", "b"), 6), 9, NA)
  expect_error(object_disentanglement(unname(p$x), objects, clusters = replace(1:12, 2:4, NA)),
               "first at position 9")
})

test_that("clusters that missing values leave are counted, too", {
  p <- population(52, 12, 6, 5)
  labels <- rep(NA, 12)
  labels[1:6] <- 1:6
  x <- p$x
  x[1:2, 1] <- NA
  expect_error(suppressMessages(brain_to_brain(x, p$y, clusters = labels, na = "stimuli")),
               class = "repalign_error_labels", "names 4 clusters")
  expect_error(suppressMessages(score_interval(x, p$y, clusters = replace(labels, 1:4, 1),
                                               na = "stimuli")),
               class = "repalign_error_labels", "names 3 clusters")
})

test_that("trials that are responses() one by one are what they declare", {
  p <- population(53, 12, 6, 6)
  session <- rep(1:2, 3)
  clusters <- rep(1:6, 2)
  declared <- lapply(p, responses, session = session, cluster = clusters)
  trials <- function(...) undefined_is_fine(trial_to_trial(..., neurons = 6))
  expect_identical(trials(declared), trials(p, units = session, clusters = clusters))
  expect_message(trials(declared, estimator = "naive"),
                 "not used: sessions \\(by \"trial_to_trial\"\\)")
  declared$x <- responses(p$x, session = rev(session))
  expect_error(trial_to_trial(declared), class = "repalign_error_labels", "different sessions")
  whole <- lapply(p, responses, complete = TRUE)
  expect_identical(trials(whole), trials(p, complete = "both"))
})
