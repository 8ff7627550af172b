# The permutation null of encode(): stimuli of `to` change places, and the folds stay.

# For one penalty, out-of-fold predictions are S y with an n x n smoother S that does not depend on
# y. So the weighted R squared is 1 - <G, L> / <G0, L>, where G = (I - S)'(I - S), G0 is the same of
# the training means alone, and L = y y', whose rows and columns a permutation of the stimuli moves:
# inner products of two matrices, which the permutation engine makes for many permutations at once.
# Among several penalties the statistic is the largest R squared, of the observed order, too.

# The permutations of a call, or NULL.
encoding_design <- function(call, settings, permutations) {
  if (is_no_permutation(permutations)) return(NULL)
  if (is.numeric(permutations) && length(permutations) == 1) {
    check_count(permutations, "permutations", least = 0)
  }
  given <- cut_permutations(permutations, call$rows)
  plan <- permutation_plan(call$n, given, NULL, FALSE, "auto", call$clusters)
  engine <- if (has_pair_forms(settings)) "coset" else "random"
  design <- plan$design_of(engine)
  note_unattainable(design$count, most = design$most, p = "p_value")
  design
}

has_pair_forms <- function(settings) {
  settings$summary == "weighted" && settings$average == "pooled" && settings$method != "pls"
}

# Statistics of one layer with all targets, larger for what predicts better: permutations, the
# observed order first, x targets.
encoding_null <- function(layer, targets, folds, penalties, settings, codes, design) {
  if (has_pair_forms(settings)) {
    found <- pair_form_null(layer, targets, folds, penalties, settings, design)
    return(matrix(found, ncol = max(targets$of)))
  }
  # each permutation is predicted anew, where there are smoothers by these
  makers <- if (settings$method != "pls") lapply(penalties$own, function(lambda) {
    residual_makers(layer, folds, lambda, settings, nrow(targets$y))
  })
  predict <- function(y) {
    if (is.null(makers)) {
      return(list(predict_layer(layer, y, targets$of, folds, penalties$own, settings, codes,
                                function() NULL)$values))
    }
    lapply(makers, function(of_penalty) {
      Map(function(maker, test) y[test, , drop = FALSE] - maker %*% y, of_penalty, folds$test)
    })
  }
  count <- max(targets$of)
  orders <- with_observed(design)
  in_chunks(ncol(orders), 10, function(columns) {
    t(matrix(vapply(columns, function(p) {
      y <- targets$y[orders[, p], , drop = FALSE]
      each <- vapply(predict(y), function(values) {
        sums <- fold_sums(y, folds, values)
        scores <- neuron_scores(sums, folds, settings)
        scores[targets$constant] <- NA
        vapply(seq_len(count), function(j) {
          at <- which(targets$of == j)
          target_score(scores[at], sums_of(sums, at), settings)
        }, 0)
      }, numeric(count))
      apply(matrix(each, count), 1, function(values) {
        if (all(is.na(values))) NA_real_ else max(values, na.rm = TRUE)
      })
    }, numeric(count)), count))
  }, "The null of encode()")
}

pair_form_null <- function(layer, targets, folds, penalties, settings, design) {
  n <- nrow(targets$y)
  products <- lapply(seq_len(max(targets$of)), function(j) {
    tcrossprod(targets$y[, targets$of == j & !targets$constant, drop = FALSE])
  })
  inner <- function(forms) inner_products(forms, products, design, "The null of encode()")
  about <- inner(list(pair_form(lapply(folds$test, mean_residuals, n))))
  best <- NULL
  for (lambda in penalties$own) {
    form <- pair_form(residual_makers(layer, folds, lambda, settings, n))
    values <- 1 - inner(list(form)) / about
    best <- if (is.null(best)) values else pmax(best, values)
  }
  best
}

# The sum over folds of R'R, which is symmetric to the last bit.
pair_form <- function(makers) Reduce(`+`, lapply(makers, crossprod))

# What makes residuals of a fold about the training mean: test rows x all rows.
mean_residuals <- function(test, n) {
  maker <- matrix(-1 / (n - length(test)), length(test), n)
  maker[, test] <- diag(length(test))
  maker
}

# What makes the residuals of each fold, for one penalty.
residual_makers <- function(layer, folds, lambda, settings, n) {
  if (settings$standardize || !is.null(settings$components)) {
    return(lapply(seq_along(folds$test), function(k) {
      train <- train_of(folds, k, n)
      basis <- fold_basis(layer$x, train, folds$test[[k]], settings$standardize)
      weights <- if (is.null(settings$components)) shrunk(basis$s, lambda) else
        ifelse(seq_along(basis$s) <= settings$components, 1 / basis$s, 0)
      fitted_residuals(basis, weights, train, folds$test[[k]], n)
    }))
  }
  parts <- left_out_parts(fold_basis(layer$x, seq_len(n), integer()), matrix(0, n, 0))
  weights <- left_out_weights(parts, lambda)
  lapply(folds$test, function(test) {
    rows <- block_of_m(parts, weights, test, seq_len(n))
    solved <- solve_surely(rows[, test, drop = FALSE], rows)
    if (!is.null(solved)) return(solved)
    basis <- basis_without(parts$basis, test)
    fitted_residuals(basis, shrunk(basis$s, lambda), basis$train, test, n)
  })
}

fitted_residuals <- function(basis, weights, train, test, n) {
  maker <- mean_residuals(test, n)
  maker[, train] <- maker[, train] -
    basis$b %*% (weights * t(basis$u))
  maker
}
