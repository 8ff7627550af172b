# benchmark_outputs(): do representations that measures find less alike belong to models whose
# outputs differ more?

#' Which measure follows the outputs?
#'
#' Correlates how unlike the representations of two models are, by several measures, with how far
#' apart the outputs of these models are: their accuracies, their predicted probabilities, and their
#' predicted classes.
#'
#' @inheritParams benchmark_groups
#' @param outputs outputs of the models for the same stimuli: a list of matrices (stimuli x
#'   classes), in the order of `representations` or with their names; or the name of a column of the
#'   manifest with the files of these matrices. `NULL`: none, if `accuracy` is given.
#' @param labels the true class of every stimulus, as in [accuracy_difference()]. Without `labels`
#'   and `accuracy`, accuracies are not compared.
#' @param accuracy the accuracy of each model, in the place of `labels`: a vector, or the name of a
#'   column of the manifest.
#' @param correlation one or several of `"spearman"` (the default), `"pearson"` and `"kendall"`
#'   (tau-b).
#' @param permute what the p-values permute. `"models"`: models, with all of their pairs. `"pairs"`:
#'   single pairs, as the code of the ReSi benchmark does, which takes pairs that share a model as
#'   independent.
#' @param from `"probability"` or `"logit"`: what `outputs` are, see [jsd()].
#' @return A data frame of class `repalign_benchmark` with a row for each measure, target and
#'   correlation: `measure`; `target` (`"accuracy"`: [accuracy_difference()]; `"jsd"`: [jsd()];
#'   `"disagreement"`: [disagreement()]); `correlation`; `value`; `p_value` (two-sided);
#'   `undefined`, the number of pairs left out; and `test`, `dataset`, `architecture`.
#'   [similarity_scores()] gives the scores of all pairs.
#' @details
#' *Value.* The correlation over pairs of models of the dissimilarity (minus the score, if the
#' measure is a similarity) with the difference between the outputs. It is positive where models
#' that are less alike inside differ more in what they do. Chance is 0. A measure that is not
#' symmetric gives both orders of each pair.
#'
#' *P-values.* With ten models there are 45 pairs, but only ten independent models: each is part of
#' nine pairs, and a single unusual model makes all nine unlike the others in both quantities.
#' Permuting the models (rows and columns of one matrix together) keeps that dependence, while
#' permuting the pairs ignores it: of unrelated models at a level of 5%, it called 11% of the
#' correlations of 10 models significant, and 21% of those of 20, where permuting the models called
#' 6% and 5% (`bench/benchmark-chance.R`, 1000 measures each). Five models have 120 orders, so that
#' no p-value is below 1/60 (two-sided); with three or four models the test says next to nothing.
#'
#' *When not to trust it.* Outputs see only what is left at the end of a network: a measure may be
#' right about differences that no output shows. Models trained alike differ little in accuracy, and
#' differences of a few stimuli are noise that no measure can follow (`"jsd"` uses the most, and
#' `"accuracy"` the least of the outputs). The correlation depends on the range of models: adding
#' one untrained model makes every measure look good. A correlation of 0 may be the outputs' fault.
#' See [benchmark_groups()] for undefined scores, the cache, memory and workers.
#' @references Klabunde et al. (2025), ICLR (the ReSi benchmark), tests 1 and 2. Mantel (1967),
#'   Cancer Research 27 (permutation of models).
#' @examples
#' # networks that leave a common solution by different amounts
#' set.seed(1)
#' truth <- matrix(rnorm(60 * 8), 60)
#' readout <- matrix(rnorm(8 * 3), 8)
#' models <- lapply(seq(0.2, 2, length.out = 7), function(noise) {
#'   truth + matrix(rnorm(60 * 8, sd = noise), 60)
#' })
#' names(models) <- paste0("net", 1:7)
#' logits <- lapply(models, function(model) model %*% readout)
#' labels <- max.col(truth %*% readout)
#' benchmark_outputs(models, logits, labels, c("cka", "procrustes", "mutual_knn"), from = "logit")
#' @seealso [benchmark_groups()], [benchmark_layers()], [rank_measures()], [jsd()]
#' @export
benchmark_outputs <- function(representations, outputs, labels = NULL, measures = resi_measures(),
                              scores = NULL, calibrated = FALSE, cache = NULL,
                              correlation = c("spearman", "pearson", "kendall"),
                              permute = c("models", "pairs"), accuracy = NULL,
                              from = c("probability", "logit"), model_permutations = 999,
                              test = "outputs", dataset = NULL, architecture = NULL,
                              threads = NULL, ...) {
  need_arguments()
  correlation <- if (missing(correlation)) "spearman" else
    check_choice(correlation, c("spearman", "pearson", "kendall"), "correlation", several = TRUE)
  permute <- check_choice(permute, c("models", "pairs"), "permute")
  from <- check_choice(from, c("probability", "logit"), "from")
  count <- check_count(model_permutations, "model_permutations", 0)
  words <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, ...)
  items <- benchmark_items(representations, "representations")
  check_several(items, 3, "correlation over pairs needs at least three models")
  differences <- output_differences(items, outputs, labels, accuracy, from)
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job)
  run_benchmark(items, list(seq_along(items$names)), columns, job, words, function(blocks) {
    output_rows(blocks[[1]], columns, differences, correlation, permute, count, job$count)
  })
}

# The rows of all measures, which see the same permutations.
output_rows <- function(block, columns, differences, correlation, permute, count, threads) {
  models <- length(block$at)
  symmetric <- vapply(columns, function(column) column$symmetric, NA)
  # of pairs, there are twice as many to permute where both orders have scores
  relabellings <- lapply(c(TRUE, FALSE), function(is) {
    if (is %in% symmetric) output_relabellings(models, is, permute, count)
  })
  lapply(seq_along(columns), function(m) {
    column <- columns[[m]]
    rows <- lapply(correlation, function(one) {
      output_quality(block_matrix(block, m, column$symmetric), column$direction == "similarity",
                     column$symmetric, differences, one, permute,
                     relabellings = relabellings[[if (column$symmetric) 1 else 2]],
                     threads = threads)
    })
    do.call(rbind, rows)
  })
}

# A named list of matrices, models x models: how far apart the outputs of all pairs of models are.
output_differences <- function(items, outputs, labels, accuracy, from) {
  if (is.null(outputs) && is.null(accuracy)) {
    abort("There is nothing to compare with: give `outputs`, or `accuracy`.",
          class = "repalign_error_value", arg = "outputs")
  }
  if (!is.null(labels) && !is.null(accuracy)) {
    abort("Give only one of `labels` and `accuracy`: the accuracies follow from the labels.",
          class = "repalign_error_value", arg = "accuracy")
  }
  if (is.null(outputs) && !is.null(labels)) {
    abort("`labels` need `outputs`, whose accuracy they tell.", class = "repalign_error_value",
          arg = "outputs")
  }
  outputs <- if (!is.null(outputs)) checked_outputs(items, outputs)
  accuracies <- if (!is.null(accuracy)) given_accuracies(items, accuracy) else
    if (!is.null(labels)) counted_accuracies(outputs, labels)
  c(if (!is.null(accuracies)) {
    list(accuracy = abs(outer(accuracies$right, accuracies$right, `-`)) / accuracies$of)
  }, if (!is.null(outputs)) differences_of_outputs(outputs, from))
}

differences_of_outputs <- function(outputs, from) {
  probabilities <- Map(as_probabilities, outputs, from, output_names(outputs))
  classes <- lapply(outputs, predicted)
  list(jsd = between_pairs(probabilities, mean_jsd),
       disagreement = between_pairs(classes, function(p, q) mean(p != q)))
}

# The values of all pairs in a symmetric matrix.
between_pairs <- function(elements, fun) {
  count <- length(elements)
  values <- matrix(0, count, count)
  for (i in seq_len(count - 1)) {
    for (j in (i + 1):count) values[i, j] <- values[j, i] <- fun(elements[[i]], elements[[j]])
  }
  values
}

given_accuracies <- function(items, accuracy) {
  values <- item_values(items, accuracy, "accuracy")
  bad <- if (is.numeric(values)) which(!is.finite(values)) else 1
  if (length(bad)) {
    abort("`accuracy` must be finite numbers", if (is.numeric(values)) {
      paste0("; that of ", dQuote(items$names[bad[1]], FALSE), " is ", values[bad[1]])
    }, ".", class = "repalign_error_value", arg = "accuracy")
  }
  list(right = as.double(values), of = 1)
}

# Counts, which are subtracted before they are divided, so that equal accuracies differ by 0.
counted_accuracies <- function(outputs, labels) {
  names <- Find(Negate(is.null), lapply(outputs, colnames))
  truth <- check_classes(labels, nrow(outputs[[1]]), ncol(outputs[[1]]), names)
  right <- vapply(outputs, function(output) sum(predicted(output) == truth), 0, USE.NAMES = FALSE)
  list(right = right, of = length(truth))
}

# The outputs as a list of matrices in the order of the representations.
checked_outputs <- function(items, outputs) {
  column <- is.character(outputs) && length(outputs) == 1 && !is.null(items$manifest)
  if (column) {
    from <- replace(items, c("files", "data", "arrays"), list(NULL, NULL, NULL))
    from$files <- as.character(manifest_column(items$manifest, outputs, items$arg))
    check_output_files(from$files, outputs)
    check_files(from, seq_along(from$files))
    outputs <- stats::setNames(read_files(from$files), items$names)
  } else {
    outputs <- ordered_outputs(items, outputs)
  }
  args <- output_names(outputs)
  outputs <- Map(as_outputs, outputs, args)
  for (k in seq_along(outputs)[-1]) check_same_outputs(outputs, args, k)
  outputs
}

output_names <- function(outputs) paste0("outputs$", names(outputs))

check_output_files <- function(files, column) {
  bad <- which(is.na(files) | !nzchar(files))
  if (length(bad)) {
    abort("The column ", dQuote(column, FALSE), " names no file in row ", bad[1], ".",
          class = "repalign_error_value", arg = "outputs")
  }
}

ordered_outputs <- function(items, outputs) {
  if (!is.list(outputs) || is.data.frame(outputs)) {
    abort("`outputs` must be a list of matrices, one for each representation",
          if (!is.null(items$manifest)) ", or the name of a column of the manifest", ", not ",
          describe(outputs), ".", class = "repalign_error_type", arg = "outputs")
  }
  if (length(outputs) != length(items$names)) {
    abort("`outputs` has ", count_of(length(outputs), "element"), ", but `", items$arg, "` has ",
          length(items$names), ": give one for each.", class = "repalign_error_size",
          arg = "outputs")
  }
  if (is.null(names(outputs))) return(stats::setNames(outputs, items$names))
  at <- match(items$names, names(outputs))
  if (anyNA(at)) {
    abort("`outputs` has names, but none for ", dQuote(items$names[is.na(at)][1], FALSE),
          ": use the names of `", items$arg, "`, or leave them out where the order is the same.",
          class = "repalign_error_names", arg = "outputs")
  }
  outputs[at]
}

# The stimuli and the classes of all outputs are the same.
check_same_outputs <- function(outputs, args, k) {
  first <- outputs[[1]]
  check_same_rows(first, outputs[[k]], args[1], args[k])
  same <- ncol(first) == ncol(outputs[[k]]) &&
    (is.null(colnames(first)) || is.null(colnames(outputs[[k]])) ||
       identical(colnames(first), colnames(outputs[[k]])))
  if (same) return(invisible())
  abort("`", args[1], "` and `", args[k], "` differ in their classes (", ncol(first), " and ",
        ncol(outputs[[k]]), " columns): the columns must be the same classes in the same order.",
        class = "repalign_error_size", arg = "outputs")
}
