# These functions draw analyses with several comparisons, such as layers, side by side: a profile at
# each number of neurons.

is_profile <- function(rows) length(unique(rows$neurons)) == 1 && nlevels(rows$comparison) > 1

# With more comparisons than this, an axis of names would be of no use, even if it wrote only some.
most_names <- 60

# reference: from check_reference(); joined: are the values of an estimator joined by lines, as for
# the layers of a network, which come one after the other?
profile_picture <- function(object, rows, single, reference, joined) {
  rows <- profile_panels(rows)
  if (nlevels(rows$comparison) > most_names) {
    return(caterpillar_picture(object, rows, single, reference))
  }
  rows$at <- as.integer(rows$comparison) + estimator_shift(rows, 0.14)
  names <- profile_names(rows)
  caption <- c(analysis_caption(rows, single, "cross"),
               if (names$every > 1) "not every name has room on the axis")
  analysis_frame(object, rows, caption_of(caption), reference, name_axis(names)) +
    profile_layers(rows, single, joined) +
    ggplot2::xlab(paste0("comparison", neurons_of_profile(rows))) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = if (names$upright) 0 else 90,
                                                       hjust = if (names$upright) 0.5 else 1,
                                                       vjust = if (names$upright) 1 else 0.5,
                                                       size = names$size))
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

profile_layers <- function(rows, single, joined) {
  size <- if (nlevels(rows$comparison) > 25) 0.8 else 1.5
  list(
    if (joined && nlevels(rows$comparison) > 1) {
      ggplot2::geom_line(linewidth = 0.4, na.rm = TRUE, show.legend = FALSE,
                         ggplot2::aes(group = .data[["estimator"]]))
    },
    pooled_layers(rows, FALSE, size),
    if (single) {
      ggplot2::geom_point(ggplot2::aes(y = .data[["mean"]]), shape = 4, na.rm = TRUE, size = size,
                          show.legend = FALSE)
    },
    profile_facets(rows)
  )
}

profile_facets <- function(rows) {
  if (nlevels(rows$panel) > 1) panel_facets(rows$panel, profile_columns(rows))
}

# The panels of few sources stand one above the other, so that the same comparisons do, too. Those
# of few numbers of neurons stand side by side, so that the same values do.
profile_columns <- function(rows) {
  sizes <- nlevels(rows$size)
  sources <- nlevels(rows$source)
  if (sizes > 1 && (sources > 1 || sizes <= 4)) return(min(sizes, 4))
  panels <- nlevels(rows$panel)
  if (sizes == 1 && panels <= 4) 1 else min(ceiling(sqrt(panels)), 4)
}

name_axis <- function(names) {
  at <- thinned(seq_along(names$text), ceiling(length(names$text) / names$every))
  ggplot2::scale_x_continuous(breaks = at, labels = names$text[at],
                              expand = ggplot2::expansion(add = 0.5))
}

# Returns list(text, upright, size, every): the names of comparisons, whether they are written
# horizontally, the size of the text, and k where only every k-th name is written.
profile_names <- function(rows) {
  count <- nlevels(rows$comparison)
  width <- (page[["width"]] - 2) / profile_columns(rows)
  text <- varying_sides(rows, 20, "\n")
  upright <- max(nchar(unlist(strsplit(text, "\n")))) * count * 0.07 < width - 0.4
  if (!upright) text <- varying_sides(rows, if (any(grepl("\n", text))) 12 else 20, " - ")
  list(text = text, upright = upright, size = if (count > 25) 6.5 else 8.8,
       every = thinning(count, width / (if (count > 25) 0.08 else 0.13)))
}

# The names of the comparisons in the order of their levels. A side that is the same in all of them
# is not named.
varying_sides <- function(rows, most, separator) {
  fixed <- vapply(list(rows$x, rows$y), function(side) length(unique(side)) == 1, NA)
  if (all(fixed)) fixed[2] <- FALSE
  sides <- lapply(short_sides(rows$x, rows$y, most), as.character)
  names <- do.call(paste, c(sides[!fixed], sep = separator))
  names[match(levels(rows$comparison), rows$comparison)]
}

# With more comparisons than can be named, the values of each estimator are sorted in increasing
# order: a caterpillar plot.
caterpillar_picture <- function(object, rows, single, reference) {
  rows <- rows[!is.na(rows$pooled), ]
  group <- interaction(rows$panel, rows$estimator, drop = TRUE)
  rows$at <- stats::ave(rows$pooled, group, FUN = function(v) rank(v, ties.method = "first"))
  pooled <- if (!takes_best(analysis_of(object))) pooled_rows(object, rows)
  if (!is.null(pooled)) pooled <- profile_panels(pooled)
  caption <- c("comparisons are in the order of their values, for each estimator on its own",
               if (!is.null(pooled)) "long dashes: all comparisons pooled",
               analysis_caption(rows, single, "cross"))
  analysis_frame(object, rows, caption_of(caption), reference,
                 ggplot2::scale_x_continuous(breaks = NULL)) +
    caterpillar_layers(rows, pooled, single) +
    ggplot2::xlab(paste0(nlevels(rows$comparison), " comparisons", neurons_of_profile(rows)))
}

caterpillar_layers <- function(rows, pooled, single) {
  list(
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data[["conf_low"]], ymax = .data[["conf_high"]]),
                            alpha = 0.35, linewidth = 0.3, na.rm = TRUE, show.legend = FALSE),
    ggplot2::geom_point(size = 0.8),
    if (single) {
      ggplot2::geom_point(ggplot2::aes(y = .data[["mean"]]), shape = 4, size = 0.8, alpha = 0.5,
                          na.rm = TRUE, show.legend = FALSE)
    },
    if (!is.null(pooled)) {
      ggplot2::geom_hline(data = pooled, linetype = "longdash", show.legend = FALSE, na.rm = TRUE,
                          ggplot2::aes(yintercept = .data[["pooled"]],
                                       colour = .data[["estimator"]]))
    },
    profile_facets(rows)
  )
}
