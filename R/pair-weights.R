# Scores that are made of sums over pairs of stimuli, for many weight vectors at once, by matrix
# products.

# w: an n x B matrix, a weight vector a column. In "u" tuples of different stimuli count, weighted
# by the products of their weights, so that copies of a stimulus are never pairs.
weighted_products <- function(kind, a, b, w) {
  switch(kind, u = weighted_u(a$k, b$k, w), v = weighted_v(a$k, b$k, w),
         cosine = weighted_sum(a$k * b$k, w),
         correlation = {
           count <- if (is.null(a$between)) colSums(w)^2 - colSums(w^2) else
             weighted_sum(a$between, w)
           weighted_sum(a$k * b$k, w) - weighted_sum(a$k, w) * weighted_sum(b$k, w) / count
         })
}

# For each column of weights the sum of w_i m_ij w_j.
weighted_sum <- function(m, w) colSums(w * (m %*% w))

# All products of one matrix with the weights, and with their squares, that both h(x, y) and
# h(x, x) are made of.
weight_products <- function(k, w) list(one = k %*% w, two = k %*% w^2)

# The mean over 4-tuples of different stimuli (Song's estimator), the diagonals being 0.
weighted_u <- function(k, l, w, of_k = weight_products(k, w), of_l = weight_products(l, w)) {
  u_from_sums(u_sums(of_k, of_l, weight_products(k * l, w), w), w)
}

u_sums <- function(of_k, of_l, of_m, w) {
  w2 <- w^2
  w3 <- w2 * w
  m1 <- colSums(w * of_m$one)
  w2m1 <- colSums(w2 * of_m$one)
  w3m1 <- colSums(w3 * of_m$one)
  both <- of_k$one * of_l$one
  list(
    m1 = m1, w2m1 = w2m1, w3m1 = w3m1, w2m2 = colSums(w2 * of_m$two),
    a = colSums(w * both) - w2m1, w2kl = colSums(w2 * both),
    c = colSums(w * of_k$two * of_l$one) - w3m1, d = colSums(w * of_k$one * of_l$two) - w3m1,
    k = colSums(w * of_k$one), l = colSums(w * of_l$one)
  )
}

u_from_sums <- function(s, w) {
  p <- lapply(1:4, function(power) colSums(w^power))
  t1 <- (p[[1]]^2 - p[[2]]) * s$m1 - 4 * p[[1]] * s$w2m1 + 4 * s$w3m1 + 2 * s$w2m2
  t2 <- p[[1]] * s$a - (s$w2kl - s$w2m2) - s$c - s$d
  t3 <- s$k * s$l - 4 * s$w2kl + 2 * s$w2m2
  tuples <- p[[1]]^4 - 6 * p[[1]]^2 * p[[2]] + 8 * p[[1]] * p[[3]] + 3 * p[[2]]^2 - 6 * p[[4]]
  (t1 - 2 * t2 + t3) / tuples
}

weighted_v <- function(k, l, w) {
  p <- sweep(w, 2, colSums(w), "/")
  kp <- k %*% p
  lp <- l %*% p
  weighted_sum(k * l, p) - 2 * colSums(p * kp * lp) + colSums(p * kp) * colSums(p * lp)
}

# For pairs of columns of f and g, the estimator of their one-dimensional kernels f f' and g g',
# added up over the columns, from sums of powers.
weighted_column_u <- function(f, g, w) {
  powers <- function(a, b, c) crossprod(f^b * g^c, w^a)
  x <- powers(1, 1, 0)
  y <- powers(1, 0, 1)
  x2 <- powers(2, 1, 0)
  y2 <- powers(2, 0, 1)
  s111 <- powers(1, 1, 1)
  s211 <- powers(2, 1, 1)
  s212 <- powers(2, 1, 2)
  s221 <- powers(2, 2, 1)
  s322 <- powers(3, 2, 2)
  s312 <- powers(3, 1, 2)
  s321 <- powers(3, 2, 1)
  s422 <- powers(4, 2, 2)
  w2m1 <- s211 * s111 - s322
  w3m1 <- powers(3, 1, 1) * s111 - s422
  sums <- list(
    m1 = s111^2 - powers(2, 2, 2), w2m1 = w2m1, w3m1 = w3m1, w2m2 = s211^2 - s422,
    a = x * y * s111 - x * s212 - y * s221 + s322 - w2m1,
    w2kl = x * y * s211 - x * s312 - y * s321 + s422,
    c = x2 * y * s111 - x2 * s212 - y * s321 + s422 - w3m1,
    d = x * y2 * s111 - x * s312 - y2 * s221 + s422 - w3m1
  )
  sums <- lapply(sums, colSums)
  # the product of the two totals has to be added up over the columns
  sums$k <- colSums((x^2 - powers(2, 2, 0)) * (y^2 - powers(2, 0, 2)))
  sums$l <- 1
  u_from_sums(sums, w)
}
