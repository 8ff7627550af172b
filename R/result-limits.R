# confint() of results whose limits are columns, and what all methods of confint() share.

#' @include result-class.R
NULL

# Limits that are columns are known at one level, that of the call.
#' @export
confint.repalign_result <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  declared <- columns_of(object)$name
  values <- sub("_low$", "", grep("_low$", declared, value = TRUE))
  low <- paste0(values, "_low")
  high <- paste0(values, "_high")
  if (!any(high %in% declared)) refuse_without_errors(object, "object")
  known <- low %in% names(object) & high %in% names(object)
  refuse_if(is.null(known_level(object)) || !any(known), "type", "`object` has no intervals: give ",
            "`conf_level` to the function that makes it, and keep the columns of the limits.")
  level <- check_only_level(level, object, "these intervals", "the function that makes them")
  rows <- as.data.frame(object)
  limits <- cbind(unlist(rows[low[known]]), unlist(rows[high[known]]))
  # Names of rows without what all rows have in common, and of the value where it could be another.
  values <- values[known]
  rows <- as.data.frame(object)
  columns <- columns_of(object)
  keys <- as.list(rows[union(source_columns(object), key_columns(object))])
  varies <- vapply(keys, function(key) length(unique(key)) > 1, NA)
  named <- varies | names(keys) %in% columns$name[columns$tidy %in% "term"]
  parts <- lapply(keys[named], function(key) rep(as.character(key), length(values)))
  if (!identical(values, "conf")) parts <- c(parts, list(rep(values, each = nrow(rows))))
  named_limits(limits, do.call(paste, c(unname(parts), sep = " | ")), level, parm)
}

# The matrix that methods of confint() return, with the rows that `parm` asks for.
named_limits <- function(limits, titles, level, parm) {
  tails <- c((1 - level) / 2, (1 + level) / 2)
  dimnames(limits) <- list(titles[seq_len(nrow(limits))],
                           paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) limits else limits[check_parm(parm, titles), , drop = FALSE]
}

level_of <- function(object) {
  level <- known_level(object)
  refuse_if(is.null(level), "value", "The coverage of these intervals is no longer known: give ",
            "`level`.")
  level
}

# The positions of the rows that `parm` asks for, by name or by number.
check_parm <- function(parm, named) {
  at <- if (is.character(parm)) match(parm, named) else match(parm, seq_along(named))
  refuse_if(!length(at) || anyNA(at), "choice", "`parm` must be some of {enumerate(named, 20)}, ",
            "or numbers of rows.")
  at
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
