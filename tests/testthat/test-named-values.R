# Values with names go by the labels of what they are for.

labelled <- function(seed, n = 12, q = 30) {
  set.seed(seed)
  matrix(rnorm(n * q), n, dimnames = list(paste0("s", seq_len(n)), NULL))
}

labelled_rdm <- function(seed, n = 12) dist(labelled(seed, n))

# The same values in another order, with their names.
shuffled <- function(values) values[c(5, 2, 9, 12, 1, 3, 8, 4, 11, 7, 10, 6)[seq_along(values)]]

labels <- paste0("s", 1:12)
variances <- setNames(exp(seq(-1, 1, length.out = 12)), labels)
stimulus_noise <- local({
  set.seed(3)
  crossprod(matrix(rnorm(40 * 12), 40)) / 40
})
named_noise <- matrix(stimulus_noise, 12, dimnames = list(labels, labels))
order <- c(3, 1, 2, 12:4)
clusters <- setNames(rep(c("a", "b", "c", "d"), each = 3), labels)


test_that("in_order_of() goes by names that are all labels", {
  order_of <- function(...) in_order_of(..., arg = "stimulus_noise")
  expect_identical(order_of(c(b = 1, a = 2), c("a", "b")), c(2, 1))
  expect_identical(order_of(c(b = 1, c = 3, a = 2), c("a", "b")), c(2, 1))
  expect_message(found <- order_of(c(b = 1, a = 2), NULL), "the stimuli have none",
                 class = "repalign_one_sided_names")
  expect_identical(found, c(1, 2))
  expect_error(order_of(c(v = 1, w = 2), c("a", "b")), "none is \"a\"",
               class = "repalign_error_names")
  expect_identical(order_of(factor(c(b = "u", a = "v")), c("a", "b")), factor(c("v", "u")))
  expect_identical(order_of(c(a = 1, a = 2), c("a", "a")), c(1, 2))
  square <- matrix(1:4, 2, dimnames = list(c("b", "a"), c("b", "a")))
  expect_identical(order_of(square, c("a", "b")), matrix(4:1, 2))
  expect_error(order_of(c(b = 1, v = 2), c("a", "b")), "none is \"a\"",
               class = "repalign_error_names")
  expect_error(order_of(c(a = 1, b = 2, a = 3), c("a", "b")), "the name \"a\" twice",
               class = "repalign_error_names")
  colnames(square) <- c("a", "b")
  expect_error(order_of(square, c("a", "b")), "first at place 1 \\(\"b\" and \"a\"\\)",
               class = "repalign_error_names")
  expect_identical(suppressMessages(order_of(square, NULL)), unname(square))
})

test_that("stimulus_noise goes by names wherever RDMs are compared", {
  a <- labelled_rdm(1)
  b <- labelled_rdm(2)
  uses <- list(
    rsa = function(s) rsa(a, b, outer = "whitened_pearson", stimulus_noise = s),
    riemann = function(s) riemann(a, b, stimulus_noise = s),
    similarity = function(s) {
      similarity(a, b, measure("rsa", outer = "whitened_cosine", stimulus_noise = s))$score
    },
    calibrate = function(s) {
      set.seed(1)
      as.data.frame(calibrate(a, b, measure("rsa", outer = "whitened_cosine", stimulus_noise = s),
                              permutations = 19))
    },
    rdm_rows = function(s) as.data.frame(rdm_rows(a, b, outer = "whitened_pearson", stimulus_noise = s)),
    pool_rdms = function(s) as.vector(pool_rdms(list(a = a, b = b), "whitened_pearson", stimulus_noise = s)),
    subject_ceiling = function(s) {
      subject_ceiling(list(a = a, b = b), measure("rsa", outer = "whitened_pearson", stimulus_noise = s))
    },
    evaluate_rdms = function(s) {
      rows <- evaluate_rdms(list(a = a, b = b), list(m = labelled_rdm(3), k = labelled_rdm(4)),
                            "whitened_pearson", resample = "none", stimulus_noise = s,
                            permutations = 0)
      as.data.frame(rows)
    },
    fit_rdm_model = function(s) {
      model <- rdm_model(list(m = labelled_rdm(3), k = labelled_rdm(4)), "weighted")
      fit_rdm_model(model, list(a = a, b = b), "whitened_pearson", stimulus_noise = s)$weights
    }
  )
  for (name in names(uses)) {
    use <- function(s) suppressMessages(uses[[name]](s))
    expect_equal(use(rev(variances)), use(unname(variances)), info = name)
    expect_equal(use(named_noise[order, order]), use(stimulus_noise), info = name)
    lacking <- setNames(variances, replace(labels, 4, "other"))
    expect_error(use(lacking), "`stimulus_noise` has names, but none is \"s4\"",
                 class = "repalign_error_names", info = name)
  }
})

test_that("clusters of measures and calls go by names", {
  x <- labelled(1)
  y <- labelled(2)
  uses <- list(
    rsa = function(k) rsa(x, y, clusters = k),
    cka = function(k) cka(x, y, estimator = "stimulus", clusters = k),
    hsic = function(k) hsic(x, y, estimator = "stimulus", clusters = k),
    mutual_knn = function(k) mutual_knn(x, y, k = 2, clusters = k),
    similarity = function(k) similarity(x, y, measure("rsa", clusters = k))$score,
    score_interval = function(k) as.data.frame(score_interval(x, y, "rsa", clusters = k)),
    cka_interval = function(k) {
      as.data.frame(cka_interval(x, y, "stimulus", clusters = k))
    },
    calibrate = function(k) {
      set.seed(1)
      as.data.frame(calibrate(x, y, "rsa", permutations = 19, clusters = k))
    },
    blocks = function(k) {
      set.seed(1)
      as.data.frame(calibrate(x, y, "rsa", permutations = 19, blocks = k))
    },
    subject_ceiling = function(k) subject_ceiling(list(x, y), measure("rsa", clusters = k)),
    brain_to_model = function(k) {
      set.seed(1)
      as.data.frame(brain_to_model(x, list(y = y), repeats = 2, clusters = k))
    }
  )
  few <- setNames(rep(c("a", "b", "c", "d", "e", "f"), 2), labels)
  for (name in names(uses)) {
    use <- function(k) suppressWarnings(suppressMessages(uses[[name]](k)))
    expect_equal(use(shuffled(few)), use(unname(few)), info = name)
    expect_equal(use(factor(few)[12:1]), use(unname(few)), info = name)
  }
  prepared <- prepare(list(x = x), measure("rsa", clusters = unname(few)))
  shuffled_measure <- measure("rsa", clusters = shuffled(few))
  expect_equal(similarity(prepared, list(y = y), shuffled_measure)$score, rsa(x, y, clusters = few))
})

test_that("group goes by the names of subjects and RDMs", {
  rdms <- lapply(1:4, labelled_rdm)
  names(rdms) <- c("p", "q", "r", "t")
  group <- c(p = "u", q = "u", r = "v", t = "w")
  uses <- list(
    subject_ceiling = function(g) subject_ceiling(rdms, "rsa", group = g),
    evaluate_rdms = function(g) {
      as.data.frame(evaluate_rdms(rdms, list(m = labelled_rdm(5), k = labelled_rdm(6)), "pearson",
                                  resample = "none", group = g))
    },
    rsa_regression = function(g) {
      set.seed(1)
      data <- list(brain = rdms, m = labelled_rdm(5))
      summary(rsa_regression(brain ~ m, data, permutations = 9, group = g))
    }
  )
  for (name in names(uses)) {
    use <- function(g) suppressWarnings(suppressMessages(uses[[name]](g)))
    expect_equal(use(group[c(2, 4, 3, 1)]), use(unname(group)), info = name)
    expect_error(use(c(p = 1, q = 1, r = 2, other = 3)), "`group` has names, but none is \"t\"",
                 class = "repalign_error_names", info = name)
  }
})

test_that("names that were not given say nothing about group", {
  rdms <- lapply(1:4, labelled_rdm)
  group <- c(rdm4 = "u", s2 = "u", rdm1 = "v", s3 = "w")
  models <- list(m = labelled_rdm(5), k = labelled_rdm(6))
  evaluated <- function(g) {
    suppressMessages(evaluate_rdms(rdms, models, "pearson", resample = "none", group = g,
                                   permutations = 0))
  }
  expect_message(subject_ceiling(rdms, "rsa", group = group), "the subjects have none",
                 class = "repalign_one_sided_names")
  expect_equal(as.data.frame(evaluated(group)), as.data.frame(evaluated(unname(group))))
  fitted <- function(g) {
    set.seed(1)
    data <- list(brain = rdms, m = models$m)
    summary(rsa_regression(brain ~ m, data, permutations = 9, group = g))
  }
  expect_equal(fitted(group), fitted(unname(group)))
  expect_identical(subject_ceiling(rdms, "rsa", group = group),
                   subject_ceiling(rdms, "rsa", group = unname(group)))
})

test_that("names go before stimuli are left out, and other functions go by them", {
  x <- labelled(1)
  y <- labelled(2)
  x[4, 1] <- NA
  by <- setNames(rep(c("a", "b", "c"), each = 4), labels)
  found <- function(blocks, clusters) {
    set.seed(1)
    set <- measure("rsa", clusters = clusters)
    rows <- suppressMessages(score_interval(x, y, set, na = "stimuli", clusters = clusters))
    nulls <- suppressMessages(calibrate(x, y, "rsa", permutations = 19, blocks = blocks,
                                        na = "stimuli"))
    list(as.data.frame(rows), as.data.frame(nulls))
  }
  few <- setNames(rep(c("a", "b", "c", "d", "e", "f"), 2), labels)
  expect_equal(found(shuffled(by), shuffled(few)), found(unname(by), unname(few)))
  trials <- array(rnorm(12 * 8 * 6), c(12, 8, 6), list(labels, NULL, NULL))
  noise <- function(stimulus_noise) {
    set.seed(1)
    set <- measure("rsa", outer = "whitened_pearson", stimulus_noise = stimulus_noise)
    suppressWarnings(as.data.frame(noise_ceiling(trials, labelled(2), set, splits = 2)))
  }
  expect_equal(noise(rev(variances)), noise(unname(variances)))
})

test_that("leave_out, blocks and labels of conditions of a regression go by names", {
  data <- list(brain = labelled_rdm(1), m = labelled_rdm(2), kind = clusters)
  run <- setNames(rep(1:3, 4), labels)
  fit <- function(kind, run = NULL, blocks = NULL) {
    set.seed(1)
    rsa_regression(brain ~ m + kind, c(data[1:2], list(kind = kind)), permutations = 9,
                   leave_out = run, blocks = blocks)
  }
  expect_equal(fit(shuffled(clusters)), fit(unname(clusters)))
  expect_equal(fit(factor(clusters)[12:1]), fit(unname(clusters)))
  expect_equal(fit(clusters, shuffled(run)), fit(clusters, unname(run)))
  expect_equal(fit(clusters, unname(run)), fit(unname(clusters), run))
  expect_equal(fit(clusters, blocks = shuffled(run)), fit(clusters, blocks = unname(run)))
  expect_error(fit(setNames(clusters, c(labels[-1], "x"))), "`kind` has names, but none is \"s1\"",
               class = "repalign_error_names")
  rows <- function(kind) as.data.frame(rdm_rows(data$brain, kind))
  expect_equal(rows(shuffled(clusters)), rows(unname(clusters)))
})

test_that("labels of stimuli go by row names of arrays, data frames and lists", {
  x <- labelled(1)
  expect_identical(first_row_names(list(dist(unname(x)), list(unname(x), x))), labels)
  expect_identical(first_row_names(as.data.frame(x)), labels)
  expect_identical(first_row_names(responses(array(x, c(12, 15, 2), list(labels, NULL, NULL)))),
                   labels)
  expect_null(first_row_names(list(as.data.frame(unname(x)), unname(x))))
})

# Neurons, trials and presentations.

neurons <- function(seed) {
  set.seed(seed)
  x <- matrix(rnorm(12 * 4), 12) %*% matrix(rnorm(4 * 6), 4) + rnorm(72) / 3
  dimnames(x) <- list(labels, paste0("n", 1:6))
  x
}

test_that("labels of neurons go by column names, wherever they are given", {
  x <- neurons(1)
  y <- neurons(1) + neurons(2) / 4
  colnames(y) <- paste0("m", 1:6)
  units <- setNames(c("a", "a", "b", "b", "c", "d"), colnames(x))
  other <- setNames(units, colnames(y))
  turned <- c(4, 2, 6, 1, 3, 5)
  trials <- array(rep(x, 3), c(12, 6, 3), list(labels, colnames(x), NULL)) + rnorm(216) / 4
  uses <- list(
    responses = function(u, v) cka(responses(x, session = u), responses(y, session = v)),
    neuron = function(u, v) cka(responses(x, neuron = u), responses(y, neuron = v)),
    trials = function(u, v) as.data.frame(participation_ratio(responses(trials, neuron = u))),
    cka = function(u, v) cka(x, y, estimator = "stimulus_neuron", units_x = u, units_y = v),
    hsic = function(u, v) hsic(x, y, estimator = "stimulus_neuron", units_x = u, units_y = v),
    measure = function(u, v) {
      similarity(x, y, measure("cka", estimator = "stimulus_neuron", units_x = u,
                               units_y = v))$score
    },
    cka_interval = function(u, v) as.data.frame(cka_interval(x, y, units_x = u, units_y = v)),
    score_interval = function(u, v) {
      as.data.frame(score_interval(x, y, "rsa", over = c("stimuli", "neurons_x"), units_x = u,
                                   units_y = v))
    },
    participation_ratio = function(u, v) as.data.frame(participation_ratio(x, units = u)),
    trial_to_trial = function(u, v) as.data.frame(trial_to_trial(trials, repeats = 2, units = u)),
    brain_to_brain = function(u, v) {
      as.data.frame(brain_to_brain(x, y, neurons = 4, repeats = 2, units_x = u, units_y = v))
    },
    brain_list = function(u, v) {
      as.data.frame(brain_to_brain(list(x = x, y = y), neurons = 4, repeats = 2,
                                   units_x = list(x = u, y = v)))
    },
    split = function(u, v) {
      groups <- setNames(c(a = 1, b = 2, c = 1, d = 2)[u], names(u))
      as.data.frame(brain_to_brain(x, split = groups, repeats = 2))
    },
    brain_to_model = function(u, v) {
      as.data.frame(brain_to_model(x, list(y = y), repeats = 2, units = u))
    },
    stream_cka = function(u, v) {
      as.data.frame(stream_cka(list(list(x = x, y = y)), units_x = u, units_y = v))
    }
  )
  for (name in names(uses)) {
    use <- function(u, v) {
      set.seed(1)
      suppressWarnings(suppressMessages(uses[[name]](u, v)))
    }
    expect_equal(use(units[turned], other[turned]), use(unname(units), unname(other)), info = name)
    expect_error(use(setNames(units, letters[1:6]), setNames(other, letters[1:6])),
                 "has names, but none is", class = "repalign_error_names", info = name)
  }
})

test_that("what responses() is told goes by the names of stimuli, rows and trials", {
  x <- neurons(1)
  few <- setNames(rep(c("a", "b", "c", "d", "e", "f"), 2), labels)
  expect_identical(responses(x, cluster = shuffled(few)), responses(x, cluster = unname(few)))
  values <- array(rnorm(12 * 6 * 4), c(12, 6, 4), list(labels, NULL, paste0("t", 1:4)))
  expect_identical(responses(values, cluster = shuffled(few)),
                   responses(values, cluster = unname(few)))
  event <- c(t1 = 1, t2 = 1, t3 = 2, t4 = 3)
  expect_identical(responses(values, event = event[c(3, 1, 4, 2)]),
                   responses(values, event = unname(event)))
  expect_identical(rdm(values, run = event[c(3, 1, 4, 2)]), rdm(values, run = unname(event)))
  # clusters of stimuli that were shown twice, in a matrix and in a long table
  twice <- rbind(x, x + 1)
  rownames(twice) <- NULL
  stimulus <- rep(labels, 2)
  expect_identical(responses(twice, stimulus, cluster = shuffled(few)),
                   responses(twice, stimulus, cluster = rep(unname(few), 2)))
  long <- data.frame(image = rep(stimulus, 6), unit = rep(colnames(x), each = 24),
                     value = as.vector(twice))
  session <- setNames(c("a", "a", "b", "b", "c", "d"), colnames(x))
  expect_identical(responses(long, "image", "unit", session = session[6:1],
                             cluster = shuffled(few)),
                   responses(long, "image", "unit", session = rep(unname(session), each = 24),
                             cluster = rep(unname(few), 12)))
  # rows that are named by presentation
  shown <- paste0("row", 1:24)
  rownames(twice) <- shown
  named <- setNames(stimulus, shown)
  expect_identical(responses(twice, named[24:1]), responses(twice, stimulus))
  expect_identical(rdm(twice, named[24:1], distance = "sqeuclidean"),
                   rdm(twice, stimulus, distance = "sqeuclidean"))
  expect_error(responses(twice, setNames(stimulus, c(letters)[1:24])), "has names, but none is \"row1\"",
               class = "repalign_error_names")
})

test_that("weights, objects and classes of stimuli go by names", {
  x <- neurons(1)
  weights <- setNames(1:12, labels)
  expect_identical(score_weighted(x, neurons(2), weights = shuffled(weights)),
                   score_weighted(x, neurons(2), weights = 1:12))
  many <- cbind(1:12, 12:1)
  expect_identical(
    score_weighted(x, neurons(2), weights = matrix(many, 12, 2, dimnames = list(labels))[order, ]),
    score_weighted(x, neurons(2), weights = many)
  )
  object <- setNames(rep(c("u", "v"), each = 6), labels)
  run <- function(object) {
    set.seed(1)
    suppressWarnings(as.data.frame(object_disentanglement(x, object, neurons = 5, repeats = 2)))
  }
  expect_equal(run(shuffled(object)), run(unname(object)))
  classes <- setNames(rep(1:3, 4), labels)
  expect_identical(accuracy_difference(x[, 1:3], neurons(2)[, 1:3], shuffled(classes)),
                   accuracy_difference(x[, 1:3], neurons(2)[, 1:3], unname(classes)))
})

test_that("noise of channels goes by their names", {
  x <- neurons(1)
  labelled <- rbind(x, x + rnorm(72))
  precision <- noise_precision(labelled + rnorm(144), rep(labels, 2))
  turned <- c(4, 2, 6, 1, 3, 5)
  expect_equal(rdm(labelled, rep(labels, 2), rep(1:2, each = 12),
                   noise = precision[turned, turned]),
               rdm(labelled, rep(labels, 2), rep(1:2, each = 12), noise = precision))
})

test_that("labels with names go by these also where `na` leaves rows or columns out", {
  set.seed(1)
  n <- 24
  x <- matrix(rnorm(n * 5), n, dimnames = list(paste0("r", 1:n), paste0("u", 1:5)))
  x[3, 2] <- NA
  condition <- rep(paste0("c", 1:6), 4)
  run <- rep(1:4, each = 6)
  turned <- sample(n)
  by_name <- function(labels) setNames(labels, rownames(x))[turned]
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  for (distance in c("crossnobis", "sqeuclidean")) {
    expect_identical(quiet(rdm(x, by_name(condition), by_name(run), distance, na = "stimuli")),
                     quiet(rdm(x, condition, run, distance, na = "stimuli")))
  }
  expect_identical(quiet(noise_covariance(x, by_name(condition), by_name(run), na = "stimuli")),
                   quiet(noise_covariance(x, condition, run, na = "stimuli")))
  centers <- list(a = 1:2, b = 3:5)
  model <- rdm(matrix(rnorm(30), 6, dimnames = list(paste0("c", 1:6), NULL)),
               distance = "sqeuclidean")
  search <- function(condition, run) {
    quiet(searchlight(x, centers, model, run = run, condition = condition, na = "stimuli"))$score
  }
  expect_identical(search(by_name(condition), by_name(run)), search(condition, run))
  # runs of an array are of its repeats, also where there are as many of these as conditions
  trials <- array(rnorm(4 * 5 * 4), c(4, 5, 4), dimnames = list(letters[1:4], NULL, NULL))
  trials[2, 1, 1] <- NA
  expect_identical(quiet(rdm(trials, run = c("b", "a", "d", "c"), na = "stimuli")),
                   rdm(trials[-2, , ], run = c("b", "a", "d", "c")))
  units <- c(u1 = "a", u2 = "b", u3 = "c", u4 = "c", u5 = "d")
  expect_identical(quiet(participation_ratio(x, units = units[c(4, 2, 5, 1, 3)], na = "neurons")),
                   quiet(participation_ratio(x, units = units, na = "neurons")))
  shared <- matrix(rnorm(60 * 4), 60, dimnames = list(paste0("r", 1:60), NULL))
  one <- shared[, rep(1:4, 5)] + 0.3 * matrix(rnorm(1200), 60)
  two <- shared[, rep(1:4, 4)] + 0.3 * matrix(rnorm(960), 60)
  colnames(one) <- paste0("u", 1:20)
  colnames(two) <- paste0("v", 1:16)
  one[5, 1] <- NA
  labels_x <- setNames(c(paste0("s", 1:18), "t", "t"), colnames(one))
  labels_y <- setNames(paste0("w", 1:16), colnames(two))
  plan <- function(x, y) {
    set.seed(1)
    as.data.frame(quiet(plan_recording(one, two, stimuli = 100, units_x = x, units_y = y,
                                       na = "neurons")))
  }
  expect_identical(plan(rev(labels_x), rev(labels_y)), plan(labels_x, labels_y))
})

test_that("that one side has no names is said once", {
  set.seed(1)
  x <- matrix(rnorm(60), 12, dimnames = list(paste0("r", 1:12), NULL))
  y <- matrix(rnorm(48), 12)
  holes <- replace(x, 3, NA)
  trials <- array(rnorm(180), c(12, 5, 3), dimnames = list(rownames(x), NULL, NULL))
  gap <- replace(trials, 4, NA)
  said <- function(call) {
    count <- 0
    withCallingHandlers(suppressWarnings(call), repalign_one_sided_names = function(m) {
      count <<- count + 1
    }, message = function(m) invokeRestart("muffleMessage"))
    count
  }
  expect_identical(said(subject_ceiling(list(holes, y), na = "stimuli")), 1)
  expect_identical(said(noise_ceiling(gap, y, na = "stimuli")), 1)
  expect_identical(said(noise_ceiling(responses(gap), y, na = "stimuli")), 1)
  expect_identical(said(predicted_bias(holes, y, na = "stimuli")), 1)
  expect_identical(said(similarity(holes, y, na = "stimuli")), 1)
  expect_identical(said(brain_to_brain(holes, y, repeats = 2, na = "stimuli")), 1)
  expect_identical(said(searchlight(holes, list(1:2, 3:5), y, na = "stimuli")), 1)
  # and an array takes the order of names
  named <- `rownames<-`(y, rownames(x))
  expect_equal(suppressMessages(noise_ceiling(gap, named[12:1, ], na = "stimuli")),
               suppressMessages(noise_ceiling(gap, named, na = "stimuli")))
})
