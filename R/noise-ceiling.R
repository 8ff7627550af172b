# noise_ceiling() says which score a perfect model could reach, given the noise of the trials.

ceiling_columns <- c("h_cross", "h_self", "reliability", "ceiling", "score", "disattenuated", "gap")

#' Noise ceilings of scores from trials
#'
#' @export
noise_ceiling <- function(trials, y = NULL, measure = NULL, splits = 20) {
  need_arguments()
  set <- lapply(ceiling_measures(measure), ceiling_measure)
  splits <- check_count(splits, "splits")
  task <- ceiling_task(trials)
  others <- ceiling_others(y, task)
  rows <- list()
  for (measure in set) {
    for (at in seq_along(others$reprs)) {
      rows <- c(rows, list(ceiling_row(task, others$reprs[[at]], measure, splits)))
    }
  }
  keys <- data.frame(y = rep(others$names, length(set)),
                     measure = rep(vapply(set, function(m) m$label, ""), each = length(others$names)))
  ceiling_result(rows, keys, task)
}

ceiling_measures <- function(measure) {
  as_measures(if (is.null(measure)) measure("cka", estimator = "stimulus_neuron") else measure)
}

# A measure with the way to its ceiling: "cka", "rsa" or "halves".
ceiling_measure <- function(measure) {
  args <- measure$args
  id <- if (is_own(measure)) "" else measure$id
  measure$way <- "halves"
  if (id == "cka") {
    measure <- ceiling_estimator(measure)
    args <- measure$args
    if (args$kernel == "linear" && args$estimator != "naive") measure$way <- "cka"
  }
  if (id == "rsa" && args$inner == "sqeuclidean" && args$outer == "pearson") measure$way <- "rsa"
  if (measure$way == "halves") check_split_measure(measure)
  if (!is.null(args$clusters)) {
    abort("`measure` has `clusters`: declare them in `cluster` of responses(), for the trials.",
          class = "repalign_error_choice", arg = "measure")
  }
  measure
}

ceiling_estimator <- function(measure) {
  args <- measure$args
  if (isTRUE(args$default_estimator)) {
    args$estimator <- if (args$kernel == "linear") "stimulus_neuron" else "stimulus"
    args$default_estimator <- FALSE
    if (measure$label == measure$id) measure$label <- paste0("cka(", args$estimator, ")")
  }
  if (corrects_trials(args$estimator)) {
    abort("estimator = ", dQuote(args$estimator, FALSE), " is free of the noise of trials, and its ",
          "ceiling is 1: use ", dQuote(sub("_trial", "", args$estimator), FALSE), ", whose ",
          "disattenuated score is the same.", class = "repalign_error_choice", arg = "measure")
  }
  if (isTRUE(args$shared_neurons) || !is.null(args$units_x)) {
    abort("`measure` has labels of neurons: declare them in `neuron` of responses().",
          class = "repalign_error_choice", arg = "measure")
  }
  measure$args <- args
  measure
}

# The trials (x), their means, codes of clusters and the number of stimuli that are deleted.
ceiling_task <- function(trials) {
  if (!is_responses(trials)) {
    if (!is.array(trials) || length(dim(trials)) != 3) {
      abort("`trials` must be an array stimuli x neurons x trials, or what responses() makes, not ",
            describe(trials), ".", class = "repalign_error_type", arg = "trials")
    }
    trials <- with_arg("trials", responses(trials))
  }
  x <- ceiling_repr(trials, "trials")
  if (!has_trials(x)) {
    abort("`trials` has one trial of each stimulus: without a second one, noise and signal cannot ",
          "be told apart.", class = "repalign_error_trials", arg = "trials")
  }
  kept <- TRUE
  codes <- x$responses$cluster
  codes <- if (!is.null(codes)) cluster_codes(codes)
  if (anyNA(codes)) {
    kept <- !is.na(codes)
    x <- ceiling_repr(cut_responses(trials, kept), "trials")
    codes <- labelled_codes(codes)
  }
  check_rows(x$n, 5, "trials", "a jackknife")
  check_clusters(codes, x$n, "trials", 5, "a jackknife")
  list(x = x, mean = mean_of_trials(x), codes = codes, kept = kept,
       n = if (is.null(codes)) x$n else cluster_count(codes), stimuli = dim(trials)[1])
}

# Messages about the responses name the argument of the call.
with_arg <- function(arg, code) {
  tryCatch(code, repalign_error = function(e) {
    e$message <- gsub("`x`", paste0("`", arg, "`"), e$message, fixed = TRUE)
    if (!is.null(e$arg)) e$arg <- arg
    stop(e)
  })
}

ceiling_repr <- function(x, arg) {
  refuse_partial_trials(x, arg)
  representation(x, arg)
}

# A trial that only some neurons have cannot be part of a mean over all neurons.
refuse_partial_trials <- function(x, arg) {
  values <- unclass(x)$values
  there <- aperm(!is.na(values), c(1, 3, 2))
  count <- rowSums(there, dims = 2)
  partial <- which(count > 0 & count < dim(values)[2], arr.ind = TRUE)
  if (nrow(partial)) {
    name <- dimnames(values)[[3]][partial[1, 2]]
    abort("`", arg, "` lacks some neurons in ", count_of(nrow(partial), "trial"), ", first in trial ",
          if (is.null(name)) partial[1, 2] else dQuote(name, FALSE), " of ",
          stimulus_title(values, partial[1, 1]), ": set such trials to NA for all neurons, or leave ",
          "out the neurons.", class = "repalign_error_nonfinite", arg = arg)
  }
  none <- which(rowSums(count) == 0)
  if (!length(none)) return(invisible())
  abort("`", arg, "` has no trial of ", count_of_stimuli(length(none)), ", first of ",
        stimulus_title(values, none[1]), ": leave out stimuli without responses.",
        class = "repalign_error_nonfinite", arg = arg)
}

# list(reprs, names): what the trials are compared with; a single NULL where there is nothing.
ceiling_others <- function(y, task) {
  if (is.null(y)) return(list(reprs = list(NULL), names = NA_character_))
  several <- is_collection(y)
  names <- if (several) check_element_names(y, "y") else "y"
  args <- if (several) paste0("y$", names) else "y"
  given <- if (several) unname(y) else list(y)
  reprs <- Map(function(one, arg) {
    if (is_responses(one)) refuse_partial_trials(one, arg)
    repr <- representation(one, arg, side = "y")
    if (repr$n == task$stimuli && task$stimuli > task$x$n) {
      repr <- cut_representation(repr, task$kept, TRUE)
      repr$cache <- new_cache()
    }
    check_same_rows(task$x$data, repr$data, "trials", arg)
    repr
  }, given, args)
  list(reprs = unname(reprs), names = names)
}

ceiling_row <- function(task, y, measure, splits) {
  if (!is.null(y)) need_kind(y, accepted_by_way(measure), dQuote(measure$label, FALSE))
  if (measure$way == "halves") {
    refuse_clusters_without_form(task, measure)
    return(list(halves = split_ceiling(task, y, measure, splits)))
  }
  if (measure$way == "rsa") refuse_clusters_without_form(task, measure)
  tables <- if (measure$way == "cka") cka_ceiling_tables(task, y, measure$args) else
    rsa_ceiling_tables(task, y, measure$args)
  c(list(values = ceiling_values(tables$terms)), tables)
}

accepted_by_way <- function(measure) {
  switch(measure$way, cka = "data", rsa = c("data", "dist"), halves = c("data", "dist", "graph"))
}

refuse_clusters_without_form <- function(task, measure) {
  if (is.null(task$codes)) return(invisible())
  abort("The ceiling of ", dQuote(measure$label, FALSE), " cannot go by clusters of stimuli, only ",
        "that of \"cka\" with a linear kernel can: leave out `cluster` of responses().",
        class = "repalign_error_choice", arg = "measure")
}

# What is reported, for everything that was deleted.
ceiling_values <- function(h) {
  ratio <- function(a, b) ifelse(b > 0, a / b, NA_real_)
  root <- function(a) suppressWarnings(ifelse(a > 0, sqrt(a), NA_real_))
  reliability <- ratio(h$xx_trial, h$xx)
  reliability[!is.na(reliability) & reliability <= 0] <- NA
  values <- list(h_cross = h$xx_trial, h_self = h$xx, reliability = reliability,
                 ceiling = root(reliability))
  if (is.null(h$xy)) return(values)
  values$ceiling <- values$ceiling * root(ratio(h$yy_trial, h$yy))
  values$score <- h$xy / root(h$xx) / root(h$yy)
  values$disattenuated <- h$xy_trial / root(h$xx_trial) / root(h$yy_trial)
  values$gap <- values$score - values$ceiling
  values
}

ceiling_result <- function(rows, keys, task) {
  each <- lapply(rows, function(row) if (is.null(row$halves)) exact_row(row) else halves_row(row))
  result <- cbind(keys, do.call(rbind, lapply(each, function(row) row$values)))
  warn_unreliable(result)
  result$n <- task$x$n
  structure(result, class = c("repalign_ceiling", "data.frame"), note = ceiling_notes(rows, keys),
            df = do.call(rbind, lapply(each, function(row) row$df)))
}

# Values with their standard errors, and the degrees of freedom of these.
exact_row <- function(row) {
  loo <- list(n = row$n, layout = row$layout, centered = TRUE)
  columns <- lapply(stats::setNames(ceiling_columns, ceiling_columns), function(name) {
    table <- row$values[[name]]
    if (is.null(table)) return(c(NA_real_, NA_real_, NA_real_))
    variance <- if (is.na(table[1])) NA_real_ else two_way_variance(table, loo)
    c(table[1], sqrt(variance), two_way_df(table, variance, loo))
  })
  for (name in c("h_cross", "h_self")) {
    at <- 1:2
    columns[[name]][at] <- vapply(columns[[name]][at], unscale_or_na, 0, rep(row$scale, 2))
  }
  list(values = value_columns(columns), df = vapply(columns, function(column) column[3], 0))
}

unscale_or_na <- function(value, exponents) {
  if (is.na(value)) NA_real_ else unscale_h(value, exponents)
}

value_columns <- function(columns) {
  values <- unlist(lapply(names(columns), function(name) {
    stats::setNames(columns[[name]][1:2], c(name, paste0(name, "_se")))
  }))
  as.data.frame(as.list(values))
}

halves_row <- function(row) {
  found <- row$halves
  ceiling <- sqrt(found$reliability)
  known <- list(reliability = found$reliability, ceiling = ceiling, score = found$score,
                disattenuated = found$score / ceiling, gap = found$score - ceiling)
  columns <- lapply(stats::setNames(ceiling_columns, ceiling_columns), function(name) {
    c(if (is.null(known[[name]])) NA_real_ else known[[name]], NA_real_, NA_real_)
  })
  list(values = value_columns(columns), df = vapply(columns, function(column) column[3], 0))
}

warn_unreliable <- function(result) {
  lost <- is.na(result$reliability)
  if (any(lost)) {
    warn("The reliability of ", enumerate(unique(result$measure[lost])), " is not positive: from ",
         "these trials, noise and signal cannot be told apart, and there is no ceiling (NA). More ",
         "trials or stimuli are needed.", class = "repalign_undefined")
  }
  errors <- !lost & !is.na(result$h_cross) & is.na(result$ceiling_se)
  if (any(errors)) {
    warn(count_of(sum(errors), "standard error"), " of ceilings ", if (sum(errors) == 1) "is" else
      "are", " undefined (NA): without some stimulus or neuron, a reliability is not positive.",
      class = "repalign_undefined")
  }
}

ceiling_notes <- function(rows, keys) {
  approximate <- !vapply(rows, function(row) is.null(row$halves), NA)
  equal <- vapply(rows, function(row) isTRUE(row$equal_noise), NA)
  c(if (any(approximate)) {
    paste0("Approximate (halves of the trials, formula of Spearman and Brown), without standard ",
           "errors: ", enumerate(unique(keys$measure[approximate])), ".")
  }, if (any(equal)) {
    paste0("Fewer than 4 trials of some stimulus: ", enumerate(unique(keys$measure[equal])),
           " takes the noise of all stimuli as equal.")
  })
}

#' @export
`[.repalign_ceiling` <- function(x, ...) {
  part <- NextMethod()
  if (!is.data.frame(part)) return(part)
  kept <- match(rownames(part), rownames(x))
  structure(part, df = attr(x, "df")[kept, , drop = FALSE], note = attr(x, "note"))
}

#' @export
print.repalign_ceiling <- function(x, digits = 3, ...) {
  check_printing(digits, NULL, ...)
  cat("Noise ceiling: ", count_of(nrow(x), "row"), "\n", sep = "")
  rows <- as.data.frame(x)
  shown <- intersect(c("y", "measure", "reliability", "ceiling", "ceiling_se", "score",
                       "disattenuated", "disattenuated_se", "gap", "gap_se"), names(rows))
  known <- vapply(rows[shown], function(column) !all(is.na(column)), NA)
  print.data.frame(rows[shown[known]], digits = digits, row.names = FALSE)
  hidden <- setdiff(names(rows), shown[known])
  if (length(hidden)) {
    writeLines(strwrap(paste("More columns:", paste(hidden, collapse = ", ")), exdent = 2))
  }
  if (length(attr(x, "note"))) writeLines(strwrap(attr(x, "note"), exdent = 2))
  invisible(x)
}

#' @export
as.data.frame.repalign_ceiling <- function(x, ...) {
  for (name in c("note", "df")) attr(x, name) <- NULL
  class(x) <- "data.frame"
  x
}

#' @rdname noise_ceiling
#' @param object what `noise_ceiling()` returned.
#' @param parm names of columns.
#' @param level coverage of the intervals.
#' @param ... unused.
#' @export
confint.repalign_ceiling <- function(object, parm = "disattenuated", level = 0.95, ...) {
  no_other_arguments(...)
  parm <- check_choice(parm, ceiling_columns, "parm", several = TRUE)
  level <- check_number(level, "level", above = 0, below = 1)
  rows <- as.data.frame(object)
  ends <- lapply(parm, function(name) {
    df <- attr(object, "df")[, name]
    half <- stats::qt(0.5 + level / 2, ifelse(is.na(df), Inf, df)) * rows[[paste0(name, "_se")]]
    cbind(rows[[name]] - half, rows[[name]] + half)
  })
  label <- ifelse(is.na(rows$y), rows$measure, paste(rows$y, rows$measure))
  names <- paste(rep(label, length(parm)), rep(parm, each = nrow(rows)))
  share <- 100 * c((1 - level) / 2, (1 + level) / 2)
  matrix(do.call(rbind, ends), ncol = 2, dimnames = list(names, paste(format(share), "%")))
}
