# noise_covariance() estimates how the noise of channels varies together, noise_precision() the
# inverse of that.

noise_methods <- c("shrinkage_diag", "shrinkage_eye", "diag", "full")

#' Covariance and precision of noise
#'
#' The covariance of the channels' noise, with shrinkage; and its inverse, by which [rdm()]
#' normalizes noise.
#'
#' @param x the data, as for [rdm()]; or residuals of a regression, times x channels; or a named
#'   list of these. `noise_precision()` also takes a `noise_covariance()`.
#' @param condition for each row its condition, whose mean is subtracted. `NULL`: the rows are
#'   residuals (of an array: conditions). For a list: labels for all, or a list of labels.
#' @param run as in [rdm()]. The means of runs are then subtracted, too.
#' @param method `"shrinkage_diag"`: covariances are shrunk towards 0 (Schaefer and Strimmer).
#'   `"shrinkage_eye"`: towards a multiple of the identity matrix (Ledoit and Wolf). `"diag"`:
#'   variances only. `"full"`: the sample covariance.
#' @param dof the degrees of freedom by which sums of squares are divided: give them for residuals
#'   of a regression. `NULL`: the number of observations less that of the means that were
#'   subtracted.
#' @param by_run a covariance for each run, from its observations alone?
#' @param na,subject see [rdm()]. With `subject`, the result is a list with one for each subject.
#' @param ... for `noise_precision()`: the arguments of `noise_covariance()`.
#' @return A symmetric matrix channels x channels of class `repalign_noise` with attributes `kind`
#'   (`"covariance"` or `"precision"`), `method`, `dof`, and `shrinkage` (from 0 to 1). With
#'   `by_run`, a named list with one for each run; for a list `x`, a list of these.
#' @details When not to trust it: the precision of `"full"` does not exist with fewer degrees of
#'   freedom than channels, and is poor with less than several times as many. A channel that does
#'   not vary is an error.
#' @references Ledoit and Wolf (2004), Journal of Multivariate Analysis 88. \enc{Schäfer}{Schaefer}
#'   and Strimmer (2005), Statistical Applications in Genetics and Molecular Biology 4.
#' @examples
#' set.seed(1)
#' design <- expand.grid(condition = letters[1:8], run = 1:4)
#' x <- matrix(rnorm(32 * 12), 32) %*% 0.6^abs(outer(1:12, 1:12, "-"))
#' noise_covariance(x, design$condition, design$run)
#' precision <- noise_precision(x, design$condition, design$run)
#' rdm(x, design$condition, design$run, noise = precision)
#' # residuals of a regression, with one covariance for each run
#' residuals <- matrix(rnorm(200 * 12), 200)
#' names(noise_covariance(residuals, run = rep(1:4, each = 50), by_run = TRUE))
#' @export
noise_covariance <- function(x, condition = NULL, run = NULL,
                             method = c("shrinkage_diag", "shrinkage_eye", "diag", "full"),
                             dof = NULL, by_run = FALSE,
                             na = c("error", "stimuli", "neurons"), subject = NULL, ...) {
  need_arguments()
  method <- check_choice(method, noise_methods, "method")
  by_run <- check_flag(by_run, "by_run")
  if (!is.null(subject)) {
    each <- rows_of_subjects(x, list(condition = condition, run = run, subject = subject))
    x <- each$x
    condition <- each$labels$condition
    run <- each$labels$run
  }
  if (is_collection(x)) {
    names <- check_element_names(x, "x")
    labels <- labels_of_each(list(condition = condition, run = run), names)
    return(lapply(stats::setNames(nm = names), function(name) {
      at_place(paste0("x$", name),
               noise_covariance(x[[name]], labels$condition[[name]], labels$run[[name]], method,
                                dof, by_run, na))
    }))
  }
  # data are hardly ever symmetric, but a covariance is, and what is cut from one
  refuse_if(is.matrix(x) && is.numeric(x) && nrow(x) > 1 && nrow(x) == ncol(x) &&
              equals_transpose(x), "type", "`x` is a symmetric matrix, as a covariance is, but ",
            "must be data or residuals: of a covariance (or a part of one), solve() gives the ",
            "precision.")
  taken <- labels_of_frame(x, list(condition = condition, run = run, subject = NULL))
  kept <- complete_observations(taken$x, taken$labels, na)
  run <- kept$labels$run
  without_runs <- is.null(run) && !is_responses(kept$x)
  seen <- read_observations(kept$x, kept$labels$condition, run, c(subject = "subject"))
  # repeats of an array need not be runs
  if (without_runs && !by_run) seen$run <- NULL
  if (!by_run) return(covariance_of(seen, method, check_dof(dof, 1, NULL)))
  refuse_if(is.null(seen$run), "missing", "`run` is missing: by_run = TRUE needs the run of each ",
            "row of `x`.")
  runs <- stats::setNames(seq_along(seen$run$labels), seen$run$labels)
  dof <- check_dof(dof, length(runs), names(runs))
  lapply(runs, function(m) {
    at_place(paste("Run", quoted(names(runs)[m])), {
      rows <- which(seen$run$codes == m)
      part <- list(x = seen$x[rows, , drop = FALSE])
      if (!is.null(seen$condition)) {
        codes <- seen$condition$codes[rows]
        shown <- sort(unique(codes))
        part$condition <- list(codes = match(codes, shown), count = length(shown))
      }
      refuse_if(is.null(dof) && isTRUE(nrow(part$x) == part$condition$count), "value",
                "`x` has one pattern of each condition, which cannot tell a covariance of each ",
                "run: leave out `by_run` for one of all runs, or give single trials or residuals ",
                "of each run.")
      covariance_of(part, method, dof[m])
    })
  })
}

# One number for all runs, or one for each; NULL stays NULL.
check_dof <- function(dof, count, names) {
  if (is.null(dof)) return(NULL)
  usable <- is.numeric(dof) && length(dof) %in% c(1, count) && all(is.finite(dof))
  refuse_if(!usable, "value", "`dof` must be one finite ",
            "number{if (count > 1) ' or one for each run'}.")
  if (any(dof < 1)) refuse_dof(min(dof))
  if (length(dof) > 1) dof <- in_order_of(dof, names, "dof", "the runs")
  rep_len(as.double(dof), count)
}

refuse_dof <- function(dof) {
  refuse("value", "`dof`: there are {dof} degrees of freedom, but at least 1 is needed: give more ",
         "observations than conditions and runs.")
}

# dof: NULL counts them.
covariance_of <- function(seen, method, dof) {
  # what conditions and runs leave of the observations
  x <- without_column_means(unname(seen$x))
  codes <- if (is.null(seen$condition)) rep(1L, nrow(x)) else seen$condition$codes
  e <- without_group_means(x, codes)
  counted <- nrow(x) - length(unique(codes))
  if (!is.null(seen$run)) {
    # runs beside conditions, by least squares: what conditions leave of the runs' indicators
    runs <- outer(seen$run$codes, seq_along(seen$run$labels), "==") + 0
    fit <- qr(without_group_means(runs, codes))
    e <- qr.resid(fit, e)
    counted <- counted - fit$rank
  }
  if (length(dof) == 0) {
    if (counted < 1) refuse_dof(counted)
    dof <- counted
  }
  size <- apply(abs(seen$x), 2, max)
  constant <- which(apply(abs(e), 2, max) <= 1e-13 * size)
  name <- colnames(seen$x)[constant[1]]
  refuse_if(length(constant), "variance", "`x` has {count_of(length(constant), 'channel')} ",
            "without noise, first channel ",
            "{if (isTRUE(nzchar(name))) quoted(name) else constant[1]}, whose values do not vary ",
            "around the means: leave {if (length(constant) > 1) 'them' else 'it'} out.")
  # fourth powers of large values would overflow
  unit <- power_of_two_below(max(abs(e)))
  e <- e * unit
  s <- crossprod(e) / dof
  result <- switch(method, full = list(s = s, share = 0),
                   diag = list(s = diag(diag(s), ncol(s)), share = 1),
                   shrinkage_eye = shrunk_to_identity(s, e, dof),
                   shrinkage_diag = shrunk_to_diagonal(s, e, dof), no_branch(method))
  s <- result$s / unit / unit
  refuse_if(!all(is.finite(s)) || any(diag(s) == 0), "value", "`x` has values whose variance is ",
            "too large or too small for a double: rescale the data.")
  new_noise(s, colnames(seen$x), "covariance", method, dof, result$share)
}

new_noise <- function(s, names, kind, method, dof, shrinkage) {
  structure(s, dim = dim(s), dimnames = if (!is.null(names)) list(names, names), kind = kind,
            method = method, dof = dof, shrinkage = shrinkage,
            class = c("repalign_noise", "matrix", "array"))
}

without_group_means <- function(x, codes) {
  sums <- rowsum(x, codes)
  at <- match(codes, as.integer(rownames(sums)))
  x - unname(sums / tabulate(at))[at, , drop = FALSE]
}

# Ledoit and Wolf: b2 is the mean squared error of the sample covariance, which needs no outer
# product of a row, because |e e' - S|^2 summed over rows is the sum of |e|^4 less m |S|^2.
shrunk_to_identity <- function(s, e, dof) {
  m <- nrow(e)
  p <- ncol(e)
  biased <- s * (dof / m)
  middle <- mean(diag(biased))
  away <- sum((biased - diag(middle, p))^2)
  error <- min((sum(rowSums(e^2)^2) / m - sum(biased^2)) / m, away)
  share <- if (away > 0) error / away else 1
  list(s = (share * diag(middle, p) + (1 - share) * biased) * (m / dof), share = share)
}

# Schaefer and Strimmer: the sum of the variances of all correlations needs sums over rows only.
shrunk_to_diagonal <- function(s, e, dof) {
  m <- nrow(e)
  z <- e / rep(sqrt(colMeans(e^2)), each = m)
  squares <- sum(stats::cov2cor(s)^2) - ncol(s)
  z <- z^2
  errors <- (sum(rowSums(z)^2) - sum(z^2) - m * squares) / (m * dof)
  share <- if (squares > 0) min(max(errors / squares, 0), 1) else 1
  variances <- diag(s)
  s <- s * (1 - share)
  diag(s) <- variances
  list(s = s, share = share)
}

unclass_noise <- function(x) matrix(as.double(x), nrow(x))

#' @export
print.repalign_noise <- function(x, digits = 3, n = 6, ...) {
  no_other_arguments(...)
  if (!is.matrix(x) || is.null(attr(x, "kind"))) return(invisible(print(unclass(x))))
  shown <- min(check_count(n, "n"), nrow(x))
  cat("Noise ", attr(x, "kind"), " of ", count_of(nrow(x), "channel"), " (", attr(x, "method"),
      ", ", format(attr(x, "dof"), digits = 4), " degrees of freedom, shrinkage ",
      format(attr(x, "shrinkage"), digits = 2), ")\n", sep = "")
  part <- unclass_noise(x)[seq_len(shown), seq_len(shown), drop = FALSE]
  dimnames(part) <- lapply(dimnames(x), `[`, seq_len(shown))
  print(part, digits = check_count(digits, "digits"))
  if (shown < nrow(x)) cat("... and ", count_of(nrow(x) - shown, "more channel"), ".\n", sep = "")
  invisible(x)
}

# ---- the inverse

#' @rdname noise_covariance
#' @export
noise_precision <- function(...) {
  given <- list(...)
  if (length(given) && is_noise(given[[match("x", names(given), nomatch = 1L)]])) {
    if (length(given) == 1) return(precision_of_any(given[[1]]))
    refuse("type", "`x` is what noise_covariance() returned, of which noise_precision() takes no ",
           "further arguments: give these to noise_covariance().")
  }
  precision_of_any(noise_covariance(...))
}

# Covariances: one, or a list with one for each run or subject, or lists of these.
is_noise <- function(x) {
  inherits(x, "repalign_noise") || is.list(x) && !is.data.frame(x) && length(x) > 0 &&
    all(vapply(x, is_noise, NA))
}

precision_of_any <- function(x) {
  if (!is.list(x)) {
    refuse_if(identical(attr(x, "kind"), "precision"), "type", "`x` is a precision already: give ",
              "what noise_covariance() returned, or the data.")
    method <- attr(x, "method")
    dof <- attr(x, "dof")
    few <- method == "full" && dof < ncol(x)
    # channels in units of their own (such as EEG and MEG together) would look singular
    covariance <- unclass_noise(x)
    units <- sqrt(diag(covariance))
    covariance <- covariance / units / rep(units, each = length(units))
    root <- if (!few) catch_error(chol(covariance), failed = function(e) NULL)
    refuse_if(is.null(root) || rcond(root, triangular = TRUE)^2 < .Machine$double.eps, "value",
              "`x` has {count_of(ncol(x), 'channel')} and {format(dof, digits = 4)} degrees of ",
              "freedom: the covariance of method = {quoted(method)} has no inverse. Take ",
              "method = \"shrinkage_diag\"", if (method != "full") " or \"shrinkage_eye\"", ".",
              arg = "method")
    precision <- chol2inv(root) / units / rep(units, each = length(units))
    return(new_noise(precision, colnames(x), "precision", method, dof, attr(x, "shrinkage")))
  }
  lapply(stats::setNames(nm = names(x)), function(name) {
    at_place(quoted(name), precision_of_any(x[[name]]))
  })
}
