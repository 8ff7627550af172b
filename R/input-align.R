# match_rows() keeps the stimuli that all representations have, in one order.

#' Align representations by row name
#'
#' @param x,y matrices, data frames, arrays of trials or [responses()] with names of stimuli, RDMs
#'   with labels ([rdm()], `dist` objects, symmetric matrices), or named lists of them (also models
#'   of layers).
#' @param ... not used.
#' @return The stimuli that all of them have, in the order of `x`: a list with `x` and `y`, or, for
#'   a list `x` without `y`, that list. Data frames become numeric matrices. A message counts the
#'   rows that are left out.
#' @details It is an error if a matrix has no row names or names a stimulus twice, or if no stimulus
#'   is common to all. [response_matrix()] names the rows of a table.
#' @examples
#' # V4 three days before, for 600 of the 640 images, and the layers of a network
#' matched <- match_rows(macaque_v4$other_day, v4_layers)
#' dim(matched$x)
#' similarity(matched$x, matched$y)
#' @export
match_rows <- function(x, y = NULL, ...) {
  need_arguments()
  refuse_if(is.null(y) && !is_collection(x), "missing", "`y` is missing: give a second matrix, ",
            "with which `x` is to be aligned.")
  given <- if (is.null(y)) list(x = x) else list(x = x, y = y)
  given <- Map(function(side, arg) map_matrices(side, arg, function(m, arg) {
    # RDMs, and what has trials, are matched as they are
    with_trials <- is_responses(m) || is.array(m) && length(dim(m)) == 3 && is.numeric(m)
    if (!with_trials && !inherits(m, "dist")) m <- as_numeric_matrix(m, arg, allow_na = TRUE)
    check_row_names(stimulus_names_of(m), arg)
    m
  }), given, names(given))
  # a flat list of what f makes of every matrix, with names such as x$model1$layer2
  names <- list()
  for (side in names(given)) {
    map_matrices(given[[side]], side, function(m, arg) names[[arg]] <<- stimulus_names_of(m))
  }
  common <- Reduce(intersect, names)
  if (!length(common)) {
    # the first matrix that has no row name in common with all matrices before it
    at <- which(!lengths(Reduce(intersect, names, accumulate = TRUE)))[1]
    before <- if (at > 2) "The matrices before" else paste0("`", names(names)[1], "`")
    refuse("rows", "{before} and `{names(names)[at]}` have no row name in common (first: ",
           "{dQuote(names[[1]][1], FALSE)} and {dQuote(names[[at]][1], FALSE)}).",
           arg = names(names)[at])
  }
  left_out <- lengths(names) - length(common)
  if (any(left_out > 0)) {
    # the message names both of two matrices, but of many only those that lose rows
    shown <- if (length(left_out) > 2) left_out[left_out > 0] else left_out
    inform("left_out", "match_rows(): {count_of(length(common), 'row')} in common; left out: ",
           paste0(shown, " of `", names(shown), "`", collapse = ", "), " (",
           enumerate(setdiff(unlist(names, use.names = FALSE), common), 3), ").")
  }
  matched <- map_matrices(given, "", function(m, arg) {
    if (inherits(m, "repalign_rdm")) return(some_conditions(m, common, arg))
    if (inherits(m, "dist")) return(stats::as.dist(as.matrix(m)[common, common]))
    if (is_responses(m)) return(m[common, , ])
    if (length(dim(m)) == 3) return(m[common, , , drop = FALSE])
    # a symmetric matrix of dissimilarities has the stimuli in its rows and in its columns
    if (is_rdm_like(m)) return(m[common, common, drop = FALSE])
    part <- m[common, , drop = FALSE]
    if (columns_are_checked(m)) mark_checked(part) else part
  })
  if (is.null(y)) matched$x else matched
}

stimulus_names_of <- function(x) {
  if (inherits(x, "dist")) {
    labels <- attr(x, "Labels")
    return(if (length(labels)) as.character(labels))
  }
  if (!is_responses(x) && length(dim(x)) == 3) return(dimnames(x)[[1]])
  rownames(x)
}

# Replaces every matrix in a list, or in lists within it, by f(matrix, arg), where `arg` is what
# messages call the matrix.
map_matrices <- function(given, arg, f) {
  if (!is_collection(given)) return(f(given, arg))
  names <- check_element_names(given, arg)
  given[] <- Map(function(element, name) map_matrices(element, paste0(arg, "$", name), f), given,
                 names)
  given
}

check_row_names <- function(names, arg) {
  refuse_if(is.null(names), "rows", "`{arg}` has no row names to match by: set rownames({arg}) to ",
            "the stimuli; response_matrix() does so for a table.")
  refuse_if(anyNA(names), "rows", "`{arg}` has a missing row name, first in row ",
            "{which(is.na(names))[1]}.")
  if (anyDuplicated(names)) refuse_repeated_names(names, list(data = matrix(0), arg = arg))
}
