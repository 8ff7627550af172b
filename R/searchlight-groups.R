# The centres of a searchlight are worked off in groups: here, or on the workers of the user's
# future plan.

# Returns what score_centers() gives for all centres.
run_centers <- function(neighbours, source, job, threads) {
  named <- stats::setNames(neighbours, center_labels(neighbours))
  groups <- center_groups(lengths(named), job)
  parts <- if (worker_count() > 0) groups_of_workers(groups, named, source, job, threads) else
    groups_in_turn(groups, named, source, job)
  bound <- function(name) do.call(rbind, lapply(parts, function(part) part[[name]]))
  largest <- lapply(parts, function(part) part$largest)
  list(scores = bound("scores"), p_values = bound("p_values"), largest = do.call(pmax, largest),
       failed = unlist(lapply(parts, function(part) part$failed)),
       warnings = unlist(lapply(parts, function(part) part$warnings), recursive = FALSE),
       errors = unlist(lapply(parts, function(part) part$error), recursive = FALSE),
       used = any(vapply(parts, function(part) isTRUE(part$used), NA)))
}

center_labels <- function(neighbours) {
  if (is.null(names(neighbours))) as.character(seq_along(neighbours)) else names(neighbours)
}

# A group takes about 128 MB, and is an eighth of the centres at most, so that there is progress to
# see and work for several workers. It does not depend on their number.
center_groups <- function(sizes, job) {
  n <- as.double(job$n)
  each <- 8 * (6 * n^2 + n * max(sizes) + 4 * (job$design$count + 1) * length(job$models))
  count <- length(sizes)
  at_once <- max(1, min(floor(2^27 / each), ceiling(count / 8), 250))
  unname(split(seq_len(count), (seq_len(count) - 1) %/% at_once))
}

groups_in_turn <- function(groups, neighbours, source, job) {
  advance <- progress_along(length(groups))
  started <- proc.time()[[3]]
  parts <- vector("list", length(groups))
  for (k in seq_along(groups)) {
    parts[[k]] <- score_centers(source, neighbours[groups[[k]]], job)
    if (k == 1) {
      announce_duration(started, 1, length(groups), "The searchlight",
                        "Fewer permutations or centres take less, and workers share the centres.")
    }
    advance()
  }
  parts
}

groups_of_workers <- function(groups, neighbours, source, job, threads) {
  # a group holds only what it needs, which is sent whatever its size
  old <- options(future.globals.maxSize = Inf)
  on.exit(options(old))
  settings <- list(repalign.threads = if (is.null(threads)) 1L else thread_count(threads),
                   repalign.max_memory = getOption("repalign.max_memory"))
  job$models <- lapply(job$models, without_forms)
  own <- if (is_own(job$measure)) job$measure$declaration$fun
  needs <- needs_of_functions(list(own, source$noise$precision))
  advance <- progress_along(length(groups))
  tasks <- lapply(groups, function(at) part_of_source(source, neighbours[at]))
  future.apply::future_lapply(tasks, worker_group, job, settings, advance, future.chunk.size = 1,
                              future.globals = needs$globals,
                              future.packages = c("repalign", needs$packages))
}

worker_group <- function(task, job, settings, advance) {
  old <- options(settings)
  on.exit(options(old))
  part <- score_centers(task$source, task$neighbours, job)
  part$used <- isTRUE(job$models[[1]]$cache$choices$used)
  advance()
  part
}

# Those of the first error, or of data without variance where there was none.
error_classes <- function(errors) {
  errors <- Filter(Negate(is.null), errors)
  if (!length(errors)) return("repalign_error_variance")
  setdiff(class(errors[[1]]), c("repalign_error", "error", "condition"))
}

# One warning for all centres without a score, and one for all p-values that lack beside a score.
report_centers <- function(found, neighbours, count) {
  failed <- found$failed
  if (all(is.na(found$scores))) {
    abort("No centre has a score. First, centre ", dQuote(names(failed)[1], FALSE), ": ",
          failed[[1]], class = error_classes(found$errors), arg = "data")
  }
  if (length(failed)) {
    warn(count_of(length(failed), "centre"), " of ", length(neighbours), " ",
         if (length(failed) == 1) "is" else "are", " undefined (NA). First, centre ",
         dQuote(names(failed)[1], FALSE), ": ", failed[[1]], class = "repalign_undefined",
         data = names(failed))
  }
  lost <- count > 0 & !is.na(found$scores) & is.na(found$p_values)
  if (any(lost)) {
    warn(sum(lost), " of ", length(lost), " scores have no p-value (NA), because scores of ",
         "permuted data are undefined.", class = "repalign_undefined", data = sum(lost))
  }
  report_warnings_of_centers(found)
}

# One warning for each kind that single centres gave.
report_warnings_of_centers <- function(found) {
  kinds <- vapply(found$warnings, function(w) class(w$warning)[1], "")
  for (same in split(found$warnings, factor(kinds, unique(kinds)))) {
    first <- same[[1]]
    centers <- unique(vapply(same, function(w) w$name, ""))
    warn("Centre ", dQuote(first$name, FALSE), ": ", conditionMessage(first$warning),
         if (length(centers) > 1) paste0(" (And ", length(centers) - 1, " more centres.)"),
         class = setdiff(class(first$warning), c("repalign_warning", "warning", "condition")),
         data = centers)
  }
}
