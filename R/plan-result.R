# Plans of recordings are printed, summarised and taken apart here.

#' @include result-class.R
NULL

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
    c(paste0("Plan of a recording: ", count_of(nrow(x), "design")),
      strwrap(pilot_words(facts$model, digits), exdent = 2),
      strwrap(power_words(facts$model, facts$settings, digits), exdent = 2))
  },
  shown = function(x) {
    unknown <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x <- x[!unknown]
    shares <- grep("^share_", names(x))
    x[shares] <- lapply(as.data.frame(x)[shares], round, 2)
    x
  },
  footing = function(x, digits) smallest_lines(attr(x, "smallest"), attr(x, "settings"), digits),
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
    if (NROW(solved)) return(paste0(solved_sentence(solved, facts, what), pilot, ".", lost))
    best <- which.min(x$se)
    if (!length(best)) return(paste0("By this plan,", tolower(lost)))
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

# The design with the fewest responses of those that were solved for.
solved_sentence <- function(solved, facts, what) {
  goal <- paste(goal_words(facts$settings), "of", what)
  size <- solved$stimuli * solved$neurons_x * pmax(solved$neurons_y, 1, na.rm = TRUE) *
    pmax(solved$trials, 1, na.rm = TRUE) + 0 * solved$se
  best <- order(solved$extrapolated, size)[1]
  if (is.na(size[best])) {
    return(paste0("No design reaches a ", goal, ": ", enumerate(unique(solved$why), quote = FALSE)))
  }
  row <- solved[best, ]
  paste0("The smallest design with a ", goal, " has ", design_words(row, 1, facts$model),
         ", where ", plan_labels[[row$solved]], " were solved for: ", number_range(row),
         " by what the pilot knows",
         if (isTRUE(row$extrapolated)) ", from which this design is far")
}

number_range <- function(row) {
  if (is.finite(row$high)) paste(count_word(row$low), "to", count_word(row$high)) else
    paste(count_word(row$low), "or more, perhaps without end,")
}

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

pilot_words <- function(model, digits) {
  size <- model$size
  two <- is.na(model$critical)
  neurons <- paste(size[["x"]], if (!model$tied && !two) paste("and", size[["y"]]))
  paste0("pilot: ", size[["n"]], " stimuli x ", trimws(neurons), " neurons",
         if (length(model$counts)) paste(" x", trials_words(model)),
         if (two) ", difference " else ", corrected CKA ", format(model$score, digits = digits),
         ", standard error ", format(model$se, digits = digits))
}

power_words <- function(model, settings, digits) {
  effect <- format(model$effect, digits = digits)
  level <- paste0("at level ", format(settings$alpha))
  if (is.na(model$critical)) {
    return(paste("power: to find a difference of", effect, "between the two models", level))
  }
  paste("power: of calibrate()", level, "if the CKA is", effect)
}

smallest_lines <- function(smallest, settings, digits) {
  if (is.null(smallest)) return(NULL)
  title <- paste0("Smallest designs with a ", goal_words(settings),
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
