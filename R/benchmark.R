# benchmark_groups() tells which measures separate groups; what all benchmarks do stands here, too.

#' Which measure separates groups?
#'
#' Scores all pairs of representations by several measures, and tells for each measure how well it
#' ranks pairs within a group above pairs across groups. Groups are what a measure should tell
#' apart: networks trained with more and more random labels, with different shortcut features or
#' augmentations, animals, areas.
#'
#' @param representations the representations, with the same stimuli in the same rows:
#'   * a named list of whatever [similarity()] takes as a representation;
#'   * a manifest: a data frame with a column `file` and a row for each representation, which is
#'     read by [read_representation()] when a score needs it. Columns with a meaning, if there are
#'     any: `array` (which array of the file), `id` (the name of the representation; without it,
#'     the path of the file without its ending and the folders that all share). All other columns
#'     are yours;
#'   * with `scores`, also just the names.
#' @param groups the group of each representation: a vector, in the order of `representations` or
#'   with their names; or the name of a column of the manifest.
#' @param measures measures, as in [similarity()]. Without it, the 24 of [resi_measures()] or, if
#'   `scores` are given, those of the table.
#' @param definition `"published"`: quality as the code of the ReSi benchmark computes it, group by
#'   group. `"paper"`: as its paper defines it. See Details.
#' @param scores scores that were computed before: a data frame with the columns `x`, `y` (names of
#'   representations), `measure`, `score`, and for measures that are not of this package
#'   `direction` (`"similarity"` or `"distance"`). The results of [similarity()] and
#'   `similarity_scores()` are such tables. What the table has of a measure must be complete.
#'   Measures that are not in it are computed. With `calibrated = TRUE` the table holds calibrated
#'   scores, or is the result of [calibrate()].
#' @param calibrated `TRUE`: benchmark the calibrated scores of [calibrate()] in place of the
#'   scores. Measures without a permutation null get `NA`.
#' @param cache `NULL`, or a folder that keeps the scores as they come, so that a call that was
#'   interrupted goes on where it stopped.
#' @param model_permutations number of permutations of models for the p-values; 0: no p-values. If
#'   there are no more different ones, all are taken, and the p-value is exact.
#' @param test,dataset,architecture labels that become columns of the result and name its test in
#'   [rank_measures()].
#' @inheritParams similarity
#' @param ... with `calibrated = TRUE`, arguments of [calibrate()]: `permutations`, `alpha`,
#'   `variant`, `blocks`, `series`, `engine`, `clusters`.
#' @param result what `benchmark_groups()`, [benchmark_layers()] or [benchmark_outputs()] returned,
#'   or some of its rows.
#' @return `benchmark_groups()`: a data frame of class `repalign_benchmark` with a row for each
#'   measure, metric and part: `measure`; `metric`; `part` (`"all"`, or a group); `value` (larger is
#'   better, whether the measure is a similarity or a distance); `p_value` (`NA` where there is
#'   none); `undefined`, the number of scores that were undefined and left out; and `test`,
#'   `dataset`, `architecture`.
#'
#'   `similarity_scores()`: the scores, a data frame with the columns `x`, `y`, `measure`, `score`,
#'   `direction` and `error` (the message of a comparison that failed, otherwise `NA`), a row for
#'   each pair, and for both orders where a measure is not symmetric. Several results that were
#'   bound together have their labels in columns before these.
#' @details
#' *Metrics.* Let a pair be *within* if both representations are of the same group, and *across*
#' otherwise.
#' * `"auprc"`: area under the precision-recall curve (average precision, ties taken together) of
#'   finding the pairs within by their scores. `"published"`: for each group, its own pairs against
#'   its members with all others, and the mean over groups. `"paper"`: once over all pairs. *Chance
#'   is not 0.5*, but a little above the share of pairs within: for three groups of five and random
#'   scores 0.22 (share 1/6) by the published definition, and 0.32 (share 2/7) by the paper's.
#' * `"conformity"`: the share of combinations of a pair within and a pair across in which the pair
#'   within is more alike. `"published"`: group by group, where a tie is a violation. `"paper"`:
#'   over all ordered triples that share a representation, where a tie conforms. Chance is 0.5.
#' * `"auc"`: area under the ROC curve of all pairs together, ties counted by half. Chance is 0.5.
#' * `"dprime"`: mean within minus mean across, over the root of the mean of both variances. Chance
#'   is 0. It has no upper bound, and assumes nothing but looks at means and variances only.
#' * `"silhouette"`: mean silhouette width of the representations on the dissimilarities best score
#'   minus score. Random scores give values below 0 (-0.11 for three groups of five). `NA` where no
#'   best score is known.
#'
#' *P-values* permute the group labels of representations, and thereby rows and columns of the
#' matrix of scores together. Pairs that share a model are not independent: a single odd model makes
#' all of its pairs odd. Permuting the pairs one by one would take them as independent (see
#' [benchmark_outputs()] for what comes of that). With few models only few p-values are possible:
#' three groups of two have 90 different labellings, of which 6 only exchange names, so that no
#' p-value is below 1/15. The figures by chance are those that `bench/benchmark-chance.R` prints.
#'
#' *Undefined scores* (and failed ones) are left out of all metrics and counted. A measure that
#' fails for one pair goes on with the others; one warning counts the failures, and
#' `similarity_scores()` has their messages.
#'
#' *When not to trust it.* A measure that separates groups well sees *some* difference between
#' them, which need not be the one that you have in mind: groups that differ in the norm of their
#' representations are separated by any measure that is not invariant to scaling. Values near 1 for
#' most measures mean that the test is too easy to rank them. `"auprc"` and `"conformity"` of
#' different numbers or sizes of groups are not comparable, because their chance levels differ.
#' Differences between measures have no standard error here: compare several tests with
#' [rank_measures()].
#'
#' *Cache.* A score is found again by the content of both representations (of files: by the bytes
#' of the file) and by the measure with all of its parameters, the settings of the calibration and
#' the version of the package, so that nothing is answered for what has changed. Scores with a
#' random choice (tied neighbours, the subsets of [rtd()], permutations) stay those of the call that
#' computed them first. P-values are the same with and without a cache after the same [set.seed()].
#'
#' *Memory and workers.* Each representation is read and prepared once for all measures (on the
#' workers of a future plan: once a tile, see [similarity()]). Results do not depend on the number
#' of workers or threads.
#' @references Klabunde et al. (2025), ICLR (the ReSi benchmark), section 3 and appendix. Rousseeuw
#'   (1987), Journal of Computational and Applied Mathematics 20 (silhouettes).
#' @examples
#' # networks of three kinds: what they share with their own kind is larger
#' set.seed(1)
#' kinds <- lapply(1:3, function(kind) matrix(rnorm(40 * 5), 40))
#' models <- unlist(lapply(1:3, function(kind) {
#'   lapply(1:4, function(seed) kinds[[kind]] + matrix(rnorm(40 * 5, sd = 2), 40))
#' }), recursive = FALSE)
#' names(models) <- paste0("net", 1:12)
#' groups <- rep(c("a", "b", "c"), each = 4)
#' result <- benchmark_groups(models, groups, measures = c("cka", "procrustes", "mutual_knn"))
#' result
#' summary(result)
#' head(similarity_scores(result), 3)
#' # the same scores by the definition of the paper, without computing them again
#' benchmark_groups(names(models), groups, definition = "paper", scores = similarity_scores(result))
#' @seealso [benchmark_layers()], [benchmark_outputs()], [rank_measures()], [resi_measures()]
#' @export
benchmark_groups <- function(representations, groups, measures = resi_measures(),
                             definition = c("published", "paper"), scores = NULL,
                             calibrated = FALSE, cache = NULL, model_permutations = 999,
                             test = "groups", dataset = NULL, architecture = NULL, threads = NULL,
                             ...) {
  need_arguments()
  definition <- check_choice(definition, c("published", "paper"), "definition")
  count <- check_count(model_permutations, "model_permutations", 0)
  labels <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, ...)
  items <- benchmark_items(representations, "representations")
  check_several(items)
  groups <- check_groups(items, groups)
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job)
  run_benchmark(items, list(seq_along(items$names)), columns, job, labels, function(blocks) {
    relabellings <- group_relabellings(groups, count)
    lapply(seq_along(columns), function(m) {
      column <- columns[[m]]
      group_quality(block_matrix(blocks[[1]], m, column$symmetric),
                    column$direction == "similarity", groups, definition,
                    symmetric = column$symmetric, best = column$best,
                    relabellings = relabellings, threads = job$count)
    })
  })
}

# What all benchmarks ask for: the table of scores, the arguments of calibrate(), cache, threads.
benchmark_job <- function(scores, calibrated, cache, threads, ...) {
  list(calibration = calibration_arguments(calibrated, ...),
       given = given_scores(scores, calibrated), cache = check_cache(cache), threads = threads,
       count = thread_count(threads))
}

test_labels <- function(test, dataset, architecture) {
  labels <- list(test = test, dataset = dataset, architecture = architecture)
  for (name in names(labels)) {
    value <- labels[[name]]
    if (is.null(value) && name != "test") next
    if (!is.character(value) || length(value) != 1 || is.na(value) || !nzchar(value)) {
      abort("`", name, "` must be one label, a string.", class = "repalign_error_value",
            arg = name)
    }
  }
  Filter(Negate(is.null), labels)
}

check_several <- function(items, least = 2, why = "there are no pairs to compare") {
  if (length(items$names) >= least) return(invisible())
  abort("`", items$arg, "` has ", count_of(length(items$names), "element"), ": ", why, ".",
        class = "repalign_error_size", arg = items$arg)
}

check_groups <- function(items, groups) {
  groups <- item_values(items, groups, "groups")
  empty <- which(is.na(groups) | !nzchar(as.character(groups)))
  if (length(empty)) {
    abort("`groups` has no label for ", dQuote(items$names[empty[1]], FALSE), " (position ",
          empty[1], "): leave that representation out, or give it a group.",
          class = "repalign_error_groups", arg = "groups")
  }
  unused <- if (is.factor(groups)) setdiff(levels(groups), as.character(groups))
  if (length(unused)) {
    abort("`groups` has no members of ", enumerate(unused), ": droplevels(groups) leaves empty ",
          "groups out.", class = "repalign_error_groups", arg = "groups")
  }
  groups <- group_factor(groups)
  sizes <- table(groups)
  if (length(sizes) < 2) {
    abort("`groups` has one group, ", dQuote(names(sizes), FALSE), ": there are no pairs across ",
          "groups to compare with.", class = "repalign_error_groups", arg = "groups")
  }
  check_group_sizes(sizes)
  refuse_whole_name(names(sizes), "groups", "group")
  groups
}

# In results the part "all" is about all groups, or models, together.
refuse_whole_name <- function(names, arg, what) {
  if (!"all" %in% names) return(invisible())
  abort("`", arg, "` has a ", what, " named \"all\", which in the result stands for all ", what,
        "s together: give it another name.", class = "repalign_error_names", arg = arg)
}

check_group_sizes <- function(sizes) {
  single <- names(sizes)[sizes == 1]
  if (length(single) == length(sizes)) {
    abort("`groups` has a label of its own for each representation: there are no pairs within a ",
          "group.", class = "repalign_error_groups", arg = "groups")
  }
  if (length(single)) {
    inform("There are no pairs within ", enumerate(single), ": ",
           if (length(single) > 1) "these groups have" else "this group has",
           " one member, and only pairs across.", class = "repalign_single_groups")
  }
}

# Scores all blocks and rates all measures. rate: a function(blocks) that gives the rows of each
# measure. What it draws does not depend on how much was drawn to compute scores, which is less
# when a cache knows some of them.
run_benchmark <- function(items, blocks, columns, job, labels, rate) {
  old <- options(repalign.threads = job$count)
  on.exit(options(old))
  if (is.null(generator_state())) sample.int(2)
  start <- generator_state()
  blocks <- benchmark_blocks(items, blocks, columns, job)
  restore_generator(start)
  sample.int(.Machine$integer.max, 1)
  start <- generator_state()
  rows <- Map(function(rows, column) cbind(measure = column$label, rows), rate(blocks), columns)
  restore_generator(start)
  sample.int(.Machine$integer.max, 1)
  benchmark_result(do.call(rbind, rows), score_table(blocks, columns, items$names), labels)
}
