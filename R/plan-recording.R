# plan_recording() predicts the errors of recordings of other sizes, from a pilot or from numbers.

#' Plan a recording: how many stimuli, neurons and trials?
#'
#' From a pilot, the standard error of the corrected CKA and the power of a test against chance or
#' between two models, for any numbers of stimuli, neurons and trials.
#'
#' @param x the pilot: a matrix stimuli x neurons, or [responses()], whose trials can then be
#'   planned. Or, in place of a pilot, what [linear_population()] returned (best a large one: 400 x
#'   200 + 200), without `y`.
#' @param y what `x` is compared with, for the same stimuli: another recording, or a model. With a
#'   named list of two models all columns are about the difference between their scores.
#' @param stimuli,neurons_x,neurons_y,trials numbers to plan for, by default those of the pilot;
#'   every combination becomes a row. `neurons_y` is only for a `y` whose neurons are another
#'   sample, `trials` only for a pilot whose stimuli have equally many.
#' @param target_se the standard error that you want, for `summary()`.
#' @param difference the difference between the scores of two models that you want to detect (by
#'   default that in the pilot).
#' @param over see [score_interval()]. By default all that are samples; for two models the stimuli
#'   and `"neurons_x"`.
#' @param shared_neurons,units_x,units_y see [cka()].
#' @param na see [similarity()].
#' @param alpha,target_power the level of tests, and the power that is wanted for `difference`.
#' @param conf_level coverage of the intervals and ranges.
#' @param neurons not used: give `neurons_x` and `neurons_y`.
#' @param complete `"y"`: the units of `y` are all that there are, see [cka()].
#' @return A data frame of class `repalign_plan` with one row per design. Columns: `stimuli`,
#'   `neurons_x`, `neurons_y`, `trials` (`NA` where those of the pilot are unequal); `se`, and
#'   `se_low` and `se_high`, its range by what the pilot knows; `df` and `width` of the interval;
#'   `power`, of [calibrate()] or of the comparison of two models; `share_stimuli`,
#'   `share_neurons_x`, `share_neurons_y`, `share_stimuli_x` and `share_stimuli_y`: the shares of
#'   the variance that come from stimuli, neurons, and their interactions; `share_trials`: the share
#'   that infinitely many trials would remove; `extrapolated`, see Details.
#'
#'   `summary()` gives the smallest designs for `target_se` or `difference`: a row for each number
#'   that can be solved for (column `solved`) with the others as in the plan, or `NA` where no
#'   number is enough (`why`); `low` and `high`, the numbers at which `se_low` and `se_high` are as
#'   wanted (`Inf`: perhaps no number is enough); its `se` and `power`; `limit_se` and
#'   `limit_power`, those with infinitely many; and `extrapolated`.
#' @details
#' The score is the CKA by `estimator = "stimulus_neuron"` (of trial means). Predicted errors are
#' mostly somewhat too large, but against a model they can be a quarter too small for 5 times the
#' neurons.
#'
#' When not to trust it: `extrapolated` is `TRUE`, with a warning of class `repalign_extrapolated`,
#' for fewer than half or more than 5 times the stimuli of the pilot, more than 5 times its neurons
#' or twice its trials, and for fewer than 20 neurons. Plan for more than the smallest design: one
#' prediction in ten fell short by up to a half. Data with clusters are refused. Other animals, and
#' other kinds of stimuli, are not in the plan.
#' @references Efron and Stein (1981), Annals of Statistics 9 (jackknife). Chun et al. (2025),
#'   \doi{10.48550/arXiv.2502.15104} (the estimator).
#' @examples
#' # V4 against a layer of a network
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' plan <- plan_recording(v4, v4_layers$L4[1:100, ], stimuli = c(100, 200, 400),
#'                        neurons_x = c(50, 100, 200), target_se = 0.05, complete = "y")
#' plan
#' summary(plan)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(plan)
#'
#' # which of two layers is closer?
#' layers <- lapply(v4_layers[c("L2", "L4")], function(layer) layer[1:100, ])
#' summary(plan_recording(v4, layers, difference = 0.1, complete = "y"))
#' @seealso [cka_interval()]
#' @order 1
#' @export
plan_recording <- function(x, y = NULL, stimuli = NULL, neurons_x = NULL, neurons_y = NULL,
                           trials = NULL, target_se = NULL, difference = NULL, over = NULL,
                           shared_neurons = FALSE, units_x = NULL, units_y = NULL, alpha = 0.05,
                           target_power = 0.8, conf_level = 0.95,
                           complete = c("none", "x", "y", "both"),
                           na = c("error", "stimuli", "neurons"), neurons = NULL, ...) {
  need_arguments()
  # without this argument, R would take `neurons` for the beginning of two others
  refuse_if(!is.null(neurons), "parameter", "`neurons` does not say of which side: give ",
            "`neurons_x`, `neurons_y` or both.")
  within_one <- function(value, arg) check_number(value, arg, above = 0, below = 1)
  settings <- list(
    target_se = if (!is.null(target_se)) check_number(target_se, "target_se", above = 0),
    difference = if (!is.null(difference)) check_number(difference, "difference", above = 0),
    alpha = within_one(alpha, "alpha"), target_power = within_one(target_power, "target_power"),
    conf_level = within_one(conf_level, "conf_level")
  )
  pilot <- plan_pilot(x, y, over, shared_neurons, units_x, units_y, complete, na)
  refuse_if(!is.null(difference) && length(pilot$pairs) == 1, "choice", "`difference` is about ",
            "two models: give `y` as a named list of two, or leave it out.")
  wanted <- list(stimuli = stimuli, neurons_x = neurons_x, neurons_y = neurons_y, trials = trials)
  wanted <- check_plan_grid(wanted, pilot)
  model <- plan_model(pilot, settings, !is.null(trials))
  if (model$tied) wanted$neurons_y <- NA_real_
  designs <- expand.grid(wanted, KEEP.OUT.ATTRS = FALSE)
  if (model$tied) designs$neurons_y <- designs$neurons_x * tied_share(model)
  flags <- reach_flags(model, designs)
  warn_reach(model, flags)
  table <- design_table(model, designs, settings)
  table$extrapolated <- rowSums(flags) > 0
  new_result(table, "repalign_plan", list(
    model = model, settings = settings, smallest = smallest_designs(model, designs, settings)
  ))
}

# ---- the grid

check_plan_grid <- function(wanted, pilot) {
  pair <- pilot$pairs[[1]]
  check_units(pair, pilot$args)
  note_shared_neurons(pair, pilot$args)
  tied <- is_one_sample(unit_layout(pair, pilot$args))
  # numbers that cannot be planned
  both <- tied && any(c("neurons_x", "neurons_y") %in% pilot$over)
  sampled <- if (both) "neurons_x" else pilot$over
  for (arg in c("neurons_x", "neurons_y")) {
    refuse_if(!is.null(wanted[[arg]]) && !arg %in% sampled, "choice", "`{arg}` cannot be planned: ",
              if (tied) "both sides have the same neurons, whose number is `neurons_x`." else
                paste0("the neurons of `", sub("neurons_", "", arg), "` are no sample here (see ",
                       "`over`)."))
  }
  if (!is.null(wanted$trials)) {
    trials <- pilot$trials
    why <- if (is.null(attributes(trials))) {
      "the pilot has no trials: give responses() with several"
    } else if (attr(trials, "unequal")) {
      "the sides have different numbers of trials: give equal ones"
    } else if (is.na(trials)) {
      paste0("some trials have missing values: give those that all stimuli have, as in ",
             "trials[, , 1:6], or leave out stimuli or neurons")
      }
    refuse_if(!is.null(why), "trials", "`trials` cannot be planned, because {why}.")
  }
  default <- list(stimuli = pair$x$n, neurons_x = ncol(pair$x$data),
                  neurons_y = if (length(pilot$pairs) > 1) NA_integer_ else ncol(pair$y$data),
                  trials = as.integer(pilot$trials))
  least <- c(stimuli = 5, neurons_x = 2, neurons_y = 2, trials = 1)
  for (name in names(default)) {
    value <- wanted[[name]]
    wanted[[name]] <- if (is.null(value)) default[[name]] else {
      usable <- is.numeric(value) && length(value) >= 1 && all(is.finite(value)) &&
        all(value == round(value)) && all(value >= least[[name]]) && !anyDuplicated(value)
      refuse_if(!usable, "value", "`{name}` must be different whole numbers, each at least ",
                "{least[[name]]}.")
      as.double(value)
    }
  }
  check_memory(8 * 40 * prod(as.double(lengths(wanted))), "The grid of designs",
               "Plan fewer combinations.")
  wanted
}

# ---- parts

# The parts of the variance of a corrected CKA, from a pilot: what stimuli, neurons, their
# interactions and neuron pairs contribute.

# The deletions of a pilot: list(score, stimuli, samples, self). stimuli: the scores without each
# stimulus; samples: for x and y (or for x alone, if neurons of y do not vary or are those of x)
# list(units, both, pairs): the scores without each unit, without each unit and each stimulus
# (stimuli x units), and without each two units; self: the ratios of the self terms that neurons
# are corrected in and are not.
plan_deletions <- function(pair, args, over) {
  table <- cka_table(pair, args, NULL)
  values <- table$values
  layout <- table$layout
  one_sample <- is_one_sample(layout)
  # Stimulus-corrected values of all neuron pairs, added up by units. `terms` and `counts` leave out
  # neuron pairs within a unit; `all` is the mean over all neuron pairs, and `ratio` how much larger
  # it is than the mean over those that are allowed.
  x <- centered_data(pair$x)
  y <- if (pair$self) x else centered_data(pair$y)
  count <- length(layout$units)
  check_memory(8 * (4 * as.double(count)^2 + 3 * as.double(ncol(x)) * ncol(y)),
               "The deletion of pairs of neurons", "Fewer neurons need less.")
  sums_of <- function(a, b, unit_a, unit_b) {
    terms_of <- pair_terms(a, b)
    rows <- t(sum_by_unit(t(terms_of$stimulus), unit_a, count))
    terms <- sum_by_unit(rows, unit_b, count)
    counts <- outer(tabulate(unit_a, count), as.double(tabulate(unit_b, count)))
    all <- sum(terms) / sum(counts)
    diag(terms) <- diag(counts) <- 0
    list(terms = terms, counts = counts, all = all,
         least = rounding_share * sum(terms_of$naive) / length(terms_of$naive),
         ratio = all / (sum(terms) / sum(counts)))
  }
  sums <- list(xy = sums_of(x, y, layout$x, layout$y), xx = sums_of(x, x, layout$x, layout$x),
               yy = sums_of(y, y, layout$y, layout$y))
  names <- if (one_sample) "x" else c("x", "y")[!layout$complete]
  strata <- stats::setNames(layout$strata, names)[paste0("neurons_", names) %in% over]
  samples <- lapply(strata, function(units) {
    # the scores without each two of `units`; the diagonal is NA
    without <- function(part) {
      value <- without_two(part$terms, units) / without_two(part$counts, units)
      if (identical(part, sums$xy)) value else replace(value, which(!(value > part$least)), NA)
    }
    self <- function(side) {
      part <- sums[[paste0(side, side)]]
      if (layout$complete[[side]]) part$all else without(part)
    }
    scores <- without(sums$xy) / sqrt(self("x")) / sqrt(self("y"))
    diag(scores) <- NA
    list(units = values[1, 1 + units], both = values[-1, 1 + units, drop = FALSE], pairs = scores)
  })
  list(score = values[1, 1], stimuli = values[-1, 1], samples = samples,
       self = ifelse(layout$complete, 1, c(x = sums$xx$ratio, y = sums$yy$ratio)),
       one_sample = one_sample)
}

# Are the neurons of both sides one sample, because some are on both?
is_one_sample <- function(layout) length(layout$strata) == 1 && !any(layout$complete)

without_two <- function(terms, units) {
  each <- (rowSums(terms) + colSums(terms))[units]
  inner <- terms[units, units, drop = FALSE]
  sum(terms) - outer(each, each, "+") + inner + t(inner)
}

# The parts of the variance: `stimuli`, and for x and y the main part (`units`), the interactions
# with stimuli (`both`), and the part of the neuron pairs (`pairs`); `total` as in cka_interval().
variance_parts <- function(deletions) {
  n <- length(deletions$stimuli)
  main <- (n - 1) / n * cross_deviation(deletions$stimuli, deletions$stimuli)
  samples <- lapply(deletions$samples, function(sample) {
    size <- length(sample$units)
    inner <- sweep(sample$both - deletions$stimuli, 2, sample$units - deletions$score)
    q <- size * deletions$score - (size - 1) * outer(sample$units, sample$units, "+") +
      (size - 2) * sample$pairs
    q <- q[upper.tri(q)]
    list(units = (size - 1) / size * cross_deviation(sample$units, sample$units),
         both = (n - 1) / n * (size - 1) / size * sum(inner^2),
         pairs = cross_deviation(q, q) / (size * (size - 1)))
  })
  mains <- c(main, vapply(samples, function(part) part$units, 0))
  inner <- vapply(samples, function(part) part$both, 0)
  list(stimuli = main, samples = samples, total = max(sum(mains) - sum(inner), mains))
}

coefficient_names <- c("stimuli", "neurons_x", "neurons_y", "stimuli_x", "stimuli_y", "pairs_x",
                       "pairs_y")

# ---- trials

# What `compute` gives of means over fewer trials: list(trials, values), where `values` has a list
# for each number of trials (all of them, half of them, ..., one), with an element for each group of
# trials. compute: function(slots), NULL where the score is undefined.
trial_groups <- function(all, compute) {
  numbers <- all
  while (utils::tail(numbers, 1) > 1) numbers <- c(numbers, utils::tail(numbers, 1) %/% 2L)
  values <- lapply(numbers, function(number) {
    groups <- split(seq_len(all %/% number * number), rep(seq_len(all %/% number), each = number))
    Filter(Negate(is.null), lapply(unname(groups), compute))
  })
  known <- lengths(values) > 0
  refuse_if(sum(known) < 2, "trials", "Fewer trials than all have no corrected CKA, so that ",
            "nothing is known about `trials`: too few stimuli or neurons. Leave out `trials`.")
  list(trials = numbers[known], values = values[known])
}

# c(a, b, c), none negative, of the curve a + b / trials + c / trials^2 that is closest to the
# values relative to these, and meets the first one.
trial_curve <- function(values, trials) {
  if (length(values) == 1 || !all(values > 0)) return(c(max(values[1], 0), 0, 0))
  powers <- outer(1 / trials, 0:2, "^")
  best <- list(off = Inf)
  for (set in list(1:2, c(1, 3), 2:3, 1:3, 1, 2, 3)) {
    if (length(set) > length(trials)) next
    found <- qr.solve(powers[, set, drop = FALSE] / values, rep(1, length(values)))
    curve <- replace(numeric(3), set, found)
    off <- sum((powers %*% curve / values - 1)^2)
    if (all(found >= 0) && off < best$off - 1e-12) best <- list(curve = curve, off = off)
  }
  best$curve * values[1] / sum(powers[1, ] * best$curve)
}

# list(raw, coefficients, trend, self, total): estimates of the coefficients; coefficients that are
# not negative and give the variance of the pilot at its size (total); the curve over trials by
# which all of them are multiplied, because single ones are too uncertain; and curves of the self
# terms. fit: see trial_groups(), of deletions; size: the numbers of stimuli and neurons.
variance_model <- function(fit, size) {
  values <- vapply(fit$values, function(groups) {
    rowMeans(vapply(groups, function(one) {
      parts <- variance_parts(one)
      self <- if (is.null(one$self)) c(1, 1) else one$self
      # Coefficients of 1 / n, 1 / q, 1 / p, 1 / (n q), 1 / (n p), 1 / q^2 and 1 / p^2. What single
      # stimuli and neurons add is what their parts leave when those of interactions and neuron
      # pairs, which they contain, are taken out; that may be below 0.
      value <- stats::setNames(numeric(7), coefficient_names)
      inner <- sum(vapply(parts$samples, function(part) part$both, 0))
      value["stimuli"] <- size[["n"]] * (parts$stimuli - inner)
      for (side in names(parts$samples)) {
        part <- parts$samples[[side]]
        q <- size[[side]]
        value[paste0("neurons_", side)] <- q * (part$units - part$both - part$pairs)
        value[paste0("stimuli_", side)] <- size[["n"]] * q * part$both
        value[paste0("pairs_", side)] <- q^2 * part$pairs
      }
      c(value, parts$total, size[c("x", "y")] * (self - 1))
    }, numeric(10)))
  }, numeric(10))
  list(raw = values[1:7, 1], coefficients = pooled_coefficients(values[1:7, 1], size, values[8, 1]),
       trend = trial_curve(values[8, ], fit$trials) / values[8, 1],
       self = apply(values[9:10, , drop = FALSE], 1, trial_curve, fit$trials), total = values[8, 1])
}

# What is below `least` is pooled with the others: together they remain the variance.
pooled_coefficients <- function(raw, size, total, least = 0) {
  value <- pmax(raw, least)
  value * total / sum(value / design_sizes(size[["n"]], size[["x"]], size[["y"]]))
}
