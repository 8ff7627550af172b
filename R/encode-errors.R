# How the weighted R squared of encode() varies with the stimuli, for score_interval().

# The result of score_interval() of encodings. Rows of one call of encode() share their stimuli, so
# that their differences have errors, too. models: are the rows models of one recording, as
# evaluate_models() has them, with the recording as x?
encoding_interval <- function(x, method, conf_level, models = FALSE) {
  method <- check_choice(method, c("auto", "influence", "jackknife"), "method")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  cells <- cells_of(need_columns(x, "n", "given errors", "x"))
  refuse_if(!length(cells), "size", "`x` has no rows, and so no scores that could have errors: ",
            "keep some rows of what encode() returned.")
  calls <- need_kept(x, "cells", "encode()")$calls
  of <- vapply(cells, function(cell) cell$call, 0L)
  for (call in calls[unique(of)]) check_encoding_errors(call)
  dependence <- unlist(lapply(calls[unique(of)], warn_of_encoded_rows))
  rows <- as.data.frame(x)[intersect(c("model_x", "model_y", "x", "y", "measure", "score", "n"),
                                     names(x))]
  if (models) rows[c("x", "y")] <- list("x", rows$x)
  rows[c("se", "df", "conf_low", "conf_high")] <- NA_real_
  rows$method <- rows$over <- ""
  deletions <- list()
  advance <- progress_along(length(cells))
  for (at in split(seq_along(cells), match(of, unique(of)))) {
    call <- calls[[of[at[1]]]]
    columns <- lapply(cells[at], encoding_column, call, method, advance)
    found <- entry_of_call(call, rows[at, ], vapply(columns, deviations_of,
                                                    numeric(units_of(call$n, call$codes))),
                           vapply(columns, function(column) column$method, ""), conf_level)
    rows[at, ] <- found$rows[names(rows)]
    note_strong_stimuli(found$entry, rows[at, ])
    deletions <- c(deletions, list(found$entry))
  }
  columns <- c(setdiff(names(rows), c("n", "method", "over")), "method", "over", "n")
  labels <- unique(rows$measure)
  new_result(rows[columns], "repalign_interval", list(
    conf_level = conf_level, deletions = deletions, dependence = dependence,
    direction = stats::setNames(rep("similarity", length(labels)), labels),
    best = stats::setNames(rep(1, length(labels)), labels)
  ))
}

# What score_interval() keeps of the scores of one call, see error-interval-result.R, and the rows
# with their errors. stimuli: the deviations of each row, which are NA where there are none.
entry_of_call <- function(call, rows, stimuli, methods, conf_level) {
  rows$method <- methods
  rows$over <- unit_words(call$codes)
  entry <- list(rows = data.frame(key = score_keys(rows), score = rows$score, sample_y = FALSE),
                n = call$n, units = units_of(call$n, call$codes),
                names = if (is.null(call$codes)) call$stimuli, stimuli = stimuli, halves = NULL,
                methods = methods, clustered = !is.null(call$codes), factors = list())
  errors <- contrast_errors(parts_of_call(entry, seq_len(nrow(rows))), diag(nrow(rows)))
  rows$se <- entry$rows$se <- errors$se
  rows$df <- errors$df
  entry$scales <- data.frame(point = rows$score, spread = errors$se, back = "plain")
  limits <- unname(limits_of(entry$scales, errors$df, conf_level))
  rows$conf_low <- limits[, 1]
  rows$conf_high <- limits[, 2]
  list(rows = rows, entry = entry)
}

check_encoding_errors <- function(call) {
  settings <- call$settings
  refuse_if(!(settings$score_by == "r2" && settings$summary == "weighted" &&
              settings$average == "pooled"), "measure", "`x` has a score ({settings$label}, ",
            "{settings$summary}, {settings$average}) whose errors are not known: they are for the ",
            "weighted R squared, encode(score_by = \"r2\", summary = \"weighted\", average = ",
            "\"pooled\")", if (call$overlapping) ", with labels as `folds`, as sets may overlap",
            ".")
  check_rows(call$n, 5, "x", "an interval")
  check_clusters(call$codes, call$n, "x", 5, "an interval")
}

warn_of_encoded_rows <- function(call) {
  if (!is.null(call$codes)) return(NULL)
  reprs <- function(data) lapply(data, function(x) list(kind = "data", data = x))
  spaces <- unlist(lapply(call$x, function(model) model$data), recursive = FALSE)
  warn_of_rows(reprs(spaces), reprs(call$y), "errors",
               sub("`clusters`", "`clusters` of encode()", cluster_remedy, fixed = TRUE))
}

# From so many stimuli on, influences are right where nothing is chosen (seen: 0.94 of the true
# standard deviation at 100 stimuli, 0.78 at 40).
least_for_influence <- 100

# How the score of a cell changes with the stimuli: a column as in error-declared.R.
encoding_column <- function(cell, call, method, advance) {
  on.exit(advance())
  known <- which(!is.na(cell$by_neuron$score))
  y <- call$y[[cell$target]][, known, drop = FALSE]
  means <- colMeans(y)
  y <- y - rep(means, each = nrow(y))
  unit <- unit_of(y)
  values <- lapply(cell$predictions, function(values) {
    (values[, known, drop = FALSE] - rep(means, each = nrow(values))) / unit
  })
  method <- error_method(cell, call, method)
  model <- if (method == "jackknife") {
    encoding_model(call$x[[cell$layer]]$data, call$settings, call$x[[cell$layer]]$arg)
  }
  column <- column_of_predictions(cell$score, y / unit, values, cell$chosen[, known, drop = FALSE],
                                  cell$test, call, method, model)
  c(column, list(method = method))
}

error_method <- function(cell, call, method) {
  if (method != "auto") return(method)
  if (cell$fixed && call$n >= least_for_influence) "influence" else "jackknife"
}

# The same of given predictions of y by candidates of a model. test: the test rows of the folds.
column_of_predictions <- function(score, y, values, chosen, test, call, method, model) {
  if (method == "influence") {
    # n times the derivative of the score by the share of each stimulus, with predictions held
    error <- about <- numeric(nrow(y))
    for (k in seq_along(test)) {
      at <- test[[k]]
      m <- colMeans(y[-at, , drop = FALSE])
      error[at] <- error[at] + rowSums((y[at, , drop = FALSE] - values[[k]])^2)
      about[at] <- about[at] + rowSums((y[at, , drop = FALSE] - rep(m, each = length(at)))^2)
    }
    return(influence_column(score, -(error - (1 - score) * about) / mean(about), list(),
                            call$codes))
  }
  jackknife_column(c(score, deleted_encodings(y, values, chosen, test, call, model)),
                   list(transform = "none"))
}

# ---- without each stimulus

# Scores without each unit (stimulus or cluster), of models that are fitted without it, with the
# penalties of each fold held.
deleted_encodings <- function(y, values, chosen, test, call, model) {
  units <- if (is.null(call$codes)) as.list(seq_len(call$n)) else
    unname(split(seq_len(call$n), call$codes))
  settings <- call$settings
  quick <- !settings$standardize && is.null(settings$components)
  about <- Reduce(`+`, lapply(test, function(fold) about_without(y, fold, units)))
  # without candidates all is predicted by the mean
  if (anyNA(chosen)) return(numeric(length(units)))
  error <- 0
  if (!quick) {
    for (k in seq_along(test)) {
      error <- error + refitted_without(model, y, test[[k]], units, settings, chosen[k, ],
                                        values[[k]])
    }
    return(1 - error / about)
  }
  for (d in unique(model$direction[chosen])) {
    parts <- parts_of_direction(model, d, y)
    for (k in seq_along(test)) {
      for (l in intersect(chosen[k, ], which(model$direction == d))) {
        error <- error + errors_without(parts, test[[k]], units, model$penalty[l],
                                        which(chosen[k, ] == l))
      }
    }
  }
  1 - error / about
}

# Squared deviations of the test rows from the mean of the training rows, without each unit.
about_without <- function(y, test, units) {
  train <- seq_len(nrow(y))[-test]
  total <- colSums(y[train, , drop = FALSE])
  own <- y[test, , drop = FALSE]
  center <- colMeans(own)
  within <- sum((own - rep(center, each = length(test)))^2)
  tested <- vapply(units, function(unit) unit[1] %in% test, NA)
  found <- numeric(length(units))
  left <- rowSums((own - rep(total / length(train), each = length(test)))^2)
  found[tested] <- vapply(units[tested], function(unit) {
    sum(left) - sum(left[match(unit, test)])
  }, 0)
  found[!tested] <- vapply(units[!tested], function(unit) {
    m <- (total - colSums(y[unit, , drop = FALSE])) / (length(train) - length(unit))
    within + length(test) * sum((center - m)^2)
  }, 0)
  found
}

# Squared errors of the test rows by models without each unit, from one decomposition of all rows:
# the residuals of what is left out are those of the fold and the unit together. at: columns of y.
errors_without <- function(parts, test, units, lambda, at) {
  weights <- left_out_weights(parts, lambda)
  parts$y <- parts$y[, at, drop = FALSE]
  parts$cross <- parts$cross[, at, drop = FALSE]
  parts$rest <- if (!parts$full) parts$rest[, at, drop = FALSE]
  my <- annihilated(parts, weights)
  train <- seq_len(parts$n)[-test]
  m_test <- block_of_m(parts, weights, test, seq_len(parts$n))
  inverse <- solve_surely(m_test[, test, drop = FALSE], diag(length(test)))
  if (is.null(inverse)) {
    return(vapply(units, function(unit) sum(refitted_errors(parts, test, unit, lambda)), 0))
  }
  residuals <- inverse %*% my[test, , drop = FALSE]
  carried <- inverse %*% m_test
  square <- rowSums(residuals^2)
  vapply(units, function(unit) {
    if (unit[1] %in% test) return(sum(square) - sum(square[match(unit, test)]))
    c <- m_test[, unit, drop = FALSE]
    own <- block_of_m(parts, weights, unit, unit)
    room <- own - crossprod(c, carried[, unit, drop = FALSE])
    if (!all(diag(room) > least_room * (if (parts$full) diag(own) else 1))) {
      return(sum(refitted_errors(parts, test, unit, lambda)))
    }
    left <- my[unit, , drop = FALSE] - crossprod(c, residuals)
    solved <- if (length(unit) == 1) left / room[1] else solve_surely(room, left)
    if (is.null(solved)) return(sum(refitted_errors(parts, test, unit, lambda)))
    sum((residuals - carried[, unit, drop = FALSE] %*% solved)^2)
  }, 0)
}

refitted_errors <- function(parts, test, unit, lambda) {
  residuals <- refitted_residuals(parts, union(test, unit), lambda)
  residuals[seq_along(test), , drop = FALSE][!test %in% unit, , drop = FALSE]^2
}

# The same where every model is fitted anew.
refitted_without <- function(model, y, test, units, settings, chosen, values) {
  train <- seq_len(nrow(y))[-test]
  square <- rowSums((y[test, , drop = FALSE] - values)^2)
  vapply(units, function(unit) {
    if (unit[1] %in% test) return(sum(square) - sum(square[match(unit, test)]))
    found <- predict_rows(model, y, rep(1L, ncol(y)), setdiff(train, unit), test, settings,
                          chosen = list(chosen))[[1]]
    sum((y[test, , drop = FALSE] - found$values)^2)
  }, 0)
}
