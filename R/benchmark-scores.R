# The scores of a benchmark: taken from a table, from a cache on disk, or computed, plain or
# calibrated.

# ---- scores

# The scores of a benchmark: taken from a table, from the cache, or computed, each representation
# read and prepared once for all measures.

# What is benchmarked: list(label, direction, best, symmetric, measure, given) for each measure,
# where `measure` is NULL when only its scores are given. data: the representations, or NULL where
# these are in files.
benchmark_columns <- function(set, job, data) {
  if (any(vapply(data, is_responses, NA))) {
    side <- list(reprs = lapply(unname(data), representation, "representations", allow_na = TRUE))
    settled <- suppressMessages(settled_set(set, list(x = side, y = side)))
    set <- Map(replace, set, "label", lapply(settled, `[[`, "label"))
  }
  labels <- vapply(set, function(m) m$label, "")
  given <- job$given
  tables <- names(given$tables)
  # tables of other programs do not say that a CKA is naive
  plain <- sub("(naive)", "", labels, fixed = TRUE)
  labels <- ifelse(!labels %in% tables & plain %in% tables, plain, labels)
  names(set) <- labels
  lapply(union(labels, tables), function(label) {
    known <- if (label %in% labels) set[[label]]
    if (label %in% tables) return(given_column(given, label, known))
    calibrated <- !is.null(job$calibration)
    list(label = label, measure = known, given = FALSE, symmetric = is_symmetric(known),
         direction = if (calibrated) "similarity" else known$declaration$direction,
         best = if (calibrated) {
           # 1 where the variant is a scale that ends at a perfect match
           ends <- job$calibration$variant %in% c("gated", "ari") && !is.na(limit_of(known))
           if (ends) 1 else NA_real_
         } else {
           # The score of what is alike in all that the measure sees. A distance of the user's is
           # taken to end at 0 unless it says otherwise.
           best <- as.double(best_of(known$declaration, known$args))
           if (is.na(best) && known$declaration$direction == "distance") 0 else best
         })
  })
}

# The measures of a benchmark. Where a table of scores is given and no measures are named, those of
# the table are all.
chosen_measures <- function(measures, default, job) {
  if (default && !is.null(job$given)) return(list())
  in_words_of_call(as_measures(measures), "measure", "measures")
}

# Files are read only when the cache lacks scores; what is in memory is checked in any case.
computed_cells <- function(items, at, pairs, set, wanted, job) {
  ready <- if (is.null(items$files)) ready_grid(items, at, set, job$calibration, job$na)
  if (!is.null(ready)) set <- ready$set
  # what a grid needs to find its cells, or NULL without a cache
  store <- if (!is.null(job$cache)) {
    if (!is.null(items$files)) check_files(items, at)
    # what representations contain, as short texts
    contents <- if (is.null(items$files)) unname(vapply(items$data[at], hash_of, "")) else
      unname(tools::md5sum(path.expand(items$files[at])))
    if (!is.null(items$arrays)) {
      contents <- vapply(seq_along(at), function(k) {
        hash_of(list(contents[k], items$arrays[at[k]]))
      }, "")
    }
    low <- pmin(contents[pairs$i], contents[pairs$j])
    high <- pmax(contents[pairs$i], contents[pairs$j])
    order <- ifelse(contents[pairs$i] == low, "xy", "yx")
    measures <- vapply(set, measure_key, "", job$calibration)
    keys <- outer(order, seq_along(set), function(order, m) {
      paste(measures[m], ifelse(vapply(set[m], is_symmetric, NA), "both", order))
    })
    list(files = file.path(job$cache, paste0(low, "-", high, ".rds")), keys = keys)
  }
  # the cells that the cache has: a matrix, pairs x measures, with NULL for what it has not
  cells <- matrix(list(), nrow(wanted), ncol(wanted))
  if (!is.null(store)) {
    for (file in unique(store$files[rowSums(wanted) > 0])) {
      rows <- which(store$files == file)
      known <- read_stored(file)
      for (p in rows) cells[p, wanted[p, ]] <- unname(known[store$keys[p, wanted[p, ]]])
    }
  }
  lacking <- wanted & vapply(cells, is.null, NA)
  if (!any(lacking)) return(list(cells = cells))
  rows <- which(rowSums(lacking) > 0)
  used <- seq_along(at)
  if (is.null(ready)) {
    used <- sort(unique(unlist(pairs[rows, ])))
    ready <- ready_grid(items, at[used], set, job$calibration, job$na)
  }
  task <- list(set = ready$set, wanted = lacking[rows, , drop = FALSE], threads = job$threads,
               store = if (!is.null(store)) {
                 list(files = store$files[rows], keys = store$keys[rows, , drop = FALSE])
               })
  missing <- data.frame(i = match(pairs$i[rows], used), j = match(pairs$j[rows], used))
  found <- run_grid(missing, ready, task, job$calibration)
  cells[rows, ][task$wanted] <- found$cells[task$wanted]
  list(cells = cells, warnings = found$warnings)
}

# Reads the representations at some positions and opens a call of them.
ready_grid <- function(items, at, set, calibration, na) {
  # those in files are read
  reprs <- if (!is.null(items$data)) items$data[at] else {
    refuse_if(is.null(items$files), "type", "`{items$arg}` gives only names, but not all measures ",
              "are in `scores`: give the representations, or the scores of all measures.")
    check_files(items, at)
    stats::setNames(read_files(items$files[at], items$arrays[at]), items$names[at])
  }
  if (!is.null(items$models)) {
    reprs <- stats::setNames(list(stats::setNames(reprs, items$layers[at])), items$models[at[1]])
  }
  side <- as_side(reprs, items$arg, na != "error")
  side$reprs <- lapply(side$reprs, replace, "side", "x")
  given <- side$reprs
  refuse_if(!is.null(calibration) && isFALSE(calibration$series) &&
              !is.null(declared_times(given)), "choice", "`series` of responses() declares a time ",
            "series, whose stimuli are not exchangeable: give series = \"linear\".")
  side$reprs <- with_common_stimuli(given, names_count(set))
  # Which representation comes first depends on what the cache has, so that it cannot tell what
  # values without names are for.
  reordered <- !identical(lapply(given, `[[`, "data"), lapply(side$reprs, `[[`, "data"))
  for (arg in c("clusters", "blocks")) {
    values <- calibration[[arg]]
    refuse_if(reordered && !is.null(values) && is.null(names(values)), "names", "`{arg}` has no ",
              "names, and the representations have their stimuli in different orders: name its ",
              "values by the stimuli.")
  }
  sides <- list(x = side, y = side, self = TRUE, same = FALSE, models = side$is_models)
  open_sides(sides, set, na, clusters = calibration$clusters, relabel = FALSE,
             use = if (is.null(calibration)) "scores" else "null",
             series = if (is.null(calibration)) FALSE else calibration$series)
}

# Computes the cells of a grid, in tiles where there are workers or little memory. task: `set`,
# `wanted` (which cells), `store`, `threads`.
run_grid <- function(pairs, ready, task, calibration) {
  sides <- ready$sides
  if (is.null(calibration)) {
    check_grid_memory(task$set, sides)
  } else {
    # tiles need settings, and the permutations of each measure: all pairs and measures with the
    # same engine see the same
    engine <- calibration$engine
    permuted <- vapply(ready$set, has_permutations, NA)
    plan <- plan_of_call(ready, ready$set[permuted], pairs, calibration$permutations,
                         calibration$blocks, calibration$series, engine)
    set <- replace(ready$set, permuted, plan$set)
    if (calibration$series == "circular") warn_slow_series(pairs, sides)
    designs <- if (engine != "moments") {
      lapply(set, function(m) if (has_permutations(m)) design_for(m, plan, engine))
    }
    settings <- list(alpha = calibration$alpha, variant = calibration$variant, p_adjust = "none",
                     engine = engine)
    drawn <- Filter(Negate(is.null), designs)
    # gated scores are all 0 where no score can exceed its threshold
    if (length(drawn) && settings$variant == "gated") {
      counts <- vapply(drawn, function(design) as.double(design$count), 0)
      most <- max(vapply(drawn, function(design) as.double(design$most), 0))
      note_unattainable(counts, settings, most)
    }
    task[c("calibration", "set")] <- list(list(settings = settings, designs = designs), set)
  }
  task$run <- function(tile, job, run) grid_cells(tile$pairs, tile$rows, tile_sides(tile), job, run)
  # tiles hold what they need, so that nothing else is sent to workers with it
  environment(task$run) <- topenv()
  most <- how_many_fit(task$set, all_representations(sides), !is.null(calibration))
  rows <- cut_into_tiles(pairs, sides, most)
  if (is.null(rows)) return(grid_cells(pairs, seq_len(nrow(pairs)), sides, task, new.env()))
  parts <- run_tiles(rows, pairs, sides, task, task$threads, "The grid of the benchmark")
  found <- lapply(parts, function(part) part$result)
  cells <- do.call(rbind, lapply(found, function(f) f$cells))[order(unlist(rows)), , drop = FALSE]
  list(cells = cells, warnings = unlist(lapply(found, function(f) f$warnings), recursive = FALSE))
}

# rows: which rows of the grid the pairs are.
grid_cells <- function(pairs, rows, sides, task, run) {
  cells <- matrix(list(), nrow(pairs), length(task$set))
  if (!is.null(task$calibration)) {
    advance <- progress_along(length(task$set))
    if (is.null(sides$x$reprs[[1]]$whole)) prepare_grams(Filter(has_permutations, task$set), sides)
    for (m in seq_along(task$set)) {
      at <- which(task$wanted[rows, m])
      if (length(at)) {
        cells[at, m] <- calibrated_column(task$set[[m]], m, pairs[at, ], sides, task, run)
      }
      for (p in at) store_cells(task$store, rows[p], cells[p, ])
      advance()
    }
    return(list(cells = cells, warnings = run$warnings))
  }
  # the wanted scores of measures whose grid is one product (compare-dots.R), NA for all other cells
  at_once <- matrix(NA_real_, nrow(pairs), length(task$set))
  for (m in seq_along(task$set)) {
    at <- which(task$wanted[rows, m])
    own <- new.env()
    found <- dot_scores(task$set[[m]], m, pairs[at, ], sides, own)
    if (!is.null(found)) at_once[at, m] <- found
    run$warnings <- c(run$warnings, lapply(own$warnings, function(w) {
      w$at[1] <- at[w$at[1]]
      w
    }))
  }
  advance <- progress_along(nrow(pairs))
  for (p in seq_len(nrow(pairs))) {
    pair <- side_pair(sides, pairs$i[p], pairs$j[p])
    cells[p, ] <- cells_of_pair(pair, task, rows[p], c(p, 0), run, at_once[p, ])
    advance()
  }
  list(cells = cells, warnings = in_order_of_cells(run$warnings))
}

# The cells of one pair, which are stored when they are done or interrupted, and at every second.
# at_once: the scores that are known already, or NA.
cells_of_pair <- function(pair, task, row, place, run, at_once) {
  cells <- vector("list", length(task$set))
  on.exit(store_cells(task$store, row, cells))
  stored <- proc.time()[[3]]
  for (m in which(task$wanted[row, ])) {
    run$at <- replace(place, 2, m)
    cells[[m]] <- wanted_cell(pair, task$set[[m]], at_once[m], run)
    if (proc.time()[[3]] - stored < 1) next
    store_cells(task$store, row, cells)
    stored <- proc.time()[[3]]
  }
  cells
}

# score: NA unless it is known already.
wanted_cell <- function(pair, measure, score, run) {
  if (is.na(score)) return(one_cell(pair, measure, "na", run, new.env()))
  list(score = score, undefined = FALSE, failure = NULL, reason = NULL)
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

# ---- the cache

# The cache of a benchmark: scores on disk, so that an interrupted run resumes where it stopped.

# A folder holds a file for each pair of representations, whose name is made of what both contain.
# The file is a list of cells (see one_cell()); their names are made of the measure with its
# arguments and, where the measure is not symmetric, of the order of the pair. What failed is not
# kept, so that it is tried again.

# A file that was cut short, by a full disk perhaps, counts as none.
read_stored <- function(file) {
  if (!file.exists(file)) return(list())
  known <- catch_error(readRDS(file), failed = function(e) NULL, warning = function(w) NULL)
  if (is.list(known)) known else list()
}

# Adds the cells of the pair in one row. The file is replaced at once by a whole new one, and what
# another process has added in the meantime is kept.
store_cells <- function(store, row, cells) {
  if (is.null(store)) return(invisible())
  good <- vapply(cells, function(cell) !is.null(cell) && is.null(cell$failure), NA)
  if (!any(good)) return(invisible())
  file <- store$files[row]
  known <- read_stored(file)
  known[store$keys[row, good]] <- cells[good]
  part <- tempfile("part-", dirname(file))
  saveRDS(known, part, compress = FALSE)
  file.rename(part, file)
}

# The key of a measure with its arguments. Another version of the package may compute other scores.
measure_key <- function(measure, extra) {
  d <- measure$declaration
  own <- if (is_own(measure)) list(function_parts(d$fun), d$direction, d$symmetric, d$best)
  hash_of(list(measure$id, measure$args, own, extra,
               as.character(utils::packageVersion("repalign"))))
}

# ---- calibrated scores

# Calibrated scores for a benchmark: each score against those of permuted stimuli.

calibration_names <- c("permutations", "alpha", "variant", "blocks", "series", "engine", "clusters")

# The arguments of calibrate() among `...`, checked; NULL where scores are not calibrated.
calibration_arguments <- function(calibrated, ...) {
  check_flag(calibrated, "calibrated")
  given <- list(...)
  if (!calibrated) {
    if (length(given)) refuse_calibration(names_or_empty(given), "calibrated = TRUE was not set")
    return(NULL)
  }
  unknown <- setdiff(names_or_empty(given), calibration_names)
  if (length(unknown)) refuse_calibration(unknown, "they are not arguments for calibrate() here")
  defaults <- list(permutations = 999, alpha = 0.05, variant = variants, blocks = NULL,
                   series = FALSE, engine = engines, clusters = NULL)
  args <- utils::modifyList(defaults, given, keep.null = TRUE)
  args$alpha <- check_number(args$alpha, "alpha", above = 0, below = 1)
  args$variant <- check_choice(args$variant, variants, "variant")
  args$engine <- check_choice(args$engine, engines, "engine")
  args$series <- check_series(args$series)
  args
}

refuse_calibration <- function(names, why) {
  names[!nzchar(names)] <- "(without a name)"
  refuse("parameter", "Unused arguments in `...`: {enumerate(names)}; {why}. With calibrated = ",
         "TRUE, `...` takes {enumerate(calibration_names, 20)}.")
}

# The cells of one measure. Where one pair fails, each is tried by itself, so that the others go on.
calibrated_column <- function(measure, m, pairs, sides, task, run) {
  if (!has_permutations(measure)) {
    reason <- paste0(measure$label, " has no permutation null, as it does not depend on the ",
                     "pairing of the stimuli.")
    return(rep(list(list(score = NA_real_, undefined = TRUE, reason = reason)), nrow(pairs)))
  }
  run$at <- c(1, m)
  settings <- task$calibration$settings
  catch_error({
    null <- measure_null(measure, pairs, sides, fixed_plan(task$calibration$designs[[m]]),
                         settings$engine, function(pairs, sides, set, on_error, drawn) {
                           score_cells(pairs, sides, set, "stop", drawn, run)$cells$score
                         })
    if (settings$engine == "moments") {
      check_laws(list(null), list(measure), named_pairs(pairs, sides))
    }
    report_permuted(measure, null$warned, null$said)
    rows <- single_rows(null, measure, pair_names(pairs, sides), settings)$rows
    reason <- paste(measure$label, "has an undefined score or null score, or no best value, so",
                    "that it cannot be calibrated.")
    lapply(rows$calibrated, function(value) {
      undefined <- is.na(value)
      list(score = value, undefined = undefined, failure = NULL, reason = if (undefined) reason)
    })
  }, failed = function(e) {
    if (nrow(pairs) == 1) {
      return(list(list(score = NA_real_, undefined = FALSE, failure = conditionMessage(e))))
    }
    unlist(lapply(seq_len(nrow(pairs)), function(p) {
      calibrated_column(measure, m, pairs[p, ], sides, task, run)
    }), recursive = FALSE)
  })
}
