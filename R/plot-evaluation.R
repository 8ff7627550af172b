# Pictures of evaluate_models(): scores with their errors, the noise ceiling and the differences
# between models; and a map of models and data.

#' @rdname plot.repalign
#' @export
plot.repalign_evaluation <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @param errors for [evaluate_models()]: are bars of errors intervals (`"conf"`) or one standard
#'   error (`"se"`)?
#' @param letters for [evaluate_models()]: are models marked by letters that say which differ?
#' @param alpha,adjust for these letters: the level, and how p-values are adjusted, see
#'   [compare_scores()].
#' @param subjects for [evaluate_models()]: are there points for the scores of single RDMs (or the
#'   means of the groups in `group`)? They are drawn for at most 40 of them, and not with folds,
#'   where single RDMs have no scores.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_evaluation <- function(object, type = c("bars", "points", "map"),
                                         errors = c("conf", "se"), letters = TRUE, alpha = 0.05,
                                         adjust = "holm", subjects = TRUE, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("bars", "points", "map"), "type")
  errors <- check_choice(errors, c("conf", "se"), "errors")
  letters <- check_flag(letters, "letters")
  subjects <- check_flag(subjects, "subjects")
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  adjust <- check_choice(adjust, setdiff(adjustments, "max_t"), "adjust")
  need_columns(object, c("model", "score", "se", "conf_low", "conf_high", "p_zero",
                         "ceiling_low", "ceiling_high"), "drawn")
  need_rows(object)
  if (type == "map") return(evaluation_map(object))
  rows <- evaluated_rows(object, errors, letters, alpha, adjust)
  single <- if (subjects) subject_scores(object, levels(rows$title))
  rows$mark_at <- above_points(rows, single)
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["title"]], y = .data[["score"]])) +
    evaluation_ceiling(rows) +
    # points of subjects lie beside the places of models
    ggplot2::scale_x_discrete() +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.3, colour = "grey40") +
    (if (type == "bars") {
      ggplot2::geom_col(width = 0.65, fill = okabe_ito[["sky"]], na.rm = TRUE)
    }) +
    subject_points(single) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]]),
                            na.rm = TRUE, linewidth = 0.7) +
    ggplot2::geom_point(na.rm = TRUE, size = if (type == "bars") 1.2 else 2.6) +
    ggplot2::geom_text(ggplot2::aes(y = .data[["mark_at"]], label = .data[["mark"]]),
                       na.rm = TRUE, size = 3.2, vjust = 0) +
    ggplot2::labs(x = NULL, y = score_words(attr(object, "outer")),
                  caption = evaluation_caption(object, rows, errors, letters, alpha, adjust,
                                               !is.null(single))) +
    evaluation_theme(rows)
}

evaluation_theme <- function(rows) {
  slanted <- nrow(rows) > 8 || max(nchar(levels(rows$title))) * nrow(rows) > 75
  picture_theme(panel.grid.minor = ggplot2::element_blank(),
                panel.grid.major.x = ggplot2::element_blank(),
                axis.text.x = if (slanted) {
                  ggplot2::element_text(angle = 40, hjust = 1, vjust = 1)
                } else ggplot2::element_text())
}

score_words <- function(outer) {
  if (is.null(outer)) return("similarity of RDMs")
  paste0("similarity of RDMs\n(", outer, ")")
}

# The rows in their order, with the ends of error bars and with marks above them.
evaluated_rows <- function(object, errors, letters, alpha, adjust) {
  rows <- as.data.frame(object)
  if (all(is.na(rows$score))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  rows$title <- factor(rows$model, unique(rows$model))
  levels(rows$title) <- short_labels(levels(rows$title), 24)
  rows$low <- if (errors == "conf") rows$conf_low else rows$score - rows$se
  rows$high <- if (errors == "conf") rows$conf_high else rows$score + rows$se
  marks <- if (letters) difference_letters(object, alpha, adjust) else rep("", nrow(rows))
  rows$mark <- paste0(marks, ifelse(rows$p_zero %in% NA | rows$p_zero > alpha, "", "*"))
  rows
}

# Scores of single RDMs, or the means of their groups: a row for each of them and each model. `x` is
# the place on the axis, the same for a subject in all models. NULL if they are too many or none.
subject_scores <- function(object, titles, most = 40) {
  scores <- attr(object, "table")
  group <- attr(object, "group")
  models <- unique(object$model)
  known <- !is.null(scores) && all(models %in% colnames(scores))
  if (!known || max(group) > most || max(group) < 2) return(NULL)
  means <- rowsum(scores[, models, drop = FALSE], group) / tabulate(group)
  subjects <- nrow(means)
  beside <- seq(-0.22, 0.22, length.out = subjects)
  model <- rep(seq_len(ncol(means)), each = subjects)
  data.frame(x = model + rep(beside, ncol(means)), score = as.vector(means),
             title = factor(titles[model], titles))
}

# Where the letters and stars of each model are.
above_points <- function(rows, single) {
  tops <- pmax(rows$score, rows$high, 0, na.rm = TRUE)
  if (!is.null(single)) {
    highest <- tapply(single$score, single$title, max)
    tops <- pmax(tops, highest[as.integer(rows$title)], na.rm = TRUE)
  }
  extent <- range(0, rows$low, rows$high, rows$score, rows$ceiling_high, single$score,
                  na.rm = TRUE)
  as.vector(tops) + 0.02 * diff(extent)
}

subject_points <- function(single) {
  if (is.null(single)) return(NULL)
  ggplot2::geom_point(data = single, ggplot2::aes(x = .data[["x"]], y = .data[["score"]]),
                      shape = 21, size = 1.3, stroke = 0.4, colour = "grey35", fill = "white",
                      na.rm = TRUE)
}

evaluation_ceiling <- function(rows) {
  band <- rows[1, ]
  if (is.na(band$ceiling_high)) return(NULL)
  if (is.na(band$ceiling_low)) {
    return(ggplot2::geom_hline(yintercept = band$ceiling_high, colour = "grey60", linewidth = 0.8))
  }
  ggplot2::annotate("rect", xmin = -Inf, xmax = Inf, ymin = band$ceiling_low,
                    ymax = band$ceiling_high, fill = "grey60", alpha = 0.35)
}

evaluation_caption <- function(object, rows, errors, letters, alpha, adjust, single) {
  level <- attr(object, "conf_level")
  has_marks <- any(grepl("*", rows$mark, fixed = TRUE))
  has_letters <- any(nzchar(gsub("*", "", rows$mark, fixed = TRUE)))
  parts <- c(
    if (!anyNA(rows$se)) {
      paste0("lines: ", if (errors == "conf") paste0(format(100 * level), "% intervals") else
        "one standard error", " over ", evaluation_over(object))
    },
    if (single) "open points: single subjects",
    if (!is.na(rows$ceiling_low[1])) "band: noise ceiling" else
      if (!is.na(rows$ceiling_high[1])) "grey line: upper noise ceiling",
    if (has_marks) {
      paste0("*: above 0 (p <= ", format(alpha), if (is_cosine(attr(object, "outer")))
        ", and not above chance: see evaluate_models()", ")")
    },
    if (letters && has_letters) {
      paste0("models without a common letter differ (p <= ", format(alpha), ", ", adjust, ")")
    }
  )
  paste(strwrap(paste(parts, collapse = "; "), 95), collapse = "\n")
}

# ---- which models differ ----

# A letter for each set of models that do not differ; models without a common letter differ.
difference_letters <- function(object, alpha, adjust) {
  if (nrow(object) < 2 || anyNA(object$score) || anyNA(object$se)) return(rep("", nrow(object)))
  pairs <- suppressWarnings(compare_scores(object, adjust = adjust, draws = 999))
  differ <- matrix(FALSE, nrow(object), nrow(object))
  at <- cbind(match(pairs$score_1, object$model), match(pairs$score_2, object$model))
  found <- pairs$p_adjusted %in% NA | pairs$p_adjusted <= alpha
  differ[at] <- found & !is.na(pairs$p_adjusted)
  differ <- differ | t(differ)
  sets <- alike_sets(differ)
  # the best models have the first letters
  sets <- sets[order(-vapply(sets, function(set) max(object$score[set]), 0))]
  names <- c(base::letters, LETTERS)[seq_along(sets)]
  vapply(seq_len(nrow(object)), function(i) {
    paste(names[vapply(sets, function(set) i %in% set, NA)], collapse = "")
  }, "")
}

# The largest sets of models of which no two differ (Piepho 2004): each pair that differs splits the
# sets that hold both.
alike_sets <- function(differ) {
  sets <- list(seq_len(nrow(differ)))
  pairs <- which(differ & upper.tri(differ), arr.ind = TRUE)
  for (k in seq_len(nrow(pairs))) {
    split <- lapply(sets, function(set) {
      if (!all(pairs[k, ] %in% set)) return(list(set))
      list(setdiff(set, pairs[k, 1]), setdiff(set, pairs[k, 2]))
    })
    sets <- without_subsets(unlist(split, recursive = FALSE))
  }
  sets
}

without_subsets <- function(sets) {
  sets <- unique(lapply(sets, sort))
  inside <- vapply(seq_along(sets), function(i) {
    any(vapply(sets[-i], function(set) all(sets[[i]] %in% set), NA))
  }, NA)
  sets[!inside]
}

# ---- map ----

# Models and data RDMs; near each other where they are alike.
evaluation_map <- function(object) {
  kept <- attr(object, "pictures")
  if (is.null(kept)) {
    abort("`object` no longer has its RDMs: start again from what evaluate_models() returned.",
          class = "repalign_error_rows", arg = "object")
  }
  models <- kept$models[, intersect(object$model, colnames(kept$models)), drop = FALSE]
  all <- cbind(models, kept$data)
  similar <- similarity_table(all, all, attr(object, "outer"), kept$sigma)
  apart <- pmax(1 - (similar + t(similar)) / 2, 0)
  usable <- rowSums(is.na(apart)) < ncol(apart) - 1
  apart <- apart[usable, usable]
  if (nrow(apart) < 2 || anyNA(apart)) {
    abort("There is no map: similarities of RDMs are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  diag(apart) <- 0
  rownames(apart) <- colnames(all)[usable]
  map <- scaled_map(apart)
  points <- map$points
  points$model <- factor(rep(c("model", "data"), c(ncol(models), ncol(kept$data)))[usable],
                         c("model", "data"))
  map_of_points(points, map$kept, attr(object, "outer"))
}

map_of_points <- function(points, kept, outer) {
  frame <- map_frame(points)
  points <- cbind(points, label_places(points, frame))
  left <- sum(!points$placed)
  ggplot2::ggplot(points, ggplot2::aes(x = .data[["x"]], y = .data[["y"]])) +
    map_leaders(points) +
    ggplot2::geom_point(ggplot2::aes(colour = .data[["model"]], shape = .data[["model"]]),
                        size = 2.2) +
    ggplot2::geom_text(data = points[points$placed, ], size = label_size(nrow(points)),
                       ggplot2::aes(x = .data[["anchor"]], y = .data[["label_y"]],
                                    label = .data[["label"]], hjust = .data[["hjust"]])) +
    ggplot2::scale_colour_manual(NULL, values = category_colours(c("model", "data"))) +
    ggplot2::scale_shape_manual(NULL, values = c(model = 17, data = 19)) +
    ggplot2::coord_fixed(xlim = frame$x, ylim = frame$y, expand = FALSE) +
    ggplot2::labs(x = "dimension 1", y = "dimension 2", caption = caption_of(
      paste0("distances stand for 1 - ", outer, "; two dimensions keep ",
             round(100 * kept), "% of the dissimilarity"),
      if (left) paste(left, "of", nrow(points), "names left out for want of room"))) +
    map_theme()
}
