# rdm() makes dissimilarities between conditions.

#' @include conditions.R
NULL

rdm_distances <- c("crossnobis", "sqeuclidean", "mahalanobis", "correlation", "poisson",
                   "poisson_cv")

cross_validated <- c("crossnobis", "poisson_cv")

#' Representational dissimilarity matrices
#'
#' `rdm()` makes the dissimilarities between all pairs of conditions from recordings with repeats or
#' runs: with cross-validation over runs, which takes out what noise adds to a dissimilarity, and
#' with noise normalization.
#'
#' @param x the data: a numeric matrix (or data frame) with a row for each observation and a column
#'   for each channel (neuron, voxel), with labels in `condition` and `run`; or an array conditions
#'   x channels x repeats, such as [trial_array()] makes, whose repeats are the runs unless `run`
#'   says otherwise; a repeat that is missing is `NA` in all channels. Or a [responses()] object,
#'   whose events are the runs. A named list of these gives a named list of RDMs.
#' @param condition for each row of a matrix the label of its condition. Conditions are sorted by
#'   label (by level, if it is a factor). `NULL`: each row is a condition. Rows of an array are
#'   conditions in any case, and keep their order. When `x` is a list: labels for all of its
#'   elements, or a list of labels with the same names.
#' @param run for each row of a matrix, or each repeat of an array, the label of its run. Runs are
#'   what has noise of its own; `"crossnobis"` and `"poisson_cv"` need them, the others take no
#'   notice. When `x` is a list, see `condition`.
#' @param distance the kind of dissimilarity, see below.
#' @param noise for `"crossnobis"` and `"mahalanobis"`: the precision matrix of the noise
#'   ([noise_precision()]). For `"crossnobis"` also a list with one *covariance* matrix for each run
#'   (`noise_covariance(by_run = TRUE)`), by name or in the order of the sorted labels. `NULL`:
#'   noise is taken to be equal and independent (`"crossnobis"` only). When `x` is a list: one for
#'   all, or a list with the names of `x`.
#' @param weights for `"crossnobis"`: how much a pair of runs counts. `"equal"`: all the same.
#'   `"repeats"`: by the inverse of the variance without signal, the product over both runs of
#'   \eqn{r_i r_j / (r_i + r_j)} for the numbers of observations r of both conditions.
#' @param center_patterns subtract from each pattern its mean over the channels first? Not for
#'   `"poisson"` and `"poisson_cv"`.
#' @param prior_rate,prior_weight for `"poisson"` and `"poisson_cv"`: rates are (mean count +
#'   `prior_rate` * `prior_weight`) / (1 + `prior_weight`), which keeps logarithms finite.
#' @return An object of class `c("repalign_rdm", "dist")`: the dissimilarities in the order of
#'   [stats::dist()], with the labels of the conditions. It goes wherever a `dist` object does:
#'   [rsa()], [similarity()], [calibrate()], [stats::hclust()]; `as.matrix()` makes the full matrix,
#'   `as.data.frame()` a table with the columns `x`, `y`, `dissimilarity` and `pairs` (for
#'   `"crossnobis"`, of how many pairs of runs the entry is the mean). See [plot.repalign_rdm()] for
#'   pictures and [transform_rdm()] for ranks and the like. For a list, a list of class
#'   `"repalign_rdms"`.
#' @details
#' Let \eqn{b_i} be the mean pattern of condition i over all observations, \eqn{b_{mi}} that of run
#' m, p the number of channels, and \eqn{\Omega} the precision of the noise.
#'
#' * `"crossnobis"`: the mean over all pairs of different runs m and l, in both of which both
#'   conditions occur, of \eqn{(b_{mi} - b_{mj})^T \Omega (b_{li} - b_{lj}) / p}. With complete runs
#'   this is the same as leaving out one run at a time. The noise of different runs is independent,
#'   so that the mean of the estimate is the true squared distance: 0 if the conditions do not
#'   differ. Estimates may therefore be negative, and these must stay as they are. If `noise` is a
#'   list, the precision for runs m and l is the inverse of the mean of both covariances. Pairs of
#'   conditions with fewer than two common runs are `NA`, with a warning. What is added to all
#'   conditions of a run cancels.
#' * `"sqeuclidean"`: \eqn{|b_i - b_j|^2 / p}.
#' * `"mahalanobis"`: \eqn{(b_i - b_j)^T \Omega (b_i - b_j) / p}.
#' * `"correlation"`: 1 - the correlation of \eqn{b_i} and \eqn{b_j} over the channels.
#' * `"poisson"`: the symmetric Kullback-Leibler divergence of Poisson variables, the mean over
#'   channels of \eqn{(\rho_i - \rho_j)(\log \rho_i - \log \rho_j)} for the rates \eqn{\rho}.
#' * `"poisson_cv"`: the same with the first factor from all other runs and the logarithms from run
#'   m, averaged over m.
#'
#' `"sqeuclidean"`, `"mahalanobis"` and `"poisson"` are too large by what noise adds, and
#' `"correlation"` is biased too. All but `"correlation"` are squared distances divided by the
#' number of channels. Measures that ask for distances, such as [distance_correlation()], take the
#' values as they are: `transform_rdm(x, "sqrt")` gives distances.
#'
#' The RDM of some of the conditions is `subset(x, conditions)`, see [subset.repalign_rdm()].
#'
#' When not to trust it: observations of different runs must have independent noise; neighbouring
#' trials of one run do not. An RDM of few conditions or with negative values is noisy; see
#' [score_interval()] and [calibrate()] for what that means for scores.
#' @references Walther et al. (2016), NeuroImage 137. Diedrichsen et al. (2021), Neurons, Behavior,
#'   Data Analysis and Theory 5. Schuett et al. (2023), eLife 12.
#' @examples
#' set.seed(1)
#' # 6 conditions x 30 channels, measured in 4 runs
#' patterns <- matrix(rnorm(6 * 30), 6)
#' design <- expand.grid(condition = paste0("image", 1:6), run = 1:4)
#' measured <- patterns[as.integer(design$condition), ] + rnorm(24 * 30)
#' d <- rdm(measured, design$condition, design$run)
#' d
#' head(as.data.frame(d))
#' # noise normalization
#' precision <- noise_precision(measured, design$condition)
#' rdm(measured, design$condition, design$run, noise = precision)
#' # several subjects, and a comparison of their RDMs
#' subjects <- list(s1 = measured, s2 = measured + rnorm(24 * 30))
#' rdms <- rdm(subjects, design$condition, design$run)
#' similarity(rdms, measure = "rsa")
#' @seealso [plot.repalign_rdm()], [noise_covariance()], [transform_rdm()], [rsa()]
#' @export
rdm <- function(x, condition = NULL, run = NULL,
                distance = c("crossnobis", "sqeuclidean", "mahalanobis", "correlation", "poisson",
                             "poisson_cv"),
                noise = NULL, weights = c("equal", "repeats"), center_patterns = FALSE,
                prior_rate = 1, prior_weight = 0.1) {
  need_arguments()
  settings <- list(
    distance = check_choice(distance, rdm_distances, "distance"),
    weights = check_choice(weights, c("equal", "repeats"), "weights"),
    center_patterns = check_flag(center_patterns, "center_patterns"),
    prior_rate = check_number(prior_rate, "prior_rate", above = 0),
    prior_weight = check_not_negative(prior_weight, "prior_weight")
  )
  check_rdm_settings(settings, noise)
  labels <- list(condition = condition, run = run)
  if (!is_collection(x)) return(one_rdm(x, labels, noise, settings))
  rdm_of_each(x, labels, noise, settings)
}

check_rdm_settings <- function(settings, noise) {
  distance <- settings$distance
  poisson <- distance %in% c("poisson", "poisson_cv")
  if (settings$center_patterns && poisson) {
    abort("`center_patterns` must be FALSE for distance = ", dQuote(distance, FALSE), ": rates ",
          "are not negative.", class = "repalign_error_value", arg = "center_patterns")
  }
  if (settings$weights == "repeats" && distance != "crossnobis") {
    abort("`weights` = \"repeats\" is about pairs of runs, which distance = ",
          dQuote(distance, FALSE), " does not use: leave it out, or take \"crossnobis\".",
          class = "repalign_error_value", arg = "weights")
  }
  if (!is.null(noise) && !distance %in% c("crossnobis", "mahalanobis")) {
    abort("`noise` has no meaning for distance = ", dQuote(distance, FALSE), ": leave it out, or ",
          "take ", if (distance == "sqeuclidean") "\"mahalanobis\"" else "\"crossnobis\"", ".",
          class = "repalign_error_value", arg = "noise")
  }
  if (is.null(noise) && distance == "mahalanobis") {
    abort("`noise` is missing: distance = \"mahalanobis\" needs the precision of the noise, as ",
          "noise_precision() gives it. Without it take \"sqeuclidean\".",
          class = "repalign_error_missing", arg = "noise")
  }
}

# An RDM of each element of a list. What goes wrong names the element.
rdm_of_each <- function(x, labels, noise, settings) {
  names <- check_element_names(x, "x")
  labels <- labels_of_each(labels, names)
  refuse_nameless_precisions(noise, names)
  by_name <- is.list(noise) && !is.null(names(noise)) && all(names %in% names(noise))
  noise <- for_each_element(noise, names, "noise", by_name)
  result <- lapply(stats::setNames(nm = names), function(name) {
    of_element(name, one_rdm(x[[name]], lapply(labels, `[[`, name), noise[[name]], settings))
  })
  new_rdms(result)
}

labels_of_each <- function(labels, names) {
  lapply(c(condition = "condition", run = "run"), function(arg) {
    for_each_element(labels[[arg]], names, arg, is.list(labels[[arg]]))
  })
}

# A list without names is taken for covariances of runs, which precisions are not.
refuse_nameless_precisions <- function(noise, names) {
  precisions <- is.list(noise) && is.null(names(noise)) && length(noise) > 0 &&
    all(vapply(noise, function(one) identical(attr(one, "kind"), "precision"), NA))
  if (!precisions) return(invisible())
  abort("`noise` is a list of precisions without names: name each by the element of `x` that it ",
        "is for, such as ", dQuote(names[1], FALSE), ".", class = "repalign_error_labels",
        arg = "noise")
}

for_each_element <- function(value, names, arg, listed) {
  if (!listed) return(stats::setNames(rep(list(value), length(names)), names))
  missing <- setdiff(names, names(value))
  if (length(missing)) {
    abort("`", arg, "` has no element ", dQuote(missing[1], FALSE), ": as a list it needs one for ",
          "each element of `x`, with the same names.", class = "repalign_error_labels", arg = arg)
  }
  value[names]
}

of_element <- function(name, code) at_place(paste0("x$", name), code)

# Errors and warnings of the code name the place that it works on.
at_place <- function(place, code) {
  withCallingHandlers(
    tryCatch(code, repalign_error = function(e) {
      e$message <- paste0(place, ": ", conditionMessage(e))
      stop(e)
    }),
    repalign_warning = function(w) {
      w$message <- paste0(place, ": ", conditionMessage(w))
      warning(w)
      invokeRestart("muffleWarning")
    }
  )
}

one_rdm <- function(x, labels, noise, settings) {
  note_plain_covariances(noise)
  by_run <- settings$distance %in% cross_validated
  if (by_run) need_run_labels(x, labels, settings$distance)
  patterns <- run_patterns(x, labels$condition, labels$run, by_run)
  check_patterns(patterns, settings)
  check_memory(8 * packed_length(nrow(patterns$means)), "The RDM", "Take fewer conditions.")
  found <- switch(
    settings$distance,
    crossnobis = crossnobis_values(patterns, noise, settings),
    correlation = list(d = correlation_values(patterns)),
    poisson = list(d = poisson_values(patterns, settings)),
    poisson_cv = list(d = poisson_cv_values(patterns, settings)),
    list(d = squared_values(patterns, noise, settings))
  )
  if (any(is.infinite(found$d) | is.nan(found$d))) {
    abort("The dissimilarities of `x` are too large for a double: rescale the data.",
          class = "repalign_error_value", arg = "x")
  }
  refuse_tiny(found$d, patterns, settings$distance)
  new_rdm(found$d, nrow(patterns$means), patterns$labels, settings$distance, found$pairs)
}

# Squares of very small values have few digits left, or none.
refuse_tiny <- function(d, patterns, distance) {
  squared <- distance %in% c("crossnobis", "sqeuclidean", "mahalanobis")
  if (!squared || max(abs(d), na.rm = TRUE) > 1e16 * .Machine$double.xmin) return(invisible())
  if (all(centered_patterns(patterns, FALSE) == 0)) return(invisible())
  abort("The dissimilarities of `x` are too small for a double: rescale the data.",
        class = "repalign_error_value", arg = "x")
}

need_run_labels <- function(x, labels, distance) {
  if (is_responses(x) || length(dim(x)) != 2) return(invisible())
  missing <- names(Filter(is.null, labels))
  if (!length(missing)) return(invisible())
  abort("`", missing[1], "` is missing: distance = ", dQuote(distance, FALSE), " needs the ",
        "condition and the run of each row of `x`, or an array conditions x channels x repeats. ",
        "Without runs, take distance = \"sqeuclidean\", \"correlation\" or \"poisson\".",
        class = "repalign_error_missing", arg = missing[1])
}

check_patterns <- function(patterns, settings) {
  if (nrow(patterns$means) < 2) {
    abort("`condition` names one condition, but a dissimilarity is between two: give two ",
          "conditions or more.", class = "repalign_error_size", arg = "condition")
  }
  if (settings$distance %in% cross_validated && length(patterns$runs) < 2) {
    abort("`run` names one run, but distance = ", dQuote(settings$distance, FALSE), " needs two ",
          "or more, with independent noise. From one run, take \"sqeuclidean\", ",
          "\"mahalanobis\" or \"poisson\".", class = "repalign_error_size", arg = "run")
  }
  absent <- which(rowSums(patterns$counts) == 0)
  if (length(absent) && settings$distance != "crossnobis") {
    abort("`x` has no observation of condition ", condition_title(patterns$labels, absent[1]),
          ": leave it out.", class = "repalign_error_nonfinite", arg = "x")
  }
}
