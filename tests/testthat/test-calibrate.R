# calibrate(): what goes in, what comes out, and what the numbers mean.

withr::local_options(repalign.threads = 1)

test_that("the columns, their types and their order", {
  p <- small_pair()
  v <- calibrate(p$x, p$y, c("cka", "procrustes"), permutations = 47)
  expect_s3_class(v, c("repalign_calibration", "repalign_result", "data.frame"), exact = TRUE)
  expect_identical(names(v), calibration_columns)
  expect_identical(v$x, c("x", "x"))
  expect_identical(v$y, c("y", "y"))
  expect_identical(v$measure, c("cka(naive)", "procrustes"))
  for (column in c("score", "threshold", "calibrated", "p_value", "null_mean", "null_sd")) {
    expect_type(v[[column]], "double")
    expect_true(all(is.finite(v[[column]])), label = column)
  }
  expect_equal(v$permutations, c(47, 47))
  expect_identical(v$engine, c("coset", "random"))
  expect_identical(row.names(v), c("1", "2"))
  # the score is that of the measure
  expect_equal(v$score, c(cka(p$x, p$y), procrustes(p$x, p$y)), tolerance = 1e-12)
  adjusted <- calibrate(p$x, p$y, c("cka", "procrustes"), permutations = 47, p_adjust = "holm")
  expect_identical(names(adjusted), c(calibration_columns, "p_adjusted"))
  # data frames, and the defaults
  expect_equal(calibrate(as.data.frame(p$x), p$y)$permutations, 24 * 42 - 1)
  expect_identical(calibrate(p$x, p$y)$measure, "cka(naive)")
})

test_that("the numbers of a row follow from its null: every measure with a pairing", {
  skip_unless_extended()
  p <- small_pair(20)
  each_paired(function(id, args, label) {
    m <- measure_with(id, args)
    for (alpha in c(0.05, 0.2)) {
      v <- same_run(p$x, p$y, m, permutations = 19, alpha = alpha)
      if (is.na(v$score)) next
      null <- null_scores(v)[, 1]
      d <- m$declaration
      # what bounds the scores: the end of their range that the direction names
      end <- range_of(d, m$args)[if (d$direction == "distance") 1 else 2]
      best <- if (is.finite(end)) best_of(d, m$args) else NA
      expected <- def_row(v$score, null, d$direction, best, alpha)
      # 0 exactly when p is above alpha, but for scores at the threshold
      at_threshold <- abs(v$score - v$threshold) <= 1e-10 * max(1, abs(v$score))
      note(at_threshold || (v$calibrated == 0) == (v$p_value > alpha), label, ": gated ",
           v$calibrated, " with p = ", v$p_value)
      for (name in c("threshold", "p_value", "null_mean", "null_sd")) {
        note(isTRUE(all.equal(v[[name]], expected[[name]], tolerance = 1e-10)), label, " ", name,
             ": ",
             v[[name]], ", not ", expected[[name]])
      }
      note(isTRUE(all.equal(v$calibrated, expected$gated, tolerance = 1e-9)), label, " calibrated")
    }
  })
  expect_nothing_noted()
})

test_that("the four variants, for similarities, distances and measures without a best value", {
  p <- small_pair()
  own <- new_measure(function(x, y) sum(crossprod(x, y)^2), label = "own")
  away <- new_measure(function(x, y) -sum(crossprod(x, y)^2), "distance", label = "away")
  for (m in list(measure("cka"), measure("procrustes"), measure("rsa"),
                 measure("procrustes_size_shape"),
                 measure("mutual_knn", k = 4), own, away)) {
    for (variant in c("gated", "centered", "z", "ari")) {
      v <- same_run(p$x, p$y, m, permutations = 30, variant = variant)
      expected <- def_row(v$score, null_scores(v)[, 1], m$declaration$direction,
                          best_of(m$declaration, m$args))[[variant]]
      expect_equal(v$calibrated, if (is.na(expected)) NA_real_ else expected, tolerance = 1e-10,
                   label = paste(m$label, variant))
    }
  }
  # without a best value: how far beyond the threshold, never below 0; and no share of the way to it
  expect_gt(same_run(p$x, p$y, own)$calibrated, 0)
  expect_equal(same_run(p$x, p$y, own)$calibrated, same_run(p$x, p$y, away)$calibrated)
  expect_identical(same_run(p$x, p$y, own, variant = "ari")$calibrated, NA_real_)
  set.seed(93)
  beyond <- replicate(9, same_run(p$x, normal_matrix(24, 3), own, permutations = 23)$calibrated)
  expect_gte(sum(beyond == 0), 6)
  expect_true(all(beyond >= 0))
})

test_that("distances: small is similar, and everything else is mirrored", {
  set.seed(94)
  f <- function(x, y) cor(x[, 1], y[, 1])
  x <- normal_matrix(20, 1)
  for (y in list(x + normal_matrix(20, 1), normal_matrix(20, 1))) {
    a <- same_run(x, y, new_measure(f, "similarity", best = 1), permutations = 39)
    b <- same_run(x, y, new_measure(function(x, y) 1 - f(x, y), "distance", best = 0),
                  permutations = 39)
    expect_equal(b$score, 1 - a$score)
    expect_equal(b$threshold, 1 - a$threshold)
    expect_equal(b$null_mean, 1 - a$null_mean)
    expect_equal(b[c("calibrated", "p_value", "null_sd")], a[c("calibrated", "p_value", "null_sd")],
                 ignore_attr = TRUE)
    for (variant in c("centered", "z", "ari")) {
      a <- same_run(x, y, new_measure(f, "similarity", best = 1), permutations = 39,
                    variant = variant)
      b <- same_run(x, y, new_measure(function(x, y) 1 - f(x, y), "distance", best = 0),
                    permutations = 39, variant = variant)
      expect_equal(b$calibrated, a$calibrated, label = variant)
    }
  }
})

test_that("the threshold is an order statistic of observed and null scores, never interpolated", {
  null <- c(4, 8, 15, 16, 23, 42, 7, 1, 9) / 100
  expect_identical(null_threshold(0.2, null, 0.05), 0.42)
  expect_identical(null_threshold(0.2, null, 0.1), 0.23)
  # (1 - alpha)(K + 1) is 7 but for rounding: 0.3 is not exact
  expect_identical(null_threshold(0.2, null, 0.3), sort(c(0.2, null))[7])
  for (alpha in (1:9) / 10) {
    expect_identical(null_threshold(0.2, null, alpha), sort(c(0.2, null))[round(10 * (1 - alpha))])
  }
  expect_identical(null_threshold(0.99, null, 0.05), 0.99)
  expect_identical(null_threshold(0.2, null, 1e-6), 0.42)
  expect_identical(null_threshold(0.2, null, 1 - 1e-6), 0.01)
  expect_identical(null_threshold(0.2, 0.1, 0.5), 0.1)
  # 0.95 of 20 and 0.99 of 100 and 1000: no rounding error adds a rank
  for (k in c(19, 99, 199, 999)) for (alpha in c(0.01, 0.05, 0.1)) {
    values <- seq_len(k) + 0
    rank <- ceiling(round((1 - alpha) * (k + 1), 6))
    expect_identical(null_threshold(0, values, alpha), as.double(rank - 1))
  }
})

test_that("p-values: the observed score counts, ties count, rounding does not", {
  p_of <- function(s, null, tolerance) null_of_pair(c(s, null), c(s, null), tolerance, s)$p_value
  expect_identical(p_of(5, c(1, 2, 3), 0), 1 / 4)
  expect_identical(p_of(3, c(1, 2, 3), 0), 2 / 4)
  expect_identical(p_of(0, c(1, 2, 3), 0), 1)
  expect_identical(p_of(3, c(1, 2, 3 - 1e-13), 1e-10), 2 / 4)
  p <- small_pair()
  v <- calibrate(p$x, p$y, "cka", permutations = rbind(1:24, 24:1, 1:24))
  expect_gte(v$p_value, 3 / 4)
  v <- calibrate(p$x, p$x, "gulp", permutations = rbind(1:24, 24:1))
  expect_equal(v$p_value, 2 / 3)
})

test_that("alpha at its ends", {
  p <- small_pair()
  low <- same_run(p$x, p$y, c("cka", "procrustes"), permutations = 50, alpha = 1e-9)
  null <- null_scores(low)
  expect_equal(low$threshold[1], max(null[, 1], low$score[1]))
  expect_equal(low$threshold[2], min(null[, 2], low$score[2], na.rm = TRUE))
  expect_equal(low$calibrated[low$score == low$threshold], numeric(sum(low$score == low$threshold)))
  high <- same_run(p$x, p$y, c("cka", "procrustes"), permutations = 50, alpha = 1 - 1e-9)
  expect_equal(high$threshold[1], min(null[, 1], low$score[1]))
  expect_equal(high$threshold[2], max(null[, 2], low$score[2], na.rm = TRUE))
  # alpha moves nothing but the threshold and what follows
  expect_identical(high$p_value, low$p_value)
  v <- vapply(c(0.01, 0.05, 0.1, 0.5), function(a) same_run(p$x, p$y, alpha = a)$threshold, 0)
  expect_true(all(diff(v) <= 0))
})

test_that("one permutation is enough to run", {
  p <- small_pair()
  v <- calibrate(p$x, p$y, c("cka", "procrustes"), permutations = rbind(24:1))
  expect_equal(v$permutations, c(1, 1))
  expect_true(all(v$p_value %in% c(0.5, 1)))
  expect_identical(v$null_sd, c(NA_real_, NA_real_))
  expect_identical(dim(null_scores(v)), c(1L, 2L))
  expect_true(all(is.finite(v$calibrated)))
  for (variant in c("centered", "ari", "z")) {
    v <- suppressWarnings(calibrate(p$x, p$y, "cka", permutations = rbind(24:1),
                                    variant = variant), classes = "repalign_undefined")
    expect_identical(is.na(v$calibrated), variant == "z", label = variant)
  }
})

test_that("constant under permutation: p = 1, calibrated 0, whatever the variant and the engine", {
  skip_unless_extended()
  set.seed(95)
  x <- normal_matrix(10, 14)
  y <- list(a = normal_matrix(10, 12), b = normal_matrix(10, 11))
  sets <- list(measure("cca"), measure("svcca", variance = 1), measure("eigenspace_overlap"),
               measure("gulp"),
               measure("linear_regression"), measure("mutual_knn", k = 9),
               measure("cycle_knn", k = 9),
               new_measure(function(x, y) sqrt(sum(x^2) + sum(y^2)), best = 100, label = "own"),
               new_measure(function(x, y) 1e-20 * mean(y^2), "distance", best = 0, label = "tiny"))
  for (m in sets) for (engine in c("auto", "random", "coset")) {
    v <- same_run(x, y$a, m, permutations = 29, engine = engine)
    note(v$p_value == 1, m$label, " ", engine, ": p ", v$p_value)
    note(v$calibrated == 0, m$label, " ", engine, ": calibrated ", v$calibrated)
    note(abs(same_run(x, y$a, m, permutations = 29, engine = engine,
                      variant = "z")$calibrated) < 1e-3,
         m$label, " ", engine, ": z")
    for (aggregate in c("max", "mean", "row_max", "col_max")) {
      v <- same_run(list(x = x), y, m, permutations = 29, aggregate = aggregate, engine = engine)
      note(v$p_value == 1 && v$calibrated == 0, m$label, " ", engine, " ", aggregate, ": p ",
           v$p_value,
           ", calibrated ", v$calibrated)
    }
  }
  expect_nothing_noted()
})

test_that("the unit of the data does not matter", {
  skip_unless_extended()
  p <- small_pair(20)
  for (id in plain_measures()$id[plain_measures()$pairing]) {
    a <- same_run(p$x, p$y, id, permutations = 19)
    whole <- same_run(list(x = p$x), list(y = p$y), id, permutations = 19, aggregate = "mean")
    for (scale in c(1e-13, 1e12)) {
      b <- same_run(scale * p$x, scale * p$y, id, permutations = 19)
      note(a$p_value == b$p_value, id, ": p ", a$p_value, " and ", b$p_value)
      b <- same_run(list(x = scale * p$x), list(y = scale * p$y), id, permutations = 19,
                    aggregate = "mean")
      note(whole$p_value == b$p_value, id, " aggregated: p ", whole$p_value, " and ", b$p_value)
    }
  }
  expect_nothing_noted()
})

test_that("undefined scores: NA in the row, a warning, and the others stay", {
  set.seed(96)
  x <- normal_matrix(12, 2)
  y <- normal_matrix(12, 2)
  m <- measure("cka", estimator = "stimulus_neuron", shared_neurons = FALSE)
  v <- expect_warned(calibrate(x, y, list(m, "cka"), permutations = 23), "repalign_undefined")
  expect_identical(is.na(v$score), c(TRUE, FALSE))
  for (column in c("threshold", "calibrated", "p_value", "null_mean", "null_sd")) {
    expect_identical(is.na(v[[column]]), c(TRUE, FALSE), label = column)
    expect_false(any(is.nan(v[[column]])))
  }
  expect_identical(glance(v)$undefined, 1L)
  expect_identical(summary(v)$undefined, c(1L, 0L))
  for (aggregate in list("max", "mean", top_k_mean(2))) {
    v <- expect_warned(calibrate(list(a = x, b = x + y), list(d = y), m, permutations = 23,
                                 aggregate = aggregate), "repalign_undefined")
    expect_identical(v$p_value, NA_real_)
    expect_identical(v$x, NA_character_)
  }
  v <- expect_warned(calibrate(x, y, m, engine = "moments"), "repalign_undefined")
  expect_identical(v$p_value, NA_real_)
  # a user's own: undefined under some permutation only
  own <- new_measure(function(x, y) if (y[1, 1] > x[1, 1] + 0.5) NA else cor(x[, 1], y[, 1]),
                     best = 1)
  v <- expect_warned(calibrate(x, pmin(y, x), own, permutations = 50), "repalign_undefined")
  expect_false(is.na(v$score))
  expect_identical(v$p_value, NA_real_)
})

test_that("n = 4 and one column", {
  set.seed(97)
  x <- normal_matrix(4, 3)
  y <- normal_matrix(4, 2)
  one <- normal_matrix(20, 1)
  other <- normal_matrix(20, 1) + one
  each_paired(function(id, args, label) {
    v <- tryCatch(same_run(x, y, measure_with(id, args), permutations = 30),
                  repalign_error = identity, error = function(e) stop(label, conditionMessage(e)))
    if (!inherits(v, "error") && !is.na(v$score)) {
      note(v$engine == "exact" && v$permutations == 23, label, ": not exact")
      note(v$p_value >= 1 / 24 && v$p_value <= 1, label, ": p ", v$p_value)
      note(v$calibrated >= 0 && is.finite(v$calibrated), label, ": calibrated ", v$calibrated)
    }
    if (label %in% c("cka()", "rv()")) note(!inherits(v, "error"), label, ": refused")
    v <- tryCatch(same_run(one, other, measure_with(id, args), permutations = 19),
                  repalign_error = identity, error = function(e) stop(label, conditionMessage(e)))
    if (!inherits(v, "error") && !is.na(v$score)) {
      note(v$p_value >= 1 / 20 && v$p_value <= 1 && v$calibrated >= 0, label, ": one column")
    }
  }, k = 3)
  expect_nothing_noted()
})

test_that("what cannot become significant is said, with the permutations it takes", {
  g <- small_grid()
  class <- "repalign_few_permutations"
  expect_message(calibrate(g$x$a, g$y$d, permutations = 15, engine = "random"), "At least 19 perm",
                 class = class)
  expect_message(calibrate(g$x$a, g$y$d, permutations = 999, alpha = 1e-4), "At least 9999 perm",
                 class = class)
  expect_message(calibrate(g$x, g$y, permutations = 47, p_adjust = "holm"), "At least 119 perm",
                 class = class)
  expect_no_message(calibrate(g$x$a, g$y$d, permutations = 19, engine = "random"))
  expect_no_message(calibrate(g$x, g$y, permutations = 47, p_adjust = "BH"))
  expect_no_message(calibrate(g$x, g$y, permutations = 119, engine = "random", p_adjust = "holm"))
  any_law()
  expect_no_message(calibrate(g$x$a, g$y$d, engine = "moments", alpha = 1e-9))
  # before the work, for an aggregate of all pairs too
  idle <- new_measure(function(x, y) stop("at work"), direction = "similarity")
  for (arguments in list(list(), list(aggregate = "max"))) {
    arguments <- c(list(g$x, g$y, idle, permutations = 9), arguments)
    expect_message(try(do.call(calibrate, arguments), silent = TRUE), "At least 19 perm",
                   class = class)
  }
  # where there are no more, not that more are needed
  all <- function(...) {
    said <- character()
    # three rows, on purpose
    withCallingHandlers(full_k(calibrate(...)), message = function(m) {
      said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
    paste(said, collapse = " ")
  }
  for (text in c(all(g$x$a[1:3, ], g$y$d[1:3, ]), all(g$x$a[1:15, ], g$y$d[1:15, ], series = TRUE),
                 all(g$x$a[1:6, ], g$y$d[1:6, ], blocks = gl(3, 2)),
                 all(g$x$a[1:4, ], g$y$d[1:4, ], engine = "exact", alpha = 0.01))) {
    expect_match(text, "no more permutations")
    expect_no_match(text, "are needed")
  }
})

test_that("errors of a user's function name the pair, also under a permutation", {
  g <- small_grid()
  calls <- 0
  late <- new_measure(function(x, y) {
    calls <<- calls + 1
    if (calls > 3) stop("boom") else sum(x)
  })
  expect_refused(calibrate(g$x$a, g$y$d, late, permutations = 20),
                 c("user of", "\"x\"", "\"y\"", "permuted", "boom"))
  calls <- 0
  models <- list(A = g$x["a"], B = g$y["d"])
  expect_refused(calibrate(models, measure = late, permutations = 20), c("A/a", "B/d", "boom"))
  expect_refused(calibrate(g$x, g$y, permutations = 20, aggregate = function(m) stop("boom")),
                 c("`aggregate`", "boom"))
  expect_refused(calibrate(g$x, g$y, permutations = 20, aggregate = function() 1), "`aggregate`")
  calls <- 0
  late <- function(m) {
    calls <<- calls + 1
    if (calls > 1) stop("boom") else 1
  }
  expect_refused(calibrate(list(A = g$x, B = g$y), permutations = 20, aggregate = late),
                 c("`aggregate`", "cka\\(naive\\) of A and B", "permuted", "boom"))
  expect_refused(calibrate(g$x, g$y, aggregate = top_k_mean), "top_k_mean\\(3\\)")
  expect_refused(calibrate(g$x, g$y, aggregate = 3), c("`aggregate`", "a function"))
  # a plain warning is not given for every permutation
  warns <- new_measure(function(x, y) {
    warning("odd")
    cor(x[, 1], y[, 1])
  })
  seen <- 0
  withCallingHandlers(calibrate(g$x$a, g$y$d, warns, permutations = 20), warning = function(w) {
    seen <<- seen + 1
    invokeRestart("muffleWarning")
  })
  expect_identical(seen, 1)
  # nor one of its own for every permutation
  each <- new_measure(function(x, y) {
    r <- cor(x[, 1], y[, 1])
    if (r < 0.2) warning("only ", r)
    r
  }, label = "each")
  told <- character()
  withCallingHandlers(calibrate(g$x$a, g$y$d, each, permutations = 40), warning = function(w) {
    told <<- c(told, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  expect_lte(length(told), 2)
  expect_match(told[length(told)], "each, with the rows of `y` permuted: only .* more like this")
  seen <- 0
  withCallingHandlers(calibrate(g$x, g$y, permutations = 20, aggregate = function(m) {
    warning("odd")
    sum(m)
  }), warning = function(w) {
    seen <<- seen + 1
    expect_match(conditionMessage(w), "cka\\(naive\\) of x and y.*odd")
    invokeRestart("muffleWarning")
  })
  expect_identical(seen, 2)
})

test_that("a best value that a score exceeds, or that is missing where it is needed", {
  g <- small_grid()
  f <- function(x, y) 2 + abs(cor(x[, 1], y[, 1]))
  expect_refused(calibrate(g$x$a, g$y$d, new_measure(f, best = 1), permutations = 20), "`best`")
  expect_refused(calibrate(g$x, g$y, new_measure(f, best = 1), permutations = 20,
                           aggregate = "max"), c("`best`", "a \\| d"))
  v <- expect_warned(calibrate(g$x, g$y, permutations = 20, variant = "ari",
                               aggregate = function(m) m[1, 1] - m[2, 2]), "repalign_undefined")
  expect_identical(v$calibrated, NA_real_)
  # the mean of the largest scores is at best what a score is at best; of a user's own function
  # nothing is known
  best <- calibrate(g$x, g$y, permutations = 20, variant = "ari", aggregate = top_k_mean(2))
  expect_equal(best$calibrated, (best$score - best$null_mean) / (1 - best$null_mean))
  own <- calibrate(g$x, g$y, permutations = 20, aggregate = function(m) sum(m))
  expect_equal(own$calibrated, max(own$score - own$threshold, 0))
  v <- expect_warned(calibrate(g$x$a, g$y$d, new_measure(f), permutations = 20, variant = "ari"),
                     "repalign_undefined")
  expect_identical(v$calibrated, NA_real_)
})

test_that("results, simulations and measures given as data are told from data", {
  g <- small_grid()
  expect_refused(calibrate(similarity(g$x, g$y)), c("`x`", "result"))
  expect_refused(similarity(g$x$a, calibrate(g$x$a, g$y$d, permutations = 20)), c("`y`", "result"))
  expect_refused(calibrate(simulate_pair(20, 4)), c("\\$x", "\\$y"))
  expect_refused(calibrate(simulate_models(20, 4)), "\\$models")
  expect_refused(calibrate(g$x, "rsa"), c("`y`", "argument `measure`"))
})

test_that("top_k_mean() takes what there is", {
  m <- matrix(c(1, 5, 2, 4, 3, 6), 2)
  expect_identical(top_k_mean(1)(m), 6)
  expect_identical(top_k_mean(3)(m), 5)
  expect_identical(top_k_mean(100)(m), mean(m))
  expect_identical(top_k_mean(2)(matrix(c(1, NA, 3), 1)), 2)
  for (k in list(0, -1, 1.5, NA, "2", NULL, c(1, 2))) expect_refused(top_k_mean(k), "`k`")
})

test_that("p_adjust: over all rows, every method", {
  g <- small_grid()
  for (method in stats::p.adjust.methods) {
    v <- same_run(g$x, g$y, c("cka", "procrustes"), permutations = 23, p_adjust = method)
    if (method == "none") expect_null(v$p_adjusted)
    else expect_identical(v$p_adjusted, stats::p.adjust(v$p_value, method), label = method)
  }
  v <- same_run(g$x, g$y, permutations = 23, p_adjust = "bonferroni", alpha = 0.3)
  expect_identical(glance(v)$significant, sum(v$p_adjusted <= 0.3))
  expect_identical(sum(summary(v)$significant), glance(v)$significant)
})

test_that("measures without a pairing are refused", {
  p <- small_pair()
  for (id in measures()$id[!measures()$pairing]) {
    expect_refused(calibrate(p$x, p$y, id), c(id, "no permutation null"))
    expect_refused(calibrate(p$x, p$y, list("cka", id), engine = "moments"),
                   c(id, "no permutation null"))
  }
  expect_setequal(measures()$id[!measures()$pairing], unpaired_ids)
})

test_that("every bad argument is refused by its name", {
  p <- small_pair()
  bad <- function(...) calibrate(p$x, p$y, ...)
  for (alpha in list(0, 1, -0.1, 1.2, NA, NaN, Inf, "0.05", c(0.05, 0.1), NULL, TRUE)) {
    expect_refused(bad(alpha = alpha), "`alpha`")
  }
  for (variant in list("none", NA, 1, NULL, character(), c("z", "ari"))) {
    expect_refused(bad(variant = variant), "`variant`")
  }
  for (engine in list("fft", NA, 2, NULL)) expect_refused(bad(engine = engine), "`engine`")
  for (method in list("hochberger", NA, TRUE, NULL)) expect_refused(bad(p_adjust = method),
                                                                    "`p_adjust`")
  for (threads in list(0, -1, 1.5, "2", NA, c(1, 2))) expect_refused(bad(threads = threads),
                                                                     "`threads`")
  for (m in list("ckaa", NULL, 3, character(), list(), list(cka), cka, NA_character_)) {
    expect_refused(bad(measure = m), "measure|There is no")
  }
  x <- list(a = p$x)
  for (aggregate in list("median", NA, 3, TRUE, c("max", "mean"))) {
    expect_refused(calibrate(x, list(b = p$y), aggregate = aggregate), "`aggregate`")
  }
  for (f in list(function(m) "1", function(m) c(1, 2), function(m) NA_real_, function(m) NULL,
                 function(m) Inf, function(m) m)) {
    expect_refused(calibrate(x, list(b = p$y, c = p$x), permutations = 5, aggregate = f),
                   c("aggregate", "one finite"))
  }
  expect_refused(calibrate(list(a = p$x, b = p$y), aggregate = "max"), c("`aggregate`", "`y`"))
  # the sides, as in similarity()
  expect_refused(calibrate(p$x), "`y`")
  expect_refused(calibrate(NULL, p$y), "`x`")
  expect_refused(calibrate(p$x, p$y[-1, ]), c("24", "23"))
  expect_refused(calibrate(list(p$x), list(b = p$y)), "name")
  expect_refused(calibrate(list(a = p$x), list()), "empty")
  broken <- p$y
  broken[3, 2] <- NA
  expect_refused(calibrate(p$x, broken), c("`y`", "row 3", "column 2"))
  expect_refused(calibrate(p$x, 0 * p$y), c("`y`", "variance"))
  expect_refused(calibrate(p$x, dist(p$y), "cca"), "dist")
  named <- p
  rownames(named$x) <- paste0("s", 1:24)
  rownames(named$y) <- paste0("s", 2:25)
  expect_refused(calibrate(named$x, named$y), "name")
  expect_refused(calibrate(p$x, p$y, measure("mutual_knn", k = 24)), "`k`")
  # a function that fails names the pair
  fails <- new_measure(function(x, y) stop("broken pipe"))
  expect_refused(calibrate(p$x, p$y, fails), c("broken pipe", "\"x\"", "\"y\""))
})

test_that("a user's own function takes the plain path, with the rows of y permuted", {
  p <- small_pair()
  set.seed(100)
  perms <- t(replicate(6, sample(24)))
  f <- function(x, y) sum(x[, 1] * y[, 2]) + x[1, 1]
  v <- calibrate(p$x, p$y, new_measure(f, label = "mine"), permutations = perms)
  expect_equal(null_scores(v)[, "x | y | mine"], apply(perms, 1, function(o) f(p$x, p$y[o, ])))
  # with names, which do not stay where they were
  rownames(p$x) <- rownames(p$y) <- paste0("s", 1:24)
  seen <- list()
  g <- function(x, y) {
    seen[[length(seen) + 1]] <<- rownames(y)
    f(x, y)
  }
  v <- calibrate(p$x, p$y, new_measure(g), permutations = perms)
  expect_equal(null_scores(v)[, 1], apply(perms, 1, function(o) f(p$x, p$y[o, ])),
               ignore_attr = TRUE)
  # what the function says under permutations is not repeated, what goes wrong is an error
  loud <- new_measure(function(x, y) if (identical(y, p$y)) 1 else stop("only then"))
  expect_error(calibrate(p$x, p$y, loud, permutations = 3), "only then")
  d <- dist(p$x)
  e <- dist(p$y)
  h <- function(x, y) sum(abs(x - y))
  v <- calibrate(d, e, new_measure(h, "distance", best = 0), permutations = perms)
  expect_equal(null_scores(v)[, 1], apply(perms, 1, function(o) h(d, permuted_side(e, o))),
               ignore_attr = TRUE)
})

test_that("set.seed() reproduces everything, and another seed gives another null", {
  g <- small_grid()
  counts <- list(x = matrix(rpois(72, 1) + 1, 24), y = matrix(rpois(72, 1) + 1, 24))
  for (set in list("cka", "procrustes", c("rsa", "cca"),
                   list(measure("mutual_knn", k = 3, metric = "euclidean")))) {
    expect_identical(same_run(g$x, g$y, set, permutations = 30),
                     same_run(g$x, g$y, set, permutations = 30))
    expect_false(identical(null_scores(same_run(g$x, g$y, set, permutations = 30)),
                           null_scores(same_run(g$x, g$y, set, permutations = 30, seed = 6))))
  }
  m <- measure("mutual_knn", k = 3, metric = "euclidean")
  expect_identical(same_run(counts$x, counts$y, m), same_run(counts$x, counts$y, m))
})

test_that("the generator: used for free and block permutations, untouched by given ones and moments", {
  p <- small_pair()
  used <- function(...) {
    set.seed(7)
    before <- .Random.seed
    quietly(calibrate(p$x, p$y, ...))
    !identical(before, .Random.seed)
  }
  expect_true(used("cka", permutations = 30))
  expect_true(used("procrustes", permutations = 30))
  expect_true(used("cka", permutations = 30, blocks = rep(1:2, 12)))
  for (id in c("cka", "procrustes", "mka", "lcs_knn", "hard_correlation_match")) {
    expect_false(used(id, permutations = rbind(24:1)), label = id)
  }
  expect_false(used("cka", engine = "moments"))
  expect_false(used("cka", series = TRUE))
  q <- lapply(p, function(x) x[1:5, ])
  set.seed(7)
  before <- .Random.seed
  calibrate(q$x, q$y, permutations = 119)
  expect_identical(before, .Random.seed)
  # the kind of generator is left as it was
  kind <- RNGkind()
  used("cka")
  expect_identical(RNGkind(), kind)
})

test_that("one thread and two give the same bits, and the option stays as it was", {
  g <- small_grid(n = 61)
  set <- list("cka", "rsa", measure("mutual_knn", k = 5), "procrustes",
              measure("cka", kernel = "rbf"),
              "distance_correlation", measure("mka", k = 5))
  one <- same_run(g$x, g$y, set, permutations = 122, threads = 1)
  two <- same_run(g$x, g$y, set, permutations = 122, threads = 2)
  expect_identical(two, one)
  expect_identical(null_scores(two), null_scores(one))
  expect_identical(getOption("repalign.threads"), 1)
  try(calibrate(g$x, g$y, "imd", threads = 2), silent = TRUE)
  expect_identical(getOption("repalign.threads"), 1)
})

test_that("inputs are left as they were", {
  g <- small_grid()
  kept <- unserialize(serialize(g, NULL))
  same_run(g$x, g$y, list("cka", "rsa", "procrustes", measure("mka", k = 4)), permutations = 20)
  expect_identical(g, kept)
})

test_that("memory and time: too much is refused, long runs are announced", {
  g <- small_grid()
  withr::local_options(repalign.max_memory = 1e5)
  for (id in c("cka", "procrustes", "rsa", "soft_correlation_match")) for (engine in c("coset",
                                                                                       "random")) {
    expect_refused(calibrate(g$x, g$y, id, permutations = 5e3, engine = engine),
                   "Fewer permutations")
  }
  expect_refused(calibrate(g$x$a, g$y$d, permutations = 1e4, blocks = gl(2, 12)),
                 "Fewer permutations")
  # the search for neighbours itself takes more
  withr::local_options(repalign.max_memory = 4e7)
  for (id in c("mutual_knn", "mka", "lcs_knn")) for (engine in c("coset", "random")) {
    expect_refused(calibrate(g$x, g$y, id, permutations = 9e5, engine = engine),
                   "Fewer permutations")
  }
  expect_message(announce_duration(proc.time()[[3]] - 10, 3, 3000, "slow"), "hours")
  expect_silent(announce_duration(proc.time()[[3]] - 0.01, 3, 30, "fast"))
  expect_identical(format_duration(120), "2 minutes")
  expect_match(format_duration(7200), "2.* hours")
})

test_that("null scores in huge and tiny units have the spread of the same ones near 1", {
  set.seed(95)
  x <- normal_matrix(10, 3)
  y <- normal_matrix(10, 3)
  run <- function(unit) {
    product <- new_measure(function(x, y) unit * mean(x[, 1] * y[, 1]), label = "product")
    same_run(x, y, product, permutations = 19, variant = "z")
  }
  plain <- run(1)
  for (unit in 2^c(-900, 900)) {
    far <- run(unit)
    expect_equal(far$null_sd / unit, plain$null_sd, tolerance = 1e-12)
    expect_equal(far$calibrated, plain$calibrated, tolerance = 1e-12)
  }
})

test_that("gated scores without an upper bound are the excess over the threshold, and say so", {
  set.seed(71)
  # few neurons of one population: the corrected CKA scatters around and above 1
  pop <- linear_population(60, 8, 6)
  pairs <- lapply(1:12, function(i) linear_population(60, 8, 6))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  rows <- do.call(rbind, lapply(pairs, function(p) {
    as.data.frame(quietly(calibrate(p$x, p$y, corrected, permutations = 99)))
  }))
  rows <- rows[!is.na(rows$score), ]
  expect_gt(sum(rows$score > 1), 0)
  expect_equal(rows$calibrated, pmax(rows$score - rows$threshold, 0))
  expect_true(all(rows$calibrated[rows$p_value <= 0.05] > 0))
  one <- quietly(calibrate(pairs[[1]]$x, pairs[[1]]$y, corrected, permutations = 99))
  expect_output(print(one), "the difference between score and")
  expect_warned(calibrate(pairs[[1]]$x, pairs[[1]]$y, corrected, permutations = 99,
                          variant = "ari"), "repalign_undefined")
  # the stimulus-corrected estimate is a cosine
  bounded <- calibrate(pairs[[1]]$x, pairs[[1]]$y, measure("cka", estimator = "stimulus"),
                       permutations = 99)
  expect_equal(bounded$calibrated,
               max((bounded$score - bounded$threshold) / (1 - bounded$threshold), 0))
  expect_false(any(grepl("excess", capture.output(print(bounded)))))
})

test_that("few permutations of clusters ask for clusters", {
  set.seed(3)
  x <- matrix(rnorm(80), 8)
  said <- paste(capture_messages(calibrate(x, x + rnorm(80), clusters = rep(1:2, each = 4))),
                collapse = " ")
  expect_match(said, "take more and smaller clusters, fewer tests")
  expect_no_match(said, "blocks|[Mm]ore permutations\\.")
})
