# noise_ceiling() says which score a perfect model could reach, given the noise of the trials.

#' @include result-class.R
NULL

ceiling_columns <- c("h_cross", "h_self", "reliability", "ceiling", "score", "disattenuated", "gap")

#' Noise ceilings: the score that noise allows
#'
#' Which score a perfect model would reach, and what a score would be without the noise of trials.
#'
#' @param trials an array stimuli x neurons x trials (`NA` where a stimulus lacks a trial), or
#'   [responses()].
#' @param y what the trials are compared with: a matrix (for [rsa()] also a `dist` object of squared
#'   distances), [responses()], or a named list of these; neurons count as a sample unless declared
#'   `complete`. `NULL`: the ceiling alone.
#' @param measure see [similarity()]. `"cka"` without an estimator is the corrected one
#'   (`"stimulus_neuron"`, with other kernels `"stimulus"`).
#' @param over what standard errors are about, see [score_interval()]; neurons of a `y` without
#'   trials only for CKA.
#' @param splits number of random halves for approximate ceilings.
#' @param na see [similarity()]. What happens to a trial in which only some neurons were recorded
#'   depends on how the ceiling is made (see Details):
#'
#'   | *ceiling of* | *a trial that lacks some neurons* |
#'   | --- | --- |
#'   | corrected CKA | is used as it is |
#'   | RSA by squared distances | `"stimuli"` leaves out its stimulus, `"neurons"` those neurons |
#'   | others, by halves | the same, but a trial that lacks whole sessions is used as it is |
#'
#'   Measures of one call use the same data: RSA by squared distances decides for all, otherwise
#'   those by halves.
#' @return A data frame of class `repalign_ceiling` with a row for each measure and each of `y`, and
#'   the columns `y`, `measure`,
#'   * `h_cross`: the size of the signal (for CKA its value H, for RSA a variance of distances);
#'   * `h_self`: the same of the means over trials, with their noise;
#'   * `reliability` of `trials`: `h_cross / h_self`;
#'   * `ceiling`: its square root, where `y` has trials times that of the reliability of `y`;
#'   * `score`: the score of the means over trials with `y`;
#'   * `disattenuated`: the score without noise: of CKA the estimate from trials, otherwise `score /
#'     ceiling`;
#'   * `gap`: `score - ceiling`, 0 for a model that explains all but the noise;
#'
#'   each followed by its standard error (`_se`), and `n`, the number of stimuli. `confint()` gives
#'   t intervals.
#' @details
#' The ceiling is the score of the recorded means with the noise-free responses: a score of 0.6 at a
#' ceiling of 0.65 leaves little to explain. How it is made depends on the measure:
#' * [cka()] with the linear kernel and the estimators `"stimulus"` and `"stimulus_neuron"`. The
#'   ceiling of `"stimulus_neuron"` is 1 if neurons have independent noise: below 1 it measures
#'   *shared* noise.
#' * [rsa()] with `inner = "sqeuclidean"` and `outer = "pearson"`. With fewer than 4 trials of every
#'   stimulus, noise is taken as equal between stimuli. Trials of `y` must have independent noise.
#' * Other similarities whose best value is 1: by the formula of Spearman and Brown from random
#'   halves of the trials. It is approximate and mostly too high, far too high where neurons share
#'   noise, and has no standard errors.
#'
#' Standard errors are over what the measure corrects for (`over`). A reliability that is not
#' positive has no ceiling (`NA`, with a warning).
#'
#' When not to trust it: when trials of a stimulus share noise or drift (adaptation, repeats right
#' after each other): declare `event` or `run` in [responses()]; a reliability above 1 by more than
#' chance (a warning of class `repalign_high_reliability`) points to it. When stimuli depend on each
#' other, without `cluster` (see [dependence]). When reliability is below about 0.3: it is
#' uncertain, and so is its error. Differences between subjects are not noise of trials: see
#' [subject_ceiling()].
#' @references Spearman (1904), American Journal of Psychology 15. Schoppe et al. (2016), Frontiers
#'   in Computational Neuroscience 10.
#' @examples
#' # V4 against layers of a network, for the first 100 images
#' v4 <- responses(macaque_v4$trials[1:100, , ])
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' noise_ceiling(v4, layers, measure("cka", estimator = "stimulus"))
#' @export
noise_ceiling <- function(trials, y = NULL, measure = NULL, over = NULL, ..., splits = 20,
                          na = c("error", "stimuli", "neurons")) {
  need_arguments()
  set <- as_measures(if (!is.null(measure)) measure else
    measure("cka", estimator = "stimulus_neuron"))
  refuse_parameters(set, ...)
  set <- lapply(set, ceiling_measure)
  if (!is.null(over)) over <- check_choice(over, interval_samples[1:3], "over", several = TRUE)
  splits <- check_count(splits, "splits")
  na <- check_choice(na, missing_rules, "na")
  call <- open_sides(ceiling_sides(trials, y, na, set), set, na, use = "errors", least = 5,
                     why = "a jackknife", remedy = declared_cluster_remedy,
                     own_clusters = FALSE)
  check_rows(call$n, 5, "trials", "a jackknife")
  stop_at_refusals(call$sides)
  set <- call$set
  task <- list(x = call$sides$x$reprs[[1]], codes = call$clusters,
               n = units_of(call$n, call$clusters), halves = new_cache())
  others <- if (is.null(y)) list(NULL) else call$sides$y$reprs
  of_cka <- Filter(function(measure) measure$way == "cka", set)
  for (other in if (length(of_cka)) others) {
    if (is.null(other) || other$kind != "data") next
    if (note_shared_neurons(pair_of(task$x, other), of_cka[[1]]$args)) break
  }
  rows <- unlist(lapply(set, function(measure) {
    lapply(others, function(other) ceiling_row(task, with_data(other), measure, splits, over))
  }), recursive = FALSE)
  names <- if (is.null(y)) NA_character_ else vapply(others, function(repr) repr$name, "")
  labels <- vapply(set, function(measure) measure$label, "")
  keys <- data.frame(y = rep(names, length(set)), measure = rep(labels, each = length(names)))
  chosen <- unique(unlist(lapply(set, function(measure) measure$chosen)))
  extents <- unlist(lapply(rows, function(row) row$over))
  # what the number without noise is, and how the units of y are taken
  clean <- unique(vapply(of_cka, function(measure) {
    paste0("\"", measure$args$estimator, "_trial\"")
  }, ""))
  session <- unclass(task$x$responses)$session
  corrects <- any(vapply(of_cka, function(measure) measure$args$corrects$neurons, NA))
  open <- corrects && !all(vapply(others, has_trials, NA)) &&
    !all(grepl("complete (y|both)", keys$measure))
  ceiling_result(rows, keys, task, c(
    if (is.null(measure)) "Without `measure`, the ceiling is that of the corrected CKA.",
    if (length(chosen)) {
      paste0("\"cka\" without an estimator is taken by ", enumerate(chosen), ".")
    },
    if (!is.null(y)) c(
      if (length(clean)) {
        paste0("disattenuated: the CKA by ", enumerate(clean, quote = FALSE),
               ", without the noise.")
      },
      if (corrects && length(unique(session)) > 1 && anyDuplicated(session)) {
        paste("Pairs of neurons of one session are left out of `score`, but not of",
              "`disattenuated`: the two differ, even at a reliability of 1.")
      },
      if (open) sampled_units_note, complete_note(keys$measure)
    ),
    if (length(extents)) paste0("Standard errors are over ", extent_words(extents), ".")
  ))
}

# A measure with the way to its ceiling: "cka", "rsa" or "halves". The ceiling uses all that is
# declared, whatever the measure uses, and looks labels of neurons up itself, for both estimators.
ceiling_measure <- function(measure) {
  args <- measure$args
  id <- if (is_own(measure)) "" else measure$id
  measure$way <- "halves"
  if (id == "cka") {
    if (isTRUE(args$default_estimator)) {
      args <- with_estimator(args, if (args$kernel == "linear") "stimulus_neuron" else "stimulus")
      args$default_estimator <- FALSE
      measure$label <- settled_label(replace(measure, "args", list(args)), "naive")
      measure$chosen <- args$estimator
    }
    refuse_if(args$corrects$trials, "choice", "estimator = {quoted(args$estimator)} is ",
              "free of the noise of trials, and its ceiling is 1. Use ",
              "{quoted(sub('_trial', '', args$estimator))}: the column `disattenuated` ",
              "then has the score of {quoted(args$estimator)}.", arg = "measure")
    refuse_if(isTRUE(args$shared_neurons) || !is.null(args$units_x), "choice",
              "`measure` has labels of neurons: declare them in `neuron` of responses().")
    measure$args <- args
    if (args$kernel == "linear" && args$estimator != "naive") measure$way <- "cka"
  }
  if (id == "rsa" && args$inner == "sqeuclidean" && args$outer == "pearson") measure$way <- "rsa"
  if (measure$way == "halves") {
    best <- if (is_own(measure)) 1 else best_of(measure$declaration, args)
    similar <- identical(measure$declaration$direction, "similarity") && isTRUE(best == 1)
    refuse_if(!similar, "measure", "`measure` {quoted(measure$label)} is no similarity ",
              "with the best value 1, which reliabilities of halves need: use a similarity, such ",
              "as measure(\"cka\", estimator = \"stimulus_neuron\").")
  }
  refuse_if(!is.null(args$clusters), "choice", "`measure` has `clusters`: declare them in ",
            "`cluster` of responses(), for the trials.")
  measure$declaration$uses <- function(args) structures
  measure$declaration$settle <- settled_complete
  measure
}

# The trials as one side, and what they are compared with as the other.
ceiling_sides <- function(trials, y, na, set) {
  if (!is_responses(trials)) {
    refuse_if(!is.array(trials) || length(dim(trials)) != 3, "type", "`trials` must be an array ",
              "stimuli x neurons x trials, or what responses() makes, not {describe(trials)}: ",
              "means over trials do not tell their noise. Give the single trials; of a long ",
              "table, trial_array() makes such an array.")
    # messages about the responses name the argument of the call
    trials <- tryCatch(responses(trials), repalign_error = function(e) {
      e$message <- gsub("`x`", "`trials`", e$message, fixed = TRUE)
      if (!is.null(e$arg)) e$arg <- "trials"
      stop(e)
    })
  }
  x <- ceiling_repr(trials, "trials", "trials", na, set)
  refuse_if(!has_trials(x), "trials", "`trials` has one trial of each stimulus: without a second ",
            "one, noise and signal cannot be told apart.")
  several <- is_collection(y)
  names <- if (several) check_element_names(y, "y") else "y"
  args <- if (several) paste0("y$", names) else "y"
  others <- if (!is.null(y)) {
    unname(Map(ceiling_repr, if (several) y else list(y), args, names, na, list(set), "y"))
  }
  reprs <- with_common_stimuli(c(list(x), others))
  sides_of(reprs[1], reprs[-1])
}

ceiling_repr <- function(x, arg, name, na, set, side = "x") {
  if (is_responses(x)) {
    values <- unclass(x)$values
    # Responses of trials that lack some of the neurons that a ceiling takes together (as
    # partial_trials() has them): CKA pairs the trials of every two neurons by themselves, halves
    # are drawn in each session, and distances go over all neurons.
    ways <- vapply(set, function(measure) measure$way, "")
    session <- unclass(x)$session
    together <- if (all(ways == "cka")) seq_len(ncol(values)) else
      if (is.null(session) || "rsa" %in% ways) rep(1, ncol(values)) else session
    partial <- array(FALSE, dim(values)[c(1, 3, 2)])
    for (neurons in split(seq_along(together), together)) {
      partial[, , neurons] <- partial_trials(values[, neurons, , drop = FALSE])
    }
    if (na == "error") {
      lacking <- which(rowSums(partial, dims = 2) > 0, arr.ind = TRUE)
      trials <- dimnames(values)[[3]]
      refuse_if(nrow(lacking), c("repalign_error_partial_trials", "repalign_error_nonfinite"),
                "`{arg}` lacks some neurons in {count_of(nrow(lacking), 'trial')}, first in trial ",
                if (is.null(trials)) lacking[1, 2] else quoted(trials[lacking[1, 2]]), " of ",
                "{stimulus_title(values, lacking[1, 1])}: measure(\"cka\", estimator = ",
                "\"stimulus_neuron\") takes such trials as they are",
                "{remedies_by_leaving_out(apply(partial, c(1, 3), any))}.")
      refuse_lacking_trials(values, arg, c("stimuli", "neurons"))
    }
  }
  repr <- if (is_path(x)) filed_representation(x, arg, name, na != "error", side) else
    representation(x, arg, name, na != "error", side, loose = TRUE)
  if (na == "error" || !has_trials(repr)) return(repr)
  repr$data[apply(partial, c(1, 3), any)] <- NA
  repr
}

# remedies: what `na` may leave out.
refuse_lacking_trials <- function(values, arg, remedies) {
  none <- rowSums(!is.na(values), dims = 2) == 0
  if (!any(none)) return(invisible())
  first <- which(rowSums(none) > 0)[1]
  column <- which(none[first, ])[1]
  refuse("nonfinite", "`{arg}` has no trial of {count_of(sum(rowSums(none) > 0), 'stimulus')}, ",
         "first of {stimulus_title(values, first)}",
         if (!all(none[first, ])) {
           paste0(" for some neurons (column ", named_places(column, colnames(values)), ")")
         }, ": leave out what has no responses{remedies_by_leaving_out(none, remedies)}.")
}

# One row of the result: its columns, each as c(value, standard error, degrees of freedom), and what
# the errors are over.
ceiling_row <- function(task, y, measure, splits, over) {
  if (!is.null(y)) {
    accepted <- switch(measure$way, cka = "data", rsa = c("data", "dist"),
                       halves = c("data", "dist", "graph"), no_branch(measure$way))
    need_kind(y, accepted, quoted(measure$label))
  }
  refuse_if(measure$way != "cka" && !is.null(task$codes), "choice", "The ceiling of ",
            "{quoted(measure$label)} cannot go by clusters of stimuli, only that of \"cka\" with ",
            "a linear kernel can: leave out `cluster` of responses().", arg = "measure")
  if (measure$way == "halves") {
    known <- split_ceiling(task, y, measure, splits)
    known$disattenuated <- known$score / known$ceiling
    known$gap <- known$score - known$ceiling
    columns <- sapply(ceiling_columns, function(name) c(known[[name]], rep(NA_real_, 3))[1:3],
                      simplify = FALSE)
    return(list(columns = columns, halves = TRUE))
  }
  # whose neurons are a sample?
  args <- measure$args
  complete <- c(is_complete(task$x, args, "x"), is.null(y) || is_complete(y, args, "y"))
  sampled <- if (is.null(over)) default_neurons(args, complete) else
    c(x = "neurons_x" %in% over, y = "neurons_y" %in% over)
  reprs <- list(x = task$x, y = y)
  for (side in if (!is.null(over)) names(which(sampled))) {
    refuse_if(side == "y" && (is.null(y) || measure$way == "rsa" && !has_trials(y)), "choice",
              "`over` has \"neurons_y\", but ",
              if (is.null(y)) "there is no `y`" else
                paste0("the distances of `", y$arg, "` are held fixed"), ": leave it out.")
    refuse_complete_over(reprs[side], args, side)
  }
  tables <- if (measure$way == "cka") cka_ceiling_tables(task, y, args, !sampled) else
    rsa_ceiling_tables(task, y, !sampled)
  list(columns = measured_ceiling(tables, is.null(task$codes)), halves = FALSE,
       over = samples_word(sampled, task$codes), equal_noise = isTRUE(tables$equal_noise))
}

# Values with their standard errors, and the degrees of freedom of these. alone: do stimuli not
# depend on each other?
measured_ceiling <- function(tables, alone) {
  # what is reported, for everything that was deleted
  h <- tables$terms
  ratio <- function(a, b) ifelse(b > 0, a / b, NA_real_)
  root <- function(a) suppressWarnings(ifelse(a > 0, sqrt(a), NA_real_))
  reliability <- ratio(h$xx_trial, h$xx)
  reliability[!is.na(reliability) & reliability <= 0] <- NA
  values <- list(h_cross = h$xx_trial, h_self = h$xx, reliability = reliability,
                 ceiling = root(reliability))
  if (!is.null(h$xy)) {
    values$ceiling <- values$ceiling * root(ratio(h$yy_trial, h$yy))
    values$score <- h$xy / root(h$xx) / root(h$yy)
    values$disattenuated <- h$xy_clean / root(h$xx_clean) / root(h$yy_clean)
    values$gap <- values$score - values$ceiling
  }
  alone <- alone && !length(tables$layout$strata)
  columns <- sapply(ceiling_columns, function(name) {
    table <- values[[name]]
    if (is.null(table)) return(c(NA_real_, NA_real_, NA_real_))
    # as cka_interval() has them: interactions of what trials tell vary about their mean
    loo <- list(n = tables$n, layout = tables$layout, centered = name != "score")
    variance <- if (is.na(table[1])) NA_real_ else two_way_variance(table, loo)
    # a ceiling of 1 by construction does not vary, but for rounding
    if (isTRUE(sqrt(variance) <= tie_share * abs(table[1]))) variance <- 0
    c(table[1], sqrt(variance), if (alone) Inf else two_way_df(table, variance, loo))
  }, simplify = FALSE)
  for (name in c("h_cross", "h_self")) {
    columns[[name]][1:2] <- vapply(columns[[name]][1:2], function(value) {
      if (is.na(value)) NA_real_ else unscale_h(value, rep(tables$scale, 2))
    }, 0)
  }
  columns
}

# notes: what to print below the rows.
ceiling_result <- function(rows, keys, task, notes) {
  result <- keys
  for (name in ceiling_columns) {
    result[[name]] <- vapply(rows, function(row) row$columns[[name]][1], 0)
    result[[paste0(name, "_se")]] <- vapply(rows, function(row) row$columns[[name]][2], 0)
  }
  df <- do.call(rbind, lapply(rows, function(row) vapply(row$columns, `[`, 0, 3)))
  lost <- is.na(result$ceiling)
  warn_if(any(lost), "undefined", "The reliability of {enumerate(unique(result$measure[lost]))} ",
          "is not positive: from these trials, noise and signal cannot be told apart, and there ",
          "is no ceiling (NA). More trials or stimuli are needed.")
  errors <- !lost & !is.na(result$h_cross) & is.na(result$ceiling_se)
  warn_if(any(errors), "undefined", "{count_of(sum(errors), 'standard error')} of ceilings ",
          "{if (sum(errors) == 1) 'is' else 'are'} undefined (NA): without some stimulus or ",
          "neuron, a reliability is not positive.")
  result$n <- task$x$n
  approximate <- vapply(rows, function(row) row$halves, NA)
  # is the noise of all stimuli taken as equal?
  equal <- vapply(rows, function(row) isTRUE(row$equal_noise), NA)
  # Signal alone cannot exceed signal with noise. Where there is next to no noise, standard errors
  # are next to nothing, too, and a reliability of 1 may be above 1 by many of them: such an excess
  # changes neither ceilings nor scores.
  high <- which(result$reliability > 1 + pmax(2 * result$reliability_se, least_excess))
  first <- result[high[1], ]
  warn_if(length(high) > 0, "high_reliability", "The reliability of ",
          "{enumerate(unique(result$measure[high]))} is above 1 by more than two standard errors ",
          "({format(first$reliability, digits = 3)}, standard error ",
          "{format(first$reliability_se, digits = 2)}): do not use `ceiling`, `disattenuated` ",
          "and `gap`, only `score`. ",
          if (isTRUE(equal[high[1]])) {
            paste0("Noise that differs between stimuli does this with fewer than 4 trials: give 4 ",
                   "trials or more of every stimulus, or take measure(\"cka\", estimator = ",
                   "\"stimulus_neuron\").")
          } else {
            paste0("Either trials share what is no signal (drift, adaptation): declare `event` ",
                   "or `run` in responses(). Or noise runs against the signal, as where a common ",
                   "mean is taken off all neurons or each trial is scaled by itself: give ",
                   "responses without it.")
          }, data = result$reliability[high])
  notes <- c(if (any(approximate)) {
    paste0("Approximate (halves of the trials, formula of Spearman and Brown), without standard ",
           "errors, and mostly too high: ", enumerate(unique(keys$measure[approximate])), ".")
  }, if (any(equal)) {
    paste0("Fewer than 4 trials of some stimulus: ", enumerate(unique(keys$measure[equal])),
           " takes the noise of all stimuli as equal.")
  }, notes)
  new_result(result, "repalign_ceiling", list(
    note = notes,
    df = list(rows = result[c("y", "measure", ceiling_columns)], df = df)
  ))
}

declare_result(
  "repalign_ceiling", from = "noise_ceiling", digits = 3, words = "noise ceilings",
  columns = described_columns(
    column("y", "what the trials are compared with", key = TRUE),
    column("measure", "the label of the measure", key = TRUE),
    column("h_cross", "the size of the signal"),
    column("h_cross_se", "its standard error"),
    column("h_self", "the size of the means over trials, noise included"),
    column("h_self_se", "its standard error"),
    column("reliability", "h_cross / h_self, of `trials`", shown = 1),
    column("reliability_se", "its standard error"),
    column("ceiling", "its root, times that of the reliability of `y` with trials", shown = 2),
    column("ceiling_se", "its standard error", shown = 3),
    column("score", "the score of the means over trials", shown = 4, tidy = "score"),
    column("score_se", "its standard error"),
    column("disattenuated", "score / ceiling", shown = 5),
    column("disattenuated_se", "its standard error", shown = 6),
    column("gap", "score - ceiling", shown = 7),
    column("gap_se", "its standard error", shown = 8),
    column("n", "the number of stimuli")
  ),
  # `df` holds degrees of freedom, with the rows that they are of
  kept = list(note = each_once, df = function(values) {
    parts <- Filter(Negate(is.null), values)
    if (!length(parts)) return(NULL)
    rows <- do.call(rbind, lapply(parts, function(part) part$rows))
    first <- !duplicated(rows)
    list(rows = rows[first, ], df = do.call(rbind, lapply(parts, function(part) part$df))[first, ,
                                                                                drop = FALSE])
  }),
  heading = function(x, digits) paste0("Noise ceiling: ", count_of(nrow(x), "row")),
  shown = function(x) {
    empty <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x[!empty]
  },
  footing = function(x, digits) unlist(lapply(attr(x, "note"), strwrap, exdent = 2)),
  # of several comparisons the one with the highest score beside its ceiling
  sentence = function(x) {
    need_columns(x, c("y", "measure", "ceiling", "reliability", "n"), "told", "result")
    for_each_measure(x, function(part) {
      known <- which(!is.na(part$ceiling))
      name <- measure_words(part$measure[1])
      lost <- undefined_words(part$ceiling, "noise ceiling")
      if (!length(known)) {
        return(paste0("By the ", name, ":", undefined_words(part$ceiling, "noise ceiling", FALSE)))
      }
      height <- part$disattenuated[known]
      most <- max(height, -Inf, na.rm = TRUE)
      tied <- known[which(height >= most - tie_share * abs(most))]
      best <- c(tied, known)[1]
      start <- if (nrow(part) == 1) "The " else {
        paste0("Of ", count_of(nrow(part), "comparison"), ", that with ", part$y[best],
               " was highest beside its ceiling",
               if (length(tied) > 1) paste0(" (as ", count_of(length(tied) - 1, "other"), ")"),
               ": the ")
      }
      value <- value_and_error(part, "ceiling", best)
      clean <- if (!is.null(part$disattenuated) && !is.na(part$disattenuated[best])) {
        value_and_error(part, "disattenuated", best)
      }
      paste0(start, "noise ceiling of the ", name, " was ", value[1],
             brackets(value[-1], paste("reliability", number_word(part$reliability[best])),
                      stimuli_words(part$n[best]),
                      if (isTRUE(is.na(part$ceiling_se[best]) && is.na(part$h_cross[best]))) {
                        "approximate, by halves of the trials, and mostly too high"
                      }),
             if (length(clean)) {
               paste0("; the score", if (!is.na(part$y[best])) paste(" with", part$y[best]),
                      " was ", number_word(part$score[best]), ", without the noise of trials ",
                      clean[1], brackets(clean[-1]))
             }, ".",
             odd_value_words(name, part$disattenuated[best],
                             part$disattenuated[best] - 2 * part$disattenuated_se[best]), lost)
    })
  }
)

# c("0.81", "standard error 0.02"); the second is NULL where there is none.
value_and_error <- function(x, name, row) {
  se <- x[[paste0(name, "_se")]][row]
  if (is.null(se) || is.na(se)) return(number_word(x[[name]][row]))
  text <- unname(number_words(x[[name]][row], se))
  c(text[1], paste("standard error", text[2]))
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_ceiling <- function(x, ...) {
  no_other_arguments(...)
  rows <- as.data.frame(x)
  known <- intersect(ceiling_columns, names(rows))
  if (!length(known)) need_columns(rows, "ceiling", "tidied")
  need_columns(rows, c("y", "measure", paste0(known, "_se"), "n"), "tidied")
  parts <- lapply(seq_len(nrow(rows)), function(i) {
    data.frame(term = known, estimate = unlist(rows[i, known], use.names = FALSE),
               std.error = unlist(rows[i, paste0(known, "_se")], use.names = FALSE),
               rows[rep(i, length(known)), c("y", "measure", "n")], row.names = NULL)
  })
  if (length(parts)) return(do.call(rbind, parts))
  data.frame(term = character(), estimate = numeric(), std.error = numeric(),
             rows[c("y", "measure", "n")])
}

#' @rdname noise_ceiling
#' @param object what `noise_ceiling()` returned.
#' @param parm names of columns.
#' @param level coverage of the intervals.
#' @param ... not used: parameters go to [measure()].
#' @export
confint.repalign_ceiling <- function(object, parm = "disattenuated", level = 0.95, ...) {
  no_other_arguments(...)
  parm <- check_choice(parm, ceiling_columns, "parm", several = TRUE)
  level <- check_number(level, "level", above = 0, below = 1)
  rows <- need_columns(as.data.frame(object), c("y", "measure", parm, paste0(parm, "_se")), "used")
  # the degrees of freedom of the rows, a column for each value that has an error
  kept <- need_kept(object, "df", "noise_ceiling()", "object")
  columns <- intersect(names(kept$rows), names(object))
  at <- match(row_identities(object, columns), row_identities(kept$rows, columns))
  ends <- lapply(parm, function(name) {
    df <- kept$df[at, name]
    half <- stats::qt(0.5 + level / 2, ifelse(is.na(df), Inf, df)) * rows[[paste0(name, "_se")]]
    cbind(rows[[name]] - half, rows[[name]] + half)
  })
  label <- ifelse(is.na(rows$y), rows$measure, paste(rows$y, rows$measure))
  names <- paste(rep(label, length(parm)), rep(parm, each = nrow(rows)))
  share <- 100 * c((1 - level) / 2, (1 + level) / 2)
  matrix(do.call(rbind, ends), ncol = 2, dimnames = list(names, paste(format(share), "%")))
}
