# encode() fits what predicts one representation from another to some stimuli, and scores it on the
# others.

#' @include result-class.R
NULL

#' Encoding: how well one representation predicts another
#'
#' Fits linear models that predict the neurons of one representation from another, and scores
#' predictions of stimuli that were left out.
#'
#' @param from,to what predicts (layers of a model, or [feature_spaces()]) and what is predicted (a
#'   recording, whose trials are averaged), as `x` and `y` of [similarity()]. A message (class
#'   `repalign_swapped`) says where `to` looks like layers and `from` does not: declared `complete`
#'   or a `"network"`; without trials, where `from` has some; or with more columns than stimuli.
#' @param method `"ridge"` regression; `"linear"`: least squares; `"pcr"`: on the leading principal
#'   components of `from`; `"pls"`: partial least squares.
#' @param score_by `"r2"`: the share of variance explained; `"cor"`: Pearson's correlation.
#' @param summary of neurons: `"weighted"` by their variance (default for R squared), `"median"`
#'   (default for correlations), or `"mean"`, which one neuron can make very low.
#' @param average of folds: `"pooled"`, one ratio over all (default for R squared), or `"folds"`,
#'   their mean (default for correlations).
#' @param folds a number of random folds; labels, one a stimulus; or a list of sets to test.
#' @param clusters labels of [dependent][dependence] stimuli: a cluster stays in one fold.
#' @param repeats how often new random folds are drawn.
#' @param lambda penalties of ridge regression, as those of scikit-learn, of which each training set
#'   chooses one. `NULL`: thirteen, 1e-4 to 1e4 times the variance of `from` in a direction. Of
#'   [feature_spaces()] all combinations, also without some spaces; or a matrix with a choice in
#'   each row and a space in each column, in which `Inf` leaves a space out.
#' @param per_neuron has each neuron a penalty of its own?
#' @param components how many components `"pcr"` and `"pls"` take.
#' @param standardize divide columns by their standard deviations over training stimuli?
#' @param permutations as in [calibrate()].
#' @param min_reliability neurons up to this reliability have no normalised score.
#' @param na,threads see [similarity()].
#' @param ... not used.
#' @return A data frame of class `repalign_encoding` with a row for each pair: `x` (of `from`), `y`
#'   (of `to`), with models `model_x` and `model_y`; `measure`; `score`; `normalized`, without the
#'   noise of trials; `ceiling`; `n` stimuli; `neurons`; `undefined`, neurons without a score;
#'   `folds`; `lambda`, its geometric mean; `at_end`, choices at an end of the grid; `p_value`.
#'
#'   `as.data.frame(result, part = "neurons")`: `neuron`, `score`, `reliability`, `normalized`,
#'   `lambda`. `part = "folds"`: `fold`, `score`, `lambda`, `n_train`, `n_test`, `undefined`. `part
#'   = "spaces"`: `space`, `split` (its share of R squared), `lambda`, `dropped` (choices that leave
#'   it out).
#'
#'   `predict()`: the predictions of stimuli left out; with `newdata` those of new stimuli, by a fit
#'   to all stimuli; with `space`, what this space adds to the mean. `coef()` of that fit:
#'   `intercept`, and `weights` (columns x neurons) or a matrix with the name of each feature space.
#'   `augment()`, for each pair, stimulus and neuron: `response`, `.fitted`, `.resid`.
#' @details
#' R squared is below 0 where predictions are worse than the mean of the training stimuli. P-values
#' are for no relation at all: an R squared below 0 can have a small one. Errors are those of
#' `score_interval(result)`, somewhat too small with one penalty, not the spread over folds.
#'
#' `reliability` is the share of a neuron's variance that is not noise of trials; `NA` where trials
#' are runs or share events. A normalised score is R squared over it, or the correlation over its
#' root. Noise in training makes the fit itself worse: compare areas of unequal noise by the
#' corrected [cka()].
#'
#' When not to trust it:
#' * near copies (frames, views) without `clusters`: an unrelated model can have an R squared of
#'   0.8. Identical rows of `from` in different folds give a warning of class `repalign_leakage`;
#' * principal components, z-scores or a choice of voxels of `to` from all stimuli: they leak what
#'   should be left out;
#' * trials of `from` and `to` that were recorded together: shared noise predicts as signal does (a
#'   warning of class `repalign_shared_noise`), but not in [cka()] by `"stimulus_neuron_trial"`.
#' @references Schrimpf et al. (2018), bioRxiv 407007 (Brain-Score). \enc{Dupré}{Dupre} la Tour et
#'   al. (2022), NeuroImage 264 (himalaya).
#' @examples
#' # 5 layers of a network predict V4, for the first 100 images: what predicts comes first
#' v4 <- macaque_v4$trials[1:100, , ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' result <- encode(layers, list(V4 = v4), lambda = 1e3)
#' result
#' score_interval(result)
#' # other images, which were not used to fit
#' dim(predict(result[5, ], v4_layers[[5]][101:200, ]))
#' @seealso [space_parts()], [held_out()], [noise_ceiling()]
#' @order 1
#' @export
encode <- function(from, to, method = c("ridge", "linear", "pcr", "pls"),
                   score_by = c("r2", "cor"), summary = NULL, average = NULL, folds = 5,
                   clusters = NULL, repeats = 1, lambda = NULL, per_neuron = FALSE,
                   components = NULL, standardize = FALSE, permutations = 0,
                   min_reliability = 0.1, na = c("error", "stimuli", "neurons"), threads = NULL,
                   ...) {
  need_arguments()
  settings <- encoding_settings(method, score_by, summary, average, lambda, per_neuron,
                                components, standardize, min_reliability)
  na <- check_choice(na, missing_rules, "na")
  call <- open_encoding(from, to, settings, na, clusters, permutations, threads)
  folds <- test_folds(folds, call, repeats)
  settings <- with_fold_average(settings, folds)
  settings <- check_spaces(settings, call$groups)
  warn_leakage(call$groups, folds, call$clusters)
  encoding_of(call, folds, settings, encoding_design(call, settings, permutations), threads)
}

# ---- arguments

encoding_methods <- c("ridge", "linear", "pcr", "pls")

encoding_settings <- function(method, score_by, summary, average, lambda, per_neuron, components,
                              standardize, min_reliability) {
  method <- check_choice(method, encoding_methods, "method")
  score_by <- check_choice(score_by, c("r2", "cor"), "score_by")
  if (is.null(summary)) summary <- if (score_by == "r2") "weighted" else "median"
  summary <- check_choice(summary, c("weighted", "median", "mean"), "summary")
  refuse_if(score_by == "cor" && summary == "weighted", "choice", "summary = \"weighted\" weighs ",
            "neurons by their variance, which is for R squared: with score_by = \"cor\" use ",
            "\"median\" or \"mean\".", arg = "summary")
  if (!is.null(average)) average <- check_choice(average, c("pooled", "folds"), "average")
  per_neuron <- check_flag(per_neuron, "per_neuron")
  if (!is.null(lambda)) {
    refuse_if(method != "ridge", "parameter", "`lambda` is for method = \"ridge\" only, not ",
              "{quoted(method)}.")
    grid <- is.matrix(lambda)
    usable <- is.numeric(lambda) && length(lambda) > 0 && length(dim(lambda)) != 1 &&
      !anyNA(lambda) && all(if (grid) lambda > -Inf else is.finite(lambda)) && all(lambda >= 0)
    refuse_if(!usable, "value", "`lambda` must be one or more finite numbers of at least 0, of ",
              "which each training set takes the best, or NULL for thirteen around the variance ",
              "of `from`. For several feature spaces it may be a matrix, with a row for each ",
              "choice and a column for each space (Inf leaves a space out).")
    refuse_if(grid && all(lambda == Inf), "value", "`lambda` leaves out all spaces: give a finite ",
              "penalty for one of them.")
    names <- if (grid) list(NULL, colnames(lambda))
    lambda <- unique(if (grid) matrix(as.double(lambda), nrow(lambda), dimnames = names) else
      as.double(lambda))
  }
  warn_if(per_neuron && (method != "ridge" || length(lambda) == 1), "unused",
          "`per_neuron` is used only where `lambda` is chosen among several: it has no effect ",
          "here.", data = "per_neuron")
  if (method %in% c("pcr", "pls")) {
    refuse_if(is.null(components), "missing", "`components` is missing: method = {quoted(method)} ",
              "needs their number, such as components = {if (method == 'pls') 25 else 100}.")
    components <- check_count(components, "components")
  }
  refuse_if(!is.null(components) && !method %in% c("pcr", "pls"), "parameter", "`components` is ",
            "for method = \"pcr\" and \"pls\", not {quoted(method)}.")
  list(method = method, score_by = score_by, summary = summary, average = average,
       lambda = lambda, per_neuron = per_neuron, components = components,
       standardize = check_flag(standardize, "standardize"),
       min_reliability = check_number(min_reliability, "min_reliability", below = 1),
       label = paste(method, score_by))
}

# How folds are averaged, which needs stimuli in each of them.
with_fold_average <- function(settings, folds) {
  least <- min(lengths(folds$test))
  if (is.null(settings$average)) {
    by_fold <- folds$overlapping || settings$score_by == "cor" && least >= 3
    settings$average <- if (by_fold) "folds" else "pooled"
  }
  refuse_if(folds$overlapping && settings$average == "pooled", "choice",
            "average = \"pooled\" counts each stimulus once, but `folds` is a list of sets, which ",
            "may overlap: use average = \"folds\", or give labels as `folds`.", arg = "average")
  refuse_if(least < 2 && settings$average == "folds", "choice", "average = \"folds\" needs at ",
            "least 2 stimuli in each fold (better 4), but some have one: use ",
            if (folds$overlapping) "larger sets." else "average = \"pooled\", or larger folds.",
            arg = "average")
  settings
}

# ---- what is given

# Both sides, judged as in every call. Trials of `to` are for its noise ceiling.
open_encoding <- function(from, to, settings, na, clusters, permutations, threads,
                          frame = parent.frame()) {
  threads <- hold_threads(threads, frame)
  sides <- encoding_sides(from, to, na)
  refuse_free_series(declares_series(list(from, to)), permutations, none = TRUE)
  # Which declared parts are honoured: clusters, and trials of `to` that tell of noise.
  parts <- lapply(sides[c("x", "y")], function(side) {
    known <- Filter(function(repr) !is.null(repr$responses), side$reprs)
    unlist(lapply(known, function(repr) declared_parts(repr$responses)))
  })
  noise <- "trials" %in% parts$y && !any(c("runs", "events") %in% parts$y)
  inform_if(noise && "trials" %in% parts$x, unused_classes, "Declared by responses(), but not ",
            "used: trials of `from`. Its means over trials predict.")
  warn_if(recorded_together(sides), "shared_noise",
          "{shared_noise_words('predicts as signal does')}")
  names_of <- function(side) vapply(side$reprs, title_of, "")
  # what is predicted is brains rather than layers, more often than not
  recorded <- all(vapply(sides$x$reprs, has_trials, NA))
  like_layers <- function(repr) {
    given <- unclass(repr$responses)
    isTRUE(given$complete) || identical(given$kind, "network") ||
      !has_trials(repr) && (recorded || ncol(repr$data) > nrow(repr$data))
  }
  spaces <- any(vapply(sides$groups, function(group) !is.null(group$spaces), NA))
  inform_if(!spaces && all(vapply(sides$y$reprs, like_layers, NA)) &&
              !any(vapply(sides$x$reprs, like_layers, NA)), "swapped",
            "Here {predicts_words(names_of(sides$x), names_of(sides$y))}, and `to` looks like ",
            "layers of a model (declared as such, without trials, or with more columns than ",
            "stimuli). If it is, the other way round is encode(to, from).")
  # names of neurons matter only where a neuron could predict itself
  neurons <- lapply(sides[c("x", "y")], function(side) {
    unlist(lapply(side$reprs, function(repr) {
      if (!is.null(repr$responses)) unclass(repr$responses)$neuron
    }))
  })
  used <- c("clusters", if (noise) "trials", if (!any(neurons$x %in% neurons$y)) "neurons")
  measure <- list(id = "encode", label = settings$label, args = list(), declaration = list(
    id = "encode", own = FALSE, direction = "similarity", range = c(-Inf, 1), accepts = "data",
    pairing = TRUE, uses = function(args) used
  ))
  call <- open_sides(sides, list(measure), na, clusters, use = "null", why = "a fold",
                     remedy = if (all_orders(permutations)) encode_remedy,
                     relabel = FALSE, grid = FALSE, own_clusters = FALSE, frame = frame)
  stop_at_refusals(call$sides)
  for (repr in all_representations(call$sides)) {
    if (has_holes(repr)) check_finite(repr$data, repr$arg)
  }
  check_rows(call$n, 4, call$sides$x$reprs[[1]]$arg, "a prediction of stimuli that are left out")
  call$groups <- joined_groups(sides$groups, call$sides$x)
  call$sides$x$models <- call$sides$x$models[vapply(sides$groups, function(group) group$at[1], 0L)]
  call$pairs <- list_pairs(list(x = list(reprs = call$groups), y = call$sides$y, self = FALSE),
                           FALSE)
  call$threads <- threads
  call
}

encode_remedy <- paste("Name stimuli that depend on each other in `clusters`, or give a design of",
                       "permute::how() in `permutations`, which can also shift a series.")

encoding_sides <- function(from, to, na) {
  for (arg in c("from", "to")) {
    given <- get(arg)
    refuse_results(given, arg)
    parts <- list(given)
    # models are lists of layers
    if (is_collection(given)) {
      parts <- unlist(lapply(given, function(part) if (is_collection(part)) part else list(part)),
                      recursive = FALSE)
    }
    refuse_if(any(vapply(parts, is_prepared, NA)), "type", "`{arg}` was prepared by prepare(), ",
              "which knows no folds: give the data themselves.")
  }
  allow_na <- na != "error"
  groups <- space_groups(from)
  x <- as_side(with_separate_spaces(from), "from", allow_na)
  y <- as_side(with_trials(to), "to", allow_na)
  y$reprs <- on_side_y(y)$reprs
  x$reprs <- lapply(x$reprs, function(repr) replace(repr, "side", "x"))
  for (repr in c(x$reprs, y$reprs)) need_kind(repr, "data", "encode()")
  reprs <- with_common_stimuli(c(x$reprs, y$reprs))
  at <- seq_along(x$reprs)
  x$reprs <- reprs[at]
  y$reprs <- reprs[-at]
  list(x = x, y = y, self = FALSE, same = FALSE, models = x$is_models || y$is_models,
       groups = groups)
}

# Arrays are trials. Where nothing was repeated, the empty slots say nothing.
with_trials <- function(given) {
  if (is_collection(given)) return(lapply(given, with_trials))
  if (!is.array(given) || length(dim(given)) != 3) return(given)
  repeated <- rowSums(colSums(aperm(!is.na(given), c(2, 1, 3))) > 0) > 1
  if (any(repeated) || !is.numeric(given)) return(responses(given))
  responses(array(rowMeans(given, na.rm = TRUE, dims = 2), c(dim(given)[1:2], 1),
                  c(dimnames(given)[1:2], list(NULL))))
}

# ---- leakage

# Rows of `from` that are equal are predicted from each other where folds separate them.
warn_leakage <- function(reprs, folds, codes) {
  for (repr in reprs) {
    x <- do.call(cbind, repr$data)
    sums <- rowSums(x)
    # sums find candidates, because equal rows have equal sums
    candidates <- which(sums %in% sums[duplicated(sums)])
    key <- vapply(candidates, function(i) paste(sprintf("%a", x[i, ]), collapse = " "), "")
    equal <- unname(split(candidates, match(key, key)))
    apart <- Filter(function(rows) {
      any(vapply(folds$test, function(test) {
        inside <- rows %in% test
        any(inside) && !all(inside)
      }, NA))
    }, equal)
    if (!length(apart)) next
    warn("leakage", "`{repr$arg}` has identical rows in different folds, such as rows ",
         "{enumerate(apart[[1]], 4, quote = FALSE)} ({count_of(length(apart), 'such group')}): if ",
         "they are copies of one stimulus, and not stimuli that `from` cannot tell apart, the ",
         "score counts what was learnt by heart. ",
         if (is.null(codes)) "Name copies in `clusters`, which no fold splits." else
           "Let copies share a label in `clusters`.", data = apart)
    return(invisible())
  }
}

# ---- compute

# The targets side by side: list(y, of, unit, constant): centred columns of all of them, the target
# of each, in the units of each target, and which of them are constant.
bound_targets <- function(reprs) {
  parts <- lapply(reprs, function(repr) {
    y <- matrix(as.vector(repr$data), nrow(repr$data))
    means <- colMeans(y)
    y <- y - rep(means, each = nrow(y))
    list(y = y, means = means, constant = apply(abs(y), 2, max) <=
           tie_share * apply(abs(repr$data), 2, max), unit = unit_of(y))
  })
  list(y = do.call(cbind, lapply(parts, function(part) part$y / part$unit)),
       of = rep(seq_along(parts), vapply(parts, function(part) ncol(part$y), 0L)),
       unit = vapply(parts, function(part) part$unit, 0),
       means = lapply(parts, function(part) part$means),
       names = lapply(reprs, function(repr) colnames(repr$data)),
       constant = unlist(lapply(parts, function(part) part$constant)))
}

# design: the permutations, or NULL.
encoding_of <- function(call, folds, settings, design, threads) {
  targets <- bound_targets(call$sides$y$reprs)
  targets$stimuli <- first_stimulus_names(all_representations(call$sides))
  layers <- call$groups
  columns <- length(targets$of)
  check_memory(8 * (as.double(length(layers) + 3) * sum(lengths(folds$test)) * columns +
                      4 * as.double(call$n) * columns),
               "The predictions of all pairs", "Fewer layers, neurons or repeats need less.")
  job <- list(run = encoding_tile, set = list(), targets = targets, folds = folds,
              settings = settings, codes = call$clusters, design = design,
              args = vapply(layers, function(layer) layer$arg, ""),
              noise = lapply(call$sides$y$reprs, target_noise))
  parts <- if (worker_count() > 0 && length(layers) > 1) {
    # each worker of the user's future plan gets one layer and all targets
    tiles <- lapply(seq_along(layers), function(i) {
      list(x = list(reprs = lapply(layers[[i]]$data, function(data) list(data = data))),
           layer = i)
    })
    found <- results_of_tiles(tiles_of_workers(tiles, job, threads), tiles[[1]])
    signal_once(unlist(lapply(found, function(part) part$said), recursive = FALSE))
    found
  } else {
    advance <- progress_along(length(layers) * length(folds$test))
    lapply(seq_along(layers), function(i) encoded_layer(layers[[i]]$data, i, job, advance))
  }
  all_of <- function(part) unlist(lapply(parts, function(found) found[[part]]), recursive = FALSE)
  encoding_result(all_of("cells"), c(call, list(design = design)), folds, settings,
                  all_of("p_value"))
}

encoding_tile <- function(tile, job, run) {
  encoded_layer(lapply(tile$x$reprs, function(repr) repr$data), tile$layer, job, function() NULL)
}

# One model, which has the number i, with all targets: list(cells, p_value).
encoded_layer <- function(data, i, job, advance) {
  settings <- job$settings
  model <- encoding_model(data, settings, job$args[i])
  found <- predict_model(model, job$targets$y, job$targets$of, job$folds, settings, job$codes,
                         advance)[[1]]
  sums <- fold_sums(job$targets$y, job$folds, found$values)
  cells <- lapply(seq_along(job$noise), function(j) {
    cell <- encoding_cell(found, sums, job$targets, j, job$noise[[j]], model, job$folds, settings)
    c(cell, list(call = 1L, layer = i, target = j))
  })
  if (is.null(job$design)) return(list(cells = cells))
  null <- encoding_null(model, job$targets, job$folds, settings, job$codes, job$design)
  list(cells = Map(function(cell, j) c(cell, list(null = null[, j])), cells, seq_along(cells)),
       p_value = apply(null, 2, function(values) {
         p_at_least(values, equal_share * max(1, abs(values[1])))
       }))
}

# list(reliability, unknown): the reliability of each neuron, which is NA where nothing was repeated
# or trials share noise in a way that this does not know of, and then why; NULL without responses().
target_noise <- function(repr) {
  if (is.null(repr$responses)) return(NULL)
  shared <- any(c("runs", "events") %in% declared_parts(repr$responses))
  unknown <- if (!has_trials(repr)) "single" else if (shared) "shared"
  if (!is.null(unknown)) {
    return(list(reliability = rep(NA_real_, ncol(repr$data)), unknown = unknown))
  }
  # 1 - (variance within stimuli * mean(1 / T_i)) / variance of the means, with T_i trials of
  # stimulus i; NA where nothing was repeated
  values <- unclass(repr$responses)$values
  values <- values / unit_of(values[!is.na(values)])
  count <- rowSums(!is.na(values), dims = 2)
  means <- rowMeans(values, na.rm = TRUE, dims = 2)
  within <- 0
  for (t in seq_len(dim(values)[3])) {
    within <- within + colSums(matrix(values[, , t] - means, nrow(means))^2, na.rm = TRUE)
  }
  repeats <- colSums(count - 1)
  between <- apply(means, 2, stats::var)
  reliability <- 1 - within / repeats * colMeans(1 / count) / between
  list(reliability = replace(reliability, repeats == 0 | between == 0, NA), unknown = NULL)
}

# One pair: its numbers, and the tables of its neurons and folds.
encoding_cell <- function(found, sums, targets, j, noise, model, folds, settings) {
  at <- which(targets$of == j)
  sums <- sums_of(sums, at)
  scores <- neuron_scores(sums, folds, settings)
  scores[targets$constant[at]] <- NA
  score <- target_score(scores, sums, settings)
  reliability <- if (is.null(noise)) rep(NA_real_, length(at)) else noise$reliability
  ceiling <- target_ceiling(scores, reliability, sums, settings)
  chosen <- found$chosen[, at, drop = FALSE]
  # models of several spaces have a penalty for each
  lambda <- matrix(if (settings$method == "ridge" && length(model$spaces) == 1)
    model$given[chosen, 1] else NA_real_, nrow(chosen), ncol(chosen))
  counted <- if (settings$per_neuron) chosen else chosen[, 1]
  few <- !is.na(reliability) & reliability <= settings$min_reliability
  list(
    score = score, normalized = ceiling$normalized, ceiling = ceiling$ceiling,
    neurons = length(at), undefined = sum(is.na(scores)), lambda = exp(mean(log(lambda))),
    at_end = sum(model$at_end[counted]), chosen = chosen, penalties = lambda,
    fixed = length(model$penalty) == 1, choices = length(counted),
    unreliable = sum(few),
    by_neuron = list(score = scores, reliability = reliability,
                     normalized = normalised_scores(scores, reliability, settings),
                     lambda = exp(colMeans(log(lambda)))),
    by_fold = list(fold = folds$name, repeat_of = folds$repeat_of,
                   score = fold_scores(scores, sums, settings),
                   lambda = exp(rowMeans(log(lambda))),
                   n_train = nrow(targets$y) - lengths(folds$test),
                   n_test = lengths(folds$test),
                   undefined = if (settings$score_by == "cor") {
                     rowSums(matrix(is.na(sums[, !is.na(scores), "cor"]), dim(sums)[1]))
                   } else rep(0, dim(sums)[1])),
    n = nrow(targets$y), test = folds$test, stimuli = targets$stimuli,
    no_ceiling = noise$unknown,
    predictions = lapply(found$values, function(values) {
      values <- values[, at, drop = FALSE] * targets$unit[j] +
        rep(targets$means[[j]], each = nrow(values))
      colnames(values) <- targets$names[[j]]
      values
    })
  )
}
