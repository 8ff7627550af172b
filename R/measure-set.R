# What users give as `measure`, as a list of measure objects with labels that differ.

# A vector of ids, a measure object, or a list of both: a list of measure objects
# with unique labels. Names of a list become labels.
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
  labels <- numbered(vapply(set, function(m) m$label, ""))
  for (i in seq_along(set)) set[[i]]$label <- labels[i]
  unname(set)
}

# The second of equal labels gets " #2", and so on.
numbered <- function(labels) {
  unique <- make.unique(labels, sep = " #")
  again <- which(unique != labels)
  count <- as.integer(sub(".* #", "", unique[again])) + 1L
  unique[again] <- paste0(labels[again], " #", count)
  make.unique(unique, sep = " #")
}
