# The figures of the report, with ggplot2, into the output folder.

# Okabe and Ito's colours, which readers who do not tell red from green keep apart. The
# package's own plots give the estimators the same ones.
okabe_ito <- c(orange = "#E69F00", sky = "#56B4E9", green = "#009E73", blue = "#0072B2",
               vermillion = "#D55E00", purple = "#CC79A7")
estimator_colours <- c(naive = okabe_ito[["orange"]], stimulus = okabe_ito[["green"]],
                       stimulus_neuron = okabe_ito[["blue"]])

# tables: data frames of all analyses; results: what the package's own plot() draws.
draw_figures <- function(recordings, tables, results, output) {
  save <- function(name, plot, width = 8, height = 3.6) {
    ggplot2::ggsave(file.path(output, paste0(name, ".png")), plot, width = width, height = height,
                    dpi = 150, bg = "white")
  }
  draw_it(recordings, tables, save)
  save("brain-to-model", layer_profile(tables[["brain-to-model"]]))
  save("brain-to-model-neurons", ggplot2::autoplot(results$layers[[names(settings)[2]]]), height = 5)
  save("layers", ggplot2::autoplot(results$layer_grid), height = 7.2)
  save("larvae", larva_curves(tables$larvae))
  save("rdms", ggplot2::autoplot(results$rdms$all), height = 7)
  save("rdms-within", ggplot2::autoplot(results$rdms$within), height = 7)
}

draw_it <- function(recordings, tables, save) {
  sessions <- tables[["brain-to-brain-sessions"]]
  objects <- tables[["object-disentanglement"]]
  save("brain-to-brain-halves",
       curves(tables[["brain-to-brain-halves"]], "neurons in each half") +
         expected_line(recordings))
  save("brain-to-brain-sessions",
       curves(sessions[sessions$x == "(all)", ], "units of each session (at most)", top = 1))
  save("trial-to-trial", curves(tables[["trial-to-trial"]], "neurons", "left_out"), height = 5.5)
  save("object-disentanglement", curves(objects[objects$x == "(all)", ], "neurons", top = 1.1))
  save("object-pairs", object_grid(objects), height = 3.9, width = 9)
  save("undefined-ratios", undefined_curves(tables), height = 3.2)
}

look <- function() {
  ggplot2::theme_minimal(base_size = 11) +
    ggplot2::theme(legend.position = "bottom", legend.margin = ggplot2::margin(0, 0, 0, 0),
                   axis.title = ggplot2::element_text(size = 10),
                   panel.grid.minor = ggplot2::element_blank(),
                   panel.spacing = ggplot2::unit(1.2, "lines"),
                   strip.text = ggplot2::element_text(face = "bold"))
}

as_panels <- function(values) factor(values, unique(values))

neuron_axis <- function(neurons, name) {
  ggplot2::scale_x_continuous(name, trans = "log2", breaks = sort(unique(neurons)))
}

# Pooled estimates with intervals; dashed: median of the single ratios. top: end of the axis.
curves <- function(table, neurons, rows = NULL, top = 1.5) {
  table$setting <- as_panels(table$setting)
  if (!is.null(rows)) table$row <- as_panels(paste(table[[rows]], gsub("_", " ", rows)))
  dodge <- ggplot2::position_dodge(width = 0.2)
  ggplot2::ggplot(table, ggplot2::aes(neurons, pooled, colour = estimator)) +
    ggplot2::geom_hline(yintercept = 1, colour = "grey50", linetype = "dotted") +
    ggplot2::geom_line(ggplot2::aes(y = median), linetype = "dashed", alpha = 0.6, na.rm = TRUE) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = conf_low, ymax = conf_high), position = dodge,
                            na.rm = TRUE) +
    ggplot2::geom_line(position = dodge) +
    ggplot2::geom_point(position = dodge) +
    (if (is.null(rows)) ggplot2::facet_wrap(~setting) else ggplot2::facet_grid(row ~ setting)) +
    neuron_axis(table$neurons, neurons) +
    ggplot2::scale_colour_manual(NULL, values = estimator_colours) +
    ggplot2::coord_cartesian(ylim = c(0, top)) +
    ggplot2::labs(y = "CKA") +
    look()
}

# What the general bias formula expects of the stimulus-corrected estimate.
expected_stimulus <- function(x, neurons) {
  geometry <- participation_ratio(x)
  1 / (1 + (geometry$stimulus_neuron / geometry$psi_neurons - 1) / neurons)
}

expected_line <- function(recordings) {
  x <- mean_responses(recordings)
  neurons <- 2^seq(2, log2(ncol(x) / 2), length.out = 50)
  expected <- function(setting, x) {
    data.frame(setting = setting, neurons = neurons, pooled = expected_stimulus(x, neurons))
  }
  lines <- rbind(expected(names(settings)[1], x),
                 expected(names(settings)[2], scale(x, center = FALSE, scale = apply(x, 2, sd))))
  lines$setting <- as_panels(lines$setting)
  ggplot2::geom_line(data = lines, colour = "black", linetype = "dotted")
}

# Every pair of objects at all neurons.
object_grid <- function(objects) {
  pairs <- objects[objects$x != "(all)" & objects$neurons == max(objects$neurons) &
                     objects$estimator == "stimulus_neuron", ]
  names <- unique(c(pairs$x, pairs$y))
  pairs$setting <- as_panels(pairs$setting)
  pairs$x <- factor(pairs$x, names)
  pairs$y <- factor(pairs$y, rev(names))
  ggplot2::ggplot(pairs, ggplot2::aes(x, y, fill = pooled)) +
    ggplot2::geom_tile() +
    ggplot2::geom_text(ggplot2::aes(label = number(pooled),
                                    colour = ifelse(pooled > 0.75, "white", "black")), size = 2.6) +
    ggplot2::scale_colour_identity() +
    ggplot2::facet_wrap(~setting) +
    ggplot2::scale_fill_gradient(low = "white", high = estimator_colours[["stimulus_neuron"]],
                                 limits = range(0, 1, pairs$pooled), breaks = c(0, 0.5, 1)) +
    ggplot2::labs(x = NULL, y = NULL, fill = "CKA (stimulus_neuron)") +
    ggplot2::coord_fixed() +
    look() +
    ggplot2::theme(panel.grid = ggplot2::element_blank(),
                   axis.text.x = ggplot2::element_text(angle = 45, hjust = 1))
}

# Share of single ratios without a value.
undefined_rows <- function(tables) {
  rows <- function(analysis, table) {
    table <- table[table$estimator == "stimulus_neuron" & table$setting %in% names(settings), ]
    if (any(table$x == "(all)")) table <- table[table$x == "(all)", ]
    data.frame(analysis = analysis, table[c("setting", "neurons", "undefined", "n_estimates")])
  }
  trials <- tables[["trial-to-trial"]]
  rbind(
    rows("random halves", tables[["brain-to-brain-halves"]]),
    rows("by session", tables[["brain-to-brain-sessions"]]),
    rows("trial-to-trial, same neuron left out", trials[trials$left_out == "same neuron", ]),
    rows("trial-to-trial, same session left out", trials[trials$left_out == "same session", ]),
    rows("object disentanglement", tables[["object-disentanglement"]])
  )
}

undefined_curves <- function(tables) {
  table <- undefined_rows(tables)
  table$setting <- as_panels(table$setting)
  table$analysis <- as_panels(table$analysis)
  ggplot2::ggplot(table, ggplot2::aes(neurons, undefined / n_estimates, colour = analysis)) +
    ggplot2::geom_line() +
    ggplot2::geom_point() +
    ggplot2::facet_wrap(~setting) +
    ggplot2::scale_x_continuous("neurons", trans = "log2", breaks = 2^(1:7)) +
    ggplot2::scale_y_continuous("undefined single ratios", limits = c(0, 1),
                                labels = function(share) paste0(100 * share, "%")) +
    ggplot2::scale_colour_manual(NULL, values = unname(okabe_ito)) +
    look() +
    ggplot2::theme(legend.position = "right")
}

# Corrected and uncorrected similarity of V4 to each layer, with all neurons.
layer_profile <- function(table) {
  table <- table[table$neurons == max(table$neurons), ]
  table$setting <- as_panels(table$setting)
  dodge <- ggplot2::position_dodge(width = 0.25)
  ggplot2::ggplot(table, ggplot2::aes(y, pooled, colour = estimator, group = estimator)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = conf_low, ymax = conf_high), position = dodge,
                            na.rm = TRUE) +
    ggplot2::geom_line(position = dodge) +
    ggplot2::geom_point(position = dodge) +
    ggplot2::facet_wrap(~setting) +
    ggplot2::scale_colour_manual(NULL, values = estimator_colours) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    ggplot2::labs(x = "layer of the network", y = "CKA with V4") +
    look()
}

larva_curves <- function(larvae) {
  curves(larvae[larvae$x == "(all)" & larvae$odours == one_dilution, ], "neurons of each larva",
         top = 1.2)
}
