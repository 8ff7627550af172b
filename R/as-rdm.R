# as_rdm() makes an RDM of dissimilarities that are given as a vector, a matrix or a "dist" object.

#' Make an RDM of given dissimilarities
#'
#' Gives dissimilarities that come from elsewhere (another program, a behavioural experiment) the
#' class of what [rdm()] returns, so that they print and plot as such.
#'
#' @param x the dissimilarities of all pairs of conditions: a numeric vector in the order (1, 2),
#'   (1, 3), ..., (2, 3), ..., as in [stats::dist()] and in rsatoolbox; a symmetric matrix with
#'   zeros (or `NA`) on its diagonal; or a `dist` object. `NA` stands for a pair that lacks.
#' @param labels one label for each condition, or `NULL` for those that `x` has, if any.
#' @return An RDM of class `c("repalign_rdm", "dist")`. A `dist` object keeps its attribute
#'   `method`.
#' @examples
#' as_rdm(c(0.2, 0.9, 0.8), labels = c("cat", "dog", "car"))
#' as_rdm(as.matrix(rdm92$monkey)[1:10, 1:10])
#' # a matrix with an RDM in each row
#' rows <- rbind(a = c(0.2, 0.9, 0.8), b = c(0.1, 0.7, 0.9))
#' apply(rows, 1, as_rdm, simplify = FALSE)
#' @seealso [rdm()], [transform_rdm()], [plot_rdms()]
#' @export
as_rdm <- function(x, labels = NULL) {
  need_arguments()
  if (is.list(x)) {
    abort("`x` must be one RDM, not ", if (is.data.frame(x)) {
      "a data frame: give as.matrix(x) if it holds a square matrix."
    } else "a list: lapply(x, as_rdm) makes an RDM of each element.",
          class = "repalign_error_type", arg = "x")
  }
  if (is.numeric(x) && is.null(dim(x)) && !inherits(x, "dist")) x <- dist_of_vector(x)
  x <- read_rdm(x, "x", allow_na = TRUE)
  if (!is.null(labels)) attr(x, "Labels") <- condition_labels(labels, attr(x, "Size"))
  class(x) <- c("repalign_rdm", "dist")
  x
}

dist_of_vector <- function(x) {
  n <- round((1 + sqrt(1 + 8 * length(x))) / 2)
  if (n < 2 || n * (n - 1) / 2 != length(x)) {
    abort("`x` has ", count_of(length(x), "value"), ", but n conditions have n (n - 1)/2 pairs: ",
          "1, 3, 6, 10, ... Give the dissimilarity of each pair once.",
          class = "repalign_error_size", arg = "x")
  }
  structure(as.double(x), Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist")
}

condition_labels <- function(labels, n) {
  labels <- plain_labels(labels, "labels")
  if (length(labels) != n || anyNA(labels) || anyDuplicated(labels)) {
    abort("`labels` must have a different label for each of the ", n, " conditions, not ",
          count_of(length(labels), "label"), if (anyNA(labels)) " with NA" else
            if (anyDuplicated(labels)) paste0(", of which some are equal (first ",
                                              dQuote(labels[anyDuplicated(labels)], FALSE), ")"),
          ".", class = "repalign_error_labels", arg = "labels")
  }
  labels
}
