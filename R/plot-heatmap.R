# These functions draw tiles in the order of a hierarchical clustering, with its tree beside them.

heatmap_picture <- function(object) {
  found <- dissimilarities(object, "heatmap")
  tree <- stats::hclust(stats::as.dist(found$d), "average")
  calibrated <- inherits(object, "repalign_calibration")
  tiles <- tile_table(object, if (calibrated) object$calibrated else object$score)
  if (calibrated) tiles <- marked_tiles(tiles, object)
  tiles <- tiles_in_tree_order(tiles, tree, mirrored = is_mirrored(object))
  facts <- measure_facts(object)
  shading <- if (calibrated) {
    calibrated_shading(tiles, attr(object, "settings")$variant, unlimited_measures(object))
  } else {
    score_shading(tiles, facts$direction, facts$best)
  }
  note <- paste0("tree: average linkage of ", found$formula, ", up to ",
                 format(max(tree$height), digits = 2))
  draw_heatmap(tiles, shading, tree, c(if (calibrated) star_caption(object, tiles, tree), note))
}

star_caption <- function(object, tiles, tree) {
  significance_caption(object, !is.na(tile_layout(tiles, tree_width(tree))$text))
}

# The tiles in the order of the leaves: the first leaf is on the left and on top. mirrored: does a
# score stand for both directions, so that its tile is drawn twice?
tiles_in_tree_order <- function(tiles, tree, mirrored) {
  order <- tree$labels[tree$order]
  other <- tiles
  other[c("row", "column")] <- lapply(tiles[c("column", "row")], as.character)
  new <- !paste(other$row, other$column, sep = "\r") %in%
    paste(tiles$row, tiles$column, sep = "\r")
  across <- attr(tiles, "side_by_side")
  if (mirrored) tiles <- rbind(tiles, other[new, ])
  tiles$column <- factor(tiles$column, order)
  tiles$row <- factor(tiles$row, rev(order))
  structure(tiles, side_by_side = across)
}

draw_heatmap <- function(tiles, shading, tree, caption) {
  layout <- tile_layout(tiles, tree_width(tree))
  tiles$fill <- shading$fill
  tiles$ink <- text_colour(shading$share)
  tiles$x <- as.integer(tiles$column)
  tiles$y <- as.integer(tiles$row)
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["x"]], y = .data[["y"]])) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data[["fill"]])) +
    tile_text(tiles, layout) +
    ggplot2::geom_segment(data = tree_segments(tree), linewidth = 0.3, colour = "grey30",
                          ggplot2::aes(x = .data[["x"]], y = .data[["y"]], xend = .data[["xend"]],
                                       yend = .data[["yend"]])) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    numbered_axes(tiles, layout) +
    ggplot2::labs(x = NULL, y = NULL, title = levels(tiles$panel),
                  caption = caption_of(caption, tile_remarks(tiles, layout))) +
    tile_theme(layout) +
    ggplot2::theme(panel.border = ggplot2::element_blank(),
                   plot.title = ggplot2::element_text(size = 10, hjust = 0))
}

# Tiles have numbers as coordinates, because the tree goes on beyond the last of them; the axes
# write names at these numbers.
numbered_axes <- function(tiles, layout) {
  names <- levels(tiles$column)
  short <- short_labels(names, layout$names)
  axis <- function(scale, most, places) {
    at <- thinned(seq_along(names), most)
    scale(breaks = places[at], labels = short[at], expand = ggplot2::expansion(add = 0.1))
  }
  places <- seq_along(names)
  list(axis(ggplot2::scale_x_continuous, layout$thin[1], places),
       axis(ggplot2::scale_y_continuous, layout$thin[2], rev(places)))
}

# The width of the tree, in tiles.
tree_width <- function(tree) 0.22 * length(tree$order)

# The lines of the tree, which stands to the right of the tiles: its leaves are beside their rows,
# and heights grow to the right.
tree_segments <- function(tree) {
  leaves <- length(tree$order)
  y <- numeric(leaves - 1)
  left <- leaves + 0.6
  size <- tree_width(tree) / max(tree$height, .Machine$double.xmin)
  row <- leaves + 1 - order(tree$order)
  parts <- lapply(seq_len(leaves - 1), function(m) {
    child <- tree$merge[m, ]
    at <- ifelse(child < 0, row[abs(child)], y[abs(child)])
    from <- left + size * ifelse(child < 0, 0, tree$height[abs(child)])
    y[m] <<- mean(at)
    to <- left + size * tree$height[m]
    data.frame(x = c(from, to), y = c(at, at[1]), xend = to, yend = c(at, at[2]))
  })
  do.call(rbind, parts)
}
