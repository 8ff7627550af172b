# The deletions over stimuli of all scores of a call of score_interval(), without the warnings and
# messages that were given with the scores.

# task: list(pairs, sides, set, codes, n, settings). A row of the result is a measure of a pair: the
# measures of the first pair come first. Returns a list of columns (deletion-columns.R), one a row.
stimulus_columns <- function(task, tables) {
  ways <- lapply(task$set, way_of, task$settings$method)
  names <- vapply(ways, function(way) way$name, "")
  k <- length(task$set)
  columns <- vector("list", nrow(task$pairs) * k)
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in which(names == "closed")) {
      row <- (p - 1) * k + m
      table <- tables[[row]]
      columns[[row]] <- if (!is.null(table)) column_of_table(table, ways[[m]]$errors)
        else closed_column(pair, task$set[[m]], ways[[m]], task$codes)
    }
  }
  for (m in which(names == "recomputed")) columns <- recomputed_columns(task, columns, m)
  half <- which(names == "half-samples")
  if (length(half)) columns <- half_columns(task, columns, half)
  columns
}

# How a measure's errors are found: list(name, errors, exact, method), where `method` is the word of
# the result.
way_of <- function(measure, method) {
  errors <- errors_of(measure)
  known <- !is.null(errors) && errors$method != "half-samples"
  if (method == "half-samples" || (method == "auto" && !isTRUE(errors$auto))) {
    return(list(name = "half-samples", method = "half-samples", errors = errors))
  }
  exact <- method == "jackknife"
  if (exact && (!known || errors$method != "jackknife" && is.null(errors$exact))) {
    return(list(name = "recomputed", method = "jackknife", errors = errors))
  }
  own <- if (exact) "jackknife" else errors$method
  if (method != "auto" && !identical(own, method)) refuse_method(measure, method)
  list(name = "closed", method = own, errors = errors, exact = exact)
}

refuse_method <- function(measure, method) {
  abort("`method` cannot be ", dQuote(method, FALSE), " for the measure ",
        dQuote(measure$label, FALSE), ": use \"auto\", \"jackknife\" or \"half-samples\".",
        class = "repalign_error_choice", arg = "method")
}

closed_column <- function(pair, measure, way, codes) {
  withCallingHandlers(deletion_column(pair, measure, way$errors, codes, way$exact),
                      warning = function(w) invokeRestart("muffleWarning"),
                      message = function(m) invokeRestart("muffleMessage"))
}

# All but one stimulus (or cluster), score by score.
recomputed_columns <- function(task, columns, m) {
  units <- if (is.null(task$codes)) seq_len(task$n) else task$codes
  keep <- outer(units, seq_len(max(units)), "!=")
  scores <- subset_scores(keep, task$pairs, task$sides, task$set[m], "The jackknife",
                          task$threads)
  errors <- errors_of(task$set[[m]])
  for (p in seq_len(nrow(task$pairs))) {
    row <- (p - 1) * length(task$set) + m
    values <- c(task$scores[row], scores[p, 1, ])
    columns[[row]] <- recomputed_column(values, task$set[[m]], errors)
  }
  columns
}

recomputed_column <- function(values, measure, errors) {
  if (is.null(errors)) errors <- list(transform = transform_of(measure, NULL))
  if (!is.null(errors$cosine)) values <- errors$cosine$of(values)
  jackknife_column(values, errors)
}

half_columns <- function(task, columns, half) {
  settings <- task$settings
  keep <- draw_halves(task$n, settings$resamples, task$codes)
  scores <- subset_scores(keep, task$pairs, task$sides, task$set[half], "The half-samples",
                          task$threads)
  factors <- vapply(task$set[half], half_sample_factor, 0, task$n, task$codes)
  for (p in seq_len(nrow(task$pairs))) {
    for (at in seq_along(half)) {
      row <- (p - 1) * length(task$set) + half[at]
      columns[[row]] <- half_column(task$scores[row], scores[p, at, ], factors[at])
    }
  }
  columns
}

# Intervals of scores between -1 and 1 are made of Fisher's z, where that was seen to serve.
transform_of <- function(measure, errors) {
  if (!is.null(errors)) return(errors$transform)
  d <- measure$declaration
  range <- range_of(d, measure$args)
  bounded <- d$direction == "similarity" && range[1] >= -1 && range[2] == 1
  if (bounded && !isTRUE(d$family %in% c("neighbours", "topology"))) "z" else "none"
}
