# Values with names, one for each of several things that have labels, go by their names.

# values: a vector with a value for each thing, or a square matrix of them (a covariance), which has
# the names of its rows and columns; labels: of the things, or NULL. Values whose names are the
# labels are put into the order of the labels. Names that have nothing to do with the labels say
# nothing about the order. Returned are the values without names.
in_order_of <- function(values, labels, arg) {
  square <- is.matrix(values) && nrow(values) == ncol(values)
  if (!is.atomic(values) || !is.null(dim(values)) && length(dim(values)) > 1 && !square) {
    return(values)
  }
  names <- if (square) names_of_square(values, labels, arg) else names(values)
  values <- unname(values)
  places <- places_of_labels(names, labels, arg)
  if (is.null(places)) return(values)
  if (square) values[places, places, drop = FALSE] else values[places]
}

names_of_square <- function(values, labels, arg) {
  rows <- rownames(values)
  columns <- colnames(values)
  if (is.null(rows)) return(columns)
  if (is.null(columns) || identical(rows, columns)) return(rows)
  if (!any(labels %in% c(rows, columns))) return(NULL)
  at <- which(rows != columns)[1]
  abort("`", arg, "` has other names of rows than of columns, first at place ", at, " (",
        dQuote(rows[at], FALSE), " and ", dQuote(columns[at], FALSE), "): give both the labels, ",
        "in the same order.", class = "repalign_error_names", arg = arg)
}

# Where the values are that have the labels as names; NULL where no name is a label.
places_of_labels <- function(names, labels, arg) {
  labels <- as.character(labels)
  if (is.null(names) || identical(names, labels)) return(NULL)
  names[is.na(names) | !nzchar(names)] <- NA
  known <- labels %in% names & !is.na(labels)
  if (!any(known)) return(NULL)
  lacking <- labels[!known]
  if (length(lacking)) {
    abort("`", arg, "` has names, but none is ", dQuote(lacking[1], FALSE), ", one of the labels ",
          "of the data that others of its names are: name a value for each label, or give unname(",
          arg, ") in the order of the data.", class = "repalign_error_names", arg = arg)
  }
  twice <- names[duplicated(names) & names %in% labels]
  if (length(twice)) {
    abort("`", arg, "` has the name ", dQuote(twice[1], FALSE), " twice: name each value by a ",
          "label of its own, or give unname(", arg, ") in the order of the data.",
          class = "repalign_error_names", arg = arg)
  }
  match(labels, names)
}

# Checked values with the names that were given, where the labels are known only later.
with_names_of <- function(values, given) {
  if (is.matrix(values)) dimnames(values) <- dimnames(given) else names(values) <- names(given)
  values
}

# The arguments of a measure that have a value for each stimulus, in the order of the stimuli.
# reprs: the representations of a call.
arguments_in_order <- function(args, reprs) {
  if (is.null(args$clusters) && is.null(args$stimulus_noise)) return(args)
  labels <- first_stimulus_names(reprs)
  if (!is.null(args$clusters)) {
    args$clusters <- cluster_codes(in_order_of(args$clusters, labels, "clusters"))
  }
  noise <- args$stimulus_noise
  if (!is.null(noise)) args$stimulus_noise <- in_order_of(noise, labels, "stimulus_noise")
  args
}

measure_in_order <- function(measure, reprs) {
  if (!is_own(measure)) measure$args <- arguments_in_order(measure$args, reprs)
  measure
}

# Those of the first representation that has some; the others have the same, or none.
first_stimulus_names <- function(reprs) {
  for (repr in reprs) {
    names <- stimulus_names(repr$data)
    if (!is.null(names)) return(names)
  }
  NULL
}

# The same of data that are no representations yet: matrices, arrays, RDMs, or lists of them.
first_row_names <- function(data) {
  if (is_responses(data)) data <- unclass(data)$values
  if (inherits(data, "dist")) return(attr(data, "Labels"))
  # the row names of a data frame without any are numbers
  if (is.data.frame(data)) return(if (.row_names_info(data) > 0) rownames(data))
  if (!is.list(data)) return(dimnames(data)[[1]])
  for (one in data) {
    names <- first_row_names(one)
    if (!is.null(names)) return(names)
  }
  NULL
}
