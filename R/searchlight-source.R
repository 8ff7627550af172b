# What the centres of a searchlight are cut from: patterns of conditions over all channels, averaged
# over observations or kept for each run, and the noise of the channels.

#' @include run-patterns.R
NULL

# patterns: see run_patterns(); by_run: are the centres compared by crossnobis estimates between
# runs? channels: the columns of the user's data that the patterns have, which are all of them but
# in a part that is sent to a worker. noise: see check_noise().
center_source <- function(data, condition, run, noise, measure) {
  by_run <- has_runs(data, run)
  if (by_run && is.matrix(data) && is.null(condition)) condition <- named_conditions(data)
  patterns <- naming_data(run_patterns(data, condition, run, by_run))
  absent <- which(rowSums(patterns$counts) == 0)
  if (by_run) check_common_runs(patterns, takes_gaps(measure)) else if (length(absent)) {
    abort("`data` has no observation of condition ", condition_title(patterns$labels, absent[1]),
          ": leave it out.", class = "repalign_error_nonfinite", arg = "data")
  }
  source <- list(patterns = patterns, by_run = by_run, n = nrow(patterns$means),
                 channels = seq_len(patterns$channels))
  source$noise <- check_noise(noise, source, measure)
  source
}

# Messages of rdm() about `x` are about `data` here.
naming_data <- function(code) {
  tryCatch(code, repalign_error = function(e) {
    e$message <- gsub("`x`", "`data`", e$message, fixed = TRUE)
    if (identical(e$arg, "x")) e$arg <- "data"
    stop(e)
  })
}

has_runs <- function(data, run) {
  !is.null(run) || length(dim(data)) == 3 && isTRUE(dim(data)[3] > 1)
}

named_conditions <- function(data) {
  if (!is.null(rownames(data))) return(rownames(data))
  abort("`condition` is missing: with `run`, the condition of each row of `data` must be known. ",
        "Give `condition`, or row names.", class = "repalign_error_missing", arg = "condition")
}

# gaps: may pairs of conditions lack?
check_common_runs <- function(patterns, gaps) {
  if (length(patterns$runs) < 2) {
    abort("`run` names one run, but crossnobis estimates need two or more: leave out `run` to ",
          "compare the patterns as they are.", class = "repalign_error_size", arg = "run")
  }
  common <- tcrossprod(patterns$counts > 0)
  if (gaps && any(common[upper.tri(common)] > 1)) return(invisible())
  few <- which(common < 2 & upper.tri(common), arr.ind = TRUE)
  if (!nrow(few)) return(invisible())
  abort("`run`: ", count_of(nrow(few), "pair"), " of conditions ",
        if (nrow(few) > 1) "have" else "has", " fewer than two runs in common, first ",
        condition_title(patterns$labels, few[1, 1]), " and ",
        condition_title(patterns$labels, few[1, 2]), ": leave out conditions that few runs have, ",
        "or compare the others by missing = \"pairwise\" of rsa().",
        class = "repalign_error_size", arg = "run")
}

# The part of a call that a worker needs for some centres: list(source, neighbours), where the
# source has only their channels, and the neighbours are columns of this source.
part_of_source <- function(source, neighbours) {
  columns <- sort(unique(unlist(neighbours)))
  source$patterns <- cut_patterns(source$patterns, columns)
  source$noise <- cut_noise(source$noise, columns)
  source$channels <- source$channels[columns]
  list(source = source, neighbours = lapply(neighbours, match, columns))
}

# Patterns of some channels only; at: which.
cut_patterns <- function(patterns, at) {
  columns <- outer(at, patterns$channels * (seq_along(patterns$runs) - 1), "+")
  patterns$means <- patterns$means[, columns, drop = FALSE]
  patterns$channels <- length(at)
  patterns["names"] <- list(NULL)
  patterns
}

# The representation of one centre: its patterns, or its crossnobis RDM. at: its columns of the
# source; labels: with the names of the conditions?
center_repr <- function(source, at, name, labels = FALSE) {
  patterns <- cut_patterns(source$patterns, at)
  noise <- center_noise(source, at)
  if (source$by_run) {
    # which pairs lack is the same for all centres, and was said before
    x <- withCallingHandlers(
      crossnobis_values(patterns, noise, list(weights = "equal", center_patterns = FALSE))$d,
      repalign_undefined = function(w) invokeRestart("muffleWarning")
    )
    x <- structure(x, Size = source$n, Diag = FALSE, Upper = FALSE, class = "dist",
                   Labels = if (labels) patterns$labels)
  } else {
    x <- patterns$means
    # the precision is R'R, for the upper R
    if (!is.null(noise)) x <- tcrossprod(x, precision_root(noise, patterns))
    dimnames(x) <- if (labels && !is.null(patterns$labels)) list(patterns$labels, NULL)
  }
  representation(x, "data", name, side = "x", loose = source$by_run)
}

# ---- noise

# NULL, or a list with one of: `covariance`, of all channels; `runs`, such a matrix for each run;
# `precision`, a function of the columns of a centre.
check_noise <- function(noise, source, measure) {
  if (is.null(noise)) return(NULL)
  check_noise_use(source, measure)
  if (is.function(noise)) return(list(precision = noise))
  note_plain_covariances(noise)
  if (is.list(noise) && source$by_run) {
    return(list(runs = naming_data(run_covariances(noise, source$patterns))))
  }
  list(covariance = chol2inv(naming_data(precision_root(noise, source$patterns))))
}

# Whitening turns the axes of the channels, so that it means nothing to measures for which these
# axes matter.
check_noise_use <- function(source, measure) {
  usable <- source$by_run || "orthogonal" %in% measure$declaration$invariant ||
    isTRUE(measure$args$inner %in% c("euclidean", "sqeuclidean"))
  if (usable) return(invisible())
  abort("`noise` whitens the channels, after which the axes of the channels mean nothing, and ",
        dQuote(measure$label, FALSE), " depends on them: ",
        if (identical(measure$id, "rsa")) "use inner = \"sqeuclidean\" or \"euclidean\", or ",
        "leave out `noise`.", class = "repalign_error_choice", arg = "noise")
}

cut_noise <- function(noise, at) {
  cut <- function(x) x[at, at, drop = FALSE]
  if (!is.null(noise$covariance)) noise$covariance <- cut(noise$covariance)
  if (!is.null(noise$runs)) noise$runs <- lapply(noise$runs, cut)
  noise
}

# The noise of a centre, as rdm() takes it: a precision, or a covariance for each run.
center_noise <- function(source, at) {
  noise <- source$noise
  if (is.null(noise)) return(NULL)
  if (!is.null(noise$precision)) return(given_noise(noise$precision, source$channels[at]))
  noise <- cut_noise(noise, at)
  if (is.null(noise$runs)) chol2inv(chol(noise$covariance)) else noise$runs
}

given_noise <- function(precision, channels) {
  found <- tryCatch(precision(channels), error = function(e) {
    abort("`noise` as a function failed for the channels of a centre (first ",
          dQuote(channels[1], FALSE), "): ", conditionMessage(e),
          class = c("repalign_error_noise", "repalign_error_value"), arg = "noise")
  })
  usable <- is.matrix(found) && is.numeric(found) && all(dim(found) == length(channels))
  if (usable) return(unname(found))
  abort("`noise` as a function must return a precision matrix of the columns that it is given (",
        length(channels), " x ", length(channels), "), not ", describe(found), ".",
        class = c("repalign_error_noise", "repalign_error_value"), arg = "noise")
}
