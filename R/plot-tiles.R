# These functions draw grids: as tiles, as heat maps, and as maps of points.

# ---- tiles

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
  # the largest numbers of columns and rows that a panel has
  per_panel <- split(tiles, tiles$panel)
  count <- function(side) max(vapply(per_panel, function(p) length(unique(p[[side]])), 0L), 1)
  count <- c(count("column"), count("row"))
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

# shading: what a function of plot.R returns.
draw_tiles <- function(tiles, shading, caption = NULL, layout = tile_layout(tiles)) {
  tiles$fill <- shading$fill
  tiles$ink <- text_colour(shading$share)
  tiles$panel <- with_ranges(tiles$panel, shading$ranges, attr(tiles, "side_by_side"))
  short <- function(names) {
    all <- levels(names)
    stats::setNames(short_labels(all, layout$names), all)
  }
  x <- short(tiles$column)
  y <- short(tiles$row)
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["column"]], y = .data[["row"]],
                                      fill = .data[["fill"]])) +
    ggplot2::geom_tile() +
    tile_text(tiles, layout) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    ggplot2::facet_wrap(~panel, ncol = attr(tiles, "side_by_side"),
                        scales = if (free_axes(tiles)) "free" else "fixed") +
    list(ggplot2::scale_x_discrete(breaks = function(names) thinned(names, layout$thin[1]),
                                   labels = function(names) x[names]),
         # the vertical axis begins at the bottom, but the first name is at the top and must not be
         # left out
         ggplot2::scale_y_discrete(breaks = function(names) rev(thinned(rev(names),
                                                                        layout$thin[2])),
                                   labels = function(names) y[names])) +
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

# ---- heatmap

# These functions draw tiles in the order of a hierarchical clustering, with its tree beside them.

heatmap_picture <- function(object) {
  found <- dissimilarities(object, "type = \"heatmap\"")
  tree <- stats::hclust(stats::as.dist(found$d), "average")
  calibrated <- inherits(object, "repalign_calibration")
  tiles <- tile_table(object, if (calibrated) object$calibrated else object$score)
  if (calibrated) tiles <- marked_tiles(tiles, object)
  # the tiles in the order of the leaves: the first leaf is on the left and on top. mirrored: does a
  # score stand for both directions, so that its tile is drawn twice?
  order <- tree$labels[tree$order]
  other <- tiles
  other[c("row", "column")] <- lapply(tiles[c("column", "row")], as.character)
  new <- !paste(other$row, other$column, sep = "\r") %in%
    paste(tiles$row, tiles$column, sep = "\r")
  across <- attr(tiles, "side_by_side")
  if (is_mirrored(object)) tiles <- rbind(tiles, other[new, ])
  tiles$column <- factor(tiles$column, order)
  tiles$row <- factor(tiles$row, rev(order))
  tiles <- structure(tiles, side_by_side = across)
  facts <- measure_facts(object)
  shading <- if (calibrated) {
    calibrated_shading(tiles, attr(object, "settings")$variant, unlimited_measures(object))
  } else {
    score_shading(tiles, facts$direction, facts$best)
  }
  note <- paste0("tree: average linkage of ", found$formula, ", up to ",
                 format(max(tree$height), digits = 2))
  draw_heatmap(tiles, shading, tree, c(if (calibrated) {
    significance_caption(object, !is.na(tile_layout(tiles, tree_width(tree))$text))
  }, note))
}

draw_heatmap <- function(tiles, shading, tree, caption) {
  layout <- tile_layout(tiles, tree_width(tree))
  tiles$fill <- shading$fill
  tiles$ink <- text_colour(shading$share)
  tiles$x <- as.integer(tiles$column)
  tiles$y <- as.integer(tiles$row)
  # tiles have numbers as coordinates, because the tree goes on beyond the last of them; the axes
  # write names at these numbers
  names <- levels(tiles$column)
  short <- short_labels(names, layout$names)
  axis <- function(scale, most, places) {
    at <- thinned(seq_along(names), most)
    scale(breaks = places[at], labels = short[at], expand = ggplot2::expansion(add = 0.1))
  }
  places <- seq_along(names)
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["x"]], y = .data[["y"]])) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data[["fill"]])) +
    tile_text(tiles, layout) +
    ggplot2::geom_segment(data = tree_segments(tree), linewidth = 0.3, colour = "grey30",
                          ggplot2::aes(x = .data[["x"]], y = .data[["y"]], xend = .data[["xend"]],
                                       yend = .data[["yend"]])) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    list(axis(ggplot2::scale_x_continuous, layout$thin[1], places),
         axis(ggplot2::scale_y_continuous, layout$thin[2], rev(places))) +
    ggplot2::labs(x = NULL, y = NULL, title = levels(tiles$panel),
                  caption = caption_of(caption, tile_remarks(tiles, layout))) +
    tile_theme(layout) +
    ggplot2::theme(panel.border = ggplot2::element_blank(),
                   plot.title = ggplot2::element_text(size = 10, hjust = 0))
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

# ---- map

# These functions draw a map on which similar elements lie near each other, by classical
# multidimensional scaling.

map_picture <- function(object) {
  found <- dissimilarities(object, "type = \"map\"")
  map <- scaled_map(found$d)
  points <- map$points
  # layers are coloured by their model, unless there are more models than colours
  one <- factor(rep("all", length(points$name)))
  points$model <- if (is.null(object$model_x) || grid_of(object)$aggregate) {
    one
  } else {
    sides <- side_names(as.data.frame(object), FALSE)
    model <- c(as.character(object$model_x), as.character(object$model_y))
    model <- model[match(points$name, c(as.character(sides$x), as.character(sides$y)))]
    model <- factor(model, unique(model))
    if (nlevels(model) <= length(okabe_ito)) model else one
  }
  draw_map(points, found$measure, function(points) map_caption(found, map$kept, points))
}

# points: a row for each, with its name, x, y, and the factor `model` by which it is coloured, if
# this has several levels. caption: of points with their labels in place.
# sparse: no names at all where many have no room?
draw_map <- function(points, title, caption, sparse = FALSE) {
  frame <- map_frame(points)
  points <- cbind(points, label_places(points, frame))
  if (sparse && mean(!points$placed) > 0.2) {
    points$placed[] <- FALSE
    points$leader_x <- NA_real_
  }
  coloured <- nlevels(points$model) > 1
  dot <- if (nrow(points) > 30) 1.2 else 2
  ggplot2::ggplot(points, ggplot2::aes(x = .data[["x"]], y = .data[["y"]])) +
    map_leaders(points) +
    (if (coloured) ggplot2::geom_point(ggplot2::aes(colour = .data[["model"]]), size = dot) else
      ggplot2::geom_point(colour = okabe_ito[["blue"]], size = dot)) +
    ggplot2::geom_text(data = points[points$placed, ], size = label_size(nrow(points)),
                       ggplot2::aes(x = .data[["anchor"]], y = .data[["label_y"]],
                                    label = .data[["label"]], hjust = .data[["hjust"]])) +
    (if (coloured) {
      ggplot2::scale_colour_manual(NULL, values = category_colours(levels(points$model)))
    }) +
    ggplot2::coord_fixed(xlim = frame$x, ylim = frame$y, expand = FALSE) +
    ggplot2::labs(x = "dimension 1", y = "dimension 2", title = title,
                  caption = caption(points)) +
    map_theme()
}

map_theme <- function() {
  picture_theme(panel.grid.minor = ggplot2::element_blank(),
                panel.border = ggplot2::element_rect(fill = NA, colour = "grey85"),
                plot.title = ggplot2::element_text(size = 10, hjust = 0))
}

# Returns list(points, kept): coordinates in two dimensions, and the share of the sum of absolute
# eigenvalues that these keep.
scaled_map <- function(d) {
  dimensions <- min(2, nrow(d) - 1)
  # cmdscale() warns when there are fewer positive eigenvalues than dimensions and gives only these;
  # the other coordinates are 0
  fit <- suppressWarnings(stats::cmdscale(d, k = dimensions, eig = TRUE))
  places <- matrix(0, nrow(d), 2)
  places[, seq_len(ncol(fit$points))] <- fit$points
  all <- sum(abs(fit$eig))
  kept <- if (all > 0) sum(pmax(fit$eig[seq_len(dimensions)], 0)) / all else 1
  list(points = data.frame(name = rownames(d), x = places[, 1], y = places[, 2]), kept = kept)
}

map_caption <- function(found, kept, points) {
  left <- sum(!points$placed)
  caption_of(paste0("distances stand for ", found$formula, "; two dimensions keep ",
                    round(100 * kept), "% of the dissimilarity"),
             if (left) paste(left, "of", nrow(points), "names left out for want of room"))
}

map_leaders <- function(points) {
  far <- points[!is.na(points$leader_x), ]
  if (!nrow(far)) return(NULL)
  ggplot2::geom_segment(data = far, colour = "grey60", linewidth = 0.3,
                        ggplot2::aes(xend = .data[["leader_x"]], yend = .data[["leader_y"]]))
}

# The part of the plane that is shown. It has the shape of the panel and a margin for names; `unit`
# is the distance in the plane that takes an inch of the page.
map_frame <- function(points) {
  panel <- c(if (nlevels(points$model) > 1) 4.8 else 5.8, 3.7)
  extent <- c(diff(range(points$x)), diff(range(points$y)))
  unit <- max(extent / (panel - c(1.2, 0.6)))
  if (unit == 0) unit <- 1
  around <- function(values, size) mean(range(values)) + c(-0.5, 0.5) * size * unit
  list(x = around(points$x, panel[1]), y = around(points$y, panel[2]), unit = unit)
}
