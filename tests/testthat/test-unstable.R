# Warnings of class repalign_unstable: corrected CKA that is not to be trusted.

# The value, and what the call warned of with this class.
watched <- function(call) {
  seen <- character()
  value <- withCallingHandlers(
    suppressMessages(call),
    repalign_unstable = function(w) {
      seen <<- c(seen, conditionMessage(w))
      invokeRestart("muffleWarning")
    },
    repalign_undefined = function(w) invokeRestart("muffleWarning")
  )
  list(value = value, seen = seen)
}

corrected <- function(x, y, ...) watched(cka(x, y, estimator = "stimulus_neuron", ...))

# CKA and whether it warned, of populations of d dimensions.
populations <- function(n, q, d, times) {
  lapply(seq_len(times), function(i) {
    pop <- linear_population(n, q, d)
    corrected(pop$x, pop$y)
  })
}

share_warned <- function(runs) mean(vapply(runs, function(run) length(run$seen) > 0, NA))

test_that("few stimuli or neurons are told, enough of them are not", {
  set.seed(1)
  few <- populations(7, 30, 50, 60)
  expect_gt(share_warned(few), 0.5)
  # whatever came out far off was told
  far <- Filter(function(run) isTRUE(abs(run$value) > 3), few)
  expect_gt(length(far), 0)
  expect_equal(share_warned(far), 1)
  expect_lt(share_warned(populations(60, 20, 20, 40)), 0.25)
  expect_equal(share_warned(populations(60, 40, 50, 20)), 0)
})

test_that("the warning goes by the jackknife over stimuli and neurons, whatever way is taken", {
  set.seed(11)
  args <- check_cka_args(default_arguments("cka"))
  args$estimator <- "stimulus_neuron"
  # fewer neurons than stimuli, and more: the cheap main parts are those of the table
  for (size in list(c(40, 12, 15), c(40, 90, 15), c(60, 80, 70))) {
    z <- normal_matrix(size[1], 5)
    x <- z %*% normal_matrix(5, size[2]) + 3
    y <- z %*% normal_matrix(5, size[3]) + 0.2 * normal_matrix(size[1], size[3])
    pair <- representation_pair(x, y)
    table <- cka_table(pair, args, NULL)
    full <- two_way_products(table$values, table$values, table$loo)
    expect_equal(main_parts_of_cka(pair), full$main, tolerance = 1e-8)
    network <- cka_table(pair, replace(args, "complete", "y"), NULL)
    full <- two_way_products(network$values, network$values, network$loo)
    expect_equal(main_parts_of_cka(pair, c(x = FALSE, y = TRUE)), full$main, tolerance = 1e-8)
  }
  # told exactly where cka_interval() has a standard error above 0.2
  said <- vapply(1:40, function(i) {
    pop <- linear_population(40, 15, c(5, 60)[1 + i %% 2])
    run <- corrected(pop$x, pop$y)
    se <- suppressWarnings(cka_interval(pop$x, pop$y, "stimulus_neuron"))$se
    expect_equal(length(run$seen) > 0, is.na(se) || se > 0.2 || is.na(run$value))
    length(run$seen) > 0
  }, NA)
  expect_gt(sum(said), 3)
  expect_lt(sum(said), 37)
})

test_that("labels, shared neurons and clusters are judged by their own deletions", {
  set.seed(12)
  pop <- linear_population(40, 16, 30)
  units <- rep(1:8, 2)
  labels <- rep(1:20, each = 2)
  for (more in list(list(units_x = units, units_y = paste("y", units)),
                    list(shared_neurons = TRUE), list(clusters = labels), list(complete = "y"))) {
    run <- do.call(corrected, c(list(pop$x, pop$y + pop$x), more))
    se <- suppressWarnings(do.call(cka_interval, c(list(pop$x, pop$y + pop$x, "stimulus_neuron"),
                                                   more)))$se
    expect_equal(length(run$seen) > 0, is.na(se) || se > 0.2)
  }
  # without enough stimuli for a jackknife a value is never taken for certain
  run <- corrected(normal_matrix(4, 30), normal_matrix(4, 30))
  expect_length(run$seen, 1)
})

test_that("an undefined corrected CKA is of the class, too", {
  set.seed(13)
  x <- normal_matrix(6, 3)
  while (hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE) > 0) {
    x <- normal_matrix(6, 3)
  }
  expect_warning(cka(x, normal_matrix(6, 4), estimator = "stimulus_neuron"), "undefined",
                 class = "repalign_unstable")
})

test_that("the rough relative error of the denominator is that seen over data sets", {
  set.seed(2)
  for (size in list(c(60, 20, 20), c(60, 40, 20), c(40, 60, 50))) {
    runs <- replicate(300, {
      x <- linear_population(size[1], size[2], size[3])$x
      rep <- representation(x, "x")
      args <- check_cka_args(default_arguments("cka"))
      args$estimator <- "stimulus_neuron"
      h <- self_h(rep, args, NULL)
      c(unscale_h(h$value, h$scale), rough_error(rep, h, NULL))
    })
    seen <- sd(runs[1, ]) / mean(runs[1, ])
    # a rough figure: the right size, not the right digits
    expect_gt(median(runs[2, ]), 0.55 * seen)
    expect_lt(median(runs[2, ]), 1.5 * seen)
  }
})

test_that("the relative error has no units and sees who holds the variance", {
  set.seed(3)
  x <- scale(linear_population(40, 30, 10)$x, scale = FALSE)
  error <- function(x, h) relative_error(h, rowSums(x^2), colSums(x^2))
  h <- hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE)
  expect_relative(error(1e3 * x, 1e12 * h), error(x, h), 1e-12)
  # one loud neuron counts for all
  loud <- x
  loud[, 1] <- 100 * loud[, 1]
  expect_lt(effective_count(colSums(loud^2)), 1.01)
  expect_equal(effective_count(rep(2, 7)), 7)
})

test_that("values far above 1 name the causes", {
  set.seed(4)
  pop <- linear_population(80, 45, 20)
  # the same neurons under other names, with noise of their own that both sides share
  noise <- matrix(rnorm(80 * 45, sd = 6), 80)
  run <- corrected(pop$x + noise, pop$x + noise + rnorm(80 * 45, sd = 0.1))
  expect_gt(run$value, 1.5)
  expect_match(run$seen, "far above|so far above 1")
  expect_match(run$seen, "under different names")
  expect_match(run$seen, "units_x")
  fine <- corrected(pop$x + noise, pop$x + noise, shared_neurons = TRUE)
  expect_length(fine$seen, 0)
})

test_that("an interval wholly above 1 is told, once", {
  set.seed(5)
  pop <- linear_population(80, 45, 20)
  noise <- matrix(rnorm(80 * 45, sd = 6), 80)
  run <- watched(cka_interval(pop$x + noise, pop$x + noise + rnorm(80 * 45, sd = 0.1)))
  expect_gt(run$value$conf_low[run$value$estimator == "stimulus_neuron"], 1)
  expect_length(run$seen, 1)
  expect_match(run$seen, "wholly above 1")
  # and by whatever makes the interval of the same score
  x <- matrix(rnorm(300), 60) %*% matrix(rnorm(100), 5) + matrix(rnorm(1200), 60) / 2
  run <- watched(evaluate_models(x, list(b = x[, 20:1], a = x %*% matrix(rnorm(200), 20)),
                                 permutations = 0))
  expect_length(run$seen, 1)
  expect_match(run$seen, "`data` and `models\\$b` \\([0-9.]+ to [0-9.]+\\)")
  expect_match(run$seen, "wholly above 1")
  # what was told of the score is not said again
  run <- watched(score_interval(pop$x + noise, pop$x + noise + 0.01,
                                measure("cka", estimator = "stimulus_neuron")))
  expect_length(run$seen, 1)
  # other estimators have nothing to tell
  run <- watched(cka_interval(pop$x + noise, pop$x + noise, estimator = c("naive", "stimulus")))
  expect_length(run$seen, 0)
  expect_length(watched(cka_interval(pop$x, pop$y))$seen, 0)
})

test_that("analyses tell values above 1 with intervals above 1, but no halves and no chance", {
  set.seed(6)
  pop <- linear_population(80, 45, 20)
  noise <- matrix(rnorm(80 * 45, sd = 6), 80)
  again <- pop$x + noise + rnorm(80 * 45, sd = 0.1)
  for (level in list(0.95, NULL)) {
    run <- watched(brain_to_brain(pop$x + noise, again, repeats = 5, conf_level = level))
    expect_length(run$seen, 1)
    expect_match(run$seen, "under different names")
  }
  run <- watched(brain_to_model(pop$x + noise, list(layer = again), repeats = 5))
  expect_length(run$seen, 1)
  expect_length(watched(brain_to_brain(pop$x + noise, repeats = 20))$seen, 0)
  expect_length(watched(brain_to_brain(pop$x, pop$y, repeats = 20))$seen, 0)
})

test_that("a warning names no other error than the row: its largest part is the least", {
  set.seed(2)
  p <- linear_population(20, 8, 4)
  run <- watched(score_interval(p$x, p$y, measure("cka", estimator = "stimulus_neuron")))
  expect_gt(run$value$se, 0.45)
  expect_match(run$seen, "is about 0.39 or more")
})

test_that("brain_to_model() tells of intervals above 1, and of absurd values without an error", {
  set.seed(5)
  x <- matrix(rnorm(300), 60) %*% matrix(rnorm(100), 5) + matrix(rnorm(1200), 60) / 2
  run <- watched(brain_to_model(x, list(b = x[, 20:1]), neurons = 20, repeats = 1,
                                estimator = "stimulus_neuron"))
  expect_gt(run$value$conf_low, 1)
  expect_match(run$seen, "1 of 1 corrected values")
  rows <- data.frame(x = "brain", y = "b", neurons = 20, estimator = "stimulus_neuron",
                     pooled = c(2829, 1.2), pooled_se = NA, conf_low = NA, conf_high = NA)
  expect_match(watched(warn_unstable_rows(rows, 60, TRUE, TRUE))$seen, "2829, which is uncertain")
  expect_match(watched(warn_unstable_rows(rows, 60, FALSE, TRUE))$seen, "beyond 2 in size.* 2829")
  rows$pooled <- -rows$pooled
  expect_match(watched(warn_unstable_rows(rows, 60, FALSE, TRUE))$seen, "mean nothing.*at -2829")
  expect_length(watched(warn_unstable_rows(rows[2, ], 60, FALSE, TRUE))$seen, 0)
})

test_that("a grid gives one warning, and a null none beside", {
  set.seed(7)
  layers <- lapply(c(a = 1, b = 2, c = 3, d = 4, e = 5), function(i) linear_population(7, 30, 50)$x)
  unstable <- measure("cka", estimator = "stimulus_neuron")
  run <- watched(similarity(layers, measure = unstable))
  expect_length(run$seen, 1)
  expect_match(run$seen, "more like this")
  y <- linear_population(12, 8, 40)$y
  x <- linear_population(12, 8, 40)$x
  alone <- corrected(x, y)$seen
  for (engine in c("auto", "random")) {
    run <- watched(tryCatch(calibrate(x, y, unstable, permutations = 19, engine = engine),
                            repalign_error = function(e) NULL))
    expect_length(run$seen, length(alone))
  }
})

test_that("V4 of two days without names of the neurons in common is told", {
  first <- read.csv(shared_file("data", "v4_210322_shared600.csv.gz"))
  trials <- read.csv(shared_file("data", "v4_210325_trials.csv.gz"))
  means <- aggregate(trials[-(1:2)], trials["image"], mean)
  images <- intersect(first$image, means$image)
  x <- as.matrix(first[match(images, first$image), -1])
  y <- as.matrix(means[match(images, means$image), -1])
  run <- corrected(x, y)
  expect_gt(run$value, 1.5)
  expect_length(run$seen, 1)
  expect_length(watched(cka_interval(x, y))$seen, 1)
  expect_length(watched(brain_to_brain(x, y, repeats = 10))$seen, 1)
})

test_that("CKA of two or three rows is told to say nothing", {
  set.seed(8)
  for (n in 2:3) {
    x <- normal_matrix(n, 4)
    y <- normal_matrix(n, 5)
    expect_warning(cka(x, y), "whatever the data", class = "repalign_trivial")
    expect_warning(rv(x, y), class = "repalign_trivial")
  }
  expect_warning(cka(normal_matrix(4, 4), normal_matrix(4, 5)), NA)
})

test_that("a representation compared with itself is not called uncertain", {
  set.seed(63)
  x <- matrix(rnorm(300), 30)
  expect_no_warning(cka(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE),
                    class = "repalign_unstable")
  units <- rep(1:5, 2)
  value <- expect_no_warning(cka(x, x, estimator = "stimulus_neuron", units_x = units,
                                 units_y = units), class = "repalign_unstable")
  expect_equal(value, 1, tolerance = 1e-12)
})

# Trials of two samples of neurons of one population: list(x, y).
trial_pair <- function(n, q, trials, noise) {
  signal <- normal_matrix(n, 10)
  side <- function() {
    means <- array(signal %*% normal_matrix(10, q) / sqrt(10), c(n, q, trials))
    responses(means + noise * rnorm(n * q * trials))
  }
  list(x = side(), y = side())
}

test_that("from trials uncertain values are told, too, by single calls, lists and models", {
  set.seed(1)
  few <- replicate(8, trial_pair(20, 8, 4, 1), simplify = FALSE)
  told <- function(call) vapply(few, function(pair) length(watched(call(pair))$seen) > 0, NA)
  expect_gte(mean(told(function(pair) cka(pair$x, pair$y))), 0.75)
  expect_gte(mean(told(function(pair) similarity(pair$x, list(a = pair$y)))), 0.75)
  expect_gte(mean(told(function(pair) {
    evaluate_models(pair$x, list(a = pair$y), permutations = 0)
  })), 0.75)
  # neurons that are named, or that lack the trials of a stimulus, need the whole jackknife
  named <- lapply(few[[1]], function(side) responses(as.array(side), neuron = 1:8))
  expect_match(watched(cka(named$x, named$y))$seen, "uncertain|means nothing")
  gaps <- lapply(few[[1]], function(side) {
    responses(replace(as.array(side), cbind(1, 2, 1:4), NA))
  })
  expect_match(watched(cka(gaps$x, gaps$y))$seen, "uncertain|means nothing")
  for (i in 1:3) {
    many <- trial_pair(100, 60, 4, 1)
    expect_length(watched(cka(many$x, many$y))$seen, 0)
  }
})

test_that("the rough error of a side with trials does not go by how these were scaled", {
  set.seed(3)
  x <- as.array(trial_pair(30, 10, 3, 1)$x)
  # the trials of one cell cancel each other, so that they alone are far from its mean
  far <- x
  far[1, 1, ] <- mean(x[1, 1, ]) + c(-100, 0, 100)
  args <- measure("cka", estimator = "stimulus_neuron_trial")$args
  args$trials <- 3
  rough <- function(values) {
    repr <- representation(responses(values), "x")
    form <- prepare_cka(repr, args, "x")
    h <- unscale_h(form$self$value, form$self$scale)
    means <- scale(repr$data, scale = FALSE)
    c(rough_error(repr, form$self), relative_error(h, rowSums(means^2), colSums(means^2)))
  }
  for (values in list(x, far)) {
    found <- rough(values)
    expect_equal(found[1], found[2], tolerance = 1e-10)
  }
})

test_that("a value beyond 2 is reported as it is, and told to mean nothing", {
  set.seed(2)
  value <- NA
  while (is.na(value) || abs(value) < 2) {
    x <- normal_matrix(60, 40)
    y <- normal_matrix(60, 40)
    run <- corrected(x, y)
    value <- run$value
  }
  expect_match(run$seen, "beyond 2 in size means nothing")
  scores <- watched(similarity(x, y, measure("cka", estimator = "stimulus_neuron")))
  expect_identical(scores$value$score, value)
  expect_match(in_words(scores$value), "means nothing")
  # however small its error
  pair <- pair_of(representation(x, "x"), representation(y, "y"))
  expect_warning(warn_unstable(2.1, pair, 0), "beyond 2", class = "repalign_unstable")
  expect_warning(warn_unstable(-2.1, pair, 0), "beyond 2", class = "repalign_unstable")
  expect_no_warning(warn_unstable(1.4, pair, 0))
})

test_that("an undefined error of a corrected CKA is first of all unstable", {
  set.seed(5)
  pair <- trial_pair(10, 3, 2, 2)
  seen <- list()
  withCallingHandlers(suppressMessages(cka_interval(pair$x, pair$y)), warning = function(w) {
    seen <<- c(seen, class(w)[1])
    invokeRestart("muffleWarning")
  })
  expect_true("repalign_unstable" %in% seen)
})

test_that("white features are named as the reason of an undefined or unstable value", {
  set.seed(1)
  white <- qr.Q(qr(normal_matrix(100, 50)))
  expect_warning(value <- cka(white, white[, 1:40], estimator = "stimulus_neuron"),
                 "dimensions of `.*` have nearly equal variances", class = "repalign_unstable")
  expect_identical(value, NA_real_)
  noise <- representation(normal_matrix(60, 40), "x")
  few <- representation(normal_matrix(60, 4) %*% normal_matrix(4, 40), "y")
  expect_true(is_white(noise))
  expect_false(is_white(few))
  expect_match(cause_of_instability(list(few)), "too few neurons or stimuli")
})
