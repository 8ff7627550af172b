# The class of the RDMs that rdm() makes: a "dist" object that knows what its values are.

#' @include conditions.R
NULL

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
  if (any(vapply(found, is.null, NA))) {
    abort("There are ", length(x), " RDMs, but not all that were asked for, such as ",
          dQuote(i[vapply(found, is.null, NA)][1], FALSE), ". Their names: ",
          enumerate(names_of_rdms(x)), ".", class = "repalign_error_labels", arg = "i")
  }
  new_rdms(found)
}

# Sums of two RDMs are no longer means over so many pairs of runs. RDMs of other conditions, or of
# conditions in another order, have no sum.
#' @export
Ops.repalign_rdm <- function(e1, e2) {
  both <- nargs() == 2 && inherits(e1, "dist") && inherits(e2, "dist")
  if (both && length(e1) != length(e2)) {
    abort("The RDMs are of ", attr(e1, "Size"), " and ", attr(e2, "Size"), " conditions: ",
          .Generic, " needs the same ones.", class = "repalign_error_size", arg = "e2")
  }
  if (both) common_labels(list(e1, e2), c("e1", "e2"), "e2")
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

# What the values are, in words: "rank of crossnobis".
distance_words <- function(x) {
  distance <- attr(x, "distance")
  if (is.null(distance)) distance <- attr(x, "method")
  if (is.null(distance)) distance <- "dissimilarity"
  paste(c(rev(attr(x, "transformed")), distance), collapse = " of ")
}

# What the values of a "dist" object are: "squares" of distances, as those of rdm(); "distances", as
# dist() makes them and roots are; or "neither", such as ranks.
kind_of_values <- function(x) {
  made <- attr(x, "distance")
  if (is.null(made)) made <- attr(x, "method")
  kind <- if (identical(made, "euclidean")) "distances" else "squares"
  for (method in attr(x, "transformed")) {
    kind <- switch(method, positive = kind, sqrt = "distances", "neither")
  }
  kind
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
  if (!inherits(x, "dist")) {
    abort("`", arg, "` must be an RDM, as rdm() or dist() makes it, not ", describe(x), ".",
          if (is.matrix(x)) " Of a matrix of dissimilarities, give as.dist().",
          class = "repalign_error_type", arg = arg)
  }
  # identical patterns have dissimilarities of 0, which can be drawn, though not compared
  zero <- is.numeric(x) && any(!is.na(x)) && all(x == 0, na.rm = TRUE)
  if (!zero) check_dist(x, arg, allow_na = TRUE)
}

#' Tables and prints of RDMs
#'
#' @param x an RDM, or a list of RDMs, made by [rdm()].
#' @param digits how many significant digits to print.
#' @param n how many conditions to print.
#' @param row.names,optional as in [base::as.data.frame()]; not used.
#' @param ... not used.
#' @return `as.data.frame()` returns a data frame with a row for each pair of conditions, in the
#'   order of [stats::dist()]: their labels `x` and `y` (numbers, if there are none),
#'   `dissimilarity`, and `pairs`, of how many pairs of runs it is the mean (`NA` for what is not
#'   cross-validated over pairs of runs). That of a list begins with a column `rdm`, the names.
#'   `as.matrix()` of a list of RDMs of the same conditions is a matrix with a row for each pair of
#'   conditions, named as in `"a, b"`, and a column for each RDM; that of an RDM is square.
#'   `format()` describes each RDM in words.
#'   `print()` returns `x`, invisibly.
#' @examples
#' set.seed(1)
#' x <- array(rnorm(5 * 20 * 3), c(5, 20, 3))
#' d <- rdm(x)
#' d
#' print(d, digits = 2, n = 3)
#' as.data.frame(d)
#' as.matrix(d)
#' as.matrix(rdm(list(s1 = x, s2 = x + rnorm(300))))
#' @seealso [rdm()], [plot.repalign_rdm()]
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
  rows <- Map(function(name, rdm) data.frame(rdm = name, as_rdm_rows(rdm)), names_of_rdms(x), x)
  do.call(rbind, unname(rows))
}

# RDMs of a list without names are numbered, as listed_rdms() does it.
names_of_rdms <- function(x) {
  if (is.null(names(x))) paste0("rdm", seq_along(x)) else names(x)
}

as_rdm_rows <- function(x) as.data.frame.repalign_rdm(x)

#' @rdname print.repalign_rdm
#' @export
print.repalign_rdm <- function(x, digits = 3, n = 8, ...) {
  no_other_arguments(...)
  if (is_damaged_rdm(x)) return(invisible(print(as.vector(x))))
  digits <- check_count(digits, "digits")
  size <- attr(x, "Size")
  shown <- if (identical(n, Inf)) size else min(check_count(n, "n", 2), size)
  cat(format(x), rdm_remarks(x), "\n", sep = "")
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

rdm_remarks <- function(x) {
  pairs <- attr(x, "pairs")
  range <- if (any(!is.na(x))) range(x, na.rm = TRUE)
  remarks <- c(
    if (!is.null(pairs)) paste("mean over", pairs_text(pairs)),
    if (!is.null(range)) paste(format_each(range), collapse = " to "),
    if (any(x < 0, na.rm = TRUE)) paste(sum(x < 0, na.rm = TRUE), "negative"),
    if (anyNA(x)) paste(sum(is.na(x)), "NA")
  )
  if (length(remarks)) paste0(": ", paste(remarks, collapse = ", "))
}

pairs_text <- function(pairs) {
  limits <- range(pairs)
  if (limits[1] == limits[2]) return(paste(count_of(limits[1], "pair"), "of runs"))
  paste0(limits[1], " to ", limits[2], " pairs of runs")
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
  labels <- common_labels(x, places, "x")
  if (is.null(labels)) labels <- condition_names(x[[1]])
  ends <- pair_places(seq_along(x[[1]]), length(labels))
  matrix(unlist(lapply(x, as.vector)), ncol = length(x),
         dimnames = list(paste(labels[ends$first], labels[ends$second], sep = ", "), names))
}

least_known <- function(d, of) if (all(is.na(d))) NA_real_ else of(d, na.rm = TRUE)
