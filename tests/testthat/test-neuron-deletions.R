# Intervals of brain_to_brain() for the population of neurons, against literal deletion.

both_samples <- c("stimuli", "neurons_x", "neurons_y")

# One H value from its terms: the weighted mean over the neuron pairs without unit u.
literal_pool <- function(terms, w, unit_x, unit_y, u) {
  left <- w * outer(unit_x != u, unit_y != u)
  sum(left * terms) / sum(left)
}

# The weights of neuron pairs in the mean over subsets: each subset is the mean over its pairs that
# are allowed.
literal_weights <- function(a, b, unit_x, unit_y, allowed_only) {
  w <- matrix(0, length(unit_x), length(unit_y))
  for (r in seq_len(ncol(a))) {
    one <- outer(seq_along(unit_x) %in% a[, r], seq_along(unit_y) %in% b[, r])
    if (allowed_only) one <- one & outer(unit_x, unit_y, "!=")
    w <- w + one / sum(one) / ncol(a)
  }
  w
}

# p: data of two sides; a, b: subsets; unit: list(x, y).
literal_sampled_error <- function(p, a, b, unit, estimator, halves = FALSE) {
  n <- nrow(p$x)
  corrected <- estimator == "stimulus_neuron"
  kind <- if (estimator == "naive") "naive" else "stimulus"
  both <- cbind(a, b)
  weights <- list(
    xy = literal_weights(a, b, unit$x, unit$y, corrected),
    xx = if (halves) literal_weights(both, both, unit$x, unit$x, corrected)
         else literal_weights(a, a, unit$x, unit$x, corrected),
    yy = if (halves) literal_weights(both, both, unit$x, unit$x, corrected)
         else literal_weights(b, b, unit$y, unit$y, corrected)
  )
  units <- unique(c(unit$x, unit$y))
  theta <- outer(0:n, 0:length(units), Vectorize(function(i, k) {
    rows <- setdiff(seq_len(n), i)
    x <- centered(p$x[rows, ], 1)
    y <- centered(p$y[rows, ], 1)
    u <- if (k == 0) -1 else units[k]
    h <- c(literal_pool(pair_terms(x, y)[[kind]], weights$xy, unit$x, unit$y, u),
           literal_pool(pair_terms(x, x)[[kind]], weights$xx, unit$x, unit$x, u),
           literal_pool(pair_terms(y, y)[[kind]], weights$yy, unit$y, unit$y, u))
    plain_ratio(h)
  }))
  in_x <- units %in% unit$x
  strata <- if (any(unit$y %in% unit$x)) list(seq_along(units)) else list(which(in_x), which(!in_x))
  sqrt(two_way_variance_of(theta, strata))
}

one_dimension <- function(n, q, noise = 0.3) {
  outer(rnorm(n), runif(q, 0.7, 1.3)) + noise * normal_matrix(n, q)
}

test_that("errors over stimuli and neurons are literal deletion, of two regions", {
  set.seed(1)
  p <- list(x = one_dimension(8, 6), y = one_dimension(8, 7))
  p$y <- p$y + p$x[, 1]
  for (units in list(NULL, list(x = c(1, 1, 2, 3, 4, 5), y = c(5, 6, 7, 8, 9, 9, 2)),
                     list(x = 1:6, y = c(11, 11, 12, 12, 13, 14, 15)))) {
    set.seed(2)
    result <- brain_to_brain(p$x, p$y, neurons = 4, repeats = 5, units_x = units$x,
                             units_y = units$y, over = both_samples)
    set.seed(2)
    drawn <- list(a = replicate(5, sample.int(6, 4)), b = replicate(5, sample.int(7, 4)))
    unit <- if (is.null(units)) list(x = 1:6, y = 7:13) else units
    for (e in all_estimators) {
      expect_relative(result$pooled_se[result$estimator == e],
                      literal_sampled_error(p, drawn$a, drawn$b, unit, e), 1e-7, e)
    }
  }
})

test_that("errors over stimuli and neurons are literal deletion, of halves", {
  set.seed(3)
  x <- one_dimension(8, 9)
  for (units in list(NULL, c(1, 1, 2, 2, 3, 4, 5, 6, 7))) {
    set.seed(2)
    result <- brain_to_brain(x, neurons = 3, repeats = 6, units_x = units, over = both_samples)
    set.seed(2)
    both <- vapply(1:6, function(r) sample.int(9, 6), integer(6))
    unit <- if (is.null(units)) list(x = 1:9, y = 1:9) else list(x = units, y = units)
    for (e in all_estimators) {
      expect_relative(result$pooled_se[result$estimator == e],
                      literal_sampled_error(list(x = x, y = x), both[1:3, ], both[4:6, ], unit, e,
                                            halves = TRUE), 1e-7, e)
    }
  }
})

test_that("with all neurons they are those of cka_interval()", {
  set.seed(4)
  p <- linear_population(40, 14, 6)
  labels <- list(x = rep(1:7, 2), y = rep(5:11, 2))
  clusters <- rep(1:10, 4)
  same <- function(interval, analysis) {
    expect_equal(analysis$pooled, interval$cka, tolerance = 1e-10)
    expect_equal(analysis$pooled_se, interval$se, tolerance = 1e-8)
  }
  same(cka_interval(p$x, p$y, over = both_samples),
       brain_to_brain(p$x, p$y, neurons = 14, over = both_samples))
  same(few_is_fine(cka_interval(p$x, p$y, units_x = labels$x, units_y = labels$y,
                                over = both_samples)),
       brain_to_brain(p$x, p$y, neurons = 14, units_x = labels$x, units_y = labels$y,
                      over = both_samples))
  same(few_is_fine(cka_interval(p$x, p$y, clusters = clusters, over = both_samples)),
       brain_to_brain(p$x, p$y, neurons = 14, clusters = clusters, over = both_samples))
})

test_that("sampled neurons change intervals and nothing else", {
  set.seed(5)
  p <- linear_population(60, 24, 6)
  run <- function(...) {
    set.seed(6)
    brain_to_brain(p$x, p$y, neurons = c(8, 24), repeats = 20, ...)
  }
  fixed <- run(over = "stimuli")
  sampled <- run(over = both_samples)
  others <- setdiff(names(fixed), c("pooled_se", "conf_low", "conf_high", "df", "over"))
  expect_equal(as.data.frame(sampled)[others], as.data.frame(fixed)[others])
  expect_true(all(sampled$pooled_se > fixed$pooled_se))
  # t quantiles: wider than those of the normal distribution
  expect_true(all(sampled$conf_high - sampled$pooled > qnorm(0.975) * sampled$pooled_se))
  expect_true(all(sampled$conf_high - sampled$pooled < qt(0.975, 10) * sampled$pooled_se))
  expect_equal(summary(sampled)$pooled_se, sampled$pooled_se)
  # of one side alone: the variance has only its parts
  one <- run(over = c("stimuli", "neurons_x"))
  expect_equal(one$pooled, fixed$pooled)
  m <- lapply(all_estimators, function(e) measure("cka", estimator = e))
  at <- one$neurons == 24
  expected <- few_is_fine(score_interval(p$x, p$y, m, over = c("stimuli", "neurons_x")))
  expect_equal(one$pooled_se[at], expected$se, tolerance = 1e-8)
})

test_that("errors about neurons are checked, and the summary of several comparisons is over stimuli", {
  set.seed(7)
  x <- normal_matrix(20, 12) + rnorm(20)
  expect_refused(brain_to_brain(x, x, over = "neurons"), "`over`")
  expect_refused(brain_to_brain(x, over = "neurons_x"), "`over` has neurons of one side alone")
  expect_refused(brain_to_brain(x, x[, 12:1], over = both_samples, complete = "y"),
                 "`over` has the neurons of `y`")
  expect_warned(few_is_fine(brain_to_brain(x, neurons = 3, repeats = 2, conf_level = NULL,
                                           over = both_samples)), "repalign_unused")
  parts <- few_is_fine(brain_to_brain(x, split = rep(1:3, 4), estimator = "stimulus",
                                      over = both_samples))
  expect_false(anyNA(parts$pooled_se))
  stimuli <- few_is_fine(brain_to_brain(x, split = rep(1:3, 4), estimator = "stimulus",
                                        over = "stimuli"))
  expect_equal(summary(parts)$pooled_se, summary(stimuli)$pooled_se)
  expect_identical(summary(parts)$over, "stimuli")
  expect_false(anyNA(summary(parts)$pooled))
})

test_that("printing says what intervals hold fixed", {
  set.seed(8)
  x <- normal_matrix(20, 12) + rnorm(20)
  extent <- function(result, lines = 2:4) {
    gsub(" +", " ", paste(utils::capture.output(print(result))[lines], collapse = " "))
  }
  run <- function(...) brain_to_brain(x, x[, 12:1] + 1, neurons = 12, estimator = "stimulus", ...)
  expect_match(extent(run()), "over stimuli; these neurons are held fixed", fixed = TRUE)
  sampled <- extent(run(over = both_samples))
  expect_match(sampled, "over stimuli and neurons of both sides, as samples", fixed = TRUE)
  expect_match(extent(run(over = "neurons_x")), "neurons of x, as samples", fixed = TRUE)
  expect_match(sampled, "trials and animals", fixed = TRUE)
  expect_match(extent(run(clusters = rep(1:5, 4))), "over clusters of stimuli;")
  expect_match(extent(trial_to_trial(list(x, x + 1), neurons = 12, estimator = "stimulus")),
               "these neurons and trials are held fixed")
  expect_match(extent(brain_to_model(x, list(layer = x), neurons = 12, estimator = "stimulus")),
               "these neurons and layers are held fixed")
  objects <- object_disentanglement(x, rep(1:2, 10), neurons = 12, estimator = "stimulus")
  expect_match(extent(objects), "over images; these neurons and objects are held fixed")
  # rows of both kinds say both
  expect_match(extent(rbind(a = run(), b = run(over = both_samples)), 2:5),
               "held fixed, or over stimuli and", fixed = TRUE)
})

test_that("sums of columns take weights, with dominant stimuli and over clusters", {
  set.seed(9)
  x <- normal_matrix(12, 4)
  x[3, ] <- 1e6 * x[3, ]
  y <- normal_matrix(12, 5)
  w <- matrix(runif(20), 4)
  clusters <- rep(1:6, 2)
  rows <- function(i, by) if (i == 0) rep(TRUE, 12) else by != i
  for (codes in list(NULL, clusters)) {
    by <- if (is.null(codes)) 1:12 else codes
    sums <- loo_columns(centered(x, 1), centered(y, 1), codes, w)
    for (kind in c("naive", "stimulus")) {
      literal <- t(vapply(0:max(by), function(i) {
        keep <- rows(i, by)
        terms <- pair_terms(centered(x[keep, ], 1), centered(y[keep, ], 1),
                            cut_clusters(codes, keep))
        rowSums(terms[[kind]] * w)
      }, numeric(4)))
      # each row apart: without the loud stimulus all values are much smaller
      difference <- apply(abs(sums[[kind]] - literal), 1, max)
      expect_lt(max(difference / apply(abs(literal), 1, max)), 1e-7)
    }
  }
})
