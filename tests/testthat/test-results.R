# What results keep when they are cut, ordered and bound, and what they refuse to guess.

unlike <- function(n = 12, widths = c(a = 4, b = 6, c = 5)) {
  set.seed(71)
  lapply(widths, function(q) matrix(rnorm(n * q), n))
}

test_that("labels that differ between the sides are not mirrored", {
  set.seed(72)
  pop <- linear_population(40, 5, 3)
  l <- list(A = pop$x, B = pop$y)
  units <- list(x = c(1, 1, 2, 3, 4), y = c(5, 6, 7, 8, 1))
  m <- measure("cka", estimator = "stimulus_neuron", units_x = units$x, units_y = units$y)
  grid <- few_is_fine(similarity(l, l, m))
  alone <- function(x, y) {
    few_is_fine(cka(l[[x]], l[[y]], estimator = "stimulus_neuron", units_x = units$x,
                    units_y = units$y))
  }
  expect_equal(grid$score[grid$x == "B" & grid$y == "A"], alone("B", "A"), tolerance = 1e-12)
  expect_equal(grid$score[grid$x == "A" & grid$y == "B"], alone("A", "B"), tolerance = 1e-12)
  expect_false(anyNA(grid$score))
  expect_gt(abs(alone("A", "B") - alone("B", "A")), 1e-3)
  half <- score_matrix(few_is_fine(similarity(l, measure = m)))
  expect_identical(half["B", "A"], NA_real_)
})

test_that("score_matrix knows symmetry and one-list grids, whatever labels and names say", {
  l <- unlike()
  labelled <- list(debiased = measure("cka", estimator = "stimulus"))
  grid <- score_matrix(similarity(l, measure = labelled))
  expect_identical(grid, t(grid))
  own <- new_measure(function(x, y) ncol(x) + ncol(y), symmetric = TRUE, label = "widths")
  expect_identical(score_matrix(similarity(l, measure = own))["c", "a"], 9)
  # an asymmetric measure of the user's, with a measure's name
  first <- new_measure(function(x, y) ncol(x), label = "cka")
  expect_identical(score_matrix(similarity(l, measure = first))["b", "a"], NA_real_)
  # two lists that share a name are not one list
  other <- score_matrix(similarity(list(IT = l$a), list(V4 = l$b, IT = l$c)))
  expect_identical(dimnames(other), list("IT", c("V4", "IT")))
  # one list of two elements is square
  two <- score_matrix(similarity(l[c("a", "b")]))
  expect_identical(dim(two), c(2L, 2L))
  expect_identical(two["b", "a"], two["a", "b"])
  result <- similarity(l, l)
  expect_identical(score_matrix(result[order(-result$score), ])["a", "b"], result$score[2])
  expect_refused(score_matrix(rbind(result, result)), "two scores")
})

test_that("failures of mirrored pairs are failures, and a user's NA is told", {
  l <- unlike(widths = c(a = 3, b = 3))
  fails <- new_measure(function(x, y) if (identical(x, y)) 1 else stop("no"), symmetric = TRUE)
  told <- character()
  result <- withCallingHandlers(similarity(l, l, fails, on_error = "na"), warning = function(w) {
    told <<- c(told, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  expect_length(told, 1)
  expect_match(told, "2 of 4 scores failed")
  expect_identical(is.na(result$score), c(FALSE, TRUE, TRUE, FALSE))
  nothing <- new_measure(function(x, y) NA)
  expect_warned(similarity(l$a, l$b, nothing), "repalign_undefined")
})

test_that("models with diagonal = TRUE add each pair of layers within a model once", {
  l <- unlike()
  result <- similarity(list(m = l[1:2], k = l[3]), diagonal = TRUE)
  expect_identical(paste(result$x, result$y), c("a a", "a b", "a c", "b b", "b c", "c c"))
  grid <- score_matrix(result)
  expect_false(anyNA(grid))
  expect_identical(grid, t(grid))
})

test_that("parts without a needed column are refused with its name", {
  l <- unlike()
  result <- similarity(l)
  for (f in list(glance, summary)) expect_refused(f(result["x"]), "column")
  set.seed(73)
  analysis <- brain_to_brain(l$a, l$b, neurons = 4, estimator = "naive")
  for (f in list(tidy, glance)) expect_refused(f(analysis["x"]), "column")
  expect_identical(glance(analysis[0, ])$neurons_min, NA_integer_)
})

test_that("the best layer does not depend on the units of another", {
  set.seed(74)
  pop <- linear_population(20, 8, 4)
  run <- function(unit) {
    set.seed(1)
    layers <- list(other = unit * matrix(rnorm(60), 20), same = pop$y)
    summary(brain_to_model(pop$x, layers, neurons = 8, estimator = "stimulus"))
  }
  expect_identical(run(1)$y, "same")
  expect_equal(run(100), run(1), tolerance = 1e-12)
})

test_that("a stimulus that holds nearly all variance is deleted exactly", {
  set.seed(75)
  p <- linear_population(12, 5, 3)
  x <- p$x
  x[4, ] <- 1e5 * x[4, ]
  y <- p$y
  y[4, ] <- -1e4 * y[4, ]
  loo <- loo_columns(centered(x, 1), centered(y, 1))
  without <- 25 * c(hsic(x[-4, ], y[-4, ]), hsic(x[-4, ], y[-4, ], estimator = "stimulus"))
  expect_equal(c(sum(loo$naive[5, ]), sum(loo$stimulus[5, ])), without, tolerance = 1e-10)
})

test_that("cka_interval does not depend on which side comes first", {
  set.seed(76)
  p <- linear_population(20, 10, 4)
  units <- list(x = 1:10, y = 6:15)
  one <- few_is_fine(cka_interval(p$x, p$y, units_x = units$x, units_y = units$y))
  two <- few_is_fine(cka_interval(p$y, p$x, units_x = units$y, units_y = units$x))
  columns <- c("cka", "se", "bias", "h_xx")
  expect_equal(as.data.frame(one)[columns],
               setNames(as.data.frame(two)[sub("h_xx", "h_yy", columns)], columns),
               tolerance = 1e-9)
})

test_that("trials are compared with the first that has names", {
  set.seed(77)
  named <- function(rows, columns) {
    matrix(rnorm(24), 6, dimnames = list(rows, columns))
  }
  stimuli <- letters[1:6]
  plain <- named(NULL, NULL)
  expect_refused(trial_to_trial(list(plain, named(stimuli, NULL), named(letters[2:7], NULL))),
                 c("trials\\[\\[2", "trials\\[\\[3"))
  expect_refused(trial_to_trial(list(plain, named(NULL, 1:4), named(NULL, 4:1))),
                 c("trials\\[\\[2", "trials\\[\\[3"))
})

test_that("a repeat that some stimuli lack for every neuron is told as such", {
  set.seed(78)
  trials <- array(rnorm(8 * 5 * 3), c(8, 5, 3))
  trials[c(2, 7), , 3] <- NA
  expect_refused(trial_to_trial(trials),
                 c("trials\\[\\[3", "2 stimulus rows without", "row 2 and 7"))
})

test_that("a split whose labels leave no pair within any group is an error", {
  set.seed(79)
  x <- matrix(rnorm(60), 10)
  split <- rep(1:2, 3)
  expect_refused(brain_to_brain(x, split = split, units_x = split), "No neuron pair")
  # no `units_x` was given
  single <- expect_refused(brain_to_brain(x, split = letters[1:6]), c("`split` .* single", "larger"))
  expect_no_match(conditionMessage(single), "units_x")
  # one group with pairs is enough for the others to be counted as undefined
  expect_warned(brain_to_brain(x, split = split, units_x = c(1, 2, 3, 2, 4, 2), neurons = 3),
                "repalign_undefined")
})

test_that("shared neurons that no label names are told", {
  set.seed(80)
  x <- linear_population(40, 5, 3)$x
  colnames(x) <- paste0("ORN", 1:5)
  y <- x + 0.3 * rnorm(200)
  corrected <- function(...) few_is_fine(cka(..., estimator = "stimulus_neuron"))
  expect_message(corrected(x, y), class = "repalign_shared_names")
  expect_no_message(corrected(x, y, shared_neurons = TRUE))
  expect_no_message(cka(x, y, estimator = "stimulus"))
  expect_refused(cka(x, y[, 5:1], estimator = "stimulus_neuron", shared_neurons = TRUE),
                 c("shared_neurons", "column 1"))
  l <- list(a = x, b = y, c = y + 1)
  told <- 0
  withCallingHandlers(few_is_fine(similarity(l, measure = measure("cka",
                                                                  estimator = "stimulus_neuron"))),
                      repalign_shared_names = function(m) {
                        told <<- told + 1
                        invokeRestart("muffleMessage")
                      })
  expect_identical(told, 1)
  # automatic names say nothing
  colnames(x) <- colnames(y) <- paste0("V", 1:5)
  expect_no_message(corrected(x, y))
  units <- list(1:5, 1:5)
  labelled <- brain_to_brain(list(a = x, b = y), neurons = 5, units_x = units, conf_level = NULL)
  expect_equal(labelled$pooled[3], corrected(x, y, shared_neurons = TRUE))
})

test_that("arguments without effect are told", {
  x <- unlike()$a
  expect_warned(cka(x, x, sigma = 2), "repalign_unused")
  expect_warned(linear_population(10, 3, 4, power = 2), "repalign_unused")
  expect_warned(similarity(unlike(), x, diagonal = TRUE), "repalign_unused")
  expect_refused(cka(x, x, kernel = "rbf", sigma = 1e-200), c("sigma", "below"))
  expect_refused(cka(x, x, kernel = "rbf", sigma = 1e200), c("sigma", "above"))
  skip_if_not_installed("ggplot2")
  result <- similarity(unlike())
  expect_refused(ggplot2::autoplot(result, sinlge = TRUE), "sinlge")
  expect_refused(plot(result[0, ]), "no rows")
})

test_that("OMP_NUM_THREADS is the default number of threads", {
  code <- "cat(repalign:::thread_count(), repalign:::thread_count(64))"
  libraries <- c(dirname(getNamespaceInfo("repalign", "path")), .libPaths())
  run <- function(threads) {
    out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE,
                   # R_TESTS: a file of R CMD check's that the child would not find
                   env = c("R_TESTS=", paste0("OMP_NUM_THREADS=", threads),
                           paste0("R_LIBS=", paste(libraries, collapse = ":"))))
    as.integer(strsplit(out[length(out)], " ")[[1]])
  }
  most <- .Call(C_thread_limits)[2]
  expect_identical(run(1), c(1L, most))
})

test_that("row numbers of data frames are no names, and names on one side must agree", {
  set.seed(81)
  big <- as.data.frame(matrix(rnorm(80), 20))
  expect_identical(cka(big[1:10, ], big[11:20, ]),
                   cka(as.matrix(big)[1:10, ], as.matrix(big)[11:20, ]))
  l <- unlike(6)
  named <- lapply(l, function(x) `rownames<-`(x, letters[1:6]))
  rownames(named$c) <- letters[2:7]
  expect_refused(similarity(l$a, named[c("b", "c")]), c("y.b", "y.c"))
  expect_refused(brain_to_model(l$a, named[c("b", "c")]), c("layers.b", "layers.c"))
})

test_that("labels of a list of regions go by name", {
  set.seed(82)
  pop <- linear_population(40, c(5, 6), 3)
  l <- list(a = pop$x, b = pop$y)
  units <- list(b = 1:6, a = c(1, 2, 7, 8, 9))
  run <- function(units) {
    brain_to_brain(l, neurons = 5, units_x = units, estimator = "stimulus_neuron", repeats = 3)
  }
  set.seed(1)
  turned <- run(units)
  set.seed(1)
  expect_identical(run(units[c("a", "b")]), turned)
  expect_refused(run(list(q = 1:5, r = 1:6)), c("units_x", "same names"))
  expect_refused(run(list(a = 1:5, b = 1:7)), c("units_x.b", "7 labels"))
})

# exp(-d^2 / (2 sigma^2)) is 1 - d^2 / (2 sigma^2) for wide kernels.
rbf_limit <- function(x, y, estimator) {
  n <- nrow(x)
  kernels <- lapply(list(x, y), function(z) -as.matrix(dist(z))^2)
  centred <- lapply(kernels, function(k) {
    if (estimator == "naive") {
      h <- diag(n) - 1 / n
      return(h %*% k %*% h)
    }
    r <- rowSums(k)
    k <- k - outer(r, r, "+") / (n - 2) + sum(k) / ((n - 1) * (n - 2))
    diag(k) <- 0
    k
  })
  sum(centred[[1]] * centred[[2]]) / sqrt(sum(centred[[1]]^2) * sum(centred[[2]]^2))
}

test_that("a wide Gaussian kernel keeps its digits: in the limit it is the linear one", {
  set.seed(83)
  x <- matrix(rnorm(200), 20)
  y <- matrix(rnorm(160), 20)
  for (e in c("naive", "stimulus")) {
    for (sigma in c(1e5, 1e8, 1e12)) {
      expect_equal(cka(x, y, kernel = "rbf", estimator = e, sigma = sigma),
                   rbf_limit(x, y, e), tolerance = 1e-8)
    }
  }
  expect_refused(cka(x, y, kernel = "rbf", sigma = 1e100), "above")
})

test_that("ratio_bias has no units and takes no half-named columns", {
  set.seed(84)
  h <- cbind(h_xy = runif(9, 1, 2), h_xx = runif(9, 2, 3), h_yy = runif(9, 2, 3))
  expected <- ratio_bias(h)
  expect_equal(ratio_bias(h * 1e-200), expected, tolerance = 1e-12)
  expect_equal(ratio_bias(h * 1e200), expected, tolerance = 1e-12)
  expect_equal(ratio_bias(h[, 3:1]), expected, tolerance = 1e-12)
  expect_refused(ratio_bias(data.frame(a = h[, 1], h_xy = h[, 2], h_yy = h[, 3])), "h_xx")
})

test_that("results of different analyses bound together are named as such", {
  set.seed(85)
  pop <- linear_population(20, 6, 3)
  regions <- brain_to_brain(pop$x, pop$y, neurons = 6, estimator = "naive")
  model <- brain_to_model(pop$x, list(l = pop$y), neurons = 6, estimator = "naive")
  expect_identical(glance(rbind(regions, model))$analysis, NA_character_)
  expect_identical(nrow(summary(similarity(pop$x, pop$y)[0, ])), 0L)
})
