# similarity(): every pair of a grid, each representation prepared once.

#' Similarity of representations
#'
#' Compares two representations, two lists of them, all pairs within a list, or
#' models that are lists of layers, by one or several measures.
#'
#' @param x,y a numeric matrix (stimuli x neurons), an all-numeric data frame (also a tibble or a
#'   data.table; one with a column for the stimuli goes through [response_matrix()] first) or a
#'   sparse matrix of the package Matrix, which is written out in full; or a
#'   named list of them (layers, areas, animals); or a named list of models, each a
#'   named list of layers. All with the same stimuli in the rows. Where a measure needs
#'   only distances, a `dist` object may stand for a representation, and where it needs
#'   only neighbours, a neighbour graph, `list(idx, dist)`, see [mutual_knn()]. A list against a
#'   list gives the grid; `y = NULL` with a list gives all pairs of different
#'   elements, and with models all layer pairs of different models.
#' @param measure ids, measure objects ([measure()], [new_measure()]), or a list of
#'   both; names of the list become labels. See [measures()].
#' @param diagonal with `y = NULL`: also compare each element with itself? With models:
#'   also the layers within each model. An element's neurons are the same as its own: set
#'   `shared_neurons` or `units_x` and `units_y` for the neuron correction.
#' @param on_error `"stop"`; `"na"`: a score that fails is `NA`, with one warning. Representations
#'   that no measure could use (missing values, unequal rows) stop the call in any case.
#' @param threads threads of our own loops; by default `options(repalign.threads =)`, else as many
#'   as OpenMP offers (it reads `OMP_NUM_THREADS` and `OMP_THREAD_LIMIT`), but at most two while
#'   `R CMD check` limits the cores (`_R_CHECK_LIMIT_CORES_`); on the workers of a future plan one
#'   each. The results do not depend on it. The BLAS has a setting of its own, which stays
#'   untouched.
#' @param na what to do about missing values (`NA`, `NaN`; infinite values are always an error).
#'   `"error"`: an error that says where they are. `"stimuli"`: a stimulus (row) that has a
#'   missing value in any of the representations is left out of all of them, so that every pair has
#'   the same stimuli. `"neurons"`: neurons (columns) with a missing value are left out, each
#'   representation for itself; where a measure has `shared_neurons` or unit labels, of all
#'   representations of a side, and the same neuron (with `shared_neurons` the same column,
#'   otherwise a label that stands for one neuron) of both sides. A message says how many are left
#'   out; labels follow.
#' @return A data frame of class `repalign_similarity` with a row per pair and
#'   measure: `x`, `y` (names; "x" and "y" when unnamed), `measure`, `score`, `n`
#'   (number of stimuli); with models also `model_x`, `model_y`. `NA` scores are
#'   undefined; one warning counts them. [score_matrix()] gives the grid,
#'   `plot()` draws it.
#' @details
#' Whatever a measure prepares from a representation is prepared once per call, however
#' many pairs and measures use it, while memory lasts. A call that would need more than half
#' of the free memory is an error (`options(repalign.max_memory =)` sets another limit, in bytes).
#' Progress is reported through the package progressr when you use it. A symmetric
#' measure of a list against the same list is computed once per unordered pair.
#'
#' Scores of different measures are not on one scale: [measures()] gives their ranges.
#' None of them tells by itself whether a value is more than chance.
#'
#' Row names are compared where both sides have them, and a difference is an error:
#' [match_rows()] puts the rows of both sides into one order. With row names on some sides only
#' the order is taken on trust, which a message says. A column that looks like an identifier is
#' an error, see [response_matrix()].
#'
#' With na = "stimuli", a stimulus without any distance is left out of a `dist` object; a
#' single missing distance belongs to two stimuli and stays an error. From a
#' neighbour graph no stimulus can be left out.
#' @section Several processes and machines:
#' A grid is spread over the workers of the plan that you have set with the package future
#' (and future.apply): processes of this machine, other machines, or jobs of a cluster. The
#' grid is cut into one tile a worker or a few more, some representations of `x` against some of
#' `y`; a worker gets these, prepares each of them once, and sends back numbers. Results,
#' warnings and errors are those of the plain call, bit for bit, for any number of workers and
#' threads, if the BLAS is the same and has the same setting everywhere: what is drawn at random
#' is drawn, or seeded, before. A function of your own ([new_measure()]) must not draw.
#'
#' ```
#' library(future)
#' plan(multisession, workers = 4)      # four processes here
#' similarity(models, measure = "rsa")
#'
#' # jobs of a Slurm cluster; slurm.tmpl is a template of the package batchtools
#' plan(future.batchtools::batchtools_slurm, workers = 40, template = "slurm.tmpl",
#'      resources = list(ncpus = 4, memory = "8GB", walltime = 3600))
#' calibrate(models, measure = c("cka", "mutual_knn"), aggregate = "max", threads = 4)
#' ```
#'
#' repalign must be installed where the workers find it. Set the BLAS to as many threads as a
#' worker has processors, for example by `export OPENBLAS_NUM_THREADS=4` in the job's template.
#'
#' Without a plan, a call whose prepared representations would take more than a quarter of the
#' free memory works tile by tile, too: slower, as a representation is prepared in every
#' tile that it is part of, with the same results.
#' @examples
#' set.seed(1)
#' stimuli <- matrix(rnorm(60 * 10), 60)
#' layers <- lapply(c(a = 5, b = 20, c = 40), function(q) stimuli %*% matrix(rnorm(10 * q), 10))
#' similarity(layers)
#' similarity(layers, stimuli, list("cka", measure("cka", estimator = "stimulus")))
#' @seealso [cka()], [measures()], [score_matrix()]
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
    paste(describe(given), "and no data: a measure goes to the argument `measure`")
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
          " is not a list of layers.", class = "repalign_error_type", arg = arg)
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
