# These functions draw similarities and measures(), and mark what is significant.

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_similarity <- function(object, type = c("tiles", "heatmap", "map"),
                                         measure = NULL, numbers = TRUE, ...) {
  no_other_arguments(...)
  check_flag(numbers, "numbers")
  type <- check_choice(type, c("tiles", "heatmap", "map"), "type")
  need_columns(object, c("x", "y", "measure", "score"), "drawn")
  need_rows(object)
  object <- rows_of_measure(object, measure)
  if (type == "map") return(map_picture(object))
  if (type == "heatmap" && !is_of_two_lists(object)) return(heatmap_picture(object, numbers))
  tiles <- tile_table(object, object$score)
  facts <- measure_facts(object)
  draw_tiles(tiles, score_shading(tiles, facts$direction, facts$best), numbers = numbers)
}

# ---- measures

#' @rdname measures
#' @aliases plot.repalign_measures
#' @usage NULL
#' @details
#' Changes of one side are *orthogonal* (rotations and reflections), *scaling* (all responses
#' multiplied by one factor), *translation* (another mean response of each neuron), *column
#' permutation* (another order of the neurons) and *invertible linear* (any invertible matrix).
#' `plot(measures())` shows which of them leave a score as it is: blue rows are similarities, orange
#' rows distances.
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(measures())
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_measures <- function(object, ...) {
  no_other_arguments(...)
  # a table with a row for each measure and property: does the property hold?
  table <- need_rows(object)
  needed <- c("id", "family", "direction", "symmetric", "pairing", "invariant")
  table <- need_columns(as.data.frame(table), needed, "drawn")
  twice <- anyDuplicated(table$id)
  refuse_if(twice, "rows", "`object` has two rows of {dQuote(table$id[twice], FALSE)}, which ",
            "would be drawn in one place: take one of them.")
  listed <- strsplit(table$invariant, ", ", fixed = TRUE)
  is_listed <- function(name) vapply(listed, function(l) name %in% l, NA)
  holds <- c(lapply(invariances, is_listed),
             list(table$symmetric, is_metric(table$id), table$pairing))
  holds <- unlist(holds)
  properties <- c(invariances, "symmetric", "metric", "pairing")
  tiles <- data.frame(
    id = factor(rep(table$id, length(properties)), rev(unique(table$id))),
    family = factor(rep(table$family, length(properties)), unique(table$family)),
    property = factor(rep(properties, each = nrow(table)), properties),
    group = factor(rep(properties %in% invariances, each = nrow(table)), c(TRUE, FALSE),
                   c("invariant to", "other properties")),
    shade = paste0(ifelse(holds, "", "no "), table$direction)
  )
  tiles <- tiles[!is.na(holds), ]
  # text and margins are so small that all measures have room on a page of 7 x 5 inches
  ggplot2::ggplot(tiles, by_column(x = "property", y = "id", fill = "shade")) +
    ggplot2::geom_tile(colour = "white", linewidth = 0.4) +
    ggplot2::facet_grid(family ~ group, scales = "free", space = "free", switch = "y") +
    ggplot2::scale_fill_manual(values = measure_colours, breaks = c("similarity", "distance")) +
    ggplot2::labs(x = NULL, y = NULL, fill = NULL,
                  caption = caption_of("dark: holds at default arguments", "pale: does not",
                                       crowded_words(table$id))) +
    picture_theme(lines = "none", legend.key.size = ggplot2::unit(0.7, "lines"),
                  legend.box.spacing = ggplot2::unit(0, "pt"),
                  legend.margin = ggplot2::margin(0, 0, 0, 0),
                  panel.spacing.y = ggplot2::unit(2, "pt"), strip.clip = "off",
                  strip.text = ggplot2::element_text(size = 8),
                  strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 1)) +
    names_axis("x", properties) +
    names_axis("y", levels(tiles$id), most = 30, position = "right") +
    ggplot2::theme(axis.text.y.right = ggplot2::element_text(hjust = 0))
}

# The table of measures has no column for this property, so that it is taken from the declarations.
# It is NA for rows that a user added.
is_metric <- function(ids) {
  vapply(ids, function(id) {
    d <- registry[[id]]
    if (is.null(d)) NA else declared(d$metric, d$check(default_arguments(id)))
  }, NA, USE.NAMES = FALSE)
}

# ---- significance

# These functions decide which rows of a calibration are significant, and say so in pictures.

is_significant <- function(object) {
  p <- p_to_judge(object)
  !is.na(p) & p <= alpha_of(object)
}

alpha_of <- function(object) {
  alpha <- attr(object, "settings")$alpha
  if (!is.null(alpha)) return(alpha)
  refuse("type", "`object` has lost its `alpha`, which some operations on data frames do not ",
         "keep: start again from what calibrate() returned.")
}

# Tiles with a star after the number of each significant row. With adjusted p-values the others are
# pale, because their calibrated score, which looks at one comparison only, may be above 0.
marked_tiles <- function(tiles, object) {
  found <- is_significant(object)
  tiles$mark <- ifelse(found, "*", "")
  tiles$text <- paste0(tiles$text, tiles$mark)
  if (!is.null(object$p_adjusted)) tiles$pale <- !found & !is.na(object$p_adjusted)
  tiles
}

significance_caption <- function(object) {
  adjusted <- !is.null(object$p_adjusted)
  found <- is_significant(object)
  words <- paste0(if (adjusted) "adjusted ", "p-value ")
  c(paste0("*: ", sum(found), " of ", nrow(object), " with ",
           if (adjusted) "an " else "a ", words, "of at most ", format(alpha_of(object))),
    if (any(object$p_adjusted > alpha_of(object), na.rm = TRUE)) {
      paste0("light grey: ", words, "above ", format(alpha_of(object)))
    })
}
