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
  named <- names_or_empty(given)
  unknown <- setdiff(named, calibration_names)
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
  abort("Unused arguments in `...`: ", enumerate(names), "; ", why, ". With calibrated = TRUE, ",
        "`...` takes ", enumerate(calibration_names, 20), ".",
        class = "repalign_error_parameter", arg = "...")
}

# What tiles need to calibrate: settings, and the permutations of each measure. All pairs and
# measures with the same engine see the same permutations.
calibration_task <- function(calibration, ready, sides, pairs) {
  n <- ready$sides$x$reprs[[1]]$n
  check_rows(n, 2, sides$x$reprs[[1]]$arg, "a permutation")
  set <- Filter(has_permutations, ready$set)
  engine <- calibration$engine
  plan <- permutation_plan(n, cut_permutations(calibration$permutations, ready$rows),
                           cut_blocks(calibration$blocks, ready), calibration$series, engine,
                           ready$clusters)
  if (engine != "moments") check_null_memory(plan$count, nrow(pairs), length(set))
  check_grid_memory(set, sides, if (calibration$series == "linear") "linear" else engine)
  if (calibration$series == "circular") warn_slow_series(pairs, sides)
  designs <- if (engine != "moments") {
    lapply(ready$set, function(m) if (has_permutations(m)) design_for(m, plan, engine))
  }
  settings <- list(alpha = calibration$alpha, variant = calibration$variant, p_adjust = "none",
                   engine = engine)
  note_few_permutations(Filter(Negate(is.null), designs), settings)
  list(settings = settings, designs = designs)
}

# Gated scores are all 0 where no score can exceed its threshold.
note_few_permutations <- function(designs, settings) {
  if (!length(designs) || settings$variant != "gated") return(invisible())
  counts <- vapply(designs, function(design) as.double(design$count), 0)
  most <- max(vapply(designs, function(design) as.double(design$most), 0))
  note_unattainable(data.frame(permutations = counts), settings, most)
}

# The calibrated score of a perfect match: 1 where the variant is a scale that ends there.
calibrated_best <- function(measure, calibration) {
  bounded <- calibration$variant %in% c("gated", "ari") && !is.na(limit_of(measure))
  if (bounded) 1 else NA_real_
}

has_permutations <- function(measure) isTRUE(measure$declaration$pairing)

calibrated_cells <- function(pairs, rows, sides, task, run) {
  cells <- matrix(list(), nrow(pairs), length(task$set))
  advance <- progress_along(length(task$set))
  if (is.null(sides$x$reprs[[1]]$whole)) prepare_grams(Filter(has_permutations, task$set), sides)
  for (m in seq_along(task$set)) {
    at <- which(task$wanted[rows, m])
    if (length(at)) {
      cells[at, m] <- calibrated_column(task$set[[m]], m, pairs[at, ], sides, task, run)
      for (p in at) store_cells(task$store, rows[p], cells[p, ])
    }
    advance()
  }
  list(cells = cells, warnings = run$warnings)
}

# The cells of one measure. Where one pair fails, each is tried by itself, so that the others go on.
calibrated_column <- function(measure, m, pairs, sides, task, run) {
  if (!has_permutations(measure)) {
    reason <- paste0(measure$label, " has no permutation null, as it does not depend on the ",
                     "pairing of the stimuli.")
    return(rep(list(list(score = NA_real_, undefined = TRUE, reason = reason)), nrow(pairs)))
  }
  run$at <- c(1, m)
  tryCatch(calibrated_pairs(measure, m, pairs, sides, task, run), error = function(e) {
    if (nrow(pairs) == 1) {
      return(list(list(score = NA_real_, undefined = FALSE, failure = conditionMessage(e))))
    }
    unlist(lapply(seq_len(nrow(pairs)), function(p) {
      calibrated_column(measure, m, pairs[p, ], sides, task, run)
    }), recursive = FALSE)
  })
}

calibrated_pairs <- function(measure, m, pairs, sides, task, run) {
  settings <- task$calibration$settings
  plan <- list(fixed = task$calibration$designs[[m]])
  score <- function(pairs, sides, set, on_error, drawn) {
    found <- score_cells(pairs, sides, set, "stop", drawn, run)
    cell_scores(found$cells)
  }
  null <- measure_null(measure, pairs, sides, plan, settings$engine, score)
  if (settings$engine == "moments") {
    check_laws(list(null), list(measure), named_pairs(pairs, sides))
  }
  report_permuted(measure, null$warned, null$said)
  rows <- single_rows(null, measure, pair_names(pairs, sides), settings)$rows
  lapply(rows$calibrated, function(value) {
    undefined <- is.na(value)
    list(score = value, undefined = undefined, failure = NULL,
         reason = if (undefined) paste(measure$label, "has an undefined score or null score, or",
                                       "no best value, so that it cannot be calibrated."))
  })
}
