# The rounds of evaluate_rdms(): scores and ceilings of all draws at once.
#
# A round is a draw of stimuli and RDMs with its weights (how often each of them counts), or one
# fold of such a draw. Rounds are list(w_train, w_test, m_train, m_test, m_low, m_high), matrices
# with a column for each round: weights of stimuli (w) and of RDMs (m) to which models are fitted
# and with which they are tested, and of the RDMs that are pooled for the lower and the upper
# ceiling (NULL, where no ceilings are asked for). Where all rounds have the same stimuli, the
# matrices of w may have one column for all.

# About so many numbers may the products of a chunk of draws take.
chunk_of_draws <- 4e6

# task: see evaluation_task(). Returns list(scores, lower, upper, table, each_lower): scores (models
# x rounds) are means over the tested RDMs, lower and upper their ceilings, table has the similarity
# of each RDM (N * models x rounds) and each_lower its lower ceiling. Values that are not defined
# are NA.
evaluate_rounds <- function(task, rounds, threads) {
  rows <- switch(task$way, grams = gram_rounds(task, rounds, threads),
                 ranks = rank_rounds(task, rounds, threads), plain = plain_rounds(task, rounds),
                 no_branch(task$way))
  rows$table[rep(task$constant, each = ncol(task$values)), ] <- NA
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
    at_round <- rep_len(seq_len(dim(test$products)[3]), count)
    for (k in which(task$flexible)) {
      # each RDM of the data with the sum of the components
      weights <- gram_weights(task, k, train, rounds$m_train)
      at <- task$fast$at[[k]]
      products <- matrix(0, size, count)
      for (i in seq_along(at)) {
        products <- products + matrix(test$products[data, at[i], at_round], size) *
          rep(weights[i, ], each = size)
      }
      own <- quadratic_each(test$products[at, at, at_round, drop = FALSE], weights)
      fitted <- products / (lengths[data, at_round, drop = FALSE] *
                              rep(sqrt(pmax(own, 0)), each = size))
      fitted[!is.finite(fitted)] <- NA
      table[(k - 1) * size + data, ] <- clip_to_range(fitted, -1, 1)
    }
  }
  c(list(table = table), if (!is.null(rounds$m_low)) {
    gram_ceilings(cosines[among_data, , drop = FALSE], task$group, rounds)
  })
}

# The weights of model k, fitted in each round to the pool of RDMs with weights m: components x
# rounds.
gram_weights <- function(task, k, grams, m) {
  at <- task$fast$at[[k]]
  data <- seq_len(nrow(m))
  rounds <- rep_len(seq_len(dim(grams$products)[3]), ncol(m))
  lengths <- grams$lengths[data, rounds, drop = FALSE]
  share <- ifelse(m > 0, m / lengths, 0)
  # in each round the products of the RDMs `at` with the data, whose weights are a round a column
  sums <- vapply(at, function(one) {
    colSums(matrix(grams$products[data, one, rounds], nrow(share)) * share)
  }, numeric(ncol(share)))
  with <- t(matrix(sums, ncol(share)))
  weights <- weights_of_each(task$models[[k]], grams$products[at, at, rounds, drop = FALSE], with)
  weights[, colSums(m > 0 & lengths == 0) > 0] <- NA
  matrix(apply(weights, 2, function(w) scaled_weights(task$models[[k]], w)), nrow(weights))
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
  lower[rep(colSums(low), each = size) - of_group(low) == 0 | !is.finite(lower)] <- NA
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
       outer = match(task$outer, ranked_outer), ends = integer())
}

bind_ranked <- function(a, b) {
  replace(a, c("order", "tied"), list(cbind(a$order, b$order), cbind(a$tied, b$tied)))
}

rank_rounds <- function(task, rounds, threads) {
  size <- ncol(task$values)
  count <- ncol(rounds$m_test)
  found <- ranked_table(task, rounds, threads)
  ceilings <- if (!is.null(found$lower)) found
  if (!is.null(ceilings)) rounds$m_low <- rounds$m_high <- NULL
  table <- matrix(NA_real_, size * length(task$models), count)
  table[rep(!task$flexible, each = size), ] <- every_round(found$table, count)
  if (any(task$flexible) || !is.null(rounds$m_low)) {
    more <- draw_ranks(with_sums(task, rounds, threads), rounds$w_test, rounds, threads)
    table[rep(task$flexible, each = size), ] <- more$table
    if (is.null(ceilings)) ceilings <- more
  }
  list(table = table, lower = ceilings$lower, upper = ceilings$upper)
}

# list(table, lower, upper): similarities of the data with fixed models, which only the stimuli of a
# round tell. Where all rounds have the same ones, there is one column for all; parts that have the
# same draws of stimuli share the table of the last call, which is kept in task$last. Ceilings are
# there only where they are found on the way.
ranked_table <- function(task, rounds, threads) {
  fast <- task$fast
  w <- rounds$w_test
  if (is.null(fast$fixed)) return(list(table = matrix(0, 0, ncol(w))))
  last <- task$last
  if (!is.null(last) && identical(last$w_ranked, w)) return(list(table = last$table))
  alone <- ncol(w) < ncol(rounds$m_test)
  if (alone) rounds <- list(m_test = matrix(1, ncol(task$values), ncol(w)))
  found <- draw_ranks(bind_ranked(fast$ranked, fast$fixed), w, rounds, threads)
  if (!is.null(last) && !alone) {
    last$w_ranked <- w
    last$table <- found$table
  }
  if (alone || is.null(rounds$m_low)) found["table"] else found
}

draw_ranks <- function(columns, w, rounds, threads) {
  w <- every_round(w, ncol(rounds$m_test))
  storage.mode(w) <- "double"
  found <- .Call(C_draw_ranks, columns, w, rounds$m_low, rounds$m_high, rounds$m_test, threads)
  names(found) <- c("table", "lower", "upper")
  lapply(found, function(values) replace(values, is.nan(values), NA))
}

# The ranked data, with the components of flexible models and their weights in each round.
with_sums <- function(task, rounds, threads) {
  flexible <- which(task$flexible)
  if (!length(flexible)) return(task$fast$ranked)
  fast <- task$fast
  # of each model in all rounds, a round a column: fitted as for Pearson's correlation, or of
  # components chosen by ranks
  weights <- do.call(rbind, lapply(flexible, function(k) {
    if (task$models[[k]]$type != "select") {
      return(gram_weights(task, k, weighted_grams(task, rounds$w_train, threads), rounds$m_train))
    }
    columns <- bind_ranked(fast$ranked, ranked_columns(fast$components[[k]], fast, task))
    train <- list(m_test = rounds$m_train)
    scores <- mean_table(draw_ranks(columns, rounds$w_train, train, threads)$table, rounds$m_train)
    matrix(apply(scores, 2, selected), nrow(scores))
  }))
  components <- fast$components[flexible]
  c(replace(fast$ranked, "ends", list(unname(cumsum(vapply(components, ncol, 0L))))),
    list(components = do.call(cbind, components), weights = replace(weights, is.na(weights), 0)))
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
  lower <- upper <- rep(NA_real_, ncol(values))
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
