# spike_counts() makes arrays of trials from times of spikes.

#' Spike counts around events
#'
#' Counts the spikes of every unit in a window around every onset of a stimulus.
#'
#' @param times times of the spikes of all units; or a list with the times of each unit.
#' @param units for every spike the label of its unit; or, as in NWB files (`spike_times_index`),
#'   the number of the last spike of each unit in `times`. For a list: a label for each element, or
#'   nothing.
#' @param onsets times of the onsets, in the same unit of time.
#' @param window two numbers: begin and end of the window, relative to the onset, in the same unit.
#'   Milliseconds where the others are seconds are an error.
#' @param stimuli for every onset the label of its stimulus (`NA`: left out); `NULL`: each onset is
#'   a stimulus of its own.
#' @param bins `NULL`: one count for the whole window. A number: the width of bins, which must
#'   divide the window.
#' @param ... not used.
#' @return An array stimuli x neurons x trials of counts, with names. Trials are in the order of
#'   `onsets`; stimuli with fewer trials have `NA` in the rest. With `bins` a list of such arrays,
#'   named by the begin and the end of each bin.
#' @details
#' A spike counts if `onset + begin <= time < onset + end`. No spike in any window is a warning:
#' times are then often in different units. [responses()] takes the array as it is.
#' @examples
#' times <- c(0.01, 0.02, 0.15, 1.03, 1.09, 2.02)
#' units <- c("a", "b", "a", "a", "a", "b")
#' spike_counts(times, units, onsets = c(0, 1, 2), window = c(0, 0.1),
#'              stimuli = c("face", "car", "face"))
#' @seealso [read_nwb()], [trial_array()]
#' @export
spike_counts <- function(times, units, onsets, window, stimuli = NULL, bins = NULL, ...) {
  listed <- !missing(times) && is.list(times) && !is.data.frame(times)
  if (listed && missing(units)) units <- NULL
  need_arguments()
  spikes <- spikes_by_unit(times, units)
  onsets <- check_times(onsets, "onsets")
  refuse_if(!length(onsets), "size", "`onsets` is empty: there is nothing to count around.")
  usable <- is.numeric(window) && length(window) == 2 && all(is.finite(window))
  refuse_if(!usable || window[1] >= window[2], "value", "`window` must be two finite numbers, ",
            "begin and end relative to the onset, the first below the second",
            if (usable) paste0("; it is ", window[1], " to ", window[2]), ".")
  # A window in milliseconds of times in seconds is far longer than the time between onsets, and is
  # longer than the recording, or a unit has more than a spike in each of its "milliseconds".
  edges <- as.double(window)
  width <- diff(edges)
  long <- width / stats::median(diff(sort(unique(onsets))))
  span <- diff(range(onsets, unlist(spikes)))
  wrong <- long > 20 && width > span || long > 100 && max(lengths(spikes)) > span
  refuse_if(isTRUE(wrong), "value", "`window` is {format(diff(window))} long, ",
            "{format(long, digits = 2)} times the time from one onset to the next: are `times` ",
            "and `onsets` in seconds, and `window` in milliseconds? Give all in one unit, such as ",
            "window / 1000.")
  # begins of all bins, and the end of the last
  if (!is.null(bins)) {
    bins <- check_number(bins, "bins", above = 0)
    count <- width / bins
    refuse_if(count > 1e6, "value", "`bins` of {bins} cut the window into more than a million.")
    whole <- round(count)
    refuse_if(whole < 1 || abs(count - whole) > 1e-8 * whole, "value", "`bins` must divide the ",
              "window, whose length is {format(width)}: it is ",
              "{format(count, digits = 6)} times as long as a bin of {format(bins)}.")
    # no sums of widths, whose rounding errors add up
    edges <- c(edges[1] + width * (seq_len(whole) - 1) / whole, edges[2])
    # 0 is 0, and named so
    edges <- replace(edges, abs(edges) < 1e-10 * width, 0)
  }
  # the onsets to take, whose trials are numbered for each stimulus
  if (is.null(stimuli)) stimuli <- seq_along(onsets)
  stimuli <- check_labels_of(stimuli, "stimuli", missing = TRUE)
  refuse_if(length(stimuli) != length(onsets), "labels", "`stimuli` must have one label for each ",
            "of the {count_of(length(onsets), 'onset')}, and has {length(stimuli)}.")
  onsets <- onsets[!is.na(stimuli)]
  refuse_if(!length(onsets), "labels", "`stimuli` has no label: all are NA.")
  stimulus <- ordered_labels(stimuli[!is.na(stimuli)])
  trial <- stats::ave(seq_along(stimulus), stimulus, FUN = seq_along)
  sizes <- c(nlevels(stimulus), length(spikes), max(trial))
  check_memory(8 * prod(sizes) * (length(edges) - 1), "The array of counts",
               "Fewer bins or units need less.")
  counts <- rep(list(array(NA_real_, sizes, dimnames = list(
    levels(stimulus), names(spikes), seq_len(sizes[3])
  ))), length(edges) - 1)
  for (unit in seq_along(spikes)) {
    # Counts of the sorted times, onsets x bins. Edges are compared with the times themselves: the
    # difference of a time and its onset would be rounded.
    below <- findInterval(outer(onsets, edges, `+`), spikes[[unit]], left.open = TRUE)
    below <- matrix(below, length(onsets))
    found <- below[, -1, drop = FALSE] - below[, -ncol(below), drop = FALSE]
    at <- cbind(as.integer(stimulus), unit, trial)
    for (bin in seq_along(counts)) counts[[bin]][at] <- found[, bin]
  }
  warn_if(!any(vapply(counts, function(m) any(m > 0, na.rm = TRUE), NA)), "no_spikes",
          "spike_counts(): no spike lies in any window. Are `times`, `onsets` and `window` in the ",
          "same unit of time?")
  if (is.null(bins)) return(counts[[1]])
  text <- vapply(edges, function(edge) format(signif(edge, 10)), "")
  stats::setNames(counts, paste(text[-length(text)], "to", text[-1]))
}

# Sorted times of each unit, in a list with names.
spikes_by_unit <- function(times, units) {
  if (is.list(times) && !is.data.frame(times)) {
    refuse_if(!length(times), "size", "`times` is an empty list: it needs the times of one unit ",
              "at least.")
    labels <- if (is.null(units)) names(times) else
      label_text(as_text(check_labels_of(units, "units")))
    if (is.null(labels)) labels <- as.character(seq_along(times))
    refuse_if(length(labels) != length(times) || anyDuplicated(labels) ||
                !all(nzchar(labels)), "labels", "`units` must have a different label for each ",
              "element of `times` ({length(times)}).")
    args <- paste0("times[[", seq_along(times), "]]")
    return(stats::setNames(lapply(Map(check_times, unname(times), args), sort), labels))
  }
  times <- check_times(times, "times")
  units <- check_labels_of(units, "units")
  # ends of the units in `times`: fewer than spikes (or else they are labels), in order, and the
  # last one is that of the last spike
  spikes <- length(times)
  if (is.numeric(units) && !is.object(units) && length(units) > 0 && length(units) != spikes &&
        all(units == round(units)) && units[1] >= 0 && !is.unsorted(units) &&
        units[length(units)] == spikes) {
    units <- factor(rep(seq_along(units), diff(c(0, units))), seq_along(units))
  }
  refuse_if(length(units) != length(times), "labels", "`units` must have one label for each of ",
            "the {count_of(length(times), 'spike')} in `times`, and has {length(units)}.")
  if (!is.factor(units)) units <- ordered_labels(units)
  refuse_if(!nlevels(units), "size", "`times` and `units` have no spikes: without any unit there ",
            "is nothing to count.")
  lapply(split(times, units), sort)
}

as_text <- function(labels) if (is.factor(labels)) as.character(labels) else labels

check_times <- function(times, arg) {
  refuse_if(!is.numeric(times) || is.factor(times) || sum(dim(times) > 1) > 1, "type",
            "`{arg}` must be a vector of times, not {describe(times)}.")
  if (is_integer64(times)) times <- integer64_values(times)
  refuse_if(is.null(times), "value", "`{arg}` has whole numbers beyond 2^53, which R's doubles do ",
            "not hold: give times in seconds.")
  refuse_if(!all(is.finite(times)), "nonfinite", "`{arg}` has missing or non-finite values, first ",
            "at {which(!is.finite(times))[1]}: leave them out",
            if (arg == "times") ", with their `units`", ".")
  as.double(times)
}

# missing: may labels be NA?
check_labels_of <- function(labels, arg, missing = FALSE) {
  refuse_if(!is.atomic(labels) || is.null(labels) || sum(dim(labels) > 1) > 1, "type",
            "`{arg}` must be a vector of labels, not {describe(labels)}.")
  refuse_if(!missing && anyNA(labels), "nonfinite", "`{arg}` has no label (NA) at ",
            "{which(is.na(labels))[1]}.")
  if (is.factor(labels)) labels else as.vector(labels)
}
