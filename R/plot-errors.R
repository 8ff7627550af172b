# These functions draw scores with errors: intervals, noise ceilings, plans of recordings.

# ---- interval

# These functions draw intervals of scores and of CKA as forest plots.

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_interval <- function(object, ...) {
  no_other_arguments(...)
  if (!is_of_estimators(object)) return(scores_forest(object))
  # the first estimator is on top, and each source has a panel
  rows <- drawn_rows(object, c("estimator", "cka", "conf_low", "conf_high"))
  sources <- source_columns(object)
  twice <- anyDuplicated(rows[c(sources, "estimator")])
  refuse_if(twice, "rows", "`object` has two intervals of ",
            quoted(as.character(rows$estimator[twice])), " that cannot be told apart: bind ",
            "them with names, as in rbind(day1 = a, day2 = b).")
  rows$estimator <- factor(rows$estimator, rev(label_levels(rows$estimator)))
  rows$panel <- source_names(rows, sources)
  groups <- row_groups(rows, c(sources, "panel"))
  rows$panel <- factor(rows$panel, unique(rows$panel[unlist(groups)]))
  refuse_undefined(rows$cka)
  undefined <- sum(is.na(object$cka))
  no_interval <- sum(!is.na(object$cka) & is.na(object$conf_low))
  parts <- c(
    interval_lines(attr(object, "conf_level"), object$over),
    if (no_interval) paste(no_interval, "without interval (undefined)"),
    if (undefined) paste(undefined, "of", count_of(nrow(object), "value"), "undefined")
  )
  ggplot2::ggplot(rows, by_column(x = "cka", y = "estimator", colour = "estimator")) +
    ggplot2::geom_vline(xintercept = c(0, 1), linetype = "dotted", colour = "grey50") +
    ggplot2::geom_linerange(by_column(xmin = "conf_low", xmax = "conf_high"),
                            na.rm = TRUE, linewidth = 0.8) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5) +
    (if (length(sources)) {
      ggplot2::facet_grid(rows = ggplot2::vars(.data[["panel"]]), switch = "y")
    }) +
    ggplot2::scale_colour_manual(values = estimator_colours, guide = "none") +
    ggplot2::scale_y_discrete(drop = FALSE, labels = estimator_titles) +
    ggplot2::labs(x = "CKA", y = "corrected for", caption = caption_of(parts)) +
    picture_theme(lines = "x",
                  panel.spacing = ggplot2::unit(0.8, "lines"), strip.placement = "outside",
                  strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 1))
}

# ---- intervals of scores

scores_forest <- function(object) {
  # the first row is on top; each measure has a panel
  rows <- drawn_rows(object, c("x", "y", "measure", "score", "conf_low", "conf_high"))
  x <- full_names(rows, "x")
  y <- full_names(rows, "y")
  title <- if (length(unique(x)) > 1 && length(unique(y)) > 1) paste(x, y, sep = " | ") else
    if (length(unique(x)) > 1) x else y
  sources <- source_columns(object)
  if (length(sources)) title <- paste(source_names(rows, sources), title, sep = " | ")
  twice <- anyDuplicated(data.frame(title, rows$measure))
  refuse_if(twice, "rows", "`object` has two intervals of {quoted(title[twice])} that ",
            "cannot be told apart: bind them with names, as in rbind(day1 = a, day2 = b).")
  rows$title <- factor(title, rev(unique(title)))
  rows$panel <- measure_panels(rows$measure)
  refuse_undefined(rows$score)
  ggplot2::ggplot(rows, by_column(x = "score", y = "title")) +
    ggplot2::geom_linerange(by_column(xmin = "conf_low", xmax = "conf_high"),
                            na.rm = TRUE, linewidth = 0.8, colour = forest_colour) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5, colour = forest_colour) +
    score_axis(ggplot2::scale_x_continuous, whole = length(unique(rows$panel)) == 1) +
    ggplot2::labs(x = axis_words(object$measure), y = NULL,
                  caption = caption_of(
                    interval_lines(attr(object, "conf_level"), object$over),
                    if (anyNA(object$score)) paste(sum(is.na(object$score)), "undefined"),
                    crowded_words(levels(rows$title))
                  )) +
    picture_theme(lines = "x") +
    side_panels(rows$panel) +
    names_axis("y", levels(rows$title))
}

forest_colour <- "#0072B2"

# What the lines of a forest plot are. over: the samples of each row, as its column has them.
interval_lines <- function(level, over) {
  if (is.null(level)) return(NULL)
  paste0("lines: ", format(100 * level), "% intervals",
         if (length(over)) paste(" over", extent_words(over)))
}

# ---- consensus

#' @rdname consensus
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_consensus <- function(object, ...) {
  no_other_arguments(...)
  needed <- c("x", "kind", "measure", "score", "conf_low", "conf_high")
  rows <- cbind(drawn_rows(object, needed), y = "consensus")
  single <- rows$kind != "group"
  # intervals have no `kind`, which would be taken for a part of names
  picture <- scores_forest(new_result(rows[single, names(rows) != "kind"], "repalign_interval",
                                      list(conf_level = attr(object, "conf_level"))))
  band <- ggplot2::geom_rect(by_column(xmin = "conf_low", xmax = "conf_high"), rows[!single, ],
                             ymin = -Inf, ymax = Inf, fill = "grey60", alpha = 0.35,
                             na.rm = TRUE, inherit.aes = FALSE)
  picture$layers <- c(band, picture$layers)
  picture + ggplot2::labs(x = "agreement with the others", caption = caption_of(
    if (!all(is.na(rows$conf_low[single]))) {
      paste(interval_lines(attr(object, "conf_level"), NULL), consensus_extent(object))
    }, if (!all(is.na(rows$conf_low[!single]))) "band: interval of the mean of the subjects",
    crowded_words(rows$x[single])
  ))
}

# ---- noise ceiling

# Noise ceilings are drawn here: the ceiling as a band, with scores as they are and without noise.

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_ceiling <- function(object, ...) {
  no_other_arguments(...)
  values <- c("ceiling", "score", "disattenuated")
  whole <- drawn_rows(object, c("y", "measure", paste0(rep(values, each = 2), c("", "_se"))))
  # a row for each value that is drawn, with its interval
  names <- ifelse(is.na(whole$y), "trials", as.character(whole$y))
  rows <- do.call(rbind, lapply(values, function(name) {
    limits <- unname(stats::confint(object, name, 0.95))
    data.frame(y = factor(names, unique(names)), panel = measure_panels(whole$measure),
               value = name, at = whole[[name]], low = limits[, 1], high = limits[, 2])
  }))
  rows <- rows[!is.na(rows$at), ]
  refuse_undefined(rows$at)
  scores <- rows[rows$value != "ceiling", ]
  ceilings <- rows[rows$value == "ceiling", ]
  layers <- if (nrow(scores)) {
    # ceilings are boxes behind scores
    ceilings$left <- as.integer(ceilings$y) - 0.4
    ceilings$right <- as.integer(ceilings$y) + 0.4
    scores$value <- factor(scores$value, values[-1])
    beside <- ggplot2::position_dodge(width = 0.35)
    list(ggplot2::geom_rect(data = ceilings, na.rm = TRUE, alpha = 0.25, fill = okabe_ito[["sky"]],
                            by_column(xmin = "left", xmax = "right", ymin = "low", ymax = "high")),
         ggplot2::geom_segment(data = ceilings, linetype = "22", linewidth = 0.5,
                               by_column(x = "left", xend = "right", y = "at", yend = "at")),
         ggplot2::geom_linerange(data = scores, na.rm = TRUE, linewidth = 0.8, position = beside,
                                 colour = forest_colour,
                                 by_column(ymin = "low", ymax = "high", group = "value")),
         ggplot2::geom_point(data = scores, size = 2.5, position = beside, colour = forest_colour,
                             fill = "white", by_column(y = "at", shape = "value")),
         ggplot2::scale_shape_manual(values = c(score = 19, disattenuated = 21), name = NULL))
  } else {
    list(ggplot2::geom_linerange(by_column(ymin = "low", ymax = "high"), ceilings, na.rm = TRUE,
                                 linewidth = 0.8, colour = forest_colour),
         ggplot2::geom_point(by_column(y = "at"), ceilings, size = 2.5, colour = forest_colour))
  }
  known <- any(!is.na(object$ceiling_se))
  approximate <- !all(is.na(object$ceiling[is.na(object$ceiling_se)]))
  parts <- c(if (all(is.na(object$y))) "points: ceilings" else "dashes: ceilings",
             if (known && !all(is.na(object$y))) "bands and lines: 95% intervals",
             if (known && all(is.na(object$y))) "lines: 95% intervals",
             if (approximate) "without: not known", crowded_words(levels(rows$y)))
  ggplot2::ggplot(rows, by_column(x = "y")) +
    layers +
    panel_facets(rows$panel) +
    ggplot2::labs(x = NULL, y = axis_words(object$measure, most = 18),
                  caption = caption_of(parts)) +
    picture_theme(lines = "y") +
    names_axis("x", levels(rows$y), panels = panel_columns(rows$panel), limits = levels(rows$y))
}

# ---- plan

#' @rdname plan_recording
#' @aliases plot.repalign_plan
#' @param object what `plan_recording()` returned.
#' @param what what `plot()` draws: the standard error (`"se"`), the `"power"`, or what the plan is
#'   for (`"auto"`). The cross is the pilot; beyond the dashed lines a design is `extrapolated`.
#' @param ... no other arguments.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_plan <- function(object, what = c("auto", "se", "power"), ...) {
  no_other_arguments(...)
  what <- check_choice(what, c("auto", "se", "power"), "what")
  facts <- plan_facts(object)
  if (what == "auto") {
    what <- if (is.na(facts$model$critical) && is.null(facts$settings$target_se)) "power" else "se"
  }
  needed <- c("stimuli", "neurons_x", "neurons_y", "trials", what, "se_low", "se_high")
  rows <- drawn_rows(object, needed)
  # of two models, whose units are held fixed, all rows lack the number of neurons of y
  numbers <- c("stimuli", "neurons_x",
               if (!facts$model$tied && !all(is.na(rows$neurons_y))) "neurons_y",
               if (facts$model$by_trials) "trials")
  refuse_if(anyNA(rows[numbers]), "rows", "`object` has designs without numbers of stimuli, ",
            "neurons or trials (NA): leave these rows out.")
  varies <- numbers[vapply(rows[numbers], function(column) length(unique(column)) > 1, NA)]
  refuse_if(!length(varies), "size", "There is nothing to draw: plan several numbers of stimuli, ",
            "neurons or trials.", arg = "object")
  if (all(c("stimuli", "neurons_x") %in% varies)) {
    return(plan_contours(rows, what, facts, setdiff(varies, c("stimuli", "neurons_x"))))
  }
  # The first number that varies is the axis, the second one has colours, and others have panels.
  axis <- varies[1]
  colour <- if (length(varies) > 1) varies[2]
  pilot <- pilot_row(rows, facts$model, varies[-1])
  held <- unique(rows[setdiff(c("stimuli", "neurons_x"), axis)])
  pilot <- pilot[rep(1, nrow(pilot) && all(unlist(pilot[names(held)]) %in% unlist(held))), ]
  if (nrow(pilot)) pilot <- design_table(facts$model, pilot, facts$settings)
  wanted <- wanted_value(what, facts$settings)
  groups <- if (is.null(colour)) rep("", nrow(rows)) else rows[[colour]]
  rows$group <- factor(groups, sort(unique(groups)))
  rows[c("low", "high")] <- plan_range(rows, what, facts)
  # a range without end does not flatten the curves
  most <- 2 * max(rows[[what]])
  cut <- any(rows$high > most, na.rm = TRUE)
  rows$high <- pmin(rows$high, most)
  bars <- paste0("bars: the range by what the pilot knows",
                 if (cut) paste0(", cut at ", format(most, digits = 2)))
  ggplot2::ggplot(rows, by_column(x = axis, y = what)) +
    (if (!is.null(wanted)) ggplot2::geom_hline(yintercept = wanted, linewidth = 1)) +
    ggplot2::geom_line(by_column(group = "group", colour = "group")) +
    ggplot2::geom_linerange(by_column(ymin = "low", ymax = "high", colour = "group")) +
    ggplot2::geom_point(by_column(colour = "group"), size = 2) +
    (if (nrow(pilot)) pilot_cross(pilot, "black")) +
    plan_panels(varies[-(1:2)]) +
    ggplot2::scale_x_log10(breaks = axis_numbers(rows[[axis]])) +
    ggplot2::scale_colour_manual(if (!is.null(colour)) plan_labels[[colour]],
                                 values = category_colours(levels(rows$group)),
                                 guide = if (is.null(colour)) "none" else "legend") +
    ggplot2::labs(x = plan_labels[[axis]], y = plan_labels[[what]],
                  caption = plan_caption(pilot, wanted, what, bars)) +
    picture_theme(legend.position = "right")
}

plan_contours <- function(rows, what, facts, panels) {
  pilot <- pilot_row(rows, facts$model, panels)
  # designs at 60 x 60 numbers of stimuli and neurons of x
  within <- rbind(rows[names(pilot)], pilot)
  spread <- function(values) exp(seq(log(min(values)), log(max(values)), length.out = 60))
  others <- unique(rows[c("neurons_y", "trials")])
  if (facts$model$tied) others <- unique(transform(others, neurons_y = NA_real_))
  grid <- merge(expand.grid(stimuli = spread(within$stimuli), neurons_x = spread(within$neurons_x)),
                others, by = NULL)
  if (facts$model$tied) grid$neurons_y <- grid$neurons_x * tied_share(facts$model)
  fine <- design_table(facts$model, grid, facts$settings)
  breaks <- plan_breaks(fine[[what]], what)
  fine[c("low", "high")] <- plan_range(fine, what, facts)
  wanted <- wanted_value(what, facts$settings)
  reached <- wanted_words(wanted, what, range(fine[[what]], na.rm = TRUE))
  if (length(reached)) wanted <- NULL
  reach <- reach_lines(fine, facts$model)
  ggplot2::ggplot(fine, by_column(x = "stimuli", y = "neurons_x")) +
    ggplot2::geom_contour_filled(by_column(z = what), breaks = breaks$at) +
    reach$layers +
    (if (!is.null(wanted)) {
      # where the wanted value lies, in each panel that has it
      parts <- if (length(panels)) split(fine, fine[panels], drop = TRUE) else list(fine)
      lines <- lapply(parts, function(part) {
        n <- sort(unique(part$stimuli))
        q <- sort(unique(part$neurons_x))
        lapply(c(what, "low", "high"), function(column) {
          values <- matrix(part[[column]][order(part$neurons_x, part$stimuli)], length(n))
          lapply(grDevices::contourLines(log(n), log(q), values, levels = wanted), function(line) {
            data.frame(stimuli = exp(line$x), neurons_x = exp(line$y),
                       neurons_y = part$neurons_y[1], trials = part$trials[1],
                       range = column != what)
          })
        })
      })
      lines <- unlist(unlist(unname(lines), recursive = FALSE), recursive = FALSE)
      lines <- do.call(rbind, Map(function(line, number) cbind(line, line = number), lines,
                                  seq_along(lines)))
      path <- function(range, ...) {
        ggplot2::geom_path(by_column(group = "line"), ..., data = lines[lines$range == range, ])
      }
      list(path(FALSE, linewidth = 1), path(TRUE, linetype = "dotted"))
    }) +
    ggplot2::geom_point(data = rows, size = 0.8, colour = "grey20") +
    (if (nrow(pilot)) pilot_cross(pilot, okabe_ito[["vermillion"]])) +
    plan_panels(panels) +
    ggplot2::scale_x_log10(expand = c(0, 0), breaks = axis_numbers(rows$stimuli)) +
    ggplot2::scale_y_log10(expand = c(0, 0), breaks = axis_numbers(rows$neurons_x)) +
    ggplot2::scale_fill_manual(plan_labels[[what]], values = breaks$colours, drop = FALSE,
                               guide = if (length(breaks$colours) < 2) "legend" else
                                 ggplot2::guide_coloursteps(title.position = "top")) +
    ggplot2::labs(x = plan_labels[["stimuli"]],
                  y = if (facts$model$tied) "neurons" else plan_labels[["neurons_x"]],
                  caption = plan_caption(pilot, wanted, what, if (!is.null(wanted)) {
                    "dotted: the range by what the pilot knows"
                  }, if (reach$any) "beyond dashed lines: extrapolated", reached)) +
    ggplot2::coord_cartesian(clip = "off") +
    picture_theme(lines = "none", legend.key.width = ggplot2::unit(0.55, "inches"),
                  panel.spacing.x = ggplot2::unit(2, "lines"),
                  plot.margin = ggplot2::margin(5.5, 14, 5.5, 5.5))
}

# What the pilot knows of the standard errors or powers of designs: list(low, high).
plan_range <- function(designs, what, facts) {
  if (what == "se") return(designs[c("se_low", "se_high")])
  lapply(designs[c("se_high", "se_low")], function(se) {
    design_power(facts$model, replace(designs, "se", se), facts$settings)
  })
}

# The design of the pilot, if a panel has its numbers.
pilot_row <- function(rows, model, panels) {
  pilot <- data.frame(stimuli = model$size[["n"]], neurons_x = model$size[["x"]],
                      neurons_y = model$size[["y"]], trials = model$trials)
  shown <- all(vapply(panels, function(name) pilot[[name]] %in% rows[[name]], NA))
  for (name in setdiff(c("neurons_y", "trials"), panels)) {
    shown <- shown && (model$tied || pilot[[name]] %in% rows[[name]] || is.na(rows[[name]][1]))
  }
  pilot[rep(1, as.integer(shown)), ]
}

# Where the colours change, and the colours: so many that numbers have room below their bar.
plan_breaks <- function(values, what) {
  values <- values[is.finite(values)]
  if (what == "power") {
    at <- c(0, 0.05, seq(0.2, 0.8, 0.2), 0.9, 0.95, 0.99, 1)
    last <- length(at)
    at <- at[findInterval(min(values), at[-last]):max(findInterval(max(values), at, TRUE) + 1, 2)]
  } else {
    at <- signif(exp(seq(log(min(values)), log(max(values)), length.out = 7)), 2)
    at <- unique(c(round_down(min(values)), at[-c(1, 7)], -round_down(-max(values))))
  }
  shades <- grDevices::colorRampPalette(blues[-6])(length(at) - 1)
  # the lowest value belongs to the lowest colour
  at[c(1, length(at))] <- at[c(1, length(at))] + c(-1e-9, 1e-9)
  list(at = at, colours = if (what == "se") rev(shades) else shades)
}

# Two digits, and not above the value.
round_down <- function(value) {
  unit <- 10^(floor(log10(abs(value))) - 1)
  signif(floor(value / unit) * unit, 3)
}

axis_numbers <- function(values) {
  values <- sort(unique(values))
  if (length(values) <= 6) return(values)
  values[unique(round(seq(1, length(values), length.out = 6)))]
}

wanted_value <- function(what, settings) {
  if (what == "se") settings$target_se else if (!is.null(settings$difference)) settings$target_power
}

# Lines beyond which designs are extrapolated, where the picture has them.
reach_lines <- function(fine, model) {
  n <- model$size[["n"]] * c(plan_reach$fewer, plan_reach$more)
  q <- if ("x" %in% names(model$units)) c(plan_reach$neurons, model$size[["x"]] * plan_reach$more)
  inside <- function(at, values) at[at > 1.001 * min(values) & at < 0.999 * max(values)]
  n <- inside(n, fine$stimuli)
  q <- inside(q, fine$neurons_x)
  dashed <- function(layer, ...) layer(..., linetype = "dashed", colour = "grey30")
  list(any = length(c(n, q)) > 0,
       layers = list(dashed(ggplot2::geom_vline, xintercept = n),
                     dashed(ggplot2::geom_hline, yintercept = q)))
}

pilot_cross <- function(pilot, colour) {
  ggplot2::geom_point(data = pilot, shape = 4, size = 4, stroke = 1.5, colour = colour)
}

# Panels, and axes of numbers that do not overlap.
plan_panels <- function(panels) {
  title <- function(labels) {
    as.list(as.data.frame(Map(function(name, values) paste(values, plan_labels[[name]]),
                              names(labels), labels)))
  }
  axis <- ggplot2::guide_axis(check.overlap = TRUE)
  list(ggplot2::guides(x = axis, y = axis), if (length(panels)) {
    ggplot2::facet_wrap(panels, labeller = structure(title, class = c("function", "labeller")))
  })
}

# Which side of the wanted value all designs of a picture are on; NULL if they are on both.
wanted_words <- function(wanted, what, extent) {
  if (is.null(wanted) || (wanted >= extent[1] && wanted <= extent[2])) return(NULL)
  paste0("every design here has a ", plan_labels[[what]], " ",
         if (wanted < extent[1]) "above " else "below ", format(wanted))
}

# ...: what else the picture shows.
plan_caption <- function(pilot, wanted, what, ...) {
  caption_of(c(if (nrow(pilot)) "cross: the pilot", if (!is.null(wanted)) {
    paste0("thick line: ", plan_labels[[what]], " ", format(wanted))
  }, ...))
}
