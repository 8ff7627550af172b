# The rounds of evaluate_models(): scores and ceilings of all draws at once.
#
# A round is a draw of stimuli and RDMs with its weights (how often each of them counts), or one
# fold of such a draw. Rounds are list(w_train, w_test, m_train, m_test, m_low, m_high), matrices
# with a column for each round: weights of stimuli (w) and of RDMs (m) to which models are fitted
# and with which they are tested, and of the RDMs that are pooled for the lower and the upper
# ceiling (NULL, where no ceilings are asked for). Where all rounds have the same stimuli, the
# matrices of w may have one column for all.

# task: see evaluation_task(). Returns list(scores, lower, upper, table, each_lower): scores (models
# x rounds) are means over the tested RDMs, lower and upper their ceilings, table has the similarity
# of each RDM (N * models x rounds) and each_lower its lower ceiling. Values that are not defined
# are NA.
evaluate_rounds <- function(task, rounds, threads) {
  rows <- switch(task$way, grams = gram_rounds(task, rounds, threads),
                 ranks = rank_rounds(task, rounds, threads), plain = plain_rounds(task, rounds),
                 no_branch(task$way))
  size <- ncol(task$values)
  rows$table[rep(task$constant, each = size), ] <- NA
  weight <- rounds$m_test
  scores <- mean_table(rows$table, weight)
  if (is.null(rounds$m_low)) return(list(scores = scores))
  list(scores = scores, lower = drop(mean_table(rows$lower, weight)),
       upper = drop(mean_table(rows$upper, weight)), table = rows$table, each_lower = rows$lower)
}

# Rounds of one draw each, in which models are fitted and tested with the same data.
plain_draw_rounds <- function(w, m) {
  list(w_train = w, w_test = w, m_train = m, m_test = m, m_low = m, m_high = m)
}

# Means over RDMs, of a table with a row for each RDM of each model: models x rounds. An RDM that
# does not count may be NA.
mean_table <- function(table, weight) {
  size <- nrow(weight)
  each <- weight[rep(seq_len(size), nrow(table) / size), , drop = FALSE]
  sums <- colSums(array(replace(table, each == 0, 0) * each,
                        c(size, nrow(table) / size, ncol(weight))))
  sums / rep(colSums(weight), each = nrow(sums))
}

every_round <- function(values, count) {
  if (ncol(values) == count) values else values[, rep(1, count), drop = FALSE]
}

# What the fast ways need of the RDMs, made once for all rounds: the stimuli of the pairs that are
# there, the RDMs of data and components over these pairs, and what the kernels in C read.
# ranked: what they are for the data, where that is known from another permutation of the models.
fast_parts <- function(task, ranked = NULL) {
  # pairs within clusters lack in all RDMs
  there <- !is.na(task$values[, 1])
  places <- pair_places(which(there), task$n)
  present <- function(values) if (all(there)) values else values[there, , drop = FALSE]
  fast <- list(first = places$first, second = places$second,
               clusters = if (is.null(task$codes)) seq_len(task$n) else task$codes,
               values = present(task$values), components = lapply(task$components, present))
  counts <- vapply(fast$components, ncol, 0L)
  ends <- ncol(fast$values) + cumsum(counts)
  # the places of the components of each model among the RDMs of data and all components
  fast$at <- Map(function(end, count) end - count + seq_len(count), ends, counts)
  if (task$way == "grams" || any(task$flexible)) {
    # of models by ranks, weights are fitted as for Pearson's correlation
    metric <- if (task$way == "grams") task$outer else "pearson"
    all <- cbind(fast$values, do.call(cbind, fast$components))
    fast$centred <- is_centred(metric)
    # the mean of an RDM has no part in centred comparisons, but in their rounding
    fast$rows <- t(if (fast$centred) cbind(less_means(all), 1) else all)
    fast$precision <- if (whitens(metric)) {
      if (is.null(task$stimulus_noise)) rep(1, task$n) else 1 / task$stimulus_noise
    }
  }
  if (task$way == "ranks") {
    fast$ranked <- if (is.null(ranked)) ranked_columns(fast$values, fast, task) else ranked
    fixed <- do.call(cbind, fast$components[!task$flexible])
    if (length(fixed)) fast$fixed <- ranked_columns(fixed, fast, task)
  }
  fast
}

# ---- comparisons that are linear

# All scores and ceilings are made of the inner products of the RDMs, weighted as in each round.

# Products of all RDMs in the metric of the comparison, weighted, for each column of w, and the
# lengths of the RDMs: list(products, lengths), of which the first is an array. Parts that have the
# same draws of stimuli share those of the last call, which are kept in task$last.
weighted_grams <- function(task, w, threads) {
  last <- task$last
  if (!is.null(last) && identical(last$w, w)) return(last$found)
  fast <- task$fast
  count <- nrow(fast$rows)
  storage.mode(w) <- "double"
  products <- .Call(C_draw_grams, fast$rows, fast$first, fast$second, fast$clusters, w,
                    fast$precision, threads)
  own <- seq(1, count^2, by = count + 1)
  if (fast$centred) {
    # the last row is of ones: its products are the sums of the RDMs
    size <- products[own, , drop = FALSE]
    with <- products[(count - 1) * count + seq_len(count), , drop = FALSE]
    products <- products - with[rep(seq_len(count), count), , drop = FALSE] *
      with[rep(seq_len(count), each = count), , drop = FALSE] /
      rep(with[count, ], each = count^2)
    left <- own[-count]
    products[left, ][products[left, ] <= 1e-13 * size[-count, ]] <- 0
    products <- products[as.vector(matrix(seq_len(count^2), count)[-count, -count]), , drop = FALSE]
    count <- count - 1
    own <- seq(1, count^2, by = count + 1)
  }
  found <- list(products = array(products, c(count, count, ncol(w))),
                lengths = sqrt(pmax(products[own, , drop = FALSE], 0)))
  if (!is.null(last) && ncol(w) > 1) {
    last$w <- w
    last$found <- found
  }
  found
}

gram_rounds <- function(task, rounds, threads) {
  test <- weighted_grams(task, rounds$w_test, threads)
  count <- ncol(rounds$m_test)
  size <- ncol(task$values)
  data <- seq_len(size)
  columns <- c(data, unlist(task$fast$at[!task$flexible]))
  # each RDM of the data with each of the columns, as a row, in each round
  lengths <- test$lengths
  cosines <- matrix(test$products[data, columns, ], size * length(columns)) /
    (lengths[rep(data, length(columns)), , drop = FALSE] *
       lengths[rep(columns, each = size), , drop = FALSE])
  # the product of both sizes may be too large or too small for a double
  cosines[!is.finite(cosines)] <- NA
  cosines <- every_round(clip_to_range(cosines, -1, 1), count)
  among_data <- seq_len(size^2)
  table <- matrix(NA_real_, size * length(task$models), count)
  table[rep(!task$flexible, each = size), ] <- cosines[-among_data, ]
  if (any(task$flexible)) {
    same <- identical(rounds$w_train, rounds$w_test)
    train <- if (same) test else weighted_grams(task, rounds$w_train, threads)
    for (k in which(task$flexible)) {
      at <- task$fast$at[[k]]
      table[(k - 1) * size + data, ] <- vapply(seq_len(count), function(t) {
        weights <- gram_weights(task, k, train, t, rounds$m_train[, t])
        gram <- matrix(test$products[, , min(t, dim(test$products)[3])], dim(test$products)[1])
        own <- sum(weights * (gram[at, at, drop = FALSE] %*% weights))
        as.vector(cosines_from(gram[data, at, drop = FALSE] %*% weights, diag(gram)[data], own))
      }, numeric(size))
    }
  }
  c(list(table = table), if (!is.null(rounds$m_low)) {
    gram_ceilings(cosines[among_data, , drop = FALSE], task$group, rounds)
  })
}

# The weights of model k in round t, fitted to the pool of RDMs with weights m.
gram_weights <- function(task, k, grams, t, m) {
  at <- task$fast$at[[k]]
  t <- min(t, dim(grams$products)[3])
  used <- which(m > 0)
  lengths <- grams$lengths[used, t]
  if (any(lengths == 0)) return(rep(NA_real_, length(at)))
  gram <- matrix(grams$products[at, c(at, used), t], length(at))
  own <- seq_along(at)
  with <- as.vector(gram[, -own, drop = FALSE] %*% (m[used] / lengths))
  weights <- fitted_weights(task$models[[k]], gram[, own, drop = FALSE], with)
  scaled_weights(task$models[[k]], as.vector(weights))
}

# Similarities of each RDM j with the pool of all, and with that of the other groups, for all rounds
# at once. With the pool of unit RDMs of weights m, the cosine of RDM j is
# sum_i m_i c_ij / sqrt(sum_ik m_i m_k c_ik). cosines: a row for each c_ij, i fastest.
gram_ceilings <- function(cosines, group, rounds) {
  size <- length(group)
  i <- rep(seq_len(size), size)
  weighed <- function(m) {
    each <- m[i, , drop = FALSE]
    replace(cosines, each == 0, 0) * each
  }
  over_i <- function(values) matrix(colSums(array(values, c(size, size, ncol(values)))), size)
  high <- rounds$m_high
  sums_high <- over_i(weighed(high))
  upper <- sums_high / rep(sqrt(colSums(high * sums_high)), each = size)
  low <- rounds$m_low
  terms <- weighed(low)
  sums <- if (identical(low, high)) sums_high else over_i(terms)
  # the same over the RDMs of the group of j
  terms[group[i] != rep(group, each = size), ] <- 0
  own <- over_i(terms)
  of_group <- function(values) rowsum(values, group)[group, , drop = FALSE]
  left <- rep(colSums(low * sums), each = size) - 2 * of_group(low * sums) + of_group(low * own)
  lower <- (sums - own) / sqrt(pmax(left, 0))
  others <- rep(colSums(low), each = size) - of_group(low)
  lower[others == 0 | !is.finite(lower)] <- NA
  list(lower = lower, upper = upper)
}

# ---- comparisons of ranks

# RDMs are sorted once, and the C code counts each round's ranks, and for Kendall's tau what is
# concordant, in that order.

# Orders of columns, as the kernel of ranks takes them.
ranked_columns <- function(values, fast, task) {
  orders <- apply(values, 2, order, method = "radix")
  tied <- vapply(seq_len(ncol(values)), function(k) {
    c(FALSE, diff(values[orders[, k], k]) == 0)
  }, logical(nrow(values)))
  list(order = matrix(orders, nrow(values)), tied = matrix(tied, nrow(values)),
       first = fast$first, second = fast$second, group = task$group,
       outer = match(task$outer, ranked_outer))
}

bind_ranked <- function(a, b) {
  a$order <- cbind(a$order, b$order)
  a$tied <- cbind(a$tied, b$tied)
  a
}

rank_rounds <- function(task, rounds, threads) {
  count <- ncol(rounds$m_test)
  fast <- task$fast
  columns <- if (is.null(fast$fixed)) fast$ranked else bind_ranked(fast$ranked, fast$fixed)
  w <- every_round(rounds$w_test, count)
  storage.mode(w) <- "double"
  found <- .Call(C_draw_ranks, columns, w, rounds$m_low, rounds$m_high, rounds$m_test, threads)
  names(found) <- c("table", "lower", "upper")
  size <- ncol(task$values)
  table <- matrix(NA_real_, size * length(task$models), count)
  table[rep(!task$flexible, each = size), ] <- found$table
  if (any(task$flexible)) {
    table[rep(task$flexible, each = size), ] <- flexible_ranks(task, rounds, w, threads)
  }
  lapply(list(table = table, lower = found$lower, upper = found$upper), function(values) {
    if (!is.null(values)) replace(values, is.nan(values), NA)
  })
}

# Weights are fitted as for Pearson's correlation, components chosen by ranks.
flexible_ranks <- function(task, rounds, w, threads) {
  fast <- task$fast
  count <- ncol(w)
  flexible <- which(task$flexible)
  train <- weighted_grams(task, rounds$w_train, threads)
  w_train <- every_round(rounds$w_train, count)
  storage.mode(w_train) <- "double"
  # components x rounds, of the models that choose one
  chosen <- lapply(task$models, function(model) NULL)
  for (k in flexible[vapply(task$models[flexible], function(m) m$type == "select", NA)]) {
    columns <- bind_ranked(fast$ranked, ranked_columns(fast$components[[k]], fast, task))
    table <- .Call(C_draw_ranks, columns, w_train, NULL, NULL, rounds$m_train, threads)[[1]]
    scores <- mean_table(table, rounds$m_train)
    chosen[[k]] <- matrix(apply(scores, 2, selected), nrow(scores))
  }
  result <- vapply(seq_len(count), function(t) {
    predicted <- vapply(flexible, function(k) {
      weights <- if (is.null(chosen[[k]])) gram_weights(task, k, train, t, rounds$m_train[, t]) else
        chosen[[k]][, t]
      combined(fast$components[[k]], replace(weights, is.na(weights), 0))
    }, numeric(nrow(fast$values)))
    columns <- bind_ranked(fast$ranked, ranked_columns(predicted, fast, task))
    .Call(C_draw_ranks, columns, w[, t, drop = FALSE], NULL, NULL,
          rounds$m_test[, t, drop = FALSE], 1L)[[1]][, 1]
  }, numeric(length(flexible) * ncol(task$values)))
  matrix(result, ncol = count)
}

# ---- any comparison

# Rounds that have no fast way are computed anew, each from RDMs in which stimuli come as often as
# they were drawn.
plain_rounds <- function(task, rounds) {
  count <- ncol(rounds$m_test)
  rows <- lapply(seq_len(count), function(t) {
    # the weights of this round
    of <- lapply(rounds, function(part) part[, min(t, ncol(part))])
    train <- gathered_task(task, of$w_train)
    test <- gathered_task(task, of$w_test)
    predicted <- vapply(seq_along(task$models), function(k) {
      weights <- model_weights(task$models[[k]], train$components[[k]], train$values, of$m_train,
                               task$outer, train$stimulus_noise)
      weights <- scaled_weights(task$models[[k]], as.vector(weights))
      combined(test$components[[k]], replace(weights, is.na(weights), 0))
    }, numeric(nrow(test$values)))
    predicted <- matrix(predicted, nrow(test$values))
    c(list(table = similarity_table(test$values, predicted, task$outer, test$stimulus_noise)),
      if (!is.null(of$m_low)) {
        plain_ceilings(test$values, task$outer, test$stimulus_noise, task$group, of$m_test,
                       of$m_low, of$m_high)
      })
  })
  part <- function(name) matrix(unlist(lapply(rows, `[[`, name)), ncol = count)
  c(list(table = part("table")),
    if (!is.null(rounds$m_low)) list(lower = part("lower"), upper = part("upper")))
}

# The RDMs of a draw: each stimulus as often as it counts. Pairs of copies lack.
gathered_task <- function(task, w) {
  at <- rep(seq_along(w), w)
  place <- packed_places(at, task$n)
  if (!whitens(task$outer)) place <- place[!is.na(place)]
  list(values = task$values[place, , drop = FALSE],
       components = lapply(task$components, function(part) part[place, , drop = FALSE]),
       stimulus_noise = cut_stimulus_noise(task$stimulus_noise, at))
}

# Similarities of each RDM with the pool of `low` without its group, and with that of `high`.
plain_ceilings <- function(values, outer, stimulus_noise, group, test, low, high) {
  size <- ncol(values)
  lower <- upper <- rep(NA_real_, size)
  used <- which(test > 0)
  groups <- unique(group[used])
  weights <- cbind(high, vapply(groups, function(g) replace(low, group == g, 0), low))
  pools <- means_of_present(normalised_rdms(values, outer, stimulus_noise), weights)
  with_pool <- function(at, k) {
    if (sum(weights[, k]) == 0) return(NA_real_)
    pool <- pools[, k, drop = FALSE]
    as.vector(similarity_table(values[, at, drop = FALSE], pool, outer, stimulus_noise))
  }
  upper[used] <- with_pool(used, 1)
  for (k in seq_along(groups)) {
    at <- used[group[used] == groups[k]]
    lower[at] <- with_pool(at, k + 1)
  }
  list(lower = lower, upper = upper)
}
