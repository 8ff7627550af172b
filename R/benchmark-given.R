# benchmark_outputs(), and scores that users bring.

# ---- given

# Scores that were computed before, as the argument `scores` of a benchmark brings them.

# Returns list(tables, direction, symmetric, best): the rows of each measure with columns of plain
# types, and what the result of similarity() that they come from says of its measures; or NULL.
# calibrated: is the calibrated score wanted where the table has both?
given_scores <- function(scores, calibrated) {
  if (is.null(scores)) return(NULL)
  if (calibrated && inherits(scores, "repalign_calibration")) {
    # its calibrated scores: the larger they are, the more alike is a pair, also by a distance
    scores <- as.data.frame(scores)
    scores$score <- scores$calibrated
    scores$direction <- rep_len("similarity", nrow(scores))
  }
  refuse_if(!is.data.frame(scores), "type", "`scores` must be a data frame with the columns x, y, ",
            "measure and score, such as similarity() and similarity_scores() give it, not ",
            "{describe(scores)}.")
  lacking <- setdiff(c("x", "y", "measure", "score"), names(scores))
  refuse_if(length(lacking), "scores", "`scores` has no column {enumerate(lacking)}: it needs x, ",
            "y, measure and score, and `direction` for measures that are not of this package.")
  refuse_if(!nrow(scores), "scores", "`scores` has no rows: leave it out.")
  refuse_if(!is.numeric(scores$score) && !all(is.na(scores$score)), "scores",
            "`scores$score` must be numbers, not {describe(scores$score)}.", arg = "scores")
  bad <- which(is.infinite(scores$score))
  refuse_if(length(bad), "scores", "`scores$score` is infinite in row {bad[1]}: undefined scores ",
            "are NA.", arg = "scores")
  table <- data.frame(x = given_names(scores, "x"), y = given_names(scores, "y"),
                      measure = as.character(scores$measure), score = as.double(scores$score))
  for (column in c("direction", "error")) {
    values <- scores[[column]]
    table[[column]] <- if (is.null(values)) NA_character_ else as.character(values)
  }
  for (column in c("x", "y", "measure")) {
    bad <- which(is.na(table[[column]]))
    refuse_if(length(bad), "scores", "`scores${column}` is missing (NA) in row {bad[1]}.",
              arg = "scores")
  }
  bad <- which(!table$direction %in% c("similarity", "distance", NA))
  refuse_if(length(bad), "scores", "`scores$direction` must be \"similarity\" or \"distance\", ",
            "not {quoted(table$direction[bad[1]])} (row {bad[1]}).", arg = "scores")
  list(tables = split(table, factor(table$measure, unique(table$measure))),
       direction = attr(scores, "direction"), symmetric = attr(scores, "symmetric"),
       best = attr(scores, "best"))
}

# Names of layers begin with those of their models, as in similarity_scores().
given_names <- function(scores, side) {
  model <- scores[[paste0("model_", side)]]
  names <- as.character(scores[[side]])
  if (is.null(model)) names else paste(model, names, sep = "/")
}

given_column <- function(given, label, known) {
  rows <- given$tables[[label]]
  # "similarity" or "distance": as the table says, or as this package declares the measure
  direction <- unique(stats::na.omit(rows$direction))
  refuse_if(length(direction) > 1, "scores", "`scores$direction` of {quoted(label)} is both ",
            "\"similarity\" and \"distance\": one measure has one direction.", arg = "scores")
  if (!length(direction)) {
    direction <- if (!is.null(known)) known$declaration$direction else
      if (label %in% names(given$direction)) given$direction[[label]] else
        registered_fact(declared_name(label), "direction", NA_character_)
    refuse_if(is.na(direction), "scores", "`scores` has the measure {quoted(label)}, which is ",
              "none of this package: say in a column `direction` whether it is a \"similarity\" ",
              "or a \"distance\".")
  }
  # The score of what is alike in all that the measure sees. It is not known of other measures, nor
  # of what a table gives in the place of scores, such as calibrated ones.
  d <- if (is.null(known)) registry[[declared_name(label)]] else known$declaration
  best <- if (label %in% names(given$best)) {
    given$best[[label]]
  } else if (!is.null(d)) {
    args <- if (is.null(known)) d$check(default_arguments(d$id)) else known$args
    range <- range_of(d, args) + c(-1, 1) * 1e-6
    outside <- rows$score < range[1] | rows$score > range[2]
    if (d$direction == direction && !any(outside, na.rm = TRUE)) as.double(best_of(d, args)) else
      NA_real_
  } else if (identical(registered_fact(label, "direction", ""), direction)) {
    registered_fact(label, "best", NA_real_)
  } else NA_real_
  if (is.na(best) && direction == "distance") best <- 0
  # Is a measure symmetric? known: its measure object, or NULL. Otherwise it is what the result that
  # the table comes from says, or the declaration of a label of this package, unless the table has
  # both orders of some pair with different scores.
  symmetric <- if (!is.null(known)) is_symmetric(known) else
    if (label %in% names(given$symmetric)) isTRUE(given$symmetric[[label]])
  if (is.null(symmetric)) {
    back <- match(paste(rows$y, rows$x, sep = "\r"), paste(rows$x, rows$y, sep = "\r"))
    both <- !is.na(back) & rows$x != rows$y
    same <- mapply(identical, rows$score[both], rows$score[back[both]])
    d <- registry[[sub("[( ].*", "", declared_name(label))]]
    symmetric <- all(as.logical(same)) &&
      (is.null(d) || any(both) || isTRUE(symmetry_of(d, d$check(default_arguments(d$id)))))
  }
  list(label = label, measure = known, given = TRUE, direction = direction, best = best,
       symmetric = symmetric)
}

# The id of a measure that the benchmark of Klabunde et al. (2025) calls by this label, or that has
# it with the arguments by default.
declared_name <- function(label) {
  if (label %in% resi_order) resi_id(label) else sub("(naive)", "", label, fixed = TRUE)
}

# The cells of one measure for the wanted pairs of items with these names.
given_cells <- function(given, column, names, pairs, wanted) {
  rows <- given$tables[[column$label]]
  key <- paste(rows$x, rows$y, sep = "\r")
  twice <- which(duplicated(key))
  first <- match(key[twice], key)
  differ <- !mapply(identical, rows$score[twice], rows$score[first])
  if (any(as.logical(differ))) {
    row <- rows[twice[which(differ)[1]], ]
    refuse("scores", "`scores` has two different scores of {quoted(row$x)} and ",
           "{quoted(row$y)} by {quoted(row$measure)}: keep one.")
  }
  x <- names[pairs$i]
  y <- names[pairs$j]
  at <- match(paste(x, y, sep = "\r"), key)
  if (column$symmetric) at <- ifelse(is.na(at), match(paste(y, x, sep = "\r"), key), at)
  lacking <- which(wanted & is.na(at))
  refuse_if(length(lacking), "scores", "`scores` lacks ",
            if (length(lacking) > 1) paste0(length(lacking), " pairs, first ") else "the pair ",
            "{quoted(x[lacking[1]])} and {quoted(y[lacking[1]])} by ",
            "{quoted(column$label)}",
            if (!column$symmetric) paste0(", a measure whose score depends on the order: give a ",
              "row for each order, as similarity(list, list) has them"),
            ". The names must be those of the representations.")
  cells <- vector("list", nrow(pairs))
  at <- at[wanted]
  cells[wanted] <- Map(function(score, error) {
    failure <- if (!is.na(error)) error
    list(score = score, undefined = is.na(score) && is.null(failure), failure = failure)
  }, rows$score[at], rows$error[at], USE.NAMES = FALSE)
  cells
}

# ---- outputs

#' Which measure follows the outputs?
#'
#' Correlates how unlike the representations of two models are with how far apart their outputs are:
#' accuracies, predicted probabilities, and predicted classes.
#'
#' @param representations,measures,scores,calibrated,cache see [benchmark_groups()].
#' @param model_permutations,test,dataset,architecture,threads,na,... see [benchmark_groups()].
#' @param outputs outputs of the models for the same stimuli: a list of matrices (stimuli x
#'   classes); or the column of the manifest with their files. `NULL`: `accuracy` alone.
#' @param labels as in [accuracy_difference()], to compare accuracies.
#' @param accuracy instead of `labels`: a number for each model, or a column of the manifest.
#' @param correlation one or several of `"spearman"` (the default), `"pearson"` and `"kendall"`
#'   (tau-b).
#' @param permute what the p-values permute: `"models"`, or single `"pairs"`, as in the ReSi
#'   benchmark's code.
#' @param from,tolerance what `outputs` are, `"probability"` or `"logit"`, and how far rows may be
#'   from a sum of 1, see [jsd()].
#' @return A data frame of class `repalign_benchmark` with a row for each measure, target and
#'   correlation: `measure`; `target` (`"accuracy"`: [accuracy_difference()]; `"jsd"`: [jsd()];
#'   `"disagreement"`: [disagreement()]); `correlation`; `value`; `chance` (0); `p_value`
#'   (two-sided); the other columns as of [benchmark_groups()].
#' @details
#' `value` is the correlation over pairs of models of their dissimilarity with the difference
#' between their outputs: positive where models that are less similar inside differ more in what
#' they do.
#'
#' When not to trust it: pairs of models are not independent, so that p-values by `"pairs"` are too
#' small. With five models no p-value is below 1/60. A measure may be right about differences that
#' no output shows. Models trained in the same way differ little in accuracy, and differences of a
#' few stimuli are noise (`"jsd"` uses the most of the outputs, `"accuracy"` the least). One
#' untrained model makes any measure look good.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark,
#'   tests 1 and 2). Mantel (1967), Cancer Research 27 (permutation of models).
#' @examples
#' # networks that leave a common solution by different amounts
#' set.seed(1)
#' truth <- matrix(rnorm(60 * 8), 60)
#' readout <- matrix(rnorm(8 * 3), 8)
#' models <- lapply(1:7 / 4, function(noise) truth + noise * matrix(rnorm(60 * 8), 60))
#' names(models) <- paste0("net", 1:7)
#' logits <- lapply(models, function(model) model %*% readout)
#' labels <- max.col(truth %*% readout)
#' benchmark_outputs(models, logits, labels, c("cka", "mutual_knn"), from = "logit")
#' @seealso [benchmark_layers()], [rank_measures()]
#' @export
benchmark_outputs <- function(representations, outputs, labels = NULL, measures = resi_measures(),
                              scores = NULL, calibrated = FALSE, cache = NULL,
                              correlation = c("spearman", "pearson", "kendall"),
                              permute = c("models", "pairs"), accuracy = NULL,
                              from = c("probability", "logit"), model_permutations = 999,
                              test = "outputs", dataset = NULL, architecture = NULL,
                              threads = NULL, na = c("error", "stimuli", "neurons"),
                              tolerance = 1e-3, ...) {
  need_arguments()
  tolerance <- check_not_negative(tolerance, "tolerance")
  correlation <- if (missing(correlation)) "spearman" else
    check_choice(correlation, c("spearman", "pearson", "kendall"), "correlation", several = TRUE)
  permute <- check_choice(permute, c("models", "pairs"), "permute")
  from <- check_choice(from, c("probability", "logit"), "from")
  count <- check_count(model_permutations, "model_permutations", 0)
  words <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, na, ...)
  items <- benchmark_items(representations, "representations")
  check_several(items, 3, "correlation over pairs needs at least three models")
  differences <- output_differences(items, outputs, labels, accuracy, from, tolerance)
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job, items$data)
  run_benchmark(items, list(seq_along(items$names)), columns, job, words, function(blocks) {
    # the rows of all measures, which see the same permutations
    block <- blocks[[1]]
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
                       threads = job$count)
      })
      do.call(rbind, rows)
    })
  })
}

# A named list of matrices, models x models: how far apart the outputs of all pairs of models are.
output_differences <- function(items, outputs, labels, accuracy, from, tolerance) {
  refuse_if(is.null(outputs) && is.null(accuracy), "value", "There is nothing to compare with: ",
            "give `outputs`, or `accuracy`.")
  refuse_if(!is.null(labels) && !is.null(accuracy), "value", "Give only one of `labels` and ",
            "`accuracy`: the accuracies follow from the labels.", arg = "accuracy")
  refuse_if(is.null(outputs) && !is.null(labels), "value", "`labels` need `outputs`, whose ",
            "accuracy they tell.", arg = "outputs")
  outputs <- if (!is.null(outputs)) checked_outputs(items, outputs)
  accuracies <- if (!is.null(accuracy)) {
    values <- item_values(items, accuracy, "accuracy")
    bad <- if (is.numeric(values)) which(!is.finite(values)) else 1
    refuse_if(length(bad), "value", "`accuracy` must be finite numbers",
              if (is.numeric(values)) {
                paste0("; that of ", quoted(items$names[bad[1]]), " is ", values[bad[1]])
              }, ".")
    list(right = as.double(values), of = 1)
  } else
    if (!is.null(labels)) {
      # Counts, which are subtracted before they are divided, so that equal accuracies differ by 0
      names <- Find(Negate(is.null), lapply(outputs, colnames))
      labels <- in_order_of(labels, first_row_names(outputs), "labels")
      truth <- check_classes(labels, nrow(outputs[[1]]), ncol(outputs[[1]]), names)
      right <- vapply(outputs, function(output) sum(predicted(output) == truth), 0,
                      USE.NAMES = FALSE)
      list(right = right, of = length(truth))
    }
  differences <- c(if (!is.null(accuracies)) {
    list(accuracy = abs(outer(accuracies$right, accuracies$right, `-`)) / accuracies$of)
  }, if (!is.null(outputs)) {
    probabilities <- Map(as_probabilities, outputs, from, output_names(outputs), tolerance)
    classes <- lapply(outputs, predicted)
    list(jsd = between_pairs(probabilities, mean_jsd),
         disagreement = between_pairs(classes, function(p, q) mean(p != q)))
  })
  flat <- vapply(differences, function(values) length(unique(values[upper.tri(values)])) == 1, NA)
  warn_if(any(flat), "undefined", "All pairs of models are equally far apart by ",
          "{enumerate(names(differences)[flat], quote = FALSE)}: the correlation with that is ",
          "undefined (NA).")
  differences
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

# The outputs as a list of matrices in the order of the representations.
checked_outputs <- function(items, outputs) {
  if (is.character(outputs) && length(outputs) == 1 && !is.null(items$manifest)) {
    files <- as.character(manifest_column(items$manifest, outputs, items$arg))
    bad <- which(is.na(files) | !nzchar(files))
    refuse_if(length(bad), "value", "The column {quoted(outputs)} names no file in row ",
              "{bad[1]}.", arg = "outputs")
    check_files(list(files = files, arg = items$arg), seq_along(files))
    outputs <- stats::setNames(read_files(files), items$names)
  } else {
    refuse_if(!is.list(outputs) || is.data.frame(outputs), "type", "`outputs` must be a list of ",
              "matrices, one for each representation",
              if (!is.null(items$manifest)) ", or the name of a column of the manifest",
              ", not {describe(outputs)}.")
    outputs <- stats::setNames(in_item_order(items, outputs, "outputs", "element"), items$names)
  }
  args <- output_names(outputs)
  outputs[] <- data_in_order(stats::setNames(Map(as_outputs, outputs, args), args))
  for (k in seq_along(outputs)[-1]) {
    # the stimuli and the classes of all outputs are the same
    first <- outputs[[1]]
    same <- ncol(first) == ncol(outputs[[k]]) &&
      (is.null(colnames(first)) || is.null(colnames(outputs[[k]])) ||
         identical(colnames(first), colnames(outputs[[k]])))
    refuse_if(!same, "size", "`{args[1]}` and `{args[k]}` differ in their classes ({ncol(first)} ",
              "and {ncol(outputs[[k]])} columns): the columns must be the same classes in the ",
              "same order.", arg = "outputs")
  }
  outputs
}

output_names <- function(outputs) paste0("outputs$", names(outputs))
