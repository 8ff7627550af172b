# The analysis brain_to_brain() compares brain regions, or parts of one region, through random
# subsets of their neurons.

#' Brain-to-brain similarity over numbers of neurons
#'
#' How alike two neural populations represent the same stimuli, from random subsets of neurons
#' of several sizes. The populations may be two regions or animals, groups of columns of one
#' recording (sessions, electrodes), or random disjoint halves of one region.
#'
#' @param x a matrix stimuli x neurons, or what [responses()] makes, which knows trials, sessions
#'   and clusters; or, without `y`, a named list of at least two of them, of which all pairs are
#'   compared.
#' @param y as `x`, for the same stimuli, from another animal or region; `NULL` to compare parts of
#'   `x` with each other.
#' @param neurons numbers of neurons on each side. By default 4, 8, 16, ..., and all neurons that
#'   both sides have; then there is one estimate, whatever `repeats` says. With `split`, a group
#'   with fewer neurons than asked for is used whole.
#' @param repeats number of random subsets (or of random halves) for each number of neurons.
#' @param split one label per column of `x`: all pairs of label groups are compared, instead of
#'   random halves.
#' @param estimator one or more of `"naive"`, `"stimulus"`, `"stimulus_neuron"`, and for
#'   [responses()] with trials `"stimulus_neuron_trial"` (then one of the default estimators), see
#'   [cka()]. The others take means over trials, and `"stimulus_neuron"` leaves out pairs of neurons
#'   of one session.
#' @param units_x,units_y one label per column of `x` and `y`; not for what [responses()] declares.
#'   Pairs of neurons with equal labels are left out of the neuron correction, see [cka()]. For
#'   parts of `x`, give only `units_x`; for a list `x`, a list of label vectors with its names.
#' @param normalize `"sd"`: each neuron is divided by its standard deviation over the stimuli
#'   (silent neurons stay as they are); `"none"`: responses are used as they are.
#' @param conf_level coverage of the intervals; `NULL` for estimates without intervals, which is
#'   faster.
#' @param na what to do about missing values: `"error"`; `"stimuli"`: leave out the stimuli that
#'   have one anywhere; `"neurons"`: leave out the neurons that have one, and on the other side the
#'   neuron with the same label, unless the label stands for several. A message, and `print()`, say
#'   how many.
#' @param clusters one label per stimulus, for stimuli that depend on each other (see [cka()]); not
#'   for clusters that [responses()] declares. The corrected estimators go over clusters, and the
#'   jackknife deletes whole ones. Stimuli with the label `NA` are left out. At least 5 clusters are
#'   needed, 4 without intervals.
#' @param over what intervals are about: `"stimuli"`: these neurons, with other stimuli. With
#'   `"neurons_x"`, `"neurons_y"` or both also the populations that the neurons are samples of (for
#'   pairs within `x` both or neither). Not for `"stimulus_neuron_trial"`.
#' @param complete of which sides are the neurons not a sample, but all that there are, see [cka()]?
#'   No subsets are taken of two sides one of which is complete. For a list `x` `"both"` or
#'   `"none"`.
#' @return A data frame of class `repalign_analysis` with one row per comparison, number of
#'   neurons and estimator. Columns:
#'   * `x` and `y`, what is compared; `neurons`; `estimator`; `complete`, of which sides the
#'     neurons are all that there are (`"none"` is not printed);
#'   * `pooled`, the estimate to report: the ratio of values H that were first averaged over all
#'     subsets, see Details;
#'   * `pooled_se`, `conf_low` and `conf_high`, its standard error and interval, from a
#'     delete-one jackknife over the stimuli, or over stimuli and neurons;
#'   * `mean`, `median`, `q25` and `q75` of the single ratios, one per subset;
#'   * `n_estimates`, the number of subsets, and `undefined`, the number of those in which a
#'     denominator is not positive;
#'   * only for [responses()] with several trials: `ceiling`, the estimate that the region, or the
#'     two sides, would have with their own noise-free responses (1 for `"stimulus_neuron_trial"`),
#'     and `disattenuated`, the estimate from trials, each with its standard error (`_se`, over
#'     stimuli), see [noise_ceiling()]; `NA` for `"naive"`.
#'
#'   `pooled` and `pooled_se` are `NA` if a pooled denominator is not positive, with all stimuli or
#'   without one; one warning counts these cases. `plot()` draws the result, and `summary()` pools
#'   over the comparisons.
#' @details Each random subset \eqn{r} of neurons gives three values \eqn{H^{(r)}}{H_r} (see
#' [hsic()]), of which its CKA is the ratio. The pooled estimate takes the means over the subsets
#' first:
#' \deqn{\overline{H_{xy}} \Big/ \sqrt{\overline{H_{xx}} \; \overline{H_{yy}}}.}{
#' mean(H_xy) / sqrt(mean(H_xx) mean(H_yy)).}
#' It is stable for every number of neurons, while single ratios have heavy tails below about 16 to
#' 32 neurons in cortical recordings. Two random halves of one population are interchangeable, so
#' the mean of their two denominators is used for both. Their pooled `"stimulus_neuron"` estimate
#' approaches 1 as `repeats` grows, because both halves have the same true representation: this
#' checks the correction and says nothing about the brain.
#'
#' With neurons in `over`, the standard error comes from the two-way jackknife of [cka_interval()],
#' with the weights that the random subsets give to the pairs of neurons. Neurons with equal labels
#' are deleted together, and neurons of both sides at once.
#' [summary()][summary.repalign_analysis] of several comparisons has no standard errors then. In
#' simulations, 95% intervals held the value of the population in 93% to 99% of the data sets with
#' both sides in `over`, in 68% to 92% without (article "What was simulated").
#'
#' When not to trust it:
#' * when stimuli depend on each other (see [dependence]): intervals are too narrow and the
#'   corrected estimates too high. `clusters` corrects this as far as stimuli of different clusters
#'   are independent;
#' * the default interval is over stimuli alone, and ignores that only `repeats` random subsets are
#'   drawn: with few neurons or few repeats, raise `repeats` until the estimate no longer changes.
#'   No interval covers the sampling of animals, and with `normalize = "sd"` that of the standard
#'   deviations;
#' * neurons recorded together share noise, which changes `"stimulus_neuron"` unless labels of
#'   sessions say so; `"stimulus_neuron_trial"` is free of it. Two sides with trials and without
#'   labels of sessions are taken as recorded together, with a note;
#' * a warning of class `repalign_unstable` points out corrected values that lie above 1, with their
#'   intervals, by more than sampling explains: the same neurons are on both sides under different
#'   names, or the sides share noise. Random halves of one population are not judged.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, Figure 3.
#' @examples
#' # do recording sessions of one area represent the stimuli alike?
#' responses <- apply(macaque_it$counts, 1:2, mean, na.rm = TRUE)
#' set.seed(1)
#' sessions <- brain_to_brain(responses, split = macaque_it$session, neurons = 8, repeats = 1,
#'                            normalize = "sd", conf_level = NULL)
#' nrow(sessions) # 210 pairs of sessions, 3 estimators
#' summary(sessions)[c("neurons", "estimator", "pooled", "median")]
#' # a check of the correction: random halves of one population
#' brain_to_brain(responses, neurons = c(8, 32), repeats = 50, normalize = "sd")
#' # two regions or animals (simulated)
#' pop <- linear_population(n = 60, q = 40, d = 30, spectrum = "power")
#' brain_to_brain(pop$x, pop$y, neurons = 20, repeats = 50)
#' # the same, with intervals for the populations of neurons
#' brain_to_brain(pop$x, pop$y, neurons = 20, repeats = 50,
#'                over = c("stimuli", "neurons_x", "neurons_y"))
#' pop$cka
#' @seealso [trial_to_trial()], [brain_to_model()], [object_disentanglement()]
#' @export
brain_to_brain <- function(x, y = NULL, neurons = NULL, repeats = 200, split = NULL,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units_x = NULL,
                           units_y = NULL, normalize = c("none", "sd"), conf_level = 0.95,
                           clusters = NULL, over = "stimuli",
                           complete = c("none", "x", "y", "both"),
                           na = c("error", "stimuli", "neurons")) {
  need_arguments()
  whole <- is.null(y) && is.list(x) && !is.data.frame(x) && !is_responses(x)
  if (whole) {
    check_element_names(x, "x")
    x <- data_in_order(x)
  } else if (!is.null(y)) {
    both <- data_in_order(list(x = x, y = y))
    x <- both$x
    y <- both$y
  }
  objects <- if (whole) x else list(x = x, y = y)
  setup <- check_analysis(estimator, normalize, repeats, conf_level, na, clusters = clusters,
                          objects = objects, by_trials = TRUE, default = missing(estimator))
  setup$complete <- if (whole || is.null(y)) {
    analysis_complete(complete, if (whole) x else list(x = x))
  } else {
    analysis_complete(complete, list(x = x), list(y = y))
  }
  setup$neurons <- neurons_over(over, setup, pairs = whole || is.null(y))
  note_unused_units(unit_users(setup), list(units_x = units_x, units_y = units_y))
  note_unused_by_estimators(setup, "brain_to_brain")
  if (whole) {
    if (!is.null(split) || !is.null(units_y)) {
      abort("`split` and `units_y` cannot be used when `x` is a list: give a list of label ",
            "vectors in `units_x`, one per element.",
            class = "repalign_error_labels", arg = "x")
    }
    comparisons <- list_comparisons(x, neurons, units_x, setup)
  } else if (is.null(y)) {
    comparisons <- part_comparisons(x, neurons, split, units_x, units_y, setup)
  } else {
    if (!is.null(split)) {
      abort("`split` compares parts of `x`: give it without `y`.",
            class = "repalign_error_labels", arg = "split")
    }
    comparisons <- two_regions(x, y, neurons, units_x, units_y, setup)
  }
  if (!is.null(comparisons$estimator)) setup$estimator <- comparisons$estimator
  setup$clusters <- comparisons$clusters
  setup$stimuli <- independent_stimuli(comparisons$each[[1]]$x, setup)
  setup$halves <- comparisons$each[[1]]$exchangeable
  if (!is.null(setup$conf_level) && is.null(setup$clusters)) {
    # every region once
    names <- unlist(lapply(comparisons$each, function(comparison) comparison$names))
    data <- unlist(lapply(comparisons$each, function(comparison) comparison[c("x", "y")]),
                   recursive = FALSE)
    warn_of_rows(unname(data[!duplicated(names)]), NULL, "errors", list(cluster_remedy))
  }
  advance <- progress_along(length(comparisons$each))
  cells <- list()
  for (comparison in comparisons$each) {
    cells <- c(cells, comparison_cells(comparison, setup))
    advance()
  }
  with_note(analysis_result(cells, setup, "brain_to_brain"), comparisons$note)
}

# Are errors about neurons, too, of each side? pairs: are they of pairs within `x`?
neurons_over <- function(over, setup, pairs) {
  over <- check_choice(over, c("stimuli", "neurons_x", "neurons_y"), "over", several = TRUE)
  neurons <- c(x = "neurons_x" %in% over, y = "neurons_y" %in% over)
  if (!any(neurons)) return(neurons)
  if (is.null(setup$conf_level)) {
    warn("`over` says what intervals are about, and is not used without them: give `conf_level`.",
         class = "repalign_unused", data = "over")
  }
  if (setup$by_trials) {
    abort("`over` cannot have neurons for \"stimulus_neuron_trial\": give other estimators in ",
          "`estimator`, or use cka_interval().", class = "repalign_error_choice", arg = "over")
  }
  if (pairs && !all(neurons)) {
    abort("`over` has neurons of one side alone, but parts of `x` stand on both sides: give ",
          "\"neurons_x\" and \"neurons_y\", or neither.", class = "repalign_error_choice",
          arg = "over")
  }
  complete <- names(which(setup$complete))
  if (!pairs) complete <- intersect(complete, names(which(neurons)))
  if (length(complete)) {
    abort("`over` has the neurons of `", complete[1], "`, which are all that there are ",
          "(`complete`), and no sample: leave them out of `over`, or `complete`.",
          class = "repalign_error_choice", arg = "over")
  }
  neurons
}

# One comparison of an analysis: the names and the centred data of both sides, the label codes of
# the neuron pairs of the H values xy, xx and yy, the numbers of neurons (sizes), and
# choose_members(size, repeats): random subsets of the neurons of both sides, one in each column.
# Sides are exchangeable if it does not matter which of them comes first, as for random halves.
# complete: are the neurons of each side all that there are? sessions: see codes_of_samples().
new_comparison <- function(names, x, y, units, sizes, choose_members, exchangeable = FALSE,
                           complete = c(FALSE, FALSE), sessions = FALSE) {
  codes <- part_codes(units, ncol(x), ncol(y))
  list(
    names = names, x = x, y = y, sizes = sizes, choose_members = choose_members,
    exchangeable = exchangeable, codes = codes_of_samples(codes, complete, sessions),
    complete = unname(complete)
  )
}

analysis_matrix <- function(x, arg, setup) {
  x <- as_numeric_matrix(x, arg)
  check_stimuli(nrow(x), arg, setup)
  form_centering(list(data = x, n = nrow(x), arg = arg, cache = new_cache()))
  check_memory(8 * (6 * ncol(x)^2 + 6 * length(x)), "The neuron-pair terms",
               "Fewer neurons need less.")
  scale_neurons(x, setup$normalize)
}

two_regions <- function(x, y, neurons, units_x, units_y, setup) {
  if (!length(setup$objects)) check_unit_choice(FALSE, units_x, units_y)
  data <- read_responses(list(x = x, y = y), setup$na)
  units <- list(x = check_labels(units_x, ncol(data$x), "units_x", "x", colnames(data$x)),
                y = check_labels(units_y, ncol(data$y), "units_y", "y", colnames(data$y)))
  setup <- take_units(setup, data, units, c(x = "units_x", y = "units_y"))
  given <- clustered_responses(complete_responses(data, setup$na, setup$units), setup)
  setup$objects <- analysis_objects(setup, given)
  x <- analysis_matrix(given$data$x, "x", setup)
  y <- analysis_matrix(given$data$y, "y", setup)
  scale <- c(common_scale(list(x)), common_scale(list(y)))
  comparison <- region_pair(x, y, "x", "y", neurons, given$labels$x, given$labels$y, setup, scale)
  list(each = list(comparison), note = with_together(given$note, setup),
       clusters = given$clusters)
}

# x and y are what analysis_matrix() returned; `scale` has the factors by which the data of the two
# sides are multiplied.
region_pair <- function(x, y, arg_x, arg_y, neurons, units_x, units_y, setup, scale) {
  units <- list(x = check_labels(units_x, ncol(x), "units_x", arg_x),
                y = check_labels(units_y, ncol(y), "units_y", arg_y))
  complete <- setup$complete[c(arg_x, arg_y)]
  if ("stimulus_neuron" %in% setup$estimator && !any(complete)) {
    note_shared_neurons(list(x = list(data = x, arg = arg_x), y = list(data = y, arg = arg_y)),
                        with_estimator(list(shared_neurons = FALSE, units_x = units$x),
                                       "stimulus_neuron"))
  }
  if (!complete[1]) check_any_allowed(units$x, ncol(x), arg_x, "units_x", setup)
  if (!complete[2]) check_any_allowed(units$y, ncol(y), arg_y, "units_y", setup)
  widths <- stats::setNames(c(ncol(x), ncol(y)), c(arg_x, arg_y))
  choose_members <- two_random_subsets(widths[[1]], widths[[2]])
  sizes <- if (any(complete)) {
    choose_members <- function(size, repeats) {
      list(a = matrix(seq_len(widths[[1]])), b = matrix(seq_len(widths[[2]])))
    }
    whole_grid(neurons, widths, complete)
  } else {
    neuron_grid(neurons, min(widths), paste0("the smaller of `", arg_x, "` and `", arg_y, "`"))
  }
  sessions <- !is.null(setup$objects[[arg_x]]$session) && !is.null(setup$objects[[arg_y]]$session)
  comparison <- new_comparison(c(arg_x, arg_y), centered(x, scale[1]), centered(y, scale[2]), units,
                               sizes, choose_members, FALSE, complete, sessions)
  sides <- list(x = trial_side(setup$objects[[arg_x]], x, arg_x),
                y = trial_side(setup$objects[[arg_y]], y, arg_y))
  compare_trials(comparison, sides, scale, setup)
}

# The neuron correction leaves out neuron pairs with equal labels, so it needs two neurons with
# different labels on each side.
check_any_allowed <- function(units, width, arg, arg_units, setup) {
  if (!leaves_out_pairs(setup)) return(invisible())
  if (width < 2) {
    abort("`", arg, "` has a single neuron (column): the neuron correction needs at least two. ",
          "Use estimator = c(\"naive\", \"stimulus\").", class = "repalign_error_pairs", arg = arg)
  }
  if ("stimulus_neuron" %in% setup$estimator && !is.null(units) && length(unique(units)) < 2) {
    abort("No neuron pair is allowed within `", arg, "`: all columns have the same label in `",
          arg_units, "`. Use finer labels.", class = "repalign_error_pairs", arg = arg_units)
  }
}

list_comparisons <- function(x, neurons, units, setup) {
  names <- names(x)
  if (length(x) < 2) {
    abort("`x` has one element: give at least two to compare, or a matrix to compare its parts.",
          class = "repalign_error_size", arg = "x")
  }
  data <- read_responses(x, setup$na)
  # the labels of the neurons of each element of `x`: matched by name if `units` has names, and by
  # order otherwise
  units <- if (!is.null(units)) {
    fits <- is.list(units) && length(units) == length(data) &&
      (is.null(names(units)) || setequal(names(units), names))
    if (!fits) {
      abort("`units_x` must be a list of label vectors, one for each element of `x` and with the ",
            "same names: ", enumerate(names, 10), ".", class = "repalign_error_labels",
            arg = "units_x")
    }
    if (is.null(names(units))) names(units) <- names
    Map(function(labels, element, name) {
      check_labels(labels, ncol(element), paste0("units_x$", name), name, colnames(element))
    }, units[names], data, names)
  }
  args <- stats::setNames(rep("units_x", length(names)), names)
  setup <- take_units(setup, data, units, args)
  given <- complete_responses(data, setup$na, setup$units)
  given <- clustered_responses(given, setup)
  setup$objects <- analysis_objects(setup, given)
  units <- given$labels
  # all regions are multiplied by one factor, so that H values can be pooled over the pairs
  regions <- Map(function(x, name) analysis_matrix(x, name, setup), given$data, names)
  scale <- rep(common_scale(regions), 2)
  pairs <- utils::combn(length(x), 2, simplify = FALSE)
  each <- lapply(pairs, function(p) {
    region_pair(regions[[p[1]]], regions[[p[2]]], names[p[1]], names[p[2]], neurons,
                units[[names[p[1]]]], units[[names[p[2]]]], setup, scale)
  })
  list(each = each, note = with_together(given$note, setup), clusters = given$clusters)
}

part_comparisons <- function(x, neurons, split, units_x, units_y, setup) {
  if (setup$complete[["x"]]) {
    abort("`x` has all neurons that there are (`complete`), of which no parts can be compared: ",
          "give `y`, or take them as a sample.", class = "repalign_error_choice", arg = "complete")
  }
  if (!is.null(units_y)) {
    abort("`units_y` cannot be used when parts of `x` are compared: label all columns in ",
          "`units_x`.",
          class = "repalign_error_labels", arg = "units_y")
  }
  data <- read_responses(list(x = x), setup$na)
  units_x <- check_labels(units_x, ncol(data$x), "units_x", "x", colnames(data$x))
  setup <- take_units(setup, data, list(x = units_x), c(x = "units_x"))
  split <- check_labels(split, ncol(data$x), "split", "x", colnames(data$x))
  given <- clustered_responses(complete_responses(data, setup$na), setup)
  setup$objects <- analysis_objects(setup, given)
  units_x <- setup$units$x[given$columns$x]
  split <- split[given$columns$x]
  x <- analysis_matrix(given$data$x, "x", setup)
  if (is.null(split) && ncol(x) > 1) check_any_allowed(units_x, ncol(x), "x", "units_x", setup)
  # where groups are sessions, the default estimators do without the one that needs other sessions
  setup$estimator <- if (!setup$by_trials || !setup$default || is.null(split) || is.null(units_x)) {
    setup$estimator
  } else {
    several <- tapply(units_x, split, function(labels) length(unique(labels)) > 1)
    if (any(several)) setup$estimator else setdiff(setup$estimator, "stimulus_neuron")
  }
  scale <- rep(common_scale(list(x)), 2)
  each <- if (is.null(split)) {
    halves <- random_halves(centered(x, scale[1]), neurons, units_x)
    side <- trial_side(setup$objects$x, x, "x")
    list(compare_trials(halves, list(x = side, y = side), scale, setup))
  } else {
    group_pairs(x, split, neurons, units_x, scale, setup)
  }
  list(each = each, note = given$note, clusters = given$clusters, estimator = setup$estimator)
}

random_halves <- function(x, neurons, units) {
  width <- ncol(x)
  if (width < 2) {
    abort("`x` has a single neuron (column), which cannot be split into halves: give at least two.",
          class = "repalign_error_pairs", arg = "x")
  }
  choose_members <- function(size, repeats) {
    check_subsets_memory(2 * size, repeats)
    both <- vapply(seq_len(repeats), function(r) sample.int(width, 2L * size), integer(2 * size))
    both <- matrix(both, nrow = 2 * size)
    list(a = both[seq_len(size), , drop = FALSE], b = both[size + seq_len(size), , drop = FALSE])
  }
  labels <- if (is.null(units)) seq_len(width) else units
  new_comparison(c("x", "x"), x, x, list(x = labels, y = labels),
                 neuron_grid(neurons, width %/% 2, "half of `x`"), choose_members,
                 exchangeable = TRUE)
}

# x: not yet centred.
group_pairs <- function(x, split, neurons, units, scale, setup) {
  groups <- unique(split)
  if (length(groups) < 2) {
    abort("`split` has a single label: there is no pair of groups to compare.",
          class = "repalign_error_labels", arg = "split")
  }
  columns <- lapply(groups, function(g) which(split == g))
  deviations <- centered(x, scale[1])
  labels <- if (is.null(units)) seq_len(ncol(x)) else units
  paired <- vapply(columns, function(at) length(unique(labels[at])) > 1, NA)
  if ("stimulus_neuron" %in% setup$estimator && !any(paired)) {
    if (is.null(setup$objects$x$session)) {
      abort("No neuron pair is allowed within any group of `split`: all columns of a group have ",
            "the same label in `units_x`", if (is.null(units)) ", or it has a single column",
            ". Use finer labels in `units_x`, or larger groups.",
            class = "repalign_error_pairs", arg = "units_x")
    }
    abort("No neuron pair is allowed within any group of `split`: all columns of a group are of ",
          "one session, or it has a single column. Leave out \"stimulus_neuron\" in `estimator`; ",
          "\"stimulus_neuron_trial\" allows pairs of one session.", class = "repalign_error_pairs",
          arg = "estimator")
  }
  sizes <- neuron_grid(neurons, if (is.null(neurons)) max(lengths(columns)) else ncol(x), "`x`")
  lapply(utils::combn(length(groups), 2, simplify = FALSE), function(p) {
    at <- columns[p]
    parts <- lapply(at, function(columns) deviations[, columns, drop = FALSE])
    labels <- if (is.null(units)) NULL else list(x = units[at[[1]]], y = units[at[[2]]])
    comparison <- new_comparison(as.character(groups[p]), parts[[1]], parts[[2]], labels, sizes,
                                 two_random_subsets(length(at[[1]]), length(at[[2]])))
    sides <- Map(function(columns, group) {
      part <- if (!is.null(setup$objects$x)) cut_responses(setup$objects$x, TRUE, columns)
      trial_side(part, x[, columns, drop = FALSE], group)
    }, at, as.character(groups[p]))
    compare_trials(comparison, stats::setNames(sides, c("x", "y")), scale, setup)
  })
}

comparison_cells <- function(comparison, setup) {
  same <- identical(comparison$x, comparison$y)
  terms <- list(xx = pair_terms(comparison$x, comparison$x, setup$clusters))
  terms$yy <- if (same) terms$xx else pair_terms(comparison$y, comparison$y, setup$clusters)
  terms$xy <- if (same) terms$xx else pair_terms(comparison$x, comparison$y, setup$clusters)
  trials <- trials_or_none(setup, function() trial_terms_of(comparison, setup))
  cells <- lapply(comparison$sizes, function(size) {
    members <- comparison$choose_members(size, setup$repeats)
    cells <- size_cells(comparison, terms, members, size, setup)
    c(with_trial_values(cells, comparison, trials, terms, members, setup),
      if (setup$by_trials) {
        # the cell of one comparison at one number of neurons
        single <- trial_single(trials, terms, members)
        list(list(names = comparison$names, neurons = size, estimator = trial_estimator,
                  single = single,
             deletions = if (!is.null(setup$conf_level)) {
               trial_size_deletions(comparison, trials, members, stats::complete.cases(single))
             }, exchangeable = comparison$exchangeable))
      })
  })
  lapply(do.call(c, cells), function(cell) {
    c(cell, complete = complete_word(comparison$complete[1], comparison$complete[2]))
  })
}

# A cell becomes one row of the result. This returns the cells of one comparison at one number of
# neurons, one for each estimator.
size_cells <- function(comparison, terms, members, size, setup) {
  h <- lapply(names(part_sides), function(part) {
    at <- part_sides[[part]]
    width <- c(a = ncol(comparison$x), b = ncol(comparison$y))
    subset_h(terms[[part]], members[[at[1]]], members[[at[2]]],
             subset_counts(members[[at[1]]], members[[at[2]]], width[at],
                           comparison$codes[[part]]), comparison$codes[[part]])
  })
  single <- sapply(setup$estimator, function(e) cbind(h[[1]][[e]], h[[2]][[e]], h[[3]][[e]]),
                   simplify = FALSE)
  errors <- if (!is.null(setup$conf_level)) {
    # neuron-corrected values are pooled over the subsets in which all three H values exist
    corrected <- "stimulus_neuron" %in% setup$estimator
    used <- if (corrected) stats::complete.cases(single$stimulus_neuron) else TRUE
    if (any(setup$neurons)) sampled_neuron_errors(comparison, members, used, setup)
    else size_deletions(comparison, members, used, setup)
  }
  lapply(setup$estimator, function(e) {
    c(list(names = comparison$names, neurons = size, estimator = e, single = single[[e]],
           exchangeable = comparison$exchangeable),
      if (any(setup$neurons)) errors[[e]] else list(deletions = errors[[e]]))
  })
}

# The pooled H values of nothing deleted, then of each stimulus deleted: an (n + 1) x 3 matrix for
# each estimator. `used` says which subsets the neuron-corrected values are pooled over.
size_deletions <- function(comparison, members, used, setup) {
  part <- function(x, y, a, b, codes, used) {
    size <- c(ncol(x), ncol(y))
    weights <- pooled_weights(a, b, size, subset_counts(a, b, size, codes), codes, used)
    pooled_deletions(x, y, weights, setup)
  }
  x <- comparison$x
  y <- comparison$y
  codes <- comparison$codes
  xy <- part(x, y, members$a, members$b, codes$xy, used)
  if (comparison$exchangeable) {
    # xx and yy are computed at once from the subsets of both sides, because the denominators of
    # exchangeable sides are pooled anyway
    both <- cbind(members$a, members$b)
    xx <- yy <- part(x, x, both, both, codes$xx, c(used, used))
  } else {
    xx <- part(x, x, members$a, members$a, codes$xx, used)
    yy <- part(y, y, members$b, members$b, codes$yy, used)
  }
  sapply(setup$estimator, function(e) cbind(xy[[e]], xx[[e]], yy[[e]]), simplify = FALSE)
}
