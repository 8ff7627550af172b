# These functions draw the ranks of measures over tests as box plots.

#' Plot the ranks of measures
#'
#' Draws a box plot of the ranks of each measure over all tests, as in Figure 3 of the ReSi paper:
#' measures in the order of their median rank, the best at the top.
#'
#' @param x,object what [rank_measures()] returned, or some of its rows.
#' @param by the name of a column, such as `"dataset"` or `"test"`: a panel for each of its values,
#'   each with its own order of measures. `NULL`: one panel.
#' @param ... arguments of `autoplot()`, which `plot()` passes on; any other is an error.
#' @return `plot()` returns `x`, invisibly. `autoplot()` returns a ggplot object, which can be
#'   changed or saved.
#' @details
#' The box has the quartiles and the median; the whiskers extend to the last rank within 1.5 times
#' the inter-quartile range; a white diamond is the mean; grey points are the ranks in the single
#' tests. Colours are the families of [measures()], for measures that are known by their id or by
#' their abbreviation in the ReSi benchmark.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   set.seed(1)
#'   figures <- lapply(1:5, function(k) {
#'     data.frame(measure = c("cka", "rsa", "procrustes", "mutual_knn"), metric = "auprc",
#'                value = runif(4), test = paste("test", k))
#'   })
#'   plot(rank_measures(figures))
#' }
#' @seealso [rank_measures()]
#' @name plot.repalign_ranks
NULL

#' @rdname plot.repalign_ranks
#' @export
plot.repalign_ranks <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign_ranks
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_ranks <- function(object, by = NULL, ...) {
  no_other_arguments(...)
  rows <- rank_places(need_rank_columns(need_rows(object), "drawn"), by)
  families <- levels(rows$family)
  known <- !identical(families, "other")
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["rank"]], y = .data[["place"]])) +
    # pale, so that median and points are seen on every colour
    ggplot2::geom_boxplot(ggplot2::aes(fill = .data[["family"]]), outlier.shape = NA, alpha = 0.55,
                          linewidth = 0.35, width = 0.7, show.legend = known) +
    ggplot2::geom_point(colour = "grey25", size = 0.6) +
    ggplot2::stat_summary(fun = mean, geom = "point", shape = 23, size = 1.6, fill = "white",
                          orientation = "y") +
    ggplot2::scale_fill_manual(values = family_colours(families)) +
    ggplot2::scale_y_discrete(labels = function(places) {
      short_labels(sub("\r.*", "", places), room_for_names(nlevels(rows$panel)))
    }) +
    ggplot2::scale_x_continuous(breaks = function(limits) rank_breaks(limits[2])) +
    (if (!is.null(by)) ggplot2::facet_wrap("panel", scales = "free_y")) +
    ggplot2::labs(x = "rank (1 is best)", y = NULL, fill = NULL,
                  caption = "diamond: mean rank; points: single tests") +
    rank_theme(nlevels(rows$place))
}

# How many characters of a name leave room for the ranks: there are more panels side by side, the
# more panels there are.
room_for_names <- function(panels) c(40, 26, 18, 14)[min(4, ggplot2::wrap_dims(panels)[2])]

# The first rank, and about five others.
rank_breaks <- function(last) {
  others <- pretty(c(0, last), 5)
  c(1, others[others > 1 & others == round(others)])
}

rank_theme <- function(count) {
  picture_theme(axis.text.y = ggplot2::element_text(size = if (count > 25) 6.5 else 8),
                panel.grid.major.y = ggplot2::element_blank(),
                panel.grid.minor = ggplot2::element_blank(), legend.position = "top",
                legend.key.size = ggplot2::unit(0.7, "lines"),
                legend.margin = ggplot2::margin(0, 0, 0, 0))
}

# The rows that have a rank, with their place on the axis: a factor of measures within panels, the
# best last, because an axis begins at the bottom.
rank_places <- function(rows, by) {
  if (!is.null(by)) by <- check_choice(by, rank_tests(rows), "by")
  rows$panel <- if (is.null(by)) "" else as.character(rows[[by]])
  rows$panel[is.na(rows$panel)] <- "(none)"
  rows$panel <- factor(rows$panel, unique(rows$panel))
  rows <- rows[!is.na(rows$rank), ]
  if (!nrow(rows)) {
    abort("There is no rank to draw: all figures are undefined.", class = "repalign_error_size",
          arg = "object")
  }
  order <- unlist(lapply(levels(rows$panel), function(panel) {
    part <- rows[rows$panel == panel, setdiff(names(rows), "panel")]
    if (nrow(part)) paste(rank_summary(part)$measure, panel, sep = "\r")
  }))
  rows$place <- factor(paste(rows$measure, rows$panel, sep = "\r"), rev(order))
  rows$family <- family_of(rows$measure)
  rows
}

# The families of measures by their labels, which begin with an id or an abbreviation; "other" for
# those of nobody. In the order of the declared families.
family_of <- function(labels) {
  known <- lapply(measure_ids(), function(id) registry[[id]])
  names <- c(vapply(known, function(d) d$id, ""), vapply(known, function(d) d$resi, ""))
  family <- rep(vapply(known, function(d) d$family, ""), 2)
  found <- family[match(sub("( #|\\().*", "", labels), names)]
  found[is.na(found)] <- "other"
  factor(found, intersect(c(families, "other"), found))
}

family_colours <- function(names) {
  colours <- category_colours(families)
  stats::setNames(ifelse(names == "other", undefined_colour, colours[names]), names)
}
