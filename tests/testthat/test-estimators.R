# The estimators of linear and Gaussian kernels against sums over indices, complete
# enumeration, and the laws that they must obey.

tiny_pair <- function(n, qx, qy) {
  # means far from zero: centring must not matter to the corrected values
  list(x = normal_matrix(n, qx) + 1, y = normal_matrix(n, qy) - 2)
}

test_that("H_0, H_S and H_C are the sums over index tuples", {
  set.seed(1)
  for (widths in list(c(1, 1), c(3, 2), c(4, 6))) {
    p <- tiny_pair(5, widths[1], widths[2])
    for (e in all_estimators) {
      expect_relative(hsic(p$x, p$y, estimator = e), brute_h(p$x, p$y, e), 1e-11, e)
    }
  }
})

test_that("n = 4, n = 2 and single neurons are enough where the definition is", {
  set.seed(2)
  p <- tiny_pair(4, 2, 2)
  for (e in all_estimators) {
    expect_relative(hsic(p$x, p$y, estimator = e), brute_h(p$x, p$y, e), 1e-11, e)
  }
  self <- hsic(p$x, p$x, estimator = "stimulus_neuron", shared_neurons = TRUE)
  expect_relative(self, brute_h(p$x, p$x, "stimulus_neuron", 1:2, 1:2), 1e-11)
  # two stimuli: every neuron separates them, so the naive value is 1
  expect_equal(expect_warned(cka(p$x[1:2, ], p$y[1:2, ]), "repalign_trivial"), 1, tolerance = 1e-12)
  expect_relative(hsic(p$x[1:2, ], p$y[1:2, ]), brute_h(p$x[1:2, ], p$y[1:2, ], "naive"), 1e-11)
  # one neuron each, independent ones: its numerator is defined
  expect_relative(hsic(p$x[, 1, drop = FALSE], p$y[, 1, drop = FALSE],
                       estimator = "stimulus_neuron"),
                  brute_h(p$x[, 1, drop = FALSE], p$y[, 1, drop = FALSE], "stimulus"), 1e-11)
})

test_that("shared neurons leave out the pairs of a column with itself", {
  set.seed(3)
  p <- related_pair(5, 4, 4, d = 2, noise = 0)
  columns <- seq_len(4)
  brute <- vapply(list(list(p$x, p$y), list(p$x, p$x), list(p$y, p$y)), function(s) {
    brute_h(s[[1]], s[[2]], "stimulus_neuron", columns, columns)
  }, 0)
  expect_relative(hsic(p$x, p$y, estimator = "stimulus_neuron", shared_neurons = TRUE), brute[1],
                  1e-11)
  expect_gt(min(brute[2:3]), 0)
  value <- expect_warned(cka(p$x, p$y, estimator = "stimulus_neuron", shared_neurons = TRUE),
                         "repalign_unstable")
  expect_relative(value, plain_ratio(brute), 1e-10)
  # the flag concerns the corrected estimator only
  for (e in c("naive", "stimulus")) {
    expect_identical(hsic(p$x, p$y, estimator = e, shared_neurons = TRUE),
                     hsic(p$x, p$y, estimator = e))
  }
})

label_sets <- function() {
  list(
    "some neurons in common" = list(x = c(11, 12, 13, 14), y = c(12, 99, 11)),
    "groups" = list(x = c("s1", "s1", "s2", "s3"), y = c("s2", "s1", "s1")),
    "nothing in common" = list(x = 1:4, y = 5:7),
    "one group on one side" = list(x = c(1, 1, 1, 1), y = c(2, 1, 3)),
    "logical" = list(x = c(TRUE, FALSE, TRUE, FALSE), y = c(TRUE, TRUE, FALSE))
  )
}

test_that("unit labels leave out the pairs of equal labels", {
  set.seed(4)
  p <- tiny_pair(5, 4, 3)
  for (name in names(label_sets())) {
    u <- label_sets()[[name]]
    expect_relative(hsic(p$x, p$y, estimator = "stimulus_neuron", units_x = u$x, units_y = u$y),
                    brute_h(p$x, p$y, "stimulus_neuron", u$x, u$y), 1e-11, name)
  }
})

test_that("the denominators of a labelled CKA leave out pairs within their own groups", {
  set.seed(5)
  p <- related_pair(6, 5, 4, d = 2, noise = 0.05)
  units <- list(x = c(1, 1, 2, 2, 3), y = c(3, 2, 4, 4))
  brute <- c(brute_h(p$x, p$y, "stimulus_neuron", units$x, units$y),
             brute_h(p$x, p$x, "stimulus_neuron", units$x, units$x),
             brute_h(p$y, p$y, "stimulus_neuron", units$y, units$y))
  expect_gt(min(brute[2:3]), 0)
  corrected <- function(...) few_is_fine(cka(..., estimator = "stimulus_neuron"))
  expect_relative(corrected(p$x, p$y, units_x = units$x, units_y = units$y), plain_ratio(brute),
                  1e-10)
  # unique labels on both sides are the default, equal ones are shared_neurons
  default <- corrected(p$x, p$y)
  expect_equal(corrected(p$x, p$y, units_x = 1:5, units_y = 6:9), default, tolerance = 1e-12)
  q <- p$x + 0.1 * normal_matrix(6, 5)
  expect_equal(
    corrected(p$x, q, units_x = letters[1:5], units_y = letters[1:5]),
    corrected(p$x, q, shared_neurons = TRUE), tolerance = 1e-12
  )
})

test_that("labels match by value: strings, numbers and factors with other level orders", {
  set.seed(6)
  p <- tiny_pair(5, 4, 3)
  h <- function(ux, uy) hsic(p$x, p$y, estimator = "stimulus_neuron", units_x = ux, units_y = uy)
  expected <- h(c("b", "a", "c", "a"), c("a", "d", "b"))
  # the integer codes of these factors agree with nothing
  expect_identical(h(factor(c("b", "a", "c", "a")), factor(c("a", "d", "b"), c("d", "b", "a"))),
                   expected)
  expect_identical(h(factor(c("b", "a", "c", "a"), c("c", "b", "a")), c("a", "d", "b")), expected)
  expect_identical(h(c(2, 1, 3, 1), c(1L, 4L, 2L)), expected)
})

test_that("values do not depend on the order of neurons, with their labels", {
  set.seed(7)
  p <- related_pair(9, 6, 5)
  ux <- c(1, 2, 2, 3, 4, 5)
  uy <- c(5, 4, 2, 2, 9)
  a <- sample(6)
  b <- sample(5)
  expect_equal(
    hsic(p$x[, a], p$y[, b], estimator = "stimulus_neuron", units_x = ux[a], units_y = uy[b]),
    hsic(p$x, p$y, estimator = "stimulus_neuron", units_x = ux, units_y = uy), tolerance = 1e-12
  )
})

# --- unbiasedness, without a random number: all subsets of a finite population

subsets_of <- function(n, k) utils::combn(n, k, simplify = FALSE)

mean_over_subsets <- function(rows, columns_x, columns_y, value) {
  values <- c()
  for (r in rows) for (a in columns_x) for (b in columns_y) values <- c(values, value(r, a, b))
  mean(values)
}

test_that("H_C is unbiased over stimuli and neurons: complete enumeration", {
  set.seed(8)
  x <- normal_matrix(6, 4) + 1
  y <- normal_matrix(6, 4)
  rows <- subsets_of(6, 4)
  pairs <- subsets_of(4, 2)
  whole <- hsic(x, y, estimator = "stimulus_neuron")
  expect_relative(mean_over_subsets(rows, pairs, pairs, function(r, a, b) {
    hsic(x[r, a], y[r, b], estimator = "stimulus_neuron")
  }), whole, 1e-12, "different neurons")
  # the self term, and one population in two trials: the same subset on both sides
  for (other in list(x, x + 0.5 * y)) {
    whole <- hsic(x, other, estimator = "stimulus_neuron", shared_neurons = TRUE)
    value <- function(r, a, b) {
      hsic(x[r, a], other[r, a], estimator = "stimulus_neuron", shared_neurons = TRUE)
    }
    expect_relative(mean_over_subsets(rows, subsets_of(4, 3), 1, value), whole, 1e-12, "shared")
    expect_relative(mean_over_subsets(subsets_of(6, 5), pairs, 1, value), whole, 1e-12, "shared")
  }
  # random halves: different neurons of one population estimate its self term
  whole <- hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE)
  expect_relative(mean_over_subsets(rows, pairs, 1, function(r, a, b) {
    hsic(x[r, a], x[r, -a], estimator = "stimulus_neuron")
  }), whole, 1e-12, "halves")
})

test_that("H_S is unbiased over stimuli, with labels too; H_0 is not, nor H_S over neurons", {
  set.seed(9)
  x <- normal_matrix(6, 3) + 1
  y <- normal_matrix(6, 4)
  rows <- c(subsets_of(6, 4), subsets_of(6, 5))[1:15]
  over_stimuli <- function(...) {
    mean_over_subsets(rows, 1, 1, function(r, a, b) hsic(x[r, ], y[r, ], ...))
  }
  expect_relative(over_stimuli(estimator = "stimulus"), hsic(x, y, estimator = "stimulus"), 1e-12)
  expect_relative(
    over_stimuli(estimator = "stimulus_neuron", units_x = c(1, 1, 2), units_y = c(2, 1, 3, 3)),
    hsic(x, y, estimator = "stimulus_neuron", units_x = c(1, 1, 2), units_y = c(2, 1, 3, 3)), 1e-12
  )
  # the oracle can tell: the biased ones are far off
  expect_gt(abs(over_stimuli(estimator = "naive") / hsic(x, y) - 1), 0.01)
  over_neurons <- mean_over_subsets(1, subsets_of(3, 2), 1, function(r, a, b) {
    hsic(x[, a], x[, a], estimator = "stimulus")
  })
  expect_gt(abs(over_neurons / hsic(x, x, estimator = "stimulus") - 1), 0.01)
})

test_that("the stimulus-corrected Gaussian H is unbiased over stimuli at a fixed sigma", {
  set.seed(10)
  x <- normal_matrix(6, 2)
  y <- normal_matrix(6, 3)
  value <- function(r) hsic(x[r, ], y[r, ], kernel = "rbf", estimator = "stimulus", sigma = 1.3)
  expect_relative(mean(vapply(subsets_of(6, 4), value, 0)), value(1:6), 1e-12)
})

# --- routes

shapes <- list(c(30, 4, 7), c(12, 12, 12), c(8, 20, 30), c(10, 4, 25), c(10, 25, 4), c(11, 11, 3))

test_that("all shapes give what the kernel matrices give", {
  set.seed(11)
  for (shape in shapes) {
    p <- related_pair(shape[1], shape[2], shape[3])
    for (e in all_estimators) {
      own <- if (e == "stimulus_neuron") seq_len(shape[2])
      expect_relative(hsic(p$x, p$y, estimator = e), plain_h(p$x, p$y, e), 1e-10,
                      paste(c(shape, e), collapse = " "))
      expect_relative(hsic(p$x, p$x, estimator = e, shared_neurons = TRUE),
                      plain_h(p$x, p$x, e, own, own), 1e-10)
      expect_relative(few_is_fine(cka(p$x, p$y, estimator = e)), plain_cka(p$x, p$y, e), 1e-9)
    }
  }
})

test_that("labels mean the same in every shape", {
  set.seed(12)
  for (shape in shapes) {
    p <- related_pair(shape[1], shape[2], shape[3])
    # groups of different sizes, partly shared, some with one column on a side
    ux <- sample(c(1, 1, 2, 2, 3, 4, 5), shape[2], replace = TRUE)
    uy <- sample(c(1, 2, 2, 4, 6, 7, 7), shape[3], replace = TRUE)
    expect_relative(hsic(p$x, p$y, estimator = "stimulus_neuron", units_x = ux, units_y = uy),
                    plain_h(p$x, p$y, "stimulus_neuron", ux, uy), 1e-9,
                    paste(shape, collapse = " "))
  }
})

test_that("sample space, feature space and row chunks agree", {
  set.seed(13)
  for (shape in shapes) {
    p <- related_pair(shape[1], shape[2], shape[3])
    sides <- lapply(p, representation, arg = "x")
    routes <- lapply(sides, function(rep) {
      list(sample = linear_form(rep, route = "sample"),
           feature = linear_form(rep, route = "feature"))
    })
    for (side in names(sides)) {
      totals <- vapply(c(1, 2, 7, shape[1], shape[1] + 5), function(chunk) {
        linear_form(sides[[side]], route = "feature", chunk = chunk)$total
      }, 0)
      reference <- sum(crossprod(scale(p[[side]], scale = FALSE))^2)
      scaled <- reference * routes[[side]]$feature$scale^4
      for (total in c(totals, routes[[side]]$sample$total, form_linear(sides[[side]])$total)) {
        expect_relative(total, scaled, 1e-12)
      }
      for (part in c("s", "f", "k")) {
        expect_equal(routes[[side]]$sample[[part]], routes[[side]]$feature[[part]],
                     tolerance = 1e-12)
      }
    }
    pair <- as_pair(sides$x, sides$y)
    cross <- sum(crossprod(scale(p$x, scale = FALSE), scale(p$y, scale = FALSE))^2) *
      routes$x$feature$scale^2 * routes$y$feature$scale^2
    for (a in routes$x) for (b in routes$y) expect_relative(cross_total(pair, a, b), cross, 1e-12)
    for (chunk in c(1, 3, shape[1] + 1)) {
      expect_relative(cross_total(pair, routes$x$feature, routes$y$feature, chunk = chunk), cross,
                      1e-12)
    }
  }
})

# What R allocated at most during the call, beyond what was there.
peak_megabytes <- function(code) {
  before <- sum(gc(reset = TRUE)[, 2])
  force(code)
  sum(gc()[, 6]) - before
}

test_that("no n x n matrix is made for linear kernels with d < n", {
  skip_unless_extended()
  # 8000 stimuli: their Gram matrix would take 512 MB, which the limit forbids
  set.seed(14)
  n <- 8000
  p <- related_pair(n, 3, 4)
  withr::local_options(repalign.max_memory = 5e7)
  centred <- lapply(p, scale, scale = FALSE)
  c2 <- crossprod(centred$x, centred$y)^2
  dd <- crossprod(centred$x^2, centred$y^2)
  st <- outer(colSums(centred$x^2), colSums(centred$y^2))
  # also: the sums are right over many chunks
  expect_relative(hsic(p$x, p$y), mean(c2) / n^2, 1e-11)
  expect_relative(hsic(p$x, p$y, estimator = "stimulus"),
                  mean(c2 - dd * (1 + 2 / (n - 2)) + st / ((n - 1) * (n - 2))) / (n * (n - 3)),
                  1e-11)
  # the limits leave room for garbage that waits for collection after earlier tests
  for (e in all_estimators) {
    expect_lt(peak_megabytes(few_is_fine(cka(p$x, p$y, estimator = e))), 400)
  }
  expect_lt(peak_megabytes(few_is_fine(cka_interval(p$x, p$y))), 400)
})

# --- Gaussian kernels

gaussian <- function(x, sigma = NULL, bandwidth = 1) {
  d <- as.matrix(stats::dist(x))
  if (is.null(sigma)) sigma <- bandwidth * stats::median(d[upper.tri(d)])
  exp(-d^2 / (2 * sigma^2))
}

gaussian_h <- function(x, y, estimator, ...) {
  h <- if (estimator == "naive") kernel_naive else kernel_unbiased
  h(gaussian(x, ...), gaussian(y, ...))
}

test_that("rbf is the plain formula, with duplicates among the rows, odd and even medians", {
  set.seed(15)
  # 10 and 11 rows: 45 and 55 distances; 12: 66
  for (n in 10:12) {
    x <- normal_matrix(n, 3) + 100
    y <- x[, 1:2] + 0.5 * normal_matrix(n, 2)
    x[4, ] <- x[2, ]
    x[7, ] <- x[2, ]
    y[5, ] <- y[1, ]
    for (e in c("naive", "stimulus")) {
      for (options in list(list(), list(sigma = 0.7), list(bandwidth = 0.4), list(bandwidth = 3))) {
        h <- function(a, b) do.call(gaussian_h, c(list(a, b, e), options))
        expect_relative(do.call(hsic, c(list(x, y, kernel = "rbf", estimator = e), options)),
                        h(x, y), 1e-9)
        expect_relative(do.call(cka, c(list(x, y, kernel = "rbf", estimator = e), options)),
                        plain_ratio(c(h(x, y), h(x, x), h(y, y))), 1e-9)
      }
    }
  }
})

test_that("rbf distances keep their digits when the rows are close and far from zero", {
  set.seed(16)
  x <- 1000 + 1e-3 * normal_matrix(9, 4)
  x[3, ] <- x[1, ]
  y <- normal_matrix(9, 2)
  expect_relative(cka(x, y, kernel = "rbf"), {
    z <- (x - 1000) * 1e3
    plain_ratio(c(gaussian_h(z, y, "naive"), gaussian_h(z, z, "naive"), gaussian_h(y, y, "naive")))
  }, 1e-7)
})

test_that("rbf distances within tight clusters keep their digits", {
  # the inner products of the rows are a million million times their squared distances
  set.seed(30)
  for (spread in c(1e-6, 1e-5, 1e-4)) {
    x <- rep(c(-1, 1), each = 5) + spread * normal_matrix(10, 3)
    y <- normal_matrix(10, 2)
    for (e in c("naive", "stimulus")) {
      h <- if (e == "naive") kernel_naive else kernel_unbiased
      # one sigma serves both sides, so y is in units of the spread
      expected <- h(gaussian(x, sigma = spread), gaussian(y, sigma = 1))
      expect_relative(hsic(x, y * spread, kernel = "rbf", estimator = e, sigma = spread), expected,
                      1e-6)
    }
  }
})

test_that("a forked child runs one thread and gives the same bits", {
  set.seed(29)
  p <- related_pair(150, 5, 8)
  value <- function(i) c(cka(p$x, p$y, kernel = "rbf"), thread_count())
  parent <- cka(p$x, p$y, kernel = "rbf")
  cores <- if (.Platform$OS.type == "windows") 1 else 2
  children <- parallel::mclapply(1:2, value, mc.cores = cores)
  for (child in children) {
    expect_identical(child[1], parent)
    if (cores > 1) expect_identical(child[2], 1)
  }
})

# --- laws

test_that("units of 1e-150 and 1e150 change no digit of the CKA", {
  set.seed(18)
  p <- related_pair(20, 6, 30)
  for (e in all_estimators) {
    value <- function(a, b) few_is_fine(cka(p$x * a, p$y * b, estimator = e))
    for (unit in list(c(1e-150, 1e150), c(1e150, 1e150), c(1e-150, 1e-150), c(2^-900, 2^900))) {
      expect_equal(value(unit[1], unit[2]), value(1, 1), tolerance = 1e-12)
    }
  }
  expect_equal(cka(p$x * 1e-150, p$y * 1e150, kernel = "rbf"), cka(p$x, p$y, kernel = "rbf"),
               tolerance = 1e-12)
  intervals <- lapply(list(1, 1e-150, 1e150), function(unit) {
    # H values themselves leave the range of doubles here, which a warning tells
    suppressWarnings(cka_interval(p$x[, 1:4] * unit, p$y[, 1:5] / unit))[, c("cka", "se", "bias")]
  })
  expect_equal(intervals[[2]], intervals[[1]], tolerance = 1e-10)
  expect_equal(intervals[[3]], intervals[[1]], tolerance = 1e-10)
})

test_that("columns of very different units count by their variance only", {
  set.seed(19)
  p <- related_pair(15, 4, 4)
  small <- cbind(p$x, 1e-200 * normal_matrix(15, 4))
  # the tiny columns add nothing but count as neurons, as zeros would
  for (e in c("naive", "stimulus")) {
    expect_equal(hsic(small, p$y, estimator = e), hsic(p$x, p$y, estimator = e) / 2,
                 tolerance = 1e-12)
  }
})

test_that("large means change nothing", {
  set.seed(20)
  p <- related_pair(12, 5, 4)
  for (e in all_estimators) {
    expect_relative(few_is_fine(cka(p$x + 1e5, sweep(p$y, 2, 1e6 * (1:4)), estimator = e)),
                    few_is_fine(cka(p$x, p$y, estimator = e)), 1e-7)
  }
})

test_that("constant columns count as neurons", {
  set.seed(21)
  p <- related_pair(10, 5, 4)
  padded <- cbind(p$x[, 1:2], 7, p$x[, 3:5], 0, -1)
  for (e in all_estimators) {
    expect_relative(hsic(padded, p$y, estimator = e), hsic(p$x, p$y, estimator = e) * 5 / 8, 1e-12)
  }
  # zeros in the self term: 8 * 7 pairs instead of 5 * 4
  self <- function(x) hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE)
  expect_relative(self(padded), self(p$x) * (5 * 4) / (8 * 7), 1e-11)
  for (e in c("naive", "stimulus")) {
    expect_relative(cka(padded, p$y, estimator = e), cka(p$x, p$y, estimator = e), 1e-12)
  }
  # a constant that is no sum of powers of two must not become rounding noise
  expect_identical(hsic(cbind(p$x, 0.1), p$y), hsic(cbind(p$x, 0), p$y))
  expect_identical(participation_ratio(cbind(p$x, 0.1)), participation_ratio(cbind(p$x, 0)))
})

test_that("the CKA of a representation with itself is 1", {
  set.seed(22)
  for (width in c(4, 40)) {
    x <- related_pair(25, width, 1)$x
    for (e in all_estimators) {
      self <- few_is_fine(cka(x, x, estimator = e, shared_neurons = TRUE))
      expect_equal(self, 1, tolerance = 1e-12)
    }
    expect_equal(cka(x, x, kernel = "rbf", estimator = "stimulus"), 1, tolerance = 1e-12)
  }
})

test_that("a ratio without a positive denominator is NA with a warning, never nonsense", {
  # two neurons, x'x anti-correlated in the corrected sense: found by search below
  found <- NULL
  for (seed in 1:200) {
    set.seed(seed)
    x <- normal_matrix(8, 2)
    y <- normal_matrix(8, 2)
    h <- plain_triple(x, y, "stimulus_neuron")
    if (h[2] < 0 && h[3] < 0) {
      found <- list(x = x, y = y)
      break
    }
  }
  expect_false(is.null(found))
  value <- expect_warned(cka(found$x, found$y, estimator = "stimulus_neuron"), "repalign_undefined")
  expect_identical(value, NA_real_)
  # the H values themselves are defined
  expect_lt(hsic(found$x, found$x, estimator = "stimulus_neuron", shared_neurons = TRUE), 0)
})

test_that("a denominator that is zero is not mistaken for a tiny positive one", {
  set.seed(23)
  y <- related_pair(8, 4, 4)$x
  for (silent in c(0, 3, 0.1)) {
    # one active neuron: its only allowed partner is silent
    x <- cbind(normal_matrix(8, 1), silent)
    expect_identical(expect_warned(cka(x, y, estimator = "stimulus_neuron"), "repalign_undefined"),
                     NA_real_)
    expect_identical(expect_warned(cka(y, x, estimator = "stimulus_neuron"), "repalign_undefined"),
                     NA_real_)
  }
})

test_that("a denominator that is zero but for rounding counts as zero", {
  # exactly: C^2 (n-1)(n-2) - D n (n-1) + s t = 0 for these two neurons of five stimuli
  zeros <- list(cbind(c(0, 4, 4, 4, 4), c(4, 3, 4, 1, 6)),
                cbind(c(0, 0, 4, 1, 0), c(4, 1, 4, 4, 4)),
                cbind(c(5, 5, 4, 5, 5), c(6, 4, 0, 3, 0)),
                cbind(c(0, 2, 2, 5, 5), c(3, 3, 3, 4, 3)))
  set.seed(27)
  y <- related_pair(5, 3, 1, d = 1, noise = 0.1)$x
  for (x in zeros) {
    for (unit in c(1, 0.1, 1e10)) {
      expect_identical(
        expect_warned(cka(unit * x, y, estimator = "stimulus_neuron"), "repalign_undefined"),
        NA_real_
      )
    }
    expect_identical(
      expect_warned(cka_interval(x, y, "stimulus_neuron"), "repalign_undefined")$cka, NA_real_
    )
    expect_identical(
      expect_warned(participation_ratio(x), "repalign_undefined")$stimulus_neuron, NA_real_
    )
  }
})

test_that("equally distant stimuli have no corrected similarity structure, whatever the kernel", {
  # all off-diagonal kernel entries are equal: the corrected self term is 0
  set.seed(28)
  for (n in 4:9) {
    y <- normal_matrix(n, 3)
    value <- expect_warned(cka(diag(n), y, estimator = "stimulus"), "repalign_undefined")
    expect_identical(value, NA_real_)
    for (sigma in list(NULL, 0.7)) {
      value <- expect_warned(
        cka(diag(n), y, kernel = "rbf", estimator = "stimulus", sigma = sigma), "repalign_undefined"
      )
      expect_identical(value, NA_real_)
    }
  }
})

test_that("rv is the naive linear CKA", {
  set.seed(24)
  for (shape in shapes) {
    p <- related_pair(shape[1], shape[2], shape[3])
    expect_identical(rv(p$x, p$y), cka(p$x, p$y))
  }
})

# --- the random generator

analyses <- function() {
  set.seed(25)
  p <- related_pair(12, 8, 8)
  trials <- lapply(1:3, function(t) p$x + 0.2 * normal_matrix(12, 8))
  calls <- list(
    halves = quote(brain_to_brain(p$x, neurons = c(2, 4), repeats = 5)),
    regions = quote(brain_to_brain(p$x, p$y, neurons = 3, repeats = 5)),
    split = quote(brain_to_brain(p$x, split = rep(1:2, 4), neurons = 2, repeats = 5)),
    trials = quote(trial_to_trial(trials, neurons = 4, repeats = 5)),
    model = quote(brain_to_model(p$x, list(a = p$y), neurons = 4, repeats = 5)),
    objects = quote(object_disentanglement(t(p$x), rep(1:2, 4), neurons = 6, repeats = 5)),
    population = quote(linear_population(6, 3, 2))
  )
  list(calls = calls, data = list(p = p, trials = trials))
}

test_that("set.seed() reproduces every analysis", {
  all <- analyses()
  for (name in names(all$calls)) {
    run <- function(seed) {
      set.seed(seed)
      suppressWarnings(eval(all$calls[[name]], all$data))
    }
    expect_identical(run(1), run(1), label = name)
    expect_false(identical(run(1), run(2)), label = paste(name, "with another seed"))
  }
})

test_that("what needs no randomness leaves the generator untouched", {
  set.seed(26)
  p <- related_pair(12, 5, 5)
  quiet <- list(
    quote(cka(p$x, p$y)), quote(cka(p$x, p$y, kernel = "rbf")), quote(rv(p$x, p$y)),
    quote(hsic(p$x, p$y, estimator = "stimulus_neuron")), quote(cka_interval(p$x, p$y)),
    quote(similarity(list(a = p$x, b = p$y))), quote(participation_ratio(p$x)),
    quote(predicted_bias(p$x, p$y)), quote(measures()),
    # all neurons: there is nothing to choose
    quote(trial_to_trial(p, neurons = 5)), quote(brain_to_model(p$x, list(a = p$y), neurons = 5)),
    quote(brain_to_brain(p$x, p$y, neurons = 5)),
    quote(object_disentanglement(rbind(p$x, p$y), rep(1:2, 12), neurons = 5))
  )
  for (call in quiet) {
    set.seed(1)
    before <- .Random.seed
    suppressWarnings(eval(call))
    expect_identical(.Random.seed, before, label = deparse(call)[1])
  }
  # and makes none where there was none
  rm(".Random.seed", envir = globalenv())
  cka(p$x, p$y)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  set.seed(1)
})

test_that("H without products of a side with itself is H with them", {
  set.seed(42)
  tall <- normal_matrix(40, 7)
  other <- normal_matrix(40, 9)
  wide <- normal_matrix(40, 300)
  for (pair in list(list(tall, other), list(wide, tall), list(tall, wide), list(wide, wide + 1))) {
    for (estimator in c("naive", "stimulus", "stimulus_neuron")) {
      found <- hsic(pair[[1]], pair[[2]], estimator = estimator)
      local({
        local_internal("leave_out_self", function(pair, estimator) NULL)
        expect_equal(found, hsic(pair[[1]], pair[[2]], estimator = estimator), tolerance = 1e-12)
      })
    }
  }
})
