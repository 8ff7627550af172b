# Approximate noise ceilings of measures without an unbiased estimate from different trials: scores
# between random halves of the trials, by the formula of Spearman and Brown.

# list(reliability, score): r is the mean score of halves of the trials, and 2 r / (1 + r) what
# twice as many trials would give if scores were correlations of independent noise.
split_ceiling <- function(task, y, measure, splits) {
  refuse_single_trials(rowSums(recorded_slots(unclass(task$x$responses)$values)), task$x)
  score_of <- function(a, b) score_pair(measure, a, b)
  halves <- vapply(seq_len(splits), function(split) {
    parts <- random_trial_halves(task$x)
    score_of(parts[[1]], parts[[2]])
  }, 0)
  r <- mean(halves)
  score <- if (is.null(y)) NA_real_ else
    score_of(unname_rows(task$mean$data), if (y$kind == "data") unname_rows(y$data) else y$data)
  list(reliability = if (is.na(r) || r <= 0) NA_real_ else 2 * r / (1 + r), score = score,
       undefined = sum(is.na(halves)))
}

# Errors name what the user gave as `trials` and `y`.
score_pair <- function(measure, a, b) {
  tryCatch(similarity(list(x = a), list(y = b), measure)$score, repalign_error = function(e) {
    e$message <- gsub("`x$x`", "`trials`", gsub("`y$y`", "`y`", e$message, fixed = TRUE),
                      fixed = TRUE)
    if (identical(e$arg, "x$x")) e$arg <- "trials"
    stop(e)
  })
}

# Means over two random halves of the trials of each stimulus, with equally many trials; at odd
# numbers one is left out.
random_trial_halves <- function(repr) {
  values <- unclass(repr$responses)$values
  size <- dim(values)
  there <- recorded_slots(values)
  half <- vapply(seq_len(size[1]), function(i) {
    at <- which(there[i, ])
    at <- at[sample.int(length(at))]
    replace(integer(size[3]), at, rep_len(c(1L, 2L), length(at) %/% 2 * 2)[seq_along(at)])
  }, integer(size[3]))
  half <- t(matrix(half, size[3]))
  lapply(1:2, function(part) {
    weight <- half == part
    weight[is.na(weight)] <- FALSE
    total <- 0
    for (t in seq_len(size[3])) {
      total <- total + ifelse(weight[, t], 1, 0) * zero_for_missing(matrix(values[, , t], size[1]))
    }
    total / rowSums(weight)
  })
}

check_split_measure <- function(measure) {
  d <- measure$declaration
  best <- if (is_own(measure)) 1 else best_of(d, measure$args)
  if (identical(d$direction, "similarity") && isTRUE(best == 1)) return(invisible())
  abort("`measure` ", dQuote(measure$label, FALSE), " is no similarity with the best value 1, and ",
        "reliabilities of halves of the trials are not defined for it: use a similarity, such as ",
        "measure(\"cka\", estimator = \"stimulus_neuron\").", class = "repalign_error_measure",
        arg = "measure")
}
