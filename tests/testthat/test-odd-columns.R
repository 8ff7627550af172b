# Columns that are no neurons, codes of missing values, and what was given in the place of data.

odd_data <- function() {
  set.seed(1)
  x <- normal_matrix(60, 12)
  colnames(x) <- paste0("n", 1:12)
  coded <- replace(x, sample(length(x), 20), -999)
  trials <- array(rnorm(60 * 12 * 4), c(60, 12, 4))
  list(x = x, y = normal_matrix(60, 8), coded = coded, timed = cbind(x, rt_ms = rnorm(60, 500, 200)),
       trials = trials, coded_trials = replace(trials, sample(length(trials), 20), -999))
}

# The warnings of one call about odd columns and values.
odd_told <- function(call) {
  told <- list()
  withCallingHandlers(suppressMessages(call), warning = function(w) {
    if (inherits(w, "repalign_dominant")) told[[length(told) + 1]] <<- w
    invokeRestart("muffleWarning")
  })
  told
}

odd_calls <- list(
  cka = function(x, y) cka(x, y), rsa = function(x, y) rsa(y, x),
  `bare matrices` = function(x, y) mutual_knn(unname(as.matrix(x)), y),
  similarity = function(x, y) similarity(list(a = x, b = y)),
  calibrate = function(x, y) calibrate(x, y, permutations = 19),
  score_interval = function(x, y) score_interval(x, list(y = y)),
  cka_interval = function(x, y) cka_interval(x, y, "stimulus"),
  encode = function(x, y) encode(x, y, lambda = 1), held_out = function(x, y) held_out(x, y),
  consensus = function(x, y) consensus(list(a = x, b = y)),
  brain_to_brain = function(x, y) brain_to_brain(x, y, neurons = 4, repeats = 2),
  brain_to_model = function(x, y) brain_to_model(x, list(y = y), neurons = 4, repeats = 2),
  participation_ratio = function(x, y) participation_ratio(x),
  evaluate_models = function(x, y) evaluate_models(x, list(a = y, b = y[, 1:6]), permutations = 19),
  subject_ceiling = function(x, y) subject_ceiling(list(x, y), "cka"),
  searchlight = function(x, y) searchlight(x, list(1:5, 4:9), list(m = y), permutations = 0),
  rsa_regression = function(x, y) rsa_regression(b ~ m, list(b = x, m = y), permutations = 19),
  stream_cka = function(x, y) stream_cka(list(list(x = x, y = y)), batch = 20, shuffle = FALSE),
  rdm = function(x, y) rdm(x, distance = "sqeuclidean"), prepare = function(x, y) prepare(x)
)

test_that("odd columns and codes are told once by every function, with name, share and value", {
  d <- odd_data()
  for (name in names(odd_calls)) {
    call <- odd_calls[[name]]
    expect_length(odd_told(call(d$x, d$y)), 0)
    told <- odd_told(call(d$timed, d$y))
    expect_length(told, 1)
    expect_match(conditionMessage(told[[1]]), "9[0-9.]*% of the variance of its 13 columns.*divide")
    if (name != "bare matrices") expect_match(conditionMessage(told[[1]]), "\"rt_ms\"")
    told <- odd_told(call(d$coded, d$y))
    expect_length(told, 1)
    expect_match(conditionMessage(told[[1]]), "the value -999 in 20 cells.*make it NA")
    expect_no_match(conditionMessage(told[[1]]), "divide")
    expect_s3_class(told[[1]], "repalign_sentinel")
  }
  told <- odd_told(noise_ceiling(d$coded_trials, d$y, measure("cka", estimator = "stimulus")))
  expect_length(told, 1)
  expect_match(conditionMessage(told[[1]]), "-999 in 20 cells")
  # each of a list is named, in one warning
  told <- odd_told(similarity(list(a = d$timed, b = d$timed[60:1, ], c = d$y)))
  expect_length(told, 1)
  expect_match(conditionMessage(told[[1]]), "`x\\$a`.*`x\\$b`")
})

test_that("neurons are no odd columns, and few or frequent values no codes", {
  d <- odd_data()
  quiet <- function(x) expect_length(odd_told(rv(x, d$y)), 0)
  quiet(d$x %*% diag((1:12)^-1.5))
  quiet(matrix(rpois(720, 0.1), 60))
  quiet(cbind(d$x, 1000))
  quiet(cbind(d$x[, 1:3], 100 * d$x[, 4]))
  quiet(replace(d$x, c(1, 61), 9999))
  quiet(replace(d$x, 1:30, 3))
  # silent units, and 8 bits that are saturated
  active <- matrix(sample(100:140, 720, TRUE), 60)
  quiet(replace(active, sample(720, 300), 0))
  quiet(replace(matrix(rpois(720, 0.3), 60), sample(720, 40), 255))
  expect_length(odd_told(rv(replace(d$x, 1:3, 9999), d$y)), 1)
  expect_length(odd_told(rv(replace(d$x, 1, NA), d$y, na = "stimuli")), 0)
  expect_length(odd_told(rv(replace(d$timed, 1, NA), d$y, na = "stimuli")), 1)
  for (x in list(macaque_it[[1]], macaque_v4$other_day, v4_layers$L2)) {
    if (is.matrix(x)) expect_null(odd_in(list(data = x, arg = "x")))
  }
  expect_warning(cka(d$timed, d$y, estimator = "stimulus_neuron"), class = "repalign_dominant") |>
    expect_warning("A single column or value outweighs", class = "repalign_undefined")
})

test_that("unknown arguments, lists and names of files are told what was meant", {
  d <- odd_data()
  layers <- list(a = d$y, b = d$y)
  expect_refused(cka(d$x, d$y, na.rm = TRUE), c("`na.rm`", "did you mean \"na\""))
  expect_refused(encode(d$x, d$y, standardise = TRUE), c("`standardise`", "\"standardize\""))
  expect_refused(cka(d$x, layers), c("`y`", "evaluate_models\\(\\)", "similarity\\(\\)"))
  expect_refused(cka(layers, d$x), c("`x`", "evaluate_models\\(\\)"))
  expect_refused(cka(d$x, "file.npy"), c("`y`", "read_representation\\(\\)"))
  sided <- function(label) responses(array(rnorm(30 * 6 * 3), c(30, 6, 3)), session = rep(label, 6))
  expect_message(suppressWarnings(brain_to_brain(sided("a"), sided("b"), neurons = 3, repeats = 2)),
                 "`x` and `y` are of one session each", class = "repalign_estimator")
})

test_that("an array of stimuli x trials x neurons is told to be turned", {
  set.seed(2)
  means <- rexp(12, 1 / 10)
  x <- array(rpois(40 * 12 * 5, rep(rep(means, each = 40), 5)), c(40, 12, 5))
  expect_no_message(responses(x))
  expect_message(responses(aperm(x, c(1, 3, 2))), "aperm\\(x, c\\(1, 3, 2\\)\\)",
                 class = "repalign_note_turned")
  # few neurons of many trials, which all drift
  expect_no_message(responses(aperm(aperm(array(rnorm(40 * 3 * 30), c(40, 3, 30)), c(3, 1, 2)) +
                                      seq(0, 0.5, length.out = 30), c(2, 3, 1))))
})

test_that("what a column that outweighs all others makes undefined is not laid on few neurons", {
  set.seed(3)
  x <- matrix(rnorm(40 * 8), 40, dimnames = list(NULL, c("rt", paste0("n", 2:8))))
  x[, 1] <- x[, 1] * 100
  y <- matrix(rnorm(40 * 8), 40)
  told <- function(expr) {
    said <- testthat::capture_warnings(tryCatch(expr, repalign_error = function(e) {
      warning(conditionMessage(e))
    }))
    paste(said[grepl("undefined", said)], collapse = " ")
  }
  for (said in list(told(cka(x, y, estimator = "stimulus_neuron")), told(cka_interval(x, y)),
                    told(plan_recording(x, y, target_se = .05)))) {
    expect_match(said, "outweighs all others")
    expect_no_match(said, "too few")
  }
  y <- matrix(rnorm(40 * 4), 40)
  expect_match(told(plan_recording(matrix(rnorm(40 * 8), 40), y)), "too few")
})
