# benchmark_groups() and benchmark_layers(), and what they compare.

#' Which measure sees the order of layers?
#'
#' For several measures, how clearly near layers of each model come out as more similar than far
#' ones.
#'
#' @param measures,definition,scores,calibrated,cache,test,dataset,architecture,threads,na,... see
#'   [benchmark_groups()].
#' @param models the models:
#'   * a named list of models, each a named list of layers in their order;
#'   * a manifest (see [benchmark_groups()]) with the columns `model` and `layer`, in the order of
#'     numbers or of the levels of a factor, otherwise of the rows;
#'   * with `scores`, also a named list of the names of layers (in the table `"model/layer"`).
#' @return A data frame of class `repalign_benchmark` with a row for each measure, metric and part:
#'   `measure`; `metric` (`"conformity"` or `"spearman"`); `part` (`"all"`, or a model); `value`
#'   (larger is better); `chance`, what layers in a random order give; `p_value`, always `NA`; the
#'   other columns as of [benchmark_groups()].
#' @details
#' Metrics, averaged over the models (`"all"`):
#' * `"spearman"`: the rank correlation of likeness with nearness, for every layer with those above
#'   it and with those below (`"published"`), or over all pairs of layers (`"paper"`). The best is
#'   1.
#' * `"conformity"`: the share of comparisons in which the nearer pair is at least as similar.
#'   `"published"` compares two layers on the same side of a third one. `"paper"` compares a pair of
#'   layers with a pair around it, or with itself, which conforms: its chance is higher.
#'
#' When not to trust it: residual connections, pooling or a bottleneck can make far layers more
#' similar than near ones, and then the measure that says so is right. With five layers or fewer
#' most measures are near the best value. Models of one architecture are repeats of one network.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark,
#'   test 6).
#' @examples
#' # five layers, each a noisy step away from the one before
#' set.seed(1)
#' network <- function() {
#'   steps <- lapply(1:5, function(layer) matrix(rnorm(40 * 6), 40))
#'   stats::setNames(Reduce(`+`, steps, accumulate = TRUE), paste0("layer", 1:5))
#' }
#' benchmark_layers(list(one = network(), two = network()), measures = c("cka", "mutual_knn"))
#' @seealso [benchmark_outputs()], [rank_measures()]
#' @export
benchmark_layers <- function(models, measures = resi_measures(),
                             definition = c("published", "paper"), scores = NULL,
                             calibrated = FALSE, cache = NULL, test = "layers", dataset = NULL,
                             architecture = NULL, threads = NULL,
                             na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  definition <- check_choice(definition, c("published", "paper"), "definition")
  labels <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, na, ...)
  items <- layer_items(models, "models")
  # the positions of the layers of each model, in their order
  blocks <- split(seq_along(items$names), factor(items$models, unique(items$models)))
  if (!is.null(items$rank)) blocks <- lapply(blocks, function(at) at[order(items$rank[at])])
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job, items$data)
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
    for (column in c("model", "layer")) {
      labels <- as.character(manifest_column(models, column, arg))
      bad <- which(is.na(labels) | !nzchar(labels))
      refuse_if(length(bad), "value", "`{arg}` has no {column} in row {bad[1]}.")
      items[[paste0(column, "s")]] <- labels
    }
    layer <- models$layer
    # Where layers stand among others. A column that holds numbers for some models and words for
    # others is a column of words, so that numbers are looked for in it, too.
    items$rank <- if (is.factor(layer) || is.numeric(layer)) {
      xtfrm(layer)
    } else {
      numbers <- suppressWarnings(as.numeric(as.character(layer)))
      if (anyNA(numbers)) seq_along(layer) else numbers
    }
  } else {
    refuse_results(models, arg)
    names <- check_element_names(models, arg)
    named <- vapply(models, is_names_only, NA)
    single <- which(!named & !vapply(models, is_collection, NA))
    refuse_if(length(single), "type", "`{arg}${names[single[1]]}` is ",
              "{describe(models[[single[1]]])}, not a model: each element of `{arg}` must be a ",
              "named list of layers.", arg = arg)
    layers <- Map(function(model, name, only) {
      place <- paste0(arg, "$", name)
      if (only) check_unique_names(model, place) else check_element_names(model, place)
    }, models, names, named)
    model <- rep(names, lengths(layers))
    layer <- unlist(layers, use.names = FALSE)
    data <- if (!any(named)) unlist(unname(lapply(models, unname)), recursive = FALSE)
    items <- new_items(paste(model, layer, sep = "/"), arg, data = data, models = model,
                       layers = layer)
  }
  twice <- anyDuplicated(data.frame(items$models, items$layers))
  refuse_if(twice, "names", "`{items$arg}` has two layers {quoted(items$layers[twice])} of ",
            "the model {quoted(items$models[twice])}: a layer is given once.")
  counts <- table(items$models)
  single <- names(which(counts < 2))
  refuse_if(length(single), "size", "`{items$arg}` has one layer of {enumerate(single)}: there ",
            "are no pairs of layers to compare.")
  refuse_whole_name(names(counts), items$arg, "model")
  models <- names(which(counts == 2))
  inform_if(length(models), "two_layers", "There is no order to see in the two layers of ",
            "{enumerate(models)}: give three or more.")
  items
}

# ---- benchmark

#' Which measure separates groups?
#'
#' For several measures, how well each ranks pairs of representations within a group (of
#' networks trained in the same way, animals, areas) above pairs across groups.
#'
#' @param representations the representations, with the same stimuli in the same rows:
#'   * a named list of what [similarity()] takes as a representation;
#'   * a manifest: a data frame with a row for each and the column `file`, which
#'     [read_representation()] reads, and perhaps `array` (of the file) and `id` (its name);
#'   * with `scores`, also just the names.
#' @param groups a label for each representation, or a column of the manifest.
#' @param measures as in [similarity()]. By default those of [resi_measures()] or `scores`.
#' @param definition of quality, as in the code (`"published"`) or in the `"paper"` of the ReSi
#'   benchmark.
#' @param scores scores of [similarity()], `similarity_scores()` or (with `calibrated = TRUE`)
#'   [calibrate()], or a data frame with the columns `x`, `y`, `measure`, `score`, and for measures
#'   of your own `direction` (`"similarity"` or `"distance"`).
#' @param calibrated take the scores that [calibrate()] calibrated?
#' @param cache a folder that keeps the scores, from which an interrupted call goes on. Random
#'   choices stay the same.
#' @param model_permutations number of permutations of models for the p-values; 0: none.
#' @param test,dataset,architecture labels that become columns of the result.
#' @param threads see [similarity()].
#' @param na see [similarity()]; not with `cache`.
#' @param ... with `calibrated = TRUE`, arguments of [calibrate()].
#' @param result what `benchmark_groups()`, [benchmark_layers()] or [benchmark_outputs()] returned,
#'   or some of its rows.
#' @return `benchmark_groups()`: a data frame of class `repalign_benchmark` with a row for each
#'   measure, metric and part: `measure`; `metric`; `part` (`"all"`, or a group); `value` (larger is
#'   better); `chance`, the value by chance; `p_value` (`NA` where there is none); `undefined`, the
#'   number of scores left out; and `test`, `dataset`, `architecture`.
#'
#'   `similarity_scores()`: a data frame with the columns `x`, `y`, `measure`, `score`, `direction`
#'   and `error` (the message of a comparison that failed), a row for each pair (in both orders if a
#'   measure is not symmetric).
#' @details
#' *Metrics.* A pair is *within* if both are of the same group, and *across* otherwise.
#' * `"auprc"`: average precision of finding the pairs within by their scores, the mean over groups
#'   (`"published"`) or over all pairs (`"paper"`). Chance depends on the sizes of the groups. It is
#'   not 0.5, but above the share of pairs within.
#' * `"conformity"`: the share of combinations of a pair within and a pair across in which the first
#'   is more similar. A tie is a violation (`"published"`), or conforms (`"paper"`). Chance is about
#'   0.5.
#' * `"auc"`: area under the ROC curve of all pairs. Chance is about 0.5.
#' * `"dprime"`: mean within minus mean across, over the root of the mean of both variances. Chance
#'   is about 0; it has no upper bound.
#' * `"silhouette"`: mean silhouette width. Chance is somewhat below 0, how much depends on the
#'   scores.
#'
#' P-values permute the group labels of representations. Three groups of two allow none below 1/15.
#' `chance` is the mean value of the permuted labels: what groups of these sizes give with these
#' scores if the scores know nothing of the groups. Without permutations it is `NA`.
#'
#' When not to trust it: what separates groups need not be what you have in mind: groups of
#' different norms are separated by any measure that is not invariant to scaling. Values near 1 for
#' most measures mean that the test is too easy to rank them. Differences have no standard error:
#' see [rank_measures()].
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark,
#'   section 3 and appendix). Rousseeuw (1987), Journal of Computational and Applied Mathematics 20
#'   (silhouettes).
#' @examples
#' # networks of three kinds: what they share with their own kind is larger
#' set.seed(1)
#' groups <- rep(c("a", "b", "c"), each = 4)
#' kinds <- list(a = matrix(rnorm(200), 40), b = matrix(rnorm(200), 40), c = matrix(rnorm(200), 40))
#' models <- lapply(groups, function(kind) kinds[[kind]] + matrix(rnorm(200, sd = 2), 40))
#' names(models) <- paste0("net", 1:12)
#' benchmark_groups(models, groups, measures = c("cka", "procrustes", "mutual_knn"))
#' @export
benchmark_groups <- function(representations, groups, measures = resi_measures(),
                             definition = c("published", "paper"), scores = NULL,
                             calibrated = FALSE, cache = NULL, model_permutations = 999,
                             test = "groups", dataset = NULL, architecture = NULL, threads = NULL,
                             na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  definition <- check_choice(definition, c("published", "paper"), "definition")
  count <- check_count(model_permutations, "model_permutations", 0)
  labels <- test_labels(test, dataset, architecture)
  job <- benchmark_job(scores, calibrated, cache, threads, na, ...)
  items <- benchmark_items(representations, "representations")
  check_several(items)
  groups <- item_values(items, groups, "groups")
  empty <- which(is.na(groups) | !nzchar(as.character(groups)))
  refuse_if(length(empty), "groups", "`groups` has no label for {quoted(items$names[empty[1]])} ",
            "(position {empty[1]}): leave that representation out, or give it a group.")
  unused <- if (is.factor(groups)) setdiff(levels(groups), as.character(groups))
  refuse_if(length(unused), "groups", "`groups` has no members of {enumerate(unused)}: ",
            "droplevels(groups) leaves empty groups out.")
  groups <- group_factor(groups)
  sizes <- table(groups)
  refuse_if(length(sizes) < 2, "groups", "`groups` has one group, {quoted(names(sizes))}: ",
            "there are no pairs across groups to compare with.")
  single <- names(sizes)[sizes == 1]
  refuse_if(length(single) == length(sizes), "groups", "`groups` has a label of its own for each ",
            "representation: there are no pairs within a group.")
  inform_if(length(single), "single_groups", "There are no pairs within {enumerate(single)}: ",
            if (length(single) > 1) "these groups have" else "this group has",
            " one member, and only pairs across.")
  refuse_whole_name(names(sizes), "groups", "group")
  columns <- benchmark_columns(chosen_measures(measures, missing(measures), job), job, items$data)
  run_benchmark(items, list(seq_along(items$names)), columns, job, labels, function(blocks) {
    relabellings <- group_relabellings(groups, count)
    lapply(seq_along(columns), function(m) {
      column <- columns[[m]]
      group_quality(block_matrix(blocks[[1]], m, column$symmetric),
                    column$direction == "similarity", groups, definition,
                    symmetric = column$symmetric, best = column$best,
                    relabellings = relabellings, threads = job$count)
    })
  })
}

# What all benchmarks ask for: the table of scores, the arguments of calibrate(), cache, threads.
benchmark_job <- function(scores, calibrated, cache, threads, na, ...) {
  na <- check_choice(na, missing_rules, "na")
  refuse_if(na == "stimuli" && !is.null(cache), "choice", "na = \"stimuli\" cannot be used with ",
            "`cache`: which stimuli are left out depends on all representations, and the cache ",
            "has pairs of them. Leave out the stimuli yourself, or use na = \"neurons\".",
            arg = "na")
  calibration <- calibration_arguments(calibrated, ...)
  given <- given_scores(scores, calibrated)
  if (!is.null(cache)) {
    refuse_if(!is.character(cache) || length(cache) != 1 || is.na(cache) || !nzchar(cache), "value",
              "`cache` must be the path of a folder, or NULL.")
    cache <- path.expand(cache)
    if (!dir.exists(cache)) dir.create(cache, recursive = TRUE, showWarnings = FALSE)
    refuse_if(!dir.exists(cache) || file.access(cache, 2) != 0, "value", "`cache` = ",
              "{quoted(cache)} is no folder that can be written to.")
    # workers may have another working folder
    cache <- normalizePath(cache, "/")
  }
  list(calibration = calibration, given = given, cache = cache, threads = threads,
       count = thread_count(threads), na = na)
}

test_labels <- function(test, dataset, architecture) {
  labels <- list(test = test, dataset = dataset, architecture = architecture)
  for (name in names(labels)) {
    value <- labels[[name]]
    if (is.null(value) && name != "test") next
    refuse_if(!is.character(value) || length(value) != 1 || is.na(value) || !nzchar(value), "value",
              "`{name}` must be one label, a string.")
  }
  Filter(Negate(is.null), labels)
}

check_several <- function(items, least = 2, why = "there are no pairs to compare") {
  if (length(items$names) >= least) return(invisible())
  refuse("size", "`{items$arg}` has {count_of(length(items$names), 'element')}: {why}.")
}

# In results the part "all" is about all groups, or models, together.
refuse_whole_name <- function(names, arg, what) {
  if (!"all" %in% names) return(invisible())
  refuse("names", "`{arg}` has a {what} named \"all\", which in the result stands for all {what}s ",
         "together: give it another name.")
}

# Scores all blocks and rates all measures. rate: a function(blocks) that gives the rows of each
# measure. What it draws does not depend on how much was drawn to compute scores, which is less
# when a cache knows some of them.
run_benchmark <- function(items, blocks, columns, job, labels, rate) {
  hold_threads(job$count)
  if (is.null(generator_state())) sample.int(2)
  start <- generator_state()
  given <- vapply(columns, function(column) column$given, NA)
  set <- lapply(columns[!given], function(column) column$measure)
  # positions of items, those of a block compared with each other, become list(at, pairs, cells):
  # cells is a matrix, pairs x measures, of what one_cell() gives
  blocks <- lapply(blocks, function(at) {
    # all pairs of different items: first those with i < j, then their mirror images
    later <- rep(seq_along(at), seq_along(at) - 1)
    earlier <- sequence(seq_along(at) - 1)
    pairs <- data.frame(i = c(earlier, later), j = c(later, earlier))
    pairs <- pairs[order(pairs$i > pairs$j, pmin(pairs$i, pairs$j), pmax(pairs$i, pairs$j)), ]
    wanted <- vapply(columns, function(column) pairs$i < pairs$j | !column$symmetric,
                     logical(nrow(pairs)))
    wanted <- matrix(wanted, nrow(pairs))
    cells <- matrix(list(), nrow(pairs), length(columns))
    for (m in which(given)) {
      cells[, m] <- given_cells(job$given, columns[[m]], items$names[at], pairs, wanted[, m])
    }
    found <- NULL
    if (!all(given)) {
      found <- computed_cells(items, at, pairs, set, wanted[, !given, drop = FALSE], job)
      cells[, !given] <- found$cells
    }
    list(at = at, pairs = pairs, cells = cells, computed = found$cells, warnings = found$warnings)
  })
  cells <- unlist(lapply(blocks, function(block) block$computed), recursive = FALSE)
  report_cells(bind_cells(Filter(Negate(is.null), cells)))
  report_warnings(unlist(lapply(blocks, function(block) block$warnings), recursive = FALSE))
  restore_generator(start)
  sample.int(.Machine$integer.max, 1)
  start <- generator_state()
  rows <- Map(function(rows, column) cbind(measure = column$label, rows), rate(blocks), columns)
  restore_generator(start)
  sample.int(.Machine$integer.max, 1)
  rows <- do.call(rbind, rows)
  rownames(rows) <- NULL
  for (name in names(labels)) rows[[name]] <- rep_len(labels[[name]], nrow(rows))
  # the table that similarity_scores() gives
  table <- lapply(seq_along(columns), function(m) {
    each <- lapply(blocks, function(block) {
      known <- which(!vapply(block$cells[, m], is.null, NA))
      cells <- block$cells[known, m]
      error <- vapply(cells, function(cell) c(cell$failure, NA_character_)[1], "")
      data.frame(x = items$names[block$at][block$pairs$i[known]],
                 y = items$names[block$at][block$pairs$j[known]],
                 measure = rep_len(columns[[m]]$label, length(known)),
                 score = vapply(cells, function(cell) cell$score, 0),
                 direction = rep_len(columns[[m]]$direction, length(known)), error = error)
    })
    do.call(rbind, each)
  })
  table <- do.call(rbind, table)
  rownames(table) <- NULL
  kept <- list(labels = labels, table = table)
  new_result(rows, "repalign_benchmark", list(scores = list(kept)))
}

# ---- items

# What a benchmark compares: representations in a list, or files that a manifest names, which are
# read when a score needs them.

# Items are a list: `names`; `data`, the representations, or NULL where they are in files or not at
# hand; `files` and `arrays` (which array of a file), or NULL; `models` and `layers` of layers of
# models, or NULL; `manifest`, the user's data frame, or NULL; and `arg`, the argument that they
# are from.
benchmark_items <- function(x, arg) {
  if (is.data.frame(x)) return(manifest_items(x, arg))
  if (is_names_only(x)) return(new_items(check_unique_names(x, arg), arg))
  refuse_results(x, arg)
  new_items(check_element_names(x, arg), arg, data = x)
}

new_items <- function(names, arg, data = NULL, files = NULL, arrays = NULL, models = NULL,
                      layers = NULL, manifest = NULL) {
  list(names = names, arg = arg, data = data, files = files, arrays = arrays, models = models,
       layers = layers, manifest = manifest)
}

# With a table of scores the names of representations are enough.
is_names_only <- function(x) is.character(x) && is.null(dim(x)) && !inherits(x, "repalign_measure")

check_unique_names <- function(names, arg) {
  names <- as.character(names)
  refuse_if(anyNA(names) || any(names == ""), "names", "`{arg}` has no name at position ",
            "{which(is.na(names) | names == '')[1]}.")
  refuse_if(anyDuplicated(names), "names", "`{arg}` names {quoted(names[duplicated(names)][1])} ",
            "twice: names must differ. A manifest can give them in a column `id`.")
  names
}

manifest_items <- function(manifest, arg) {
  files <- as.character(manifest_column(manifest, "file", arg))
  refuse_if(!length(files), "size", "`{arg}` has no rows: there is nothing to compare.")
  bad <- which(is.na(files) | !nzchar(files))
  refuse_if(length(bad), "value", "`{arg}` names no file in row {bad[1]}.")
  arrays <- if ("array" %in% names(manifest)) as.character(manifest$array)
  names <- if ("id" %in% names(manifest)) manifest$id else file_names(files, arrays)
  new_items(check_unique_names(names, arg), arg, files = files, arrays = arrays,
            manifest = manifest)
}

# A column of the manifest, or the error that it has none.
manifest_column <- function(manifest, column, arg) {
  if (column %in% names(manifest)) return(manifest[[column]])
  refuse("manifest", "`{arg}` is a data frame without the column ",
         "{quoted(column)}{suggest(column, names(manifest))} Columns: ",
         "{enumerate(names(manifest), 20)}",
         if (column == "file") paste0(". A manifest names in `file` a file for each ",
                                      "representation; matrices are given as a named list"), ".")
}

# The paths without their endings and without the folders that all of them share.
file_names <- function(files, arrays) {
  names <- sub("[.][^./]*$", "", sub("[.]gz$", "", gsub("\\\\", "/", files)))
  parts <- strsplit(names, "/", fixed = TRUE)
  folders <- min(lengths(parts)) - 1
  same <- vapply(seq_len(folders), function(k) length(unique(vapply(parts, `[`, "", k))) == 1, NA)
  shared <- sum(cumprod(same))
  names <- vapply(parts, function(part) paste(part[(shared + 1):length(part)], collapse = "/"), "")
  if (is.null(arrays)) return(names)
  ifelse(is.na(arrays), names, paste(names, arrays, sep = ":"))
}

# All files are looked for before any is read.
check_files <- function(items, at) {
  missing <- at[!file.exists(path.expand(items$files[at]))]
  if (!length(missing)) return(invisible())
  refuse("manifest", "`{items$arg}` names {count_of(length(missing), 'file')} that ",
         "{if (length(missing) > 1) 'are' else 'is'} not there: ",
         "{enumerate(items$files[missing], 3)} (row ",
         "{missing[1]}{if (length(missing) > 1) ' first'}). Paths are looked up from the working ",
         "folder; file.path(folder, file) puts another before them.")
}

# Each text that reading says is said once, however many files it holds for. Whether all fit into
# memory is judged by the first one.
read_files <- function(files, arrays = NULL) {
  said <- FALSE
  lapply(seq_along(files), function(k) {
    name <- if (!is.null(arrays) && !is.na(arrays[k])) arrays[k]
    read <- withCallingHandlers(
      read_one_array(files[k], name),
      repalign_flattened = function(m) {
        if (said) invokeRestart("muffleMessage")
        said <<- TRUE
      }
    )
    if (k == 1) {
      check_memory(8 * length(files) * as.double(length(read)),
                   paste("The contents of", count_of(length(files), "file"), "together"),
                   "Fewer files, or files of fewer stimuli or neurons, need less.")
    }
    read
  })
}

# One label for each representation: given as a vector, whose names, if it has any, are those of
# the representations, or as the name of a column of the manifest.
item_values <- function(items, values, arg) {
  one_name <- is.character(values) && length(values) == 1 && is.null(names(values))
  if (!is.null(items$manifest) && one_name) {
    return(manifest_column(items$manifest, values, items$arg))
  }
  refuse_if(!is.atomic(values) || is.null(values) || !is.null(dim(values)), "type",
            "`{arg}` must be a vector with a value for each representation",
            if (!is.null(items$manifest)) ", or the name of a column of the manifest",
            ", not {describe(values)}.")
  unname(in_item_order(items, values, arg, "value"))
}

# Values are without names, or have those of the representations. what: what one of them is.
in_item_order <- function(items, values, arg, what) {
  refuse_if(length(values) != length(items$names), "size", "`{arg}` has ",
            "{count_of(length(values), what)}, but `{items$arg}` has ",
            "{count_of(length(items$names), 'element')}: give one for each.")
  if (is.null(names(values))) return(values)
  at <- match(items$names, names(values))
  refuse_if(anyNA(at), "names", "`{arg}` has names, but none for ",
            "{quoted(items$names[is.na(at)][1])}: use the names of `{items$arg}`, or leave ",
            "them out where the order is the same.")
  values[at]
}
