# benchmark_layers(): do scores of layers fall with the distance between them?

#' Which measure sees the order of layers?
#'
#' Scores all pairs of layers within each model by several measures, and tells for each measure how
#' well layers that are near each other come out as more alike than layers far apart.
#'
#' @inheritParams benchmark_groups
#' @param models the models:
#'   * a named list of models, each a named list of layers in their order;
#'   * a manifest (see [benchmark_groups()]) with the columns `model` and `layer`. Layers are in the
#'     order of their numbers (also if these are text) or of the levels of a factor, otherwise in
#'     that of the rows;
#'   * with `scores`, also a named list of the names of layers (in the table they are
#'     `"model/layer"`).
#' @return A data frame of class `repalign_benchmark` with a row for each measure, metric and part:
#'   `measure`; `metric` (`"conformity"` or `"spearman"`); `part` (`"all"`, or a model); `value`
#'   (larger is better, whether the measure is a similarity or a distance); `p_value`, always `NA`,
#'   because the order of layers is no sample of anything; `undefined`, the number of scores left
#'   out; and `test`, `dataset`, `architecture`. [similarity_scores()] gives the scores of all
#'   pairs.
#' @details
#' *Metrics*, averaged over the models (`"all"`):
#' * `"spearman"`: the rank correlation of likeness with nearness. `"published"`: for every layer
#'   with the layers above it, and separately with those below, and the mean of those that exist.
#'   `"paper"`: once for each model over all pairs of layers. Chance is 0, the best is 1.
#' * `"conformity"`: the share of comparisons in which the nearer pair is at least as much alike.
#'   `"published"`: of two layers on the same side of a third one, the nearer is compared with the
#'   farther. `"paper"`: equation 8, a pair of layers \eqn{(j, k)}{(j, k)} inside of another pair
#'   \eqn{(i, l)}{(i, l)}, \eqn{i \le j < k \le l}{i <= j < k <= l}, which includes each pair inside
#'   of itself. Chance is 0.5 for `"published"` and higher for `"paper"` (0.64 with five layers),
#'   because a pair always conforms with itself.
#'
#' *When not to trust it.* That layers change step by step is an assumption about the network:
#' residual connections, pooling or a bottleneck can make far layers more alike than near ones, and
#' then the measure that says so is right. Layers of different width favour measures that depend on
#' the width. With five layers or fewer most measures are at or near the best value, and cannot be
#' ranked; the models of one architecture repeat the same network, so that their number adds little.
#' See [benchmark_groups()] for undefined scores, the cache, memory and workers: here the layers of
#' one model are in memory at a time.
#' @references Klabunde et al. (2025), ICLR (the ReSi benchmark), test 6.
#' @examples
#' # five layers, each a noisy step away from the one before
#' set.seed(1)
#' network <- function() {
#'   steps <- lapply(1:5, function(layer) matrix(rnorm(40 * 6), 40))
#'   stats::setNames(Reduce(`+`, steps, accumulate = TRUE), paste0("layer", 1:5))
#' }
#' models <- list(one = network(), two = network(), three = network())
#' result <- benchmark_layers(models, measures = c("cka", "procrustes", "mutual_knn"))
#' summary(result)
#' benchmark_layers(models, "cka", definition = "paper")
#' @seealso [benchmark_groups()], [benchmark_outputs()], [rank_measures()]
#' @export
benchmark_layers <- function(models, measures = resi_measures(),
                             definition = c("published", "paper"), scores = NULL,
                             calibrated = FALSE, cache = NULL, test = "layers", dataset = NULL,
                             architecture = NULL, threads = NULL, ...) {
  need_arguments()
  definition <- check_choice(definition, c("published", "paper"), "definition")
  labels <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, ...)
  items <- layer_items(models, "models")
  blocks <- layer_blocks(items)
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job)
  run_benchmark(items, blocks, columns, job, labels, function(blocks) {
    lapply(seq_along(columns), function(m) {
      column <- columns[[m]]
      layer_quality(lapply(blocks, block_matrix, m, column$symmetric),
                    column$direction == "similarity", column$symmetric, definition)
    })
  })
}

# The layers of all models as items.
layer_items <- function(models, arg) {
  if (is.data.frame(models)) {
    items <- manifest_items(models, arg)
    items$models <- layer_labels(manifest_column(models, "model", arg), "model", arg)
    layer <- manifest_column(models, "layer", arg)
    items$layers <- layer_labels(layer, "layer", arg)
    items$rank <- layer_rank(layer)
    return(check_layers(items))
  }
  refuse_results(models, arg)
  names <- check_element_names(models, arg)
  single <- which(!vapply(models, function(model) is_collection(model) || is_names_only(model), NA))
  if (length(single)) {
    abort("`", arg, "$", names[single[1]], "` is ", describe(models[[single[1]]]),
          ", not a model: each element of `", arg, "` must be a named list of layers.",
          class = "repalign_error_type", arg = arg)
  }
  named <- vapply(models, is_names_only, NA)
  layers <- Map(function(model, name, only) {
    place <- paste0(arg, "$", name)
    if (only) check_unique_names(model, place) else check_element_names(model, place)
  }, models, names, named)
  model <- rep(names, lengths(layers))
  layer <- unlist(layers, use.names = FALSE)
  data <- if (!any(named)) unlist(unname(lapply(models, unname)), recursive = FALSE)
  items <- new_items(paste(model, layer, sep = "/"), arg, data = data, models = model,
                     layers = layer)
  check_layers(items)
}

# Where layers stand among others. A column that holds numbers for some models and words for others
# is a column of words, so that numbers are looked for in it, too.
layer_rank <- function(layer) {
  if (is.factor(layer) || is.numeric(layer)) return(xtfrm(layer))
  numbers <- suppressWarnings(as.numeric(as.character(layer)))
  if (anyNA(numbers)) seq_along(layer) else numbers
}

layer_labels <- function(values, column, arg) {
  values <- as.character(values)
  bad <- which(is.na(values) | !nzchar(values))
  if (!length(bad)) return(values)
  abort("`", arg, "` has no ", column, " in row ", bad[1], ".", class = "repalign_error_value",
        arg = arg)
}

check_layers <- function(items) {
  twice <- anyDuplicated(data.frame(items$models, items$layers))
  if (twice) {
    abort("`", items$arg, "` has two layers ", dQuote(items$layers[twice], FALSE), " of the model ",
          dQuote(items$models[twice], FALSE), ": a layer is given once.",
          class = "repalign_error_names", arg = items$arg)
  }
  counts <- table(items$models)
  single <- names(which(counts < 2))
  if (length(single)) {
    abort("`", items$arg, "` has one layer of ", enumerate(single), ": there are no pairs of ",
          "layers to compare.", class = "repalign_error_size", arg = items$arg)
  }
  refuse_whole_name(names(counts), items$arg, "model")
  note_two_layers(names(which(counts == 2)))
  items
}

note_two_layers <- function(models) {
  if (!length(models)) return(invisible())
  inform("There is no order to see in the two layers of ", enumerate(models), ": one pair of ",
         "layers has none to be compared with. Three or more layers have.",
         class = "repalign_two_layers")
}

# The positions of the layers of each model, in their order.
layer_blocks <- function(items) {
  blocks <- split(seq_along(items$names), factor(items$models, unique(items$models)))
  if (is.null(items$rank)) return(blocks)
  lapply(blocks, function(at) at[order(items$rank[at])])
}
