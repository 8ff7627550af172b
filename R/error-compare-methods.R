# The results of compare_scores(), best_score() and compare_best(): classes, limits and pictures.

#' @include result-class.R
NULL

declare_result(
  "repalign_comparison", from = "compare_scores", words = "differences of scores",
  columns = described_columns(
    column("contrast", "the name of the contrast", key = TRUE, always = FALSE),
    column("score_1", "the score that is ahead", key = TRUE),
    column("score_2", "the score that is subtracted", key = TRUE),
    column("measure", "the label of the measure", key = TRUE),
    column("difference", "of the two scores", shown = 1),
    column("se", "its standard error", shown = 2),
    column("df", "its degrees of freedom"),
    column("statistic", "the difference divided by its standard error"),
    column("p_value", "of no difference", shown = 3),
    column("p_adjusted", "adjusted for all differences of the call", shown = 4),
    column("conf_low", "the lower limit of the interval", shown = 9),
    column("conf_high", "the upper limit of the interval", shown = 10),
    column("simultaneous_low", "the lower limit for all differences together", shown = 5),
    column("simultaneous_high", "the upper limit for all differences together", shown = 6),
    column("p_equivalence", "of a difference beyond the margin", shown = 7),
    column("p_noninferiority", "of being worse by more than the margin", shown = 8)
  ),
  # adjusted p-values stay those of each result; what is said of all rows must hold for all of them
  kept = list(conf_level = all_alike, p_adjust = all_alike, margin = all_alike, over = all_alike,
              of_models = any_true, no_interactions = any_true, family = unlist),
  heading = function(x, digits) {
    measure <- unique(x$measure)
    margin <- attr(x, "margin")
    # the number of differences that p-values were adjusted for, or those of bound results
    family <- attr(x, "family")
    several <- unique(family)
    c(paste0("Differences of scores: ", count_of(nrow(x), "difference"),
             undefined_of(x$difference),
             if (untested_of(x)) paste0(", ", untested_of(x), " without a standard error"),
             if (length(measure) == 1) paste0(", ", measure)),
      level_words(x, "conf_low to conf_high: "),
      if (!is.null(attr(x, "p_adjust")) && !all(is.na(x$p_adjusted))) {
        paste0("p_adjusted: ", attr(x, "p_adjust"), ", over ",
               if (length(several) == 1) count_of(several, "difference") else
                 paste(enumerate(family, quote = FALSE), "differences, in each result alone"),
               if (length(several) == 1 && length(family) > 1) " in each result")
      },
      if (!is.null(margin)) paste0("p_equivalence, p_noninferiority: margin ", format(margin)))
  },
  # the heading names the measure if there is one, and without a margin two columns are empty
  shown = function(x) {
    if (length(unique(x$measure)) == 1) x$measure <- NULL
    if (is.null(attr(x, "margin"))) x$p_equivalence <- x$p_noninferiority <- NULL
    x
  },
  footing = function(x, digits) no_interactions_words(x),
  term = function(rows) paste(rows$score_1, "-", rows$score_2),
  sentence = function(x) {
    need_columns(x, c("score_1", "score_2", "measure", "difference", "p_adjusted", "conf_low",
                      "conf_high"), "told", "result")
    for_each_measure(x, function(part) {
      if (nrow(part) == 1) one_difference_words(part) else many_differences_words(part)
    })
  }
)

declare_result(
  "repalign_best", from = "best_score", words = "best scores",
  columns = described_columns(
    column("group", "the group of scores", key = TRUE, tidy = "term"),
    column("best", "the name of the best score", shown = 1),
    column("score", "the best score as it was seen", shown = 2),
    column("conf_low", "the lower limit of the best true score", shown = 3),
    column("conf_high", "the upper limit of the best true score", shown = 4),
    column("in_set", "the scores that may be the best", shown = 5)
  ),
  kept = list(conf_level = all_alike, members = all_alike, over = all_alike, of_models = any_true,
              no_interactions = any_true),
  heading = function(x, digits) {
    c(paste0("Best scores: ", count_of(nrow(x), "group"), undefined_of(x$score)),
      level_words(x, "conf_low to conf_high of the best true score: "))
  },
  shown = function(x) {
    if (!is.null(x$in_set)) x$in_set <- lengths(x$in_set)
    x
  },
  footing = function(x, digits) {
    sets <- vapply(x$in_set, enumerate, "", 12, quote = FALSE)
    c(if (length(sets)) {
      paste0("may be the best", if (nrow(x) > 1) paste(" in", x$group), ": ", sets)
    }, no_interactions_words(x))
  },
  # A sentence for each group of scores.
  sentence = function(x) {
    need_columns(x, c("group", "best", "score", "conf_low", "conf_high", "in_set"), "told",
                 "result")
    members <- need_kept(x, "members", "best_score()", "result")
    vapply(seq_len(nrow(x)), function(row) {
      group <- members[members$group == x$group[row], ]
      of <- if (length(unique(members$group)) > 1) paste(" of", x$group[row])
      count <- paste0("Of ", count_of(nrow(group), "score"), of)
      if (is.na(x$score[row])) return(paste0(count, ", the best is undefined (NA)."))
      text <- with_limits_words(x$score[row], x$conf_low[row], x$conf_high[row])
      name <- compared_name(x, group$measure[1])
      others <- setdiff(x$in_set[[row]], x$best[row])
      paste0(count, ", that of ", x$best[row], " was best",
             brackets(paste(name, "=", text[["score"]]),
                      sub("interval", "interval of the best true score",
                          interval_phrase(text[-1], attr(x, "conf_level"),
                                          own_extent(x, group$measure[1])), fixed = TRUE)),
             if (nrow(group) > 1) as_good_words(others, nrow(group) - 1, attr(x, "conf_level")),
             sub("^( .*)[.]$", ";\\1", undefined_words(group$score, begins = FALSE)), ".",
             odd_value_words(name, x$score[row], x$conf_low[row]))
    }, "")
  }
)

declare_result(
  "repalign_best_comparison", from = "compare_best", words = "comparisons of best scores",
  columns = described_columns(
    column("best_1", "the best score of the first group", key = TRUE),
    column("best_2", "the best score of the second group", key = TRUE),
    column("difference", "of the two as they were seen", shown = 1),
    column("crossfit", "their difference without the bias of choosing", shown = 2),
    column("statistic", "by which the groups are tested", shown = 3),
    column("critical", "what it must exceed", shown = 4),
    column("p_value", "one-sided: that of the first group is not better", shown = 5)
  ),
  kept = list(conf_level = all_alike, over = all_alike, sizes = all_alike,
              no_interactions = any_true),
  heading = function(x, digits) {
    sizes <- attr(x, "sizes")
    c(paste0("The best of ", if (is.null(sizes)) "one group" else count_of(sizes[1], "score"),
             " against the best of ", if (is.null(sizes)) "another" else sizes[2]),
      level_words(x, "critical: "))
  },
  footing = function(x, digits) no_interactions_words(x),
  term = function(rows) paste(rows$best_1, "-", rows$best_2),
  sentence = function(x) {
    need_columns(x, c("best_1", "best_2", "difference", "crossfit", "p_value"), "told", "result")
    sizes <- attr(x, "sizes")
    group <- function(k) if (is.null(sizes)) "one group" else count_of(sizes[[k]], "score")
    vapply(seq_len(nrow(x)), function(row) {
      if (is.na(x$p_value[row])) {
        return(paste0("The difference of the best of ", group(1), " and the best of ", group(2),
                      " is undefined (NA)."))
      }
      found <- x$p_value[row] <= judged_at(x)
      # the test is one-sided
      paste0("The best of ", group(1), ", ", x$best_1[row], ", was ",
             if (!found) "not shown to be ", "better than the best of ", group(2), ", ",
             x$best_2[row],
             brackets(paste("difference", number_word(x$difference[row])),
                      if (!is.na(x$crossfit[row]))
                        paste(number_word(x$crossfit[row]), "without the bias of choosing"),
                      p_words(x$p_value[row], judged_at(x), "one-sided p"),
                      paste("errors over", extent_words(attr(x, "over")))), ".")
    }, "")
  }
)

# ---- in words

# Differences are judged at the level of their intervals.
judged_at <- function(x) {
  level <- attr(x, "conf_level")
  if (is.null(level)) 0.05 else round(1 - level, 12)
}

compared_name <- function(x, label) {
  name <- measure_words(label)
  if (isTRUE(attr(x, "of_models"))) recordings_words(name) else name
}

# "holm-adjusted p"
adjusted_p_name <- function(x) {
  how <- attr(x, "p_adjust")
  if (is.null(how) || how == "none" || identical(attr(x, "family"), 1L)) "p" else
    paste0(how, "-adjusted p")
}

# Intervals that hold for all differences together exclude 0 where the p-value by "max_t" is small.
# Other adjustments have no such intervals, and may find a difference whose interval holds 0.
has_p_of_intervals <- function(x) identical(attr(x, "p_adjust"), "max_t")

# What stands in brackets after a difference: an interval and the p-value that belongs to it, and
# the adjusted p-value.
difference_facts <- function(x, row) {
  several <- nrow(x) > 1 && !is.null(x$simultaneous_low) && has_p_of_intervals(x)
  limits <- if (several) c("simultaneous_low", "simultaneous_high") else c("conf_low", "conf_high")
  name <- adjusted_p_name(x)
  alone <- name != "p" && !has_p_of_intervals(x) && !is.null(x$p_value)
  text <- with_limits_words(x$difference[row], x[[limits[1]]][row], x[[limits[2]]][row])
  interval <- interval_phrase(text[-1], attr(x, "conf_level"), own_extent(x, x$measure[row]))
  brackets(paste("difference", text[["score"]]),
           if (several) sub("interval", "interval for all together", interval, fixed = TRUE) else
             interval,
           if (alone) paste("for it alone", p_words(x$p_value[row], judged_at(x))),
           p_words(x$p_adjusted[row], judged_at(x), name))
}

one_difference_words <- function(x) {
  name <- compared_name(x, x$measure[1])
  told <- if (!is.null(x$contrast)) paste("the contrast", x$contrast) else
    paste("the difference of", x$score_1, "and", x$score_2)
  told <- paste0(capitalised(told), " by the ", name)
  if (is.na(x$difference)) return(paste(told, "is undefined (NA)."))
  if (is.na(x$p_adjusted)) {
    return(paste0(told, " was ", number_word(x$difference), ", without a standard error."))
  }
  found <- isTRUE(x$p_adjusted <= judged_at(x))
  facts <- difference_facts(x, 1)
  start <- if (!is.null(x$contrast)) {
    paste0("The contrast ", x$contrast, " of the ", name, " was ", if (!found) "not ",
           "different from 0", facts)
  } else if (found) {
    paste0("The ", name, " of ", x$score_1, " was ", if (x$difference > 0) "larger" else "smaller",
           " than that of ", x$score_2, facts)
  } else {
    paste0("The ", name, " of ", x$score_1, " and that of ", x$score_2, " were not told apart",
           facts)
  }
  margin <- attr(x, "margin")
  # equivalence is tested where a margin was given
  paste0(start, if (!is.null(margin) && isFALSE(is.na(x$p_equivalence))) {
    paste0("; equivalence within ", number_word(margin),
           if (x$p_equivalence <= judged_at(x)) " was" else " was not", " shown",
           brackets(p_words(x$p_equivalence, judged_at(x))))
  }, ".")
}

many_differences_words <- function(x) {
  level <- judged_at(x)
  found <- sum(x$p_adjusted <= level, na.rm = TRUE)
  untested <- untested_of(x)
  clearest <- which.max(abs(x$difference) / x$se)
  title <- if (length(clearest)) {
    if (!is.null(x$contrast)) x$contrast[clearest] else
      paste(x$score_1[clearest], "less", x$score_2[clearest])
  }
  equivalent <- if (!is.null(attr(x, "margin")) && !is.null(x$p_equivalence)) {
    count <- sum(x$p_equivalence <= level, na.rm = TRUE)
    paste0(" ", if (count) count else "None", if (count > 1) " were" else " was", " equivalent ",
           "within ", number_word(attr(x, "margin")), brackets(alpha_words(level)), ".")
  }
  paste0("Of ", count_of(nrow(x), "difference"), " of the ", compared_name(x, x$measure[1]), ", ",
         if (all(is.na(x$p_adjusted))) "none could be tested" else {
           paste0(if (found) found else "none", if (found > 1) " were" else " was",
                  " different from 0", brackets(alpha_words(level, adjusted_p_name(x))))
         },
         if (length(title)) paste0("; clearest was ", title, difference_facts(x, clearest)), ".",
         undefined_words(x$difference, "difference"),
         if (untested) {
           paste0(" ", untested, if (untested > 1) " are" else " is", " without a standard error.")
         }, equivalent)
}

# Of how many differences is no standard error known?
untested_of <- function(x) sum(is.na(x$se) & !is.na(x$difference))

# ---- what all comparisons say

# What was sampled, and the level of the intervals; nothing where parts of a result have lost it.
level_words <- function(x, what) {
  level <- attr(x, "conf_level")
  over <- attr(x, "over")
  if (is.null(level) || is.null(over)) return(NULL)
  paste0(what, format(100 * level), "% over ", enumerate(unique(over), quote = FALSE))
}

no_interactions_words <- function(x) {
  if (isTRUE(attr(x, "no_interactions"))) {
    "Of half-samples no interactions are subtracted: their errors are rather too large."
  }
}

#' @rdname compare_scores
#' @param object what `compare_scores()` returned, or some of its rows.
#' @param parm numbers of rows, or their names in the whole result; by default all.
#' @param level coverage; with `simultaneous` only that of `object`.
#' @param simultaneous intervals for all rows together?
#' @param ... unused.
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
    level <- asked_level(level, object)
    found <- student_limits(rows$difference, rows$se, rows$df, level)
  }
  titles <- if (is.null(rows$contrast)) paste(rows$score_1, "-", rows$score_2) else rows$contrast
  if (length(unique(rows$measure)) > 1) titles <- paste(rows$measure, titles, sep = " | ")
  named_limits(found, titles, level, parm)
}

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_comparison <- function(object, most = 15, ...) {
  no_other_arguments(...)
  most <- check_count(most, "most")
  need_columns(object, c("score_1", "score_2", "measure", "difference", "conf_low", "conf_high",
                         "simultaneous_low", "simultaneous_high"), "drawn")
  need_rows(object)
  # of very many pairs of scores, those with the largest differences for their errors, in their
  # order and by all measures
  pair <- paste(object$score_1, object$score_2, object$contrast, sep = "\r")
  size <- abs(object$difference) / object$se
  clearest <- unique(pair[order(-size, seq_along(size))])
  drawn <- object[pair %in% utils::head(clearest, most), ]
  # The first row is on top; each measure has a panel.
  rows <- as.data.frame(drawn)
  refuse_undefined(rows$difference)
  title <- if (!is.null(rows$contrast)) rows$contrast else
    difference_titles(rows$score_1, rows$score_2)
  panel <- measure_panels(rows$measure)
  one <- length(unique(panel)) == 1
  # measures with differences of their own, such as parts of R squared, have one axis of all names
  if (!one && !anyDuplicated(unique(data.frame(title, panel))$title)) {
    said <- mapply(grepl, sub(" .*", "", rows$measure), title, fixed = TRUE)
    title <- ifelse(said, title, paste(panel, title, sep = " | "))
    panel <- NULL
  }
  rows$title <- factor(title, rev(unique(title)))
  rows$panel <- panel
  margin <- attr(object, "margin")
  small <- if (nlevels(rows$title) > 10) 0.5 else 1
  ggplot2::ggplot(rows, by_column(x = "difference", y = "title")) +
    (if (!is.null(margin)) {
      ggplot2::annotate("rect", xmin = -margin, xmax = margin, ymin = -Inf, ymax = Inf,
                        fill = okabe_ito[["sky"]], alpha = 0.2)
    }) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey40") +
    interval_line(c("simultaneous_low", "simultaneous_high"), 0.4) +
    interval_line(c("conf_low", "conf_high"), 1.3 * small) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5 * small, colour = forest_colour) +
    score_axis(ggplot2::scale_x_continuous, whole = one || is.null(panel)) +
    ggplot2::labs(x = if (one) axis_words(rows$measure, "difference of") else "difference",
                  y = NULL, caption = comparison_caption(drawn, nrow(object), levels(rows$title))) +
    picture_theme(lines = "x") +
    side_panels(rows$panel) +
    names_axis("y", levels(rows$title), most = 40)
}

# "V1 | low - high" of "V1 | low" and "V1 | high": of names in parts, what both begin or end with is
# written once. Each of two names has half of a line that has room beside the differences.
difference_titles <- function(first, second) {
  parts <- strsplit(c(first, second), " | ", fixed = TRUE)
  pairs <- Map(list, parts[seq_along(first)], parts[-seq_along(first)])
  shared <- function(pair, take, before = NULL) {
    # each keeps a part of its own
    if (min(lengths(pair)) > 1 + length(before) &&
        take(pair[[1]], 1) == take(pair[[2]], 1)) take(pair[[1]], 1)
  }
  starts <- lapply(pairs, shared, utils::head)
  ends <- Map(shared, pairs, list(utils::tail), starts)
  own <- mapply(function(pair, start, end) {
    vapply(pair, function(part) {
      paste(part[(1 + length(start)):(length(part) - length(end))], collapse = " | ")
    }, "")
  }, pairs, starts, ends)
  own <- matrix(short_labels(own, 18), 2)
  mapply(function(start, own, end) paste(c(start, own, end), collapse = " | "), starts,
         paste(own[1, ], "-", own[2, ]), ends)
}

interval_line <- function(limits, width) {
  ggplot2::geom_linerange(by_column(xmin = limits[1], xmax = limits[2]),
                          na.rm = TRUE, linewidth = width, colour = forest_colour)
}

# count: how many differences there are, of which `object` has those that are drawn.
comparison_caption <- function(object, count, titles = NULL) {
  margin <- attr(object, "margin")
  level <- attr(object, "conf_level")
  level <- if (!is.null(level)) paste0(format(100 * level), "% ")
  over <- attr(object, "over")
  caption_of(c(paste0("thick lines: ", level, "intervals of each difference",
                      if (length(over)) paste0(" over ", extent_words(over)), "; thin: ", level,
                      "of all together",
                      if (!has_p_of_intervals(object)) ", for p_adjust = \"max_t\""),
               if (!is.null(margin)) paste("band: differences below", format(margin)),
               if (anyNA(object$se)) paste(sum(is.na(object$se)), "without an interval"),
               crowded_words(titles), if (count > nrow(object)) {
                 paste(nrow(object), "of", count, "differences, the largest for their errors")
               }))
}

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_best <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("group", "best", "conf_low", "conf_high"), "drawn")
  need_rows(object)
  # All scores of the groups.
  members <- attr(object, "members")
  members <- members[members$group %in% object$group & !is.na(members$score), ]
  refuse_if(is.null(members) || !nrow(members), "size", "There is nothing to draw: the scores of ",
            "the groups are undefined or no longer known.", arg = "object")
  members$title <- factor(members$title, rev(unique(members$title)))
  members$panel <- factor(members$group, unique(members$group))
  if (identical(as.character(members$group), as.character(members$measure))) {
    levels(members$panel) <- measure_titles(levels(members$panel))
  }
  members$set <- factor(!members$in_set %in% TRUE, c(FALSE, TRUE), c("may be the best", "is not"))
  bands <- as.data.frame(object)
  bands$panel <- members$panel[match(bands$group, members$group)]
  # groups of the same scores have one axis of names
  titles <- lapply(split(as.character(members$title), members$panel), sort)
  level <- attr(object, "conf_level")
  over <- attr(object, "over")
  ggplot2::ggplot(members, by_column(x = "score", y = "title")) +
    ggplot2::geom_rect(data = bands, inherit.aes = FALSE, na.rm = TRUE, alpha = 0.2,
                       fill = okabe_ito[["sky"]],
                       by_column(xmin = "conf_low", xmax = "conf_high", ymin = -Inf, ymax = Inf)) +
    ggplot2::geom_point(by_column(shape = "set"), na.rm = TRUE, size = 2.8,
                        colour = forest_colour) +
    ggplot2::scale_shape_manual(values = c(`may be the best` = 19, `is not` = 1), name = NULL,
                                drop = FALSE) +
    score_axis(ggplot2::scale_x_continuous, whole = nlevels(members$panel) == 1) +
    ggplot2::labs(x = axis_words(members$measure), y = NULL, caption = caption_of(paste0(
      "band: ", if (!is.null(level)) paste0(format(100 * level), "% "),
      "interval of the best true score", if (length(over)) paste0(" over ", extent_words(over))
    ))) +
    picture_theme() +
    side_panels(members$panel, if (length(unique(titles)) == 1) "free_x" else "free") +
    names_axis("y", levels(members$title))
}
