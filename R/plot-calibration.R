# These functions draw calibrations.

#' @rdname plot.repalign
#' @export
plot.repalign_calibration <- function(x, ...) draw(x, ...)

calibration_types <- c("auto", "null", "tiles", "p_value", "heatmap", "map")

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_calibration <- function(object, type = c("auto", "null", "tiles", "p_value",
                                                           "heatmap", "map"),
                                          measure = NULL, most = 12, ...) {
  no_other_arguments(...)
  type <- check_choice(type, calibration_types, "type")
  check_count(most, "most")
  need_columns(object, c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "engine"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  if (type == "auto") type <- if (nrow(object) <= most) "null" else "tiles"
  switch(type, null = null_panels(object), tiles = calibrated_tiles(object),
         p_value = p_tiles(object), heatmap = heatmap_picture(object), map = map_picture(object))
}

# The grid of calibrated scores, with a panel for each measure.
calibrated_tiles <- function(object) {
  tiles <- tile_table(object, object$calibrated)
  tiles <- marked_tiles(tiles, object)
  fits <- !is.na(tile_layout(tiles)$text)
  shading <- calibrated_shading(tiles, attr(object, "settings")$variant, unlimited_measures(object))
  draw_tiles(tiles, shading, c(significance_caption(object, fits), excess_words(object)))
}

# The grid of p-values, with a panel for each measure.
p_tiles <- function(object) {
  tiles <- tile_table(object, p_to_judge(object))
  tiles$text <- p_text(tiles$value)
  tiles <- marked_tiles(tiles, object)
  layout <- tile_layout(tiles, legend = 1.4)
  title <- if (is.null(object$p_adjusted)) "p-value" else "adjusted\np-value"
  draw_tiles(tiles, p_shading(tiles$value, alpha_of(object), title),
             c(significance_caption(object, !is.na(layout$text)), smallest_p_remark(object)),
             layout)
}

p_text <- function(p) {
  text <- ifelse(p < 0.001, "<.001", ifelse(p < 0.0995, sprintf("%.3f", p), sprintf("%.2f", p)))
  text[is.na(p)] <- "NA"
  text
}

# A sentence about the smallest p-value that is possible with the number of permutations.
smallest_p_remark <- function(object) {
  permutations <- object$permutations
  if (is.null(permutations) || all(is.na(permutations)) || !is.null(object$p_adjusted)) return(NULL)
  most <- max(permutations, na.rm = TRUE)
  paste("no p-value is below", format(1 / (most + 1), digits = 2), "with",
        count_of(most, "permutation"))
}
