# Pictures of calibrations.

#' @rdname plot.repalign
#' @export
plot.repalign_calibration <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_calibration <- function(object, most = 12, ...) {
  no_other_arguments(...)
  check_count(most, "most")
  need_columns(object, c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "engine"), "drawn")
  if (!nrow(object)) {
    abort("`object` has no rows: there is nothing to draw.", class = "repalign_error_size",
          arg = "object")
  }
  if (nrow(object) <= most) null_panels(object) else calibrated_tiles(object)
}

mark_colours <- c(score = "#b2182b", threshold = "black", `null mean` = "#2166ac")

# A panel a row: null scores, the observed score, the threshold.
null_panels <- function(object) {
  draws <- draws_of_rows(object)
  panel <- factor(seq_len(nrow(object)), labels = panel_titles(object))
  bars <- do.call(rbind, Map(null_bars, draws, as.list(panel)))
  marks <- null_marks(object, panel)
  if (is.null(bars) && all(is.na(marks$at))) {
    abort("There is nothing to draw: all scores are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  ggplot2::ggplot(marks) +
    (if (!is.null(bars)) {
      ggplot2::geom_rect(data = bars, fill = "grey75",
                         ggplot2::aes(xmin = .data[["from"]], xmax = .data[["to"]], ymin = 0,
                                      ymax = .data[["count"]]))
    }) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data[["at"]], colour = .data[["mark"]],
                                     linetype = .data[["mark"]]), na.rm = TRUE, linewidth = 0.7) +
    ggplot2::facet_wrap(~panel, scales = "free", drop = FALSE) +
    ggplot2::scale_colour_manual(NULL, values = mark_colours) +
    ggplot2::scale_linetype_manual(NULL, values = c(score = "solid", threshold = "dashed",
                                                    `null mean` = "dotted")) +
    ggplot2::labs(x = "score", y = if (is.null(bars)) NULL else "null scores",
                  caption = draws_caption(draws, !is.null(object$p_adjusted))) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(), legend.position = "top",
                   panel.spacing = ggplot2::unit(1.2, "lines"))
}

# Which comparison, and its p-value. Panels are told apart by their titles, so no two are equal.
panel_titles <- function(object) {
  side <- function(side) {
    part <- object[[side]]
    model <- object[[paste0("model_", side)]]
    if (is.null(model)) part else ifelse(is.na(part), model, paste(model, part, sep = "/"))
  }
  parts <- Map(function(...) paste(stats::na.omit(c(...)), collapse = " | "),
               side("x"), side("y"), object$measure)
  p <- judged_p(object)
  of <- if (is.null(object$p_adjusted)) "p =" else "adjusted p ="
  constant <- ifelse(!is.na(object$null_sd) & object$null_sd == 0, ", constant null", "")
  p <- ifelse(is.na(p), "undefined", paste0(of, " ", signif(p, 2), constant))
  make.unique(paste0(unlist(parts), "\n", p), " ")
}

# A histogram of about 30 bars. Scores that count something lie on a grid of few values: each
# bar then spans the same number of them.
null_bars <- function(draws, panel) {
  draws <- draws[is.finite(draws)]
  if (!length(draws)) return(NULL)
  values <- sort(unique(signif(draws, 10)))
  range <- values[length(values)] - values[1]
  step <- if (range > 0) min(diff(values)) else 0.02 * max(abs(values), 1e-3)
  steps <- round(range / step) + 1
  each <- ceiling(steps / 30)
  grid <- steps <= 600
  bars <- if (grid) ceiling(steps / each) else 30
  width <- if (grid) each * step else range / bars
  # the edges of a grid's bars lie between its values
  from <- if (grid) values[1] - step / 2 else values[1]
  bin <- pmin(pmax(floor((draws - from) / width), 0), bars - 1)
  left <- from + width * (seq_len(bars) - 1)
  result <- data.frame(panel, from = left, to = left + width, count = tabulate(bin + 1, bars))
  result[result$count > 0, ]
}

null_marks <- function(object, panel) {
  mean <- ifelse(object$engine == "moments", object$null_mean, NA)
  at <- cbind(score = object$score, threshold = object$threshold, `null mean` = mean)
  at <- at[, c(TRUE, TRUE, any(object$engine == "moments")), drop = FALSE]
  data.frame(panel = rep(panel, ncol(at)), at = as.vector(at),
             mark = factor(rep(colnames(at), each = nrow(at)), names(mark_colours)))
}

draws_caption <- function(draws, adjusted) {
  none <- sum(vapply(draws, is.null, NA))
  notes <- c(if (none > 0) paste0(none, " of ", length(draws), " by moments: without null scores"),
             if (adjusted) "thresholds are those of single comparisons, not adjusted")
  if (length(notes)) paste(notes, collapse = "; ")
}

# The grid of calibrated scores, a panel a measure.
calibrated_tiles <- function(object) {
  rows <- as.data.frame(object)
  names_of <- if (grid_of(object)$aggregate) model_names else full_names
  rows$row <- names_of(rows, "x")
  rows$column <- names_of(rows, "y")
  names <- unique(c(rows$row, rows$column))
  rows$row <- factor(rows$row, rev(names))
  rows$column <- factor(rows$column, names)
  rows$measure <- factor(rows$measure, unique(rows$measure))
  alpha <- settings_of(object)$alpha
  p <- judged_p(rows)
  rows$mark <- ifelse(!is.na(p) & p <= alpha, "*", "")
  rounded <- format(round(rows$calibrated, 2), nsmall = 2, trim = TRUE)
  rows$shown <- ifelse(is.na(rows$calibrated), "NA", paste0(rounded, rows$mark))
  strength <- abs(rows$calibrated) / max(abs(rows$calibrated), 1e-12, na.rm = TRUE)
  rows$ink <- ifelse(!is.na(strength) & strength > 0.7, "white", "black")
  label <- if (length(names) <= 15) "shown" else "mark"
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["column"]], y = .data[["row"]],
                                     fill = .data[["calibrated"]])) +
    ggplot2::geom_tile() +
    ggplot2::geom_text(ggplot2::aes(label = .data[[label]], colour = .data[["ink"]]), size = 3) +
    ggplot2::scale_colour_identity() +
    ggplot2::facet_wrap(~measure) +
    ggplot2::scale_fill_gradient2(low = "#b2182b", mid = "#f7f7f7", high = "#2166ac") +
    ggplot2::labs(x = NULL, y = NULL, fill = "calibrated", caption = tiles_caption(rows, alpha)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 45, hjust = 1),
                   panel.grid = ggplot2::element_blank())
}

tiles_caption <- function(rows, alpha) {
  paste0("* ", if (!is.null(rows$p_adjusted)) "adjusted ", "p-value at most ", format(alpha),
         ": ", sum(rows$mark == "*"), " of ", nrow(rows))
}
