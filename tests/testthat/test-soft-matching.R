# soft_matching() and its kin: reference values, small plans by brute force, laws.

noisy_copies <- function(n = 40, q = 6, p = 9, noise = 0.5) {
  x <- matrix(rnorm(n * q), n)
  list(x = x, y = x[, rep_len(seq_len(q), p)] + noise * matrix(rnorm(n * p), n))
}

run_of <- function(cost) repalign:::transport_run(cost)

plan_matrix <- function(run, mass, size) {
  plan <- repalign:::plan_of_run(run, mass)
  t <- matrix(0, size[1], size[2])
  t[cbind(plan$x, plan$y)] <- plan$weight
  t
}

test_that("the reference values hold", {
  for (quantity in c("soft_matching", "soft_matching_correlation")) {
    rows <- align_rows(quantity)
    for (i in seq_len(nrow(rows))) {
      sides <- align_sides(rows$case[i])
      note_align(quietly(do.call(quantity, c(unname(sides), rows$args[[i]]))), rows[i, ])
    }
    expect_gt(nrow(rows), 10)
  }
  a <- align_sides("a")
  note_align(sqrt(6) * soft_matching(a$x, a$y, scale = FALSE), align_rows("netrep_permutation"))
  expect_nothing_noted()
})

test_that("plans of all masses are optimal", {
  set.seed(1)
  for (size in list(c(1, 1), c(1, 4), c(4, 1), c(2, 3), c(3, 2), c(6, 4), c(5, 5), c(4, 7), c(8, 8),
                    c(12, 5))) {
    cost <- matrix(rnorm(prod(size)), size[1])
    # whole numbers, so that many costs are equal
    if (size[1] %% 2) cost <- round(2 * cost)
    run <- run_of(cost)
    for (mass in c(0.05, 0.37, 0.5, 0.92, 1)) {
      t <- plan_matrix(run, mass, size)
      label <- paste(c(size, mass), collapse = " ")
      note(abs(sum(t) - mass) < 1e-12 && all(t >= 0), paste("mass:", label))
      note(all(rowSums(t) < 1 / size[1] + 1e-12, colSums(t) < 1 / size[2] + 1e-12),
           paste("margins:", label))
      note(abs(sum(t * cost) - def_transport(cost, mass)) < 1e-12, paste("cost:", label))
    }
  }
  expect_nothing_noted()
})

test_that("a plan has at most as many entries as there are neurons, less one", {
  set.seed(2)
  for (size in list(c(20, 33), c(16, 24), c(30, 7))) {
    run <- run_of(matrix(runif(prod(size)), size[1]))
    expect_lt(length(repalign:::plan_of_run(run, 1)$x), sum(size))
  }
})

test_that("costs and masses of any size have plans", {
  set.seed(3)
  cost <- matrix(runif(35), 5)
  plan <- repalign:::plan_of_run(run_of(cost), 1)
  for (factor in c(1e-250, 1e250)) {
    expect_identical(repalign:::plan_of_run(run_of(cost * factor), 1), plan)
  }
  # all costs equal: the first neurons come first
  expect_equal(plan_matrix(run_of(matrix(1, 2, 4)), 1, c(2, 4)),
               rbind(c(1, 1, 0, 0), c(0, 0, 1, 1)) / 4)
  expect_error(.Call(repalign:::C_transport, matrix(NA_real_, 2, 2)), "cost")
  expect_error(.Call(repalign:::C_transport, matrix(0, 0, 2)), "cost")
})

test_that("with equal numbers of neurons it is the assignment", {
  set.seed(4)
  p <- noisy_copies(40, 7, 7)
  expect_equal(sqrt(7) * soft_matching(p$x, p$y, scale = FALSE),
               permutation_procrustes(p$x, p$y, center = TRUE), tolerance = 1e-12)
  expect_equal(soft_matching_correlation(p$x, p$y), hard_correlation_match(p$x, p$y),
               tolerance = 1e-12)
  # the transport of nearly all mass comes to the same
  nearly <- quietly(soft_matching(p$x, p$y, mass = 1 - 1e-9))
  expect_equal(nearly, soft_matching(p$x, p$y), tolerance = 1e-7)
})

test_that("copies of all neurons, units and the order of neurons change nothing", {
  set.seed(5)
  p <- noisy_copies()
  for (id in c("soft_matching", "soft_matching_correlation")) {
    f <- get(id)
    one <- f(p$x, p$y)
    expect_equal(f(cbind(p$x, p$x), p$y), one, tolerance = 1e-12)
    expect_equal(f(p$x, 30 * p$y + 5), one, tolerance = 1e-12)
    expect_equal(f(p$x[, 6:1], p$y[, 9:1]), one, tolerance = 1e-12)
    expect_equal(f(p$y, p$x), one, tolerance = 1e-12)
  }
  # a small distance keeps its digits
  tiny <- soft_matching(p$x, cbind(p$x, p$x) + 1e-10, center = FALSE, scale = FALSE)
  expect_equal(tiny, sqrt(40) * 1e-10, tolerance = 1e-5)
})

test_that("it is a metric with all of the mass, and not with a part", {
  set.seed(6)
  for (draw in 1:20) {
    three <- lapply(c(a = 2, b = 3, c = 5), function(d) matrix(rnorm(12 * d), 12))
    d <- similarity(three, measure = "soft_matching")$score
    expect_lte(2 * max(d) - sum(d), 1e-12)
  }
  expect_true(repalign:::declared(measure("soft_matching")$declaration$metric, list(mass = 1)))
  expect_false(repalign:::declared(measure("soft_matching")$declaration$metric, list(mass = 0.5)))
  skip_if_not_installed("ggplot2")
  tiles <- ggplot2::autoplot(measures())$data
  expect_identical(tiles$shade[tiles$id == "soft_matching" & tiles$property == "metric"],
                   "distance")
})

test_that("the value grows with the mass, with a message that it was chosen in sample", {
  set.seed(7)
  p <- noisy_copies()
  expect_silent(soft_matching(p$x, p$y))
  expect_message(soft_matching(p$x, p$y, mass = 0.5), class = "repalign_in_sample")
  masses <- seq(0.1, 1, 0.1)
  set <- lapply(masses, function(m) measure("soft_matching_correlation", mass = m))
  expect_false(is.unsorted(-quietly(similarity(p$x, p$y, set))$score))
  for (bad in list(0, 1.2, -1, NA, "1", c(0.5, 1))) {
    expect_error(soft_matching(p$x, p$y, mass = bad), class = "repalign_error_value", "mass")
    expect_error(soft_matching_correlation(p$x, p$y, mass = bad), class = "repalign_error_value")
  }
  constant <- cbind(p$x, 1)
  expect_error(soft_matching_correlation(constant, p$y), "constant columns.*7")
  expect_true(is.finite(soft_matching(constant, p$y)))
})

test_that("matched_neurons() tells who is matched with whom, and from which mass on", {
  set.seed(8)
  p <- noisy_copies(60, 6, 9, 0.3)
  found <- matched_neurons(p$x, p$y)
  expect_named(found, c("x", "y", "weight", "correlation", "correlation_test", "mass_entered"))
  expect_equal(sum(found$weight), 1, tolerance = 1e-12)
  expect_equal(found$correlation, cor(p$x, p$y)[cbind(found$x, found$y)], tolerance = 1e-12)
  expect_equal(sum(found$weight * found$correlation), soft_matching_correlation(p$x, p$y),
               tolerance = 1e-12)
  own <- found$x == (found$y - 1) %% 6 + 1
  expect_gt(sum(found$weight[own]), 0.6)
  expect_gt(min(found$correlation_test[own], na.rm = TRUE), 0.5)
  # a pair has no weight up to the mass at which it enters, and some just above
  for (i in seq_len(nrow(found))) {
    weight <- function(mass) {
      at <- matched_neurons(p$x, p$y, mass)
      sum(at$weight[at$x == found$x[i] & at$y == found$y[i]])
    }
    if (found$mass_entered[i] > 0) expect_identical(weight(found$mass_entered[i]), 0)
    expect_gt(weight(found$mass_entered[i] + 1e-6), 0)
  }
  half <- matched_neurons(p$x, p$y, mass = 0.5)
  expect_equal(sum(half$weight), 0.5, tolerance = 1e-12)
  expect_true(all(half$mass_entered < 0.5))
  colnames(p$x) <- letters[1:6]
  expect_true(all(matched_neurons(p$x, p$y)$x %in% letters[1:6]))
  expect_error(matched_neurons(p$x, p$y, 2), class = "repalign_error_value", "mass")
  expect_error(matched_neurons(p$x, p$y[1:50, ]), class = "repalign_error")
})
