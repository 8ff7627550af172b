# held_out(): alignments scored on stimuli that were not used to fit them.

related_sides <- function(n = 60, q = 6, p = 9, noise = 1) {
  shared <- matrix(rnorm(n * 4), n)
  side <- function(d) shared %*% matrix(rnorm(4 * d), 4) + noise * matrix(rnorm(n * d), n)
  list(x = side(q), y = side(p))
}

# The score on the stimuli of even folds: a set of stimuli may be given twice.
even_folds <- function(case, n) {
  labels <- align_table("labels")
  even <- labels$row[labels$case == case & labels$fold %% 2 == 0]
  list(even, even)
}

test_that("the reference values hold", {
  for (quantity in c("shape_distance_test", "netrep_linear_test",
                     "soft_matching_correlation_test")) {
    rows <- align_rows(quantity)
    expect_true(nrow(rows) > 3 && all(rows$train))
    for (i in seq_len(nrow(rows))) {
      row <- rows[i, ]
      args <- row$args[[1]]
      if (quantity == "netrep_linear_test") {
        args <- list(alpha = args$alpha, method = args$score_method, whitening = "raw",
                     scale = FALSE)
      }
      m <- do.call(measure, c(sub("_test|netrep_linear_test", "",
                                  sub("netrep_linear", "shape_distance", quantity)), args))
      sides <- align_sides(row$case)
      found <- quietly(held_out(sides$x, sides$y, m, folds = even_folds(row$case)))
      note_align(found$score, row)
    }
  }
  expect_nothing_noted()
})

test_that("it returns what similarity() returns, with more columns", {
  set.seed(1)
  p <- related_sides()
  set <- list("shape_distance", "procrustes", "procrustes_size_shape", "angular_shape",
              "permutation_procrustes", "hard_correlation_match", "soft_matching",
              "soft_matching_correlation", measure("soft_matching", mass = 0.5))
  found <- held_out(list(a = p$x), list(b = p$y, c = p$y[, 1:6]), set, permutations = 19)
  expect_s3_class(found, "repalign_similarity")
  expect_named(found, c("x", "y", "measure", "score", "in_sample", "sd_folds", "folds", "n",
                        "p_value"))
  expect_equal(found$in_sample,
               quietly(similarity(list(a = p$x), list(b = p$y, c = p$y[, 1:6]), set))$score)
  expect_true(all(found$folds == 5 & found$n == 60 & is.finite(found$score)))
  expect_true(all(found$p_value %in% ((1:20) / 20)))
  expect_true(is.na(held_out(p$x, p$y)$p_value))
  expect_equal(found$score[found$measure == "angular_shape"],
               found$score[found$measure == "shape_distance"], tolerance = 1e-12)
  expect_output(print(found), "Held-out similarity")
  set.seed(2)
  one <- held_out(p$x, p$y, "procrustes", repeats = 3)
  set.seed(2)
  expect_identical(held_out(p$x, p$y, "procrustes", repeats = 3), one)
  expect_identical(one$folds, 15L)
})

test_that("a fold has the score of its definition", {
  set.seed(3)
  p <- related_sides(30, 4, 5)
  test <- 1:10
  parts <- list(train = lapply(p, function(m) m[-test, ]),
                rest = lapply(p, function(m) def_center(m[test, ])))
  value <- function(m) held_out(p$x, p$y, m, folds = list(test, test))$score
  r <- cor(parts$train$x, parts$train$y)
  orders <- def_orders(5)
  best <- orders[which.max(colSums(matrix(r[cbind(1:4, c(t(orders[, 1:4])))], 4))), 1:4]
  expect_equal(value("hard_correlation_match"),
               mean(diag(cor(parts$rest$x, parts$rest$y[, best]))), tolerance = 1e-12)
  # raw columns: as they are, with the unmatched one
  gain <- crossprod(parts$train$x, parts$train$y)
  raw <- orders[which.max(colSums(matrix(gain[cbind(1:4, c(t(orders[, 1:4])))], 4))), ]
  expect_equal(value("permutation_procrustes"),
               sqrt(sum((cbind(p$x[test, ], 0) - p$y[test, raw])^2)), tolerance = 1e-12)
  # the rotation of the training stimuli, by hand
  m <- lapply(parts$train, colMeans)
  s <- svd(crossprod(def_center(parts$train$x), def_center(parts$train$y)))
  a <- sweep(p$x[test, ], 2, m$x) %*% s$u
  b <- sweep(p$y[test, ], 2, m$y)
  expect_equal(cos(value("angular_shape")),
               sum(a * (b %*% s$v)) / sqrt(sum(a^2) * sum(b^2)), tolerance = 1e-12)
  expect_equal(value("procrustes_size_shape"),
               sqrt(sum(a^2) + sum(b^2) - 2 * sum(a * (b %*% s$v))), tolerance = 1e-12)
})

test_that("rotations, units and the order of neurons change nothing", {
  set.seed(4)
  p <- related_sides(40, 6, 6)
  turn <- qr.Q(qr(matrix(rnorm(36), 6)))
  folds <- rep(1:4, 10)
  set <- list(measure("shape_distance", alpha = 0.4), "procrustes")
  one <- held_out(p$x, p$y, set, folds)$score
  expect_equal(held_out(p$x %*% turn, 30 * p$y[, 6:1] + 2, set, folds)$score, one,
               tolerance = 1e-9)
  expect_equal(held_out(p$y, p$x, set, folds)$score, one, tolerance = 1e-9)
  match <- c("soft_matching", "soft_matching_correlation")
  one <- held_out(p$x, p$y[, 1:4], match, folds)$score
  expect_equal(held_out(2 * p$x[, 6:1] + 1, p$y[, c(1:4, 1:4)], match, folds)$score, one,
               tolerance = 1e-9)
})

test_that("a side and its rotation are 0 apart, to the last digits", {
  set.seed(10)
  for (q in c(4, 30)) {
    x <- matrix(rnorm(20 * q), 20)
    turned <- x %*% qr.Q(qr(matrix(rnorm(q^2), q)))
    set <- list("shape_distance", "procrustes_size_shape", measure("shape_distance", alpha = 0.5))
    apart <- held_out(x, turned, set)$score
    # what lies outside the training stimuli is reached by no rotation, and counts for alpha = 1
    if (q == 4) expect_lt(max(apart), 1e-13) else expect_gt(min(apart[1:2]), 0.1)
    expect_gt(held_out(x, turned + 1e-9 * rnorm(20 * q))$score, 1e-10)
  }
  expect_message(few <- held_out(x, turned, permutations = 9), class = "repalign_few_permutations")
  expect_match(in_words(few), "held out in 5 folds, in sample .*p = ")
})

test_that("unrelated data are alike in sample, and not held out", {
  set.seed(5)
  cosines <- vapply(1:12, function(draw) {
    x <- matrix(rnorm(800), 40)
    y <- matrix(rnorm(800), 40)
    set <- list(measure("shape_distance", alpha = 0.25), "shape_distance",
                "soft_matching_correlation")
    found <- held_out(x, y, set)
    c(cos(found$score[1:2]), found$score[3], cos(found$in_sample[1:2]), found$in_sample[3])
  }, numeric(6))
  means <- rowMeans(cosines)
  expect_lt(max(abs(means[1:3])), 0.05)
  expect_gt(min(means[4:6]), 0.25)
})

test_that("permutations within folds give exact p-values, also with clusters", {
  set.seed(6)
  p <- replicate(60, {
    x <- matrix(rnorm(120), 24)
    y <- matrix(rnorm(96), 24)
    held_out(x, y, folds = rep(1:3, 8), permutations = 19)$p_value
  })
  expect_gt(mean(p), 0.38)
  expect_lt(mean(p), 0.62)
  clusters <- rep(1:12, each = 3)
  p <- replicate(60, {
    noise <- function(d) matrix(rnorm(12 * d), 12)[clusters, ] + 0.1 * matrix(rnorm(36 * d), 36)
    held_out(noise(4), noise(4), folds = 3, clusters = clusters, permutations = 19)$p_value
  })
  expect_gt(mean(p), 0.38)
  expect_lt(mean(p), 0.62)
  related <- related_sides(60, 6, 6, noise = 0.3)
  expect_identical(held_out(related$x, related$y, permutations = 49)$p_value, 1 / 50)
})

test_that("a permuted score is the score of permuted data", {
  set.seed(7)
  p <- related_sides(24, 5, 7)
  folds <- rep(1:3, each = 8)
  orders <- c(8:1, 16:9, 17:24)
  expect_equal(
    held_out(p$x, p$y[orders, ], "soft_matching_correlation", folds)$score,
    # in a function, at whose end what the call holds is given back
    (function() {
      set <- as_measures("soft_matching_correlation")
      call <- open_call(p$x, p$y, set, use = "null")
      tested <- test_folds(folds, call)
      way <- set[[1]]$declaration$held(set[[1]]$args)
      fits <- lapply(call$sides[c("x", "y")], function(side) {
        side_fits(side$reprs, 1, tested, way, set[[1]]$args)[[1]]
      })
      mean(scores_of_folds(fits$x, fits$y, tested, way, set[[1]]$args, orders))
    })(), tolerance = 1e-12
  )
})

test_that("what cannot be held out is refused", {
  set.seed(8)
  p <- related_sides(24, 4, 4)
  refused <- function(arg, ...) {
    expect_error(quietly(held_out(p$x, p$y, ...)), class = "repalign_error", paste0("`", arg, "`"))
  }
  refused("measure", "cka")
  refused("measure", new_measure(function(x, y) 1))
  refused("folds", folds = 1)
  refused("folds", folds = 25)
  refused("folds", "soft_matching_correlation", folds = 12)
  refused("folds", folds = 1:3)
  refused("permutations", permutations = -1)
  refused("permutations", permutations = 9, repeats = 2)
  refused("permutations", permutations = 9, folds = 24)
  refused("permutations", permutations = 9, folds = list(1:5, 4:9))
  refused("clusters", clusters = c(rep(1:5, each = 4), 6, 6, 7, 8), permutations = 9, folds = 2)
  refused("folds", clusters = rep(1:8, each = 3), folds = rep(1:2, 12))
  expect_true(is.finite(held_out(p$x, p$y, "shape_distance", folds = 24)$score))
  # constant in the training stimuli of a fold, and in the test stimuli of one
  x <- p$x
  x[, 2] <- rep(0:1, c(20, 4))
  folds <- rep(1:6, each = 4)
  refused_x <- function(x, ...) held_out(x, p$y, ..., folds = folds)
  expect_error(refused_x(list(a = p$x, b = x), "soft_matching_correlation"),
               class = "repalign_error_variance", "`x[$]b`.*column 2")
  x[1, 2] <- 2
  expect_true(is.finite(refused_x(x, "soft_matching_correlation")$score))
  expect_true(is.finite(refused_x(x, "shape_distance")$score))
})

test_that("units of the data change nothing, however large or small", {
  set.seed(1)
  p <- related_sides(n = 30)
  set <- list("shape_distance", "soft_matching", "procrustes_size_shape", "permutation_procrustes",
              measure("soft_matching", scale = FALSE), "soft_matching_correlation")
  score <- function(unit) {
    set.seed(2)
    quietly(held_out(p$x * unit, p$y * unit, set, permutations = 19))
  }
  plain <- score(1)
  in_units <- c(FALSE, FALSE, TRUE, TRUE, TRUE, FALSE)
  for (unit in c(2^600, 2^-600)) {
    found <- score(unit)
    factor <- ifelse(in_units, unit, 1)
    expect_equal(found$score / factor, plain$score)
    expect_equal(found$sd_folds / factor, plain$sd_folds)
    expect_identical(found$p_value, plain$p_value)
  }
  set.seed(2)
  matched <- matched_neurons(p$x, p$y)
  set.seed(2)
  expect_equal(matched_neurons(p$x * 2^600, p$y * 2^-600), matched)
})

test_that("three stimuli are too few", {
  expect_error(held_out(diag(3), diag(3), folds = 3), "`x` has 3 rows.*at least 4",
               class = "repalign_error_rows")
})

test_that("values whose squares are no numbers are refused where a fold meets them", {
  set.seed(1)
  x <- matrix(rnorm(300), 30)
  y <- matrix(rnorm(300), 30)
  x[1, 1] <- 1e160
  for (id in c("procrustes", "angular_shape", "permutation_procrustes")) {
    expect_error(held_out(x, y, id), "too large for a double", class = "repalign_error_value")
    expect_error(held_out(y, x, id), "too large for a double", class = "repalign_error_value")
  }
})

test_that("held-out scores are not sent to intervals of other scores", {
  set.seed(5)
  sides <- related_sides(30)
  result <- suppressMessages(held_out(sides$x, sides$y))
  for (f in list(confint, vcov, compare_scores)) {
    error <- tryCatch(f(result), error = identity)
    expect_match(conditionMessage(error), "held_out\\(\\).*have no errors; `sd_folds`")
    expect_no_match(conditionMessage(error), "score_interval\\(\\) of")
  }
})
