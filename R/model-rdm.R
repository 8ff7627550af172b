# rdm_model() and fit_rdm_model(): how a model predicts an RDM, and the weights of its components.

# ---- fits

#' Fit the weights of a model to RDMs
#'
#' Finds the weights of the component RDMs with the largest mean similarity to the data.
#'
#' @param model what [rdm_model()] returned.
#' @param rdms data RDMs, as for [evaluate_rdms()].
#' @param outer how RDMs are compared, as for [rsa()].
#' @param raw if `TRUE`, weights of least squares; otherwise their sum of squares is 1.
#' @param stimulus_noise,na see [evaluate_rdms()].
#' @param object,x what `fit_rdm_model()` returned.
#' @param ... unused.
#' @return An object of class `repalign_rdm_fit` with `coef()`, the named weights, `predict()`, the
#'   predicted RDM, and `score`, the mean similarity with the data of the fit ([evaluate_rdms()]
#'   cross-validates). `tidy()`, `glance()` and `augment()` make tables of the weights, the fit and
#'   the dissimilarities.
#' @details
#' Weights are those of least squares on the pooled RDM ([pool_rdms()]), the best for cosines and
#' Pearson correlations, plain or whitened; for comparisons of ranks they are those of `"pearson"`,
#' which need not be the best. Collinear components get the smallest weights, with a warning. A
#' model of type `"interpolate"` has two weights that add up to 1, one of type `"select"` the
#' weight 1.
#' @references Lawson and Hanson (1974), Solving Least Squares Problems.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:40, ]
#' halves <- list(a = dist(v4[, 1:20])^2, b = dist(v4[, 21:40])^2)
#' layers <- lapply(v4_layers[1:3], function(layer) dist(layer[1:40, ])^2)
#' fit <- fit_rdm_model(rdm_model(layers, "weighted", nonnegative = TRUE), halves, "cosine")
#' coef(fit)
#' predict(fit)[1:5]
#' @seealso [evaluate_rdms()]
#' @export
fit_rdm_model <- function(model, rdms, outer, raw = FALSE, stimulus_noise = NULL,
                          na = c("error", "pairwise"), ...) {
  need_arguments()
  refuse_if(!inherits(model, "repalign_rdm_model"), "type", "`model` must be what rdm_model() ",
            "returned, not {describe(model)}.")
  outer <- check_choice(outer, rsa_outer, "outer")
  raw <- check_flag(raw, "raw")
  na <- check_choice(na, c("error", "pairwise"), "na")
  table <- rdm_table(rdms, "rdms", na == "pairwise")
  stimulus_noise <- check_stimulus_noise(stimulus_noise, table$n, table$labels)
  refuse_unused_noise(stimulus_noise, outer)
  refuse_repeated_labels(table$labels, "rdms")
  model <- as_rdm_models(list(model = model), table, na, "model")$model
  refuse_flat(table, outer, "rdms")
  values <- even_sizes(table$values)$values
  weights <- model_weights(model, model$sized$values, values, NULL, outer, stimulus_noise)
  warn_collinear(isTRUE(attr(weights, "collinear")), "`model`")
  predicted <- combined(model$sized$values, as.vector(weights))
  scores <- similarity_table(values, matrix(predicted), outer, stimulus_noise)
  # in the units of the components
  weights <- as.vector(weights) * model$sized$scale
  unit <- unit_of_weights(model, weights, raw)
  weights <- weights / unit
  warn_if(!any(weights != 0), "undefined", "The score of `model` is undefined (NA): all of its ",
          "weights are 0, because no component is alike to the data.")
  structure(list(weights = stats::setNames(weights, model$table$names), model = model,
                 predicted = predicted / unit, outer = outer, score = mean(scores),
                 data = table$values), class = "repalign_rdm_fit")
}

warn_collinear <- function(any, which) {
  warn_if(any, "collinear", "Components of {which} are linear combinations of each other: many ",
          "weights predict the same RDM, of which the smallest are taken.")
}

# The weights of a model with these components for data RDMs (P x N) that count `counts` times; NULL
# stands for once each.
model_weights <- function(model, components, values, counts, outer, stimulus_noise) {
  if (!is_flexible(model)) return(1)
  if (is.null(counts)) counts <- rep(1, ncol(values))
  if (model$type == "select") {
    table <- similarity_table(values[, counts > 0, drop = FALSE], components, outer, stimulus_noise)
    return(selected(colSums(table * counts[counts > 0])))
  }
  if (!outer %in% linear_outer) outer <- "pearson"
  pooled <- pooled_values(values[, counts > 0, drop = FALSE], outer, counts[counts > 0],
                          stimulus_noise)
  # products in the metric of the comparison, over the pairs that all have
  all <- cbind(components, pooled)
  there <- if (anyNA(all)) rowSums(is.na(all)) == 0 else rep(TRUE, nrow(all))
  # a draw of stimuli may leave none
  if (sum(there) < 3) return(rep(NA_real_, ncol(components)))
  if (!all(there)) all <- all[there, , drop = FALSE]
  products <- if (whitens(outer)) whitened_gram(all, there, outer, stimulus_noise) else
    crossprod(if (is_centred(outer)) less_means(all) else all)
  if (whitens(outer)) products <- (products + t(products)) / 2
  own <- seq_len(ncol(components))
  fitted_weights(model, products[own, own, drop = FALSE], products[own, -own])
}

#' @rdname fit_rdm_model
#' @export
predict.repalign_rdm_fit <- function(object, ...) {
  no_other_arguments(...)
  table <- object$model$table
  new_rdm(object$predicted, table$n, table$labels, paste("predicted for", object$outer))
}

#' @rdname fit_rdm_model
#' @importFrom stats coef predict
#' @export
coef.repalign_rdm_fit <- function(object, ...) {
  no_other_arguments(...)
  object$weights
}

#' @rdname fit_rdm_model
#' @export
tidy.repalign_rdm_fit <- function(x, ...) {
  no_other_arguments(...)
  data.frame(term = names(x$weights), estimate = unname(x$weights))
}

#' @rdname fit_rdm_model
#' @export
glance.repalign_rdm_fit <- function(x, ...) {
  no_other_arguments(...)
  data.frame(type = x$model$type, outer = x$outer, score = x$score, rdms = ncol(x$data),
             conditions = x$model$table$n)
}

#' @rdname fit_rdm_model
#' @export
augment.repalign_rdm_fit <- function(x, ...) {
  no_other_arguments(...)
  table <- x$model$table
  pairs <- named_pairs_of(table$n, table$labels)
  rows <- lapply(colnames(x$data), function(name) {
    data.frame(rdm = name, pairs, dissimilarity = x$data[, name], .fitted = x$predicted)
  })
  do.call(rbind, rows)
}

#' @rdname fit_rdm_model
#' @export
print.repalign_rdm_fit <- function(x, ...) {
  no_other_arguments(...)
  cat("Model of an RDM: ", model_words(x$model), ", fitted by ", x$outer, "\n",
      "mean similarity with the data it was fitted to: ", format(x$score, digits = 4), "\n",
      sep = "")
  if (is_flexible(x$model)) print(x$weights, digits = 4)
  invisible(x)
}

# ---- models

rdm_model_types <- c("fixed", "select", "weighted", "interpolate")

#' Models of RDMs
#'
#' A model that predicts dissimilarities: one RDM, or several component RDMs whose weights are
#' fitted.
#'
#' @param rdms an RDM (a `dist` object or a symmetric matrix), or a named list of component RDMs.
#' @param type `"fixed"`: one RDM as it is. `"select"`: the component that is most similar to the
#'   data. `"weighted"`: a weighted sum of the components. `"interpolate"`: a mixture of two
#'   neighbours in the list.
#' @param nonnegative for `"weighted"`: no negative weights?
#' @param ridge for `"weighted"`: what is added to the sum of squares of each component.
#' @return An object of class `repalign_rdm_model`. `predict()` gives the RDM with given weights.
#' @details
#' For squared Euclidean distances, weights are squares of gains of the components side by side, and
#' `nonnegative = TRUE` is what a mixture of populations can do.
#' @references Khaligh-Razavi and Kriegeskorte (2014), PLoS Computational Biology 10 (weighted
#'   models). \enc{Schütt}{Schuett} et al. (2023), eLife 12.
#' @examples
#' layers <- lapply(v4_layers[1:3], function(layer) dist(layer[1:30, ])^2)
#' model <- rdm_model(layers, "weighted", nonnegative = TRUE)
#' predict(model, c(L0 = 0.5, L1 = 0, L2 = 2))
#' @seealso [fit_rdm_model()], [evaluate_rdms()]
#' @export
rdm_model <- function(rdms, type = c("fixed", "select", "weighted", "interpolate"),
                      nonnegative = FALSE, ridge = 0, ...) {
  need_arguments()
  type <- check_choice(type, rdm_model_types, "type")
  nonnegative <- check_flag(nonnegative, "nonnegative")
  ridge <- check_not_negative(ridge, "ridge")
  table <- rdm_table(rdms, "rdms", allow_na = TRUE)
  count <- ncol(table$values)
  refuse_if(type == "fixed" && count > 1, "choice", "`rdms` has {count} RDMs, but a fixed model ",
            "is one: give type = \"select\", \"weighted\" or \"interpolate\", or a model of each.")
  refuse_if(type != "fixed" && count < 2, "size", "`rdms` has one RDM: a model of type \"{type}\" ",
            "needs two or more components.")
  refuse_if(type != "weighted" && (nonnegative || ridge > 0), "choice",
            "`{if (nonnegative) 'nonnegative' else 'ridge'}` is for type = \"weighted\" only.")
  new_rdm_model(table, type, nonnegative, ridge)
}

new_rdm_model <- function(table, type, nonnegative = FALSE, ridge = 0) {
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
#' @param weights for `predict()`: one number for each component, in their order or by name.
#' @param ... unused.
#' @export
predict.repalign_rdm_model <- function(object, weights = NULL, ...) {
  no_other_arguments(...)
  names <- object$table$names
  if (is.null(weights) && !is_flexible(object)) weights <- 1
  refuse_if(!is.numeric(weights) || length(weights) != length(names) ||
              !all(is.finite(weights)), "value", "`weights` must be ",
            "{count_of(length(names), 'finite number')}, one for each component (fit_rdm_model() ",
            "finds them for data).")
  weights <- in_order_of(weights, names, "weights")
  new_rdm(combined(object$table$values, as.double(weights)), object$table$n, object$table$labels,
          "predicted")
}

model_words <- function(model) {
  if (!is_flexible(model)) return("fixed")
  paste0(model$type, " (", ncol(model$table$values), " components",
         if (model$nonnegative) ", not negative",
         if (model$ridge > 0) paste0(", ridge ", format(model$ridge)), ")")
}

# models: an RDM, an rdm_model(), or a list of either. A named list of models, all of the stimuli of
# `table` (of data RDMs).
as_rdm_models <- function(models, table, na, arg = "models") {
  if (inherits(models, c("repalign_rdm_model", "dist", "factor")) || is.matrix(models)) {
    models <- list(model = models)
  }
  refuse_if(!is.list(models) || !length(models), "type", "`{arg}` must be an RDM, what ",
            "rdm_model() returned, or a list of them, not ",
            if (is.list(models)) "an empty list" else describe(models), ".")
  if (is.null(names(models))) names(models) <- paste0("model", seq_along(models))
  check_element_names(models, arg)
  places <- if (identical(names(models), arg)) arg else paste0(arg, "$", names(models))
  models <- Map(function(model, place) {
    if (!inherits(model, "repalign_rdm_model")) {
      one <- rdm_table(model, place, allow_na = TRUE)
      refuse_if(ncol(one$values) > 1, "type", "`{place}` is a list of RDMs: say with rdm_model() ",
                "how they are combined.")
      model <- new_rdm_model(one, "fixed")
    }
    own <- model$table
    unnamed <- is.null(own$labels) || is.null(table$labels)
    refuse_if(own$n != table$n, "size", "`{place}` has {own$n} stimuli, but the data have ",
              "{table$n}: RDMs that are compared have the same stimuli. match_rows() keeps those ",
              "that all have, by name{if (unnamed) ': give labels to all'}.")
    model
  }, models, places)
  # their stimuli in the order of those of the data
  labels <- unname(c(list(table$labels), lapply(models, function(model) model$table$labels)))
  all <- c("rdms", places)
  at <- places_in_order(labels, all, function(i, k) {
    refuse("names", names_differ(all[i], all[k], labels[[i]], labels[[k]]),
           "subset() of the RDMs takes the stimuli that both have; or remove the labels when the ",
           "stimuli do correspond.", arg = all[k])
  })
  note_unnamed(labels, all, distances = TRUE)
  Map(function(model, place, at) {
    own <- model$table
    if (!is.null(at)) {
      own$values <- own$values[packed_places(at, table$n), , drop = FALSE]
      own$labels <- own$labels[at]
    }
    refuse_if(na == "error" && anyNA(own$values), "nonfinite", "`{place}` has missing ",
              "dissimilarities. Give na = \"pairwise\" to compare the pairs that are there.")
    # sums of components are over the pairs that all of them have
    if (model$type %in% c("weighted", "interpolate")) {
      common <- sum(rowSums(is.na(own$values)) == 0 & rowSums(!is.na(table$values)) > 0)
      refuse_if(common < 3, "size", "The components of `{place}` and the data have ",
                "{count_of(common, 'pair')} of stimuli in common: at least 3 are needed. Leave ",
                "out components that lack many pairs.")
    }
    replace(model, c("table", "sized"), list(own, even_sizes(own$values)))
  }, models, places, at[-1])
}
