# contributions() takes a score apart: what stimuli, groups of them, neurons or components add to
# it, and what it loses without them.

#' @include result-class.R
NULL

#' What a score is made of
#'
#' Which stimuli, pairs of groups of stimuli, neurons or components make the score of two
#' representations.
#'
#' @param x one representation, see [similarity()].
#' @param y one representation, or a named list of two, such as two layers: what is taken apart is
#'   then the difference of their scores, first less second.
#' @param measure one measure: an id, or what [measure()] or [new_measure()] made.
#' @param by the parts: `"stimuli"`, pairs of `"groups"` of stimuli, the neurons of a side
#'   (`"neurons_x"`, `"neurons_y"`), or principal `"components"` of both sides. Of two models:
#'   stimuli, groups, or neurons of `x`.
#' @param groups one label per stimulus, by name or in their order.
#' @param components how many components of each side are shown; all others are one row `"rest"`.
#' @param ... not used: parameters go to [measure()].
#' @param na,threads see [similarity()].
#' @return A data frame of class `repalign_contributions` with one row per part, in the order of
#'   `effect` where there is one: `x`, `y` and `measure`, as of [similarity()]; `part`, its name
#'   (`part_x` and `part_y` for pairs of groups and of components); `contribution` (all rows add up
#'   to the score); `share` of the score; `chance`, the mean contribution over all permutations of
#'   `y`; `excess`, the contribution less chance; `effect`, the score less that without the part;
#'   and `n`, the number of stimuli. For groups also `pairs`, how many pairs of different stimuli
#'   there are, `se`, and `conf_low` and `conf_high`, a 95% interval of the contribution.
#' @details
#' **`effect` answers "does it drive the score", `contribution` "where does it sit".** A neuron also
#' makes its own side similar to itself, so that a score may rise without one that contributes much.
#'
#' *Contributions* are there for [cka()] with the linear and the Gaussian kernel, [rv()], [rsa()] by
#' Pearson's and Spearman's correlation and by the cosine (whitened, too, without `stimulus_noise`),
#' and [distance_correlation()] that is unbiased or `squared`; those of neurons for [cka()] with the
#' linear kernel and [rv()], those of components for naive ones. That of a stimulus is half of its
#' pairs with others (without the correction for few stimuli also its pair with itself), that of two
#' groups all pairs between them. They may be negative, and shares outside of 0 to 1: pairs of
#' stimuli that are similar on one side only lower the score. For corrected estimators chance is 0.
#'
#' All other measures, clusters, and trials that were recorded together have the `effect` alone (a
#' message of class `repalign_effect_alone`). A neuron that is on both sides by its labels is left
#' out on both.
#'
#' The interval of a group is over stimuli alone, and mostly too wide (standard errors 1.15 to 2.1
#' times too large).
#'
#' When not to trust it:
#' * parts that were picked because they are large are smaller in new data: pick them in one half of
#'   the stimuli, look at them in the other;
#' * shares of a low score are unstable: `print()` says so below 2 standard errors;
#' * components with nearly the same variance (a warning of class `repalign_close_components`)
#'   rotate freely into each other;
#' * groups of stimuli that [depend on each other][dependence]: intervals are too narrow.
#' @references Kornblith et al. (2019), ICML (CKA as a sum over components).
#' @examples
#' # which images make V4 similar to a layer of a network?
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' corrected <- measure("cka", estimator = "stimulus_neuron")
#' found <- contributions(v4, layers$L3, corrected)
#' found
#' in_words(found)
#' # and which favour layer 3 over layer 0?
#' head(contributions(v4, layers[c("L3", "L0")], corrected), 3)
#' # neurons, and pairs of groups of images: those that V4 responds to strongly, and the others
#' head(contributions(v4, layers$L3, corrected, by = "neurons_x"), 3)
#' strong <- ifelse(rowMeans(v4) > median(rowMeans(v4)), "strong", "weak")
#' contributions(v4, layers$L3, corrected, by = "groups", groups = strong)
#' @seealso [score_interval()], [influence_matrix()]
#' @export
contributions <- function(x, y, measure = "cka",
                          by = c("stimuli", "groups", "neurons_x", "neurons_y", "components"),
                          groups = NULL, components = 5, ...,
                          na = c("error", "stimuli", "neurons", "pairwise"), threads = NULL) {
  need_arguments()
  set <- list(single_measure(measure, ...))
  by <- check_choice(by, eval(formals()$by), "by")
  components <- check_count(components, "components")
  check_contribution_sides(x, y, by, groups)
  rule <- rule_of_call(na, set, !missing(na))
  call <- open_call(x, y, rule$set, rule$na, threads, use = "errors", least = 5,
                    why = "leaving out each of them", remedy = if (by == "groups") group_remedy,
                    controls = TRUE)
  check_rows(call$n, 5, call$sides$x$reprs[[1]]$arg, "leaving out each stimulus")
  check_grid_memory(call$set, call$sides)
  measure <- call$set[[1]]
  pairs <- lapply(call$pairs$j, function(j) side_pair(call$sides, 1, j))
  kind <- if (!any(vapply(pairs, share_trials, NA, measure))) cosine_kind(measure, call$clusters)
  check_parts(pairs, measure, kind, by)
  labels <- if (by == "groups") group_labels(groups, call)
  task <- list(sides = call$sides, set = call$set, pairs = call$pairs, codes = call$clusters,
               n = call$n, threads = threads,
               settings = interval_settings("stimuli", "jackknife", 20, "auto", NULL, NULL, 0.95))
  task$scores <- as.vector(scores_of_call(call, "stop", threads))
  found <- lapply(pairs, parts_of_pair, measure, kind, by, labels, components)
  # what the scores gain without each stimulus
  changes <- if (by == "stimuli" || by != "groups" && !is.null(kind)) {
    columns <- stimulus_columns(task, vector("list", length(pairs)))
    if (has_controls(call$set)) columns <- with_partial_columns(with_tasks_beside(task), columns)
    lapply(columns, `[[`, "change")
  } else if (by == "groups") lapply(found, function(parts) rowSums(parts$deleted))
  side <- sub("neurons_", "", by)
  effects <- if (by == "stimuli") lapply(changes, `-`) else if (side != by) {
    Map(function(pair, score) {
      score - scores_without_neurons(pair, measure, side, threads, call$sides$z)
    }, pairs, task$scores)
  }
  inform_if(is.null(found[[1]]$contribution), "effect_alone", "{quoted(measure$label)}",
            if (unit_words(call$clusters) == "clusters") " with clusters" else
              if (is_corrected_ratio(measure)) " of what was recorded together",
            " is no sum over {if (by == 'stimuli') 'pairs of stimuli' else 'neurons'}, so that ",
            "`contribution`, `share`, `chance` and `excess` are NA: `effect` says what it loses ",
            "without each part.")
  part <- if (by == "stimuli" && length(call$clusters)) {
    paste("cluster", seq_len(max(call$clusters)))
  } else if (by == "stimuli") {
    if (is.null(call$labels)) as.character(which(call$rows)) else call$labels[call$rows]
  } else if (side != by) {
    names <- colnames(pairs[[1]][[side]]$data)
    if (is.null(names)) as.character(seq_along(effects[[1]])) else names
  }
  contributions_result(call, by, task$scores, found, effects, changes, part)
}

group_remedy <- "Give one stimulus of each group that was sampled together."

check_contribution_sides <- function(x, y, by, groups) {
  two <- is_collection(y)
  refuse_if(is_collection(x), "type", "`x` must be one representation, not a list: take one of ",
            "its elements. (Two models to compare are a list in `y`.)")
  refuse_if(two && length(y) != 2, "type", "`y` must be one representation or a named list of ",
            "two, whose difference is taken apart, not a list of {length(y)}: take two.")
  refuse_if(two && by %in% c("neurons_y", "components"), "parameter", "`by` cannot be ",
            "{quoted(by)} for two models in `y`, which have no such parts in common: take ",
            "\"stimuli\", \"groups\" or \"neurons_x\", or one of the models.")
  refuse_if(by == "groups" && is.null(groups), "missing", "`groups` is missing: by = \"groups\" ",
            "needs a label for each stimulus.")
  refuse_if(by != "groups" && !is.null(groups), "choice", "`groups` is for by = \"groups\", but ",
            "`by` is {quoted(by)}: leave one of them out.")
}

# Parts that a measure does not have, whatever is done.
check_parts <- function(pairs, measure, kind, by) {
  args <- measure$args
  refuse_by <- function(bad, why) {
    refuse_if(bad, "parameter", "`by` cannot be {quoted(by)} for ",
              "{quoted(measure$label)}{if (is.null(kind)) ' of these data'}: {why}.")
  }
  neurons <- startsWith(by, "neurons")
  refuse_by(neurons && isTRUE(args$kernel %in% c("rbf", "manifold")), paste(
    "its kernel is no sum over neurons. Take kernel = \"linear\", or by = \"stimuli\""
  ))
  refuse_by(by == "groups" && is.null(kind), paste(
    "it is no sum over pairs of stimuli (as none is with clusters, or of trials that were recorded",
    "together). Take by = \"stimuli\", or a measure such as",
    "measure(\"cka\", estimator = \"stimulus\") or \"rsa\""
  ))
  naive <- measure$id %in% c("cka", "rv") && args$kernel == "linear" && args$estimator == "naive"
  refuse_by(by == "components" && (!naive || is.null(kind)), paste(
    "components are parts of measure(\"cka\", estimator = \"naive\") and \"rv\" without clusters"
  ))
  for (pair in if (neurons) pairs) {
    repr <- need_kind(pair[[sub("neurons_", "", by)]], "data", paste0("by = \"", by, "\""))
    refuse_if(ncol(repr$data) < 2, "size", "`{repr$arg}` has a single neuron (column), without ",
              "which there is no score: take by = \"stimuli\".")
  }
}

# A factor with the group of each stimulus that is compared.
group_labels <- function(groups, call) {
  groups <- column_of_labels(groups)
  refuse_if(!is.atomic(groups) || length(dim(groups)) > 1, "labels", "`groups` must be a vector ",
            "of labels, one a stimulus, not {describe(groups)}.")
  n <- length(call$rows)
  refuse_if(length(groups) != n, "labels", "`groups` has {count_of(length(groups), 'label')}, but ",
            "there are {n} stimuli: give one label per stimulus.")
  # words in alphabetical order, numbers in them by value, in any locale
  levels <- label_text(levels_in_order(groups))
  if (is.character(groups)) levels <- natural_order(levels)
  text <- stats::setNames(label_text(as.vector(groups)), names(groups))
  text <- in_order_of(text, call$labels, "groups")
  refuse_if(anyNA(text), "labels", "`groups` has missing labels (NA), first at stimulus ",
            "{which(is.na(text))[1]}: give it one, or leave the stimulus out of `x` and `y`.")
  droplevels(factor(text[call$rows], levels))
}

# list(part, contribution, chance, deleted), without what there is not; see group_contributions().
parts_of_pair <- function(pair, measure, kind, by, labels, components) {
  if (is.null(kind)) return(list())
  if (by == "components") return(component_contributions(pair, components))
  if (by == "groups") return(group_contributions(pair, measure, kind, labels))
  if (by == "stimuli") {
    made <- pair_contributions(pair, measure, kind)
    return(lapply(list(contribution = made$sums, chance = made$chance), function(entries) {
      rowSums(entries) / made$divisor
    }))
  }
  if (!measure$id %in% c("cka", "rv")) return(list())
  # neurons, of CKA with the linear kernel
  side <- sub("neurons_", "", by)
  naive <- !measure$args$corrects$stimuli
  data <- side_first(lapply(pair[c("x", "y")], scaled_data, TRUE), side)
  terms <- allowed_terms(data, side_first(pair_labels(pair, measure$args), side), naive)
  divisor <- sum(terms$counts) * self_root(pair$x, measure, "x") * self_root(pair$y, measure, "y")
  n <- as.double(pair$x$n)
  chance <- naive * colSums(data[[1]]^2) * sum(data[[2]]^2) / ((n - 1) * n^2)
  list(contribution = terms$sums / divisor, chance = chance / divisor)
}

# ---- results

# The class of what contributions() returns: its rows, its print and its sentences.

declare_result(
  "repalign_contributions", from = "contributions", words = "contributions",
  columns = described_columns(
    side_columns()[3:4, ],
    column("measure", "the label of the measure", key = TRUE),
    column("part", "the stimulus or neuron", key = TRUE, tidy = "term", always = FALSE),
    column("part_x", "the first group, or the component of x", key = TRUE, always = FALSE),
    column("part_y", "the second group, or the component of y", key = TRUE, always = FALSE),
    column("contribution", "what the part adds to the score", shown = 1, tidy = "estimate"),
    column("share", "of the score", shown = 2),
    column("chance", "the mean contribution over all permutations of y", shown = 6),
    column("excess", "the contribution less chance", shown = 5),
    column("effect", "what the score loses without the part", shown = 1),
    column("pairs", "the number of pairs of different stimuli", shown = 7, always = FALSE),
    column("se", "the standard error of the contribution", shown = 4, always = FALSE),
    column("conf_low", "the lower limit of its interval", shown = 4, always = FALSE),
    column("conf_high", "the upper limit of its interval", shown = 4, always = FALSE),
    column("n", "the number of stimuli")
  ),
  kept = list(conf_level = one_level, dependence = each_once,
              scores = function(values) unique(do.call(rbind, values))),
  heading = function(x, digits) {
    scores <- scores_of_parts(x)
    strwrap(paste0("Contributions to ", scores$measure, " of ", scores$x, " and ", scores$y, ": ",
                   format_each(scores$score, digits), ifelse(is.na(scores$se), "", paste0(
                     " (standard error ", format_each(scores$se, 2), ")"
                   ))), exdent = 2)
  },
  shown = function(x) {
    lacking <- names(x)[vapply(x, function(values) all(is.na(values)), NA)]
    x[setdiff(names(x), c("x", "y", "measure", lacking))]
  },
  footing = function(x, digits) {
    scores <- scores_of_parts(x)
    low <- any(abs(scores$score) < 2 * scores$se, na.rm = TRUE)
    shares <- !all(is.na(x$share))
    strwrap(c(if (!all(is.na(x$effect))) {
      paste0("effect: what the score loses without the part.",
             if (!all(is.na(x$contribution))) " contribution: where it sits.")
    }, if (low && shares) "The score is below 2 standard errors: shares are unstable.",
    if (shares && anyNA(scores$se)) {
      "The score is undefined without some of the stimuli: shares are unstable."
    }, if (shares && any(has_nothing(scores), na.rm = TRUE)) {
      "The score is not above 0: there is no similarity of which parts would have a share."
    }))
  },
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "contribution", "effect", "n",
                      if (!"part" %in% names(x)) c("part_x", "part_y")), "told", "result")
    vapply(unname(row_groups(x, c("x", "y", "measure"))), function(at) {
      contribution_sentence(x[at, ], scores_of_parts(x[at, ])[1, ])
    }, "")
  }
)

# found, effects, changes: of each pair, of one or two; part: names of single parts.
contributions_result <- function(call, by, scores, found, effects, changes, part) {
  both <- function(values) {
    if (!length(values) || any(lengths(values) == 0)) return(NA_real_)
    if (length(values) == 1) values[[1]] else values[[1]] - values[[2]]
  }
  names <- function(side) paste(vapply(call$sides[[side]]$reprs, title_of, ""), collapse = " - ")
  of <- data.frame(x = names("x"), y = names("y"), measure = call$set[[1]]$label)
  score <- both(as.list(scores))
  contribution <- both(lapply(found, `[[`, "contribution"))
  chance <- both(lapply(found, `[[`, "chance"))
  named <- found[[1]]$part
  rows <- data.frame(of, if (is.null(named)) list(part = part) else named[c("part_x", "part_y")],
                     contribution, share = contribution / score, chance,
                     excess = contribution - chance, effect = unless_rounding(both(effects), score))
  if (by == "groups") {
    se <- errors_of_deletions(both(lapply(found, `[[`, "deleted")))
    limits <- student_limits(contribution, se, call$n - 1, 0.95)
    rows <- data.frame(rows, named["pairs"], se, conf_low = limits[, 1], conf_high = limits[, 2])
    warn_if(anyNA(se), "undefined", "No standard errors (NA): the score is undefined without some ",
            "of the stimuli. Give more stimuli or neurons.", data = sum(is.na(se)))
  }
  rows$n <- call$n
  rows <- rows[order(-rows$effect), ]
  rownames(rows) <- NULL
  new_result(rows, "repalign_contributions", list(
    conf_level = if (by == "groups") 0.95, dependence = as.list(call$dependence),
    scores = data.frame(of, by = sub("stimuli", unit_words(call$clusters), by),
                        score, se = unless_rounding(errors_of_deletions(cbind(both(changes))),
                                                    score),
                        two = length(scores) > 1)
  ))
}

# Standard errors of what has these values without each unit, a column each.
errors_of_deletions <- function(deleted) {
  m <- as.double(nrow(deleted))
  sqrt((m - 1) / m * colSums(sweep(deleted, 2, colMeans(deleted))^2))
}

# The scores that the rows are parts of: a data frame with the columns x, y, measure, by, score, se
# and two (is it the difference of two models?).
scores_of_parts <- function(x) {
  kept <- need_kept(x, "scores", "contributions()")
  key <- function(rows) paste(rows$x, rows$y, rows$measure, sep = "\r")
  kept[key(kept) %in% key(as.data.frame(x)), ]
}

# A similarity that is not above 0 has no parts; a difference has, of either sign.
has_nothing <- function(scores) !scores$two & scores$score <= 0

contribution_sentence <- function(rows, score) {
  other <- if (score$two) sub(" - ", " less with ", paste("with", score$y), fixed = TRUE) else
    paste("and", score$y)
  what <- paste(measure_words(score$measure), "of", score$x, other)
  alone <- all(is.na(rows$contribution))
  sign <- if (score$two && !alone && isTRUE(score$score < 0)) -1 else 1
  told <- if (alone) rows$effect else
    sign * replace(rows$contribution, rows$part_x %in% "rest", NA)
  if (is.na(score$score) || all(is.na(told))) return(paste0("The ", what, " is undefined (NA)."))
  if (!alone && has_nothing(score)) {
    return(paste0("The ", what, brackets(number_word(score$score), stimuli_words(rows$n)),
                  " is not above 0: there is no similarity to take apart."))
  }
  if (all(told == 0, na.rm = TRUE)) return(paste0("No part of the ", what, " differs from 0."))
  row <- rows[which.max(told), ]
  # of chosen rows nothing is said about the whole
  whole <- isTRUE(all.equal(sum(rows$contribution), score$score, tolerance = 1e-6))
  shown <- if (!whole) " shown here"
  if (score$by %in% c("groups", "components")) {
    text <- number_words(score$score, row$contribution, row$conf_low, row$conf_high)
    limits <- if (score$by == "groups") interval_phrase(text[3:4], 0.95, "stimuli")
    pair <- if (score$by == "components") {
      paste("component", row$part_x, "of", row$x, "with component", row$part_y, "of", row$y)
    } else if (row$part_x == row$part_y) paste("pairs within", row$part_x) else
      paste("pairs of", row$part_x, "with", row$part_y)
    return(paste0("Of the ", what, brackets(text[1], stimuli_words(rows$n)), ", the largest part",
                  shown, " came from ", pair, brackets(text[2], limits), "."))
  }
  parts <- count_of(nrow(rows), c(stimuli = "stimulus", clusters = "cluster")[score$by])
  if (startsWith(score$by, "neurons")) {
    parts <- paste(count_of(nrow(rows), "neuron"), "of", sub("neurons_", "", score$by))
  }
  text <- number_words(score$score - row$effect, score$score)
  if (is.na(row$effect)) text[1] <- "undefined"
  without <- paste0(row$part, ", without which it would be ", text[1], " (", text[2], ").")
  if (alone) return(paste0("Of ", parts, ", the ", what, " loses most without ", without))
  sizes <- sort(pmax(told, 0), decreasing = TRUE)
  half <- which(cumsum(sizes) >= sum(sizes) / 2)[1]
  paste0("Half of the ", if (sign > 0) "positive" else "negative", " contributions", shown,
         " to the ", what, " came from ", half, " of ", parts, ", the largest part from ", without)
}

# ---- picture

# These functions draw what scores are made of: stimuli and neurons as ranked points, pairs of
# groups and of components as tiles.

#' @rdname contributions
#' @aliases plot.repalign_contributions
#' @param object what `contributions()` returned. `plot()` draws stimuli and neurons in the order of
#'   their effects, with the names of ten; pairs of groups and of components as tiles, coloured by
#'   `excess`, with the `share` in per cent.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_contributions <- function(object, ...) {
  no_other_arguments(...)
  rows <- drawn_rows(object, c("x", "y", "measure", "excess", "share", "effect"))
  score <- scores_of_parts(object)
  refuse_if(nrow(score) > 1, "rows", "`object` has parts of {nrow(score)} scores: take one.")
  of_pairs <- score$by %in% c("groups", "components")
  need_columns(object, if (of_pairs) c("part_x", "part_y") else "part", "drawn")
  refuse_undefined(if (of_pairs) rows$excess else rows$effect)
  of <- paste0(if (score$two) "difference" else "score", " (", number_text(score$score), ")")
  if (of_pairs) {
    groups <- score$by == "groups"
    rest <- rows$share[rows$part_x == "rest" & !groups]
    if (!groups) rows <- rows[rows$part_x != "rest", ]
    percent <- function(share) paste0(round(100 * share), "%")
    places <- function(part) factor(part, unique(if (groups) c(rows$part_x, rows$part_y) else part))
    tiles <- data.frame(row = places(rows$part_x), column = places(rows$part_y),
                        value = rows$excess, panel = factor(measure_titles(score$measure)),
                        measure = score$measure, text = percent(rows$share), pale = FALSE)
    tiles$row <- factor(tiles$row, rev(levels(tiles$row)))
    remarks <- c(paste0("numbers", if (nlevels(tiles$column) > 6) ", where they have room",
                        ": share of the ", of),
                 if (length(rest)) paste("all other components:", percent(rest)))
    return(draw_tiles(structure(tiles, side_by_side = 1, two_lists = FALSE),
                      zero_shading(tiles$value, "excess\nover\nchance"), remarks) +
             ggplot2::labs(x = if (!groups) paste("components of", score$y),
                           y = if (!groups) paste("components of", score$x)))
  }
  # The ten points with the largest effects of either sign have names, in a column beside them.
  rows <- rows[order(-rows$effect, na.last = NA), ]
  rows$rank <- seq_len(nrow(rows))
  rows$colour <- okabe_ito[ifelse(rows$effect < 0, "vermillion", "blue")]
  named <- rows[rank(-abs(rows$effect), ties.method = "first") <= 10, ]
  ggplot2::ggplot(rows, by_column(x = "rank", y = "effect")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey50", linewidth = 0.3) +
    name_column(named, rows, 1) +
    name_column(named, rows, -1) +
    ggplot2::geom_point(by_column(colour = "colour"), size = if (nrow(rows) > 60) 1.2 else 1.8) +
    ggplot2::scale_colour_identity() +
    ggplot2::scale_x_continuous(breaks = intersect(few_ticks(range(rows$rank)), rows$rank)) +
    ggplot2::labs(x = paste(sub("neurons_", "neurons of ", score$by), "in the order of effect"),
                  y = axis_words(score$measure, "effect on", 24),
                  caption = caption_of(paste0("effect: what the ", of, " loses without it"))) +
    picture_theme(lines = "y")
}

# The curve leaves room above it for names of positive effects (sign 1), and below it for others.
# The axis reaches as far as they do.
name_column <- function(named, rows, sign) {
  part <- named[(named$effect >= 0) == (sign > 0), ]
  if (!nrow(part)) return(NULL)
  part <- part[order(sign * part$effect), ]
  line <- 0.075 * diff(range(rows$effect, 0))
  part$to_y <- sign * Reduce(function(last, own) max(own, last + line), sign * part$effect,
                             accumulate = TRUE)
  part$to_x <- range(part$rank)[(3 + sign) / 2] + sign * 0.08 * nrow(rows)
  part$name <- short_labels(part$part, 16)
  end <- part$to_x[1] + sign * 0.025 * longest_line(part$name) * nrow(rows)
  list(ggplot2::expand_limits(x = end),
       ggplot2::geom_segment(data = part, by_column(xend = "to_x", yend = "to_y"),
                             linewidth = 0.25, colour = "grey60"),
       ggplot2::geom_text(data = part, by_column(x = "to_x", y = "to_y", label = "name"),
                          hjust = if (sign > 0) -0.1 else 1.1, size = 2.5))
}
