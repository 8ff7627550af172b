# The p-values of evaluate_rdms() against chance: the stimuli of the models are permuted, and the
# score of all data is computed anew with the same folds.
#
# A null is a matrix with a row for each permutation, the observed order first, and a column for
# each model. A permuted model that has no score in a fold (it is the same for all pairs there, or a
# fit gives no component any weight) counts as 0 there, as what predicts nothing.

# Returns NULL without permutations, or list(p_value, permutations, engine, threshold), where
# p-values of scores above the threshold are at most 0.05. data: the
# rounds of the score of all data, see data_rounds(); scores: what they gave.
chance_of_models <- function(task, data, scores, permutations, blocks, threads) {
  if (is_no_permutation(permutations)) return(NULL)
  known <- which(!is.na(scores))
  p_value <- rep(NA_real_, length(scores))
  design <- if (length(known)) chance_design(task, data, permutations, blocks)
  if (is.null(design)) return(list(p_value = p_value, permutations = 0L, engine = NA_character_))
  note_unattainable(design$count, most = design$most, p = "`p_chance`",
                    remedies = remedies_of_engine(design$engine))
  null <- chance_null(task_of_models(task, known), data, design, threads)
  p_value[known] <- colMeans(null >= rep(null[1, ], each = nrow(null)) - equal_share)
  # whole clusters that change places may leave a model as it is
  still <- if (is.null(task$codes)) rep(FALSE, length(known)) else
    apply(null, 2, function(values) diff(range(values)) <= equal_share)
  p_value[known[still]] <- NA
  most <- floor(0.05 * nrow(null))
  threshold <- replace(p_value, !is.na(p_value), if (most) {
    apply(null[-1, !still, drop = FALSE], 2, function(draws) sort(draws, TRUE)[most])
  } else NA_real_)
  inform_if(any(still), "no_chance", "No p_chance (NA) of ",
            "{enumerate(names(task$models)[known[still]])}: permutations of whole `clusters` ",
            "change nothing in {if (sum(still) > 1) 'them.' else 'it.'}")
  list(p_value = p_value, permutations = design$count, engine = design$engine,
       threshold = stats::setNames(threshold, names(task$models)))
}

# The permutations of a call, the same for all models. NULL where clusters cannot change places.
chance_design <- function(task, data, permutations, blocks) {
  if (is.null(task$codes)) {
    plan <- permutation_plan(task$n, permutations, blocks, FALSE, "auto")
    # what only matrix products need can be had for whole cosets of permutations
    coset <- all(vapply(seq_along(task$models), chance_way, "", task, data) == "inner")
    return(plan$design_of(if (coset) "coset" else "random"))
  }
  if (is.matrix(permutations) || inherits(permutations, "how")) {
    design <- permutation_plan(task$n, permutations, NULL, FALSE, "auto")$fixed
    moved <- breaking_groups(design, task$codes)
    refuse_if(length(moved), "design", "`permutations` takes stimuli of one cluster to several ",
              "clusters, in row {moved[1]}: exchange whole clusters.")
    return(design)
  }
  sizes <- tabulate(task$codes)
  if (all(sizes == sizes[1])) {
    return(permutation_plan(task$n, permutations, NULL, FALSE, "auto", task$codes)$fixed)
  }
  inform("no_chance", "No p_chance (NA): `clusters` has clusters of {min(sizes)} to ",
         "{max(sizes)} stimuli, and only clusters of one size can change places. Stimuli with ",
         "the label NA are left out.")
  NULL
}

task_of_models <- function(task, at) {
  for (part in c("models", "components", "flexible", "constant")) task[[part]] <- task[[part]][at]
  if (task$way != "plain") task$fast <- fast_parts(task)
  task
}

# ---- ways to a null

# How the null of a model is made:
#   inner     similarities are inner products of matrices with permuted ones, and the lengths of
#             permuted RDMs do not change: all permutations at once
#   products  as products of matrices with permuted RDMs as columns, for linear comparisons in folds
#             of stimuli and with unequal noise of the stimuli
#   counts    Kendall's tau of models that are not fitted, by its counts for all permutations
#   ranks     as products of ranks, or Kendall's tau, of the data with permuted RDMs as columns, for
#             comparisons by ranks in folds of stimuli and with fitted weights
#   anew      each permuted model is evaluated anew, where pairs lack
chance_way <- function(k, task, data) {
  gaps <- is.na(cbind(task$values, task$components[[k]]))[counting_pairs(task), ]
  if (task$way == "plain" || any(gaps)) return("anew")
  ranks <- task$way == "ranks"
  # weights are fitted as for Pearson's correlation, and sums of components have ranks of their own
  if (ranks && task$flexible[k]) return("ranks")
  if (task$outer %in% tau_outer) return("counts")
  whole <- all(data$rounds$w_test == 1) && all(data$rounds$w_train == 1)
  if (whole && is.null(task$stimulus_noise)) return("inner")
  if (ranks) "ranks" else "products"
}

chance_null <- function(task, data, design, threads) {
  ways <- vapply(seq_along(task$models), chance_way, "", task, data)
  null <- matrix(NA_real_, design$count + 1, length(ways))
  for (way in unique(ways)) {
    at <- which(ways == way)
    some <- task_of_models(task, at)
    null[, at] <- switch(way, inner = inner_chance(some, data, design),
                         products = products_chance(some, data, design, threads),
                         counts = counts_chance(some, data, design),
                         ranks = ranks_chance(some, data, design, threads),
                         anew = anew_chance(some, data, design, threads), no_branch(way))
  }
  null
}

chance_label <- "The test of models against chance (p_chance)"

# The score of all data from those of rounds (models x rounds).
weighted_score <- function(scores, data) {
  scores[!is.finite(scores)] <- 0
  drop(scores %*% data$weight)
}

anew_chance <- function(task, data, design, threads) {
  orders <- with_observed(design)
  rounds <- data$rounds
  # no ceilings
  rounds$m_low <- rounds$m_high <- NULL
  in_chunks(ncol(orders), 1, function(k) {
    task$components <- lapply(task$components, permuted_columns, orders[, k])
    # pairs that lack in a model lack elsewhere now
    if (anyNA(unlist(lapply(task$components, function(part) part[counting_pairs(task), ])))) {
      task$way <- "plain"
    }
    if (task$way != "plain") task$fast <- fast_parts(task, task$fast$ranked)
    t(weighted_score(evaluate_rounds(task, rounds, threads)$scores, data))
  }, chance_label)
}

permuted_columns <- function(values, order) {
  apply_columns(values, function(rdm) .Call(C_relabel_packed, rdm, order, thread_count()))
}

# Kendall's tau of each RDM of the data, sorted once for each set of stimuli, with permuted models.
counts_chance <- function(task, data, design) {
  orders <- with_observed(design)
  parts <- distinct_parts(data$rounds)
  size <- ncol(task$values)
  sorted <- apply(parts$w[, unique(parts$test), drop = FALSE], 2, function(w) {
    there <- pairs_of_part(task, w)
    lapply(seq_len(size), function(i) ordered_pairs(task$values[, i], task$n, there))
  }, simplify = FALSE)
  scores <- lapply(task$components, function(model) {
    levels <- pair_levels(replace(model, !counting_pairs(task), 0))
    taus <- lapply(sorted, function(rdms) vapply(rdms, function(order) {
      counts <- permuted_excess(order, levels, orders, chance_label)
      tied <- order$untied == 0 | counts[, 2] == choose(length(order$level), 2)
      replace(taus_of_counts(counts, order, task$outer), tied, NA)
    }, numeric(ncol(orders))))
    rounds <- vapply(seq_along(parts$test), function(r) {
      table <- t(taus[[match(parts$test[r], unique(parts$test))]])
      drop(mean_table(table, matrix(data$rounds$m_test[, r], size, ncol(orders))))
    }, numeric(ncol(orders)))
    weighted_score(rounds, data)
  })
  do.call(cbind, scores)
}

# ---- all permutations at once

# Columns of RDMs over the pairs that are `there`, as the comparison sees them: list(values, duals,
# lengths), where the similarity of two columns is the product of the values of one with the duals
# of the other, over both lengths.
in_metric <- function(values, there, task) {
  values <- values[there, , drop = FALSE]
  if (task$outer %in% ranked_outer) values <- centred_ranks(values)
  if (is_centred(task$outer)) values <- less_means(values)
  duals <- values
  if (whitens(task$outer)) {
    duals <- whitened_solutions(cbind(values, 1), there, task$stimulus_noise)
    ones <- duals[, ncol(duals)]
    duals <- duals[, -ncol(duals), drop = FALSE]
    # less the mean by generalised least squares
    if (is_centred(task$outer)) duals <- duals - outer(ones, colSums(duals)) / sum(ones)
  }
  lengths <- if (task$outer == "rho_a") {
    rep(sqrt(untied_rank_size(nrow(values))), ncol(values))
  } else sqrt(pmax(colSums(duals * values), 0))
  flat <- if (is_cosine(task$outer)) colSums(values != 0) == 0 else
    apply(values, 2, function(column) all(column == column[1]))
  list(values = values, duals = duals, lengths = replace(lengths, flat, 0))
}

# RDMs of length 1, as duals. Those without length have no similarity with any.
unit_duals <- function(metric) {
  metric$duals * rep(ifelse(metric$lengths > 0, 1 / metric$lengths, 0), each = nrow(metric$duals))
}

# Means over the tested RDMs, and sums over the training ones, as weights of the RDMs: N x rounds.
test_weights <- function(rounds) {
  rounds$m_test / rep(colSums(rounds$m_test), each = nrow(rounds$m_test))
}

# Models with fixed weights, and with weights that are fitted to other RDMs, but to all stimuli. A
# permutation changes nothing but the products of components with data RDMs.
inner_chance <- function(task, data, design) {
  there <- counting_pairs(task)
  units <- unit_duals(in_metric(task$values, there, task))
  train <- every_round(data$rounds$m_train, length(data$weight))
  test <- test_weights(data$rounds)
  if (ncol(units) > 2 && ncol(test) == 1 && identical(train[, 1] > 0, test[, 1] > 0)) {
    # one pool of all: the weights of the best fit do not depend on its scale
    units <- units %*% test
    train <- test <- matrix(1)
  }
  own <- in_metric(do.call(cbind, task$components), there, task)
  square <- function(columns) {
    lapply(seq_len(ncol(columns)), function(k) {
      unpacked(list(entries = replace(numeric(length(there)), there, columns[, k])), task$n)
    })
  }
  products <- inner_products(square(units), square(own$values), design, chance_label) / 2
  products <- array(products, c(nrow(products), ncol(units), ncol(own$values)))
  ends <- cumsum(vapply(task$components, ncol, 0L))
  scores <- lapply(seq_along(task$models), function(k) {
    at <- ends[k] - ncol(task$components[[k]]) + seq_len(ncol(task$components[[k]]))
    # of components x permutations, with the RDMs
    by_rdm <- matrix(aperm(products[, , at, drop = FALSE], c(3, 1, 2)), ncol = ncol(units))
    gram <- crossprod(own$duals[, at, drop = FALSE], own$values[, at, drop = FALSE])
    gram <- (gram + t(gram)) / 2
    total <- numeric(nrow(products))
    for (r in seq_len(ncol(test))) {
      with <- matrix(by_rdm %*% train[, r], length(at))
      tested <- if (identical(train[, r], test[, r])) with else
        matrix(by_rdm %*% test[, r], length(at))
      weights <- if (task$flexible[k]) {
        weights_of_each(task$models[[k]], array(gram, c(dim(gram), ncol(with))), with)
      } else matrix(1, 1, ncol(with))
      score <- colSums(weights * tested) / sqrt(pmax(colSums(weights * (gram %*% weights)), 0))
      total <- total + data$weight[r] * replace(score, !is.finite(score), 0)
    }
    total
  })
  do.call(cbind, scores)
}

# ---- permuted RDMs as columns

# Linear comparisons in parts of the stimuli. Products with data RDMs are products of matrices; the
# products of permuted components with each other are those of a draw without copies.
products_chance <- function(task, data, design, threads) {
  parts <- distinct_parts(data$rounds)
  # the pooled RDM to which weights are fitted in each round
  train <- if (any(task$flexible)) pools_of_rounds(task, parts$w, parts$train, data$rounds$m_train)
  test <- pools_of_rounds(task, parts$w, parts$test, test_weights(data$rounds))
  in_orders(task, data, design, function(k, orders) {
    columns <- fitted_columns(task, k, orders)
    grams <- grams_of_orders(task, columns, parts$w, threads)
    tested <- with_pools(test, columns)
    weights <- if (task$flexible[k]) {
      weights_of_each(task$models[[k]], rounds_of_orders(grams, parts$train),
                      with_pools(train, columns))
    } else matrix(1, 1, ncol(tested))
    own <- rounds_of_orders(grams, parts$test)
    scores <- colSums(weights * tested) / sqrt(pmax(quadratic_each(own, weights), 0))
    matrix(scores, length(data$weight))
  })
}

# score: a function of the number of a model and some orders of its stimuli, a column each, that
# gives its scores, rounds x orders.
in_orders <- function(task, data, design, score) {
  orders <- with_observed(design)
  count <- max(vapply(task$components, ncol, 0L))
  each <- nrow(task$values) * count + length(data$weight) * count^2
  in_chunks(ncol(orders), min(100, max(1, chunk_of_draws / each)), function(at) {
    scores <- lapply(seq_along(task$models), function(k) {
      weighted_score(t(score(k, orders[, at, drop = FALSE])), data)
    })
    do.call(cbind, scores)
  }, chance_label)
}

# The different sets of stimuli in rounds: list(w, train, test), a set a column of w, and which of
# them each round has.
distinct_parts <- function(rounds) {
  count <- ncol(rounds$m_test)
  all <- cbind(every_round(rounds$w_train, count), every_round(rounds$w_test, count))
  key <- apply(all > 0, 2, function(there) paste(which(there), collapse = " "))
  at <- match(key, unique(key))
  list(w = all[, !duplicated(key), drop = FALSE], train = at[seq_len(count)],
       test = at[count + seq_len(count)])
}

# Which pairs of the stimuli of a set count.
pairs_of_part <- function(task, w) {
  places <- pair_places(seq_len(nrow(task$values)), task$n)
  counting_pairs(task) & w[places$first] > 0 & w[places$second] > 0
}

# Sums of unit RDMs as duals over the stimuli of each round (0 for other pairs): P x rounds. w: sets
# of stimuli, part: the set of each round, weights: of the RDMs in each round.
pools_of_rounds <- function(task, w, part, weights) {
  pools <- matrix(0, nrow(task$values), ncol(weights))
  for (set in unique(part)) {
    there <- pairs_of_part(task, w[, set])
    at <- which(part == set)
    pools[there, at] <- unit_duals(in_metric(task$values, there, task)) %*%
      weights[, at, drop = FALSE]
  }
  pools
}

# The components of a model under some orders of its stimuli: P x components x orders.
columns_of_orders <- function(components, orders) {
  columns <- apply(orders, 2, function(order) permuted_columns(components, order))
  array(columns, c(dim(components), ncol(orders)))
}

# The same as weights are fitted to them.
fitted_columns <- function(task, k, orders) {
  counting <- counting_pairs(task)
  components <- task$components[[k]]
  components[!counting, ] <- 0
  if (task$fast$centred) components[counting, ] <- less_means(components[counting, , drop = FALSE])
  columns_of_orders(components, orders)
}

# Products of the components with each other for each column of w: components x components x sets x
# orders.
grams_of_orders <- function(task, columns, w, threads) {
  counting <- counting_pairs(task)
  size <- dim(columns)
  grams <- vapply(seq_len(size[3]), function(order) {
    task$fast$rows <- rbind(t(matrix(columns[counting, , order], ncol = size[2])),
                            if (task$fast$centred) 1, deparse.level = 0)
    weighted_grams(task, w, threads)$products
  }, array(0, c(size[2], size[2], ncol(w))))
  array(grams, c(size[2], size[2], ncol(w), size[3]))
}

# The grams of each round, which has the set `part`, and each order, the rounds faster.
rounds_of_orders <- function(grams, part) {
  size <- dim(grams)
  array(grams[, , part, ], c(size[1:2], length(part) * size[4]))
}

# Products of components with the pool of each round: components x (rounds * orders).
with_pools <- function(pools, columns) {
  size <- dim(columns)
  products <- array(crossprod(pools, matrix(columns, size[1])), c(ncol(pools), size[2:3]))
  matrix(aperm(products, c(2, 1, 3)), size[2])
}

# ---- ranks of permuted RDMs

# Comparisons by ranks: RDMs, and sums of components, are ranked in each set of stimuli, under many
# orders together with the data.
ranks_chance <- function(task, data, design, threads) {
  rounds <- data$rounds
  parts <- distinct_parts(rounds)
  # weights are fitted as for Pearson's correlation
  pools <- if (any(task$flexible)) {
    pools_of_rounds(replace(task, "outer", "pearson"), parts$w, parts$train, rounds$m_train)
  }
  in_orders(task, data, design, function(k, orders) {
    columns <- columns_of_orders(task$components[[k]], orders)
    model <- task$models[[k]]
    if (!task$flexible[k]) {
      scores <- by_ranks(task, columns, parts$w, parts$test, rounds$m_test)
      return(matrix(scores, length(parts$test)))
    }
    weights <- if (model$type == "select") {
      apply(by_ranks(task, columns, parts$w, parts$train, rounds$m_train), 2:3, selected)
    } else {
      fitted <- fitted_columns(task, k, orders)
      grams <- grams_of_orders(task, fitted, parts$w, threads)
      found <- weights_of_each(model, rounds_of_orders(grams, parts$train),
                               with_pools(pools, fitted))
      apply(found, 2, function(w) scaled_weights(model, w))
    }
    weights <- array(weights, c(dim(columns)[2], length(parts$test), ncol(orders)))
    sums_by_ranks(task, columns, replace(weights, is.na(weights), 0), parts, rounds$m_test)
  })
}

# Mean similarities of the RDMs with columns (P x components x orders) in each round, which has the
# set `part` of w, and the weights m of the RDMs: components x rounds x orders.
by_ranks <- function(task, columns, w, part, m) {
  size <- dim(columns)
  found <- array(NA_real_, c(size[2], length(part), size[3]))
  for (set in unique(part)) {
    there <- which(pairs_of_part(task, w[, set]))
    at <- which(part == set)
    means <- mean_by_ranks(task, there, matrix(columns[there, , ], length(there)),
                           m[, at, drop = FALSE])
    found[, at, ] <- aperm(array(means, c(length(at), size[2:3])), c(2, 1, 3))
  }
  found
}

# Mean similarities of the RDMs with sums of columns by their weights, components x rounds x orders:
# rounds x orders.
sums_by_ranks <- function(task, columns, weights, parts, m) {
  scores <- matrix(NA_real_, length(parts$test), dim(columns)[3])
  for (set in unique(parts$test)) {
    there <- which(pairs_of_part(task, parts$w[, set]))
    some <- apply(columns[there, , , drop = FALSE], 2, identity, simplify = FALSE)
    for (r in which(parts$test == set)) {
      sums <- 0
      for (i in seq_along(some)) {
        sums <- sums + some[[i]] * rep(weights[i, r, ], each = length(there))
      }
      scores[r, ] <- mean_by_ranks(task, there, matrix(sums, length(there)), m[, r, drop = FALSE])
    }
  }
  scores
}

# Mean similarities of the RDMs with columns over the pairs that are `there`: rounds x columns.
mean_by_ranks <- function(task, there, columns, m) {
  used <- rowSums(m) > 0
  table <- similarity_table(task$values[there, used, drop = FALSE], columns, task$outer)
  crossprod(m[used, , drop = FALSE], table) / colSums(m)
}
