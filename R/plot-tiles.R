# These functions draw grids: as tiles, as heat maps, and as maps of points.

# ---- tiles

# These functions draw grids of similarities, calibrated scores and p-values as tiles.

# A table with a row for each tile: its row and column, its panel and its number, one of `values`.
tile_table <- function(object, values) {
  aggregate <- grid_of(object)$aggregate
  names <- side_names(as.data.frame(object), aggregate)
  measure <- ordered_text(list(object$measure), "")
  source <- row_sources(object)
  # a source that the names of rows say needs no panel of its own
  said <- as.character(if (is.null(object$model_x)) object$x else object$model_x)
  if (!aggregate && identical(as.character(source), said)) {
    source <- factor(rep("all", nrow(object)))
  }
  panels <- panels_of(source, measure)
  tiles <- data.frame(row = names$x, column = names$y, panel = panels$panel, measure = measure,
                      value = values, text = number_text(values), pale = FALSE)
  if (!is.null(object$model_x) && !aggregate) {
    tiles$row_model <- as.character(object$model_x)
    tiles$column_model <- as.character(object$model_y)
  }
  refuse_same_place(tiles[c("row", "column", "panel")], tiles[c("row", "column", "measure")])
  tiles$row <- factor(tiles$row, rev(levels(tiles$row)))
  structure(tiles, side_by_side = panels$columns, two_lists = is_of_two_lists(object))
}

# Were two lists compared, so that the axes must say which names are those of x and of y?
is_of_two_lists <- function(object) {
  grid <- attr(object, "grid")
  identical(if (is.null(grid)) attr(object, "within") else grid$within, FALSE)
}

# How the grid is fitted to the page. tree: the width of a tree in tiles; legend: that of the legend
# in inches. Returns a list:
# text     the size of the text on tiles, NA where numbers do not fit
# compact  do numbers fit only without the zero before the point?
# angle    the angle of the names below a panel
# names    for `column` and `row`, how each name is written on the axis
# thin     how many names have room on each axis
# tick     the size of the names in points
# aspect   the height of a panel divided by its width, NULL when the panel fills its space
tile_layout <- function(tiles, tree = 0, legend = 0.9) {
  # the largest numbers of columns and rows that a panel has
  per_panel <- split(tiles, tiles$panel)
  count <- function(side) max(vapply(per_panel, function(p) length(unique(p[[side]])), 0L), 1)
  count <- c(count("column"), count("row"))
  names <- tile_names(tiles, count, tree, legend)
  space <- panel_space(tiles, count[1] + tree, legend, names)
  cell <- pmax(space$room / (count + c(tree, 0)), 0.001)
  # without a fixed aspect, tiles would be long bars
  stretched <- tree == 0 && (cell[2] > 1.25 * cell[1] || cell[2] < 0.3 * cell[1])
  if (stretched) cell <- pmin(cell, c(cell[2] / 0.3, cell[1]))
  aspect <- if (stretched) (cell[2] * count[2]) / (cell[1] * count[1])
  whole <- text_size(cell, tiles$text)
  compact <- is.na(whole) || whole < 2.5
  room <- names_room(tiles, count, tree, legend, names)
  if (stretched) room <- pmin(room, c(room[2] / aspect, room[1] * aspect))
  list(text = if (compact) text_size(cell, compact_text(tiles$text)) else whole,
       compact = compact, angle = space$angle, names = names,
       thin = floor(pmax(room, 0.3) / line_height(names)),
       tick = min(if (space$longest > 24) 7 else 8.5, max(6, 72 * min(cell) / 1.15)),
       aspect = aspect)
}

# The names as they are on the axes, for `column` and `row`: whole and broken into lines, or without
# their middle where lines have no room beside each other in the picture.
tile_names <- function(tiles, count, tree, legend) {
  sides <- lapply(tiles[c("column", "row")], function(side) levels(droplevels(side)))
  most <- if (attr(tiles, "side_by_side") == 1) 24 else 16
  rows <- ceiling(nlevels(tiles$panel) / attr(tiles, "side_by_side"))
  most <- max(vapply(sides, breaking_at, 0, most, 26 / rows))
  names <- lapply(sides, function(all) stats::setNames(wrapped_labels(all, most), all))
  # a name that is on both axes is the same on both
  all <- unique(unlist(sides))
  for (most in c(16, 12)) {
    room <- names_room(tiles, count, tree, legend, names)
    if (all(line_height(names) * count <= room)) break
    short <- stats::setNames(short_labels(all, most), all)
    names <- lapply(sides, function(side) short[side])
  }
  names
}

# The width and height of the tiles of a panel in the picture, where its size is known.
names_room <- function(tiles, count, tree, legend, names) {
  room <- panel_space(tiles, count[1] + tree, legend, names, caption_room$page)$room
  room * count / (count + c(tree, 0))
}

# How many inches the lines of a name take, for both axes.
line_height <- function(names) {
  vapply(names, function(side) max(0.115, 0.1 * text_lines(side)), 0, USE.NAMES = FALSE)
}

# Returns list(room, angle, longest): the width and height of a panel in inches, the angle of the
# names below it, and the number of characters of the longest line of a name.
panel_space <- function(tiles, columns, legend, names, size = page) {
  across <- attr(tiles, "side_by_side")
  down <- ceiling(nlevels(tiles$panel) / across)
  free <- free_axes(tiles)
  label <- vapply(names, longest_line, 0) * character_width
  strips <- 0.2 * (1 + max(lengths(strsplit(levels(tiles$panel), "\n"))))
  beside <- legend + label[["row"]] * (if (free) across else 1)
  width <- (c(page[["width"]], caption_room$page[["width"]], size[["width"]]) - beside) / across
  # where nothing else is known, names must also have room below a panel in a column of a journal,
  # which is half as wide
  angle <- if (all(label[["column"]] < c(0.45, 0.9) * width[1:2] / columns)) 0 else 90
  below <- if (angle == 0) 0.2 else label[["column"]]
  height <- (size[["height"]] - 0.5 - below * (if (free) down else 1)) / down - strips
  list(room = c(width[3], height), angle = angle, longest = max(label) / character_width)
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
  tiles$ink <- ifelse(tiles$pale, "grey35", text_colour(shading$share))
  tiles$panel <- with_ranges(tiles$panel, shading$ranges, attr(tiles, "side_by_side"))
  x <- layout$names$column
  y <- layout$names$row
  two <- attr(tiles, "two_lists")
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["column"]], y = .data[["row"]],
                                      fill = .data[["fill"]])) +
    ggplot2::geom_tile() +
    pale_tiles(tiles) +
    model_borders(tiles) +
    tile_text(tiles, layout) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    ggplot2::facet_wrap(~panel, ncol = attr(tiles, "side_by_side"),
                        scales = if (free_axes(tiles)) "free" else "fixed") +
    list(ggplot2::scale_x_discrete(breaks = function(names) thinned(names, layout$thin[1]),
                                   labels = function(names) unname(x[names]),
                                   guide = ggplot2::guide_axis(check.overlap = TRUE)),
         # the vertical axis begins at the bottom, but the first name is at the top and must not be
         # left out
         ggplot2::scale_y_discrete(breaks = function(names) rev(thinned(rev(names),
                                                                        layout$thin[2])),
                                   labels = function(names) unname(y[names]),
                                   guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::labs(x = if (two) "elements of y", y = if (two) "elements of x",
                  caption = caption_of(caption, tile_remarks(tiles, layout))) +
    tile_theme(layout)
}

# What is not significant has no colour, over the tiles of their values.
pale_tiles <- function(tiles) {
  pale <- tiles[tiles$pale & !is.na(tiles$value), ]
  if (nrow(pale)) ggplot2::geom_tile(data = pale, fill = not_found_colour)
}

# Lines between the models on both sides of each panel.
model_borders <- function(tiles) {
  if (is.null(tiles$row_model)) return(NULL)
  free <- free_axes(tiles)
  edges <- function(side) {
    model <- tiles[[paste0(side, "_model")]]
    do.call(rbind, lapply(levels(droplevels(tiles$panel)), function(panel) {
      # the names on the axis of the panel, in their order
      here <- if (free) tiles$panel == panel else rep(TRUE, nrow(tiles))
      names <- levels(droplevels(tiles[[side]][here]))
      of <- model[match(names, tiles[[side]])]
      at <- which(of[-1] != of[-length(of)]) + 0.5
      if (length(at)) data.frame(panel = factor(panel, levels(tiles$panel)), at = at)
    }))
  }
  line <- function(layer, at, ...) {
    if (!is.null(at)) layer(data = at, ..., linewidth = 0.5, colour = "grey20")
  }
  list(line(ggplot2::geom_vline, edges("column"), ggplot2::aes(xintercept = .data[["at"]])),
       line(ggplot2::geom_hline, edges("row"), ggplot2::aes(yintercept = .data[["at"]])))
}

# Numbers on tiles. They are drawn only where they fit: tiles in a small picture have none.
tile_text <- function(tiles, layout) {
  if (is.na(layout$text)) return(NULL)
  if (layout$compact) tiles$text <- compact_text(tiles$text)
  ggplot2::layer(data = tiles, stat = "identity", position = "identity", geom = fitted_text(),
                 mapping = ggplot2::aes(label = .data[["text"]], colour = .data[["ink"]]),
                 params = list(size = layout$text))
}

# Text of ggplot2 that knows, when it is drawn, how large a tile is.
fitted_text <- function() {
  ggplot2::ggproto("GeomFittedText", ggplot2::GeomText,
    draw_panel = function(self, data, panel_params, coord, ...) {
      text <- ggplot2::GeomText$draw_panel(data, panel_params, coord, ...)
      # neighbouring tiles are one apart on both axes
      ends <- data[c(1, 1), ]
      ends$x <- as.numeric(ends$x) + 0:1
      ends$y <- as.numeric(ends$y) + 0:1
      ends <- coord$transform(ends, panel_params)
      grid::gTree(children = grid::gList(text), cl = "repalign_fitted_text",
                  cell = c(abs(diff(ends$x)), abs(diff(ends$y))), label = as.character(data$label),
                  size = data$size[1])
    }
  )
}

#' @exportS3Method grid::makeContent
makeContent.repalign_fitted_text <- function(x) {
  cell <- c(grid::convertWidth(grid::unit(x$cell[1], "npc"), "inches", TRUE),
            grid::convertHeight(grid::unit(x$cell[2], "npc"), "inches", TRUE))
  size <- text_size(cell, x$label)
  text <- x$children[[1]]
  if (is.na(size) && any(grepl("*", x$label, fixed = TRUE))) {
    # the caption tells what stars are, and they have room where numbers have none
    text$label <- ifelse(grepl("*", x$label, fixed = TRUE), "*", "")
    size <- text_size(cell, "*")
  }
  text$gp$fontsize <- text$gp$fontsize * min(1, size / x$size)
  grid::setChildren(x, if (is.na(size)) grid::gList() else grid::gList(text))
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
  c(if (anyNA(tiles$value)) {
      paste0(if (any(tiles$pale)) "dark ", "grey: undefined (NA)")
    },
    if (every > 1) "not every name has room on the axes")
}

tile_theme <- function(layout) {
  upright <- layout$angle == 0
  picture_theme(
    axis.text.x = ggplot2::element_text(angle = layout$angle, size = layout$tick,
                                        hjust = if (upright) 0.5 else 1,
                                        vjust = if (upright) 1 else 0.5, lineheight = 0.85),
    axis.text.y = ggplot2::element_text(size = layout$tick, lineheight = 0.85),
    aspect.ratio = layout$aspect,
    # beside a panel that is low it would reach over the edge of the page
    legend.justification = if (is.null(layout$aspect)) "center" else "top",
    panel.grid = ggplot2::element_blank(),
    strip.clip = "off",
    legend.title = ggplot2::element_text(size = 8, lineheight = 0.9,
                                         margin = ggplot2::margin(b = 6)),
    legend.box.spacing = ggplot2::unit(6, "pt"),
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
  tiles <- structure(tiles, side_by_side = across, two_lists = FALSE)
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
  tiles$ink <- ifelse(tiles$pale, "grey35", text_colour(shading$share))
  tiles$x <- as.integer(tiles$column)
  tiles$y <- as.integer(tiles$row)
  # tiles have numbers as coordinates, because the tree goes on beyond the last of them; the axes
  # write names at these numbers
  names <- levels(tiles$column)
  lines <- unname(layout$names$column[names])
  axis <- function(scale, most, places) {
    at <- thinned(seq_along(names), most)
    scale(breaks = places[at], labels = lines[at], expand = ggplot2::expansion(add = 0.1),
          guide = ggplot2::guide_axis(check.overlap = TRUE))
  }
  places <- seq_along(names)
  ggplot2::ggplot(tiles, ggplot2::aes(x = .data[["x"]], y = .data[["y"]])) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data[["fill"]])) +
    pale_tiles(tiles) +
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
    # names that find no room in a smaller picture are left out
    ggplot2::geom_text(data = points[points$placed, ], size = label_size(nrow(points)),
                       check_overlap = TRUE,
                       ggplot2::aes(x = .data[["anchor"]], y = .data[["label_y"]],
                                    label = .data[["label"]], hjust = .data[["hjust"]])) +
    (if (coloured) {
      ggplot2::scale_colour_manual(NULL, values = category_colours(levels(points$model)))
    }) +
    ggplot2::coord_fixed(xlim = frame$x, ylim = frame$y, expand = FALSE, clip = "off") +
    ggplot2::labs(x = "dimension 1", y = "dimension 2", title = title,
                  caption = caption(points)) +
    map_theme()
}

map_theme <- function() {
  picture_theme(legend.position = "top", plot.margin = ggplot2::margin(4, 20, 4, 4),
                panel.grid.minor = ggplot2::element_blank(),
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
  panel <- c(5.8, if (nlevels(points$model) > 1) 3.4 else 3.7)
  extent <- c(diff(range(points$x)), diff(range(points$y)))
  unit <- max(extent / (panel - c(1.2, 0.6)))
  if (unit == 0) unit <- 1
  around <- function(values, size) mean(range(values)) + c(-0.5, 0.5) * size * unit
  list(x = around(points$x, panel[1]), y = around(points$y, panel[2]), unit = unit)
}
