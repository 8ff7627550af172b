# new_measure() makes a measure of a function of the user's: an own measure.

#' Use a function of your own as a measure
#'
#' Turns a function of two matrices into a measure that [similarity()] and [calibrate()] can
#' use.
#'
#' @param fun a function of two matrices (the same stimuli in the rows) that returns one
#'   number.
#' @param direction `"similarity"` (larger scores are more alike) or `"distance"` (smaller
#'   scores are more alike).
#' @param best the best possible score, usually that of two identical representations; `NA`
#'   if there is none. Without it, [calibrate()] cannot put the score on a scale from chance
#'   to best.
#' @param symmetric `TRUE` if `fun(x, y)` always equals `fun(y, x)`. A list compared with
#'   itself then needs only one call per unordered pair.
#' @param label the name of the measure in the `measure` column of results.
#' @return A measure object for [similarity()] and [calibrate()].
#' @details
#' `fun` is called once for every pair, and [calibrate()] calls it once more for every
#' permutation. Nothing is prepared in advance, so the time depends on `fun` alone. `fun`
#' must return one finite number, or `NA` if the score is undefined. Any other value is an
#' error that names the pair.
#' @examples
#' first_column <- new_measure(function(x, y) abs(cor(x[, 1], y[, 1])),
#'                             direction = "similarity", best = 1, label = "first column")
#' x <- matrix(rnorm(60), 20)
#' similarity(x, x + rnorm(60), list("cka", first_column))
#' @seealso [measure()]
#' @export
new_measure <- function(fun, direction = c("similarity", "distance"), best = NA_real_,
                        symmetric = FALSE, label = "user") {
  need_arguments()
  if (!is.function(fun)) {
    abort("`fun` must be a function(x, y) that returns one number.",
          class = "repalign_error_type", arg = "fun")
  }
  arguments <- names(formals(args(fun)))
  if (length(arguments) < 2 && !"..." %in% arguments) {
    abort("`fun` must take two arguments, the two matrices.", class = "repalign_error_type",
          arg = "fun")
  }
  direction <- check_choice(direction, c("similarity", "distance"), "direction")
  usable <- length(best) == 1 && (is.na(best) || (is.numeric(best) && is.finite(best)))
  if (!usable) {
    abort("`best` must be one finite number, or NA when there is none.",
          class = "repalign_error_value", arg = "best")
  }
  check_flag(symmetric, "symmetric")
  if (!is.character(label) || length(label) != 1 || is.na(label) || label == "") {
    abort("`label` must be one non-empty string.", class = "repalign_error_value", arg = "label")
  }
  d <- list(
    id = label, label = label, direction = direction, range = c(-Inf, Inf),
    best = as.double(best), symmetric = symmetric, pairing = TRUE, accepts = kinds, own = TRUE,
    fun = fun
  )
  structure(list(id = label, label = label, args = list(), declaration = d),
            class = "repalign_measure")
}

own_score <- function(fun, pair) {
  value <- fun(without_mark(pair$x$data), without_mark(pair$y$data))
  usable <- length(value) == 1 && (is.numeric(value) || (is.logical(value) && is.na(value))) &&
    !is.nan(value) && !is.infinite(value)
  if (!usable) {
    abort("The measure's function must return one finite number (or NA), not ",
          if (length(value) == 1 && is.numeric(value)) format(value) else describe(value), ".",
          class = "repalign_error_measure", arg = "fun")
  }
  as.double(value)
}
