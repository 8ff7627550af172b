# consensus(): how well subjects agree with the consensus of the others, on stimuli left out.

#' @include result-class.R
NULL

#' Consensus of several subjects, on stimuli left out
#'
#' @export
consensus <- function(x, models = NULL, alpha = 1, components = NULL, refine = FALSE, folds = 5,
                      clusters = NULL, repeats = 1, permutations = 0,
                      over = c("stimuli", "subjects"), p_adjust = "holm", conf_level = 0.95,
                      na = c("error", "stimuli", "pairwise"), threads = NULL, ...) {
  need_arguments()
  threads <- hold_threads(threads)
  count <- check_count(permutations, "permutations", least = 0)
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  task <- open_consensus(x, models, alpha, components, refine, clusters, na)
  over <- check_consensus_over(if (!missing(over)) over, task$m)
  task$folds <- test_folds(folds, task, repeats)
  # folds are numbered in the order of their labels, whatever the order of the stimuli
  task$fold_order <- if (is.character(folds)) order(task$folds$name, method = "radix") else
    seq_along(task$folds$name)
  orders <- if (count > 0) orders_within_folds(task$folds, task, count)
  fits <- fits_of_sides(task)
  check_consensus_ranks(task, fits)
  terms <- terms_of_sides(task, fits, distance = TRUE)
  scores <- scores_of_terms(terms)
  errors <- consensus_errors(task, fits, terms, over)
  p <- if (count > 0) consensus_p(task, fits, terms, scores, orders)
  consensus_result(task, terms, scores, errors, p, list(
    subjects = task$m, alpha = task$args$alpha, components = task$components, refine = task$refine,
    over = over, folds = max(tabulate(task$folds$repeat_of)), repeats = max(task$folds$repeat_of),
    permutations = count, p_adjust = p_adjust
  ), conf_level)
}

# What open_sides() gives, with the settings of the call and `m` subjects among `reprs`, `present`
# (stimuli x sides) and the number of `units` (stimuli or clusters).
open_consensus <- function(x, models, alpha, components, refine, clusters, na) {
  na <- check_choice(na, c("error", "stimuli", "pairwise"), "na")
  subjects <- check_element_names(x, "x")
  refuse_if(length(subjects) < 2, "size", "`x` has one subject: a consensus of the others needs ",
            "at least one more.")
  if (!is.null(models)) models <- listed_models(models, FALSE)
  names <- c(subjects, names(models))
  refuse_if("group" %in% names, "names", "`{if ('group' %in% subjects) 'x' else 'models'}` has an ",
            "element named \"group\", which is the row of all subjects: give it another name.")
  refuse_if(anyDuplicated(names), "names", "`models` and `x` both have an element named ",
            "{dQuote(names[duplicated(names)][1], FALSE)}: names must differ.")
  refuse_if(declares_series(list(x, models)), "design", "`series` of responses() declares a time ",
            "series, whose stimuli are no independent ones to leave out: name long stretches in ",
            "`clusters`, in the place of `series`.", arg = "x")
  set <- using_clusters(as_measures(measure("shape_distance", alpha = alpha,
                                            method = "euclidean")))
  pairwise <- na == "pairwise"
  call <- in_words_of_call({
    sides <- as_sides(x, models, TRUE, na)
    refuse_if(sides$models, "type", "`x` must be a list of matrices, one for each subject, and ",
              "not of lists.")
    given <- all_representations(sides)
    for (repr in given) need_kind(repr, "data", "a consensus")
    present <- !vapply(given, missing_stimuli, logical(given[[1]]$n))
    if (pairwise) {
      for (side in c("x", "y")) sides[[side]]$reprs <- lapply(sides[[side]]$reprs, with_mean_rows)
    }
    open_sides(sides, set, if (pairwise) "error" else na, clusters = clusters, use = "errors",
               why = "a fold", remedy = if (!pairwise) cluster_remedy, relabel = FALSE)
  }, "y", "models")
  reprs <- all_representations(call$sides)
  check_rows(call$n, 5, reprs[[1]]$arg, "a score of stimuli that are left out")
  present <- if (pairwise) present[call$rows, , drop = FALSE] else
    matrix(TRUE, call$n, length(reprs))
  if (!all(present)) call$dependence <- judged_gaps(reprs, present, call$clusters)
  measure <- call$set[[1]]
  c(call[c("n", "rows", "labels", "clusters")],
    list(reprs = reprs, m = length(subjects), names = names, present = present,
         args = measure$args, way = measure$declaration$held(measure$args),
         components = if (!is.null(components)) check_count(components, "components"),
         refine = check_flag(refine, "refine"), codes = call$clusters,
         dependence = call$dependence,
         units = units_of(call$n, call$clusters)))
}

# Absent stimuli get the mean of the others, which no fit uses.
with_mean_rows <- function(repr) {
  lost <- missing_stimuli(repr)
  if (!any(lost)) return(repr)
  refuse_if(all(lost), "nonfinite", "`{repr$arg}` has missing values in every stimulus: leave it ",
            "out, or neurons of it.")
  repr$data[lost, ] <- rep(colMeans(repr$data[!lost, , drop = FALSE]), each = sum(lost))
  repr$cache$column_stats <- NULL
  repr
}

# Says which stimuli are absent, and judges the rows that are there in all sides.
judged_gaps <- function(reprs, present, codes) {
  lost <- colSums(!present)
  args <- paste0("`", vapply(reprs, `[[`, "", "arg"), "` (", lost, ")")
  inform("left_out", "na = \"pairwise\": stimuli with missing values are absent ",
            "in {enumerate(args[lost > 0], quote = FALSE)}, of {nrow(present)}.")
  if (!is.null(codes)) return(NULL)
  common <- rowSums(!present) == 0
  warn_of_rows(lapply(reprs, cut_representation, common, TRUE), NULL, "errors", cluster_remedy)
}

# NULL: what the user did not say.
check_consensus_over <- function(over, m) {
  given <- !is.null(over)
  samples <- c("stimuli", "subjects")
  over <- if (given) check_choice(over, samples, "over", several = TRUE) else samples
  refuse_if(!"stimuli" %in% over, "choice", "`over` must have \"stimuli\": scores of subjects ",
            "vary with the stimuli, too. Give over = c(\"stimuli\", \"subjects\").")
  inform_if("subjects" %in% over && m < few_subjects, "few_subjects", if (m == 2) {
    "Two subjects have one score, which says nothing of others: errors are over = \"stimuli\"."
  } else "Errors over {m} subjects are guesses, with any number of stimuli.")
  if (m == 2) "stimuli" else over
}

check_consensus_ranks <- function(task, fits) {
  subjects <- seq_len(task$m)
  ranks <- vapply(fits, function(fit) {
    vapply(fit$sides[subjects], function(side) ncol(side$train), 0L)
  }, integer(task$m))
  refuse_if(isTRUE(task$components > max(ranks)), "value", "`components` is {task$components}, ",
            "but no subject has more than {max(ranks)} dimensions in a training set: lower it.")
  if (task$args$alpha > 0) return(invisible())
  least <- min(lengths(lapply(fits, `[[`, "train")))
  at <- task$reprs[[which.max(apply(ranks, 1, max))]]
  at$n <- least
  warn_whole_space(list(x = at), min(max(ranks), task$components), 0,
                   "on the training stimuli of a fold all subjects agree with alpha = 0")
}
