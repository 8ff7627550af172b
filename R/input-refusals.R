# Which representations a measure cannot use. The error is kept with the representation, because a
# grid may leave such scores out.

# The error of a measure for a representation, whatever that is compared with, or NULL. A measure of
# the user's own decides for itself which data it can use.
refusal <- function(measure, repr) {
  if (repr$kind == "dist") {
    if (measure$takes_all_distances && repr$n > 1) return(NULL)
  } else if (repr$kind == "data" && repr$n > 1 && measure$takes_data) {
    # with variance, in numbers that differences can be taken of
    largest <- column_stats(repr)$largest
    if (!is.na(largest) && largest > 0 && largest < Inf) return(NULL)
  }
  if (is_own(measure)) return(NULL)
  accepted <- measure$accepts
  tryCatch({
    need_kind(repr, accepted, quoted(measure$id))
    refuse_negative(repr, accepted)
    # only measures that accept "zero" distances say for themselves that they are undefined
    if (!is.null(repr$loose) && !"zero" %in% accepted && all(repr$data == 0, na.rm = TRUE)) {
      refuse_zeros(repr$arg)
    }
    refuse_useless(repr)
    NULL
  }, repalign_error = identity)
}

# What a measure accepts that takes whatever check_dist() lets pass.
any_distances <- c("dist", "signed", "zero")

# Refuses what no declared measure can use: a single stimulus, and data without variance.
refuse_useless <- function(repr) {
  check_rows(repr$n, 2, repr$arg, "a similarity")
  if (repr$kind == "data" && !has_holes(repr)) form_centering(repr)
}

# The representations of both sides with the errors that measures have for them.
with_refusals <- function(sides, set) {
  map_sides(sides, function(side, name) {
    for (measure in set) {
      if (isTRUE(sides$bare) && measure$takes_all_distances) next
      for (at in seq_along(side$reprs)) {
        error <- refusal(measure, side$reprs[[at]])
        if (!is.null(error)) side$reprs[[at]]$refused[[measure$label]] <- error
      }
    }
    side
  })
}

# The first error that a measure has for one of a pair, or NULL.
refusal_of_pair <- function(measure, pair) {
  error <- pair$x$refused[[measure$label]]
  if (is.null(error)) pair$y$refused[[measure$label]] else error
}

# For functions that need every representation.
stop_at_refusals <- function(sides) {
  for (repr in all_representations(sides)) for (error in repr$refused) stop(error)
}

# A list of bins that follow each other, as spike_counts() makes it, is none of subjects.
refuse_time_bins <- function(data, arg) {
  ends <- strsplit(as.character(names(data)), " to ", fixed = TRUE)
  if (!length(ends) || any(lengths(ends) != 2)) return(invisible())
  ends <- suppressWarnings(matrix(as.numeric(unlist(ends)), 2))
  refuse_if(!anyNA(ends) && all(ends[1, -1] == ends[2, -ncol(ends)]), "type", "`{arg}` is a list ",
            "of bins of time ({enumerate(names(data), 3)}), and a list is one of subjects: give ",
            "one bin, {arg}[[1]], or one after the other by lapply().")
}
