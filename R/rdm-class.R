# The class of RDMs, as_rdm() and subset().

#' @include base-check.R
NULL

# ---- the class

# What rdm() makes is a "dist" object that knows what its values are.
#
# pairs: of how many pairs of runs each value is the mean, one number for all or one for each; NULL
# where values are not cross-validated over pairs. transformed: the methods of transform_rdm().
new_rdm <- function(values, n, labels, distance, pairs = NULL, transformed = NULL) {
  structure(as.double(values), Size = as.integer(n), Labels = labels, Diag = FALSE, Upper = FALSE,
            distance = distance, pairs = pairs, transformed = transformed,
            class = c("repalign_rdm", "dist"))
}

is_rdm <- function(x) inherits(x, "repalign_rdm")

new_rdms <- function(rdms) structure(rdms, class = c("repalign_rdms", "list"))

#' @export
`[.repalign_rdms` <- function(x, i) {
  found <- unclass(x)[i]
  refuse_if(any(vapply(found, is.null, NA)), "labels", "There are {length(x)} RDMs, but not all ",
            "that were asked for, such as {quoted(i[vapply(found, is.null, NA)][1])}. ",
            "Their names: {enumerate(names_of_rdms(x))}.", arg = "i")
  new_rdms(found)
}

# Sums of two RDMs are no longer means over so many pairs of runs. RDMs of other conditions have no
# sum; those of the same conditions in another order have that of pairs with the same names.
#' @export
Ops.repalign_rdm <- function(e1, e2) {
  both <- nargs() == 2 && inherits(e1, "dist") && inherits(e2, "dist")
  refuse_if(both && length(e1) != length(e2), "size", "The RDMs are of {attr(e1, 'Size')} and ",
            "{attr(e2, 'Size')} conditions: {.Generic} needs the same ones.", arg = "e2")
  if (both) {
    ordered <- rdms_in_one_order(list(e1, e2), c("e1", "e2"), "e2")
    if (!identical(ordered[[2]], e2)) return(get(.Generic)(ordered[[1]], ordered[[2]]))
  }
  result <- NextMethod()
  if (both) attr(result, "pairs") <- NULL
  result
}

# Lists of RDMs, and RDMs, together are a list of RDMs; with anything else they are a plain list.
#' @export
c.repalign_rdms <- function(...) {
  all <- do.call(c, lapply(list(...), function(x) if (is_rdm(x)) list(x) else unclass(x)))
  if (all(vapply(all, is_rdm, NA))) new_rdms(all) else all
}

# Names of conditions, which are numbers where there are no labels.
condition_names <- function(x) {
  labels <- attr(x, "Labels")
  if (is.null(labels)) as.character(seq_len(attr(x, "Size"))) else as.character(labels)
}

# A row for each pair of conditions, in the order of stats::dist().
named_pairs_of <- function(n, labels) {
  places <- pair_places(seq_len(packed_length(n)), n)
  if (is.null(labels)) labels <- as.character(seq_len(n))
  data.frame(condition_1 = labels[places$first], condition_2 = labels[places$second])
}

# What the values are, in words: "rank of crossnobis".
distance_words <- function(x) {
  distance <- attr(x, "distance")
  if (is.null(distance)) distance <- attr(x, "method")
  if (is.null(distance)) distance <- "dissimilarity"
  paste(c(rev(attr(x, "transformed")), distance), collapse = " of ")
}

#' @export
format.repalign_rdm <- function(x, ...) {
  if (is_damaged_rdm(x)) return(format(as.vector(x), ...))
  paste0("RDM of ", count_of(attr(x, "Size"), "condition"), " (", distance_words(x), ")")
}

# Comparisons and arithmetic keep the attributes of what they are made of, but may no longer hold
# dissimilarities.
is_damaged_rdm <- function(x) {
  n <- attr(x, "Size")
  !is.double(x) || is.null(n) || length(x) != n * (n - 1) / 2
}

# A dist object whose values are finite or NA.
check_rdm <- function(x, arg) {
  refuse_if(!inherits(x, "dist"), "type", "`{arg}` must be an RDM, as rdm() or dist() makes it, ",
            "not {describe(x)}.",
            if (is.matrix(x)) " Of a matrix of dissimilarities, give as.dist().")
  # identical patterns have dissimilarities of 0, which can be drawn, though not compared
  zero <- is.numeric(x) && any(!is.na(x)) && all(x == 0, na.rm = TRUE)
  if (!zero) check_dist(x, arg, allow_na = TRUE)
}

#' Tables, prints and parts of RDMs
#'
#' @param x an RDM, or a list of RDMs, made by [rdm()], [as_rdm()] and others.
#' @param digits how many significant digits to print.
#' @param n how many conditions to print.
#' @param row.names,optional,... not used.
#' @param conditions numbers or names of at least 2 conditions, or `TRUE` and `FALSE` for each.
#' @return `as.data.frame()`: a row for each pair of conditions, in the order of [stats::dist()]:
#'   their labels `x` and `y`, `dissimilarity`, and `pairs`, of how many pairs of runs it is the
#'   mean (`NA` without cross-validation); of a list after a column `rdm`. `as.matrix()`: a square
#'   matrix; of a list, a row for each pair and a column for each RDM. `format()`: a description in
#'   words.
#'
#'   `subset()`: `x` with these conditions, in their order. Ranks and the like are not computed
#'   again: take the conditions first, and then [transform_rdm()].
#' @examples
#' set.seed(1)
#' x <- array(rnorm(6 * 20 * 3), c(6, 20, 3), list(letters[1:6], NULL, NULL))
#' d <- rdm(x)
#' print(d, digits = 2, n = 3)
#' head(as.data.frame(d))
#' subset(d, c("f", "a", "b"))
#' @name print.repalign_rdm
NULL

#' @rdname print.repalign_rdm
#' @export
as.data.frame.repalign_rdm <- function(x, row.names = NULL, optional = FALSE, ...) {
  no_other_arguments(...)
  names <- condition_names(x)
  pairs <- attr(x, "pairs")
  if (is.null(pairs)) pairs <- NA
  places <- pair_places(seq_along(x), length(names))
  data.frame(x = names[places$first], y = names[places$second], dissimilarity = as.vector(x),
             pairs = rep_len(as.integer(pairs), length(x)))
}

#' @rdname print.repalign_rdm
#' @export
as.data.frame.repalign_rdms <- function(x, row.names = NULL, optional = FALSE, ...) {
  no_other_arguments(...)
  # names may be equal after c()
  rows <- Map(function(name, rdm) data.frame(rdm = name, as.data.frame.repalign_rdm(rdm)),
              names_of_rdms(x), x)
  do.call(rbind, unname(rows))
}

# RDMs of a list without names are numbered, as rdm_table() does it.
names_of_rdms <- function(x) {
  if (is.null(names(x))) paste0("rdm", seq_along(x)) else names(x)
}

#' @rdname print.repalign_rdm
#' @export
print.repalign_rdm <- function(x, digits = 3, n = 8, ...) {
  no_other_arguments(...)
  if (is_damaged_rdm(x)) return(invisible(print(as.vector(x))))
  digits <- check_count(digits, "digits")
  size <- attr(x, "Size")
  shown <- if (identical(n, Inf)) size else min(check_count(n, "n", 2), size)
  range <- if (any(!is.na(x))) range(x, na.rm = TRUE)
  pairs <- if (!is.null(attr(x, "pairs"))) unique(range(attr(x, "pairs")))
  remarks <- c(
    if (length(pairs)) {
      paste("mean over", if (length(pairs) == 1) count_of(pairs, "pair") else
        paste(pairs[1], "to", pairs[2], "pairs"), "of runs")
    },
    if (!is.null(range)) paste(format_each(range), collapse = " to "),
    if (any(x < 0, na.rm = TRUE)) paste(sum(x < 0, na.rm = TRUE), "negative"),
    if (anyNA(x)) paste(sum(is.na(x)), "NA")
  )
  cat(format(x), if (length(remarks)) paste0(": ", paste(remarks, collapse = ", ")), "\n", sep = "")
  square <- as.matrix(x)[seq_len(shown), seq_len(shown), drop = FALSE]
  text <- format(square, digits = digits)
  text[is.na(square)] <- "NA"
  text[upper.tri(text, diag = TRUE)] <- ""
  print(text[-1, -shown, drop = FALSE], quote = FALSE, right = TRUE)
  if (shown < size) {
    cat("... and ", count_of(size - shown, "more condition"), ": print(n = ) shows more, ",
        "as.data.frame() has all.\n", sep = "")
  }
  invisible(x)
}

#' @rdname print.repalign_rdm
#' @export
print.repalign_rdms <- function(x, ...) {
  no_other_arguments(...)
  cat(count_of(length(x), "RDM"), "\n", sep = "")
  if (!length(x)) return(invisible(x))
  rows <- data.frame(
    rdm = names_of_rdms(x), conditions = vapply(x, attr, 0L, "Size"),
    distance = vapply(x, distance_words, ""),
    lowest = vapply(x, function(d) least_known(d, min), 0),
    highest = vapply(x, function(d) least_known(d, max), 0),
    missing = vapply(x, function(d) sum(is.na(d)), 0L)
  )
  if (!any(rows$missing)) rows$missing <- NULL
  print(rows, row.names = FALSE, digits = 3)
  invisible(x)
}

#' @rdname print.repalign_rdm
#' @export
format.repalign_rdms <- function(x, ...) {
  stats::setNames(vapply(x, function(rdm) paste(format(rdm, ...), collapse = ", "), ""), names(x))
}

#' @rdname print.repalign_rdm
#' @export
as.matrix.repalign_rdms <- function(x, ...) {
  no_other_arguments(...)
  names <- names_of_rdms(x)
  if (!length(x)) return(matrix(0, 0, 0))
  places <- paste0("x$", names)
  Map(check_rdm, x, places)
  check_equal_sizes(x, places)
  x <- rdms_in_one_order(unclass(x), places, "x")
  labels <- labels_of_rdms(x)
  if (is.null(labels)) labels <- condition_names(x[[1]])
  ends <- pair_places(seq_along(x[[1]]), length(labels))
  matrix(unlist(lapply(x, as.vector), use.names = FALSE), ncol = length(x),
         dimnames = list(paste(labels[ends$first], labels[ends$second], sep = ", "), names))
}

least_known <- function(d, of) if (all(is.na(d))) NA_real_ else of(d, na.rm = TRUE)

# ---- some of the conditions

#' @rdname print.repalign_rdm
#' @export
subset.repalign_rdm <- function(x, conditions, ...) {
  need_arguments()
  no_other_arguments(...)
  some_conditions(x, conditions, "x")
}

#' @rdname print.repalign_rdm
#' @export
subset.repalign_rdms <- function(x, conditions, ...) {
  need_arguments()
  no_other_arguments(...)
  places <- paste0("x$", names_of_rdms(x))
  rdms <- lapply(seq_along(x), function(k) some_conditions(x[[k]], conditions, places[k]))
  new_rdms(stats::setNames(rdms, names(x)))
}

# A "dist" object, or a matrix that could be nothing but the same as a square.
is_rdm_like <- function(one) {
  inherits(one, "dist") || is.matrix(one) && (is.numeric(one) || is.logical(one)) &&
    nrow(one) == ncol(one) && nrow(one) > 1 && !any(diag(one) != 0, na.rm = TRUE) &&
    equals_transpose(one)
}

some_conditions <- function(x, conditions, arg) {
  check_rdm(x, arg)
  n <- attr(x, "Size")
  names <- condition_names(x)
  if (is.factor(conditions)) conditions <- as.character(conditions)
  named <- is.character(conditions)
  refuse_if(!is.numeric(conditions) && !named && !is.logical(conditions), "type",
            "`conditions` must be numbers, names, or TRUE and FALSE, not {describe(conditions)}.")
  refuse_if(anyNA(conditions), "value", "`conditions` has missing values: choose among the ",
            "conditions.")
  refuse_if(is.logical(conditions) && length(conditions) != n, "size", "`conditions` has ",
            "{count_of(length(conditions), 'flag')}, but `{arg}` has {count_of(n, 'condition')}: ",
            "give TRUE or FALSE for each.")
  at <- if (is.logical(conditions)) which(conditions) else
    match(conditions, if (named) names else seq_len(n))
  lost <- conditions[is.na(at)][1]
  refuse_if(anyNA(at), "labels", "`conditions` has ", if (named) quoted(lost) else format(lost),
            ", but `{arg}` has ", if (named) paste0("no such condition", suggest(lost, names)) else
              paste0("the conditions 1 to ", n, "."))
  refuse_if(anyDuplicated(at), "value", "`conditions` has {quoted(names[at[anyDuplicated(at)]])} ",
            "more than once: a condition has no dissimilarity to itself.")
  refuse_if(length(at) < 2, "size", "`conditions` chooses {count_of(length(at), 'condition')} of ",
            "`{arg}`: an RDM has at least 2.")
  place <- packed_places(at, n)
  pairs <- attr(x, "pairs")
  labels <- attr(x, "Labels")
  part <- new_rdm(x[place], length(at), if (length(labels)) labels[at], attr(x, "distance"),
                  if (length(pairs) > 1) pairs[place] else pairs, attr(x, "transformed"))
  attr(part, "method") <- attr(x, "method")
  part
}

# ---- given dissimilarities

#' Make an RDM of given dissimilarities
#'
#' Gives dissimilarities from elsewhere the class of what [rdm()] returns.
#'
#' @param x the dissimilarities of all pairs of conditions: a numeric vector in the order (1, 2),
#'   (1, 3), ..., (2, 3), ..., as in [stats::dist()], or a column of them; a symmetric matrix with
#'   zeros (or `NA`) on its diagonal; or a `dist` object. `NA`: a missing pair.
#' @param labels one label for each condition, or `NULL` for those that `x` has, if any.
#' @param ... not used.
#' @return An RDM of class `c("repalign_rdm", "dist")`. A `dist` object keeps its attribute
#'   `method`.
#' @examples
#' as_rdm(c(0.2, 0.9, 0.8), labels = c("cat", "dog", "car"))
#' as_rdm(as.matrix(rdm92$monkey)[1:10, 1:10])
#' @export
as_rdm <- function(x, labels = NULL, ...) {
  need_arguments()
  refuse_if(is.list(x), "type", "`x` must be one RDM, not ",
            if (is.data.frame(x)) {
              "a data frame: give as.matrix(x) if it holds a square matrix."
            } else "a list: lapply(x, as_rdm) makes an RDM of each element.")
  # read_representation() gives a column
  if (is.matrix(x) && ncol(x) == 1 && nrow(x) > 1) x <- as.vector(x)
  if (is.numeric(x) && is.null(dim(x)) && !inherits(x, "dist")) {
    n <- round((1 + sqrt(1 + 8 * length(x))) / 2)
    refuse_if(n < 2 || n * (n - 1) / 2 != length(x), "size", "`x` has ",
              "{count_of(length(x), 'value')}, but n conditions have n (n - 1)/2 pairs: 1, 3, 6, ",
              "10, ... Give the dissimilarity of each pair once.")
    x <- structure(as.double(x), Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist")
  }
  x <- read_rdm(x, "x", allow_na = TRUE)
  if (!is.null(labels)) {
    labels <- plain_labels(labels, "labels")
    refuse_if(length(labels) != attr(x, "Size") || anyNA(labels) || anyDuplicated(labels), "labels",
              "`labels` must have a different label for each of the {attr(x, 'Size')} conditions, ",
              "not {count_of(length(labels), 'label')}",
              if (anyNA(labels)) " with NA" else
                if (anyDuplicated(labels)) paste0(", of which some are equal (first ",
                quoted(labels[anyDuplicated(labels)]), ")"), ".")
    attr(x, "Labels") <- labels
  }
  class(x) <- c("repalign_rdm", "dist")
  x
}
