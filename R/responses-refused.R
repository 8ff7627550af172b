# What R offers for arrays and responses objects do not have: an error says what to take instead.

no_arithmetic <- function(what) {
  abort(what, " is not defined for responses(): take as.array() for all responses, as.matrix() ",
        "for their means over trials, and declare the result again.", class = "repalign_error_type",
        arg = "x")
}

#' @export
Ops.repalign_responses <- function(e1, e2) no_arithmetic(dQuote(.Generic, FALSE))

#' @export
Math.repalign_responses <- function(x, ...) no_arithmetic(dQuote(.Generic, FALSE))

#' @export
Summary.repalign_responses <- function(..., na.rm = FALSE) {
  no_arithmetic(dQuote(.Generic, FALSE))
}

#' @export
t.repalign_responses <- function(x) no_arithmetic("t()")

#' @export
mean.repalign_responses <- function(x, ...) no_arithmetic("mean()")

#' @export
is.na.repalign_responses <- function(x) is.na(as.array(x))

#' @export
rbind.repalign_responses <- function(...) no_arithmetic("rbind()")

#' @export
cbind.repalign_responses <- function(...) no_arithmetic("cbind()")
