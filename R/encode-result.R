# The class of what encode() returns: its table, and what is kept of every pair.

#' @include result-class.R
NULL

# cells: of the pairs of the call, in their order; p_value: of these, or NULL.
encoding_result <- function(cells, call, folds, settings, p_value) {
  pairs <- call$pairs
  sides <- call$sides
  number <- function(part) vapply(cells, function(cell) as.double(cell[[part]]), 0)
  name <- function(side, at) vapply(side$reprs, function(repr) repr$name, "")[at]
  count <- max(tabulate(folds$repeat_of))
  rows <- list2DF(list(
    x = name(list(reprs = call$groups), pairs$i), y = name(sides$y, pairs$j),
    measure = rep(settings$label, length(cells)), score = number("score"),
    normalized = number("normalized"), ceiling = number("ceiling"),
    n = rep(call$n, length(cells)), neurons = as.integer(number("neurons")),
    undefined = as.integer(number("undefined")), folds = rep(count, length(cells)),
    lambda = number("lambda"), at_end = as.integer(number("at_end")),
    p_value = if (is.null(p_value)) rep(NA_real_, length(cells)) else p_value
  ))
  if (sides$models) {
    rows <- cbind(model_x = sides$x$models[pairs$i], model_y = sides$y$models[pairs$j], rows)
  }
  lost <- is.na(rows$score)
  warn_if(any(lost), "undefined", "{count_of(sum(lost), 'score')} of {nrow(rows)} ",
          "{if (sum(lost) == 1) 'is' else 'are'} undefined (NA): no neuron of ",
          "{enumerate(unique(rows$y[lost]))} has a score, because responses or predictions do not ",
          "vary in the folds.")
  # Choices at an end of the user's grid say that the grid may be too narrow.
  choices <- sum(vapply(cells, function(cell) cell$choices, 0L))
  inform_if(length(settings$lambda) > 1 && any(rows$at_end > 0), "grid_end", "`lambda`: ",
            "{sum(rows$at_end)} of {choices} choices are at an end of the grid: a wider one may ",
            "predict better.")
  # What the cells have in common, of which errors are made.
  data_of <- function(side) {
    lapply(side$reprs, function(repr) matrix(as.vector(repr$data), nrow(repr$data)))
  }
  models <- lapply(call$groups, `[`, c("data", "spaces", "columns", "arg"))
  common <- list(x = models, y = data_of(sides$y), codes = call$clusters, n = call$n,
                 neurons = lapply(sides$y$reprs, function(repr) colnames(repr$data)),
                 stimuli = first_stimulus_names(all_representations(sides)), settings = settings,
                 overlapping = folds$overlapping, permutations = call$design$count,
                 engine = call$design$engine)
  keys <- rows[intersect(encoding_keys, names(rows))]
  new_result(rows, "repalign_encoding", list(
    cells = list(keys = keys, cells = cells, calls = list(common)),
    note = encoding_notes(cells, settings, folds, call$design$count),
    settings = list(settings[c("method", "score_by", "summary", "average")]),
    direction = stats::setNames("similarity", settings$label),
    best = stats::setNames(1, settings$label),
    symmetric = stats::setNames(FALSE, settings$label), within = FALSE,
    dependence = call$dependence
  ))
}

# Which side predicts which: "5 layers predict V4".
predicts_words <- function(from, to) {
  named <- function(names, several) {
    names <- unique(names)
    if (length(names) > 3) return(paste(length(names), several))
    enumerate(sub("^(from|to)$", "`\\1`", names), quote = FALSE)
  }
  paste(named(from, "layers"), if (length(unique(from)) > 1) "predict" else "predicts",
        named(to, "targets"))
}

# What tells one cell from another when results are cut or bound.
encoding_labels <- c("model_x", "model_y", "x", "y", "measure")

encoding_keys <- c(encoding_labels, "score", "n", "neurons", "folds", "lambda")

encoding_notes <- function(cells, settings, folds, permutations) {
  total <- function(part) sum(vapply(cells, function(cell) as.double(cell[[part]]), 0))
  noisy <- total("unreliable")
  flat <- sum(vapply(cells, function(cell) sum(cell$by_fold$undefined), 0))
  unknown <- unlist(lapply(cells, function(cell) cell$no_ceiling))
  c(
    if (noisy > 0) {
      paste0("Reliability of at most ", format(settings$min_reliability), ": ",
             count_of(noisy, "neuron"), " without a normalised score of ",
             if (noisy == 1) "its" else "their", " own.")
    },
    if (flat > 0 && settings$average == "folds") {
      paste0("Correlations that are undefined, because responses or predictions do not vary in a ",
             "fold: ", flat, ". The mean is over the other folds.")
    },
    if ("shared" %in% unknown) {
      paste("No ceiling: trials that are runs or share events have noise in common that halves of",
            "the trials do not tell.")
    },
    if ("single" %in% unknown) "No ceiling: `to` has no stimulus with two trials.",
    if (length(permutations)) paste0("P-values are of ", count_of(permutations, "permutation"), ".")
  )
}

declare_result(
  "repalign_encoding", from = "encode", words = "encodings",
  columns = described_columns(
    side_columns(),
    column("measure", "the method and the score", key = TRUE, tidy = "term"),
    column("score", "the score of stimuli that were left out", shown = 1),
    column("normalized", "the score without the noise of trials", shown = 2),
    column("ceiling", "what the noise of trials allows", shown = 3),
    column("n", "the number of stimuli"),
    column("neurons", "the number of neurons that are predicted", shown = 6),
    column("undefined", "neurons without a score"),
    column("folds", "the number of folds", shown = 7),
    column("lambda", "the penalty, the geometric mean over folds", shown = 5),
    column("at_end", "choices of the penalty at an end of the grid"),
    column("p_value", "of a permutation test", shown = 4)
  ),
  kept = list(cells = function(values) {
    parts <- Filter(Negate(is.null), values)
    if (!length(parts)) return(NULL)
    columns <- Reduce(intersect, lapply(parts, function(part) names(part$keys)))
    keys <- do.call(rbind, lapply(parts, function(part) part$keys[columns]))
    calls <- unlist(lapply(parts, function(part) part$calls), recursive = FALSE)
    alone <- unique(calls)
    # the number of a call among those of all parts
    number <- match(calls, alone)
    before <- c(0, cumsum(lengths(lapply(parts, function(part) part$calls))))
    cells <- unlist(lapply(seq_along(parts), function(k) {
      lapply(parts[[k]]$cells, function(cell) {
        replace(cell, "call", list(number[before[k] + cell$call]))
      })
    }), recursive = FALSE)
    first <- !duplicated(row_identities(keys, columns))
    list(keys = keys[first, ], cells = cells[first], calls = alone)
  }, note = each_once, settings = each_once, direction = same_directions, best = common_by_name,
  symmetric = true_by_name, within = every_true, dependence = each_once),
  heading = function(x, digits) {
    said <- vapply(attr(x, "settings"), function(one) {
      paste0(one$summary, if (one$summary == "weighted") " by variance", ", ",
             if (one$average == "pooled") "pooled over folds" else "mean over folds")
    }, "")
    counted <- paste0(count_of(nrow(x), "score"), " of stimuli that were left out")
    if (nrow(x) && !is.null(x$x) && !is.null(x$y)) {
      plain <- as.data.frame(x)
      counted <- paste0(predicts_words(full_names(plain, "x"), full_names(plain, "y")),
                        brackets(counted))
    }
    c(strwrap(paste0("Encoding: ", counted, undefined_of(x$score)), exdent = 2),
      if (length(said)) paste0("Summary of neurons: ", paste(unique(said), collapse = "; "), "."))
  },
  shown = function(x) {
    empty <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x <- x[!empty | names(x) == "score"]
    nothing <- vapply(c("undefined", "at_end"), function(name) !any(x[[name]] > 0), NA)
    x[setdiff(names(x), names(which(nothing)))]
  },
  footing = function(x, digits) strwrap(attr(x, "note"), exdent = 2),
  # What in_words() tells: of several pairs the one that is predicted best.
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "score", "n", "folds"), "told", "result")
    for_each_measure(x, function(part) {
      name <- measure_words(part$measure[1])
      plain <- as.data.frame(part)
      # names of arguments stand for sides without a name
      named <- function(side) sub("^(from|to)$", "`\\1`", full_names(plain, side))
      title <- paste(named("y"), "from", named("x"))
      known <- which(!is.na(part$score))
      lost <- undefined_words(part$score)
      if (!length(known)) {
        return(paste0("By the ", name, ":", undefined_words(part$score, begins = FALSE)))
      }
      best <- known[which.max(part$score[known])]
      value <- number_word(part$score[best])
      details <- c(stimuli_words(part$n[best]), count_of(part$folds[best], "fold"),
                   if (isFALSE(is.na(part$p_value[best]))) p_words(part$p_value[best]))
      told <- if (nrow(part) == 1) {
        paste0("The ", name, " of predictions of ", title, ", for stimuli that were left out, was ",
               value, brackets(details))
      } else {
        paste0("Of ", count_of(nrow(part), "prediction"), " of stimuli that were left out, that ",
               "of ", title[best], " was best", brackets(paste(name, "=", value), details),
               others_words(part$score, best))
      }
      share <- if (isTRUE(part$ceiling[best] > 0)) {
        paste0("; the noise ceiling was ", number_word(part$ceiling[best]),
               if (isFALSE(is.na(part$normalized[best]))) {
                 paste0(", and without the noise of trials the score was ",
                        number_word(part$normalized[best]))
               })
      }
      without_claim(paste0(told, share, ".", lost), attr(x, "dependence"))
    })
  },
  interval = function(x, method, conf_level) encoding_interval(x, method, conf_level),
  glance = function(x) {
    need_columns(x, c("x", "y", "score", "n", "folds"), "summarised")
    list(pairs = nrow(x), n = x$n[1], folds = x$folds[1], undefined = sum(is.na(x$score)),
         best = suppressWarnings(max(x$score, na.rm = TRUE)))
  }
)

# What is kept of the rows of a result, in their order.
cells_of <- function(x, arg = "x") {
  kept <- need_kept(x, "cells", "encode()", arg)
  columns <- intersect(names(kept$keys), names(x))
  need_columns(x, c("x", "y", "measure", "score"), "looked up", arg)
  at <- match(row_identities(x, columns), row_identities(kept$keys, columns))
  refuse_if(anyNA(at), "rows", "`{arg}` has rows that encode() did not return, first row ",
            "{which(is.na(at))[1]}: take its rows with their names and numbers as they were.")
  kept$cells[at]
}

# ---- tables

#' @rdname encode
#' @param x,object what `encode()` returned.
#' @param row.names,optional unused.
#' @param part `"pairs"`: the rows themselves; `"neurons"`, `"folds"` or `"spaces"`: see Value.
#' @export
as.data.frame.repalign_encoding <- function(x, row.names = NULL, optional = FALSE,
                                            part = c("pairs", "neurons", "folds", "spaces"),
                                            ...) {
  part <- check_choice(part, c("pairs", "neurons", "folds", "spaces"), "part")
  if (part == "pairs") return(NextMethod())
  cells <- cells_of(x)
  plain <- NextMethod()
  named <- plain[intersect(c(source_columns(x), "model_x", "model_y", "x", "y"), names(plain))]
  calls <- attr(x, "cells")$calls
  table_of <- switch(part, neurons = neuron_table, folds = fold_table,
                     spaces = function(cell) space_table(cell, calls[[cell$call]]),
                     no_branch(part))
  # without rows the columns of any pair, as far as one is kept
  if (!length(cells)) {
    return(cbind(named, table_of(attr(x, "cells")$cells[[1]])[0, , drop = FALSE]))
  }
  do.call(rbind, lapply(seq_along(cells), function(k) {
    table <- table_of(cells[[k]])
    cbind(named[rep(k, nrow(table)), , drop = FALSE], table, row.names = NULL)
  }))
}

neuron_table <- function(cell) {
  names <- colnames(cell$predictions[[1]])
  count <- length(cell$by_neuron$score)
  list2DF(c(list(neuron = if (is.null(names)) seq_len(count) else names), cell$by_neuron))
}

fold_table <- function(cell) {
  table <- cell$by_fold
  list2DF(c(table[c("fold", "score", "lambda", "n_train", "n_test", "undefined")],
            if (max(table$repeat_of) > 1) list("repeat" = table$repeat_of)))
}

#' @rdname encode
#' @param ... any other argument is an error.
#' @export
augment.repalign_encoding <- function(x, ...) {
  no_other_arguments(...)
  cells <- cells_of(x)
  named <- as.data.frame(x)[c(source_columns(x), intersect(encoding_labels, names(x)))]
  calls <- attr(x, "cells")$calls
  rows <- lapply(seq_along(cells), function(k) {
    cell <- cells[[k]]
    fitted <- mean_predictions(cell)
    observed <- calls[[cell$call]]$y[[cell$target]]
    neurons <- neuron_table(cell)$neuron
    stimuli <- if (is.null(cell$stimuli)) seq_len(cell$n) else cell$stimuli
    own <- list(stimulus = rep(stimuli, length(neurons)), neuron = rep(neurons, each = cell$n),
                response = as.vector(observed), .fitted = as.vector(fitted),
                .resid = as.vector(observed - fitted))
    cbind(named[rep(k, length(observed)), , drop = FALSE], list2DF(own), row.names = NULL)
  })
  do.call(rbind, rows)
}

# The mean over all folds that test a stimulus; NA where none does.
mean_predictions <- function(cell) {
  total <- matrix(0, cell$n, ncol(cell$predictions[[1]]))
  times <- numeric(cell$n)
  for (k in seq_along(cell$test)) {
    at <- cell$test[[k]]
    total[at, ] <- total[at, , drop = FALSE] + cell$predictions[[k]]
    times[at] <- times[at] + 1
  }
  predicted <- total / ifelse(times > 0, times, NA)
  names <- list(cell$stimuli, colnames(cell$predictions[[1]]))
  if (any(lengths(names) > 0)) dimnames(predicted) <- names
  predicted
}
