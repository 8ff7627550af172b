# noise_precision() inverts covariances of noise.

#' @rdname noise_covariance
#' @export
noise_precision <- function(...) {
  given <- list(...)
  if (length(given) == 1 && is_noise(given[[1]])) return(precision_of_any(given[[1]]))
  precision_of_any(noise_covariance(...))
}

# Covariances: one, or a list with one for each run or subject, or lists of these.
is_noise <- function(x) {
  inherits(x, "repalign_noise") || is.list(x) && !is.data.frame(x) && length(x) > 0 &&
    all(vapply(x, is_noise, NA))
}

precision_of_any <- function(x) {
  if (!is.list(x)) return(precision_of(x))
  lapply(stats::setNames(nm = names(x)), function(name) {
    at_place(dQuote(name, FALSE), precision_of_any(x[[name]]))
  })
}

precision_of <- function(x) {
  if (identical(attr(x, "kind"), "precision")) {
    abort("`x` is a precision already: give what noise_covariance() returned, or the data.",
          class = "repalign_error_type", arg = "x")
  }
  method <- attr(x, "method")
  dof <- attr(x, "dof")
  few <- method == "full" && dof < ncol(x)
  # channels in units of their own (such as EEG and MEG together) would look singular
  covariance <- unclass_noise(x)
  units <- sqrt(diag(covariance))
  covariance <- covariance / units / rep(units, each = length(units))
  root <- if (!few) tryCatch(chol(covariance), error = function(e) NULL)
  if (is.null(root) || rcond(root, triangular = TRUE)^2 < .Machine$double.eps) {
    abort("`x` has ", count_of(ncol(x), "channel"), " and ", format(dof, digits = 4), " degrees ",
          "of freedom: the covariance of method = ", dQuote(method, FALSE), " has no inverse. ",
          "Take method = \"shrinkage_diag\"", if (method != "full") " or \"shrinkage_eye\"", ".",
          class = "repalign_error_value", arg = "method")
  }
  precision <- chol2inv(root) / units / rep(units, each = length(units))
  new_noise(precision, colnames(x), "precision", method, dof, attr(x, "shrinkage"))
}
