# The analysis brain_to_model() compares random subsets of the neurons of a brain region with whole
# layers of a model.

#' Brain-to-model similarity over numbers of neurons
#'
#' How alike a brain region and the layers of a network represent the same stimuli, from random
#' subsets of the region's neurons. Layers are used whole.
#'
#' @param brain a matrix stimuli x neurons.
#' @param layers a named list of matrices stimuli x units, one per layer.
#' @param neurons numbers of neurons of the region. By default 4, 8, 16, ..., and all.
#' @param repeats number of random subsets for each number of neurons below all.
#' @param units one label per column of `brain`: pairs of the region's neurons with equal labels
#'   (for example from one recording session) are left out of the neuron correction. By default
#'   only the pairs of a neuron with itself are left out.
#' @param na what to do about missing values (`NA` and `NaN`; infinite values are always an
#'   error). `"error"`: stop, and say where they are. `"stimuli"`: leave out the stimuli that
#'   have a missing value anywhere. `"neurons"`: leave out the neurons that have one. `units` is
#'   cut in the same way. A message, and `print()`, say how many are left out.
#' @inheritParams brain_to_brain
#' @return A data frame of class `repalign_analysis` with the columns of [brain_to_brain()]; `x`
#'   is "brain" and `y` is the name of the layer. `summary()` gives the most similar layer for
#'   each number of neurons and each estimator.
#' @details
#' `"stimulus_neuron"` corrects both sides, because the units of a layer count as a sample, too.
#'
#' For comparison, compute the similarity of the region to another animal's ([brain_to_brain()]):
#' a model that reaches it is as similar to the region as another brain is.
#'
#' With `normalize = "sd"`, the neurons and the units of the layers are divided by their standard
#' deviations.
#'
#' When not to trust it: when stimuli depend on each other (groups of similar images, successive
#' time points). The jackknife counts each stimulus as an independent observation, so the
#' intervals are then too narrow, unless `clusters` names these stimuli (see [cka_interval()]).
#' They cover the sampling of stimuli only and hold the recorded
#' neurons, the layers and their units fixed. Intervals of two layers for the same stimuli do not
#' answer whether the layers differ, because their errors are related. The best layer of several
#' is chosen by its value, which is therefore too high by chance.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, Figure 4.
#' @examples
#' # V4 against the layers of a network, for the first 100 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' profile <- brain_to_model(v4, layers, neurons = c(16, 50), repeats = 50,
#'                           estimator = "stimulus_neuron")
#' profile
#' summary(profile)
#' @seealso [brain_to_brain()]
#' @export
brain_to_model <- function(brain, layers, neurons = NULL, repeats = 200,
                           estimator = c("naive", "stimulus", "stimulus_neuron"), units = NULL,
                           normalize = c("none", "sd"), conf_level = 0.95,
                           clusters = NULL, na = c("error", "stimuli", "neurons")) {
  need_arguments()
  setup <- check_analysis(estimator, normalize, repeats, conf_level, na, clusters = clusters)
  note_unused_units(setup$estimator, list(units = units))
  if (!is_collection(layers)) {
    abort("`layers` must be a named list of matrices, not ", describe(layers), "; for a single ",
          "one give list(layer = layers).", class = "repalign_error_type", arg = "layers")
  }
  names <- check_element_names(layers, "layers")
  args <- paste0("layers$", names)
  data <- read_responses(c(list(brain = brain), stats::setNames(layers, args)), setup$na)
  units <- check_labels(units, ncol(data$brain), "units", "brain")
  given <- clustered_responses(complete_responses(data, setup$na), setup)
  brain <- analysis_matrix(given$data$brain, "brain", setup)
  setup$clusters <- given$clusters
  setup$stimuli <- independent_stimuli(brain, setup)
  units <- units[given$columns$brain]
  if (is.null(units)) units <- seq_len(ncol(brain))
  setup$codes <- label_codes(units, units)
  if ("stimulus_neuron" %in% setup$estimator && setup$codes$count < 2) {
    abort("No neuron pair is allowed within `brain`: it has a single neuron, or all columns have ",
          "the same label in `units`. Give at least two neurons with different labels.",
          class = "repalign_error_pairs", arg = "units")
  }
  if (!is.null(setup$conf_level)) warn_dependence(list(brain), setup$clusters)
  sizes <- neuron_grid(neurons, ncol(brain), "`brain`")
  region <- region_parts(brain, sizes, setup)
  advance <- progress_along(length(layers))
  layers <- Map(layer_matrix, given$data[args], args, MoreArgs = list(setup = setup))
  reprs <- c(list(list(data = brain, arg = "brain")),
            Map(function(x, arg) list(data = x, arg = arg), layers, args))
  check_same_stimuli(reprs)
  note_one_sided_names(reprs)
  cells <- Map(function(layer, name) {
    advance()
    layer_cells(region, layer, name, sizes, setup)
  }, layers, names)
  with_note(analysis_result(do.call(c, unname(cells)), setup, "brain_to_model"), given$note)
}

layer_matrix <- function(layer, arg, setup) {
  layer <- as_numeric_matrix(layer, arg)
  form_centering(list(data = layer, arg = arg, cache = new_cache()))
  if ("stimulus_neuron" %in% setup$estimator && ncol(layer) < 2) {
    abort("`", arg, "` has a single unit: the neuron correction needs at least two.",
          class = "repalign_error_pairs", arg = arg)
  }
  check_memory(8 * (6 * length(layer) + 2 * min(dim(layer))^2),
               paste0("The comparison with `", arg, "`"), "Fewer units or stimuli need less.")
  scale_neurons(layer, setup$normalize)
}

# What the comparisons with all layers share: the random subsets of the region's neurons and the
# self terms of these subsets.
region_parts <- function(brain, sizes, setup) {
  x <- centered(brain, common_scale(list(brain)))
  self <- pair_terms(x, x, setup$clusters)
  subsets <- lapply(sizes, function(size) random_subsets(seq_len(ncol(x)), size, setup$repeats))
  parts <- lapply(subsets, function(subset) {
    count <- subset_counts(subset, subset, rep(ncol(x), 2), setup$codes)
    h <- subset_h(self, subset, subset, count, setup$codes)
    used <- !is.na(h$stimulus_neuron)
    deletions <- if (!is.null(setup$conf_level)) {
      weights <- pooled_weights(subset, subset, rep(ncol(x), 2), count, setup$codes, used)
      pooled_deletions(x, x, weights, setup)
    }
    list(subset = subset, h = h, used = used, deletions = deletions)
  })
  list(x = x, parts = parts)
}

layer_cells <- function(region, layer, name, sizes, setup) {
  y <- centered(layer, common_scale(list(layer)))
  self <- layer_self(y, setup$clusters)
  # for each neuron its sum over all units of the layer: the H values of all subsets are made of
  # these
  cross <- loo_columns(region$x, y, setup$clusters)
  cells <- lapply(seq_along(sizes), function(k) {
    lapply(setup$estimator, function(e) {
      layer_cell(region$parts[[k]], self, cross, e, ncol(y), name, sizes[k], setup)
    })
  })
  do.call(c, cells)
}

# The self terms of the whole layer, by estimator: n + 1 values, of nothing deleted and then of each
# stimulus or cluster deleted.
layer_self <- function(y, clusters) {
  width <- as.double(ncol(y))
  if (ncol(y) > nrow(y)) {
    sums <- lapply(loo_gram(y, clusters), function(h) h[, 1])
  } else {
    sums <- lapply(loo_columns(y, y, clusters), rowSums)
  }
  units <- seq_len(ncol(y))
  with_itself <- rowSums(loo_pairs(y, y, units, units, clusters)$stimulus)
  corrected <- drop_rounding(sums$stimulus - with_itself, sums$naive)
  list(naive = sums$naive / width^2, stimulus = drop_rounding(sums$stimulus, sums$naive) / width^2,
       stimulus_neuron = if (width > 1) corrected / (width * (width - 1)))
}

layer_cell <- function(part, self, cross, estimator, width, name, size, setup) {
  kind <- if (estimator == "naive") "naive" else "stimulus"
  sums <- cross[[kind]]
  members <- part$subset
  single <- colSums(matrix(sums[1, members], nrow(members))) / (nrow(members) * as.double(width))
  used <- if (estimator == "stimulus_neuron") part$used else rep(TRUE, length(part$used))
  deletions <- if (!is.null(setup$conf_level)) {
    share <- tabulate(members[, used], ncol(sums)) / (max(sum(used), 1) * nrow(members))
    cbind(drop(sums %*% share) / width, part$deletions[[estimator]], self[[estimator]])
  }
  list(names = c("brain", name), neurons = size, estimator = estimator,
       single = cbind(single, part$h[[estimator]], self[[estimator]][1], deparse.level = 0),
       deletions = deletions, exchangeable = FALSE)
}
