# These functions draw intervals of CKA as forest plots.

#' @rdname plot.repalign
#' @export
plot.repalign_interval <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_interval <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("estimator", "cka", "conf_low", "conf_high"), "drawn")
  need_rows(object)
  rows <- interval_rows(object)
  if (all(is.na(rows$cka))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["cka"]], y = .data[["estimator"]],
                                     colour = .data[["estimator"]])) +
    ggplot2::geom_vline(xintercept = c(0, 1), linetype = "dotted", colour = "grey50") +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data[["conf_low"]], xmax = .data[["conf_high"]]),
                            na.rm = TRUE, linewidth = 0.8) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5) +
    (if (length(source_columns(object))) {
      ggplot2::facet_grid(rows = ggplot2::vars(.data[["panel"]]), switch = "y")
    }) +
    ggplot2::scale_colour_manual(values = estimator_colours, guide = "none") +
    ggplot2::scale_y_discrete(drop = FALSE) +
    ggplot2::labs(x = "CKA", y = NULL, caption = interval_caption(object)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank(),
                  panel.spacing = ggplot2::unit(0.8, "lines"), strip.placement = "outside",
                  strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 1))
}

# The rows of the picture: the first estimator is on top, and each source has a panel.
interval_rows <- function(object) {
  rows <- as.data.frame(object)
  twice <- anyDuplicated(rows[c(source_columns(object), "estimator")])
  if (twice) {
    abort("`object` has two intervals of ", dQuote(as.character(rows$estimator[twice]), FALSE),
          " that cannot be told apart: bind them with names, as in rbind(day1 = a, day2 = b).",
          class = "repalign_error_rows", arg = "object")
  }
  shown <- label_levels(rows$estimator)
  rows$estimator <- factor(rows$estimator, rev(shown))
  rows$panel <- source_names(rows, source_columns(object))
  groups <- row_groups(rows, c(source_columns(object), "panel"))
  rows$panel <- factor(rows$panel, unique(rows$panel[unlist(groups)]))
  rows
}

interval_caption <- function(object) {
  level <- attr(object, "conf_level")
  undefined <- sum(is.na(object$cka))
  no_interval <- sum(!is.na(object$cka) & is.na(object$conf_low))
  parts <- c(
    if (!is.null(level)) paste0("lines: ", format(100 * level), "% intervals"),
    if (no_interval) paste(no_interval, "without interval (undefined)"),
    if (undefined) paste(undefined, "of", nrow(object), "values undefined")
  )
  if (length(parts)) paste(parts, collapse = "; ")
}
