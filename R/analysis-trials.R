# trial_to_trial(), and what all analyses take from responses to several trials: estimates without
# the noise of trials, and the ceiling that this noise sets.

# ---- trials

# Estimates of analyses that are corrected for trials: their H values multiply only responses that
# share no noise.

# A comparison with what its correction by trials needs: the sides, and codes of the neurons, of
# which no neuron is multiplied with itself.
compare_trials <- function(comparison, sides, scale, setup) {
  if (!uses_trials(setup)) return(comparison)
  own <- Map(trial_units, sides, lapply(sides, has_trials))
  codes <- part_codes(own, ncol(comparison$x), ncol(comparison$y))
  # as pair_labels(): sessions of one side and neurons of the other say nothing
  by_trials <- all(vapply(sides, has_trials, NA))
  has_sessions <- vapply(sides, function(side) !is.null(side$responses$session), NA)
  labels <- if (by_trials || has_sessions[1] == has_sessions[2]) Map(trial_units, sides, by_trials)
  codes$xy <- label_codes(labels$x, labels$y)
  codes <- codes_of_samples(codes, comparison$complete, !by_trials && all(has_sessions))
  comparison$trials <- list(sides = sides, codes = codes, scale = scale)
  comparison
}

# Where there are no trials to correct with, whole sessions are left out.
trial_units <- function(side, by_trials) {
  label <- if (by_trials) side$responses$neuron else units_of_object(side$responses)
  if (is.null(label)) own_labels(ncol(side$data), side$arg) else label
}

# By part the sample, the values of all neuron pairs in the units of the comparison (NA where too
# few stimuli have trials), and the codes.
trial_terms_of <- function(comparison, setup) {
  given <- comparison$trials
  same <- identical(given$sides$x$cache, given$sides$y$cache)
  part <- function(name, at) {
    sides <- given$sides[at]
    check_trial_pair(sides[[1]], sides[[2]], setup$clusters)
    sample <- trial_sample(sides[[1]], sides[[2]], setup$clusters)
    exponent <- 2 * (sum(log2(given$scale[match(at, c("x", "y"))])) - sum(sample$scale))
    h <- trial_terms(sample) * 2^exponent
    list(sample = sample, factor = 2^exponent, h = ifelse(is.nan(h), 0, h),
         mask = if (anyNA(h)) 1 * !is.na(h), codes = given$codes[[name]])
  }
  parts <- list(xx = part("xx", c("x", "x")))
  parts$yy <- if (same) parts$xx else part("yy", c("y", "y"))
  parts$xy <- if (same) parts$xx else part("xy", c("x", "y"))
  parts
}

# The H value of each choice of subsets; a, b: the members of both sides. naive: the naive values of
# all neuron pairs, which tell what is rounding.
trial_subset_h <- function(part, a, b, naive) {
  sums <- subset_sums(part$h, a, b)
  if (!is.null(part$codes)) {
    sums <- sums - .Call(C_excluded_sums, part$h, a, b, part$codes$x, part$codes$y,
                         part$codes$count)$sum
  }
  count <- subset_counts(a, b, dim(part$h), part$codes, part$mask)$allowed
  ifelse(count > 0, drop_rounding(sums, subset_sums(naive, a, b)) / count, NA_real_)
}

# The pooled H value of nothing deleted, then of each stimulus or cluster deleted.
trial_pool_deletions <- function(part, a, b, used) {
  size <- dim(part$h)
  count <- subset_counts(a, b, size, part$codes, part$mask)
  weights <- allowed_weights(pooled_weights(a, b, size, count, part$codes, used, part$mask))
  trial_weighted(part$sample, weights) * part$factor
}

# What one(part, a, b, used) makes of each part of a comparison: of xy, xx and yy. The denominators
# of exchangeable sides are pooled anyway, so that xx and yy are computed at once, from the subsets
# of both.
part_deletions <- function(comparison, members, used, one) {
  a <- members$a
  b <- members$b
  xy <- one("xy", a, b, used)
  if (!comparison$exchangeable) {
    return(list(xy, one("xx", a, a, used), one("yy", b, b, used)))
  }
  both <- cbind(a, b)
  self <- one("xx", both, both, c(used, used))
  list(xy, self, self)
}

# ---- trial_to_trial()

#' Trial-to-trial similarity over numbers of neurons
#'
#' How similarly single trials of one population represent the stimuli.
#'
#' @param trials a list of matrices stimuli x neurons, one per trial; an array stimuli x neurons x
#'   trials, such as [trial_array()] makes (`NA` where a repeat was not recorded); or [responses()],
#'   whose sessions are then `units`. Runs are compared as trials; trials that share an `event` are
#'   an error.
#' @param neurons,repeats see [brain_to_brain()].
#' @param estimator one or more of `"naive"`, `"stimulus"`, `"stimulus_neuron"`, see [cka()].
#' @param units one label per neuron, such as its session, as `units_x` of [cka()].
#' @param na missing values. `"pairs"`: in each pair of trials, leave out the neurons that lack a
#'   value in either. `"stimuli"` or `"neurons"`: leave out those that lack one in any trial.
#'   `"error"`: stop.
#' @param complete `"both"`: the neurons are not a sample, see [cka()], and are used whole.
#' @param normalize,conf_level,clusters see [brain_to_brain()].
#' @param over see [brain_to_brain()]. A neuron is deleted from both trials.
#' @param ... not used.
#' @return A data frame of class `repalign_analysis` with the columns of [brain_to_brain()]; `x` and
#'   `y` are "trial". There is one single ratio per pair of trials and subset of neurons.
#' @details
#' The corrected similarity is the share of what neurons do in common that repeats from trial to
#' trial: 1 without shared noise, and lower the more noise neurons share, or the more the
#' representation changes. The drop from `units` = sessions to the default shows how much noise
#' neurons share.
#'
#' With `na = "pairs"`, a neuron that lacks one stimulus in a trial is left out of all pairs with
#' this trial. Where a repeat is missing for all neurons at once, use `"stimuli"`.
#'
#' When not to trust it: as a measure of how reliable means over trials are, which have less noise;
#' and with neurons recorded together, as evidence that the representation changes. Intervals hold
#' the trials fixed, and fewer neurons than were recorded, too; they are too narrow if stimuli
#' depend on each other without `clusters` (see [dependence]). To correct another comparison for
#' noise, give trials as [responses()].
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, Figure 6.
#' @examples
#' # the first five repeats of 132 units, of which those of a session may share noise
#' trials <- macaque_it$counts[, , 1:5]
#' set.seed(1)
#' trial_to_trial(trials, neurons = 132, repeats = 20)
#' trial_to_trial(trials, neurons = 132, repeats = 20, units = macaque_it$session)
#' @export
trial_to_trial <- function(trials, neurons = NULL, repeats = 100,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units = NULL,
                           normalize = c("none", "sd"), conf_level = 0.95,
                           clusters = NULL, over = NULL, complete = c("none", "both"),
                           na = c("pairs", "stimuli", "neurons", "error"), ...) {
  need_arguments()
  setup <- open_trials(trials, neurons, repeats, estimator, units, normalize, conf_level, clusters,
                       over, complete, na)
  neuron <- seq_along(setup$present[[1]])
  subsets <- lapply(setup$sizes, random_subsets, pool = neuron, repeats = setup$repeats)
  with_note(analysis_result(trial_cells(subsets, setup), setup, "trial_to_trial"), setup$left_out)
}

# The settings with the centred data of the trials, which neurons each of them has (`present`),
# which are compared (`pairs`), the codes of the neurons by their labels, and the numbers of neurons
# (`sizes`).
open_trials <- function(trials, neurons, repeats, estimator, units, normalize, conf_level, clusters,
                        over, complete, na) {
  na <- check_choice(na, c("pairs", "stimuli", "neurons", "error"), "na")
  setup <- analysis_settings("trial_to_trial", list(), estimator, repeats, normalize, conf_level)
  note_unused_units(setup$estimator, list(units = units))
  refuse_results(trials, "trials")
  reprs <- trial_reprs(trials, na)
  # All trials have the same neurons, so that a neuron that is missing in one of them is left out of
  # all.
  declared <- Filter(function(repr) !is.null(units_of_object(repr$responses)), reprs)
  refuse_if(length(unique(lapply(declared, function(repr) units_of_object(repr$responses)))) > 1,
            "labels", "The trials in `trials` declare different sessions or neurons: their ",
            "columns are the same neurons, and so must be these. Declare them alike.")
  named <- Filter(function(repr) !is.null(colnames(repr$data)), reprs)
  of_all <- replace(c(declared, named, reprs)[[1]], "arg", "trials")
  columns <- with_units(of_all, units, "units")$columns
  columns$neuron <- seq_len(ncol(of_all$data))
  reprs <- lapply(reprs, function(repr) c(repr, list(columns = columns)))
  given <- check_choice(complete, c("none", "both"), "complete")
  whole <- lapply(reprs, replace, "arg", "trials")
  flagged <- with_complete(if (length(complete) > 1) complete_choices else given, whole)
  complete <- all(vapply(flagged, function(repr) repr$complete, NA))
  lacking <- na == "pairs"
  setup <- open_analysis(setup, sides_of(reprs), if (lacking) "error" else na, clusters, lacking)
  width <- ncol(setup$reprs[[1]]$data)
  # one session is what columns without labels are
  declared <- setup$reprs[[1]]$columns$units
  units <- if (is.null(declared) || is.null(units) && length(unique(declared)) == 1)
    seq_len(width) else declared
  setup$codes <- if (!complete) label_codes(units, units)
  setup$complete <- complete_word(complete, complete)
  setup$neurons <- neurons_over(over, setup, list(list(arg = "trials", complete = complete)))
  # a neuron is on both sides, and is deleted from both
  setup$layout <- layout_of_labels(list(x = units, y = units))
  setup$sampled <- function(size) {
    lapply(stats::setNames(nm = setup$estimator), row_samples, rep(complete, 2), size == width,
           setup)
  }
  refuse_if("stimulus_neuron" %in% setup$estimator && isTRUE(setup$codes$count < 2), "pairs",
            "No neuron pair is allowed: all columns of `trials` have the same label in `units`. ",
            "Use finer labels.", arg = "units")
  setup$sizes <- if (complete) whole_grid(neurons, c(trials = width), TRUE) else
    neuron_grid(neurons, width, "`trials`")
  data <- lapply(setup$reprs, function(repr) repr$data)
  setup$pairs <- utils::combn(length(data), 2, simplify = FALSE)
  setup$present <- lapply(data, function(x) !is.na(colSums(x)))
  setup$trials <- trial_data(data, setup)
  if (lacking) {
    # only the trials of a pair must have a neuron
    missing <- vapply(setup$pairs, function(p) {
      sum(!(setup$present[[p[1]]] & setup$present[[p[2]]]))
    }, 0L)
    missing <- missing[missing > 0]
    if (length(missing)) {
      setup$left_out <- paste0("Missing values: ", paste(unique(range(missing)), collapse = " to "),
                               " of ", count_of(width, "neuron"), " left out in ",
                               if (length(missing) > 1) "each of ", length(missing), " of ",
                               count_of(length(setup$pairs), "pair"), " of trials.")
      inform("left_out", "{setup$left_out}")
    }
  }
  judge_rows(list(Reduce(`+`, setup$trials)), setup)
  setup
}

# The trials as representations. What is said of all of them names what the user gave (`whole`).
trial_reprs <- function(trials, na) {
  whole <- list(arg = "trials", data = trials, responses = if (is_responses(trials)) trials)
  size <- dim(trials)
  # all different ones are multiplied, so that none may share its event
  each <- if (is_responses(trials)) {
    grouped <- which(apply(trials$event, 1, function(event) {
      anyDuplicated(event[!is.na(event)]) > 0
    }))
    refuse_if(length(grouped), "trials", "trial_to_trial() compares all different trials, but ",
              "trials of one event share noise (first for stimulus {grouped[1]} of `trials`). ",
              "Take one trial of each event by trials[, , t], or declare the trials again without ",
              "`event` if they share none.")
    inform_if(trials$run, unused_classes, "Declared by responses(), but not used: runs (by ",
              "\"trial_to_trial\"). Each run is compared as a trial.")
    lapply(seq_len(size[3]), function(t) {
      part_of_responses(trials, seq_len(size[1]), seq_len(size[2]), t)
    })
  } else if (is.array(trials) && length(size) == 3) {
    lapply(seq_len(size[3]), function(t) {
      matrix(trials[, , t], size[1], size[2], dimnames = dimnames(trials)[1:2])
    })
  } else {
    refuse_prepared_data(trials, "trials")
    refuse_if(!is.list(trials) || is.data.frame(trials), "type", "`trials` must be a list of ",
              "stimuli x neurons matrices or an array stimuli x neurons x trials, not ",
              "{describe(trials)}.")
    trials
  }
  refuse_if(length(each) < 2, "size", "`trials` has {length(each)} ",
            "trial{if (length(each) != 1) 's'}: a trial is never compared with itself, so at ",
            "least two are needed.")
  reprs <- Map(function(x, arg) {
    repr <- analysis_repr(x, arg, na)
    # a trial that lacks is NA, and NaN an error, where nothing else is left out
    if (na == "pairs") check_finite(repr$data, arg, allow_na = TRUE, allow_nan = FALSE)
    c(repr, list(whole = whole))
  }, each, paste0("trials[[", seq_along(each), "]]"))
  # each is compared with the first, and with the first that has names
  reprs <- unname(with_common_stimuli(reprs))
  with_columns <- which(vapply(reprs, function(repr) !is.null(colnames(repr$data)), NA))
  for (other in reprs) {
    for (one in reprs[stats::na.omit(unique(c(1, with_columns[1])))]) {
      widths <- c(ncol(one$data), ncol(other$data))
      refuse_if(widths[1] != widths[2], "size", "`{one$arg}` has ",
                "{count_of(widths[1], 'column')} and `{other$arg}` has {widths[2]}: the columns ",
                "must be the same neurons. Fill in NA where one was not recorded.", arg = "trials")
      first <- colnames(one$data)
      second <- colnames(other$data)
      at <- which(first != second)[1]
      refuse_if(length(first) && length(second) && !identical(first, second), "size",
                "`{one$arg}` and `{other$arg}` have different column names, first in column {at} ",
                "({quoted(first[at])} and {quoted(second[at])}): the columns must ",
                "be the same neurons in the same order.", arg = "trials")
    }
  }
  reprs
}

# Neurons that are missing in a trial become columns of zeros there: these add nothing to sums over
# neuron pairs, and trial_cells() leaves them out of the counts.
trial_data <- function(trials, setup) {
  present <- setup$present
  # a trial in which no neuron was recorded for all stimuli cannot be compared with any other
  empty <- which(!vapply(present, any, NA))
  if (length(empty)) {
    lacking <- which(rowSums(!is.na(trials[[empty[1]]])) == 0)
    refuse("nonfinite", "`trials[[{empty[1]}]]` has no neuron with a value for every stimulus",
           if (length(lacking)) {
             paste0(": ", count_of(length(lacking), "stimulus row"), " without this repeat (row ",
                    enumerate(lacking, 3, quote = FALSE), ")")
           }, ". ", if (length(trials) - length(empty) > 1) {
             paste0("Leave out such trials (here ", enumerate(empty, 5, quote = FALSE), "). ")
           }, if (any(!is.na(rowSums(do.call(cbind, trials))))) {
             "na = \"stimuli\" leaves out the stimuli with fewer repeats. "
           }, "noise_ceiling() takes the trials that each stimulus has.", arg = "trials")
  }
  check_memory(8 * ncol(trials[[1]])^2 * (2 * length(trials) + 8), "The neuron-pair terms",
               "Fewer neurons or trials need less.")
  trials <- Map(function(x, here) {
    x[, !here] <- 0
    scale_neurons(x, setup$normalize)
  }, trials, present)
  scale <- common_scale(trials)
  trials <- lapply(trials, centered, scale = scale)
  silent <- vapply(trials, function(x) all(x == 0), NA)
  refuse_if(any(silent), "variance", "`trials[[{which(silent)[1]}]]` has no variance: every ",
            "neuron is constant or missing.", arg = "trials")
  trials
}

trial_cells <- function(subsets, setup) {
  trials <- setup$trials
  present <- setup$present
  pairs <- setup$pairs
  terms <- lapply(trials, function(x) pair_terms(x, x, setup$clusters))
  advance <- progress_along(length(pairs))
  plans <- new.env()
  self_terms <- lapply(trials, function(x) new.env())
  each <- lapply(pairs, function(p) {
    here <- present[[p[1]]] & present[[p[2]]]
    # for the subsets of one size: the counts of neuron pairs, and the weights of pooled values,
    # when only the neurons count that both trials have (`here`)
    plan <- remember(plans, here, lapply(subsets, function(subset) {
      mask <- if (!all(here)) outer(as.double(here), as.double(here))
      size <- rep(length(here), 2)
      count <- subset_counts(subset, subset, size, setup$codes, mask)
      list(
        subset = subset, mask = mask, count = count,
        sampled = names(Filter(any, setup$sampled(nrow(subset)))),
        weights = if (!is.null(setup$conf_level)) {
          pooled_weights(subset, subset, size, count, setup$codes, mask = mask)
        }
      )
    }))
    # self terms are remembered, as they depend on the other trial only by the neurons left out
    self <- lapply(p, function(t) {
      remember(self_terms[[t]], here, trial_h(trials[[t]], trials[[t]], terms[[t]], plan, setup))
    })
    cross <- pair_terms(trials[[p[1]]], trials[[p[2]]], setup$clusters)
    advance()
    c(list(trial_h(trials[[p[1]]], trials[[p[2]]], cross, plan, setup)), self)
  })
  cells <- lapply(seq_along(setup$sizes), function(k) {
    lapply(setup$estimator, function(e) trial_cell(each, setup$sizes[k], k, e, setup))
  })
  do.call(c, cells)
}

# One of the three H values of a pair of trials, for each number of neurons: by estimator the values
# of all random subsets (`single`), and the pooled value of nothing and of each stimulus deleted;
# where neurons are a sample, also `tables` with each neuron deleted.
trial_h <- function(x, y, terms, plan, setup) {
  lapply(plan, function(plan) {
    if (!is.null(plan$mask)) terms <- lapply(terms, function(h) h * plan$mask)
    list(single = subset_h(terms, plan$subset, plan$subset, plan$count, setup$codes),
         deletions = if (!is.null(setup$conf_level)) {
           pooled_deletions(x, y, plan$weights, setup)
         }, tables = if (!is.null(setup$conf_level) && length(plan$sampled)) {
           pooled_tables(x, y, plan$weights, setup$layout,
                         c("x", if (identical(x, y)) "x" else "y"), plan$sampled, setup$clusters)
         })
  })
}

# pairs: for each pair of trials its three H values, each as trial_h() returned it, a list over
# the numbers of neurons; k is the place of `size` in that list.
trial_cell <- function(pairs, size, k, estimator, setup) {
  single <- lapply(pairs, function(parts) {
    do.call(cbind, lapply(parts, function(part) part[[k]]$single[[estimator]]))
  })
  complete <- vapply(single, function(h) sum(stats::complete.cases(h)), 0L)
  # the mean of the pairs' deletions, weighted by the number of complete subsets as pooled
  # values are; pairs without any complete subset do not enter
  pooled <- function(what) {
    size <- length(pairs[[1]][[1]][[k]][[what]][[estimator]])
    if (!size || !any(complete > 0)) return(NULL)
    weighted <- Map(function(parts, weight) {
      weight * vapply(parts, function(part) as.vector(part[[k]][[what]][[estimator]]),
                      numeric(size))
    }, pairs[complete > 0], complete[complete > 0])
    Reduce(`+`, weighted) / sum(complete)
  }
  tables <- pooled("tables")
  c(list(names = c("trial", "trial"), neurons = size, estimator = estimator,
         single = do.call(rbind, single), exchangeable = TRUE, complete = setup$complete,
         deletions = pooled("deletions")),
    if (!is.null(tables)) {
      c(errors_of_table(ratio_of(pool_sides(tables)), setup$layout, setup),
        list(sampled = setup$sampled(size)[[estimator]]))
    })
}

# Keeps the note on what was left out, which print() repeats.
with_note <- function(result, note) {
  attr(result, "left_out") <- note
  result
}

# ---- the ceiling

# Analyses of responses to several trials: the ceiling that the noise of the trials sets to each
# estimate, and the estimate without this noise.

# What estimates from trials are made of. Where only a ceiling needs them, an obstacle costs the
# ceiling and not the analysis.
trials_or_none <- function(setup, compute) {
  if (!uses_trials(setup)) return(NULL)
  if (setup$by_trials) return(compute())
  tryCatch(compute(), repalign_error = function(e) {
    inform("no_ceiling", "No noise ceiling: {conditionMessage(e)}")
    NULL
  })
}

# The columns of one row: the estimate's ceiling and the disattenuated estimate, with standard
# errors. h: the pooled H values, clean: those from different trials (or NULL), signal: those of the
# estimator from trials, all as lists of `value` (3 numbers) and `deletions` (a matrix, or NULL).
# row: the row so far.
ceiling_of_row <- function(row, h, clean, signal) {
  if (corrections[[row$estimator]]$trials) {
    return(list(ceiling = 1, ceiling_se = NA_real_, disattenuated = row$pooled,
                disattenuated_se = row$pooled_se))
  }
  if (is.null(clean)) {
    return(list(ceiling = NA_real_, ceiling_se = NA_real_, disattenuated = NA_real_,
                disattenuated_se = NA_real_))
  }
  error <- function(theta) sqrt(delete_one_variance(theta))
  known <- !is.null(h$deletions) && !is.null(clean$deletions)
  without <- function(part) part$deletions[-1, , drop = FALSE]
  list(
    ceiling = ceiling_of_h(matrix(h$value, 1), matrix(clean$value, 1)),
    ceiling_se = if (known) error(ceiling_of_h(without(h), without(clean))) else NA_real_,
    disattenuated = ratio_of(matrix(signal$value, 1)),
    disattenuated_se = if (known) error(ratio_of(without(signal))) else NA_real_
  )
}

# The ceiling for each row of H values xy, xx and yy; NA where a self term is not positive.
ceiling_of_h <- function(h, clean) {
  self <- cbind(h[, 2:3, drop = FALSE], clean[, 2:3, drop = FALSE])
  defined <- rowSums(is.na(self) | self <= 0) == 0
  result <- rep(NA_real_, nrow(h))
  self <- self[defined, , drop = FALSE]
  result[defined] <- sqrt(self[, 3] / self[, 1]) * sqrt(self[, 4] / self[, 2])
  result
}
