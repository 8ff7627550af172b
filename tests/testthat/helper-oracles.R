# Brute-force values from the definitions, slow and plain, for tiny inputs. Nothing
# here calls the code under test.

# All tuples of k different indices out of n, one a row.
distinct_tuples <- function(n, k) {
  tuples <- as.matrix(expand.grid(rep(list(seq_len(n)), k)))
  tuples[apply(tuples, 1, function(t) !anyDuplicated(t)), , drop = FALSE]
}

all_tuples <- function(n, k) as.matrix(expand.grid(rep(list(seq_len(n)), k)))

# Paper, equations (10), (11), (13) for one neuron of each side, with sums over
# index tuples: < a_i a_j b_i b_j > - 2 < a_i a_j b_j b_l > + < a_i a_j b_l b_r >.
tuple_mean <- function(a, b, tuples) {
  n <- length(a)
  two <- tuples(n, 2)
  three <- tuples(n, 3)
  four <- tuples(n, 4)
  mean(a[two[, 1]] * a[two[, 2]] * b[two[, 1]] * b[two[, 2]]) -
    2 * mean(a[three[, 1]] * a[three[, 2]] * b[three[, 2]] * b[three[, 3]]) +
    mean(a[four[, 1]] * a[four[, 2]] * b[four[, 3]] * b[four[, 4]])
}

# H_0, H_S or H_C; labels say which pairs of neurons H_C leaves out.
brute_h <- function(x, y, estimator, labels_x = NULL, labels_y = NULL) {
  tuples <- if (estimator == "naive") all_tuples else distinct_tuples
  terms <- c()
  for (a in seq_len(ncol(x))) {
    for (b in seq_len(ncol(y))) {
      left_out <- estimator == "stimulus_neuron" && !is.null(labels_x) &&
        labels_x[a] == labels_y[b]
      if (!left_out) terms <- c(terms, tuple_mean(x[, a], y[, b], tuples))
    }
  }
  mean(terms)
}

# The same three values for inputs too large for tuples: kernel matrices and Song's
# formula (A.3), also for the blocks of pairs that are left out.
kernel_naive <- function(k, l) {
  n <- nrow(k)
  h <- diag(n) - 1 / n
  sum((h %*% k %*% h) * (h %*% l %*% h)) / n^2
}

kernel_unbiased <- function(k, l) {
  n <- nrow(k)
  diag(k) <- 0
  diag(l) <- 0
  (sum(k * l) + sum(k) * sum(l) / ((n - 1) * (n - 2)) -
   2 * sum(colSums(k) * colSums(l)) / (n - 2)) /
    (n * (n - 3))
}

# The sum of kernel_unbiased() of a column of `a` with itself and that of `b` in the same place.
columns_unbiased <- function(a, b) {
  n <- nrow(a)
  total <- function(u) colSums(u)^2 - colSums(u^2)
  rows <- function(u) u * (rep(colSums(u), each = n) - u)
  sum(total(a * b) + total(a) * total(b) / ((n - 1) * (n - 2)) -
        2 * colSums(rows(a) * rows(b)) / (n - 2)) / (n * (n - 3))
}

plain_h <- function(x, y, estimator, labels_x = NULL, labels_y = NULL) {
  x <- sweep(x, 2, colMeans(x))
  y <- sweep(y, 2, colMeans(y))
  k <- tcrossprod(x) / ncol(x)
  l <- tcrossprod(y) / ncol(y)
  if (estimator == "naive") return(kernel_naive(k, l))
  if (estimator == "stimulus" || is.null(labels_x)) return(kernel_unbiased(k, l))
  # a block of equal labels at a time: its pairs are taken away from all pairs
  total <- kernel_unbiased(k, l) * ncol(x) * ncol(y)
  count <- ncol(x) * ncol(y)
  if (!anyDuplicated(labels_x) && !anyDuplicated(labels_y)) {
    both <- intersect(labels_x, labels_y)
    own <- columns_unbiased(x[, match(both, labels_x), drop = FALSE],
                            y[, match(both, labels_y), drop = FALSE])
    count <- count - length(both)
    return(if (count == 0) NA_real_ else (total - own) / count)
  }
  for (label in intersect(labels_x, labels_y)) {
    a <- x[, labels_x == label, drop = FALSE]
    b <- y[, labels_y == label, drop = FALSE]
    total <- total - kernel_unbiased(tcrossprod(a), tcrossprod(b))
    count <- count - ncol(a) * ncol(b)
  }
  if (count == 0) NA_real_ else total / count
}

# c(h_xy, h_xx, h_yy): labels_x and labels_y are those of the numerator; the self
# terms leave out every neuron with itself, or every pair of one label.
plain_triple <- function(x, y, estimator, labels_x = NULL, labels_y = NULL) {
  own_x <- if (is.null(labels_x)) seq_len(ncol(x)) else labels_x
  own_y <- if (is.null(labels_y)) seq_len(ncol(y)) else labels_y
  c(plain_h(x, y, estimator, labels_x, labels_y), plain_h(x, x, estimator, own_x, own_x),
    plain_h(y, y, estimator, own_y, own_y))
}

plain_ratio <- function(h) {
  if (anyNA(h) || h[2] <= 0 || h[3] <= 0) NA_real_ else h[1] / sqrt(h[2] * h[3])
}

plain_cka <- function(x, y, estimator, labels_x = NULL, labels_y = NULL) {
  plain_ratio(plain_triple(x, y, estimator, labels_x, labels_y))
}

all_estimators <- c("naive", "stimulus", "stimulus_neuron")

normal_matrix <- function(n, d) matrix(rnorm(n * d), n, d)

# Related representations: d shared dimensions, read out at random, plus noise.
related_pair <- function(n, qx, qy, d = 3, noise = 0.3) {
  stimuli <- normal_matrix(n, d)
  list(x = stimuli %*% normal_matrix(d, qx) + noise * normal_matrix(n, qx),
       y = stimuli %*% normal_matrix(d, qy) + noise * normal_matrix(n, qy))
}

# Delete-one variance of a statistic.
delete_one <- function(theta) {
  n <- length(theta)
  (n - 1) / n * sum((theta - mean(theta))^2)
}

# ESTIMATORS.md, "Uncertainty", as products, so that it gives covariances too.
two_way <- function(a, b, strata) {
  n <- nrow(a) - 1
  main <- function(u, v) sum((u - mean(u)) * (v - mean(v)))
  parts <- c(s = (n - 1) / n * main(a[-1, 1], b[-1, 1]), x = 0, y = 0, sx = 0, sy = 0)
  for (side in c("x", "y")[seq_along(strata)]) {
    at <- 1 + strata[[match(side, c("x", "y"))]]
    q <- length(at)
    if (q == 0) next
    parts[side] <- (q - 1) / q * main(a[1, at], b[1, at])
    for (i in 2:(n + 1)) {
      for (u in at) {
        inner <- function(m) m[i, u] - m[i, 1] - m[1, u] + m[1, 1]
        parts[paste0("s", side)] <- parts[paste0("s", side)] +
          (n - 1) * (q - 1) / (n * q) * inner(a) * inner(b)
      }
    }
  }
  parts
}

two_way_net <- function(parts) unname(parts["s"] + parts["x"] + parts["y"] - parts["sx"] -
                                      parts["sy"])

two_way_variance_of <- function(a, strata) {
  parts <- two_way(a, a, strata)
  max(two_way_net(parts), parts[c("s", "x", "y")])
}

# H triples for all deletions: an array (1 + n) x (1 + units) x 3, nothing deleted first.
# A unit is deleted on both sides at once.
literal_triples <- function(p, estimator, labels) {
  own <- if (is.null(labels)) {
    list(x = paste("x", seq_len(ncol(p$x))), y = paste("y", seq_len(ncol(p$y))))
  } else {
    lapply(labels, as.character)
  }
  units <- unique(c(own$x, own$y))
  triples <- array(NA_real_, c(1 + nrow(p$x), 1 + length(units), 3))
  for (i in 0:nrow(p$x)) {
    for (u in 0:length(units)) {
      rows <- setdiff(seq_len(nrow(p$x)), i)
      x <- if (u == 0) rep(TRUE, ncol(p$x)) else own$x != units[u]
      y <- if (u == 0) rep(TRUE, ncol(p$y)) else own$y != units[u]
      triples[i + 1, u + 1, ] <-
        plain_triple(p$x[rows, x, drop = FALSE], p$y[rows, y, drop = FALSE],
                                              estimator, labels$x[x], labels$y[y])
    }
  }
  # units on both sides make all of them one sample
  in_x <- units %in% own$x
  strata <- if (any(own$y %in% own$x)) list(seq_along(units)) else list(which(in_x), which(!in_x))
  list(triples = triples, strata = strata)
}
