# These functions draw similarities.

#' @rdname plot.repalign
#' @export
plot.repalign_similarity <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_similarity <- function(object, type = c("tiles", "heatmap", "map"),
                                         measure = NULL, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("tiles", "heatmap", "map"), "type")
  need_columns(object, c("x", "y", "measure", "score"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  switch(type, tiles = score_tiles(object), heatmap = heatmap_picture(object),
         map = map_picture(object))
}

score_tiles <- function(object) {
  tiles <- tile_table(object, object$score)
  facts <- measure_facts(object)
  draw_tiles(tiles, score_shading(tiles, facts$direction, facts$best))
}
