# These functions draw benchmarks of measures: panels of qualities, and ranks.

# ---- benchmark

# These functions draw benchmarks: how well each measure does, a panel for each metric.

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_benchmark <- function(object, measure = NULL, metric = NULL, ...) {
  no_other_arguments(...)
  need_columns(object, c("measure", "value", "p_value", "undefined"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  rows <- benchmark_points(object, metric)
  known <- rows[!is.na(rows$value), , drop = FALSE]
  refuse_undefined(known$value)
  # it hardly differs between measures
  levels <- known[known$whole & !is.na(known$chance), , drop = FALSE]
  chance <- if (nrow(levels)) {
    stats::aggregate(levels["chance"], levels[c("metric", "source")], mean)
  } else levels
  undefined <- sum(is.na(rows$value))
  caption <- caption_of(if (nrow(chance)) "dashed: chance",
                        if (!all(rows$whole)) "grey: single groups or models",
                        if (undefined) paste(count_of(undefined, "value"), "undefined (NA)"),
                        crowded_words(levels(known$measure)))
  titles <- ggplot2::label_wrap_gen(12)
  # titles of more than three panels side by side have no room in a column of a journal
  panels <- if (nlevels(known$source) == 1 && nlevels(known$metric) > 3) {
    ggplot2::facet_wrap("metric", ncol = 3, scales = "free_x", labeller = titles)
  } else ggplot2::facet_grid(source ~ metric, scales = "free_x", labeller = titles)
  ggplot2::ggplot(known, by_column(x = "value", y = "measure")) +
    (if (nrow(chance)) {
      ggplot2::geom_vline(by_column(xintercept = "chance"), chance, linetype = "dashed",
                          colour = "grey40")
    }) +
    ggplot2::geom_point(data = known[!known$whole, ], colour = "grey60", size = 1) +
    ggplot2::geom_point(by_column(shape = "judged"), known[known$whole, ],
                        colour = okabe_ito[["blue"]], size = 2) +
    ggplot2::scale_shape_manual(values = point_shapes, drop = TRUE) +
    panels +
    ggplot2::scale_x_continuous(n.breaks = 3, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = NULL, y = NULL, shape = NULL, caption = caption) +
    picture_theme(panel.spacing.x = ggplot2::unit(16, "pt")) +
    names_axis("y", levels(known$measure), panels = nlevels(known$source))
}

# Filled and empty points; a third kind where there is no p-value.
point_shapes <- c("p-value at most 0.05" = 19, "p-value above 0.05" = 1, "no p-value" = 18)

# The rows to draw, with the columns metric, measure, source (factors), whole and judged. Measures
# stand in the order of their mean ranks over the panels, the best at the top.
benchmark_points <- function(object, metric) {
  rows <- as.data.frame(object)
  rows$metric <- metric_of(rows)
  # the results and tests that were bound together, a row of panels each
  columns <- c(source_columns(object), test_columns(rows))
  several <- Filter(function(column) length(unique(rows[[column]])) > 1, columns)
  rows$source <- if (!length(several)) {
    factor(rep("", nrow(rows)))
  } else {
    refuse_twice(object, rows, source_columns(object))
    ordered_text(rows[several], ", ")
  }
  if (!is.null(metric)) {
    metric <- check_choice(metric, unique(rows$metric), "metric", several = TRUE)
    rows <- rows[rows$metric %in% metric, , drop = FALSE]
  }
  rows$metric <- factor(rows$metric, unique(rows$metric))
  if (is.null(rows$chance)) rows$chance <- rep(NA_real_, nrow(rows))
  rows$whole <- if (is.null(rows$part)) TRUE else rows$part == "all"
  judged <- ifelse(is.na(rows$p_value), 3, ifelse(rows$p_value <= 0.05, 1, 2))
  rows$judged <- factor(names(point_shapes)[judged], names(point_shapes))
  measures <- label_levels(rows$measure)
  order <- if (is.factor(rows$measure)) {
    measures
  } else {
    whole <- if (any(rows$whole)) rows[rows$whole, , drop = FALSE] else rows
    ranks <- stats::ave(-whole$value, whole$source, whole$metric, FUN = function(values) {
      rank(values, na.last = "keep")
    })
    mean_rank <- tapply(ranks, factor(whole$measure, measures), mean, na.rm = TRUE)
    measures[order(mean_rank, na.last = TRUE)]
  }
  rows$measure <- factor(rows$measure, rev(order))
  rows
}

# ---- ranks

#' @rdname rank_measures
#' @aliases plot.repalign_ranks
#' @param by of `plot()`: the name of a column, such as `"dataset"` or `"test"`: a panel for each of
#'   its values, each with its own order of measures. `NULL`: one panel.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_ranks <- function(object, by = NULL, ...) {
  no_other_arguments(...)
  # the rows that have a rank, with their place on the axis: a factor of measures within panels, the
  # best last, because an axis begins at the bottom
  rows <- need_rank_columns(need_rows(object), "drawn")
  if (!is.null(by)) by <- check_choice(by, rank_tests(rows), "by")
  rows$panel <- if (is.null(by)) "" else as.character(rows[[by]])
  rows$panel[is.na(rows$panel)] <- "(none)"
  rows$panel <- factor(rows$panel, unique(rows$panel))
  rows <- rows[!is.na(rows$rank), ]
  refuse_if(!nrow(rows), "size", "There is no rank to draw: all figures are undefined.",
            arg = "object")
  order <- unlist(lapply(levels(rows$panel), function(panel) {
    part <- rows[rows$panel == panel, setdiff(names(rows), "panel")]
    if (nrow(part)) paste(rank_summary(part)$measure, panel, sep = "\r")
  }))
  rows$place <- factor(paste(rows$measure, rows$panel, sep = "\r"), rev(order))
  # the families of measures by their labels, which begin with an id or an abbreviation
  declared <- lapply(measure_ids(), function(id) registry[[id]])
  named <- c(vapply(declared, function(d) d$id, ""), vapply(declared, function(d) d$resi, ""))
  at <- match(sub("( #|\\().*", "", rows$measure), named)
  family <- rep(vapply(declared, function(d) d$family, ""), 2)[at]
  family[is.na(family)] <- "other"
  rows$family <- factor(family, intersect(c(families, "other"), family))
  known <- !identical(levels(rows$family), "other")
  colours <- category_colours(c(families, "other"))[levels(rows$family)]
  colours[names(colours) == "other"] <- undefined_colour
  ggplot2::ggplot(rows, by_column(x = "rank", y = "place")) +
    # pale, so that median and points are seen on every colour
    ggplot2::geom_boxplot(by_column(fill = "family"), outlier.shape = NA, alpha = 0.55,
                          linewidth = 0.35, width = 0.7, show.legend = known) +
    ggplot2::geom_point(colour = "grey25", size = 0.6) +
    ggplot2::stat_summary(fun = mean, geom = "point", shape = 23, size = 1.6, fill = "white",
                          orientation = "y") +
    ggplot2::scale_fill_manual(values = colours) +
    ggplot2::scale_x_continuous(breaks = function(limits) {
      # the first rank, and about five others
      others <- pretty(c(0, limits[2]), 5)
      c(1, others[others > 1 & others == round(others)])
    }) +
    (if (!is.null(by)) ggplot2::facet_wrap("panel", scales = "free_y")) +
    ggplot2::labs(x = "rank (1 is best)", y = NULL, fill = NULL,
                  caption = caption_of("diamond: mean rank", "points: single tests",
                                       crowded_words(levels(rows$place)))) +
    picture_theme(lines = "x", legend.key.size = ggplot2::unit(0.7, "lines"),
                  legend.margin = ggplot2::margin(0, 0, 0, 0)) +
    names_axis("y", levels(rows$place), written = sub("\r.*", "", levels(rows$place)))
}

# ---- panels

# These functions decide in which panel a row is drawn, and in which order names stand.

need_rows <- function(object, arg = "object") {
  refuse_if(!nrow(object), "size", "There is nothing to draw: `{arg}` has no rows.")
  refuse_nameless_rows(object, arg)
}

# The rows of a result that has what is drawn of it.
drawn_rows <- function(object, columns) {
  as.data.frame(need_rows(need_columns(object, columns, "drawn")))
}

# The rows of some measures; all rows when `measure` is NULL.
rows_of_measure <- function(object, measure) {
  if (is.null(measure)) return(object)
  labels <- unique(as.character(object$measure))
  measure <- check_choice(labels_of_ids(measure, labels), labels, "measure", several = TRUE)
  object[object$measure %in% measure, ]
}

# A factor that says from which of several bound results each row is; it has one level if there is
# only one result.
row_sources <- function(object) {
  # the layers that a maximum selects do not name its row
  if (grid_of(object)$aggregate) object[c("x", "y")] <- NA_character_
  rows <- as.data.frame(object)
  columns <- source_columns(object)
  refuse_twice(object, rows, columns)
  columns <- Filter(function(column) length(unique(rows[[column]])) > 1, columns)
  if (!length(columns)) return(factor(rep("all", nrow(rows))))
  ordered_text(lapply(columns, function(column) {
    # The text of a source. Words speak for themselves; numbers and the like need the name of their
    # column.
    values <- rows[[column]]
    words <- is.character(values) || is.factor(values)
    order <- if (words) value_order(values) else sort(unique(values))
    text <- function(v) if (words) as.character(v) else paste(column, v)
    unknown <- paste0("(no ", column, ")")
    droplevels(factor(ifelse(is.na(values), unknown, text(values)), c(text(order), unknown)))
  }), ", ")
}

refuse_twice <- function(object, rows, columns) {
  key <- key_columns(object)
  refuse_same_place(rows[c(key, columns)], rows[key])
}

# Refuses rows that would be drawn over each other. places: a data frame whose rows differ when rows
# are drawn in different places; names: the columns by which the message names a row.
refuse_same_place <- function(places, names) {
  twice <- anyDuplicated(places)
  if (!twice) return(invisible())
  same <- do.call(paste, c(lapply(places, as.character), sep = "\r"))
  refuse("rows", "`object` has two rows of ", quoted(key_text(names[twice, , drop = FALSE])),
         " (rows {match(same[twice], same)} and {twice}), which would be drawn in one place: say ",
         "which result each is from, as in rbind(first = a, second = b) or dplyr::bind_rows(first ",
         "= a, second = b, .id = \"result\"), or take the rows of one result.")
}

key_text <- function(row) {
  paste(stats::na.omit(vapply(row, as.character, "")), collapse = " | ")
}

# The values in the order in which they are drawn: that of the levels of a factor, otherwise that of
# their first appearance.
value_order <- function(values) {
  if (is.factor(values)) levels(values) else unique(values[!is.na(values)])
}

# Pastes columns into one factor; missing parts are left out. If one of the columns is a factor, the
# levels are sorted by the first column, then by the second and so on; otherwise they stand in order
# of appearance.
ordered_text <- function(columns, separator) {
  columns <- unname(columns)
  parts <- lapply(columns, as.character)
  text <- vapply(seq_along(parts[[1]]), function(i) {
    paste(stats::na.omit(vapply(parts, `[`, "", i)), collapse = separator)
  }, "")
  if (!any(vapply(columns, is.factor, NA))) return(factor(text, unique(text)))
  rank <- lapply(columns, function(column) match(as.character(column), value_order(column)))
  factor(text, unique(text[do.call(order, rank)]))
}

# Returns list(x, y): the names of both sides, as factors with the same levels.
side_names <- function(rows, aggregate) {
  part <- stacked(rows$x, rows$y)
  model <- if (!is.null(rows$model_x)) stacked(rows$model_x, rows$model_y)
  whole <- aggregate | is.na(rep(rows$x, 2)) | is.na(rep(rows$y, 2))
  if (is.null(model)) {
    if (any(whole)) part <- as.character(part)
    part[whole] <- rep(c("x", "y"), each = nrow(rows))[whole]
  } else part[whole] <- NA
  names <- ordered_text(if (is.null(model)) list(part) else list(model, part), "/")
  here <- seq_len(nrow(rows))
  list(x = names[here], y = names[-here])
}

# Two columns one below the other; factors keep the order of their levels.
stacked <- function(a, b) {
  both <- c(as.character(a), as.character(b))
  if (!is.factor(a) && !is.factor(b)) return(both)
  factor(both, unique(c(value_order(a), value_order(b))))
}

# Returns list(panel, columns): the panel of each row as a factor, and how many panels stand side by
# side.
panels_of <- function(source, measure) {
  several <- c(nlevels(droplevels(source)), nlevels(droplevels(measure))) > 1
  parts <- list(source, measure)
  panel <- ordered_text(if (all(several)) parts else if (several[1]) parts[1] else parts[2], "\n")
  columns <- if (all(several)) nlevels(measure) else ceiling(sqrt(nlevels(panel)))
  list(panel = panel, columns = min(columns, 4))
}
