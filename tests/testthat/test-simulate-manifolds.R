# The makers of shapes keep the geometry that their help describes, and the measures see in it what
# the MKA paper says, where they do.

lengths_of <- function(m) sqrt(rowSums(m^2))

distances <- function(m) as.matrix(stats::dist(m))

scores_by <- function(shapes, id, ...) {
  suppressWarnings(similarity(shapes$x, shapes$y, measure(id, ...)))$score
}

test_that("the roll and the S run along one line", {
  set.seed(1)
  shapes <- simulate_swiss_roll(400, r = c(0, 0.25, 0.5, 1))
  t <- shapes$position
  expect_true(all(t >= 0 & t <= 1))
  expect_equal(lengths_of(shapes$x), 1.5 * pi * (1 + 2 * t))
  angle <- 1.5 * pi * (1 + 2 * t)
  expect_equal(shapes$x[, 1] * sin(angle), shapes$x[, 2] * cos(angle))
  for (i in seq_along(shapes$y)) {
    s <- shapes$y[[i]]
    first <- t < shapes$truth$r[i]
    # before r the line is on the circle around (0, 1), then on the circle around (0, -1)
    centre <- cbind(0, ifelse(first, 1, -1))
    expect_equal(lengths_of(s - centre), rep(1, 400), tolerance = 1e-12)
    # neighbours on the line are as far apart as the line is long between them
    along <- order(t)
    steps <- lengths_of(s[along[-1], ] - s[along[-400], ])
    expect_equal(sum(steps), 3 * pi * diff(range(t)), tolerance = 1e-3)
    expect_true(all(steps <= 3 * pi * diff(t[along]) + 1e-12))
  }
  expect_identical(shapes$truth, data.frame(model = paste("r =", c(0, 0.25, 0.5, 1)),
                                            r = c(0, 0.25, 0.5, 1)))
})

test_that("the line runs over itself for r below 1/3 or above 2/3, and not between", {
  set.seed(2)
  rs <- c(0.1, 0.3, 0.36, 0.5, 0.64, 0.7, 0.9)
  shapes <- simulate_swiss_roll(900, r = rs)
  farthest <- vapply(c(list(shapes$x), shapes$y), function(s) {
    near <- distances(s)
    diag(near) <- Inf
    max(abs(shapes$position - shapes$position[apply(near, 1, which.min)]))
  }, 0)
  expect_lt(farthest[1], 0.02)
  expect_identical(unname(farthest[-1] > 0.3), rs < 1 / 3 | rs > 2 / 3)
})

test_that("rings have their radii, and collapse one by one", {
  set.seed(3)
  shapes <- simulate_rings(103)
  expect_identical(names(shapes$y), c(paste(5:2, "rings"), "1 ring"))
  expect_identical(shapes$x, shapes$y[[1]])
  radii <- list(c(1, 1.25, 0.75, 1.5, 0.5), c(1, 1, 1.25, 0.75, 1.5), c(1, 1, 1, 1.25, 0.75),
                c(1, 1, 1, 1, 1.25), rep(1, 5))
  for (i in 1:5) {
    expect_equal(lengths_of(shapes$y[[i]]), radii[[i]][shapes$ring])
    expect_equal(shapes$y[[i]] / lengths_of(shapes$y[[i]]), shapes$x / lengths_of(shapes$x))
  }
  expect_identical(as.vector(table(shapes$ring)), c(21L, 21L, 21L, 20L, 20L))
  expect_equal(diff(shapes$angle[shapes$ring == 5]), rep(2 * pi / 20, 19))
  expect_equal(atan2(shapes$x[, 2], shapes$x[, 1]) %% (2 * pi), shapes$angle)
  expect_equal(lengths_of(simulate_rings(12, rings = 2)$x), rep(c(1, 1.5), each = 6))
})

test_that("noise of rings has its size, and is the same in every stage", {
  set.seed(4)
  shapes <- simulate_rings(5000, noise = 0.02)
  radius <- c(1, 1.25, 0.75, 1.5, 0.5)[shapes$ring]
  exact <- cbind(cos(shapes$angle), sin(shapes$angle))
  noise <- shapes$x / radius - exact
  expect_equal(stats::sd(noise), 0.02, tolerance = 0.05)
  expect_equal(shapes$y[["1 ring"]] - exact, noise)
})

test_that("clusters keep the distances within them, and lie on a circle", {
  set.seed(5)
  shapes <- simulate_clusters(240, clusters = c(one = 1, three = 3, seven = 7), radius = 20)
  expect_identical(shapes$y$one, shapes$x)
  expect_identical(dim(shapes$cluster), c(240L, 3L))
  for (name in c("three", "seven")) {
    of <- shapes$cluster[, name]
    k <- shapes$truth$clusters[shapes$truth$model == name]
    expect_setequal(of, seq_len(k))
    expect_lte(diff(range(table(of))), 1)
    moved <- shapes$y[[name]] - shapes$x
    expect_equal(lengths_of(moved), rep(20, 240))
    expect_equal(moved[, 1], 20 * cos(2 * pi * (of - 1) / k))
    within <- outer(of, of, "==")
    expect_equal(distances(shapes$y[[name]])[within], distances(shapes$x)[within])
  }
  expect_equal(stats::sd(shapes$x), 1, tolerance = 0.1)
})

test_that("spots are perturbed as much as asked, or lost", {
  set.seed(6)
  shapes <- simulate_spots(2000, d = 5, noise = c(0, 0.5, 2, Inf))
  expect_identical(names(shapes$y), c("noise 0", "noise 0.5", "noise 2", "lost"))
  expect_identical(shapes$y[["noise 0"]], shapes$x)
  expect_equal(stats::sd(shapes$x), 1, tolerance = 0.03)
  for (noise in c(0.5, 2)) {
    change <- shapes$y[[paste("noise", noise)]] - shapes$x
    expect_equal(stats::sd(change), noise, tolerance = 0.03)
    expect_lt(max(abs(stats::cor(change, shapes$x))), 0.1)
  }
  expect_equal(stats::sd(shapes$y$lost), 1, tolerance = 0.03)
  expect_lt(max(abs(stats::cor(shapes$y$lost, shapes$x))), 0.1)
  expect_identical(shapes$truth$noise, c(0, 0.5, 2, Inf))
})

test_that("a translation moves one spot along one neuron", {
  set.seed(7)
  shapes <- simulate_translation(301, d = 3, translation = c(0, 4, 50), gap = 0.25)
  expect_identical(as.vector(table(shapes$spot)), c(151L, 150L))
  expect_identical(shapes$y[["translation 0"]], shapes$x)
  for (i in 1:3) {
    moved <- shapes$y[[i]] - shapes$x
    expect_equal(moved[, 1], (shapes$spot - 1) * shapes$truth$translation[i])
    expect_true(all(moved[, -1] == 0))
  }
  expect_lte(max(abs(shapes$x[, -1])), 0.5)
  gap <- min(shapes$x[shapes$spot == 2, 1]) - max(shapes$x[shapes$spot == 1, 1])
  expect_gte(gap, 0.25)
  expect_lt(gap, 0.4)
})

test_that("set.seed() reproduces shapes, whatever their names", {
  make <- function(...) {
    set.seed(8)
    list(simulate_swiss_roll(20, ...), simulate_rings(20, noise = 0.1), simulate_clusters(20),
         simulate_spots(20, 3), simulate_translation(20, 3))
  }
  one <- make(c(0.2, 0.7))
  expect_identical(one, make(c(0.2, 0.7)))
  named <- make(c(a = 0.2, b = 0.7))
  expect_identical(names(named[[1]]$y), c("a", "b"))
  expect_identical(unname(named[[1]]$y), unname(one[[1]]$y))
  for (shapes in one) {
    expect_identical(names(shapes$y), shapes$truth$model)
    expect_identical(similarity(shapes$x, shapes$y, "procrustes")$y, shapes$truth$model)
    expect_output(print(shapes), "<simulated shapes> 20 stimuli, [23] neurons: x and")
    expect_output(print(shapes), shapes$truth$model[1], fixed = TRUE)
    expect_refused(similarity(shapes), c("`x` is simulated shapes", "\\$x and \\$y"))
  }
})

test_that("what the makers of shapes cannot do is refused by name", {
  expect_refused(simulate_swiss_roll(1), "`n`")
  expect_refused(simulate_swiss_roll(10, r = c(0.5, 1.5)), c("`r`", "from 0 to 1", "2 is 1.5"))
  expect_refused(simulate_swiss_roll(10, r = NA_real_), c("`r`", "element 1 is NA"))
  expect_refused(simulate_swiss_roll(10, r = "a"), c("`r`", "must hold numbers"))
  expect_refused(simulate_swiss_roll(10, r = numeric()), c("`r`", "empty"))
  expect_refused(simulate_swiss_roll(10, r = c(0.5, 0.5)), c("`r`", "0.5 twice"))
  expect_refused(simulate_swiss_roll(10, r = c(a = 0.5, a = 0.6)), c("`r`", "different name"))
  expect_refused(simulate_swiss_roll(10, r = c(a = 0.5, 0.6)), c("`r`", "different name"))
  expect_refused(simulate_rings(14), c("`n` is 14", "at least 15"))
  expect_refused(simulate_rings(20, rings = 1), "`rings`")
  expect_refused(simulate_rings(20, noise = -1), "`noise`")
  expect_refused(simulate_clusters(20, clusters = c(2, 21)), c("`clusters`", "from 1 to 20"))
  expect_refused(simulate_clusters(20, clusters = 2.5), c("`clusters`", "whole numbers"))
  expect_refused(simulate_clusters(20, radius = 0), "`radius`")
  expect_refused(simulate_spots(20, 0), "`d`")
  expect_refused(simulate_spots(20, noise = -1), c("`noise`", "at least 0"))
  expect_refused(simulate_translation(20, translation = -1), "`translation`")
  expect_refused(simulate_translation(20, translation = Inf), c("`translation`", "is Inf"))
  expect_refused(simulate_translation(20, gap = -1), "`gap`")
  expect_refused(simulate_spots(2^31), "`n`")
  before <- options(repalign.max_memory = 1e6)
  on.exit(options(before))
  expect_refused(simulate_spots(1e6, 1000), "memory|more than")
})

test_that("a roll and an S are most similar for mka where the line does not overlap", {
  set.seed(9)
  shapes <- simulate_swiss_roll(300, r = c(0, 0.2, 0.5, 0.8, 1))
  mka <- scores_by(shapes, "mka")
  expect_gt(mka[3], 0.99)
  expect_true(all(diff(mka)[1:2] > 0.02) && all(diff(mka)[3:4] < -0.02))
  narrow <- scores_by(shapes, "cka", kernel = "rbf", bandwidth = 0.2)
  expect_gt(narrow[3], max(narrow[c(1, 5)]) + 0.1)
  # the median bandwidth says the opposite
  wide <- scores_by(shapes, "cka", kernel = "rbf")
  expect_lt(wide[3], min(wide[c(1, 5)]) - 0.3)
  # and the number of neighbours matters to kcka, not to mka
  half <- simulate_swiss_roll(300)
  ks <- c(5, 15, 50, 100)
  expect_gt(min(vapply(ks, function(k) scores_by(half, "mka", k = k), 0)), 0.99)
  expect_lt(scores_by(half, "kcka", k = 100), scores_by(half, "kcka", k = 5) - 0.1)
})

test_that("mka follows rings and clusters at every k, cka does not", {
  set.seed(10)
  rings <- simulate_rings(200, noise = 0.01)
  clusters <- simulate_clusters(200, clusters = c(1, 2, 4, 8, 16))
  for (k in c(5, 15, 50, 100)) {
    expect_true(all(diff(scores_by(rings, "mka", k = k)) < -0.03), label = paste("rings, k =", k))
    expect_true(all(diff(scores_by(clusters, "mka", k = k)) < 0), label = paste("clusters, k =", k))
  }
  follows <- function(shapes, ...) {
    abs(stats::cor(scores_by(shapes, ...), shapes$truth[[2]], method = "kendall"))
  }
  expect_lt(follows(rings, "cka", kernel = "rbf"), 0.5)
  expect_lt(follows(rings, "kcka", k = 100), 0.5)
  expect_equal(follows(rings, "kcka", k = 5), 1)
})

test_that("mka of spots hardly depends on k, and not on a translation", {
  set.seed(11)
  spots <- simulate_spots(300, 2)
  ks <- c(5, 15, 50, 100)
  by_k <- function(shapes, id) {
    vapply(ks, function(k) scores_by(shapes, id, k = k)[1], 0)
  }
  expect_lt(diff(range(by_k(spots, "mka"))), 0.1)
  expect_gt(diff(range(by_k(spots, "kcka"))), 0.15)
  moved <- simulate_translation(300, 100, translation = c(1, 20, 50))
  expect_lt(diff(range(scores_by(moved, "mka"))), 0.1)
  expect_equal(scores_by(moved, "mka")[2], scores_by(moved, "mka")[3], tolerance = 1e-12)
  expect_gt(min(scores_by(moved, "mka")), 0.8)
  cka <- scores_by(moved, "cka", kernel = "rbf")
  expect_lt(cka[3], cka[1] / 2)
  rtd <- scores_by(moved, "rtd", batch = 100, trials = 1)
  expect_gt(rtd[3], 2 * rtd[1])
})
