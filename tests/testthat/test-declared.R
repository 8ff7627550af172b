# What responses() declares is honoured by every function, or refused aloud: the table of the
# table that ?responses names (inst/declared.csv) is walked with tiny data for each declaration.

# Tiny data for each declaration, and a call of each function.

declared_data <- local({
  set.seed(4)
  n <- 24
  # stimuli of a cluster are alike
  signal <- matrix(rnorm(24), 8)[rep(1:8, each = 3), ] + matrix(rnorm(n * 3), n)
  trials <- function(d, count) {
    clean <- signal %*% matrix(rnorm(3 * d), 3)
    array(rep(clean, count), c(n, d, count)) + rnorm(n * d * count) / 2
  }
  x <- trials(8, 4)
  y <- trials(7, 4)
  mean <- function(a) apply(a, 1:2, base::mean)
  of <- function(...) list(x = responses(mean(x), ...), y = responses(mean(y), ...))
  plain <- list(x = mean(x), y = mean(y))
  several <- list(x = responses(x), y = responses(y))
  sessions <- list(x = responses(plain$x, session = rep(1:4, 2)),
                   y = responses(plain$y, session = c(1:4, 1:3)))
  list(
    trials = list(with = several, without = plain),
    sessions = list(with = sessions, without = plain),
    events = list(with = list(x = responses(x, event = c(1, 1, 2, 2)),
                              y = responses(y, event = c(1, 1, 2, 2))), without = several),
    runs = list(with = list(x = responses(x, run = TRUE), y = responses(y, run = TRUE)),
                without = several),
    clusters = list(with = of(cluster = rep(1:8, each = 3)), without = plain),
    complete = list(with = of(complete = TRUE), without = plain),
    series = list(with = of(series = TRUE), without = plain)
  )
})

declared_calls <- list(
  `cka()` = function(x, y) cka(x, y),
  `hsic()` = function(x, y) hsic(x, y),
  `rsa()` = function(x, y) rsa(x, y),
  `mutual_knn()` = function(x, y) mutual_knn(x, y, k = 2),
  `procrustes()` = function(x, y) procrustes(x, y),
  `similarity()` = function(x, y) {
    similarity(x, y)$score
  },
  `calibrate()` = function(x, y) {
    as.data.frame(calibrate(x, y, permutations = 19))
  },
  `score_interval()` = function(x, y) {
    as.data.frame(score_interval(x, y))
  },
  `evaluate_models()` = function(x, y) {
    as.data.frame(evaluate_models(x, list(y = y), permutations = 19))
  },
  `cka_interval()` = function(x, y) as.data.frame(cka_interval(x, y)),
  `score_weighted()` = function(x, y) {
    score_weighted(x, y, weights = rep(0:1, c(6, 18)))
  },
  `contributions()` = function(x, y) contributions(x, y)$effect,
  `participation_ratio()` = function(x, y) as.data.frame(participation_ratio(x, conf_level = 0.9)),
  `predicted_bias()` = function(x, y) as.data.frame(predicted_bias(x, y)),
  `plan_recording()` = function(x, y) as.data.frame(plan_recording(x, y, stimuli = 50)),
  `noise_ceiling()` = function(x, y) {
    if (!is_responses(x) || dim(x)[3] < 2) x <- noise_trials(x)
    as.data.frame(noise_ceiling(x, y))
  },
  `across_sessions()` = function(x, y) {
    day <- function(one) {
      if (!is_responses(one) || dim(one)[3] < 2) one <- noise_trials(one)
      one <- unclass(one)
      one$neuron <- paste("cell", letters[seq_len(ncol(one$values))])
      structure(one, class = "repalign_responses")
    }
    as.data.frame(across_sessions(list(a = day(x), b = day(y))))
  },
  `subject_ceiling()` = function(x, y) {
    subject_ceiling(list(x, y), measure("cka", estimator = "stimulus_neuron"))
  },
  `brain_to_brain()` = function(x, y) {
    as.data.frame(brain_to_brain(x, y, repeats = 2))
  },
  `brain_to_model(), brain` = function(x, y) {
    as.data.frame(brain_to_model(x, list(y = as.matrix(y)), repeats = 2))
  },
  `brain_to_model(), layers` = function(x, y) {
    as.data.frame(brain_to_model(as.matrix(x), list(y = y), repeats = 2))
  },
  `trial_to_trial()` = function(x, y) {
    if (!is_responses(x) || dim(x)[3] < 2) x <- noise_trials(x)
    as.data.frame(trial_to_trial(x, repeats = 2, estimator = "stimulus_neuron"))
  },
  `object_disentanglement()` = function(x, y) {
    as.data.frame(object_disentanglement(x, rep(c("a", "b"), each = 12), repeats = 2,
                                         estimator = "stimulus"))
  },
  `rdm()` = function(x, y) as.vector(rdm(x, distance = "sqeuclidean")),
  `rdm(distance = "crossnobis")` = function(x, y) {
    if (!is_responses(x) || dim(x)[3] < 2) x <- noise_trials(x)
    as.vector(rdm(x))
  },
  `noise_covariance()` = function(x, y) {
    if (!is_responses(x) || dim(x)[3] < 2) x <- noise_trials(x)
    as.vector(noise_covariance(x))
  },
  `rsa_regression()` = function(x, y) {
    as.data.frame(rsa_regression(x ~ y, list(x = x, y = y), permutations = 9))
  },
  `rdm_rows()` = function(x, y) as.data.frame(rdm_rows(x, y)),
  `encode(), from` = function(x, y) {
    as.data.frame(encode(x, as.matrix(y), permutations = 9))
  },
  `encode(), to` = function(x, y) {
    as.data.frame(encode(as.matrix(x), y, permutations = 9))
  },
  `held_out()` = function(x, y) as.data.frame(held_out(x, y, folds = 4, permutations = 9)),
  `consensus()` = function(x, y) as.data.frame(consensus(list(a = x, b = y), folds = 4)),
  `matched_neurons()` = function(x, y) matched_neurons(x, y),
  `searchlight()` = function(x, y) {
    model <- dist(as.matrix(y))
    searchlight(x, list(a = 1:4, b = 5:8), list(m = model), permutations = 19)$score
  },
  `stream_cka()` = function(x, y) as.data.frame(stream_cka(list(list(x = x, y = y)))),
  `jsd()` = function(x, y) jsd(x, x, from = "logit"),
  `benchmark_groups()` = function(x, y) {
    benchmark_groups(list(a = x, b = y, c = as.matrix(x), d = as.matrix(y)), c("u", "v", "u", "v"),
                     "cka", model_permutations = 0)
  }
)

# The same declaration with three trials, for functions that need them.
noise_trials <- function(x) {
  values <- as.matrix(x)
  set.seed(5)
  array <- array(rep(values, 3), c(dim(values), 3)) + rnorm(3 * length(values)) / 2
  if (!is_responses(x)) return(responses(array))
  x <- unclass(x)
  responses(array, session = x$session, cluster = x$cluster, complete = x$complete,
            series = x$series)
}

# What a call does: list(value, error, noted).
outcome_with <- function(call, data) {
  noted <- FALSE
  error <- NULL
  set.seed(1)
  value <- tryCatch(withCallingHandlers(call(data$x, data$y), message = function(m) {
    if (inherits(m, "repalign_note_declared")) noted <<- TRUE
    invokeRestart("muffleMessage")
  }, warning = function(w) invokeRestart("muffleWarning")), repalign_error = function(e) {
    error <<- e
    NULL
  })
  list(value = value, error = error, noted = noted)
}

# "honoured", "refused", "noted" or "-" (it makes no difference).
what_is_done <- function(call, data) {
  with <- outcome_with(call, data$with)
  if (!is.null(with$error)) return("refused")
  if (with$noted) return("noted")
  value <- outcome_with(call, data$without)$value
  same <- isTRUE(all.equal(with$value, value, tolerance = 1e-10, check.attributes = FALSE))
  if (same) "-" else "honoured"
}

table <- utils::read.csv(system.file("declared.csv", package = "repalign"), check.names = FALSE)

test_that("the table has a row for each call, and a column for each declaration", {
  expect_identical(table$`function`, names(declared_calls))
  expect_identical(names(table)[-1], names(declared_data))
  expect_true(all(unlist(table[-1]) %in% c("honoured", "refused", "noted", "-")))
})

for (declaration in names(declared_data)) {
  test_that(paste("every function does with", declaration, "what the table says"), {
    for (row in seq_len(nrow(table))) {
      name <- table$`function`[row]
      found <- what_is_done(declared_calls[[name]], declared_data[[declaration]])
      expect_identical(found, table[[declaration]][row], info = paste(name, declaration))
    }
  })
}

test_that("functions that take matrices are in the table", {
  # measures are there by an example of each kind; the others make data, or take results
  exported <- getNamespaceExports("repalign")
  takes <- Filter(function(name) {
    value <- get(name, asNamespace("repalign"))
    is.function(value) && any(c("x", "trials", "brain", "responses", "data", "chunks") %in%
                                names(formals(value)))
  }, exported)
  takes <- setdiff(takes, measures()$id)
  listed <- sub("\\(.*", "", table$`function`)
  makers <- c("responses", "response_matrix", "trial_array", "match_rows", "prepare", "as_rdm",
              "transform_rdm", "noise_precision", "plot_rdms", "simulate_networks", "reexports",
              "tidy", "glance", "augment", "flatten_time", "split_time", "space_parts")
  expect_identical(sort(setdiff(takes, c(listed, makers))), character())
})

test_that("what layers declare is used as what the region declares, or refused with a way out", {
  plain <- declared_data$trials$without
  labels <- rep(1:8, each = 3)
  run <- function(brain, layer, ...) {
    set.seed(1)
    as.data.frame(quietly(brain_to_model(brain, list(y = layer), repeats = 3, ...)))
  }
  of_call <- run(plain$x, plain$y, clusters = labels)
  expect_identical(run(plain$x, responses(plain$y, cluster = labels)), of_call)
  expect_identical(run(responses(plain$x, cluster = labels), plain$y), of_call)
  expect_refused(run(responses(plain$x, cluster = labels),
                     responses(plain$y, cluster = rep(1:4, 6))), "different clusters")
  for (declaration in c("trials", "runs", "events", "sessions")) {
    data <- declared_data[[declaration]]$with
    brain <- data$x
    layers <- list(y = data$y)
    error <- expect_refused(quietly(brain_to_model(brain, layers, repeats = 2)), declaration)
    for (remedy in c("brain_to_brain(brain, layers$y)", "cka(brain, layers$y)",
                     "as.matrix(layers$y)")) {
      expect_match(conditionMessage(error), remedy, fixed = TRUE)
      expect_no_error(quietly(eval(parse(text = remedy))))
    }
    expect_no_error(run(brain, as.matrix(layers$y)))
  }
  # what no estimator of the call follows is said, as for the region
  expect_message(brain_to_model(plain$x, list(y = declared_data$trials$with$y), repeats = 2,
                                estimator = "stimulus"), class = "repalign_note_declared")
})

test_that("analyses note a declared series once", {
  data <- declared_data$series$with
  notes <- function(call) {
    count <- 0
    withCallingHandlers(suppressWarnings(call), repalign_note_declared = function(m) {
      count <<- count + 1
    }, message = function(m) invokeRestart("muffleMessage"))
    count
  }
  expect_identical(notes(brain_to_model(data$x, list(y = data$y), repeats = 2)), 1)
  expect_identical(notes(brain_to_brain(data$x, data$y, repeats = 2)), 1)
})
