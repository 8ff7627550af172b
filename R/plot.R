# This file has the help page of all pictures and the function that every plot() method calls.

# code checks would take the pronoun by which ggplot2 refers to columns for an unknown variable
utils::globalVariables(".data")

#' Plot results
#'
#' `plot()` draws a result and returns the result invisibly; `ggplot2::autoplot()` returns the
#' plot, which can be changed or saved. Both need the package ggplot2.
#'
#' @param x,object what [similarity()], [calibrate()], [cka_interval()], [score_interval()],
#'   [compare_scores()], [best_score()], [evaluate_models()], an analysis ([brain_to_brain()],
#'   [trial_to_trial()], [brain_to_model()], [object_disentanglement()]) or a benchmark
#'   ([benchmark_groups()], [benchmark_layers()], [benchmark_outputs()]) returned.
#' @param type what is drawn. `"tiles"`: the grid of scores (of calibrated scores), one panel per
#'   measure. `"heatmap"`: the grid of one measure in the order of a hierarchical clustering,
#'   with its tree. `"map"`: one point per element, with similar elements near each other. For
#'   calibrations also `"null"`: one panel per row with its null scores, for up to 20 rows;
#'   `"p_value"`: tiles of p-values; and `"auto"`: `"null"` for up to `most` rows, and `"tiles"`
#'   for more. For [evaluate_models()]: `"bars"` or `"points"` of scores, or a `"map"` of models and
#'   data.
#' @param measure labels of the measures to draw; `NULL`: all.
#' @param metric for benchmarks: the metrics, or the targets, to draw; `NULL`: all.
#' @param single for analyses: also draw the mean of the single ratios (dashed lines, or crosses)?
#' @param most for analyses over several numbers of neurons: up to this many comparisons get one
#'   panel each; if there are more, they are faint lines behind the thick ones of `summary()`,
#'   and the caption says what these are. For differences of scores: how many are drawn, those
#'   that are largest for their errors. For calibrations see `type`.
#' @param along for analyses: what stands along the horizontal axis, the numbers of neurons or the
#'   comparisons, such as the layers of a network. `"auto"`: the numbers of neurons if there are
#'   several.
#' @param reference for analyses: a value to compare with, such as the similarity of two brains
#'   beside that of a brain and a model. One row of an analysis or of [cka_interval()], a number,
#'   or three numbers: the value and the ends of its interval. It is drawn as a line of black
#'   dashes with a grey band.
#' @param ... arguments of `autoplot()`, which `plot()` passes on; any other is an error.
#' @return `plot()` returns `x`, invisibly. `autoplot()` returns a ggplot object.
#' @details
#' Plots are laid out for a page of about 7 x 5 inches. At this size, numbers are written on
#' tiles if they fit (if space is short, ".19" for 0.19); long names are shortened by leaving out
#' what they have in common, or their middle ("..."); and of 100 names, every third or fourth is
#' written at the axis. The colours are those of Okabe and Ito, and one scale of blues and
#' oranges, all of them safe for colour-blind readers.
#'
#' If several results were put together, as in `rbind(monday = a, tuesday = b)` or by
#' `dplyr::bind_rows(.id = )`, each of them has panels of its own. It is an error if two rows
#' would be drawn in the same place. Columns that are factors keep the order of their levels.
#'
#' The background is white. On a map, a grey line joins a name to its point where it had to stand
#' apart from it.
#'
#' *Tiles.* Darker tiles are more similar, for distances too. With one measure, or with
#' similarities that do not exceed 1, the numbers at the colour bar are scores: for similarities
#' from 0 (or the lowest score, if that is negative) to the best possible one, for a distance
#' from 0 to the largest one drawn. Otherwise each measure has its own scale: the colour bar then
#' goes from 0 (the least similar end of the scale of that measure) to 1 (its most similar end),
#' and the titles of the panels give the ranges of the scores. Calibrated scores below 0 are
#' orange. A star marks a p-value (the adjusted one, if there is one) of at most `alpha`. An
#' aggregate over models gives a grid of models.
#'
#' *Heat map and map* need all pairs of a list that was compared with itself (for models, with
#' `diagonal = TRUE` or an `aggregate`). Both start from dissimilarities: for a similarity \eqn{s}
#' with the best possible score \eqn{b}, \eqn{\max(b - s, 0)}{max(b - s, 0)}; distances are used
#' as they are. If a measure is not symmetric and both directions were computed, their mean is
#' used. The tree is built by average linkage ([stats::hclust()]); for a calibration, it is built
#' from the scores. The map is a classical multidimensional scaling ([stats::cmdscale()]). Its
#' caption says how much of the dissimilarity two dimensions keep: their share of the sum of the
#' absolute eigenvalues. If the share is small, points that are near each other on the map need
#' not be similar.
#'
#' *Null.* Bars show the null scores, lines the score and the threshold. With
#' `engine = "moments"` there are no null scores, and the density of the fitted distribution is
#' drawn. Panels keep the order of the rows, or of the levels of factors.
#'
#' *Analyses.* Points and lines are the pooled estimates over the number of neurons or, if there
#' is only one number, over the comparisons; bars are their intervals. With
#' `along = "comparisons"` each number of neurons has a panel, and lines join the layers of
#' [brain_to_model()]. More than 60 comparisons side by side are not named: for each estimator, they
#' stand in the order of their values. If several results with the same comparisons (up to 6) were
#' put together, each result is a row of panels and each comparison a column. The axis follows the
#' estimates (between -1 and 2.5), and a caption counts the values and the intervals that it cuts
#' off.
#'
#' *Benchmarks.* A point for each measure, a panel for each metric; measures are in the order of
#' their mean rank over the panels, the best at the top. Grey points are those of single groups or
#' models.
#'
#' *Differences* of [compare_scores()] are drawn with the interval of each alone (thick) and that
#' for all rows together (thin); a band shows the margin of equivalence. For [best_score()], filled
#' points are the scores that may be the best, and a band is the interval of the best true score.
#'
#' *Models* of [evaluate_models()] are bars or points with their errors, and open points for
#' the scores of single subjects (RDMs, or the means of `group`); the grey band is the noise
#' ceiling, stars are scores above 0, and models without a common letter differ by
#' [compare_scores()]. On the map, distances stand for one less the similarity of RDMs.
#'
#' *Intervals* of [cka_interval()] are drawn as a point and a bar for each estimator.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   # V4 against the layers of a network, for the first 100 images
#'   v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#'   layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#'   set.seed(1)
#'   plot(brain_to_model(v4, layers, neurons = c(8, 16, 50), repeats = 20))
#'
#'   scores <- similarity(v4_layers)
#'   plot(scores, type = "heatmap")
#'   plot(scores, type = "map")
#' }
#' @name plot.repalign
NULL

draw <- function(x, ...) {
  require_package("ggplot2", "Plotting")
  need_rows(x, "x")
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}
