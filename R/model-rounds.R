# The rounds of evaluate_models(): scores and ceilings of all draws at once, and the variances over
# them.

# ---- evaluation grams

# Rounds of evaluate_models() by comparisons that are linear: all scores and ceilings are made of
# the inner products of the RDMs, weighted as in each round.

# Products of all RDMs in the metric of the comparison, weighted, for each column of w: an array.
# Parts that have the same draws of stimuli share those of the last call, in task$grams.
weighted_grams <- function(task, outer, w, threads) {
  last <- task$grams
  if (!is.null(last) && identical(last$w, w) && identical(last$outer, outer)) return(last$found)
  found <- made_grams(task, outer, w, threads)
  if (!is.null(last) && ncol(w) > 1) {
    last$w <- w
    last$outer <- outer
    last$found <- found
  }
  found
}

made_grams <- function(task, outer, w, threads) {
  all <- cbind(task$values, do.call(cbind, task$components))
  centred <- is_centred(outer)
  # the mean of an RDM has no part in centred comparisons, but in their rounding
  if (centred) all <- cbind(less_means(all), 1)
  precision <- if (whitens(outer)) {
    if (is.null(task$sigma)) rep(1, task$n) else 1 / task$sigma
  }
  count <- ncol(all)
  storage.mode(w) <- "double"
  grams <- .Call(C_draw_grams, t(all), task$first, task$second, w, precision, threads)
  own <- seq(1, count^2, by = count + 1)
  size <- grams[own, , drop = FALSE]
  if (centred) {
    last <- (count - 1) * count + seq_len(count)
    with <- grams[last, , drop = FALSE]
    grams <- grams - with[rep(seq_len(count), count), , drop = FALSE] *
      with[rep(seq_len(count), each = count), , drop = FALSE] /
      rep(with[count, ], each = count^2)
    kept <- as.vector(matrix(seq_len(count^2), count)[-count, -count])
    left <- own[-count]
    grams[left, ][grams[left, ] <= 1e-13 * size[-count, ]] <- 0
    grams <- grams[kept, , drop = FALSE]
    count <- count - 1
  }
  array(grams, c(count, count, ncol(w)))
}

gram_rounds <- function(task, rounds, threads) {
  flexible <- any(vapply(task$models, is_flexible, NA))
  test <- weighted_grams(task, task$outer, rounds$w_test, threads)
  train <- if (flexible) train_grams(task, task$outer, rounds, test, threads)
  count <- ncol(rounds$m_test)
  data <- seq_len(ncol(task$values))
  table <- do.call(rbind, lapply(seq_along(task$models), function(k) {
    if (!is_flexible(task$models[[k]])) {
      return(every_round(cosines_of(test, data, task$at[[k]]), count))
    }
    rows <- vapply(seq_len(count), function(t) {
      weights <- gram_weights(task, k, round_of(train, t), rounds$m_train[, t])
      cosines_with_weights(round_of(test, t), data, task$at[[k]], weights)
    }, numeric(length(data)))
    matrix(rows, ncol = count)
  }))
  c(list(table = table), gram_ceilings(test, task$group, rounds))
}

train_grams <- function(task, outer, rounds, test, threads) {
  same <- !is.null(test) && identical(rounds$w_train, rounds$w_test)
  if (same) test else weighted_grams(task, outer, rounds$w_train, threads)
}

# The products of a round; those of a single draw of stimuli hold for all.
round_of <- function(grams, t) matrix(grams[, , min(t, dim(grams)[3])], dim(grams)[1])

size_in <- function(grams, at) {
  matrix(grams[cbind(at, at, rep(seq_len(dim(grams)[3]), each = length(at)))], length(at))
}

# Cosines of the data with the RDM in one place: N x draws.
cosines_of <- function(grams, data, at) {
  products <- matrix(grams[data, at, ], length(data))
  length_in <- function(at) sqrt(pmax(size_in(grams, at), 0))
  # the product of both sizes may be too large or too small for a double
  cosines <- products / (length_in(data) * rep(length_in(at), each = length(data)))
  cosines[!is.finite(cosines)] <- NA
  clip_to_range(cosines, -1, 1)
}

cosines_with_weights <- function(gram, data, at, weights) {
  products <- as.vector(gram[data, at, drop = FALSE] %*% weights)
  own <- sum(weights * (gram[at, at, drop = FALSE] %*% weights))
  as.vector(cosines_from(products, diag(gram)[data], own))
}

# The weights of model k, fitted to the pool of RDMs with weights m.
gram_weights <- function(task, k, gram, m) {
  size <- sqrt(pmax(diag(gram)[seq_along(m)], 0))
  if (any(size[m > 0] == 0)) return(rep(NA_real_, length(task$at[[k]])))
  used <- which(m > 0)
  at <- task$at[[k]]
  with <- as.vector(gram[at, used, drop = FALSE] %*% (m[used] / size[used]))
  weights <- fitted_weights(task$models[[k]], gram[at, at, drop = FALSE], with)
  scaled_weights(task$models[[k]], as.vector(weights))
}

# With the pool of unit RDMs, the cosine of RDM j is sum_i m_i c_ij / sqrt(sum_ik m_i m_k c_ik).
gram_ceilings <- function(grams, group, rounds) {
  size <- length(group)
  cosines <- lapply(seq_len(size), function(j) {
    every_round(cosines_of(grams, seq_len(size), j), ncol(rounds$m_test))
  })
  sums <- function(m) {
    do.call(rbind, lapply(cosines, function(c) colSums(replace(c, m == 0, 0) * m)))
  }
  high <- rounds$m_high
  sums_high <- sums(high)
  upper <- sums_high / rep(sqrt(colSums(high * sums_high)), each = size)
  low <- rounds$m_low
  sums_low <- if (identical(low, high)) sums_high else sums(low)
  whole <- colSums(low * sums_low)
  lower <- matrix(NA_real_, size, ncol(low))
  for (j in seq_len(size)) {
    own <- group == group[j]
    lower[j, ] <- without_group(j, which(own), cosines, low, sums_low, whole)
  }
  list(lower = lower, upper = upper)
}

every_round <- function(values, count) {
  if (ncol(values) == count) values else values[, rep(1, count), drop = FALSE]
}

# The cosine of RDM j with the pool without its group `own`.
without_group <- function(j, own, cosines, low, sums, whole) {
  inner <- function(i) colSums(replace(cosines[[i]][own, , drop = FALSE],
                                       low[own, , drop = FALSE] == 0, 0) *
                                 low[own, , drop = FALSE])
  within <- Reduce(`+`, lapply(own, function(i) low[i, ] * inner(i)))
  left <- whole - 2 * colSums((low * sums)[own, , drop = FALSE]) + within
  result <- (sums[j, ] - inner(j)) / sqrt(pmax(left, 0))
  others <- colSums(low[-own, , drop = FALSE])
  replace(result, others == 0 | !is.finite(result), NA)
}

# ---- evaluation ranks

# Rounds of evaluate_models() by comparisons of ranks: RDMs are sorted once, and the C code counts
# each round's ranks in that order.

# Orders of columns, as the kernel of ranks takes them.
ranked_columns <- function(task, values) {
  orders <- apply(values, 2, order, method = "radix")
  tied <- vapply(seq_len(ncol(values)), function(k) {
    c(FALSE, diff(values[orders[, k], k]) == 0)
  }, logical(nrow(values)))
  list(order = matrix(orders, nrow(values)), tied = matrix(tied, nrow(values)), first = task$first,
       second = task$second, group = task$group, rho = task$outer == "rho_a")
}

bind_ranked <- function(a, b) {
  a$order <- cbind(a$order, b$order)
  a$tied <- cbind(a$tied, b$tied)
  a
}

rank_rounds <- function(task, rounds, threads) {
  count <- ncol(rounds$m_test)
  data <- ranked_columns(task, task$values)
  fixed <- !vapply(task$models, is_flexible, NA)
  own <- if (any(fixed)) ranked_columns(task, do.call(cbind, task$components[fixed]))
  columns <- if (any(fixed)) bind_ranked(data, own) else data
  check_memory(8 * as.double(threads) * nrow(columns$order) * (ncol(columns$order) + 5),
               "Ranks of all RDMs, on each thread,", "Fewer threads take less.")
  w <- every_round(rounds$w_test, count)
  storage.mode(w) <- "double"
  found <- .Call(C_draw_ranks, columns, w, rounds$m_low, rounds$m_high, rounds$m_test, threads)
  names(found) <- c("table", "lower", "upper")
  size <- ncol(task$values)
  table <- matrix(NA_real_, size * length(task$models), count)
  table[rep(fixed, each = size), ] <- found$table
  if (any(!fixed)) {
    table[rep(!fixed, each = size), ] <-
      flexible_ranks(task, which(!fixed), data, rounds, w, threads)
  }
  lapply(list(table = table, lower = found$lower, upper = found$upper), function(values) {
    replace(values, is.nan(values), NA)
  })
}

# Weights are fitted as for Pearson's correlation, components chosen by ranks.
flexible_ranks <- function(task, which, data, rounds, w, threads) {
  train <- weighted_grams(task, "pearson", rounds$w_train, threads)
  chosen <- chosen_by_ranks(task, which, data, rounds, threads)
  result <- vapply(seq_len(ncol(w)), function(t) {
    predicted <- vapply(which, function(k) {
      weights <- if (task$models[[k]]$type == "select") chosen[[as.character(k)]][, t] else
        gram_weights(task, k, round_of(train, t), rounds$m_train[, t])
      combined(task$components[[k]], replace(weights, is.na(weights), 0))
    }, numeric(nrow(task$values)))
    columns <- bind_ranked(data, ranked_columns(task, predicted))
    .Call(C_draw_ranks, columns, w[, t, drop = FALSE], NULL, NULL,
          rounds$m_test[, t, drop = FALSE], 1L)[[1]][, 1]
  }, numeric(length(which) * ncol(task$values)))
  matrix(result, ncol = ncol(w))
}

# Weights (components x rounds) of the models that choose a component, named by their number.
chosen_by_ranks <- function(task, which, data, rounds, threads) {
  which <- Filter(function(k) task$models[[k]]$type == "select", which)
  w <- every_round(rounds$w_train, ncol(rounds$m_train))
  storage.mode(w) <- "double"
  found <- lapply(which, function(k) {
    columns <- bind_ranked(data, ranked_columns(task, task$components[[k]]))
    table <- .Call(C_draw_ranks, columns, w, NULL, NULL, rounds$m_train, threads)[[1]]
    scores <- mean_table(table, rounds$m_train, ncol(task$components[[k]]))
    matrix(apply(scores, 2, selected), nrow(scores))
  })
  stats::setNames(found, which)
}

# ---- evaluation rounds

# Models are evaluated round by round here. A round is a draw of stimuli and RDMs with its weights
# (how often each of them counts), or one fold of such a draw.

# A task is list(values, n, group, models, outer, sigma): data RDMs as a matrix P x N, the number of
# stimuli, the group of each RDM (1, 2, ...), the named models, and how RDMs are compared.
#
# Rounds are list(w_train, w_test, m_train, m_test, m_low, m_high), matrices with a column for each
# round: weights of stimuli (w) and of RDMs (m) to which models are fitted and with which they are
# tested, and of the RDMs that are pooled for the lower and the upper ceiling.
#
# Returns list(scores, lower, upper, table): scores (models x rounds) are means over the tested
# RDMs, lower and upper their ceilings, and table has the similarity of each RDM (N * models x
# rounds). Values that are not defined are NA.
evaluate_rounds <- function(task, rounds, threads) {
  way <- way_of_task(task)
  rows <- if (way == "plain") plain_rounds(task, rounds) else {
    prepared <- prepared_pairs(task)
    if (way == "grams") gram_rounds(prepared, rounds, threads) else
      rank_rounds(prepared, rounds, threads)
  }
  weight <- rounds$m_test
  list(scores = mean_table(rows$table, weight, length(task$models)),
       lower = weighted_means(rows$lower, weight), upper = weighted_means(rows$upper, weight),
       table = rows$table, each_lower = rows$lower)
}

# Comparisons that are linear, or by ranks, have fast ways if all RDMs lack the same pairs.
way_of_task <- function(task) {
  components <- do.call(cbind, lapply(task$models, function(model) model$table$values))
  all <- cbind(task$values, components)
  gaps <- is.na(all)
  if (whitens(task$outer)) {
    return(if (any(gaps) || is.matrix(task$sigma)) "plain" else "grams")
  }
  lacking <- gaps[, 1]
  same <- all(gaps[, seq_len(ncol(task$values))] == lacking) && !any(gaps & !lacking)
  if (!same || task$outer %in% tau_outer) return("plain")
  if (task$outer %in% linear_outer) "grams" else "ranks"
}

# Adds to a task: the pairs that are there with their stimuli, and the components of all models.
prepared_pairs <- function(task) {
  present <- !is.na(task$values[, 1])
  places <- pair_places(which(present), task$n)
  task$first <- places$first
  task$second <- places$second
  task$values <- task$values[present, , drop = FALSE]
  task$components <- lapply(task$models, function(model) {
    model$table$values[present, , drop = FALSE]
  })
  counts <- vapply(task$components, ncol, 0L)
  ends <- ncol(task$values) + cumsum(counts)
  task$at <- Map(function(end, count) end - count + seq_len(count), ends, counts)
  task
}

# Means over RDMs; an RDM that does not count may be NA.
weighted_means <- function(values, weight) {
  used <- weight > 0
  sums <- colSums(replace(values, !used, 0) * weight)
  sums / colSums(weight)
}

mean_table <- function(table, weight, models) {
  size <- nrow(weight)
  rows <- lapply(seq_len(models), function(k) {
    weighted_means(table[(k - 1) * size + seq_len(size), , drop = FALSE], weight)
  })
  matrix(unlist(rows), models, byrow = TRUE)
}
