# Partial scores: similarity beyond controls.

# The definition, by the inverse of the scores of the controls.
def_partial <- function(s) {
  k <- nrow(s) - 2
  z <- seq_len(k) + 2
  r <- s[1:2, 1:2] - s[1:2, z, drop = FALSE] %*% solve(s[z, z], s[z, 1:2, drop = FALSE])
  r[1, 2] / sqrt(r[1, 1] * r[2, 2])
}

# The scores of all pairs of some representations, by `score`.
score_table <- function(reprs, score) {
  s <- diag(length(reprs))
  for (i in seq_along(reprs)) for (j in seq_len(i - 1)) {
    s[i, j] <- s[j, i] <- score(reprs[[i]], reprs[[j]])
  }
  s
}

# All conditions of a call, by class, and its value.
heard <- function(code) {
  said <- list()
  value <- withCallingHandlers(code, message = function(m) {
    said <<- c(said, list(m))
    invokeRestart("muffleMessage")
  }, warning = function(w) {
    said <<- c(said, list(w))
    invokeRestart("muffleWarning")
  })
  list(value = value, says = function(class) any(vapply(said, inherits, NA, class)))
}

# x and y share some dimensions beside those of the controls, of which each side is a sample.
controlled <- function(n = 60, q = 25, shared = 6, own = 4) {
  z <- normal_matrix(n, 6)
  common <- normal_matrix(n, shared)
  sample <- function(latent) latent %*% normal_matrix(ncol(latent), q) + normal_matrix(n, q)
  list(x = sample(cbind(z, common, normal_matrix(n, own))),
       y = sample(cbind(z, common, normal_matrix(n, own))),
       z = sample(cbind(z, normal_matrix(n, 2 * own))), w = sample(normal_matrix(n, 5)))
}

partial_measures <- list(
  list("cka"), list("cka", estimator = "stimulus"), list("cka", estimator = "stimulus_neuron"),
  list("cka", kernel = "rbf", estimator = "stimulus"), list("rv"),
  list("rsa", inner = "euclidean", outer = "pearson"), list("rsa"),
  list("rsa", inner = "sqeuclidean", outer = "cosine"),
  list("rsa", inner = "sqeuclidean", outer = "whitened_cosine"),
  list("rsa", inner = "sqeuclidean", outer = "whitened_pearson"),
  list("distance_correlation", squared = TRUE),
  list("distance_correlation", estimator = "unbiased"), list("kcka", k = 8)
)

test_that("partial scores are those of the table of scores", {
  set.seed(1)
  p <- controlled()
  for (m in partial_measures) {
    score <- function(x, y) quietly(do.call(m[[1]], c(list(x, y), m[-1])))
    of <- function(...) {
      given <- list(...)
      quietly(do.call(m[[1]], c(list(p$x, p$y), m[-1], list(given = given))))
    }
    label <- paste(unlist(m), collapse = " ")
    expect_equal(of(z = p$z), def_partial(score_table(p[c("x", "y", "z")], score)), label = label)
    expect_equal(of(z = p$z, w = p$w), def_partial(score_table(p, score)), label = label)
    # one control alone needs no name, and the order of several does not matter
    expect_identical(quietly(do.call(m[[1]], c(list(p$x, p$y), m[-1], list(given = p$z)))),
                     of(z = p$z))
    expect_equal(of(w = p$w, z = p$z), of(z = p$z, w = p$w))
  }
  # rsa by Pearson's correlation is the partial correlation of the RDMs
  d <- lapply(p[c("x", "y", "z")], function(x) as.vector(dist(x)))
  residual <- lapply(d[1:2], function(v) stats::residuals(stats::lm(v ~ d$z)))
  expect_equal(quietly(rsa(p$x, p$y, "euclidean", "pearson", given = dist(p$z))),
               cor(residual[[1]], residual[[2]]))
})

test_that("scores, variances and deletions are those of the reference", {
  inputs <- read.csv(shared_file("reference", "why", "inputs.csv"))
  values <- read.csv(shared_file("reference", "why", "values.csv"))
  values <- values[startsWith(values$quantity, "partial"), ]
  data <- lapply(split(inputs, inputs$matrix), function(part) {
    m <- matrix(NA_real_, max(part$row), max(part$column))
    m[cbind(part$row, part$column)] <- part$value
    m
  })
  measure_of <- function(text, case, given) {
    words <- strsplit(gsub("[(),]+", " ", text), " +")[[1]]
    given <- stats::setNames(data[paste0(case, "_", given)], given)
    quietly(switch(words[1],
      cka = measure("cka", estimator = words[2], given = given,
                    shared_neurons = case == "c" && words[2] == "stimulus_neuron"),
      rv = measure("rv", given = given),
      rsa = measure("rsa", inner = words[2], outer = words[3], given = given),
      distance_correlation = measure("distance_correlation", estimator = words[2], given = given)))
  }
  for (at in seq_len(nrow(values))) {
    row <- values[at, ]
    args <- strsplit(row$args, "; ", fixed = TRUE)[[1]]
    given <- strsplit(sub("given ", "", args[2]), " + ", fixed = TRUE)[[1]]
    m <- measure_of(args[1], row$case, given)
    x <- data[[paste0(row$case, "_x")]]
    y <- data[[paste0(row$case, "_y")]]
    found <- if (row$quantity == "partial") {
      quietly(similarity(x, y, m)$score)
    } else if (row$quantity == "partial_deletion") {
      without <- -as.integer(sub("stimulus ", "", args[3]))
      cut <- data
      cut[] <- lapply(cut, function(m) if (nrow(m) == nrow(x)) m[without, ] else m)
      m$given <- lapply(m$given, function(z) z[without, ])
      quietly(similarity(x[without, ], y[without, ], m)$score)
    } else {
      inner <- grepl(" x ", args[3], fixed = TRUE)
      over <- sub("stimuli x ", "", args[3])
      parts <- interval_parts(quietly(score_interval(x, y, m, over = union("stimuli", over))))
      if (inner) parts$interactions[[1]] else parts$main[[if (over == "stimuli") 1 else 2]]
    }
    if (is.na(row$value)) expect_true(is.na(found)) else {
      expect_lt(abs(found - row$value), row$tolerance * max(1, abs(row$value)))
    }
  }
})

test_that("errors over stimuli are of scores made anew without each", {
  set.seed(2)
  p <- controlled(n = 24, q = 8)
  given <- list(z = p$z, w = p$w)
  for (m in partial_measures) {
    of <- function(rows) {
      quietly(do.call(m[[1]], c(list(p$x[rows, ], p$y[rows, ]), m[-1],
                                list(given = lapply(given, function(z) z[rows, ])))))
    }
    without <- vapply(1:24, function(i) of(-i), 0)
    set <- quietly(do.call(measure, c(m, list(given = given))))
    found <- quietly(score_interval(p$x, p$y, set, over = "stimuli"))
    expect_equal(found$score, of(1:24))
    # the width of a Gaussian kernel is held
    if (!"rbf" %in% m) {
      expect_equal(found$se, sqrt(23 / 24 * sum((without - mean(without))^2)),
                   label = paste(unlist(m), collapse = " "), tolerance = 1e-6)
    }
  }
  # whole clusters are deleted
  codes <- rep(1:6, each = 4)
  set <- measure("cka", estimator = "stimulus", given = given)
  found <- quietly(score_interval(p$x, p$y, set, clusters = codes, over = "stimuli"))
  without <- vapply(1:6, function(c) {
    rows <- codes != c
    quietly(cka(p$x[rows, ], p$y[rows, ], estimator = "stimulus", clusters = codes[rows],
                given = lapply(given, function(z) z[rows, ])))
  }, 0)
  expect_equal(found$se, sqrt(5 / 6 * sum((without - mean(without))^2)))
})

test_that("errors over neurons are of scores made anew without each, on all sides that have it", {
  set.seed(3)
  p <- controlled(n = 40, q = 12)
  given <- list(z = p$z, w = p$w[, 1:7])
  variance <- function(values) (length(values) - 1) / length(values) *
    sum((values - mean(values))^2)
  score <- function(x = p$x, y = p$y, z = given$z, w = given$w, shared = FALSE) {
    quietly(cka(x, y, estimator = "stimulus_neuron", shared_neurons = shared,
                given = list(z = z, w = w)))
  }
  parts <- function(set, over = NULL) {
    interval_parts(quietly(score_interval(p$x, p$y, set, over = over)))
  }
  set <- measure("cka", estimator = "stimulus_neuron", given = given)
  main <- vapply(parts(set)$main[-1], as.vector, 0)
  expect_equal(main, c(
    variance(vapply(1:12, function(a) score(x = p$x[, -a]), 0)),
    variance(vapply(1:12, function(a) score(y = p$y[, -a]), 0)),
    variance(vapply(1:12, function(a) score(z = given$z[, -a]), 0)),
    variance(vapply(1:7, function(a) score(w = given$w[, -a]), 0))
  ))
  expect_length(parts(set, c("stimuli", "neurons_given"))$main, 3)
  # a neuron that x and y have is deleted on both
  shared <- measure("cka", estimator = "stimulus_neuron", shared_neurons = TRUE, given = given)
  both <- vapply(parts(shared, c("stimuli", "neurons_x", "neurons_y"))$main[-1], as.vector, 0)
  expect_equal(both, variance(vapply(1:12, function(a) {
    score(x = p$x[, -a], y = p$y[, -a], shared = TRUE)
  }, 0)))
  # and one that x and a control have, by its name
  named <- function(m, names) responses(m, neuron = names)
  at <- paste0("n", 1:12)
  score <- function(keep) {
    quietly(cka(named(p$x[, keep], at[keep]), named(p$y, paste0("m", 1:12)),
                estimator = "stimulus_neuron",
                given = named(p$z[, keep], at[keep])))
  }
  set <- measure("cka", estimator = "stimulus_neuron", given = named(p$z, at))
  found <- interval_parts(quietly(score_interval(named(p$x, at), named(p$y, paste0("m", 1:12)), set,
                                                 over = c("stimuli", "neurons_x",
                                                          "neurons_given"))))
  expect_equal(vapply(found$main[-1], as.vector, 0),
               variance(vapply(1:12, function(a) score(-a), 0)))
})

test_that("grids and lists of one side have the scores of single calls", {
  set.seed(4)
  p <- controlled()
  layers <- c(p[c("x", "y")], list(v = p$x + 2 * normal_matrix(60, 25)))
  given <- list(z = p$z, w = p$w)
  sets <- list(measure("cka", estimator = "stimulus", given = given), measure("cka"),
               measure("rsa", given = p$z))
  all <- quietly(similarity(layers, measure = sets))
  single <- function(x, y) {
    quietly(c(cka(layers[[x]], layers[[y]], estimator = "stimulus", given = given),
              cka(layers[[x]], layers[[y]]), rsa(layers[[x]], layers[[y]], given = p$z)))
  }
  expect_equal(all$score, c(single("x", "y"), single("x", "v"), single("y", "v")))
  expect_identical(unique(all$measure), c("cka(stimulus, given z + w)", "cka(naive)",
                                          "rsa(given control)"))
  two <- quietly(similarity(layers[1:2], layers[3], sets[[1]]))
  expect_equal(two$score, all$score[c(4, 7)])
  models <- quietly(similarity(list(a = layers[1:2], b = layers[3]), measure = sets[[1]]))
  expect_equal(models$score, two$score)
  # intervals of a grid are those of single pairs, also for what they share
  grid <- quietly(score_interval(layers[1], layers[2:3], sets[c(1, 3)]))
  one <- quietly(score_interval(layers$x, layers$v, sets[[3]]))
  expect_equal(grid$se[4], one$se)
  neurons <- measure("cka", estimator = "stimulus_neuron", given = p$z)
  grid <- quietly(score_interval(layers[1], layers[2:3], neurons))
  one <- quietly(score_interval(layers$x, layers$v, neurons))
  expect_equal(grid[2, c("score", "se", "df", "p_zero")], one[c("score", "se", "df", "p_zero")],
               ignore_attr = TRUE)
  # the difference of two has the variance of deletions of both at once
  set <- measure("cka", estimator = "stimulus", given = p$z)
  found <- quietly(compare_scores(score_interval(layers[1], layers[2:3], set, over = "stimuli")))
  without <- vapply(1:60, function(i) {
    quietly(diff(similarity(layers$x[-i, ], lapply(layers[2:3], `[`, -i, TRUE),
                            measure("cka", estimator = "stimulus", given = p$z[-i, ]))$score))
  }, 0)
  expect_equal(found$se, sqrt(59 / 60 * sum((without - mean(without))^2)))
})

test_that("what sides declare holds for controls", {
  set.seed(5)
  p <- controlled(n = 30, q = 10)
  # by name, in another order, and with what lacks left out everywhere
  named <- lapply(p, function(m) {
    rownames(m) <- paste0("s", seq_len(nrow(m)))
    m
  })
  expect_equal(quietly(cka(named$x, named$y, given = named$z[30:1, ])),
               quietly(cka(p$x, p$y, given = p$z)))
  holes <- p
  holes$x[3, 2] <- holes$z[7, 1] <- NA
  expect_error(quietly(cka(holes$x, p$y, given = holes$z)), class = "repalign_error_nonfinite")
  expect_equal(quietly(cka(holes$x, p$y, given = holes$z, na = "stimuli")),
               quietly(cka(p$x[-c(3, 7), ], p$y[-c(3, 7), ], given = p$z[-c(3, 7), ])))
  expect_equal(quietly(cka(holes$x, p$y, given = holes$z, na = "neurons")),
               quietly(cka(p$x[, -2], p$y, given = p$z[, -1])))
  # complete sides are corrected for few stimuli alone, each in its own scores
  whole <- responses(p$z, complete = TRUE)
  of <- function(...) quietly(cka(..., estimator = "stimulus_neuron"))
  s <- diag(3)
  s[1, 2] <- s[2, 1] <- of(p$x, p$y, complete = "y")
  s[1, 3] <- s[3, 1] <- of(p$x, p$z, complete = "y")
  s[2, 3] <- s[3, 2] <- of(p$y, p$z, complete = "both")
  expect_equal(of(p$x, responses(p$y, complete = TRUE), given = whole), def_partial(s))
  s[2, 3] <- s[3, 2] <- of(p$y, p$z, complete = "x")
  s[1, 3] <- s[3, 1] <- of(p$x, p$z)
  expect_equal(of(p$x, p$y, complete = "y", given = p$z), def_partial(s))
  # labels of units of x and y, of which a control has none
  units <- list(x = rep(1:5, 2), y = rep(3:7, 2))
  s[1, 2] <- s[2, 1] <- of(p$x, p$y, units_x = units$x, units_y = units$y)
  other <- paste("other", 1:10)
  s[1, 3] <- s[3, 1] <- of(p$x, p$z, units_x = units$x, units_y = other)
  s[2, 3] <- s[3, 2] <- of(p$y, p$z, units_x = units$y, units_y = other)
  expect_equal(of(p$x, p$y, units_x = units$x, units_y = units$y, given = p$z), def_partial(s))
  # trials of the control correct its own noise
  trials <- array(as.vector(p$z) + stats::rnorm(30 * 10 * 3), c(30, 10, 3))
  both <- responses(array(as.vector(p$x) + stats::rnorm(30 * 10 * 2), c(30, 10, 2)), session = rep("a", 10))
  apart <- responses(trials, session = rep("b", 10))
  of <- function(...) quietly(cka(..., estimator = "stimulus_neuron_trial"))
  s[1, 2] <- s[2, 1] <- of(both, p$y)
  s[1, 3] <- s[3, 1] <- of(both, apart)
  s[2, 3] <- s[3, 2] <- of(p$y, apart)
  expect_equal(of(both, p$y, given = apart), def_partial(s))
})

test_that("subjects have their own controls", {
  set.seed(6)
  p <- controlled(n = 30, q = 10)
  subjects <- list(a = p$x, b = p$x + normal_matrix(30, 10))
  own <- list(b = p$z + normal_matrix(30, 10), a = p$z)
  layers <- list(L1 = p$y, L2 = p$w)
  for (given in list(own, list(pixels = own))) {
    set <- quietly(measure("cka", estimator = "stimulus", given = given))
    found <- quietly(similarity(subjects, layers, set))
    expect_equal(found$score, unlist(lapply(names(subjects), function(s) {
      lapply(layers, function(y) {
        quietly(cka(subjects[[s]], y, estimator = "stimulus", given = own[[s]]))
      })
    }), use.names = FALSE))
    pooled <- quietly(score_interval(subjects, layers, set, over = "these_subjects"))
    expect_equal(pooled$score, colMeans(matrix(found$score, 2, byrow = TRUE)))
    expect_identical(quietly(evaluate_models(subjects, layers, set))$score, pooled$score)
  }
  expect_error(similarity(subjects, layers, measure("cka", given = list(z = list(a = p$z)))),
               class = "repalign_error_names")
  three <- c(subjects, list(c = p$w))
  expect_message(similarity(three, layers, measure("cka", given = own)),
                 class = "repalign_shared_controls")
})

test_that("evaluate_models() tests partial scores against 0 and says what it cannot do", {
  set.seed(7)
  p <- controlled(n = 60, q = 20)
  set <- measure("cka", estimator = "stimulus_neuron", given = list(pixels = p$z))
  call <- heard(evaluate_models(p$x, p[c("y", "w")], set))
  expect_true(call$says("repalign_no_chance"))
  found <- call$value
  expect_null(found$p_chance)
  expect_identical(quietly(evaluate_models(p$x, p[c("y", "w")], given = list(pixels = p$z))), found)
  expect_error(evaluate_models(p$x, p[c("y", "w")], "procrustes", given = p$z),
               class = "repalign_error_parameter")
  expect_equal(found$p_zero, 2 * stats::pt(-abs(found$score / found$se), found$df))
  expect_match(in_words(found), "beyond pixels")
  expect_match(in_words(found), p_words(found$p_zero[which.max(found$score)]), fixed = TRUE)
  expect_s3_class(if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(found) else
    structure(list(), class = "ggplot"), "ggplot")
  # over stimuli alone the neurons of a side are held fixed
  naive <- measure("cka", given = list(pixels = p$z))
  call <- heard(score_interval(p$x, p$y, naive))
  expect_true(call$says("repalign_no_p_zero"))
  expect_true(is.na(call$value$p_zero))
  all <- lapply(p, responses, complete = TRUE)
  naive <- measure("cka", given = all$z)
  expect_false(is.na(quietly(score_interval(all$x, all$y, naive))$p_zero))
  expect_null(quietly(score_interval(p$x, p$y))$p_zero)
})

test_that("weights of stimuli weigh all scores", {
  set.seed(8)
  p <- controlled(n = 30, q = 8)
  w <- cbind(1, rep(1:0, c(20, 10)), stats::runif(30))
  set <- measure("cka", estimator = "stimulus", given = list(z = p$z, w = p$w))
  found <- quietly(score_weighted(p$x, p$y, set, w))
  score <- function(k) function(x, y) {
    quietly(score_weighted(x, y, measure("cka", estimator = "stimulus"), w[, k]))
  }
  expect_equal(found, vapply(1:3, function(k) def_partial(score_table(p, score(k))), 0))
})

test_that("controls that cannot be used are refused, and weak ones told", {
  set.seed(9)
  p <- controlled(n = 30, q = 8)
  expect_error(procrustes(p$x, p$y, given = p$z), "cka\\(\\), rv\\(\\)",
               class = "repalign_error_parameter")
  expect_error(measure("procrustes", given = p$z), "cka\\(\\), rv\\(\\)",
               class = "repalign_error_parameter")
  expect_error(rsa(p$x, p$y, outer = "kendall", given = p$z), class = "repalign_error_parameter")
  expect_error(distance_correlation(p$x, p$y, given = p$z), class = "repalign_error_parameter")
  expect_error(calibrate(p$x, p$y, measure("cka", given = p$z)), "score_interval",
               class = "repalign_error_null")
  expect_error(noise_ceiling(responses(array(c(p$x, p$x + 1), c(30, 8, 2))), p$y,
                             measure("cka", given = p$z)),
               class = "repalign_error_parameter")
  expect_error(score_interval(p$x, p$y, measure("cka", given = p$z), method = "half-samples"),
               class = "repalign_error_choice")
  expect_error(cka(p$x, p$y, given = list(p$z, p$w)), "no name", class = "repalign_error_names")
  expect_error(cka(p$x, p$y, given = p$z[1:9, ]), "`given`", class = "repalign_error_rows")
  expect_error(cka(p$x, p$y, given = "pixels.csv"), "`given`", class = "repalign_error_type")
  expect_error(cka(list(p$x), p$y, given = p$z), class = "repalign_error_type")
  expect_error(similarity(p$x, p$y, given = p$z), "measure\\(\"cka\", given",
               class = "repalign_error_parameter")
  expect_error(measure("cka", given = 3), "`given`", class = "repalign_error_type")
  expect_error(measure("cka", given = list(z = 1:30)), "`given$z`", fixed = TRUE,
               class = "repalign_error_type")
  expect_error(cka(p$x, p$y, given = list(z = p$z, again = p$z)), "`given$again` is the same",
               fixed = TRUE, class = "repalign_error_choice")
  # a side that is a control has nothing left
  call <- heard(cka(p$x, p$y, given = p$x))
  expect_true(call$says("repalign_undefined"))
  expect_identical(call$value, NA_real_)
  expect_true(is.na(quietly(cka(p$x, p$y, given = list(z = p$z, again = 2 * p$z)))))
  told <- function(code) heard(code)$says("repalign_incomplete_control")
  expect_true(told(cka(p$x, p$y, given = p$z)))
  expect_message(cka(p$x, p$y, given = p$z), paste(
    "control `given`, the neurons count as a sample, for which \"cka\\(given control\\)\" does not",
    "correct: a part of it stays"
  ))
  noisy <- responses(array(p$z, c(dim(p$z), 2)) + rnorm(2 * length(p$z)))
  expect_message(rsa(p$x, p$y, given = noisy),
                 "as a sample and the trials have noise, for which")
  # the one that is a control has no score, of which a part could stay
  expect_false(told(cka(p$x, p$y, given = p$x)))
  expect_false(told(cka(p$x, p$y, given = p$y)))
  expect_true(told(similarity(p[c("x", "y")], list(y = p$y, w = p$w), measure("cka", given = p$y))))
  expect_true(told(rsa(p$x, p$y, given = p$z)))
  expect_false(told(cka(p$x, p$y, estimator = "stimulus_neuron", given = p$z)))
  expect_false(told(rsa(p$x, p$y, given = dist(p$z))))
  expect_false(told(cka(p$x, p$y, given = responses(p$z, complete = TRUE))))
})

test_that("pairs of one list have the errors that they have alone", {
  set.seed(10)
  p <- controlled(n = 30, q = 10)
  set <- measure("cka", estimator = "stimulus_neuron", given = list(z = p$z, w = p$w))
  pairs <- quietly(score_interval(p[c("x", "y")], measure = set))
  one <- quietly(score_interval(p$x, p$y, set))
  shown <- c("score", "se", "df", "conf_low", "conf_high", "p_zero", "over")
  expect_equal(pairs[shown], one[shown], ignore_attr = TRUE)
})

test_that("controls given twice are refused, and partial scores beyond 2 are pointed out", {
  set.seed(41)
  x <- matrix(rnorm(400), 40)
  z <- x[, 1:5] + 0.1 * rnorm(200)
  expect_error(evaluate_models(x, list(a = x[, 6:9]), measure("cka", given = z), given = z),
               "controls already", class = "repalign_error_parameter")
  local_internal("partial_scores", function(values) 5 + 0 * values[, 1])
  expect_warning(suppressMessages(cka(x, x[, 2:9], estimator = "stimulus", given = z)),
                 "beyond 2 in size", class = "repalign_unstable")
})
