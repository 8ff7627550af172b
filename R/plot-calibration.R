# These functions draw similarities, measures(), and calibrations with their null scores.

# ---- similarity

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_similarity <- function(object, type = c("tiles", "heatmap", "map"),
                                         measure = NULL, numbers = TRUE, ...) {
  no_other_arguments(...)
  check_flag(numbers, "numbers")
  type <- check_choice(type, c("tiles", "heatmap", "map"), "type")
  need_columns(object, c("x", "y", "measure", "score"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  if (type == "map") return(map_picture(object))
  if (type == "heatmap" && !is_of_two_lists(object)) return(heatmap_picture(object, numbers))
  tiles <- tile_table(object, object$score)
  facts <- measure_facts(object)
  shading <- score_shading(tiles, facts$direction, facts$best)
  draw_tiles(tiles, shading, numbers = numbers, likeness = shading$share)
}

# ---- measures

#' @rdname measures
#' @aliases plot.repalign_measures
#' @usage NULL
#' @details
#' Changes of one side are *orthogonal* (rotations and reflections), *scaling* (all responses
#' multiplied by one factor), *translation* (another mean response of each neuron), *column
#' permutation* (another order of the neurons) and *invertible linear* (any invertible matrix).
#' `plot(measures())` shows which of them leave a score as it is: blue rows are similarities, orange
#' rows distances.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(measures())
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_measures <- function(object, ...) {
  no_other_arguments(...)
  # a table with a row for each measure and property: does the property hold?
  needed <- c("id", "family", "direction", "symmetric", "pairing", "invariant")
  table <- need_columns(as.data.frame(need_rows(object)), needed, "drawn")
  twice <- anyDuplicated(table$id)
  refuse_if(twice, "rows", "`object` has two rows of {quoted(table$id[twice])}, which ",
            "would be drawn in one place: take one of them.")
  listed <- strsplit(table$invariant, ", ", fixed = TRUE)
  is_listed <- function(name) vapply(listed, function(l) name %in% l, NA)
  # The table has no column for this property, so that it is taken from the declarations. It is NA
  # for rows that a user added.
  metric <- vapply(table$id, function(id) {
    d <- registry[[id]]
    if (is.null(d)) NA else declared(d$metric, d$check(default_arguments(id)))
  }, NA, USE.NAMES = FALSE)
  holds <- unlist(c(lapply(invariances, is_listed), list(table$symmetric, metric, table$pairing)))
  properties <- c(invariances, "symmetric", "metric", "pairing")
  tiles <- data.frame(
    id = factor(rep(table$id, length(properties)), rev(unique(table$id))),
    family = factor(rep(table$family, length(properties)), unique(table$family)),
    property = factor(rep(properties, each = nrow(table)), properties),
    group = factor(rep(properties %in% invariances, each = nrow(table)), c(TRUE, FALSE),
                   c("invariant to", "other properties")),
    shade = paste0(ifelse(holds, "", "no "), table$direction)
  )
  tiles <- tiles[!is.na(holds), ]
  # text and margins are so small that all measures have room on a page of 7 x 5 inches
  ggplot2::ggplot(tiles, by_column(x = "property", y = "id", fill = "shade")) +
    ggplot2::geom_tile(colour = "white", linewidth = 0.4) +
    ggplot2::facet_grid(family ~ group, scales = "free", space = "free", switch = "y") +
    ggplot2::scale_fill_manual(values = measure_colours, breaks = c("similarity", "distance")) +
    ggplot2::labs(x = NULL, y = NULL, fill = NULL,
                  caption = caption_of("dark: holds at default arguments", "pale: does not",
                                       crowded_words(table$id))) +
    picture_theme(lines = "none", legend.key.size = ggplot2::unit(0.7, "lines"),
                  legend.box.spacing = ggplot2::unit(0, "pt"),
                  legend.margin = ggplot2::margin(0, 0, 0, 0),
                  panel.spacing.y = ggplot2::unit(2, "pt"), strip.clip = "off",
                  strip.text = ggplot2::element_text(size = 8),
                  strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 1)) +
    names_axis("x", properties) +
    names_axis("y", levels(tiles$id), most = 30, position = "right") +
    ggplot2::theme(axis.text.y.right = ggplot2::element_text(hjust = 0))
}

# ---- significance

# These functions decide which rows of a calibration are significant, and say so in pictures.

is_significant <- function(object) {
  p <- p_to_judge(object)
  !is.na(p) & p <= alpha_of(object)
}

alpha_of <- function(object) {
  alpha <- attr(object, "settings")$alpha
  if (!is.null(alpha)) return(alpha)
  refuse("type", "`object` has lost its `alpha`, which some operations on data frames do not ",
         "keep: start again from what calibrate() returned.")
}

# Tiles with a star after the number of each significant row. With adjusted p-values the others are
# pale, because their calibrated score, which looks at one comparison only, may be above 0.
marked_tiles <- function(tiles, object) {
  found <- is_significant(object)
  tiles$mark <- ifelse(found, "*", "")
  tiles$text <- paste0(tiles$text, tiles$mark)
  if (!is.null(object$p_adjusted)) tiles$pale <- !found & !is.na(object$p_adjusted)
  tiles
}

significance_caption <- function(object) {
  adjusted <- !is.null(object$p_adjusted)
  words <- paste0(if (adjusted) "adjusted ", "p-value ")
  c(paste0("*: ", sum(is_significant(object)), " of ", nrow(object), " with ",
           if (adjusted) "an " else "a ", words, "of at most ", format(alpha_of(object))),
    if (any(object$p_adjusted > alpha_of(object), na.rm = TRUE)) {
      paste0("light grey: ", words, "above ", format(alpha_of(object)))
    })
}

# ---- calibration

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_calibration <- function(object, type = c("auto", "null", "tiles", "p_value",
                                                           "heatmap", "map", "scores"),
                                          measure = NULL, most = 12, numbers = TRUE, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("auto", "null", "tiles", "p_value", "heatmap", "map", "scores"),
                       "type")
  check_count(most, "most")
  check_flag(numbers, "numbers")
  need_columns(object, c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "engine"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  if (type == "auto") {
    type <- "tiles"
    if (nrow(object) <= most) {
      # do titles leave room for bars in a picture of 3.5 x 3 inches?
      columns <- null_columns(object)
      lines <- max(text_lines(levels(panel_titles(object, columns)$panels)))
      if (ceiling(nrow(object) / columns) * (0.48 + 0.1 * lines) <= 2.4) type <- "null"
    }
  }
  if (type == "heatmap" && is_of_two_lists(object)) type <- "tiles"
  switch(type, null = null_panels(object), scores = calibrated_points(object),
         heatmap = heatmap_picture(object, numbers), map = map_picture(object), tiles = {
           tiles <- marked_tiles(tile_table(object, object$calibrated), object)
           shading <- calibrated_shading(tiles, attr(object, "settings")$variant,
                                         unlimited_measures(object))
           remarks <- c(significance_caption(object), excess_words(object))
           # of a row without a score above chance, none is the best
           draw_tiles(tiles, shading, remarks, numbers,
                      ifelse(object$calibrated > 0, object$calibrated, NA))
         }, p_value = {
           # the grid of p-values, with a panel for each measure
           p <- p_to_judge(object)
           tiles <- tile_table(object, p)
           digits <- ifelse(p < 0.0995, sprintf("%.3f", p), sprintf("%.2f", p))
           tiles$text <- ifelse(is.na(p), "NA", ifelse(p < 0.001, "<.001", digits))
           tiles <- marked_tiles(tiles, object)
           adjusted <- !is.null(object$p_adjusted)
           permutations <- object$permutations
           # the smallest p-value that is possible with the number of permutations
           least <- if (!adjusted && any(!is.na(permutations))) {
             most <- max(permutations, na.rm = TRUE)
             paste("no p-value is below", format(1 / (most + 1), digits = 2), "with",
                   count_of(most, "permutation"))
           }
           draw_tiles(tiles, p_shading(p, alpha_of(object), if (adjusted) "adjusted\np-value" else
             "p-value"), c(significance_caption(object), least), numbers)
         }, no_branch(type))
}

# Raw beside calibrated: each score with its threshold, and what calibration leaves of it.
calibrated_points <- function(object) {
  rows <- as.data.frame(object)
  refuse_undefined(rows$score)
  sides <- lapply(side_names(rows, grid_of(object)$aggregate), as.character)
  parts <- Filter(function(part) length(unique(part)) > 1,
                  list(as.character(row_sources(object)), sides$x, sides$y))
  names <- if (length(parts)) do.call(paste, c(parts, sep = " | ")) else
    paste(sides$x, sides$y, sep = " | ")
  rows$title <- factor(names, rev(unique(names)))
  rows$panel <- measure_panels(rows$measure)
  rows$found <- ifelse(is_significant(object), "calibrated, significant", "calibrated")
  points <- rbind(data.frame(rows[c("title", "panel")], at = rows$score, kind = "raw"),
                  data.frame(rows[c("title", "panel")], at = rows$calibrated, kind = rows$found))
  points$kind <- factor(points$kind, c("raw", "calibrated", "calibrated, significant"))
  variant <- attr(object, "settings")$variant
  ggplot2::ggplot(points, by_column(x = "at", y = "title")) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey50") +
    ggplot2::geom_segment(data = rows, na.rm = TRUE, colour = "grey70",
                          by_column(x = "score", xend = "calibrated", yend = "title")) +
    ggplot2::geom_point(data = rows, by_column(x = "threshold"), shape = 124, size = 3,
                        na.rm = TRUE) +
    ggplot2::geom_point(by_column(shape = "kind", colour = "kind"), size = 2.3, na.rm = TRUE) +
    ggplot2::scale_shape_manual(NULL, values = c(4, 1, 19), drop = FALSE) +
    ggplot2::scale_colour_manual(NULL, values = c("grey30", forest_colour, forest_colour),
                                 drop = FALSE) +
    score_axis(ggplot2::scale_x_continuous, whole = nlevels(rows$panel) == 1) +
    ggplot2::guides(shape = ggplot2::guide_legend(nrow = 2)) +
    ggplot2::labs(x = axis_words(rows$measure), y = NULL, caption = caption_of(
      paste0("calibrated: ", if (is.null(variant)) "after permutations" else variant),
      "lines: thresholds", paste("significant: p at most", format(alpha_of(object))),
      excess_words(object), crowded_words(levels(rows$title)))) +
    picture_theme(lines = "x") +
    side_panels(rows$panel) +
    names_axis("y", levels(rows$title))
}

# ---- null

# These functions draw a panel for each row of a calibration: its null with the observed score and
# the threshold.

# More panels than this would have no room on a page for bars below their titles.
most_panels <- 20

null_columns <- function(object) min(ceiling(sqrt(nrow(object))), 4)

null_panels <- function(object) {
  refuse_if(nrow(object) > most_panels, "size", "type = \"null\" draws a panel for each row, up ",
            "to {most_panels} of them, but `object` has {nrow(object)} rows: take some of them, ",
            "as in object[1:{most_panels}, ], or draw all of them with type = \"tiles\".")
  null <- null_scores_of_rows(object)
  # rows are put into the order of their factors; without factors they stay as they are
  rows <- as.data.frame(object)
  columns <- rows[intersect(c("model_x", "x", "model_y", "y", "measure"), names(rows))]
  rank <- list(as.integer(row_sources(object)))
  if (any(vapply(columns, is.factor, NA))) {
    rank <- c(rank, lapply(unname(columns), function(v) match(v, value_order(v))))
  }
  order <- do.call(order, rank)
  object <- object[order, ]
  null <- null[order]
  small <- nrow(object) > 6
  columns <- null_columns(object)
  curves <- sum(is_law(null))
  titles <- panel_titles(object, columns)
  panel <- titles$panels
  bars <- do.call(rbind, Map(null_bars, Filter(is.numeric, null),
                             panel[vapply(null, is.numeric, NA)]))
  laws <- do.call(rbind,
                  Map(function(law, panel) data.frame(panel, at = law$at, density = law$density),
                      null[is_law(null)], panel[is_law(null)]))
  at <- cbind(score = object$score, threshold = object$threshold)
  marks <- data.frame(panel = rep(panel, ncol(at)), at = as.vector(at),
                      mark = factor(rep(colnames(at), each = nrow(at)), names(mark_colours)))
  if (is.null(bars) && is.null(laws)) refuse_undefined(marks$at)
  parts <- c(if (!is.null(bars)) "null scores", if (!is.null(laws)) "density of the fitted law")
  title <- if (length(parts)) paste(parts, collapse = " or ")
  null_picture(marks, bars, laws) +
    ggplot2::facet_wrap(~panel, scales = "free", drop = FALSE, ncol = columns) +
    score_axis(ggplot2::scale_x_continuous, whole = FALSE) +
    ggplot2::scale_y_continuous(breaks = few_ticks,
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = titles$axis, y = title, caption = caption_of(
      aggregate_words(object),
      if (curves > 0) {
        paste0("curves: the Pearson type III law with the null's moments",
               if (curves < length(null)) brackets(paste(curves, "of", length(null))))
      },
      if (!is.null(object$p_adjusted)) "thresholds are those of single comparisons, not adjusted"
    )) +
    picture_theme(legend.key.size = ggplot2::unit(1, "lines"),
                  legend.box.spacing = ggplot2::unit(2, "pt"),
                  plot.margin = ggplot2::margin(2, 14, 4, 4),
                  panel.spacing = ggplot2::unit(if (small) 0.2 else 0.7, "lines"),
                  panel.spacing.x = ggplot2::unit(0.9, "lines"),
                  strip.text = if (small) {
                    ggplot2::element_text(size = 6.5, lineheight = 0.9,
                                          margin = ggplot2::margin(1, 0, 1, 0))
                  } else ggplot2::element_text(size = 8, margin = ggplot2::margin(4, 2, 3, 2)),
                  strip.clip = "off",
                  axis.text.x = ggplot2::element_text(size = if (small) 6 else 8),
                  axis.text.y = if (small) ggplot2::element_blank())
}

is_law <- function(null) vapply(null, is.list, NA)

# Histograms and curves of null scores, with two marks in each panel: what was observed, and the
# threshold.
null_picture <- function(marks, bars, laws = NULL) {
  ggplot2::ggplot(marks) +
    (if (!is.null(bars)) {
      ggplot2::geom_rect(data = bars, fill = "grey70",
                         by_column(xmin = "from", xmax = "to", ymin = 0, ymax = "count"))
    }) +
    (if (!is.null(laws)) {
      ggplot2::geom_area(data = laws, fill = "grey85", colour = "grey30", linewidth = 0.4,
                         by_column(x = "at", y = "density"))
    }) +
    ggplot2::geom_vline(by_column(xintercept = "at", colour = "mark", linetype = "mark"),
                        na.rm = TRUE, linewidth = 0.7) +
    ggplot2::scale_colour_manual(NULL, values = unname(mark_colours)) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "22"))
}

# Titles of panels, with the p-value and with what differs between them; the axis names what all of
# them share: list(panels, axis). They have room in a column of a journal, where many panels have
# lines for a short name and the p-value only.
panel_titles <- function(object, columns) {
  rows <- as.data.frame(object)
  sides <- lapply(side_names(rows, FALSE), as.character)
  # the row of an aggregate that selects no pair of layers is named by its models, if it has any
  if (is.null(rows$model_x)) sides <- lapply(sides, replace, is.na(rows$x) & is.na(rows$y), NA)
  parts <- list(as.character(row_sources(object)), sides$x, sides$y, measure_titles(rows$measure))
  shared <- vapply(parts, function(part) length(unique(part)) == 1, NA)
  named <- !shared | c(FALSE, rep(nrow(rows) == 1, 2), FALSE)
  common <- setdiff(unlist(lapply(parts[2:3][!named[2:3]], `[`, 1)), c("x", "y", NA))
  p <- p_to_judge(rows)
  p <- ifelse(is.na(p), "undefined",
              paste0(if (!is.null(rows$p_adjusted)) "adjusted ", "p = ", signif(p, 2),
                     ifelse(rows$null_sd %in% 0, ", constant null", "")))
  # a title may be a little wider than its panel
  width <- title_width(columns, 0.7, 3.5) + 4
  if (nrow(rows) > 4) {
    parts[named & 1:4 < 4] <- lapply(parts[named & 1:4 < 4], function(part) {
      replace(short_labels(part, width), is.na(part), NA)
    })
  }
  titles <- vapply(seq_len(nrow(rows)), function(i) {
    own <- stats::na.omit(vapply(parts[named], `[`, "", i))
    line <- paste(own, collapse = " | ")
    if (nrow(rows) > 12) return(line)
    paste(c(if (nchar(line) <= width) line[nzchar(line)] else own, p[i]), collapse = "\n")
  }, "")
  # of very many panels, names have one line
  if (nrow(rows) > 12) titles <- paste0(short_labels(titles, width - 2), "\n", p)
  # facets with equal titles would be merged into one panel
  list(panels = factor(seq_along(titles), labels = make.unique(wrapped_labels(titles, width), " ")),
       axis = wrapped_labels(paste(c(
         if (shared[4]) parts[[4]][1] else "score",
         if (length(common) == 2) "of" else if (length(common)) "with",
         if (length(common)) enumerate(common, quote = FALSE)
       ), collapse = " "), 40))
}

# A histogram of about 30 bars. The scores of measures that count something lie on a grid of few
# values. Then every bar spans the same number of grid values, because bars with more of them would
# be higher for that reason alone.
null_bars <- function(null, panel) {
  null <- null[is.finite(null)]
  if (!length(null)) return(NULL)
  values <- sort(unique(signif(null, 10)))
  range <- values[length(values)] - values[1]
  step <- if (range > 0) min(diff(values)) else 0.02 * max(abs(values), 1e-3)
  steps <- round(range / step) + 1
  each <- ceiling(steps / 30)
  grid <- steps <= 600
  bars <- if (grid) ceiling(steps / each) else 30
  width <- if (grid) each * step else range / bars
  # on a grid, the edges of the bars lie between its values
  from <- if (grid) values[1] - step / 2 else values[1]
  bin <- pmin(pmax(floor((null - from) / width), 0), bars - 1)
  left <- from + width * (seq_len(bars) - 1)
  result <- data.frame(panel, from = left, to = left + width, count = tabulate(bin + 1, bars))
  result[result$count > 0, ]
}

# What the scores and null scores of models are made of.
aggregate_words <- function(object) {
  settings <- attr(object, "settings")
  if (is.null(settings$aggregate) || all(is.na(object$score))) return(NULL)
  distance <- any(measure_facts(object)$direction %in% "distance")
  best <- paste("the", if (distance) "smallest" else "largest", "score")
  each <- function(of, among) {
    paste("the mean over layers of", of, "of", best, "with a layer of", among)
  }
  what <- if (!is.null(settings$own)) paste(settings$aggregate, "of all pairs of layers") else
    switch(settings$aggregate, max = paste(best, "of all pairs of layers"),
           mean = "the mean score of all pairs of layers", row_max = each("x", "y"),
           col_max = each("y", "x"), no_branch(settings$aggregate))
  c(paste("score:", what), "null: the same after each permutation of the stimuli")
}
