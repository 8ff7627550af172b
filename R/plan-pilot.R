# The pilot of a plan: its input is checked, and its model is made, from which designs follow
# (plan-designs.R).

# The pilot: list(pairs, args, over, truth, trials), with a pair for each model.
plan_pilot <- function(x, y, over, shared_neurons, units_x, units_y, complete, na) {
  truth <- NA_real_
  if (inherits(x, "repalign_population")) {
    refuse_if(!is.null(y), "type", "`x` is a linear_population(), which has both sides: leave out ",
              "`y`.", arg = "y")
    truth <- x$cka
    y <- x$y
    x <- x$x
  }
  check_flag(shared_neurons, "shared_neurons")
  check_unit_choice(shared_neurons, units_x, units_y)
  refuse_if(is_collection(y) && (shared_neurons || !is.null(units_y)), "labels",
            if (shared_neurons) "`shared_neurons`" else "`units_y`",
            " is for one `y`, not for two models.")
  pairs <- plan_pairs(x, y, shared_neurons, list(x = units_x, y = units_y), na)
  models <- length(pairs)
  units_x <- pairs[[1]]$x$columns$units
  units_y <- pairs[[1]]$y$columns$units
  args <- with_estimator(list(
    kernel = "linear", shared_neurons = shared_neurons, units_x = units_x, units_y = units_y,
    clusters = NULL, default_complete = length(complete) > 1,
    complete = check_choice(complete, complete_choices, "complete")
  ), "stimulus_neuron")
  # `complete` of each pair, as data or argument say
  each <- vapply(pairs, function(pair) {
    settled_complete(args, list(x = list(pair$x), y = list(pair$y)))$complete
  }, "")
  refuse_if(each[1] %in% c("x", "both"), "choice", "All neurons of `x` are there (`complete`), ",
            "and nothing is to be planned of them: give the sampled side as `x`.", arg = "complete")
  for (at in which(each != "none")) refuse_planned_sessions(pairs[[at]], args, each[at])
  for (at in seq_along(pairs)) {
    for (repr in pairs[[at]][c("x", if (each[at] == "none") "y")]) {
      refuse_single_session(list(repr), paste0("within `", repr$arg, "`"))
    }
  }
  over <- if (is.null(over)) {
    c("stimuli", "neurons_x", if (models == 1 && each == "none") "neurons_y")
  } else {
    over <- check_choice(over, plan_factors, "over", several = TRUE)
    refuse_if(models > 1 && "neurons_y" %in% over, "choice", "`over` has \"neurons_y\", but the ",
              "units of two models are held fixed: leave it out.")
    if ("neurons_y" %in% over) refuse_complete_over(list(pairs[[1]]$y), args, "y")
    refuse_if("neurons_y" %in% over && !"neurons_x" %in% over, "choice",
              "`over` has \"neurons_y\" without \"neurons_x\": give the side whose neurons are a ",
              "sample as `x`.")
    union("stimuli", over)
  }
  # the number of trials that all sides with trials have; NA without any
  reprs <- Filter(has_trials, c(list(pairs[[1]]$x), lapply(pairs, function(pair) pair$y)))
  trials <- if (!length(reprs)) {
    NA_integer_
  } else {
    numbers <- vapply(reprs, function(repr) max(trial_counts(repr$responses)), 0)
    counts <- range(unlist(lapply(reprs, function(repr) {
      rowSums(!is.na(unclass(repr$responses)$values), dims = 2)
    })))
    # unequal numbers matter only where trials are planned, and are told by their range
    structure(if (counts[1] == counts[2]) counts[1] else NA_integer_,
              unequal = any(numbers != numbers[1]), counts = counts)
  }
  list(pairs = pairs, args = args, complete = each, over = over, truth = truth, trials = trials)
}

# Sessions leave out pairs of neurons between the sides, which is not known of means over trials.
refuse_planned_sessions <- function(pair, args, complete) {
  if (is.null(pair_labels(pair, replace(args, "complete", complete)))) return(invisible())
  refuse("choice", "`{pair$x$arg}` and `{pair$y$arg}` have common sessions, but all neurons of ",
         "`{pair$y$arg}` are there, of which a plan leaves none out: give other session labels, ",
         "or take them as a sample (`complete`).", arg = "complete")
}

# units: the labels of the neurons of both sides, list(x, y).
plan_pairs <- function(x, y, shared_neurons, units, na) {
  if (is.null(y)) missing_side(FALSE)
  na <- check_choice(na, missing_rules, "na")
  refuse_results(y, "y")
  names <- if (is_collection(y)) check_element_names(y, "y")
  refuse_if(!is.null(names) && (length(names) != 2 || any(vapply(y, is_collection, NA))), "type",
            "`y` must be one representation, or a named list of two models to tell apart.")
  x <- analysis_repr(x, "x", na)
  others <- if (is.null(names)) list(analysis_repr(y, "y", na, "y")) else
    Map(analysis_repr, y, paste0("y$", names), na, "y", names)
  reprs <- c(list(x), unname(others))
  for (repr in reprs) {
    declared <- unclass(repr$responses)
    if (is.null(declared$cluster) && is.null(declared$series)) next
    refuse("design", "`{repr$arg}` declares ",
           if (is.null(declared$cluster)) "a series" else "clusters", " of stimuli, but a plan ",
           "takes stimuli as independent: give one stimulus of each cluster (or stretch of the ",
           "series), or the means of these.")
  }
  reprs <- lapply(without_single_session(with_common_stimuli(reprs)), function(repr) {
    width <- ncol(repr$data)
    arg <- paste0("units_", repr$side)
    repr$columns <- if (shared_neurons) list(neuron = seq_len(width)) else if (is.null(names)) {
      list(units = check_labels(units[[repr$side]], width, arg, repr$arg, colnames(repr$data)))
    }
    repr
  })
  # runs and events are not used, but told below in words of their own
  measure <- analysis_measure("plan_recording", structures)
  call <- open_sides(sides_of(reprs[1], reprs[-1]), list(measure), na, use = "errors",
                     why = "a plan", remedy = plan_remedy, grid = FALSE)
  check_rows(call$n, 6, "x", "a plan")
  for (repr in all_representations(call$sides)) check_finite(repr$data, repr$arg)
  # A plan is about trials with noise of their own.
  given <- Filter(Negate(is.null), lapply(reprs, function(repr) repr$responses))
  unused <- intersect(c("runs", "events"), unlist(lapply(given, declared_parts)))
  if (length(unused)) say_unused(list(unused), "plan_recording")
  lapply(seq_along(others), function(at) side_pair(call$sides, 1, at))
}

plan_remedy <- "Give one stimulus of each cluster, or the means of clusters."

# ---- from the pilot to its model

plan_model <- function(pilot, settings, by_trials) {
  size <- c(n = pilot$pairs[[1]]$x$n, x = ncol(pilot$pairs[[1]]$x$data),
            y = ncol(pilot$pairs[[1]]$y$data))
  labels <- lapply(pilot$pairs, function(pair) unit_layout(pair, pilot$args)$labels)
  all <- plan_estimate(pilot, labels)
  # the diagonals of pairs are never known
  lost_of <- function(deletions) {
    sum(is.na(deletions$stimuli)) + sum(vapply(deletions$samples, function(sample) {
      sum(is.na(unlist(sample))) - length(sample$units)
    }, 0))
  }
  lost <- lost_of(all)
  refuse_if(is.na(all$score), "variance", "The corrected CKA of the pilot is undefined, because a ",
            "denominator is not positive. {cause_in_pilot(pilot)}", arg = "x")
  refuse_if(lost, "variance", "The pilot is too small to plan from: {lost} of its scores without ",
            "a stimulus or a neuron, or two of them, are undefined, because a denominator is not ",
            "positive. {cause_in_pilot(pilot)}", arg = "x")
  # the deletions of means over all trials, and over fewer where trials are planned
  fit_of <- function(keep) {
    known <- function(slots) {
      deletions <- plan_estimate(pilot, labels, slots, keep)
      if (!is.na(deletions$score) && lost_of(deletions) == 0) deletions
    }
    if (by_trials) return(trial_groups(as.integer(pilot$trials), known))
    list(trials = 1, values = list(Filter(Negate(is.null), list(known(NULL)))))
  }
  total <- variance_parts(all)$total
  refuse_if(total <= equal_share^2, "variance", "The score of the pilot does not vary when ",
            "stimuli or neurons are left out: nothing can be planned from it.", arg = "x")
  model <- list(size = size, trials = as.integer(pilot$trials), by_trials = by_trials,
                counts = attr(pilot$trials, "counts"),
                units = lengths(lapply(all$samples, function(sample) sample$units)),
                tied = all$one_sample, score = all$score, se = sqrt(total), effect = all$score)
  own <- variance_model(fit_of(everything), size)
  model <- c(model, own, variance_range(own, size, labels[[1]], names(model$units), model$tied,
                                        fit_of))
  if (!is.na(pilot$truth)) model$effect <- pilot$truth
  if (!is.null(settings$difference)) model$effect <- settings$difference
  # the threshold of calibrate() in standard deviations of the null
  threshold_by <- function(engine) {
    pair <- pilot$pairs[[1]]
    args <- pilot$args[c("shared_neurons", "units_x", "units_y")]
    # what calibrate() has to say was said of the plan, or is about its p-value
    result <- suppressWarnings(suppressMessages(calibrate(
      pair$x$data, pair$y$data,
      do.call(measure, c(list("cka", estimator = "stimulus_neuron", complete = pilot$complete[[1]]),
                         args)),
      alpha = settings$alpha, engine = engine
    )))
    (result$threshold - result$null_mean) / result$null_sd
  }
  # where three moments do not tell it, it comes from permutations
  model$critical <- if (length(pilot$pairs) > 1) NA_real_ else
    tryCatch(threshold_by("moments"), repalign_error = function(e) threshold_by("auto"))
  model
}

cause_in_pilot <- function(pilot) {
  cause_of_instability(do.call(c, lapply(pilot$pairs, function(pair) list(pair$x, pair$y))))
}

# How much the pilot knows, from deletions of parts of its stimuli and neurons: list(shifted, share,
# bounded, bound). shifted: list(coefficients, trend), a column for each deletion; share: by which
# sums of squared changes are multiplied; bounded: list(coefficients, trend) where nothing that was
# estimated at or below 0 is taken to be 0, but at least half of its standard error; bound: the same
# of what endless trials leave, relative to the pilot.
variance_range <- function(own, size, labels, sides, tied, fit_of) {
  keeps <- lapply(seq_len(pilot_parts), function(part) {
    replace(everything, "n", list(seq_len(size[["n"]]) %% pilot_parts != part - 1))
  })
  for (side in sides) {
    of <- if (tied) c("x", "y") else side
    units <- unique(unlist(labels[of], use.names = FALSE))
    keeps <- c(keeps, lapply(split(units, seq_along(units) %% pilot_parts), function(gone) {
      replace(everything, of, lapply(labels[of], function(all) !all %in% gone))
    }))
  }
  made <- lapply(unname(keeps), function(keep) {
    left <- mapply(function(count, kept) sum(rep_len(kept, count)), size, keep)
    fit <- tryCatch(fit_of(keep), repalign_error = function(e) NULL)
    if (length(fit$values) && length(fit$values[[1]])) variance_model(fit, left)
  })
  made <- Filter(Negate(is.null), made)
  columns <- function(part) vapply(made, `[[`, own[[part]], part)
  share <- (1 - 1 / pilot_parts) * length(keeps) / length(made)
  shifted <- list(coefficients = columns("coefficients"), trend = columns("trend"))
  errors <- sqrt(share * rowSums((columns("raw") - own$raw)^2))
  sizes <- drop(design_sizes(size[["n"]], size[["x"]], size[["y"]]))
  change <- log(colSums(shifted$coefficients / sizes) / own$total)
  list(shifted = shifted, share = share,
       bounded = list(coefficients = pooled_coefficients(own$raw, size, own$total, errors / 2),
                      trend = own$trend),
       bound = min(sqrt(share * sum(change^2)) / 2, 1 / 4))
}

everything <- list(n = TRUE, x = TRUE, y = TRUE)

# Into so many parts are the stimuli and the neurons of a side divided.
pilot_parts <- 6

# The deletions of the pilot, or of means over some of its trials (slots). keep: which stimuli (n)
# and neurons of x and y are taken.
plan_estimate <- function(pilot, labels, slots = NULL, keep = everything) {
  each <- Map(function(pair, labels, complete) {
    args <- pilot$args
    args$shared_neurons <- FALSE
    args$complete <- complete
    args[c("units_x", "units_y")] <- Map(`[`, labels[c("x", "y")], keep[c("x", "y")])
    # the labels are those of the call, because means over trials declare none
    cut <- function(side) {
      repr <- pair[[side]]
      data <- repr$data
      if (!is.null(slots) && has_trials(repr)) {
        given <- unclass(repr$responses)
        data <- trial_means(move_slots(given$values, given$event)$values[, , slots, drop = FALSE])
      }
      data <- unname(data)[keep$n, keep[[side]], drop = FALSE]
      representation(mark_checked(data), repr$arg, side = repr$side)
    }
    plan_deletions(pair_of(cut("x"), cut("y")), args, pilot$over)
  }, pilot$pairs, labels, pilot$complete)
  if (length(each) == 1) each[[1]] else {
    # the deletions of the difference between two scores of one x
    a <- each[[1]]
    b <- each[[2]]
    minus <- function(part) Map(`-`, a$samples[[part]], b$samples[[part]])
    list(score = a$score - b$score, stimuli = a$stimuli - b$stimuli,
         samples = sapply(names(a$samples), minus, simplify = FALSE), one_sample = FALSE)
  }
}
