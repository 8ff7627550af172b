# Responses become arrays of trials: from arrays, matrices and data frames; trial_array().

#' Long table of trials to an array
#'
#' @param data a data frame with one row per response of one neuron to one repeat of a stimulus.
#' @param stimulus,neuron,trial,value names of columns of `data`. Without `trial`, the repeats of
#'   each stimulus are numbered for each neuron in the order of the rows.
#' @param ... not used.
#' @return A numeric array stimuli x neurons x trials with names, and `NA` where a repeat is
#'   missing. Levels of factors keep their order, numbers are sorted, and words come in order of
#'   first appearance.
#' @details
#' If neurons were recorded together, `trial` must have the same number for the same repeat, or the
#' noise that they share is lost.
#' @examples
#' long <- expand.grid(image = c("a", "b"), unit = 1:3, rep = 1:2)
#' long$count <- seq_len(nrow(long))
#' trial_array(long[-1, ], "image", "unit", "rep", "count")
#' @seealso [responses()], which also reads long tables
#' @export
trial_array <- function(data, stimulus, neuron, trial = NULL, value, ...) {
  need_arguments()
  refuse_if(!is.data.frame(data), "type", "`data` must be a data frame with a row per response, ",
            "not {describe(data)}.")
  refuse_if(!nrow(data), "size", "`data` has no rows.")
  column <- function(name, arg) table_column(data, name, arg)
  response <- column(value, "value")
  refuse_if(!is.numeric(response) && !is.logical(response), "type", "Column ",
            "{quoted(value)} of `data` is not numeric.", arg = "value")
  axes <- list(ordered_factor(column(stimulus, "stimulus"), stimulus),
               ordered_factor(column(neuron, "neuron"), neuron))
  repeats <- if (is.null(trial)) occurrence(axes[[1]], axes[[2]]) else column(trial, "trial")
  axes[[3]] <- ordered_factor(repeats, if (is.null(trial)) "trial" else trial)
  spread_responses(response, axes, "The trial array", "data", ".")$values
}

# An array of responses, with the place of each in it: list(values, at). axes: its three factors.
spread_responses <- function(response, axes, title, arg, remedy) {
  sizes <- unname(vapply(axes, nlevels, 0L))
  check_memory(8 * prod(as.double(sizes)), title, "Fewer trials or neurons need less.")
  at <- do.call(cbind, lapply(axes, as.integer))
  twice <- anyDuplicated(at)
  refuse_if(twice, "rows", "`{arg}` has stimulus {quoted(axes[[1]][twice])}, neuron ",
            "{quoted(axes[[2]][twice])}, trial {quoted(axes[[3]][twice])} more than ",
            "once (row {twice}){remedy}")
  values <- array(NA_real_, sizes, dimnames = unname(lapply(axes, levels)))
  values[at] <- as.double(response)
  list(values = values, at = at)
}

table_column <- function(data, name, arg) {
  refuse_if(!names_column(name), "value", "`{arg}` must be the name of a column of `data`.")
  refuse_if(!name %in% names(data), "value", "`data` has no column ",
            "{quoted(name)}{suggest(name, names(data))} Columns: ",
            "{enumerate(names(data), 20)}.", arg = arg)
  data[[name]]
}

ordered_factor <- function(values, name) {
  refuse_if(anyNA(values), "nonfinite", "Column {quoted(name)} of `data` has missing ",
            "values, first in row {which(is.na(values))[1]}.")
  ordered_labels(values)
}

# Numbers the rows with the same stimulus and neuron, which are different trials: 1, 2, and so on.
occurrence <- function(a, b) {
  pair <- as.integer(a) + (as.integer(b) - 1) * as.double(nlevels(a))
  stats::ave(seq_along(a), match(pair, unique(pair)), FUN = seq_along)
}

# ---- array

# responses() of arrays and matrices: their labels are checked, and presentations become an array.

array_responses <- function(x, given) {
  x <- read_array(x)
  size <- dim(x)
  # neurons differ in their mean responses, trials hardly do
  if (size[2] > 1 && size[3] > size[2]) {
    means <- colMeans(x, na.rm = TRUE)
    third <- stats::var(colMeans(means, na.rm = TRUE))
    second <- stats::var(rowMeans(means, na.rm = TRUE))
    turned <- third > 10 * second && third > 0.2 * stats::var(c(x), na.rm = TRUE)
    inform_if(isTRUE(turned), "note_turned", "`x` is read as {size[1]} stimuli x {size[2]} ",
              "neurons x {size[3]} trials, but its means differ along the third dimension, as ",
              "those of neurons do, and hardly along the second. If it is stimuli x trials x ",
              "neurons, give aperm(x, c(1, 3, 2)).")
  }
  names <- if (is.null(dimnames(x))) vector("list", 3) else unname(dimnames(x))
  if (!is.null(given$stimulus)) {
    names[[1]] <- labels_of_array(given$stimulus, x, "stimulus", "presentations")
  }
  cluster <- in_order_of(given$cluster, names[[1]], "cluster")
  for (arg in c("trial", "event")) {
    if (length(dim(given[[arg]])) == 2) next
    given[[arg]] <- in_order_of(given[[arg]], names[[3]], arg, "the trials of `x`")
  }
  columns <- column_labels(given, size[2], names[[2]])
  names[2] <- list(columns$names)
  trial <- if (is.null(given$trial)) names[[3]] else given$trial
  if (is.null(trial)) trial <- seq_len(size[3])
  trial <- slot_labels(trial, size, "trial")
  # labels name the trials that have the same for all stimuli
  if (!is.null(given$trial)) {
    same <- all(trial == trial[rep(1, nrow(trial)), ])
    names[3] <- list(if (isTRUE(same)) trial[1, ])
  }
  dimnames(x) <- if (any(lengths(names) > 0)) names
  # two trials of a stimulus cannot have one label
  labels <- replace(trial, !recorded_slots(x), NA)
  twice <- apply(labels, 1, anyDuplicated, incomparables = NA)
  at <- which(twice > 0)[1]
  refuse_if(!is.na(at), "labels", "`trial` has the label {quoted(labels[at, twice[at]])} more ",
            "than once for {stimulus_title(x, at)}: trials of a stimulus need different labels. ",
            "Labels of what shares noise go into `event`.")
  list(values = x, trial = trial,
       event = if (!is.null(given$event)) slot_labels(given$event, size, "event"),
       neuron = columns$neuron, session = columns$session,
       cluster = row_labels(cluster, size[1], "cluster", "stimulus", TRUE),
       series = times_of_rows(given$series, size[1], names[[1]]))
}

read_array <- function(x) {
  refuse_if(!is.numeric(x) && !is.logical(x), "type", "`x` must be an array of numbers, not ",
            "{describe(x)} of type {typeof(x)}.")
  refuse_if(!all(dim(x) > 0), "size", "`x` has {paste(dim(x), collapse = ' x ')} entries: there ",
            "is nothing to compare.")
  if (!is.double(x)) storage.mode(x) <- "double"
  known_values(x)
}

# A label for each row of an array, all different. others: what rows of a matrix may be.
labels_of_array <- function(labels, x, arg, others) {
  labels <- row_labels(in_order_of(labels, dimnames(x)[[1]], arg), nrow(x), arg, arg, FALSE)
  twice <- anyDuplicated(labels)
  refuse_if(twice, "labels", "`{arg}` has the label {quoted(labels[twice])} more than ",
            "once, but each row of an array is a {arg}. If rows are {others}, give a matrix with ",
            "a row for each of them.")
  labels
}

# The time of each row, in whole steps from 1 on. A single TRUE: the rows come in order.
times_of_rows <- function(series, n, names = NULL) {
  if (is.null(series) || isTRUE(series)) return(if (isTRUE(series)) seq_len(n))
  series <- column_of_labels(series)
  refuse_if(!is.numeric(series) || is.object(series) || length(dim(series)) > 1, "labels",
            "`series` must be TRUE, or the time of each stimulus, not {describe(series)}.")
  series <- in_order_of(series, names, "series")
  refuse_if(length(series) != n || !all(is.finite(series)), "labels", "`series` has ",
            "{count_of(length(series), 'time')}, but `x` has {count_of(n, 'row')}: give one ",
            "finite number per row, or TRUE.")
  series
}

# The time of each stimulus, from those of rows.
times_by_stimulus <- function(series, rows, names) {
  if (is.null(series)) return(NULL)
  times <- times_of_rows(series, length(rows))
  # as they come: the first row of each stimulus tells
  if (isTRUE(series)) return(match(seq_len(max(rows)), rows))
  labels_by_stimulus(times, rows, names, "series")
}

# Infinite values are no responses; NaN is a missing one, as NA is.
known_values <- function(x) {
  if (!.Call(C_all_finite, x)) {
    infinite <- which(is.infinite(x))
    refuse_if(length(infinite), "nonfinite", "`x` has ",
              "{count_of(length(infinite), 'infinite value')}, first at [",
              paste(arrayInd(infinite[1], dim(x)), collapse = ", "), "]. Correct it, or set it to ",
              "NA if the response is not known.")
    x[is.na(x)] <- NA_real_
  }
  attributes(x) <- attributes(x)[c("dim", if (!is.null(dimnames(x))) "dimnames")]
  x
}

# One label a row, as text; `row` is what messages call a row.
row_labels <- function(labels, n, arg, row, allow_na) {
  if (is.null(labels)) return(NULL)
  labels <- plain_labels(labels, arg)
  refuse_if(length(labels) != n, "labels", "`{arg}` has {count_of(length(labels), 'label')}, but ",
            "`x` has {count_of(n, 'row')}: give one label per ",
            "{row}{if (allow_na) ', or NA for stimuli to leave out'}.")
  refuse_if(!allow_na && anyNA(labels), "labels", "`{arg}` has missing labels, first in row ",
            "{which(is.na(labels))[1]}: every row needs one.")
  labels
}

plain_labels <- function(labels, arg) {
  labels <- column_of_labels(labels)
  refuse_if(!is.atomic(labels) || length(dim(labels)) > 1, "labels", "`{arg}` must be a vector of ",
            "labels, not {describe(labels)}.")
  label_text(as.vector(labels))
}

# The labels of the columns, and their names: those of the data or, where these have none, different
# labels of neurons.
column_labels <- function(given, width, names) {
  neuron <- check_labels(given$neuron, width, "neuron", "x", names)
  session <- check_labels(given$session, width, "session", "x",
                          if (is.null(names)) label_text(neuron) else names)
  if (!is.null(neuron)) neuron <- label_text(neuron)
  if (!is.null(session)) session <- label_text(session)
  if (is.null(names) && !anyDuplicated(neuron)) names <- neuron
  list(neuron = neuron, session = session, names = names)
}

# Labels of trials, one for each or in a matrix stimuli x trials, as a matrix of text.
slot_labels <- function(labels, size, arg) {
  if (is.data.frame(labels)) labels <- as.matrix(labels)
  if (!is.atomic(labels)) plain_labels(labels, arg)
  by_row <- length(dim(labels)) != 2
  fits <- if (by_row) length(labels) == size[3] else all(dim(labels) == size[c(1, 3)])
  had <- if (by_row) length(labels) else paste(dim(labels), collapse = " x ")
  refuse_if(!fits, "labels", "`{arg}` has {count_of(had, 'label')}, but `x` has ",
            "{count_of(size[3], 'trial')} of {count_of(size[1], 'stimulus row')}: give one label ",
            "per trial, or a matrix stimuli x trials ({size[1]} x {size[3]}).")
  refuse_if(by_row && anyNA(labels), "labels", "`{arg}` has missing labels, first at position ",
            "{which(is.na(labels))[1]}: every trial needs one.")
  matrix(label_text(as.vector(labels)), size[1], size[3], byrow = by_row)
}

# A matrix has a row for each presentation.
matrix_responses <- function(x, given) {
  refuse_if(is_responses(x), "type", "`x` is a responses object already: declare everything at ",
            "once, from the data.")
  x <- double_matrix(x, "x")
  refuse_identifiers(x, "x", c(if (is.null(given$stimulus)) c(stimulus = "stimulus"),
                               if (is.null(given$trial)) c(trial = "trial", run = "run"),
                               other = NA))
  x <- known_values(without_mark(x))
  columns <- column_labels(given, ncol(x), colnames(x))
  # a row name that comes twice is a stimulus that was shown twice
  if (is.null(given$stimulus) && anyDuplicated(rownames(x))) given$stimulus <- rownames(x)
  for (arg in c("stimulus", "trial", "event")) {
    given[[arg]] <- in_order_of(given[[arg]], rownames(x), arg, "the rows of `x`")
  }
  of_stimuli <- if (is.null(given$stimulus)) rownames(x) else
    label_text(as.vector(given$stimulus))
  for (arg in c("cluster", "series")) given[[arg]] <- in_order_of(given[[arg]], of_stimuli, arg)
  labels <- sapply(c("stimulus", "trial", "event", "cluster"), function(arg) {
    row_labels(given[[arg]], nrow(x), arg, "row", arg == "cluster")
  }, simplify = FALSE)
  rows <- seq_len(nrow(x))
  names <- rownames(x)
  if (!is.null(labels$stimulus)) {
    stimulus <- ordered_labels(given$stimulus)
    rows <- as.integer(stimulus)
    names <- levels(stimulus)
  }
  # by default, the trials of a stimulus are numbered
  trial <- if (is.null(labels$trial)) {
    number <- stats::ave(rows, rows, FUN = seq_along)
    factor(number, seq_len(max(number)))
  } else ordered_labels(given$trial)
  at <- cbind(rows, as.integer(trial))
  twice <- anyDuplicated(at)
  refuse_if(twice, "labels", "`trial` has the label {quoted(trial[twice])} twice for stimulus ",
            quoted(if (is.null(names)) rows[twice] else names[rows[twice]]),
            " (rows {which(rows == rows[twice] & trial == trial[twice])[1]} and {twice}): trials ",
            "of a stimulus need different labels. Labels of what shares noise go into `event`.")
  stimuli <- max(rows)
  count <- nlevels(trial)
  check_memory(8 * as.double(stimuli) * ncol(x) * count, "The responses as an array",
               "Fewer trials or neurons need less.")
  values <- array(NA_real_, c(stimuli, ncol(x), count))
  for (t in seq_len(count)) {
    shown <- which(as.integer(trial) == t)
    values[rows[shown], , t] <- x[shown, ]
  }
  # a single trial has no name
  trials <- if (count > 1) levels(trial)
  if (!is.null(names) || !is.null(columns$names) || !is.null(trials)) {
    dimnames(values) <- list(names, columns$names, trials)
  }
  spread <- function(labels) replace(matrix(NA_character_, stimuli, count), at, labels)
  list(values = values, trial = spread(as.character(trial)),
       event = if (!is.null(labels$event)) spread(labels$event), neuron = columns$neuron,
       session = columns$session, cluster = labels_by_stimulus(labels$cluster, rows, names),
       series = times_by_stimulus(given$series, rows, names))
}

# The label of each stimulus, from labels of rows, which must agree.
labels_by_stimulus <- function(labels, rows, names, arg = "cluster") {
  if (is.null(labels)) return(NULL)
  first <- match(seq_len(max(rows)), rows)
  differs <- which(!mapply(identical, labels, labels[first[rows]], USE.NAMES = FALSE))[1]
  at <- rows[differs]
  refuse_if(!is.na(differs), "labels", "`{arg}` has different labels for stimulus ",
            quoted(if (is.null(names)) at else names[at]), " (rows {first[at]} and {differs}): ",
            "a stimulus ", if (arg == "series") "has one time" else "belongs to one cluster", ".")
  labels[first]
}

# ---- long

# responses() of data frames: long ones with a row for each response, wide ones with a row for each
# presentation.

long_responses <- function(x, given) {
  refuse_if(is.null(given$stimulus), "missing", "`stimulus` is missing: a long data frame needs ",
            "`stimulus` and `neuron`. (Without `neuron` it has a column for each.)")
  check_frame(x)
  labels <- frame_labels(x, given, c("stimulus", "neuron", "trial", "session", "cluster", "event",
                                     "series"))
  column <- given$value
  if (is.null(column)) {
    others <- setdiff(names(x), named_columns(x, given))
    column <- others[vapply(x[others], is_number_column, NA)]
    found <- if (!length(column)) "no column of numbers" else
      paste0("several columns of numbers (", enumerate(column), ")")
    refuse_if(length(column) != 1, "value", "`x` has {found} that no argument names: name the one ",
              "that holds the responses in `value`.", arg = "value")
  } else {
    refuse_if(!names_column(column) || !column %in% names(x), "value", "`value` must be the name ",
              "of a column of `x`: {enumerate(names(x), 20)}.")
    refuse_if(!is_number_column(x[[column]]), "type", "Column {quoted(column)} of `x` is not ",
              "numeric.", arg = "value")
  }
  response <- x[[column]]
  infinite <- which(is.infinite(response))
  refuse_if(length(infinite), "nonfinite", "`x` has an infinite response in row {infinite[1]}. ",
            "Correct it, or set it to NA if the response is not known.")
  axes <- long_axes(labels)
  made <- spread_responses(response, axes, "The responses as an array", "x",
                           paste(". Each response has one row: give finer labels in `trial`, or in",
                                 "`neuron` if each session numbers its neurons anew."))
  at <- made$at
  sizes <- dim(made$values)
  # an event is what all neurons share in a trial of a stimulus
  event <- if (!is.null(labels$event)) label_text(as.vector(labels$event))
  if (!is.null(event)) {
    cell <- (at[, 3] - 1) * as.double(sizes[1]) + at[, 1]
    row <- which(event != event[match(cell, cell)])[1]
    refuse_if(!is.na(row), "labels", "`event` has different labels for stimulus ",
              "{quoted(axes[[1]][row])}, trial {quoted(axes[[3]][row])} (rows ",
              "{match(cell[row], cell)} and {row}): the neurons of a trial are of one event. Give ",
              "trials of different events different labels in `trial`.")
  }
  slots <- at[, c(1, 3), drop = FALSE]
  spread <- function(labels) replace(matrix(NA_character_, sizes[1], sizes[3]), slots, labels)
  # labels of the columns, from the first row of each
  first <- match(levels(axes$neuron), axes$neuron)
  of_columns <- function(labels) if (!is.null(labels)) label_text(as.vector(labels))[first]
  list(values = known_values(made$values), trial = spread(as.character(axes$trial)),
       event = if (!is.null(event)) spread(event), neuron = of_columns(labels$neuron),
       session = of_columns(labels$session),
       cluster = labels_by_stimulus(labels$cluster, at[, 1], levels(axes$stimulus)),
       series = times_by_stimulus(labels$series, at[, 1], levels(axes$stimulus)))
}

check_frame <- function(x) {
  refuse_if(!nrow(x), "size", "`x` has no rows.")
  refuse_if(anyDuplicated(names(x)), "names", "`x` has two columns named ",
            "{quoted(names(x)[duplicated(names(x))][1])}: names of columns must differ.")
}

# What the arguments give for each row: a column, if they name one, or a vector.
frame_labels <- function(x, given, args) {
  found <- list()
  for (arg in args) {
    own <- given[[arg]]
    # values that are named by the stimuli or neurons have one for each of them
    labels <- if (arg == "session") found$neuron else if (arg != "stimulus") found$stimulus
    by_name <- !is.null(names(own)) && !is.null(labels)
    if (by_name) own <- in_order_of(own, label_text(as.vector(labels)), arg)
    found[arg] <- list(own)
    if (is.null(own) || arg == "series" && isTRUE(own)) next
    place <- paste0("`", arg, "`")
    if (names_column(own) && own %in% names(x)) {
      place <- paste0("Column ", quoted(own), " of `x`")
      own <- x[[own]]
    } else if (length(own) != nrow(x)) {
      refuse_if(names_column(own), "value", "`x` has no column {quoted(own)}",
                "{suggest(own, names(x))} Columns: {enumerate(names(x), 20)}.", arg = arg)
      refuse("labels", "`{arg}` has {count_of(length(own), 'label')}, but `x` has ",
             "{count_of(nrow(x), 'row')}: give the name of a column of `x`, or one label per row.")
    }
    refuse_if(!is.atomic(own) || length(dim(own)) > 1, "labels", "{place} must be a vector of ",
              "labels, not {describe(own)}.", arg = arg)
    refuse_if(arg != "cluster" && anyNA(own), "labels", "{place} has missing values, first in ",
              "row {which(is.na(own))[1]}: every row needs a label.", arg = arg)
    found[[arg]] <- if (arg == "cluster") label_text(as.vector(own)) else own
  }
  found
}

names_column <- function(given) {
  is.character(given) && is.null(dim(given)) && length(given) == 1 && !is.na(given)
}

named_columns <- function(x, given) {
  args <- c("stimulus", "neuron", "trial", "session", "cluster", "event", "series")
  named <- Filter(names_column, given[args])
  intersect(unlist(named), names(x))
}

is_number_column <- function(column) {
  (is.numeric(column) || is.logical(column)) && !is.object(column) && is.null(dim(column))
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
  # Rows are numbered as trials for each neuron alone. Where neurons that were recorded together
  # have different numbers of them, equal numbers would be different moments. Labels of events
  # settle that: long_responses() refuses such numbers.
  if (is.null(labels$trial) && is.null(labels$event)) {
    counts <- table(stimulus, neuron)
    column <- match(levels(neuron), neuron)
    together <- if (is.null(labels$session)) rep(1, length(column)) else labels$session[column]
    for (at in split(seq_along(column), match(together, together))) {
      part <- counts[, at, drop = FALSE]
      # who has no response at all has no wrong number
      most <- apply(part, 1, max)
      wrong <- which(part > 0 & part < most, arr.ind = TRUE)
      if (!nrow(wrong)) next
      stimulus <- wrong[1, 1]
      neurons <- c(which.max(part[stimulus, ]), wrong[1, 2])
      counts <- paste0("neuron ", quoted(labels$neuron[column[at]][neurons]), " has ",
                       vapply(part[stimulus, neurons], count_of, "", "response"))
      refuse("trials", "For stimulus {quoted(rownames(part)[stimulus])}, {counts[1]} and ",
             "{counts[2]}: the number of a row then does not say which trial it is of. Name the ",
             "column of trial labels in `trial`, or give rows with NA for missing responses.")
    }
  }
  trial <- if (is.null(labels$trial)) occurrence(stimulus, neuron) else labels$trial
  list(stimulus = stimulus, neuron = neuron, trial = ordered_labels(trial))
}

# Columns that an argument names are no neurons.
wide_responses <- function(x, given) {
  check_frame(x)
  args <- c("stimulus", "trial", "event", "cluster", "series")
  used <- named_columns(x, given[args])
  given[args] <- frame_labels(x, given, args)
  neurons <- x[setdiff(names(x), used)]
  refuse_if(!length(neurons), "size", "`x` has no columns for neurons besides {enumerate(used)}. ",
            "If its rows are single responses, name the neuron of each row in `neuron`.")
  words <- names(neurons)[!vapply(neurons, is_number_column, NA)]
  refuse_if(length(words), "type", "`x` has columns that are not numeric: {enumerate(words)}. ",
            "Name those that say what a row is in `stimulus`, `trial`, `event` or `cluster` (in a ",
            "long data frame also `neuron` and `session`), and drop the others.")
  matrix_responses(neurons, given)
}
