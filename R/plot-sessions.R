# The picture of across_sessions(): scores by lag.

#' @rdname across_sessions
#' @aliases plot.repalign_sessions
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_sessions <- function(object, ...) {
  no_other_arguments(...)
  rows <- drawn_rows(object, c("measure", "lag", "score", "conf_low", "conf_high"))
  refuse_undefined(rows$score)
  rows$panel <- factor(rows$measure, c("geometry", "tuning"))
  pairs <- need_kept(object, "tables", "across_sessions()", "object")$pairs
  lags <- unique(rows$lag)
  # beside the lines, which would hide them
  aside <- 0.05 * if (length(lags) == 1) lags else diff(range(lags))
  dots <- do.call(rbind, lapply(unique(rows$measure), function(name) {
    data.frame(panel = factor(name, levels(rows$panel)), lag = pairs$lag - aside,
               score = pairs[[name]])
  }))
  level <- attr(object, "conf_level")
  ggplot2::ggplot(rows, by_column(x = "lag", y = "score")) +
    # whole days have no halves
    ggplot2::scale_x_continuous(breaks = if (length(lags) > 8) few_ticks else lags,
                                labels = function(at) format_each(at, 4),
                                limits = if (length(lags) == 1) lags * c(0.5, 1.5),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::geom_hline(yintercept = 1, linetype = "dotted", colour = "grey40") +
    ggplot2::geom_point(data = dots, na.rm = TRUE, size = 1.2, colour = "grey50") +
    ggplot2::geom_linerange(by_column(ymin = "conf_low", ymax = "conf_high"), na.rm = TRUE,
                            linewidth = 0.8, colour = forest_colour) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5, colour = forest_colour) +
    ggplot2::facet_wrap("panel") +
    ggplot2::labs(x = if (attr(object, "facts")$of_days) "days between" else "time between",
                  y = "score (1: nothing but noise differs)",
                  caption = caption_of("grey: pairs of days",
                                       interval_lines(level, attr(object, "facts")$over),
                                       if (anyNA(rows$score)) {
                                         paste(sum(is.na(rows$score)), "undefined")
                                       })) +
    picture_theme()
}
