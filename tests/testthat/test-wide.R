# Loops that are compiled twice (wide.h), and products of many matrices at once.

internal <- function(name) getFromNamespace(name, "repalign")

symmetric_matrices <- function(count, n) {
  lapply(seq_len(count), function(i) {
    a <- matrix(rnorm(n * n), n)
    a + t(a)
  })
}

without_wide <- function(run) {
  .Call(internal("C_allow_wide"), FALSE)
  withr::defer(.Call(internal("C_allow_wide"), TRUE))
  run()
}

test_that("wider vectors, plain ones and explicit relabelling give the same coset", {
  set.seed(1)
  # odd and even, prime, and with every radix of the transform
  for (n in c(4, 7, 30, 64, 101, 125, 143, 210)) {
    for (layers in 1:3) {
      x <- symmetric_matrices(layers, n)
      y <- symmetric_matrices(2, n)
      design <- internal("coset_design")(n, 2 * n - 1)
      coset <- function(sequences, threads) {
        .Call(internal("C_coset_inner"), x, y, design$coset$order_x, design$coset$orders_y,
              sequences, threads)
      }
      direct <- .Call(internal("C_permuted_inner"), x, y,
                      cbind(seq_len(n), internal("design_matrix")(design)), 1L)
      wide <- coset(64, 1L)
      plain <- without_wide(function() coset(64, 1L))
      scale <- sqrt(sum(x[[1]]^2) * sum(y[[1]]^2))
      expect_lt(max(abs(wide - direct)) / scale, 1e-14)
      expect_lt(max(abs(plain - direct)) / scale, 1e-14)
      expect_lt(max(abs(coset(8, 1L) - direct)) / scale, 1e-14)
      expect_identical(coset(64, 2L), wide)
    }
  }
})

test_that("scores of a grid are those of its pairs", {
  set.seed(2)
  layers <- function(count, d) {
    stats::setNames(lapply(seq_len(count), function(i) matrix(rnorm(40 * d), 40)),
                    paste0("l", seq_len(count)))
  }
  x <- layers(3, 5)
  y <- layers(4, 60)
  set <- list(measure("cka"), measure("cka", estimator = "stimulus"), measure("rv"))
  # some measure may make the forms before
  for (first in list(list(), list("procrustes"))) {
    grid <- calibrate(x, y, c(first, set), permutations = 79)
    plain <- similarity(x, y, c(first, set))
    key <- function(rows) paste(rows$x, rows$y, rows$measure)
    expect_equal(grid$score, plain$score[match(key(grid), key(plain))], tolerance = 1e-12)
  }
  within <- calibrate(x, measure = "cka", permutations = 79)
  expect_equal(within$score, similarity(x, measure = "cka")$score, tolerance = 1e-12)
})

test_that("wider vectors and plain ones see the same in given RDMs", {
  set.seed(3)
  for (n in c(3, 9, 60)) {
    rdms <- lapply(c(a = 1, b = 2, c = 3), function(k) stats::dist(matrix(rnorm(4 * n), n)))
    rdms$c[2] <- NA
    extents <- function() plain_rdms(rdms)$extent
    wide <- extents()
    expect_equal(wide, without_wide(extents), tolerance = 1e-14)
    expect_equal(wide[1:2, ], vapply(rdms, range, double(2), na.rm = TRUE, USE.NAMES = FALSE))
    expect_equal(wide[3:4, ], rbind(c(0, 0, 1), vapply(rdms, sum, 0)), ignore_attr = TRUE)
    rdms$c <- NULL
    scores <- function() similarity(rdms, measure = measure("rsa", outer = "pearson"))$score
    expect_equal(scores(), without_wide(scores), tolerance = 1e-14)
    expect_equal(scores(), cor(rdms$a, rdms$b), tolerance = 1e-13)
  }
})
