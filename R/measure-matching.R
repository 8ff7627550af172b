# Measures that match single neurons with each other.

#' Permutation Procrustes distance
#'
#' What is left between two representations when the columns of one are put into the order
#' that brings them nearest to the columns of the other.
#'
#' @inheritParams procrustes
#' @param center,scale take off the column means, and bring both sides to unit Frobenius
#'   norm, first? Neither by default, as in the benchmark's table.
#' @return One number: 0 when the columns of both sides are the same in some order; at most 2
#'   with `scale = TRUE`, in the units of the data and not bounded otherwise.
#' @details
#' The smallest \eqn{||x P - y||} over all permutation matrices P. The narrower side is filled
#' up with columns of zeros, so that each of its columns gets a partner and the
#' columns of the wider side without one count with their whole norm. The optimal
#' assignment of columns is exact (shortest augmenting paths), and the distance is summed
#' over the matched differences, which keeps the digits of small ones.
#'
#' Invariant to the order of the columns on either side, and by default to nothing else;
#' `center` adds translation, `scale` scaling. A metric between representations of one width
#' (with different widths the filling depends on the pair, and the triangle inequality can fail).
#' Sensitive to rotation: it asks whether single neurons correspond, not whether populations do.
#'
#' When not to trust it: raw columns with large means are matched by their means; and between
#' networks with different scales it compares norms. The text of the benchmark paper can be read
#' as `center = TRUE, scale = TRUE`; its table and its code take raw columns, as here.
#' @references Williams et al. (2021), NeurIPS 34. Jonker and Volgenant (1987), Computing 38.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' permutation_procrustes(x, x[, 10:1])
#' permutation_procrustes(x, x[, 10:1] + rnorm(300), center = TRUE, scale = TRUE)
#' @seealso [procrustes()], [hard_correlation_match()]
#' @export
permutation_procrustes <- function(x, y, center = FALSE, scale = FALSE) {
  one_score("permutation_procrustes", x, y, list(center = center, scale = scale))
}

compare_permutation_procrustes <- function(pair, args) {
  units <- common_units(pair, args$center, args$scale)
  matched <- remember(pair$cache, list("column match", args$center),
                      optimal_match(pair_cross(pair, args$center)))
  x <- form_scaling(pair$x, args$center)
  y <- form_scaling(pair$y, args$center)
  # the wider side goes first
  distance <- if (ncol(pair$x$data) >= ncol(pair$y$data)) {
    .Call(C_matched_distance, pair$x$data, x$means, x$scale * units$x,
          pair$y$data, y$means, y$scale * units$y, matched)
  } else {
    .Call(C_matched_distance, pair$y$data, y$means, y$scale * units$y,
          pair$x$data, x$means, x$scale * units$x, reverse_match(matched, ncol(pair$y$data)))
  }
  in_range(distance / units$scale, pair)
}

# The column of each row (0 for none) in the assignment with the largest total; the
# narrower side is matched throughout.
optimal_match <- function(gains) .Call(C_assign, gains, TRUE)

# Pairs taken from the largest entry on.
greedy_match <- function(gains) {
  best_first <- order(gains, decreasing = TRUE, method = "radix")
  .Call(C_assign_greedy, best_first, nrow(gains), ncol(gains))
}

# The row of each of the columns, 0 for none.
reverse_match <- function(matched, columns) {
  reversed <- integer(columns)
  reversed[matched] <- which(matched > 0)
  reversed
}

declare_measure(
  id = "permutation_procrustes", label = "Permutation Procrustes distance",
  family = "alignment", resi = "PermProc", direction = "distance", best = 0, symmetric = TRUE,
  range = function(args) c(0, if (args$scale) 2 else Inf), metric = FALSE, pairing = TRUE,
  invariant = "column permutation", form = "columns",
  # of a file that is loaded later
  check = function(args) check_procrustes_args(args), compare = compare_permutation_procrustes,
  reference = "Williams et al. 2021"
)

#' Hard correlation match
#'
#' The mean correlation between neurons that are matched one to one.
#'
#' @inheritParams cka
#' @param matching `"optimal"`: the matching with the largest mean; `"greedy"`: the pair with
#'   the largest correlation first, then the largest among the remaining ones, and so on.
#' @return One number in \[-1, 1\]; 1 when every column of the narrower side has a partner that
#'   is a positive multiple of it (up to an offset).
#' @details
#' Correlations over the stimuli between all columns of `x` and of `y`, with their sign; the
#' mean over the matched pairs. Every column of the narrower side is matched, so that with
#' different widths the wider one has columns left over that do not count. The optimal matching
#' is exact (shortest augmenting paths). Ties in the greedy one go by position.
#'
#' Invariant to the order of columns and to an offset and a positive factor on each
#' column. Sensitive to rotation: it asks whether single neurons correspond. A constant column
#' has no correlation and is an error that names it.
#'
#' When not to trust it: the best of many chance correlations is far above 0 when stimuli are
#' few, and the more neurons, the higher. The benchmark paper's text describes the greedy
#' matching, its code computes the optimal one.
#' @references Li et al. (2015), NIPS workshop on feature extraction. Jonker and Volgenant
#'   (1987), Computing 38.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' y <- x[, 10:1] + rnorm(300)
#' hard_correlation_match(x, y)
#' hard_correlation_match(x, y, matching = "greedy")
#' @seealso [soft_correlation_match()], [permutation_procrustes()]
#' @export
hard_correlation_match <- function(x, y, matching = c("optimal", "greedy")) {
  one_score("hard_correlation_match", x, y, list(matching = matching))
}

check_hard_match_args <- function(args) {
  args$matching <- check_choice(args$matching, c("optimal", "greedy"), "matching")
  args
}

compare_hard_match <- function(pair, args) {
  correlation <- pair_correlation(pair)
  matched <- if (args$matching == "optimal") optimal_match(correlation)
             else greedy_match(correlation)
  rows <- which(matched > 0)
  mean_correlation(correlation[cbind(rows, matched[rows])])
}

# Rounding takes a correlation of 1 a little further.
mean_correlation <- function(values) max(-1, min(1, mean(values)))

declare_measure(
  id = "hard_correlation_match", label = "Hard correlation match", family = "alignment",
  resi = "HardCorr", direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE,
  metric = FALSE, pairing = TRUE,
  invariant = c("scaling", "translation", "column permutation"), form = "columns",
  check = check_hard_match_args, compare = compare_hard_match, reference = "Li et al. 2015"
)

#' Soft correlation match
#'
#' The mean correlation of each neuron with the neuron of the other side that it correlates
#' with most; several may share one partner.
#'
#' @inheritParams cka
#' @param direction `"both"`: mean of the two directions; `"x"`: every column of `x` takes its
#'   best partner in `y`; `"y"`: every column of `y` takes its best in `x`.
#' @return One number in \[-1, 1\]; 1 when every column has a partner that is a
#'   positive multiple of it (up to an offset).
#' @details
#' Correlations over the stimuli between all columns of `x` and of `y`, with their sign; the
#' largest of each column, and the mean of these. It is never below
#' [hard_correlation_match()] in the direction of the narrower side.
#'
#' Invariant to the order of columns and to an offset and a positive factor on each column.
#' Sensitive to rotation: it asks whether single neurons have a counterpart. A constant column
#' has no correlation and is an error that names it.
#'
#' When not to trust it: as with the hard match, the best of many chance correlations is far
#' above 0 when stimuli are few; a wide side gives the other one more to choose from, so that
#' the two directions differ. The benchmark paper describes one direction, its code averages
#' both, as here.
#' @references Li et al. (2015), NIPS workshop on feature extraction.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' y <- cbind(x[, 1:5], x[, 1:5]) + rnorm(300)
#' soft_correlation_match(x, y)
#' soft_correlation_match(x, y, direction = "x")
#' @seealso [hard_correlation_match()]
#' @export
soft_correlation_match <- function(x, y, direction = c("both", "x", "y")) {
  one_score("soft_correlation_match", x, y, list(direction = direction))
}

check_soft_match_args <- function(args) {
  args$direction <- check_choice(args$direction, c("both", "x", "y"), "direction")
  args
}

compare_soft_match <- function(pair, args) {
  best <- .Call(C_side_maxima, pair_correlation(pair))
  means <- c(x = mean(best$rows), y = mean(best$columns))
  mean_correlation(if (args$direction == "both") means else means[[args$direction]])
}

declare_measure(
  id = "soft_correlation_match", label = "Soft correlation match", family = "alignment",
  resi = "SoftCorr", direction = "similarity", range = c(-1, 1), best = 1, metric = FALSE,
  symmetric = function(args) args$direction == "both", pairing = TRUE,
  invariant = c("scaling", "translation", "column permutation"), form = "columns",
  check = check_soft_match_args, compare = compare_soft_match, reference = "Li et al. 2015"
)
