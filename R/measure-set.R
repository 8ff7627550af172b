# These functions turn what users give as `measure` into a list of measure objects.

# measure: a vector of ids, a measure object, or a list of both. The names of a list become labels,
# and labels are made unique, because results tell their measures apart by them.
as_measures <- function(measure) {
  if (inherits(measure, "repalign_measure")) measure <- list(measure)
  if (is.function(measure)) measure <- list(measure)
  if (!is.character(measure) && !is.list(measure)) {
    abort("`measure` must be ids, measure objects, or a list of both; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  if (!length(measure)) {
    abort("`measure` is empty: name at least one; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  set <- lapply(measure, function(m) {
    if (inherits(m, "repalign_measure")) return(m)
    if (is.function(m)) {
      abort("`measure` holds a bare function: wrap it in new_measure().",
            class = "repalign_error_measure", arg = "measure")
    }
    measure(m)
  })
  named <- names(set)
  for (i in which(!is.null(named) & nzchar(named))) set[[i]]$label <- named[i]
  labels <- number_equal_labels(vapply(set, function(m) m$label, ""))
  for (i in seq_along(set)) set[[i]]$label <- labels[i]
  unname(set)
}

# The second of equal labels gets " #2", where make.unique() would start with 1. The last line is
# for users who gave such a label themselves.
number_equal_labels <- function(labels) {
  unique <- make.unique(labels, sep = " #")
  repeated <- which(unique != labels)
  count <- as.integer(sub(".* #", "", unique[repeated])) + 1L
  unique[repeated] <- paste0(labels[repeated], " #", count)
  make.unique(unique, sep = " #")
}
