# What a valid result is. Every check returns the texts of what is wrong, none if nothing is.

problem <- function(wrong, ...) if (isTRUE(wrong)) paste0(...)

# Numbers are equal but for rounding; both may be NA.
same_numbers <- function(a, b, tolerance = 1e-10) {
  length(a) == length(b) && all(is.na(a) == is.na(b)) &&
    all(abs(a - b) <= tolerance * pmax(1, abs(a)), na.rm = TRUE)
}

# A corrected CKA far from 1 has denominators that are all but zero, which are rounding for a large
# part: the routes to it, by stimuli or by neurons, then agree in few digits. So do angles of almost
# 0, which are roots of rounding.
unsettled <- function(rows) {
  any(grepl("^cka", rows$measure) & abs(rows$score) > 100 |
        grepl("^angular_cka", rows$measure) & rows$score < 1e-6, na.rm = TRUE)
}

findings_of <- function(drawn, outcome, seed) {
  failure <- drawn$failure
  if (!is.null(failure)) return(paste("no call could be drawn:", conditionMessage(failure)))
  c(foreign_conditions(outcome), if (is.null(outcome$error)) check_call(drawn, outcome, seed))
}

check_call <- function(drawn, outcome, seed) {
  value <- outcome$value
  if (isTRUE(drawn$recording)) return(check_recording(drawn, value, outcome))
  if (isTRUE(drawn$responses)) return(check_with_responses(drawn, outcome))
  if (isTRUE(drawn$rdms)) return(check_rdm_result(drawn, value, outcome))
  if (isTRUE(drawn$conclusion)) return(check_conclusion(drawn, value, outcome))
  if (isTRUE(drawn$analysis)) return(check_analysis_result(drawn, value, outcome))
  switch(drawn$fun,
    calibrate = check_calibration_result(drawn, value, outcome, seed),
    similarity = check_similarity_result(drawn, value, outcome, seed),
    `a measure` = check_score(drawn, value, outcome, seed),
    held_out = check_held_out(value, outcome),
    consensus = check_consensus(drawn, value, outcome),
    hsic = c(check_one_number(value, outcome), problem(is.na(value), "hsic() is NA")),
    cka_interval = check_interval_result(drawn, value, outcome),
    searchlight = check_searchlight(drawn, value, outcome),
    test_maps = check_map_test(drawn, value, outcome),
    evaluate_rdms = check_evaluation(drawn, value, outcome)
  )
}

check_one_number <- function(value, outcome) {
  if (!is.double(value) || length(value) != 1) return("the score is not one number")
  c(problem(is.nan(value), "the score is NaN"),
    problem(is.infinite(value), "the score is infinite"))
}

# No column has NaN or an infinite value, but for the degrees of freedom of normal intervals.
check_finite_columns <- function(rows, columns = names(rows)) {
  unlist(lapply(columns, function(name) {
    column <- rows[[name]]
    if (!is.numeric(column)) return(NULL)
    c(problem(any(is.nan(column)), "NaN in ", name),
      problem(name != "df" && any(is.infinite(column)), "an infinite value in ", name))
  }))
}

# Undefined values and the warning that tells of them come together.
check_undefined_warning <- function(undefined, outcome, also = "repalign_undefined") {
  warned <- warned_of(outcome, also)
  c(problem(undefined && !warned, "NA without a warning of class repalign_undefined"),
    problem(!undefined && warned, "a warning of undefined values, but no NA"))
}

check_within <- function(scores, range, what) {
  scores <- scores[!is.na(scores)]
  excess <- max(range[1] - scores, scores - range[2], 0)
  problem(excess > 0, what, if (excess < 1e-8) " beyond its range by rounding"
          else " outside of its range")
}

# The labelled measures of a call, as the functions themselves read the argument.
measures_of <- function(drawn) {
  set <- suppressWarnings(repalign:::as_measures(eval(drawn$args$measure, globalenv())))
  stats::setNames(set, vapply(set, function(m) m$label, ""))
}

# Labels also tell what the data and the call add to a measure: rows have the measures in their order.
as_labelled <- function(set, value) {
  labels <- unique(as.character(value$measure))
  if (length(labels) == length(set)) stats::setNames(set, labels) else set
}

range_of_measure <- function(m) repalign:::range_of(m$declaration, m$args)

check_ranges <- function(rows, set) {
  unlist(lapply(names(set), function(label) {
    check_within(rows$score[rows$measure == label], range_of_measure(set[[label]]),
                 paste("score of", set[[label]]$id))
  }))
}

# The functions that take a result do so. What they print is dropped.
check_methods <- function(value, methods) {
  unlist(lapply(names(methods), function(name) {
    outcome <- evaluate(bquote(utils::capture.output(.(methods[[name]])(.(value)))), 1)
    text <- foreign_conditions(outcome)
    if (is.null(text) && !is.null(outcome$error)) text <- conditionMessage(outcome$error)
    if (length(text)) paste0(name, "() of the result: ", text[1])
  }))
}

result_methods <- list(print = print, summary = summary, tidy = tidy, glance = glance,
                       in_words = in_words,
                       as.data.frame = as.data.frame, `[` = function(x) print(x[nrow(x):1, ]))

check_similarity_result <- function(drawn, value, outcome, seed) {
  set <- as_labelled(measures_of(drawn), value)
  if (!inherits(value, "repalign_similarity")) return("no repalign_similarity")
  models <- if (drawn$sides$shape == "models") c("model_x", "model_y")
  pairwise <- any(vapply(set, repalign:::takes_gaps, NA))
  columns <- c(models, "x", "y", "measure", "score", "n", if (pairwise) "pairs")
  c(problem(!identical(names(value), columns), "other columns than are promised"),
    problem(nrow(value) %% length(set) != 0 || nrow(value) == 0, "a wrong number of rows"),
    check_finite_columns(value),
    check_undefined_warning(anyNA(value$score), outcome,
                            c("repalign_undefined", "repalign_failed")),
    check_ranges(value, set),
    if (seed %% 3 == 0) check_similarity_methods(value, names(set)),
    check_repeated(drawn, value, seed))
}

check_held_out <- function(value, outcome) {
  if (!inherits(value, "repalign_similarity")) return("no repalign_similarity")
  columns <- c("x", "y", "measure", "score", "in_sample", "sd_folds", "folds", "n", "p_value")
  c(problem(!all(columns %in% names(value)), "other columns than are promised"),
    problem(nrow(value) == 0, "no rows"), check_finite_columns(value),
    problem(any(value$p_value <= 0 | value$p_value > 1, na.rm = TRUE), "a p_value beyond 0 to 1"),
    check_methods(value, result_methods))
}

check_consensus <- function(drawn, value, outcome) {
  if (!inherits(value, "repalign_consensus")) return("no repalign_consensus")
  c(problem(nrow(value) != length(drawn$args$x) + length(drawn$args$models) + 1,
            "a wrong number of rows"),
    check_finite_columns(value),
    check_undefined_warning(anyNA(value$se), outcome, "repalign_undefined"),
    problem(any(abs(value$score) > 1 + 1e-9, na.rm = TRUE), "a cosine beyond -1 to 1"),
    check_methods(value, result_methods))
}

check_similarity_methods <- function(value, labels) {
  grids <- lapply(labels, function(label) function(x) score_matrix(x, label))
  check_methods(value, c(result_methods, stats::setNames(grids, paste("score_matrix", labels))))
}

# The same seed gives the same bits, with any number of threads.
check_repeated <- function(drawn, value, seed) {
  if (seed %% 8 != 1) return(NULL)
  call <- drawn$call
  call$threads <- seed %% 3 + 1
  again <- evaluate(call, seed)$value
  problem(!identical(again, value), "another result with ", call$threads, " threads")
}

# A measure's function: as similarity() has it, and the same with the sides exchanged.
check_score <- function(drawn, value, outcome, seed) {
  numbers <- check_one_number(value, outcome)
  if (length(numbers)) return(numbers)
  m <- suppressWarnings(do.call(measure, c(drawn$id, drawn$parameters)))
  call <- bquote(similarity(.(drawn$sides$x), .(drawn$sides$y), .(m)))
  grid <- evaluate(call, seed)$value
  c(check_undefined_warning(is.na(value), outcome),
    check_within(value, range_of_measure(m), paste("score of", drawn$id)),
    problem(!unsettled(grid) && !same_numbers(value, grid$score), "another score in similarity()"),
    check_exchanged(drawn, m, value, outcome, seed))
}

# Do measures of a list make random choices of which no warning tells?
by_chance <- function(set) {
  any(vapply(set, function(m) {
    m$id == "rtd" || repalign:::takes_orders(m$declaration, m$args)
  }, NA))
}

# Where nothing is drawn or chosen at random.
check_exchanged <- function(drawn, m, value, outcome, seed) {
  unique_value <- !warned_of(outcome, c("repalign_ties", "repalign_not_unique")) &&
    !by_chance(list(m))
  settled <- drawn$id != "cka" || !isTRUE(abs(value) > 100)
  if (!isTRUE(repalign:::is_symmetric(m)) || !unique_value || !settled) return(NULL)
  call <- call_of(drawn$id, c(list(drawn$sides$y, drawn$sides$x), drawn$parameters))
  exchanged <- evaluate(call, seed)$value
  problem(!same_numbers(value, exchanged, 1e-7), "not symmetric: ", drawn$id)
}

check_interval_result <- function(drawn, value, outcome) {
  wanted <- drawn$args$estimator
  defined <- value[!is.na(value$conf_low), ]
  c(problem(!identical(value$estimator, wanted), "other estimators than were asked for"),
    check_finite_columns(value),
    problem(any(defined$se < 0), "a negative standard error"),
    problem(any(defined$conf_low > defined$cka | defined$conf_high < defined$cka),
            "an interval without its estimate"),
    problem(anyNA(value$se) && !length(outcome$warnings), "NA without a warning"),
    check_methods(value, list(print = print)))
}

check_analysis_result <- function(drawn, value, outcome) {
  if (!inherits(value, "repalign_analysis")) return("no repalign_analysis")
  defined <- value[!is.na(value$conf_low), ]
  intervals <- !("conf_level" %in% names(drawn$args) && is.null(drawn$args$conf_level))
  missing <- anyNA(value$pooled) || intervals && anyNA(value$pooled_se)
  c(check_finite_columns(as.data.frame(value)),
    problem(!nrow(value), "no rows"),
    problem(any(defined$conf_low > defined$pooled | defined$conf_high < defined$pooled),
            "an interval without its estimate"),
    problem(any(value$undefined > value$n_estimates), "more undefined values than there are"),
    problem(missing && !warned_of(outcome, "repalign_undefined"), "NA without a warning"),
    check_methods(value, result_methods))
}

# P-values of places and clusters, and what is left out.
check_map_test <- function(drawn, value, outcome) {
  if (!inherits(value, "repalign_map_test")) return("no repalign_map_test")
  p <- c(value$p_value, value$p_familywise, value$p_cluster)
  largest <- drawn$args$correction == "max"
  c(problem(nrow(value) != ncol(drawn$args$maps), "another number of rows"),
    check_undefined_warning(anyNA(value$statistic), outcome),
    problem(any(p <= 0 | p > 1, na.rm = TRUE), "a p-value outside of (0, 1]"),
    problem(any(is.infinite(value$statistic)), "an infinite statistic"),
    problem(largest && any(value$p_familywise < value$p_value - 1e-12, na.rm = TRUE),
            "a family-wise p-value below that of the place"),
    check_methods(value, list(print = print, summary = summary, tidy = tidy, words = in_words,
                              `[` = function(x) print(x[1, ]))))
}

# Family-wise p-values are not below those of single centers; a center is undefined for all models.
check_searchlight <- function(drawn, value, outcome) {
  if (!inherits(value, "repalign_searchlight")) return("no repalign_searchlight")
  columns <- c("center", "model", "score", "p_value", "p_familywise", "center_mean", "center_sd")
  permuted <- !is.null(drawn$args$permutations)
  undefined <- is.na(value$score) | permuted & is.na(value$p_value)
  p <- c(value$p_value, value$p_familywise)
  c(problem(!identical(names(value), columns), "other columns than are promised"),
    problem(nrow(value) != length(unique(value$center)) * length(unique(value$model)),
            "another number of rows"),
    check_finite_columns(value, columns[3:5]),
    check_undefined_warning(any(undefined), outcome),
    check_ranges(cbind(as.data.frame(value), measure = names(measures_of(drawn))),
                 measures_of(drawn)),
    problem(any(p <= 0 | p > 1, na.rm = TRUE), "a p-value outside of (0, 1]"),
    problem(any(value$p_familywise < value$p_value - 1e-12, na.rm = TRUE),
            "a family-wise p-value below that of the center"),
    problem(permuted && any(is.na(value$p_value) != is.na(value$p_familywise)),
            "only one of the p-values is NA"),
    check_methods(value, list(print = print, summary = summary, tidy = tidy,
                              `[` = function(x) print(x[1, ]))),
    check_center(drawn, value, outcome))
}

# The score of the first center is that of similarity().
check_center <- function(drawn, value, outcome) {
  args <- drawn$args
  if (!is.null(args$run) || !is.null(args$condition) || !is.null(args$noise)) return(NULL)
  set <- measures_of(drawn)
  random <- warned_of(outcome, c("repalign_ties", "repalign_not_unique", "repalign_unstable")) ||
    by_chance(set)
  center <- args$data[, args$neighbours[[1]], drop = FALSE]
  if (!is.null(rownames(center))) rownames(center) <- rownames(args$data)
  sides <- list(center, args$models)
  if (set[[1]]$id == "riemann") sides <- rev(sides) # the model comes first
  plain <- evaluate(call_of("similarity", c(sides, list(args$measure))), 1)
  first <- value$score[value$center == value$center[1]]
  if (random || is.null(plain$value)) {
    return(problem(is.null(plain$value) && !all(is.na(first)), "similarity() refuses a center"))
  }
  near <- same_numbers(first, plain$value$score, 1e-7) ||
    same_numbers(first^2, plain$value$score^2, 1e-8)
  problem(!near, "the score of a center is not that of similarity()")
}
