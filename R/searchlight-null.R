# The scores and null scores of a group of centers. Where the statistic is an inner product of two
# matrices of conditions, all centers, models and permutations are multiplied at once; otherwise
# each center is calibrated by itself.

# Returns, for the centers of a group: `scores` and `p_values`, a row a center and a column a model;
# `largest`, for each permutation and model the largest null score of the group (oriented, so that
# larger is more similar); `failed`, why centers have no score; `warnings`.
score_centers <- function(source, neighbours, job) {
  run <- new.env()
  run$failed <- character()
  run$warnings <- list()
  found <- if (is.null(job$null)) plain_centers(source, neighbours, job, run) else
    multiplied_centers(source, neighbours, job, run)
  c(found, list(failed = run$failed, warnings = run$warnings))
}

# Evaluates the code of one center. An error of this package becomes NULL and is kept as the reason
# why the center has no score; warnings are kept, and messages were given with the first center.
try_center <- function(code, name, run) {
  undefined <- function(reason) run$failed[[name]] <- sub("^The value", "It", reason)
  tryCatch(
    withCallingHandlers(
      code,
      repalign_undefined = function(w) {
        undefined(conditionMessage(w))
        invokeRestart("muffleWarning")
      },
      repalign_warning = function(w) {
        run$warnings <- c(run$warnings, list(list(name = name, warning = w)))
        invokeRestart("muffleWarning")
      },
      repalign_message = function(m) invokeRestart("muffleMessage")
    ),
    repalign_error = function(e) {
      if (inherits(e, "repalign_error_noise")) stop(e)
      undefined(conditionMessage(e))
      NULL
    }
  )
}

empty_result <- function(count, job) {
  empty <- matrix(NA_real_, count, length(job$models))
  list(scores = empty, p_values = empty,
       largest = matrix(-Inf, job$design$count, length(job$models)))
}

# One center after the other, as calibrate() does it.
plain_centers <- function(source, neighbours, job, run) {
  result <- empty_result(length(neighbours), job)
  result$used <- FALSE
  for (k in seq_along(neighbours)) {
    name <- names(neighbours)[k]
    null <- try_center(plain_center(source, neighbours[[k]], name, job), name, run)
    if (is.null(null)) next
    result$scores[k, ] <- null$observed
    for (model in seq_along(job$models)) result <- with_null(result, k, model, null$pairs[[model]],
                                                             orientation(job$measure))
  }
  result
}

plain_center <- function(source, channels, name, job) {
  repr <- center_repr(source, channels, name)
  repr$cache$choices <- job$models[[1]]$cache$choices
  set_largest_k(list(job$measure), list(repr))
  side <- function(reprs) list(reprs = reprs, models = rep("", length(reprs)), is_models = FALSE)
  sides <- list(x = side(list(repr)), y = side(job$models), self = FALSE, same = FALSE,
                models = FALSE)
  pairs <- data.frame(i = 1, j = seq_along(job$models))
  if (job$design$count == 0) {
    scores <- drop(score_pairs(pairs, sides, list(job$measure), "stop"))
    return(list(observed = scores))
  }
  null <- measure_null(job$measure, pairs, sides, list(fixed = job$design), "auto")
  report_permuted(job$measure, null$warned, null$said)
  null
}

# Adds null_of_pair() of a center and a model to a result.
with_null <- function(result, k, model, one, sign) {
  if (is.null(one) || anyNA(one$null) || is.na(result$scores[k, model])) return(result)
  result$p_values[k, model] <- one$p_value
  result$largest[, model] <- pmax(result$largest[, model], sign * one$null)
  result
}

# All centers of a group at once.
multiplied_centers <- function(source, neighbours, job, run) {
  result <- empty_result(length(neighbours), job)
  forms <- lapply(seq_along(neighbours), function(k) {
    name <- names(neighbours)[k]
    try_center(center_form(source, neighbours[[k]], name, job), name, run)
  })
  known <- which(!vapply(forms, is.null, NA))
  if (!length(known)) return(result)
  forms <- forms[known]
  values <- model_products(lapply(forms, function(form) form$matrix), job)
  score <- null_score(job$null, job$measure, job$design)
  for (k in seq_along(known)) {
    for (model in seq_along(job$models)) {
      one <- scored_center(values(k, model), forms[[k]], model, score, job)
      result$scores[known[k], model] <- one$observed
      result <- with_null(result, known[k], model, one, orientation(job$measure))
    }
    inspect_center(forms[[k]], names(neighbours)[known[k]], result$scores[known[k], ], job, run)
  }
  result
}

# The form of a center with its operand, or NULL, with a reason, where its scores are undefined. Of
# its representation only what warnings about scores need is kept.
center_form <- function(source, channels, name, job) {
  measure <- job$measure
  repr <- center_repr(source, channels, name)
  refuse_useless(repr)
  if (isTRUE(job$null$from_gram)) repr$cache$gram_wanted <- TRUE
  form <- operands(job$null, measure, list(repr), 1, "x")$forms[[1]]
  if (is_undefined(form)) {
    measure$declaration$undefined(repr, measure$args)
    return(NULL)
  }
  if (!is.null(measure$declaration$inspect)) form$repr <- repr
  form
}

scored_center <- function(values, x, model, score, job) {
  y <- job$operands[[model]]
  d <- job$measure$declaration
  scores <- within_range(score(values, x, y), d, job$measure$args)
  c(list(observed = scores[1]),
    null_of_pair(values, scores, equal_share * x$norm * y$norm, scores[1]))
}

# Warnings that the measure gives about finished scores.
inspect_center <- function(form, name, scores, job, run) {
  inspect <- job$measure$declaration$inspect
  if (is.null(inspect)) return(invisible())
  for (model in which(!is.na(scores))) {
    pair <- as_pair(form$repr, job$models[[model]], by_name = FALSE)
    try_center(inspect(scores[model], pair, form, job$operands[[model]], job$measure$args), name,
               run)
  }
}

# A function(k, model) that gives the inner products of a center's matrix with that of a model under
# all permutations, the identity first.
model_products <- function(matrices, job) {
  if (is.null(job$design$coset)) return(products_of_permutations(matrices, job))
  n <- job$n
  models <- length(job$models)
  coset <- job$design$coset
  layers <- coset_layers(job)
  at_once <- max(1, floor(most_bytes / (8 * n^2 * models)))
  groups <- split(seq_len(ncol(coset$orders_y)), (seq_len(ncol(coset$orders_y)) - 1) %/% at_once)
  parts <- lapply(groups, function(cosets) {
    sums <- .Call(C_coset_inner, matrices, layers(cosets), coset$order_x, matrix(seq_len(n), n),
                  diagonals_at_once, thread_count())
    array(sums, c(n, length(matrices), models, length(cosets)))
  })
  function(k, model) unlist(lapply(parts, function(part) part[, k, model, ]), use.names = FALSE)
}

# The matrices of all models in the orders of some cosets: a coset in the place of a layer lets one
# set of transforms of the centers serve all cosets.
coset_layers <- function(job) {
  function(cosets) {
    unlist(lapply(cosets, function(m) {
      order <- job$design$coset$orders_y[, m]
      lapply(job$operands, function(form) form$matrix[order, order])
    }), recursive = FALSE)
  }
}

# Memory of the permuted models that are kept at once.
most_bytes <- 2^28

# For permutations that are no cosets: one matrix product with the permuted models, of which the
# entries below and on the diagonal are kept, those below it twice.
products_of_permutations <- function(matrices, job) {
  n <- job$n
  lower <- which(lower.tri(diag(n), diag = TRUE))
  centers <- vapply(matrices, function(a) a[lower], double(length(lower)))
  permutations <- cbind(seq_len(n), job$design$matrix)
  at_once <- max(1, floor(most_bytes / (8 * length(lower))))
  models <- lapply(job$operands, function(form) {
    starts <- seq(1, ncol(permutations), by = at_once)
    do.call(cbind, lapply(starts, function(from) {
      some <- permutations[, from:min(from + at_once - 1, ncol(permutations)), drop = FALSE]
      crossprod(centers, permuted_entries(form$matrix, some, lower))
    }))
  })
  function(k, model) models[[model]][k, ]
}

permuted_entries <- function(matrix, permutations, lower) {
  n <- nrow(matrix)
  row <- (lower - 1) %% n + 1
  column <- (lower - 1) %/% n + 1
  weight <- ifelse(row == column, 1, 2)
  vapply(seq_len(ncol(permutations)), function(k) {
    p <- permutations[, k]
    weight * matrix[p[row] + (p[column] - 1) * n]
  }, double(length(lower)))
}
