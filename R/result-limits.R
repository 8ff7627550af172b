# confint() of results whose limits are columns, and what all methods of confint() share.

#' @include result-class.R
NULL

#' @rdname score_interval_errors
#' @importFrom stats confint
#' @export
confint.repalign_result <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  limits_at <- declaration_of(object)$limits
  if (!is.null(limits_at)) {
    level <- asked_level(level, object)
    limits <- limits_at(object, level)
    return(named_limits(limits, rownames(limits), level, parm))
  }
  # Limits that are columns are known at one level, that of the call.
  columns <- columns_of(object)
  values <- sub("_low$", "", grep("_low$", columns$name, value = TRUE))
  if (!any(paste0(values, "_high") %in% columns$name)) refuse_without_errors(object, "object")
  values <- values[paste0(values, "_low") %in% names(object) &
                     paste0(values, "_high") %in% names(object)]
  refuse_if(is.null(known_level(object)) || !length(values), "type", "`object` has no intervals: ",
            "give `conf_level` to the function that makes it, and keep the columns of the limits.")
  best <- inherits(object, "repalign_best")
  level <- check_only_level(level, object, "these intervals",
                            if (best) comparable_makers else "the function that makes them")
  rows <- as.data.frame(object)
  limits <- cbind(unlist(rows[paste0(values, "_low")]), unlist(rows[paste0(values, "_high")]))
  # Names of rows without what all rows have in common, and of the value where it could be another.
  keys <- as.list(rows[union(source_columns(object), key_columns(object))])
  varies <- vapply(keys, function(key) length(unique(key)) > 1, NA)
  named <- varies | names(keys) %in% columns$name[columns$tidy %in% "term"]
  parts <- lapply(keys[named], function(key) rep(as.character(key), length(values)))
  if (!identical(values, "conf")) parts <- c(parts, list(rep(values, each = nrow(rows))))
  named_limits(limits, do.call(paste, c(unname(parts), sep = " | ")), level, parm)
}

# Limits of estimates with errors of df degrees of freedom.
student_limits <- function(estimate, se, df, level) {
  half <- stats::qt(0.5 + level / 2, df) * se
  cbind(estimate - half, estimate + half)
}

# The matrix that methods of confint() return, with the rows that `parm` asks for.
named_limits <- function(limits, titles, level, parm) {
  tails <- c((1 - level) / 2, (1 + level) / 2)
  dimnames(limits) <- list(titles[seq_len(nrow(limits))],
                           paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) return(limits)
  # by name or by number
  at <- match(parm, if (is.character(parm)) titles else seq_along(titles))
  refuse_if(!length(at) || anyNA(at), "choice", "`parm` must be some of {enumerate(titles, 20)}, ",
            "or numbers of rows.")
  limits[at, , drop = FALSE]
}

level_of <- function(object) {
  level <- known_level(object)
  refuse_if(is.null(level), "value", "The coverage of these intervals is no longer known: give ",
            "`level`.")
  level
}

# The level that is asked for, by default that of the result.
asked_level <- function(level, object) {
  check_number(if (is.null(level)) level_of(object) else level, "level", above = 0, below = 1)
}

# The level at which a result has its limits; NULL: it has none, or has lost it.
known_level <- function(object) {
  level <- attr(object, "conf_level")
  if (!is.null(level)) return(level)
  # an analysis has one in each of its parts
  unlist(lapply(attr(object, "parts"), function(part) part$conf_level))[1]
}

# maker: the functions that could make intervals at another level.
check_only_level <- function(level, object, what, maker = comparable_makers) {
  own <- level_of(object)
  if (is.null(level) || identical(check_number(level, "level", above = 0, below = 1), own)) {
    return(own)
  }
  refuse("value", "`level` cannot be {format(level)}: {what} are known at the level of the ",
         "result, {format(own)}. Give `conf_level` to {maker} for another one.")
}
