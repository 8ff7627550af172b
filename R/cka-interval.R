# The result of cka_interval() is printed and summarised here.

#' @rdname tidy.repalign
#' @export
print.repalign_interval <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  level <- attr(x, "conf_level")
  cat("Centered kernel alignment: ", count_of(nrow(x), "row"), undefined_of(x$cka), "\n", sep = "")
  if (!is.null(level) && all(c("conf_low", "conf_high") %in% names(x))) {
    cat("conf_low to conf_high: ", format(100 * level), interval_words(x$df, x$estimator),
        sep = "")
  }
  print_rows(x, digits, n)
  print_corrections(x$correction)
  invisible(x)
}

# df: the degrees of freedom of intervals over clusters or from trials; NULL where all are normal.
interval_words <- function(df, estimator) {
  if (corrects_trials(estimator)) {
    return(paste0("% t interval (column `df`; Inf: normal), by the\n  jackknife over stimuli and ",
                  "neurons\n"))
  }
  if (is.null(df)) return("% normal interval, by the jackknife over stimuli\n  and neurons\n")
  paste0("% t interval (df = ", enumerate(unique(df), quote = FALSE), "), by the jackknife over ",
         "clusters\n  of stimuli and neurons\n")
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_interval <- function(x, ...) {
  new <- c(estimator = "term", cka = "estimate", se = "std.error", conf_low = "conf.low",
           conf_high = "conf.high")
  plain <- need_columns(as.data.frame(x), names(new), "tidied")
  sources <- source_columns(x)
  new <- c(new, c(cka_corrected = "estimate.corrected", correction = "correction"))
  new <- new[names(new) %in% names(plain)]
  stats::setNames(plain[c(sources, names(new))], c(sources, new))
}

#' @rdname tidy.repalign
#' @export
glance.repalign_interval <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("estimator", "cka"), "summarised")
  level <- attr(x, "conf_level")
  glance_rows(plain, source_columns(x), function(at) {
    data.frame(estimators = length(unique(plain$estimator[at])),
               conf_level = if (is.null(level)) NA_real_ else level,
               undefined = sum(is.na(plain$cka[at])))
  })
}

#' @rdname tidy.repalign
#' @export
summary.repalign_interval <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("estimator", "cka"), "summarised")
  plain[setdiff(display_order(object), c("h_xy", "h_xx", "h_yy"))]
}

#' Confidence limits of a CKA
#'
#' @param object what [cka_interval()] returned, or some of its rows.
#' @param parm names of estimators (for results that were put together, "source | estimator"), or
#'   numbers of rows; by default all.
#' @param level coverage, between 0 and 1; by default that of `object`. Limits at another level are
#'   computed from `cka` and `se` by the quantiles of the normal distribution, or with a column
#'   `df` (intervals over clusters) by those of the t distribution.
#' @param ... unused.
#' @return A numeric matrix with one row per estimator and two columns, the lower and the upper
#'   limit, named by their percentages. The limits are `NA` where the standard error is.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 60, q = 30, d = 20)
#' confint(cka_interval(pop$x, pop$y), level = 0.9)
#' @seealso [cka_interval()]
#' @export
confint.repalign_interval <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("estimator", "cka", "se"), "used")
  if (is.null(level)) level <- level_of(object)
  level <- check_number(level, "level", above = 0, below = 1)
  tails <- c((1 - level) / 2, (1 + level) / 2)
  df <- if (is.null(rows$df)) rep(Inf, nrow(rows)) else rows$df
  limits <- rows$cka + rows$se * outer(df, tails, function(df, p) stats::qt(p, df))
  named <- source_names(rows, c(source_columns(object), "estimator"))
  named_limits(limits, named, level, parm)
}

# The matrix that methods of confint() return, with the rows that `parm` asks for.
named_limits <- function(limits, titles, level, parm) {
  tails <- c((1 - level) / 2, (1 + level) / 2)
  dimnames(limits) <- list(titles, paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) limits else limits[check_parm(parm, titles), , drop = FALSE]
}

level_of <- function(object) {
  level <- attr(object, "conf_level")
  if (is.null(level)) {
    abort("The coverage of these intervals is no longer known: give `level`.",
          class = "repalign_error_value", arg = "level")
  }
  level
}

# The positions of the rows that `parm` asks for, by name or by number.
check_parm <- function(parm, named) {
  at <- if (is.character(parm)) match(parm, named) else match(parm, seq_along(named))
  if (!length(at) || anyNA(at)) {
    abort("`parm` must be some of ", enumerate(named, 20), ", or numbers of rows.",
          class = "repalign_error_choice", arg = "parm")
  }
  at
}
