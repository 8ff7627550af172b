# These functions draw benchmarks: how well each measure does, a panel for each metric.

#' @rdname plot.repalign
#' @export
plot.repalign_benchmark <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_benchmark <- function(object, measure = NULL, metric = NULL, ...) {
  no_other_arguments(...)
  need_columns(object, c("measure", "value", "p_value", "undefined"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  rows <- benchmark_points(object, metric)
  known <- rows[!is.na(rows$value), , drop = FALSE]
  if (!nrow(known)) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  chance <- chance_lines(known)
  picture <- ggplot2::ggplot(known, ggplot2::aes(x = .data[["value"]], y = .data[["measure"]]))
  if (nrow(chance)) {
    picture <- picture + ggplot2::geom_vline(ggplot2::aes(xintercept = .data[["chance"]]), chance,
                                             linetype = "dashed", colour = "grey40")
  }
  picture +
    ggplot2::geom_point(data = known[!known$whole, ], colour = "grey60", size = 1) +
    ggplot2::geom_point(ggplot2::aes(shape = .data[["judged"]]), known[known$whole, ],
                        colour = okabe_ito[["blue"]], size = 2) +
    ggplot2::scale_shape_manual(values = point_shapes, drop = TRUE) +
    ggplot2::facet_grid(rows = ggplot2::vars(.data[["source"]]),
                        cols = ggplot2::vars(.data[["metric"]]), scales = "free_x",
                        labeller = ggplot2::label_wrap_gen(12)) +
    ggplot2::scale_x_continuous(n.breaks = 3, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_discrete(labels = function(names) short_labels(names, 26)) +
    ggplot2::labs(x = NULL, y = NULL, shape = NULL, caption = benchmark_caption(rows, chance)) +
    benchmark_theme(nlevels(known$metric), nlevels(known$measure) * nlevels(known$source))
}

# Letters are small enough for `panels` side by side and `names` in all rows of panels together.
benchmark_theme <- function(panels, names) {
  title <- if (panels > 5) 6.5 else if (panels > 4) 8
  name <- if (names > 25) max(4.5, min(7, 260 / names))
  picture_theme(legend.position = "top", panel.spacing.x = ggplot2::unit(16, "pt"),
                strip.text.x = ggplot2::element_text(size = title),
                axis.text.y = ggplot2::element_text(size = name))
}

# Filled and empty points; a third kind where there is no p-value.
point_shapes <- c("p-value at most 0.05" = 19, "p-value above 0.05" = 1, "no p-value" = 18)

# The rows to draw, with the columns metric, measure, source (factors), whole and judged. Measures
# stand in the order of their mean ranks over the panels, the best at the top.
benchmark_points <- function(object, metric) {
  rows <- as.data.frame(object)
  rows$metric <- metric_of(rows)
  rows$source <- benchmark_sources(object, rows)
  if (!is.null(metric)) {
    metric <- check_choice(metric, unique(rows$metric), "metric", several = TRUE)
    rows <- rows[rows$metric %in% metric, , drop = FALSE]
  }
  rows$metric <- factor(rows$metric, unique(rows$metric))
  rows$whole <- if (is.null(rows$part)) TRUE else rows$part == "all"
  judged <- ifelse(is.na(rows$p_value), 3, ifelse(rows$p_value <= 0.05, 1, 2))
  rows$judged <- factor(names(point_shapes)[judged], names(point_shapes))
  rows$measure <- factor(rows$measure, rev(measures_by_rank(rows)))
  rows
}

# The results and tests that were bound together, a row of panels each.
benchmark_sources <- function(object, rows) {
  columns <- c(source_columns(object), test_columns(rows))
  several <- Filter(function(column) length(unique(rows[[column]])) > 1, columns)
  if (!length(several)) return(factor(rep("", nrow(rows))))
  refuse_twice(object, rows, source_columns(object))
  ordered_text(rows[several], ", ")
}

measures_by_rank <- function(rows) {
  measures <- label_levels(rows$measure)
  if (is.factor(rows$measure)) return(measures)
  whole <- if (any(rows$whole)) rows[rows$whole, , drop = FALSE] else rows
  ranks <- stats::ave(-whole$value, whole$source, whole$metric, FUN = function(values) {
    rank(values, na.last = "keep")
  })
  mean_rank <- tapply(ranks, factor(whole$measure, measures), mean, na.rm = TRUE)
  measures[order(mean_rank, na.last = TRUE)]
}

# Where chance is the same for all data.
chance_lines <- function(rows) {
  levels <- c(dprime = 0, auc = 0.5, spearman = 0, accuracy = 0, jsd = 0, disagreement = 0)
  panels <- unique(rows[c("metric", "source")])
  panels$chance <- unname(levels[sub(" .*", "", as.character(panels$metric))])
  panels[!is.na(panels$chance), , drop = FALSE]
}

benchmark_caption <- function(rows, chance) {
  undefined <- sum(is.na(rows$value))
  paste(c(if (nrow(chance)) "dashed: chance",
          if (!all(rows$whole)) "grey: single groups or models",
          if (undefined) paste(count_of(undefined, "value"), "undefined (NA)")), collapse = "; ")
}
