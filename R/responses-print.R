# What print() and summary() say of responses objects.

#' @export
print.repalign_responses <- function(x, ...) {
  no_other_arguments(...)
  writeLines(c(responses_sizes(x), wrap_lines(responses_declared(x)),
               "Corrected estimates multiply responses",
               strwrap(paste("-", responses_multiplied(x)), 78, indent = 2, exdent = 4)))
  invisible(x)
}

wrap_lines <- function(text) strwrap(text, 78, exdent = 2)

responses_sizes <- function(x) {
  size <- dim(x)
  trials <- range(trial_counts(x))
  neurons <- if (is.null(x$neuron)) size[2] else length(unique(x$neuron))
  paste0("Responses: ", count_of_stimuli(size[1]), " x ", count_of(size[2], "column"),
         if (neurons < size[2]) paste0(" (", count_of(neurons, "neuron"), ")"),
         ", ", if (trials[1] < trials[2]) paste(trials[1], "to "), count_of(trials[2],
         if (x$run) "run" else "trial"), if (!x$run) " a stimulus")
}

count_of_stimuli <- function(n) paste(n, if (n == 1) "stimulus" else "stimuli")

# How many trials each stimulus has.
trial_counts <- function(x) rowSums(!is.na(x$event))

responses_declared <- function(x) {
  missing <- missing_responses(x)
  events <- blocks_of_events(x)
  c(
    if (!is.null(x$session)) {
      paste0("Sessions: ", length(unique(x$session)), ", with ",
             range_words(tabulate(match(x$session, unique(x$session)))), " columns each.")
    },
    if (!is.null(x$cluster)) cluster_words(x$cluster),
    if (events) "Events: some trials of a stimulus share noise.",
    if (missing > 0) paste0("Missing: ", count_of(missing, "response"), ".")
  )
}

cluster_words <- function(cluster) {
  known <- cluster[!is.na(cluster)]
  sizes <- tabulate(match(known, unique(known)))
  left_out <- sum(is.na(cluster))
  paste0("Clusters: ", length(sizes), ", with ", range_words(sizes), " stimuli each",
         if (left_out > 0) paste0("; ", left_out, " stimuli without a label are left out"), ".")
}

range_words <- function(counts) {
  if (min(counts) == max(counts)) max(counts) else paste(min(counts), "to", max(counts))
}

# Responses that lack in a trial that other neurons have.
missing_responses <- function(x) {
  present <- !is.na(x$event)
  sum(present) * dim(x)[2] - sum(!is.na(x$values))
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
           if (!is.null(x$session)) " (between sessions also of the same)",
           ", so that their noise drops out")
  } else if (is.null(x$session)) {
    "of one trial, so that its noise stays"
  } else {
    "of one trial and different sessions, so that noise of a session drops out"
  }
  c(paste("of different", if (is.null(x$neuron)) "columns" else "neurons"),
    paste("of different", if (is.null(x$cluster)) "stimuli" else "clusters of stimuli"), trials)
}

#' @export
summary.repalign_responses <- function(object, ...) {
  no_other_arguments(...)
  structure(list(sizes = dim(object), trials = table(trial_counts(object), dnn = NULL),
                 few = few_trials(object), missing = missing_summary(object),
                 run = object$run),
            class = "repalign_responses_summary")
}

# Stimuli that have no two trials of different events.
few_trials <- function(x) {
  pairs <- apply(x$event, 1, function(labels) length(unique(labels[!is.na(labels)])))
  which(pairs < 2)
}

# How many responses lack, and where: of columns in trials that others have, and of stimuli that a
# column lacks in all trials.
missing_summary <- function(x) {
  values <- unclass(x)$values
  never <- rowSums(!is.na(values), dims = 2) == 0
  list(responses = missing_responses(x), never = sum(never), columns = sum(colSums(never) > 0),
       stimuli = sum(rowSums(never) > 0))
}

#' @export
print.repalign_responses_summary <- function(x, ...) {
  no_other_arguments(...)
  counts <- as.integer(names(x$trials))
  cat(count_of_stimuli(x$sizes[1]), " x ", count_of(x$sizes[2], "column"), "\n", sep = "")
  shown <- rbind(stimuli = as.integer(x$trials))
  colnames(shown) <- paste0(counts, " trial", ifelse(counts == 1, "", "s"))
  print(shown)
  lines <- c(
    if (length(x$few) && max(counts) > 1) {
      paste0("Without two trials of different events, and left out where noise is corrected by ",
             "trials: ", length(x$few), " (", if (length(x$few) > 1) "rows " else "row ",
             enumerate(x$few, quote = FALSE), ").")
    },
    missing_words(x$missing)
  )
  writeLines(wrap_lines(lines))
  invisible(x)
}

missing_words <- function(missing) {
  if (missing$responses == 0) return("No response is missing in these trials.")
  paste0("Missing in these trials: ", count_of(missing$responses, "response"), ". ",
         if (missing$never == 0) "Every column has a response to every stimulus." else
           paste0(count_of(missing$columns, "column"), " never recorded ",
                  count_of_stimuli(missing$stimuli), " (", count_of(missing$never, "cell"),
                  " without a mean)."))
}
