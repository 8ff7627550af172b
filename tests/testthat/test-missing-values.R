# na = "stimuli" and "neurons": the call without those rows or columns, everywhere alike.

gaps <- function(n = 14, d = 6, rows, columns, seed = 1) {
  set.seed(seed)
  x <- related_pair(n, d, d, d = 2)$x
  x[cbind(rows, columns)] <- NA
  x
}

told <- function(call) {
  messages <- character()
  value <- withCallingHandlers(call, repalign_left_out = function(m) {
    messages <<- c(messages, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  list(value = value, messages = messages)
}

same_scores <- function(a, b) expect_identical(as.data.frame(a), as.data.frame(b))

x <- gaps(rows = c(3, 3, 9), columns = c(1, 2, 5), seed = 1)
y <- gaps(rows = 11, columns = 4, seed = 2)
z <- gaps(rows = integer(), columns = integer(), seed = 3)
y[11, 5] <- NaN
whole <- c(1:2, 4:8, 10, 12:14)

test_that("missing values are an error by default that offers the rules", {
  expect_refused(similarity(x, y), c("`x`", "row 3, column 1", "na = \"stimuli\""))
  expect_refused(calibrate(x, y), c("`x`", "row 3, column 1", "\"neurons\""))
  expect_refused(similarity(x, y, na = "error"), "missing")
  expect_refused(similarity(x, y, na = "omit"), c("`na`", "did you mean \"stimuli\""))
  for (f in list(similarity, calibrate, brain_to_brain, brain_to_model, object_disentanglement)) {
    expect_true("na" %in% names(formals(f)))
    expect_identical(head(eval(formals(f)$na), 3), c("error", "stimuli", "neurons"))
  }
})

test_that("stimuli are complete over all elements of the call, and counted", {
  given <- told(similarity(list(a = x, b = y, c = z), measure = c("cka", "rsa"), na = "stimuli"))
  parts <- list(a = x[whole, ], b = y[whole, ], c = z[whole, ])
  same_scores(given$value, similarity(parts, measure = c("cka", "rsa")))
  expect_identical(unique(given$value$n), 11L)
  expect_length(given$messages, 1)
  expect_match(given$messages, "3 of 14 stimuli left out (rows 3, 9 and 11)", fixed = TRUE)
  # a side, and models
  same_scores(told(similarity(z, list(a = x, b = y), na = "stimuli"))$value,
              similarity(z[whole, ], list(a = x[whole, ], b = y[whole, ])))
  models <- list(m = list(a = x, b = z), k = list(c = y))
  same_scores(told(similarity(models, na = "stimuli"))$value,
              similarity(list(m = list(a = x[whole, ], b = z[whole, ]), k = list(c = y[whole, ]))))
  # nothing is missing, nothing is said
  complete <- told(similarity(z, z + 1, na = "stimuli"))
  same_scores(complete$value, similarity(z, z + 1))
  expect_length(complete$messages, 0)
})

test_that("neurons with a missing value are left out, of each representation for itself", {
  given <- told(similarity(list(a = x, b = y, c = z), na = "neurons"))
  parts <- list(a = x[, -c(1, 2, 5)], b = y[, -(4:5)], c = z)
  same_scores(given$value, similarity(parts))
  expect_match(given$messages, "3 of 6 in `x$a` and 2 of 6 in `x$b`", fixed = TRUE)
  same_scores(told(similarity(x, y, na = "neurons"))$value, similarity(parts$a, parts$b))
})

test_that("a shared neuron is left out on both sides", {
  shared <- measure("cka", estimator = "stimulus_neuron", shared_neurons = TRUE)
  keep <- c(3, 6)
  # two neurons are few
  few_is_fine(same_scores(told(similarity(x, y, shared, na = "neurons"))$value,
                          similarity(x[, keep], y[, keep], shared)))
  undefined_is_fine({
    lists <- list(a = x, b = y, c = z)
    parts <- list(a = x[, keep], b = y[, keep], c = z[, keep])
    few_is_fine(same_scores(told(similarity(lists, measure = shared, na = "neurons"))$value,
                            similarity(parts, measure = shared)))
  })
  # labels that stand for one neuron; "s" is a group, of which only the column itself goes
  units_x <- c("s", "s", "n1", "n2", "n3", "n4")
  units_y <- c("n3", "n9", "s", "s", "n1", "n4")
  labelled <- measure("cka", estimator = "stimulus_neuron", units_x = units_x, units_y = units_y)
  keep_x <- c(4, 6) # 1, 2 and 5 are missing, and 3 ("n1") is on the other side
  keep_y <- c(2, 3, 6) # 4 and 5 are missing, and 1 ("n3") is on the other side
  expected <- measure("cka", estimator = "stimulus_neuron", units_x = units_x[keep_x],
                      units_y = units_y[keep_y])
  given <- few_is_fine(told(similarity(x, y, list(m = labelled), na = "neurons")))
  few_is_fine(same_scores(given$value, similarity(x[, keep_x], y[, keep_y], list(m = expected))))
  expect_match(given$messages, "4 of 6 in `x` and 3 of 6 in `y`")
})

test_that("labels must suit the data before they are cut", {
  labelled <- measure("cka", estimator = "stimulus_neuron", units_x = 1:5, units_y = 1:6)
  expect_refused(similarity(x, y, labelled, na = "neurons"),
                 c("`units_x`", "5 labels", "6 columns"))
  shared <- measure("cka", estimator = "stimulus_neuron", shared_neurons = TRUE)
  expect_refused(similarity(x, y[, 1:5], shared, na = "neurons"), "`shared_neurons = TRUE`")
})

test_that("blocks and designs are cut like the stimuli, given permutations are an error", {
  blocks <- rep(c("a", "b"), 7)
  calibrated <- function(x, y, ...) {
    set.seed(5)
    told(suppressMessages(calibrate(x, y, permutations = 99, ...),
                          classes = "repalign_few_permutations"))$value
  }
  same_scores(calibrated(x, y, na = "stimuli"), calibrated(x[whole, ], y[whole, ]))
  same_scores(calibrated(x, y, blocks = blocks, na = "stimuli"),
              calibrated(x[whole, ], y[whole, ], blocks = blocks[whole]))
  expect_refused(calibrate(x, y, blocks = blocks[whole], na = "stimuli"), "`blocks`")
  given <- t(replicate(9, sample(14)))
  expect_refused(calibrate(x, y, permutations = given, na = "stimuli"), c("`permutations`", "rows"))
  # of all rows they may speak as long as all are there
  expect_identical(calibrate(z, z^2, permutations = given, na = "stimuli")$p_value,
                   calibrate(z, z^2, permutations = given)$p_value)
  expect_s3_class(told(calibrate(x, y, permutations = given, na = "neurons"))$value,
                  "repalign_calibration")
})

test_that("designs of the package permute are cut alike", {
  skip_if_not_installed("permute")
  blocks <- factor(rep(c("a", "b"), 7))
  plots <- factor(rep(1:7, each = 2))
  calibrated <- function(x, y, design, ...) {
    set.seed(6)
    told(suppressMessages(calibrate(x, y, permutations = design, ...),
                          classes = "repalign_few_permutations"))$value
  }
  design <- function(rows) {
    permute::how(nperm = 49, blocks = droplevels(blocks[rows]))
  }
  same_scores(calibrated(x, y, design(1:14), na = "stimuli"),
              calibrated(x[whole, ], y[whole, ], design(whole)))
  stratified <- function(rows) {
    permute::how(nperm = 49, plots = permute::Plots(strata = droplevels(plots[rows])))
  }
  same_scores(calibrated(x, y, stratified(1:14), na = "stimuli"),
              calibrated(x[whole, ], y[whole, ], stratified(whole)))
  plain <- permute::how(nperm = 49)
  same_scores(calibrated(x, y, plain, na = "stimuli"), calibrated(x[whole, ], y[whole, ], plain))
  short <- permute::how(blocks = blocks[whole])
  expect_refused(calibrate(x, y, permutations = short, na = "stimuli"), "14 rows")
})

test_that("distances lose the stimuli without any distance, other gaps stay errors", {
  d <- stats::dist(z)
  m <- as.matrix(d)
  m[5, ] <- m[, 5] <- NA
  gappy <- stats::as.dist(m)
  attr(gappy, "Labels") <- NULL
  keep <- setdiff(whole, 5)
  given <- told(similarity(list(a = x, b = gappy), y, "rsa", na = "stimuli"))
  expect_match(given$messages, "rows 3, 5, 9 and 11")
  part <- stats::as.dist(as.matrix(d)[keep, keep])
  attr(part, "Labels") <- NULL
  same_scores(given$value, similarity(list(a = x[keep, ], b = part), y[keep, ], "rsa"))
  d[7] <- NA
  expect_refused(similarity(d, z, "rsa", na = "stimuli"), c("`x`", "rows 1 and 8"))
  expect_refused(similarity(d, z, "rsa", na = "neurons"), c("`x`", "rows 1 and 8"))
  graph <- list(idx = matrix(c(2:14, 1), ncol = 1), dist = matrix(1, 14, 1))
  expect_refused(similarity(graph, x, measure("mutual_knn", k = 1), na = "stimuli"),
                 "neighbour graph")
})

test_that("infinite values, and nothing left, are errors", {
  bad <- z
  bad[2, 3] <- Inf
  for (rule in c("stimuli", "neurons")) {
    expect_refused(similarity(bad, z, na = rule), c("`x`", "infinite", "row 2, column 3"))
  }
  none <- z
  diag(none[1:6, ]) <- NA
  none[cbind(7:14, 1)] <- NA
  expect_refused(similarity(none, z, na = "stimuli"), c("`na`|na = ", "leaves none"))
  expect_refused(similarity(list(a = z, b = replace(z, cbind(1:6, 1:6), NA)), na = "neurons"),
                 c("x\\$b", "leaves none"))
  # no remedy that leaves nothing
  trials <- array(rnorm(6 * 4 * 4), c(6, 4, 4))
  trials[1:3, , 3] <- trials[4:6, , 4] <- NA
  error <- expect_refused(trial_to_trial(trials, neurons = 4),
                          c("such trials \\(here 3 and 4\\)", "noise_ceiling\\(\\)"))
  expect_no_match(conditionMessage(error), "stimuli\"", fixed = TRUE)
  expect_refused(trial_to_trial(trials, neurons = 4, na = "stimuli"), "\"stimuli\" leaves none[.]$")
  expect_refused(trial_to_trial(trials, neurons = 4, na = "neurons"), "\"neurons\" leaves none[.]$")
  trials[4:6, , 4] <- 1
  expect_refused(trial_to_trial(trials, neurons = 4), c("trials \\(here 3\\)", "na = \"stimuli\""))
  expect_refused(trial_to_trial(trials[, , 2:3], neurons = 4), "[)][.] na = \"stimuli\" leaves")
  lacking <- replace(z, cbind(1:13, 1), NA)
  expect_refused(told(similarity(lacking, z, na = "stimuli"))$value, c("1 row", "at least 2"))
})

test_that("the analyses leave out the same", {
  run <- function(f, ...) {
    set.seed(7)
    undefined_is_fine(told(f(..., repeats = 4, estimator = c("naive", "stimulus"))))
  }
  expect_alike <- function(given, expected, message) {
    same_scores(given$value, expected$value)
    expect_match(given$messages, message, fixed = TRUE)
    expect_output(print(given$value), message, fixed = TRUE)
    expect_length(expected$messages, 0)
  }
  expect_alike(run(brain_to_brain, x, y, na = "stimuli"),
               run(brain_to_brain, x[whole, ], y[whole, ]), "3 of 14 stimuli")
  expect_alike(run(brain_to_brain, x, y, na = "neurons"),
               run(brain_to_brain, x[, -c(1, 2, 5)], y[, -(4:5)]), "3 of 6 in `x`")
  expect_alike(run(brain_to_brain, list(a = x, b = y, c = z), na = "stimuli"),
               run(brain_to_brain, list(a = x[whole, ], b = y[whole, ], c = z[whole, ])), "3 of 14")
  expect_alike(run(brain_to_brain, y, neurons = 2, na = "neurons"),
               run(brain_to_brain, y[, -(4:5)], neurons = 2), "2 of 6 in `x`")
  expect_alike(run(brain_to_model, x, list(l = y, m = z), na = "stimuli"),
               run(brain_to_model, x[whole, ], list(l = y[whole, ], m = z[whole, ])), "3 of 14")
  expect_alike(run(brain_to_model, x, list(l = y, m = z), na = "neurons"),
               run(brain_to_model, x[, -c(1, 2, 5)], list(l = y[, -(4:5)], m = z)),
               "2 of 6 in `layers$l`")
  object <- rep(c("face", "car"), each = 7)
  expect_alike(run(object_disentanglement, y, object, na = "stimuli"),
               run(object_disentanglement, y[-11, ], object[-11]), "1 of 14 stimuli")
  expect_alike(run(object_disentanglement, y, object, na = "neurons"),
               run(object_disentanglement, y[, -(4:5)], object), "2 of 6")
  expect_refused(object_disentanglement(y, object[-11], na = "stimuli"), c("13 labels", "14 rows"))
})

test_that("labels of the analyses are cut like the neurons", {
  set.seed(8)
  wide <- related_pair(20, 8, 8, d = 3)
  a <- replace(wide$x, cbind(4, 2), NA)
  b <- replace(wide$y, cbind(6, 7), NA)
  run <- function(f, ...) {
    set.seed(9)
    undefined_is_fine(suppressMessages(f(..., repeats = 5, estimator = "stimulus_neuron")))
  }
  units <- c(1, 1, 2, 2, 3, 3, 4, 4)
  same_scores(run(brain_to_brain, a, b, units_x = units, units_y = rev(units) + 1, na = "neurons"),
              run(brain_to_brain, a[, -2], b[, -7], units_x = units[-2],
                  units_y = (rev(units) + 1)[-7]))
  # the same neuron on both sides
  same_scores(run(brain_to_brain, a, b, units_x = 1:8, units_y = 1:8, na = "neurons"),
              run(brain_to_brain, a[, -c(2, 7)], b[, -c(2, 7)], units_x = 1:6, units_y = 1:6))
  same_scores(run(brain_to_brain, list(p = a, q = b), units_x = list(q = 1:8, p = 1:8),
                  na = "neurons"),
              run(brain_to_brain, list(p = a[, -c(2, 7)], q = b[, -c(2, 7)]),
                  units_x = list(p = 1:6, q = 1:6)))
  same_scores(run(brain_to_brain, a, split = units > 2, units_x = units, na = "neurons"),
              run(brain_to_brain, a[, -2], split = (units > 2)[-2], units_x = units[-2]))
  same_scores(run(brain_to_model, a, list(l = b), units = units, na = "neurons"),
              run(brain_to_model, a[, -2], list(l = b[, -7]), units = units[-2]))
  trials <- list(a, b, wide$x + 1)
  same_scores(run(trial_to_trial, trials, units = units, na = "neurons"),
              run(trial_to_trial, lapply(trials, function(t) t[, -c(2, 7)]),
                  units = units[-c(2, 7)]))
  expect_refused(brain_to_brain(a, b, units_x = 1:7, units_y = 1:8, na = "neurons"), "7 labels")
  expect_refused(brain_to_brain(a, split = 1:7, na = "neurons"), "7 labels")
})

test_that("trials have their own rule for missing values, and the others as well", {
  set.seed(10)
  trials <- lapply(1:3, function(t) matrix(rnorm(60), 12) + 3 * (1:12 %% 4))
  trials[[2]][5, 3] <- NA
  run <- function(...) {
    set.seed(11)
    undefined_is_fine(told(trial_to_trial(..., repeats = 3)))
  }
  expect_identical(eval(formals(trial_to_trial)$na)[1], "pairs")
  same_scores(run(trials)$value, run(trials, na = "pairs")$value)
  cut <- run(trials, na = "stimuli")
  expect_match(cut$messages, "1 of 12 stimuli left out (row 5)", fixed = TRUE)
  same_scores(cut$value, run(lapply(trials, function(t) t[-5, ]))$value)
  same_scores(run(trials, na = "neurons")$value, run(lapply(trials, function(t) t[, -3]))$value)
  expect_refused(trial_to_trial(trials, na = "error"), c("trials\\[\\[2\\]\\]", "row 5, column 3"))
  trials[[2]][5, 3] <- NaN
  expect_refused(trial_to_trial(trials), c("trials\\[\\[2\\]\\]", "row 5, column 3"))
  same_scores(run(trials, na = "stimuli")$value, cut$value)
})

test_that("what is left keeps its names, and is not asked for identifiers again", {
  ranks <- apply(matrix(rnorm(14 * 3), 14), 2, rank)
  dimnames(ranks) <- list(letters[1:14], c("p", "q", "r"))
  y <- replace(z, cbind(which(ranks[, 1] == 14), 2), NA)
  rownames(y) <- letters[1:14]
  keep <- ranks[, 1] != 14
  given <- told(similarity(ranks, y, na = "stimuli"))$value
  expect_identical(given$score, rv(unname(ranks)[keep, ], unname(y)[keep, ]))
  rownames(y) <- rev(letters[1:14])
  turned <- told(similarity(ranks, y, na = "stimuli"))$value
  at <- 15 - which(ranks[, 1] == 14)
  expect_identical(turned$score, rv(unname(ranks)[-at, ], unname(y)[14:1, ][-at, ]))
  rownames(y) <- LETTERS[1:14]
  expect_refused(similarity(ranks, y, na = "stimuli"), "name different stimuli")
})

test_that("designs of permute that do not suit what is left are refused", {
  skip_if_not_installed("permute")
  set.seed(14)
  p <- related_pair(6, 3, 3)
  p$x[2, 1] <- NA
  run <- function(design) {
    suppressMessages(calibrate(p$x, p$y, permutations = design, na = "stimuli"))
  }
  all <- permute::how(all.perms = permute::allPerms(6))
  expect_refused(run(all), c("set of permutations", "stimuli"))
  short <- permute::how(plots = permute::Plots(rep(1:2, 2), type = "free"))
  expect_refused(run(short), c("plots", "6 rows", "4"))
})

test_that("`na` is not advised against infinite values, which are always an error", {
  set.seed(42)
  y <- matrix(rnorm(60), 10)
  x <- replace(y, 3, Inf)
  said <- function(x) conditionMessage(tryCatch(similarity(x, y), error = identity))
  expect_match(said(x), "`x` has 1 infinite value: row 3, column 1")
  expect_false(grepl("na = ", said(x), fixed = TRUE))
  expect_match(said(replace(x, 5, NA)), "2 missing or non-finite values.*na = \"stimuli\"")
})

test_that("every function that takes data leaves out what is missing", {
  holes <- replace(x, 5, NA)
  dimnames(holes) <- NULL
  stimuli <- which(rowSums(is.na(holes)) == 0)
  neurons <- which(colSums(is.na(holes)) == 0)
  full <- matrix(rnorm(nrow(holes) * 6), nrow(holes))
  model <- matrix(rnorm(nrow(holes) * 3), nrow(holes))
  trials <- array(rnorm(nrow(holes) * 8), c(nrow(holes), 4, 2))
  lacking <- replace(trials, 3, NA)
  near <- list(1:2, 3:4, neurons)
  group <- rep(1:2, length.out = nrow(holes))
  # the call with `na`, and that with data cut by hand; rows: TRUE for all, or those of `holes`
  calls <- list(
    rsa = function(a, b, ...) rsa(a, b, ...), cka = function(a, b, ...) cka(a, b, ...),
    cka_labels = function(a, b, ...) cka(a, b, estimator = "stimulus", ...),
    hsic = function(a, b, ...) hsic(a, b, ...),
    mutual_knn = function(a, b, ...) mutual_knn(a, b, 3, ...),
    gulp = function(a, b, ...) gulp(a, b, ...),
    soft = function(a, b, ...) soft_correlation_match(a, b, ...),
    interval = function(a, b, ...) as.data.frame(cka_interval(a, b, ...)),
    bias = function(a, b, ...) as.data.frame(predicted_bias(a, b, ...)),
    dimension = function(a, b, ...) as.data.frame(participation_ratio(a, ...)),
    subjects = function(a, b, ...) as.data.frame(subject_ceiling(list(u = a, v = b), ...)),
    prepare = function(a, b, ...) similarity(prepare(list(u = a, v = b), "cka", ...))$score,
    noise = function(a, b, ...) noise_covariance(a, ...)
  )
  for (name in names(calls)) {
    call <- function(...) quietly(calls[[name]](...))
    expect_error(call(holes, full), class = "repalign_error_nonfinite", info = name)
    expect_equal(call(holes, full, na = "stimuli"), call(holes[stimuli, ], full[stimuli, ]),
                 info = name, ignore_attr = TRUE)
    expect_equal(call(holes, full, na = "neurons"), call(holes[, neurons], full), info = name,
                 ignore_attr = TRUE)
    expect_refused(call(holes, full, na = "omit"), "`na`")
  }
  # one argument has more rows than stimuli, or labels of its own
  weights <- matrix(runif(2 * nrow(holes)), nrow(holes))
  expect_equal(quietly(score_weighted(holes, full, "cka", weights, na = "stimuli")),
               score_weighted(holes[stimuli, ], full[stimuli, ], "cka", weights[stimuli, ]))
  expect_equal(quietly(participation_ratio(holes, units = 1:6, na = "neurons")),
               participation_ratio(holes[, neurons], units = neurons))
  shared <- matrix(rnorm(60 * 5), 60)
  many <- shared[, rep(1:5, 4)] + 0.3 * matrix(rnorm(60 * 20), 60)
  other <- shared[, rep(1:5, 3)] + 0.3 * matrix(rnorm(60 * 15), 60)
  plan <- function(a, b, ...) as.data.frame(suppressWarnings(plan_recording(a, b, ...)))
  expect_equal(quietly(plan(replace(many, 7, NA), other, na = "stimuli")),
               plan(many[-7, ], other[-7, ]))
  expect_equal(quietly(plan(replace(many, 7, NA), other, units_x = rep(1:10, 2),
                            units_y = 1:15, na = "neurons")),
               plan(many[, -1], other, units_x = rep(1:10, 2)[-1], units_y = 1:15))
  square <- function(a, ...) as.vector(rdm(a, distance = "sqeuclidean", ...))
  expect_equal(quietly(square(holes, na = "stimuli")), square(holes[stimuli, ]))
  expect_equal(quietly(square(holes, condition = group, na = "stimuli")),
               square(holes[stimuli, ], condition = group[stimuli]))
  expect_equal(quietly(square(holes, na = "neurons")), square(holes[, neurons]))
  light <- function(a, near, model, ...) as.data.frame(searchlight(a, near, model, ...))$score
  expect_equal(quietly(light(holes, list(neurons), model, na = "stimuli")),
               light(holes[stimuli, ], list(neurons), model[stimuli, ]))
  expect_equal(quietly(light(holes, list(1:6), model, na = "neurons")),
               light(holes[, neurons], list(seq_along(neurons)), model))
  expect_refused(light(holes, list(setdiff(1:6, neurons)[1]), model, na = "neurons"), "no channel")
  # trials of which some neurons lack
  ceiling <- function(a, b,
                      ...) as.data.frame(noise_ceiling(a, b, "rsa", splits = 2, ...))[["score"]]
  expect_error(ceiling(lacking, model), class = "repalign_error_nonfinite")
  expect_equal(quietly(ceiling(lacking, model, na = "stimuli")),
               quietly(ceiling(trials[-3, , ], model[-3, ])))
  expect_equal(quietly(ceiling(lacking, model, na = "neurons")),
               quietly(ceiling(trials[, -1, ], model)))
})

test_that("pairwise is passed on to measures that have it, and contradictions are errors", {
  set.seed(9)
  whole <- dist(matrix(rnorm(30), 10))
  lacks <- replace(dist(matrix(rnorm(30), 10)), 4, NA)
  own <- measure("rsa", outer = "cosine", na = "pairwise")
  expected <- quietly(rsa(lacks, whole, outer = "cosine", na = "pairwise"))
  set <- measure("rsa", outer = "cosine")
  expect_equal(quietly(similarity(lacks, whole, set, na = "pairwise")),
               quietly(similarity(lacks, whole, own)))
  expect_equal(quietly(similarity(lacks, whole, set, na = "pairwise"))$score, expected)
  expect_equal(quietly(score_interval(lacks, whole, set, na = "pairwise", draws = 20))$score,
               expected)
  expect_equal(quietly(calibrate(lacks, whole, set, 9, na = "pairwise"))$score, expected)
  expect_equal(quietly(subject_ceiling(list(lacks, whole), set, na = "pairwise"))$pairwise,
               expected)
  expect_refused(similarity(lacks, whole, c("rsa", "bures"), na = "pairwise"),
                 c("\"bures\"", "rsa"))
  for (rule in c("error", "stimuli", "neurons")) {
    expect_refused(similarity(lacks, whole, own, na = rule), c("na = \"pairwise\"", "give one"))
  }
  expect_refused(measure("rsa", na = "stimuli"), "`na`")
  expect_refused(measure("cka", na = "stimuli"), "no parameter \"na\"")
})
