# RDMs in units so large or so small that squares of their values are no doubles.

# Powers of two, which change no digits: about 1e300, 1e160 and their inverses.
extreme_units <- 2^c(996, 532, -532, -996)

extreme_rdms <- function(n = 8, count = 4) {
  set.seed(3)
  common <- 3 * sin(outer(1:n, 1:5))
  rdms <- lapply(seq_len(count), function(i) dist(common + rnorm(n * 5)))
  stats::setNames(rdms, letters[seq_len(count)])
}

extreme_models <- function(n = 8) {
  set.seed(4)
  list(m1 = dist(matrix(rnorm(n * 5), n)), m2 = dist(sin(outer(1:n, 1:5))),
       m3 = dist(matrix(rnorm(n * 2), n)))
}

in_unit <- function(rdms, at, unit) {
  rdms[[at]] <- rdms[[at]] * unit
  rdms
}

quietly <- function(code) suppressWarnings(suppressMessages(code))

test_that("a regression does not depend on the units of the RDMs", {
  data <- c(list(y = extreme_rdms()), extreme_models()[c("m1", "m3")])
  fitted <- function(data, ...) {
    set.seed(1)
    quietly(rsa_regression(y ~ m1 + m3, data, permutations = 19, ...))
  }
  for (settings in list(list(), list(fit = "nonnegative"), list(fit = "ridge", ridge = 0.1),
                        list(center = FALSE))) {
    usual <- do.call(fitted, c(list(data), settings))
    raw <- do.call(fitted, c(list(data), settings, standardize = FALSE))
    for (unit in extreme_units) {
      found <- do.call(fitted, c(list(in_unit(data, "m1", unit)), settings))
      expect_equal(as.data.frame(found), as.data.frame(usual))
      expect_equal(summary(found), summary(usual))
      large <- data
      large$y <- lapply(large$y, `*`, unit)
      found <- do.call(fitted, c(list(large), settings))
      expect_equal(as.data.frame(found), as.data.frame(usual))
      # coefficients and fits in the units of the data
      found <- do.call(fitted, c(list(large), settings, standardize = FALSE))
      expect_equal(found$estimate / unit, raw$estimate)
      expect_equal(glance(found)$intercept / unit, glance(raw)$intercept)
      expect_equal(augment(found)$.fitted / unit, augment(raw)$.fitted)
      group <- summary(found)
      expect_equal(group$se / unit, summary(raw)$se)
      expect_equal(group$statistic, summary(raw)$statistic)
    }
  }
  # a coefficient that is no double
  data$m1 <- data$m1 * 2^-996
  data$y <- lapply(data$y, `*`, 2^996)
  set.seed(1)
  expect_warning(found <- suppressMessages(rsa_regression(y ~ m1 + m3, data, permutations = 19,
                                                          standardize = FALSE)),
                 "\"m1\" is too large for a number", class = "repalign_undefined")
  expect_identical(is.na(found$estimate), found$term == "m1")
})

test_that("collinear predictors are called so in all units, and others are not", {
  data <- c(list(y = extreme_rdms()$a), extreme_models()[c("m1", "m3")])
  for (unit in extreme_units) {
    data$copy <- data$m1 * unit
    expect_refused(rsa_regression(y ~ m1 + m3 + copy, data), "sum of multiples")
  }
})

test_that("evaluations, fits, ceilings and means do not depend on the units of RDMs", {
  rdms <- extreme_rdms()
  models <- extreme_models()
  flexible <- function(models) {
    list(sum = rdm_model(models, "weighted"), mix = rdm_model(models, "interpolate"),
         one = rdm_model(models, "select"),
         part = rdm_model(models, "weighted", nonnegative = TRUE), fixed = models$m2)
  }
  evaluated <- function(rdms, models, outer) {
    set.seed(1)
    as.data.frame(quietly(evaluate_rdms(rdms, models, outer, draws = 20,
                                        permutations = 0)))
  }
  fits <- function(model, rdms, outer) quietly(fit_rdm_model(model, rdms, outer))
  for (outer in c("whitened_cosine", "pearson", "cosine", "spearman", "tau_b")) {
    usual <- evaluated(rdms, flexible(models), outer)
    for (unit in extreme_units[c(1, 4)]) {
      large <- in_unit(rdms, "b", unit)
      expect_equal(evaluated(large, flexible(models), outer), usual)
      # mixtures are of components in one unit
      all <- lapply(models, `*`, unit)
      expect_equal(evaluated(rdms, flexible(all), outer), usual)
      some <- evaluated(rdms, flexible(in_unit(models, "m2", unit)), outer)
      expect_equal(some[some$model != "mix", ], usual[usual$model != "mix", ])
      for (model in flexible(models)[1:4]) {
        fit <- fits(model, rdms, outer)
        expect_equal(coef(fits(model, large, outer)), coef(fit))
        expect_equal(fits(model, large, outer)$score, fit$score)
      }
      fit <- fits(rdm_model(models, "weighted"), rdms, outer)
      found <- fits(rdm_model(all, "weighted"), rdms, outer)
      expect_equal(coef(found), coef(fit))
      expect_equal(as.vector(predict(found)) / unit, as.vector(predict(fit)))
      expect_equal(as.vector(pool_rdms(large, outer)), as.vector(pool_rdms(rdms, outer)))
      measure <- measure("rsa", outer = outer)
      ceiling <- quietly(subject_ceiling(rdms, measure))
      expect_equal(quietly(subject_ceiling(large, measure)), ceiling)
      expect_equal(similarity(large, models, measure), similarity(rdms, models, measure))
    }
  }
})

test_that("a ridge is in the units of the components", {
  rdms <- extreme_rdms()
  models <- extreme_models()
  weights <- function(unit, ridge) {
    coef(fit_rdm_model(rdm_model(lapply(models, `*`, unit), "weighted", ridge = ridge), rdms,
                       "cosine"))
  }
  expect_equal(weights(2^250, 2^500), weights(1, 1))
  expect_equal(weights(2^-250, 2^-500), weights(1, 1))
  # beside values of this size it is nothing
  expect_equal(weights(2^996, 1), weights(1, 0))
})

test_that("the mean of RDMs for \"riemann\" does not overflow", {
  rdms <- lapply(extreme_rdms(), function(rdm) rdm / max(rdm) * 1.7e308)
  pooled <- pool_rdms(rdms, "riemann")
  expect_equal(as.vector(pooled) / 1.7e308,
               rowMeans(vapply(rdms, function(rdm) as.vector(rdm) / 1.7e308, numeric(28))))
})
