# simulate_models() simulates models that share a global layout, neighbourhoods, both or nothing.

#' Simulate models that share a layout or neighbourhoods to known degrees
#'
#' The stimuli of a simulated world lie in small patches, which determine the neighbourhoods,
#' and the patches have places in a plane, the layout. Each model keeps as much of the layout
#' as `global` says and as much of the neighbourhoods as `local` says, and replaces the rest
#' by random values of its own. Every layer reads the result through its own random weights
#' and noise.
#'
#' @param n number of stimuli.
#' @param width number of units in every layer: one number per model, or one for all models.
#'   Its names become the names of the models.
#' @param global degree to which a model keeps the layout of the world, from 0 to 1: the
#'   correlation between the coordinates of its patches and those of the world.
#' @param local degree to which a model keeps the neighbourhoods of the world, from 0 to 1:
#'   the share of stimuli that stay in their patches. The others change places at random.
#' @param layers number of layers.
#' @param patch number of stimuli in a patch; the last patch may have fewer.
#' @param scatter standard deviation of the stimuli within a patch, relative to the standard
#'   deviation between patches in the 16 dimensions that separate them (see Details). Each
#'   model draws this scatter for itself, so the distances between near neighbours are never
#'   shared.
#' @param noise standard deviation of the noise of every unit, relative to the standard
#'   deviation of its signal.
#' @return A list of class `repalign_simulation`: `models`, a named list of models, each a
#'   named list of layers (stimuli x units), ready for [similarity()] and [calibrate()];
#'   `truth`, a data frame with `model`, `width`, `global` and `local`; `patch`, the patch of
#'   every stimulus in the world.
#' @details
#' A patch has two coordinates with standard deviation 3, which are the layout, and 16 with
#' standard deviation 1, in which each model places its patches at random. The two large
#' coordinates dominate global measures such as CKA; the other 16 make the stimuli of one
#' patch each other's nearest neighbours. For two models, the correlation of their layouts is
#' the product of their values of `global`. The share of neighbours that both have kept from
#' the world is close to the product of the squares of their values of `local`.
#'
#' A model with `global = 0` and `local = 0` is unrelated to all other models. With `local`
#' above 0, global measures are slightly above chance even if `global` is 0: stimuli of one
#' patch are close to each other on both sides, so with few patches the layouts cannot be
#' entirely unrelated.
#' @examples
#' set.seed(1)
#' family <- simulate_models(n = 120, width = c(small = 20, large = 200), local = c(0.5, 1))
#' family
#' similarity(family$models, measure = list("cka", measure("mutual_knn", k = 3)))
#' @seealso [simulate_pair()], [calibrate()]
#' @export
simulate_models <- function(n, width, global = 0, local = 0, layers = 1, patch = 4, scatter = 0.4,
                            noise = 1) {
  need_arguments()
  patch <- check_count(patch, "patch", 2)
  n <- check_count(n, "n")
  if (n < 2 * patch) {
    abort("`n` is ", n, ", but two patches of `patch` = ", patch, " stimuli need ", 2 * patch,
          ": take more stimuli or smaller patches.", class = "repalign_error_value", arg = "n")
  }
  truth <- models_truth(width, global, local)
  layers <- check_count(layers, "layers")
  scatter <- check_number(scatter, "scatter", above = 0)
  noise <- check_not_negative(noise, "noise")
  check_memory(8 * as.double(n) * (layers * sum(as.double(truth$width)) + 2 * max(truth$width)),
               "The simulated models", "Take fewer stimuli, units or layers.")
  world <- list(patch = (seq_len(n) - 1) %/% patch + 1, scatter = scatter)
  world$layout <- matrix(stats::rnorm(max(world$patch) * 2), ncol = 2)
  models <- lapply(seq_len(nrow(truth)), function(m) {
    stimuli <- model_stimuli(world, truth$global[m], truth$local[m])
    parts <- lapply(seq_len(layers), function(l) neurons_of_stimuli(stimuli, truth$width[m], noise))
    stats::setNames(parts, paste0("layer", seq_len(layers)))
  })
  structure(list(models = stats::setNames(models, truth$model), truth = truth,
                 patch = world$patch), class = "repalign_simulation")
}

models_truth <- function(width, global, local) {
  settings <- each_setting(list(width = width, global = global, local = local),
                           list(width = check_count, global = check_share, local = check_share),
                           "model")
  values <- settings$values
  names <- settings$names
  if (is.null(names)) names <- paste0("model", seq_along(values$width))
  data.frame(model = names, width = as.integer(values$width), global = values$global,
             local = values$local)
}

layout_spread <- 3

patch_dimensions <- 16

# The stimuli in the space of one model: a matrix stimuli x dimensions with total variance 1.
model_stimuli <- function(world, global, local) {
  n <- length(world$patch)
  count <- nrow(world$layout)
  patch <- world$patch
  moved <- sample.int(n, round((1 - local) * n))
  patch[moved] <- patch[moved[sample.int(length(moved))]]
  # the shared part of the layout follows the patches of the world, even for stimuli that this model
  # has moved to other patches
  new_layout <- matrix(stats::rnorm(count * 2), count)
  layout <- global * world$layout[world$patch, ] + sqrt(1 - global^2) * new_layout[patch, ]
  centres <- matrix(stats::rnorm(count * patch_dimensions), count)
  places <- cbind(layout_spread * layout, centres[patch, ])
  places <- places + world$scatter * stats::rnorm(length(places))
  places / sqrt(sum(apply(places, 2, stats::var)))
}

# Neurons are random combinations of the dimensions, with signals of variance 1 on average.
neurons_of_stimuli <- function(stimuli, width, noise) {
  weights <- matrix(stats::rnorm(ncol(stimuli) * width), ncol(stimuli))
  signal <- stimuli %*% weights
  signal + noise * stats::rnorm(length(signal))
}
