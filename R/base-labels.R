# Labels of conditions, stimuli, neurons and trials come in one order, whatever function reads them;
# values with names, one for each of several things that have labels, go by their names.

# ---- order

# The different labels: those of a factor by their levels, numbers by value, words by their first
# appearance. (Sorted words would bring "animal 10" before "animal 2".)
levels_in_order <- function(values) {
  if (is.factor(values)) return(levels(droplevels(values)))
  values <- as.vector(values)
  if (is.character(values)) unique(values[!is.na(values)]) else sort(unique(values))
}

# The order of texts in all locales. R does not sort those of no declared encoding so.
radix_order <- function(texts) order(enc2utf8(texts), method = "radix")

# Labels as a factor of text in this order.
ordered_labels <- function(values) {
  factor(label_text(as.vector(values)), label_text(levels_in_order(values)))
}

# One order of the labels of several things, as text: that of the first, to which the others add
# what it lacks. all: a list of labels.
order_of_all <- function(all) {
  all <- Filter(Negate(is.null), all)
  if (all(vapply(all, is.numeric, NA))) return(label_text(levels_in_order(unlist(all))))
  unique(unlist(lapply(all, function(values) {
    # levels that do not occur say where those stand that others have
    label_text(if (is.factor(values)) levels(values) else levels_in_order(values))
  })))
}

# Labels as text. Whole numbers are written out, so that 1e5 is "100000" whether it is stored as a
# double or as an integer.
label_text <- function(values) {
  if (!is.double(values) || is.object(values)) return(as.character(values))
  whole <- values == round(values) & abs(values) < 1e15
  ifelse(whole, sprintf("%.0f", values), as.character(values))
}

# A column of labels (a matrix of n x 1, as files have them) as a vector with the names of its rows.
column_of_labels <- function(values) {
  if (is.matrix(values) && ncol(values) == 1 && nrow(values) > 1) values[, 1] else values
}

# ---- values with names

# values: a vector with a value for each thing, or a square matrix of them (a covariance), which has
# the names of its rows and columns; labels: of the things, or NULL; of: the things in words, where
# they have no labels. Values with names are put into the order of the labels, which they must have;
# without names, and where the things have no labels, they go by position. Returned are the values
# without names.
in_order_of <- function(values, labels, arg, of = "the stimuli") {
  values <- column_of_labels(values)
  square <- is.matrix(values) && nrow(values) == ncol(values)
  if (!is.atomic(values) || length(dim(values)) > 1 && !square) return(values)
  names <- names(values)
  if (square) {
    rows <- rownames(values)
    columns <- colnames(values)
    differ <- length(labels) && !is.null(rows) && !is.null(columns) && !identical(rows, columns)
    at <- which(rows != columns)[1]
    refuse_if(differ, "names", "`{arg}` has other names of rows than of columns, first at place ",
              "{at} ({quoted(rows[at])} and {quoted(columns[at])}): give both the labels, in the ",
              "same order.")
    names <- if (is.null(rows)) columns else rows
  }
  values <- unname(values)
  places <- places_of_labels(names, labels, arg, of)
  if (is.null(places)) return(values)
  if (square) values[places, places, drop = FALSE] else values[places]
}

# The same for a matrix with a row for each thing.
rows_in_order_of <- function(values, labels, arg, of = "the stimuli") {
  if (!is.matrix(values)) return(in_order_of(values, labels, arg, of))
  places <- places_of_labels(rownames(values), labels, arg, of)
  if (is.null(places)) values else values[places, , drop = FALSE]
}

# Where the values are that have the labels as names; NULL where they go by position.
places_of_labels <- function(names, labels, arg, of) {
  labels <- as.character(labels)
  names[is.na(names) | !nzchar(names)] <- NA
  if (!length(names) || all(is.na(names)) || identical(names, labels)) return(NULL)
  if (!length(labels)) {
    inform("one_sided_names", "`{arg}` has names, but {of} have none: its values are taken in the ",
           "order in which they stand.")
    return(NULL)
  }
  lacking <- labels[!labels %in% names]
  refuse_if(length(lacking), "names", "`{arg}` has names, but none is ",
            "{quoted(lacking[1])}, a label of the data: name a value for each label, or ",
            "give unname({arg}) in the order of the data.")
  twice <- names[duplicated(names) & names %in% labels]
  refuse_if(length(twice), "names", "`{arg}` has the name {quoted(twice[1])} twice: name ",
            "each value by a label of its own, or give unname({arg}) in the order of the data.")
  match(labels, names)
}

# Those of the first representation that has some; the others have the same, or none.
first_stimulus_names <- function(reprs) {
  Find(Negate(is.null), lapply(reprs, function(repr) stimulus_names(repr$data)))
}

# The same of data that are no representations yet: matrices, arrays, RDMs, or lists of them.
first_row_names <- function(data) {
  if (is_responses(data)) data <- unclass(data)$values
  if (inherits(data, "dist")) return(attr(data, "Labels"))
  # the row names of a data frame without any are numbers
  if (is.data.frame(data)) return(if (.row_names_info(data) > 0) rownames(data))
  if (!is.list(data)) return(dimnames(data)[[1]])
  Find(Negate(is.null), lapply(unclass(data), first_row_names))
}
