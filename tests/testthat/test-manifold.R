# mka, kcka and the manifold kernel of cka and hsic, against dense kernels written down
# from the papers' formulas.

distances_of <- function(x) unname(as.matrix(dist(x)))

# list(idx, dist): the k nearest, from a full distance matrix.
plain_graph <- function(d, k) {
  diag(d) <- Inf
  idx <- t(apply(d, 1, function(row) order(row)[seq_len(k)]))
  dim(idx) <- c(nrow(d), k)
  list(idx = idx, dist = matrix(d[cbind(c(row(idx)), c(idx))], nrow(d)))
}

# MKA paper, eq. (2): one row of weights; sigma by uniroot on its logarithm.
plain_weights <- function(dist) {
  k <- length(dist)
  delta <- dist - dist[1]
  if (sum(delta == 0) >= log2(k)) return(as.double(delta == 0))
  excess <- function(s) sum(exp(-delta / exp(s))) - log2(k)
  s <- uniroot(excess, log(max(delta)) + c(-60, 60), tol = 1e-14, maxiter = 10000)$root
  exp(-delta / exp(s))
}

dense <- function(graph, weight, diagonal) {
  n <- nrow(graph$idx)
  kernel <- matrix(0, n, n)
  kernel[cbind(c(row(graph$idx)), c(graph$idx))] <- weight
  diag(kernel) <- diagonal
  kernel
}

plain_mka_kernel <- function(graph) {
  dense(graph, t(apply(graph$dist, 1, plain_weights)), 1)
}

plain_kcka_kernel <- function(graph, self = TRUE, squared = FALSE) {
  d <- if (squared) graph$dist^2 else graph$dist
  dense(graph, exp(-d / (2 * median(d))), as.double(self))
}

centred_by <- function(kernel, centering) {
  h <- diag(nrow(kernel)) - 1 / nrow(kernel)
  if (centering == "row") kernel %*% h else h %*% kernel %*% h
}

plain_alignment <- function(k, l, centering = "row") {
  k <- centred_by(k, centering)
  l <- centred_by(l, centering)
  sum(k * l) / sqrt(sum(k^2) * sum(l^2))
}

# n, columns of x, columns of y, k
shapes <- list(c(5, 1, 2, 3), c(5, 3, 3, 4), c(8, 2, 12, 7), c(30, 4, 2, 15), c(30, 1, 40, 29),
               c(60, 5, 5, 3), c(60, 5, 3, 40), c(300, 3, 8, 15))

each_shape <- function(check) {
  for (shape in shapes) {
    set.seed(sum(shape))
    p <- related_pair(shape[1], shape[2], shape[3])
    k <- shape[4]
    graphs <- lapply(p, function(x) plain_graph(distances_of(x), k))
    full_k(check(p, graphs, k, paste(shape, collapse = " ")))
  }
}

test_that("rows of weights sum to 1 + log2(k), to full precision, also where they are steep", {
  weights <- function(dist) .Call(repalign:::C_manifold_weights, dist)
  set.seed(1)
  for (k in c(3, 4, 5, 8, 9, 15, 64, 65, 500)) {
    rows <- rbind(
      sort(runif(k)), sort(rexp(k)), sort(10^runif(k, -11, 0)), 1 + sort(10^runif(k, -9, -3)),
      c(0, 1e-11, rep(1, k - 2)), c(0, rep(1, k - 1)),
      c(rep(1, k - 1), 2) + (seq_len(k) - 1) * 1e-6, seq_len(k), cumsum(rep(0.1, k))
    )
    for (scale in c(1, 1e-150, 1e150, 1e300)) {
      dist <- rows * scale
      fit <- weights(dist)
      expect_lt(max(abs(rowSums(fit$weight) / log2(k) - 1)), 2e-15 * sqrt(k))
      expect_true(all(fit$weight >= 0 & fit$weight <= 1))
      expect_true(all(fit$weight[, 1] == 1))
      expect_true(all(diff(t(fit$weight)) <= 0))
      # sigma is in the units of the distances
      expect_true(all(fit$sigma > 0))
      expect_equal(fit$weight, exp(-(dist - dist[, 1]) / fit$sigma), tolerance = 1e-9)
    }
  }
})

test_that("weights agree with uniroot", {
  set.seed(2)
  dist <- t(apply(matrix(rexp(20 * 15), 20), 1, sort))
  fit <- .Call(repalign:::C_manifold_weights, dist)
  expect_equal(fit$weight, t(apply(dist, 1, plain_weights)), tolerance = 1e-11)
})

test_that("log2(k) or more nearest neighbours at one distance have the limit's weights", {
  weights <- function(...) .Call(repalign:::C_manifold_weights, rbind(...))
  # log2(8) = 3: two tied neighbours have a root, three and four have none
  fit <- weights(c(1, 1, 2, 3, 4, 5, 6, 7), c(1, 1, 1, 3, 4, 5, 6, 7), c(1, 1, 1, 1, 4, 5, 6, 7),
                 rep(2, 8), rep(0, 8))
  expect_equal(sum(fit$weight[1, ]), 3)
  expect_identical(fit$weight[2, ], rep(c(1, 0), c(3, 5)))
  expect_identical(fit$weight[3, ], rep(c(1, 0), c(4, 4)))
  expect_identical(fit$weight[4, ], rep(1, 8))
  expect_identical(fit$weight[5, ], rep(1, 8))
  expect_identical(fit$sigma == 0, c(FALSE, TRUE, TRUE, TRUE, TRUE))
  # what rounding leaves of a tie is a tie
  noisy <- weights(c(1, 1 + 4e-16, 1 + 1e-15, 3, 4, 5, 6, 7))
  expect_identical(noisy$weight[1, ], rep(c(1, 0), c(3, 5)))
  # ties may stand in any order
  chained <- weights(1 + c(6, 0, 13, 6) * 1e-13)
  expect_identical(chained$weight[1, ], c(1, 1, 0, 1))
  # a small difference is no tie
  expect_equal(sum(weights(c(1, 1 + 1e-10, 1 + 2e-10, 3, 4, 5, 6, 7))$weight), 3)
})

# Duplicated stimuli and whole numbers, as graphs: which of several equally far neighbours
# are taken is the graph's choice, and not tested here.
tied_graphs <- function(k) {
  set.seed(3)
  whole <- matrix(sample(0:3, 120, TRUE), 40)
  repeated <- normal_matrix(10, 3)[rep(1:10, 4), ]
  lapply(list(x = whole, y = repeated), function(x) plain_graph(distances_of(x), k))
}

test_that("with ties the rows are centred by their own sums, and a warning counts them", {
  for (k in c(3, 4, 8, 15)) {
    g <- tied_graphs(k)
    kernels <- lapply(g, plain_mka_kernel)
    expected <- plain_alignment(kernels$x, kernels$y)
    seen <- list()
    value <- withCallingHandlers(mka(g$x, g$y, k = k), repalign_ties = function(w) {
      seen <<- c(seen, list(w))
      invokeRestart("muffleWarning")
    })
    expect_relative(value, expected, 1e-9)
    tied <- lapply(g, function(graph) which(rowSums(graph$dist == graph$dist[, 1]) >= log2(k)))
    expect_identical(lapply(seen, function(w) w$data), unname(Filter(length, tied)))
  }
  # duplicates: three copies of every stimulus; log2(8) = 3
  expect_warned(mka(tied_graphs(8)$y, tied_graphs(8)$y, k = 8), "repalign_ties")
})

test_that("equally distant stimuli have no neighbour kernel", {
  set.seed(4)
  for (n in 4:9) {
    y <- normal_matrix(n, 3)
    for (f in list(mka, function(x, y, k) cka(x, y, kernel = "manifold", k = k),
                   function(x, y, k) {
                     cka(x, y, kernel = "manifold", estimator = "stimulus", k = k)
                   })) {
      value <- expect_warned(f(diag(n), y, k = n - 1), "repalign_undefined")
      expect_identical(value, NA_real_)
      value <- expect_warned(f(y, diag(n), k = n - 1), "repalign_undefined")
      expect_identical(value, NA_real_)
    }
  }
  # kcka keeps its diagonal
  expect_true(is.finite(suppressWarnings(kcka(diag(5), normal_matrix(5, 3), k = 4))))
})

test_that("kcka is equations 18 and 19, with its options", {
  each_shape(function(p, graphs, k, label) {
    for (self in c(TRUE, FALSE)) for (squared in c(TRUE, FALSE)) {
      kernels <- lapply(graphs, plain_kcka_kernel, self = self, squared = squared)
      for (centering in c("row", "double")) {
        value <- kcka(p$x, p$y, k = k, self = self, squared = squared, centering = centering)
        expect_relative(value, plain_alignment(kernels$x, kernels$y, centering), 1e-11,
                        paste(label, self, squared, centering))
      }
    }
  })
  # one neighbour is enough for kcka
  set.seed(5)
  p <- related_pair(4, 2, 2)
  g <- lapply(p, function(x) plain_kcka_kernel(plain_graph(distances_of(x), 1)))
  expect_relative(kcka(p$x, p$y, k = 1), plain_alignment(g$x, g$y), 1e-12)
})

test_that("kcka without a width is an error that says what to do", {
  x <- normal_matrix(10, 3)[rep(1:10, 4), ]
  y <- normal_matrix(40, 3)
  expect_refused(suppressWarnings(kcka(x, y, k = 3)), c("`x`", "median", "`k`"))
  expect_refused(suppressWarnings(kcka(y, x, k = 5)), c("`y`", "duplicate"))
  expect_true(is.finite(suppressWarnings(kcka(x, y, k = 15))))
})

test_that("the manifold kernel of cka and hsic is K + K' - K o K'", {
  each_shape(function(p, graphs, k, label) {
    kernels <- lapply(graphs, function(graph) {
      directed <- plain_mka_kernel(graph)
      directed + t(directed) - directed * t(directed)
    })
    for (e in c("naive", "stimulus")) {
      h <- if (e == "naive") kernel_naive else kernel_unbiased
      three <- c(h(kernels$x, kernels$y), h(kernels$x, kernels$x), h(kernels$y, kernels$y))
      f <- function(g, x, y) g(x, y, kernel = "manifold", estimator = e, k = k)
      # near zero the terms cancel
      expect_equal(f(hsic, p$x, p$y), three[1], tolerance = 1e-8, label = label)
      expect_relative(f(hsic, p$x, p$x), three[2], 1e-8, label)
      expect_equal(f(cka, p$x, p$y), plain_ratio(three), tolerance = 1e-7, label = label)
      expect_relative(f(cka, p$x, p$x), 1, 1e-12, label)
    }
  })
})

test_that("the symmetric kernel is symmetric to the last bit, and holds each entry once", {
  set.seed(6)
  x <- normal_matrix(80, 3)
  rep <- repalign:::representation(x, "x")
  form <- repalign:::form_manifold(rep, 7)
  row <- rep(seq_len(80), diff(form$start))
  kernel <- matrix(0, 80, 80)
  kernel[cbind(row, form$idx)] <- form$weight
  expect_identical(kernel, t(kernel))
  expect_identical(anyDuplicated(cbind(row, form$idx)), 0L)
  expect_equal(form$row_sums, rowSums(kernel))
  directed <- repalign:::form_mka(rep, 7)
  expect_equal(directed$row_sums, rep(1 + log2(7), 80), tolerance = 1e-14)
  expect_equal(sum(directed$column_sums), 80 * (1 + log2(7)))
})

# every way in
scores <- function(k) {
  list(
    mka = function(x, y) mka(x, y, k = k), kcka = function(x, y) kcka(x, y, k = k),
    squared = function(x, y) kcka(x, y, k = k, squared = TRUE, centering = "double"),
    naive = function(x, y) cka(x, y, kernel = "manifold", k = k),
    stimulus = function(x, y) cka(x, y, kernel = "manifold", estimator = "stimulus", k = k),
    hsic = function(x, y) hsic(x, y, kernel = "manifold", estimator = "stimulus", k = k)
  )
}

test_that("distances and neighbour graphs stand for the data", {
  set.seed(7)
  p <- related_pair(40, 4, 3)
  graph <- lapply(p, function(x) plain_graph(distances_of(x), 12))
  # as uwot gives it: the stimulus itself in the first column
  uwot <- lapply(graph, function(g) list(idx = cbind(seq_len(40), g$idx), dist = cbind(0, g$dist)))
  for (k in c(3, 9, 12)) {
    for (f in scores(k)) {
      value <- f(p$x, p$y)
      expect_relative(f(dist(p$x), dist(p$y)), value, 1e-9)
      expect_relative(f(graph$x, graph$y), value, 1e-9)
      expect_relative(f(uwot$x, uwot$y), value, 1e-9)
      expect_relative(f(p$x, dist(p$y)), value, 1e-9)
      expect_relative(f(uwot$x, p$y), value, 1e-9)
    }
  }
  for (f in scores(13)) {
    expect_refused(f(p$x, graph$y), c("`k`", "13", "12"))
    expect_true(is.finite(f(p$x, dist(p$y))))
  }
  # the other kernels need the data
  for (f in list(cka, hsic)) {
    expect_refused(f(dist(p$x), p$y), c("`x`", "dist"))
    expect_refused(f(p$x, graph$y), c("`y`", "graph"))
  }
})

test_that("a graph with negative distances suits mka, which takes differences, but not kcka", {
  set.seed(8)
  p <- related_pair(30, 4, 3)
  graph <- plain_graph(-tcrossprod(p$x), 10)
  kernel <- plain_mka_kernel(graph)
  other <- plain_mka_kernel(plain_graph(distances_of(p$y), 10))
  expect_relative(mka(graph, p$y, k = 10), plain_alignment(kernel, other), 1e-9)
  expect_refused(kcka(graph, p$y, k = 10), c("`x`", "negative"))
})

test_that("extreme scales and far origins change nothing", {
  set.seed(9)
  p <- related_pair(40, 4, 3)
  for (f in scores(10)) {
    value <- f(p$x, p$y)
    expect_relative(f(p$x * 1e-150, p$y * 1e150), value, 1e-10)
    expect_relative(f(dist(p$x) * 1e-300, dist(p$y) * 1e300), value, 1e-10)
    expect_relative(f(round(p$x, 3) + 2^20, p$y), f(round(p$x, 3), p$y), 1e-6)
  }
})

test_that("k is checked, and its neighbours must exist", {
  set.seed(10)
  x <- normal_matrix(10, 3)
  for (bad in list(0, -1, 2.5, NA, "5", c(5, 6), NULL, Inf)) {
    expect_refused(mka(x, x, k = bad), "`k`")
    expect_refused(kcka(x, x, k = bad), "`k`")
    expect_refused(cka(x, x, kernel = "manifold", k = bad), "`k`")
    expect_refused(cka(x, x, k = bad), "`k`")
  }
  for (few in 1:2) {
    expect_refused(mka(x, x, k = few), c("`k`", "3"))
    expect_refused(cka(x, x, kernel = "manifold", k = few), c("`k`", "3"))
    expect_refused(hsic(x, x, kernel = "manifold", k = few), c("`k`", "3"))
  }
  for (f in scores(10)) expect_refused(f(x, x), c("`k`", "10", "9"))
  for (f in scores(9)) expect_true(is.finite(full_k(f(x, x))))
  expect_refused(kcka(x, x, k = 5, self = NA), "`self`")
  expect_refused(kcka(x, x, k = 5, squared = 1), "`squared`")
  expect_refused(kcka(x, x, k = 5, centering = "rows"), "\"row\"")
})

test_that("options of other kernels are said to be unused", {
  set.seed(11)
  x <- normal_matrix(20, 3)
  for (f in list(cka, hsic)) {
    expect_warned(f(x, x, k = 5), "repalign_unused")
    expect_warned(f(x, x, kernel = "rbf", k = 5), "repalign_unused")
    expect_warned(f(x, x, kernel = "manifold", sigma = 1), "repalign_unused")
    expect_warned(f(x, x, kernel = "manifold", bandwidth = 2), "repalign_unused")
    expect_silent(f(x, x, kernel = "manifold", k = 5))
    expect_silent(f(x, x, kernel = "manifold"))
    expect_refused(f(x, x, kernel = "manifold", estimator = "stimulus_neuron", k = 5), "linear")
  }
})

test_that("one graph serves all measures and all k of a call", {
  set.seed(12)
  p <- related_pair(50, 4, 3)
  set <- list(measure("mka", k = 5), "mka", "kcka", measure("kcka", k = 20, self = FALSE),
              measure("cka", kernel = "manifold"), measure("cka", kernel = "manifold", k = 8),
              measure("cka", kernel = "manifold", estimator = "stimulus"))
  made <- count_calls("make_graph", result <- similarity(p$x, p$y, set))
  expect_identical(made, 2L)
  alone <- c(mka(p$x, p$y, k = 5), mka(p$x, p$y), kcka(p$x, p$y),
             kcka(p$x, p$y, k = 20, self = FALSE), cka(p$x, p$y, kernel = "manifold"),
             cka(p$x, p$y, kernel = "manifold", k = 8),
             cka(p$x, p$y, kernel = "manifold", estimator = "stimulus"))
  expect_equal(result$score, alone, tolerance = 1e-12)
})

test_that("many stimuli need no n x n matrix", {
  skip_unless_extended()
  set.seed(13)
  # an n x n matrix would take 72 MB, which the limit forbids
  n <- 3000
  withr::local_options(repalign.max_memory = 5e7)
  ring <- function() {
    shift <- c(1:6, -(1:6))[order(rexp(12))]
    idx <- outer(seq_len(n) - 1, shift, function(i, s) (i + s) %% n) + 1
    list(idx = idx, dist = t(apply(matrix(rexp(n * 12), n), 1, sort)))
  }
  x <- ring()
  y <- ring()
  kernels <- lapply(list(x, y), function(g) {
    list(idx = g$idx, w = t(apply(g$dist, 1, plain_weights)))
  })
  common <- 0
  for (a in 1:12) for (b in 1:12) {
    same <- kernels[[1]]$idx[, a] == kernels[[2]]$idx[, b]
    common <- common + sum(kernels[[1]]$w[same, a] * kernels[[2]]$w[same, b])
  }
  inner <- function(product) n + product - (1 + log2(12))^2
  expected <- inner(common) / sqrt(inner(sum(kernels[[1]]$w^2)) * inner(sum(kernels[[2]]$w^2)))
  expect_relative(mka(x, y, k = 12), expected, 1e-9)
  for (f in scores(12)) expect_true(is.finite(f(x, y)))
})
