# similarity() scores every pair of a grid, and prepares each representation once.

#' Similarity of representations
#'
#' Compares two representations, each representation of one list with each of another, all
#' pairs within a list, or models that are lists of layers, by one or several measures.
#'
#' @param x,y each one of the following, with the same stimuli in the same rows:
#'   * a representation: a numeric matrix (stimuli x neurons), a data frame with only numeric
#'     columns (a tibble or a data.table, too), or a sparse matrix of the package Matrix, which
#'     is converted to an ordinary matrix. If a column of your table names the stimuli, make a
#'     matrix of it by [response_matrix()] first. With several trials, or neurons or stimuli that
#'     depend on each other, make it by [responses()];
#'   * a named list of representations (layers, areas, animals);
#'   * a named list of models, each a named list of layers;
#'   * what [prepare()] made of one of these.
#'
#'   Where a measure needs only distances, a `dist` object may take the place of a representation;
#'   where it needs only neighbours, so may a neighbour graph `list(idx, dist)`, see
#'   [mutual_knn()]. With two lists, every element of `x` is compared with every element of `y`.
#'   With a list and `y = NULL`, all pairs of different elements are compared; with models and
#'   `y = NULL`, all pairs of layers from different models.
#' @param measure ids of measures, such as `"cka"`; measure objects made by [measure()] or
#'   [new_measure()]; or a list of both, whose names become the labels in the result.
#'   [measures()] lists all ids.
#' @param diagonal with `y = NULL`: also compare each element with itself (with models: also the
#'   layers within each model)? An element and itself have the same neurons, so for the neuron
#'   correction set `shared_neurons`, or `units_x` and `units_y`.
#' @param on_error `"stop"`: a score that fails stops the call. `"na"`: it becomes `NA`, and one
#'   warning counts the failures and gives the first reasons. Representations that no measure
#'   could use (missing values, unequal numbers of rows) stop the call in either case.
#' @param threads number of threads of the package's own loops; the results do not depend on it.
#'   By default it is `options(repalign.threads =)`; if that is not set, as many as OpenMP offers
#'   (which reads `OMP_NUM_THREADS` and `OMP_THREAD_LIMIT`), but at most two while `R CMD check`
#'   limits the cores (`_R_CHECK_LIMIT_CORES_`). The workers of a future plan run one thread each
#'   by default. The threads of the BLAS are set elsewhere and are left as they are.
#' @param na what to do about missing values (`NA` and `NaN`; infinite values are always an
#'   error):
#'   * `"error"`: stop, and say where they are.
#'   * `"stimuli"`: a stimulus (row) with a missing value in any of the representations is left
#'     out of all of them, so that every pair has the same stimuli.
#'   * `"neurons"`: a neuron (column) with a missing value is left out of its representation.
#'     With measures that have `shared_neurons` or unit labels, it is left out of all
#'     representations of its side, and the same neuron is left out of the other side, too. With
#'     `shared_neurons`, the same neuron is the column with the same number. With labels, it is
#'     the column with the same label, unless the label stands for several columns (a group).
#'
#'   Unit labels are cut in the same way. A message says how many stimuli or neurons are left
#'   out.
#' @return A data frame of class `repalign_similarity` with one row per pair and measure: `x` and
#'   `y` (names; "x" and "y" for single matrices), `measure`, `score` and `n` (number of
#'   stimuli); with models also `model_x` and `model_y`. With `missing = "pairwise"` (see [rsa()])
#'   also `pairs`, the number of pairs of stimuli that a score is over. An undefined score is `NA`,
#'   and one warning counts the undefined scores. [score_matrix()] arranges the scores in a matrix,
#'   and `plot()` draws them.
#' @details
#' What a measure prepares from a representation is prepared once per call, however many pairs
#' and measures use it, as long as it fits into memory. A call that would need more than half of
#' the free memory is an error; `options(repalign.max_memory =)` sets another limit, in bytes. If
#' you use the package progressr, it shows the progress. When a list is compared with itself, a
#' symmetric measure is computed once per unordered pair.
#'
#' Scores of different measures are not on one scale; [measures()] gives their ranges. A score by
#' itself does not tell whether it is higher than chance: see [calibrate()].
#'
#' Row names are compared where both sides have them, and a difference is an error;
#' [match_rows()] brings the rows of both sides into one order. If only some sides have row
#' names, the rows are assumed to be in the same order, and a message says so. A column that
#' looks like an identifier is an error, see [response_matrix()].
#'
#' With `na = "stimuli"`, a stimulus of a `dist` object is left out if all of its distances are
#' missing. Any other missing distance is an error, because it is not clear which of its two
#' stimuli to leave out; `missing = "pairwise"` of [rsa()] compares without it. A neighbour graph
#' cannot be cut: leaving out a stimulus is an error then.
#' @section Several processes and machines:
#' If you have set a plan with the package future (and installed future.apply), the pairs are
#' computed by the workers of the plan: processes on this machine, other machines, or the jobs of
#' a cluster. The grid of pairs is cut into tiles, one or a few more per worker; a tile is some
#' of the representations of `x` against some of `y`. A worker receives the representations of
#' its tile, prepares each of them once, and sends numbers back. Results are those of the plain
#' call, bit for bit, for any number of workers and threads, if the BLAS and its settings are the
#' same everywhere: all random draws are made, or seeded, beforehand. Only which of several like
#' warnings or errors is shown may differ. A function of your own ([new_measure()]) must not draw
#' random numbers.
#'
#' ```
#' library(future)
#' plan(multisession, workers = 4)      # four processes on this machine
#' similarity(models, measure = "rsa")
#'
#' # jobs of a Slurm cluster; slurm.tmpl is a template of the package batchtools
#' plan(future.batchtools::batchtools_slurm, workers = 40, template = "slurm.tmpl",
#'      resources = list(ncpus = 4, memory = "8GB", walltime = 3600))
#' calibrate(models, measure = c("cka", "mutual_knn"), aggregate = "max", threads = 4)
#' ```
#'
#' The package repalign must be installed where the workers find it. Set the BLAS to as many
#' threads as a worker has processors, for example by `export OPENBLAS_NUM_THREADS=4` in the
#' template of the jobs.
#'
#' Without a plan, a call whose prepared representations would take more than a quarter of the
#' free memory is also computed tile by tile. The results are the same, but it takes longer,
#' because a representation is prepared again for every tile that it is part of.
#' @examples
#' # all pairs of the five layers of a network
#' similarity(v4_layers)
#' # mean responses of V4 against each layer, by two settings of one measure
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' similarity(v4, v4_layers, list("cka", measure("cka", estimator = "stimulus_neuron")))
#' @seealso [calibrate()], [cka()], [measures()], [score_matrix()], [prepare()]
#' @export
similarity <- function(x, y = NULL, measure = "cka", diagonal = FALSE, on_error = c("stop", "na"),
                       threads = NULL, na = c("error", "stimuli", "neurons")) {
  need_arguments()
  set <- as_measures(measure)
  check_flag(diagonal, "diagonal")
  on_error <- check_choice(on_error, c("stop", "na"), "on_error")
  na <- check_choice(na, missing_rules, "na")
  old <- options(repalign.threads = thread_count(threads))
  on.exit(options(old))
  by_name <- any(vapply(set, function(m) m$declaration$pairing, NA))
  sides <- as_sides(x, y, by_name, na)
  check_prepared(all_representations(sides), set)
  declared <- labelled_sides(declared_sides(sides, settled_set(set, sides)))
  complete <- complete_sides(declared$sides, declared$set, na)
  sides <- complete$sides
  set <- complete$set
  refuse_holes(all_representations(sides), set)
  if (diagonal && !sides$self) {
    warn("`diagonal` is used only when all pairs of `x` are compared (y = NULL).",
         class = "repalign_unused", data = "diagonal")
  }
  set_largest_k(set, c(sides$x$reprs, sides$y$reprs))
  choices <- begin_choices(all_representations(sides))
  on.exit(end_choices(choices), add = TRUE)
  pairs <- list_pairs(sides, diagonal)
  note_gaps(pairs, sides$x$reprs, sides$y$reprs, set)
  check_grid_memory(set, sides)
  scores <- score_grid(pairs, sides, set, on_error, threads)
  similarity_result(pairs, sides, set, scores)
}

similarity_result <- function(pairs, sides, set, scores) {
  name <- function(side, at) vapply(side$reprs[at], function(repr) repr$name, "")
  labels <- vapply(set, function(m) m$label, "")
  k <- length(set)
  each <- function(values) rep(values, each = k)
  result <- data.frame(
    x = each(name(sides$x, pairs$i)), y = each(name(sides$y, pairs$j)),
    measure = rep(labels, nrow(pairs)), score = as.vector(t(scores)),
    n = sides$x$reprs[[1]]$n
  )
  if (any(vapply(set, takes_gaps, NA))) result$pairs <- counts_by_row(pairs, sides, set)
  if (sides$models) {
    result <- cbind(model_x = each(sides$x$models[pairs$i]),
                    model_y = each(sides$y$models[pairs$j]), result)
  }
  # score_matrix() could not tell these from the rows alone
  symmetric <- vapply(set, is_symmetric, NA)
  attr(result, "within") <- sides$self || sides$same
  attr(result, "symmetric") <- stats::setNames(symmetric, labels)
  facts <- measure_facts_of(set)
  attr(result, "direction") <- facts$direction
  attr(result, "best") <- facts$best
  class(result) <- c("repalign_similarity", "data.frame")
  result
}

# What plots need to know about measures: list(direction, best), two vectors named by labels.
measure_facts_of <- function(set) {
  labels <- vapply(set, function(m) m$label, "")
  direction <- vapply(set, function(m) m$declaration$direction, "")
  best <- vapply(set, function(m) as.double(best_of(m$declaration, m$args)), 0)
  limit <- vapply(set, limit_of, 0)
  list(direction = stats::setNames(direction, labels), best = stats::setNames(best, labels),
       limit = stats::setNames(limit, labels))
}
