# One question, one interval: whatever function gives it, by default it is over what the estimator
# corrects for.

interval_data <- local({
  set.seed(1)
  n <- 30
  latent <- matrix(rnorm(n * 3), n)
  trials <- function(q) {
    means <- latent %*% matrix(runif(3 * q, 0.5, 1.5), 3) + 0.3 * matrix(rnorm(n * q), n)
    array(means, c(n, q, 3)) + 0.3 * array(rnorm(n * q * 3), c(n, q, 3))
  }
  t <- trials(8)
  u <- trials(8)
  x <- apply(t, 1:2, mean)
  y <- apply(u, 1:2, mean)
  cluster <- rep(1:10, each = 3)
  list(
    plain = list(x = x, y = y),
    "complete y" = list(x = x, y = responses(y, complete = TRUE)),
    "complete x" = list(x = responses(x, complete = TRUE), y = y),
    clusters = list(x = responses(x, cluster = cluster), y = y),
    trials = list(x = responses(t), y = y),
    "trials of both" = list(x = responses(t), y = responses(u)),
    sessions = list(x = responses(x, session = rep(1:4, 2)), y = y)
  )
})

columns <- c("score", "se", "df", "conf_low", "conf_high")

# The columns of any of the results, by these names.
one_interval <- function(result, row = nrow(result)) {
  row <- as.data.frame(result)[row, ]
  names(row) <- sub("^(pooled|cka)$", "score", sub("^pooled_se$", "se", names(row)))
  unlist(row[columns])
}

test_that("one pair has one interval in all functions", {
  mute <- function(code) suppressMessages(suppressWarnings(code))
  for (name in names(interval_data)) {
    data <- interval_data[[name]]
    several <- is_responses(data$x) && dim(data$x)[3] > 1
    for (e in c("stimulus_neuron", if (several) "stimulus_neuron_trial")) {
      m <- measure("cka", estimator = e)
      what <- paste(name, e)
      same <- function(found, of) {
        expect_equal(found, expected, tolerance = 1e-8, info = paste(what, of))
      }
      row <- mute(cka_interval(data$x, data$y, e))
      expected <- one_interval(row)
      expect_false(anyNA(expected), info = what)
      sides <- c("neurons_x", "neurons_y")[!vapply(data, function(one) {
        is_responses(one) && isTRUE(one$complete)
      }, NA)]
      over <- paste(c(if (name == "clusters") "clusters" else "stimuli", sides), collapse = " + ")
      expect_identical(row$over, over)
      found <- mute(score_interval(data$x, data$y, m))
      expect_identical(found$over, over)
      same(one_interval(found), "score_interval")
      # also beside other scores and other pairs
      found <- mute(score_interval(data$x, list(a = data$y, b = data$y[1:30, 1:5]),
                                   list("procrustes", m)))
      same(one_interval(found, 2), "score_interval of several")
      alone <- mute(score_interval(data$x, data$y, "procrustes"))
      expect_equal(one_interval(found, 1), one_interval(alone), tolerance = 1e-10, info = what)
      same(one_interval(mute(evaluate_models(data$x, list(y = data$y), measure = m, permutations = 0))),
           "evaluate_models")
      found <- mute(brain_to_brain(data$x, data$y, neurons = NULL, estimator = e, repeats = 2))
      expect_identical(found$over[nrow(found)], over)
      same(one_interval(found), "brain_to_brain")
      if (name != "trials of both") {
        found <- mute(brain_to_model(data$x, list(y = data$y), estimator = e, repeats = 2))
        expect_identical(found$over[nrow(found)], over)
        same(one_interval(found), "brain_to_model")
      }
      if (!several || e != "stimulus_neuron") next
      found <- mute(noise_ceiling(data$x, data$y, m))
      limits <- as.vector(confint(found, "score"))
      same(c(expected["score"] * 0 + found$score, se = found$score_se, expected["df"],
             conf_low = limits[1], conf_high = limits[2]), "noise_ceiling")
      clean <- mute(cka_interval(data$x, data$y, "stimulus_neuron_trial"))
      expect_equal(c(found$disattenuated, found$disattenuated_se, confint(found)),
                   unname(one_interval(clean))[-3], tolerance = 1e-8, info = what)
    }
  }
})

test_that("estimators that do not correct for neurons, and subsets, have intervals over stimuli", {
  data <- interval_data$trials
  for (e in c("naive", "stimulus")) {
    rows <- suppressMessages(list(
      cka_interval(data$x, data$y, e), score_interval(data$x, data$y, measure("cka", estimator = e)),
      brain_to_brain(data$x, data$y, 8, 1, estimator = e),
      brain_to_model(data$x, list(y = data$y), 8, 1, estimator = e)
    ))
    for (row in rows) expect_identical(row$over, "stimuli")
    for (row in rows[-1]) {
      expect_equal(one_interval(row)[1:3], one_interval(rows[[1]])[1:3], tolerance = 1e-8)
    }
  }
  expect_identical(score_interval(as.matrix(data$x), data$y, "rsa")$over, "stimuli")
  for (f in list(function(...) brain_to_brain(as.matrix(data$x), data$y, ...),
                 function(...) brain_to_model(as.matrix(data$x), list(y = data$y), ...),
                 function(...) trial_to_trial(list(as.matrix(data$x), data$y), ...))) {
    result <- suppressWarnings(f(neurons = c(4, 8), repeats = 3))
    expect_identical(result$over, rep(c("stimuli", "stimuli + neurons_x + neurons_y"), c(5, 1)))
    expect_output(print(result), "fewer than were recorded")
    expect_false(any(grepl("fewer", capture.output(print(result[4:6, ])))))
    stimuli <- suppressWarnings(f(neurons = 8, repeats = 3, over = "stimuli"))
    expect_identical(stimuli$over, rep("stimuli", 3))
    expect_lt(stimuli$pooled_se[3], result$pooled_se[6])
  }
  # of sides of unequal numbers the larger one is cut, and is a sample nevertheless
  result <- suppressWarnings(brain_to_brain(as.matrix(data$x), data$y[, 1:6], 6, repeats = 5,
                                            estimator = "stimulus_neuron"))
  expect_identical(result$over, "stimuli + neurons_x + neurons_y")
})

test_that("trials are compared with errors over their neurons", {
  x <- as.matrix(interval_data$trials$x)
  trials <- list(x, interval_data$trials$y)
  result <- suppressWarnings(trial_to_trial(trials, 8, 1, estimator = "stimulus_neuron"))
  # by deletion of the data: a neuron goes from both trials
  pooled <- function(i, a) {
    t <- lapply(trials, function(t) t[setdiff(1:30, i), setdiff(1:8, a)])
    h <- function(x, y) hsic(x, y, estimator = "stimulus_neuron", shared_neurons = TRUE)
    h(t[[1]], t[[2]]) / mean(c(h(t[[1]], t[[1]]), h(t[[2]], t[[2]])))
  }
  table <- outer(0:30, 0:8, Vectorize(pooled))
  both <- table[-1, -1] - table[-1, 1] - rep(table[1, -1], each = 30) + table[1, 1]
  main <- c(29 / 30 * sum((table[-1, 1] - mean(table[-1, 1]))^2),
            7 / 8 * sum((table[1, -1] - mean(table[1, -1]))^2))
  variance <- max(sum(main) - 29 / 30 * 7 / 8 * sum(both^2), main)
  expect_equal(one_interval(result)[1:3],
               c(score = table[1, 1], se = sqrt(variance),
                 df = variance^2 / sum(main^2 / c(29, 7))), tolerance = 1e-8)
  expect_error(trial_to_trial(trials, 8, 1, over = "neurons_x"), "both sides",
               class = "repalign_error_choice")
})
