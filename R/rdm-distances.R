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
