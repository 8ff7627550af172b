#' Trial-to-trial similarity over numbers of neurons
#'
#' How alike single trials of one population represent the stimuli: all pairs of
#' different trials, from random subsets of neurons of several sizes.
#'
#' @param trials a list of stimuli x neurons matrices, one a trial, with the same
#'   stimuli and neurons; or an array stimuli x neurons x trials, such as
#'   [trial_array()] makes. Missing values (`NA`) stand for repeats that were not
#'   recorded.
#' @param neurons numbers of neurons; by default powers of two up to all, and all.
#' @param repeats number of random subsets at each number of neurons below all.
#' @param estimator one or more of `"naive"`, `"stimulus"`, `"stimulus_neuron"`.
#' @param units labels, one a neuron: pairs with equal labels are left out of the
#'   neuron correction, in numerator and denominators. By default each neuron is
#'   its own unit, so that a neuron is never paired with itself. Recording sessions
#'   leave out all pairs that may share noise.
#' @inheritParams brain_to_brain
#' @return A data frame of class `repalign_analysis`, with the columns that
#'   [brain_to_brain()] describes; `x` and `y` read "trial". The single ratios are
#'   those of pairs of trials and subsets.
#' @details
#' A trial is never compared with itself. Pooled values average the H values over all
#' pairs of trials and subsets before dividing; the two trials of a pair are
#' exchangeable, so their denominators are pooled too.
#'
#' In a pair of trials, neurons with a missing value in either are left out; a
#' message counts them, and `print()` repeats it. Units recorded one by one can stand
#' side by side (a pseudo-population): "trial" is then the occurrence number of the
#' stimulus for that unit, see [trial_array()].
#'
#' Neurons recorded together share noise from trial to trial. Pairs within a session
#' add it to the denominators, which are products within one trial, but not to the
#' numerator, so that similarity looks too low: compare the result with `units` =
#' neurons and `units` = sessions.
#'
#' With `normalize = "sd"` each neuron is divided by its standard deviation over the
#' stimuli within each trial.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, Figure 6.
#' @examples
#' set.seed(1)
#' signal <- linear_population(n = 50, q = 30, d = 20)$x
#' trials <- lapply(1:4, function(t) signal + matrix(rnorm(50 * 30), 50))
#' trial_to_trial(trials, neurons = c(8, 30), repeats = 20)
#' @seealso [trial_array()], [brain_to_brain()]
#' @export
trial_to_trial <- function(trials, neurons = NULL, repeats = 100,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units = NULL,
                           normalize = c("none", "sd"), conf_level = 0.95) {
  setup <- check_analysis(estimator, normalize, repeats, conf_level)
  trials <- as_trials(trials)
  width <- ncol(trials[[1]])
  units <- check_labels(units, width, "units", "trials")
  if (is.null(units)) units <- seq_len(width)
  setup$codes <- label_codes(units, units)
  if ("stimulus_neuron" %in% setup$estimator && length(unique(units)) < 2) {
    abort("No neuron pair is allowed: all columns of `trials` have the same label in `units`.",
          class = "repalign_error_pairs", arg = "units")
  }
  sizes <- neuron_grid(neurons, width, "`trials`")
  present <- lapply(trials, function(x) !is.na(colSums(x)))
  trials <- prepare_trials(trials, present, setup)
  subsets <- lapply(sizes, function(size) draw_subsets(seq_len(width), size, setup$repeats))
  pairs <- utils::combn(length(trials), 2, simplify = FALSE)
  result <- analysis_result(trial_cells(trials, present, pairs, sizes, subsets, setup), setup,
                            "trial_to_trial")
  note_left_out(result, present, pairs)
}

as_trials <- function(trials) {
  if (is.array(trials) && length(dim(trials)) == 3) {
    trials <- lapply(seq_len(dim(trials)[3]), function(t) {
      matrix(trials[, , t], dim(trials)[1], dim(trials)[2],
             dimnames = if (!is.null(dimnames(trials))) dimnames(trials)[1:2])
    })
  }
  if (!is.list(trials) || is.data.frame(trials)) {
    abort("`trials` must be a list of stimuli x neurons matrices or an array stimuli x neurons x ",
          "trials, not ", describe(trials), ".", class = "repalign_error_type", arg = "trials")
  }
  if (length(trials) < 2) {
    abort("`trials` has ", length(trials), " trial", if (length(trials) != 1) "s",
          ": a trial is never compared with itself, so at least two are needed.",
          class = "repalign_error_size", arg = "trials")
  }
  trials <- Map(function(x, i) as_numeric_matrix(x, paste0("trials[[", i, "]]"), allow_na = TRUE),
                trials, seq_along(trials))
  check_equal_trials(trials)
  unname(trials)
}

check_equal_trials <- function(trials) {
  first <- trials[[1]]
  for (i in seq_along(trials)) {
    arg <- paste0("trials[[", i, "]]")
    check_same_rows(first, trials[[i]], "trials[[1]]", arg)
    if (ncol(trials[[i]]) != ncol(first)) {
      abort("`trials[[1]]` has ", ncol(first), " columns and `", arg, "` has ", ncol(trials[[i]]),
            ": the columns must be the same neurons. Fill in NA where one was not recorded.",
            class = "repalign_error_size", arg = "trials")
    }
    names <- list(colnames(first), colnames(trials[[i]]))
    if (!is.null(names[[1]]) && !is.null(names[[2]]) && !identical(names[[1]], names[[2]])) {
      abort("`trials[[1]]` and `", arg, "` have different column names: the columns must be the ",
            "same neurons in the same order.", class = "repalign_error_size", arg = "trials")
    }
  }
}

# Missing neurons become zero columns: they add nothing to sums, and are not counted.
prepare_trials <- function(trials, present, setup) {
  least <- if (!is.null(setup$conf_level)) 5 else if (any(setup$estimator != "naive")) 4 else 2
  check_rows(nrow(trials[[1]]), least, "trials", "this analysis")
  check_memory(8 * ncol(trials[[1]])^2 * (2 * length(trials) + 8), "The neuron-pair terms",
               "Fewer neurons or trials need less.")
  trials <- Map(function(x, here) {
    x[, !here] <- 0
    scale_neurons(x, setup$normalize)
  }, trials, present)
  scale <- common_scale(trials)
  trials <- lapply(trials, centered, scale = scale)
  silent <- vapply(trials, function(x) all(x == 0), NA)
  if (any(silent)) {
    abort("`trials[[", which(silent)[1], "]]` has no variance: every neuron is constant or missing.",
          class = "repalign_error_variance", arg = "trials")
  }
  trials
}

trial_cells <- function(trials, present, pairs, sizes, subsets, setup) {
  self <- lapply(trials, function(x) .Call(C_pair_terms, x, x))
  advance <- progress_along(length(pairs))
  plans <- new.env()
  each <- lapply(pairs, function(p) {
    here <- present[[p[1]]] & present[[p[2]]]
    plan <- remember(plans, here, lapply(subsets, trial_plan, here = here, setup = setup))
    cross <- .Call(C_pair_terms, trials[[p[1]]], trials[[p[2]]])
    terms <- lapply(list(cross, self[[p[1]]], self[[p[2]]]), mask_terms, here = here)
    advance()
    lapply(seq_along(sizes), function(k) {
      trial_pair(trials[p], terms, plan[[k]], setup)
    })
  })
  cells <- lapply(seq_along(sizes), function(k) {
    at_size <- lapply(each, function(pair) pair[[k]])
    lapply(setup$estimator, function(e) trial_cell(at_size, sizes[k], e, setup))
  })
  do.call(c, cells)
}

mask_terms <- function(terms, here) {
  if (all(here)) return(terms)
  mask <- outer(here, here)
  lapply(terms, function(h) h * mask)
}

# What the subsets of one size become when only the neurons `here` count: numbers of
# pairs, all and allowed, a subset, and the weights of the pooled mean.
trial_plan <- function(subset, here, setup) {
  width <- length(here)
  both <- outer(as.double(here), as.double(here))
  size <- colSums(matrix(here[subset], nrow(subset)))
  codes <- setup$codes
  excluded <- .Call(C_excluded_sums, both, subset, subset, codes$x, codes$y, codes$count)$sum
  count <- list(all = size^2, allowed = size^2 - excluded)
  weigh <- function(count) {
    used <- count > 0
    weight <- ifelse(used, 1 / (count * max(sum(used), 1)), 0)
    .Call(C_subset_weights, subset, subset, weight, width, width) * both
  }
  list(
    subset = subset, count = count,
    weights = if (!is.null(setup$conf_level)) {
      list(all = weigh(count$all), allowed = weigh(count$allowed) * outer(codes$x, codes$y, "!="))
    }
  )
}

# H values of one pair of trials: by estimator, draws x 3 and deletions (n + 1) x 3.
trial_pair <- function(pair, terms, plan, setup) {
  single <- lapply(terms, plan_h, plan = plan, setup = setup)
  deletions <- if (!is.null(setup$conf_level)) {
    lapply(list(c(1, 2), c(1, 1), c(2, 2)), function(side) {
      pooled_deletions(pair[[side[1]]], pair[[side[2]]], plan$weights, setup$estimator)
    })
  }
  sapply(setup$estimator, function(e) {
    list(single = sapply(single, function(h) h[[e]], simplify = FALSE),
         deletions = if (!is.null(deletions)) vapply(deletions, function(h) h[[e]],
                                                     numeric(nrow(pair[[1]]) + 1)))
  }, simplify = FALSE)
}

plan_h <- function(terms, plan, setup) {
  codes <- setup$codes
  divide <- function(sum, count) ifelse(count > 0, sum / count, NA_real_)
  all <- lapply(terms, subset_sums, a = plan$subset, b = plan$subset)
  left_out <- .Call(C_excluded_sums, terms$stimulus, plan$subset, plan$subset, codes$x, codes$y,
                    codes$count)$sum
  list(naive = divide(all$naive, plan$count$all),
       stimulus = divide(all$stimulus, plan$count$all),
       stimulus_neuron = divide(all$stimulus - left_out, plan$count$allowed))
}

trial_cell <- function(pairs, size, estimator, setup) {
  parts <- lapply(pairs, function(pair) pair[[estimator]])
  single <- lapply(parts, function(part) do.call(cbind, part$single))
  # pairs without any usable draw say nothing, and their deletions neither
  usable <- vapply(single, function(h) any(stats::complete.cases(h)), NA)
  deletions <- if (!is.null(setup$conf_level) && any(usable)) {
    weight <- vapply(single, function(h) sum(stats::complete.cases(h)), 0L)[usable]
    weighted <- Map(function(part, w) part$deletions * w, parts[usable], weight)
    Reduce(`+`, weighted) / sum(weight)
  }
  list(names = c("trial", "trial"), neurons = size, estimator = estimator,
       single = do.call(rbind, single), deletions = deletions, exchangeable = TRUE)
}

note_left_out <- function(result, present, pairs) {
  missing <- vapply(pairs, function(p) sum(!(present[[p[1]]] & present[[p[2]]])), 0L)
  if (!any(missing > 0)) return(result)
  note <- paste0("Missing values: ", sum(missing), " neurons left out over ", sum(missing > 0),
                 " of ", length(pairs), " pairs of trials.")
  inform(note, class = "repalign_left_out")
  attr(result, "left_out") <- note
  result
}
