# Delete-one values in closed form, influences and weighted scores against scores made anew.

errors_for <- function(id, args) repalign:::errors_of(measure_with(id, args))

quiet_errors_for <- function(id, args) quietly(errors_for(id, args))

test_pair <- function(x, y) {
  repalign:::as_pair(repalign:::representation(x, "x"), repalign:::representation(y, "y"))
}

# A kernel whose width follows the data has no closed form: it is held.
more_settings <- list(
  cka = list(list(kernel = "rbf", sigma = 2),
             list(kernel = "rbf", sigma = 2, estimator = "stimulus"),
             list(estimator = "stimulus_neuron"),
             list(estimator = "stimulus_neuron", units_x = c(1, 1, 2, 3, 4),
                  units_y = c(1, 5, 2, 2))),
  rsa = list(list(inner = "euclidean"), list(inner = "euclidean", outer = "pearson")),
  angular_cka = list(list(estimator = "stimulus"))
)

each_closed_setting <- function(f) {
  all <- registered_settings(3)
  for (id in names(more_settings)) all[[id]] <- c(all[[id]], more_settings[[id]])
  for (id in names(all)) {
    for (args in all[[id]]) {
      if (identical(args$kernel, "rbf") && is.null(args$sigma)) next
      f(id, args, setting_name(id, args))
    }
  }
}

set.seed(11)
n <- 16
x <- matrix(rnorm(n * 5), n)
y <- x[, 1:4] + 0.7 * matrix(rnorm(n * 4), n)

test_that("delete-one values in closed form are the scores without each stimulus", {
  checked <- 0
  each_closed_setting(function(id, args, name) {
    errors <- quiet_errors_for(id, args)
    if (is.null(errors)) return()
    deletions <- if (errors$method == "jackknife") errors$stimuli else errors$exact
    if (is.null(deletions)) return()
    m <- measure_with(id, args)
    values <- quietly(deletions(test_pair(x, y), m$args, NULL))
    if (!is.null(errors$cosine)) values <- errors$cosine$score(values)
    anew <- vapply(0:n, function(i) {
      keep <- setdiff(seq_len(n), i)
      score(id, x[keep, ], y[keep, ], args)
    }, 0)
    note(isTRUE(all.equal(values, anew, tolerance = 1e-9)), name)
    checked <<- checked + 1
  })
  expect_nothing_noted()
  expect_gt(checked, 20)
})

test_that("clusters are deleted as a whole", {
  codes <- rep(1:8, each = 2)
  settings <- list(cka = list(list(), list(estimator = "stimulus"),
                              list(estimator = "stimulus_neuron")),
                   rsa = list(list(inner = "euclidean"), list(outer = "pearson")),
                   distance_correlation = list(list(), list(estimator = "unbiased")))
  for (id in names(settings)) {
    for (args in settings[[id]]) {
      if (id %in% c("cka", "rsa")) args$clusters <- codes
      m <- measure_with(id, args)
      values <- quietly(errors_for(id, args)$stimuli(test_pair(x, y), m$args, codes))
      anew <- vapply(0:8, function(u) {
        keep <- codes != u
        if (!is.null(args$clusters)) args$clusters <- codes[keep]
        score(id, x[keep, ], y[keep, ], args)
      }, 0)
      note(isTRUE(all.equal(values, anew, tolerance = 1e-9)),
           setting_name(id, args[names(args) != "clusters"]))
    }
  }
  expect_nothing_noted()
})

test_that("influences are derivatives by the share of a stimulus", {
  x <- rbind(x, x + 0.5 * rnorm(length(x)))
  y <- rbind(y, y + 0.5 * rnorm(length(y)))
  n <- nrow(x)
  step <- 1e-5
  each_closed_setting(function(id, args, name) {
    errors <- quiet_errors_for(id, args)
    if (is.null(errors) || errors$method != "influence") return()
    m <- measure_with(id, args)
    influence <- quietly(errors$stimuli(test_pair(x, y), m$args, NULL))
    # a share rises by step, and all others fall by as much together; sums stay those of n stimuli
    w <- function(sign) 1 + sign * step * (n * diag(n) - 1)
    scores <- lapply(c(1, -1), function(sign) quietly(score_weighted(x, y, m, w(sign))))
    if (!is.null(errors$cosine)) scores <- lapply(scores, errors$cosine$of)
    derivative <- (scores[[1]] - scores[[2]]) / (2 * step)
    note(isTRUE(all.equal(influence, derivative, tolerance = 1e-4)), name)
    note(abs(sum(influence)) < 1e-8 * sum(abs(influence)), name, " does not add up to 0")
  })
  expect_nothing_noted()
})

test_that("weights of 0 and 1 give the score of the stimuli that are there, for every measure", {
  keep <- cbind(seq_len(n) %in% c(1:4, 6:9, 12:15), seq_len(n) > 3)
  each_closed_setting(function(id, args, name) {
    m <- measure_with(id, args)
    set.seed(1)
    weighted <- quietly(score_weighted(x, y, m, 1 * keep))
    anew <- vapply(1:2, function(b) score(id, x[keep[, b], ], y[keep[, b], ], args), 0)
    note(isTRUE(all.equal(weighted, anew, tolerance = 1e-9)), name)
  })
  expect_nothing_noted()
})

test_that("a stimulus that holds nearly all variance is deleted without loss of digits", {
  far <- x
  far[7, ] <- 1e6
  for (args in list(list("cka"), list("cka", estimator = "stimulus"), list("distance_correlation"),
                    list("rsa", inner = "euclidean", outer = "pearson"))) {
    m <- do.call(measure, args)
    values <- errors_for(args[[1]], args[-1])$stimuli(test_pair(far, y), m$args, NULL)
    expect_equal(values[8], score(args[[1]], x[-7, ], y[-7, ], args[-1]), tolerance = 1e-9)
  }
})
