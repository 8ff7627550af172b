# Getting data into shape: rows by name, long tables to arrays.

#' Align two representations by row name
#'
#' @param x,y matrices or data frames with row names that name the stimuli.
#' @return A list with `x` and `y`: numeric matrices of the stimuli that both have, in
#'   the order of `x`. A message counts the rows left out.
#' @details An error when a side has no row names or names a stimulus twice, or when
#'   there is none in common.
#' @examples
#' x <- matrix(1:6, 3, dimnames = list(c("face", "car", "tree"), NULL))
#' y <- matrix(1:6, 3, dimnames = list(c("tree", "face", "house"), NULL))
#' match_rows(x, y)
#' @seealso [similarity()]
#' @export
match_rows <- function(x, y) {
  sides <- list(x = x, y = y)
  sides <- Map(function(side, arg) {
    side <- as_numeric_matrix(side, arg, allow_na = TRUE)
    check_row_names(rownames(side), arg)
    side
  }, sides, names(sides))
  common <- intersect(rownames(sides$x), rownames(sides$y))
  if (!length(common)) {
    abort("`x` and `y` have no row name in common (first: ",
          dQuote(rownames(sides$x)[1], FALSE), " and ", dQuote(rownames(sides$y)[1], FALSE), ").",
          class = "repalign_error_rows", arg = "y")
  }
  left_out <- c(nrow(sides$x), nrow(sides$y)) - length(common)
  if (any(left_out > 0)) {
    inform("match_rows(): ", length(common), " rows in common; left out: ", left_out[1],
           " of `x`, ", left_out[2], " of `y`.", class = "repalign_left_out")
  }
  lapply(sides, function(side) side[common, , drop = FALSE])
}

check_row_names <- function(names, arg) {
  if (is.null(names)) {
    abort("`", arg, "` has no row names to match by: set rownames(", arg, ") to the stimuli.",
          class = "repalign_error_rows", arg = arg)
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
#' @param data a data frame with a row per response: one neuron, one stimulus, one
#'   repeat.
#' @param stimulus,neuron,trial,value names of the columns of `data` that hold the
#'   stimulus, the neuron, the repeat and the response. Without `trial`, repeats are
#'   numbered by their order within each neuron and stimulus.
#' @return A numeric array stimuli x neurons x trials with names, `NA` where a repeat
#'   is missing. Stimuli, neurons and trials stand in order of first appearance
#'   (levels, for factors; numbers are sorted).
#' @details
#' Neurons recorded one by one (a pseudo-population) have repeats that do not
#' correspond to each other. Numbering them within each neuron and stimulus, as is
#' done without `trial`, makes trial t of the array the t-th repeat of every neuron.
#' Neurons recorded together must share trial numbers, or their correlated noise is
#' lost.
#' @examples
#' long <- expand.grid(image = c("a", "b"), unit = 1:3, rep = 1:2)
#' long$count <- seq_len(nrow(long))
#' trial_array(long[-1, ], "image", "unit", "rep", "count")
#' @seealso [trial_to_trial()]
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

# The how-manieth row of its pair of levels each row is.
occurrence <- function(a, b) {
  pair <- as.integer(a) + (as.integer(b) - 1) * as.double(nlevels(a))
  stats::ave(seq_along(a), match(pair, unique(pair)), FUN = seq_along)
}
