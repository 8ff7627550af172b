# The class of responses that know how they were recorded: its slots, methods and prints.

# Fields: values (stimuli x neurons x trials, NA where a cell was not recorded; several slots only
# if some stimulus has several trials); event (stimuli x trials: labels of what shares noise, NA
# where a stimulus has no such trial); neuron and session (a label for each column, or NULL);
# cluster (a label for each stimulus, NA to leave it out, or NULL); run (are the trials
# runs, each with all stimuli?); complete (are the columns all neurons that there are?); series (the
# time of each stimulus, in steps from 1 on, or NULL); kind (the words for it: those of a
# "recording" or of a "network").
new_responses <- function(values, event = NULL, neuron = NULL, session = NULL, cluster = NULL,
                          run = FALSE, complete = FALSE, series = NULL, kind = "recording") {
  structure(list(values = values, event = event, neuron = neuron, session = session,
                 cluster = cluster, run = run, complete = complete, series = series, kind = kind),
            class = "repalign_responses")
}

is_responses <- function(x) inherits(x, "repalign_responses")

# Which slots of each stimulus have any response.
recorded_slots <- function(values) {
  size <- dim(values)
  present <- vapply(seq_len(size[3]), function(t) {
    rowSums(!is.na(values[, , t, drop = FALSE])) > 0
  }, logical(size[1]))
  matrix(present, size[1], size[3])
}

# list(values, event), with events only where there are responses. keep: do trials stay in their
# slots? Where no stimulus has two, one slot remains.
settled_slots <- function(values, event, keep = TRUE, present = recorded_slots(values)) {
  event[!present] <- NA
  if (keep && any(rowSums(present) > 1)) return(list(values = values, event = event))
  move_slots(values, event, present)
}

# Values and events with the trials of each stimulus in its first slots. present: recorded_slots().
move_slots <- function(values, event, present = recorded_slots(values)) {
  count <- rowSums(present)
  most <- max(count, 1)
  if (most == ncol(present) && all(present == (col(present) <= count))) {
    return(list(values = values, event = event))
  }
  size <- dim(values)
  names <- dimnames(values)
  order <- t(apply(present, 1, function(row) order(!row)))
  order <- matrix(order, size[1], size[3])[, seq_len(most), drop = FALSE]
  event <- matrix(event[cbind(rep(seq_len(size[1]), most), as.vector(order))], size[1], most)
  cells <- as.double(size[1]) * size[2]
  values <- vapply(seq_len(most), function(slot) {
    values[seq_len(cells) + cells * (rep(order[, slot], size[2]) - 1)]
  }, numeric(cells))
  # slots that were moved no longer have one label for all stimuli
  moved <- !all(order == col(order))
  if (!is.null(names)) names <- list(names[[1]], names[[2]], if (!moved) names[[3]][seq_len(most)])
  list(values = array(values, c(size[1:2], most), names), event = event)
}

# ---- methods

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

#' @export
as.data.frame.repalign_responses <- function(x, row.names = NULL, optional = FALSE, ...) {
  refuse("type", "Responses are no table: as.data.frame(as.matrix(x)) has the means over trials, ",
         "and as.data.frame.table(as.array(x)) a row for each response.", arg = "x")
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
`[.repalign_responses` <- function(x, i, a, t, ..., drop = FALSE) {
  no_other_arguments(...)
  refuse_if(!missing(drop) && !identical(drop, FALSE), "value", "`drop` cannot be ",
            "{describe(drop)}: parts of responses are responses, with their three sides. ",
            "as.array() gives the plain array.")
  # the number of arguments tells x[i, ] from x[i]
  refuse_if(nargs() - sum(!missing(drop)) == 2 && !missing(i), "value", "Responses have three ",
            "sides: x[i, a, t] takes stimuli, neurons and trials.", arg = "i")
  size <- dim(x)
  names <- dimnames(x)
  i <- if (missing(i)) seq_len(size[1]) else part_index(i, size[1], names[[1]], "i", "stimulus")
  a <- if (missing(a)) seq_len(size[2]) else part_index(a, size[2], names[[2]], "a", "neuron")
  t <- if (missing(t)) seq_len(size[3]) else part_index(t, size[3], names[[3]], "t", "trial")
  part_of_responses(x, i, a, t)
}

#' @importFrom utils head
#' @export
head.repalign_responses <- function(x, n = 6L, ...) {
  no_other_arguments(...)
  check_row_count(n, most = 3)
  NextMethod()
}

#' @importFrom utils tail
#' @export
tail.repalign_responses <- function(x, n = 6L, ...) {
  no_other_arguments(...)
  check_row_count(n, most = 3)
  NextMethod(keepnums = FALSE)
}

# Positions from what a user gave: none may be taken twice, because it would count as two.
part_index <- function(at, size, names, arg, what) {
  places <- stats::setNames(seq_len(size), names)
  found <- if (is.character(at)) match(at, names) else {
    refuse_if(!is.numeric(at) && !is.logical(at), "value", "`{arg}` must be numbers, names or ",
              "TRUE and FALSE, not {describe(at)}.")
    unname(places[at])
  }
  if (anyNA(found) || is.logical(at) && length(at) > size) {
    wrong <- if (is.logical(at)) "a value too many, or NA" else
      if (is.character(at)) quoted(at[is.na(found)][1]) else at[at > size | is.na(at)][1]
    refuse("value", "`{arg}` asks for {wrong}, but there are {count_of(size, what)}.")
  }
  refuse_if(anyDuplicated(found), "value", "`{arg}` takes {what} {found[duplicated(found)][1]} ",
            "twice: it would count as two independent ones.")
  refuse_if(!length(found), "size", "`{arg}` takes no {what}: at least one must remain.")
  found
}

# Positions i, a, t must be whole numbers in range.
part_of_responses <- function(x, i, a, t = seq_len(dim(x)[3])) {
  force(t)
  x <- unclass(x)
  values <- x$values[i, a, t, drop = FALSE]
  settled <- settled_slots(values, x$event[i, t, drop = FALSE])
  new_responses(settled$values, settled$event, x$neuron[a], x$session[a], x$cluster[i], x$run,
                x$complete, x$series[i], x$kind)
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
                x$cluster[permutation], x$run, x$complete, x$series[permutation], x$kind)
}

# ---- print

# What print() and summary() say of responses objects.

#' @export
print.repalign_responses <- function(x, ...) {
  no_other_arguments(...)
  size <- dim(x)
  trials <- range(trial_counts(x))
  neurons <- if (is.null(x$neuron)) size[2] else length(unique(x$neuron))
  recorded <- recorded_sessions(x)
  missing <- missing_responses(x, recorded)
  events <- blocks_of_events(x)
  declared <- c(
    if (!is.null(x$session)) {
      paste0("Sessions: ", length(unique(x$session)), ", with ",
             count_of(range_words(tabulate(match(x$session, unique(x$session)))), "column"),
             " each.", if (!all(recorded)) {
               paste0(" A trial has responses of ", range_words(rowSums(recorded)), " of them.")
             })
    },
    if (!is.null(x$cluster)) {
      known <- x$cluster[!is.na(x$cluster)]
      sizes <- tabulate(match(known, unique(known)))
      left_out <- sum(is.na(x$cluster))
      paste0("Clusters: ", length(sizes), ", with ", count_of(range_words(sizes), "stimulus"),
             " each", if (left_out > 0) {
               paste0("; ", count_of(left_out, "stimulus"), " without a label ",
                      if (left_out == 1) "is" else "are", " left out")
             }, ".")
    },
    if (!is.null(x$series)) {
      paste0("Series: the stimuli follow each other in time, ",
             if (is.unsorted(x$series)) "in another order than here." else "in this order.")
    },
    if (events) "Events: some trials of a stimulus share noise.",
    if (missing > 0) {
      apart <- is.null(x$session) && any(colSums(!is.na(x$values)) == 0)
      paste0("Missing: ", count_of(missing, "response"), if (apart) {
        " in trials that other columns have: were these recorded apart? Then declare `session`"
      }, ".")
    }
  )
  lines <- c(paste0("Responses: ", count_of(size[1], "stimulus"), " x ",
                    count_of(size[2], "column"),
                    if (neurons < size[2]) paste0(" (", count_of(neurons, "neuron"), ")"),
                    if (x$complete) " (all that there are)",
                    ", ", if (trials[1] < trials[2]) paste(trials[1], "to "),
                    count_of(trials[2], if (x$run) "run" else "trial"),
                    if (!x$run) " a stimulus"), wrap_lines(declared),
             "Corrected estimates multiply responses",
             strwrap(paste("-", responses_multiplied(x)), 78, indent = 2, exdent = 4))
  writeLines(in_words_of_kind(lines, x$kind))
  invisible(x)
}

# Of a network, "units" are said for neurons, "layer" for a recording, and of several layers
# "networks" for subjects.
in_words_of_kind <- function(text, kind) {
  if (!identical(kind, "network")) return(text)
  text <- gsub("\\bneuron(s?)\\b", "unit\\1", text)
  # names of functions and arguments stay
  text <- gsub("(?<!_)\\bsubject(s?)\\b(?![_()\"])", "network\\1", text, perl = TRUE)
  gsub("\\brecording\\b", "layer", text)
}

wrap_lines <- function(text) strwrap(text, 78, exdent = 2)

# How many trials each stimulus has, and how many of them share no noise.
trial_counts <- function(x) rowSums(!is.na(x$event))

events_of_stimuli <- function(x) {
  apply(x$event, 1, function(labels) length(unique(labels[!is.na(labels)])))
}

range_words <- function(counts) {
  if (min(counts) == max(counts)) max(counts) else paste(min(counts), "to", max(counts))
}

# Which sessions (columns) have a response in each trial of a stimulus (rows)? Sessions of separate
# days have trials of their own.
recorded_sessions <- function(x) {
  known <- which(!is.na(x$event), arr.ind = TRUE)
  sessions <- if (is.null(x$session)) rep("", dim(x)[2]) else x$session
  each <- vapply(unique(sessions), function(session) {
    recorded_slots(x$values[, sessions == session, , drop = FALSE])[known]
  }, logical(nrow(known)))
  matrix(each, nrow(known))
}

# Responses that lack in a trial that other neurons of their session have.
missing_responses <- function(x, recorded) {
  columns <- if (is.null(x$session)) dim(x)[2] else tabulate(match(x$session, unique(x$session)))
  sum(colSums(recorded) * columns) - sum(!is.na(x$values))
}

# Do some trials of a stimulus share an event?
blocks_of_events <- function(x) {
  any(apply(x$event, 1, function(labels) anyDuplicated(labels[!is.na(labels)]) > 0))
}

# What may be multiplied with what, in words.
responses_multiplied <- function(x) {
  several <- max(trial_counts(x)) > 1
  trial <- if (x$run) "runs" else if (blocks_of_events(x)) "events" else "trials"
  trials <- if (several) {
    paste0("of different ", trial, if (!x$run) " of a stimulus",
           if (!is.null(x$session)) ", or of the same trial in different sessions",
           ", so that their noise drops out")
  } else if (is.null(x$session)) {
    "of one trial, so that its noise stays"
  } else "of one trial and different sessions, so that noise of a session drops out"
  c(paste("of different", if (is.null(x$neuron)) "columns" else "neurons"),
    paste("of different", if (is.null(x$cluster)) "stimuli" else "clusters of stimuli"), trials)
}

#' @export
summary.repalign_responses <- function(object, ...) {
  no_other_arguments(...)
  # stimuli that have no two trials of different events
  pairs <- events_of_stimuli(object)
  # how many responses lack, and where: of columns in trials that others have, and of stimuli that a
  # column lacks in all trials
  values <- unclass(object)$values
  never <- rowSums(!is.na(values), dims = 2) == 0
  recorded <- recorded_sessions(object)
  missing <- list(responses = missing_responses(object, recorded), never = sum(never),
                  columns = sum(colSums(never) > 0), stimuli = sum(rowSums(never) > 0),
                  apart = !all(recorded))
  structure(list(sizes = dim(object), trials = table(trial_counts(object), dnn = NULL),
                 few = which(pairs < 2), missing = missing,
                 run = object$run),
            class = "repalign_responses_summary")
}

#' @export
print.repalign_responses_summary <- function(x, ...) {
  no_other_arguments(...)
  counts <- as.integer(names(x$trials))
  cat(count_of(x$sizes[1], "stimulus"), " x ", count_of(x$sizes[2], "column"), "\n", sep = "")
  shown <- rbind(stimuli = as.integer(x$trials))
  colnames(shown) <- paste0(counts, " trial", ifelse(counts == 1, "", "s"))
  print(shown)
  missing <- if (x$missing$responses == 0) {
    if (x$missing$apart) {
      paste("No response is missing within a session, but neurons of different sessions have",
            "different trials.")
    } else "No response is missing in these trials."
  } else {
    paste0("Missing in these trials: ", count_of(x$missing$responses, "response"), ". ",
           if (x$missing$never == 0) "Every column has a response to every stimulus." else
             paste0(count_of(x$missing$columns, "column"), " never recorded ",
                    count_of(x$missing$stimuli, "stimulus"), " (",
                    count_of(x$missing$never, "cell"),
                    " without a mean)."))
  }
  lines <- c(
    if (length(x$few) && max(counts) > 1) {
      paste0("Without two trials of different events, and left out where noise is corrected by ",
             "trials: ", length(x$few), " (", if (length(x$few) > 1) "rows " else "row ",
             enumerate(x$few, quote = FALSE), ").")
    },
    missing
  )
  writeLines(wrap_lines(lines))
  invisible(x)
}

# Do any representations come from responses() objects?
declares_responses <- function(reprs) {
  for (repr in reprs) if (!is.null(repr$responses)) return(TRUE)
  FALSE
}
