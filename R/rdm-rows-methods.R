# The result of rdm_rows() is printed, described and drawn here.

#' @rdname rdm_rows
#' @param object what `rdm_rows()` returned.
#' @param digits how many significant digits to print at least.
#' @param n how many rows to print.
#' @param ... for `plot()`: arguments of `autoplot()`; unused by the others.
#' @export
print.repalign_rdm_rows <- function(x, digits = 3, n = NULL, ...) {
  check_printing(digits, n, ...)
  whole <- attr(x, "whole")
  cat("Conditions of RDMs that are compared: ", attr(x, "outer"), sep = "")
  if (!is.null(whole)) {
    cat(", ", count_of(nrow(whole), "comparison"), ", score ",
        paste(unique(format(range(whole$score), digits = digits)), collapse = " to "), sep = "")
  }
  cat("\n")
  print_rows(x, digits, n)
  invisible(x)
}

#' @export
`[.repalign_rdm_rows` <- function(x, ...) part_of(NextMethod(), x)

#' @rdname rdm_rows
#' @param row.names,optional unused.
#' @export
as.data.frame.repalign_rdm_rows <- function(x, row.names = NULL, optional = FALSE, ...) {
  plain_rows(x)
}

#' @rdname rdm_rows
#' @export
tidy.repalign_rdm_rows <- function(x, ...) {
  rows <- need_columns(as.data.frame(x), c("condition", "score"), "tidied")
  names(rows)[match(c("condition", "score"), names(rows))] <- c("term", "estimate")
  rows
}

#' @rdname rdm_rows
#' @export
glance.repalign_rdm_rows <- function(x, ...) {
  need_kept(x, "whole", "rdm_rows()")
}

#' @rdname rdm_rows
#' @export
plot.repalign_rdm_rows <- function(x, ...) draw(x, ...)

#' @rdname rdm_rows
#' @param value what is drawn along the axis: `"contribution"` or `"score"`.
#' @param most how many conditions are drawn: those with the largest absolute contributions (mean
#'   over subjects and models).
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_rdm_rows <- function(object, value = c("contribution", "score"), most = 20, ...) {
  no_other_arguments(...)
  value <- check_choice(value, c("contribution", "score"), "value")
  most <- check_count(most, "most")
  need_columns(object, c("condition", "contribution", value), "drawn")
  need_rows(object)
  shown <- driving_rows(object, value, most)
  several <- !is.null(shown$all$subject) && length(unique(shown$all$subject)) > 1
  ggplot2::ggplot(shown$means, ggplot2::aes(x = .data[["value"]], y = .data[["title"]])) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey60") +
    (if (value == "contribution") equal_share_line(object)) +
    ggplot2::geom_segment(ggplot2::aes(xend = 0, yend = .data[["title"]]), colour = forest_colour,
                          linewidth = 0.7) +
    (if (several) {
      ggplot2::geom_point(data = shown$all, size = 1.1, colour = "grey50", alpha = 0.7,
                          na.rm = TRUE)
    }) +
    ggplot2::geom_point(size = 2.3, colour = forest_colour, na.rm = TRUE) +
    (if (!is.null(object$model)) ggplot2::facet_wrap(ggplot2::vars(.data[["model"]]))) +
    ggplot2::labs(x = driving_axis(value, attr(object, "outer")), y = NULL,
                  caption = driving_caption(shown, value, several)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank())
}

# list(means, all, left_out): over subjects, and of each, the conditions with the largest mean of
# absolute contributions, the largest on top.
driving_rows <- function(object, value, most) {
  rows <- as.data.frame(object)
  if (all(is.na(rows[[value]]))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  rows$value <- rows[[value]]
  if (is.null(rows$model)) rows$model <- ""
  rows$model <- factor(rows$model, unique(rows$model))
  group <- interaction(rows$model, rows$condition, drop = TRUE, lex.order = TRUE)
  first <- !duplicated(group)
  means <- rows[first, c("model", "condition")]
  known <- as.character(group[first])
  means$value <- as.vector(tapply(rows$value, group, mean, na.rm = TRUE)[known])
  drive <- tapply(rows$contribution, group, mean, na.rm = TRUE)[known]
  drive <- tapply(abs(drive), factor(means$condition, unique(means$condition)), mean)
  shown <- names(sort(-drive))[seq_len(min(most, length(drive)))]
  at <- function(table) {
    table <- table[table$condition %in% shown, ]
    table$title <- factor(table$condition, rev(shown))
    table
  }
  list(means = at(means), all = at(rows), left_out = length(drive) - length(shown))
}

# Where all conditions would stand if they contributed the same.
equal_share_line <- function(object) {
  whole <- attr(object, "whole")
  if (is.null(whole)) return(NULL)
  model <- if (is.null(whole$model)) rep("", nrow(whole)) else whole$model
  means <- tapply(whole$score / whole$conditions, factor(model, unique(model)), mean, na.rm = TRUE)
  lines <- data.frame(model = factor(names(means), names(means)), at = as.vector(means))
  lines <- lines[!is.na(lines$at), ]
  ggplot2::geom_vline(ggplot2::aes(xintercept = .data[["at"]]), lines, linetype = "dotted",
                      colour = "grey30")
}

driving_axis <- function(value, outer) {
  paste(if (value == "score") "score of the row" else "contribution to the score",
        if (!is.null(outer)) paste0("(", outer, ")"))
}

driving_caption <- function(shown, value, several) {
  wrapped_caption(c(if (several) "large: means over subjects; small: subjects",
                    if (value == "contribution") "dotted: all conditions alike",
                    if (shown$left_out) paste(shown$left_out, "conditions with smaller",
                                              "contributions are not shown")))
}
