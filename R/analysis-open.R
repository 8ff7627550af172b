# The opened call of an analysis. Each analysis opens its call in its own file; what they have in
# common is here. All that follows trusts what was opened, and judges nothing about input again.

# ---- what is read

# na: the rule for missing values, which is judged already.
analysis_repr <- function(x, arg, na, side = "x") {
  refuse_results(x, arg)
  need_kind(representation(x, arg, allow_na = na != "error", side = side), "data", "this")
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
# correct for (by_trials), and which of them are the default ones (default: did the user choose
# none?).
analysis_settings <- function(analysis, reprs, estimator, repeats, normalize, conf_level,
                              by_trials = FALSE, default = FALSE) {
  several <- by_trials && any(vapply(reprs, has_trials, NA))
  chosen <- if (default) {
    default_estimators(stats::setNames(lapply(reprs, `[[`, "responses"), names(reprs)), several)
  } else {
    check_choice(estimator, c(estimators, if (by_trials) trial_estimator), "estimator",
                 several = TRUE)
  }
  if (trial_estimator %in% chosen && !several) {
    abort("estimator = \"stimulus_neuron_trial\" needs at least two trials of the stimuli: give ",
          "the data as responses(), which says what is a trial.",
          class = "repalign_error_choice", arg = "estimator")
  }
  if (!is.null(conf_level)) {
    conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  }
  list(analysis = analysis, estimator = setdiff(chosen, trial_estimator),
       by_trials = trial_estimator %in% chosen,
       ceiling = several && any(correct_for("stimuli", chosen)),
       repeats = check_count(repeats, "repeats"),
       normalize = check_choice(normalize, c("none", "sd"), "normalize"), conf_level = conf_level)
}

# What stands for an analysis in the place of a measure. uses: the parts of a declaration that it
# follows.
analysis_measure <- function(setup, uses) {
  list(id = setup$analysis, label = setup$analysis, args = list(),
       declaration = list(id = setup$analysis, own = TRUE, pairing = TRUE, range = c(-Inf, Inf),
                          accepts = "data", uses = function(args) uses))
}
