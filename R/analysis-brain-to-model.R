# The analysis brain_to_model() compares random subsets of the neurons of a brain region with whole
# layers of a model.

#' Brain-to-model similarity over numbers of neurons
#'
#' How similarly a brain region and the layers of a network represent the same stimuli, from random
#' subsets of the region's neurons. Layers are used whole.
#'
#' @param brain a matrix stimuli x neurons, or [responses()].
#' @param layers a named list of matrices stimuli x units, or [responses()] (clusters, `complete`);
#'   layers with trials or sessions need [brain_to_brain()].
#' @param neurons,repeats see [brain_to_brain()].
#' @param units one label per column of `brain`, as `units_x` of [cka()].
#' @param na see [brain_to_brain()].
#' @param complete of the region (`"x"`), of the layers (`"y"`) or of `"both"`, see [cka()]. A
#'   complete region is used whole.
#' @param estimator,normalize,conf_level,clusters see [brain_to_brain()].
#' @param over see [brain_to_brain()]: neurons of the region (`"neurons_x"`) and units of the layers
#'   (`"neurons_y"`), of rows with all neurons of the region.
#' @param ... not used.
#' @return A data frame of class `repalign_analysis` with the columns of [brain_to_brain()]; `x` is
#'   "brain" and `y` the name of the layer. `summary()` gives the most similar layer.
#' @details The noise of the region's trials makes the similarity to all layers too low by one
#'   factor, the column `ceiling`; `"stimulus_neuron_trial"` is free of it. `plot(reference = )`
#'   draws the region's similarity to another animal's ([brain_to_brain()]) beside the layers.
#'   `vignette("which-model")` goes from layers to a conclusion.
#'
#' When not to trust it: when stimuli depend on each other, without `clusters` (see [dependence]),
#' intervals are too narrow. Of fewer neurons than were recorded they are over stimuli alone; of all
#' they are those of `evaluate_models(brain, layers)`, and wider. Whether two
#' layers differ, and which is the best, is for [compare_scores()] and [best_score()]; the best of
#' several is too high by chance.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, Figure 4.
#' @examples
#' # V4 against the layers of a network, for the first 100 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' brain_to_model(v4, layers, neurons = c(16, 50), repeats = 50, estimator = "stimulus_neuron",
#'                complete = "y")
#' @export
brain_to_model <- function(brain, layers, neurons = NULL, repeats = 200,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units = NULL,
                           normalize = c("none", "sd"), conf_level = 0.95,
                           clusters = NULL, over = NULL, complete = c("none", "x", "y", "both"),
                           na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  setup <- open_layers(brain, layers, neurons, repeats, estimator, units, normalize, conf_level,
                       clusters, over, complete, na, missing(estimator))
  # the comparisons with all layers share the random subsets of the region's neurons and the self
  # terms of these subsets
  region <- setup$region
  scale <- common_scale(list(region$data))
  x <- centered(region$data, scale)
  self <- pair_terms(x, x, setup$clusters)
  trials <- trials_or_none(setup, function() {
    # the region's part of the correction by trials, as trial_terms_of() makes it
    given <- list(names = c("x", "x"), x = x, y = x, exchangeable = TRUE,
                  complete = rep(region$complete, 2))
    trial_terms_of(compare_trials(given, list(x = region, y = region), c(scale, scale), setup),
                   setup)$xx
  })
  width <- rep(ncol(x), 2)
  subsets <- lapply(setup$sizes, random_subsets, pool = seq_len(ncol(x)), repeats = setup$repeats)
  parts <- lapply(subsets, function(subset) {
    count <- subset_counts(subset, subset, width, setup$codes)
    h <- subset_h(self, subset, subset, count, setup$codes)
    used <- !is.na(h$stimulus_neuron)
    deletions <- if (!is.null(setup$conf_level)) {
      pooled_deletions(x, x, pooled_weights(subset, subset, width, count, setup$codes, used), setup)
    }
    part <- list(subset = subset, h = h, used = list(stimulus_neuron = used), deletions = deletions)
    of_trials <- function(given) {
      h <- trial_subset_h(given, subset, subset, self$naive)
      used <- !is.na(h)
      list(h = h, used = used, deletions = if (!is.null(setup$conf_level)) {
        trial_pool_deletions(given, subset, subset, used)
      })
    }
    if (setup$by_trials) {
      found <- of_trials(trials)
      for (name in names(found)) part[[name]][[trial_estimator]] <- found[[name]]
    }
    # the self terms of the region from different trials, for each estimator that has a ceiling
    for (e in if (!is.null(trials) && setup$ceiling) setdiff(setup$estimator, "naive")) {
      corrects <- corrections[[e]]$neurons
      part$clean[[e]] <- of_trials(replace(trials, "codes", list(if (corrects) setup$codes)))
      part$signal[[e]] <- if (corrects) of_trials(trials) else part$clean[[e]]
    }
    part
  })
  region <- list(x = x, parts = parts, complete = region$complete)
  advance <- progress_along(length(setup$layers))
  cells <- lapply(setup$layers, function(layer) {
    advance()
    layer_cells(region, layer, setup)
  })
  with_note(analysis_result(do.call(c, cells), setup, "brain_to_model"), setup$left_out)
}

# The settings with the region and the layers, the codes of the region's neurons by their labels,
# and the numbers of neurons (`sizes`). default: did the user choose no estimator?
open_layers <- function(brain, layers, neurons, repeats, estimator, units, normalize, conf_level,
                        clusters, over, complete, na, default) {
  refuse_if(!is_collection(layers), "type", "`layers` must be a named list of matrices, not ",
            "{describe(layers)}; for a single one give list(layer = layers).")
  names <- check_element_names(layers, "layers")
  na <- check_choice(na, missing_rules, "na")
  region <- analysis_repr(brain, "brain", na)
  layers <- Map(analysis_repr, layers, paste0("layers$", names), na, "y", names)
  setup <- analysis_settings("brain_to_model", list(region), estimator, repeats, normalize,
                             conf_level, by_trials = TRUE, default = default)
  refuse_structure_of_layers(layers, setup, default)
  note_unused_units(unit_users(setup), list(units = units))
  region <- with_units(region, units, "units")
  # a layer is used as a matrix, of which an object tells only what is about its stimuli, or about
  # all of its units
  plain <- lapply(unname(layers), function(layer) {
    given <- unclass(layer$responses)
    if (is.null(given)) return(layer)
    means <- array(layer$data, c(dim(layer$data), 1))
    layer$responses <- new_responses(means, event = matrix(1L, nrow(means), 1),
                                     cluster = given$cluster, complete = given$complete,
                                     series = given$series)
    layer
  })
  reprs <- with_common_stimuli(c(list(region), plain))
  reprs <- with_complete(complete, reprs[1], reprs[-1])
  setup$neurons <- neurons_over(over, setup, reprs[1], reprs[-1])
  setup <- open_analysis(setup, sides_of(reprs[1], reprs[-1]), na, clusters)
  setup$region <- region <- analysis_region(setup$reprs[[1]], setup)
  setup$layers <- lapply(setup$reprs[-1], function(repr) {
    refuse_if(leaves_out_pairs(setup) && ncol(repr$data) < 2 && !repr$complete, "pairs",
              "`{repr$arg}` has a single unit: the neuron correction needs at least two.")
    analysis_data(repr, setup, 8 * (6 * length(repr$data) + 2 * min(dim(repr$data))^2),
                  paste0("The comparison with `", repr$arg, "`"),
                  "Fewer units or stimuli need less.")
  })
  width <- ncol(region$data)
  if (!region$complete) {
    units <- region$columns$units
    if (is.null(units)) units <- seq_len(width)
    setup$codes <- label_codes(units, units)
    if ("stimulus_neuron" %in% setup$estimator && setup$codes$count < 2 ||
          setup$by_trials && width < 2) {
      if (width > 1) refuse_single_session(list(region), "within `brain`")
      refuse("pairs", "No neuron pair is allowed within `brain`: it has a single neuron, or all ",
             "columns have the same label in `units`. Give at least two neurons with different ",
             "labels.", arg = "units")
    }
  }
  setup$sizes <- if (region$complete) whole_grid(neurons, c(brain = width), TRUE) else
    neuron_grid(neurons, width, "`brain`")
  refuse_if(any(setup$neurons) && any(setup$sizes < width) && !region$complete, "choice",
            "`over` has neurons, of which only rows of all {width} neurons of `brain` can have ",
            "errors: give neurons = {width}, or leave out `over`.")
  judge_rows(list(region), setup, setup$layers)
  setup
}

# Layers are used whole, without the trials, sessions and labels of units that say which products
# share noise: an estimator that would follow them for the region is refused, and the others say
# what they do not use.
refuse_structure_of_layers <- function(layers, setup, default) {
  layers <- Filter(function(layer) !is.null(layer$responses), layers)
  parts <- lapply(layers, function(layer) {
    setdiff(estimated_parts(layer$responses), c("clusters", "complete"))
  })
  trials <- intersect(c("trials", "runs", "events"), unlist(parts))
  by_trials <- setup$by_trials || default && length(trials)
  followed <- c(if (by_trials) trials, if (leaves_out_pairs(setup)) c("sessions", "neurons"))
  guilty <- which(vapply(parts, function(of_layer) any(of_layer %in% followed), NA))
  if (!length(guilty)) {
    return(say_unused(list(structures[structures %in% unlist(parts)]), "brain_to_model"))
  }
  arg <- layers[[guilty[1]]]$arg
  refuse("type", "`{arg}` declares ",
         enumerate(intersect(parts[[guilty[1]]], followed), quote = FALSE),
         ", which brain_to_model() cannot follow for layers: brain_to_brain(brain, {arg}) or ",
         "cka(brain, {arg}) do, or give as.matrix({arg}), the means over trials without labels.")
}

layer_cells <- function(region, layer, setup) {
  y <- centered(layer$data, common_scale(list(layer$data)))
  # the self terms of the whole layer, by estimator: n + 1 values, of nothing deleted and then of
  # each stimulus or cluster deleted
  width <- as.double(ncol(y))
  sums <- loo_totals(y, y, setup$clusters)
  units <- seq_len(ncol(y))
  with_itself <- rowSums(loo_pairs(y, y, units, units, setup$clusters)$stimulus)
  corrected <- drop_rounding(sums$stimulus - with_itself, sums$naive)
  self <- list(naive = sums$naive / width^2,
               stimulus = drop_rounding(sums$stimulus, sums$naive) / width^2,
               stimulus_neuron = if (width > 1) corrected / (width * (width - 1)))
  # of all units that there are, none is left out
  if (layer$complete) self$stimulus_neuron <- self$stimulus
  # a layer has no trials, and no noise of trials
  self[[trial_estimator]] <- self$stimulus_neuron
  # for each neuron its sum over all units of the layer: the H values of all subsets are made of
  # these
  cross <- loo_columns(region$x, y, setup$clusters)
  cells <- lapply(seq_along(setup$sizes), function(k) {
    lapply(c(setup$estimator, if (setup$by_trials) trial_estimator), function(e) {
      part <- region$parts[[k]]
      sums <- cross[[if (e == "naive") "naive" else "stimulus"]]
      members <- part$subset
      single <- colSums(matrix(sums[1, members], nrow(members))) / (nrow(members) * width)
      used <- part$used[[e]]
      if (is.null(used)) used <- rep(TRUE, ncol(members))
      deletions <- if (!is.null(setup$conf_level)) {
        share <- tabulate(members[, used], ncol(sums)) / (max(sum(used), 1) * nrow(members))
        cbind(drop(sums %*% share) / width, part$deletions[[e]], self[[e]])
      }
      cell <- list(names = c("brain", layer$name), neurons = setup$sizes[k], estimator = e,
                   single = cbind(single, part$h[[e]], self[[e]][1], deparse.level = 0),
                   deletions = deletions, exchangeable = FALSE,
                   complete = complete_word(region$complete, layer$complete))
      # the self terms of the region from different trials in the place of its own
      for (name in c("clean", "signal")) {
        known <- part[[name]][[e]]
        if (is.null(known)) next
        of_trials <- cell[c("single", "deletions", "exchangeable")]
        of_trials$single[, 2] <- known$h
        if (!is.null(deletions)) of_trials$deletions[, 2] <- known$deletions
        cell[[name]] <- of_trials
      }
      c(cell, layer_errors(e, setup$sizes[k], layer, setup))
    })
  })
  do.call(c, cells)
}

# The errors of a row over neurons, too, where these are a sample: list(se, df, sampled). Of all
# neurons the value is the CKA of the pair, and its errors are those of cka_interval().
layer_errors <- function(estimator, size, layer, setup) {
  region <- setup$region
  complete <- c(x = region$complete, y = layer$complete)
  sampled <- row_samples(estimator, complete, size == ncol(region$data) || region$complete, setup)
  if (is.null(setup$conf_level) || !any(sampled)) return(NULL)
  units <- if (is.null(region$responses)) region$columns$units
  args <- check_cka_args(list(
    kernel = "linear", estimator = estimator, shared_neurons = FALSE, units_x = units,
    units_y = if (!is.null(units)) own_labels(ncol(layer$data), layer$arg),
    complete = complete_word(complete[1], complete[2]), bandwidth = 1, k = 15,
    shared_noise = "auto"
  ))
  args <- suppressMessages(settled_arguments(declaration("cka"), args,
                                             list(x = list(region), y = list(layer))))
  table <- cka_table(pair_of(region, layer), args, setup$clusters)
  table$layout$strata <- table$layout$strata[sampled[!complete]]
  c(errors_of_table(table$values, table$layout, setup, table$centered), list(sampled = sampled))
}
