# encode(): predictions of stimuli that were left out, against plain refits; what it refuses.

normal <- function(n, q) matrix(rnorm(n * q), n)

related <- function(n, q, p, noise = 1) {
  x <- normal(n, q)
  list(x = x, y = x %*% normal(q, p) + noise * normal(n, p))
}

# Ridge regression of one training set, by its definition.
refit <- function(x, y, test, lambda) {
  train <- setdiff(seq_len(nrow(x)), test)
  mx <- colMeans(x[train, , drop = FALSE])
  my <- colMeans(y[train, , drop = FALSE])
  a <- sweep(x[train, , drop = FALSE], 2, mx)
  weights <- crossprod(a, solve(tcrossprod(a) + lambda * diag(length(train)),
                                sweep(y[train, , drop = FALSE], 2, my)))
  sweep(sweep(x[test, , drop = FALSE], 2, mx) %*% weights, 2, my, "+")
}

test_that("block residuals are those of refits, for few and many columns and small penalties", {
  set.seed(1)
  for (q in c(5, 28, 60)) {
    data <- related(30, q, 4)
    folds <- rep(1:5, 6)
    for (lambda in c(1e-6, 1, 100)) {
      result <- encode(data$x, data$y, folds = folds, lambda = lambda)
      expected <- matrix(0, 30, 4)
      for (k in 1:5) expected[folds == k, ] <- refit(data$x, data$y, which(folds == k), lambda)
      expect_equal(predict(result), expected, tolerance = if (lambda < 1) 1e-6 else 1e-10)
    }
  }
})

test_that("errors of rows that are left out one at a time are those of refits, for each penalty", {
  set.seed(1)
  penalties <- c(1e-9, 1e-2, 1, 100)
  for (q in c(0, 5, 28, 60)) {
    data <- related(30, max(q, 1), 4)
    # the first row alone has a value in one column: next to nothing is left of it
    x <- cbind(data$x[, seq_len(q)], as.numeric(1:30 == 1))
    y <- data$y - rep(colMeans(data$y), each = 30)
    found <- inner_errors(fold_basis(x, 1:30, integer()), y, penalties)
    expected <- t(vapply(penalties, function(lambda) {
      rowSums(vapply(1:30, function(i) drop(y[i, ] - refit(x, y, i, lambda))^2, numeric(4)))
    }, numeric(4)))
    expect_equal(found, expected, tolerance = 1e-6)
  }
})

test_that("units, rotations and translations of `from` do not matter", {
  set.seed(2)
  data <- related(40, 6, 3)
  folds <- rep(1:4, 10)
  score <- function(x, y = data$y, ...) encode(x, y, folds = folds, ...)$score
  expected <- score(data$x)
  turned <- data$x %*% qr.Q(qr(normal(6, 6)))
  expect_equal(score(1e5 * turned + 3), expected, tolerance = 1e-10)
  expect_equal(score(data$x * 1e150), expected, tolerance = 1e-10)
  # beyond, lambda is no number
  for (unit in c(1e180, 1e-180)) {
    expect_error(score(data$x * unit), "too large or too small", class = "repalign_error_value")
  }
  expect_equal(score(data$x, data$y * 1e180), expected, tolerance = 1e-10)
  expect_equal(score(data$x * 10, lambda = 100), score(data$x, lambda = 1), tolerance = 1e-10)
  wide <- data$x %*% normal(6, 90)
  thin <- svd(wide)
  # the default penalties grow with the variance in each of the columns
  penalty <- 10^(0:4)
  expect_equal(score(wide, lambda = penalty),
               score(thin$u[, 1:6] %*% diag(thin$d[1:6]), lambda = penalty))
  columns <- sweep(data$x, 2, 10^(1:6), "*")
  expect_equal(score(columns, standardize = TRUE), score(data$x, standardize = TRUE))
})

test_that("a grid has the scores of its pairs", {
  set.seed(3)
  data <- related(40, 6, 3)
  from <- list(a = data$x, b = normal(40, 70))
  to <- list(u = data$y, v = data$y[, 2:3] + normal(40, 2))
  folds <- rep(1:4, 10)
  for (args in list(list(), list(method = "pls", components = 2), list(per_neuron = TRUE),
                    list(method = "linear", score_by = "cor"))) {
    run <- function(from, to) do.call(encode, c(list(from, to, folds = folds), args))
    all <- run(from, to)
    expect_identical(all$x, c("a", "a", "b", "b"))
    for (k in 1:4) {
      one <- run(from[[all$x[k]]], to[[all$y[k]]])
      expect_equal(all$score[k], one$score, tolerance = 1e-10)
      expect_equal(predict(all[k, ]), predict(one), tolerance = 1e-10)
    }
  }
  models <- encode(list(m = from), to$u, folds = folds)
  expect_identical(models$model_x, c("m", "m"))
  # there is nothing to summarise in a column without a value
  expect_false(any(grepl("p_value", colnames(summary(models)))))
})

test_that("clusters stay whole within and between folds, however they are given", {
  set.seed(4)
  groups <- rep(1:12, each = 3)
  x <- normal(12, 8)[groups, ] + 0.1 * normal(36, 8)
  y <- normal(12, 4)[groups, ] + 0.1 * normal(36, 4)
  by_stimulus <- encode(x, y)$score
  by_cluster <- encode(x, y, clusters = groups)
  expect_gt(by_stimulus, by_cluster$score + 0.3)
  for (k in seq_len(5)) {
    test <- attr(by_cluster, "cells")$cells[[1]]$test[[k]]
    expect_false(any(groups[test] %in% groups[-test]))
  }
  set.seed(5)
  of_call <- encode(x, y, clusters = groups)
  set.seed(5)
  declared <- encode(x, responses(y, cluster = groups))
  expect_equal(declared$score, of_call$score)
})

test_that("repeats add up sums of squares, and average correlations", {
  set.seed(6)
  data <- related(30, 4, 3)
  several <- encode(data$x, data$y, repeats = 3, lambda = 1)
  folds <- as.data.frame(several, part = "folds")
  expect_identical(folds[["repeat"]], rep(1:3, each = 5))
  cell <- attr(several, "cells")$cells[[1]]
  about <- error <- 0
  for (k in seq_along(cell$test)) {
    test <- cell$test[[k]]
    mean <- colMeans(data$y[-test, ])
    error <- error + sum((data$y[test, ] - refit(data$x, data$y, test, 1))^2)
    about <- about + sum(sweep(data$y[test, ], 2, mean)^2)
  }
  expect_equal(several$score, 1 - error / about)
  cors <- encode(data$x, data$y, repeats = 2, lambda = 1, score_by = "cor", average = "pooled")
  expect_true(cors$score > 0.3)
})

test_that("sets of stimuli may overlap: scores are means over the sets", {
  set.seed(7)
  data <- related(30, 4, 3)
  sets <- list(1:6, 4:9, c(1, 20:25))
  result <- encode(data$x, data$y, folds = sets, lambda = 1)
  each <- vapply(sets, function(test) {
    y <- data$y[test, ]
    1 - sum((y - refit(data$x, data$y, test, 1))^2) / sum(sweep(y, 2, colMeans(y))^2)
  }, 0)
  expect_equal(result$score, mean(each))
  expect_equal(as.data.frame(result, part = "folds")$score, each)
  expect_true(all(is.na(predict(result)[10:19, ])))
  expect_refused(encode(data$x, data$y, folds = sets, average = "pooled"), "may overlap")
})

test_that("neurons that do not vary are undefined, and do not count", {
  set.seed(8)
  data <- related(30, 4, 3)
  folds <- rep(1:5, 6)
  result <- encode(data$x, cbind(data$y, 5), folds = folds)
  expect_identical(result$undefined, 1L)
  expect_equal(result$score, encode(data$x, data$y, folds = folds)$score)
  # constant in some folds
  spike <- ifelse(folds < 3, rnorm(30), 2)
  result <- encode(data$x, cbind(data$y, spike), folds = folds, score_by = "cor")
  expect_identical(result$undefined, 0L)
  expect_identical(as.data.frame(result, part = "folds")$undefined, c(0, 0, 1, 1, 1))
  # constant and doubled columns of `from` are fine
  odd <- cbind(data$x, 1, data$x[, 1])
  expect_equal(encode(odd, data$y, folds = folds, method = "linear")$score,
               encode(data$x, data$y, folds = folds, method = "linear")$score)
  expect_refused(encode(matrix(1, 30, 2), data$y), "variance")
})

test_that("ceilings are those of trials, whoever declares them", {
  set.seed(9)
  data <- related(40, 5, 6)
  trials <- array(data$y, c(40, 6, 4)) + rnorm(40 * 6 * 4, sd = 2)
  trials[3, , 2] <- NA
  folds <- rep(1:4, 10)
  result <- encode(data$x, trials, folds = folds)
  expect_identical(encode(data$x, responses(trials), folds = folds), result)
  expect_equal(result$normalized, result$score / result$ceiling)
  expect_equal(result$score, encode(data$x, apply(trials, 1:2, mean, na.rm = TRUE),
                                    folds = folds)$score)
  table <- as.data.frame(encode(data$x, trials, folds = folds, score_by = "cor"), part = "neurons")
  expect_equal(table$normalized, table$score / sqrt(table$reliability))
  noisy <- encode(data$x, trials, folds = folds, score_by = "cor", min_reliability = 0.99)
  expect_true(is.na(noisy$normalized))
  expect_output(print(noisy), "6 neurons without a normalised score")
  expect_message(runs <- encode(data$x[-3, ], responses(trials[-3, , ], run = TRUE),
                                folds = folds[-3]), class = "repalign_note_declared")
  expect_true(is.na(runs$ceiling))
})

test_that("equal rows of `from` in different folds are a leak", {
  set.seed(10)
  data <- related(30, 4, 3)
  x <- data$x[rep(1:10, each = 3), ]
  expect_warned(encode(x, data$y), "repalign_leakage")
  expect_no_warning(encode(x, data$y, clusters = rep(1:10, each = 3)))
})

test_that("missing values and names go as in other functions", {
  set.seed(11)
  data <- related(30, 4, 3)
  folds <- rep(1:5, 6)
  x <- data$x
  x[2, 1] <- NA
  expect_refused(encode(x, data$y), "`from` has 1 missing")
  left <- suppressMessages(encode(x, data$y, folds = folds, na = "stimuli"))
  expect_identical(left$n, 29L)
  expect_equal(left$score, encode(data$x[-2, ], data$y[-2, ], folds = folds[-2])$score)
  rownames(data$x) <- rownames(data$y) <- paste0("image", 1:30)
  expect_message(mixed <- encode(data$x, data$y[30:1, ], folds = folds),
                 class = "repalign_reordered")
  expect_equal(mixed$score, encode(data$x, data$y, folds = folds)$score)
  expect_identical(rownames(predict(mixed)), rownames(data$x))
})

test_that("what cannot be is refused, with the remedy", {
  set.seed(12)
  data <- related(20, 4, 3)
  run <- function(...) encode(data$x, data$y, ...)
  expect_refused(run(lambda = -1), "at least 0")
  expect_refused(run(lambda = 1, method = "pcr", components = 2), "for method = \"ridge\"")
  expect_refused(run(method = "pls"), "`components` is missing")
  expect_refused(run(components = 3), "for method")
  expect_refused(run(method = "pcr", components = 9), "has rank 4")
  expect_refused(run(score_by = "cor", summary = "weighted"), "\"median\"")
  expect_refused(run(folds = 20, average = "folds"), "at least 2 stimuli")
  expect_refused(run(folds = 1), "at least 2")
  expect_refused(run(folds = rep(1:2, c(18, 2))), "at least 3 must be left")
  expect_refused(encode(prepare(data$x), data$y), "prepare")
  expect_refused(encode(dist(data$x), data$y), "needs the responses themselves")
  expect_refused(encode(data$x, data$y[1:10, ]), "`from` has 20 rows and `to` has 10")
  expect_refused(encode(data$x), "`to` is missing")
  expect_refused(predict(run(), data$x[, -1]), c("`newdata`", "3 columns"))
  expect_warned(run(lambda = 1, per_neuron = TRUE), "repalign_unused")
  expect_message(run(lambda = c(1e9, 1e10)), class = "repalign_grid_end")
})

test_that("results are cut, bound and arranged like others", {
  set.seed(13)
  data <- related(30, 4, 3)
  result <- encode(list(a = data$x, b = normal(30, 3)), list(u = data$y, v = normal(30, 2)))
  expect_equal(score_matrix(result)["b", "u"], result$score[3])
  parts <- rbind(result[4:3, ], result[1, ])
  expect_equal(as.data.frame(parts, part = "folds")$score,
               unlist(lapply(c(4, 3, 1), function(k) {
                 as.data.frame(result[k, ], part = "folds")$score
               })))
  expect_identical(names(predict(result)), c("a | u", "a | v", "b | u", "b | v"))
  changed <- result
  changed$score <- changed$score + 1
  expect_refused(predict(changed), "did not return")
  expect_snapshot(print(encode(data$x, data$y, folds = rep(1:5, 6), lambda = c(0.1, 1, 10))))
})

test_that("units of the data change no ceiling, no penalty and no error", {
  set.seed(1)
  x <- matrix(rnorm(240), 30)
  trials <- array(x[, 1:5], c(30, 5, 4)) + array(rnorm(600), c(30, 5, 4))
  run <- function(unit, ...) {
    set.seed(2)
    encode(x * unit, trials * unit, ...)
  }
  plain <- run(1, lambda = 0)
  for (unit in c(2^600, 2^-600)) {
    found <- run(unit, lambda = 0)
    expect_equal(found$ceiling, plain$ceiling)
    expect_equal(found$normalized, plain$normalized)
    expect_equal(score_interval(found)$se, score_interval(plain)$se)
    expect_equal(found$score, plain$score)
  }
})

test_that("the normalised score is of neurons whose trials tell of noise", {
  set.seed(1)
  x <- matrix(rnorm(240), 30)
  trials <- array(x[, 1:5], c(30, 5, 4)) + array(rnorm(600), c(30, 5, 4))
  trials[, 1, ] <- trials[, 1, 1] * 5
  trials[, 1, 2:4] <- NA
  found <- encode(x, trials, folds = rep(1:5, 6), lambda = 1)
  known <- encode(x, trials[, -1, ], folds = rep(1:5, 6), lambda = 1)
  expect_equal(found$normalized, known$normalized)
  expect_equal(found$ceiling, known$ceiling)
})

test_that("normalised scores are rings round scores, so that both are seen at one place", {
  skip_if_not_installed("ggplot2")
  set.seed(13)
  data <- related(30, 4, 5)
  result <- encode(data$x, replicate(3, data$y + normal(30, 5)))
  result$normalized <- result$score
  points <- data_of(built(ggplot2::autoplot(result)), "GeomPoint")
  expect_identical(points$shape, c(19, 1))
  expect_gt(points$size[2], points$size[1] + 1)
})

test_that("no rows have no errors", {
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  expect_error(score_interval(encode(x, x)[0, ]), "no rows", class = "repalign_error_size")
})

test_that("trials of which none was repeated have no ceiling, and a note", {
  set.seed(15)
  data <- related(20, 4, 3)
  folds <- rep(1:4, 5)
  single <- array(NA, c(20, 3, 3))
  for (i in 1:20) single[i, , 1 + i %% 3] <- data$y[i, ]
  plain <- encode(data$x, data$y, folds = folds)
  for (to in list(single, array(data$y, c(20, 3, 1)))) {
    found <- encode(data$x, to, folds = folds)
    expect_equal(found$score, plain$score)
    expect_true(is.na(found$ceiling) && is.na(found$normalized))
    expect_output(print(found), "No ceiling: `to` has no stimulus with two trials")
  }
  expect_false(any(grepl("No ceiling", capture.output(print(plain)))))
})

test_that("a result without rows has tables without rows", {
  set.seed(16)
  data <- related(20, 4, 3)
  found <- encode(data$x, data$y)
  for (part in c("neurons", "folds")) {
    expect_identical(as.data.frame(found[0, ], part = part),
                     as.data.frame(found, part = part)[0, ], ignore_attr = "row.names")
  }
  expect_error(encode(data$x, data$y, permutations = -1), class = "repalign_error", "at least 0")
  expect_message(encode(data$x, data$y, permutations = rbind(20:1)),
                 "No `p_value` can be at most 0.05 with 1 permutation: the smallest one",
                 fixed = TRUE)
})

test_that("penalties are chosen alike by kernels and by a decomposition of each fold", {
  set.seed(17)
  y <- normal(60, 5)
  y <- y - rep(colMeans(y), each = 60)
  folds <- list(1L, 2:13, c(5L, 9L, 60L))
  for (q in c(10, 55, 58, 80)) {
    x <- rotated(scale(normal(60, q) + 0.3 * y[, rep(1, q)], scale = FALSE))
    penalties <- c(1e-3, 1, 100) * sum(x^2) / q
    for (codes in list(NULL, rep(1:20, each = 3))) {
      found <- .Call(C_kernel_errors, tcrossprod(x), penalties, 1 / (60 * penalties), y, folds,
                     codes)
      found <- array(found, c(3, 5, length(folds)))
      for (k in seq_along(folds)) {
        train <- seq_len(60)[-folds[[k]]]
        blocks <- if (!is.null(codes)) split(seq_along(train), codes[train])
        own <- y[train, ] - rep(colMeans(y[train, ]), each = length(train))
        expect_equal(found[, , k],
                     inner_errors(fold_basis(x, train, folds[[k]]), own, penalties, blocks),
                     tolerance = 1e-7)
      }
    }
  }
  expect_error(.Call(C_kernel_errors, diag(60), -2, 0, y, folds, NULL), "is not positive")
  expect_error(.Call(C_kernel_errors, diag(60), 1, 0, y, list(1:60), NULL), "leave rows")
})

test_that("workers give the result of one process", {
  set.seed(18)
  data <- related(30, 5, 3)
  from <- list(a = data$x, b = normal(30, 40))
  run <- function() {
    set.seed(19)
    encode(from, list(u = data$y, v = data$y[, 1:2]), permutations = 9)
  }
  alone <- run()
  together <- with_workers(2, run())
  expect_identical(as.data.frame(together), as.data.frame(alone))
  expect_identical(predict(together), predict(alone))
})

test_that("noise of trials that both sides share is warned of, and no other", {
  set.seed(33)
  trials <- function() array(stats::rnorm(20 * 4 * 3), c(20, 4, 3))
  told <- function(code) {
    said <- NULL
    suppressMessages(withCallingHandlers(code, repalign_shared_noise = function(w) {
      said <<- c(said, conditionMessage(w))
      if (inherits(w, "warning")) invokeRestart("muffleWarning")
    }))
    said
  }
  x <- responses(trials())
  y <- responses(trials())
  apart <- lapply(1:2, function(k) responses(trials(), session = rep(k, 4)))
  expect_match(told(encode(x, y)), "cka() with estimator = \"stimulus_neuron_trial\"", fixed = TRUE)
  expect_match(told(rsa(x, y)), "cka() with estimator = \"stimulus_neuron_trial\"", fixed = TRUE)
  expect_length(told(similarity(list(a = x, b = y), measure = "rsa")), 1)
  expect_length(told(encode(apart[[1]], apart[[1]][, , ])), 1)
  expect_null(told(encode(apart[[1]], apart[[2]])))
  expect_null(told(rsa(apart[[1]], apart[[2]])))
  expect_null(told(similarity(list(a = apart[[1]], b = apart[[2]]), measure = "rsa")))
  expect_null(told(encode(x, as.matrix(y))))
  expect_null(told(cka(x, y, estimator = "stimulus_neuron_trial")))
})

test_that("what looks like layers is told where it is predicted", {
  set.seed(34)
  few <- matrix(stats::rnorm(20 * 5), 20)
  many <- matrix(stats::rnorm(20 * 30), 20)
  expect_message(encode(few, many), "encode(to, from)", fixed = TRUE, class = "repalign_swapped")
  expect_message(encode(few, list(a = responses(few, complete = TRUE))), class = "repalign_swapped")
  quiet <- function(code) expect_no_condition(code, class = "repalign_swapped")
  quiet(encode(many, few))
  # a recording with trials is no layer, and predicts none
  trials <- responses(array(many, c(20, 30, 2)) + rnorm(1200))
  quiet(encode(few, trials))
  quiet(encode(list(a = few, t = trials), few))
  expect_message(encode(trials, few), class = "repalign_swapped")
  network <- responses(few, kind = "network")
  expect_message(encode(few, network), class = "repalign_swapped")
  quiet(encode(network, network))
  # feature_spaces() predict, and nothing else
  quiet(encode(feature_spaces(a = few[, 1:2], b = few[, 3:5]), many))
  quiet(encode(many, many))
  quiet(encode(few, list(a = few, b = few)))
  quiet(encode(few, list(a = few, b = many)))
})
