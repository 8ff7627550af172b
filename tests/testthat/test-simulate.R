# The data makers keep what their help says of the truth.

debiased <- function(x, y) cka(x, y, estimator = "stimulus")

test_that("the true CKA of a pair is what many stimuli tend to", {
  set.seed(1)
  settings <- list(list(shared = 0.5), list(shared = 0.2, rank = 6), list(shared = 1, rank = 2),
                   list(shared = 0.4, tails = "laplace"), list(shared = 0.4, tails = "t3"),
                   list(shared = 0.4, tails = "mixture"),
                   list(shared = 0.6, autocorrelation = 0.5),
                   list(shared = 0.3, groups = 4, spread = 1))
  for (setting in settings) {
    pair <- do.call(simulate_pair, c(list(n = 8000, d = c(6, 9)), setting))
    expect_equal(debiased(pair$x, pair$y), pair$cka, tolerance = 0.06,
                 info = paste(names(setting), setting, collapse = " "))
    expect_identical(dim(pair$y), c(8000L, 9L))
  }
  # the last one has groups: within them it is another number
  within <- function(x) x - apply(x, 2, ave, pair$group)
  expect_equal(debiased(within(pair$x), within(pair$y)), pair$cka_within, tolerance = 0.06)
  expect_gt(abs(pair$cka - pair$cka_within), 0.05)
})

test_that("nothing is shared when nothing is shared", {
  set.seed(2)
  for (tails in c("normal", "t3", "laplace", "mixture")) {
    pair <- simulate_pair(4000, 8, tails = tails)
    expect_identical(c(pair$cka, pair$cka_within), c(0, 0))
    expect_lt(abs(debiased(pair$x, pair$y)), 0.01)
    expect_equal(mean(apply(pair$x, 2, var)), 1, tolerance = if (tails == "t3") 0.3 else 0.05)
  }
  grouped <- simulate_pair(4000, 8, groups = 5, spread = 3)
  expect_identical(grouped$cka_within, 0)
  expect_gt(grouped$cka, 0.02)
  expect_identical(as.vector(table(grouped$group)), rep(800L, 5))
})

test_that("noise has the tails and the peaks that its name says", {
  set.seed(8)
  noise <- function(tails) simulate_pair(20000, 5, tails = tails)$x
  fourth <- vapply(c(normal = "normal", laplace = "laplace", mixture = "mixture"), function(tails) {
    mean(noise(tails)^4)
  }, 0)
  # normal 3, Laplace 6, and with v = 0.19 for the two peaks 0.81^2 + 6 * 0.81 v + 3 v^2
  expect_equal(fourth, c(normal = 3, laplace = 6, mixture = 1.688), tolerance = 0.05)
  expect_gt(max(abs(noise("t3"))), 15)
  near <- function(place) mean(abs(noise("mixture") - place) < 0.2)
  expect_gt(near(0.9), 3 * near(0))
  expect_equal(near(0.9), near(-0.9), tolerance = 0.05)
})

test_that("a higher rank spreads the same share over more signals, which lowers the CKA", {
  set.seed(9)
  found <- vapply(c(1, 5, 20), function(rank) simulate_pair(10, 60, 0.5, rank)$cka, 0)
  expect_true(all(diff(found) < -0.05))
})

test_that("rows are correlated as asked, variances are those of independent rows", {
  set.seed(3)
  for (r in c(-0.5, 0.8)) {
    pair <- simulate_pair(6000, 5, shared = 0.5, autocorrelation = r)
    lagged <- diag(cor(pair$x[-1, ], pair$x[-6000, ]))
    expect_equal(mean(lagged), r, tolerance = 0.05)
    expect_equal(mean(apply(pair$x, 2, var)), 1, tolerance = 0.1)
  }
})

test_that("set.seed() reproduces simulations, and they print", {
  make <- function() {
    set.seed(4)
    list(simulate_pair(20, 3, groups = 2), simulate_models(24, c(a = 5, b = 8), layers = 2))
  }
  one <- make()
  expect_identical(one, make())
  expect_output(print(one[[1]]), "20 stimuli in 2 groups, 3 and 3 neurons, true CKA")
})

test_that("models have the sizes and names that were asked for", {
  set.seed(5)
  family <- simulate_models(30, c(s = 4, l = 7), global = c(0, 0.5), local = 1, layers = 3)
  expect_named(family$models, c("s", "l"))
  expect_named(family$models$l, paste0("layer", 1:3))
  expect_identical(dim(family$models$l$layer2), c(30L, 7L))
  expect_identical(family$truth, data.frame(model = c("s", "l"), width = c(4L, 7L),
                                            global = c(0, 0.5), local = c(1, 1)))
  expect_identical(as.vector(table(family$patch)), c(rep(4L, 7), 2L))
  expect_identical(names(simulate_models(20, 3, local = c(u = 0, v = 1))$models), c("u", "v"))
  expect_identical(names(simulate_models(20, 3)$models), "model1")
})

test_that("neighbours are shared as far as `local` says, the layout as far as `global` says", {
  set.seed(6)
  score <- function(global, local, id, ...) {
    family <- simulate_models(400, c(60, 60), c(1, global), c(1, local), noise = 0, scatter = 0.05)
    models <- family$models
    similarity(models[[1]]$layer1, models[[2]]$layer1, measure(id, ...))$score
  }
  neighbours <- function(local) score(0, local, "mutual_knn", k = 3, metric = "euclidean")
  expect_gt(neighbours(1), 0.98)
  expect_equal(neighbours(0.7), 0.7^2, tolerance = 0.15)
  expect_lt(neighbours(0), 0.05)
  layout <- function(global) score(global, 0, "cka", estimator = "stimulus")
  found <- vapply(c(0, 0.5, 1), layout, 0)
  expect_lt(found[1], 0.06)
  expect_true(all(diff(found) > 0.1))
  expect_gt(found[3], 0.75)
})

test_that("noise does not change what a unit's signal is", {
  set.seed(7)
  quiet <- simulate_models(2000, 40, noise = 0)$models[[1]][[1]]
  noisy <- simulate_models(2000, 40, noise = 2)$models[[1]][[1]]
  expect_equal(mean(apply(quiet, 2, var)), 1, tolerance = 0.4)
  expect_equal(mean(apply(noisy, 2, var)), 5, tolerance = 0.2)
})

test_that("what the simulations cannot do is refused by name", {
  expect_refused(simulate_pair(10, 3, shared = 1.1), c("shared", "0 to 1"))
  expect_refused(simulate_pair(10, 3, groups = 11), "groups")
  expect_refused(simulate_pair(10, c(1, 2, 3)), "`d`")
  expect_refused(simulate_pair(10, 3, autocorrelation = 1), "autocorrelation")
  expect_refused(simulate_pair(10, 3, autocorrelation = 0.5, tails = "t3"), "tails")
  expect_refused(simulate_pair(10, 3, autocorrelation = 0.5, tails = "mixture"), "tails")
  expect_refused(simulate_pair(10, 3, tails = "cauchy"), c("tails", "mixture"))
  expect_refused(simulate_pair(1, 3), "`n`")
  expect_refused(simulate_models(7, 3), "`n`")
  expect_refused(simulate_models(20, 3, local = 2), "local")
  expect_refused(simulate_models(20, c(3, 4), local = c(0, 0, 1)), c("`local`", "2, 1 and 3"))
  expect_refused(simulate_models(20, "a"), "width")
  expect_refused(simulate_models(20, c(3, 4, 5), local = c(0, 2, 1)), "`local`")
  expect_refused(simulate_models(20, c(a = 3, a = 4)), c("`width`", "name"))
  expect_refused(simulate_models(20, c(a = 3, 4)), c("`width`", "name"))
  expect_refused(simulate_models(20, c(a = 3, b = 4), local = c(a = 0, c = 1)), c("`local`", "c"))
  expect_refused(simulate_models(20, c(a = 3, b = 4), global = c(b = 0.3)), "`global`")
  family <- simulate_models(20, c(a = 3, b = 4), global = c(b = 0.2, a = 0.7))
  expect_identical(family$truth$global, c(0.7, 0.2))
  expect_refused(simulate_models(20, 3, patch = 11), c("`n`", "`patch` = 11", "22"))
  expect_refused(simulate_models(20, 3, noise = -1), "noise")
})
