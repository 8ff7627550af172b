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
  panels <- panels_of(source, measure_panels(measure))
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

# shading: what a function of plot.R returns. likeness: larger where tiles are more similar, if the
# best match in each row gets a frame.
draw_tiles <- function(tiles, shading, caption = NULL, numbers = TRUE, likeness = NULL) {
  tiles$fill <- shading$fill
  tiles$ink <- ifelse(tiles$pale, "grey35", text_colour(shading$share))
  tiles$panel <- with_ranges(tiles$panel, shading$ranges, attr(tiles, "side_by_side"))
  two <- attr(tiles, "two_lists")
  across <- attr(tiles, "side_by_side")
  down <- ceiling(nlevels(tiles$panel) / across)
  columns <- levels(droplevels(tiles$column))
  rows <- levels(droplevels(tiles$row))
  # tiles of few rows or columns would be long bars if the panel filled its space; of several
  # panels, titles need the width
  part <- tiles[tiles$panel == tiles$panel[1], ]
  ratio <- length(unique(part$row)) / length(unique(part$column))
  # the tiles whose likeness is the largest in their row and panel
  best <- if (two && length(rows) > 1 && length(columns) > 1 && !is.null(likeness)) {
    likeness <- settled(likeness)
    row <- interaction(tiles$panel, tiles$row, drop = TRUE)
    most <- stats::ave(likeness, row, FUN = function(values) max(values, -Inf, na.rm = TRUE))
    which(likeness == most & !tiles$pale)
  }
  # do panels differ in the names at their axes, so that each needs its own axes?
  sets <- lapply(split(tiles, tiles$panel), function(part) {
    list(sort(as.character(unique(part$row))), sort(as.character(unique(part$column))))
  })
  free <- length(unique(unname(sets))) > 1
  # where lines lie between the models on a side of each panel
  borders <- function(side) {
    model <- tiles[[paste0(side, "_model")]]
    if (!is.null(model)) do.call(rbind, lapply(levels(droplevels(tiles$panel)), function(panel) {
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
  ggplot2::ggplot(tiles, by_column(x = "column", y = "row", fill = "fill")) +
    ggplot2::geom_tile() +
    (if (length(best)) {
      ggplot2::geom_tile(data = tiles[best, ], width = 0.96, height = 0.96, fill = NA,
                         colour = okabe_ito[["vermillion"]], linewidth = 0.7)
    }) +
    pale_tiles(tiles) +
    line(ggplot2::geom_vline, borders("column"), by_column(xintercept = "at")) +
    line(ggplot2::geom_hline, borders("row"), by_column(yintercept = "at")) +
    (if (numbers) tile_text(tiles)) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    ggplot2::facet_wrap(~panel, ncol = across, scales = if (free) "free" else "fixed") +
    ggplot2::labs(x = if (two) "elements of y", y = if (two) "elements of x",
                  caption = caption_of(caption, if (length(best)) "frames: best match of each row",
                                       tile_remarks(tiles))) +
    tile_theme(if (ratio < 0.4 || across == 1 && ratio > 2.5) ratio) +
    names_axis("x", columns, panels = across, inches = tiles_inches(rows)) +
    names_axis("y", rows, panels = down, inches = tiles_inches(columns))
}

# What the bar and the names at the other axis leave to tiles in a column of a journal, in inches.
tiles_inches <- function(names) 2.1 - character_width * min(longest_line(names), 20)

# What is not significant has no colour, over the tiles of their values.
pale_tiles <- function(tiles) {
  pale <- tiles[tiles$pale & !is.na(tiles$value), ]
  if (nrow(pale)) ggplot2::geom_tile(data = pale, fill = not_found_colour)
}

# Numbers on tiles. They are drawn only where they fit: tiles in a small picture have none.
tile_text <- function(tiles) {
  # text of ggplot2 that knows, when it is drawn, how large a tile is
  fitted <- ggplot2::ggproto("GeomFittedText", ggplot2::GeomText,
    draw_panel = function(self, data, panel_params, coord, ...) {
      text <- ggplot2::GeomText$draw_panel(data, panel_params, coord, ...)
      # neighbouring tiles are one apart on both axes
      ends <- data[c(1, 1), ]
      ends$x <- as.numeric(ends$x) + 0:1
      ends$y <- as.numeric(ends$y) + 0:1
      ends <- coord$transform(ends, panel_params)
      grid::gTree(children = grid::gList(text), cl = "repalign_fitted_text",
                  cell = c(abs(diff(ends$x)), abs(diff(ends$y))), label = as.character(data$label))
    }
  )
  ggplot2::layer(data = tiles, stat = "identity", position = "identity", geom = fitted,
                 mapping = by_column(label = "text", colour = "ink"))
}

#' @exportS3Method grid::makeContent
makeContent.repalign_fitted_text <- function(x) {
  cell <- c(grid::convertWidth(grid::unit(x$cell[1], "npc"), "inches", TRUE),
            grid::convertHeight(grid::unit(x$cell[2], "npc"), "inches", TRUE))
  text <- x$children[[1]]
  # the caption tells what stars are, and they have room where numbers have none
  stars <- ifelse(grepl("*", x$label, fixed = TRUE), "*", "")
  tries <- c(list(x$label, compact_text(x$label)), if (any(nzchar(stars))) list(stars))
  for (label in tries) {
    # in millimetres, the unit of ggplot2; smaller text than 2 cannot be read and is left out
    size <- min(3, 0.85 * cell[1] / (0.0235 * max(nchar(label), 1)), 0.75 * cell[2] / 0.04)
    if (size >= 2) break
  }
  if (size < 2) return(grid::setChildren(x, grid::gList()))
  text$label <- label
  text$gp$fontsize <- size * ggplot2::.pt
  grid::setChildren(x, grid::gList(text))
}

# The titles of panels, with the ranges of their numbers where the colour bar does not show them.
with_ranges <- function(panel, ranges, across) {
  titles <- levels(panel)
  if (!is.null(ranges)) titles <- paste0(titles, "\n", ranges[titles])
  factor(panel, levels(panel),
         make.unique(wrapped_labels(titles, title_width(across, 1.9, if (across > 3) 7 else 3.5)),
                     " "))
}

tile_remarks <- function(tiles) {
  across <- attr(tiles, "side_by_side")
  down <- ceiling(nlevels(tiles$panel) / across)
  c(if (anyNA(tiles$value)) paste0(if (any(tiles$pale)) "dark ", "grey: undefined (NA)"),
    # titles of the panels below take room, too, and a line of theirs that of two names
    crowded_words(lines = max(
      down * nlevels(droplevels(tiles$row)) + 2 * (down - 1) * max(text_lines(levels(tiles$panel))),
      across * nlevels(droplevels(tiles$column)))))
}

tile_theme <- function(aspect) {
  picture_theme(
    aspect.ratio = aspect, legend.position = "right",
    # beside a panel that is low it would reach over the edge of the page
    legend.justification = if (is.null(aspect)) "center" else "top",
    lines = "none",
    strip.clip = "off",
    legend.title = ggplot2::element_text(size = 8, lineheight = 0.9,
                                         margin = ggplot2::margin(b = 6)),
    panel.border = ggplot2::element_rect(fill = NA, colour = "grey85")
  )
}

# ---- heatmap

# These functions draw tiles in the order of a hierarchical clustering, with its tree beside them.

heatmap_picture <- function(object, numbers) {
  found <- dissimilarities(object, "type = \"heatmap\"")
  # of the orders that the tree allows, the one in which earlier elements come first
  tree <- stats::as.dendrogram(stats::hclust(stats::as.dist(found$d), "average"))
  tree <- stats::as.hclust(stats::reorder(tree, seq_len(nrow(found$d)), min))
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
  tiles[c("row", "column")] <- lapply(tiles[c("row", "column")], as.character)
  facts <- measure_facts(object)
  # the score of each element with itself is known where it was not computed
  own <- setdiff(order, tiles$row[tiles$row == tiles$column])
  if (!calibrated && !is.na(facts$best[[1]]) && length(own)) {
    best <- transform(tiles[rep(1, length(own)), ], row = own, column = own,
                      value = facts$best[[1]], text = number_text(facts$best[[1]]))
    tiles <- rbind(tiles, best)
  }
  tiles$column <- factor(tiles$column, order)
  tiles$row <- factor(tiles$row, rev(order))
  tiles <- structure(tiles, side_by_side = across, two_lists = FALSE)
  shading <- if (calibrated) {
    calibrated_shading(tiles, attr(object, "settings")$variant, unlimited_measures(object))
  } else score_shading(tiles, facts$direction, facts$best)
  note <- paste0("tree: average linkage of ", found$formula, ", up to ",
                 format(max(tree$height), digits = 2))
  tiles$fill <- shading$fill
  tiles$ink <- ifelse(tiles$pale, "grey35", text_colour(shading$share))
  # tiles have numbers as coordinates, because the tree goes on beyond the last of them; the axes
  # write names at these numbers
  tiles[c("x", "y")] <- lapply(tiles[c("column", "row")], as.integer)
  axis <- function(side, at) {
    names_axis(side, order, at, inches = tiles_inches(order),
               expand = ggplot2::expansion(add = 0.1))
  }
  ggplot2::ggplot(tiles, by_column(x = "x", y = "y")) +
    ggplot2::geom_tile(by_column(fill = "fill")) +
    pale_tiles(tiles) +
    (if (numbers) tile_text(tiles)) +
    ggplot2::geom_segment(data = tree_segments(tree), linewidth = 0.3, colour = "grey30",
                          by_column(x = "x", y = "y", xend = "xend", yend = "yend")) +
    ggplot2::scale_colour_identity() +
    shading$scale +
    ggplot2::labs(x = NULL, y = NULL, title = levels(tiles$panel),
                  caption = caption_of(if (calibrated) significance_caption(object), note,
                                       tile_remarks(tiles))) +
    tile_theme(NULL) +
    axis("x", seq_along(order)) +
    axis("y", rev(seq_along(order))) +
    ggplot2::theme(panel.border = ggplot2::element_blank(),
                   plot.title = ggplot2::element_text(size = 10, hjust = 0))
}

# The lines of the tree, which stands to the right of the tiles: its leaves are beside their rows,
# and heights grow to the right.
tree_segments <- function(tree) {
  leaves <- length(tree$order)
  y <- numeric(leaves - 1)
  left <- leaves + 0.6
  # the tree takes the width of so many tiles
  size <- 0.22 * leaves / max(tree$height, .Machine$double.xmin)
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
  map <- scaled_map(found$d^2)
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
  draw_map(points, measure_titles(found$measure), map_caption(found$formula, map$kept))
}

# points: a row for each, with its name, x, y, and the factor `model` by which it is coloured, if
# this has several levels. sparse: no names at all where many have no room?
draw_map <- function(points, title, caption, sparse = FALSE) {
  frame <- map_frame(points)
  ggplot2::ggplot(points, by_column(x = "x", y = "y")) +
    map_points(points) +
    map_names(points, sparse) +
    ggplot2::coord_fixed(xlim = frame$x, ylim = frame$y, expand = FALSE, clip = "off") +
    ggplot2::labs(x = "dimension 1", y = "dimension 2", title = title, caption = caption) +
    picture_theme(plot.margin = ggplot2::margin(4, 20, 4, 4),
                  panel.border = ggplot2::element_rect(fill = NA, colour = "grey85"),
                  plot.title = ggplot2::element_text(size = 10, hjust = 0,
                                                     margin = ggplot2::margin(b = 12)))
}

map_points <- function(points) {
  dot <- if (nrow(points) > 30) 1.2 else 2
  models <- levels(points$model)
  if (length(models) < 2) {
    return(ggplot2::geom_point(data = points, colour = okabe_ito[["blue"]], size = dot))
  }
  list(ggplot2::geom_point(data = points, by_column(colour = "model", shape = "model"), size = dot),
       ggplot2::scale_colour_manual(NULL, values = category_colours(models)),
       ggplot2::scale_shape_manual(NULL, values = rep_len(c(19, 17, 15, 18), length(models))))
}

# Names of points get their places when they are drawn, when it is known how large the panel is. How
# many have no room is told above the panel, or below it where its axis has no numbers.
map_names <- function(points, sparse, below = FALSE) {
  names <- ggplot2::ggproto("GeomMapNames", ggplot2::GeomText,
    draw_panel = function(self, data, panel_params, coord, ...) {
      at <- coord$transform(data, panel_params)
      grid::gTree(cl = "repalign_map_names", sparse = sparse, below = below,
                  points = data.frame(name = data$label, x = at$x, y = at$y))
    }
  )
  ggplot2::layer(data = points, stat = "identity", position = "identity",
                 geom = names, mapping = by_column(label = "name"))
}

#' @exportS3Method grid::makeContent
makeContent.repalign_map_names <- function(x) {
  size <- c(grid::convertWidth(grid::unit(1, "npc"), "inches", TRUE),
            grid::convertHeight(grid::unit(1, "npc"), "inches", TRUE))
  points <- x$points
  points[c("x", "y")] <- list(points$x * size[1], points$y * size[2])
  places <- label_places(points, list(x = c(0, size[1]), y = c(0, size[2]), unit = 1))
  if (x$sparse && mean(!places$placed) > 0.2) places$placed[] <- FALSE
  inches <- function(values) grid::unit(values, "inches")
  far <- places$placed & !is.na(places$leader_x)
  shown <- places[places$placed, ]
  left <- sum(!places$placed)
  grid::setChildren(x, grid::gList(
    if (any(far)) {
      grid::segmentsGrob(inches(points$x[far]), inches(points$y[far]),
                         inches(places$leader_x[far]), inches(places$leader_y[far]),
                         gp = grid::gpar(col = "grey60", lwd = 0.9))
    },
    if (nrow(shown)) {
      grid::textGrob(shown$label, inches(shown$anchor), inches(shown$label_y), hjust = shown$hjust,
                     gp = grid::gpar(fontsize = label_size(nrow(points)) * ggplot2::.pt))
    },
    if (left > 0) {
      # below, names of the panel on the left are near
      told <- if (x$below) "names\nleft out" else "names left out for want of room"
      grid::textGrob(paste(left, "of", nrow(points), told), 1,
                     inches(if (x$below) -0.06 else size[2] + 0.04), hjust = 1,
                     vjust = if (x$below) 1 else 0, gp = grid::gpar(fontsize = 6.5, col = "grey30"))
    }
  ))
}

# Returns list(points, kept): coordinates in the two dimensions with the largest eigenvalues, where
# these are positive, and the share of the sum of absolute eigenvalues that these keep. squares: of
# the distances.
scaled_map <- function(squares, names = rownames(squares)) {
  n <- nrow(squares)
  middle <- rowMeans(squares)
  gram <- -(squares - middle - rep(middle, each = n) + mean(squares)) / 2
  found <- eigen(gram, symmetric = TRUE)
  size <- pmax(c(found$values, 0)[1:2], 0)
  places <- cbind(found$vectors, 0)[, 1:2, drop = FALSE] * rep(sqrt(size), each = n)
  all <- sum(abs(found$values))
  list(points = data.frame(name = names, x = places[, 1], y = places[, 2]),
       kept = if (all > 0) sum(size) / all else 1)
}

map_caption <- function(formula, kept) {
  caption_of(paste0("distances stand for ", formula, "; two dimensions keep ",
                    round(100 * kept), "% of the dissimilarity"))
}

# The part of the plane that is shown. It has the shape of the panel and a margin for names; `unit`
# is the distance in the plane that takes an inch of the page.
map_frame <- function(points) {
  panel <- c(5.8, if (nlevels(points$model) > 1) 3.4 else 3.7)
  unit <- max(c(diff(range(points$x)), diff(range(points$y))) / (panel - c(1.2, 0.6)))
  if (unit == 0) unit <- 1
  around <- function(values, size) mean(range(values)) + c(-0.5, 0.5) * size * unit
  list(x = around(points$x, panel[1]), y = around(points$y, panel[2]), unit = unit)
}
