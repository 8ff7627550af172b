# fit_rdm_model() fits the weights of a model to data RDMs.

#' Fit the weights of a model to RDMs
#'
#' Finds the weights of the component RDMs with the largest mean similarity to the data.
#'
#' @param model what [rdm_model()] returned.
#' @param rdms data RDMs, as for [evaluate_models()].
#' @param outer how RDMs are compared, as for [rsa()].
#' @param raw if `TRUE`, weights of least squares are kept as they are. Otherwise those of weighted
#'   models are scaled to a sum of squares of 1, as no similarity depends on their scale.
#' @param sigma,missing see [evaluate_models()].
#' @param object,x what `fit_rdm_model()` returned.
#' @param ... unused.
#' @return An object of class `repalign_rdm_fit` with `coef()`, the named weights, and `predict()`,
#'   the predicted RDM, as from [rdm()]. `score` is the mean similarity with the data that it was
#'   fitted to, which is more than that with new data: [evaluate_models()] cross-validates.
#' @details
#' For cosines and Pearson correlations, plain or whitened, the best weights are those of least
#' squares on the pooled RDM ([pool_rdms()]), in the metric of the comparison (close to the best if
#' RDMs lack different pairs). For comparisons of ranks they are those of `"pearson"`, which need
#' not be the best by ranks. Weights that must not be negative are those of Lawson and Hanson. Of
#' collinear components, the smallest weights are taken, with a warning. A model of type
#' `"interpolate"` has two weights that add up to 1, one of type `"select"` has the weight 1.
#' @references Lawson and Hanson (1974), Solving Least Squares Problems.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:40, ]
#' halves <- list(a = dist(v4[, 1:20])^2, b = dist(v4[, 21:40])^2)
#' layers <- lapply(v4_layers[1:3], function(layer) dist(layer[1:40, ])^2)
#' fit <- fit_rdm_model(rdm_model(layers, "weighted", nonnegative = TRUE), halves, "cosine")
#' fit
#' coef(fit)
#' predict(fit)[1:5]
#' @seealso [evaluate_models()]
#' @export
fit_rdm_model <- function(model, rdms, outer, raw = FALSE, sigma = NULL,
                          missing = c("error", "pairwise")) {
  need_arguments()
  if (!inherits(model, "repalign_rdm_model")) {
    abort("`model` must be what rdm_model() returned, not ", describe(model), ".",
          class = "repalign_error_type", arg = "model")
  }
  outer <- check_choice(outer, rsa_outer, "outer")
  raw <- check_flag(raw, "raw")
  missing <- check_choice(missing, c("error", "pairwise"), "missing")
  table <- rdm_table(rdms, "rdms", missing == "pairwise")
  sigma <- check_sigma(sigma, table$n, table$labels)
  refuse_unused_sigma(sigma, outer)
  model <- as_rdm_model(model, "model", table, missing)
  refuse_flat(table, outer, "rdms")
  weights <- plain_weights(model, table$values, NULL, outer, sigma)
  warn_collinear(isTRUE(attr(weights, "collinear")), "`model`")
  weights <- as.vector(if (raw) weights else scaled_weights(model, weights))
  predicted <- combined(model$table$values, weights)
  if (!any(weights != 0)) {
    warn("The score of `model` is undefined (NA): all of its weights are 0, because no component ",
         "is alike to the data.", class = "repalign_undefined")
  }
  scores <- similarity_table(table$values, matrix(predicted), outer, sigma)
  structure(list(weights = stats::setNames(weights, model$table$names), model = model,
                 predicted = predicted, outer = outer, score = mean(scores)),
            class = "repalign_rdm_fit")
}

warn_collinear <- function(any, which) {
  if (!any) return(invisible())
  warn("Components of ", which, " are linear combinations of each other: many weights predict ",
       "the same RDM, of which the smallest are taken.", class = "repalign_collinear")
}

# The weights of a model for data RDMs (P x N) that count `counts` times.
plain_weights <- function(model, values, counts, outer, sigma) {
  components <- model$table$values
  if (!is_flexible(model)) return(1)
  if (is.null(counts)) counts <- rep(1, ncol(values))
  if (model$type == "select") {
    table <- similarity_table(values[, counts > 0, drop = FALSE], components, outer, sigma)
    return(selected(colSums(table * counts[counts > 0])))
  }
  if (!outer %in% linear_outer) outer <- "pearson"
  pooled <- pooled_values(values[, counts > 0, drop = FALSE], outer, counts[counts > 0], sigma)
  products <- plain_products(cbind(components, pooled), outer, sigma)
  own <- seq_len(ncol(components))
  fitted_weights(model, products[own, own, drop = FALSE], products[own, -own])
}

# Products of all columns in the metric of a linear comparison, over the pairs that all have.
plain_products <- function(values, outer, sigma) {
  there <- rowSums(is.na(values)) == 0
  # a draw of stimuli may leave none
  if (sum(there) < 3) return(matrix(NA_real_, ncol(values), ncol(values)))
  values <- values[there, , drop = FALSE]
  if (!whitens(outer)) return(crossprod(if (is_centred(outer)) less_means(values) else values))
  products <- whitened_gram(values, there, outer, sigma)
  (products + t(products)) / 2
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
print.repalign_rdm_fit <- function(x, ...) {
  no_other_arguments(...)
  cat("Model of an RDM: ", model_words(x$model), ", fitted by ", x$outer, "\n",
      "mean similarity with the data it was fitted to: ", format(x$score, digits = 4), "\n",
      sep = "")
  if (is_flexible(x$model)) print(x$weights, digits = 4)
  invisible(x)
}
