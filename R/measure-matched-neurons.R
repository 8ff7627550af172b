# Which neurons a soft matching matches.

#' Which neurons are matched
#'
#' The pairs of neurons of a soft matching by correlation, with how they correlate on stimuli that
#' did not choose them.
#'
#' @param x,y see [cka()].
#' @param mass the share of both populations that is matched; `NULL` matches all.
#' @param ... not used.
#' @return A data frame with a row for each pair of neurons that is matched: `x` and `y` (names of
#'   the columns, or their numbers); `weight` (these add up to `mass`); `correlation`, over all
#'   stimuli; `correlation_test`, on stimuli that did not choose the pair; and `mass_entered`, the
#'   mass above which the pair first has weight.
#' @details
#' The plan is that of [soft_matching_correlation()], from all stimuli, so that `correlation` is too
#' high. `correlation_test` is from five random folds of the stimuli (clusters of [responses()] stay
#' whole): the mean over the folds in which the others match the pair; `NA` where none does, or
#' where a neuron is constant.
#' @references Khosla and Williams (2024), Proceedings of Machine Learning Research 243.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 60)
#' y <- x[, c(1:10, 1:5)] + 0.5 * rnorm(900)
#' # the best half
#' matched_neurons(x, y, mass = 0.5)
#' @export
matched_neurons <- function(x, y, mass = NULL, ...) {
  need_arguments()
  mass <- if (is.null(mass)) 1 else check_mass(mass)
  set <- list(measure("soft_matching_correlation", mass = mass))
  call <- open_call(x, y, using_clusters(set), use = "errors", why = "a test")
  refuse_if(nrow(call$pairs) != 1 || call$sides$self, "type", "`x` and `y` must be one ",
            "representation each, not lists of several.")
  pair <- side_pair(call$sides, 1, 1)
  error <- refusal_of_pair(call$set[[1]], pair)
  if (!is.null(error)) stop(error)
  run <- run_of_correlations(pair)
  plan <- plan_of_run(run, mass)
  at <- cbind(plan$x, plan$y)
  name <- function(repr, at) {
    names <- colnames(repr$data)
    if (is.null(names)) at else names[at]
  }
  # The mass that was there before the first step that gives weight to a pair.
  given <- run$sign > 0
  first <- match(paste(at[, 1], at[, 2]), paste(run$row, run$column)[given])
  before <- cumsum(run$units) - run$units
  data.frame(x = name(pair$x, plan$x), y = name(pair$y, plan$y), weight = plan$weight,
             correlation = pair_correlation(pair)[at],
             correlation_test = tested_correlations(pair, call, plan, mass),
             mass_entered = before[run$step[given][first]] / run$total)
}

run_of_correlations <- function(pair) {
  neuron_run(pair, "correlation", function() 1 - pair_correlation(pair))
}

# The mean correlation on the stimuli of those folds in whose plan, from the other stimuli, a pair
# is. Too few stimuli for folds leave it unknown.
tested_correlations <- function(pair, call, plan, mass) {
  unknown <- rep(NA_real_, length(plan$x))
  if (units_of(call$n, call$clusters) < 5 || call$n < 10) return(unknown)
  folds <- test_folds(5, call)
  each <- vapply(seq_along(folds$test), function(k) {
    test <- seq_len(call$n) %in% folds$test[[k]]
    fitted <- tryCatch({
      train <- pair_of(cut_for_subset(pair$x, !test), cut_for_subset(pair$y, !test))
      plan_of_run(run_of_correlations(train), mass)
    }, repalign_error_variance = function(e) NULL)
    if (is.null(fitted)) return(unknown)
    is_there <- paste(plan$x, plan$y) %in% paste(fitted$x, fitted$y)
    replace(column_correlations(pair$x$data[test, plan$x, drop = FALSE],
                                pair$y$data[test, plan$y, drop = FALSE]), !is_there, NA)
  }, unknown)
  each <- matrix(each, length(plan$x))
  means <- rowMeans(each, na.rm = TRUE)
  replace(means, is.nan(means), NA_real_)
}
