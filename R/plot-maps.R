# Pictures of searchlights and of tests of maps: courses over time, slices of volumes, and places in
# the order of their statistics.

#' @include plot.R
NULL

# ---- tests of maps

#' @rdname test_maps
#' @aliases plot.repalign_map_test
#' @param type what `plot()` draws. `"course"`: mean scores along an axis, with single intervals and
#'   bars at significant places; `"slices"` of volumes: the statistic, in full colour where
#'   significant; `"ranked"`: all statistics; `"max_null"`: the largest of each flip; `"auto"`:
#'   slices of voxels, a course where places have an order or are up to 30, else `"ranked"`.
#' @param at where places are: a number for each, or a matrix with two or three columns, such as the
#'   `"coordinates"` of [read_volumes()]; `NULL`: by their names, such as "Cz, 120 ms", "0 to 50" or
#'   "12 30 7".
#' @param xlab,ylab titles of the axes.
#' @param ... no other arguments.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_map_test <- function(object, type = c("auto", "course", "slices", "ranked",
                                                        "max_null"),
                                       at = NULL, xlab = NULL, ylab = NULL, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("auto", "course", "slices", "ranked", "max_null"), "type")
  for (arg in c("xlab", "ylab")) {
    title <- get(arg)
    refuse_if(!is.null(title) && !(is.character(title) && length(title) == 1 && !is.na(title)),
              "value", "`{arg}` must be one text, or NULL.")
  }
  facts <- map_facts(object, "object")
  rows <- drawn_rows(object, c("center", "model", "score", "std_error", "statistic", "p_value",
                               "p_familywise"))
  rows$model <- factor(rows$model, unique(rows$model))
  p <- if (facts$settings$correction == "cluster_mass") rows$p_cluster else rows$p_familywise
  rows$significant <- !is.na(p) & p <= facts$settings$alpha
  refuse_undefined(rows$statistic)
  if (type %in% c("auto", "course", "slices")) {
    where <- map_places(unique(rows$center), at, facts$settings)
    volume <- !is.null(where$voxels)
    refuse_if(type == "slices" && !volume, "choice", "type = \"slices\" needs to know where ",
              "places are: give `at`, a matrix with two or three columns.", arg = "type")
    refuse_if(type == "course" && volume, "choice", "type = \"course\" needs one number for ",
              "each place: take type = \"slices\" of voxels, or give `at`.", arg = "type")
    row <- match(rows$center, unique(rows$center))
    rows <- cbind(rows, if (volume) where$voxels[row, ] else where$places[row, ])
    if (!volume) rows$row <- factor(rows$of, rev(levels(rows$of)))
    type <- if (volume) "slices" else
      if (type == "auto" && !where$joined && max(row) > 30) "ranked" else
        if (nlevels(rows$of) > 6) "tiles" else "course"
  }
  picture <- switch(
    type, max_null = map_null_picture(rows, facts), ranked = ranked_map_picture(rows, facts),
    slices = slices_picture(rows, facts, where), course = course_picture(rows, facts, where),
    # many places with times: a row of tiles for each, and a panel for each model
    tiles = statistic_tiles(rows, facts, smallest_step(rows$at), 1,
                            crowded_words(levels(rows$of))) +
      panel_facets(rows$model, by = "model") +
      names_axis("y", levels(rows$row)) +
      ggplot2::scale_x_continuous(guide = ggplot2::guide_axis(check.overlap = TRUE),
                                  expand = ggplot2::expansion(0)) +
      ggplot2::labs(x = where$title, y = NULL),
    no_branch(type)
  )
  picture + ggplot2::labs(x = if (is.null(xlab)) picture$labels$x else xlab,
                          y = if (is.null(ylab)) picture$labels$y else ylab)
}

# Where places are: list(voxels, unit), a row of x, y and z for each, or list(places, joined,
# title) with `at`, a number, and the factor `of`, what is measured at these times. joined: does a
# line lead from one to the next?
map_places <- function(places, at, settings) {
  names <- if (length(dim(at)) == 2) rownames(at)
  if (length(names) && all(places %in% names)) at <- at[match(places, names), , drop = FALSE]
  voxels <- is.null(at) && all(grepl("^[0-9]+ [0-9]+ [0-9]+$", places))
  if (voxels) at <- t(matrix(as.double(unlist(strsplit(places, " "))), 3))
  if (length(dim(at)) == 2) {
    at <- as.matrix(at)
    # whole numbers are indices of voxels
    unit <- if (!voxels && !is.integer(at)) "mm"
    refuse_if(!is.numeric(at) || nrow(at) != length(places) || !ncol(at) %in% 2:3 ||
                !all(is.finite(at)) || anyDuplicated(at), "value", "`at` as a matrix must have a ",
              "different row of two or three numbers for each of the ",
              "{count_of(length(places), 'place')} of the rows.")
    at <- data.frame(x = at[, 1], y = at[, 2], z = if (ncol(at) == 3) at[, 3] else 0)
    return(list(voxels = at, unit = unit))
  }
  if (!is.null(at)) {
    usable <- is.numeric(at) && is.null(dim(at)) && all(is.finite(at)) && !anyDuplicated(at)
    refuse_if(!usable || length(at) != length(places), "value", "`at` must be a different number ",
              "for each of the {count_of(length(places), 'place')} of the rows",
              if (is.numeric(at) && length(at) != length(places)) {
                paste(", not", length(at))
              }, ".")
    return(list(places = data.frame(at, of = factor("")), joined = TRUE, title = "place"))
  }
  axis <- axes_of_names(places)
  if (is.null(axis)) {
    return(list(places = data.frame(at = seq_along(places), of = factor("")), title = "place",
                joined = isTRUE(settings$chain),
                names = if (is.character(places) && length(places) <= 30) places))
  }
  of <- sub("[, ]+$", "", axis$of)
  list(places = data.frame(at = axis$at, of = factor(of, unique(of))), joined = TRUE,
       title = paste0(axis$word, if (nzchar(axis$unit)) paste0(" (", axis$unit, ")")))
}

# ---- course

# A panel for each place with times, where there are several. Places without an order are points.
course_picture <- function(rows, facts, where) {
  settings <- facts$settings
  rows <- rows[order(rows$of, rows$model, rows$at), ]
  half <- stats::qt(1 - settings$alpha / 2, settings$subjects - 1) * rows$std_error
  rows$low <- rows$score - half
  rows$high <- rows$score + half
  # a place that was left out interrupts the lines
  rows$piece <- interaction(rows$of, rows$model, cumsum(is.na(rows$score)))
  baseline <- if (settings$compared) 0 else settings$baseline
  models <- levels(rows$model)
  bars <- course_bars(rows, c(baseline, rows$low, rows$high))
  level <- paste(format(settings$alpha), "by",
                 switch(settings$correction, max = "the largest statistic",
                        cluster_mass = "cluster mass", tfce = "TFCE",
                        no_branch(settings$correction)))
  before <- if (settings$compared) "mean difference of" else "mean"
  title <- if (is.null(settings$measure)) paste(before, "score") else
    axis_words(settings$measure, before, most = 18)
  beside <- ggplot2::position_dodge(if (length(models) > 1) 0.4 else 0)
  shape <- if (where$joined) {
    list(ggplot2::geom_ribbon(by_column(ymin = "low", ymax = "high", group = "piece"), alpha = 0.22,
                              colour = NA),
         ggplot2::geom_line(by_column(group = "piece"), linewidth = 0.8))
  } else {
    ggplot2::geom_pointrange(by_column(ymin = "low", ymax = "high"), size = 0.3, position = beside)
  }
  ggplot2::ggplot(rows[!is.na(rows$score), ],
                  by_column(x = "at", y = "score", colour = "model", fill = "model")) +
    ggplot2::geom_hline(yintercept = baseline, linewidth = 0.4, colour = "grey40") +
    shape +
    (if (nrow(bars)) {
      ggplot2::geom_segment(data = bars, by_column(x = "from", xend = "to", y = "y", yend = "y",
                                                   colour = "model"),
                            linewidth = 1.8, inherit.aes = FALSE, show.legend = FALSE)
    }) +
    light_theme() +
    panel_facets(rows$of, by = "of") +
    lapply(list(ggplot2::scale_colour_manual, ggplot2::scale_fill_manual), function(scale) {
      scale(NULL, values = category_colours(models), drop = FALSE, labels = key_names,
            guide = if (length(models) > 1) names_legend(models) else "none")
    }) +
    (if (is.null(where$names)) {
      ggplot2::scale_x_continuous(guide = ggplot2::guide_axis(check.overlap = TRUE),
                                  expand = ggplot2::expansion(mult = 0.02))
    } else names_axis("x", where$names, seq_along(where$names),
                      expand = ggplot2::expansion(add = 0.5))) +
    ggplot2::labs(x = where$title, y = title, caption = caption_of(
        paste0(if (where$joined) "band: " else "lines: ", format(100 * (1 - settings$alpha)),
               "% interval of each place alone (", settings$subjects, " subjects)"),
        paste0(if (nrow(bars)) "bars: p at most " else "no p-value is at most ", level, ", ",
               flips_words(settings)),
        if (nrow(bars) && settings$correction == "cluster_mass") {
          "a cluster does not say from when to when"
        }
      ))
}

# Bars below the curves, from half way to the place before a run of significant ones of one sign to
# half way to the one after it, with a gap to a run of the other sign; a row of bars for each model
# in its panel.
course_bars <- function(rows, extent) {
  extent <- range(extent, na.rm = TRUE)
  step <- 0.045 * diff(extent)
  bars <- lapply(split(rows, list(rows$model, rows$of)), function(own) {
    model <- own$model[1]
    runs <- rle(ifelse(own$significant, sign(own$statistic), 0))
    last <- cumsum(runs$lengths)[runs$values != 0]
    first <- last - runs$lengths[runs$values != 0] + 1
    edges <- if (nrow(own) > 1) {
      half <- diff(own$at) / 2
      c(own$at[1] - half[1], own$at[-1] - half, own$at[nrow(own)] + half[length(half)])
    } else own$at + c(-0.5, 0.5)
    gap <- pmin(0.006 * diff(range(edges)), (edges[last + 1] - edges[first]) / 4)
    data.frame(model = rep(model, length(first)), of = rep(own$of[1], length(first)),
               from = edges[first] + gap * (first %in% (last + 1)),
               to = edges[last + 1] - gap * ((last + 1) %in% first),
               y = rep(extent[1] - step * (0.6 + as.integer(model)), length(first)))
  })
  do.call(rbind, bars)
}

# ---- tiles

# Tiles of statistics, paler where they are not significant; `width` and `height` of a tile. Voxels
# that have no value have no tile.
statistic_tiles <- function(rows, facts, width, height, remarks = NULL) {
  settings <- facts$settings
  title <- if (settings$statistic == "t") paste0("t(", settings$subjects - 1, ")") else
    "mean /\nsize of\nall scores"
  values <- rows$statistic
  shading <- if (any(values < 0, na.rm = TRUE)) zero_shading(values, title) else
    real_shading(values, 0, FALSE, title)
  ggplot2::ggplot(rows[!is.na(values), ],
                  by_column(x = "at", y = "row", fill = "statistic", alpha = "significant")) +
    ggplot2::geom_tile(width = width, height = height) +
    shading$scale +
    ggplot2::scale_alpha_manual(values = c(`FALSE` = 0.4, `TRUE` = 1), guide = "none") +
    ggplot2::labs(caption = caption_of(
      paste0(if (any(rows$significant)) "full colour: p at most " else "no p-value is at most ",
             format(settings$alpha), ", ", flips_words(settings)), remarks)) +
    light_theme() +
    ggplot2::theme(legend.position = "right", panel.grid = ggplot2::element_blank(),
                   panel.spacing = ggplot2::unit(0.4, "lines"), strip.clip = "off")
}

smallest_step <- function(values) {
  values <- sort(unique(values))
  if (length(values) > 1) min(diff(values)) else 1
}

# The slices with the largest statistics, of several models in rows. The caption names the places
# of the peaks: no statistic is larger up to three steps from them.
slices_picture <- function(rows, facts, where) {
  size <- map_size(rows[names(rows) != "tfce"], facts$settings)
  unit <- if (!is.null(where$unit)) paste0(" ", where$unit)
  largest <- tapply(size, rows$z, max, na.rm = TRUE)
  most <- if (nlevels(rows$model) > 1) 3 else 6
  depths <- sort(as.double(names(largest)[rank(-largest, ties.method = "first") <= most]))
  peaks <- do.call(rbind, lapply(split(cbind(rows, size), rows$model), function(own) {
    own <- own[!is.na(own$size), ]
    near <- near_places(as.matrix(own[c("x", "y", "z")]),
                        3 * min(smallest_step(rows$x), smallest_step(rows$y)), "at")
    own <- own[own$size >= vapply(near, function(at) max(own$size[at]), 0), ]
    if (any(own$significant)) own <- own[own$significant, ]
    utils::head(own[order(-own$size), ], 3)
  }))
  flat <- length(unique(rows$z)) == 1
  places <- apply(peaks[c("x", "y", if (!flat) "z")], 1, function(at) {
    paste(format_each(at), collapse = ", ")
  })
  told <- paste0(if (nlevels(rows$model) > 1) paste0(peaks$model, " "),
                 format_each(peaks$statistic), " at ", places, unit)
  rows[c("at", "row")] <- rows[c("x", "y")]
  rows$depth <- factor(rows$z, depths, paste("z =", format_each(depths)))
  count <- length(largest)
  statistic_tiles(rows[!is.na(rows$depth), ], facts, smallest_step(rows$x), smallest_step(rows$y),
                  c(paste0(if (nrow(peaks) > 1) "peaks: " else "peak: ", told[1]), told[-1],
                    if (count > length(depths)) paste(length(depths), "of", count, "slices"))) +
    (if (nlevels(rows$model) > 1) {
      ggplot2::facet_grid(model ~ depth, labeller = wrapped_titles(3, 1.3, 3.5))
    } else if (!flat) ggplot2::facet_wrap("depth")) +
    ggplot2::coord_fixed(expand = FALSE) +
    ggplot2::scale_x_continuous(n.breaks = 3, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_continuous(n.breaks = 3, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = paste0("x", if (!is.null(unit)) paste0(" (", where$unit, ")")),
                  y = paste0("y", if (!is.null(unit)) paste0(" (", where$unit, ")")))
}

# ---- all places

ranked_map_picture <- function(rows, facts) {
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
  rows[c("at", "panel", "score")] <- rows[c("rank", "model", "statistic")]
  threshold <- if (settings$correction == "max") {
    at <- facts$threshold[levels(rows$model)]
    both <- settings$alternative == "two_sided"
    data.frame(panel = factor(names(at), levels(rows$model)), threshold = c(at, if (both) -at))
  }
  ranked_points(rows, threshold, settings$alpha) +
    ggplot2::labs(x = "rank of the place", y = "statistic",
                  caption = caption_of(if (!is.null(threshold)) {
                    "dashed: family-wise threshold over all places"
                  }, flips_words(settings))) +
    light_theme()
}

map_null_picture <- function(rows, facts) {
  settings <- facts$settings
  models <- levels(rows$model)
  # the largest corrected statistics of the data, signed as those of the flips are
  best <- vapply(models, function(model) {
    own <- rows[rows$model == model, ]
    clusters <- facts$clusters
    if (!is.null(clusters$model)) clusters <- clusters[clusters$model == model, ]
    values <- switch(settings$correction, max = own$statistic, tfce = own$tfce,
                     cluster_mass = c(0, clusters$mass), no_branch(settings$correction))
    sign <- map_sign(settings)
    if (settings$alternative == "two_sided") max(abs(values), na.rm = TRUE) else
      sign * max(sign * values, na.rm = TRUE)
  }, 0)
  what <- c(max = "statistic", cluster_mass = "cluster mass", tfce = "TFCE")[[settings$correction]]
  largest_null_picture(facts$max_null[, models, drop = FALSE], facts$threshold[models], best,
                       factor(models, models), "observed") +
    ggplot2::labs(x = paste("largest", what, "of all places"), y = "sign flips",
                  caption = caption_of(flips_words(settings)))
}

# ---- searchlight

#' @rdname searchlight
#' @aliases plot.repalign_searchlight
#' @param type what `plot()` draws. `"ranked"`: scores from the best centre on; `"max_null"`: the
#'   largest null scores, the threshold and the best score; `"centers"`: scores in the order of
#'   centres. Orange-red: `p_familywise` is at most alpha; blue: `p_value` is.
#' @param label how many of the best centres are named.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_searchlight <- function(object, type = c("ranked", "max_null", "centers"),
                                          label = 3, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("ranked", "max_null", "centers"), "type")
  label <- check_count(label, "label", least = 0)
  facts <- searchlight_facts(object, "object")
  rows <- drawn_rows(object, c("center", "model", "score", "p_value", "p_familywise"))
  rows$model <- factor(rows$model, unique(rows$model))
  refuse_undefined(rows$score)
  models <- levels(rows$model)
  facts$threshold <- facts$threshold[models]
  sign <- if (facts$settings$direction == "distance") -1 else 1
  rows$rank <- stats::ave(-sign * rows$score, rows$model, FUN = function(values) {
    rank(values, na.last = "keep", ties.method = "first")
  })
  known <- facts$settings$permutations > 0
  # a title for the panel of each model: how many centres are significant, and which are best
  titles <- vapply(models, function(model) {
    of_model <- rows[rows$model == model, ]
    best <- of_model$center[match(seq_len(label), of_model$rank)]
    best <- best[!is.na(best)]
    count <- if (known) {
      paste0(": ", sum(of_model$p_familywise <= facts$settings$alpha, na.rm = TRUE), " of ",
             count_of(sum(!is.na(of_model$score)), "centre"))
    }
    best <- if (length(best)) paste0("best: ", paste(best, collapse = ", "))
    paste(c(paste0(model, count), best), collapse = "\n")
  }, "")
  rows$panel <- factor(titles[as.character(rows$model)], titles)
  if (type == "max_null") {
    refuse_if(!known, "choice", "This searchlight has no null scores: give `permutations` to ",
              "searchlight(), or take type = \"ranked\".", arg = "type")
    best <- vapply(split(sign * rows$score, rows$model), function(score) {
      if (all(is.na(score))) NA_real_ else sign * max(score, na.rm = TRUE)
    }, 0)
    columns <- match(models, colnames(facts$max_null), nomatch = 1)
    return(largest_null_picture(facts$max_null[, columns, drop = FALSE], facts$threshold, best,
                                rows$panel[match(models, rows$model)], "best centre") +
             ggplot2::labs(x = paste(if (sign > 0) "largest" else "smallest",
                                     "score of all centres"),
                           y = "permutations", caption = light_caption(facts)))
  }
  rows$at <- if (type == "ranked") rows$rank else
    stats::ave(seq_len(nrow(rows)), rows$model, FUN = seq_along)
  # which p-values of a centre are small enough
  level <- ifelse(rows$p_familywise <= facts$settings$alpha, 1,
                  ifelse(rows$p_value <= facts$settings$alpha, 2, 3))
  rows$level <- factor(names(light_colours)[ifelse(is.na(level), 3, level)], names(light_colours))
  threshold <- if (known) {
    data.frame(panel = factor(levels(rows$panel), levels(rows$panel)), threshold = facts$threshold)
  }
  ranked_points(rows[!is.na(rows$score), ], threshold, facts$settings$alpha, type == "ranked",
                known) +
    ggplot2::labs(x = if (type == "ranked") "rank of the centre" else "centre", y = "score",
                  caption = light_caption(facts)) +
    light_theme()
}

light_colours <- c(`family-wise` = okabe_ito[["vermillion"]], `single centre` = okabe_ito[["blue"]],
                   neither = "grey65")

# Scores over ranks, or over places as they are, coloured by the kind of p-value that is small
# (`level`).
# threshold: the height of a dashed line in each panel; known: are there p-values?
ranked_points <- function(rows, threshold, alpha, ranked = TRUE, known = TRUE) {
  many <- max(rows$rank) > 200
  # what is significant comes last, over the others
  rows <- rows[order(-as.integer(rows$level)), ]
  axis <- if (ranked && many) {
    ggplot2::scale_x_log10(breaks = 10^(0:7), labels = function(at) format_each(at, 3))
  } else score_axis(ggplot2::scale_x_continuous, whole = nlevels(rows$panel) == 1)
  ggplot2::ggplot(rows, by_column(x = "at", y = "score", colour = "level")) +
    (if (!is.null(threshold)) {
      ggplot2::geom_hline(data = threshold, by_column(yintercept = "threshold"),
                          linetype = "22", linewidth = 0.5, na.rm = TRUE)
    }) +
    ggplot2::geom_point(size = if (many) 0.8 else 1.6, show.legend = known) +
    (if (!identical(levels(rows$panel), "map")) panel_facets(rows$panel, least = 1)) +
    axis +
    ggplot2::scale_colour_manual(paste("p at most", format(alpha)), drop = !known,
                                 values = stats::setNames(unname(light_colours),
                                                          levels(rows$level))) +
    ggplot2::guides(colour = if (known) {
      ggplot2::guide_legend(title.position = "top", override.aes = list(size = 2))
    } else "none")
}

light_theme <- function() {
  picture_theme(panel.spacing = ggplot2::unit(1, "lines"),
                plot.margin = ggplot2::margin(4, 16, 4, 4),
                strip.text = ggplot2::element_text(hjust = 0, size = 8))
}

light_caption <- function(facts) {
  settings <- facts$settings
  if (settings$permutations == 0) return("no permutations: no thresholds")
  caption_of(paste0("dashed: family-wise threshold at level ", format(settings$alpha), " over all ",
                    "centres", if (settings$across_models) " and models", ", from ",
                    count_of(format(settings$permutations, big.mark = ","), "permutation")))
}

# null: a column of the largest values for each panel; best: the largest ones of the data.
largest_null_picture <- function(null, threshold, best, panels, mark) {
  bars <- lapply(seq_along(panels), function(k) null_bars(null[, k], panels[k]))
  marks <- data.frame(panel = rep(panels, 2), at = c(best, threshold),
                      mark = rep(c(mark, "threshold"), each = length(panels)))
  null_picture(marks, do.call(rbind, bars)) +
    (if (!identical(levels(panels), "map")) panel_facets(panels, least = 1)) +
    light_theme()
}
