# These functions draw the coefficients of rsa_regression() as a forest plot.

#' @rdname rsa_regression
#' @export
plot.repalign_regression <- function(x, ...) draw(x, ...)

#' @rdname rsa_regression
#' @param value what is drawn: `"estimate"`, `"partial"`, `"semipartial"` or `"unique"`.
#' @param alpha level of what counts as significant: full points have a p-value of at most `alpha`.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_regression <- function(object,
                                         value = c("estimate", "partial", "semipartial", "unique"),
                                         alpha = 0.05, ...) {
  no_other_arguments(...)
  value <- check_choice(value, c("estimate", "partial", "semipartial", "unique"), "value")
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  need_columns(object, c("term", "p_value", value), "drawn")
  need_rows(object)
  rows <- coefficient_rows(object, value, alpha)
  several <- length(unique(object$subject)) > 1
  place <- if (several) ggplot2::position_nudge(y = -0.18) else ggplot2::position_identity()
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["value"]], y = .data[["title"]])) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey40") +
    ggplot2::geom_point(ggplot2::aes(shape = .data[["found"]]), na.rm = TRUE, position = place,
                        size = if (several) 1.7 else 3, show.legend = TRUE,
                        colour = if (several) "grey40" else forest_colour) +
    (if (several) group_marks(object, rows) else centered_marks(rows, value)) +
    ggplot2::scale_shape_manual(values = c(19, 1), name = NULL, drop = FALSE,
                                labels = paste("p", c("at most", "above"), format(alpha))) +
    ggplot2::labs(x = coefficient_axis(object, value), y = NULL,
                  caption = coefficient_caption(rows, value, several)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank(), legend.position = "top")
}

# The first predictor is on top.
coefficient_rows <- function(object, value, alpha) {
  rows <- as.data.frame(object)
  rows$value <- rows[[value]]
  if (all(is.na(rows$value))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  rows$title <- factor(rows$term, rev(unique(rows$term)))
  rows$found <- factor(ifelse(rows$p_value <= alpha & !is.na(rows$p_value), "yes", "no"),
                       c("yes", "no"))
  rows
}

# Where the coefficients stand that the p-values are about.
centered_marks <- function(rows, value) {
  if (value != "estimate" || is.null(rows$centered)) return(NULL)
  ggplot2::geom_point(ggplot2::aes(x = .data[["centered"]]), na.rm = TRUE, shape = 124, size = 5,
                      colour = okabe_ito[["vermillion"]])
}

# Means over subjects with 95% intervals by the t distribution.
group_marks <- function(object, rows) {
  parts <- lapply(split(rows$value, rows$title), function(values) {
    values <- values[!is.na(values)]
    half <- if (length(values) > 1) {
      stats::qt(0.975, length(values) - 1) * stats::sd(values) / sqrt(length(values))
    } else NA_real_
    data.frame(value = mean(values), low = mean(values) - half, high = mean(values) + half)
  })
  means <- do.call(rbind, parts)
  means$title <- factor(rownames(means), levels(rows$title))
  place <- ggplot2::position_nudge(y = 0.12)
  list(ggplot2::geom_linerange(ggplot2::aes(xmin = .data[["low"]], xmax = .data[["high"]]), means,
                               na.rm = TRUE, linewidth = 0.9, colour = forest_colour,
                               position = place),
       ggplot2::geom_point(data = means, size = 3, colour = forest_colour, position = place))
}

coefficient_axis <- function(object, value) {
  switch(value, estimate = if (isTRUE(attr(object, "standardize"))) "standardized coefficient" else
    "coefficient", partial = "partial correlation", semipartial = "semipartial correlation",
    unique = "unique share of the variance")
}

coefficient_caption <- function(rows, value, several) {
  undefined <- sum(is.na(rows$value))
  wrapped_caption(c(
    if (several) "large: means over subjects with 95% intervals; small: subjects",
    if (!several && value == "estimate" && !is.null(rows$centered)) {
      "lines: coefficients without effects of single conditions, which p is about"
    },
    if (undefined) paste(undefined, "undefined")
  ))
}

wrapped_caption <- function(parts) {
  if (length(parts)) paste(strwrap(paste(parts, collapse = "; "), 90), collapse = "\n")
}
