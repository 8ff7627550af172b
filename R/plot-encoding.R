# Pictures of what encode() returned: scores of layers with their ceilings, and of neurons against
# their reliability.

#' @rdname encode
#' @param what what `plot()` draws: the score of each of the `"pairs"`, with trials also its ceiling
#'   (dashes) and the normalised score (open points), or of each of the `"neurons"` over its
#'   reliability.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_encoding <- function(object, what = c("pairs", "neurons"), ...) {
  no_other_arguments(...)
  what <- check_choice(what, c("pairs", "neurons"), "what")
  need_columns(object, c("x", "y", "measure", "score"), "drawn")
  need_rows(object)
  if (what == "neurons") encoded_neurons(object) else encoded_pairs(object)
}

encoded_pairs <- function(object) {
  rows <- as.data.frame(object)
  rows$at <- factor(full_names(rows, "x"), unique(full_names(rows, "x")))
  rows$panel <- encoding_panels(source_names(rows, source_columns(object)), full_names(rows, "y"),
                                measure_titles(rows$measure))
  refuse_if(anyDuplicated(rows[c("at", "panel")]), "rows", "`object` has two scores of ",
            dQuote(as.character(rows$at[anyDuplicated( rows[c("at", "panel")])]), FALSE),
            " that cannot be told apart: bind results with names, as in rbind(day1 = a, day2 = b).")
  refuse_undefined(rows$score)
  rows$left <- as.integer(rows$at) - 0.35
  rows$right <- as.integer(rows$at) + 0.35
  limited <- any(!is.na(rows$ceiling))
  values <- c("score", if (any(!is.na(rows$normalized))) "normalized")
  points <- do.call(rbind, lapply(values, function(name) {
    data.frame(rows[c("at", "panel")], value = factor(name, values), score = rows[[name]])
  }))
  ggplot2::ggplot(points, by_column(x = "at", y = "score")) +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.3, colour = "grey60") +
    (if (limited) {
      ggplot2::geom_segment(data = rows, linetype = "22", linewidth = 0.5, na.rm = TRUE,
                            by_column(x = "left", xend = "right", y = "ceiling", yend = "ceiling"))
    }) +
    ggplot2::geom_point(by_column(shape = "value"), size = 2.5, na.rm = TRUE,
                        colour = forest_colour, fill = "white") +
    ggplot2::scale_shape_manual(values = c(score = 19, normalized = 21), name = NULL,
                                guide = if (length(values) > 1) "legend" else "none") +
    panel_facets(rows$panel) +
    ggplot2::labs(x = NULL, y = encoding_axis(rows), caption = caption_of(
      if (limited) "dashes: noise ceilings",
      if (anyNA(rows$score)) paste(sum(is.na(rows$score)), "undefined"),
      crowded_words(levels(rows$at)))) +
    picture_theme(lines = "y") +
    names_axis("x", levels(rows$at), panels = panel_columns(rows$panel), limits = levels(rows$at))
}

# What tells panels apart: of these texts of the rows those that differ.
encoding_panels <- function(...) {
  parts <- Filter(function(part) length(unique(part)) > 1, list(...))
  title <- if (length(parts)) do.call(paste, c(parts, sep = " | ")) else rep("", length(..1))
  factor(title, unique(title))
}

encoding_axis <- function(rows) {
  measures <- unique(as.character(rows$measure))
  words <- if (all(endsWith(measures, "r2"))) "R squared" else
    if (all(endsWith(measures, "cor"))) "correlation" else "score"
  paste("held-out", words)
}

encoded_neurons <- function(object) {
  table <- as.data.frame(object, part = "neurons")
  measure <- rep(as.character(object$measure), object$neurons)
  refuse_if(all(is.na(table$reliability)), "trials", "There are no reliabilities to draw over: ",
            "`to` had no trials.", arg = "object")
  table$panel <- encoding_panels(source_names(table, source_columns(object)),
                                 full_names(table, "x"), full_names(table, "y"),
                                 measure_titles(measure))
  squared <- endsWith(measure[1], "r2")
  line <- data.frame(reliability = seq(0, 1, length.out = 101))
  line$score <- if (squared) line$reliability else sqrt(line$reliability)
  lost <- sum(is.na(table$score) | is.na(table$reliability))
  ggplot2::ggplot(table, by_column(x = "reliability", y = "score")) +
    ggplot2::geom_line(data = line, linetype = "22", linewidth = 0.5) +
    ggplot2::geom_point(na.rm = TRUE, size = 1.5, alpha = 0.6, colour = forest_colour) +
    panel_facets(table$panel) +
    score_axis(ggplot2::scale_x_continuous, whole = nlevels(table$panel) == 1) +
    ggplot2::labs(x = "reliability", y = encoding_axis(data.frame(measure = measure)),
                  caption = caption_of("a point a neuron; dashes: the noise ceiling",
                                       if (lost > 0) paste(lost, "undefined"))) +
    picture_theme(panel.spacing.x = ggplot2::unit(0.9, "lines"))
}
