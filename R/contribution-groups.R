# What pairs of groups of stimuli add to a score, and how that changes with the stimuli.

# labels: a factor with a group for each stimulus. list(part, contribution, chance, deleted): a row
# for each pair of groups; `deleted` has their contributions without each stimulus in turn,
# everything made anew, stimuli x parts.
group_contributions <- function(pair, measure, kind, labels) {
  made <- pair_contributions(pair, measure, kind)
  count <- as.double(nlevels(labels))
  check_memory(8 * 14 * pair$x$n * count^2, "The contributions of pairs of groups without each stimulus",
               "Fewer groups need less.")
  z <- group_indicators(labels)
  size <- colSums(z)
  at <- which(upper.tri(diag(count), diag = TRUE), arr.ind = TRUE)
  at <- at[order(at[, 1]), , drop = FALSE]
  # both orders of a pair of groups together
  of_pairs <- function(blocks) {
    own <- (at[, 2] - 1) * count + at[, 1]
    other <- (at[, 1] - 1) * count + at[, 2]
    blocks[, own, drop = FALSE] + sweep(blocks[, other, drop = FALSE], 2, at[, 1] != at[, 2], "*")
  }
  sums <- function(entries) as.vector(of_pairs(t(c(crossprod(z, entries %*% z))))) / made$divisor
  part <- data.frame(part_x = levels(labels)[at[, 1]], part_y = levels(labels)[at[, 2]],
                     pairs = size[at[, 1]] * (size[at[, 2]] - (at[, 1] == at[, 2])) /
                       (1 + (at[, 1] == at[, 2])))
  deleted <- if (identical(measure$args$outer, "spearman")) ranked_blocks(made, labels) else
    deleted_contributions(pair, measure, made, z)
  list(part = part, contribution = sums(made$sums), chance = sums(made$chance),
       deleted = of_pairs(deleted))
}

group_indicators <- function(labels) 1 * outer(as.integer(labels), seq_len(nlevels(labels)), "==")

# The sums of A B over the blocks of two groups (columns, the first group runs fastest), divided,
# without each stimulus (rows).
deleted_contributions <- function(pair, measure, made, z) {
  n <- as.double(nrow(z))
  sums <- deleted_blocks(made$kind, made$k, made$l, z)
  for (block in made$shared) {
    own <- kernels_of_columns(pair, block)
    sums <- sums - deleted_blocks("u", own[[1]], own[[2]], z)
  }
  xx <- deleted_size(pair, measure, made, "x")
  yy <- deleted_size(pair, measure, made, "y")
  # what the divisor of all stimuli becomes without one
  left <- switch(made$kind, u = (n - 1) * (n - 4) / (n * (n - 3)),
                 v = , whitened = ((n - 1) / n)^2, correlation = , cosine = 1,
                 no_branch(made$kind))
  values <- sums[-1, , drop = FALSE] / (made$divisor * left * ratio_of_sizes(xx, yy))
  little <- little_left(xx, made$kind, made$k) | little_left(yy, made$kind, made$l)
  for (unit in which(little)) {
    keep <- seq_len(n) != unit
    cut <- pair_of(cut_for_subset(pair$x, keep), cut_for_subset(pair$y, keep))
    anew <- pair_contributions(cut, measure, made$kind)
    z_left <- z[keep, , drop = FALSE]
    values[unit, ] <- crossprod(z_left, anew$sums %*% z_left) / anew$divisor
  }
  values
}

# The self terms of a side, of all stimuli and without each.
deleted_size <- function(pair, measure, made, side) {
  args <- measure$args
  if (!isTRUE(args$corrects$neurons) && !isTRUE(args$corrects$trials)) {
    entries <- list(k = if (side == "x") made$k else made$l)
    return(deleted_products(made$kind, entries, entries))
  }
  remember(pair$cache, list("deleted sizes", side), {
    cka_table(pair, args, NULL, held = TRUE)$h[[paste0(side, side)]][, 1]
  })
}

# By how much the product of both roots changes; NA where one has none.
ratio_of_sizes <- function(xx, yy) {
  root <- function(h) sqrt(pmax(h[-1] / h[1], 0))
  ratio <- root(xx) * root(yy)
  replace(ratio, ratio == 0, NA)
}

# The sums of A B over the blocks of two groups, of all stimuli (first row) and without each. Without
# stimulus d, A_ij is K_ij - a_i - a_j + c, where a and c are means of the rows and of all entries
# that are left; so that everything is in sums of K, L and K L over rows and blocks.
deleted_blocks <- function(kind, k, l, z) {
  n <- as.double(nrow(k))
  groups <- seq_len(ncol(z))
  i <- rep(groups, length(groups))
  j <- rep(groups, each = length(groups))
  m <- c(n, rep(n - 1, n))
  without <- function(rows) rbind(0, rows)
  each <- function(values) rep(values, each = n + 1)
  zd <- without(z)
  left <- each(colSums(z)) - zd
  blocks <- function(entries) {
    rows <- entries %*% z
    taken <- without(rows)
    each(crossprod(z, rows)) - zd[, i] * taken[, j] - zd[, j] * taken[, i] +
      zd[, i] * zd[, j] * c(0, diag(entries))
  }
  side <- function(k) {
    block <- blocks(k)
    total <- rowSums(block)
    share <- if (kind == "u") 1 / (m - 2) else if (kind %in% c("v", "whitened")) 1 / m else 0 * m
    mean <- total / (m * (m - 1))
    grand <- switch(kind, u = total / ((m - 1) * (m - 2)), v = total / m^2,
                    whitened = total / m^2 - mean / m, correlation = -mean, cosine = 0 * m,
                    no_branch(kind))
    rows <- rowSums(k)
    to <- k %*% z
    taken <- without(k)
    own <- each(crossprod(rows, z)) - zd * c(0, rows) - without(to) + zd * c(0, diag(k))
    list(k = k, block = block, share = share, grand = grand, mean = mean, rows = rows, to = to,
         taken = taken, own = share * own)
  }
  a <- side(k)
  b <- side(l)
  both <- without(k * l) %*% z
  rest <- c(0, (a$rows - diag(k)) * (b$rows - diag(l)))
  ab <- a$share * b$share * (each(crossprod(a$rows * b$rows, z)) - a$taken %*% (b$rows * z) -
                               b$taken %*% (a$rows * z) + both - zd * rest)
  # sums of K_ij b_i over the blocks, and of K_ij (b_i + b_j)
  through <- function(a, b) {
    weighted <- z[, i] * a$to[, j]
    at <- a$taken %*% (b$rows * z) - both
    x <- each(crossprod(b$rows, weighted)) - b$taken %*% weighted - zd[, j] * at[, i] -
      zd[, i] * (without(a$to)[, j] - zd[, j] * c(0, diag(a$k))) * c(0, b$rows - diag(b$k))
    b$share * (x + x[, (i - 1) * length(groups) + j, drop = FALSE])
  }
  sums <- blocks(k * l) - through(a, b) - through(b, a) + b$grand * a$block + a$grand * b$block +
    left[, j] * ab[, i] + left[, i] * ab[, j] + a$own[, i] * b$own[, j] + a$own[, j] * b$own[, i] -
    b$grand * (left[, j] * a$own[, i] + left[, i] * a$own[, j]) -
    a$grand * (left[, j] * b$own[, i] + left[, i] * b$own[, j]) +
    a$grand * b$grand * left[, i] * left[, j]
  if (kind == "v") return(sums)
  # what stands on the diagonal: nothing, or the mean that was taken off all other pairs
  same <- which(i == j)
  below <- list(a = a$grand * left - 2 * a$own, b = b$grand * left - 2 * b$own)
  sums[, same] <- sums[, same] + if (kind == "whitened") {
    a$mean * below$b + b$mean * below$a + a$mean * b$mean * left
  } else {
    2 * b$grand * a$own + 2 * a$grand * b$own - 4 * ab - a$grand * b$grand * left
  }
  sums
}

# Ranks are made anew among the pairs that are left.
ranked_blocks <- function(made, labels) {
  n <- nrow(made$k)
  lower <- lower.tri(made$k)
  x <- made$k[lower]
  y <- made$l[lower]
  group <- as.integer(labels)
  count <- nlevels(labels)
  block <- ((group[col(made$k)] - 1) * count + group[row(made$k)])[lower]
  first <- col(made$k)[lower]
  second <- row(made$k)[lower]
  t(vapply(seq_len(n), function(unit) {
    keep <- first != unit & second != unit
    a <- centred_ranks(cbind(x[keep], y[keep]))
    sums <- rowsum(a[, 1] * a[, 2], block[keep]) / sqrt(sum(a[, 1]^2) * sum(a[, 2]^2))
    replace(numeric(count^2), as.integer(rownames(sums)), sums)
  }, numeric(count^2)))
}
