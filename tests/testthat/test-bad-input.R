# Bad input: an error of class repalign_error that names the argument and the place, or
# the documented result. Never a crash, a NaN or a silent misalignment.

good <- function(n = 8, d = 4, seed = 1) {
  set.seed(seed)
  related_pair(n, d, d, d = 1)$x
}

# Every way into the package with one matrix replaced by `bad`; the argument's name.
entries <- function() {
  x <- good()
  list(
    cka_x = list(f = function(bad) cka(bad, x), arg = "`x`"),
    cka_y = list(f = function(bad) cka(x, bad), arg = "`y`"),
    rbf = list(f = function(bad) cka(x, bad, kernel = "rbf"), arg = "`y`"),
    rv = list(f = function(bad) rv(bad, x), arg = "`x`"),
    hsic = list(f = function(bad) hsic(x, bad, estimator = "stimulus"), arg = "`y`"),
    interval = list(f = function(bad) cka_interval(bad, x), arg = "`x`"),
    participation = list(f = function(bad) participation_ratio(bad), arg = "`x`"),
    predicted = list(f = function(bad) predicted_bias(x, bad), arg = "`y`"),
    similarity = list(f = function(bad) similarity(bad, x), arg = "`x`"),
    layer = list(f = function(bad) similarity(list(a = x, conv = bad)), arg = "conv"),
    regions = list(f = function(bad) brain_to_brain(x, bad, neurons = 2, repeats = 2), arg = "`y`"),
    halves = list(f = function(bad) brain_to_brain(bad, neurons = 2, repeats = 2), arg = "`x`"),
    model = list(f = function(bad) brain_to_model(bad, list(l = x), neurons = 2, repeats = 2),
                 arg = "`brain`"),
    model_layer = list(f = function(bad) brain_to_model(x, list(conv = bad), neurons = 2,
                                                        repeats = 2),
                       arg = "conv"),
    objects = list(f = function(bad) object_disentanglement(bad, rep(1:2, 4), neurons = 4,
                                                            repeats = 2),
                   arg = "`responses`"),
    trials = list(f = function(bad) trial_to_trial(list(x, bad), neurons = 2, repeats = 2),
                  arg = "trials\\[\\[2\\]\\]"),
    match_x = list(f = function(bad) match_rows(bad, x), arg = "`x`")
  )
}

broken_by <- function(value, row = 5, column = 3) {
  x <- good()
  x[row, column] <- value
  x
}

test_that("NaN and infinite values are refused with row and column, everywhere", {
  for (name in names(entries())) {
    entry <- entries()[[name]]
    # matched rows may lack values
    for (value in c(if (name != "match_x") NaN, Inf, -Inf)) {
      expect_refused(entry$f(broken_by(value)), c(entry$arg, "row 5", "column 3"))
    }
    frame <- as.data.frame(broken_by(Inf))
    expect_refused(entry$f(frame), c(entry$arg, "row 5", "column 3"))
  }
})

test_that("missing values are refused, but for trials and row matching", {
  allowed <- c("trials", "match_x")
  for (name in setdiff(names(entries()), allowed)) {
    entry <- entries()[[name]]
    expect_refused(entry$f(broken_by(NA)), c(entry$arg, "row 5", "column 3"))
  }
})

test_that("many bad values are counted and the first are placed", {
  x <- good()
  x[c(2, 7), ] <- NA
  expect_refused(cka(x, good()), c("8 missing", "row 2, column 1", "row 7, column 1", "more"))
})

test_that("what is no numeric matrix is refused by name, everywhere", {
  x <- good()
  bad <- list(
    null = NULL, vector = x[, 1], character = matrix(letters[1:32], 8), string = "x",
    list = list(1, 2), array = array(x, c(8, 2, 2)), complex = x + 0i, raw = matrix(raw(32), 8),
    factor = factor(rep(1:2, 4)), "function" = function(x) x, dist = stats::dist(x),
    frame = data.frame(a = 1:8, unit = letters[1:8]),
    dates = data.frame(a = 1:8, day = Sys.Date() + 1:8),
    factors = data.frame(f = factor(1:8), g = 1:8), nested = matrix(list(1), 8, 4)
  )
  for (name in names(entries())) {
    entry <- entries()[[name]]
    for (kind in names(bad)) {
      # a list of matrices, or no y at all, may mean something else; see below
      if (kind %in% c("list", "null") && name %in% c("similarity", "halves", "layer", "regions",
                                                      "predicted")) next
      if (kind == "nested" && name == "layer") next
      # stimuli x neurons x trials
      if (kind == "array" && name == "participation") next
      # distances are all that a Gaussian kernel needs
      if (kind == "dist" && name == "rbf") next
      expect_refused(entry$f(bad[[kind]]), entry$arg)
    }
  }
  expect_refused(cka(bad$frame, x), "unit")
  expect_refused(cka(x, bad$dates), "day")
  expect_refused(cka(x, bad$dist), "dist")
})

test_that("lists where one matrix belongs, and matrices where a list belongs", {
  x <- good()
  l <- list(a = x, b = x + 1)
  for (f in list(cka, rv, hsic, cka_interval)) {
    expect_refused(f(l, x), "`x`")
    expect_refused(f(x, l), "`y`")
  }
  expect_refused(similarity(x), "`y`")
  expect_refused(similarity(NULL, x), "`x`")
  expect_refused(similarity(x, list()), c("`y`", "empty"))
  expect_refused(brain_to_model(x, x), "`layers`")
  expect_refused(brain_to_model(x, NULL), "`layers`")
  expect_refused(brain_to_model(l, l), "`brain`")
  expect_refused(trial_to_trial(x), "`trials`")
  expect_refused(trial_to_trial(NULL), "`trials`")
  expect_refused(trial_to_trial(as.data.frame(x)), "`trials`")
  expect_refused(brain_to_brain(x, l, neurons = 2), "`y`")
  expect_refused(brain_to_brain(l, x, neurons = 2), "`x`")
  expect_refused(brain_to_brain(NULL), "`x`")
  expect_refused(similarity(list(1, 2)), "`x`")
  expect_refused(similarity(list(a = x, b = NULL, c = x)), "b")
  expect_refused(predicted_bias(NULL), "`x`")
  expect_refused(predicted_bias(l), "`x`")
})

test_that("missing arguments are named", {
  x <- good()
  for (f in list(cka, rv, hsic, cka_interval)) {
    expect_refused(f(x), "`y`")
    expect_refused(f(y = x), "`x`")
  }
})

test_that("empty sides are refused", {
  for (name in names(entries())) {
    entry <- entries()[[name]]
    expect_refused(entry$f(matrix(0, 8, 0)), entry$arg)
    expect_refused(entry$f(matrix(0, 0, 4)), entry$arg)
    expect_refused(entry$f(data.frame()), entry$arg)
  }
})

test_that("too few stimuli: 2 for naive, 4 for the corrected, 5 for a jackknife", {
  x <- good()
  y <- good(seed = 2)
  expect_refused(cka(x[1, , drop = FALSE], y[1, , drop = FALSE]), c("1 row", "at least 2"))
  for (e in c("stimulus", "stimulus_neuron")) {
    for (f in list(cka, hsic)) {
      expect_refused(f(x[1:3, ], y[1:3, ], estimator = e), c("3 rows", "at least 4"))
    }
  }
  expect_refused(cka(x[1:3, ], y[1:3, ], kernel = "rbf", estimator = "stimulus"), "at least 4")
  expect_refused(participation_ratio(x[1:3, ]), "at least 4")
  expect_refused(predicted_bias(x[1:3, ]), "at least 4")
  expect_refused(predicted_bias(x[1:3, ], y[1:3, ]), "at least 4")
  expect_refused(cka_interval(x[1:4, ], y[1:4, ]), c("4 rows", "at least 5"))
  four <- list(x[1:4, ], y[1:4, ])
  expect_refused(brain_to_brain(four[[1]], four[[2]], neurons = 2), "at least 5")
  expect_refused(trial_to_trial(four, neurons = 2), "at least 5")
  expect_refused(brain_to_model(four[[1]], list(l = four[[2]]), neurons = 2), "at least 5")
  for (n in 2:3) {
    expect_refused(brain_to_brain(x[1:n, ], y[1:n, ], neurons = 2, conf_level = NULL), "at least 4")
    expect_refused(trial_to_trial(list(x[1:n, ], y[1:n, ]), neurons = 2, conf_level = NULL),
                   "at least 4")
  }
  # and exactly enough is enough
  expect_true(is.finite(brain_to_brain(x[1:4, ], y[1:4, ], neurons = 4,
                                       conf_level = NULL)$pooled[1]))
  expect_true(is.finite(expect_warned(cka(x[1:2, ], y[1:2, ]), "repalign_trivial")))
})

test_that("a constant column is fine, all constant is an error that says so", {
  x <- good()
  x[, 2] <- 4
  expect_true(is.finite(cka(x, good())))
  for (name in setdiff(names(entries()), c("match_x", "objects"))) {
    entry <- entries()[[name]]
    flat <- matrix(rep(c(1, 0.1, -3, 7), each = 8), 8)
    expect_refused(entry$f(flat), c(entry$arg, "variance"))
    expect_true(inherits(suppressWarnings(entry$f(x)), c("numeric", "data.frame")), label = name)
  }
  # objects: images are columns, so a flat image does not vary over neurons
  flat <- matrix(1:8, 8, 4)
  expect_refused(object_disentanglement(flat, rep(1:2, 4), neurons = 4),
                 c("`responses`", "variance"))
  # constant means of odd decimals are constant, too
  expect_refused(cka(matrix(0.1, 7, 3), good(7)), "variance")
  expect_refused(cka(matrix(1 / 3, 1000, 2), matrix(1, 1000, 2)), "variance")
})

test_that("identical rows leave the median bandwidth without a value", {
  x <- matrix(0, 10, 2)
  x[1, ] <- 1
  expect_refused(cka(x, good(10), kernel = "rbf"), c("`x`", "median", "`sigma`"))
  expect_true(is.finite(cka(x, good(10), kernel = "rbf", sigma = 1)))
})

test_that("unequal numbers of rows are refused with both numbers", {
  for (name in names(entries())) {
    if (name %in% c("participation", "halves", "objects", "match_x")) next
    expect_refused(entries()[[name]]$f(good()[-1, ]), c("8", "7"))
  }
  l <- list(a = good(), b = good(), late = good(9))
  expect_refused(similarity(l), c("late", "9"))
  expect_refused(similarity(l[1:2], l["late"]), c("late", "9"))
  # wrong input is no failing score
  expect_refused(similarity(l, on_error = "na"), c("late", "9"))
})

named <- function(x, names = paste0("s", seq_len(nrow(x)))) {
  rownames(x) <- names
  x
}

test_that("row names of other stimuli are found in every comparison", {
  x <- named(good())
  other <- named(good(), paste0("s", c(1:7, 9)))
  runs <- list(
    function(y) cka(x, y), function(y) cka(x, y, kernel = "rbf"), function(y) rv(x, y),
    function(y) hsic(x, y), function(y) cka_interval(x, y), function(y) predicted_bias(x, y),
    function(y) similarity(x, y), function(y) similarity(list(a = x, b = y)),
    function(y) similarity(list(m = list(a = x), k = list(b = y))),
    function(y) brain_to_brain(x, y, neurons = 2, repeats = 2),
    function(y) brain_to_brain(list(a = x, b = y), neurons = 2, repeats = 2),
    function(y) brain_to_model(x, list(l = y), neurons = 2, repeats = 2),
    function(y) trial_to_trial(list(x, y), neurons = 2, repeats = 2)
  )
  for (run in runs) {
    expect_refused(run(other), c("\"s9\" is in `.*` alone", "match_rows"))
    expect_refused(run(as.data.frame(other)), "\"s9\" is in")
    # equal names, or names on one side only, are fine
    for (y in list(named(good(seed = 2)), good(seed = 2), as.data.frame(good(seed = 2)))) {
      expect_true(!is.null(suppressWarnings(run(y))))
    }
  }
  # the third element disagrees, though the first has no names
  l <- list(a = good(), b = named(good()), c = other)
  expect_refused(similarity(l), c("b", "c"))
  expect_refused(similarity(l, on_error = "na"), c("b", "c"))
  expect_refused(brain_to_brain(l, neurons = 2, repeats = 2), c("b", "c"))
  expect_refused(trial_to_trial(unname(l), neurons = 2, repeats = 2), "\"s9\" is in")
  # automatic row names of data frames do not count
  expect_true(is.finite(cka(as.data.frame(good()), x)))
})

test_that("shared neurons need the same columns, and no labels beside", {
  x <- good()
  for (f in list(cka, hsic)) {
    expect_refused(f(x, x[, 1:3], estimator = "stimulus_neuron", shared_neurons = TRUE),
                   c("shared_neurons", "4 columns", "3"))
    expect_refused(f(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE, units_x = 1:4,
                     units_y = 1:4), c("shared_neurons", "units_x"))
    expect_refused(f(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE, units_y = 1:4),
                   "shared_neurons")
    # also where the estimator has no use for it
    expect_refused(f(x, x[, 1:3], shared_neurons = TRUE), "shared_neurons")
  }
  expect_refused(cka_interval(x, x[, 1:3], shared_neurons = TRUE), "shared_neurons")
  expect_refused(cka_interval(x, x, shared_neurons = TRUE, units_x = 1:4, units_y = 1:4), "units_x")
})

test_that("labels: one a column, none missing, for both sides", {
  x <- good()
  for (f in list(function(...) cka(x, x, estimator = "stimulus_neuron", ...),
                 function(...) hsic(x, x, estimator = "stimulus_neuron", ...),
                 function(...) cka_interval(x, x, ...),
                 function(...) brain_to_brain(x, x, neurons = 2, repeats = 2, ...))) {
    expect_refused(f(units_x = 1:3, units_y = 1:4), c("units_x", "3 labels", "4 columns"))
    expect_refused(f(units_x = 1:4, units_y = 1:5), c("units_y", "5 labels", "4 columns"))
    expect_refused(f(units_x = c(1, NA, 3, 4), units_y = 1:4), c("units_x", "position 2"))
    expect_refused(f(units_x = 1:4, units_y = c("a", "b", "c", NA)), c("units_y", "position 4"))
    expect_refused(f(units_x = factor(c("a", NA, "b", "c")), units_y = 1:4),
                   c("units_x", "position 2"))
    expect_refused(f(units_x = 1:4), "units_y")
    expect_refused(f(units_y = 1:4), "units_x")
    expect_refused(f(units_x = list(1, 2, 3, 4), units_y = 1:4), "units_x")
    expect_refused(f(units_x = character(), units_y = 1:4), "units_x")
  }
  expect_refused(brain_to_brain(x, neurons = 2, units_x = 1:3), c("units_x", "3 labels"))
  expect_refused(brain_to_brain(x, neurons = 2, units_y = 1:4), "units_y")
  expect_refused(brain_to_brain(x, neurons = 2, split = 1:3), c("split", "3 labels"))
  expect_refused(brain_to_brain(x, neurons = 2, split = rep(1, 4)), "split")
  expect_refused(brain_to_brain(x, neurons = 2, split = c(1, 1, NA, 2)), c("split", "position 3"))
  expect_refused(brain_to_brain(x, x, neurons = 2, split = c(1, 1, 2, 2)), "split")
  expect_refused(brain_to_brain(list(a = x, b = x), neurons = 2, split = c(1, 1, 2, 2)), "split")
  expect_refused(trial_to_trial(list(x, x), neurons = 2, units = 1:3), c("units", "3 labels"))
  expect_refused(brain_to_model(x, list(l = x), neurons = 2, units = 1:3), c("units", "3 labels"))
  expect_refused(object_disentanglement(x, 1:3), c("object", "3 labels", "8 rows"))
  expect_refused(object_disentanglement(x, rep(1, 8)), c("object", "single"))
  expect_refused(object_disentanglement(x, c(1, 1, 1, 1, 2, 2, 2, NA)), c("object", "position 8"))
  expect_refused(object_disentanglement(x, c(1, 1, 1, 1, 1, 1, 1, 2)), "object")
  expect_refused(object_disentanglement(x, NULL), "object")
  expect_refused(object_disentanglement(x, list(1, 2)), "object")
})

test_that("no allowed pair is an error, in numerator or denominators", {
  x <- good()
  corrected <- function(f, ...) f(x, x, estimator = "stimulus_neuron", ...)
  for (f in list(cka, hsic)) {
    expect_refused(corrected(f, units_x = rep(1, 4), units_y = rep(1, 4)), "No neuron pair")
  }
  # only the self term of y has none
  expect_refused(corrected(cka, units_x = 1:4, units_y = rep(9, 4)), c("No neuron pair", "`y`"))
  expect_refused(cka_interval(x, x, units_x = rep(1, 4), units_y = rep(1, 4)), "No neuron pair")
  expect_refused(cka_interval(x, x, units_x = rep(1, 4), units_y = 1:4), "No neuron pair")
  expect_refused(trial_to_trial(list(x, x + 1), neurons = 4, units = rep(1, 4)),
                 c("units", "No neuron pair"))
  expect_refused(brain_to_model(x, list(l = x), neurons = 4, units = rep(1, 4)), "No neuron pair")
  # the stimulus-corrected value has no need of one
  expect_true(is.finite(cka(x, x, estimator = "stimulus", units_x = rep(1, 4),
                            units_y = rep(1, 4))))
})

test_that("no neuron pair allowed in a region or its halves is an error, not a column of NA", {
  x <- good()
  expect_refused(brain_to_brain(x, x, neurons = 4, units_x = rep(1, 4), units_y = rep(1, 4)),
                 "No neuron pair")
  # the self term of x has none, whatever the labels of y
  expect_refused(brain_to_brain(x, x, neurons = 4, units_x = rep(1, 4), units_y = 2:5),
                 "No neuron pair")
  expect_refused(brain_to_brain(x, neurons = 2, units_x = rep(1, 4)), "No neuron pair")
})

test_that("a region of a single neuron has no neuron correction", {
  x <- good()
  expect_refused(brain_to_brain(x[, 1, drop = FALSE], x, neurons = 1), c("`x`", "single neuron"))
  expect_refused(brain_to_brain(x, x[, 1, drop = FALSE], neurons = 1), c("`y`", "single neuron"))
})

test_that("a single neuron has no neuron correction", {
  x <- good()
  one <- x[, 1, drop = FALSE]
  expect_refused(cka(one, x, estimator = "stimulus_neuron"), c("`x`", "single neuron"))
  expect_refused(cka(x, one, estimator = "stimulus_neuron"), c("`y`", "single neuron"))
  expect_refused(hsic(one, one, estimator = "stimulus_neuron", shared_neurons = TRUE), "`x`")
  expect_refused(cka_interval(x, one, "stimulus_neuron"), c("`y`", "single neuron"))
  expect_refused(brain_to_model(x, list(l = one), neurons = 2), c("l", "single"))
  expect_refused(brain_to_brain(one), c("`x`", "single neuron"))
  expect_refused(predicted_bias(one), c("`x`", "single neuron"))
  expect_true(is.finite(cka(one, x, estimator = "stimulus")))
  # without its only neuron there is nothing left: an estimate, but no standard error
  result <- suppressWarnings(cka_interval(x, one, c("naive", "stimulus")))
  expect_equal(result$cka, c(cka(x, one), cka(x, one, estimator = "stimulus")), tolerance = 1e-10)
})

test_that("kernels without a neuron correction say so", {
  x <- good()
  for (f in list(cka, hsic)) {
    expect_refused(f(x, x, kernel = "rbf", estimator = "stimulus_neuron"), c("linear", "rbf"))
  }
  expect_refused(measure("cka", kernel = "rbf", estimator = "stimulus_neuron"), "linear")
})

test_that("choices, numbers and flags are checked by name", {
  x <- good()
  expect_refused(cka(x, x, estimator = "stimulus_neurons"), c("estimator", "\"stimulus_neuron\""))
  expect_refused(cka(x, x, estimator = c("naive", "stimulus")), "estimator")
  expect_refused(cka(x, x, estimator = NA), "estimator")
  expect_refused(cka(x, x, estimator = NULL), "estimator")
  expect_refused(cka(x, x, estimator = 1), "estimator")
  expect_refused(cka(x, x, kernel = "linaer"), c("kernel", "\"linear\""))
  expect_refused(cka(x, x, kernel = "RBF"), c("kernel", "\"rbf\""))
  expect_refused(cka_interval(x, x, estimator = "nave"), c("estimator", "\"naive\""))
  expect_refused(cka_interval(x, x, estimator = character()), "estimator")
  expect_refused(brain_to_brain(x, estimator = "Stimulus"), c("estimator", "\"stimulus\""))
  expect_refused(predicted_bias(x, estimator = "naives"), c("estimator", "\"naive\""))
  expect_refused(predicted_bias(x, assume = "normal"), c("assume", "\"normalized\""))
  expect_refused(linear_population(5, 2, 2, spectrum = "powr"), c("spectrum", "\"power\""))
  for (bad in list("yes", NA, NULL, c(TRUE, FALSE), 1)) {
    expect_refused(cka(x, x, shared_neurons = bad), "shared_neurons")
    expect_refused(similarity(x, x, diagonal = bad), "diagonal")
    expect_refused(linear_population(5, 2, 2, reverse = bad), "reverse")
  }
  for (bad in list(0, -1, NA, Inf, "1", c(1, 2), NaN)) {
    expect_refused(cka(x, x, kernel = "rbf", sigma = bad), "sigma")
    expect_refused(cka(x, x, kernel = "rbf", bandwidth = bad), "bandwidth")
  }
  for (bad in list(2, 0, 1, -0.5, NA, "0.95", c(0.9, 0.95), NaN)) {
    expect_refused(cka_interval(x, x, conf_level = bad), "conf_level")
    expect_refused(brain_to_brain(x, conf_level = bad), "conf_level")
    expect_refused(trial_to_trial(list(x, x), conf_level = bad), "conf_level")
    expect_refused(brain_to_model(x, list(l = x), conf_level = bad), "conf_level")
    expect_refused(object_disentanglement(x, rep(1:2, 4), conf_level = bad), "conf_level")
  }
  for (bad in list(0, -3, 2.5, NA, Inf, "10", c(10, 20), NULL)) {
    expect_refused(brain_to_brain(x, repeats = bad), "repeats")
    expect_refused(trial_to_trial(list(x, x), repeats = bad), "repeats")
    expect_refused(brain_to_model(x, list(l = x), repeats = bad), "repeats")
    expect_refused(object_disentanglement(x, rep(1:2, 4), repeats = bad), "repeats")
    expect_refused(linear_population(bad, 2, 2), "`n`")
    expect_refused(linear_population(5, 2, bad), "`d`")
  }
  expect_refused(linear_population(5, c(1, 2, 3), 2), "`q`")
  expect_refused(linear_population(5, 0, 2), "`q`")
  expect_refused(linear_population(5, 2, 2, spectrum = "power", power = NA), "`power`")
  expect_refused(brain_to_brain(x, normalize = "zscore"), "normalize")
  for (bad in list(0, -1, 1.5, "two", NA)) expect_refused(similarity(x, x, threads = bad),
                                                          "threads")
  expect_refused(similarity(x, x, on_error = "stopp"), c("on_error", "\"stop\""))
})

test_that("numbers of neurons are different whole numbers within what there is", {
  x <- good()
  runs <- list(
    function(k) brain_to_brain(x, x, neurons = k, repeats = 2),
    function(k) brain_to_brain(x, split = c(1, 1, 2, 2), neurons = k, repeats = 2),
    function(k) trial_to_trial(list(x, x + 1), neurons = k, repeats = 2),
    function(k) brain_to_model(x, list(l = x), neurons = k, repeats = 2),
    function(k) object_disentanglement(cbind(x, x), rep(1:2, 4), neurons = k, repeats = 2)
  )
  for (run in runs) {
    for (bad in list(0, -2, 2.5, NA, Inf, "3", c(2, 2), numeric(), NaN, list(2), 1e10, 9)) {
      expect_refused(run(bad), "neurons")
    }
  }
  expect_refused(brain_to_brain(x, neurons = 3), c("neurons", "3", "at most 2"))
  expect_refused(brain_to_brain(x, x[, 1:3], neurons = 4), c("neurons", "4", "at most 3"))
  expect_refused(object_disentanglement(x, rep(1:2, 4), neurons = 3), "neurons")
  expect_refused(object_disentanglement(x[, 1:3], rep(1:2, 4)), "responses")
})

test_that("lists: named, differently, and not empty", {
  x <- good()
  expect_refused(similarity(list(x, x)), c("`x`", "element 1", "names"))
  expect_refused(similarity(list(a = x, x)), c("`x`", "element 2"))
  expect_refused(similarity(list(a = x, a = x)), c("`x`", "\"a\""))
  expect_refused(similarity(list()), c("`x`", "empty"))
  expect_refused(similarity(x, list(x)), c("`y`", "element 1"))
  expect_refused(similarity(list(a = x)), c("`x`", "one element"))
  expect_refused(similarity(stats::setNames(list(x, x), c("a", NA))), c("`x`", "element 2"))
  expect_refused(similarity(list(m = list(x), k = list(a = x))), c("m", "element 1"))
  expect_refused(similarity(list(m = list(), k = list(a = x))), c("m", "empty"))
  expect_refused(similarity(list(m = list(a = x, a = x), k = list(a = x))), c("m", "\"a\""))
  expect_refused(similarity(list(m = list(a = x), k = x)), c("`x`", "k"))
  expect_refused(similarity(list(m = list(a = x, b = x))), c("`x`", "one model"))
  expect_refused(similarity(list(m = list(a = list(x)))), "m")
  expect_refused(brain_to_brain(list(a = x)), "one element")
  expect_refused(brain_to_brain(list(x, x)), "element 1")
  expect_refused(brain_to_brain(list()), "empty")
  expect_refused(brain_to_model(x, list(x)), c("layers", "element 1"))
  expect_refused(brain_to_model(x, list()), c("layers", "empty"))
  expect_refused(brain_to_model(x, list(a = x, a = x)), "\"a\"")
  expect_refused(trial_to_trial(list()), "trials")
  expect_refused(trial_to_trial(list(x)), c("trials", "at least two"))
  expect_refused(trial_to_trial(array(x, c(8, 4, 1))), c("trials", "at least two"))
  expect_refused(trial_to_trial(list(x, x[, 1:3])), c("4 columns", "3"))
  expect_refused(trial_to_trial(array(1, c(2, 2, 2, 2))), "trials")
  expect_refused(trial_to_trial(array("a", c(8, 4, 2))), "trials")
  swapped <- list(x, x)
  colnames(swapped[[1]]) <- c("n1", "n2", "n3", "n4")
  colnames(swapped[[2]]) <- c("n1", "n2", "n4", "n3")
  expect_refused(trial_to_trial(swapped), "column names")
  expect_refused(trial_to_trial(c(list(x), swapped)), "column names")
})

test_that("trials without any neuron in common, or without responses, are errors", {
  x <- good()
  a <- b <- x
  a[, 1:2] <- NA
  b[, 3:4] <- NA
  result <- tryCatch(suppressMessages(suppressWarnings(trial_to_trial(list(a, b), neurons = 4))),
                     repalign_error = function(e) NULL)
  # an error, or a row without a value: never a number, never NaN
  if (!is.null(result)) {
    expect_true(all(is.na(result$pooled)))
    expect_false(any(is.nan(result$pooled)) || any(is.nan(result$mean)))
    expect_identical(result$undefined, result$n_estimates)
  }
  silent <- x
  silent[] <- NA
  expect_refused(trial_to_trial(list(x, silent)), "trials\\[\\[2\\]\\]")
  expect_refused(trial_to_trial(list(x, matrix(NA, 8, 4))), "trials\\[\\[2\\]\\]")
})

test_that("unknown measures and parameters: the nearest name is offered", {
  x <- good()
  expect_refused(similarity(x, x, "ckaa"), c("ckaa", "\"cka\""))
  expect_refused(measure("rvv"), "\"rv\"")
  expect_refused(measure("CKA"), "\"cka\"")
  expect_refused(measure("cka", estimater = "naive"), c("estimater", "\"estimator\""))
  expect_refused(measure("cka", "naive"), "named")
  expect_refused(measure("rv", kernel = "rbf"), "kernel")
  expect_refused(measure("cka", estimator = "stimulos"), "\"stimulus\"")
  for (bad in list(NULL, 1, NA, NA_character_, character(), list(), TRUE, list(1), list(NULL), mean,
                   list(mean), c("cka", NA), "", list("cka", 3))) {
    expect_refused(similarity(x, x, bad), "measure")
  }
  expect_refused(measure(NULL), "measure|id")
  expect_refused(measure(c("cka", "rv")), "one id")
})

test_that("new_measure checks what it is given", {
  expect_refused(new_measure("cor"), "fun")
  expect_refused(new_measure(function(x, y) 1, direction = "closeness"), "direction")
  expect_refused(new_measure(function(x, y) 1, best = "one"), "best")
  expect_refused(new_measure(function(x, y) 1, best = c(0, 1)), "best")
  expect_refused(new_measure(function(x, y) 1, symmetric = NA), "symmetric")
  expect_refused(new_measure(function(x, y) 1, label = ""), "label")
  expect_refused(new_measure(function(x, y) 1, label = c("a", "b")), "label")
})

test_that("ratio_bias needs three columns and positive mean denominators", {
  h <- cbind(1:3, 2:4, 3:5)
  expect_refused(ratio_bias(h[, 1:2]), "three")
  expect_refused(ratio_bias(h[1, , drop = FALSE]), "at least 2")
  expect_refused(ratio_bias(1:3), "`h`")
  expect_refused(ratio_bias(rbind(h, c(1, NA, 1))), c("row 4", "column 2"))
  expect_refused(ratio_bias(cbind(1:3, -(1:3), 1)), "positive")
  expect_refused(ratio_bias(cbind(1:3, 1, 0)), "positive")
})

test_that("sizes beyond BLAS integers are refused before anything is made", {
  # fake dimensions: such a matrix cannot be made here
  expect_refused(check_size(2^31, 10, "x"), c("`x`", "2147483648"))
  expect_refused(check_size(10, 2^31, "layers$conv"), "layers\\$conv")
  expect_refused(check_size(2^40, 2^40, "x"), "`x`")
  # more than 2^31 entries are no obstacle while each side fits
  expect_null(check_size(2^31 - 1, 5, "x"))
  expect_null(check_size(5e4, 5e4, "x"))
})

test_that("what would need more memory than is allowed says how much, and what needs less", {
  withr::local_options(repalign.max_memory = 1e4)
  set.seed(1)
  x <- normal_matrix(50, 60)
  runs <- list(
    quote(cka(x, x)), quote(cka(x, x, kernel = "rbf")), quote(cka_interval(x, x)),
    quote(brain_to_brain(x, neurons = 4)), quote(brain_to_brain(x, x, neurons = 4)),
    quote(trial_to_trial(list(x, x), neurons = 4)),
    quote(brain_to_model(x, list(l = x), neurons = 4)),
    quote(linear_population(100, 100, 100)), quote(similarity(list(a = x, b = x))),
    quote(object_disentanglement(x, rep(1:2, 25), neurons = 40))
  )
  for (run in runs) {
    error <- tryCatch(eval(run), error = identity)
    expect(inherits(error, "repalign_error_memory"), paste(deparse(run)[1], "ran beyond the limit"))
    if (inherits(error, "error")) expect_match(conditionMessage(error),
                                               "would take about.*max_memory")
  }
  # small work still runs
  expect_true(is.finite(cka(x[, 1:3], x[, 1:4])))
  withr::local_options(repalign.max_memory = "lots")
  expect_refused(cka(x, x), "max_memory")
})

test_that("memory is judged from sizes, before anything is prepared", {
  withr::local_options(repalign.max_memory = 1e6)
  set.seed(1)
  x <- normal_matrix(600, 5)
  runs <- list(quote(rsa(x, x)), quote(hsic(x, x, kernel = "rbf")),
               quote(similarity(list(a = x, b = x), measure = c("magnitude_difference", "rsa"))),
               quote(calibrate(x, x, "linear_regression", permutations = 19)))
  for (run in runs) {
    made <- count_calls("new_form", error <- tryCatch(eval(run), error = identity))
    expect_s3_class(error, "repalign_error_memory")
    expect_identical(made, 0L)
  }
  # what stays is counted once where measures share it
  packed <- 600 * 599 / 2
  together <- set_needs(list(measure("rsm_difference"), measure("distance_correlation")), 600, 5, 5)
  expect_gt(together, 2 * packed)
  expect_lt(together, 6.2 * packed)
  # given distances are there already
  expect_lt(set_needs(list(measure("rsm_difference")), 600, 0, 0), 10)
})

test_that("values whose differences overflow are refused", {
  x <- good()
  x[, 2] <- c(1.7e308, rep(-1.7e308, 7))
  expect_refused(cka(x, good()), c("`x`", "large"))
  expect_refused(cka(good(), x), c("`y`", "large"))
  expect_refused(cka_interval(x, good()), c("`x`", "large"))
  expect_refused(brain_to_brain(x, good(), neurons = 2), "`x`")
  # large values whose differences do not are fine
  x[, 2] <- c(1.7e308, -1.7e308, rep(0, 6))
  expect_true(is.finite(cka(x, good())))
})

test_that("H values beyond the range of doubles are an error, never NaN or Inf", {
  x <- good()
  y <- good(seed = 2)
  expect_refused(hsic(x * 1e300, y * 1e300), "large")
  expect_equal(cka(x * 1e300, y), cka(x, y), tolerance = 1e-12)
  expect_equal(cka(x * 1e-300, y), cka(x, y), tolerance = 1e-10)
  expect_equal(unlist(participation_ratio(x * 1e300)), unlist(participation_ratio(x)),
               tolerance = 1e-10)
  for (units in list(c(1e200, 1e200), c(1e300, 1e-300), c(1e100, 1e-200))) {
    interval <- tryCatch(suppressWarnings(cka_interval(x * units[1], y * units[2])),
                         repalign_error = function(e) NULL)
    values <- unlist(interval[-1])
    expect_false(any(is.nan(values)) || any(is.infinite(values)), label = paste("units", units[1]))
  }
})

test_that("units that cancel in the H value do not hide it", {
  x <- good()
  y <- good(seed = 2)
  for (e in all_estimators) {
    expect_equal(hsic(x * 1e200, y * 1e-200, estimator = e), hsic(x, y, estimator = e),
                 tolerance = 1e-10)
  }
})

test_that("integer and logical matrices are fine", {
  counts <- round(10 * good())
  whole <- counts
  storage.mode(whole) <- "integer"
  expect_identical(cka(whole, counts), cka(counts, counts))
  expect_identical(few_is_fine(cka_interval(whole, whole)),
                   few_is_fine(cka_interval(counts, counts)))
  flags <- counts > 0
  expect_identical(cka(flags, counts), cka(flags + 0, counts))
  missing <- whole
  missing[2, 3] <- NA
  expect_refused(cka(missing, counts), c("row 2", "column 3"))
  flags[4, 1] <- NA
  expect_refused(cka(flags, counts), c("row 4", "column 1"))
})

test_that("matrices with classes and attributes are matrices", {
  x <- good()
  expect_identical(cka(structure(x, note = "n"), scale(x)), cka(x, scale(x)[, ]))
  table <- as.table(round(10 * x))
  expect_identical(cka(table, x), cka(unclass(table), x))
})

test_that("errors carry class, argument and no call of internals", {
  error <- expect_refused(cka(broken_by(NA), good()), "`x`")
  expect_s3_class(error, c("repalign_error", "error", "condition"), exact = FALSE)
  expect_null(conditionCall(error))
  expect_identical(error$arg, "x")
})

test_that("a function in the place of a choice is refused as such", {
  rdm <- stats::dist(matrix(c(1, 3, 4, 8, 2), 5))
  model <- rdm_model(list(a = rdm, b = rdm^2), "weighted")
  calls <- list(
    function() pool_rdms(list(a = rdm), "pearson", na = mean),
    function() fit_rdm_model(model, list(a = rdm), "pearson", na = mean),
    function() evaluate_rdms(list(a = rdm), list(m = rdm), "pearson", na = mean),
    function() rsa_regression(rdm ~ dist(5:1), na = mean),
    function() rdm_rows(rdm, rdm, na = mean)
  )
  for (call in calls) {
    error <- expect_refused(call(), "`na` must be one of \"error\" and \"pairwise\"")
    expect_s3_class(error, "repalign_error_choice")
  }
})
