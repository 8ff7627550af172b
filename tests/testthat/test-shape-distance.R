# shape_distance(): reference values, and what it is at the ends of alpha.

related <- function(n = 30, dx = 6, dy = 9) {
  shared <- matrix(rnorm(n * 3), n)
  side <- function(d) shared %*% matrix(rnorm(3 * d), 3) + matrix(rnorm(n * d), n)
  list(x = side(dx), y = side(dy))
}

test_that("the reference values hold", {
  for (quantity in c("shape_distance", "netrep_linear")) {
    rows <- align_rows(quantity)
    for (i in seq_len(nrow(rows))) {
      row <- rows[i, ]
      args <- row$args[[1]]
      if (quantity == "netrep_linear") {
        args <- list(alpha = args$alpha, method = args$score_method, whitening = "raw",
                     scale = FALSE)
      }
      sides <- align_sides(row$case)
      note_align(quietly(do.call(shape_distance, c(unname(sides), args))), row)
    }
    expect_gt(nrow(rows), 30)
  }
  expect_nothing_noted()
})

test_that("at 1 it is Procrustes, at 0 canonical correlation", {
  set.seed(1)
  p <- related()
  expect_equal(shape_distance(p$x, p$y), angular_shape(p$x, p$y), tolerance = 1e-12)
  for (scale in c(TRUE, FALSE)) for (center in c(TRUE, FALSE)) {
    expect_equal(shape_distance(p$x, p$y, method = "euclidean", scale = scale, center = center),
                 procrustes(p$x, p$y, scale = scale, center = center), tolerance = 1e-12)
  }
  expect_equal(cos(shape_distance(p$x, p$y, 0)), cca(p$x, p$y) * 6 / sqrt(6 * 9),
               tolerance = 1e-12)
})

test_that("small distances keep their digits at every alpha", {
  set.seed(2)
  x <- matrix(rnorm(300), 30) %*% diag(10:1)
  turn <- qr.Q(qr(matrix(rnorm(100), 10)))
  step <- matrix(rnorm(300), 30)
  for (alpha in c(0, 0.4, 1)) {
    of <- function(size) shape_distance(x, x %*% turn + size * step, alpha)
    expect_lt(of(0), 1e-12)
    # in proportion to the step, far below the root of rounding errors
    expect_equal(of(1e-9) / 1e-9, of(1e-6) / 1e-6, tolerance = 1e-3)
  }
})

test_that("units and copies of all stimuli change nothing, but with raw weights", {
  set.seed(3)
  p <- related()
  twice <- function(x) x[rep(seq_len(nrow(x)), 2), ]
  for (alpha in c(0, 0.3, 1)) {
    one <- shape_distance(p$x, p$y, alpha)
    expect_equal(shape_distance(30 * p$x, p$y, alpha), one, tolerance = 1e-12)
    expect_equal(shape_distance(twice(p$x), twice(p$y), alpha), one, tolerance = 1e-12)
  }
  raw <- function(x, y) shape_distance(x, y, 0.3, whitening = "raw")
  expect_gt(abs(raw(30 * p$x, p$y) - raw(p$x, p$y)), 1e-4)
})

test_that("the triangle inequality holds for one alpha", {
  set.seed(4)
  for (draw in 1:30) {
    alpha <- sample(c(0, 0.2, 0.6, 1), 1)
    whitening <- sample(c("power", "raw"), 1)
    method <- sample(c("angular", "euclidean"), 1)
    three <- lapply(c(a = 1, b = 4, c = 8), function(d) matrix(rnorm(12 * d), 12))
    d <- similarity(three, measure = measure("shape_distance", alpha = alpha, method = method,
                                             whitening = whitening))$score
    expect_lte(2 * max(d) - sum(d), 1e-12)
  }
})

test_that("a side that spans all stimuli is no evidence at 0", {
  set.seed(5)
  x <- matrix(rnorm(200), 10)
  y <- matrix(rnorm(30), 10)
  expect_warning(value <- shape_distance(x, y, 0), class = "repalign_trivial")
  expect_equal(cos(value), sqrt(3 / 9), tolerance = 1e-12)
  expect_silent(shape_distance(x, y, 0.1))
  expect_warning(shape_distance(x, y, 0, center = FALSE), class = "repalign_trivial")
  expect_silent(shape_distance(x[, 1:9], y, 0, center = FALSE))
  for (bad in list(-0.1, 1.1, NA, c(0, 1), "1")) {
    expect_error(shape_distance(x, y, bad), class = "repalign_error", "alpha")
  }
  expect_error(shape_distance(x * 0, y), class = "repalign_error_variance")
  expect_error(shape_distance(x, y, whitening = "zca"), class = "repalign_error_choice")
})

test_that("errors are influences at 1, and half-samples otherwise", {
  set.seed(6)
  # with fewer than 80 stimuli the jackknife takes the place of influences
  p <- related(80, 4, 4)
  of <- function(...) score_interval(p$x, p$y, measure("shape_distance", ...), draws = 60)
  one <- of()
  expect_identical(one$method, "influence")
  expect_equal(one$se, score_interval(p$x, p$y, "angular_shape")$se, tolerance = 1e-8)
  expect_identical(of(alpha = 0.5)$method, "half-samples")
  expect_identical(of(method = "euclidean", scale = FALSE)$method, "influence")
})
