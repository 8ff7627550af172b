# Pictures of a searchlight, which know nothing of where the centres are.

#' Plot a searchlight
#'
#' The scores of all centres in falling order with the family-wise threshold, the largest null
#' scores, or the scores in the order of the centres.
#'
#' @param x,object what [searchlight()] returned.
#' @param type `"ranked"`: the scores of each model from the best centre on; `"max_null"`: the
#'   largest null scores of all centres, with the threshold and the best score; `"centers"`: the
#'   scores in the order of the centres.
#' @param label how many of the best centres of each model are named in the title of its panel.
#' @param ... arguments of `autoplot()`, which `plot()` passes on; any other is an error.
#' @return `plot()` returns `x`, invisibly. `autoplot()` returns a ggplot object.
#' @details
#' Each model has a panel of its own. Centres whose `p_familywise` is at most alpha are orange-red,
#' those whose own `p_value` is at most alpha are blue, and the others grey. Dashed lines are
#' thresholds. Above 200 centres the ranks are on a logarithmic scale, so that the few best ones
#' have room. For maps take the columns of the result to the tools that know the geometry:
#' `result$score[result$model == "a"]` is in the order of `neighbours`.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   set.seed(1)
#'   model <- matrix(rnorm(30 * 3), 30)
#'   data <- matrix(rnorm(30 * 60), 30)
#'   data[, 21:30] <- data[, 21:30] + model %*% matrix(rnorm(3 * 10), 3)
#'   neighbours <- lapply(1:52, function(first) first + 0:8)
#'   result <- searchlight(data, neighbours, list(model = model),
#'                         measure("rsa", inner = "euclidean"), permutations = 299)
#'   plot(result)
#' }
#' @seealso [searchlight()]
#' @export
plot.repalign_searchlight <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign_searchlight
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_searchlight <- function(object, type = c("ranked", "max_null", "centers"),
                                          label = 3, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("ranked", "max_null", "centers"), "type")
  label <- check_count(label, "label", least = 0)
  facts <- searchlight_facts(object, "object")
  need_columns(object, c("center", "model", "score", "p_value", "p_familywise"), "drawn")
  need_rows(object)
  rows <- as.data.frame(object)
  rows$model <- factor(rows$model, unique(rows$model))
  refuse_undefined(rows$score)
  facts$threshold <- facts$threshold[levels(rows$model)]
  sign <- if (facts$settings$direction == "distance") -1 else 1
  rows$rank <- stats::ave(-sign * rows$score, rows$model, FUN = function(values) {
    rank(values, na.last = "keep", ties.method = "first")
  })
  rows$panel <- light_titles(rows, facts, label)
  if (type == "max_null") return(max_null_panels(rows, facts))
  rows$at <- if (type == "ranked") rows$rank else
    stats::ave(seq_len(nrow(rows)), rows$model, FUN = seq_along)
  center_panels(rows[!is.na(rows$score), ], facts, type)
}

light_colours <- c(`family-wise` = okabe_ito[["vermillion"]], `single centre` = okabe_ito[["blue"]],
                   neither = "grey65")

# Which p-values of a centre are small enough.
light_levels <- function(rows, alpha) {
  level <- ifelse(rows$p_familywise <= alpha, 1, ifelse(rows$p_value <= alpha, 2, 3))
  factor(names(light_colours)[ifelse(is.na(level), 3, level)], names(light_colours))
}

center_panels <- function(rows, facts, type) {
  settings <- facts$settings
  rows$level <- light_levels(rows, settings$alpha)
  known <- settings$permutations > 0
  many <- max(rows$rank) > 200
  # what is significant comes last, over the others
  rows <- rows[order(-as.integer(rows$level)), ]
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["at"]], y = .data[["score"]],
                                     colour = .data[["level"]])) +
    threshold_layer(facts, rows$panel) +
    ggplot2::geom_point(size = if (many) 0.8 else 1.6, show.legend = known) +
    ggplot2::facet_wrap(~panel) + light_axis(type, many, nlevels(rows$panel)) +
    ggplot2::scale_colour_manual(paste("p at most", format(settings$alpha)),
                                 values = light_colours, drop = !known) +
    ggplot2::guides(colour = if (known) ggplot2::guide_legend(override.aes = list(size = 2)) else
      "none") +
    ggplot2::labs(x = if (type == "ranked") "rank of the centre" else "centre", y = "score",
                  caption = light_caption(facts)) +
    light_theme()
}

light_theme <- function() {
  picture_theme(legend.position = "top", panel.grid.minor = ggplot2::element_blank(),
                panel.spacing = ggplot2::unit(1, "lines"),
                plot.margin = ggplot2::margin(4, 16, 4, 4),
                strip.text = ggplot2::element_text(hjust = 0, size = 8))
}

light_axis <- function(type, many, panels) {
  if (type == "ranked" && many) {
    return(ggplot2::scale_x_log10(breaks = 10^(0:7), labels = function(at) format_each(at, 3)))
  }
  breaks <- few_breaks(min(panels, 3))
  ggplot2::scale_x_continuous(breaks = breaks, guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# A title for the panel of each model: how many centres are significant, and which are best.
light_titles <- function(rows, facts, label) {
  # the axis and the margins take about 0.8 inches, and panels have gaps between them
  width <- floor(((page[["width"]] - 0.8) / min(nlevels(rows$model), 3) - 0.2) / character_width)
  titles <- vapply(levels(rows$model), function(model) {
    of_model <- rows[rows$model == model, ]
    best <- of_model$center[match(seq_len(label), of_model$rank)]
    best <- best[!is.na(best)]
    count <- if (facts$settings$permutations > 0) {
      paste0(": ", sum(of_model$p_familywise <= facts$settings$alpha, na.rm = TRUE), " of ",
             count_of(sum(!is.na(of_model$score)), "centre"))
    }
    best <- if (length(best)) paste0("best: ", paste(best, collapse = ", "))
    paste(wrapped_labels(c(paste0(model, count), best), width), collapse = "\n")
  }, "")
  factor(titles[as.character(rows$model)], titles)
}

# Dashed lines, one in each panel.
threshold_layer <- function(facts, panels) {
  if (facts$settings$permutations == 0) return(NULL)
  at <- data.frame(panel = factor(levels(panels), levels(panels)), threshold = facts$threshold)
  ggplot2::geom_hline(data = at, ggplot2::aes(yintercept = .data[["threshold"]]), linetype = "22",
                      linewidth = 0.5, na.rm = TRUE)
}

light_caption <- function(facts) {
  settings <- facts$settings
  if (settings$permutations == 0) return("no permutations: no thresholds")
  caption_of(paste0("dashed: family-wise threshold at level ", format(settings$alpha), " over all ",
                    "centres", if (settings$across_models) " and models", ", from ",
                    format(settings$permutations, big.mark = ","), " permutations"))
}

max_null_panels <- function(rows, facts) {
  if (facts$settings$permutations == 0) {
    abort("This searchlight has no null scores: give `permutations` to searchlight(), or take ",
          "type = \"ranked\".", class = "repalign_error_choice", arg = "type")
  }
  sign <- if (facts$settings$direction == "distance") -1 else 1
  null <- facts$max_null
  panels <- rows$panel[match(levels(rows$model), rows$model)]
  columns <- match(levels(rows$model), colnames(null), nomatch = 1)
  bars <- do.call(rbind, Map(function(column, panel) null_bars(null[, column], panel), columns,
                             panels))
  best <- vapply(split(sign * rows$score, rows$model), function(score) {
    if (all(is.na(score))) NA_real_ else sign * max(score, na.rm = TRUE)
  }, 0)
  marks <- data.frame(panel = rep(panels, 2), at = c(best, facts$threshold),
                      mark = rep(c("best centre", "threshold"), each = length(panels)))
  ggplot2::ggplot(marks) + null_layers(bars, NULL) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data[["at"]], colour = .data[["mark"]],
                                     linetype = .data[["mark"]]), na.rm = TRUE, linewidth = 0.7) +
    ggplot2::facet_wrap(~panel) +
    ggplot2::scale_colour_manual(NULL, values = unname(mark_colours)) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "22")) +
    ggplot2::labs(x = if (sign > 0) "largest score of all centres" else
      "smallest score of all centres", y = "permutations", caption = light_caption(facts)) +
    light_theme()
}
