# What colours of tiles mean. Each function gives list(fill, scale, share, ranges): what is
# mapped to the colour, its scale, how dark each tile is (0 to 1), and by panel the range of the
# numbers, NULL where the numbers at the colour bar are the tiles' own.

# Scores of one measure, or of several similarities that share the scale up to 1: the numbers
# at the bar are scores. Otherwise each panel has a scale of its own. Dark is similar.
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

# Never of width 0.
bar_limits <- function(values, anchors) {
  limits <- range(values, anchors, na.rm = TRUE, finite = TRUE)
  if (diff(limits) > 0) limits else limits + c(0, 1)
}

# From the least to the most similar score of each measure, as in real_shading().
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
  of <- if (any(values < 0, na.rm = TRUE)) zero_shading(values, title) else {
    whole <- shared && variant %in% c("gated", "ari") && !length(unlimited)
    top <- if (whole && all(values <= 1, na.rm = TRUE)) 1
    real_shading(values, c(0, top), FALSE, title)
  }
  if (!shared) of <- c(of, list(ranges = panel_ranges(tiles)))
  of
}

# The largest absolute value of each one's group.
largest_in <- function(values, group) {
  largest <- tapply(abs(values), group, function(v) max(v, 0, na.rm = TRUE))
  largest[largest == 0] <- 1
  as.vector(largest[as.character(group)])
}

# Zero has the colour in the middle; as much above as below has as dark a colour.
zero_shading <- function(values, title) {
  limits <- bar_limits(values, 0)
  most <- max(abs(limits))
  list(fill = values, share = abs(values) / most,
       scale = ggplot2::scale_fill_gradientn(
         title, colours = diverging, limits = limits, na.value = undefined_colour,
         rescaler = function(x, ...) 0.5 + x / (2 * most)
       ))
}

# p-values in a few classes: how many zeros matters, not the digits.
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
