# Calls of what goes from scores to conclusions: intervals, weights, differences, ceilings, plans,
# streams, prepared forms, benchmarks and simulated networks.

draw_conclusion <- function() {
  draw <- one_of(list(draw_score_interval, draw_compared, draw_weighted, draw_noise_ceiling,
                      draw_subject_ceiling, draw_plan, draw_stream, draw_prepared, draw_benchmark,
                      draw_networks, draw_encoding, draw_days),
                 c(4, 3, 2, 2, 1, 2, 2, 2, 1.5, 0.3, 2, 1))
  drawn <- draw()
  if (is.null(drawn)) return(NULL)
  drawn$conclusion <- TRUE
  drawn
}

# The numbers of a valid call of score_interval(), or NULL.
interval_arguments <- function(shape = NULL) {
  repeat {
    sides <- draw_sides()
    if (is.null(shape) || sides$shape %in% shape) break
  }
  at <- sides$facts
  if (at$n < 5) return(NULL)
  measures <- draw_measures(at, names(parameters))
  if (is.null(measures)) return(NULL)
  data_only <- all(at$kinds == "data")
  neurons <- data_only && all(at$widths > 2) && chance(0.3)
  over <- if (neurons) c("stimuli", one_of(list("neurons_x", "neurons_y",
                                                c("neurons_x", "neurons_y"))))
  args <- c(sides[c("x", if (!is.null(sides$y)) "y")], given(
    measure = measures$call, over = over,
    method = if (chance(0.3)) one_of(c("half-samples", "jackknife")),
    draws = 20, transform = if (chance(0.1)) "none",
    conf_level = if (chance(0.3)) stats::runif(1, 0.5, 0.999),
    clusters = if (at$n > 11 && chance(0.1)) rep_len(seq_len(at$n %/% 2), at$n)
  ), optional_of("score_interval", at$quirks))
  list(args = args, sides = sides, ids = measures$ids)
}

draw_score_interval <- function() {
  drawn <- interval_arguments()
  if (is.null(drawn)) return(NULL)
  c(list(fun = "score_interval", call = call_of("score_interval", drawn$args)), drawn)
}

# What takes the result of score_interval().
draw_compared <- function() {
  drawn <- interval_arguments(c("grid", "within", "models"))
  if (is.null(drawn)) return(NULL)
  # two or more scores of a measure, unless a grid of one by one is what is asked for
  many <- length(unlist(list(drawn$sides$x), FALSE)) * max(1, length(drawn$sides$y))
  if (drawn$sides$shape == "grid" && many < 3 && chance(0.9)) return(NULL)
  scores <- call_of("score_interval", drawn$args)
  models <- drawn$sides$shape == "models"
  # groups of scores of several measures are refused
  one <- length(drawn$ids) == 1 || chance(0.05)
  fun <- one_of(c("compare_scores", "best_score", if (one) "compare_best"))
  args <- switch(fun,
    compare_scores = given(result = scores, margin = if (chance(0.3)) stats::runif(1),
                           p_adjust = if (chance(0.6)) one_of(c("holm", "max_t", "BH", "none")),
                           draws = 99),
    best_score = given(result = scores, draws = 99,
                       by = if (chance(0.3)) one_of(c("measure", "x", if (models) "model_x"))),
    compare_best = list(result = scores, group_1 = 1, group_2 = one_of(list(2, 2:3)), draws = 99)
  )
  # intervals below 97.5% need fewer draws than those above
  if (!is.null(drawn$args$conf_level)) args$draws <- 9999
  list(fun = fun, call = call_of(fun, args))
}

draw_weighted <- function() {
  sides <- draw_pair()
  at <- sides$facts
  one <- draw_measure(at)
  if (is.null(one) || at$n < 8) return(NULL)
  columns <- sample.int(4, 1)
  declared <- repalign:::errors_of(suppressWarnings(do.call(measure, c(one$id, one$args))))
  counts <- if (is.null(declared$weighted)) 1 else if (declared$counts == "counts") 2 else 3
  weights <- switch(sample.int(counts, 1), replicate(columns, sample(rep_len(0:1, at$n))),
                    stats::rmultinom(columns, at$n, rep(1, at$n)),
                    matrix(stats::rexp(at$n * columns), at$n))
  list(fun = "score_weighted", weights = columns,
       call = call_of("score_weighted", c(sides[c("x", "y")], list(
         measure = as.call(c(as.name("measure"), one$id, one$args)), weights = weights
       ))))
}

draw_trial_recording <- function(n = 6 + sample.int(30, 1), trials = 1 + sample.int(4, 1)) {
  q <- 1 + sample.int(8, 1)
  signal <- matrix(stats::rnorm(n * 3), n) %*% matrix(stats::rnorm(3 * q), 3)
  x <- array(signal, c(n, q, trials)) + stats::rnorm(n * q * trials, sd = one_of(c(0.1, 1, 4)))
  if (trials > 2 && chance(0.3)) for (i in which(stats::runif(n) < 0.2)) x[i, , trials] <- NA
  x
}

draw_noise_ceiling <- function() {
  x <- draw_trial_recording()
  n <- dim(x)[1]
  model <- function() x[, , 1] + matrix(stats::rnorm(n * dim(x)[2], sd = 2), n)
  y <- one_of(list(NULL, model(), list(a = model(), b = model())))
  measure <- one_of(list(NULL, "cka", "rsa", quote(measure("cka", estimator = "stimulus")),
                         quote(measure("rsa", inner = "sqeuclidean", outer = "pearson")),
                         quote(measure("mutual_knn", k = 3)),
                         quote(measure("cka", kernel = "rbf"))))
  list(fun = "noise_ceiling",
       call = call_of("noise_ceiling", given(trials = x, y = y, measure = measure, splits = 3)))
}

# Days of one recording: neurons come and go, a stimulus may lack a trial, or a day its signal.
draw_days <- function() {
  x <- draw_trial_recording()
  size <- dim(x)
  names <- paste0(one_of(c("cell ", "")), seq_len(size[2] + 1))
  days <- lapply(seq_len(1 + sample.int(4, 1)), function(d) {
    day <- (if (chance(0.9)) x else 0) + stats::rnorm(length(x), sd = one_of(c(0, 0.1, 1)))
    day <- array(day, size, list(NULL, sample(names, size[2]), NULL))
    if (chance(0.2)) day[sample.int(length(day), 1)] <- NA
    day[, sort(sample.int(size[2], one_of(c(size[2], sample.int(size[2], 1))))), , drop = FALSE]
  })
  names(days) <- paste0("day", seq_along(days))
  times <- one_of(list(NULL, sample(length(days)), cumsum(stats::runif(length(days)))))
  list(fun = "across_sessions",
       call = call_of("across_sessions",
                      given(x = days, times = times, permutations = 19,
                            over = one_of(list(NULL, "stimuli")),
                            na = one_of(list(NULL, "stimuli")))))
}

# encode(), or the errors of its scores, or evaluate_models() by it.
draw_encoding <- function() {
  to <- draw_trial_recording()
  n <- dim(to)[1]
  if (chance(0.5)) to <- to[, , 1]
  layer <- function() matrix(stats::rnorm(n * one_of(c(1, 4, n + 5))), n)
  spaces <- chance(0.3)
  from <- if (spaces) feature_spaces(a = layer(), b = layer()) else
    one_of(list(layer(), list(a = layer(), b = layer())))
  method <- one_of(if (spaces) c("ridge", "linear") else
    c("ridge", "ridge", "linear", "pcr", "pls"))
  settings <- given(
    method = method, components = if (method %in% c("pcr", "pls")) 1,
    lambda = if (method == "ridge" && chance(0.5)) {
      one_of(list(if (spaces) cbind(1, 5) else 0, 1, c(0.1, 1, 10), 1e-9))
    },
    per_neuron = if (method == "ridge" && chance(0.2)) TRUE,
    standardize = if (chance(0.2)) TRUE, folds = if (chance(0.5)) one_of(list(3, 4, n)),
    repeats = if (chance(0.1)) 2
  )
  if (chance(0.2)) {
    measure <- call_of("measure", c("encode", settings))
    return(list(fun = "evaluate_models", call = call_of("evaluate_models", given(
      data = to, models = if (is.list(from) && !spaces) from else list(a = from), measure = measure,
      permutations = one_of(c(0, 19))
    ))))
  }
  call <- call_of("encode", c(list(from = from, to = to), settings, given(
    score_by = if (chance(0.3)) "cor", average = if (chance(0.1)) "pooled",
    summary = if (chance(0.2)) "median", permutations = if (chance(0.3)) 19,
    clusters = if (n > 11 && chance(0.2)) rep_len(seq_len(n %/% 2), n)
  )))
  fun <- if (spaces && chance(0.7)) "space_parts" else
    one_of(c("encode", "encode", "score_interval"))
  if (fun == "encode") return(list(fun = fun, call = call))
  list(fun = fun, call = call_of(fun, c(list(call), given(
    permutations = if (fun == "space_parts" && chance(0.5)) 19
  ))))
}

draw_subject_ceiling <- function() {
  subjects <- 1 + sample.int(5, 1)
  n <- 5 + sample.int(20, 1)
  shared <- matrix(stats::rnorm(n * 3), n)
  x <- lapply(seq_len(subjects), function(u) {
    q <- 1 + sample.int(8, 1)
    one_of(c(0, 1, 3)) * shared %*% matrix(stats::rnorm(3 * q), 3) + stats::rnorm(n * q)
  })
  measure <- one_of(list(NULL, "cka", "rsa", quote(measure("cka", estimator = "stimulus_neuron")),
                         quote(measure("cka", kernel = "rbf", estimator = "stimulus"))))
  group <- if (subjects > 2 && chance(0.4)) c("a", "a", rep("b", subjects - 2))
  list(fun = "subject_ceiling",
       call = call_of("subject_ceiling", given(x = x, measure = measure, group = group)))
}

draw_plan <- function() {
  n <- 20 + sample.int(30, 1)
  base <- matrix(stats::rnorm(n * 4), n)
  side <- function() {
    q <- 5 + sample.int(15, 1)
    base %*% matrix(stats::rnorm(4 * q), 4) + stats::rnorm(n * q)
  }
  trials <- chance(0.3)
  two <- !trials && chance(0.2)
  x <- side()
  if (trials) x <- array(x, c(dim(x), 4)) + stats::rnorm(length(x) * 4)
  some <- function() sort(sample(c(10, 20, 40, 100, 400), sample.int(3, 1)))
  args <- given(
    x = x, y = if (two) list(a = side(), b = side()) else side(),
    stimuli = if (chance(0.8)) some(), neurons_x = if (chance(0.6)) some(),
    trials = if (trials) one_of(list(1, c(2, 8))), alpha = if (chance(0.3)) 0.01,
    target_se = if (chance(0.4)) stats::runif(1, 0.005, 0.2),
    difference = if (two && chance(0.5)) stats::runif(1, 0.01, 0.3),
    over = if (chance(0.4)) c("stimuli", "neurons_x")
  )
  list(fun = "plan_recording", call = call_of("plan_recording", args))
}

draw_stream <- function() {
  sides <- draw_pair("data")
  at <- sides$facts
  if (at$n < 8 || any(at$widths < 2) || "missing" %in% at$quirks) return(NULL)
  plain <- lapply(sides[c("x", "y")], function(m) unname(as.matrix(m)))
  rows <- split(seq_len(at$n), sort(sample.int(3, at$n, replace = TRUE)))
  chunks <- one_of(list(plain, unname(lapply(rows, function(r) {
    lapply(plain, function(m) m[r, , drop = FALSE])
  }))))
  list(fun = "stream_cka",
       call = call_of("stream_cka", given(chunks = chunks, estimator = draw_estimators(),
                                          batch = if (chance(0.3)) sample.int(4, 1) + 3)))
}

# A comparison with what prepare() made is that of the data.
draw_prepared <- function() {
  sides <- draw_pair()
  one <- draw_measure(sides$facts)
  if (is.null(one) || "missing" %in% sides$facts$quirks) return(NULL)
  measure <- as.call(c(as.name("measure"), one$id, one$args))
  made <- call_of("prepare", list(x = sides$y, measure = measure))
  list(fun = "prepare", sides = sides, measure = measure,
       call = call_of("similarity", list(sides$x, made, measure)))
}

draw_benchmark <- function() {
  n <- 10 + sample.int(20, 1)
  networks <- 4 + sample.int(3, 1)
  base <- matrix(stats::rnorm(n * 4), n)
  layer <- function(noise = 1) base + noise * stats::rnorm(n * 4)
  names <- paste0("net", seq_len(networks))
  models <- stats::setNames(lapply(seq_len(networks), layer), names)
  measures <- sample(c("cka", "rsa", "procrustes", "cca", "distance_correlation"), 2)
  fun <- one_of(c("benchmark_groups", "benchmark_layers", "benchmark_outputs"))
  args <- switch(fun,
    benchmark_groups = list(models, rep_len(c("a", "b"), networks)),
    benchmark_layers = list(lapply(models[1:3], function(m) {
      stats::setNames(lapply(1:3, function(l) m + l * layer()), paste0("layer", 1:3))
    })),
    benchmark_outputs = list(models, lapply(models, function(m) {
      e <- exp(m[, 1:3])
      e / rowSums(e)
    }), labels = if (chance(0.7)) rep_len(1:3, n))
  )
  args <- c(Filter(Negate(is.null), args), list(measures = measures, model_permutations = 19))
  if (fun == "benchmark_layers") args$model_permutations <- NULL
  list(fun = fun, call = call_of(fun, args))
}

draw_networks <- function() {
  args <- given(networks = sample.int(2, 1), train = 60, test = 20, epochs = 2, width = 6,
                layers = sample.int(3, 1), random_labels = one_of(list(NULL, 0.5, c(0, 1))),
                activation = one_of(list(NULL, "tanh")), optimizer = one_of(list(NULL, "sgd")),
                record = one_of(list(NULL, "activation")))
  list(fun = "simulate_networks", call = call_of("simulate_networks", args))
}

# ---- what a valid result is

check_conclusion <- function(drawn, value, outcome) {
  switch(drawn$fun,
    score_interval = check_scored(value, outcome),
    score_weighted = c(problem(length(value) != drawn$weights, "another number of scores"),
                       problem(any(is.nan(value) | is.infinite(value)), "scores are not finite")),
    compare_scores = check_differences(value),
    stream_cka = check_streamed(drawn, value),
    prepare = check_from_data(drawn, value),
    simulate_networks = problem(anyNA(unlist(value$representations)), "NA in representations"),
    check_rows_of(value)
  )
}

conclusion_methods <- list(print = print, as.data.frame = as.data.frame)

check_rows_of <- function(value) {
  numbers <- Filter(is.double, as.data.frame(value))
  c(problem(any(is.nan(unlist(numbers))), "NaN in the result"),
    check_methods(value, conclusion_methods))
}

check_scored <- function(value, outcome) {
  known <- !is.na(value$conf_low)
  lost <- is.na(value$se)
  c(check_finite_columns(value, setdiff(names(value), "df")),
    problem(any(value$se <= 0, na.rm = TRUE), "a standard error that is not positive"),
    problem(any(value$conf_low[known] > value$score[known] + 1e-9 |
                  value$conf_high[known] < value$score[known] - 1e-9),
            "a score outside its interval"),
    problem(any(lost) && !warned_of(outcome, "repalign_undefined"), "NA without a warning"),
    check_methods(value, c(result_methods, list(vcov = vcov, confint = confint,
                                                influence_matrix = influence_matrix))))
}

check_differences <- function(value) {
  p <- c(value$p_value, value$p_adjusted)
  c(problem(any(p < 0 | p > 1, na.rm = TRUE), "p-values outside of 0 to 1"),
    problem(any(value$p_adjusted < value$p_value - 1e-12, na.rm = TRUE),
            "adjusted below unadjusted"),
    check_methods(value, list(print = print, confint = confint)))
}

check_streamed <- function(drawn, value) {
  chunks <- drawn$call$chunks
  if (is.null(names(chunks))) {
    chunks <- list(x = do.call(rbind, lapply(chunks, `[[`, "x")),
                   y = do.call(rbind, lapply(chunks, `[[`, "y")))
  }
  if (!is.null(drawn$call$batch)) return(check_finite_columns(value))
  wrong <- vapply(seq_len(nrow(value)), function(i) {
    call <- bquote(cka(.(chunks$x), .(chunks$y), estimator = .(value$estimator[i])))
    exact <- evaluate(call, 1)$value
    !is.null(exact) && isTRUE(abs(exact) < 100) &&
      !same_numbers(exact, value$cka[i], if (exact > 2) 1e-6 else 1e-8)
  }, NA)
  c(check_finite_columns(value), problem(any(wrong), "another value than cka()"))
}

check_from_data <- function(drawn, value) {
  plain <- evaluate(bquote(similarity(.(drawn$sides$x), .(drawn$sides$y), .(drawn$measure))), 1)
  # the other order of the side's ties has other scores
  if (is.null(plain$value) || warned_of(plain, c("repalign_ties", "repalign_not_unique"))) return()
  set <- suppressWarnings(repalign:::as_measures(eval(drawn$measure, globalenv())))
  problem(!by_chance(set) && !same_numbers(plain$value$score, value$score, 1e-9),
          "another score than from the data")
}
