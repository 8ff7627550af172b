# What a planned recording will tell: standard errors, shares and powers of designs, and the
# smallest design for a wanted error or power; and how plans are printed.

#' @include result-class.R
NULL

# A model of a plan is a list of the parts
#
# size          numbers of stimuli (n) and neurons (x, y) of the pilot
# units         numbers of independent units among the neurons of each varying side
# trials        number of trials of the pilot, NA without any
# by_trials     are numbers of trials planned?
# counts        of unequal trials, the least and the largest number
# raw, coefficients, trend, self, total   as variance_model() gives them
# shifted, share, bounded, bound          as variance_range() does
# tied          are the neurons of y those of x?
# score, se     of the pilot; effect: the score or difference that power is for
# critical      threshold of calibrate() in standard deviations of the null; NA for differences

# a + b / trials + c / trials^2 for each column of coefficients; of a pilot whose trials are not
# planned, that of the pilot.
at_trials <- function(model, curve, trials) {
  powers <- if (model$by_trials) outer(1 / trials, 0:2, "^") else matrix(1, length(trials), 3)
  powers %*% curve
}

# The variance of each design (rows), or the terms of it. designs: a data frame with the columns
# stimuli, neurons_x, neurons_y and trials; of: list(coefficients, trend), with columns for several
# variances, or vectors.
design_variances <- function(model, designs, of) {
  # the units of two models are no sample, and have no number
  p <- ifelse(is.na(designs$neurons_y), 1, designs$neurons_y)
  shares <- 1 / design_sizes(designs$stimuli, designs$neurons_x, p)
  shares %*% of$coefficients * pmax(at_trials(model, of$trend, designs$trials), model$bound)
}

design_terms <- function(model, designs, of = model) {
  terms <- design_variances(model, designs, list(coefficients = diag(c(of$coefficients)),
                                                 trend = matrix(of$trend, 3, 7)))
  colnames(terms) <- coefficient_names
  terms
}

# What the coefficients are divided by.
design_sizes <- function(n, q, p) cbind(n, q, p, n * q, n * p, q^2, p^2)

design_table <- function(model, designs, settings) {
  terms <- design_terms(model, designs)
  # endless neurons or stimuli would leave nothing of terms at 0
  none <- rowSums(terms) == 0
  terms[none, ] <- design_terms(model, designs[none, ], model$bounded)
  variance <- rowSums(terms)
  designs$se <- sqrt(variance)
  changes <- log(design_variances(model, designs, model$shifted) / variance)
  spread <- stats::qnorm(0.5 + settings$conf_level / 2) / 2 * sqrt(model$share * rowSums(changes^2))
  designs$se_low <- designs$se * exp(-spread)
  designs$se_high <- designs$se * exp(spread)
  # Satterthwaite, as score_interval() has them: each main part contains its interactions
  main <- cbind(rowSums(terms[, c("stimuli", "stimuli_x", "stimuli_y"), drop = FALSE]))
  sizes <- cbind(designs$stimuli)
  for (side in names(model$units)) {
    columns <- paste0(c("neurons_", "stimuli_", "pairs_"), side)
    main <- cbind(main, rowSums(terms[, columns, drop = FALSE]))
    neurons <- designs[[paste0("neurons_", side)]]
    sizes <- cbind(sizes, neurons * model$units[[side]] / model$size[[side]])
  }
  designs$df <- if (!length(model$units)) rep(Inf, nrow(designs)) else
    rowSums(terms)^2 / rowSums(main^2 / (sizes - 1))
  designs$width <- 2 * stats::qt(0.5 + settings$conf_level / 2, designs$df) * designs$se
  designs$power <- design_power(model, designs, settings)
  shares <- terms / variance
  designs$share_stimuli <- shares[, "stimuli"]
  designs$share_neurons_x <- shares[, "neurons_x"] + shares[, "pairs_x"]
  designs$share_neurons_y <- shares[, "neurons_y"] + shares[, "pairs_y"]
  designs$share_stimuli_x <- shares[, "stimuli_x"]
  designs$share_stimuli_y <- shares[, "stimuli_y"]
  # what endless trials would take off
  designs$share_trials <- if (!model$by_trials) rep(NA_real_, nrow(designs)) else
    pmax(1 - rowSums(design_terms(model, replace(designs, "trials", Inf))) / variance, 0)
  designs
}

plan_labels <- c(stimuli = "stimuli", neurons_x = "neurons of x", neurons_y = "neurons of y",
                 trials = "trials", se = "standard error", power = "power")

# Of the test against chance by calibrate(), or of the comparison of two models.
design_power <- function(model, designs, settings) {
  if (is.na(model$critical)) {
    quantile <- stats::qt(1 - settings$alpha / 2, designs$df)
    shift <- abs(model$effect) / designs$se
    return(stats::pnorm(shift - quantile) + stats::pnorm(-shift - quantile))
  }
  self <- at_trials(model, model$self, designs$trials)
  g <- (1 + self[, 1] / designs$neurons_x) * (1 + self[, 2] / designs$neurons_y)
  n <- designs$stimuli
  null_sd <- sqrt(2 * g / (n * (n - 3)))
  stats::pnorm((model$effect - model$critical * null_sd) / designs$se)
}

# ---- how far the pilot reaches

plan_reach <- list(fewer = 1 / 2, more = 5, neurons = 20, trials = 2)

# Why the formulas may fail at each design: a data frame of flags. No number may be NA that varies.
reach_flags <- function(model, designs) {
  size <- model$size
  varying <- intersect(c("x", "y"), names(model$units))
  neurons <- as.matrix(designs[paste0("neurons_", varying, recycle0 = TRUE)])
  pilot <- matrix(rep(unlist(size[varying]), each = nrow(designs)), nrow(designs))
  flag <- function(values) if (length(varying)) rowSums(values) > 0 else rep(FALSE, nrow(designs))
  other <- designs$stimuli != size[["n"]] | flag(neurons != pilot) |
    (!is.na(designs$trials) & designs$trials != model$trials)
  data.frame(
    few_stimuli = designs$stimuli < plan_reach$fewer * size[["n"]],
    few_neurons = other & flag(pmin(neurons, pilot) < plan_reach$neurons),
    far = designs$stimuli > plan_reach$more * size[["n"]] | flag(neurons > plan_reach$more * pilot),
    trials = !is.na(designs$trials) & designs$trials > plan_reach$trials * model$trials
  )
}

# The same for the smallest designs: a number that was not found (NA) extrapolates nothing.
smallest_flags <- function(model, smallest) {
  flags <- reach_flags(model, smallest)
  flags[is.na(smallest$se), ] <- FALSE
  flags
}

# what: what the designs are called.
warn_reach <- function(model, flags, what = "designs") {
  said <- c(
    few_stimuli = paste0("fewer than half of the pilot's ", model$size[["n"]], " stimuli"),
    few_neurons = paste0("fewer than ", plan_reach$neurons, " neurons, in the plan or the pilot"),
    far = paste0("more than ", plan_reach$more, " times the stimuli or neurons of the pilot"),
    trials = paste0("more than ", plan_reach$trials, " times its trials")
  )
  some <- colSums(flags) > 0
  if (!any(some)) return(invisible())
  count <- sum(rowSums(flags) > 0)
  warn("extrapolated", "{count} of {nrow(flags)} {what}{if (count == 1) ' is' else ' are'} beyond ",
       "what the pilot tells well: {paste(said[some], collapse = '; ')}. See `extrapolated`, and ",
       "Details of ?plan_recording.")
}

# ---- the smallest design

plan_factors <- c("stimuli", "neurons_x", "neurons_y")

# The smallest number of stimuli, of neurons of x and of neurons of y with the other numbers as in
# the plan: a data frame with `solved`, the design, the range of the number by that of the standard
# error (`low`, `high`), se and power, their limits for endless numbers, and `extrapolated`; NA
# where even the limits do not reach what is wanted, with the reason in `why`.
smallest_designs <- function(model, designs, settings) {
  if (is.null(settings$target_se) && is.null(settings$difference)) return(NULL)
  factors <- intersect(plan_factors, c("stimuli", paste0("neurons_", names(model$units))))
  rows <- lapply(factors, function(factor) {
    others <- setdiff(c(plan_factors, "trials"), c(factor, if (model$tied) "neurons_y"))
    held <- designs[!duplicated(designs[others]), c(plan_factors, "trials")]
    do.call(rbind, lapply(seq_len(nrow(held)), function(i) {
      design <- held[i, ]
      at <- function(number) {
        design[[factor]] <- number
        if (model$tied && factor == "neurons_x") design$neurons_y <- number * tied_share(model)
        design_table(model, design, settings)
      }
      smallest <- function(bound) smallest_number(function(number) {
        row <- at(number)
        row$se <- row[[bound]]
        (is.null(settings$target_se) || row$se <= settings$target_se) &&
          (is.null(settings$difference) ||
             design_power(model, row, settings) >= settings$target_power)
      }, if (factor == "stimuli") 5 else 2)
      limit <- at(Inf)
      least <- smallest("se")
      low <- smallest("se_low")
      high <- smallest("se_high")
      why <- paste0("endless ", plan_labels[[factor]], " leave a standard error of ",
                    format(limit$se, digits = 2), if (!is.null(settings$difference)) {
                      paste(" and a power of", format(limit$power, digits = 2))
                    }, if (!is.na(low)) paste0("; if the pilot erred, ", low, " are enough"))
      found <- if (is.na(least)) replace(at(10), c(factor, "se", "power"), NA) else at(least)
      if (model$tied && is.na(least) && factor == "neurons_x") found$neurons_y <- NA
      data.frame(solved = factor, found[c(plan_factors, "trials")], low = low,
                 high = if (is.na(low)) NA else if (is.na(high)) Inf else high,
                 found[c("se", "power")], limit_se = limit$se, limit_power = limit$power,
                 why = if (is.na(least)) why else NA_character_)
    }))
  })
  result <- do.call(rbind, rows)
  rownames(result) <- NULL
  result$extrapolated <- rowSums(smallest_flags(model, result)) > 0
  result$extrapolated[is.na(result$se)] <- NA
  result
}

tied_share <- function(model) model$size[["y"]] / model$size[["x"]]

# The smallest whole number for which `reached` is TRUE, which stays so for larger ones; NA beyond
# ten million.
smallest_number <- function(reached, least) {
  high <- least
  while (!reached(high)) {
    if (high >= 1e7) return(NA_real_)
    least <- high
    high <- 2 * high
  }
  while (high - least > 1) {
    middle <- floor((least + high) / 2)
    if (reached(middle)) high <- middle else least <- middle
  }
  if (reached(least)) least else high
}

# ---- the result

declare_result(
  "repalign_plan", from = "plan_recording", digits = 3, words = "plans",
  columns = described_columns(
    column("stimuli", "the number of stimuli", key = TRUE),
    column("neurons_x", "the number of neurons of x", key = TRUE),
    column("neurons_y", "the number of neurons of y", key = TRUE),
    column("trials", "the number of trials", key = TRUE),
    column("se", "the standard error", shown = 1),
    column("se_low", "the lower limit of what the pilot knows of it"),
    column("se_high", "the upper limit"),
    column("df", "its degrees of freedom"),
    column("width", "the width of the interval", shown = 2),
    column("power", "the power of the test", shown = 3),
    column("share_stimuli", "the share of the variance that stimuli have"),
    column("share_neurons_x", "that of the neurons of x"),
    column("share_neurons_y", "that of the neurons of y"),
    column("share_stimuli_x", "that of stimuli by neurons of x"),
    column("share_stimuli_y", "that of stimuli by neurons of y"),
    column("share_trials", "that of the noise of trials"),
    column("extrapolated", "is the design far from the pilot?", shown = 4)
  ),
  # the smallest designs are those of one set of numbers
  kept = list(model = all_alike, settings = all_alike, smallest = forgotten),
  heading = function(x, digits) {
    facts <- plan_facts(x)
    model <- facts$model
    two <- is.na(model$critical)
    neurons <- paste(c(model$size[["x"]], if (!model$tied && !two) model$size[["y"]]),
                     collapse = " and ")
    pilot <- paste0("pilot: ", model$size[["n"]], " stimuli x ", neurons, " neurons",
                    if (length(model$counts)) paste(" x", trials_words(model)),
                    if (two) ", difference " else ", corrected CKA ",
                    format(model$score, digits = digits),
                    ", standard error ", format(model$se, digits = digits))
    effect <- format(model$effect, digits = digits)
    level <- paste("at level", format(facts$settings$alpha))
    power <- if (two) {
      paste("power: to find a difference of", effect, "between the two models", level)
    } else paste("power: of calibrate()", level, "if the CKA is", effect)
    c(paste0("Plan of a recording: ", count_of(nrow(x), "design")), strwrap(pilot, exdent = 2),
      strwrap(power, exdent = 2))
  },
  shown = function(x) {
    unknown <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x <- x[!unknown]
    shares <- grep("^share_", names(x))
    x[shares] <- lapply(as.data.frame(x)[shares], round, 2)
    x
  },
  footing = function(x, digits) {
    smallest <- attr(x, "smallest")
    if (is.null(smallest)) return(NULL)
    title <- paste0("Smallest designs with a ", goal_words(attr(x, "settings")),
                    " (summary() has ", if (nrow(smallest) > 6) "all" else "them",
                    "), and the range of what is solved for, low to high:")
    rows <- utils::head(smallest, 6)
    unknown <- vapply(rows, function(column) all(is.na(column)), NA) & names(rows) != "se"
    rows <- rows[!unknown]
    why <- paste0("row ", seq_along(rows$why), ": ", rows$why)[!is.na(rows$why)]
    rows$why <- NULL
    last <- c("limit_se", "limit_power")
    all <- c(setdiff(names(rows), last), intersect(last, names(rows)))
    shown <- fitting_columns(rows, list(named = setdiff(all, last), all = all), digits)
    c(strwrap(title, exdent = 2),
      utils::capture.output(print.data.frame(rows[shown], digits = digits)),
      if (length(why)) strwrap(paste0("NA in ", paste(why, collapse = "; "), "."), exdent = 2))
  },
  # The smallest design that reaches what is wanted, or that with the smallest standard error.
  sentence = function(x) {
    need_columns(x, c(plan_factors, "trials", "se", "power"), "told", "result")
    facts <- plan_facts(x)
    two <- is.na(facts$model$critical)
    what <- paste("the", if (two) "difference of the two models" else
      estimator_words("stimulus_neuron"))
    pilot <- paste0("; the plan is from a pilot of ", facts$model$size[["n"]], " stimuli",
                    brackets(paste("standard error", number_word(facts$model$se))))
    solved <- attr(x, "smallest")
    # those with numbers that are left in the plan
    for (name in c(plan_factors, "trials")) {
      solved <- solved[solved$solved == name | solved[[name]] %in% x[[name]], ]
    }
    lost <- undefined_words(x$se, "standard error")
    if (NROW(solved)) {
      goal <- paste(goal_words(facts$settings), "of", what)
      # the design with the fewest responses of those that were solved for
      size <- solved$stimuli * solved$neurons_x * pmax(solved$neurons_y, 1, na.rm = TRUE) *
        pmax(solved$trials, 1, na.rm = TRUE) + 0 * solved$se
      best <- order(solved$extrapolated, size)[1]
      row <- solved[best, ]
      told <- if (is.na(size[best])) {
        # the largest design tells for the others, and the limits for the range of the pilot
        why <- sub(";.*", "", solved$why[!duplicated(solved$solved, fromLast = TRUE)])
        paste0("No number alone reaches a ", goal, ", with the others as planned",
               if (length(why) > 1) " (several together may)", ": ", enumerate(why, quote = FALSE))
      } else {
        range <- paste(count_word(row$low), if (is.finite(row$high)) {
          paste("to", count_word(row$high))
        } else "or more, perhaps without end,")
        paste0("The smallest design with a ", goal, " has ", design_words(row, 1, facts$model),
               ", where ", plan_labels[[row$solved]], " were solved for: ", range,
               " by what the pilot knows",
               if (isTRUE(row$extrapolated)) ", from which this design is far")
      }
      return(paste0(told, pilot, ".", lost))
    }
    best <- which.min(x$se)
    if (!length(best)) {
      return(paste0("By this plan,", undefined_words(x$se, "standard error", FALSE)))
    }
    power <- if (!is.na(x$power[best])) {
      effect <- if (two) "to find a difference of" else "to find a score above chance if it is"
      # more than 1 is the pilot's chance, no score to hope for
      size <- if (!two && facts$model$effect > 1) "that of the pilot" else
        number_word(facts$model$effect)
      paste0(", and a power of ", number_word(x$power[best]), " ", effect, " ", size, " at level ",
             without_zero(format(facts$settings$alpha)))
    }
    start <- if (nrow(x) > 1) paste0("Of ", count_of(nrow(x), "design"), ", that with ") else
      "A recording of "
    paste0(start, design_words(x, best, facts$model), " is expected to have ",
           if (nrow(x) > 1) "the smallest" else "a", " standard error of ", what, ", ",
           number_word(x$se[best]), power, pilot,
           if (isTRUE(x$extrapolated[best])) ", from which this design is far", ".", lost)
  }
)

goal_words <- function(settings) {
  paste(c(if (!is.null(settings$target_se)) {
    paste("standard error of", format(settings$target_se))
  }, if (!is.null(settings$difference)) {
    paste("power of", format(settings$target_power), "for a difference of",
          format(settings$difference))
  }), collapse = " and a ")
}

design_words <- function(x, row, model) {
  neurons <- c(x = x$neurons_x[row], y = x$neurons_y[row])
  neurons <- neurons[!is.na(neurons)]
  enumerate(c(count_of(count_word(x$stimuli[row]), "stimulus"),
              if (length(neurons)) paste(count_word(neurons), "neurons of", names(neurons)),
              if (!is.na(x$trials[row])) count_of(x$trials[row], "trial") else
                trials_words(model)), quote = FALSE)
}

# The trials of a pilot, unequal ones by their range.
trials_words <- function(model) {
  if (length(model$counts)) paste(paste(unique(model$counts), collapse = " to "), "trials")
}

# What a plan keeps beside its rows, which operations that make a new data frame may lose.
plan_facts <- function(plan) {
  facts <- attributes(plan)[c("model", "settings")]
  refuse_if(is.null(facts$model) || is.null(facts$settings), "type", "This plan has lost what is ",
            "known of its pilot: start again from what plan_recording() returned, or use ",
            "as.data.frame() of it.", arg = "x")
  facts
}

#' @rdname tidy.repalign
#' @export
summary.repalign_plan <- function(object, ...) {
  no_other_arguments(...)
  smallest <- attr(object, "smallest")
  refuse_if(is.null(smallest), "missing", "This plan has no smallest designs: give `target_se`, ",
            "or for two models `difference`, to plan_recording().", arg = "object")
  model <- plan_facts(object)$model
  warn_reach(model, smallest_flags(model, smallest), "smallest designs")
  told(smallest, object)
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_plan <- function(x, ...) {
  no_other_arguments(...)
  model <- plan_facts(x)$model
  plain <- NextMethod()
  two <- is.na(model$critical)
  data.frame(term = rep(if (two) "difference" else "cka(stimulus_neuron)", nrow(plain)),
             estimate = rep(model$effect, nrow(plain)), plain)
}

#' @rdname tidy.repalign
#' @export
glance.repalign_plan <- function(x, ...) {
  no_other_arguments(...)
  model <- plan_facts(x)$model
  two <- is.na(model$critical)
  data.frame(designs = nrow(x), stimuli = model$size[["n"]], neurons_x = model$size[["x"]],
             neurons_y = if (two) NA_real_ else model$size[["y"]], trials = model$trials,
             score = model$score, se = model$se)
}
