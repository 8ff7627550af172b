# These functions draw analyses: pooled estimates over numbers of neurons.

#' @rdname plot.repalign
#' @export
plot.repalign_analysis <- function(x, ...) draw(x, ...)

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
  if (all(is.na(rows$pooled))) {
    abort("There is nothing to draw: all pooled values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  if (along == "auto") along <- if (is_profile(rows)) "profile" else "neurons"
  if (along != "neurons") {
    joined <- along == "comparisons" && takes_best(analysis_of(object))
    return(profile_picture(object, rows, single, reference, joined))
  }
  if (nlevels(rows$panel) > most) return(crowded_picture(object, rows, single, reference))
  lines_picture(object, rows, single, reference)
}

# Few comparisons: each has a panel of its own.
lines_picture <- function(object, rows, single, reference) {
  analysis_frame(object, rows, analysis_caption(rows, single), reference) +
    pooled_layers(rows, single) +
    (if (is_grid(rows)) grid_facets(rows) else if (nlevels(rows$panel) > 1) {
      panel_facets(rows$panel)
    })
}

# Panels form a grid of sources and comparisons when all sources have the same few comparisons.
is_grid <- function(rows) {
  pairs <- table(rows$source, rows$comparison)
  all(dim(pairs) > 1) && ncol(pairs) <= 6 && all(pairs > 0)
}

grid_facets <- function(rows) {
  room <- function(names, inches) floor(inches / length(names) / 0.072)
  sources <- levels(rows$source)
  comparisons <- levels(rows$comparison)
  across <- varying_sides(rows, room(comparisons, page[["width"]] - 2), "\n")
  down <- wrapped_labels(sources, room(sources, page[["height"]] - 1.2))
  labels <- function(text, names) ggplot2::as_labeller(stats::setNames(text, names))
  ggplot2::facet_grid(source ~ comparison,
                      labeller = ggplot2::labeller(source = labels(down, sources),
                                                   comparison = labels(across, comparisons)))
}

# Many comparisons: those of a source share a panel, as thin lines, and the estimate that pools all
# of them is drawn over them where it is known.
crowded_picture <- function(object, rows, single, reference) {
  pooled <- pooled_rows(object, rows)
  rows$panel <- rows$source
  if (!is.null(pooled)) pooled$panel <- pooled$source
  main <- if (is.null(pooled)) rows else pooled
  analysis_frame(object, main, crowded_caption(object, rows, pooled, single), reference) +
    single_layers(rows, alone = is.null(pooled)) +
    (if (!is.null(pooled)) pooled_layers(pooled, single, size = 2, width = 0.9)) +
    (if (nlevels(rows$panel) > 1) panel_facets(rows$panel))
}

# The estimates that pool all comparisons, as rows to be drawn; NULL when `object` is only a part of
# a result.
pooled_rows <- function(object, rows) {
  combined <- combined_of(object)
  columns <- source_columns(object)
  if (is.null(combined) || !all(columns %in% names(combined))) return(NULL)
  class(combined) <- class(object)
  pooled <- plot_rows(combined)
  if (nlevels(rows$source) == 1) pooled$source <- factor(rep(levels(rows$source), nrow(pooled)))
  if (setequal(levels(pooled$source), levels(rows$source))) pooled
}

# reference: from check_reference().
analysis_frame <- function(object, main, caption, reference, axis = neuron_axis(main)) {
  title <- title_of_analysis(analysis_of(object))
  ggplot2::ggplot(main, ggplot2::aes(x = .data[["at"]], y = .data[["pooled"]],
                                     colour = .data[["estimator"]],
                                     shape = .data[["estimator"]])) +
    ggplot2::geom_hline(yintercept = 1, linetype = "dotted", colour = "grey50") +
    reference_layers(reference) +
    ceiling_layers(main) +
    axis +
    ggplot2::scale_colour_manual(values = estimator_values(main, estimator_colours)) +
    ggplot2::scale_shape_manual(values = estimator_values(main, estimator_shapes)) +
    ggplot2::coord_cartesian(ylim = plot_range(main, reference)) +
    ggplot2::labs(x = "neurons", y = "CKA (pooled)", colour = "estimator", shape = "estimator",
                  title = if (!is.na(title)) unname(title),
                  caption = caption_of(caption, ceiling_note(main), reference_note(reference))) +
    picture_theme(panel.grid.minor = ggplot2::element_blank())
}

neuron_axis <- function(rows) {
  sizes <- sort(unique(rows$neurons))
  ggplot2::scale_x_continuous(trans = "log2", breaks = sizes,
                              limits = if (length(sizes) == 1) sizes * c(0.5, 2),
                              guide = ggplot2::guide_axis(check.overlap = TRUE))
}

estimator_shapes <- c(naive = 15, stimulus = 17, stimulus_neuron = 16, stimulus_trial = 4,
                      stimulus_neuron_trial = 18)

# Users may add rows under estimator names of their own: these are drawn in black.
estimator_values <- function(rows, values) {
  present <- levels(rows$estimator)
  other <- if (is.character(values)) okabe_ito[["black"]] else 4
  found <- values[present]
  found[is.na(found)] <- other
  stats::setNames(unname(found), present)
}

pooled_layers <- function(rows, single, size = 1.5, width = 0.5) {
  lines <- rows[rows$panel %in% with_several_sizes(rows), ]
  list(
    ggplot2::geom_linerange(data = rows, na.rm = TRUE, show.legend = FALSE, linewidth = width,
                            ggplot2::aes(ymin = .data[["conf_low"]], ymax = .data[["conf_high"]])),
    if (nrow(lines)) {
      ggplot2::geom_line(data = lines, na.rm = TRUE, linewidth = width,
                         ggplot2::aes(group = .data[["estimator"]]))
    },
    ggplot2::geom_point(data = rows, na.rm = TRUE, size = size),
    if (single) {
      ggplot2::geom_line(data = lines, linetype = "dashed", alpha = 0.7, na.rm = TRUE,
                         show.legend = FALSE,
                         ggplot2::aes(y = .data[["mean"]], group = .data[["estimator"]]))
    },
    disattenuated_layers(rows)
  )
}

with_several_sizes <- function(rows) {
  sizes <- tapply(rows$neurons, rows$panel, function(n) length(unique(n)))
  names(sizes)[sizes > 1 & !is.na(sizes)]
}

# The single comparisons. alone: they are all that is drawn, so that they also make the legend.
single_layers <- function(rows, alone) {
  several <- length(unique(rows$neurons)) > 1
  list(
    if (several) {
      ggplot2::geom_line(data = rows, alpha = if (alone) 0.6 else 0.3, linewidth = 0.3,
                         na.rm = TRUE, show.legend = alone,
                         ggplot2::aes(group = interaction(.data[["comparison"]],
                                                          .data[["estimator"]])))
    },
    ggplot2::geom_point(data = rows, alpha = if (alone) 0.6 else 0.3, size = 0.6, na.rm = TRUE,
                        show.legend = alone && !several)
  )
}

panel_facets <- function(panel, columns = min(ceiling(sqrt(nlevels(panel))), 4)) {
  width <- floor((page[["width"]] - 2.5) / columns / 0.072)
  titles <- stats::setNames(wrapped_labels(levels(panel), width), levels(panel))
  ggplot2::facet_wrap(~panel, ncol = columns, labeller = ggplot2::as_labeller(titles))
}

plot_rows <- function(object) {
  rows <- as.data.frame(object)
  source <- row_sources(object)
  rows$comparison <- ordered_text(short_sides(rows$x, rows$y, 20), " - ")
  rows$estimator <- ordered_estimators(rows$estimator)
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

ordered_estimators <- function(values) {
  values <- as.character(values)
  known <- intersect(estimators, values)
  factor(values, c(known, setdiff(unique(values), known)))
}

analysis_caption <- function(rows, single, mark = "dashed") {
  caption_of(if (single) paste0(mark, ": mean of single ratios"),
             note_cut_intervals(rows, plot_range(rows)))
}

crowded_caption <- function(object, rows, pooled, single) {
  if (is.null(pooled)) {
    return(caption_of("single comparisons; not pooled, as the rows are not one whole analysis",
                      note_outside_axis(rows$pooled, plot_range(rows), "values")))
  }
  caption_of(paste0("thick: ", words_for_pooled(object)), "faint: single comparisons",
             if (single) "dashed: mean of single ratios",
             note_cut_intervals(pooled, plot_range(pooled)),
             note_outside_axis(rows$pooled, plot_range(pooled), "single comparisons"))
}

# A phrase for what the pooled lines show; it is what summary() gives, see combined_of().
words_for_pooled <- function(object) {
  if (is.na(analysis_of(object))) return("summary() of each result")
  if (takes_best(analysis_of(object))) "the most similar layer at each number of neurons" else
    "all comparisons pooled"
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
  values <- c(rows$pooled, rows$conf_low, rows$conf_high, ceiling_extent(rows), reference, 0, 1)
  pmax(pmin(range(values, na.rm = TRUE, finite = TRUE), 2.5), -1)
}
