# What all pictures have in common: the generic call, theme, palette, labels, shading.

# ---- plot

# This file has the help page of all pictures and the function that every plot() method calls.

# code checks would take the pronoun by which ggplot2 refers to columns for an unknown variable
utils::globalVariables(".data")

#' Plot results
#'
#' `plot()` draws a result; `ggplot2::autoplot()` returns the plot, which can be changed or saved.
#' Both need the package ggplot2.
#'
#' @param x,object what [similarity()], [calibrate()], [score_interval()], [compare_scores()],
#'   [best_score()], [evaluate_models()], [evaluate_rdms()], an analysis ([brain_to_brain()] and
#'   others) or a benchmark ([benchmark_groups()] and others) returned.
#' @param type `"tiles"`: the grid of (calibrated) scores. `"heatmap"`: the grid of one measure in
#'   the order of a hierarchical clustering, with its tree; of two lists, such as the layers of two
#'   networks, the tiles in their order. `"map"`: similar elements near each other. For calibrations
#'   also `"null"`: the null scores of up to 20 rows; `"scores"`: raw beside calibrated scores;
#'   `"p_value"`: tiles of p-values; `"auto"`: `"null"` for up to `most` rows whose titles leave
#'   room in a column of a journal, else `"tiles"`. For evaluations of models: `"points"` or
#'   `"bars"` of scores, curves over the `"depth"` of networks whose layers are the models, or of
#'   RDMs a `"map"` of models and data.
#' @param numbers for tiles and heat maps: are there numbers where tiles have room for them?
#' @param measure,metric which measures, and for benchmarks which metrics or targets, to draw;
#'   `NULL`: all.
#' @param single for analyses: also draw the mean of the single ratios?
#' @param most for analyses: up to this many comparisons get one panel each. For differences of
#'   scores: how many pairs of scores are drawn. For calibrations see `type`.
#' @param along for analyses: do the numbers of neurons stand along the horizontal axis, or the
#'   comparisons, such as layers?
#' @param reference for analyses: a value to compare with, drawn as a dashed line with a band: one
#'   row of an analysis or of [cka_interval()], a number, or three (the value and the ends of its
#'   interval).
#' @param ... arguments of `autoplot()`, which `plot()` passes on; any other is an error.
#' @return `plot()` returns `x`, invisibly. `autoplot()` returns a ggplot object.
#' @details
#' *Tiles.* Darker tiles are more similar, for distances too. Calibrated scores below 0 are orange.
#' Of two lists, a frame marks the best match of each row. A star marks a p-value (the adjusted one,
#' if there is one) of at most `alpha`; tiles whose adjusted p-value is larger are grey.
#'
#' *Heat map and map* of a list compared with itself need all its pairs. If the caption of a
#' map says that two dimensions keep little, points near each other need not be similar.
#'
#' *Benchmarks.* Grey points are single groups or models.
#'
#' *Differences* of [compare_scores()] are drawn with the interval of each alone (thick) and that
#' for all rows together (thin); a band shows the margin of equivalence. For [best_score()], filled
#' points are the scores that may be the best, and a band is the interval of the best true score.
#'
#' *Models* of [evaluate_models()] and [evaluate_rdms()] are points with their errors; full points
#' are in the confidence set of the best, the grey band or line is the noise ceiling, and dashed
#' lines are what scores of chance do not exceed. For RDMs, stars are scores above chance
#' (`p_chance`).
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   # V4 against the layers of a network, for the first 100 images
#'   v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#'   layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#'   plot(score_interval(v4, layers, measure("cka", estimator = "stimulus")))
#'   plot(similarity(v4_layers), type = "heatmap")
#' }
#' @name plot.repalign
NULL

#' @rdname plot.repalign
#' @export
plot.repalign_result <- function(x, ...) {
  require_package("ggplot2", "Plotting")
  kind <- result_kind(x)
  refuse_if(is.null(utils::getS3method("autoplot", kind, TRUE, asNamespace("ggplot2"))), "type",
            "There is no picture of {result_classes[[kind]]$words}: plot columns of ",
            "as.data.frame() of them.", arg = "x")
  need_rows(x, "x")
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}

# ---- palette

# These are the colours of all pictures; they stay distinct for readers who cannot tell red from
# green.

# Colours for categories, from Okabe and Ito (2008).
okabe_ito <- c(orange = "#E69F00", sky = "#56B4E9", green = "#009E73", yellow = "#F0E442",
               blue = "#0072B2", vermillion = "#D55E00", purple = "#CC79A7", black = "#000000")

# Colours for tiles: `blues` from small to large numbers, and `diverging` from negative numbers
# through zero to positive ones.
blues <- c("#EDF3F9", "#D1E5F0", "#92C5DE", "#4393C3", "#2166AC", "#053061")

oranges <- c("#FEE0B6", "#FDB863", "#E08214", "#B35806", "#7F3B08")

diverging <- c(rev(oranges), blues)

undefined_colour <- "grey60"

# tiles whose p-value is above alpha
not_found_colour <- "grey88"

# The colour of the text on a tile. share: how dark the tile is, from 0 for pale to 1 for dark.
text_colour <- function(share) ifelse(!is.na(share) & share > 0.68, "white", "black")

# A colour for each category, in their order; when there are too many, the rest share the last one.
category_colours <- function(categories) {
  palette <- okabe_ito[c("blue", "vermillion", "green", "orange", "purple", "sky", "black",
                         "yellow")]
  stats::setNames(unname(palette[pmin(seq_along(categories), length(palette))]), categories)
}

estimator_colours <- c(naive = okabe_ito[["orange"]], stimulus = okabe_ito[["green"]],
                       stimulus_neuron = okabe_ito[["blue"]],
                       stimulus_trial = okabe_ito[["purple"]],
                       stimulus_neuron_trial = okabe_ito[["vermillion"]])

mark_colours <- c(score = okabe_ito[["vermillion"]], threshold = okabe_ito[["black"]])

measure_colours <- c(similarity = okabe_ito[["blue"]], distance = okabe_ito[["vermillion"]],
                     `no similarity` = "#E3EDF4", `no distance` = "#F8E9DD")

# ---- columns

# ggplot2's aes() of columns by their names, or of numbers, as in by_column(x = "at", xend = 0).
by_column <- function(...) {
  do.call(ggplot2::aes, lapply(list(...), function(given) {
    if (is.character(given)) bquote(.data[[.(given)]]) else given
  }))
}

# Nothing can be drawn where all values are missing.
refuse_undefined <- function(values) {
  refuse_if(all(is.na(values)), "size", "There is nothing to draw: all values are undefined (NA).",
            arg = "object")
}

# ---- facts

# These functions find the direction and the best score of the measures in a picture.

# Returns list(direction, best), two vectors named by the labels of measures. A result says it of
# its own measures; for labels it does not know, the declared measures are asked.
measure_facts <- function(object) {
  labels <- unique(as.character(object$measure))
  grid <- attr(object, "grid")
  facts <- function(name, default) {
    known <- if (is.null(grid)) attr(object, name) else grid[[name]]
    new <- setdiff(labels, names(known))
    c(known, vapply(new, registered_fact, default, name = name, default = default))[labels]
  }
  list(direction = facts("direction", NA_character_), best = facts("best", NA_real_))
}

# Measures of a calibration whose gated scores are excesses over the threshold, because nothing
# bounds their scores.
unlimited_measures <- function(object) {
  gated <- identical(attr(object, "settings")$variant, "gated")
  limit <- attr(object, "grid")$limit
  if (!gated || is.null(limit)) return(character())
  intersect(unique(as.character(object$measure)), names(limit)[is.na(limit)])
}

# The label of a declared measure is its id, or begins with it, as in "mutual_knn(k = 5)".
registered_fact <- function(label, name, default) {
  id <- sub("[( ].*", "", label)
  d <- registry[[id]]
  if (is.null(d)) return(default)
  if (name == "best") as.double(best_of(d, d$check(default_arguments(id)))) else d[[name]]
}

# ---- labels

# These functions fit names and numbers into pictures, so that different ones remain different. What
# has room is judged for a column of a journal, which is 3.5 inches wide, where a character of 8
# points takes this width.
character_width <- 0.06

# Names as they were given, in lines of at most `most` characters, unless a single word of a name is
# longer. Lines end after a separator, or where a small letter is followed by a capital one or a
# bracket, but not within a number. Nothing is left out, so that different names stay different.
wrapped_labels <- function(labels, most) {
  number <- "(?!(?<=[0-9])[.][0-9]|(?<=[0-9]e|^| )-[0-9])"
  ends <- paste0(number, "([-._/ :|])(?=[^-._/ :|])|([a-z])(?=[A-Z(])")
  broken <- function(line) {
    if (is.na(line) || nchar(line) <= most) return(line)
    words <- strsplit(gsub(ends, "\\1\\2\r", line, perl = TRUE), "\r", fixed = TRUE)[[1]]
    lines <- words[1]
    for (word in words[-1]) {
      last <- length(lines)
      together <- paste0(lines[last], word)
      if (nchar(trimws(together, "right")) <= most) lines[last] <- together else
        lines <- c(lines, word)
    }
    trimws(lines)
  }
  vapply(strsplit(as.character(labels), "\n", fixed = TRUE), function(lines) {
    paste(unlist(lapply(lines, broken)), collapse = "\n")
  }, "")
}

text_lines <- function(texts) lengths(strsplit(paste0(texts, "\n"), "\n", fixed = TRUE))

# The width of the longest line, in characters.
longest_line <- function(texts) {
  max(0, nchar(unlist(strsplit(as.character(texts), "\n", fixed = TRUE))))
}

# An axis of names, to be added after a theme: discrete, or with the names at the numbers `at`.
# Those below a panel are sideways where they have no room beside each other. panels: how many stand
# along this axis; most: how many characters of a name have room; written: how names are written
# that are different on the axis alone; inches: how long all panels are along this axis in a column
# of a journal; ...: for the scale.
names_axis <- function(side, names, at = NULL, panels = 1, most = 20, written = names,
                       inches = if (side == "x") 2.8 else 2, ...) {
  labels <- wrapped_labels(written, 12)
  beside <- side == "y" ||
    (longest_line(labels) + 1) * length(names) * panels * character_width > inches
  if (beside) {
    # broken into lines while these have room, otherwise shortened so that they stay different
    labels <- wrapped_labels(written, 20)
    if (sum(text_lines(labels)) > 10) labels <- short_labels(written, most)
  }
  # titles of the panels take lines, too
  lines <- if (beside) (sum(text_lines(labels)) + (panels > 1)) * panels else 0
  size <- if (lines > 14 * inches) 5 else if (lines > 7 * inches) 6.5 else 8
  text <- ggplot2::element_text(size = size, lineheight = 0.85)
  guide <- ggplot2::guide_axis(check.overlap = TRUE, angle = if (side == "x" && beside) 90)
  scale <- if (is.null(at)) {
    shown <- stats::setNames(labels, names)
    scale <- if (side == "x") ggplot2::scale_x_discrete else ggplot2::scale_y_discrete
    scale(..., labels = function(names) unname(shown[names]), guide = guide)
  } else {
    scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
    scale(..., breaks = at, labels = labels, guide = guide)
  }
  list(scale, do.call(ggplot2::theme, stats::setNames(list(text), paste0("axis.text.", side))))
}

# For the caption of pictures with so many names (or lines) that those which would overlap may be
# left out in a column of a journal (3.5 x 3 inches); on a larger page they need not be. most: so
# many have room there.
crowded_words <- function(names, lines = length(names), most = 20) {
  if (lines > most) "names are left out where there is no room"
}

# A legend above a picture, with as many keys beside each other as have room in a column of a
# journal; the scale writes their names by key_names().
names_legend <- function(names) {
  width <- longest_line(key_names(names)) * character_width + 0.35
  ggplot2::guide_legend(ncol = max(1, min(length(names), floor(3.2 / width))))
}

key_names <- function(names) wrapped_labels(names, 20)

# How titles of panels are written of which so many stand side by side, in `inches` of which the
# axis takes `beside`: up to two have room in a column of a journal, more on a page.
wrapped_titles <- function(...) {
  most <- title_width(...)
  ggplot2::as_labeller(function(titles) wrapped_labels(titles, most))
}

title_width <- function(columns, beside = 0.9, inches = if (columns <= 2) 3.5 else 7) {
  floor((inches - beside) / columns / character_width)
}

# A panel for each level of what column `by` has, if there are at least so many.
panel_facets <- function(panel, columns = panel_columns(panel), least = 2, by = "panel") {
  if (nlevels(panel) < least) return(NULL)
  ggplot2::facet_wrap(by, ncol = columns, labeller = wrapped_titles(columns))
}

panel_columns <- function(panel) min(ceiling(sqrt(nlevels(panel))), 4)

# Panels of points side by side, with an axis each. Their titles have room in a column of a journal,
# and points at the border are drawn whole.
side_panels <- function(panel, scales = "free_x") {
  count <- length(unique(panel))
  list(ggplot2::coord_cartesian(clip = "off"), if (count > 1) {
    list(ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = scales,
                             labeller = wrapped_titles(min(count, 3), 1.3, 3.5)),
         ggplot2::theme(panel.spacing.x = ggplot2::unit(1.3, "lines"), strip.clip = "off"))
  })
}

# Measures are called in pictures as in sentences, but a little shorter: "CKA corrected for stimuli
# and noise". The labels of those that would get the same words stay as they are.
measure_titles <- function(labels) {
  labels <- as.character(labels)
  known <- unique(labels)
  words <- vapply(known, measure_words, "", USE.NAMES = FALSE)
  corrected <- grepl("corrected for", words, fixed = TRUE)
  words[corrected] <- gsub("few |the | of trials", "", words[corrected])
  alike <- words %in% words[duplicated(words)]
  words[alike] <- known[alike]
  words[match(labels, known)]
}

# A panel for each measure, in the order of their labels.
measure_panels <- function(labels) {
  known <- label_levels(labels)
  factor(as.character(labels), known, measure_titles(known))
}

# The title of an axis of the scores of these measures, no longer than a picture in a column of a
# journal; before: the words before it; most: how many characters have room in a line.
axis_words <- function(labels, before = NULL, most = 30) {
  words <- unique(measure_titles(labels))
  wrapped_labels(paste(c(before, if (length(words) == 1) words else "score"), collapse = " "), most)
}

# What estimators of CKA are corrected for, for the keys of a legend or the names at an axis.
estimator_titles <- function(estimators) {
  ifelse(estimators %in% names(estimator_names), vapply(estimators, function(estimator) {
    if (length(estimator_names[[estimator]])) short_corrections(estimator_names[[estimator]]) else
      "nothing"
  }, ""), estimators)
}

# of: some of an element of estimator_names.
short_corrections <- function(of) {
  enumerate(sub("^few ", "", sub("the noise of trials", "noise", of)), quote = FALSE)
}

# An axis of scores. (Panels side by side have no room for many numbers: whole = FALSE.)
score_axis <- function(scale, whole = TRUE) {
  # numbers beside each other have a space between them, or one of them is left out
  spaced <- function(at) sprintf(" %s ", format(at, trim = TRUE))
  scale(breaks = if (whole) ggplot2::waiver() else few_ticks,
        labels = if (identical(scale, ggplot2::scale_x_continuous)) spaced else ggplot2::waiver(),
        expand = ggplot2::expansion(if (whole) 0.05 else 0.08),
        guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# The fewest round numbers within a range that tell its scale.
few_ticks <- function(range) {
  for (count in 2:6) {
    ticks <- pretty(range, count)
    ticks <- ticks[ticks >= range[1] & ticks <= range[2]]
    if (length(ticks) > 1) break
  }
  ticks
}

# Numbers as they are written on tiles.
number_text <- function(values) {
  text <- ifelse(!is.na(values) & abs(values) >= 100, format_each(values), sprintf("%.2f", values))
  text[text == "-0.00"] <- "0.00"
  text[is.na(values)] <- "NA"
  text
}

format_each <- function(values, digits = 3) {
  vapply(values, function(value) format(value, digits = digits), "")
}

# Small tiles have room for a number only without the zero before the point.
compact_text <- function(text) sub("^(-?)0\\.", "\\1.", text)

# Scores that differ by less than this differ by rounding: they should not look different.
settled <- function(values) round(values, 12)

# The caption below every picture: remarks as one sentence, in lines of a journal's column in the
# type of picture_theme().
caption_of <- function(...) {
  parts <- c(...)
  if (!length(parts)) return(NULL)
  text <- paste0(parts, c(rep(";", length(parts) - 1), "."))
  text[1] <- paste0(toupper(substr(text[1], 1, 1)), substring(text[1], 2))
  # lines break between two parts rather than within one that has room in a line
  lines <- character()
  for (part in text) {
    last <- length(lines)
    joined <- paste(lines[last], part)
    lines <- if (nchar(part) < 60 && nchar(joined) >= 60) c(lines, part) else
      c(lines[-last], strwrap(joined, 60))
  }
  paste(lines, collapse = "\n")
}

# ---- shading

# These functions choose the colours of tiles. Each *_shading() function returns a list of `fill`
# (the numbers that are mapped to colours), `scale` (the ggplot2 scale), `share` (how dark each tile
# is, from 0 to 1) and `ranges` (the range of numbers in each panel, for its title; NULL where the
# colour bar shows the numbers themselves).

# Dark tiles are similar. The colour bar shows scores when there is one measure, or several
# similarities that share the scale up to 1. Otherwise each measure has its own scale.
score_shading <- function(tiles, direction, best) {
  tiles$value <- settled(tiles$value)
  measures <- levels(droplevels(tiles$measure))
  distance <- direction[measures] %in% "distance"
  within_one <- all(abs(tiles$value) <= 1, na.rm = TRUE)
  if (length(measures) == 1 || (!any(distance) && within_one)) {
    far <- distance[1]
    return(real_shading(tiles$value, c(0, if (!far) best[measures]), far,
                        if (far) "distance" else "score"))
  }
  # the colours of each measure go from its least to its most similar score, as in real_shading()
  fill <- rep(NA_real_, nrow(tiles))
  for (measure in measures) {
    at <- tiles$measure == measure
    far <- direction[[measure]] %in% "distance"
    fill[at] <- real_shading(tiles$value[at], c(0, if (!far) best[[measure]]), far, "")$share
  }
  list(fill = fill, share = fill, ranges = panel_ranges(tiles),
       scale = ggplot2::scale_fill_gradientn(
         "similar,\nby measure", colours = blues, limits = c(0, 1), breaks = c(0, 0.5, 1),
         labels = c("0 (least)", "0.5", "1 (most)"), na.value = undefined_colour
       ))
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

# The range of the numbers of each panel: two numbers with as many digits as it takes to tell them
# apart; one number for both if they differ by rounding alone.
panel_ranges <- function(tiles) {
  vapply(split(tiles$value, tiles$panel), function(values) {
    if (all(is.na(values))) return("undefined")
    ends <- range(values, na.rm = TRUE)
    if (settled(ends[2] - ends[1]) == 0) return(paste("all", number_text(ends[2])))
    text <- number_text(ends)
    for (digits in 2:15) {
      if (text[1] != text[2]) break
      text <- format_each(ends, digits)
    }
    paste(text, collapse = " to ")
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
  colours <- c(rev(blues)[round(seq(2, 5, length.out = length(limits)))], not_found_colour)
  share <- rev(seq(0, 1, length.out = length(labels)))[as.integer(class)]
  list(fill = class, share = share,
       scale = ggplot2::scale_fill_manual(title, values = stats::setNames(colours, labels),
                                          na.value = undefined_colour))
}

# ---- square

# These functions turn the scores of a list compared with itself into the square of dissimilarities
# that heat maps and maps are made of.

# Returns list(d, measure, formula). `d` is a symmetric matrix of distances, or, for similarities,
# of the best score minus the score, but at least 0; where the two directions of a pair differ, it
# holds their mean. `measure` is the label, and `formula` says in words what d holds.
# purpose: what they are for, in words for messages.
dissimilarities <- function(object, purpose) {
  measure <- unique(as.character(object$measure))
  refuse_if(length(measure) != 1, "choice", "{purpose} shows one measure: name it in `measure`: ",
            "{enumerate(measure, 20)}.")
  if (nlevels(row_sources(object)) != 1) {
    values <- lapply(as.data.frame(object)[source_columns(object)], function(v) stats::na.omit(v))
    differing <- Filter(function(v) length(unique(v)) > 1, values)
    example <- if (length(differing)) {
      paste0(", as in ", rows_example("object", names(differing)[1], differing[[1]][1]))
    }
    refuse("rows", "{purpose} shows one result: take its rows of `object`{example}.")
  }
  grid <- attr(object, "grid")
  within <- if (is.null(grid)) attr(object, "within") else grid$within
  refuse_if(identical(within, FALSE), "rows", "{purpose} is for a list that was compared with ",
            "itself, as in ", if (is.null(grid)) "similarity(layers)" else "calibrate(layers)",
            ": here `x` and `y` are different lists.", arg = "object")
  facts <- measure_facts(object)
  distance <- facts$direction[[measure]] %in% "distance"
  # the score of identical representations, from which similarities are subtracted
  best <- facts$best[[measure]]
  own <- attr(object, "settings")$own
  refuse_if(!distance && (is.na(best) || !is.null(own)), "value", "{purpose} needs the best ",
            "possible score, which is not known for {quoted(measure)}",
            if (is.null(own)) ": give `best` to new_measure()." else
              " under your own `aggregate`: use another one.", arg = "object")
  names <- side_names(as.data.frame(object), grid_of(object)$aggregate)
  d <- settled(if (distance) object$score else pmax(best - object$score, 0))
  # the levels that occur on some side
  all <- levels(names$x)
  all <- all[all %in% unlist(lapply(names, as.character))]
  square <- matrix(NA_real_, length(all), length(all), dimnames = list(all, all))
  at <- cbind(match(names$x, all), match(names$y, all))
  square[at] <- d
  known <- !is.na(replace(square, at, 1))
  refuse_gaps(!known & !t(known), "was not computed", gap_remedy, purpose)
  undefined <- known & is.na(square)
  refuse_gaps(undefined | t(undefined), "is undefined (NA)", "leave one of them out", purpose)
  # where a pair was computed in one direction only, its score stands for both
  mean <- rowMeans(array(c(square, t(square)), c(dim(square), 2)), na.rm = TRUE, dims = 2)
  dimnames(mean) <- dimnames(square)
  diag(mean) <- 0
  formula <- c(if (!distance) paste(format(best, digits = 3), "-"), measure_titles(measure))
  formula <- paste(formula, collapse = " ")
  one_way <- any(known != t(known)) && !is_mirrored(object)
  list(d = mean, measure = measure, formula = paste0(formula, if (one_way) " (one direction)"))
}

# Does one score stand for both directions of a pair? It does when the measure is symmetric.
is_mirrored <- function(object) {
  symmetric <- grid_of(object)$symmetric
  !isFALSE(symmetric[as.character(object$measure[1])])
}

gap_remedy <- "all pairs are needed, within models too (diagonal = TRUE, or an `aggregate`)"

refuse_gaps <- function(missing, what, remedy, purpose) {
  diag(missing) <- FALSE
  refuse_if(nrow(missing) < 2, "size", "{purpose} needs two elements or more.", arg = "object")
  if (!any(missing)) return(invisible())
  first <- rownames(missing)[which(missing, arr.ind = TRUE)[1, ]]
  refuse("rows", "{purpose}: the score of {quoted(first[2])} and {quoted(first[1])} ",
         "{what}: {remedy}.", arg = "object")
}

# ---- theme

# The theme here is what all pictures have in common.

# The background is white, because text on a transparent one would vanish in a dark viewer. Type and
# margins are those of a journal: small, with titles apart from the numbers at the axes. lines: from
# the ticks of which axis are there lines ("x", "y", "both", "none")?
picture_theme <- function(..., lines = "both") {
  text <- function(size, ...) ggplot2::element_text(size = size, ...)
  gap <- function(...) ggplot2::margin(..., unit = "pt")
  list(ggplot2::theme_minimal(),
       ggplot2::theme(plot.background = ggplot2::element_rect(fill = "white", colour = NA),
                      panel.grid.minor = ggplot2::element_blank(), legend.position = "top",
                      plot.title = text(10),
                      plot.caption = text(7.5, hjust = 0, colour = "grey30", lineheight = 1,
                                          margin = gap(t = 8)),
                      plot.caption.position = "plot",
                      axis.text = text(8),
                      axis.title = text(9),
                      axis.title.x = text(9, margin = gap(t = 7)),
                      axis.title.y = text(9, angle = 90, margin = gap(r = 7)),
                      strip.text = text(8, margin = gap(4, 2, 4, 2)),
                      legend.title = text(8.5), legend.text = text(8),
                      legend.key.size = ggplot2::unit(0.9, "lines"),
                      legend.box.spacing = ggplot2::unit(6, "pt")),
       if (lines %in% c("x", "none")) ggplot2::theme(panel.grid.major.y = ggplot2::element_blank()),
       if (lines %in% c("y", "none")) ggplot2::theme(panel.grid.major.x = ggplot2::element_blank()),
       ggplot2::theme(...))
}
