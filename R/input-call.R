# What a user gives becomes one opened call, in which everything is judged once. All that follows
# trusts it.

# An opened call is a list:
#
# sides     list(x, y, self, same, models): the representations of both sides (input-sides.R)
# set       the measures, settled for these representations (settled_measure())
# pairs     what is compared: a data frame with the places i and j in the two sides
# n         the number of stimuli that are compared
# rows      which of the given stimuli are kept
# labels    the names of all given stimuli, or NULL
# clusters  the codes of the clusters of the kept stimuli, or NULL
# threads   how many threads there are, an integer
# choices   the streams of random choices (base-random.R)
# dependence  what was warned of the rows (input-dependence.R), or NULL
# left_out    a sentence about what missing values left out, or NULL
#
# Representations and measures that do not go together are no error here, because a grid may leave
# such scores out: their error is kept with the representation (refusal()).

#' Opens a call: judges what a user gave, once
#'
#' @param x,y the sides as the user gave them, `y` NULL for all pairs of `x`
#' @param set a list of measures, as measures of the user or settled
#' @param na,threads arguments of the user
#' @param diagonal is each representation of a list also compared with itself?
#' @param controls does the function know measures with controls?
#' @param ... further arguments of open_sides()
#' @param frame of the function that the user has called, with which ends what is planned for the
#'   end
#' @return an opened call, as described above.
#' @noRd
open_call <- function(x, y, set, na = "error", threads = NULL, diagonal = FALSE, ...,
                      controls = FALSE, frame = parent.frame()) {
  threads <- hold_threads(threads, frame)
  beside <- if (controls) read_controls(set, x, na != "error")
  if (!is.null(beside$side)) set <- beside$set
  sides <- as_sides(x, y, names_count(set), na, beside$side)
  call <- open_sides(sides, set, na, ..., frame = frame)
  note_incomplete_controls(call)
  call$threads <- threads
  warn_if(diagonal && !call$sides$self, "unused", "`diagonal` is used only when all pairs of `x` ",
          "are compared (y = NULL).", data = "diagonal")
  call$pairs <- list_pairs(call$sides, diagonal)
  note_gaps(call$pairs, call$sides$x$reprs, call$sides$y$reprs, call$set)
  call
}

#' Opens a call of sides that were read already, without the pairs
#'
#' @param sides list(x, y, self, same, models), input-sides.R
#' @param set,na as of open_call()
#' @param clusters,use labels of the call, a label for each stimulus, and what they are for:
#'   "scores" (nothing but those that measures or responses() have), "null" (whole clusters are
#'   permuted) or "errors" (whole clusters are deleted)
#' @param least,why how many clusters are needed, and for what
#' @param series the kind of shifts in time, see check_series(); with "linear" only the middle half
#'   of the rows is compared
#' @param remedy what the function offers for stimuli that depend on each other, where it takes
#'   them as independent; see warn_of_rows()
#' @param relabel see settled_set()
#' @param grid see settled_measure()
#' @param own_clusters may measures have clusters?
#' @param frame as of open_call()
#' @return an opened call without `pairs` and `threads`.
#' @noRd
open_sides <- function(sides, set, na = "error", clusters = NULL, use = "scores", least = 2,
                       why = "a permutation", series = FALSE, remedy = NULL, relabel = TRUE,
                       grid = TRUE, own_clusters = TRUE, frame = parent.frame()) {
  hold_threads(frame = frame)
  if (is.null(sides$z)) refuse_controls(set)
  reprs <- all_representations(sides)
  # most calls have nothing but matrices, about which less is to be judged
  bare <- isTRUE(sides$bare)
  plain <- bare || are_plain(reprs)
  if (!bare) warn_of_odd_columns(reprs)
  if (!plain) check_prepared(reprs, set)
  if (!plain && use == "errors") check_kept_data(reprs)
  labels <- if (use != "scores") first_stimulus_names(reprs)
  set <- settled_set(set, sides, relabel)
  rows <- rep(TRUE, reprs[[1]]$n)
  if (!plain || !is.null(clusters)) {
    declared <- declared_sides(sides, set, clusters, labels)
    set <- declared$set
    clusters <- cluster_codes(declared$clusters)
  }
  if (!isFALSE(series)) {
    timed <- sides_in_time(sides, set)
    sides <- timed$sides
    set <- timed$set
    reprs <- all_representations(sides)
  }
  if (use != "scores") {
    common <- with_common_clusters(set, clusters)
    set <- common$set
    clusters <- common$clusters
  }
  if (relabel && (!plain || !is.null(clusters))) {
    set <- with_unique_labels(lapply(set, with_cluster_label))
  }
  if (!bare) refuse_repeats_of(reprs, set, clusters, own_clusters)
  left_out <- NULL
  if (na != "error") {
    complete <- complete_sides(sides, set, na)
    sides <- complete$sides
    set <- complete$set
    rows <- complete$rows
    left_out <- complete$left_out
  }
  if (use != "scores") check_clusters(clusters, length(rows), reprs[[1]]$arg, least, why)
  clusters <- cut_clusters(clusters, rows)
  if (use != "scores" && !all(rows)) {
    check_clusters(clusters, length(clusters), reprs[[1]]$arg, least, why)
  }
  if (anyNA(clusters)) {
    keep <- !is.na(clusters)
    sides <- map_sides(sides, function(side, name) cut_side(side, keep, list(TRUE)))
    set <- lapply(set, cut_measure_stimuli, keep)
    rows[rows] <- keep
    clusters <- labelled_codes(clusters)
  }
  if (!plain) refuse_holes(all_representations(sides), set)
  if (series == "linear") {
    refuse_prepared_series(all_representations(sides))
    sides <- middle_sides(sides)
    if (relabel) set <- lapply(set, with_middle_label)
  }
  set <- lapply(set, settled_measure, grid)
  sides <- with_refusals(sides, set)
  reprs <- all_representations(sides)
  set_largest_k(set, reprs)
  dependence <- if (!is.null(remedy) && is.null(clusters)) {
    if (use == "errors") note_declared_series(reprs)
    warn_of_rows(sides$x$reprs, if (!sides$self) sides$y$reprs, use, remedy)
  }
  choices <- begin_choices(reprs)
  at_end_of(frame, end_choices(choices))
  list(sides = sides, set = set, n = reprs[[1]]$n, rows = rows, labels = labels,
       clusters = clusters, choices = choices, dependence = dependence, left_out = left_out)
}

#' A call of two representations and one measure
#'
#' Two matrices without clusters take a short way, because small calls would otherwise spend their
#' time here.
#'
#' @param x,y,na as the user gave them
#' @param measure list(id, label, args, declaration)
#' @param what the function that the user called, in messages
#' @param score a function(pair, measure), for which there is no doubt about these
#' @return the value of score().
#' @noRd
in_open_pair <- function(x, y, measure, what, na, score) {
  na <- check_choice(na, missing_rules, "na")
  stats <- .Call(C_bare_pair, x, y)
  bare <- !is.null(stats)
  if (bare) {
    reprs <- list(matrix_representation(x, stats$x, "x"), matrix_representation(y, stats$y, "y"))
  } else {
    check_encodings(list(x = x, y = y))
    reprs <- list(representation(x, "x", allow_na = na != "error", loose = TRUE),
                  representation(y, "y", allow_na = na != "error", loose = TRUE))
    reprs <- with_common_stimuli(reprs, measure$declaration$pairing)
  }
  # a process that was forked within another call must not keep its number of threads
  if (!is.null(running$threads)) hold_threads()
  if (na == "error" && (bare || are_plain(reprs)) && is.null(measure$args$clusters)) {
    if (!bare) refuse_repeats(reprs)
    if (!bare || stats$x$odd || stats$y$odd) warn_of_odd_columns(reprs)
    choices <- begin_choices(reprs)
    on.exit(end_choices(choices), add = TRUE)
    if (is.null(measure$range)) {
      measure$args <- settled_arguments(measure$declaration, measure$args,
                                        list(x = reprs[1], y = reprs[2]))
      measure <- settled_measure(measure, grid = FALSE)
      note_unused_labels(measure$args)
    }
    for (repr in if (!bare || !measure$takes_data) reprs) {
      error <- refusal(measure, repr)
      if (!is.null(error)) stop(error)
    }
    pair <- pair_of(reprs[[1]], reprs[[2]])
  } else {
    call <- open_sides(sides_of(reprs[1], reprs[2]), list(measure), na, grid = FALSE)
    given <- measure$args$clusters
    measure <- call$set[[1]]
    # what responses() declare is no label without effect
    note_unused_labels(replace(measure$args, "clusters", list(given)))
    note_gaps(list(i = 1L, j = 1L), call$sides$x$reprs, call$sides$y$reprs, call$set)
    pair <- side_pair(call$sides, 1, 1)
    error <- refusal_of_pair(measure, pair)
    if (!is.null(error)) stop(error)
  }
  # in one comparison only, nothing pays that serves the next one
  for (cache in list(pair$x$cache, pair$y$cache)) cache$compared_once <- TRUE
  d <- measure$declaration
  if (!are_tiny(reprs)) check_pair_memory(d, pair, measure$args, what)
  score(pair, measure)
}

are_plain <- function(reprs) {
  all(vapply(reprs, function(repr) {
    repr$kind == "data" && is.null(repr$responses) && is.null(repr$prepared)
  }, NA))
}

# Does the order of the stimuli matter to a measure, so that their names are compared?
names_count <- function(set) {
  any(vapply(set, function(measure) isTRUE(measure$declaration$pairing), NA))
}

# A measure of an opened call, whose arguments are settled. What follows from these alone stands in
# it as values:
#
# range        the smallest and the largest score
# accepts      what may stand for a representation
# takes_data           does it take responses?
# takes_all_distances  does it take whatever check_dist() lets pass?
# neighbours   list(metric, k) of the neighbour graph that is compared, or NULL
# averaged     is the score a mean over orders of tied neighbours, one by one?
#
# and where there is more than one score (grid)
#
# best, limit  see best_of() and limit_of()
# symmetric    is the score of (x, y) that of (y, x)?
# sign         -1 for distances, 1 for similarities
# null         what new_null() made for these arguments, or NULL
# dot          what new_dot() made for these arguments, or NULL
settled_measure <- function(measure, grid = TRUE) {
  d <- measure$declaration
  args <- measure$args
  value <- function(field) if (is.function(field)) field(args) else field
  measure$range <- value(d$range)
  measure$accepts <- value(d$accepts)
  measure$takes_data <- "data" %in% measure$accepts
  measure$takes_all_distances <- all(any_distances %in% measure$accepts)
  if (!is.null(d$neighbours)) measure$neighbours <- d$neighbours(args)
  measure$averaged <- takes_orders(d, args)
  if (!grid) return(measure)
  measure$best <- as.double(value(d$best))
  measure$limit <- limit_of(measure)
  measure$symmetric <- isTRUE(value(d$symmetric))
  measure$sign <- orientation(measure)
  measure$null <- value(d$null)
  measure$dot <- value(d$dot)
  measure
}

# The measures with their default arguments, settled at installation (zzz.R): most calls of two
# matrices have no others, and need not judge them again. (Default arguments hold no labels, so that
# all matrices that declare nothing settle them alike.) By ids list(given, measure): the default
# arguments as the exported function has them, and the measure that they make, but for its
# declaration.
usual_measures <- new.env()

settle_usual_measures <- function() {
  for (id in measure_ids()) {
    d <- declaration(id)
    given <- default_arguments(id)
    if (!length(given)) given <- list() # without names, as functions without parameters give it
    args <- settled_arguments(d, d$check(given), list(x = list(), y = list()))
    measure <- settled_measure(list(id = id, label = id, args = args, declaration = d), FALSE)
    measure$declaration <- NULL
    usual_measures[[id]] <- list(given = given, measure = measure)
  }
}

# ---- clusters of a call

# Clusters of the call, of responses() objects or of the measures must be the same, and every
# measure that can leave out pairs within clusters does so.
with_common_clusters <- function(set, clusters) {
  own <- lapply(set, function(measure) measure$args$clusters)
  codes <- unique(Filter(Negate(is.null), c(own, list(clusters))))
  refuse_if(length(codes) > 1, "choice", "`clusters` differ between the measures and the call: ",
            "give the same labels to all, or to the call alone.")
  if (!length(codes)) return(list(set = set, clusters = NULL))
  set <- lapply(set, function(measure) {
    if (takes_clusters(measure)) measure$args$clusters <- codes[[1]]
    measure
  })
  list(set = set, clusters = codes[[1]])
}

# ---- refusals

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
