# These functions draw what scores are made of: stimuli and neurons as ranked points, pairs of groups
# and of components as tiles.

#' @rdname contributions
#' @aliases plot.repalign_contributions
#' @param object what `contributions()` returned. `plot()` draws stimuli and neurons as points in
#'   the order of their effects, ten of them with names; and pairs of groups and of components as
#'   tiles, coloured by `excess`, with the `share` in per cent.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_contributions <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("x", "y", "measure", "excess", "share", "effect"), "drawn")
  need_rows(object)
  scores <- scores_of_parts(object)
  refuse_if(nrow(scores) > 1, "rows", "`object` has parts of {nrow(scores)} scores: take those of ",
            "one.")
  if (is.null(object$part)) contribution_tiles(object, scores) else effect_points(object, scores)
}

# The ten points with the largest effects of either sign have names, in a column beside them.
effect_points <- function(object, score) {
  rows <- as.data.frame(object)
  refuse_undefined(rows$effect)
  rows <- rows[!is.na(rows$effect), ]
  rows <- rows[order(-rows$effect), ]
  rows$rank <- seq_len(nrow(rows))
  named <- rank(-abs(rows$effect), ties.method = "first") <= 10
  rows$sign <- ifelse(rows$effect < 0, "lowers", "raises")
  names <- name_columns(rows, named)
  ggplot2::ggplot(rows, by_column(x = "rank", y = "effect")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey50", linewidth = 0.3) +
    ggplot2::geom_segment(data = names, linewidth = 0.25, colour = "grey60",
                          by_column(xend = "label_x", yend = "label_y")) +
    ggplot2::geom_point(by_column(colour = "sign"), size = if (nrow(rows) > 60) 1.2 else 1.8) +
    ggplot2::geom_text(data = names, by_column(x = "label_x", y = "label_y", label = "label",
                                               hjust = "hjust"), size = 2.5) +
    ggplot2::scale_colour_manual(values = c(raises = okabe_ito[["blue"]],
                                            lowers = okabe_ito[["vermillion"]]), guide = "none") +
    ggplot2::scale_x_continuous(breaks = few_ticks) +
    ggplot2::labs(x = paste(sub("neurons_", "neurons of ", score$by), "in the order of effect"),
                  y = axis_words(score$measure, if (score$two) "loss in the difference of" else
                    "loss in", 24),
                  caption = caption_of(paste0("effect: what ", if (score$two) "the difference" else
                    "the score", " (", number_text(score$score), ") loses without each"))) +
    picture_theme(lines = "y")
}

# Where the curve of ranked effects leaves room: names of the largest at the upper right of their
# points, those of the lowest at the lower left.
name_columns <- function(rows, named) {
  count <- nrow(rows)
  span <- diff(range(rows$effect, 0))
  step <- 0.075 * span
  column <- function(at, sign) {
    if (!length(at)) return(NULL)
    # in their order from the end, none nearer to the one before it than a line of text
    at <- if (sign > 0) at else rev(at)
    y <- rows$effect[at]
    for (k in seq_along(y)[-1]) y[k] <- sign * min(sign * y[k], sign * y[k - 1] - step)
    edge <- 0.1 * count
    data.frame(rank = rows$rank[at], effect = rows$effect[at], label_y = y,
               label_x = if (sign > 0) pmax(rows$rank[at], max(rows$rank[at])) + edge / 2 else
                 min(rows$rank[at]) - edge / 2,
               label = short_labels(rows$part[at], 16), hjust = if (sign > 0) 0 else 1)
  }
  up <- rows$effect >= 0
  rbind(column(which(named & up), 1), column(which(named & !up), -1))
}

contribution_tiles <- function(object, score) {
  rows <- as.data.frame(object)
  rest <- rows[rows$part_x == "rest", ]
  rows <- rows[rows$part_x != "rest", ]
  refuse_undefined(rows$excess)
  groups <- score$by == "groups"
  levels <- function(names) unique(if (groups) c(rows$part_x, rows$part_y) else names)
  percent <- function(share) paste0(round(100 * share), "%")
  tiles <- data.frame(row = factor(rows$part_x, rev(levels(rows$part_x))),
                      column = factor(rows$part_y, levels(rows$part_y)),
                      panel = factor(measure_titles(score$measure)), measure = score$measure,
                      value = rows$excess, text = percent(rows$share), pale = FALSE)
  tiles <- structure(tiles, side_by_side = 1, two_lists = FALSE)
  draw_tiles(tiles, zero_shading(tiles$value, "excess\nover\nchance"), c(
    paste0("in tiles: share of the ", if (score$two) "difference" else "score", " (",
           number_text(score$score), ")"),
    if (nrow(rest)) paste("all other components:", percent(rest$share))
  )) + ggplot2::labs(x = if (!groups) paste("components of", score$y),
                     y = if (!groups) paste("components of", score$x))
}
