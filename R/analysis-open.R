# The opened call of an analysis. Each analysis opens its call in its own file; what they have in
# common is here. All that follows trusts what was opened, and judges nothing about input again.

# ---- what is read

# na: the rule for missing values, which is judged already.
analysis_repr <- function(x, arg, na, side = "x", name = arg) {
  refuse_results(x, arg)
  need_kind(representation(x, arg, name, na != "error", side), "data", "this")
}

# A representation with the labels of its neurons that the user gave in the argument `arg`, or that
# its object declares.
with_units <- function(repr, labels, arg) {
  labels <- check_labels(labels, ncol(repr$data), arg, repr$arg, colnames(repr$data))
  declared <- units_of_object(repr$responses)
  refuse_if(!is.null(labels) && !is.null(declared), "choice", "`{arg}` is given, but `{repr$arg}` ",
            "declares its ", if (is.null(repr$responses$session)) "neurons" else "sessions",
            " already: leave out one of the two.")
  repr$columns$units <- if (is.null(declared)) labels else declared
  repr
}

# Labels that no other data have.
own_labels <- function(width, name) paste0(name, "\r", seq_len(width))

# Columns with equal labels may share noise, or are one neuron.
units_of_object <- function(x) {
  if (is.null(x$session)) return(x$neuron)
  if (is.null(x$neuron) || !anyDuplicated(x$neuron)) return(x$session)
  # the smallest groups that hold all columns of equal labels of either kind
  group <- match(x$session, unique(x$session))
  repeat {
    before <- group
    group <- stats::ave(group, x$neuron, FUN = min)
    group <- stats::ave(group, x$session, FUN = min)
    if (identical(group, before)) return(x$session[match(group,
                                                         match(x$session, unique(x$session)))])
  }
}

# Representations with `complete`: are their neurons all that there are, as the argument says or
# their objects declare? x, y: those of both sides; y: NULL for pairs within x.
with_complete <- function(complete, x, y = NULL) {
  args <- list(default_complete = length(complete) > 1,
               complete = check_choice(complete, complete_choices, "complete"))
  settled_complete(args, list(x = x, y = if (is.null(y)) x else y))
  flagged <- function(reprs, side) {
    lapply(reprs, function(repr) c(repr, complete = is_complete(repr, args, side)))
  }
  c(flagged(x, "x"), flagged(y, "y"))
}

# ---- settings

# The settings of an analysis:
#
# analysis    its name
# estimator   those of cka() that are asked for, but for that by trials
# by_trials   is the correction by trials asked for?
# ceiling     do trials tell a noise ceiling of the estimators?
# repeats, normalize, conf_level   as the user gave them
#
# and what each analysis adds when it opens its call. reprs: those whose trials estimators may
# correct for (by_trials), which are then among the default ones (default: did the user choose
# none?).
analysis_settings <- function(analysis, reprs, estimator, repeats, normalize, conf_level,
                              by_trials = FALSE, default = FALSE) {
  several <- by_trials && any(vapply(reprs, has_trials, NA))
  chosen <- if (default) c(estimators, if (several) trial_estimator) else
    check_choice(estimator, c(estimators, if (by_trials) trial_estimator), "estimator",
                 several = TRUE)
  # a side of one session has no neuron pair that sessions leave: then, by default, only trials
  # correct for few neurons
  one_session <- if (default && several) Filter(function(repr) {
    session <- repr$responses$session
    !is.null(session) && length(unique(session)) == 1
  }, reprs)
  if (length(one_session)) {
    inform("estimator", "The estimator \"stimulus_neuron\" is left out: all neurons of ",
           enumerate(paste0("`", args_of(one_session), "`"), quote = FALSE),
           " are of one session{if (length(one_session) > 1) ' each'}, so that no pair of them ",
           "may be compared. \"stimulus_neuron_trial\" can.")
    chosen <- setdiff(chosen, "stimulus_neuron")
  }
  refuse_if(trial_estimator %in% chosen && !several, "choice", "estimator = ",
            "\"stimulus_neuron_trial\" needs at least two trials of the stimuli: give the data as ",
            "responses(), which says what is a trial.", arg = "estimator")
  if (!is.null(conf_level)) {
    conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  }
  list(analysis = analysis, estimator = setdiff(chosen, trial_estimator),
       by_trials = trial_estimator %in% chosen,
       ceiling = several && any(correct_for("stimuli", chosen)),
       repeats = check_count(repeats, "repeats"),
       normalize = check_choice(normalize, c("none", "sd"), "normalize"), conf_level = conf_level)
}

# What this estimator is made of are products of different trials.
trial_estimator <- "stimulus_neuron_trial"

args_of <- function(reprs) vapply(reprs, function(repr) repr$arg, "", USE.NAMES = FALSE)

uses_trials <- function(setup) setup$by_trials || setup$ceiling

# Does any estimator correct for few stimuli?
corrects_any <- function(setup) setup$by_trials || any(setup$estimator != "naive")

# Does any estimator leave out pairs of neurons?
leaves_out_pairs <- function(setup) setup$by_trials || "stimulus_neuron" %in% setup$estimator

# Whose neurons are a sample in a row, c(x, y)? whole: are all neurons of a side compared?
row_samples <- function(estimator, complete, whole, setup) {
  if (!is.null(setup$neurons)) return(setup$neurons)
  default_neurons(list(corrects = corrections[[estimator]]), complete) & whole
}

# For note_unused_units(): the correction by trials uses labels, too.
unit_users <- function(setup) c(setup$estimator, if (setup$by_trials) "stimulus_neuron")

# ---- the call

# What stands for an analysis, by its name, in the place of a measure. uses: the parts of a
# declaration that it follows.
analysis_measure <- function(analysis, uses = character()) {
  list(id = analysis, label = analysis, args = list(),
       declaration = list(id = analysis, own = TRUE, pairing = TRUE, range = c(-Inf, Inf),
                          accepts = "data", uses = function(args) uses))
}

#' Opens the call of an analysis, which takes neurons as samples
#'
#' @param setup the settings of the analysis
#' @param sides with their labels, as of open_sides()
#' @param na,clusters arguments of the user
#' @param holes may values lack?
#' @param frame that of the function that the user has called, which calls the one that opens its
#'   call
#' @return the settings with `reprs` (the representations, without what is left out), `clusters`
#'   (the codes of the clusters of their stimuli, or NULL), `stimuli` (how many of these count as
#'   independent) and `left_out` (a sentence about what missing values left out, or NULL).
#' @noRd
open_analysis <- function(setup, sides, na, clusters, holes = FALSE, frame = parent.frame(2)) {
  uses <- c("clusters", if (leaves_out_pairs(setup)) c("sessions", "neurons"),
            if (holes || uses_trials(setup)) c("trials", "runs", "events"))
  jackknife <- !is.null(setup$conf_level)
  needed <- if (jackknife) 5 else if (corrects_any(setup)) 4
  measure <- analysis_measure(setup$analysis, uses)
  call <- open_sides(sides, list(measure), na, clusters, use = "errors",
                     least = max(1, needed), why = if (jackknife) "a jackknife" else "an estimate",
                     grid = FALSE, frame = frame)
  reprs <- all_representations(call$sides)
  arg <- c(reprs[[1]]$whole$arg, reprs[[1]]$arg)[1]
  check_rows(call$n, max(2, needed), arg, if (jackknife) "a jackknife (conf_level)" else
    if (corrects_any(setup)) "a corrected estimator" else "a similarity")
  # means over trials are compared, whatever else trials are used for
  if (!holes) for (repr in reprs) check_finite(repr$data, repr$arg)
  c(setup, list(reprs = reprs, stimuli = units_of(call$n, call$clusters)),
    call[c("clusters", "left_out")])
}

# Data as an analysis compares them: their neurons vary, and are normalised. `what` is made of them,
# `bytes` large.
analysis_data <- function(repr, setup, bytes, what, remedy) {
  form_centering(repr)
  check_memory(bytes, what, remedy)
  # trials go by the labels of neurons that the user gave
  if (!is.null(repr$responses) && is.null(units_of_object(repr$responses))) {
    repr$responses["neuron"] <- list(repr$columns$units)
  }
  if (setup$normalize == "none") return(repr)
  sd <- neuron_sd(repr$data)
  repr$data <- sweep(repr$data, 2, sd, "/")
  if (!is.null(repr$responses)) {
    size <- dim(repr$responses)
    repr$responses$values <- repr$responses$values / rep(rep(sd, each = size[1]), size[3])
  }
  repr$cache <- new_cache()
  repr
}

analysis_region <- function(repr, setup) {
  analysis_data(repr, setup, 8 * (6 * ncol(repr$data)^2 + 6 * length(repr$data)),
                "The neuron-pair terms", "Fewer neurons need less.")
}

# Intervals are over the stimuli of `data`, what is compared, with `others` or with each other.
judge_rows <- function(data, setup, others = NULL) {
  if (is.null(setup$conf_level) || !is.null(setup$clusters)) return(invisible())
  note_declared_series(setup$reprs)
  warn_of_rows(data, others, "errors", cluster_remedy)
}
