# rdm() makes dissimilarities between conditions, from patterns in runs.

#' @include base-check.R
NULL

# ---- rdm

# rdm() makes dissimilarities between conditions.

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

# ---- rdm distances

# The dissimilarities of rdm(), from patterns of conditions (run_patterns()).

# ---- one pattern for each condition

# Patterns conditions x channels, centred as far as that changes no dissimilarity.
centered_patterns <- function(patterns, center_channels, root = NULL) {
  .Call(C_run_patterns, patterns$means, patterns$counts, center_channels, root, thread_count())
}

squared_values <- function(patterns, noise, settings) {
  root <- if (!is.null(noise)) precision_root(noise, patterns)
  rows <- centered_patterns(patterns, settings$center_patterns, root)
  d <- .Call(C_distances, rows, numeric(ncol(rows)), 1, thread_count(), NULL)
  d^2 / patterns$channels
}

correlation_values <- function(patterns) {
  if (patterns$channels == 1) {
    abort("`x` has one channel, but patterns are correlated over channels: give three or more, or ",
          "take distance = \"sqeuclidean\".", class = "repalign_error_size", arg = "x")
  }
  if (patterns$channels == 2) {
    warn("`x` has two channels, so that every correlation between patterns is 1 or -1: the RDM ",
         "carries almost no information. Take distance = \"sqeuclidean\".",
         class = "repalign_degenerate", data = "x")
  }
  unit <- .Call(C_unit_rows, patterns$means, TRUE, thread_count())
  if (length(unit$bad)) {
    abort("`x` has the same value in all channels for ", count_of(length(unit$bad), "condition"),
          ", first ", condition_title(patterns$labels, unit$bad[1]), ": a constant pattern has no ",
          "correlation. Leave these conditions out, or take distance = \"sqeuclidean\".",
          class = "repalign_error_constant_row", arg = "x")
  }
  .Call(C_unit_distances, unit$rows, thread_count())
}

# ---- counts

poisson_values <- function(patterns, settings) {
  rates <- poisson_rates(patterns$means, settings)
  .Call(C_difference_products, without_column_means(rates), without_column_means(log(rates))) /
    patterns$channels
}

# The factors of all runs stand side by side: one product gives the sum over runs.
poisson_cv_values <- function(patterns, settings) {
  refuse_missing_cell(patterns)
  runs <- length(patterns$runs)
  number <- patterns$counts[, rep(seq_len(runs), each = patterns$channels)]
  sums <- patterns$means * number
  total <- rowSums(array(sums, c(nrow(sums), patterns$channels, runs)), dims = 2)
  others <- (as.vector(total) - sums) / (rowSums(patterns$counts) - number)
  rates <- poisson_rates(others, settings)
  logs <- log(poisson_rates(patterns$means, settings))
  .Call(C_difference_products, without_column_means(rates), without_column_means(logs)) /
    (patterns$channels * runs)
}

refuse_missing_cell <- function(patterns) {
  missing <- which(patterns$counts == 0, arr.ind = TRUE)
  if (!nrow(missing)) return(invisible())
  abort("`x` has no observation of condition ",
        condition_title(patterns$labels, missing[1, 1]), " in run ",
        dQuote(patterns$runs[missing[1, 2]], FALSE), if (nrow(missing) > 1) {
          paste0(", and ", nrow(missing) - 1, " more are missing")
        }, ": distance = \"poisson_cv\" needs each condition in each run. Leave out conditions or ",
        "runs, or take \"poisson\".", class = "repalign_error_nonfinite", arg = "x")
}

poisson_rates <- function(means, settings) {
  if (any(means < 0)) {
    abort("`x` has negative values, but distance = ", dQuote(settings$distance, FALSE),
          " is for counts or rates: take \"crossnobis\" or \"sqeuclidean\".",
          class = "repalign_error_value", arg = "x")
  }
  rates <- (means + settings$prior_rate * settings$prior_weight) / (1 + settings$prior_weight)
  if (all(rates > 0)) return(rates)
  abort("`prior_weight` is 0, but some mean counts of `x` are 0 too, and have no logarithm: give ",
        "a `prior_weight` above 0.", class = "repalign_error_value", arg = "prior_weight")
}

# ---- cross-validated distances

# list(d, pairs): pairs is of how many pairs of runs each value is the mean.
crossnobis_values <- function(patterns, noise, settings) {
  by_run <- is.list(noise)
  root <- if (!is.null(noise) && !by_run) precision_root(noise, patterns)
  covariances <- if (by_run) run_covariances(noise, patterns)
  rows <- centered_patterns(patterns, settings$center_patterns, root)
  runs <- length(patterns$runs)
  counts <- patterns$counts
  even <- all(counts == counts[1]) || settings$weights == "equal" && all(counts > 0)
  if (even && !by_run) {
    return(list(d = .Call(C_crossnobis, rows, runs), pairs = runs * (runs - 1) / 2))
  }
  sums <- .Call(C_crossnobis_by_pair, rows, counts, settings$weights == "repeats", covariances)
  none <- sums$number == 0
  if (any(none)) tell_missing_pairs(none, patterns)
  d <- sums$products / sums$weights / patterns$channels
  d[none] <- NA_real_
  list(d = d, pairs = sums$number)
}

tell_missing_pairs <- function(none, patterns) {
  n <- nrow(patterns$counts)
  first <- stimuli_of_distance(which(none)[1], n)
  pair <- paste(condition_title(patterns$labels, first[1]), "and",
                condition_title(patterns$labels, first[2]))
  if (all(none)) {
    abort("`run`: no two conditions have two runs in common, which distance = \"crossnobis\" ",
          "needs. Label larger pieces of the recording as runs, or take \"sqeuclidean\".",
          class = "repalign_error_size", arg = "run")
  }
  warn(sum(none), " of ", count_of(length(none), "pair"), " of conditions ",
       if (sum(none) > 1) "have" else "has", " fewer than two runs in common, first ", pair,
       ": ", if (sum(none) > 1) "their dissimilarities are" else "its dissimilarity is", " NA.",
       class = "repalign_undefined", data = sum(none))
}

# ---- noise

# The upper R of a precision R'R.
precision_root <- function(noise, patterns) {
  if (is.list(noise)) {
    abort("`noise` is a list, one covariance a run, which only distance = \"crossnobis\" takes: ",
          "give one precision matrix, as noise_precision() does.",
          class = "repalign_error_type", arg = "noise")
  }
  if (identical(attr(noise, "kind"), "covariance")) {
    abort("`noise` is a covariance, but one matrix for all runs must be a precision: give ",
          "noise_precision() in place of noise_covariance().", class = "repalign_error_value",
          arg = "noise")
  }
  definite_root(noise, patterns, "`noise`")
}

# What is checked of a precision, or of the covariance of a run; returns its Cholesky root.
definite_root <- function(noise, patterns, what) {
  wrong <- function(...) {
    abort(what, ..., class = "repalign_error_value", arg = "noise")
  }
  if (!is.matrix(noise) || !is.numeric(noise)) {
    wrong(" must be a numeric matrix, channels x channels, not ", describe(noise), ".")
  }
  if (nrow(noise) != patterns$channels || ncol(noise) != patterns$channels) {
    wrong(" is ", nrow(noise), " x ", ncol(noise), ", but `x` has ",
          count_of(patterns$channels, "channel"), ": it must be made from the same channels.")
  }
  if (!all(is.finite(noise))) wrong(" has missing or infinite values: compute it again.")
  named <- !is.null(colnames(noise)) && !is.null(patterns$names)
  if (named && !identical(colnames(noise), patterns$names)) {
    at <- which(colnames(noise) != patterns$names)[1]
    wrong(" has the channel ", dQuote(colnames(noise)[at], FALSE), " in place ", at, " where `x` ",
          "has ", dQuote(patterns$names[at], FALSE), ": bring them into the same order.")
  }
  noise <- unname(noise) + 0
  if (!equals_transpose(noise)) {
    wrong(" is not symmetric: noise_precision() and noise_covariance() give symmetric matrices.")
  }
  root <- tryCatch(chol((noise + t(noise)) / 2), error = function(e) NULL)
  if (is.null(root)) {
    wrong(" is not positive definite: use a shrinkage method of noise_covariance().")
  }
  root
}

# A list without names goes by the order of the runs, which is another one for numbers as text.
refuse_order_of_text <- function(runs) {
  numbers <- suppressWarnings(as.numeric(runs))
  if (anyNA(numbers) || !is.unsorted(numbers)) return(invisible())
  abort("`noise` is a list without names, and the labels of the runs sort as text: ",
        enumerate(runs, 4), ". Name its elements by the runs.", class = "repalign_error_labels",
        arg = "noise")
}

# What noise_covariance() returned says what it is, another matrix does not.
note_plain_covariances <- function(noise) {
  if (!is.list(noise) || all(vapply(noise, inherits, NA, "repalign_noise"))) return(invisible())
  inform("`noise` is a list of plain matrices: each is taken for the covariance of a run, not for ",
         "a precision.", class = "repalign_plain_noise")
}

# A covariance for each run, in the order of the runs.
run_covariances <- function(noise, patterns) {
  runs <- patterns$runs
  if (length(noise) != length(runs)) {
    abort("`noise` has ", count_of(length(noise), "element"), ", but there are ",
          count_of(length(runs), "run"), ": give one covariance a run, or one precision for all.",
          class = "repalign_error_value", arg = "noise")
  }
  if (!is.null(names(noise))) {
    unknown <- setdiff(runs, names(noise))
    if (length(unknown)) {
      abort("`noise` has no element for run ", dQuote(unknown[1], FALSE), ": name its elements ",
            "by the runs, or leave out their names.", class = "repalign_error_labels",
            arg = "noise")
    }
    noise <- noise[runs]
  } else {
    refuse_order_of_text(runs)
  }
  lapply(seq_along(noise), function(m) {
    if (identical(attr(noise[[m]], "kind"), "precision")) {
      abort("`noise` has precisions of the runs, but a list must hold covariances: give ",
            "noise_covariance(by_run = TRUE).", class = "repalign_error_value", arg = "noise")
    }
    covariance <- noise[[m]]
    definite_root(covariance, patterns, paste0("`noise` of run ", dQuote(runs[m], FALSE)))
    covariance <- matrix(as.double(covariance), patterns$channels)
    (covariance + t(covariance)) / 2
  })
}

# ---- run patterns

# Input of rdm() and noise_covariance() is read here: observations with labels, arrays and responses
# objects; and patterns of conditions in runs are made of it.

# Returns list(x, condition, run): a matrix of doubles with a row for each observation, and for both
# kinds of labels list(codes, labels), or NULL where none are known. Conditions without labels of
# their own have labels NULL and, in `condition`, their count.
read_observations <- function(x, condition, run) {
  if (is_responses(x)) return(responses_observations(x, condition, run))
  if (is.array(x) && length(dim(x)) == 3) {
    return(recorded_rows(read_array(x), array_conditions(x, condition), run))
  }
  x <- double_matrix(x, "x")
  refuse_identifiers(x, "x")
  refuse_nonfinite_rows(x)
  list(x = x, condition = sorted_codes(condition, nrow(x), "condition"),
       run = sorted_codes(run, nrow(x), "run"))
}

refuse_nonfinite_rows <- function(x) {
  if (.Call(C_all_finite, x)) return(invisible())
  at <- which(!is.finite(x), arr.ind = TRUE)
  first <- at[order(at[, 1], at[, 2])[1], ]
  abort("`x` has ", count_of(nrow(at), "missing or infinite value"), ", first in row ", first[1],
        ", column ", first[2], ": leave out these observations (rows) or channels (columns).",
        class = "repalign_error_nonfinite", arg = "x")
}

# One label a row as list(codes, labels), with labels in sorted order, or in that of a factor.
sorted_codes <- function(labels, n, arg, row = "row") {
  if (is.null(labels)) return(NULL)
  row_labels(labels, n, arg, row, FALSE)
  values <- if (is.factor(labels)) droplevels(labels) else as.vector(labels)
  all <- if (is.factor(values)) levels(values) else sorted_unique(values)
  list(codes = match(values, all), labels = label_text(all))
}

sorted_unique <- function(values) {
  all <- unique(values)
  all[order(all, method = "radix")]
}

# ---- arrays conditions x channels x repeats, in which missing repeats are NA throughout

read_array <- function(x) {
  if (!is.numeric(x) && !is.logical(x)) {
    abort("`x` must be an array of numbers, not ", describe(x), " of type ", typeof(x), ".",
          class = "repalign_error_type", arg = "x")
  }
  if (!all(dim(x) > 0)) {
    abort("`x` has ", paste(dim(x), collapse = " x "), " entries: there is nothing to compare.",
          class = "repalign_error_size", arg = "x")
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  if (.Call(C_all_finite, x)) x else known_values(x)
}

# Which repeats (columns) of which conditions (rows) were recorded.
recorded_repeats <- function(values) {
  size <- dim(values)
  if (.Call(C_all_finite, values)) return(matrix(TRUE, size[1], size[3]))
  known <- vapply(seq_len(size[3]), function(t) {
    rowSums(!is.na(values[, , t, drop = FALSE]))
  }, numeric(size[1]))
  known <- matrix(known, size[1], size[3])
  if (!any(known > 0)) {
    abort("`x` has only missing values.", class = "repalign_error_nonfinite", arg = "x")
  }
  partial <- which(known > 0 & known < size[2], arr.ind = TRUE)
  if (nrow(partial)) {
    abort("`x` lacks the values of some channels, but not of all, for ",
          count_of(nrow(partial), "pattern"), ", first condition ", partial[1, 1], ", repeat ",
          partial[1, 2], ": a repeat that is missing is NA in all channels. Leave out these ",
          "channels, or set the whole repeat to NA.", class = "repalign_error_nonfinite",
          arg = "x")
  }
  known > 0
}

# Labels of the rows of an array, NULL where it has none.
array_conditions <- function(x, condition) {
  labels <- if (is.null(condition)) dimnames(x)[[1]] else
    row_labels(condition, nrow(x), "condition", "row", FALSE)
  twice <- anyDuplicated(labels)
  if (twice) {
    abort(if (is.null(condition)) "`x` has the row name " else "`condition` has the label ",
          dQuote(labels[twice], FALSE), " more than once, but each row of an array is a ",
          "condition. If rows are observations, give a matrix.",
          class = "repalign_error_labels", arg = if (is.null(condition)) "x" else "condition")
  }
  labels
}

# The recorded repeats as rows, those of the first repeat of all conditions first.
recorded_rows <- function(values, labels, run) {
  size <- dim(values)
  recorded <- which(recorded_repeats(values), arr.ind = TRUE)
  rows <- matrix(aperm(values, c(1, 3, 2)), size[1] * size[3], size[2],
                 dimnames = if (!is.null(dimnames(values)[[2]])) list(NULL, dimnames(values)[[2]]))
  rows <- rows[(recorded[, 2] - 1) * size[1] + recorded[, 1], , drop = FALSE]
  list(x = rows, condition = list(codes = unname(recorded[, 1]), labels = labels, count = size[1]),
       run = repeat_runs(run, size[3], dimnames(values)[[3]], unname(recorded[, 2])))
}

# The run of each observation: the label of its repeat, of which there are `count`, or its number.
repeat_runs <- function(run, count, names, at) {
  if (is.null(run)) {
    return(list(codes = at, labels = if (is.null(names)) as.character(seq_len(count)) else names))
  }
  if (length(run) != count) {
    abort("`run` has ", count_of(length(run), "label"), ", but `x` has ",
          count_of(count, "repeat"), ": give one label per repeat.",
          class = "repalign_error_labels", arg = "run")
  }
  found <- sorted_codes(run, count, "run", "repeat")
  list(codes = found$codes[at], labels = found$labels)
}

# Of responses objects the events are the runs: they share noise.
responses_observations <- function(x, condition, run) {
  if (!is.null(condition) || !is.null(run)) {
    arg <- if (is.null(run)) "condition" else "run"
    abort("`", arg, "` cannot be given with a responses object, which has labels of its own: ",
          "declare them by responses().", class = "repalign_error_labels", arg = arg)
  }
  parts <- unclass(x)
  read <- recorded_rows(parts$values, dimnames(parts$values)[[1]], NULL)
  if (is.null(parts$event)) return(read)
  recorded <- which(recorded_repeats(parts$values), arr.ind = TRUE)
  read$run <- sorted_codes(parts$event[recorded], nrow(recorded), "x")
  read
}

# ---- patterns

# Returns list(means, counts, labels, runs, channels): the mean pattern of each condition in each
# run, as a matrix conditions x (channels * runs) in which the channels of a run stand side by side;
# how many observations each is the mean of (conditions x runs; 0: none, and the mean is 0); labels
# of conditions, or NULL, and of runs. by_run = FALSE takes all observations for those of one run.
run_patterns <- function(x, condition, run, by_run) {
  plain <- is.array(x) && length(dim(x)) == 3 && !is_responses(x) && is.null(run)
  if (plain && by_run) return(array_patterns(read_array(x), array_conditions(x, condition)))
  seen <- read_observations(x, condition, run)
  if (is.null(seen$condition)) seen$condition <- row_conditions(seen$x)
  if (!by_run) seen$run <- list(codes = rep(1L, nrow(seen$x)), labels = "1")
  count <- condition_count(seen$condition)
  check_memory(8 * as.double(count) * ncol(seen$x) * length(seen$run$labels),
               "The patterns of all conditions in all runs", "Take fewer channels.")
  found <- .Call(C_run_means, seen$x, seen$condition$codes, seen$run$codes, count,
                 length(seen$run$labels), thread_count())
  c(found, list(labels = seen$condition$labels, runs = seen$run$labels, channels = ncol(seen$x),
                names = colnames(seen$x)))
}

condition_count <- function(condition) {
  if (is.null(condition$count)) length(condition$labels) else condition$count
}

# Without labels, each row of a matrix is a condition.
row_conditions <- function(x) {
  names <- rownames(x)
  if (anyDuplicated(names)) {
    abort("`x` has the row name ", dQuote(names[duplicated(names)][1], FALSE), " more than once: ",
          "if the rows are observations of conditions, give condition = rownames(x).",
          class = "repalign_error_labels", arg = "condition")
  }
  list(codes = seq_len(nrow(x)), labels = names, count = nrow(x))
}

# The repeats of an array are the runs.
array_patterns <- function(values, labels) {
  size <- dim(values)
  recorded <- recorded_repeats(values)
  runs <- dimnames(values)[[3]]
  refuse_equal_repeats(runs)
  names <- dimnames(values)[[2]]
  if (!all(recorded)) values[is.na(values)] <- 0
  list(means = matrix(values, size[1], size[2] * size[3]), counts = recorded + 0, labels = labels,
       runs = if (is.null(runs)) as.character(seq_len(size[3])) else runs, channels = size[2],
       names = names)
}

# Repeats of one run share its noise: taken for different runs, they would bias what is compared
# between runs.
refuse_equal_repeats <- function(names) {
  twice <- anyDuplicated(names)
  if (!twice) return(invisible())
  abort("`x` has the name ", dQuote(names[twice], FALSE), " for several repeats. If these are of ",
        "the same run, give run = dimnames(x)[[3]]; if not, give each a name of its own.",
        class = "repalign_error_labels", arg = "x")
}

# What messages call a condition: its label, or its number where there are none.
condition_title <- function(labels, at) {
  if (is.null(labels)) as.character(at) else dQuote(labels[at], FALSE)
}
