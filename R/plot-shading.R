# These functions choose the colours of tiles. Each *_shading() function returns a list of `fill`
# (the numbers that are mapped to colours), `scale` (the ggplot2 scale), `share` (how dark each tile
# is, from 0 to 1) and `ranges` (the range of numbers in each panel, for its title; NULL where the
# colour bar shows the numbers themselves).

# Dark tiles are similar. The colour bar shows scores when there is one measure, or several
# similarities that share the scale up to 1. Otherwise each measure has its own scale.
score_shading <- function(tiles, direction, best) {
  measures <- levels(droplevels(tiles$measure))
  distance <- direction[measures] %in% "distance"
  within_one <- all(abs(tiles$value) <= 1, na.rm = TRUE)
  if (length(measures) == 1 || (!any(distance) && within_one)) {
    far <- distance[1]
    return(real_shading(tiles$value, c(0, if (!far) best[measures]), far,
                        if (far) "distance" else "score"))
  }
  relative_shading(tiles, stats::setNames(distance, measures), best)
}

real_shading <- function(values, anchors, reversed, title) {
  limits <- bar_limits(values, anchors)
  share <- (values - limits[1]) / diff(limits)
  list(fill = values, share = if (reversed) 1 - share else share,
       scale = ggplot2::scale_fill_gradientn(title, colours = if (reversed) rev(blues) else blues,
                                             limits = limits, na.value = undefined_colour))
}

# The limits of a colour bar, which must not coincide.
bar_limits <- function(values, anchors) {
  limits <- range(values, anchors, na.rm = TRUE, finite = TRUE)
  if (diff(limits) > 0) limits else limits + c(0, 1)
}

# The colours of each measure go from its least to its most similar score, as in real_shading().
relative_shading <- function(tiles, distance, best) {
  fill <- rep(NA_real_, nrow(tiles))
  for (measure in names(distance)) {
    at <- tiles$measure == measure
    far <- distance[[measure]]
    fill[at] <- real_shading(tiles$value[at], c(0, if (!far) best[[measure]]), far, "")$share
  }
  list(fill = fill, share = fill, ranges = panel_ranges(tiles),
       scale = ggplot2::scale_fill_gradientn(
         "similar,\nby measure", colours = blues, limits = c(0, 1), breaks = c(0, 0.5, 1),
         labels = c("0 (least)", "0.5", "1 (most)"), na.value = undefined_colour
       ))
}

panel_ranges <- function(tiles) {
  vapply(split(tiles$value, tiles$panel), function(values) {
    values <- values[!is.na(values)]
    if (length(values)) range_text(min(values), max(values)) else "undefined"
  }, "")
}

# Calibrated scores; below 0 in another hue. `variant` says whether measures share a scale;
# unlimited: measures whose gated scores have units of their own.
calibrated_shading <- function(tiles, variant, unlimited) {
  one <- nlevels(droplevels(tiles$measure)) == 1
  shared <- one || identical(variant, "z") ||
    all(abs(tiles$value) <= 1, na.rm = TRUE) && !identical(variant, "centered") &&
      !length(unlimited)
  title <- if (is.null(variant)) "calibrated" else paste0("calibrated\n(", variant, ")")
  if (one && length(unlimited)) title <- "excess over\nthe threshold"
  values <- tiles$value
  if (!shared) {
    title <- "calibrated,\nshare of the\nlargest"
    values <- values / largest_in(values, tiles$measure)
  }
  shading <- if (any(values < 0, na.rm = TRUE)) zero_shading(values, title) else {
    whole <- shared && variant %in% c("gated", "ari") && !length(unlimited)
    top <- if (whole && all(values <= 1, na.rm = TRUE)) 1
    real_shading(values, c(0, top), FALSE, title)
  }
  if (!shared) shading <- c(shading, list(ranges = panel_ranges(tiles)))
  shading
}

# For each value the largest absolute value in its group; 1 where all of them are 0, so that values
# can be divided by it.
largest_in <- function(values, group) {
  largest <- tapply(abs(values), group, function(v) max(v, 0, na.rm = TRUE))
  largest[largest == 0] <- 1
  as.vector(largest[as.character(group)])
}

# Zero has the colour in the middle, and numbers of equal size above and below it are equally dark.
zero_shading <- function(values, title) {
  limits <- bar_limits(values, 0)
  most <- max(abs(limits))
  list(fill = values, share = abs(values) / most,
       scale = ggplot2::scale_fill_gradientn(
         title, colours = diverging, limits = limits, na.value = undefined_colour,
         rescaler = function(x, ...) 0.5 + x / (2 * most)
       ))
}

# p-values are shown in a few classes, since it is their order of magnitude that matters.
p_shading <- function(p, alpha, title) {
  limits <- sort(unique(c(c(0.001, 0.01)[c(0.001, 0.01) < alpha], alpha)))
  labels <- c(paste("at most", format_each(limits)), paste("above", format_each(alpha)))
  class <- cut(p, c(-Inf, limits, Inf), labels = labels)
  colours <- rev(blues)[round(seq(2, 6, length.out = length(labels)))]
  share <- rev(seq(0, 1, length.out = length(labels)))[as.integer(class)]
  list(fill = class, share = share,
       scale = ggplot2::scale_fill_manual(title, values = stats::setNames(colours, labels),
                                          na.value = undefined_colour))
}
