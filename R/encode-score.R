# From out-of-fold predictions to the scores of encode(), with their noise ceilings; their
# permutation null; and measure("encode", ...) for evaluate_models().

#' @include measure-table.R
NULL

# ---- sums

# What all scores are made of, for each fold and column of y: an array folds x columns x sums.
#
# error     squared errors of the predictions
# about_m   squared deviations from the mean of the training rows
# about_own squared deviations from the mean of the test rows
# predicted, shared  squares of the predictions, and their products with y, about the training mean
# cor       the correlation over the test rows; NA where one of both is constant
fold_sums <- function(y, folds, values) {
  n <- nrow(y)
  largest <- apply(abs(y), 2, max)
  names <- c("error", "about_m", "about_own", "predicted", "shared", "cor")
  # sums of squares; 0 where they are rounding
  size_of <- function(x, each) {
    sums <- colSums(x^2)
    replace(sums, sums <= each * (tie_share * largest)^2, 0)
  }
  sums <- vapply(seq_along(folds$test), function(k) {
    test <- folds$test[[k]]
    each <- length(test)
    m <- colMeans(y[train_of(folds, k, n), , drop = FALSE])
    own <- y[test, , drop = FALSE]
    about <- own - rep(m, each = each)
    predicted <- values[[k]] - rep(m, each = each)
    centred <- own - rep(colMeans(own), each = each)
    varying <- predicted - rep(colMeans(predicted), each = each)
    sizes <- lapply(list(centred, varying, predicted), size_of, each)
    cbind(colSums((own - values[[k]])^2), colSums(about^2), sizes[[1]], sizes[[3]],
          colSums(about * predicted),
          ratio(colSums(centred * varying), sqrt(sizes[[1]] * sizes[[2]])))
  }, matrix(0, ncol(y), length(names)))
  aperm(array(sums, c(ncol(y), length(names), length(folds$test)), list(NULL, names, NULL)),
        c(3, 1, 2))
}

# The sums of some columns.
sums_of <- function(sums, columns) sums[, columns, , drop = FALSE]

# ---- scores

# One score for each column.
neuron_scores <- function(sums, folds, settings) {
  part <- function(name) matrix(sums[, , name], dim(sums)[1])
  if (settings$score_by == "r2") {
    if (settings$average == "pooled") {
      return(ratio(colSums(part("about_m")) - colSums(part("error")), colSums(part("about_m"))))
    }
    return(means_of_known(1 - part("error") / replace(part("about_own"),
                                                      part("about_own") == 0, NA)))
  }
  if (settings$average == "folds") return(means_of_known(part("cor")))
  each <- function(name) rowsum(part(name), folds$repeat_of)
  colMeans(ratio(each("shared"), sqrt(each("about_m") * each("predicted"))))
}

ratio <- function(a, b) replace(a / b, b == 0, NA)

means_of_known <- function(values) {
  means <- colMeans(values, na.rm = TRUE)
  replace(means, is.nan(means), NA)
}

# The number of a target. scores: of its neurons; undefined ones do not count.
target_score <- function(scores, sums, settings) {
  known <- which(!is.na(scores))
  if (!length(known)) return(NA_real_)
  if (settings$summary != "weighted") return(summary_of(scores[known], settings$summary))
  part <- function(name) matrix(sums[, known, name], dim(sums)[1])
  if (settings$average == "pooled") return(1 - sum(part("error")) / sum(part("about_m")))
  mean(1 - rowSums(part("error")) / rowSums(part("about_own")))
}

summary_of <- function(values, summary) {
  if (!length(values)) return(NA_real_)
  switch(summary, median = stats::median(values), mean = mean(values), no_branch(summary))
}

# The score of each fold by itself, of the neurons that are defined.
fold_scores <- function(scores, sums, settings) {
  known <- which(!is.na(scores))
  vapply(seq_len(dim(sums)[1]), function(k) {
    of <- function(name) sums[k, known, name]
    if (!length(known)) return(NA_real_)
    about <- if (settings$average == "pooled") of("about_m") else of("about_own")
    if (settings$summary == "weighted") return(1 - sum(of("error")) / sum(about))
    each <- if (settings$score_by == "r2") 1 - of("error") / replace(about, about == 0, NA) else
      if (settings$average == "folds") of("cor") else
        ratio(of("shared"), sqrt(of("about_m") * of("predicted")))
    summary_of(each[!is.na(each)], settings$summary)
  }, 0)
}

# ---- noise

# Scores of neurons without the noise of trials: NA of those too noisy to tell.
normalised_scores <- function(scores, reliability, settings) {
  reliability[is.na(reliability) | reliability <= settings$min_reliability] <- NA
  if (settings$score_by == "r2") scores / reliability else scores / sqrt(reliability)
}

# list(ceiling, normalized) of a target: what the noise of trials leaves, and the score without it.
target_ceiling <- function(scores, reliability, sums, settings) {
  known <- which(!is.na(scores) & !is.na(reliability))
  if (!length(known)) return(list(ceiling = NA_real_, normalized = NA_real_))
  if (settings$summary == "weighted") {
    size <- colSums(matrix(sums[, known, "about_m"], dim(sums)[1]))
    ceiling <- sum(size * reliability[known]) / sum(size)
    score <- target_score(replace(scores, -known, NA), sums, settings)
    return(list(ceiling = ceiling,
                normalized = if (ceiling > settings$min_reliability) score / ceiling else NA_real_))
  }
  ceiling <- summary_of(reliability[known], settings$summary)
  if (settings$score_by == "cor") ceiling <- if (ceiling >= 0) sqrt(ceiling) else NA_real_
  each <- normalised_scores(scores, reliability, settings)
  list(ceiling = ceiling, normalized = summary_of(each[!is.na(each)], settings$summary))
}

# ---- the null: stimuli of `to` change places, and the folds stay

# For one penalty, out-of-fold predictions are S y with an n x n smoother S that does not depend on
# y. So the weighted R squared is 1 - <G, L> / <G0, L>, where G = (I - S)'(I - S), G0 is the same of
# the training means alone, and L = y y', whose rows and columns a permutation of the stimuli moves:
# inner products of two matrices, which the permutation engine makes for many permutations at once.
# Among several penalties the statistic is the largest R squared, of the observed order, too.

# The permutations of a call, or NULL.
encoding_design <- function(call, settings, permutations, adjusted = list(alpha = 0.05,
                                                                          p_adjust = "none"),
                            tests = 1) {
  if (is_no_permutation(permutations)) return(NULL)
  if (is.numeric(permutations) && length(permutations) == 1) {
    check_count(permutations, "permutations", least = 0)
  }
  given <- cut_permutations(permutations, call$rows)
  plan <- permutation_plan(call$n, given, NULL, FALSE, "auto", call$clusters, trim = TRUE)
  design <- plan$design_of(if (has_pair_forms(settings)) "coset" else "random")
  note_unattainable(rep(design$count, tests), adjusted, most = design$most,
                    p = if (adjusted$p_adjust == "none") "`p_value`" else "`p_adjusted`")
  design
}

has_pair_forms <- function(settings) {
  settings$summary == "weighted" && settings$average == "pooled" && settings$method != "pls"
}

# Statistics of one model with all targets, larger for what predicts better: permutations, the
# observed order first, x targets.
encoding_null <- function(model, targets, folds, settings, codes, design) {
  n <- nrow(targets$y)
  if (has_pair_forms(settings)) {
    return(pair_form_null(model, targets, folds, settings, design))
  }
  # each permutation is predicted anew, where there are smoothers by these
  makers <- if (settings$method != "pls") {
    check_memory(8 * length(model$penalty) * as.double(n) * sum(lengths(folds$test)),
                 "The smoothers of all penalties", "Fewer penalties or spaces need less.")
    unlist(lapply(seq_len(nrow(model$ratios)), function(d) {
      lapply(model$penalty[model$direction == d],
             residual_makers(model$layer(d), folds, settings, n))
    }), recursive = FALSE)
  }
  predict <- function(y) {
    if (is.null(makers)) {
      return(list(predict_model(model, y, targets$of, folds, settings, codes,
                                function() NULL)[[1]]$values))
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

pair_form_null <- function(model, targets, folds, settings, design) {
  n <- nrow(targets$y)
  products <- lapply(seq_len(max(targets$of)), function(j) {
    tcrossprod(targets$y[, targets$of == j & !targets$constant, drop = FALSE])
  })
  inner <- function(forms) inner_products(forms, products, design, "The null of encode()")
  about <- inner(list(pair_form(lapply(folds$test, mean_residuals, n))))
  best <- -Inf
  for (d in seq_len(nrow(model$ratios))) {
    makers_of <- residual_makers(model$layer(d), folds, settings, n)
    for (penalty in model$penalty[model$direction == d]) {
      best <- pmax(best, 1 - inner(list(pair_form(makers_of(penalty)))) / about)
    }
  }
  best <- matrix(best, ncol = length(products))
  if (is.null(design$kept)) best else best[c(1, design$kept + 1), , drop = FALSE]
}

# The sum over folds of R'R, which is symmetric to the last bit.
pair_form <- function(makers) Reduce(`+`, lapply(makers, crossprod))

# What makes residuals of a fold about the training mean: test rows x all rows.
mean_residuals <- function(test, n) {
  maker <- matrix(-1 / (n - length(test)), length(test), n)
  maker[, test] <- diag(length(test))
  maker
}

# A function of a penalty: what makes the residuals of each fold.
residual_makers <- function(layer, folds, settings, n) {
  if (settings$standardize || !is.null(settings$components)) {
    trains <- lapply(seq_along(folds$test), function(k) train_of(folds, k, n))
    bases <- Map(function(train, test) fold_basis(layer$x, train, test, layer$weights), trains,
                 folds$test)
    return(function(penalty) {
      Map(function(basis, train, test) {
        weights <- if (is.null(settings$components)) shrunk(basis$s, penalty) else
          ifelse(seq_along(basis$s) <= settings$components, 1 / basis$s, 0)
        fitted_residuals(basis, weights, train, test, n)
      }, bases, trains, folds$test)
    })
  }
  parts <- left_out_parts(fold_basis(layer$x, seq_len(n), integer()), matrix(0, n, 0))
  function(penalty) {
    weights <- left_out_weights(parts, penalty)
    lapply(folds$test, function(test) {
      rows <- block_of_m(parts, weights, test, seq_len(n))
      solved <- solve_surely(rows[, test, drop = FALSE], rows)
      if (!is.null(solved)) return(solved)
      basis <- basis_without(parts$basis, test)
      fitted_residuals(basis, shrunk(basis$s, penalty), basis$train, test, n)
    })
  }
}

fitted_residuals <- function(basis, weights, train, test, n) {
  maker <- mean_residuals(test, n)
  maker[, train] <- maker[, train] - basis$b %*% (weights * t(basis$u))
  maker
}

# ---- evaluate_models(): which model predicts a recording best?

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
           "{quoted(fixed[[name]])}: the errors of other scores are not known. encode() ",
           "gives these.", arg = name)
  }
  unknown <- setdiff(names, c(known, names(fixed)))
  refuse_if(length(unknown), "parameter", "measure(\"encode\") has ",
            if (nzchar(unknown[1])) paste0(
              "no parameter ", quoted(unknown[1])) else "no parameters without names",
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
