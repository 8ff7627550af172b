# What similarity() returns.

#' The grid of scores as a matrix
#'
#' @param result what [similarity()] returned, or rows of it.
#' @param measure the label of one measure in `result`; may be left out when there is
#'   only one.
#' @return A numeric matrix, `x` in the rows and `y` in the columns, both in order of
#'   appearance. For all pairs of one list it is square and symmetric when the measure
#'   is, with `NA` for what was not computed. With models the names are
#'   "model/layer".
#' @examples
#' set.seed(1)
#' areas <- lapply(c(V1 = 8, V4 = 12, IT = 10), function(q) matrix(rnorm(30 * q), 30))
#' score_matrix(similarity(areas, diagonal = TRUE))
#' @seealso [similarity()]
#' @export
score_matrix <- function(result, measure = NULL) {
  if (!is.data.frame(result) || !all(c("x", "y", "measure", "score") %in% names(result))) {
    abort("`result` must be what similarity() returned: a data frame with the columns x, y, ",
          "measure and score.", class = "repalign_error_type", arg = "result")
  }
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
  measure <- check_choice(measure, labels, "measure")
  rows <- result[result$measure == measure, ]
  fill_grid(full_names(rows, "x"), full_names(rows, "y"), rows$score, is_symmetric(measure))
}

full_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  if (is.null(model)) rows[[side]] else paste(model, rows[[side]], sep = "/")
}

# A label is an id, or an id with parameters in brackets; symmetry does not depend on them.
is_symmetric <- function(label) {
  id <- sub("\\(.*$", "", sub(" #[0-9]+$", "", label))
  id %in% names(registry) && registry[[id]]$symmetric
}

fill_grid <- function(x, y, score, symmetric) {
  # all pairs of one list: names recur on both sides and no pair is there both ways
  within <- length(intersect(x, y)) > 0 && !any(paste(y, x)[x != y] %in% paste(x, y))
  rows <- if (within) unique(c(rbind(x, y))) else unique(x)
  columns <- if (within) rows else unique(y)
  grid <- matrix(NA_real_, length(rows), length(columns), dimnames = list(rows, columns))
  grid[cbind(match(x, rows), match(y, columns))] <- score
  if (within && symmetric) grid[cbind(match(y, rows), match(x, columns))] <- score
  grid
}

#' @export
print.repalign_similarity <- function(x, ...) {
  cat("Similarity: ", nrow(x), if (nrow(x) == 1) " score\n" else " scores\n", sep = "")
  print.data.frame(x, ...)
  invisible(x)
}

#' @export
summary.repalign_similarity <- function(object, ...) {
  plain <- as.data.frame(object)
  groups <- split(plain$score, factor(plain$measure, unique(plain$measure)))
  rows <- lapply(names(groups), function(label) {
    score <- groups[[label]]
    q <- stats::quantile(score, c(0, 0.5, 1), na.rm = TRUE, names = FALSE)
    data.frame(measure = label, pairs = length(score), undefined = sum(is.na(score)), min = q[1],
               median = q[2], mean = if (all(is.na(score))) NA_real_ else mean(score, na.rm = TRUE),
               max = q[3])
  })
  do.call(rbind, rows)
}

#' @export
tidy.repalign_similarity <- function(x, ...) {
  plain <- as.data.frame(x)
  names(plain)[names(plain) == "score"] <- "estimate"
  names(plain)[names(plain) == "measure"] <- "term"
  plain
}

#' @export
glance.repalign_similarity <- function(x, ...) {
  plain <- as.data.frame(x)
  data.frame(pairs = nrow(unique(plain[intersect(c("model_x", "model_y", "x", "y"), names(plain))])),
             measures = length(unique(plain$measure)), n = plain$n[1],
             undefined = sum(is.na(plain$score)))
}

#' @export
as.data.frame.repalign_similarity <- function(x, ...) {
  class(x) <- "data.frame"
  x
}
