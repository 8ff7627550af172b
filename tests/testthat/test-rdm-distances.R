# What the declarations of the distances of rdm() claim, for every distance that is declared.

# Observations of 6 conditions in 4 runs, of counts where the distance is about counts.
observed <- function(declared, channels = 8) {
  set.seed(3)
  design <- full_design(6, 4, 2)
  x <- matrix(rpois(nrow(design) * channels, 6) + 1, nrow(design))
  if (!declared$counts) x <- x + matrix(rnorm(length(x)), nrow(design))
  c(list(x = x), design)
}

# rdm() of these, with the noise that the distance needs.
rdm_of <- function(declared, data = observed(declared), ...) {
  force(data)
  args <- list(...)
  if (declared$noise == "precision" && is.null(args$noise)) {
    set.seed(4)
    args$noise <- random_precision(ncol(data$x))
  }
  do.call(rdm, c(list(data$x, data$condition, data$run, distance = declared$id), args))
}

all_distances <- function() {
  lapply(stats::setNames(nm = repalign:::distance_ids()), repalign:::distance_called)
}

test_that("RDMs know their distance, and follow the order of conditions", {
  for (declared in all_distances()) {
    d <- rdm_of(declared)
    expect_identical(attr(d, "distance"), declared$id)
    expect_false(anyNA(d), info = declared$id)
    expect_match(format(d), declared$id, fixed = TRUE)
    expect_identical(repalign:::kind_of_values(d), declared$values, info = declared$id)
    expect_identical(repalign:::kind_of_values(transform_rdm(d, "rank")), "neither")
    if (!declared$runs) expect_true(all(d >= 0), label = declared$id)
    data <- observed(declared)
    other <- c(4, 2, 6, 1, 3, 5)
    data$condition <- factor(data$condition, other)
    expect_equal(as.matrix(rdm_of(declared, data)),
                 as.matrix(subset(d, as.character(other))), tolerance = 1e-10, info = declared$id)
  }
})

test_that("RDMs grow with the data as declared, and metrics obey the triangle inequality", {
  for (declared in all_distances()) {
    d <- rdm_of(declared)
    if (!is.na(declared$power)) {
      data <- observed(declared)
      data$x <- 3 * data$x
      expect_equal(as.vector(rdm_of(declared, data)), 3^declared$power * as.vector(d),
                   tolerance = 1e-10, info = declared$id)
    }
    if (declared$metric) {
      m <- as.matrix(if (declared$values == "squares") sqrt(d) else d)
      longer <- apply(utils::combn(6, 3), 2, function(at) {
        sides <- sort(c(m[at[1], at[2]], m[at[2], at[3]], m[at[1], at[3]]))
        sides[3] > sides[1] + sides[2] + 1e-10
      })
      expect_false(any(longer), label = declared$id)
    }
  }
})

test_that("rdm() takes and needs what is declared, and refuses the rest", {
  for (declared in all_distances()) {
    data <- observed(declared)
    precision <- random_precision(8)
    covariances <- rep(list(solve(precision)), 4)
    taken <- function(is, code) {
      if (is) expect_s3_class(suppressMessages(code), "repalign_rdm") else
        expect_error(suppressMessages(code), class = "repalign_error", info = declared$id)
    }
    taken(declared$noise != "none", rdm_of(declared, noise = precision))
    taken(declared$noise == "any", rdm_of(declared, noise = covariances))
    taken(declared$weights, rdm_of(declared, weights = "repeats"))
    taken(declared$centers, rdm_of(declared, center_patterns = TRUE))
    taken(declared$noise != "precision",
          rdm(data$x, data$condition, data$run, distance = declared$id))
    without <- function(...) rdm_of(declared, utils::modifyList(data, list(...)))
    taken(!declared$runs, without(run = rep(1, nrow(data$x))))
    taken(!declared$counts, without(x = -data$x))
    # a condition that one run lacks
    lacks <- data$condition == 2 & data$run == 3
    taken(declared$gaps || !declared$runs,
          rdm_of(declared, list(x = data$x[!lacks, ], condition = data$condition[!lacks],
                                run = data$run[!lacks])))
  }
})

test_that("searchlights can compare centres by every distance, as rdm() does", {
  any_measure <- measure("rsa", outer = "pearson")
  for (declared in all_distances()) {
    data <- observed(declared)
    noise <- if (declared$noise == "none") NULL else random_precision(8)
    source <- repalign:::center_source(data$x, data$condition, data$run, noise, any_measure,
                                       declared$id)
    neighbours <- list(c(2L, 5L, 6L, 7L), 1:4)
    source$like <- repalign:::first_center(source, neighbours)
    for (at in neighbours) {
      given <- if (!is.null(noise)) solve(solve(noise)[at, at])
      expected <- do.call(rdm, c(list(data$x[, at], data$condition, data$run, declared$id),
                                 if (!is.null(given)) list(noise = given)))
      expect_equal(as.vector(repalign:::center_repr(source, at, "a")$data), as.vector(expected),
                   tolerance = 1e-8, info = declared$id)
    }
  }
})

test_that("a distance that is not declared is an error that lists those that are", {
  expect_error(rdm(matrix(1:6, 3), distance = "manhatan"), "\"crossnobis\", \"sqeuclidean\"",
               class = "repalign_error_choice")
  expect_error(repalign:::distance_called("manhatan"), "No distance \"manhatan\" is declared")
})
