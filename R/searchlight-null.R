# The scores and null scores of the centres of a searchlight, group by group. Where the statistic is
# an inner product of two matrices of conditions, all centres, models and permutations are
# multiplied at once; otherwise each centre is calibrated by itself.

# Returns, for the centres of a group: `scores`, `p_values`, and `means` and `sds` of the scores
# under all permutations and the observed order, a row a centre and a column a model;
# `largest`, for each permutation and model the largest null score of the group (oriented, so that
# larger is more similar); `failed`, why centres have no score; `warnings`.
score_centers <- function(source, neighbours, job) {
  run <- new.env()
  run$failed <- character()
  run$warnings <- list()
  found <- if (!is.null(job$null)) multiplied_centers(source, neighbours, job, run) else {
    # one centre after the other, as calibrate() does it
    result <- empty_result(length(neighbours), job)
    result$used <- FALSE
    for (k in seq_along(neighbours)) {
      name <- names(neighbours)[k]
      null <- try_center(plain_center(source, neighbours[[k]], name, job), name, run)
      if (is.null(null)) next
      result$scores[k, ] <- null$observed
      for (model in seq_along(job$models)) {
        result <- with_null(result, k, model, null$pairs[[model]], job$measure$sign)
      }
    }
    result
  }
  c(found, list(failed = run$failed, warnings = run$warnings, error = list(run$error)))
}

# Evaluates the code of one centre. An error of this package becomes NULL and is kept as the reason
# why the centre has no score; warnings are kept, and messages were given with the first centre.
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
      if (is.null(run$error)) run$error <- e
      undefined(conditionMessage(e))
      NULL
    }
  )
}

empty_result <- function(count, job) {
  empty <- matrix(NA_real_, count, length(job$models))
  list(scores = empty, p_values = empty, means = empty, sds = empty,
       largest = matrix(-Inf, job$design$count, length(job$models)))
}

plain_center <- function(source, channels, name, job) {
  repr <- center_repr(source, channels, name)
  repr$cache$choices <- job$models[[1]]$cache$choices
  set_largest_k(list(job$measure), list(repr))
  side <- function(reprs) list(reprs = reprs, models = rep("", length(reprs)), is_models = FALSE)
  sides <- list(x = side(list(repr)), y = side(job$models), self = FALSE, same = FALSE,
                models = FALSE)
  pairs <- data.frame(i = 1, j = seq_along(job$models))
  # riemann() has the model first and the data second, which are not the same for it
  if (!is_own(job$measure) && job$measure$id == "riemann") {
    sides[c("x", "y")] <- sides[c("y", "x")]
    names(pairs) <- c("j", "i")
  }
  if (job$design$count == 0) {
    return(list(observed = drop(score_pairs(pairs, sides, list(job$measure), "stop"))))
  }
  null <- measure_null(job$measure, pairs, sides, fixed_plan(job$design), "auto")
  report_permuted(job$measure, null$warned, null$said)
  null
}

# Adds null_of_pair() of a centre and a model to a result.
with_null <- function(result, k, model, one, sign) {
  if (is.null(one) || anyNA(one$null) || is.na(result$scores[k, model])) return(result)
  result$p_values[k, model] <- one$p_value
  # the observed score, less which they are, is the last of all
  beyond <- c(one$null - result$scores[k, model], 0)
  result$means[k, model] <- result$scores[k, model] + mean(beyond)
  result$sds[k, model] <- sqrt(mean((beyond - mean(beyond))^2))
  result$largest[, model] <- pmax(result$largest[, model], sign * one$null)
  result
}

# All centres of a group at once.
multiplied_centers <- function(source, neighbours, job, run) {
  result <- empty_result(length(neighbours), job)
  forms <- center_forms(source, neighbours, job, run)
  known <- which(!vapply(forms, is.null, NA))
  if (!length(known)) return(result)
  forms <- forms[known]
  parts <- model_products(lapply(forms, function(form) form$matrix), job)
  score <- null_score(job$null, job$measure, job$design)
  found <- if (job$measure$id %in% proportional_measures) {
    proportional_scores(parts, forms, score, job)
  } else {
    # any other scores are made under all permutations
    one_by_one <- empty_result(length(forms), job)
    for (k in seq_along(forms)) {
      for (model in seq_along(job$models)) {
        x <- forms[[k]]
        y <- job$operands[[model]]
        values <- unlist(lapply(parts, function(part) part[, k, model, ]), use.names = FALSE)
        scores <- within_range(score(values, x, y), job$measure$range)
        one_by_one$scores[k, model] <- scores[1]
        if (job$design$count == 0) next
        one <- null_of_pair(values, scores, equal_share * x$norm * y$norm, scores[1])
        one_by_one <- with_null(one_by_one, k, model, one, job$measure$sign)
      }
    }
    one_by_one
  }
  for (part in c("scores", "p_values", "means", "sds")) result[[part]][known, ] <- found[[part]]
  result$largest <- found$largest
  d <- job$measure$declaration
  for (k in if (inspects_scores(job$measure)) seq_along(known)) {
    for (model in which(!is.na(found$scores[k, ]))) {
      pair <- pair_of(forms[[k]]$repr, job$models[[model]])
      try_center(d$inspect(found$scores[k, model], pair, forms[[k]], job$operands[[model]],
                           job$measure$args), names(neighbours)[known[k]], run)
    }
  }
  result
}

# What is prepared of a centre is too small for several threads, which only wait for each other.
center_forms <- function(source, neighbours, job, run) {
  hold_threads(1L)
  args <- job$measure$args
  quick <- identical(job$measure$id, "rsa") && args$form == "dissimilarities" &&
    is.null(args$clusters) && !source$is_rdm && is.null(source$noise) &&
    length(source$patterns$runs) == 1
  lapply(seq_along(neighbours), function(k) {
    form <- if (quick) quick_center(source$patterns$means[, neighbours[[k]], drop = FALSE], job)
    if (!is.null(form)) return(form)
    name <- names(neighbours)[k]
    try_center({
      repr <- center_repr(source, neighbours[[k]], name)
      # a centre without variance is an error here
      if (repr$kind == "data") form_centering(repr)
      if (isTRUE(job$null$from_gram)) repr$cache$route <- "sample"
      form <- operands(job$null, job$measure, list(repr), 1, "x")$forms[[1]]
      # NULL, with a reason, where its scores are undefined
      if (is_undefined(form)) {
        job$measure$declaration$undefined(repr, args)
        form <- NULL
      } else if (inspects_scores(job$measure)) {
        # all of its representation that warnings about scores need
        form$repr <- repr
      }
      form
    }, name, run)
  })
}

# The form of a centre with usual patterns of three or more channels, in a fifth of the time; NULL
# where something is to be judged or said.
quick_center <- function(x, job) {
  args <- job$measure$args
  if (ncol(x) < 3) return(NULL)
  key <- rdm_key(list(kind = "data"), args$inner)
  d <- if (key == "euclidean") {
    stats <- .Call(C_column_stats, x)
    if (!(stats$largest > 0 && stats$largest < Inf)) return(NULL)
    .Call(C_distances, x, stats$means, power_of_two_below(stats$largest), 1L, NULL)
  } else .Call(C_unit_distances, x, key == "correlation", 1L, NULL)$d
  if (is.null(d)) return(NULL)
  range <- value_range(d)
  tolerance <- tie_tolerance(key, range[2])
  if (!differ_by_more(range, tolerance, args$outer)) return(NULL)
  ranked <- args$outer %in% ranked_outer
  form <- compared_parts(if (ranked) .Call(C_average_ranks, d, tolerance, 1L) else d,
                         !ranked && args$inner == "sqeuclidean", args$outer)
  if (form$size == 0) NULL else c(form, job$null$operand(form, list(n = nrow(x)), args, "x"))
}

# Measures whose score is the inner product of the two matrices over a number for each side, which
# no permutation changes.
proportional_measures <- c("rsa", "cka", "rv")

# Their scores are never made one by one: the inner products are counted and compared as they are.
proportional_scores <- function(parts, forms, score, job) {
  # What the inner products of each centre and model are multiplied by. All follows from the scores
  # of the first centre and of the first model, because each side has a number of its own.
  scale_of <- function(a, b) {
    half <- a$norm * b$norm / 2
    score(half, a, b) / half
  }
  of_y <- vapply(job$operands, function(b) scale_of(forms[[1]], b), 0)
  scale <- outer(vapply(forms, scale_of, 0, job$operands[[1]]), of_y / of_y[1])
  norm <- function(form) form$norm
  rounding <- equal_share * outer(vapply(forms, norm, 0), vapply(job$operands, norm, 0))
  observed <- matrix(parts[[1]][1, , , 1], length(forms))
  found <- lapply(parts, function(part) {
    .Call(C_center_null, part, dim(part)[1], observed - rounding, scale, observed)
  })
  largest <- do.call(rbind, lapply(found, function(one) one$largest))
  # the identity, which comes first, counts in each p-value, mean and deviation, but is no null
  # score
  share <- function(part) {
    shares <- Reduce(`+`, lapply(found, function(one) one[[part]])) / nrow(largest)
    replace(shares, is.na(scale) | job$design$count == 0, NA)
  }
  beyond <- share("total")
  clipped <- function(values) within_range(values, job$measure$range)
  list(scores = clipped(observed * scale), p_values = share("count"),
       means = observed * scale + beyond, sds = sqrt(pmax(share("squares") - beyond^2, 0)),
       largest = clipped(largest[-1, , drop = FALSE]))
}

# Does the measure look at finished scores, to warn about them? CKA does at corrected ones only.
inspects_scores <- function(measure) {
  quiet <- measure$id == "cka" && !measure$args$corrects$neurons
  !is.null(measure$declaration$inspect) && !quiet
}

# ---- inner products of centres and models, under all permutations of the models

# A list of arrays, which have a part of the permutations each: shifts x centres x models x cosets.
# The first of all is the identity. Permutations that are no cosets have one shift each.
model_products <- function(matrices, job) {
  coset <- job$design$coset
  if (is.null(coset)) return(products_of_permutations(matrices, job))
  n <- job$n
  models <- length(job$operands)
  lapply(split_by_size(ncol(coset$orders_y), 8 * as.double(n)^2 * models), function(cosets) {
    # The matrices of all models in the orders of these cosets: with a layer for each model and
    # coset, one set of Fourier transforms of the centres serves all cosets.
    layers <- lapply(cosets, function(m) {
      order <- coset$orders_y[, m]
      lapply(job$operands, function(form) form$matrix[order, order])
    })
    sums <- .Call(C_coset_inner, matrices, unlist(layers, recursive = FALSE), coset$order_x,
                  matrix(seq_len(n), n), diagonals_at_once, thread_count())
    dim(sums) <- c(n, length(matrices), models, length(cosets))
    sums
  })
}

# Groups of 1, ..., count, each of which takes up to 256 MB of memory. bytes: of one.
split_by_size <- function(count, bytes) {
  at_once <- max(1, floor(2^28 / bytes))
  unname(split(seq_len(count), (seq_len(count) - 1) %/% at_once))
}

# A matrix product of the centres, of which the entries on and below the diagonal are kept, with the
# permuted models, where those below it count twice.
products_of_permutations <- function(matrices, job) {
  models <- length(job$operands)
  n <- job$n
  lower <- which(lower.tri(diag(n), diag = TRUE))
  centers <- vapply(matrices, function(a) a[lower], double(length(lower)))
  row <- (lower - 1) %% n + 1
  column <- (lower - 1) %/% n + 1
  weight <- ifelse(row == column, 1, 2)
  permutations <- with_observed(job$design)
  groups <- split_by_size(ncol(permutations), 8 * length(lower) * models)
  lapply(groups, function(some) {
    # A column for each model (the fastest) and permutation. Where these are all, they are made once
    # for all groups of centres.
    permuted <- if (length(groups) == 1) job$kept$models
    if (is.null(permuted)) {
      permuted <- do.call(cbind, lapply(some, function(k) {
        p <- permutations[, k]
        at <- p[row] + (p[column] - 1) * n
        vapply(job$operands, function(form) weight * form$matrix[at], double(length(lower)))
      }))
      if (length(groups) == 1) job$kept$models <- permuted
    }
    sums <- crossprod(centers, permuted)
    dim(sums) <- c(1, length(matrices), models, length(some))
    sums
  })
}

# ---- groups of centres, here or on the workers of the user's future plan

# Returns what score_centers() gives for all centres.
run_centers <- function(neighbours, source, job, threads) {
  if (is.null(names(neighbours))) names(neighbours) <- seq_along(neighbours)
  # A group takes about 128 MB, and is an eighth of the centres at most, so that there is progress
  # to see and work for several workers. It does not depend on their number.
  sizes <- lengths(neighbours)
  n <- as.double(job$n)
  each <- 8 * (6 * n^2 + n * max(sizes) + 4 * (job$design$count + 1) * length(job$models))
  count <- length(sizes)
  at_once <- max(1, min(floor(2^27 / each), ceiling(count / 8), 250))
  groups <- unname(split(seq_len(count), (seq_len(count) - 1) %/% at_once))
  advance <- progress_along(length(groups))
  parts <- if (worker_count() > 0) {
    # a group holds only what it needs, which is sent whatever its size
    old <- options(future.globals.maxSize = Inf)
    on.exit(options(old))
    settings <- list(repalign.threads = if (is.null(threads)) 1L else thread_count(threads),
                     repalign.max_memory = getOption("repalign.max_memory"))
    job$models <- lapply(job$models, without_forms)
    own <- if (is_own(job$measure)) job$measure$declaration$fun
    needs <- needs_of_functions(list(own, source$noise$precision))
    tasks <- lapply(groups, function(at) {
      # a worker gets only the channels of its centres, of which the neighbours are columns
      columns <- sort(unique(unlist(neighbours[at])))
      source$patterns <- cut_patterns(source$patterns, columns)
      source$noise <- cut_noise(source$noise, columns)
      source$channels <- source$channels[columns]
      list(source = source, neighbours = lapply(neighbours[at], match, columns))
    })
    future.apply::future_lapply(tasks, worker_group, job, settings, advance, future.chunk.size = 1,
                                future.globals = needs$globals,
                                future.packages = c("repalign", needs$packages))
  } else {
    started <- proc.time()[[3]]
    lapply(seq_along(groups), function(k) {
      part <- score_centers(source, neighbours[groups[[k]]], job)
      if (k == 1) {
        announce_duration(started, 1, length(groups), "The searchlight",
                          "Fewer permutations or centres take less, and workers share the centres.")
      }
      advance()
      part
    })
  }
  all_of <- function(name) lapply(parts, `[[`, name)
  bound <- function(name) do.call(rbind, all_of(name))
  list(scores = bound("scores"), p_values = bound("p_values"), means = bound("means"),
       sds = bound("sds"), largest = do.call(pmax, all_of("largest")),
       failed = unlist(all_of("failed")), warnings = unlist(all_of("warnings"), recursive = FALSE),
       errors = unlist(all_of("error"), recursive = FALSE),
       used = any(vapply(parts, function(part) isTRUE(part$used), NA)))
}

worker_group <- function(task, job, settings, advance) {
  old <- options(settings)
  on.exit(options(old))
  hold_threads()
  part <- score_centers(task$source, task$neighbours, job)
  part$used <- isTRUE(job$models[[1]]$cache$choices$used)
  advance()
  part
}

# One warning for all centres without a score, and one for all p-values that lack beside a score.
report_centers <- function(found, neighbours, count) {
  failed <- found$failed
  if (all(is.na(found$scores))) {
    # the classes of the first error, or of data without variance where there was none
    first <- Filter(Negate(is.null), found$errors)
    classes <- if (length(first)) class(first[[1]]) else "repalign_error_variance"
    refuse(setdiff(classes, c("repalign_error", "error", "condition")), "No centre has a score. ",
           "First, centre {quoted(names(failed)[1])}: {failed[[1]]}", arg = "data")
  }
  warn_if(length(failed), "undefined", "{count_of(length(failed), 'centre')} of ",
          "{length(neighbours)} {if (length(failed) == 1) 'is' else 'are'} undefined (NA). First, ",
          "centre {quoted(names(failed)[1])}: {failed[[1]]}", data = names(failed))
  lost <- count > 0 & !is.na(found$scores) & is.na(found$p_values)
  warn_if(any(lost), "undefined", "{sum(lost)} of {length(lost)} scores have no p-value (NA), ",
          "because scores of permuted data are undefined.", data = sum(lost))
  # one warning for each kind that single centres gave
  kinds <- vapply(found$warnings, function(w) class(w$warning)[1], "")
  for (same in split(found$warnings, factor(kinds, unique(kinds)))) {
    first <- same[[1]]
    centers <- unique(vapply(same, function(w) w$name, ""))
    warn(setdiff(class(first$warning), c("repalign_warning", "warning", "condition")),
         "Centre {quoted(first$name)}: {conditionMessage(first$warning)}",
         if (length(centers) > 1) {
           paste0(" (And ", count_of(length(centers) - 1, "more centre"), ".)")
         },
         data = centers)
  }
}
