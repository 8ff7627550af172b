# Methods of responses objects: sizes, parts, and means over trials.

#' @export
dim.repalign_responses <- function(x) dim(unclass(x)$values)

#' @export
dimnames.repalign_responses <- function(x) dimnames(unclass(x)$values)

#' @export
length.repalign_responses <- function(x) length(unclass(x)$values)

#' @export
as.array.repalign_responses <- function(x, ...) unclass(x)$values

#' @export
as.matrix.repalign_responses <- function(x, ...) {
  no_other_arguments(...)
  trial_means(unclass(x)$values)
}

# The mean over the trials of each stimulus and neuron; NA where none was recorded. With one trial
# these are the responses themselves, unchanged.
trial_means <- function(values) {
  names <- dimnames(values)[1:2]
  means <- if (dim(values)[3] == 1) values else rowMeans(values, na.rm = TRUE, dims = 2)
  means <- matrix(means, nrow(values))
  means[is.nan(means)] <- NA_real_
  dimnames(means) <- if (any(lengths(names) > 0)) names
  means
}

#' @export
`[.repalign_responses` <- function(x, i, a, t, ...) {
  no_other_arguments(...)
  # the number of arguments tells x[i, ] from x[i]
  if (nargs() == 2 && !missing(i)) {
    abort("Responses have three sides: x[i, a, t] takes stimuli, neurons and trials.",
          class = "repalign_error_value", arg = "i")
  }
  size <- dim(x)
  names <- dimnames(x)
  i <- if (missing(i)) seq_len(size[1]) else part_index(i, size[1], names[[1]], "i", "stimulus")
  a <- if (missing(a)) seq_len(size[2]) else part_index(a, size[2], names[[2]], "a", "neuron")
  t <- if (missing(t)) seq_len(size[3]) else part_index(t, size[3], names[[3]], "t", "trial")
  part_of_responses(x, i, a, t)
}

# Positions from what a user gave: none may be taken twice, because it would count as two.
part_index <- function(at, size, names, arg, what) {
  places <- stats::setNames(seq_len(size), names)
  found <- if (is.character(at)) match(at, names) else {
    if (!is.numeric(at) && !is.logical(at)) {
      abort("`", arg, "` must be numbers, names or TRUE and FALSE, not ", describe(at), ".",
            class = "repalign_error_value", arg = arg)
    }
    unname(places[at])
  }
  if (anyNA(found) || is.logical(at) && length(at) > size) {
    wrong <- if (is.logical(at)) "a value too many, or NA" else
      if (is.character(at)) dQuote(at[is.na(found)][1], FALSE) else at[at > size | is.na(at)][1]
    abort("`", arg, "` asks for ", wrong, ", but there are ",
          if (what == "stimulus") count_of_stimuli(size) else count_of(size, what), ".",
          class = "repalign_error_value", arg = arg)
  }
  if (anyDuplicated(found)) {
    abort("`", arg, "` takes ", what, " ", found[duplicated(found)][1], " twice: it would count ",
          "as two independent ones.", class = "repalign_error_value", arg = arg)
  }
  if (!length(found)) {
    abort("`", arg, "` takes no ", what, ": at least one must remain.",
          class = "repalign_error_size", arg = arg)
  }
  found
}

# Positions i, a, t must be whole numbers in range.
part_of_responses <- function(x, i, a, t = seq_len(dim(x)[3])) {
  force(t)
  x <- unclass(x)
  values <- x$values[i, a, t, drop = FALSE]
  event <- x$event[i, t, drop = FALSE]
  present <- recorded_slots(values)
  event[!present] <- NA
  moved <- move_slots(values, event, present)
  new_responses(moved$values, moved$event, x$neuron[a], x$session[a], x$cluster[i], x$run)
}

# rows, columns: TRUE for those that stay.
cut_responses <- function(x, rows = TRUE, columns = TRUE) {
  size <- dim(x)
  part_of_responses(x, seq_len(size[1])[rows], seq_len(size[2])[columns])
}

# The same responses with the stimuli in another order.
permuted_responses <- function(x, permutation) {
  if (is.null(x)) return(NULL)
  x <- unclass(x)
  names <- dimnames(x$values)
  values <- x$values[permutation, , , drop = FALSE]
  if (!is.null(names)) dimnames(values) <- c(list(NULL), names[2:3])
  new_responses(values, x$event[permutation, , drop = FALSE], x$neuron, x$session,
                x$cluster[permutation], x$run)
}
