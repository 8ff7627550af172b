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
