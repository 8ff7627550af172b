# searchlight() compares the neighbourhood of every centre with models, and tests all centres at
# once by the largest score under common permutations of the stimuli. Here are its help, what is
# judged once, and what a centre is made of; scores and groups of centres are in
# searchlight-null.R.

#' Searchlight: which places represent what a model says
#'
#' Compares the channels (voxels, electrodes) around each of many centres with models, and tests all
#' with control of the family-wise error.
#'
#' @param data a matrix conditions x channels, with conditions as row names; with `condition` or
#'   `run`, observations x channels; or an array conditions x channels x repeats, whose repeats are
#'   runs. An array over time goes through [flatten_time()] first.
#' @param neighbours a list, named by the centres, of numbers of columns of `data` (without those of
#'   labels), as from [neighbourhoods()] or [cross_places()].
#' @param models a representation of the same conditions, a `dist` object, a factor (a model of
#'   categories), or a named list of them.
#' @param measure one measure: a name, [measure()] or [new_measure()], with the centre first and the
#'   model second (of [riemann()] the other way round).
#' @param ... not used: parameters go to [measure()].
#' @param run as in [rdm()]. The dissimilarities of each centre are then crossnobis estimates, and
#'   `measure` must be [rsa()].
#' @param noise `NULL`, or what whitens channels: a precision matrix of all ([noise_precision()]);
#'   with `run`, a list of covariance matrices, one for each run ([noise_covariance()]); or, for
#'   thousands of channels, a function of the columns of a centre, such as `function(at)
#'   noise_precision(residuals[, at])`.
#' @param permutations of the conditions, as in [calibrate()]. 0: scores only.
#' @param condition as in [rdm()]; by default the row names. Rows of one condition (and run) are
#'   averaged.
#' @param across_models should `p_familywise` also hold over the models?
#' @param alpha level of the thresholds.
#' @param threads see [similarity()].
#' @param na see [similarity()]: rows of `data` are stimuli, channels neurons.
#' @return A data frame of class `repalign_searchlight` with a row for each centre and model:
#'   `center`, `model`, `score` (`NA`, with a warning of class `repalign_undefined`, if undefined),
#'   `p_value` (of this centre and model alone), `p_familywise`, and `center_mean` and `center_sd`,
#'   the mean and the standard deviation of the score under all permutations and the observed order.
#'   Attributes: `"max_null"`, the best score of all centres under each permutation; `"threshold"`,
#'   the score that a centre must exceed.
#' @details
#' The conditions of the models are permuted. `p_familywise` compares a score with the largest of
#' all centres under each permutation: if no centre is related to a model, the probability that any
#' is at most alpha is at most alpha; so it is for unrelated centres among others, if their
#' neighbourhoods are jointly unrelated to the model. Centres with few channels set the threshold
#' that all share. Measures that are no inner products, such as Kendall's tau, take long: use
#' [workers].
#'
#' When not to trust it: when conditions [depend on each other][dependence]. The channels around a
#' centre carry information, not the centre itself. Noise lowers scores of small and large
#' neighbourhoods to a different degree: standardise a map by `center_mean` and `center_sd` only.
#' Over subjects, [test_maps()] takes a list of results.
#' @references Kriegeskorte, Goebel and Bandettini (2006), PNAS 103. Nichols and Holmes (2002),
#'   Human Brain Mapping 15. Walther et al. (2016), NeuroImage 137 (crossnobis).
#' @examples
#' # 40 conditions, 60 channels on a line; channels 21 to 30 represent the model
#' set.seed(1)
#' model <- matrix(rnorm(40 * 3), 40)
#' data <- matrix(rnorm(40 * 60), 40)
#' data[, 21:30] <- data[, 21:30] + model %*% matrix(rnorm(3 * 10), 3)
#' neighbours <- neighbourhoods(1:60, radius = 4)
#' result <- searchlight(data, neighbours, list(model = model), measure("rsa", inner = "euclidean"),
#'                       permutations = 999)
#' result
#' summary(result)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(result)
#' @seealso [time_windows()]
#' @order 1
#' @export
searchlight <- function(data, neighbours, models, measure = "rsa", ..., run = NULL, noise = NULL,
                        permutations = 0, condition = NULL, across_models = FALSE, alpha = 0.05,
                        threads = NULL, na = c("error", "stimuli", "neurons")) {
  need_arguments()
  distance <- if (!is.null(run) || length(dim(data)) == 3 && isTRUE(dim(data)[3] > 1)) "crossnobis"
  measure <- single_measure(measure, ...)
  refuse_if(!isTRUE(measure$declaration$pairing), "measure", "{quoted(measure$label)} does ",
            "not depend on which condition of a centre is paired with which one of a model: it ",
            "says nothing about what is represented.", arg = "measure")
  refuse_if(!is.null(measure$args$clusters) || !is.null(measure$args$units_x), "choice",
            "`measure` has labels of ", if (is.null(measure$args$clusters)) "units" else "clusters",
            ", which searchlight() cannot use: give a measure without them",
            if (!is.null(measure$args$clusters)) {
              ", and restrict the permutations by permute::how()"
            }, ".")
  refuse_if(!is.null(distance) && !"signed" %in% accepted_by(measure$declaration, measure$args),
            "measure", "With `run`, the dissimilarities of a centre are {distance} estimates, ",
            "which may be negative, and {quoted(measure$label)} cannot compare these: use rsa(), ",
            "or average over the runs (`condition` alone).", arg = "measure")
  # Times are no repeats: their noise is not independent, and they hold different responses.
  third <- if (is.array(data)) names(dimnames(data))[3]
  refuse_if(isTRUE(tolower(third) %in% c("time", "times")), "type", "`data` has times in its ",
            "third dimension, where searchlight() expects repeats: give flatten_time(data, ",
            "times), with neighbours from cross_places().")
  if (is_responses(data) && !is.null(unclass(data)$cluster)) refuse_searched_clusters("data")
  refuse_free_series(declares_series(list(data, models)), permutations, none = TRUE)
  check_flag(across_models, "across_models")
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  hold_threads(threads)
  taken <- naming_data(labels_of_frame(data, list(condition = condition, run = run)))
  models <- if (is_collection(models)) {
    Map(as_category_model, models, paste0("models$", names(models)))
  } else as_category_model(models, "models")
  complete <- complete_searchlight(taken$x, models, neighbours, taken$labels$condition,
                                   taken$labels$run, noise, na)
  source <- center_source(complete$data, complete$condition, complete$run, noise, measure, distance)
  neighbours <- check_neighbours(complete$neighbours, length(source$channels))
  call <- open_searchlight(source, neighbours, complete$models, measure, environment())
  sides <- call$sides
  source$like <- sides$x$reprs[[1]]
  source$like$cache <- NULL
  job <- searchlight_job(sides, call$set[[1]], permutations, alpha)
  if (all_orders(permutations)) {
    job$dependence <- warn_of_rows(list(source$patterns$means), sides$y$reprs, "null",
                                   design_remedy)
  }
  found <- run_centers(neighbours, source, job, threads)
  call$choices$used <- call$choices$used || found$used
  report_centers(found, neighbours, job$design$count)
  searchlight_result(found, neighbours, job, across_models, alpha)
}

# ---- what is given

# A list of numbers from 1 to `most` with names, whatever names the user gave: the columns of each
# centre, or the times of each window.
check_neighbours <- function(neighbours, most, arg = "neighbours") {
  words <- if (arg == "windows") c("times", "window", "times") else
    c("columns of `data`", "centre", "columns")
  refuse_if(!is.list(neighbours) || is.data.frame(neighbours) || !length(neighbours), "type",
            "`{arg}` must be a list with the {words[1]} that belong to each {words[2]}, not ",
            if (is.list(neighbours) && !length(neighbours)) "an empty list" else
              describe(neighbours), ".")
  names <- names(neighbours)
  refuse_if(!is.null(names) && (anyNA(names) || any(names == "") || anyDuplicated(names)), "names",
            "`{arg}` must have a different name for each {words[2]}, or no names.")
  wrong <- function(bad, what) {
    at <- which(bad)[1]
    refuse_if(!is.na(at), "value", "`{arg}` {what}, first for {words[2]} ",
              if (is.null(names)) at else quoted(names[at]), ": give each {words[2]} one or ",
              "more different {words[1]}, as whole numbers from 1",
              if (most < .Machine$integer.max) paste(" to", most), ".")
  }
  wrong(!vapply(neighbours, function(at) is.numeric(at) && is.null(dim(at)), NA),
         "has elements that are not numbers")
  wrong(lengths(neighbours) == 0, "has an empty element")
  wrong(vapply(neighbours, function(at) anyNA(at) || any(at != round(at)), NA),
         "has missing or broken numbers")
  wrong(vapply(neighbours, function(at) min(at) < 1 || max(at) > most, NA),
         paste("has numbers that are no", words[3]))
  wrong(vapply(neighbours, anyDuplicated, 0L) > 0,
         paste("names a", sub("s$", "", words[3]), "twice"))
  lapply(neighbours, as.integer)
}

# Both sides of the comparison, judged once. Of the side x there is one centre, for what is the same
# for all of them: the kind of input, the names of the conditions.
open_searchlight <- function(source, neighbours, models, measure, frame) {
  refuse_results(models, "models")
  y <- on_side_y(as_side(models, "models"))
  # rows of one name may have been meant for different conditions of the models
  twice <- anyDuplicated(source$averaged)
  other <- Find(function(repr) stimulus_count(repr$data) != source$n, y$reprs)
  refuse_if(twice && !is.null(other), "repeats", "`data` has {length(source$averaged)} rows of ",
            "{count_of(source$n, 'condition')}, since rows of one name (first ",
            "{quoted(source$averaged[twice])}) are averaged, and `{other$arg}` has ",
            "{stimulus_count(other$data)}: give different conditions different names.")
  reprs <- with_common_stimuli(c(list(first_center(source, neighbours)), y$reprs))
  if (!is.null(declared_clusters(reprs[-1]))) refuse_searched_clusters("models")
  # odd columns are looked for in all channels
  reprs[[1]]$whole <- patterns_as_read(source$patterns, "data")
  sides <- sides_of(reprs[1], reprs[-1])
  sides$y[c("models", "is_models")] <- y[c("models", "is_models")]
  sides$models <- y$is_models
  call <- open_sides(sides, list(measure), own_clusters = FALSE, frame = frame)
  # other centres may vary where the first does not
  accepted <- call$set[[1]]$accepts
  for (repr in reprs) {
    need_kind(repr, accepted, quoted(measure$label))
    refuse_negative(repr, accepted)
  }
  for (repr in reprs[-1]) refuse_useless(repr)
  call
}

refuse_searched_clusters <- function(arg) {
  refuse("choice", "`{arg}` declares clusters of conditions, which searchlight() cannot use: ",
         "declare none, and restrict the permutations by permute::how().")
}

# The first centre that is a representation at all.
first_center <- function(source, neighbours) {
  for (at in neighbours) {
    repr <- tryCatch({
      data <- center_data(source, at)
      names <- source$patterns$labels
      if (source$is_rdm) attr(data, "Labels") <- names else
        dimnames(data) <- if (!is.null(names)) list(names, NULL)
      representation(data, "data", side = "x", loose = source$is_rdm)
    }, repalign_error = identity)
    if (!inherits(repr, "error")) return(repr)
  }
  stop(repr)
}

# What the groups of centres share: the (settled) measure, the permutations, the models, and with a
# fast null their operands. With 0 permutations the design has none.
searchlight_job <- function(sides, measure, permutations, alpha) {
  models <- sides$y$reprs
  n <- sides$x$reprs[[1]]$n
  note_gaps(data.frame(i = 1, j = seq_along(models)), sides$x$reprs, models, list(measure))
  null <- measure$null
  fast <- !is.null(null) && identical(null$kernel, "inner") && is.null(null$correction) &&
    !measure$averaged
  if (is_no_permutation(permutations)) {
    design <- new_design("none", n, 0, matrix = matrix(0L, n, 0))
  } else {
    check_rows(n, 2, "data", "a permutation")
    design <- design_for(measure, permutation_plan(n, permutations, NULL, FALSE, "auto"), "auto")
    note_unattainable(design$count, list(alpha = alpha, p_adjust = "none"), Inf)
    inform_if(!fast, "slow_searchlight", "{quoted(measure$label)} has no null that takes ",
              "all permutations of a centre at once, so that each centre is calibrated by itself. ",
              "rsa() (but for Kendall's tau) and cka() are much faster.")
  }
  if (!is.null(measure$declaration$check_pair)) {
    pair <- pair_of(sides$x$reprs[[1]], models[[1]])
    suppressMessages(measure$declaration$check_pair(pair, measure$args))
  }
  job <- list(measure = measure, null = if (fast) null, design = design, n = n, models = models,
              names = vapply(models, title_of, ""), kept = new.env())
  if (!fast) return(job)
  job$operands <- operands(null, measure, models, seq_along(models), "y")$forms
  undefined <- which(vapply(job$operands, is_undefined, NA))
  refuse_if(length(undefined), "variance", "The model {quoted(job$names[undefined[1]])} ",
            "cannot be compared with anything: all its dissimilarities are equal, or it has no ",
            "variance that is left after correction.", arg = "models")
  job
}

# The data without what `na` leaves out: observations, where rows have labels, and otherwise
# conditions, of the models too; or channels, which no centre then has.
complete_searchlight <- function(data, models, neighbours, condition, run, noise, na) {
  given <- list(data = data, models = models, neighbours = neighbours, condition = condition,
                run = run)
  rows_are_conditions <- is.null(condition) && is.null(run)
  found <- without_missing(given[c("data", if (rows_are_conditions) "models")], na)
  given[names(found$given)] <- found$given
  if (!rows_are_conditions) {
    labels <- c("condition", "run")
    given[labels] <- cut_row_labels(given[labels], data, found$rows, "data")
  }
  kept <- found$columns$data
  if (is.null(kept) || all(kept)) return(given)
  refuse_if(!is.null(noise), "choice", "na = \"neurons\" leaves out channels that `noise` has: ",
            "leave them out yourself, or use na = \"stimuli\".")
  given$neighbours <- lapply(check_neighbours(neighbours, length(kept)), function(at) {
    cumsum(kept)[at[kept[at]]]
  })
  empty <- which(lengths(given$neighbours) == 0)[1]
  names <- names(neighbours)
  refuse_if(!is.na(empty), "nonfinite", "na = \"neurons\" leaves no channel to centre ",
            if (is.null(names)) empty else quoted(names[empty]),
            ": leave it out, or use na = \"stimuli\".", arg = "na")
  given
}

# ---- patterns and noise of all channels

# What the centres of a searchlight are cut from: patterns of conditions over all channels, averaged
# over observations or kept for each run, and the noise of the channels.

# Returns list(patterns, is_rdm, settings, n, channels, noise). is_rdm: are the centres compared by
# their RDMs, made by the distance of the settings as rdm() makes them, or by their patterns?
# patterns: see run_patterns(); channels: the columns of the user's data that the patterns have,
# which are all of them but in a part that is sent to a worker; noise: NULL, or a list with one of
# `covariance`, of all channels, `runs`, such a matrix for each run, and `precision`, a function of
# the columns of a centre. distance: by its name, or NULL for patterns.
center_source <- function(data, condition, run, noise, measure, distance) {
  is_rdm <- !is.null(distance)
  by_run <- is_rdm && distance_called(distance)$runs
  if (by_run && is.matrix(data) && is.null(condition)) {
    condition <- rownames(data)
    refuse_if(is.null(condition), "missing", "`condition` is missing: with `run`, the condition ",
              "of each row of `data` must be known. Give `condition`, or row names.")
  }
  patterns <- naming_data(run_patterns(data, condition, run, by_run))
  absent <- which(rowSums(patterns$counts) == 0)
  refuse_if(!by_run && length(absent), "nonfinite", "`data` has no observation of condition ",
            "{condition_title(patterns$labels, absent[1])}: leave it out.")
  if (by_run) {
    refuse_if(length(patterns$runs) < 2, "size", "`run` names one run, but crossnobis estimates ",
              "need two or more: leave out `run` to compare the patterns as they are.")
    common <- tcrossprod(patterns$counts > 0)
    few <- which(common < 2 & upper.tri(common), arr.ind = TRUE)
    # pairs of conditions may lack where others are left
    enough <- takes_gaps(measure) && any(common[upper.tri(common)] > 1)
    refuse_if(nrow(few) && !enough, "size", "`run`: {count_of(nrow(few), 'pair')} of conditions ",
              "{if (nrow(few) > 1) 'have' else 'has'} fewer than two runs in common, first ",
              "{condition_title(patterns$labels, few[1, 1])} and ",
              "{condition_title(patterns$labels, few[1, 2])}: leave out conditions that few runs ",
              "have, or compare the others by measure(\"rsa\", na = \"pairwise\").")
  }
  source <- list(patterns = patterns, is_rdm = is_rdm,
                 settings = if (is_rdm) distance_settings(distance), n = nrow(patterns$means),
                 channels = seq_len(patterns$channels),
                 averaged = if (is.null(condition) && length(dim(data)) == 2) rownames(data))
  if (is_rdm) naming_data(check_patterns(patterns, distance_called(distance)))
  if (is.null(noise)) return(source)
  refuse_if(is_rdm && distance_called(distance)$noise == "none", "value", "`noise` has no meaning ",
            "for centres that are compared by {source$settings$distance} distances: leave it out.")
  # whitening turns the axes of the channels, and means nothing where these axes matter
  usable <- is_rdm || "orthogonal" %in% measure$declaration$invariant ||
    isTRUE(measure$args$inner %in% c("euclidean", "sqeuclidean"))
  refuse_if(!usable, "choice", "`noise` whitens the channels, after which the axes of the ",
            "channels mean nothing, and {quoted(measure$label)} depends on them: ",
            if (identical(measure$id, "rsa")) "use inner = \"sqeuclidean\" or \"euclidean\", or ",
            "leave out `noise`.")
  if (!is.function(noise)) note_plain_covariances(noise)
  source$noise <- if (is.function(noise)) list(precision = noise) else
    if (is.list(noise) && is_rdm) list(runs = naming_data(run_covariances(noise, patterns))) else
      list(covariance = chol2inv(naming_data(precision_root(noise, patterns))))
  source
}

# Messages of rdm() about `x` are about `data` here.
naming_data <- function(code) in_words_of_call(code, "x", "data")

# Patterns of some channels only; at: which.
cut_patterns <- function(patterns, at) {
  columns <- outer(at, patterns$channels * (seq_along(patterns$runs) - 1), "+")
  patterns$means <- patterns$means[, columns, drop = FALSE]
  patterns$channels <- length(at)
  patterns["names"] <- list(NULL)
  patterns
}

# The data of one centre: its patterns, or its RDM. at: its columns of the source.
center_data <- function(source, at) {
  patterns <- cut_patterns(source$patterns, at)
  # the noise as rdm() takes it: a precision, or a covariance for each run
  noise <- cut_noise(source$noise, at)
  if (!is.null(noise$precision)) {
    channels <- source$channels[at]
    noise <- catch_error(noise$precision(channels), failed = function(e) {
      refuse(c("repalign_error_noise", "repalign_error_value"), "`noise` as a function failed for ",
             "the channels of a centre (first {quoted(channels[1])}): {conditionMessage(e)}")
    })
    usable <- is.matrix(noise) && is.numeric(noise) && all(dim(noise) == length(channels))
    refuse_if(!usable, c("repalign_error_noise", "repalign_error_value"), "`noise` as a function ",
              "must return a precision matrix of the columns that it is given ({length(channels)} ",
              "x {length(channels)}), not {describe(noise)}.")
    noise <- unname(noise)
  } else if (!is.null(noise)) {
    noise <- if (is.null(noise$runs)) chol2inv(chol(noise$covariance)) else noise$runs
  }
  if (source$is_rdm) {
    # which pairs lack is the same for all centres, and was said before
    values <- withCallingHandlers(
      pattern_distances(patterns, noise, source$settings)$d,
      repalign_undefined = function(w) invokeRestart("muffleWarning")
    )
    return(structure(values, Size = source$n, Diag = FALSE, Upper = FALSE, class = "dist"))
  }
  # the precision is R'R, for the upper R
  if (is.null(noise)) patterns$means else
    tcrossprod(patterns$means, precision_root(noise, patterns))
}

# The representation of one centre, which is like the first one: of the data, all that is not the
# matter of a centre was judged there.
center_repr <- function(source, at, name) {
  repr <- source$like
  repr$data <- center_data(source, at)
  if (source$is_rdm) repr$data <- check_dist(repr$data, "data", TRUE, TRUE) else
    dimnames(repr$data) <- NULL
  repr$name <- name
  repr$cache <- new_cache()
  repr
}

cut_noise <- function(noise, at) {
  cut <- function(x) x[at, at, drop = FALSE]
  if (!is.null(noise$covariance)) noise$covariance <- cut(noise$covariance)
  if (!is.null(noise$runs)) noise$runs <- lapply(noise$runs, cut)
  noise
}
