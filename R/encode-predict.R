# Predictions of encode() for the stimuli that were left out and for new ones, and its weights.

#' @include encode-result.R
NULL

#' @rdname encode
#' @param newdata `NULL`: predictions of the stimuli that were left out; or new stimuli: a matrix
#'   with the columns of `from`, or [feature_spaces()].
#' @param space one feature space of a joint model: what it adds to predictions.
#' @export
predict.repalign_encoding <- function(object, newdata = NULL, space = NULL, ...) {
  no_other_arguments(...)
  cells <- cells_of(object, "object")
  calls <- attr(object, "cells")$calls
  predicted <- lapply(cells, function(cell) {
    call <- calls[[cell$call]]
    spaces <- call$x[[cell$layer]]$spaces
    refuse_if(!is.null(space) && is.null(spaces), "choice", "`space` is for models of ",
              "feature_spaces(), but `object` has one of a single representation.")
    at <- if (!is.null(space)) match(check_choice(space, spaces, "space"), spaces)
    if (!is.null(newdata)) return(new_predictions(cell, call, newdata, at, length(cells) > 1))
    if (!is.null(at)) cell$predictions <- space_parts_of(cell, call)$values[[at]]
    mean_predictions(cell)
  })
  of_pairs(predicted, object)
}

# One element for each row; that of a single row alone.
of_pairs <- function(values, object) {
  if (length(values) == 1) return(values[[1]])
  stats::setNames(values, row_names_of(as.data.frame(object)[c("x", "y")], " | "))
}

#' @rdname encode
#' @importFrom stats coef
#' @export
coef.repalign_encoding <- function(object, ...) {
  no_other_arguments(...)
  calls <- attr(object, "cells")$calls
  of_pairs(lapply(cells_of(object, "object"), function(cell) {
    call <- calls[[cell$call]]
    model <- call$x[[cell$layer]]
    found <- whole_fit(cell, call)
    structure(c(list(intercept = found$intercept),
                stats::setNames(found$weights, if (is.null(model$spaces)) "weights" else
                  model$spaces)), lambda = found$lambda)
  }), object)
}

# The model of a pair fitted to all stimuli, as to a training set: list(intercept, weights (a matrix
# columns x neurons for each space), means (of the columns), lambda (spaces x neurons)).
whole_fit <- function(cell, call) {
  settings <- call$settings
  given <- call$x[[cell$layer]]
  model <- encoding_model(given$data, settings, given$arg)
  y <- call$y[[cell$target]]
  my <- colMeans(y)
  y <- y - rep(my, each = nrow(y))
  unit <- unit_of(y)
  y <- y / unit
  all <- seq_len(nrow(y))
  of <- rep(1L, ncol(y))
  chosen <- predict_rows(model, y, of, all, integer(), settings, call$codes)[[1]]$chosen
  neurons <- call$neurons[[cell$target]]
  weights <- Map(function(space, dual, columns) {
    z <- space$z
    if (settings$standardize) z <- z / rep(column_sds(z)^2, each = nrow(z))
    found <- crossprod(z, dual) * (unit / space$unit)
    if (!is.null(columns) || !is.null(neurons)) dimnames(found) <- list(columns, neurons)
    found
  }, model$spaces, dual_weights(model, y, of, all, settings, chosen), given$columns)
  means <- lapply(given$data, colMeans)
  intercept <- my - Reduce(`+`, Map(function(m, w) drop(m %*% w), means, weights))
  names(intercept) <- neurons
  ridge <- settings$method == "ridge"
  lambda <- if (ridge) t(model$given[chosen, , drop = FALSE]) else
    matrix(NA_real_, length(means), ncol(y))
  rownames(lambda) <- given$spaces
  if (!settings$per_neuron) lambda <- lambda[, 1]
  list(intercept = intercept, weights = weights, means = means, lambda = lambda)
}

# at: the number of a space, or NULL for the whole model; several: are there other models?
new_predictions <- function(cell, call, newdata, at, several) {
  choose <- if (several) " Choose rows of models that take the same data, as object[2, ]."
  given <- call$x[[cell$layer]]
  spaces <- given$spaces
  single <- is.null(spaces) || !is.null(at) && !is_spaces(newdata)
  refuse_if(!single && !is_spaces(newdata), "type", "`newdata` must be feature_spaces() with the ",
            "spaces {enumerate(spaces)}, not {describe(newdata)}.", choose)
  refuse_if(is.null(spaces) && is_spaces(newdata), "type", "`newdata` are feature_spaces(), but ",
            "`object` has a model of a single representation: give a matrix.", choose)
  used <- if (is.null(at)) seq_along(given$data) else at
  if (is_spaces(newdata)) {
    lost <- setdiff(spaces[used], names(newdata))
    refuse_if(length(lost), "missing", "`newdata` has no space {quoted(lost[1])}: the ",
              "model has {enumerate(spaces)}.")
    newdata <- aligned_spaces(unclass(newdata)[spaces[used]])
  } else newdata <- list(newdata)
  fit <- whole_fit(cell, call)
  parts <- Map(function(new, k) {
    x <- new_columns(new, if (length(newdata) > 1 || !is.null(names(newdata)))
      paste0("newdata$", spaces[k]) else "newdata", given$columns[[k]], ncol(given$data[[k]]))
    if (!is.null(at)) x <- x - rep(fit$means[[k]], each = nrow(x))
    x %*% fit$weights[[k]]
  }, newdata, used)
  total <- Reduce(`+`, parts)
  if (is.null(at)) total <- total + rep(fit$intercept, each = nrow(total))
  total
}

# Spaces of new stimuli in the order of the first one, by name where both have names.
aligned_spaces <- function(spaces) {
  names <- lapply(spaces, stimulus_names)
  for (k in seq_along(spaces)[-1]) {
    if (is.null(names[[1]]) || is.null(names[[k]]) || identical(names[[1]], names[[k]])) next
    at <- match(names[[1]], names[[k]])
    refuse_if(anyNA(at) || anyDuplicated(names[[k]]), "names", "`newdata${names(spaces)[k]}` and ",
              "`newdata${names(spaces)[1]}` have different stimuli, by their names: spaces are ",
              "about the same ones.", arg = "newdata")
    spaces[[k]] <- spaces[[k]][at, , drop = FALSE]
  }
  spaces
}

# New stimuli with the columns of the model, by name where both have names.
new_columns <- function(new, arg, columns, count) {
  x <- as_numeric_matrix(new, arg)
  if (!is.null(columns) && !is.null(colnames(x))) {
    lost <- setdiff(columns, colnames(x))
    refuse_if(length(lost), "names", "`{arg}` has no column {quoted(lost[1])}, which the ",
              "model has.")
    if (!anyDuplicated(columns)) x <- x[, columns, drop = FALSE]
  }
  refuse_if(ncol(x) != count, "size", "`{arg}` has {count_of(ncol(x), 'column')}, but the model ",
            "has {count}.")
  without_mark(x)
}

# ---- spaces

# What each space of a joint model adds to the predictions of its folds, and the shares of R
# squared: list(values (for each space and fold), split).
space_parts_of <- function(cell, call) {
  settings <- call$settings
  given <- call$x[[cell$layer]]
  model <- encoding_model(given$data, settings, given$arg)
  y <- call$y[[cell$target]]
  y <- y - rep(colMeans(y), each = nrow(y))
  unit <- unit_of(y)
  y <- y / unit
  folds <- list(test = cell$test)
  values <- space_predictions(model, y, rep(1L, ncol(y)), folds, settings, cell$chosen)
  known <- which(!is.na(cell$by_neuron$score))
  pooled <- settings$score_by == "r2" && settings$summary == "weighted" &&
    settings$average == "pooled"
  split <- if (pooled) split_of(y, folds, values, known) else
    matrix(NA_real_, length(values), ncol(y))
  named <- lapply(values, lapply, function(part) {
    colnames(part) <- colnames(cell$predictions[[1]])
    part * unit
  })
  list(values = named, split = split)
}

# Shares of the spaces in R squared: the whole in the first column, then those of each neuron.
split_of <- function(y, folds, values, known) {
  about <- 0
  products <- lapply(values, function(part) 0)
  for (k in seq_along(folds$test)) {
    test <- folds$test[[k]]
    m <- colMeans(y[train_of(folds, k, nrow(y)), , drop = FALSE])
    deviation <- y[test, , drop = FALSE] - rep(m, each = length(test))
    each <- lapply(values, `[[`, k)
    total <- Reduce(`+`, each)
    about <- about + colSums(deviation^2)
    products <- Map(function(product, part) product + colSums((2 * deviation - total) * part),
                    products, each)
  }
  t(vapply(products, function(product) {
    c(sum(product[known]) / sum(about[known]), replace(product / about, -known, NA))
  }, numeric(ncol(y) + 1)))
}

# The table of the spaces of a joint model.
space_table <- function(cell, call) {
  spaces <- call$x[[cell$layer]]$spaces
  if (is.null(spaces)) {
    return(list2DF(list(space = character(), split = numeric(), lambda = numeric(),
                        dropped = integer())))
  }
  model <- encoding_model(call$x[[cell$layer]]$data, call$settings, call$x[[cell$layer]]$arg)
  known <- if (call$settings$per_neuron) !is.na(cell$by_neuron$score) else 1
  chosen <- as.vector(cell$chosen[, known])
  lambda <- apply(model$given[chosen, , drop = FALSE], 2, function(values) {
    values <- values[is.finite(values)]
    if (length(values) && call$settings$method == "ridge") exp(mean(log(values))) else NA_real_
  })
  list2DF(list(space = spaces, split = space_parts_of(cell, call)$split[, 1], lambda = lambda,
               dropped = as.integer(colSums(model$given[chosen, , drop = FALSE] == Inf))))
}
