# match_rows() brings the rows of matrices into the same order, and trial_array() makes an array of
# trials from a long table.

#' Align representations by row name
#'
#' @param x,y matrices, data frames or what [responses()] makes, whose row names name the stimuli,
#'   or named lists of them (layers, areas, models of layers).
#' @return The same representations, with only the stimuli that all of them have, in the order of
#'   `x` (of its first matrix, if it is a list). Data frames become numeric matrices; lists keep
#'   their structure and names. The result is a list with `x` and `y`, or, for a list `x` without
#'   `y`, that list. A message counts the rows that are left out.
#' @details It is an error if a matrix has no row names or names a stimulus twice, or if no
#'   stimulus is common to all. Missing values (`NA`) stay.
#' @examples
#' x <- matrix(1:6, 3, dimnames = list(c("face", "car", "tree"), NULL))
#' y <- matrix(1:6, 3, dimnames = list(c("tree", "face", "house"), NULL))
#' match_rows(x, y)
#' # a brain area and the layers of a network: V4 three days before, for 600 of the 640 images
#' matched <- match_rows(macaque_v4$other_day, v4_layers)
#' dim(matched$x)
#' similarity(matched$x, matched$y)
#' @seealso [response_matrix()], which names the rows of a table; [similarity()]
#' @export
match_rows <- function(x, y = NULL) {
  need_arguments()
  if (is.null(y) && !is_collection(x)) {
    abort("`y` is missing: give a second matrix, with which `x` is to be aligned.",
          class = "repalign_error_missing", arg = "y")
  }
  given <- if (is.null(y)) list(x = x) else list(x = x, y = y)
  given <- Map(function(side, arg) map_matrices(side, arg, named_matrix), given, names(given))
  names <- list_matrices(given, rownames)
  common <- Reduce(intersect, names)
  if (!length(common)) refuse_disjoint(names)
  note_rows_left_out(lengths(names) - length(common), length(common))
  matched <- map_matrices(given, "", function(m, arg) {
    if (is_responses(m)) return(m[common, , ])
    part <- m[common, , drop = FALSE]
    if (columns_are_checked(m)) mark_checked(part) else part
  })
  if (is.null(y)) matched$x else matched
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

# A flat list of what f makes of every matrix, with names such as x$model1$layer2.
list_matrices <- function(given, f) {
  found <- list()
  for (side in names(given)) {
    map_matrices(given[[side]], side, function(m, arg) found[[arg]] <<- f(m))
  }
  found
}

named_matrix <- function(m, arg) {
  if (!is_responses(m)) m <- as_numeric_matrix(m, arg, allow_na = TRUE)
  check_row_names(rownames(m), arg)
  m
}

refuse_disjoint <- function(names) {
  # the first matrix that has no row name in common with all matrices before it
  at <- which(!lengths(Reduce(intersect, names, accumulate = TRUE)))[1]
  before <- if (at > 2) "The matrices before" else paste0("`", names(names)[1], "`")
  abort(before, " and `", names(names)[at], "` have no row name in common (first: ",
        dQuote(names[[1]][1], FALSE), " and ", dQuote(names[[at]][1], FALSE), ").",
        class = "repalign_error_rows", arg = names(names)[at])
}

note_rows_left_out <- function(left_out, common) {
  if (!any(left_out > 0)) return(invisible())
  # the message names both of two matrices, but of many only those that lose rows
  shown <- if (length(left_out) > 2) left_out[left_out > 0] else left_out
  inform("match_rows(): ", common, " rows in common; left out: ",
         paste0(shown, " of `", names(shown), "`", collapse = ", "), ".",
         class = "repalign_left_out")
}

check_row_names <- function(names, arg) {
  if (is.null(names)) {
    abort("`", arg, "` has no row names to match by: set rownames(", arg, ") to the stimuli; ",
          "response_matrix() does so for a table.", class = "repalign_error_rows", arg = arg)
  }
  if (anyNA(names)) {
    abort("`", arg, "` has a missing row name, first in row ", which(is.na(names))[1], ".",
          class = "repalign_error_rows", arg = arg)
  }
  if (anyDuplicated(names)) {
    twice <- names[duplicated(names)][1]
    abort("`", arg, "` has the row name ", dQuote(twice, FALSE), " more than once: average the ",
          "repeats, or use trial_array().", class = "repalign_error_rows", arg = arg)
  }
}

#' Long table of trials to an array
#'
#' @param data a data frame with one row per response of one neuron to one repeat of a stimulus.
#' @param stimulus,neuron,trial,value names of the columns of `data` that hold the stimulus, the
#'   neuron, the repeat and the response. Without `trial`, the repeats of each stimulus are
#'   numbered for each neuron in the order of the rows.
#' @return A numeric array stimuli x neurons x trials with names, and `NA` where a repeat is
#'   missing. Stimuli, neurons and trials are in order of first appearance; factors are in the
#'   order of their levels, and numbers are sorted.
#' @details
#' If neurons were recorded one after the other (a pseudo-population), their repeats do not
#' correspond to each other. Without `trial`, trial t of the array is then the t-th repeat for each
#' neuron. If neurons were recorded together, `trial` must have the same number for the same
#' repeat: otherwise the noise that the neurons share is lost.
#' @examples
#' long <- expand.grid(image = c("a", "b"), unit = 1:3, rep = 1:2)
#' long$count <- seq_len(nrow(long))
#' trial_array(long[-1, ], "image", "unit", "rep", "count")
#' @seealso [responses()], which also reads long tables, and knows how the trials were recorded;
#'   [trial_to_trial()]
#' @export
trial_array <- function(data, stimulus, neuron, trial = NULL, value) {
  need_arguments()
  if (!is.data.frame(data)) {
    abort("`data` must be a data frame with a row per response, not ", describe(data), ".",
          class = "repalign_error_type", arg = "data")
  }
  if (!nrow(data)) {
    abort("`data` has no rows.", class = "repalign_error_size", arg = "data")
  }
  column <- function(name, arg) table_column(data, name, arg)
  response <- column(value, "value")
  if (!is.numeric(response) && !is.logical(response)) {
    abort("Column ", dQuote(value, FALSE), " of `data` is not numeric.",
          class = "repalign_error_type", arg = "value")
  }
  axes <- list(ordered_factor(column(stimulus, "stimulus"), stimulus),
               ordered_factor(column(neuron, "neuron"), neuron))
  repeats <- if (is.null(trial)) occurrence(axes[[1]], axes[[2]]) else column(trial, "trial")
  axes[[3]] <- ordered_factor(repeats, if (is.null(trial)) "trial" else trial)
  sizes <- vapply(axes, nlevels, 0L)
  check_memory(8 * prod(as.double(sizes)), "The trial array", "Fewer trials or neurons need less.")
  at <- do.call(cbind, lapply(axes, as.integer))
  twice <- anyDuplicated(at)
  if (twice) {
    abort("`data` has stimulus ", dQuote(axes[[1]][twice], FALSE), ", neuron ",
          dQuote(axes[[2]][twice], FALSE), ", trial ", dQuote(axes[[3]][twice], FALSE),
          " more than once (row ", twice, ").", class = "repalign_error_rows", arg = "data")
  }
  result <- array(NA_real_, sizes, dimnames = lapply(axes, levels))
  result[at] <- as.double(response)
  result
}

table_column <- function(data, name, arg) {
  if (!is.character(name) || length(name) != 1 || is.na(name)) {
    abort("`", arg, "` must be the name of a column of `data`.",
          class = "repalign_error_value", arg = arg)
  }
  if (!name %in% names(data)) {
    abort("`data` has no column ", dQuote(name, FALSE), suggest(name, names(data)), " Columns: ",
          enumerate(names(data), 20), ".",
          class = "repalign_error_value", arg = arg)
  }
  data[[name]]
}

ordered_factor <- function(values, name) {
  if (anyNA(values)) {
    abort("Column ", dQuote(name, FALSE), " of `data` has missing values, first in row ",
          which(is.na(values))[1], ".", class = "repalign_error_nonfinite", arg = "data")
  }
  if (is.factor(values)) return(droplevels(values))
  factor(values, if (is.numeric(values)) sort(unique(values)) else unique(values))
}

# Numbers the rows with the same stimulus and neuron, which are different trials: 1, 2, and so on.
occurrence <- function(a, b) {
  pair <- as.integer(a) + (as.integer(b) - 1) * as.double(nlevels(a))
  stats::ave(seq_along(a), match(pair, unique(pair)), FUN = seq_along)
}
