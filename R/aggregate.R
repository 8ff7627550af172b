# One value for a whole grid of scores.

#' Mean of the k largest scores of a grid
#'
#' For the `aggregate` argument of [calibrate()]: the mean of the k most similar pairs of layers.
#' Distances reach it with their sign changed, so that the largest are the most similar.
#'
#' @param k how many scores; all of them when the grid has fewer.
#' @return A function of a matrix of scores.
#' @examples
#' top_k_mean(3)(matrix(1:6, 2))
#' @seealso [calibrate()]
#' @export
top_k_mean <- function(k) {
  k <- check_count(k, "k")
  function(scores) mean(utils::head(sort(scores, decreasing = TRUE), k))
}

aggregates <- c("max", "mean", "row_max", "col_max")

# NULL, or list(name, of, best): of(values, rows, columns) aggregates every row of `values`, a
# draw each, whose columns are the entries of the grid at (rows, columns). Larger is more
# similar. best(best, rows, columns): its value when every score is the best one.
as_aggregate <- function(aggregate) {
  if (is.null(aggregate)) return(NULL)
  if (is.function(aggregate)) {
    of <- own_aggregate(aggregate)
    best <- function(best, rows, columns) {
      tryCatch(of(matrix(best, 1, length(rows)), rows, columns), error = function(e) NA_real_)
    }
    return(list(name = "function", of = of, best = best))
  }
  name <- check_choice(aggregate, aggregates, "aggregate")
  of <- switch(name,
    max = function(values, rows, columns) row_maxima(values),
    mean = function(values, rows, columns) rowMeans(values),
    row_max = function(values, rows, columns) mean_of_maxima(values, rows),
    col_max = function(values, rows, columns) mean_of_maxima(values, columns)
  )
  list(name = name, of = of, best = function(best, rows, columns) best)
}

row_maxima <- function(values) do.call(pmax, lapply(seq_len(ncol(values)), function(j) values[, j]))

mean_of_maxima <- function(values, group) {
  maxima <- lapply(split(seq_along(group), group), function(columns) {
    row_maxima(values[, columns, drop = FALSE])
  })
  Reduce(`+`, maxima) / length(maxima)
}

own_aggregate <- function(fun) {
  function(values, rows, columns) {
    grid <- matrix(NA_real_, max(rows), max(columns))
    apply(values, 1, function(scores) {
      grid[cbind(rows, columns)] <- scores
      one_aggregate(tryCatch(fun(grid), error = function(e) {
        abort("The function in `aggregate` failed on a ", nrow(grid), " x ", ncol(grid),
              " matrix of scores: ", conditionMessage(e), class = "repalign_error_value",
              arg = "aggregate")
      }))
    })
  }
}

one_aggregate <- function(value) {
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value)) {
    abort("The function in `aggregate` must return one finite number, not ",
          if (is.numeric(value) && length(value) == 1) format(value) else describe(value), ".",
          class = "repalign_error_value", arg = "aggregate")
  }
  as.double(value)
}
