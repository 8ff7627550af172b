# Pictures of tests of maps: courses over time, and places in the order of their statistics.

#' @rdname test_maps
#' @aliases plot.repalign_map_test
#' @param type what `plot()` draws. `"course"`: the mean scores along an axis, with a band of single
#'   intervals, and bars at significant places. `"ranked"`: all statistics from the largest one, and
#'   the threshold. `"max_null"`: the largest statistics of the flips, and that of the data.
#' @param at a number for each place, where it stands along the axis; `NULL`: the times in their
#'   names, such as "Cz, 120 ms", else their order.
#' @param xlab,ylab titles of the axes.
#' @param ... no other arguments.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_map_test <- function(object, type = c("course", "ranked", "max_null"), at = NULL,
                                       xlab = NULL, ylab = NULL, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("course", "ranked", "max_null"), "type")
  check_axis_title(xlab, "xlab")
  check_axis_title(ylab, "ylab")
  facts <- map_facts(object, "object")
  need_columns(object, c("center", "model", "score", "std_error", "statistic", "p_value",
                         "p_familywise"), "drawn")
  need_rows(object)
  rows <- as.data.frame(object)
  rows$model <- factor(rows$model, unique(rows$model))
  settings <- facts$settings
  p <- if (settings$correction == "cluster_mass") rows$p_cluster else rows$p_familywise
  rows$significant <- (!is.na(p) & p <= settings$alpha)
  refuse_undefined(rows$statistic)
  if (type == "max_null") return(map_null_picture(rows, facts, xlab, ylab))
  if (type == "ranked") return(ranked_map_picture(rows, facts, xlab, ylab))
  axis <- if (is.null(at)) axis_of_names(rows$center)
  if (!is.null(axis)) {
    at <- axis$at
    if (is.null(xlab)) xlab <- paste0(axis$word, " (", axis$unit, ")")
  }
  course_picture(rows, facts, course_axis(rows, at), xlab, ylab)
}

check_axis_title <- function(title, arg) {
  if (is.null(title) || is.character(title) && length(title) == 1 && !is.na(title)) {
    return(invisible())
  }
  refuse("value", "`{arg}` must be one text, or NULL.")
}

# A number for each row.
course_axis <- function(rows, at) {
  places <- unique(rows$center)
  if (is.null(at)) at <- seq_along(places)
  usable <- is.numeric(at) && is.null(dim(at)) && all(is.finite(at)) && !anyDuplicated(at)
  refuse_if(!usable || length(at) != length(places), "value", "`at` must be a different number ",
            "for each of the {count_of(length(places), 'place')} of the rows",
            if (is.numeric(at) && length(at) != length(places)) {
              paste(", not", length(at))
            }, ".")
  at[match(rows$center, places)]
}

# ---- course

course_picture <- function(rows, facts, at, xlab, ylab) {
  settings <- facts$settings
  rows$at <- at
  rows <- rows[order(rows$model, rows$at), ]
  half <- stats::qt(1 - settings$alpha / 2, settings$subjects - 1) * rows$std_error
  rows$low <- rows$score - half
  rows$high <- rows$score + half
  # a place that was left out interrupts the lines
  rows$piece <- interaction(rows$model, cumsum(is.na(rows$score)))
  baseline <- if (settings$compared) 0 else settings$baseline
  single <- nlevels(rows$model) == 1
  colours <- category_colours(levels(rows$model))
  bars <- course_bars(rows, c(baseline, rows$low, rows$high))
  if (is.null(ylab)) {
    name <- if (is.null(settings$measure)) "score" else measure_words(settings$measure)
    ylab <- paste(if (settings$compared) "mean difference of" else "mean", name)
  }
  ggplot2::ggplot(rows[!is.na(rows$score), ],
                  ggplot2::aes(x = .data[["at"]], y = .data[["score"]],
                               colour = .data[["model"]], fill = .data[["model"]])) +
    ggplot2::geom_hline(yintercept = baseline, linewidth = 0.4, colour = "grey40") +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]],
                                      group = .data[["piece"]]), alpha = 0.22, colour = NA) +
    ggplot2::geom_line(ggplot2::aes(group = .data[["piece"]]), linewidth = 0.8) +
    (if (nrow(bars)) {
      ggplot2::geom_segment(data = bars, ggplot2::aes(x = .data[["from"]], xend = .data[["to"]],
                                                      y = .data[["y"]], yend = .data[["y"]],
                                                      colour = .data[["model"]]),
                            linewidth = 1.8, inherit.aes = FALSE, show.legend = FALSE)
    }) +
    ggplot2::scale_colour_manual(NULL, values = colours, drop = FALSE) +
    ggplot2::scale_fill_manual(NULL, values = colours, drop = FALSE) +
    ggplot2::guides(colour = if (single) "none" else ggplot2::guide_legend(),
                    fill = if (single) "none" else ggplot2::guide_legend()) +
    ggplot2::scale_x_continuous(guide = ggplot2::guide_axis(check.overlap = TRUE),
                                expand = ggplot2::expansion(mult = 0.02)) +
    ggplot2::labs(x = if (is.null(xlab)) "place" else xlab, y = ylab,
                  caption = course_caption(settings, nrow(bars) > 0)) +
    light_theme()
}

# Bars below the curves, from half way to the place before a run of significant ones to half way to
# the one after it; a row of bars for each model.
course_bars <- function(rows, extent) {
  extent <- range(extent, na.rm = TRUE)
  step <- 0.045 * diff(extent)
  bars <- lapply(seq_len(nlevels(rows$model)), function(k) {
    own <- rows[as.integer(rows$model) == k, ]
    runs <- rle(own$significant)
    last <- cumsum(runs$lengths)[runs$values]
    first <- last - runs$lengths[runs$values] + 1
    edges <- if (nrow(own) > 1) {
      half <- diff(own$at) / 2
      c(own$at[1] - half[1], own$at[-1] - half, own$at[nrow(own)] + half[length(half)])
    } else own$at + c(-0.5, 0.5)
    data.frame(model = rep(levels(rows$model)[k], length(first)), from = edges[first],
               to = edges[last + 1], y = rep(extent[1] - step * (0.6 + k), length(first)))
  })
  bars <- do.call(rbind, bars)
  bars$model <- factor(bars$model, levels(rows$model))
  bars
}

course_caption <- function(settings, bars) {
  level <- format(settings$alpha)
  by <- switch(settings$correction, max = "the largest statistic", cluster_mass = "cluster mass",
               tfce = "TFCE", no_branch(settings$correction))
  caption_of(paste0("band: ", format(100 * (1 - settings$alpha)), "% interval of each place alone ",
                    "(", settings$subjects, " subjects)"),
             paste0(if (bars) "bars: p at most " else "no p-value is at most ", level, " by ", by,
                    ", ", flips_words(settings)),
             if (bars && settings$correction == "cluster_mass") {
               "a cluster does not say from when to when"
             })
}

# ---- all places

ranked_map_picture <- function(rows, facts, xlab, ylab) {
  settings <- facts$settings
  size <- map_size(rows[names(rows) != "tfce"], settings)
  rows$rank <- stats::ave(-size, rows$model, FUN = function(values) {
    rank(values, na.last = "keep", ties.method = "first")
  })
  rows <- rows[!is.na(rows$rank), ]
  level <- ifelse(rows$significant, 1, ifelse(rows$p_value <= settings$alpha, 2, 3))
  names <- c(if (settings$correction == "cluster_mass") "its cluster" else "family-wise",
             "single place", "neither")
  rows$level <- factor(names[level], names)
  rows$at <- rows$rank
  rows$panel <- rows$model
  rows$score <- rows$statistic
  threshold <- if (settings$correction == "max") {
    at <- facts$threshold[levels(rows$model)]
    both <- settings$alternative == "two_sided"
    data.frame(panel = factor(names(at), levels(rows$model)), threshold = c(at, if (both) -at))
  }
  ranked_points(rows, threshold, settings$alpha) +
    ggplot2::labs(x = if (is.null(xlab)) "rank of the place" else xlab,
                  y = if (is.null(ylab)) "statistic" else ylab,
                  caption = caption_of(if (!is.null(threshold)) {
                    "dashed: family-wise threshold over all places"
                  }, flips_words(settings))) +
    light_theme()
}

map_null_picture <- function(rows, facts, xlab, ylab) {
  settings <- facts$settings
  models <- levels(rows$model)
  panels <- factor(models, models)
  bars <- do.call(rbind, Map(function(model, panel) null_bars(facts$max_null[, model], panel),
                             models, panels))
  best <- vapply(models, function(model) {
    observed_largest(rows[rows$model == model, ], model, facts)
  }, 0)
  marks <- data.frame(panel = rep(panels, 2), at = c(best, facts$threshold[models]),
                      mark = rep(c("observed", "threshold"), each = length(models)))
  what <- switch(settings$correction, max = "largest statistic",
                 cluster_mass = "largest cluster mass", tfce = "largest TFCE",
                 no_branch(settings$correction))
  null_picture(marks, bars) +
    panel_facets(panels) +
    ggplot2::labs(x = if (is.null(xlab)) paste(what, "of all places") else xlab,
                  y = if (is.null(ylab)) "sign flips" else ylab,
                  caption = flips_words(settings)) +
    light_theme()
}

# The largest corrected statistic of the data, signed as those of the flips are.
observed_largest <- function(rows, model, facts) {
  settings <- facts$settings
  values <- switch(settings$correction, max = rows$statistic, tfce = rows$tfce, cluster_mass = {
    clusters <- facts$clusters
    c(0, if (is.null(clusters$model)) clusters$mass else clusters$mass[clusters$model == model])
  }, no_branch(settings$correction))
  sign <- map_sign(settings)
  if (settings$alternative == "two_sided") max(abs(values), na.rm = TRUE) else
    sign * max(sign * values, na.rm = TRUE)
}
