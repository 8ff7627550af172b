# These functions cut a grid into tiles: some representations of x against some of y. Tiles are sent
# to the workers of the user's future plan. They also keep memory bounded, because the forms of a
# tile are released with it. Tiles change no number: random choices have streams of their own
# (random-choices.R), permutations are made before, and no null kernel lets a pair depend on the
# others of its tile.

# The number of workers in the plan that the user set with future::plan(); 0 when there are none, so
# that everything is done in this process.
worker_count <- function() {
  if (!"future" %in% loadedNamespaces() || inherits(future::plan(), "sequential")) return(0)
  if (!requireNamespace("future.apply", quietly = TRUE)) return(0)
  # the plan may be a queue that takes any number of jobs, whose number of workers is infinite
  min(future::nbrOfWorkers(), 100)
}

# A matrix of scores, pairs x measures.
score_grid <- function(pairs, sides, set, on_error, threads) {
  rows <- cut_into_tiles(pairs, sides, how_many_fit(set, all_representations(sides), FALSE))
  if (is.null(rows)) return(score_pairs(pairs, sides, set, on_error))
  job <- list(run = score_tile, set = set, on_error = on_error)
  parts <- run_tiles(rows, pairs, sides, job, threads, "The grid")
  report_tiles(parts, rows, 1)
}

score_tile <- function(tile, job, run) {
  list(score_cells(tile$pairs, tile_sides(tile), job$set, job$on_error, new.env(), run))
}

# A list with the null of each measure, as measure_null() gives it.
null_grid <- function(set, pairs, sides, plan, engine, threads) {
  rows <- cut_into_tiles(pairs, sides, how_many_fit(set, all_representations(sides), TRUE))
  if (is.null(rows)) {
    if (is.null(plan$fixed$shifts)) prepare_grams(set, sides)
    return(lapply(set, function(measure) {
      null <- measure_null(measure, pairs, sides, plan, engine)
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
    c(join_nulls(nulls, rows), list(design = designs[[m]]))
  })
}

null_tile <- function(tile, job, run) {
  sides <- tile_sides(tile)
  if (is.null(job$designs[[1]]$shifts)) prepare_grams(job$set, sides)
  lapply(seq_along(job$set), function(m) {
    run$warnings <- NULL
    found <- NULL
    score <- function(pairs, sides, set, on_error, drawn) {
      found <<- score_cells(pairs, sides, set, on_error, drawn, run)
      cell_scores(found$cells)
    }
    plan <- list(fixed = job$designs[[match(job$kinds[m], unique(job$kinds))]])
    null <- measure_null(job$set[[m]], tile$pairs, sides, plan, job$engine, score)
    c(found, list(null = null[setdiff(names(null), c("design", "said", "warned"))],
                  said = null$said, warned = null$warned))
  })
}

# Joins the nulls of tiles, whose parts have an entry for each pair, into the null of the grid.
join_nulls <- function(nulls, rows) {
  at <- order(unlist(rows))
  join <- function(name) do.call(c, lapply(nulls, function(null) null[[name]]))[at]
  sapply(names(nulls[[1]]), join, simplify = FALSE)
}

# Gives the warnings of all tiles as if the grid had not been cut, and returns its scores. result:
# which of the results of each tile to take.
report_tiles <- function(parts, rows, result) {
  found <- lapply(parts, function(part) part$result[[result]])
  cells <- do.call(rbind, lapply(found, function(f) f$cells))[order(unlist(rows)), , drop = FALSE]
  warnings <- unlist(Map(function(f, rows) lapply(f$warnings, function(w) {
    w$at[1] <- rows[w$at[1]]
    w
  }), found, rows), recursive = FALSE)
  report_cells(cells)
  at <- vapply(warnings, function(w) as.double(w$at), double(2))
  report_warnings(warnings[order(at[1, ], at[2, ])])
  cell_scores(cells)
}

# A list with the rows of `pairs` that each tile has, or NULL when the grid needs no tiles. most:
# how many representations fit into memory.
cut_into_tiles <- function(pairs, sides, most) {
  workers <- worker_count()
  if (nrow(pairs) < 2) return(NULL)
  most <- max(2, floor(most / max(workers, 1)))
  wanted <- min(max(workers, 1), nrow(pairs))
  size <- length(sides$x$reprs)
  rows <- if (sides$self || sides$same) square_tiles(pairs, size, wanted, most) else
    grid_tiles(pairs, size, length(sides$y$reprs), wanted, most)
  if (length(rows) > 1 || workers > 0) rows
}

# Tiles of a list that is compared with itself: each holds the pairs between two blocks of
# representations, in both directions.
square_tiles <- function(pairs, size, wanted, most) {
  blocks <- if (size <= most) 1 else ceiling(size / floor(most / 2))
  repeat {
    block <- block_of(size, min(blocks, size))
    low <- pmin(block[pairs$i], block[pairs$j])
    high <- pmax(block[pairs$i], block[pairs$j])
    rows <- unname(split(seq_len(nrow(pairs)), (low - 1) * size + high))
    if (length(rows) >= wanted || blocks >= size) return(rows)
    blocks <- blocks + 1
  }
}

# Tiles of two lists: of all ways to cut both sides into blocks, the one in which the fewest
# representations are prepared.
grid_tiles <- function(pairs, size_x, size_y, wanted, most) {
  by_x <- seq_len(size_x)
  room <- most - ceiling(size_x / by_x)
  by_y <- pmax(ceiling(wanted / by_x), ceiling(size_y / pmax(room, 1)))
  cost <- ifelse(room >= 1 & by_y <= size_y, by_y * size_x + by_x * size_y, Inf)
  best <- which.min(cost)
  at <- block_of(size_x, best)[pairs$i] * size_y + block_of(size_y, by_y[best])[pairs$j]
  unname(split(seq_len(nrow(pairs)), at))
}

block_of <- function(size, blocks) ceiling(seq_len(size) * blocks / size)

# How many prepared representations fit into a quarter of the free memory. null: are their operands
# made, too?
how_many_fit <- function(set, reprs, null) {
  n <- as.double(reprs[[1]]$n)
  d <- max(vapply(reprs, function(repr) if (repr$kind == "data") ncol(repr$data) else 1L, 0L))
  numbers <- sum(vapply(set, numbers_per_representation, 0, n, d, null))
  floor(memory_limit() / 2 / max(8 * numbers, 1))
}

# The largest count of numbers that a measure keeps for a representation. null: with its operand?
numbers_per_representation <- function(measure, n, d, null) {
  if (is_own(measure)) return(0)
  forms <- vapply(c("x", "y"), function(side) {
    form_size(kept_forms(measure$declaration, measure$args, side), n, d, measure$args)
  }, 0)
  kernel <- if (null) null_of(measure)$kernel
  max(forms) + if (is.null(kernel)) 0 else null_kernel(kernel)$size(n, d)
}

# A tile holds what its pairs need and nothing else, because it may be sent to another machine.
make_tile <- function(rows, pairs, sides) {
  i <- sort(unique(pairs$i[rows]))
  j <- sort(unique(pairs$j[rows]))
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

# Without what was made in this call; forms that were given with the representation stay.
without_forms <- function(repr) {
  cache <- new_cache()
  if (!is.null(repr$prepared)) {
    cache$entries <- repr$cache$entries[seq_len(repr$prepared$forms)]
  }
  for (name in c("neighbours", "choices", "column_stats")) cache[[name]] <- repr$cache[[name]]
  repr$cache <- cache
  repr
}

tile_sides <- function(tile) {
  if (is.null(tile$y)) tile$y <- if (tile$same) on_side_y(tile$x) else tile$x
  tile[c("x", "y", "self", "same", "models")]
}

# Runs all tiles and returns list(result, said, used) for each: its result, its messages and
# warnings, and whether it made random choices. These are given in the order of the tiles, each text
# once. When several tiles fail, the error is that of the first one.
run_tiles <- function(rows, pairs, sides, job, threads, label) {
  parts <- if (worker_count() > 0) {
    tiles_of_workers(lapply(rows, make_tile, pairs, sides), job, threads)
  } else {
    tiles_in_turn(rows, pairs, sides, job, label)
  }
  results_of_tiles(parts, sides)
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
    parts[[k]] <- run_tile(make_tile(rows[[k]], pairs, sides), job)
    if (!is.null(parts[[k]]$error)) break
    if (k == 1) {
      announce_duration(started, 1, length(rows), label, "It is done in parts to save memory.")
    }
    advance()
  }
  parts
}

tiles_of_workers <- function(tiles, job, threads) {
  # the limit of future is there to find data that are sent by mistake; a tile holds only what it
  # needs, which is sent whatever its size
  old <- options(future.globals.maxSize = Inf)
  on.exit(options(old))
  settings <- list(repalign.threads = if (is.null(threads)) 1L else thread_count(threads),
                   repalign.max_memory = getOption("repalign.max_memory"))
  needs <- needs_of_functions(lapply(Filter(is_own, job$set), function(m) m$declaration$fun))
  advance <- progress_along(length(tiles))
  future.apply::future_lapply(
    tiles, worker_tile, job, settings, advance, future.chunk.size = 1,
    future.globals = needs$globals, future.packages = c("repalign", needs$packages)
  )
}

worker_tile <- function(tile, job, settings, advance) {
  old <- options(settings)
  on.exit(options(old))
  part <- run_tile(tile, job)
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
