# These functions draw calibrations, and their null scores.

calibration_types <- c("auto", "null", "tiles", "p_value", "heatmap", "map")

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_calibration <- function(object, type = c("auto", "null", "tiles", "p_value",
                                                           "heatmap", "map"),
                                          measure = NULL, most = 12, ...) {
  no_other_arguments(...)
  type <- check_choice(type, calibration_types, "type")
  check_count(most, "most")
  need_columns(object, c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "engine"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  if (type == "auto") type <- if (nrow(object) <= most) "null" else "tiles"
  switch(type, null = null_panels(object), tiles = calibrated_tiles(object),
         p_value = {
           # the grid of p-values, with a panel for each measure
           tiles <- tile_table(object, p_to_judge(object))
           tiles$text <- p_text(tiles$value)
           tiles <- marked_tiles(tiles, object)
           title <- if (is.null(object$p_adjusted)) "p-value" else "adjusted\np-value"
           # a sentence about the smallest p-value that is possible with the number of permutations
           permutations <- object$permutations
           remark <- if (is.null(permutations) || all(is.na(permutations)) ||
                         !is.null(object$p_adjusted)) {
             NULL
           } else {
             most <- max(permutations, na.rm = TRUE)
             paste("no p-value is below", format(1 / (most + 1), digits = 2), "with",
                   count_of(most, "permutation"))
           }
           draw_tiles(tiles, p_shading(tiles$value, alpha_of(object), title),
                      c(significance_caption(object), remark))
         }, heatmap = heatmap_picture(object), map = map_picture(object),
         no_branch(type))
}

# The grid of calibrated scores, with a panel for each measure.
calibrated_tiles <- function(object) {
  tiles <- tile_table(object, object$calibrated)
  tiles <- marked_tiles(tiles, object)
  shading <- calibrated_shading(tiles, attr(object, "settings")$variant, unlimited_measures(object))
  draw_tiles(tiles, shading, c(significance_caption(object), excess_words(object)))
}

p_text <- function(p) {
  text <- ifelse(p < 0.001, "<.001", ifelse(p < 0.0995, sprintf("%.3f", p), sprintf("%.2f", p)))
  text[is.na(p)] <- "NA"
  text
}

# ---- null

# These functions draw a panel for each row of a calibration: its null with the observed score and
# the threshold.

# More panels than this would have no room on a page for bars below their titles.
most_panels <- 20

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
  columns <- min(ceiling(sqrt(nrow(object))), 4)
  panel <- factor(seq_len(nrow(object)), labels = panel_titles(object, columns))
  bars <- do.call(rbind, Map(null_bars, Filter(is.numeric, null),
                             panel[vapply(null, is.numeric, NA)]))
  laws <- do.call(rbind,
                  Map(function(law, panel) data.frame(panel, at = law$at, density = law$density),
                      null[is_law(null)], panel[is_law(null)]))
  at <- cbind(score = object$score, threshold = object$threshold)
  marks <- data.frame(panel = rep(panel, ncol(at)), at = as.vector(at),
                      mark = factor(rep(colnames(at), each = nrow(at)), names(mark_colours)))
  if (is.null(bars) && is.null(laws)) refuse_undefined(marks$at)
  small <- nrow(object) > 12
  parts <- c(if (!is.null(bars)) "null scores", if (!is.null(laws)) "density of the fitted law")
  title <- if (length(parts)) paste(parts, collapse = " or ")
  null_picture(marks, bars, laws) +
    ggplot2::facet_wrap(~panel, scales = "free", drop = FALSE, ncol = columns) +
    score_axis(ggplot2::scale_x_continuous, whole = FALSE) +
    ggplot2::scale_y_continuous(n.breaks = 3) +
    ggplot2::labs(x = "score", y = title,
                  caption = null_caption(object, null)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(), legend.position = "top",
                  legend.key.size = ggplot2::unit(1, "lines"),
                  legend.box.spacing = ggplot2::unit(2, "pt"),
                  plot.margin = ggplot2::margin(2, 14, 4, 4),
                  panel.spacing = ggplot2::unit(if (small) 0.25 else 0.7, "lines"),
                  strip.text = ggplot2::element_text(size = if (small) 6.5 else 8, lineheight = 1,
                                                     margin = ggplot2::margin(4, 2, 3, 2)),
                  strip.clip = "off",
                  axis.text.x = ggplot2::element_text(size = if (small) 6 else 8),
                  axis.text.y = if (small) ggplot2::element_blank())
}

refuse_undefined <- function(values) {
  if (!all(is.na(values))) return(invisible())
  refuse("size", "There is nothing to draw: all scores are undefined (NA).", arg = "object")
}

is_law <- function(null) vapply(null, is.list, NA)

# Histograms and curves of null scores, with two marks in each panel: what was observed, and the
# threshold.
null_picture <- function(marks, bars, laws = NULL) {
  ggplot2::ggplot(marks) +
    (if (!is.null(bars)) {
      ggplot2::geom_rect(data = bars, fill = "grey70",
                         ggplot2::aes(xmin = .data[["from"]], xmax = .data[["to"]], ymin = 0,
                                      ymax = .data[["count"]]))
    }) +
    (if (!is.null(laws)) {
      ggplot2::geom_area(data = laws, fill = "grey85", colour = "grey30", linewidth = 0.4,
                         ggplot2::aes(x = .data[["at"]], y = .data[["density"]]))
    }) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data[["at"]], colour = .data[["mark"]],
                                     linetype = .data[["mark"]]), na.rm = TRUE, linewidth = 0.7) +
    ggplot2::scale_colour_manual(NULL, values = unname(mark_colours)) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "22"))
}

# Titles of panels, which name the comparison and its p-value.
panel_titles <- function(object, columns) {
  rows <- as.data.frame(object)
  width <- title_width(columns, 0.7)
  sides <- lapply(side_names(rows, FALSE), as.character)
  # the row of an aggregate that selects no pair of layers is named by its models, if it has any
  if (is.null(rows$model_x)) sides <- lapply(sides, replace, is.na(rows$x) & is.na(rows$y), NA)
  # the source of each row, or NA where there is only one, which no title need name
  source <- row_sources(object)
  sources <- if (nlevels(source) > 1) as.character(source) else rep(NA_character_, nrow(object))
  parts <- cbind(sources, sides$x, sides$y)
  titles <- vapply(seq_len(nrow(rows)), function(i) {
    # a title takes two lines when they are wide enough, otherwise more
    parts <- parts[i, ]
    measure <- as.character(rows$measure[i])
    rows <- rows[i, ]
    p <- p_to_judge(rows)
    prefix <- if (is.null(rows$p_adjusted)) "p =" else "adjusted p ="
    constant <- ifelse(!is.na(rows$null_sd) & rows$null_sd == 0, ", constant null", "")
    p <- ifelse(is.na(p), "undefined", paste0(prefix, " ", signif(p, 2), constant))
    parts <- parts[!is.na(parts)]
    line <- paste(c(parts, measure), collapse = " | ")
    if (nchar(line) <= width) return(paste0(line, "\n", p))
    pair <- paste(parts, collapse = " | ")
    last <- paste0(measure, ", ", p)
    paste(c(if (nchar(pair) <= width) pair else parts,
            if (nchar(last) <= width) last else c(measure, p)), collapse = "\n")
  }, "")
  # facets with equal titles would be merged into one panel
  make.unique(wrapped_labels(titles, width), " ")
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

null_caption <- function(object, null) {
  laws <- sum(is_law(null))
  caption_of(
    aggregate_words(object),
    if (laws > 0) paste0("curves: the Pearson type III law with the null's moments",
                         if (laws < length(null)) paste0(" (", laws, " of ", length(null), ")")),
    if (!is.null(object$p_adjusted)) "thresholds are those of single comparisons, not adjusted"
  )
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
