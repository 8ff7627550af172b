# The check of the rows: every function that gives p-values, intervals or ceilings over stimuli
# warns once of stimuli that depend on each other, and is silent with what it offers for them.

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
  held_out = list(
    call = function(d, permutations = 19, ...) {
      held_out(d$x, d$y, permutations = permutations, ...)
    },
    remedies = list(clusters = function(d) list(clusters = d$groups, folds = 2),
                    none = function(d) list(permutations = 0))
  ),
  consensus = list(
    call = function(d, ...) consensus(list(a = d$x, b = d$y, c = d$x + d$y[, c(1:10, 1:2)]), ...),
    remedies = list(clusters = function(d) list(clusters = d$groups, folds = 2))
  ),
  encode = list(
    call = function(d, ...) encode(d$x, d$y, lambda = 1, ...),
    settings = list(permutations = 19),
    remedies = list(clusters = function(d) list(clusters = d$groups, permutations = 19),
                    design = function(d) list(permutations = near_shuffles(d$n, d$groups)))
  ),
  space_parts = list(
    call = function(d, ...) {
      spaces <- feature_spaces(a = d$x[, 1:6], b = d$x[, 7:12])
      space_parts(encode(spaces, d$y, lambda = 1, ...))
    },
    remedies = list(clusters = function(d) list(clusters = d$groups))
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
  evaluate_rdms = list(
    call = function(d, ...) {
      evaluate_rdms(subjects_of(d$x), list(a = dist(d$y)^2), draws = 20, ...)
    },
    settings = list(permutations = 19),
    remedies = list(`no sample` = function(d) list(resample = "rdm", permutations = 0),
                    clusters = function(d) list(clusters = d$groups, permutations = 19))
  ),
  `evaluate_rdms over RDMs` = list(
    call = function(d, ...) {
      evaluate_rdms(subjects_of(d$x), list(a = dist(d$y)^2), resample = "none", ...)
    },
    settings = list(permutations = 19),
    remedies = list(blocks = function(d) list(blocks = d$groups, permutations = 19),
                    clusters = function(d) list(clusters = d$groups, permutations = 19))
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
  contributions = list(
    call = function(d, alone = FALSE) {
      at <- which(!alone | !duplicated(d$groups))
      contributions(d$x[at, ], d$y[at, ], by = "groups", groups = seq_along(at) %% 3)
    },
    kinds = c("runs", "copies"),
    remedies = list(`one of each` = function(d) list(alone = TRUE))
  ),
  noise_ceiling = list(
    call = function(d, cluster = NULL) {
      noise_ceiling(responses(trials_of(d$x), cluster = cluster), d$y,
                    measure("cka", estimator = "stimulus"))
    },
    remedies = list(clusters = function(d) list(cluster = d$groups))
  ),
  across_sessions = list(
    call = function(d, ...) {
      day <- trials_of(d$x)
      dimnames(day) <- list(NULL, paste("cell", letters[1:12]), NULL)
      across_sessions(list(a = day, b = day + stats::rnorm(length(day)) / 10), ...)
    },
    remedies = list(clusters = function(d) list(clusters = d$groups))
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
  plan_recording = list(
    call = function(d, alone = FALSE) {
      at <- if (alone) !duplicated(d$groups) else TRUE
      # few dimensions, of which a small pilot tells enough
      few <- d$x[at, 1:2] %*% matrix(cos(1:60), 2)
      plan_recording(few[, 1:15], list(a = few[, 16:30], b = few[, 8:22] + d$y[at, 1] / 5),
                     stimuli = 100)
    },
    kinds = "runs",
    remedies = list(`one of each` = function(d) list(alone = TRUE))
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
    for (kind in if (is.null(one$kinds)) c("series", "runs", "copies") else one$kinds) {
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

test_that("comparisons of such intervals tell it again, also after rows were chosen", {
  set.seed(2)
  d <- dependent_data("series")
  layers <- list(a = d$y, b = d$y[, 1:6], c = normal_matrix(80, 5))
  result <- quietly(score_interval(d$x, layers, "cka"))
  expect_identical(warned_of_rows(compare_scores(result)), 1)
  expect_identical(warned_of_rows(compare_scores(result[3:2, ])), 1)
  expect_identical(warned_of_rows(best_score(result)), 1)
  expect_identical(warned_of_rows(compare_best(result, 1:2, 3)), 1)
  clustered <- quietly(score_interval(d$x, layers, "cka", clusters = d$groups))
  expect_identical(warned_of_rows(compare_scores(clustered)), 0)
  models <- list(a = dist(d$y)^2, b = dist(d$y[, 1:6])^2)
  evaluation <- quietly(evaluate_rdms(subjects_of(d$x), models, draws = 20))
  expect_identical(warned_of_rows(compare_scores(evaluation)), 1)
  over_rdms <- quietly(evaluate_rdms(subjects_of(d$x), models, draws = 20, resample = "rdm"))
  expect_identical(warned_of_rows(compare_scores(over_rdms)), 0)
})

test_that("clusters that responses() declare answer the question, and plain scores do not ask", {
  set.seed(3)
  d <- dependent_data("runs")
  x <- responses(d$x, cluster = d$groups)
  expect_identical(warned_of_rows(calibrate(x, d$y, permutations = 19)), 0)
  expect_identical(warned_of_rows(score_interval(x, d$y)), 0)
  expect_identical(warned_of_rows(cka_interval(x, d$y, "stimulus")), 0)
  expect_identical(warned_of_rows(cka(d$x, d$y)), 0)
  expect_identical(warned_of_rows(similarity(list(a = d$x, b = d$y))), 0)
  expect_identical(warned_of_rows(contributions(d$x, d$y)), 0)
  expect_identical(warned_of_rows(score_weighted(d$x, d$y, "cka", rep(1, 80))), 0)
  expect_identical(warned_of_rows(searchlight(d$x, list(1:5), list(m = d$y))), 0)
})

test_that("p-values are right where one side is exchangeable, intervals are not", {
  set.seed(4)
  slow <- series_of(100, 10, 0.95)
  white <- normal_matrix(100, 10)
  expect_identical(warned_of_rows(calibrate(slow, white, permutations = 19)), 0)
  expect_identical(warned_of_rows(score_interval(slow, white)), 1)
  # labels of categories are a design, no rows that depend on each other
  data <- list(brain = dist(slow)^2, category = rep(letters[1:5], each = 20))
  expect_identical(warned_of_rows(rsa_regression(brain ~ category, data, permutations = 19)), 0)
  category <- dist(rep(1:2, each = 50))
  expect_identical(warned_of_rows(calibrate(dist(slow), category, "rsa", permutations = 19)), 0)
})

test_that("of long and wide data enough is judged, and of graphs and prepared data what is known", {
  set.seed(5)
  x <- series_of(1500, 3, 0.95)
  y <- series_of(1500, 3, 0.95)
  wide <- x %*% normal_matrix(3, 1400)
  expect_lt(row_evidence(wide)$share, 0.2)
  expect_gt(row_evidence(wide)$deviations, 10)
  # RDMs of the same rows say the same, whatever their values are
  expect_equal(row_evidence(dist(x))[1:2], row_evidence(x)[1:2])
  squares <- as.dist(as.matrix(dist(x[1:60, ]))^2)
  expect_equal(row_evidence(squares)$share, row_evidence(x[1:60, ])$share)
  lacking <- squares
  lacking[7] <- NA
  expect_equal(row_evidence(lacking)$share, row_evidence(x[1:60, ])$share, tolerance = 0.05)
  near <- function(x) list(idx = t(apply(as.matrix(dist(x)), 1, order))[, 2:11],
                           dist = t(apply(as.matrix(dist(x)), 1, sort))[, 2:11])
  expect_identical(warned_of_rows(calibrate(near(x[1:100, ]), near(y[1:100, ]), "mutual_knn",
                                            permutations = 19)), 1)
  rows <- sample(100)
  expect_identical(warned_of_rows(calibrate(near(x[rows, ]), near(y[rows, ]), "mutual_knn",
                                            permutations = 19)), 0)
  expect_identical(row_evidence(x[1:4, ]), list())
  expect_identical(row_evidence(matrix(1, 20, 3)), list())
})

test_that("pairs of rows are those of their inner products", {
  set.seed(7)
  x <- scale(normal_matrix(12, 4), scale = FALSE)
  gram <- tcrossprod(x)
  found <- .Call(C_row_pairs, gram, 50)
  below <- lower.tri(gram)
  cosines <- stats::cov2cor(gram)
  expect_equal(found$squares, c(stats::dist(x)^2))
  expect_equal(found$cosines, cosines[below])
  nearest <- max.col(replace(cosines, cbind(1:12, 1:12), -2))
  expect_equal(found$cosines[found$nearest], cosines[cbind(1:12, nearest)])
  # a line through the far pairs
  far <- rank(cosines[below]) <= 50
  expect_equal(found$middle, mean(cosines[below][far]))
  other <- rnorm(66)
  fit <- stats::lm(other ~ cosines[below], subset = far)
  expect_equal(c(crossprod(found$line, other)), c(mean(other[far]), fit$coefficients[[2]]))
  expect_identical(.Call(C_row_pairs, diag(6), 12)$middle, NaN)
  expect_error(.Call(C_row_pairs, matrix(0, 2, 3), 1), "`gram` must be square")
})

test_that("near copies are those of both sides, with a gap above them", {
  set.seed(6)
  copies <- function(noise) {
    order <- sample(60)
    side <- function(q) {
      (normal_matrix(15, q)[rep(1:15, 4), ] + noise * normal_matrix(60, q))[order, ]
    }
    text_about_rows(list(side(12)), list(side(8)), "null", "first")
  }
  expect_match(copies(0.02),
               "near copies.*If rows were sampled in groups.*first.*by itself.*[?]dependence")
  expect_null(copies(1))
  # in one dimension there are near rows at any distance, and no gap
  z <- rnorm(100)
  expect_null(text_about_rows(list(outer(z, 1:3)), list(outer(z, 3:1)), "null", ""))
  # discrete rows are equal by chance, and few different ones are a design
  counts <- function() matrix(rpois(300, 0.7), 100)
  expect_null(text_about_rows(list(counts()), list(counts()), "null", ""))
  labels <- diag(5)[sample(5, 100, TRUE), ]
  expect_null(text_about_rows(list(labels), list(labels), "null", ""))
})

test_that("evaluate_rdms() speaks of p_chance where permutations are free, and of intervals", {
  slow <- function() stats::dist(apply(normal_matrix(40, 3), 2, cumsum))
  set.seed(3)
  rdms <- list(a = slow(), b = slow())
  said <- function(...) {
    conditionMessage(expect_warning(
      suppressMessages(evaluate_rdms(rdms, list(m = slow()), "pearson", draws = 20, ...)),
      class = "repalign_dependence"
    ))
  }
  expect_match(said(permutations = 19), "in time, intervals.*`p_chance`, which takes")
  expect_no_match(said(permutations = 0), "p_chance")
  expect_match(said(permutations = 19, resample = "rdm"), "in time, p-values")
})
