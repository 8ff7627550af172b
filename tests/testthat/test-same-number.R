# The same label, the same number: whatever function computes a score.

same_data <- local({
  set.seed(1)
  n <- 24
  latent <- matrix(rnorm(n * 3), n)
  neurons <- function(q, noise = 0.3) latent %*% matrix(runif(3 * q, 0.5, 1.5), 3) +
    noise * matrix(rnorm(n * q), n)
  trials <- function(q, t = 3) {
    means <- neurons(q, 0)
    shared <- array(rnorm(n * t), c(n, 1, t))[, rep(1, q), ]
    array(means, c(n, q, t)) + 0.4 * shared + 0.4 * array(rnorm(n * q * t), c(n, q, t))
  }
  x <- neurons(8)
  y <- neurons(7)
  t <- trials(8)
  u <- trials(7)
  lacking <- x
  lacking[c(3, 9), 2] <- NA
  list(
    plain = list(x = x, y = y),
    trials = list(x = responses(t), y = y),
    sessions = list(x = responses(t, session = rep(1:4, 2)),
                    y = responses(u, session = c(1, 2, 1, 5, 6, 5, 6))),
    "one trial in sessions" = list(x = responses(t[, , 1], session = rep(1:4, 2)),
                                   y = responses(u[, , 1], session = c(1, 2, 1, 5, 6, 5, 6))),
    clusters = list(x = responses(x, cluster = rep(1:8, 3)), y = y),
    complete = list(x = x, y = responses(y, complete = TRUE)),
    "complete with trials" = list(x = responses(t, session = rep(1:4, 2)),
                                  y = responses(u, session = rep(1, 7), complete = TRUE)),
    "both complete" = list(x = responses(x, complete = TRUE), y = responses(y, complete = TRUE)),
    missing = list(x = lacking, y = y)
  )
})

mute <- function(code) suppressMessages(suppressWarnings(code))

# What the exported function gives: it takes no missing values.
direct_score <- function(data, id, ...) {
  if (anyNA(data$x) && is.matrix(data$x)) {
    keep <- stats::complete.cases(data$x)
    data <- lapply(data, function(one) one[keep, ])
  }
  mute(get(id)(data$x, data$y, ...))
}

is_whole <- function(data) !is.matrix(data$x) || !anyNA(data$x)

over_of <- function(data) {
  complete <- vapply(data, function(one) is_responses(one) && isTRUE(one$complete), NA)
  neurons <- c("neurons_x", "neurons_y")[!complete]
  c(list("stimuli"), as.list(neurons), if (length(neurons) == 2) list(neurons))
}

expect_same <- function(found, expected, what) {
  expect_equal(unname(found), rep(unname(expected), length(found)), tolerance = 1e-10, info = what)
}

test_that("every function gives the CKA that cka() gives", {
  for (name in names(same_data)) {
    data <- same_data[[name]]
    na <- if (is_whole(data)) "error" else "stimuli"
    several <- is_responses(data$x) && dim(data$x)[3] > 1
    wanted <- c(all_estimators, if (several) c("stimulus_trial", "stimulus_neuron_trial"))
    for (e in wanted) {
      score <- direct_score(data, "cka", estimator = e)
      m <- measure("cka", estimator = e)
      what <- paste(name, e)
      expect_false(is.na(score), info = what)
      found <- mute(similarity(data$x, data$y, m, na = na))
      label <- found$measure
      expect_same(found$score, score, paste(what, "similarity"))
      for (over in over_of(data)) {
        row <- mute(score_interval(data$x, data$y, m, over, na = na))
        expect_same(row$score, score, paste(what, "score_interval", toString(over)))
        expect_identical(row$measure, label)
        # the deletions are those of this score
        places <- attr(row, "deletions")[[1]]$rows
        expect_same(places$score, score, what)
        interval <- mute(cka_interval(data$x, data$y, e, over = over, na = na))
        expect_same(interval$cka, score, paste(what, "cka_interval"))
        expect_equal(interval$se, row$se, tolerance = 1e-7, info = what)
        expect_equal(interval$conf_low, row$conf_low, tolerance = 1e-7, info = what)
      }
      row <- mute(calibrate(data$x, data$y, m, permutations = 9, na = na))
      expect_same(row$score, score, paste(what, "calibrate"))
      expect_identical(row$measure, label)
      if (is_whole(data)) {
        expect_same(mute(score_weighted(data$x, data$y, m, rep(1, 24))), score,
                    paste(what, "score_weighted"))
      }
    }
  }
})

test_that("ceilings and analyses give the CKA that cka() gives", {
  for (name in names(same_data)) {
    data <- same_data[[name]]
    na <- if (is_whole(data)) "error" else "stimuli"
    several <- is_responses(data$x) && dim(data$x)[3] > 1
    each <- c(all_estimators, if (several) "stimulus_neuron_trial")
    score <- vapply(each, function(e) direct_score(data, "cka", estimator = e), 0)
    result <- mute(brain_to_brain(data$x, data$y, neurons = NULL, estimator = each, na = na))
    # without a complete side, no more neurons are taken of one side than the other has
    if (all(result$complete != "none")) expect_equal(result$pooled, unname(score), tolerance = 1e-10, info = name)
    equal <- list(x = data$x, y = data$y)
    equal$x <- if (is_responses(data$x)) data$x[, 1:7, ] else data$x[, 1:7]
    score <- vapply(each, function(e) direct_score(equal, "cka", estimator = e), 0)
    result <- mute(brain_to_brain(equal$x, equal$y, estimator = each, na = na))
    expect_equal(result$pooled[result$neurons == 7], unname(score), tolerance = 1e-10, info = name)
    layer <- data$y
    if (is_responses(layer) && dim(layer)[3] > 1) {
      layer <- responses(as.matrix(layer), complete = data$y$complete)
    }
    if (!is_responses(layer) || is.null(layer$session)) {
      pair <- list(x = data$x, y = layer)
      score <- vapply(each, function(e) direct_score(pair, "cka", estimator = e), 0)
      result <- mute(brain_to_model(data$x, list(layer = layer), estimator = each, na = na))
      expect_equal(result$pooled[result$neurons == 8], unname(score), tolerance = 1e-10, info = name)
    }
    if (!several) next
    for (e in c("stimulus", "stimulus_neuron")) {
      m <- measure("cka", estimator = e)
      ceiling <- mute(noise_ceiling(data$x, data$y, m))
      expect_same(ceiling$score, direct_score(data, "cka", estimator = e), paste(name, "ceiling"))
      expect_same(ceiling$disattenuated,
                  direct_score(data, "cka", estimator = paste0(e, "_trial")), paste(name, "clean"))
      expect_identical(ceiling$measure, mute(similarity(data$x, data$y, m))$measure)
      # one ceiling for one estimator
      if (is_responses(data$y) || e != "stimulus_neuron") next
      region <- mute(brain_to_model(data$x, list(layer = data$y), 8, estimator = each))
      row <- region[region$estimator == e, ]
      expect_same(row$ceiling, ceiling$ceiling, paste(name, "ceilings"))
      expect_same(row$disattenuated, ceiling$disattenuated, paste(name, "disattenuated"))
    }
  }
})

test_that("every function gives the score of every other measure that they share", {
  ids <- setdiff(measures()$id[measures()$pairing], c("cka", "permutation_procrustes",
                                                  "riemann"))
  for (name in c("plain", "trials", "clusters", "complete", "missing")) {
    data <- same_data[[name]]
    na <- if (is_whole(data)) "error" else "stimuli"
    for (id in ids) {
      args <- list()
      if ("k" %in% names(formals(id))) args$k <- 3
      if (id == "angular_cka") args <- list(estimator = "stimulus")
      m <- do.call(measure, c(id, args))
      score <- do.call(direct_score, c(list(data, id), args))
      what <- paste(name, id)
      row <- mute(similarity(data$x, data$y, m, na = na))
      random <- id %in% c("rtd")
      if (random) next
      expect_same(row$score, score, what)
      row <- mute(score_interval(data$x, data$y, m, na = na, draws = 20))
      expect_same(row$score, score, paste(what, "score_interval"))
      row <- mute(calibrate(data$x, data$y, m, permutations = 5, na = na))
      expect_same(row$score, score, paste(what, "calibrate"))
      if (is_whole(data)) {
        expect_same(mute(score_weighted(data$x, data$y, m, rep(1, 24))), score,
                    paste(what, "score_weighted"))
      }
    }
  }
})

test_that("models of RDMs have the mean of the scores of rsa()", {
  set.seed(2)
  points <- lapply(1:4, function(i) matrix(rnorm(36), 12))
  subjects <- lapply(points[1:3], dist)
  names(subjects) <- letters[1:3]
  model <- dist(points[[4]] + points[[1]])
  for (outer in c("pearson", "spearman", "cosine", "whitened_cosine", "whitened_pearson",
                  "kendall")) {
    found <- mute(evaluate_rdms(subjects, list(m = model), outer, draws = 20))$score
    each <- vapply(subjects, function(one) mute(rsa(one, model, outer = outer)), 0)
    expect_same(found, mean(each), outer)
    expect_same(mean(mute(similarity(subjects, model, measure("rsa", outer = outer)))$score),
                found, outer)
  }
})

test_that("another number has another label, and the same number the same one", {
  data <- same_data$plain
  clusters <- rep(1:8, 3)
  set <- list("cka", "rsa", measure("cka", estimator = "stimulus"),
              measure("cka", estimator = "stimulus_neuron", complete = "y"),
              measure("rsa", na = "pairwise"), mine = "rsa")
  wanted <- c("cka(naive)", "rsa(clusters)", "cka(stimulus, clusters)",
              "cka(stimulus_neuron, clusters, complete y)", "rsa(clusters, pairwise)", "mine")
  own <- mute(similarity(data$x, data$y, list(
    "cka", measure("rsa", clusters = clusters),
    measure("cka", estimator = "stimulus", clusters = clusters),
    measure("cka", estimator = "stimulus_neuron", complete = "y", clusters = clusters),
    measure("rsa", clusters = clusters, na = "pairwise"),
    mine = measure("rsa", clusters = clusters))))
  expect_identical(own$measure, wanted)
  # a label of its own for each stimulus says nothing
  for (f in list(similarity, score_interval)) {
    alone <- mute(f(data$x, data$y,
                    measure("cka", estimator = "stimulus", clusters = seq_along(clusters))))
    expect_identical(alone$measure, "cka(stimulus)")
    if ("over" %in% names(alone)) expect_identical(unique(alone$over), "stimuli")
  }
  declared <- responses(data$x, cluster = clusters)
  given <- list(mute(calibrate(data$x, data$y, set, permutations = 9, clusters = clusters)),
                mute(score_interval(data$x, data$y, set, clusters = clusters)))
  for (found in given) {
    expect_identical(found$measure, wanted)
    expect_equal(found$score, own$score, tolerance = 1e-10)
  }
  of_object <- list(similarity, score_interval, function(...) calibrate(..., permutations = 9))
  for (f in of_object) {
    found <- mute(f(declared, data$y, set[c(2, 3, 5)]))
    expect_identical(found$measure, wanted[c(2, 3, 5)])
    expect_equal(found$score, own$score[c(2, 3, 5)], tolerance = 1e-10)
    # labels that become equal are told apart
    found <- mute(f(declared, data$y, list("rsa", measure("rsa", clusters = clusters))))
    expect_identical(found$measure, c("rsa(clusters)", "rsa(clusters) #2"))
  }
  subjects <- mute(subject_ceiling(list(declared, data$y), measure("rsa")))
  expect_identical(subjects$measure, "rsa(clusters)")
})

test_that("the label of a list says that not all of it was declared, in every function", {
  trials <- same_data$trials$x
  layer <- responses(same_data$plain$y, complete = TRUE)
  plain <- same_data$plain$x
  of_list <- list(similarity, score_interval, function(...) calibrate(..., permutations = 9))
  for (f in of_list) {
    found <- mute(f(list(a = trials, b = plain), same_data$plain$y))
    expect_identical(unique(found$measure), "cka(stimulus_neuron, trials as declared)")
    expect_equal(found$score[2], cka(plain, same_data$plain$y, estimator = "stimulus_neuron"),
                 tolerance = 1e-10)
    found <- mute(f(list(a = trials, b = plain), trials[, 1:3, ]))
    expect_identical(unique(found$measure), "cka(stimulus_neuron_trial)")
  }
  found <- mute(similarity(list(a = trials, b = trials, c = plain)))
  expect_identical(unique(found$measure), "cka(stimulus_neuron_trial)")
  corrected <- measure("cka", estimator = "stimulus_neuron")
  label <- "cka(stimulus_neuron, complete as declared)"
  others <- list(b = plain, l = layer)
  found <- mute(noise_ceiling(trials, others, corrected))
  expect_identical(found$measure, c(label, label))
  expect_identical(mute(similarity(trials, others, corrected))$measure, found$measure)
  clustered <- responses(as.array(trials), cluster = rep(1:8, 3))
  expect_identical(mute(noise_ceiling(clustered, others, corrected))$measure,
                   mute(similarity(clustered, others, corrected))$measure)
})

test_that("comparisons of RDMs over clusters have one number, wherever the clusters are named", {
  x <- same_data$plain$x
  y <- same_data$plain$y
  for (labels in list(rep(1:8, 3), c(rep(1:5, 2:6), rep(6, 3), NA))) {
    declared <- lapply(list(x = x, y = y), responses, cluster = labels)
    for (outer in rsa_outer) {
      plain <- measure("rsa", outer = outer)
      m <- measure("rsa", outer = outer, clusters = labels)
      score <- mute(rsa(x, y, outer = outer, clusters = labels))
      expect_same(mute(rsa(declared$x, declared$y, outer = outer)), score, outer)
      expect_same(mute(similarity(x, y, m))$score, score, outer)
      expect_same(mute(score_interval(x, y, plain, clusters = labels, draws = 20))$score, score, outer)
      found <- mute(score_interval(declared$x, declared$y, plain, draws = 20))
      expect_same(found$score, score, outer)
      expect_false(is.na(found$se), info = outer)
      if (!anyNA(labels)) {
        found <- mute(calibrate(x, y, plain, clusters = labels, permutations = 5))
        expect_same(found$score, score, outer)
      }
      rdms <- lapply(list(a = x, b = y), rdm, distance = "correlation")
      found <- mute(evaluate_rdms(rdms["a"], rdms["b"], outer, "condition", draws = 20, permutations = 0,
                                  clusters = labels))
      expect_same(found$score, score, paste(outer, "evaluate_rdms"))
      expect_same(mute(subject_ceiling(list(x, y), m))$pairwise, score, paste(outer, "ceiling"))
      expect_same(mute(subject_ceiling(unname(declared), plain))$pairwise, score, paste(outer, "ceiling"))
    }
  }
})
