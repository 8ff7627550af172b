# Pictures, with ggplot2 when it is there.

# ggplot2's pronoun for columns
utils::globalVariables(".data")

#' Plot results
#'
#' `plot()` draws a result and returns it invisibly; `ggplot2::autoplot()` returns the
#' plot, to be changed or saved. Both need the package ggplot2.
#'
#' @param x,object what [similarity()], [calibrate()] or an analysis ([brain_to_brain()],
#'   [trial_to_trial()], [brain_to_model()], [object_disentanglement()]) returned.
#' @param single analyses: also draw the mean of the single ratios (dashed)?
#' @param most up to this many comparisons get a panel each. More comparisons of an analysis
#'   are drawn pooled, with the single ones in the background; more rows of a calibration
#'   as a grid.
#' @param ... arguments of `autoplot()`, given to `plot()`; others are an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot object.
#' @details
#' For analyses, lines are pooled estimates over numbers of neurons and bars their
#' intervals; the axis follows the pooled values, and a caption counts what lies outside.
#' For [similarity()] tiles show the grid of scores, a panel a measure, each with a scale of its
#' own: dark is more similar, also for distances.
#'
#' For [calibrate()], a panel a row: the null scores as bars, the score and the threshold as
#' lines, the p-value in the title; `engine = "moments"` has no null scores, so the mean of
#' the null is a third line. With more than `most` rows, tiles show the grid of calibrated
#' scores, a panel a measure; those whose p-value (the adjusted one where there is one) is
#' at most alpha are marked. An aggregate over models gives a grid of models.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   set.seed(1)
#'   pop <- linear_population(n = 60, q = 40, d = 30)
#'   plot(brain_to_brain(pop$x, pop$y, neurons = c(5, 10, 20), repeats = 20))
#' }
#' @name plot.repalign
NULL

draw <- function(x, ...) {
  require_package("ggplot2", "Plotting")
  need_rows(x, "x")
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}
