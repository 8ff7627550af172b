# Noise ceilings are drawn here: the ceiling as a band, with scores as they are and without noise.

#' @rdname plot.repalign
#' @export
plot.repalign_ceiling <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_ceiling <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("y", "measure", paste0(rep(drawn_of_ceiling, each = 2), c("", "_se"))),
               "drawn")
  need_rows(object)
  rows <- drawn_ceilings(object)
  scores <- rows[rows$value != "ceiling", ]
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["y"]])) +
    ceiling_bands(rows[rows$value == "ceiling", ], nrow(scores) > 0) +
    (if (nrow(scores)) score_points(scores)) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["measure"]])) +
    ggplot2::scale_x_discrete(limits = levels(rows$y)) +
    ggplot2::labs(x = NULL, y = "score", caption = noise_ceiling_caption(object)) +
    picture_theme(panel.grid.major.x = ggplot2::element_blank(), legend.position = "top")
}

drawn_of_ceiling <- c("ceiling", "score", "disattenuated")

# A row for each value that is drawn, with its interval.
drawn_ceilings <- function(object) {
  level <- 0.95
  whole <- as.data.frame(object)
  names <- ifelse(is.na(whole$y), "trials", as.character(whole$y))
  found <- lapply(drawn_of_ceiling, function(name) {
    limits <- unname(stats::confint(object, name, level))
    data.frame(y = factor(names, unique(names)),
               measure = factor(whole$measure, unique(whole$measure)), value = name,
               at = whole[[name]], low = limits[, 1], high = limits[, 2])
  })
  rows <- do.call(rbind, found)
  rows <- rows[!is.na(rows$at), ]
  if (nrow(rows)) return(rows)
  abort("There is nothing to draw: all values are undefined (NA).", class = "repalign_error_size",
        arg = "object")
}

# Beside scores, ceilings are boxes behind them; alone they are points with intervals.
ceiling_bands <- function(ceilings, beside) {
  place <- as.integer(ceilings$y)
  limits <- ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]])
  if (!beside) {
    return(list(ggplot2::geom_linerange(data = ceilings, limits, na.rm = TRUE, linewidth = 0.8,
                                        colour = forest_colour),
                ggplot2::geom_point(data = ceilings, ggplot2::aes(y = .data[["at"]]), size = 2.5,
                                    colour = forest_colour)))
  }
  ceilings$left <- place - 0.4
  ceilings$right <- place + 0.4
  list(ggplot2::geom_rect(data = ceilings, na.rm = TRUE, alpha = 0.25, fill = okabe_ito[["sky"]],
                          ggplot2::aes(xmin = .data[["left"]], xmax = .data[["right"]],
                                       ymin = .data[["low"]], ymax = .data[["high"]])),
       ggplot2::geom_segment(data = ceilings, linetype = "22", linewidth = 0.5,
                             ggplot2::aes(x = .data[["left"]], xend = .data[["right"]],
                                          y = .data[["at"]], yend = .data[["at"]])))
}

score_points <- function(scores) {
  beside <- ggplot2::position_dodge(width = 0.35)
  scores$value <- factor(scores$value, c("score", "disattenuated"))
  list(
    ggplot2::geom_linerange(data = scores, na.rm = TRUE, linewidth = 0.8, position = beside,
                            colour = forest_colour,
                            ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]],
                                         group = .data[["value"]])),
    ggplot2::geom_point(data = scores, size = 2.5, position = beside, colour = forest_colour,
                        fill = "white",
                        ggplot2::aes(y = .data[["at"]], shape = .data[["value"]])),
    ggplot2::scale_shape_manual(values = c(score = 19, disattenuated = 21), name = NULL)
  )
}

noise_ceiling_caption <- function(object) {
  known <- any(!is.na(object$ceiling_se))
  approximate <- !all(is.na(object$ceiling[is.na(object$ceiling_se)]))
  parts <- c(if (all(is.na(object$y))) "points: ceilings" else "dashes: ceilings",
             if (known && !all(is.na(object$y))) "bands and lines: 95% intervals",
             if (known && all(is.na(object$y))) "lines: 95% intervals",
             if (approximate) "without: not known")
  paste(parts, collapse = "; ")
}
