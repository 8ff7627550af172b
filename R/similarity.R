# similarity(): every pair of a grid, each representation prepared once.

#' Similarity of representations
#'
#' Compares two representations, each representation of one list with each of another, all
#' pairs within a list, or models that are lists of layers, by one or several measures.
#'
#' @param x,y each one of the following, with the same stimuli in the same rows:
#'   * a representation: a numeric matrix (stimuli x neurons), a data frame with only numeric
#'     columns (a tibble or a data.table, too), or a sparse matrix of the package Matrix, which
#'     is converted to an ordinary matrix. If a column of your table names the stimuli, make a
#'     matrix of it by [response_matrix()] first;
#'   * a named list of representations (layers, areas, animals);
#'   * a named list of models, each a named list of layers.
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
#'   stimuli); with models also `model_x` and `model_y`. An undefined score is `NA`, and one
#'   warning counts the undefined scores. [score_matrix()] arranges the scores in a matrix, and
#'   `plot()` draws them.
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
#' stimuli to leave out. A neighbour graph cannot be cut: leaving out a stimulus is an error
#' then.
#' @section Several processes and machines:
#' If you have set a plan with the package future (and installed future.apply), the pairs are
#' computed by the workers of the plan: processes on this machine, other machines, or the jobs of
#' a cluster. The grid of pairs is cut into tiles, one or a few more per worker; a tile is some
#' of the representations of `x` against some of `y`. A worker receives the representations of
#' its tile, prepares each of them once, and sends numbers back. Results, warnings and errors are
#' those of the plain call, bit for bit, for any number of workers and threads, if the BLAS and
#' its settings are the same everywhere: all random draws are made, or seeded, beforehand. A
#' function of your own ([new_measure()]) must not draw random numbers.
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
#' @seealso [calibrate()], [cka()], [measures()], [score_matrix()]
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
  complete <- complete_sides(sides, set, na)
  sides <- complete$sides
  set <- complete$set
  if (diagonal && !sides$self) {
    warn("`diagonal` is used only when all pairs of `x` are compared (y = NULL).",
         class = "repalign_unused", data = "diagonal")
  }
  plan_neighbours(set, c(sides$x$reps, sides$y$reps))
  draws <- open_draws(all_reps(sides))
  on.exit(close_draws(draws), add = TRUE)
  pairs <- plan_pairs(sides, diagonal)
  scores <- score_grid(pairs, sides, set, on_error, threads)
  similarity_result(pairs, sides, set, scores)
}

is_symmetric <- function(measure) isTRUE(symmetry_of(measure$declaration, measure$args))

# list(x, y, models, self): flat lists of representations with their model names.
as_sides <- function(x, y, by_name = TRUE, na = "error") {
  if (is.null(x)) as_numeric_matrix(x, "x")
  refuse_results(x, "x")
  refuse_results(y, "y")
  self <- is.null(y)
  if (self && !is_collection(x)) {
    abort("`y` is missing: a single matrix needs another one to be compared with.",
          class = "repalign_error_type", arg = "y")
  }
  same <- !self && is_collection(x) && identical(x, y)
  side_x <- as_side(x, "x", na != "error")
  side_y <- if (self || same) side_x else as_side(y, "y", na != "error")
  reps <- c(side_x$reps, if (!self && !same) side_y$reps)
  check_same_stimuli(reps, by_name)
  if (by_name) note_one_sided_names(reps)
  list(x = side_x, y = side_y, self = self, same = same,
       models = side_x$is_models || side_y$is_models)
}

# What this package returns, and a measure in the place of data.
refuse_results <- function(given, arg) {
  what <- if (inherits(given, "repalign_simulation")) {
    if (is.null(given$models)) "a simulated pair: take its $x and $y" else
      "simulated models: take its $models"
  } else if (inherits(given, c("repalign_similarity", "repalign_calibration",
                               "repalign_analysis"))) {
    "a result, not data: give the representations themselves"
  } else if (is.character(given) && !is.matrix(given) ||
             inherits(given, "repalign_measure")) {
    paste0(describe(given), ", not data: give a measure in the argument `measure`")
  }
  if (is.null(what)) return(invisible())
  abort("`", arg, "` is ", what, ".", class = "repalign_error_type", arg = arg)
}

# One side's alone where both are the same.
all_reps <- function(sides) c(sides$x$reps, if (!sides$self && !sides$same) sides$y$reps)

is_collection <- function(x) is.list(x) && !is.data.frame(x) && kind_of(x) == "data"

as_side <- function(x, arg, allow_na = FALSE) {
  if (!is_collection(x)) {
    return(list(reps = list(representation(x, arg, allow_na = allow_na)), models = arg,
                is_models = FALSE))
  }
  names <- check_element_names(x, arg)
  for (name in names) refuse_results(x[[name]], paste0(arg, "$", name))
  nested <- vapply(x, is_collection, NA)
  if (any(nested) && !all(nested)) {
    abort("`", arg, "` mixes matrices and lists: element ", dQuote(names[!nested][1], FALSE),
          " is not a list of layers. Give only matrices, or only lists of layers (models).",
          class = "repalign_error_type", arg = arg)
  }
  if (!any(nested)) return(flat_side(x, arg, names, rep(arg, length(x)), FALSE, allow_na))
  layers <- Map(function(model, name) check_element_names(model, paste0(arg, "$", name)), x, names)
  flat <- unlist(unname(lapply(x, unname)), recursive = FALSE)
  models <- rep(names, lengths(layers))
  flat_side(flat, paste0(arg, "$", models), unlist(layers, use.names = FALSE), models, TRUE,
            allow_na)
}

flat_side <- function(elements, prefix, names, models, is_models, allow_na) {
  args <- paste0(prefix, "$", names)
  reps <- Map(representation, unname(elements), args, names, allow_na)
  if (is_models) {
    reps <- Map(function(rep, model) c(rep, title = paste0(model, "/", rep$name)), reps, models)
  }
  list(reps = unname(reps), models = models, is_models = is_models)
}

check_element_names <- function(x, arg) {
  if (!is_collection(x)) {
    abort("`", arg, "` must be a named list of matrices, not ", describe(x), ".",
          class = "repalign_error_type", arg = arg)
  }
  if (!length(x)) {
    abort("`", arg, "` is an empty list: there is nothing to compare.",
          class = "repalign_error_size", arg = arg)
  }
  names <- names(x)
  if (is.null(names) || anyNA(names) || any(names == "")) {
    at <- if (is.null(names)) 1 else which(is.na(names) | names == "")[1]
    abort("`", arg, "` is a list whose element ", at, " has no name: name all of them, for ",
          "example names(", arg, ") <- paste0(\"layer\", seq_along(", arg, ")).",
          class = "repalign_error_names", arg = arg)
  }
  if (anyDuplicated(names)) {
    abort("`", arg, "` has two elements named ", dQuote(names[duplicated(names)][1], FALSE),
          ": names must differ.", class = "repalign_error_names", arg = arg)
  }
  names
}

# Measures that differ only in k share one graph of each metric, that of the largest k.
plan_neighbours <- function(set, reps) {
  wanted <- lapply(set, function(m) {
    if (!is.null(m$declaration$neighbours)) m$declaration$neighbours(m$args)
  })
  wanted <- Filter(Negate(is.null), wanted)
  if (!length(wanted)) return(invisible())
  k <- vapply(wanted, function(w) as.double(w$k), 0)
  largest <- tapply(k, vapply(wanted, function(w) w$metric, ""), max)
  for (rep in reps) rep$cache$neighbours <- largest
}

# Index pairs (i, j) into the two sides.
plan_pairs <- function(sides, diagonal) {
  size_x <- length(sides$x$reps)
  size_y <- length(sides$y$reps)
  if (!sides$self) {
    grid <- expand.grid(i = seq_len(size_x), j = seq_len(size_y))
    return(grid[order(grid$i, grid$j), ])
  }
  if (size_x < 2 && !diagonal) {
    abort("`x` has one element: give another in `y`, or more elements.",
          class = "repalign_error_size", arg = "x")
  }
  grid <- expand.grid(i = seq_len(size_x), j = seq_len(size_x))
  models <- sides$x$models
  keep <- if (sides$x$is_models) {
    rank <- match(models, unique(models))
    rank[grid$i] < rank[grid$j] |
      (diagonal & rank[grid$i] == rank[grid$j] & grid$i <= grid$j)
  } else {
    grid$i < grid$j | (diagonal & grid$i == grid$j)
  }
  grid <- grid[keep, ]
  if (!nrow(grid)) {
    abort("`x` has one model: give another in `y`, or more models.",
          class = "repalign_error_size", arg = "x")
  }
  grid[order(grid$i, grid$j), ]
}

# Scores, pairs x measures. drawn: an environment that receives what was drawn at random for
# each pair, as its `entries`.
score_pairs <- function(pairs, sides, set, on_error, drawn = new.env()) {
  found <- score_cells(pairs, sides, set, on_error, drawn)
  report_cells(found$cells)
  report_warnings(found$warnings)
  cell_scores(found$cells)
}

cell_scores <- function(cells) matrix(vapply(cells, function(cell) cell$score, 0), nrow(cells))

# list(cells, warnings): what one_cell() gives for pairs x measures, and what is to be said.
# run$at: the pair and measure that it is at.
score_cells <- function(pairs, sides, set, on_error, drawn, run = new.env()) {
  cells <- matrix(list(), nrow(pairs), length(set))
  advance <- progress_along(nrow(pairs))
  mirrored <- if (sides$same) match(paste(pairs$j, pairs$i), paste(pairs$i, pairs$j))
  symmetric <- vapply(set, is_symmetric, NA)
  drawn$entries <- vector("list", nrow(pairs))
  for (p in seq_len(nrow(pairs))) {
    pair <- NULL
    for (m in seq_along(set)) {
      if (sides$same && symmetric[m] && mirrored[p] < p) {
        cells[[p, m]] <- cells[[mirrored[p], m]]
        next
      }
      run$at <- c(p, m)
      if (is.null(pair)) pair <- side_pair(sides, pairs$i[p], pairs$j[p])
      cells[[p, m]] <- one_cell(pair, set[[m]], on_error, run, drawn)
    }
    entries <- if (is.null(pair)) drawn$entries[[mirrored[p]]] else drawn_entries(pair)
    drawn$entries[p] <- list(entries)
    advance()
  }
  list(cells = cells, warnings = run$warnings)
}

# Their names were checked for all of them together.
side_pair <- function(sides, i, j) as_pair(sides$x$reps[[i]], sides$y$reps[[j]], by_name = FALSE)

# Random choices that belong to a comparison, not to a representation.
drawn_entries <- function(pair) {
  as.list(Filter(function(entry) identical(entry$key[[1]], "row subsets"), pair$cache$entries))
}

# One score. Warnings are collected, so that a grid does not repeat them; undefined ratios
# are counted; a note about shared neurons is given once. run: what this call has to say; drawn:
# also what a user's own function said, for those who call it again.
one_cell <- function(pair, measure, on_error, run, drawn) {
  undefined <- FALSE
  reason <- "The measure's function returned NA."
  failure <- NULL
  what <- comparison_title(pair, measure)
  compute <- function() {
    score <- withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args),
      repalign_undefined = function(w) {
        undefined <<- TRUE
        reason <<- conditionMessage(w)
        invokeRestart("muffleWarning")
      },
      repalign_warning = function(w) {
        run$warnings <- c(run$warnings, list(list(of = measure$label, at = run$at, warning = w)))
        invokeRestart("muffleWarning")
      },
      warning = function(w) {
        if (measure$declaration$form != "user") return()
        run$warnings <- c(run$warnings, list(list(of = measure$label, at = run$at, warning = w)))
        drawn$said <- c(drawn$said, conditionMessage(w))
        invokeRestart("muffleWarning")
      },
      repalign_decomposition = function(m) {
        if (conditionMessage(m) %in% run$announced) invokeRestart("muffleMessage")
        run$announced <- c(run$announced, conditionMessage(m))
      },
      repalign_shared_names = function(m) {
        if (isTRUE(run$noted)) invokeRestart("muffleMessage")
        run$noted <- TRUE
      }
    )
    if (is.nan(score)) abort("the result is not a number.", class = "repalign_error_score")
    undefined <<- undefined || is.na(score)
    score
  }
  score <- tryCatch(compute(), error = function(e) {
    failure <<- paste0(what, conditionMessage(e))
    if (on_error == "stop") stop_score(failure, e)
    NA_real_
  })
  list(score = score, undefined = undefined, failure = failure,
       reason = if (undefined && is.null(failure)) paste0(what, reason))
}

comparison_title <- function(pair, measure) {
  paste0(measure$label, " of ", dQuote(title_of(pair$x), FALSE), " and ",
         dQuote(title_of(pair$y), FALSE), ": ")
}

# Layers of models have the model's name before theirs.
title_of <- function(rep) if (is.null(rep$title)) rep$name else rep$title

# An error of one score, as it was, but for its message.
stop_score <- function(message, error) {
  abort(message, class = c(setdiff(class(error), c("repalign_error", "error", "condition")),
                           "repalign_error_score"), arg = error$arg)
}

report_cells <- function(cells) {
  undefined <- sum(vapply(cells, function(cell) cell$undefined, NA))
  if (undefined > 0) {
    reasons <- unlist(lapply(cells, function(cell) cell$reason))
    warn(undefined, " of ", length(cells), " scores are undefined (NA). ",
         if (length(reasons) > 1) "First, ", reasons[1], class = "repalign_undefined",
         data = undefined)
  }
  failures <- unlist(lapply(cells, function(cell) cell$failure))
  if (length(failures)) {
    warn(length(failures), " of ", length(cells), " scores failed (NA). ",
         paste(utils::head(unique(failures), 3), collapse = " | "),
         if (length(unique(failures)) > 3) " | ...", class = "repalign_failed", data = failures)
  }
}

# One warning per measure and class, with how many more there were.
report_warnings <- function(collected) {
  if (!length(collected)) return(invisible())
  message <- vapply(collected, function(w) conditionMessage(w$warning), "")
  collected <- collected[!duplicated(message)]
  key <- vapply(collected, function(w) paste(w$of, class(w$warning)[1]), "")
  for (same in split(collected, factor(key, unique(key)))) {
    first <- same[[1]]
    # ties are a matter of the representation
    of <- if (inherits(first$warning, "repalign_ties")) "" else paste0(first$of, ": ")
    warn(of, conditionMessage(first$warning),
         if (length(same) > 1) paste0(" (And ", length(same) - 1, " more like this.)"),
         class = setdiff(class(first$warning), c("repalign_warning", "warning", "condition")),
         data = lapply(same, function(w) w$warning$data))
  }
}

similarity_result <- function(pairs, sides, set, scores) {
  name <- function(side, at) vapply(side$reps[at], function(rep) rep$name, "")
  labels <- vapply(set, function(m) m$label, "")
  k <- length(set)
  each <- function(values) rep(values, each = k)
  result <- data.frame(
    x = each(name(sides$x, pairs$i)), y = each(name(sides$y, pairs$j)),
    measure = rep(labels, nrow(pairs)), score = as.vector(t(scores)),
    n = sides$x$reps[[1]]$n
  )
  if (sides$models) {
    result <- cbind(model_x = each(sides$x$models[pairs$i]),
                    model_y = each(sides$y$models[pairs$j]), result)
  }
  # what score_matrix() must not guess
  symmetric <- vapply(set, is_symmetric, NA)
  attr(result, "within") <- sides$self || sides$same
  attr(result, "symmetric") <- stats::setNames(symmetric, labels)
  facts <- measure_facts_of(set)
  attr(result, "direction") <- facts$direction
  attr(result, "best") <- facts$best
  class(result) <- c("repalign_similarity", "data.frame")
  result
}

# What plots need to know of measures, by label: list(direction, best).
measure_facts_of <- function(set) {
  labels <- vapply(set, function(m) m$label, "")
  direction <- vapply(set, function(m) m$declaration$direction, "")
  best <- vapply(set, function(m) as.double(best_of(m$declaration, m$args)), 0)
  list(direction = stats::setNames(direction, labels), best = stats::setNames(best, labels))
}
