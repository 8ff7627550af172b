# The result of score_interval() is printed, summarised, drawn and taken apart here.

#' @rdname tidy.repalign
#' @export
print.repalign_score_interval <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  level <- attr(x, "conf_level")
  cat("Scores with errors: ", count_of(nrow(x), "score"), undefined_of(x$score), "\n", sep = "")
  if (!is.null(level) && !is.null(x$over) && nrow(x)) {
    cat("conf_low to conf_high: ", format(100 * level), "% interval over ",
        enumerate(unique(x$over), quote = FALSE), "\n", sep = "")
  }
  print_rows(x, digits, n)
  if (!is.null(x$over) && any(grepl("neurons|subjects", x$over) & x$method == "half-samples")) {
    cat("Of half-samples no interactions are subtracted: their errors are rather too large.\n")
  }
  if (has_fixed_rows(x)) {
    cat("The units of y are taken as all that there are (model_units = \"fixed\"): its self term\n",
        "is corrected for stimuli only.\n", sep = "")
  }
  invisible(x)
}

has_fixed_rows <- function(x) {
  any(vapply(attr(x, "deletions"), function(call) any(call$rows$fixed), NA))
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_score_interval <- function(x, ...) {
  new <- c(measure = "term", score = "estimate", se = "std.error", conf_low = "conf.low",
           conf_high = "conf.high")
  plain <- need_columns(as.data.frame(x), names(new), "tidied")
  at <- match(names(new), names(plain))
  names(plain)[at] <- new
  plain
}

#' @rdname tidy.repalign
#' @export
glance.repalign_score_interval <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("x", "y", "measure", "score", "n"), "summarised")
  sides <- intersect(c("model_x", "model_y", "x", "y"), names(plain))
  level <- attr(x, "conf_level")
  glance_rows(plain, source_columns(x), function(at) {
    part <- plain[at, , drop = FALSE]
    data.frame(pairs = nrow(unique(part[sides])), measures = length(unique(part$measure)),
               n = part$n[1], conf_level = if (is.null(level)) NA_real_ else level,
               undefined = sum(is.na(part$score)))
  })
}

#' @rdname tidy.repalign
#' @export
summary.repalign_score_interval <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("measure", "score", "se"), "summarised")
  refuse_pooling(object)
  summary_rows(plain, source_columns(object), function(part) {
    known <- part$score[!is.na(part$score)]
    data.frame(pairs = nrow(part), undefined = sum(is.na(part$score)),
               min = if (length(known)) min(known) else NA_real_,
               max = if (length(known)) max(known) else NA_real_,
               median_se = stats::median(part$se, na.rm = TRUE))
  })
}

#' Errors of scores, and how scores vary together
#'
#' `confint()` gives limits at any level, `vcov()` the covariance matrix of the scores, and
#' `influence_matrix()` what each stimulus does to each score.
#'
#' @param object,result what [score_interval()] returned, or some of its rows in any order.
#' @param parm numbers of rows, or their names as the result of `confint()` without `parm` has
#'   them; by default all rows.
#' @param level coverage, between 0 and 1; by default that of `object`.
#' @param ... unused.
#' @return `confint()`: a matrix with a row for each score and its two limits. `vcov()`: a square
#'   matrix; its diagonal holds the squares of the column `se`, and `NA` where that is. Covariances
#'   between scores whose errors come from deletions and scores whose errors come from half-samples
#'   are `NA`: `method = "half-samples"` for all gives them, too. `influence_matrix()`: a matrix
#'   with a row for each stimulus (or cluster) and a column for each score: how much the score would
#'   rise, n times the derivative, if the stimulus had a larger share. Columns of scores by
#'   half-samples are `NA`.
#' @details
#' The rows must come from one call of [score_interval()], because scores of different calls do
#' not tell how they vary together. In `vcov()`, covariances over stimuli and over neurons or
#' subjects are added and those of their interactions subtracted; eigenvalues below 0, which
#' this may leave, are set to 0.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers[1:3], function(layer) layer[1:100, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus"))
#' confint(result, level = 0.9)
#' vcov(result)
#' # the images that the last score owes most to
#' head(order(-influence_matrix(result)[, 3]))
#' @seealso [score_interval()]
#' @name score_interval_errors
NULL

#' @rdname score_interval_errors
#' @export
confint.repalign_score_interval <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), "df", "used")
  if (is.null(level)) level <- level_of(object)
  level <- check_number(level, "level", above = 0, below = 1)
  limits <- unname(limits_of(scales_of(object), rows$df, level))
  named_limits(limits, row_titles(object), level, parm)
}

# The scales of the intervals of all rows, which may be of several calls.
scales_of <- function(object) {
  places <- deletion_places(object)
  if (anyNA(places$call)) refuse_lost_deletions()
  calls <- attr(object, "deletions")
  scales <- Map(function(call, row) calls[[call]]$scales[row, ], places$call, places$row)
  do.call(rbind, c(list(calls[[1]]$scales[0, ]), unname(scales)))
}

# Short names of the rows: without what is the same in all of them.
row_titles <- function(object) {
  rows <- as.data.frame(object)
  x <- full_names(rows, "x")
  y <- full_names(rows, "y")
  parts <- c(as.list(rows[source_columns(object)]), list(x, y, as.character(rows$measure)))
  varies <- vapply(parts, function(part) length(unique(part)) > 1, NA)
  if (!nrow(rows)) return(character())
  if (!any(varies)) varies[length(varies) - 1] <- TRUE
  do.call(paste, c(unname(parts[varies]), sep = " | "))
}

#' @rdname score_interval_errors
#' @importFrom stats vcov
#' @export
vcov.repalign_score_interval <- function(object, ...) {
  no_other_arguments(...)
  total <- total_covariance(interval_parts(object))
  unknown <- is.na(object$se)
  total[unknown, ] <- total[, unknown] <- NA
  dimnames(total) <- rep(list(row_titles(object)), 2)
  total
}

#' @rdname score_interval_errors
#' @export
influence_matrix <- function(result) {
  need_arguments()
  if (!inherits(result, "repalign_score_interval")) {
    abort("`result` must be what score_interval() returned, not ", describe(result), ".",
          class = "repalign_error_type", arg = "result")
  }
  places <- deletion_places(result)
  if (anyNA(places$call)) refuse_lost_deletions()
  calls <- attr(result, "deletions")
  if (length(unique(vapply(calls[unique(places$call)], function(call) call$units, 0))) > 1) {
    abort("These rows come from calls with different numbers of stimuli: take the rows of one.",
          class = "repalign_error_rows", arg = "result")
  }
  columns <- Map(function(call, row) influence_of(calls[[call]], row), places$call, places$row)
  call <- calls[[if (nrow(result)) places$call[1] else 1]]
  matrix(as.double(unlist(columns)), call$units, nrow(result),
         dimnames = list(call$names, row_titles(result)))
}

# Deviations of delete-one values have sums of squares that are larger by n / (n - 1).
influence_of <- function(call, row) {
  m <- call$units
  exact <- call$methods[row] == "influence" && !call$clustered
  call$stimuli[, row] * if (exact) m else sqrt(m * (m - 1))
}

#' @rdname plot.repalign
#' @export
plot.repalign_score_interval <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_score_interval <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("x", "y", "measure", "score", "conf_low", "conf_high"), "drawn")
  need_rows(object)
  rows <- forest_rows(object)
  if (all(is.na(rows$score))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  several <- length(unique(rows$panel)) > 1
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["score"]], y = .data[["title"]])) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data[["conf_low"]], xmax = .data[["conf_high"]]),
                            na.rm = TRUE, linewidth = 0.8, colour = forest_colour) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5, colour = forest_colour) +
    (if (several) ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free_x")) +
    ggplot2::labs(x = if (several) "score" else as.character(rows$panel[1]), y = NULL,
                  caption = forest_caption(object)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank())
}

forest_colour <- "#0072B2"

# The first row is on top; each measure has a panel.
forest_rows <- function(object) {
  rows <- as.data.frame(object)
  x <- full_names(rows, "x")
  y <- full_names(rows, "y")
  title <- if (length(unique(x)) > 1 && length(unique(y)) > 1) paste(x, y, sep = " - ") else
    if (length(unique(x)) > 1) x else y
  sources <- source_columns(object)
  if (length(sources)) title <- paste(source_names(rows, sources), title, sep = " | ")
  twice <- anyDuplicated(data.frame(title, rows$measure))
  if (twice) {
    abort("`object` has two intervals of ", dQuote(title[twice], FALSE), " that cannot be told ",
          "apart: bind them with names, as in rbind(day1 = a, day2 = b).",
          class = "repalign_error_rows", arg = "object")
  }
  rows$title <- factor(title, rev(unique(title)))
  rows$panel <- factor(as.character(rows$measure), label_levels(rows$measure))
  rows
}

forest_caption <- function(object) {
  level <- attr(object, "conf_level")
  over <- enumerate(unique(object$over), quote = FALSE)
  parts <- c(if (!is.null(level)) paste0("lines: ", format(100 * level), "% intervals"),
             if (nzchar(over)) paste("over", over),
             if (anyNA(object$score)) paste(sum(is.na(object$score)), "undefined"))
  if (length(parts)) paste(parts, collapse = "; ")
}
