# One word for one thing: where a parameter of a measure belongs, and what functions that share an
# argument do with it.

x <- local({
  set.seed(1)
  matrix(rnorm(80), 20)
})
y <- local({
  set.seed(2)
  matrix(rnorm(60), 20)
})

test_that("parameters of measures are refused with the measure that they belong to", {
  trials <- array(rnorm(20 * 4 * 3), c(20, 4, 3))
  calls <- list(
    similarity = function(...) similarity(x, y, ...),
    calibrate = function(...) calibrate(x, y, ..., permutations = 19),
    score_interval = function(...) score_interval(x, y, ...),
    score_weighted = function(...) score_weighted(x, y, ..., weights = rep(1, 20)),
    contributions = function(...) contributions(x, y, ...),
    noise_ceiling = function(...) noise_ceiling(trials, y, ...),
    subject_ceiling = function(...) subject_ceiling(list(x, y), ...),
    prepare = function(...) prepare(x, ...),
    searchlight = function(...) searchlight(x, list(1:2), y, ...)
  )
  for (name in names(calls)) {
    call <- calls[[name]]
    expect_refused(call(measure = "cka", estimator = "stimulus"),
                   "measure\\(\"cka\", estimator = \"stimulus\"\\)")
    expect_refused(call(measure = "rsa", inner = "euclidean", outer = "cosine"),
                   "measure\\(\"rsa\", inner = \"euclidean\", outer = \"cosine\"\\)")
    error <- expect_refused(call(measure = "rsa", estimator = "stimulus"),
                            c("no argument `estimator`", "\"rsa\" has no such parameter"))
    expect_s3_class(error, "repalign_error_parameter")
  }
  # the value as it was written, and all measures that have the parameter
  width <- 3
  expect_refused(similarity(x, y, c("mutual_knn", "cka", "knn_jaccard"), k = width),
                 c("measure\\(\"mutual_knn\", k = width\\)", "measure\\(\"knn_jaccard\", k = width"))
  # these begin like an argument of the function
  expect_refused(similarity(x, y, "uniformity_difference", t = 2),
                 "measure\\(\"uniformity_difference\", t = 2\\)")
  expect_refused(similarity(x, y, "cka", treads = 2), "did you mean \"threads\"")
  expect_refused(similarity(x, y, "cka", TRUE), "without a name")
  own <- new_measure(function(x, y) 1, "similarity")
  expect_refused(similarity(x, y, own, estimator = "stimulus"), "no argument `estimator`")
})

test_that("the error of a parameter leads to a call that works", {
  given <- tryCatch(similarity(x, y, "cka", estimator = "stimulus", kernel = "rbf"),
                    error = conditionMessage)
  shown <- regmatches(given, regexpr("measure\\(.*\\)", given))
  remedy <- eval(parse(text = shown))
  expect_identical(similarity(x, y, remedy)$score, cka(x, y, "rbf", estimator = "stimulus"))
})

test_that("runs are labels, or TRUE for crossed trials, everywhere", {
  set.seed(3)
  trials <- array(rnorm(6 * 5 * 4), c(6, 5, 4))
  rows <- matrix(aperm(trials, c(1, 3, 2)), 24, 5)
  design <- expand.grid(condition = paste0("c", 1:6), run = paste0("r", 1:4))
  shuffled <- sample(24)
  same <- function(a, b) expect_equal(a, b, ignore_attr = TRUE)
  # rdm(), noise_covariance() and searchlight()
  labelled <- rdm(rows, design$condition, design$run)
  same(rdm(rows, design$condition, run = TRUE), labelled)
  same(rdm(trials, run = TRUE), labelled)
  same(rdm(trials, run = letters[1:4]), labelled)
  covariance <- noise_covariance(rows, design$condition, design$run)
  same(noise_covariance(rows, design$condition, run = TRUE), covariance)
  same(noise_covariance(trials, run = TRUE), covariance)
  model <- dist(rnorm(6))
  found <- searchlight(rows, list(1:3, 3:5), model, condition = design$condition, run = design$run)
  same(searchlight(rows, list(1:3, 3:5), model, condition = design$condition, run = TRUE), found)
  expect_refused(rdm(rows, run = TRUE), "`condition` is missing")
  expect_refused(noise_covariance(rows, run = TRUE), c("`condition`", "`run`"))
  expect_refused(rdm(rows[-1, ], design$condition[-1], TRUE), c("\"c1\" has 3", "`run`"))
  expect_refused(rdm(trials, run = FALSE), "TRUE for crossed trials")
  # responses()
  crossed <- responses(trials, run = TRUE)
  same(unclass(responses(trials, run = paste0("r", 1:4)))$values, unclass(crossed)$values)
  by_row <- responses(rows, design$condition, run = design$run)
  expect_true(unclass(by_row)$run)
  expect_equal(rdm(by_row), rdm(crossed), ignore_attr = TRUE)
  other <- responses(rows[shuffled, ], design$condition[shuffled], run = design$run[shuffled])
  score <- function(x) suppressMessages(hsic(x, x, estimator = "stimulus"))
  expect_equal(score(other), score(crossed))
  expect_equal(score(responses(data.frame(rows, design), "condition", run = "run")), score(crossed))
  expect_refused(responses(trials, trial = 1:4, run = 1:4), c("`run` and `trial`"))
  expect_refused(responses(trials, run = 1:3), "`run` has 3 labels")
  expect_refused(responses(rows, design$condition, run = rep(1:3, 8)), "`run` has the label")
  expect_refused(responses(trials, run = NA), "`run`")
})

test_that("RSA without choices is one thing, and what differs is printed", {
  set.seed(7)
  trials <- array(rnorm(15 * 6 * 4), c(15, 6, 4))
  means <- apply(trials, 1:2, mean)
  model <- matrix(rnorm(75), 15)
  expected <- rsa(means, model)
  found <- list(
    similarity(means, model, "rsa"), quietly(score_interval(means, model, "rsa")),
    quietly(calibrate(means, model, "rsa", 19)), quietly(noise_ceiling(trials, model, "rsa"))
  )
  for (result in found) expect_equal(result$score, expected)
  expect_equal(quietly(subject_ceiling(list(means, model)))$pairwise, expected)
  expect_equal(score_weighted(means, model, "rsa", rep(1, 15)), expected)
  rdms <- list(s1 = dist(means), s2 = dist(model), s3 = dist(trials[, , 1]))
  evaluation <- function(...) {
    quietly(evaluate_rdms(rdms, list(m = dist(trials[, , 2])), ..., draws = 20))
  }
  expect_output(print(evaluation()), "whitened_cosine (pairs of stimuli are whitened)", fixed = TRUE)
  expect_no_match(capture.output(print(evaluation("pearson"))), "whitened")
})

test_that("neurons of a plan are those of a side", {
  expect_refused(plan_recording(x, y, neurons = 10), c("`neurons_x`", "`neurons_y`"))
})

test_that("no function takes the beginning of a word for the word", {
  set.seed(1)
  x <- matrix(rnorm(48), 12)
  y <- matrix(rnorm(36), 12)
  labels <- rep(1:6, 2)
  meant <- function(call, word, whole) {
    error <- expect_refused(call, paste0("no argument `", word, "` here; did you mean `", whole))
    expect_s3_class(error, "repalign_error_parameter")
  }
  meant(cka(x, y, estimator = "stimulus", cluster = labels), "cluster", "clusters")
  meant(hsic(x, y, cluster = labels), "cluster", "clusters")
  meant(rsa(x, y, cluster = labels), "cluster", "clusters")
  meant(cka_interval(x, y, cluster = labels), "cluster", "clusters")
  meant(rsa_regression(dist(x) ~ dist(y), block = labels), "block", "blocks")
  meant(calibrate(x, y, meas = "rsa"), "meas", "measure")
  meant(brain_to_brain(x, y, rep = 3), "rep", "repeats")
  meant(jsd(x, y, f = "logit"), "f", "from")
  meant(measure(i = "cka"), "i", "id")
  # by way of other functions, too
  meant(do.call(cka, list(x, y, cluster = labels)), "cluster", "clusters")
  meant(lapply(list(x, x), cka, y, cluster = labels), "cluster", "clusters")
  by_way <- function(...) rsa(x, y, ...)
  meant(by_way(cluster = labels), "cluster", "clusters")
  expect_identical(by_way(clusters = labels), rsa(x, y, clusters = labels))
  expect_identical(by_way(), rsa(x, y))
  # every function that takes data does
  calls <- argument_calls()
  for (name in names(calls)) {
    call <- get(name, asNamespace("repalign"))
    known <- names(formals(call))
    known <- known[cumsum(known == "...") == 0]
    for (word in setdiff(known, c("x", "y", "p", "q", "id"))) {
      part <- substr(word, 1, nchar(word) - 1)
      if (part %in% known || nchar(part) < 2) next
      args <- calls[[name]]
      args[[word]] <- NULL
      args[[part]] <- NULL
      args <- c(args, stats::setNames(list(1), part))
      # two arguments may begin alike, which R itself refuses
      if (sum(startsWith(setdiff(known, names(args)), part)) > 1) next
      expect_error(do.call(call, args), paste0("no argument `", part, "`"), info = paste(name, word))
    }
  }
})

test_that("a parameter of another measure is shown where it belongs", {
  set.seed(1)
  x <- matrix(rnorm(48), 12)
  for (f in list(similarity, score_interval, calibrate)) {
    expect_refused(f(x, x[, 1:2], "rsa", estimator = "stimulus"),
                   "measure\\(\"cka\", estimator = ...\\)")
  }
  expect_refused(similarity(x, x[, 1:2], "rsa", neighbors = 3), "no argument `neighbors` here")
})
