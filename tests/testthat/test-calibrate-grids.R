# Calibrations of many pairs: grids, models, aggregates, and what is done with the rows.

withr::local_options(repalign.threads = 1)

test_that("grids: a list against a list, all pairs of a list, one matrix against a list", {
  g <- small_grid()
  v <- calibrate(g$x, g$y, c("cka", "procrustes"), permutations = 23)
  expect_identical(nrow(v), 12L)
  expect_setequal(paste(v$x, v$y, v$measure),
                  outer(outer(names(g$x), names(g$y), paste), c("cka(naive)", "procrustes"), paste))
  expected <- similarity(g$x, g$y, c("cka", "procrustes"))
  at <- match(paste(v$x, v$y, v$measure), paste(expected$x, expected$y, expected$measure))
  expect_equal(v$score, expected$score[at], tolerance = 1e-12)
  v <- calibrate(c(g$x, g$y), measure = "cka", permutations = 23)
  expect_identical(nrow(v), 10L)
  expect_true(all(v$x != v$y))
  expect_identical(anyDuplicated(t(apply(cbind(v$x, v$y), 1, sort))), 0L)
  v <- calibrate(g$x$a, g$y, permutations = 23)
  expect_identical(v$x, c("x", "x"))
  expect_identical(v$y, c("d", "e"))
  # a list against itself has its elements against themselves
  v <- calibrate(g$y, g$y, permutations = 23)
  expect_identical(nrow(v), 4L)
  expect_equal(v$score[v$x == v$y], c(1, 1), tolerance = 1e-12)
  expect_equal(v$p_value[v$x == v$y], c(1, 1) / 24)
})

test_that("models: all columns, pairs of different models, one row a pair with an aggregate", {
  g <- small_grid()
  models <- list(A = g$x, B = g$y, C = g$x["b"])
  v <- calibrate(models, measure = "cka", permutations = 23)
  expect_identical(names(v), c("model_x", "model_y", calibration_columns))
  expect_identical(nrow(v), 3L * 2L + 3L + 2L)
  expect_true(all(v$model_x != v$model_y))
  agg <- calibrate(models, measure = c("cka", "procrustes"), permutations = 23, aggregate = "max")
  expect_identical(paste(agg$model_x, agg$model_y, agg$measure),
                   paste(rep(c("A B", "A C", "B C"), 2), rep(c("cka(naive)", "procrustes"), each = 3)))
  for (i in 1:3) {
    part <- v[v$model_x == agg$model_x[i] & v$model_y == agg$model_y[i], ]
    expect_equal(agg$score[i], max(part$score))
    best <- part[which.max(part$score), ]
    expect_identical(c(agg$x[i], agg$y[i]), c(best$x, best$y))
  }
  v <- calibrate(models, list(M = g$y), "cka", permutations = 23)
  expect_identical(nrow(v), 12L)
  expect_identical(unique(v$model_y), "M")
  v <- calibrate(list(A = g$x), g$y$d, "cka", permutations = 23, aggregate = "mean")
  expect_identical(nrow(v), 1L)
  expect_identical(v$model_x, "A")
  # layers of one name in two models are told apart
  expect_identical(dim(null_scores(calibrate(list(A = g$x, B = g$x), permutations = 23))),
                   c(23L, 9L))
})

oriented_grid <- function(x, y, id, p) {
  sgn <- if (id == "procrustes") -1 else 1
  f <- get(id)
  sgn * vapply(y, function(b) vapply(x, function(a) f(a, b[p, ]), 0), numeric(length(x)))
}

test_that("aggregates are those of whole null score matrices", {
  g <- small_grid()
  set.seed(98)
  perms <- t(replicate(15, sample(24)))
  median_of <- function(m) stats::median(m)
  plain <- list(max = max, mean = mean, row_max = function(m) mean(apply(m, 1, max)),
                col_max = function(m) mean(apply(m, 2, max)),
                top = function(m) mean(sort(m, TRUE)[1:3]),
                own = median_of, corner = function(m) m[3, 1] - m[1, 2], total = sum)
  given <- list(max = "max", mean = "mean", row_max = "row_max", col_max = "col_max",
                top = top_k_mean(3),
                own = median_of, corner = plain$corner, total = sum)
  for (id in c("cka", "procrustes", "soft_correlation_match")) {
    sgn <- if (id == "procrustes") -1 else 1
    grids <- lapply(seq_len(15), function(k) oriented_grid(g$x, g$y, id, perms[k, ]))
    observed <- oriented_grid(g$x, g$y, id, 1:24)
    for (name in names(plain)) {
      v <- calibrate(g$x, g$y, id, permutations = perms, aggregate = given[[name]])
      null <- vapply(grids, plain[[name]], 0)
      s <- plain[[name]](observed)
      label <- paste(id, name)
      expect_equal(v$score, sgn * s, tolerance = 1e-10, label = label)
      expect_equal(null_scores(v)[, 1], sgn * null, tolerance = 1e-10, ignore_attr = TRUE,
                   label = label)
      # the best total of a grid is that of its best scores; a difference has no best value
      best <- switch(name, corner = NA, total = length(observed), 1)
      if (sgn < 0) best <- 0 * best
      if (name == "corner") expect_identical(calibrate(g$x, g$y, id, permutations = perms,
        aggregate = function(m) m["c", "d"] - m["a", "e"])$score, v$score)
      expected <- def_row(sgn * s, sgn * null, if (sgn < 0) "distance" else "similarity",
                          best)
      expect_equal(v$threshold, expected$threshold, tolerance = 1e-10, label = label)
      expect_equal(v$p_value, expected$p_value, label = label)
      expect_equal(v$calibrated, expected$gated, tolerance = 1e-9, label = label)
      if (name == "max") {
        at <- which(observed == max(observed), arr.ind = TRUE)
        expect_identical(c(v$x, v$y), c(names(g$x)[at[1]], names(g$y)[at[2]]))
      } else {
        expect_identical(c(v$x, v$y), c(NA_character_, NA_character_), label = label)
      }
      expect_identical(names(v), calibration_columns)
    }
  }
})

test_that("the maximum over more layers is calibrated for their number", {
  set.seed(99)
  p <- vapply(1:30, function(i) {
    layers <- function(k) stats::setNames(lapply(seq_len(k), function(j) normal_matrix(16, 3)),
                                          seq_len(k))
    x <- layers(4)
    y <- layers(4)
    c(one = min(calibrate(x, y, permutations = 15)$p_value),
      all = calibrate(x, y, permutations = 31, aggregate = "max")$p_value)
  }, double(2))
  expect_lte(sum(p["all", ] <= 0.1), 9)
  expect_gte(sum(p["one", ] <= 0.1), 15)
})

test_that("null_scores() has a column per row, by its rows, whatever was done to them", {
  g <- small_grid()
  v <- calibrate(g$x, g$y, c("cka", "procrustes"), permutations = 30)
  draws <- null_scores(v)
  expect_true(is.matrix(draws) && is.double(draws))
  expect_identical(dim(draws), c(47L, 12L))
  # 47 of the cosets, 30 of the others
  expect_identical(colSums(!is.na(draws)) + 0, as.double(v$permutations), ignore_attr = TRUE)
  expect_true(all(is.na(draws[31:47, v$measure == "procrustes"])))
  same <- function(part, at) {
    rows <- seq_len(max(v$permutations[at]))
    expect_identical(unname(null_scores(part)), unname(draws[rows, at, drop = FALSE]))
  }
  same(v[3, ], 3)
  same(v[c(7, 2, 11), ], c(7, 2, 11))
  same(v[12:1, ], 12:1)
  same(v[order(v$score), ], order(v$score))
  same(v[v$measure == "procrustes", ], which(v$measure == "procrustes"))
  same(subset(v, x == "b"), which(v$x == "b"))
  same(head(v, 4), 1:4)
  same(v[c(2, 2, 5), ], c(2, 2, 5))
  same(v[, c("y", "measure", "x", "score")], 1:12)
  same(rbind(v[5:6, ], v[1:2, ]), c(5:6, 1:2))
  same(do.call(rbind, split(v, v$measure)),
       c(which(v$measure == "cka(naive)"), which(v$measure == "procrustes")))
  same(rbind(v[1:6, ], v[4:9, ]), c(1:6, 4:9))
  expect_identical(ncol(null_scores(v[0, ])), 0L)
  # of two calls
  set.seed(101)
  a <- calibrate(g$x$a, g$y$d, "cka", permutations = 23)
  b <- calibrate(g$x["b"], g$y["e"], "rv", permutations = 47)
  both <- rbind(a, b)
  expect_s3_class(both, "repalign_calibration")
  expect_equal(null_scores(both)[1:23, 1], null_scores(a)[, 1], ignore_attr = TRUE)
  expect_equal(null_scores(both)[, 2], null_scores(b)[, 1], ignore_attr = TRUE)
  expect_equal(null_scores(both[2:1, ])[, 1], null_scores(b)[, 1], ignore_attr = TRUE)
  # two calibrations of one pair cannot be told apart
  again <- calibrate(g$x$a, g$y$d, "cka", permutations = 23)
  twice <- null_scores(rbind(a, again))
  expect_equal(twice[, 2], null_scores(again)[, 1], ignore_attr = TRUE)
  expect_equal(null_scores(rbind(a, again)[2, ]), null_scores(again), ignore_attr = TRUE)
  expect_refused(null_scores(rbind(a, again)[, c("x", "y", "measure")]), "cannot be told apart")
  expect_identical(nrow(rbind(a, again)), 2L)
  expect_refused(rbind(a, calibrate(g$x$a, g$y$d, permutations = 23, variant = "z")), "`variant`")
  expect_refused(rbind(a, calibrate(g$x$a, g$y$d, permutations = 23, alpha = 0.1)), "`alpha`")
  adjusted <- calibrate(g$x$a, g$y$d, permutations = 23, p_adjust = "BH")
  expect_refused(rbind(a, adjusted), "p_adjusted")
  expect_identical(nrow(rbind(a, again, make.row.names = FALSE, stringsAsFactors = FALSE)), 2L)
  expect_refused(rbind(a, similarity(g$x$a, g$y$d)), "as.data.frame")
  expect_refused(rbind(a, 1), "as.data.frame")
  total <- function(f) calibrate(g$x, g$y, permutations = 23, aggregate = f)
  expect_refused(rbind(total(sum), total(mean)), "functions in `aggregate`")
  expect_refused(rbind(total(top_k_mean(2)), total(top_k_mean(3))), "functions in `aggregate`")
  expect_identical(nrow(rbind(total(top_k_mean(2)), total(top_k_mean(2)))), 2L)
  # rows that calibrate() did not make
  other <- v
  other$x[3] <- "nobody"
  expect_refused(null_scores(other), c("`calibration`", "row 3"))
  expect_refused(null_scores(v[, c("score", "p_value")]), "columns")
  for (wrong in list(as.data.frame(v), draws, NULL, 1, similarity(g$x, g$y))) {
    expect_refused(null_scores(wrong), "`calibration`")
  }
  # the file round trip
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(v, file)
  expect_identical(null_scores(readRDS(file)), draws)
})

test_that("names with the sign between names are told apart", {
  set.seed(102)
  x <- list("a" = normal_matrix(12, 2), "a | b" = normal_matrix(12, 3))
  y <- list("b | c" = normal_matrix(12, 2), "c" = normal_matrix(12, 3))
  v <- calibrate(x, y, permutations = rbind(12:1))
  draws <- null_scores(v)
  for (i in 1:4) {
    expect_equal(unname(draws[1, i]), cka(x[[v$x[i]]], y[[v$y[i]]][12:1, ]), tolerance = 1e-10)
  }
})

test_that("a grid of scores", {
  g <- small_grid()
  v <- calibrate(g$x, g$y, c("cka", "procrustes"), permutations = 23)
  grid <- score_matrix(v, "procrustes")
  expect_identical(dimnames(grid), list(names(g$x), names(g$y)))
  expect_identical(dim(score_matrix(v[v$measure == "cka(naive)", ])), c(3L, 2L))
})

test_that("tidy, glance, summary, as.data.frame", {
  g <- small_grid()
  v <- calibrate(g$x, g$y, c("cka", "procrustes"), permutations = 23, alpha = 0.1, variant = "z")
  utils::capture.output(shown <- withVisible(print(v[1, ])))
  expect_false(shown$visible)
  t <- tidy(v)
  expect_s3_class(t, "data.frame", exact = TRUE)
  expect_true(all(c("term", "estimate", "p.value") %in% names(t)))
  expect_identical(t$estimate, v$score)
  expect_identical(t$p.value, v$p_value)
  adjusted <- tidy(calibrate(g$x, g$y, permutations = 23, p_adjust = "BH"))
  expect_true("adj.p.value" %in% names(adjusted))
  expect_refused(tidy(v[, c("x", "y")]), "score|measure")
  one <- glance(v)
  expect_identical(nrow(one), 1L)
  expect_identical(one$rows, 12L)
  expect_identical(one$measures, 2L)
  expect_identical(one$alpha, 0.1)
  expect_identical(one$significant, sum(v$p_value <= 0.1))
  expect_equal(one$permutations, 23)
  s <- summary(v)
  expect_identical(s$measure, c("cka(naive)", "procrustes"))
  expect_identical(s$rows, c(6L, 6L))
  expect_equal(s$median_score,
               c(median(v$score[v$measure == "cka(naive)"]), median(v$score[v$measure == "procrustes"])))
  expect_equal(s$significant, c(tapply(v$p_value <= 0.1, v$measure, sum)), ignore_attr = TRUE)
  plain <- as.data.frame(v)
  expect_s3_class(plain, "data.frame", exact = TRUE)
  expect_null(attr(plain, "null_scores"))
  expect_identical(names(plain), calibration_columns)
  any_law()
  moments <- calibrate(g$x, g$y, permutations = 23, engine = "moments")
  expect_identical(glance(moments)$permutations, NA_integer_)
})

test_that("scores of a grid are those of its pairs", {
  set.seed(2)
  layers <- function(count, d) {
    stats::setNames(lapply(seq_len(count), function(i) matrix(rnorm(40 * d), 40)),
                    paste0("l", seq_len(count)))
  }
  x <- layers(3, 5)
  y <- layers(4, 60)
  set <- list(measure("cka"), measure("cka", estimator = "stimulus"), measure("rv"))
  # some measure may make the forms before
  for (first in list(list(), list("procrustes"))) {
    grid <- calibrate(x, y, c(first, set), permutations = 79)
    plain <- similarity(x, y, c(first, set))
    key <- function(rows) paste(rows$x, rows$y, rows$measure)
    expect_equal(grid$score, plain$score[match(key(grid), key(plain))], tolerance = 1e-12)
  }
  within <- calibrate(x, measure = "cka", permutations = 79)
  expect_equal(within$score, similarity(x, measure = "cka")$score, tolerance = 1e-12)
})
