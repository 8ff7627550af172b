# What responses objects declare, for calls that use it and for those that do not.

structures <- c("trials", "runs", "events", "sessions", "neurons", "clusters", "complete", "series")

# The parts that an object declares.
declared_parts <- function(x) {
  x <- unclass(x)
  several <- dim(x$values)[3] > 1
  structures[c(several && !x$run, several && x$run, several && blocks_of_events(x),
               !is.null(x$session), !is.null(x$neuron), !is.null(x$cluster), x$complete,
               !is.null(x$series))]
}

# Those that an estimator can follow: an order in time changes no estimate.
estimated_parts <- function(x) setdiff(declared_parts(x), "series")

# Means over trials that lack a value are refused for measures that do not go by trials, and RDMs
# that lack pairs of stimuli for those that do not take them.
refuse_holes <- function(reprs, set) {
  refuse_lacking_pairs(reprs, set)
  set <- Filter(function(measure) !"trials" %in% used_structure(measure), set)
  if (!length(set)) return(invisible())
  for (repr in reprs) if (has_holes(repr)) check_finite(repr$data, repr$arg)
}

has_holes <- function(repr) !is.null(repr$responses) && anyNA(repr$data)

# The neurons without missing values.
known_columns <- function(x) x[, !is.na(colSums(x)), drop = FALSE]

# The clusters that the objects of a call declare, as codes for their stimuli; NULL without any.
declared_clusters <- function(reprs) {
  known <- Filter(function(repr) !is.null(repr$responses$cluster), reprs)
  if (!length(known)) return(NULL)
  codes <- lapply(known, function(repr) cluster_codes(repr$responses$cluster))
  differs <- which(!vapply(codes, identical, NA, codes[[1]]))
  refuse_if(length(differs), "labels", "`{known[[1]]$arg}` and `{known[[differs[1]]]$arg}` ",
            "declare different clusters, first for stimulus ",
            "{which(!mapply(identical, codes[[1]], codes[[differs[1]]]))[1]}: the stimuli are the ",
            "same, and so must be their clusters. Declare them on one side, or alike.",
            arg = known[[differs[1]]]$arg)
  codes[[1]]
}

# The sides and measures of a call, as the objects of the sides declare them: the measures have the
# clusters, and a message names what they do not use. Stimuli without a cluster stay. clusters: an
# argument of the call; labels: the names of the stimuli. Returns list(set, clusters).
declared_sides <- function(sides, set, clusters = NULL,
                           labels = first_stimulus_names(all_representations(sides))) {
  reprs <- all_representations(sides)
  clusters <- in_order_of(clusters, labels, "clusters")
  if (!declares_responses(reprs)) return(list(set = set, clusters = clusters))
  codes <- declared_clusters(reprs)
  refuse_second_clusters(clusters, codes)
  if (!is.null(codes)) set <- lapply(set, function(measure) {
    refuse_second_clusters(measure$args$clusters, codes)
    if (takes_clusters(measure)) measure$args$clusters <- codes
    measure
  })
  note_unused_structure(reprs, set, recorded_together(sides))
  list(set = set, clusters = if (is.null(clusters)) codes else clusters)
}

refuse_second_clusters <- function(given, declared) {
  differ <- !is.null(given) && !is.null(declared) &&
    !identical(as.vector(cluster_codes(given)), as.vector(declared))
  refuse_if(differ, "choice", "`clusters` are other clusters than `cluster` of responses() ",
            "declares: leave out one of the two.")
}

# ---- time

# The times of the stimuli that objects of a call declare, in steps; NULL without any.
declared_times <- function(reprs) {
  known <- Filter(function(repr) !is.null(unclass(repr$responses)$series), reprs)
  if (!length(known)) return(NULL)
  times <- lapply(known, function(repr) order(unclass(repr$responses)$series))
  differs <- which(!vapply(times, identical, NA, times[[1]]))
  refuse_if(length(differs), "labels", "`{known[[1]]$arg}` and `{known[[differs[1]]]$arg}` ",
            "declare different orders in time in `series`: the stimuli are the same, and so must ",
            "be their order. Declare it on one side, or alike.", arg = known[[differs[1]]]$arg)
  unclass(known[[1]]$responses)$series
}

# Does any of these data, or lists of them, declare a series?
declares_series <- function(data) {
  if (is_responses(data)) return(!is.null(unclass(data)$series))
  if (is_prepared(data)) return(declares_series(data$responses))
  if (!is.list(data) || is.data.frame(data)) return(FALSE)
  for (part in data) if (declares_series(part)) return(TRUE)
  FALSE
}

# The kind of shifts of a call. series: as the call gives it, or NULL; others: what else determines
# the permutations, a named list of arguments of the call.
series_of_call <- function(series, data, others) {
  if (!is.null(series)) series <- check_series(series)
  if (!declares_series(data)) return(if (is.null(series)) FALSE else series)
  refuse_if(isFALSE(series), "choice", "series = FALSE is given, but `series` of responses() ",
            "declares a time series, whose stimuli are not exchangeable: leave out one of the two.")
  given <- names(Filter(Negate(is.null), others[c("blocks", "clusters")]))
  refuse_if(length(given), "choice", "`{given[1]}` is given, but `series` of responses() declares ",
            "a time series: each determines which permutations are allowed. Leave out one.")
  if (!is.null(series)) return(series)
  if (all_orders(others$permutations)) "linear" else FALSE
}

# Where permutations of a series would be free, and the function has no shifts of its own. none:
# does the function work without permutations?
refuse_free_series <- function(declared, permutations, none = FALSE) {
  refuse_if(declared && all_orders(permutations), "design", "`series` of responses() declares a ",
            "time series, whose stimuli are not exchangeable: give a design of shifts in ",
            "`permutations`, permute::how(within = permute::Within(type = \"series\"))",
            "{if (none) ', or permutations = 0'}.", arg = "permutations")
}

# Where errors take each stimulus as independent.
note_declared_series <- function(reprs) {
  inform_if(!is.null(declared_times(reprs)), unused_classes, "Declared by responses(), but not ",
            "used: series. Errors take each stimulus as independent, which stimuli of a series ",
            "are not: name stretches of them in ",
            if (offers_argument("clusters")) "`clusters`." else
              "`cluster` of responses(), in the place of `series`.")
}

# The sides with their stimuli in the order of time, and the measures with what they have of
# stimuli.
sides_in_time <- function(sides, set) {
  times <- declared_times(all_representations(sides))
  if (is.null(times) || !is.unsorted(times)) return(list(sides = sides, set = set))
  refuse_prepared_series(all_representations(sides))
  at <- order(times)
  sides$x$reprs <- lapply(sides$x$reprs, reordered_representation, at)
  sides$y$reprs <- if (sides$self) sides$x$reprs else if (sides$same) {
    on_side_y(sides$x)$reprs
  } else lapply(sides$y$reprs, reordered_representation, at)
  sides$z$reprs <- lapply(sides$z$reprs, reordered_representation, at)
  set <- lapply(set, function(measure) {
    noise <- measure$args$stimulus_noise
    if (is.null(noise)) return(measure)
    measure$args$stimulus_noise <- if (is.matrix(noise)) noise[at, at] else noise[at]
    measure
  })
  list(sides = sides, set = set)
}

# Are different sides taken as recorded together, as shared_sessions() does? Subjects (`apart`) are
# not.
recorded_together <- function(sides) {
  if (isTRUE(sides$apart)) return(FALSE)
  reprs <- lapply(sides[c("x", "y")], function(side) Filter(has_trials, side$reprs))
  any(unlist(lapply(reprs$x, function(one) lapply(reprs$y, function(other) {
    sessions <- lapply(list(one, other), function(repr) unclass(repr$responses)$session)
    one$arg != other$arg && (any(lengths(sessions) == 0) || any(sessions[[1]] %in% sessions[[2]]))
  }))))
}

# what: that shared noise does.
shared_noise_words <- function(what) {
  paste0("Both sides are taken as recorded together, and noise that they share ", what, ": cka() ",
         "with estimator = \"stimulus_neuron_trial\" is free of it. If they were recorded apart, ",
         "give responses() different `session` labels.")
}

# One message for all measures of a call. That all neurons are there matters to those alone that
# correct for a sample of them. together: see recorded_together().
note_unused_structure <- function(reprs, set, together = FALSE) {
  given <- Filter(Negate(is.null), lapply(reprs, function(repr) repr$responses))
  parts <- structures[structures %in% unlist(lapply(given, declared_parts))]
  # an order in time changes no score; see series_of_call() and note_declared_series()
  parts <- setdiff(parts, c("complete", "series"))
  if (!length(parts)) return(invisible())
  unused <- lapply(set, function(measure) {
    used <- used_structure(measure)
    setdiff(parts, c(used, if ("trials" %in% used) "events"))
  })
  say_unused(unused, vapply(set, function(measure) measure$label, ""), together)
}

used_structure <- function(measure) {
  uses <- measure$declaration$uses
  if (is.null(uses)) return(if (!is.null(measure$args$clusters)) "clusters")
  uses(measure$args)
}

# unused: the parts that each of `labels` does not use.
say_unused <- function(unused, labels, together = FALSE) {
  words <- vapply(unused, enumerate, "", quote = FALSE)
  none <- lengths(unused) == 0
  if (all(none)) return(invisible())
  groups <- split(labels[!none], factor(words[!none], unique(words[!none])))
  each <- paste0(names(groups), " (by ", vapply(groups, enumerate, ""), ")")
  shared <- together && "trials" %in% unlist(unused)
  inform(c(if (shared) "repalign_shared_noise", unused_classes), "Declared by responses(), but ",
         "not used: {paste(each, collapse = '; ')}.",
         if (any(c("trials", "runs") %in% unlist(unused))) {
           " Means over trials are compared, with the noise that is left in them."
         }, if (shared) paste0(" ", shared_noise_words("counts as signal")))
}

# Of messages about a declaration that a function does not honour.
unused_classes <- c("repalign_note_declared", "repalign_structure_unused")

# ---- what is refused

# What R offers for arrays and responses objects do not have: an error says what to take instead.

no_arithmetic <- function(what) {
  refuse("type", "{what} is not defined for responses(): take as.array() for all responses, ",
         "as.matrix() for their means over trials, and declare the result again.", arg = "x")
}

#' @export
Ops.repalign_responses <- function(e1, e2) no_arithmetic(quoted(.Generic))

#' @export
Math.repalign_responses <- function(x, ...) no_arithmetic(quoted(.Generic))

#' @export
Summary.repalign_responses <- function(..., na.rm = FALSE) {
  no_arithmetic(quoted(.Generic))
}

#' @export
t.repalign_responses <- function(x) no_arithmetic("t()")

#' @export
mean.repalign_responses <- function(x, ...) no_arithmetic("mean()")

#' @export
plot.repalign_responses <- function(x, ...) {
  refuse("type", "There is no picture of responses(): plot_rdms(rdm(x, distance = ",
         "\"correlation\")) shows how stimuli differ, and summary(x) how many trials there are.",
         arg = "x")
}

#' @export
is.na.repalign_responses <- function(x) is.na(as.array(x))

#' @export
rbind.repalign_responses <- function(...) no_arithmetic("rbind()")

#' @export
cbind.repalign_responses <- function(...) no_arithmetic("cbind()")

# ---- arguments of CKA

# What the arguments of CKA become for responses() objects: the estimator by default, and labels.

shared_noises <- c("auto", "trials", "pairs")

# The arguments of a measure for the representations of a call. reprs: list(x, y), two lists.
settled_arguments <- function(d, args, reprs) {
  args <- arguments_in_order(args, c(reprs$x, reprs$y))
  if (is.null(d$settle)) args else d$settle(args, reprs)
}

# relabel: do labels tell what the data settled?
settled_set <- function(set, sides, relabel = TRUE) {
  settled <- lapply(set, function(measure) {
    if (is_own(measure)) return(measure)
    reprs <- list(x = sides$x$reprs, y = sides$y$reprs)
    before <- measure$args$estimator
    # labels of x and y say nothing of controls, whose declarations count
    if (!isTRUE(measure$args$shared_neurons) && is.null(measure$args$units_x)) {
      reprs$y <- c(reprs$y, sides$z$reprs[unique(as.vector(measure$given$at))])
    }
    measure$args <- settled_arguments(measure$declaration, measure$args, reprs)
    if (relabel) measure$label <- settled_label(measure, before, reprs)
    measure
  })
  if (relabel) with_unique_labels(settled) else settled
}

# Says which labels have no effect. In a call that is known when the estimator is settled. measure()
# knows no data, and speaks of the estimator for plain matrices.
note_unused_labels <- function(args) {
  if (is.null(args$corrects)) return(invisible())
  note_unused_units(args$estimator, args)
  inform_if(!is.null(args$complete) && args$complete != "none" &&
              !isTRUE(args$declared_complete) && !args$corrects$neurons, "unused_units",
            "`complete` has no effect on the estimator {enumerate(args$estimator)}",
            if (isTRUE(args$default_estimator)) ", that of matrices without trials",
            ": only the neuron correction takes neurons as a sample.")
  # The naive estimator of a point has no use for clusters but to leave stimuli out.
  if (is.null(args$clusters) || args$corrects$stimuli) return(invisible())
  inform("unused_clusters", "`clusters` has no effect on the estimator \"naive\"",
         if (anyNA(args$clusters)) ", except that stimuli without a label are left out", ": only ",
         if (is.null(args$trials)) "\"stimulus\" and \"stimulus_neuron\"" else
           "the corrected estimators", " go over clusters.")
}

settle_cka <- function(args, reprs) {
  args <- settled_complete(args, reprs)
  all <- c(reprs$x, reprs$y)
  if (!declares_responses(all)) {
    refuse_no_trials(args, all)
    warn_if(!identical(args$shared_noise, "auto") && !is.null(args$shared_noise), "unused",
            "`shared_noise` is used for responses() objects only: plain matrices declare no ",
            "sessions.", data = "shared_noise")
    return(args)
  }
  known <- Filter(function(repr) !is.null(repr$responses), all)
  parts <- unlist(lapply(known, function(repr) estimated_parts(repr$responses)))
  several <- any(c("trials", "runs") %in% parts)
  default <- args$default_estimator
  noise <- args$shared_noise
  # does the kernel allow a correction by these trials?
  usable <- several && switch(args$kernel, linear = TRUE, manifold = FALSE,
    rbf = is.null(args$clusters) && !any(c("clusters", "runs") %in% parts) &&
      !any(vapply(known, function(repr) some_neurons_lack(repr$responses$values), NA)),
    no_branch(args$kernel))
  # the most corrected estimator that the declaration and the kernel allow
  estimator <- if (!default) args$estimator else if (!length(parts)) "naive" else
    paste0("stimulus", if (args$kernel == "linear") "_neuron",
           if (usable && noise != "pairs") "_trial")
  check_shared_noise(noise, estimator, known, several)
  args <- with_estimator(args, estimator)
  args$default_estimator <- FALSE
  if (!several) refuse_no_trials(args, all)
  # what an object declares cannot be given once more
  if (any(c("sessions", "neurons") %in% parts)) {
    arg <- if (isTRUE(args$shared_neurons)) "shared_neurons" else
      if (!is.null(args$units_x)) "units_x"
    refuse_if(!is.null(arg), "choice", "`{arg}` is given, but a responses object declares ",
              "sessions or neurons already: leave out one of the two.")
  }
  args$trials <- max(vapply(known, function(repr) dim(repr$responses)[3], 0L))
  if (args$corrects$trials) {
    # objects with one trial beside others with several: nothing corrects their own noise
    single <- Filter(function(repr) {
      given <- unclass(repr$responses)
      dim(given$values)[3] == 1 && !isTRUE(given$complete)
    }, known)
    inform_if(length(single), "one_trial", "`{single[[1]]$arg}` has one trial: if it has noise, ",
              "this stays in its own terms, and in products with responses of the same moment. ",
              "Give all trials, where there are more.")
    for (repr in known) {
      repeated <- events_of_stimuli(unclass(repr$responses)) > 1
      warn_if(any(repeated) && mean(repeated) < enough_repeated, "few_repeats", "Only ",
              "{sum(repeated)} of {length(repeated)} stimuli of `{repr$arg}` have two trials, by ",
              "which {quoted(args$estimator)} takes noise out: its error is a multiple of that ",
              "with two trials of all. Where neurons share little noise, estimator = ",
              "{quoted(sub('_trial', '', args$estimator))} is better, which takes means over ",
              "trials.", data = repr$arg)
    }
  }
  together <- args$corrects$trials && assumes_together(reprs)
  inform_if(together || default && length(parts), "estimator", "Estimator: \"{args$estimator}\"",
            if (together) {
              paste0(", with `x` and `y` taken as recorded together: products between them are of ",
              "different trials. Sessions with other labels on each side say that they were not")
            }, ".")
  settled_labels(args, reprs)
}

# With half of the stimuli repeated, errors are 1.4 to 1.7 times those with two trials of all, with
# a sixth of them 1.9 to 3.6 times (bench/responses.R). Trial means do better where neurons share
# little noise, and worse where they share much.
enough_repeated <- 1 / 2

check_shared_noise <- function(noise, estimator, known, several) {
  refuse_if(noise == "trials" && !corrections[[estimator]]$trials, "choice",
            "shared_noise = \"trials\" needs an estimator that corrects for trials, not ",
            "{quoted(estimator)}", if (!several) ", and responses to several trials",
            ": use \"stimulus_neuron_trial\" or \"stimulus_trial\".", arg = "shared_noise")
  without <- Filter(function(repr) is.null(unclass(repr$responses)$session), known)
  refuse_if(noise == "pairs" && length(without), "choice", "shared_noise = \"pairs\" leaves out ",
            "pairs of neurons of the same session, but `{without[[1]]$arg}` declares no sessions: ",
            "give `session` to responses().", arg = "shared_noise")
  refuse_if(noise == "pairs" && corrections[[estimator]]$trials, "choice",
            "shared_noise = \"pairs\" leaves out pairs of neurons and takes the means over ",
            "trials, but estimator = {quoted(estimator)} multiplies different trials: use ",
            "estimator = \"stimulus_neuron\", or shared_noise = \"trials\".", arg = "shared_noise")
  refuse_if(noise == "pairs" && !corrections[[estimator]]$neurons, "choice", "shared_noise = ",
            "\"pairs\" leaves out pairs of neurons, as only \"stimulus_neuron\" does, not ",
            "{quoted(estimator)}: choose it, with kernel = \"linear\".", arg = "shared_noise")
}

refuse_no_trials <- function(args, reprs) {
  refuse_if(args$corrects$trials, "trials", "estimator = {quoted(args$estimator)} needs responses ",
            "to several trials, but `{reprs[[1]]$arg}` ",
            if (length(reprs) == 1) "has none" else
              paste0("and `", reprs[[length(reprs)]]$arg, "` have none"),
            ": declare them with responses().", arg = "estimator")
}

# Are neurons of the two sides taken as recorded together because nothing says otherwise?
assumes_together <- function(reprs) {
  bare <- function(side) any(vapply(side, function(repr) {
    given <- unclass(repr$responses)
    !is.null(given) && dim(given$values)[3] > 1 && is.null(given$session)
  }, NA))
  bare(reprs$x) && any(vapply(reprs$y, has_trials, NA)) ||
    bare(reprs$y) && any(vapply(reprs$x, has_trials, NA))
}

# Labels that are the same for all representations of a side become arguments, which the permutation
# null can use at once. Others are looked up for each pair (side_labels).
settled_labels <- function(args, reprs) {
  if (!args$corrects$neurons) return(args)
  each <- lapply(reprs, function(side) unique(lapply(side, labels_of_side, args)))
  known <- lapply(each, Filter, f = function(one) !is.null(one$labels))
  both <- length(known$x) && length(known$y)
  # where only some pairs are of two samples, what is left out differs from pair to pair
  if (identical(args$complete, "declared")) {
    args$own_labels <- both || args$shared_neurons || !is.null(args$units_x)
    return(args)
  }
  if (!both) return(args)
  one <- list(x = each$x[[1]], y = each$y[[1]])
  simple <- all(lengths(each) == 1) && one$x$kind == one$y$kind &&
    is.null(attr(one$x$labels, "neurons")) && is.null(attr(one$y$labels, "neurons"))
  session <- one$x$kind == "session"
  if (simple && !session && !is.null(args$complete) && args$complete != "none") return(args)
  if (simple) {
    args[c("units_x", "units_y")] <- list(as.vector(one$x$labels), as.vector(one$y$labels))
    args$by_session <- session
  } else args$own_labels <- TRUE
  args
}
