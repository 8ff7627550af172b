# The optimal assignment, against all permutations and against a well-kept solver.

assigned <- function(values, gains = FALSE) .Call(repalign:::C_assign, values, gains)

total <- function(values, matched) {
  rows <- which(matched > 0)
  sum(values[cbind(rows, matched[rows])])
}

# The narrower side has partners throughout, no two the same.
expect_matching <- function(matched, values) {
  used <- matched[matched > 0]
  expect(length(matched) == nrow(values) && length(used) == min(dim(values)) &&
           !anyDuplicated(used) && all(used <= ncol(values)),
         paste("no matching of", paste(dim(values), collapse = " x ")))
}

# Least total over all matchings of the narrower side, from the definition.
brute_least <- function(values) -def_best_assignment(-values)

shapes <- list(c(1, 1), c(1, 5), c(5, 1), c(2, 2), c(3, 4), c(5, 3), c(6, 6), c(2, 7))

test_that("small assignments are optimal, whatever the shape", {
  skip_unless_extended()
  set.seed(1)
  for (shape in shapes) {
    for (round in 1:20) {
      values <- matrix(rnorm(prod(shape)), shape[1])
      matched <- assigned(values)
      expect_matching(matched, values)
      expect_equal(total(values, matched), brute_least(values), tolerance = 1e-13)
      largest <- assigned(values, gains = TRUE)
      expect_matching(largest, values)
      expect_equal(total(values, largest), -brute_least(-values), tolerance = 1e-13)
    }
  }
})

test_that("integer costs with many ties are solved exactly", {
  set.seed(2)
  for (shape in shapes) {
    for (most in c(1, 2, 5)) {
      values <- matrix(sample(-most:most, prod(shape), TRUE) + 0, shape[1])
      matched <- assigned(values)
      expect_matching(matched, values)
      expect_identical(total(values, matched), brute_least(values))
    }
  }
})

test_that("degenerate costs have a matching", {
  for (shape in list(c(1, 1), c(30, 30), c(7, 30), c(30, 7))) {
    rows <- shape[1]
    for (values in list(matrix(0, rows, shape[2]), matrix(-3, rows, shape[2]),
                        # every agent wants the same tasks in the same order
                        matrix(rep(seq_len(shape[2]), each = rows) + 0, rows),
                        matrix(seq_len(rows) + 0, rows, shape[2]),
                        outer(seq_len(rows), seq_len(shape[2])) + 0)) {
      matched <- assigned(values)
      expect_matching(matched, values)
    }
  }
  ramp <- matrix(rep(1:30, each = 7) + 0, 7)
  expect_identical(total(ramp, assigned(ramp)), 28)
  # least total of products: one side rising, the other falling
  expect_identical(total(outer(1:30, 1:30) + 0, assigned(outer(1:30, 1:30) + 0)),
                   sum(1:30 * 30:1) + 0)
})

test_that("the scale of the costs does not matter", {
  set.seed(3)
  values <- matrix(rnorm(12 * 15), 12)
  for (factor in 2^c(-1000, -300, 300, 1000)) {
    expect_identical(assigned(factor * values), assigned(values))
  }
  # rows of very different size
  sizes <- 2^seq(-300, 300, length.out = 6)
  graded <- sizes * matrix(rnorm(36), 6)
  expect_equal(total(graded, assigned(graded)), brute_least(graded), tolerance = 1e-13)
  # a large common offset
  whole <- matrix(sample(50, 36, TRUE), 6) + 2^40
  expect_identical(total(whole, assigned(whole)), brute_least(whole))
})

test_that("a transposed problem has the same optimum, and permuted rows the same partners", {
  set.seed(4)
  values <- matrix(rnorm(40 * 60), 40)
  matched <- assigned(values)
  expect_equal(total(t(values), assigned(t(values))), total(values, matched), tolerance = 1e-13)
  rows <- sample(40)
  expect_identical(assigned(values[rows, ]), matched[rows])
})

test_that("large assignments agree with clue::solve_LSAP", {
  skip_if_not_installed("clue")
  set.seed(5)
  x <- normal_matrix(100, 80)
  y <- normal_matrix(100, 120)
  integers <- matrix(sample(0:20, 80 * 120, TRUE) + 0, 80)
  problems <- list(normal_matrix(80, 80), normal_matrix(80, 120), cor(x, y), integers,
                   matrix(rexp(150 * 150)^4, 150), outer(runif(100), runif(130)))
  for (values in problems) {
    for (gains in c(FALSE, TRUE)) {
      theirs <- clue::solve_LSAP(values - min(values), maximum = gains)
      best <- total(values, as.integer(theirs))
      expect_equal(total(values, assigned(values, gains)), best, tolerance = 1e-12)
      expect_equal(total(t(values), assigned(t(values), gains)), best, tolerance = 1e-12)
    }
  }
})

test_that("the largest come first, also where they are sorted in pieces", {
  set.seed(1)
  largest_first <- getFromNamespace("largest_first", "repalign")
  for (values in list(rnorm(500), round(rnorm(500), 1), rep(1, 500), c(rep(0, 400), rnorm(100)))) {
    usual <- order(values, decreasing = TRUE, method = "radix")
    for (most in c(600, 100, 7)) expect_identical(largest_first(values, most), usual)
  }
})

test_that("the greedy matching takes the largest remaining entry each time", {
  plain_greedy <- function(values) {
    matched <- integer(nrow(values))
    for (step in seq_len(min(dim(values)))) {
      at <- arrayInd(which.max(values), dim(values))
      matched[at[1]] <- at[2]
      values[at[1], ] <- -Inf
      values[, at[2]] <- -Inf
    }
    matched
  }
  set.seed(6)
  for (shape in c(shapes, list(c(20, 30), c(30, 20)))) {
    values <- matrix(rnorm(prod(shape)), shape[1])
    expect_identical(repalign:::greedy_match(values), plain_greedy(values))
    ties <- matrix(sample(3, prod(shape), TRUE) + 0, shape[1])
    expect_identical(repalign:::greedy_match(ties), plain_greedy(ties))
  }
})

test_that("entry points refuse what they cannot use", {
  expect_error(assigned(matrix(c(1, Inf, 2, 3), 2)), "repalign_assign: `values`")
  expect_error(assigned(matrix(c(1, NaN, 2, 3), 2)), "repalign_assign: `values`")
  expect_error(assigned(matrix(0, 0, 3)), "repalign_assign: `values`")
  expect_error(assigned(1:3), "repalign_assign: `values`")
})
