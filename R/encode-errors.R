# How the weighted R squared of encode() varies with the stimuli, for score_interval().

# The result of score_interval() of encodings. Rows of one call of encode() share their stimuli, so
# that their differences have errors, too. models: are the rows models of one recording, as
# evaluate_models() has them, with the recording as x?
encoding_interval <- function(x, method, conf_level, models = FALSE) {
  method <- check_choice(method, c("auto", "influence", "jackknife"), "method")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  cells <- cells_of(x)
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
    over <- if (is.null(call$codes)) "stimuli" else "clusters"
    units <- units_of(call$n, call$codes)
    keyed <- cbind(rows[at, setdiff(names(rows), "over")], over = over)
    # what score_interval() keeps of the scores of one call, see error-interval-result.R
    entry <- list(rows = data.frame(key = score_keys(keyed), score = rows$score[at],
                                    sample_y = FALSE),
                  n = call$n, units = units, names = if (is.null(call$codes)) call$stimuli,
                  stimuli = vapply(columns, deviations_of, numeric(units)), halves = NULL,
                  methods = vapply(columns, function(column) column$method, ""),
                  clustered = !is.null(call$codes), factors = list())
    errors <- contrast_errors(parts_of_call(entry, seq_along(at)), diag(length(at)))
    rows$se[at] <- errors$se
    rows$df[at] <- errors$df
    entry$rows$se <- errors$se
    entry$scales <- data.frame(point = rows$score[at], spread = errors$se, back = "plain")
    limits <- unname(limits_of(entry$scales, errors$df, conf_level))
    rows$conf_low[at] <- limits[, 1]
    rows$conf_high[at] <- limits[, 2]
    rows$method[at] <- entry$methods
    rows$over[at] <- over
    note_strong_stimuli(entry, rows[at, ])
    deletions <- c(deletions, list(entry))
  }
  columns <- c(setdiff(names(rows), c("n", "method", "over")), "method", "over", "n")
  labels <- unique(rows$measure)
  new_result(rows[columns], "repalign_interval", list(
    conf_level = conf_level, deletions = deletions, dependence = dependence,
    direction = stats::setNames(rep("similarity", length(labels)), labels),
    best = stats::setNames(rep(1, length(labels)), labels)
  ))
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
  warn_of_rows(reprs(call$x), reprs(call$y), "errors",
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
  y <- y / unit
  values <- lapply(cell$predictions, function(values) {
    (values[, known, drop = FALSE] - rep(means, each = nrow(values))) / unit
  })
  fixed <- is.na(cell$penalties[1]) || length(unique(as.vector(cell$penalties))) == 1 && cell$fixed
  if (method == "auto") {
    method <- if (fixed && call$n >= least_for_influence) "influence" else "jackknife"
  }
  column <- if (method == "influence") {
    # n times the derivative of the score by the share of each stimulus, with predictions held
    error <- about <- numeric(nrow(y))
    for (k in seq_along(cell$test)) {
      at <- cell$test[[k]]
      m <- colMeans(y[-at, , drop = FALSE])
      error[at] <- error[at] + rowSums((y[at, , drop = FALSE] - values[[k]])^2)
      about[at] <- about[at] + rowSums((y[at, , drop = FALSE] - rep(m, each = length(at)))^2)
    }
    influence_column(cell$score, -(error - (1 - cell$score) * about) / mean(about), list(),
                     call$codes)
  } else {
    jackknife_column(c(cell$score, deleted_encodings(cell, call, y, values, known)),
                     list(transform = "none"))
  }
  c(column, list(method = method))
}

# ---- without each stimulus

# Scores without each unit (stimulus or cluster), of models that are fitted without it, with the
# penalty of each fold held.
deleted_encodings <- function(cell, call, y, values, known) {
  units <- if (is.null(call$codes)) as.list(seq_len(call$n)) else
    unname(split(seq_len(call$n), call$codes))
  settings <- call$settings
  layer <- encoding_layer(call$x[[cell$layer]], settings$standardize)
  penalties <- cell$own[, known, drop = FALSE]
  quick <- !settings$standardize && is.null(settings$components)
  parts <- if (quick) left_out_parts(fold_basis(layer$x, seq_len(call$n), integer()), y)
  error <- about <- numeric(length(units))
  for (k in seq_along(cell$test)) {
    test <- cell$test[[k]]
    about <- about + about_without(y, test, units)
    if (quick) {
      for (lambda in unique(penalties[k, ])) {
        at <- which(penalties[k, ] == lambda)
        error <- error + errors_without(parts, test, units, lambda, at)
      }
    } else {
      error <- error + refitted_without(layer, y, test, units, settings, penalties[k, ],
                                        values[[k]])
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
refitted_without <- function(layer, y, test, units, settings, penalties, values) {
  train <- seq_len(nrow(y))[-test]
  square <- rowSums((y[test, , drop = FALSE] - values)^2)
  vapply(units, function(unit) {
    if (unit[1] %in% test) return(sum(square) - sum(square[match(unit, test)]))
    rows <- setdiff(train, unit)
    error <- 0
    for (lambda in unique(penalties)) {
      at <- if (is.na(lambda)) seq_len(ncol(y)) else which(penalties == lambda)
      found <- predict_rows(layer, y[, at, drop = FALSE], rep(1L, length(at)), rows, test, lambda,
                            settings, NULL)
      error <- error + sum((y[test, at, drop = FALSE] - found$values)^2)
    }
    error
  }, 0)
}
