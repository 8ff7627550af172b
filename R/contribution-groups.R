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
