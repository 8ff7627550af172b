# These functions draw what scores are made of: stimuli and neurons as ranked points, pairs of
# groups and of components as tiles.

#' @rdname contributions
#' @aliases plot.repalign_contributions
#' @param object what `contributions()` returned. `plot()` draws stimuli and neurons in the order of
#'   their effects, with the names of ten; pairs of groups and of components as tiles, coloured by
#'   `excess`, with the `share` in per cent.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_contributions <- function(object, ...) {
  no_other_arguments(...)
  rows <- drawn_rows(object, c("x", "y", "measure", "excess", "share", "effect"))
  score <- scores_of_parts(object)
  refuse_if(nrow(score) > 1, "rows", "`object` has parts of {nrow(score)} scores: take one.")
  of_pairs <- score$by %in% c("groups", "components")
  need_columns(object, if (of_pairs) c("part_x", "part_y") else "part", "drawn")
  refuse_undefined(if (of_pairs) rows$excess else rows$effect)
  of <- paste0(if (score$two) "difference" else "score", " (", number_text(score$score), ")")
  if (of_pairs) {
    groups <- score$by == "groups"
    rest <- rows$share[rows$part_x == "rest" & !groups]
    if (!groups) rows <- rows[rows$part_x != "rest", ]
    percent <- function(share) paste0(round(100 * share), "%")
    places <- function(part) factor(part, unique(if (groups) c(rows$part_x, rows$part_y) else part))
    tiles <- data.frame(row = places(rows$part_x), column = places(rows$part_y),
                        value = rows$excess, panel = factor(measure_titles(score$measure)),
                        measure = score$measure, text = percent(rows$share), pale = FALSE)
    tiles$row <- factor(tiles$row, rev(levels(tiles$row)))
    remarks <- c(paste0("numbers", if (nlevels(tiles$column) > 6) ", where they have room",
                        ": share of the ", of),
                 if (length(rest)) paste("all other components:", percent(rest)))
    return(draw_tiles(structure(tiles, side_by_side = 1, two_lists = FALSE),
                      zero_shading(tiles$value, "excess\nover\nchance"), remarks) +
             ggplot2::labs(x = if (!groups) paste("components of", score$y),
                           y = if (!groups) paste("components of", score$x)))
  }
  # The ten points with the largest effects of either sign have names, in a column beside them.
  rows <- rows[order(-rows$effect, na.last = NA), ]
  rows$rank <- seq_len(nrow(rows))
  rows$colour <- okabe_ito[ifelse(rows$effect < 0, "vermillion", "blue")]
  named <- rows[rank(-abs(rows$effect), ties.method = "first") <= 10, ]
  ggplot2::ggplot(rows, by_column(x = "rank", y = "effect")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey50", linewidth = 0.3) +
    name_column(named, rows, 1) +
    name_column(named, rows, -1) +
    ggplot2::geom_point(by_column(colour = "colour"), size = if (nrow(rows) > 60) 1.2 else 1.8) +
    ggplot2::scale_colour_identity() +
    ggplot2::labs(x = paste(sub("neurons_", "neurons of ", score$by), "in the order of effect"),
                  y = axis_words(score$measure, "effect on", 24),
                  caption = caption_of(paste0("effect: what the ", of, " loses without it"))) +
    picture_theme(lines = "y")
}

# The curve leaves room above it for names of positive effects (sign 1), and below it for others.
name_column <- function(named, rows, sign) {
  part <- named[(named$effect >= 0) == (sign > 0), ]
  if (!nrow(part)) return(NULL)
  part <- part[order(sign * part$effect), ]
  line <- 0.075 * diff(range(rows$effect, 0))
  part$to_y <- sign * Reduce(function(last, own) max(own, last + line), sign * part$effect,
                             accumulate = TRUE)
  part$to_x <- stats::median(c(1, nrow(rows), range(part$rank)[(3 + sign) / 2] + sign * 0.08 *
                                 nrow(rows)))
  part$name <- short_labels(part$part, 16)
  list(ggplot2::geom_segment(data = part, by_column(xend = "to_x", yend = "to_y"),
                             linewidth = 0.25, colour = "grey60"),
       ggplot2::geom_text(data = part, by_column(x = "to_x", y = "to_y", label = "name"),
                          hjust = if (sign > 0) -0.1 else 1.1, size = 2.5))
}
