# Estimates from trials against values computed elsewhere (reference/responses).

responses_table <- function(name) {
  utils::read.csv(shared_file("reference", "responses", name))
}

reference_array <- function(name, larger = FALSE) {
  data <- responses_table(if (larger) "larger_inputs_public.csv" else "inputs_public.csv")
  data <- data[data$array == name, ]
  values <- array(NA_real_, c(max(data$stimulus), max(data$neuron), max(data$trial)))
  values[cbind(data$stimulus, data$neuron, data$trial)] <- data$value
  values
}

reference_labels <- function(what) {
  labels <- responses_table("labels.csv")
  labels$label[labels$what == what]
}

expect_value <- function(value, quantity, args, larger = FALSE) {
  table <- responses_table(if (larger) "larger_values_public.csv" else "values_public.csv")
  row <- table[table$quantity == quantity & table$args == args, ]
  expected <- as.numeric(row$value)
  label <- paste(quantity, args)
  if (is.na(expected)) return(expect_true(is.na(value), label = label))
  expect_relative(value, expected, row$tolerance, label)
}

quietly <- function(code) suppressWarnings(suppressMessages(code))

# H of a side with itself, and of two; each neuron has a name of its own within a side.
self_h <- function(values, ...) {
  x <- responses(values, neuron = paste("x", seq_len(dim(values)[2])), ...)
  quietly(hsic(x, x))
}

cross_h <- function(x, y, ...) quietly(hsic(responses(x, ...), responses(y, ...)))

apart <- function(x, y, f = hsic) {
  quietly(f(responses(x, session = rep("one", dim(x)[2])),
            responses(y, session = rep("other", dim(y)[2]))))
}

test_that("H values within a side", {
  x <- reference_array("x")
  y <- reference_array("y")
  bare <- responses(x)
  expect_value(quietly(hsic(bare, bare, estimator = "stimulus_trial")), "h_xx", "stimulus_trial")
  expect_value(self_h(x), "h_xx", "stimulus_neuron_trial")
  expect_value(self_h(y), "h_yy", "stimulus_neuron_trial")
  expect_value(self_h(x, session = reference_labels("session_x")), "h_xx", "sessions")
  expect_value(self_h(reference_array("x_missing")), "h_xx", "missing")
  expect_value(self_h(reference_array("y_missing")), "h_yy", "missing")
  expect_value(self_h(x, cluster = reference_labels("cluster")), "h_xx", "clusters")
  expect_value(self_h(x, run = TRUE), "h_xx", "runs")
  pairs <- which(outer(1:4, 1:4, "!="), arr.ind = TRUE)
  of_pairs <- apply(pairs, 1, function(p) {
    hsic(x[, , p[1]], x[, , p[2]], estimator = "stimulus_neuron", shared_neurons = TRUE)
  })
  expect_value(mean(of_pairs), "h_xx", "pairs of runs")
  two <- responses(x[, 1:2, ], neuron = 1:2)
  expect_value(quietly(hsic(two, two)), "h_12", "x, neurons 1 and 2")
  expect_value(self_h(x[-3, , ]), "h_xx_without_stimulus_3", "stimulus_neuron_trial")
  wide <- reference_array("x_unequal", TRUE)
  expect_value(self_h(wide), "h_xx", "unequal trials", TRUE)
  expect_value(self_h(wide, session = rep(1:3, each = 4)), "h_xx", "sessions, unequal trials",
               TRUE)
  expect_value(self_h(reference_array("x_one", TRUE)), "h_xx", "stimuli with one trial left out",
               TRUE)
  expect_value(self_h(reference_array("x", TRUE), run = TRUE), "h_xx", "runs", TRUE)
})

test_that("H values between sides", {
  x <- reference_array("x")
  y <- reference_array("y")
  lacking <- list(x = reference_array("x_missing"), y = reference_array("y_missing"))
  expect_value(cross_h(x, y), "h_xy", "simultaneous")
  expect_value(apart(x, y), "h_xy", "separate")
  one <- responses(x[, 1, , drop = FALSE])
  other <- responses(y[, 2, , drop = FALSE])
  expect_value(quietly(hsic(one, other)), "h_12", "x neuron 1, y neuron 2, simultaneous")
  sessions <- quietly(hsic(responses(x, session = reference_labels("session_x")),
                           responses(y, session = reference_labels("session_y"))))
  expect_value(sessions, "h_xy", "sessions, simultaneous")
  expect_value(cross_h(lacking$x, lacking$y), "h_xy", "missing, simultaneous")
  expect_value(apart(lacking$x, lacking$y), "h_xy", "missing, separate")
  cluster <- reference_labels("cluster")
  expect_value(cross_h(x, y, cluster = cluster), "h_xy", "clusters, simultaneous")
  expect_value(cross_h(lacking$x, lacking$y, cluster = cluster), "h_xy",
               "clusters, missing, simultaneous")
  left <- cluster != 1
  expect_value(cross_h(x[left, , ], y[left, , ], cluster = cluster[left]),
               "h_xy_without_cluster_1", "simultaneous")
  expect_value(cross_h(x, y, run = TRUE), "h_xy", "runs, simultaneous")
  y <- reference_array("y", TRUE)
  expect_value(cross_h(reference_array("x_unequal", TRUE), y), "h_xy",
               "unequal trials, simultaneous", TRUE)
  expect_value(cross_h(reference_array("x_one", TRUE), y), "h_xy", "one trial, simultaneous", TRUE)
})

test_that("deletions within the estimates are those values, too", {
  x <- responses(reference_array("x"))
  y <- responses(reference_array("y"))
  cluster <- reference_labels("cluster")
  of <- function(x, y, codes) {
    sides <- lapply(list(x, y), repalign:::representation, "x")
    if (identical(x, y)) sides[[2]] <- sides[[1]]
    sample <- repalign:::trial_sample(sides[[1]], sides[[2]], codes = codes)
    list(sample = sample, factor = 2^(-2 * sum(sample$scale)))
  }
  own <- of(x, x, NULL)
  w <- (1 - diag(6)) / 30
  expect_value(repalign:::trial_weighted(own$sample, w)[4] * own$factor,
               "h_xx_without_stimulus_3", "stimulus_neuron_trial")
  both <- of(x, y, cluster)
  expect_value(repalign:::trial_weighted(both$sample)[2] * both$factor / 30,
               "h_xy_without_cluster_1", "simultaneous")
})

test_that("CKA", {
  x <- reference_array("x")
  y <- reference_array("y")
  expect_value(quietly(cka(responses(x), responses(y))), "cka", "simultaneous")
  expect_value(apart(x, y, cka), "cka", "separate")
  sessions <- quietly(cka(responses(x, session = reference_labels("session_x")),
                          responses(y, session = reference_labels("session_y"))))
  expect_value(sessions, "cka", "sessions, simultaneous")
  x <- reference_array("x", TRUE)
  y <- reference_array("y", TRUE)
  expect_value(quietly(cka(responses(x), responses(y))), "cka", "simultaneous", TRUE)
  expect_value(apart(x, y, cka), "cka", "separate", TRUE)
})

test_that("Gaussian kernels", {
  x <- responses(reference_array("x"))
  y <- responses(reference_array("y"))
  expect_value(quietly(hsic(x, y, kernel = "rbf", sigma = 3)), "h_xy_rbf",
               "sigma 3, simultaneous")
  expect_value(quietly(hsic(x, x, kernel = "rbf", sigma = 3)), "h_xx_rbf", "sigma 3")
})

test_that("intervals", {
  x <- reference_array("x", TRUE)
  y <- reference_array("y", TRUE)
  cases <- list(simultaneous = quietly(cka_interval(responses(x), responses(y))),
                separate = apart(x, y, cka_interval))
  for (name in names(cases)) {
    row <- cases[[name]]
    expect_identical(row$estimator, "stimulus_neuron_trial")
    expect_value(row$cka, "interval_estimate", name, TRUE)
    expect_value(row$se, "interval_se", name, TRUE)
    expect_value(row$df, "interval_df", name, TRUE)
    half <- qt(0.975, row$df) * row$se
    expect_equal(c(row$conf_low, row$conf_high), row$cka + c(-half, half))
  }
  small <- quietly(cka_interval(responses(reference_array("x")), responses(reference_array("y"))))
  expect_value(small$cka, "interval_estimate", "simultaneous")
  expect_value(small$se, "interval_se", "simultaneous")
  expect_value(small$df, "interval_df", "simultaneous")
})

test_that("the parts of the variance", {
  sides <- lapply(c(x = "x", y = "y"), function(name) {
    repalign:::representation(responses(reference_array(name, TRUE)), name)
  })
  pair <- repalign:::as_pair(sides$x, sides$y)
  args <- repalign:::with_estimator(list(shared_neurons = FALSE), "stimulus_neuron_trial")
  layout <- repalign:::unit_layout(pair, args)
  loo <- repalign:::trial_sums(pair, layout, NULL)
  h <- lapply(loo[c("xy", "xx", "yy")], repalign:::h_table, estimator = "stimulus_neuron_trial")
  theta <- h$xy / sqrt(h$xx * h$yy)
  parts <- repalign:::two_way_products(theta, theta, loo)
  for (i in 1:3) expect_value(parts$main[i], paste0("interval_", c("s", "x", "y")[i]),
                              "simultaneous", TRUE)
  for (i in 1:2) expect_value(parts$interactions[i], paste0("interval_", c("sx", "sy")[i]),
                              "simultaneous", TRUE)
})

test_that("participation ratios", {
  x <- reference_array("x")
  of <- function(...) participation_ratio(...)$stimulus_neuron
  expect_value(of(responses(x)), "participation_ratio", "trials")
  expect_value(of(responses(x), units = reference_labels("group_x")), "participation_ratio",
               "trials, groups")
  expect_value(of(responses(x, session = reference_labels("session_x"))), "participation_ratio",
               "trials, sessions")
  expect_value(of(responses(reference_array("x", TRUE))), "participation_ratio", "trials", TRUE)
})

test_that("neurons that each lie in one session have errors as sessions without their names", {
  set.seed(1)
  x <- array(rnorm(8 * 6 * 2), c(8, 6, 2)) + 2 * rnorm(8)
  y <- matrix(rnorm(8 * 4), 8) + 2 * rnorm(8)
  session <- rep(c("mon", "tue"), each = 3)
  plain <- responses(x, session = session)
  for (estimator in c("stimulus", "stimulus_neuron")) {
    of <- function(data) {
      suppressWarnings(suppressMessages(list(cka(data, y, estimator = estimator),
                                             cka_interval(data, y, estimator = estimator))))
    }
    expect_equal(of(responses(x, neuron = letters[1:6], session = session)), of(plain))
  }
  # a neuron of two sessions has a score, but errors cannot delete it with one of them
  moved <- responses(x, neuron = letters[c(1:5, 1)], session = session)
  suppressWarnings(suppressMessages({
    expect_length(cka(moved, y, estimator = "stimulus"), 1)
    expect_refused(cka_interval(moved, y, estimator = "stimulus"),
                   c("Neuron \"a\" of `x` is", "`session`", "stimulus_neuron_trial"))
    # over stimuli alone, no neuron is deleted
    measure <- measure("cka", estimator = "stimulus_neuron")
    without <- vapply(1:8, function(i) {
      cka(moved[-i, ], y[-i, ], estimator = "stimulus_neuron")
    }, 0)
    expect_equal(score_interval(moved, y, measure, over = "stimuli")$se,
                 sqrt(7 / 8 * sum((without - mean(without))^2)))
    expect_refused(score_interval(moved, y, measure),
                   "Neuron \"a\" of `x`")
  }))
})
