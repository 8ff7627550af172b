# Scores that are made of sums over pairs of stimuli, for many weight vectors at once, by matrix
# products.

# w: an n x B matrix, a weight vector a column. In "u" tuples of different stimuli count, weighted
# by the products of their weights, so that copies of a stimulus are never pairs. Returns
# list(xy, xx, yy) of h for each column.
weighted_products <- function(kind, a, b, w) {
  switch(kind,
    # the mean over 4-tuples of different stimuli (Song's estimator), the diagonals being 0
    u = {
      powers <- weight_powers(w)
      sums <- lapply(powers, colSums)
      both <- list(one = w, two = powers[[2]])
      of_k <- lapply(both, side_product, side = a)
      of_l <- lapply(both, side_product, side = b)
      h <- function(of_k, of_l, m) {
        u_from_sums(u_sums(of_k, of_l, weight_products(m, w, powers[[2]]), w), sums)
      }
      list(xy = h(of_k, of_l, a$k * b$k), xx = h(of_k, of_k, a$k^2), yy = h(of_l, of_l, b$k^2))
    },
    v = {
      p <- sweep(w, 2, colSums(w), "/")
      kp <- side_product(a, p)
      lp <- side_product(b, p)
      k_all <- colSums(p * kp)
      l_all <- colSums(p * lp)
      m <- weighted_triple(a$k, b$k, p)
      list(xy = m$xy - 2 * colSums(p * kp * lp) + k_all * l_all,
           xx = m$xx - 2 * colSums(p * kp^2) + k_all^2,
           yy = m$yy - 2 * colSums(p * lp^2) + l_all^2)
    },
    cosine = weighted_triple(a$k, b$k, w),
    correlation = {
      count <- if (is.null(a$between)) colSums(w)^2 - colSums(w^2) else weighted_sum(a$between, w)
      sum_a <- weighted_sum(a$k, w)
      sum_b <- weighted_sum(b$k, w)
      h <- weighted_triple(a$k, b$k, w)
      list(xy = h$xy - sum_a * sum_b / count, xx = h$xx - sum_a^2 / count,
           yy = h$yy - sum_b^2 / count)
    },
    no_branch(kind))
}

weighted_ratios <- function(kind, a, b, w) {
  h <- weighted_products(kind, a, b, w)
  ratio_of_products(h$xy, h$xx, h$yy)
}

# For each column of weights the sum of w_i m_ij w_j.
weighted_sum <- function(m, w) colSums(w * (m %*% w))

weighted_triple <- function(k, l, w) {
  list(xy = weighted_sum(k * l, w), xx = weighted_sum(k^2, w), yy = weighted_sum(l^2, w))
}

# The matrix of a side times w; from few columns that it is made of, this takes less time.
side_product <- function(side, w) {
  if (is.null(side$factor)) return(side$k %*% w)
  product <- side$factor %*% crossprod(side$factor, w)
  if (is.null(side$diagonal)) product else product - side$diagonal * w
}

# The products of a matrix with the weights and with their squares.
weight_products <- function(k, w, w2 = w^2) list(one = k %*% w, two = k %*% w2)

# The first four powers of the weights.
weight_powers <- function(w) {
  w2 <- w * w
  list(w, w2, w2 * w, w2 * w2)
}

# Sums over stimuli, a value for each column of weights, of weights and their products with kernels
# k and l and with m = kl: `m1` of w Mw, `w2m1` of w^2 Mw, `w3m1` of w^3 Mw, `w2m2` of w^2 Mw^2,
# `a` of w Kw Lw, `w2kl` of w^2 Kw Lw, `c` of w Kw^2 Lw, `d` of w Kw Lw^2, `k` of w Kw, `l` of w Lw.
u_sums <- function(of_k, of_l, of_m, w) {
  sums <- .Call(C_weighted_sums, w, of_k$one, of_k$two, of_l$one, of_l$two, of_m$one, of_m$two,
                thread_count())
  names <- c("m1", "w2m1", "w3m1", "w2m2", "a", "w2kl", "c", "d", "k", "l")
  sums <- stats::setNames(lapply(seq_along(names), function(row) sums[row, ]), names)
  sums[c("a", "c", "d")] <- Map(`-`, sums[c("a", "c", "d")], sums[c("w2m1", "w3m1", "w3m1")])
  sums
}

# p: sums of the first four powers of the weights.
u_from_sums <- function(s, p) {
  t1 <- (p[[1]]^2 - p[[2]]) * s$m1 - 4 * p[[1]] * s$w2m1 + 4 * s$w3m1 + 2 * s$w2m2
  t2 <- p[[1]] * s$a - (s$w2kl - s$w2m2) - s$c - s$d
  t3 <- s$k * s$l - 4 * s$w2kl + 2 * s$w2m2
  tuples <- p[[1]]^4 - 6 * p[[1]]^2 * p[[2]] + 8 * p[[1]] * p[[3]] + 3 * p[[2]]^2 - 6 * p[[4]]
  (t1 - 2 * t2 + t3) / tuples
}

# For pairs of columns of f and g, the estimator of their one-dimensional kernels f f' and g g',
# added up over the columns, from sums of powers.
weighted_column_u <- function(f, g, w) {
  weights <- weight_powers(w)
  # sums over stimuli, columns of f and g x columns of weights: `sabc` of w^a f^b g^c; `x` and `y`
  # of w f and w g, `x2` and `y2` of w^2 f and w^2 g
  powers <- function(a, b, c) crossprod(f^b * g^c, weights[[a]])
  s <- list(x = powers(1, 1, 0), x2 = powers(2, 1, 0), s111 = powers(1, 1, 1),
            s211 = powers(2, 1, 1), s311 = powers(3, 1, 1), s212 = powers(2, 1, 2),
            s312 = powers(3, 1, 2))
  # columns with themselves have equal sums of f and g
  s <- c(s, if (identical(f, g)) {
    list(y = s$x, y2 = s$x2, s221 = s$s212, s321 = s$s312, s220 = s$s211, s202 = s$s211)
  } else {
    list(y = powers(1, 0, 1), y2 = powers(2, 0, 1), s221 = powers(2, 2, 1),
         s321 = powers(3, 2, 1), s220 = powers(2, 2, 0), s202 = powers(2, 0, 2))
  })
  # what is not multiplied with other sums is added up over the columns first
  total <- function(a, b) drop(crossprod(weights[[a]], rowSums(f^b * g^b)))
  t32 <- total(3, 2)
  t42 <- total(4, 2)
  w2m1 <- colSums(s$s211 * s$s111) - t32
  w3m1 <- colSums(s$s311 * s$s111) - t42
  sums <- list(
    m1 = colSums(s$s111^2) - total(2, 2), w2m1 = w2m1, w3m1 = w3m1,
    w2m2 = colSums(s$s211^2) - t42,
    a = colSums(s$x * (s$y * s$s111 - s$s212) - s$y * s$s221) + t32 - w2m1,
    w2kl = colSums(s$x * (s$y * s$s211 - s$s312) - s$y * s$s321) + t42,
    c = colSums(s$x2 * (s$y * s$s111 - s$s212) - s$y * s$s321) + t42 - w3m1,
    d = colSums(s$y2 * (s$x * s$s111 - s$s221) - s$x * s$s312) + t42 - w3m1,
    # the product of the two totals has to be added up over the columns
    k = colSums((s$x^2 - s$s220) * (s$y^2 - s$s202)), l = 1
  )
  u_from_sums(sums, lapply(weights, colSums))
}
