# subset() takes some of the conditions of an RDM, or of all RDMs of a list.

#' @include rdm-class.R
NULL

#' Some of the conditions of RDMs
#'
#' @param x an RDM, or a list of RDMs, made by [rdm()], [as_rdm()] and others.
#' @param conditions which conditions: their numbers, their names, or `TRUE` and `FALSE` for each of
#'   them; at least 2, each of them once.
#' @param ... not used.
#' @return `x` with these conditions, in the order in which they were chosen. What is known of the
#'   dissimilarities (the kind of distance, pairs of runs, transformations) stays with them.
#' @details
#' Of a list, the conditions are chosen in each RDM; RDMs of a list are chosen by `x[i]`. (The
#' conditions need not be the same in all RDMs if names are given.)
#'
#' Transformations that depend on all values, such as ranks, are not made anew: take the conditions
#' first, and then [transform_rdm()].
#' @examples
#' set.seed(1)
#' x <- array(rnorm(6 * 20 * 4), c(6, 20, 4), list(letters[1:6], NULL, NULL))
#' d <- rdm(x)
#' subset(d, c("f", "a", "b"))
#' subset(d, labels(d) != "a")
#' subset(rdm(list(s1 = x, s2 = x + rnorm(480))), 1:3)
#' @seealso [rdm()], [transform_rdm()]
#' @name subset.repalign_rdm
NULL

#' @rdname subset.repalign_rdm
#' @export
subset.repalign_rdm <- function(x, conditions, ...) {
  need_arguments()
  no_other_arguments(...)
  some_conditions(x, conditions, "x")
}

#' @rdname subset.repalign_rdm
#' @export
subset.repalign_rdms <- function(x, conditions, ...) {
  need_arguments()
  no_other_arguments(...)
  places <- paste0("x$", names_of_rdms(x))
  rdms <- lapply(seq_along(x), function(k) some_conditions(x[[k]], conditions, places[k]))
  new_rdms(stats::setNames(rdms, names(x)))
}

some_conditions <- function(x, conditions, arg) {
  check_rdm(x, arg)
  n <- attr(x, "Size")
  at <- chosen_conditions(conditions, condition_names(x), arg)
  place <- packed_places(at, n)
  pairs <- attr(x, "pairs")
  labels <- attr(x, "Labels")
  part <- new_rdm(x[place], length(at), if (length(labels)) labels[at], attr(x, "distance"),
                  if (length(pairs) > 1) pairs[place] else pairs, attr(x, "transformed"))
  attr(part, "method") <- attr(x, "method")
  part
}

# The numbers of the conditions; names: of those that there are.
chosen_conditions <- function(conditions, names, arg) {
  n <- length(names)
  wrong <- function(..., class = "repalign_error_value") {
    abort("`conditions` ", ..., class = class, arg = "conditions")
  }
  if (is.factor(conditions)) conditions <- as.character(conditions)
  if (!(is.numeric(conditions) || is.character(conditions) || is.logical(conditions))) {
    wrong("must be numbers, names, or TRUE and FALSE, not ", describe(conditions), ".",
          class = "repalign_error_type")
  }
  if (anyNA(conditions)) wrong("has missing values: choose among the conditions.")
  if (is.logical(conditions) && length(conditions) != n) {
    wrong("has ", count_of(length(conditions), "flag"), ", but `", arg, "` has ",
          count_of(n, "condition"), ": give TRUE or FALSE for each.", class = "repalign_error_size")
  }
  at <- if (is.logical(conditions)) which(conditions) else
    if (is.character(conditions)) match(conditions, names) else match(conditions, seq_len(n))
  if (anyNA(at)) {
    lost <- conditions[is.na(at)][1]
    wrong("has ", if (is.character(lost)) dQuote(lost, FALSE) else format(lost), ", but `", arg,
          "` has ", if (is.character(lost)) paste0("no such condition", suggest(lost, names)) else
            paste0("the conditions 1 to ", n, "."), class = "repalign_error_labels")
  }
  if (anyDuplicated(at)) {
    wrong("has ", dQuote(names[at[anyDuplicated(at)]], FALSE), " more than once: a condition has ",
          "no dissimilarity to itself.")
  }
  if (length(at) < 2) {
    wrong("chooses ", count_of(length(at), "condition"), " of `", arg, "`: an RDM has at least 2.",
          class = "repalign_error_size")
  }
  at
}
