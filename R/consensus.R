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
