# One pair of representations compared by one measure, and the warnings about its score.

# The measure that a call of two representations asks for by these arguments.
asked_measure <- function(id, args) {
  d <- registry[[id]]
  usual <- usual_measures[[id]]
  if (identical(args, usual$given)) return(c(usual$measure, list(declaration = d)))
  check_encodings(args)
  list(id = id, label = id, args = d$check(args), declaration = d)
}

# Every comparison of two representations goes through this function, alone or in a grid. d: the
# declaration of the measure.
compare_pair <- function(d, pair, args, range = range_of(d, args),
                         averaged = takes_orders(d, args)) {
  if (isTRUE(d$own)) return(own_score(d$fun, pair))
  if (!is.null(d$check_pair)) d$check_pair(pair, args)
  used <- if (averaged) replace(args, "ties", "random") else args
  if (!averaged || !has_ties(d, pair, used)) {
    return(within_range(prepared_score(d, pair, used), range))
  }
  # every order keeps graphs of its own
  check_memory(tie_orders * 80 * as.double(pair$x$n) * args$k,
               paste("The mean over", tie_orders, "orders of tied neighbours"),
               "ties = \"random\" needs less.")
  within_range(mean_over_orders(function(number) {
    prepared_score(d, pair_in_tie_order(pair, number), used)
  }), range)
}

score_of_pair <- function(pair, measure) {
  compare_pair(measure$declaration, pair, measure$args, measure$range, measure$averaged)
}

prepared_score <- function(d, pair, args) {
  x <- d$prepare(pair$x, args, "x")
  y <- d$prepare(pair$y, args, "y")
  if (is_undefined(x)) return(undefined_score(d, pair$x, args))
  if (is_undefined(y)) return(undefined_score(d, pair$y, args))
  statistic <- if (!is.null(d$statistic)) d$statistic(pair, x, y, args)
  score <- d$score(statistic, x, y, args)
  if (!is.null(d$inspect)) d$inspect(score, pair, x, y, args)
  score
}

undefined_score <- function(d, repr, args) {
  if (is.null(d$undefined)) {
    stop("The measure ", quoted(d$id), " has a form that is undefined, but declares no ",
         "function `undefined`.")
  }
  d$undefined(repr, args)
  NA_real_
}

# Sets scores that rounding took beyond their range to its bounds. Scores with two bounds are sums
# of at most n^2 products over the norms of their factors, and exceed a bound of 1 by about n
# machine epsilons, as roundings add up like a random walk. That is far below `equal_share`; a
# larger excess is an error in the measure, and stays visible. A score without two bounds may have
# units, for which no such limit is known.
within_range <- function(score, range) {
  if (!all(is.finite(range)) || !any(score < range[1] | score > range[2], na.rm = TRUE)) {
    return(score)
  }
  rounding <- equal_share * max(1, abs(range))
  low <- which(score < range[1] & score >= range[1] - rounding)
  high <- which(score > range[2] & score <= range[2] + rounding)
  score[low] <- range[1]
  score[high] <- range[2]
  score
}

# ---- scores

# These functions compute the scores of a grid, and collect the warnings and errors about them.

# A matrix of scores, pairs x measures. drawn: an environment that receives, as `entries`, the forms
# of each pair that were made with random choices. set: settled measures. dots: may the scores of
# all pairs be made at once?
score_pairs <- function(pairs, sides, set, on_error, drawn = new.env(), dots = FALSE) {
  found <- score_cells(pairs, sides, set, on_error, drawn, dots = dots)
  report_cells(found$cells)
  report_warnings(found$warnings)
  found$cells$score
}

# Returns list(cells, warnings): what one_cell() gives, in matrices pairs x measures (see
# bind_cells()), and the warnings that were collected. run$at holds the pair and the measure that
# are being compared, for one_cell().
score_cells <- function(pairs, sides, set, on_error, drawn, run = new.env(), dots = FALSE) {
  scores <- matrix(NA_real_, nrow(pairs), length(set))
  for (m in which(dots & lengths(lapply(set, function(measure) measure$dot)) > 0)) {
    found <- dot_scores(set[[m]], m, pairs, sides, run)
    if (!is.null(found)) scores[, m] <- found
  }
  drawn$entries <- vector("list", nrow(pairs))
  lacking <- is.na(scores)
  cells <- new_cells(scores)
  if (any(lacking)) {
    at <- which(lacking)
    cells <- replace_cells(cells, at, compared_cells(pairs, sides, set, lacking, on_error, drawn,
                                                     run)[at])
  }
  if (any(!lacking)) run$warnings <- in_order_of_cells(run$warnings)
  list(cells = cells, warnings = run$warnings)
}

# A matrix, pairs x measures, of what one_cell() gives; NULL where it is not `wanted`.
compared_cells <- function(pairs, sides, set, wanted, on_error, drawn, run) {
  cells <- matrix(list(), nrow(pairs), length(set))
  rows <- which(rowSums(wanted) > 0)
  advance <- progress_along(length(rows))
  # for each pair the place of the same pair the other way round
  most <- max(pairs$i, pairs$j) + 1
  mirrored <- if (sides$same) match(pairs$j * most + pairs$i, pairs$i * most + pairs$j)
  symmetric <- vapply(set, function(measure) measure$symmetric, NA)
  # do the two sides differ, although the same list was given for both? They have tied neighbours in
  # random orders of their own.
  by_side <- function(measure, pair) {
    !is.null(measure$neighbours) &&
      (drew_ties(sides$x$reprs[[pair$i]]) || drew_ties(sides$x$reprs[[pair$j]]))
  }
  for (p in rows) {
    pair <- NULL
    for (m in which(wanted[p, ])) {
      if (sides$same && symmetric[m] && mirrored[p] < p && !by_side(set[[m]], pairs[p, ])) {
        cells[[p, m]] <- cells[[mirrored[p], m]]
        next
      }
      run$at <- c(p, m)
      if (is.null(pair)) pair <- side_pair(sides, pairs$i[p], pairs$j[p])
      cells[[p, m]] <- one_cell(pair, set[[m]], on_error, run, drawn)
    }
    entries <- if (is.null(pair)) drawn$entries[[mirrored[p]]] else drawn_entries(pair)
    drawn$entries[p] <- list(entries)
    advance()
  }
  cells
}

# Warnings in the order of pairs and, for a pair, of measures.
in_order_of_cells <- function(warnings) {
  if (length(warnings) < 2) return(warnings)
  at <- vapply(warnings, function(w) as.double(w$at), double(2))
  warnings[order(at[1, ], at[2, ])]
}

# Cells as matrices: list(score, undefined, failure, reason), the last two NA where there is none.
new_cells <- function(scores) {
  none <- array(NA_character_, dim(scores))
  list(score = scores, undefined = array(FALSE, dim(scores)), failure = none, reason = none)
}

# cells: as one_cell() gives them, for the places `at`.
replace_cells <- function(all, at, cells) {
  text <- function(cell, part) if (is.null(cell[[part]])) NA_character_ else cell[[part]]
  all$score[at] <- vapply(cells, function(cell) cell$score, 0)
  all$undefined[at] <- vapply(cells, function(cell) cell$undefined, NA)
  for (part in c("failure", "reason")) all[[part]][at] <- vapply(cells, text, "", part)
  all
}

# A list of cells, in the same form.
bind_cells <- function(cells) {
  replace_cells(new_cells(matrix(NA_real_, length(cells), 1)), seq_along(cells), cells)
}

# The forms of a pair that were made with random choices. The null uses the same ones again, so that
# null scores differ from the observed one by the permutation alone.
drawn_entries <- function(pair) {
  is_drawn <- function(entry) is_form(entry$value) && has_drawn_parts(entry$value)
  as.list(Filter(is_drawn, pair$cache$entries))
}

# One score, with whether it is undefined or has failed, and why. Warnings are collected in `run`,
# so that a grid does not repeat them, and messages are given once. What an own measure warns of is
# also kept in drawn$said, so that its null does not repeat it. what: how messages begin, which most
# cells have none of.
one_cell <- function(pair, measure, on_error, run, drawn, what = comparison_title(pair, measure)) {
  undefined <- FALSE
  reason <- "The measure's function returned NA."
  failure <- NULL
  collect <- function(w) {
    run$warnings <- c(run$warnings, list(list(label = measure$label, at = run$at, warning = w)))
    invokeRestart("muffleWarning")
  }
  compute <- function() {
    error <- refusal_of_pair(measure, pair)
    if (!is.null(error)) stop(error)
    score <- withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args, measure$range),
      repalign_undefined = function(w) {
        undefined <<- TRUE
        reason <<- conditionMessage(w)
        invokeRestart("muffleWarning")
      },
      repalign_warning = collect,
      warning = function(w) if (is_own(measure)) {
        drawn$said <- c(drawn$said, conditionMessage(w))
        collect(w)
      },
      repalign_decomposition = function(m) {
        if (conditionMessage(m) %in% run$announced) invokeRestart("muffleMessage")
        run$announced <- c(run$announced, conditionMessage(m))
      },
      repalign_shared_names = function(m) {
        if (isTRUE(run$noted)) invokeRestart("muffleMessage")
        run$noted <- TRUE
      }
    )
    refuse_if(is.nan(score), "score", "the result is not a number.", arg = NULL)
    undefined <<- undefined || is.na(score)
    score
  }
  score <- catch_error(compute(), failed = function(e) {
    failure <<- paste0(what, conditionMessage(e))
    if (on_error == "stop") stop_score(failure, e)
    NA_real_
  })
  list(score = score, undefined = undefined, failure = failure,
       reason = if (undefined && is.null(failure)) paste0(what, reason))
}

comparison_title <- function(pair, measure) {
  paste0(measure$label, " of ", quoted(title_of(pair$x)), " and ",
         quoted(title_of(pair$y)), ": ")
}

# Stops with the error of one score under a new message, which names the comparison. The class and
# the argument of the error stay as they were.
stop_score <- function(message, error) {
  of_r <- c("repalign_error", "simpleError", "error", "condition")
  refuse(c(setdiff(class(error), of_r), "repalign_error_score"), "{message}", arg = error$arg)
}

report_cells <- function(cells) {
  undefined <- sum(cells$undefined)
  reasons <- cells$reason[!is.na(cells$reason)]
  warn_if(undefined, "undefined", "{undefined} of {length(cells$score)} scores are undefined ",
          "(NA). {if (length(reasons) > 1) 'First, '}{reasons[1]}", data = undefined)
  failures <- cells$failure[!is.na(cells$failure)]
  warn_if(length(failures), "failed", "{length(failures)} of {length(cells$score)} scores failed ",
          "(NA). ", paste(utils::head(unique(failures), 3), collapse = " | "),
          "{if (length(unique(failures)) > 3) ' | ...'}", data = failures)
}

# Gives the collected warnings: of each measure and class only the first, which says how many more
# there were.
report_warnings <- function(collected) {
  if (!length(collected)) return(invisible())
  message <- vapply(collected, function(w) conditionMessage(w$warning), "")
  collected <- collected[!duplicated(message)]
  key <- vapply(collected, function(w) paste(w$label, class(w$warning)[1]), "")
  for (same in split(collected, factor(key, unique(key)))) {
    first <- same[[1]]
    # ties are a property of the representation, so that no measure is named
    prefix <- if (inherits(first$warning, "repalign_ties")) "" else paste0(first$label, ": ")
    warn(setdiff(class(first$warning), c("repalign_warning", "warning", "condition")),
         "{prefix}{conditionMessage(first$warning)}",
         if (length(same) > 1) paste0(" (And ", length(same) - 1, " more like this.)"),
         data = lapply(same, function(w) w$warning$data))
  }
}
