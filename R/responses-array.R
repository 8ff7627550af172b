# responses() of arrays and matrices: their labels are checked, and presentations become an array.

array_responses <- function(x, given) {
  if (!is.numeric(x) && !is.logical(x)) {
    abort("`x` must be an array of numbers, not ", describe(x), " of type ", typeof(x), ".",
          class = "repalign_error_type", arg = "x")
  }
  size <- dim(x)
  if (!all(size > 0)) {
    abort("`x` has ", paste(size, collapse = " x "), " entries: there is nothing to compare.",
          class = "repalign_error_size", arg = "x")
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  x <- known_values(x)
  names <- if (is.null(dimnames(x))) vector("list", 3) else unname(dimnames(x))
  if (!is.null(given$stimulus)) names[[1]] <- array_stimuli(given$stimulus, size[1])
  columns <- column_labels(given, size[2], names[[2]])
  dimnames(x) <- if (!is.null(columns$names) || any(lengths(names) > 0)) {
    list(names[[1]], columns$names, names[[3]])
  }
  trial <- if (is.null(given$trial)) names[[3]] else given$trial
  if (is.null(trial)) trial <- seq_len(size[3])
  trial <- slot_labels(trial, size, "trial")
  check_different_trials(trial, x)
  if (!is.null(given$trial)) dimnames(x) <- trial_names(dimnames(x), trial)
  list(values = x, trial = trial,
       event = if (!is.null(given$event)) slot_labels(given$event, size, "event"),
       neuron = columns$neuron, session = columns$session,
       cluster = row_labels(given$cluster, size[1], "cluster", "stimulus", TRUE))
}

# Infinite values are no responses; NaN is a missing one, as NA is.
known_values <- function(x) {
  infinite <- which(is.infinite(x))
  if (length(infinite)) {
    at <- arrayInd(infinite[1], dim(x))
    abort("`x` has ", count_of(length(infinite), "infinite value"), ", first at ",
          paste0("[", paste(at, collapse = ", "), "]"), ". Correct it, or set it to NA if the ",
          "response is not known.", class = "repalign_error_nonfinite", arg = "x")
  }
  if (anyNA(x)) x[is.na(x)] <- NA_real_
  attributes(x) <- attributes(x)[c("dim", if (!is.null(dimnames(x))) "dimnames")]
  x
}

array_stimuli <- function(stimulus, n) {
  labels <- row_labels(stimulus, n, "stimulus", "stimulus", FALSE)
  twice <- anyDuplicated(labels)
  if (twice) {
    abort("`stimulus` has the label ", dQuote(labels[twice], FALSE), " more than once, but each ",
          "row of an array is a stimulus. If rows are presentations, give a matrix with a row for ",
          "each of them.", class = "repalign_error_labels", arg = "stimulus")
  }
  labels
}

# One label a row, as text; `row` is what messages call a row.
row_labels <- function(labels, n, arg, row, allow_na) {
  if (is.null(labels)) return(NULL)
  labels <- plain_labels(labels, arg)
  if (length(labels) != n) {
    abort("`", arg, "` has ", count_of(length(labels), "label"), ", but `x` has ",
          count_of(n, "row"), ": give one label per ", row,
          if (allow_na) ", or NA for stimuli to leave out", ".",
          class = "repalign_error_labels", arg = arg)
  }
  if (!allow_na && anyNA(labels)) {
    abort("`", arg, "` has missing labels, first in row ", which(is.na(labels))[1],
          ": every row needs one.", class = "repalign_error_labels", arg = arg)
  }
  labels
}

plain_labels <- function(labels, arg) {
  if (!is.atomic(labels) || length(dim(labels)) > 1) {
    abort("`", arg, "` must be a vector of labels, not ", describe(labels), ".",
          class = "repalign_error_labels", arg = arg)
  }
  label_text(as.vector(labels))
}

# The labels of the columns, and their names: those of the data or, where these have none, different
# labels of neurons.
column_labels <- function(given, width, names) {
  neuron <- check_labels(given$neuron, width, "neuron", "x")
  session <- check_labels(given$session, width, "session", "x")
  if (!is.null(neuron)) neuron <- label_text(neuron)
  if (!is.null(session)) session <- label_text(session)
  if (is.null(names) && !anyDuplicated(neuron)) names <- neuron
  list(neuron = neuron, session = session, names = names)
}

# Labels of trials, one for each or in a matrix stimuli x trials, as a matrix of text.
slot_labels <- function(labels, size, arg) {
  if (is.data.frame(labels)) labels <- as.matrix(labels)
  if (!is.atomic(labels)) plain_labels(labels, arg)
  fits <- if (length(dim(labels)) == 2) all(dim(labels) == size[c(1, 3)]) else
    length(labels) == size[3]
  if (!fits) {
    had <- if (length(dim(labels)) == 2) paste(dim(labels), collapse = " x ") else length(labels)
    abort("`", arg, "` has ", had, " labels, but `x` has ", count_of(size[3], "trial"), " of ",
          count_of(size[1], "stimulus row"), ": give one label per trial, or a matrix stimuli x ",
          "trials (", size[1], " x ", size[3], ").", class = "repalign_error_labels", arg = arg)
  }
  by_row <- length(dim(labels)) != 2
  if (by_row && anyNA(labels)) {
    abort("`", arg, "` has missing labels, first at position ", which(is.na(labels))[1],
          ": every trial needs one.", class = "repalign_error_labels", arg = arg)
  }
  matrix(label_text(as.vector(labels)), size[1], size[3], byrow = by_row)
}

# Two trials of a stimulus cannot have one label.
check_different_trials <- function(trial, values) {
  trial[!recorded_slots(values)] <- NA
  twice <- apply(trial, 1, anyDuplicated, incomparables = NA)
  if (!any(twice > 0)) return(invisible())
  at <- which(twice > 0)[1]
  abort("`trial` has the label ", dQuote(trial[at, twice[at]], FALSE), " more than once for ",
        stimulus_title(values, at), ": trials of a stimulus need different labels. Labels of what ",
        "shares noise go into `event`.", class = "repalign_error_labels", arg = "trial")
}

# The names of trials that have the same label for all stimuli.
trial_names <- function(names, trial) {
  same <- all(trial == trial[rep(1, nrow(trial)), ], na.rm = FALSE)
  if (is.null(names)) names <- vector("list", 3)
  names[3] <- list(if (isTRUE(same)) trial[1, ])
  if (all(lengths(names) == 0)) NULL else names
}

matrix_responses <- function(x, given) {
  if (is_responses(x)) {
    abort("`x` is a responses object already: declare everything at once, from the data.",
          class = "repalign_error_type", arg = "x")
  }
  x <- double_matrix(x, "x")
  x <- known_values(without_mark(checked_columns(x)))
  presentation_responses(x, given)
}

checked_columns <- function(x) {
  refuse_identifiers(x, "x")
  x
}

# x: a matrix with a row for each presentation.
presentation_responses <- function(x, given) {
  columns <- column_labels(given, ncol(x), colnames(x))
  stimulus <- row_labels(given$stimulus, nrow(x), "stimulus", "row", FALSE)
  labels <- lapply(c(trial = "trial", event = "event", cluster = "cluster"), function(arg) {
    row_labels(given[[arg]], nrow(x), arg, "row", arg == "cluster")
  })
  check_row_stimuli(rownames(x), stimulus)
  single <- is.null(stimulus) || !anyDuplicated(stimulus)
  if (single) {
    rows <- seq_len(nrow(x))
    names <- if (is.null(stimulus)) rownames(x) else stimulus
  } else {
    order <- ordered_labels(given$stimulus)
    rows <- as.integer(order)
    names <- levels(order)
  }
  axes <- list(rows = rows, stimuli = max(rows), names = names)
  trial <- presentation_trials(rows, labels$trial, given$trial)
  check_single_presentations(rows, trial, names)
  values <- place_presentations(x, axes, trial, columns$names)
  at <- cbind(rows, as.integer(trial))
  spread <- function(labels) {
    m <- matrix(NA_character_, axes$stimuli, nlevels(trial))
    m[at] <- labels
    m
  }
  list(values = values, trial = spread(as.character(trial)),
       event = if (!is.null(labels$event)) spread(labels$event), neuron = columns$neuron,
       session = columns$session, cluster = labels_by_stimulus(labels$cluster, rows, names))
}

# Row names that occur more than once name stimuli, and rows would be taken for different ones.
check_row_stimuli <- function(names, stimulus) {
  if (!is.null(stimulus) || !anyDuplicated(names)) return(invisible())
  abort("`x` has the row name ", dQuote(names[duplicated(names)][1], FALSE), " more than once: if ",
        "the rows are presentations, give stimulus = rownames(x); otherwise remove the row names.",
        class = "repalign_error_rows", arg = "x")
}

# Labels as a factor of text, in the order of trial_array().
ordered_labels <- function(values) {
  values <- droplevels_of(values)
  factor(label_text(as.vector(values)), label_text(levels_in_order(values)))
}

droplevels_of <- function(values) if (is.factor(values)) droplevels(values) else values

levels_in_order <- function(values) {
  if (is.factor(values)) return(levels(values))
  if (is.numeric(values)) sort(unique(as.vector(values))) else unique(as.vector(values))
}

# The trial of each row as a factor; by default, trials of a stimulus are numbered.
presentation_trials <- function(rows, labels, given) {
  if (is.null(labels)) {
    number <- stats::ave(rows, rows, FUN = seq_along)
    return(factor(number, seq_len(max(number))))
  }
  ordered_labels(given)
}

check_single_presentations <- function(rows, trial, names) {
  twice <- anyDuplicated(cbind(rows, as.integer(trial)))
  if (!twice) return(invisible())
  first <- which(rows == rows[twice] & trial == trial[twice])[1]
  abort("`trial` has the label ", dQuote(trial[twice], FALSE), " twice for stimulus ",
        dQuote(if (is.null(names)) rows[twice] else names[rows[twice]], FALSE), " (rows ", first,
        " and ", twice, "): trials of a stimulus need different labels. Labels of what shares ",
        "noise go into `event`.", class = "repalign_error_labels", arg = "trial")
}

place_presentations <- function(x, axes, trial, columns) {
  count <- nlevels(trial)
  check_memory(8 * as.double(axes$stimuli) * ncol(x) * count, "The responses as an array",
               "Fewer trials or neurons need less.")
  values <- array(NA_real_, c(axes$stimuli, ncol(x), count))
  for (t in seq_len(count)) {
    at <- which(as.integer(trial) == t)
    values[axes$rows[at], , t] <- x[at, ]
  }
  # a single trial has no name
  trials <- if (count > 1) levels(trial)
  if (!is.null(axes$names) || !is.null(columns) || !is.null(trials)) {
    dimnames(values) <- list(axes$names, columns, trials)
  }
  values
}

# The label of each stimulus, from labels of rows, which must agree.
labels_by_stimulus <- function(labels, rows, names, arg = "cluster") {
  if (is.null(labels)) return(NULL)
  first <- match(seq_len(max(rows)), rows)
  differs <- which(!mapply(identical, labels, labels[first[rows]], USE.NAMES = FALSE))
  if (length(differs)) {
    at <- rows[differs[1]]
    abort("`", arg, "` has different labels for stimulus ",
          dQuote(if (is.null(names)) at else names[at], FALSE), " (rows ", first[at], " and ",
          differs[1], "): a stimulus belongs to one cluster.", class = "repalign_error_labels",
          arg = arg)
  }
  labels[first]
}
