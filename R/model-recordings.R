# evaluate_models(): which of several models is most like a recording, is each more than chance, and
# how high could it be?
#
# It is made of score_interval(), calibrate(), noise_ceiling() or subject_ceiling(), and
# best_score(), in this order, so that the same seed gives the same numbers. Its result is of the
# class "repalign_evaluation", as for RDMs, and keeps beside its rows
#
# interval   what score_interval() returned, for comparisons of models
# null       the scores of permuted models, a matrix permutations x models, or NULL
# facts      list(alpha, permutations, engine, ceiling, sign, data): what prints and pictures
#            say, where `ceiling` is where the ceilings come from, `sign` is -1 for distances, and
#            `data` is "recording", "layer", "4 subjects" or "4 networks"

#' Which model is closest to a recording, is it more than chance, and how high could it be?
#'
#' Compares models, layers or areas with recordings, and says which may be the best.
#' [evaluate_rdms()] compares models with RDMs.
#'
#' @param data a recording (a matrix stimuli x neurons, an array stimuli x neurons x trials, or
#'   [responses()]), or a list of recordings, one for each subject.
#' @param models a named list of representations of the same stimuli; a factor is a model of
#'   categories. Paths, here and in `data`, stand for what they hold (see [similarity()]; files of
#'   models are read in parts, but for subjects, `given` and `"encode"`).
#' @param measure one measure, see [measure()]; by default [cka()] by the estimator
#'   `"stimulus_neuron_trial"` with trials, else `"stimulus_neuron"`. `measure("encode", ...)`: how
#'   well models [predict][encode].
#' @param over what errors are about, see [score_interval()]. By default what the measure corrects
#'   for; of five or more subjects, stimuli and subjects; of two to four, `"these_subjects"`.
#' @param ... not used: parameters of measures go to [measure()].
#' @param conf_level coverage of the intervals and of the set of the best.
#' @param permutations for `p_chance`, as in [calibrate()]; 0 for none.
#' @param alpha the level of `threshold`.
#' @param clusters labels of [dependent][dependence] stimuli: errors and permutations go by whole
#'   clusters, without pairs within one where the measure can leave them out.
#' @param blocks,series see [calibrate()].
#' @param threads,na see [similarity()].
#' @param given controls of the measure, see [cka()].
#' @return A data frame of class `repalign_evaluation` with a row for each model. Columns:
#'
#' | column | |
#' | --- | --- |
#' | `model`, `measure` | its name; label of the measure |
#' | `score` | its score, of subjects the mean |
#' | `se`, `df`, `conf_low`, `conf_high` | standard error, degrees of freedom, interval |
#' | `p_chance` | one-sided permutation test against chance; partial scores have none |
#' | `p_zero` | of partial scores (`given`): two-sided test of 0 by the errors |
#' | `p_familywise`, `threshold` | that test over all models; at most `alpha` beyond the threshold |
#' | `ceiling`, `ceiling_se`, `share` | noise ceiling (1: noise is taken out), `score / ceiling` |
#' | `best` | in the confidence set of the best? `NA` without `se`, or over 2 subjects |
#' | `n` | number of stimuli |
#'
#' `plot()`, `confint()`, `vcov()`, [compare_scores()], [best_score()] and [compare_best()] take it.
#' @details
#' Columns come from [score_interval()], [calibrate()], [noise_ceiling()] or [subject_ceiling()],
#' and [best_score()]. The units of models are a sample unless declared complete (`complete` of
#' [responses()] or [cka()]). Without trials or subjects the ceiling is `NA`. `threshold` depends on
#' the observed score if it is high, and is then above that of [calibrate()]: use more permutations.
#'
#' When not to trust it: when stimuli depend on each other, without `clusters`. Of two to four
#' subjects, errors are about these alone; over `"subjects"`, they are guesses. Permutations say
#' nothing of other subjects or neurons. A score that is not significantly below the ceiling may be
#' far below it.
#' @references Westfall and Young (1993), Resampling-Based Multiple Testing (`p_familywise`).
#' @examples
#' # which layer of a network is closest to V4?
#' v4 <- responses(macaque_v4$trials[1:60, , ])
#' layers <- lapply(v4_layers[2:4], function(layer) layer[1:60, ])
#' set.seed(1)
#' result <- evaluate_models(v4, layers, permutations = 199)
#' result
#' compare_scores(result)
#' @seealso [brain_to_model()], [evaluate_rdms()]
#' @export
evaluate_models <- function(data, models, measure = NULL, over = NULL, ..., conf_level = 0.95,
                            permutations = 999, alpha = 0.05, clusters = NULL, blocks = NULL,
                            series = FALSE, threads = NULL,
                            na = c("error", "stimuli", "neurons", "pairwise"), given = NULL) {
  need_arguments()
  files <- models
  file <- data
  data <- with_files(list(data = data), whole = "Recordings")$data
  inform_if(is_path_text(file) && length(file) == 1 && is_collection(data), "file_of_subjects",
            several_subjects(file, data))
  refuse_elements(data, "data", is_rdm_like, "is an RDM: evaluate_rdms() compares RDMs with ",
                  "models; here give recordings.")
  # what is given to all parts that take it, and only if the user gave it
  if (missing(series)) series <- NULL
  if (missing(na)) na <- NULL
  kept <- function(...) Filter(length, list(...))
  common <- kept(threads = threads, na = na)
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  # a list is one of subjects; a recording of responses() is none
  subjects <- is_collection(data)
  refuse_if(subjects && length(data) == 1, "size", "`data` is a list of one recording, but errors ",
            "over subjects need two or more: give the recording itself, data[[1]].")
  if (subjects) refuse_time_bins(data, "data")
  plain <- !any(vapply(c(if (subjects) data else list(data), models), is_responses, NA))
  data <- if (subjects) lapply(data, as_recording) else as_recording(data)
  measure <- with_controls(measure_of_recordings(measure, data, subjects), given)
  models <- with_files(list(models = models), whole = if (subjects) "Means over subjects" else
    if (identical(measure$id, "encode")) "Predictions" else
      if (!is.null(measure$given)) "Partial scores")$models
  # one file of one array is a list of one model
  if (is_path_text(files) && !is_collection(models)) {
    models <- stats::setNames(list(models), names_of_files(files))
  }
  models <- listed_models(models, subjects)
  refuse_parameters(list(measure), ...)
  given_over <- over
  over <- samples_of_recordings(over, data, subjects)
  if (is.atomic(permutations) && length(permutations) == 1) {
    check_count(permutations, "permutations", least = 0)
  }
  # stretches of a series are clusters for errors, and its shifts need none
  timed <- is_in_time(series, c(if (subjects) data else list(data), models))
  exchange <- kept(blocks = blocks, series = series, clusters = if (!timed) clusters)
  free <- length(exchange) == 0 && !timed && !is_no_permutation(permutations)
  parts <- in_words_of_models(free, subjects, plain, {
    found <- if (identical(measure$id, "encode")) {
      encoding_parts(data, models, measure, given_over, conf_level, permutations,
                     c(exchange, common))
    } else {
      partial <- !is.null(measure$given)
      chance <- function() {
        if (!partial) chance_of_recordings(data, models, measure, subjects, permutations, alpha,
                             c(exchange, common))
      }
      refuse_before_work(chance())
      interval <- do.call(score_interval, c(list(data, models, measure, over = over,
                                                 conf_level = conf_level),
                                            kept(clusters = clusters), common), quote = TRUE)
      chance <- chance()
      inform_if(partial && !is_no_permutation(permutations), "no_chance", "No p_chance: partial ",
                "scores have no permutation null.", if (!all(is.na(interval$p_zero))) {
                  " `p_zero` tests them against 0 by their errors."
                })
      ceiling <- if (partial) list(ceiling = NA_real_, se = NA_real_, from = "measure") else
        ceiling_of_recordings(data, models, measure, subjects, common["na"], over)
      list(interval = interval, chance = chance, ceiling = ceiling)
    }
    if (any(!is.na(found$interval$se))) found$best <- best_score(found$interval, by = NULL)
    found
  })
  network <- all(vapply(if (subjects) data else list(data), function(one) {
    is_responses(one) && unclass(one)$kind == "network"
  }, NA))
  what <- if (subjects) paste(length(data), "subjects") else "recording"
  recordings_result(parts, in_words_of_kind(what, if (network) "network"), alpha, free)
}

# ---- what is given

# Trials of an array are what responses() declares. A stimulus without any would count as one.
as_recording <- function(one) {
  if (is.array(one) && length(dim(one)) == 3) one <- responses(one)
  if (!is_responses(one)) return(one)
  values <- unclass(one)$values
  lost <- which(rowSums(!is.na(values)) == 0)
  if (!length(lost)) return(one)
  refuse("nonfinite", "`data` has no response to {count_of(length(lost), 'stimulus')}, first ",
         "{stimulus_title(values, lost[1])}: leave these stimuli out, of the models, too.")
}

# Does the call or what is declared say that the stimuli are a series in time?
is_in_time <- function(series, given) {
  !is.null(series) && !isFALSE(series) ||
    any(vapply(given, function(one) is_responses(one) && !is.null(unclass(one)$series), NA))
}

# A named list of models, in which a factor (same or different category) has become a
# representation. subjects: is `data` a list?
listed_models <- function(models, subjects) {
  if (!is_collection(models)) {
    refuse_results(models, "models")
    # a recording in the place of models is easily one of two arguments that were swapped
    refuse("type", "`models` must be a named list, not {describe(models)}: for a single model ",
           "give list(model = ...).",
           if (subjects) {
             paste0(" `data` is a list, whose elements are taken as subjects: if they are the ",
                    "models, swap the two, evaluate_models(recording, models).")
           })
  }
  check_element_names(models, "models")
  Map(function(model, name) {
    place <- paste0("models$", name)
    refuse_if(inherits(model, "repalign_rdm_model"), "type", "`{place}` is a model of RDMs: ",
              "evaluate_rdms() compares it with RDMs of the data, as rdm() makes them.")
    refuse_if(is_collection(model), "type", "`{place}` is a list, but each model is one ",
              "representation: give its layers as models of their own. do.call(c, models) puts ",
              "lists of layers into one.")
    as_category_model(model, place)
  }, models, names(models))
}

as_category_model <- function(model, place) {
  if (is.factor(model)) return(categories(model, place))
  refuse_if(is.character(model), "type", "`{place}` is text: factor({place}) makes categories.")
  model
}

# Columns are categories, with 1 for its stimuli. Their products are 1 within a category and 0
# between two, and the categories are all there are.
categories <- function(labels, place) {
  codes <- categories_of(labels, place)
  indicators <- outer(codes, seq_len(max(codes)), "==") + 0
  dimnames(indicators) <- list(names(labels), levels(droplevels(labels)))
  responses(indicators, complete = TRUE)
}

# By default the CKA that is corrected for what the data declare.
measure_of_recordings <- function(measure, data, subjects) {
  if (is.null(measure)) {
    trials <- all(vapply(if (subjects) data else list(data), is_of_trials, NA))
    return(measure("cka", estimator = paste0("stimulus_neuron", if (trials) "_trial")))
  }
  set <- as_measures(measure, encoding = TRUE)
  if (length(set) == 1) return(set[[1]])
  refuse("measure", "`measure` must be one measure, not {length(set)}: models are ranked by one. ",
         "Call evaluate_models() for each.")
}

# An array, or what responses() made of one.
is_of_trials <- function(one) length(dim(one)) == 3 && dim(one)[3] > 1

# What errors are over; NULL: what score_interval() takes. A list is about its subjects, who are a
# sample if they are enough or `over` says so.
samples_of_recordings <- function(over, data, subjects) {
  if (subjects && is.null(over) && length(data) >= few_subjects) return(c("stimuli", "subjects"))
  if (subjects && !"subjects" %in% over) return(union(over, "these_subjects"))
  over
}

# ---- parts

# Conditions of the parts speak of the arguments of evaluate_models(), and each of them speaks once:
# several parts look at the same data. free: are all permutations of the stimuli taken as equally
# likely? The warning about dependent rows, which is that of intervals, then speaks of them, too.
# subjects: are data and models wrapped into lists where they are compared with chance?
in_words_of_models <- function(free, subjects, plain, code) {
  said <- character()
  renamed <- function(condition) {
    # also in code that is a remedy, such as responses(x)
    text <- gsub("([`(])(x|trials|to)([`$\\[)])", "\\1data\\3", conditionMessage(condition))
    text <- gsub("([`(])(y|from)([`$\\[)])", "\\1models\\3", text)
    text <- gsub("`clusters` of encode()", "`clusters`", text, fixed = TRUE)
    text <- gsub('of "x" and', 'of "data" and', text, fixed = TRUE)
    if (subjects) {
      # as if they had not been wrapped
      text <- gsub("data$data$", "data$", text, fixed = TRUE)
      text <- gsub("(models\\$[^`)]+)\\$model([`)])", "\\1\\2", text)
      text <- gsub("\"data/", "\"", text, fixed = TRUE)
      text <- gsub("(\"[^\"]+)/model\"", "\\1\"", text)
    }
    # here it is the p-values that are about the middle half
    text <- sub("The scores are those of", "p_chance is about the scores of", text)
    if (inherits(condition, "repalign_note_declared") && grepl("used: trials", text)) {
      # nobody declared the trials of an array
      if (plain) {
        text <- sub("^Declared by .*, but not used: trials \\(by ([^)]*)\\)\\.",
                    "`data` has trials, which \\1 does not use.", text)
      }
      if (!subjects) {
        text <- paste0(trimws(text), " Only `ceiling`, where it is known, uses them.\n")
      }
    }
    if (free && inherits(condition, "repalign_dependence")) {
      text <- sub(" If each", paste(" Without `clusters`, `blocks` or `series`, p-values are too",
                                    "small, too. If each"), text, fixed = TRUE)
    }
    condition$message <- text
    condition
  }
  hear <- function(again, restart) {
    function(condition) {
      told <- renamed(condition)
      once <- c("repalign_dependence", "repalign_dominant")
      key <- if (inherits(told, once)) intersect(once, class(told)) else told$message
      first <- !key %in% said
      said <<- c(said, key)
      # a mean over trials lacks only if all of them do
      if (inherits(told, "repalign_left_out_of_ceiling")) {
        told$message <- paste0(
          sub("left out", "left out of the ceiling", trimws(told$message), fixed = TRUE),
          " Scores are of the means over trials, which lack less.\n"
        )
      }
      if (first && identical(told$message, conditionMessage(condition))) return(invisible())
      if (first) again(told)
      invokeRestart(restart)
    }
  }
  withCallingHandlers(
    tryCatch(code, repalign_error = function(error) {
      told <- renamed(error)
      told$arg <- c(x = "data", trials = "data", to = "data", y = "models",
                    from = "models")[told$arg]
      if (!isTRUE(told$arg %in% c("data", "models"))) told$arg <- error$arg
      stop(told)
    }),
    warning = hear(warning, "muffleWarning"), message = hear(message, "muffleMessage")
  )
}

# calibrate() tells when it has judged the memory that it needs, here before the intervals are made.
# Whatever else it has to say it says later.
refuse_before_work <- function(code) {
  found <- tryCatch(suppressWarnings(suppressMessages(code)), repalign_judged = identity,
                    repalign_error = identity)
  if (inherits(found, "repalign_error_memory")) stop(found)
}

# Scores of permuted models: list(score, null, p_value, engine), or NULL without permutations. Of
# subjects it is the mean of their scores that is compared with chance.
chance_of_recordings <- function(data, models, measure, subjects, permutations, alpha, others) {
  if (is_no_permutation(permutations)) return(NULL)
  if (subjects) {
    data <- list(data = data)
    models <- lapply(models, function(model) list(model = model))
  }
  # undefined scores are told by the intervals, and undefined null scores by recordings_result(); a
  # score without a best value has no share of the way to it, which is not asked for here
  found <- tryCatch(withCallingHandlers(
    do.call(calibrate, c(list(data, models, measure, permutations, alpha = alpha,
                              aggregate = if (subjects) "mean"), others), quote = TRUE),
    repalign_undefined = function(condition) invokeRestart("muffleWarning")
  ), repalign_error_cluster_sizes = function(error) {
    inform("no_chance", "No p_chance (NA): {conditionMessage(error)}")
    NULL
  })
  if (is.null(found)) return(list(p_value = NA_real_, null = NULL))
  list(score = found$score, label = as.character(found$measure[1]),
       null = unname(null_scores(found)), p_value = found$p_value,
       permutations = found$permutations[1], engine = found$engine[1])
}

# The noise ceiling of each model: list(ceiling, se, from), NA where there is none.
ceiling_of_recordings <- function(data, models, measure, subjects, na, over) {
  none <- list(ceiling = NA_real_, se = NA_real_, from = "none")
  # what as.matrix() made of consensus(), or responses() of that
  of_consensus <- vapply(c(if (subjects) data else list(data), models), function(one) {
    columns <- dimnames(one)[[2]]
    length(columns) > 0 && all(grepl("^consensus [0-9]+$", columns))
  }, NA)
  if (any(of_consensus)) return(replace(none, "from", "consensus"))
  if (!subjects && !is_own(measure) && measure$id == "cka") {
    # the estimator, named or by what is declared, may have the noise of trials taken out
    args <- measure$args
    if (!is.null(args$default_estimator) && is_of_trials(data)) {
      reprs <- list(x = list(representation(data, "data")),
                    y = lapply(unname(models), given_representation, "models"))
      args <- suppressMessages(settled_arguments(measure$declaration, args, reprs))
    }
    if (args$corrects$trials) return(list(ceiling = 1, se = 0, from = "estimator"))
  }
  without <- function(error) replace(none, "from", "measure")
  tryCatch(
    if (subjects) {
      # what it says of the estimator is about two subjects
      found <- withCallingHandlers(
        do.call(subject_ceiling, c(list(data, measure), Filter(length, na))),
        repalign_estimator = function(condition) invokeRestart("muffleMessage")
      )
      list(ceiling = found$ceiling, se = NA_real_, from = "subjects")
    } else if (is_of_trials(data)) {
      found <- withCallingHandlers(
        do.call(noise_ceiling, c(list(data, models, measure, over = over), Filter(length, na))),
        repalign_left_out = function(m) {
          class(m) <- c("repalign_left_out_of_ceiling", class(m))
          message(m)
          invokeRestart("muffleMessage")
        }
      )
      list(ceiling = found$ceiling, se = found$ceiling_se, from = "trials")
    } else none,
    repalign_error_measure = without, repalign_error_choice = without,
    # scores go by means over trials, which such trials have a part in
    repalign_error_partial_trials = function(error) {
      inform("no_ceiling", "No ceiling (NA): {conditionMessage(error)}")
      replace(none, "from", "partial")
    }
  )
}

# ---- over all models

# Scores of different models have different nulls: each is brought to the mean 0 and the standard
# deviation 1 of all its values, the observed one among them, which keeps the test exact. Returns a
# data frame with the family-wise p-values of the models, and the scores above which they are at
# most alpha.
over_all_models <- function(score, null, sign, alpha) {
  values <- sign * rbind(score, null)
  count <- nrow(values)
  middle <- colMeans(values, na.rm = TRUE)
  spread <- apply(values, 2, stats::sd, na.rm = TRUE)
  spread[is.na(spread) | spread <= equal_share * pmax(abs(middle), 1)] <- 0
  z <- t((t(values) - middle) / spread)
  z[, spread == 0] <- 0
  largest <- row_maxima(z[-1, , drop = FALSE])
  # what is undefined counts as larger than any score
  largest[is.na(largest)] <- Inf
  p_value <- share_reaching(z[1, ], largest)
  allowed <- floor(alpha * count + 1e-9)
  critical <- if (allowed < 1) Inf else sort(largest, decreasing = TRUE)[allowed]
  data.frame(p_value = p_value, threshold = sign * (middle + critical * spread))
}

# ---- result

# data: "recording", "layer", "4 subjects" or "4 networks".
recordings_result <- function(parts, data, alpha, free) {
  interval <- parts$interval
  names <- as.character(interval$y)
  chance <- parts$chance
  sign <- signs_of(interval, as.character(interval$measure))
  rows <- data.frame(model = names, measure = as.character(interval$measure),
                     score = interval$score, se = interval$se, df = interval$df,
                     conf_low = interval$conf_low, conf_high = interval$conf_high)
  rows$p_zero <- interval$p_zero
  if (!is.null(chance)) {
    rows$p_chance <- chance$p_value
    rows$p_familywise <- rows$threshold <- NA_real_
  }
  known <- which(!is.na(chance$score))
  if (length(known)) {
    null <- chance$null[, known, drop = FALSE]
    rows[known, c("p_familywise", "threshold")] <-
      over_all_models(chance$score[known], null, sign[1], alpha)
    lost <- colSums(is.na(null))
    warn_if(any(lost > 0), "undefined", "Scores of {enumerate(names[known][lost > 0])} are ",
            "undefined (NA) for some permutations, first {lost[lost > 0][1]} of {nrow(null)}: in ",
            "p_familywise each of these counts as larger than any score, and p_chance is NA.")
  }
  if (length(known) && !isTRUE(all.equal(chance$score[known], rows$score[known]))) {
    inform("other_statistic", if (!is.null(chance$other)) chance$other else {
      half <- grepl("middle half", chance$label)
      paste0("`p_chance` and `p_familywise` compare the scores ",
             if (half) "of the middle half of the stimuli in time" else "by other pairs of stimuli",
             " (", chance$label, "), and `score` is that of all: there is no `threshold` (NA).")
    })
    rows$threshold <- NA_real_
  }
  rows$ceiling <- parts$ceiling$ceiling
  rows$ceiling_se <- parts$ceiling$se
  rows$share <- if (!is.null(parts$share)) parts$share else if (sign[1] > 0) {
    rows$score / rows$ceiling
  } else NA_real_
  # the errors of two subjects have hardly any degrees of freedom to exclude a model by
  guessed <- any(grepl("only 2 subjects", interval$over, fixed = TRUE))
  rows$best <- replace(names %in% unlist(parts$best$in_set), is.na(rows$se) | guessed, NA)
  rows$n <- interval$n
  new_result(rows, "repalign_evaluation", list(
    interval = interval, null = chance$null, conf_level = attr(interval, "conf_level"),
    dependence = attr(interval, "dependence"),
    facts = list(alpha = alpha, permutations = chance$permutations, engine = chance$engine,
                 ceiling = parts$ceiling$from, sign = sign[1], data = data, free = free)
  ))
}

# What the errors of models are over.
overs_of <- function(x, models = x$model) {
  interval <- attr(x, "interval")
  unique(interval$over[if (is.null(models)) TRUE else interval$y %in% models])
}

# Were layers of networks compared with models?
evaluated_kind <- function(facts) if (grepl("layer$|networks$", facts$data)) "network"

# ---- in words

# What in_words() tells of models of a recording.
recordings_sentence <- function(x) {
  need_columns(x, c("model", "measure", "score", "conf_low", "conf_high", "best"), "told", "result")
  facts <- attr(x, "facts")
  kind <- evaluated_kind(facts)
  name <- in_words_of_kind(recordings_words(measure_words(x$measure[1])), kind)
  # what has no error because it hardly has a denominator may be of any size
  lost <- is.na(x$conf_low) & !is.na(x$score)
  if (all(is.na(x$conf_low))) lost[] <- FALSE
  best <- which.max(ifelse(lost, NA, facts$sign * x$score))
  if (!length(best)) return(paste0("By the ", name, ":", undefined_words(x$score, begins = FALSE)))
  text <- with_limits_words(x$score[best], x$conf_low[best], x$conf_high[best])
  extent <- in_words_of_kind(recordings_words(extent_words(overs_of(x, x$model[best]))), kind)
  details <- c(interval_phrase(text[-1], attr(x, "conf_level"), extent), stimuli_words(x$n[best]))
  data <- paste("the", facts$data)
  told <- if (nrow(x) == 1) {
    paste0("For ", x$model, " and ", data, ", the ", name, " was ", text[["score"]],
           brackets(details))
  } else {
    paste0("Of ", count_of(nrow(x), "model"), ", ", x$model[best],
           if (sub(" .*", "", x$measure[1]) %in% names(encoding_names)) {
             paste(" predicted", data, "best")
           } else paste0(" was ", if (facts$sign > 0) "most similar" else "closest", " to ", data),
           brackets(paste(name, "=", text[["score"]]), details))
  }
  share <- x$share[best]
  if (length(share) && !is.na(share) && !identical(facts$ceiling, "estimator")) {
    where <- if (share <= 1) paste0(format(round(100 * share)), "% of") else
      if (isTRUE(x$conf_low[best] > x$ceiling[best])) "above" else "not below"
    share <- paste0("; that is ", where, " the noise ceiling, ", ceiling_word(x$ceiling[best]))
  } else share <- NULL
  # models without a score were not compared
  others <- sum(!is.na(x$best)) - 1
  as_good <- if (isTRUE(x$best[best]) && others > 0) {
    as_good_words(x$model[setdiff(which(x$best), best)], others, attr(x, "conf_level"))
  }
  rows <- c(best, which(lost))
  above <- if (nrow(x) > length(rows) && !all(is.na(x$p_familywise))) {
    others_chance_words(x$p_familywise[-rows], facts$alpha, facts$sign)
  }
  text <- paste0(told, chance_of_best(x, best), share, as_good, ".",
                 odd_value_words(name, x$score[best], x$conf_low[best]), above, if (any(lost)) {
                   paste0(" Without a standard error, and left out: ",
                          enumerate(x$model[lost], 6, quote = FALSE), ".")
                 }, undefined_words(x$score))
  without_claim(text, if (isTRUE(facts$free)) attr(x, "dependence"))
}

# The p-value of the best model, over all models of the call, or that of a partial score of 0.
chance_of_best <- function(x, row) {
  facts <- attr(x, "facts")
  zero <- x$p_zero[row]
  if (!is.null(zero)) {
    if (is.na(zero)) return(NULL)
    return(paste0(if (zero <= facts$alpha) ", " else ", not ", "different from 0",
                  brackets(p_words(zero, facts$alpha))))
  }
  if (!isTRUE(facts$permutations > 0) || is.null(x$p_familywise)) return(NULL)
  p <- x$p_familywise[row]
  models <- ncol(attr(x, "null"))
  paste0(if (isTRUE(p <= facts$alpha)) ", " else if (!is.na(p)) ", not ",
         if (is.na(p)) ", compared with" else if (facts$sign > 0) "above" else "below", " chance",
         brackets(paste0(p_words(p, facts$alpha),
                         if (models > 1) paste(" over all", models, "models")),
                  permutations_words(facts$permutations, facts$engine)))
}

# ---- what is printed

recordings_heading <- function(x) {
  facts <- attr(x, "facts")
  c(paste0("Models of ", if (facts$data %in% c("recording", "layer")) "a ", facts$data, ": ",
           count_of(nrow(x), "model"), undefined_of(x$score)),
    if (nrow(x)) {
      data <- paste(c(x$measure[1], if (!is.null(x$n)) paste(x$n[1], "stimuli")), collapse = ", ")
      paste(c(if (nzchar(data)) data,
              paste0(format(100 * attr(x, "conf_level")), "% intervals over ",
                     in_words_of_kind(sample_words(overs_of(x)), evaluated_kind(facts)))),
            collapse = "; ")
    },
    if (isTRUE(facts$permutations > 0)) {
      # rows can be chosen and bound
      models <- ncol(attr(x, "null"))
      paste0("p_chance by ", format(facts$permutations, big.mark = ","), " permutations (",
             facts$engine, "); p_familywise over ", if (nrow(x) == models) "all models" else
               paste("the", count_of(models, "model"), "of its call"))
    })
}

recordings_footing <- function(x) {
  facts <- attr(x, "facts")
  interval <- attr(x, "interval")
  # as in all rows, which may have lost the column
  measure <- as.character(interval$measure[1])
  from <- c(estimator = "ceiling 1: the estimator has the noise of trials taken out.",
            trials = "ceiling: of the means over trials, see noise_ceiling().",
            subjects = "ceiling: what subjects share, see subject_ceiling().",
            encode = "ceiling: what the noise of trials leaves, see encode().",
            measure = "No ceiling (NA): there is none of this measure, see noise_ceiling().",
            consensus = paste("No ceiling (NA): the consensus was fitted to the subjects, see",
                              "consensus(models = )."),
            partial = "No ceiling (NA): some trials lack neurons, see `na`.",
            none = "No ceiling (NA): without trials or subjects, noise is not known.")
  strwrap(c(if (!all(is.na(x$best))) {
              paste0("best: in the ", format(100 * attr(x, "conf_level")),
                     "% confidence set of the best model.")
            },
            if (!is.null(x$ceiling) && all(is.na(x$ceiling)) &&
                  facts$ceiling %in% c("trials", "subjects", "encode")) {
              sub("^ceiling: [^,]*", "No ceiling (NA): it is undefined", from[[facts$ceiling]])
            } else in_words_of_kind(from[[facts$ceiling]], evaluated_kind(facts)),
            if (has_sampled_y(interval)) {
              named <- vapply(names(estimator_names), function(name) {
                grepl(paste0("[( ]", name, "[,)]"), measure)
              }, NA)
              paste0("Units of the models taken as a sample; measure(",
                     quoted(sub("[( ].*", "", measure)),
                     if (any(named)) paste0(", estimator = ", quoted(names(which(named)))),
                     ", complete = \"y\") takes them as all there are.")
            },
            complete_note(measure)), exdent = 2)
}

# What is said of a file or folder of several arrays that is given as `data`.
several_subjects <- function(file, data) {
  paste0("`data` ", quoted(basename(file)), " holds ", count_of(length(data), "array"), ", which ",
         "are taken as ", length(data), " subjects. If they are layers, or one is meant, name it.")
}
