# Pictures of similarities.

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

# list(direction, best), by label: what a result says, or if it says nothing, the registry.
measure_facts <- function(object) {
  labels <- unique(as.character(object$measure))
  grid <- attr(object, "grid")
  facts <- function(name, default) {
    known <- if (is.null(grid)) attr(object, name) else grid[[name]]
    new <- setdiff(labels, names(known))
    found <- vapply(new, registered_fact, default, name = name, default = default)
    c(known, found)[labels]
  }
  list(direction = facts("direction", NA_character_), best = facts("best", NA_real_))
}

# A label is a measure's id, or begins with it.
registered_fact <- function(label, name, default) {
  id <- sub("[( ].*", "", label)
  d <- registry[[id]]
  if (is.null(d)) return(default)
  if (name == "best") as.double(best_of(d, d$check(default_arguments(id)))) else d[[name]]
}
