# searchlight() against similarity() and calibrate() of each centre.

measures_fast <- list(
  measure("rsa"), measure("rsa", outer = "pearson", inner = "sqeuclidean"),
  measure("rsa", outer = "cosine", inner = "euclidean"), measure("cka"),
  measure("cka", estimator = "stimulus"), measure("cka", kernel = "rbf"), measure("rv"),
  measure("distance_correlation"), measure("linear_regression"), measure("rsm_difference"),
  measure("rsa", inner = "sqeuclidean", outer = "whitened_cosine"),
  measure("rsa", inner = "sqeuclidean", outer = "whitened_pearson"),
  measure("rsa", outer = "rho_a")
)

measures_plain <- list(measure("rsa", outer = "kendall"),
                       measure("rsa", outer = "whitened_cosine", stimulus_noise = 1:16),
                       measure("mutual_knn", k = 3),
                       measure("procrustes"))

expect_as_calibrated <- function(one, permutations = 30) {
  example <- light_example()
  sets <- lapply(example$neighbours, function(at) example$data[, at])
  set.seed(7)
  result <- suppressMessages(searchlight(example$data, example$neighbours, example$matrices, one,
                                         permutations = permutations))
  sign <- if (one$declaration$direction == "distance") -1 else 1
  hand <- light_by_hand(sets, example$matrices, one, permutations, 7)
  familywise <- familywise_by_hand(matrix(hand$score, ncol = 2, byrow = TRUE), hand$null, sign)
  expect_equal(result$score, hand$score, tolerance = 1e-9, info = one$label)
  expect_equal(result$p_value, hand$p_value, tolerance = 1e-12, info = one$label)
  expect_equal(unname(attr(result, "max_null")), unname(familywise$largest), tolerance = 1e-9,
               info = one$label)
  expect_equal(result$p_familywise, familywise$p, tolerance = 1e-12, info = one$label)
  # over all permutations and the observed order, models side by side
  all <- rbind(do.call(cbind, hand$null), hand$score)
  expect_equal(result$center_mean, unname(colMeans(all)), tolerance = 1e-9, info = one$label)
  expect_equal(result$center_sd, unname(sqrt(colMeans(all^2) - colMeans(all)^2)),
               tolerance = 1e-7, info = one$label)
}

test_that("scores, p-values and largest null scores are those of calibrate()", {
  for (one in measures_fast) expect_as_calibrated(one)
  # permuted one by one: fewer permutations say as much
  for (one in measures_plain) expect_as_calibrated(one, 24)
})

test_that("so they are for permutations that are no cosets", {
  example <- light_example(n = 8)
  permutations <- t(vapply(1:30, function(k) sample(8), integer(8)))
  result <- searchlight(example$data, example$neighbours, example$models,
                        permutations = permutations)
  expect_equal(attr(result, "settings")$engine, "given")
  expect_as_calibrated(measure("rsa"), t(vapply(1:30, function(k) sample(16), integer(16))))
  expect_as_calibrated(measure("cka"), t(vapply(1:30, function(k) sample(16), integer(16))))
  how <- permute::how(blocks = gl(4, 4), nperm = 50)
  expect_as_calibrated(measure("rsa", outer = "pearson"), how)
})

test_that("few conditions have all their permutations", {
  example <- light_example(n = 5)
  result <- suppressMessages(searchlight(example$data, example$neighbours, example$models,
                                         permutations = 999))
  expect_equal(attr(result, "settings")$engine, "exact")
  expect_equal(attr(result, "settings")$permutations, 119)
  hand <- suppressMessages(calibrate(example$data[, example$neighbours[[3]]], example$models,
                                     "rsa"))
  expect_equal(result$p_value[result$center == 3], hand$p_value)
})

test_that("without permutations there are scores only", {
  example <- light_example()
  names(example$neighbours) <- paste0("c", seq_along(example$neighbours))
  result <- searchlight(example$data, example$neighbours, example$models)
  expect_named(result, c("center", "model", "score", "p_value", "p_familywise", "center_mean",
                         "center_sd"))
  expect_true(all(is.na(result[c("p_value", "p_familywise", "center_mean", "center_sd")])))
  sets <- lapply(example$neighbours, function(at) example$data[, at])
  scores <- similarity(sets, example$models, "rsa")
  expect_equal(result$score, scores$score, tolerance = 1e-10)
  expect_equal(result$center, scores$x)
  expect_equal(result$model, scores$y)
  tau <- measure("rsa", outer = "kendall")
  plain <- searchlight(example$data, example$neighbours, example$models, tau)
  expect_equal(plain$score, similarity(sets, example$models, tau)$score)
  own <- new_measure(function(x, y) sum(x[, 1] * y[, 1]))
  scores <- searchlight(example$data, example$neighbours, example$models[1], own)
  expect_equal(scores$score, similarity(sets, example$models[1], own)$score)
})

test_that("the family may be all models", {
  example <- light_example()
  run <- function(...) {
    set.seed(2)
    searchlight(example$data, example$neighbours, example$models, permutations = 100, ...)
  }
  one <- run()
  all <- run(across_models = TRUE)
  largest <- apply(attr(one, "max_null"), 1, max)
  expect_equal(as.vector(attr(all, "max_null")), largest)
  p <- vapply(one$score, function(s) (1 + sum(largest >= s - 1e-10)) / (length(largest) + 1), 0)
  expect_equal(all$p_familywise, p)
  expect_equal(all$p_value, one$p_value)
  expect_equal(attr(all, "threshold")[["first"]], attr(all, "threshold")[["second"]])
})

test_that("scores above the threshold are those of family-wise p-values up to alpha", {
  example <- light_example()
  for (alpha in c(0.05, 0.2, 0.5)) {
    set.seed(4)
    result <- searchlight(example$data, example$neighbours, example$models, permutations = 95,
                          alpha = alpha)
    expect_equal(result$score > attr(result, "threshold")[result$model],
                 result$p_familywise <= alpha, ignore_attr = TRUE)
    # the other way round for distances
    result <- searchlight(example$data, example$neighbours, example$matrices,
                          measure("rsm_difference"), permutations = 95, alpha = alpha)
    expect_equal(result$score < attr(result, "threshold")[result$model],
                 result$p_familywise <= alpha, ignore_attr = TRUE)
  }
})

test_that("runs are compared by the crossnobis estimates of rdm()", {
  set.seed(5)
  design <- expand.grid(condition = c("b", "a", "d", "c", "e", "f"), run = 1:3,
                        stringsAsFactors = FALSE)
  data <- matrix(rnorm(18 * 12), 18)
  neighbours <- list(x = 1:5, y = c(3, 12, 7), z = 12:6)
  model <- dist(matrix(rnorm(12), 6, dimnames = list(letters[1:6], NULL)))
  covariances <- noise_covariance(matrix(rnorm(120 * 12), 120), run = rep(1:3, each = 40),
                                  by_run = TRUE)
  precision <- noise_precision(data, design$condition)
  of_center <- function(noise, at) {
    if (is.null(noise)) return(NULL)
    if (is.list(noise)) return(lapply(noise, function(one) unclass(one)[at, at]))
    solve(solve(unclass(noise))[at, at])
  }
  for (noise in list(NULL, precision, covariances)) {
    result <- searchlight(data, neighbours, model, measure("rsa", outer = "pearson"),
                          run = design$run, noise = noise, condition = design$condition)
    expect_equal(result$score, vapply(neighbours, function(at) {
      rsa(rdm(data[, at], design$condition, design$run, noise = of_center(noise, at)), model,
          outer = "pearson")
    }, 0), tolerance = 1e-8, ignore_attr = TRUE)
    # conditions as row names, two observations of some, one condition missing in a run
    rows <- c(1:18, 4, 9)[-2]
    uneven <- data[rows, ]
    rownames(uneven) <- design$condition[rows]
    result <- searchlight(uneven, neighbours, model, run = design$run[rows], noise = noise)
    expect_equal(result$score, vapply(neighbours, function(at) {
      rsa(rdm(uneven[, at], rownames(uneven), design$run[rows], noise = of_center(noise, at)),
          model)
    }, 0), tolerance = 1e-8, ignore_attr = TRUE)
  }
  # pairs of conditions without two runs in common
  sparse <- design$condition != "c" | design$run == 1
  gaps <- measure("rsa", na = "pairwise")
  result <- suppressMessages(searchlight(data[sparse, ], neighbours, model, gaps,
                                         run = design$run[sparse],
                                         condition = design$condition[sparse], permutations = 20))
  expect_equal(result$score, vapply(neighbours, function(at) {
    quietly(rsa(rdm(data[sparse, at], design$condition[sparse], design$run[sparse]), model,
                na = "pairwise"))
  }, 0), ignore_attr = TRUE)
  expect_false(anyNA(result$p_value))
  by_function <- searchlight(data, neighbours, model, run = design$run,
                             condition = design$condition,
                             noise = function(at) solve(solve(unclass(precision))[at, at]))
  given <- searchlight(data, neighbours, model, run = design$run, condition = design$condition,
                       noise = precision)
  expect_equal(by_function, given, tolerance = 1e-8)
})

test_that("an array has its repeats as runs, and conditions are averaged", {
  set.seed(6)
  array <- array(rnorm(6 * 8 * 3), c(6, 8, 3))
  neighbours <- list(1:3, 4:8)
  model <- matrix(rnorm(24), 6)
  expect_equal(searchlight(array, neighbours, model)$score, vapply(neighbours, function(at) {
    rsa(rdm(array[, at, ]), model)
  }, 0), tolerance = 1e-10)
  rows <- matrix(aperm(array, c(1, 3, 2)), 18)
  means <- searchlight(rows, neighbours, model, "cka", condition = rep(1:6, 3))
  expect_equal(means$score, searchlight(apply(array, 1:2, mean), neighbours, model, "cka")$score)
})

test_that("noise whitens patterns", {
  example <- light_example()
  x <- matrix(rnorm(200 * 24), 200)
  precision <- solve(crossprod(x) / 200)
  one <- measure("rsa", inner = "sqeuclidean")
  result <- searchlight(example$data, example$neighbours, example$models, one, noise = precision)
  expect_equal(result$score[3], {
    at <- example$neighbours[[2]]
    rsa(rdm(example$data[, at], distance = "mahalanobis", noise = solve(solve(precision)[at, at])),
        example$models[[1]], inner = "sqeuclidean")
  }, tolerance = 1e-9)
  expect_error(searchlight(example$data, example$neighbours, example$models, noise = precision),
               "inner = \"sqeuclidean\"", class = "repalign_error_choice")
})

test_that("centres without a score are NA and counted", {
  example <- light_example()
  data <- example$data
  data[, 1:6] <- 3
  one <- measure("rsa", inner = "euclidean", outer = "pearson")
  set.seed(3)
  expect_warning(result <- searchlight(data, example$neighbours, example$models, one,
                                       permutations = 99), class = "repalign_undefined")
  flat <- vapply(example$neighbours, function(at) all(at <= 6), NA)
  expect_gt(sum(flat), 0)
  expect_equal(is.na(result$score), rep(flat, each = 2))
  expect_equal(is.na(result$p_value), is.na(result$score))
  expect_equal(is.na(result$p_familywise), is.na(result$score))
  set.seed(3)
  rest <- searchlight(data, example$neighbours[!flat], example$models, one, permutations = 99)
  expect_equal(result$p_familywise[!is.na(result$score)], rest$p_familywise)
  expect_equal(attr(result, "max_null"), attr(rest, "max_null"))
  # a constant row has no correlation
  data <- example$data
  data[4, 1:6] <- 1
  said <- tryCatch(searchlight(data, example$neighbours, example$models),
                   repalign_undefined = conditionMessage)
  expect_match(said, paste0("^", sum(flat), " centres of 18 are undefined"))
  expect_match(said, "constant row")
  data[] <- 1
  expect_error(searchlight(data, example$neighbours, example$models), "No centre has a score",
               class = "repalign_error_variance")
})

test_that("groups of centres, threads and workers change nothing", {
  example <- light_example(channels = 60)
  run <- function(threads = 1, one = "rsa", neighbours = example$neighbours) {
    set.seed(9)
    searchlight(example$data, neighbours, example$matrices, one, permutations = 50,
                threads = threads)
  }
  all <- run()
  expect_identical(run(threads = 2), all)
  some <- run(neighbours = stats::setNames(example$neighbours[c(40, 3)], c(40, 3)))
  expect_equal(some$score[1:2], all$score[all$center == 40])
  expect_equal(some$p_value[3:4], all$p_value[all$center == 3])
  ties <- measure("mutual_knn", k = 3, metric = "euclidean")
  exact <- example$data
  example$data <- round(exact)
  plain <- quietly(run(one = ties))
  local_workers(2)
  expect_identical(quietly(run(one = ties)), plain)
  example$data <- exact
  expect_equal(run(), all)
})

test_that("bad input is an error that says what to do", {
  example <- light_example()
  x <- example$data
  near <- example$neighbours
  models <- example$models
  wrong <- function(neighbours, says) {
    expect_error(searchlight(x, neighbours, models), says, class = "repalign_error_value")
  }
  wrong(list(1:3, c(5, 25)), "no columns, first for centre 2")
  wrong(list(a = 1:3, b = 0:2), "no columns, first for centre \"b\"")
  wrong(list(1:3, integer()), "empty element, first for centre 2")
  wrong(list(1:3, c(2, NA)), "missing or broken")
  wrong(list(1:3, c(2, 2.5)), "missing or broken")
  wrong(list(1:3, c(2, 2)), "twice, first for centre 2")
  wrong(list("a"), "not numbers")
  refused <- function(..., class) expect_error(searchlight(...), class = class)
  refused(x, list(), models, class = "repalign_error_type")
  refused(x, 1:3, models, class = "repalign_error_type")
  refused(x, list(a = 1:3, a = 2:4), models, class = "repalign_error_names")
  refused(x, near, list(matrix(0, 16, 2)), class = "repalign_error_names")
  refused(x, near, list(m = matrix(0, 16, 2)), class = "repalign_error_variance")
  refused(x, near, list(m = matrix(rnorm(30), 15)), class = "repalign_error_rows")
  refused(x, near, models, c("rsa", "cka"), class = "repalign_error_measure")
  refused(x, near, models, "imd", class = "repalign_error_measure")
  refused(x, near, models, measure("rsa", clusters = gl(8, 2)), class = "repalign_error_choice")
  refused(x, near, models, permutations = -1, class = "repalign_error_value")
  refused(x, near, models, alpha = 1, class = "repalign_error_value")
  refused(x, near, models, across_models = NA, class = "repalign_error_value")
  refused(x, near, models, "cka", class = "repalign_error_type")
  refused(x, near, list(m = replace(models$second, 3, NA)), class = "repalign_error_nonfinite")
  refused(replace(x, 5, NA), near, models, class = "repalign_error_nonfinite")
  refused(x, near, models, run = rep(1:2, 8), class = "repalign_error_missing")
  condition <- rep(1:8, each = 2)
  eight <- matrix(rnorm(16), 8)
  with_runs <- function(class, ...) {
    expect_error(searchlight(x, near, eight, ..., condition = condition), class = class)
  }
  with_runs("repalign_error_size", run = rep(1, 16))
  with_runs("repalign_error_size", run = c(1, 1, rep(1:2, 7)))
  with_runs("repalign_error_labels", run = 1:3)
  with_runs("repalign_error_measure", measure = "cka", run = rep(1:2, 8))
  with_runs("repalign_error_value", run = rep(1:2, 8), noise = diag(3))
  with_runs("repalign_error_value", run = rep(1:2, 8), noise = list(diag(24)))
  with_runs("repalign_error_value", run = rep(1:2, 8), noise = -diag(24))
  with_runs("repalign_error_value", run = rep(1:2, 8), noise = function(at) diag(2))
  with_runs("repalign_error_type", measure = measure("rsa", inner = "euclidean"),
            noise = list(diag(24), diag(24)))
})

test_that("family-wise p-values of distances do not depend on the units of the data", {
  example <- light_example()
  p_values <- function(unit) {
    set.seed(3)
    models <- lapply(example$matrices, `*`, unit)
    result <- suppressMessages(searchlight(unit * example$data, example$neighbours[1:4], models,
                                           "procrustes_size_shape", permutations = 30))
    result$p_familywise
  }
  expected <- p_values(1)
  expect_lt(min(expected), 0.9)
  expect_equal(p_values(2^-45), expected)
  expect_equal(p_values(2^45), expected)
})

test_that("riemann() has the model first, the centre second", {
  set.seed(2)
  shared <- cbind(matrix(rnorm(36), 12), matrix(0, 12, 17))
  brain <- shared + 0.5 * rnorm(240)
  models <- list(right = shared + 0.1 * rnorm(240), wrong = matrix(rnorm(240), 12))
  expected <- c(riemann(models$right, brain), riemann(models$wrong, brain))
  for (permutations in c(0, 19)) {
    found <- suppressMessages(searchlight(brain, list(1:20, 20:1), models, "riemann",
                                          permutations = permutations))
    expect_equal(found$score, rep(expected, 2))
  }
  expect_gt(found$score[1], found$score[2])
})

test_that("few permutations are told, and errors of a noise function name the centre", {
  set.seed(3)
  data <- matrix(rnorm(8 * 12), 8, dimnames = list(NULL, paste0("v", 1:12)))
  model <- dist(matrix(rnorm(24), 8))
  where <- list(a = 1:6, b = 7:12)
  expect_message(searchlight(data, where, model, permutations = 9), "At least 19",
                 class = "repalign_few_permutations")
  expect_silent(searchlight(data, where, model, permutations = 19))
  measure <- measure("rsa", inner = "sqeuclidean")
  expect_error(searchlight(data, where, model, measure, noise = function(at) stop("no noise")),
               "channels of a centre.*no noise", class = "repalign_error_noise")
})

test_that("some columns of a result are printed as they are", {
  set.seed(3)
  result <- searchlight(matrix(rnorm(80), 8), list(1:5, 6:10), dist(matrix(rnorm(24), 8)))
  expect_output(print(result[1:2, c("center", "score")]), "center +score")
  expect_error(summary(result[c("center", "score")]), "columns", class = "repalign_error_type")
})

test_that("factors are models, and columns of a table are labels, as elsewhere", {
  set.seed(4)
  table <- expand.grid(image = paste0("i", 1:6), run = 1:3)
  channels <- matrix(rnorm(18 * 4), 18)
  table <- cbind(table, channels)
  where <- list(a = 1:2, b = 3:4)
  kind <- factor(c("x", "x", "y", "y", "z", "z"))
  same <- 1 * outer(as.vector(kind), levels(kind), "==")
  rownames(same) <- names(kind) <- paste0("i", 1:6)
  expect_equal(searchlight(table, where, list(kind = kind), condition = "image", run = "run")$score,
               searchlight(channels, where, same, condition = table$image, run = table$run)$score)
  two <- factor(rep(1:2, 3))
  expect_silent(searchlight(channels[1:6, ], where, two, measure("rsa", inner = "euclidean")))
  expect_no_warning(searchlight(cbind(channels[1:6, ], 1:6), list(1:3, 3:5), two))
  expect_error(searchlight(channels[1:6, ], where, list(kind = as.character(kind))), "factor(",
               fixed = TRUE, class = "repalign_error_type")
  table$subject <- "s1"
  expect_error(searchlight(table, where, two, condition = "image", run = "run"), "test_maps()",
               fixed = TRUE, class = "repalign_error_type")
})

test_that("a single centre is told by itself", {
  example <- light_example()
  set.seed(2)
  one <- searchlight(example$data, example$neighbours[12], example$models["first"],
                     permutations = 99)
  expect_match(in_words(one), "^Centre [0-9]+ was (not )?more similar to first than by chance .*family-wise p")
})

test_that("a sentence counts the centres with a score among all", {
  set.seed(1)
  data <- matrix(rnorm(16 * 8), 16)
  models <- list(v = dist(data[, 3:8]))
  data[, 1:2] <- 1
  found <- suppressWarnings(searchlight(data, list(a = 1:2, b = 3:5, c = 6:8), models,
                                        measure("rsa", inner = "euclidean"), permutations = 199))
  expect_match(in_words(found), "^Of 3 centres, 2 were more similar .* 1 had no score")
  expect_match(in_words(found[-1, ]), "^Of 2 centres, all were")
})

test_that("rows of one name that are averaged are told where models have other numbers", {
  set.seed(1)
  data <- matrix(rnorm(16 * 8), 16, dimnames = list(paste0("i", c(1, 1, 3:16)), NULL))
  expect_refused(searchlight(data, list(a = 1:5), dist(matrix(rnorm(64), 16))),
                 "16 rows of 15 conditions.*\"i1\".*averaged.*`models` has 16")
  expect_no_error(searchlight(data, list(a = 1:5), dist(matrix(rnorm(60), 15))))
})
