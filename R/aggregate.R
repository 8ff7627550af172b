# Aggregates turn a whole grid of scores into one value.

#' Mean of the k largest scores of a grid
#'
#' Makes a function for the `aggregate` argument of [calibrate()]: the mean score of the k
#' most similar pairs of layers. [calibrate()] changes the sign of distances first, so that
#' the largest values always belong to the most similar pairs.
#'
#' @param k number of scores to average. If the grid has fewer, all of them are averaged.
#' @return A function that takes a matrix of scores and returns one number.
#' @examples
#' top_k_mean(3)(matrix(1:6, 2))
#' @seealso [calibrate()]
#' @export
top_k_mean <- function(k) {
  need_arguments()
  k <- check_count(k, "k")
  structure(function(scores) mean(utils::head(sort(scores, decreasing = TRUE), k)),
            aggregate = paste0("top_k_mean(", k, ")"))
}

aggregates <- c("max", "mean", "row_max", "col_max")

# Returns NULL, or list(name, combine, bounded, own). combine(values, rows, columns) aggregates
# every row of `values`, which is one grid: the observed scores or those of one permutation. `rows`
# and `columns` are factors whose levels are the layers; they say which entry of the grid a column
# of `values` is. The scores are oriented so that larger is more similar. `bounded` says whether the
# best value of the measure is also the best value of the aggregate. Only functions have `own`,
# which tells one function of the user from another.
as_aggregate <- function(aggregate) {
  if (is.null(aggregate)) return(NULL)
  if (is.function(aggregate)) return(own_aggregate(aggregate))
  if (!is.character(aggregate)) {
    abort("`aggregate` must be ", enumerate(aggregates), ", or a function of a matrix of scores, ",
          "not ", describe(aggregate), ".", class = "repalign_error_value", arg = "aggregate")
  }
  name <- check_choice(aggregate, aggregates, "aggregate")
  combine <- switch(name,
    max = function(values, rows, columns) row_maxima(values),
    mean = function(values, rows, columns) rowMeans(values),
    row_max = function(values, rows, columns) mean_of_maxima(values, rows),
    col_max = function(values, rows, columns) mean_of_maxima(values, columns)
  )
  list(name = name, combine = combine, bounded = TRUE)
}

row_maxima <- function(values) do.call(pmax, lapply(seq_len(ncol(values)), function(j) values[, j]))

mean_of_maxima <- function(values, group) {
  maxima <- lapply(split(seq_along(group), group), function(columns) {
    row_maxima(values[, columns, drop = FALSE])
  })
  Reduce(`+`, maxima) / length(maxima)
}

own_aggregate <- function(fun) {
  if (identical(fun, top_k_mean)) {
    abort("`aggregate` is top_k_mean without a number: write top_k_mean(3), for example.",
          class = "repalign_error_value", arg = "aggregate")
  }
  combine <- function(values, rows, columns) {
    grid <- matrix(NA_real_, nlevels(rows), nlevels(columns),
                   dimnames = list(levels(rows), levels(columns)))
    at <- cbind(as.integer(rows), as.integer(columns))
    apply(values, 1, function(scores) {
      grid[at] <- scores
      one_aggregate(fun(grid))
    })
  }
  name <- attr(fun, "aggregate")
  # top_k_mean() names its functions, and a mean of scores has their best value; the best value of
  # a function of the user is not known
  list(name = if (is.null(name)) "function" else name, combine = combine,
       bounded = !is.null(name), own = c(name, deparse(fun)))
}

# The values of an aggregate. Errors and warnings of the user's function are given with `where`, the
# measure and the grid, because the user cannot see at which call they arose.
aggregate_values <- function(aggregate, values, rows, columns, where) {
  if (is.null(aggregate$own)) return(aggregate$combine(values, rows, columns))
  warnings <- character()
  result <- tryCatch(
    withCallingHandlers(aggregate$combine(values, rows, columns), warning = function(w) {
      warnings <<- union(warnings, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = function(e) {
      abort("The function in `aggregate`, ", where, ": ", conditionMessage(e),
            class = "repalign_error_value", arg = "aggregate")
    }
  )
  if (length(warnings)) {
    warn("The function in `aggregate`, ", where, ": ", first_and_count(warnings),
         class = "repalign_function")
  }
  result
}

first_and_count <- function(texts) {
  paste0(texts[1], if (length(texts) > 1) paste0(" (And ", length(texts) - 1, " more like this.)"))
}

one_aggregate <- function(value) {
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value)) {
    abort("it must return one finite number, not ",
          if (is.numeric(value) && length(value) == 1) format(value) else describe(value), ".",
          class = "repalign_error_value", arg = "aggregate")
  }
  as.double(value)
}
