# What a valid calibration is: its numbers follow from its null scores, and its scores are those
# of similarity().

calibration_columns <- c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "permutations", "engine")

check_calibration_result <- function(drawn, value, outcome, seed) {
  if (!inherits(value, "repalign_calibration")) return("no repalign_calibration")
  set <- as_labelled(measures_of(drawn), value)
  columns <- c(if (drawn$sides$shape == "models") c("model_x", "model_y"), calibration_columns,
               if (!drawn$args$p_adjust %in% "none" && !is.null(drawn$args$p_adjust)) "p_adjusted")
  undefined <- anyNA(value$p_value) || anyNA(value$calibrated)
  own <- is.language(drawn$args$aggregate)
  c(problem(!identical(names(value), columns), "other columns than are promised"),
    check_finite_columns(value),
    check_undefined_warning(undefined, outcome),
    problem(any(value$p_value <= 0 | value$p_value > 1, na.rm = TRUE), "p-value not in (0, 1]"),
    check_engine(drawn, value),
    if (!own) check_ranges(value, set),
    # similarity() leaves out no stimuli for measures without clusters, nor for linear shifts
    if (seed %% 2 == 0 && !anyNA(drawn$args$clusters) && !"linear" %in% drawn$args$series) {
      check_scores(drawn, value, set, seed)
    },
    check_draws(drawn, value, set),
    if (seed %% 6 == 0) check_methods(value, result_methods),
    if (seed %% 500 == 0) check_methods(value, plots),
    check_repeated(drawn, value, seed),
    check_given(drawn, value, outcome, set, seed))
}

plots <- list(autoplot = function(x) {
  if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(x)
})

# The engine that is named, and the number of permutations that goes with it.
check_engine <- function(drawn, value) {
  # how many stimuli `na` has left is not known here
  counted <- !"missing" %in% drawn$sides$facts$quirks
  wrong <- vapply(seq_len(nrow(value)), function(i) {
    wrong_count(value$engine[i], value$permutations[i], drawn$args, drawn$sides$facts$n)
  }, NA)
  c(problem(!all(value$engine %in% expected_engines(drawn$args)),
            "another engine than was asked for"),
    problem(counted && any(wrong), "a wrong number of permutations"))
}

expected_engines <- function(args) {
  if (identical(args$engine, "moments")) return("moments")
  if (!is.null(args$blocks)) return("blocks")
  if (!is.null(args$clusters)) return("clusters")
  if (identical(args$series, "linear")) return("linear")
  if (!is.null(args$series)) return("series")
  if (!is.numeric(args$permutations) || is.matrix(args$permutations)) return("given")
  if (is.null(args$engine) || args$engine == "auto") return(c("coset", "random", "exact"))
  args$engine
}

wrong_count <- function(engine, count, args, n) {
  switch(engine,
    moments = !is.na(count), series = count != n - 1,
    linear = count != 2 * min(floor(n / 4), max(1, ceiling(args$permutations / 2))),
    exact = count != factorial(n) - 1,
    random = count != args$permutations,
    # whole cosets, or as many of their permutations as were asked for
    coset = count != args$permutations &&
      ((count + 1) %% n != 0 || count < args$permutations || count > 2 * args$permutations),
    given = is.matrix(args$permutations) && count != nrow(args$permutations),
    blocks = , clusters = count > args$permutations)
}

# Rows of two results of the same call, put side by side.
row_keys <- function(rows) {
  columns <- intersect(c("model_x", "x", "model_y", "y", "measure"), names(rows))
  do.call(paste, c(unname(as.list(as.data.frame(rows)[columns])), sep = "\r"))
}

# The same seed draws the same order of tied neighbours in both functions.
check_scores <- function(drawn, value, set, seed) {
  args <- drawn$args[intersect(names(drawn$args), names(formals(similarity)))]
  plain <- evaluate(call_of("similarity", args), seed)
  if (is.null(plain$value)) return("similarity() fails where calibrate() does not")
  if (unsettled(plain$value)) return(NULL)
  # clusters of the call leave out pairs of stimuli, which labels say
  if (!is.null(drawn$args$clusters)) {
    value <- as.data.frame(value)[value$measure %in% plain$value$measure, ]
    plain$value <- plain$value[plain$value$measure %in% value$measure, ]
  }
  if (is.null(drawn$args$aggregate)) {
    at <- match(row_keys(value), row_keys(plain$value))
    return(problem(!same_numbers(value$score, plain$value$score[at]),
                   "another score than similarity()"))
  }
  expected <- aggregated_scores(plain$value, set, drawn$args$aggregate)
  # an angle near 0 is the root of what rounding leaves
  tolerance <- if (any(grepl("^angular_cka", value$measure))) 1e-7 else 1e-9
  expected <- expected$score[match(group_keys(value), expected$key)]
  problem(!same_numbers(value$score, expected, tolerance),
          "the aggregate is not that of the scores of similarity()")
}

group_keys <- function(rows) paste(rows$model_x, rows$model_y, rows$measure, sep = "\r")

sign_of <- function(m) if (m$declaration$direction == "distance") -1 else 1

aggregated_scores <- function(rows, set, aggregate) {
  groups <- split(as.data.frame(rows), factor(group_keys(rows), unique(group_keys(rows))))
  score <- vapply(groups, function(group) {
    if (anyNA(group$score)) return(NA_real_)
    sign <- sign_of(set[[group$measure[1]]])
    grid <- tapply(sign * group$score, list(factor(group$x, unique(group$x)),
                                            factor(group$y, unique(group$y))), sum)
    sign * aggregate_grid(grid, aggregate)
  }, 0)
  list(key = names(groups), score = unname(score))
}

aggregate_grid <- function(grid, aggregate) {
  if (is.language(aggregate)) return(eval(aggregate, globalenv())(grid))
  switch(aggregate, max = max(grid), mean = mean(grid), row_max = mean(apply(grid, 1, max)),
         col_max = mean(apply(grid, 2, max)))
}

# The row's numbers by their definitions, from its null scores.
check_draws <- function(drawn, value, set) {
  if (identical(drawn$args$engine, "moments")) return(check_no_draws(value))
  null <- null_scores(value)
  if (ncol(null) != nrow(value)) return("null_scores() has another number of columns than rows")
  unlist(lapply(seq_len(nrow(value)), function(i) {
    draws <- unname(null[seq_len(value$permutations[i]), i])
    m <- set[[value$measure[i]]]
    c(problem(any(is.nan(draws) | is.infinite(draws)), "NaN or infinite null scores of ", m$id),
      problem(is.na(value$p_value[i]) != (is.na(value$score[i]) || anyNA(draws)),
              "NA does not follow from the null scores"),
      if (!is.language(drawn$args$aggregate)) {
        check_within(draws, range_of_measure(m), paste("null score of", m$id))
      },
      if (!is.na(value$p_value[i])) check_numbers(value[i, ], draws, m, drawn$args))
  }))
}

check_no_draws <- function(value) {
  outcome <- evaluate(bquote(null_scores(.(value))), 1)
  problem(!inherits(outcome$error, "repalign_error_null"), "null scores of moments")
}

check_numbers <- function(row, draws, m, args) {
  sign <- sign_of(m)
  s <- sign * row$score
  null <- sign * draws
  all <- sort(c(s, null))
  alpha <- if (is.null(args$alpha)) 0.05 else args$alpha
  # scores without bounds may have the units of the data
  unit <- if (all(is.finite(range_of_measure(m)))) 1 else max(abs(c(s, null, .Machine$double.xmin)))
  sd <- if (length(null) > 1) stats::sd(draws / unit) else NA_real_
  threshold <- all[ceiling((1 - alpha) * length(all) - 1e-9)]
  c(problem(!fits_p_value(row$p_value, s, null), "the p-value of ", m$id,
            " does not follow from the null scores"),
    problem(!same_numbers(sign * row$threshold / unit, threshold / unit),
            "the threshold does not follow from the null scores"),
    problem(!same_numbers(row$null_mean / unit, mean(draws / unit)) ||
              !same_numbers(row$null_sd / unit, sd),
            "mean or standard deviation do not follow from the null scores"),
    check_calibrated(row, sign, m, args))
}

# Exactly, by the null scores (one that is the observed score but for rounding is set to it). Only
# where all of them are one number but for rounding can they not tell what is compared: distances
# between representations in very different units are, while the inner products that the p-value
# comes from differ.
fits_p_value <- function(p, s, null) {
  if (max(s, null) - min(s, null) <= 1e-9 * max(abs(s), abs(null))) return(p > 0 && p <= 1)
  same_numbers(p, (1 + sum(null >= s)) / (length(null) + 1))
}

is_top_k <- function(code) identical(as.character(code)[1], "top_k_mean")

check_calibrated <- function(row, sign, m, args) {
  variant <- if (is.null(args$variant)) "gated" else args$variant
  # what bounds the scores; nothing bounds the aggregates of a function of the user's own
  best <- if (is.language(args$aggregate) && !is_top_k(args$aggregate)) NA_real_ else
    sign * repalign:::limit_of(m)
  above <- sign * (row$score - row$null_mean)
  gate <- sign * (row$score - row$threshold)
  room <- best - sign * c(row$threshold, row$null_mean)
  expected <- switch(variant,
    gated = if (is.na(best)) max(gate, 0) else if (room[1] > 0) max(gate / room[1], 0) else 0,
    centered = above,
    z = if (isTRUE(row$null_sd == 0)) 0 else above / row$null_sd,
    ari = if (is.na(best)) NA_real_ else if (room[2] > 0) above / room[2] else 0
  )
  problem(!same_numbers(row$calibrated, expected, 1e-6), "`calibrated` (", variant,
          ") does not follow from the row")
}

# A permutation that is given: its null score is the score of the relabelled rows.
check_given <- function(drawn, value, outcome, set, seed) {
  permutations <- drawn$args$permutations
  random <- warned_of(outcome, c("repalign_ties", "repalign_not_unique")) ||
    "" %in% drawn$ids || by_chance(set)
  usable <- is.matrix(permutations) && drawn$sides$shape == "pair" && !anyNA(value$score) &&
    !"missing" %in% drawn$sides$facts$quirks
  if (!usable || random) return(NULL)
  k <- nrow(permutations)
  x <- without_names(drawn$sides$x, seq_len(ncol(permutations)))
  y <- without_names(drawn$sides$y, permutations[k, ])
  plain <- evaluate(bquote(similarity(.(x), .(y), .(drawn$args$measure))), seed)
  if (is.null(plain$value)) return("similarity() of permuted rows fails")
  unique_value <- !warned_of(plain, c("repalign_ties", "repalign_not_unique")) &&
    !unsettled(plain$value)
  null <- unname(null_scores(value)[k, ])
  expected <- plain$value$score
  if (!is.null(drawn$args$aggregate)) {
    expected <- aggregated_scores(plain$value, set, drawn$args$aggregate)$score
  }
  # denominators of rounding size; and distances are roots of what permutations are compared by
  share <- if (warned_of(outcome, "repalign_unstable")) 1e-4 else 1e-7
  near <- same_numbers(null, expected, share) || same_numbers(null^2, expected^2, 1e-8)
  problem(unique_value && !near,
          "a null score is not the score of permuted rows: ", paste(drawn$ids, collapse = ", "))
}

# Rows in another order, with no names.
without_names <- function(x, order) {
  if (inherits(x, "dist")) {
    whole <- as.matrix(x)[order, order]
    # bures() squares distances that dist() made
    return(structure(stats::as.dist(unname(whole)), method = attr(x, "method")))
  }
  if (is.list(x) && !is.data.frame(x)) {
    x$idx[] <- order(order)[x$idx]
    return(list(idx = x$idx[order, , drop = FALSE], dist = x$dist[order, , drop = FALSE]))
  }
  unname(as.matrix(x))[order, , drop = FALSE]
}
