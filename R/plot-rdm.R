# These functions draw RDMs, and places on a map.

#' Plot RDMs
#'
#' Dissimilarities of one RDM, or of several side by side, or a map on which conditions with small
#' dissimilarities lie near each other.
#'
#' @param x,object an RDM, or a list of RDMs, made by [rdm()]. For `plot_rdms()` also any `dist`
#'   object, or a named list of them.
#' @param type of one RDM: its dissimilarities (`"panel"`), a `"map"` of its conditions, or `"both"`
#'   side by side.
#' @param group one label for each condition, in their order or by name: colours of a map, or lines
#'   on panels.
#' @param scale of several RDMs: do the colours of each span its `"own"` range, which its title has,
#'   or is one scale `"shared"`?
#' @param ... for `plot()` and `plot_rdms()`: arguments of `autoplot()`.
#' @return `plot()` returns `x`, invisibly. `autoplot()` and `plot_rdms()` return a ggplot object,
#'   drawn when it is printed.
#' @details
#' Blue grows darker with the dissimilarity; estimates below 0 are orange, and missing ones grey.
#'
#' The map is a classical multidimensional scaling, with the dissimilarities taken for squared
#' distances. The caption says which share two dimensions keep: if it is small, points near each
#' other need not be similar.
#' @examples
#' # human and monkey inferior temporal cortex
#' has_ggplot2 <- requireNamespace("ggplot2", quietly = TRUE)
#' category <- attr(rdm92, "images")$category
#' if (has_ggplot2) plot_rdms(rdm92[c("human_mean", "monkey")], group = category)
#' if (has_ggplot2) plot_rdms(rdm92$monkey, type = "both", group = category)
#' @name plot.repalign_rdm
NULL

#' @rdname plot.repalign_rdm
#' @export
plot.repalign_rdm <- function(x, ...) draw_rdms(x, ...)

#' @rdname plot.repalign_rdm
#' @export
plot.repalign_rdms <- function(x, ...) draw_rdms(x, ...)

draw_rdms <- function(x, ...) {
  require_package("ggplot2", "Plotting")
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}

#' @rdname plot.repalign_rdm
#' @export
plot_rdms <- function(x, ...) {
  need_arguments()
  require_package("ggplot2", "Plotting")
  if (!is_collection(x)) return(ggplot2::autoplot(rdm_of_dist(x, "x"), ...))
  names <- check_element_names(x, "x")
  ggplot2::autoplot(new_rdms(lapply(stats::setNames(nm = names), function(name) {
    rdm_of_dist(x[[name]], paste0("x$", name))
  })), ...)
}

# Any dist object as an RDM.
rdm_of_dist <- function(x, arg) {
  check_rdm(x, arg)
  if (is_rdm(x)) return(x)
  new_rdm(x, attr(x, "Size"), attr(x, "Labels"), attr(x, "method"))
}

#' @rdname plot.repalign_rdm
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_rdm <- function(object, type = c("panel", "map", "both"), group = NULL, ...) {
  no_other_arguments(...)
  check_rdm(object, "object")
  type <- check_choice(type, c("panel", "map", "both"), "type")
  runs <- if (type != "map") group_runs(group, list(object))
  if (type == "panel") return(rdm_panels(list(object), FALSE, runs))
  if (anyNA(object)) {
    refuse_distances(which(is.na(object)), attr(object, "Size"), "missing", "object",
                     names = attr(object, "Labels"))
  }
  names <- condition_names(object)
  # the dissimilarities as squared distances, as a square matrix
  square <- as.matrix(unclass_rdm(object))
  map <- scaled_map(if (kind_of_values(object) == "distances") square^2 else square, names)
  map$points$model <- map_groups(group, names)
  caption <- map_caption("the roots of the dissimilarities", map$kept)
  if (type == "map") {
    return(draw_map(map$points, distance_words(object), caption, sparse = !is.null(group)))
  }
  plot <- rdm_panels(list(RDM = object), FALSE, runs, map$points)
  plot + ggplot2::labs(caption = paste(c(caption, plot$labels$caption), collapse = "\n"))
}

#' @rdname plot.repalign_rdm
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_rdms <- function(object, scale = c("own", "shared"), group = NULL, ...) {
  no_other_arguments(...)
  scale <- check_choice(scale, c("own", "shared"), "scale")
  names <- check_element_names(object, "object")
  for (name in names) check_rdm(object[[name]], paste0("object$", name))
  rdm_panels(object, scale == "own", group_runs(group, object))
}

# Conditions of the same label that follow each other, in their order: list(label, middle, edge).
group_runs <- function(group, rdms) {
  if (is.null(group)) return(NULL)
  names <- unique(lapply(rdms, condition_names))
  refuse_if(length(names) > 1, "labels", "`group` is for RDMs of the same conditions.")
  runs <- rle(as.character(map_groups(group, names[[1]])))
  ends <- cumsum(runs$lengths)
  list(label = runs$values, middle = ends - (runs$lengths - 1) / 2,
       edge = utils::head(ends, -1) + 0.5)
}

# own: a colour scale for each? groups: what group_runs() returned; map: the points of a map that
# stands beside one RDM, as draw_map() takes them.
rdm_panels <- function(rdms, own, groups, map = NULL) {
  # a row for each entry beside the diagonal, on both sides of it
  titles <- if (is.null(names(rdms))) "" else names(rdms)
  tiles <- do.call(rbind, Map(function(d, title) {
    square <- as.matrix(unclass_rdm(d))
    at <- which(row(square) != col(square))
    data.frame(panel = factor(title, titles), x = col(square)[at], y = row(square)[at],
               value = square[at])
  }, unname(rdms), titles))
  tiles$text <- ifelse(is.na(tiles$value), "", number_text(tiles$value))
  names <- unique(lapply(rdms, condition_names))
  words <- unique(vapply(rdms, distance_words, ""))
  title <- wrapped_labels(if (length(words) == 1) words else "dissimilarity", 14)
  values <- tiles$value
  if (own) {
    # estimates below 0 have another hue, so that the colours begin at 0
    negative <- any(values < 0, na.rm = TRUE)
    title <- if (negative) "share of\nthe largest" else "share of\nits range"
    low <- if (negative) 0 else stats::ave(values, tiles$panel, FUN = function(v) {
      suppressWarnings(min(v, na.rm = TRUE))
    })
    values <- (values - low) / largest_in(values - low, tiles$panel)
  }
  shading <- if (any(values < 0, na.rm = TRUE)) zero_shading(values, title) else
    real_shading(values, 0, FALSE, title)
  if (own) shading$ranges <- panel_ranges(tiles)
  tiles$fill <- shading$fill
  tiles$ink <- text_colour(shading$share)
  tiles$panel <- with_ranges(tiles$panel, shading$ranges, panel_columns(tiles$panel))
  shown <- levels(tiles$panel)
  if (!is.null(map)) levels(tiles$panel) <- c(shown, "map")
  # names of conditions or of groups; RDMs of different conditions have none
  same <- length(names) == 1
  written <- if (!same) character() else if (is.null(groups)) names[[1]] else groups$label
  across <- panel_columns(tiles$panel)
  # there are no titles of axes
  inches <- tiles_inches(written) + 0.4
  at <- if (!same) numeric() else if (is.null(groups)) seq_along(written) else groups$middle
  lines <- if (!is.null(groups)) {
    edges <- data.frame(at = groups$edge, panel = rep(shown, each = length(groups$edge)))
    edges$panel <- factor(edges$panel, levels(tiles$panel))
    list(ggplot2::geom_hline(data = edges, by_column(yintercept = "at"), linewidth = 0.3),
         ggplot2::geom_vline(data = edges, by_column(xintercept = "at"), linewidth = 0.3))
  }
  ggplot2::ggplot(tiles, by_column(x = "x", y = "y")) +
    ggplot2::geom_raster(by_column(fill = "fill")) +
    lines +
    (if (is.null(map)) list(tile_text(tiles), ggplot2::scale_colour_identity()) else
      map_beside(map, max(tiles$x), !is.null(groups))) +
    shading$scale +
    (if (nlevels(tiles$panel) > 1) {
      ggplot2::facet_wrap(~panel, ncol = across,
                          scales = if (same && is.null(map)) "fixed" else "free")
    }) +
    ggplot2::labs(x = NULL, y = NULL, caption = caption_of(
      if (anyNA(tiles$value)) "grey: missing (NA)",
      if (!same) "the RDMs have different conditions",
      # titles of panels take lines, too
      crowded_words(lines = across * (length(written) + across), most = 33))) +
    tile_theme(1) +
    names_axis("x", written, at, across, inches = inches, expand = ggplot2::expansion(0)) +
    names_axis("y", written, at, across, inches = inches, expand = ggplot2::expansion(0),
               trans = "reverse") +
    (if (!is.null(map)) ggplot2::theme(panel.spacing.x = ggplot2::unit(1, "lines"))) +
    # two panels and a legend of groups have room above each other only, and no names twice
    (if (!is.null(map) && !is.null(groups)) {
      list(ggplot2::theme(legend.position = "bottom", legend.box = "vertical",
                          legend.justification = "right", legend.box.just = "right",
                          legend.spacing.y = ggplot2::unit(0, "pt"),
                          legend.margin = ggplot2::margin(2, 0, 0, 0),
                          axis.text.x = ggplot2::element_blank()),
           ggplot2::guides(colour = ggplot2::guide_legend(ncol = 2),
                           shape = ggplot2::guide_legend(ncol = 2)))
    })
}

# Points of a map in a panel beside `count` rows of tiles. Their coordinates are beyond those of the
# tiles, where the axes have no names.
map_beside <- function(points, count, sparse) {
  extent <- max(diff(range(points$x)), diff(range(points$y)), .Machine$double.xmin)
  for (axis in c("x", "y")) {
    middle <- mean(range(points[[axis]]))
    points[[axis]] <- count * (3 + (points[[axis]] - middle) / extent * c(x = 1, y = -1)[[axis]])
  }
  points$panel <- factor("map", c("RDM", "map"))
  corners <- data.frame(x = count * c(2.35, 3.65), y = count * c(2.35, 3.65),
                        panel = points$panel[1])
  # how many names have no room is told below the map
  list(ggplot2::geom_blank(data = corners), map_points(points), map_names(points, sparse, TRUE),
       ggplot2::coord_cartesian(clip = "off"))
}

# As a plain dist object, which as.matrix() knows.
unclass_rdm <- function(d) structure(as.vector(d), Size = attr(d, "Size"), class = "dist")

# ---- map

map_groups <- function(group, names) {
  if (is.null(group)) return(factor(rep("all", length(names))))
  refuse_if(!is.atomic(group) || length(group) != length(names) || anyNA(group), "labels",
            "`group` must have one label for each of the {count_of(length(names), 'condition')}, ",
            "none of them missing.")
  if (!is.null(names(group))) {
    # where the group of each condition is
    at <- match(names, names(group))
    refuse_if(anyNA(at), "labels", "`group` has names, but none is ",
              "{quoted(names[is.na(at)][1])}: name it by conditions, or not (unname()).")
    group <- group[at]
  }
  if (is.factor(group)) droplevels(group) else factor(group, unique(group))
}

# ---- places

# These functions find places for the names of points, so that no name hides another or a point.

# The size of the text in millimetres, which is smaller when there are many names.
label_size <- function(count) if (count > 30) 2.3 else 3

# Returns a row for each point: its label; label_x and label_y, the middle of the label; leader_x
# and leader_y, where a line from the point to a label that does not stand beside it ends, or NA;
# placed, whether a free place was found; hjust and anchor, with which labels on the right of a
# point begin near it and labels on the left end near it, even if their width was misjudged. The
# labels are as long as they can be without more of them being left out, or many more of them
# standing far from their points.
label_places <- function(points, frame) {
  tries <- lapply(c(40, 32, 26, 22, 17, 12), function(most) {
    place_labels(short_labels(points$name, most), points, frame)
  })
  left <- vapply(tries, function(places) sum(!places$placed), 0L)
  far <- vapply(tries, function(places) sum(!is.na(places$leader_x)), 0L)
  good <- left == min(left)
  good <- good & far <= min(far[good]) + 0.2 * nrow(points)
  tries[[which(good)[1]]]
}

# The points are taken in turn, and the label of each gets the first place that is still free.
place_labels <- function(label, points, frame) {
  width <- nchar(label) * 0.0213 * label_size(nrow(points)) + 0.04
  height <- 0.047 * label_size(nrow(points))
  inches <- cbind((points$x - frame$x[1]) / frame$unit, (points$y - frame$y[1]) / frame$unit)
  size <- c(diff(frame$x), diff(frame$y)) / frame$unit
  taken <- boxes(inches, 0.1, 0.1)
  labels <- taken[0, , drop = FALSE]
  found <- matrix(NA_real_, nrow(points), 4)
  hjust <- rep(0.5, nrow(points))
  # the middles of the places to try: eight around the point in each of four rings, nearest first
  away <- rep(c(0.07, 0.2, 0.35, 0.5), each = sides_of_ring)
  sides <- ring_sides[rep(seq_len(sides_of_ring), 4), ]
  for (i in seq_along(label)) {
    places <- cbind(inches[i, 1] + sides[, 1] * (width[i] / 2 + away),
                    inches[i, 2] + sides[, 2] * (height / 2 + away))
    all <- boxes(places, width[i], height)
    at <- first_free(all, taken, size, inches[i, ], labels)
    if (is.na(at)) next
    labels <- rbind(labels, all[at, ])
    beside <- at <= sides_of_ring
    path <- leader_path(inches[i, ], all[at, ])
    taken <- rbind(taken, all[at, ], if (!beside) boxes(path, 0, 0))
    hjust[i] <- 0.5 - ring_sides[(at - 1) %% sides_of_ring + 1, 1] / 2
    found[i, ] <- c(places[at, ], if (beside) c(NA, NA) else path[nrow(path), ])
  }
  place <- sweep(found * frame$unit, 2, rep(c(frame$x[1], frame$y[1]), 2), "+")
  colnames(place) <- c("label_x", "label_y", "leader_x", "leader_y")
  anchor <- place[, "label_x"] + (hjust - 0.5) * width * frame$unit
  data.frame(label, place, placed = !is.na(found[, 1]), hjust, anchor)
}

ring_sides <- rbind(c(1, 0), c(-1, 0), c(0, 1), c(0, -1), c(1, 1), c(-1, 1), c(1, -1), c(-1, -1))

sides_of_ring <- nrow(ring_sides)

# Boxes around the middles: a matrix with the columns left, bottom, right and top edge.
boxes <- function(middles, width, height) {
  cbind(middles[, 1] - width / 2, middles[, 2] - height / 2, middles[, 1] + width / 2,
        middles[, 2] + height / 2)
}

# Places along a leader, which ends in the place within the box that is nearest to the point.
leader_path <- function(point, box) {
  nearest <- pmin(pmax(point, box[1:2]), box[3:4])
  t(point + outer(nearest - point, seq(0.1, 1, 0.1)))
}

# The first of the places that is within the panel and free, to which no leader runs through one of
# the labels.
first_free <- function(places, taken, size, point, labels) {
  for (i in seq_len(nrow(places))) {
    box <- places[i, ]
    if (any(box[1:2] < 0) || any(box[3:4] > size)) next
    clear <- taken[, 3] <= box[1] | taken[, 1] >= box[3] | taken[, 4] <= box[2] |
      taken[, 2] >= box[4]
    if (!all(clear)) next
    path <- leader_path(point, box)
    inside <- function(axis) {
      outer(path[, axis], labels[, axis], ">") & outer(path[, axis], labels[, axis + 2], "<")
    }
    if (!any(inside(1) & inside(2))) return(i)
  }
  NA
}
