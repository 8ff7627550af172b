# similarity() scores every pair of a grid, cut into tiles, on workers or here, and prepares each
# representation once.

# ---- similarity

#' Several processes and machines
#'
#' How [similarity()], [calibrate()] and what rests on them use the workers of the package future,
#' and go on where they were cut off.
#'
#' @details
#' With a plan of the package future (and future.apply installed), pairs are computed by its
#' workers: processes on this machine, other machines, or jobs of a cluster, where repalign must be
#' installed. Results are those of the plain call (to 1e-12 where the BLAS differs). A function of
#' your own ([new_measure()]) must not draw random numbers. Set the BLAS to as many threads as a
#' worker has processors, for example by `export OPENBLAS_NUM_THREADS=4` in the template of the
#' jobs.
#'
#' ```
#' library(future)
#' plan(multisession, workers = 4)      # or plan(future.mirai::mirai_multisession, workers = 4)
#' similarity(models, measure = "rsa")
#' ```
#'
#' *Large files* ([similarity()]) go to workers by their paths, which must be the same on all
#' machines. Each worker reads what it compares, and holds as much as a call without workers does,
#' `options(repalign.max_memory =)`. The parts of the grid depend on sizes and this option alone, so
#' that results are equal to the bit, whatever the number of workers.
#'
#' *A run that may be cut off* keeps its finished parts in the folder `resume`: the same call goes
#' on from them, with any plan. Another call with this folder is an error of class
#' `repalign_error_resume`, as where the measure, its arguments, permutations, stimuli, the files
#' (size, time, first bytes), the option or the version of repalign differ. Where random choices
#' are made, as in [calibrate()], call the same `set.seed()` before. A finished run takes its parts
#' away. One folder serves one run at a time, and holds no data.
#'
#' ```
#' # jobs of a Slurm cluster
#' plan(future.batchtools::batchtools_slurm, workers = 40, template = "slurm.tmpl",
#'      resources = list(ncpus = 4, memory = "8GB", walltime = 3600))
#' options(repalign.max_memory = 4e9)
#' set.seed(1)
#' calibrate("/data/layers", measure = c("cka", "mutual_knn"), threads = 4, resume = "/data/resume")
#' ```
#'
#' with `slurm.tmpl`, a template of the package batchtools:
#'
#' ```
#' #!/bin/bash
#' #SBATCH --job-name=<%= job.name %>
#' #SBATCH --output=<%= log.file %>
#' #SBATCH --time=<%= ceiling(resources$walltime / 60) %>
#' #SBATCH --cpus-per-task=<%= resources$ncpus %>
#' #SBATCH --mem=<%= resources$memory %>
#' export OPENBLAS_NUM_THREADS=<%= resources$ncpus %>
#' Rscript -e 'batchtools::doJobCollection("<%= uri %>")'
#' ```
#' @examples
#' # the plain call; after future::plan(future::multisession) two workers would share the pairs
#' similarity(v4_layers[1:3])
#' @name workers
NULL

#' Similarity of representations
#'
#' Compares two representations, lists of them, or models (lists of layers).
#'
#' @param x,y each one of the following, of the same stimuli:
#'   * a representation: a numeric matrix (stimuli x neurons), a numeric data frame (see
#'     [response_matrix()]), a sparse matrix of the package Matrix, or [responses()];
#'   * a named list of representations (layers, areas, animals);
#'   * a named list of models, each a named list of layers;
#'   * what [prepare()] made of one of these;
#'   * paths of files or of a folder, as [read_representation()] takes them, or a list with paths as
#'     elements (a folder may stand for a model).
#'
#'   A `dist` object may stand for a representation where a measure needs only distances, a
#'   neighbour graph where it needs only neighbours ([mutual_knn()]). Every element of `x` is
#'   compared with every element of `y`; with `y = NULL` all pairs of different elements, or of
#'   layers from different models.
#' @param measure ids of measures, such as `"cka"` (see [measures()]); measures made by [measure()]
#'   or [new_measure()]; or a list of both, whose names become labels.
#' @param ... not used: parameters go to [measure()].
#' @param diagonal with `y = NULL`: also compare each element with itself (with models: the layers
#'   within each)? The neuron correction then needs `shared_neurons` or unit labels.
#' @param on_error a score that fails stops the call (`"stop"`), or becomes `NA`, with a warning
#'   (`"na"`).
#' @param threads number of threads, without effect on results; by default `options(repalign.threads
#'   =)`, or else all (two during `R CMD check`).
#' @param na missing values (`NA` and `NaN`; infinite values are always an error):
#'   * `"error"`: stop, and say where they are.
#'   * `"stimuli"`: leave out a stimulus (row) that lacks a value in any representation, or all
#'     distances in a `dist` object.
#'   * `"neurons"`: leave out a neuron (column) that lacks a value; with `shared_neurons` or unit
#'     labels, also the same neuron of all others.
#'   * `"pairwise"`: for RDMs that lack pairs of stimuli, see [rsa()].
#'
#'   Labels are cut in the same way. A message says how many are left out.
#' @param resume for a grid of files: a folder that keeps finished parts, so that the same call goes
#'   on from them; see [workers].
#' @return A data frame of class `repalign_similarity` with one row per pair and measure: `x` and
#'   `y` (names; "x" and "y" for single matrices), `measure` (its label, for CKA with the estimator:
#'   `"cka(naive)"`), `score` (`NA`, with a warning, if undefined) and `n` (number of stimuli); with
#'   models also `model_x` and `model_y`; with `na = "pairwise"` also `pairs` (number of pairs).
#'   [score_matrix()] arranges the scores in a matrix.
#' @details
#' Scores of different measures are not on one scale ([measures()]), and do not tell whether they
#' are higher than chance: see [calibrate()].
#'
#' Stimuli go by their names, here and in all functions. The same names in another order are brought
#' into that of the first representation that has names, with a message; other names are an error
#' ([match_rows()] keeps those that all have). If only some sides have names, rows are taken to be
#' in the same order, with a message.
#'
#' A call that would need more than half of the free memory (or `options(repalign.max_memory =)`
#' bytes) is an error. The package progressr shows the progress; [workers] share the pairs.
#'
#' Files of more than 128 MB together are read in parts of the grid: about
#' `options(repalign.max_memory =)` bytes (2 GB without it) are held at a time. A large `.rds` of
#' several layers is read as often as it has layers: take `.npy`, `.safetensors` or HDF5.
#' @examples
#' # mean responses of V4 against the layers of a network, by two settings of one measure
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' similarity(v4, v4_layers, list("cka", measure("cka", estimator = "stimulus_neuron")))
#' # all pairs of layers
#' similarity(v4_layers)
#' # the same from files, as of a network whose layers do not fit into memory together
#' folder <- tempfile()
#' dir.create(folder)
#' files <- file.path(folder, paste0(names(v4_layers), ".rds"))
#' for (k in seq_along(files)) saveRDS(v4_layers[[k]], files[k])
#' similarity(folder)
#' @export
similarity <- function(x, y = NULL, measure = "cka", ..., diagonal = FALSE,
                       on_error = c("stop", "na"), threads = NULL,
                       na = c("error", "stimuli", "neurons", "pairwise"), resume = NULL) {
  need_arguments()
  set <- as_measures(measure)
  refuse_parameters(set, ...)
  check_flag(diagonal, "diagonal")
  on_error <- check_choice(on_error, c("stop", "na"), "on_error")
  rule <- rule_of_call(na, set, !missing(na))
  check_resume(resume, set)
  given <- with_files(list(x = x, y = y), resume = resume)
  x <- given$x
  y <- given$y
  call <- if (!diagonal && rule$na == "error") rdm_grid(x, y, rule$set, threads)
  if (is.null(call)) {
    call <- open_call(x, y, rule$set, rule$na, threads, diagonal, controls = TRUE)
    call$sides$resume <- resume
    check_grid_memory(call$set, call$sides)
    call$scores <- scores_of_call(call, on_error, threads)
  }
  similarity_result(call$pairs, call$sides, call$set, call$scores)
}

# What similarity() asks of the opened call, with the scores, for one or two lists of RDMs without
# names of stimuli and one measure of them; NULL where there is more to ask. A small grid of RDMs
# would otherwise spend half of its time on questions about matrices, workers and single cells.
rdm_grid <- function(x, y, set, threads, frame = parent.frame()) {
  measure <- set[[1]]
  args <- measure$args
  self <- is.null(y)
  alone <- length(set) == 1 && identical(measure$id, "rsa") && is.null(measure$given) &&
    identical(args$na, "error") &&
    is.null(args$clusters) && is.null(args$stimulus_noise) && is_named_list(x) &&
    (if (self) length(x) > 1 else is_named_list(y)) && worker_count() == 0
  if (!alone) return(NULL)
  rdms <- lapply(if (self) list(x = x) else list(x = x, y = y), plain_rdms)
  n <- rdms$x$n
  small <- is_small_amount(8 * n^2 * (length(x) + length(y)))
  if (n < 3 || !self && n != rdms$y$n || !small || identical(x, y)) return(NULL)
  hold_threads(threads, frame)
  side <- function(given, arg) {
    names <- names(given)
    places <- paste0(arg, "$", names)
    list(reprs = rdm_representations(given, rdms[[arg]]$extent, places, names, arg),
         is_models = FALSE)
  }
  sides <- list(x = side(x, "x"), self = self, same = FALSE, models = FALSE)
  sides$y <- if (self) sides$x else side(y, "y")
  fx <- forms_of_given(sides$x$reprs, args)
  fy <- if (!self) forms_of_given(sides$y$reprs, args)
  if (any(lengths(fx) == 0, lengths(fy) == 0)) return(NULL)
  measure <- settled_measure(measure)
  table <- divided_products(measure$dot$products(fx, fy, args))
  pairs <- list_pairs(sides, FALSE)
  scores <- measure$dot$finish(table[cbind(pairs$i, pairs$j)], args)
  if (!all(is.finite(scores))) return(NULL)
  list(pairs = pairs, sides = sides, set = list(measure), scores = matrix(scores))
}

# A plain list whose elements have names of their own.
is_named_list <- function(x) {
  if (!is.list(x) || is.object(x) || !length(x) || !is.null(dim(x))) return(FALSE)
  names <- names(x)
  !is.null(names) && !anyNA(names) && all(nzchar(names)) && !anyDuplicated(names)
}

similarity_result <- function(pairs, sides, set, scores) {
  name <- function(side, at) vapply(side$reprs, `[[`, "", "name")[at]
  labels <- vapply(set, function(m) m$label, "")
  k <- length(set)
  each <- function(values) rep(values, each = k)
  # data.frame() would take most of the time of a small call
  result <- list2DF(list(
    x = each(name(sides$x, pairs$i)), y = each(name(sides$y, pairs$j)),
    measure = rep(labels, nrow(pairs)), score = as.vector(t(scores)),
    n = rep(sides$x$reprs[[1]]$n, length(scores))
  ))
  if (any(vapply(set, takes_gaps, NA))) result$pairs <- counts_by_row(pairs, sides, set)
  if (sides$models) {
    result <- cbind(model_x = each(sides$x$models[pairs$i]),
                    model_y = each(sides$y$models[pairs$j]), result)
  }
  # score_matrix() could not tell these from the rows alone
  symmetric <- stats::setNames(vapply(set, function(m) m$symmetric, NA), labels)
  new_result(result, "repalign_similarity",
             c(list(within = sides$self || sides$same, symmetric = symmetric),
               measure_facts_of(set)[c("direction", "best")]))
}

# What plots need to know about measures: list(direction, best), two vectors named by labels.
measure_facts_of <- function(set) {
  of <- function(part, kind) {
    stats::setNames(vapply(set, part, kind), vapply(set, function(m) m$label, ""))
  }
  list(direction = of(function(m) m$declaration$direction, ""),
       best = of(function(m) m$best, 0), limit = of(function(m) m$limit, 0))
}

# ---- tiles

# These functions cut a grid into tiles: some representations of x against some of y. Tiles are sent
# to the workers of the user's future plan. They also keep memory bounded, because the forms of a
# tile are released with it. Tiles change no number: random choices have streams of their own
# (base-random.R), permutations are made before, and no null kernel lets a pair depend on the
# others of its tile. But for rounding: products of matrices (compare-dots.R) have other last bits
# in tiles of another shape.

# The number of workers in the plan that the user set with future::plan(); 0 when there are none, so
# that everything is done in this process.
worker_count <- function() {
  if (!isNamespaceLoaded("future") || inherits(future::plan(), "sequential")) return(0)
  if (!requireNamespace("future.apply", quietly = TRUE)) return(0)
  # the plan may be a queue that takes any number of jobs, whose number of workers is infinite
  min(future::nbrOfWorkers(), 100)
}

# A matrix of scores, pairs x measures.
score_grid <- function(pairs, sides, set, on_error, threads) {
  rows <- cut_into_tiles(pairs, sides, how_many_fit(set, all_representations(sides), FALSE))
  if (is.null(rows)) return(score_pairs(pairs, sides, set, on_error, dots = TRUE))
  job <- list(run = score_tile, set = set, on_error = on_error)
  parts <- run_tiles(rows, pairs, sides, job, threads, "The grid")
  report_tiles(parts, rows, 1)
}

score_tile <- function(tile, job, run) {
  list(score_cells(tile$pairs, tile_sides(tile), job$set, job$on_error, new.env(), run, TRUE))
}

# A list with the null of each measure, as measure_null() gives it.
null_grid <- function(set, pairs, sides, plan, engine, threads) {
  rows <- cut_into_tiles(pairs, sides, how_many_fit(set, all_representations(sides), TRUE))
  if (is.null(rows)) {
    if (is.null(plan$fixed$shifts)) prepare_grams(set, sides)
    memo <- new_cache()
    return(lapply(set, function(measure) {
      null <- measure_null(measure, pairs, sides, plan, engine, memo = memo)
      report_permuted(measure, null$warned, null$said)
      null
    }))
  }
  designs <- if (engine != "moments") lapply(set, design_for, plan, engine)
  kinds <- vapply(designs, function(design) design$engine, "")
  job <- list(run = null_tile, set = set, engine = engine, kinds = kinds,
              designs = designs[!duplicated(kinds)])
  parts <- run_tiles(rows, pairs, sides, job, threads, "The null of the grid")
  lapply(seq_along(set), function(m) {
    report_tiles(parts, rows, m)
    found <- lapply(parts, function(part) part$result[[m]])
    report_permuted(set[[m]], unlist(lapply(found, function(f) f$warned)),
                    unlist(lapply(found, function(f) f$said)))
    nulls <- lapply(parts, function(part) part$result[[m]]$null)
    # Joins the nulls of tiles, whose parts have an entry for each pair, into the null of the grid.
    at <- order(unlist(rows))
    join <- function(name) do.call(c, lapply(nulls, function(null) null[[name]]))[at]
    c(sapply(names(nulls[[1]]), join, simplify = FALSE), list(design = designs[[m]]))
  })
}

null_tile <- function(tile, job, run) {
  sides <- tile_sides(tile)
  if (is.null(job$designs[[1]]$shifts)) prepare_grams(job$set, sides)
  memo <- new_cache()
  lapply(seq_along(job$set), function(m) {
    run$warnings <- NULL
    found <- NULL
    score <- function(pairs, sides, set, on_error, drawn) {
      found <<- score_cells(pairs, sides, set, on_error, drawn, run)
      found$cells$score
    }
    plan <- fixed_plan(job$designs[[match(job$kinds[m], unique(job$kinds))]])
    null <- measure_null(job$set[[m]], tile$pairs, sides, plan, job$engine, score, memo)
    c(found, list(null = null[setdiff(names(null), c("design", "said", "warned"))],
                  said = null$said, warned = null$warned))
  })
}

# Gives the warnings of all tiles as if the grid had not been cut, and returns its scores. result:
# which of the results of each tile to take.
report_tiles <- function(parts, rows, result) {
  found <- lapply(parts, function(part) part$result[[result]])
  of_tiles <- lapply(found, function(f) f$cells)
  cells <- sapply(names(of_tiles[[1]]), function(part) {
    do.call(rbind, lapply(of_tiles, `[[`, part))[order(unlist(rows)), , drop = FALSE]
  }, simplify = FALSE)
  warnings <- unlist(Map(function(f, rows) lapply(f$warnings, function(w) {
    w$at[1] <- rows[w$at[1]]
    w
  }), found, rows), recursive = FALSE)
  report_cells(cells)
  report_warnings(in_order_of_cells(warnings))
  cells$score
}

# A list with the rows of `pairs` that each tile has, or NULL when the grid needs no tiles. most:
# how many representations fit into memory.
cut_into_tiles <- function(pairs, sides, most) {
  if (is_filed(sides)) return(file_tiles(pairs, sides, most))
  workers <- worker_count()
  if (nrow(pairs) < 2) return(NULL)
  if (workers == 0 && most >= length(all_representations(sides))) return(NULL)
  most <- max(2, floor(most / max(workers, 1)))
  wanted <- min(max(workers, 1), nrow(pairs))
  size <- length(sides$x$reprs)
  if (sides$self || sides$same) {
    # each tile holds the pairs between two blocks of representations, in both directions
    blocks <- if (size <= most) 1 else ceiling(size / floor(most / 2))
    repeat {
      block <- block_of(size, min(blocks, size))
      low <- pmin(block[pairs$i], block[pairs$j])
      high <- pmax(block[pairs$i], block[pairs$j])
      at <- (low - 1) * size + high
      if (length(unique(at)) >= wanted || blocks >= size) break
      blocks <- blocks + 1
    }
  } else {
    # of all ways to cut both sides into blocks, that in which the fewest representations are
    # prepared
    size_y <- length(sides$y$reprs)
    by_x <- seq_len(size)
    room <- most - ceiling(size / by_x)
    by_y <- pmax(ceiling(wanted / by_x), ceiling(size_y / pmax(room, 1)))
    best <- which.min(ifelse(room >= 1 & by_y <= size_y, by_y * size + by_x * size_y, Inf))
    at <- block_of(size, best)[pairs$i] * size_y + block_of(size_y, by_y[best])[pairs$j]
  }
  rows <- unname(split(seq_len(nrow(pairs)), at))
  if (length(rows) > 1 || workers > 0) rows
}

block_of <- function(size, blocks) ceiling(seq_len(size) * blocks / size)

# How many prepared representations fit into a quarter of the free memory, or Inf where that is not
# to be asked. null: are their operands made, too?
how_many_fit <- function(set, reprs, null) {
  n <- as.double(reprs[[1]]$n)
  d <- max(vapply(reprs, width_of, 0), 1)
  if (is_filed(list(x = list(reprs = reprs)))) {
    numbers <- vapply(set, numbers_per_representation, 0, n, d, null)
    return(max(2, floor(files_limit() / (8 * (n * d + sum(numbers))))))
  }
  # no measure keeps more than some matrices of this size
  if (is_small_amount(64 * (n + d)^2 * length(reprs))) return(Inf)
  numbers <- vapply(set, numbers_per_representation, 0, n, d, null)
  if (is_small_amount(8 * sum(numbers) * length(reprs))) return(Inf)
  holes <- any(vapply(reprs, has_holes, NA))
  # does the score of a grid leave forms of its representations behind?
  keeps_forms <- vapply(set, function(measure) {
    is.null(measure$dot) || measure$averaged || measure$dot$keeps
  }, NA)
  kept <- sum(numbers[null | holes | keeps_forms])
  if (is_small_amount(8 * kept * length(reprs))) return(Inf)
  floor(memory_limit() / 2 / max(8 * kept, 1))
}

# The largest count of numbers that a measure keeps for a representation. null: with its operand?
numbers_per_representation <- function(measure, n, d, null) {
  if (is_own(measure)) return(0)
  forms <- vapply(c("x", "y"), function(side) {
    form_size(kept_forms(measure$declaration, measure$args, side), n, d, measure$args)
  }, 0)
  kernel <- if (null) measure$null$kernel
  max(forms) + if (is.null(kernel)) 0 else null_kernel(kernel)$size(n, d)
}

# A tile holds what its pairs need and nothing else, because it may be sent to another machine.
make_tile <- function(rows, pairs, sides) {
  i <- sort(unique(pairs$i[rows]))
  j <- sort(unique(pairs$j[rows]))
  # of files, those of two blocks are two sides: products within the blocks are not wanted
  apart <- sides$self && is_filed(sides) && !any(i %in% j)
  if (apart) sides$self <- FALSE
  together <- sides$self || sides$same
  if (together) i <- j <- sort(unique(c(i, j)))
  tile <- list(rows = rows, x = part_of_side(sides$x, i),
               y = if (!together) part_of_side(sides$y, j),
               pairs = data.frame(i = match(pairs$i[rows], i), j = match(pairs$j[rows], j)))
  c(tile, sides[c("self", "same", "models")])
}

part_of_side <- function(side, at) {
  list(reprs = lapply(side$reprs[at], without_forms), models = side$models[at],
       is_models = side$is_models)
}

sides_of_tile <- function(tile) {
  if (is.null(tile$y)) tile$y <- if (tile$same) on_side_y(tile$x) else tile$x
  tile[c("x", "y", "self", "same", "models")]
}

# Runs all tiles and returns list(result, said, used) for each: its result, its messages and
# warnings, and whether it made random choices. These are given in the order of the tiles, each text
# once. When several tiles fail, the error is that of the first one.
run_tiles <- function(rows, pairs, sides, job, threads, label) {
  parts <- if (is_filed(sides)) {
    file_parts(rows, pairs, sides, job, threads, label)
  } else if (worker_count() > 0) {
    tiles_of_workers(lapply(rows, make_tile, pairs, sides), job, threads)
  } else {
    tiles_in_turn(rows, pairs, sides, job, label)
  }
  results_of_tiles(parts, sides)
  # a finished run leaves nothing behind
  if (!is.null(sides$resume)) {
    unlink(kept_tiles(sides$resume))
    if (!length(dir(sides$resume, all.files = TRUE, no.. = TRUE))) {
      unlink(sides$resume, recursive = TRUE)
    }
  }
  signal_once(unlist(lapply(parts, function(part) part$said), recursive = FALSE))
  parts
}

# The results of all tiles. Random choices that they made are counted here, and the first error of
# one of them is given.
results_of_tiles <- function(parts, sides) {
  choices <- sides$x$reprs[[1]]$cache$choices
  if (any(vapply(parts, function(part) isTRUE(part$used), NA))) choices$used <- TRUE
  failed <- Filter(function(part) !is.null(part$error), parts)
  if (length(failed)) stop(failed[[1]]$error)
  lapply(parts, function(part) part$result)
}

tiles_in_turn <- function(rows, pairs, sides, job, label) {
  parts <- list()
  advance <- progress_along(length(rows))
  started <- proc.time()[[3]]
  for (k in seq_along(rows)) {
    parts[[k]] <- resumed(job$resume, k, run_tile(make_tile(rows[[k]], pairs, sides), job))
    if (!is.null(parts[[k]]$error)) break
    if (k == 1) {
      announce_duration(started, 1, length(rows), label, "It is done in parts to save memory.")
    }
    advance()
  }
  parts
}

tiles_of_workers <- function(tiles, job, threads, run = run_tile) {
  # the limit of future is there to find data that are sent by mistake; a tile holds only what it
  # needs, which is sent whatever its size
  old <- options(future.globals.maxSize = Inf)
  on.exit(options(old))
  settings <- list(repalign.threads = if (is.null(threads)) 1L else thread_count(threads),
                   repalign.max_memory = getOption("repalign.max_memory"))
  needs <- needs_of_functions(lapply(Filter(is_own, job$set), function(m) m$declaration$fun))
  advance <- progress_along(length(tiles))
  future.apply::future_lapply(
    tiles, worker_tile, job, settings, advance, run, future.chunk.size = 1,
    future.globals = needs$globals, future.packages = c("repalign", needs$packages)
  )
}

worker_tile <- function(tile, job, settings, advance, run) {
  old <- options(settings)
  on.exit(options(old))
  hold_threads()
  part <- run(tile, job)
  advance()
  part
}

# Runs one tile. Its messages and warnings are kept for signal_once(); its own progress is not
# shown, because progress counts tiles.
run_tile <- function(tile, job) {
  run <- new.env()
  said <- list()
  keep <- function(restart) function(condition) {
    if (!inherits(condition, "repalign_duration")) {
      said <<- c(said, list(condition))
    }
    invokeRestart(restart)
  }
  outcome <- tryCatch(
    list(result = withCallingHandlers(
      job$run(tile, job, run),
      repalign_message = keep("muffleMessage"), repalign_warning = keep("muffleWarning"),
      progression = function(p) invokeRestart("muffleProgression")
    )),
    error = function(e) list(error = e)
  )
  c(outcome, list(said = said, used = tile$x$reprs[[1]]$cache$choices$used))
}

# Gives the kept messages and warnings. What several tiles say is given once, and of all messages
# about shared neurons only the first.
signal_once <- function(said) {
  text <- vapply(said, function(condition) {
    shared <- inherits(condition, "repalign_shared_names")
    if (shared) "shared neurons" else conditionMessage(condition)
  }, "")
  for (condition in said[!duplicated(text)]) {
    if (inherits(condition, "warning")) warning(condition) else message(condition)
  }
}

# The variables and packages that functions of the user need on a worker, as future finds them.
needs_of_functions <- function(functions) {
  needs <- list(globals = list(), packages = character())
  for (fun in functions) {
    if (is.null(fun) || is.primitive(fun)) next
    code <- as.call(list(as.name("function"), formals(fun), body(fun)))
    found <- future::getGlobalsAndPackages(code, envir = environment(fun))
    needs$globals <- utils::modifyList(needs$globals, as.list(found$globals), keep.null = TRUE)
    needs$packages <- union(needs$packages, found$packages)
  }
  needs
}
