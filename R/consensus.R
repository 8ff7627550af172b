# consensus(): how well subjects agree with the consensus of the others, on stimuli left out.

#' @include result-class.R
NULL

#' Consensus of several subjects, on stimuli left out
#'
#' How well each subject (animal) agrees with the consensus of the others, and how well models do,
#' on stimuli that were not used to align them. Neurons need no counterparts.
#'
#' @param x a named list of two or more subjects, each a matrix stimuli x neurons (or
#'   [responses()]).
#' @param models `NULL`, or a named list of representations of the same stimuli, which are part of
#'   no consensus. A factor is a model of categories.
#' @param alpha how much the variance of a direction counts, see [shape_distance()].
#' @param components dimensions of a consensus; `NULL`: the largest rank among the others.
#' @param refine go on until the inner products of all subjects grow no more? The result then
#'   depends on the order of subjects, and is no better.
#' @param folds,clusters,repeats see [held_out()].
#' @param permutations for p-values (with `repeats = 1`); 0: none.
#' @param over are errors of models and of the group over `"stimuli"` and `"subjects"`, or over
#'   stimuli alone (always for two subjects, and for each subject)?
#' @param p_adjust a method of [stats::p.adjust()], for subjects, and for models. Two subjects have
#'   one score, which is tested twice: take `"none"`.
#' @param conf_level coverage of the intervals.
#' @param na missing values: an error; `"stimuli"`, left out of all; or `"pairwise"`: absent in the
#'   subjects that lack them.
#' @param threads see [similarity()].
#' @param object,... what `consensus()` returned; other arguments are an error.
#' @return A data frame of class `repalign_consensus` with a row for each subject, each model and
#'   the `"group"` (the mean of the subjects): `x`; `kind`; `measure`; `score`, a cosine; `se`,
#'   `df`, `conf_low`, `conf_high`; `difference` of a model less the group, `difference_se`;
#'   `distance`, the mean over folds, as `shape_distance(method = "euclidean")` (`NA` of models and
#'   the group with absent stimuli); `p_value`, `p_adjusted`; `n`, stimuli scored.
#'
#'   `as.data.frame(result, part = "errors")`: `x`, `se_stimuli` (with alignments held),
#'   `se_subjects` (without each subject), `se_deleted` (without groups of stimuli),
#'   `difference_se_stimuli`, `difference_se_subjects`. `part = "stimuli"`: `x`, `stimulus`, `a`
#'   (products), `b` and `c` (squared norms of the side and of the consensus). Those of a subject
#'   add up to \eqn{score = \sum a / \sqrt{\sum b \sum c}}{score = sum(a) / sqrt(sum(b) sum(c))};
#'   those of a model are means over the consensuses that it faces, and its score is the mean of the
#'   cosines with these.
#'   `as.matrix()`: the consensus of all subjects on all stimuli, for a picture or as data of
#'   [evaluate_models()] (`responses(as.matrix(result), complete = TRUE)`); it is in sample (message
#'   of class `repalign_in_sample`), and makes no ceiling.
#' @details
#' In each fold sides are whitened as for [shape_distance()]. All subjects but one are rotated onto
#' their common principal components; their mean is the consensus. The one left out (or a model) is
#' rotated onto it with the training stimuli, and compared with it on the others. Of unrelated
#' subjects scores are 0 on average.
#'
#' The score of the group is a ceiling for a model that is *as noisy as a subject*: a cleaner one
#' exceeds it. Scores grow with the number of subjects and with fewer `components`: compare equal
#' numbers.
#'
#' *Errors* of the group and of models add the variances over stimuli and over subjects, and are
#' guesses below five subjects (message of class `repalign_few_subjects`); those over stimuli alone
#' are conservative. Intervals of models are narrow where stimuli are few: in simulations of four
#' subjects, 40 stimuli or 20 clusters, 90% or 89% held the mean (94% with `repeats = 5`). The
#' standard deviation of the subjects' scores says less than it seems, as each is in the consensus
#' of the others.
#'
#' *P-values* are of exact tests that a subject (or model) is unrelated to the others: its stimuli
#' are permuted within folds. That of the group is the smallest of its subjects, adjusted by Holm's
#' method: some subject shares something with others, not all need to.
#'
#' When not to trust it:
#' * near copies (frames, views of one object) on both sides of a fold: name them in `clusters` (see
#'   [dependence]);
#' * what was fitted to all stimuli beforehand, such as a selection of neurons, and `components`
#'   chosen by the score, make it too high;
#' * with `alpha = 0` and as many neurons as stimuli (`repalign_trivial`), scores are noise.
#' @references Gower (1975), Psychometrika 40. Williams et al. (2021), NeurIPS 34. Haxby et al.
#'   (2011), Neuron 72.
#' @examples
#' # five animals with other neurons each, and two models
#' set.seed(1)
#' shared <- matrix(rnorm(40 * 4), 40)
#' record <- function(neurons, noise) {
#'   shared %*% matrix(rnorm(4 * neurons), 4) + noise * matrix(rnorm(40 * neurons), 40)
#' }
#' animals <- lapply(c(a = 8, b = 12, c = 10, d = 9, e = 11), record, noise = 1)
#' result <- consensus(animals, list(good = record(20, 0.5), bad = matrix(rnorm(400), 40)))
#' result
#' in_words(result)
#' compare_scores(result)
#' @seealso [held_out()], [evaluate_models()]
#' @order 1
#' @export
consensus <- function(x, models = NULL, alpha = 1, components = NULL, refine = FALSE, folds = 5,
                      clusters = NULL, repeats = 1, permutations = 0,
                      over = c("stimuli", "subjects"), p_adjust = "holm", conf_level = 0.95,
                      na = c("error", "stimuli", "pairwise"), threads = NULL, ...) {
  need_arguments()
  refuse_parameters(NULL, ...)
  threads <- hold_threads(threads)
  count <- check_count(permutations, "permutations", least = 0)
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  if (!is.null(components)) components <- check_count(components, "components")
  task <- open_consensus(x, models, alpha, clusters, na)
  task[c("components", "refine")] <- list(components, check_flag(refine, "refine"))
  over <- check_choice(over, c("stimuli", "subjects"), "over", several = TRUE)
  refuse_if(!"stimuli" %in% over, "choice", "`over` must have \"stimuli\": scores of subjects ",
            "vary with the stimuli, too. Give over = c(\"stimuli\", \"subjects\").")
  inform_if("subjects" %in% over && task$m < few_subjects, "few_subjects", if (task$m == 2) {
    "Two subjects have one score, which says nothing of others: errors are over = \"stimuli\"."
  } else paste0("Errors over ", task$m, " subjects are guesses, with any number of stimuli."))
  over <- c("stimuli", if ("subjects" %in% over && task$m > 2) "subjects")
  task$folds <- test_folds(folds, task, repeats)
  # labels come in one order, whatever that of the stimuli
  task$fold_order <- order(if (is.character(folds)) task$folds$name else
    seq_along(task$folds$name), method = "radix")
  orders <- if (count > 0) {
    orders_within_folds(task$folds, task, count, task$m, p_adjust, "p-value of a subject")
  }
  fits <- fits_of_sides(task)
  ranks <- lapply(fits, function(fit) {
    vapply(fit$sides[seq_len(task$m)], function(side) ncol(side$train), 0L)
  })
  most <- max(unlist(ranks))
  refuse_if(isTRUE(task$components > most), "value", "`components` is {task$components}, but no ",
            "subject has more than {most} dimensions in a training set: lower it.")
  if (task$args$alpha == 0) {
    widest <- task$reprs[[which.max(Reduce(pmax, ranks))]]
    widest$n <- min(lengths(lapply(fits, `[[`, "train")))
    warn_whole_space(list(x = widest), min(most, task$components), 0,
                     "with alpha = 0 subjects agree on the training stimuli of a fold")
  }
  terms <- terms_of_sides(task, fits, distance = TRUE)
  scores <- scores_of_terms(terms)
  errors <- consensus_errors(task, fits, terms, over)
  p <- if (count > 0) {
    # of subjects and models, whose stimuli change places within folds while all consensuses stay
    advance <- progress_along(length(task$reprs))
    vapply(seq_along(task$reprs), function(s) {
      on.exit(advance())
      own <- orders_of_present(orders, task, task$present[, s])
      null <- lapply(terms$without[terms$side == s], null_of_side, task, terms$fits, s, own)
      p_at_least(c(scores[s], Reduce(`+`, null) / length(null)), equal_share)
    }, 0)
  }
  over <- sub("stimuli", unit_words(task$codes), sub("subjects", subjects_words(task$m), over))
  facts <- list(subjects = task$m, alpha = task$args$alpha, components = components,
                refine = task$refine, over = over, folds = max(tabulate(task$folds$repeat_of)),
                repeats = max(task$folds$repeat_of), permutations = count, p_adjust = p_adjust,
                least = attr(orders, "least"))
  consensus_result(task, terms, scores, errors, p, facts, conf_level)
}

# What is compared: `m` subjects first among the sides `reprs`, which are `present` (stimuli x
# sides), and how one side is fitted.
open_consensus <- function(x, models, alpha, clusters, na, frame = parent.frame()) {
  na <- check_choice(na, c("error", "stimuli", "pairwise"), "na")
  refuse_results(x, "x")
  subjects <- check_element_names(x, "x")
  refuse_if(length(subjects) < 2, "size", "`x` has one subject: a consensus of the others needs ",
            "at least one more.")
  if (!is.null(models)) models <- listed_models(models, FALSE)
  names <- c(subjects, names(models))
  refuse_if("group" %in% names, "names", "`{if ('group' %in% subjects) 'x' else 'models'}` has an ",
            "element named \"group\", which is the row of all subjects: give it another name.")
  refuse_if(anyDuplicated(names), "names", "`models` and `x` both have an element named ",
            "{quoted(names[duplicated(names)][1])}: names must differ.")
  refuse_if(declares_series(list(x, models)), "design", "`series` of responses() declares a time ",
            "series, whose stimuli are no independent ones to leave out: name long stretches in ",
            "`clusters`, in the place of `series`.", arg = "x")
  given <- as_side(x, "x", na != "error")
  refuse_if(given$is_models, "type", "`x` must be a list of matrices, one for each subject, and ",
            "not of lists.")
  reprs <- with_common_stimuli(c(given$reprs, if (!is.null(models)) {
    as_side(models, "models", na != "error")$reprs
  }))
  for (repr in reprs) need_kind(repr, "data", "a consensus")
  pairwise <- na == "pairwise"
  present <- !vapply(reprs, missing_stimuli, logical(reprs[[1]]$n))
  if (pairwise) reprs <- lapply(reprs, with_mean_rows)
  own <- seq_along(subjects)
  measure <- as_measures(measure("shape_distance", alpha = alpha, method = "euclidean"))
  measure[[1]]$label <- "consensus()"
  call <- open_sides(c(sides_of(reprs[own], if (!is.null(models)) reprs[-own]), apart = TRUE),
                     using_clusters(measure), if (pairwise) "error" else na, clusters = clusters,
                     use = "errors", why = "a fold", remedy = if (!pairwise) cluster_remedy,
                     relabel = FALSE, frame = frame)
  check_rows(call$n, 5, reprs[[1]]$arg, "a score of stimuli that are left out")
  reprs <- all_representations(call$sides)
  for (repr in reprs[own]) {
    inform_if(ncol(repr$data) == 1, "few_neurons", "`{repr$arg}` has a single neuron (column), ",
              "which counts like any subject in the consensuses of the others: leave it out, or ",
              "expect lower scores of all.")
  }
  present <- if (pairwise) present[call$rows, , drop = FALSE] else
    matrix(TRUE, call$n, length(reprs))
  if (!all(present)) {
    # says which stimuli are absent, and judges the rows that are there in all sides
    lost <- colSums(!present)
    args <- paste0("`", vapply(reprs, `[[`, "", "arg"), "` (", lost, ")")
    inform("left_out", "na = \"pairwise\": stimuli with missing values are absent in ",
           "{enumerate(args[lost > 0], quote = FALSE)}, of {nrow(present)}.")
    common <- rowSums(!present) == 0
    call["dependence"] <- list(if (is.null(call$clusters)) {
      warn_of_rows(lapply(reprs, cut_representation, common, TRUE), NULL, "errors", cluster_remedy)
    })
  }
  list(n = call$n, rows = call$rows, labels = call$labels, clusters = call$clusters,
       codes = call$clusters, dependence = call$dependence, reprs = reprs, m = length(own),
       names = names, present = present, args = call$set[[1]]$args)
}

# Absent stimuli get the mean of the others, which no fit uses.
with_mean_rows <- function(repr) {
  lost <- missing_stimuli(repr)
  if (all(lost) && !all(is.na(repr$data))) {
    refuse_empty_neurons(repr$data, repr$arg, !is.null(repr$responses))
  }
  refuse_if(all(lost), "nonfinite", "`{repr$arg}` has missing values in every stimulus: leave it ",
            "out, or neurons of it.")
  repr$data[lost, ] <- rep(colMeans(repr$data[!lost, , drop = FALSE]), each = sum(lost))
  repr$cache$column_stats <- NULL
  repr
}

# ---- result

# The result of consensus(): its table, what else it shows, and its words.

# p: of subjects and models, or NULL; facts: how the result was made.
consensus_result <- function(task, terms, scores, errors, p, facts, conf_level) {
  kind <- rep(c("subject", "model", "group"), c(task$m, length(task$names) - task$m, 1))
  table <- errors$table
  pooled <- which(kind != "subject")
  models <- which(kind == "model")
  label <- paste0("consensus (alpha ", format(facts$alpha), if (!is.null(facts$components)) {
    paste0(", ", count_of(facts$components, "component"))
  }, if (facts$refine) ", refined", ")")
  rows <- data.frame(x = table$x, kind = kind, measure = label, score = scores,
                     se = table$se_deleted, df = errors$groups - 1)
  rows[pooled, c("se", "df")] <- contrast_errors(errors$parts, diag(length(pooled)))
  rows$se <- checked_errors(rows$se, abs(scores))
  limits <- student_limits(scores, rows$se, rows$df, conf_level)
  distance <- unname(drop(over_members(t(terms$distances), terms)))
  scored <- over_members(1 * (terms$sums[, 3, ] > 0), terms) > 0
  rows <- cbind(rows, conf_low = limits[, 1], conf_high = limits[, 2], difference = NA_real_,
                difference_se = NA_real_, distance = replace(distance, is.nan(distance), NA),
                p_value = NA_real_, p_adjusted = NA_real_, n = as.integer(colSums(scored)))
  rows$difference[models] <- scores[models] - scores[nrow(rows)]
  rows$difference_se[models] <- checked_errors(errors_of_difference(errors$parts)$se, 1)
  if (!all(task$present)) rows$distance[pooled] <- NA
  if (!is.null(p)) {
    rows$p_value <- c(p, min(stats::p.adjust(p[kind[-nrow(rows)] == "subject"], "holm")))
    # subjects are a family of tests, and so are models
    rows$p_adjusted <- stats::ave(rows$p_value, kind, FUN = function(own) {
      stats::p.adjust(own, facts$p_adjust)
    })
  }
  lost <- rows$x[is.na(rows$se)]
  warn_if(length(lost), "undefined", "No score or no standard error (NA) of {enumerate(lost)}: ",
          "a score is undefined with all stimuli and subjects, or without some of them, or does ",
          "not vary.", data = lost)
  stimulus <- if (is.null(task$labels)) which(task$rows) else task$labels[task$rows]
  # of models the means over the consensuses that they face
  stimuli <- do.call(rbind, lapply(seq_len(nrow(rows) - 1), function(k) {
    means <- rowMeans(terms$sums[, , terms$members[[k]], drop = FALSE], dims = 2)
    data.frame(x = rows$x[k], stimulus = stimulus, a = means[, 1], b = means[, 2], c = means[, 3])
  }))
  # The consensus of all subjects on all stimuli. ceiling_of_recordings() knows it by the names of
  # its columns, which stay when responses() takes it.
  fit <- fit_of_sides(task, seq_len(task$n), integer())
  whole <- consensus_of(fit, seq_len(task$m), task)$train
  whole[rowSums(task$present[, seq_len(task$m)]) == 0, ] <- NA
  dimnames(whole) <- list(if (!is.null(task$labels)) stimulus,
                          paste("consensus", seq_len(ncol(whole))))
  new_result(rows, "repalign_consensus", list(
    conf_level = conf_level, facts = facts, errors = errors[c("table", "parts")],
    stimuli = stimuli, whole = whole, dependence = task$dependence
  ))
}

# Of each model less the group, which is last.
errors_of_difference <- function(parts) {
  count <- ncol(parts$main[[1]])
  contrast_errors(parts, rbind(diag(count - 1), rep(-1, count - 1)))
}

declare_result(
  "repalign_consensus", from = "consensus", words = "consensuses",
  columns = described_columns(
    column("x", "the subject or model, or \"group\", the mean of the subjects", key = TRUE),
    column("kind", "\"subject\", \"model\" or \"group\"", shown = 8),
    column("measure", "the label of the consensus", key = TRUE, tidy = "term"),
    column("score", "the cosine with the consensus of the others", shown = 1),
    column("se", "its standard error", shown = 2),
    column("df", "the degrees of freedom", shown = 12),
    column("conf_low", "the lower limit of its interval", shown = 3),
    column("conf_high", "the upper limit of its interval", shown = 4),
    column("difference", "the score of a model less that of the group", shown = 6,
           tidy = "difference"),
    column("difference_se", "its standard error", shown = 7),
    column("distance", "the mean distance from the consensus over folds", shown = 10),
    column("p_value", "of a permutation test", shown = 9),
    column("p_adjusted", "adjusted for the number of subjects, or of models", shown = 5),
    column("n", "the number of stimuli that are scored", shown = 11)
  ),
  kept = c(list(conf_level = one_level, dependence = each_once),
           sapply(c("facts", "errors", "stimuli", "whole"), function(name) all_alike,
                  simplify = FALSE)),
  heading = function(x, digits) {
    facts <- attr(x, "facts")
    strwrap(exdent = 2, paste0(
      "Consensus of ", facts$subjects, " subjects, ", if (nrow(x)) paste0(x$measure[1], ": "),
      count_of(nrow(x), "score"), undefined_of(x$score), ", stimuli left out in ", facts$folds,
      " folds; ", format(100 * attr(x, "conf_level")), "% intervals ", consensus_extent(x)
    ))
  },
  shown = function(x) {
    empty <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x[!empty & names(x) != "measure"]
  },
  sentence = function(x) consensus_sentence(x),
  limits = function(x, level) {
    rows <- need_columns(as.data.frame(x), c("x", "score", "se", "df"), "used")
    limits <- student_limits(rows$score, rows$se, rows$df, level)
    dimnames(limits) <- list(rows$x, NULL)
    limits
  }
)

# What the intervals of these rows are over.
consensus_extent <- function(x) {
  over <- attr(x, "facts")$over
  subject <- x$kind == "subject"
  if (nrow(x) && all(subject)) over <- over[1]
  paste0("over ", extent_words(paste(over, collapse = " + ")),
         if (length(over) > 1 && any(subject)) paste0("; those of subjects over ",
                                                      extent_words(over[1])))
}

consensus_sentence <- function(x) {
  need_columns(x, c("x", "kind", "score", "conf_low", "conf_high", "difference", "p_adjusted", "n"),
               "told", "result")
  twice <- anyDuplicated(x$x)
  refuse_if(twice, "rows", "`result` has two rows of {quoted(x$x[twice])}: take one of them, or ",
            "bind results with names, as in rbind(day1 = a, day2 = b).")
  facts <- attr(x, "facts")
  level <- attr(x, "conf_level")
  p_name <- if (facts$p_adjust == "none") "p" else paste0(facts$p_adjust, "-adjusted p")
  within <- function(score, limits, p = NA) {
    text <- with_limits_words(score, limits[1], limits[2])
    paste0(text[["score"]],
           brackets(if (anyNA(limits)) "no interval" else interval_phrase(text[-1], level),
                    if (!is.na(p)) p_words(p, name = p_name)))
  }
  at_row <- function(row) {
    within(x$score[row], c(x$conf_low[row], x$conf_high[row]), x$p_adjusted[row])
  }
  best_of <- function(kind) {
    rows <- which(x$kind == kind & !is.na(x$score))
    list(row = rows[which.max(x$score[rows])], count = sum(x$kind == kind))
  }
  group <- which(x$kind == "group" & !is.na(x$score))
  subject <- best_of("subject")
  model <- best_of("model")
  # subjects are told as a whole, or as far as they are here
  told <- if (length(group)) {
    paste0(facts$subjects, " subjects agreed with the consensus of the others at ",
           within(x$score[group], c(x$conf_low[group], x$conf_high[group])), " on average")
  } else if (length(subject$row)) {
    paste0(if (subject$count > 1) paste0("of ", subject$count, " subjects "), x$x[subject$row],
           " agreed ", if (subject$count > 1) "best ", "with the consensus of the others, at ",
           at_row(subject$row))
  }
  tested <- x$p_adjusted[x$kind == "subject" & !is.na(x$p_adjusted)]
  above <- sum(tested <= 0.05)
  counted <- if (length(told) && length(tested) > 1) {
    paste0(if (above) above else "none", " of these ", length(tested), " subjects ",
           if (above > 1) "were" else "was", " above chance",
           brackets(alpha_words(0.05, p_name), if (isTRUE(facts$least > 0.05)) {
             p_words(facts$least, name = "smallest possible p")
           }))
  }
  of_model <- if (length(model$row)) {
    found <- errors_of_difference(attr(x, "errors")$parts)
    found <- found[match(x$x[model$row], attr(x, "errors")$table$x) - facts$subjects, ]
    gap <- x$difference[model$row]
    paste0(if (model$count > 1) paste0("of ", model$count, " models "), x$x[model$row],
           if (model$count > 1) " was best, at " else " reached ", at_row(model$row),
           if (!is.na(gap)) paste0(", ", if (abs(gap) < equal_share) "as the mean of the subjects"
             else paste0(if (gap < 0) "below" else "above", " the mean of the subjects by ",
                         within(abs(gap), student_limits(abs(gap), found$se, found$df, level)))))
  }
  parts <- c(told, counted, of_model)
  text <- if (length(parts)) {
    paste0(sub("^of ", "Of ", paste(parts, collapse = "; ")), ". Scores are of ",
           stimuli_words(x$n[!is.na(x$score)]), " that no fit had seen, intervals ",
           consensus_extent(x[c(if (length(group)) group else subject$row, model$row), ]), ".")
  }
  without_claim(trimws(paste0(text, undefined_words(x$score))), attr(x, "dependence"))
}

#' @rdname consensus
#' @param row.names,optional unused.
#' @param part `"scores"`: the rows themselves; `"errors"` or `"stimuli"`: see Value.
#' @export
as.data.frame.repalign_consensus <- function(x, row.names = NULL, optional = FALSE,
                                             part = c("scores", "errors", "stimuli"), ...) {
  part <- check_choice(part, c("scores", "errors", "stimuli"), "part")
  rows <- NextMethod()
  if (part == "scores") return(rows)
  table <- need_kept(x, part, "consensus()")
  if (part == "errors") table <- table$table
  table <- table[table$x %in% need_columns(rows, "x", "looked up", "x")$x, ]
  rownames(table) <- NULL
  table
}

#' @rdname consensus
#' @export
as.matrix.repalign_consensus <- function(x, ...) {
  no_other_arguments(...)
  whole <- need_kept(x, "whole", "consensus()")
  inform("in_sample", "This consensus is fitted to all subjects and stimuli: any subject is ",
         "similar to it, so that their scores are no ceiling for models. For models on stimuli ",
         "left out, use consensus(models = ).")
  whole
}
