# The scores of a benchmark: taken from a table, from the cache, or computed, each representation
# read and prepared once for all measures.

# What is benchmarked: list(label, direction, best, symmetric, measure, given) for each measure,
# where `measure` is NULL when only its scores are given.
benchmark_columns <- function(set, job) {
  labels <- vapply(set, function(m) m$label, "")
  names(set) <- labels
  given <- job$given
  tables <- names(given$tables)
  lapply(union(labels, tables), function(label) {
    known <- if (label %in% labels) set[[label]]
    if (label %in% tables) return(given_column(given, label, known))
    calibrated <- !is.null(job$calibration)
    list(label = label, measure = known, given = FALSE, symmetric = is_symmetric(known),
         direction = if (calibrated) "similarity" else known$declaration$direction,
         best = if (calibrated) calibrated_best(known, job$calibration) else known_best(known))
  })
}

# The score of what is alike in all that the measure sees. A distance of the user's is taken to
# end at 0 unless it says otherwise.
known_best <- function(measure) {
  best <- as.double(best_of(measure$declaration, measure$args))
  if (is.na(best) && measure$declaration$direction == "distance") 0 else best
}

# The measures of a benchmark. Where a table of scores is given and no measures are named, those of
# the table are all.
chosen_measures <- function(measures, default, job) {
  if (default && !is.null(job$given)) return(list())
  tryCatch(as_measures(measures), repalign_error = function(e) {
    e$message <- gsub("`measure`", "`measures`", e$message, fixed = TRUE)
    if (identical(e$arg, "measure")) e$arg <- "measures"
    stop(e)
  })
}

# The scores of all blocks, which are vectors of positions of items: those of a block are compared
# with each other. job: `given`, `cache`, `calibration` and `threads`. Returns for each block
# list(at, pairs, cells): cells is a matrix, pairs x measures, of what one_cell() gives.
benchmark_blocks <- function(items, blocks, columns, job) {
  parts <- lapply(blocks, block_cells, items, columns, job)
  cells <- unlist(lapply(parts, function(part) part$computed), recursive = FALSE)
  report_cells(Filter(Negate(is.null), cells))
  report_warnings(unlist(lapply(parts, function(part) part$warnings), recursive = FALSE))
  parts
}

block_cells <- function(at, items, columns, job) {
  pairs <- ordered_pairs(length(at))
  wanted <- vapply(columns, function(column) pairs$i < pairs$j | !column$symmetric,
                   logical(nrow(pairs)))
  wanted <- matrix(wanted, nrow(pairs))
  cells <- matrix(list(), nrow(pairs), length(columns))
  given <- vapply(columns, function(column) column$given, NA)
  for (m in which(given)) {
    cells[, m] <- given_cells(job$given, columns[[m]], items$names[at], pairs, wanted[, m])
  }
  found <- NULL
  if (!all(given)) {
    set <- lapply(columns[!given], function(column) column$measure)
    found <- computed_cells(items, at, pairs, set, wanted[, !given, drop = FALSE], job)
    cells[, !given] <- found$cells
  }
  list(at = at, pairs = pairs, cells = cells, computed = found$cells, warnings = found$warnings)
}

# All pairs of different items: first those with i < j, then their mirror images.
ordered_pairs <- function(count) {
  j <- rep(seq_len(count), seq_len(count) - 1)
  i <- sequence(seq_len(count) - 1)
  pairs <- data.frame(i = c(i, j), j = c(j, i))
  pairs[order(pairs$i > pairs$j, pmin(pairs$i, pairs$j), pmax(pairs$i, pairs$j)), ]
}

# Files are read only when the cache lacks scores; what is in memory is checked in any case.
computed_cells <- function(items, at, pairs, set, wanted, job) {
  ready <- if (is.null(items$files)) ready_grid(items, at, set, job$calibration)
  if (!is.null(ready)) set <- ready$set
  contents <- if (!is.null(job$cache)) {
    if (!is.null(items$files)) check_files(items, at)
    content_keys(items, at)
  }
  store <- open_store(job$cache, contents, set, pairs, job$calibration)
  cells <- stored_cells(store, wanted)
  lacking <- wanted & vapply(cells, is.null, NA)
  if (!any(lacking)) return(list(cells = cells))
  rows <- which(rowSums(lacking) > 0)
  used <- seq_along(at)
  if (is.null(ready)) {
    used <- sort(unique(unlist(pairs[rows, ])))
    ready <- ready_grid(items, at[used], set, job$calibration)
  }
  task <- list(set = ready$set, wanted = lacking[rows, , drop = FALSE], threads = job$threads,
               store = list(files = store$files[rows], keys = store$keys[rows, , drop = FALSE]))
  if (is.null(store)) task["store"] <- list(NULL)
  missing <- data.frame(i = match(pairs$i[rows], used), j = match(pairs$j[rows], used))
  found <- run_grid(missing, ready, task, job$calibration)
  for (m in seq_along(set)) {
    new <- which(lacking[rows, m])
    cells[rows[new], m] <- found$cells[new, m]
  }
  list(cells = cells, warnings = found$warnings)
}

# Reads and checks the representations at some positions: list(sides, set, rows, clusters,
# labels), as similarity() and calibrate() have them.
ready_grid <- function(items, at, set, calibration) {
  reprs <- read_items(items, at)
  if (!is.null(items$models)) {
    reprs <- stats::setNames(list(stats::setNames(reprs, items$layers[at])), items$models[at[1]])
  }
  sides <- benchmark_sides(reprs, items$arg, set)
  settled <- Map(function(new, old) replace(new, "label", old$label), settled_set(set, sides), set)
  declared <- declared_sides(sides, settled, calibration$clusters)
  ready <- if (is.null(calibration)) labelled_sides(declared) else {
    clustered_sides(complete_sides(declared$sides, declared$set, "error"),
                    cluster_codes(declared$clusters))
  }
  refuse_holes(all_representations(ready$sides), ready$set)
  ready$labels <- first_stimulus_names(all_representations(sides))
  ready
}

benchmark_sides <- function(reprs, arg, set) {
  side <- as_side(reprs, arg)
  side$reprs <- lapply(side$reprs, replace, "side", "x")
  by_name <- any(vapply(set, function(m) m$declaration$pairing, NA))
  check_same_stimuli(side$reprs, by_name)
  if (by_name) note_one_sided_names(side$reprs)
  list(x = side, y = side, self = TRUE, same = FALSE, models = side$is_models)
}

# Computes the cells of a grid, in tiles where there are workers or little memory. task: `set`,
# `wanted` (which cells), `store`, `threads`.
run_grid <- function(pairs, ready, task, calibration) {
  sides <- ready$sides
  linear <- identical(calibration$series, "linear")
  if (linear) sides <- middle_sides(sides)
  set_largest_k(task$set, sides$x$reprs)
  begin_choices(sides$x$reprs)
  if (is.null(calibration)) check_grid_memory(task$set, sides) else
    task$calibration <- calibration_task(calibration, ready, sides, pairs)
  task$run <- benchmark_tile
  most <- how_many_fit(task$set, sides$x$reprs, !is.null(calibration))
  rows <- cut_into_tiles(pairs, sides, most)
  if (is.null(rows)) return(grid_cells(pairs, seq_len(nrow(pairs)), sides, task, new.env()))
  parts <- run_tiles(rows, pairs, sides, task, task$threads, "The grid of the benchmark")
  found <- lapply(parts, function(part) part$result)
  cells <- do.call(rbind, lapply(found, function(f) f$cells))[order(unlist(rows)), , drop = FALSE]
  list(cells = cells, warnings = unlist(lapply(found, function(f) f$warnings), recursive = FALSE))
}

benchmark_tile <- function(tile, job, run) {
  grid_cells(tile$pairs, tile$rows, tile_sides(tile), job, run)
}

# rows: which rows of the grid the pairs are.
grid_cells <- function(pairs, rows, sides, task, run) {
  if (!is.null(task$calibration)) return(calibrated_cells(pairs, rows, sides, task, run))
  cells <- matrix(list(), nrow(pairs), length(task$set))
  advance <- progress_along(nrow(pairs))
  for (p in seq_len(nrow(pairs))) {
    pair <- side_pair(sides, pairs$i[p], pairs$j[p])
    cells[p, ] <- cells_of_pair(pair, task, rows[p], c(p, 0), run)
    advance()
  }
  list(cells = cells, warnings = run$warnings)
}

# The cells of one pair, which are stored when they are done or interrupted, and at every second.
cells_of_pair <- function(pair, task, row, place, run) {
  cells <- vector("list", length(task$set))
  on.exit(store_cells(task$store, row, cells))
  stored <- proc.time()[[3]]
  for (m in which(task$wanted[row, ])) {
    run$at <- replace(place, 2, m)
    cells[[m]] <- one_cell(pair, task$set[[m]], "na", run, new.env())
    if (proc.time()[[3]] - stored < 1) next
    store_cells(task$store, row, cells)
    stored <- proc.time()[[3]]
  }
  cells
}

# The scores of one measure in a block: a matrix whose entry i, j is the score of x = i and y = j.
block_matrix <- function(block, m, symmetric) {
  scores <- matrix(NA_real_, length(block$at), length(block$at))
  at <- as.matrix(block$pairs)
  known <- !vapply(block$cells[, m], is.null, NA)
  value <- vapply(block$cells[known, m], function(cell) cell$score, 0)
  scores[at[known, , drop = FALSE]] <- value
  if (symmetric) scores[at[known, 2:1, drop = FALSE]] <- value
  scores
}

# The table that similarity_scores() gives.
score_table <- function(blocks, columns, names) {
  rows <- lapply(seq_along(columns), function(m) {
    each <- lapply(blocks, function(block) {
      known <- which(!vapply(block$cells[, m], is.null, NA))
      cells <- block$cells[known, m]
      error <- vapply(cells, function(cell) {
        if (is.null(cell$failure)) NA_character_ else cell$failure
      }, "")
      data.frame(x = names[block$at][block$pairs$i[known]],
                 y = names[block$at][block$pairs$j[known]], measure = rep_len(
                   columns[[m]]$label, length(known)),
                 score = vapply(cells, function(cell) cell$score, 0),
                 direction = rep_len(columns[[m]]$direction, length(known)), error = error)
    })
    do.call(rbind, each)
  })
  table <- do.call(rbind, rows)
  rownames(table) <- NULL
  table
}
