# score_weighted() gives the score of a pair with weights of the stimuli, for many weight vectors at
# once.

#' Scores with weights of the stimuli
#'
#' The score of two representations for many vectors of weights of the stimuli at once, as for a
#' bootstrap.
#'
#' @param x,y see [cka()].
#' @param measure the id of one measure, or a measure object made by [measure()] or
#'   [new_measure()].
#' @param weights a matrix with a row for each stimulus (that is given, whatever `na` says) and a
#'   column for each vector of weights, or one vector; `TRUE` is 1 and `FALSE` is 0. Weights are not
#'   negative. Their unit does not matter, except for distances in the units of the data.
#' @param ... not used: parameters go to [measure()].
#' @param na see [similarity()].
#' @return A vector with the score of each column of `weights`; `NA` where it is undefined.
#' @details
#' Weights of 0 and 1 give the score of the stimuli that have 1. Whole numbers are counts, as of a
#' bootstrap; but a stimulus and its copy are no pair of stimuli, and no neighbours.
#'
#' What weights are possible depends on the measure:
#' * any: [cka()] and [angular_cka()] with the linear kernel or the Gaussian one (whose width is
#'   that of all stimuli), [rv()], [distance_correlation()], [rsa()] with Spearman's and Pearson's
#'   correlation and the cosine (not with missing pairs), the Procrustes measures (not
#'   [aligned_cosine()]), [cca()], [svcca()], and matches of neurons. Not with `clusters` and not
#'   with estimators from trials.
#' * counts: [mutual_knn()];
#' * 0 and 1 for all others, which take longer.
#' @examples
#' x <- matrix(rnorm(60 * 5), 60)
#' y <- x[, 1:3] + rnorm(180)
#' # a bootstrap of the stimuli
#' counts <- rmultinom(200, 60, rep(1, 60))
#' sd(score_weighted(x, y, measure("cka", estimator = "stimulus"), counts))
#' @export
score_weighted <- function(x, y, measure = "cka", weights, ...,
                           na = c("error", "stimuli", "neurons", "pairwise")) {
  need_arguments()
  set <- list(single_measure(measure, ...))
  refuse_if(is_collection(x) || is_collection(y), "type", "`x` and `y` must be single ",
            "representations, not lists: call score_weighted() for each pair.",
            arg = if (is_collection(x)) "x" else "y")
  rule <- rule_of_call(na, set, !missing(na))
  call <- open_call(x, y, rule$set, rule$na, use = "errors", why = "a weighted score",
                    controls = TRUE)
  weights <- rows_in_order_of(weights, call$labels, "weights")
  refuse_if(is.data.frame(weights), "type", "`weights` must be a numeric matrix with a row for ",
            "each stimulus, not a data frame: use as.matrix() if all of its columns are vectors ",
            "of weights.")
  # TRUE and FALSE say which stimuli are in a subset
  if (is.logical(weights)) storage.mode(weights) <- "double"
  refuse_if(!is.numeric(weights) || length(dim(weights)) > 2, "type", "`weights` must be a ",
            "numeric matrix with a row for each stimulus, not {describe(weights)}.")
  n <- length(call$rows)
  w <- unname(as.matrix(weights))
  storage.mode(w) <- "double"
  refuse_if(nrow(w) != n || !ncol(w), "size", "`weights` has {count_of(nrow(w), 'row')} and ",
            "{count_of(ncol(w), 'column')}, but there are {n} stimuli: give a row for each ",
            "stimulus, and a column for each vector of weights.")
  bad <- which(!is.finite(w) | w < 0, arr.ind = TRUE)
  refuse_if(nrow(bad), "value", "`weights` must be finite and not negative; that in row ",
            "{bad[1, 1]}, column {bad[1, 2]} is {w[bad[1, , drop = FALSE]]}.")
  few <- which(colSums(w > 0) < 4)
  refuse_if(length(few), "value", "Column {few[1]} of `weights` has {sum(w[, few[1]] > 0)} of the ",
            "stimuli with a weight above 0: at least 4 are needed.")
  w <- w[call$rows, , drop = FALSE]
  check_grid_memory(call$set, call$sides)
  scores <- weighted_scores(call$set[[1]], call$sides, w)
  if (is.null(call$set[[1]]$given)) return(scores)
  grids <- control_grids(call, 1)
  beside <- unlist(lapply(grids, function(grid) {
    lapply(seq_len(nrow(grid$pairs)), function(row) {
      weighted_scores(grid$set[[1]], grid$sides, w, grid$pairs[row, ])
    })
  }), recursive = FALSE)
  partial_scores(do.call(cbind, c(list(scores), beside[places_beside(call, 1, grids)])))
}

weighted_scores <- function(measure, sides, w, pairs = data.frame(i = 1L, j = 1L)) {
  errors <- errors_of(measure)
  subsets <- all(w == 0 | w == 1)
  if (is.null(errors$weighted)) {
    if (!subsets) refuse_weights(measure, w, "0 and 1 only")
    return(subset_scores(w == 1, pairs, sides, list(measure), "The scores")[1, 1, ])
  }
  if (errors$counts == "counts" && any(w != round(w))) refuse_weights(measure, w, "counts only")
  pair <- side_pair(sides, pairs$i, pairs$j)
  # errors that only the data tell, such as too few stimuli, are those of the score itself
  error <- refusal_of_pair(measure, pair)
  if (!is.null(error)) stop(error)
  compare_pair(measure$declaration, pair, measure$args)
  # a distance that is a sum over stimuli grows with the weights; counts are compared as they are
  if (is.null(errors$growth) && errors$counts == "any") {
    # the fourth powers of very large or very small weights do not fit a double; only the
    # proportions of the weights count, and a power of two changes no digit of them
    largest <- apply(w, 2, max)
    for (b in which(largest > 2^64 | largest < 2^-64)) {
      w[, b] <- w[, b] * power_of_two_below(largest[b])
    }
  }
  # about so many numbers are in each of the matrices of a block
  columns <- max(1, floor(4e5 / nrow(w)))
  blocks <- split(seq_len(ncol(w)), (seq_len(ncol(w)) - 1) %/% columns)
  unlist(lapply(unname(blocks), function(at) {
    errors$weighted(pair, measure$args, w[, at, drop = FALSE], measure$declaration)
  }))
}

refuse_weights <- function(measure, w, what) {
  refuse("value", "The measure {quoted(measure$label)} takes weights of {what}, not ",
         "{format(w[w != round(w) | w > 1][1], digits = 4)}.", arg = "weights")
}
