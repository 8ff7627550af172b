# responses() declares how responses were recorded: which are trials of one stimulus, which columns
# were recorded together, which stimuli belong together. Estimates take what they need from it.

#' Responses, and how they were recorded
#'
#' Says once which responses are trials of one stimulus, which neurons were recorded together and
#' which stimuli belong together. All functions take the result as a representation.
#'
#' @param x one of the following (in a data frame, other arguments may be names of columns):
#'   * an array stimuli x neurons x trials ([trial_array()]), `NA` where nothing was recorded.
#'   * a matrix with a row for each presentation of a `stimulus`; without labels, each row is one.
#'   * a long data frame with a row for each response of a neuron: give `stimulus` and `neuron`.
#'   * a wide data frame with a row for each presentation: without `neuron`, all columns that no
#'     argument names are neurons.
#'
#' @param stimulus one label per row, equal for trials of one stimulus.
#' @param neuron one label per column (long data frame: row), equal for the same neuron, also on
#'   both sides of a comparison: its columns are never multiplied with each other.
#' @param trial one label per trial of an array, or a matrix stimuli x trials; otherwise one per
#'   row. By default numbers, in their order.
#' @param session one label per column (long data frame: row), equal for what was recorded together
#'   and may share noise; without labels, all was. A neuron of several sessions has a column for
#'   each.
#' @param cluster one label per stimulus (matrix or data frame: row), for [dependent][dependence]
#'   ones. `NA`: left out.
#' @param run `TRUE` if the trials are runs or blocks, each with every stimulus once and no response
#'   missing: what a run adds to all of its stimuli then drops out. Or labels of the runs, given
#'   like `trial`.
#' @param event labels given like `trial`, equal for trials of a stimulus that share noise (repeats
#'   right after each other; for states of whole blocks give `run = TRUE`). By default each trial
#'   has its own.
#' @param complete are the columns no sample, but all that there are, such as the units of a layer?
#'   See [cka()].
#' @param series for a [time series][time_series]: `TRUE`, if the stimuli are in order; or the time
#'   of each (matrix or data frame: row), equally spaced numbers. Permutation tests then shift the
#'   whole series. Intervals do not use it: give `cluster` for successive stimuli.
#' @param kind `"network"`: prints and [evaluate_models()] say "units" and "layer"; no number
#'   changes.
#' @param value the column of a long data frame with the responses; by default the only numeric one
#'   left.
#' @param ... not used.
#' @return An object of class `repalign_responses`, with the `dim()` and `dimnames()` of stimuli x
#'   neurons x trials; those of an array stay as they are. `x[i, a, t]` takes some of them,
#'   `as.array()` gives the responses, `as.matrix()` their means over trials.
#' @details
#' Responses of the same session share noise if they are of the same event of the same stimulus:
#' corrected estimates leave their products out. With one trial and no `session`, noise that neurons
#' share stays.
#'
#' Two sides with trials are taken as recorded together, unless their `session` labels differ, and
#' trials with the same label as the same moment: keep these labels, or the order of the rows, the
#' same on both sides.
#'
#' What is declared need not be given to functions, which may not say otherwise. Measures that make
#' no use of trials take their means, and a message of class `repalign_note_declared` names what is
#' not used. `read.csv(system.file("declared.csv", package = "repalign"))` lists what each function
#' does with each declaration: it is honoured, noted (not used, with a message), refused, or makes
#' no difference (-).
#'
#' When not to trust it: noise that outlasts a trial (drifts, adaptation) is corrected only if
#' `event` or `run` says so, and the gain of a whole run not at all. In a long table, numbers of
#' neurons that begin anew in each session count as the same neurons: give them different labels.
#' @examples
#' # units of a session share noise
#' it <- responses(macaque_it$counts, session = macaque_it$session)
#' it
#' summary(it)
#' # a long table
#' long <- as.data.frame.table(macaque_it$counts[1:5, 1:10, ], responseName = "count")
#' names(long)[1:3] <- c("image", "unit", "repeat")
#' responses(long, stimulus = "image", neuron = "unit", trial = "repeat")
#' @seealso [cka()], [trial_to_trial()]
#' @export
responses <- function(x, stimulus = NULL, neuron = NULL, trial = NULL, session = NULL,
                      cluster = NULL, run = NULL, event = NULL, complete = FALSE,
                      value = NULL, series = NULL, kind = c("recording", "network"), ...) {
  need_arguments()
  check_flag(complete, "complete")
  # labels of runs are those of the trials
  labelled <- !is.null(run) && !(is.logical(run) && length(run) == 1)
  refuse_if(labelled && !is.null(trial), "choice", "`run` and `trial` both name the trials: give ",
            "the labels of one of them, and run = TRUE if the trials are runs.")
  if (labelled) trial <- run else if (!is.null(run)) check_flag(run, "run")
  given <- list(stimulus = stimulus, neuron = neuron, trial = trial, session = session,
                cluster = cluster, event = event, value = value, run = labelled || isTRUE(run),
                complete = complete, series = series,
                kind = check_choice(kind, c("recording", "network"), "kind"))
  refuse_if(!is.null(series) && !is.null(cluster), "choice", "`cluster` and `series` are two ways ",
            "in which stimuli depend on each other: declare one of them. (Intervals take ",
            "`clusters` in their calls, too.)", arg = "series")
  if (given$run) {
    refuse_if(!is.null(given$cluster), "choice", "`cluster` cannot be given with `run`: runs ",
              "share noise over all stimuli, for which clusters are not defined. Declare one.")
    refuse_if(!is.null(given$event), "choice", "`event` cannot be given with `run`: the runs are ",
              "what shares noise. Declare one of the two.")
  }
  refuse_if(!is.null(value) && (!is.data.frame(x) || is.null(neuron)), "value",
            "`value` names a column of a long data frame: give it with `neuron`.")
  # messages about `trial` are about `run` where that gave the labels
  in_words_of_call(was = "trial", now = if (labelled) "run" else "trial", code = {
    read <- if (is.data.frame(x)) {
      if (is.null(neuron)) wide_responses(x, given) else long_responses(x, given)
    } else if (is.array(x) && length(dim(x)) == 3) array_responses(x, given) else
      matrix_responses(x, given)
    finish_responses(read, given, array = length(dim(x)) == 3)
  })
}

# read: list(values, trial, event, neuron, session, cluster), where trial and event are matrices of
# labels stimuli x trials; event is NULL where each trial has its own. array: do the trials of x
# stay where they are? Those of tables fill the first slots, as labels of their own could make most
# of the array empty.
finish_responses <- function(read, given, array) {
  values <- read$values
  refuse_if(all(is.na(values)), "nonfinite", "`x` has only missing values.")
  if (given$run) {
    refuse_if(dim(values)[3] < 2, "pairs", "`x` has one trial of each stimulus, but `run` needs ",
              "at least two runs. Leave out `run`, or give the trials.", arg = "run")
    missing <- which(is.na(values), arr.ind = TRUE)
    refuse_if(nrow(missing), "nonfinite", "Runs need every response of all stimuli, but `x` lacks ",
              "{nrow(missing)}, first {stimulus_title(values, missing[1, 1])}, column ",
              "{named_places(missing[1, 2], dimnames(values)[[2]])}, run ",
              "{run_title(read$trial, missing[1, 3])}. Leave out incomplete runs or stimuli, or ",
              "declare trials (without `run`).")
  }
  present <- recorded_slots(values)
  of_events <- if (is.null(read$event)) "trial" else "event"
  unnamed <- which(present & is.na(read[[of_events]]), arr.ind = TRUE)
  refuse_if(nrow(unnamed), "labels", "`{of_events}` has no label for trial {unnamed[1, 2]} of ",
            "{stimulus_title(values, unnamed[1, 1])}, which has responses: every trial needs one.")
  settled <- settled_slots(values, read[[of_events]], array, present)
  # trials that were declared must leave something to multiply: some stimulus with two events
  declared <- names(Filter(Negate(is.null), given[c("trial", "event")]))
  if (dim(settled$values)[3] < 2) {
    refuse_if(length(declared) || ncol(present) > 1, "pairs",
              if (length(declared)) paste0("`", declared[1], "` is given, but no stimulus has two ",
                                           "trials") else
                "No stimulus has two trials with responses in `x`",
              ", so no response can be multiplied with one of another trial",
              if (length(declared)) paste0(". Leave out what names the trials, or name the ",
                                           "stimulus of each row in `stimulus`: rows with equal ",
                                           "labels are trials.") else ": give more trials.",
              arg = if (length(declared)) declared[1] else "x")
  } else {
    refuse_if(all(events_of_stimuli(settled) < 2), "pairs", "All trials of each stimulus have the ",
              "same label in `event`, so they share noise and nothing is left to multiply. Give ",
              "different labels to trials that share none, or leave out `event`.")
  }
  clusters <- unique(read$cluster[!is.na(read$cluster)])
  refuse_if(!is.null(read$cluster) && length(clusters) < 2, "labels", "`cluster` names ",
            if (length(clusters)) "a single cluster" else "no cluster", ": stimuli of different ",
            "clusters are compared, so at least two are needed.")
  # times of stimuli become whole steps
  times <- read$series
  if (!is.null(times)) {
    names <- dimnames(values)[[1]]
    title <- function(at) if (is.null(names)) at else quoted(names[at])
    twice <- which(times == times[anyDuplicated(times)])
    refuse_if(length(twice), "labels", "`series` has the same time for two stimuli ",
              "({title(twice[1])} and {title(twice[2])}): the rows of a series follow each other.")
    steps <- diff(sort(times))
    at <- order(times)[which.max(steps) + 0:1]
    refuse_if(length(steps) && max(steps) - min(steps) > 1e-6 * max(steps), "labels", "`series` ",
              "has unequal steps: the longest, from stimulus {title(at[1])} to {title(at[2])}, ",
              "takes {format(max(steps), digits = 4)}, the shortest ",
              "{format(min(steps), digits = 4)}. Shifts in time need equal steps: leave out the ",
              "stimuli around gaps, or bring the responses to equal steps.")
    times <- rank(times, ties.method = "first")
  }
  new_responses(settled$values, settled$event, read$neuron, read$session, read$cluster, given$run,
                given$complete, times, given$kind)
}

run_title <- function(trial, at) {
  known <- trial[!is.na(trial[, at]), at]
  if (length(known)) quoted(known[1]) else at
}

# How messages call a stimulus.
stimulus_title <- function(values, at) {
  name <- dimnames(values)[[1]][at]
  paste("stimulus", if (is.null(name)) at else quoted(name))
}
