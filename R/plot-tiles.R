# These functions draw grids of similarities, calibrated scores and p-values as tiles.

# A table with a row for each tile: its row and column, its panel and its number, one of `values`.
tile_table <- function(object, values) {
  names <- side_names(as.data.frame(object), grid_of(object)$aggregate)
  measure <- ordered_text(list(object$measure), "")
  panels <- panels_of(row_sources(object), measure)
  tiles <- data.frame(row = names$x, column = names$y, panel = panels$panel, measure = measure,
                      value = values, text = number_text(values))
  refuse_same_place(tiles[c("row", "column", "panel")], tiles[c("row", "column", "measure")])
  tiles$row <- factor(tiles$row, rev(levels(tiles$row)))
  structure(tiles, side_by_side = panels$columns)
}

# How the grid is fitted to the page. tree: the width of a tree in tiles; legend: that of the legend
# in inches. Returns a list:
# text     the size of the text on tiles, NA where numbers do not fit
# compact  do numbers fit only without the zero before the point?
# angle    the angle of the names below a panel
# names    the largest number of characters of a name
# thin     how many names have room on each axis
# tick     the size of the names in points
# aspect   the height of a panel divided by its width, NULL when the panel fills its space
tile_layout <- function(tiles, tree = 0, legend = 1.1) {
  names <- if (attr(tiles, "side_by_side") == 1) 22 else 16
  count <- tile_counts(tiles)
  space <- panel_space(tiles, count[1] + tree, legend, names)
  cell <- pmax(space$room / (count + c(tree, 0)), 0.001)
  # without a fixed aspect, tiles would be long bars
  stretched <- tree == 0 && (cell[2] > 1.25 * cell[1] || cell[2] < 0.3 * cell[1])
  if (stretched) cell <- pmin(cell, c(cell[2] / 0.3, cell[1]))
  whole <- text_size(cell, tiles$text)
  compact <- is.na(whole) || whole < 2.5
  room <- if (stretched) cell * count else space$room
  list(text = if (compact) text_size(cell, compact_text(tiles$text)) else whole,
       compact = compact, angle = space$angle, names = names,
       thin = floor(pmax(room, 0.3) / 0.115),
       tick = min(9, max(6, 72 * min(cell) / 1.15)),
       aspect = if (stretched) (cell[2] * count[2]) / (cell[1] * count[1]))
}

# The largest numbers of columns and rows that a panel has.
tile_counts <- function(tiles) {
  per_panel <- split(tiles, tiles$panel)
  count <- function(side) max(vapply(per_panel, function(p) length(unique(p[[side]])), 0L), 1)
  c(count("column"), count("row"))
}

# Returns list(room, angle): the width and height of a panel in inches, and the angle of the names
# below it.
panel_space <- function(tiles, columns, legend, most) {
  across <- attr(tiles, "side_by_side")
  down <- ceiling(nlevels(tiles$panel) / across)
  free <- free_axes(tiles)
  label <- function(side) {
    max(nchar(short_labels(levels(droplevels(tiles[[side]])), most))) * character_width
  }
  strips <- 0.2 * (1 + max(lengths(strsplit(levels(tiles$panel), "\n"))))
  width <- (page[["width"]] - legend - label("row") * (if (free) across else 1)) / across
  angle <- if (label("column") < width / columns) 0 else 90
  below <- if (angle == 0) 0.2 else label("column")
  height <- (page[["height"]] - 0.5 - below * (if (free) down else 1)) / down - strips
  list(room = c(width, height), angle = angle)
}

# The size of the text on tiles in millimetres, the unit of ggplot2. Text smaller than 2 cannot be
# read and is left out.
text_size <- function(cell, text) {
  size <- min(3, 0.85 * cell[1] / (0.0235 * max(nchar(text), 1)), 0.75 * cell[2] / 0.04)
  if (size >= 2) size else NA
}

# Do panels differ in the names at their axes, so that each needs its own axes?
free_axes <- function(tiles) {
  sets <- lapply(split(tiles, tiles$panel), function(part) {
    list(sort(as.character(unique(part$row))), sort(as.character(unique(part$column))))
  })
  length(unique(unname(sets))) > 1
}

# shading: what a function of plot-shading.R returns.
draw_tiles <- function(tiles, shading, caption = NULL, layout = tile_layout(tiles)) {
  tiles$fill <- shading$fill
  tiles$ink <- text_colour(shading$share)
  tiles$panel <- with_ranges(tiles$panel, shading$ranges, attr(tiles, "side_by_side"))
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["column"]], y = .data[["row"]],
                                      fill = .data[["fill"]])) +
    ggplot2::geom_tile() +
    tile_text(tiles, layout) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    ggplot2::facet_wrap(~panel, ncol = attr(tiles, "side_by_side"),
                        scales = if (free_axes(tiles)) "free" else "fixed") +
    name_axes(tiles, layout) +
    ggplot2::labs(x = NULL, y = NULL,
                  caption = caption_of(caption, tile_remarks(tiles, layout))) +
    tile_theme(layout)
}

tile_text <- function(tiles, layout) {
  if (is.na(layout$text)) return(NULL)
  if (layout$compact) tiles$text <- compact_text(tiles$text)
  ggplot2::geom_text(data = tiles, size = layout$text,
                     ggplot2::aes(label = .data[["text"]], colour = .data[["ink"]]))
}

# The titles of panels, with the ranges of their numbers where the colour bar does not show them.
with_ranges <- function(panel, ranges, across) {
  titles <- levels(panel)
  if (!is.null(ranges)) titles <- paste0(titles, "\n", ranges[titles])
  width <- floor((page[["width"]] - 2) / across / 0.068)
  factor(panel, levels(panel), make.unique(wrapped_labels(titles, width), " "))
}

name_axes <- function(tiles, layout) {
  short <- function(names) {
    all <- levels(names)
    stats::setNames(short_labels(all, layout$names), all)
  }
  x <- short(tiles$column)
  y <- short(tiles$row)
  list(ggplot2::scale_x_discrete(breaks = function(names) thinned(names, layout$thin[1]),
                                 labels = function(names) x[names]),
       ggplot2::scale_y_discrete(breaks = function(names) thinned_from_end(names, layout$thin[2]),
                                 labels = function(names) y[names]))
}

# The vertical axis begins at the bottom, but the first name is at the top and must not be left out.
thinned_from_end <- function(names, most) rev(thinned(rev(names), most))

tile_remarks <- function(tiles, layout) {
  part <- tiles[tiles$panel == tiles$panel[1], ]
  every <- max(thinning(length(unique(part$column)), layout$thin[1]),
               thinning(length(unique(part$row)), layout$thin[2]))
  c(if (anyNA(tiles$value)) "grey: undefined (NA)",
    if (every > 1) "not every name has room on the axes")
}

tile_theme <- function(layout) {
  upright <- layout$angle == 0
  picture_theme(
    axis.text.x = ggplot2::element_text(angle = layout$angle, size = layout$tick,
                                        hjust = if (upright) 0.5 else 1,
                                        vjust = if (upright) 1 else 0.5),
    axis.text.y = ggplot2::element_text(size = layout$tick),
    aspect.ratio = layout$aspect,
    panel.grid = ggplot2::element_blank(),
    legend.title = ggplot2::element_text(size = 10, lineheight = 0.9,
                                         margin = ggplot2::margin(b = 7)),
    panel.border = ggplot2::element_rect(fill = NA, colour = "grey85")
  )
}
