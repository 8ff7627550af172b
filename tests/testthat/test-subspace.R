# Canonical correlation and other measures of spaces: rank, routes, digits and what is said.

quiet <- function(code) suppressWarnings(suppressMessages(code))

centred <- function(x) sweep(x, 2, colMeans(x))

# Left singular vectors up to the rank, plainly.
plain_svd <- function(x, center = TRUE) {
  parts <- svd(if (center) centred(x) else x)
  keep <- seq_len(sum(parts$d > 1e-10 * parts$d[1]))
  list(u = parts$u[, keep, drop = FALSE], d = parts$d[keep])
}

shaped_pair <- function(shape) {
  set.seed(sum(shape))
  p <- related_pair(shape[1], shape[2], shape[3])
  lapply(p, function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
}

test_that("cca agrees with stats::cancor, single columns with the correlation", {
  p <- shaped_pair(c(50, 6, 9))
  expect_equal(cca(p$x, p$y), mean(cancor(p$x, p$y)$cor), tolerance = 1e-12)
  x <- p$x[, 1, drop = FALSE]
  y <- p$y[, 1, drop = FALSE]
  r <- abs(drop(cor(x, y)))
  for (value in c(cca(x, y), svcca(x, y), pwcca(x, y), sqrt(linear_regression(x, y)))) {
    expect_equal(value, r, tolerance = 1e-12)
  }
  expect_equal(gulp(x, y), sqrt(2 - 2 * r^2), tolerance = 1e-12)
})

# ---- rank

test_that("dependent and constant columns add nothing to a space", {
  p <- shaped_pair(c(50, 5, 6))
  wide <- list(
    duplicated = cbind(p$x, p$x[, 2:3]), constant = cbind(p$x, 7, 0),
    combined = cbind(p$x, p$x %*% normal_matrix(5, 4)), zero = cbind(0, p$x)
  )
  for (name in names(wide)) {
    x <- wide[[name]]
    expect_equal(cca(x, p$y), cca(p$x, p$y), tolerance = 1e-10, label = name)
    expect_equal(gulp(x, p$y), gulp(p$x, p$y), tolerance = 1e-10, label = name)
    expect_equal(linear_regression(p$y, x), linear_regression(p$y, p$x), tolerance = 1e-10,
                 label = name)
    expect_equal(pwcca(x, p$y, "l1"), pwcca(p$x, p$y, "l1"), tolerance = 1e-8, label = name)
    expect_equal(svcca(x, p$y, 1), cca(p$x, p$y), tolerance = 1e-10, label = name)
  }
  # constant columns also weigh nothing
  expect_equal(pwcca(wide$constant, p$y), pwcca(p$x, p$y), tolerance = 1e-10)
  expect_equal(svcca(wide$constant, p$y), svcca(p$x, p$y), tolerance = 1e-10)
  expect_equal(linear_regression(wide$constant, p$y), linear_regression(p$x, p$y),
               tolerance = 1e-10)
  expect_equal(gulp(wide$constant, p$y, 0.1), gulp(p$x, p$y, 0.1), tolerance = 1e-10)
  # the overlap score divides by columns, not by the rank; means are part of its spaces
  expect_equal(eigenspace_overlap(wide$duplicated, p$y), 6 / 7 * eigenspace_overlap(p$x, p$y),
               tolerance = 1e-10)
  expect_equal(eigenspace_overlap(wide$duplicated, wide$duplicated), 5 / 7, tolerance = 1e-10)
})

test_that("the rank counts singular values above 1e-10 of the largest", {
  p <- shaped_pair(c(50, 4, 3))
  extra <- rnorm(50)
  kept <- cbind(p$x, p$x[, 1] + 1e-8 * extra)
  expect_equal(cca(kept, p$y), cca(cbind(p$x, extra), p$y), tolerance = 1e-6)
  for (size in c(1e-13, 1e-100, 1e-200)) {
    expect_equal(cca(cbind(p$x, size * extra), p$y), cca(p$x, p$y), tolerance = 1e-9)
    expect_equal(cca(cbind(p$x, p$x[, 1] + size * extra), p$y), cca(p$x, p$y), tolerance = 1e-9)
  }
  # small, but there
  expect_equal(cca(cbind(p$x, 1e-8 * extra), p$y), cca(cbind(p$x, extra), p$y), tolerance = 1e-12)
})

test_that("the size of single columns does not matter", {
  p <- shaped_pair(c(40, 5, 4))
  value <- function(id, x, y) get(id)(x, y)
  expect_equal(gulp(1e150 * p$x, 1e-150 * p$y, 0.1), gulp(p$x, p$y, 0.1), tolerance = 1e-11)
  sizes <- diag(10^c(-4, 3, 0, -2, 4))
  for (id in c("cca", "eigenspace_overlap", "gulp")) {
    expect_equal(value(id, p$x %*% sizes, p$y), value(id, p$x, p$y), tolerance = 1e-11, label = id)
  }
  expect_equal(linear_regression(p$y, p$x %*% sizes), linear_regression(p$y, p$x),
               tolerance = 1e-11)
  expect_equal(pwcca(p$x, p$y[, 1:4] %*% sizes[1:4, 1:4]), pwcca(p$x, p$y), tolerance = 1e-9)
  # 1e-150 and 1e150 in one matrix: what is small has no rank
  mixed <- cbind(1e150 * p$x[, 1:3], 1e-150 * p$x[, 4:5])
  expect_equal(cca(mixed, p$y), cca(p$x[, 1:3], p$y), tolerance = 1e-11)
})

test_that("few rows and integer data work", {
  x <- matrix(c(1, 2, 3, 5), 4)
  y <- matrix(c(2L, 1L, 4L, 4L, 0L, 1L, 0L, 3L), 4)
  expect_equal(cca(x, y), sqrt(summary(lm(x ~ y))$r.squared), tolerance = 1e-12)
  expect_equal(linear_regression(x, y), summary(lm(x ~ y))$r.squared, tolerance = 1e-12)
  expect_equal(quiet(cca(x[1:2, , drop = FALSE], x[3:4, , drop = FALSE])), 1)
  expect_equal(quiet(gulp(x[1:2, , drop = FALSE], x[3:4, , drop = FALSE])), 0)
  full <- cbind(y, c(1, 0, 0, 0))
  expect_equal(quiet(cca(x, full)), 1, tolerance = 1e-12)
})

# ---- the two routes

bases <- function(x, center = TRUE) {
  rep <- repalign:::representation(x, "x")
  list(fast = repalign:::form_basis(rep, center), plain = repalign:::form_basis(rep, center, FALSE))
}

conditioned <- function(n, d, condition) {
  u <- qr.Q(qr(centred(normal_matrix(n, d))))
  v <- qr.Q(qr(normal_matrix(d, d)))
  u %*% (condition^-seq(0, 1, length.out = d) * t(v))
}

# The inverse of the power of two that the forms multiply by.
unit_of <- function(x, center) {
  rep <- repalign:::representation(x, "x")
  1 / (if (center) repalign:::form_centering(rep) else repalign:::form_scaling(rep, FALSE))$scale
}

is_fast <- function(basis) is.null(basis$s)

test_that("the fast basis is taken where it is safe, and spans the same space", {
  set.seed(5)
  y <- plain_svd(normal_matrix(200, 7))$u
  for (condition in c(1, 5, 100, 2000)) {
    x <- conditioned(200, 12, condition)
    for (center in c(TRUE, FALSE)) {
      b <- bases(x, center)
      expect_true(is_fast(b$fast), label = paste("condition", condition))
      expect_false(is_fast(b$plain))
      for (basis in b) {
        expect_equal(crossprod(basis$q), diag(12), tolerance = 1e-12)
        expect_equal(basis$q %*% basis$triangle * unit_of(x, center),
                     if (center) centred(x) else x, tolerance = 1e-12)
      }
      cosines <- lapply(b, function(basis) svd(crossprod(basis$q, y))$d)
      expect_equal(cosines$fast, cosines$plain, tolerance = 1e-12)
      expect_equal(sum((b$fast$q - b$plain$q %*% crossprod(b$plain$q, b$fast$q))^2), 0,
                   tolerance = 1e-20)
      expect_equal(svd(b$fast$triangle)$d, b$plain$s, tolerance = 1e-10)
    }
  }
})

test_that("where independence is not proved, the plain route decides the rank", {
  set.seed(6)
  x <- conditioned(80, 6, 10)
  hard <- list(
    conditioned(80, 6, 1e7), cbind(x, x[, 1]), cbind(x, x[, 1] + 1e-9 * rnorm(80)),
    x %*% normal_matrix(6, 9), normal_matrix(8, 3) %*% normal_matrix(3, 20),
    sweep(x, 2, c(1, 1, 1, 1, 1, 1e-9), "*")
  )
  for (x in hard) {
    b <- bases(x)$fast
    expect_false(is_fast(b))
    s <- svd(centred(x))$d
    expect_identical(ncol(b$q), sum(s > 1e-10 * s[1]))
    expect_equal(crossprod(b$q), diag(ncol(b$q)), tolerance = 1e-12)
  }
})

test_that("as many columns as rows span the whole space, without singular vectors", {
  set.seed(6)
  for (x in list(normal_matrix(8, 8), normal_matrix(8, 20) + 1e5, normal_matrix(2, 3))) {
    for (center in c(TRUE, FALSE)) {
      b <- bases(x, center)
      expect_true(is_fast(b$fast))
      expect_identical(dim(b$fast$q), dim(b$plain$q))
      expect_equal(tcrossprod(b$fast$q), tcrossprod(b$plain$q), tolerance = 1e-10)
      rep <- repalign:::representation(x, "x")
      parts <- repalign:::form_components(rep, center)
      expect_equal(parts$s, b$plain$s, tolerance = 1e-9)
      u <- svd(if (center) centred(x) else x)$u[, seq_along(parts$s), drop = FALSE]
      expect_equal(abs(colSums(u * (b$fast$q %*% parts$rotation))), rep(1, ncol(u)),
                   tolerance = 1e-6)
    }
  }
})

test_that("singular values and vectors are those of base R", {
  set.seed(7)
  for (shape in list(c(6, 4), c(4, 6), c(1, 5), c(5, 1), c(1, 1))) {
    a <- normal_matrix(shape[1], shape[2])
    s <- .Call(repalign:::C_svd, a)
    expect_equal(s$d, svd(a)$d, tolerance = 1e-14)
    expect_equal(s$u %*% (s$d * t(s$v)), a, tolerance = 1e-13)
    expect_equal(.Call(repalign:::C_singular_values, a), s$d, tolerance = 1e-14)
  }
})

test_that("one call decomposes each representation once", {
  p <- shaped_pair(c(40, 5, 4))
  ids <- c("cca", "svcca", "pwcca", "linear_regression", "gulp")
  built <- count_calls("make_basis", together <- similarity(p$x, p$y, ids))
  expect_identical(built, 2L)
  for (id in setdiff(ids, "gulp")) {
    expect_identical(together$score[together$measure == id], get(id)(p$x, p$y))
  }
  # alone it needs no basis
  expect_identical(count_calls("make_basis", alone <- gulp(p$x, p$y)), 0L)
  expect_equal(together$score[together$measure == "gulp"], alone, tolerance = 1e-14)
  # the other centring is another decomposition
  expect_identical(count_calls("make_basis", similarity(p$x, p$y, "eigenspace_overlap")), 2L)
})

test_that("a triangle without its basis is taken only where it keeps the digits", {
  p <- shaped_pair(c(60, 7, 5))
  x <- p$x
  triangle <- function(x) .Call(repalign:::C_gram_triangle, x, colMeans(x), 1)
  expect_equal(abs(triangle(x)), abs(qr.R(qr(scale(x, scale = FALSE)))), ignore_attr = TRUE)
  served <- list(
    sizes = sweep(x, 2, 10^c(0, -2, 3, 1, 2, 0, -3), "*"), offset = x + 1e3,
    related = cbind(x[, 1:6], x[, 1] + 0.1 * x[, 7])
  )
  refused <- list(
    near = cbind(x[, 1:6], x[, 1] + 1e-4 * x[, 7]), equal = cbind(x, x[, 1]),
    constant = cbind(x, 3), offset = x + 1e6, wide = x[1:5, ],
    sizes = sweep(x, 2, 10^c(0, -8, 3, 1, 2, 0, -3), "*")
  )
  for (name in names(served)) expect_false(is.null(triangle(served[[name]])), label = name)
  for (name in names(refused)) expect_null(triangle(refused[[name]]), label = name)
  for (data in c(served, refused[-5])) {
    by_bases <- similarity(data, p$y, "gulp")$score
    expect_equal(gulp(data, p$y), by_bases, tolerance = 1e-11)
    expect_equal(gulp(p$y, data), by_bases, tolerance = 1e-11)
  }
})

# ---- gulp near zero

test_that("gulp keeps its digits where both spaces are nearly equal", {
  u <- c(1, -1, 1, -1, 1, -1) / sqrt(6)
  v <- c(1, 1, -1, -1, 0, 0) / 2
  for (angle in c(1e-2, 1e-5, 1e-8, 1e-12)) {
    x <- cbind(u)
    y <- cbind(cos(angle) * u + sin(angle) * v)
    expect_equal(gulp(x, y) / angle, sqrt(2) * sin(angle) / angle, tolerance = 1e-3)
    expect_equal(gulp(x, y, 0.25) / angle, sqrt(2) * sin(angle) / angle / 1.25, tolerance = 1e-3)
  }
  p <- shaped_pair(c(60, 7, 7))
  for (lambda in c(0, 0.01, 1)) {
    expect_lt(gulp(p$x, p$x, lambda), 1e-12)
    expect_lt(gulp(p$x, 5 * p$x[, 7:1] + 3, lambda), 1e-10)
  }
  # both ways of computing meet where they change
  for (noise in c(2e-3, 5e-3, 1e-2, 2e-2)) {
    y <- p$x + noise * normal_matrix(60, 7)
    expect_equal(gulp(p$x, y), def_gulp(p$x, y), tolerance = 1e-8)
    expect_equal(gulp(p$x, y, 1e-3), def_gulp(p$x, y, 1e-3), tolerance = 1e-8)
  }
})

test_that("gulp obeys the triangle inequality and its bound", {
  for (seed in 1:5) {
    set.seed(seed)
    x <- lapply(c(3, 5, 8), function(d) normal_matrix(30, d))
    for (lambda in c(0, 0.1)) {
      expect_lte(gulp(x[[1]], x[[3]], lambda),
                 gulp(x[[1]], x[[2]], lambda) + gulp(x[[2]], x[[3]], lambda) + 1e-12)
    }
    expect_lte(gulp(x[[2]], x[[3]]), sqrt(13))
  }
})

# ---- invariances of one side only

test_that("linear maps of one side change nothing where the help pages say so", {
  p <- shaped_pair(c(60, 5, 4))
  mixed <- p$x %*% (normal_matrix(5, 5) + 3 * diag(5))
  expect_equal(linear_regression(p$y, mixed), linear_regression(p$y, p$x), tolerance = 1e-10)
  expect_gt(abs(linear_regression(mixed, p$y) - linear_regression(p$x, p$y)), 1e-4)
  expect_equal(pwcca(p$y, mixed), pwcca(p$y, p$x), tolerance = 1e-9)
  expect_gt(abs(pwcca(mixed, p$y) - pwcca(p$x, p$y)), 1e-4)
  expect_equal(pwcca(mixed, p$y, "l1"), pwcca(p$x, p$y, "l1"), tolerance = 1e-9)
  expect_gt(abs(gulp(mixed, p$y, 0.1) - gulp(p$x, p$y, 0.1)), 1e-4)
})

# ---- what is said about values that mean little

test_that("spaces that hold everything are reported", {
  set.seed(8)
  wide <- normal_matrix(10, 15)
  full <- normal_matrix(10, 9)
  small <- normal_matrix(10, 3)
  for (y in list(wide, full)) {
    expect_equal(expect_warned(cca(small, y), "repalign_trivial"), 1, tolerance = 1e-12)
    expect_equal(expect_warned(linear_regression(small, y), "repalign_trivial"), 1,
                 tolerance = 1e-12)
    expect_equal(expect_warned(gulp(small, y), "repalign_trivial"), sqrt(6), tolerance = 1e-10)
    expect_equal(expect_warned(svcca(small, y, 1), "repalign_trivial"), 1, tolerance = 1e-12)
    expect_no_warning(linear_regression(y, small))
    expect_no_warning(svcca(small, y, components = 2))
    expect_no_warning(gulp(small, y, 0.1))
  }
  expect_equal(expect_warned(eigenspace_overlap(small, wide), "repalign_trivial"), 3 / 15,
               tolerance = 1e-12)
  expect_no_warning(eigenspace_overlap(small, full))
  # many columns of low rank are no such case
  low <- normal_matrix(10, 2) %*% normal_matrix(2, 15)
  expect_no_warning(cca(small, low))
  expect_no_warning(linear_regression(small, low))
  expect_no_warning(eigenspace_overlap(small, low))
  message <- tryCatch(linear_regression(small, wide), warning = conditionMessage)
  expect_match(message, "`y` has rank 9 over 10 stimuli")
})

test_that("pwcca tells when its weights are arbitrary", {
  set.seed(9)
  x <- normal_matrix(20, 12)
  expect_warned(pwcca(x, normal_matrix(20, 10)), "repalign_not_unique")
  expect_no_warning(pwcca(x, normal_matrix(20, 7)))
  # two columns in common
  expect_warned(pwcca(x, cbind(x[, 1:2], rnorm(20))), "repalign_not_unique")
  expect_no_warning(pwcca(x, cbind(x[, 1], rnorm(20))))
  # all correlations equal: the weights do not matter
  expect_equal(expect_no_warning(pwcca(x[, 1:5], x[, 5:1])), 1, tolerance = 1e-12)
})

test_that("svcca cuts components to the rank, and tells about a tie at the cut", {
  p <- shaped_pair(c(40, 5, 4))
  x <- cbind(p$x, p$x[, 1])
  # x is the first of the two that are cut
  expect_message(value <- suppressWarnings(svcca(x, p$x, components = 6)), "`x` has rank 5",
                 class = "repalign_components")
  expect_equal(value, svcca(x, p$x, variance = 1), tolerance = 1e-12)
  expect_no_message(svcca(x, p$y, components = 4))
  said <- 0
  layers <- list(a = x, b = p$y, c = p$x)
  withCallingHandlers(
    similarity(layers, measure = measure("svcca", components = 6)),
    repalign_components = function(m) {
      said <<- said + 1
      invokeRestart("muffleMessage")
    }
  )
  expect_identical(said, 3)
  equal <- plain_svd(p$x)$u
  expect_warned(svcca(equal, p$y, components = 2), "repalign_not_unique")
  expect_no_warning(svcca(equal, p$y, components = 5))
})

test_that("a share of the variance that is just reached counts as reached", {
  # shares 0.9 and 0.1
  x <- cbind(c(3, -3, 3, -3), c(1, 1, -1, -1))
  y <- cbind(c(1, -1, 0, 0), c(0, 1, -1, 0))
  first <- mean(svd(crossprod(plain_svd(x)$u[, 1], plain_svd(y)$u))$d)
  expect_equal(svcca(x, y, 0.9), first, tolerance = 1e-12)
  expect_gt(abs(svcca(x, y, 0.91) - first), 0.01)
})

test_that("arguments are checked", {
  p <- shaped_pair(c(30, 4, 4))
  expect_refused(svcca(p$x, p$y, variance = 0), "`variance`")
  expect_refused(svcca(p$x, p$y, variance = 1.1), "`variance`")
  expect_refused(svcca(p$x, p$y, variance = NA), "`variance`")
  expect_refused(svcca(p$x, p$y, components = 0), "`components`")
  expect_refused(svcca(p$x, p$y, components = 1.5), "`components`")
  expect_warned(svcca(p$x, p$y, variance = 0.5, components = 2), "repalign_unused")
  expect_refused(pwcca(p$x, p$y, weights = "L2"), "`weights`")
  expect_refused(gulp(p$x, p$y, lambda = -1), "`lambda`")
  expect_refused(gulp(p$x, p$y, lambda = Inf), "`lambda`")
  expect_refused(cca(dist(p$x), p$y), "`x`")
})

test_that("a large offset adds no dimension to columns that depend on each other", {
  set.seed(12)
  x <- normal_matrix(28, 7)
  y <- diag(6)[sample(rep_len(1:6, 28)), ]
  for (offset in c(1e3, 1e6, 1e8)) {
    for (id in c("cca", "linear_regression", "gulp", "pwcca")) {
      expect_equal(score(id, x, y + offset), score(id, x, y), tolerance = 1e-6)
    }
  }
})
