# What pairs of stimuli add to scores that are cosines of two matrices of such pairs, and what
# single neurons add.

# Such a score is the sum of A_ij B_ij over its pairs of stimuli, divided by a number of all of
# them: with A made of x alone and B of y alone, and a `kind` as of the pair deletions
# (error-declared.R). Where both sides have the same neurons, the neuron correction takes off A_ij
# B_ij of these alone.

# The kind of a measure; NULL for those that are no such sum, or whose sum leaves out pairs.
cosine_kind <- function(measure, clusters) {
  args <- measure$args
  # a partial score is no sum over pairs
  if (is_own(measure) || length(clusters) || length(measure$given)) return(NULL)
  if (measure$id %in% c("cka", "rv")) {
    summed <- args$kernel == "linear" || args$kernel == "rbf" && !args$corrects$trials
    return(if (summed) kind_of_cka(args))
  }
  if (measure$id == "distance_correlation") {
    return(if (is_square(args)) if (args$estimator == "unbiased") "u" else "v")
  }
  kinds <- c(pearson = "correlation", spearman = "correlation", cosine = "cosine",
             whitened_cosine = "v", whitened_pearson = "whitened")
  plain <- measure$id == "rsa" && !args$gaps && is.null(args$stimulus_noise)
  if (plain && args$outer %in% names(kinds)) kinds[[args$outer]]
}

# From trials of both sides that may share noise, products of different trials are added up, of
# which no two matrices are the factors.
share_trials <- function(pair, measure) {
  if (!isTRUE(measure$args$corrects$trials)) return(FALSE)
  sessions <- shared_sessions(trial_form(pair$x), trial_form(pair$y), pair$self)
  any(sessions$x %in% sessions$y)
}

# Are the self terms others than those of the two matrices?
is_corrected_ratio <- function(measure) {
  isTRUE(measure$args$corrects$neurons) || isTRUE(measure$args$corrects$trials)
}

# The pairs of a side before they are centred.
entries_of_side <- function(repr, measure, kind) {
  args <- measure$args
  if (measure$id == "distance_correlation") return(distance_side(repr, kind)$k)
  if (measure$id != "rsa") return(kernel_side(repr, args, kind)$k)
  if (is_whitened(args)) return(whitened_pairs(repr, args, kind)$k)
  if (args$outer != "spearman") return(rdm_side(repr, args, NULL)$k)
  check_side_memory(repr)
  ranks <- form_ranks(repr, args$inner)$ranks
  unpacked_pairs(ranks - mean(ranks), repr$n)
}

# The matrix A of these entries. Where a mean is to be taken off all pairs, it was.
centred_entries <- function(k, kind) {
  if (kind %in% c("v", "whitened")) return(without_means(k))
  if (kind == "u") new_side(centred_pairs(k, kind), NULL, kind)$k else k
}

# list(kind, k, l, sums, chance, divisor, shared): the entries of both sides; the contributions of
# all pairs of stimuli times the divisor, and their means over all permutations of y; and the
# columns that the numerator leaves out with each other, a list of list(x, y).
pair_contributions <- function(pair, measure, kind) {
  k <- entries_of_side(pair$x, measure, kind)
  l <- entries_of_side(pair$y, measure, kind)
  a <- centred_entries(k, kind)
  b <- centred_entries(l, kind)
  n <- as.double(nrow(k))
  # a mean that was taken off is 0, but for rounding
  mean <- if (kind %in% c("v", "cosine")) (sum(b) - sum(diag(b))) / (n * (n - 1)) else 0
  chance <- a * mean
  if (kind == "v") diag(chance) <- diag(a) * sum(diag(b)) / n
  sums <- a * b
  divisor <- sqrt(sum(a^2)) * sqrt(sum(b^2))
  shared <- list()
  if (is_corrected_ratio(measure)) {
    labels <- pair_labels(pair, measure$args)
    left_out <- if (!is.null(labels)) excluded_pairs(labels$x, labels$y) else list(count = 0)
    count <- as.double(ncol(pair$x$data)) * ncol(pair$y$data) - left_out$count
    divisor <- n * (n - 3) * count * self_root(pair$x, measure, "x") *
      self_root(pair$y, measure, "y")
    if (length(left_out$x)) {
      # the sum of A_ij B_ij over single neurons f and g: A_ij is f_i f_j + p_i + p_j
      part <- function(repr, columns) {
        f <- scaled_data(repr, TRUE)[, columns, drop = FALSE]
        list(f = f, p = f^2 / (n - 2) - rep(colSums(f^2), each = n) / (2 * (n - 1) * (n - 2)))
      }
      both <- function(a, b) tcrossprod(a, b) + tcrossprod(b, a)
      x <- part(pair$x, left_out$x)
      y <- part(pair$y, left_out$y)
      rows <- rowSums(x$p * y$p)
      single <- tcrossprod(x$f * y$f) + both(x$f * y$p, x$f) + both(y$f * x$p, y$f) +
        both(x$p, y$p) + outer(rows, rows, "+")
      diag(single) <- 0
      sums <- sums - single
    }
    for (block in left_out$blocks) {
      own <- lapply(kernels_of_columns(pair, block), centred_entries, kind)
      sums <- sums - own[[1]] * own[[2]]
    }
    shared <- c(Map(function(x, y) list(x = x, y = y), left_out$x, left_out$y), left_out$blocks)
  }
  list(kind = kind, k = k, l = l, sums = sums, chance = chance, divisor = divisor, shared = shared)
}

# The kernels of some columns of both sides: of a single one the column itself, see times_kernel().
kernels_of_columns <- function(pair, block) {
  Map(function(repr, columns) {
    x <- scaled_data(repr, TRUE)[, columns, drop = FALSE]
    if (length(block$x) * length(block$y) == 1) x[, 1] else new_side(tcrossprod(x), NULL, "u")$k
  }, pair[c("x", "y")], block[c("x", "y")])
}

# The root of the H value of a side with itself, in the units of scaled_data(); NA where there is
# none.
self_root <- function(repr, measure, side) {
  self <- measure$declaration$prepare(repr, measure$args, side)$self
  value <- if (is_positive(self)) self$value else NA_real_
  sqrt(value) * (form_scaling(repr, TRUE)$scale / 2^self$scale[1])^2
}

# ---- neurons

# What single neurons add to a linear CKA, and any score without each of them.

# ---- contributions

# What both sides have, that of `side` first.
side_first <- function(both, side) if (side == "x") both[c("x", "y")] else both[c("y", "x")]

# The h values of pairs of centred columns of two matrices, added up for each column of the first,
# without pairs of equal labels (NULL: with all): list(sums, counts).
allowed_terms <- function(data, labels, naive) {
  x <- data[[1]]
  y <- data[[2]]
  sums <- column_terms(x, y, naive)
  counts <- rep(as.double(ncol(y)), ncol(x))
  left_out <- if (length(labels[[1]])) excluded_pairs(labels[[1]], labels[[2]])
  single <- Map(function(x, y) list(x = x, y = y), left_out$x, left_out$y)
  for (block in c(single, left_out$blocks)) {
    sums[block$x] <- sums[block$x] -
      column_terms(x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], naive)
    counts[block$x] <- counts[block$x] - length(block$y)
  }
  list(sums = sums, counts = counts)
}

column_terms <- function(x, y, naive) {
  n <- as.double(nrow(x))
  dot <- if (ncol(y) <= n) colSums(crossprod(y, x)^2) else colSums(x * (tcrossprod(y) %*% x))
  if (naive) return(dot / n^2)
  song_estimate(dot, colSums(x^2 * rowSums(y^2)), colSums(x^2) * sum(y^2), n, diagonal = TRUE)
}

# ---- scores without neurons

# The score without each neuron of a side, which is left out of the other side, too. z: the side of
# the controls, or NULL.
scores_without_neurons <- function(pair, measure, side, threads, z = NULL) {
  args <- measure$args
  # For each neuron of a side its place on the other side, which may have it, too; NA: it has not.
  # Neurons have the names of responses(), or of a measure whose estimator goes by them.
  named <- isTRUE(args$corrects$neurons)
  twins <- if (named && args$shared_neurons) seq_len(ncol(pair$x$data)) else {
    names <- side_first(sapply(c("x", "y"), function(side) {
      given <- unclass(pair[[side]]$responses)
      if (!is.null(given)) given$neuron else if (named) args[[paste0("units_", side)]]
    }, simplify = FALSE), side)
    # a label of several neurons is that of a session
    once <- lapply(names, function(labels) setdiff(labels, labels[duplicated(labels)]))
    common <- intersect(once[[1]], once[[2]])
    if (!length(common)) rep(NA_integer_, ncol(pair[[side]]$data)) else
      replace(match(names[[1]], names[[2]]), !names[[1]] %in% common, NA)
  }
  summed <- is_linear_cka(measure) && is.null(args$clusters) && !args$corrects$trials &&
    is.null(z)
  if (!summed) return(recomputed_without(pair, measure, side, twins, threads, z))
  # the means of h values without the pairs that a neuron, or its twin, is part of
  naive <- !args$corrects$stimuli
  data <- side_first(lapply(pair[c("x", "y")], scaled_data, TRUE), side)
  labels <- side_first(pair_labels(pair, args), side)
  own <- side_first(list(x = self_labels(pair$x, args, "x"), y = self_labels(pair$y, args, "y")),
                    side)
  # what is taken off twice comes back, where it counts
  mean_left <- function(first, second, both, counts) {
    (sum(first$sums) - first$sums - second$sums + both * counts) /
      (sum(first$counts) - first$counts - second$counts + counts)
  }
  single <- function(x, y) {
    vapply(seq_len(ncol(x)), function(j) {
      column_terms(x[, j, drop = FALSE], y[, j, drop = FALSE], naive)
    }, 0)
  }
  self <- function(k) {
    terms <- allowed_terms(data[c(k, k)], own[c(k, k)], naive)
    c(sum(terms$sums) / sum(terms$counts),
      mean_left(terms, terms, single(data[[k]], data[[k]]), is.null(own[[k]])))
  }
  twin <- !is.na(twins)
  of_twins <- function(values) replace(numeric(length(twins)), twin, values)
  columns <- lapply(allowed_terms(data[2:1], labels[2:1], naive), `[`, twins[twin])
  both <- single(data[[1]][, twin, drop = FALSE], data[[2]][, twins[twin], drop = FALSE])
  values <- ratio_of_products(
    mean_left(allowed_terms(data, labels, naive), lapply(columns, of_twins), of_twins(both),
              twin & is.null(labels[[1]])),
    self(1)[-1], self(2)[1 + ifelse(twin, twins, 0)]
  )
  cosine <- errors_of(measure)$cosine
  if (is.null(cosine)) values else cosine$score(values)
}

# Any score, made anew, by the workers that there are.
recomputed_without <- function(pair, measure, side, twins, threads, z) {
  refuse_if(!is.null(measure$args$units_x) || isTRUE(measure$args$shared_neurons), "parameter",
            "`by` cannot be \"neurons_{side}\" for {quoted(measure$label)} with labels ",
            "that the measure has: declare them in `neuron` or `session` of responses().")
  # cell by cell: a product of all sides would compare each neuron with each
  measure["dot"] <- list(NULL)
  reprs <- side_first(pair[c("x", "y")], side)
  check_memory(8 * length(twins) * as.double(length(reprs[[1]]$data)),
               "The data without each neuron", "Fewer neurons or stimuli need less.")
  cut <- function(neuron, repr) {
    if (is.na(neuron)) return(repr)
    cut <- cut_for_subset(repr, rep(TRUE, repr$n))
    cut_representation(cut, rep(TRUE, repr$n), seq_len(ncol(repr$data)) != neuron)
  }
  at <- seq_along(twins)
  both <- Map(function(neurons, repr) lapply(neurons, cut, repr), list(at, twins), reprs)
  both <- side_first(stats::setNames(both, names(reprs)), "x")
  sides <- with_refusals(sides_of(both$x, both$y), list(measure))
  sides$z <- z
  call <- list(pairs = list2DF(list(i = at, j = at)), sides = sides, set = list(measure))
  quietly_done(scores_of_call(call, "na", threads))[, 1]
}

# ---- groups

# What pairs of groups of stimuli add to a score, and how that changes with the stimuli; and what
# pairs of principal components add to it.

# labels: a factor with a group for each stimulus. list(part, contribution, chance, deleted): a row
# for each pair of groups, both orders together; `deleted` has their contributions without each
# stimulus in turn, everything made anew, stimuli x parts.
group_contributions <- function(pair, measure, kind, labels) {
  made <- pair_contributions(pair, measure, kind)
  group <- as.integer(labels)
  groups <- seq_along(levels(labels))
  at <- list(i = rep(groups, rev(groups)), j = sequence(rev(groups), groups))
  check_memory(8 * 30 * (pair$x$n + 1) * length(at$i), "The pairs of groups without each stimulus",
               "Fewer groups need less.")
  z <- 1 * outer(group, groups, "==")
  both <- 1 + (at$i != at$j)
  sums <- function(entries) both * crossprod(z, entries %*% z)[cbind(at$i, at$j)] / made$divisor
  size <- colSums(z)
  part <- data.frame(part_x = levels(labels)[at$i], part_y = levels(labels)[at$j],
                     pairs = size[at$i] * (size[at$j] - 2 + both) * both / 2)
  deleted <- if (identical(measure$args$outer, "spearman")) {
    # ranks are made anew among the pairs that are left
    pairs <- compared_pairs(pair$x$n, measure$args)
    code <- matrix(0L, max(group), max(group))
    code[cbind(c(at$i, at$j), c(at$j, at$i))] <- seq_along(at$i)
    block <- code[cbind(group[pairs$first], group[pairs$second])]
    by_block <- order(block)
    place <- order(by_block)
    check_memory(64 * (thread_count() + 1) * length(block), "The ranks without each stimulus",
                 "Fewer stimuli need less.")
    side <- function(repr) {
      ranked <- ranked_pairs(repr, measure$args)
      ranks <- form_ranks(repr, measure$args$inner)$ranks[by_block]
      list(order = place[ranked$order], tied = ranked$tied,
           rank = ranks - (length(block) + 1) / 2)
    }
    pairs <- lapply(c(pairs, list(block = block)), `[`, by_block)
    .Call(C_rank_blocks, pairs, side(pair$x), side(pair$y), c(pair$x$n, length(at$i)),
          thread_count())
  } else {
    rep(both, each = pair$x$n) * deleted_contributions(pair, measure, made, z, at)
  }
  list(part = part, contribution = sums(made$sums), chance = sums(made$chance), deleted = deleted)
}

# The sums of A B over pairs of groups, each in one order, divided, without each stimulus.
deleted_contributions <- function(pair, measure, made, z, at) {
  n <- as.double(nrow(z))
  sums <- deleted_blocks(made$kind, made$k, made$l, z, at)
  for (block in made$shared) {
    own <- kernels_of_columns(pair, block)
    sums <- sums - deleted_blocks("u", own[[1]], own[[2]], z, at)
  }
  # what the divisor of all stimuli becomes without one
  left <- switch(made$kind, u = (n - 1) * (n - 4) / (n * (n - 3)), v = , whitened = (1 - 1 / n)^2,
                 correlation = , cosine = 1, no_branch(made$kind))
  root <- function(h) sqrt(replace(h[-1] / h[1], !(h[-1] > 0 & h[1] > 0), NA))
  # the self terms of both sides, of all stimuli and without each
  sizes <- if (is_corrected_ratio(measure)) {
    lapply(cka_table(pair, measure$args, NULL, held = TRUE)$h, function(h) h[, 1])
  } else {
    lapply(list(xx = list(k = made$k), yy = list(k = made$l)),
           function(side) deleted_products(made$kind, side, side))
  }
  values <- sums[-1, , drop = FALSE] / (made$divisor * left * root(sizes$xx) * root(sizes$yy))
  little <- little_left(sizes$xx, made$kind, made$k) | little_left(sizes$yy, made$kind, made$l)
  # differences have lost their digits where a stimulus holds nearly all of the variance
  for (unit in which(little)) {
    keep <- seq_len(n) != unit
    cut <- pair_of(cut_for_subset(pair$x, keep), cut_for_subset(pair$y, keep))
    anew <- pair_contributions(cut, measure, made$kind)
    blocks <- crossprod(z[keep, ], anew$sums %*% z[keep, ]) / anew$divisor
    values[unit, ] <- blocks[cbind(at$i, at$j)]
  }
  values
}

# The sums of A B over the pairs of groups, of all stimuli (first row) and without each. Without
# stimulus d, A_ij is K_ij - p_i - p_j, where p is made of the means of the rows and of all entries
# that are left; so that everything is in sums of K, L and K L over rows and blocks. k, l: matrices,
# or one neuron each, see times_kernel().
deleted_blocks <- function(kind, k, l, z, at) {
  n <- as.double(nrow(z))
  i <- at$i
  j <- at$j
  m <- c(n, rep(n - 1, n))
  # p_i is so much of the sum of row i, less half of this constant
  share <- switch(kind, u = 1 / (m - 2), v = , whitened = 1 / m, correlation = , cosine = 0 * m,
                  no_branch(kind))
  constant <- function(total) {
    switch(kind, u = total / ((m - 1) * (m - 2)), v = total / m^2, cosine = 0 * m,
           whitened = total * (m - 2) / (m^2 * (m - 1)), correlation = -total / (m * (m - 1)),
           no_branch(kind))
  }
  above <- function(rows) rbind(0, rows)
  all <- function(sums) rep(sums, each = n + 1)
  zd <- above(z)
  left <- all(colSums(z)) - zd
  # over the blocks, without the rows and columns of d; to: row sums over groups, own: K_dd
  block_sums <- function(to, own) {
    taken <- above(to)
    all(colSums(z[, i, drop = FALSE] * to[, j])) - zd[, i] * taken[, j] - zd[, j] * taken[, i] +
      zd[, i] * zd[, j] * own
  }
  side <- function(k) {
    to <- times_kernel(k, z)
    own <- c(0, diagonal_of(k))
    rows <- c(0, rowSums(to))
    total <- sum(rows) - 2 * rows + own
    half <- constant(total) / 2
    a <- share * (all(crossprod(rows[-1], z)) - zd * rows - above(to) + zd * own)
    list(k = k, to = to, own = own, rows = rows[-1], rest = rows - own, half = half, a = a,
         p = a - half * left, block = block_sums(to, own), mean = total / (m * (m - 1)))
  }
  x <- side(k)
  y <- side(l)
  to_both <- times_kernel(k * l, z)
  # sums of K_di q_i over groups, without the constant in q
  through <- function(k, rows) above(times_kernel(k, rows * z) - to_both)
  pq <- share^2 * (all(crossprod(x$rows * y$rows, z)) - through(k, y$rows) - through(l, x$rows) -
                     above(to_both) - zd * x$rest * y$rest) -
    x$half * y$a - y$half * x$a + x$half * y$half * left
  # sums of K_ij (q_i + q_j)
  with_means <- function(x, y) {
    taken <- through(x$k, y$rows)
    one_way <- function(i, j) {
      weighted <- z[, i, drop = FALSE] * x$to[, j]
      all(crossprod(y$rows, weighted)) - above(times_kernel(y$k, weighted)) - zd[, j] * taken[, i] -
        zd[, i] * (above(x$to)[, j] - zd[, j] * x$own) * y$rest
    }
    share * (one_way(i, j) + one_way(j, i)) - 2 * y$half * x$block
  }
  sums <- block_sums(to_both, c(0, diagonal_of(k * l))) - with_means(x, y) - with_means(y, x) +
    left[, j] * pq[, i] + left[, i] * pq[, j] + x$p[, i] * y$p[, j] + x$p[, j] * y$p[, i]
  # the diagonal does not count, or it holds the mean that was taken off all other pairs
  diagonal <- switch(kind, v = 0, u = , correlation = , cosine = -4 * pq,
                     whitened = x$mean * y$mean * left - 2 * x$mean * y$p - 2 * y$mean * x$p,
                     no_branch(kind))
  sums[, i == j] <- sums[, i == j] + diagonal
  sums
}

# A symmetric matrix times z; or, of a vector, the matrix of its products without their diagonal.
times_kernel <- function(k, z) if (is.matrix(k)) k %*% z else k %*% crossprod(k, z) - k^2 * z

diagonal_of <- function(k) if (is.matrix(k)) diag(k) else 0 * k

# ---- components

# Pairs of principal components of both sides, and what they add to the naive linear CKA.

# The first components, and the rest: list(part, contribution, chance).
component_contributions <- function(pair, components) {
  sides <- lapply(pair[c("x", "y")], function(repr) {
    parts <- svd(form_second_moment(repr)$factor, nv = 0)
    values <- parts$d^2 / sqrt(sum(parts$d^4))
    shown <- seq_len(min(components, sum(parts$d > tie_share * parts$d[1])))
    close <- which(-diff(values[shown]) < 0.01 * values[shown][-length(shown)])
    warn_if(length(close), "close_components", "Components {close[1]} and {close[1] + 1} of ",
            "`{repr$arg}` have nearly the same variance, so that these axes rotate freely: only ",
            "the sum of their contributions means something.", data = close)
    list(values = values, shown = shown, u = parts$u)
  })
  x <- sides$x$shown
  y <- sides$y$shown
  weights <- outer(sides$x$values, sides$y$values)
  all <- weights * crossprod(sides$x$u, sides$y$u)^2
  with_rest <- function(m) c(t(m[x, y]), sum(m) - sum(m[x, y]))
  list(part = data.frame(part_x = c(rep(x, each = length(y)), "rest"),
                         part_y = c(rep(y, length(x)), "rest")),
       contribution = with_rest(all), chance = with_rest(weights) / (pair$x$n - 1))
}
