# score_interval() of files, in the tiles of their grid: the deletions of a tile are made while its
# data are there.

#' @include compare-files.R
NULL

# list(scores, columns, factors), as score_interval() makes them of all data at once.
interval_of_files <- function(task, threads) {
  halves <- vapply(task$set, function(measure) way_of(measure, task)$name == "half-samples", NA)
  # the same in all tiles
  if (any(halves)) task$halves <- draw_halves(task$n, task$settings$draws, task$codes)
  most <- how_many_fit(task$set, all_representations(task$sides), FALSE)
  samples <- if (any(task$settings$neurons)) neuron_samples(task)
  # tables of deletions are as large as the data of both sides, for each pair of a tile
  if (length(samples)) most <- max(2, floor(sqrt(1 + 2 * most)) - 1)
  tiles <- file_tiles(task$pairs, task$sides, most)
  k <- length(task$set)
  rows <- lapply(tiles, function(pairs) rep((pairs - 1) * k, each = k) + seq_len(k))
  tile_of <- rep(seq_along(rows), lengths(rows))[order(unlist(rows))]
  samples <- lapply(samples, function(sample) {
    c(sample, shared = length(unique(tile_of[sample$rows])) > 1)
  })
  kept <- vapply(samples, function(s) as.double(s$shared) * s$size * length(s$rows), 0)
  check_memory(8 * units_of(task$n, task$codes) * sum(kept), "The deletions of the neurons",
               "over = \"stimuli\" needs none, and fewer stimuli or neurons need less.")
  job <- list(run = interval_tile, set = task$set, here = TRUE, samples = samples, k = k,
              task = task[setdiff(names(task), c("sides", "pairs"))])
  parts <- run_tiles(tiles, task$pairs, task$sides, job, threads, "The grid")
  found <- lapply(parts, function(part) part$result)
  join <- function(name) do.call(c, lapply(found, `[[`, name))[order(unlist(rows))]
  columns <- join("columns")
  tables <- join("tables")
  factors <- lapply(seq_along(samples), function(s) {
    own <- Filter(length, lapply(found, function(one) one$samples[[s]]))
    if (!samples[[s]]$shared) return(own[[1]])
    without <- do.call(rbind, lapply(own, `[[`, "without"))
    without <- without[order(unlist(lapply(own, `[[`, "rows"))), , drop = FALSE]
    neuron_factor(samples[[s]], task, columns, tables, function(at) without[, at, drop = FALSE])
  })
  list(scores = as.vector(t(report_tiles(parts, tiles, 1))), columns = columns, factors = factors)
}

# The scores of a tile with their deletions. Samples of neurons that other tiles have, too, become
# factors later: here are their columns without each unit.
interval_tile <- function(tile, job, run) {
  sides <- tile_sides(tile)
  cells <- score_cells(tile$pairs, sides, job$set, "stop", new.env(), run, TRUE)
  # with their data they go to workers as any others
  for (name in c("x", "y")) {
    sides[[name]]$reprs <- lapply(sides[[name]]$reprs, replace, "source", list(NULL))
  }
  task <- c(job$task, list(sides = sides, pairs = tile$pairs))
  task$scores <- as.vector(t(cells$cells$score))
  tables <- neuron_tables(task)
  rows <- rep((tile$rows - 1) * job$k, each = job$k) + seq_len(job$k)
  columns <- stimulus_columns(task, tables)
  samples <- lapply(job$samples, function(sample) {
    here <- sample$rows %in% rows
    if (!any(here)) return(NULL)
    own <- list(rows = sample$rows[here])
    sample$rows <- match(own$rows, rows)
    sample$units <- sample$units[here]
    if (!sample$shared) return(replace(neuron_factor(sample, task, columns, tables), "rows", own))
    without <- lapply(units_at_a_time(sample$size, task$n), function(at) {
      columns_without_units(sample, at, task, tables)
    })
    c(own, list(without = do.call(cbind, unname(without))))
  })
  list(cells, columns = columns, tables = lapply(tables, `[`, "centered"), samples = samples)
}
