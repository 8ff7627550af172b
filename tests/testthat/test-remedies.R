# Remedies that messages name are run on the data that raised the message; the guilty element of a
# list and the places of holes are named; and what comes out of one function goes into the next.

named <- function(x, prefix = "i") {
  rownames(x) <- paste0(prefix, seq_len(nrow(x)))
  x
}

# A case: `call` fails with a message that has every text of `says`, and every call of `remedies`
# (as the message shows it, or with the data in the place of its words) works on the same data.
expect_remedy <- function(call, says, remedies, env = parent.frame()) {
  call <- substitute(call)
  error <- tryCatch(quietly(eval(call, env)), error = identity)
  label <- deparse(call)[1]
  expect_s3_class(error, "repalign_error")
  for (text in says) expect_match(conditionMessage(error), text, fixed = TRUE, info = label)
  for (remedy in remedies) {
    worked <- tryCatch({
      quietly(eval(parse(text = remedy), env))
      TRUE
    }, error = function(e) conditionMessage(e))
    expect_true(worked, label = paste0(remedy, " (after ", label, "): ", worked))
  }
}

test_that("remedies work: rows, names, repeats", {
  set.seed(1)
  x <- named(matrix(rnorm(60), 12))
  y <- named(matrix(rnorm(48), 12))[12:1, ]
  further <- rbind(y, other = 1:4)
  expect_remedy(cka(x, further[-1, ]), "match_rows()", "do.call(cka, match_rows(x, further[-1, ]))")
  expect_remedy(cka(x, y[1:9, ]), "match_rows()", "do.call(cka, match_rows(x, y[1:9, ]))")
  twice <- x
  rownames(twice) <- rep(paste0("i", 1:6), 2)
  other <- y
  rownames(other) <- rep(paste0("i", 6:1), 2)
  expect_remedy(
    match_rows(twice, other), "responses(x)",
    paste("matched <- match_rows(responses(twice), responses(other));",
          "cka(matched$x, matched$y)")
  )
  x <- named(matrix(rnorm(60), 12))
  expect_remedy(cka(twice, twice[, 1:2]), c("responses(", "clusters = rownames(x)"),
                c("cka(responses(twice, rownames(twice)), responses(twice[, 1:2], rownames(twice)))",
                  "cka(twice, twice[, 1:2], estimator = \"stimulus\", clusters = rownames(twice))"))
  data <- data.frame(image = rep(c("a", "b", "c"), 2), n1 = rnorm(6), n2 = rnorm(6))
  expect_remedy(response_matrix(data, "image"), "responses(data, stimulus = \"image\")",
                "responses(data, stimulus = \"image\")")
  words <- data.frame(image = paste0("i", 1:12), x[, 1:3])
  expect_remedy(cka(words, x), "response_matrix(data, stimulus = \"image\")",
                "cka(response_matrix(words, stimulus = \"image\"), x)")
  expect_remedy(similarity(x), "`y` is missing", "similarity(x, x[, 1:2])")
  expect_remedy(cka(t(x), x[, 1:4]), c("match_rows()"), "cka(x, x[, 1:4])")
  holes <- replace(x, 5, NA)
  expect_remedy(cka(holes, x), "na = \"stimuli\" or \"neurons\"",
                c("cka(holes, x, na = \"stimuli\")", "cka(holes, x, na = \"neurons\")"))
  lost <- array(rnorm(150), c(10, 5, 3))
  lost[2, 3:5, 1] <- NA
  expect_remedy(rdm(lost), c("na = \"stimuli\" leaves out 1 of 10 stimuli",
                             "na = \"neurons\" leaves out 3 of 5 neurons"),
                c("rdm(lost, na = \"stimuli\")", "rdm(lost, na = \"neurons\")"))
  expect_remedy(similarity(x, x, "rsa", outer = "cosine"), "measure(\"rsa\", outer = \"cosine\")",
                "similarity(x, x, measure(\"rsa\", outer = \"cosine\"))")
  expect_remedy(similarity(x, x, mean), "new_measure()",
                "similarity(x, x, new_measure(function(x, y) mean(x), \"similarity\"))")
  shared <- matrix(rnorm(60 * 4), 60)
  one <- shared[, rep(1:4, 5)] + 0.3 * matrix(rnorm(1200), 60)
  two <- shared[, rep(1:4, 4)] + 0.3 * matrix(rnorm(960), 60)
  expect_remedy(plan_recording(one, two, neurons = 30), c("`neurons_x`", "`neurons_y`"),
                "plan_recording(one, two, neurons_x = 30, neurons_y = 30)")
})

test_that("remedies work: conditions, runs and RDMs", {
  set.seed(2)
  design <- expand.grid(condition = paste0("c", 1:6), run = 1:4)
  df <- data.frame(design, matrix(rnorm(24 * 5), 24))
  m <- as.matrix(df[-(1:2)])
  # columns that hold the labels are no channels
  expected <- rdm(m, df$condition, df$run)
  expect_identical(rdm(df, df$condition, df$run), expected)
  expect_identical(rdm(df, "condition", "run"), expected)
  numbers <- transform(df, condition = as.integer(factor(condition)))
  expect_equal(as.vector(rdm(numbers, numbers$condition, numbers$run)), as.vector(expected))
  expect_identical(noise_covariance(df, df$condition, df$run), noise_covariance(m, df$condition, df$run))
  expect_remedy(rdm(m), c("`condition` is missing", "\"sqeuclidean\""),
                c("rdm(m, df$condition, df$run)", "rdm(m, distance = \"sqeuclidean\")"))
  expect_remedy(rdm(m, df$condition), "`run` is missing",
                c("rdm(m, df$condition, run = TRUE)", "rdm(m, df$condition, distance = \"sqeuclidean\")"))
  expect_remedy(rdm(m, df$condition, df$run, "mahalanobis"), "noise_precision()",
                "rdm(m, df$condition, df$run, \"mahalanobis\", noise = noise_precision(m, df$condition, df$run))")
  expect_remedy(noise_covariance(m, by_run = TRUE), "`run` is missing",
                "noise_covariance(m, run = df$run, by_run = TRUE)")
  lacks <- replace(dist(m), 4, NA)
  expect_remedy(rsa(lacks, dist(m)), "na = \"pairwise\"", "rsa(lacks, dist(m), na = \"pairwise\")")
  expect_remedy(evaluate_rdms(list(a = lacks, b = dist(m)), list(m = dist(m[, 1:2]))),
                "na = \"pairwise\"",
                "evaluate_rdms(list(a = lacks, b = dist(m)), list(m = dist(m[, 1:2])), na = \"pairwise\", draws = 20)")
  expect_remedy(cka(dist(m), m), "kernel = \"rbf\"", "cka(dist(m), m, kernel = \"rbf\")")
  expect_remedy(rsa(dist(m), dist(m), outer = "cosine", stimulus_noise = 1:24), "\"whitened_cosine\"",
                "rsa(dist(m), dist(m), outer = \"whitened_cosine\", stimulus_noise = 1:24)")
  expect_remedy(rsa_regression(lacks ~ dist(m[, 1:2])), "na = \"pairwise\"",
                "rsa_regression(lacks ~ dist(m[, 1:2]), na = \"pairwise\", permutations = 9)")
  v <- rnorm(24)
  expect_remedy(rsa_regression(dist(m) ~ v), c("dist(v)", "factor(v)"),
                c("rsa_regression(dist(m) ~ dist(v), permutations = 9)"))
  expect_remedy(rsa_regression(dist(m) ~ dist(v), fit = "ridge"), "ridge = 0.1",
                "rsa_regression(dist(m) ~ dist(v), fit = \"ridge\", ridge = 0.1, permutations = 9)")
})

test_that("remedies work: trials, clusters and results", {
  set.seed(3)
  trials <- array(rnorm(15 * 6 * 3), c(15, 6, 3))
  y <- matrix(rnorm(60), 15)
  expect_remedy(noise_ceiling(apply(trials, 1:2, mean), y), "trial_array()", "noise_ceiling(trials, y)")
  expect_remedy(noise_ceiling(trials, y, measure("cka", estimator = "stimulus_trial")), "\"stimulus\"",
                "noise_ceiling(trials, y, measure(\"cka\", estimator = \"stimulus\"))")
  x <- apply(trials, 1:2, mean)
  scores <- similarity(x, list(a = y, b = y + rnorm(60)))
  expect_remedy(confint(scores), "score_interval()",
                "confint(score_interval(x, list(a = y, b = y + rnorm(60))))")
  expect_remedy(compare_scores(scores), "score_interval()",
                "compare_scores(score_interval(x, list(a = y, b = y + rnorm(60))))")
  several <- similarity(x, list(a = y, b = y[, 1:3]), c("cka", "rsa"))
  expect_remedy(score_matrix(several), "name one in `measure`", "score_matrix(several, measure = \"cka\")")
})

test_that("the guilty element of a list is named", {
  set.seed(4)
  z <- matrix(rnorm(40), 10)
  areas <- list(V1 = z, V2 = z + 1, V3 = z + rnorm(40), V4 = z)
  blamed <- function(bad, call = similarity) {
    sides <- areas
    sides["V4"] <- list(bad)
    expect_refused(call(sides), "V4")
    sides <- areas
    sides["V1"] <- list(bad)
    # and no other one, but that it was compared with
    error <- conditionMessage(expect_refused(call(sides), "V1"))
    expect_no_match(sub("^cka.naive. of \"V1\" and \"V2\": ", "", error), "V[234]")
  }
  of_areas <- list(similarity, function(x) similarity(z, x), function(x) subject_ceiling(x),
                   function(x) brain_to_model(z, x), function(x) match_rows(lapply(x, function(m) {
                     if (is.matrix(m)) rownames(m) <- seq_len(nrow(m))
                     m
                   })))
  for (call in of_areas) {
    blamed("a", call)
    blamed(mean, call)
    blamed(NULL, call)
  }
  for (call in of_areas[1:4]) blamed(replace(z, 3, NA), call)
  for (call in of_areas[c(1, 3)]) blamed(z[1:5, ], call)
  blamed(list(a = z, b = z))
  blamed(0 * z)
  # other names than all the others
  labelled <- lapply(areas, named)
  labelled$V1 <- named(z, "j")
  expect_match(conditionMessage(expect_refused(similarity(labelled), "V1")), "`x$V1`", fixed = TRUE)
  # text is a measure only if it is the name of one
  expect_refused(similarity(list(V1 = z, V4 = "cka")), "give a measure in the argument `measure`")
  error <- expect_refused(similarity(list(V1 = z, V4 = "v4.csv")), c("v4.csv", "folder"))
  expect_no_match(conditionMessage(error), "measure")
  rdms <- list(s1 = dist(z), s2 = "q")
  expect_refused(evaluate_rdms(rdms, list(m = dist(z))), "rdms\\$s2")
  expect_refused(pool_rdms(list(s1 = dist(z), s2 = dist(z[-1, ])), "pearson"), "rdms\\$s2")
})

test_that("holes are named by the names of rows and columns", {
  holes <- matrix(rnorm(40), 10, dimnames = list(paste0("img", 1:10), paste0("u", 1:4)))
  whole <- unname(holes)
  holes[3, 2] <- NA
  expect_refused(cka(holes, whole), "row 3 \\(\"img3\"\\), column 2 \\(\"u2\"\\)")
  expect_refused(cka(unname(holes), whole), "row 3, column 2\\.")
  expect_refused(rdm(holes, rep(1:5, 2), rep(1:2, each = 5)), "\\(\"img3\"\\), column 2 \\(\"u2\"\\)")
  expect_message(suppressWarnings(cka(holes, whole, na = "stimuli")), "row 3 \\(\"img3\"\\)",
                 class = "repalign_left_out")
  d <- dist(whole)
  attr(d, "Labels") <- rownames(holes)
  d[2] <- NA
  expect_refused(rsa(d, d), "rows 1 \\(\"img1\"\\) and 3 \\(\"img3\"\\)")
})

test_that("methods refuse what they do not know", {
  set.seed(5)
  z <- matrix(rnorm(40), 10)
  s <- similarity(list(a = z, b = z + rnorm(40), c = z + rnorm(40)))
  results <- list(s, quietly(calibrate(z, z + rnorm(40), permutations = 19)),
                  quietly(score_interval(z, z + rnorm(40))), quietly(brain_to_brain(z, z + rnorm(40), repeats = 2)),
                  quietly(noise_ceiling(array(rnorm(90), c(10, 3, 3)))))
  for (result in results) {
    for (method in list(tidy, glance)) expect_refused(method(result, conf.int = TRUE), "conf.int")
    expect_refused(head(result, "a"), "`n`")
    expect_refused(tail(result, "a"), "`n`")
    expect_identical(head(result, 1), result[1, ])
    expect_identical(nrow(head(result, -1)), nrow(result) - 1L)
  }
  expect_refused(summary(s, digits = 3), "digits")
  for (method in list(confint, vcov)) {
    expect_refused(method(s), c("similarity\\(\\)", "score_interval\\(\\)"))
  }
  expect_refused(rsa(z[1, , drop = FALSE], z), "has 1 row and")
})

test_that("compare_scores(), best_score() and compare_best() take every result or say what to take", {
  set.seed(6)
  n <- 14
  trials <- array(rnorm(n * 5 * 3), c(n, 5, 3))
  x <- apply(trials, 1:2, mean)
  layers <- list(a = x + rnorm(n * 5), b = matrix(rnorm(n * 4), n), c = x + 2 * rnorm(n * 5))
  rdms <- lapply(c(s1 = 1, s2 = 2, s3 = 3), function(k) dist(x + rnorm(n * 5)))
  intervals <- score_interval(x, layers)
  evaluation <- quietly(evaluate_rdms(rdms, lapply(layers, dist), "pearson", draws = 50))
  taken <- list(score_interval = intervals, evaluate_rdms = evaluation)
  for (maker in names(taken)) {
    result <- taken[[maker]]
    expect_identical(nrow(quietly(compare_scores(result, draws = 99))), 3L, info = maker)
    best <- quietly(best_score(result, draws = 99))
    expect_true(best$best %in% names(layers), info = maker)
    ahead <- quietly(compare_best(result, c("a", "c"), "b", draws = 99))
    expect_identical(ahead$best_2, "b", info = maker)
    expect_true(all(is.finite(unlist(ahead[c("difference", "crossfit", "p_value")]))), info = maker)
  }
  # what the first half picks is judged by the other one
  expect_lt(abs(ahead$crossfit - ahead$difference), 1)
  refused <- list(
    similarity = similarity(x, layers), calibrate = quietly(calibrate(x, layers, permutations = 19)),
    cka_interval = quietly(cka_interval(x, layers$a)),
    noise_ceiling = quietly(noise_ceiling(trials, layers)),
    subject_ceiling = quietly(subject_ceiling(unname(rdms))),
    brain_to_brain = quietly(brain_to_brain(x, layers$a, repeats = 2)),
    trial_to_trial = quietly(trial_to_trial(trials, repeats = 2)),
    object_disentanglement = quietly(object_disentanglement(x, rep(1:2, 7), repeats = 2)),
    rsa_regression = rsa_regression(rdms ~ a + b, c(list(rdms = rdms), lapply(layers, dist)),
                                    permutations = 9),
    rdm_rows = rdm_rows(rdms$s1, rdms$s2),
    searchlight = quietly(searchlight(x, list(1:2, 3:5), dist(x))),
    participation_ratio = quietly(participation_ratio(x)),
    predicted_bias = quietly(predicted_bias(x, layers$a)),
    stream_cka = quietly(stream_cka(list(x = x, y = layers$a))),
    compare_scores = quietly(compare_scores(intervals)),
    best_score = quietly(best_score(intervals)), compare_best = ahead
  )
  functions <- list(compare_scores = compare_scores, best_score = best_score,
                    compare_best = function(r) compare_best(r, "a", "b"))
  for (maker in names(refused)) for (name in names(functions)) {
    error <- tryCatch(functions[[name]](refused[[maker]]), error = identity)
    expect_s3_class(error, "repalign_error_type")
    text <- conditionMessage(error)
    # the message names functions that there are, beside the one that made the result
    named <- unique(gsub("\\(", "", regmatches(text, gregexpr("[a-z_]+\\(", text))[[1]]))
    named <- setdiff(named, c("list", "the", "measure"))
    expect_true(all(named %in% getNamespaceExports("repalign")), info = text)
    expect_match(text, "score_interval|evaluate_rdms", info = maker)
  }
  # what they are sent to works on the same data
  expect_identical(nrow(quietly(compare_scores(score_interval(
    responses(trials), layers, measure("cka", estimator = "stimulus_neuron_trial"))))), 3L)
  # every class of results has its answer
  for (class in ls(repalign:::result_classes)) {
    object <- structure(list(), class = c(class, "repalign_result", "data.frame"))
    if (class == "repalign_evaluation") next
    expect_type(repalign:::where_errors_are(object), "character")
  }
})

# Rows of equal names: each function with its call, and the remedies of its message, as they are
# written there for `x`. In `as_declared` all data are responses(), in `clusters` the labels are
# given, in `rdms` all RDMs are of conditions.
test_that("what messages about repeated names say works in the function that says it", {
  set.seed(7)
  signal <- matrix(rnorm(20 * 3), 20)[rep(1:20, 2), ]
  data_of <- function(d) {
    named <- signal %*% matrix(rnorm(3 * d), 3) + rnorm(40 * d) / 2
    rownames(named) <- rep(paste0("i", 1:20), 2)
    named
  }
  x <- data_of(12)
  y <- data_of(10)
  repeats <- list(x = x, y = y)
  declared <- lapply(repeats, responses)
  rdms <- lapply(repeats, dist)
  conditions <- lapply(repeats, rdm, distance = "sqeuclidean")
  labels <- rownames(x)
  of_matrices <- list(
    cka = function(x, y, ...) cka(x, y, estimator = "stimulus", ...),
    hsic = function(x, y, ...) hsic(x, y, estimator = "stimulus", ...),
    rsa = rsa, mutual_knn = function(x, y, ...) mutual_knn(x, y, k = 3, ...),
    cka_interval = function(x, y, ...) cka_interval(x, y, "stimulus", ...),
    calibrate = function(x, y, ...) calibrate(x, y, permutations = 19, ...),
    score_interval = score_interval, brain_to_brain = function(x, y, ...) brain_to_brain(x, y, repeats = 2, ...),
    brain_to_model = function(x, y, ...) brain_to_model(x, list(y = as.matrix(y)), repeats = 2, ...),
    similarity = similarity,
    score_weighted = function(x, y, ...) score_weighted(x, y, weights = rep(1, nrow(as.matrix(x))), ...),
    plan_recording = function(x, y) plan_recording(x, y, stimuli = 50),
    predicted_bias = predicted_bias, participation_ratio = function(x, y) participation_ratio(x),
    subject_ceiling = function(x, y, ...) subject_ceiling(list(x, y), ...),
    rsa_regression = function(x, y) rsa_regression(x ~ y, list(x = x, y = y), permutations = 9),
    benchmark_groups = function(x, y, measure = "cka") {
      benchmark_groups(list(a = x, b = y, c = x, d = y), c("u", "v", "u", "v"), list(measure), model_permutations = 0)
    }
  )
  for (name in names(of_matrices)) {
    call <- of_matrices[[name]]
    error <- conditionMessage(expect_refused(quietly(call(x, y)), "more than once"))
    # rsa_regression() asks for RDMs
    expect_match(error, if (name == "rsa_regression") "rdm\\(\\)" else "responses\\(", info = name)
    expect_no_error(quietly(call(declared$x, declared$y)))
    takes <- "clusters" %in% names(formals(get(name, asNamespace("repalign"))))
    of_measure <- name %in% c("similarity", "score_weighted", "subject_ceiling", "benchmark_groups")
    expect_identical(grepl("clusters = ", error), takes || of_measure, info = name)
    expect_identical(grepl("clusters = .* in measure\\(\\)", error), of_measure, info = name)
    if (takes) expect_no_error(quietly(call(x, y, clusters = labels)))
    if (of_measure) expect_no_error(quietly(call(x, y, measure = measure("rsa", clusters = labels))))
  }
  expect_match(conditionMessage(expect_refused(participation_ratio(x, x + 1), "more than once")), "responses\\(rbind\\(x, y\\)\\)")
  expect_no_error(quietly(participation_ratio(responses(rbind(x, x + 1)))))
  # RDMs
  of_rdms <- list(
    rsa_regression = function(d) rsa_regression(x ~ y, d, permutations = 9),
    rdm_rows = function(d) rdm_rows(d$x, d$y), rsa = function(d, ...) rsa(d$x, d$y, ...),
    fit_rdm_model = function(d) {
      of_model <- lapply(d, function(one) dist(matrix(rnorm(3 * attr(one, "Size")), attr(one, "Size"))))
      fit_rdm_model(rdm_model(of_model, "weighted"), d, "cosine")
    },
    evaluate_rdms = function(d, ...) evaluate_rdms(d, list(m = d$y), draws = 20, ...)
  )
  for (name in names(of_rdms)) {
    call <- of_rdms[[name]]
    error <- conditionMessage(expect_refused(quietly(call(rdms)), "more than once"))
    expect_match(error, "rdm()", fixed = TRUE, info = name)
    expect_no_error(quietly(call(conditions)))
    takes <- "clusters" %in% names(formals(get(name, asNamespace("repalign"))))
    expect_identical(grepl("clusters = ", error), takes, info = name)
    if (takes) expect_no_error(quietly(call(rdms, clusters = labels(rdms[[1]]))))
  }
  # one side is declared, the other one is not
  for (call in list(similarity, function(x, y) noise_ceiling(x, y), cka)) {
    expect_refused(quietly(call(declared$x, y)), "give responses\\(y\\)")
    expect_no_error(quietly(call(declared$x, declared$y)))
  }
  search <- function(x, model) searchlight(x, list(a = 1:4, b = 5:8), model, permutations = 9)
  expect_match(conditionMessage(expect_refused(quietly(search(declared$x, rdms$y)), "more than once")), "rdm\\(\\)")
  expect_no_error(quietly(search(declared$x, conditions$y)))
  expect_refused(quietly(search(declared$x, y)), "give responses\\(models\\)")
  expect_no_error(quietly(search(declared$x, declared$y)))
  # functions of matrices alone
  outputs <- abs(x) / rowSums(abs(x))
  for (call in list(function(p) jsd(p, p), function(p) stream_cka(list(list(x = p, y = p))))) {
    error <- conditionMessage(expect_refused(quietly(call(outputs)), "as.matrix\\(responses\\(x\\)\\)"))
    expect_no_match(error, "clusters")
    expect_no_error(quietly(call(as.matrix(responses(outputs)))))
  }
})

test_that("what messages about repeated names of arrays say works", {
  set.seed(8)
  clean <- matrix(rnorm(20 * 6), 20)[rep(1:20, 2), ]
  x <- array(rep(clean, 3), c(40, 6, 3)) + rnorm(40 * 6 * 3) / 2
  dimnames(x)[[1]] <- rep(paste0("i", 1:20), 2)
  of_trials <- list(noise_ceiling = noise_ceiling, participation_ratio = participation_ratio,
                    trial_to_trial = function(x) trial_to_trial(x, repeats = 2))
  for (name in names(of_trials)) for (given in list(x, responses(x))) {
    call <- of_trials[[name]]
    error <- conditionMessage(expect_refused(quietly(call(given)), "more than once"))
    remedy <- regmatches(error, regexpr("responses\\(apply.*\\[3\\]\\)\\)", error))
    expect_length(remedy, 1)
    arg <- names(formals(get(name, asNamespace("repalign"))))[1]
    merged <- eval(parse(text = remedy), stats::setNames(list(given), arg))
    expect_identical(dim(merged), c(20L, 6L, 6L))
    # all trials of a stimulus stand in it
    expect_equal(sort(unname(as.array(merged)["i2", 3, ])), sort(c(x[c(2, 22), 3, ])))
    expect_no_error(quietly(call(merged)))
  }
})

test_that("what is said of a declared series works in the function that says it", {
  set.seed(9)
  x <- matrix(rnorm(240), 40)
  y <- matrix(rnorm(200), 40)
  trials <- array(rep(x, 3), c(40, 6, 3)) + rnorm(720) / 2
  stretches <- rep(1:8, each = 5)
  noted <- function(call) {
    text <- NULL
    withCallingHandlers(suppressWarnings(call), repalign_note_declared = function(m) {
      text <<- c(text, conditionMessage(m))
    }, message = function(m) invokeRestart("muffleMessage"))
    text
  }
  calls <- list(
    noise_ceiling = function(x, ...) noise_ceiling(x, y, measure("cka", estimator = "stimulus")),
    participation_ratio = function(x, ...) participation_ratio(x, conf_level = 0.9),
    subject_ceiling = function(x, ...) subject_ceiling(list(x, y)),
    score_interval = function(x, ...) score_interval(x, y, ...),
    brain_to_brain = function(x, ...) brain_to_brain(x, y, repeats = 2, ...)
  )
  for (name in names(calls)) {
    call <- calls[[name]]
    values <- if (name == "noise_ceiling") trials else x
    text <- noted(call(responses(values, series = TRUE)))
    expect_length(text, 1)
    takes <- "clusters" %in% names(formals(get(name, asNamespace("repalign"))))
    expect_match(text, if (takes) "in `clusters`" else "in `cluster` of responses\\(\\)", info = name)
    remedied <- if (takes) noted(call(responses(values, series = TRUE), clusters = stretches)) else
      noted(call(responses(values, cluster = stretches)))
    expect_null(remedied)
  }
  timed <- responses(x, series = TRUE)
  shifts <- "permute::how(within = permute::Within(type = \"series\"))"
  regress <- function(permutations) rsa_regression(a ~ b, list(a = timed, b = y), permutations = permutations)
  expect_no_match(conditionMessage(expect_refused(quietly(regress(99)), "declares a time series")), "permutations = 0")
  search <- function(permutations) searchlight(timed, list(1:3, 4:6), dist(y), permutations = permutations)
  expect_match(conditionMessage(expect_refused(quietly(search(99)), "declares a time series")), "permutations = 0")
  expect_no_error(quietly(search(0)))
  skip_if_not_installed("permute")
  for (call in list(regress, search)) {
    error <- tryCatch(quietly(call(99)), error = conditionMessage)
    expect_match(error, shifts, fixed = TRUE)
    expect_no_error(quietly(call(eval(parse(text = shifts)))))
  }
})

test_that("stream_cka() says what to give in the place of responses()", {
  set.seed(10)
  values <- array(rnorm(360), c(20, 6, 3))
  for (x in list(responses(values), responses(values[, , 1], series = TRUE),
                 responses(values[, , 1], complete = TRUE), responses(values[, , 1]))) {
    for (chunks in list(list(x = x, y = x), list(list(x = x, y = x)))) {
      error <- conditionMessage(expect_refused(quietly(stream_cka(chunks)), "as.matrix\\(\\)"))
      expect_identical(grepl("`complete`", error), unclass(x)$complete)
      plain <- if (is.list(chunks[[1]]) && !inherits(chunks[[1]], "repalign_responses")) {
        list(lapply(chunks[[1]], as.matrix))
      } else lapply(chunks, as.matrix)
      expect_no_error(quietly(stream_cka(plain)))
      expect_no_error(quietly(cka(x, x)))
    }
  }
})
