# Noise ceilings against their definitions: means over permutations of the trials within each
# stimulus, closed forms, deletions done anew, and simulations of correlated noise.

small_trials <- function(n, q, trials, seed = 1, noise = 0.6) {
  set.seed(seed)
  signal <- matrix(rnorm(n * 2), n) %*% matrix(rnorm(2 * q), 2)
  mixing <- matrix(rnorm(q * q), q) / sqrt(q)
  array(vapply(seq_len(trials), function(t) {
    signal + noise * matrix(rnorm(n * q), n) %*% mixing
  }, signal), c(n, q, trials))
}

all_orders <- function(v) {
  if (length(v) <= 1) return(list(v))
  unlist(lapply(seq_along(v), function(i) {
    lapply(all_orders(v[-i]), function(rest) c(v[i], rest))
  }), recursive = FALSE)
}

# The mean of f() over all permutations of the trials within each stimulus.
mean_over_orders <- function(x, f) {
  orders <- all_orders(seq_len(dim(x)[3]))
  choices <- as.matrix(expand.grid(rep(list(seq_along(orders)), dim(x)[1])))
  mean(apply(choices, 1, function(choice) {
    for (i in seq_along(choice)) x[i, , ] <- x[i, , orders[[choice[i]]]]
    f(x)
  }))
}

sq_dist <- function(x) as.vector(stats::dist(x))^2

population_cov <- function(a, b) mean(a * b) - mean(a) * mean(b)

rsa_sq <- function() measure("rsa", inner = "sqeuclidean", outer = "pearson")

cka_of <- function(estimator) measure("cka", estimator = estimator)

abind_trials <- function(a, b) array(c(a, b), dim(a) + c(0, 0, dim(b)[3]))

# One measure of one set of trials, without the messages about them.
signal_of <- function(x, m) suppressWarnings(noise_ceiling(x, measure = m))$h_cross

test_that("the RSA ceiling is the mean over permutations of two trials", {
  x <- small_trials(5, 3, 2)
  brute <- mean_over_orders(x, function(z) population_cov(sq_dist(z[, , 1]), sq_dist(z[, , 2])))
  expect_equal(signal_of(x, rsa_sq()), brute, tolerance = 1e-10)
})

test_that("with unequal numbers of trials, two of each stimulus are drawn", {
  x <- small_trials(5, 3, 3)
  x[2:5, , 3] <- NA
  brute <- 0
  for (pair in list(1:2, c(1, 3), 2:3)) {
    y <- x[, , 1:2]
    y[1, , ] <- x[1, , pair]
    brute <- brute + mean_over_orders(y, function(z) {
      population_cov(sq_dist(z[, , 1]), sq_dist(z[, , 2]))
    }) / 3
  }
  expect_equal(signal_of(x, rsa_sq()), brute, tolerance = 1e-10)
})

# Products of distances from four different trials, by index loops over all orders.
four_trial_oracle <- function(x) {
  n <- dim(x)[1]
  pairs <- utils::combn(n, 2)
  orders <- do.call(rbind, all_orders(1:4))
  first <- which(orders[, 1] < orders[, 2] & orders[, 3] < orders[, 4])
  distance <- function(i, j, a, b, first) {
    at <- if (first) 1:2 else 3:4
    sum((x[i, , a[at[1]]] - x[j, , b[at[1]]]) * (x[i, , a[at[2]]] - x[j, , b[at[2]]]))
  }
  both <- function(p, r) {
    stimuli <- unique(c(p, r))
    # of one stimulus, those orders are enough that give the first distance other trials
    grid <- as.matrix(expand.grid(c(list(first), rep(list(seq_len(24)), length(stimuli) - 1))))
      mean(apply(grid, 1, function(g) {
      own <- function(i) orders[g[match(i, stimuli)], ]
      distance(p[1], p[2], own(p[1]), own(p[2]), TRUE) *
        distance(r[1], r[2], own(r[1]), own(r[2]), FALSE)
    }))
  }
  alone <- function(p) {
    mean(apply(expand.grid(seq_len(24), seq_len(24)), 1, function(g) {
      distance(p[1], p[2], orders[g[1], ], orders[g[2], ], TRUE)
    }))
  }
  single <- apply(pairs, 2, alone)
  products <- matrix(0, ncol(pairs), ncol(pairs))
  for (a in seq_len(ncol(pairs))) for (b in seq_len(a)) {
    shared <- length(intersect(pairs[, a], pairs[, b])) > 0
    products[a, b] <- products[b, a] <-
      if (shared) both(pairs[, a], pairs[, b]) else single[a] * single[b]
  }
  mean(diag(products)) - mean(products)
}

test_that("with four trials, products are those of four different ones", {
  # of three stimuli, all pairs share one
  core <- small_trials(3, 2, 4)
  internal <- asNamespace("repalign")
  trials <- list(values = matrix(aperm(core, c(3, 1, 2)), 12), stimulus = rep(1:3, each = 4),
                 count = rep(4, 3), four = TRUE)
  means <- apply(core, 1:2, mean)
  value <- internal$signal_variance(trials$values, means, trials)[1]
  expect_equal(value, four_trial_oracle(core), tolerance = 1e-10)
})

test_that("four trials of a larger sample have the product of RESPONSES.md in it", {
  x <- small_trials(6, 3, 5, seed = 3)
  internal <- asNamespace("repalign")
  trials <- list(values = matrix(aperm(x, c(3, 1, 2)), 30), stimulus = rep(1:6, each = 5),
                 count = rep(5, 6), four = TRUE)
  means <- apply(x, 1:2, mean)
  part <- internal$four_trial_parts(trials$values, means, trials)
  # mean over orders of the trials of stimulus 2 of A over the Gram matrix of the differences
  gram_form <- function(a, b) {
    g <- tcrossprod(a - b)
    diag(g) <- 0
    (sum(g)^2 - 4 * sum(rowSums(g)^2) + 2 * sum(g^2)) / prod(5:2)
  }
  orders <- all_orders(1:5)
  brute <- mean(vapply(orders, function(o) gram_form(t(x[1, , ]), t(x[2, , o])), 0))
  expect_equal(part$d[1, 2], brute, tolerance = 1e-10)
})

test_that("the CKA ceiling is the mean over permutations of halves of the trials", {
  x <- small_trials(5, 3, 2, seed = 4)
  h <- function(a, b) {
    total <- hsic(a, b, estimator = "stimulus") * ncol(a)^2
    own <- sum(vapply(seq_len(ncol(a)), function(j) {
      hsic(a[, j, drop = FALSE], b[, j, drop = FALSE], estimator = "stimulus")
    }, 0))
    c(all = total / ncol(a)^2, others = (total - own) / (ncol(a) * (ncol(a) - 1)))
  }
  for (e in c(all = "stimulus", others = "stimulus_neuron")) {
    part <- c(stimulus = "all", stimulus_neuron = "others")[[e]]
    brute <- mean_over_orders(x, function(z) h(z[, , 1], z[, , 2])[[part]])
    expect_equal(signal_of(x, cka_of(e)), brute, tolerance = 1e-10)
  }
})

test_that("halves of four trials have the mean of the closed form", {
  x <- small_trials(4, 3, 4, seed = 5)
  halves <- list(1:2, c(1, 3), c(1, 4))
  grid <- as.matrix(expand.grid(rep(list(1:6), 4)))
  all <- c(halves, lapply(halves, function(h) setdiff(1:4, h)))
  brute <- mean(apply(grid, 1, function(g) {
    a <- b <- matrix(0, 4, 3)
    for (i in 1:4) {
      a[i, ] <- rowMeans(x[i, , all[[g[i]]]])
      b[i, ] <- rowMeans(x[i, , -all[[g[i]]]])
    }
    hsic(a, b, estimator = "stimulus")
  }))
  internal <- asNamespace("repalign")
  repr <- internal$representation(responses(x), "x")
  sample <- internal$trial_sample(repr, repr)
  expect_equal(sum(internal$trial_terms(sample)) * 2^(-2 * sum(sample$scale)) / 9, brute,
               tolerance = 1e-10)
})

test_that("the order of the trials does not matter, stimulus by stimulus", {
  x <- small_trials(8, 4, 4, seed = 6)
  y <- x
  set.seed(7)
  for (i in seq_len(8)) y[i, , ] <- x[i, , sample(4)]
  z <- matrix(rnorm(8 * 3), 8)
  for (m in list(rsa_sq(), cka_of("stimulus_neuron"), cka_of("stimulus"))) {
    a <- suppressWarnings(noise_ceiling(x, z, m))
    b <- suppressWarnings(noise_ceiling(y, z, m))
    expect_equal(as.data.frame(a), as.data.frame(b), tolerance = 1e-8)
  }
})

# The same, with stimuli and neurons left out of the data.
deleted_by_hand <- function(x, y, m, stimulus = NULL, neuron = NULL) {
  keep <- setdiff(seq_len(dim(x)[1]), stimulus)
  x <- x[keep, setdiff(seq_len(dim(x)[2]), neuron), , drop = FALSE]
  as.data.frame(suppressWarnings(noise_ceiling(x, y[keep, , drop = FALSE], m)))
}

test_that("errors delete stimuli and neurons in all terms at once", {
  x <- small_trials(9, 5, 4, seed = 8, noise = 0.4)
  set.seed(9)
  y <- x[, 1:3, 1] + 0.5 * matrix(rnorm(27), 9)
  columns <- c("reliability", "ceiling", "score", "disattenuated", "gap")
  for (trials in 3:4) for (m in list(rsa_sq(), cka_of("stimulus_neuron"))) {
    z <- x[, , seq_len(trials)]
    value <- noise_ceiling(z, y, m, over = c("stimuli", "neurons_x"))
    cells <- expand.grid(stimulus = 0:9, neuron = 0:5)
    tables <- mapply(function(i, a) {
      unlist(deleted_by_hand(z, y, m, i, a)[columns])
    }, cells$stimulus, cells$neuron)
    for (column in columns) {
      table <- matrix(tables[column, ], 10)
      both <- table[-1, -1] - table[-1, 1] - rep(table[1, -1], each = 9) + table[1, 1]
      main <- c(8 / 9 * sum((table[-1, 1] - mean(table[-1, 1]))^2),
                4 / 5 * sum((table[1, -1] - mean(table[1, -1]))^2))
      # those of the means over trials are as in cka_interval()
      inner <- 8 / 9 * 4 / 5 * sum((both - if (column == "score") 0 else mean(both))^2)
      expect_equal(value[[paste0(column, "_se")]], sqrt(max(sum(main) - inner, main)),
                   tolerance = 1e-7)
    }
  }
})

test_that("the scores are those of the means over trials", {
  x <- small_trials(12, 5, 3, seed = 10)
  set.seed(11)
  y <- matrix(rnorm(12 * 4), 12)
  mean <- apply(x, 1:2, mean)
  value <- noise_ceiling(x, list(a = y, b = dist(y)^2), rsa_sq())
  expect_equal(value$score, rep(rsa(mean, y, "sqeuclidean", "pearson"), 2), tolerance = 1e-12)
  value <- noise_ceiling(x, y, cka_of("stimulus"))
  expect_equal(value$score, cka(mean, y, estimator = "stimulus"), tolerance = 1e-12)
  # the units of y are a sample, or all that there are
  y <- x[, , 1] + y[, c(1:4, 1)]
  value <- noise_ceiling(x, y)
  expect_equal(value$score, quietly(cka(mean, y, estimator = "stimulus_neuron")), tolerance = 1e-12)
  all <- measure("cka", estimator = "stimulus_neuron", complete = "y")
  value <- noise_ceiling(x, y, all)
  expect_identical(value$measure, "cka(stimulus_neuron, complete y)")
  self <- function(v, e, ...) hsic(v, v, estimator = e, ...)
  expect_equal(value$score, hsic(mean, y, estimator = "stimulus") /
                 sqrt(self(mean, "stimulus_neuron", shared_neurons = TRUE) * self(y, "stimulus")),
               tolerance = 1e-12)
  expect_equal(value$disattenuated, value$score / value$ceiling, tolerance = 1e-12)
  expect_equal(value$gap, value$score - value$ceiling, tolerance = 1e-12)
  expect_equal(value$reliability, value$h_cross / value$h_self, tolerance = 1e-12)
})

test_that("trials of both sides: the disattenuated score is the estimate from trials", {
  x <- small_trials(30, 12, 3, seed = 12, noise = 0.3)
  y <- small_trials(30, 10, 3, seed = 13, noise = 0.3) + x[, 1:10, ]
  value <- noise_ceiling(x, responses(y))
  estimate <- suppressMessages(cka_interval(responses(x), responses(y),
                                            estimator = "stimulus_neuron_trial"))
  expect_equal(value$disattenuated, estimate$cka, tolerance = 1e-10)
  expect_equal(value$disattenuated_se, estimate$se, tolerance = 1e-8)
  expect_equal(unname(confint(value)[1, ]), c(estimate$conf_low, estimate$conf_high),
               tolerance = 1e-8)
  rsa_value <- noise_ceiling(x, responses(y), rsa_sq())
  expect_equal(rsa_value$disattenuated, rsa_value$score / rsa_value$ceiling, tolerance = 1e-12)
})

test_that("without noise every ceiling is 1", {
  x <- small_trials(10, 4, 4, noise = 0)
  for (m in list(rsa_sq(), cka_of("stimulus"), cka_of("stimulus_neuron"), measure("rv"))) {
    expect_equal(noise_ceiling(x, measure = m)$ceiling, 1, tolerance = 1e-8)
  }
  y <- x[, , 1:2]
  expect_equal(noise_ceiling(y, measure = rsa_sq())$ceiling, 1, tolerance = 1e-8)
})

test_that("ceilings by halves of the trials are those of Spearman and Brown", {
  x <- small_trials(20, 6, 4, seed = 14)
  set.seed(15)
  y <- matrix(rnorm(20 * 4), 20)
  z <- x[, , c(1, 1, 1, 1)]
  expect_equal(noise_ceiling(z, measure = "rv")$ceiling, 1)
  set.seed(16)
  one <- noise_ceiling(x, y, "mutual_knn", splits = 3)
  set.seed(16)
  again <- noise_ceiling(x, y, "mutual_knn", splits = 3)
  expect_identical(one, again)
  expect_equal(one$score, mutual_knn(apply(x, 1:2, mean), y))
  expect_equal(one$disattenuated, one$score / one$ceiling)
  expect_equal(one$ceiling^2, one$reliability)
  expect_true(is.na(one$h_cross) && is.na(one$ceiling_se))
  expect_match(paste(utils::capture.output(one), collapse = " "), "Approximate .halves")
  expect_error(noise_ceiling(x, measure = "bures_distance"), class = "repalign_error_measure")
})

test_that("ceilings by halves of both sides are those of both, and without the noise of trials", {
  set.seed(6)
  signal <- matrix(rnorm(90), 30)
  noisy <- function(session, q) {
    clean <- signal %*% matrix(rnorm(3 * q), 3)
    list(clean = clean, trials = responses(array(clean, c(30, q, 4)) + 3 * rnorm(30 * q * 4),
                                           session = rep(session, q)))
  }
  a <- noisy("a", 20)
  b <- noisy("b", 25)
  for (measure in c("rsa", "rv")) {
    run <- function(x, y) {
      set.seed(1)
      quietly(noise_ceiling(x, y, measure))
    }
    both <- run(a$trials, list(b = b$trials, m = as.matrix(b$trials)))
    alone <- run(b$trials, NULL)
    expect_equal(both$reliability[1], both$reliability[2])
    expect_equal(both$ceiling[2], sqrt(both$reliability[2]))
    # other halves of the same trials
    expect_equal(both$ceiling[1]^2, both$reliability[1] * alone$reliability, tolerance = 0.05)
    true <- quietly(similarity(a$clean, b$clean, measure))$score
    expect_lt(abs(both$disattenuated[1] - true), 0.6 * abs(both$disattenuated[2] - true))
  }
  expect_refused(noise_ceiling(a$trials, responses(replace(as.array(b$trials), 1, NA)), "rsa"),
                 "`y` lacks some neurons")
  # a `y` of noise leaves nothing
  set.seed(3)
  none <- array(rnorm(30 * 5 * 2), c(30, 5, 2))
  expect_warning(found <- noise_ceiling(a$trials, list(n = responses(none, session = rep("n", 5))),
                                        measure("cka", estimator = "stimulus")),
                 "no ceiling", class = "repalign_undefined")
  expect_true(!is.na(found$reliability) && is.na(found$ceiling))
})

test_that("values are unbiased under noise that neurons share", {
  set.seed(18)
  n <- 24
  signal <- matrix(rnorm(n * 3), n) %*% matrix(rnorm(3 * 8), 3)
  load <- matrix(rnorm(2 * 8), 2)
  draw <- function(trials, sd) {
    array(vapply(seq_len(trials), function(t) {
      signal + sd * (matrix(rnorm(n * 2), n) %*% load + 0.5 * matrix(rnorm(n * 8), n))
    }, signal), c(n, 8, trials))
  }
  own <- hsic(signal, signal, estimator = "stimulus_neuron", shared_neurons = TRUE)
  distances <- sq_dist(signal)
  truth <- c(own, population_cov(distances, distances))
  # noise differs between the stimuli: this takes four trials
  sds <- rep(c(0.3, 0.9), each = n / 2)
  found <- replicate(80, c(signal_of(draw(3, sds), cka_of("stimulus_neuron")),
                            signal_of(draw(4, sds), rsa_sq()),
                            signal_of(draw(2, 0.6), rsa_sq())))
  z <- (rowMeans(found) - truth[c(1, 2, 2)]) / (apply(found, 1, sd) / sqrt(80))
  expect_lt(max(abs(z)), 3.5)
  # the noise is really there: that of the means over trials is not
  of_means <- replicate(20, noise_ceiling(draw(4, sds), measure = rsa_sq())$h_self)
  expect_gt(mean(of_means), truth[2] * 1.02)
})

test_that("few trials: the result says that noise is taken as equal", {
  x <- small_trials(10, 4, 4, noise = 0.3)
  expect_output(print(noise_ceiling(x[, , 1:3], measure = rsa_sq())), "noise of all stimuli as")
  expect_no_match(utils::capture.output(noise_ceiling(x, measure = rsa_sq())), "Fewer than")
})

test_that("clusters are deleted as wholes, events share noise", {
  x <- small_trials(16, 4, 3, seed = 19, noise = 0.3)
  cluster <- rep(c(letters[1:7], NA), each = 2)
  value <- noise_ceiling(responses(x, cluster = cluster), matrix(1:64 + 0, 16)^1.5)
  expect_equal(value$n, 14)
  expect_gt(value$ceiling_se, 0)
  y <- abind_trials(x, x)
  event <- rep(1:3, 2)
  for (m in list(rsa_sq(), cka_of("stimulus"))) {
    expect_equal(signal_of(responses(y, event = event), m), signal_of(x, m), tolerance = 1e-10)
  }
  # it does not matter which side declares them; stimuli without a label stand on both
  y <- matrix(1:64 + 0, 16)^1.5
  expect_equal(noise_ceiling(x, responses(y, cluster = cluster)),
               noise_ceiling(responses(x, cluster = cluster), y), ignore_attr = TRUE)
  expect_error(noise_ceiling(responses(x, cluster = cluster), y[1:14, ]),
               class = "repalign_error_rows")
  expect_error(noise_ceiling(responses(x, cluster = cluster), measure = "rsa"),
               class = "repalign_error_choice")
})

test_that("bad input is named", {
  x <- small_trials(10, 4, 3, noise = 0.3)
  expect_error(noise_ceiling(x[, , 1]), class = "repalign_error_type")
  expect_error(noise_ceiling(x[, , 1, drop = FALSE]), class = "repalign_error_trials")
  expect_error(noise_ceiling("a"), class = "repalign_error_type")
  holes <- x
  holes[3, 2, 2] <- NA
  expect_error(noise_ceiling(holes, measure = "rsa"), "trial 2 of stimulus 3",
               class = "repalign_error_nonfinite")
  holes[3, 2, ] <- NA
  expect_error(noise_ceiling(holes), "of stimulus 3 for some neurons \\(column 2\\)",
               class = "repalign_error_nonfinite")
  gone <- x
  gone[5, , ] <- NA
  expect_error(noise_ceiling(gone), "stimulus 5", class = "repalign_error_nonfinite")
  single <- x
  single[4, , 2:3] <- NA
  expect_error(noise_ceiling(single, measure = rsa_sq()), "stimulus 4",
               class = "repalign_error_trials")
  expect_error(noise_ceiling(single, measure = "rsa"), "stimulus 4",
               class = "repalign_error_trials")
  infinite <- x
  infinite[1] <- Inf
  expect_error(noise_ceiling(infinite), "`trials` has 1 infinite",
               class = "repalign_error_nonfinite")
  expect_error(noise_ceiling(x, x[1:9, , 1]), class = "repalign_error_rows")
  expect_error(noise_ceiling(x, dist(x[, , 1])), class = "repalign_error_type")
  expect_error(noise_ceiling(x, measure = "procrustes"), class = "repalign_error_measure")
  expect_error(noise_ceiling(x, measure = cka_of("stimulus_neuron_trial")),
               class = "repalign_error_choice")
  expect_error(noise_ceiling(x, measure = measure("cka", shared_neurons = TRUE)),
               class = "repalign_error_choice")
  expect_error(noise_ceiling(x, splits = 0), class = "repalign_error_value")
  expect_error(confint(noise_ceiling(x), "x"), class = "repalign_error_choice")
  expect_error(noise_ceiling(x[1:4, , ]), class = "repalign_error_rows")
})

test_that("a reliability that is not positive is NA, with a warning", {
  set.seed(20)
  x <- array(rnorm(6 * 4 * 2), c(6, 4, 2))
  x[, , 2] <- 0.1 * x[, , 2] - x[, , 1]
  expect_warning(value <- noise_ceiling(x, x[, , 1], cka_of("stimulus_neuron")),
                 class = "repalign_undefined")
  expect_true(is.na(value$reliability) && is.na(value$disattenuated))
})

test_that("parts of a result keep what confint() needs", {
  x <- small_trials(12, 4, 3, noise = 0.3)
  set.seed(21)
  y <- list(a = matrix(rnorm(36), 12), b = matrix(rnorm(36), 12))
  value <- noise_ceiling(x, y, list(rsa_sq(), cka_of("stimulus")))
  expect_equal(dim(value), c(4, 17))
  columns <- c("ceiling", "gap")
  expect_equal(confint(value[2, ], columns), confint(value, columns)[c(2, 6), ])
})

test_that("intervals of a part of the columns name those that are missing", {
  set.seed(13)
  trials <- array(rnorm(30 * 6), c(30, 6, 3)) + rnorm(30 * 6 * 3)
  rows <- noise_ceiling(trials, matrix(rnorm(90), 30), measure("cka", estimator = "stimulus"))
  part <- rows[, c("y", "measure", "score", "score_se")]
  expect_identical(confint(part, "score"), confint(rows, "score"))
  expect_error(confint(part), '"disattenuated" and "disattenuated_se"',
               class = "repalign_error_type")
  expect_error(confint(rows[, c("y", "score", "score_se")], "score"), '"measure"',
               class = "repalign_error_type")
  expect_output(print(rows[0, ]), "reliability")
})

test_that("the estimator that was taken is named, and so are the arguments of the call", {
  x <- small_trials(12, 4, 3, noise = 0.3)
  expect_output(print(noise_ceiling(x, measure = "cka")), "taken by \"stimulus_neuron\"")
  expect_no_match(capture.output(print(noise_ceiling(x, measure = rsa_sq()))),
                  "without an estimator")
  expect_error(noise_ceiling(x, measure = measure("mutual_knn", k = 30)), "`trials` has 12 rows",
               class = "repalign_error_rows")
})

test_that("ceilings are drawn, alone and beside scores", {
  skip_if_not_installed("ggplot2")
  x <- small_trials(12, 4, 3, noise = 0.3)
  set.seed(22)
  y <- list(a = matrix(rnorm(36), 12), b = matrix(rnorm(36), 12))
  value <- noise_ceiling(x, y, list(cka_of("stimulus"), measure("mutual_knn", k = 3)))
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(value))
  panels <- c("CKA corrected for stimuli", "overlap of nearest neighbours with k = 3")
  expect_identical(unique(drawn$layout$layout$panel), factor(panels, panels))
  band <- drawn$data[[1]]
  expect_equal(unname(band$ymin[1:2]), unname(confint(value[1:2, ], "ceiling")[, 1]))
  expect_equal(sort(drawn$data[[4]]$y), sort(stats::na.omit(c(value$score, value$disattenuated))),
               ignore_attr = TRUE)
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(noise_ceiling(x, measure = rsa_sq()))))
  expect_error(ggplot2::autoplot(value[, c("y", "measure")]), class = "repalign_error_type")
  expect_error(ggplot2::autoplot(value[0, ]), class = "repalign_error_size")
})

test_that("ceilings are tidied to a row for each value", {
  set.seed(8)
  trials <- small_trials(20, 6, 4)
  ceiling <- noise_ceiling(trials, list(a = matrix(rnorm(80), 20), b = matrix(rnorm(80), 20)))
  tidied <- tidy(ceiling)
  expect_identical(names(tidied), c("term", "estimate", "std.error", "y", "measure", "n"))
  expect_identical(tidied$estimate[tidied$term == "gap"], ceiling$gap)
  expect_identical(tidied$std.error[tidied$term == "ceiling"], ceiling$ceiling_se)
  expect_identical(tidied$y, rep(c("a", "b"), each = 7))
  expect_identical(nrow(tidy(ceiling[0, ])), 0L)
  expect_error(noise_ceiling(trials[, , 1]), "trial_array")
})

test_that("a reliability far above 1 is told with what to do, and no other one", {
  set.seed(82)
  told <- function(x, measure) {
    seen <- NULL
    withCallingHandlers(noise_ceiling(x, measure = measure),
                        repalign_high_reliability = function(w) {
                          seen <<- conditionMessage(w)
                          invokeRestart("muffleWarning")
                        })
    seen
  }
  signal <- normal_matrix(60, 4) %*% normal_matrix(4, 30)
  trials <- function(count, size) {
    array(vapply(seq_len(count), function(t) signal + size * normal_matrix(60, 30), signal),
          c(60, 30, count))
  }
  rdms <- measure("rsa", inner = "sqeuclidean", outer = "pearson")
  # noise that differs between stimuli, with too few trials to tell it from signal
  unequal <- trials(3, rep(c(1, 8), each = 30))
  expect_match(told(unequal, rdms), "give 4 trials or more")
  # the remedies of the message
  expect_null(told(trials(8, rep(c(1, 8), each = 30)), rdms))
  expect_null(told(unequal, measure("cka", estimator = "stimulus_neuron")))
  expect_null(told(trials(3, 2), rdms))
  expect_null(told(trials(4, 2), measure("cka", estimator = "stimulus")))
  # noise that neurons share with opposite signs runs against a signal that all of them share
  common <- matrix(rnorm(60), 60, 20)
  against <- array(vapply(1:3, function(t) {
    noise <- normal_matrix(60, 20)
    common + 3 * (noise - rowMeans(noise))
  }, common), c(60, 20, 3))
  expect_match(told(against, measure("cka", estimator = "stimulus_neuron")), "only `score`")
})

test_that("without noise, and without `y`, nothing is said that has no meaning there", {
  set.seed(5)
  signal <- normal_matrix(40, 20)
  same <- array(signal, c(40, 20, 4))
  measure <- measure("cka", estimator = "stimulus")
  expect_no_warning(found <- noise_ceiling(same, measure = measure),
                    class = "repalign_high_reliability")
  expect_equal(found$reliability, 1)
  near <- same + 0.001 * array(stats::rnorm(40 * 20 * 4), dim(same)) * (1:40 > 20)
  expect_no_warning(noise_ceiling(near, measure = measure), class = "repalign_high_reliability")
  expect_false(any(grepl("disattenuated", attr(found, "note"))))
  compared <- noise_ceiling(same + array(stats::rnorm(40 * 20 * 4), dim(same)), signal,
                            measure)
  expect_true(any(grepl("disattenuated", attr(compared, "note"))))
})

test_that("sessions have trials of their own: slots that lack a whole session change nothing", {
  together <- small_trials(12, 6, 4)
  # the same trials, of which those of the second session stand in other slots
  apart <- array(NA_real_, c(12, 6, 8))
  apart[, 1:3, 1:4] <- together[, 1:3, ]
  apart[, 4:6, 5:8] <- together[, 4:6, ]
  model <- small_trials(12, 5, 1, seed = 2)[, , 1]
  ceiling_of <- function(trials, measure) {
    set.seed(1)
    quiet_ceiling(responses(trials, session = rep(1:2, each = 3)), model, measure)
  }
  quiet_ceiling <- function(...) suppressWarnings(suppressMessages(noise_ceiling(...)))
  for (measure in list(cka_of("stimulus"), cka_of("stimulus_neuron"), "rsa")) {
    expect_equal(as.data.frame(ceiling_of(apart, measure)),
                 as.data.frame(ceiling_of(together, measure)))
  }
  # distances of all neurons need whole trials
  error <- expect_error(ceiling_of(apart, rsa_sq()), class = "repalign_error_partial_trials")
  expect_match(conditionMessage(error), "lacks some neurons in 96 trials")
  expect_match(conditionMessage(error), "\"stimulus_neuron\") takes such trials", fixed = TRUE)
  # the score leaves out pairs of a session, the score without noise does not
  expect_match(attr(ceiling_of(apart, cka_of("stimulus_neuron")), "note"), "of one session",
               all = FALSE)
})

test_that("sentence and print say that a ceiling by halves is approximate, and which way it errs", {
  set.seed(35)
  signal <- array(stats::rnorm(20 * 5), c(20, 5, 4))
  trials <- signal + stats::rnorm(length(signal))
  by_halves <- suppressMessages(noise_ceiling(trials, measure = "rsa", splits = 5))
  expect_match(in_words(by_halves), "approximate, by halves of the trials, and mostly too high")
  expect_output(print(by_halves), "mostly too high")
  expect_no_match(in_words(suppressWarnings(noise_ceiling(trials))), "approximate")
})

test_that("the trials of a call have one reliability, whatever they are compared with", {
  set.seed(4)
  x <- matrix(rnorm(120), 20)
  trials <- array(x, c(20, 6, 4)) + rnorm(480)
  y <- list(a = x[, 1:3], b = x[, 4:6], c = matrix(rnorm(60), 20))
  set.seed(5)
  all <- quietly(noise_ceiling(trials, y, list("rsa", "procrustes_similarity")))
  expect_equal(tapply(all$reliability, all$measure, function(r) length(unique(r))),
               tapply(all$reliability, all$measure, function(r) 1L))
  set.seed(5)
  expect_equal(quietly(noise_ceiling(trials, y["c"], "rsa"))$reliability, all$reliability[1])
})

test_that("columns of one session are as columns without labels", {
  set.seed(6)
  x <- matrix(rnorm(160), 20)
  recorded <- function(...) responses(array(x, c(20, 8, 3)) + rnorm(480), ...)
  set.seed(7)
  plain <- list(recorded(), recorded())
  set.seed(7)
  named <- list(recorded(session = rep("a", 8)), recorded(session = rep("a", 8)))
  expect_identical(as.data.frame(quietly(noise_ceiling(named[[1]], named[[2]]))),
                   as.data.frame(quietly(noise_ceiling(plain[[1]], plain[[2]]))))
  analysed <- function(x) {
    set.seed(8)
    as.data.frame(quietly(trial_to_trial(x, repeats = 3)))
  }
  expect_identical(analysed(named[[1]]), analysed(plain[[1]]))
  # the estimator that trials allow has limits, too
  limits <- quietly(cka_interval(plain[[1]], plain[[2]]))
  expect_equal(as.vector(confint(limits)), c(limits$conf_low, limits$conf_high))
  models <- quietly(noise_ceiling(plain[[1]], list(first = x, second = x), "rsa"))
  expect_match(in_words(models), "that with first was highest beside its ceiling \\(as 1 other\\)")
})

test_that("neurons that seem to be on both sides are told, once", {
  x <- small_trials(30, 6, 3)
  colnames(x) <- paste0("unit", letters[1:6])
  y <- list(own = x[, 4:6, 1], same = x[, 1:3, 2])
  expect_message(noise_ceiling(x, y), "share neurons .* too high otherwise",
                 class = "repalign_shared_names")
  said <- capture_messages(suppressWarnings(noise_ceiling(x, y)))
  expect_identical(sum(grepl("share neurons", said)), 1L)
  expect_no_message(suppressWarnings(noise_ceiling(x, y, measure = cka_of("stimulus"))))
})

test_that("pairs within sessions are told where there are such pairs", {
  x <- small_trials(30, 6, 3)
  y <- small_trials(30, 4, 3, seed = 2)
  told <- function(session) {
    result <- suppressWarnings(noise_ceiling(responses(x, session = session), y[, , 1]))
    any(grepl("of one session are left out", capture_output_lines(print(result))))
  }
  expect_true(told(c(1, 1, 1, 2, 2, 2)))
  expect_false(told(1:6))
  expect_false(told(rep(1, 6)))
})
