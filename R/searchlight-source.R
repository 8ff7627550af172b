# What the centers of a searchlight are cut from: patterns of conditions over all channels, averaged
# over observations, or kept for each run.

# kind "patterns": `values`, conditions x channels. kind "runs": `values`, the patterns of all runs
# one below the other, centred over the conditions of a run, with zeros for conditions that a run
# lacks; `present`, conditions x runs. channels: the columns of the user's data that `values` has,
# which are all of them but in a part that is sent to a worker. noise: see check_noise().
center_source <- function(data, condition, run, noise, measure) {
  if (is.array(data) && length(dim(data)) == 3) {
    if (!is.null(condition) || !is.null(run)) {
      abort("`data` is an array with repeats, which are its runs: leave out `condition` and ",
            "`run`.", class = "repalign_error_choice", arg = "data")
    }
    long <- array_observations(data)
    data <- long$values
    condition <- long$condition
    run <- long$run
  }
  x <- as_numeric_matrix(data, "data")
  source <- if (!is.null(run)) run_source(x, condition, run) else pattern_source(x, condition)
  source$channels <- seq_len(ncol(x))
  source$noise <- check_noise(noise, source, measure)
  source
}

# The rows of an array conditions x channels x repeats. A slice that is NA as a whole is a missing
# cell.
array_observations <- function(data) {
  size <- dim(data)
  names <- dimnames(data)[[1]]
  if (is.null(names)) names <- seq_len(size[1])
  values <- matrix(aperm(data, c(1, 3, 2)), size[1] * size[3])
  kept <- rowSums(!is.na(values)) > 0
  condition <- factor(rep(names, size[3]), unique(names))
  list(values = values[kept, , drop = FALSE], condition = condition[kept],
       run = rep(seq_len(size[3]), each = size[1])[kept])
}

pattern_source <- function(x, condition) {
  if (is.null(condition)) {
    return(list(kind = "patterns", values = x, n = nrow(x), labels = rownames(x)))
  }
  condition <- sorted_labels(condition, "condition", nrow(x))
  values <- rowsum(x, as.integer(condition)) / as.vector(table(condition))
  list(kind = "patterns", values = unname(values), n = nlevels(condition),
       labels = levels(condition))
}

run_source <- function(x, condition, run) {
  if (is.null(condition)) condition <- rownames(x)
  if (is.null(condition)) {
    abort("With `run`, the conditions of the observations must be known: give `condition`, or row ",
          "names.", class = "repalign_error_labels", arg = "condition")
  }
  condition <- sorted_labels(condition, "condition", nrow(x))
  run <- sorted_labels(run, "run", nrow(x))
  n <- nlevels(condition)
  repeats <- table(condition, run)
  present <- matrix(repeats > 0, n)
  check_run_cells(present, levels(condition))
  cell <- (as.integer(run) - 1L) * n + as.integer(condition)
  values <- matrix(0, n * nlevels(run), ncol(x))
  values[which(present), ] <- rowsum(x, cell) / repeats[present]
  for (m in seq_len(nlevels(run))) {
    rows <- (m - 1) * n + which(present[, m])
    values[rows, ] <- values[rows, ] - rep(colMeans(values[rows, , drop = FALSE]),
                                           each = length(rows))
  }
  list(kind = "runs", values = values, present = present, n = n, labels = levels(condition))
}

check_run_cells <- function(present, labels) {
  if (ncol(present) < 2) {
    abort("`run` has a single label, but crossnobis estimates need two runs or more: leave out ",
          "`run` to compare the patterns as they are.", class = "repalign_error_labels",
          arg = "run")
  }
  few <- which(tcrossprod(present) < 2 & row(diag(nrow(present))) < col(diag(nrow(present))),
               arr.ind = TRUE)
  if (nrow(few)) {
    abort("`run` has fewer than two runs with both conditions for ", nrow(few), " of the pairs of ",
          "conditions, first ", dQuote(labels[few[1, 1]], FALSE), " and ",
          dQuote(labels[few[1, 2]], FALSE), ": leave out conditions that few runs have.",
          class = "repalign_error_labels", arg = "run")
  }
}

# A factor of labels, in the order of levels, or sorted in the same way in all locales. Levels
# without a row are left out.
sorted_labels <- function(labels, arg, rows) {
  if (!is.atomic(labels) || !is.null(dim(labels)) || length(labels) != rows || anyNA(labels)) {
    abort("`", arg, "` must have one label for each of the ", rows, " rows of `data`, none of them ",
          "missing.", class = "repalign_error_labels", arg = arg)
  }
  if (is.factor(labels)) return(droplevels(labels))
  known <- unique(labels)
  factor(labels, known[order(known, method = "radix")])
}

# The part of a call that a worker needs for some centers: list(source, neighbours), where the
# source has only their channels, and the neighbours are columns of this source.
part_of_source <- function(source, neighbours) {
  columns <- sort(unique(unlist(neighbours)))
  source$values <- source$values[, columns, drop = FALSE]
  source$noise <- part_of_noise(source$noise, columns)
  source$channels <- source$channels[columns]
  list(source = source, neighbours = lapply(neighbours, match, columns))
}

# The representation of one center: its patterns, or its crossnobis RDM. at: its columns of the
# source; labels: with the names of the conditions?
center_repr <- function(source, at, name, labels = FALSE) {
  values <- source$values[, at, drop = FALSE]
  x <- if (source$kind == "runs") {
    crossnobis(values, source$present, source$noise, source$channels[at], at)
  } else {
    whitened_patterns(values, source$noise, source$channels[at], at)
  }
  if (source$kind == "patterns") dimnames(x) <- if (labels) list(source$labels, NULL)
  if (labels && source$kind == "runs") attr(x, "Labels") <- source$labels
  representation(x, name, name, side = "x")
}
