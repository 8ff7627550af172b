# CKA, H and dimensionality from trials: choice of the estimator, refusals, nulls.

recorded <- function(n = 12, q = 5, trials = 3, ...) {
  signal <- matrix(rnorm(n * 3), n) %*% matrix(rnorm(3 * q), 3)
  responses(array(signal, c(n, q, trials)) + 0.3 * array(rnorm(n * q * trials), c(n, q, trials)),
            ...)
}

quietly <- function(code) suppressWarnings(suppressMessages(code))

expect_error_of <- function(code, class, words) {
  error <- expect_error(quietly(code), class = class)
  for (word in words) expect_match(conditionMessage(error), word, fixed = TRUE)
}

test_that("the most corrected estimator that the declaration allows is the default, and is named", {
  set.seed(1)
  x <- recorded()
  y <- recorded()
  named <- function(code, estimator) {
    message <- expect_message(value <- suppressWarnings(code), class = "repalign_estimator")
    expect_match(conditionMessage(message), paste0("\"", estimator, "\""), fixed = TRUE)
    value
  }
  best <- "stimulus_neuron_trial"
  expect_identical(named(cka(x, y), best), quietly(cka(x, y, estimator = best)))
  expect_identical(named(hsic(x, y), best), quietly(hsic(x, y, estimator = best)))
  expect_identical(named(cka(x, y, "rbf"), "stimulus_trial"),
                   quietly(cka(x, y, "rbf", "stimulus_trial")))
  expect_identical(named(cka(x, y, "manifold", k = 4), "stimulus"),
                   quietly(cka(as.matrix(x), as.matrix(y), "manifold", "stimulus", k = 4)))
  one <- recorded(trials = 1, session = c(1, 1, 2, 2, 2))
  two <- recorded(trials = 1, session = c(3, 3, 3, 2, 4))
  expect_identical(named(cka(one, two), "stimulus_neuron"),
                   quietly(cka(as.matrix(one), as.matrix(two), estimator = "stimulus_neuron",
                               units_x = c(1, 1, 2, 2, 2), units_y = c(3, 3, 3, 2, 4))))
  expect_identical(named(similarity(x, y)$measure, best), paste0("cka(", best, ")"))
  expect_identical(named(cka_interval(x, y)$estimator, best), best)
  expect_message(suppressWarnings(cka(x, y)), "recorded together")
  expect_message(suppressWarnings(cka(x, y, estimator = best)), "recorded together")
  expect_no_message(cka(x, y, estimator = "naive"), class = "repalign_estimator")
  apart <- list(recorded(session = rep("a", 5)), recorded(session = rep("b", 5)))
  said <- expect_message(suppressWarnings(cka(apart[[1]], apart[[2]])),
                         class = "repalign_estimator")
  expect_no_match(conditionMessage(said), "together")
})

test_that("sessions are corrected by trials, or leave out pairs", {
  set.seed(2)
  session <- c("a", "a", "b", "b", "c")
  x <- recorded(session = session)
  y <- recorded(session = rev(session))
  means <- lapply(list(x, y), as.matrix)
  by_pairs <- quietly(cka(means[[1]], means[[2]], estimator = "stimulus_neuron",
                          units_x = session, units_y = rev(session)))
  expect_identical(quietly(cka(x, y, shared_noise = "pairs")), by_pairs)
  expect_identical(quietly(cka(x, y, estimator = "stimulus_neuron")), by_pairs)
  expect_identical(quietly(cka_interval(x, y, shared_noise = "pairs")$cka),
                   quietly(cka_interval(means[[1]], means[[2]], "stimulus_neuron",
                                        units_x = session, units_y = rev(session))$cka))
  expect_identical(quietly(cka(x, y, shared_noise = "trials")), quietly(cka(x, y)))
  table <- quietly(cka_interval(x, y, c("naive", "stimulus_neuron", "stimulus_neuron_trial")))
  expect_identical(table$estimator, c("naive", "stimulus_neuron", "stimulus_neuron_trial"))
  expect_equal(table$cka[2], by_pairs)
  expect_equal(table$cka[3], quietly(cka(x, y)))
  expect_true(all(is.finite(table$df[-1][!is.na(table$se[-1])])))
  expect_false(all(is.na(table$se)))
})

test_that("sessions and names of neurons both leave out pairs with one trial", {
  set.seed(3)
  x <- recorded(trials = 1, session = c(1, 1, 2, 2, 3), neuron = letters[1:5])
  y <- recorded(trials = 1, session = c(4, 4, 5, 5, 1), neuron = c("a", "x", "c", "y", "z"))
  h <- repalign:::pair_terms(scale(as.matrix(x), scale = FALSE),
                             scale(as.matrix(y), scale = FALSE))$stimulus
  left_out <- outer(c(1, 1, 2, 2, 3), c(4, 4, 5, 5, 1), "==") |
    outer(letters[1:5], c("a", "x", "c", "y", "z"), "==")
  expect_equal(quietly(hsic(x, y)), mean(h[!left_out]))
})

test_that("what a declaration does not allow is refused with the remedy", {
  set.seed(4)
  x <- recorded()
  y <- recorded()
  plain <- matrix(rnorm(60), 12)
  of <- "stimulus_neuron_trial"
  expect_error_of(cka(plain, plain, estimator = of), "repalign_error_trials", "responses()")
  one <- recorded(trials = 1)
  expect_error_of(hsic(one, one, estimator = of), "repalign_error_trials", "several trials")
  expect_error_of(similarity(plain, plain, measure("cka", estimator = of)),
                  "repalign_error", "responses()")
  expect_error_of(cka_interval(plain, plain, of), "repalign_error_trials", "responses()")
  expect_error_of(cka(x, y, "manifold", "stimulus_trial", k = 4), "repalign_error_value",
                  "manifold")
  expect_error_of(cka(x, y, "rbf", of), "repalign_error_value", "stimulus_trial")
  expect_error_of(cka(x, y, shared_noise = "pairs"), "repalign_error_choice", "session")
  expect_error_of(cka(x, y, estimator = "stimulus", shared_noise = "trials"),
                  "repalign_error_choice", "shared_noise")
  grouped <- recorded(session = c(1, 1, 2, 2, 2))
  expect_error_of(hsic(grouped, y, estimator = "stimulus_trial", shared_noise = "pairs"),
                  "repalign_error_choice", "leaves out pairs")
  expect_warning(cka(plain, plain, shared_noise = "pairs"), class = "repalign_unused")
  named <- recorded(neuron = 1:5)
  expect_error_of(cka(named, y, units_x = 1:5, units_y = 6:10), "repalign_error_choice", "units_x")
  expect_error_of(cka(named, named, shared_neurons = TRUE), "repalign_error_choice",
                  "shared_neurons")
  expect_error_of(participation_ratio(named, units = 1:5), "repalign_error_choice", "units")
  expect_error_of(participation_ratio(x, x), "repalign_error_type", "`y`")
  expect_error_of(cka(x[1:3, , ], y[1:3, , ]), "repalign_error_rows", "at least 4")
  few <- recorded(cluster = rep(1:3, each = 4))
  expect_error_of(cka(few, y), "repalign_error", "at least 4")
})

test_that("neuron pairs that too few stimuli have trials of are refused by name", {
  set.seed(5)
  values <- unclass(recorded())$values
  values[1:9, 2, 2:3] <- NA
  lacking <- responses(values)
  expect_error_of(hsic(lacking, lacking), "repalign_error_trials",
                  c("Column 2 of `x`", "fewer than 4", "session"))
  whole <- unclass(recorded())$values
  whole[1:9, , 2:3] <- NA
  expect_error_of(cka(responses(whole), recorded()), "repalign_error_trials", "fewer than 4")
  partly <- unclass(recorded())$values
  partly[3, 2, 1] <- NA
  expect_error_of(cka(responses(partly), recorded(), "rbf", "stimulus_trial"),
                  "repalign_error_value", "linear")
})

test_that("a permuted form is the form of permuted responses, events by their places", {
  set.seed(6)
  x <- recorded()
  turn <- sample(12)
  repr <- repalign:::representation(x, "x")
  form <- repalign:::trial_form(repr)
  again <- repalign:::trial_form(repalign:::permuted_representation(repr, turn))
  expect_identical(again$origin, turn)
  other <- repalign:::trial_form(repalign:::representation(x[turn, , ], "x"))
  expect_equal(again$values, other$values, tolerance = 1e-12)
  expect_identical(again$event, other$event)
})

test_that("null scores are scores of permuted stimuli with all their trials", {
  set.seed(7)
  lacking <- unclass(recorded())$values
  lacking[c(2, 5), , 3] <- NA
  x <- responses(lacking)
  y <- recorded(session = c(1, 1, 2, 2, 2))
  permutations <- t(replicate(4, sample(12)))
  result <- quietly(calibrate(x, y, permutations = permutations))
  expect_equal(result$score, quietly(cka(x, y)))
  null <- vapply(1:4, function(p) quietly(cka(x, y[permutations[p, ], , ])), 0)
  expect_equal(sort(unlist(null_scores(result))), sort(null), tolerance = 1e-10)
})

test_that("participation ratios of runs and clusters are those of really deleted stimuli", {
  set.seed(8)
  names <- c("stimulus", "stimulus_neuron")
  cluster <- c(1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 9)
  for (x in list(recorded(run = TRUE), recorded(cluster = cluster), recorded(cluster = cluster,
                                                                          trials = 1))) {
    units <- if (is.null(x$cluster)) 1:12 else cluster
    tables <- repalign:::deletion_tables(repalign:::open_dimension(x, NULL, NULL, FALSE, "error"),
                                         repalign:::neuron_layout(NULL, 5))
    for (name in c("naive", names)) {
      ratio <- repalign:::h_table(tables$numerator, name) / repalign:::h_table(tables$h, name)
      for (u in c(0, 1, 3)) {
        part <- x[which(units != u), , ]
        expect_equal(ratio[u + 1, 1], quietly(participation_ratio(part))[[name]],
                     tolerance = 1e-9, label = paste(name, "without", u))
        less <- x[which(units != u), -2, ]
        literal <- quietly(participation_ratio(less))[[name]]
        # a denominator that is not positive
        if (is.na(literal)) next
        expect_equal(ratio[u + 1, 3], literal, tolerance = 1e-9,
                     label = paste(name, "without", u, "and neuron 2"))
      }
    }
  }
})

test_that("estimates are free of noise that neurons and areas share, and those of means are not", {
  set.seed(9)
  values <- replicate(150, {
    signal <- matrix(rnorm(20 * 3), 20) %*% matrix(rnorm(3 * 6), 3)
    noise <- array(rnorm(20 * 3, sd = 3), c(20, 1, 3))[, rep(1, 6), ]
    trials <- array(signal, c(20, 6, 3)) + noise
    sides <- list(responses(trials[, 1:3, ]), responses(trials[, 4:6, ]))
    c(hsic(signal[, 1:3], signal[, 4:6], estimator = "stimulus"),
      quietly(hsic(sides[[1]], sides[[2]])),
      hsic(as.matrix(sides[[1]]), as.matrix(sides[[2]]), estimator = "stimulus"))
  })
  z <- function(row) {
    difference <- values[row, ] - values[1, ]
    mean(difference) / sd(difference) * sqrt(ncol(values))
  }
  expect_lt(abs(z(2)), 3.5)
  expect_gt(z(3), 6)
})

test_that("nulls take events by their places: labels that no two stimuli share change nothing", {
  set.seed(10)
  values <- list(unclass(recorded())$values, unclass(recorded())$values)
  own <- matrix(seq_len(36), 12)
  permutations <- t(replicate(3, sample(12)))
  null <- function(...) {
    sides <- lapply(values, responses, ...)
    unlist(null_scores(quietly(calibrate(sides[[1]], sides[[2]], permutations = permutations))))
  }
  expect_equal(null(event = own), null(), tolerance = 1e-12)
})

test_that("clusters of an object are those of the argument, stimuli without one left out", {
  set.seed(11)
  cluster <- c(1, 1, 2, 3, NA, 4, 5, 6, 7, 8, 8, NA)
  x <- recorded()
  y <- recorded()
  with <- responses(unclass(x)$values, cluster = cluster)
  known <- which(!is.na(cluster))
  literal <- responses(unclass(x)$values[known, , ], cluster = cluster[known])
  expect_equal(quietly(cka(with, y)), quietly(cka(literal, y[known, , ])))
  expect_equal(quietly(cka(x, y, clusters = cluster)), quietly(cka(with, y)))
  interval <- quietly(cka_interval(with, y))
  expect_equal(interval$cka, quietly(cka(with, y)))
  expect_equal(quietly(cka_interval(x, y, clusters = cluster)), interval)
  expect_equal(quietly(cka(with, y, clusters = cluster)), quietly(cka(with, y)))
  expect_error_of(cka(with, y, clusters = rev(cluster)), "repalign_error_choice", "clusters")
})

test_that("estimators from trials are refused with shared_noise = \"pairs\"", {
  set.seed(12)
  x <- recorded(session = c(1, 1, 2, 2, 2))
  y <- recorded(session = c(1, 2, 2, 3, 3))
  of <- "stimulus_neuron_trial"
  for (f in list(cka, hsic, cka_interval)) {
    expect_error_of(f(x, y, estimator = of, shared_noise = "pairs"), "repalign_error_choice",
                    c("multiplies different trials", "shared_noise = \"trials\""))
    error <- tryCatch(quietly(f(x, y, estimator = of, shared_noise = "pairs")), error = identity)
    expect_identical(error$arg, "shared_noise")
  }
  expect_error_of(cka_interval(x, y, c("stimulus_neuron", of), shared_noise = "pairs"),
                  "repalign_error_choice", "multiplies different trials")
  expect_identical(quietly(cka_interval(x, y, shared_noise = "pairs")$estimator),
                   "stimulus_neuron")
})

test_that("rows of intervals come in the order that was asked for", {
  set.seed(13)
  x <- recorded()
  y <- recorded()
  asked <- c("stimulus_neuron_trial", "naive", "stimulus_trial", "stimulus")
  table <- quietly(cka_interval(x, y, asked))
  expect_identical(table$estimator, asked)
  expect_identical(rownames(table), as.character(1:4))
  expect_equal(table$cka[c(1, 3)], c(quietly(cka(x, y)),
                                     quietly(cka(x, y, estimator = "stimulus_trial"))))
})

test_that("the jackknife of trials needs memory for all of them", {
  set.seed(14)
  x <- recorded(40, trials = 20)
  y <- recorded(40, trials = 20)
  withr::local_options(repalign.max_memory = 8 * 24 * 40 * 10 * 2 + 8 * 3 * 25)
  expect_no_error(quietly(cka_interval(x, y, "stimulus_neuron")))
  expect_error_of(cka_interval(x, y, "stimulus_neuron_trial"), "repalign_error_memory", "jackknife")
})

test_that("the Gaussian kernel gets an estimator that is defined for the declaration", {
  set.seed(15)
  x <- recorded()
  cluster <- rep(1:6, each = 2)
  holes <- unclass(recorded())$values
  holes[3, 2, 1] <- NA
  expect_stimulus <- function(...) {
    expect_message(value <- quiet_but(cka(..., kernel = "rbf")), "\"stimulus\"", fixed = TRUE,
                   class = "repalign_estimator")
    expect_identical(value, quietly(cka(..., kernel = "rbf", estimator = "stimulus")))
  }
  quiet_but <- function(code) suppressMessages(suppressWarnings(code), "repalign_structure_unused")
  expect_stimulus(recorded(cluster = cluster), x)
  expect_stimulus(recorded(run = TRUE), recorded(run = TRUE))
  expect_stimulus(responses(holes), x)
  expect_stimulus(x, recorded(), clusters = cluster)
  for (y in list(recorded(cluster = cluster), responses(holes))) {
    expect_error_of(cka(x, y, "rbf", "stimulus_trial"), "repalign_error_value", "linear")
  }
})

test_that("H of kernels of all trials is the mean over different stimuli", {
  set.seed(41)
  symmetric <- function(rows) {
    k <- matrix(rnorm(rows^2), rows)
    k + t(k)
  }
  n <- 6
  # as many trials on both sides or not, and weights of their pairs that differ among stimuli
  for (trials in list(c(3, 3), c(2, 4), c(1, 3))) {
    k <- symmetric(n * trials[1])
    l <- symmetric(n * trials[2])
    m <- array(runif(prod(trials) * n), c(trials, n))
    of <- function(kernel, count, i, j) {
      at <- function(i) (i - 1) * count + seq_len(count)
      kernel[at(i), at(j), drop = FALSE]
    }
    weight <- function(i) matrix(m[, , i], trials[1])
    terms <- expand.grid(i = 1:n, j = 1:n, k = 1:n, l = 1:n)
    mean_over <- function(count, term) {
      rows <- unique(terms[seq_len(count)])
      rows <- rows[apply(rows, 1, anyDuplicated) == 0, , drop = FALSE]
      mean(apply(rows, 1, function(at) do.call(term, unname(as.list(at)))))
    }
    kx <- function(i, j) of(k, trials[1], i, j)
    ly <- function(i, j) of(l, trials[2], i, j)
    expected <- mean_over(2, function(i, j) {
      sum(kx(i, j) * (weight(i) %*% ly(i, j) %*% t(weight(j))))
    }) - 2 * mean_over(3, function(i, j, k) {
      drop(t(kx(i, j) %*% rowSums(weight(j))) %*% weight(i) %*% ly(i, k) %*% colSums(weight(k)))
    }) + mean_over(4, function(i, j, k, l) {
      drop(rowSums(weight(i)) %*% kx(i, j) %*% rowSums(weight(j))) *
        drop(colSums(weight(k)) %*% ly(k, l) %*% colSums(weight(l)))
    })
    expect_equal(weighted_kernel_h(k, l, m), expected, tolerance = 1e-12)
  }
})

test_that("the kernel of all trials moves with its stimuli", {
  set.seed(43)
  kernel <- matrix(rnorm(144), 12)
  form <- as_form("trial kernel", list(kernel = kernel))
  permutation <- c(3, 1, 4, 2)
  rows <- c(7:9, 1:3, 10:12, 4:6)
  expect_identical(relabel_form(form, permutation)$kernel, kernel[rows, rows])
})

test_that("few stimuli with two trials are warned of, once in a call", {
  set.seed(8)
  repeated <- function(count) {
    values <- as.array(recorded(trials = 2))
    values[-seq_len(count), , 2] <- NA
    values
  }
  y <- matrix(rnorm(36), 12)
  said <- function(code) {
    warnings <- capture_warnings(suppressMessages(code))
    grep("have two trials, by which \"stimulus_neuron_trial\"", warnings, value = TRUE)
  }
  expect_match(said(cka(responses(repeated(5)), y)), "^Only 5 of 12 stimuli of `x`")
  expect_length(said(cka(responses(repeated(6)), y)), 0)
  expect_length(said(cka(responses(repeated(5)), y, estimator = "stimulus_neuron")), 0)
  expect_match(said(evaluate_models(repeated(5), list(y = y), permutations = 19)), "of `data`")
})
