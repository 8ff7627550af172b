# These functions draw analyses: over neurons, as profiles of layers, with ceilings and references.

# ---- analysis

# These functions draw analyses: pooled estimates over numbers of neurons.

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_analysis <- function(object, single = FALSE, most = 12,
                                       along = c("auto", "neurons", "comparisons"),
                                       reference = NULL, ...) {
  no_other_arguments(...)
  check_flag(single, "single")
  check_count(most, "most")
  along <- check_choice(along, c("auto", "neurons", "comparisons"), "along")
  reference <- check_reference(reference)
  need_columns(object, c("x", "y", "neurons", "estimator", "pooled", "conf_low", "conf_high"),
               "drawn")
  if (single) need_columns(object, "mean", "drawn")
  need_rows(object)
  rows <- plot_rows(object)
  refuse_if(all(is.na(rows$pooled)), "size", "There is nothing to draw: all pooled values are ",
            "undefined (NA).", arg = "object")
  count <- nlevels(rows$comparison)
  if (along == "auto") {
    # many layers have one panel: one for each of them would be too small to compare them
    along <- if (length(unique(rows$neurons)) == 1 && count > 1) "profile" else
      if (takes_best(analysis_of(object)) && count > most_panels_of_layers &&
            count <= most_names && length(unique(rows$neurons)) > 1) "layers" else "neurons"
  }
  if (along == "layers") {
    # Layers side by side in a panel for each source: the values at most neurons with their
    # intervals, and behind them, faint, those at fewer neurons.
    rows$at <- as.integer(rows$comparison) + estimator_shift(rows, 0.14)
    rows$panel <- rows$source
    top <- tapply(rows$neurons, rows$panel, max)[as.character(rows$panel)]
    main <- rows[rows$neurons == top, ]
    fewer <- rows[rows$neurons < top, ]
    fewer$line <- interaction(fewer$estimator, fewer$neurons, drop = TRUE)
    names <- comparison_names(rows)
    listed <- function(rows) enumerate(sort(unique(rows$neurons)), quote = FALSE)
    caption <- c(analysis_caption(object, main, single, "cross"),
                 paste("faint: with", listed(fewer), "neurons"),
                 note_outside_axis(fewer$pooled, plot_range(rows), "faint values"),
                 crowded_words(names))
    return(analysis_frame(object, main, caption, reference, comparison_axis(names, 1)) +
             ggplot2::geom_line(data = fewer, alpha = 0.35, linewidth = 0.3, na.rm = TRUE,
                                show.legend = FALSE, by_column(group = "line")) +
             profile_layers(main, single, TRUE) +
             panel_facets(main$panel, 1) +
             ggplot2::xlab(paste("comparison, with", listed(main), "neurons")))
  }
  if (along != "neurons") {
    joined <- along == "comparisons" && takes_best(analysis_of(object))
    return(profile_picture(object, rows, single, reference, joined))
  }
  if (nlevels(rows$panel) > most) return(crowded_picture(object, rows, single, reference))
  # few comparisons: each has a panel of its own
  # panels form a grid of sources and comparisons when all sources have the same few comparisons
  pairs <- table(rows$source, rows$comparison)
  grid <- all(dim(pairs) > 1) && ncol(pairs) <= 6 && all(pairs > 0)
  analysis_frame(object, rows, analysis_caption(object, rows, single), reference) +
    pooled_layers(rows, single) +
    (if (grid) {
      ggplot2::facet_grid(source ~ comparison, labeller = wrapped_titles(ncol(pairs)))
    } else panel_facets(rows$panel))
}

most_panels_of_layers <- 6

# Many comparisons: those of a source share a panel, as thin lines, and the estimate that pools all
# of them is drawn over them where it is known.
crowded_picture <- function(object, rows, single, reference) {
  pooled <- pooled_rows(object, rows)
  rows$panel <- rows$source
  if (!is.null(pooled)) pooled$panel <- pooled$source
  # single comparisons that are all that is drawn also make the legend
  alone <- is.null(pooled)
  faint <- if (alone) 0.6 else 0.3
  main <- if (alone) rows else pooled
  caption <- if (is.null(pooled)) {
    c("single comparisons; not pooled, as the rows are not one whole analysis",
      note_outside_axis(rows$pooled, plot_range(rows), "values"))
  } else {
    # a phrase for what the pooled lines show; it is what summary() gives, see combined_of()
    words <- if (is.na(analysis_of(object))) {
      "summary() of each result"
    } else if (takes_best(analysis_of(object))) {
      "the most similar layer at each number of neurons"
    } else "all comparisons pooled"
    c(paste0("thick: ", words), "faint: single comparisons",
      bars_words(object, pooled, "thick bars"),
      if (single) "dashed: mean of single ratios",
      note_cut_intervals(pooled, plot_range(pooled)),
      note_outside_axis(rows$pooled, plot_range(pooled), "single comparisons"))
  }
  analysis_frame(object, main, caption, reference) +
    (if (length(unique(rows$neurons)) > 1) {
      ggplot2::geom_line(data = rows, alpha = faint, linewidth = 0.3, na.rm = TRUE,
                         show.legend = alone,
                         ggplot2::aes(group = interaction(.data[["comparison"]],
                                                          .data[["estimator"]])))
    }) +
    ggplot2::geom_point(data = rows, alpha = faint, size = 0.6, na.rm = TRUE,
                        show.legend = alone && length(unique(rows$neurons)) == 1) +
    (if (!is.null(pooled)) pooled_layers(pooled, single, size = 2, width = 0.9)) +
    panel_facets(rows$panel)
}

# The estimates that pool all comparisons, as rows to be drawn; NULL when `object` is only a part of
# a result.
pooled_rows <- function(object, rows) {
  combined <- combined_of(object)
  if (is.null(combined) || !all(source_columns(object) %in% names(combined))) return(NULL)
  class(combined) <- class(object)
  pooled <- plot_rows(combined)
  if (nlevels(rows$source) == 1) pooled$source <- factor(rep(levels(rows$source), nrow(pooled)))
  if (setequal(levels(pooled$source), levels(rows$source))) pooled
}

# What the bars are, which nothing else in the picture says.
bars_words <- function(object, rows, bars = "bars") {
  level <- unique(unlist(lapply(attr(object, "parts"), function(part) part$conf_level)))
  if (length(level) != 1 || all(is.na(rows$conf_low))) return(NULL)
  paste0(bars, ": ", format(100 * level), "% intervals over ",
         interval_extents(object, brief = TRUE))
}

# reference: from check_reference(); caption: remarks for caption_of().
# axis: NULL for one of numbers of neurons.
analysis_frame <- function(object, main, caption, reference, axis = NULL) {
  title <- title_of_analysis(analysis_of(object))
  if (is.null(axis)) {
    sizes <- sort(unique(main$neurons))
    axis <- ggplot2::scale_x_continuous(trans = "log2", breaks = sizes,
                                        limits = if (length(sizes) == 1) sizes * c(0.5, 2),
                                        guide = ggplot2::guide_axis(check.overlap = TRUE))
  }
  # what the caption says about the reference
  of_reference <- if (!is.null(reference)) {
    text <- format_each(reference, 3)
    if (anyNA(reference)) paste("black dashes: the reference,", text[1]) else
      paste0("black dashes and band: the reference, ", text[1], " (", text[2], " to ", text[3], ")")
  }
  of_ceiling <- if (!is.null(ceiling_rows(main))) {
    "coloured dashes and bands: the ceiling that noise of the trials sets; circles: disattenuated"
  }
  ggplot2::ggplot(main,
                  by_column(x = "at", y = "pooled", colour = "estimator", shape = "estimator")) +
    ggplot2::geom_hline(yintercept = 1, linetype = "dotted", colour = "grey50") +
    (if (!is.null(reference) && !anyNA(reference)) {
      side_band(data.frame(low = reference[2], high = reference[3]),
                by_column(ymin = "low", ymax = "high"), fill = "grey40")
    }) +
    (if (!is.null(reference)) {
      ggplot2::geom_hline(yintercept = reference[1], linetype = "22", linewidth = 0.5,
                          colour = okabe_ito[["black"]])
    }) +
    ceiling_layers(main) +
    score_axis(ggplot2::scale_y_continuous) +
    ggplot2::scale_colour_manual(values = estimator_values(main, estimator_colours),
                                 labels = estimator_keys) +
    ggplot2::scale_shape_manual(values = estimator_values(main, estimator_shapes),
                                labels = estimator_keys) +
    ggplot2::coord_cartesian(ylim = plot_range(main, reference)) +
    ggplot2::labs(x = "neurons", y = "CKA (pooled)", colour = "corrected for",
                  shape = "corrected for",
                  title = if (!is.na(title)) sub(" (", "\n(", title, fixed = TRUE),
                  caption = caption_of(caption, of_ceiling, of_reference)) +
    ggplot2::guides(colour = key_guide(main$estimator), shape = key_guide(main$estimator)) +
    picture_theme(legend.margin = ggplot2::margin(0, 0, 0, 0),
                  legend.key.width = ggplot2::unit(0.7, "lines")) +
    axis
}

# Keys have one line in a column of a journal: "nothing", "stimuli", "+ neurons" for estimators of
# which each corrects for more than the one before.
estimator_keys <- function(estimators) {
  titles <- estimator_titles(estimators)
  for (at in seq_along(estimators)[-1]) {
    before <- estimator_names[[estimators[at - 1]]]
    now <- estimator_names[[estimators[at]]]
    if (length(before) && all(before %in% now)) {
      titles[at] <- paste("+", short_corrections(setdiff(now, before)))
    }
  }
  titles
}

key_guide <- function(estimators) {
  shown <- estimator_keys(levels(droplevels(estimators)))
  ggplot2::guide_legend(title.position = "top", title.hjust = 0.5,
                        nrow = ceiling(sum(nchar(shown) + 5) * character_width / 3))
}

estimator_shapes <- c(naive = 15, stimulus = 17, stimulus_neuron = 16, stimulus_trial = 4,
                      stimulus_neuron_trial = 18)

# Users may add rows under estimator names of their own: these are drawn in black.
estimator_values <- function(rows, values) {
  present <- levels(rows$estimator)
  found <- values[present]
  found[is.na(found)] <- if (is.character(values)) okabe_ito[["black"]] else 4
  stats::setNames(unname(found), present)
}

pooled_layers <- function(rows, single, size = 1.5, width = 0.5) {
  sizes <- tapply(rows$neurons, rows$panel, function(n) length(unique(n)))
  lines <- rows[rows$panel %in% names(sizes)[sizes > 1 & !is.na(sizes)], ]
  list(
    ggplot2::geom_linerange(data = rows, na.rm = TRUE, show.legend = FALSE, linewidth = width,
                            by_column(ymin = "conf_low", ymax = "conf_high")),
    if (nrow(lines)) {
      ggplot2::geom_line(data = lines, na.rm = TRUE, linewidth = width,
                         by_column(group = "estimator"))
    },
    ggplot2::geom_point(data = rows, na.rm = TRUE, size = size),
    if (single) {
      ggplot2::geom_line(data = lines, linetype = "dashed", alpha = 0.7, na.rm = TRUE,
                         show.legend = FALSE, by_column(y = "mean", group = "estimator"))
    },
    # over the estimates: open points at the same places
    if (!is.null(ceiling_rows(rows))) {
      ggplot2::geom_point(data = ceiling_rows(rows), shape = 1, size = 2.4, na.rm = TRUE,
                          show.legend = FALSE, by_column(y = "disattenuated"))
    }
  )
}

plot_rows <- function(object) {
  rows <- as.data.frame(object)
  source <- row_sources(object)
  rows$comparison <- ordered_text(list(rows$x, rows$y), " - ")
  values <- as.character(rows$estimator)
  known <- intersect(estimators, values)
  rows$estimator <- factor(values, c(known, setdiff(unique(values), known)))
  rows$panel <- panels_of(source, rows$comparison)$panel
  rows$source <- source
  # estimators stand side by side on the logarithmic axis, so that intervals do not hide each other
  shift <- 0.012 * max(1.5, diff(range(log2(rows$neurons))))
  rows$at <- rows$neurons * 2^estimator_shift(rows, shift)
  rows
}

# How far each row is shifted: the estimators are centred on their number of neurons.
estimator_shift <- function(rows, step) {
  step * (as.integer(rows$estimator) - (nlevels(rows$estimator) + 1) / 2)
}

analysis_caption <- function(object, rows, single, mark = "dashed") {
  c(bars_words(object, rows), if (single) paste0(mark, ": mean of single ratios"),
    note_cut_intervals(rows, plot_range(rows)))
}

# Sentences about the points and intervals that the axis cuts off, for the caption.
note_cut_intervals <- function(rows, range) {
  cut <- (rows$conf_low < range[1] | rows$conf_high > range[2]) %in% TRUE
  known <- sum(!is.na(rows$conf_low) | !is.na(rows$conf_high))
  c(note_outside_axis(rows$pooled, range, "values"),
    if (any(cut)) paste(sum(cut), "of", known, "intervals reach beyond the axis"))
}

note_outside_axis <- function(values, range, what) {
  out <- sum(values < range[1] | values > range[2], na.rm = TRUE)
  if (out > 0) paste(out, "of", sum(!is.na(values)), what, "lie outside the axis")
}

# The range of the vertical axis is limited, because wide intervals at few neurons would flatten
# everything else.
plot_range <- function(rows, reference = NULL) {
  ceiling <- ceiling_rows(rows)
  values <- c(rows$pooled, rows$conf_low, rows$conf_high, ceiling$ceiling_low,
              ceiling$ceiling_high, ceiling$disattenuated, reference, 0, 1)
  pmax(pmin(range(values, na.rm = TRUE, finite = TRUE), 2.5), -1)
}

# ---- the ceiling

# Pictures of analyses whose ceiling is known: the ceiling as a band, and the estimates without the
# noise of trials beside the raw ones.

# Estimates from trials have no noise that a ceiling would be about.
is_free_of_trials <- function(rows) as.character(rows$estimator) %in% trial_estimators

# The ends of the intervals of ceilings, with the quantiles of the estimates' own intervals.
ceiling_rows <- function(rows) {
  if (!(all(c("ceiling", "ceiling_se", "disattenuated") %in% names(rows)) &&
         any(!is.na(rows$ceiling) & !is_free_of_trials(rows)))) return(NULL)
  own <- (rows$conf_high - rows$pooled) / rows$pooled_se
  half <- ifelse(is.na(own), 0, own) * ifelse(is.na(rows$ceiling_se), 0, rows$ceiling_se)
  rows$ceiling_low <- rows$ceiling - half
  rows$ceiling_high <- rows$ceiling + half
  rows[!is.na(rows$ceiling) & !is_free_of_trials(rows), ]
}

# Behind the estimates. A panel with one place on the axis has a band from side to side.
ceiling_layers <- function(rows) {
  shown <- ceiling_rows(rows)
  if (is.null(shown)) return(NULL)
  place <- if (is.null(shown$size)) shown$neurons else as.integer(shown$comparison)
  many <- tapply(place, shown$panel, function(at) length(unique(at)) > 1)
  wide <- shown$panel %in% names(many)[many %in% TRUE]
  band <- by_column(ymin = "ceiling_low", ymax = "ceiling_high", fill = "estimator")
  list(
    if (any(wide)) {
      list(ggplot2::geom_ribbon(data = shown[wide, ], alpha = 0.15, colour = NA,
                                show.legend = FALSE, band),
           ggplot2::geom_line(data = shown[wide, ], linetype = "22", linewidth = 0.4,
                              show.legend = FALSE, by_column(y = "ceiling", group = "estimator")))
    },
    if (any(!wide)) {
      # bands from side to side, as those of a reference
      shown <- shown[!wide, ]
      list(side_band(shown, band),
           ggplot2::geom_hline(data = shown, linetype = "22", linewidth = 0.4, show.legend = FALSE,
                               by_column(yintercept = "ceiling", colour = "estimator")))
    },
    ggplot2::scale_fill_manual(values = estimator_values(rows, estimator_colours), guide = "none")
  )
}

# ---- profile

# These functions draw analyses with several comparisons, such as layers, side by side: a profile at
# each number of neurons.

# With more comparisons than this, an axis of names would be of no use, even if it wrote only some.
most_names <- 60

# reference: from check_reference(); joined: are the values of an estimator joined by lines, as for
# the layers of a network, which come one after the other?
profile_picture <- function(object, rows, single, reference, joined) {
  rows <- profile_panels(rows)
  if (nlevels(rows$comparison) > most_names) {
    # With more comparisons than can be named, the values of each estimator are sorted in increasing
    # order: a caterpillar plot.
    rows <- rows[!is.na(rows$pooled), ]
    group <- interaction(rows$panel, rows$estimator, drop = TRUE)
    rows$at <- stats::ave(rows$pooled, group, FUN = function(v) rank(v, ties.method = "first"))
    pooled <- if (!takes_best(analysis_of(object))) pooled_rows(object, rows)
    if (!is.null(pooled)) pooled <- profile_panels(pooled)
    caption <- c("comparisons are in the order of their values, for each estimator on its own",
                 if (!is.null(pooled)) "long dashes: all comparisons pooled",
                 analysis_caption(object, rows, single, "cross"))
    return(
      analysis_frame(object, rows, caption, reference, ggplot2::scale_x_continuous(breaks = NULL)) +
        ggplot2::geom_linerange(by_column(ymin = "conf_low", ymax = "conf_high"), alpha = 0.35,
                                linewidth = 0.3, na.rm = TRUE, show.legend = FALSE) +
        ggplot2::geom_point(size = 0.8) +
        (if (single) {
          ggplot2::geom_point(by_column(y = "mean"), shape = 4, size = 0.8, alpha = 0.5,
                              na.rm = TRUE, show.legend = FALSE)
        }) +
        (if (!is.null(pooled)) {
          ggplot2::geom_hline(data = pooled, linetype = "longdash", show.legend = FALSE,
                              na.rm = TRUE, by_column(yintercept = "pooled", colour = "estimator"))
        }) +
        panel_facets(rows$panel, profile_columns(rows)) +
        ggplot2::xlab(paste0(nlevels(rows$comparison), " comparisons", neurons_of_profile(rows)))
    )
  }
  rows$at <- as.integer(rows$comparison) + estimator_shift(rows, 0.14)
  names <- comparison_names(rows)
  analysis_frame(object, rows, c(analysis_caption(object, rows, single, "cross"),
                                 crowded_words(names)), reference,
                 comparison_axis(names, profile_columns(rows))) +
    profile_layers(rows, single, joined) +
    panel_facets(rows$panel, profile_columns(rows)) +
    ggplot2::xlab(paste0("comparison", neurons_of_profile(rows)))
}

# The values beside each other at one number of neurons. joined: by lines?
profile_layers <- function(rows, single, joined) {
  size <- if (nlevels(rows$comparison) > 25) 0.8 else 1.5
  list(
    if (joined && nlevels(rows$comparison) > 1) {
      ggplot2::geom_line(linewidth = 0.4, na.rm = TRUE, show.legend = FALSE,
                         by_column(group = "estimator"))
    },
    pooled_layers(rows, FALSE, size),
    if (single) {
      ggplot2::geom_point(by_column(y = "mean"), shape = 4, na.rm = TRUE, size = size,
                          show.legend = FALSE)
    }
  )
}

# The names of the comparisons in the order of their levels. A side that is the same in all of them
# is not named.
comparison_names <- function(rows) {
  fixed <- vapply(list(rows$x, rows$y), function(side) length(unique(side)) == 1, NA)
  if (all(fixed)) fixed[2] <- FALSE
  sides <- lapply(list(rows$x, rows$y), as.character)
  names <- do.call(paste, c(sides[!fixed], sep = " - "))
  names[match(levels(rows$comparison), rows$comparison)]
}

comparison_axis <- function(names, panels) {
  names_axis("x", names, seq_along(names), panels, expand = ggplot2::expansion(add = 0.5))
}

# Each source has a panel for each number of neurons.
profile_panels <- function(rows) {
  sizes <- sort(unique(rows$neurons))
  rows$size <- factor(rows$neurons, sizes, vapply(sizes, count_of, "", "neuron"))
  rows$panel <- panels_of(rows$source, rows$size)$panel
  rows
}

# The number of neurons for the axis, where panels do not say it.
neurons_of_profile <- function(rows) {
  if (nlevels(rows$size) == 1) paste(", with", count_of(rows$neurons[1], "neuron"))
}

# The panels of few sources stand one above the other, so that the same comparisons do, too. Those
# of few numbers of neurons stand side by side, so that the same values do.
profile_columns <- function(rows) {
  sizes <- nlevels(rows$size)
  if (sizes > 1 && (nlevels(rows$source) > 1 || sizes <= 4)) return(min(sizes, 4))
  panels <- nlevels(rows$panel)
  if (sizes == 1 && panels <= 4) 1 else min(ceiling(sqrt(panels)), 4)
}

# ---- reference

# A reference is a value with its interval that pictures of analyses draw for comparison, such as
# the similarity of two brains beside that of a brain and a model.

# Returns c(value, low, high), where the interval may be NA, or NULL.
check_reference <- function(reference) {
  if (is.null(reference)) return(NULL)
  values <- if (is.data.frame(reference)) {
    # the estimate of a row of an analysis or of cka_interval(), and its interval
    value <- intersect(c("pooled", "cka"), names(reference))
    refuse_if(!length(value), "type", "`reference` must be one row of an analysis or of ",
              "cka_interval(): it has no column \"pooled\" or \"cka\".")
    refuse_if(nrow(reference) != 1, "size", "`reference` has {count_of(nrow(reference), 'row')}: ",
              "give one, as in subset(result, neurons == 50 & estimator == \"stimulus_neuron\").")
    end <- function(column) if (is.null(reference[[column]])) NA_real_ else reference[[column]]
    c(reference[[value[1]]], end("conf_low"), end("conf_high"))
  } else reference
  usable <- is.numeric(values) && length(values) %in% c(1, 3) && is.finite(values[1]) &&
    !any(is.infinite(values)) && !is.unsorted(values[c(2, 1, 3)], na.rm = TRUE)
  refuse_if(!usable, "value", "`reference` must be one row of a result, a number, or three ",
            "numbers: the value, the lower and the upper end of its interval.")
  as.double(values)[1:3]
}

# A band from one side of a panel to the other. Its sides are constants, which the axis does not
# transform: on a logarithmic one minus infinity would have no place.
side_band <- function(data, extent, ...) {
  ggplot2::geom_rect(data = data, extent, xmin = -Inf, xmax = Inf, inherit.aes = FALSE,
                     alpha = 0.15, show.legend = FALSE, ...)
}
