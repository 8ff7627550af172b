# These functions draw a map on which similar elements lie near each other, by classical
# multidimensional scaling.

map_picture <- function(object) {
  found <- dissimilarities(object, "map")
  map <- scaled_map(found$d)
  points <- map$points
  points$model <- map_models(object, points$name)
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

# Layers are coloured by their model, unless there are more models than colours.
map_models <- function(object, names) {
  one <- factor(rep("all", length(names)))
  if (is.null(object$model_x) || grid_of(object)$aggregate) return(one)
  sides <- side_names(as.data.frame(object), FALSE)
  model <- c(as.character(object$model_x), as.character(object$model_y))
  model <- model[match(names, c(as.character(sides$x), as.character(sides$y)))]
  model <- factor(model, unique(model))
  if (nlevels(model) <= length(okabe_ito)) model else one
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
