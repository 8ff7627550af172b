# bures(), bures_distance() and riemann(): definitions, RDMs in the place of data, and the laws of
# riemann(), whose data need more neurons than the other tests have.

# inputs are small: threads would only wait for each other
withr::local_options(repalign.threads = 1)

wide_pair <- function(n = 8, seed = 3) {
  set.seed(seed)
  x <- normal_matrix(n, n + 3) + 1
  list(x = x, y = x + 2 * normal_matrix(n, n + 3))
}

test_that("bures() is the cosine of the angle between shapes, of data and of RDMs", {
  p <- wide_pair()
  narrow <- list(x = normal_matrix(20, 3), y = normal_matrix(20, 5))
  for (data in list(p, narrow)) {
    expect_equal(bures(data$x, data$y), cos(angular_shape(data$x, data$y)), tolerance = 1e-10)
    expect_equal(bures_distance(data$x, data$y), procrustes_size_shape(data$x, data$y),
                 tolerance = 1e-10)
    for (f in list(bures, bures_distance)) {
      expected <- f(data$x, data$y)
      expect_equal(quietly(f(dist(data$x), data$y)), expected, tolerance = 1e-7)
      square <- dist(data$y)^2
      attr(square, "method") <- NULL
      expect_equal(f(data$x, square), expected, tolerance = 1e-7)
    }
  }
  expect_equal(bures(2^300 * p$x, 2^-300 * p$y), bures(p$x, p$y), tolerance = 1e-12)
  expect_lt(bures_distance(p$x, p$x %*% qr.Q(qr(normal_matrix(11, 11)))), 1e-12)
})

test_that("distances of dist() are squared, which a message says", {
  p <- wide_pair()
  plain <- structure(as.vector(dist(p$x))^2, Size = 8, class = "dist")
  for (f in list(bures, bures_distance, riemann)) {
    expect_message(value <- f(dist(p$x), p$y), "squares them", class = "repalign_squared")
    expect_equal(value, f(plain, p$y), tolerance = 1e-10)
    expect_silent(f(plain, p$y))
  }
  expect_message(similarity(list(a = dist(p$x), b = dist(p$y)), measure = c("bures", "riemann")),
                 "squares them")
  # and what is left of them when stimuli are taken out
  weights <- matrix(c(1, 1, 1, 1, 1, 0, 1, 1), 8)
  expect_equal(quietly(score_weighted(dist(p$x), p$y, "bures", weights)),
               bures(p$x[-6, ], p$y[-6, ]), tolerance = 1e-7)
})

test_that("RDMs that are not Euclidean are projected on both sides, with a warning", {
  p <- wide_pair()
  set.seed(5)
  d <- structure(as.vector(dist(p$x))^2 + 40 * rnorm(28), Size = 8, class = "dist")
  value <- expect_warned(bures(d, p$y), "repalign_projected")
  root <- def_moment_root(d)
  other <- def_moment_root(dist(p$y)^2)
  expect_equal(value, def_nuclear(root %*% other) / sqrt(sum(root^2) * sum(other^2)),
               tolerance = 1e-7)
  expect_equal(quietly(bures(p$y, d)), value, tolerance = 1e-12)
  expect_equal(quietly(bures(d, d)), 1, tolerance = 1e-12)
  expect_lt(quietly(bures_distance(d, d)), 1e-6)
  shares <- eigen(-def_double_center(as.matrix(d)) / 2)$values
  share <- sum(pmax(-shares, 0)) / sum(abs(shares))
  caught <- tryCatch(bures(d, p$y), repalign_projected = identity)
  expect_equal(caught$data, share, tolerance = 1e-8)
  # nothing is left of the negative of squared distances
  negative <- structure(-as.vector(dist(p$x))^2, Size = 8, class = "dist")
  expect_identical(expect_warned(bures(negative, p$y), "repalign_undefined"), NA_real_)
})

# ---- riemann()

# By the definition: second moments relative to stimulus `from`, and both factors searched.
def_riemann <- function(model, data, stimulus_noise = NULL, from = 1) {
  n <- nrow(as.matrix(model))
  contrast <- diag(n)[-from, , drop = FALSE]
  contrast[, from] <- -1
  moment <- function(d) {
    centred <- -def_double_center(as.matrix(d)) / 2
    contrast %*% centred %*% t(contrast)
  }
  if (is.null(stimulus_noise)) stimulus_noise <- diag(n)
  if (!is.matrix(stimulus_noise)) stimulus_noise <- diag(stimulus_noise)
  g <- moment(model)
  inverse <- solve(moment(data))
  noise <- contrast %*% stimulus_noise %*% t(contrast)
  spread <- function(log_factors) {
    values <- Re(eigen(inverse %*% (exp(log_factors[1]) * g + exp(log_factors[2]) * noise))$values)
    if (min(values) <= 0) 1e6 else sqrt(sum(log(values)^2))
  }
  starts <- expand.grid(0, c(-6, -2, 0, 2))
  -min(apply(starts, 1, function(start) {
    stats::optim(start, spread, control = list(reltol = 1e-14, maxit = 5000))$value
  }))
}

test_that("riemann() is the least distance over both factors, relative to any stimulus", {
  p <- wide_pair(6)
  model <- dist(normal_matrix(6, 2))^2
  data <- dist(p$y)^2
  plain <- function(d) structure(as.vector(d), Size = 6, class = "dist")
  noise <- list(NULL, runif(6, 0.5, 2), crossprod(normal_matrix(6, 6)) + diag(6))
  for (stimulus_noise in noise) {
    value <- riemann(plain(model), plain(data), stimulus_noise = stimulus_noise)
    expect_equal(value, def_riemann(model, data, stimulus_noise), tolerance = 1e-6)
    expect_equal(value, def_riemann(model, data, stimulus_noise, from = 4), tolerance = 1e-6)
  }
  # any stimulus may come first
  expect_equal(riemann(p$x[6:1, ], p$y[6:1, ]), riemann(p$x, p$y), tolerance = 1e-9)
  # a model that is right up to a factor and noise
  right <- structure(as.vector(3 * model) + 0.7 * 2, Size = 6, class = "dist")
  expect_equal(riemann(plain(model), right), 0, tolerance = 1e-6)
})

test_that("riemann() has the range, the best value and the invariances that it declares", {
  p <- wide_pair()
  value <- riemann(p$x, p$y)
  expect_lt(value, 0)
  expect_equal(riemann(p$x, p$x), 0, tolerance = 1e-9)
  expect_false(same_value(riemann(p$y, p$x), value))
  turn <- qr.Q(qr(normal_matrix(11, 11)))
  changes <- list(function(x) x %*% turn, function(x) 7.3 * x, function(x) x + rep(1:11, each = 8),
                  function(x) x[, 11:1])
  for (change in changes) {
    expect_equal(riemann(change(p$x), p$y), value, tolerance = 1e-8)
    expect_equal(riemann(p$x, change(p$y)), value, tolerance = 1e-8)
  }
  expect_false(same_value(riemann(p$x, p$y %*% normal_matrix(11, 11)), value))
  expect_false(same_value(riemann(p$x[8:1, ], p$y), value))
  expect_identical(similarity(p$x, p$y, "riemann")$score, value)
  made <- prepare(p, "riemann")
  expect_identical(similarity(made["x"], made["y"], "riemann")$score, value)
  nearer <- riemann(p$x, p$x + 0.3 * (p$y - p$x))
  expect_gt(nearer, value)
})

test_that("the null of riemann() is that of permuted data, and errors come from half-samples", {
  p <- wide_pair()
  for (engine in c("random", "coset")) {
    note_law("riemann", list(), p$x, p$y, engine, permutations = 8, engine = engine,
             tolerance = 1e-8)
  }
  stimulus_noise <- runif(8, 0.5, 2)
  note_law("riemann", list(stimulus_noise = stimulus_noise), p$x, p$y, "with noise",
           permutations = 4,
           engine = "random",
           tolerance = 1e-8)
  expect_nothing_noted()
  q <- wide_pair(16)
  interval <- quietly(score_interval(q$x, q$y,
                                     measure("riemann", stimulus_noise = runif(16, 0.5, 2)),
                                     draws = 20))
  expect_identical(interval$method, "half-samples")
  expect_gt(interval$se, 0)
})

test_that("data without positive definite second moments, and bad noise, are refused", {
  p <- wide_pair()
  expect_refused(riemann(p$x, p$y[, 1:5]), c("`y`", "positive definite", "neurons"))
  expect_true(is.finite(riemann(p$x[, 1:2], p$y)))
  d <- structure(as.vector(dist(p$y))^2 + 60 * rep(c(-1, 1), 14), Size = 8, class = "dist")
  expect_refused(riemann(p$x, d), c("`y`", "positive definite"))
  expect_refused(riemann(p$x, p$y, stimulus_noise = 1:7), c("`stimulus_noise`", "7", "8"))
  expect_refused(riemann(p$x, p$y, stimulus_noise = matrix(1, 8, 8)),
                 c("`stimulus_noise`", "positive definite"))
  zero <- structure(numeric(28), Size = 8, class = "dist")
  expect_identical(expect_warned(riemann(zero, p$y), "repalign_undefined"), NA_real_)
  expect_warning(riemann(zero, p$y), "`x` are 0")
  expect_lt(riemann(zero + 1, p$y), 0)
  expect_refused(riemann(matrix(1:2, 2), matrix(1:2, 2)), "`x`")
})

test_that("what transform_rdm() leaves is squared where it is a distance, and warned of else", {
  p <- wide_pair()
  root <- dist(p$x)
  squares <- structure(as.vector(root)^2, Size = 8, class = "dist")
  recorded <- rdm(p$x, distance = "sqeuclidean")
  roots <- list(transform_rdm(root, "positive"), transform_rdm(squares, "sqrt"), as_rdm(root),
                transform_rdm(recorded, "sqrt"),
                transform_rdm(transform_rdm(squares, "sqrt"), "positive"))
  for (f in list(bures, riemann)) {
    expected <- f(squares, p$y)
    for (d in roots) {
      expect_message(value <- f(d, p$y), "squares them", class = "repalign_squared")
      expect_equal(value, expected, tolerance = 1e-10)
    }
    expect_equal(expect_silent(f(transform_rdm(squares, "positive"), p$y)), expected)
    for (method in c("rank", "minmax", "geotopological", "geodesic")) {
      d <- transform_rdm(root, method)
      plain <- structure(as.vector(d), Size = 8, class = "dist")
      value <- quietly(expect_warned(f(d, p$y), "repalign_no_squares"))
      expect_equal(value, quietly(f(plain, p$y)))
    }
  }
  expect_message(bures(roots[[2]], p$y), "as.dist(as.matrix(x))", fixed = TRUE)
  weights <- matrix(c(1, 1, 1, 1, 1, 0, 1, 1), 8)
  expect_equal(quietly(score_weighted(roots[[4]], p$y, "bures", weights)),
               bures(p$x[-6, ], p$y[-6, ]), tolerance = 1e-7)
})
