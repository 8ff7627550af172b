# measure("encode", ...) for evaluate_models(): which model predicts a recording best?

#' @include measure-table.R
NULL

# encode() is no measure of the registry, because it goes in one direction and has folds. Its
# settings in the place of a measure are list(id, label, args, declaration) as of any other.
beside_registry$encode <- function(given) {
  known <- c("method", "folds", "repeats", "lambda", "per_neuron", "components", "standardize",
             "min_reliability")
  fixed <- list(score_by = "r2", summary = "weighted", average = "pooled")
  names <- names_or_empty(given)
  for (name in intersect(names, names(fixed))) {
    if (identical(given[[name]], fixed[[name]])) next
    refuse("choice", "measure(\"encode\") is the weighted R squared, {name} = ",
           "{dQuote(fixed[[name]], FALSE)}: the errors of other scores are not known. encode() ",
           "gives these.", arg = name)
  }
  unknown <- setdiff(names, c(known, names(fixed)))
  refuse_if(length(unknown), "parameter", "measure(\"encode\") has ",
            if (nzchar(unknown[1])) paste0(
              "no parameter ", dQuote(unknown[1], FALSE)) else "no parameters without names",
            if (unknown[1] %in% names(formals(encode)))
            ", which is an argument of evaluate_models()",
            ". Parameters: {enumerate(known, 20)}.", arg = unknown[1])
  args <- given[intersect(known, names)]
  settings <- do.call(encoding_settings, utils::modifyList(list(
    method = "ridge", score_by = "r2", summary = NULL, average = NULL, lambda = NULL,
    per_neuron = FALSE, components = NULL, standardize = FALSE, min_reliability = 0.1
  ), args[setdiff(names(args), c("folds", "repeats"))]))
  structure(list(id = "encode", label = settings$label, args = args,
                 declaration = list(id = "encode", label = "Encoding", direction = "similarity",
                                    range = c(-Inf, 1), pairing = TRUE)),
            class = "repalign_measure")
}

# The parts of evaluate_models() (model-recordings.R) but the confidence set: `given` are further
# arguments of encode().
encoding_parts <- function(data, models, measure, over, conf_level, permutations, given) {
  refuse_if(is_collection(data), "type", "`data` is a list of subjects, for which ",
            "measure(\"encode\") has no common score: call evaluate_models() for each subject.")
  refuse_if(!is.null(over) && !identical(over, "stimuli"), "choice", "`over` can only be ",
            "\"stimuli\" for measure(\"encode\"): its errors are those over stimuli.")
  other <- intersect(c("blocks", "series"), names(given))
  refuse_if(length(other), "design", "`{other[1]}` cannot be used with measure(\"encode\"): give ",
            "`clusters`, or a design of permute::how() in `permutations`.")
  run <- function(permutations) {
    # the rows are judged once, where the errors are made
    withCallingHandlers(
      do.call(encode, c(list(models, data, permutations = permutations),
                        given[setdiff(names(given), c("blocks", "series"))], measure$args)),
      repalign_dependence = function(w) invokeRestart("muffleWarning")
    )
  }
  found <- tryCatch(run(permutations), repalign_error_cluster_sizes = function(error) {
    inform("no_chance", "No p_chance (NA): {conditionMessage(error)}")
    NULL
  })
  lost <- is.null(found)
  if (lost) found <- run(0)
  cells <- cells_of(found)
  call <- attr(found, "cells")$calls[[1]]
  chance <- if (lost) list(p_value = NA_real_, null = NULL) else if (!is.null(call$permutations)) {
    null <- vapply(cells, function(cell) as.double(cell$null), numeric(call$permutations + 1))
    largest <- !isTRUE(all.equal(null[1, ], found$score))
    list(score = null[1, ], label = found$measure[1], null = null[-1, , drop = FALSE],
         p_value = found$p_value, permutations = call$permutations, engine = call$engine,
         other = if (largest) {
           paste("`p_chance` and `p_familywise` compare the largest score over all penalties,",
                 "where `score` has penalties chosen within training sets: there is no",
                 "`threshold` (NA).")
         })
  }
  list(interval = encoding_interval(found, "auto", conf_level, models = TRUE),
       chance = chance,
       ceiling = list(ceiling = found$ceiling, se = NA_real_,
                      from = if (all(is.na(found$ceiling))) "none" else "encode"),
       share = found$normalized)
}
