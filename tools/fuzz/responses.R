# Responses objects in the place of matrices: with one trial or several, missing ones, sessions,
# clusters, runs, in all functions that take representations.

# The same call, with objects for some of the matrices of its sides.
with_responses <- function(drawn) {
  drawn$args <- as.list(drawn$call)[-1]
  sides <- intersect(c("x", "y", "brain", "responses"), names(drawn$args))
  sides <- Filter(function(side) is_plain(drawn$args[[side]]), sides)
  if (!length(sides)) return(drawn)
  n <- nrow(drawn$args[[sides[1]]])
  # what the objects of a call declare must agree
  common <- list(cluster = if (n > 9 && chance(0.15)) rep_len(seq_len(n %/% 2), n),
                 run = chance(0.15), trials = 1 + sample.int(4, 1))
  for (side in sides) {
    if (side == sides[1] || chance(0.8)) {
      drawn$args[[side]] <- draw_responses(drawn$args[[side]], common)
    }
  }
  drawn$args <- c(drawn$args, trial_arguments(as.character(drawn$call[[1]]), drawn$args))
  drawn$call <- call_of(as.character(drawn$call[[1]]), drawn$args)
  drawn$responses <- TRUE
  drawn
}

# Arguments that only objects have a use for.
trial_arguments <- function(fun, args) {
  known <- names(formals(getExportedValue("repalign", fun)))
  given(
    estimator = if ("estimator" %in% setdiff(known, names(args)) && chance(0.3)) {
      one_of(c("stimulus_neuron_trial", "stimulus_trial"))
    },
    shared_noise = if ("shared_noise" %in% known && chance(0.1)) one_of(c("trials", "pairs"))
  )
}

is_plain <- function(x) is.matrix(x) && is.numeric(x) && nrow(x) > 1

draw_responses <- function(x, common) {
  trials <- if (chance(0.15)) 1 else common$trials
  noise <- stats::sd(x, na.rm = TRUE)
  if (is.na(noise) || noise == 0) noise <- 1
  values <- vapply(seq_len(trials), function(t) {
    x + stats::rnorm(length(x), sd = noise * one_of(c(0, 0.1, 1)))
  }, x + 0)
  values <- array(values, c(dim(x), trials), if (!is.null(dimnames(x))) c(dimnames(x), list(NULL)))
  run <- common$run && trials > 1 && !anyNA(values)
  if (!run && trials > 1) values <- without_some(values)
  declare(values, given(
    session = if (chance(0.3)) labels_for(ncol(x)), neuron = if (chance(0.2)) labels_for(ncol(x)),
    cluster = if (!run) common$cluster, run = run,
    event = if (!run && trials > 2 && chance(0.2)) rep_len(c("a", "b"), trials)
  ))
}

# Trials that some stimuli lack, and responses that some neurons lack.
without_some <- function(values) {
  size <- dim(values)
  if (chance(0.3)) {
    for (i in which(stats::runif(size[1]) < 0.3)) values[i, , sample.int(size[3], 1)] <- NA
  }
  if (chance(0.1)) values[sample.int(length(values), 1)] <- NA
  values
}

# Now and then from a long table or from presentations.
declare <- function(values, args) {
  if (chance(0.7)) return(do.call(responses, c(list(values), args)))
  size <- dim(values)
  at <- expand.grid(stimulus = seq_len(size[1]), trial = seq_len(size[3]))
  rows <- matrix(aperm(values, c(1, 3, 2)), nrow(at))
  args[c("event", "cluster")] <- list(args$event[at$trial], args$cluster[at$stimulus])
  names <- dimnames(values)[[1]]
  stimulus <- if (is.null(names)) at$stimulus else factor(names[at$stimulus], names)
  do.call(responses, c(list(rows, stimulus = stimulus),
                       if (size[3] > 1) list(trial = at$trial), args))
}

# A score of one or more objects: numbers that may be undefined, and results that print.
check_with_responses <- function(drawn, outcome) {
  value <- outcome$value
  if (is.data.frame(value)) {
    return(c(problem(!nrow(value), "no rows"), check_finite_columns(as.data.frame(value)),
             check_methods(value, list(print = print))))
  }
  c(check_one_number(value, outcome), check_undefined_warning(is.na(value), outcome))
}
