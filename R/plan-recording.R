# plan_recording() tells from a pilot how certain a larger or smaller recording will be.

#' Plan a recording: how many stimuli, neurons and trials?
#'
#' From a pilot, the standard error of the corrected CKA, the width of its interval, and the power of
#' the test against chance or of a comparison of two models, for any numbers of stimuli, neurons and
#' trials; which of them the error comes from; and the smallest recording that is certain enough.
#'
#' @param x the pilot: a matrix stimuli x neurons, or [responses()], whose trials can then be
#'   planned. Or what [linear_population()] returned, as an assumption in place of a pilot: its data
#'   are taken as the pilot, its true CKA as the score, and `y` is left out.
#' @param y what `x` is compared with, for the same stimuli: another recording, or a model. A named
#'   list of two models plans the comparison of the two: all columns are then about the difference
#'   between their scores with `x`.
#' @param stimuli,neurons_x,neurons_y,trials numbers to plan for; every combination becomes a row.
#'   By default those of the pilot. `neurons_y` is only for a `y` whose neurons are a sample, and
#'   not for the same neurons on both sides, whose numbers go with `neurons_x`. `trials` are those
#'   of each stimulus, on all sides that have trials in the pilot.
#' @param target_se the standard error that you want. [summary()] then has the smallest designs.
#' @param difference the difference between the scores of two models that you want to detect, for
#'   two models in `y`. `power` is then that of detecting it, and [summary()] has the smallest
#'   designs with `target_power`. By default `power` is for the difference in the pilot.
#' @param over what counts as a sample: `"stimuli"`, and `"neurons_x"` and `"neurons_y"`, as in
#'   [score_interval()]. By default all three, and for two models, whose units are all that there
#'   are, the first two. Without `"neurons_y"`, the self term of `y` is corrected for stimuli only.
#' @param shared_neurons,units_x,units_y which neurons are on both sides, or belong together, see
#'   [cka()]. Of neurons in groups, more groups of the same size are planned.
#' @param alpha level of the tests whose power is told.
#' @param target_power the power that is wanted for `difference`.
#' @param conf_level coverage of the intervals whose width is told.
#' @return A data frame of class `repalign_plan` with one row per design. Columns: `stimuli`,
#'   `neurons_x`, `neurons_y`, `trials` (`NA`: the pilot has none); `se`, the standard error; `df`,
#'   the degrees of freedom of the interval; `width`, its whole width; `power`, of [calibrate()] or
#'   of the comparison of two models; `share_stimuli`, `share_neurons_x`, `share_neurons_y`,
#'   `share_stimuli_x` and `share_stimuli_y`: the shares of the variance that come from the choice of
#'   stimuli, of neurons, and from stimuli that matter differently to different neurons (they add up
#'   to 1); `share_trials`: how much of the variance endless trials would take off (it is part of the
#'   other shares), `NA` where `trials` was not given; `extrapolated`: does the design go beyond what
#'   the pilot tells well? There are `print()`, `summary()`, `tidy()` and `plot()` for the result.
#'
#'   `summary()` gives the smallest designs for `target_se` or `difference`: a row for each number
#'   that can be solved for (column `solved`) with the others as in the plan, its `se` and `power`,
#'   and `limit_se` and `limit_power`, which no number of it goes beyond. The number is `NA` where
#'   even these limits do not reach what you want.
#' @details
#' The score is the CKA by `estimator = "stimulus_neuron"` (of trial means; see [cka()]), the only
#' one that aims at the same value with any numbers of stimuli and neurons. The jackknife of
#' [cka_interval()] splits its variance in the pilot, with n0 stimuli and q0 and p0 neurons, into
#' what stimuli (s), neurons (x, y) and their interactions (sx, sy) contribute, and the deletion of
#' pairs of neurons (xx, yy) tells how much of the part of neurons falls with the square of their
#' number. For n stimuli and q and p neurons
#' \deqn{V = \kappa \left[\frac{a_s}{n} + \frac{a_x}{q} + \frac{a_y}{p} + \frac{b_{sx}}{nq} +
#'   \frac{b_{sy}}{np} + \frac{b_{xx}}{q^2} + \frac{b_{yy}}{p^2}\right]}{V = kappa (a_s / n + a_x / q
#'   + a_y / p + b_sx / (n q) + b_sy / (n p) + b_xx / q^2 + b_yy / p^2)}
#' with \eqn{a_s = n_0 (V_s - V_{sx} - V_{sy})_+}{a_s = n0 max(V_s - V_sx - V_sy, 0)},
#' \eqn{a_x = q_0 (V_x - V_{sx} - V_{xx})_+}{a_x = q0 max(V_x - V_sx - V_xx, 0)},
#' \eqn{b_{sx} = n_0 q_0 V_{sx}}{b_sx = n0 q0 V_sx}, \eqn{b_{xx} = q_0^2 V_{xx}}{b_xx = q0^2 V_xx},
#' and the same for y. The factor \eqn{\kappa}{kappa} makes V the pilot's own variance at its design.
#' `width` is that of the t interval of [score_interval()].
#'
#' Trials: each coefficient is computed from means over all trials, over halves of them, and so on
#' down to single trials, and \eqn{\alpha + \beta / T}{alpha + beta / T} is fitted to it. The score
#' that `power` is for does not change with the trials, although noise that neurons share may lower
#' it where there are few.
#'
#' Power of [calibrate()]: \eqn{\Phi((\theta - z s_0) / se)}{Phi((theta - z s0) / se)}, with the
#' score \eqn{\theta}{theta} of the pilot, \eqn{s_0^2 = 2 g_x g_y / (n (n - 3))}{s0^2 = 2 g_x g_y /
#' (n (n - 3))}, \eqn{g_x = 1 + (h / H - 1) / q}{g_x = 1 + (h / H - 1) / q} for the mean h of the
#' self terms of single neurons and the self term H, and the threshold z of the pilot in standard
#' deviations of its null. The power for two models is that of a two-sided t test of their difference,
#' whose parts are those of the difference of the deletions.
#'
#' FIGURES
#'
#' When not to trust it: `extrapolated` is `TRUE`, and a warning of class `repalign_extrapolated`
#' says why, for less than half the stimuli of the pilot, for more than 5 times its stimuli or
#' neurons or more than twice its trials, and for fewer than 20 neurons in the plan or the pilot
#' (but not for the design of the pilot itself). The pilot's own errors are uncertain: take the
#' numbers as a rough guide, and more than the smallest design. Stimuli count as independent of each
#' other: data with clusters are refused. Other animals, and other stimuli than those that the
#' pilot's are a sample of, are not in the plan.
#' @references Efron and Stein (1981), Annals of Statistics 9 (jackknife). Chun, Canatar, Chung and
#'   Lee (2025), arXiv:2502.15104 (the estimator).
#' @examples
#' # V4 against a layer of a network: what would more images and neurons do?
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' plan <- plan_recording(v4, v4_layers$L4[1:100, ], stimuli = c(100, 200, 400),
#'                        neurons_x = c(50, 100, 200), target_se = 0.05,
#'                        over = c("stimuli", "neurons_x"))
#' plan
#' summary(plan)
#'
#' # which of two layers is closer: the smallest recording that detects a difference of 0.1
#' layers <- lapply(v4_layers[c("L2", "L4")], function(layer) layer[1:100, ])
#' summary(plan_recording(v4, layers, difference = 0.1))
#'
#' # without a pilot, from an assumption
#' set.seed(1)
#' pop <- linear_population(n = 60, q = 40, d = 30, spectrum = "power", power = c(0.5, 1))
#' plan_recording(pop, stimuli = c(60, 120), neurons_x = c(40, 80))
#' @seealso [score_interval()], [cka_interval()], [calibrate()], [plot.repalign_plan()]
#' @export
plan_recording <- function(x, y = NULL, stimuli = NULL, neurons_x = NULL, neurons_y = NULL,
                           trials = NULL, target_se = NULL, difference = NULL, over = NULL,
                           shared_neurons = FALSE, units_x = NULL, units_y = NULL, alpha = 0.05,
                           target_power = 0.8, conf_level = 0.95) {
  need_arguments()
  settings <- plan_settings(target_se, difference, alpha, target_power, conf_level)
  pilot <- plan_pilot(x, y, over, shared_neurons, units_x, units_y)
  if (!is.null(difference) && length(pilot$pairs) == 1) {
    abort("`difference` is about two models: give `y` as a named list of two, or leave it out.",
          class = "repalign_error_choice", arg = "difference")
  }
  wanted <- list(stimuli = stimuli, neurons_x = neurons_x, neurons_y = neurons_y, trials = trials)
  wanted <- check_plan_grid(wanted, pilot)
  model <- plan_model(pilot, settings, !is.null(trials))
  designs <- plan_designs(wanted, model)
  flags <- reach_flags(model, designs)
  warn_reach(model, flags)
  table <- design_table(model, designs, settings)
  table$extrapolated <- rowSums(flags) > 0
  structure(table, class = c("repalign_plan", "data.frame"), model = model, settings = settings,
            smallest = smallest_designs(model, designs, settings))
}

plan_settings <- function(target_se, difference, alpha, target_power, conf_level) {
  within_one <- function(value, arg) check_number(value, arg, above = 0, below = 1)
  list(target_se = if (!is.null(target_se)) check_number(target_se, "target_se", above = 0),
       difference = if (!is.null(difference)) check_number(difference, "difference", above = 0),
       alpha = within_one(alpha, "alpha"), target_power = within_one(target_power, "target_power"),
       conf_level = within_one(conf_level, "conf_level"))
}

# The pilot: list(pairs, args, over, truth, trials), with a pair for each model.
plan_pilot <- function(x, y, over, shared_neurons, units_x, units_y) {
  truth <- NA_real_
  if (inherits(x, "repalign_population")) {
    if (!is.null(y)) {
      abort("`x` is a linear_population(), which has both sides: leave out `y`.",
            class = "repalign_error_type", arg = "y")
    }
    truth <- x$cka
    y <- x$y
    x <- x$x
  }
  refuse_results(y, "y")
  pairs <- plan_pairs(x, y)
  over <- plan_samples(over, length(pairs))
  check_flag(shared_neurons, "shared_neurons")
  check_unit_choice(shared_neurons, units_x, units_y)
  if (length(pairs) > 1 && (shared_neurons || !is.null(units_y))) {
    abort("`shared_neurons` and `units_y` are for one `y`, not for two models.",
          class = "repalign_error_labels", arg = if (shared_neurons) "shared_neurons" else "units_y")
  }
  args <- list(kernel = "linear", estimator = "stimulus_neuron", shared_neurons = shared_neurons,
               units_x = units_x, units_y = units_y, clusters = NULL)
  list(pairs = pairs, args = args, over = over, truth = truth, trials = pilot_trials(pairs))
}

plan_pairs <- function(x, y) {
  if (is.null(y)) missing_side(FALSE)
  if (!is_collection(y)) {
    pairs <- list(representation_pair(x, y))
  } else {
    names <- check_element_names(y, "y")
    if (length(names) != 2 || any(vapply(y, is_collection, NA))) {
      abort("`y` must be one representation, or a named list of two models to tell apart.",
            class = "repalign_error_type", arg = "y")
    }
    rx <- need_kind(representation(x, "x"), "data", "this")
    pairs <- lapply(paste0("y$", names), function(arg) {
      ry <- representation(y[[sub("^y\\$", "", arg)]], arg, side = "y")
      as_pair(rx, need_kind(ry, "data", "this"))
    })
  }
  for (pair in pairs) check_plan_pair(pair)
  pairs
}

check_plan_pair <- function(pair) {
  check_rows(pair$x$n, 6, pair$x$arg, "a plan")
  refuse_holes(pair[c("x", "y")], list(list(id = "cka", args = list(), declaration = list())))
  for (repr in pair[c("x", "y")]) {
    if (is.null(repr$responses$cluster)) next
    abort("`", repr$arg, "` declares clusters of stimuli, but a plan takes stimuli as independent: ",
          "give one stimulus of each cluster, or the means of clusters.",
          class = "repalign_error_design", arg = repr$arg)
  }
  warn_dependence(lapply(pair[c("x", "y")], function(repr) repr$data), NULL)
}

plan_samples <- function(over, models) {
  if (is.null(over)) return(c("stimuli", "neurons_x", if (models == 1) "neurons_y"))
  over <- check_choice(over, plan_factors, "over", several = TRUE)
  if (models > 1 && "neurons_y" %in% over) {
    abort("`over` has \"neurons_y\", but the units of two models are all that there are: leave it ",
          "out.", class = "repalign_error_choice", arg = "over")
  }
  if ("neurons_y" %in% over && !"neurons_x" %in% over) {
    abort("`over` has \"neurons_y\" without \"neurons_x\": give the side whose neurons are a sample ",
          "as `x`.", class = "repalign_error_choice", arg = "over")
  }
  union("stimuli", over)
}

# The number of trials that all sides with trials have; NA without any.
pilot_trials <- function(pairs) {
  reprs <- c(list(pairs[[1]]$x), lapply(pairs, function(pair) pair$y))
  reprs <- Filter(has_trials, reprs)
  if (!length(reprs)) return(NA_integer_)
  numbers <- vapply(reprs, function(repr) dim(unclass(repr$responses)$values)[3], 0L)
  # unequal numbers matter only where trials are planned
  structure(numbers[1], unequal = any(numbers != numbers[1]),
            holes = any(vapply(reprs, function(repr) {
              anyNA(unclass(repr$responses)$values)
            }, NA)))
}

# ---- the grid

check_plan_grid <- function(wanted, pilot) {
  pair <- pilot$pairs[[1]]
  layout <- unit_layout(pair, check_plan_units(pair, pilot$args))
  tied <- length(layout$strata) == 1
  refuse_held(wanted, pilot, tied)
  default <- list(stimuli = pair$x$n, neurons_x = ncol(pair$x$data),
                  neurons_y = if (length(pilot$pairs) > 1) NA_integer_ else ncol(pair$y$data),
                  trials = as.integer(pilot$trials))
  least <- c(stimuli = 5, neurons_x = 2, neurons_y = 2, trials = 1)
  for (name in names(default)) {
    value <- wanted[[name]]
    wanted[[name]] <- if (is.null(value)) default[[name]] else
      check_plan_numbers(value, name, least[[name]])
  }
  check_memory(8 * 40 * prod(as.double(lengths(wanted))), "The grid of designs",
               "Plan fewer combinations.")
  wanted
}

check_plan_units <- function(pair, args) {
  check_units(pair, args)
  note_shared_neurons(pair, args)
  args
}

check_plan_numbers <- function(value, arg, least) {
  usable <- is.numeric(value) && length(value) >= 1 && all(is.finite(value)) &&
    all(value == round(value)) && all(value >= least) && !anyDuplicated(value)
  if (!usable) {
    abort("`", arg, "` must be different whole numbers, each at least ", least, ".",
          class = "repalign_error_value", arg = arg)
  }
  as.double(value)
}

# Numbers that cannot be planned.
refuse_held <- function(wanted, pilot, tied) {
  sampled <- if (tied && any(c("neurons_x", "neurons_y") %in% pilot$over)) "neurons_x" else pilot$over
  for (name in c("neurons_x", "neurons_y")) {
    if (is.null(wanted[[name]]) || name %in% sampled) next
    abort("`", name, "` cannot be planned: ", if (tied) {
      "both sides have the same neurons, whose number is `neurons_x`."
    } else {
      paste0("the neurons of `", sub("neurons_", "", name), "` are no sample here (see `over`).")
    }, class = "repalign_error_choice", arg = name)
  }
  if (is.null(wanted$trials)) return(invisible())
  trials <- pilot$trials
  why <- if (is.na(trials)) "the pilot has no trials: give responses() with several" else
    if (attr(trials, "unequal")) "the sides have different numbers of trials: give equal ones" else
    if (attr(trials, "holes")) {
      "some trials have missing values: leave out these trials, stimuli or neurons"
    }
  if (is.null(why)) return(invisible())
  abort("`trials` cannot be planned, because ", why, ".", class = "repalign_error_trials",
        arg = "trials")
}

plan_designs <- function(wanted, model) {
  if (model$tied) wanted$neurons_y <- NA_real_
  designs <- expand.grid(wanted, KEEP.OUT.ATTRS = FALSE)
  if (model$tied) designs$neurons_y <- designs$neurons_x * tied_share(model)
  designs
}

# ---- from the pilot to its model

plan_model <- function(pilot, settings, by_trials) {
  size <- c(n = pilot$pairs[[1]]$x$n, x = ncol(pilot$pairs[[1]]$x$data),
            y = ncol(pilot$pairs[[1]]$y$data))
  labels <- lapply(pilot$pairs, function(pair) unit_layout(pair, pilot$args)$labels)
  of_slots <- function(slots) plan_estimate(pilot, labels, slots)
  all <- of_slots(NULL)
  refuse_undefined_pilot(all)
  fit <- if (by_trials) trial_coefficients(as.integer(pilot$trials), function(slots) {
    plan_values(of_slots(slots), size)
  })
  model <- list(size = size, trials = as.integer(pilot$trials), fit = fit,
                units = lengths(lapply(all$samples, function(sample) sample$units)),
                coefficients = plan_values(all, size), tied = all$one_sample, score = all$score,
                se = sqrt(variance_parts(all)$total), kappa = 1, effect = all$score)
  if (!is.na(pilot$truth)) model$effect <- pilot$truth
  if (!is.null(settings$difference)) model$effect <- settings$difference
  own <- data.frame(stimuli = size[["n"]], neurons_x = size[["x"]], neurons_y = size[["y"]],
                    trials = model$trials)
  model$kappa <- model$se^2 / sum(design_terms(model, own))
  if (!is.finite(model$kappa) || model$se <= equal_share) {
    abort("The score of the pilot does not vary when stimuli or neurons are left out: nothing can ",
          "be planned from it.", class = "repalign_error_variance", arg = "x")
  }
  model$critical <- if (length(pilot$pairs) > 1) NA_real_ else
    plan_threshold(pilot$pairs[[1]], pilot$args, settings$alpha)
  model
}

# The deletions of the pilot, or of means over some of its trials (slots).
plan_estimate <- function(pilot, labels, slots) {
  each <- Map(function(pair, labels) {
    args <- pilot$args
    args$shared_neurons <- FALSE
    args[c("units_x", "units_y")] <- labels
    plan_deletions(some_trials(pair, slots), args, pilot$over)
  }, pilot$pairs, labels)
  if (length(each) == 1) each[[1]] else deletion_difference(each[[1]], each[[2]])
}

# The labels are those of the call, because means over trials declare none.
some_trials <- function(pair, slots) {
  cut <- function(repr) {
    data <- repr$data
    if (!is.null(slots) && has_trials(repr)) {
      data <- trial_means(unclass(repr$responses)$values[, , slots, drop = FALSE])
    }
    representation(mark_checked(unname(data)), repr$arg, side = repr$side)
  }
  as_pair(cut(pair$x), cut(pair$y), by_name = FALSE)
}

# Coefficients, with those of the self terms.
plan_values <- function(deletions, size) {
  value <- variance_coefficients(variance_parts(deletions), size)
  self <- if (is.null(deletions$self)) c(x = 1, y = 1) else deletions$self
  c(value, self_x = size[["x"]] * (self[["x"]] - 1), self_y = size[["y"]] * (self[["y"]] - 1))
}

refuse_undefined_pilot <- function(deletions) {
  lost <- sum(is.na(deletions$stimuli)) + sum(vapply(deletions$samples, function(sample) {
    off <- row(sample$pairs) != col(sample$pairs)
    sum(is.na(sample$units)) + sum(is.na(sample$both)) + sum(is.na(sample$pairs[off]))
  }, 0))
  if (is.na(deletions$score)) {
    abort("The corrected CKA of the pilot is undefined, because a denominator is not positive: it ",
          "has too few stimuli or neurons to plan from.", class = "repalign_error_variance",
          arg = "x")
  }
  if (lost) {
    abort("The pilot is too small to plan from: ", lost, " of its scores without a stimulus or a ",
          "neuron, or two of them, are undefined, because a denominator is not positive.",
          class = "repalign_error_variance", arg = "x")
  }
}

# The threshold of calibrate() in standard deviations of the null. Where three moments do not tell
# it, it comes from permutations.
plan_threshold <- function(pair, args, alpha) {
  of <- function(engine) {
    own <- list("cka", estimator = "stimulus_neuron", shared_neurons = args$shared_neurons,
                units_x = args$units_x, units_y = args$units_y)
    result <- quiet_calibration(
      pair$x$data, pair$y$data, do.call(measure, own), alpha = alpha, engine = engine
    )
    (result$threshold - result$null_mean) / result$null_sd
  }
  tryCatch(of("moments"), repalign_error = function(e) of("auto"))
}

# What calibrate() has to say was said of the plan, or is about its p-value.
quiet_calibration <- function(...) suppressWarnings(suppressMessages(calibrate(...)))
