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
#' @param type what is drawn. `"tiles"`: the grid of scores (of calibrated scores), a panel a
#'   measure. `"heatmap"`: the same of one measure, in the order of a hierarchical clustering,
#'   with its tree. `"map"`: a point an element, similar ones near each other. Calibrations also
#'   have `"null"`: a panel a row, with the null scores; `"p_value"`: tiles of p-values; and
#'   `"auto"`: `"null"` up to `most` rows, else `"tiles"`.
#' @param measure labels of the measures to draw; `NULL`: all.
#' @param single analyses: also draw the mean of the single ratios (dashed, or crosses)?
#' @param most up to this many comparisons of an analysis get a panel each; more are drawn as thin
#'   lines behind the pooled ones. For calibrations see `type`.
#' @param ... arguments of `autoplot()`, given to `plot()`; others are an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot object.
#' @details
#' Pictures are laid out for a page of about 7 x 5 inches: there, numbers stand on tiles where
#' they fit (".19" for 0.19 where room is short), long names lose what they have in common or
#' their middle ("..."), and of 100 names every third or fourth stands at the axis. Colours are
#' those of Okabe and Ito, and one scale of blues and oranges, all safe for colour-blind readers.
#'
#' Results that were bound together, as by `rbind(monday = a, tuesday = b)` or
#' `dplyr::bind_rows(.id = )`, get panels of their own; two rows that would be drawn in one place
#' are an error. Columns that are factors keep the order of their levels.
#'
#' *Tiles.* Dark is more similar, also for distances. With one measure, or similarities that do not
#' exceed 1, the numbers at the colour bar are scores, from 0 (or the least score) to the best
#' one. Otherwise each measure has a scale of its own: the bar then goes from 0 (the least similar
#' score drawn, or 0) to 1 (the best one), and the titles of the panels give the ranges of the
#' scores. Calibrated scores below 0 are orange. A star marks a p-value (the adjusted one where
#' there is one) of at most `alpha`. An aggregate over models gives a grid of models.
#'
#' *Heat map and map* are for a list that was compared with itself, all pairs of it (with models
#' `diagonal = TRUE`, or an `aggregate`). Both start from dissimilarities: the best possible score
#' minus the score, negative values set to 0, the mean of both directions where the measure is not
#' symmetric and both were computed; distances as they are. The tree joins by average linkage
#' ([stats::hclust()]); the tree of a calibration is that of its scores. The map is classical
#' multidimensional scaling
#' ([stats::cmdscale()]); its caption says how much of the dissimilarity two dimensions keep: their
#' share of the sum of the absolute eigenvalues. When it is small, points that are near each
#' other on the map need not be similar.
#'
#' *Null.* Bars are the null scores, lines the score and the threshold; `engine = "moments"` has no
#' null scores, so the density of the law that was fitted is drawn.
#'
#' *Analyses.* Points and lines are pooled estimates over numbers of neurons, or with one number
#' over the comparisons; bars are their intervals. The axis follows the pooled values (between -1
#' and 2.5), and a caption counts the values and the intervals that it cuts off.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   set.seed(1)
#'   pop <- linear_population(n = 60, q = 40, d = 30)
#'   plot(brain_to_brain(pop$x, pop$y, neurons = c(5, 10, 20), repeats = 20))
#'
#'   layers <- lapply(1:6, function(i) pop$x + i * matrix(rnorm(60 * 40), 60) / 4)
#'   names(layers) <- paste0("layer", 1:6)
#'   scores <- similarity(layers)
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
