# What analyses take from responses objects: estimators, clusters, and labels of neurons.

# What this estimator is made of are products of different trials.
trial_estimator <- "stimulus_neuron_trial"

# default: did the user leave the choice to the function?
# A side of one session has no neuron pair that sessions leave: then only trials correct for few
# neurons.
default_estimators <- function(objects, by_trials) {
  if (!by_trials) return(estimators)
  one_session <- vapply(objects, function(x) {
    !is.null(x$session) && length(unique(x$session)) == 1
  }, NA)
  if (!any(one_session)) return(c(estimators, trial_estimator))
  inform("The estimator \"stimulus_neuron\" is left out: all neurons of ",
         enumerate(paste0("`", names(objects)[one_session], "`"), quote = FALSE), " have the same ",
         "session, so that no pair of them may be compared. \"stimulus_neuron_trial\" can.",
         class = "repalign_estimator")
  c(setdiff(estimators, "stimulus_neuron"), trial_estimator)
}

analysis_estimators <- function(estimator, default, objects, by_trials) {
  several <- any(vapply(objects, function(x) dim(x)[3] > 1, NA))
  if (default) return(default_estimators(objects, by_trials && several))
  check_choice(estimator, c(estimators, if (by_trials) trial_estimator), "estimator",
               several = TRUE)
  if (trial_estimator %in% estimator && !several) {
    abort("estimator = \"stimulus_neuron_trial\" needs at least two trials of the stimuli: give ",
          "the data as responses(), which says what is a trial.",
          class = "repalign_error_choice", arg = "estimator")
  }
  estimator
}

analysis_clusters <- function(clusters, objects) {
  reprs <- Map(function(x, arg) list(responses = x, arg = arg), objects, names(objects))
  codes <- declared_clusters(reprs)
  refuse_second_clusters(clusters, codes)
  if (is.null(codes)) cluster_codes(clusters) else codes
}

# For note_unused_units(): the correction by trials uses labels, too.
unit_users <- function(setup) c(setup$estimator, if (setup$by_trials) "stimulus_neuron")

# Says which parts of a declaration the chosen estimators do not use.
note_unused_by_estimators <- function(setup, analysis) {
  used <- c("clusters", if (leaves_out_pairs(setup)) c("sessions", "neurons"),
            if (uses_trials(setup)) c("trials", "runs"))
  declared <- unlist(lapply(setup$objects, declared_parts))
  say_unused(list(setdiff(structures[structures %in% declared], used)), analysis)
}

# Settings with `units`, labels of the neurons of each matrix: what the user gave in units, or what
# its object declares. Where only some matrices have labels, the neurons of the others have labels
# of their own; NULL where none has. Labels that the user gives of an object name its neurons.
# args: the arguments that hold the labels of each.
take_units <- function(setup, data, units, args) {
  for (name in names(setup$objects)) {
    labels <- units_of_object(setup$objects[[name]])
    if (is.null(labels)) {
      setup$objects[[name]]["neuron"] <- list(units[[name]])
    } else {
      refuse_second_units(units[[name]], setup$objects[[name]], args[[name]], name)
      units[[name]] <- labels
    }
  }
  missing <- names(data)[vapply(names(data), function(name) is.null(units[[name]]), NA)]
  if (length(missing) < length(data)) {
    for (name in missing) units[[name]] <- own_labels(ncol(data[[name]]), name)
    setup$units <- units[names(data)]
  }
  setup
}

refuse_second_units <- function(units, object, arg, name) {
  if (is.null(units)) return(invisible())
  abort("`", arg, "` is given, but `", name, "` declares its ",
        if (is.null(object$session)) "neurons" else "sessions",
        " already: leave out one of the two.", class = "repalign_error_choice", arg = arg)
}

# Labels that no other data have.
own_labels <- function(width, name) paste0(name, "\r", seq_len(width))

# Columns with equal labels may share noise, or are one neuron.
units_of_object <- function(x) {
  if (is.null(x$session)) return(x$neuron)
  if (is.null(x$neuron) || !anyDuplicated(x$neuron)) return(x$session)
  joined_labels(x$session, x$neuron)
}

# The smallest groups that hold all columns of equal labels of either kind.
joined_labels <- function(a, b) {
  group <- match(a, unique(a))
  repeat {
    before <- group
    group <- stats::ave(group, b, FUN = min)
    group <- stats::ave(group, a, FUN = min)
    if (identical(group, before)) return(a[match(group, match(a, unique(a)))])
  }
}

# The objects with the stimuli and neurons that were kept, their values normalised as the data are.
# given: from clustered_responses().
analysis_objects <- function(setup, given) {
  Map(function(x, name) {
    x <- cut_responses(x, given$kept, given$columns[[name]])
    if (setup$normalize == "none") return(x)
    sd <- neuron_sd(as.matrix(x))
    size <- dim(x)
    x$values <- x$values / rep(rep(sd, each = size[1]), size[3])
    x
  }, setup$objects, names(setup$objects))
}

# A note for the result where it is not known whether two sides were recorded together.
with_together <- function(note, setup) {
  several <- Filter(function(x) dim(x)[3] > 1, setup$objects)
  unknown <- length(several) > 1 && any(vapply(several, function(x) is.null(x$session), NA))
  if (!setup$by_trials || !unknown) return(note)
  paste(c(note, paste("Trials of", enumerate(paste0("`", names(several), "`"), quote = FALSE),
                      "with the same label are taken as recorded together.")), collapse = "\n")
}
