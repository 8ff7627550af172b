# Inner products over cosets of shifts, by the package's own Fourier transform.

smooth <- function(n) {
  for (p in 2:13) while (n %% p == 0) n <- n / p
  n == 1
}

symmetric <- function(n) {
  m <- normal_matrix(n, n)
  m + t(m)
}

brute_inner <- function(x, y, permutations) {
  pairs <- expand.grid(i = seq_along(x), j = seq_along(y))
  mapply(function(i, j) {
    apply(permutations, 2, function(p) sum(x[[i]] * y[[j]][p, p]))
  }, pairs$i, pairs$j)
}

coset_inner <- function(x, y, design, sequences = diagonals_at_once, threads = 1L) {
  .Call(C_coset_inner, x, y, design$coset$order_x, design$coset$orders_y, sequences, threads)
}

test_that("sums over cosets are those of the single permutations, for any n", {
  set.seed(52)
  # tiny, even, odd, prime (padded), with large factors, powers
  for (n in c(2:20, 23, 31, 32, 34, 37, 46, 53, 64, 81, 94, 97)) {
    x <- list(symmetric(n), symmetric(n))
    y <- list(symmetric(n), symmetric(n), symmetric(n))
    design <- coset_design(n, n)
    expect_identical(ncol(design$coset$orders_y), 2L)
    permutations <- cbind(seq_len(n), def_coset(design$coset$order_x, design$coset$orders_y))
    expected <- brute_inner(x, y, permutations)
    for (sequences in c(8, 24, diagonals_at_once)) {
      got <- coset_inner(x, y, design, sequences)
      note(identical(dim(got), dim(expected)), n, ": wrong size")
      error <- max(abs(got - expected)) / max(abs(expected))
      note(error < 1e-13, n, ", ", sequences, " at once: off by ", error)
    }
    explicit <- .Call(C_permuted_inner, x, y, permutations, 1L)
    note(max(abs(explicit - expected)) / max(abs(expected)) < 1e-14, n, ": explicit")
  }
  expect_nothing_noted()
})

test_that("transforms of all smooth lengths give the sums of the single permutations", {
  set.seed(51)
  for (n in c(Filter(smooth, 98:200), 256, 343, 500)) {
    x <- list(symmetric(n))
    y <- list(symmetric(n))
    design <- coset_design(n, n - 1)
    permutations <- cbind(seq_len(n), def_coset(design$coset$order_x, design$coset$orders_y))
    expected <- .Call(C_permuted_inner, x, y, permutations, 1L)
    error <- max(abs(coset_inner(x, y, design) - expected)) / max(abs(expected))
    note(error < 1e-13, n, ": off by ", error)
  }
  expect_nothing_noted()
})

test_that("blocks of diagonals, threads and numbers of layers do not change the sums", {
  set.seed(53)
  # the last one takes two blocks of as many diagonals as the package has at once
  for (n in c(67, 96, 301)) {
    x <- lapply(1:3, function(i) symmetric(n))
    y <- lapply(1:4, function(i) symmetric(n))
    design <- coset_design(n, 2 * n)
    all <- coset_inner(x, y, design)
    for (sequences in c(1, 8, 16, 24, 1000)) {
      expect_equal(coset_inner(x, y, design, sequences), all, tolerance = 1e-13)
    }
    expect_identical(coset_inner(x, y, design, threads = 2L), all)
    expect_identical(coset_inner(x, y, design, 8, threads = 2L), coset_inner(x, y, design, 8))
    expect_equal(coset_inner(x[2], y[3], design)[, 1], all[, 2 + 3 * 2], tolerance = 1e-13)
    permutations <- def_coset(design$coset$order_x, design$coset$orders_y)
    expect_identical(.Call(C_permuted_inner, x, y, permutations, 2L),
                     .Call(C_permuted_inner, x, y, permutations, 1L))
  }
})

test_that("many pairs, in pieces between pauses, have the sums of a few", {
  set.seed(56)
  # more pairs than a pause allows frequencies of, for any number of threads
  n <- 300
  x <- lapply(1:3, function(i) symmetric(n))
  y <- lapply(1:2, function(i) symmetric(n))
  design <- coset_design(n, n - 1)
  few <- array(coset_inner(x, y, design), c(n, 3, 2))
  at_x <- rep_len(1:3, 70)
  at_y <- rep_len(1:2, 61)
  many <- coset_inner(x[at_x], y[at_y], design)
  expect_equal(many, matrix(few[, at_x, at_y], n), tolerance = 1e-13)
  expect_identical(coset_inner(x[at_x], y[at_y], design, threads = 3L), many)
  permutations <- replicate(400, sample.int(n))
  permuted <- function(x, y, threads) .Call(C_permuted_inner, x, y, permutations, threads)
  single <- vapply(1:6, function(pair) {
    permuted(x[(pair - 1) %% 3 + 1], y[(pair - 1) %/% 3 + 1], 1L)[, 1]
  }, double(400))
  for (threads in 1:3) expect_identical(permuted(x, y, threads), single)
})

test_that("the first sum is the plain inner product, and every coset sums to the same", {
  set.seed(54)
  n <- 43
  a <- symmetric(n)
  b <- symmetric(n)
  design <- coset_design(n, 3 * n)
  sums <- matrix(coset_inner(list(a), list(b), design), n)
  expect_equal(sums[1, 1], sum(a * b), tolerance = 1e-13)
  # a matrix that is constant along its diagonals, in the order of the shifts, meets all alike
  circulant <- outer(1:n, 1:n, function(i, j) cos(2 * pi * (i - j) / n))
  place <- order(design$coset$order_x)
  flat <- coset_inner(list(circulant[place, place]), list(b), design)
  expect_lt(diff(range(flat[1:n])), 1e-11 * max(abs(flat)))
})

test_that("damaged input is an error in the entry points, not a crash", {
  n <- 8
  a <- list(diag(n))
  o <- sample(n)
  expect_error(.Call(C_coset_inner, a, a, o, cbind(c(o[-1], 9L)), 64, 1L),
               "coset_inner: `orders_y`")
  expect_error(.Call(C_coset_inner, a, list(diag(7)), o, cbind(o), 64, 1L), "coset_inner: `y`")
  expect_error(.Call(C_coset_inner, a, a, o, 1:9, 64, 1L), "coset_inner: `orders_y`")
  expect_error(.Call(C_coset_inner, a, a, integer(), cbind(o), 64, 1L), "coset_inner: `order_x`")
  expect_error(.Call(C_permuted_inner, NULL, a, cbind(o), 1L), "permuted_inner: `x`")
  none <- list(matrix(0, 0, 0))
  expect_error(.Call(C_coset_inner, none, none, o, cbind(o), 64, 1L), "coset_inner: `x`.*empty")
  expect_error(.Call(C_permuted_inner, none, none, cbind(o), 1L), "permuted_inner: `x`.*empty")
  for (sequences in list(NULL, NA, 0, -8, Inf, "many")) {
    expect_error(.Call(C_coset_inner, a, a, o, cbind(o), sequences, 1L),
                 "coset_inner: `sequences`")
  }
  expect_error(.Call(C_permuted_inner, a, a, cbind(0:7), 1L), "permuted_inner: `permutations`")
  expect_error(.Call(C_permuted_inner, list(), a, cbind(o), 1L), "permuted_inner: `x`")
  for (threads in c(NA, 0L, -1L)) {
    expect_error(.Call(C_coset_inner, a, a, o, cbind(o), 64, threads), "coset_inner: `threads`")
    expect_error(.Call(C_permuted_inner, a, a, cbind(o), threads), "permuted_inner: `threads`")
  }
  expect_error(.Call(C_permuted_singular_values, diag(n), diag(7), cbind(o)),
               "permuted_singular_values: `b`")
})

test_that("singular values of permuted products are those of svd()", {
  set.seed(55)
  for (size in list(c(3, 5), c(6, 2), c(1, 4), c(12, 12))) {
    a <- normal_matrix(15, size[1])
    b <- normal_matrix(15, size[2])
    p <- replicate(5, sample(15L))
    expected <- apply(p, 2, function(p) svd(crossprod(a, b[p, ]), 0, 0)$d)
    got <- .Call(C_permuted_singular_values, a, b, p)
    expect_equal(got, matrix(expected, min(size)), tolerance = 1e-12)
  }
})

test_that("a coset of many matrices has the sums of explicit relabelling", {
  set.seed(1)
  # odd and even, prime, and with every radix of the transform
  for (n in c(4, 7, 30, 64, 101, 125, 143, 210)) {
    for (layers in 1:3) {
      x <- replicate(layers, symmetric(n), simplify = FALSE)
      y <- replicate(2, symmetric(n), simplify = FALSE)
      design <- coset_design(n, 2 * n - 1)
      coset <- function(sequences, threads) {
        .Call(C_coset_inner, x, y, design$coset$order_x, design$coset$orders_y,
              sequences, threads)
      }
      direct <- .Call(C_permuted_inner, x, y,
                      with_observed(design), 1L)
      found <- coset(64, 1L)
      scale <- sqrt(sum(x[[1]]^2) * sum(y[[1]]^2))
      expect_lt(max(abs(found - direct)) / scale, 1e-14)
      expect_lt(max(abs(coset(8, 1L) - direct)) / scale, 1e-14)
      expect_identical(coset(64, 2L), found)
    }
  }
})
