# Participation ratios against sums over tuples of stimuli, literal deletion, enumerated
# populations and independently computed values.

# P_i of neurons a and b: the mean over pairs of different trials of a stimulus. trials: a list of
# matrices, with rows of NA where a stimulus has no such trial; one trial: its own square.
unit_moment <- function(trials, i, a, b) {
  x <- vapply(trials, function(t) t[i, c(a, b)], numeric(2))
  x <- x[, !is.na(x[1, ]), drop = FALSE]
  if (ncol(x) == 1) return(prod(x))
  pairs <- distinct_tuples(ncol(x), 2)
  mean(x[1, pairs[, 1]] * x[2, pairs[, 2]])
}

trial_mean <- function(trials) {
  apply(simplify2array(trials), 1:2, mean, na.rm = TRUE)
}

# list(numerator, h) as means over tuples of four different stimuli and allowed pairs of neurons.
brute_parts <- function(trials, labels = NULL) {
  m <- trial_mean(trials)
  tuples <- distinct_tuples(nrow(m), 4)
  pairs <- all_tuples(ncol(m), 2)
  if (!is.null(labels)) pairs <- pairs[labels[pairs[, 1]] != labels[pairs[, 2]], , drop = FALSE]
  # the covariance of a and b, from stimuli i and j
  product <- function(a, b, i, j) {
    p <- vapply(seq_len(nrow(m)), function(s) unit_moment(trials, s, a, b), 0)
    p[i] - m[i, a] * m[j, b]
  }
  one <- function(ab) {
    a <- ab[1]
    b <- ab[2]
    first <- function(a, b) product(a, b, tuples[, 1], tuples[, 2])
    second <- function(a, b) product(a, b, tuples[, 3], tuples[, 4])
    c(mean(first(a, a) * second(b, b)), mean(first(a, b) * second(a, b)))
  }
  parts <- rowMeans(apply(pairs, 1, one))
  list(numerator = parts[1], h = parts[2])
}

brute_dimension <- function(trials, labels = NULL) {
  parts <- brute_parts(trials, labels)
  parts$numerator / parts$h
}

# Neurons that read out one dimension: no denominator is near 0.
clear_trials <- function(n, q, repeats, noise = 0.3) {
  signal <- outer(rnorm(n), sample(c(-1, 1), q, TRUE) * runif(q, 0.6, 1.4)) + 2
  lapply(seq_len(repeats), function(t) signal + noise * normal_matrix(n, q))
}

some_missing <- function(trials) {
  trials[[1]][2, ] <- NA
  trials[[3]][4, ] <- NA
  trials
}

as_array <- function(trials) unname(simplify2array(trials))

test_that("one trial and several are means over tuples of different stimuli and trials", {
  set.seed(31)
  for (repeats in 1:3) {
    for (shape in list(c(5, 3), c(5, 7))) {
      trials <- clear_trials(shape[1], shape[2], repeats)
      if (repeats == 3) trials <- some_missing(trials)
      own <- seq_len(shape[2])
      groups <- rep(1:3, length.out = shape[2])
      label <- paste(repeats, "trials of", paste(shape, collapse = " x "))
      value <- participation_ratio(as_array(trials))
      stimulus <- brute_dimension(trials)
      expect_relative(value$stimulus, stimulus, 1e-12, label)
      expect_relative(value$stimulus_neuron, brute_dimension(trials, own), 1e-12, label)
      value <- participation_ratio(as_array(trials), units = letters[groups])
      expect_relative(value$stimulus, stimulus, 1e-12, label)
      expect_relative(value$stimulus_neuron, brute_dimension(trials, groups), 1e-12, label)
    }
  }
})

test_that("two matrices are an array of two trials, in any order, and one trial is a matrix", {
  set.seed(32)
  trials <- clear_trials(9, 5, 2)
  value <- participation_ratio(trials[[1]], trials[[2]], conf_level = 0.9)
  expect_identical(value, participation_ratio(as_array(trials), conf_level = 0.9))
  expect_equal(value, participation_ratio(trials[[2]], trials[[1]], conf_level = 0.9),
               tolerance = 1e-12)
  expect_identical(participation_ratio(as_array(trials[1])), participation_ratio(trials[[1]]))
  expect_identical(rownames(participation_ratio(trials[[1]], trials[[2]])), "1")
  # the naive value and the ratios are those of the means
  means <- participation_ratio(trial_mean(trials))
  for (name in c("naive", "psi_stimuli", "psi_neurons", "rho")) {
    expect_relative(value[[name]], means[[name]], 1e-12, name)
  }
})

test_that("neither origin, unit nor rotation of the trials' order matters", {
  set.seed(33)
  trials <- some_missing(clear_trials(8, 4, 4))
  value <- participation_ratio(as_array(trials), conf_level = 0.9)
  shifted <- lapply(trials[c(3, 1, 4, 2)], function(t) sweep(1e3 * t, 2, c(0, 10, -1e4, 5)))
  expect_equal(participation_ratio(as_array(shifted), conf_level = 0.9), value, tolerance = 1e-9)
  huge <- lapply(trials, function(t) t * 1e200)
  expect_equal(participation_ratio(as_array(huge), conf_level = 0.9), value, tolerance = 1e-9)
})

test_that("parts agree with the values computed elsewhere", {
  rows <- read.csv(shared_file("reference", "expected_dimension.csv"))
  expect_identical(nrow(rows), 68L)
  for (case in unique(rows$case)) {
    trial <- function(which) {
      file <- shared_file("reference", "dimension", paste0(case, "_", which, ".csv"))
      as.matrix(read.csv(file))
    }
    for (trials in c("one", "two")) {
      x <- trial("a")
      y <- if (trials == "two") trial("b")
      labels <- (seq_len(ncol(x)) + 1) %/% 2
      known <- rows[rows$case == case & rows$trials == trials, ]
      known <- stats::setNames(known$value, known$what)
      value <- participation_ratio(x, y)
      for (name in grep("^dimension_", names(known), value = TRUE)) {
        expect_relative(value[[sub("dimension_", "", name)]], known[[name]], 1e-10,
                        paste(case, trials, name))
      }
      expect_relative(participation_ratio(x, y, units = labels)$stimulus_neuron,
                      known[["numerator_labels"]] / known[["h_labels"]], 1e-10,
                      paste(case, trials, "labels"))
    }
  }
})

test_that("arrays of trials agree with the values computed elsewhere", {
  for (size in c("", "larger_")) {
    cells <- read.csv(shared_file("reference", "responses", paste0(size, "inputs_public.csv")))
    values <- read.csv(shared_file("reference", "responses", paste0(size, "values_public.csv")))
    labels <- read.csv(shared_file("reference", "responses", "labels.csv"))
    x <- trial_array(cells[cells$array == "x", ], "stimulus", "neuron", "trial", "value")
    # sessions that are recorded apart are no labels: all of their trials may be multiplied
    known <- values[values$quantity == "participation_ratio" & values$args != "trials, sessions", ]
    expect_gt(nrow(known), 0)
    for (i in seq_len(nrow(known))) {
      given <- if (known$args[i] == "trials, groups") labels$label[labels$what == "group_x"]
      expect_relative(participation_ratio(x, units = given)$stimulus_neuron,
                      as.numeric(known$value[i]), 1e-9, known$args[i])
    }
  }
})

# --- unbiased parts

test_that("both parts are unbiased over neurons: complete enumeration", {
  # all pairs of neurons of a finite population of neurons, drawn with replacement
  set.seed(34)
  x <- clear_trials(5, 3, 1)[[1]]
  pairs <- all_tuples(3, 2)
  drawn <- apply(pairs, 1, function(at) unlist(brute_parts(list(x[, at]), 1:2)))
  # tuples of all neurons, equal ones too
  expect_equal(rowMeans(drawn), unlist(brute_parts(list(x))), tolerance = 1e-12)
})

test_that("both parts are unbiased over stimuli and trials: complete enumeration", {
  # four stimuli of a population of three, with two trials each; in every trial both neurons have
  # the same noise of one of two values: every sample has the same weight
  set.seed(35)
  stimuli <- normal_matrix(3, 2)
  cov <- crossprod(scale(stimuli, scale = FALSE)) / 3
  chosen <- all_tuples(3, 4)
  noise <- as.matrix(expand.grid(rep(list(c(-0.7, 0.7)), 8)))
  both <- expand.grid(chosen = seq_len(nrow(chosen)), noise = seq_len(nrow(noise)))
  # samples x stimuli, of one neuron in one trial
  response <- function(neuron, trial) {
    matrix(stimuli[chosen[both$chosen, ], neuron], ncol = 4) + noise[both$noise, 4 * trial - 3:0]
  }
  mean_of <- function(a) (response(a, 1) + response(a, 2)) / 2
  p <- function(a, b) (response(a, 1) * response(b, 2) + response(a, 2) * response(b, 1)) / 2
  estimate <- function(a, b, at) p(a, b)[, at[1]] - mean_of(a)[, at[1]] * mean_of(b)[, at[2]]
  tuples <- distinct_tuples(4, 4)
  means <- apply(tuples, 1, function(at) {
    c(mean(estimate(1, 1, at[1:2]) * estimate(2, 2, at[3:4])),
      mean(estimate(1, 2, at[1:2]) * estimate(1, 2, at[3:4])))
  })
  # these are the estimates of brute_parts()
  first <- lapply(1:2, function(trial) {
    cbind(response(1, trial)[500, ], response(2, trial)[500, ])
  })
  of_first <- rowMeans(apply(tuples, 1, function(at) {
    c(estimate(1, 1, at[1:2])[500] * estimate(2, 2, at[3:4])[500],
      estimate(1, 2, at[1:2])[500] * estimate(1, 2, at[3:4])[500])
  }))
  expect_equal(of_first, unlist(brute_parts(first, 1:2)), tolerance = 1e-12, ignore_attr = TRUE)
  expect_equal(rowMeans(means), c(cov[1, 1] * cov[2, 2], cov[1, 2]^2), tolerance = 1e-12)
})

test_that("unequal gains do not change the mean dimensionality", {
  # the former numerator was not corrected: 30.8 for 20.1 with one trial of these gains
  set.seed(45)
  parts <- replicate(300, {
    gains <- exp(rnorm(30, sd = 0.8))
    x <- normal_matrix(40, 8) %*% sweep(normal_matrix(8, 30), 2, gains, "*")
    sample <- repalign:::open_dimension(x, NULL, NULL, FALSE, "error")
    layout <- repalign:::neuron_layout(NULL, 30)
    parts <- repalign:::dimension_parts(sample, layout, "stimulus_neuron")
    scale <- repalign:::form_centering(sample$repr)$scale^4
    c(parts$numerator, parts$h$value) / scale
  })
  # E C_aa C_bb = E g_a^2 E g_b^2 8^2 and E C_ab^2 = E g_a^2 E g_b^2 8
  truth <- exp(2 * 0.8^2)^2 * c(64, 8)
  z <- (rowMeans(parts) - truth) / (apply(parts, 1, sd) / sqrt(300))
  expect_true(all(abs(z) < 4))
})

# --- intervals

without <- function(trials, row, columns) {
  rows <- setdiff(seq_len(nrow(trials[[1]])), row)
  lapply(trials, function(t) t[rows, columns, drop = FALSE])
}

# Dimensionalities with each stimulus, each unit and both really taken out: a matrix for each
# estimator.
literal_dimensions <- function(trials, labels) {
  units <- unique(labels)
  n <- nrow(trials[[1]])
  empty <- matrix(NA_real_, n + 1, length(units) + 1)
  theta <- lapply(stats::setNames(nm = all_estimators), function(name) empty)
  for (i in 0:n) {
    for (u in 0:length(units)) {
      keep <- if (u == 0) rep(TRUE, length(labels)) else labels != units[u]
      x <- as_array(without(trials, i, keep))
      value <- participation_ratio(x, units = labels[keep])
      for (name in all_estimators) theta[[name]][i + 1, u + 1] <- value[[name]]
    }
  }
  theta
}

literal_dimension_interval <- function(theta, conf_level) {
  units <- seq_len(ncol(theta) - 1)
  parts <- two_way(theta, theta, list(units))
  variance <- two_way_variance_of(theta, list(units))
  df <- variance^2 / (parts[["s"]]^2 / (nrow(theta) - 2) + parts[["x"]]^2 / (ncol(theta) - 2))
  half <- qt(0.5 + conf_level / 2, df) * sqrt(variance)
  c(sqrt(variance), theta[1, 1] - half, theta[1, 1] + half)
}

expect_literal_dimensions <- function(trials, units, label) {
  labels <- if (is.null(units)) seq_len(ncol(trials[[1]])) else units
  value <- participation_ratio(as_array(trials), units = units, conf_level = 0.9)
  deleted <- literal_dimensions(trials, labels)
  for (name in all_estimators) {
    literal <- literal_dimension_interval(deleted[[name]], 0.9)
    found <- unlist(value[paste0(name, c("_se", "_low", "_high"))])
    expect_equal(unname(found), literal, tolerance = 1e-8, label = paste(label, name))
  }
}

test_that("intervals are literal deletion: one trial", {
  set.seed(36)
  expect_literal_dimensions(clear_trials(9, 5, 1), NULL, "n > q")
  expect_literal_dimensions(clear_trials(7, 11, 1), NULL, "q > n")
  expect_literal_dimensions(clear_trials(8, 7, 1), c(1, 1, 2, 3, 3, 3, 4), "units")
  # one stimulus that holds nearly all of the variance
  x <- clear_trials(8, 5, 1)
  x[[1]][3, ] <- 1e3 * x[[1]][3, ]
  expect_literal_dimensions(x, NULL, "a dominant stimulus")
})

test_that("intervals are literal deletion: several trials", {
  set.seed(37)
  expect_literal_dimensions(clear_trials(9, 5, 2), NULL, "two")
  expect_literal_dimensions(clear_trials(6, 17, 2), NULL, "q > n")
  expect_literal_dimensions(some_missing(clear_trials(8, 6, 4)), NULL, "unequal numbers")
  units <- c("a", "a", "b", "c", "c", "c", "d")
  expect_literal_dimensions(some_missing(clear_trials(8, 7, 3)), units, "units")
  trials <- lapply(clear_trials(8, 5, 2), function(t) t * c(1, 1, 1e3, 1, 1, 1, 1, 1))
  expect_literal_dimensions(trials, NULL, "a dominant stimulus")
})

test_that("columns of intervals come only when they are asked for", {
  set.seed(38)
  x <- clear_trials(8, 5, 1)[[1]]
  plain <- c("naive", "stimulus", "stimulus_neuron", "psi_stimuli", "psi_neurons", "rho")
  expect_identical(names(participation_ratio(x)), plain)
  more <- outer(c("_se", "_low", "_high"), all_estimators, function(what, name) paste0(name, what))
  value <- participation_ratio(x, conf_level = 0.95)
  expect_identical(names(value), c(plain, as.vector(more)))
  expect_identical(as.data.frame(value)[plain], as.data.frame(participation_ratio(x)))
})

test_that("few units leave the standard error of the neuron-corrected value undefined", {
  set.seed(39)
  x <- clear_trials(8, 4, 1)[[1]]
  value <- expect_warned(participation_ratio(x, units = c(1, 1, 2, 2), conf_level = 0.9),
                         "repalign_undefined")
  expect_false(is.na(value$stimulus_neuron))
  expect_identical(value$stimulus_neuron_se, NA_real_)
  expect_false(is.na(value$stimulus_se))
  value <- suppressWarnings(participation_ratio(x[, 1, drop = FALSE], conf_level = 0.9))
  expect_identical(c(value$stimulus_neuron, value$stimulus_neuron_se), c(NA_real_, NA_real_))
})

# --- refusals

test_that("what cannot be estimated is refused by name and remedy", {
  set.seed(40)
  trials <- clear_trials(6, 4, 3)
  x <- trials[[1]]
  array <- as_array(trials)
  expect_refused(participation_ratio(x[1:3, ]), c("`x`", "3 rows", "at least 4"))
  expect_refused(participation_ratio(x[1:4, ], conf_level = 0.9), c("`x`", "4 rows", "jackknife"))
  expect_refused(participation_ratio(x, units = rep(1, 4)), c("`x`", "same label", "finer"))
  expect_refused(participation_ratio(x, units = 1:3), c("`units`", "3 labels", "4 columns"))
  expect_refused(participation_ratio(x, conf_level = 2), "`conf_level`")
  expect_refused(participation_ratio(x, trials[[2]][, 1:3]), c("`y`", "3", "same neurons"))
  expect_refused(participation_ratio(x, trials[[2]][1:5, ]), c("`y`", "has 5"))
  expect_refused(participation_ratio(array, x), c("`y`", "array"))
  expect_refused(participation_ratio(array[, , 0]), c("`x`", "nothing"))
  named <- function(names) `colnames<-`(x, names)
  expect_refused(participation_ratio(named(c("a", "b", "c", "d")), named(c("a", "c", "b", "d"))),
                 c("column names", "column 2"))
  part <- array
  part[2, 3, 2] <- NA
  # taken as responses() takes it
  expect_identical(suppressMessages(participation_ratio(part)),
                   suppressMessages(participation_ratio(responses(part))))
  part[2, 3, 2] <- Inf
  expect_refused(participation_ratio(part), c("`x`", "2, 3, 2"))
})

test_that("stimuli with a single trial are left out, and said so", {
  set.seed(41)
  array <- as_array(clear_trials(7, 4, 2))
  array[5, , 1] <- NA
  expect_message(value <- participation_ratio(array), "1 stimulus row of `x`",
                 class = "repalign_left_out")
  expect_equal(value, participation_ratio(array[-5, , ]), tolerance = 1e-12)
  array[1:3, , 2] <- NA
  expect_refused(suppressMessages(participation_ratio(array)), c("3 stimuli", "two trials"))
})

test_that("a negative dimensionality is told", {
  set.seed(1)
  x <- matrix(rnorm(100), 20)
  expect_warning(expect_warning(
    found <- participation_ratio(x, matrix(rnorm(100), 20)), "\"stimulus\" is negative",
    class = "repalign_unstable"
  ), "\"stimulus_neuron\" is negative", class = "repalign_unstable")
  expect_true(found$stimulus < 0 && found$stimulus_neuron < 0)
})

test_that("a dimensionality whose denominator is near 0 is told, one of many dimensions is not", {
  warned <- function(x) {
    found <- FALSE
    value <- withCallingHandlers(participation_ratio(x), repalign_unstable = function(w) {
      found <<- TRUE
      invokeRestart("muffleWarning")
    }, warning = function(w) invokeRestart("muffleWarning"))$stimulus_neuron
    if (isTRUE(value > 0)) c(value, found)
  }
  set.seed(1)
  noise <- do.call(rbind, replicate(60, warned(matrix(rnorm(300), 30)), simplify = FALSE))
  expect_identical(noise[, 2] == 1, noise[, 1] > 30)
  expect_gt(sum(noise[, 2]), 15)
  # more than there are neurons, or stimuli
  for (size in list(c(200, 40), c(30, 400))) {
    many <- warned(linear_population(n = size[1], q = size[2], d = 60)$x)
    expect_true(many[1] > min(size) && !many[2])
  }
})
