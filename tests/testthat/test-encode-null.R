# Permutations of encode(): null statistics against scores of permuted data, and p-values.

normal <- function(n, q) matrix(rnorm(n * q), n)

test_that("null statistics are scores of permuted data", {
  set.seed(1)
  x <- normal(24, 5)
  y <- x[, 1:3] + normal(24, 3)
  folds <- rep(1:4, 6)
  moved <- t(replicate(6, sample(24)))
  ways <- list(
    list(lambda = 1), list(lambda = c(0.1, 1, 10)), list(method = "linear"),
    list(lambda = 2, standardize = TRUE), list(method = "pcr", components = 2),
    list(method = "pls", components = 2), list(lambda = 1, score_by = "cor"),
    list(lambda = c(1, 10), summary = "median"), list(lambda = 1, average = "folds"),
    list(lambda = 1, folds = list(1:6, 5:12)), list(x = normal(24, 40), lambda = 0.5)
  )
  for (way in ways) {
    args <- utils::modifyList(list(x = x, folds = folds), way)
    from <- args$x
    args$x <- NULL
    largest <- function(y) {
      max(vapply(if (is.null(args$lambda)) NA else args$lambda, function(lambda) {
        if (!is.na(lambda)) args$lambda <- lambda
        do.call(encode, c(list(from, y), args))$score
      }, 0))
    }
    null <- c(largest(y), apply(moved, 1, function(p) largest(y[p, ])))
    # each null score that is exceeded, or not, decides about the p-value
    p_value <- suppressMessages(do.call(encode, c(list(from, y, permutations = moved),
                                                  args))$p_value)
    expect_equal(p_value, mean(null >= null[1] - 1e-9))
  }
})

test_that("few permutations stay few", {
  set.seed(8)
  x <- normal_matrix(60, 4)
  y <- x %*% normal_matrix(4, 3) + 6 * normal_matrix(60, 3)
  # cyclic shifts come by sixties, of which seven are drawn
  found <- suppressMessages(encode(x, y, permutations = 7))
  expect_equal(found$p_value * 8, round(found$p_value * 8))
  expect_output(print(found), "P-values are of 7 permutations.", fixed = TRUE)
  # the null statistics are those of the permutations that are kept
  settings <- list(summary = "weighted", average = "pooled", method = "ridge", standardize = FALSE,
                   components = NULL, lambda = 1, per_neuron = FALSE)
  design <- suppressMessages(encoding_design(list(n = 60, rows = rep(TRUE, 60)), settings, 7))
  expect_identical(design$count, 7L)
  model <- encoding_model(list(x), settings, "x")
  targets <- list(y = scale(y, scale = FALSE), of = rep(1L, 3), constant = rep(FALSE, 3))
  folds <- list(test = unname(split(1:60, rep(1:5, 12))))
  null <- encoding_null(model, targets, folds, settings, NULL, design)
  scores <- apply(with_observed(design), 2, function(p) {
    encode(x, y[p, ], lambda = 1, folds = rep(1:5, 12))$score
  })
  expect_equal(c(null), scores)
})

test_that("whole clusters of one size change places", {
  set.seed(2)
  groups <- rep(1:10, each = 3)
  x <- normal(10, 4)[groups, ] + 0.1 * normal(30, 4)
  y <- x + 0.1 * normal(30, 4)
  result <- encode(x, y, clusters = groups, lambda = 1, permutations = 99)
  expect_output(print(result), "P-values are of 99 permutations.", fixed = TRUE)
  expect_lt(result$p_value, 0.02)
  expect_refused(encode(x[-1, ], y[-1, ], clusters = groups[-1], lambda = 1, permutations = 99),
                 "clusters of one size")
})

test_that("set.seed() reproduces p-values, and grids have those of their pairs", {
  set.seed(3)
  x <- normal(30, 4)
  y <- 0.3 * x[, 1:2] + normal(30, 2)
  other <- normal(30, 3)
  run <- function(from, to) {
    set.seed(4)
    encode(from, to, permutations = 199, folds = rep(1:5, 6))$p_value
  }
  grid <- run(list(a = x, b = other), list(u = y, v = other))
  expect_identical(run(x, y), grid[1])
  expect_true(all(grid > 0 & grid <= 1))
  expect_true(is.na(encode(x, y)$p_value))
})

test_that("unrelated data have p-values of all sizes, and a wider grid of penalties as well", {
  set.seed(5)
  p_value <- replicate(60, {
    suppressWarnings(encode(normal(20, 4), normal(20, 3), permutations = 19)$p_value)
  })
  expect_gt(stats::ks.test(jitter(p_value, amount = 0.025), "punif")$p.value, 1e-3)
})
