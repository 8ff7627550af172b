# Measures that align one representation with the other: digits, degenerate input, extreme
# scales.

alignment_ids <- c("procrustes", "procrustes_size_shape", "procrustes_similarity",
                   "angular_shape", "aligned_cosine", "permutation_procrustes",
                   "hard_correlation_match", "soft_correlation_match")

rotation_matrix <- function(d) qr.Q(qr(normal_matrix(d, d)))

alignment_pair <- function(n = 30, qx = 6, qy = 9, seed = 1) {
  set.seed(seed)
  p <- related_pair(n, qx, qy)
  lapply(p, function(side) sweep(side, 2, rnorm(ncol(side)), "+"))
}

test_that("procrustes agrees with vegan's symmetric statistic", {
  skip_unless_extended()
  skip_if_not_installed("vegan")
  for (q in list(c(5, 5), c(4, 7), c(8, 3))) {
    p <- alignment_pair(40, q[1], q[2])
    # vegan scales the turned side as well: m2 = 1 - nuclear^2, and d^2 = 2 - 2 nuclear
    theirs <- suppressWarnings(vegan::procrustes(def_pad(p$x, max(q)), def_pad(p$y, max(q)),
                                                 symmetric = TRUE))
    expect_equal(procrustes(p$x, p$y), sqrt(2 - 2 * sqrt(1 - theirs$ss)), tolerance = 1e-9)
  }
})

test_that("the greedy match is not the optimal one where it pays to wait", {
  set.seed(2)
  u <- qr.Q(qr(def_center(normal_matrix(20, 4))))
  # correlations 0.75 and about 0.7 in the first row, 0.66 and about -0.1 in the second
  x <- u[, 1:2]
  y <- cbind(u[, 1:2] %*% c(0.75, 0.66), u %*% c(0.7, -0.1, 0.5, 0.5))
  r <- cor(x, y)
  expect_equal(hard_correlation_match(x, y, matching = "greedy"), (r[1, 1] + r[2, 2]) / 2)
  expect_equal(hard_correlation_match(x, y), (r[1, 2] + r[2, 1]) / 2)
})

test_that("greedy ties go by position, not by rounding: the same from both sides, in any units", {
  set.seed(3)
  for (i in 1:40) {
    groups <- function(k) diag(k)[sample(rep_len(seq_len(k), 13)), ]
    x <- groups(9)
    y <- groups(8)
    value <- hard_correlation_match(x, y, matching = "greedy")
    expect_equal(hard_correlation_match(y, x, matching = "greedy"), value, tolerance = 1e-12)
    expect_equal(hard_correlation_match(3 * x + 0.1, y / 7, matching = "greedy"), value,
                 tolerance = 1e-12)
  }
})

test_that("permutation Procrustes takes negative products, too", {
  for (width in list(c(4, 4), c(2, 5), c(5, 3), c(1, 4))) {
    p <- alignment_pair(12, width[1], width[2])
    expect_equal(permutation_procrustes(p$x, -p$y), def_permutation_procrustes(p$x, -p$y),
                 tolerance = 1e-12)
  }
  # all inner products negative: every real column still has a partner
  x <- abs(normal_matrix(10, 2))
  y <- -cbind(x, x[, 1])
  expect_equal(permutation_procrustes(x, y), def_permutation_procrustes(x, y), tolerance = 1e-12)
})

test_that("a representation turned, moved and scaled is at distance zero, to all digits", {
  set.seed(3)
  for (shape in list(c(50, 8), c(20, 40), c(30, 1), c(4, 3))) {
    x <- normal_matrix(shape[1], shape[2])
    turned <- sweep(2.5 * x %*% rotation_matrix(shape[2]), 2, rnorm(shape[2]), "+")
    for (y in list(turned, def_pad(turned, shape[2] + 3))) {
      expect_lt(procrustes(x, y), 1e-13)
      expect_lt(procrustes(y, x), 1e-13)
      expect_lt(angular_shape(x, y), 1e-13)
      expect_lt(procrustes_size_shape(x, y / 2.5), 1e-13 * def_size(x))
      expect_equal(procrustes_similarity(x, y / 2.5), 1, tolerance = 1e-13)
      expect_equal(aligned_cosine(x, y, center = TRUE), 1, tolerance = 1e-12)
    }
    expect_identical(permutation_procrustes(x, x[, shape[2]:1, drop = FALSE]), 0)
    expect_equal(hard_correlation_match(x, 3 * x[, shape[2]:1, drop = FALSE] + 1), 1)
  }
})

test_that("small distances keep their digits", {
  set.seed(4)
  x <- def_center(normal_matrix(40, 5))
  # a change that no rotation undoes: outside the column space of x
  change <- def_center(normal_matrix(40, 5))
  change <- change - x %*% solve(crossprod(x), crossprod(x, change))
  for (size in 10^c(-3, -5, -7, -9, -11)) {
    y <- x + size * change
    expect_equal(procrustes_size_shape(x, y) / size, def_size(change),
                 tolerance = max(1e-9, 1e-15 / size))
    distance <- procrustes(x, y)
    expect_equal(angular_shape(x, y), 2 * asin(distance / 2), tolerance = 1e-12)
  }
  # no jump where the way of computing changes
  shares <- vapply(10^seq(-2, -3, length.out = 21), function(size) {
    procrustes_size_shape(x, x + size * change) / size
  }, 0)
  expect_equal(shares, rep(def_size(change), 21), tolerance = 1e-9)
})

test_that("weak directions are aligned as well as strong ones", {
  set.seed(5)
  spectrum <- 10^-(0:11)
  x <- def_center(normal_matrix(60, 12)) %*% diag(spectrum) %*% rotation_matrix(12)
  for (y in list(x %*% rotation_matrix(12), def_pad(x, 20) %*% rotation_matrix(20))) {
    expect_lt(procrustes(x, y), 1e-12)
    expect_lt(procrustes(y, x), 1e-12)
    expect_equal(aligned_cosine(x, y), 1, tolerance = 1e-10)
  }
  # one stimulus that lies in a weak direction only
  z <- cbind(rbind(normal_matrix(20, 3), 0), c(rep(0, 20), 1e-9))
  turned <- z %*% rotation_matrix(4)
  expect_equal(aligned_cosine(z, turned), 1, tolerance = 1e-6)
  expect_equal(aligned_cosine(turned, cbind(z, 0)), 1, tolerance = 1e-6)
})

test_that("the Procrustes distances obey the triangle inequality", {
  for (seed in 1:30) {
    set.seed(seed)
    widths <- if (seed %% 2) c(4, 4, 4) else c(3, 5, 30)
    sides <- lapply(widths, function(q) normal_matrix(20, q))
    sides[[2]] <- sides[[1]][, rep_len(seq_len(widths[1]), widths[2])] + 0.3 * sides[[2]]
    ids <- c("procrustes", "procrustes_size_shape", "angular_shape",
             if (seed %% 2) "permutation_procrustes")
    for (id in ids) {
      f <- get(id)
      d <- c(f(sides[[1]], sides[[2]]), f(sides[[2]], sides[[3]]), f(sides[[1]], sides[[3]]))
      expect_lte(2 * max(d) - sum(d), 1e-9)
    }
  }
})

test_that("columns of zeros change nothing, and column order only what it should", {
  p <- alignment_pair(25, 5, 7)
  for (id in setdiff(alignment_ids, c("hard_correlation_match", "soft_correlation_match"))) {
    f <- get(id)
    if (id != "permutation_procrustes") {
      expect_equal(f(cbind(p$x, 0, 0, 0, 0), p$y), f(p$x, p$y), tolerance = 1e-10, label = id)
    }
    expect_equal(f(cbind(p$x, 0), p$y), f(p$x, p$y), tolerance = 1e-10, label = id)
  }
})

test_that("at extreme scales distances are in the units of the data", {
  for (width in list(c(5, 7), c(30, 28))) {
    p <- alignment_pair(25, width[1], width[2])
    for (factors in list(c(1e150, 1e150), c(1e-150, 1e-150), c(1e150, 1e-150), c(1e-150, 1e150),
                         c(1e300, 1e300), c(1e-300, 1e-300))) {
      x <- p$x * factors[1]
      y <- p$y * factors[2]
      sized <- c("procrustes_size_shape", "permutation_procrustes")
      for (id in sized) {
        larger <- if (id == sized[1]) lapply(p, def_center) else p
        expected <- if (factors[1] == factors[2]) get(id)(p$x, p$y) else
          def_size(larger[[which.max(factors)]])
        expect_equal(get(id)(x, y) / max(factors), expected, tolerance = 1e-10, label = id)
      }
    }
    expect_equal(procrustes_similarity(1e150 * p$x, 1e150 * p$y), procrustes_similarity(p$x, p$y),
                 tolerance = 1e-10)
    expect_equal(procrustes_similarity(1e-150 * p$x, 1e150 * p$y), 0)
    expect_equal(procrustes_similarity(1e150 * p$x, 1e-150 * p$y) / 1e300,
                 -def_size(def_center(p$x)) / def_size(def_center(p$y)), tolerance = 1e-10)
    expect_refused(procrustes_similarity(1e200 * p$x, 1e-200 * p$y), c("`x`", "`y`", "rescale"))
  }
})

test_that("columns of very different size correlate as they do at one size", {
  p <- alignment_pair(25, 5, 7)
  sizes <- 10^c(-200, -80, 0, 90, 200)
  expect_equal(hard_correlation_match(sweep(p$x, 2, sizes, "*"), p$y),
               hard_correlation_match(p$x, p$y), tolerance = 1e-12)
  expect_equal(soft_correlation_match(sweep(p$x, 2, sizes, "*"), p$y),
               soft_correlation_match(p$x, p$y), tolerance = 1e-12)
})

test_that("rows of very different size have cosines of one size", {
  x <- normal_matrix(10, 3)
  x[1, ] <- 1e-200 * x[1, ]
  expect_equal(aligned_cosine(x, x), 1, tolerance = 1e-12)
})

test_that("constant columns are refused where a correlation is needed, and named", {
  p <- alignment_pair(20, 5, 6)
  p$y[, c(2, 4)] <- 0.1
  for (f in list(hard_correlation_match, soft_correlation_match)) {
    error <- expect_refused(f(p$x, p$y), c("`y`", "2 and 4", "constant"))
    expect_s3_class(error, "repalign_error_variance")
    expect_identical(error$arg, "y")
    expect_refused(f(p$y, p$x), c("`x`", "2 and 4"))
  }
  # the others keep them
  for (id in setdiff(alignment_ids, c("hard_correlation_match", "soft_correlation_match"))) {
    expect_true(is.finite(get(id)(p$x, p$y)), label = id)
  }
})

test_that("rows without a direction are refused and named", {
  p <- alignment_pair(20, 5, 6)
  p$x[c(3, 7), ] <- 0
  error <- expect_refused(aligned_cosine(p$x, p$y), c("`x`", "zeros", "3 and 7"))
  expect_s3_class(error, "repalign_error_zero_row")
  expect_refused(aligned_cosine(p$y, p$x), c("`y`", "3 and 7"))
  # centred, they have one again; a row that equals the mean has none
  expect_true(is.finite(aligned_cosine(p$x, p$y, center = TRUE)))
  x <- normal_matrix(9, 3)
  x <- rbind(x, colMeans(x))
  expect_refused(aligned_cosine(x, normal_matrix(10, 3), center = TRUE), c("`x`", "mean", "10"))
  expect_true(is.finite(aligned_cosine(x, normal_matrix(10, 3))))
})

test_that("a rotation that the data leave open adds nothing, with a warning", {
  u <- qr.Q(qr(normal_matrix(12, 5)))
  # the second columns are exactly uncorrelated
  x <- u[, 1:2] %*% diag(c(2, 1))
  y <- u[, c(1, 3)] %*% diag(c(2, 1))
  value <- expect_warned(aligned_cosine(x, y), "repalign_not_unique")
  expected <- mean(x[, 1] * y[, 1] / sqrt(rowSums(x^2) * rowSums(y^2)))
  expect_equal(value, expected, tolerance = 1e-9)
  # the same whatever the basis, the order and the scale
  q <- rotation_matrix(2)
  expect_equal(suppressWarnings(aligned_cosine(x %*% q, y)), value, tolerance = 1e-9)
  expect_equal(suppressWarnings(aligned_cosine(y, 1e-100 * x)), value, tolerance = 1e-9)
  expect_equal(suppressWarnings(aligned_cosine(def_pad(x, 4), y)), value, tolerance = 1e-9)
  # nothing in common at all
  expect_equal(expect_warned(aligned_cosine(u[, 1:2], u[, 3:5]), "repalign_not_unique"), 0)
  # rank-deficient sides that are not open give no warning
  flat <- x[, c(1, 2, 1, 2)]
  expect_no_warning(aligned_cosine(flat, flat))
  expect_equal(aligned_cosine(flat, flat), 1, tolerance = 1e-12)
  expect_no_warning(aligned_cosine(normal_matrix(6, 20), normal_matrix(6, 30), center = TRUE))
})

test_that("uncorrelated representations are at the largest distance", {
  u <- qr.Q(qr(def_center(normal_matrix(12, 6))))
  expect_equal(procrustes(u[, 1:3], u[, 4:6]), sqrt(2), tolerance = 1e-12)
  expect_equal(angular_shape(u[, 1:3], u[, 4:6]), pi / 2, tolerance = 1e-12)
  expect_lte(angular_shape(u[, 1:3], u[, 4:6]), pi / 2)
})

test_that("rank-deficient, duplicated and tiny input works", {
  set.seed(6)
  base <- normal_matrix(15, 2)
  flat <- base[, c(1, 2, 1, 2, 1)]
  tiny <- list(x = normal_matrix(2, 3), y = normal_matrix(2, 2))
  for (id in alignment_ids) {
    f <- get(id)
    values <- c(f(flat, flat), f(flat, normal_matrix(15, 4)), f(tiny$x, tiny$y),
                f(base[c(1:7, 1:7), ], normal_matrix(14, 3)),
                f(round(base) + 5, round(3 * base) + 9))
    expect_true(all(is.finite(values)), label = id)
  }
  expect_lt(procrustes(flat, flat), 1e-14)
})

test_that("arguments are checked, and pairs share what they can", {
  p <- alignment_pair()
  expect_refused(procrustes(p$x, p$y, center = NA), "`center`")
  expect_refused(procrustes(p$x, p$y, scale = "yes"), "`scale`")
  expect_refused(permutation_procrustes(p$x, p$y, scale = 2), "`scale`")
  expect_refused(aligned_cosine(p$x, p$y, center = NULL), "`center`")
  expect_refused(hard_correlation_match(p$x, p$y, matching = "best"), "`matching`")
  expect_refused(soft_correlation_match(p$x, p$y, direction = "z"), "`direction`")
  distances <- stats::dist(p$x)
  for (id in alignment_ids) expect_refused(get(id)(distances, p$y), "`x`")
  layers <- list(a = p$x, b = p$y, c = normal_matrix(30, 40), d = normal_matrix(30, 50))
  factors <- count_calls("row_rounding", similarity(layers, measure = "aligned_cosine"))
  expect_identical(factors, 4L)
  grid <- similarity(layers, measure = alignment_ids)
  alone <- vapply(seq_len(nrow(grid)), function(i) {
    get(grid$measure[i])(layers[[grid$x[i]]], layers[[grid$y[i]]])
  }, 0)
  expect_identical(grid$score, alone)
  expect_identical(count_calls("optimal_match", similarity(p$x, p$y, list(
    "permutation_procrustes", measure("permutation_procrustes", scale = TRUE)))), 1L)
})
