# The analysis brain_to_brain() compares brain regions, or parts of one region, through random
# subsets of their neurons.

#' Brain-to-brain similarity over numbers of neurons
#'
#' How similarly two neural populations (regions, animals, or parts of one recording) represent the
#' same stimuli, from random subsets of neurons.
#'
#' @param x a matrix stimuli x neurons, or [responses()]; or, without `y`, a named list of these, of
#'   which all pairs are compared.
#' @param y another animal or region, for the same stimuli; `NULL` to compare parts of `x`.
#' @param neurons numbers of neurons on each side, by default 4, 8, 16, ..., and all. With `split`,
#'   smaller groups are used whole.
#' @param repeats number of random subsets (or halves) for each number of neurons.
#' @param split one label per column of `x`: all pairs of labels are compared, not random halves.
#' @param estimator of [cka()]; by default `"naive"`, `"stimulus"`, `"stimulus_neuron"` of means
#'   over trials, and with trials `"stimulus_neuron_trial"`.
#' @param units_x,units_y as in [cka()]. For parts of `x` only `units_x`; for a list `x`, a named
#'   list of labels.
#' @param normalize `"sd"`: each neuron is divided by its standard deviation over the stimuli;
#'   `"none"`: as they are.
#' @param conf_level coverage of the intervals; `NULL`: none (faster).
#' @param na see [similarity()].
#' @param clusters as in [cka()]; at least 5 (4 without intervals).
#' @param over what intervals are about: other `"stimuli"` with these neurons, or with
#'   `"neurons_x"`, `"neurons_y"` or both also other neurons (for pairs within `x` both or neither).
#'   By default as in [score_interval()] where all neurons of a side are compared; over stimuli for
#'   fewer, and for halves.
#' @param complete as in [cka()]; complete sides are used whole. For a list `x` `"both"` or
#'   `"none"`.
#' @param ... not used.
#' @return A data frame of class `repalign_analysis` with one row per comparison, number of neurons
#'   and estimator. Columns:
#'   * `x` and `y`, what is compared; `neurons`; `estimator`; `complete`, as given;
#'   * `pooled`, the estimate to report; `pooled_se`, `conf_low` and `conf_high`, its standard error
#'     and interval;
#'   * `mean`, `median`, `q25` and `q75` of the ratios of single subsets; `n_estimates`, their
#'     number, and `undefined`, those whose denominator is not positive; `over`, what the interval
#'     is about, and `df`, its degrees of freedom (`Inf`: normal);
#'   * with several trials: `ceiling`, the estimate with the sides' own noise-free responses, and
#'     `disattenuated`, the estimate from trials, each with its standard error (`_se`, over
#'     stimuli), see [noise_ceiling()]; `NA` for `"naive"`.
#'
#'   `pooled` and `pooled_se` are `NA`, with a warning, if a pooled denominator is not positive.
#' @details
#' `pooled` is the ratio of the values H (see [hsic()]) averaged over subsets. It is stable for
#' every number of neurons, while single ratios have heavy tails below about 16 to 32 neurons in
#' cortical recordings. By `"stimulus_neuron"`, two random halves of one population approach 1,
#' which says nothing about the brain. Over stimuli alone, as of subsets, intervals hold the value
#' of the populations too rarely.
#'
#' When not to trust it:
#' * when stimuli depend on each other, without `clusters` (see [dependence]): intervals are too
#'   narrow and corrected estimates too high;
#' * while the estimate changes with more `repeats`: no interval covers the choice of subsets, nor
#'   other animals;
#' * by `"stimulus_neuron"`, when neurons were recorded together and share noise: give labels of
#'   sessions, or trials (`"stimulus_neuron_trial"`);
#' * with a warning of class `repalign_unstable`: the same neurons are on both sides under different
#'   names, or the sides share noise.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, Figure 3.
#' @examples
#' # two regions or animals (simulated), with intervals for the populations of neurons
#' set.seed(1)
#' pop <- linear_population(n = 60, q = 40, d = 30, spectrum = "power")
#' brain_to_brain(pop$x, pop$y, neurons = 40)
#' # random halves of one region
#' brain_to_brain(pop$x, neurons = c(8, 20), repeats = 50)
#' @seealso [summary()][summary.repalign_analysis], which pools over comparisons
#' @export
brain_to_brain <- function(x, y = NULL, neurons = NULL, repeats = 200, split = NULL,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units_x = NULL,
                           units_y = NULL, normalize = c("none", "sd"), conf_level = 0.95,
                           clusters = NULL, over = NULL,
                           complete = c("none", "x", "y", "both"),
                           na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  setup <- open_regions(x, y, neurons, repeats, split, estimator, list(x = units_x, y = units_y),
                        normalize, conf_level, clusters, over, complete, na, missing(estimator))
  advance <- progress_along(length(setup$pairs))
  cells <- list()
  for (pair in setup$pairs) {
    cells <- c(cells, comparison_cells(new_comparison(pair, setup), setup))
    advance()
  }
  with_note(analysis_result(cells, setup, "brain_to_brain"), setup$left_out)
}

# The settings with the pairs that are compared: list(x, y, sizes, halves). sizes: the numbers of
# neurons; halves: are the two random halves of one region? Then x and y are this region. units:
# labels of the neurons of both sides, list(x, y); default: did the user choose no estimator?
open_regions <- function(x, y, neurons, repeats, split, estimator, units, normalize, conf_level,
                         clusters, over, complete, na, default) {
  na <- check_choice(na, missing_rules, "na")
  refuse_results(x, "x")
  two <- !is.null(y)
  listed <- !two && is.list(x) && !is.data.frame(x) && !is_responses(x)
  reprs <- if (listed) Map(analysis_repr, x, check_element_names(x, "x"), na) else
    list(x = analysis_repr(x, "x", na))
  if (two) reprs$y <- analysis_repr(y, "y", na, "y")
  setup <- analysis_settings("brain_to_brain", reprs, estimator, repeats, normalize, conf_level,
                             by_trials = TRUE, default = default)
  check_regions(listed, reprs, split, units)
  note_unused_units(unit_users(setup), list(units_x = units$x, units_y = units$y))
  if (listed && !is.null(units$x)) {
    # the labels of each element, matched by name if they have names, and by order otherwise
    units <- units$x
    fits <- is.list(units) && length(units) == length(reprs) &&
      (is.null(names(units)) || setequal(names(units), names(reprs)))
    refuse_if(!fits, "labels", "`units_x` must be a list of label vectors, one for each element ",
              "of `x` and with the same names: {enumerate(names(reprs), 10)}.")
    if (is.null(names(units))) names(units) <- names(reprs)
  }
  reprs <- Map(function(repr, name, arg) with_units(repr, units[[name]], arg), reprs, names(reprs),
               paste0(if (listed) "units_x$" else "units_", names(reprs)))
  reprs <- unname(with_common_stimuli(reprs))
  if (!is.null(split)) {
    labels <- colnames(reprs[[1]]$data)
    reprs[[1]]$columns$split <- check_labels(split, ncol(reprs[[1]]$data), "split", "x", labels)
  }
  first <- if (two) 1 else TRUE
  reprs <- with_complete(complete, reprs[first], if (two) reprs[2])
  setup$neurons <- neurons_over(over, setup, reprs[first], if (two) reprs[2])
  setup <- open_analysis(setup, sides_of(reprs[first], if (two) reprs[2]), na, clusters)
  regions <- lapply(setup$reprs, analysis_region, setup)
  # one power of two scales the data of all that are pooled over pairs
  scale <- if (!two) common_scale(lapply(regions, function(region) region$data))
  regions <- lapply(regions, function(region) {
    c(region, scale = if (two) common_scale(list(region$data)) else scale)
  })
  if (!listed && !two) return(open_parts(regions[[1]], neurons, default, setup))
  for (region in regions) check_any_allowed(region, setup)
  several <- Filter(has_trials, regions)
  apart <- vapply(several, function(region) !is.null(region$responses$session), NA)
  # it is not known whether these were recorded together
  if (setup$by_trials && length(several) > 1 && !all(apart)) {
    setup$left_out <- paste(c(setup$left_out, paste(
      "Trials of", enumerate(paste0("`", args_of(several), "`"), quote = FALSE),
      "with the same label are taken as recorded together."
    )), collapse = "\n")
  }
  setup$pairs <- utils::combn(length(regions), 2, function(p) {
    x <- regions[[p[1]]]
    y <- regions[[p[2]]]
    complete <- c(x$complete, y$complete)
    widths <- stats::setNames(c(ncol(x$data), ncol(y$data)), c(x$arg, y$arg))
    sizes <- if (any(complete)) whole_grid(neurons, widths, complete) else
      neuron_grid(neurons, min(widths), paste0("the smaller of `", x$arg, "` and `", y$arg, "`"))
    list(x = x, y = y, sizes = sizes, halves = FALSE)
  }, simplify = FALSE)
  note_shared_regions(setup, if (listed) "`units_x`" else "`units_x` and `units_y`")
  judge_rows(regions, setup)
  setup
}

# What the arguments are for: lists, two regions, or parts of one.
check_regions <- function(listed, reprs, split, units) {
  if (listed) {
    refuse_if(!is.null(split) || !is.null(units$y), "labels", "`split` and `units_y` cannot be ",
              "used when `x` is a list: give a list of label vectors in `units_x`, one per ",
              "element.", arg = "x")
    refuse_if(length(reprs) < 2, "size", "`x` has one element: give at least two to compare, or a ",
              "matrix to compare its parts.")
  } else if (length(reprs) == 2) {
    refuse_if(!is.null(split), "labels", "`split` compares parts of `x`: give it without `y`.")
    # what one object does not declare, only the other side may have
    if (!declares_responses(reprs)) check_unit_choice(FALSE, units$x, units$y)
  } else if (!is.null(units$y)) {
    refuse("labels", "`units_y` is of no use for parts of `x`: label all columns in `units_x`.")
  }
}

# Are errors about neurons, too, of each side? NULL: by default. x, y: the representations of both
# sides; y: NULL for pairs within x.
neurons_over <- function(over, setup, x, y = NULL) {
  if (is.null(over)) return(NULL)
  over <- check_choice(over, c("stimuli", "neurons_x", "neurons_y"), "over", several = TRUE)
  neurons <- c(x = "neurons_x" %in% over, y = "neurons_y" %in% over)
  if (!any(neurons)) return(neurons)
  warn_if(is.null(setup$conf_level), "unused", "`over` says what intervals are about, and is not ",
          "used without them: give `conf_level`.", data = "over")
  refuse_if(is.null(y) && !all(neurons), "choice", "`over` has neurons of one side alone, but the ",
            "same neurons stand on both sides: give \"neurons_x\" and \"neurons_y\", or neither.")
  reprs <- unlist(list(x = x, y = y)[names(which(neurons))], recursive = FALSE)
  complete <- args_of(Filter(function(repr) repr$complete, reprs))
  refuse_if(length(complete), "choice", "`over` has the neurons of `{complete[1]}`, which are all ",
            "that there are (`complete`), and no sample: leave them out of `over`, or `complete`.")
  neurons
}

# The first pair that seems to share neurons stands for all. units: see note_shared_neurons().
note_shared_regions <- function(setup, units) {
  if (!"stimulus_neuron" %in% setup$estimator) return(invisible())
  args <- with_estimator(list(shared_neurons = FALSE), "stimulus_neuron")
  for (pair in setup$pairs) {
    labelled <- !is.null(pair$x$columns$units) && !is.null(pair$y$columns$units)
    if (labelled || pair$x$complete || pair$y$complete) next
    if (note_shared_neurons(pair, args, units)) break
  }
}

# The neuron correction leaves out neuron pairs with equal labels, so it needs two neurons with
# different labels on each side.
check_any_allowed <- function(region, setup) {
  if (!leaves_out_pairs(setup) || region$complete) return(invisible())
  arg <- region$arg
  refuse_if(ncol(region$data) < 2, "pairs", "`{arg}` has a single neuron (column): the neuron ",
            "correction needs at least two. Use estimator = c(\"naive\", \"stimulus\").")
  units <- region$columns$units
  if ("stimulus_neuron" %in% setup$estimator && !is.null(units) && length(unique(units)) < 2) {
    refuse_single_session(list(region), paste0("within `", arg, "`"))
    arg_units <- paste0("units_", region$side)
    refuse("pairs", "No neuron pair is allowed within `{arg}`: all columns have the same label in ",
           "`{arg_units}`. Use finer labels.", arg = arg_units)
  }
}

# The settings with the pairs of parts of one region.
open_parts <- function(region, neurons, default, setup) {
  refuse_if(region$complete, "choice", "`x` has all neurons that there are (`complete`), of which ",
            "no parts can be compared: give `y`, or take them as a sample.", arg = "complete")
  split <- region$columns$split
  width <- ncol(region$data)
  if (is.null(split)) {
    setup$halves <- TRUE
    refuse_if(width < 2, "pairs", "`x` has a single neuron (column), which cannot be split into ",
              "halves: give at least two.")
    check_any_allowed(region, setup)
    sizes <- neuron_grid(neurons, width %/% 2, "half of `x`")
    setup$pairs <- list(list(x = region, y = region, sizes = sizes, halves = TRUE))
    judge_rows(list(region), setup)
    return(setup)
  }
  units <- region$columns$units
  # where groups are sessions, the default estimators do without the one that needs other sessions
  if (setup$by_trials && default && !is.null(units) &&
        !any(tapply(units, split, function(labels) length(unique(labels)) > 1))) {
    setup$estimator <- setdiff(setup$estimator, "stimulus_neuron")
  }
  names <- unique(split)
  refuse_if(length(names) < 2, "labels", "`split` has a single label, no pair of groups.")
  # the groups of columns that `split` names, as regions
  groups <- lapply(names, function(name) {
    region$arg <- as.character(name)
    region$cache <- new_cache()
    cut_representation(region, TRUE, which(split == name))
  })
  widths <- vapply(groups, function(group) ncol(group$data), 0L)
  paired <- if (is.null(units)) widths > 1 else
    vapply(groups, function(group) length(unique(group$columns$units)) > 1, NA)
  if ("stimulus_neuron" %in% setup$estimator && !any(paired)) {
    refuse_if(is.null(units), "pairs", "`split` has groups of a single column alone, within which ",
              "there is no neuron pair. Use larger groups, or leave out \"stimulus_neuron\" in ",
              "`estimator`.")
    refuse_if(is.null(region$responses$session), "pairs", "No neuron pair is allowed within any ",
              "group of `split`: all columns of a group have the same label in `units_x`. Use ",
              "finer labels in `units_x`, or larger groups.", arg = "units_x")
    refuse("pairs", "No neuron pair is allowed within any group of `split`: all columns of a ",
           "group are of one session, or it has a single column. Leave out \"stimulus_neuron\" in ",
           "`estimator`; \"stimulus_neuron_trial\" allows pairs of one session.",
           arg = "estimator")
  }
  sizes <- neuron_grid(neurons, if (is.null(neurons)) max(widths) else width, "`x`")
  setup$pairs <- utils::combn(length(groups), 2, function(p) {
    list(x = groups[[p[1]]], y = groups[[p[2]]], sizes = sizes, halves = FALSE)
  }, simplify = FALSE)
  judge_rows(groups, setup)
  setup
}

# One comparison of an analysis: the names and the centred data of both sides, the label codes of
# the neuron pairs of the H values xy, xx and yy, the numbers of neurons (sizes), and
# choose_members(size, repeats): random subsets of the neurons of both sides, one in each column.
# Sides are exchangeable if it does not matter which of them comes first, as for random halves.
# complete: are the neurons of each side all that there are? pair: see open_regions().
new_comparison <- function(pair, setup) {
  sides <- pair[c("x", "y")]
  complete <- c(pair$x$complete, pair$y$complete)
  width <- c(a = ncol(pair$x$data), b = ncol(pair$y$data))
  scale <- c(pair$x$scale, pair$y$scale)
  x <- centered(pair$x$data, scale[1])
  y <- if (pair$halves) x else centered(pair$y$data, scale[2])
  units <- lapply(sides, function(side) side$columns$units)
  lacking <- lengths(units) == 0
  if (pair$halves && all(lacking)) {
    # the same neurons are on both sides
    units[] <- list(seq_len(width[[1]]))
  } else if (!all(lacking)) {
    units[lacking] <- lapply(sides[lacking], function(side) own_labels(ncol(side$data), side$arg))
  }
  choose_members <- if (pair$halves) {
    function(size, repeats) {
      check_subsets_memory(2 * size, repeats)
      both <- vapply(seq_len(repeats), function(r) sample.int(width[[1]], 2L * size),
                     integer(2 * size))
      both <- matrix(both, nrow = 2 * size)
      list(a = both[seq_len(size), , drop = FALSE], b = both[size + seq_len(size), , drop = FALSE])
    }
  } else if (any(complete)) {
    function(size, repeats) lapply(width, function(all) matrix(seq_len(all)))
  } else {
    # a side of which all neurons are taken has the same subset each time
    function(size, repeats) {
      subsets <- lapply(lapply(width, seq_len), random_subsets, size, repeats)
      times <- max(vapply(subsets, ncol, 0L))
      lapply(subsets, function(one) one[, rep_len(seq_len(ncol(one)), times), drop = FALSE])
    }
  }
  sessions <- !is.null(pair$x$responses$session) && !is.null(pair$y$responses$session)
  comparison <- list(
    names = c(pair$x$arg, pair$y$arg), x = x, y = y, sizes = pair$sizes,
    choose_members = choose_members, exchangeable = pair$halves, complete = complete,
    codes = codes_of_samples(part_codes(units, width[[1]], width[[2]]), complete, sessions)
  )
  compare_trials(comparison, sides, scale, setup)
}

# A cell becomes one row of the result: those of one comparison, for each number of neurons and each
# estimator.
comparison_cells <- function(comparison, setup) {
  same <- identical(comparison$x, comparison$y)
  terms <- list(xx = pair_terms(comparison$x, comparison$x, setup$clusters))
  terms$yy <- if (same) terms$xx else pair_terms(comparison$y, comparison$y, setup$clusters)
  terms$xy <- if (same) terms$xx else pair_terms(comparison$x, comparison$y, setup$clusters)
  trials <- trials_or_none(setup, function() trial_terms_of(comparison, setup))
  complete <- complete_word(comparison$complete[1], comparison$complete[2])
  cells <- lapply(comparison$sizes, function(size) {
    members <- comparison$choose_members(size, setup$repeats)
    # the H values xy, xx and yy of each choice of subsets from different trials
    of_trials <- function(parts) {
      single <- vapply(names(part_sides), function(name) {
        at <- part_sides[[name]]
        trial_subset_h(parts[[name]], members[[at[1]]], members[[at[2]]], terms[[name]]$naive)
      }, numeric(ncol(members$a)))
      single <- matrix(single, ncol = 3)
      deletions <- if (!is.null(setup$conf_level)) {
        used <- stats::complete.cases(single)
        do.call(cbind, part_deletions(comparison, members, used, function(part, a, b, used) {
          trial_pool_deletions(parts[[part]], a, b, used)
        }))
      }
      list(single = single, exchangeable = comparison$exchangeable, deletions = deletions)
    }
    cells <- lapply(size_cells(comparison, terms, members, size, setup), function(cell) {
      corrects <- corrections[[cell$estimator]]
      if (is.null(trials) || !setup$ceiling || !corrects$stimuli) return(cell)
      # H values from different trials beside the cell's own, over the same neuron pairs
      codes <- if (corrects$neurons) comparison$codes
      cell$clean <- of_trials(Map(function(part, name) replace(part, "codes", list(codes[[name]])),
                                  trials, names(trials)))
      # over the neuron pairs that the estimator from trials goes by, which may be more
      cell$signal <- if (corrects$neurons) of_trials(trials) else cell$clean
      cell
    })
    if (setup$by_trials) {
      of_cell <- list(names = comparison$names, neurons = size, estimator = trial_estimator)
      cells <- c(cells, list(c(of_cell, of_trials(trials))))
    }
    if (is.null(setup$conf_level)) return(cells)
    # errors over neurons, too, where these are a sample: by default where all neurons of a side are
    # compared
    whole <- !comparison$exchangeable && (nrow(members$a) == ncol(comparison$x) ||
                                            nrow(members$b) == ncol(comparison$y))
    names(cells) <- vapply(cells, function(cell) cell$estimator, "")
    sampled <- lapply(names(cells), row_samples, comparison$complete, whole, setup)
    those <- names(cells)[vapply(sampled, any, NA)]
    for (group in split(those, those == trial_estimator)) {
      corrected <- intersect(c("stimulus_neuron", trial_estimator), group)
      used <- if (length(corrected)) stats::complete.cases(cells[[corrected]]$single) else TRUE
      wanted <- sampled[[match(group[1], names(cells))]]
      errors <- sampled_neuron_errors(comparison, members, used, wanted, group, setup,
                                      if (trial_estimator %in% group) trials)
      for (e in group) cells[[e]] <- c(cells[[e]], errors[[e]], list(sampled = wanted))
    }
    unname(cells)
  })
  lapply(do.call(c, cells), c, complete = complete)
}

# The cells at one number of neurons, but for that by trials.
size_cells <- function(comparison, terms, members, size, setup) {
  data <- list(a = comparison$x, b = comparison$y)
  h <- lapply(names(part_sides), function(part) {
    at <- part_sides[[part]]
    a <- members[[at[1]]]
    b <- members[[at[2]]]
    codes <- comparison$codes[[part]]
    subset_h(terms[[part]], a, b, subset_counts(a, b, vapply(data[at], ncol, 0L), codes), codes)
  })
  single <- sapply(setup$estimator, function(e) cbind(h[[1]][[e]], h[[2]][[e]], h[[3]][[e]]),
                   simplify = FALSE)
  deletions <- if (!is.null(setup$conf_level)) {
    # neuron-corrected values are pooled over the subsets in which all three H values exist
    corrected <- "stimulus_neuron" %in% setup$estimator
    used <- if (corrected) stats::complete.cases(single$stimulus_neuron) else TRUE
    # the pooled H values of nothing deleted, then of each stimulus deleted
    parts <- part_deletions(comparison, members, used, function(part, a, b, used) {
      sides <- data[part_sides[[part]]]
      size <- vapply(sides, ncol, 0L)
      codes <- comparison$codes[[part]]
      weights <- pooled_weights(a, b, size, subset_counts(a, b, size, codes), codes, used)
      pooled_deletions(sides[[1]], sides[[2]], weights, setup)
    })
    sapply(setup$estimator, function(e) do.call(cbind, lapply(parts, `[[`, e)),
           simplify = FALSE)
  }
  lapply(setup$estimator, function(e) {
    list(names = comparison$names, neurons = size, estimator = e, single = single[[e]],
         exchangeable = comparison$exchangeable, deletions = deletions[[e]])
  })
}
