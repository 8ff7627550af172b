# What calibrate() returns, and the numbers in it.

# Oriented scores: larger is more similar. s: observed; null: a vector.
# The ceil((1 - alpha)(K + 1))-th smallest of the observed and the null scores.
null_threshold <- function(s, null, alpha) {
  all <- c(s, null)
  rank <- ceiling((1 - alpha) * length(all) - 1e-9)
  sort(all, partial = rank)[rank]
}

# All arguments in the measure's units; orientation -1 for distances.
calibrated_score <- function(s, tau, mean, sd, best, orientation, variant) {
  s <- orientation * s
  tau <- orientation * tau
  mean <- orientation * mean
  best <- orientation * best
  if (is.na(s)) return(NA_real_)
  switch(variant,
    gated = gated_score(s, tau, best),
    centered = s - mean,
    z = if (is.na(sd)) NA_real_ else if (sd > 0) (s - mean) / sd else 0,
    ari = if (is.na(best)) NA_real_ else if (best - mean > 0) (s - mean) / (best - mean) else 0
  )
}

gated_score <- function(s, tau, best) {
  if (is.na(best)) return(max(s - tau, 0))
  if (best - tau <= 0) 0 else max((s - tau) / (best - tau), 0)
}

# One row's numbers. s: observed; null: a vector.
calibrated_row <- function(s, null, p_value, measure, settings,
                           best = best_of(measure$declaration, measure$args)) {
  sgn <- orientation(measure)
  if (is.na(s) || anyNA(null)) return(undefined_row(s, null))
  tau <- sgn * null_threshold(sgn * s, sgn * null, settings$alpha)
  mean <- mean(null)
  sd <- spread_of(null)
  data.frame(
    score = s, threshold = tau,
    calibrated = calibrated_score(s, tau, mean, sd, best, sgn, settings$variant),
    p_value = p_value, null_mean = mean, null_sd = sd,
    permutations = length(null)
  )
}

# The standard deviation, in units in which no square overflows or underflows.
spread_of <- function(values) {
  largest <- max(abs(values))
  if (largest == 0) return(stats::sd(values))
  unit <- power_of_two_below(largest)
  stats::sd(values * unit) / unit
}

# A user's own `best` is taken at its word, and must hold for every score.
check_best <- function(null, measure, names) {
  best <- best_of(measure$declaration, measure$args)
  if (measure$declaration$form != "user" || is.na(best)) return(invisible())
  sgn <- orientation(measure)
  for (p in seq_along(null$observed)) {
    most <- sgn * max(sgn * c(null$observed[p], null$draws[[p]]$null), -Inf, na.rm = TRUE)
    if (sgn * (most - best) <= equal_share * max(1, abs(best))) next
    abort(row_title(cbind(names[p, ], measure = measure$label)), " has a score of ", format(most),
          ", better than the `best` = ", format(best), " given to new_measure(): correct `best`, ",
          "or leave it NA.", class = "repalign_error_value", arg = "best")
  }
}

undefined_row <- function(s, null) {
  data.frame(score = s, threshold = NA_real_, calibrated = NA_real_, p_value = NA_real_,
             null_mean = NA_real_, null_sd = NA_real_, permutations = length(null))
}

# nulls: one per measure, see measure_null().
calibration_result <- function(nulls, set, pairs, sides, aggregate, settings) {
  names <- pair_names(pairs, sides)
  parts <- Map(function(null, measure) {
    check_best(null, measure, if (sides$models) names else names[c("x", "y")])
    if (is.null(aggregate)) single_rows(null, measure, names, settings)
    else aggregate_rows(null, measure, names, pairs, aggregate, settings)
  }, nulls, set)
  rows <- do.call(rbind, lapply(parts, function(part) part$rows))
  rownames(rows) <- NULL
  if (!sides$models) rows$model_x <- rows$model_y <- NULL
  if (settings$p_adjust != "none") {
    rows$p_adjusted <- stats::p.adjust(rows$p_value, settings$p_adjust)
  }
  warn_undefined_calibration(rows, settings$variant, aggregate)
  note_one_permutation(rows)
  if (settings$engine != "moments") {
    note_unattainable(rows, settings, max(vapply(nulls, function(null) null$design$most, 0)))
  }
  draws <- unlist(lapply(parts, function(part) part$draws), recursive = FALSE)
  structure(rows, class = c("repalign_calibration", "data.frame"),
            draws = list(key = row_names_of(rows), null = draws,
                         numbers = as.list(rows[draw_numbers])),
            settings = c(settings[c("alpha", "variant", "p_adjust")],
                         list(aggregate = aggregate$name, own = aggregate$own)),
            grid = calibration_grid(set, sides, aggregate))
}

# What score_matrix() must not guess. The maximum and the mean of a transposed grid are the same.
calibration_grid <- function(set, sides, aggregate) {
  symmetric <- vapply(set, is_symmetric, NA) &
    (is.null(aggregate) || aggregate$name %in% c("max", "mean"))
  labels <- vapply(set, function(m) m$label, "")
  facts <- measure_facts_of(set)
  list(within = sides$self || sides$same, symmetric = stats::setNames(symmetric, labels),
       aggregate = !is.null(aggregate), direction = facts$direction, best = facts$best)
}

pair_names <- function(pairs, sides) {
  name <- function(side, at) vapply(side$reps[at], function(rep) rep$name, "")
  data.frame(model_x = sides$x$models[pairs$i], model_y = sides$y$models[pairs$j],
             x = name(sides$x, pairs$i), y = name(sides$y, pairs$j))
}

# A row's name among draws; the separator is one that names do not have.
row_names_of <- function(rows, separator = "\r") {
  parts <- intersect(c("model_x", "x", "model_y", "y", "measure"), names(rows))
  do.call(paste, c(lapply(parts, function(part) as.character(rows[[part]])), sep = separator))
}

engine_of <- function(null) if (is.null(null$design)) "moments" else null$design$engine

single_rows <- function(null, measure, names, settings) {
  rows <- lapply(seq_len(nrow(names)), function(p) {
    numbers <- if (engine_of(null) == "moments") {
      moments_row(null, p, measure, settings)
    } else {
      draw <- null$draws[[p]]
      calibrated_row(null$observed[p], draw$null, draw$p_value, measure, settings)
    }
    cbind(names[p, ], measure = measure$label, numbers, engine = engine_of(null))
  })
  # moments have no null scores, but a law
  draws <- lapply(seq_len(nrow(names)), function(p) {
    if (engine_of(null) != "moments") return(null$draws[[p]]$null)
    law_density(null$laws[[p]], null$observed[p])
  })
  list(rows = do.call(rbind, rows), draws = draws)
}

# One row per pair of models.
aggregate_rows <- function(null, measure, names, pairs, aggregate, settings) {
  groups <- split(seq_len(nrow(names)), paste(names$model_x, names$model_y, sep = "\r"))
  groups <- groups[order(vapply(groups, min, 0L))]
  parts <- lapply(groups, function(at) {
    aggregate_row(null, measure, names[at, ], at, aggregate, settings)
  })
  list(rows = do.call(rbind, lapply(parts, function(part) part$row)),
       draws = unname(lapply(parts, function(part) part$draw)))
}

# names: those of the pairs `at`, one grid.
aggregate_row <- function(null, measure, names, at, aggregate, settings) {
  sgn <- orientation(measure)
  rows <- factor(names$x, unique(names$x))
  columns <- factor(names$y, unique(names$y))
  where <- paste0(measure$label, " of ", names$model_x[1], " and ", names$model_y[1])
  value <- function(scores, how) {
    if (anyNA(scores)) return(rep(NA_real_, nrow(scores)))
    aggregate_values(aggregate, scores, rows, columns, paste0(where, how))
  }
  observed <- sgn * null$observed[at]
  draws <- sgn * vapply(null$draws[at], function(draw) draw$null, null$draws[[1]]$null)
  s <- value(t(observed), "")
  values <- value(matrix(draws, ncol = length(at)), " with rows permuted")
  best <- best_aggregate(aggregate, measure, rows, columns, c(s, values))
  draw <- pair_draw(c(s, values), c(s, values), equal_share * score_scale(measure, s, values), s)
  numbers <- calibrated_row(sgn * s, sgn * draw$null, draw$p_value, measure, settings, sgn * best)
  most <- if (aggregate$name == "max" && !is.na(s)) which.max(observed) else NA_integer_
  first <- names[1, ]
  first[c("x", "y")] <- list(names$x[most], names$y[most])
  list(row = cbind(first, measure = measure$label, numbers, engine = engine_of(null)),
       draw = sgn * draw$null)
}

# Oriented. values: what there was; a value that they exceed is not the best.
best_aggregate <- function(aggregate, measure, rows, columns, values) {
  best <- orientation(measure) * best_of(measure$declaration, measure$args)
  if (is.na(best)) return(NA_real_)
  best <- aggregate$best(best, rows, columns)
  exceeded <- any(values > best + equal_share * max(1, abs(best)), na.rm = TRUE)
  if (is.null(aggregate$own) || !exceeded) best else NA_real_
}

warn_undefined_calibration <- function(rows, variant, aggregate) {
  undefined <- is.na(rows$p_value)
  if (any(undefined)) {
    warn(sum(undefined), " of ", nrow(rows), " rows are undefined (NA). First, ",
         row_title(rows[undefined, ][1, ]), ": the score, or at least one null score, is ",
         "undefined, so that the rank of the score is not known.", class = "repalign_undefined",
         data = sum(undefined))
  }
  unscaled <- unique(rows$measure[!undefined & is.na(rows$calibrated)])
  if (length(unscaled)) {
    needs <- if (variant == "z") {
      "the spread of at least 2 permutations."
    } else if (is.null(aggregate$own)) {
      "the best possible score: use another `variant`, or give `best` to new_measure()."
    } else {
      "a best value, and the function in `aggregate` has none: use another `variant`."
    }
    warn("`calibrated` is NA for ", enumerate(unscaled), ": variant = \"", variant, "\" needs ",
         needs, class = "repalign_undefined", data = unscaled)
  }
}

# A row in words; what belongs to no pair of layers has no names there.
row_title <- function(row) {
  parts <- intersect(c("model_x", "x", "model_y", "y", "measure"), names(row))
  paste(stats::na.omit(unlist(lapply(row[parts], as.character))), collapse = " | ")
}

# With few permutations no p-value can be small enough.
note_unattainable <- function(rows, settings, most) {
  least <- 1 / (rows$permutations + 1)
  possible <- suppressWarnings(min(stats::p.adjust(least, settings$p_adjust)))
  if (possible <= settings$alpha + 1e-12) return(invisible())
  wanted <- ceiling(possible / min(least) / settings$alpha - 1e-9) - 1
  inform("No ", if (settings$p_adjust != "none") "adjusted ", "p-value can be at most `alpha` = ",
         format(settings$alpha), " with ", count_of(min(rows$permutations), "permutation"),
         ": the smallest one possible is ", format(possible, digits = 3),
         if (settings$p_adjust == "none") " and thresholds lie at or beyond the scores",
         ". ", if (wanted > most) "There are no more permutations: take more stimuli, larger " else
           paste("At least", format(wanted, scientific = FALSE), "permutations are needed."),
         if (wanted > most) "blocks, fewer tests or a larger `alpha`.",
         class = "repalign_few_permutations")
}

# A single null score has no spread.
note_one_permutation <- function(rows) {
  if (!any(rows$permutations == 1 & !is.na(rows$null_mean), na.rm = TRUE)) return(invisible())
  inform("`null_sd` is NA: one permutation gives one null score, which has no spread. Take more ",
         "permutations.", class = "repalign_few_permutations")
}

#' The null scores behind a calibration
#'
#' @param calibration what [calibrate()] returned, or some of its rows in any order, or several
#'   calibrations put together by [rbind()][rbind.repalign] or `dplyr::bind_rows()`. The names
#'   (`x`, `y`, `measure`) and numbers (`score`, `null_mean`, `null_sd`) of the rows must be
#'   unchanged, because the null scores of a row are found by them. A row whose null scores are
#'   not known is an error.
#' @return A numeric matrix with one column per row of `calibration`, in the same order, and one
#'   row per permutation, in the units of the measures. If the rows have different numbers of
#'   permutations, shorter columns end in `NA`. With `aggregate`, the columns are the null scores
#'   of the aggregate.
#' @examples
#' # V4 against one layer of a network, for the first 100 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' set.seed(1)
#' result <- calibrate(v4, v4_layers$L2[1:100, ], permutations = 199)
#' result
#' summary(null_scores(result)[, 1])
#' @seealso [calibrate()]
#' @export
null_scores <- function(calibration) {
  need_arguments()
  if (!inherits(calibration, "repalign_calibration")) {
    abort("`calibration` must be what calibrate() returned, not ", describe(calibration), ".",
          if (is.data.frame(calibration)) " (Plain data frames have no null scores.)",
          class = "repalign_error_type", arg = "calibration")
  }
  draws <- draws_of_rows(calibration)
  if (!all(vapply(draws, is.numeric, NA))) {
    abort("engine = \"moments\" draws no null scores: use another engine.",
          class = "repalign_error_null", arg = "calibration")
  }
  most <- max(lengths(draws), 0)
  result <- vapply(draws, function(draw) c(draw, rep(NA_real_, most - length(draw))),
                   double(most))
  matrix(result, most, length(draws), dimnames = list(NULL, draw_names(calibration)))
}

# As the rows are named; an aggregate that belongs to no pair of layers has its own name there.
draw_names <- function(calibration) {
  named <- row_names_of(calibration, " | ")
  apart <- which(is.na(calibration$x) & is.na(calibration$y))
  rows <- calibration[apart, , drop = FALSE]
  models <- if (is.null(rows$model_x)) NULL else paste0(rows$model_x, " | ", rows$model_y, " | ")
  named[apart] <- paste0(models, attr(calibration, "settings")$aggregate, " | ", rows$measure)
  named
}

# The numbers that tell whose draws they are.
draw_numbers <- c("score", "null_mean", "null_sd", "permutations")

# Draws are found by the names of the rows and by their numbers, to the last bit, never by place:
# rows that were exchanged, changed, or bound to others find their own or none.
draws_of_rows <- function(calibration) {
  settings_of(calibration)
  kept <- attr(calibration, "draws")
  need_columns(calibration, c("x", "y", "measure"), "looked up")
  columns <- intersect(draw_numbers, intersect(names(kept$numbers), names(calibration)))
  known <- draw_identity(kept$key, kept$numbers[columns])
  wanted <- draw_identity(row_names_of(calibration), unclass(calibration)[columns])
  at <- match(wanted, known)
  if (anyNA(at)) {
    abort("`calibration` has rows whose null scores are not known, first row ", which(is.na(at))[1],
          ": take rows of what calibrate() returned, with their names and numbers as they were, ",
          "and put several together with rbind() or dplyr::bind_rows().",
          class = "repalign_error_rows", arg = "calibration")
  }
  twice <- which(wanted %in% known[duplicated(known)])
  if (length(twice)) {
    abort("`calibration` has two calibrations of ",
          dQuote(row_title(calibration[twice[1], ]), FALSE), " that cannot be told apart: keep ",
          "the columns score, null_mean and null_sd, or take the rows of one calibration.",
          class = "repalign_error_rows", arg = "calibration")
  }
  kept$null[at]
}

draw_identity <- function(key, numbers) {
  # + 0: there is one zero
  exact <- lapply(unname(numbers), function(values) sprintf("%a", as.double(values) + 0))
  do.call(paste, c(list(key), exact, sep = "\r"))
}

# Draws that belong to rows of `calibration`.
draws_within <- function(calibration, draws) {
  columns <- intersect(names(draws$numbers), names(calibration))
  wanted <- draw_identity(row_names_of(calibration), unclass(calibration)[columns])
  draws_at(draws, draw_identity(draws$key, draws$numbers[columns]) %in% wanted)
}

draws_at <- function(draws, at) {
  list(key = draws$key[at], null = draws$null[at],
       numbers = lapply(draws$numbers, function(values) values[at]))
}

# The same draws brought twice, as by binding parts of one result, count once.
bound_draws <- function(draws) {
  if (all(vapply(draws, identical, NA, draws[[1]]))) return(draws[[1]])
  key <- unlist(lapply(draws, function(d) d$key))
  null <- unlist(lapply(draws, function(d) d$null), recursive = FALSE)
  columns <- Reduce(intersect, lapply(draws, function(d) names(d$numbers)))
  numbers <- lapply(stats::setNames(columns, columns), function(column) {
    unlist(lapply(draws, function(d) d$numbers[[column]]))
  })
  identity <- draw_identity(key, numbers)
  first <- match(identity, identity)
  again <- which(first != seq_along(first))
  same <- vapply(again, function(i) identical(null[[i]], null[[first[i]]]), NA)
  draws_at(list(key = key, null = null, numbers = numbers), setdiff(seq_along(key), again[same]))
}

# What was asked of calibrate(). Operations that make a new data frame may lose it.
settings_of <- function(calibration) {
  settings <- attr(calibration, "settings")
  if (is.null(settings)) {
    abort("This calibration has lost what is kept beside its rows (its null scores, `alpha` and ",
          "`variant`): start again from what calibrate() returned, or use as.data.frame() of it.",
          class = "repalign_error_type", arg = "calibration")
  }
  settings
}

bound_calibrations <- function(kept, all_of) {
  for (part in kept) settings_of(structure(list(), settings = part$settings))
  settings <- lapply(kept, function(part) part$settings)
  check_same_settings(settings)
  list(draws = bound_draws(all_of("draws")), settings = settings[[1]],
       grid = bound_grid(all_of("grid")))
}

# A column must mean one thing in all of its rows.
check_same_settings <- function(settings) {
  meaning <- c(alpha = "`threshold` and `calibrated`", variant = "`calibrated`",
               aggregate = "`score`", p_adjust = "`p_adjusted`")
  if (length(unique(lapply(settings, function(s) s$own))) > 1) {
    abort("Calibrations with different functions in `aggregate` cannot be put into one table, ",
          "because `score` would mean different things: bind as.data.frame() of each.",
          class = "repalign_error_value", arg = "aggregate")
  }
  for (name in names(meaning)) {
    values <- unique(lapply(settings, function(s) if (is.null(s[[name]])) "none" else s[[name]]))
    if (length(values) < 2) next
    abort("Calibrations with different `", name, "` (", values[[1]], " and ", values[[2]],
          ") cannot be put into one table, because ", meaning[[name]], " would mean different ",
          "things. Use the same `", name, "`, or bind as.data.frame() of each.",
          class = "repalign_error_value", arg = name)
  }
}

bound_grid <- function(grids) {
  symmetric <- unlist(lapply(grids, function(grid) grid$symmetric))
  list(within = all(vapply(grids, function(grid) isTRUE(grid$within), NA)),
       symmetric = vapply(split_by_name(symmetric), all, NA),
       aggregate = all(vapply(grids, function(grid) isTRUE(grid$aggregate), NA)),
       direction = common_by_name(unlist(lapply(grids, function(grid) grid$direction))),
       best = common_by_name(unlist(lapply(grids, function(grid) grid$best))))
}

# The value of each name; NA where there are different ones.
common_by_name <- function(values) {
  found <- values[!duplicated(names(values))]
  unlike <- vapply(names(found), function(name) {
    length(unique(values[names(values) == name])) > 1
  }, NA)
  found[unlike] <- NA
  found
}

#' @rdname tidy.repalign
#' @export
print.repalign_calibration <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  settings <- attr(x, "settings")
  p <- judged_p(x)
  cat("Calibration against chance: ", count_of(nrow(x), "row"),
      if (!is.null(p) && !is.null(settings)) {
        paste0(", ", sum(p <= settings$alpha, na.rm = TRUE), " significant")
      }, undefined_of(p), "\n", sep = "")
  if (!is.null(settings)) {
    writeLines(strwrap(settings_words(settings, unique(x$engine)), exdent = 2))
  }
  print_rows(x, digits, n)
  invisible(x)
}

settings_words <- function(settings, engines) {
  paste(c(
    if (!is.null(settings$aggregate)) paste("aggregate =", settings$aggregate),
    paste("alpha =", format(settings$alpha)), paste("variant =", settings$variant),
    if (!identical(settings$p_adjust, "none")) paste("p_adjust =", settings$p_adjust),
    if (length(engines)) paste("engine =", paste(engines, collapse = ", "))
  ), collapse = ", ")
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_calibration <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("measure", "score", "p_value"), "tidied")
  new <- c(measure = "term", score = "estimate", p_value = "p.value",
           p_adjusted = "adj.p.value")
  at <- match(names(new), names(plain))
  names(plain)[at[!is.na(at)]] <- new[!is.na(at)]
  plain
}

# The p-value that alpha is compared with.
judged_p <- function(rows) if (is.null(rows$p_adjusted)) rows$p_value else rows$p_adjusted

#' @rdname tidy.repalign
#' @export
glance.repalign_calibration <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("x", "y", "measure", "p_value", "permutations"),
                        "summarised")
  alpha <- settings_of(x)$alpha
  glance_rows(plain, source_columns(x), function(at) {
    part <- plain[at, , drop = FALSE]
    data.frame(rows = nrow(part), measures = length(unique(part$measure)), alpha = alpha,
               significant = sum(judged_p(part) <= alpha, na.rm = TRUE),
               permutations = if (all(is.na(part$permutations))) NA_integer_ else
                 min(part$permutations, na.rm = TRUE),
               undefined = sum(is.na(part$p_value)))
  })
}

#' @rdname tidy.repalign
#' @export
summary.repalign_calibration <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("measure", "score", "calibrated", "p_value"),
                        "summarised")
  alpha <- settings_of(object)$alpha
  refuse_pooling(object)
  plain$p <- judged_p(plain)
  summary_rows(plain, source_columns(object), function(part) {
    data.frame(rows = nrow(part), significant = sum(part$p <= alpha, na.rm = TRUE),
               median_score = stats::median(part$score, na.rm = TRUE),
               median_calibrated = stats::median(part$calibrated, na.rm = TRUE),
               max_calibrated = if (all(is.na(part$calibrated))) NA_real_ else
                 max(part$calibrated, na.rm = TRUE),
               undefined = sum(is.na(part$p_value)))
  })
}
