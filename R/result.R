# What similarity() returns.

#' The grid of scores as a matrix
#'
#' @param result what [similarity()] or [calibrate()] returned, or rows of it.
#' @param measure the label of one measure in `result`; may be left out when there is
#'   only one.
#' @param value the name of a numeric column, such as `"p_value"`. By default `"calibrated"`
#'   for calibrations and `"score"` otherwise.
#' @return A numeric matrix, `x` in the rows and `y` in the columns, both in order of
#'   appearance. For all pairs of one list, or a list against itself, it is square, and
#'   symmetric when the measure is, with `NA` for what was not computed. With models the
#'   names are "model/layer", and two models give layers by layers; an aggregate gives
#'   models by models. Two values of one pair are an error.
#' @examples
#' set.seed(1)
#' areas <- lapply(c(V1 = 8, V4 = 12, IT = 10), function(q) matrix(rnorm(30 * q), 30))
#' score_matrix(similarity(areas, diagonal = TRUE))
#' score_matrix(calibrate(areas, permutations = 199), value = "p_value")
#' @seealso [similarity()], [calibrate()]
#' @export
score_matrix <- function(result, measure = NULL, value = NULL) {
  need_arguments()
  if (!is.data.frame(result) || !all(c("x", "y", "measure") %in% names(result))) {
    abort("`result` must be what similarity() or calibrate() returned: a data frame with the ",
          "columns x, y and measure.", class = "repalign_error_type", arg = "result")
  }
  value <- value_column(result, value)
  measure <- one_label(result, measure)
  rows <- as.data.frame(result)[result$measure == measure, ]
  known <- grid_of(result)
  models <- !is.null(rows$model_x)
  two_models <- models && !known$aggregate && !length(intersect(rows$model_x, rows$model_y))
  within <- known$within && !two_models
  symmetric <- within && isTRUE(known$symmetric[measure][[1]])
  names <- if (known$aggregate) model_names else full_names
  fill_grid(names(rows, "x"), names(rows, "y"), rows[[value]], within, symmetric)
}

# The column whose values the grid holds.
value_column <- function(result, value) {
  if (is.null(value)) {
    value <- if (inherits(result, "repalign_calibration")) "calibrated" else "score"
    if (!value %in% names(result)) {
      abort("`result` has no column ", dQuote(value, FALSE), ": name another one in `value`.",
            class = "repalign_error_type", arg = "result")
    }
  }
  numeric <- setdiff(names(result)[vapply(result, is.numeric, NA)], c("x", "y"))
  check_choice(value, numeric, "value")
}

one_label <- function(result, measure) {
  labels <- unique(result$measure)
  if (!length(labels)) {
    abort("`result` has no rows.", class = "repalign_error_size", arg = "result")
  }
  if (is.null(measure)) {
    if (length(labels) > 1) {
      abort("`result` holds several measures: name one in `measure`: ", enumerate(labels, 20), ".",
            class = "repalign_error_choice", arg = "measure")
    }
    measure <- labels
  }
  if (length(measure) != 1) {
    abort("`measure` must be one of the labels: ", enumerate(labels, 20), ".",
          class = "repalign_error_choice", arg = "measure")
  }
  check_choice(measure, labels, "measure")
}

# list(within, symmetric, aggregate): what a result knows of its grid.
grid_of <- function(result) {
  known <- if (inherits(result, "repalign_calibration")) attr(result, "grid") else
    list(within = attr(result, "within"), symmetric = attr(result, "symmetric"))
  list(within = isTRUE(known$within), symmetric = known$symmetric,
       aggregate = isTRUE(known$aggregate))
}

full_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  if (is.null(model)) rows[[side]] else paste(model, rows[[side]], sep = "/")
}

# The names of an aggregate: which layers a maximum selects is not part of them.
model_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  if (is.null(model)) rep(side, nrow(rows)) else model
}

# within: both sides are the same list, so the grid is square; but not for the layers of
# two models, which stand on one side each.
fill_grid <- function(x, y, score, within, symmetric) {
  twice <- anyDuplicated(data.frame(x, y))
  if (twice) {
    abort("`result` has two scores of ", dQuote(x[twice], FALSE), " and ", dQuote(y[twice], FALSE),
          ": give the rows of one grid.", class = "repalign_error_rows", arg = "result")
  }
  rows <- if (within) unique(c(x, y)) else unique(x)
  columns <- if (within) rows else unique(y)
  grid <- matrix(NA_real_, length(rows), length(columns), dimnames = list(rows, columns))
  if (symmetric) grid[cbind(match(y, rows), match(x, columns))] <- score
  grid[cbind(match(x, rows), match(y, columns))] <- score
  grid
}

# Parts of a result keep what is known of its grid.
#' @export
`[.repalign_similarity` <- function(x, ...) {
  part <- NextMethod()
  if (is.data.frame(part)) {
    for (name in c("within", "symmetric", "direction")) attr(part, name) <- attr(x, name)
  }
  part
}

#' @export
print.repalign_similarity <- function(x, digits = 4, ...) {
  cat("Similarity: ", count_of(nrow(x), "score"), "\n", sep = "")
  print_rows(as.data.frame(x), digits, ...)
  invisible(x)
}

#' @rdname tidy.repalign
#' @export
summary.repalign_similarity <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("measure", "score"), "summarised")
  groups <- split(plain$score, factor(plain$measure, unique(plain$measure)))
  if (!length(groups)) return(data.frame(
    measure = character(), pairs = integer(), undefined = integer(), min = double(),
    median = double(), mean = double(), max = double()
  ))
  rows <- lapply(names(groups), function(label) {
    score <- groups[[label]]
    q <- stats::quantile(score, c(0, 0.5, 1), na.rm = TRUE, names = FALSE)
    data.frame(measure = label, pairs = length(score), undefined = sum(is.na(score)), min = q[1],
               median = q[2], mean = if (all(is.na(score))) NA_real_ else mean(score, na.rm = TRUE),
               max = q[3])
  })
  do.call(rbind, rows)
}

#' Results as plain tables
#'
#' `tidy()` gives results the column names of the broom packages, `glance()` one row about
#' the whole, `as.data.frame()` the plain data frame, `summary()` of [similarity()] a row
#' per measure.
#'
#' @param x,object what [similarity()] or an analysis ([brain_to_brain()],
#'   [trial_to_trial()], [brain_to_model()], [object_disentanglement()]) returned; its rows
#'   may be a part, in any order, or bound together.
#' @param ... unused.
#' @return A data frame. `tidy()`: `term` (measure or estimator) and `estimate`, for
#'   analyses also `std.error`, `conf.low`, `conf.high`. `glance()`: numbers of pairs or
#'   comparisons, of measures or neurons, and of undefined values.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 60, q = 20, d = 10)
#' tidy(similarity(pop$x, pop$y, c("cka", "rv")))
#' glance(brain_to_brain(pop$x, pop$y, neurons = 10, repeats = 10))
#' @name tidy.repalign
NULL

#' @rdname tidy.repalign
#' @export
tidy.repalign_similarity <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("measure", "score"), "tidied")
  names(plain)[names(plain) == "score"] <- "estimate"
  names(plain)[names(plain) == "measure"] <- "term"
  plain
}

#' @rdname tidy.repalign
#' @export
glance.repalign_similarity <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("x", "y", "measure", "score", "n"), "summarised")
  sides <- intersect(c("model_x", "model_y", "x", "y"), names(plain))
  data.frame(pairs = nrow(unique(plain[sides])),
             measures = length(unique(plain$measure)), n = plain$n[1],
             undefined = sum(is.na(plain$score)))
}

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_similarity <- function(x, ...) {
  class(x) <- "data.frame"
  attr(x, "within") <- attr(x, "symmetric") <- attr(x, "direction") <- NULL
  x
}
