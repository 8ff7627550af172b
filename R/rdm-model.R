# rdm_model() says how a model predicts an RDM: one RDM, or several that are chosen from, weighted
# or interpolated.

rdm_model_types <- c("fixed", "select", "weighted", "interpolate")

#' Models of RDMs
#'
#' A model of representational similarity analysis predicts the dissimilarities of stimuli. It is
#' one RDM, or several component RDMs whose weights are fitted to data.
#'
#' @param rdms an RDM (a `dist` object or a symmetric matrix), or a named list of component RDMs.
#' @param type `"fixed"`: one RDM as it is. `"select"`: the component that is most alike to the
#'   data. `"weighted"`: a weighted sum of the components. `"interpolate"`: a mixture of two
#'   neighbours in the list, such as one RDM at a sequence of values of a parameter.
#' @param nonnegative for `"weighted"`: are weights kept from being negative?
#' @param ridge for `"weighted"`: what is added to the diagonal of the products of the components.
#'   Products are sums over pairs of stimuli, so that it goes with the scale of the RDMs and
#'   of `sigma`.
#' @return An object of class `repalign_rdm_model`, for [fit_rdm_model()] and [evaluate_models()].
#'   `predict()` gives the RDM that it predicts with given weights, as from [rdm()].
#' @details
#' A sum of component RDMs is the RDM of components side by side, each with a weight: for squared
#' Euclidean distances, weights are squares of gains, and `nonnegative = TRUE` is what a mixture of
#' populations can do.
#' @references Khaligh-Razavi and Kriegeskorte (2014), PLoS Computational Biology 10 (weighted
#'   models). \enc{Schütt}{Schuett} et al. (2023), eLife 12.
#' @examples
#' layers <- lapply(v4_layers[1:3], function(layer) dist(layer[1:30, ])^2)
#' rdm_model(layers[[1]])
#' model <- rdm_model(layers, "weighted", nonnegative = TRUE)
#' model
#' predict(model, c(L0 = 0.5, L1 = 0, L2 = 2))
#' @seealso [fit_rdm_model()], [evaluate_models()]
#' @export
rdm_model <- function(rdms, type = c("fixed", "select", "weighted", "interpolate"),
                      nonnegative = FALSE, ridge = 0) {
  need_arguments()
  type <- check_choice(type, rdm_model_types, "type")
  nonnegative <- check_flag(nonnegative, "nonnegative")
  ridge <- check_not_negative(ridge, "ridge")
  table <- rdm_table(rdms, "rdms", allow_na = TRUE)
  count <- ncol(table$values)
  if (type == "fixed" && count > 1) {
    abort("`rdms` has ", count, " RDMs, but a fixed model is one: give type = \"select\", ",
          "\"weighted\" or \"interpolate\", or make a model of each.",
          class = "repalign_error_choice", arg = "rdms")
  }
  if (type != "fixed" && count < 2) {
    abort("`rdms` has one RDM: a model of type \"", type, "\" needs two or more components.",
          class = "repalign_error_size", arg = "rdms")
  }
  if (type != "weighted" && (nonnegative || ridge > 0)) {
    abort("`", if (nonnegative) "nonnegative" else "ridge", "` is for type = \"weighted\" only.",
          class = "repalign_error_choice", arg = if (nonnegative) "nonnegative" else "ridge")
  }
  structure(list(table = table, type = type, nonnegative = nonnegative, ridge = ridge),
            class = "repalign_rdm_model")
}

is_flexible <- function(model) model$type != "fixed"

#' @rdname tidy.repalign
#' @export
print.repalign_rdm_model <- function(x, ...) {
  no_other_arguments(...)
  cat("Model of an RDM: ", model_words(x), ", ", x$table$n, " stimuli\n", sep = "")
  if (is_flexible(x)) {
    cat("components: ", enumerate(x$table$names, 8, quote = FALSE), "\n", sep = "")
  }
  invisible(x)
}

#' @rdname rdm_model
#' @param object what `rdm_model()` returned.
#' @param weights for `predict()`: one finite number for each component, in their order or with
#'   their names. A fixed model needs none.
#' @param ... unused.
#' @export
predict.repalign_rdm_model <- function(object, weights = NULL, ...) {
  no_other_arguments(...)
  names <- object$table$names
  if (is.null(weights) && !is_flexible(object)) weights <- 1
  if (!is.numeric(weights) || length(weights) != length(names) || !all(is.finite(weights))) {
    abort("`weights` must be ", count_of(length(names), "finite number"), ", one for each ",
          "component (fit_rdm_model() finds them for data).", class = "repalign_error_value",
          arg = "weights")
  }
  weights <- in_order_of(weights, names, "weights")
  new_rdm(combined(object$table$values, as.double(weights)), object$table$n, object$table$labels,
          "predicted")
}

model_words <- function(model) {
  count <- ncol(model$table$values)
  if (!is_flexible(model)) return("fixed")
  paste0(model$type, " (", count, " components",
         if (model$nonnegative) ", not negative",
         if (model$ridge > 0) paste0(", ridge ", format(model$ridge)), ")")
}

# models: an RDM, an rdm_model(), or a list of either. A named list of models, all of the stimuli of
# `table` (of data RDMs).
as_rdm_models <- function(models, table, missing, arg = "models") {
  if (inherits(models, "repalign_rdm_model") || inherits(models, "dist") || is.matrix(models)) {
    models <- list(model = models)
  }
  if (!is.list(models) || !length(models)) {
    abort("`", arg, "` must be an RDM, what rdm_model() returned, or a list of them, not ",
          if (is.list(models)) "an empty list" else describe(models), ".",
          class = "repalign_error_type", arg = arg)
  }
  if (is.null(names(models))) names(models) <- paste0("model", seq_along(models))
  check_element_names(models, arg)
  models <- Map(function(model, name) {
    as_rdm_model(model, paste0(arg, "$", name), table, missing)
  }, models, names(models))
  note_order_of_stimuli(models, table, arg)
  models
}

# Labels on one side only cannot tell whether both sides have one order, and RDMs of labelled rows
# are in the order of the sorted labels.
note_order_of_stimuli <- function(models, table, arg) {
  labelled <- vapply(models, function(model) all(model$table$labelled), NA)
  labels <- c(list(table$labels), lapply(models, function(model) model$table$labels))
  known <- Filter(Negate(is.null), labels)
  if (!length(known) || all(labelled) && all(table$labelled)) return(invisible())
  lacking <- c(if (!all(table$labelled)) "the data",
               if (!all(labelled)) enumerate(paste0(arg, "$", names(models)[!labelled]), 3, FALSE))
  inform("Labels of stimuli lack in ", paste(lacking, collapse = " and "), ": the stimuli are ",
         "taken in the order ", enumerate(known[[1]], 3, FALSE), ".",
         class = "repalign_one_sided_names")
}

as_rdm_model <- function(model, place, table, missing) {
  if (!inherits(model, "repalign_rdm_model")) {
    one <- rdm_table(model, place, allow_na = TRUE)
    if (ncol(one$values) > 1) {
      abort("`", place, "` is a list of RDMs: say with rdm_model() how they are combined.",
            class = "repalign_error_type", arg = place)
    }
    model <- rdm_model(model)
  }
  check_model_stimuli(model, place, table)
  if (missing == "error" && anyNA(model$table$values)) {
    abort("`", place, "` has missing dissimilarities. Give missing = \"pairwise\" to compare the ",
          "pairs that are there.", class = "repalign_error_nonfinite", arg = place)
  }
  check_common_components(model, place, table)
  model
}

# Sums of components are over the pairs that all of them have.
check_common_components <- function(model, place, table) {
  if (!model$type %in% c("weighted", "interpolate")) return(invisible())
  common <- sum(rowSums(is.na(model$table$values)) == 0 & rowSums(!is.na(table$values)) > 0)
  if (common >= 3) return(invisible())
  abort("The components of `", place, "` and the data have ", count_of(common, "pair"), " of ",
        "stimuli in common: at least 3 are needed. Leave out components that lack many pairs.",
        class = "repalign_error_size", arg = place)
}

check_model_stimuli <- function(model, place, table) {
  own <- model$table
  if (own$n != table$n) {
    abort("`", place, "` has ", own$n, " stimuli, but the data have ", table$n,
          ": RDMs that are compared have the same stimuli.",
          class = "repalign_error_size", arg = place)
  }
  differ <- which(own$labels != table$labels)
  if (length(differ)) {
    abort("The labels of `", place, "` differ from those of the data, first at stimulus ",
          differ[1], " (", dQuote(own$labels[differ[1]], FALSE), " and ",
          dQuote(table$labels[differ[1]], FALSE), "): bring the stimuli into one order.",
          class = "repalign_error_names", arg = place)
  }
}
