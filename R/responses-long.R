# responses() of data frames: long ones with a row for each response, wide ones with a row for each
# presentation.

long_responses <- function(x, given) {
  if (is.null(given$stimulus)) {
    abort("`stimulus` is missing: a long data frame needs `stimulus` and `neuron`. (A data frame ",
          "without `neuron` has a column for each neuron.)", class = "repalign_error_missing",
          arg = "stimulus")
  }
  check_frame(x)
  labels <- frame_labels(x, given, c("stimulus", "neuron", "trial", "session", "cluster", "event"))
  response <- response_column(x, given)
  axes <- long_axes(labels)
  sizes <- unname(vapply(axes, nlevels, 0L))
  check_memory(8 * prod(as.double(sizes)), "The responses as an array",
               "Fewer trials or neurons need less.")
  at <- do.call(cbind, lapply(axes, as.integer))
  check_single_responses(at, axes, is.null(labels$trial))
  values <- array(NA_real_, sizes, dimnames = unname(lapply(axes, levels)))
  values[at] <- as.double(response)
  rows <- at[, 1]
  list(values = known_values(values), trial = long_trials(axes, at),
       event = long_events(labels$event, at, axes), neuron = long_neurons(labels, axes),
       session = long_sessions(labels, axes),
       cluster = labels_by_stimulus(labels$cluster, rows, levels(axes$stimulus)))
}

check_frame <- function(x) {
  if (!nrow(x)) abort("`x` has no rows.", class = "repalign_error_size", arg = "x")
  if (anyDuplicated(names(x))) {
    abort("`x` has two columns named ", dQuote(names(x)[duplicated(names(x))][1], FALSE),
          ": names of columns must differ.", class = "repalign_error_names", arg = "x")
  }
}

# What the arguments give for each row: a column, if they name one, or a vector.
frame_labels <- function(x, given, args) {
  found <- lapply(args, function(arg) frame_column(x, given[[arg]], arg))
  stats::setNames(found, args)
}

names_column <- function(given) is.character(given) && length(given) == 1 && !is.na(given)

frame_column <- function(x, given, arg) {
  if (is.null(given)) return(NULL)
  if (names_column(given) && given %in% names(x)) {
    values <- x[[given]]
    place <- paste0("Column ", dQuote(given, FALSE), " of `x`")
  } else if (length(given) == nrow(x)) {
    values <- given
    place <- paste0("`", arg, "`")
  } else if (names_column(given)) {
    abort("`x` has no column ", dQuote(given, FALSE), suggest(given, names(x)), " Columns: ",
          enumerate(names(x), 20), ".", class = "repalign_error_value", arg = arg)
  } else {
    abort("`", arg, "` has ", count_of(length(given), "label"), ", but `x` has ",
          count_of(nrow(x), "row"), ": give the name of a column of `x`, or one label per row.",
          class = "repalign_error_labels", arg = arg)
  }
  if (!is.atomic(values) || length(dim(values)) > 1) {
    abort(place, " must be a vector of labels, not ", describe(values), ".",
          class = "repalign_error_labels", arg = arg)
  }
  if (arg != "cluster" && anyNA(values)) {
    abort(place, " has missing values, first in row ", which(is.na(values))[1],
          ": every row needs a label.", class = "repalign_error_labels", arg = arg)
  }
  if (arg == "cluster") label_text(as.vector(values)) else values
}

named_columns <- function(x, given) {
  args <- c("stimulus", "neuron", "trial", "session", "cluster", "event")
  named <- Filter(names_column, given[args])
  intersect(unlist(named), names(x))
}

response_column <- function(x, given) {
  if (!is.null(given$value)) {
    response <- frame_value(x, given$value)
  } else {
    others <- setdiff(names(x), named_columns(x, given))
    numbers <- others[vapply(x[others], is_number_column, NA)]
    if (length(numbers) != 1) {
      abort("`x` has ", if (length(numbers)) paste0("several columns of numbers (",
            enumerate(numbers), ")") else "no column of numbers", " that no argument names: name ",
            "the one that holds the responses in `value`.", class = "repalign_error_value",
            arg = "value")
    }
    response <- x[[numbers]]
  }
  infinite <- which(is.infinite(response))
  if (length(infinite)) {
    abort("`x` has an infinite response in row ", infinite[1], ". Correct it, or set it to NA if ",
          "the response is not known.", class = "repalign_error_nonfinite", arg = "x")
  }
  response
}

is_number_column <- function(column) {
  (is.numeric(column) || is.logical(column)) && !is.object(column) && is.null(dim(column))
}

frame_value <- function(x, value) {
  if (!names_column(value) || !value %in% names(x)) {
    abort("`value` must be the name of a column of `x`: ", enumerate(names(x), 20), ".",
          class = "repalign_error_value", arg = "value")
  }
  if (!is_number_column(x[[value]])) {
    abort("Column ", dQuote(value, FALSE), " of `x` is not numeric.",
          class = "repalign_error_type", arg = "value")
  }
  x[[value]]
}

# The factors of the three sides of the array. A neuron that several sessions recorded has a column
# for each of them.
long_axes <- function(labels) {
  neuron <- ordered_labels(labels$neuron)
  if (!is.null(labels$session)) {
    session <- ordered_labels(labels$session)
    both <- (as.integer(session) - 1) * as.double(nlevels(neuron)) + as.integer(neuron)
    known <- sort(unique(both))
    first <- match(known, both)
    names <- as.character(neuron)[first]
    if (anyDuplicated(names)) names <- paste(names, as.character(session)[first], sep = "/")
    neuron <- factor(match(both, known), seq_along(known), names)
  }
  stimulus <- ordered_labels(labels$stimulus)
  if (is.null(labels$trial)) check_counts(stimulus, neuron, labels)
  trial <- if (is.null(labels$trial)) occurrence(stimulus, neuron) else labels$trial
  list(stimulus = stimulus, neuron = neuron, trial = ordered_labels(trial))
}

# Rows are numbered as trials for each neuron alone. Where neurons that were recorded together have
# different numbers of them, equal numbers would be different moments. Labels of events settle that:
# long_events() refuses such numbers.
check_counts <- function(stimulus, neuron, labels) {
  if (!is.null(labels$event)) return(invisible())
  counts <- table(stimulus, neuron)
  column <- match(levels(neuron), neuron)
  together <- if (is.null(labels$session)) rep(1, length(column)) else labels$session[column]
  for (at in split(seq_along(column), match(together, together))) {
    part <- counts[, at, drop = FALSE]
    # who has no response at all has no wrong number
    most <- apply(part, 1, max)
    wrong <- which(part > 0 & part < most, arr.ind = TRUE)
    if (nrow(wrong)) refuse_counts(part, wrong[1, ], labels$neuron[column[at]])
  }
}

refuse_counts <- function(counts, at, neurons) {
  most <- which.max(counts[at[1], ])
  count <- function(column) {
    paste0("neuron ", dQuote(neurons[column], FALSE), " has ",
           count_of(counts[at[1], column], "response"))
  }
  abort("For stimulus ", dQuote(rownames(counts)[at[1]], FALSE), ", ", count(most), " and ",
        count(at[2]), ": the number of a row then does not say which trial it is of. Name the ",
        "column of trial labels in `trial`, or give rows with NA for missing responses.",
        class = "repalign_error_trials", arg = "trial")
}

check_single_responses <- function(at, axes, numbered) {
  twice <- anyDuplicated(at)
  if (!twice) return(invisible())
  abort("`x` has stimulus ", dQuote(axes[[1]][twice], FALSE), ", neuron ",
        dQuote(axes[[2]][twice], FALSE), ", trial ", dQuote(axes[[3]][twice], FALSE),
        " more than once (row ", twice, "). Each response has one row: give finer labels in ",
        "`trial`.", class = "repalign_error_rows", arg = "x")
}

long_trials <- function(axes, at) {
  trial <- matrix(NA_character_, nlevels(axes$stimulus), nlevels(axes$trial))
  trial[at[, c(1, 3), drop = FALSE]] <- as.character(axes$trial)
  trial
}

# An event is what all neurons share in a trial of a stimulus.
long_events <- function(event, at, axes) {
  if (is.null(event)) return(NULL)
  event <- label_text(as.vector(event))
  cell <- (at[, 3] - 1) * as.double(nlevels(axes$stimulus)) + at[, 1]
  differs <- which(event != event[match(cell, cell)])
  if (length(differs)) {
    row <- differs[1]
    abort("`event` has different labels for stimulus ", dQuote(axes[[1]][row], FALSE), ", trial ",
          dQuote(axes[[3]][row], FALSE), " (rows ", match(cell[row], cell), " and ", row, "): the ",
          "neurons of a trial are of one event. Give trials of different events different labels ",
          "in `trial`.", class = "repalign_error_labels", arg = "event")
  }
  result <- matrix(NA_character_, nlevels(axes$stimulus), nlevels(axes$trial))
  result[at[, c(1, 3), drop = FALSE]] <- event
  result
}

# Labels of the columns, from the first row of each.
long_neurons <- function(labels, axes) {
  first <- match(levels(axes$neuron), axes$neuron)
  label_text(as.vector(droplevels_of(labels$neuron)))[first]
}

long_sessions <- function(labels, axes) {
  if (is.null(labels$session)) return(NULL)
  label_text(as.vector(labels$session))[match(levels(axes$neuron), axes$neuron)]
}

# Columns that an argument names are no neurons.
wide_responses <- function(x, given) {
  check_frame(x)
  args <- c("stimulus", "trial", "event", "cluster")
  labels <- frame_labels(x, given, args)
  used <- named_columns(x, given[args])
  neurons <- x[setdiff(names(x), used)]
  if (!length(neurons)) {
    abort("`x` has no columns for neurons besides ", enumerate(used), ". If its rows are single ",
          "responses, name the neuron of each row in `neuron`.", class = "repalign_error_size",
          arg = "x")
  }
  refuse_label_columns(neurons)
  given[args] <- labels[args]
  matrix_responses(neurons, given)
}

refuse_label_columns <- function(neurons) {
  words <- names(neurons)[!vapply(neurons, is_number_column, NA)]
  if (!length(words)) return(invisible())
  abort("`x` has columns that are not numeric: ", enumerate(words), ". Name those that say what a ",
        "row is in `stimulus`, `trial`, `event` or `cluster` (in a long data frame also `neuron` ",
        "and `session`), and drop the others.", class = "repalign_error_type", arg = "x")
}
