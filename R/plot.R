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

#' @rdname plot.repalign
#' @export
plot.repalign_similarity <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @export
plot.repalign_analysis <- function(x, ...) draw(x, ...)

draw <- function(x, ...) {
  require_package("ggplot2", "Plotting")
  if (!nrow(x)) {
    abort("There is nothing to draw: the result has no rows.", class = "repalign_error_size",
          arg = "x")
  }
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_similarity <- function(object, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("x", "y", "measure", "score"), "drawn")
  check_some_rows(object)
  rows$row <- full_names(rows, "x")
  rows$column <- full_names(rows, "y")
  names <- unique(c(rows$row, rows$column))
  rows$row <- factor(rows$row, rev(names))
  rows$column <- factor(rows$column, names)
  rows$shade <- panel_shades(rows, attr(object, "direction"))
  rows$measure <- factor(rows$measure, unique(rows$measure))
  rows$shown <- shown_score(rows$score)
  rows$ink <- rep("black", nrow(rows))
  rows$ink[!is.na(rows$shade) & rows$shade > 0.7] <- "white"
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["column"]], y = .data[["row"]],
                                     fill = .data[["shade"]])) +
    ggplot2::geom_tile() +
    (if (length(names) <= 15) {
      ggplot2::geom_text(ggplot2::aes(label = .data[["shown"]], colour = .data[["ink"]]), size = 3)
    }) +
    ggplot2::scale_colour_identity() +
    ggplot2::facet_wrap(~measure) +
    ggplot2::scale_fill_gradient(low = "#f7f7f7", high = "#2166ac", limits = c(0, 1),
                                 breaks = c(0, 1), labels = c("less", "more")) +
    ggplot2::labs(x = NULL, y = NULL, fill = "similar") +
    ggplot2::theme_minimal() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 45, hjust = 1),
                   panel.grid = ggplot2::element_blank())
}

shown_score <- function(score) {
  shown <- vapply(score, function(s) if (abs(s) < 100 || is.na(s)) sprintf("%.2f", s) else
    format(s, digits = 3), "")
  shown[is.na(score)] <- "NA"
  shown
}

# Each measure has a scale of its own: from its least to its most similar score in the plot, 0
# and, for similarities, 1 included. direction: by measure; similarities where it is not known.
panel_shades <- function(rows, direction) {
  shades <- rep(NA_real_, nrow(rows))
  for (label in unique(rows$measure)) {
    at <- rows$measure == label & !is.na(rows$score)
    if (!any(at)) next
    distance <- identical(unname(direction[label]), "distance")
    range <- range(rows$score[at], 0, if (!distance) 1)
    shade <- (rows$score[at] - range[1]) / max(diff(range), .Machine$double.xmin)
    shades[at] <- if (distance) 1 - shade else shade
  }
  shades
}

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_analysis <- function(object, single = FALSE, most = 12, ...) {
  no_other_arguments(...)
  check_flag(single, "single")
  check_count(most, "most")
  need_columns(object, c("x", "y", "neurons", "estimator", "pooled", "conf_low", "conf_high"),
               "drawn")
  check_some_rows(object)
  rows <- plot_rows(object)
  comparisons <- unique(rows$comparison)
  combined <- combined_of(object)
  crowded <- length(comparisons) > most
  if (all(is.na(rows$pooled))) {
    abort("There is nothing to draw: all pooled values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  several <- length(unique(rows$neurons)) > 1
  main <- if (crowded && !is.null(combined)) plot_rows(combined) else rows
  ggplot2::ggplot(main, ggplot2::aes(x = .data[["at"]], y = .data[["pooled"]],
                                     colour = .data[["estimator"]])) +
    ggplot2::geom_hline(yintercept = 1, linetype = "dotted", colour = "grey50") +
    (if (crowded) ggplot2::geom_point(data = rows, alpha = 0.1, size = 0.5, na.rm = TRUE)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data[["conf_low"]], ymax = .data[["conf_high"]]),
                            na.rm = TRUE, show.legend = FALSE) +
    (if (several) ggplot2::geom_line(ggplot2::aes(group = .data[["estimator"]]), na.rm = TRUE)) +
    ggplot2::geom_point(na.rm = TRUE) +
    (if (single && several) {
      ggplot2::geom_line(ggplot2::aes(y = .data[["mean"]], group = .data[["estimator"]]),
                         linetype = "dashed", alpha = 0.7, na.rm = TRUE)
    }) +
    (if (!crowded && length(comparisons) > 1) ggplot2::facet_wrap(~comparison)) +
    ggplot2::scale_x_continuous(trans = "log2", breaks = sort(unique(main$neurons)),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_colour_manual(values = estimator_colours) +
    ggplot2::coord_cartesian(xlim = if (!several) main$neurons[1] * c(0.5, 2),
                             ylim = plot_range(main)) +
    ggplot2::labs(x = "neurons", y = "CKA (pooled)", colour = "estimator",
                  title = unname(analysis_titles[analysis_of(object)]),
                  caption = plot_caption(rows, main, crowded, single)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank())
}

estimator_colours <- c(naive = "#7570b3", stimulus = "#d95f02", stimulus_neuron = "#1b9e77")

plot_rows <- function(object) {
  rows <- as.data.frame(object)
  rows$comparison <- paste(rows$x, "-", rows$y)
  rows$comparison <- factor(rows$comparison, unique(rows$comparison))
  rows$estimator <- factor(rows$estimator, estimators)
  # side by side on the logarithmic axis, so that intervals do not hide each other
  shift <- 0.012 * max(1.5, diff(range(log2(rows$neurons))))
  rows$at <- rows$neurons * 2^(shift * (as.integer(rows$estimator) - 2))
  rows
}

# What the picture does not show by itself.
plot_caption <- function(rows, main, crowded, single) {
  range <- plot_range(main)
  outside <- sum(rows$pooled < range[1] | rows$pooled > range[2], na.rm = TRUE)
  parts <- c(
    if (crowded) "dots: single comparisons",
    if (single) "dashed: mean of single ratios",
    if (outside > 0) paste(outside, "of", nrow(rows), "values outside the axis")
  )
  if (length(parts)) paste(parts, collapse = "; ")
}

# Wide intervals at few neurons must not flatten everything else.
plot_range <- function(rows) {
  values <- c(rows$pooled, rows$conf_low, rows$conf_high, 0, 1)
  pmax(pmin(range(values, na.rm = TRUE, finite = TRUE), 2.5), -1)
}
