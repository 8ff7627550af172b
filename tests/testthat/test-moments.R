# engine = "moments": exact mean, variance and skewness of the null over all permutations.

withr::local_options(repalign.threads = 1)

each_moment <- function(f) {
  all <- moment_settings()
  for (id in names(all)) for (args in all[[id]]) {
    f(measure_with(id, args), setting_name(id, args))
  }
}

moments_of <- function(t) {
  m <- mean(t)
  v <- mean((t - m)^2)
  c(m, v, mean((t - m)^3) / v^1.5)
}

# T in the units of the law: less what is the same for all permutations.
without_constant <- function(t, sums) {
  (t - permutation_shift(sums[[1]], sums[[2]])) / sums[[1]]$norm / sums[[2]]$norm
}

centered_symmetric <- function(n) {
  m <- normal_matrix(n, n)
  def_double_center(m + t(m))
}

test_that("mean, variance and skewness are those of complete enumeration at n = 6, 7", {
  set.seed(61)
  for (n in 6:7) {
    orders <- all_orders(n)
    forms <- list(
      general = centered_symmetric(n),
      kernel = tcrossprod(scale(normal_matrix(n, 2), scale = FALSE)),
      zero_diagonal = def_u_center(tcrossprod(normal_matrix(n, 4))),
      projector = tcrossprod(def_basis(def_center(normal_matrix(n, 2)))),
      skewed = tcrossprod(def_center(exp(2 * normal_matrix(n, 1))))
    )
    for (a in names(forms)) for (b in names(forms)) {
      x <- 1e5 * forms[[a]]
      y <- 1e-3 * forms[[b]]
      sums <- list(moment_sums(x), moment_sums(y))
      t <- without_constant(drop(.Call(C_permuted_inner, list(x), list(y), orders, 1L)), sums)
      law <- permutation_moments(sums[[1]], sums[[2]])
      off <- abs(unlist(law) - moments_of(t)) / pmax(abs(moments_of(t)), c(1, 0, 1))
      note(all(off < c(1e-12, 1e-10, 1e-8)), n, a, b, ": off by ",
           paste(format(off), collapse = " "))
    }
  }
  expect_nothing_noted()
})

test_that("every measure that allows it: exact and moments agree at n = 6, 7", {
  set.seed(62)
  for (n in 6:7) {
    x <- normal_matrix(n, 3)
    y <- x %*% normal_matrix(3, 2) + 2 * normal_matrix(n, 2)
    each_moment(function(m, label) {
      m <- settled_measure(m)
      sides <- as_sides(x, y)
      pairs <- list_pairs(sides, FALSE)
      plan <- permutation_plan(n, 5, NULL, FALSE, "exact")
      exact <- quietly(measure_null(m, pairs, sides, plan, "exact"))
      note(length(exact$pairs[[1]]$null) == factorial(n) - 1, label, ": not all")
      law <- quietly(measure_null(m, pairs, sides, plan, "moments"))$laws[[1]]
      matrix_of <- function(side) {
        operands(null_of(m), m, sides[[side]]$reprs, 1, side)$forms[[1]]$matrix
      }
      t <- drop(inner_products(list(matrix_of("x")), list(matrix_of("y")), plan$fixed))
      note(length(t) == factorial(n), label, ": not all sums")
      expected <- moments_of((t - law$shift) / law$size)
      off <- abs(unlist(law$moments) - expected)
      note(all(off < 1e-8 * pmax(1, abs(expected))), n, label, ": off by ",
           paste(off, collapse = " "))
      note(abs(law$score(law$stat) - exact$observed) < 1e-8, n, label, ": another score")
    })
  }
  expect_nothing_noted()
})

test_that("n = 8: all 40320 permutations", {
  set.seed(63)
  a <- centered_symmetric(8)
  b <- tcrossprod(def_center(normal_matrix(8, 2)))
  orders <- all_permutations(8)
  expect_identical(ncol(orders), 40320L)
  sums <- list(moment_sums(a), moment_sums(b))
  t <- without_constant(drop(.Call(C_permuted_inner, list(a), list(b), orders, 1L)), sums)
  expect_equal(unlist(permutation_moments(sums[[1]], sums[[2]])), moments_of(t), tolerance = 1e-9,
               ignore_attr = TRUE)
  any_law()
  x <- normal_matrix(8, 3)
  y <- normal_matrix(8, 4)
  exact <- calibrate(x, y, "cka", permutations = 99, engine = "exact")
  expect_identical(exact$permutations, 40319L, ignore_attr = TRUE)
  moments <- calibrate(x, y, "cka", engine = "moments")
  all <- c(exact$score, null_scores(exact))
  expect_equal(moments$null_mean, mean(all), tolerance = 1e-10)
  expect_equal(moments$null_sd, sqrt(mean((all - mean(all))^2)), tolerance = 1e-10)
})

test_that("p-values and thresholds are near those of a large random null", {
  set.seed(64)
  n <- 40
  x <- normal_matrix(n, 5)
  for (signal in c(0, 0.35)) {
    y <- signal * x[, 1:3] + normal_matrix(n, 3)
    each_moment(function(m, label) {
      drawn <- quietly(calibrate(x, y, m, permutations = 3999, alpha = 0.05))
      law <- quietly(calibrate(x, y, m, engine = "moments", alpha = 0.05))
      p <- drawn$p_value
      spread <- 5 * sqrt(p * (1 - p) / 4000) + 0.012
      note(abs(law$p_value - p) <= spread, label, ": p ", law$p_value, ", not ", p)
      note(abs(law$threshold - drawn$threshold) < 0.25 * drawn$null_sd, label, ": threshold")
      note(abs(law$null_mean - drawn$null_mean) < 0.1 * drawn$null_sd, label, ": mean")
      note(abs(law$null_sd / drawn$null_sd - 1) < 0.1, label, ": sd")
      note(law$engine == "moments" && is.na(law$permutations), label, ": engine")
      note(abs(law$score - drawn$score) < 1e-12 * max(1, abs(law$score)), label, ": score")
    })
  }
  expect_nothing_noted()
})

test_that("corrected for neurons, without shared ones", {
  any_law()
  set.seed(69)
  p <- related_pair(30, 12, 15)
  m <- measure("cka", estimator = "stimulus_neuron")
  law <- few_is_fine(calibrate(p$x, p$y[sample(30), ], m, engine = "moments"))
  plain <- few_is_fine(calibrate(p$x, p$y, m, permutations = 2999))
  expect_lt(abs(law$null_mean - plain$null_mean), 0.1 * plain$null_sd)
  expect_lt(abs(law$null_sd / plain$null_sd - 1), 0.1)
  expect_lt(abs(law$threshold - plain$threshold), 0.25 * plain$null_sd)
})

test_that("scores that hardly differ between permutations: the law is that of a large random null", {
  any_law()
  set.seed(70)
  near <- function(x, y, m, label) {
    drawn <- quietly(calibrate(x, y, m, permutations = 3999, engine = "random"))
    law <- quietly(calibrate(x, y, m, engine = "moments"))
    p <- drawn$p_value
    note(abs(law$p_value - p) < 5 * sqrt(p * (1 - p) / 4000) + 0.03, label, ": p ", law$p_value,
         ", not ", p)
    note(abs(law$null_mean - drawn$null_mean) < 0.1 * drawn$null_sd, label, ": mean")
    note(abs(law$null_sd / drawn$null_sd - 1) < 0.1, label, ": sd")
    note(abs(law$threshold - drawn$threshold) < 0.3 * drawn$null_sd, label, ": threshold")
  }
  x <- normal_matrix(12, 1e5)
  y <- normal_matrix(12, 1e5)
  for (id in c("cka", "distance_correlation", "rv")) near(x, y, id, id)
  near(x, y, measure("cka", kernel = "rbf"), "rbf")
  x <- normal_matrix(30, 60)
  y <- x + 3 * normal_matrix(30, 60)
  for (lambda in 10^-(1:4)) near(x, y, measure("gulp", lambda = lambda), paste("gulp", lambda))
  # a kernel that is nearly the identity
  x <- diag(30) + 1e-4 * normal_matrix(30, 30)
  near(x, diag(30) + 1e-4 * normal_matrix(30, 30), "cka", "identity")
  expect_nothing_noted()
})

test_that("p-values far below those of any number of draws, monotone in the signal", {
  set.seed(65)
  x <- normal_matrix(60, 4)
  noise <- normal_matrix(60, 4)
  p <- vapply(c(0.1, 0.5, 1, 3),
              function(s) calibrate(x, s * x + noise, "cka", engine = "moments")$p_value, 0)
  expect_true(all(diff(p) < 0))
  expect_lt(p[4], 1e-12)
  expect_gt(min(p), 0)
})

test_that("no p-value is below that of the best of all permutations", {
  any_law()
  set.seed(66)
  for (n in 6:8) {
    x <- normal_matrix(n, n)
    for (m in list(measure("cka"), measure("gulp", lambda = 0.1), measure("distance_correlation"),
                   measure("cka", estimator = "stimulus"))) {
      expect_gte(quietly(calibrate(x, x, m, engine = "moments"))$p_value, 1 / factorial(n) - 1e-15)
    }
  }
})

test_that("the law: distribution function and quantiles fit each other, on both sides", {
  for (g in c(-1.5, -0.2, -1e-9, 0, 1e-9, 0.3, 2)) {
    law <- list(mean = 0.4, var = 0.09, skewness = g)
    p <- c(1e-6, 0.01, 0.05, 0.5, 0.9, 0.999)
    expect_equal(pearson3_upper(pearson3_quantile(1 - p, law), law), p, tolerance = 1e-7)
    # its own three moments, by its quantiles
    q <- pearson3_quantile((seq_len(4e4) - 0.5) / 4e4, law)
    expect_equal(moments_of(q)[1:2], c(0.4, 0.09), tolerance = 1e-3)
    expect_lt(abs(moments_of(q)[3] - g), 0.02 + 0.02 * abs(g))
  }
  # continuous where the skewness vanishes
  a <- pearson3_upper(1, list(mean = 0.4, var = 0.09, skewness = 2e-6))
  expect_equal(a, pearson3_upper(1, list(mean = 0.4, var = 0.09, skewness = 0)), tolerance = 1e-4)
})

test_that("constant under permutation: p = 1, no spread", {
  set.seed(67)
  x <- normal_matrix(8, 12)
  y <- normal_matrix(8, 9)
  for (id in c("linear_regression", "gulp")) {
    v <- quietly(calibrate(x, y, id, engine = "moments"))
    expect_identical(v$p_value, 1, label = id)
    expect_identical(v$null_sd, 0, label = id)
    expect_identical(v$calibrated, 0, label = id)
    expect_lt(abs(v$score - v$threshold), 1e-7, label = id)
    for (variant in c("ari", "z", "centered")) {
      other <- quietly(calibrate(x, y, id, engine = "moments", variant = variant))
      expect_identical(other$calibrated, 0, label = paste(id, variant))
    }
  }
})

test_that("moments are refused where they do not hold", {
  set.seed(68)
  p <- related_pair(20, 4, 5)
  others <- setdiff(plain_measures()$id[plain_measures()$pairing], names(moment_settings()))
  others <- c(others, "rsa")
  for (id in others) expect_refused(quietly(calibrate(p$x, p$y, id, engine = "moments")),
                                    c("moments", id))
  shared <- measure("cka", estimator = "stimulus_neuron", units_x = 1:4, units_y = 2:6)
  expect_refused(few_is_fine(calibrate(p$x, p$y, shared, engine = "moments")), "moments")
  expect_refused(calibrate(p$x, p$y, measure("cka", kernel = "manifold", k = 4),
                           engine = "moments"), "moments")
  expect_refused(calibrate(p$x[1:5, ], p$y[1:5, ], "cka", engine = "moments"), "6")
  expect_refused(calibrate(list(a = p$x), list(b = p$y), "cka", engine = "moments",
                           aggregate = "max"),
                 "aggregate")
  own <- new_measure(function(x, y) 1, best = 1)
  expect_refused(calibrate(p$x, p$y, own, engine = "moments"), "moments")
  large <- calibrate(normal_matrix(50, 10), normal_matrix(50, 10), "cka", engine = "moments")
  expect_refused(null_scores(large), "no null scores")
})

# The sums by their definitions, for a symmetric matrix with rows that add up to 0.
def_sums <- function(a) {
  n <- nrow(a)
  w <- a - sum(diag(a)) / (n - 1) * (diag(n) - 1 / n)
  norm <- sqrt(sum(w^2))
  w <- w / norm
  d <- diag(w)
  square <- w %*% w
  shares <- rowSums(w^2)
  list(whole = sqrt(sum(a^2)), trace = sum(diag(a)), norm = norm, n = n,
       t3 = sum(diag(square %*% w)),
       s2 = sum(d^2), s3 = sum(d^3), u = sum(w^3), r = sum(d * diag(square)),
       b = sum(d * (w %*% d)),
       row = max(shares), rows = sum(shares^2), entry = max(abs(d)))
}

note_sums <- function(sums, matrix, label) {
  expected <- unlist(def_sums(matrix))
  off <- abs(unlist(sums)[names(expected)] - expected) / pmax(abs(expected), 1e-4)
  note(all(off < 1e-9), label, ": ", names(which.max(off)), " off by ", max(off))
}

test_that("the sums are those of the definition, at sizes around those of blocks", {
  set.seed(71)
  for (n in c(3, 60, 191, 192, 193, 385, 600)) {
    a <- def_double_center(tcrossprod(exp(normal_matrix(n, 4))) + diag(runif(n)))
    note_sums(moment_sums(1e4 * a), 1e4 * a, n)
  }
  # on several threads to the last bit
  a <- def_double_center(tcrossprod(normal_matrix(1100, 3)))
  one <- moment_sums(a)
  withr::with_options(list(repalign.threads = 3), expect_identical(moment_sums(a), one))
  expect_identical(moment_sums(matrix(0, 7, 7))$t3, 0)
  expect_nothing_noted()
})

test_that("cheap traces of cubes are those of the whole matrix, for every measure", {
  set.seed(72)
  n <- 40
  cheap <- NULL
  for (widths in list(c(3, 5), c(37, 36), c(38, 39), c(60, 45))) {
    x <- exp(normal_matrix(n, widths[1]))
    y <- normal_matrix(n, widths[2]) * exp(normal_matrix(n, 1))[, 1]
    sides <- as_sides(x, y)
    each_moment(function(m, label) {
      null <- null_of(m)
      for (side in c("x", "y")) {
        repr <- sides[[side]]$reprs[[1]]
        form <- quietly(operands(null, m, list(repr), 1, side))$forms[[1]]
        cube <- if (!is.null(null$cube)) null$cube(form, repr, m$args, side)
        sums <- moment_sums(form$matrix, cube)
        # a projector onto all that is left after centring is nothing but its trace
        empty <- sums$norm < 1e-10 * sums$whole
        if (!empty) note_sums(sums, form$matrix, paste(label, side, widths[1]))
        if (!empty && !is.null(null$factor) && !is.null(cube)) {
          factors <- quietly(operands(with_factors(list(null = null))$null, m, list(repr), 1, side))$forms[[1]]
          made <- factor_moment_sums(factors, cube)
          note_sums(made, form$matrix, paste(label, side, widths[1], "by factors"))
          note(identical(made$values, sums$values), label, ": other numbers of values")
        }
        if (!is.null(cube)) cheap <<- c(cheap, m$id)
      }
    })
  }
  expect_nothing_noted()
  expect_true(all(c("cka", "rv", "angular_cka", "cca", "linear_regression", "gulp") %in% cheap))
})

test_that("the law is the same without matrices of all pairs of stimuli", {
  set.seed(73)
  x <- normal_matrix(120, 8)
  y <- x[, 1:6] + normal_matrix(120, 6)
  set <- list("cka", measure("cka", estimator = "stimulus"), "rv", "linear_regression",
              measure("cca", summary = "mean_squared"), measure("gulp", lambda = 0.1))
  run <- function() suppressMessages(calibrate(x, y, set, engine = "moments"))
  matrices <- run()
  local_internal("made_of_factors", function(...) TRUE)
  expect_equal(run(), matrices, tolerance = 1e-9)
})

refused_law <- function(x, y, words, ...) {
  error <- expect_refused(calibrate(x, y, ..., engine = "moments"), c(words, "engine = \"auto\""))
  expect_s3_class(error, "repalign_error_design")
  expect_identical(error$arg, "engine")
  expect_s3_class(suppressWarnings(calibrate(x, y, ..., permutations = 99)), "repalign_calibration")
}

test_that("data whose tail three moments do not tell are refused, with the reason", {
  set.seed(73)
  n <- 30
  with_outlier <- function(d) {
    x <- normal_matrix(n, d)
    x[1, ] <- 6 * x[1, ]
    x
  }
  weigh <- c("\"x \\| y \\| cka\\(naive\\)\"", "single stimuli weigh too much", "above 0.2")
  refused_law(with_outlier(20), with_outlier(20), weigh)
  refused_law(with_outlier(20), with_outlier(20), "single stimuli", "distance_correlation")
  refused_law(exp(2 * normal_matrix(n, 5)), exp(2 * normal_matrix(n, 5)), weigh)
  refused_law(normal_matrix(n, 9) * exp(1.5 * rnorm(n)), normal_matrix(n, 9) * exp(1.5 * rnorm(n)),
              weigh)
  # no row is heavy, but the diagonal has two entries that can meet
  rbf <- measure("cka", kernel = "rbf")
  spread <- function(d) {
    x <- normal_matrix(100, d)
    x[1, ] <- 3 * x[1, ]
    x
  }
  refused_law(spread(20), spread(100), "single stimuli", rbf)
  groups <- function() 100 * (sample(40) <= 14) %o% rnorm(3) + normal_matrix(40, 3)
  refused_law(groups(), groups(),
              c("two groups", "0\\.[0-9]+ standard deviations apart", "above 0.35"))
  # one side with groups does no harm
  expect_s3_class(calibrate(groups(), normal_matrix(40, 20), engine = "moments"),
                  "repalign_calibration")
  refused_law(100 * (sample(50) <= 20) %o% 1 + normal_matrix(50, 1), normal_matrix(50, 47),
              c("ends soon above", "skewness of -", "beyond -0.75"), "linear_regression")
})

test_that("of a grid, the refused pairs are counted and the first ones named", {
  set.seed(74)
  good <- list(a = normal_matrix(60, 12), b = normal_matrix(60, 12))
  expect_s3_class(calibrate(good, engine = "moments"), "repalign_calibration")
  heavy <- list(p = exp(2 * normal_matrix(60, 4)), q = exp(2 * normal_matrix(60, 4)))
  error <- expect_refused(calibrate(c(good, heavy), measure = c("cka", "rv"), engine = "moments"),
                          c("for 10 of 12 comparisons", "\"a \\| p \\| cka\\(naive\\)\"", "and 7 more"))
  expect_false(grepl("\"a | b", conditionMessage(error), fixed = TRUE))
  many <- stats::setNames(rep(heavy, 2), c("p", "q", "r", "s"))
  expect_refused(calibrate(many, engine = "moments"), c("6 of 6", "and 3 more"))
})

test_that("\"auto\" never chooses moments", {
  set.seed(75)
  x <- normal_matrix(60, 12)
  each_moment(function(m, label) {
    engine <- quietly(calibrate(x, x[, 1:6], m, permutations = 99))$engine
    note(engine %in% c("coset", "random", "exact"), label, ": ", engine)
  })
  expect_nothing_noted()
})

test_that("where it answers, the tail is that of many permutations", {
  set.seed(76)
  # the standard error of the share, from 40,000 permutations, is 0.0005
  draw <- list(gaussian = function() normal_matrix(40, 10),
               uniform = function() matrix(runif(320), 40),
               counts = function() matrix(rpois(800, 1), 40))
  for (law in names(draw)) {
    above <- replicate(8, {
      x <- draw[[law]]()
      y <- draw[[law]]()
      t <- calibrate(x, y, engine = "moments", alpha = 0.01)$threshold
      mean(null_scores(calibrate(x, y, permutations = 39999))[, 1] >= t)
    })
    note(all(above < 0.0125 & above > 0.008), law, ": ", paste(signif(above, 3), collapse = " "))
  }
  expect_nothing_noted()
})

test_that("an undefined score has no number of permutations, like any other row of moments", {
  # corrected for neurons, two columns that are each other's mirror have a negative H value
  x <- cbind(c(1, 0, 0, 2, 5, -1, 3), -c(1, 0, 0, 2, 5, -1, 3))
  y <- cbind(c(2, 1, 0, 2, 0, 0, 1), c(0, 3, 1, 1, 0, 2, 1))
  set.seed(1)
  row <- expect_warned(calibrate(x, y, measure("cka", estimator = "stimulus_neuron"),
                                 engine = "moments"), "repalign_undefined")
  expect_true(is.na(row$score))
  expect_identical(row$permutations, NA_integer_)
})

test_that("few categories of equal stimuli are refused", {
  set.seed(9)
  x <- unname(stats::model.matrix(~ factor(rep(1:20, 2)) - 1))
  expect_refused(calibrate(x, x[sample(40), ], engine = "moments"), c("categories", "auto"))
  expect_s3_class(calibrate(x, matrix(rnorm(400), 40), engine = "moments"), "repalign_calibration")
})
