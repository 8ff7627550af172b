# What the arguments of CKA become for responses() objects: the estimator by default, and labels.

shared_noises <- c("auto", "trials", "pairs")

# The arguments of a measure for the representations of a call. reprs: list(x, y), two lists.
settled_arguments <- function(d, args, reprs) {
  args <- arguments_in_order(args, c(reprs$x, reprs$y))
  if (is.null(d$settle)) args else d$settle(args, reprs)
}

settled_set <- function(set, sides) {
  reprs <- lapply(sides[c("x", "y")], function(side) side$reprs)
  settled <- lapply(set, function(measure) {
    if (is_own(measure)) return(measure)
    before <- measure$args$estimator
    measure$args <- settled_arguments(measure$declaration, measure$args, reprs)
    changed <- !identical(measure$args$estimator, before)
    if (changed && identical(measure$label, measure$id)) {
      measure$label <- paste0(measure$id, "(", measure$args$estimator, ")")
    }
    measure
  })
  labels <- number_equal_labels(vapply(settled, function(m) m$label, ""))
  Map(function(measure, label) replace(measure, "label", label), settled, labels)
}

# Says which labels have no effect. In a call that is known when the estimator is settled. measure()
# knows no data, and speaks of the estimator for plain matrices.
note_unused_labels <- function(d, args) {
  if (is.null(args$estimator)) return(invisible())
  note_unused_units(args$estimator, args)
  note_unused_clusters(args)
}

settle_cka <- function(args, reprs) {
  all <- c(reprs$x, reprs$y)
  known <- Filter(function(repr) !is.null(repr$responses), all)
  if (!length(known)) {
    refuse_no_trials(args, all)
    if (!identical(args$shared_noise, "auto") && !is.null(args$shared_noise)) {
      warn("`shared_noise` is used for responses() objects only: plain matrices declare no ",
           "sessions.", class = "repalign_unused", data = "shared_noise")
    }
    return(args)
  }
  parts <- unlist(lapply(known, function(repr) declared_parts(repr$responses)))
  several <- any(c("trials", "runs") %in% parts)
  default <- args$default_estimator
  usable <- several && trials_usable(args, parts, known)
  args$estimator <- settled_estimator(args, known, parts, several, usable)
  args$default_estimator <- FALSE
  if (!several) refuse_no_trials(args, all)
  refuse_second_labels(args, parts)
  args$trials <- max(vapply(known, function(repr) dim(repr$responses)[3], 0L))
  if (corrects_trials(args$estimator)) note_single_trials(known)
  together <- corrects_trials(args$estimator) && assumes_together(reprs)
  if (together || default && length(parts)) note_estimator(args, together)
  settled_labels(args, reprs)
}

# Does the kernel allow a correction by these trials?
trials_usable <- function(args, parts, known) {
  switch(args$kernel, linear = TRUE, manifold = FALSE,
    rbf = is.null(args$clusters) && !any(c("clusters", "runs") %in% parts) &&
      !any(vapply(known, function(repr) some_neurons_lack(repr$responses$values), NA)))
}

# The most corrected estimator that the declaration and the kernel allow. usable: can the kernel
# correct by the trials?
settled_estimator <- function(args, known, parts, several, usable) {
  linear <- args$kernel == "linear"
  noise <- args$shared_noise
  estimator <- if (!args$default_estimator) args$estimator else if (!length(parts)) "naive" else
    paste0("stimulus", if (linear) "_neuron",
           if (usable && noise != "pairs") "_trial")
  check_shared_noise(noise, estimator, known, several)
  estimator
}

check_shared_noise <- function(noise, estimator, known, several) {
  if (noise == "trials" && !corrects_trials(estimator)) {
    abort("shared_noise = \"trials\" needs an estimator that corrects for trials, not ",
          dQuote(estimator, FALSE), if (!several) ", and responses to several trials",
          ": use \"stimulus_neuron_trial\" or \"stimulus_trial\".",
          class = "repalign_error_choice", arg = "shared_noise")
  }
  without <- Filter(function(repr) is.null(unclass(repr$responses)$session), known)
  if (noise == "pairs" && length(without)) {
    abort("shared_noise = \"pairs\" leaves out pairs of neurons of the same session, but `",
          without[[1]]$arg, "` declares no sessions: give `session` to responses().",
          class = "repalign_error_choice", arg = "shared_noise")
  }
  if (noise == "pairs" && corrects_trials(estimator)) {
    abort("shared_noise = \"pairs\" leaves out pairs of neurons and takes the means over trials, ",
          "but estimator = ", dQuote(estimator, FALSE), " multiplies different trials: use ",
          "estimator = \"stimulus_neuron\", or shared_noise = \"trials\".",
          class = "repalign_error_choice", arg = "shared_noise")
  }
  if (noise == "pairs" && !corrects_neurons(estimator)) {
    abort("shared_noise = \"pairs\" leaves out pairs of neurons, as only \"stimulus_neuron\" ",
          "does, not ", dQuote(estimator, FALSE), ": choose it, with kernel = \"linear\".",
          class = "repalign_error_choice", arg = "shared_noise")
  }
}

refuse_no_trials <- function(args, reprs) {
  if (!corrects_trials(args$estimator)) return(invisible())
  abort("estimator = ", dQuote(args$estimator, FALSE), " needs responses to several trials, but `",
        reprs[[1]]$arg, "` ", if (length(reprs) > 1) paste0("and `", reprs[[length(reprs)]]$arg,
                                                            "` have none")
        else "has none", ": declare them with responses().",
        class = "repalign_error_trials", arg = "estimator")
}

# What an object declares cannot be given once more.
refuse_second_labels <- function(args, parts) {
  if (!any(c("sessions", "neurons") %in% parts)) return(invisible())
  arg <- if (isTRUE(args$shared_neurons)) "shared_neurons" else
    if (!is.null(args$units_x)) "units_x"
  if (is.null(arg)) return(invisible())
  abort("`", arg, "` is given, but a responses object declares sessions or neurons already: leave ",
        "out one of the two.", class = "repalign_error_choice", arg = arg)
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

# Objects with one trial beside others with several: nothing corrects their own noise.
note_single_trials <- function(known) {
  single <- Filter(function(repr) dim(unclass(repr$responses)$values)[3] == 1, known)
  if (!length(single)) return(invisible())
  inform("`", single[[1]]$arg, "` has one trial: if it has noise, this stays in its own terms, ",
         "and in products with responses of the same moment. Give all trials, where there are ",
         "more.", class = "repalign_one_trial")
}

note_estimator <- function(args, together) {
  inform("Estimator: \"", args$estimator, "\"", if (together) {
    paste0(", with `x` and `y` taken as recorded together: products between them are of different ",
           "trials. Sessions with other labels on each side say that they were not")
  }, ".", class = "repalign_estimator")
}

# Labels that are the same for all representations of a side become arguments, which the permutation
# null can use at once. Others are looked up for each pair (side_labels).
settled_labels <- function(args, reprs) {
  if (!corrects_neurons(args$estimator)) return(args)
  each <- lapply(reprs, function(side) {
    unique(lapply(side, function(repr) {
      list(labels = declared_labels(repr, args), kind = label_kind(repr, args))
    }))
  })
  known <- lapply(each, Filter, f = function(one) !is.null(one$labels))
  if (!length(known$x) || !length(known$y)) return(args)
  one <- list(x = each$x[[1]], y = each$y[[1]])
  simple <- all(lengths(each) == 1) && one$x$kind == one$y$kind &&
    is.null(attr(one$x$labels, "neurons")) && is.null(attr(one$y$labels, "neurons"))
  if (simple) {
    args[c("units_x", "units_y")] <- list(as.vector(one$x$labels), as.vector(one$y$labels))
  } else {
    args$own_labels <- TRUE
  }
  args
}
