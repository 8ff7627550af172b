# These functions draw evaluations of models, regressions of RDMs and encodings.

# ---- evaluation

# Pictures of evaluations: scores with their errors, the noise ceiling and the differences
# between models; and a map of models and data.

#' @rdname plot.repalign
#' @param errors for evaluations of models: are lines intervals (`"conf"`) or standard errors
#'   (`"se"`)?
#' @param letters for evaluations: are models marked by letters that say which differ?
#' @param alpha,p_adjust for these letters, see [compare_scores()].
#' @param subjects for [evaluate_rdms()]: are there crosses for single subjects?
#' @param network for `type = "depth"`: to which network each model (a layer) belongs, one label for
#'   each row; `NULL`: what stands before the first "/" of all names, else one network.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_evaluation <- function(object, type = c("points", "bars", "depth", "map"),
                                         errors = c("conf", "se"), letters = type == "bars",
                                         alpha = 0.05, p_adjust = "holm", subjects = TRUE,
                                         network = NULL, ...) {
  no_other_arguments(...)
  type <- check_choice(type, c("points", "bars", "depth", "map"), "type")
  errors <- check_choice(errors, c("conf", "se"), "errors")
  letters <- check_flag(letters, "letters")
  subjects <- check_flag(subjects, "subjects")
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  p_adjust <- check_choice(p_adjust, setdiff(adjustments, "max_t"), "p_adjust")
  need_rows(need_columns(object, c("model", "score", "se", "conf_low", "conf_high"), "drawn"))
  if (type == "map") return(evaluation_map(object))
  if (type == "depth") return(depth_picture(object, network, errors, alpha, p_adjust))
  rows <- evaluated_rows(object, errors, letters, alpha, p_adjust)
  single <- if (subjects) subject_scores(object, levels(rows$title))
  # letters and stars are above all points
  tops <- pmax(rows$score, rows$high, 0, na.rm = TRUE)
  if (!is.null(single)) {
    highest <- tapply(single$score, single$title, max)
    tops <- pmax(tops, highest[as.integer(rows$title)], na.rm = TRUE)
  }
  height <- diff(range(0, rows$low, rows$high, rows$score, rows$roof, single$score, na.rm = TRUE))
  rows$mark_at <- as.vector(tops) + 0.02 * height
  ggplot2::ggplot(rows, by_column(x = "title", y = "score")) +
    # the noise ceiling of each model; one without an error is a line
    (if (!all(is.na(rows$floor))) {
      ggplot2::geom_rect(by_column(xmin = "left", xmax = "right", ymin = "floor", ymax = "roof"),
                         fill = "grey60", alpha = 0.35, na.rm = TRUE)
    } else if (!all(is.na(rows$roof))) {
      ggplot2::geom_segment(by_column(x = "left", xend = "right", y = "roof", yend = "roof"),
                            colour = "grey60", linewidth = 0.8, na.rm = TRUE)
    }) +
    score_axis(ggplot2::scale_y_continuous) +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.3, colour = "grey40") +
    (if (type == "bars") {
      ggplot2::geom_col(width = 0.65, fill = okabe_ito[["sky"]], position = "identity",
                        na.rm = TRUE)
    }) +
    (if (!is.null(single)) {
      ggplot2::geom_point(data = single, by_column(x = "x", y = "score"),
                          shape = 4, size = 1.1, stroke = 0.4, colour = "grey50", na.rm = TRUE)
    }) +
    (if (!is.null(rows$threshold)) {
      ggplot2::geom_segment(by_column(x = "left", xend = "right", y = "threshold",
                                      yend = "threshold"), na.rm = TRUE, linetype = "22",
                            colour = okabe_ito[["vermillion"]], linewidth = 0.5)
    }) +
    ggplot2::geom_linerange(by_column(ymin = "low", ymax = "high"), na.rm = TRUE, linewidth = 0.7) +
    ggplot2::geom_point(by_column(fill = "best"), na.rm = TRUE, shape = 21,
                        size = if (type == "bars") 1.8 else 3) +
    ggplot2::scale_fill_manual(values = c(`TRUE` = "black", `FALSE` = "white"), guide = "none") +
    ggplot2::geom_text(by_column(y = "mark_at", label = "mark"),
                       na.rm = TRUE, size = 3.2, vjust = 0) +
    ggplot2::expand_limits(y = max(rows$mark_at[nzchar(rows$mark)], 0, na.rm = TRUE) +
                             0.05 * height) +
    ggplot2::labs(x = NULL, y = evaluated_words(object),
                  caption = evaluation_caption(object, rows, errors, letters, alpha, p_adjust,
                                               !is.null(single))) +
    picture_theme(lines = "y") +
    # points of subjects lie beside the places of models
    names_axis("x", levels(rows$title), limits = levels(rows$title))
}

# Scores over the depth of networks whose layers are the models, in their order: a curve for each
# network, with a band for its errors and dashes for what chance does not exceed.
depth_picture <- function(object, network, errors, alpha, p_adjust) {
  rows <- evaluated_rows(object, errors, FALSE, alpha, p_adjust)
  names <- as.character(rows$model)
  if (is.null(network)) network <- if (all(grepl("/", names))) sub("/.*", "", names) else
    rep("", length(names))
  refuse_if(!is.atomic(network) || length(network) != length(names) || anyNA(network), "labels",
            "`network` must have one label for each of the {count_of(length(names), 'row')}, none ",
            "of them missing.")
  rows$network <- factor(network, unique(network))
  layer <- stats::ave(seq_along(names), rows$network, FUN = seq_along)
  count <- stats::ave(layer, rows$network, FUN = max)
  one <- nlevels(rows$network) == 1
  rows$at <- if (one) layer else ifelse(count > 1, (layer - 1) / (count - 1), 0.5)
  colours <- category_colours(levels(rows$network))
  key <- if (one) "none" else names_legend(levels(rows$network))
  ggplot2::ggplot(rows, by_column(x = "at", y = "score", group = "network")) +
    (if (!all(is.na(rows$floor))) {
      ggplot2::geom_ribbon(by_column(ymin = "floor", ymax = "roof"), fill = "grey60", alpha = 0.35,
                           na.rm = TRUE)
    } else if (!all(is.na(rows$roof))) {
      ggplot2::geom_line(by_column(y = "roof"), colour = "grey60", na.rm = TRUE)
    }) +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.3, colour = "grey40") +
    (if (!is.null(rows$threshold)) {
      ggplot2::geom_line(by_column(y = "threshold", colour = "network"),
                         linetype = "22", na.rm = TRUE)
    }) +
    ggplot2::geom_line(by_column(colour = "network"), na.rm = TRUE) +
    ggplot2::geom_linerange(by_column(ymin = "low", ymax = "high", colour = "network"),
                            na.rm = TRUE) +
    ggplot2::geom_point(by_column(colour = "network", fill = "best"),
                        shape = 21, size = 2, na.rm = TRUE) +
    ggplot2::scale_colour_manual(NULL, values = colours, labels = key_names, guide = key) +
    ggplot2::scale_fill_manual(values = c(`TRUE` = "black", `FALSE` = "white"), guide = "none") +
    score_axis(ggplot2::scale_y_continuous) +
    ggplot2::labs(x = if (!one) "depth (first to last layer)", y = evaluated_words(object),
                  caption = evaluation_caption(object, rows, errors, FALSE, alpha, p_adjust,
                                               FALSE)) +
    picture_theme() +
    (if (one) names_axis("x", names, layer, expand = ggplot2::expansion(add = 0.5)) else
      ggplot2::scale_x_continuous(n.breaks = 3))
}

evaluated_words <- function(object) {
  outer <- attr(object, "outer")
  if (is_of_recordings(object)) axis_words(object$measure, most = 18) else
    paste0("similarity of RDMs", if (!is.null(outer)) {
      paste0("\n", wrapped_labels(paste0("(", measure_titles(outer), ")"), 18))
    })
}

# The rows in their order, with the ends of error bars and of the ceiling, with the members of the
# set of the best, and with marks above the points.
evaluated_rows <- function(object, errors, letters, alpha, p_adjust) {
  rows <- as.data.frame(object)
  refuse_undefined(rows$score)
  rows$title <- factor(rows$model, unique(rows$model))
  rows$left <- as.integer(rows$title) - 0.5
  rows$right <- rows$left + 1
  rows$low <- if (errors == "conf") rows$conf_low else rows$score - rows$se
  rows$high <- if (errors == "conf") rows$conf_high else rows$score + rows$se
  of_recordings <- is_of_recordings(object)
  if (of_recordings) {
    half <- stats::qnorm(0.975) * rows$ceiling_se
    rows$roof <- rows$ceiling + ifelse(is.na(half), 0, half)
    rows$floor <- ifelse(half > 0, rows$ceiling - half, NA)
  } else {
    rows$roof <- if (is.null(rows$ceiling_high)) NA_real_ else rows$ceiling_high
    rows$floor <- if (is.null(rows$ceiling_low)) NA_real_ else rows$ceiling_low
    if (!all(is.na(object$se))) {
      # the set of the best models, the same in each picture of a result
      set <- with_seed(1, suppressWarnings(unlist(best_score(object, draws = 999)$in_set)))
      rows$best <- rows$model %in% set
    }
    threshold <- attr(object, "chance")$threshold
    if (length(threshold)) rows$threshold <- unname(threshold[as.character(rows$model)])
  }
  # without errors, nothing is known of which is the best
  rows$best <- if (is.null(rows$best)) FALSE else rows$best %in% TRUE
  marks <- rep("", nrow(rows))
  if (letters && nrow(object) > 1 && !anyNA(object$score) && !anyNA(object$se)) {
    # a letter for each set of models that do not differ; models without a common letter differ
    pairs <- suppressWarnings(compare_scores(object, p_adjust = p_adjust, draws = 999))
    differ <- matrix(FALSE, nrow(object), nrow(object))
    at <- cbind(match(pairs$score_1, object$model), match(pairs$score_2, object$model))
    differ[at] <- pairs$p_adjusted <= alpha & !is.na(pairs$p_adjusted)
    sets <- alike_sets(differ | t(differ))
    # the best models have the first letters
    sets <- sets[order(-vapply(sets, function(set) max(object$score[set]), 0))]
    names <- c(base::letters, LETTERS)[seq_along(sets)]
    marks <- vapply(seq_len(nrow(object)), function(i) {
      paste(names[vapply(sets, function(set) i %in% set, NA)], collapse = "")
    }, "")
  }
  # the threshold says the same for all models together
  stars <- if (!of_recordings) rows$p_chance
  rows$mark <- paste0(marks, ifelse((stars <= alpha) %in% TRUE, "*", ""))
  rows
}

# Scores of single RDMs, or the means of their groups: a row for each of them and each model. `x` is
# the place on the axis, the same for a subject in all models. NULL if they are too many or none.
subject_scores <- function(object, titles) {
  scores <- attr(object, "table")
  group <- attr(object, "group")
  models <- unique(object$model)
  known <- !is.null(scores) && all(models %in% colnames(scores))
  if (!known || max(group) > 40 || max(group) < 2) return(NULL)
  means <- rowsum(scores[, models, drop = FALSE], group) / tabulate(group)
  subjects <- nrow(means)
  # on both sides of the model's own point
  beside <- seq(-0.15, 0.15, length.out = subjects)
  beside <- beside + ifelse(beside < 0, -0.1, 0.1)
  model <- rep(seq_len(ncol(means)), each = subjects)
  data.frame(x = model + rep(beside, ncol(means)), score = as.vector(means),
             title = factor(titles[model], titles))
}

# One sentence about what is drawn.
evaluation_caption <- function(object, rows, errors, letters, alpha, p_adjust, single) {
  of_recordings <- is_of_recordings(object)
  facts <- if (of_recordings) attr(object, "facts") else c(attr(object, "chance"), alpha = 0.05)
  level <- paste0(format(100 * attr(object, "conf_level")), "%")
  has_marks <- any(grepl("*", rows$mark, fixed = TRUE))
  has_letters <- any(nzchar(gsub("*", "", rows$mark, fixed = TRUE)))
  shape <- if (all(is.na(rows$floor))) "grey line" else "band"
  over <- if (of_recordings) {
    in_words_of_kind(sample_words(overs_of(object)), evaluated_kind(facts))
  } else evaluation_over(object)
  caption_of(
    if (!all(is.na(rows$se))) {
      paste0("lines: ", if (errors == "conf") paste0(level, " intervals") else
        "one standard error", " over ", over,
        if (!of_recordings && !is.null(attr(object, "folds"))) ", cross-validated")
    },
    if (any(rows$best)) paste0("full points: may be the best (", level, " confidence set)"),
    if (any(rows$best) && anyNA(rows$se)) {
      paste("without an error, and not judged:", enumerate(rows$model[is.na(rows$se)], 3, FALSE))
    },
    if (single) "crosses: single subjects",
    if (any(!is.na(rows$roof))) {
      paste0(shape, ": ", if (shape == "grey line" && !of_recordings) "upper ", "noise ceiling",
             if (of_recordings && shape == "band") ", 95% interval")
    },
    if (any(!is.na(rows$threshold))) {
      paste0("dashed: chance, ", if (of_recordings) "all models considered" else
        "each model by itself", " (p at most ", format(facts$alpha), ", ",
        format(facts$permutations, big.mark = ","), " permutations)")
    },
    if (has_marks) paste0("*: above chance (p_chance at most ", format(alpha), ")"),
    if (letters && has_letters) {
      paste0("models without a common letter differ (p at most ", format(alpha), ", ", p_adjust,
             ")")
    },
    if (anyNA(rows$score)) paste("undefined (NA):", enumerate(rows$model[is.na(rows$score)])),
    # the depth of several networks is a number
    if (nlevels(rows$network) < 2) crowded_words(levels(rows$title))
  )
}

# ---- which models differ

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
    sets <- unique(lapply(unlist(split, recursive = FALSE), sort))
    inside <- vapply(seq_along(sets), function(i) {
      any(vapply(sets[-i], function(set) all(sets[[i]] %in% set), NA))
    }, NA)
    sets <- sets[!inside]
  }
  sets
}

# ---- map

# Models and data RDMs; near each other where they are alike.
evaluation_map <- function(object) {
  refuse_if(is_of_recordings(object), "choice", "type = \"map\" is for models of RDMs: rdm() ",
            "makes RDMs of recordings.", arg = "type")
  kept <- attr(object, "pictures")
  refuse_if(is.null(kept), "rows", "`object` no longer has its RDMs: start again from what ",
            "evaluate_rdms() returned.")
  models <- kept$models[, intersect(object$model, colnames(kept$models)), drop = FALSE]
  all <- cbind(models, kept$data)
  similar <- similarity_table(all, all, attr(object, "outer"), kept$stimulus_noise)
  apart <- pmax(1 - (similar + t(similar)) / 2, 0)
  usable <- rowSums(is.na(apart)) < ncol(apart) - 1
  apart <- apart[usable, usable]
  refuse_if(nrow(apart) < 2 || anyNA(apart), "size", "There is no map: similarities of RDMs are ",
            "undefined (NA).", arg = "object")
  diag(apart) <- 0
  rownames(apart) <- colnames(all)[usable]
  map <- scaled_map(apart^2)
  points <- map$points
  points$model <- factor(rep(c("model", "data"), c(ncol(models), ncol(kept$data)))[usable],
                         c("model", "data"))
  draw_map(points, NULL, map_caption(paste("1 -", attr(object, "outer")), map$kept))
}

# ---- regression

# These functions draw the coefficients of rsa_regression() as a forest plot.

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
  # the first predictor is on top
  rows <- drawn_rows(object, c("term", "p_value", value))
  rows$value <- rows[[value]]
  refuse_undefined(rows$value)
  rows$title <- factor(rows$term, rev(unique(rows$term)))
  rows$found <- found_flags(rows$p_value, alpha)
  several <- length(unique(object$subject)) > 1
  place <- if (several) ggplot2::position_nudge(y = -0.18) else ggplot2::position_identity()
  undefined <- sum(is.na(rows$value))
  ggplot2::ggplot(rows, by_column(x = "value", y = "title")) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey40") +
    ggplot2::geom_point(by_column(shape = "found"), na.rm = TRUE, position = place,
                        size = if (several) 1.7 else 3, show.legend = TRUE,
                        colour = if (several) "grey40" else forest_colour) +
    (if (several) group_marks(object, rows, value, alpha) else {
      # where the coefficients stand that the p-values are about
      if (value == "estimate" && !is.null(rows$centered)) {
        ggplot2::geom_point(by_column(x = "centered"), na.rm = TRUE, shape = 124,
                            size = 5, colour = okabe_ito[["vermillion"]])
      }
    }) +
    ggplot2::scale_shape_manual(values = c(19, 1), name = NULL, drop = FALSE,
                                labels = paste("p", c("at most", "above"), format(alpha))) +
    ggplot2::labs(x = c(estimate = paste0(if (isTRUE(attr(object, "standardize"))) "standardized ",
                                          "coefficient"), partial = "partial correlation",
                        semipartial = "semipartial correlation",
                        unique = "unique share of the variance")[[value]], y = NULL,
                  caption = caption_of(c(
                              if (several) "large: means over subjects; small: subjects",
                              if (several && value == "estimate") {
                                paste("lines: coefficients that p_value of summary() is about,",
                                      "with 95% intervals over conditions and subjects")
                              },
                              if (!several && value == "estimate" && !is.null(rows$centered)) {
                                paste("lines: coefficients without effects of single conditions,",
                                      "which p is about")
                              },
                              if (undefined) paste(undefined, "undefined")
                            ))) +
    picture_theme(lines = "x") +
    names_axis("y", levels(rows$title))
}

# Means over subjects; of coefficients also those that are tested, with their 95% intervals.
group_marks <- function(object, rows, value, alpha) {
  means <- tapply(rows$value, rows$title, mean, na.rm = TRUE)
  means <- data.frame(value = as.vector(means), title = factor(names(means), levels(rows$title)))
  group <- attr(object, "group")
  group <- group[match(means$title, group$term), , drop = FALSE]
  means$found <- found_flags(group$p_value, alpha)
  place <- ggplot2::position_nudge(y = 0.12)
  list(if (value == "estimate" && nrow(group)) {
    half <- stats::qt(0.975, group$df) * group$se
    lines <- data.frame(value = group$tested, low = group$tested - half,
                        high = group$tested + half, title = means$title)
    list(ggplot2::geom_linerange(by_column(xmin = "low", xmax = "high"), lines,
                                 na.rm = TRUE, linewidth = 0.9, colour = okabe_ito[["vermillion"]],
                                 position = place),
         ggplot2::geom_point(data = lines, na.rm = TRUE, shape = 124, size = 4, position = place,
                             colour = okabe_ito[["vermillion"]]))
  }, ggplot2::geom_point(by_column(shape = "found"), means, size = 3, na.rm = TRUE,
                         colour = forest_colour, position = place, show.legend = FALSE))
}

found_flags <- function(p, alpha) {
  factor(ifelse(p <= alpha & !is.na(p), "yes", "no"), c("yes", "no"))
}

# ---- encoding

# Pictures of what encode() returned: scores of layers with their ceilings, and of neurons against
# their reliability.

#' @rdname encode
#' @param what what `plot()` draws: scores of `"pairs"`, with trials also their ceilings (dashes)
#'   and normalised scores (open points), or of `"neurons"` over their reliability.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_encoding <- function(object, what = c("pairs", "neurons"), ...) {
  no_other_arguments(...)
  what <- check_choice(what, c("pairs", "neurons"), "what")
  rows <- drawn_rows(object, c("x", "y", "measure", "score"))
  if (what == "neurons") return(encoded_neurons(object))
  rows$at <- factor(full_names(rows, "x"), unique(full_names(rows, "x")))
  rows$panel <- encoding_panels(source_names(rows, source_columns(object)), full_names(rows, "y"),
                                measure_titles(rows$measure))
  twice <- anyDuplicated(rows[c("at", "panel")])
  refuse_if(twice, "rows", "`object` has two scores of ", quoted(as.character(rows$at[twice])),
            " that cannot be told apart: bind results with names, as in rbind(day1 = a, day2 = b).")
  refuse_undefined(rows$score)
  rows$left <- as.integer(rows$at) - 0.35
  rows$right <- as.integer(rows$at) + 0.35
  limited <- any(!is.na(rows$ceiling))
  values <- c("score", if (any(!is.na(rows$normalized))) "normalized")
  points <- do.call(rbind, lapply(values, function(name) {
    data.frame(rows[c("at", "panel")], value = factor(name, values), score = rows[[name]])
  }))
  key <- if (length(values) > 1) "legend" else "none"
  ggplot2::ggplot(points, by_column(x = "at", y = "score")) +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.3, colour = "grey60") +
    (if (limited) {
      ggplot2::geom_segment(data = rows, linetype = "22", linewidth = 0.5, na.rm = TRUE,
                            by_column(x = "left", xend = "right", y = "ceiling", yend = "ceiling"))
    }) +
    # rings round the points, which are seen where both are at one place
    ggplot2::geom_point(by_column(shape = "value", size = "value"), na.rm = TRUE,
                        colour = forest_colour) +
    ggplot2::scale_shape_manual(values = c(score = 19, normalized = 1), name = NULL, guide = key) +
    ggplot2::scale_size_manual(values = c(score = 2, normalized = 3.6), name = NULL, guide = key) +
    panel_facets(rows$panel) +
    ggplot2::labs(x = NULL, y = encoding_axis(rows), caption = caption_of(
      if (limited) "dashes: noise ceilings",
      if (anyNA(rows$score)) paste(sum(is.na(rows$score)), "undefined"),
      crowded_words(levels(rows$at)))) +
    picture_theme(lines = "y") +
    names_axis("x", levels(rows$at), panels = panel_columns(rows$panel), limits = levels(rows$at))
}

# A panel for each pair: unique and common parts with intervals, alone as open points.
#' @rdname space_parts
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_parts <- function(object, ...) {
  no_other_arguments(...)
  rows <- drawn_rows(object, c("x", "y", "part", "space", "score", "conf_low", "conf_high"))
  rows$panel <- encoding_panels(source_names(rows, source_columns(object)), part_titles(rows))
  kinds <- c("unique", "common", if (!any(rows$part == "common")) "shared", "alone")
  rows <- rows[rows$part %in% kinds, ]
  refuse_undefined(rows$score)
  rows$part <- factor(rows$part, kinds)
  rows$space <- factor(rows$space, rev(unique(rows$space[order(match(rows$part, kinds))])))
  known <- rows[rows$part != "alone", ]
  alike <- length(unique(lapply(split(rows$space, rows$panel), unique))) == 1
  across <- if (alike) min(2, nlevels(rows$panel)) else 1
  down <- ceiling(nlevels(rows$panel) / across)
  ggplot2::ggplot(rows, by_column(x = "score", y = "space")) +
    ggplot2::geom_vline(xintercept = 0, linewidth = 0.3, colour = "grey60") +
    ggplot2::geom_linerange(data = known, by_column(xmin = "conf_low", xmax = "conf_high"),
                            na.rm = TRUE, linewidth = 0.8, colour = forest_colour) +
    ggplot2::geom_point(data = known, by_column(shape = "part"), na.rm = TRUE, size = 2.5,
                        colour = forest_colour) +
    # below the line, which is not theirs
    ggplot2::geom_point(data = rows[rows$part == "alone", ], by_column(shape = "part"),
                        na.rm = TRUE, size = 2.5, colour = forest_colour,
                        position = ggplot2::position_nudge(y = -0.15)) +
    ggplot2::scale_shape_manual(values = c(unique = 19, common = 15, shared = 15, alone = 1),
                                name = NULL) +
    # models need not have the same spaces
    (if (nlevels(rows$panel) > 1) {
      ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), ncol = across,
                          scales = if (alike) "fixed" else "free_y",
                          labeller = wrapped_titles(across, beside = 1.5))
    }) +
    score_axis(ggplot2::scale_x_continuous, whole = across == 1) +
    ggplot2::labs(x = "part of R squared", y = NULL, caption = caption_of(
      interval_lines(attr(object, "conf_level"), known$over),
      crowded_words(lines = down * nlevels(rows$space) + 2 * (down - 1)))) +
    # the legend reaches over the names, which leave less room than it needs
    picture_theme(lines = "x", legend.justification = "right",
                  panel.spacing.x = ggplot2::unit(1.3, "lines")) +
    names_axis("y", levels(rows$space), panels = down, most = 36)
}

# What tells panels apart: of these texts of the rows those that differ.
encoding_panels <- function(...) {
  parts <- Filter(function(part) length(unique(part)) > 1, list(...))
  title <- if (length(parts)) do.call(paste, c(parts, sep = " | ")) else rep("", length(..1))
  factor(title, unique(title))
}

encoding_axis <- function(rows) {
  measures <- unique(as.character(rows$measure))
  words <- if (all(endsWith(measures, "r2"))) "R squared" else
    if (all(endsWith(measures, "cor"))) "correlation" else "score"
  paste("held-out", words)
}

encoded_neurons <- function(object) {
  table <- as.data.frame(object, part = "neurons")
  measure <- rep(as.character(object$measure), object$neurons)
  refuse_if(all(is.na(table$reliability)), "trials", "There are no reliabilities to draw over: ",
            "`to` had no trials.", arg = "object")
  table$panel <- encoding_panels(source_names(table, source_columns(object)),
                                 full_names(table, "x"), full_names(table, "y"),
                                 measure_titles(measure))
  line <- data.frame(reliability = seq(0, 1, length.out = 101))
  line$score <- if (endsWith(measure[1], "r2")) line$reliability else sqrt(line$reliability)
  lost <- sum(is.na(table$score) | is.na(table$reliability))
  ggplot2::ggplot(table, by_column(x = "reliability", y = "score")) +
    ggplot2::geom_line(data = line, linetype = "22", linewidth = 0.5) +
    ggplot2::geom_point(na.rm = TRUE, size = 1.5, alpha = 0.6, colour = forest_colour) +
    panel_facets(table$panel) +
    score_axis(ggplot2::scale_x_continuous, whole = nlevels(table$panel) == 1) +
    ggplot2::labs(x = "reliability", y = encoding_axis(data.frame(measure = measure)),
                  caption = caption_of("a point a neuron; dashes: the noise ceiling",
                                       if (lost > 0) paste(lost, "undefined"))) +
    picture_theme(panel.spacing.x = ggplot2::unit(0.9, "lines"))
}
