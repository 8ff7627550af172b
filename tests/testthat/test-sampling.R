# Dimensionality, predicted biases and the simulated population, against their
# definitions (ESTIMATORS.md, "Geometry and predicted bias").

# The unbiased sum of C_aa C_bb over all pairs of neurons, from squared distances of stimuli.
direct_variance_product <- function(x) {
  d <- as.matrix(dist(x))^2
  n <- nrow(x)
  (sum(d)^2 - 4 * sum(rowSums(d)^2) + 2 * sum(d^2)) / (4 * prod(n - 0:3))
}

direct_participation <- function(x) {
  n <- nrow(x)
  phi <- sweep(x, 2, colMeans(x))
  k <- tcrossprod(phi) / ncol(x)
  trace <- sum(diag(k))
  neurons <- colMeans(phi^2)
  h_c <- plain_h(x, x, "stimulus_neuron", seq_len(ncol(x)), seq_len(ncol(x)))
  q <- ncol(x)
  pairs <- direct_variance_product(x)
  different <- pairs - sum(apply(x, 2, function(a) direct_variance_product(cbind(a))))
  data.frame(
    naive = (trace / n)^2 / plain_h(x, x, "naive"),
    stimulus = pairs / q^2 / plain_h(x, x, "stimulus"),
    stimulus_neuron = different / (q * (q - 1)) / h_c,
    psi_stimuli = mean(diag(k))^2 / mean(diag(k)^2),
    psi_neurons = mean(neurons)^2 / mean(neurons^2),
    rho = mean(phi^2)^2 / mean(phi^4)
  )
}

test_that("participation ratios follow their definitions, in every shape and unit", {
  set.seed(1)
  for (shape in list(c(12, 4), c(6, 6), c(7, 20))) {
    x <- related_pair(shape[1], shape[2], 1, d = 1)$x + 3
    for (unit in c(1, 1e-150, 1e150)) {
      expect_equal(as.data.frame(participation_ratio(x * unit)), direct_participation(x),
                   tolerance = 1e-9)
    }
    expect_identical(participation_ratio(as.data.frame(x)), participation_ratio(x))
  }
})

test_that("the naive dimensionality is that of the covariance eigenvalues", {
  set.seed(2)
  x <- normal_matrix(20, 6) %*% diag(6:1)
  lambda <- svd(sweep(x, 2, colMeans(x)))$d^2
  expect_equal(suppressWarnings(participation_ratio(x))$naive, sum(lambda)^2 / sum(lambda^2),
               tolerance = 1e-12)
})

test_that("the ratios are 1 in their ideal cases", {
  # equal variances of all neurons; equal norms of all stimuli; all entries +-1
  x <- cbind(c(1, 1, -1, -1), c(1, -1, 1, -1), c(1, -1, -1, 1))
  ideal <- suppressWarnings(participation_ratio(x))
  expect_equal(unlist(ideal[c("psi_stimuli", "psi_neurons", "rho")]), c(1, 1, 1),
               tolerance = 1e-12, ignore_attr = TRUE)
  expect_equal(ideal$naive, 3, tolerance = 1e-12)
  # one neuron in four responds: psi over neurons is a quarter
  set.seed(3)
  y <- cbind(rnorm(10), 0, 1, 2)
  expect_equal(suppressWarnings(participation_ratio(y))$psi_neurons, 0.25, tolerance = 1e-12)
})

test_that("a single neuron has no neuron-corrected dimensionality", {
  set.seed(4)
  result <- expect_warned(participation_ratio(cbind(rnorm(8))), "repalign_undefined")
  expect_identical(result$stimulus_neuron, NA_real_)
  expect_equal(result$naive, 1, tolerance = 1e-12)
  expect_identical(result$psi_neurons, 1)
})

test_that("the corrected dimensionality recovers the population's from few neurons", {
  set.seed(5)
  gamma <- replicate(40,
                     participation_ratio(linear_population(n = 60, q = 40,
                                                           d = 30)$x)$stimulus_neuron)
  # harmonic mean: gamma is one over a mean H
  expect_equal(1 / mean(1 / gamma), 30, tolerance = 0.06)
})

# --- predicted bias

side_of <- function(x) {
  ratio <- direct_participation(x)
  list(q = ncol(x), gamma = ratio$stimulus_neuron, psi_stimuli = ratio$psi_stimuli,
       psi_neurons = ratio$psi_neurons, rho = ratio$rho)
}

naive_h <- function(p, a, b, c) (p - 1) / p^3 * ((p^2 - 2 * p + 2) * a + (p - 1) * b + c)

naive_self <- function(p, s) {
  naive_h(p, 1 + (s$gamma / s$psi_neurons - 1) / s$q,
          s$gamma / s$psi_stimuli * (1 - 1 / s$q) + s$gamma / (s$rho * s$q),
          s$gamma * (1 - 1 / s$q) + s$gamma / (s$psi_neurons * s$q))
}

test_that("the stimulus-corrected bias follows the general and the normalized formula", {
  set.seed(6)
  p <- related_pair(30, 10, 8, d = 4)
  p$x <- sweep(p$x, 2, 1:10, "*")
  x <- side_of(p$x)
  y <- side_of(p$y)
  truth <- plain_cka(p$x, p$y, "stimulus_neuron")
  general <- truth / sqrt((1 + (x$gamma / x$psi_neurons - 1) / 10) *
                          (1 + (y$gamma / y$psi_neurons - 1) / 8))
  normalized <- truth / sqrt((1 + (x$gamma - 1) / 10) * (1 + (y$gamma - 1) / 8))
  predicted <- function(...) few_is_fine(predicted_bias(...))
  result <- predicted(p$x, p$y, estimator = "stimulus")
  expect_identical(names(result), c("estimator", "cka", "expected", "bias", "factor"))
  expect_relative(result$cka, truth, 1e-9)
  expect_relative(result$expected, general, 1e-9)
  expect_relative(result$bias, general - truth, 1e-8)
  expect_relative(result$factor, general / truth, 1e-9)
  expect_relative(predicted(p$x, p$y, "stimulus", assume = "normalized")$expected, normalized, 1e-9)
  # without y: another sample of the same population
  alone <- predicted_bias(p$x, estimator = "stimulus")
  expect_identical(alone$cka, 1)
  expect_relative(alone$expected, 1 / (1 + (x$gamma / x$psi_neurons - 1) / 10), 1e-9)
})

test_that("the corrected ratio has the bias of a ratio, from the jackknife of its H values", {
  set.seed(60)
  p <- related_pair(30, 10, 8, d = 4)
  value <- few_is_fine(predicted_bias(p$x, p$y, estimator = "stimulus_neuron"))
  interval <- few_is_fine(cka_interval(p$x, p$y, "stimulus_neuron"))
  expect_relative(value$cka, interval$cka, 1e-10)
  expect_relative(value$bias, interval$bias, 1e-8)
  expect_relative(value$expected, interval$cka + interval$bias, 1e-8)
  # another sample of neurons: a quarter of the variance that neurons give the self term
  own <- as.character(seq_len(10))
  h <- literal_triples(list(x = p$x, y = p$x), "stimulus_neuron", list(x = own, y = own))
  neurons <- two_way(h$triples[, , 2], h$triples[, , 2], h$strata)[["x"]]
  alone <- predicted_bias(p$x, estimator = "stimulus_neuron")
  expect_identical(alone$cka, 1)
  expect_relative(alone$bias, neurons / (4 * h$triples[1, 1, 2]^2), 1e-8)
})

test_that("the bias of the corrected ratio meets simulated populations", {
  settings <- list(n = 60, q = c(20, 40), d = 20, spectrum = "power", power = 0.4)
  population <- function() do.call(linear_population, settings)
  set.seed(61)
  h <- replicate(300, {
    pop <- population()
    plain_triple(pop$x, pop$y, "stimulus_neuron")
  })
  theory <- population()$theory$h
  expect_equal(rowMeans(h), theory$mean, tolerance = 0.03)
  expect_equal(cov(t(h)), theory$cov, tolerance = 0.15)
  ratios <- apply(h, 2, plain_ratio)
  expected <- predicted_bias(population(), estimator = "stimulus_neuron")
  expect_gt(expected$bias, 0.015)
  expect_lt(abs(mean(ratios) - expected$expected), 4 * sd(ratios) / sqrt(300))
  # from the data of single samples it is about as large
  from_data <- replicate(20, {
    pop <- population()
    c(predicted_bias(pop$x, pop$y, "stimulus_neuron")$bias,
      predicted_bias(pop$x, estimator = "stimulus_neuron")$bias)
  })
  expect_true(all(rowMeans(from_data) > 0.005 & rowMeans(from_data) < 0.06))
})

test_that("the bias of the corrected ratio is undefined or refused with too little data", {
  set.seed(62)
  p <- related_pair(8, 4, 4)
  corrected <- function(x, ...) predicted_bias(x, ..., estimator = "stimulus_neuron")
  expect_refused(corrected(p$x[1:4, ]), c("`x`", "4 rows", "jackknife"))
  expect_refused(corrected(p$x[, 1, drop = FALSE]), c("`x`", "single neuron"))
  expect_refused(corrected(p$x, p$y[, 1, drop = FALSE]), c("`y`", "single neuron"))
  expect_identical(expect_warned(corrected(p$x[, 1:2]), "repalign_undefined")$expected, NA_real_)
  value <- expect_warned(corrected(p$x, p$y[, 1:2]), "repalign_undefined")
  expect_false(is.na(value$cka))
  expect_identical(value$expected, NA_real_)
  # a single neuron that varies: all products of different neurons are 0
  one <- cbind(c(1, 2, 4, 3, 9, 2), 1, 2)
  expect_identical(expect_warned(corrected(one), "repalign_undefined")$expected, NA_real_)
})

# A population of few stimuli and neurons, centred: every moment is a finite mean.
finite_population <- function(phi_x, phi_y, n, q) {
  side <- function(phi, q) {
    k <- tcrossprod(phi) / ncol(phi)
    neurons <- colMeans(phi^2)
    list(q = q, gamma = mean(diag(k))^2 / mean(k^2),
         psi_stimuli = mean(diag(k))^2 / mean(diag(k)^2),
         psi_neurons = mean(neurons)^2 / mean(neurons^2), rho = mean(phi^2)^2 / mean(phi^4))
  }
  kx <- tcrossprod(phi_x) / ncol(phi_x)
  ky <- tcrossprod(phi_y) / ncol(phi_y)
  cka <- mean(kx * ky) / sqrt(mean(kx^2) * mean(ky^2))
  structure(
    list(cka = cka, theory = list(n = n, x = side(phi_x, q[1]), y = side(phi_y, q[2]), cka = cka,
                                  diagonal = mean(diag(kx) * diag(ky)) / sqrt(mean(kx^2) *
                                                                              mean(ky^2)))),
    class = "repalign_population"
  )
}

# Mean of H_0 over all samples with replacement: n stimuli, q neurons of each side.
enumerated_naive <- function(phi_x, phi_y, n, q_x, q_y, same) {
  stimuli <- all_tuples(nrow(phi_x), n)
  neurons_x <- all_tuples(ncol(phi_x), q_x)
  neurons_y <- if (same) neurons_x else all_tuples(ncol(phi_y), q_y)
  h <- diag(n) - 1 / n
  values <- apply(stimuli, 1, function(s) {
    kernels <- function(phi, neurons) {
      apply(neurons, 1, function(a) {
        z <- h %*% phi[s, a, drop = FALSE]
        as.vector(tcrossprod(z)) / length(a)
      })
    }
    kx <- kernels(phi_x, neurons_x)
    if (same) return(mean(colSums(kx^2)))
    # independent neurons: the mean of products is the product of means
    sum(rowMeans(kx) * rowMeans(kernels(phi_y, neurons_y)))
  })
  mean(values) / n^2
}

test_that("the expected naive value is exact: complete enumeration of a finite population", {
  set.seed(7)
  phi_x <- scale(normal_matrix(3, 3), scale = FALSE)
  phi_y <- scale(phi_x[, 1:2] + 0.5 * normal_matrix(3, 2), scale = FALSE)
  for (sizes in list(c(3, 2, 2), c(4, 1, 2), c(2, 3, 1))) {
    n <- sizes[1]
    expected <- enumerated_naive(phi_x, phi_y, n, sizes[2], sizes[3], FALSE) /
      sqrt(enumerated_naive(phi_x, phi_x, n, sizes[2], sizes[2], TRUE) *
             enumerated_naive(phi_y, phi_y, n, sizes[3], sizes[3], TRUE))
    population <- finite_population(phi_x, phi_y, n, sizes[2:3])
    result <- predicted_bias(population, estimator = "naive")
    expect_relative(result$expected, expected, 1e-10, paste(sizes, collapse = " "))
    expect_relative(result$cka, population$cka, 1e-12)
    # the normalized form sets the ratio over neurons to 1 and is wrong here
    wrong <- predicted_bias(population, estimator = "naive", assume = "normalized")$expected
    expect_gt(abs(wrong / expected - 1), 1e-3)
  }
})

test_that("from data, the naive prediction uses the estimates of the same parameters", {
  set.seed(8)
  p <- related_pair(25, 9, 7, d = 4)
  x <- side_of(p$x)
  y <- side_of(p$y)
  truth <- plain_cka(p$x, p$y, "stimulus_neuron")
  centred <- lapply(p, scale, scale = FALSE)
  k <- lapply(centred, function(z) rowSums(z^2) / ncol(z))
  zeta <- mean(k$x * k$y) / plain_h(p$x, p$y, "stimulus")
  expected <- truth * naive_h(25, 1, zeta, sqrt(x$gamma * y$gamma) / truth) /
    sqrt(naive_self(25, x) * naive_self(25, y))
  result <- few_is_fine(predicted_bias(p$x, p$y, estimator = "naive"))
  expect_relative(result$expected, expected, 1e-9)
})

test_that("predictions are NA with a warning when a parameter is undefined", {
  x <- cbind(c(1, 2, 4, 3, 9, 2), 1)
  set.seed(9)
  y <- related_pair(6, 4, 1)$x
  for (e in c("stimulus", "naive")) {
    value <- expect_warned(predicted_bias(x, y, estimator = e), "repalign_undefined")
    expect_identical(value$expected, NA_real_)
    value <- expect_warned(predicted_bias(x, estimator = e), "repalign_undefined")
    expect_identical(value$expected, NA_real_)
  }
})

test_that("the naive prediction for unrelated representations is a number", {
  # a numerator that is exactly zero: the true CKA is taken for 0, the naive one is not
  x <- cbind(c(0, 1, 1, 0, 1, 0))[, c(1, 1)]
  y <- cbind(c(2, 2, 2, 1, 1, 0))[, c(1, 1)]
  expect_identical(few_is_fine(cka(x, y, estimator = "stimulus_neuron")), 0)
  self <- c(plain_h(x, x, "stimulus"), plain_h(y, y, "stimulus"))
  k <- lapply(list(x, y), function(z) rowMeans(scale(z, scale = FALSE)^2))
  sides <- lapply(list(x, y), function(z) {
    # two copies of one neuron: what is left out is what is kept
    centred <- scale(z, scale = FALSE)
    own <- rowMeans(centred^2)
    list(q = 2, gamma = direct_variance_product(z[, 1, drop = FALSE]) / plain_h(z, z, "stimulus"),
         psi_stimuli = mean(own)^2 / mean(own^2), psi_neurons = 1,
         rho = mean(own)^2 / mean(centred^4))
  })
  expected <- naive_h(6, 0, mean(k[[1]] * k[[2]]) / sqrt(prod(self)),
                      sqrt(sides[[1]]$gamma * sides[[2]]$gamma)) /
    sqrt(naive_self(6, sides[[1]]) * naive_self(6, sides[[2]]))
  result <- few_is_fine(predicted_bias(x, y, estimator = "naive"))
  expect_relative(result$expected, expected, 1e-9)
  expect_relative(result$bias, expected, 1e-9)
})

# --- the simulated population

exact_cka <- function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2))

test_that("linear_population knows its CKA and its geometry", {
  set.seed(10)
  pop <- linear_population(n = 7, q = c(3, 5), d = 6, spectrum = "power", power = c(0.5, 2))
  lambda <- list(seq_len(6)^-0.5, seq_len(6)^-2)
  expect_identical(dim(pop$x), c(7L, 3L))
  expect_identical(dim(pop$y), c(7L, 5L))
  expect_relative(pop$cka, exact_cka(lambda[[1]], lambda[[2]]), 1e-12)
  for (side in 1:2) {
    theory <- pop$theory[[c("x", "y")[side]]]
    gamma <- sum(lambda[[side]])^2 / sum(lambda[[side]]^2)
    expect_relative(theory$gamma, gamma, 1e-12)
    expect_relative(theory$gamma / theory$psi_stimuli, gamma + 2, 1e-12)
    expect_relative(theory$gamma / theory$psi_neurons, gamma + 2, 1e-12)
    expect_relative(theory$gamma / theory$rho, 3 * (gamma + 2), 1e-12)
  }
  reversed <- linear_population(5, 2, 6, spectrum = "power", power = 1, reverse = TRUE)
  expect_relative(reversed$cka, exact_cka(1 / 1:6, 1 / 6:1), 1e-12)
  expect_identical(linear_population(5, 2, 6)$cka, 1)
  expect_equal(linear_population(5, 2, 6)$theory$x$gamma, 6, tolerance = 1e-12)
})

test_that("large samples have the exact CKA", {
  set.seed(11)
  for (settings in list(list(power = c(0.3, 1.5)), list(power = 1, reverse = TRUE))) {
    pop <- do.call(linear_population,
                   c(list(n = 1500, q = 400, d = 6, spectrum = "power"), settings))
    expect_equal(cka(pop$x, pop$y, estimator = "stimulus_neuron"), pop$cka, tolerance = 0.05)
    expect_lt(pop$cka, 0.9)
  }
  pop <- linear_population(n = 1500, q = 300, d = 6)
  expect_equal(cka(pop$x, pop$y, estimator = "stimulus_neuron"), 1, tolerance = 0.05)
})

test_that("pooled estimates of the simulated population meet the predictions", {
  # 400 samples: standard errors of the pooled ratios are about 0.003
  set.seed(12)
  h <- lapply(1:400, function(i) {
    pop <- linear_population(n = 20, q = 8, d = 10, spectrum = "power", power = c(0.2, 0.8))
    cbind(vapply(all_estimators, function(e) {
      self <- function(x) hsic(x, x, estimator = e, shared_neurons = TRUE)
      c(hsic(pop$x, pop$y, estimator = e), self(pop$x), self(pop$y))
    }, numeric(3)))
  })
  mean_h <- Reduce(`+`, h) / 400
  pop <- linear_population(n = 20, q = 8, d = 10, spectrum = "power", power = c(0.2, 0.8))
  for (e in all_estimators) {
    # "stimulus" is predicted for the pooled H values at any n, as they are unbiased
    # the corrected H values are unbiased: the ratio of their means is the true one, and its bias
    # is that of single ratios
    predicted <-
      predicted_bias(pop, estimator = e)[[if (e == "stimulus_neuron") "cka" else "expected"]]
    expect_equal(plain_ratio(mean_h[, e]), predicted, tolerance = 0.03, label = e)
  }
  # the formula for normalized neurons does not fit this example
  normalized <- predicted_bias(pop, estimator = "stimulus", assume = "normalized")$expected
  expect_gt(abs(plain_ratio(mean_h[, "stimulus"]) - normalized), 0.05)
})

test_that("a simulated population stands for both sides, and its spectrum must suit doubles", {
  population <- linear_population(6, 3, 4)
  expect_refused(predicted_bias(population, diag(6)), c("`y`", "population"))
  expect_refused(linear_population(6, 3, 40, "power", power = -400), c("`power`", "extreme"))
})

test_that("a predicted bias is that of the stimuli that have a cluster, where these are declared", {
  set.seed(72)
  x <- matrix(rnorm(20 * 6), 20)
  y <- matrix(rnorm(20 * 7), 20)
  declared <- responses(x, cluster = replace(1:20, 3:4, NA))
  expect_message(found <- predicted_bias(declared, y), "not used: clusters")
  expect_identical(as.data.frame(found), as.data.frame(predicted_bias(x[-(3:4), ], y[-(3:4), ])))
})
