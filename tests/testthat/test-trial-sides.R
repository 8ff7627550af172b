# Two sides that do not declare the same things.

quiet <- function(code) suppressMessages(code, "repalign_message")

noise <- function(n, q, trials) array(rnorm(n * q * trials), c(n, q, trials))

# Two signals, the same in all trials, with some noise.
noisy <- function(n, q, trials) {
  signal <- matrix(rnorm(2 * n), n) %*% matrix(rnorm(2 * q), 2)
  array(rep(signal, trials), c(n, q, trials)) + 0.3 * noise(n, q, trials)
}

# The value of an object with itself, each neuron left out with itself.
self_term <- function(values) {
  given <- responses(values, neuron = paste0("n", seq_len(dim(values)[2])))
  quiet(hsic(given, given, estimator = "stimulus_neuron_trial"))
}

test_that("sides that are taken as recorded together need labels in common", {
  set.seed(1)
  x <- noisy(12, 4, 3)
  y <- noisy(12, 5, 3)
  named <- responses(x, trial = c("rep1", "rep2", "rep3"))
  expect_refused(quiet(cka(named, responses(y))),
                 c("taken as recorded together", "\"rep1\"", "\"1\"", "`trial`", "`session`"))
  expect_refused(quiet(cka(responses(x, event = c("a", "a", "b")), responses(y))), "`trial`")
  # labels in common, whatever their order; and sessions that say that they were not
  both <- responses(y, trial = c("rep3", "rep1", "rep2"))
  again <- responses(y[, , c(2, 3, 1)], trial = c("rep1", "rep2", "rep3"))
  expect_equal(quiet(hsic(named, both)), quiet(hsic(named, again)))
  apart <- quiet(hsic(responses(x, trial = c("rep1", "rep2", "rep3"), session = rep("p", 4)),
                      responses(y, session = rep("q", 5))))
  expect_equal(apart, hsic(apply(x, 1:2, mean), apply(y, 1:2, mean), estimator = "stimulus"))
})

test_that("runs on one side only are refused, unless the sides were recorded apart", {
  set.seed(2)
  x <- noisy(10, 4, 3)
  y <- noisy(10, 5, 3)
  expect_refused(quiet(cka(responses(x, run = TRUE), responses(y))), c("`x` has runs", "`y`"))
  expect_refused(quiet(cka(responses(x), responses(y, run = TRUE))), c("`y` has runs", "`x`"))
  apart <- quiet(hsic(responses(x, run = TRUE, session = rep("p", 4)),
                      responses(y, session = rep("q", 5))))
  expect_true(is.finite(apart))
})

test_that("sessions of a side with one trial are left out", {
  set.seed(3)
  x <- noisy(12, 4, 1)[, , 1]
  values <- noisy(12, 5, 3)
  y <- responses(values)
  session <- c(1, 1, 2, 2)
  one <- responses(x, session = session)
  self <- hsic(x, x, "linear", "stimulus_neuron", units_x = session, units_y = session)
  cross <- quiet(hsic(x, y, estimator = "stimulus_neuron_trial"))
  expect_equal(quietly(cka(one, y)), cross / sqrt(self * self_term(values)))
  # where both sides declare sessions, those of the same name are left out between them
  sessions <- responses(as.array(y), session = c(1, 1, 2, 3, 3))
  expect_equal(quiet(hsic(one, sessions)),
               hsic(x, as.matrix(y), "linear", "stimulus_neuron", units_x = session,
                    units_y = c(1, 1, 2, 3, 3)))
  expect_refused(quiet(brain_to_model(y, list(a = one), neurons = 5, repeats = 1,
                                      estimator = "stimulus_neuron_trial", conf_level = NULL)),
                 "cannot follow for layers")
  both <- quiet(brain_to_brain(one, y, neurons = 4, repeats = 400, conf_level = NULL,
                               estimator = "stimulus_neuron_trial"))
  expect_true(is.finite(both$pooled))
})

test_that("pairs can be left out only where both sides have sessions", {
  set.seed(4)
  x <- responses(noisy(12, 4, 3), session = c(1, 1, 2, 2))
  y <- responses(noisy(12, 5, 3))
  expect_refused(quiet(cka(x, y, shared_noise = "pairs")), c("`y` declares no sessions"))
})

test_that("missing cells and labels go together in intervals", {
  set.seed(5)
  signal <- matrix(rnorm(40 * 3), 40)
  values <- array(rep(signal %*% matrix(rnorm(12), 3), 3), c(40, 4, 3)) + 0.3 * noise(40, 4, 3)
  values[2, 1, 1] <- NA
  values[5, 3, 2:3] <- NA
  x <- responses(values, neuron = c("a", "a", "b", "c"))
  y <- signal %*% matrix(rnorm(15), 3)
  row <- quietly(cka_interval(x, y, "stimulus_neuron_trial"))
  expect_equal(row$cka, quietly(cka(x, y)))
  expect_true(is.finite(row$se))
  # a neuron without any trial of a stimulus
  values[1, 1, ] <- NA
  row <- quietly(cka_interval(responses(values), y))
  expect_true(is.finite(row$se))
  expect_identical(row$correction, "other")
})

test_that("series = \"linear\" shifts trials with their stimuli", {
  set.seed(6)
  x <- noisy(24, 4, 3)
  y <- noisy(24, 5, 3)
  plain <- noisy(24, 6, 1)[, , 1]
  result <- suppressWarnings(quiet(calibrate(responses(x), list(t = responses(y), m = plain), "cka",
                                             series = "linear")))
  middle <- 7:18
  score <- function(shift) {
    quiet(hsic(responses(x[middle, , ]), responses(y[middle + shift, , ])))
  }
  self <- function(z) sqrt(self_term(z))
  wanted <- vapply(c(-6:-1, 1:6), function(shift) {
    score(shift) / self(x[middle, , ]) / self(y[middle + shift, , ])
  }, 0)
  expect_equal(unname(null_scores(result)[, 1]), wanted)
  expect_equal(result$score[1], score(0) / self(x[middle, , ]) / self(y[middle, , ]))
  expect_gt(stats::sd(null_scores(result)[, 2]), 0)
})

test_that("arithmetic with responses objects is refused", {
  x <- responses(noisy(5, 3, 2))
  for (f in list(function() x * 2, function() sum(x), function() t(x), function() mean(x),
                 function() exp(x), function() rbind(x, x))) {
    expect_refused(f(), "as.array()")
  }
  expect_identical(is.na(x), array(FALSE, c(5, 3, 2)))
})

test_that("a neuron without any response is named", {
  set.seed(65)
  a <- array(rnorm(20 * 6 * 4), c(20, 6, 4), list(NULL, letters[1:6], NULL))
  a[, 2, ] <- NA
  y <- matrix(rnorm(100), 20)
  for (run in list(cka, similarity, calibrate)) {
    expect_refused(run(responses(a), y), c("`x`", "no response at all of neuron 2 \\(\"b\"\\)"))
  }
  expect_no_error(suppressWarnings(cka(responses(a)[, -2, ], y)))
})
