# The check of the rows: every function that gives p-values, intervals or ceilings over stimuli warns
# once of stimuli that depend on each other, and is silent with what it offers for them.

# How often a call warned of the rows.
warned_of_rows <- function(call) {
  seen <- 0
  withCallingHandlers(
    suppressMessages(call),
    repalign_dependence = function(w) {
      seen <<- seen + 1
      invokeRestart("muffleWarning")
    },
    warning = function(w) invokeRestart("muffleWarning")
  )
  seen
}

# Sides that have nothing in common but that their rows depend on each other; `groups` are the
# stimuli that may.
series_of <- function(n, q, phi, d = 5) {
  noise <- normal_matrix(n, d)
  noise[-1, ] <- noise[-1, ] * sqrt(1 - phi^2)
  apply(noise, 2, stats::filter, phi, "recursive") %*% normal_matrix(d, q)
}

copies_of <- function(n, q, order) {
  normal_matrix(n / 4, q)[rep(seq_len(n / 4), each = 4), ][order, ] + 0.02 * normal_matrix(n, q)
}

dependent_data <- function(kind, n = 80) {
  order <- if (kind == "copies") sample(n) else seq_len(n)
  side <- switch(kind, series = series_of, runs = , copies = function(n, q, phi) {
    copies_of(n, q, order)
  })
  list(x = side(n, 12, 0.9), y = side(n, 10, 0.95), n = n,
       groups = paste("g", rep(seq_len(n / 4), each = 4)[order]))
}

independent_data <- function(n = 80) {
  list(x = normal_matrix(n, 12), y = normal_matrix(n, 10), n = n, groups = rep(1:(n / 4), 4))
}

noisy <- function(x) x + 0.1 * matrix(rnorm(length(x)), nrow(x))

trials_of <- function(x) array(c(noisy(x), noisy(x), noisy(x)), c(dim(x), 3))

subjects_of <- function(x) list(a = dist(noisy(x))^2, b = dist(noisy(x))^2, c = dist(noisy(x))^2)

near_shuffles <- function(n, groups) permute::how(blocks = factor(groups), nperm = 19)

# Each as function(d, ...): the call on the data, with the remedy in `...` or in the data.
warners <- list(
  calibrate = list(
    call = function(d, ...) calibrate(d$x, d$y, "rv", permutations = 19, ...),
    remedies = list(blocks = function(d) list(blocks = d$groups),
                    clusters = function(d) list(clusters = d$groups),
                    linear = function(d) list(series = "linear"),
                    circular = function(d) list(series = TRUE))
  ),
  `calibrate by RDMs` = list(
    call = function(d, ...) calibrate(dist(d$x), list(a = dist(d$y), b = d$y), "rsa",
                                      permutations = 19, ...),
    remedies = list(blocks = function(d) list(blocks = d$groups))
  ),
  `calibrate within a list` = list(
    call = function(d, ...) calibrate(list(a = d$x, b = d$y, c = d$x + d$y[, c(1:10, 1:2)]),
                                      measure = "mutual_knn", permutations = 19, ...),
    remedies = list(blocks = function(d) list(blocks = d$groups))
  ),
  searchlight = list(
    call = function(d, permutations = 19) {
      searchlight(d$x, list(1:5, 4:9), list(m = d$y), permutations = permutations)
    },
    remedies = list(design = function(d) list(permutations = near_shuffles(d$n, d$groups)))
  ),
  rsa_regression = list(
    call = function(d, ...) {
      data <- list(brain = dist(d$x)^2, model = dist(d$y)^2, g = factor(d$groups))
      rsa_regression(brain ~ model, data, ...)
    },
    settings = list(permutations = 19),
    remedies = list(blocks = function(d) list(blocks = d$groups, permutations = 19),
                    design = function(d) {
                      list(permutations = rbind(c(seq(4, d$n), 1:3), c(seq(9, d$n), 1:8)))
                    })
  ),
  `rsa_regression of subjects` = list(
    call = function(d, ...) {
      rsa_regression(brain ~ model, list(brain = subjects_of(d$x), model = d$y), ...)
    },
    settings = list(permutations = 19),
    remedies = list(blocks = function(d) list(blocks = d$groups, permutations = 19))
  ),
  evaluate_models = list(
    call = function(d, resample = "both") {
      evaluate_models(subjects_of(d$x), list(a = dist(d$y)^2), draws = 20, resample = resample)
    },
    remedies = list(rdm = function(d) list(resample = "rdm"))
  ),
  score_interval = list(
    call = function(d, ...) score_interval(d$x, d$y, "cka", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  ),
  `score_interval of RDMs` = list(
    call = function(d, ...) score_interval(dist(d$x), list(a = dist(d$y)), "rsa", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  ),
  cka_interval = list(
    call = function(d, ...) cka_interval(d$x, d$y, "stimulus", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  ),
  noise_ceiling = list(
    call = function(d, cluster = NULL) {
      noise_ceiling(responses(trials_of(d$x), cluster = cluster), d$y,
                    measure("cka", estimator = "stimulus"))
    },
    remedies = list(clusters = function(d) list(cluster = d$groups))
  ),
  subject_ceiling = list(
    call = function(d, ...) subject_ceiling(subjects_of(d$x), measure("rsa", ...)),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  ),
  participation_ratio = list(
    call = function(d, cluster = NULL, conf_level = 0.95) {
      participation_ratio(if (is.null(cluster)) d$x else responses(d$x, cluster = cluster),
                          conf_level = conf_level)
    },
    remedies = list(clusters = function(d) list(cluster = d$groups),
                    `no interval` = function(d) list(conf_level = NULL))
  ),
  brain_to_brain = list(
    call = function(d, ...) brain_to_brain(d$x, d$y, neurons = 4, repeats = 2,
                                           estimator = "stimulus", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups),
                    `no interval` = function(d) list(conf_level = NULL))
  ),
  brain_to_model = list(
    call = function(d, ...) brain_to_model(d$x, list(y = d$y), neurons = 4, repeats = 2,
                                           estimator = "stimulus", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  ),
  trial_to_trial = list(
    call = function(d, ...) trial_to_trial(list(noisy(d$x), noisy(d$x)), neurons = 4, repeats = 2,
                                           estimator = "stimulus", ...),
    remedies = list(clusters = function(d) list(clusters = d$groups))
  )
)

test_that("dependent rows are told once and only once, by every function, until it is told", {
  set.seed(1)
  for (name in names(warners)) {
    one <- warners[[name]]
    run <- function(d, more = one$settings) do.call(one$call, c(list(d), more))
    for (kind in c("series", "runs", "copies")) {
      d <- dependent_data(kind)
      expect_identical(warned_of_rows(run(d)), 1, info = paste(name, kind))
      for (remedy in names(one$remedies)) {
        more <- one$remedies[[remedy]](d)
        expect_identical(warned_of_rows(run(d, more)), 0, info = paste(name, kind, remedy))
      }
    }
    expect_identical(warned_of_rows(run(independent_data())), 0, info = name)
  }
})
