# The results of compare_scores(), best_score() and compare_best() are printed, tidied and drawn.

#' @rdname tidy.repalign
#' @export
print.repalign_comparison <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  measure <- unique(x$measure)
  cat("Differences of scores: ", count_of(nrow(x), "difference"), undefined_of(x$se),
      if (length(measure) == 1) paste0(", ", measure), "\n", sep = "")
  say_level(x, "conf_low to conf_high: ")
  if (!is.null(attr(x, "adjust")) && !is.null(x$p_adjusted)) {
    cat("p_adjusted: ", attr(x, "adjust"), ", over ", family_words(attr(x, "family")), "\n",
        sep = "")
  }
  margin <- attr(x, "margin")
  shown <- x
  if (length(measure) == 1) shown$measure <- NULL
  if (is.null(margin)) shown$p_equivalence <- shown$p_noninferiority <- NULL
  else cat("p_equivalence, p_noninferiority: margin ", format(margin), "\n", sep = "")
  print_rows(shown, digits, n)
  say_no_interactions(x)
  invisible(x)
}

# family: the number of differences that p-values were adjusted for, or those of bound results.
family_words <- function(family) {
  if (length(family) == 1) return(count_of(family, "difference"))
  several <- unique(family)
  if (length(several) == 1) return(paste(count_of(several, "difference"), "in each result"))
  paste(enumerate(family, quote = FALSE), "differences, in each result alone")
}

# Adjusted p-values stay those of each result. What is said of all rows must hold for all of them.
#' @export
rbind.repalign_comparison <- function(..., deparse.level = 1) {
  parts <- Filter(Negate(is.null), list(...))
  common <- c("conf_level", "adjust", "margin", "over")
  facts <- lapply(parts, function(part) lapply(common, function(name) attr(part, name)))
  plain <- lapply(parts, function(part) {
    if (inherits(part, "repalign_comparison")) as.data.frame(part) else part
  })
  rows <- do.call(rbind, plain)
  if (length(unique(facts)) > 1) {
    inform("These differences have different levels, adjustments, margins or samples: rbind() ",
           "gives a plain data frame of them.", class = "repalign_plain_rows")
    return(rows)
  }
  kept <- kept_beside_rows(parts[[1]])
  kept$family <- unlist(lapply(unname(parts), attr, "family"))
  kept$no_interactions <- any(vapply(parts, function(part) {
    isTRUE(attr(part, "no_interactions"))
  }, NA))
  structure(with_kept(rows, kept), class = class(parts[[1]]))
}

# What was sampled, and the level of the intervals; nothing where parts of a result have lost it.
say_level <- function(x, what) {
  level <- attr(x, "conf_level")
  over <- attr(x, "over")
  if (is.null(level) || is.null(over)) return(invisible())
  cat(what, format(100 * level), "% over ", enumerate(over, quote = FALSE), "\n", sep = "")
}

say_no_interactions <- function(x) {
  if (isTRUE(attr(x, "no_interactions"))) {
    cat("Of half-samples no interactions are subtracted: their errors are rather too large.\n")
  }
}

#' @rdname tidy.repalign
#' @export
print.repalign_best <- function(x, digits = 4, ...) {
  check_printing(digits, NULL, ...)
  cat("Best scores: ", count_of(nrow(x), "group"), undefined_of(x$score), "\n", sep = "")
  say_level(x, "conf_low to conf_high of the best true score: ")
  rows <- as.data.frame(x)
  if (!is.null(rows$in_set)) rows$in_set <- lengths(rows$in_set)
  print.data.frame(rows, digits = digits)
  for (at in if (!is.null(x$in_set)) seq_len(nrow(x))) {
    cat("may be the best", if (nrow(x) > 1) paste(" in", x$group[at]), ": ",
        enumerate(x$in_set[[at]], 12, quote = FALSE), "\n", sep = "")
  }
  say_no_interactions(x)
  invisible(x)
}

#' @rdname tidy.repalign
#' @export
print.repalign_best_comparison <- function(x, digits = 4, ...) {
  check_printing(digits, NULL, ...)
  sizes <- attr(x, "sizes")
  cat("The best of ", if (is.null(sizes)) "one group" else count_of(sizes[1], "score"),
      " against the best of ", if (is.null(sizes)) "another" else sizes[2], "\n", sep = "")
  say_level(x, "critical: ")
  print.data.frame(as.data.frame(x), digits = digits)
  say_no_interactions(x)
  invisible(x)
}

#' @export
`[.repalign_comparison` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_best` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_best_comparison` <- function(x, ...) part_of(NextMethod(), x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_comparison <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_best <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_best_comparison <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
tidy.repalign_comparison <- function(x, ...) {
  rows <- as.data.frame(x)
  need_columns(rows, c("score_1", "score_2", "difference", "se", "p_value"), "tidied")
  new <- c(difference = "estimate", se = "std.error", p_value = "p.value",
           p_adjusted = "adj.p.value", conf_low = "conf.low", conf_high = "conf.high")
  known <- intersect(names(new), names(rows))
  names(rows)[match(known, names(rows))] <- new[known]
  cbind(term = paste(x$score_1, "-", x$score_2), rows)
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_best <- function(x, ...) {
  rows <- as.data.frame(x)
  need_columns(rows, c("group", "best", "score", "conf_low", "conf_high"), "tidied")
  names(rows)[match(c("group", "score", "conf_low", "conf_high"), names(rows))] <-
    c("term", "estimate", "conf.low", "conf.high")
  rows
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_best_comparison <- function(x, ...) {
  rows <- need_columns(as.data.frame(x), c("best_1", "best_2", "difference", "p_value"), "tidied")
  names(rows)[match(c("difference", "p_value"), names(rows))] <- c("estimate", "p.value")
  cbind(term = paste(rows$best_1, "-", rows$best_2), rows)
}

#' Intervals of differences and of best scores
#'
#' @param object what [compare_scores()] or [best_score()] returned, or some of its rows.
#' @param parm numbers of rows, or their names as the result of `confint()` without `parm` has
#'   them; by default all rows.
#' @param level coverage, between 0 and 1; by default that of `object`. Intervals of
#'   [best_score()] are known at that level only.
#' @param simultaneous of differences: intervals that hold for all rows of `object` together?
#'   These are known at the level of `object` only.
#' @param ... unused.
#' @return A matrix with a row for each difference, or for each group of scores, and its two limits.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:60, 1:25]
#' layers <- lapply(v4_layers[1:3], function(layer) layer[1:60, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus"))
#' set.seed(1)
#' differences <- compare_scores(result)
#' confint(differences, level = 0.9)
#' confint(differences, simultaneous = TRUE)
#' confint(best_score(result))
#' @seealso [compare_scores()], [best_score()]
#' @name comparison_intervals
NULL

#' @rdname comparison_intervals
#' @export
confint.repalign_comparison <- function(object, parm, level = NULL, simultaneous = FALSE, ...) {
  no_other_arguments(...)
  check_flag(simultaneous, "simultaneous")
  limits <- c("simultaneous_low", "simultaneous_high")
  rows <- need_columns(as.data.frame(object), c("score_1", "score_2", "measure", "difference",
                                                "se", "df", if (simultaneous) limits), "used")
  if (simultaneous) {
    level <- check_only_level(level, object, "simultaneous intervals")
    found <- unname(as.matrix(rows[limits]))
  } else {
    level <- check_number(if (is.null(level)) level_of(object) else level, "level", above = 0,
                          below = 1)
    half <- stats::qt(0.5 + level / 2, rows$df) * rows$se
    found <- cbind(rows$difference - half, rows$difference + half)
  }
  titles <- if (is.null(rows$contrast)) paste(rows$score_1, "-", rows$score_2) else rows$contrast
  if (length(unique(rows$measure)) > 1) titles <- paste(rows$measure, titles, sep = " | ")
  named_limits(found, titles, level, parm)
}

#' @rdname comparison_intervals
#' @export
confint.repalign_best <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("group", "conf_low", "conf_high"), "used")
  level <- check_only_level(level, object, "intervals of the best score")
  named_limits(unname(as.matrix(rows[c("conf_low", "conf_high")])), rows$group, level, parm)
}

check_only_level <- function(level, object, what) {
  own <- level_of(object)
  if (is.null(level) || identical(check_number(level, "level", above = 0, below = 1), own)) {
    return(own)
  }
  abort("`level` cannot be ", format(level), ": ", what, " are known at the level of the result, ",
        format(own), ". Give `conf_level` to score_interval() or evaluate_models() for another one.",
        class = "repalign_error_value", arg = "level")
}

#' @rdname plot.repalign
#' @export
plot.repalign_comparison <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_comparison <- function(object, most = 40, ...) {
  no_other_arguments(...)
  most <- check_count(most, "most")
  need_columns(object, c("score_1", "score_2", "measure", "difference", "conf_low", "conf_high",
                         "simultaneous_low", "simultaneous_high"), "drawn")
  need_rows(object)
  rows <- comparison_rows(clearest_differences(object, most))
  margin <- attr(object, "margin")
  several <- nlevels(rows$panel) > 1
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["difference"]], y = .data[["title"]])) +
    (if (!is.null(margin)) {
      ggplot2::annotate("rect", xmin = -margin, xmax = margin, ymin = -Inf, ymax = Inf,
                        fill = okabe_ito[["sky"]], alpha = 0.2)
    }) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey40") +
    interval_line(c("simultaneous_low", "simultaneous_high"), 0.4) +
    interval_line(c("conf_low", "conf_high"), 1.3) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5, colour = forest_colour) +
    (if (several) ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free")) +
    ggplot2::labs(x = if (several) "difference" else paste("difference of", rows$panel[1]),
                  y = NULL, caption = comparison_caption(object, most)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank())
}

interval_line <- function(limits, width) {
  ggplot2::geom_linerange(ggplot2::aes(xmin = .data[[limits[1]]], xmax = .data[[limits[2]]]),
                          na.rm = TRUE, linewidth = width, colour = forest_colour)
}

# Of very many differences, those that are largest for their errors, in their order.
clearest_differences <- function(object, most) {
  if (nrow(object) <= most) return(object)
  size <- abs(object$difference) / object$se
  object[sort(order(-size, seq_along(size))[seq_len(most)]), ]
}

# The first row is on top; each measure has a panel.
comparison_rows <- function(object) {
  rows <- as.data.frame(object)
  if (all(is.na(rows$difference))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  title <- paste(rows$score_1, "-", rows$score_2)
  if (!is.null(rows$contrast)) title <- rows$contrast
  rows$title <- factor(title, rev(unique(title)))
  rows$panel <- factor(rows$measure, unique(rows$measure))
  rows
}

comparison_caption <- function(object, most) {
  level <- attr(object, "conf_level")
  margin <- attr(object, "margin")
  level <- if (!is.null(level)) paste0(format(100 * level), "% ")
  parts <- c(paste0("thick: ", level, "intervals; thin: ", level, "for all rows together"),
             if (!is.null(margin)) paste("band: differences below", format(margin)),
             if (anyNA(object$se)) paste(sum(is.na(object$se)), "without an interval"))
  if (nrow(object) > most) {
    parts <- c(parts, paste(most, "of", nrow(object), "differences, the largest for their errors"))
  }
  paste(strwrap(paste(parts, collapse = "; "), 95), collapse = "\n")
}

#' @rdname plot.repalign
#' @export
plot.repalign_best <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_best <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("group", "best", "conf_low", "conf_high"), "drawn")
  need_rows(object)
  rows <- best_members(object)
  bands <- as.data.frame(object)
  bands$panel <- factor(bands$group, levels(rows$panel))
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["score"]], y = .data[["title"]])) +
    ggplot2::geom_rect(data = bands, inherit.aes = FALSE, na.rm = TRUE, alpha = 0.2,
                       fill = okabe_ito[["sky"]],
                       ggplot2::aes(xmin = .data[["conf_low"]], xmax = .data[["conf_high"]],
                                    ymin = -Inf, ymax = Inf)) +
    ggplot2::geom_point(ggplot2::aes(shape = .data[["set"]]), na.rm = TRUE, size = 2.8,
                        colour = forest_colour) +
    ggplot2::scale_shape_manual(values = c(`may be the best` = 19, `is not` = 1), name = NULL,
                                drop = FALSE) +
    (if (nlevels(rows$panel) > 1) {
      ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free")
    }) +
    ggplot2::labs(x = if (length(unique(rows$measure)) == 1) rows$measure[1] else "score",
                  y = NULL, caption = best_caption(object)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(), legend.position = "top")
}

# All scores of the groups.
best_members <- function(object) {
  members <- attr(object, "members")
  members <- members[members$group %in% object$group & !is.na(members$score), ]
  if (is.null(members) || !nrow(members)) {
    abort("There is nothing to draw: the scores of the groups are undefined or no longer known.",
          class = "repalign_error_size", arg = "object")
  }
  members$title <- factor(members$title, rev(unique(members$title)))
  members$panel <- factor(members$group, unique(members$group))
  members$set <- factor(ifelse(members$in_set %in% TRUE, "may be the best", "is not"),
                        c("may be the best", "is not"))
  members
}

best_caption <- function(object) {
  level <- attr(object, "conf_level")
  paste0("band: ", if (!is.null(level)) paste0(format(100 * level), "% "),
         "interval of the best true score")
}
